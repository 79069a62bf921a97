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


def assert_same_tails(distribution, x, other, y, *, turned=False):
    """Compare P(X <= x) with P(Y <= y), or with P(Y > y); either value may err once."""
    found, expected = ([z.cdf(at), z.ccdf(at)] for z, at in ((distribution, x), (other, y)))
    if turned:
        expected = expected[::-1]
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


def test_regimes():
    """The reference covers what the contract speaks of."""
    regimes = {record["regime"] for record in RECORDS.values()}
    assert len(RECORDS) >= 40
    assert regimes >= {"one class", "integer", "jeffreys", "alike", "scale", "large", "signed"}
    assert all(record["digits"] >= 20 for record in RECORDS.values())


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


@pytest.mark.slow
@every_record
def test_quantile_has_its_probability(name):
    """The smaller tail at a quantile, but for the rounding of x."""
    p, (x, density) = probabilities(name), quantiles_of(name)
    low = p < 0.5
    tail = np.where(low, distribution_of(name).cdf(x), distribution_of(name).ccdf(x))
    error = np.abs(tail - np.where(low, p, 1 - p))
    # At a pole of the density the probability of a spacing is no product.
    step = SPACINGS[small_prior(name)] * np.spacing(scale_of(name, x))
    rounding = np.where(
        np.isfinite(density), density * step, distribution_of(name).cdf(x - step, x + step)
    )
    assert (error <= absolute(name) + rounding).all(), error.max()


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


# Symmetries


@every_distribution
def test_exchange_of_the_classifiers(name):
    """P(X <= x) for A and B is P(X > -x) for B and A."""
    counts, prior, weights = DISTRIBUTIONS[name]
    distribution = made(name)
    turned = PairedDifference(np.array(counts)[:, [0, 2, 1, 3]], prior=prior, weights=weights)
    x = places(distribution)
    assert_same_tails(distribution, x, turned, -x, turned=True)
    assert turned.mean() == pytest.approx(-distribution.mean(), rel=1e-14, abs=1e-16)
    assert turned.variance() == pytest.approx(distribution.variance(), rel=1e-14)
    assert turned.skewness() == pytest.approx(-distribution.skewness(), rel=1e-12, abs=1e-12)
    assert turned.icdf(0.2) == pytest.approx(distribution.iccdf(0.2) * -1, rel=1e-9, abs=1e-15)


@every_distribution
def test_weights_of_the_other_sign(name):
    """The same mirror image."""
    distribution = made(name)
    counts, prior, weights = DISTRIBUTIONS[name]
    weights = -np.asarray(weights or np.full(len(counts), 1 / len(counts)))
    x = places(distribution)
    minus = PairedDifference(counts, prior=prior, weights=weights)
    assert_same_tails(distribution, x, minus, -x, turned=True)


@every_distribution
def test_order_of_the_classes(name):
    """The sum does not depend on it."""
    counts, prior, weights = DISTRIBUTIONS[name]
    distribution = made(name)
    weights = None if weights is None else weights[::-1]
    turned = PairedDifference(counts[::-1], prior=prior, weights=weights)
    assert_same_tails(distribution, places(distribution), turned, places(distribution))


@every_distribution
def test_both_and_neither_count_as_one(name):
    """Samples that both classifiers get right, or wrong, say the same about the difference."""
    counts, prior, weights = DISTRIBUTIONS[name]
    distribution = made(name)
    moved = np.array(counts, dtype=float)
    moved[:, 3] += moved[:, 0]
    moved[:, 0] = 0
    other = PairedDifference(moved, prior=prior, weights=weights)
    assert_same_tails(distribution, places(distribution), other, places(distribution))
    assert other.variance() == pytest.approx(distribution.variance(), rel=1e-14)


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


@every_distribution
def test_class_of_weight_zero(name):
    """It drops out, whatever its counts."""
    counts, prior, weights = DISTRIBUTIONS[name]
    weights = list(weights or np.full(len(counts), 1 / len(counts)))
    distribution = PairedDifference(counts, prior=prior, weights=weights)
    more = PairedDifference([[5, 1, 9, 2], *counts], prior=prior, weights=[0.0, *weights])
    assert_same_tails(distribution, places(distribution), more, places(distribution))
    assert more.variance() == pytest.approx(distribution.variance(), rel=1e-14)
    assert more.support() == pytest.approx(distribution.support(), rel=1e-15)


def test_equal_weights_are_the_default():
    """One over the number of classes."""
    distribution = made("ordinary")
    explicit = PairedDifference(ORDINARY, prior=1.0, weights=[1 / 3] * 3)
    assert_same_tails(distribution, places(distribution), explicit, places(distribution))


def test_prior_of_every_cell():
    """A number is the same as that number in every cell; the default is one half."""
    distribution = PairedDifference(ORDINARY)
    assert_same_tails(
        distribution,
        places(distribution),
        PairedDifference(ORDINARY, prior=0.5),
        places(distribution),
    )
    full = PairedDifference(ORDINARY, prior=np.full((3, 4), 0.5))
    assert_same_tails(distribution, places(distribution), full, places(distribution))


@pytest.mark.parametrize(
    "prior", [[1.5, 0.5, 2.0, 1.0], [[1.5, 0.5, 2.0, 1.0]] * 3], ids=["4", "3x4"]
)
def test_prior_by_cell(prior):
    """It is added to the counts: the same as more counts under a smaller prior."""
    distribution = PairedDifference(ORDINARY, prior=prior)
    more = PairedDifference(np.add(ORDINARY, [1.0, 0.0, 1.5, 0.5]), prior=0.5)
    assert_same_tails(distribution, places(distribution), more, places(distribution))


@pytest.mark.parametrize("agreeing", [10**3, 10**5, 10**7])
@pytest.mark.parametrize("prior", [0.5, 1.0])
def test_huge_agreement_concentrates_at_zero(agreeing, prior):
    """No disagreement in n samples: the difference is about 1 / n, as likely of either sign."""
    distribution = PairedDifference([[agreeing, 0, 0, 0]], prior=prior)
    assert distribution.mean() == pytest.approx(0, abs=1e-16)
    assert distribution.cdf(0.0) == pytest.approx(0.5, abs=ABSOLUTE)
    assert distribution.median() == pytest.approx(0, abs=1e-9 / agreeing)
    assert distribution.cdf(-20 / agreeing, 20 / agreeing) > 0.999999
    low, high = distribution.interval(0.95)
    assert high == pytest.approx(-low, rel=1e-9)
    assert 0.5 / agreeing < high < 5 / agreeing


# Quantiles, intervals, mode


@every_distribution
def test_round_trip(name):
    """The probability of a quantile is the one asked for, up to the rounding of the quantile."""
    distribution, p = made(name), np.array([1e-9, 1e-5, 0.05, 0.3, 0.8])
    for inverse, direct in (
        (distribution.icdf, distribution.cdf),
        (distribution.iccdf, distribution.ccdf),
    ):
        x = inverse(p)
        step = 2 * np.spacing(np.maximum(np.abs(x), np.abs(x - distribution.mean())))
        ends = np.sort([direct(x - step), direct(x + step)], axis=0)
        assert (ends[0] - ABSOLUTE <= p).all()
        assert (p <= ends[1] + ABSOLUTE).all()


@every_distribution
def test_intervals(name):
    """Both have their mass; the densest one is no longer."""
    distribution = made(name)
    central, densest = distribution.interval(0.9), distribution.hdi(0.9)
    for low, high in (central, densest):
        assert distribution.support().low <= low < high <= distribution.support().high
        rounding = sum(
            min(distribution.pdf(end), 1e16) * np.spacing(np.abs(end)) for end in (low, high)
        )
        assert distribution.cdf(low, high) == pytest.approx(0.9, abs=1e-11 + 2 * rounding)
    assert distribution.cdf(central.low) == pytest.approx(0.05, rel=1e-9)
    width = central.high - central.low
    assert densest.high - densest.low <= width * (1 + 1e-9)


@every_distribution
def test_mode_has_the_highest_density(name):
    """No other point has a higher one."""
    distribution = made(name)
    assert distribution.support().low <= distribution.mode() <= distribution.support().high
    assert (
        distribution.logpdf(distribution.mode())
        >= distribution.logpdf(places(distribution)).max() - 1e-8
    )


@every_distribution
def test_median(name):
    """Half of the probability on either side."""
    distribution = made(name)
    median = distribution.median()
    assert median == distribution.icdf(0.5)
    step = 2 * np.spacing(np.maximum(abs(median), abs(median - distribution.mean())))
    assert (
        distribution.cdf(median - step) - ABSOLUTE
        <= 0.5
        <= distribution.cdf(median + step) + ABSOLUTE
    )


@every_distribution
def test_support_and_beyond(name):
    """Minus and plus the sum of the sizes of the weights."""
    distribution = made(name)
    high = 1.0 if DISTRIBUTIONS[name][2] is None else np.abs(DISTRIBUTIONS[name][2]).sum()
    assert distribution.support() == pytest.approx((-high, high), rel=1e-15)
    assert distribution.cdf([-INF, -high - 0.1, -high]).tolist() == [0, 0, 0]
    assert distribution.ccdf([high, high + 0.1, INF]).tolist() == [0, 0, 0]
    assert distribution.pdf([-high - 0.1, high + 0.1]).tolist() == [0, 0]
    assert distribution.icdf([0, 1]).tolist() == list(distribution.support())
    assert np.isnan(distribution.cdf([NAN, 0.0])).tolist() == [True, False]


@pytest.mark.slow
@every_distribution
def test_values_agree_with_their_logs(name):
    """Shapes are kept, tails add up to one, and a log belongs to its value."""
    distribution, x = made(name), places(made(name)).reshape(-1, 1)
    for function in ("pdf", "cdf", "ccdf"):
        values, logs = (
            getattr(distribution, function)(x),
            getattr(distribution, f"log{function}")(x),
        )
        assert values.shape == x.shape
        unit = distribution.standard_deviation() if function == "pdf" else 1.0
        least = np.maximum(unit * values, LEAST_TAIL) / unit
        np.testing.assert_allclose(least, np.exp(logs), rtol=1e-12)
    # Each is rounded once.
    np.testing.assert_allclose(distribution.cdf(x) + distribution.ccdf(x), 1.0, rtol=0, atol=1e-15)
    assert isinstance(distribution.cdf(0.1), float)
    between = distribution.cdf(x[:-1], x[1:])
    np.testing.assert_allclose(between, np.diff(distribution.cdf(x), axis=0), rtol=0, atol=1e-15)


# Draws


def dirichlet_draws(name, size):
    """Draw the sum straight from the Dirichlet distributions of all four cells."""
    counts, prior, weights = DISTRIBUTIONS[name]
    weights = weights or np.full(len(counts), 1 / len(counts))
    rng, total = np.random.default_rng(20240229), np.zeros(size)
    for row, weight in zip(counts, weights, strict=True):
        p = rng.dirichlet(np.array(row) + prior, size=size)
        total += weight * (p[:, 2] - p[:, 1])
    return total


def assert_like_draws(distribution, draws):
    """Frequencies, mean and variance within five standard errors."""
    x = distribution.mean() + distribution.standard_deviation() * np.array(
        [-2.0, -1.0, -0.3, 0.2, 1.0, 2.0]
    )
    x = np.append(x, 0.0)
    p, found = distribution.cdf(x), (draws[:, np.newaxis] <= x).mean(axis=0)
    # At least one draw's worth, where hardly any are expected.
    error = np.sqrt(p * (1 - p) / draws.size) + 1 / draws.size
    assert (np.abs(found - p) <= 5 * error).all()
    sd = distribution.standard_deviation()
    assert abs(draws.mean() - distribution.mean()) <= 5 * sd / np.sqrt(draws.size)
    spread = np.sqrt((distribution.kurtosis() + 2) / draws.size)
    assert abs(draws.var() / distribution.variance() - 1) <= 5 * spread


@every_distribution
def test_dirichlet_draws(name):
    """The distribution is that of the cells of the four Dirichlet distributions."""
    assert_like_draws(made(name), dirichlet_draws(name, 200_000))


@every_distribution
def test_sample(name):
    """Draws of the distribution itself; a seed gives the same again."""
    distribution = made(name)
    draws = distribution.sample((50, 400), rng=3)
    assert draws.shape == (50, 400)
    assert_like_draws(distribution, draws.ravel())
    np.testing.assert_array_equal(
        draws, distribution.sample((50, 400), rng=np.random.default_rng(3))
    )
    assert isinstance(distribution.sample(rng=1), float)


@every_distribution
def test_moments_of_the_cells(name):
    """Mean and variance from the textbook moments of a Dirichlet distribution."""
    counts, prior, weights = DISTRIBUTIONS[name]
    weights = weights or np.full(len(counts), 1 / len(counts))
    mean = variance = 0.0
    for row, weight in zip(counts, weights, strict=True):
        cells = np.array(row) + prior
        p, n = cells / cells.sum(), cells.sum()
        mean += weight * (p[2] - p[1])
        variance += weight**2 * (p[1] + p[2] - (p[2] - p[1]) ** 2) / (n + 1)
    assert made(name).mean() == pytest.approx(mean, rel=1e-13, abs=1e-16)
    assert made(name).variance() == pytest.approx(variance, rel=1e-13)
    assert made(name).standard_deviation() == pytest.approx(np.sqrt(variance), rel=1e-13)


# Bad input


@pytest.mark.parametrize(
    "counts",
    [
        [],
        [30, 4, 7, 3],
        [[30, 4, 7]],
        [[30, 4, 7, 3, 1]],
        [[[30, 4, 7, 3]]],
        np.empty((0, 4)),
        [[30, 4, 7, 3], [1, 2]],
        [[30, 4, -1, 3]],
        [[30, 4, NAN, 3]],
        [[30, INF, 7, 3]],
        [["a", "b", "c", "d"]],
    ],
    ids=[
        "empty",
        "1-d",
        "three",
        "five",
        "3-d",
        "none",
        "ragged",
        "negative",
        "nan",
        "inf",
        "text",
    ],
)
def test_bad_counts(counts):
    """The message names the argument."""
    with pytest.raises(ValueError, match="counts"):
        PairedDifference(counts)


@pytest.mark.parametrize(
    "prior",
    [0, -0.5, NAN, INF, [0.5, 0.5, 0.0, 0.5], [0.5] * 3, np.ones((2, 4)), "a"],
    ids=["zero", "negative", "nan", "inf", "a zero cell", "three", "two rows", "text"],
)
def test_bad_prior(prior):
    """Positive, finite, and a number or one for each cell of the three classes."""
    with pytest.raises(ValueError, match="prior"):
        PairedDifference(ORDINARY, prior=prior)


@pytest.mark.parametrize(
    "weights",
    [[0, 0, 0], [0.5, 0.5], [1, 1, 1, 1], [[1, 1, 1]], 1.0, [1, NAN, 1], [1, INF, 1], ["a"] * 3],
    ids=["zeros", "short", "long", "2-d", "0-d", "nan", "inf", "text"],
)
def test_bad_weights(weights):
    """One finite number for each class, and not all of them zero."""
    with pytest.raises(ValueError, match="weights"):
        PairedDifference(ORDINARY, weights=weights)


def test_arguments_by_position():
    """Only the counts: two more arrays in a row would be easy to mix up."""
    with pytest.raises(TypeError, match="positional"):
        PairedDifference(ORDINARY, 1.0)


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_bad_probability(p):
    """As for every distribution."""
    with pytest.raises(ValueError, match=r"p must lie in \[0, 1\]"):
        made("ordinary").icdf(p)


@pytest.mark.parametrize("level", [0, 1, NAN])
def test_bad_level(level):
    """As for every distribution."""
    for method in ("interval", "hdi"):
        with pytest.raises(ValueError, match="level"):
            getattr(made("ordinary"), method)(level)


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
