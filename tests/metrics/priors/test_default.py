"""The default prior is the same wherever classes have one, and what it means."""

import inspect
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import skpostbac
from skpostbac import (
    ClassCounts,
    PosteriorBalancedAccuracy,
    compare_predictions,
    posterior_balanced_accuracy,
    posterior_confusion_metric,
)
from skpostbac.metrics import PriorInfluenceWarning
from skpostbac.metrics._priors import DEFAULT_ACCURACY_PRIOR, DEFAULT_PRIOR


def callables():
    """Yield the public functions and classes, and the class methods that make instances."""
    for module in [skpostbac, *(getattr(skpostbac, name) for name in ("displays", "metrics"))]:
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
    """Reciprocal where classes have a prior, Jeffreys' where the accuracy itself has one."""
    found = defaults()
    expected = {
        name: DEFAULT_ACCURACY_PRIOR if "accuracy" in parts(name) else DEFAULT_PRIOR
        for name in found
    }
    assert found == expected
    assert (DEFAULT_PRIOR, DEFAULT_ACCURACY_PRIOR) == ("reciprocal", "jeffreys")
    assert len(found) >= 20
    assert {"posterior_accuracy", "required_test_size", "make_posterior_scorer"} <= set(found)


def parts(name):
    """Return "accuracy" for the posterior of the plain accuracy, by any name."""
    return {"accuracy"} if name.startswith(("PosteriorAccuracy", "posterior_accuracy")) else set()


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7, 50])
def test_recalls_have_the_reciprocal_of_the_number_of_classes(n_classes):
    """Beta(k + 1 / l, n - k + 1 / l) of each class, against scipy."""
    posterior = PosteriorBalancedAccuracy.from_counts([30] * n_classes, [40] * n_classes)
    expected = stats.beta(30 + 1 / n_classes, 10 + 1 / n_classes)
    for recall in posterior.recalls().values():
        assert recall.interval() == pytest.approx(expected.interval(0.95), rel=1e-9)


def test_all_classes_together_are_pulled_as_one():
    """Without samples the sum of the exponents is that of one flat prior; the mean keeps near."""
    for n_classes in (2, 10, 100):
        posterior = PosteriorBalancedAccuracy.from_counts([10] * n_classes, [10] * n_classes)
        size = Fraction(1, n_classes)
        assert posterior.prior.sum() == pytest.approx(2, rel=1e-12)
        assert posterior.mean() == pytest.approx(float((10 + size) / (10 + 2 * size)), rel=1e-14)


def test_two_classifiers_have_margins_of_the_default():
    """Cells of 1 / (2 l): each classifier by itself has the posterior that it has alone."""
    y_true, y_one, y_two = [0] * 6 + [1] * 5, [0] * 5 + [1] * 6, [1] * 3 + [0] * 4 + [1] * 4
    comparison = compare_predictions(y_true, {"one": y_one, "two": y_two})
    for y_pred, posterior in zip((y_one, y_two), comparison.posteriors, strict=True):
        assert posterior == posterior_balanced_accuracy(y_true, y_pred)
    difference = comparison.difference("one", "two")
    # In class 0 three samples are right by one alone and one by two alone, in class 1 one by one.
    n, one, two = np.array([6, 5]) + 1, np.array([3, 1]) + 1 / 4, np.array([1, 0]) + 1 / 4
    p, q = one / n, two / n
    assert difference.mean() == pytest.approx((p - q).mean(), rel=1e-12)
    variances = (p + q - (p - q) ** 2) / (n + 1)  # of a Dirichlet distribution
    assert difference.variance() == pytest.approx(variances.sum() / 4, rel=1e-12)


@pytest.mark.filterwarnings("error::skpostbac.metrics.PriorInfluenceWarning")
@pytest.mark.parametrize(
    ("correct", "total"),
    [([9, 8], [10, 10]), ([8] * 40 + [6] * 10, [8] * 50), ([8] * 50, [8] * 50)],
    ids=["two classes of ten", "fifty classes of eight", "no errors"],
)
def test_the_default_moves_little(correct, total):
    """There is nothing to warn of."""
    y_true = np.repeat(np.arange(len(total)), total)
    rank = np.concatenate([np.arange(n) for n in total])
    y_pred = np.where(rank < np.repeat(correct, total), y_true, (y_true + 1) % len(total))
    posterior = posterior_balanced_accuracy(y_true, y_pred)
    assert posterior.counts == ClassCounts(range(len(total)), correct, total)


def test_nothing_weaker_is_advised_than_the_default():
    """All of two predictions wrong, which moves F1 far: the advice is not the prior that it has."""
    with pytest.warns(PriorInfluenceWarning, match="each class, test more samples") as record:
        posterior_confusion_metric([0, 1], [1, 0], "f1_macro", n_draws=2000, random_state=0)
    with pytest.warns(
        PriorInfluenceWarning, match="each class, use a weaker prior, such as 'reciprocal'"
    ):
        posterior_confusion_metric(
            [0, 1], [1, 0], "f1_macro", prior="uniform", n_draws=2000, random_state=0
        )
    assert len(record) == 1
