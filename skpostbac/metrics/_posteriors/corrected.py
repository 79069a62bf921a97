"""A posterior that is corrected for the choice of what it is the posterior of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skpostbac._utils import float_or_nan, shown
from skpostbac.metrics._posteriors.figure import ExactPosterior
from skpostbac.stats import Interval, ShiftedDistribution
from skpostbac.stats._distribution import DEFAULT_INTERVAL, IntervalMethod


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedPosterior(ExactPosterior):
    """Posterior of a score that was chosen as the best of several on the same samples.

    Of several candidates the one that does best has had luck, too. What it owes to that on average,
    the optimism of the choice, is taken from each value of its posterior, which keeps its width.
    Made by :func:`posterior_threshold_curve`.

    Attributes
    ----------
    uncorrected : ExactPosterior
        Posterior of what was chosen, as if nobody had chosen it.
    optimism : float
        What the choice adds to the score on average, as far as the samples tell; at least 0.
    optimism_error : float
        Monte Carlo standard error of `optimism`.

    Raises
    ------
    ValueError
        If `optimism` or `optimism_error` is not a number of at least 0.
    TypeError
        If `uncorrected` is no posterior with an exact distribution.

    References
    ----------
    .. [1] B. Efron (1983). Estimating the error rate of a prediction rule: improvement on
       cross-validation. Journal of the American Statistical Association 78, 316-331.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> from skpostbac.metrics import CorrectedPosterior
    >>> uncorrected = PosteriorBalancedAccuracy.from_counts([40, 8], [45, 10])
    >>> CorrectedPosterior(uncorrected, optimism=0.03, optimism_error=0.002)
    CorrectedPosterior(mean=0.791, 95% CI=[0.663, 0.899], optimism=0.030)
    """

    uncorrected: ExactPosterior
    optimism: float
    optimism_error: float = 0.0

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
        """The uncorrected distribution, moved down by the optimism."""
        return ShiftedDistribution(self.uncorrected.distribution, -self.optimism)

    @property
    def score_name(self) -> str:
        """Name of the figure, as of the uncorrected posterior."""
        return self.uncorrected.score_name

    def credible_interval(
        self, level: float = 0.95, *, method: IntervalMethod = DEFAULT_INTERVAL
    ) -> Interval:
        """Return the interval that holds the score with probability `level`, within [0, 1].

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

    def __repr__(self) -> str:
        return f"CorrectedPosterior({self._summary()}, optimism={self.optimism:.3f})"
