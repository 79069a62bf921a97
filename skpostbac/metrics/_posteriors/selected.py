"""Posterior of a score corrected for selection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skpostbac._utils import (
    describe_estimate,
    float_or_nan,
    format_estimates,
    shown,
    table,
)
from skpostbac.metrics._posteriors.figure import ExactPosterior, FigurePosterior
from skpostbac.stats import Interval, ShiftedDistribution
from skpostbac.stats._distribution import DEFAULT_INTERVAL, IntervalMethod


@dataclass(frozen=True, eq=False, repr=False)
class SelectedPosterior(ExactPosterior):
    """Posterior of the best of several scores, corrected for the selection.

    The best of several candidates on the same samples is partly lucky. The posterior is shifted
    down by the optimism, the average bias from this selection; its width stays the same. Created by
    :func:`~skpostbac.selected_posterior` and, for the best threshold, by
    :func:`~skpostbac.posterior_threshold_curve`.

    Attributes
    ----------
    uncorrected : ExactPosterior
        Posterior of the selected candidate, ignoring the selection.
    optimism : float
        Estimated average bias of the score from the selection; at least 0.
    optimism_error : float
        Monte Carlo standard error of `optimism`.
    candidate : int or None
        Index of the selected candidate.
    n_candidates : int or None
        Number of candidates.

    Raises
    ------
    ValueError
        If `optimism` or `optimism_error` is negative or not a number.
    TypeError
        If `uncorrected` is not a posterior with an exact distribution.

    References
    ----------
    .. [1] B. Efron (1983). Estimating the error rate of a prediction rule: improvement on
       cross-validation. Journal of the American Statistical Association 78, 316-331.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> from skpostbac.metrics import SelectedPosterior
    >>> uncorrected = PosteriorBalancedAccuracy.from_counts([40, 8], [45, 10])
    >>> SelectedPosterior(uncorrected, optimism=0.03, optimism_error=0.002)
    SelectedPosterior(mean=0.797, 95% CI=[0.668, 0.911], optimism=0.030)
    """

    uncorrected: ExactPosterior
    optimism: float
    optimism_error: float = 0.0
    candidate: int | None = None
    n_candidates: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.uncorrected, ExactPosterior):
            raise TypeError(
                "uncorrected must be a posterior with an exact distribution, "
                f"got {shown(self.uncorrected)}"
            )
        for name in ("optimism", "optimism_error"):
            number = float_or_nan(getattr(self, name))
            if not 0 <= number < np.inf:
                raise ValueError(
                    f"{name} must be a number of at least 0, got {shown(getattr(self, name))}"
                )
            object.__setattr__(self, name, number)

    @cached_property
    def distribution(self) -> ShiftedDistribution:
        """Uncorrected distribution, shifted down by the optimism."""
        return ShiftedDistribution(self.uncorrected.distribution, -self.optimism)

    @property
    def score_name(self) -> str:
        """Name of the metric, as in the uncorrected posterior."""
        return self.uncorrected.score_name

    def credible_interval(
        self, level: float = 0.95, *, method: IntervalMethod = DEFAULT_INTERVAL
    ) -> Interval:
        """Return the credible interval of probability `level`, clipped to [0, 1].

        Parameters
        ----------
        level, method
            As for other posteriors.

        Returns
        -------
        interval : Interval
            Named tuple ``(low, high)``.
        """
        low, high = super().credible_interval(level, method=method)
        return Interval(max(low, 0.0), max(high, 0.0))

    def summary(self, level: float = 0.95) -> dict[str, float]:
        """Return summary statistics and the correction.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible interval, in (0, 1).

        Returns
        -------
        figures : dict of str to float
            As for other posteriors, plus "optimism", "optimism_error" and "uncorrected_mean".
        """
        return {
            **super().summary(level),
            "optimism": self.optimism,
            "optimism_error": self.optimism_error,
            "uncorrected_mean": self.uncorrected.mean(),
        }

    def report(self, level: float = 0.95) -> str:
        """Return a text report with and without the correction.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        sentences : str
            One sentence per line.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> from skpostbac.metrics import SelectedPosterior
        >>> uncorrected = PosteriorBalancedAccuracy.from_counts([40, 8], [45, 10])
        >>> print(SelectedPosterior(uncorrected, optimism=0.03, n_candidates=56).report())
        Balanced accuracy of the best: 0.797 (95% credible interval 0.668 to 0.911).
        It was selected among 56 on the same samples, which inflates it by 0.030 on average.
        Uncorrected: 0.827 (95% credible interval 0.698 to 0.941).
        """
        figure, plain = (
            describe_estimate(posterior.mean(), posterior.hdi(level), level)
            for posterior in (self, self.uncorrected)
        )
        if self.n_candidates == 1 and not self.optimism:
            return f"{self.score_name}: {figure}.\nIt was the only one, so it is not corrected."
        number = "" if self.n_candidates is None else f" among {self.n_candidates}"
        return (
            f"{self.score_name} of the best: {figure}.\n"
            f"It was selected{number} on the same samples, which inflates it by "
            f"{self.optimism:.3f} on average. "
            f"Uncorrected: {plain}."
        )

    def _html_tables(self) -> list[str]:
        figures: dict[str, FigurePosterior] = {
            "corrected": self,
            "uncorrected": self.uncorrected,
        }
        estimates = format_estimates(
            [figure.mean() for figure in figures.values()],
            [figure.credible_interval() for figure in figures.values()],
        )
        rows = [(name, *estimate) for name, estimate in zip(figures, estimates, strict=True)]
        return [table(("", "mean", "95% CI"), rows)]

    def __repr__(self) -> str:
        facts = [self._summary(), f"optimism={self.optimism:.3f}"]
        if self.n_candidates is not None:
            facts.append(f"n_candidates={self.n_candidates}")
        return f"SelectedPosterior({', '.join(facts)})"
