"""
Predict precision where positives are rare
==========================================

If positives are rarer than in your test set, precision will be lower: among more negatives, the
same false positive rate means more false positives. The ROC curve stays the same, but a
precision-recall curve from a test set with 37 % positives says little about a population with 1 %.

The binormal model gives the curve for any share of positives.
"""

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

from skpostbac.binormal import (
    BinormalCurveDisplay,
    NormalScoresDisplay,
    binormal_check,
    posterior_binormal,
)

X, y = load_breast_cancer(return_X_y=True)
y = 1 - y  # 1 is malignant
y_score = cross_val_predict(
    LinearDiscriminantAnalysis(), X, y, method="decision_function"
)

# %%
# The model assumes that the scores of each class are normal. Here, the test does not reject this.

check = binormal_check(y, y_score)
NormalScoresDisplay(check).plot()
plt.show()

# %%
# One classifier, three populations
# ---------------------------------
#
# The staircase is the empirical curve of the test set, weighted to look like the other population.
# The smooth curve is that of the model. At each recall, the band holds the precision with a
# probability of 95 %.

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
# With 1 % positives, the precision depends on a handful of negatives with high scores, and each of
# them makes a large step in the empirical curve. How uncertain is the average precision?

intervals = {
    fraction: posterior_binormal(y, y_score, positive_fraction=fraction, random_state=0)
    .average_precision()
    .credible_interval()
    for fraction in fractions
}
for fraction, (low, high) in intervals.items():
    print(f"{fraction:4.0%} positives: average precision in [{low:.3f}, {high:.3f}]")

# %%
# The rarer the positives, the wider the interval. It also relies on the normal tail, where there
# are few samples: see :ref:`binormal`.

widths = [high - low for low, high in intervals.values()]
assert widths == sorted(widths)
