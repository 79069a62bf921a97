"""Time of many averages at once, and of the same one by one."""

import numpy as np

from benchmarks.ratios import ratio
from benchmarks.reference_implementations import monte_carlo, sample_interval
from skpostbac.stats import BetaAverage

N_CLASSES = [2, 3, 10]


def posteriors(n_classes, n_distributions):
    """Exponents of posteriors of 20 to 300 samples a class, with recalls from .7 to .99."""
    rng = np.random.default_rng(0)
    total = rng.integers(20, 300, (n_distributions, n_classes))
    correct = rng.binomial(total, rng.uniform(0.7, 0.99, total.shape))
    return correct + 1.0, total - correct + 1.0


class Many:
    """Questions to a thousand distributions."""

    params = (N_CLASSES, [1_000])
    param_names = ("n_classes", "n_distributions")
    timeout = 600

    def setup(self, n_classes, n_distributions):
        self.a, self.b = posteriors(n_classes, n_distributions)

    @property
    def distributions(self):
        """New distributions, which have computed nothing yet."""
        return BetaAverage(self.a, self.b)

    def time_interval(self, n_classes, n_distributions):
        self.distributions.interval(0.95)

    def time_hdi(self, n_classes, n_distributions):
        self.distributions.hdi(0.95)

    def time_mode(self, n_classes, n_distributions):
        self.distributions.mode()

    def time_prob_greater(self, n_classes, n_distributions):
        (self.distributions - BetaAverage(self.a[::-1], self.b[::-1])).ccdf(0.0)

    def peakmem_interval(self, n_classes, n_distributions):
        self.distributions.interval(0.95)


class ManyToOneByOne:
    """A hundred distributions at once, to a loop over them, and to 5,000 draws of each."""

    params = (N_CLASSES,)
    param_names = ("n_classes",)
    timeout = 600
    unit = "ratio"

    def setup(self, n_classes):
        self.a, self.b = posteriors(n_classes, 100)

    def track_loop(self, n_classes):
        return ratio(
            lambda: BetaAverage(self.a, self.b).hdi(),
            lambda: [
                BetaAverage(*one).hdi() for one in zip(self.a, self.b, strict=True)
            ],
        )

    def track_draws(self, n_classes):
        rng = np.random.default_rng(0)
        return ratio(
            lambda: BetaAverage(self.a, self.b).interval(),
            lambda: [
                sample_interval(monte_carlo(*one, 5_000, rng))
                for one in zip(self.a, self.b, strict=True)
            ],
        )
