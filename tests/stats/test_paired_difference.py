"""Differences of two balanced accuracies on one test set: closed forms, symmetries and input."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import poch

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


@pytest.mark.parametrize(
    ("prior", "expected"), [(0.1, INF), (1 / 3, 2 ** (-1 / 3) / 3), (1, 0)]
)
def test_density_at_the_ends(prior, expected):
    """Beside an end it is Gamma(4 p) / Gamma(p) 2^-p d^(3 p - 1) / Gamma(3 p) at a distance d."""
    found = PairedDifference([[0, 0, 0, 0]], prior=prior).pdf([-1, 1])
    assert_allclose(found, [expected] * 2, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("counts", "prior", "x", "expected", "error"),
    [
        (
            [[473, 0, 0, 2409]],
            0.1,
            -0.001175941786948541,
            0.000893720876716883253,
            ABSOLUTE,
        ),
        (
            [[625, 0, 22, 0]],
            0.25,
            0.0155391495078347,
            0.001001547104965864431,
            ABSOLUTE,
        ),
        ([[601, 0, 20, 40]], 0.5, 0.0127, 0.001068794450040585234, ABSOLUTE),
        ([[10**4, 0, 1, 0], [10, 0, 0, 0]], 0.25, 0.0, 0.4799982773073, 1e-11),
        ([[10**5, 0, 0, 0], [100, 0, 1, 0]], 0.5, 0.0, 0.1816912269124, 1e-11),
        ([[10**6, 0, 1, 0], [10, 1, 0, 0]], 0.5, 0.0, 0.8183060657838, 1e-11),
        ([[10**6, 0, 1, 0], [10, 0, 0, 0]], 0.5, 0.0, 0.4999585082363, 1e-6),
        ([[10**6, 0, 1, 0], [10, 0, 0, 0]], 0.25, 0.0, 0.4979653351356, 1e-5),
    ],
    ids=[
        *(
            "only agreement",
            "small prior",
            "empty cell",
            "10,000 and 10",
            "100,000 and 100",
        ),
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
    merged = np.column_stack(
        [0 * counts[:, 0], counts[:, 1:3], counts[:, 0] + counts[:, 3]]
    )
    distribution = PairedDifference(counts, prior=prior, weights=weights)
    sd = distribution.standard_deviation()
    x = distribution.mean() + sd * np.array(
        [-6.0, -2.5, -1.0, -0.3, 0.0, 0.4, 1.2, 3.0, 7.0]
    )
    x, moved = np.append(x, 0.0), np.array([0, 0.25, 0, 0.25])
    for scale, other in (
        (1, PairedDifference(counts[::-1], prior=prior, weights=weights[::-1])),
        (1, PairedDifference(merged, prior=prior, weights=weights)),
        (
            1,
            PairedDifference(
                [[5, 1, 9, 2], *counts], prior=prior, weights=np.append(0, weights)
            ),
        ),
        (1, PairedDifference(counts, prior=np.full((size, 4), prior), weights=weights)),
        (1, PairedDifference(counts + moved, prior=prior - moved, weights=weights)),
        (2.0**-20, PairedDifference(counts, prior=prior, weights=weights * 2.0**-20)),
    ):
        for tail in ("cdf", "ccdf"):
            found = getattr(other, tail)(x * scale)
            assert_allclose(
                found, getattr(distribution, tail)(x), rtol=0, atol=2 * ABSOLUTE
            )
        assert other.variance() == pytest.approx(
            scale**2 * distribution.variance(), rel=1e-14
        )
        ends = scale * np.array(distribution.support())
        assert other.support() == pytest.approx(ends, rel=1e-15)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("counts", value)
            for value in ([], [30, 4, 7, 3], [[30, 4, 7]], [[[30, 4, 7, 3]]])
        ),
        *(("counts", value) for value in (np.empty((0, 4)), [[30, 4, 7, 3], [1, 2]])),
        *(("counts", [[30, 4, value, 3]]) for value in (-1, NAN, INF, "a", 1e16)),
        *(
            ("prior", value)
            for value in (0, -0.5, NAN, [0.5, 0.5, 0.0, 0.5], [0.5] * 3, "a")
        ),
        *(("prior", value) for value in (np.ones((2, 4)), 1e16, 1e-9)),
        *(
            ("weights", value)
            for value in ([0, 0, 0], [0.5, 0.5], [1] * 4, [[1, 1, 1]], 1.0)
        ),
        *(("weights", [1, value, 1]) for value in (NAN, INF, "a")),
    ],
    ids=str,
)
def test_bad_arguments(name, value):
    """The message names the argument: of a cell out of range, its larger part."""
    with pytest.raises(ValueError, match=f"^{name} must"):
        PairedDifference(
            **{"counts": [[30, 4, 7, 3], [12, 0, 1, 5], [6, 0, 2, 1]], name: value}
        )


def test_counts_are_copied():
    """What the caller does to the arrays later changes nothing, and nothing is written to them."""
    counts = np.array(ORDINARY, dtype=float)
    distribution = PairedDifference(counts)
    counts[:] = 1
    assert distribution.counts.tolist() == ORDINARY
    assert distribution == PairedDifference(ORDINARY)
    with pytest.raises(ValueError, match="read-only"):
        distribution.counts[0] = 1


def test_kurtosis_of_one_class():
    """Moments of a Dirichlet distribution are ratios of rising factorials."""
    b, a, r = alphas = np.array([3.5, 1.5, 6.5])
    moments = [
        sum(
            math.comb(k, j)
            * (-1) ** j
            * poch(b, k - j)
            * poch(a, j)
            / poch(alphas.sum(), k)
            for j in range(k + 1)
        )
        for k in range(5)
    ]
    _, m, m2, m3, m4 = moments
    variance = m2 - m**2
    fourth = m4 - 4 * m * m3 + 6 * m**2 * m2 - 3 * m**4
    # Jeffreys' prior adds 1/2 to each of four cells: both, only A, only B, neither.
    distribution = PairedDifference([[r - 1, a - 0.5, b - 0.5, 0]])
    found = distribution.kurtosis(convention="non-excess")
    assert distribution.variance() == pytest.approx(variance, rel=1e-12)
    assert found == pytest.approx(fourth / variance**2, rel=1e-9)
