"""
Predict precision where positives are rare
==========================================

If positives are rarer than in your test set, precision will be lower: among more negatives, the
same false positive rate means more false positives. The ROC curve stays the same, but a
precision-recall curve from a test set with 37 % positives says little about a population with 1 %.

The binormal model gives the curve for any share of positives.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

from skpostbac import posterior_average_precision
from skpostbac.binormal import BinormalCurveDisplay, binormal_check

X, y = load_breast_cancer(return_X_y=True)
y = 1 - y  # 1 is malignant
y_score = cross_val_predict(
    LinearDiscriminantAnalysis(), X, y, method="decision_function"
)

# %%
# The model assumes that the scores of each class are normal. Here, the test does not reject this.

check = binormal_check(y, y_score)
print(check)
assert not check.rejects()

# %%
# One classifier, three populations
# ---------------------------------
#
# The staircase is the empirical curve of the test set, weighted to look like the other population.
# The smooth curve is that of the model.

fractions = (0.37, 0.1, 0.01)

fig, axes = plt.subplots(1, 3, figsize=(12, 4.8), sharey=True, layout="constrained")
for ax, fraction in zip(axes, fractions, strict=True):
    BinormalCurveDisplay.from_predictions(
        y,
        y_score,
        curve="precision_recall",
        positive_fraction=fraction,
        name=f"{fraction:.0%} positives",
        ax=ax,
    )
plt.show()

# %%
# With 1 % positives, the precision depends on a handful of negatives with high scores, and each of
# them makes a large step in the empirical curve. How uncertain is the average precision? This
# interval needs no model:

widths = []
for fraction in fractions:
    posterior = posterior_average_precision(y, y_score, prevalence=fraction)
    low, high = posterior.credible_interval()
    print(f"{fraction:4.0%} positives: average precision in [{low:.3f}, {high:.3f}]")
    widths.append(high - low)

# %%
# The rarer the positives, the wider the interval. The smooth curve relies on the normal tail, where
# there are few samples: see :ref:`binormal`.

assert widths == sorted(widths)
