"""Comparison by right and wrong answers."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

from skpostbac import PosteriorAccuracy, compare_outcomes, compare_predictions
from skpostbac.metrics import GroupsWarning

RNG = np.random.default_rng(0)
ITEM = np.repeat(np.arange(60), 3)
EASE = RNG.normal(size=60)[ITEM]
RIGHT = {
    name: EASE + RNG.normal(size=180) < skill
    for name, skill in {"old": 0.2, "new": 0.6, "mini": 0.1}.items()
}
PAIR = {name: RIGHT[name] for name in ("old", "new")}


def test_probability_is_that_of_the_discordant_items():
    """The share of items that only one system gets right, of those that one does, is Beta."""
    only_old = np.sum(RIGHT["old"] & ~RIGHT["new"])
    only_new = np.sum(RIGHT["new"] & ~RIGHT["old"])
    expected = stats.beta(only_new + 1, only_old + 1).sf(0.5)
    found = compare_outcomes(PAIR).prob_greater("new", "old")
    assert found == pytest.approx(expected, rel=1e-9)


def test_accuracy_of_one_system():
    """It has the posterior of a binomial proportion under Jeffreys' prior."""
    posterior = PosteriorAccuracy.from_outcomes(RIGHT["old"])
    n_right = RIGHT["old"].sum()
    expected = stats.beta(n_right + 0.5, 180 - n_right + 0.5)
    assert posterior.mean() == pytest.approx(expected.mean(), rel=1e-12)
    interval = posterior.credible_interval(0.9, method="central")
    assert interval == pytest.approx(expected.ppf([0.05, 0.95]), rel=1e-9)


@pytest.mark.parametrize("groups", [None, ITEM], ids=["items", "runs"])
def test_same_as_predictions_of_one_class(groups):
    """All numbers are those of a truth that is always True, with and without groups."""
    found = compare_outcomes(RIGHT, groups=groups, rope=0.02)
    truth = np.ones(180, dtype=bool)
    expected = compare_predictions(
        truth, RIGHT, metric="accuracy", groups=groups, rope=0.02
    )
    assert found.table("differences") == expected.table("differences")
    assert found.summary() == expected.summary()


@pytest.mark.parametrize("groups", [None, ITEM], ids=["items", "runs"])
def test_probabilities_are_those_of_the_differences(groups):
    """All pairs at once, or one by one, with and without groups."""
    comparison = compare_outcomes(RIGHT, groups=groups)
    for first, second in permutations(RIGHT, 2):
        expected = comparison.difference(first, second).ccdf(0)
        found = comparison.prob_greater(first, second)
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "convert",
    [
        lambda right: {name: values.tolist() for name, values in right.items()},
        lambda right: {name: 1 * values for name, values in right.items()},
        lambda right: {name: 1.0 * values for name, values in right.items()},
        pd.DataFrame,
        pl.DataFrame,
        lambda right: pd.DataFrame(right).astype("boolean"),
        lambda right: pd.DataFrame(right).astype("category"),
        lambda right: pd.DataFrame(right, dtype=object),
    ],
    ids=[
        "lists",
        "0/1",
        "floats",
        "pandas",
        "polars",
        "nullable",
        "category",
        "object",
    ],
)
def test_containers(convert):
    """The same comparison, whatever holds the outcomes."""
    assert compare_outcomes(convert(RIGHT)) == compare_outcomes(RIGHT)


def test_copies_of_an_item_are_one_item():
    """Where all runs of an item agree, they tell hardly more than one of them."""
    first = {name: values[::3] for name, values in PAIR.items()}
    copies = {name: np.repeat(values, 3) for name, values in first.items()}
    low, high = compare_outcomes(first).difference_interval("new", "old")
    found = compare_outcomes(copies, groups=ITEM).difference_interval("new", "old")
    assert found.high - found.low == pytest.approx(high - low, rel=0.05)
    alone = PosteriorAccuracy.from_outcomes(copies["old"], groups=ITEM)
    assert alone.design_effects.effective_size[0] == pytest.approx(60, rel=0.05)


def test_repeated_index():
    """It is hardly one of independent items."""
    frame = pd.DataFrame(PAIR, index=ITEM)
    with pytest.warns(GroupsWarning, match=r"groups=outcomes\['old'\].index"):
        compare_outcomes(frame)
    with pytest.warns(GroupsWarning, match=r"groups=right.index"):
        PosteriorAccuracy.from_outcomes(frame["new"])
    compare_outcomes(frame, groups=frame.index)


def test_weights_count_items():
    """Weights are numbers of items with the same outcomes."""
    patterns = {"old": [1, 1, 0, 0], "new": [1, 0, 1, 0]}
    numbers = [20, 3, 9, 8]
    items = {name: np.repeat(values, numbers) for name, values in patterns.items()}
    assert compare_outcomes(patterns, sample_weight=numbers) == compare_outcomes(items)


@pytest.mark.parametrize("groups", [None, ITEM], ids=["items", "runs"])
def test_report_speaks_of_items(groups):
    """Not of classes or chance, which there are not."""
    comparison = compare_outcomes(RIGHT, groups=groups)
    alone = PosteriorAccuracy.from_outcomes(RIGHT["old"], groups=groups)
    text = f"{comparison.report()} {alone.report()}"
    assert "all systems were tested on the same 180 items" in " ".join(text.split())
    assert "the share of items that are right" in " ".join(text.split())
    assert " on the 180 test items." in " ".join(text.split())
    for word in ("class", "chance", "recall", "balanced"):
        assert word not in text
    assert "items correct" in alone.methods_text()


OTHERS = {
    "a number": [1, 0, 2],
    "a score": [1.0, 0.5, 0.0],
    "words": ["right", "wrong", "right"],
    "missing": [1, None, 0],
    "NaN": [1.0, np.nan, 0.0],
    "too few": [1, 0],
    "none": [],
    "rows": [[1, 0], [0, 1], [1, 1]],
    "one": 1,
}


@pytest.mark.parametrize("values", OTHERS.values(), ids=OTHERS)
def test_what_is_neither_right_nor_wrong(values):
    """One error that names the argument."""
    with pytest.raises((TypeError, ValueError), match=r"outcomes\['b'\]"):
        compare_outcomes({"a": [1, 0, 1], "b": values})


@pytest.mark.parametrize("name", [name for name in OTHERS if name not in ("too few",)])
def test_one_system_that_is_neither_right_nor_wrong(name):
    """One error that names the argument."""
    with pytest.raises((TypeError, ValueError), match=r"\bright\b"):
        PosteriorAccuracy.from_outcomes(OTHERS[name])


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"outcomes": {"a": [1, 0]}}, "outcomes must hold at least two"),
        ({"outcomes": [[1, 0], [0, 1]]}, "outcomes must be a mapping"),
        ({"outcomes": {"a": [1, 0], 2: [0, 1]}}, "names .* must be strings"),
        ({"groups": [1]}, "groups"),
        ({"groups": [1, None]}, "groups contains NaN"),
        ({"sample_weight": [1, -1]}, "sample_weight"),
        ({"rope": 1.5}, "rope"),
        ({"prior": "jeffrey"}, "prior"),
    ],
)
def test_other_arguments(arguments, match):
    """One error that names the argument."""
    outcomes = {"a": [1, 0], "b": [1, 1]}
    with pytest.raises((TypeError, ValueError), match=match):
        compare_outcomes(**{"outcomes": outcomes, **arguments})
