"""A share that an imperfect judge has measured, against draws and limits."""

import numpy as np
import pytest

from skpostbac import posterior_prevalence
from skpostbac.metrics import JudgeWarning
from skpostbac.stats import BetaAverage
from tests.texts import sentences

JUDGE = {"sensitivity": (27, 30), "specificity": (24, 30)}
N = 400_000


def draws(positives, total, rng, prior=0.5):
    """Return draws of p, q0 and q1 of the judge above."""
    counts = [(positives, total), JUDGE["specificity"], JUDGE["sensitivity"]]
    return [rng.beta(prior + k, prior + n - k, N) for k, n in counts]


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.JudgeWarning")
@pytest.mark.parametrize(
    ("positives", "prior"),
    [(30, "calibrated"), (130, "calibrated"), (195, "calibrated"), (130, "uniform")],
)
def test_draws_of_the_share_agree(positives, prior):
    """(p + q0 - 1) / (q0 + q1 - 1), of which what lies outside [0, 1] is left out."""
    p, q0, q1 = draws(
        positives, 200, np.random.default_rng(0), 1 if prior == "uniform" else 0.5
    )
    share = (p + q0 - 1) / (q0 + q1 - 1)
    found = posterior_prevalence(positives, 200, prior=prior, **JUDGE)
    assert found.prob_below_zero == pytest.approx((share < 0).mean(), abs=0.004)
    assert found.prob_above_one == pytest.approx((share > 1).mean(), abs=0.004)
    inside = share[(share >= 0) & (share <= 1)]
    error = inside.std() / np.sqrt(inside.size)
    assert found.mean() == pytest.approx(inside.mean(), abs=5 * error)
    assert found.standard_deviation() == pytest.approx(
        inside.std(), rel=5 / np.sqrt(inside.size)
    )
    shares = [
        (inside <= x).mean() for x in found.distribution.icdf([0.025, 0.5, 0.975])
    ]
    # Five standard errors of the median.
    assert shares == pytest.approx([0.025, 0.5, 0.975], abs=2.5 / np.sqrt(inside.size))


def test_the_distribution_function_is_that_of_a_weighted_sum():
    """At a point, by the engine: the Betas of p, q0 and q1 with the weights 1, 1 - t and -t."""
    found = posterior_prevalence(130, 200, **JUDGE)
    a, b = [130.5, 24.5, 27.5], [70.5, 6.5, 3.5]

    def cdf(t):
        return BetaAverage(a, b, weights=[1, 1 - t, -t]).cdf(1 - t)

    t = 0.57
    expected = (cdf(t) - cdf(0.0)) / (cdf(1.0) - cdf(0.0))
    assert found.distribution.cdf(t) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("calls", [(150, 130), (195, 185)])
@pytest.mark.filterwarnings("ignore::skpostbac.metrics.JudgeWarning")
def test_differences_share_the_judge(calls):
    """Against draws in which both shares are in [0, 1]; and narrower than of two judges."""
    rng = np.random.default_rng(1)
    p, q0, q1 = draws(calls[0], 200, rng)
    other = draws(calls[1], 200, rng)[0]
    shares = (np.array([p, other]) + q0 - 1) / (q0 + q1 - 1)
    inside = ((shares >= 0) & (shares <= 1)).all(axis=0)
    drawn = -np.diff(shares[:, inside], axis=0)[0]
    one, two = (posterior_prevalence(k, 200, **JUDGE) for k in calls)
    found = one.difference(two)
    error = 5 / np.sqrt(drawn.size)
    assert found.mean() == pytest.approx(drawn.mean(), abs=2 * error * drawn.std())
    assert found.prob_above(0) == pytest.approx((drawn > 0).mean(), abs=error)
    assert (
        found.distribution.variance()
        < one.distribution.variance() + two.distribution.variance()
    )
    assert two.difference(one).prob_above(0) == pytest.approx(
        1 - found.prob_above(0), abs=error
    )


def test_views_of_a_difference_say_that_the_judge_errs_equally():
    """It is off by the share times the gap of the sensitivities over the informedness otherwise."""
    judge = {"sensitivity": (9000, 10_000), "specificity": (8000, 10_000)}
    # Of both systems .7 are positive; the judge recognises .95 of one's and .85 of the other's.
    one, two = (posterior_prevalence(k, 10_000, **judge) for k in (7250, 6550))
    difference = one.difference(two)
    assert difference.mean() == pytest.approx(0.7 * 0.1 / 0.7, abs=0.002)
    said = "the judge has the same sensitivity and specificity on both."
    assert said in sentences(difference)
    assert said in difference._repr_html_()


def test_a_judge_who_may_guess_leaves_the_share_open():
    """Symmetric calls of a symmetric judge: the mean is 1/2, and nearly all shares are possible."""
    with pytest.warns(JudgeWarning, match="no better"):
        found = posterior_prevalence(100, 200, sensitivity=(5, 10), specificity=(5, 10))
    assert found.mean() == pytest.approx(0.5, abs=0.005)
    low, high = found.credible_interval(method="central")
    assert low < 0.06
    assert high > 0.94
    assert 0 <= found.prob_below_zero + found.prob_above_one <= 1
    assert (np.diff(found.distribution.cdf(np.linspace(0, 1, 21))) >= 0).all()


def test_calls_that_contradict_the_judge_are_told():
    """More calls than a judge of this sensitivity makes of positives alone."""
    with pytest.warns(JudgeWarning, match="contradict"):
        found = posterior_prevalence(
            199, 200, sensitivity=(24, 30), specificity=(24, 30)
        )
    assert found.prob_above_one > 0.9


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.JudgeWarning")
def test_a_difference_of_impossible_shares_is_refused():
    """Each of them is just possible, and both together are not."""
    one = posterior_prevalence(199, 200, sensitivity=(24, 30), specificity=(24, 30))
    with pytest.raises(ValueError, match="positives of both shares contradict"):
        one.difference(one).mean()
