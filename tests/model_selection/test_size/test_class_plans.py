"""Tests of the counts of a class in a planned test set."""

import numpy as np
import pytest
from scipy import special, stats

from skpostbac.model_selection import required_test_size
from skpostbac.model_selection._test_size.assurance import SureDifference
from skpostbac.model_selection._test_size.class_plans import Binomial


@pytest.mark.parametrize("rate", [0.5, 0.1, 0.97, 0.003])
@pytest.mark.parametrize("variance", [3.0, 60.0, 1e3, 1e5])
def test_binomial_quantiles_of_many_sizes(rate, variance):
    """They are SciPy's, though most come from an expansion."""
    rng = np.random.default_rng(0)
    size = np.rint(rng.uniform(0.8, 1.2, 4000) * variance / (rate * (1 - rate)))
    u = np.append(rng.random(2000), special.ndtr(rng.uniform(-6, 6, 2000)))
    expected = stats.binom.ppf(u, size, rate)
    assert (Binomial(rate).quantile(u, size) == expected).all()


def test_few_exact_margins_are_computed_for_one_class(monkeypatch):
    """The least count that shows the difference is looked for close to that of the cumulants."""
    formula, calls = SureDifference.formula, []

    def counted(self, plan, y, x):
        calls.append(y.size)
        return formula(self, plan, y, x)

    monkeypatch.setattr(SureDifference, "formula", counted)
    size = required_test_size(0.876, difference=0.01, paired=True)
    assert len(calls) <= 4 * size.sizes.size
