"""Quantiles of two classes with few errors, against closed forms and the inversion."""

import numpy as np
import pytest
from scipy import stats

from skpostbac.stats import BetaAverage
from skpostbac.stats._beta import rough_pairs
from skpostbac.stats._beta.rough_pairs import rough_quantiles
from skpostbac.stats._inversion import WeightedSum

P = np.array([1e-4, 0.025, 0.3, 0.5, 0.975, 0.999])


def quantiles(a, b, weights):
    """Quantiles of all sums at `P`."""
    p = np.tile(P, (len(a), 1))
    return rough_quantiles(*(np.asarray(x, float) for x in (a, b, weights)), p, 1 - p)


def test_triangle():
    """The mean of two uniform variables, and their difference."""
    ones = np.ones((2, 2))
    found = quantiles(ones, ones, [[0.5, 0.5], [1, -1]])
    root = np.sqrt(0.5 * np.minimum(P, 1 - P))
    triangle = np.where(P < 0.5, root, 1 - root)
    np.testing.assert_allclose(found, [triangle, 2 * triangle - 1], rtol=1e-12, atol=1e-13)


def test_powers():
    """theta^3 and eta^5 as distribution functions: a polynomial below the smaller weight."""
    (found,) = quantiles([[3, 5]], [[1, 1]], [[1, 1]])
    x = found[found <= 1]
    # 3 B(3, 6) x^8, the convolution of 3 u^2 and v^5.
    np.testing.assert_allclose(3 * x**8 * 2 * 120 / 40320, P[found <= 1], rtol=1e-11)
    assert x.size == 1


def test_inversion():
    """Random classes with few errors or few hits, weights of both signs."""
    rng = np.random.default_rng(0)
    total = np.round(10 ** rng.uniform(0, 3.4, (24, 2)))
    errors = np.minimum(rng.integers(0, 4, total.shape), total)
    prior = rng.choice([1, 0.5], (24, 1))
    a, b = total - errors + prior, errors + prior
    weights = rng.uniform(0.1, 1, a.shape) * rng.choice([-1, 1], a.shape)
    found = quantiles(a, b, weights)
    is_found = ~np.isnan(found)
    assert is_found.mean() > 0.5
    for i in np.flatnonzero(is_found.any(axis=1)):
        distribution, places = BetaAverage(a[i], b[i], weights=weights[i]), found[i][is_found[i]]
        values = np.exp(by_contour(distribution, places).log_cdf)
        np.testing.assert_allclose(values, P[is_found[i]], rtol=0, atol=1e-12)


def by_contour(distribution, x):
    """Tails and density by the inversion of the transform."""
    return WeightedSum._tails(distribution, distribution._frame.locate(x))


@pytest.mark.parametrize("size", [1, 16])
def test_tails_of_one_sum(size):
    """They are those of the contour, which is not computed if all of them are accurate."""
    rng, n_known = np.random.default_rng(size), 0
    for _ in range(12):
        total = rng.integers(5, 200, 2)
        errors, weights = rng.integers(0, 3, 2) + rng.choice([0.5, 1]), rng.choice([-1, 0.5], 2)
        distribution = BetaAverage(total - errors + 1, errors, weights=weights)
        x = distribution.icdf(rng.uniform(0.001, 0.999, size))
        found = [distribution.logcdf(x), distribution.logccdf(x), distribution.logpdf(x)]
        n_known += "_inversion" not in vars(distribution)
        tails = by_contour(distribution, x)
        for values, expected in zip(found, (tails.log_cdf, tails.log_ccdf), strict=False):
            np.testing.assert_allclose(np.exp(values), np.exp(expected), rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(found[2], tails.log_pdf, rtol=0, atol=1e-8)
    assert n_known


def test_small_tails():
    """They have relative accuracy, at corners as well."""
    for a, b, x in [
        ([20.5, 35.5], [0.5, 0.5], [0.5, 0.6, 0.75]),
        ([31, 9], [1, 1], [0.3, 0.5, 0.6]),
        ([50.5, 8.5], [0.5, 2.5], [0.45, 0.5, 0.55]),
    ]:
        distribution, x = BetaAverage(a, b), np.array(x)
        found, tails = distribution.logcdf(x), by_contour(distribution, x)
        np.testing.assert_allclose(found, tails.log_cdf, rtol=0, atol=1e-9)
        assert tails.log_cdf.min() > np.log(1e-25)
        assert tails.log_cdf[0] < np.log(1e-5)


def test_a_better_than_chance_pair_takes_no_contour():
    """The probability beyond chance of two perfect classes, and that it is not."""
    distribution = BetaAverage([20.5, 35.5], [0.5, 0.5])
    assert 0 < distribution.cdf(0.7) < 1e-5
    assert "_inversion" not in vars(distribution)


def test_a_narrow_variable_beside_a_wide_one():
    """The quadrature keeps to where the narrow one has its probability."""
    (found,) = quantiles([[2, 1400]], [[1, 1.5]], [[0.5, 0.5]])
    distribution = BetaAverage([2, 1400], [1, 1.5])
    is_found = ~np.isnan(found)
    assert is_found.sum() >= 5
    values = np.exp(by_contour(distribution, found[is_found]).log_cdf)
    np.testing.assert_allclose(values, P[is_found], rtol=0, atol=1e-12)


def test_an_interval_takes_no_contour():
    """A perfect class beside another one, also with a third of no weight."""
    for a, b, weights in [
        ([31, 0.5], [0.5, 9], [0.5, 0.5]),
        ([31, 2, 9], [1, 2, 1], [0.7, 0, 0.3]),
    ]:
        distribution = BetaAverage(a, b, weights=weights)
        low, high = distribution.interval()
        assert "_inversion" not in vars(distribution)
        tails = by_contour(distribution, np.array([low, high]))
        np.testing.assert_allclose(np.exp(tails.log_cdf), [0.025, 0.975], rtol=0, atol=1e-12)


def test_the_better_of_two_perfect_classes():
    """Both are right on all samples: the density of their difference is infinite at zero."""
    first, second = BetaAverage([50.5], [0.5]), BetaAverage([40.5], [0.5])
    difference = second - first
    # P(theta < eta) from the distribution function of one and quantiles of the other.
    q = (np.arange(100_000) + 0.5) / 100_000
    expected = stats.beta(50.5, 0.5).cdf(stats.beta(40.5, 0.5).ppf(q)).mean()
    assert difference.ccdf(0) == pytest.approx(expected, abs=1e-7)
    assert difference.pdf(0) == np.inf
    assert "_inversion" not in vars(difference)
    assert difference.cdf(0) == pytest.approx(
        np.exp(by_contour(difference, np.zeros(1)).log_cdf[0]), abs=1e-12
    )


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-8, 1e-11])
def test_beside_a_corner(monkeypatch, gap):
    """A power just beyond the range of the rule: steps of a third change nothing."""
    parameters = np.array([[[31.5, 0.5]], [[0.5, 9.5]], [[0.5, 0.5]]])
    pairs, _ = rough_pairs.seen_from_nearer_end(*parameters)
    x = 0.5 + np.array([[-gap, gap]])
    tails, errors = rough_pairs.Nodes.of(pairs, x).tails_and_errors()
    step = rough_pairs._STEP / 3
    monkeypatch.setattr(rough_pairs, "_STEP", step)
    for name, values in zip(("_SHARE", "_REST", "_WEIGHT"), rough_pairs._rule(), strict=True):
        monkeypatch.setattr(rough_pairs, name, values)
    expected, _ = rough_pairs.Nodes.of(pairs, x).tails_and_errors()
    is_known = errors < rough_pairs._DOUBTFUL
    assert is_known.any()
    np.testing.assert_allclose(tails[is_known], expected[is_known], rtol=0, atol=1e-12)


def test_doubtful_sums():
    """A weight of zero, tiny and large exponents: left to others."""
    a = [[9, 9], [0.01, 9], [9e5, 9]]
    b = [[1, 1], [9, 1], [1, 1]]
    weights = np.full((3, 2), 0.5)
    weights[0, 1] = 0
    assert np.isnan(quantiles(a, b, weights)).all()


def test_arrays_use_it():
    """The intervals of an array are those of its distributions, one by one."""
    a, b = np.array([[9.0, 5], [40, 7], [1, 3]]), np.array([[1.0, 1], [1, 2], [2, 1]])
    low, high = BetaAverage(a, b).interval()
    expected = np.array([BetaAverage(*pair).interval() for pair in zip(a, b, strict=True)])
    np.testing.assert_allclose(np.stack([low, high], axis=1), expected, rtol=1e-12)
