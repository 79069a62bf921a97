"""A comparison as labelled columns, which data frames take."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from skpostbac._utils import Floats, check_choice, check_level, progress
from skpostbac.stats._distribution import figures_of

if TYPE_CHECKING:
    from skpostbac.model_selection._comparison.comparison import PosteriorComparison

KINDS = ("prob_greater", "rank_probabilities", "differences")


def make_table(comparison: PosteriorComparison, kind: str, level: float) -> dict[str, Any]:
    """Return a matrix with the names of its rows and columns, or all pairs."""
    check_choice(kind, KINDS, "kind")
    check_level(level)
    names = comparison.names
    if kind == "prob_greater":
        return _labelled(names, names, comparison.prob_greater())
    if kind == "rank_probabilities":
        ranks = tuple(f"rank {rank}" for rank in range(1, len(names) + 1))
        return _labelled(names, ranks, comparison.rank_probabilities())
    pairs = list(combinations(comparison.ranking(), 2))
    described = (_pair(comparison, *pair, level) for pair in pairs)
    rows = list(progress(described, len(pairs), "describing differences"))
    return {key: [row[key] for row in rows] for key in rows[0]}


def _labelled(rows: tuple[str, ...], columns: tuple[str, ...], matrix: Floats) -> dict[str, Any]:
    """Return the columns of a matrix by their names, after that of the names of its rows."""
    if "name" in columns:
        raise ValueError("names must not contain 'name', the name of the first column")
    return {"name": list(rows), **dict(zip(columns, matrix.T.tolist(), strict=True))}


def _pair(
    comparison: PosteriorComparison, first: str, second: str, level: float
) -> dict[str, str | float]:
    distribution = comparison.difference(first, second)
    return {
        "first": first,
        "second": second,
        **figures_of(distribution, level),
        "prob_greater": float(distribution.ccdf(0.0)),
        **comparison.rope_masses(first, second)._asdict(),
    }
