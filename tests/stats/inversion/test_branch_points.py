"""The series summed by its corners, against the series summed term by term."""

import numpy as np
import pytest
from scipy.special import beta, betainc, comb, gammaln, hyp1f1, roots_jacobi

from skpostbac.stats import BetaAverage
from skpostbac.stats._beta.terms import WeightedBetas
from skpostbac.stats._inversion import branch_points as _corners
from skpostbac.stats._inversion import tilted_sum as _tilted_sum
from skpostbac.stats._inversion import transform
from skpostbac.stats._inversion.branch_points import Corners, corner_levels
from skpostbac.stats._several.order_statistics import pairwise_probabilities, resolve_jointly

# Distributions that decay fast enough for a long line, though slowly enough to have corners.
ORDINARY = ([12, 9.5, 7], [6, 5.5, 6], [1 / 3, 1 / 3, 1 / 3])
UNEQUAL = ([12, 9.5, 7], [6, 5.5, 6], [0.5, 0.3, 0.2])
SIGNED = ([12, 9.5, 7], [6, 5.5, 6], [0.5, -0.3, 0.2])
ALIKE = ([8] * 20, [3] * 20, [1 / 20] * 20)
# Classes of very different scales, which split at different heights.
TWO_LEVELS = ([9, 800.5], [7, 300.5], [0.5, 0.5])
THREE_LEVELS = ([8, 240.5, 4800], [9, 120.5, 2100], [0.4, 0.3, 0.3])
NARROW_NORMAL = ([9, 30000], [7, 20000], [0.5, 0.5])


def tilted(distribution, tilt, from_end=False):
    """Tilt a distribution by some inverse standard deviations."""
    terms = WeightedBetas.of(*(np.array(values, float) for values in distribution))
    return terms.tilted(tilt / terms.standard_deviation, from_end=from_end)


def both_contours(summed):
    """Return the series of a tilted sum, all along its line, and with the rest by corners."""
    rule = summed.series
    levels = corner_levels(summed, rule.period)
    begun = summed.line(0, rule.count(levels[0].height))
    corners = Corners(summed, levels, begun, rule.period).integrals()
    line = rule.contour(summed.line(0, rule.count(summed.decay_height)))
    return line, rule.contour(begun, corners)


@pytest.mark.parametrize(
    "distribution",
    [ORDINARY, UNEQUAL, SIGNED, ALIKE, TWO_LEVELS, THREE_LEVELS, NARROW_NORMAL],
    ids=["ordinary", "unequal", "signed", "alike", "two levels", "three levels", "narrow normal"],
)
@pytest.mark.parametrize("tilt", [0.5, 3.0, 12.0])
@pytest.mark.parametrize("from_end", [False, True])
def test_corners_complete_the_series(distribution, tilt, from_end):
    """Tail, density and slope, relative to their sizes on the contour, on and beside corners."""
    summed = tilted(distribution, tilt, from_end)
    line, corners = both_contours(summed)
    places = corners.rest[0].places
    y = np.linspace(line.low, line.high, 301)
    y = np.sort(np.concatenate([y, places, places + 1e-9, places - 1e-15]))
    y = y[(y > line.low) & (y < line.high)]
    expected, found = line._sums(y), corners._sums(y)
    sizes = np.abs(line.line.coefficients).sum(axis=1)
    np.testing.assert_allclose(found / sizes, expected / sizes, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    "distribution", [ORDINARY, UNEQUAL, SIGNED], ids=["ordinary", "unequal", "signed"]
)
@pytest.mark.parametrize("tilt", [12.0, 30.0, 100.0])
def test_low_line(distribution, tilt, monkeypatch):
    """From a line that is low beside a large tilt the path rises, and the sum is the same."""
    monkeypatch.setattr(_corners, "_LONG_PHASE", 0.0)
    summed = tilted(distribution, tilt, from_end=True)
    line, corners = both_contours(summed)
    y = np.linspace(line.low, line.high, 301)[1:-1]
    sizes = np.abs(line.line.coefficients).sum(axis=1)
    error = np.abs(corners._sums(y) - line._sums(y)) / sizes
    # Beside a corner the slope is the second derivative of a share that is cut off at 1e-17.
    assert (error.max(axis=0) < [1e-13, 1e-13, 1e-12]).all()


def exact_tail(a, b, x):
    """P((theta_1 + theta_2) / 2 <= x), integer exponents, x <= 1/2: a polynomial is integrated.

    All of its terms are positive, and Gauss's rule has nodes enough for its degree.
    """
    u, (v, weights) = 2 * x[:, np.newaxis], np.polynomial.legendre.leggauss(16)
    v, n = 0.5 * (v + 1), a[1] + b[1]
    rest = u * (1 - v)
    tail = sum(comb(n - 1, k) * rest**k * (1 - rest) ** (n - 1 - k) for k in range(a[1], n))
    density = (u * v) ** (a[0] - 1) * (1 - u * v) ** (b[0] - 1) / beta(a[0], b[0])
    return (0.5 * u * density * tail) @ weights


@pytest.mark.parametrize(
    ("a", "b"), [([5, 4], [3, 3]), ([3, 3], [3, 4]), ([4, 6], [4, 7])], ids=["up", "even", "down"]
)
def test_central_contour_serves_what_it_resolves(a, b):
    """Every tail has eleven digits, whether the centre gives it or its own saddlepoint."""
    x = np.arange(1, 32) / 64
    distribution = BetaAverage(a, b)
    np.testing.assert_allclose(distribution.cdf(x), exact_tail(a, b, x), rtol=1e-11, atol=0)
    np.testing.assert_allclose(distribution.ccdf(1 - x), exact_tail(b, a, x), rtol=1e-11, atol=0)


@pytest.mark.parametrize("sign", [1, -1], ids=["below the mean", "above the mean"])
def test_centre_far_from_the_mean(sign):
    """The central contour has no noise to read at kinks where next to nothing is left."""
    distribution = BetaAverage([50.5] * 3, [0.5] * 3, weights=np.full(3, sign / 3))
    distances = -np.sort(sign * np.array(distribution._kinks()))[:3]
    # Markov's inequality: P(1 - X > d) is at most E exp(45 (1 - theta))^3 exp(-135 d).
    assert (3 * np.log(hyp1f1(0.5, 51, 45.0)) - 135 * distances < np.log(1e-15)).all()
    values = distribution._centre(-sign * distances)
    np.testing.assert_allclose(values.tail, float(sign > 0), rtol=0, atol=1e-14)
    np.testing.assert_allclose(values.density, 0.0, rtol=0, atol=1e-9)


def test_outclassed_classifiers_are_compared():
    """P(A > B) is the mean of the cdf of B, a polynomial for which Gauss-Jacobi rules are exact."""
    perfect, poor = BetaAverage([50.5] * 3, [0.5] * 3), BetaAverage([3], [5])
    nodes, masses = roots_jacobi(8, -0.5, 49.5)
    theta, masses = 0.5 * (1 + nodes), masses / masses.sum()
    average = (theta[:, None, None] + theta[:, None] + theta) / 3
    expected = np.einsum("i,j,k,ijk", masses, masses, masses, betainc(5, 3, 1 - average))
    panels = resolve_jointly([perfect, poor])
    np.testing.assert_allclose(pairwise_probabilities(panels)[1, 0], expected, rtol=1e-7)


@pytest.mark.parametrize("size", [16, 47])
def test_many_tiny_classes_beside_their_end(size):
    """The tail by its first two powers; most of the 2^16 corners and more count for nothing.

    P(X <= x) = C x^A (1 + sum_i a_i (1 - b_i) / w_i x / (A + 1) + ...), A the sum of all a_i.
    """
    a, b = np.full(size, 0.013), np.resize([7.013, 0.013], size)
    weights, x = np.geomspace(1, 3.4e-6, size), 1e-15
    order = a.sum()
    leading = (gammaln(a + b) - gammaln(b) - a * np.log(weights)).sum()
    leading += order * np.log(x) - gammaln(order + 1)
    expected = leading + np.log1p((a * (1 - b) / weights).sum() * x / (order + 1))
    found = BetaAverage(a, b, weights=weights).logcdf(x)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_series_that_is_cut_off_warns_of_its_error(monkeypatch):
    """The error it names is above what a longer series changes, in the centre and in a tail."""
    exponents, weights = np.full(14, 0.02), np.random.default_rng(14).uniform(0.5, 1.5, 14)
    x = np.array([0.1, 0.3])

    def cdf_with_warning(most):
        monkeypatch.setattr(_tilted_sum, "_ALL_LINE_NODES", most)
        distribution = BetaAverage(exponents, exponents, weights=weights / weights.sum())
        with pytest.warns(RuntimeWarning, match="errors of about") as caught:
            values = distribution.cdf(x)
        named = [float(str(one.message).rstrip(".").split()[-1]) for one in caught]
        return values, max(named)

    short, error = cdf_with_warning(2**13)
    long, rest = cdf_with_warning(2**17)
    assert 1e-9 < np.abs(short - long).max() < 1.1 * error
    assert rest < 0.2 * error


def test_masses_that_are_left_out_are_told(monkeypatch):
    """With few masses about corners opened, a warning says how much is missing."""
    a, weights = 0.003 + 0.01 * (np.arange(12) % 3), np.geomspace(1, 1e-6, 12)
    x = np.linspace(0.05, 1.2, 40)
    exact = BetaAverage(a, np.full(12, 0.003), weights=weights).cdf(x)
    monkeypatch.setattr(_corners, "_MOST_OPEN", 20)
    with pytest.warns(RuntimeWarning, match="errors of about") as told:
        found = BetaAverage(a, np.full(12, 0.003), weights=weights).cdf(x)
    stated = max(float(str(one.message).split("about ")[1][:5]) for one in told)
    assert 0 < np.abs(found - exact).max() < stated


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "n_classes", "top", "a", "b", "correct"),
    [
        pytest.param(451830, 106, 4.84, 0.003211, 0.05119, 1, id="all_correct"),
        pytest.param(868038, 139, 5.05, 0.02367, 0.0283, 0, id="all_wrong"),
    ],
)
def test_mass_of_many_scales_is_cut_off_and_told(monkeypatch, seed, n_classes, top, a, b, correct):
    """Classes that stay whole are summed for so many heights, and what is missing is told."""
    total = np.rint(10 ** np.random.default_rng(seed).uniform(-1, top, n_classes))
    weights = np.random.default_rng(seed).dirichlet(np.full(n_classes, 0.3)) + 1e-9

    def cdf_with_error(work):
        monkeypatch.setattr(transform, "_MOST_WORK", work)
        distribution = BetaAverage(a + correct * total, b + (1 - correct) * total, weights=weights)
        x = distribution.mean() + np.array([-2, 0, 0.7]) * distribution.standard_deviation()
        with pytest.warns(RuntimeWarning, match="errors of about") as told:
            values = distribution.cdf(x)
        return values, max(float(str(one.message).rstrip(".").split()[-1]) for one in told)

    (short, error), (long, rest) = cdf_with_error(2**17), cdf_with_error(2**19)
    assert 0 < np.abs(short - long).max() < error < 1e-4
    assert rest < error


@pytest.mark.parametrize("smallest", [1e-4, 1e-7])
@pytest.mark.filterwarnings("error")
def test_tiny_exponents_at_many_scales_do_not_overflow(smallest):
    """The shares of some levels grow along a corner by as much as those of others fall."""
    a, b, weights = np.full(20, 0.001), np.full(20, 1.001), np.geomspace(1, smallest, 20)
    distribution = BetaAverage(a, b, weights=weights)
    draws = np.random.default_rng(0).beta(a, b, (100_000, 20)) @ weights
    low, high = distribution.hdi(0.95)
    assert low == 0
    assert np.mean(draws <= high) == pytest.approx(0.95, abs=0.003)
    mean = distribution.mean()
    assert distribution.cdf(mean) == pytest.approx(np.mean(draws <= mean), abs=0.003)
