"""Transforms of tilted paired differences, as a whole and split into their ends, against mpmath."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats._dirichlet import path as _pair_path
from skpostbac.stats._dirichlet.ends import (
    concentrated_end,
    concentrated_radius,
    end_radius,
    end_shares,
)
from skpostbac.stats._dirichlet.moments import central_moments, cumulants
from skpostbac.stats._dirichlet.terms import WeightedPairs
from skpostbac.stats._dirichlet.tilted import extent, tilt_pairs
from skpostbac.stats._inversion.transform import Grid

# Below the contract of the cdf, into which errors at the largest heights enter divided by them.
ABSOLUTE = 1e-13
# Values of D where all samples are right for B only, for A only, and for both or neither.
VERTICES = np.array([1.0, -1.0, 0.0])
# Cells: only B is right, only A is, both or neither.
CLASSES = [
    (7.5, 4.5, 34.0),
    (1.0, 1.0, 2.0),
    (0.5, 0.5, 0.5),
    (0.5, 0.5, 100.5),
    (0.05, 0.3, 2.0),
    (60.5, 0.5, 3.0),
    (2.0, 150.0, 40.0),
]
every_class = pytest.mark.parametrize("cells", CLASSES, ids=str)


def one_class(cells, weight, tilt):
    """Return one tilted class, seen from its mean."""
    distribution = WeightedPairs.of(np.array([cells], float), np.array([weight]))
    return distribution.tilted(tilt)


def moments_over_factorials(cells, count):
    """Yield E[D^m] / m!, from the series of (1 - y)^-b (1 + y)^-a = sum (n)_m E[D^m] / m! y^m."""
    b, a, r = map(mpmath.mpf, cells)
    before, now, scale = mpmath.mpf(0), mpmath.mpf(1), mpmath.mpf(1)
    for m in range(count):
        yield now * scale
        scale /= b + a + r + m
        before, now = now, ((b - a) * now + (m - 1 + a + b) * before) / (m + 1)


def transform(cells, z):
    """E[exp(z D)] by its power series, with digits to spare for its cancellation."""
    size = float(abs(z))
    with mpmath.workdps(int(60 + size)):
        z, power, total = mpmath.mpmathify(z), mpmath.mpf(1), mpmath.mpf(0)
        for moment in moments_over_factorials(cells, int(60 + 4 * size)):
            total += moment * power
            power *= z
        return total


def mean_of(cells):
    """Return the mean of D."""
    b, a, r = map(mpmath.mpf, cells)
    return (b - a) / (b + a + r)


def expected_transform(distribution, cells, weight, rates):
    """Return the transform about the tilted mode, relative to that at the tilt."""
    with mpmath.workdps(40):
        weight = mpmath.mpf(weight)
        anchor = weight * mean_of(cells) + mpmath.mpf(float(distribution.terms.mode[0]))
        whole = transform(cells, weight * distribution.tilt)
        values = []
        for rate in rates:
            turned = mpmath.exp(-mpmath.mpc(rate) * anchor)
            values.append(
                complex(transform(cells, weight * (distribution.tilt + rate)) / whole * turned)
            )
        return values


@every_class
@pytest.mark.parametrize("weight", [0.25])
@pytest.mark.parametrize("tilt", [1e-3, 3.0, 40.0])
@pytest.mark.parametrize("step", [1.0, 16.0])
def test_characteristic_function_along_a_line(cells, weight, tilt, step):
    """By paths or nodes, and by the ends from the height on at which these separate."""
    distribution = one_class(cells, weight, tilt)
    grid = Grid.even(0.5 * step / weight, step / weight, 30)
    found = distribution.along(np.array([0]), grid)
    assert found.anchor == distribution.terms.mode[0]
    seen = np.array([0, 1, 5, 29])
    expected = expected_transform(distribution, cells, weight, 1j * grid.heights[seen])
    np.testing.assert_allclose(found.values[seen], expected, rtol=0, atol=ABSOLUTE)


@every_class
@pytest.mark.parametrize("tilt", [1e-3, 3.0, 40.0])
def test_nodes_off_the_line(cells, tilt):
    """The nodes of the quadrature, at rates in all directions."""
    distribution = one_class(cells, 0.5, tilt)
    rates = np.array([0.1j, 3j, 2 + 60j, 1.5 - 10j])
    found = distribution.at(np.array([0]), rates)
    expected = expected_transform(distribution, cells, 0.5, rates)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=ABSOLUTE)


@every_class
@pytest.mark.parametrize("tilt", [1e-6, 0.5, 30.0, 400.0])
@pytest.mark.parametrize("step", [0.0, 40.0])
def test_moment_generating_function(cells, tilt, step):
    """Log E[exp(c (D - mean))], of order c^2 where c is small; heights play no part."""
    distribution = one_class(cells, 1.0, tilt)
    with mpmath.workdps(40):
        expected = mpmath.log(transform(cells, mpmath.mpf(tilt))) - tilt * mean_of(cells)
    found = distribution.along(np.array([0]), Grid.even(0.0, step, 9)).log_mgf
    # The exponent is of order c, and that of a path is about one.
    assert found == pytest.approx(float(expected), rel=1e-13, abs=1e-15 * (1 + abs(tilt)))


@every_class
def test_mean_of_a_tilted_class(cells):
    """Derivative of the log transform at the tilt, to few digits."""
    distribution = one_class(cells, 1.0, 3.0)
    with mpmath.workdps(40):
        slope = mpmath.diff(lambda c: mpmath.log(transform(cells, c)), 3) - mean_of(cells)
    assert distribution.mean == pytest.approx(float(slope), rel=1e-9)


@pytest.mark.parametrize("tilt", [0.0, 1.0, 30.0])
def test_taylor_series(tilt):
    """Many small classes: transforms about their means by their central moments."""
    cells = np.array([[1.0, 0.5, 30.0], [0.5, 7.5, 2.0], [30.0, 20.0, 900.0], [0.5, 0.5, 0.5]])
    weights = np.array([0.02, 0.03, 0.2, 0.01])
    summed = WeightedPairs.of(cells, weights).tilted(tilt)
    s = tilt + 1j * np.array([0.0, 1.0, 10.0, 30.0])
    index = np.flatnonzero(summed.has_short_series(30.0))
    assert index.size == len(cells)
    found = summed.taylor(index, s)
    for row, (cell, weight) in enumerate(zip(cells, weights, strict=True)):
        for value, rate in zip(found[row], s, strict=True):
            with mpmath.workdps(40):
                z = weight * mpmath.mpc(complex(rate))
                exact = transform(cell, z) * mpmath.exp(-z * mean_of(cell)) - 1
            assert value == pytest.approx(complex(exact), rel=1e-13, abs=1e-17)


@every_class
def test_moments(cells):
    """Central moments and cumulants, from the moments about zero."""
    with mpmath.workdps(60):
        over = list(moments_over_factorials(cells, 13))
        raw = [moment * mpmath.factorial(m) for m, moment in enumerate(over)]
        mean = mean_of(cells)
        central = [
            mpmath.fsum(mpmath.binomial(m, j) * raw[j] * (-mean) ** (m - j) for j in range(m + 1))
            for m in range(13)
        ]
        fourth = central[4] - 3 * central[2] ** 2
    scale = float(central[2]) ** (np.arange(13) / 2)
    found = central_moments(np.array([cells]), 12)[:, 0]
    np.testing.assert_allclose(found / scale, np.array(central, float) / scale, 1e-12, 1e-15)
    expected = np.array([central[2], central[3], fourth], float)
    found = cumulants(np.array([cells]), np.ones(1)) / scale[2:5]
    np.testing.assert_allclose(found, expected / scale[2:5], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("c", [0.0, 1e-3, 1.0, 1e3, 1e6, 1e9, 1e100])
def test_modes_and_extents(c):
    """Classes of every kind: the equations of the mode, and ends within the support."""
    rng = np.random.default_rng(5)
    cells, weights = 10 ** rng.uniform(-3, 9, (500, 3)), 10 ** rng.uniform(-6, 0, 500)
    terms = tilt_pairs(cells, weights, c)
    np.testing.assert_allclose(terms.modes.sum(axis=1), 1.0, rtol=1e-15)
    # alpha_j = p_j (n - k (v_j - D*)): of numbers that may be much larger than alpha_j.
    n, k = cells.sum(axis=1)[:, np.newaxis], terms.tilt[:, np.newaxis]
    size = terms.modes * (n + k * np.abs(terms.steps))
    error = terms.modes * (n - k * terms.steps) - cells
    assert (np.abs(error) <= 1e-13 * np.maximum(size, cells)).all()
    assert (np.sign(terms.steps) * VERTICES)[:, :2].min() >= 0
    reach = extent(terms)
    to_high, to_low = weights * terms.steps[:, 0], -weights * terms.steps[:, 1]
    assert (reach.low <= 0).all()
    assert (reach.high >= 0).all()
    assert (reach.high <= to_high + 1e-15 * weights).all()
    assert (-reach.low <= to_low + 1e-15 * weights).all()


@pytest.mark.parametrize("cells", [(7.5, 4.5, 34.0), (0.5, 0.5, 0.5), (55.5, 3.0, 80.0)], ids=str)
@pytest.mark.parametrize("direction", [1j, 1 + 1j, -1 + 1j, -1 + 0.3j], ids=str)
def test_vertices_make_the_transform(cells, direction):
    """The shares at 1, -1 and 0, each with its wave, add up to the transform."""
    alphas = np.array([cells])
    z = float(end_radius(alphas)[0]) * np.array([1.0, 1.4]) * direction / abs(direction)
    size = 0.5
    logs = end_shares(alphas, np.array([size]), z / size)[0]
    with mpmath.workdps(30):
        for i, value in enumerate(z):
            expected = transform(cells, mpmath.mpc(complex(value)))
            waves = [
                mpmath.exp(mpmath.mpc(complex(logs[j, i])) + mpmath.mpc(complex(value)) * vertex)
                for j, vertex in enumerate(VERTICES)
            ]
            largest = max(abs(expected), mpmath.mpf(1))
            assert abs(mpmath.fsum(waves) - expected) < 1e-13 * largest


@pytest.mark.parametrize("cells", [(0.5, 0.5, 400.5), (3.0, 1.0, 300.0)], ids=str)
@pytest.mark.parametrize("vertex", [0, 1, 2])
def test_concentrated_vertex(cells, vertex):
    """The transform of a class beside one vertex as a whole, from a smaller radius on."""
    cells = np.roll(cells, vertex - 2)
    radius = float(concentrated_radius(cells, vertex))
    z = radius * np.array([1j, 1.5j, 0.5 + 1j, -0.5 + 1.2j])
    found = concentrated_end(cells, z, vertex)
    with mpmath.workdps(30):
        for log_share, value in zip(found, z, strict=True):
            value = mpmath.mpc(complex(value))
            expected = transform(cells, value) * mpmath.exp(-value * VERTICES[vertex])
            ratio = mpmath.exp(mpmath.mpc(complex(log_share))) / expected
            assert complex(ratio) == pytest.approx(1.0, abs=1e-12)


def test_paths_of_all_paces():
    """Heights closer than the nodes of a path, and farther apart, on one table each."""
    cells = np.array([[30.5, 12.5, 200.5]])
    terms = tilt_pairs(cells, np.ones(1), 3.0)
    distribution = one_class(cells[0], 1.0, 3.0)
    for step in (0.05, 0.7, 9.0, 80.0):
        rule = _pair_path.paths(terms, step, 12)
        assert rule.short.all()
        values, _ = _pair_path.transforms(terms, rule, 2.5, 12)
        heights = 2.5 + step * np.array([0, 4, 11])
        expected = expected_transform(distribution, cells[0], 1.0, 1j * heights)
        np.testing.assert_allclose(values[0, [0, 4, 11]] + 1, expected, rtol=0, atol=ABSOLUTE)
