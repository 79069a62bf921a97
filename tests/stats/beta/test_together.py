"""One question to many distributions of several kinds."""

import numpy as np

from skpostbac.stats import BetaAverage, PairedDifference
from skpostbac.stats._beta import evaluate_all

DISTRIBUTIONS = [
    BetaAverage([31, 9, 4], [3, 3, 2]),
    PairedDifference([[30, 4, 7, 3]]),
    BetaAverage([31, 9], [3, 3]),
    BetaAverage([31, 3, 2], [3, 9, 4], weights=[0.5, -1, 0.2]),
    BetaAverage([31, 3, 2], [3, 9, 4]),
    BetaAverage([21, 5], [8, 3]) - BetaAverage([9], [2]),
    BetaAverage([33, 10, 5], [1, 2, 1], weights=[0.2, 0.3, 0.5]),
]


def test_answers_are_those_of_one_by_one():
    """Numbers and pairs, in the order of the distributions."""
    for question in (
        lambda one: one.iccdf(0.95),
        lambda one: one.cdf(0.1),
        lambda one: one.hdi(0.9),
    ):
        expected = [question(one) for one in DISTRIBUTIONS]
        found = evaluate_all(DISTRIBUTIONS, question)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_only_those_alone_are_watched():
    """Of other kinds, or the only ones of their number of variables and kind of weights."""
    seen = []
    evaluate_all(DISTRIBUTIONS, lambda one: one.mean(), lambda rows: seen.extend(rows) or rows)
    assert seen == [1, 2]


def test_no_distributions():
    """Nothing in, nothing out."""
    assert evaluate_all([], lambda one: one.mean()).shape == (0,)


def test_one_that_stands_for_several_is_asked_once():
    """Groups of the same counts share one distribution."""
    asked, one = [], PairedDifference([[3, 1, 0, 2]])

    def question(distribution):
        asked.append(distribution)
        return distribution.mean()

    assert np.ptp(evaluate_all([one, one, one], question)) == 0
    assert len(asked) == 1
