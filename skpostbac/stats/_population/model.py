"""How the accuracies of groups vary in a population: the two models of group-level inference.

A model has two parameters. The location is a central accuracy of the population, in log-odds; the
concentration, a logarithm, says how much alike the groups are.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit, log_expit, polygamma

from skpostbac._utils import Floats
from skpostbac.stats._numerics import expm1mx, log1pmx, log_beta, stirling_remainder
from skpostbac.stats._population.prior import BetaBinomial, NormalBinomial

# Nodes of the integral over the accuracy of a group, out to exp(-30) of the integrand.
_N_INNER = 45
_DEPTH = 30.0
_NEWTON_STEPS = 8
# With a smaller shape, and no evidence, more than 1e-10 of the spreads are beyond 1e10, where the
# mean of a population is 1/2 to all digits.
_SMALLEST_SHAPE = 0.5
# Log of the least exponent of a Beta.
_LEAST = -300.0


class GroupModel(Protocol):
    """What group-level inference needs to know of a model. All arguments are broadcast."""

    def largest_spread(self, n_mixed: float) -> float:
        """Spread exp(-concentration / 2) beyond which there is no posterior that counts.

        That depends on the number of groups with both right and wrong predictions.
        """
        ...

    def least_spread(self, total: float) -> float:
        """Return the spread below which nothing changes, given so many samples in all."""
        ...

    @property
    def location_prior(self) -> tuple[float, float]:
        """Mean and precision of a normal distribution that is like the prior of the location."""
        ...

    def log_prior(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log prior density of the two parameters."""
        ...

    def log_evidence(
        self, location: Floats, concentration: Floats, correct: Floats, total: Floats
    ) -> Floats:
        """Return the log probability of the counts of a group, less the binomial coefficient."""
        ...

    def terms(self, u: Floats) -> Floats:
        """Return the functions of the log-odds u of a group that make its log density, (n_u, 3)."""
        ...

    def coefficients(self, location: Floats, concentration: Floats) -> Floats:
        """Return the factors of the `terms` at some parameters, shape (3, n)."""
        ...

    def spread(self, location: Floats, concentration: Floats) -> Floats:
        """Return the standard deviation of the log-odds of the accuracy of one group."""
        ...

    def log_mean(self, location: Floats, concentration: Floats) -> tuple[Floats, Floats]:
        """Return the logs of the mean accuracy in the population, and of its complement."""
        ...


@dataclass(frozen=True)
class NormalModel:
    """Log-odds that are normal in the population."""

    prior: NormalBinomial

    def largest_spread(self, n_mixed: float) -> float:
        """Return the standard deviation beyond which there is no posterior that counts.

        The posterior probability of a larger one is its power -2 `shape` - `n_mixed`, since a
        group with a likelihood that falls on both sides is as unlikely as the spread is large.
        """
        power = self.prior.shape + 0.5 * n_mixed
        if power < _SMALLEST_SHAPE:
            raise ValueError(
                f"shape must be at least {_SMALLEST_SHAPE:g} if no group has both correct and "
                "wrong predictions, as the spread of the groups has no end then; "
                f"got {self.prior.shape!r}"
            )
        typical = np.sqrt(self.prior.rate / self.prior.shape)
        return float(np.exp(5.0 + 15.0 / power) * np.maximum(typical, 1.0))

    def least_spread(self, total: float) -> float:
        """Return the standard deviation below which there is no prior."""
        return float(np.exp(-5.0) * np.sqrt(self.prior.rate / max(self.prior.shape, 0.01)))

    @property
    def location_prior(self) -> tuple[float, float]:
        """Mean and precision of the location."""
        return self.prior.mean, self.prior.precision

    def log_prior(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log prior density of the mean and of the log precision."""
        away = location - self.prior.mean
        gamma = self.prior.shape * concentration - self.prior.rate * np.exp(concentration)
        return np.asarray(gamma - 0.5 * self.prior.precision * away * away)

    def log_evidence(
        self, location: Floats, concentration: Floats, correct: Floats, total: Floats
    ) -> Floats:
        """Return the log probability of the counts of a group, less the binomial coefficient."""
        integrand = _Integrand(location, np.exp(concentration), correct, total)
        constant = 0.5 * (concentration - np.log(2 * np.pi))
        return np.asarray(integrand.log_integral() + constant)

    def terms(self, u: Floats) -> Floats:
        """Return 1, u and the square of u, shape (n_u, 3)."""
        return np.stack([np.ones_like(u), u, u * u], axis=-1)

    def coefficients(self, location: Floats, concentration: Floats) -> Floats:
        """Return the factors of the `terms` in the normal log density, shape (3, n)."""
        precision = np.exp(concentration)
        constant = 0.5 * (concentration - np.log(2 * np.pi) - precision * location**2)
        return np.stack([constant, precision * location, -0.5 * precision])

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


class BetaModel:
    """Accuracies that have a Beta distribution in the population."""

    def largest_spread(self, n_mixed: float) -> float:
        """Return (alpha + beta)^(-1/2) beyond which there is no posterior that counts."""
        return float(np.exp(15.0))

    def least_spread(self, total: float) -> float:
        """Return about half the standard deviation of one accuracy that all groups have."""
        return float(0.5 / np.sqrt(total + 4))

    @property
    def location_prior(self) -> tuple[float, float]:
        """Mean and precision of the log-odds of a uniform variable."""
        return 0.0, 3 / np.pi**2

    def log_prior(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log prior density of the two parameters."""
        uniform = log_expit(location) + log_expit(-location)
        return np.asarray(uniform + 2 * concentration - 2.5 * np.logaddexp(0, concentration))

    def log_evidence(
        self, location: Floats, concentration: Floats, correct: Floats, total: Floats
    ) -> Floats:
        """Return the log probability of the counts of a group, less the binomial coefficient."""
        a, b = self.exponents(location, concentration)
        wrong = total - correct
        binomial = correct * log_expit(location) + wrong * log_expit(-location)
        excess = _log_rising(a, correct) + _log_rising(b, wrong) - _log_rising(a + b, total)
        return np.asarray(binomial + excess)

    def terms(self, u: Floats) -> Floats:
        """Return 1 and the logs of the accuracy and of its complement, shape (n_u, 3)."""
        return np.stack([np.ones_like(u), log_expit(u), log_expit(-u)], axis=-1)

    def coefficients(self, location: Floats, concentration: Floats) -> Floats:
        """Return the factors of the `terms` in the log density of the log-odds, shape (3, n)."""
        a, b = self.exponents(location, concentration)
        return np.stack([-log_beta(a, b), a, b])

    def spread(self, location: Floats, concentration: Floats) -> Floats:
        """Return the standard deviation of the log-odds of the accuracy of one group."""
        a, b = self.exponents(location, concentration)
        return np.sqrt(polygamma(1, a) + polygamma(1, b))

    def log_mean(self, location: Floats, concentration: Floats) -> tuple[Floats, Floats]:
        """Return the logs of the mean accuracy in the population, and of its complement."""
        zero = 0 * concentration
        return log_expit(location) + zero, log_expit(-location) + zero

    def exponents(self, location: Floats, concentration: Floats) -> tuple[Floats, Floats]:
        """Return alpha and beta, which do not underflow."""
        log_a, log_b = concentration + log_expit(location), concentration + log_expit(-location)
        return np.exp(np.maximum(log_a, _LEAST)), np.exp(np.maximum(log_b, _LEAST))


def group_model(prior: NormalBinomial | BetaBinomial) -> GroupModel:
    """Return the model that has some prior."""
    return NormalModel(prior) if isinstance(prior, NormalBinomial) else BetaModel()


def log_likelihood(u: Floats, correct: float, total: float) -> Floats:
    """Log probability of the counts of a group at log-odds u, less its maximum.

    The terms are large, and cancel, close to the maximum.
    """
    wrong = total - correct
    if not correct or not wrong:
        return correct * log_expit(u) + wrong * log_expit(-u)
    return total * _log_odds_fall(u, np.log(correct / wrong))


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
        away = rho - self.mean
        # `log_expit`, in functions of NumPy, which take a quarter of its time.
        log_right = np.minimum(rho, 0.0) - np.log1p(np.exp(-np.abs(rho)))
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


def _log_odds_fall(u: Floats, location: Floats) -> Floats:
    """Return p log(x / p) + q log((1 - x) / q) with p = expit(location), q = 1 - p, x = expit(u).

    It is zero at u = location, and negative elsewhere.
    """
    p, q = expit(location), expit(-location)
    near = np.clip(u - location, -0.5, 0.5)
    series = -p * expm1mx(near) - log1pmx(p * np.expm1(near))
    logs = p * (log_expit(u) - log_expit(location)) + q * (log_expit(-u) - log_expit(-location))
    return np.where(near == u - location, series, logs)
