"""The engine against figures of another program, and against exact modes."""

import json
from pathlib import Path

import numpy as np
import pytest

from skpostbac.stats import BetaAverage
from skpostbac.stats._several.order_statistics import rank_probabilities, resolve_jointly

REFERENCE = Path(__file__).parents[2] / "reference"
PRIORS = {"uniform": 1.0, "jeffreys": 0.5}
# The figures have about 12 digits. The modes have fewer.
FIGURES = 1e-9


# A maximum found by comparing densities is good to the root of their rounding.
def read(name):
    """Read a table of reference values."""
    return json.loads((REFERENCE / name).read_text(encoding="utf-8"))


def from_counts(row):
    """Give a row of published counts the form of a row of distributions."""
    prior = PRIORS[row["prior"]]
    wrong = [n - k for k, n in zip(row["correct"], row["total"], strict=True)]
    return row | {
        "a": [k + prior for k in row["correct"]],
        "b": [k + prior for k in wrong],
        "weights": None,
        "q025": row["low"],
        "q975": row["high"],
        "hdi95": row["hdi"],
        "p_at_or_below_chance": row["prob_at_or_below_chance"],
    }


TABLE = read("distributions.json")
ROWS = TABLE["distributions"] + [
    from_counts(row) for row in read("published.json")["distributions"]["rows"]
]
MODES = read("modes.json")


def names(rows):
    """Return the names of rows, as test ids."""
    return [row["name"] for row in rows]


def distribution_of(row):
    """Return the distribution of a row."""
    return BetaAverage(row["a"], row["b"], weights=row.get("weights"))


def having(key):
    """Run a test for the rows that have a figure."""
    rows = [row for row in ROWS if key in row]
    return pytest.mark.parametrize("row", rows, ids=names(rows))


@having("mean")
def test_mean_and_quantiles(row):
    """Mean, median and both ends of the central interval."""
    distribution = distribution_of(row)
    found = [distribution.mean(), distribution.median(), *distribution.interval(0.95)]
    expected = [row[key] for key in ("mean", "median", "q025", "q975")]
    np.testing.assert_allclose(found, expected, rtol=0, atol=FIGURES)


@having("hdi95")
def test_densest_interval(row):
    """As short and as probable as the other one; its ends move freely along a flat top."""
    distribution = distribution_of(row)
    low, high = distribution.hdi(0.95)
    assert high - low == pytest.approx(row["hdi95"][1] - row["hdi95"][0], abs=FIGURES)
    assert distribution.cdf(low, high) == pytest.approx(0.95, abs=1e-12)
    np.testing.assert_allclose((low, high), row["hdi95"], rtol=0, atol=1e-5)


@pytest.mark.parametrize("record", MODES, ids=names(MODES))
def test_mode_is_exact(record):
    """The root of an exact derivative; a slope of rounding moves a root by no more."""
    distribution, exact = distribution_of(record), float(record["mode"])
    if record["name"] == "one_class_empty":
        # The density falls with the sixth power of the distance to its mode.
        assert distribution.pdf(distribution.mode()) == pytest.approx(distribution.pdf(exact))
    else:
        assert distribution.mode() == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(
    "row", TABLE["differences"]["rows"], ids=names(TABLE["differences"]["rows"])
)
def test_difference(row):
    """Mean, quantiles, sign and rope of the difference of two classifiers."""
    first, second = (
        distribution_of(TABLE["classifiers"][row[key]]) for key in ("minuend", "subtrahend")
    )
    difference = first - second
    found = [difference.mean(), *difference.icdf([0.025, 0.5, 0.975])]
    found += [difference.ccdf(0.0), difference.cdf(-0.01, 0.01)]
    expected = [row[key] for key in ("mean", "q025", "median", "q975", "p_gt_0", "rope01")]
    np.testing.assert_allclose(found, expected, rtol=0, atol=FIGURES)


def test_rank_probabilities():
    """The three classifiers, each against the others at once."""
    distributions = [distribution_of(TABLE["classifiers"][name]) for name in ("C1", "C2", "C3")]
    expected = [TABLE["ranks"][name] for name in ("C1", "C2", "C3")]
    found = rank_probabilities(resolve_jointly(distributions))
    np.testing.assert_allclose(found, expected, rtol=0, atol=FIGURES)
