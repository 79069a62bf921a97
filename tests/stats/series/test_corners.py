"""Tails of Fourier series in closed form, against polylogarithms."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats._series import Corners, Rule

STEP, CORNER = 0.7, 0.3
# Angles of a point to the corner, of either sign, on it, beside it, and half a period away.
ANGLES = np.array([0.0, 1e-9, -1e-6, 1e-3, -0.02, 0.5, -2.0, 3.0, np.pi])


def tail(angle, exponent, order):
    """Return the sum over k >= order of exp(i k angle) / k^exponent."""
    with mpmath.workdps(40):
        z = mpmath.mpf(angle)
        if z == 0:
            return mpmath.zeta(exponent, order)
        terms = (mpmath.expj(k * z) / mpmath.mpf(k) ** exponent for k in range(1, order))
        return mpmath.polylog(exponent, mpmath.expj(z)) - mpmath.fsum(terms)


def corners(places, exponents, order):
    """One distribution: at each place a corner (i h k)^-S."""
    rule = Rule.of(order, min(exponents))
    logs = np.log(STEP) + rule.log_orders + 0.5j * np.pi
    values = np.exp(-np.array(exponents)[:, np.newaxis, np.newaxis] * logs)
    return Corners(rule, np.array([STEP]), np.array([places]), values[np.newaxis])


@pytest.mark.parametrize("exponent", [0.01, 0.3, 1.0, 1.7, 5.0])
@pytest.mark.parametrize("order", [8, 61, 1000])
def test_distribution_function_and_density(exponent, order):
    """The sum of exp(i k h (c - y)) (i h k)^-S / k, and without the division by k."""
    y = CORNER - ANGLES / STEP
    found = corners([CORNER], [exponent], order).evaluator(1)(y[np.newaxis])[:, 0]
    factor = np.exp(-exponent * (np.log(STEP) + 0.5j * np.pi))
    for power, values in zip((exponent + 1, exponent), found, strict=True):
        # At the corner itself a density may be infinite.
        known = (ANGLES != 0) | (power > 1.5) | (power == exponent + 1)
        # What was computed is the angle of the rounded y.
        angles = [float(STEP * (CORNER - mpmath.mpf(x))) for x in y]
        angles = np.array(angles)[known]
        expected = factor * np.array([complex(tail(angle, power, order)) for angle in angles])
        allowed = 2e-10 * abs(factor) * order**-power + 1e-12 * np.abs(expected)
        assert (np.abs(values[known] - expected) <= allowed).all()


def test_corners_add_up():
    """Two corners of one distribution, and each alone."""
    y = np.linspace(-2.0, 2.0, 301)[np.newaxis]
    both = corners([0.3, -0.4], [0.8, 2.5], 40).evaluator(2)(y)
    alone = [
        corners([place], [exponent], 40).evaluator(2)(y)
        for place, exponent in ((0.3, 0.8), (-0.4, 2.5))
    ]
    scale = np.abs(both).max(axis=(1, 2))[:, np.newaxis, np.newaxis]
    np.testing.assert_allclose(both / scale, sum(alone) / scale, rtol=0, atol=1e-13)
