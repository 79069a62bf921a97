"""Costs and net benefits: against reference values, identities and random matrices."""

import re
import warnings

import numpy as np
import pytest
from scipy import special, stats

from skpostbac import PosteriorConfusionMetric
from skpostbac.metrics import ExpectedCost, NetBenefit, PriorInfluenceWarning
from tests.texts import sentences

from_matrix = PosteriorConfusionMetric.from_confusion_matrix

C = np.array([[166, 25], [21, 188]])
THREE = np.array([[50, 3, 7], [4, 60, 1], [2, 9, 30]])
N_DRAWS = 200_000
CASES = {
    "three values": (C, ExpectedCost([[0, 1], [10, 0]]), "sampled"),
    "gain": (C, ExpectedCost([[0, 1], [10, -4]]), (0.7, 0.3)),
    "two values": (C, ExpectedCost([[2, 5], [2, 2]]), "sampled"),
    "class left out": (C, ExpectedCost([[0, 1], [10, 0]]), (0, 1)),
    "rows of two values": (
        THREE,
        ExpectedCost([[0, 4, 4], [1, -1, 1], [9, 9, 2]]),
        "observed",
    ),
    "net benefit": (C, NetBenefit(0.3), "sampled"),
    "net benefit of known shares": (C, NetBenefit(0.1), (0.9, 0.1)),
    "net benefit of one of three": (THREE, NetBenefit(0.6), "sampled"),
}


def payoffs_of(metric, n_classes):
    """Return what each cell costs or brings."""
    if isinstance(metric, ExpectedCost):
        return np.array(metric.costs)
    payoffs = np.zeros((n_classes, n_classes))
    payoffs[:, 1] = -metric.threshold / (1 - metric.threshold)
    payoffs[1, 1] = 1
    return payoffs


@pytest.mark.parametrize(("matrix", "metric", "prevalence"), CASES.values(), ids=CASES)
def test_exact_distributions_are_those_of_random_matrices(matrix, metric, prevalence):
    """Matrices of Dirichlet rows, or of one Dirichlet matrix; up to five standard errors."""
    k = len(matrix)
    options = {} if isinstance(metric, ExpectedCost) else {"pos_label": 1}
    posterior = from_matrix(matrix, metric, prevalence=prevalence, **options)
    assert posterior.summary()["monte_carlo_error"] == 0
    # The default prior of each recall is Beta(1 / k, 1 / k), and the latter is shared.
    cells = matrix + np.where(np.eye(k) > 0, 1 / k, 1 / (k * (k - 1)))
    draws = np.random.default_rng(0).standard_gamma(cells, (N_DRAWS, k, k))
    if prevalence != "sampled":
        shares = (
            matrix.sum(axis=1) if prevalence == "observed" else np.array(prevalence)
        )
        draws *= shares[:, np.newaxis] / draws.sum(axis=2, keepdims=True)
    draws /= draws.sum(axis=(1, 2), keepdims=True)
    values = np.einsum("nij,ij->n", draws, payoffs_of(metric, k))
    error = values.std() / np.sqrt(N_DRAWS)
    assert posterior.mean() == pytest.approx(values.mean(), abs=5 * error)
    assert posterior.standard_deviation() == pytest.approx(values.std(), rel=0.005)
    levels = np.array([0.01, 0.2, 0.5, 0.9])
    found = posterior.distribution.cdf(np.quantile(values, levels))
    np.testing.assert_allclose(found, levels, rtol=0, atol=2.5 / np.sqrt(N_DRAWS))


@pytest.mark.parametrize("prevalence", ["sampled", "observed", (0.1, 0.2, 0.7)])
def test_equal_costs_of_errors_are_the_error_rate(prevalence):
    """The expected cost is one less the accuracy."""
    accuracy = from_matrix(THREE, "accuracy", prevalence=prevalence)
    cost = from_matrix(THREE, ExpectedCost(1 - np.eye(3)), prevalence=prevalence)
    x = np.array([0.05, 0.1, 0.15, 0.3])
    np.testing.assert_allclose(
        cost.distribution.cdf(x), accuracy.distribution.ccdf(1 - x), rtol=0, atol=1e-13
    )
    assert cost.observed == pytest.approx(1 - accuracy.observed, rel=1e-14)


def test_net_benefit_at_even_odds_by_quadrature():
    """(TP - FP) / n is S (2 P - 1), of the share S of positives and the precision P."""
    posterior = from_matrix(C, NetBenefit(0.5), pos_label=1)
    (_, fp), (_, tp) = C + 0.5
    share = stats.beta(tp + fp, (C[:, 0] + 0.5).sum())
    precision = stats.beta(tp, fp)
    s = share.ppf((np.arange(20_000) + 0.5) / 20_000)
    for x in (0.3, 0.4, 0.45):
        expected = precision.sf((1 + x / s) / 2).mean()
        assert posterior.prob_above(x) == pytest.approx(expected, rel=1e-5)


def test_many_costs_are_drawn():
    """Four different ones with sampled shares, and three in a row."""
    metric = ExpectedCost([[0, 1, 2], [3, 0, 1], [2, 3, 0]])
    for prevalence in ("sampled", "observed"):
        posterior = from_matrix(THREE, metric, prevalence=prevalence, random_state=0)
        assert posterior.summary()["monte_carlo_error"] > 0
        assert posterior.observed == pytest.approx(
            ((THREE * metric.costs).sum()) / THREE.sum()
        )


@pytest.mark.parametrize(
    ("matrix", "prevalence"),
    [(C, "sampled"), (C, (0.9, 0.1)), (THREE, "sampled")],
    ids=["two", "two of known shares", "three"],
)
def test_likelihood_ratios_are_those_of_random_matrices(matrix, prevalence):
    """Of recall and false positive rate, which are independent; and observed as scikit-learn's."""
    k = len(matrix)
    cells = matrix + np.where(np.eye(k) > 0, 1 / 2, 1 / (2 * (k - 1)))
    draws = np.random.default_rng(0).standard_gamma(cells, (N_DRAWS, k, k))
    tp, fn = draws[:, 1, 1], draws[:, 1].sum(axis=1) - draws[:, 1, 1]
    fp = draws[:, :, 1].sum(axis=1) - tp
    tn = draws.sum(axis=(1, 2)) - tp - fn - fp
    values = {
        "positive_likelihood_ratio": tp / (tp + fn) / (fp / (fp + tn)),
        "negative_likelihood_ratio": fn / (tp + fn) / (tn / (fp + tn)),
    }
    levels = np.array([0.02, 0.3, 0.5, 0.95])
    for name, drawn in values.items():
        posterior = from_matrix(matrix, name, pos_label=1, prevalence=prevalence)
        found = posterior.distribution.cdf(np.quantile(drawn, levels))
        np.testing.assert_allclose(found, levels, rtol=0, atol=2.5 / np.sqrt(1e5))


class RatioByQuadrature:
    """The ratio of two independent Beta variables, tabulated at logarithms."""

    def __init__(self, above, below):
        top, bottom = stats.beta(*above), stats.beta(*below)
        z = np.linspace(-60, 30, 2001)
        y = special.expit(z)
        mass = bottom.pdf(y) * y * special.expit(-z) * (z[1] - z[0])
        self.log_x = np.linspace(-12, 24, 3601)
        x = np.exp(self.log_x)[:, np.newaxis]
        self.cdf = top.cdf(x * y) @ mass

    def quantile(self, p):
        return np.exp(np.interp(p, self.cdf, self.log_x))

    def shortest(self, level):
        low = np.linspace(0, 1 - level, 20_001) ** 3 / (1 - level) ** 2
        ends = self.quantile([low, low + level])
        return ends[:, np.argmin(ends[1] - ends[0])]


@pytest.mark.parametrize(
    ("sign", "matrix"),
    [
        ("positive", C),
        ("positive", [[30, 2], [2, 18]]),
        ("positive", [[30, 1], [2, 18]]),
        ("positive", [[30, 0], [2, 18]]),
        # The false alarms are in the numerator, where nothing is infinite.
        ("negative", C),
        ("negative", [[50, 0], [0, 50]]),
    ],
    ids=["many", "two false alarms", "one", "none", "negative", "no errors"],
)
@pytest.mark.slow
def test_likelihood_ratios_by_quadrature(matrix, sign):
    """Mean, quantiles and both intervals within four of the standard errors that are told."""
    posterior = from_matrix(matrix, f"{sign}_likelihood_ratio", pos_label=1)
    (tn, fp), (fn, tp) = np.array(matrix) + 0.5
    above, below = ((tp, fn), (fp, tn)) if sign == "positive" else ((fn, tp), (tn, fp))
    known = RatioByQuadrature(above, below)
    levels = np.array([0.02, 0.3, 0.5, 0.95])
    error = np.sqrt(levels * (1 - levels) / 1e5)
    found = posterior.distribution.cdf(known.quantile(levels))
    assert (np.abs(found - levels) < 4 * error).all()
    a, b = below
    assert (posterior.mean() == np.inf) == (a <= 1)
    assert (posterior.standard_deviation() == np.inf) == (a <= 2)
    if a > 2:
        mean = above[0] / sum(above) * (a + b - 1) / (a - 1)
        error = 4 * posterior.summary()["monte_carlo_error"]
        assert posterior.mean() == pytest.approx(mean, abs=error)
    expected = {
        "central": known.quantile([0.025, 0.975]),
        "hdi": known.shortest(0.95),
    }
    for method, ends in expected.items():
        interval = posterior.credible_interval(method=method)
        errors = posterior.distribution.credible_interval_error(method=method)
        # A beginning at zero is a grid point.
        assert (np.abs(np.subtract(interval, ends)) < 4 * np.array(errors) + 1e-5).all()
    for p in (0.1, 0.5, 0.9):
        low, high = known.quantile([p - 0.02, p + 0.02])
        height = posterior.distribution.pdf(np.linspace(low, high, 101)).mean()
        assert height * (high - low) == pytest.approx(0.04, rel=0.05)


def test_average_likelihood_ratios_without_false_alarms():
    """The mean is infinite if that of one class is; of small numbers no digit is lost."""
    matrix = [[30, 0, 0], [2, 18, 1], [0, 0, 12]]
    for prevalence in ("sampled", "observed"):
        posterior = from_matrix(
            matrix, "positive_likelihood_ratio", prevalence=prevalence
        )
        assert posterior.mean() == np.inf
        summed = from_matrix(
            matrix, "positive_likelihood_ratio", average="micro", prevalence=prevalence
        )
        assert np.isfinite(summed.mean())
    present = from_matrix(
        [[30, 0, 9], [2, 18, 1], [0, 0, 12]],
        "positive_likelihood_ratio",
        pos_label=2,
        prevalence=[0, 0.5, 0.5],
    )
    assert present.standard_deviation() == np.inf


def test_the_median_stands_for_an_infinite_mean():
    """In the repr, the report and the table, which says why; no false alarms, two misses."""
    ratio = from_matrix([[30, 0], [2, 18]], "positive_likelihood_ratio", pos_label=1)
    rng = np.random.default_rng(0)
    draws = rng.beta(18.5, 2.5, 10**6) / rng.beta(0.5, 30.5, 10**6)
    assert ratio.median() == pytest.approx(np.median(draws), rel=0.01)
    assert ratio.mean() == np.inf
    assert (
        f"('positive_likelihood_ratio of 1', median={ratio.median():.3f}, 95% CI"
        in repr(ratio)
    )
    first, second, third = sentences(ratio).splitlines()
    assert first.startswith(
        "The positive likelihood ratio of class 1 is inf on the test samples; for new "
        f"samples expect {ratio.median():.3f} (median; 95%"
    )
    assert (
        second
        == "The mean is infinite, because a denominator close to 0 is too likely."
    )
    error = (
        np.sqrt(0.25 / 1e5)
        / stats.gaussian_kde(np.log(draws[:20_000]))(np.log(ratio.median()))
        * ratio.median()
    )
    told = re.search(r"errors: median (\S+), ends", third)[1]
    assert float(told) == pytest.approx(error.item(), rel=0.15)
    assert "monte_carlo_error" not in repr(ratio)
    assert "posterior median is" in ratio.methods_text()
    assert ">median</th>" in ratio._repr_html_()
    finite = from_matrix(C, "positive_likelihood_ratio", pos_label=1)
    assert "mean=" in repr(finite)
    assert "infinite" not in sentences(finite)
    one = from_matrix([[30, 1], [2, 18]], "positive_likelihood_ratio", pos_label=1)
    assert "median=" in repr(one)
    assert "The standard deviation is infinite" in sentences(one)


def test_threshold_next_to_one_is_told_from_one():
    """In its name, with numbers of few digits beside it."""
    metric = NetBenefit(1 - 1e-16)
    posterior = from_matrix([[50, 10], [5, 35]], metric)
    assert posterior.metric == "net benefit of 1 at 0.9999999999999999"
    for text in (sentences(posterior), repr(posterior), posterior._repr_html_()):
        assert not re.search(r"\d{10}", text.replace("0.9999999999999999", ""))


def test_infinite_ratio_without_errors_gives_no_warning():
    """Any prior moves it, and no other prior would help."""
    with warnings.catch_warnings(action="error", category=PriorInfluenceWarning):
        posterior = from_matrix(
            [[50, 0], [0, 50]], "positive_likelihood_ratio", prior="jeffreys"
        )
    assert posterior.observed == np.inf
