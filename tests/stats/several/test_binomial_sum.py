"""Tails of sums of binomial variables: rational arithmetic and SciPy."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skpostbac.stats._several.order_statistics import log_survival


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


# SciPy 1.15 is off by 1e-7 at 1e10 trials and by 2e-3 at 1e14. The normal tail below is not.
needs_good_tails = pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17),
    reason="SciPy's own tails of many trials are wrong",
)


@pytest.mark.parametrize("deviates", [-4, -1, 0, 0.5, 2, 6, 30])
@pytest.mark.parametrize(
    "n",
    [
        1e3,
        1e6,
        pytest.param(1e10, marks=needs_good_tails),
        pytest.param(1e14, marks=needs_good_tails),
    ],
)
def test_any_number_of_trials(n, deviates):
    """SciPy's tail, which is itself good to 1e-15 of the count, in standard deviations."""
    k = int(n / 2 + deviates * math.sqrt(n / 4))
    expected = stats.binom.logsf(k - 1, n, 0.5)
    found = log_survival(k, np.array([n]), np.array([0.5]))
    assert found == pytest.approx(expected, rel=max(1e-11, 5e-16 * math.sqrt(n)))


@pytest.mark.parametrize("deviates", [-3, 0, 1, 5])
def test_a_hundred_trillion_trials(deviates):
    """The normal tail from half a count below, whose next terms are of the order of 1 / n."""
    n = 1e14
    k = int(n / 2 + deviates * math.sqrt(n / 4))
    expected = stats.norm.logsf((k - 0.5 - n / 2) / math.sqrt(n / 4))
    found = log_survival(k, np.array([0.6e14, 0.4e14]), np.array([0.5, 0.5]))
    # Terms of the size of 1e8 cancel.
    assert found == pytest.approx(expected, rel=1e-8)


def test_many_unequal_probabilities():
    """Two thousand kinds, more than a block, by a Fourier transform over all counts."""
    n, p = np.full(2000, 2.0), np.linspace(0.1, 0.9, 2000)
    angles = 2j * np.pi * np.fft.fftfreq(4001)
    logs = sum(2 * np.log1p(probability * np.expm1(angles)) for probability in p)
    pmf = np.fft.fft(np.exp(logs)).real / angles.size
    for k in (1940, 2000, 2060):
        expected = math.log(math.fsum(pmf[k:]))
        assert log_survival(k, n, p) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("n", "p", "error"),
    [(2.0**42, 1e-13, 1e-12), (2.0**42, 1e-300, 1e-12), (2.0**22, 1 - 2**-20, 1e-9)],
)
def test_rare_success_and_rare_failure(n, p, error):
    """SciPy's tail for as many successes or failures as are expected, and one more."""
    k = math.floor(n * p) + 1
    expected = stats.binom.logsf(k - 1, n, p)
    # Of failures the number of trials is rounded.
    assert log_survival(k, np.array([n]), np.array([p])) == pytest.approx(expected, rel=error)


def test_almost_impossible_success_beside_others():
    """It changes nothing, on either side of the mean."""
    for k in (3, 8):
        found = log_survival(k, np.array([10.0, 10.0]), np.array([0.5, 1e-20]))
        assert found == pytest.approx(stats.binom.logsf(k - 1, 10, 0.5), rel=1e-12)
