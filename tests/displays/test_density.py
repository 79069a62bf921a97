"""The lines of densities: they hold the mass, and are dense where it bends."""

import numpy as np
import pytest
from scipy import optimize, stats

from skpostbac import PosteriorDisplay
from skpostbac.stats import (
    BetaAverage,
    DrawnDistribution,
    PairedDifference,
)
from skpostbac.stats._transforms import PowerTransform

plt = pytest.importorskip("matplotlib.pyplot")
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
    "difference": BetaAverage([31, 9, 4], [3, 3, 2])
    - BetaAverage([20, 9, 4], [3, 3, 2]),
    "paired difference": PairedDifference([[27, 3, 5, 5], [12, 0, 4, 4]]),
    "power": PowerTransform(BetaAverage([31, 9, 4], [3, 3, 2]), 0.5),
}


def line_of(distribution):
    """Return x and y of the density that is drawn, and the upper end of its axis."""
    display = PosteriorDisplay({"one": distribution}).plot(kind="density")
    x, y = display.lines_[0].get_data()
    top = display.ax_.get_ylim()[1]
    plt.close(display.figure_)
    return np.asarray(x, float), np.asarray(y, float), top


@pytest.mark.parametrize("distribution", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_polygon_holds_the_mass(distribution):
    """The area below it is 1; points are few, in order, within the support, and exact."""
    x, y, top = line_of(distribution)
    assert np.trapezoid(y, x) == pytest.approx(1, abs=2e-3)
    assert (np.diff(x) > 0).all()
    assert distribution.support()[0] <= x[0] < x[-1] <= distribution.support()[1]
    assert np.isfinite(y).all()
    np.testing.assert_allclose(y, distribution.pdf(x), rtol=1e-9)
    assert x.size < 500
    assert 0 < top < np.inf
    between = np.linspace(x[0], x[-1], 5001)
    if np.isfinite(distribution.pdf(between)).all() and y.max() <= top:
        off = np.interp(between, x, y) - distribution.pdf(between)
        assert np.abs(off).max() < y.max() / 500  # less than a pixel of a high figure


def test_tiny_prior_still_has_a_curve():
    """A distribution with nearly all mass at its ends, below the smallest floats, can be drawn."""
    _, y, top = line_of(BetaAverage([0.01], [0.01]))
    assert np.isfinite(y).all()
    assert 0 < top < np.inf


def test_infinite_peak_is_cut_off():
    """The arcsine density is shown up to 2.7 times the height above which a quarter of it lies."""

    def area_above(height):
        # The density 1 / (pi sqrt(x (1 - x))) is higher for x below `end` and above 1 - `end`.
        end = (1 - np.sqrt(1 - (2 / (np.pi * height)) ** 2)) / 2
        return 2 * (2 / np.pi * np.arcsin(np.sqrt(end)) - height * end)

    height = optimize.brentq(lambda height: area_above(height) - 0.25, 0.64, 10)
    _, y, top = line_of(BetaAverage([0.5], [0.5]))
    assert 2.6 * height < top < 3.1 * height
    assert y.max() > 100


def test_draws_give_a_smooth_density():
    """The estimate is near the density; one that ends at 1 at full height does so, too."""
    distribution = stats.beta(30, 8)
    x, y, _ = line_of(DrawnDistribution(distribution.rvs(200_000, random_state=0)))
    assert np.trapezoid(y, x) == pytest.approx(1)
    # The kernel flattens the peak by a percent, and random errors are of the same size.
    largest = distribution.pdf(distribution.mean())
    assert np.abs(y - distribution.pdf(x)).max() < 0.04 * largest
    draws = stats.beta(8, 1).rvs(200_000, random_state=0)
    x, y, _ = line_of(DrawnDistribution(draws))
    assert (x[0], x[-1]) == (draws.min(), draws.max())
    assert y[-1] == pytest.approx(8, rel=0.05)


def test_draws_with_a_long_tail():
    """A density that falls like a power, up to the point with half a percent above."""
    draws = stats.lomax(0.5).rvs(200_000, random_state=0)
    x, y, _ = line_of(DrawnDistribution(draws, tail_index=0.5))
    assert np.trapezoid(y, x) == pytest.approx(0.995, abs=0.002)
    for place in (0.1, 1, 10, 1000):
        expected = stats.lomax(0.5).pdf(place)
        assert np.interp(place, x, y) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(
    "draws",
    [
        [0.0, 1.0],
        [0.5, 0.5],
        [0.0, 0.0],
        [1.0] * 99 + [0.0],
        [*np.linspace(0, 1, 50), 1e6],
    ],
    ids=["two", "equal", "zero", "nearly equal", "outlier"],
)
def test_odd_draws_have_a_curve(draws):
    """Few, equal or far-off draws give a polygon of area 1."""
    x, y, _ = line_of(DrawnDistribution(draws))
    assert (np.diff(x) > 0).all()
    assert np.trapezoid(y, x) == pytest.approx(1)
