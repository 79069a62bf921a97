"""
Compare classifiers after cross-validation
==========================================

Three classifiers, the same ten folds, and the question which one is best. Each sample is predicted
once by each classifier, which makes the comparison *paired*: what they all get right says nothing
of which is better.
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
    name: cross_val_predict(classifier, X, y, cv=folds) for name, classifier in classifiers.items()
}
comparison = compare_predictions(y, predictions, rope=0.01, random_state=0)
print(comparison.report())

# %%
# Who stands where
# ----------------

comparison.plot()
plt.show()

# %%
# Differences, and the rope
# -------------------------
#
# Differences of at most 0.01 are said to make no difference in practice: that is the region of
# practical equivalence, grey in the picture.

first, second, third = comparison.ranking()
comparison.plot(kind="difference")
plt.show()

# %%
# All pairs:

comparison.plot(kind="matrix")
plt.show()

# %%
# And the ranks that each may take:

comparison.plot(kind="ranks")
plt.show()

# %%
# What pairing is worth
# ---------------------
#
# The classifiers err on the same samples more often than not. As if they had been tested on
# separate test sets, their differences look less certain than they are.

independent = compare_posteriors(dict(zip(comparison.names, comparison.posteriors, strict=True)))
for other in (second, third):
    spreads = [
        distribution.difference(first, other).standard_deviation()
        for distribution in (comparison, independent)
    ]
    print("{} - {}: paired {:.4f}, independent {:.4f}".format(first, other, *spreads))
    assert spreads[0] < spreads[1]

# %%
# All of this is about the predictions that were made. Other training sets would have given other
# classifiers: :ref:`cross_validation` tells by how much, and has a correction.
