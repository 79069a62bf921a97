"""Posterior of a metric by its name: exact, or by random draws with their errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import (
    check_level,
    describe_estimate,
    format_estimate,
    format_number,
    table,
)
from skpostbac.metrics._posteriors.base import ScalarPosterior
from skpostbac.stats import BoundedDistribution, Interval
from skpostbac.stats._distribution import (
    DEFAULT_INTERVAL,
    DrawnPosterior,
    IntervalMethod,
    check_interval_method,
    describe_draws,
    errors_of,
)


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorMetric(ScalarPosterior):
    """Posterior of a metric that has a value in the samples.

    The summary also has "observed" (the metric of the samples), and the Monte Carlo standard errors
    of the mean, "monte_carlo_error", and of both ends, "low_error" and "high_error"; they are 0 if
    the distribution is exact.
    """

    metric: str
    observed: float
    _distribution: BoundedDistribution | DrawnPosterior

    @property
    def distribution(self) -> BoundedDistribution | DrawnPosterior:
        """Posterior distribution of the metric."""
        return self._distribution

    def monte_carlo_error(self) -> float:
        """Return the Monte Carlo standard error of the mean; 0 if the distribution is exact.

        Examples
        --------
        >>> from skpostbac import PosteriorConfusionMetric
        >>> C = [[166, 25], [21, 188]]
        >>> PosteriorConfusionMetric.from_confusion_matrix(C, "accuracy").monte_carlo_error()
        0.0
        """
        drawn = self._distribution
        return drawn.monte_carlo_error() if isinstance(drawn, DrawnPosterior) else 0.0

    def credible_interval_error(
        self, level: float = 0.95, *, method: IntervalMethod = DEFAULT_INTERVAL
    ) -> Interval:
        """Return the Monte Carlo standard errors of the ends of the credible interval.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval, in (0, 1).
        method : {"hull", "hdi", "central"}, default="hull"
            As for `credible_interval`. The ends of the "hdi" interval have larger errors.

        Returns
        -------
        low, high : float

        Raises
        ------
        ValueError
            If `level` is outside (0, 1), or `method` is invalid.

        Examples
        --------
        >>> from skpostbac import PosteriorConfusionMetric
        >>> kappa = PosteriorConfusionMetric.from_confusion_matrix(
        ...     [[166, 25], [21, 188]], "kappa", random_state=0
        ... )
        >>> kappa.credible_interval()
        Interval(low=0.698, high=0.827)
        >>> kappa.credible_interval_error()
        Interval(low=0.00029, high=0.00093)
        """
        if isinstance(self._distribution, DrawnPosterior):
            return self._distribution.credible_interval_error(level, method=method)
        check_level(level)
        check_interval_method(method)
        return Interval(0.0, 0.0)

    def _more_figures(self, level: float) -> dict[str, float]:
        errors = dict.fromkeys(("monte_carlo_error", "low_error", "high_error"), 0.0)
        if isinstance(self._distribution, DrawnPosterior):
            errors = errors_of(self._distribution, level)
        return {"observed": self.observed, **errors}

    def _sentences(self, level: float) -> list[str]:
        name, value = self._centre
        estimate = describe_estimate(value, self.credible_interval(level), level)
        observed = "undefined" if np.isnan(self.observed) else format_number(self.observed)
        if name == "median":
            return [
                f"{self.score_name}: median {estimate}; {observed} in the samples.",
                "The mean is infinite, because a denominator close to 0 is too likely.",
            ]
        sentence = f"{self.score_name}: {estimate}; {observed} in the samples."
        if isinstance(self._distribution, DrawnPosterior):
            return [sentence, describe_draws(self._distribution, level)]
        return [sentence]

    def _html_tables(self) -> list[str]:
        name, value = self._centre
        header = ("metric", "observed", name, "95% CI")
        estimate = format_estimate(value, self.credible_interval())
        observed = "-" if np.isnan(self.observed) else format_number(self.observed)
        return [table(header, [(self.metric, observed, *estimate)])]

    def __repr__(self) -> str:
        facts = [repr(self.metric), self._summary(), *self._facts()]
        if isinstance(self._distribution, DrawnPosterior):
            error = max(self.credible_interval_error())
            facts.append(f"monte_carlo_error={self.monte_carlo_error():.0e}")
            facts.append(f"CI_error={error:.0e}")
        return f"{type(self).__name__}({', '.join(facts)})"

    def _facts(self) -> list[str]:
        """Return what the repr has between the estimate and its errors."""
        return []
