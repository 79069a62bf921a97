"""
Search a grid on imbalanced classes
===================================

The result of a grid search depends on the score. With 357 benign and 30 malignant tumours,
accuracy, balanced accuracy and the lower bound of its posterior choose three different decision
trees.

We picked a random seed for which all three differ. With other seeds, two of them often agree: if a
search has a clear winner, all sensible scores find it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCountsScorer,
    PosteriorDisplay,
    PosteriorRefit,
    PosteriorSearchDisplay,
    pooled_posteriors,
)

X, y = load_breast_cancer(return_X_y=True)
y = 1 - y  # 1 is malignant
rng = np.random.default_rng(3)
benign = rng.choice(np.flatnonzero(y == 0), 357, replace=False)
malignant = rng.choice(np.flatnonzero(y == 1), 30, replace=False)
keep = np.concatenate([benign, malignant])
X, y = X[keep], y[keep]

# %%
# One search that keeps the counts
# --------------------------------
#
# All scores follow from the counts of each class, so one search is enough.
# :class:`~skpostbac.PosteriorRefit` refits the tree with the highest 95 % lower credible bound of
# the balanced accuracy.

grid = {
    "max_depth": [1, 2, 3, 4, 6, None],
    "class_weight": [{1: weight} for weight in (1, 3, 10, 30, 100)],
}
search = GridSearchCV(
    DecisionTreeClassifier(random_state=0),
    grid,
    scoring=ClassCountsScorer(),
    refit=PosteriorRefit("lower"),
    cv=StratifiedKFold(5, shuffle=True, random_state=0),
).fit(X, y)

posteriors = pooled_posteriors(search.cv_results_)
total = posteriors[0].counts.total
correct = np.array([posterior.counts.correct for posterior in posteriors])
recalls = correct / total

# %%
# Three scores, three trees
# -------------------------

scores = {
    "accuracy": correct.sum(axis=1) / total.sum(),
    "balanced accuracy": recalls.mean(axis=1),
    "lower bound": np.array([posterior.lower_bound() for posterior in posteriors]),
}
chosen = {name: int(np.argmax(values)) for name, values in scores.items()}

for name, index in chosen.items():
    print(f"Best by {name}: {search.cv_results_['params'][index]}")
    print(f"    {posteriors[index].counts}")
    print(
        "   ",
        ", ".join(f"{what} {values[index]:.3f}" for what, values in scores.items()),
    )

assert len({tuple(correct[index]) for index in chosen.values()}) == 3
assert search.best_index_ == chosen["lower bound"]

# %%
# Accuracy hardly depends on the 30 malignant tumours: its tree misses a fifth of them.
#
# The balanced accuracies of the other two trees differ by less than 0.002, but their uncertainties
# differ by more. Most of the uncertainty is in the recall of the 30 malignant tumours, and it is
# smallest near 1. The lower bound therefore accepts more errors on the many benign tumours to get
# one more malignant tumour right. This is not better or worse in general. Maximise the lower bound
# if you want to be safe from a bad classifier.

PosteriorDisplay(
    {f"best by {name}": posteriors[index] for name, index in chosen.items()}
).plot()
plt.show()

# %%
# All candidates
# --------------
#
# The intervals of all thirty candidates overlap, so most of the differences may well be due to
# chance.

PosteriorSearchDisplay.from_search(search, "class_weight")
plt.show()
