"""
Search a grid on imbalanced classes
===================================

Which score a grid search maximises decides what it finds. Here are 357 benign tumours and 30
malignant ones, and decision trees of several depths and class weights. Accuracy, balanced accuracy
and the posterior choose three different trees.

The 30 were drawn with a seed for which all three differ. With other seeds two of them often agree:
where a search has a clear winner, all sensible scores find it.
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
# All scores follow from the counts of each class, so that one search is enough. With a
# :class:`~skpostbac.PosteriorRefit`, it refits the tree with the highest lower bound, the value
# that the balanced accuracy exceeds with a probability of 0.95.

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
    "lower bound": np.array([float(posterior.iccdf(0.95)) for posterior in posteriors]),
}
chosen = {name: int(np.argmax(values)) for name, values in scores.items()}

for name, index in chosen.items():
    print(f"Best by {name}: {search.cv_results_['params'][index]}")
    print(f"    {posteriors[index].counts}")
    print("   ", ", ".join(f"{what} {values[index]:.3f}" for what, values in scores.items()))

assert len({tuple(correct[index]) for index in chosen.values()}) == 3
assert search.best_index_ == chosen["lower bound"]

# %%
# The accuracy hardly looks at the 30: its tree misses a fifth of them.
#
# The balanced accuracies of the other two differ by less than 0.002, and what is known of them
# differs by more. The recall of 30 samples is the uncertain part, and least uncertain near 1: the
# lower bound pays for one more malignant tumour with benign ones, which are plenty. That is no
# better or worse in general. It is what to maximise for whoever wants to be safe from a bad
# classifier.

PosteriorDisplay({f"best by {name}": posteriors[index] for name, index in chosen.items()}).plot()
plt.show()

# %%
# All candidates
# --------------
#
# Thirty of them, with intervals that overlap: most of the differences may well be chance.

PosteriorSearchDisplay.from_search(search, "class_weight")
plt.show()
