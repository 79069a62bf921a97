"""What the best threshold owes to having been chosen on the samples that evaluate it.

The choice is repeated on bootstrap samples, drawn within each class (Efron, Journal of the American
Statistical Association 78, 1983). With A the observed balanced accuracy, A_b that of bootstrap
sample b, t the best threshold and t_b the best one there, the optimism is the mean over b of

    A_b(t_b) - A(t_b) = [A_b(t_b) - A_b(t)] + [A(t) - A(t_b)] + [A_b(t) - A(t)].

The last term has the mean zero and is left out: what remains is positive, and varies less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skpostbac._utils import Floats
from skpostbac.metrics._thresholds.counts import ThresholdCounts


class Optimism(NamedTuple):
    """How much a choice flatters itself."""

    mean: float
    """Mean over the bootstrap samples."""
    error: float
    """Its Monte Carlo standard error."""


def bootstrap_optimism(
    counts: ThresholdCounts, class_weight: Floats, n_samples: int, rng: np.random.Generator
) -> Optimism:
    """Repeat the choice of the best threshold on bootstrap samples."""
    observed = counts.recalls() @ class_weight
    again = np.zeros((n_samples, observed.size))
    for i, (passed, total) in enumerate(zip(counts.passed().T, counts.total, strict=True)):
        shares = _resample(passed, total, n_samples, rng)
        again += class_weight[i] * (shares if i == counts.positive else 1 - shares)
    best, chosen = np.argmax(observed), np.argmax(again, axis=1)
    gains = again[np.arange(n_samples), chosen] - again[:, best]
    losses = observed[best] - observed[chosen]
    optimism = gains + losses
    return Optimism(float(optimism.mean()), float(optimism.std(ddof=1) / np.sqrt(n_samples)))


def _resample(passed: Floats, total: float, n_samples: int, rng: np.random.Generator) -> Floats:
    """Return the share predicted positive at each threshold, in bootstrap samples of one class."""
    cells = np.maximum(np.diff(passed, prepend=0.0, append=total), 0.0)
    size = max(1, round(total))  # case counts may add up to no whole number
    drawn = rng.multinomial(size, cells / cells.sum(), n_samples)
    return np.cumsum(drawn[:, :-1], axis=1) / size
