"""The distribution of the difference of two balanced accuracies on one test set.

The values of tests/reference/paired_difference.json have 20 to 30 digits (see the README there):
what is measured against them is the error of the package alone. The other tests are about what
holds for every such distribution, and about input.
"""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from skpostbac.stats import PairedDifference
from tests.stats.records import each_record

REFERENCE = Path(__file__).parents[2] / "reference" / "paired_difference.json"
RECORDS = {record["name"]: record for record in json.loads(REFERENCE.read_text(encoding="utf-8"))}

# Absolute errors of probabilities.
ABSOLUTE = 1e-12
# Errors of densities, relative to the largest one.
DENSITY = 1e-9
MOMENTS = 1e-12
# The bound for smaller priors, as for BetaAverage: beside a corner the cdf rises like the distance
# to a power below one, and places known to 1e-16 leave more of the probability undecided.
ABSOLUTE_SMALL_PRIOR = 1e-9
# By how many spacings of x a quantile may be off, or by what its probability is worth.
SPACINGS = {False: 1, True: 4}
# Quantiles of smaller probabilities are not promised.
LEAST_P = 1e-9
# Logs of smaller tails are bounds.
LEAST_TAIL = 1e-11
NAN, INF = float("nan"), float("inf")

ORDINARY = [[30, 4, 7, 3], [12, 2, 1, 5], [6, 0, 2, 1]]
# Distributions whose symmetries are tested; the classes that agree have a kink or a pole at zero.
DISTRIBUTIONS = {
    "ordinary": (ORDINARY, 1.0, None),
    "jeffreys": (ORDINARY, 0.5, None),
    "one class": ([[30, 4, 7, 3]], 0.5, None),
    "one empty class": ([[0, 0, 0, 0]], 0.5, None),
    "alike": ([[3, 0, 0, 0], [0, 0, 0, 8]], 0.5, None),
    "alike beside ordinary": ([[100_000, 0, 0, 0], [6, 0, 2, 1]], 0.5, None),
    "one-sided": ([[20, 0, 8, 4], [4, 0, 2, 0]], 0.5, None),
    "perfect": ([[25, 0, 0, 0], [10, 0, 0, 0], [4, 0, 0, 0]], 1.0, None),
    "empty": ([[0, 0, 0, 0], [0, 0, 0, 0]], 1.0, None),
    "unequal": ([[7e6, 1e6, 1.2e6, 8e5], [6, 1, 2, 1]], 1.0, None),
    "weights": (ORDINARY, 0.5, [0.5, 0.375, 0.125]),
    "signed": (ORDINARY, 1.0, [0.75, -0.5, 0.25]),
}
# Distances from the mean in standard deviations.
DISTANCES = np.array([-6.0, -2.5, -1.0, -0.3, 0.0, 0.4, 1.2, 3.0, 7.0])


@cache
def made(name):
    """Return a distribution of the table above, made once for all tests."""
    counts, prior, weights = DISTRIBUTIONS[name]
    return PairedDifference(counts, prior=prior, weights=weights)


def places(distribution):
    """Return points inside the support, multiples of 2^-40 so that a mirror image is exact."""
    x = distribution.mean() + distribution.standard_deviation() * DISTANCES
    x = np.unique(np.round(np.append(x, 0.0) * 2.0**40) / 2.0**40)
    return x[(distribution.support().low < x) & (x < distribution.support().high)]


def assert_same_tails(distribution, x, other, y):
    """Compare P(X <= x) with P(Y <= y); either value may err once."""
    found, expected = ([z.cdf(at), z.ccdf(at)] for z, at in ((distribution, x), (other, y)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2 * ABSOLUTE)


# All tests of a distribution come one after the other, in one process, which makes it once.
every_distribution = pytest.mark.parametrize("name", DISTRIBUTIONS, scope="module")
every_record = each_record(RECORDS)


# Reference values


def small_prior(name):
    """Whether a record lies outside the main contract."""
    return RECORDS[name]["prior"] < 0.5


def absolute(name):
    """Return the bound of the absolute error of a cdf."""
    return ABSOLUTE_SMALL_PRIOR if small_prior(name) else ABSOLUTE


@cache
def distribution_of(name):
    """Return the distribution of a record, made once for all tests."""
    record = RECORDS[name]
    return PairedDifference(record["counts"], prior=record["prior"], weights=record["weights"])


def column(name, table, key):
    """Return one number of each entry: null is nan, and what underflows is zero."""
    entries = RECORDS[name][table]
    return np.array([np.nan if entry[key] is None else float(entry[key]) for entry in entries])


@cache
def quantiles_of(name):
    """Return the quantiles of a record as the distribution has them, and the density there."""
    x = distribution_of(name).icdf(probabilities(name))
    return x, distribution_of(name).pdf(x)


def quantile_entries(name):
    """Return the quantiles of a record that are promised."""
    entries = RECORDS[name]["quantiles"]
    return [entry for entry in entries if LEAST_P <= float(entry["p"]) <= 1 - LEAST_P]


def probabilities(name):
    """Return the probabilities of these quantiles."""
    return np.array([float(entry["p"]) for entry in quantile_entries(name)])


@every_record
@pytest.mark.parametrize("tail", ["cdf", "ccdf"])
def test_probability(name, tail):
    """The absolute error of both tails."""
    found = getattr(distribution_of(name), tail)(column(name, "points", "x"))
    np.testing.assert_allclose(found, column(name, "points", tail), rtol=0, atol=absolute(name))


@every_record
@pytest.mark.parametrize("tail", ["cdf", "ccdf"])
def test_log_of_small_tail(name, tail):
    """The log of a tail, or a bound where it is too small."""
    found = getattr(distribution_of(name), f"log{tail}")(column(name, "points", "x"))
    expected = np.maximum(column(name, "points", f"log_{tail}"), np.log(LEAST_TAIL))
    np.testing.assert_allclose(
        np.exp(found), np.exp(expected), rtol=0, atol=absolute(name) + LEAST_TAIL * 1e-9
    )
    assert (found >= np.log(LEAST_TAIL) - 1e-9).all()


@every_record
def test_density(name):
    """The error of the density relative to the largest, where that is finite."""
    expected = column(name, "points", "pdf")
    known = np.isfinite(expected) & ~beside_pole(name)
    found = distribution_of(name).pdf(column(name, "points", "x"))
    unit = 1 / distribution_of(name).standard_deviation()
    np.testing.assert_allclose(found[known], expected[known], rtol=DENSITY, atol=DENSITY * unit)


def beside_pole(name):
    """Whether a point is within a rounding of a corner where the density may be infinite."""
    record, x = RECORDS[name], column(name, "points", "x")
    if not small_prior(name) or len(record["counts"]) > 5:
        return np.zeros(x.shape, dtype=bool)
    corners = np.zeros(1)
    for weight in record["weights"] or [1 / len(record["counts"])] * len(record["counts"]):
        corners = np.unique(np.add.outer(corners, [-weight, 0.0, weight]))
    return (np.abs(x[:, np.newaxis] - corners) < 4 * np.finfo(float).eps).any(axis=1)


@every_record
def test_quantile(name):
    """The error of a quantile is the rounding of x, or is worth the error of a probability."""
    x, density = quantiles_of(name)
    entries = quantile_entries(name)
    error = [
        float(abs(Fraction(float(value)) - place(name, entry)))
        for value, entry in zip(x, entries, strict=True)
    ]
    with np.errstate(divide="ignore"):
        worth = absolute(name) / density
    rounding = SPACINGS[small_prior(name)] * np.spacing(scale_of(name, x))
    allowed = rounding + worth
    assert (np.array(error) <= allowed).all(), (error / allowed).max()


def place(name, entry):
    """Return a quantile, exactly, from its distance to the nearer of zero and both ends."""
    record = RECORDS[name]
    high = sum(abs(Fraction(w)) for w in record["weights"] or [1.0])
    lower, upper = Fraction(entry["lower_gap"]), Fraction(entry["upper_gap"])
    candidates = {abs(Fraction(entry["x"])): Fraction(entry["x"])}
    candidates |= {lower: lower - high, upper: high - upper}
    return candidates[min(candidates)]


def scale_of(name, x):
    """Return the size of x, or of its distance to the mean: places are held as such distances."""
    return np.maximum(np.abs(x), np.abs(x - distribution_of(name).mean()))


@every_record
@pytest.mark.parametrize("moment", ["mean", "variance", "skewness", "kurtosis"])
def test_moments(name, moment):
    """The closed forms. Near zero, where terms of either sign meet, the error is absolute."""
    expected = float(RECORDS[name][moment])
    found = getattr(distribution_of(name), moment)()
    floor = {"mean": 1e-15, "variance": 0.0}.get(moment, MOMENTS)
    assert found == pytest.approx(expected, rel=MOMENTS, abs=floor)


# Another view of small cases, in closed form


@pytest.mark.parametrize("x", [-0.999, -0.5, -0.01, 1e-9, 0.3, 0.75])
def test_one_empty_class(x):
    """Four cells of 1/2: D = S (2 U - 1), S uniform, U of the arcsine distribution."""
    distribution = PairedDifference([[0, 0, 0, 0]], prior=0.5)
    # P(D > x) = E max(0, 1 - x / cos t) for x > 0, t uniform on (0, pi).
    density = np.arccosh(1 / abs(x)) / np.pi
    beyond = np.arccos(abs(x)) / np.pi - abs(x) * density
    assert distribution.cdf(x) == pytest.approx(1 - beyond if x > 0 else beyond, abs=ABSOLUTE)
    assert distribution.pdf(x) == pytest.approx(density, rel=DENSITY)


@pytest.mark.parametrize("agreeing", [0, 3, 1000, 10**7])
def test_one_class_that_agrees(agreeing):
    """Prior one, no disagreement: the density is a power of 1 - |x|."""
    distribution = PairedDifference([[agreeing, 0, 0, 0]], prior=1)
    power = agreeing + 2
    x = np.array([0.0, 0.1, 1.0, 2.5]) / (power + 1)
    half = 0.5 * np.exp(power * np.log1p(-x))
    np.testing.assert_allclose(distribution.ccdf(x), half * (1 - x), rtol=0, atol=ABSOLUTE)
    np.testing.assert_allclose(distribution.cdf(-x), half * (1 - x), rtol=0, atol=ABSOLUTE)
    np.testing.assert_allclose(distribution.pdf(x), half * (power + 1), rtol=DENSITY)


def test_the_probability_that_b_is_better():
    """One class: P(D > 0) = P(U > 1/2), whatever the agreement."""
    for agreeing in (0, 10, 10**6):
        distribution = PairedDifference([[agreeing, 4, 7, 2]], prior=0.5)
        expected = stats.beta.sf(0.5, 7.5, 4.5)
        assert distribution.ccdf(0.0) == pytest.approx(expected, abs=ABSOLUTE)


@every_distribution
@pytest.mark.parametrize("scale", [2.0**-20, 8.0])
def test_scale_of_the_weights(name, scale):
    """Weights times a power of two: the same distribution in other units, with exact conversion."""
    counts, prior, weights = DISTRIBUTIONS[name]
    weights = np.asarray(weights or np.full(len(counts), 1 / len(counts)))
    distribution = PairedDifference(counts, prior=prior, weights=weights)
    scaled = PairedDifference(counts, prior=prior, weights=weights * scale)
    x = places(distribution)
    assert_same_tails(distribution, x, scaled, x * scale)
    assert scaled.mean() == pytest.approx(distribution.mean() * scale, rel=1e-14, abs=1e-16 * scale)
    assert scaled.support() == pytest.approx(
        [scale * end for end in distribution.support()], rel=1e-15
    )


# Other ways to say the same


@every_distribution
def test_same_distribution(name):
    """Order, classes of no weight, and which outcomes without a difference were seen: no matter."""
    counts, prior, weights = DISTRIBUTIONS[name]
    counts, size = np.array(counts, dtype=float), len(counts)
    weights = np.full(size, 1 / size) if weights is None else np.array(weights)
    merged = np.column_stack([0 * counts[:, 0], counts[:, 1:3], counts[:, 0] + counts[:, 3]])
    distribution, x, moved = made(name), places(made(name)), np.array([0, 0.25, 0, 0.25])
    for other in (
        PairedDifference(counts, prior=prior, weights=weights),
        PairedDifference(counts[::-1], prior=prior, weights=weights[::-1]),
        PairedDifference(merged, prior=prior, weights=weights),
        PairedDifference([[5, 1, 9, 2], *counts], prior=prior, weights=np.append(0.0, weights)),
        PairedDifference(counts, prior=np.full((size, 4), prior), weights=weights),
        PairedDifference(counts + moved, prior=prior - moved, weights=weights),
    ):
        assert_same_tails(distribution, x, other, x)
        assert other.variance() == pytest.approx(distribution.variance(), rel=1e-14)
        assert other.support() == pytest.approx(distribution.support(), rel=1e-15)


@every_distribution
def test_dirichlet_draws(name):
    """Frequencies, mean and variance of draws of all four cells, within five standard errors."""
    counts, prior, weights = DISTRIBUTIONS[name]
    weights = weights or np.full(len(counts), 1 / len(counts))
    rng, size, distribution = np.random.default_rng(20240229), 200_000, made(name)
    draws = np.zeros(size)
    for row, weight in zip(counts, weights, strict=True):
        p = rng.dirichlet(np.array(row) + prior, size=size)
        draws += weight * (p[:, 2] - p[:, 1])
    mean, sd = distribution.mean(), distribution.standard_deviation()
    x = np.append(mean + sd * np.array([-2.0, -1.0, -0.3, 0.2, 1.0, 2.0]), 0.0)
    p, found = distribution.cdf(x), (draws[:, np.newaxis] <= x).mean(axis=0)
    # At least one draw's worth, where hardly any are expected.
    assert (np.abs(found - p) <= 5 * (np.sqrt(p * (1 - p) / size) + 1 / size)).all()
    assert abs(draws.mean() - mean) <= 5 * sd / np.sqrt(size)
    spread = np.sqrt((distribution.kurtosis() + 2) / size)
    assert abs(draws.var() / sd**2 - 1) <= 5 * spread


# Bad input


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("counts", value) for value in ([], [30, 4, 7, 3], [[30, 4, 7]], [[[30, 4, 7, 3]]])),
        *(("counts", value) for value in (np.empty((0, 4)), [[30, 4, 7, 3], [1, 2]])),
        *(("counts", [[30, 4, value, 3]]) for value in (-1, NAN, INF, "a")),
        *(("prior", value) for value in (0, -0.5, NAN, INF, [0.5, 0.5, 0.0, 0.5], [0.5] * 3, "a")),
        ("prior", np.ones((2, 4))),
        *(("weights", value) for value in ([0, 0, 0], [0.5, 0.5], [1] * 4, [[1, 1, 1]], 1.0)),
        *(("weights", [1, value, 1]) for value in (NAN, INF, "a")),
    ],
    ids=str,
)
def test_bad_arguments(name, value):
    """The message names the argument."""
    with pytest.raises(ValueError, match=name):
        PairedDifference(**{"counts": ORDINARY, name: value})


def test_counts_are_not_changed():
    """What the caller does to the arrays later changes nothing, and nothing is written to them."""
    counts = np.array(ORDINARY, dtype=float)
    distribution = PairedDifference(counts)
    before = distribution.mean()
    assert counts.tolist() == ORDINARY
    counts[:] = 1
    x = places(distribution)
    assert distribution.mean() == before
    assert_same_tails(distribution, x, PairedDifference(ORDINARY), x)


@pytest.mark.parametrize(
    ("count", "prior", "name"),
    [(1e16, 0.5, "counts"), (1, 1e16, "prior"), (0, 1e-9, "prior")],
    ids=["many counts", "strong prior", "weak prior"],
)
def test_cells_out_of_range_name_their_part(count, prior, name):
    """The counts, or the prior, whichever is the larger part of a cell."""
    with pytest.raises(ValueError, match=f"^{name} must make each sum of a count"):
        PairedDifference([[count, 0, 1, 1]], prior=prior)


def test_concentrated_class_beside_small_ones():
    """A class of next to no width is split together with wider ones at a similar height."""
    counts = [[2, 0, 0, 0], [42, 0, 0, 0], [169, 0, 0, 0], [5, 0, 0, 0]]
    weights = np.array([5.994693e-4, 9.238022e-4, 8.974373e-4, 3.563963e-3])
    distribution = PairedDifference(counts, prior=0.01955627, weights=weights)
    assert distribution.cdf(0.0) == pytest.approx(0.5, abs=1e-12)
    x = np.array([-1e-4, -1e-6, -1e-8])
    np.testing.assert_allclose(distribution.cdf(x), distribution.ccdf(-x), rtol=1e-10)
    draws = distribution.sample(200_000, rng=1)
    shares = (draws[:, np.newaxis] <= x).mean(axis=0)
    np.testing.assert_allclose(distribution.cdf(x), shares, atol=5 * 0.5 / np.sqrt(draws.size))


@pytest.mark.parametrize(
    ("counts", "prior", "x", "expected"),
    [
        ([473, 0, 0, 2409], 0.1, -0.001175941786948541, 0.000893720876716883253),
        ([625, 0, 22, 0], 0.25, 0.0155391495078347, 0.001001547104965864431),
        ([601, 0, 20, 40], 0.5, 0.0127, 0.001068794450040585234),
    ],
    ids=["only agreement", "small prior", "jeffreys"],
)
def test_tail_towards_an_empty_cell(counts, prior, x, expected):
    """A tail in which the cell without samples counts, by quadrature with 30 digits (mpmath).

    With G the Beta distribution function of the share of B in the differences, of which there are
    S ~ Beta(alpha_B + alpha_A, alpha_r), P(D > x) is the mean of 1 - G((1 + x / S) / 2), S > x.
    """
    distribution = PairedDifference([counts], prior=prior)
    assert distribution.cdf(x) == pytest.approx(expected, abs=ABSOLUTE)
    assert distribution.cdf(np.array([x, 0.5 * x]))[0] == pytest.approx(expected, abs=ABSOLUTE)
    assert (-distribution).ccdf(-x) == pytest.approx(expected, abs=ABSOLUTE)
    assert distribution.ccdf(x) == pytest.approx(1 - expected, abs=ABSOLUTE)


@pytest.mark.parametrize("p", [1e-6, 1e-4, 3e-4, 1e-3])
def test_tail_of_two_classes_in_company(p):
    """A point far down a tail has the same cdf alone, among others and mirrored."""
    distribution = PairedDifference([[600, 0, 12, 47], [581, 0, 24, 60]], prior=0.25)
    x = distribution.icdf(p)
    others = np.append(np.linspace(-0.1, 0.2, 40), x)
    assert distribution.cdf(x) == pytest.approx(p, abs=1e-12)
    assert distribution.cdf(others)[-1] == pytest.approx(p, abs=1e-12)
    assert (-distribution).ccdf(-x) == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "prior", "expected", "error"),
    [
        ([[10**4, 0, 1, 0], [10, 0, 0, 0]], 0.25, 0.4799982773073, 1e-11),
        ([[10**5, 0, 0, 0], [100, 0, 1, 0]], 0.5, 0.1816912269124, 1e-11),
        ([[10**6, 0, 1, 0], [10, 1, 0, 0]], 0.5, 0.8183060657838, 1e-11),
        ([[10**6, 0, 1, 0], [10, 0, 0, 0]], 0.5, 0.4999585082363, 1e-6),
        ([[10**6, 0, 1, 0], [10, 0, 0, 0]], 0.25, 0.4979653351356, 1e-5),
    ],
    ids=["10,000 and 10", "100,000 and 100", "10**6 and 11", "pole", "steeper pole"],
)
def test_sizes_of_two_scales_at_zero(counts, prior, expected, error):
    """P(D <= 0) where the cdf of the small class is steep, and the large class may be unresolved.

    Expected are integrals of the density of one class times the cdf of the other, by 16-point
    rules on panels that halve towards zero.
    """
    distribution = PairedDifference(counts, prior=prior)
    assert distribution.cdf(0.0) == pytest.approx(expected, abs=error)
    assert (-distribution).ccdf(0.0) == pytest.approx(expected, abs=error)
