"""Ratios of bilinear forms: ball arithmetic, transformed Betas, signed sums, and invariants."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import roots_sh_jacobi

from skpostbac.stats import BetaAverage, BetaRatio
from skpostbac.stats._ratio import density

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "reference" / "ratios.json").read_text(encoding="utf-8")
)
TABLES = REFERENCE["tables"]
LEVELS = np.array([1e-9, 0.025, 0.3, 0.5, 0.9, 0.999])


def beta(a, b):
    return BetaAverage([a], [b])


def known(name, cells, share):
    """A metric at known shares, from the recall and the false positive rate."""
    tp, fn, fp, tn = cells
    right = np.array([[0, 0], [share, share]])
    alarms = np.array([[0, 1 - share], [0, 1 - share]])
    missed, quiet = right[::-1], alarms[:, ::-1]
    forms = {
        "precision": (right, right + alarms),
        "npv": (quiet, quiet + missed),
        "jaccard": (right, right + alarms + missed),
        "f1": (2 * right, 2 * right + alarms + missed),
        "f2": (5 * right, 5 * right + alarms + 4 * missed),
    }
    return BetaRatio(beta(tp, fn), beta(fp, tn), *forms[name])


def sampled(name, cells):
    """A metric of sampled cells, from independent shares of sums of them."""
    tp, fn, fp, tn = cells
    if name == "net benefit":
        return BetaRatio(
            beta(tp, fp), beta(tp + fp, fn + tn), [[0, -0.25], [0, 1]], np.ones((2, 2))
        )
    weight = float(name.removeprefix("sampled f")) ** 2
    top = [1 + weight] * 2
    return BetaRatio(beta(tp, fn + fp), beta(fn, fp), [[0, 0], top], [[1, weight], top])


def ratio_of(name, cells, share):
    return sampled(name, cells) if share is None else known(name, cells, share)


RATIOS = {
    "precision": known("precision", (21.5, 3.5, 8.5, 40.5), 0.3),
    "f1 of few": known("f1", (2.5, 1.5, 1.5, 3.5), 0.3),
    "no errors": known("jaccard", (12.5, 0.5, 0.5, 30.5), 0.01),
    "kink": known("precision", (9.0, 1.0, 25.0, 1.0), 0.3),
    "pole": known("f1", (0.5, 0.5, 0.5, 0.5), 0.3),
    "large": known("npv", (8e5, 2e5, 3e4, 1e6), 0.01),
    "net benefit": sampled("net benefit", (21.5, 3.5, 8.5, 40.5)),
    "sum": BetaRatio(
        beta(20, 4),
        BetaAverage([2, 3, 1.5], [30, 20, 40], weights=[0.5, 0.3, 0.2]),
        [[0, 0], [0.2, 0.2]],
        [[0, 0.8], [0.2, 1]],
    ),
}
every_ratio = pytest.mark.parametrize("ratio", RATIOS.values(), ids=RATIOS)


# Independent values


# A log-odds beyond 4e7 is known to 1e-8, and so is the log density there.
COARSE = {"prior of 1e-6": 1e-10}


def check(table, metrics, shares):
    """Both tails to 1e-12, with finite logs however small they are."""
    absolute = COARSE.get(table, 1e-12)
    ratios = {}
    for value in REFERENCE["values"]:
        key = value["metric"], value["share"]
        if value["table"] != table or key[0] not in metrics or key[1] not in shares:
            continue
        ratio = ratios.setdefault(key, ratio_of(value["metric"], TABLES[table], value["share"]))
        exact, t = np.array([float(value["cdf"]), float(value["ccdf"])]), value["t"]
        np.testing.assert_allclose([ratio.cdf(t), ratio.ccdf(t)], exact, rtol=0, atol=absolute)
        assert np.isfinite([ratio.logcdf(t), ratio.logccdf(t)]).all()
    assert ratios


@pytest.mark.parametrize("table", TABLES)
def test_probabilities_in_ball_arithmetic(table):
    """One metric of each kind."""
    check(table, {"precision", "sampled f2", "net benefit"}, {0.3, None})


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_all_probabilities_in_ball_arithmetic(table):
    """All metrics, and where one sample in a hundred is positive."""
    check(table, {value["metric"] for value in REFERENCE["values"]}, {0.3, 0.01, None})


@pytest.mark.parametrize(
    "cells", [(21.5, 3.5, 8.5, 40), (0.5, 1.5, 7, 1), (0.1, 0.2, 5, 9)], ids=str
)
def test_sampled_f1_is_a_transformed_beta_variable(cells):
    """F1 = 2 J / (1 + J) of Jaccard's index J: distribution, density and quantiles by SciPy."""
    tp, fn, fp, _ = cells
    jaccard, f1 = stats.beta(tp, fn + fp), sampled("sampled f1", cells)
    t = np.linspace(0.02, 0.98, 25)
    j = t / (2 - t)
    np.testing.assert_allclose(f1.cdf(t), jaccard.cdf(j), rtol=0, atol=1e-13)
    np.testing.assert_allclose(f1.ccdf(t), jaccard.sf(j), rtol=0, atol=1e-13)
    density = jaccard.pdf(j) * 2 / (2 - t) ** 2
    np.testing.assert_allclose(f1.pdf(t), density, rtol=0, atol=1e-10 * density.max())
    quantiles = jaccard.ppf(LEVELS[1:])
    np.testing.assert_allclose(f1.icdf(LEVELS[1:]), 2 * quantiles / (1 + quantiles), rtol=1e-10)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_sums_are_those_of_a_signed_sum(size):
    """The same with an average of several Betas, added one by one or by their series."""
    rng = np.random.default_rng(size)
    a, b, weights = rng.uniform(1, 5, size), rng.uniform(5, 40, size), rng.dirichlet(np.ones(size))
    first, second = beta(20, 4), BetaAverage(a, b, weights=weights)
    ratio = BetaRatio(first, second, [[0, 0], [0.2, 0.2]], [[0, 0.8], [0.2, 1]])
    for p in (1e-6, 0.2, 0.8, 0.9999):
        t = float(ratio.icdf(p))
        form = np.append(0.2 * (1 - t), -0.8 * t * weights)
        total = BetaAverage(np.append(20, a), np.append(4, b), weights=form)
        assert total.cdf(0) == pytest.approx(p, abs=1e-12)


def test_moments_by_gauss_jacobi_quadrature():
    """Mean, variance, skewness and kurtosis of a ratio without a corner at 0 / 0."""
    numerator, denominator = np.array([[1, 2], [3, 3.5]]), np.array([[2, 5], [4, 6]])
    ratio = BetaRatio(beta(6, 3), beta(2.5, 4.5), numerator, denominator)
    nodes = [
        roots_sh_jacobi(40, a + b - 1, a)  # the weight x^(a - 1) (1 - x)^(b - 1)
        for a, b in ((6, 3), (2.5, 4.5))
    ]
    (x, u), (y, v) = [(place, weight / weight.sum()) for place, weight in nodes]
    first, second = np.stack([1 - x, x]), np.stack([1 - y, y])
    values = (first.T @ numerator @ second) / (first.T @ denominator @ second)
    mass = np.outer(u, v)
    mean = (mass * values).sum()
    central = [(mass * (values - mean) ** k).sum() for k in (2, 3, 4)]
    expected = [mean, central[0], central[1] / central[0] ** 1.5, central[2] / central[0] ** 2 - 3]
    found = [ratio.mean(), ratio.variance(), ratio.skewness(), ratio.kurtosis()]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert ratio.standard_deviation() == pytest.approx(central[0] ** 0.5, rel=1e-10)


@every_ratio
def test_draws_of_the_variables(ratio):
    """The ratio of random draws has the distribution, to five standard errors."""
    n, rng = 40_000, np.random.default_rng(1)
    theta, y = (
        np.stack([1 - place, place])
        for place in (variable.sample(n, rng=rng) for variable in (ratio.first, ratio.second))
    )
    forms = [
        np.einsum("in,ij,jn->n", theta, form, y) for form in (ratio.numerator, ratio.denominator)
    ]
    draws = forms[0] / forms[1]
    error = 5 * ratio.standard_deviation() / n**0.5
    assert draws.mean() == pytest.approx(ratio.mean(), abs=error)
    p = np.linspace(0.05, 0.95, 7)
    np.testing.assert_allclose(
        [np.mean(draws <= x) for x in ratio.icdf(p)], p, rtol=0, atol=5 * 0.5 / n**0.5
    )


# Invariants


@every_ratio
def test_quantiles_are_where_the_probabilities_are(ratio):
    """To 1e-12, from either side, but for the spacing of doubles; and both tails add up to one."""
    for quantile, tail in ((ratio.icdf, ratio.cdf), (ratio.iccdf, ratio.ccdf)):
        x = np.asarray(quantile(LEVELS))
        rounding = np.asarray(ratio.pdf(x)) * np.spacing(np.abs(x))
        np.testing.assert_array_less(np.abs(tail(x) - LEVELS), 1e-12 + 2 * rounding)
        np.testing.assert_allclose(ratio.cdf(x) + ratio.ccdf(x), 1, rtol=0, atol=1e-14)
    low, high = ratio.support()
    assert [ratio.cdf(low), ratio.ccdf(high), ratio.cdf(high)] == [0, 0, 1]
    assert (ratio.icdf(0), ratio.icdf(1)) == (low, high)


@every_ratio
def test_shortest_interval(ratio):
    """It holds its probability, and is no longer than the central one."""
    low, high = ratio.hdi(0.9)
    assert ratio.cdf(low, high) == pytest.approx(0.9, abs=1e-9)
    central = ratio.interval(0.9)
    assert high - low <= (central.high - central.low) * (1 + 1e-12)
    assert low <= ratio.mode() <= high


def test_numerator_and_denominator_change_places():
    """P(N / D <= t) = P(D / N >= 1 / t)."""
    numerator, denominator = [[1, 2], [3, 3.5]], [[2, 5], [4, 6]]
    pair = beta(6, 3), beta(2.5, 40.5)
    ratio, other = (
        BetaRatio(*pair, numerator, denominator),
        BetaRatio(*pair, denominator, numerator),
    )
    t = np.asarray(ratio.icdf([1e-9, 1e-3, 0.2, 0.7, 0.99]))
    np.testing.assert_allclose(ratio.cdf(t), other.ccdf(1 / t), rtol=0, atol=1e-13)
    np.testing.assert_allclose(ratio.ccdf(t), other.cdf(1 / t), rtol=0, atol=1e-13)
    np.testing.assert_allclose(ratio.pdf(t), np.asarray(other.pdf(1 / t)) / t**2, rtol=1e-9)


@pytest.mark.parametrize("name", ["precision", "f2", "npv"])
def test_variables_change_places(name):
    """Transposed forms, or complements of a variable, are the same ratio."""
    tp, fn, fp, tn = cells = (21.5, 3.5, 8.5, 40.5)
    ratio = known(name, cells, 0.3)
    n, d = ratio.numerator, ratio.denominator
    others = [
        BetaRatio(beta(fp, tn), beta(tp, fn), n.T, d.T),
        BetaRatio(beta(fn, tp), beta(fp, tn), n[::-1], d[::-1]),
        BetaRatio(beta(fn, tp), beta(tn, fp), n[::-1, ::-1], d[::-1, ::-1]),
    ]
    t = np.asarray(ratio.icdf([1e-9, 0.1, 0.5, 0.9]))
    for other in others:
        np.testing.assert_allclose(other.cdf(t), ratio.cdf(t), rtol=0, atol=1e-13)


@pytest.mark.parametrize("size", [1e6, 1e8], ids=["1e6", "1e8"])
def test_many_samples_without_one_kind_of_error(monkeypatch, size):
    """Rounding is not taken for structure, which took minutes; SciPy's Beta has the quantiles."""
    rows, original = [], density._trapezoid
    monkeypatch.setattr(
        density,
        "_trapezoid",
        lambda curve, window: rows.append(len(curve.flip)) or original(curve, window),
    )
    f1 = BetaRatio(beta(size, size), beta(0.5, size), [[0, 0], [2, 2]], [[1, 1], [2, 2]])
    share = stats.beta(size, size).ppf(LEVELS)
    np.testing.assert_allclose(f1.icdf(LEVELS), 2 * share / (1 + share), rtol=1e-10)
    assert sum(rows) < 2000


@pytest.mark.parametrize("name", ["precision", "f1", "f2", "npv", "jaccard"])
@pytest.mark.parametrize("size", [1e3, 1e6, 1e10, 1e14], ids=str)
def test_many_samples_without_errors(monkeypatch, name, size):
    """A table takes few points of the integrand, and has the distribution of Gamma variables.

    Of n samples of each class without errors, n times the share of errors has a distribution that
    differs from Gamma(1 / 2) by a share of 1 / n, under Jeffreys' prior. The odds of an error are a
    weighted sum of both.
    """
    points, original = [], density._Curves.log_integrand
    monkeypatch.setattr(
        density._Curves,
        "log_integrand",
        lambda curve, p: points.append(p.size) or original(curve, p),
    )
    ratio = known(name, (size + 0.5, 0.5, 0.5, size + 0.5), 0.5)
    factors = {"precision": [1, 0], "npv": [1, 0], "jaccard": [1, 1], "f1": [0.5, 0.5]}
    x = 1 - np.array([0.03, 0.4, 1, 2, 7]) / size
    odds = size * (1 - x) / x
    expected = odds_tails(odds, factors.get(name, [0.8, 0.2]))
    np.testing.assert_allclose(ratio.cdf(x), expected, rtol=100 / size + 1e-11)
    assert sum(points) < 300_000


@pytest.mark.parametrize("least", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("name", ["f2", "npv"])
def test_tiny_exponents_take_bounded_work(monkeypatch, name, least):
    """They took minutes, or raised; the pieces of an integral grow like the log of an inverse."""
    points, original = [], density._Curves.log_integrand
    monkeypatch.setattr(
        density._Curves,
        "log_integrand",
        lambda curve, p: points.append(p.size) or original(curve, p),
    )
    ratio = known(name, (12 + least, least, least, 30 + least), 0.3)
    low, high = ratio.interval()
    assert 0 < low <= high <= 1
    assert sum(points) < 5_000_000


@pytest.mark.parametrize("name", ["precision", "f2", "jaccard"])
@pytest.mark.parametrize("table", ["moderate", "large", "no errors"])
def test_first_panels_are_seldom_cut(monkeypatch, name, table):
    """Panels follow an outline of the density; halving equal ones took up to nine rounds."""
    rounds, original = [], density.LogRatio.log_density
    monkeypatch.setattr(
        density.LogRatio,
        "log_density",
        lambda ratio, u: rounds.append(1) or original(ratio, u),
    )
    known(name, TABLES[table], 0.3).mean()
    assert len(rounds) <= 4


def test_shortest_interval_beside_a_steep_end():
    """The density of the log-odds is zero at places that a Newton step visits."""
    kappa = BetaRatio(beta(30.05, 0.05), beta(1.05, 11.05), [[0, -0.42], [0.42, 0]], KAPPA)
    low, high = kappa.hdi()
    below = kappa.cdf(low)
    assert below + kappa.ccdf(high) == pytest.approx(0.05, abs=1e-12)
    # The densities are equal 1e-14 below 1, which next to nothing of the length is about.
    for share in (0.5, 0.9, 0.999):
        other = kappa.iccdf(0.05 - share * below) - kappa.icdf(share * below)
        assert high - low <= other + 1e-11


KAPPA = np.array([[0.7, 0.58], [0.42, 0.3]])


def odds_tails(x, factors):
    """P(first A + second B > x) for A and B of Gamma(1 / 2)."""
    first, second = factors
    if second == 0:
        return stats.gamma(0.5).sf(x / first)
    # In polar coordinates: a Gamma(1) variable times a factor at a uniform angle.
    angle = (np.arange(200) + 0.5) * np.pi / 400
    scale = first * np.cos(angle) ** 2 + second * np.sin(angle) ** 2
    return np.exp(-np.divide.outer(x, scale)).mean(axis=1)


def test_a_variable_without_influence():
    """The ratio is a function of the other one, here itself."""
    for forms in ([[0, 0], [1, 1]], [[0, 1], [0, 1]]):
        ratio = BetaRatio(beta(7, 3), beta(7, 3), forms, np.ones((2, 2)))
        np.testing.assert_allclose(ratio.icdf(LEVELS), stats.beta(7, 3).ppf(LEVELS), rtol=1e-10)
        assert ratio.mean() == pytest.approx(0.7, rel=1e-13)


def test_tails_far_below_the_smallest_double():
    """Logs stay finite and never rise."""
    ratio = RATIOS["precision"]
    x = np.array([1e-3, 1e-6, 1e-9, 1e-12, 1e-300])
    logs = np.asarray(ratio.logcdf(x))
    assert np.isfinite(logs).all()
    assert (np.diff(logs) <= 0).all()
    assert (ratio.cdf(x) < 1e-30).all()


@pytest.mark.parametrize("share", [1e-3, 0.5])
def test_a_class_without_hits_among_many(share):
    """Far out, no place of the curve is near the mode of a variable."""
    index = known("jaccard", (0.5, 797.5, 1.5, 2.5), share)
    # The index is at most x where theta is at most x (1 + y (1 - share) / share).
    q = (np.arange(4000) + 0.5) / 4000
    factor = 1 + stats.beta(1.5, 2.5).ppf(q) * (1 - share) / share
    x = index.icdf([0.025, 0.5, 0.975])
    below = stats.beta(0.5, 797.5).cdf(np.multiply.outer(x, factor)).mean(axis=1)
    np.testing.assert_allclose(index.cdf(x), below, rtol=0, atol=2e-5)


# Refusals

ONES = np.ones((2, 2))
PAIR = beta(2, 1), beta(1, 2)
REFUSED = {
    "first": (lambda: BetaRatio(1, PAIR[1], ONES, ONES), TypeError, "first must be a BetaAverage"),
    "second": (lambda: BetaRatio(PAIR[0], "x", ONES, ONES), TypeError, "second must be a Beta"),
    "shape": (lambda: BetaRatio(*PAIR, [0, 1], ONES), ValueError, r"numerator must have the shape"),
    "nan": (
        lambda: BetaRatio(*PAIR, ONES, ONES * np.nan),
        ValueError,
        "denominator must be finite",
    ),
    "negative": (lambda: BetaRatio(*PAIR, ONES, -ONES), ValueError, "denominator must be positive"),
    "unbounded": (
        lambda: BetaRatio(*PAIR, [[0, 0], [1, 1]], [[0, 1], [0, 1]]),
        ValueError,
        "or zero where the numerator is also zero",
    ),
    "constant": (
        lambda: BetaRatio(*PAIR, ONES, 2 * ONES),
        ValueError,
        "must not be constant, got 0.5",
    ),
    "saddle": (lambda: BetaRatio(*PAIR, np.eye(2), ONES), ValueError, "must not have a saddle"),
}


@pytest.mark.parametrize(("make", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(make, error, message):
    """One clear error, which names the argument."""
    with pytest.raises(error, match=message):
        make()
