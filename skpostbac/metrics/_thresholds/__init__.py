"""The balanced accuracy as a function of the threshold, and at the best threshold.

`counts` computes the correct predictions at each threshold, `joint` the posterior of the whole
curve, `optimism` the selection bias of the best threshold, and `curve` the result. Imports
`_posteriors`, `_priors`, `_labels` and `_counts`.
"""

from skpostbac.metrics._thresholds.curve import PosteriorThresholdCurve, posterior_threshold_curve

__all__ = ["PosteriorThresholdCurve", "posterior_threshold_curve"]
