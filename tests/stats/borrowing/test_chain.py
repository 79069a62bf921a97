"""Tests of the chain of rates and strengths over strata of class size."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from skpostbac.stats import HierarchicalBetaAverage, Hyperprior

REFERENCE = json.loads((Path(__file__).parents[2] / "reference/strata.json").read_text())
HARDER_WHEN_RARE = ([2, 2, 4, 3, 7, 10, 20, 39, 78, 155], [2, 2, 4, 4, 8, 16, 32, 64, 128, 256])
EASIER_WHEN_RARE = ([1, 1, 2, 2, 4, 13, 26, 51, 102, 205], HARDER_WHEN_RARE[1])


@pytest.mark.parametrize("record", REFERENCE.values(), ids=REFERENCE, scope="module")
def test_cdf(record):
    """By sums over all paths and outliers."""
    names = "kappa", "rate", "outlier", "stay", "move"
    distribution = HierarchicalBetaAverage(
        record["correct"],
        record["total"],
        weights=record["weights"],
        hyperprior=Hyperprior(**{name: record[name] for name in names}),
    )
    assert_allclose(distribution.cdf(record["x"]), record["cdf"], rtol=0, atol=1e-10)
    assert_allclose(distribution.ccdf(record["x"]), 1 - np.array(record["cdf"]), atol=1e-10)


def dense_rates(hyperprior):
    """Many rates, their prior weights, and the chances to move between them."""
    node, weight = special.roots_jacobi(260, hyperprior.rate - 1, hyperprior.rate - 1)
    node, weight = (1 + node) / 2, weight / weight.sum()
    x = np.arange(25)
    to_rate = stats.beta.pdf(node, hyperprior.rate + x[:, None], hyperprior.rate + 24 - x[:, None])
    to_rate /= stats.beta.pdf(node, hyperprior.rate, hyperprior.rate)
    return node, weight, stats.binom.pmf(x, 24, node[:, None]) @ (to_rate * weight)


def dense_moments(correct, total, hyperprior):
    """Mean and variance of the average by dense transitions between many rates."""
    correct, total = np.array(correct, float), np.array(total, float)
    strata = np.unique(np.floor(np.log2(total)), return_inverse=True)[1]
    node, weight, moved = dense_rates(hyperprior)
    n_kappa, share = len(hyperprior.kappa), hyperprior.outlier_share(total.size)
    within = hyperprior.stay * np.eye(node.size) + hyperprior.move * moved
    anew = 1 - hyperprior.stay - hyperprior.move
    table = np.zeros((n_kappa, node.size, 3))
    table[..., 0] = weight / n_kappa
    kappa = np.array(hyperprior.kappa)[:, np.newaxis]
    for stratum in range(strata.max() + 1):
        if stratum:
            new = anew / n_kappa * weight[:, None] * table.sum(axis=(0, 1))
            table = np.einsum("kix,ij->kjx", table, within) + new
        for i in np.flatnonzero(strata == stratum):
            parts = []
            for chance, a, b in (
                (share, 0.5 + 0 * kappa * node, 0.5 + 0 * kappa * node),
                (1 - share, 0.5 + kappa * node, 0.5 + kappa * (1 - node)),
            ):
                right, wrong = a + correct[i], b + total[i] - correct[i]
                evidence = chance * np.exp(special.betaln(right, wrong) - special.betaln(a, b))
                first = right / (right + wrong)
                second = first * (right + 1) / (right + wrong + 1)
                parts.append(evidence * np.array([np.ones_like(first), first, second]))
            e, m, q = sum(parts)
            old = table
            table = np.stack(
                [
                    old[..., 0] * e,
                    old[..., 1] * e + old[..., 0] * m,
                    old[..., 2] * e + 2 * old[..., 1] * m + old[..., 0] * q,
                ],
                axis=-1,
            )
    mass, first, second = table.sum(axis=(0, 1))
    return first / mass / total.size, (second / mass - (first / mass) ** 2) / total.size**2


@pytest.mark.parametrize(
    "counts",
    [HARDER_WHEN_RARE, EASIER_WHEN_RARE, ([4, 18, 150], [5, 20, 190]), ([3, 9, 40], [3, 9, 40])],
    ids=["harder", "easier", "three", "perfect"],
)
def test_mean_and_variance(counts):
    """By dense sums over rates, from the definition."""
    mean, variance = dense_moments(*counts, Hyperprior())
    distribution = HierarchicalBetaAverage(*counts)
    assert distribution.mean() == pytest.approx(mean, rel=1e-11)
    assert distribution.variance() == pytest.approx(variance, rel=1e-9)


def dense_outlier_probability(correct, total, place, hyperprior):
    """Posterior probability that one class borrows nothing, each class being a stratum."""
    node, weight, moved = dense_rates(hyperprior)
    n_kappa, share = len(hyperprior.kappa), hyperprior.outlier_share(len(total))
    b, kappa = hyperprior.base, np.array(hyperprior.kappa)[:, np.newaxis]
    table = np.stack([np.tile(weight / n_kappa, (n_kappa, 1))] * 2)
    for number, (k, n) in enumerate(zip(correct, total, strict=True)):
        if number:
            new = hyperprior.anew / n_kappa * weight * table.sum(axis=(1, 2), keepdims=True)
            table = hyperprior.stay * table + hyperprior.move * (table @ moved) + new
        first, second = b + kappa * node, b + kappa * (1 - node)
        logs = special.betaln(first + k, second + n - k) - special.betaln(first, second)
        none = share * np.exp(special.betaln(b + k, b + n - k) - special.betaln(b, b))
        either = none + (1 - share) * np.exp(logs)
        table = table * np.stack([either, none + 0 * either if number == place else either])
    either, none = table.sum(axis=(1, 2))
    return none / either


@pytest.mark.parametrize("place", [0, 1, 2])
def test_density_at_the_end_of_one_of_three_strata(place):
    """With a base of 1 it is that of an outlier, as likely as the counts of all strata make it."""
    hyperprior, n = Hyperprior(base=1.0, kappa=(6, 40)), [4, 16, 64]
    correct = [one if number == place else one // 3 for number, one in enumerate(n)]
    distribution = HierarchicalBetaAverage(correct, n, hyperprior=hyperprior).marginals()[place]
    expected = dense_outlier_probability(correct, n, place, hyperprior) * (n[place] + 1)
    assert distribution.pdf(1.0) == pytest.approx(expected, rel=1e-9)


def test_classes_without_samples_join_the_smallest_stratum():
    """They are thought to be like it, and a pool without samples has one stratum."""
    empty = HierarchicalBetaAverage([3, 0, 60], [4, 0, 64])
    alone = HierarchicalBetaAverage([3, 0], [4, 0])
    assert alone.means()[1] < empty.means()[1] < empty.means()[0] < empty.means()[2]
    assert HierarchicalBetaAverage([0, 0], [0, 0]).mean() == pytest.approx(0.5, rel=1e-12)


def test_strata_that_always_stay_are_one():
    """A chain that never changes is a single rate."""
    counts = ([3, 10, 50], [4, 12, 60])
    # 1 - .8 is less than .2 by rounding.
    assert Hyperprior(stay=0.8, move=0.2).anew == pytest.approx(0, abs=1e-15)
    chained = HierarchicalBetaAverage(*counts, hyperprior=Hyperprior(stay=1.0, move=0.0))
    one = HierarchicalBetaAverage(*counts, hyperprior=Hyperprior(strata=None))
    x = np.linspace(0.5, 0.95, 7)
    assert_allclose(chained.cdf(x), one.cdf(x), rtol=0, atol=1e-10)


def test_draws_follow_the_distribution(draws_pvalue):
    """Paths of states and classes given these."""
    distribution = HierarchicalBetaAverage(*HARDER_WHEN_RARE)
    draws = distribution.sample(20_000, rng=np.random.default_rng(4))
    assert draws_pvalue(draws, distribution.cdf) > 1e-3
