"""The balanced accuracy as a function of the threshold, and at the best threshold.

Imports `_posteriors`, `_priors`, `_labels` and `_counts`.
"""

from skpostbac.metrics._thresholds.curve import PosteriorThresholdCurve, posterior_threshold_curve
