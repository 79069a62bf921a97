"""The default prior is the same wherever classes have one, and what it means."""

import inspect

import numpy as np
import pytest
from scipy import stats

import skpostbac
from skpostbac import (
    ClassCounts,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    compare_predictions,
    posterior_balanced_accuracy,
    posterior_confusion_metric,
)
from skpostbac.metrics import PriorInfluenceWarning


def callables():
    """Yield the public functions and classes, and the class methods that make instances."""
    for module in [
        skpostbac,
        *(getattr(skpostbac, name) for name in ("displays", "metrics")),
    ]:
        for name in module.__all__:
            one = getattr(module, name)
            if not callable(one):
                continue
            yield name, one
            if inspect.isclass(one):
                methods = inspect.getmembers(one, inspect.ismethod)
                yield from ((f"{name}.{method}", bound) for method, bound in methods)


def defaults():
    """Return the default of `prior` by the name of what takes one."""
    signatures = {}
    for name, one in callables():
        try:
            signatures[name] = inspect.signature(one)
        except ValueError:  # of a class that is written in C, such as an exception
            continue
    found = {
        name: signature.parameters["prior"].default
        for name, signature in signatures.items()
        if "prior" in signature.parameters and not name.startswith("_")
    }
    return {name: value for name, value in found.items() if isinstance(value, str)}


def test_every_public_default_is_the_same():
    """Calibrated where classes have a prior, Jeffreys' where the accuracy itself has one."""
    found = defaults()
    accuracy = ("posterioraccuracy", "posterior_accuracy")
    expected = {
        name: "jeffreys" if name.lower().startswith(accuracy) else "calibrated"
        for name in found
    }
    assert found == expected
    assert len(found) >= 20
    assert {"posterior_accuracy", "required_test_size", "make_posterior_scorer"} <= set(
        found
    )


def weakened(k, n, n_classes):
    """Return the Beta posterior of a class with the strength of 1.5 - 2 / l observations less."""
    size = n + 2 / n_classes
    kept = 1 - min(n, max(1.5 - 2 / n_classes, 0)) / size
    return stats.beta(kept * (k + 1 / n_classes), kept * (n - k + 1 / n_classes))


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7, 50])
def test_classes_in_the_average_are_weaker_and_keep_their_means(n_classes):
    """Mean and variance of the average, with fractional and without samples, against scipy."""
    total = np.resize([40, 3, 1, 0.25, 0], n_classes)
    correct = np.resize([30, 3, 0, 0.125, 0], n_classes)
    posterior = PosteriorBalancedAccuracy(ClassCounts(range(n_classes), correct, total))
    classes = [weakened(k, n, n_classes) for k, n in zip(correct, total, strict=True)]
    variance = sum(one.var() for one in classes) / n_classes**2
    assert posterior.mean() == pytest.approx(
        np.mean([one.mean() for one in classes]), rel=1e-13
    )
    assert posterior.distribution.variance() == pytest.approx(variance, rel=1e-12)
    plain = PosteriorBalancedAccuracy(
        posterior.counts, prior=(1 / n_classes, 1 / n_classes)
    )
    for prior in (plain.prior, posterior.prior):
        np.testing.assert_array_equal([prior.a, prior.b], 1 / n_classes)
    assert plain.mean() == pytest.approx(posterior.mean(), rel=1e-13)
    assert plain != posterior  # with another number of classes, they would differ
    assert (plain.distribution.variance() < posterior.distribution.variance()) == (
        n_classes > 1
    )
    for prior in ("uniform", "jeffreys", "neutral"):
        a = {"uniform": 1, "jeffreys": 1 / 2, "neutral": 1 / 3}[prior]
        other = PosteriorBalancedAccuracy(posterior.counts, prior=prior)
        variance = (
            stats.beta(a + correct, a + total - correct).var().sum() / n_classes**2
        )
        assert other.distribution.variance() == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize("n_classes", [2, 7])
def test_a_class_by_itself_has_the_prior_of_jeffreys(n_classes):
    """The hull of the shortest and the equal-tailed interval of Beta(k + 1/2, n - k + 1/2)."""
    correct, total = np.resize([30, 4], n_classes), np.resize([40, 4], n_classes)
    posterior = PosteriorBalancedAccuracy.from_counts(correct, total)
    low, high = (posterior.table()[name] for name in ("low", "high"))
    for i, recall in posterior.recalls().items():
        expected = stats.beta(correct[i] + 1 / 2, total[i] - correct[i] + 1 / 2)
        assert recall.mean() == pytest.approx(expected.mean(), rel=1e-13)
        assert recall.interval() == pytest.approx(expected.interval(0.95), rel=1e-9)
        tails = np.linspace(0, 0.05, 20_001)
        ends = expected.ppf(tails), expected.ppf(0.95 + tails)
        shortest = np.argmin(ends[1] - ends[0])
        assert low[i] == pytest.approx(
            min(ends[0][shortest], expected.ppf(0.025)), abs=1e-4
        )
        assert high[i] == pytest.approx(
            max(ends[1][shortest], expected.ppf(0.975)), abs=1e-4
        )
    explicit = PosteriorBalancedAccuracy.from_counts(correct, total, prior=(0.2, 0.2))
    expected = stats.beta(correct[0] + 0.2, total[0] - correct[0] + 0.2)
    assert explicit.recalls()[0].variance() == pytest.approx(expected.var(), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "recalls"),
    [((3, 30), (0.5, 0.995)), ((5, 50), (0.6, 0.98)), ((3, 3), (0.7, 0.95))],
)
def test_intervals_hold_where_a_rare_class_is_harder(sizes, recalls):
    """Coverage of two classes over all outcomes; the shortest interval of the first has .75."""
    outcomes = [
        stats.binom(n, p).pmf(np.arange(n + 1))
        for n, p in zip(sizes, recalls, strict=True)
    ]
    held = {"hull": 0.0, "hdi": 0.0}
    for k, m in np.ndindex(sizes[0] + 1, sizes[1] + 1):
        chance = outcomes[0][k] * outcomes[1][m]
        posterior = PosteriorBalancedAccuracy(ClassCounts(["a", "b"], [k, m], sizes))
        for method in held:
            low, high = posterior.credible_interval(method=method)
            held[method] += chance * (low <= np.mean(recalls) <= high)
    assert held["hull"] >= 0.87
    if sizes == (3, 30):
        assert held["hdi"] < 0.8


def test_two_classifiers_have_margins_of_the_default():
    """Cells of 0 and 1 / l: each classifier by itself has the posterior that it has alone."""
    y_true, y_one, y_two = (
        [0] * 6 + [1] * 5,
        [0] * 5 + [1] * 6,
        [1] * 3 + [0] * 4 + [1] * 4,
    )
    comparison = compare_predictions(y_true, {"one": y_one, "two": y_two})
    for y_pred, posterior in zip((y_one, y_two), comparison.posteriors, strict=True):
        assert posterior == posterior_balanced_accuracy(y_true, y_pred)
    difference = comparison.difference("one", "two")
    # In class 0 three samples are right by one alone and one by two alone, in class 1 one by one.
    n, one, two = (
        np.array([6, 5]) + 1,
        np.array([3, 1]) + 1 / 2,
        np.array([1, 0]) + 1 / 2,
    )
    # Half a sample's strength is taken away; a cell has 1e-6 at least.
    n, one, two = ((n - 0.5) / n * number for number in (n, one, two))
    p, q = (one - 1e-6) / n, (two - 1e-6) / n
    assert difference.mean() == pytest.approx((p - q).mean(), rel=1e-12)
    variances = (p + q - (p - q) ** 2) / (n + 1)  # of a Dirichlet distribution
    assert difference.variance() == pytest.approx(variances.sum() / 4, rel=1e-12)


def test_nothing_weaker_is_advised_than_the_default():
    """All of two predictions wrong, which moves F1 far: the advice is not the prior that it has."""
    with pytest.warns(
        PriorInfluenceWarning, match="each class, test more samples"
    ) as record:
        posterior_confusion_metric(
            [0, 1], [1, 0], "f1_macro", n_draws=2000, random_state=0
        )
    with pytest.warns(
        PriorInfluenceWarning,
        match="each class, use a weaker prior, such as 'reciprocal'",
    ):
        posterior_confusion_metric(
            [0, 1], [1, 0], "f1_macro", prior="uniform", n_draws=2000, random_state=0
        )
    assert len(record) == 1


@pytest.mark.parametrize("prior", ["jeffreys", "neutral"])
def test_of_two_classes_nothing_is_weaker_than_reciprocal(prior):
    """It is Jeffreys' prior there, and stronger than the neutral one."""
    with pytest.warns(PriorInfluenceWarning, match="test more samples"):
        PosteriorConfusionMetric.from_confusion_matrix(
            [[2, 0], [3, 0]], "geometric_mean", prior=prior
        )


@pytest.mark.parametrize("n_classes", [2_000, 20_000])
def test_one_sample_of_each_of_many_classes(n_classes):
    """The mean is that of the prior, and the distribution exists; as that of a pair does."""
    ones = np.ones(n_classes)
    posterior = PosteriorBalancedAccuracy(ClassCounts(range(n_classes), ones, ones))
    assert posterior.mean() == pytest.approx(
        (1 + 1 / n_classes) / (1 + 2 / n_classes), rel=1e-9
    )
    assert 0 < posterior.standard_deviation() < 1e-3
