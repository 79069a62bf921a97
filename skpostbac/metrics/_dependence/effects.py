r"""Design effects of groups and importance weights, by which counts are divided.

**Groups.** Class i has :math:`n_i` samples in :math:`G_i` groups, :math:`n_{ig}` in
group g, and an averaged outcome x of mean :math:`p_i`: the share of correct
predictions, or the difference of two. With :math:`e_{ig} = k_{ig} - n_{ig} p_i` for the
sums :math:`k_{ig}` of x,

.. math::

    m_i = \sum_g n_{ig}^2 / n_i, \quad A_i = \sum_g e_{ig}^2 / n_{ig}, \quad
    Q_i = \sum (x - p_i)^2, \quad B_i = n_i - m_i - G_i + 1.

If all pairs of samples of a group have the correlation :math:`\rho`, then :math:`E A_i
\propto (G_i - 1) + \rho B_i` and :math:`E Q_i \propto (n_i - 1) - \rho (m_i - 1)`, so
that :math:`\rho` is the ratio of :math:`(n_i - 1) A_i - (G_i - 1) Q_i` and :math:`B_i
Q_i + (m_i - 1) A_i` (the analysis of variance; Ridout, Demetrio and Firth, Biometrics
55, 1999). Both are added up over the classes, with the weights :math:`(m_i - 1) /
(n_i^2 B_i)`. The estimate has :math:`\nu` degrees of freedom (Satterthwaite). A prior
of 0.2 counts as much as two of them, and the ratio of the quantiles of Student's t and
the normal distribution accounts for what the estimate leaves open (Korn and Graubard
1998):

.. math::

    \rho^* = \min\left(1, \frac{\nu \rho + 2 \cdot 0.2}{\nu + 2}
    (t_{\nu + 2, .975} / 1.96)^2\right), \qquad
    \mathrm{deff}_i = 1 + (m_i - 1) \rho^*.

A class without errors says nothing of a correlation, and has that of the others.
Samples in groups of one have a design effect of exactly 1.

**Importance weights** w of a class have the effective size :math:`(\sum w)^2 / \sum
w^2` (Kish 1965). Where correct samples have other weights than errors, the variance of
the weighted mean is :math:`\sum w^2 (x - p)^2 / (\sum w)^2`, and where this is the
larger one, it counts. Its shares of squares are drawn to those of the weights as by one
sample, or few errors would decide. With both, groups are taken of weights that add up
to the effective size: the same equations hold with the sum over groups of the mean
weight in place of :math:`G_i` in A, B and the numerator.

**Groups of several classes** make the recalls correlated. Their average then has the
same mean and a larger variance; its distribution is taken to be a Beta of these
moments, on [0, 1], or on [-1, 1] for a difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import ndtri, stdtrit

from skpostbac._utils import (
    Bools,
    Floats,
    FrozenArrays,
)
from skpostbac.metrics._dependence.rows import Cells, SampleDesign
from skpostbac.stats import (
    BetaAverage,
    BoundedDistribution,
    ShiftedDistribution,
)
from skpostbac.stats._beta import LARGEST, SMALLEST

# The correlation that is assumed before the data, and the degrees of freedom that it
# counts for.
PRIOR_CORRELATION = 0.2
PRIOR_FREEDOM = 2.0
# The share of it that is assumed between samples of one group in different classes.
PRIOR_SHARE_ACROSS = 0.25
# The mean of a class is fitted to its outcomes, which leaves this share of their
# variance, or more.
_LEAST_RESIDUAL_SHARE = 0.2
# Below this share of what they are made of, differences are rounding errors.
_EQUAL = 1e-12
# Largest variance of a matched Beta distribution, as a share of that of a Bernoulli
# variable of the same mean.
_MOST_VARIANCE = 0.9


class RowValues(NamedTuple):
    """Outcome averaged over the samples: 0 or 1, or the difference of two outcomes."""

    value: Floats
    """Outcome of the samples of each row."""
    shows: tuple[Bools, Bools]
    """Whether they show that not all are hits, and that not all are errors."""


@dataclass(frozen=True, eq=False)
class DesignEffects(FrozenArrays):
    """Design effects and effective sizes of the samples of each class.

    Returned by functions; its fields are not checked. Available as `design_effects` of
    counts with groups or importance weights, and of their posteriors.

    Attributes
    ----------
    design_effect : ndarray of shape (n_classes,)
        Design effect of the groups in each class; 1 without groups.
    divisor : ndarray of shape (n_classes,)
        Divisor of the counts, for groups and importance weights together.
    effective_size : ndarray of shape (n_classes,)
        Effective number of samples, after division.
    n_groups : float
        Number of different groups; 0 without groups.
    effective_groups : ndarray of shape (n_classes,)
        Number of equal groups with the same design effect; nan without groups.
    largest_share : ndarray of shape (n_classes,)
        Largest share of the samples of a class in one group.
    correlation : float
        Estimated correlation of two samples of a class in one group, from 0 to 1; nan
        without groups.
    correlation_used : float
        Correlation used for the design effects, which allows for its estimation error;
        at most 1.
    degrees_of_freedom : float
        Degrees of freedom of the estimated correlation; roughly the number of groups.
    correlation_across : float
        Correlation used for two samples of a group in different classes; 0 if each
        group has one class.
    crosses : bool
        Whether a group has samples of several classes.
    """

    design_effect: Floats
    divisor: Floats
    effective_size: Floats
    n_groups: float
    effective_groups: Floats
    largest_share: Floats
    correlation: float = np.nan
    correlation_used: float = np.nan
    degrees_of_freedom: float = np.nan
    correlation_across: float = 0.0
    crosses: bool = False

    @property
    def depends(self) -> Bools:
        """Whether a group has several samples of the class, for each class."""
        # A mean size of groups of 1 may be rounded.
        return self.design_effect > 1 + 1e-9


def design_effects(
    design: SampleDesign,
    values: RowValues,
    prior_cells: tuple[float | Floats, float | Floats],
) -> DesignEffects:
    """Return the design effects of one averaged outcome.

    Parameters
    ----------
    design : SampleDesign
    values : RowValues
        The outcome x of each row.
    prior_cells : tuple of two floats or arrays
        Sums of x and of x^2 over two samples that a weak prior adds, shared by the
        classes.
    """
    _, total, squares = map(design.by_class, design.sums)
    # Turns weights into effective numbers of samples.
    scale = np.divide(total, squares, out=np.ones_like(total), where=squares > 0)

    unknown = np.full(len(total), np.nan)
    groups: dict[str, Any] = {
        "design_effect": np.ones(len(total)),
        "effective_groups": unknown,
        "largest_share": unknown,
    }
    if design.has_groups:
        groups = _effects_of_groups(design, values, scale)

    divisor = groups["design_effect"] / scale
    if design.is_importance:
        divisor *= _excess_variance(design, values, total * scale, prior_cells)
    return DesignEffects(
        divisor=divisor,
        effective_size=total / divisor,
        n_groups=design.n_groups,
        **groups,
    )


def _effects_of_groups(
    design: SampleDesign, values: RowValues, scale: Floats
) -> dict[str, Any]:
    """Return the fields of `DesignEffects` that follow from groups.

    `scale` turns weights into effective numbers of samples.
    """
    _, weight, square = design.sums
    x = values.value
    of_row = design.class_index
    weight = weight * scale[of_row]
    square = square * scale[of_row] ** 2
    n = design.by_class(weight)
    seen = n > 0
    safe = np.where(seen, n, 1.0)
    deviation = x - (design.by_class(weight * x) / safe)[of_row]

    # Sums of squares within and between groups: Q and A of the module.
    cells = design.cells
    size = cells.sum(weight)
    error = cells.sum(weight * deviation)
    mean_size = np.where(seen, cells.by_class(size**2) / safe, 1.0)
    within = design.by_class(weight * deviation**2)
    between = cells.by_class(error**2 / size)

    # The analysis of variance, pooled over the classes.
    spread = cells.by_class(cells.sum(square) / size)
    residual = n - mean_size - spread + 1
    denominator = residual * within + (mean_size - 1) * between
    numerator = (n - 1) * between - (spread - 1) * within
    # If all samples are equal, rounding must not make groups differ.
    varies = within > _EQUAL**2 * design.by_class(weight * x**2)
    usable = varies & (residual > 1e-9 * n) & (mean_size > 1)
    share = np.divide(
        mean_size - 1, n**2 * residual, out=np.zeros_like(n), where=usable
    )
    pooled = share * denominator
    rho = 0.0
    if pooled.sum() > 0:
        rho = float(np.clip((share * numerator).sum() / pooled.sum(), 0.0, 1.0))

    # Degrees of freedom of a sum of estimates (Satterthwaite).
    n_groups = cells.by_class(None)
    shows = [cells.by_class(cells.sum(shown) > 0) for shown in values.shows]
    freedom = np.minimum(n_groups - 1, np.minimum(*shows))
    has_freedom = freedom > 0
    pooled = pooled[has_freedom]
    freedom = freedom[has_freedom]
    squares = (pooled**2 / freedom).sum()
    nu = 0.0
    if squares > 0:
        nu = float(min(pooled.sum() ** 2 / squares, freedom.sum()))
    nu *= design.n_groups / max(len(size), 1)

    used = _shrunken(rho, nu, PRIOR_CORRELATION)
    crosses = len(size) > design.n_groups
    across = 0.0
    if crosses:
        # The residual of one sample has this share of its variance.
        left = 1 - (1 + (mean_size - 1) * rho) / safe
        variances = within / safe / np.maximum(left, _LEAST_RESIDUAL_SHARE)
        estimate = min(_across(cells, size, error, n, np.sqrt(variances)), rho)
        prior = PRIOR_CORRELATION * PRIOR_SHARE_ACROSS
        across = max(_shrunken(estimate, nu, prior), 0.0)

    largest = np.zeros_like(n)
    np.maximum.at(largest, cells.class_index, size)
    return {
        # The mean size of groups of fractions of cases may be below 1.
        "design_effect": 1 + np.maximum(mean_size - 1, 0.0) * used,
        "effective_groups": np.where(seen, n / mean_size, np.nan),
        "largest_share": np.where(seen, largest / safe, np.nan),
        "correlation": rho,
        "correlation_used": used,
        "degrees_of_freedom": nu,
        "correlation_across": across,
        "crosses": crosses,
    }


def _shrunken(rho: float, nu: float, prior: float) -> float:
    """Shrink a correlation to the prior, and enlarge it for few degrees of freedom."""
    freedom = nu + PRIOR_FREEDOM
    quantiles = stdtrit(freedom, 0.975) / ndtri(0.975)
    shrunken = (nu * rho + PRIOR_FREEDOM * prior) / freedom * quantiles**2
    return float(min(shrunken, 1.0))


def _across(
    cells: Cells, size: Floats, error: Floats, n: Floats, deviation: Floats
) -> float:
    r"""Estimate the correlation of samples of one group in different classes.

    With :math:`f_{ig} = n_{ig} / n_i`, :math:`M_{ij} = \sum_g f_{ig} f_{jg}` and
    :math:`T_{ij} = \sum_g e_{ig} e_{jg} / \sqrt{n_{ig} n_{jg}}`, the mean of T is
    :math:`\rho_b s_i s_j E_{ij}` with :math:`E_{ij} = \sum_g \sqrt{n_{ig} n_{jg}}
    (1 - f_{ig} - f_{jg} + M_{ij})`.

    Parameters
    ----------
    cells : Cells
    size, error : ndarray of shape (n_cells,)
        :math:`n_{ig}` and :math:`e_{ig}`.
    n, deviation : ndarray of shape (n_classes,)
        :math:`n_i` and :math:`s_i`.
    """

    def products(left: Floats, right: Floats) -> Any:
        """Return the sums over groups of products of two classes, shape (l, l)."""
        one, two = (
            sparse.csr_array((values, (cells.group, cells.class_index)))
            for values in (left, right)
        )
        return one.T @ two

    share = size / n[cells.class_index]
    root = np.sqrt(size)
    overlaps = products(share, share)
    # Pairs of classes that share a group.
    i, j = sparse.triu(overlaps, 1).coords
    overlap = overlaps[i, j]
    roots = products(root, root)[i, j]
    in_shares = products(share * root, root)
    expected = roots * (1 + overlap) - in_shares[i, j] - in_shares[j, i]
    covariance = products(error / root, error / root)[i, j]

    usable = expected > _EQUAL * roots
    weight = np.divide(overlap, expected, out=np.zeros_like(overlap), where=usable)
    denominator = (overlap * deviation[i] * deviation[j])[usable].sum()
    return float((weight * covariance).sum() / denominator) if denominator > 0 else 0.0


def _excess_variance(
    design: SampleDesign,
    values: RowValues,
    size: Floats,
    prior_cells: tuple[float | Floats, float | Floats],
) -> Floats:
    """Return by how much weights that depend on x multiply the variance; at least 1."""
    _, weight, square = design.sums

    def moment(weight: Floats, power: int) -> Floats:
        """Return the weighted mean of a power of x in each class."""
        total = design.by_class(weight)
        moments = design.by_class(weight * values.value**power)
        return moments / np.where(total > 0, total, 1.0)

    added = 2 / len(size)
    first = (size * moment(weight, 1) + prior_cells[0]) / (size + added)
    second = (size * moment(weight, 2) + prior_cells[1]) / (size + added)
    # Moments weighted by w^2, which equal those of x if weights do not depend on x.
    squared_first = (size * moment(square, 1) + first) / (size + 1)
    squared_second = (size * moment(square, 2) + second) / (size + 1)

    variance = squared_second - 2 * first * squared_first + first**2
    expected = second - first**2
    excess = np.divide(variance, expected, out=np.ones_like(size), where=size > 0)
    return np.maximum(excess, 1.0)


def widening(
    design: SampleDesign,
    effects: DesignEffects,
    variances: Floats,
    class_weight: Floats,
) -> float:
    r"""Return the factor by which groups of several classes enlarge the variance.

    .. math::

        \lambda = 1 + 2 \rho_b^* \sum_{i < j} w_i w_j M_{ij} s_i s_j /
            \sum_i w_i^2 s_i^2 \, \mathrm{deff}_i / n_i

    Parameters
    ----------
    design : SampleDesign
    effects : DesignEffects
    variances : ndarray of shape (n_classes,)
        Posterior expectation of the variance of the outcome of one sample.
    class_weight : ndarray of shape (n_classes,)
    """
    if effects.correlation_across == 0:
        return 1.0
    deviation = class_weight * np.sqrt(variances)
    cells = design.cells
    weight = design.sums[1]
    share = cells.sum(weight) / design.by_class(weight)[cells.class_index]
    share *= deviation[cells.class_index]
    # The square of a sum, less the squares, is twice the sum over pairs.
    in_group = np.bincount(cells.group, share)
    twice_covariance = in_group @ in_group - share @ share

    seen = effects.effective_size > 0
    variance = (deviation[seen] ** 2 / effects.effective_size[seen]).sum()
    if variance > 0:
        return float(1 + effects.correlation_across * twice_covariance / variance)
    return 1.0


def matched_beta(mean: float, variance: float) -> tuple[float, float]:
    """Return a and b of the Beta distribution on [0, 1] of this mean and variance.

    The variance is capped at 0.9 of that of a Bernoulli variable.

    Examples
    --------
    >>> matched_beta(0.75, 0.0375)
    (3.0, 1.0)
    """
    bernoulli = mean * (1 - mean)
    size = bernoulli / min(variance, _MOST_VARIANCE * bernoulli) - 1
    a, b = np.clip([mean * size, (1 - mean) * size], SMALLEST, LARGEST).tolist()
    return a, b


class WidenedAverage(BetaAverage):
    """The average of correlated recalls, each of which has its own distribution."""

    _average: BetaAverage
    _factor: float

    def __new__(cls, average: BetaAverage, factor: float) -> WidenedAverage:
        """Multiply the variance of an average by a factor."""
        a, b = matched_beta(average.mean(), factor * average.variance())
        self = super().__new__(cls, [a], [b])
        assert isinstance(self, WidenedAverage)
        self._average = average
        self._factor = factor
        return self

    def __getnewargs_ex__(self) -> tuple[Any, Any]:
        """Return the arguments that make a copy."""
        return (self._average, self._factor), {}

    def means(self) -> Floats:
        """Return the mean of each class, shape (l,)."""
        return self._average.means()


def widened_average(
    average: BetaAverage,
    design: SampleDesign,
    effects: DesignEffects,
    class_weight: Floats,
) -> BetaAverage:
    """Return the distribution with the variance of groups of several classes.

    The parameters are those of `widening`.
    """
    means = average.means()
    factor = widening(design, effects, means * (1 - means), class_weight)
    return average if factor == 1 else WidenedAverage(average, factor)


def widened_difference(
    mean: float, variance: float, reach: float = 1.0
) -> BoundedDistribution:
    """Return a Beta variable on [-reach, reach] of this mean and variance.

    Examples
    --------
    >>> distribution = widened_difference(0.5, 0.15)
    >>> distribution.support(), distribution.mean(), distribution.variance()
    (Interval(low=-1.0, high=1.0), 0.5, 0.15)
    """
    a, b = matched_beta((1 + mean / reach) / 2, variance / (4 * reach**2))
    return ShiftedDistribution(BetaAverage([a], [b], weights=[2 * reach]), -reach)
