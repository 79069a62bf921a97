"""The points at which densities are drawn: they hold the mass, and are dense where it bends."""

import numpy as np
import pytest
from scipy import optimize, stats

from skpostbac._plot import Curve, density_curve
from skpostbac.metrics import DrawnPosterior
from skpostbac.stats import BetaAverage, Interval, PairedDifference, PowerTransform

DISTRIBUTIONS = {
    "three classes": BetaAverage([31, 9, 4], [3, 3, 2]),
    "prior of one class": BetaAverage([1], [1]),
    "prior of two classes": BetaAverage([1, 1], [1, 1]),
    "thousand classes": BetaAverage(np.full(1000, 8), np.full(1000, 3)),
    "1e9 samples": BetaAverage([9e8], [1e8]),
    "1e15 samples": BetaAverage([9e14], [9e13]),
    "highest at an end": BetaAverage([1], [200]),
    "infinite at an end": BetaAverage([20.5], [0.5]),
    "infinite at both ends": BetaAverage([0.5], [0.5]),
    "infinite amid the support": BetaAverage([10.5, 0.5], [0.5, 10.5]),
    "difference": BetaAverage([31, 9, 4], [3, 3, 2]) - BetaAverage([20, 9, 4], [3, 3, 2]),
    "paired difference": PairedDifference([[27, 3, 5, 5], [12, 0, 4, 4]]),
    "power": PowerTransform(BetaAverage([31, 9, 4], [3, 3, 2]), 0.5),
}


def area(curve):
    """Area of a polygon over the x-axis."""
    return np.trapezoid(curve.y, curve.x)


each_distribution = pytest.mark.parametrize(
    "distribution", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS
)


@each_distribution
def test_polygon_holds_the_mass(distribution):
    """The area below the polygon is 1, and below its part over an interval the level."""
    curve = density_curve(distribution)
    assert area(curve) == pytest.approx(1, abs=2e-3)
    for interval in (distribution.interval(0.9), distribution.hdi(0.6)):
        mass = distribution.cdf(*interval)
        assert area(curve.between(*interval)) == pytest.approx(mass, abs=2e-3)


@each_distribution
def test_points_are_within_the_support_and_exact(distribution):
    """All points can be drawn, and the density at each is that of the distribution."""
    x, y = density_curve(distribution)
    assert (np.diff(x) > 0).all()
    assert distribution.support().low <= x[0] < x[-1] <= distribution.support().high
    assert np.isfinite(y).all()
    np.testing.assert_allclose(y, distribution.pdf(x), rtol=1e-9)
    assert x.size < 500


@pytest.mark.parametrize(
    "distribution",
    [BetaAverage([31, 9], [3, 3]), BetaAverage([9e8], [1e8])],
    ids=["small", "large"],
)
def test_polygon_looks_smooth(distribution):
    """Between the points, the polygon is off by less than a pixel of a high figure."""
    curve = density_curve(distribution)
    x = np.linspace(curve.x[0], curve.x[-1], 5001)
    assert np.abs(curve.height(x) - distribution.pdf(x)).max() < curve.y.max() / 500


def test_ends_of_a_flat_density_are_drawn():
    """The uniform distribution is a rectangle from 0 to 1."""
    x, y = density_curve(BetaAverage([1], [1]))
    assert (x[0], x[-1]) == (0, 1)
    np.testing.assert_allclose(y, 1, rtol=1e-12)


def test_tiny_prior_still_has_a_curve():
    """A distribution with nearly all mass at its ends, below the smallest floats, can be drawn."""
    curve = density_curve(BetaAverage([0.01], [0.01]))
    assert np.isfinite(curve.y).all()
    assert 0 < curve.shown_height() < np.inf


@pytest.mark.parametrize(
    "distribution",
    [stats.norm(), stats.uniform(), stats.triang(0.3), stats.expon(), stats.beta(2, 5)],
    ids=["normal", "uniform", "triangle", "exponential", "beta"],
)
def test_finite_peaks_are_shown_in_full(distribution):
    """Only infinite densities are cut off."""
    x = np.linspace(distribution.ppf(1e-5), distribution.ppf(1 - 1e-5), 2001)
    curve = Curve(x, distribution.pdf(x))
    assert curve.shown_height() == curve.y.max()


def test_infinite_peak_is_cut_off():
    """The arcsine density is shown up to 2.7 times the height above which a quarter of it lies."""

    def area_above(height):
        # The density 1 / (pi sqrt(x (1 - x))) is higher for x below `end` and above 1 - `end`.
        end = (1 - np.sqrt(1 - (2 / (np.pi * height)) ** 2)) / 2
        return 2 * (2 / np.pi * np.arcsin(np.sqrt(end)) - height * end)

    height = optimize.brentq(lambda height: area_above(height) - 0.25, 0.64, 10)
    curve = density_curve(BetaAverage([0.5], [0.5]))
    assert curve.shown_height() == pytest.approx(2.7 * height, rel=0.01)
    assert curve.y.max() > 100


def test_part_of_a_polygon():
    """A part has the ends asked for, and is empty outside."""
    triangle = Curve(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.0]))
    np.testing.assert_array_equal(triangle.between(0.5, 1.5), [[0.5, 1, 1.5], [0.5, 1, 0.5]])
    assert area(triangle.between(-np.inf, 1)) == 0.5
    assert area(triangle.between(3, 4)) == 0


def test_draws_give_a_smooth_density():
    """The estimate from many draws of a Beta distribution is near its density, and has area 1."""
    distribution = stats.beta(30, 8)
    curve = density_curve(DrawnPosterior(distribution.rvs(200_000, random_state=0)))
    assert area(curve) == pytest.approx(1)
    # The kernel flattens the peak by a percent, and random errors are of the same size.
    assert np.abs(curve.y - distribution.pdf(curve.x)).max() < 0.04 * distribution.pdf(
        distribution.mean()
    )


def test_draws_are_not_smoothed_beyond_the_possible():
    """A density that ends at 1 at full height does so in the estimate, too."""
    draws = stats.beta(8, 1).rvs(200_000, random_state=0)
    curve = density_curve(DrawnPosterior(draws))
    assert (curve.x[0], curve.x[-1]) == (draws.min(), draws.max())
    assert curve.y[-1] == pytest.approx(8, rel=0.05)


@pytest.mark.parametrize(
    "draws",
    [[0.0, 1.0], [0.5, 0.5], [0.0, 0.0], [1.0] * 99 + [0.0], [*np.linspace(0, 1, 50), 1e6]],
    ids=["two", "equal", "zero", "nearly equal", "outlier"],
)
def test_odd_draws_have_a_curve(draws):
    """Few, equal or far-off draws give a polygon of area 1."""
    curve = density_curve(DrawnPosterior(draws))
    assert (np.diff(curve.x) > 0).all()
    assert area(curve) == pytest.approx(1)


def test_other_distributions_are_refused():
    """What has neither a density nor draws is named."""
    with pytest.raises(TypeError, match="got Interval"):
        density_curve(Interval(0, 1))
