"""Functions without cancellation, against mpmath."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats._numerics.arithmetic import expm1mx, log1pmx, log_beta, stirling_remainder

# A dozen roundings.
RELATIVE = 3e-15
SMALL = [1e-300, 1e-12, 1e-5, 0.01, 0.29, 0.31, 0.49, 0.51]


def exact(function, *columns):
    """Evaluate a function of mpmath numbers at doubles, to many digits."""
    with mpmath.workdps(400):
        values = [function(*map(mpmath.mpf, row)) for row in zip(*columns, strict=True)]
        return np.array([float(value) for value in values])


@pytest.mark.parametrize("sign", [1, -1], ids=["positive", "negative"])
def test_expm1mx(sign):
    """Zero to second order at zero, and without cancellation up to one."""
    x = sign * np.array([*SMALL, 0.9, 1.0])
    expected = exact(lambda x: mpmath.expm1(x) - x, x)
    np.testing.assert_allclose(expm1mx(x), expected, rtol=RELATIVE, atol=0)


@pytest.mark.parametrize("sign", [1, -1], ids=["positive", "negative"])
def test_log1pmx(sign):
    """Zero to second order at zero, down to the pole at minus one."""
    x = sign * np.array([*SMALL, 0.9, 0.999999, *([1e10] if sign > 0 else [])])
    expected = exact(lambda x: mpmath.log1p(x) - x, x)
    np.testing.assert_allclose(log1pmx(x), expected, rtol=RELATIVE, atol=0)


def test_stirling_remainder():
    """About 1 / (12 x), which the difference of large terms would lose."""
    x = np.array([1e-3, 0.5, 1.0, 3.7, 7.99, 8.01, 40.5, 1e4, 1e9])

    def remainder(x):
        return mpmath.loggamma(x) - (x - 0.5) * mpmath.log(x) + x - mpmath.log(2 * mpmath.pi) / 2

    # Below the switch to the series at 8 the terms are of order ten, and the remainder 0.01.
    np.testing.assert_allclose(stirling_remainder(x), exact(remainder, x), rtol=1e-12, atol=2e-15)


@pytest.mark.parametrize(
    ("a", "b"),
    [(1e-3, 1e-3), (0.5, 0.5), (1e-3, 1e9), (3, 7), (12.5, 4e6), (1e9, 1e9), (4e8, 6.5e8)],
)
def test_log_beta(a, b):
    """Relative accuracy, though the log Gammas of 1e9 have eight digits before the point."""
    expected = exact(lambda a, b: mpmath.log(mpmath.beta(a, b)), [a], [b])
    np.testing.assert_allclose(log_beta(np.array([a]), np.array([b])), expected, rtol=1e-14)
    np.testing.assert_allclose(log_beta(np.array([b]), np.array([a])), expected, rtol=1e-14)
