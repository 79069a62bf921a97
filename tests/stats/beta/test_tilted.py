"""Transforms of tilted Betas, as a whole and split into their ends, against mpmath."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats._beta.ends import (
    concentrated_end,
    concentrated_radius,
    end_radius,
    end_shares,
)
from skpostbac.stats._beta.terms import WeightedBetas
from skpostbac.stats._beta.tilted import extent, log_weight_and_step, tilt_betas
from skpostbac.stats._inversion.transform import Grid
from skpostbac.stats._numerics.cutoffs import REACH

# Below the contract of the cdf, into which errors at the largest heights enter divided by them.
ABSOLUTE = 5e-13
CLASSES = [(1, 1), (0.5, 0.5), (31, 3), (2, 400), (0.5, 30.5), (6, 1e4), (0.05, 3)]


def one_class(a, b, weight, tilt):
    """Return one tilted class, seen from its mean."""
    distribution = WeightedBetas.of(np.array([a], float), np.array([b], float), np.array([weight]))
    return distribution.tilted(tilt)


def log_kummer(a, b, z):
    """Log E[exp(z theta)], by positive terms for a real part of z that is positive."""
    if mpmath.re(z) < 0:
        return z + log_kummer(b, a, -z)
    return mpmath.log(mpmath.hyp1f1(a, a + b, z, maxterms=10**6))


def expected_transform(distribution, a, b, weight, tilt, heights):
    """Return the transform about the position at which `distribution` anchors it."""
    with mpmath.workdps(30):
        anchor = mpmath.mpf(weight) * a / (mpmath.mpf(a) + b)
        anchor += mpmath.mpf(float(distribution.terms.mode[0]))
        scale = log_kummer(a, b, mpmath.mpf(tilt) * weight)
        logs = [
            log_kummer(a, b, mpmath.mpc(tilt, t) * weight) - scale - 1j * t * anchor
            for t in heights
        ]
        return [complex(mpmath.exp(value)) for value in logs]


@pytest.mark.parametrize(("a", "b"), CLASSES)
@pytest.mark.parametrize("weight", [1.0, -0.25])
@pytest.mark.parametrize("tilt", [1e-3, 3.0, 200.0])
def test_characteristic_function_off_the_grid(a, b, weight, tilt):
    """About the tilted mode, at heights from zero to a hundred times the tilted width."""
    distribution = one_class(a, b, weight, tilt)
    t = np.array([0.0, 0.1, 1.0, 10.0, 100.0]) / abs(weight)
    found = distribution.at(np.array([0]), 1j * t)
    expected = expected_transform(distribution, a, b, weight, tilt, t)
    np.testing.assert_allclose(found, expected, rtol=0, atol=ABSOLUTE)


@pytest.mark.parametrize(("a", "b"), CLASSES)
@pytest.mark.parametrize("weight", [1.0, -0.25])
@pytest.mark.parametrize("tilt", [1e-3, 3.0, 200.0])
@pytest.mark.parametrize("step", [1.0, 17.0])
def test_characteristic_function_along_a_line(a, b, weight, tilt, step):
    """By nodes up to the height at which the ends separate, and by the ends beyond it."""
    distribution = one_class(a, b, weight, tilt)
    step = step / abs(weight)
    grid = Grid(step * 4 * np.arange(5), step * np.arange(4))
    found = distribution.along(np.array([0]), grid)
    assert found.anchor == distribution.terms.mode[0]
    expected = expected_transform(distribution, a, b, weight, tilt, grid.heights)
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=ABSOLUTE)


@pytest.mark.parametrize("tilt", [0.0, 1.0, -3.0])
def test_taylor_series(tilt):
    """Many small classes: transforms about their means by their central moments."""
    a, b = np.array([1.0, 0.5, 30.0, 2.0, 900.0]), np.array([1.0, 7.5, 3.0, 0.5, 100.0])
    weights = np.array([0.02, -0.03, 0.05, 0.01, 0.2])
    summed = WeightedBetas.of(a, b, weights).tilted(abs(tilt))
    s = abs(tilt) + 1j * np.array([0.0, 1.0, 10.0, 30.0])
    index = np.flatnonzero(summed.has_short_series(30.0))
    assert index.size == a.size
    found = summed.taylor(index, s)
    for row, (alpha, beta, weight) in enumerate(zip(a, b, weights, strict=True)):
        for value, z in zip(found[row], s, strict=True):
            with mpmath.workdps(40):
                mean = mpmath.mpf(weight) * alpha / (alpha + beta)
                whole = mpmath.hyp1f1(alpha, alpha + beta, weight * mpmath.mpc(complex(z)))
                exact = complex(mpmath.exp(-mpmath.mpc(complex(z)) * mean) * whole - 1)
            assert value == pytest.approx(exact, rel=1e-13, abs=1e-17)


@pytest.mark.parametrize(("a", "b"), CLASSES)
@pytest.mark.parametrize("tilt", [1e-6, 0.5, 30.0, -30.0, 1000.0])
def test_moment_generating_function(a, b, tilt):
    """Log E[exp(c (theta - mean))], of order c^2 where c is small."""
    distribution = one_class(a, b, float(np.sign(tilt)), abs(tilt))
    with mpmath.workdps(40):
        mean = mpmath.mpf(a) / (mpmath.mpf(a) + b)
        expected = float(log_kummer(a, b, mpmath.mpf(tilt)) - tilt * mean)
    found = distribution.along(np.array([0]), Grid(np.zeros(1), np.zeros(1))).log_mgf
    # The exponent is of order c: no digit of that is lost.
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-15 * abs(tilt))


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
    found = end_shares(exponents, np.ones(1), z, np.zeros((2, 1)))[0, 0]
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
    low, high = end_shares(exponents, np.array([size]), s, np.zeros((2, 1)))[:, 0]
    with mpmath.workdps(40):
        expected = [
            complex(mpmath.hyp1f1(a, mpmath.mpf(a) + b, mpmath.mpc(x) * size, maxterms=10**6))
            for x in s
        ]
    np.testing.assert_allclose(low + high * np.exp(s * size), expected, rtol=0, atol=5e-15)


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
