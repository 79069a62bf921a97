"""One classifier on several groups of samples.

`posterior` treats groups, such as subjects or sites, as a sample of a population. `subgroups`
compares named groups, such as men and women, by the worst group and the gap. Imports
`_posteriors`, `_counts` and what these import.
"""

from skpostbac.metrics._groups.posterior import PopulationPosterior, population_posterior
from skpostbac.metrics._groups.subgroups import SubgroupPosteriors, subgroup_posteriors
