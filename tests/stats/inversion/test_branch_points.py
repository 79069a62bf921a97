"""The series summed by its corners, against the series summed term by term."""

import numpy as np
import pytest

from skpostbac.stats._dirichlet.terms import WeightedPairs
from skpostbac.stats._inversion import branch_points
from skpostbac.stats._inversion.branch_points import Corners, corner_levels

# Distributions that decay fast enough for a long line, though slowly enough to have corners.
FEW = [[1.5, 1.2, 1.5], [1.2, 1, 1.7], [1, 1.5, 1.2]]
ORDINARY = (FEW, [1 / 3, 1 / 3, 1 / 3])
UNEQUAL = (FEW, [0.5, 0.3, 0.2])
ALIKE = ([[0.3, 0.4, 0.3]] * 8, [1 / 8] * 8)
# Classes of very different scales.
TWO_SCALES = ([[5, 4, 5], [300.5, 200, 200]], [0.5, 0.5])
THREE_SCALES = ([[3, 2, 3], [60, 90, 80], [1200, 1300, 1500]], [0.4, 0.3, 0.3])


def tilted(distribution, tilt, from_end):
    """Tilt a distribution by some inverse standard deviations."""
    terms = WeightedPairs.of(*(np.array(values, float) for values in distribution))
    return terms.tilted(tilt / terms.standard_deviation, from_end=from_end)


def both_contours(summed):
    """Return the series of a tilted sum, all along its line, and with the rest by corners."""
    rule = summed.series
    levels = corner_levels(summed, rule.period)
    begun = summed.line(0, rule.count(levels[0].height))
    corners = Corners(summed, levels, begun, rule.period).integrals()
    whole = summed.line(0, rule.count(summed.decay_height))
    # There is a rest to be summed.
    assert np.abs(whole.values[begun.values.size :]).sum() > 1e-10
    return rule.contour(whole), rule.contour(begun, corners)


@pytest.mark.parametrize(
    "distribution",
    [ORDINARY, UNEQUAL, ALIKE, TWO_SCALES, THREE_SCALES],
    ids=["ordinary", "unequal", "alike", "two scales", "three scales"],
)
@pytest.mark.parametrize("tilt", [3.0, 12.0])
@pytest.mark.parametrize("from_end", [False, True])
def test_corners_complete_the_series(distribution, tilt, from_end):
    """Tail, density and slope, relative to their sizes on the contour, on and beside corners."""
    line, corners = both_contours(tilted(distribution, tilt, from_end))
    places = corners.rest[0].places
    y = np.linspace(line.low, line.high, 301)
    y = np.sort(np.concatenate([y, places, places + 1e-9, places - 1e-15]))
    y = y[(y > line.low) & (y < line.high)]
    expected, found = line._sums(y), corners._sums(y)
    sizes = np.abs(line.line.coefficients).sum(axis=1)
    np.testing.assert_allclose(found / sizes, expected / sizes, rtol=0, atol=1e-13)


@pytest.mark.parametrize("distribution", [ORDINARY, UNEQUAL], ids=["ordinary", "unequal"])
@pytest.mark.parametrize("tilt", [12.0, 30.0, 100.0])
def test_low_line(distribution, tilt, monkeypatch):
    """From a line that is low beside a large tilt the path rises, and the sum is the same."""
    monkeypatch.setattr(branch_points, "_LONG_PHASE", 0.0)
    line, corners = both_contours(tilted(distribution, tilt, from_end=True))
    y = np.linspace(line.low, line.high, 301)[1:-1]
    sizes = np.abs(line.line.coefficients).sum(axis=1)
    error = np.abs(corners._sums(y) - line._sums(y)) / sizes
    # Beside a corner the slope is the second derivative of a share that is cut off at 1e-17.
    assert (error.max(axis=0) < [1e-13, 1e-13, 1e-12]).all()
