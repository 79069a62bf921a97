"""
Generalise from several subjects to the next
============================================

A classifier was tested on five subjects, with a hundred trials each. How accurate is it in the
population they come from, on each of them, and on the next one? You cannot pool the trials,
because subjects differ. You cannot just average the accuracies either, because each is observed
with error. A model of both [1]_ [2]_ answers all three questions.

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

from skpostbac import population_posterior

correct, total = np.array([82, 75, 92, 85, 88]), np.full(5, 100)
posterior = population_posterior(correct, total, model="normal-binomial")
print(posterior)

# %%
# The population
# --------------
#
# The counts are the example of the R package ``micp``, which approximates the posterior by
# independent distributions. It reports the median accuracy of the population as 0.8203, with a 95
# % interval from 0.7196 to 0.8961, and below chance with probability 3e-7. The same model,
# computed by quadrature, gives:

distribution = posterior.population_median
low, high = distribution.interval()
print(
    f"{distribution.mean():.4f} [{low:.4f}, {high:.4f}], P(below 0.5) = {distribution.cdf(0.5):.4f}"
)
assert math.isclose(distribution.mean(), 0.8127, abs_tol=1e-4)
assert (round(low, 4), round(high, 4)) == (0.6517, 0.9025)
assert math.isclose(distribution.cdf(0.5), 0.0030, abs_tol=1e-4)

# %%
# The means are close, but the interval is 1.4 times as wide, and the probability of being below
# chance ten thousand times as large. Five subjects tell little about how much subjects differ.
#
# The subjects
# ------------
#
# The estimate for each subject is shrunk towards the others, most of all if it has few trials. To
# show this, we add a sixth subject with five trials, all correct.

with_sixth = population_posterior(
    np.append(correct, 5), np.append(total, 5), model="normal-binomial"
)
means = np.array([distribution.mean() for distribution in with_sixth.groups])
observed = with_sixth.correct / with_sixth.total
centre = with_sixth.population_median.mean()
shrinkage = 1 - (means - centre) / (observed - centre)
print("shrinkage:", shrinkage.round(2))
assert shrinkage[-1] > 2 * shrinkage[2] > 0

display = with_sixth.plot()
display.ax_.plot(observed, display.ax_.get_yticks()[:6], "x", color="black")
display.ax_.set_title("Crosses: observed accuracies")

# %%
# Two models
# ----------
#
# The normal-binomial model of ``micp`` has a prior with a median accuracy near 1/2. The
# beta-binomial model, which is the default, has a uniform prior of the mean, so its estimate is
# higher.

for model in ("normal-binomial", "beta-binomial"):
    posterior = population_posterior(correct, total, model=model)
    low, high = posterior.new_group.interval()
    print(
        f"{model}: mean {posterior.population_mean.mean():.3f}, new [{low:.3f}, {high:.3f}]"
    )

plt.show()
