"""
Every kind of plot
==================

One picture of each display and each of its kinds. All take ``ax=``, so that several fit into one
figure, and follow the style sheet of matplotlib, also a dark one.
"""

# %%
# Posteriors
# ----------
# Three classifiers, by their numbers of correct predictions in each class. The default is "density"
# for up to six posteriors and "forest" for more.

import matplotlib.pyplot as plt
import numpy as np

from skpostbac import (
    PosteriorBalancedAccuracy,
    PosteriorComparisonDisplay,
    PosteriorDisplay,
    PosteriorRocDisplay,
    PosteriorSearchDisplay,
    PosteriorThresholdDisplay,
)
from skpostbac.binormal import BinormalCurveDisplay

counts = {"forest": [55, 33, 21], "boosting": [54, 30, 17], "tree": [49, 24, 14]}
posteriors = {
    name: PosteriorBalancedAccuracy.from_counts(correct, [60, 40, 25])
    for name, correct in counts.items()
}

display = PosteriorDisplay(posteriors).plot(kind="density", plot_chance_level=True)

# %%
display = PosteriorDisplay(posteriors).plot(kind="forest")

# %%
display = PosteriorDisplay(posteriors).plot(kind="ridge")

# %%
# The recall of each class of one classifier:

display = PosteriorDisplay.from_recalls(posteriors["forest"])

# %%
# Comparisons
# -----------
# Three classifiers on the same samples. See :ref:`comparison` for what the numbers mean.

rng = np.random.default_rng(0)
y_true = np.repeat([0, 1], [80, 40])
predictions = {
    name: np.where(rng.random(120) < share, y_true, 1 - y_true)
    for name, share in {"forest": 0.9, "boosting": 0.87, "tree": 0.78}.items()
}
display = PosteriorComparisonDisplay.from_predictions(
    y_true, predictions, kind="decision"
)

# %%
display = PosteriorComparisonDisplay.from_predictions(
    y_true, predictions, kind="difference", pair=("forest", "tree"), rope=0.02
)

# %%
display = PosteriorComparisonDisplay.from_predictions(
    y_true, predictions, kind="matrix"
)

# %%
display = PosteriorComparisonDisplay.from_predictions(y_true, predictions, kind="ranks")

# %%
# A search
# --------
# The candidates of a grid search along a parameter; the chosen one has a circle. With a fitted
# search, use ``PosteriorSearchDisplay.from_search(search)``.

display = PosteriorSearchDisplay(
    param_name="max_depth",
    values=[3, 2, 1],
    posteriors=list(posteriors.values()),
    best_index=0,
).plot()

# %%
# Scores
# ------
# The balanced accuracy at every threshold, with the best threshold, and the ROC curve of the same
# scores:

y_score = rng.normal(1.5 * y_true, 1)
display = PosteriorThresholdDisplay.from_predictions(y_true, y_score, random_state=0)

# %%
display = PosteriorRocDisplay.from_predictions(y_true, y_score, plot_chance_level=True)

# %%
# Smooth curves, under the assumption that the scores are normal within each class:

display = BinormalCurveDisplay.from_predictions(y_true, y_score)

# %%
display = BinormalCurveDisplay.from_predictions(
    y_true, y_score, curve="precision_recall", plot_chance_level=True
)

# %%
# A dark style
# ------------

with plt.style.context("dark_background"):
    display = PosteriorDisplay(posteriors).plot(plot_chance_level=True)
