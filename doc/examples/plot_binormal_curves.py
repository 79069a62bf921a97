"""
Draw smooth ROC and precision-recall curves
===========================================

With few samples, an empirical curve is a rough staircase. If the scores of both classes are normal,
two means, two standard deviations and the share of positives give smooth curves [1]_.

.. [1] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The binormal assumption
   on precision-recall curves. Proceedings of the 20th International Conference on Pattern
   Recognition.
"""

import math
from dataclasses import replace

import matplotlib.pyplot as plt
from scipy.integrate import quad
from scipy.stats import norm, probplot
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

from skpostbac import posterior_average_precision, posterior_roc_auc
from skpostbac.binormal import BinormalCurveDisplay, BinormalModel, binormal_check

# %%
# Known parameters
# ----------------
#
# This is the example from the slides of [1]_: negatives have mean -1, positives mean 1, and both
# have standard deviation 2. The ROC curve does not depend on how rare the positives are. Precision
# does.

model = BinormalModel(mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2)
assert math.isclose(model.roc_auc(), norm.cdf(2 / math.sqrt(8)), rel_tol=1e-12)
assert math.isclose(model.roc_auc(), 0.7602499389, abs_tol=1e-10)


def average_precision(fraction):
    """Integrate the precision over the recall, threshold by threshold."""

    def integrand(t):
        true, false = fraction * norm.sf(t, 1, 2), (1 - fraction) * norm.sf(t, -1, 2)
        return true / (true + false) * norm.pdf(t, 1, 2)

    return quad(integrand, -30, 30, points=[1], epsabs=1e-12)[0]


fig, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
BinormalCurveDisplay(model).plot(left)
for fraction, printed in ((0.5, 0.7530), (0.4, 0.6768), (0.1, 0.2928), (0.01, 0.0422)):
    rarer = replace(model, positive_fraction=fraction)
    assert round(rarer.average_precision(), 4) == printed
    assert math.isclose(
        rarer.average_precision(), average_precision(fraction), rel_tol=1e-8
    )
    name = f"{fraction:.0%} positive"
    BinormalCurveDisplay(rarer, curve="precision_recall", name=name).plot(right)

# %%
# Scores of a classifier
# ----------------------
#
# A linear discriminant classifies tumours as malignant or benign. The scores of a class are normal
# if they lie on a straight line in this plot.

X, y = load_breast_cancer(return_X_y=True)
y = (y == 0).astype(int)  # 1 is malignant
y_score = cross_val_predict(
    LinearDiscriminantAnalysis(), X, y, method="decision_function"
)
check = binormal_check(y, y_score)
print(check)
assert not check.rejects()

fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, label, name in zip(axes, (0, 1), ("benign", "malignant"), strict=True):
    probplot(y_score[y == label], plot=ax)
    ax.set_title(f"Scores of {name} tumours")

# %%
# Smooth and empirical curves
# ---------------------------
#
# Take one in ten of the samples, as in a small study. The thin lines are the empirical curves.

small = slice(None, None, 10)
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
for curve, ax in (("roc", left), ("precision_recall", right)):
    BinormalCurveDisplay.from_predictions(y[small], y_score[small], curve=curve, ax=ax)

# %%
# Both areas from all samples lie within the intervals from one in ten of them, which need no normal
# scores (:ref:`ranking`).

fitted = BinormalModel.fit(y, y_score)
for posterior, area in (
    (posterior_roc_auc(y[small], y_score[small]), fitted.roc_auc()),
    (posterior_average_precision(y[small], y_score[small]), fitted.average_precision()),
):
    low, high = posterior.credible_interval()
    print(f"[{low:.3f}, {high:.3f}] from one in ten, {area:.3f} from all")
    assert low < area < high

plt.show()
