"""
Evaluate one classifier
=======================

A classifier makes one error in a test set of 57 samples. Its balanced accuracy is 0.976, and most
reports would stop there. How certain is this number?
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
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.1, stratify=y, random_state=0
)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
y_pred = model.predict(X_test)

posterior = posterior_balanced_accuracy(y_test, y_pred)
posterior

# %%
# The posterior gives an interval and probabilities. The interval is not symmetric around the score,
# because the score is close to 1.

score = balanced_accuracy_score(y_test, y_pred)
low, high = posterior.credible_interval()
print(f"score {score:.3f}, 95 % credible interval [{low:.3f}, {high:.3f}]")
print(f"P(balanced accuracy > 0.9) = {posterior.prob_above(0.9):.3f}")
assert score - low > 2 * (high - score)

# %%
# The plot shows the mean of the posterior and the shaded interval. The dotted line is the balanced
# accuracy of the test set. Most of the posterior is below it.

display = posterior.plot()
display.ax_.axvline(score, color="#666666", linestyle=":")
plt.show()

# %%
# The recall of the class with only 21 samples is more uncertain.

PosteriorDisplay.from_recalls(posterior)
plt.show()
