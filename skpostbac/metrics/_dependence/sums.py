r"""Sums over groups of samples: what a design effect needs, and what adds over disjoint groups.

Class i has :math:`n_{ig}` samples in group g, and :math:`k_{ig}` is the sum of a figure over them:
1 for a correct prediction, or 1 and -1 where only one of two classifiers is right. A design effect
needs, for classes i and j that share a group,

.. math::

    \sum_g n_{ig} n_{jg}, \quad \sum_g \sqrt{n_{ig} n_{jg}}, \quad
    \sum_g n_{ig} \sqrt{n_{ig} n_{jg}}, \quad \sum_g k_{ig} \sqrt{n_{jg} / n_{ig}}, \quad
    \sum_g k_{ig} k_{jg} / \sqrt{n_{ig} n_{jg}}.

With i = j these are the sums of :math:`n_{ig}^2`, :math:`n_{ig}`, :math:`n_{ig}^2`,
:math:`k_{ig}` and :math:`k_{ig}^2 / n_{ig}`. What involves the mean of a class, such as the sum of
:math:`(k_{ig} - n_{ig} p_i)^2 / n_{ig}`, is expanded in them, so that it is known only at the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from skpostbac._utils import Bools, Floats, FrozenArrays, Indices


class Figure(NamedTuple):
    """Outcome that is averaged over the samples: 0 or 1, or the difference of two outcomes."""

    value: Floats
    """Of each sample."""
    shows: tuple[Bools, Bools]
    """Whether a sample speaks against one and the same outcome of all: an error, and a hit."""


def hit_figure(hits: Bools) -> Figure:
    """Return what tells whether a classifier is right."""
    return Figure(hits.astype(np.float64), (~hits, hits))


def difference_figure(first: Bools, second: Bools) -> Figure:
    """Return what tells whether only the second or only the first of two classifiers is right."""
    differ = first != second
    return Figure(second.astype(np.float64) - first, (differ, differ))


@dataclass(frozen=True, eq=False)
class GroupSums(FrozenArrays):
    """Sums over the groups of l classes, for each of several figures."""

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
    """Groups with an error, and with a hit, of each figure and class, shape (figures, 2, l)."""
    values: Floats
    """The last two sums above of each figure and pair, shape (figures, n, 2)."""

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.groups)

    @property
    def crosses(self) -> bool:
        """Whether a group has samples of several classes."""
        return bool(len(self.pairs) > np.count_nonzero(self.groups))

    def figure(self, number: int) -> GroupSums:
        """Return the sums of one figure alone."""
        chosen = slice(number, number + 1)
        return self._with(shows=self.shows[chosen], values=self.values[chosen])

    def mirrored(self) -> GroupSums:
        """Return the sums of the negated figures."""
        return self._with(values=self.values * np.array([-1.0, 1.0]))

    def reindex(self, place: Indices, n_classes: int) -> GroupSums:
        """Move the classes to other places; those at -1 are left out."""
        kept, to = place >= 0, place[place >= 0]
        # What is new has no groups.
        sums = np.zeros((3, n_classes))
        sums[:, to] = np.stack([self.groups, self.largest, self.spread])[:, kept]
        shows = np.zeros((*self.shows.shape[:2], n_classes))
        shows[:, :, to] = self.shows[:, :, kept]
        pairs = place[self.pairs]
        stay = (pairs >= 0).all(axis=1)
        order = np.flatnonzero(stay)[np.lexsort(pairs[stay].T[::-1])]
        groups, largest, spread = sums
        return GroupSums(
            groups,
            largest,
            spread,
            pairs[order],
            self.sizes[order],
            shows,
            self.values[:, order],
        )

    def __add__(self, other: GroupSums) -> GroupSums:
        """Return the sums over both, which have the same classes and figures and no group twice."""
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
            np.stack(np.divmod(distinct, max(self.n_classes, 1)), axis=1),
            sizes,
            self.shows + other.shows,
            values,
        )

    @property
    def _key(self) -> Indices:
        """Number of each pair, in increasing order."""
        first, second = self.pairs.T
        return np.asarray(first * self.n_classes + second)

    def diagonal(self) -> tuple[Floats, Floats]:
        """Return sizes and values of each class with itself, (3, l) and (figures, 2, l)."""
        same = self.pairs[:, 0] == self.pairs[:, 1]
        place = self.pairs[same, 0]
        sizes = np.zeros((self.sizes.shape[1], self.n_classes))
        values = np.zeros((len(self.values), self.values.shape[2], self.n_classes))
        sizes[:, place] = self.sizes[same].T
        values[:, :, place] = self.values[:, same].transpose(0, 2, 1)
        return sizes, values

    def across(self) -> tuple[Indices, Indices]:
        """Return the rows of pairs i < j, and those of the same classes as j, i."""
        upper = np.flatnonzero(self.pairs[:, 0] < self.pairs[:, 1])
        first, second = self.pairs[upper].T
        return upper, np.searchsorted(self._key, second * self.n_classes + first)

    def _with(self, **changed: Any) -> GroupSums:
        return GroupSums(**{**vars(self), **changed})


def sum_over_groups(
    group: Indices,
    class_index: Indices,
    n_classes: int,
    weight: Floats | None,
    figures: Iterable[Figure],
    *,
    is_importance: bool = False,
) -> GroupSums:
    """Add up the samples of each class in each group, and what a design effect needs of them.

    Parameters
    ----------
    group, class_index : ndarray of int of shape (n_samples,)
        Numbers of the group and of the class of each sample.
    n_classes : int
    weight : ndarray of shape (n_samples,) or None
        Positive weights, None for 1 each.
    figures : iterable of Figure
    is_importance : bool, default=False
        Whether a weight is that of one sample, and not a number of samples.
    """
    cells = _Cells.of(group, class_index, n_classes)
    size = cells.add(np.ones(len(group)) if weight is None else weight)
    unit = cells.add(weight**2) / size if is_importance and weight is not None else 1.0
    by_class = cells.of_class
    largest = np.zeros(n_classes)
    np.maximum.at(largest, by_class, size)
    root = np.sqrt(size)
    pairs, products = cells.pair_up(root, size)
    shows, values = [], []
    for figure in figures:
        value = figure.value if weight is None else figure.value * weight
        scaled = cells.add(value) / root
        values.append(np.stack([products(scaled, root), products(scaled, scaled)], axis=1))
        shows.append([cells.tally(cells.add(show.astype(float)) > 0) for show in figure.shows])
    return GroupSums(
        cells.tally(size > 0),
        largest,
        np.bincount(by_class, np.broadcast_to(unit, size.shape), n_classes).astype(np.float64),
        pairs,
        np.stack([products(size, size), products(root, root), products(size * root, root)], axis=1),
        np.array(shows, dtype=float).reshape(-1, 2, n_classes),
        np.array(values, dtype=float).reshape(-1, len(pairs), 2),
    )


class _Cells(NamedTuple):
    """The samples of one class in one group each."""

    number: Indices
    """Of the cell of each sample."""
    of_group: Indices
    of_class: Indices
    n_classes: int

    @classmethod
    def of(cls, group: Indices, class_index: Indices, n_classes: int) -> _Cells:
        key, number = np.unique(group * n_classes + class_index, return_inverse=True)
        of_group, of_class = np.divmod(key, max(n_classes, 1))
        return cls(number, np.unique(of_group, return_inverse=True)[1], of_class, n_classes)

    def add(self, values: Floats) -> Floats:
        """Add up values of samples in each cell."""
        return np.asarray(np.bincount(self.number, values, len(self.of_class)), np.float64)

    def tally(self, which: Bools) -> Floats:
        """Count cells of each class."""
        return np.bincount(self.of_class[which], minlength=self.n_classes).astype(np.float64)

    def pair_up(self, root: Floats, size: Floats) -> tuple[Indices, Any]:
        """Return the pairs of classes that share a group, and what adds products over groups."""
        shape = (int(self.of_group.max(initial=-1)) + 1, self.n_classes)

        def table(values: Floats) -> Any:
            return sparse.coo_array((values, (self.of_group, self.of_class)), shape).tocsr()

        def keyed(left: Floats, right: Floats) -> tuple[Indices, Floats]:
            found = (table(left).T @ table(right)).tocoo()
            first, second = (axis.astype(np.intp) for axis in found.coords)
            return first * self.n_classes + second, found.data

        # Sizes are positive, so that no product of theirs is lost as a zero.
        key = np.sort(keyed(size, size)[0])

        def products(left: Floats, right: Floats) -> Floats:
            found, values = keyed(left, right)
            sums = np.zeros(len(key))
            sums[np.searchsorted(key, found)] = values
            return sums

        return np.stack(np.divmod(key, max(self.n_classes, 1)), axis=1), products
