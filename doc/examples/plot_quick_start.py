"""
Evaluate one classifier
=======================

A test set of 57 samples, and a classifier that is wrong once. Its balanced accuracy is 0.976,
which is what most reports would say. What do the data say?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skpostbac import PosteriorDisplay, posterior_balanced_accuracy

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.1, stratify=y, random_state=0)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
y_pred = model.predict(X_test)

posterior = posterior_balanced_accuracy(y_test, y_pred)
posterior

# %%
# An interval, a probability, and what each class contributes. The interval is not symmetric about
# the score: it cannot be, so close to 1.

score = balanced_accuracy_score(y_test, y_pred)
low, high = posterior.credible_interval()
print(f"score {score:.3f}, 95 % credible interval [{low:.3f}, {high:.3f}]")
print(f"P(balanced accuracy > 0.9) = {posterior.prob_above(0.9):.3f}")
assert score - low > 2 * (high - score)

# %%
# The posterior as a picture: its mean, the shaded interval, and the balanced accuracy of the test
# set, which lies to the right of most of what is possible.

display = posterior.plot()
display.ax_.axvline(score, color="#666666", linestyle=":")
plt.show()

# %%
# The class of 21 samples is the one of which less is known.

PosteriorDisplay.from_recalls(posterior)
plt.show()
