"""Time and memory of `BetaAverage`, each time from the exponents to the answer."""

import numpy as np

from benchmarks.distributions import N_CLASSES, N_SAMPLES, REGIMES, exponents
from skpostbac.stats import BetaAverage


class _OfADistribution:
    timeout = 600

    def setup(self, n_classes, n_samples, regime):
        self.a, self.b = exponents(n_classes, n_samples, regime)

    @property
    def distribution(self):
        """A new distribution, which has computed nothing yet."""
        return BetaAverage(self.a, self.b)


class Everywhere(_OfADistribution):
    """The questions that every user asks, for every size and regime."""

    params = (N_CLASSES, N_SAMPLES, REGIMES)
    param_names = ("n_classes", "n_samples", "regime")

    def setup(self, n_classes, n_samples, regime):
        """Leave out the slowest repetitions of the same: one sample size is enough there."""
        if n_classes > 1_000 and n_samples != 100:
            raise NotImplementedError
        super().setup(n_classes, n_samples, regime)

    def time_interval(self, n_classes, n_samples, regime):
        self.distribution.interval(0.95)

    def time_prob_below_chance(self, n_classes, n_samples, regime):
        self.distribution.logcdf(1 / n_classes)


class Others(_OfADistribution):
    """Answers that need many values of the distribution, or none."""

    params = ([1, 2, 3, 10, 1_000], [100], REGIMES)
    param_names = ("n_classes", "n_samples", "regime")

    def setup(self, n_classes, n_samples, regime):
        super().setup(n_classes, n_samples, regime)
        self.p = np.linspace(0.0005, 0.9995, 1_000)
        self.x = self.distribution.icdf(self.p)

    def time_moments(self, n_classes, n_samples, regime):
        distribution = self.distribution
        (
            distribution.mean(),
            distribution.variance(),
            distribution.skewness(),
            distribution.kurtosis(),
        )

    def time_hdi(self, n_classes, n_samples, regime):
        self.distribution.hdi(0.95)

    def time_mode(self, n_classes, n_samples, regime):
        self.distribution.mode()

    def time_1000_cdf(self, n_classes, n_samples, regime):
        self.distribution.cdf(self.x)

    def time_1000_icdf(self, n_classes, n_samples, regime):
        self.distribution.icdf(self.p)


class Memory(_OfADistribution):
    """Peak memory of the process, Python and SciPy included."""

    params = (N_CLASSES, [100], REGIMES)
    param_names = ("n_classes", "n_samples", "regime")

    def peakmem_interval(self, n_classes, n_samples, regime):
        self.distribution.interval(0.95)
