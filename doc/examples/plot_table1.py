"""
Reproduce the table of a paper
==============================

This example reproduces all legible numbers of the paper's table [1]_ except three. Two of these
are posterior balanced accuracies, off because of the grid on which they were computed, and marked
below. The third is the lower limit of the balanced accuracy of C8.

The paper evaluates three classifiers (C1 to C3) on classes of 32, 10 and 4 samples, and again with
all counts times 10 (C4 to C6) and times 100 (C7 to C9). The confusion matrices of C1 and C3 can be
recovered from the printed numbers. For C2, only the diagonal is known, and three matrices give the
printed F and kappa. Their row and column sums are the same, so all three give the same F, kappa
and intervals of kappa. We use one of them.

The columns are the paper's posterior balanced accuracy (PDBAC), the sample balanced accuracy
(bac), and the observed value and posterior 95 % interval of the accuracy, the macro F and kappa.
For accuracy and kappa, the paper has normal intervals, some of which leave [0, 1]. For F, it has
none.

The paper uses the uniform prior, which is not the default here. With such small classes, it moves
the kappa of C3 from 0.953 to 0.849, which gives a
:class:`~skpostbac.metrics.PriorInfluenceWarning`. We silence it.

.. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic performance
   evaluation for multiclass classification using the posterior balanced accuracy. ROBOT2013:
   First Iberian Robotics Conference, 347-361.
"""

import math
import warnings

import matplotlib.pyplot as plt
import numpy as np

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    PosteriorDisplay,
    compare_posteriors,
)
from skpostbac.metrics import PriorInfluenceWarning

warnings.filterwarnings("ignore", category=PriorInfluenceWarning)

# %%
# The data of the classifiers, and the printed numbers.

SIZES = np.array([32, 10, 4])
CORRECT = np.array([[30, 8, 3], [30, 2, 1], [32, 9, 4]])
MATRICES = [  # true classes as rows
    np.array([[30, 2, 0], [1, 8, 1], [0, 1, 3]]),
    np.array([[30, 1, 1], [5, 2, 3], [1, 2, 1]]),
    np.array([[32, 0, 0], [0, 9, 1], [0, 0, 4]]),
]
NAMES = [f"C{i}" for i in range(1, 10)]

# Mean and limits, rounded; the row of C2 is not legible.
PRINTED_PDBAC = {
    "C1": (0.776, 0.62, 0.90),
    "C3": (0.879, 0.74, 0.97),
    "C4": (0.822, 0.77, 0.87),
    "C5": (0.468, 0.42, 0.52),
    "C6": (0.955, 0.93, 0.98),
    "C7": (0.828, 0.81, 0.85),
    "C8": (0.463, 0.45, 0.48),
    "C9": (0.966, 0.96, 0.97),
}
GRID_ERRORS = {("C7", "high"), ("C9", "mean")}

# Balanced accuracy, accuracy, F and kappa of each three, cut after three digits.
PRINTED_SAMPLE = [
    (0.829, 0.891, 0.821, 0.769),
    (0.462, 0.717, 0.457, 0.331),
    (0.966, 0.978, 0.945, 0.953),
]

# Normal intervals, cut after two digits. Those of bac are not of 95 % but of 90 %, and as if all
# samples were of one class: 1.645 sqrt(bac (1 - bac) / n) to either side.
PRINTED_BAC = {
    "C1": (0.73, 0.92),
    "C3": (0.92, 1.01),
    "C4": (0.80, 0.85),
    "C5": (0.42, 0.50),
    "C6": (0.95, 0.98),
    "C7": (0.82, 0.83),
    "C8": (0.45, 0.47),  # printed: 0.44
    "C9": (0.96, 0.97),
}
# Two standard errors of the accuracy, 1.96 of kappa.
PRINTED_ACCURACY = {
    "C1": (0.79, 0.98),
    "C2": (0.58, 0.85),
    "C3": (0.93, 1.02),
    "C4": (0.86, 0.92),
    "C5": (0.67, 0.75),
    "C6": (0.96, 0.99),
    "C7": (0.88, 0.90),
    "C8": (0.70, 0.73),
    "C9": (0.97, 0.98),
}
PRINTED_KAPPA = {
    "C1": (0.57, 0.96),
    "C2": (0.02, 0.63),
    "C3": (0.86, 1.04),
    "C4": (0.70, 0.82),
    "C5": (0.23, 0.42),
    "C6": (0.92, 0.98),
    "C7": (0.75, 0.78),
    "C8": (0.30, 0.36),
    "C9": (0.94, 0.96),
}


def kind_and_scale(name):
    """Return the index of the classifier among the three, and the factor of its counts."""
    scale, kind = divmod(NAMES.index(name), 3)
    return kind, 10**scale


def counts_of(name):
    """Return the counts of the three classes."""
    kind, scale = kind_and_scale(name)
    return ClassCounts([0, 1, 2], scale * CORRECT[kind], scale * SIZES)


def matrix_metrics(name):
    """Return the posteriors of macro F and kappa."""
    kind, scale = kind_and_scale(name)
    return [
        PosteriorConfusionMetric.from_confusion_matrix(
            scale * MATRICES[kind], metric, random_state=0, prior="uniform"
        )
        for metric in ("f1", "kappa")
    ]


# %%
# The table
# ---------


def pdbac_cell(name, posterior):
    """Format mean and interval, and mark numbers that were printed differently."""
    low, high = posterior.credible_interval(method="central")
    texts = {
        "mean": f"{posterior.mean():.4f}",
        "low": f"{low:.4f}",
        "high": f"{high:.4f}",
    }
    marked = [
        text + "*" * ((name, figure) in GRID_ERRORS) for figure, text in texts.items()
    ]
    return "{} [{}, {}]".format(*marked)


def metric_cell(observed, posterior):
    """Format the observed value and the posterior interval."""
    low, high = posterior.credible_interval(method="central")
    return f"{observed:.3f} [{low:.2f}, {high:.2f}]"


def row_of(name):
    """Return the cells of a classifier."""
    counts = counts_of(name)
    metrics = [metric_cell(metric.observed, metric) for metric in matrix_metrics(name)]
    return [
        name,
        pdbac_cell(name, PosteriorBalancedAccuracy(counts, prior="uniform")),
        f"{counts.recalls.mean():.3f}",
        metric_cell(counts.accuracy, PosteriorAccuracy(counts, prior="uniform")),
        *metrics,
    ]


LINE = "{:2} {:24} {:5} {:18} {:18} {:18}"
print(LINE.format("", "PDBAC", "bac", "accuracy", "F", "kappa"))
for name in NAMES:
    print(LINE.format(*row_of(name)))
print("* printed as 0.85 and 0.966")

# %%
# The prior pulls F and kappa down together with the recalls. With 46 samples, the observed values
# of C3 are therefore at the upper ends of their intervals.
#
# More samples make the intervals narrower and reduce the influence of the prior.

posteriors = {
    name: PosteriorBalancedAccuracy(counts_of(name), prior="uniform") for name in NAMES
}
PosteriorDisplay(posteriors).plot(kind="forest", plot_chance_level=True)
plt.show()

# %%
# Check the printed numbers
# -------------------------


def cut(value, digits):
    """Truncate to a number of digits."""
    return math.floor(value * 10**digits) / 10**digits


def assert_limits(printed, value, error):
    """Assert both ends of a normal interval, as they were printed."""
    assert (cut(value - error, 2), cut(value + error, 2)) == printed


for name, (mean, low, high) in PRINTED_PDBAC.items():
    exact = (
        posteriors[name].mean(),
        *posteriors[name].credible_interval(method="central"),
    )
    for figure, value, printed, digits in zip(
        ("mean", "low", "high"), exact, (mean, low, high), (3, 2, 2), strict=True
    ):
        assert (round(value, digits) == printed) != ((name, figure) in GRID_ERRORS)

for name in NAMES:
    counts, metrics = counts_of(name), matrix_metrics(name)
    accuracy, bac = counts.accuracy, counts.recalls.mean()
    observed = [bac, accuracy, *(metric.observed for metric in metrics)]
    assert (
        tuple(cut(value, 3) for value in observed)
        == PRINTED_SAMPLE[kind_and_scale(name)[0]]
    )

    error = math.sqrt(accuracy * (1 - accuracy) / counts.n_samples)
    assert_limits(PRINTED_ACCURACY[name], accuracy, 2 * error)
    # Kappa is (accuracy - e) / (1 - e), with the agreement e by chance taken as known.
    kappa = metrics[1].observed
    assert_limits(
        PRINTED_KAPPA[name], kappa, 1.96 * error * (1 - kappa) / (1 - accuracy)
    )
    if name in PRINTED_BAC:  # the row of C2 is not legible
        error = math.sqrt(bac * (1 - bac) / counts.n_samples)
        assert_limits(PRINTED_BAC[name], bac, 1.645 * error)

# %%
# Differences and ranking
# -----------------------
#
# The paper says that the mean of a difference is not simply the difference of the means, but it is.
#
# The other numbers below agree with a convolution of the Beta distributions on a grid of 2 ** 18
# cells.

CONVOLVED = {  # mean, limits of the 95 % interval, probability that the difference is positive
    ("C2", "C1"): (-0.2778, -0.4668, -0.0634, 0.0059),
    ("C3", "C1"): (0.1029, -0.0833, 0.2874, 0.8650),
    ("C3", "C2"): (0.3807, 0.1814, 0.5469, 0.9998),
}

comparison = compare_posteriors({name: posteriors[name] for name in NAMES[:3]})
for (b, a), convolved in CONVOLVED.items():
    distribution = comparison.difference(b, a)
    figures = (
        distribution.mean(),
        *distribution.interval(0.95),
        float(distribution.ccdf(0)),
    )
    print(
        "{} - {}: mean {:+.4f}, 95 % [{:+.4f}, {:+.4f}], P(> 0) = {:.4f}".format(
            b, a, *figures
        )
    )
    assert tuple(round(figure, 4) for figure in figures) == convolved
    assert math.isclose(
        distribution.mean(), posteriors[b].mean() - posteriors[a].mean(), abs_tol=1e-15
    )

print("wins:", dict(zip(NAMES[:3], comparison.win_counts().tolist(), strict=True)))
assert comparison.ranking() == ("C3", "C1", "C2")

for pair in CONVOLVED:
    comparison.plot(kind="difference", pair=pair)
plt.show()

# %%
# Other errors in the paper
# -------------------------
#
# - Equation 2 divides sums over the classes by the number of classes, which would make the
#   agreement of C1 41 / 3. The table was computed with the number of samples instead.
# - Setting beta to 2 does not give the harmonic mean of precision and recall; setting it to 1
#   does. The F of the table is the macro average of this.
#
# Also note that the paper's confusion matrices have the predicted classes as rows.
