"""
Choose a decision threshold
===========================

With imbalanced classes, the threshold 0.5 is rarely the best. But the threshold that is best on
the test set looks better than it is.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split

from skpostbac import PosteriorThresholdDisplay

X, y = make_classification(
    2000, n_features=8, n_informative=3, weights=[0.9], class_sep=0.7, random_state=2
)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=0.8, stratify=y, random_state=0
)

# %%
# Tune the threshold on the training set by cross-validation. The test set of 400 samples then
# shows how good it is, compared with all other thresholds.

tuned = TunedThresholdClassifierCV(LogisticRegression()).fit(X_train, y_train)
y_score = tuned.estimator_.predict_proba(X_test)[:, 1]

display = PosteriorThresholdDisplay.from_predictions(
    y_test, y_score, random_state=0, plot_chance_level=True
)
plt.show()

# %%
# At 0.5, the recall of the positives is low. The report describes the best threshold on the test
# set.

curve = display.curve
print(curve.report())

# %%
# Compare three thresholds on the test set. The first two were not chosen on it, so they need no
# correction.

for name, posterior in {
    "threshold 0.5": curve.at(0.5),
    "tuned on the training set": curve.at(tuned.best_threshold_),
    "best on the test set": curve.best,
    "the same, corrected": curve.corrected,
}.items():
    low, high = posterior.credible_interval()
    print(f"{name:26} {posterior.mean():.3f} [{low:.3f}, {high:.3f}]")

assert curve.corrected.mean() < curve.best.mean()
