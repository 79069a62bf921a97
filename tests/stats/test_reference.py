"""The engine against values that do not come from it, over all regimes.

The values of tests/reference/beta_average.json, scales.json and paired_difference.json have 20 to
30 digits (see the README there): what is measured here is the error of the package alone. The figures of
distributions.json and published.json have about 12, modes.json has exact modes, and
jeffreys_modes.json those of a small perfect class beside a large one.
"""

import json
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skpostbac.stats import BetaAverage, PairedDifference

REFERENCE = Path(__file__).parents[1] / "reference"
EPS = np.finfo(float).eps
# The contract of the engine (doc/user_guide/numerics.rst): errors of probabilities, also where
# exponents of 10^9 leave fewer digits of x, and of pairs with a prior below 1/2.
ABSOLUTE, ABSOLUTE_LARGE, ABSOLUTE_SMALL_PRIOR = 1.3e-12, 3e-12, 1e-9
# Within a rounding of a corner inside the support where exponents add up to 1/3, the distance is
# not known, and the square root of it counts.
ABSOLUTE_AT_CORNER = 1e-7
# Errors of densities in parts of the largest one, or of that of a uniform variable of this width.
DENSITY = 1e-9
# Where scales differ: within BESIDE standard deviations of a corner. There is no bound of the
# density within BESIDE_POLE of a pole.
BESIDE, ABSOLUTE_BESIDE, DENSITY_BESIDE = 0.01, 1e-9, 1e-8
BESIDE_POLE = 0.1
# Errors of logs of tails below 1e-11, by a saddlepoint approximation, and with exponents that add
# up to less than 1/20. Those of pairs are bounds.
SADDLEPOINT, SADDLEPOINT_OF_SMALL, SMALL = 0.1, 1.0, 1e-11
MOMENTS, FIGURES = 1e-12, 1e-9
# How far the cdf may fall between neighbours.
FALL = 1e-13


def read(name):
    """Read a table of reference values."""
    return json.loads((REFERENCE / name).read_text(encoding="utf-8"))


class Record:
    """The reference values of one distribution, which is made once for all tests."""

    def __init__(self, record, kind):
        self.record, self.is_pair = record, "counts" in record
        self.is_of_scales = "scales" in (kind, record["regime"])
        self.first = record["counts" if self.is_pair else "a"]
        size = len(self.first)
        self.weights = np.array(record["weights"] or [1 / size] * size)
        self.exponents = np.array(
            np.add(self.first, record["prior"])
            if self.is_pair
            else [record["a"], record["b"]]
        )

    @cached_property
    def distribution(self):
        if self.is_pair:
            prior, weights = self.record["prior"], self.record["weights"]
            return PairedDifference(self.first, prior=prior, weights=weights)
        return BetaAverage(*self.exponents, weights=self.record["weights"])

    def column(self, table, key):
        """Return one number of each entry: null is nan, and what underflows is zero."""
        entries = self.record[table]
        return np.array(
            [np.nan if entry[key] is None else float(entry[key]) for entry in entries]
        )

    @cached_property
    def has_scales(self):
        """Whether exponents, or weights, differ by so much that bounds depend on the place."""
        if self.is_pair or self.is_of_scales:
            return self.is_of_scales
        kept = self.weights != 0
        size = self.exponents.sum(axis=0)[kept] / np.abs(self.weights[kept])
        return bool(size.max() > 1000 * size.min())

    def is_beside(self, x):
        """Whether points are so close to a corner that a bound is wider."""
        return self.to_corner(x) < BESIDE * self.distribution.standard_deviation()

    def to_corner(self, x):
        """Return the distance of points to the nearest corner."""
        if len(self.weights) > 5:
            # Their corners are everywhere, and only those at the ends count.
            low, high = self.distribution.support()
            return (
                np.minimum(x - low, high - x)
                if self.has_scales
                else np.full(x.shape, np.inf)
            )
        ends = [(-w, 0.0, w) if self.is_pair else (0.0, w) for w in self.weights]
        corners = np.array([sum(chosen) for chosen in product(*ends)])
        return np.abs(x[:, np.newaxis] - corners).min(axis=1)

    def to_pole(self, x):
        """Return the distance of points to the nearest corner of an infinite density."""
        if self.is_pair:
            return self.to_corner(x)
        ends = [
            ((0.0, a), (w, b))
            for w, a, b in zip(self.weights, *self.exponents, strict=True)
        ]
        distance = np.full(x.shape, np.inf)
        # Of many classes, only those of the ends can be poles.
        corners = product(*ends) if len(ends) < 6 else zip(*ends, strict=True)
        for chosen in corners:
            corner, powers = np.sum(chosen, axis=0)
            if powers <= 1:
                distance = np.minimum(distance, np.abs(x - corner))
        return distance

    def allowed(self, x):
        """Return the error allowed in the probability at each point."""
        is_difference = self.distribution.support()[0] < 0
        is_rounded = (self.to_corner(x) < 4 * EPS) & (self.exponents.min() < 0.5)
        if self.has_scales:
            bound = np.where(self.is_beside(x), ABSOLUTE_BESIDE, ABSOLUTE)
            # Zero is then inside the support.
            return np.where(is_rounded & is_difference, ABSOLUTE_AT_CORNER, bound)
        if self.is_pair:
            is_small = self.record["prior"] < 0.5
            return np.full(x.shape, ABSOLUTE_SMALL_PRIOR if is_small else ABSOLUTE)
        bound = ABSOLUTE_LARGE if self.exponents.max() > 1e8 else ABSOLUTE
        return np.where(is_rounded, ABSOLUTE_AT_CORNER, bound)


RECORDS = {
    f"{kind}-{record['name']}": Record(record, kind)
    for kind in ("beta_average", "scales", "paired_difference")
    for record in read(f"{kind}.json")
}


def each_record():
    """Run a test with each record, of which all but an eighth of each regime are slow tests.

    All tests of a record come one after the other, in one process.
    """
    regimes = {}
    for name, one in RECORDS.items():
        regimes.setdefault((one.is_pair, one.record["regime"]), []).append(name)
    quick = {name for names in regimes.values() for name in names[::8]}
    cases = [
        pytest.param(one, id=name, marks=[pytest.mark.slow] * (name not in quick))
        for name, one in RECORDS.items()
    ]
    return pytest.mark.parametrize("one", cases, scope="module")


def test_regimes():
    """The reference covers what the contract speaks of."""
    regimes = {one.record["regime"] for one in RECORDS.values()}
    assert len(RECORDS) >= 280
    assert regimes >= {
        "one class",
        "signed",
        "difference",
        "large at 5 %",
        "weights",
        "scale",
        "many",
        "small prior",
        "smooth",
    }
    assert regimes >= {"reciprocal 1/l", "half 1/l", "alike", "jeffreys", "quarter"}
    assert all(one.record["digits"] >= 20 for one in RECORDS.values())


@each_record()
def test_probability(one):
    """The absolute error of both tails."""
    x = one.column("points", "x")
    for tail in ("cdf", "ccdf"):
        error = np.abs(getattr(one.distribution, tail)(x) - one.column("points", tail))
        assert (error <= one.allowed(x)).all(), error.max()


@each_record()
def test_small_tail(one):
    """The log of a tail, however small: by a saddlepoint approximation, or a bound."""
    x = one.column("points", "x")
    low, high = one.distribution.support()
    # Where the distance to an end is lost in that to the mean, so is the log.
    is_known = np.minimum(x - low, high - x) > 1e-13 * (high - low)
    for tail in ("cdf", "ccdf"):
        found = getattr(one.distribution, f"log{tail}")(x)
        assert np.isfinite(found).all()
        expected = one.column("points", f"log_{tail}")
        if one.is_pair:
            bounded = np.maximum(expected, np.log(SMALL))
            error = np.abs(np.exp(found) - np.exp(bounded))
            assert (error <= one.allowed(x)).all(), error.max()
            assert (found >= np.log(SMALL) - 1e-9).all()
        elif not one.has_scales:
            is_tiny = one.exponents.sum(axis=1).min() < 0.05
            error = np.abs(found - expected)[is_known & (expected < np.log(SMALL))]
            assert (
                error <= (SADDLEPOINT_OF_SMALL if is_tiny else SADDLEPOINT)
            ).all(), error.max()


@each_record()
def test_density(one):
    """The error of the density, where it is finite."""
    x, expected = one.column("points", "x"), one.column("points", "pdf")
    found = one.distribution.pdf(x)
    sd = one.distribution.standard_deviation()
    known = np.isfinite(expected) & (one.to_corner(x) >= 4 * EPS)
    unit = max(expected[known].max(), 1 / sd)
    if one.has_scales:
        known &= one.to_pole(x) > BESIDE_POLE * sd
    error = np.abs(found - expected)[known] / unit
    allowed = np.where(one.has_scales & one.is_beside(x), DENSITY_BESIDE, DENSITY)
    assert (error <= allowed[known]).all(), error.max()


@each_record()
def test_quantile(one):
    """The error of a quantile is the rounding of x, or is worth that of its probability."""
    p = one.column("quantiles", "p")
    p, expected = (
        p[is_asked := np.minimum(p, 1 - p) >= 1e-9],
        one.column("quantiles", "x"),
    )
    x, expected = one.distribution.icdf(p), expected[is_asked]
    # The density between both places, which may be next to a pole.
    places = x + np.linspace(0, 1, 5)[:, np.newaxis] * (expected - x)
    density = one.distribution.pdf(places).min(axis=0)
    worth = np.maximum(one.allowed(x), ABSOLUTE_LARGE)
    # Places of pairs are held as distances from the mean.
    scale = np.maximum(np.abs(x), np.abs(x - one.distribution.mean()) * one.is_pair)
    with np.errstate(divide="ignore"):
        allowed = 2 * np.spacing(scale) + worth / density
    error = np.abs(x - expected)
    assert (error <= allowed).all(), (error / allowed).max()


@each_record()
def test_neighbours(one):
    """The cdf never falls, and both tails are within [0, 1], from one double to the next as well."""
    distribution = one.distribution
    places = np.concatenate([one.column("points", "x"), one.column("quantiles", "x")])
    ordered = np.unique(places)
    between = np.linspace(ordered[:-1], ordered[1:], 9).ravel()
    doubles = [places, np.nextafter(places, np.inf), np.nextafter(places, -np.inf)]
    low, high = distribution.support()
    x = np.unique(np.clip(np.concatenate([between, *doubles]), low, high))
    cdf, ccdf = distribution.cdf(x), distribution.ccdf(x)
    assert (np.diff(cdf) >= -FALL).all(), np.diff(cdf).min()
    assert (np.diff(ccdf) <= FALL).all(), np.diff(ccdf).max()
    assert min(cdf.min(), ccdf.min()) >= 0
    assert max(cdf.max(), ccdf.max()) <= 1


@each_record()
def test_moments(one):
    """The closed forms. Near zero, where terms of either sign meet, the error is absolute."""
    floors = {"mean": 1e-15 * one.is_pair, "variance": 0.0, "skewness": MOMENTS}
    for moment in ("mean", "variance", "skewness", "kurtosis"):
        excess = {"convention": "excess"} if moment == "kurtosis" else {}
        expected, found = (
            float(one.record[moment]),
            getattr(one.distribution, moment)(**excess),
        )
        assert found == pytest.approx(
            expected, rel=MOMENTS, abs=floors.get(moment, MOMENTS)
        )


# Another program, and exact modes


def from_counts(row):
    """Give a row of published counts the form of a row of distributions."""
    prior = {"uniform": 1.0, "jeffreys": 0.5}[row["prior"]]
    a = np.add(row["correct"], prior)
    b = np.subtract(row["total"], row["correct"]) + prior
    return row | {
        "a": a,
        "b": b,
        "q025": row["low"],
        "q975": row["high"],
        "hdi95": row["hdi"],
    }


def distribution_of(row):
    """Return the distribution of a row."""
    return BetaAverage(row["a"], row["b"], weights=row.get("weights"))


TABLE = read("distributions.json")
ROWS = [
    *TABLE["distributions"],
    *map(from_counts, read("published.json")["distributions"]["rows"]),
]
names = {"ids": lambda row: row["name"]}


@pytest.mark.parametrize("row", ROWS, **names)
def test_quantiles_and_densest_interval(row):
    """The densest one is as short and as probable; its ends move freely along a flat top."""
    distribution = distribution_of(row)
    if "mean" in row:
        found = [
            distribution.mean(),
            distribution.median(),
            *distribution.interval(0.95),
        ]
        expected = [row[key] for key in ("mean", "median", "q025", "q975")]
        assert_allclose(found, expected, rtol=0, atol=FIGURES)
    if "hdi95" in row:
        low, high = distribution.hdi(0.95)
        assert high - low == pytest.approx(
            row["hdi95"][1] - row["hdi95"][0], abs=FIGURES
        )
        assert distribution.cdf(low, high) == pytest.approx(0.95, abs=1e-12)
        assert_allclose((low, high), row["hdi95"], rtol=0, atol=1e-5)


@pytest.mark.parametrize("row", read("modes.json"), **names)
def test_mode_is_exact(row):
    """The root of an exact derivative; a slope of rounding moves a root by no more."""
    distribution, exact = distribution_of(row), float(row["mode"])
    # The density of the mean of two uniform variables falls with a high power of the distance.
    if row["name"] == "one_class_empty":
        assert distribution.pdf(distribution.mode()) == pytest.approx(
            distribution.pdf(exact)
        )
    else:
        assert distribution.mode() == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("row", read("jeffreys_modes.json"), **names)
def test_mode_beside_a_small_perfect_class(row):
    """The highest place of a density by quadrature, which is flat there."""
    correct, total = np.array(row["correct"]), np.array(row["total"])
    distribution = BetaAverage(correct + 0.5, total - correct + 0.5)
    mode, sd = distribution.mode(), distribution.standard_deviation()
    assert mode == pytest.approx(float(row["mode"]), abs=1e-4 * sd)
    assert distribution.pdf(mode) == pytest.approx(float(row["density"]), rel=DENSITY)


@pytest.mark.parametrize("row", TABLE["differences"]["rows"], **names)
def test_difference(row):
    """Mean, quantiles, sign and rope of the difference of two classifiers."""
    first, second = (
        distribution_of(TABLE["classifiers"][row[key]])
        for key in ("minuend", "subtrahend")
    )
    difference = first - second
    found = [difference.mean(), *difference.icdf([0.025, 0.5, 0.975])]
    found += [difference.ccdf(0.0), difference.cdf(-0.01, 0.01)]
    expected = [
        row[key] for key in ("mean", "q025", "median", "q975", "p_gt_0", "rope01")
    ]
    assert_allclose(found, expected, rtol=0, atol=FIGURES)
