"""Sums and products to twice the working precision, and distances from the ends of supports."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skpostbac.stats import BetaAverage
from skpostbac.stats._numerics.arithmetic import exact_sum, weighted_mean

floats = st.floats(-1e6, 1e6, allow_subnormal=False)
positive = st.floats(1e-3, 1e9)


def fractions(values):
    """Return the exact values of doubles."""
    return [Fraction(float(value)) for value in values]


@given(values=st.lists(floats, min_size=1, max_size=20))
def test_exact_sum(values):
    """The sum is rounded once, and the rest is what rounding left, rounded once more."""
    total, rest = exact_sum(values)
    exact = sum(fractions(values))
    assert total == float(exact)
    assert rest == float(exact - Fraction(total))


@given(data=st.data(), size=st.integers(1, 6), equal=st.booleans())
def test_weighted_mean(data, size, equal):
    """Thirty digits of the mean, also where terms of either sign cancel."""
    a, b = (np.array(data.draw(st.lists(positive, min_size=size, max_size=size))) for _ in "ab")
    weights = np.array(data.draw(st.lists(floats, min_size=size, max_size=size)))
    mean, rest = weighted_mean(a, b, None if equal else weights)
    exact_weights = [Fraction(1, size)] * size if equal else fractions(weights)
    terms = [
        w * x / (x + y) for w, x, y in zip(exact_weights, fractions(a), fractions(b), strict=True)
    ]
    error = abs(Fraction(mean) + Fraction(rest) - sum(terms))
    # A few roundings at twice the precision, 2^-106 of the largest term each.
    assert error <= size * Fraction(1, 2**100) * max(abs(term) for term in terms) + Fraction(1e-290)


DISTRIBUTIONS = {
    "equal": BetaAverage([31, 9, 4], [3, 3, 2]),
    "seven": BetaAverage(np.full(7, 5.0), np.full(7, 2.0)),
    "signed": BetaAverage([3, 5, 2.5], [2, 4, 1.5], weights=[1.1, -0.7, 0.3]),
    "narrow": BetaAverage([1e9, 1e9], [3.0, 5e8], weights=[0.3, -1e-6]),
}
every_distribution = pytest.mark.parametrize(
    "distribution", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS.keys()
)


def exact_frame(distribution):
    """Return both ends of the support and the mean of a distribution, as fractions."""
    equal = distribution is DISTRIBUTIONS["equal"] or distribution is DISTRIBUTIONS["seven"]
    weights = (
        [Fraction(1, distribution.a.size)] * distribution.a.size
        if equal
        else fractions(distribution.weights)
    )
    terms = zip(weights, fractions(distribution.a), fractions(distribution.b), strict=True)
    mean = sum(w * a / (a + b) for w, a, b in terms)
    low, high = (sum(w for w in weights if sign * w > 0) for sign in (-1, 1))
    return Fraction(low), Fraction(high), mean


@every_distribution
def test_distances_of_the_mean(distribution):
    """Both distances from the mean to the ends, where the mean is beside one."""
    low, high, mean = exact_frame(distribution)
    found = [distribution._frame.mean_to_low, distribution._frame.mean_to_high]
    np.testing.assert_allclose(found, [float(mean - low), float(high - mean)], rtol=1e-15)


@every_distribution
def test_mirrored_frame(distribution):
    """Mirrored twice is the same, and once is that of the negated variable."""
    frame = distribution._frame
    assert frame.mirrored().mirrored() == frame
    assert (frame.mirrored().low, frame.mirrored().mean) == (-frame.high, -frame.mean)
    assert frame.mirrored().mean_to_low == frame.mean_to_high
