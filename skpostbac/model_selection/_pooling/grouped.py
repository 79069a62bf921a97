"""Cross-validation of samples in groups: which were right, and the groups that they are of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, Indices
from skpostbac.metrics import ClassCounts
from skpostbac.metrics._counts import class_order, unpack_bits
from skpostbac.metrics._dependence import design_values, make_design
from skpostbac.metrics._labels import label_list, positions, read_outcomes


def with_groups(
    counts: ClassCounts,
    y: ArrayLike,
    groups: ArrayLike,
    tests: Sequence[Indices],
    words: Floats,
    times: Floats,
) -> ClassCounts:
    """Return pooled counts with the groups of the samples that were tested.

    Parameters
    ----------
    counts : ClassCounts
        The pooled counts.
    y, groups : array-like of shape (n_samples,)
    tests : sequence of n_splits arrays
        Indices of the samples of each test fold.
    words : ndarray of shape (n_splits, n_words)
        Which of them were right, as :class:`OutcomesScorer` writes it.
    times : ndarray of shape (n_classes,)
        How often a sample of each class was tested: so many tests are one sample.
    """
    samples = read_outcomes(y, {"y": y}, None, groups=groups)
    assert samples.groups is not None
    place = positions(samples.classes, counts.classes)[samples.codes(slice(None))]
    order = class_order(label_list(counts.classes))
    tested = [_in_order(test, place, np.argsort(order)) for test in tests]
    hits = [unpack_bits(word, len(test)) for word, test in zip(words, tested, strict=True)]
    index = np.concatenate(tested)
    design = make_design(
        place[index],
        counts.n_classes,
        samples.groups(slice(None))[index],
        None if (times == 1).all() else 1 / times[place[index]],
        design_values([np.concatenate(hits)]),
        is_importance=False,
    )
    return counts._designed(design)


def _in_order(test: Indices, place: Indices, rank: Indices) -> Indices:
    """Return the samples of a fold that have a class, in the order of words."""
    index = test[place[test] >= 0]
    return np.asarray(index[np.argsort(rank[place[index]], kind="stable")])
