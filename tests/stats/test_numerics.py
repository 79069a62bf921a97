"""Numerical methods that do not depend on a distribution, against mpmath and closed forms."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from skpostbac.stats import _numerics


def exact(function, *columns):
    """Evaluate a function of mpmath numbers at doubles, to many digits."""
    with mpmath.workdps(400):
        values = [function(*map(mpmath.mpf, row)) for row in zip(*columns, strict=True)]
        return np.array([float(value) for value in values])


@pytest.mark.parametrize(
    ("right", "wrong"), [(1.0, 1.0), (82.0, 18.0), (0.5, 3e4), (4e12, 1e12), (1e-6, 2.0)]
)
def test_log_binomial(right, wrong):
    """No digits are lost at the maximum, and nothing overflows far from it."""
    mode, sd = np.log(right / wrong), np.sqrt(1 / right + 1 / wrong)
    u = mode + sd * np.array([-40.0, -3, -0.1, -1e-4, 0, 1e-3, 1, 20])
    n = mpmath.mpf(right) + wrong

    def exact_log(u):
        odds = mpmath.exp(u)
        away = right * mpmath.log(odds * n / right) + wrong * mpmath.log(n / wrong)
        return away - n * mpmath.log1p(odds)

    expected = exact(exact_log, u)
    rounding = 1e-14 * (1 + np.sqrt(right + wrong))
    assert_allclose(_numerics.log_binomial(u, right, wrong), expected, rtol=1e-12, atol=rounding)


def test_stirling_remainder():
    """About 1 / (12 x), which the difference of large terms would lose."""
    x = np.array([1e-3, 0.5, 1.0, 3.7, 7.99, 8.01, 40.5, 1e4, 1e9])

    def remainder(x):
        return mpmath.loggamma(x) - (x - 0.5) * mpmath.log(x) + x - mpmath.log(2 * mpmath.pi) / 2

    # Below the switch to the series at 8 the terms are of order ten, and the remainder 0.01.
    expected = exact(remainder, x)
    assert_allclose(_numerics.stirling_remainder(x), expected, rtol=1e-12, atol=2e-15)


@pytest.mark.parametrize(
    ("a", "b"), [(1e-3, 1e-3), (0.5, 0.5), (1e-3, 1e9), (3, 7), (12.5, 4e6), (4e8, 6.5e8)]
)
def test_log_beta(a, b):
    """Relative accuracy, though the log Gammas of 1e9 have eight digits before the point."""
    expected = exact(lambda a, b: mpmath.log(mpmath.beta(a, b)), [a, b], [b, a])
    assert_allclose(_numerics.log_beta(np.array([a, b]), np.array([b, a])), expected, rtol=1e-14)


floats, positive = st.floats(-1e6, 1e6, allow_subnormal=False), st.floats(1e-3, 1e9)


@given(data=st.data(), size=st.integers(1, 6), equal=st.booleans())
def test_weighted_mean(data, size, equal):
    """Thirty digits of the mean, also where terms of either sign cancel."""
    a, b = (np.array(data.draw(st.lists(positive, min_size=size, max_size=size))) for _ in "ab")
    weights = None if equal else np.array(data.draw(st.lists(floats, min_size=size, max_size=size)))
    shares = [Fraction(1, size)] * size if equal else [*map(Fraction, weights.tolist())]
    rows = zip(shares, map(Fraction, a.tolist()), map(Fraction, b.tolist()), strict=True)
    terms = [w * x / (x + y) for w, x, y in rows]
    # A few roundings at twice the precision, 2^-106 of the largest term each.
    allowed = size * Fraction(1, 2**100) * max(map(abs, terms)) + Fraction(1e-290)
    for mean, rest in (
        _numerics.weighted_mean(a, b, weights),
        _numerics.weighted_means(a, b, weights),
    ):
        assert abs(Fraction(float(mean)) + Fraction(float(rest)) - sum(terms)) <= allowed


@pytest.mark.parametrize("width", [1e-1, 1e-4, 1e-8, 1e-12])
def test_a_narrow_step_is_found(width):
    """A logistic step of any width, at a place that is no edge."""
    place = 0.3

    def step(index, x):
        return 1 / (1 + np.exp(np.clip((place - x) / width, -700, 700)))

    expected = width * (np.logaddexp(0, (1 - place) / width) - np.logaddexp(0, -place / width))
    (integral,) = _numerics.integrate(step, np.array([[0.0, 1.0]]))
    assert integral == pytest.approx(expected, rel=1e-10)


def test_a_kink_a_jump_and_an_empty_piece():
    """Each function has its own interval; where it is not smooth, halving goes on to the end."""
    functions = (lambda x: np.abs(x - 1 / 3), lambda x: x > 2 / 3, lambda x: x**40)
    edges = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 2.0], [0.0, 0.5, 0.5]])
    integrals = _numerics.integrate(
        lambda index, x: np.choose(index, [function(x) for function in functions]), edges
    )
    assert_allclose(integrals, [5 / 18, 4 / 3, 0.5**41 / 41], rtol=1e-10)


def test_waves_and_powers():
    """Any angle, also at the poles of the tangent of its half, any size, and any number."""
    angle = np.append(np.linspace(-40, 40, 1001), np.pi * np.arange(-5, 6))
    log_size = np.linspace(-700, 3, angle.size)
    expected = np.exp(log_size + 1j * angle)
    assert (np.abs(_numerics.waves(angle, log_size) - expected) <= 1e-15 * np.abs(expected)).all()
    factor = np.exp(1j * np.linspace(0, 6, 5))
    for count in (1, 2, 3, 8, 13):
        expected = 2 * factor ** np.arange(count)[:, np.newaxis]
        assert_allclose(_numerics.powers(2.0, factor, count), expected, rtol=1e-14)


@pytest.mark.parametrize("count", [1, 2, 17, 2000])
def test_sums_of_waves(count):
    """To 1e-14 of all masses, at angles of which all multiples are exact in doubles."""
    rng = np.random.default_rng(0)
    angles = rng.integers(-(2**20), 2**20, 500) / 2.0**15
    masses = rng.standard_exponential(500)
    expected = np.exp(1j * np.multiply.outer(np.arange(count), angles)) @ masses
    error = np.abs(_numerics.even_sums(angles, masses, count) - expected).max() / masses.sum()
    # The multiples of pi that the FFT and the kernel leave out are rounded, too.
    assert error < 1e-14 + 1e-15 * np.abs(angles).max() * np.sqrt(count)


@pytest.mark.parametrize(
    ("m", "k", "n"),
    [
        *((3, 4, 5), (2000, 37, 55), (55, 37, 2000), (300, 100, 301), (25, 1368, 120)),
        *((7, 9000, 9), (0, 5, 3), (3, 0, 4), (4, 5, 0)),
    ],
)
def test_matrix_products(m, k, n, monkeypatch):
    """In blocks that OpenBLAS leaves to one thread, of any order in memory, or into a table."""
    rng = np.random.default_rng(0)
    a, b = rng.random((k, m)).T, rng.random((k, n))
    expected, sizes, multiply = np.einsum("ik,kj->ij", a, b), [0], np.matmul

    def noted(a, b, **options):
        sizes.append(a.size * b.shape[-1])
        return multiply(a, b, **options)

    monkeypatch.setattr(np, "matmul", noted)
    assert_allclose(_numerics.matrix_product(a, b), expected, rtol=1e-12)
    assert max(sizes) < 2**19 or k == 9000
    table = np.full((m + 2, n), np.nan)
    _numerics.matrix_product(a, b, out=table[1:-1])
    assert_allclose(table[1:-1], expected, rtol=1e-12)
    assert np.isnan(table[[0, -1]]).all()
    assert_allclose(_numerics.matrix_product(a, b[:, 0]), expected[:, 0], rtol=1e-12) if n else None


@pytest.mark.parametrize(("m", "k", "n"), [(3, 20, 3), (3, 20, 4000), (4000, 20, 30), (1, 900, 50)])
def test_stacked_products(m, k, n):
    """In one block and in several."""
    rng = np.random.default_rng(0)
    a, b = rng.random((2, m, k)) + 1j, rng.random((2, k, n)) - 2j
    expected = np.einsum("smk,skn->smn", a, b)
    assert_allclose(_numerics.stacked_products(a, b), expected, rtol=1e-12)
