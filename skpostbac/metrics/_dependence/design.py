"""Sums over dependent or weighted samples that counts keep, and their addition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from skpostbac._utils import Floats, FrozenArrays, Indices, float_array
from skpostbac.metrics._dependence.sums import Figure, GroupSums, sum_over_groups

_ARRAYS = ("groups", "largest", "spread", "pairs", "sizes", "shows", "values")


@dataclass(frozen=True, eq=False)
class Squares(FrozenArrays):
    """Sums of squared weights, of which importance weights have an effective size."""

    weight: Floats
    """Sum of w^2 in each class, shape (l,)."""
    values: Floats
    """Sums of w^2 x and of w^2 x^2 for each figure x and class, shape (figures, 2, l)."""
    samples: Floats
    """Number of samples with a weight above 0, shape (l,)."""

    def figure(self, number: int) -> Squares:
        """Return those of one figure alone."""
        return Squares(self.weight, self.values[number : number + 1], self.samples)

    def mirrored(self) -> Squares:
        """Return those of the negated figures."""
        return Squares(self.weight, self.values * np.array([[-1.0], [1.0]]), self.samples)

    def together(self) -> Squares:
        """Return those of all classes as one."""
        return Squares(
            self.weight.sum(keepdims=True),
            self.values.sum(axis=2, keepdims=True),
            self.samples.sum(keepdims=True),
        )

    def reindex(self, place: Indices, n_classes: int) -> Squares:
        """Move the classes to other places; those at -1 are left out."""
        kept, to = place >= 0, place[place >= 0]
        weight, samples = np.zeros((2, n_classes))
        values = np.zeros((*self.values.shape[:2], n_classes))
        weight[to], samples[to] = self.weight[kept], self.samples[kept]
        values[:, :, to] = self.values[:, :, kept]
        return Squares(weight, values, samples)

    def __add__(self, other: Squares) -> Squares:
        return Squares(
            self.weight + other.weight, self.values + other.values, self.samples + other.samples
        )


@dataclass(frozen=True, eq=False)
class SampleDesign(FrozenArrays):
    """How samples depend on one another, and what their weights are, as sums that add.

    At least one of groups and importance weights is there, and the others are None.
    """

    by_class: GroupSums | None
    """Sums over groups."""
    together: GroupSums | None
    """The same of all classes as one."""
    squares: Squares | None
    """Sums of the squares of importance weights."""

    @property
    def is_plain(self) -> bool:
        """Whether all samples are independent cases: each of them is a group."""
        if self.squares is not None or self.together is None:
            return False
        return bool(np.all(self.together.sizes[:, 0] == self.together.sizes[:, 1]))

    @property
    def n_groups(self) -> float:
        """Number of groups; 0 if none were given."""
        return 0.0 if self.together is None else float(self.together.groups[0])

    def __str__(self) -> str:
        parts = [f"n_groups={self.n_groups:.0f}"] if self.together is not None else []
        return ", ".join([*parts, *(["weight_type='importance'"] if self.squares else [])])

    def figure(self, number: int) -> SampleDesign:
        """Return what is known of one figure alone."""
        by_class, together, squares = (
            part and part.figure(number) for part in (self.by_class, self.together, self.squares)
        )
        return SampleDesign(by_class, together, squares)  # type: ignore[arg-type]

    def mirrored(self) -> SampleDesign:
        """Return what is known of the negated figures."""
        by_class, together, squares = (
            part and part.mirrored() for part in (self.by_class, self.together, self.squares)
        )
        return SampleDesign(by_class, together, squares)  # type: ignore[arg-type]

    def as_one_class(self) -> SampleDesign:
        """Return the same of all classes as one."""
        squares = self.squares and self.squares.together()
        return SampleDesign(self.together, self.together, squares)

    def reindex(self, place: Indices, n_classes: int) -> SampleDesign:
        """Move the classes to other places; those at -1 are left out.

        Raises
        ------
        ValueError
            If a class that is left out has groups in common with another.
        """
        squares = self.squares and self.squares.reindex(place, n_classes)
        if self.by_class is None or self.together is None:
            return SampleDesign(None, None, squares)
        by_class = self.by_class.reindex(place, n_classes)
        return SampleDesign(by_class, _without(self.by_class, self.together, place < 0), squares)

    def __add__(self, other: SampleDesign) -> SampleDesign:
        """Return what is known of both.

        Raises
        ------
        ValueError
            If one has groups or importance weights, and the other has not.
        """
        parts = []
        for name in ("by_class", "together", "squares"):
            one, two = getattr(self, name), getattr(other, name)
            if (one is None) != (two is None):
                raise ValueError(_UNLIKE)
            parts.append(None if one is None else one + two)
        return SampleDesign(*parts)

    def to_fields(self) -> dict[str, Any]:
        """Return plain dicts and lists."""
        fields: dict[str, Any] = {}
        for name in ("by_class", "together"):
            if (sums := getattr(self, name)) is not None:
                fields[name] = {key: getattr(sums, key).tolist() for key in _ARRAYS}
        if self.squares is not None:
            fields["squares"] = {
                "weight": self.squares.weight.tolist(),
                "values": self.squares.values.tolist(),
                "samples": self.squares.samples.tolist(),
            }
        return fields

    @classmethod
    def from_fields(cls, fields: Any, n_classes: int, n_figures: int) -> SampleDesign:
        """Return what :meth:`to_fields` has written.

        Raises
        ------
        ValueError
            If it is something else.
        """
        _check_keys(fields, ("by_class", "together", "squares"), optional=True)
        by_class, together, squares = (
            fields.get(name) for name in ("by_class", "together", "squares")
        )
        if (by_class is None) != (together is None) or not fields:
            raise ValueError("'design' must have 'by_class' and 'together', or 'squares'")
        return cls(
            None if by_class is None else _read_sums(by_class, n_classes, n_figures),
            None if together is None else _read_sums(together, 1, n_figures),
            None if squares is None else _read_squares(squares, n_classes, n_figures),
        )


_UNLIKE = (
    "Counts can be added only if all of them were made with groups, and all with "
    "weight_type='importance', or none"
)


def merge_designs(
    first: SampleDesign | None, second: SampleDesign | None, has_samples: tuple[bool, bool]
) -> SampleDesign | None:
    """Return the design of counts that are added; counts of no samples have any.

    Raises
    ------
    ValueError
        If one of them has groups or importance weights, and the other has not.
    """
    if first is None and second is None:
        return None
    if first is None or second is None:
        if (first is None and has_samples[0]) or (second is None and has_samples[1]):
            raise ValueError(_UNLIKE)
        return first or second
    return first + second


def make_design(
    class_index: Indices,
    n_classes: int,
    group: Indices | None,
    weight: Floats | None,
    figures: Sequence[Figure],
    *,
    is_importance: bool,
) -> SampleDesign | None:
    """Add up what is kept of samples, None if they are independent cases.

    Parameters
    ----------
    class_index : ndarray of int of shape (n_samples,)
    n_classes : int
    group : ndarray of int of shape (n_samples,) or None
    weight : ndarray of shape (n_samples,) or None
        Not negative; None for 1 each.
    figures : sequence of Figure
    is_importance : bool
        Whether the weights are importance weights.
    """
    squares = None
    if is_importance and weight is not None:
        squares = _sum_squares(class_index, n_classes, weight, figures)
    if group is None:
        return None if squares is None else SampleDesign(None, None, squares)
    if weight is not None and not weight.all():
        kept = weight > 0
        figures = [Figure(f.value[kept], (f.shows[0][kept], f.shows[1][kept])) for f in figures]
        class_index, group, weight = class_index[kept], group[kept], weight[kept]
    by_class, together = (
        sum_over_groups(group, codes, number, weight, figures, is_importance=is_importance)
        for codes, number in ((class_index, n_classes), (np.zeros_like(class_index), 1))
    )
    return SampleDesign(by_class, together, squares)


def _sum_squares(
    class_index: Indices, n_classes: int, weight: Floats, figures: Sequence[Figure]
) -> Squares:
    def add(values: Floats) -> Floats:
        sums = np.bincount(class_index, weight**2 * values, n_classes)
        return np.asarray(sums, np.float64)

    values = [[add(figure.value), add(figure.value**2)] for figure in figures]
    samples = np.bincount(class_index[weight > 0], minlength=n_classes).astype(np.float64)
    return Squares(add(np.ones(len(weight))), np.array(values), samples)


def _without(by_class: GroupSums, together: GroupSums, left_out: Any) -> GroupSums:
    """Return the sums of all classes as one without some, whose groups are theirs alone."""
    gone = left_out & (by_class.groups > 0)
    if not gone.any():
        return together
    first, second = by_class.pairs.T
    if np.any((first != second) & (gone[first] | gone[second])):
        raise ValueError(
            "classes cannot be left out of counts whose groups have samples of several classes; "
            "give labels where the samples are counted"
        )
    sizes, values = by_class.diagonal()
    return GroupSums(
        together.groups - by_class.groups[gone].sum(),
        together.largest
        if by_class.crosses
        else by_class.largest[~gone].max(keepdims=True, initial=0.0),
        together.spread - by_class.spread[gone].sum(),
        together.pairs,
        together.sizes - sizes[:, gone].sum(axis=1),
        together.shows - by_class.shows[:, :, gone].sum(axis=2, keepdims=True),
        together.values - values[:, :, gone].sum(axis=2)[:, np.newaxis],
    )


def _check_keys(fields: Any, keys: Sequence[str], *, optional: bool = False) -> None:
    if not isinstance(fields, Mapping):
        raise ValueError(f"'design' must hold JSON objects, got {short_repr(fields)}")
    if not set(fields) <= set(keys) or (not optional and set(fields) != set(keys)):
        raise ValueError(f"'design' must have the keys {list(keys)}, got {list(fields)}")


def _read_sums(fields: Any, n_classes: int, n_figures: int) -> GroupSums:
    _check_keys(fields, _ARRAYS)
    pairs = _read(fields["pairs"], "pairs", (-1, 2))
    n = len(pairs)
    shapes = {
        **dict.fromkeys(("groups", "largest", "spread"), (n_classes,)),
        "sizes": (n, 3),
        "shows": (n_figures, 2, n_classes),
        "values": (n_figures, n, 2),
    }
    arrays = {name: _read(fields[name], name, shape) for name, shape in shapes.items()}
    codes = pairs[:, 0] * n_classes + pairs[:, 1]
    inside = (pairs % 1 == 0) & (pairs >= 0) & (pairs < n_classes)
    mirrored = np.sort(pairs[:, 1] * n_classes + pairs[:, 0])
    if not inside.all() or np.any(np.diff(codes) <= 0) or np.any(mirrored != codes):
        raise ValueError(
            f"'pairs' must hold pairs of integers from 0 to {n_classes - 1}, in increasing order, "
            "and each of them also the other way round"
        )
    if np.any(arrays["sizes"] <= 0):
        raise ValueError("'sizes' must be positive")
    return GroupSums(pairs=pairs.astype(np.intp), **arrays)


def _read_squares(fields: Any, n_classes: int, n_figures: int) -> Squares:
    _check_keys(fields, ("weight", "values", "samples"))
    return Squares(
        _read(fields["weight"], "weight", (n_classes,)),
        _read(fields["values"], "values", (n_figures, 2, n_classes)),
        _read(fields["samples"], "samples", (n_classes,)),
    )


def _read(values: Any, name: str, shape: tuple[int, ...]) -> Floats:
    """Return an array of finite numbers of a shape, of which one length may be open (-1)."""
    array = float_array(values, f"'{name}'")
    if not array.size:
        array = array.reshape([max(n, 0) for n in shape]) if 0 in shape or -1 in shape else array
    fits = array.ndim == len(shape) and all(
        n in (-1, m) for n, m in zip(shape, array.shape, strict=True)
    )
    if not fits or not np.isfinite(array).all():
        raise ValueError(f"'{name}' must hold finite numbers in the shape {shape}")
    return array
