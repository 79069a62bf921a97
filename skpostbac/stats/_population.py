r"""Accuracies of groups, such as subjects, sampled from one population.

The normal-binomial and the beta-binomial model: quadrature over their parameters, and
the distributions of the population mean, of each group and of a new group. Imports
`_distribution`, `_fourier` and `_numerics`.

**A weighted average of independent accuracies,** each given by its log-odds. The
transform of the average is the product of those of the accuracies, sums over the nodes
of their densities. An accuracy may be as close to 0 or 1 as doubles allow: with few
groups, the log-odds of one more have heavy tails, and the transform falls like a power
of log t. Next to an end the density of the distance d from it is then a sum of powers,

    f(d) = sum_j c_j d^(a_j - 1),

fitted by least squares to the densities at even steps of log d, and its transform there
is sum_j c_j Gamma(a_j) (-i t)^(-a_j) (Watson's lemma), for complex t as well. The
products of the ends of all accuracies are the corners of a Fourier series (`_fourier`).
Orders are doubled until the transform has vanished, or is that of the corners to 1e-10,
or no better: closer to an end, rounding errors of the densities magnify those of a fit.
With 2 to 10^6 samples of each of two classes, all of them right, probabilities of a new
group had errors of up to 2e-9.

Where no fit is good to 1e-6 up to 65,536 orders, as with Beta(3, 1/2) beside Beta(10^7,
1/2), a window ends the series. Errors of probabilities are then 1e-9 farther than 1e-3
from the end, and up to 2e-3 beside it.

**How the accuracies of groups vary in a population.** A model has two parameters. The
location is a central accuracy of the population, in log-odds; the concentration, a
logarithm, says how much alike the groups are.

**Group-level inference.** The posterior of the two parameters of a population, given
the counts of its groups, is integrated by quadrature. The spread of the groups, t =
exp(-concentration / 2), is written as s sinh(y), and has a row of locations for each y
of a midpoint rule. A posterior that is smooth and even in t, as where groups may be
alike, needs no small t then: the rule converges geometrically (Trefethen and Weideman,
SIAM Review 56, 2014), and the narrowest distribution of a group is not much narrower
than that of the location. The distribution of a group is a mixture over nodes on the
rows; values between these, which the distributions of the population need, come from
Chebyshev series.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import ClassVar

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebpts1, chebval, chebvander
from scipy.special import erfc, expit, gamma, gammaln, log_expit, logsumexp, polygamma

from skpostbac._utils import (
    Bools,
    Complexes,
    Floats,
    block,
    float_or_nan,
    is_real,
    parameters,
)
from skpostbac.stats._centred import Centred, power_limits
from skpostbac.stats._corners import Corners, Rule, corners_of_sum
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._fourier import DEPTH, PERIOD, Series, Waves
from skpostbac.stats._numerics import (
    EPS,
    Frame,
    Rows,
    even_sums,
    exact_sum,
    log_beta,
    log_binomial,
    log_rising,
    log_sum,
    matrix_product,
    powers,
)
from skpostbac.stats._table import LogitDistribution, Table

# The fewest orders of a series, and coefficients that count as zero.
_FEWEST, _VANISHED = 32, 1e-14
# Powers of an end, beyond the least.
_POWERS = np.concatenate(
    [[0.0], np.geomspace(0.03, 1.0, 16, endpoint=False), np.arange(1.0, 20.0, 0.5)]
)


class LogitAverage(BoundedDistribution):
    """Average of independent accuracies that are given by their log-odds.

    Parameters
    ----------
    distributions : tuple of l LogitDistribution
        Two or more.
    """

    def __init__(self, distributions: tuple[LogitDistribution, ...]) -> None:
        self._distributions = distributions

    @cached_property
    def _terms(self) -> list["_Term"]:
        return [
            _Term(one._table, 1 / len(self._distributions))
            for one in self._distributions
        ]

    @cached_property
    def _cumulants(self) -> Floats:
        found = np.array([term.table.cumulants for term in self._terms])
        return np.asarray(found.sum(axis=0) / len(found) ** np.arange(2.0, 5.0))

    @cached_property
    def _frame(self) -> Frame:
        to_low, to_high = np.array([term.ends for term in self._terms]).T * [
            [-1.0],
            [1.0],
        ]
        mean = exact_sum(to_low.tolist())
        return Frame(0.0, 1.0, *mean, mean[0], float(to_high.sum()))

    @cached_property
    def _centred(self) -> Centred:
        return _series(self._terms, self.standard_deviation())


@dataclass(frozen=True)
class _Term:
    """One accuracy times its weight, at distances from its mean."""

    table: Table
    weight: float

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends."""
        below, above = self.table.mean_and_rest
        unit = self.weight / (below + above)
        return -unit * below, unit * above

    def refined(self, table: Table, top: float) -> Table:
        """Halve panels until they resolve waves up to a height."""
        while True:
            # On a panel of 16 nodes, which leave 1e-18 of a wave that turns by 14
            # radians
            is_wide = top * self.weight * np.diff(expit(table.edges)) > 14.0
            if not is_wide.any():
                return table
            table = table.halved(is_wide)

    def nodes(self, table: Table) -> tuple[Floats, Floats]:
        """Positions and masses."""
        (u, mass), (low, high) = table.nodes, self.ends
        inside = np.where(
            u < 0, low + self.weight * expit(u), high - self.weight * expit(-u)
        )
        return inside, mass / mass.sum()

    def fitted_end(self, end: int, farthest: float) -> tuple[float, float, Floats]:
        """Return a mass at the lower or the upper end (0, 1), and the density there.

        Given the first power, and c_j Gamma(a_j) of the density c_j (d / farthest)^a_j
        / d.
        """
        y, (left, right) = _fit()
        x, side = farthest / self.weight * np.exp(-y), 1 - 2 * end
        log_rest = np.log1p(-x)
        u = side * (np.log(farthest / self.weight) - y - log_rest)
        # The least power is that of the end, or the first one of a density that falls
        # ever faster.
        below, above, _, slope, _ = self.table.values(u[:1])[:, 0].tolist()
        least = min(float(self.table.end_powers[1][end]), side * slope, 20.0)
        first, mass = max(least, 0.03), 0.0
        factors = right @ (
            left @ np.exp(self.table.log_density(u) - log_rest + first * y)
        )
        # Of small powers, what is closer than the points of the fit is taken as the end
        # itself.
        if least < 0.5:
            mass = (below, above)[end] - float((factors / (first + _POWERS)).sum())
        return mass, first, factors * gamma(first + _POWERS)


@cache
def _fit() -> tuple[Floats, tuple[Floats, Floats]]:
    """Points y, and matrices whose product takes values to factors of exp(-a y).

    The logs of the distance reach down to 40 below the largest. The inverse itself
    would magnify rounding errors.
    """
    y = 0.05 * np.sinh(np.linspace(0, np.arcsinh(40.0 / 0.05), 300))
    weights = np.sqrt(np.gradient(y))[:, np.newaxis]
    u, size, v = np.linalg.svd(weights * np.exp(-np.multiply.outer(y, _POWERS)), False)
    kept = size > 1e-13 * size[0]
    return y, ((u * weights)[:, kept].T, v[kept].T / size[kept])


def _series(terms: list[_Term], deviation: float) -> Series:
    """Return the series of the sum of some terms."""
    tables = [term.table for term in terms]
    nodes = [term.nodes(x) for term, x in zip(terms, tables, strict=True)]
    ends = np.array([term.ends for term in terms]).sum(axis=0)
    # Chernoff's bound of exp(-34) on the mass beyond, unless an end of the support is
    # closer
    rates: Floats = 2.0 ** np.arange(-2.0, 6.0) / deviation
    reach = np.empty(2)
    for i, side in enumerate((-1.0, 1.0)):
        log_mgf = sum(
            logsumexp(np.multiply.outer(side * rates, y), axis=1, b=mass)
            for y, mass in nodes
        )
        reach[i] = min(float(np.min((DEPTH + log_mgf) / rates)), side * ends[i])
    step = 2 * np.pi / (PERIOD * reach.sum())
    # No transform has vanished sooner than that of a normal variable, at 8 / sd.
    first = max(int(np.log2(8.0 / (step * deviation))), int(np.log2(_FEWEST)))
    # The smallest error of a fit so far, its order and the corners.
    least, chosen, has_vanished = 1e-6, None, False
    # More orders would take some seconds.
    for order in (2 ** np.arange(first, max(first, 16) + 1)).tolist():
        top = order * step
        tables = [term.refined(x, top) for term, x in zip(terms, tables, strict=True)]
        nodes = [term.nodes(x) for term, x in zip(terms, tables, strict=True)]
        looks, farthest = top * np.linspace(0.55, 1.0, 6), 40.0 / top
        values = np.prod([_transform(looks, *one) for one in nodes], axis=0)
        has_vanished = bool(np.abs(values).max() < _VANISHED)
        if has_vanished:
            break
        # An end is fitted where waves turn by less than 40 radians, a fifth of an
        # accuracy at most.
        if farthest < 0.2 * min(term.weight for term in terms):
            fits = [
                [term.fitted_end(end, farthest) for end in (0, 1)] for term in terms
            ]
            fitted = partial(_corners, terms, fits, farthest)
            positions, amplitudes = fitted(np.log(looks))
            waves = np.exp(1j * np.multiply.outer(positions[0], looks))
            error = float(np.abs((waves * amplitudes).sum(axis=1) - values).max())
            if error < least:
                least, chosen = error, (order, fitted)
            # Closer to the ends, rounding errors of the densities magnify those of a
            # fit.
            if least < (1e-10 if error == least else 1e-7):
                break
    corners_at = None
    if chosen and not has_vanished:
        order, corners_at = chosen
    coefficients = np.prod(
        [even_sums(step * y, mass, order) for y, mass in nodes], axis=0
    )[1:]
    corners = None
    if corners_at:
        rule = Rule.of(order, sum(float(t.table.end_powers[1].min()) for t in terms))
        corners = Corners(
            rule, np.array([step]), *corners_at(np.log(step) + rule.log_orders)
        )
    elif has_vanished:
        last = np.flatnonzero(np.abs(coefficients) > 0.1 * _VANISHED).max(
            initial=_FEWEST
        )
        coefficients = coefficients[: last + 1]
    else:
        # A window smooths the distribution over some of the last waves.
        coefficients = coefficients * 0.5 * erfc(np.linspace(-10, 6, coefficients.size))
    return Series(
        Waves(np.array([2 * np.pi / step]), coefficients[np.newaxis], corners),
        low=-reach[:1],
        high=reach[1:],
        deviation=np.array([deviation]),
        end_densities=_end_densities(terms, reach >= np.abs(ends)),
    )


def _transform(heights: Floats, positions: Floats, masses: Floats) -> Complexes:
    """Return the transform of masses at even heights."""
    ends = np.array([heights[0], heights[1] - heights[0]])
    first, factor = np.exp(1j * np.multiply.outer(ends, positions))
    return np.asarray(powers(first, factor, heights.size) @ masses)


def _corners(
    terms: list[_Term],
    fits: list[list[tuple[float, float, Floats]]],
    farthest: float,
    log_t: Complexes,
) -> tuple[Floats, Complexes]:
    """Return positions of corners, (1, 1, C), and transforms at logs of heights."""
    logs = [np.log(farthest) + log_t + turn * np.pi for turn in (-0.5j, 0.5j)]
    tables = [np.exp(-np.multiply.outer(_POWERS, log_z)) for log_z in logs]
    expansions = [
        [
            mass + np.exp(-first * log_z) * (factors @ table)
            for (mass, first, factors), log_z, table in zip(
                ends, logs, tables, strict=True
            )
        ]
        for ends in fits
    ]
    return corners_of_sum(
        np.zeros((1, 1)),
        np.array([[term.ends for term in terms]]),
        np.array([0.0, 1.0]),
        np.array(expansions),
        np.array([term.weight for term in terms]),
        np.ones(len(terms)),
        np.ones(1),
    )


def _end_densities(terms: list[_Term], is_end: Bools) -> Floats:
    """Limits of the density at both ends of the range, shape (2, 1).

    Densities c d^(a - 1) of the terms at a distance d have a sum like the product of
    all c Gamma(a) d^a, divided by d Gamma(sum of all a).
    """
    log_factors, powers = np.array([term.table.end_powers for term in terms]).swapaxes(
        0, 1
    )
    weights = np.array([[term.weight] for term in terms])
    logs = log_factors + gammaln(powers) - powers * np.log(weights)
    limits = power_limits(powers.sum(axis=0), logs.sum(axis=0), 1e-6)
    return np.where(is_end, limits, 0.0)[:, np.newaxis]


@dataclass(frozen=True)
class NormalBinomial:
    r"""Normal log-odds: :math:`\mathrm{logit}\,\theta_j \sim N(\mu, 1/\lambda)`.

    The priors are :math:`\mu \sim N(\mu_0, 1/\eta_0)` and :math:`\lambda \sim
    \mathrm{Gamma}(a_0, b_0)`, with the rate :math:`b_0`. The defaults are the same as
    in [1]_.

    Parameters
    ----------
    mean : float, default=0.0
        :math:`\mu_0`, in log-odds, between -10 and 10; the ends are within 5e-5 of 0
        and 1.
    precision : float, default=1.0
        :math:`\eta_0`, positive.
    shape, rate : float, default=1.0
        :math:`a_0` and :math:`b_0`, positive. If no group has both correct and wrong
        predictions, :math:`a_0` must be at least 0.5.

    Raises
    ------
    ValueError
        If a parameter is not finite, `mean` is out of range, or another one is not
        positive.
    TypeError
        If a parameter is not a number.

    References
    ----------
    .. [1] K. H. Brodersen, J. Daunizeau, C. Mathys, J. R. Chumbley, J. M. Buhmann and
       K. E. Stephan, "Variational Bayesian mixed-effects inference for classification
       studies", NeuroImage 76, 2013, 345-361.

    Examples
    --------
    >>> from skpostbac.stats import NormalBinomial
    >>> NormalBinomial(rate=0.1)
    NormalBinomial(mean=0.0, precision=1.0, shape=1.0, rate=0.1)
    """

    mean: float = 0.0
    precision: float = 1.0
    shape: float = 1.0
    rate: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not is_real(value):
                raise TypeError(f"{name} must be a number, got {value!r:.80}")
        # Farther from the data, location and spread are hard to distinguish.
        if abs(self.mean) > 10:
            raise ValueError(
                f"mean must be between -10 and 10, in log-odds, got {self.mean!r:.80}"
            )
        for name, value in vars(self).items():
            if not np.isfinite(float_or_nan(value)) or (name != "mean" and value <= 0):
                kind = "finite" if name == "mean" else "finite and positive"
                raise ValueError(f"{name} must be {kind}, got {value!r:.80}")

    def _repr_html_(self) -> str:
        return block(repr(self), parameters(vars(self)))

    def _largest_spread(self, n_mixed: float) -> float:
        """Return the standard deviation beyond which there is no posterior that counts.

        The posterior probability of a larger one is its power -2 `shape` - `n_mixed`,
        since a group with a likelihood that falls on both sides is as unlikely as the
        spread is large.
        """
        power = self.shape + 0.5 * n_mixed
        # With less, more than 1e-10 of the spreads are beyond 1e10, where the mean of a
        # population is 1/2 to all digits.
        if power < 0.5:
            raise ValueError(
                "shape must be at least 0.5 if no group has both correct and wrong "
                "predictions, "
                f"as the spread of the groups has no end then; got {self.shape!r}"
            )
        typical = np.sqrt(self.rate / self.shape)
        return float(np.exp(5.0 + 15.0 / power) * np.maximum(typical, 1.0))

    def _least_spread(self, total: float) -> float:
        """Return the standard deviation below which there is no prior."""
        return float(np.exp(-5.0) * np.sqrt(self.rate / max(self.shape, 0.01)))

    @property
    def _location_prior(self) -> tuple[float, float]:
        """Mean and precision of the location."""
        return self.mean, self.precision

    def _log_prior(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log prior density of the mean and of the log precision."""
        away = location - self.mean
        gamma = self.shape * concentration - self.rate * np.exp(concentration)
        return np.asarray(gamma - 0.5 * self.precision * away * away)

    def _log_evidence(
        self, location: Floats, concentration: Floats, correct: Floats, total: Floats
    ) -> Floats:
        """Return log probabilities of counts, less the binomial coefficients."""
        mean, precision = location, np.exp(concentration)
        # The integral over log-odds rho of the likelihood of a group times the normal
        # density, whose constant is left out at first. The integrand is log-concave.
        # The trapezoid rule in v, with rho = centre + scale sinh(v), goes out to
        # exp(-30) of it.

        def slope(rho: Floats) -> Floats:
            return np.asarray(correct - total * expit(rho) - precision * (rho - mean))

        def log_value(rho: Floats) -> Floats:
            # `log_expit`, in functions of NumPy, which take a quarter of its time
            log_right = np.minimum(rho, 0.0) - np.log1p(np.exp(-np.abs(rho)))
            # correct * log(p) + wrong * log(1 - p), of which log(1 - p) = log(p) - rho
            away = rho - mean
            return np.asarray(
                total * log_right
                - (total - correct) * rho
                - 0.5 * precision * away * away
            )

        # About where the likelihood has its maximum, or ceases to rise, and how wide it
        # is there.
        right, wrong = correct + 0.5, total - correct + 0.5
        edge, information = np.log(right / wrong), right * wrong / (right + wrong)
        peak = np.asarray(
            (precision * mean + information * edge) / (precision + information)
        )
        # The slope of the likelihood is between minus and plus the number of samples.
        # Where it is flat the last step is a little off the maximum.
        low, high = mean - total / precision, mean + total / precision
        for _ in range(8):
            fall = slope(peak)
            low, high = np.where(fall > 0, peak, low), np.where(fall > 0, high, peak)
            peak = peak + fall / (precision + total * expit(peak) * expit(-peak))
            peak = np.where((low <= peak) & (peak <= high), peak, 0.5 * (low + high))
        width = 1 / np.sqrt(precision + total * expit(peak) * expit(-peak))
        # Nodes are densest at the peak, or, beside a wide one, at the edge of the
        # likelihood.
        centre = np.where((width > 1) & (np.abs(edge - peak) < 2 * width), edge, peak)
        scale = np.minimum(width, 1.0)
        ends = []
        for side in (-1.0, 1.0):
            # A log-concave function falls at least as fast as its tangent, and as the
            # normal density.
            fall = np.maximum(-side * slope(peak + side * 3 * width), 1e-300)
            reach = np.minimum(np.sqrt(60 / precision), 3 * width + 30 / fall)
            ends.append(np.arcsinh((peak + side * reach - centre) / scale))
        n_nodes, top = 45, log_value(peak)
        step = (ends[1] - ends[0]) / (n_nodes - 1)
        summed, exp_v, turn = np.zeros(np.shape(step)), np.exp(ends[0]), np.exp(step)
        for _ in range(n_nodes):
            half, other = 0.5 * exp_v, 0.5 / exp_v
            # A peak that Newton has not reached is higher, and far from what counts.
            log_ratio = np.minimum(
                log_value(centre + scale * (half - other)) - top, 600.0
            )
            summed += (half + other) * np.exp(log_ratio)
            exp_v = exp_v * turn
        constant = 0.5 * (concentration - np.log(2 * np.pi))
        return np.asarray(top + np.log(summed * step * scale) + constant)

    def _terms(self, u: Floats) -> Floats:
        """Return 1, u and the square of u, shape (n_u, 3)."""
        return np.stack([np.ones_like(u), u, u * u], axis=-1)

    def _coefficients(self, location: Floats, concentration: Floats) -> Floats:
        """Return factors of the `_terms` in the normal log density, shape (3, n)."""
        precision = np.exp(concentration)
        constant = 0.5 * (concentration - np.log(2 * np.pi) - precision * location**2)
        return np.stack([constant, precision * location, -0.5 * precision])

    def _spread(self, location: Floats, concentration: Floats) -> Floats:
        """Return the standard deviation of the log-odds of one group."""
        return np.exp(-0.5 * concentration) + 0.0 * location

    def _mean_log_odds(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log-odds of the mean accuracy in the population."""
        right, wrong = (
            self._log_evidence(location, concentration, np.asarray(k), np.ones(()))
            for k in (1.0, 0.0)
        )
        return right - wrong


@dataclass(frozen=True)
class BetaBinomial:
    r"""Beta accuracies: :math:`\theta_j \sim \mathrm{Beta}(\alpha, \beta)`.

    The prior is :math:`p(\alpha, \beta) \propto (\alpha + \beta + 1)^{-5/2}`. It is
    specific to this package: the prior of [1]_ lacks the 1, and its posterior is
    improper if no group has both right and wrong predictions. This prior is proper: the
    mean :math:`\alpha / (\alpha + \beta)` is uniform, and the density of :math:`t =
    (\alpha + \beta)^{-1/2}`, about the spread of the groups, is proportional to
    :math:`(1 + t^2)^{-5/2}`. The location is the log-odds of the mean, and the
    concentration is :math:`\log(\alpha + \beta)`.

    References
    ----------
    .. [1] A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari and D. B.
       Rubin, Bayesian Data Analysis, 3rd edition, chapter 5, CRC Press, 2013.

    Examples
    --------
    >>> from skpostbac.stats import BetaBinomial
    >>> BetaBinomial()
    BetaBinomial()
    """

    # Mean and precision of the log-odds of a uniform variable
    _location_prior: ClassVar[tuple[float, float]] = (0.0, 3 / np.pi**2)

    def _repr_html_(self) -> str:
        return block(repr(self))

    def _largest_spread(self, n_mixed: float) -> float:
        """Return (alpha + beta)^(-1/2) beyond which no posterior counts."""
        return float(np.exp(15.0))

    def _least_spread(self, total: float) -> float:
        """Return half the standard deviation of one accuracy of all groups."""
        return float(0.5 / np.sqrt(total + 4))

    def _log_prior(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log prior density of the two parameters."""
        uniform = log_expit(location) + log_expit(-location)
        return np.asarray(
            uniform + 2 * concentration - 2.5 * np.logaddexp(0, concentration)
        )

    def _log_evidence(
        self, location: Floats, concentration: Floats, correct: Floats, total: Floats
    ) -> Floats:
        """Return log probabilities of counts, less the binomial coefficients."""
        a, b = self._exponents(location, concentration)
        wrong = total - correct
        binomial = correct * log_expit(location) + wrong * log_expit(-location)
        excess = (
            log_rising(a, correct) + log_rising(b, wrong) - log_rising(a + b, total)
        )
        return np.asarray(binomial + excess)

    def _terms(self, u: Floats) -> Floats:
        """Return 1, and logs of the accuracy and its complement, shape (n_u, 3)."""
        return np.stack([np.ones_like(u), log_expit(u), log_expit(-u)], axis=-1)

    def _coefficients(self, location: Floats, concentration: Floats) -> Floats:
        """Return factors of `_terms` in the log density of log-odds, shape (3, n)."""
        a, b = self._exponents(location, concentration)
        return np.stack([-log_beta(a, b), a, b])

    def _spread(self, location: Floats, concentration: Floats) -> Floats:
        """Return the standard deviation of the log-odds of one group."""
        a, b = self._exponents(location, concentration)
        return np.sqrt(polygamma(1, a) + polygamma(1, b))

    def _mean_log_odds(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log-odds of the mean accuracy in the population."""
        return location + 0 * concentration

    def _exponents(
        self, location: Floats, concentration: Floats
    ) -> tuple[Floats, Floats]:
        """Return alpha and beta, which do not underflow."""
        log_a, log_b = (
            concentration + log_expit(location),
            concentration + log_expit(-location),
        )
        return np.exp(np.maximum(log_a, -300.0)), np.exp(np.maximum(log_b, -300.0))


# Rows reach down to exp(-depth) of the maximum.
_DEPTH, _TINY = 70.0, 0.05
# Largest ratio of the width of a row to the spread of the groups that nodes resolve.
_LARGEST_RATIO = 50.0
# Locations are spread like the sinh of z so many scales from the middle of a row.
_TURN = 4.0
# Where a row is looked at, out to where nothing is left.
_LOOKS = np.linspace(-13.0, 13.0, 41)
# Between the nodes the log posterior is a Chebyshev series of this degree.
_DEGREE = 96
_POINTS: Floats = chebpts1(_DEGREE + 1)
_TO_SERIES = np.asarray(np.linalg.inv(chebvander(_POINTS, _DEGREE)), np.float64)


@dataclass(frozen=True)
class _Rows(Rows):
    """A row of locations, or other log-odds, for each of n concentrations.

    Attributes
    ----------
    concentration, log_weight : nodes of the rule for the integral over the log
        concentration.
    middle, scale, low, high : locations are ``middle + scale * 4 sinh(z / 4)``, z in
        [low, high].
    """

    concentration: Floats
    log_weight: Floats
    middle: Floats
    scale: Floats
    low: Floats
    high: Floats

    def location(self, z: Floats) -> Floats:
        """Location at z, shape (..., n)."""
        return np.asarray(self.middle + self.scale * _TURN * np.sinh(z / _TURN))

    def z(self, location: Floats) -> Floats:
        """Return z at a location, shape (..., n)."""
        return np.asarray(
            _TURN * np.arcsinh((location - self.middle) / (self.scale * _TURN))
        )

    def log_slope(self, z: Floats) -> Floats:
        """Log of the derivative of the location by z."""
        return np.asarray(np.log(self.scale * np.cosh(z / _TURN)))

    def at(self, v: Floats) -> Floats:
        """Return z at a position v on [-1, 1], the argument of a series."""
        return np.asarray(
            0.5 * (self.low + self.high) + 0.5 * (self.high - self.low) * v
        )

    @property
    def points(self) -> Floats:
        """Locations of which the values make a series, shape (degree + 1, n)."""
        return self.location(self.at(_POINTS[:, None]))

    def log_mixture(self, log_densities: Floats) -> Callable[[Floats], Floats]:
        """Return the log of a sum of densities of locations, given logs at points."""
        series = _chebyshev(log_densities)

        def log_density(u: Floats) -> Floats:
            v = (2 * self.z(u[:, None]) - self.low - self.high) / (self.high - self.low)
            inside = np.clip(v, -1.0, 1.0)
            # Beyond the ends of a row it falls by so much for each half of their
            # length.
            values = chebval(inside, series, tensor=False) - 1e4 * np.abs(v - inside)
            return np.asarray(logsumexp(values, axis=1))

        return log_density


def _chebyshev(values: Floats) -> Floats:
    """Return Chebyshev series in v, along the first axis, of values at the points."""
    flat = values.reshape(_DEGREE + 1, -1)
    return matrix_product(_TO_SERIES, flat).reshape(values.shape)


class GroupInference:
    """The posterior of a population, of its groups, and of one more group.

    Parameters
    ----------
    prior : NormalBinomial or BetaBinomial
        How the accuracies vary between groups.
    correct, total : ndarray of shape (m,)
        Counts of the groups.
    """

    def __init__(
        self, prior: NormalBinomial | BetaBinomial, correct: Floats, total: Floats
    ) -> None:
        self._prior = prior
        # Groups of the same counts are computed once.
        self._kinds, kind, count = np.unique(
            np.stack([correct, total]), axis=1, return_inverse=True, return_counts=True
        )
        self._kind, self._count = kind.ravel(), count.astype(float)
        self._rows = self._place_rows()
        rows = self._rows
        of_kinds = self._log_evidence(rows.points, rows.concentration)
        self._log_posterior = (
            self._prior._log_prior(rows.points, rows.concentration)
            + of_kinds @ self._count
            + rows.log_weight
        )
        # Nodes and log weights, of sum one, that resolve groups around each location,
        # and their log evidence of each kind, shape (n, n_kinds)
        ratio = rows.scale / self._prior._spread(rows.middle, rows.concentration)
        # Groups that are closer to alike are taken as spread so much, which widens a
        # distribution by 2e-4.
        narrowed = np.log(np.maximum(ratio / _LARGEST_RATIO, 1.0))
        step = 0.5 / np.hypot(1.0, np.minimum(ratio, _LARGEST_RATIO))
        sizes = np.ceil((rows.high - rows.low) / step).astype(int)
        # A midpoint rule along each row
        v = np.concatenate([(np.arange(n) + 0.5) / n for n in sizes]) * 2 - 1
        row = np.repeat(np.arange(sizes.size), sizes)
        both = _chebyshev(
            np.concatenate([self._log_posterior[..., None], of_kinds], axis=-1)
        )
        basis = np.split(chebvander(v, _DEGREE), np.cumsum(sizes)[:-1])
        values = np.concatenate([part @ both[:, i] for i, part in enumerate(basis)])
        place = rows[row]
        z = place.at(v)
        log_weight = (
            values[:, 0]
            + place.log_slope(z)
            + np.log((place.high - place.low) / sizes[row])
        )
        kept = log_weight > log_weight.max() - _DEPTH
        self._location = place.location(z)[kept]
        self._concentration = (place.concentration - 2 * narrowed[row])[kept]
        self._log_total = float(logsumexp(log_weight))
        self._log_weight = (log_weight - self._log_total)[kept]
        self._evidence = values[kept, 1:]
        # Log densities are sums of terms as large as this.
        largest = float(total.sum()) + float(np.exp(self._concentration.max()))
        self._tolerance = 1e-10 + 10 * EPS * largest

    def _log_evidence(self, location: Floats, concentration: Floats) -> Floats:
        """Log evidence of each kind of group, along a new last axis."""
        columns = [
            self._prior._log_evidence(location, concentration, correct, total)
            for correct, total in self._kinds.T
        ]
        return np.stack(columns, axis=-1)

    def _log_density(self, location: Floats, concentration: Floats) -> Floats:
        """Log posterior density of the location and of the log concentration."""
        prior = self._prior._log_prior(location, concentration)
        return np.asarray(
            prior + self._log_evidence(location, concentration) @ self._count
        )

    def _normal(self, concentration: Floats) -> tuple[Floats, Floats]:
        """Mean and deviation of the location, as if all log-odds were normal."""
        right, wrong = self._kinds[0] + 0.5, self._kinds[1] - self._kinds[0] + 0.5
        edges, noise = np.log(right / wrong), 1 / right + 1 / wrong
        mean, precision = self._prior._location_prior
        centre = (self._count @ (edges / noise) + mean * precision) / (
            self._count @ (1 / noise) + precision
        )
        spread = self._prior._spread(centre, concentration)
        weights = self._count / (noise + spread[:, None] ** 2)
        total = weights.sum(axis=1) + precision
        return (weights @ edges + precision * mean) / total, 1 / np.sqrt(total)

    def _spreads(self) -> tuple[Floats, Floats]:
        """Concentrations wherever the posterior counts, and logs of their weights."""
        correct, total = self._kinds
        unit = self._prior._least_spread(float(self._count @ total))
        is_mixed = (correct > 0) & (correct < total)
        largest = self._prior._largest_spread(float(self._count[is_mixed].sum()))

        def stretched(y: Floats) -> tuple[Floats, Floats]:
            """Concentration at y, and the log of its derivative."""
            return -2 * np.log(unit * np.sinh(y)), np.log(2 / np.tanh(y))

        def scan(low: float, high: float) -> tuple[Floats, Floats]:
            """Return some y in a range, and about the log of the share of each."""
            y = np.linspace(low, high, 67)[1::2]
            concentration, log_slope = stretched(y)
            middle, scale = self._normal(concentration)
            looks = np.linspace(-4.0, 4.0, 9)[:, None]
            values = self._log_density(middle + scale * looks, concentration)
            return y, np.asarray(logsumexp(values, axis=0) + np.log(scale) + log_slope)

        low, high = 0.0, float(np.arcsinh(largest / unit))
        for _ in range(3):
            y, share = scan(low, high)
            inside, gap = y[share > share.max() - _DEPTH], float(y[1] - y[0])
            low, high = (
                max(float(inside[0]) - gap, low),
                min(float(inside[-1]) + gap, high),
            )
        y, share = scan(low, high)
        share -= logsumexp(share)
        weights = np.exp(share)
        deviation = float(np.sqrt(weights @ (y - weights @ y) ** 2))
        # How far the log-odds of the mean move along y, and across
        near = y[share > -20.0]
        middle, scale = self._normal(stretched(near)[0])
        up, down = (
            self._prior._mean_log_odds(middle, stretched(near * f)[0])
            for f in (1 + _TINY, 1 - _TINY)
        )
        right, left = (
            self._prior._mean_log_odds(middle + x * scale, stretched(near)[0])
            for x in (_TINY, -_TINY)
        )
        turn = float(np.max(np.abs(up - down) / near / (right - left), initial=_TINY))
        # Of less than half a standard deviation of y, and so that the mean accuracy
        # moves by less than .8 widths of its distribution given y
        step = max(min(0.22, 0.5 * deviation, 0.8 / turn), (high - low) / 160)
        y = step * (np.arange(np.floor(low / step), np.ceil(high / step) + 1) + 0.5)
        concentration, log_slope = stretched(y)
        return concentration, log_slope + np.log(step)

    def _place_rows(self) -> _Rows:
        """Place a row of locations where the posterior counts."""
        concentration, log_weight = self._spreads()
        low, high = np.full((2, concentration.size), [[_LOOKS[0]], [_LOOKS[-1]]])
        rough = _Rows(
            concentration, log_weight, *self._normal(concentration), low, high
        )
        location = rough.location(_LOOKS[:, None])
        values = self._log_density(location, concentration) + log_weight
        mass = np.exp(values - values.max(axis=0) + rough.log_slope(_LOOKS[:, None]))
        mass /= mass.sum(axis=0)
        middle = np.sum(mass * location, axis=0)
        deviation = np.sqrt(np.sum(mass * (location - middle) ** 2, axis=0))
        # Not narrower than what the looks resolve
        rows = replace(
            rough, middle=middle, scale=np.maximum(deviation, 0.3 * rough.scale)
        )
        inside = values > values.max() - _DEPTH
        # Each range has a look beyond it on either side.
        first = np.maximum(inside.argmax(axis=0) - 1, 0)
        last = _LOOKS.size - 1 - np.maximum(inside[::-1].argmax(axis=0) - 1, 0)
        row = np.arange(concentration.size)
        low, high = rows.z(location[first, row]), rows.z(location[last, row])
        return replace(rows, low=low, high=high)[inside.any(axis=0)]

    @cached_property
    def _shape(self) -> tuple[float, float]:
        """A point amid the posterior of the location, and its width."""
        weight = np.exp(self._log_weight)
        mean = float(weight @ self._location)
        return mean, float(np.sqrt(weight @ (self._location - mean) ** 2))

    def population_location(self) -> LogitDistribution:
        """Distribution of the accuracy at the location."""
        log_density = self._rows.log_mixture(self._log_posterior)
        return LogitDistribution(log_density, *self._shape, self._tolerance)

    def population_mean(self) -> LogitDistribution:
        """Distribution of the mean of the accuracies in the population."""
        if isinstance(self._prior, BetaBinomial):
            return self.population_location()
        rows = self._rows
        means = _chebyshev(self._prior._mean_log_odds(rows.points, rows.concentration))
        slopes = np.asarray(chebder(means), float)

        def mean(v: Floats) -> Floats:
            return np.asarray(chebval(v, means, tensor=False))

        def slope(v: Floats) -> Floats:
            # Of spreads that hardly count, all means are 1/2.
            return np.asarray(np.maximum(chebval(v, slopes, tensor=False), 1e-13))

        # Rows of means between the same ends, spread like the locations about the same
        # middle
        middle = np.clip(-(rows.low + rows.high) / (rows.high - rows.low), -1.0, 1.0)
        scale = 2 * slope(middle) / (rows.high - rows.low)
        own = replace(rows, middle=mean(middle), scale=scale)
        low, high = (
            own.z(mean(-np.ones_like(middle))),
            own.z(mean(np.ones_like(middle))),
        )
        own = replace(own, low=low, high=np.maximum(high, low + _TINY))
        # Positions v of their points, by Newton's method from the nearest known ones
        wanted, known = own.points, -np.cos(np.linspace(0.0, np.pi, 4 * _DEGREE))
        grid = np.maximum.accumulate(chebval(known, means), axis=1)
        v = np.stack(
            [np.interp(x, y, known) for x, y in zip(wanted.T, grid, strict=True)],
            axis=1,
        )
        for _ in range(5):
            v = np.clip(v - (mean(v) - wanted) / slope(v), -1.0, 1.0)
        stretch = rows.log_slope(rows.at(v)) + np.log(
            0.5 * (rows.high - rows.low) / slope(v)
        )
        log_posterior = chebval(v, _chebyshev(self._log_posterior), tensor=False)
        return LogitDistribution(
            own.log_mixture(log_posterior + stretch), *self._shape, self._tolerance
        )

    def new_group(self) -> LogitDistribution:
        """Distribution of the accuracy of one more group."""
        return self._group(self._log_weight, 0.0, 0.0)

    def groups(self, number: int) -> list[LogitDistribution]:
        """Distributions of the first groups, one for all that have the same counts."""
        kinds = self._kind[:number].tolist()
        distributions = {
            kind: self._group(
                self._log_weight - self._evidence[:, kind], *self._kinds[:, kind]
            )
            for kind in dict.fromkeys(kinds)
        }
        return [distributions[kind] for kind in kinds]

    def _group(
        self, log_weight: Floats, correct: float, total: float
    ) -> LogitDistribution:
        """Distribution of a group with these counts, given weights of nodes."""
        mixed = self._prior._coefficients(self._location, self._concentration)
        mixed[0] += log_weight
        wrong = total - correct

        def log_density(u: Floats) -> Floats:
            blocks = (u[i : i + 128] for i in range(0, u.size, 128))
            logs = [log_sum((self._prior._terms(block) @ mixed).T) for block in blocks]
            # The log probability of the counts, less its maximum
            likelihood = (
                log_binomial(u, correct, wrong)
                if correct and wrong
                else correct * log_expit(u) + wrong * log_expit(-u)
            )
            return likelihood + np.concatenate(logs)

        # A point amid it, and its width, as if all were normal
        centre, width = self._shape
        best = np.argmax(self._log_weight)
        spread = self._prior._spread(self._location[best], self._concentration[best])
        edge = np.log((correct + 0.5) / (wrong + 0.5))
        information = (correct + 0.5) * (wrong + 0.5) / (total + 1) if total else 0.0
        precision = 1 / (width**2 + spread**2)
        weight = information + precision
        start = (information * edge + precision * centre) / weight
        return LogitDistribution(
            log_density, float(start), float(1 / np.sqrt(weight)), self._tolerance
        )

    def log_evidence(self) -> float:
        """Return the log probability of all counts under a Beta population.

        The binomial coefficients are left out.
        """
        assert isinstance(self._prior, BetaBinomial)
        # The integral of the prior over the concentration is 4/3.
        return self._log_total + float(np.log(0.75))

    def sample_groups(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw accuracies of all groups of a Beta population, shape (n_draws, m).

        Given the parameters, they are independent Betas.
        """
        assert isinstance(self._prior, BetaBinomial)
        weight = np.exp(self._log_weight - self._log_weight.max())
        node = rng.choice(weight.size, n_draws, p=weight / weight.sum())
        a, b = self._prior._exponents(self._location[node], self._concentration[node])
        correct, total = self._kinds[:, self._kind]
        draws = rng.beta(a[:, np.newaxis] + correct, b[:, np.newaxis] + total - correct)
        return np.asarray(draws, np.float64)
