"""Priors by name, by pair and by array."""

import re

import numpy as np
import pytest

from skpostbac import (
    PosteriorBalancedAccuracy,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
)
from skpostbac._cli.arguments import make_parser
from skpostbac.metrics._priors.assumptions import (
    PRIOR_NAMES,
    SHARED_PRIORS,
    check_prior,
    format_prior,
    independent_prior,
    resolve_prior,
)


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        ("uniform", [[1, 1]] * 3),
        ("jeffreys", [[0.5, 0.5]] * 3),
        ("neutral", [[1 / 3, 1 / 3]] * 3),
        ("reciprocal", [[1 / 3, 1 / 3]] * 3),
        ((2, 1), [[2, 1]] * 3),
        (np.array([[1, 2], [3, 4], [5, 6]]), [[1, 2], [3, 4], [5, 6]]),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ([[1e-6, 1e15], [1e15, 1e-6]], [[1e-6, 1e15], [1e15, 1e-6]]),
    ],
    ids=str,
)
def test_prior_has_a_row_for_each_class(prior, expected):
    """Each form gives the parameters of each class."""
    resolved = resolve_prior(check_prior(prior), len(expected))
    assert resolved.tolist() == expected
    assert not resolved.flags.writeable


@pytest.mark.parametrize(
    "prior",
    ["flat", "Hierarchical", "Uniform", (1,), (1, 2, 3), 1.0, [[1, 2, 3]], [], [[[1, 1]]]],
    ids=repr,
)
def test_unknown_priors_are_refused(prior):
    """The message names the argument and what is valid."""
    names = ["hierarchical", "jeffreys", "neutral", "reciprocal", "uniform"]
    message = re.escape(f"prior must be one of {names}")
    with pytest.raises(ValueError, match=message):
        check_prior(prior)


@pytest.mark.parametrize("bad", [0, -1, 9e-7, 1.1e15, np.inf, np.nan], ids=repr)
@pytest.mark.parametrize("form", [lambda x: (1, x), lambda x: [[1, 1], [x, 1]]], ids=["2", "l,2"])
def test_parameters_must_be_in_range(bad, form):
    """The parameters of a Beta distribution are positive, and such as the engine takes."""
    with pytest.raises(
        ValueError, match=r"prior must have a and b between 1e-06 and 1e\+15, got .* at position"
    ):
        check_prior(form(bad))


def test_prior_over_too_many_classes_is_refused():
    """One millionth is the least that the engine takes."""
    with pytest.raises(ValueError, match="prior must have a and b between"):
        resolve_prior("reciprocal", 1_000_001)


def test_rows_must_match_the_classes():
    """An array for other classes is refused."""
    with pytest.raises(ValueError, match="prior must have one row for each of the 3 classes"):
        resolve_prior(check_prior([[1, 1], [1, 1]]), 3)


@pytest.mark.parametrize(
    ("prior", "text"),
    [
        ("uniform", "'uniform'"),
        ((2, 0.5), "(2, 0.5)"),
        (np.ones((3, 2)), "<array of shape (3, 2)>"),
    ],
    ids=["name", "pair", "array"],
)
def test_prior_prints_short(prior, text):
    """A few characters, for a repr of one line."""
    assert format_prior(check_prior(prior)) == text


@pytest.mark.parametrize("name", PRIOR_NAMES)
@pytest.mark.parametrize(
    "place",
    [
        PosteriorBalancedAccuracy.__doc__,
        posterior_balanced_accuracy.__doc__,
        posterior_balanced_accuracy_score.__doc__,
        make_parser().format_help(),
    ],
    ids=["class", "function", "score", "command line"],
)
def test_each_name_stands_where_names_are_listed(name, place):
    """A new one is a line in a table, and to be found by those who may use it."""
    assert name in place


@pytest.mark.parametrize("name", SHARED_PRIORS)
def test_a_prior_that_is_shared_is_refused_by_its_name(name):
    """The message says which prior is not independent."""
    prior = resolve_prior(name, 3)
    message = f"independent for each class for a test, not {name}; use one of .*'reciprocal'"
    with pytest.raises(ValueError, match=message):
        independent_prior(prior, "a test")
