r"""Sums over dependent or weighted samples that a design effect needs.

They are stored with the counts, and add over disjoint groups.

Class i has :math:`n_{ig}` samples in group g, and :math:`k_{ig}` is the sum of the
averaged outcome x over them: 1 for a correct prediction, or 1 and -1 if only one of two
classifiers is right. A design effect needs, for classes i and j that share a group,

.. math::

    \sum_g n_{ig} n_{jg}, \quad \sum_g \sqrt{n_{ig} n_{jg}}, \quad
    \sum_g n_{ig} \sqrt{n_{ig} n_{jg}}, \quad
    \sum_g k_{ig} \sqrt{n_{jg} / n_{ig}}, \quad
    \sum_g k_{ig} k_{jg} / \sqrt{n_{ig} n_{jg}}.

With i = j these are the sums of :math:`n_{ig}^2`, :math:`n_{ig}`, :math:`n_{ig}^2`,
:math:`k_{ig}` and :math:`k_{ig}^2 / n_{ig}`. Sums that involve the mean of a class,
such as that of :math:`(k_{ig} - n_{ig} p_i)^2 / n_{ig}`, are computed from these,
because the mean is not known before all samples are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from skpostbac._utils import Bools, Floats, FrozenArrays, Indices, float_array, shown

# The keys of JSON and the axes of their arrays: l classes, v outcomes, p pairs, or a
# number of entries.
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
_DESIGN_AXES = {
    "by_class": _GROUP_AXES,
    "together": _GROUP_AXES,
    "squares": _SQUARE_AXES,
}


class SampleValues(NamedTuple):
    """Outcome averaged over the samples: 0 or 1, or the difference of two outcomes."""

    value: Floats
    """Outcome of each sample."""
    shows: tuple[Bools, Bools]
    """Whether a sample shows that not all are hits, and that not all are errors."""


def design_values(hits: Sequence[Bools]) -> list[SampleValues]:
    """Return the outcomes of each classifier, then the difference of each pair."""
    values = [SampleValues(hit.astype(np.float64), (~hit, hit)) for hit in hits]
    for first, second in combinations(hits, 2):
        differ = first != second
        difference = second.astype(np.float64) - first
        values.append(SampleValues(difference, (differ, differ)))
    return values


def sum_by(index: Indices, values: Floats | Bools | None, size: int) -> Floats:
    """Add up the values at each index below `size`; None counts them.

    Examples
    --------
    >>> sum_by(np.array([0, 2, 0]), np.array([0.5, 1.0, 2.0]), 4)
    array([2.5, 0. , 1. , 0. ])
    """
    return np.bincount(index, values, size).astype(np.float64)


def _reorder_classes(values: Floats, place: Indices, n_classes: int) -> Floats:
    """Put the classes on the last axis at other places; those at -1 are left out."""
    stays = place >= 0
    reordered = np.zeros((*values.shape[:-1], n_classes))
    reordered[..., place[stays]] = values[..., stays]
    return reordered


@dataclass(frozen=True, eq=False)
class GroupSums(FrozenArrays):
    """Sums over the groups of l classes, for each of several averaged outcomes."""

    groups: Floats
    """Groups with samples of the class, shape (l,)."""
    largest: Floats
    """Samples of the class in the group that has most of them, shape (l,)."""
    spread: Floats
    """Sum over groups of the mean weight, shape (l,): `groups` for case counts."""
    pairs: Indices
    """Sorted positions i, j of classes that share a group, with i = j, shape (n, 2)."""
    sizes: Floats
    """The first three sums above of each pair, shape (n, 3)."""
    shows: Floats
    """Groups with an error, and with a hit, of each outcome, shape (n_values, 2, l)."""
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
        """Put the classes at other places; those at -1 are left out."""
        pairs = place[self.pairs]
        stay = (pairs >= 0).all(axis=1)
        order = np.flatnonzero(stay)[np.lexsort(pairs[stay].T[::-1])]

        return GroupSums(
            groups=_reorder_classes(self.groups, place, n_classes),
            largest=_reorder_classes(self.largest, place, n_classes),
            spread=_reorder_classes(self.spread, place, n_classes),
            pairs=pairs[order],
            sizes=self.sizes[order],
            shows=_reorder_classes(self.shows, place, n_classes),
            values=self.values[:, order],
        )

    def __add__(self, other: GroupSums) -> GroupSums:
        """Return the sums over the groups of both, which have none in common."""
        codes = np.union1d(self._pair_codes, other._pair_codes)
        sizes = np.zeros((len(codes), 3))
        values = np.zeros((len(self.values), len(codes), 2))
        for sums in (self, other):
            rows = np.searchsorted(codes, sums._pair_codes)
            sizes[rows] += sums.sizes
            values[:, rows] += sums.values

        return GroupSums(
            groups=self.groups + other.groups,
            largest=np.maximum(self.largest, other.largest),
            spread=self.spread + other.spread,
            pairs=_pairs_of(codes, len(self.groups)),
            sizes=sizes,
            shows=self.shows + other.shows,
            values=values,
        )

    @property
    def _pair_codes(self) -> Indices:
        """Number i * l + j of each pair of l classes, in increasing order."""
        return self.pairs[:, 0] * len(self.groups) + self.pairs[:, 1]

    def diagonal(self) -> tuple[Floats, Floats]:
        """Return sizes and values of each class alone, (3, l) and (n_values, 2, l)."""
        first, second = self.pairs.T
        same = first == second
        sizes = np.zeros((3, len(self.groups)))
        values = np.zeros((len(self.values), 2, len(self.groups)))

        sizes[:, first[same]] = self.sizes[same].T
        values[:, :, first[same]] = self.values[:, same].transpose(0, 2, 1)
        return sizes, values

    def across(self) -> tuple[Indices, Indices]:
        """Return the rows of pairs i < j, and those of the same classes as j, i."""
        first, second = self.pairs.T
        upper = np.flatnonzero(first < second)
        mirrored = self.pairs[upper] @ [1, len(self.groups)]
        return upper, np.searchsorted(self._pair_codes, mirrored)


def _pairs_of(codes: Indices, n_classes: int) -> Indices:
    """Return the pairs of classes i, j with the codes i * n_classes + j."""
    return np.stack(np.divmod(codes, max(n_classes, 1)), axis=1)


class _Cells(NamedTuple):
    """Cells of a table of groups and classes: those that have samples."""

    group: Indices
    """Row of each cell, shape (n_cells,)."""
    label: Indices
    """Column of each cell, shape (n_cells,)."""
    n_classes: int

    def products(self, left: Floats, right: Floats) -> tuple[Indices, Floats]:
        """Add up products of the cells of two classes over the groups.

        Returns the codes of the pairs of classes whose sum is not zero, unsorted, and
        the sums.
        """
        shape = (self.group.max(initial=-1) + 1, self.n_classes)
        one, two = (
            sparse.csr_array((values, (self.group, self.label)), shape)
            for values in (left, right)
        )
        sums = (one.T @ two).tocoo()
        first, second = sums.coords
        return first.astype(np.intp) * self.n_classes + second, sums.data

    def products_of(self, pairs: Indices, left: Floats, right: Floats) -> Floats:
        """Return the sums of products of the pairs with these codes, which increase."""
        codes, products = self.products(left, right)
        sums = np.zeros(len(pairs))
        sums[np.searchsorted(pairs, codes)] = products
        return sums


def sum_over_groups(
    group: Indices,
    class_index: Indices,
    n_classes: int,
    weight: Floats,
    values: Sequence[SampleValues],
    *,
    is_importance: bool,
) -> GroupSums:
    """Add up the samples of each class in each group for a design effect.

    Arguments are those of :func:`make_design`, with positive weights.
    """
    codes, cell = np.unique(group * n_classes + class_index, return_inverse=True)
    of_group, of_class = np.divmod(codes, max(n_classes, 1))
    cells = _Cells(of_group, of_class, n_classes)

    size = sum_by(cell, weight, len(codes))
    root = np.sqrt(size)
    groups = sum_by(of_class, None, n_classes)
    largest = np.zeros(n_classes)
    np.maximum.at(largest, of_class, size)
    spread = groups
    if is_importance:
        mean_weight = sum_by(cell, weight**2, len(codes)) / size
        spread = sum_by(of_class, mean_weight, n_classes)

    # Sizes are positive, so that all pairs that share a group have a product.
    pairs = np.sort(cells.products(size, size)[0])
    products = partial(cells.products_of, pairs)
    sizes = [products(size, size), products(root, root), products(size * root, root)]

    shows = []
    sums = []
    for value, signs in values:
        scaled = sum_by(cell, value * weight, len(codes)) / root
        sums.append(np.stack([products(scaled, root), products(scaled, scaled)], 1))
        for sign in signs:
            has_sign = sum_by(cell, sign, len(codes)) > 0
            shows.append(sum_by(of_class, has_sign, n_classes))

    return GroupSums(
        groups=groups,
        largest=largest,
        spread=spread,
        pairs=_pairs_of(pairs, n_classes),
        sizes=np.stack(sizes, axis=1),
        shows=np.reshape(shows, (-1, 2, n_classes)),
        values=np.reshape(sums, (-1, len(pairs), 2)),
    )


@dataclass(frozen=True, eq=False)
class Squares(FrozenArrays):
    """Sums of squared weights, which give the effective size of importance weights."""

    weight: Floats
    """Sum of w^2 in each class, shape (l,)."""
    values: Floats
    """Sums of w^2 x and w^2 x^2 of each outcome x in each class, (n_values, 2, l)."""
    samples: Floats
    """Number of samples with a weight above 0, shape (l,)."""

    def of_value(self, number: int, sign: float) -> Squares:
        """Return the sums of one outcome, or of the negated one."""
        values = self.values[number : number + 1] * [[sign], [1.0]]
        return replace(self, values=values)

    def reindex(self, place: Indices, n_classes: int) -> Squares:
        """Put the classes at other places; those at -1 are left out."""
        return Squares(
            _reorder_classes(self.weight, place, n_classes),
            _reorder_classes(self.values, place, n_classes),
            _reorder_classes(self.samples, place, n_classes),
        )

    def __add__(self, other: Squares) -> Squares:
        return Squares(
            self.weight + other.weight,
            self.values + other.values,
            self.samples + other.samples,
        )


@dataclass(frozen=True, eq=False)
class SampleDesign(FrozenArrays):
    """How samples depend on one another, and what their weights are, as sums that add.

    Without groups, or without importance weights, their sums are None, but not both.
    """

    by_class: GroupSums | None
    """Sums over groups of each class."""
    together: GroupSums | None
    """Sums over groups of all classes as one."""
    squares: Squares | None
    """Sums of the squares of importance weights."""

    @property
    def is_plain(self) -> bool:
        """Whether all samples are independent cases: each of them is a group."""
        if self.squares is not None or self.together is None:
            return False
        return np.array_equal(*self.together.sizes[:, :2].T)

    @property
    def n_groups(self) -> float:
        """Number of groups; 0 if none were given."""
        return 0.0 if self.together is None else float(self.together.groups[0])

    def __str__(self) -> str:
        parts = []
        if self.together is not None:
            parts.append(f"n_groups={self.n_groups:.0f}")
        if self.squares is not None:
            parts.append("weight_type='importance'")
        return ", ".join(parts)

    def of_value(self, number: int, sign: float = 1) -> SampleDesign:
        """Return the sums of one averaged outcome, or of the negated one."""
        return SampleDesign(
            self.by_class and self.by_class.of_value(number, sign),
            self.together and self.together.of_value(number, sign),
            self.squares and self.squares.of_value(number, sign),
        )

    def as_one_class(self) -> SampleDesign:
        """Return the sums of all classes as one."""
        squares = self.squares and Squares(
            self.squares.weight.sum(keepdims=True),
            self.squares.values.sum(axis=2, keepdims=True),
            self.squares.samples.sum(keepdims=True),
        )
        return SampleDesign(self.together, self.together, squares)

    def reindex(self, place: Indices, n_classes: int) -> SampleDesign:
        """Put the classes at other places; those at -1 are left out.

        Raises
        ------
        ValueError
            If a class that is left out has groups in common with another.
        """
        squares = self.squares and self.squares.reindex(place, n_classes)
        if self.by_class is None or self.together is None:
            return SampleDesign(None, None, squares)
        by_class = self.by_class.reindex(place, n_classes)
        together = _without(self.by_class, self.together, place < 0)
        return SampleDesign(by_class, together, squares)

    def to_fields(self) -> dict[str, Any]:
        """Return plain dicts and lists."""
        return {
            name: {key: getattr(sums, key).tolist() for key in axes}
            for name, axes in _DESIGN_AXES.items()
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
        _check_keys(fields, _DESIGN_AXES, optional=True)
        if ("by_class" in fields) != ("together" in fields) or not fields:
            raise ValueError(
                "'design' must have 'by_class' and 'together', or 'squares'"
            )

        parts: dict[str, Any] = dict.fromkeys(_DESIGN_AXES)
        for name, part in fields.items():
            lengths = {"l": 1 if name == "together" else n_classes, "v": n_values}
            arrays = _read_arrays(part, _DESIGN_AXES[name], lengths)
            parts[name] = Squares(**arrays) if name == "squares" else _read_sums(arrays)
        return cls(**parts)


def merge_designs(
    first: SampleDesign | None,
    second: SampleDesign | None,
    has_samples: tuple[bool, bool],
) -> SampleDesign | None:
    """Return the design of counts that are added; counts without samples fit any.

    Raises
    ------
    ValueError
        If one of them has groups or importance weights, and the other has not.
    """
    if first is None or second is None:
        present = first or second
        if present and has_samples[0 if first is None else 1]:
            raise ValueError(_UNLIKE)
        return present

    parts = []
    for name in _DESIGN_AXES:
        one = getattr(first, name)
        two = getattr(second, name)
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
    """Return the sums over samples, None if they are independent cases.

    Parameters
    ----------
    class_index : ndarray of int of shape (n_samples,)
    n_classes : int
    group : ndarray of int of shape (n_samples,) or None
        Number of the group of each sample, from 0 to less than the number of groups.
    weight : ndarray of shape (n_samples,) or None
        Non-negative weights; None for 1 each.
    values : sequence of SampleValues
    is_importance : bool
        Whether the weights are importance weights.
    """
    if weight is None:
        weight = np.ones(len(class_index))
    squares = None
    if is_importance:
        square = weight**2
        sums = [
            sum_by(class_index, square * one.value**power, n_classes)
            for one in values
            for power in (1, 2)
        ]
        squares = Squares(
            weight=sum_by(class_index, square, n_classes),
            values=np.reshape(sums, (-1, 2, n_classes)),
            samples=sum_by(class_index, weight > 0, n_classes),
        )
    if group is None:
        return None if squares is None else SampleDesign(None, None, squares)

    if not weight.all():
        has_weight = weight > 0
        values = [
            SampleValues(value[has_weight], (first[has_weight], second[has_weight]))
            for value, (first, second) in values
        ]
        class_index = class_index[has_weight]
        group = group[has_weight]
        weight = weight[has_weight]

    add_up = partial(
        sum_over_groups,
        group,
        weight=weight,
        values=values,
        is_importance=is_importance,
    )
    return SampleDesign(
        by_class=add_up(class_index, n_classes),
        together=add_up(np.zeros_like(class_index), 1),
        squares=squares,
    )


def _without(by_class: GroupSums, together: GroupSums, is_dropped: Bools) -> GroupSums:
    """Return the sums of all classes as one, without classes that share no group."""
    dropped = is_dropped & (by_class.groups > 0)
    if not dropped.any():
        return together
    first, second = by_class.pairs.T
    if np.any((first != second) & (dropped[first] | dropped[second])):
        raise ValueError(
            "classes cannot be left out of counts whose groups have samples of "
            "several classes; give labels where the samples are counted"
        )

    sizes, values = by_class.diagonal()
    largest = together.largest
    if not by_class.crosses:
        largest = by_class.largest[~dropped].max(keepdims=True, initial=0.0)
    return replace(
        together,
        groups=together.groups - by_class.groups[dropped].sum(),
        largest=largest,
        spread=together.spread - by_class.spread[dropped].sum(),
        sizes=together.sizes - sizes[:, dropped].sum(axis=1),
        shows=together.shows - by_class.shows[:, :, dropped].sum(axis=2, keepdims=True),
        values=together.values - values[:, :, dropped].sum(axis=2)[:, np.newaxis],
    )


def _check_keys(fields: Any, keys: Iterable[str], *, optional: bool = False) -> None:
    """Raise unless `fields` is a dict with these keys, or some of them if optional."""
    if not isinstance(fields, Mapping):
        raise ValueError(f"'design' must hold JSON objects, got {shown(fields)}")
    if not set(fields) <= set(keys) or (not optional and set(fields) != set(keys)):
        raise ValueError(
            f"'design' must have the keys {list(keys)}, got {list(fields)}"
        )


def _read_arrays(
    fields: Any, axes: dict[str, str], lengths: dict[str, int]
) -> dict[str, Floats]:
    """Return arrays of finite numbers with these axes, p of the length of the pairs."""
    _check_keys(fields, axes)
    if "pairs" in axes:
        lengths["p"] = len(fields["pairs"]) if isinstance(fields["pairs"], list) else -1

    arrays = {}
    for key, letters in axes.items():
        shape = tuple(int(lengths.get(letter, letter)) for letter in letters)
        array = float_array(fields[key], f"'{key}'")
        if not array.size and 0 in shape:
            array = array.reshape(shape)
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"'{key}' must hold finite numbers in the shape {shape}")
        arrays[key] = array
    return arrays


def _read_sums(arrays: dict[str, Floats]) -> GroupSums:
    """Return the sums in these arrays; raise if pairs or sizes are impossible."""
    pairs = arrays["pairs"]
    n_classes = len(arrays["groups"])
    codes = pairs @ [n_classes, 1]
    mirrored = np.sort(pairs @ [1, n_classes])
    inside = (pairs % 1 == 0) & (pairs >= 0) & (pairs < n_classes)
    if not inside.all() or np.any(np.diff(codes) <= 0) or np.any(mirrored != codes):
        raise ValueError(
            f"'pairs' must hold pairs of integers from 0 to {n_classes - 1}, in "
            "increasing order, and each of them also the other way round"
        )

    if np.any(arrays["sizes"] <= 0):
        raise ValueError("'sizes' must be positive")
    sums: dict[str, Any] = {**arrays, "pairs": pairs.astype(np.intp)}
    return GroupSums(**sums)
