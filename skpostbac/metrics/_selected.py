"""Posterior of the best of several candidates, which was selected on its test samples.

The choice is repeated on bootstrap samples, drawn within each class (Efron, Journal of
the American Statistical Association 78, 1983). With A the observed score, A_b that of
bootstrap sample b, c the best candidate and c_b the best one there, the optimism is the
mean over b of

    A_b(c_b) - A(c_b) = [A_b(c_b) - A_b(c)] + [A(c) - A(c_b)] + [A_b(c) - A(c)].

The last term has the mean zero and is left out: what remains is positive, and varies
less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skpostbac._utils import Floats, float_or_nan, shown, table
from skpostbac.metrics._dependence import sequence_error
from skpostbac.metrics._posterior import (
    ScalarPosterior,
)
from skpostbac.stats import BoundedDistribution
from skpostbac.stats._distribution import estimate_rows
from skpostbac.stats._numerics import EPS
from skpostbac.stats._transforms import OddsTransform

# Share of the mean that is left where the optimism is as large as the mean.
_LEAST_KEPT_MEAN = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class SelectedPosterior(ScalarPosterior):
    """Posterior of the best of several scores, corrected for the selection.

    The best of several candidates on the same samples is partly lucky. The optimism is
    the average bias from this selection. The odds x / (1 - x) of the score x are
    multiplied by a factor: the odds of the uncorrected mean less the optimism, divided
    by those of the uncorrected mean. The mean falls by about the optimism, and scores
    up to 1 remain possible. Created by :func:`~skpostbac.selected_posterior` and, for
    the best threshold, by :func:`~skpostbac.posterior_threshold_curve`.

    Attributes
    ----------
    uncorrected : posterior
        Posterior of the selected candidate, ignoring the selection.
    optimism : float
        Estimated average bias of the score from the selection; at least 0.
    optimism_error : float
        Monte Carlo standard error of `optimism`.
    candidate : int or None
        Index of the selected candidate.
    n_candidates : int or None
        Number of candidates.
    name : str or None
        Index and parameters of the selected candidate in a search, or its name in
        paired counts.

    Raises
    ------
    ValueError
        If `optimism` or `optimism_error` is negative or not a number.
    TypeError
        If `uncorrected` is not a posterior with an exact distribution.

    Notes
    -----
    The summary also has "optimism", "optimism_error" and "uncorrected_mean".

    References
    ----------
    .. [1] B. Efron (1983). Estimating the error rate of a prediction rule: improvement
       on cross-validation. Journal of the American Statistical Association 78, 316-331.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> from skpostbac.metrics import SelectedPosterior
    >>> uncorrected = PosteriorBalancedAccuracy.from_counts([40, 8], [45, 10])
    >>> SelectedPosterior(uncorrected, optimism=0.03, optimism_error=0.002)
    SelectedPosterior(mean=0.798, 95% CI=[0.634, 0.930], optimism=0.030)
    >>> print(SelectedPosterior(uncorrected, optimism=0.03, n_candidates=56).report())
    The balanced accuracy of the best is 0.798 (95% credible interval 0.634 to 0.930).
    It was selected among 56 on the same samples, which inflates it by 0.030 on average.
    Uncorrected: 0.827 (95% credible interval 0.678 to 0.943).
    """

    uncorrected: ScalarPosterior
    optimism: float
    optimism_error: float = 0.0
    candidate: int | None = None
    n_candidates: int | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        distribution = getattr(self.uncorrected, "distribution", None)
        if not isinstance(distribution, BoundedDistribution):
            raise TypeError(
                "uncorrected must be a posterior with an exact distribution, "
                f"got {shown(self.uncorrected)}"
            )
        for name in ("optimism", "optimism_error"):
            number = float_or_nan(getattr(self, name))
            if not 0 <= number < np.inf:
                raise ValueError(
                    f"{name} must be a number of at least 0, got "
                    f"{shown(getattr(self, name))}"
                )
            object.__setattr__(self, name, number)

    def _trials(self) -> tuple[Floats, Floats]:
        raise sequence_error("this is the best of several on the same samples")

    @cached_property
    def distribution(self) -> BoundedDistribution:
        """Distribution with the odds multiplied, uncorrected without optimism."""
        uncorrected = self.uncorrected.distribution
        assert isinstance(uncorrected, BoundedDistribution)
        return (
            OddsTransform(uncorrected, self._factor) if self.optimism else uncorrected
        )

    @property
    def _factor(self) -> float:
        """Ratio of the odds of the mean less the optimism to those of the mean."""
        mean = self.uncorrected.mean()
        (low, high) = self.uncorrected.distribution.support()
        # The mean may round to an end.
        below, above = (
            max(part, EPS * (high - low)) for part in (mean - low, high - mean)
        )
        lowered = min(self.optimism, (1 - _LEAST_KEPT_MEAN) * below)
        return (1 - lowered / below) / (1 + lowered / above)

    @property
    def score_name(self) -> str:
        """Name of the metric, as in the uncorrected posterior."""
        return self.uncorrected.score_name

    def lower_bound(self, level: float = 0.95) -> float:
        """Return a lower bound, which is at most that without correction.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> from skpostbac.metrics import SelectedPosterior
        >>> uncorrected = PosteriorBalancedAccuracy.from_counts([40, 8], [45, 10])
        >>> SelectedPosterior(uncorrected, optimism=0.03).lower_bound()
        0.6627
        """
        return min(super().lower_bound(level), self.uncorrected.lower_bound(level))

    def _more_statistics(self, level: float) -> dict[str, float]:
        return {
            "optimism": self.optimism,
            "optimism_error": self.optimism_error,
            "uncorrected_mean": self.uncorrected.mean(),
        }

    def _sentences(self, level: float) -> list[str]:
        estimate = self._describe(level)
        if self.n_candidates == 1 and not self.optimism:
            return [
                f"The {self._name} is {estimate}.",
                "It was the only one, so it is not corrected.",
            ]
        number = "" if self.n_candidates is None else f" among {self.n_candidates}"
        effect = "did not inflate it, so it is not corrected."
        if self.optimism:
            size = (
                "less than 0.001" if self.optimism < 0.0005 else f"{self.optimism:.3f}"
            )
            plain = self.uncorrected._describe(level)
            effect = f"inflates it by {size} on average. Uncorrected: {plain}."
        best = "the best" if self.name is None else f"the best ({self.name})"
        return [
            f"The {self._name} of {best} is {estimate}.",
            f"It was selected{number} on the same samples, which {effect}",
        ]

    def _html_tables(self) -> list[str]:
        uncorrected = self.uncorrected.distribution
        estimates = estimate_rows(
            {"corrected": self.distribution, "uncorrected": uncorrected}
        )
        return [table(("", "mean", "95% CI"), estimates)]

    def __repr__(self) -> str:
        facts = [self._summary(), f"optimism={self.optimism:.3f}"]
        if self.n_candidates is not None:
            facts.append(f"n_candidates={self.n_candidates}")
        return f"SelectedPosterior({', '.join(facts)})"


class Optimism(NamedTuple):
    """Bias of the best score from selection on the same samples."""

    mean: float
    """Mean over the bootstrap samples."""
    error: float
    """Its Monte Carlo standard error."""


def optimism_of_choice(observed: Floats, again: Floats) -> Optimism:
    """Return the optimism of choosing the best of several candidates.

    Parameters
    ----------
    observed : ndarray of shape (n_candidates,)
        The score of each candidate.
    again : ndarray of shape (n_samples, n_candidates)
        Its score in each of two or more bootstrap samples.

    Examples
    --------
    >>> import numpy as np
    >>> optimism_of_choice(
    ...     np.array([0.8, 0.7]), np.array([[0.75, 0.8], [0.9, 0.7]])
    ... ).mean
    0.075
    """
    best = np.argmax(observed)
    chosen = np.argmax(again, axis=1)
    gains = again[np.arange(len(again)), chosen] - again[:, best]
    found = gains + (observed[best] - observed[chosen])
    return Optimism(float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found))))
