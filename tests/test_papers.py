"""Numbers of publications."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from skpostbac import PosteriorAccuracy, PosteriorBalancedAccuracy

# First example of the slides of Brodersen et al. (2010), whose prior is flat: positives first, true
# classes as rows.
TP, FN, FP, TN = 40, 5, 8, 2
SLIDES = PosteriorBalancedAccuracy.from_confusion_matrix(
    [[TP, FN], [FP, TN]], prior="uniform"
)
POSITIVES, NEGATIVES = stats.beta(TP + 1, FN + 1), stats.beta(TN + 1, FP + 1)


def integrate(values, x):
    """Integrate over the accuracy v on the negatives; that on the positives is 2 x - v."""
    return quad(values, max(0, 2 * x - 1), min(1, 2 * x), epsabs=1e-13, epsrel=1e-11)[0]


def balanced_density(x):
    """The slides' convolution, of two densities of accuracies, for their average x."""
    return 2 * integrate(lambda v: POSITIVES.pdf(2 * x - v) * NEGATIVES.pdf(v), x)


def balanced_cdf(x):
    """P((u + v) / 2 <= x) is 1 for v < 2 x - 1."""
    sure = NEGATIVES.cdf(2 * x - 1)
    return sure + integrate(lambda v: POSITIVES.cdf(2 * x - v) * NEGATIVES.pdf(v), x)


def test_slides_accuracy():
    """A ~ Beta(C + 1, I + 1), with its mean, mode and interval."""
    posterior = PosteriorAccuracy(SLIDES.counts, prior="uniform")
    right, wrong = TP + TN, FP + FN
    distribution = stats.beta(43, 14)
    assert (posterior.distribution.a, posterior.distribution.b) == (43, 14)
    assert posterior.mean() == pytest.approx(
        (right + 1) / (right + wrong + 2), rel=1e-14
    )
    assert posterior.mode() == pytest.approx(right / (right + wrong), rel=1e-9)
    assert posterior.credible_interval(method="central") == pytest.approx(
        distribution.interval(0.95), rel=1e-10
    )
    assert posterior.prob_below(0.5) == pytest.approx(distribution.cdf(0.5), rel=1e-10)


def test_slides_balanced_accuracy():
    """To the six digits known, and by the integral of the slides."""
    assert SLIDES.mean() == pytest.approx((41 / 47 + 3 / 12) / 2, rel=1e-14)
    low, high = SLIDES.credible_interval(method="central")
    chance = SLIDES.prob_below(0.5)
    found = [SLIDES.mean(), low, high, chance]
    assert found == pytest.approx([0.561170, 0.451142, 0.701658, 0.174008], abs=5e-7)
    assert chance == pytest.approx(balanced_cdf(0.5), rel=1e-9)
    assert [balanced_cdf(low), balanced_cdf(high)] == pytest.approx(
        [0.025, 0.975], rel=1e-9
    )
    x = np.array([0.3, 0.5, 0.6, 0.8])
    np.testing.assert_allclose(
        SLIDES.distribution.pdf(x), [balanced_density(at) for at in x], rtol=1e-9
    )
    peak = minimize_scalar(
        lambda x: -balanced_density(x), bounds=(0.5, 0.6), method="bounded"
    )
    # Half the digits: the density is flat at its peak.
    assert SLIDES.mode() == pytest.approx(peak.x, abs=1e-5)
