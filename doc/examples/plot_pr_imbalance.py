"""
Predict precision where positives are rare
==========================================

A ROC curve is the same however rare the positives are. A precision-recall curve is not: among more
negatives, the same false positive rate means more false positives. A curve that was drawn from a
test set with 37 % positives says little of a population with 1 %.

The binormal model has the curve for any share of the positives.
"""

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

from skpostbac import BinormalCurveDisplay, NormalScoresDisplay
from skpostbac.binormal import binormal_check, posterior_binormal

X, y = load_breast_cancer(return_X_y=True)
y = 1 - y  # 1 is malignant
y_score = cross_val_predict(LinearDiscriminantAnalysis(), X, y, method="decision_function")

# %%
# The model says that the scores of each class are normal. Here it is not rejected.

check = binormal_check(y, y_score)
NormalScoresDisplay(check).plot()
plt.show()

# %%
# One classifier, three populations
# ---------------------------------
#
# The test set can be weighted so that it looks like another population, and then has an empirical
# curve, the staircase, to hold the smooth one against. The bands hold the precision at a recall
# with a probability of 95 %.

fractions = (0.37, 0.1, 0.01)

fig, axes = plt.subplots(1, 3, figsize=(12, 4.8), sharey=True, layout="constrained")
for ax, fraction in zip(axes, fractions, strict=True):
    BinormalCurveDisplay.from_predictions(
        y,
        y_score,
        curve="precision_recall",
        positive_fraction=fraction,
        random_state=0,
        name=f"{fraction:.0%} positives",
        ax=ax,
    )
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
