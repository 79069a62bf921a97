"""Averages of classes that borrow strength: against independent sums, limits, simulation."""

import json
import pickle
import warnings
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.integrate import quad
from scipy.special import betainc, betaincc, betaln, expit, gammaln, hyp1f1, logsumexp

from skpostbac.stats import BetaAverage, HierarchicalBetaAverage, Hyperprior
from skpostbac.stats._borrowing import pool as _pool
from skpostbac.stats._hierarchical import tilted_sum as _tilted_pool_sum
from skpostbac.stats._hierarchical.terms import WeightedPools
from skpostbac.stats._hierarchical.tilted import TiltedPool
from skpostbac.stats._hierarchical.tilted_sum import TiltedPoolSum
from skpostbac.stats._numerics.quadrature import integrate

REFERENCE = json.loads((Path(__file__).parents[2] / "reference/hierarchical.json").read_text())
# All tests of a distribution come one after the other, in one process, which makes it once.
every_distribution = pytest.mark.parametrize("name", REFERENCE, scope="module")
ORDINARY = ([40, 17, 9], [45, 20, 10])
PERFECT = ([2, 2, 2], [2, 2, 2])
MANY = ([9, 8, 10, 10, 7, 9, 9, 10, 3, 8], [10] * 10)
some_counts = pytest.mark.parametrize(
    "counts", [ORDINARY, PERFECT, MANY, ([7], [9]), ([0, 0], [0, 0])], ids=str
)


@cache
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
        record["correct"], record["total"], weights=record["weights"], hyperprior=hyperprior
    )


@cache
def cdf_of(name):
    """Return the cdf at the points of a reference record."""
    return distribution_of(name).cdf(REFERENCE[name]["x"])


@every_distribution
def test_cdf(name):
    """The quadrature over rates and strengths leaves 1e-10."""
    assert_allclose(cdf_of(name), REFERENCE[name]["cdf"], rtol=0, atol=1e-10)


@every_distribution
def test_ccdf_of_the_mirror_image(name):
    """Minus the sum has the tails exchanged."""
    mirrored, x = -distribution_of(name), np.array(REFERENCE[name]["x"])
    assert_allclose(mirrored.ccdf(-x), cdf_of(name), rtol=1e-9, atol=1e-11)


def parts_of_one(correct, total):
    """Return log weights and both exponents of one class, for each kappa, mu and for an outlier."""
    prior = Hyperprior()
    base, share = prior.base, prior.outlier_share(1)
    t = np.linspace(-5.2, 5.2, 2001)
    y = np.pi * np.sinh(t)
    logs = -prior.rate * np.logaddexp(0, y) - prior.rate * np.logaddexp(0, -y) + np.log(np.cosh(t))
    for kappa in prior.kappa:
        a, b = base + kappa / (1 + np.exp(-y)), base + kappa / (1 + np.exp(y))
        for share_of, first, second in ((share, base + 0 * y, base + 0 * y), (1 - share, a, b)):
            evidence = betaln(first + correct, second + total - correct) - betaln(first, second)
            weight = logs + np.log(share_of) + evidence
            yield weight, first + correct, second + total - correct


def log_cdf_of_one(correct, total, x):
    """Log cdf of one class, by sums of the logs of incomplete Beta functions."""
    weights, tails = [], []
    for weight, a, b in parts_of_one(correct, total):
        weights.append(np.logaddexp.reduce(weight))
        tail = stats.beta.logcdf(x[:, np.newaxis], a, b)
        tails.append(np.logaddexp.reduce(weight + tail, axis=1))
    return np.logaddexp.reduce(tails) - np.logaddexp.reduce(weights)


@pytest.mark.slow
@pytest.mark.parametrize(("correct", "total"), [(7, 9), (2, 2), (0, 3), (0, 0), (95, 100)])
def test_far_tails(correct, total):
    """Relative accuracy of probabilities down to 1e-150."""
    x = np.array([1e-15, 1e-8, 1e-4, 0.01, 0.1, 0.3])
    expected = log_cdf_of_one(correct, total, x)
    kept = expected > -350
    found = HierarchicalBetaAverage([correct], [total]).logcdf(x)
    assert_allclose(found[kept], expected[kept], rtol=0, atol=3e-8)


def log_cdf_at_the_end(correct, total, log_x):
    """Leading term of the log cdf of the mean of some classes: a sum of powers of x.

    A class has a density of x^(a - 1) / B(a, b) beside zero, and a sum of classes one of
    x^(sum a - 1) / Gamma(sum a) times their Gamma(a) l^a / B(a, b).
    """
    prior = Hyperprior()
    base, share = prior.base, prior.outlier_share(len(total))
    y = np.pi * np.sinh(np.linspace(-5.2, 5.2, 4001))
    jacobian = np.log(np.cosh(np.linspace(-5.2, 5.2, 4001)))
    prior_density = jacobian - prior.rate * (np.logaddexp(0, y) + np.logaddexp(0, -y))
    tails, evidences = [], []
    for kappa, states in product(prior.kappa, product([0, 1], repeat=len(total))):
        log_tail, log_evidence, order = prior_density.copy(), prior_density.copy(), 0
        for borrows, right, all_of in zip(states, correct, total, strict=True):
            a, b = (base + borrows * kappa / (1 + np.exp(side)) for side in (-y, y))
            alone = np.log(1 - share if borrows else share) - betaln(a, b)
            log_evidence += alone + betaln(a + right, b + all_of - right)
            # The posterior density is that of the prior times the likelihood over the evidence.
            log_tail = log_tail + alone + gammaln(a + right) + (a + right) * np.log(len(total))
            order = order + a + right
        log_tail = log_tail + order * log_x[:, np.newaxis] - gammaln(order + 1)
        tails.append(np.logaddexp.reduce(log_tail, axis=1))
        evidences.append(np.logaddexp.reduce(log_evidence))
    return np.logaddexp.reduce(tails) - np.logaddexp.reduce(evidences)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("correct", "total"),
    [([20], [23]), ([3, 4], [5, 6]), ([0, 2], [0, 2])],
    ids=["one", "two", "empty_and_perfect"],
)
def test_tails_beside_the_end_are_mixtures_of_powers(correct, total):
    """Down to the smallest double, on either side of where contours stop, and for the density."""
    x = np.array([1e-18, 1e-60, 1e-160, 5e-324])
    expected = log_cdf_at_the_end(correct, total, np.log(x))
    distribution = HierarchicalBetaAverage(correct, total)
    assert_allclose(distribution.logcdf(x), expected, rtol=1e-9)
    slope = np.diff(log_cdf_at_the_end(correct, total, np.log(1e-60) + np.array([-1e-4, 1e-4])))
    density = log_cdf_at_the_end(correct, total, np.log([1e-60])) + np.log(slope / 2e-4 / 1e-60)
    assert_allclose(distribution.logpdf(1e-60), density[0], rtol=1e-9)
    mirrored = -HierarchicalBetaAverage(correct, total)
    assert_allclose(mirrored.logccdf(-x), expected, rtol=1e-9)


def test_far_tails_ask_for_few_tilts(monkeypatch):
    """Beside an end of the support the logarithm of the saddlepoint is found in a few steps."""
    tilts = []
    tilted = WeightedPools.tilted

    def counted(pools, c, **options):
        tilts.append(c)
        return tilted(pools, c, **options)

    monkeypatch.setattr(WeightedPools, "tilted", counted)
    for counts in (([3, 4], [5, 6]), ([9] * 30, [10] * 30)):
        for x in (0.1, 1e-3, 1e-15):
            tilts.clear()
            HierarchicalBetaAverage(*counts).logcdf(x)
            assert 2 <= len(tilts) <= 10


def test_far_tail_of_many_classes():
    """Towards the lower end ten classes vanish with the power of ten outliers, and a little more.

    Classes that borrow vanish faster, but less and less so the rarer mu is.
    """
    distribution = HierarchicalBetaAverage(*MANY)
    log_x = np.log(10.0) * np.array([-16, -15, -8, -7])
    order = (np.diff(distribution.logcdf(np.exp(log_x))) / np.diff(log_x))[::2]
    least = sum(MANY[0]) + 5
    assert (order > least).all()
    assert (np.diff(order) > 0).all()
    assert order[0] < least + 0.05


@some_counts
def test_density_is_the_slope_of_the_cdf(counts):
    """By an independent quadrature of the density between two points."""
    distribution = HierarchicalBetaAverage(*counts)
    low, high = distribution.icdf([0.2, 0.7])
    mass = quad(distribution.pdf, low, high, epsabs=1e-11, epsrel=1e-11, limit=200)[0]
    assert_allclose(mass, 0.5, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("correct", "total"), [(7, 9), (2, 2), (0, 0), (95, 100)])
def test_moments(correct, total):
    """Mean, variance, skewness and kurtosis, from raw moments of all parts."""
    logs, a, b = (
        np.concatenate(column) for column in zip(*parts_of_one(correct, total), strict=True)
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
    assert_allclose(distribution.kurtosis(), fourth / variance**2 - 3, rtol=0, atol=1e-7)


@some_counts
def test_quantiles_are_inverse(counts):
    """Back and forth, in both directions."""
    distribution = HierarchicalBetaAverage(*counts)
    p = np.array([1e-6, 0.025, 0.5, 0.975])
    assert_allclose(distribution.cdf(distribution.icdf(p)), p, rtol=2e-8)
    assert_allclose(distribution.ccdf(distribution.iccdf(p)), p, rtol=2e-8)


@pytest.mark.parametrize(
    ("counts", "options"),
    [
        (([1, 3], [1, 4]), {"kappa": (90.0,), "rate": 0.05, "outlier": 0.0, "base": 0.8}),
        (([6, 0], [6, 0]), {"kappa": (4.0,), "rate": 20.0, "base": 20.0}),
    ],
    ids=["without_outliers", "large_base"],
)
def test_quantiles_for_unusual_hyperpriors(counts, options):
    """Nothing overflows, far out either."""
    distribution = HierarchicalBetaAverage(*counts, hyperprior=Hyperprior(**options))
    p = np.array([1e-30, 0.025, 0.5, 0.975])
    assert_allclose(distribution.cdf(distribution.icdf(p)), p, rtol=1e-6)


@some_counts
def test_hdi_has_its_probability_and_is_shorter(counts):
    """It holds 90 %, in no more room than the central interval."""
    distribution = HierarchicalBetaAverage(*counts)
    low, high = distribution.hdi(0.9)
    assert_allclose(distribution.cdf(low, high), 0.9, rtol=0, atol=1e-8)
    central = distribution.interval(0.9)
    assert high - low <= central.high - central.low + 1e-9


def test_hyperprior_of_one_kappa_and_many_samples():
    """What the classes share tells nothing any more: the counts alone decide."""
    correct, total = np.array([9e9, 7e9, 8e9]), np.array([1e10, 1e10, 1e10])
    distribution = HierarchicalBetaAverage(correct, total)
    alone = BetaAverage(correct + 0.5, total - correct + 0.5)
    x = alone.icdf([1e-3, 0.3, 0.9])
    assert_allclose(distribution.cdf(x), alone.cdf(x), rtol=0, atol=1e-4)


def test_all_outliers():
    """Classes that keep to themselves have Jeffreys' prior."""
    distribution = HierarchicalBetaAverage(*ORDINARY, hyperprior=Hyperprior(outlier=1.0))
    correct, total = map(np.array, ORDINARY)
    alone = BetaAverage(correct + 0.5, total - correct + 0.5)
    x = np.linspace(0.6, 0.98, 9)
    assert_allclose(distribution.cdf(x), alone.cdf(x), rtol=0, atol=1e-12)


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
    assert_allclose(np.mean([one.mean() for one in marginals]), distribution.mean(), rtol=1e-12)
    assert_allclose(distribution.means(), [one.mean() for one in marginals], rtol=1e-10)
    alone = HierarchicalBetaAverage([40], [45])
    assert marginals[0].standard_deviation() < alone.standard_deviation()


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


def test_order_of_the_classes_does_not_matter():
    """Relabelling."""
    correct, total = map(np.array, MANY)
    order = np.random.default_rng(0).permutation(total.size)
    one, two = HierarchicalBetaAverage(*MANY), HierarchicalBetaAverage(correct[order], total[order])
    assert_allclose(one.interval(), two.interval(), rtol=1e-13)


def test_right_and_wrong_exchanged():
    """Counting mistakes mirrors the distribution at 1/2."""
    correct, total = map(np.array, ORDINARY)
    distribution, other = (
        HierarchicalBetaAverage(*ORDINARY),
        HierarchicalBetaAverage(total - correct, total),
    )
    x = np.linspace(0.55, 0.95, 9)
    assert_allclose(distribution.cdf(x), other.ccdf(1 - x), rtol=1e-9)


def test_alike_classes_are_summed_like_different_ones():
    """A hair of difference keeps classes from being one kind."""
    distribution = HierarchicalBetaAverage([4] * 6, [5] * 6)
    hair = 1e-11 * np.arange(6)
    other = HierarchicalBetaAverage(4 + hair, [5] * 6)
    x = np.linspace(0.5, 0.95, 7)
    assert_allclose(distribution.cdf(x), other.cdf(x), rtol=0, atol=1e-9)


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
            other = np.log(outlier) + betaln(base + k, base + n - k) - betaln(base, base)
            log_weight += times * np.logaddexp(own, other)
            share = expit(other - own)
            mean += (1 - share) * (a + k) / (a + b + n) + share * (base + k) / (2 * base + n)
        log_weights.append(log_weight)
        means.append(mean / 10)
    weights = np.exp(log_weights - np.max(log_weights))
    distribution = HierarchicalBetaAverage(correct, total)
    expected = (weights * means).sum() / weights.sum()
    assert_allclose(
        distribution.mean(), expected, rtol=0, atol=1e-6 * distribution.standard_deviation()
    )


@pytest.mark.slow
def test_hundreds_of_classes(draws_pvalue):
    """Draws of the average of 200 classes follow its cdf, and have its mean."""
    rng = np.random.default_rng(3)
    total = rng.integers(2, 200, 200)
    distribution = HierarchicalBetaAverage(rng.binomial(total, rng.beta(9, 1, 200)), total)
    draws = distribution.sample(20_000, rng=rng)
    assert abs(
        draws.mean() - distribution.mean()
    ) < 4 * distribution.standard_deviation() / np.sqrt(20_000)
    assert draws_pvalue(draws, distribution.cdf) > 1e-3


@some_counts
def test_sample(counts, draws_pvalue):
    """Draws follow the cdf."""
    distribution = HierarchicalBetaAverage(*counts)
    draws = distribution.sample(20_000, rng=np.random.default_rng(1))
    assert draws_pvalue(draws, distribution.cdf) > 1e-3


def test_difference(draws_pvalue):
    """Of two independent distributions: by draws, and its mean and variance by those of both."""
    one, two = HierarchicalBetaAverage(*ORDINARY), HierarchicalBetaAverage([30, 15], [45, 20])
    distribution = two - one
    assert_allclose(distribution.mean(), two.mean() - one.mean(), rtol=1e-12)
    assert_allclose(distribution.variance(), one.variance() + two.variance(), rtol=1e-12)
    rng = np.random.default_rng(2)
    draws = two.sample(20_000, rng=rng) - one.sample(20_000, rng=rng)
    assert draws_pvalue(draws, distribution.cdf) > 1e-3
    x = np.array([-0.3, -0.1, 0.05])
    assert_allclose((one - two).ccdf(-x), distribution.cdf(x), rtol=1e-9)


@pytest.mark.slow
def test_difference_by_convolution():
    """P(B <= A) is the average of the cdf of B over A."""
    one, two = HierarchicalBetaAverage([7, 8], [9, 9]), HierarchicalBetaAverage([5, 6], [9, 8])
    # Smooth on either side of the corner at 1/2.
    nodes, weights = np.polynomial.legendre.leggauss(60)
    x = np.concatenate([0.25 * (1 + nodes), 0.25 * (3 + nodes)])
    expected = np.tile(0.25 * weights, 2) @ (two.cdf(x) * one.pdf(x))
    assert_allclose((two - one).cdf(0), expected, rtol=0, atol=1e-8)


def test_pickle_and_repr():
    """Nothing but the parameters is kept."""
    distribution = HierarchicalBetaAverage(*ORDINARY, hyperprior=Hyperprior(outlier=0.1))
    distribution.interval()
    copy = pickle.loads(pickle.dumps(distribution))
    assert copy.interval() == distribution.interval()
    assert not copy.correct.flags.writeable
    assert repr(copy) == repr(distribution)
    assert repr(Hyperprior(outlier=0.1)) == "Hyperprior(outlier=0.1)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [3]), "correct and total must have the same length"),
        (([4], [3]), "correct must lie between 0 and total"),
        (([-1], [3]), "correct must lie between 0 and total"),
        (([1], [2e15]), "total must lie between 0 and 1e"),
        (([], []), "correct must be a non-empty array"),
        (([np.nan], [3]), "correct must be finite"),
    ],
)
def test_bad_counts(arguments, message):
    """One clear error."""
    with pytest.raises(ValueError, match=message):
        HierarchicalBetaAverage(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": [1]}, "weights must have length 2"),
        ({"weights": [0, 0]}, "weights must not all be zero"),
        ({"pools": [1]}, "pools must be labels .*: there must be 2, got the shape"),
        ({"pools": [0.5, None]}, "pools must be labels that can be compared"),
    ],
)
def test_bad_options(options, message):
    """One clear error."""
    with pytest.raises((ValueError, TypeError), match=message):
        HierarchicalBetaAverage([1, 1], [2, 2], **options)
    with pytest.raises(TypeError, match="hyperprior must be a Hyperprior"):
        HierarchicalBetaAverage([1], [2], hyperprior="heavy")


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


def tails_of_one_class(distribution, far):
    """P(theta > 1 - far) of the class with a weight, summed over the states and the outlier."""
    (one,) = (one for one in distribution._parts[0].pool.strata if one.kinds.count.size)
    weights, other = np.exp(one.log_weights), one.outlier[:, 0]
    tails = betainc(one.b[:, :1], one.a[:, :1], far)
    outlier = betainc(one.outlier_b[0], one.outlier_a[0], far)
    mixed = (1 - other)[:, np.newaxis] * tails + other[:, np.newaxis] * outlier
    return weights @ mixed / weights.sum()


@pytest.mark.parametrize("total", [10**5, 10**6])
@pytest.mark.parametrize("weight", [1.0, -1.0], ids=["up", "down"])
def test_narrow_beside_an_end(total, weight):
    """A large perfect class alone, narrower than many roundings of its mean, as a mixture."""
    distribution = HierarchicalBetaAverage([total, 2], [total, 2], weights=[weight, 0.0])
    x = 1 - np.geomspace(0.01, 10, 15) / total
    found = distribution.ccdf(x) if weight > 0 else distribution.cdf(-x)
    assert_allclose(found, tails_of_one_class(distribution, 1 - x), rtol=0, atol=2e-12)


def _different(size, seed):
    """Classes that all differ."""
    rng = np.random.default_rng(seed)
    total = rng.integers(5, 300, size)
    return HierarchicalBetaAverage(rng.binomial(total, 0.8), total)


def _perfect_difference():
    """Two sums of five perfect classes each, with weights of both signs."""
    rng = np.random.default_rng(1)
    first, second = np.array([5, 7, 9, 20, 40]), np.array([6, 8, 3, 21, 30])
    return HierarchicalBetaAverage(
        first, first, weights=rng.normal(size=5)
    ) - HierarchicalBetaAverage(second, second, weights=rng.normal(size=5))


@pytest.mark.parametrize("tilt", [1e2, 1e3, 1e6], ids="{:g}".format)
@pytest.mark.parametrize("mirrored", [False, True], ids=["upper", "lower"])
def test_states_left_out_under_a_tilt_have_no_weight(monkeypatch, tilt, mirrored):
    """The transform does not change with states of far less weight."""
    (classes,) = _different(30, 3)._parts
    classes = classes.mirrored() if mirrored else classes
    some = TiltedPool.of(classes.under(tilt), tilt, False)
    monkeypatch.setattr(_pool, "_TILTED_DEPTH", 300.0)
    more = TiltedPool.of(classes.under(tilt), tilt, False)
    assert some.n_states < more.n_states
    assert some.under.log_mgf == pytest.approx(more.under.log_mgf, rel=0, abs=1e-11)


def test_quantiles_far_out_build_few_contours(monkeypatch):
    """A contour serves the steps of a search that end near it."""
    built = []
    contour = TiltedPoolSum.contour
    monkeypatch.setattr(
        TiltedPoolSum,
        "contour",
        lambda distribution: (built.append(distribution.tilt), contour(distribution))[1],
    )
    distribution = _different(20, 4)
    x = distribution.icdf(1e-100)
    assert len(built) <= 4
    assert distribution.logcdf(x) == pytest.approx(np.log(1e-100), rel=1e-11)


def test_values_do_not_depend_on_what_was_asked_before():
    """Contours that serve a search are not kept beyond it."""
    distribution = _different(5, 5)
    x = distribution.icdf([1e-30, 1e-20])
    assert np.array_equal(distribution.logcdf(x), _different(5, 5).logcdf(x))


def test_corners_of_differences_are_opened():
    """The corners of two pools are summed where a plain series would need very many terms."""
    first, second = (HierarchicalBetaAverage(n, n) for n in ([1, 2, 3], [3, 2, 1]))
    contour = (first - second)._inversion._central
    assert contour.line.size < 2000
    assert len(contour.rest) == 1


@pytest.mark.slow
def test_difference_with_many_corners_has_the_moments_of_its_density():
    """The density of a difference of perfect classes integrates to its mean and variance."""
    distribution = _perfect_difference()
    edges = np.linspace(-20, 20, 41) * distribution.standard_deviation()
    low, high = distribution._ends_from_mean
    edges = np.unique(np.clip(edges, low, high))

    def moments(_, y):
        density = distribution._centre(y.ravel()).density.reshape(y.shape)
        return density * np.array([np.ones_like(y), y, y**2])

    found = integrate(moments, edges[np.newaxis], 1e-12)[:, 0]
    assert found == pytest.approx([1, 0, distribution.variance()], rel=1e-9, abs=1e-10)


@pytest.mark.slow
def test_faded_nodes_contribute_nothing(monkeypatch):
    """The series is the same with all nodes at all heights."""
    total = np.arange(14) % 5 + 1
    few = HierarchicalBetaAverage(total, total)._inversion._central.line
    monkeypatch.setattr(_tilted_pool_sum, "_FADED", 0.0)
    every = HierarchicalBetaAverage(total, total)._inversion._central.line
    assert few.size == every.size
    assert np.abs(few.coefficients[0] - every.coefficients[0]).max() < 1e-15


@pytest.mark.parametrize("n_classes", [0, -4, 2.0, True, "3"], ids=repr)
def test_the_outlier_share_needs_a_number_of_classes(n_classes):
    """With -4 classes there would be a division by zero."""
    with pytest.raises(ValueError, match="n_classes must be a positive integer"):
        Hyperprior().outlier_share(n_classes)


def test_large_perfect_class_at_its_own_scale():
    """Against the sum of Beta tails over the nodes; no moment of it leaves the range of doubles."""
    distribution = HierarchicalBetaAverage([10**7, 2], [10**7, 2], weights=[1, 0])
    x = 1 - np.geomspace(0.01, 10, 15) / 1e7
    expected = tails_of_one_class(distribution, 1 - x)
    assert_allclose(distribution.ccdf(x), expected, rtol=1e-12)


def test_series_that_is_cut_off_warns_of_its_error(monkeypatch):
    """The error it names is above what a longer series changes."""

    def difference():
        wide = HierarchicalBetaAverage([0, 8297], [1, 8299])
        weights = np.geomspace(1, 2.4e-12, 3)
        return wide - HierarchicalBetaAverage([0, 79, 6336], [1, 80, 6337], weights=weights)

    short, long = difference(), difference()
    monkeypatch.setattr(_tilted_pool_sum, "_MOST_NODES", 1024)
    with pytest.warns(RuntimeWarning, match="errors of about") as caught:
        found = float(short.ccdf(0.5))
    values = short._inversion.centre(np.array([0.5 - short.mean()]))
    named = float(str(caught[0].message).rstrip(".").split()[-1])
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = float(long.ccdf(0.5))
    assert 1e-9 < abs(found - expected) < min(1.1 * named, values.error[0])


def test_far_tail_beside_classes_of_many_samples():
    """A sum below one half, which takes a class of 1e9 right ones there, has about 1e9 log(1/2)."""
    distribution = HierarchicalBetaAverage([10**9, 5, 3], [10**9, 10, 3], weights=[1, -1e-8, 1])
    assert distribution.logcdf(0.5) == pytest.approx(-1e9 * np.log(2), rel=1e-6)


def test_tails_between_signed_pools_of_perfect_classes():
    """Far between the ends of a difference of pools the tails are zero and one."""
    distribution = HierarchicalBetaAverage(
        np.full(33, 110),
        np.full(33, 110),
        weights=np.resize([1, -1], 33),
        pools=np.arange(33) % 2,
    )
    assert_allclose(distribution.ccdf([10.02, -15.9, 0.0]), [0, 1, 1], atol=1e-12)
    # Nine classes that are wrong throughout, by an outlier each, are far more likely than a rate.
    assert -9 * 110 * 8 < distribution.logccdf(10.02) < -100


@pytest.mark.parametrize("tilt", [0.5, 1.0, 1.9], ids="{} inverse sd".format)
def test_far_tilts_count_rare_rates(tilt):
    """E exp(-c X) of perfect classes is an integral over the rate, however rare it is."""
    n_classes, n, base, rate = 40, 10, 0.5, 0.75
    distribution = HierarchicalBetaAverage([n] * n_classes, [n] * n_classes)
    c = tilt / distribution.standard_deviation()
    share = Hyperprior().outlier_share(n_classes)
    y = np.linspace(-60, 60, 4001)[:, np.newaxis]
    mu, kappa = expit(y), np.array(Hyperprior().kappa)
    a, b = base + mu * kappa, base + expit(-y) * kappa

    def log_integral(s):
        """Log of the integral of the prior times (E theta^n exp(-s theta))^n_classes."""

        def term(a, b):
            # By Kummer's transformation all terms are positive.
            scale = np.exp(betaln(a + n, b) - betaln(a, b) - s)
            return scale * hyp1f1(b, a + b + n, s)

        log_each = np.log(share * term(base, base) + (1 - share) * term(a, b))
        log_prior = rate * (np.log(mu) + np.log(expit(-y)))
        return logsumexp(log_prior + n_classes * log_each)

    expected = log_integral(c / n_classes) - log_integral(0.0)
    found = distribution._inversion._far_lower.tilted(c).log_mgf - c * distribution.mean()
    assert found == pytest.approx(expected, abs=1e-8 * c)


def _one_class(correct, total):
    """Return the tails of a class alone, by a sum over a grid of the rate and each kappa."""
    base, rate, share = 0.5, 0.75, Hyperprior().outlier_share(1)
    y = np.linspace(-90, 90, 3001)[:, np.newaxis]
    up, down = expit(y) * np.array(Hyperprior().kappa), expit(-y) * np.array(Hyperprior().kappa)
    wrong = total - correct
    log_own = betaln(base + up + correct, base + down + wrong) - betaln(base + up, base + down)
    log_other = betaln(base + correct, base + wrong) - betaln(base, base)
    log_prior = rate * (np.log(expit(y)) + np.log(expit(-y)))
    own = (1 - share) * np.exp(log_prior + log_own - log_other)
    other = share * np.exp(log_prior) * np.ones_like(own)

    def tail(function, x):
        parts = own * function(base + up + correct, base + down + wrong, x)
        parts += other * function(base + correct, base + wrong, x)
        return float(parts.sum() / (own + other).sum())

    return tail


@pytest.mark.parametrize("weight", [1.0, -2.0], ids="weight={}".format)
@pytest.mark.parametrize(
    ("correct", "total"), [(0, 7767000), (3, 10**6), (0, 10**9)], ids=["0", "3", "0 of 1e9"]
)
def test_tails_of_one_class_of_many_samples(correct, total, weight):
    """Mixtures of incomplete Beta functions, also many standard deviations above the mean."""
    distribution, tail = (
        HierarchicalBetaAverage([correct], [total], weights=[weight]),
        _one_class(correct, total),
    )
    x = np.array([1e-8, 0.3, 2.0, 30.0]) * (correct + 1) / total
    below, above = (
        (distribution.cdf, distribution.ccdf)
        if weight > 0
        else (distribution.ccdf, distribution.cdf)
    )
    assert_allclose(below(weight * x), [tail(betainc, value) for value in x], rtol=1e-9)
    assert_allclose(above(weight * x), [tail(betaincc, value) for value in x], rtol=1e-9)


@pytest.mark.parametrize("p", [1 - 0.999998373, 0.99999999996108], ids=["lower", "upper"])
def test_far_quantile_of_one_class_of_many_samples(p):
    """The distribution function is the probability again."""
    distribution = HierarchicalBetaAverage([0], [7767000])
    assert _one_class(0, 7767000)(betaincc, distribution.icdf(p)) == pytest.approx(1 - p, rel=1e-9)


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
    distribution = HierarchicalBetaAverage([99840], [99840], weights=[0.92], hyperprior=hyperprior)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        low, high = distribution.hdi(0.9)
    assert high == 0.92
    assert distribution.cdf(low) == pytest.approx(0.1, rel=1e-9)


def test_density_where_no_corner_counts():
    """A line that goes on where all corners have faded; the derivative of the tail's log."""
    distribution, x, h = HierarchicalBetaAverage([49, 35], [50, 36]), 1 / 3, 1e-4
    low, log_cdf, high = distribution.logcdf([x - h, x, x + h])
    expected = log_cdf + np.log((high - low) / (2 * h))
    assert distribution.logpdf(x) == pytest.approx(expected, abs=1e-5)
