"""The balanced accuracy as a function of the threshold, and at the best threshold.

`counts` computes the correct predictions at each threshold, the posterior of the whole curve and
the selection bias of the best threshold, and `curve` the result. Imports
`_balanced_accuracy`, `_posteriors`, `_priors`, `_labels` and `_counts`.
"""

from skpostbac.metrics._thresholds.curve import PosteriorThresholdCurve, posterior_threshold_curve

__all__ = ["PosteriorThresholdCurve", "posterior_threshold_curve"]
