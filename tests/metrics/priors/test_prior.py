"""Priors by name, by pair and by array, and weights of the classes in the average."""

import numpy as np
import pandas as pd
import pytest

from skpostbac import (
    ClassCounts,
    PosteriorBalancedAccuracy,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
)

NAMES = ["hierarchical", "jeffreys", "neutral", "reciprocal", "uniform"]
COUNTS = ClassCounts(["a", "b", "c"], [1, 2, 3], [4, 4, 4])
PRIORS = {
    "uniform": ("uniform", [[1, 1]] * 3),
    "jeffreys": ("jeffreys", [[0.5, 0.5]] * 3),
    "neutral": ("neutral", [[1 / 3, 1 / 3]] * 3),
    "reciprocal": ("reciprocal", [[1 / 3, 1 / 3]] * 3),
    "pair": ((2, 1), [[2, 1]] * 3),
    "rows": (np.array([[1, 2], [3, 4], [5, 6]]), [[1, 2], [3, 4], [5, 6]]),
    "two pairs": ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
    "extreme": ([[1e-6, 1e14], [1e14, 1e-6]], [[1e-6, 1e14], [1e14, 1e-6]]),
}
WEIGHTS = {
    "none": (None, [1 / 3, 1 / 3, 1 / 3]),
    "list": ([1, 1, 2], [0.25, 0.25, 0.5]),
    "zero": (np.array([0, 3, 3]), [0, 0.5, 0.5]),
    "dict": ({"c": 2, "a": 1, "b": 1, "not there": 5}, [0.25, 0.25, 0.5]),
    "huge": ([1e308, 1e308, 2e307], [5 / 11, 5 / 11, 1 / 11]),
    "series": (pd.Series({"c": 2, "a": 1, "b": 1}), [0.25, 0.25, 0.5]),
    "extension": (pd.Series([1, 1, 2]).array, [0.25, 0.25, 0.5]),
}


@pytest.mark.parametrize(("prior", "expected"), PRIORS.values(), ids=PRIORS)
def test_prior_has_a_row_for_each_class(prior, expected):
    """Each form gives the parameters of each class."""
    counts = COUNTS.reindex(COUNTS.classes[: len(expected)])
    posterior = PosteriorBalancedAccuracy(counts, prior=prior)
    assert posterior.prior.tolist() == expected
    assert not posterior.prior.flags.writeable


@pytest.mark.parametrize(("class_weight", "expected"), WEIGHTS.values(), ids=WEIGHTS)
def test_weights_sum_to_one(class_weight, expected):
    """Weights are looked up, put in order and normalised."""
    weights = PosteriorBalancedAccuracy(COUNTS, class_weight=class_weight).class_weight
    # Two roundings, of the quotient and of the sum.
    np.testing.assert_allclose(weights, expected, rtol=1e-15)
    assert not weights.flags.writeable


@pytest.mark.parametrize(
    "place",
    [PosteriorBalancedAccuracy, posterior_balanced_accuracy, posterior_balanced_accuracy_score],
)
def test_each_name_stands_where_names_are_listed(place):
    """A new one is to be found by those who may use it."""
    assert all(f'"{name}"' in place.__doc__ for name in NAMES)
