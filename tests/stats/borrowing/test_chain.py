"""Tests of the chain of rates and strengths over strata of class size."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from skpostbac.stats import HierarchicalBetaAverage, Hyperprior

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "reference/strata.json").read_text()
)
HARDER_WHEN_RARE = (
    [2, 2, 4, 3, 7, 10, 20, 39, 78, 155],
    [2, 2, 4, 4, 8, 16, 32, 64, 128, 256],
)
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
    assert_allclose(
        distribution.ccdf(record["x"]), 1 - np.array(record["cdf"]), atol=1e-10
    )


def dense_rates(hyperprior):
    """Many rates, their prior weights, and the chances to move between them."""
    node, weight = special.roots_jacobi(260, hyperprior.rate - 1, hyperprior.rate - 1)
    node, weight = (1 + node) / 2, weight / weight.sum()
    x = np.arange(25)
    to_rate = stats.beta.pdf(
        node, hyperprior.rate + x[:, None], hyperprior.rate + 24 - x[:, None]
    )
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
                evidence = chance * np.exp(
                    special.betaln(right, wrong) - special.betaln(a, b)
                )
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
    return first / mass / total.size, (
        second / mass - (first / mass) ** 2
    ) / total.size**2


@pytest.mark.parametrize(
    "counts",
    [
        HARDER_WHEN_RARE,
        EASIER_WHEN_RARE,
        ([4, 18, 150], [5, 20, 190]),
        ([3, 9, 40], [3, 9, 40]),
    ],
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
            new = (
                hyperprior.anew
                / n_kappa
                * weight
                * table.sum(axis=(1, 2), keepdims=True)
            )
            table = hyperprior.stay * table + hyperprior.move * (table @ moved) + new
        first, second = b + kappa * node, b + kappa * (1 - node)
        logs = special.betaln(first + k, second + n - k) - special.betaln(first, second)
        none = share * np.exp(special.betaln(b + k, b + n - k) - special.betaln(b, b))
        either = none + (1 - share) * np.exp(logs)
        table = table * np.stack(
            [either, none + 0 * either if number == place else either]
        )
    either, none = table.sum(axis=(1, 2))
    return none / either


@pytest.mark.parametrize("place", [0, 1, 2])
def test_density_at_the_end_of_one_of_three_strata(place):
    """With a base of 1 it is that of an outlier, as likely as the counts of all strata make it."""
    hyperprior, n = Hyperprior(base=1.0, kappa=(6, 40)), [4, 16, 64]
    correct = [one if number == place else one // 3 for number, one in enumerate(n)]
    distribution = HierarchicalBetaAverage(
        correct, n, hyperprior=hyperprior
    ).marginals()[place]
    expected = dense_outlier_probability(correct, n, place, hyperprior) * (n[place] + 1)
    assert distribution.pdf(1.0) == pytest.approx(expected, rel=1e-9)


def test_classes_without_samples_join_the_smallest_stratum():
    """They are thought to be like it, and a pool without samples has one stratum."""
    empty = HierarchicalBetaAverage([3, 0, 60], [4, 0, 64])
    alone = HierarchicalBetaAverage([3, 0], [4, 0])
    assert alone.means()[1] < empty.means()[1] < empty.means()[0] < empty.means()[2]
    assert HierarchicalBetaAverage([0, 0], [0, 0]).mean() == pytest.approx(
        0.5, rel=1e-12
    )


def test_strata_that_always_stay_are_one():
    """A chain that never changes is a single rate."""
    counts = ([3, 10, 50], [4, 12, 60])
    # 1 - .8 is less than .2 by rounding.
    assert Hyperprior(stay=0.8, move=0.2).anew == pytest.approx(0, abs=1e-15)
    chained = HierarchicalBetaAverage(
        *counts, hyperprior=Hyperprior(stay=1.0, move=0.0)
    )
    one = HierarchicalBetaAverage(*counts, hyperprior=Hyperprior(strata=None))
    x = np.linspace(0.5, 0.95, 7)
    assert_allclose(chained.cdf(x), one.cdf(x), rtol=0, atol=1e-10)


def weighted_draws(correct, total, weights, size, rng):
    """Draw the sum given states from their prior, and the evidence for these, by the definition."""
    prior, correct, total = Hyperprior(), np.array(correct), np.array(total)
    b, m, outlier = prior.base, prior.rate, prior.outlier_share(total.size)
    strata, draws, log_evidence = (
        np.floor(np.log(total) / np.log(prior.strata)),
        0.0,
        0.0,
    )
    mu, kappa = rng.beta(m, m, size), rng.choice(prior.kappa, size)
    for number in np.unique(strata):
        if number > strata.min():
            step = rng.choice(3, size, p=[prior.stay, prior.move, prior.anew])
            x = rng.binomial(24, mu)
            moved, anew = rng.beta(m + x, m + 24 - x), rng.beta(m, m, size)
            mu = np.choose(step, [mu, moved, anew])
            kappa = np.where(step == 2, rng.choice(prior.kappa, size), kappa)
        for i in np.flatnonzero(strata == number):
            k, wrong = correct[i], total[i] - correct[i]
            up, down = b + mu * kappa, b + (1 - mu) * kappa
            borrows = np.log1p(-outlier) + special.betaln(up + k, down + wrong)
            borrows -= special.betaln(up, down)
            alone = (
                np.log(outlier)
                + special.betaln(b + k, b + wrong)
                - special.betaln(b, b)
            )
            log_evidence += np.logaddexp(borrows, alone)
            other = rng.random(size) < special.expit(alone - borrows)
            up, down = np.where(other, b, up), np.where(other, b, down)
            draws += weights[i] * rng.beta(up + k, down + wrong)
    return draws, np.exp(log_evidence - log_evidence.max())


@pytest.mark.parametrize(
    ("counts", "weights"),
    [
        (([1, 3, 5, 28], [4, 4, 8, 32]), np.full(4, 0.25)),
        (([775, 2, 765],) * 2, [0.31016, 0.45896, -0.1427]),
    ],
    ids=["harder", "perfect"],
)
def test_weighted_draws(counts, weights):
    """Also beside many corners, which must not blur each other: the distribution rises."""
    distribution = HierarchicalBetaAverage(*counts, weights=weights)
    draws, evidence = weighted_draws(
        *counts, weights, 400_000, np.random.default_rng(4)
    )
    x = distribution.icdf([0.02, 0.2, 0.5, 0.8, 0.98])
    shares = ((draws <= x[:, np.newaxis]) * evidence).sum(axis=1) / evidence.sum()
    error = np.sqrt((evidence**2).sum()) / evidence.sum()
    assert error < 0.02
    assert_allclose(distribution.cdf(x), shares, rtol=0, atol=2 * error)
    assert (np.diff(distribution.cdf(np.linspace(x[0], x[-1], 501))) >= -1e-9).all()
