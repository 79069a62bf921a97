"""
Put intervals around F1, precision and kappa
============================================

The lecture notes of F. Pitie [1]_ introduce the metrics of confusion matrices by examples. Here are
their numbers again, with the posterior of each, which the notes leave out: how far can they be
trusted with so many samples?

The notes print the predicted classes as rows. Here the rows are the true classes.

.. [1] F. Pitie, Evaluating Classifier Performance (lecture notes), Trinity College Dublin.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from skpostbac import PosteriorConfusionMetric, PriorInfluenceWarning, required_test_size

of_matrix = PosteriorConfusionMetric.from_confusion_matrix


def show(name, posterior):
    """Print what was observed, and the posterior mean and interval."""
    low, high = posterior.credible_interval()
    print(f"{name:30} {posterior.observed:.3f}   {posterior.mean():.3f} [{low:.3f}, {high:.3f}]")


# %%
# Five classifiers
# ----------------
#
# Each was tested on 400 samples. By the printed labels these have 179 to 199 samples of class 0,
# which cannot be if it is one test set, while each classifier predicts class 0 for just 187. It
# seems that the rows are the true classes after all, and that FN and FP have changed places. The
# labels are taken here as they are printed, as in the formulas of the notes.

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
        figures[name, metric] = of_matrix([[tn, fp], [fn, tp]], metric, **OPTIONS[metric])
        show("  " + metric, figures[name, metric])
        assert np.isclose(figures[name, metric].observed, by_hand, rtol=1e-12)

# %%
# Each classifier is a point of the ROC diagram, with the 95 % intervals of both rates. Three of the
# five overlap, and so do the other two: only a comparison sample by sample could order them.

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
# A classifier, and two that look at nothing: A always says 1, and B always 0. Each of the two beats
# the classifier in one metric. The recalls rest on 15 samples, as their intervals tell.

TRIO = {"classifier": (70, 15, 5, 10), "A": (0, 85, 0, 15), "B": (85, 0, 15, 0)}
PRINTED = {"classifier": (0.667, 0.80), "A": (1.0, 0.15), "B": (0.0, 0.85)}  # recall, accuracy

for name, (tn, fp, fn, tp) in TRIO.items():
    C = [[tn, fp], [fn, tp]]
    recall, accuracy = of_matrix(C, "recall", pos_label=1), of_matrix(C, "accuracy")
    show(f"{name}: recall", recall)
    show(f"{name}: accuracy", accuracy)
    assert (round(recall.observed, 3), round(accuracy.observed, 3)) == PRINTED[name]

# %%
# Both useless ones have a balanced accuracy of one half, which needs no second metric to be seen.

for name in ("A", "B"):
    tn, fp, fn, tp = TRIO[name]
    balanced = of_matrix([[tn, fp], [fn, tp]], "recall")  # the macro average
    show(f"{name}: balanced accuracy", balanced)
    assert balanced.observed == 0.5

# %%
# Three classes
# -------------
#
# Micro averages of recall, precision and F1 are all the accuracy: each error is a false positive of
# one class and a false negative of another.

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
# TP = 2, 0, 0 and FP = 2, 2, 1. The notes print the micro average 0.286 = 2 / 7, but its
# denominator with the false positives (1 + 2 + 1), which would make it 2 / 6 = 0.333; they are
# 2 + 2 + 1.
#
# Seven samples are about as many as flat priors of three recalls count for, and the posterior says
# as much by a warning. With Beta(1/3, 1/3), ``prior="reciprocal"``, which is the default, the prior
# has less of a say.

SEVEN = [[2, 0, 0], [1, 0, 1], [1, 2, 0]]
assert np.diag(SEVEN).tolist() == [2, 0, 0]
assert (np.sum(SEVEN, axis=0) - np.diag(SEVEN)).tolist() == [2, 2, 1]
for prior in ("uniform", "reciprocal"):
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
# The notes say that 10,000 examples give a good chance of detecting an improvement of 0.1 %. These
# 10 samples have to stand out from all on which just one of the two classifiers is right, and so it
# depends on how often they agree. At an accuracy of 95 %, they must on nearly all samples.

for agreement in (0.999, 0.998, 0.995, 0.99):
    plan = required_test_size(0.95, difference=0.001, agreement=agreement)
    chance = plan.assurance_at(10_000)
    print(f"agree on {agreement:.1%}: {chance:.2f}, and 0.8 with {plan.total:,} samples")
    assert (chance > 0.5) == (agreement >= 0.998)
