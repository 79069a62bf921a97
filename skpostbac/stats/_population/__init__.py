"""Accuracies of groups, such as subjects, sampled from one population.

The normal-binomial and the beta-binomial model: quadrature over their parameters, and the
distributions of the population mean, of each group and of a new group. Imports `_distribution`,
`_series` and `_numerics`.
"""

from skpostbac.stats._population.average import logit_average
from skpostbac.stats._population.inference import GroupInference
from skpostbac.stats._population.model import BetaBinomial, NormalBinomial
