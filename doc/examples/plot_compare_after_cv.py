"""
Compare classifiers after cross-validation
==========================================

Which of three classifiers is best? All were cross-validated on the same ten folds, so each
predicted every sample once. The comparison is therefore *paired*: samples that all classifiers get
right do not matter for which one is better.
"""

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skpostbac import compare_posteriors, compare_predictions

X, y = load_breast_cancer(return_X_y=True)
folds = StratifiedKFold(10, shuffle=True, random_state=0)
classifiers = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "naive Bayes": GaussianNB(),
}
predictions = {
    name: cross_val_predict(classifier, X, y, cv=folds)
    for name, classifier in classifiers.items()
}
comparison = compare_predictions(y, predictions, rope=0.01, random_state=0)
print(comparison.report())

# %%
# Posteriors of the three classifiers
# -----------------------------------

comparison.plot()
plt.show()

# %%
# Differences, and the rope
# -------------------------
#
# Differences of at most 0.01 are treated as practically equivalent. This region of practical
# equivalence (rope) is grey in the plot.

first, second, third = comparison.ranking()
comparison.plot(kind="difference")
plt.show()

# %%
# All pairs:

comparison.plot(kind="matrix")
plt.show()

# %%
# The probability of each rank:

comparison.plot(kind="ranks")
plt.show()

# %%
# Why pairing helps
# -----------------
#
# The classifiers often err on the same samples. If you treat their test sets as separate, the
# differences look less certain than they are.

independent = compare_posteriors(
    dict(zip(comparison.names, comparison.posteriors, strict=True))
)
for other in (second, third):
    spreads = [
        distribution.difference(first, other).standard_deviation()
        for distribution in (comparison, independent)
    ]
    print("{} - {}: paired {:.4f}, independent {:.4f}".format(first, other, *spreads))
    assert spreads[0] < spreads[1]

# %%
# These results do not include the variation from retraining: other training sets would have given
# other classifiers. :ref:`cross_validation` shows how much this matters, and a correction.
