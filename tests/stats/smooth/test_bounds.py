"""What the choice of heights, periods and paths rests on, against multiple precision."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats._smooth import many_series, single_series
from skpostbac.stats._smooth.betas import Betas
from skpostbac.stats._smooth.blocks import Plan, rounded_up
from skpostbac.stats._smooth.extent import DEPTH, NEAR, extent_of
from skpostbac.stats._smooth.transform import transforms

EXPONENTS = [(0.1, 0.1), (0.1, 20.1), (1, 1), (1, 60), (2.5, 1.5), (20, 3), (31, 300), (500, 40)]
every_beta = pytest.mark.parametrize(("a", "b"), EXPONENTS, ids=str)


def betas(a, b, weights):
    """One sum."""
    return Betas.reflected(*(np.array([values], float) for values in (a, b, weights)))


@every_beta
def test_modulus_of_a_transform(a, b):
    """That of a Beta falls at least as fast as that of a Gamma variable of its smaller exponent."""
    variance = a * b / ((a + b) ** 2 * (a + b + 1))
    for t in np.geomspace(0.1, 100, 12) / np.sqrt(variance):
        modulus = abs(mpmath.hyp1f1(a, a + b, 1j * t, maxterms=10**6))
        bound = (1 + t**2 * variance / min(a, b)) ** (-min(a, b) / 2)
        assert modulus <= bound * (1 + 1e-9)


@every_beta
def test_growth_of_a_transform(a, b):
    """E[exp(h X)] is below that of a Gamma variable, or of a normal one, by the side."""
    n = a + b
    variance, scale = a * b / (n**2 * (n + 1)), abs(b - a) / (n * (n + 2))
    for share in (0.01, 0.1, 0.4, 0.8, 0.99):
        h = share * min(1 / scale if scale else np.inf, 20 / np.sqrt(variance))
        for up, down in ((a, b), (b, a)):
            with mpmath.workdps(25):
                log_mgf = mpmath.log(mpmath.hyp1f1(up, n, h)) - mpmath.mpf(h) * up / n
            y = h * scale if up < down else 0.0
            k = -(np.log1p(-y) + y) / y**2 if y else 0.5
            assert log_mgf <= variance * h**2 * k * (1 + 1e-9)


@pytest.mark.parametrize(
    ("a", "b", "weights"),
    [
        ([45, 31], [6, 11], [0.5, 0.5]),
        ([45, 31, 9], [6, 11, 1], [0.5, -0.2, 1.3]),
        ([90000, 31, 9], [6000, 11, 3], [1, 1, 1]),
    ],
    ids=["two", "signed", "two scales"],
)
def test_extent_of_a_sum(a, b, weights):
    """The height solves its equation, but for an excess; little is beyond the reach."""
    sums = betas(a, b, weights)
    extent = extent_of(sums)
    depth = 0.5 * (
        sums.near * np.log1p(extent.height[:, np.newaxis] ** 2 * sums.variances / sums.near)
    ).sum(axis=1)
    assert DEPTH <= depth[0] < 1.2 * DEPTH
    draws = np.random.default_rng(0).beta(a, b, (200_000, len(a))) @ np.array(weights)
    beyond = np.abs(draws - draws.mean()) > extent.reach[0]
    assert beyond.mean() < 20 * np.exp(-NEAR)
    assert extent.period[0] > 2 * extent.reach[0]


@pytest.mark.parametrize(("a", "b"), [*EXPONENTS[1:], (0.1, 1.1), (2e4, 3e3), (0.3, 2e4)], ids=str)
@pytest.mark.parametrize("weight", [0.5, -1.0])
def test_transform(a, b, weight):
    """The quadrature on the rotated path, up to the height at which a sum has decayed."""
    sums = betas([a], [b], [weight])
    plan = Plan.of(sums)
    step = np.minimum(plan.extent.height, 12 / np.sqrt(sums.variance)) / 31
    values = transforms(sums, plan.path, step, 32)[0]
    with mpmath.workdps(30):
        n = mpmath.mpf(a) + mpmath.mpf(b)
        for k in (1, 12, 31):
            t = 1j * mpmath.mpf(step[0]) * k * weight
            exact = mpmath.exp(-t * a / n) * mpmath.hyp1f1(a, n, t, maxterms=10**6)
            assert abs(values[k] - complex(exact)) < 2e-13


def test_rounded_numbers():
    """No number is rounded down, or up by more than half."""
    count = np.arange(8.0, 1025)
    up = rounded_up(count)
    assert ((count <= up) & (up <= 1.5 * count)).all()
    assert np.unique(up).size < 16
    assert rounded_up(np.array([np.inf]))[0] > 1024


def test_a_slowly_decaying_sum_has_no_series():
    """Two classes without errors, tiny exponents, exponents that lose digits, and flat ones."""
    for a, b in ([[9, 5], [1, 1]], [[0.01, 0.01], [20, 30]], [[1e9, 1e9], [1e8, 1e8]]):
        assert single_series(np.array(a), np.array(b), np.full(2, 0.5)) is None
    rows = [rows for rows, _ in many_series(np.ones((4, 2)), np.ones((4, 2)), np.ones((4, 2)))]
    assert not rows
