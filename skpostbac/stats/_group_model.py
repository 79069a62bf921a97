"""How the accuracies of groups vary in a population: the two models of group-level inference.

A model has two parameters. The location is a central accuracy of the population, in log-odds; the
concentration, a logarithm, says how much alike the groups are.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit, log_expit, polygamma

from skpostbac.stats._points import Floats
from skpostbac.stats._special import expm1mx, log1pmx, stirling_remainder

# Nodes of the integral over the accuracy of a group, out to exp(-30) of the integrand.
_N_INNER = 45
_DEPTH = 30.0
_NEWTON_STEPS = 8
# Log of the least exponent of a Beta.
_LEAST = -300.0


class GroupModel(Protocol):
    """What group-level inference needs to know of a model. All arguments are broadcast."""

    @property
    def concentrations(self) -> tuple[float, float]:
        """Range of the log concentration that holds all of its posterior that counts."""
        ...

    @property
    def largest_step(self) -> float:
        """Step of the log concentration that is fine enough whatever the counts."""
        ...

    def log_prior(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log prior density of the two parameters."""
        ...

    def log_evidence(
        self, location: Floats, concentration: Floats, correct: Floats, total: Floats
    ) -> Floats:
        """Return the log probability of the counts of a group, less the binomial coefficient."""
        ...

    def log_density(self, u: Floats, location: Floats, concentration: Floats) -> Floats:
        """Return the log density of the log-odds u of the accuracy of one group."""
        ...

    def spread(self, location: Floats, concentration: Floats) -> Floats:
        """Return the standard deviation of the log-odds of the accuracy of one group."""
        ...

    def log_mean(self, location: Floats, concentration: Floats) -> tuple[Floats, Floats]:
        """Return the logs of the mean accuracy in the population, and of its complement."""
        ...


@dataclass(frozen=True)
class NormalBinomial:
    r"""Normal population of log-odds: :math:`\mathrm{logit}\,\theta_j \sim N(\mu, 1/\lambda)`.

    The priors are :math:`\mu \sim N(\mu_0, 1/\eta_0)` and :math:`\lambda \sim
    \mathrm{Gamma}(a_0, b_0)`, with the rate :math:`b_0`. The defaults are those of [1]_.

    Parameters
    ----------
    mean : float, default=0.0
        :math:`\mu_0`, in log-odds.
    precision : float, default=1.0
        :math:`\eta_0`, positive.
    shape, rate : float, default=1.0
        :math:`a_0` and :math:`b_0`, positive.

    Raises
    ------
    ValueError
        If a number is not finite, or not positive where it must be.

    References
    ----------
    .. [1] K. H. Brodersen, J. Daunizeau, C. Mathys, J. R. Chumbley, J. M. Buhmann and
       K. E. Stephan, "Variational Bayesian mixed-effects inference for classification studies",
       NeuroImage 76, 2013, 345-361.

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
            if not np.isfinite(value) or (name != "mean" and value <= 0):
                kind = "finite" if name == "mean" else "finite and positive"
                raise ValueError(f"{name} must be {kind}, got {value!r}")

    @property
    def concentrations(self) -> tuple[float, float]:
        """Range of the log precision that holds all of its posterior that counts."""
        typical = np.log(self.shape / self.rate)
        return typical - 10.0 - 30.0 / self.shape, typical + 10.0

    @property
    def largest_step(self) -> float:
        """Step of the log precision that is fine enough whatever the counts."""
        return 0.3

    def log_prior(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log prior density of the mean and of the log precision."""
        away = location - self.mean
        gamma = self.shape * concentration - self.rate * np.exp(concentration)
        return np.asarray(gamma - 0.5 * self.precision * away * away)

    def log_evidence(
        self, location: Floats, concentration: Floats, correct: Floats, total: Floats
    ) -> Floats:
        """Return the log probability of the counts of a group, less the binomial coefficient."""
        integrand = _Integrand(location, np.exp(concentration), correct, total)
        constant = 0.5 * (concentration - np.log(2 * np.pi))
        return np.asarray(integrand.log_integral() + constant)

    def log_density(self, u: Floats, location: Floats, concentration: Floats) -> Floats:
        """Return the log density of the log-odds u of the accuracy of one group."""
        away = u - location
        constant = 0.5 * (concentration - np.log(2 * np.pi))
        return np.asarray(constant - 0.5 * np.exp(concentration) * away * away)

    def spread(self, location: Floats, concentration: Floats) -> Floats:
        """Return the standard deviation of the log-odds of the accuracy of one group."""
        return np.exp(-0.5 * concentration) + 0.0 * location

    def log_mean(self, location: Floats, concentration: Floats) -> tuple[Floats, Floats]:
        """Return the logs of the mean accuracy in the population, and of its complement."""
        one = np.ones(())
        return (
            self.log_evidence(location, concentration, one, one),
            self.log_evidence(location, concentration, 0 * one, one),
        )


@dataclass(frozen=True)
class BetaBinomial:
    r"""Beta population of accuracies: :math:`\theta_j \sim \mathrm{Beta}(\alpha, \beta)`.

    The prior is :math:`p(\alpha, \beta) \propto (\alpha + \beta + 1)^{-5/2}`, which is proper: the
    mean :math:`\alpha / (\alpha + \beta)` is uniform. The location is its log-odds, and the
    concentration is :math:`\log(\alpha + \beta)`.

    Examples
    --------
    >>> from skpostbac.stats import BetaBinomial
    >>> BetaBinomial()
    BetaBinomial()
    """

    @property
    def concentrations(self) -> tuple[float, float]:
        """Range of log(alpha + beta) that holds all of its posterior that counts."""
        return -30.0, 60.0

    @property
    def largest_step(self) -> float:
        """Step of log(alpha + beta) that is fine enough whatever the counts."""
        return 0.35

    def log_prior(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log prior density of the two parameters."""
        uniform = log_expit(location) + log_expit(-location)
        return np.asarray(uniform + 2 * concentration - 2.5 * np.logaddexp(0, concentration))

    def log_evidence(
        self, location: Floats, concentration: Floats, correct: Floats, total: Floats
    ) -> Floats:
        """Return the log probability of the counts of a group, less the binomial coefficient."""
        a, b = self._exponents(location, concentration)
        wrong = total - correct
        binomial = correct * log_expit(location) + wrong * log_expit(-location)
        excess = _log_rising(a, correct) + _log_rising(b, wrong) - _log_rising(a + b, total)
        return np.asarray(binomial + excess)

    def log_density(self, u: Floats, location: Floats, concentration: Floats) -> Floats:
        """Return the log density of the log-odds u of the accuracy of one group."""
        a, b = self._exponents(location, concentration)
        both = log_expit(location) + log_expit(-location)
        top = 0.5 * (concentration + both - np.log(2 * np.pi)) - _log_beta_remainder(a, b)
        return np.asarray(top + np.exp(concentration) * _log_odds_fall(u, location))

    def spread(self, location: Floats, concentration: Floats) -> Floats:
        """Return the standard deviation of the log-odds of the accuracy of one group."""
        a, b = self._exponents(location, concentration)
        return np.sqrt(polygamma(1, a) + polygamma(1, b))

    def log_mean(self, location: Floats, concentration: Floats) -> tuple[Floats, Floats]:
        """Return the logs of the mean accuracy in the population, and of its complement."""
        zero = 0 * concentration
        return log_expit(location) + zero, log_expit(-location) + zero

    def _exponents(self, location: Floats, concentration: Floats) -> tuple[Floats, Floats]:
        """Alpha and beta, which do not underflow."""
        log_a, log_b = concentration + log_expit(location), concentration + log_expit(-location)
        return np.exp(np.maximum(log_a, _LEAST)), np.exp(np.maximum(log_b, _LEAST))


class _Integrand:
    """Likelihood of a group times the normal density of its log-odds, which is log-concave."""

    def __init__(self, mean: Floats, precision: Floats, correct: Floats, total: Floats) -> None:
        self.mean, self.precision, self.correct, self.total = mean, precision, correct, total
        self.sd = 1 / np.sqrt(precision)
        # About where the likelihood has its maximum, or ceases to rise, and how wide it is there.
        right, wrong = correct + 0.5, total - correct + 0.5
        self.edge = np.log(right / wrong)
        self.information = right * wrong / (right + wrong)

    def log_value(self, rho: Floats) -> Floats:
        """Return the log of the integrand, less the constant of the normal density."""
        away, log_right = rho - self.mean, log_expit(rho)
        # correct * log(p) + wrong * log(1 - p), of which log(1 - p) = log(p) - rho
        binomial = self.total * log_right - (self.total - self.correct) * rho
        return np.asarray(binomial - 0.5 * self.precision * away * away)

    def slope(self, rho: Floats) -> Floats:
        """Return the derivative of the log."""
        away = rho - self.mean
        return np.asarray(self.correct - self.total * expit(rho) - self.precision * away)

    def curvature(self, rho: Floats) -> Floats:
        """Return minus the second derivative of the log."""
        return np.asarray(self.precision + self.total * expit(rho) * expit(-rho))

    def peak(self) -> Floats:
        """Return a point close to the maximum, a little off where the slope is flat."""
        weight = self.precision + self.information
        rho = (self.precision * self.mean + self.information * self.edge) / weight
        # The slope of the likelihood is between minus and plus the number of samples.
        low = self.mean - self.total / self.precision
        high = self.mean + self.total / self.precision
        for _ in range(_NEWTON_STEPS):
            slope = self.slope(rho)
            low, high = np.where(slope > 0, rho, low), np.where(slope > 0, high, rho)
            rho = rho + slope / self.curvature(rho)
            rho = np.where((low <= rho) & (rho <= high), rho, 0.5 * (low + high))
        return np.asarray(rho)

    def centre(self, peak: Floats, width: Floats) -> Floats:
        """Return where the nodes are densest: beside a wide peak, the edge of the likelihood."""
        close = np.abs(self.edge - peak) < 2 * width
        return np.where((width > 1) & close, self.edge, peak)

    def reach(self, peak: Floats, width: Floats, side: float) -> Floats:
        """Return how far from the peak on one side the integrand counts.

        A log-concave function falls at least as fast as its tangent, and as the normal density.
        """
        fall = np.maximum(-side * self.slope(peak + side * 3 * width), 1e-300)
        return np.asarray(np.minimum(np.sqrt(2 * _DEPTH) * self.sd, 3 * width + _DEPTH / fall))

    def log_integral(self) -> Floats:
        """Log of the integral: the trapezoid rule in v, with rho = centre + scale sinh(v)."""
        peak = self.peak()
        width = 1 / np.sqrt(self.curvature(peak))
        left, right = self.reach(peak, width, -1.0), self.reach(peak, width, 1.0)
        centre, scale = self.centre(peak, width), np.minimum(width, 1.0)
        first = np.arcsinh((peak - left - centre) / scale)
        last = np.arcsinh((peak + right - centre) / scale)
        step = (last - first) / (_N_INNER - 1)
        top = self.log_value(peak)
        total = np.zeros(np.shape(step))
        for k in range(_N_INNER):
            v = first + k * step
            log_ratio = self.log_value(centre + scale * np.sinh(v)) - top
            # A peak that Newton has not reached is higher, and far from what counts.
            total += np.cosh(v) * np.exp(np.minimum(log_ratio, 600.0))
        return np.asarray(top + np.log(total * step * scale))


def _log_rising(a: Floats, k: Floats) -> Floats:
    """Return log(Gamma(a + k) / Gamma(a)) - k log(a), without cancellation at large a."""
    ratio, remainder = k / a, stirling_remainder(a + k) - stirling_remainder(a)
    small = np.minimum(ratio, 1.0)
    at_large_a = (k - 0.5) * small + (a + k - 0.5) * log1pmx(small)
    return np.where(ratio < 1, at_large_a, (a + k - 0.5) * np.log1p(ratio) - k) + remainder


def _log_beta_remainder(a: Floats, b: Floats) -> Floats:
    """Return log B(a, b) less its Stirling approximation."""
    return stirling_remainder(a) + stirling_remainder(b) - stirling_remainder(a + b)


def _log_odds_fall(u: Floats, location: Floats) -> Floats:
    """Return p log(x / p) + q log((1 - x) / q) with p = expit(location), q = 1 - p, x = expit(u).

    It is zero at u = location, and negative elsewhere.
    """
    p, q = expit(location), expit(-location)
    near = np.clip(u - location, -0.5, 0.5)
    series = -p * expm1mx(near) - log1pmx(p * np.expm1(near))
    logs = p * (log_expit(u) - log_expit(location)) + q * (log_expit(-u) - log_expit(-location))
    return np.where(near == u - location, series, logs)
