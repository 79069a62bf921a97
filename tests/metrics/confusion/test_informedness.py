"""Informedness, which is 2 BA - 1 and exact, and the geometric mean of the recalls."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import balanced_accuracy_score

from skpostbac import (
    PosteriorConfusionMetric,
    compare_posteriors,
    compare_predictions,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    posterior_confusion_metric,
)

from_matrix = PosteriorConfusionMetric.from_confusion_matrix
C = np.array([[17, 3], [2, 7]])
THREE = np.array([[17, 2, 1], [3, 12, 0], [0, 4, 5]])
RNG = np.random.default_rng(0)
Y_TRUE = np.repeat([0, 1], [50, 30])
ONE, TWO, OTHER = (
    np.where(RNG.random(80) < p, Y_TRUE, 1 - Y_TRUE) for p in (0.7, 0.8, 0.6)
)


def sum_cdf(x, one, two):
    """Return P(X + Y <= x) of two SciPy variables on [0, 1], by Gauss-Legendre quadrature.

    Densities of integer parameters are polynomials, and so the parts between x - 1 and x, where
    the other variable is within its range, are integrated exactly.
    """
    nodes, weights = np.polynomial.legendre.leggauss(80)
    total = 0.0
    ends = np.unique(np.clip([0, x - 1, x, 1], 0, 1))
    for low, high in pairwise(ends):
        t = low + (high - low) * (nodes + 1) / 2
        total += (high - low) / 2 * (weights @ (one.pdf(t) * two.cdf(x - t)))
    return total


def test_informedness_is_the_sum_of_two_betas():
    """Less 1, under uniform priors of both recalls; without draws."""
    posterior = from_matrix(C, "informedness", prior="uniform")
    one, two = stats.beta(18, 4), stats.beta(8, 3)
    for x in (-0.5, 0.1, 0.4, 0.6, 0.8, 0.95):
        assert posterior.distribution.cdf(x) == pytest.approx(
            sum_cdf(1 + x, one, two), abs=1e-10
        )
    assert posterior.mean() == pytest.approx(18 / 22 + 8 / 11 - 1, rel=1e-13)
    assert posterior.distribution.variance() == pytest.approx(
        one.var() + two.var(), rel=1e-12
    )
    assert posterior.observed == pytest.approx(17 / 20 + 7 / 9 - 1, rel=1e-13)
    summary = posterior.summary()
    assert (
        summary["monte_carlo_error"]
        == summary["low_error"]
        == summary["high_error"]
        == 0
    )
    assert repr(posterior).startswith("PosteriorConfusionMetric('informedness', mean=")
    assert ", exact)" in repr(posterior)
    low, high = posterior.distribution.support()
    assert (low, high) == (-1, 1)


@pytest.mark.parametrize(
    "prior", ["calibrated", "reciprocal", "jeffreys", (2, 1)], ids=str
)
def test_informedness_is_the_adjusted_balanced_accuracy(prior):
    """Of two classes (BA - 1/2) / (1 - 1/2), as scikit-learn adjusts it, is 2 BA - 1."""
    posterior = posterior_confusion_metric(Y_TRUE, ONE, "informedness", prior=prior)
    expected = balanced_accuracy_score(Y_TRUE, ONE, adjusted=True)
    assert posterior.observed == pytest.approx(expected, rel=1e-12)
    scores = {
        "mean": posterior.mean(),
        "lower": posterior.distribution.iccdf(0.9),
        "upper": posterior.distribution.icdf(0.9),
    }
    for objective, score in scores.items():
        balanced = posterior_balanced_accuracy_score(
            Y_TRUE, ONE, objective=objective, level=0.9, prior=prior
        )
        assert score == pytest.approx(2 * balanced - 1, abs=1e-12)
    balanced = posterior_balanced_accuracy(Y_TRUE, ONE, prior=prior)
    ends = np.array(balanced.credible_interval())
    np.testing.assert_allclose(
        posterior.credible_interval(), 2 * ends - 1, rtol=0, atol=1e-9
    )


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
def test_informedness_in_groups():
    """As the average of both recalls, whose interval groups make wider."""
    options = {"groups": np.arange(80) // 8}
    informed, recall = (
        posterior_confusion_metric(Y_TRUE, ONE, metric, **options)
        for metric in ("informedness", "recall_macro")
    )
    ends = np.array(recall.credible_interval())
    np.testing.assert_allclose(
        informed.credible_interval(), 2 * ends - 1, rtol=0, atol=1e-9
    )
    assert informed.design_effects == recall.design_effects is not None


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("prior", ["calibrated", "uniform"])
def test_pairs_of_informedness_are_exact(prior, count):
    """Differences are twice those of the balanced accuracy, and have no Monte Carlo error."""
    predictions = dict(list({"one": ONE, "two": TWO, "other": OTHER}.items())[:count])
    options = {"prior": prior, "n_draws": 1000, "random_state": 0}
    balanced = compare_predictions(Y_TRUE, predictions, **options)
    informed = compare_predictions(
        Y_TRUE, predictions, metric="informedness", **options
    )
    levels = [0.001, 0.025, 0.3, 0.5, 0.8, 0.975]
    found = informed.difference("one", "two").icdf(levels)
    # Both solve for the quantiles, up to an error of the cdf of 1e-10.
    expected = 2 * balanced.difference("one", "two").icdf(levels)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        informed.prob_greater(), balanced.prob_greater(), rtol=0, atol=1e-12
    )
    assert not informed.monte_carlo_error().prob_greater.any()
    if count == 2:
        assert not informed.monte_carlo_error().expected_loss.any()
        np.testing.assert_allclose(
            informed.expected_loss(), 2 * balanced.expected_loss()
        )
        text = informed.report()
        assert "draws" not in text
        assert informed.posteriors[0].summary()["monte_carlo_error"] == 0
    assert informed.posteriors[0].prior == balanced.posteriors[0].prior


def test_independent_classifiers():
    """Of different samples, each with its own posterior."""
    one, two = (from_matrix(matrix, "youden_j") for matrix in (C, C[::-1, ::-1] + 5))
    comparison = compare_posteriors({"one": one, "two": two})
    difference = comparison.difference("one", "two")
    spread = np.sqrt(one.distribution.variance() + two.distribution.variance())
    # Four standard errors of 100,000 draws, and more of a standard deviation.
    assert difference.mean() == pytest.approx(
        one.mean() - two.mean(), abs=0.013 * spread
    )
    assert difference.standard_deviation() == pytest.approx(spread, rel=0.02)


def test_informedness_is_of_two_classes():
    """Its generalisation to more is another number, and 2 BA - 1 has no meaning there."""
    for name in ("informedness", "youden_j", "bookmaker_informedness"):
        with pytest.raises(
            ValueError, match=r"metric='informedness' is for 2 classes, got 3"
        ):
            from_matrix(THREE, name)
    with pytest.raises(ValueError, match="is for 2 classes, got 3"):
        compare_predictions(
            [0, 1, 2], {"a": [0, 1, 2], "b": [2, 1, 0]}, metric="informedness"
        )
    for options in ({"pos_label": 1}, {"average": "micro"}):
        with pytest.raises(
            ValueError, match=f"^{next(iter(options))}.* does not apply"
        ):
            from_matrix(C, "informedness", **options)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("youden_j", "informedness"),
        ("bookmaker_informedness", "informedness"),
        ("g_mean", "geometric_mean"),
        ("geometric_mean_score", "geometric_mean"),  # as in imbalanced-learn
    ],
)
def test_aliases(alias, name):
    """They give the same metric, by its own name."""
    found, expected = (
        from_matrix(C, one, random_state=0, n_draws=99) for one in (alias, name)
    )
    assert found == expected
    assert found.metric == name


@pytest.mark.parametrize(
    ("prior", "size"), [("uniform", 1), ("reciprocal", 1 / 3), ("calibrated", 1 / 3)]
)
def test_geometric_mean_by_draws_of_betas(prior, size):
    """Which NumPy makes; the default counts as its Beta distribution, as in all but averages."""
    n_draws = 200_000
    posterior = from_matrix(
        THREE, "geometric_mean", prior=prior, n_draws=n_draws, random_state=1
    )
    right, total = np.diag(THREE), THREE.sum(axis=1)
    rng = np.random.default_rng(2)
    recalls = rng.beta(size + right, size + total - right, (n_draws, 3))
    draws = recalls.prod(axis=1) ** (1 / 3)
    # Both are drawn, in equal numbers.
    error = np.sqrt(2 / n_draws)
    assert posterior.mean() == pytest.approx(draws.mean(), abs=4 * error * draws.std())
    assert posterior.standard_deviation() == pytest.approx(draws.std(), rel=4 * error)
    for share in (0.025, 0.5, 0.975):
        found = np.mean(draws <= posterior.distribution.icdf(share))
        assert found == pytest.approx(
            share, abs=4 * error * np.sqrt(share * (1 - share))
        )
    assert posterior.observed == pytest.approx(
        (right / total).prod() ** (1 / 3), rel=1e-12
    )
    assert posterior.summary()["monte_carlo_error"] == pytest.approx(
        draws.std() / np.sqrt(n_draws), rel=0.05
    )


def test_geometric_mean_of_a_pair():
    """By joint draws: their mean is the difference of both means, and errors are told."""
    comparison = compare_predictions(
        Y_TRUE,
        {"one": ONE, "two": TWO},
        metric="g_mean",
        n_draws=20_000,
        random_state=0,
    )
    one, two = comparison.posteriors
    difference = comparison.difference("one", "two")
    error = difference.standard_deviation() / np.sqrt(20_000)
    errors = [posterior.summary()["monte_carlo_error"] for posterior in (one, two)]
    expected = one.mean() - two.mean()
    assert difference.mean() == pytest.approx(
        expected, abs=4 * np.hypot(error, np.sum(errors))
    )
    assert comparison.monte_carlo_error().prob_greater[0, 1] > 0
