"""Two systems that a judge rated on the same items, with the outcomes of some."""

import numpy as np
import pandas as pd
import pytest

from skpostbac import compare_outcomes, posterior_prevalence
from skpostbac.stats._beta_blend import blend_moments
from tests.texts import sentences

N_DRAWS = 20_000
# Standard errors of ends of intervals are about .001.
ERROR = 0.005


def simulated(n=600, accuracy=0.85, seed=0):
    """Return truth and verdicts on two systems, shape (2, n)."""
    rng = np.random.default_rng(seed)
    truth = rng.random((2, n)) < np.array([[0.6], [0.7]])
    return truth, truth == (rng.random((2, n)) < accuracy)


TRUTH, VERDICTS = simulated()
IS_GOLD = np.arange(TRUTH.shape[1]) % 4 == 0


def named(values):
    return dict(zip("ab", values, strict=True))


def compare(truth=TRUTH, verdicts=VERDICTS, is_gold=IS_GOLD, **options):
    outcomes = np.where(is_gold, truth, np.nan)
    return compare_outcomes(
        named(outcomes), verdicts=named(verdicts), n_draws=N_DRAWS, **options
    )


def ends(comparison):
    return comparison.difference_interval("b", "a")


def test_all_gold_is_the_comparison_without_verdicts():
    """For any judge, and so is a judge who says the same of all items."""
    expected = ends(compare_outcomes(named(TRUTH)))
    every = np.ones_like(IS_GOLD)
    assert ends(compare(is_gold=every)) == pytest.approx(expected, abs=ERROR)
    expected = ends(compare_outcomes(named(TRUTH[:, IS_GOLD])))
    constant = np.ones_like(VERDICTS)
    assert ends(compare(verdicts=constant)) == pytest.approx(expected, abs=ERROR)


def test_exact_moments_of_the_difference():
    """Of independent Dirichlet variables, with the prior of the 16 cells in full."""
    patterns = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
    value = patterns[:, 1] - patterns[:, 0]
    alpha, cells = np.empty(4), np.empty((4, 4))
    for v, verdict in enumerate(patterns):
        is_judged = (verdict == VERDICTS.T).all(axis=1)
        for t, truth in enumerate(patterns):
            wrong = (verdict != truth).sum()
            prior = (0, 0.5, 0.5, 0)[t] * 0.8**wrong * 0.2 ** (2 - wrong)
            is_true = (truth == TRUTH.T).all(axis=1)
            cells[v, t] = prior + (is_judged & is_true & IS_GOLD).sum()
        prior = sum(
            0.5 * 0.8 ** (w := (verdict != t).sum()) * 0.2 ** (2 - w)
            for t in patterns[1:3]
        )
        alpha[v] = is_judged.sum() + prior
    shares, total = cells / cells.sum(axis=1, keepdims=True), alpha.sum()
    first = shares @ value
    spread = (shares @ value**2 - first**2) / (cells.sum(axis=1) + 1)
    q = alpha / total
    covariance = (np.diag(q) - np.outer(q, q)) / (total + 1)
    variance = first @ covariance @ first + (q**2 + np.diag(covariance)) @ spread
    found = compare().difference("b", "a")
    assert found.mean() == pytest.approx(q @ first, abs=5 * np.sqrt(variance / N_DRAWS))
    assert found.standard_deviation() == pytest.approx(np.sqrt(variance), rel=0.02)


def test_the_judge_narrows_the_interval():
    """As much as it is good."""
    alone = np.diff(ends(compare_outcomes(named(TRUTH[:, IS_GOLD]))))
    widths = [
        np.diff(ends(compare(*simulated(accuracy=accuracy))))
        for accuracy in (0.99, 0.9, 0.75)
    ]
    assert widths[0] < 0.75 * alone
    assert widths[0] < widths[1] < widths[2] < alone * 1.05


def one_system(truth, verdict, is_gold):
    gold = np.zeros((2, 2))
    np.add.at(gold, (truth[is_gold] * 1, verdict[is_gold] * 1), 1)
    return posterior_prevalence(verdict.sum(), verdict.size, gold=gold)


def test_accuracies_are_close_to_those_of_one_system():
    """Which has strata of its own verdicts, not of pairs."""
    comparison = compare()
    for posterior, truth, verdict in zip(
        comparison.posteriors, TRUTH, VERDICTS, strict=True
    ):
        one = one_system(truth, verdict, IS_GOLD)
        assert posterior.mean() == pytest.approx(one.mean(), abs=0.01)
        assert posterior.credible_interval() == pytest.approx(
            one.credible_interval(), abs=0.02
        )


def test_what_the_judge_was_worth():
    """Nothing if it says the same of all; variances go with the number of gold items."""
    assert compare(verdicts=np.ones_like(VERDICTS)).joint.judge_worth < 5
    every = np.ones_like(IS_GOLD)
    assert compare(is_gold=every).joint.judge_worth == 0
    judged = compare()
    n = IS_GOLD.sum() + judged.joint.judge_worth
    assert 1.2 * IS_GOLD.sum() < n < IS_GOLD.size
    alone = compare_outcomes(named(TRUTH[:, IS_GOLD])).difference("b", "a").variance()
    found = judged.difference("b", "a").variance()
    assert n * found == pytest.approx(IS_GOLD.sum() * alone, rel=0.1)


def test_verdicts_on_both_systems_are_better_than_on_each():
    """Systems that mostly agree: the difference has a smaller error than of one by one."""
    rng = np.random.default_rng(0)
    patterns = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], bool)
    errors = []
    for _ in range(100):
        truth = patterns[rng.choice(4, 400, p=[0.70, 0.02, 0.06, 0.22])].T
        verdicts = truth == (rng.random(truth.shape) < 0.85)
        is_gold = rng.permutation(400) < 100
        comparison = compare_outcomes(
            named(np.where(is_gold, truth, np.nan)),
            verdicts=named(verdicts),
            n_draws=1000,
        )
        # Means are those of the distributions, which take longer.
        first, second = (
            blend_moments(*one._parameters(one.gold))[0]
            for one in map(one_system, truth, verdicts, [is_gold] * 2)
        )
        together = comparison.difference("b", "a").mean()
        errors.append(np.array([together, second - first]) - 0.04)
    together, one_by_one = np.sqrt(np.mean(np.square(errors), axis=0))
    assert together < 0.9 * one_by_one
    assert np.abs(np.mean(errors, axis=0)).max() < 0.01


def test_systems_may_be_exchanged():
    """The difference changes its sign."""
    low, high = ends(compare())
    other = compare(TRUTH[::-1], VERDICTS[::-1])
    assert ends(other) == pytest.approx((-high, -low), abs=ERROR)


def test_groups_of_one_item_and_repeated_items():
    """Single items are as without groups; items that are there four times count once."""
    expected = ends(compare())
    n = IS_GOLD.size
    assert ends(compare(groups=np.arange(n))) == pytest.approx(expected, abs=ERROR)
    four = (np.repeat(one, 4, axis=-1) for one in (TRUTH, VERDICTS, IS_GOLD))
    repeated = ends(compare(*four, groups=np.repeat(np.arange(n), 4)))
    assert np.diff(repeated) == pytest.approx(np.diff(expected), rel=0.05)


def test_blocks_of_draws_are_all_used():
    """With so many different groups there are several blocks."""
    truth, verdicts = simulated(6000)
    groups = np.random.default_rng(0).integers(0, 1500, 6000)
    is_gold = np.arange(6000) % 4 == 0
    comparison = compare(truth, verdicts, is_gold, groups=groups)
    assert len(comparison.difference("b", "a").draws) == N_DRAWS
    assert "6000 items from" in comparison.explanation


def test_the_report_says_what_is_known():
    """Of how many items, and that a judge rated them."""
    said = sentences(compare())
    assert (
        "Paired comparison: a judge rated both systems on the same 600 items, and the "
        "outcomes of 150 are known."
    ) in said
    worth = compare().joint.judge_worth
    assert (
        f"By these, the judge was worth about {worth:.0f} more such items for the "
        "difference."
    ) in said
    assert "The accuracy is the share of items that are right." in said


def test_unlabelled_verdicts_are_an_error():
    """It says which ones, and how many to label."""
    is_other = VERDICTS[0] & ~VERDICTS[1]
    n = is_other.sum()
    share = (IS_GOLD & ~is_other).sum() / (~is_other).sum()
    least = int(np.ceil(share * n))
    with pytest.raises(
        ValueError,
        match=rf"none of the {n} .* \{{'a': 1, 'b': 0\}} is gold: label at least {least} ",
    ):
        compare(is_gold=IS_GOLD & ~is_other)
    with pytest.raises(ValueError, match=r"none of the \d+ .* is gold"):
        compare(is_gold=np.zeros_like(IS_GOLD))


@pytest.mark.parametrize("unknown", [None, pd.NA], ids=str)
def test_unknown_outcomes_are_none_or_na_too(unknown):
    """As in JSON, and in a nullable column of pandas."""
    rows = np.where(IS_GOLD, TRUTH.astype(object), unknown)
    options = {"verdicts": named(VERDICTS), "n_draws": N_DRAWS}
    of_lists = compare_outcomes(named(rows.tolist()), **options)
    assert ends(of_lists) == ends(compare())
    table = pd.DataFrame(named(rows), dtype="boolean")
    assert ends(compare_outcomes(table, **options)) == ends(compare())


def test_no_confidence_sequence():
    """The error says what was compared, which are accuracies, but by a judge."""
    with pytest.raises(ValueError, match="this compares PosteriorJudgedAccuracy"):
        compare().confidence_sequence("a", "b")


@pytest.mark.parametrize(
    ("outcomes", "changed", "match"),
    [
        (
            {"a": [1, 0], "b": [1, np.nan]},
            {},
            r"outcomes\['a'\] has 1 that are known where the other's are unknown",
        ),
        ({"a": [1, 0], "b": [1, 0, 1]}, {}, r"outcomes\['b'\] must have all 2 items"),
        ({"a": [1, 2], "b": [1, 0]}, {}, "True or 1 for what is right"),
        ({"a": [1, 0], "c": [1, 0]}, {}, "the same two systems"),
        ({"a": [1, 0], "b": [1, 0], "c": [1, 0]}, {}, "the same two systems"),
        ({"a": [1, 0], "b": [1, 0]}, {"sample_weight": [1, 2]}, "sample_weight cannot"),
    ],
)
def test_errors(outcomes, changed, match):
    """They name what is wrong."""
    verdicts = {"a": [1, 0], "b": [1, 0]}
    with pytest.raises(ValueError, match=match):
        compare_outcomes(outcomes, verdicts=verdicts, **changed)
