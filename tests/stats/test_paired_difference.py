"""Differences of two balanced accuracies on one test set: closed forms, symmetries and input."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from skpostbac.stats import PairedDifference

ABSOLUTE, DENSITY = 1e-12, 1e-9
NAN, INF = float("nan"), float("inf")
ORDINARY = [[30, 4, 7, 3], [12, 2, 1, 5], [6, 0, 2, 1]]
# Distributions whose symmetries are tested; the classes that agree have a kink or a pole at zero.
DISTRIBUTIONS = {
    "jeffreys": (ORDINARY, 0.5, None),
    "one class": ([[30, 4, 7, 3]], 0.5, None),
    "alike": ([[3, 0, 0, 0], [0, 0, 0, 8]], 0.5, None),
    "alike beside ordinary": ([[100_000, 0, 0, 0], [6, 0, 2, 1]], 0.5, None),
    "one-sided": ([[20, 0, 8, 4], [4, 0, 2, 0]], 0.5, None),
    "perfect": ([[25, 0, 0, 0], [10, 0, 0, 0], [4, 0, 0, 0]], 1.0, None),
    "unequal": ([[7e6, 1e6, 1.2e6, 8e5], [6, 1, 2, 1]], 1.0, None),
    "weights": (ORDINARY, 0.5, [0.5, 0.375, 0.125]),
    "signed": (ORDINARY, 1.0, [0.75, -0.5, 0.25]),
}
every_distribution = pytest.mark.parametrize(
    ("counts", "prior", "weights"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS
)


@pytest.mark.parametrize("x", [-0.999, -0.5, -0.01, 1e-9, 0.3, 0.75])
def test_one_empty_class(x):
    """Four cells of 1/2: D = S (2 U - 1), S uniform, U of the arcsine distribution."""
    distribution = PairedDifference([[0, 0, 0, 0]], prior=0.5)
    # P(D > x) = E max(0, 1 - x / cos t) for x > 0, t uniform on (0, pi).
    density = np.arccosh(1 / abs(x)) / np.pi
    beyond = np.arccos(abs(x)) / np.pi - abs(x) * density
    assert distribution.cdf(x) == pytest.approx(1 - beyond if x > 0 else beyond, abs=ABSOLUTE)
    assert distribution.pdf(x) == pytest.approx(density, rel=DENSITY)


@pytest.mark.parametrize(("prior", "expected"), [(0.1, INF), (1 / 3, 2 ** (-1 / 3) / 3), (1, 0)])
def test_density_at_the_ends(prior, expected):
    """Beside an end it is Gamma(4 p) / Gamma(p) 2^-p d^(3 p - 1) / Gamma(3 p) at a distance d."""
    found = PairedDifference([[0, 0, 0, 0]], prior=prior).pdf([-1, 1])
    assert_allclose(found, [expected] * 2, rtol=1e-12, atol=0)


@pytest.mark.parametrize("agreeing", [0, 3, 1000, 10**7])
def test_one_class_that_agrees(agreeing):
    """Prior one, no disagreement: the density is a power of 1 - |x|."""
    distribution = PairedDifference([[agreeing, 0, 0, 0]], prior=1)
    power = agreeing + 2
    x = np.array([0.0, 0.1, 1.0, 2.5]) / (power + 1)
    half = 0.5 * np.exp(power * np.log1p(-x))
    assert_allclose(distribution.ccdf(x), half * (1 - x), rtol=0, atol=ABSOLUTE)
    assert_allclose(distribution.cdf(-x), half * (1 - x), rtol=0, atol=ABSOLUTE)
    assert_allclose(distribution.pdf(x), half * (power + 1), rtol=DENSITY)


@pytest.mark.parametrize("prior", [0.5, 0.1])
@pytest.mark.parametrize("counts", [[4, 0, 0, 3], [10, 1, 0, 0], [900, 1, 1, 0], [9, 2, 0, 100]])
def test_corners_of_one_class(counts, prior):
    """At and beside the corner at zero, against a mean of incomplete Betas over p_A + p_B.

    With S = p_B + p_A ~ Beta(b + a, r), P(D <= x) = E[G((1 + x / S) / 2)], G being the
    distribution function of Beta(b, a).
    """
    distribution = PairedDifference([counts], prior=prior)
    b, a = counts[2] + prior, counts[1] + prior
    r = counts[0] + counts[3] + 2 * prior
    expected = float(mpmath.betainc(b, a, 0, 0.5, regularized=True))
    assert distribution.cdf(0.0) == pytest.approx(expected, abs=ABSOLUTE)
    with mpmath.workdps(20):
        x = mpmath.mpf(0.3 * distribution.standard_deviation())

        def integrand(y):
            # S = x / (1 - y), from x to one.
            s, share = x / (1 - y), mpmath.betainc(b, a, 0, (2 - y) / 2, regularized=True)
            return (share - 1) * s ** (b + a) * (1 - s) ** (r - 1) / (1 - y)

        ends = mpmath.linspace(0, 1 - x, 6)
        expected = 1 + mpmath.quad(integrand, ends) / mpmath.beta(b + a, r)
    assert distribution.cdf(float(x)) == pytest.approx(float(expected), abs=ABSOLUTE)


@pytest.mark.parametrize(
    ("counts", "prior", "x", "expected", "error"),
    [
        ([[473, 0, 0, 2409]], 0.1, -0.001175941786948541, 0.000893720876716883253, ABSOLUTE),
        ([[625, 0, 22, 0]], 0.25, 0.0155391495078347, 0.001001547104965864431, ABSOLUTE),
        ([[601, 0, 20, 40]], 0.5, 0.0127, 0.001068794450040585234, ABSOLUTE),
        ([[10**4, 0, 1, 0], [10, 0, 0, 0]], 0.25, 0.0, 0.4799982773073, 1e-11),
        ([[10**5, 0, 0, 0], [100, 0, 1, 0]], 0.5, 0.0, 0.1816912269124, 1e-11),
        ([[10**6, 0, 1, 0], [10, 1, 0, 0]], 0.5, 0.0, 0.8183060657838, 1e-11),
        ([[10**6, 0, 1, 0], [10, 0, 0, 0]], 0.5, 0.0, 0.4999585082363, 1e-6),
        ([[10**6, 0, 1, 0], [10, 0, 0, 0]], 0.25, 0.0, 0.4979653351356, 1e-5),
    ],
    ids=[
        *("only agreement", "small prior", "empty cell", "10,000 and 10", "100,000 and 100"),
        *("10**6 and 11", "pole", "steeper pole"),
    ],
)
def test_tails_towards_empty_cells(counts, prior, x, expected, error):
    """Where a cell without samples counts, and at zero where sizes are of two scales.

    Of one class they are integrals with 30 digits (mpmath), of two those of the density of one
    class times the cdf of the other, by 16-point rules on panels that halve towards zero.
    """
    distribution = PairedDifference(counts, prior=prior)
    assert distribution.cdf(x) == pytest.approx(expected, abs=error)
    company = np.array([x, 0.5 * x, *np.linspace(-0.1, 0.2, 40)])
    assert distribution.cdf(company)[0] == pytest.approx(expected, abs=error)
    assert (-distribution).ccdf(-x) == pytest.approx(expected, abs=error)
    assert distribution.ccdf(x) == pytest.approx(1 - expected, abs=error)


def test_concentrated_class_beside_small_ones():
    """A class of next to no width is split together with wider ones at a similar height."""
    counts = [[2, 0, 0, 0], [42, 0, 0, 0], [169, 0, 0, 0], [5, 0, 0, 0]]
    weights = np.array([5.994693e-4, 9.238022e-4, 8.974373e-4, 3.563963e-3])
    distribution = PairedDifference(counts, prior=0.01955627, weights=weights)
    assert distribution.cdf(0.0) == pytest.approx(0.5, abs=1e-12)
    x = np.array([-1e-4, -1e-6, -1e-8])
    assert_allclose(distribution.cdf(x), distribution.ccdf(-x), rtol=1e-10)
    draws = distribution.sample(200_000, rng=1)
    shares = (draws[:, np.newaxis] <= x).mean(axis=0)
    assert_allclose(distribution.cdf(x), shares, atol=5 * 0.5 / np.sqrt(draws.size))


@every_distribution
def test_same_distribution(counts, prior, weights):
    """Order, classes of no weight, which outcomes without a difference were seen, and units."""
    counts, size = np.array(counts, dtype=float), len(counts)
    weights = np.full(size, 1 / size) if weights is None else np.array(weights)
    merged = np.column_stack([0 * counts[:, 0], counts[:, 1:3], counts[:, 0] + counts[:, 3]])
    distribution = PairedDifference(counts, prior=prior, weights=weights)
    sd = distribution.standard_deviation()
    x = distribution.mean() + sd * np.array([-6.0, -2.5, -1.0, -0.3, 0.0, 0.4, 1.2, 3.0, 7.0])
    x, moved = np.append(x, 0.0), np.array([0, 0.25, 0, 0.25])
    for scale, other in (
        (1, PairedDifference(counts[::-1], prior=prior, weights=weights[::-1])),
        (1, PairedDifference(merged, prior=prior, weights=weights)),
        (1, PairedDifference([[5, 1, 9, 2], *counts], prior=prior, weights=np.append(0, weights))),
        (1, PairedDifference(counts, prior=np.full((size, 4), prior), weights=weights)),
        (1, PairedDifference(counts + moved, prior=prior - moved, weights=weights)),
        (2.0**-20, PairedDifference(counts, prior=prior, weights=weights * 2.0**-20)),
    ):
        for tail in ("cdf", "ccdf"):
            found = getattr(other, tail)(x * scale)
            assert_allclose(found, getattr(distribution, tail)(x), rtol=0, atol=2 * ABSOLUTE)
        assert other.variance() == pytest.approx(scale**2 * distribution.variance(), rel=1e-14)
        ends = scale * np.array(distribution.support())
        assert other.support() == pytest.approx(ends, rel=1e-15)


@every_distribution
def test_dirichlet_draws(counts, prior, weights):
    """Frequencies, mean and variance of draws of all four cells, within five standard errors."""
    distribution = PairedDifference(counts, prior=prior, weights=weights)
    rng, size = np.random.default_rng(20240229), 200_000
    draws = np.zeros(size)
    for row, weight in zip(counts, distribution.weights, strict=True):
        p = rng.dirichlet(np.array(row) + prior, size=size)
        draws += weight * (p[:, 2] - p[:, 1])
    mean, sd = distribution.mean(), distribution.standard_deviation()
    x = np.append(mean + sd * np.array([-2.0, -1.0, -0.3, 0.2, 1.0, 2.0]), 0.0)
    p, found = distribution.cdf(x), (draws[:, np.newaxis] <= x).mean(axis=0)
    # At least one draw's worth, where hardly any are expected.
    assert (np.abs(found - p) <= 5 * (np.sqrt(p * (1 - p) / size) + 1 / size)).all()
    assert abs(draws.mean() - mean) <= 5 * sd / np.sqrt(size)
    spread = np.sqrt((distribution.kurtosis() - 1) / size)
    assert abs(draws.var() / sd**2 - 1) <= 5 * spread


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("counts", value) for value in ([], [30, 4, 7, 3], [[30, 4, 7]], [[[30, 4, 7, 3]]])),
        *(("counts", value) for value in (np.empty((0, 4)), [[30, 4, 7, 3], [1, 2]])),
        *(("counts", [[30, 4, value, 3]]) for value in (-1, NAN, INF, "a", 1e16)),
        *(("prior", value) for value in (0, -0.5, NAN, [0.5, 0.5, 0.0, 0.5], [0.5] * 3, "a")),
        *(("prior", value) for value in (np.ones((2, 4)), 1e16, 1e-9)),
        *(("weights", value) for value in ([0, 0, 0], [0.5, 0.5], [1] * 4, [[1, 1, 1]], 1.0)),
        *(("weights", [1, value, 1]) for value in (NAN, INF, "a")),
    ],
    ids=str,
)
def test_bad_arguments(name, value):
    """The message names the argument: of a cell out of range, its larger part."""
    with pytest.raises(ValueError, match=f"^{name} must"):
        PairedDifference(**{"counts": [[30, 4, 7, 3], [12, 0, 1, 5], [6, 0, 2, 1]], name: value})


def test_counts_are_copied():
    """What the caller does to the arrays later changes nothing, and nothing is written to them."""
    counts = np.array(ORDINARY, dtype=float)
    distribution = PairedDifference(counts)
    counts[:] = 1
    assert distribution.counts.tolist() == ORDINARY
    assert distribution == PairedDifference(ORDINARY)
    with pytest.raises(ValueError, match="read-only"):
        distribution.counts[0] = 1
