"""The engine against values that do not come from it, over all regimes.

The values of tests/reference/beta_average.json have 20 to 30 digits (see the README there): what
is measured here is the error of the package alone.
"""

import json
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from skpostbac.stats import BetaAverage
from tests.stats.records import each_record

REFERENCE = Path(__file__).parents[2] / "reference" / "beta_average.json"
RECORDS = {record["name"]: record for record in json.loads(REFERENCE.read_text(encoding="utf-8"))}

# The contract of the engine (doc/user_guide/numerics.rst): errors of probabilities, also where
# exponents of 10^9 leave fewer digits of x.
ABSOLUTE, ABSOLUTE_LARGE = 1.3e-12, 3e-12
# Within a rounding of a corner inside the support where exponents add up to 1/3, the distance is
# not known, and the square root of it counts.
ABSOLUTE_AT_CORNER = 1e-7
# Where exponents or weights differ by more than a thousand: beside a corner, and elsewhere.
BESIDE_CORNER_OF_SCALES, ABSOLUTE_OF_SCALES = 1e-4, 1e-11
# Errors of densities in parts of the largest one, or of that of a uniform variable of this width.
DENSITY, DENSITY_OF_SCALES = 1e-9, 1e-7
# Errors of logs of tails below 1e-11, by a saddlepoint approximation, and with exponents that add
# up to less than 1/20.
SADDLEPOINT, SADDLEPOINT_OF_SMALL = 0.1, 1.0
SMALL = 1e-11
MOMENTS = 1e-12


@cache
def distribution(name):
    """Return the distribution of a record, made once for all tests."""
    record = RECORDS[name]
    return BetaAverage(record["a"], record["b"], weights=record["weights"])


def column(name, table, key):
    """Return one number of each entry: null is nan, and what underflows is zero."""
    entries = RECORDS[name][table]
    return np.array([np.nan if entry[key] is None else float(entry[key]) for entry in entries])


def weights(name):
    """Return the weights of a record."""
    size = len(RECORDS[name]["a"])
    return np.array(RECORDS[name]["weights"] or [1 / size] * size)


def has_scales(name):
    """Whether exponents, or weights, differ by more than a thousand."""
    kept = weights(name) != 0
    size = np.add(RECORDS[name]["a"], RECORDS[name]["b"])[kept] / np.abs(weights(name)[kept])
    return size.max() > 1000 * size.min()


def to_corner(name, x):
    """Return the distance of points to the nearest corner."""
    if len(weights(name)) > 4:
        return np.full(x.shape, np.inf)
    corners = np.array([sum(chosen) for chosen in product(*((0.0, w) for w in weights(name)))])
    return np.abs(x[:, np.newaxis] - corners).min(axis=1)


def at_corner(name):
    """Whether a point is within a rounding of a corner."""
    return to_corner(name, column(name, "points", "x")) < 4 * np.finfo(float).eps


def probability_bound(name, x):
    """Return the error allowed in the probability at each point."""
    distance = to_corner(name, x)
    if has_scales(name):
        is_beside = distance < 0.1 * distribution(name).standard_deviation()
        return np.where(is_beside, BESIDE_CORNER_OF_SCALES, ABSOLUTE_OF_SCALES)
    exponents = np.array([RECORDS[name]["a"], RECORDS[name]["b"]])
    bound = ABSOLUTE_LARGE if exponents.max() > 1e8 else ABSOLUTE
    is_unknown = (distance < 4 * np.finfo(float).eps) & (exponents.min() < 0.5)
    return np.where(is_unknown, ABSOLUTE_AT_CORNER, bound)


every_distribution = each_record(RECORDS)


def test_regimes():
    """The reference covers what the contract speaks of."""
    regimes = {record["regime"] for record in RECORDS.values()}
    assert len(RECORDS) >= 200
    assert regimes >= {"one class", "signed", "weights", "scale", "many", "small prior", "smooth"}
    assert regimes >= {"reciprocal 1/l", "half 1/l"}
    assert all(record["digits"] >= 20 for record in RECORDS.values())


@every_distribution
@pytest.mark.parametrize("tail", ["cdf", "ccdf"])
def test_probability(name, tail):
    """The absolute error of both tails."""
    x = column(name, "points", "x")
    error = np.abs(getattr(distribution(name), tail)(x) - column(name, "points", tail))
    assert (error <= probability_bound(name, x)).all(), error.max()


@every_distribution
@pytest.mark.parametrize("tail", ["cdf", "ccdf"])
def test_small_tail(name, tail):
    """The log of a tail, however small: by a saddlepoint approximation."""
    x = column(name, "points", "x")
    found = getattr(distribution(name), f"log{tail}")(x)
    assert np.isfinite(found).all()
    expected = column(name, "points", f"log_{tail}")
    low, high = distribution(name).support()
    # Where the distance to an end is lost in that to the mean, so is the log.
    is_known = np.minimum(x - low, high - x) > 1e-13 * (high - low)
    chosen = is_known & (expected < np.log(SMALL))
    exponents = np.minimum(np.sum(RECORDS[name]["a"]), np.sum(RECORDS[name]["b"]))
    bound = SADDLEPOINT_OF_SMALL if exponents < 0.05 else SADDLEPOINT
    error = np.abs(found - expected)[chosen]
    assert has_scales(name) or (error <= bound).all(), error.max()


@every_distribution
def test_density(name):
    """The error of the density, where it is finite."""
    expected = column(name, "points", "pdf")
    found = distribution(name).pdf(column(name, "points", "x"))
    known = np.isfinite(expected) & ~at_corner(name)
    unit = max(expected[known].max(), 1 / distribution(name).standard_deviation())
    error = np.abs(found - expected)[known] / unit
    assert (error <= (DENSITY_OF_SCALES if has_scales(name) else DENSITY)).all(), error.max()


@every_distribution
def test_quantile(name):
    """The error of a quantile is the rounding of x, or is worth that of its probability."""
    p = column(name, "quantiles", "p")
    p, expected = p[is_asked := np.minimum(p, 1 - p) >= 1e-9], column(name, "quantiles", "x")
    x, expected = distribution(name).icdf(p), expected[is_asked]
    # The density between both places, which may be next to a pole.
    places = x + np.linspace(0, 1, 5)[:, np.newaxis] * (expected - x)
    density = distribution(name).pdf(places).min(axis=0)
    worth = np.maximum(probability_bound(name, x), ABSOLUTE_LARGE)
    with np.errstate(divide="ignore"):
        allowed = 2 * np.spacing(np.abs(x)) + worth / density
    error = np.abs(x - expected)
    assert (error <= allowed).all(), (error / allowed).max()


@every_distribution
@pytest.mark.parametrize("moment", ["mean", "variance", "skewness", "kurtosis"])
def test_moments(name, moment):
    """The closed forms. Near zero, where terms of either sign meet, the error is absolute."""
    expected = float(RECORDS[name][moment])
    found = getattr(distribution(name), moment)()
    floor = MOMENTS if moment in ("skewness", "kurtosis") else 0.0
    assert found == pytest.approx(expected, rel=MOMENTS, abs=floor)
