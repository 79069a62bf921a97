"""Posterior balanced accuracy along the thresholds of a score, and at the best threshold.

`counts` has the correct predictions at each threshold, `joint` the posterior of the whole curve,
`optimism` what the best threshold owes to having been chosen on the same samples, and `curve` the
result. Imports `_balanced_accuracy`, `_posteriors`, `_priors`, `_labels` and `_counts`.
"""

from skpostbac.metrics._thresholds.curve import PosteriorThresholdCurve, posterior_threshold_curve

__all__ = ["PosteriorThresholdCurve", "posterior_threshold_curve"]
