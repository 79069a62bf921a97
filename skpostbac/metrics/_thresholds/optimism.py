"""The optimism of choosing the best threshold, from bootstrap samples of both classes.

The samples between two thresholds are a cell of a multinomial distribution in each class.
"""

from __future__ import annotations

import numpy as np

from skpostbac._utils import Floats
from skpostbac.metrics._posteriors import Optimism, optimism_of_choice
from skpostbac.metrics._thresholds.counts import ThresholdCounts


def bootstrap_optimism(
    counts: ThresholdCounts, class_weight: Floats, n_samples: int, rng: np.random.Generator
) -> Optimism:
    """Repeat the choice of the best threshold on bootstrap samples."""
    again = np.zeros((n_samples, len(counts.thresholds)))
    for i, (passed, total) in enumerate(zip(counts.passed().T, counts.total, strict=True)):
        shares = _resample(passed, total, n_samples, rng)
        again += class_weight[i] * (shares if i == counts.positive else 1 - shares)
    return optimism_of_choice(counts.recalls() @ class_weight, again)


def _resample(passed: Floats, total: float, n_samples: int, rng: np.random.Generator) -> Floats:
    """Return the share predicted positive at each threshold, in bootstrap samples of one class."""
    cells = np.maximum(np.diff(passed, prepend=0.0, append=total), 0.0)
    size = max(1, round(total))  # case counts may add up to no whole number
    drawn = rng.multinomial(size, cells / cells.sum(), n_samples)
    return np.cumsum(drawn[:, :-1], axis=1) / size
