"""A share that a judge has measured, with gold samples among those that were judged."""

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import beta, binom, hypergeom

from skpostbac import PosteriorAccuracy, posterior_prevalence
from skpostbac.stats._beta_blend import beta_blend, blend_moments
from tests.texts import sentences

# Negatives called negative and positive, positives called negative and positive.
GOLD = [[24, 6], [3, 27]]
CASES = {
    "ordinary": (130, 200, GOLD),
    "no errors": (120, 300, [[15, 0], [0, 15]]),
    "no errors, few gold": (2000, 5000, [[5, 0], [0, 5]]),
    "uninformative": (500, 1000, [[25, 25], [25, 25]]),
    "worse than guessing": (100, 200, [[2, 30], [29, 3]]),
    "few": (7, 12, [[2, 0], [1, 2]]),
    "many": (10_000, 100_000, [[180, 4], [3, 13]]),
    "none called positive": (0, 200, [[40, 0], [3, 0]]),
}


def betas(positives, total, gold):
    """Return parameters of Q, P and F by the formulas of the guide."""
    (tn, fp), (fn, tp) = gold
    q = positives + 0.5, total - positives + 0.5
    return q, (tp + 0.1, fp + 0.4), (fn + 0.4, tn + 0.1)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_draws_agree(case):
    """theta = Q P + (1 - Q) F, of independent Betas."""
    rng = np.random.default_rng(0)
    q, p, f = (rng.beta(*one, 400_000) for one in betas(*case))
    draws = np.sort(q * p + (1 - q) * f)
    found = posterior_prevalence(*case[:2], gold=case[2])
    error = draws.std() / np.sqrt(draws.size)
    assert found.mean() == pytest.approx(draws.mean(), abs=5 * error)
    assert found.standard_deviation() == pytest.approx(draws.std(), rel=0.01)
    levels = np.linspace(0.005, 0.995, 199)
    # Kolmogorov's statistic exceeds 2 / sqrt(n) with a probability of 0.0007.
    at_quantiles = found.distribution.cdf(np.quantile(draws, levels))
    assert np.abs(at_quantiles - levels).max() < 3.2e-3


@pytest.mark.parametrize("name", ["ordinary", "few", "no errors"])
def test_an_independent_rule_agrees(name):
    """The midpoint rule over quantiles of P and F."""
    q, p, f = betas(*CASES[name])
    found = posterior_prevalence(*CASES[name][:2], gold=CASES[name][2])
    z = found.mean() + 0.7 * found.standard_deviation()
    u = (np.arange(400) + 0.5) / 400
    x, y = beta.ppf(u, *p)[:, np.newaxis], beta.ppf(u, *f)
    share = np.clip((z - y) / (x - y), 0, 1)
    below = betainc(*q, share)
    below = np.where(x > y, below, 1 - below)
    assert found.distribution.cdf(z) == pytest.approx(below.mean(), abs=5e-4)


def test_moments_are_those_of_the_distribution():
    """Means and variances in closed form, and by the panels."""
    parameters = np.array(betas(*CASES["ordinary"]))
    mean, variance = blend_moments(*parameters)
    found = beta_blend(*parameters)
    assert found.mean() == pytest.approx(mean, abs=1e-7)
    assert found.variance() == pytest.approx(variance, rel=1e-5)


@pytest.mark.parametrize("gold", [[[30, 5], [8, 57]], [[40, 0], [0, 60]]])
@pytest.mark.parametrize("prior", ["calibrated", "uniform", (2, 3)])
def test_all_gold_is_the_accuracy(gold, prior):
    """Verdicts tell nothing beside the truth of all samples."""
    positives, n_true = np.sum(gold, axis=0)[1], np.sum(gold, axis=1)[1]
    found = posterior_prevalence(positives, 100, gold=gold, prior=prior)
    name = "jeffreys" if prior == "calibrated" else prior
    alone = PosteriorAccuracy.from_counts([n_true], [100], prior=name)
    z = np.linspace(0.3, 0.9, 31)
    assert found.distribution.cdf(z) == pytest.approx(
        alone.distribution.cdf(z), abs=1e-6
    )
    assert found.judge_worth == pytest.approx(0, abs=1e-6)


def test_an_uninformative_judge_adds_nothing():
    """Verdicts by the toss of a coin; the prior of two shares costs less than two samples."""
    found = posterior_prevalence(50_000, 100_000, gold=[[60, 60], [90, 90]])
    alone = PosteriorAccuracy.from_counts([180], [300])
    assert found.judge_worth == pytest.approx(0, abs=2)
    assert found.credible_interval() == pytest.approx(
        alone.credible_interval(), abs=0.002
    )


def test_a_judge_without_errors_is_worth_what_it_judged():
    """The more gold samples confirm it, the closer to all of the samples."""
    worth = [
        posterior_prevalence(500, 1000, gold=[[n, 0], [0, n]]).judge_worth + 2 * n
        for n in (5, 50, 400)
    ]
    assert np.all(np.diff(worth) > 0)
    assert 900 < worth[-1] < 1000


@pytest.mark.parametrize("case", [CASES["ordinary"], CASES["no errors"]])
def test_positives_may_be_called_negatives(case):
    """With both labels exchanged, the share is one minus the share."""
    positives, total, gold = case
    found = posterior_prevalence(positives, total, gold=gold)
    other = posterior_prevalence(
        total - positives, total, gold=np.array(gold)[::-1, ::-1]
    )
    low, high = other.credible_interval()
    assert found.credible_interval() == pytest.approx((1 - high, 1 - low), abs=1e-5)
    assert found.judge_worth == pytest.approx(other.judge_worth)


def test_gold_of_one_verdict_tells_nothing_of_the_other():
    """Rates of labelling may depend on the verdict: P and F are independent."""
    few, many = (
        posterior_prevalence(130, 200, gold=[[24, k], [3, 9 * k]]) for k in (2, 10)
    )
    assert few.predictive_values[1] == many.predictive_values[1]
    assert few.standard_deviation() > many.standard_deviation()


def coverage(share, sensitivity, specificity, n, n_gold):
    """Return how often 95 % intervals hold the share: over all outcomes, by their probability.

    Gold samples are a random part of the samples. Sets without an estimate are left out.
    """
    called = share * sensitivity + (1 - share) * (1 - specificity)
    ppv, missed = share * sensitivity / called, share * (1 - sensitivity) / (1 - called)
    held = total = 0.0
    for positives in range(n + 1):
        for labelled in range(
            max(0, n_gold - n + positives), min(n_gold, positives) + 1
        ):
            weight = binom.pmf(positives, n, called)
            weight *= hypergeom.pmf(labelled, n, positives, n_gold)
            others = n_gold - labelled
            is_missing = (positives > 0 == labelled) or (n > positives and not others)
            if is_missing:
                continue
            tp, fn = np.arange(labelled + 1)[:, np.newaxis], np.arange(others + 1)
            chance = binom.pmf(tp, labelled, ppv) * binom.pmf(fn, others, missed)
            q, p, f = betas(positives, n, [[others - fn, labelled - tp], [fn, tp]])
            mean, variance = blend_moments(
                np.array(q), np.stack(p, axis=-1), np.stack(f, axis=-1)
            )
            size = mean * (1 - mean) / variance - 1
            tail = beta.cdf(share, mean * size, (1 - mean) * size)
            held += weight * (chance * ((tail > 0.025) & (tail < 0.975))).sum()
            total += weight
    return held / total


@pytest.mark.parametrize(
    ("share", "sensitivity", "specificity"),
    [(0.6, 0.9, 0.8), (0.7, 0.95, 0.95), (0.5, 0.6, 0.6)],
)
def test_intervals_hold_the_share(share, sensitivity, specificity):
    """All outcomes of 40 samples, 12 of them gold, by Betas of the same mean and variance."""
    assert 0.9 < coverage(share, sensitivity, specificity, 40, 12) <= 1


@pytest.mark.parametrize("width", [0.15, 0.1, 0.06])
def test_a_plan_reaches_its_width(width):
    """With as many gold samples as planned, and what the pilot says, the interval is so wide."""
    pilot = posterior_prevalence(1300, 2000, gold=[[48, 12], [6, 54]])
    size = pilot.required_gold(width)
    gold = np.rint(np.array([[0.28, 0.122], [0.07, 0.528]]) * size)
    low, high = posterior_prevalence(1300, 2000, gold=gold).credible_interval()
    # An assurance of .8 takes some more than the expected width.
    assert 0.8 * width < high - low <= 1.03 * width
    assert pilot.required_gold(width, assurance=0.5) <= size


def test_a_plan_has_its_limits():
    """No more gold than there are samples, and none where the interval is narrow enough."""
    pilot = posterior_prevalence(130, 200, gold=GOLD)
    assert pilot.required_gold(0.9) == 60
    with pytest.raises(ValueError, match="narrower than the interval if all 200"):
        pilot.required_gold(0.05)


def test_the_report_says_what_the_judge_was_worth():
    """Samples that alone would be as informative, at the same mean."""
    found = posterior_prevalence(130, 200, gold=GOLD)
    mean = found.mean()
    size = mean * (1 - mean) / found.distribution.variance() - 2
    assert found.summary()["judge_worth"] == pytest.approx(size - 60, rel=1e-4)
    worth = round(size - 60)
    assert (
        f"By the 60 gold samples, the judge was worth about {worth} more: {60 + worth} "
        "alone would be about as informative."
    ) in sentences(found)
    guesses = posterior_prevalence(500, 1000, gold=[[50, 50], [50, 50]])
    assert "the judge was worth about 1 more: 201 alone" in sentences(guesses)
    every = posterior_prevalence(200, 200, gold=[[0, 12], [0, 48]])
    assert "of the others" not in every.report() + every._repr_html_()
    many = posterior_prevalence(5e8, 1e9, gold=[[5000, 0], [0, 5000]])
    assert "of 1000000000 samples" in sentences(many)


@pytest.mark.parametrize(
    ("positives", "gold", "match"),
    [
        (
            130,
            [[24, 0], [6, 0]],
            "none of the 130 samples called positive is gold: label at least 56",
        ),
        (
            130,
            [[0, 6], [0, 27]],
            "none of the 70 samples called negative is gold: label at least 18",
        ),
        (
            130,
            np.zeros((2, 2)),
            "none of the 70 samples called negative is gold: label at least 1 ",
        ),
        (30, GOLD, "33 of them are called positive, of 30 in all"),
        (130, [[1, 2, 3]] * 3, "two classes, negatives first, got an array of shape"),
        (130, [[24, 6], [-3, 27]], "gold"),
        (130, [[0.4, 0.1], [0.1, 0.4]], "gold must hold counts"),
    ],
)
def test_errors(positives, gold, match):
    """They say which samples to label."""
    with pytest.raises(ValueError, match=match):
        posterior_prevalence(positives, 200, gold=gold)


@pytest.mark.parametrize(
    "given", [{}, {"sensitivity": (9, 10)}, {"gold": GOLD, "specificity": (9, 10)}]
)
def test_one_kind_of_gold(given):
    """Either among the judged samples, or from elsewhere."""
    with pytest.raises(TypeError, match="either gold, or sensitivity and specificity"):
        posterior_prevalence(130, 200, **given)
