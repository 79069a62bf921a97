"""Averages of classes that borrow strength: against independent sums, limits, simulation."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import betainc, betaincc, betaln, expit, ndtr

from skpostbac.stats import BetaAverage, HierarchicalBetaAverage, Hyperprior

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "reference/hierarchical.json").read_text()
)
ORDINARY = ([40, 17, 9], [45, 20, 10])
MANY = ([9, 8, 10, 10, 7, 9, 9, 10, 3, 8], [10] * 10)


def distribution_of(name):
    """Make the distribution of a reference record."""
    record = REFERENCE[name]
    hyperprior = Hyperprior(
        kappa=tuple(record["kappa"]),
        rate=record["rate"],
        outlier=record["outlier"],
        base=record["base"],
        strata=None,
    )
    return HierarchicalBetaAverage(
        record["correct"],
        record["total"],
        weights=record["weights"],
        hyperprior=hyperprior,
    )


@pytest.mark.parametrize("name", REFERENCE)
def test_cdf(name):
    """All is right to 1e-9, beside corners inside the support too, and far from them to 1e-10."""
    atol = 1e-9 if name == "three" else 1e-10
    distribution, x = distribution_of(name), np.array(REFERENCE[name]["x"])
    found = distribution.cdf(x)
    assert_allclose(found, REFERENCE[name]["cdf"], rtol=0, atol=atol)
    assert_allclose((-distribution).ccdf(-x), found, rtol=1e-9, atol=1e-11)


def parts_of_one(correct, total):
    """Return log weights and both exponents of one class, for each kappa, mu and for an outlier."""
    prior = Hyperprior()
    base, share = prior.base, prior.outlier_share(1)
    t = np.linspace(-5.2, 5.2, 2001)
    y = np.pi * np.sinh(t)
    logs = (
        -prior.rate * np.logaddexp(0, y)
        - prior.rate * np.logaddexp(0, -y)
        + np.log(np.cosh(t))
    )
    for kappa in prior.kappa:
        a, b = base + kappa / (1 + np.exp(-y)), base + kappa / (1 + np.exp(y))
        for share_of, first, second in (
            (share, base + 0 * y, base + 0 * y),
            (1 - share, a, b),
        ):
            evidence = betaln(first + correct, second + total - correct) - betaln(
                first, second
            )
            weight = logs + np.log(share_of) + evidence
            yield weight, first + correct, second + total - correct


@pytest.mark.parametrize(("correct", "total"), [(7, 9), (2, 2), (0, 0), (95, 100)])
def test_moments(correct, total):
    """Mean, variance, skewness and kurtosis, from raw moments of all parts."""
    logs, a, b = (
        np.concatenate(column)
        for column in zip(*parts_of_one(correct, total), strict=True)
    )
    # Raw moments cancel: it takes more digits than a double has.
    weights = np.exp(logs - logs.max()).astype(np.longdouble)
    weights /= weights.sum()
    n = a.astype(np.longdouble) + b
    factors = np.array([(a + k) / (n + k) for k in range(4)])
    m1, m2, m3, m4 = np.cumprod(factors, axis=0) @ weights
    variance, third = m2 - m1**2, m3 - 3 * m1 * m2 + 2 * m1**3
    fourth = m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4
    distribution = HierarchicalBetaAverage([correct], [total])
    assert_allclose(distribution.mean(), m1, rtol=1e-10)
    assert_allclose(distribution.variance(), variance, rtol=1e-9)
    assert_allclose(distribution.skewness(), third / variance**1.5, rtol=0, atol=1e-7)
    assert_allclose(distribution.kurtosis(), fourth / variance**2, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("counts", "options"),
    [
        (
            ([1, 3], [1, 4]),
            {"kappa": (90.0,), "rate": 0.05, "outlier": 0.0, "base": 0.8},
        ),
        (([6, 0], [6, 0]), {"kappa": (4.0,), "rate": 20.0, "base": 20.0}),
    ],
    ids=["without_outliers", "large_base"],
)
def test_quantiles_for_unusual_hyperpriors(counts, options):
    """Nothing overflows, far out either."""
    distribution = HierarchicalBetaAverage(*counts, hyperprior=Hyperprior(**options))
    p = np.array([1e-9, 0.025, 0.5, 0.975])
    assert_allclose(distribution.cdf(distribution.icdf(p)), p, rtol=1e-6)


def test_hyperprior_of_one_kappa_and_many_samples():
    """What the classes share tells nothing any more: the counts alone decide."""
    correct, total = np.array([9e9, 7e9, 8e9]), np.array([1e10, 1e10, 1e10])
    distribution = HierarchicalBetaAverage(correct, total)
    alone = BetaAverage(correct + 0.5, total - correct + 0.5)
    x = alone.icdf([1e-3, 0.3, 0.9])
    assert_allclose(distribution.cdf(x), alone.cdf(x), rtol=0, atol=1e-4)


def test_many_unlike_weights_of_both_signs():
    """Classes that keep to themselves, all correct or all wrong, are independent."""
    total = np.round(np.geomspace(1, 1e4, 30))
    correct, weights = (
        total * (np.arange(30) % 2),
        np.random.default_rng(0).normal(size=30),
    )
    hyperprior = Hyperprior(outlier=1.0, kappa=(4.0, 64.0))
    distribution = HierarchicalBetaAverage(
        correct, total, weights=weights, hyperprior=hyperprior
    )
    alone = BetaAverage(correct + 0.5, total - correct + 0.5, weights=weights)
    p = [0.01, 0.2, 0.5, 0.8, 0.99]
    assert_allclose(distribution.cdf(alone.icdf(p)), p, rtol=0, atol=1e-9)


def test_classes_borrow_from_one_another():
    """A class without samples is thought to be like the others, and a small one drawn to them."""
    means = HierarchicalBetaAverage([115, 111, 0, 34], [127, 127, 0, 64]).means()
    assert 0.7 < means[2] < 0.9
    assert means[3] > 34 / 64 + 0.005
    assert abs(means[0] - 115 / 127) < 0.02


def test_marginals():
    """Their mean is the average's; each is the distribution of its class beside the others."""
    distribution = HierarchicalBetaAverage(*ORDINARY)
    marginals = distribution.marginals()
    assert_allclose(
        np.mean([one.mean() for one in marginals]), distribution.mean(), rtol=1e-12
    )
    assert_allclose(distribution.means(), [one.mean() for one in marginals], rtol=1e-10)
    alone = HierarchicalBetaAverage([40], [45])
    assert marginals[0].standard_deviation() < alone.standard_deviation()


def test_classes_of_weight_zero_may_be_a_stratum():
    """The smallest classes only inform the others."""
    some = HierarchicalBetaAverage([3, 90, 800], [5, 100, 1000], weights=[0, 0.5, 0.5])
    others = some.marginals()[1:]
    assert some.mean() == pytest.approx(
        np.mean([one.mean() for one in others]), rel=1e-12
    )
    # A tiny weight is no zero, but changes next to nothing.
    near = HierarchicalBetaAverage(
        [3, 90, 800], [5, 100, 1000], weights=[1e-9, 0.5, 0.5]
    )
    assert_allclose(
        some.cdf([0.82, 0.84, 0.86]), near.cdf([0.82, 0.84, 0.86]), rtol=0, atol=1e-7
    )


def test_classes_without_errors_may_be_huge():
    """The average is as wide as half of the other class, which is normal."""
    low, high = HierarchicalBetaAverage([1e15, 0.8e15], [1e15, 1e15]).interval()
    half = 0.5 * 1.96 * np.sqrt(0.8 * 0.2 / 1e15)
    assert [low - 0.9, high - 0.9] == pytest.approx([-half, half], rel=0.05)


def test_marginals_share_their_counts():
    """Those of 100,000 classes fit in memory."""
    total = np.append(np.full(99_999, 10.0), 11.0)
    distribution = HierarchicalBetaAverage(total - 1, total)
    first, second, *_, last = distribution.marginals()
    assert first.total is last.total is distribution.total
    assert np.flatnonzero(first.weights).tolist() == [0]
    assert np.flatnonzero(last.weights).tolist() == [99_999]
    assert not first.weights.flags.writeable
    assert_allclose(first.mean(), distribution.mean(), rtol=1e-6)
    assert second is first
    assert last.mean() > first.mean()


@pytest.mark.parametrize("n_classes", [30, 1000, 30_000])
def test_mean_of_many_classes(n_classes):
    """By a sum over a fine grid of the common rate, which is far from the pooled one."""
    prior, times = Hyperprior(), n_classes // 10
    correct, total = (np.repeat(column, times) for column in MANY)
    y = np.linspace(-60, 60, 60_001)
    mu, nu = expit(y), expit(-y)
    outlier, base = prior.outlier_share(n_classes), prior.base
    log_weights, means = [], []
    for kappa in prior.kappa:
        a, b = base + kappa * mu, base + kappa * nu
        log_weight, mean = prior.rate * (np.log(mu) + np.log(nu)), np.zeros_like(mu)
        for k, n in zip(*MANY, strict=True):
            own = np.log1p(-outlier) + betaln(a + k, b + n - k) - betaln(a, b)
            other = (
                np.log(outlier) + betaln(base + k, base + n - k) - betaln(base, base)
            )
            log_weight += times * np.logaddexp(own, other)
            share = expit(other - own)
            mean += (1 - share) * (a + k) / (a + b + n) + share * (base + k) / (
                2 * base + n
            )
        log_weights.append(log_weight)
        means.append(mean / 10)
    weights = np.exp(log_weights - np.max(log_weights))
    distribution = HierarchicalBetaAverage(correct, total)
    expected = (weights * means).sum() / weights.sum()
    assert_allclose(
        distribution.mean(),
        expected,
        rtol=0,
        atol=1e-6 * distribution.standard_deviation(),
    )


def test_difference():
    """Of two independent distributions: its mean and variance are those of both."""
    one, two = (
        HierarchicalBetaAverage(*ORDINARY),
        HierarchicalBetaAverage([30, 15], [45, 20]),
    )
    distribution = two - one
    assert_allclose(distribution.mean(), two.mean() - one.mean(), rtol=1e-12)
    assert_allclose(
        distribution.variance(), one.variance() + two.variance(), rtol=1e-12
    )
    x = np.array([-0.3, -0.1, 0.05])
    assert_allclose((one - two).ccdf(-x), distribution.cdf(x), rtol=1e-9)


@pytest.mark.slow
def test_difference_by_convolution():
    """P(B <= A) is the average of the cdf of B over A."""
    one, two = (
        HierarchicalBetaAverage([7, 8], [9, 9]),
        HierarchicalBetaAverage([5, 6], [9, 8]),
    )
    # Smooth on either side of the corner at 1/2.
    nodes, weights = np.polynomial.legendre.leggauss(60)
    x = np.concatenate([0.25 * (1 + nodes), 0.25 * (3 + nodes)])
    expected = np.tile(0.25 * weights, 2) @ (two.cdf(x) * one.pdf(x))
    assert_allclose((two - one).cdf(0), expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("correct", "total", "options", "message"),
    [
        ([1, 2], [3], {}, "correct and total must have the same length"),
        ([4], [3], {}, "correct must lie between 0 and total"),
        ([-1], [3], {}, "correct must lie between 0 and total"),
        ([1], [2e15], {}, "total must lie between 0 and 1e"),
        ([], [], {}, "correct must be a non-empty array"),
        ([np.nan], [3], {}, "correct must be finite"),
        ([1, 1], [2, 2], {"weights": [1]}, "weights must have length 2"),
        ([1, 1], [2, 2], {"weights": [0, 0]}, "weights must not all be zero"),
        (
            [1, 1],
            [2, 2],
            {"pools": [1]},
            "pools must be labels .*: there must be 2, got the",
        ),
        (
            [1, 1],
            [2, 2],
            {"pools": [0.5, None]},
            "pools must be labels that can be compared",
        ),
        ([1], [2], {"hyperprior": "heavy"}, "hyperprior must be a Hyperprior"),
    ],
)
def test_bad_arguments(correct, total, options, message):
    """One clear error."""
    with pytest.raises((ValueError, TypeError), match=message):
        HierarchicalBetaAverage(correct, total, **options)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"kappa": ()}, "kappa"),
        ({"kappa": (0.0,)}, "kappa"),
        ({"kappa": 8}, "kappa"),
        ({"rate": 0}, "rate"),
        ({"base": 0.01}, "base"),
        ({"outlier": 1.1}, "outlier"),
        ({"strata": 1.0}, "strata"),
        ({"strata": "size"}, "strata"),
        ({"stay": -0.1}, "stay"),
        ({"stay": 0.7}, "move"),
        ({"move": np.nan}, "move"),
        ({"outlier": "none"}, "outlier"),
    ],
)
def test_bad_hyperpriors(options, name):
    """One clear error."""
    with pytest.raises(ValueError, match=f"{name} must"):
        Hyperprior(**options)


@pytest.mark.parametrize("n_classes", [0, -4, 2.0, True, "3"], ids=repr)
def test_the_outlier_share_needs_a_number_of_classes(n_classes):
    """With -4 classes there would be a division by zero."""
    with pytest.raises(ValueError, match="n_classes must be a positive integer"):
        Hyperprior().outlier_share(n_classes)


@pytest.mark.parametrize("weight", [1.0, -2.0], ids="weight={}".format)
@pytest.mark.parametrize(
    ("correct", "total"),
    [(0, 7767000), (3, 10**6), (0, 10**9)],
    ids=["0", "3", "0 of 1e9"],
)
def test_tails_of_one_class_of_many_samples(correct, total, weight):
    """Mixtures of incomplete Beta functions, also many standard deviations above the mean."""
    distribution = HierarchicalBetaAverage([correct], [total], weights=[weight])
    logs, a, b = (
        np.concatenate(part) for part in zip(*parts_of_one(correct, total), strict=True)
    )
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    x = np.array([1e-8, 0.3, 2.0, 30.0]) * (correct + 1) / total
    below, above = (
        (distribution.cdf, distribution.ccdf)
        if weight > 0
        else (distribution.ccdf, distribution.cdf)
    )
    lower, upper = (
        [shares @ tail(a, b, value) for value in x] for tail in (betainc, betaincc)
    )
    assert_allclose(below(weight * x), lower, rtol=1e-9, atol=1e-12)
    assert_allclose(above(weight * x), upper, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weight", [1.0, -2.0], ids="weight={}".format)
def test_one_class_of_1e15_samples_is_normal(weight):
    """Its skewness is 1e-8."""
    distribution = HierarchicalBetaAverage([4e14, 7], [1e15, 9], weights=[weight, 0.0])
    mean, sd, z = (
        distribution.mean(),
        distribution.standard_deviation(),
        np.linspace(-5, 5, 21),
    )
    assert_allclose(distribution.cdf(mean + sd * z), ndtr(z), rtol=0, atol=1e-7)
    assert_allclose(distribution.mode(), mean, rtol=0, atol=1e-5 * sd)


@pytest.mark.slow
def test_many_large_perfect_classes_of_very_unequal_weights():
    """The first one, of almost all the weight, is about where the sum is; some tilts overflow."""
    total, weights = np.full(56, 6537000), np.geomspace(1, 1e-10, 56)
    distribution = HierarchicalBetaAverage(total, total, weights=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        low, high = distribution.interval(0.95)
    assert (
        distribution.support().high - 5e-6
        < low
        < distribution.mean()
        < high
        < distribution.support().high
    )
    assert distribution.cdf(low, high) == pytest.approx(0.95, rel=1e-9)


def test_one_large_perfect_class_that_may_be_anything():
    """Its interval of highest density ends at the end of the support, and nothing overflows."""
    hyperprior = Hyperprior(kappa=(300.0, 30.0, 4.0), outlier=0.3, base=0.05, move=0.0)
    distribution = HierarchicalBetaAverage(
        [99840], [99840], weights=[0.92], hyperprior=hyperprior
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        low, high = distribution.hdi(0.9)
    assert high == 0.92
    # As close as the nearest double to a quantile beside one.
    assert distribution.cdf(low) == pytest.approx(0.1, abs=1e-9)
