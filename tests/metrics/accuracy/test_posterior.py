"""The posterior accuracy: published values, SciPy's Beta distribution, pooling."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    posterior_accuracy,
    posterior_balanced_accuracy,
)
from skpostbac.stats import Hyperprior


def posterior_of(correct, total, **options):
    """Return the posterior for counts of classes 0, 1, ..."""
    return PosteriorAccuracy(ClassCounts(range(len(total)), correct, total), **options)


def test_slides_of_brodersen():
    """Example 1: TP 40, FN 5, FP 8, TN 2 gives Beta(43, 14) under their flat prior."""
    posterior = posterior_of([40, 2], [45, 10], prior="uniform")
    assert (posterior.distribution.a, posterior.distribution.b) == (43, 14)
    assert posterior.mean() == pytest.approx(43 / 57, rel=1e-15)
    assert posterior.mode() == pytest.approx(42 / 55, rel=1e-12)


@given(
    correct=st.integers(0, 500),
    wrong=st.integers(0, 500),
    prior=st.sampled_from([(1, 1), (0.5, 0.5), (2, 7)]),
)
def test_agrees_with_scipy(correct, wrong, prior):
    """Mean, median, interval and tails are those of the Beta distribution of eq. 8."""
    posterior = posterior_of([correct], [correct + wrong], prior=prior)
    distribution = stats.beta(prior[0] + correct, prior[1] + wrong)
    interval = posterior.credible_interval(0.9, method="central")
    found = [posterior.mean(), posterior.median(), *interval]
    expected = [distribution.mean(), *distribution.ppf([0.5, 0.05, 0.95])]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert posterior.standard_deviation() == pytest.approx(distribution.std(), rel=1e-12)
    assert posterior.prob_above(0.7) == pytest.approx(distribution.sf(0.7), rel=1e-9, abs=1e-300)
    assert posterior.prob_below(0.7) == pytest.approx(distribution.cdf(0.7), rel=1e-9, abs=1e-300)
    assert posterior.pdf(0.7) == pytest.approx(distribution.pdf(0.7), rel=1e-9, abs=1e-300)


def test_labels_and_weights_are_those_of_the_balanced_accuracy():
    """Both posteriors are made of the same counts."""
    y_true, y_pred = ["a", "a", "b", "c"], ["a", "d", "b", "a"]
    options = {"labels": ["b", "a"], "sample_weight": [20, 5.5, 10, 3], "weight_type": "case"}
    counts = posterior_accuracy(y_true, y_pred, **options).counts
    assert counts == posterior_balanced_accuracy(y_true, y_pred, **options).counts


NAMES = ["ham", "spam"]
MATRIX = pd.DataFrame([[7, 1], [2, 3]], index=NAMES, columns=NAMES)
TABLES = {
    "lists": ("from_counts", [[7, 3], [8, 5]], {"classes": NAMES}),
    "series": ("from_counts", [pd.Series([7, 3], NAMES), MATRIX.sum(axis=1)], {}),
    "array": ("from_confusion_matrix", [MATRIX.to_numpy()], {"labels": NAMES}),
    "frame": ("from_confusion_matrix", [MATRIX], {}),
}


@pytest.mark.parametrize(("method", "table", "names"), TABLES.values(), ids=TABLES)
def test_tables_are_those_of_the_balanced_accuracy(method, table, names):
    """Numbers and matrices, with labels of their own or of pandas: the same counts."""
    balanced = getattr(PosteriorBalancedAccuracy, method)(*table, **names)
    posterior = getattr(PosteriorAccuracy, method)(*table, **names)
    assert posterior.counts == balanced.counts == ClassCounts(NAMES, [7, 3], [8, 5])
    assert posterior.mean() == pytest.approx(10.5 / 14, rel=1e-15)


def test_tables_take_a_prior():
    """That of the accuracy, and not of the recalls."""
    by_counts = PosteriorAccuracy.from_counts([7, 3], [8, 5], prior=(3, 4))
    by_matrix = PosteriorAccuracy.from_confusion_matrix([[7, 1], [2, 3]], prior=(3, 4))
    assert by_counts == by_matrix
    assert (by_counts.distribution.a, by_counts.distribution.b) == (13, 7)
    with pytest.raises(ValueError, match="prior must"):
        PosteriorAccuracy.from_counts([7, 3], [8, 5], prior="hierarchical")


@pytest.mark.parametrize(
    ("name", "size"), [("uniform", 1), ("jeffreys", 1 / 2), ("neutral", 1 / 3)]
)
def test_named_priors(name, size):
    """Names stand for a = b."""
    assert posterior_of([3], [4], prior=name) == posterior_of([3], [4], prior=(size, size))


@pytest.mark.parametrize("prior", ["reciprocal", "flat", [[1, 1]], 1, Hyperprior()])
def test_other_priors_are_refused(prior):
    """Those that depend on the classes have no meaning here; the default is named."""
    message = (
        r"prior must be (one of \['jeffreys', 'neutral', 'uniform'\], of which 'jeffreys' is|)"
    )
    with pytest.raises(ValueError, match=message):
        posterior_of([3], [4], prior=prior)


def test_repr_has_another_prior():
    """Beside the number of samples."""
    assert repr(posterior_of([3, 1], [4, 2], prior=(2, 1))).endswith("prior=(2, 1), n=6)")


def test_too_many_samples_are_refused():
    """Beyond 1e15 the parameters of the distribution are no longer exact."""
    with pytest.raises(ValueError, match="prior and counts"):
        posterior_of([0, 0], [6e14, 6e14])


def test_no_information_rate():
    """The share of the largest class; unknown without samples."""
    assert posterior_of([40, 2], [45, 10]).no_information_rate == pytest.approx(45 / 55)
    assert np.isnan(posterior_of([0], [0]).no_information_rate)


def test_pooling_counts_the_prior_once():
    """The sum of posteriors is the posterior of all samples."""
    parts = [posterior_of([3, 1], [4, 2]), posterior_of([2, 2], [2, 5])]
    assert sum(parts) == posterior_of([5, 3], [6, 7])
    with pytest.raises(ValueError, match="different prior"):
        _ = parts[0] + posterior_of([1], [1], prior="uniform")
    with pytest.raises(TypeError):
        _ = parts[0] + 1
