"""
Choose a prior for many classes
===============================

With many classes and few samples, a uniform prior gives intervals that miss the true value. It
pulls each recall towards 1/2. With ten digits and five samples of each, the pulls add up while the
interval gets narrower, so it settles on a wrong value.

The default, "calibrated", pulls all classes together only as strongly as a uniform prior pulls one,
and makes intervals of the average wide enough. Jeffreys' prior is between the two.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from skpostbac import PosteriorBalancedAccuracy, class_counts

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=200, stratify=y, random_state=0
)
y_pred = KNeighborsClassifier().fit(X_train, y_train).predict(X_test)

# %%
# The whole test set of 1,597 samples gives an accurate balanced accuracy, which serves as the
# truth. We draw twenty small test sets from it. The constructor of the posterior is used here,
# because :func:`~skpostbac.posterior_balanced_accuracy` would warn about the uniform prior each
# time.

truth = balanced_accuracy_score(y_test, y_pred)
rng = np.random.default_rng(0)


def small_test_set():
    """Return the counts of five random samples of each class."""
    rows = np.concatenate(
        [
            rng.choice(np.flatnonzero(y_test == label), 5, replace=False)
            for label in range(10)
        ]
    )
    return class_counts(y_test[rows], y_pred[rows])


test_sets = [small_test_set() for _ in range(20)]
intervals = {
    prior: np.array(
        [
            PosteriorBalancedAccuracy(counts, prior=prior).credible_interval()
            for counts in test_sets
        ]
    )
    for prior in ("uniform", "jeffreys", "calibrated")
}

# %%
# How many of the twenty intervals contain the true value, the dashed line?

fig, axes = plt.subplots(
    1, 3, figsize=(9, 4.2), sharex=True, sharey=True, layout="constrained"
)
held = {}
for ax, (prior, ends) in zip(axes, intervals.items(), strict=True):
    low, high = ends.T
    held[prior] = int(np.sum((low <= truth) & (truth <= high)))
    ax.hlines(np.arange(20), low, high, linewidth=2)
    ax.axvline(truth, color="#D55E00", linestyle="--")
    ax.set(title=f"{prior}: {held[prior]} of 20", xlabel="Balanced accuracy")
axes[0].set(ylabel="test set", yticks=[])
plt.show()

assert held["uniform"] < 5
assert held["uniform"] < held["jeffreys"] < held["calibrated"]
assert held["calibrated"] >= 17

# %%
# :meth:`~skpostbac.PosteriorBalancedAccuracy.prior_influence` shows how far the prior moves the
# mean, in posterior standard deviations, and which classes it moves most. :ref:`priors` explains
# which prior to use, and :ref:`evidence_priors` has the measurements.

print(PosteriorBalancedAccuracy(test_sets[0], prior="uniform").prior_influence())
print(PosteriorBalancedAccuracy(test_sets[0]).prior_influence())
