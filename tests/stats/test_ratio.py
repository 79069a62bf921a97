"""Ratios: ball arithmetic, closed forms, and other engines."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import roots_sh_jacobi

from skpostbac.stats import BetaAverage, BetaRatio

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "ratios.json").read_text(
        encoding="utf-8"
    )
)
TABLES = REFERENCE["tables"]
LEVELS = np.array([1e-9, 0.025, 0.3, 0.5, 0.9, 0.999])
ONES = np.ones((2, 2))


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
            beta(tp, fp), beta(tp + fp, fn + tn), [[0, -0.25], [0, 1]], ONES
        )
    weight = float(name.removeprefix("sampled f")) ** 2
    top = [1 + weight] * 2
    return BetaRatio(beta(tp, fn + fp), beta(fn, fp), [[0, 0], top], [[1, weight], top])


# Ratios


@pytest.mark.parametrize(
    ("metrics", "shares"),
    [
        ({"precision", "sampled f2", "net benefit"}, {0.3, None}),
        pytest.param(
            {value["metric"] for value in REFERENCE["values"]},
            {0.3, 0.01, None},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["one of each kind", "all"],
)
@pytest.mark.parametrize("table", TABLES)
def test_probabilities_in_ball_arithmetic(table, metrics, shares):
    """Both tails, with finite logs however small they are."""
    # A log-odds beyond 4e7 is known to 1e-8, and so is the log density there.
    absolute, ratios, cells = (
        {"prior of 1e-6": 1e-10}.get(table, 1e-12),
        {},
        TABLES[table],
    )
    for value in REFERENCE["values"]:
        name, share = key = value["metric"], value["share"]
        if value["table"] != table or name not in metrics or share not in shares:
            continue
        if key not in ratios:
            ratios[key] = (
                sampled(name, cells) if share is None else known(name, cells, share)
            )
        ratio, exact, t = (
            ratios[key],
            [float(value["cdf"]), float(value["ccdf"])],
            value["t"],
        )
        assert_allclose([ratio.cdf(t), ratio.ccdf(t)], exact, rtol=0, atol=absolute)
        assert np.isfinite([ratio.logcdf(t), ratio.logccdf(t)]).all()
    assert ratios


@pytest.mark.parametrize("errors", [1.0, 0.3, 0.1], ids=["kink", "pole", "steep pole"])
def test_all_called_positive(errors):
    """P(precision <= t) = P((1 - t) p recall <= t q alarms); amid the support both may be one.

    The density of the log-odds has a pole there, whose mass counts, and which rounding blurs.
    """
    precision = known("precision", (9.0, errors, 25.0, errors), 0.3)
    for t in np.append(
        precision.icdf([1e-4, 0.1, 0.5, 0.9]), 0.3 + np.array([-1e-3, 1e-3])
    ):
        total = BetaAverage([9, 25], [errors] * 2, weights=[0.3 * (1 - t), -0.7 * t])
        expected = [total.cdf(0), total.ccdf(0)]
        assert_allclose(
            [precision.cdf(t), precision.ccdf(t)], expected, rtol=0, atol=1e-7
        )


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_sums_are_those_of_a_signed_sum(size):
    """The same with an average of several Betas, added one by one or by their series."""
    rng = np.random.default_rng(size)
    a, b, weights = (
        rng.uniform(1, 5, size),
        rng.uniform(5, 40, size),
        rng.dirichlet(np.ones(size)),
    )
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
    # The weight x^(a - 1) (1 - x)^(b - 1).
    (x, u), (y, v) = (
        roots_sh_jacobi(40, a + b - 1, a) for a, b in ((6, 3), (2.5, 4.5))
    )
    first, second = np.stack([1 - x, x]), np.stack([1 - y, y])
    values = (first.T @ numerator @ second) / (first.T @ denominator @ second)
    mass = np.outer(u / u.sum(), v / v.sum())
    mean = (mass * values).sum()
    central = [(mass * (values - mean) ** k).sum() for k in (2, 3, 4)]
    expected = [
        mean,
        central[0],
        central[1] / central[0] ** 1.5,
        central[2] / central[0] ** 2 - 3,
    ]
    found = [
        ratio.mean(),
        ratio.variance(),
        ratio.skewness(),
        ratio.kurtosis(convention="excess"),
    ]
    assert_allclose(found, expected, rtol=1e-9)


def test_variables_and_forms_change_places():
    """P(N / D <= t) = P(D / N >= 1 / t); transposed forms and complements are the same ratio."""
    n, d = np.array([[1, 2], [3, 3.5]]), np.array([[2, 5], [4, 6]])
    first, second, no_first, no_second = (
        beta(6, 3),
        beta(2.5, 40.5),
        beta(3, 6),
        beta(40.5, 2.5),
    )
    ratio, inverse = BetaRatio(first, second, n, d), BetaRatio(first, second, d, n)
    t = ratio.icdf([1e-9, 1e-3, 0.2, 0.7, 0.99])
    for other in (
        BetaRatio(second, first, n.T, d.T),
        BetaRatio(no_first, second, n[::-1], d[::-1]),
        BetaRatio(no_first, no_second, n[::-1, ::-1], d[::-1, ::-1]),
    ):
        assert_allclose(other.cdf(t), ratio.cdf(t), rtol=0, atol=1e-13)
    assert_allclose(ratio.cdf(t), inverse.ccdf(1 / t), rtol=0, atol=1e-13)
    assert_allclose(ratio.ccdf(t), inverse.cdf(1 / t), rtol=0, atol=1e-13)
    assert_allclose(ratio.pdf(t), inverse.pdf(1 / t) / t**2, rtol=1e-9)


@pytest.mark.parametrize("size", [1e6, 1e8], ids=["1e6", "1e8"])
def test_many_samples_without_one_kind_of_error(size):
    """Rounding is not taken for structure, which took minutes; SciPy's Beta has the quantiles."""
    f1 = BetaRatio(
        beta(size, size), beta(0.5, size), [[0, 0], [2, 2]], [[1, 1], [2, 2]]
    )
    share = stats.beta(size, size).ppf(LEVELS)
    assert_allclose(f1.icdf(LEVELS), 2 * share / (1 + share), rtol=1e-10)


def odds_tails(x, factors):
    """P(first A + second B > x) for A and B of Gamma(1 / 2)."""
    first, second = factors
    if second == 0:
        return stats.gamma(0.5).sf(x / first)
    # In polar coordinates: a Gamma(1) variable times a factor at a uniform angle.
    angle = (np.arange(200) + 0.5) * np.pi / 400
    scale = first * np.cos(angle) ** 2 + second * np.sin(angle) ** 2
    return np.exp(-np.divide.outer(x, scale)).mean(axis=1)


@pytest.mark.parametrize(
    ("name", "factors"),
    [("npv", [1, 0]), ("jaccard", [1, 1]), ("f1", [0.5, 0.5]), ("f2", [0.8, 0.2])],
)
@pytest.mark.parametrize("size", [1e3, 1e6, 1e14], ids=str)
def test_many_samples_without_errors(name, factors, size):
    """Of n samples of each class without errors the odds of an error are Gamma variables.

    The distribution of n times the share of errors differs from Gamma(1 / 2) by a share of 1 / n,
    under Jeffreys' prior.
    """
    ratio = known(name, (size + 0.5, 0.5, 0.5, size + 0.5), 0.5)
    x = 1 - np.array([0.03, 0.4, 1, 2, 7]) / size
    expected = odds_tails(size * (1 - x) / x, factors)
    assert_allclose(ratio.cdf(x), expected, rtol=100 / size + 1e-11)


@pytest.mark.parametrize("least", [1e-2, 1e-6])
def test_tiny_exponents_take_bounded_work(least):
    """They took minutes, or raised."""
    low, high = known("f2", (12 + least, least, least, 30 + least), 0.3).interval()
    assert 0 < low <= high <= 1


def test_shortest_interval_beside_a_steep_end():
    """The density of the log-odds is zero at places that a Newton step visits."""
    denominator = np.array([[0.7, 0.58], [0.42, 0.3]])
    kappa = BetaRatio(
        beta(30.05, 0.05), beta(1.05, 11.05), [[0, -0.42], [0.42, 0]], denominator
    )
    low, high = kappa.hdi()
    below = kappa.cdf(low)
    assert below + kappa.ccdf(high) == pytest.approx(0.05, abs=1e-12)
    # The densities are equal 1e-14 below 1, which next to nothing of the length is about.
    for share in (0.5, 0.9, 0.999):
        other = kappa.iccdf(0.05 - share * below) - kappa.icdf(share * below)
        assert high - low <= other + 1e-11


def test_a_variable_without_influence():
    """The ratio is a function of the other one, here itself."""
    for forms in ([[0, 0], [1, 1]], [[0, 1], [0, 1]]):
        ratio = BetaRatio(beta(7, 3), beta(7, 3), forms, ONES)
        assert_allclose(ratio.icdf(LEVELS), stats.beta(7, 3).ppf(LEVELS), rtol=1e-10)
        assert ratio.mean() == pytest.approx(0.7, rel=1e-13)


@pytest.mark.parametrize("share", [1e-3, 0.5])
def test_a_class_without_hits_among_many(share):
    """Far out, no place of the curve is near the mode of a variable."""
    index = known("jaccard", (0.5, 797.5, 1.5, 2.5), share)
    # The index is at most x where theta is at most x (1 + y (1 - share) / share).
    q = (np.arange(4000) + 0.5) / 4000
    factor = 1 + stats.beta(1.5, 2.5).ppf(q) * (1 - share) / share
    x = index.icdf([0.025, 0.5, 0.975])
    below = stats.beta(0.5, 797.5).cdf(np.multiply.outer(x, factor)).mean(axis=1)
    assert_allclose(index.cdf(x), below, rtol=0, atol=2e-5)


PAIR = beta(2, 1), beta(1, 2)
REFUSED = {
    "first": ((1, PAIR[1], ONES, ONES), TypeError, "first must be a BetaAverage"),
    "second": ((PAIR[0], "x", ONES, ONES), TypeError, "second must be a Beta"),
    "shape": ((*PAIR, [0, 1], ONES), ValueError, r"numerator must have the shape"),
    "nan": ((*PAIR, ONES, ONES * np.nan), ValueError, "denominator must be finite"),
    "negative": ((*PAIR, ONES, -ONES), ValueError, "denominator must be positive"),
    "unbounded": (
        (*PAIR, [[0, 0], [1, 1]], [[0, 1], [0, 1]]),
        ValueError,
        "or zero where the numerator is also zero",
    ),
    "constant": ((*PAIR, ONES, 2 * ONES), ValueError, "must not be constant, got 0.5"),
    "saddle": ((*PAIR, np.eye(2), ONES), ValueError, "must not have a saddle"),
}


@pytest.mark.parametrize(
    ("arguments", "error", "message"), REFUSED.values(), ids=REFUSED
)
def test_refusals(arguments, error, message):
    """One clear error, which names the argument."""
    with pytest.raises(error, match=message):
        BetaRatio(*arguments)
