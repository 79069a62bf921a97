"""
Class imbalance and the precision-recall curve
==============================================

A ROC curve is the same however rare the positives are. A precision-recall curve is not: among more
negatives, the same false positive rate means more false positives. A curve that was drawn from a
test set with 37 % positives says little of a population with 1 %.

The binormal model has the curve for any share of the positives.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.model_selection import cross_val_predict

from skpostbac import (
    binormal_average_precision_score,
    binormal_check,
    binormal_precision_recall_curve,
    posterior_binormal,
)

X, y = load_breast_cancer(return_X_y=True)
y = 1 - y  # 1 is malignant
y_score = cross_val_predict(LinearDiscriminantAnalysis(), X, y, method="decision_function")

# %%
# The model says that the scores of each class are normal. Here it is not rejected.

print(binormal_check(y, y_score))

# %%
# One classifier, three populations
# ---------------------------------
#
# Weights make the test set look like another population, so that there is an empirical curve to
# hold the smooth one against.

fractions = (0.37, 0.1, 0.01)

fig, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for fraction, color in zip(fractions, ("#0072B2", "#D55E00", "#009E73"), strict=True):
    weight = np.where(y == 1, fraction / y.mean(), (1 - fraction) / (1 - y.mean()))
    precision, empirical_recall, _ = precision_recall_curve(y, y_score, sample_weight=weight)
    ax.step(empirical_recall, precision, where="post", color=color, linewidth=0.8)

    precision, smooth_recall, _ = binormal_precision_recall_curve(
        y, y_score, positive_fraction=fraction
    )
    empirical = average_precision_score(y, y_score, sample_weight=weight)
    smooth = binormal_average_precision_score(y, y_score, positive_fraction=fraction)
    label = f"{fraction:.0%} positives: {smooth:.3f}, empirical {empirical:.3f}"
    ax.plot(smooth_recall, precision, "--", color=color, label=label)
ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02))
ax.legend(title="average precision", loc="lower left", frameon=False)
plt.show()

# %%
# With 1 % positives, a handful of negatives with high scores decides, and each of them is a large
# step of the empirical curve. How much is known there?

intervals = {
    fraction: posterior_binormal(y, y_score, positive_fraction=fraction, random_state=0)
    .average_precision()
    .credible_interval()
    for fraction in fractions
}
for fraction, (low, high) in intervals.items():
    print(f"{fraction:4.0%} positives: average precision in [{low:.3f}, {high:.3f}]")

# %%
# The interval becomes wider as the positives become rarer. It also takes the normal tail for
# granted, of which the samples show little: see :ref:`binormal`.

widths = [high - low for low, high in intervals.values()]
assert widths == sorted(widths)
