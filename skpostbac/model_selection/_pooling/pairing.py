"""Pairing: which candidates of a search were right on the same samples of the same folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.metrics import PairedCounts
from skpostbac.metrics._counts import WORD_BITS, class_order, unpack_bits
from skpostbac.model_selection._pooling.folds import (
    FoldCounts,
    fold_counts,
    fold_words,
)


def pooled_paired_counts(
    cv_results: Any, *, labels: ArrayLike | None = None, n_repeats: int | None = None
) -> PairedCounts:
    """Count joint correct predictions of the candidates of a search, for each class.

    Parameters
    ----------
    cv_results : dict or DataFrame
        ``cv_results_`` of a search with ``scoring=OutcomesScorer(...)``.
    labels, n_repeats : optional
        As in :func:`pooled_posteriors`.

    Returns
    -------
    counts : PairedCounts
        The candidates are named "0", "1", ... by their positions in ``cv_results["params"]``;
        candidates with failed fits are left out.

    Raises
    ------
    ValueError
        If there are no sample outcomes, if the test folds of two candidates differ in their number
        of samples of a class, or for the reasons listed in :func:`pooled_posteriors`.

    Warns
    -----
    FitFailedWarning
        If candidates have failed fits.

    See Also
    --------
    PosteriorComparison.from_paired_counts : The comparison that follows from the counts.

    Notes
    -----
    Samples are identified by their position in the fold. Within one search all candidates are
    tested on the same folds. Combine the results of several searches only if their folds are the
    same: the number of samples of each class is checked, their identity cannot be.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import OutcomesScorer, PosteriorComparison, pooled_paired_counts
    >>> X, y = load_wine(return_X_y=True)
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [2, 3, 4]},
    ...     scoring=OutcomesScorer(len(y)),
    ...     refit=False,
    ... ).fit(X, y)
    >>> counts = pooled_paired_counts(search.cv_results_)
    >>> counts.cells("0", "1")
    array([[52.,  1.,  0.,  6.],
           [56.,  0.,  7.,  8.],
           [37.,  0.,  7.,  4.]])
    >>> comparison = PosteriorComparison.from_paired_counts(counts)
    >>> comparison.difference_interval("1", "0")
    Interval(low=0.034, high=0.119)
    """
    words = fold_words(cv_results)
    if words is None:
        raise ValueError(
            "cv_results has no outcomes of samples (test_outcomes_0): "
            "run the search with scoring=OutcomesScorer(max_test_size=len(y))"
        )
    counts = fold_counts(cv_results)
    times = counts.times_tested(n_repeats).mean()
    return pair_candidates(counts, words, counts.fitted(), labels=labels, times=times)


def pair_candidates(
    counts: FoldCounts,
    words: Floats,
    candidates: Sequence[int],
    *,
    labels: ArrayLike | None,
    times: float,
) -> PairedCounts:
    """Count which of the candidates are right together.

    Parameters
    ----------
    counts : FoldCounts
        Counts of all classes.
    words : array of shape (n_candidates, n_splits, n_words)
        Outcomes, packed.
    candidates : sequence of int
        Positions of the candidates to take.
    labels : sequence, optional
        The classes to take.
    times : float
        How often a sample was tested.
    """
    order = class_order(counts.labels)
    kept = counts if labels is None else counts.select(labels)
    places = {str(label): place for place, label in enumerate(kept.labels)}
    place = np.array([places.get(counts.labels[position], -1) for position in order])
    sizes = _shared_sizes(counts, candidates)[:, order]
    _check_outcomes(words, candidates)
    n_samples = sizes.sum(axis=1).tolist()
    if max(n_samples) > WORD_BITS * words.shape[2]:
        raise ValueError(
            f"cv_results has outcomes of at most {WORD_BITS * words.shape[2]} samples of each "
            f"split, got counts of {max(n_samples)}"
        )
    hits = [unpack_bits(words[candidates, split], n) for split, n in enumerate(n_samples)]
    _check_agreement(hits, counts.correct[candidates].sum(axis=2))
    class_index = np.repeat(np.tile(place, len(sizes)), sizes.ravel())
    is_kept = class_index >= 0
    return PairedCounts(
        [str(candidate) for candidate in candidates],
        kept.labels,
        class_index[is_kept],
        np.concatenate(hits, axis=1).T[is_kept],
        np.full(is_kept.sum(), 1 / times),
    )


def _shared_sizes(counts: FoldCounts, candidates: Sequence[int]) -> Indices:
    """Return the samples of each class in each fold, (n_splits, l): the same for all candidates."""
    total = counts.total[candidates]
    differs = (total != total[0]).any(axis=(1, 2))
    if differs.any():
        raise ValueError(
            f"cv_results has outcomes on other folds for candidate {candidates[0]} than for "
            f"candidate {candidates[int(np.argmax(differs))]}: they cannot be paired"
        )
    if np.any(fraction := total[0] % 1 > 0):
        raise ValueError(
            "cv_results must count each sample once where it has outcomes of samples, "
            f"got a count of {total[0][fraction][0]:g}"
        )
    sizes: Indices = total[0].astype(np.intp)
    return sizes


def _check_agreement(hits: Sequence[Bools], correct: Floats) -> None:
    """Raise if outcomes and counts disagree."""
    found = np.stack([np.count_nonzero(bits, axis=1) for bits in hits], axis=1)
    if np.any(differs := found != correct):
        raise ValueError(
            f"cv_results has outcomes with {found[differs][0]} correct predictions where "
            f"{correct[differs][0]:g} were counted"
        )


def _check_outcomes(words: Floats, candidates: Sequence[int]) -> None:
    """Raise if one of several searches kept no outcomes."""
    unknown = np.isnan(words[candidates]).any(axis=(1, 2))
    if unknown.any():
        raise ValueError(
            "cv_results has no outcomes of samples for candidate "
            f"{candidates[int(np.argmax(unknown))]}"
        )
