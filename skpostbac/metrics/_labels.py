"""Class labels of samples, and which predictions are correct.

Labels are read from any container into an array, and numbered. Integers of any dtype
are their own numbers, pandas numbers its categories, and a dict numbers all other
labels. Then only the distinct labels are looked at: they are checked, merged and
sorted. A table turns the numbers into positions among them, block by block.

scikit-learn's `column_or_1d` reads what is neither a list nor an array. Lists become
arrays only if no label is altered: NumPy would round long integers beside floats, make
text of numbers beside text, and cut text at its last null character.

`np.unique` and scikit-learn's `LabelEncoder` keep a code for each sample and are
slower: a million integers of three classes took them three to five times as long, and
text 1.2 to 6 times.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import (
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Sized,
)
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import column_or_1d

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    LabelArray,
    as_numpy,
    check_choice,
    describe_strays,
    has_masked,
    input_errors,
    nonnegative_array,
    shown,
    user_stacklevel,
)
from skpostbac.metrics._dependence import (
    GroupsWarning,
    SampleDesign,
    warn_of_few_weights,
    warn_of_fractions,
)
from skpostbac.stats._beta import LARGEST

# Meaning of the weights. None stands for "case", with a warning if they are not whole
# numbers.
WeightType: TypeAlias = Literal["case", "importance"] | None
# The square of the largest importance weight must not underflow to zero.
_LEAST_WEIGHT = 1e-100
_NO_SCORES = "class labels are needed, not probabilities or scores"
_ONE_LABEL = (
    "pass a list or a column with one label for each item; of scores or one-hot rows, "
    "classes_[y.argmax(axis=1)]"
)
# Samples that are read together: what is computed of them stays in the cache.
BLOCK = 2**16
# Codes of floats of at most 64 bits.
_FLOATS = "efd"
# Integers are looked up in a table of at most this size.
_LARGEST_TABLE = 2**20
# An array of text is as wide as its longest label; with more characters than these,
# labels are objects.
_MOST_CHARACTERS = 10**7
_DATES = np.datetime64, np.timedelta64
# In place of true labels, if it is known what is right; and the only class then.
NO_LABELS: Any = object()
RIGHT = "right"
# Labels of different types cannot be mixed. What is none of these counts as a number.
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "date": (np.datetime64, date),
    "duration": (np.timedelta64, timedelta),
}


# From any container to an array


class Column(NamedTuple):
    """Labels of the samples, unchecked."""

    name: str
    """The argument that holds them, for error messages."""
    array: LabelArray
    """The labels, or the numbers of their categories, shape (n_samples,)."""
    categories: LabelArray | None = None
    """The label of each number from 0 on, which need not occur; None for labels."""


def read_column(y: Any, name: str) -> Column:
    """Read labels from any container, without checking them.

    Raises
    ------
    ValueError, TypeError
        If labels are masked, or if there is no single column of them.
    """
    if isinstance(y, str | bytes):
        raise ValueError(
            f"{name} must be an array or a list, got the string {shown(y)}; pass a "
            f"column itself instead of its name, such as df[{shown(y)}]"
        )
    dtype = type(getattr(y, "dtype", None)).__name__
    if dtype == "CategoricalDtype":  # of pandas
        column = getattr(y, "cat", y)
        numbers = np.asarray(column.codes)
        if numbers.min(initial=0) >= 0:  # none is missing
            return Column(name, numbers, _label_array(column.categories, name))
    is_array = type(y) is np.ndarray and y.ndim == 1
    array = y if is_array else _label_array(y, name)
    if array.dtype.kind == "T":  # of StringDType
        array = array.astype(object)
    return Column(name, array)


def _label_array(y: Any, name: str) -> LabelArray:
    """Convert a list, a column of a table or a column vector to an array."""
    if has_masked(y):
        raise ValueError(f"Input {name} contains masked values.")
    if isinstance(y, list | tuple):
        types = set(map(type, y))
        if types == {int}:
            with suppress(OverflowError):
                return np.asarray(y, np.int64)
        if any(issubclass(one, str) for one in types):  # of different lengths
            return np.fromiter(y, object, len(y))
        if len(types) == 1 and isinstance(y[0], np.generic):
            return np.asarray(y)
        if not any(issubclass(one, Sized) for one in types):  # no rows
            return array_of_labels(list(y))
    y = as_numpy(y, name)
    with input_errors(name):
        # scikit-learn rounds nullable integers, and pyarrow does not convert text.
        if hasattr(y, "to_numpy") and not hasattr(y, "__arrow_c_array__"):
            y = y.to_numpy()
        if isinstance(y, np.ndarray) and y.ndim == 1:
            return np.asarray(y)
        try:
            column: LabelArray = column_or_1d(y)
        except ValueError as error:
            got = str(error).removeprefix("y ").removesuffix(" instead.")
            raise ValueError(f"{got}; {_ONE_LABEL}") from error
    return column


def is_integral(y: LabelArray) -> bool:
    """Return whether all are integers of at most 64 bits, of whatever numeric dtype."""
    if y.dtype.char not in _FLOATS:
        return y.dtype.kind in "biu"
    with np.errstate(invalid="ignore"):
        return all(
            np.all(y[block] == y[block].astype(np.int64)) for block in _slices(len(y))
        )


def _slices(n: int, step: int = BLOCK) -> Iterator[slice]:
    """Cut n samples into blocks."""
    return (slice(start, start + step) for start in range(0, n, step))


# From numbers to positions among the distinct labels


class Encoded(NamedTuple):
    """Labels as positions among distinct ones, computed by blocks.

    Integers and categories are looked up anew for each block, and need no memory that
    grows with their number.
    """

    name: str
    """The argument that held them, for error messages."""
    values: LabelArray
    """Distinct labels."""
    numbers: Callable[[slice], Indices]
    """Returns a number for each label of a block."""
    table: Indices
    """Position in ``values`` of each number."""

    def codes(self, block: slice = slice(None)) -> Indices:
        """Return the position in ``values`` of each label of a block."""
        return self.table[self.numbers(block)]

    def recoded(self, values: LabelArray) -> Encoded:
        """Return positions among other labels, -1 for what is none of them."""
        table = positions(self.values, values)[self.table]
        return self._replace(values=values, table=table)


def encode(column: Column) -> Encoded:
    """Encode labels by the sorted distinct ones; raise if they are no class labels.

    These have the dtypes of :func:`array_of_labels`.

    Raises
    ------
    ValueError
        If labels are missing, continuous, of several types or of an unknown one.
    TypeError
        If the labels are bytes.
    """
    found = _distinct(column)
    values = _class_labels(found)
    order = np.argsort(values)
    rank = np.argsort(order)
    return found._replace(values=values[order], table=rank[found.table])


def unique_label_array(labels: ArrayLike, name: str) -> LabelArray:
    """Return a read-only array of the labels, which must be distinct and at least one.

    It is that of :func:`array_of_labels`.
    """
    column = read_column(labels, name)
    if not len(column.array):
        raise ValueError(f"'{name}' should contain at least one label.")
    found = _distinct(column)
    array = array_of_labels(label_list(found.values[found.codes()]))
    if len(found.values) < len(array):
        raise ValueError(
            f"{name} must not contain duplicates, got {shown(label_list(array))}"
        )
    array.flags.writeable = False
    return array


def _distinct(column: Column) -> Encoded:
    """Return the distinct labels, of one type and none missing, in any order."""
    numbers = column.array
    labels = column.categories
    if labels is None and not is_integral(numbers):
        numbers, labels = _number(column)
    found = _encode_integers(column.name, numbers)
    if labels is not None:
        found = found._replace(values=labels[found.values])
    _check_uniform(found)
    return found


def _number(column: Column) -> tuple[Indices, LabelArray]:
    """Return numbers of labels, in order of appearance, and the distinct labels."""
    y = column.array
    numbers = np.empty(len(y), np.intp)
    index: defaultdict[Hashable, int] = defaultdict()
    index.default_factory = index.__len__  # a new label has the next number
    with input_errors(column.name):  # labels may have hashes of their own, which fail
        for block in _slices(len(y)):
            labels = label_list(y[block])
            numbers[block] = np.fromiter(
                map(index.__getitem__, labels), np.intp, len(labels)
            )
        return numbers, np.fromiter(index, y.dtype, len(index))


def _encode_integers(name: str, y: LabelArray) -> Encoded:
    """Encode numbers by the sorted distinct ones."""
    low = y.min()
    n_values = int(y.max()) - int(low) + 1
    if n_values > min(_LARGEST_TABLE, 1000 + 2 * len(y)):
        values = _sorted_distinct(y)
        every = np.arange(len(values))
        return Encoded(name, values, lambda block: values.searchsorted(y[block]), every)

    def offsets(block: slice) -> Indices:
        # Modulo 2**64 the difference is right for every integer type.
        return np.asarray(y[block].astype(np.int64, copy=False) - origin)

    origin = low.astype(np.int64)
    occurs = np.zeros(n_values, bool)
    for block in _slices(len(y)):
        occurs[offsets(block)] = True
    values = (np.flatnonzero(occurs) + origin).astype(y.dtype)
    return Encoded(name, values, offsets, np.cumsum(occurs) - 1)


def _sorted_distinct(y: LabelArray) -> LabelArray:
    """Return the sorted distinct numbers, with memory for little more than these."""
    if len(y) > BLOCK:
        middle = len(y) // 2
        halves = [_sorted_distinct(y[:middle]), _sorted_distinct(y[middle:])]
        y = np.concatenate(halves)
    # `np.unique` hashes: a million integers took 20 to 80 times as long.
    return np.unique_counts(y).values


# Distinct labels


def _check_uniform(found: Encoded) -> None:
    """Raise if labels are missing, or of several types."""
    if found.values.dtype.kind in "biuU":
        return
    labels = label_list(found.values)
    with input_errors(found.name):  # labels may compare by functions of their own
        are_missing = np.array(list(map(is_missing, labels)), bool)
    if are_missing.any():
        where = are_missing[found.codes()]
        raise ValueError(
            f"Input {found.name} contains NaN: {where.sum()} of {len(where)} labels "
            f"are missing, the first at position {where.argmax()}."
        )
    check_same_type(labels, f"{found.name}: ")


def is_missing(label: Any) -> bool:
    """Return whether a label is None, NaN or pandas.NA."""
    # The comparison of pandas.NA with itself has no truth value.
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def _class_labels(found: Encoded) -> LabelArray:
    """Return the distinct labels; raise if they are of a type that labels have not."""
    labels: list[Any] = label_list(found.values)
    array = array_of_labels(labels)
    are_texts = all(isinstance(label, str) for label in labels)
    if array.dtype.kind in "mM" or is_integral(array) or are_texts:
        return array
    if any(isinstance(label, bytes) for label in labels):
        raise TypeError(
            f"{found.name}: Support for labels represented as bytes is not supported. "
            "Convert the labels to a string or integer format."
        )
    got = f"is not supported, got labels of dtype {found.values.dtype}"
    if array.dtype.kind == "f":
        raise ValueError(f"{found.name}: continuous {got} ({_NO_SCORES})")
    odd = next(one for one in labels if array_of_labels([one]).dtype.kind not in "biU")
    raise ValueError(
        f"{found.name}: unknown {got} such as {shown(odd)}: class labels are strings, "
        "integers of at most 64 bits, booleans, or arrays of datetime64"
    )


def array_of_labels(labels: list[Any]) -> LabelArray:
    """Return an array of the labels that NumPy has not altered.

    Its dtype follows from the labels, not from the array that they come from: numbers
    have 64 bits, text is as wide as needed, and what no such array can hold are
    objects.
    """
    types = set(map(type, labels))
    if any(issubclass(one, np.generic) for one in types):
        labels = list(map(_as_python, labels))
        types = set(map(type, labels))
    width = max(map(len, labels)) if types == {str} else 0
    is_long = types == {int} and max(labels) >= 2**63
    if len(labels) * width <= _MOST_CHARACTERS and all(
        issubclass(one, (str, int, float, *_DATES)) for one in types
    ):
        with suppress(OverflowError):
            array = np.asarray(labels, np.uint64 if is_long else None)
            if label_list(array) == labels:  # NumPy cuts off null characters
                # -0.0 becomes 0.0.
                return array + 0 if array.dtype.kind == "f" else array
    return np.fromiter(labels, object, len(labels))


def _as_python(label: Any) -> Any:
    """Return the number or string that a NumPy scalar stands for, but keep dates."""
    is_plain = isinstance(label, np.generic) and not isinstance(label, _DATES)
    return label.item() if is_plain else label


def label_list(array: LabelArray) -> list[Hashable]:
    """Return the labels as Python objects, which hash and print as users expect."""
    # `tolist` would turn dates in nanoseconds into integers.
    labels: list[Hashable] = list(array) if array.dtype.kind in "mM" else array.tolist()
    return labels


def check_same_type(labels: Iterable[Hashable], prefix: str = "") -> None:
    """Raise if there are labels of two types, such as strings and numbers."""
    examples = {_type_of(label): label for label in labels}
    if len(examples) > 1:
        raise ValueError(
            f"{prefix}Mix of label input types ({' and '.join(examples)}); Got "
            f"{shown(list(examples.values()))}. Convert one of them, as by astype."
        )


def _type_of(label: Hashable) -> str:
    """Return the type of a label."""
    names = [name for name, types in _TYPES.items() if isinstance(label, types)]
    return names[0] if names else "number"


def positions(labels: LabelArray, classes: LabelArray) -> Indices:
    """Return where each label stands among the classes, -1 for one that does not."""
    index = {label: position for position, label in enumerate(label_list(classes))}
    return np.array([index.get(label, -1) for label in label_list(labels)], np.intp)


def merge_labels(first: LabelArray, second: LabelArray) -> LabelArray:
    """Return the union: as given if both agree, else sorted if possible."""
    if label_list(first) == label_list(second):
        return first
    both: list[Any] = label_list(first) + label_list(second)
    check_same_type(both)
    union = list(dict.fromkeys(both))
    with suppress(TypeError):  # no order between them, such as members of an Enum
        union.sort()
    return array_of_labels(union)


# Outcomes


@dataclass(frozen=True)
class Outcomes:
    """Outcomes of the samples, computed block by block."""

    classes: LabelArray
    """Distinct true labels, sorted."""
    n_samples: int
    codes: Callable[[slice], Indices]
    """Returns the position in ``classes`` of each sample of a block."""
    predictions: Sequence[Encoded]
    """Predicted labels of each classifier, none if it is known what is right."""
    hits: Sequence[Callable[[slice], Bools]]
    """Return which predictions of a block are right."""
    weight: Floats | None
    is_importance: bool
    """Whether the weights are importance weights."""
    groups: Callable[[slice], Indices] | None = None
    """Returns the number of the group of each sample of a block."""

    @property
    def weights(self) -> Floats:
        """The weight of each sample, by default 1."""
        return np.ones(self.n_samples) if self.weight is None else self.weight

    def read(
        self, block: slice = slice(None)
    ) -> tuple[Indices, list[Bools], Floats | None]:
        """Return classes, hits of each classifier and weights of a block."""
        weight = None if self.weight is None else self.weight[block]
        return self.codes(block), [hits(block) for hits in self.hits], weight

    def blocks(self) -> Iterator[tuple[Indices, list[Bools], Floats | None]]:
        """Read all samples, in blocks that have no fewer than there are classes."""
        step = max(BLOCK, len(self.classes))
        return map(self.read, _slices(self.n_samples, step))

    def design(self, classes: LabelArray) -> SampleDesign | None:
        """Return the rows that design effects need of these classes, if any."""
        if self.groups is None and not self.is_importance:
            return None
        codes, hits, weight = self.read()
        return SampleDesign.of_samples(
            positions(self.classes, classes)[codes],
            len(classes),
            None if self.groups is None else self.groups(slice(None)),
            weight,
            hits,
            is_importance=self.is_importance,
        ).merged()

    def count(self) -> Floats:
        """Return the errors and the hits of each class, shape (2, n_classes)."""
        size = len(self.classes)
        cells = np.zeros(2 * size)
        for codes, (hits,), weight in self.blocks():
            cells += np.bincount(2 * codes + hits, weight, 2 * size)
        return cells.reshape(size, 2).T


def read_outcomes(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    sample_weight: ArrayLike | None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
) -> Outcomes:
    """Check true labels, predictions of one or several classifiers, weights and groups.

    `predictions` has the predicted labels by the name of their argument, for error
    messages; with `NO_LABELS` it has outcomes, True or 1 for what is right.

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :func:`class_counts`.
    """
    check_weight_type(weight_type, has_weights=sample_weight is not None)
    columns = {}
    if y_true is not NO_LABELS:
        columns["y_true"] = read_column(y_true, "y_true")
    columns |= {name: read_column(y, name) for name, y in predictions.items()}
    if groups is not None:
        columns["groups"] = read_column(groups, "groups")
    sizes = {name: len(column.array) for name, column in columns.items()}
    weight = None
    if sample_weight is not None:
        weight = nonnegative_array(sample_weight, "sample_weight")
        sizes["sample_weight"] = len(weight)
    n_samples, *others = sizes.values()
    if any(size != n_samples for size in others):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[n_samples, *others]} ({', '.join(sizes)})"
        )
    if not n_samples:
        arguments = " or ".join(f"`{name}`" for name in list(columns)[:2])
        raise ValueError(
            f"Found empty input array (e.g., {arguments}) while a minimum of 1 sample "
            "is required."
        )
    predicted = []
    if y_true is NO_LABELS:
        zeros = np.broadcast_to(np.intp(0), n_samples)
        true = Encoded("", np.array([RIGHT]), zeros.__getitem__, zeros[:1])
        hits = [_find_right(columns[name]) for name in predictions]
    else:
        true = encode(columns["y_true"])
        predicted = [encode(columns[name]) for name in predictions]
        for one in predicted:
            labels = [*label_list(true.values[:1]), *label_list(one.values[:1])]
            check_same_type(labels, f"y_true and {one.name}: ")
        hits = [
            _find_hits(columns["y_true"], true, columns[one.name], one)
            for one in predicted
        ]
    group = None if groups is None else encode(columns["groups"]).codes
    is_importance = weight_type == "importance"
    outcomes = Outcomes(
        true.values,
        n_samples,
        true.codes,
        predicted,
        hits,
        weight,
        is_importance,
        group,
    )
    if weight is not None:
        _check_weights(weight, outcomes, weight_type)
    return outcomes


def check_weight_type(weight_type: object, *, has_weights: bool = True) -> None:
    """Raise if `weight_type` is invalid, or there are no weights for it."""
    if weight_type is not None:
        check_choice(weight_type, ("case", "importance"), "weight_type")
    if weight_type == "importance" and not has_weights:
        raise ValueError("weight_type='importance' needs sample_weight, got None")


def _check_weights(weight: Floats, outcomes: Outcomes, weight_type: WeightType) -> None:
    """Raise if weights are out of range; warn if they are hardly case counts."""
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    if total > LARGEST:
        raise ValueError(
            f"sample_weight must add up to at most {LARGEST:g}, got {shown(total)}"
        )
    if not total:
        raise ValueError(
            "sample_weight: Sample weights must contain at least one non-zero number."
        )
    if weight_type is None:
        warn_of_fractions(weight)
    if weight_type == "importance":
        if weight.max() < _LEAST_WEIGHT:
            raise ValueError(
                "sample_weight must have an importance weight of at least "
                f"{_LEAST_WEIGHT:g}, got at most {weight.max():g}"
            )
        codes = outcomes.codes(slice(None))
        warn_of_few_weights(weight, codes, label_list(outcomes.classes))


def _find_hits(
    first: Column, true: Encoded, second: Column, pred: Encoded
) -> Callable[[slice], Bools]:
    """Return a function that finds the correct predictions of a block."""
    are_labels = first.categories is None and second.categories is None
    if are_labels and {first.array.dtype.kind, second.array.dtype.kind} <= set("biu"):
        return lambda block: first.array[block] == second.array[block]
    recoded = pred.recoded(true.values)
    return lambda block: true.codes(block) == recoded.codes(block)


def _find_right(column: Column) -> Callable[[slice], Bools]:
    """Return a function that tells which items of a block are right."""
    found = _distinct(column)
    odd = [label for label in label_list(found.values) if label not in (0, 1)]
    if odd:
        raise ValueError(
            f"{column.name} must be True or 1 for what is right, and False or 0 for "
            f"what is wrong, got {shown(odd[0])}"
        )
    is_right = found.values.astype(bool)
    return lambda block: is_right[found.codes(block)]


class StrayLabelWarning(UserWarning):
    """Some predictions are none of the classes; they count as errors.

    The classes are those of the truth, or `labels`. The warning gives the number of
    these predictions and their labels, and says if one looks like a class in another
    spelling, such as ``1.0`` for ``1``.
    """


def warn_of_strays(outcomes: Outcomes, classes: LabelArray) -> None:
    """Warn of predictions that are no class of the truth, such as "Yes" for "yes".

    Samples of other classes than these and of weight 0 do not count.
    """
    for pred in outcomes.predictions:
        is_class = positions(pred.values, classes) >= 0
        if is_class.all():
            continue

        counts = positions(outcomes.classes, classes) >= 0
        n = np.zeros(len(pred.values), int)
        for block in _slices(outcomes.n_samples, max(BLOCK, len(n))):
            rows = counts[outcomes.codes(block)]
            if outcomes.weight is not None:
                rows &= outcomes.weight[block] > 0
            n += np.bincount(pred.codes(block)[rows], minlength=len(n))
        # Of a single class, all errors are predictions of others.
        if len(classes) == 1 < n[is_class].sum():
            continue
        # Classes of the truth that were left out are no surprise.
        n[is_class | (positions(pred.values, outcomes.classes) >= 0)] = 0
        if n.any():
            order = np.argsort(-n)[: np.count_nonzero(n)]
            strays = label_list(pred.values[order])
            described = describe_strays(strays, n.sum(), label_list(classes))
            warnings.warn(
                f"{pred.name}: {described}",
                StrayLabelWarning,
                stacklevel=user_stacklevel(),
            )


def warn_of_repeated_ids(labels: Any, name: str = "y_true") -> None:
    """Warn if labels or outcomes have a pandas index with repeated entries."""
    index: Any = getattr(labels, "index", None)
    if getattr(index, "is_unique", True):  # of a list, `index` is a method
        return
    repeated = index[index.duplicated()][0]
    warnings.warn(
        f"{name} has an index with repeated entries, such as {shown(repeated)}. If "
        "they are samples of one patient, or tests of one sample, pass "
        f"groups={name}.index; otherwise reset the index.",
        GroupsWarning,
        stacklevel=user_stacklevel(),
    )
