"""
Generalise from several subjects to the next
============================================

A classifier was tested on five subjects, with a hundred trials each. How accurate is it in the
population they come from, on each of them, and on the next one? You cannot pool the trials,
because subjects differ. You cannot just average the accuracies either, because each is observed
with error. A model of both [1]_ answers all three questions.

.. [1] K. H. Brodersen, C. Mathys, J. R. Chumbley, J. Daunizeau, C. S. Ong, J. M. Buhmann and
   K. E. Stephan (2012). Bayesian mixed-effects inference on classification performance in
   hierarchical data sets. Journal of Machine Learning Research 13, 3133-3176.
"""

import matplotlib.pyplot as plt
import numpy as np

from skpostbac import population_posterior

correct, total = np.array([82, 75, 92, 85, 88]), np.full(5, 100)
posterior = population_posterior(correct, total)
print(posterior)

# %%
# The population
# --------------
#
# Five subjects tell little about how much subjects differ, so their mean accuracy is uncertain.
# The next subject is more uncertain still:

for name in ("population_mean", "new_group"):
    distribution = getattr(posterior, name)
    low, high = distribution.interval()
    print(f"{name}: {distribution.mean():.3f} [{low:.3f}, {high:.3f}]")

# %%
# The subjects
# ------------
#
# The estimate for each subject is shrunk towards the others, most of all if it has few trials. To
# show this, we add a sixth subject with five trials, all correct.

with_sixth = population_posterior(np.append(correct, 5), np.append(total, 5))
means = np.array([distribution.mean() for distribution in with_sixth.groups])
observed = with_sixth.correct / with_sixth.total
centre = with_sixth.population_mean.mean()
shrinkage = 1 - (means - centre) / (observed - centre)
print("shrinkage:", shrinkage.round(2))
assert shrinkage[-1] > 2 * shrinkage[2] > 0

display = with_sixth.plot()
display.ax_.plot(observed, display.ax_.get_yticks()[:6], "x", color="black")
display.ax_.set_title("Crosses: observed accuracies")

plt.show()
