"""How the accuracies of groups vary in a population: the two models of group-level inference.

A model has two parameters. The location is a central accuracy of the population, in log-odds; the
concentration, a logarithm, says how much alike the groups are.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit, log_expit, polygamma

from skpostbac._utils import Floats, block, float_or_nan, is_real, parameters
from skpostbac.stats._numerics import log_beta, log_binomial, log_rising


@dataclass(frozen=True)
class NormalBinomial:
    r"""Normal population of log-odds: :math:`\mathrm{logit}\,\theta_j \sim N(\mu, 1/\lambda)`.

    The priors are :math:`\mu \sim N(\mu_0, 1/\eta_0)` and :math:`\lambda \sim
    \mathrm{Gamma}(a_0, b_0)`, with the rate :math:`b_0`. The defaults are the same as in [1]_.

    Parameters
    ----------
    mean : float, default=0.0
        :math:`\mu_0`, in log-odds, between -10 and 10; the ends are within 5e-5 of 0 and 1.
    precision : float, default=1.0
        :math:`\eta_0`, positive.
    shape, rate : float, default=1.0
        :math:`a_0` and :math:`b_0`, positive. If no group has both correct and wrong
        predictions, :math:`a_0` must be at least 0.5.

    Raises
    ------
    ValueError
        If a parameter is not finite, `mean` is out of range, or another one is not positive.
    TypeError
        If a parameter is not a number.

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
            if not is_real(value):
                raise TypeError(f"{name} must be a number, got {value!r:.80}")
        # Farther from the data, location and spread are hard to distinguish.
        if abs(self.mean) > 10:
            raise ValueError(f"mean must be between -10 and 10, in log-odds, got {self.mean!r:.80}")
        for name, value in vars(self).items():
            if not np.isfinite(float_or_nan(value)) or (name != "mean" and value <= 0):
                kind = "finite" if name == "mean" else "finite and positive"
                raise ValueError(f"{name} must be {kind}, got {value!r:.80}")

    def _repr_html_(self) -> str:
        return block(repr(self), parameters(vars(self)))

    def _largest_spread(self, n_mixed: float) -> float:
        """Return the standard deviation beyond which there is no posterior that counts.

        The posterior probability of a larger one is its power -2 `shape` - `n_mixed`, since a
        group with a likelihood that falls on both sides is as unlikely as the spread is large.
        """
        power = self.shape + 0.5 * n_mixed
        # With less, more than 1e-10 of the spreads are beyond 1e10, where the mean of a population
        # is 1/2 to all digits.
        if power < 0.5:
            raise ValueError(
                "shape must be at least 0.5 if no group has both correct and wrong predictions, "
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
        """Return the log probability of the counts of a group, less the binomial coefficient."""
        mean, precision = location, np.exp(concentration)
        # The integral over log-odds rho of the likelihood of a group times the normal density,
        # whose constant is left out at first. The integrand is log-concave. The trapezoid rule in
        # v, with rho = centre + scale sinh(v), goes out to exp(-30) of it.

        def slope(rho: Floats) -> Floats:
            return np.asarray(correct - total * expit(rho) - precision * (rho - mean))

        def log_value(rho: Floats) -> Floats:
            # `log_expit`, in functions of NumPy, which take a quarter of its time
            log_right = np.minimum(rho, 0.0) - np.log1p(np.exp(-np.abs(rho)))
            # correct * log(p) + wrong * log(1 - p), of which log(1 - p) = log(p) - rho
            away = rho - mean
            return np.asarray(
                total * log_right - (total - correct) * rho - 0.5 * precision * away * away
            )

        # About where the likelihood has its maximum, or ceases to rise, and how wide it is there.
        right, wrong = correct + 0.5, total - correct + 0.5
        edge, information = np.log(right / wrong), right * wrong / (right + wrong)
        peak = np.asarray((precision * mean + information * edge) / (precision + information))
        # The slope of the likelihood is between minus and plus the number of samples. Where it is
        # flat the last step is a little off the maximum.
        low, high = mean - total / precision, mean + total / precision
        for _ in range(8):
            fall = slope(peak)
            low, high = np.where(fall > 0, peak, low), np.where(fall > 0, high, peak)
            peak = peak + fall / (precision + total * expit(peak) * expit(-peak))
            peak = np.where((low <= peak) & (peak <= high), peak, 0.5 * (low + high))
        width = 1 / np.sqrt(precision + total * expit(peak) * expit(-peak))
        # Nodes are densest at the peak, or, beside a wide one, at the edge of the likelihood.
        centre = np.where((width > 1) & (np.abs(edge - peak) < 2 * width), edge, peak)
        scale = np.minimum(width, 1.0)
        ends = []
        for side in (-1.0, 1.0):
            # A log-concave function falls at least as fast as its tangent, and as the normal
            # density.
            fall = np.maximum(-side * slope(peak + side * 3 * width), 1e-300)
            reach = np.minimum(np.sqrt(60 / precision), 3 * width + 30 / fall)
            ends.append(np.arcsinh((peak + side * reach - centre) / scale))
        n_nodes, top = 45, log_value(peak)
        step = (ends[1] - ends[0]) / (n_nodes - 1)
        summed, exp_v, turn = np.zeros(np.shape(step)), np.exp(ends[0]), np.exp(step)
        for _ in range(n_nodes):
            half, other = 0.5 * exp_v, 0.5 / exp_v
            # A peak that Newton has not reached is higher, and far from what counts.
            log_ratio = np.minimum(log_value(centre + scale * (half - other)) - top, 600.0)
            summed += (half + other) * np.exp(log_ratio)
            exp_v = exp_v * turn
        constant = 0.5 * (concentration - np.log(2 * np.pi))
        return np.asarray(top + np.log(summed * step * scale) + constant)

    def _terms(self, u: Floats) -> Floats:
        """Return 1, u and the square of u, shape (n_u, 3)."""
        return np.stack([np.ones_like(u), u, u * u], axis=-1)

    def _coefficients(self, location: Floats, concentration: Floats) -> Floats:
        """Return the factors of the `_terms` in the normal log density, shape (3, n)."""
        precision = np.exp(concentration)
        constant = 0.5 * (concentration - np.log(2 * np.pi) - precision * location**2)
        return np.stack([constant, precision * location, -0.5 * precision])

    def _spread(self, location: Floats, concentration: Floats) -> Floats:
        """Return the standard deviation of the log-odds of the accuracy of one group."""
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
    r"""Beta population of accuracies: :math:`\theta_j \sim \mathrm{Beta}(\alpha, \beta)`.

    The prior is :math:`p(\alpha, \beta) \propto (\alpha + \beta + 1)^{-5/2}`. It is specific to
    this package: the prior of [1]_ lacks the 1, and its posterior is improper if no group has both
    right and wrong predictions. This prior is proper: the mean :math:`\alpha / (\alpha + \beta)` is
    uniform, and the density of :math:`t = (\alpha + \beta)^{-1/2}`, about the spread of the groups,
    is proportional to :math:`(1 + t^2)^{-5/2}`. The location is the log-odds of the mean, and the
    concentration is :math:`\log(\alpha + \beta)`.

    References
    ----------
    .. [1] A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari and D. B. Rubin, Bayesian
       Data Analysis, 3rd edition, chapter 5, CRC Press, 2013.

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
        """Return (alpha + beta)^(-1/2) beyond which there is no posterior that counts."""
        return float(np.exp(15.0))

    def _least_spread(self, total: float) -> float:
        """Return about half the standard deviation of one accuracy that all groups have."""
        return float(0.5 / np.sqrt(total + 4))

    def _log_prior(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log prior density of the two parameters."""
        uniform = log_expit(location) + log_expit(-location)
        return np.asarray(uniform + 2 * concentration - 2.5 * np.logaddexp(0, concentration))

    def _log_evidence(
        self, location: Floats, concentration: Floats, correct: Floats, total: Floats
    ) -> Floats:
        """Return the log probability of the counts of a group, less the binomial coefficient."""
        a, b = self._exponents(location, concentration)
        wrong = total - correct
        binomial = correct * log_expit(location) + wrong * log_expit(-location)
        excess = log_rising(a, correct) + log_rising(b, wrong) - log_rising(a + b, total)
        return np.asarray(binomial + excess)

    def _terms(self, u: Floats) -> Floats:
        """Return 1 and the logs of the accuracy and of its complement, shape (n_u, 3)."""
        return np.stack([np.ones_like(u), log_expit(u), log_expit(-u)], axis=-1)

    def _coefficients(self, location: Floats, concentration: Floats) -> Floats:
        """Return the factors of the `_terms` in the log density of the log-odds, shape (3, n)."""
        a, b = self._exponents(location, concentration)
        return np.stack([-log_beta(a, b), a, b])

    def _spread(self, location: Floats, concentration: Floats) -> Floats:
        """Return the standard deviation of the log-odds of the accuracy of one group."""
        a, b = self._exponents(location, concentration)
        return np.sqrt(polygamma(1, a) + polygamma(1, b))

    def _mean_log_odds(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log-odds of the mean accuracy in the population."""
        return location + 0 * concentration

    def _exponents(self, location: Floats, concentration: Floats) -> tuple[Floats, Floats]:
        """Return alpha and beta, which do not underflow."""
        log_a, log_b = concentration + log_expit(location), concentration + log_expit(-location)
        return np.exp(np.maximum(log_a, -300.0)), np.exp(np.maximum(log_b, -300.0))


def log_likelihood(u: Floats, correct: float, total: float) -> Floats:
    """Log probability of the counts of a group at log-odds u, less its maximum."""
    wrong = total - correct
    if not correct or not wrong:
        return correct * log_expit(u) + wrong * log_expit(-u)
    return log_binomial(u, correct, wrong)
