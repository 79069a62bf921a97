"""Posterior probability of being above chance, with its prior probability."""

from __future__ import annotations

from typing import Any

import numpy as np

from skpostbac._utils import block, format_probability, input_errors, is_real, record, shown
from skpostbac.stats import BoundedDistribution


class ProbAboveChance(float):
    """Posterior probability of being above chance, with its prior and Bayes factor.

    A float; arithmetic returns plain floats. Returned by
    :meth:`skpostbac.PosteriorBalancedAccuracy.prob_above_chance`.

    Parameters
    ----------
    probability : float
        The posterior probability, in [0, 1].
    prior : float
        Prior probability.
    bayes_factor : float
        Posterior odds divided by prior odds; nan where undefined.

    Raises
    ------
    TypeError
        If a parameter is not a real number.
    ValueError
        If a probability is not in [0, 1], or the Bayes factor is negative.

    Attributes
    ----------
    prior, bayes_factor : float
        As the parameters. The Bayes factor is the evidence from the data alone: above 1 it favours
        a classifier better than chance, below 1 it speaks against it. Where a probability is within
        1e-11 of 0 or 1, it is a saddlepoint approximation, mostly good to 1 %.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> probability = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10]).prob_above_chance()
    >>> probability
    ProbAboveChance(0.7878, prior=0.5, bayes_factor=3.712)
    >>> probability.bayes_factor
    3.712
    >>> 1 - probability
    0.2122
    """

    __slots__ = ("_bayes_factor", "_prior")

    _prior: float
    _bayes_factor: float

    def __new__(cls, probability: float, prior: float, bayes_factor: float) -> ProbAboveChance:
        for name, value in {"probability": probability, "prior": prior}.items():
            _check_real(value, name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name} must be in [0, 1], got {value!r}")
        _check_real(bayes_factor, "bayes_factor")
        if bayes_factor < 0:
            raise ValueError(f"bayes_factor must not be negative, got {bayes_factor!r}")
        self = super().__new__(cls, probability)
        self._prior, self._bayes_factor = float(prior), float(bayes_factor)
        return self

    @property
    def prior(self) -> float:
        """Prior probability."""
        return self._prior

    @property
    def bayes_factor(self) -> float:
        """Posterior odds divided by prior odds."""
        return self._bayes_factor

    def __reduce__(self) -> tuple[Any, ...]:
        return ProbAboveChance, (float(self), self.prior, self.bayes_factor)

    def _repr_html_(self) -> str:
        header = ("P(> chance)", "before the data", "Bayes factor")
        probabilities = map(format_probability, (float(self), self.prior))
        return block(repr(self), record(header, *probabilities, f"{self.bayes_factor:.4g}"))

    def __repr__(self) -> str:
        return (
            f"ProbAboveChance({float(self):.6g}, prior={self.prior:.6g}, "
            f"bayes_factor={self.bayes_factor:.6g})"
        )


def _check_real(value: object, name: str) -> None:
    if not is_real(value):
        raise TypeError(f"{name} must be a real number, got {shown(value)}")
    with input_errors(f"{name} must be in the range of a float"):
        float(value)


def prob_above_chance(
    posterior: BoundedDistribution, prior: BoundedDistribution, chance: float
) -> ProbAboveChance:
    """Compare the posterior and prior probabilities of being above chance."""
    above, below = _log_tails(posterior, chance)
    prior_above, prior_below = _log_tails(prior, chance)
    # Where probabilities round to 0 or 1, their logarithms still have the odds.
    with np.errstate(over="ignore"):
        bayes_factor = np.exp((above - below) - (prior_above - prior_below))
    return ProbAboveChance(np.exp(above), np.exp(prior_above), bayes_factor)


def _log_tails(distribution: BoundedDistribution, value: float) -> tuple[float, float]:
    return float(distribution.logccdf(value)), float(distribution.logcdf(value))
