"""The closed-form screen of the prior warning against the simulation that it saves."""

import numpy as np

from skpostbac import ClassCounts, PosteriorBalancedAccuracy
from skpostbac.metrics import _advice

PRIORS = ("calibrated", "calibrated", "uniform", "jeffreys", "neutral", "reciprocal")


def random_posterior(rng):
    """Return a posterior of up to 100 classes of equal or very unequal sizes."""
    n_classes = int(rng.choice([1, 2, 3, 5, 8, 20, 60, 100]))
    size = 10 ** rng.uniform(0.2, 2.7)
    sizes = size * np.exp(rng.normal(0, rng.choice([0, 0.5, 1.5]), n_classes))
    total = np.maximum(rng.poisson(sizes), 1)
    recalls = rng.beta(*rng.choice([[8, 2], [2, 2], [40, 1], [1, 1]]), n_classes)
    counts = ClassCounts(range(n_classes), rng.binomial(total, recalls), total)
    return PosteriorBalancedAccuracy(counts, prior=str(rng.choice(PRIORS)))


def test_the_screen_passes_what_a_simulation_passes():
    """Of low simulated coverages hardly any is left out, and none is far below the limit."""
    rng = np.random.default_rng(20261128)
    below, missed, screened = 0, [], 0
    for _ in range(300):
        evidence = random_posterior(rng)._evidence()
        counts = evidence.counts
        simulated = _advice.simulated_coverage(
            counts.correct, counts.total, evidence.prior, evidence.class_weight
        )
        is_suspect = _advice._suspect_coverage(evidence) is not None
        screened += not is_suspect
        if simulated < evidence.least_coverage:
            below += 1
            moved = abs(evidence.mean - evidence.observed)
            matters = moved + 2 * evidence.standard_deviation > _advice._LEAST_MOVE
            if matters and not is_suspect:
                missed.append(evidence.least_coverage - simulated)
    assert below > 30
    assert len(missed) <= 0.03 * below
    assert max(missed, default=0) < 0.05
    # Otherwise it would save nothing.
    assert screened > 100
