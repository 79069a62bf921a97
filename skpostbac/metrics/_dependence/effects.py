r"""Design effects of groups and importance weights, by which counts are divided.

**Groups.** Class i has :math:`n_i` samples in :math:`G_i` groups, :math:`n_{ig}` in group g, and a
figure of mean :math:`p_i`: the share of correct predictions, or the difference of two. With
:math:`e_{ig} = k_{ig} - n_{ig} p_i` for the sums :math:`k_{ig}` of the figure,

.. math::

    m_i = \sum_g n_{ig}^2 / n_i, \quad A_i = \sum_g e_{ig}^2 / n_{ig}, \quad
    Q_i = \sum (x - p_i)^2, \quad B_i = n_i - m_i - G_i + 1.

If all pairs of samples of a group have the correlation :math:`\rho`, then
:math:`E A_i \propto (G_i - 1) + \rho B_i` and :math:`E Q_i \propto (n_i - 1) - \rho (m_i - 1)`, so
that :math:`\rho` is the ratio of :math:`(n_i - 1) A_i - (G_i - 1) Q_i` and
:math:`B_i Q_i + (m_i - 1) A_i` (the analysis of variance; Ridout, Demetrio and Firth, Biometrics
55, 1999). Both are added up over the classes, with the weights
:math:`(m_i - 1) / (n_i^2 B_i)`. The estimate has :math:`\nu` degrees of freedom (Satterthwaite). A
prior of 0.2 counts as much as two of them, and the ratio of the quantiles of Student's t and the
normal distribution accounts for what the estimate leaves open (Korn and Graubard 1998):

.. math::

    \rho^* = \frac{\nu \rho + 2 \cdot 0.2}{\nu + 2} (t_{\nu + 2, .975} / 1.96)^2, \qquad
    \mathrm{deff}_i = 1 + (m_i - 1) \rho^*.

A class without errors says nothing of a correlation, and has that of the others. Samples in groups
of one have a design effect of exactly 1.

**Importance weights** w of a class have the effective size :math:`(\sum w)^2 / \sum w^2` (Kish
1965). Where correct samples have other weights than errors, the variance of the weighted mean is
:math:`\sum w^2 (x - p)^2 / (\sum w)^2`, and where this is the larger one, it counts. Its shares of
squares are drawn to those of the weights as by one sample, or few errors would decide. With both,
groups are taken of weights that add up to the effective size: the same equations hold with the sum
over groups of the mean weight in place of :math:`G_i` in A, B and the numerator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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
from skpostbac.metrics._dependence.design import SampleDesign, Squares
from skpostbac.metrics._dependence.sums import GroupSums

# The correlation that is assumed before the data, and the degrees of freedom that it counts for.
PRIOR_CORRELATION, PRIOR_FREEDOM = 0.2, 2.0
# The share of it that is assumed between samples of one group in different classes.
PRIOR_SHARE_ACROSS = 0.25
# Least share of the variance of a class that its own mean leaves.
_LEAST_SHARE = 0.2


class FigureSums(NamedTuple):
    """Sums over the samples of each class, shape (l,), of weights w and a figure x."""

    total: Floats
    """Of w."""
    first: Floats
    """Of w x."""
    second: Floats
    """Of w x^2."""

    def scaled(self, scale: Floats) -> FigureSums:
        """Return the sums for weights in another scale."""
        return FigureSums(self.total * scale, self.first * scale, self.second * scale)

    @property
    def variances(self) -> Floats:
        """Variance of the figure in each class."""
        means = self.first / self.total
        return np.asarray(np.maximum(self.second / self.total - means**2, 0.0))


# Classes in a view.
SHOWN_CLASSES = 8


@dataclass(frozen=True, eq=False)
class DesignEffects(FrozenArrays):
    """Design effects and effective sizes of the samples of each class.

    Returned by functions; its fields are not checked. Available as `design_effects` of counts with
    groups or importance weights, and of their posteriors.

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
        Estimated correlation of two samples of a class in one group, from 0 to 1; nan without
        groups.
    correlation_used : float
        Correlation used for the design effects, which allows for its estimation error; may exceed
        1.
    degrees_of_freedom : float
        Degrees of freedom of the estimated correlation; roughly the number of groups.
    correlation_across : float
        Correlation used for two samples of a group in different classes; 0 if each group has one
        class.
    crosses : bool
        Whether a group has samples of several classes.
    """

    design_effect: Floats
    divisor: Floats
    effective_size: Floats
    n_groups: float
    effective_groups: Floats
    largest_share: Floats
    correlation: float
    correlation_used: float
    degrees_of_freedom: float
    correlation_across: float
    crosses: bool

    def _repr_html_(self) -> str:
        columns = (self.design_effect, self.effective_size, self.effective_groups)
        shown = [column[:SHOWN_CLASSES] for column in (*columns, self.largest_share)]
        cells = zip(*(format_column(column.tolist()) for column in shown), strict=True)
        rows = [(f"class {i}", *row) for i, row in enumerate(cells)]
        header = ("", "design effect", "effective size", "effective groups", "largest share")
        note = more(len(self.design_effect), SHOWN_CLASSES)
        used = f"correlation={self.correlation:.3f}, correlation_used={self.correlation_used:.3f}"
        title = f"DesignEffects(n_groups={self.n_groups:g}, {used})"
        return block(title, table(header, rows, note=note))

    @property
    def depends(self) -> Bools:
        """Whether a group has several samples of the class, for each class."""
        # A mean size of groups of 1 may be rounded.
        return np.asarray(self.design_effect > 1 + 1e-9)


def design_effects(
    design: SampleDesign, figure: FigureSums, prior_cells: tuple[float, float]
) -> DesignEffects:
    """Return the design effects of one figure.

    Parameters
    ----------
    design : SampleDesign
        Of the figure alone.
    figure : FigureSums
        Sums over the samples.
    prior_cells : tuple of two floats
        What a weak prior adds to the sum of x, and to that of x^2, of two prior samples shared by
        the classes.
    """
    total = figure.total
    divisor = np.ones(len(total))
    if design.squares is not None:
        divisor = _kish_divisor(design.squares, total)
    size = total / divisor
    if design.by_class is None:
        groups = _no_groups(len(total))
    else:
        groups = _effects_of_groups(design.by_class, figure, 1 / divisor, design.n_groups)
    divisor = divisor * groups.design_effect
    if design.squares is not None:
        divisor = divisor * _linearised(design.squares, figure, size, prior_cells)
    return DesignEffects(
        divisor=divisor, effective_size=total / divisor, n_groups=design.n_groups, **vars(groups)
    )


@dataclass(frozen=True)
class _Groups:
    """Statistics of the groups."""

    design_effect: Floats
    effective_groups: Floats
    largest_share: Floats
    correlation: float = np.nan
    correlation_used: float = np.nan
    degrees_of_freedom: float = np.nan
    correlation_across: float = 0.0
    crosses: bool = False


def _no_groups(n_classes: int) -> _Groups:
    unknown = np.full(n_classes, np.nan)
    return _Groups(np.ones(n_classes), unknown, unknown)


def _effects_of_groups(
    sums: GroupSums, figure: FigureSums, scale: Floats, n_groups: float
) -> _Groups:
    """Return the design effects of groups; `scale` is that of the weights to effective numbers."""
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = figure.total > 0
        sizes, values = sums.diagonal()
        n, first, second = figure.scaled(scale)
        mean_size = np.where(seen, scale * sizes[0] / figure.total, 1.0)
        means = np.where(seen, figure.first / figure.total, 0.0)
        within = np.maximum(second - first * means, 0.0)
        # Where all samples are alike, rounding must not tell groups apart.
        between = scale * np.maximum(values[0, 1] - figure.first * means, 0.0) * (within > 0)
        spread = scale * sums.spread
        estimate = _estimate(n, mean_size, between, within, spread)
    shows = sums.shows[0]
    freedom = np.clip(np.minimum(sums.groups - 1, shows.min(axis=0)), 0, None)
    share = n_groups / max(float(sums.groups.sum()), 1.0)
    nu = _degrees_of_freedom(estimate.weighted, freedom) * share
    rho = estimate.correlation
    used = _shrunken(rho, nu, PRIOR_CORRELATION)
    with np.errstate(divide="ignore", invalid="ignore"):
        effective_groups = np.where(seen, n / mean_size, np.nan)
        largest = np.where(seen, sums.largest / figure.total, np.nan)
    across = 0.0
    if sums.crosses:
        rho_across = _across(sums, figure, scale, mean_size, rho)
        across = max(
            _shrunken(min(rho_across, rho), nu, PRIOR_CORRELATION * PRIOR_SHARE_ACROSS), 0.0
        )
    # Fractions of cases are no more than these, even if each is a group.
    effect = 1 + np.maximum(mean_size - 1, 0.0) * used
    return _Groups(effect, effective_groups, largest, rho, used, nu, across, sums.crosses)


class _Estimate(NamedTuple):
    correlation: float
    weighted: Floats
    """Weighted denominator of each class."""


def _estimate(
    n: Floats, mean_size: Floats, between: Floats, within: Floats, spread: Floats
) -> _Estimate:
    """Estimate the correlation by an analysis of variance, pooled over the classes."""
    left = n - mean_size - spread + 1
    usable = (n > 0) & (left > 1e-9 * n)
    numerator = (n - 1) * between - (spread - 1) * within
    denominator = left * within + (mean_size - 1) * between
    weight = np.divide(
        mean_size - 1, n**2 * left, out=np.zeros_like(n), where=usable & (mean_size > 1)
    )
    total = float((weight * denominator).sum())
    rho = float((weight * numerator).sum()) / total if total > 0 else 0.0
    return _Estimate(float(np.clip(rho, 0.0, 1.0)), weight * denominator)


def _degrees_of_freedom(weighted: Floats, freedom: Floats) -> float:
    """Return the degrees of freedom of a sum of estimates (Satterthwaite), 0 if there are none."""
    known = freedom > 0
    squares = float((weighted[known] ** 2 / freedom[known]).sum())
    if squares <= 0:
        return 0.0
    return float(min(weighted[known].sum() ** 2 / squares, freedom[known].sum()))


def _shrunken(rho: float, nu: float, prior: float) -> float:
    """Shrink an estimated correlation to the prior, and widen it for its few degrees of freedom."""
    freedom = nu + PRIOR_FREEDOM
    quantiles = float(stdtrit(freedom, 0.975) / ndtri(0.975))
    return float((nu * rho + PRIOR_FREEDOM * prior) / freedom * quantiles**2)


def _across(
    sums: GroupSums, figure: FigureSums, scale: Floats, mean_size: Floats, rho: float
) -> float:
    r"""Estimate the correlation of samples of one group in different classes.

    With :math:`f_{ig} = n_{ig} / n_i`, :math:`M_{ij} = \sum_g f_{ig} f_{jg}` and
    :math:`T_{ij} = \sum_g e_{ig} e_{jg} / \sqrt{n_{ig} n_{jg}}`, the mean of T is
    :math:`\rho_b s_i s_j E_{ij}` with :math:`E_{ij} = \sum_g \sqrt{n_{ig} n_{jg}}
    (1 - f_{ig} - f_{jg} + M_{ij})`.
    """
    rows, mirrored = sums.across()
    i, j = sums.pairs[rows].T
    means = figure.first / np.where(figure.total > 0, figure.total, 1.0)
    n = figure.total
    # All sums are of degree one in the weights, but for the first and the third.
    both = np.sqrt(scale[i] * scale[j])
    overlap = sums.sizes[rows, 0] / (n[i] * n[j])
    ((in_i, product), (in_j, _)) = (sums.values[0, at].T for at in (rows, mirrored))
    root = sums.sizes[rows, 1]
    covariance = both * (product - means[j] * in_i - means[i] * in_j + means[i] * means[j] * root)
    expected = both * (
        root * (1 + overlap) - sums.sizes[rows, 2] / n[i] - sums.sizes[mirrored, 2] / n[j]
    )
    size = np.where(n > 0, n * scale, 1.0)
    left = np.maximum(1 - (1 + (mean_size - 1) * rho) / size, _LEAST_SHARE)
    spread = np.sqrt(figure._replace(total=np.where(n > 0, n, 1.0)).variances / left)
    usable = expected > 0
    weight = np.divide(overlap, expected, out=np.zeros_like(overlap), where=usable)
    denominator = float((overlap * spread[i] * spread[j])[usable].sum())
    return float((weight * covariance).sum()) / denominator if denominator > 0 else 0.0


def _kish_divisor(squares: Squares, total: Floats) -> Floats:
    """Return the sum of squared weights over that of weights; 1 where there are none."""
    return np.divide(squares.weight, total, out=np.ones_like(total), where=total > 0)


def _linearised(
    squares: Squares, figure: FigureSums, size: Floats, prior_cells: tuple[float, float]
) -> Floats:
    """Return by how much the variance exceeds that of the effective size, 1 where it does not."""
    seen = figure.total > 0
    total = np.where(seen, figure.total, 1.0)
    weight = np.where(seen, squares.weight, 1.0)
    added = 2 / len(total)
    first, second = (
        (size * moment / total + cell) / (size + added)
        for moment, cell in zip((figure.first, figure.second), prior_cells, strict=True)
    )
    # Shares of the squares, which with weights of no meaning are those of the samples.
    of_first, of_second = (
        (size * moment / weight + share) / (size + 1)
        for moment, share in zip(squares.values[0], (first, second), strict=True)
    )
    variance = of_second - 2 * first * of_first + first**2
    excess = np.where(seen, variance / (second - first**2), 1.0)
    return np.asarray(np.maximum(excess, 1.0))


def widening(
    design: SampleDesign,
    effects: DesignEffects,
    total: Floats,
    variances: Floats,
    class_weight: Floats,
) -> float:
    r"""Return what groups that cross classes multiply the variance of the weighted average by.

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
        Variance of the figure of one sample, by what is expected a posteriori.
    class_weight : ndarray of shape (n_classes,)
    """
    sums = design.by_class
    if sums is None or effects.correlation_across == 0:
        return 1.0
    rows, _ = sums.across()
    i, j = sums.pairs[rows].T
    deviation = class_weight * np.sqrt(variances)
    overlap = sums.sizes[rows, 0] / (total[i] * total[j])
    shared = float((overlap * deviation[i] * deviation[j]).sum())
    seen = effects.effective_size > 0
    own = float((deviation[seen] ** 2 / effects.effective_size[seen]).sum())
    return 1 + 2 * effects.correlation_across * shared / own if own > 0 else 1.0
