"""How far the prior moves the posterior mean, class by class."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skpostbac.metrics import ClassCounts, PosteriorBalancedAccuracy


def influence_of(correct, total, *, classes=None, **options):
    """Return the influence of the prior on the posterior of some counts."""
    classes = range(len(total)) if classes is None else classes
    counts = ClassCounts(list(classes), correct, total)
    return PosteriorBalancedAccuracy(counts, **options).prior_influence()


def exact_shifts(correct, total, a, b, weights):
    """Return the shift of each class: fractions up to the square root of the variance."""
    params = [(a + k, b + n - k) for k, n in zip(correct, total, strict=True)]
    means = [p / (p + q) for p, q in params]
    variances = [p * q / ((p + q) ** 2 * (p + q + 1)) for p, q in params]
    sd = math.sqrt(sum(w * w * v for w, v in zip(weights, variances, strict=True)))
    recalls = [Fraction(k, n) for k, n in zip(correct, total, strict=True)]
    moved = zip(weights, means, recalls, strict=True)
    return [float(w * (mean - recall)) / sd for w, mean, recall in moved]


@st.composite
def observed_tables(draw):
    """Draw correct and total counts of a few classes that all have samples, and weights."""
    total = draw(st.lists(st.integers(1, 60), min_size=1, max_size=6))
    correct = [draw(st.integers(0, n)) for n in total]
    return correct, total, [draw(st.integers(1, 5)) for _ in total]


@given(table=observed_tables(), a=st.integers(1, 4), b=st.integers(1, 4))
def test_shifts_are_exact(table, a, b):
    """Each class has its part, as in rational arithmetic, and the parts add up."""
    correct, total, weights = table
    influence = influence_of(correct, total, prior=(a, b), class_weight=weights)
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    expected = exact_shifts(correct, total, Fraction(a), Fraction(b), shares)
    # A difference of numbers up to 1, over a standard deviation of 0.01 and more.
    np.testing.assert_allclose(influence.class_shifts, expected, rtol=0, atol=1e-12)
    assert influence.shift == pytest.approx(sum(expected), abs=1e-12)


@given(table=observed_tables())
def test_shift_is_what_lies_between_mean_and_observation(table):
    """It leads from the observed balanced accuracy to the posterior mean."""
    correct, total, weights = table
    posterior = PosteriorBalancedAccuracy(
        ClassCounts(range(len(total)), correct, total), class_weight=weights
    )
    influence = posterior.prior_influence()
    observed = np.average(np.divide(correct, total), weights=weights)
    assert influence.observed == pytest.approx(observed, rel=1e-14)
    assert influence.mean == pytest.approx(posterior.mean(), rel=1e-14)
    moved = observed + influence.shift * posterior.standard_deviation()
    assert moved == pytest.approx(posterior.mean(), rel=1e-12)


def test_a_class_without_samples_is_compared_with_the_others():
    """Its prior mean stands against the average of what was observed."""
    influence = influence_of(
        [9, 8, 0], [10, 10, 0], classes=["a", "b", "c"], prior="uniform"
    )
    observed, means = 0.85, np.array([10 / 12, 9 / 12, 1 / 2])
    sd = np.sqrt(10 * 2 / (12**2 * 13) + 9 * 3 / (12**2 * 13) + 1 / 12) / 3
    expected = (means - [0.9, 0.8, observed]) / 3 / sd
    np.testing.assert_allclose(influence.class_shifts, expected, rtol=1e-12)
    assert influence.shift == pytest.approx((means.mean() - observed) / sd, rel=1e-12)


@pytest.mark.parametrize(
    ("total", "weights"),
    [([0, 0], None), ([5, 0], [0, 1])],
    ids=["no samples", "no weight"],
)
def test_without_observations_there_is_no_shift(total, weights):
    """What was not observed cannot be compared with; the posterior is the prior."""
    influence = influence_of([0, 0], total, class_weight=weights)
    assert math.isnan(influence.observed)
    assert math.isnan(influence.shift)
    assert influence.mean == 0.5
