"""What the samples of a test set say of one or several classifiers, read block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from skpostbac._utils import Bools, Floats, Indices, LabelArray, nonnegative_array
from skpostbac.metrics._labels.categorical import as_labels
from skpostbac.metrics._labels.labels import (
    EncodedLabels,
    SortedLabels,
    blocks,
    check_same_kind,
    encode_sorted,
    is_integral,
    label_list,
    naming,
)
from skpostbac.stats._beta import LARGEST

Labels: TypeAlias = LabelArray | EncodedLabels


class Block(NamedTuple):
    """Consecutive samples."""

    codes: Indices
    """Position in the classes of the true label of each sample."""
    hits: list[Bools]
    """For each classifier, which samples it predicts correctly."""
    weight: Floats | None
    """Case count of each sample, None for 1 each."""


@dataclass(frozen=True)
class Outcomes:
    """The samples, by functions that compute what is asked of a block of them."""

    classes: LabelArray
    """Distinct true labels, sorted."""
    n_samples: int
    codes: Callable[[slice], Indices]
    hits: Sequence[Callable[[slice], Bools]]
    weight: Floats | None

    def read(self, block: slice = slice(None)) -> Block:
        """Return the samples of a block, by default all."""
        weight = None if self.weight is None else self.weight[block]
        return Block(self.codes(block), [hits(block) for hits in self.hits], weight)

    def blocks(self) -> Iterator[Block]:
        """Return all samples, block by block."""
        return map(self.read, blocks(self.n_samples, len(self.classes)))


def read_outcomes(
    y_true: ArrayLike, predictions: Mapping[str, ArrayLike], sample_weight: ArrayLike | None
) -> Outcomes:
    """Check true labels, weights and the predictions of one or several classifiers.

    `predictions` has the predicted labels by the name of the argument that holds them, which
    stands in the messages of errors.

    Raises
    ------
    ValueError, TypeError
        As :func:`class_counts` raises them.
    """
    labels = as_labels(y_true, "y_true")
    y_preds = {name: as_labels(y_pred, name) for name, y_pred in predictions.items()}
    weight = None if sample_weight is None else nonnegative_array(sample_weight, "sample_weight")
    n_samples = _check_lengths(labels, y_preds, weight)
    if not n_samples:  # of which there is no block
        return Outcomes(np.array([]), n_samples, _no_codes, [], weight)
    true = encode_sorted(labels, "y_true")
    hits = [_find_hits(labels, true, y_pred, name) for name, y_pred in y_preds.items()]
    outcomes = Outcomes(true.values, n_samples, true.codes, hits, weight)
    _check_weights(outcomes)
    return outcomes


def check_samples(outcomes: Outcomes) -> None:
    """Refuse outcomes without samples, or only with such of weight 0."""
    if not outcomes.n_samples:
        raise ValueError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum "
            "of 1 sample is required."
        )
    if outcomes.weight is not None and not outcomes.weight.any():
        raise ValueError("sample_weight: Sample weights must contain at least one non-zero number.")


def _check_weights(outcomes: Outcomes) -> None:
    """Refuse weights of a class that add up to more than counts may be."""
    weight, classes = outcomes.weight, outcomes.classes
    with np.errstate(over="ignore"):
        if weight is None or weight.sum() <= LARGEST:
            return
        sums = np.bincount(outcomes.codes(slice(None)), weight, minlength=len(classes))
    if np.any(large := sums > LARGEST):
        place = int(np.argmax(large))
        raise ValueError(
            f"sample_weight must add up to at most {LARGEST:g} for each class, "
            f"got {sums[place]:g} for {short_repr(label_list(classes)[place])}"
        )


def _no_codes(block: slice) -> Indices:
    return np.zeros(0, np.intp)


def _check_lengths(y_true: Labels, y_preds: Mapping[str, Labels], weight: Floats | None) -> int:
    """Return the number of samples, which must be the same everywhere."""
    column = _column(y_true)
    others: dict[str, LabelArray | range] = {
        name: _column(y_pred) for name, y_pred in y_preds.items()
    }
    if weight is not None:
        others["sample_weight"] = weight
    for name, other in others.items():
        with naming(f"y_true and {name}"):
            check_consistent_length(column, other)
    return len(column)


def _column(labels: Labels) -> LabelArray | range:
    """Return a sequence that is as long as the labels."""
    return labels if isinstance(labels, np.ndarray) else range(labels.n_samples)


def _find_hits(
    y_true: Labels, true: SortedLabels, y_pred: Labels, name: str
) -> Callable[[slice], Bools]:
    """Return a function that tells which of the true labels of a block were predicted."""
    compare = _comparison(y_true, y_pred)
    if compare is not None:
        return compare
    pred = encode_sorted(y_pred, name)
    with naming(f"y_true and {name}"):
        check_same_kind(true.values, pred.values)
    index = {label: code for code, label in enumerate(label_list(true.values))}
    recoded = np.array([index.get(label, -1) for label in label_list(pred.values)])
    return lambda block: true.codes(block) == recoded[pred.codes(block)]


def _comparison(first: Labels, second: Labels) -> Callable[[slice], Bools] | None:
    """Return the comparison by NumPy, if it is exact and no label needs a check."""
    if isinstance(first, EncodedLabels) or isinstance(second, EncodedLabels):
        return None
    kinds = {first.dtype.kind, second.dtype.kind}
    # An integer and a float may compare equal after rounding.
    numbers = kinds == {"f"} or "f" not in kinds
    if kinds == {"U"} or (numbers and is_integral(first) and is_integral(second)):
        return lambda block: first[block] == second[block]
    return None
