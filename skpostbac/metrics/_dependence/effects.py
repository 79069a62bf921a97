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

    \rho^* = \frac{\nu \rho + 2 \cdot 0.2}{\nu + 2} (t_{\nu + 2, .975} / 1.96)^2, \qquad
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
from scipy.special import ndtri, stdtrit

from skpostbac._utils import (
    Bools,
    Floats,
    FrozenArrays,
    block,
    format_column,
    more,
    table,
)
from skpostbac.metrics._dependence.sums import GroupSums, SampleDesign, Squares
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
# Largest variance of a matched Beta distribution, as a share of that of a Bernoulli
# variable of the same mean.
_MOST_VARIANCE = 0.9
# Classes in the HTML table.
SHOWN_EFFECTS = 8


class ValueSums(NamedTuple):
    """Sums over the samples of each class, with weights w and an outcome x, (l,)."""

    total: Floats
    """Sum of w."""
    first: Floats
    """Sum of w x."""
    second: Floats
    """Sum of w x^2."""


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
        may exceed 1.
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

    def _repr_html_(self) -> str:
        columns = {
            "design effect": self.design_effect,
            "effective size": self.effective_size,
            "effective groups": self.effective_groups,
            "largest share": self.largest_share,
        }
        cells = (
            format_column(values[:SHOWN_EFFECTS].tolist())
            for values in columns.values()
        )
        rows = [(f"class {i}", *row) for i, row in enumerate(zip(*cells, strict=True))]

        note = more(len(self.design_effect), SHOWN_EFFECTS)
        title = (
            f"DesignEffects(n_groups={self.n_groups:g}, "
            f"correlation={self.correlation:.3f}, "
            f"correlation_used={self.correlation_used:.3f})"
        )
        return block(title, table(("", *columns), rows, note=note))

    @property
    def depends(self) -> Bools:
        """Whether a group has several samples of the class, for each class."""
        # A mean size of groups of 1 may be rounded.
        return self.design_effect > 1 + 1e-9


def design_effects(
    design: SampleDesign,
    sums: ValueSums,
    prior_cells: tuple[float | Floats, float | Floats],
) -> DesignEffects:
    """Return the design effects of one averaged outcome.

    Parameters
    ----------
    design : SampleDesign
        Sums of this outcome alone.
    sums : ValueSums
        Sums over the samples.
    prior_cells : tuple of two floats or arrays
        Sums of x and of x^2 over two samples that a weak prior adds, shared by the
        classes.
    """
    total = sums.total
    divisor = np.ones(len(total))
    if design.squares is not None:
        np.divide(design.squares.weight, total, out=divisor, where=total > 0)
    size = total / divisor

    unknown = np.full(len(total), np.nan)
    groups: dict[str, Any] = {
        "design_effect": np.ones(len(total)),
        "effective_groups": unknown,
        "largest_share": unknown,
    }
    if design.by_class is not None:
        groups = _effects_of_groups(design.by_class, sums, 1 / divisor, design.n_groups)

    divisor = divisor * groups["design_effect"]
    if design.squares is not None:
        divisor *= _excess_variance(design.squares, sums, size, prior_cells)
    return DesignEffects(
        divisor=divisor,
        effective_size=total / divisor,
        n_groups=design.n_groups,
        **groups,
    )


def _effects_of_groups(
    groups: GroupSums, sums: ValueSums, scale: Floats, n_groups: float
) -> dict[str, Any]:
    """Return the fields of `DesignEffects` that follow from groups.

    `scale` turns weights into effective numbers of samples.
    """
    seen = sums.total > 0
    total = np.where(seen, sums.total, 1.0)
    sizes, values = groups.diagonal()
    n = sums.total * scale
    mean_size = np.where(seen, scale * sizes[0] / total, 1.0)
    means = sums.first / total

    # Sums of squares within and between groups: Q and A of the module. If all samples
    # are equal, rounding must not make groups differ.
    within = np.maximum(sums.second * scale - sums.first * scale * means, 0.0)
    between = scale * np.maximum(values[0, 1] - sums.first * means, 0.0) * (within > 0)

    # The analysis of variance, pooled over the classes.
    spread = scale * groups.spread
    residual = n - mean_size - spread + 1
    denominator = residual * within + (mean_size - 1) * between
    numerator = (n - 1) * between - (spread - 1) * within
    usable = seen & (residual > 1e-9 * n) & (mean_size > 1)
    weight = np.divide(
        mean_size - 1, n**2 * residual, out=np.zeros_like(n), where=usable
    )
    pooled = weight * denominator
    rho = 0.0
    if pooled.sum() > 0:
        rho = float(np.clip((weight * numerator).sum() / pooled.sum(), 0.0, 1.0))

    # Degrees of freedom of a sum of estimates (Satterthwaite).
    freedom = np.minimum(groups.groups - 1, groups.shows[0].min(axis=0))
    has_freedom = freedom > 0
    pooled = pooled[has_freedom]
    freedom = freedom[has_freedom]
    squares = (pooled**2 / freedom).sum()
    nu = 0.0
    if squares > 0:
        nu = float(min(pooled.sum() ** 2 / squares, freedom.sum()))
    nu *= n_groups / max(float(groups.groups.sum()), 1.0)

    used = _shrunken(rho, nu, PRIOR_CORRELATION)
    across = 0.0
    if groups.crosses:
        estimate = min(_across(groups, sums, scale, mean_size, rho), rho)
        prior = PRIOR_CORRELATION * PRIOR_SHARE_ACROSS
        across = max(_shrunken(estimate, nu, prior), 0.0)
    return {
        # The mean size of groups of fractions of cases may be below 1.
        "design_effect": 1 + np.maximum(mean_size - 1, 0.0) * used,
        "effective_groups": np.where(seen, n / mean_size, np.nan),
        "largest_share": np.where(seen, groups.largest / total, np.nan),
        "correlation": rho,
        "correlation_used": used,
        "degrees_of_freedom": nu,
        "correlation_across": across,
        "crosses": groups.crosses,
    }


def _shrunken(rho: float, nu: float, prior: float) -> float:
    """Shrink a correlation to the prior, and enlarge it for few degrees of freedom."""
    freedom = nu + PRIOR_FREEDOM
    quantiles = stdtrit(freedom, 0.975) / ndtri(0.975)
    return float((nu * rho + PRIOR_FREEDOM * prior) / freedom * quantiles**2)


def _across(
    groups: GroupSums, sums: ValueSums, scale: Floats, mean_size: Floats, rho: float
) -> float:
    r"""Estimate the correlation of samples of one group in different classes.

    With :math:`f_{ig} = n_{ig} / n_i`, :math:`M_{ij} = \sum_g f_{ig} f_{jg}` and
    :math:`T_{ij} = \sum_g e_{ig} e_{jg} / \sqrt{n_{ig} n_{jg}}`, the mean of T is
    :math:`\rho_b s_i s_j E_{ij}` with :math:`E_{ij} = \sum_g \sqrt{n_{ig} n_{jg}}
    (1 - f_{ig} - f_{jg} + M_{ij})`.
    """
    rows, mirrored = groups.across()
    i, j = groups.pairs[rows].T
    n = sums.total
    safe = np.where(n > 0, n, 1.0)
    means = sums.first / safe

    overlap = groups.sizes[rows, 0] / (n[i] * n[j])
    root = groups.sizes[rows, 1]
    in_i, product = groups.values[0, rows].T
    in_j = groups.values[0, mirrored, 0]
    # Covariances and their expected values are of degree one in the weights.
    both = np.sqrt(scale[i] * scale[j])
    covariance = both * (
        product - means[j] * in_i - means[i] * in_j + means[i] * means[j] * root
    )
    expected = both * (
        root * (1 + overlap)
        - groups.sizes[rows, 2] / n[i]
        - groups.sizes[mirrored, 2] / n[j]
    )

    size = np.where(n > 0, n * scale, 1.0)
    residual_share = 1 - (1 + (mean_size - 1) * rho) / size
    variances = np.maximum(sums.second / safe - means**2, 0.0)
    spread = np.sqrt(variances / np.maximum(residual_share, _LEAST_RESIDUAL_SHARE))

    usable = expected > 0
    weight = np.divide(overlap, expected, out=np.zeros_like(overlap), where=usable)
    denominator = (overlap * spread[i] * spread[j])[usable].sum()
    return float((weight * covariance).sum() / denominator) if denominator > 0 else 0.0


def _excess_variance(
    squares: Squares,
    sums: ValueSums,
    size: Floats,
    prior_cells: tuple[float | Floats, float | Floats],
) -> Floats:
    """Return by how much weights that depend on x multiply the variance; at least 1."""
    seen = sums.total > 0
    total = np.where(seen, sums.total, 1.0)
    weight = np.where(seen, squares.weight, 1.0)

    # Moments of x.
    added = 2 / len(total)
    first = (size * sums.first / total + prior_cells[0]) / (size + added)
    second = (size * sums.second / total + prior_cells[1]) / (size + added)
    # Moments weighted by w^2, which equal those of x if weights do not depend on x.
    squared_first, squared_second = squares.values[0]
    squared_first = (size * squared_first / weight + first) / (size + 1)
    squared_second = (size * squared_second / weight + second) / (size + 1)

    variance = squared_second - 2 * first * squared_first + first**2
    excess = np.where(seen, variance / (second - first**2), 1.0)
    return np.maximum(excess, 1.0)


def widening(
    design: SampleDesign,
    effects: DesignEffects,
    total: Floats,
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
    total : ndarray of shape (n_classes,)
        Sums of the weights.
    variances : ndarray of shape (n_classes,)
        Posterior expectation of the variance of the outcome of one sample.
    class_weight : ndarray of shape (n_classes,)
    """
    sums = design.by_class
    if sums is None or effects.correlation_across == 0:
        return 1.0
    rows, _ = sums.across()
    i, j = sums.pairs[rows].T
    deviation = class_weight * np.sqrt(variances)
    overlap = sums.sizes[rows, 0] / (total[i] * total[j])
    covariance = (overlap * deviation[i] * deviation[j]).sum()

    seen = effects.effective_size > 0
    variance = (deviation[seen] ** 2 / effects.effective_size[seen]).sum()
    if variance > 0:
        return float(1 + 2 * effects.correlation_across * covariance / variance)
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

    def marginals(self) -> list[BetaAverage]:
        """Return the distribution of each class alone."""
        return self._average.marginals()

    def means(self) -> Floats:
        """Return the mean of each class, shape (l,)."""
        return self._average.means()


def widened_average(
    average: BetaAverage,
    design: SampleDesign,
    effects: DesignEffects,
    total: Floats,
    class_weight: Floats,
) -> BetaAverage:
    """Return the distribution with the variance of groups of several classes.

    The parameters are those of `widening`.
    """
    means = average.means()
    factor = widening(design, effects, total, means * (1 - means), class_weight)
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
