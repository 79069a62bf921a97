"""Comparison of two systems by the verdicts of a judge, some of which were validated.

An item has one of four patterns of verdicts on both systems: both right, only the
first, only the second, neither; and one of the same patterns of the truth. All items
tell how frequent the patterns of verdicts are, and gold items, of which both outcomes
are known, how frequent those of the truth are among the items of each. The Dirichlet
prior of the 16 cells has the prior of a pair for the truth; given that, the verdicts on
either system have the shares that `VERDICT_PRIOR` has for one. So if all items are
gold, the result is that of `compare_outcomes` without verdicts.

Shares of cells are Gamma variables over their sum. With groups, all items of a group
have one random weight, an exponential variable, as in the Bayesian bootstrap (Rubin,
Annals of Statistics 9, 1981); the weights of n groups that have the same items
add up to a Gamma variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, float_array, input_errors
from skpostbac.metrics._labels import NO_LABELS, is_missing, read_outcomes
from skpostbac.metrics._paired_counts import by_argument
from skpostbac.metrics._posterior import ScalarPosterior
from skpostbac.metrics._prior import PriorLike, make_prior
from skpostbac.metrics._validated_prevalence import VERDICT_PRIOR, check_gold
from skpostbac.model_selection._joint import ScoresJoint
from skpostbac.stats._distribution import DrawnDistribution

# Which systems are right: both, only the first, only the second, neither.
_PATTERNS = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
# Random weights in a block.
_BLOCK = 2**22
# A cell has the number 5 v + t of the patterns of verdicts and truth; t is 4 if the
# truth is unknown.
_CELLS = (4, 5)


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorJudgedAccuracy(ScalarPosterior):
    """Posterior of an accuracy by a judge, of whose verdicts some were validated.

    Made by :func:`~skpostbac.compare_outcomes` with `verdicts`.
    """

    _drawn: DrawnDistribution

    score_name = "Accuracy"
    _unit = "item"

    @property
    def distribution(self) -> DrawnDistribution:
        """Random draws of the accuracy."""
        return self._drawn

    def __repr__(self) -> str:
        return f"PosteriorJudgedAccuracy({self._summary()})"


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedJoint(ScoresJoint):
    """Accuracies of two systems on the same judged items, by joint draws."""

    n_gold: int
    judge_worth: float
    """Items with known outcomes that verdicts are worth, if there are no groups."""

    @property
    def explanation(self) -> str:
        """Text on what was compared."""
        compared = (
            "Paired comparison: a judge rated both systems on the same "
            f"{self.n_samples:g} items"
        )
        if self.n_groups:
            groups = f" from {self.n_groups} groups"
            return f"{compared}{groups}, and the outcomes of {self.n_gold} are known."
        return (
            f"{compared}, and the outcomes of {self.n_gold} are known. By these, the "
            f"judge was worth about {self.judge_worth:.0f} more such items for the "
            "difference."
        )


def judged_joint(
    outcomes: Mapping[str, ArrayLike],
    verdicts: Mapping[str, ArrayLike],
    groups: ArrayLike | None,
    prior: PriorLike,
    n_draws: int,
    seed: int,
) -> JudgedJoint:
    """Return the joint distribution of the accuracies of two systems."""
    if len(outcomes) != 2 or set(outcomes) != set(verdicts):
        raise ValueError(
            "verdicts and outcomes must be of the same two systems, got "
            f"{list(verdicts)} and {list(outcomes)}"
        )
    rated = by_argument(verdicts, outcomes, "verdicts")
    judged = read_outcomes(NO_LABELS, rated, None, None, groups)
    given = by_argument(outcomes, outcomes, "outcomes")
    n_items = int(judged.n_samples)
    values = np.stack([_read_known(one, name, n_items) for name, one in given.items()])
    is_known = ~np.isnan(values)
    is_gold = np.logical_and(*is_known)
    for name, alone in zip(given, is_known & ~is_gold, strict=True):
        if alone.any():
            raise ValueError(
                f"{name} has {alone.sum()} that are known where the other's are "
                "unknown: label the same items for both systems, and use NaN for both "
                "elsewhere"
            )
    _, called_right, _ = judged.read()
    pattern = 3 - np.array([2, 1]) @ called_right
    n_judged = np.bincount(pattern, minlength=4)
    n_gold = np.bincount(pattern[is_gold], minlength=4)
    names = [f"{dict(zip(outcomes, row, strict=True))}" for row in _PATTERNS.tolist()]
    check_gold(n_judged, n_gold, "with the verdicts", names)

    known = dict(zip(given, values[:, is_gold], strict=True))
    _, right, _ = read_outcomes(NO_LABELS, known, None).read()
    cell = 5 * pattern + 4
    cell[is_gold] -= 1 + np.array([2, 1]) @ right
    group = np.arange(cell.size)
    if judged.groups is not None:
        group = judged.groups(slice(None))
    n_groups = int(group.max()) + 1
    table = np.bincount(20 * group + cell, minlength=20 * n_groups).reshape(-1, 20)
    rows, repeats = np.unique(table, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    n_blocks = 1 + n_draws * len(rows) // _BLOCK
    sizes = np.diff(np.linspace(0, n_draws, n_blocks + 1).astype(np.intp))
    blocks = [rng.standard_gamma(repeats, (n, len(rows))) @ rows for n in sizes]
    masses = np.concatenate(blocks).reshape(-1, *_CELLS)
    likely = VERDICT_PRIOR[_PATTERNS, _PATTERNS[:, np.newaxis]].prod(axis=2)
    prior_cells = make_prior(prior, 1)._pair_prior(np.ones(1))
    cells = likely * prior_cells
    masses[..., :4] += rng.standard_gamma(cells, (n_draws, 4, 4))

    gold = masses[..., :4]
    total = np.maximum(gold.sum(axis=2, keepdims=True), np.finfo(float).tiny)
    judged_share = masses.sum(axis=2) / masses.sum(axis=(1, 2))[:, np.newaxis]
    truth = np.einsum("nv,nvt->tn", judged_share, gold / total)
    draws = _PATTERNS.T @ truth
    # By known outcomes alone, the difference has the variance (d - mean^2) / (size + 1)
    # if only one system is right on a share d.
    difference = draws[0] - draws[1]
    spread = truth[1:3].sum(axis=0).mean() - difference.mean() ** 2
    size = spread / difference.var() - 1 - prior_cells.sum()
    distributions = map(DrawnDistribution, draws)
    return JudgedJoint(
        posteriors=tuple(map(PosteriorJudgedAccuracy, distributions)),
        n_draws=n_draws,
        seed=seed,
        draws=draws,
        n_samples=float(cell.size),
        n_groups=0 if groups is None else n_groups,
        n_gold=int(n_gold.sum()),
        judge_worth=min(max(float(size), n_gold.sum()), cell.size) - n_gold.sum(),
    )


def _read_known(outcomes: ArrayLike, name: str, n_items: int) -> Floats:
    """Return outcomes as numbers, with NaN for None and for pandas.NA."""
    with input_errors(name):
        array = np.asarray(outcomes)
    if array.dtype.kind == "O":
        is_unknown = np.vectorize(is_missing, otypes=[bool])(array)
        outcomes = np.where(is_unknown, np.nan, array)
    values = float_array(outcomes, name)
    if values.size != n_items:
        raise ValueError(
            f"{name} must have all {n_items} items of verdicts, with NaN where the "
            f"outcome is unknown, got {values.size}"
        )
    return values
