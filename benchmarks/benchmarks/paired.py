"""Time, memory and worst errors of `PairedDifference`."""

import json
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.distributions import column
from benchmarks.ratios import ratio
from benchmarks.reference_implementations import sample_interval
from skpostbac.stats import PairedDifference

REFERENCE = Path(__file__).parents[2] / "tests" / "reference" / "paired_difference.json"

N_CLASSES = [1, 2, 3, 10, 100, 1_000, 10_000]
# Shares of samples on which both, only A, only B and neither are right.
REGIMES = {"ordinary": (0.7, 0.1, 0.12, 0.08), "alike": (0.9, 0.0, 0.0, 0.1)}


def counts(n_classes, n_samples, regime):
    """Counts of classes that all differ in size, with about `n_samples` samples each."""
    sizes = n_samples * (0.5 + np.arange(n_classes) * 0.6180339887498949 % 1.0)
    return np.round(np.outer(sizes, REGIMES[regime]))


class Everywhere:
    """A 95 % interval and the probability that B is better, from the counts to the answer."""

    params = (N_CLASSES, [10, 1_000, 100_000], list(REGIMES))
    param_names = ("n_classes", "n_samples", "regime")
    timeout = 600

    def setup(self, n_classes, n_samples, regime):
        self.counts = counts(n_classes, n_samples, regime)

    def time_interval(self, n_classes, n_samples, regime):
        PairedDifference(self.counts).interval(0.95)

    def time_prob_greater(self, n_classes, n_samples, regime):
        PairedDifference(self.counts).ccdf(0.0)

    def peakmem_interval(self, n_classes, n_samples, regime):
        PairedDifference(self.counts).interval(0.95)


class IntervalToMonteCarlo:
    """A 95 % interval, to that of 5,000 draws of the same Dirichlet variables."""

    params = ([1, 2, 3, 10, 100], [100], list(REGIMES))
    param_names = ("n_classes", "n_samples", "regime")
    timeout = 600
    unit = "ratio"

    def track_ratio(self, n_classes, n_samples, regime):
        cells = counts(n_classes, n_samples, regime)
        rng = np.random.default_rng(0)
        return ratio(
            lambda: PairedDifference(cells).interval(0.95),
            lambda: sample_interval(monte_carlo(cells + 0.5, 5_000, rng)),
        )


class AgainstReference:
    """Worst absolute error of cdf and ccdf over all reference distributions of one regime."""

    params = tuple(
        sorted(
            {
                record["regime"]
                for record in json.loads(REFERENCE.read_text(encoding="utf-8"))
            }
        )
    )
    param_names = ("regime",)
    timeout = 600
    unit = "probability"

    def track_cdf_error(self, regime):
        return max(
            cdf_error(record) for record in records() if record["regime"] == regime
        )


@cache
def records():
    """Reference values of the tests."""
    return json.loads(REFERENCE.read_text(encoding="utf-8"))


def cdf_error(record):
    """Worst absolute error of cdf and ccdf of one distribution."""
    distribution = PairedDifference(
        record["counts"], prior=record["prior"], weights=record["weights"]
    )
    x = column(record, "points", "x")
    return max(
        np.abs(distribution.cdf(x) - column(record, "points", "cdf")).max(),
        np.abs(distribution.ccdf(x) - column(record, "points", "ccdf")).max(),
    )


def monte_carlo(cells, n_draws, rng):
    """Draws of the mean over classes of P(only B right) - P(only A right)."""
    gammas = rng.standard_gamma(cells, size=(n_draws, *cells.shape))
    shares = gammas / gammas.sum(axis=2, keepdims=True)
    return (shares[:, :, 2] - shares[:, :, 1]).mean(axis=1)
