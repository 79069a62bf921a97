"""Worst errors of `BetaAverage` against the reference values of the tests."""

import numpy as np

from benchmarks.distributions import (
    N_CLASSES,
    N_SAMPLES,
    REGIMES,
    column,
    exponents,
    record_groups,
    records,
)
from skpostbac.stats import BetaAverage

# Logs of smaller tails are approximations.
_LOG_SMALL = np.log(1e-11)


class AgainstReference:
    """Errors at all points of all distributions of one group."""

    params = tuple(record_groups())
    param_names = ("group",)
    timeout = 600

    def track_cdf_error(self, group):
        return max(map(cdf_error, record_groups()[group]))

    def track_small_tail_error(self, group):
        return max(map(small_tail_error, record_groups()[group]))

    def track_quantile_error(self, group):
        return max(map(quantile_error, record_groups()[group]))

    track_cdf_error.unit = "probability"
    track_small_tail_error.unit = "relative"
    track_quantile_error.unit = "probability"


class RoundTrip:
    """|cdf(icdf(p)) - p|, as it is and less what the spacing of the doubles x explains."""

    params = (N_CLASSES, N_SAMPLES, REGIMES)
    param_names = ("n_classes", "n_samples", "regime")
    timeout = 600

    def setup(self, n_classes, n_samples, regime):
        """Keep to sizes at which the distribution is not slow."""
        if n_classes > 1_000 and n_samples != 100:
            raise NotImplementedError
        self.distribution = BetaAverage(*exponents(n_classes, n_samples, regime))

    def track_round_trip(self, n_classes, n_samples, regime):
        return round_trip(self.distribution)[0].max()

    def track_round_trip_beyond_rounding(self, n_classes, n_samples, regime):
        error, rounding = round_trip(self.distribution)
        return np.maximum(error - rounding, 0.0).max()

    track_round_trip.unit = "probability"
    track_round_trip_beyond_rounding.unit = "probability"


def _distribution(record):
    return BetaAverage(record["a"], record["b"], weights=record["weights"])


def cdf_error(name):
    """Worst absolute error of cdf and ccdf."""
    record = records()[name]
    distribution, x = _distribution(record), column(record, "points", "x")
    return max(
        np.abs(distribution.cdf(x) - column(record, "points", "cdf")).max(),
        np.abs(distribution.ccdf(x) - column(record, "points", "ccdf")).max(),
    )


def small_tail_error(name):
    """Worst relative error of a tail below 1e-11, by a saddlepoint approximation."""
    record = records()[name]
    distribution, x = _distribution(record), column(record, "points", "x")
    worst = 0.0
    for found, tail in (
        (distribution.logcdf(x), "log_cdf"),
        (distribution.logccdf(x), "log_ccdf"),
    ):
        expected = column(record, "points", tail)
        judged = expected < _LOG_SMALL
        worst = max(worst, np.abs(np.expm1(found - expected)[judged]).max(initial=0.0))
    return worst


def quantile_error(name):
    """Worst error of a quantile as a probability, beyond the spacing of the doubles there."""
    record = records()[name]
    distribution = _distribution(record)
    x = distribution.icdf(column(record, "quantiles", "p"))
    distance = np.abs(x - column(record, "quantiles", "x")) - np.spacing(np.abs(x))
    wrong = distance > 0
    return (distance[wrong] * distribution.pdf(x[wrong])).max(initial=0.0)


def round_trip(distribution):
    """|cdf(icdf(p)) - p|, and the change of the cdf over the spacing of the doubles there."""
    p = np.array([1e-6, 0.001, 0.025, 0.25, 0.5, 0.75, 0.975, 0.999, 1 - 1e-6])
    x = distribution.icdf(p)
    return np.abs(distribution.cdf(x) - p), distribution.pdf(x) * np.spacing(np.abs(x))
