"""Times as ratios within one run, which do not depend on the machine."""

import time

import numpy as np
from sklearn.metrics import balanced_accuracy_score

from benchmarks.distributions import N_CLASSES, REGIMES, exponents
from benchmarks.reference_implementations import monte_carlo, sample_interval
from skpostbac import posterior_balanced_accuracy_score
from skpostbac.stats import BetaAverage

ROUNDS = 25
SECONDS = 4.0


class IntervalToMonteCarlo:
    """A 95 % interval, to that of 5,000 random draws of the same distribution.

    The targets are 0.5 for 3 classes and 0.1 for 1,000.
    """

    params = (N_CLASSES, REGIMES)
    param_names = ("n_classes", "regime")
    timeout = 600
    unit = "ratio"

    def track_ratio(self, n_classes, regime):
        a, b = exponents(n_classes, 100, regime)
        rng = np.random.default_rng(0)
        return ratio(
            lambda: BetaAverage(a, b).interval(0.95),
            lambda: sample_interval(monte_carlo(a, b, 5_000, rng)),
        )


class ScoreToBalancedAccuracy:
    """A lower bound from labels, to scikit-learn's balanced accuracy of the same labels.

    The targets are 1 from 100 samples up and 0.2 from 1,000,000 up.
    """

    params = ([100, 10_000, 1_000_000], [2, 3, 10], ["int", "str"])
    param_names = ("n_samples", "n_classes", "labels")
    timeout = 600
    unit = "ratio"

    def track_ratio(self, n_samples, n_classes, labels):
        y_true, y_pred = predictions(n_samples, n_classes, labels)
        return ratio(
            lambda: posterior_balanced_accuracy_score(
                y_true, y_pred, objective="lower"
            ),
            lambda: balanced_accuracy_score(y_true, y_pred),
        )


class ManyToOne:
    """A thousand values in one call, to a single one."""

    params = ([1, 2, 3, 1_000], REGIMES, ["cdf", "icdf"])
    param_names = ("n_classes", "regime", "method")
    timeout = 600
    unit = "ratio"

    def track_ratio(self, n_classes, regime, method):
        a, b = exponents(n_classes, 100, regime)
        p = np.linspace(0.0005, 0.9995, 1_000)
        values = p if method == "icdf" else BetaAverage(a, b).icdf(p)
        return ratio(
            lambda: getattr(BetaAverage(a, b), method)(values),
            lambda: getattr(BetaAverage(a, b), method)(values[500]),
        )


def predictions(n_samples, n_classes, labels):
    """Labels and predictions, of which about four in five are right."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(n_classes, size=n_samples)
    wrong = (y_true + rng.integers(n_classes, size=n_samples)) % n_classes
    y_pred = np.where(rng.random(n_samples) < 0.8, y_true, wrong)
    names = np.array([f"class {k}" for k in range(n_classes)])
    return (names[y_true], names[y_pred]) if labels == "str" else (y_true, y_pred)


def ratio(first, second):
    """Median time of the first, to that of the second; they take turns."""
    times = []
    end = time.perf_counter() + SECONDS
    while len(times) < ROUNDS and (not times or time.perf_counter() < end):
        times.append((seconds(first), seconds(second)))
    # The very first call of each pays for imports and caches.
    medians = np.median(times[1:] or times, axis=0)
    return medians[0] / medians[1]


def seconds(function):
    """Time of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start
