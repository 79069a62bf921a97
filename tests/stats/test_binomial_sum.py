"""Tails of sums of binomial variables: rational arithmetic and SciPy."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skpostbac.stats._binomial_sum import log_survival


def exact_survival(n, p):
    """Return P(S >= k) for k = 0, 1, ..., as fractions, by multiplying polynomials."""
    pmf = [Fraction(1)]
    for trials, probability in zip(n, p, strict=True):
        for _ in range(trials):
            grown = [Fraction(0)] * (len(pmf) + 1)
            for count, mass in enumerate(pmf):
                grown[count] += mass * (1 - probability)
                grown[count + 1] += mass * probability
            pmf = grown
    return [sum(pmf[k:]) for k in range(len(pmf))]


def log_of(fraction):
    """Return the log of a fraction of any size."""
    return math.log(fraction.numerator) - math.log(fraction.denominator)


@pytest.mark.parametrize(
    ("n", "p"),
    [
        ((7,), (Fraction(1, 3),)),
        ((32, 10, 4), (Fraction(1, 2), Fraction(1, 5), Fraction(1, 50))),
        ((60, 1, 9), (Fraction(1, 1000), Fraction(99, 100), Fraction(2, 3))),
        ((5, 0, 5), (Fraction(0), Fraction(1, 2), Fraction(1, 4))),
        ((3, 5), (Fraction(1), Fraction(1, 7))),
    ],
    ids=str,
)
def test_every_count(n, p):
    """All tails, from 1 down to the smallest."""
    survival = exact_survival(n, p)
    for k, exact in enumerate(survival):
        found = log_survival(k, np.array(n, float), np.array(p, float))
        if exact == 0:
            assert found == -np.inf
        else:
            expected = log_of(exact)
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(
    n=st.integers(1, 10**6),
    p=st.floats(1e-6, 1 - 1e-6),
    share=st.floats(0, 1),
)
def test_one_binomial_variable(n, p, share):
    """SciPy's tail, as far as it has one."""
    k = int(share * n)
    expected = stats.binom.logsf(k - 1, n, p)
    found = log_survival(k, np.array([float(n)]), np.array([p]))
    if expected > -650:
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    else:
        assert found < -600


def test_equal_probabilities_add_up():
    """Classes that are guessed alike are one binomial variable."""
    split = log_survival(80, np.array([50.0, 30, 20]), np.full(3, 0.3))
    assert split == pytest.approx(log_survival(80, np.array([100.0]), np.array([0.3])), rel=1e-13)


def test_far_tail_of_many():
    """Beside a large deviation the Chernoff bound is sharp to less than the log of n."""
    n, p, k = 10**8, 0.1, 2 * 10**7
    share = k / n
    bound = -n * (share * math.log(share / p) + (1 - share) * math.log((1 - share) / (1 - p)))
    found = log_survival(k, np.array([float(n)]), np.array([p]))
    assert bound - math.log(n) < found < bound
