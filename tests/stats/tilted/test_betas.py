"""Transforms of tilted Betas, as a whole and split into their ends, against mpmath."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats._numerics.cutoffs import REACH
from skpostbac.stats._tilted import (
    end_radius,
    end_share,
    extent,
    log_weight_and_step,
    quadrature,
    tilt_betas,
)

CLASSES = [(1, 1), (0.5, 0.5), (31, 3), (2, 400), (0.5, 30.5), (6, 1e4), (0.05, 3)]
every_class = pytest.mark.parametrize(("a", "b"), CLASSES, ids=str)


def tilted(a, b, weight, tilt, top):
    """Return one tilted class, and the quadrature of its transform up to a height."""
    terms = tilt_betas(*(np.array([value], float) for value in (a, b, weight)), tilt)
    return terms, quadrature(terms, extent(terms), tilt, np.array([top]))


def log_kummer(a, b, z):
    """Log E[exp(z theta)], by positive terms for a real part of z that is positive."""
    if mpmath.re(z) < 0:
        return z + log_kummer(b, a, -z)
    return mpmath.log(mpmath.hyp1f1(a, a + b, z, maxterms=10**6))


@every_class
@pytest.mark.parametrize("weight", [1.0, -0.25])
@pytest.mark.parametrize("tilt", [1e-3, 3.0, 200.0])
def test_characteristic_function(a, b, weight, tilt):
    """About the tilted mode, at heights from zero to a hundred times the weight."""
    t = np.array([0.0, 0.1, 1.0, 10.0, 100.0]) / abs(weight)
    terms, rule = tilted(a, b, weight, tilt, t[-1])
    found = np.exp(1j * np.multiply.outer(t, rule.nodes[0])) @ rule.weights[0]
    # The mode is known from the end that is nearer to the reflected class.
    with mpmath.workdps(30):
        near = mpmath.mpf(float(terms.p[0]))
        mode = mpmath.mpf(weight) * (1 - near if terms.flipped[0] else near)
        scale = log_kummer(a, b, mpmath.mpf(tilt) * weight)
        logs = [log_kummer(a, b, mpmath.mpc(tilt, x) * weight) - scale - 1j * x * mode for x in t]
        expected = [complex(mpmath.exp(value)) for value in logs]
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-13)


@every_class
@pytest.mark.parametrize("tilt", [1e-6, 0.5, 30.0, -30.0, 1000.0])
def test_moment_generating_function(a, b, tilt):
    """Log E[exp(c (theta - mode))], the mode being that of the tilted class."""
    terms, rule = tilted(a, b, float(np.sign(tilt)), abs(tilt), 0.0)
    with mpmath.workdps(40):
        near = mpmath.mpf(float(terms.p[0]))
        mode = 1 - near if terms.flipped[0] else near
        expected = float(log_kummer(a, b, mpmath.mpf(tilt)) - tilt * mode)
    # The exponent is of order c: no digit of that is lost.
    assert rule.log_mgf[0] == pytest.approx(expected, rel=1e-13, abs=1e-15 * abs(tilt))


@pytest.mark.parametrize("c", [1e-3, 1.0, 1e3, 1e6, 1e9])
def test_extent(c):
    """No weight above exp(-REACH) lies beyond the reach, for classes of every kind."""
    rng = np.random.default_rng(5)
    a, b = 10 ** rng.uniform(-6, 9, (2, 2000))
    weights = 10 ** rng.uniform(-6, 0, 2000) * rng.choice([-1, 1], 2000)
    terms = tilt_betas(a, b, weights, c)
    reach = extent(terms)
    log_weights, _ = log_weight_and_step(terms, np.stack([-reach.left, reach.right], axis=1))
    assert log_weights.max() < -REACH * (1 - 1e-12)


def lower_share(a, b, z):
    """Return the share of the end theta = 0 in E[exp(z theta)]: DLMF 13.2.41."""
    factor = mpmath.gamma(mpmath.mpf(a) + b) / mpmath.gamma(b) * mpmath.expjpi(a)
    return complex(factor * mpmath.hyperu(a, mpmath.mpf(a) + b, mpmath.mpc(complex(z))))


@pytest.mark.parametrize(
    ("a", "b"), [(1, 1), (0.5, 0.5), (3, 2), (4.5, 0.5), (0.05, 3), (25.5, 30)]
)
@pytest.mark.parametrize("direction", [1j, 1 + 1j, -1 + 1j, -1 + 0.01j], ids=str)
def test_end_shares_in_all_directions(a, b, direction):
    """One end of a transform is a Tricomi function, from its radius outwards."""
    exponents = np.array([[a], [b]], float)
    radius = float(end_radius(*exponents)[0])
    z = np.array([1.0, 1.5, 30.0, 1e6]) * radius * direction / abs(direction)
    found = end_share(*exponents, np.ones(1), z, np.zeros(1), np.array([True]))[0]
    with mpmath.workdps(40):
        expected = [lower_share(a, b, value) for value in z]
    # Towards the negative axis the terms of the series alternate, and cancel by up to a factor 1e3.
    np.testing.assert_allclose(found, expected, rtol=1e3 * np.finfo(float).eps)


@pytest.mark.parametrize(
    ("a", "b"), [(1, 1), (0.5, 0.5), (4.5, 0.5), (12, 3), (60, 60), (400.5, 300), (2, 60)]
)
@pytest.mark.parametrize("size", [1.0, 0.25])
def test_both_ends_make_the_transform(a, b, size):
    """The ends at 0 and 1, each with its wave, add up to the confluent function."""
    exponents = np.array([[a], [b]], float)
    s = float(end_radius(*exponents)[0]) * np.array([1j, 1.3j, 4j]) / size
    low, high = end_share(
        exponents.ravel(),
        exponents[::-1].ravel(),
        np.full(2, size),
        s,
        np.zeros(2),
        np.array([True, False]),
    )
    with mpmath.workdps(40):
        expected = [
            complex(mpmath.hyp1f1(a, mpmath.mpf(a) + b, mpmath.mpc(x) * size, maxterms=10**6))
            for x in s
        ]
    np.testing.assert_allclose(low + high * np.exp(s * size), expected, rtol=0, atol=5e-15)
