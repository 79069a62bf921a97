"""Transforms of tilted Betas, as a whole and split into their ends, against mpmath."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats._tilted_beta import (
    concentrated_end,
    concentrated_radius,
    end_radius,
    end_series,
)
from skpostbac.stats._transform import TiltedSum

# Below the contract of the cdf, into which errors at the largest heights enter divided by them.
ABSOLUTE = 5e-13
CLASSES = [(1, 1), (0.5, 0.5), (31, 3), (2, 400), (0.5, 30.5), (6, 1e4), (0.05, 3)]


def one_class(a, b, weight, tilt):
    """Return one tilted class, seen from its mean."""
    return TiltedSum(np.array([a], float), np.array([b], float), np.array([weight]), tilt)


def log_kummer(a, b, z):
    """Log E[exp(z theta)], by positive terms for a real part of z that is positive."""
    if mpmath.re(z) < 0:
        return z + log_kummer(b, a, -z)
    return mpmath.log(mpmath.hyp1f1(a, a + b, z, maxterms=10**6))


@pytest.mark.parametrize(("a", "b"), CLASSES)
@pytest.mark.parametrize("weight", [1.0, -0.25])
@pytest.mark.parametrize("tilt", [1e-3, 3.0, 200.0])
def test_characteristic_function(a, b, weight, tilt):
    """About the tilted mode, at heights from zero to a hundred times the tilted width."""
    law = one_class(a, b, weight, tilt)
    t = np.array([0.0, 0.1, 1.0, 10.0, 100.0]) / abs(weight)
    found = law.at(np.array([0]), 1j * t)
    with mpmath.workdps(30):
        mode = mpmath.mpf(weight) * a / (mpmath.mpf(a) + b) + mpmath.mpf(float(law.mode[0]))
        scale = log_kummer(a, b, mpmath.mpf(tilt) * weight)
        logs = [log_kummer(a, b, mpmath.mpc(tilt, s) * weight) - scale - 1j * s * mode for s in t]
        expected = [complex(mpmath.exp(value)) for value in logs]
    np.testing.assert_allclose(found, expected, rtol=0, atol=ABSOLUTE)


@pytest.mark.parametrize(("a", "b"), CLASSES)
@pytest.mark.parametrize("tilt", [1e-6, 0.5, 30.0, -30.0, 1000.0])
def test_moment_generating_function(a, b, tilt):
    """Log E[exp(c (theta - mean))], of order c^2 where c is small."""
    law = one_class(a, b, float(np.sign(tilt)), abs(tilt))
    with mpmath.workdps(40):
        mean = mpmath.mpf(a) / (mpmath.mpf(a) + b)
        expected = float(log_kummer(a, b, mpmath.mpf(tilt)) - tilt * mean)
    # The exponent is of order c: no digit of that is lost.
    assert law.log_mgf[0] == pytest.approx(expected, rel=1e-13, abs=1e-15 * abs(tilt))


@pytest.mark.parametrize(
    ("a", "b"), [(1, 1), (0.5, 0.5), (3, 2), (4.5, 0.5), (0.05, 3), (25.5, 30)]
)
@pytest.mark.parametrize("direction", [1j, 1 + 1j, -1 + 1j, -1 + 0.01j], ids=str)
def test_end_series(a, b, direction):
    """One end of a transform is a Tricomi function, from its radius outwards."""
    radius = float(end_radius(np.array(a), np.array(b)))
    z = np.array([1.0, 1.5, 30.0, 1e6]) * radius * direction / abs(direction)
    with mpmath.workdps(40):
        # DLMF 13.2.41, above the real axis.
        factor = mpmath.gamma(mpmath.mpf(a) + b) / mpmath.gamma(b) * mpmath.expjpi(a)
        expected = [complex(factor * mpmath.hyperu(a, mpmath.mpf(a) + b, mpmath.mpc(x))) for x in z]
    # Logs of up to 400 are rounded.
    np.testing.assert_allclose(np.exp(end_series(a, b, z)), expected, rtol=1e-13)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 0.5), (4.5, 0.5), (12, 3)])
def test_both_ends_make_the_transform(a, b):
    """The ends at 0 and 1, each with its wave, add up to the confluent function."""
    z = float(end_radius(np.array(a), np.array(b))) * np.array([1j, 4j, 1 + 2j])
    total = np.exp(end_series(a, b, z)) + np.exp(z + end_series(b, a, -z))
    with mpmath.workdps(40):
        expected = [complex(mpmath.hyp1f1(a, mpmath.mpf(a) + b, mpmath.mpc(x))) for x in z]
    # Relative to the larger end: the two may cancel.
    scale = np.abs(np.exp(end_series(a, b, z))) + np.abs(np.exp(z + end_series(b, a, -z)))
    np.testing.assert_allclose(total / scale, np.array(expected) / scale, rtol=0, atol=1e-13)


@pytest.mark.parametrize("near", [0.5, 1.0, 3.5])
@pytest.mark.parametrize("far", [3000.5, 1e6])
def test_concentrated_end(near, far):
    """The transform of a class that is beside one end as a whole, tilted away from it or not."""
    radius = float(concentrated_radius(np.array(near), np.array(far)))
    nu = radius * np.array([1.0, 1 + 1j, 1 - 3j, 100 - 10j])
    found = concentrated_end(near, far, far - 1 - nu)
    with mpmath.workdps(30):
        expected = [concentrated_transform(near, far, mpmath.mpc(value)) for value in nu]
    np.testing.assert_allclose(np.exp(found - expected), 1.0, rtol=1e-13)


def concentrated_transform(near, far, nu):
    """Log E[exp((far - 1 - nu) u)], u ~ Beta(near, far), along the ray u = x / nu.

    The integral over (0, 1) may leave for the ray as exp(-x) has gone before it ends.
    """
    near, far = mpmath.mpf(near), mpmath.mpf(far)

    def integrand(r):
        # x = r^2 takes the root out of the density at zero.
        u = r * r / nu
        rest = (far - 1) * (mpmath.log(1 - u) + u)
        return 2 * r ** (2 * near - 1) * mpmath.exp(rest - r * r)

    total = mpmath.quad(integrand, [0, 1, 2, 3, 4, 5, 6, 7, 8])
    log_beta = mpmath.log(mpmath.beta(near, far))
    return complex(mpmath.log(total) - near * mpmath.log(nu) - log_beta)
