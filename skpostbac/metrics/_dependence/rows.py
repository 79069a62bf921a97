"""Rows of dependent or weighted samples, from which design effects are computed.

The rows are stored with the counts. Whatever a design effect needs, such as the number
of samples of a class in a group and how many of them are right, is a sum over rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np

from skpostbac._utils import (
    Bools,
    Floats,
    FrozenArrays,
    Indices,
    check_nonnegative,
    float_array,
    shown,
)

# The keys of a design in JSON, and the types of their values.
_COLUMNS = {
    "has_groups": bool,
    "is_importance": bool,
    "group": int,
    "class_index": int,
    "hits": bool,
    "sums": float,
}


def sum_by(index: Indices, values: Floats | Bools | None, size: int) -> Floats:
    """Add up the values at each index below `size`; None counts them.

    Examples
    --------
    >>> sum_by(np.array([0, 2, 0]), np.array([0.5, 1.0, 2.0]), 4)
    array([2.5, 0. , 1. , 0. ])
    """
    return np.bincount(index, values, size).astype(np.float64)


class Cells(NamedTuple):
    """Cells of the table of groups and classes that have samples."""

    of_row: Indices
    """Cell of each row, shape (n_rows,)."""
    group: Indices
    """Group of each cell, shape (n_cells,)."""
    class_index: Indices
    """Class of each cell, shape (n_cells,)."""
    n_classes: int

    def sum(self, values: Floats | Bools) -> Floats:
        """Add up the values of the rows of each cell."""
        return sum_by(self.of_row, values, len(self.group))

    def by_class(self, values: Floats | Bools | None) -> Floats:
        """Add up the values of the cells of each class; None counts them."""
        return sum_by(self.class_index, values, self.n_classes)


@dataclass(frozen=True, eq=False)
class SampleDesign(FrozenArrays):
    """Rows of samples of the same group and class with the same classifiers right.

    Counts keep one row for each such combination that occurs, so no more rows than
    samples. A row takes 40 bytes, and one more for each classifier.
    """

    group: Indices
    """Number of the group of each row, from 0; all are 0 without groups."""
    class_index: Indices
    """Class of each row."""
    hits: Bools
    """Whether each classifier is right, shape (n_classifiers, n_rows)."""
    sums: Floats
    """Number of samples, and sums of their weights w and of w^2, shape (3, n_rows).

    A case count w is w samples of weight 1, so that all three are w.
    """
    n_classes: int
    has_groups: bool
    is_importance: bool
    """Whether the weights are importance weights."""

    @classmethod
    def of_samples(
        cls,
        class_index: Indices,
        n_classes: int,
        group: Indices | None,
        weight: Floats | None,
        hits: Sequence[Bools],
        *,
        is_importance: bool,
    ) -> SampleDesign:
        """Return one row for each sample.

        Parameters
        ----------
        class_index : ndarray of int of shape (n_samples,)
            Class of each sample; `merged` leaves out those with -1.
        n_classes : int
        group : ndarray of int of shape (n_samples,) or None
            Number of the group of each sample, from 0 to less than the number of
            groups.
        weight : ndarray of shape (n_samples,) or None
            Non-negative weights; None for 1 each.
        hits : sequence of ndarray of bool of shape (n_samples,)
            Whether each classifier is right.
        is_importance : bool
            Whether the weights are importance weights.
        """
        if weight is None:
            weight = np.ones(len(class_index))
        cases = [weight, weight, weight]
        return cls(
            group=np.zeros_like(class_index) if group is None else group,
            class_index=class_index,
            hits=np.reshape(hits, (len(hits), len(class_index))),
            sums=np.stack([weight > 0, weight, weight**2] if is_importance else cases),
            n_classes=n_classes,
            has_groups=group is not None,
            is_importance=is_importance,
        )

    @cached_property
    def n_groups(self) -> float:
        """Number of groups; 0 if none were given."""
        return float(len(np.unique(self.group))) if self.has_groups else 0.0

    @property
    def is_plain(self) -> bool:
        """Whether all samples are independent cases: each of them is a group."""
        sizes = np.bincount(self.group, self.sums[0])
        return self.has_groups and not self.is_importance and bool((sizes == 1).all())

    def __str__(self) -> str:
        parts = []
        if self.has_groups:
            parts.append(f"n_groups={self.n_groups:.0f}")
        if self.is_importance:
            parts.append("weight_type='importance'")
        return ", ".join(parts)

    @property
    def n_samples(self) -> Floats:
        """Number of samples of each class, without their weights."""
        return self.by_class(self.sums[0])

    def by_class(self, values: Floats) -> Floats:
        """Add up the values of the rows of each class, shape (n_classes,)."""
        return sum_by(self.class_index, values, self.n_classes)

    @cached_property
    def cells(self) -> Cells:
        """Return the cells of groups and classes, in increasing order."""
        codes, of_row = np.unique(
            self.group * self.n_classes + self.class_index, return_inverse=True
        )
        return Cells(of_row, *np.divmod(codes, self.n_classes), self.n_classes)

    def merged(self) -> SampleDesign:
        """Return one row for each group, class and pattern, in increasing order.

        Rows without weight or class are left out.
        """
        kept = self._at((self.sums[1] > 0) & (self.class_index >= 0))
        keys = np.vstack([kept.group, kept.class_index, kept.hits])
        order = np.lexsort(keys[::-1])
        starts = np.flatnonzero(np.diff(keys[:, order], prepend=-1).any(axis=0))
        rows = kept._at(order[starts])
        return replace(
            rows,
            group=np.unique(rows.group, return_inverse=True)[1],
            sums=np.add.reduceat(kept.sums[:, order], starts, axis=1),
        )

    def _at(self, rows: Indices | Bools) -> SampleDesign:
        """Return some of the rows."""
        return replace(
            self,
            group=self.group[rows],
            class_index=self.class_index[rows],
            hits=self.hits[:, rows],
            sums=self.sums[:, rows],
        )

    def of_classifier(self, position: int) -> SampleDesign:
        """Return the rows of one classifier alone."""
        return replace(self, hits=self.hits[[position]]).merged()

    def reindex(self, place: Indices, n_classes: int) -> SampleDesign:
        """Put the classes at other places; those at -1 are left out."""
        if np.array_equal(place, np.arange(n_classes)):
            return self
        moved = replace(self, class_index=place[self.class_index], n_classes=n_classes)
        return moved.merged()

    def as_one_class(self) -> SampleDesign:
        """Return the rows of all classes as one."""
        return self.reindex(np.zeros(self.n_classes, dtype=np.intp), 1)

    def plus(self, other: SampleDesign) -> SampleDesign:
        """Return the rows of both, which have no group in common."""
        n_before = self.group.max(initial=-1) + 1 if self.has_groups else 0
        both = replace(
            self,
            group=np.append(self.group, n_before + other.group),
            class_index=np.append(self.class_index, other.class_index),
            hits=np.append(self.hits, other.hits, axis=1),
            sums=np.append(self.sums, other.sums, axis=1),
        )
        return both if self.has_groups else both.merged()

    def to_columns(self) -> dict[str, Any]:
        """Return the rows as plain lists, one or more for each column."""
        return {key: np.asarray(getattr(self, key)).tolist() for key in _COLUMNS}

    @classmethod
    def of_columns(
        cls, columns: Any, n_classifiers: int, total: Floats
    ) -> SampleDesign:
        """Return the rows that :meth:`to_columns` wrote.

        Parameters
        ----------
        columns : dict
        n_classifiers : int
        total : ndarray of shape (n_classes,)
            Number of samples of each class, which the rows must add up to.

        Raises
        ------
        ValueError
            If they are not such rows, or do not add up.
        """
        if not isinstance(columns, dict) or columns.keys() != _COLUMNS.keys():
            raise ValueError(
                f"'design' must be an object with the keys {list(_COLUMNS)}, "
                f"got {shown(columns)}"
            )

        n = np.size(columns["group"])
        shapes = [(), (), (n,), (n,), (n_classifiers, n), (3, n)]
        read: dict[str, Any] = {}
        for (key, kind), shape in zip(_COLUMNS.items(), shapes, strict=True):
            name = f"'{key}'"
            numbers = float_array(columns[key], name)
            check_nonnegative(numbers, name)
            with np.errstate(invalid="ignore"):
                read[key] = numbers.astype(kind)[()]
            if numbers.shape != shape or np.any(read[key] != numbers):
                raise ValueError(f"{name} must be {kind.__name__} of shape {shape}")

        rows = cls(**read, n_classes=len(total))
        is_class = rows.class_index < len(total)
        if not is_class.all() or not np.allclose(
            rows.by_class(rows.sums[1]), total, rtol=1e-9, atol=0
        ):
            raise ValueError("'design' must add up to the samples of each class")
        return rows.merged()


def merge_designs(designs: Sequence[SampleDesign | None]) -> SampleDesign | None:
    """Return the rows of counts that are added, which have no group in common.

    Raises
    ------
    ValueError
        If some of them have groups or importance weights, and others have not.
    """
    kinds = {one and (one.has_groups, one.is_importance) for one in designs}
    if len(kinds) > 1:
        raise ValueError(
            "Counts can be added only if all of them were made with groups, and all "
            "with weight_type='importance', or none"
        )
    present = [one for one in designs if one is not None]
    return reduce(SampleDesign.plus, present) if present else None
