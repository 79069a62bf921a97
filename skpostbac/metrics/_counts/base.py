"""Addition, selection of classes and JSON of the counts of one and of several classifiers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from reprlib import repr as short_repr
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, Indices, LabelArray, StablePickle, float_array
from skpostbac.metrics._dependence import (
    SampleDesign,
    design_values,
    make_design,
    merge_designs,
)
from skpostbac.metrics._labels import (
    Outcomes,
    WeightType,
    array_of_labels,
    check_same_type,
    label_list,
    merge_labels,
    positions,
    unique_label_array,
)

VERSION = 1


class Counts(StablePickle):
    """Base class of counts of the samples of each class."""

    classes: LabelArray
    # Of samples with groups or importance weights; it is not there in counts of independent cases.
    _design: SampleDesign | None

    # Of JSON: the name of the format, and the keys with lists.
    _format: ClassVar[str]
    _keys: ClassVar[tuple[str, ...]]

    @property
    def _n_values(self) -> int:
        """Number of averaged outcomes: of each classifier, and of each pair of classifiers."""
        return 1

    @property
    def _totals(self) -> Floats:
        """Number of samples of each class."""
        raise NotImplementedError

    def _moved(self, labels: LabelArray, place: Indices) -> Self:
        """Return counts of the labels, where each class has a new place, or -1 to be dropped."""
        raise NotImplementedError

    def _plus(self, other: Self) -> Self:
        """Return the sum with counts of the same classes."""
        raise NotImplementedError

    def _fields(self) -> dict[str, Any]:
        """Return the values of the keys of JSON."""
        raise NotImplementedError

    @classmethod
    def _of_fields(cls, fields: Mapping[str, list[Any]]) -> Self:
        """Return the counts of lists under the keys of JSON."""
        raise NotImplementedError

    @property
    def n_classes(self) -> int:
        """Number of classes, absent ones included."""
        return len(self.classes)

    @property
    def has_importance_weights(self) -> bool:
        """Whether the counts are sums of importance weights."""
        return self._design is not None and self._design.squares is not None

    def _designed(self, design: SampleDesign | None) -> Self:
        """Return the counts of samples with groups or importance weights."""
        if design is None:
            return self
        counts = object.__new__(type(self))
        vars(counts).update({**self.__getstate__(), "_design": design})
        return counts

    def reindex(self, classes: ArrayLike) -> Self:
        """Return the counts of these classes, in this order.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            Distinct labels. New labels have no samples; classes that are not listed are dropped.

        Returns
        -------
        counts : ClassCounts or PairedCounts

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> ClassCounts(["cat", "dog"], correct=[7, 2], total=[9, 3]).reindex(["fox", "cat"])
        ClassCounts('fox': 0/0, 'cat': 7/9)
        """
        labels = unique_label_array(classes, "classes")
        place = positions(self.classes, labels)
        counts = self._moved(labels, place)
        return counts._designed(self._design and self._design.reindex(place, len(labels)))

    def _selected(self, labels: ArrayLike, *, need_samples: bool) -> Self:
        """Return the counts of the classes that a user names."""
        wanted = unique_label_array(labels, "labels")
        check_same_type(wanted, self.classes, "labels: ")
        counts = self.reindex(wanted)
        if need_samples and not set(label_list(wanted)) & set(label_list(self.classes)):
            raise ValueError("At least one label specified must be in y_true")
        return counts

    def _completed(
        self,
        outcomes: Outcomes,
        labels: ArrayLike | None,
        weight_type: WeightType,
        *,
        need_samples: bool,
    ) -> Self:
        """Select the classes of counted outcomes, and add what groups and weights need."""
        counts = self if labels is None else self._selected(labels, need_samples=need_samples)
        is_importance = weight_type == "importance"
        if not outcomes.n_samples or (outcomes.groups is None and not is_importance):
            return counts
        samples = outcomes.of_classes(counts.classes)
        design = make_design(
            samples.codes,
            counts.n_classes,
            samples.groups,
            samples.weight,
            design_values(samples.hits),
            is_importance=is_importance,
        )
        return counts._designed(design)

    def _with_batch(self, batch: Self) -> Self:
        """Return the counts with a batch of a stream added."""
        prefix = "y_true must have labels of the same type as the counted ones: "
        check_same_type(self.classes, batch.classes, prefix)
        return self + batch

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        if not (self.n_classes and other.n_classes):
            return other if other.n_classes else self
        classes = merge_labels(self.classes, other.classes)
        left, right = self.reindex(classes), other.reindex(classes)
        total = left._plus(right)
        has_samples = bool(left._totals.any()), bool(right._totals.any())
        return total._designed(merge_designs(left._design, right._design, has_samples))

    def __radd__(self, other: object) -> Self:
        # `sum` starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def to_json(self) -> str:
        """Write the counts as JSON.

        The text is an object with the keys ``"format"`` (``"skpostbac.ClassCounts"`` or
        ``"skpostbac.PairedCounts"``) and ``"version"`` (1). With groups or importance weights, an
        object ``"design"`` has sums over groups and sums of squares, but no single groups or
        samples. All other keys have lists: for `ClassCounts`, ``"classes"``, ``"correct"`` and
        ``"total"``; for `PairedCounts`, ``"names"``, ``"classes"``, ``"class_index"``,
        ``"patterns"``, which has a list of 0 and 1 for each row, and ``"counts"``. Labels are
        strings, numbers or ``true`` and ``false``.

        Returns
        -------
        text : str

        Raises
        ------
        TypeError
            If a label is neither a str, an int, a bool nor a finite float.

        Examples
        --------
        >>> from skpostbac import ClassCounts, PairedCounts
        >>> print(ClassCounts(["a", "b"], [7, 2.5], [9, 3]).to_json())
        {"format": "skpostbac.ClassCounts", "version": 1, "classes": ["a", "b"],
         "correct": [7, 2.5], "total": [9, 3]}
        >>> print(PairedCounts.from_cells([[7, 1, 0, 0]], classes=["a"]).to_json())
        {"format": "skpostbac.PairedCounts", "version": 1, "names": ["A", "B"], "classes": ["a"],
         "class_index": [0, 0], "patterns": [[1, 0], [1, 1]], "counts": [1, 7]}
        """
        document = {"format": self._format, "version": VERSION, **self._fields()}
        if self._design is not None:
            document["design"] = self._design.to_fields()
        return json.dumps(document, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read counts written by :meth:`to_json`.

        Parameters
        ----------
        text : str

        Returns
        -------
        counts : ClassCounts or PairedCounts
            Equal to those that were written.

        Raises
        ------
        TypeError
            If `text` is not a str.
        ValueError
            If `text` is not a document of this format and version, if a key is missing, unknown,
            duplicated or of the wrong type, or for the reasons listed for the constructor.

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> ClassCounts.from_json(ClassCounts(["a", "b"], [7, 2.5], [9, 3]).to_json())
        ClassCounts('a': 7/9, 'b': 2.5/3)
        """
        fields, design = _read_document(text, cls._format, cls._keys)
        counts = cls._of_fields(fields)
        if design is None or not counts.n_classes:
            return counts
        return counts._designed(_read_design(design, counts._totals, counts._n_values))


def _read_document(text: str, name: str, keys: tuple[str, ...]) -> tuple[dict[str, list[Any]], Any]:
    """Return the lists of a JSON document of a format under these keys, and its design."""
    document = _parse(text)
    if not isinstance(document, dict):
        raise ValueError(f"text must be a JSON object, got {short_repr(document)}")
    for key, expected in (("format", name), ("version", VERSION)):
        found = document.pop(key, None)
        if found != expected or isinstance(found, bool):  # true equals 1
            raise ValueError(f"{key!r} must be {expected!r}, got {short_repr(found)}")
    design = document.pop("design", None)
    for key in keys:
        if key not in document:
            raise ValueError(f"text must have the key {key!r}")
        if not isinstance(document[key], list):
            raise ValueError(f"{key!r} must be a list, got {short_repr(document[key])}")
    if unknown := [key for key in document if key not in keys]:
        raise ValueError(f"text has an unknown key, {short_repr(unknown[0])}")
    return document, design


def _parse(text: object) -> Any:
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_reject_constant)
    except RecursionError as error:
        raise ValueError("text must be JSON with few levels of nesting") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"text must be JSON: {error}") from error


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, in which no key may occur twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"text must have each key once, got {short_repr(twice)} twice")
    return found


def _reject_constant(name: str) -> Any:
    raise ValueError(f"text must hold finite numbers, got {name}")


def _read_design(fields: Any, total: Floats, n_values: int) -> SampleDesign:
    """Return the design of a JSON document, of classes with these totals."""
    design = SampleDesign.from_fields(fields, len(total), n_values)
    if design.by_class is not None:
        sizes, _ = design.by_class.diagonal()
        if not np.allclose(sizes[1], total, rtol=1e-9, atol=0):
            raise ValueError("'design' must be of as many samples of each class as 'total'")
    return design


def check_items(
    values: list[Any], key: str, wanted: str, is_valid: Callable[[Any], bool]
) -> list[Any]:
    """Return the values of a key of JSON, which must be what is wanted."""
    for value in values:
        if not is_valid(value):
            raise ValueError(f"{key!r} must hold {wanted}, got {short_repr(value)}")
    return values


def read_numbers(values: list[Any], key: str) -> Floats:
    """Return the values of a key, which must be numbers."""
    check_items(
        values, key, "numbers", lambda x: isinstance(x, int | float) and not isinstance(x, bool)
    )
    return float_array(values, key)


def write_numbers(counts: Floats) -> list[int | float]:
    """Return counts as values of JSON, in full digits."""
    return [int(count) if count.is_integer() else count for count in counts.tolist()]


def read_labels(values: list[Any]) -> LabelArray:
    """Return labels that :func:`write_labels` has written."""
    for value in values:
        if not isinstance(value, str | int | float):  # bool is an int
            raise ValueError(
                f"'classes' must hold strings, numbers and booleans, got {short_repr(value)}"
            )
        if value in (np.inf, -np.inf):  # of digits such as 1e999
            raise ValueError(f"'classes' must hold finite numbers, got {value}")
    return array_of_labels(values)


def write_labels(classes: LabelArray) -> list[str | int | float]:
    """Return the labels as values of JSON."""
    written = []
    for label in label_list(classes):
        is_scalar = isinstance(label, np.bool_ | np.integer | np.floating | np.str_)
        value: Any = label.item() if is_scalar else label  # type: ignore[attr-defined]
        if not isinstance(value, str | int | float) or value in (np.inf, -np.inf):
            raise TypeError(
                "labels must be str, int, bool or finite float to be written as JSON, "
                f"got {short_repr(label)}"
            )
        written.append(value)
    return written
