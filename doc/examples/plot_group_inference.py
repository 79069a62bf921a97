"""
Generalise from several subjects to the next
============================================

A classifier was tested on five subjects, with a hundred trials of each. How accurate is it in the
population that the subjects come from, on each of them, and on the next one? The subjects are not
alike, so that their trials cannot be pooled; and each was observed with an error, so that their
accuracies cannot be averaged as they are. A model of both [1]_ [2]_ answers all three questions.

.. [1] K. H. Brodersen, C. Mathys, J. R. Chumbley, J. Daunizeau, C. S. Ong, J. M. Buhmann and
   K. E. Stephan (2012). Bayesian mixed-effects inference on classification performance in
   hierarchical data sets. Journal of Machine Learning Research 13, 3133-3176.
.. [2] K. H. Brodersen, J. Daunizeau, C. Mathys, J. R. Chumbley, J. M. Buhmann and K. E. Stephan
   (2013). Variational Bayesian mixed-effects inference for classification studies. NeuroImage 76,
   345-361.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

from skpostbac import group_posterior

correct, total = np.array([82, 75, 92, 85, 88]), np.full(5, 100)
posterior = group_posterior(correct, total)
print(posterior)

# %%
# The population
# --------------
#
# These are the counts of the example of the R package ``micp``, which approximates the posterior by
# independent distributions. It reports the accuracy that half of the population exceed: 0.8203,
# between 0.7196 and 0.8961, and below chance with a probability of 3e-7. By quadrature the same
# model says:

distribution = posterior.population_median
low, high = distribution.interval()
print(
    f"{distribution.mean():.4f} [{low:.4f}, {high:.4f}], P(below 0.5) = {distribution.cdf(0.5):.4f}"
)
assert math.isclose(distribution.mean(), 0.8127, abs_tol=1e-4)
assert (round(low, 4), round(high, 4)) == (0.6517, 0.9025)
assert math.isclose(distribution.cdf(0.5), 0.0030, abs_tol=1e-4)

# %%
# The mean is near; the interval is 1.4 times as wide, and the probability of chance ten thousand
# times as large. Five subjects say little of how different subjects are.
#
# The subjects
# ------------
#
# Each subject is drawn towards the others, the more the fewer trials it has. Here a sixth one is
# added, with five trials, all of them correct.

with_sixth = group_posterior(np.append(correct, 5), np.append(total, 5))
means = np.array([distribution.mean() for distribution in with_sixth.groups])
observed = with_sixth.correct / with_sixth.total
centre = with_sixth.population_median.mean()
shrinkage = 1 - (means - centre) / (observed - centre)
print("shrinkage:", shrinkage.round(2))
assert shrinkage[-1] > 2 * shrinkage[2] > 0

display = with_sixth.plot()
display.ax_.plot(observed, display.ax_.get_yticks()[:6], "x", color="black")
display.ax_.set_title("Crosses: what was observed")

# %%
# Two models
# ----------
#
# The normal model of the log-odds supposes a median near 1/2 before the data. With a beta-binomial
# model the mean of the population is uniform before the data, and so is larger after them.

for model in ("normal-binomial", "beta-binomial"):
    posterior = group_posterior(correct, total, model=model)
    low, high = posterior.new_group.interval()
    print(f"{model}: mean {posterior.population_mean.mean():.3f}, new [{low:.3f}, {high:.3f}]")

plt.show()
