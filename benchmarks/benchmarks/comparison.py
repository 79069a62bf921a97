"""Time and worst errors of the comparison of many independent posteriors."""

from itertools import combinations

import numpy as np

from benchmarks.distributions import exponents
from skpostbac import PosteriorBalancedAccuracy, compare_posteriors

N_SAMPLES = 100


def posteriors(n_classifiers, n_classes, regime):
    """Posteriors of classifiers that all differ, with about 100 samples of each class."""
    a, b = exponents(n_classifiers * n_classes, N_SAMPLES, regime)
    correct = (a - 1).reshape(n_classifiers, n_classes)
    total = correct + (b - 1).reshape(n_classifiers, n_classes)
    return {
        str(index): PosteriorBalancedAccuracy.from_counts(*counts)
        for index, counts in enumerate(zip(correct, total, strict=True))
    }


class Independent:
    """Who is best, all ranks, losses and pairs, from the counts to the answers."""

    params = ([2, 10, 50, 100], [1, 3, 10, 100], ["ordinary", "empty"])
    param_names = ("n_classifiers", "n_classes", "regime")
    timeout = 600

    def setup(self, n_classifiers, n_classes, regime):
        self.posteriors = posteriors(n_classifiers, n_classes, regime)

    @property
    def comparison(self):
        """A new comparison of new posteriors, which have computed nothing yet."""
        return compare_posteriors(
            {
                name: PosteriorBalancedAccuracy(posterior.counts)
                for name, posterior in self.posteriors.items()
            }
        )

    def time_ranks_and_losses(self, n_classifiers, n_classes, regime):
        comparison = self.comparison
        comparison.prob_best(), comparison.expected_rank(), comparison.expected_loss()

    def time_all(self, n_classifiers, n_classes, regime):
        comparison = self.comparison
        (
            comparison.rank_probabilities(),
            comparison.expected_loss(),
            comparison.prob_greater(),
        )

    def peakmem_all(self, n_classifiers, n_classes, regime):
        self.time_all(n_classifiers, n_classes, regime)


class AgainstDifferences:
    """Worst absolute error of a pair, to the distribution of the difference."""

    params = ([20], [1, 3, 10], ["ordinary", "empty"])
    param_names = ("n_classifiers", "n_classes", "regime")
    timeout = 600
    unit = "probability"

    def track_pair_error(self, n_classifiers, n_classes, regime):
        comparison = compare_posteriors(posteriors(n_classifiers, n_classes, regime))
        greater, names = comparison.prob_greater(), comparison.names
        return max(
            np.abs(greater[i, j] - comparison.difference(names[i], names[j]).ccdf(0.0))
            for i, j in combinations(range(n_classifiers), 2)
        )
