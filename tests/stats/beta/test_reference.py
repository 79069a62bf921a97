"""The engine against values that do not come from it, over all regimes.

The values of tests/reference/beta_average.json have 20 to 30 digits (see the README there): what
is measured here is the error of the package alone.
"""

import json
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from skpostbac.stats import BetaAverage
from tests.stats.records import each_record

REFERENCE = Path(__file__).parents[2] / "reference" / "beta_average.json"
RECORDS = {record["name"]: record for record in json.loads(REFERENCE.read_text(encoding="utf-8"))}

# The contract of the engine for a, b >= 1/2, and for 1 / l and 1 / (2 l) with l equal weights.
ABSOLUTE = 1e-12
RELATIVE_TAIL = 1e-8
RELATIVE_QUANTILE = 1e-10
MOMENTS = 1e-12
# The bound for smaller priors. Beside a corner of the support the cdf rises like the distance to
# the power of the exponents that meet there, 2/3 for two classes under a prior of 1/3: places
# known to 1e-16 leave 1e-11 or more of the probability undecided.
ABSOLUTE_SMALL_PRIOR = 1e-9
# Within a rounding of a corner where three exponents of 1/6 meet, the square root of the rounding
# of the corner, 1/3, is left undecided.
ABSOLUTE_BESIDE_CORNER = 1e-7
# By how many spacings of x a quantile may be off, or by what its probability is worth: one, and
# under a small prior those by which the place of a corner may be.
SPACINGS = {False: 1, True: 4}
# Log of the smallest tail that is judged by its relative error. Beyond it the log is judged.
LOG_TINY = np.log(1e-300)
RELATIVE_LOG_TAIL = 1e-9


def small_prior(name):
    """Whether a record lies outside the main contract."""
    is_small = min(RECORDS[name]["a"] + RECORDS[name]["b"]) < 0.5
    return is_small and not RECORDS[name]["regime"].endswith("1/l")


def absolute(name):
    """Return the bound of the absolute error of a cdf at each point."""
    bound = ABSOLUTE_SMALL_PRIOR if small_prior(name) else ABSOLUTE
    is_half = RECORDS[name]["regime"] == "half 1/l"
    return np.where(is_half & beside_corner(name), ABSOLUTE_BESIDE_CORNER, bound)


@cache
def distribution(name):
    """Return the distribution of a record, made once for all tests."""
    record = RECORDS[name]
    return BetaAverage(record["a"], record["b"], weights=record["weights"])


def column(name, table, key):
    """Return one number of each entry: null is nan, and what underflows is zero."""
    entries = RECORDS[name][table]
    return np.array([np.nan if entry[key] is None else float(entry[key]) for entry in entries])


@cache
def logs(name):
    """Return the logs of cdf, ccdf and pdf at the points of a record."""
    x = column(name, "points", "x")
    return {key: getattr(distribution(name), key)(x) for key in ("logcdf", "logccdf", "logpdf")}


@cache
def quantiles(name):
    """Return the quantiles of a record as the engine has them, and the density there."""
    x = distribution(name).icdf(column(name, "quantiles", "p"))
    return x, distribution(name).pdf(x)


def quantile_bound(name):
    """Return the error allowed in the probability of each quantile."""
    p = column(name, "quantiles", "p")
    relative = ABSOLUTE_SMALL_PRIOR if small_prior(name) else RELATIVE_QUANTILE
    return relative * np.minimum(p, 1 - p)


def log_tail_bound(log_tail):
    """Return the error allowed in the log of a tail."""
    beyond = np.maximum(RELATIVE_TAIL, RELATIVE_LOG_TAIL * np.abs(log_tail))
    return np.where(log_tail < LOG_TINY, beyond, RELATIVE_TAIL)


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
    found = np.exp(logs(name)[f"log{tail}"])
    error = np.abs(found - column(name, "points", tail))
    assert (error <= absolute(name)).all(), error.max()


@every_distribution
def test_small_upper_tail(name):
    """The relative error of a tail below one half, and of its log past the range of doubles."""
    assert_same_small_tail(name, "ccdf")


@every_distribution
def test_small_lower_tail(name):
    """The same on the other side."""
    assert_same_small_tail(name, "cdf")


def assert_same_small_tail(name, tail):
    """Compare tails as far as they are below one half."""
    expected = column(name, "points", f"log_{tail}")
    below = (expected < np.log(0.5)) & (absolute(name) < ABSOLUTE_BESIDE_CORNER)
    error = np.abs(logs(name)[f"log{tail}"] - expected)[below]
    assert (error <= log_tail_bound(expected[below])).all(), error.max()


@every_distribution
def test_density(name):
    """The relative error of the density, where the reference has one."""
    expected = column(name, "points", "pdf")
    # Below the normal numbers a double has too few digits to be judged by them.
    known = (expected > np.finfo(float).tiny) & ~beside_corner(name)
    found = np.exp(logs(name)["logpdf"])
    # No better than the tail that it is the derivative of.
    np.testing.assert_allclose(found[known], expected[known], rtol=RELATIVE_TAIL, atol=0)


def beside_corner(name):
    """Whether a point is within a rounding of a corner where the density may be infinite."""
    record, x = RECORDS[name], column(name, "points", "x")
    if min(record["a"] + record["b"]) >= 0.5 or len(record["a"]) > 4:
        return np.zeros(x.shape, dtype=bool)
    weights = record["weights"] or [1 / len(record["a"])] * len(record["a"])
    corners = np.array([sum(chosen) for chosen in product(*((0.0, w) for w in weights))])
    return (np.abs(x[:, np.newaxis] - corners) < 4 * np.finfo(float).eps).any(axis=1)


@every_distribution
def test_quantile(name):
    """The error of a quantile is the rounding of x, or is worth 1e-10 of the smaller tail."""
    x, density = quantiles(name)
    entries = RECORDS[name]["quantiles"]
    error = [distance_to_quantile(name, *pair) for pair in zip(x, entries, strict=True)]
    with np.errstate(divide="ignore"):
        allowed = (
            SPACINGS[small_prior(name)] * np.spacing(np.abs(x)) + quantile_bound(name) / density
        )
    assert (np.array(error) <= allowed).all(), (error / allowed).max()


def distance_to_quantile(name, x, entry):
    """Return how far x is from a quantile, exactly, by its distance to the nearer end."""
    weights = RECORDS[name]["weights"] or [1.0]
    low, high = (sum(Fraction(sign * max(sign * w, 0.0)) for w in weights) for sign in (-1, 1))
    gaps = [Fraction(entry["lower_gap"]), Fraction(entry["upper_gap"])]
    place = low + gaps[0] if gaps[0] < gaps[1] else high - gaps[1]
    return float(abs(Fraction(float(x)) - place))


@every_distribution
def test_quantile_has_its_probability(name):
    """The smaller tail at a quantile, but for the rounding of x."""
    p, (x, density) = column(name, "quantiles", "p"), quantiles(name)
    low = p < 0.5
    tail = np.concatenate([distribution(name).cdf(x[low]), distribution(name).ccdf(x[~low])])
    error = np.abs(tail - np.concatenate([p[low], 1 - p[~low]]))
    rounding = SPACINGS[small_prior(name)] * density * np.spacing(np.abs(x))
    worth = quantile_bound(name) + rounding
    assert (error <= np.concatenate([worth[low], worth[~low]])).all(), error.max()


@every_distribution
@pytest.mark.parametrize("moment", ["mean", "variance", "skewness", "kurtosis"])
def test_moments(name, moment):
    """The closed forms. Near zero, where terms of either sign meet, the error is absolute."""
    expected = float(RECORDS[name][moment])
    found = getattr(distribution(name), moment)()
    floor = MOMENTS if moment in ("skewness", "kurtosis") else 0.0
    assert found == pytest.approx(expected, rel=MOMENTS, abs=floor)
