"""Time of ratios of a confusion matrix, alone and beside random draws."""

from benchmarks.ratios import ratio
from skpostbac import PosteriorConfusionMetric
from skpostbac.metrics._confusion.metrics import of_class

MATRICES = {
    "two classes": [[166, 25], [21, 188]],
    "three classes": [[102, 8, 7], [10, 89, 11], [5, 12, 120]],
    "no errors": [[30, 0], [0, 12]],
}


class Metric:
    """A metric of one class, from the matrix to its shortest interval."""

    params = (list(MATRICES), ["precision", "f1", "f2"], ["sampled", "observed"])
    param_names = ("matrix", "metric", "prevalence")
    timeout = 120

    def time_interval(self, matrix, metric, prevalence):
        interval(MATRICES[matrix], metric, prevalence, pos_label=1)

    def track_ratio_to_draws(self, matrix, metric, prevalence):
        return ratio(
            lambda: interval(MATRICES[matrix], metric, prevalence, pos_label=1),
            lambda: interval(
                MATRICES[matrix], of_class(metric, 1), prevalence, random_state=0
            ),
        )


def interval(C, metric, prevalence, **options):
    """Make a posterior and its 95 % interval."""
    posterior = PosteriorConfusionMetric.from_confusion_matrix(
        C, metric, prevalence=prevalence, **options
    )
    return posterior.credible_interval()
