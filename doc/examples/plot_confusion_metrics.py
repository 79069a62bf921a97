"""
Put intervals around F1, precision and kappa
============================================

The lecture notes of F. Pitie [1]_ introduce the metrics of confusion matrices by examples. This
example reproduces their numbers and adds posterior intervals, which show how uncertain the numbers
are.

In the notes, the rows are the predicted classes. Here, the rows are the true classes.

.. [1] F. Pitie, Evaluating Classifier Performance (lecture
   notes), Trinity College Dublin.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from skpostbac import PosteriorConfusionMetric, required_test_size
from skpostbac.metrics import PriorInfluenceWarning

of_matrix = PosteriorConfusionMetric.from_confusion_matrix


def show(name, posterior):
    """Print what was observed, and the posterior mean and interval."""
    low, high = posterior.credible_interval()
    print(
        f"{name:30} {posterior.observed:.3f}   {posterior.mean():.3f} [{low:.3f}, {high:.3f}]"
    )


# %%
# Five classifiers
# ----------------
#
# Each classifier was tested on 400 samples. According to the printed labels, 179 to 199 of these
# are of class 0, which is impossible for a single test set, while each classifier predicts class 0
# for exactly 187. The rows of the notes are probably the true classes after all, with FN and FP
# swapped. We use the labels as printed, like the formulas of the notes.

CLASSIFIERS = {  # TN, FP, FN, TP
    "neural network": (166, 25, 21, 188),
    "logistic regression": (152, 42, 35, 171),
    "linear SVM": (148, 41, 39, 172),
    "RBF SVM": (162, 17, 25, 196),
    "decision tree": (170, 29, 17, 184),
}
OPTIONS = {
    "recall": {"pos_label": 1},
    "precision": {"pos_label": 1},
    "false_positive_rate": {"pos_label": 1},
    "accuracy": {},
    "f1": {"pos_label": 1, "random_state": 0},
}

assert {tn + fp for tn, fp, fn, tp in CLASSIFIERS.values()} == {191, 194, 189, 179, 199}
assert {tn + fn for tn, fp, fn, tp in CLASSIFIERS.values()} == {187}

figures = {}
for name, (tn, fp, fn, tp) in CLASSIFIERS.items():
    print(f"{name:30} observed, posterior mean and 95 % interval")
    formulas = {
        "recall": tp / (tp + fn),
        "precision": tp / (tp + fp),
        "false_positive_rate": fp / (fp + tn),
        "accuracy": (tp + tn) / (tp + tn + fp + fn),
        "f1": 2 * tp / (2 * tp + fp + fn),
    }
    for metric, by_hand in formulas.items():
        figures[name, metric] = of_matrix(
            [[tn, fp], [fn, tp]], metric, **OPTIONS[metric]
        )
        show("  " + metric, figures[name, metric])
        assert np.isclose(figures[name, metric].observed, by_hand, rtol=1e-12)

# %%
# Each classifier is a point in the ROC plot, with the 95 % intervals of both rates. Three of the
# five overlap, and so do the other two. To rank them, you would need a comparison sample by
# sample.

fig, ax = plt.subplots(figsize=(5, 4.5), layout="constrained")
for name in CLASSIFIERS:
    alarms, recall = figures[name, "false_positive_rate"], figures[name, "recall"]
    x, y = alarms.mean(), recall.mean()
    ax.errorbar(
        x,
        y,
        xerr=np.abs(np.subtract(alarms.credible_interval(), x))[:, np.newaxis],
        yerr=np.abs(np.subtract(recall.credible_interval(), y))[:, np.newaxis],
        fmt="o",
        capsize=3,
        label=name,
    )
ax.set(xlabel="false positive rate", ylabel="recall")
ax.legend(loc="lower left")
plt.show()

# %%
# You need two metrics
# --------------------
#
# Two useless classifiers, A and B, always predict 1 and 0. Each beats the real classifier in one
# metric. There are only 15 samples of class 1, so the intervals of the recalls are wide.

TRIO = {"classifier": (70, 15, 5, 10), "A": (0, 85, 0, 15), "B": (85, 0, 15, 0)}
PRINTED = {
    "classifier": (0.667, 0.80),
    "A": (1.0, 0.15),
    "B": (0.0, 0.85),
}  # recall, accuracy

for name, (tn, fp, fn, tp) in TRIO.items():
    C = [[tn, fp], [fn, tp]]
    recall, accuracy = of_matrix(C, "recall", pos_label=1), of_matrix(C, "accuracy")
    show(f"{name}: recall", recall)
    show(f"{name}: accuracy", accuracy)
    assert (round(recall.observed, 3), round(accuracy.observed, 3)) == PRINTED[name]

# %%
# The balanced accuracy alone reveals both useless classifiers: it is one half.

for name in ("A", "B"):
    tn, fp, fn, tp = TRIO[name]
    balanced = of_matrix([[tn, fp], [fn, tp]], "recall", average="macro")
    show(f"{name}: balanced accuracy", balanced)
    assert balanced.observed == 0.5

# %%
# Three classes
# -------------
#
# The micro averages of recall, precision and F1 all equal the accuracy, because each error is a
# false positive of one class and a false negative of another.

THREE_CLASSES = [[102, 8, 7], [10, 89, 11], [5, 12, 120]]
for metric in ("recall", "precision", "f1"):
    for average in ("macro", "micro"):
        show(
            f"{average} {metric}",
            of_matrix(THREE_CLASSES, metric, average=average, random_state=0),
        )

# %%
# Micro and macro averages
# ------------------------
#
# Here TP = 2, 0, 0 and FP = 2, 2, 1. The notes give the micro average correctly as 0.286 = 2 / 7,
# but print the sum of the false positives as 1 + 2 + 1 instead of 2 + 2 + 1, which would give 2 /
# 6 = 0.333.
#
# Uniform priors of three recalls weigh about as much as these seven samples, so you would get a
# warning. The default prior, here Beta(1/3, 1/3), has less influence.

SEVEN = [[2, 0, 0], [1, 0, 1], [1, 2, 0]]
assert np.diag(SEVEN).tolist() == [2, 0, 0]
assert (np.sum(SEVEN, axis=0) - np.diag(SEVEN)).tolist() == [2, 2, 1]
for prior in ("uniform", "calibrated"):
    for average, printed in (("micro", 0.286), ("macro", 0.167)):
        with warnings.catch_warnings(category=PriorInfluenceWarning, action="ignore"):
            posterior = of_matrix(SEVEN, "precision", average=average, prior=prior)
        show(f"{average}, prior {prior}", posterior)
        assert round(posterior.observed, 3) == printed
assert round(2 / (2 + 1 + 2 + 1), 3) == 0.333

# %%
# How large a test set?
# ---------------------
#
# The notes say that 10,000 examples give a good chance of detecting an improvement of 0.1 %, which
# is 10 samples. It depends on how often the two classifiers agree, because these 10 must stand out
# from all samples on which only one of them is right. At an accuracy of 95 %, they must agree on
# nearly all samples.

for agreement in (0.999, 0.998, 0.995, 0.99):
    plan = required_test_size(0.95, difference=0.001, agreement=agreement)
    chance = plan.assurance_at(10_000)
    print(
        f"agree on {agreement:.1%}: {chance:.2f}, and 0.8 with {plan.total:,} samples"
    )
    assert (chance > 0.5) == (agreement >= 0.998)
