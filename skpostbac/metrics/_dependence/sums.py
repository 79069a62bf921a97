r"""Sums over dependent or weighted samples that a design effect needs.

Counts keep them, and they add over disjoint groups.

Class i has :math:`n_{ig}` samples in group g, and :math:`k_{ig}` is the sum of the averaged outcome
x over them: 1 for a correct prediction, or 1 and -1 where only one of two classifiers is right. A
design effect needs, for classes i and j that share a group,

.. math::

    \sum_g n_{ig} n_{jg}, \quad \sum_g \sqrt{n_{ig} n_{jg}}, \quad
    \sum_g n_{ig} \sqrt{n_{ig} n_{jg}}, \quad \sum_g k_{ig} \sqrt{n_{jg} / n_{ig}}, \quad
    \sum_g k_{ig} k_{jg} / \sqrt{n_{ig} n_{jg}}.

With i = j these are the sums of :math:`n_{ig}^2`, :math:`n_{ig}`, :math:`n_{ig}^2`,
:math:`k_{ig}` and :math:`k_{ig}^2 / n_{ig}`. What involves the mean of a class, such as the sum of
:math:`(k_{ig} - n_{ig} p_i)^2 / n_{ig}`, is expanded in them, so that it is known only at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from skpostbac._utils import Bools, Floats, FrozenArrays, Indices, float_array, shown

# The keys of JSON and the axes of their arrays: l classes, v outcomes, p pairs, or so many.
_GROUP_AXES = {
    "groups": "l",
    "largest": "l",
    "spread": "l",
    "pairs": "p2",
    "sizes": "p3",
    "shows": "v2l",
    "values": "vp2",
}
_SQUARE_AXES = {"weight": "l", "values": "v2l", "samples": "l"}
_UNLIKE = (
    "Counts can be added only if all of them were made with groups, and all with "
    "weight_type='importance', or none"
)
_PARTS = {"by_class": _GROUP_AXES, "together": _GROUP_AXES, "squares": _SQUARE_AXES}


class SampleValues(NamedTuple):
    """Outcome that is averaged over the samples: 0 or 1, or the difference of two outcomes."""

    value: Floats
    """Of each sample."""
    shows: tuple[Bools, Bools]
    """Whether a sample shows that not all outcomes are hits, and that not all are errors."""


def design_values(hits: Sequence[Bools]) -> list[SampleValues]:
    """Return the outcomes of each classifier, then the difference of each pair of them."""
    single = [SampleValues(hit.astype(np.float64), (~hit, hit)) for hit in hits]
    pairs = [(first, second, first != second) for first, second in combinations(hits, 2)]
    return [
        *single,
        *(
            SampleValues(second.astype(np.float64) - first, (differ, differ))
            for first, second, differ in pairs
        ),
    ]


def _move_classes(values: Floats, place: Indices, n_classes: int) -> Floats:
    """Move the classes on the last axis to other places; those at -1 are left out."""
    kept = place >= 0
    moved = np.zeros((*values.shape[:-1], n_classes))
    moved[..., place[kept]] = values[..., kept]
    return moved


@dataclass(frozen=True, eq=False)
class GroupSums(FrozenArrays):
    """Sums over the groups of l classes, for each of several averaged outcomes."""

    groups: Floats
    """Groups with samples of the class, shape (l,)."""
    largest: Floats
    """Samples of the class in the group that has most of them, shape (l,)."""
    spread: Floats
    """Sum over groups of the mean weight of a unit, shape (l,): `groups` for case counts."""
    pairs: Indices
    """Positions (i, j) of two classes that share a group, or of one, in order, shape (n, 2)."""
    sizes: Floats
    """The first three sums above of each pair, shape (n, 3)."""
    shows: Floats
    """Groups with an error, and with a hit, of each outcome and class, shape (n_values, 2, l)."""
    values: Floats
    """The last two sums above of each outcome and pair, shape (n_values, n, 2)."""

    @property
    def crosses(self) -> bool:
        """Whether a group has samples of several classes."""
        return bool(len(self.pairs) > np.count_nonzero(self.groups))

    def of_value(self, number: int, sign: float) -> GroupSums:
        """Return the sums of one outcome, or of the negated one."""
        values = self.values[number : number + 1] * np.array([sign, 1.0])
        return replace(self, shows=self.shows[number : number + 1], values=values)

    def reindex(self, place: Indices, n_classes: int) -> GroupSums:
        """Move the classes to other places; those at -1 are left out."""
        pairs = place[self.pairs]
        stay = (pairs >= 0).all(axis=1)
        order = np.flatnonzero(stay)[np.lexsort(pairs[stay].T[::-1])]
        groups, largest, spread, shows = (
            _move_classes(values, place, n_classes)
            for values in (self.groups, self.largest, self.spread, self.shows)
        )
        sizes, values = self.sizes[order], self.values[:, order]
        return GroupSums(groups, largest, spread, pairs[order], sizes, shows, values)

    def __add__(self, other: GroupSums) -> GroupSums:
        """Return the sums over both, of the same classes and outcomes, without a common group."""
        key = np.concatenate([self._key, other._key])
        distinct, number = np.unique(key, return_inverse=True)
        mine, theirs = number[: len(self.pairs)], number[len(self.pairs) :]
        sizes = np.zeros((len(distinct), self.sizes.shape[1]))
        values = np.zeros((len(self.values), len(distinct), self.values.shape[2]))
        for places, sums in ((mine, self), (theirs, other)):
            sizes[places] += sums.sizes
            values[:, places] += sums.values
        return GroupSums(
            self.groups + other.groups,
            np.maximum(self.largest, other.largest),
            self.spread + other.spread,
            np.stack(np.divmod(distinct, max(len(self.groups), 1)), axis=1),
            sizes,
            self.shows + other.shows,
            values,
        )

    @property
    def _key(self) -> Indices:
        """Number of each pair, in increasing order."""
        first, second = self.pairs.T
        return np.asarray(first * len(self.groups) + second)

    def diagonal(self) -> tuple[Floats, Floats]:
        """Return sizes and values of each class with itself, (3, l) and (n_values, 2, l)."""
        same = self.pairs[:, 0] == self.pairs[:, 1]
        place = self.pairs[same, 0]
        sizes = np.zeros((self.sizes.shape[1], len(self.groups)))
        values = np.zeros((len(self.values), self.values.shape[2], len(self.groups)))
        sizes[:, place] = self.sizes[same].T
        values[:, :, place] = self.values[:, same].transpose(0, 2, 1)
        return sizes, values

    def across(self) -> tuple[Indices, Indices]:
        """Return the rows of pairs i < j, and those of the same classes as j, i."""
        upper = np.flatnonzero(self.pairs[:, 0] < self.pairs[:, 1])
        first, second = self.pairs[upper].T
        return upper, np.searchsorted(self._key, second * len(self.groups) + first)


def sum_over_groups(
    group: Indices,
    class_index: Indices,
    n_classes: int,
    weight: Floats | None,
    values: Sequence[SampleValues],
    *,
    is_importance: bool,
) -> GroupSums:
    """Add up the samples of each class in each group, and what a design effect needs of them.

    Arguments are those of :func:`make_design`, with positive weights.
    """
    # A cell has the samples of one class in one group.
    key, cell = np.unique(group * n_classes + class_index, return_inverse=True)
    of_group, of_class = np.divmod(key, max(n_classes, 1))
    of_group = np.unique(of_group, return_inverse=True)[1]
    shape = int(of_group.max(initial=-1)) + 1, n_classes

    def add(values: Floats | None) -> Floats:
        return np.bincount(cell, values, len(key)).astype(np.float64)

    def tally(which: Bools) -> Floats:
        return np.bincount(of_class[which], minlength=n_classes).astype(np.float64)

    def overlap(left: Floats, right: Floats) -> tuple[Indices, Floats]:
        """Add up products of two classes over the groups that they share."""
        one, two = (
            sparse.coo_array((values, (of_group, of_class)), shape).tocsr()
            for values in (left, right)
        )
        found = (one.T @ two).tocoo()
        first, second = (axis.astype(np.intp) for axis in found.coords)
        return first * n_classes + second, found.data

    size = add(weight)
    unit = np.ones(len(key))
    if is_importance and weight is not None:
        unit = add(weight**2) / size
    largest = np.zeros(n_classes)
    np.maximum.at(largest, of_class, size)
    # Sizes are positive, so that no product of theirs is lost as a zero.
    shared = np.sort(overlap(size, size)[0])

    def products(left: Floats, right: Floats) -> Floats:
        found, values = overlap(left, right)
        sums = np.zeros(len(shared))
        sums[np.searchsorted(shared, found)] = values
        return sums

    root = np.sqrt(size)
    shows, sums = [], []
    for value, signs in values:
        scaled = add(value if weight is None else value * weight) / root
        sums.append(np.stack([products(scaled, root), products(scaled, scaled)], axis=1))
        shows.append([tally(add(sign.astype(float)) > 0) for sign in signs])
    return GroupSums(
        tally(size > 0),
        largest,
        np.bincount(of_class, unit, n_classes).astype(np.float64),
        np.stack(np.divmod(shared, max(n_classes, 1)), axis=1),
        np.stack([products(size, size), products(root, root), products(size * root, root)], axis=1),
        np.array(shows, dtype=float).reshape(-1, 2, n_classes),
        np.array(sums, dtype=float).reshape(-1, len(shared), 2),
    )


@dataclass(frozen=True, eq=False)
class Squares(FrozenArrays):
    """Sums of squared weights, which give the effective size of importance weights."""

    weight: Floats
    """Sum of w^2 in each class, shape (l,)."""
    values: Floats
    """Sums of w^2 x and of w^2 x^2 for each outcome x and class, shape (n_values, 2, l)."""
    samples: Floats
    """Number of samples with a weight above 0, shape (l,)."""

    def of_value(self, number: int, sign: float) -> Squares:
        """Return the sums of one outcome, or of the negated one."""
        return replace(self, values=self.values[number : number + 1] * np.array([[sign], [1.0]]))

    def reindex(self, place: Indices, n_classes: int) -> Squares:
        """Move the classes to other places; those at -1 are left out."""
        return Squares(
            *(_move_classes(getattr(self, key), place, n_classes) for key in _SQUARE_AXES)
        )

    def __add__(self, other: Squares) -> Squares:
        return Squares(*(getattr(self, key) + getattr(other, key) for key in _SQUARE_AXES))


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

    def of_value(self, number: int, sign: float = 1) -> SampleDesign:
        """Return what is known of one averaged outcome, or of the negated one."""
        return SampleDesign(
            self.by_class and self.by_class.of_value(number, sign),
            self.together and self.together.of_value(number, sign),
            self.squares and self.squares.of_value(number, sign),
        )

    def as_one_class(self) -> SampleDesign:
        """Return the same of all classes as one."""
        squares = None
        if self.squares is not None:
            sums = (getattr(self.squares, key).sum(-1, keepdims=True) for key in _SQUARE_AXES)
            squares = Squares(*sums)
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

    def to_fields(self) -> dict[str, Any]:
        """Return plain dicts and lists."""
        return {
            name: {key: getattr(sums, key).tolist() for key in axes}
            for name, axes in _PARTS.items()
            if (sums := getattr(self, name)) is not None
        }

    @classmethod
    def from_fields(cls, fields: Any, n_classes: int, n_values: int) -> SampleDesign:
        """Return what :meth:`to_fields` has written.

        Raises
        ------
        ValueError
            If it is something else.
        """
        _check_keys(fields, _PARTS, optional=True)
        if ("by_class" in fields) != ("together" in fields) or not fields:
            raise ValueError("'design' must have 'by_class' and 'together', or 'squares'")
        parts: dict[str, Any] = dict.fromkeys(_PARTS)
        for name, part in fields.items():
            lengths = {"l": 1 if name == "together" else n_classes, "v": n_values}
            arrays = _read_arrays(part, _PARTS[name], lengths)
            parts[name] = Squares(**arrays) if name == "squares" else _read_sums(arrays)
        return cls(**parts)


def merge_designs(
    first: SampleDesign | None, second: SampleDesign | None, has_samples: tuple[bool, bool]
) -> SampleDesign | None:
    """Return the design of counts that are added; counts without samples go with any.

    Raises
    ------
    ValueError
        If one of them has groups or importance weights, and the other has not.
    """
    if first is None or second is None:
        if (first or second) and any(
            one is None and has for one, has in zip((first, second), has_samples, strict=True)
        ):
            raise ValueError(_UNLIKE)
        return first or second
    parts = []
    for name in _PARTS:
        one, two = getattr(first, name), getattr(second, name)
        if (one is None) != (two is None):
            raise ValueError(_UNLIKE)
        parts.append(None if one is None else one + two)
    return SampleDesign(*parts)


def make_design(
    class_index: Indices,
    n_classes: int,
    group: Indices | None,
    weight: Floats | None,
    values: Sequence[SampleValues],
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
    values : sequence of SampleValues
    is_importance : bool
        Whether the weights are importance weights.
    """
    squares = None
    if is_importance and weight is not None:
        square = weight**2

        def add(factor: Floats) -> Floats:
            return np.bincount(class_index, square * factor, n_classes).astype(np.float64)

        sums = [[add(one.value), add(one.value**2)] for one in values]
        n_positive = np.bincount(class_index[weight > 0], minlength=n_classes).astype(np.float64)
        squares = Squares(add(np.ones(len(weight))), np.array(sums), n_positive)
    if group is None:
        return None if squares is None else SampleDesign(None, None, squares)
    if weight is not None and not weight.all():
        kept = weight > 0
        values = [
            SampleValues(one.value[kept], (one.shows[0][kept], one.shows[1][kept]))
            for one in values
        ]
        class_index, group, weight = class_index[kept], group[kept], weight[kept]
    by_class, together = (
        sum_over_groups(group, codes, number, weight, values, is_importance=is_importance)
        for codes, number in ((class_index, n_classes), (np.zeros_like(class_index), 1))
    )
    return SampleDesign(by_class, together, squares)


def _without(by_class: GroupSums, together: GroupSums, is_dropped: Any) -> GroupSums:
    """Return the sums of all classes as one without some, whose groups are theirs alone."""
    dropped = is_dropped & (by_class.groups > 0)
    if not dropped.any():
        return together
    first, second = by_class.pairs.T
    if np.any((first != second) & (dropped[first] | dropped[second])):
        raise ValueError(
            "classes cannot be left out of counts whose groups have samples of several classes; "
            "give labels where the samples are counted"
        )
    sizes, values = by_class.diagonal()
    return GroupSums(
        together.groups - by_class.groups[dropped].sum(),
        together.largest
        if by_class.crosses
        else by_class.largest[~dropped].max(keepdims=True, initial=0.0),
        together.spread - by_class.spread[dropped].sum(),
        together.pairs,
        together.sizes - sizes[:, dropped].sum(axis=1),
        together.shows - by_class.shows[:, :, dropped].sum(axis=2, keepdims=True),
        together.values - values[:, :, dropped].sum(axis=2)[:, np.newaxis],
    )


def _check_keys(fields: Any, keys: Iterable[str], *, optional: bool = False) -> None:
    if not isinstance(fields, Mapping):
        raise ValueError(f"'design' must hold JSON objects, got {shown(fields)}")
    if not set(fields) <= set(keys) or (not optional and set(fields) != set(keys)):
        raise ValueError(f"'design' must have the keys {list(keys)}, got {list(fields)}")


def _read_arrays(fields: Any, axes: dict[str, str], lengths: dict[str, int]) -> dict[str, Floats]:
    """Return arrays of finite numbers of these axes; the pairs say how many of them there are."""
    _check_keys(fields, axes)
    if "pairs" in axes:
        lengths["p"] = len(fields["pairs"]) if isinstance(fields["pairs"], list) else -1
    arrays = {}
    for key, letters in axes.items():
        shape = tuple(lengths[letter] if letter in lengths else int(letter) for letter in letters)
        array = float_array(fields[key], f"'{key}'")
        array = array.reshape(shape) if not array.size and 0 in shape else array
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"'{key}' must hold finite numbers in the shape {shape}")
        arrays[key] = array
    return arrays


def _read_sums(arrays: dict[str, Floats]) -> GroupSums:
    pairs, n_classes = arrays["pairs"], len(arrays["groups"])
    codes, mirrored = pairs @ [n_classes, 1], np.sort(pairs @ [1, n_classes])
    inside = (pairs % 1 == 0) & (pairs >= 0) & (pairs < n_classes)
    if not inside.all() or np.any(np.diff(codes) <= 0) or np.any(mirrored != codes):
        raise ValueError(
            f"'pairs' must hold pairs of integers from 0 to {n_classes - 1}, in increasing order, "
            "and each of them also the other way round"
        )
    if np.any(arrays["sizes"] <= 0):
        raise ValueError("'sizes' must be positive")
    others = {key: array for key, array in arrays.items() if key != "pairs"}
    return GroupSums(pairs=pairs.astype(np.intp), **others)
