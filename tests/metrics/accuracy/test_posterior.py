"""The posterior accuracy: published values, SciPy's Beta distribution, pooling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
)


def posterior_of(correct, total, **options):
    """Return the posterior for counts of classes 0, 1, ..."""
    return PosteriorAccuracy(ClassCounts(range(len(total)), correct, total), **options)


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
    assert posterior.standard_deviation() == pytest.approx(
        distribution.std(), rel=1e-12
    )
    assert posterior.prob_above(0.7) == pytest.approx(
        distribution.sf(0.7), rel=1e-9, abs=1e-300
    )
    assert posterior.prob_below(0.7) == pytest.approx(
        distribution.cdf(0.7), rel=1e-9, abs=1e-300
    )
    assert posterior.distribution.pdf(0.7) == pytest.approx(
        distribution.pdf(0.7), rel=1e-9, abs=1e-300
    )


def test_tables_take_a_prior():
    """That of the accuracy, and not of the recalls."""
    by_counts = PosteriorAccuracy.from_counts([7, 3], [8, 5], prior=(3, 4))
    by_matrix = PosteriorAccuracy.from_confusion_matrix([[7, 1], [2, 3]], prior=(3, 4))
    assert by_counts == by_matrix
    assert (by_counts.distribution.a, by_counts.distribution.b) == (13, 7)
    with pytest.raises(ValueError, match="prior must"):
        PosteriorAccuracy.from_counts([7, 3], [8, 5], prior="reciprocal")
