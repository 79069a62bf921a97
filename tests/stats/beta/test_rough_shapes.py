"""Shortest intervals and modes of two classes with few errors, against the general search."""

import numpy as np
import pytest

from skpostbac.stats import BetaAverage
from skpostbac.stats._beta.rough_pairs import Nodes, Pairs
from skpostbac.stats._beta.rough_shapes import rough_mode, rough_shortest
from skpostbac.stats._inversion import WeightedSum


def sums(seed, count=12):
    """Random classes with few errors or few hits, weights of both signs."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        total = np.round(10 ** rng.uniform(0, 2.5, 2))
        errors = np.minimum(rng.integers(0, 3, 2), total)
        a, b = total - errors + 0.5, errors + rng.choice([0.5, 1])
        a, b = (b, a) if rng.random() < 0.3 else (a, b)
        weights = [(0.5, 0.5), (0.7, 0.3), (0.5, -0.5)][rng.integers(3)]
        distribution = BetaAverage(a, b, weights=weights)
        if distribution._rough_pair is not None:
            yield distribution


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_shortest_intervals(level):
    """They have the probability, and no interval of the general search is shorter."""
    n_found = 0
    for distribution in sums(round(1000 * level)):
        low, high = rough_shortest(*distribution._rough_pair, level)
        expected = WeightedSum.hdi(distribution, level)
        if np.isnan(low):
            continue
        n_found += 1
        assert distribution.cdf(low) + distribution.ccdf(high) == pytest.approx(
            1 - level, abs=1e-12
        )
        assert high - low <= (expected.high - expected.low) * (1 + 1e-11)
        np.testing.assert_allclose([low, high], expected, rtol=0, atol=1e-8)
    assert n_found >= 5


def test_modes():
    """No place of the general search has a higher density."""
    n_found = 0
    for distribution in sums(5):
        mode, expected = rough_mode(*distribution._rough_pair), WeightedSum.mode(distribution)
        if np.isnan(mode):
            continue
        n_found += 1
        assert distribution.pdf(mode) >= distribution.pdf(expected) * (1 - 1e-10)
        assert mode == pytest.approx(expected, abs=1e-3)
    assert n_found >= 5


def test_two_perfect_classes():
    """The density rises up to 1: the interval ends there, with all that is left out below."""
    distribution = BetaAverage([20.5, 35.5], [0.5, 0.5])
    assert rough_mode(*distribution._rough_pair) == distribution.mode() == 1
    low, high = distribution.hdi()
    assert high == 1
    assert low == pytest.approx(distribution.icdf(0.05), rel=1e-13)
    assert "_inversion" not in vars(distribution)
    mirrored = BetaAverage([0.5, 0.5], [20.5, 35.5])
    np.testing.assert_allclose(mirrored.hdi(), (0, 1 - low), rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([20.5, 0.5], [0.5, 0.5]),
        ([0.5, 0.5], [0.5, 0.5]),
        ([400.5, 0.5], [2.5, 0.5]),
        ([9.4, 6.4], [0.4, 0.5]),
    ],
    ids=["pole inside", "four poles", "two peaks", "pole at an end"],
)
def test_poles(a, b):
    """What the grid cannot show is left to the general search."""
    distribution = BetaAverage(a, b)
    assert np.isnan(rough_mode(*distribution._rough_pair))
    assert distribution.mode() == WeightedSum.mode(distribution)
    np.testing.assert_allclose(
        distribution.hdi(), WeightedSum.hdi(distribution, 0.95), rtol=0, atol=1e-9
    )


def test_derivatives():
    """Of a density between and beyond the corners, against differences."""
    pairs = Pairs.of(*np.array([[[3.5, 20.5]], [[1.7, 1.5]], [[0.3, 0.5]]]))
    y, step = np.array([[0.05, 0.25, 0.4, 0.55, 0.75]]), 1e-5

    def values(y):
        nodes = Nodes.of(pairs, y)
        return np.stack([nodes.density_and_doubt()[0], *nodes.derivatives()])

    differences = (values(y + step) - values(y - step)) / (2 * step)
    np.testing.assert_allclose(values(y)[1:], differences[:2], rtol=1e-5)


def test_tiny_levels_are_left_to_others():
    """Errors are absolute."""
    pair = BetaAverage([20.5, 18.5], [0.5, 3.5])._rough_pair
    assert np.isnan(rough_shortest(*pair, 1 - 1e-5)).all()
    assert np.isnan(rough_shortest(*pair, 1e-5)).all()
