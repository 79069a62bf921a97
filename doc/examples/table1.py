"""
Table 1 of Carrillo et al., with posteriors
===========================================

The paper [1]_ evaluates three classifiers on classes of 32, 10 and 4 samples, and again with all
counts times 10 (C4 to C6) and times 100 (C7 to C9). The confusion matrices of C1 and C3 can be
recovered from what is printed, and so can the diagonal of that of C2; its F and kappa, which
need the rest, are left out.

The posterior balanced accuracy (PDBAC) is that of the paper. Beside it are the sample balanced
accuracy, and the observed value and posterior 95 % interval of the accuracy, of the macro F and of
kappa. The paper has normal intervals for these, some of which leave [0, 1], and none for F.

Two numbers were printed with an error in the last digit, from the grid on which they were computed.
They are marked; all others are asserted.

The classes are small, and the flat prior moves the kappa of C3 from 0.953 to 0.849, which gives a
:class:`~skpostbac.PriorInfluenceWarning`. It is silenced here: the paper has that prior.

.. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic performance
   evaluation for multiclass classification using the posterior balanced accuracy. ROBOT2013:
   First Iberian Robotics Conference, 347-361.
"""

import math
import warnings
from itertools import combinations

import numpy as np

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    PriorInfluenceWarning,
    compare_posteriors,
)

warnings.filterwarnings("ignore", category=PriorInfluenceWarning)

# %%
# What is known of the classifiers, and what was printed of them.

SIZES = np.array([32, 10, 4])
CORRECT = np.array([[30, 8, 3], [30, 2, 1], [32, 9, 4]])
MATRICES = [  # true classes as rows
    np.array([[30, 2, 0], [1, 8, 1], [0, 1, 3]]),
    None,
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
PRINTED_SAMPLE = [(0.829, 0.891, 0.821, 0.769), (0.462, 0.717), (0.966, 0.978, 0.945, 0.953)]

# Normal intervals, cut after two digits: two standard errors of the accuracy, 1.96 of kappa.
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
    "C3": (0.86, 1.04),
    "C4": (0.70, 0.82),
    "C6": (0.92, 0.98),
    "C7": (0.75, 0.78),
    "C9": (0.94, 0.96),
}


def kind_and_scale(name):
    """Return which of the three classifiers it is, and by what its counts are multiplied."""
    scale, kind = divmod(NAMES.index(name), 3)
    return kind, 10**scale


def counts_of(name):
    """Return the counts of the three classes."""
    kind, scale = kind_and_scale(name)
    return ClassCounts([0, 1, 2], scale * CORRECT[kind], scale * SIZES)


def matrix_metrics(name):
    """Return the posteriors of macro F and kappa, if the confusion matrix is known."""
    kind, scale = kind_and_scale(name)
    if MATRICES[kind] is None:
        return []
    return [
        PosteriorConfusionMetric.from_confusion_matrix(
            scale * MATRICES[kind], metric, random_state=0
        )
        for metric in ("f1", "kappa")
    ]


# %%
# The table
# ---------


def pdbac_cell(name, posterior):
    """Write mean and interval, with a mark at what was printed differently."""
    low, high = posterior.credible_interval()
    texts = {"mean": f"{posterior.mean():.4f}", "low": f"{low:.4f}", "high": f"{high:.4f}"}
    marked = [text + "*" * ((name, figure) in GRID_ERRORS) for figure, text in texts.items()]
    return "{:7} [{}, {}]".format(*marked)


def metric_cell(observed, posterior):
    """Write what was observed and the interval of the posterior."""
    low, high = posterior.credible_interval()
    return f"{observed:.3f} [{low:.3f}, {high:.3f}]"


def row_of(name):
    """Return the cells of a classifier."""
    counts = counts_of(name)
    metrics = [metric_cell(metric.observed, metric) for metric in matrix_metrics(name)]
    return [
        name,
        pdbac_cell(name, PosteriorBalancedAccuracy(counts)),
        f"{counts.recalls.mean():.3f}",
        metric_cell(counts.accuracy, PosteriorAccuracy(counts)),
        *(metrics or ["-", "-"]),
    ]


LINE = "{:4}{:28}{:8}{:23}{:23}{:23}"
print(LINE.format("", "PDBAC", "bac", "accuracy", "F", "kappa"))
for name in NAMES:
    print(LINE.format(*row_of(name)))
print("* printed as 0.85 and 0.966")

# %%
# All that was printed
# --------------------


def cut(value, digits):
    """Leave out all further digits."""
    return math.floor(value * 10**digits) / 10**digits


for name, (mean, low, high) in PRINTED_PDBAC.items():
    posterior = PosteriorBalancedAccuracy(counts_of(name))
    exact = (posterior.mean(), *posterior.credible_interval())
    for figure, value, printed, digits in zip(
        ("mean", "low", "high"), exact, (mean, low, high), (3, 2, 2), strict=True
    ):
        assert (round(value, digits) == printed) != ((name, figure) in GRID_ERRORS)

for name in NAMES:
    counts, metrics = counts_of(name), matrix_metrics(name)
    n, accuracy = counts.n_samples, counts.accuracy
    observed = [counts.recalls.mean(), accuracy, *(m.observed for m in metrics)]
    printed = PRINTED_SAMPLE[kind_and_scale(name)[0]]
    assert tuple(cut(value, 3) for value in observed) == printed

    error = math.sqrt(accuracy * (1 - accuracy) / n)
    limits = (accuracy - 2 * error, accuracy + 2 * error)
    assert tuple(cut(limit, 2) for limit in limits) == PRINTED_ACCURACY[name]
    if metrics:
        kappa = metrics[1].observed
        # (accuracy - e) / (1 - e) with the agreement e by chance, taken as known.
        error *= (1 - kappa) / (1 - accuracy)
        limits = (kappa - 1.96 * error, kappa + 1.96 * error)
        assert tuple(cut(limit, 2) for limit in limits) == PRINTED_KAPPA[name]

# %%
# The differences, and the ranking
# --------------------------------
#
# The paper says that the mean of a difference is not simply the difference of the means. It is.

posteriors = {name: PosteriorBalancedAccuracy(counts_of(name)) for name in NAMES[:3]}
comparison = compare_posteriors(posteriors)
print()
for a, b in combinations(NAMES[:3], 2):
    law = comparison.difference(b, a)
    low, high = law.interval(0.95)
    print(
        f"{b} - {a}: mean {law.mean():+.4f}, 95 % [{low:+.4f}, {high:+.4f}], "
        f"P({b} > {a}) = {law.ccdf(0):.4f}"
    )
    assert math.isclose(law.mean(), posteriors[b].mean() - posteriors[a].mean(), abs_tol=1e-15)

print("wins:", dict(zip(NAMES[:3], comparison.win_counts().tolist(), strict=True)))
assert comparison.ranking() == ("C3", "C1", "C2")
