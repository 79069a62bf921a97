"""A share that an imperfect judge has measured, against draws and limits."""

import numpy as np
import pytest

from skpostbac import posterior_prevalence
from skpostbac.metrics import JudgeWarning
from skpostbac.stats import BetaAverage

JUDGE = {"sensitivity": (27, 30), "specificity": (24, 30)}
N = 400_000


def draws(positives, total, rng, prior=0.5):
    """Return draws of p, q0 and q1 of the judge above."""
    counts = [(positives, total), JUDGE["specificity"], JUDGE["sensitivity"]]
    return [rng.beta(prior + k, prior + n - k, N) for k, n in counts]


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.JudgeWarning")
@pytest.mark.parametrize(
    ("positives", "prior"),
    [(30, "reciprocal"), (130, "reciprocal"), (195, "reciprocal"), (130, "uniform")],
)
def test_draws_of_the_share_agree(positives, prior):
    """(p + q0 - 1) / (q0 + q1 - 1), of which what lies outside [0, 1] is left out."""
    p, q0, q1 = draws(positives, 200, np.random.default_rng(0), 1 if prior == "uniform" else 0.5)
    share = (p + q0 - 1) / (q0 + q1 - 1)
    found = posterior_prevalence(positives, 200, prior=prior, **JUDGE)
    assert found.prob_below_zero == pytest.approx((share < 0).mean(), abs=0.004)
    assert found.prob_above_one == pytest.approx((share > 1).mean(), abs=0.004)
    inside = share[(share >= 0) & (share <= 1)]
    error = inside.std() / np.sqrt(inside.size)
    assert found.mean() == pytest.approx(inside.mean(), abs=5 * error)
    assert found.standard_deviation() == pytest.approx(inside.std(), rel=5 / np.sqrt(inside.size))
    shares = [(inside <= x).mean() for x in found.icdf([0.025, 0.5, 0.975])]
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
    assert found.cdf(t) == pytest.approx(expected, abs=1e-9)


def test_a_judge_without_errors_measures_the_share_itself():
    """With a million flawless gold samples the share is that of the calls."""
    found = posterior_prevalence(130, 200, sensitivity=(1e6, 1e6), specificity=(1e6, 1e6))
    beta = BetaAverage([130.5], [70.5])
    x = [0.55, 0.65, 0.75]
    assert found.cdf(x) == pytest.approx(beta.cdf(x), abs=1e-4)
    assert found.judge_informedness.mean() == pytest.approx(1, abs=2e-6)


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
    assert found.variance() < one.variance() + two.variance()
    assert two.difference(one).prob_above(0) == pytest.approx(1 - found.prob_above(0), abs=error)


def test_a_judge_who_may_guess_leaves_the_share_open():
    """Symmetric calls of a symmetric judge: the mean is 1/2, and nearly all shares are possible."""
    with pytest.warns(JudgeWarning, match="no better"):
        found = posterior_prevalence(100, 200, sensitivity=(5, 10), specificity=(5, 10))
    assert found.mean() == pytest.approx(0.5, abs=0.005)
    low, high = found.credible_interval(method="central")
    assert low < 0.06
    assert high > 0.94
    assert 0 <= found.prob_below_zero + found.prob_above_one <= 1
    assert (np.diff(found.cdf(np.linspace(0, 1, 21))) >= 0).all()


@pytest.mark.slow
def test_no_positive_call_of_a_flawless_judge_is_no_contradiction():
    """It is what such a judge says where there are none."""
    found = posterior_prevalence(0, 200, sensitivity=(50, 50), specificity=(50, 50))
    assert found.credible_interval().high < 0.03


def test_a_judge_who_guesses_is_told():
    """The warning says how probable that is."""
    with pytest.warns(JudgeWarning, match=r"with probability 0\.\d+ the judge is no better"):
        found = posterior_prevalence(11, 20, sensitivity=(6, 10), specificity=(6, 10))
    low, high = found.credible_interval()
    assert high - low > 0.8


def test_calls_that_contradict_the_judge_are_told():
    """More calls than a judge of this sensitivity makes of positives alone."""
    with pytest.warns(JudgeWarning, match="contradict"):
        found = posterior_prevalence(199, 200, sensitivity=(24, 30), specificity=(24, 30))
    assert found.prob_above_one > 0.9


def test_values_far_outside_have_probability_0_or_1():
    """Without a warning of an overflow."""
    posterior = posterior_prevalence(130, 200, **JUDGE)
    found = posterior.prob_above([1e308, -1e308, np.inf])
    assert found == pytest.approx([0, 1, 0], abs=1e-15)


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        pytest.param({"sensitivity": (3, 2)}, "sensitivity must be a count", id="more hits"),
        pytest.param({"specificity": (0, 0)}, "specificity must be a count", id="no gold"),
        pytest.param(
            {"specificity": 0.9}, r"specificity must be a count .* got 0\.9$", id="a rate"
        ),
        pytest.param({"sensitivity": (np.nan, 3)}, "sensitivity must be a count", id="nan"),
        pytest.param({"positives": -1}, "positives and total must be a count", id="negative"),
        pytest.param({"total": 10}, "positives and total must be a count", id="small total"),
        pytest.param({"total": 1e16}, "prior and total must add up", id="large total"),
        pytest.param({"specificity": (1, 1e16)}, "prior and specificity must", id="large gold"),
        pytest.param({"prior": "hierarchical"}, "prior must be independent", id="hierarchical"),
        pytest.param({"prior": "none"}, "prior must be one of", id="unknown"),
    ],
)
def test_arguments_are_checked(changed, match):
    """The message names the argument."""
    arguments = {"positives": 13, "total": 20, **JUDGE, **changed}
    with pytest.raises(ValueError, match=match):
        posterior_prevalence(arguments.pop("positives"), arguments.pop("total"), **arguments)


def test_differences_need_the_same_judge():
    """Another judge, and what is no share, are refused."""
    one = posterior_prevalence(13, 20, **JUDGE)
    with pytest.raises(ValueError, match="other must have the same judge"):
        one.difference(posterior_prevalence(13, 20, sensitivity=(9, 10), specificity=(9, 10)))
    with pytest.raises(TypeError, match="other must be a PosteriorPrevalence"):
        one.difference(0.5)


@pytest.mark.parametrize(
    ("positives", "total", "sensitivity", "specificity", "match"),
    [
        pytest.param(0, 2000, (500, 500), (250, 500), "positives: 0 of 2000", id="too few calls"),
        pytest.param(2000, 2000, (50, 100), (90, 100), "positives: 2000 of", id="too many calls"),
        pytest.param(100, 200, (5, 50), (5, 50), "worse than guessing", id="labels exchanged"),
    ],
)
def test_what_no_share_goes_with_is_refused(positives, total, sensitivity, specificity, match):
    """At once, and not as a nan or an error about draws later."""
    with pytest.raises(ValueError, match=match):
        posterior_prevalence(positives, total, sensitivity=sensitivity, specificity=specificity)


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.JudgeWarning")
def test_a_difference_of_impossible_shares_is_refused():
    """Each of them is just possible, and both together are not."""
    one = posterior_prevalence(199, 200, sensitivity=(24, 30), specificity=(24, 30))
    with pytest.raises(ValueError, match="positives of both shares contradict"):
        one.difference(one).mean()
