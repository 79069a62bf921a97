"""The score function: what each objective means, and the adjustment for chance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skpostbac.metrics import posterior_balanced_accuracy, posterior_balanced_accuracy_score

Y_TRUE = [0] * 8 + [1] * 4 + [2] * 3
Y_PRED = [0] * 6 + [1] * 2 + [1] * 3 + [2] * 4


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        ("mean", lambda posterior: posterior.mean()),
        ("median", lambda posterior: posterior.icdf(0.5)),
        ("mode", lambda posterior: posterior.mode()),
        ("lower", lambda posterior: posterior.icdf(0.2)),
        ("upper", lambda posterior: posterior.iccdf(0.2)),
    ],
    ids=["mean", "median", "mode", "lower", "upper"],
)
def test_objectives(objective, expected):
    """A plain float out of the posterior."""
    score = posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, objective=objective, level=0.8)
    assert type(score) is float
    posterior = posterior_balanced_accuracy(Y_TRUE, Y_PRED)
    assert score == pytest.approx(expected(posterior), abs=1e-12)


@given(level=st.floats(0.01, 0.99))
def test_bounds_hold_with_the_level(level):
    """At least the lower bound, and at most the upper one, with that probability."""
    posterior = posterior_balanced_accuracy(Y_TRUE, Y_PRED)
    for objective, probability in (("lower", posterior.ccdf), ("upper", posterior.cdf)):
        bound = posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, objective=objective, level=level)
        assert probability(bound) == pytest.approx(level, abs=1e-9)


def test_default_is_the_mean():
    """Under the default prior, Beta(1/3, 1/3) for three classes."""
    correct, total = np.array([6, 3, 3]), np.array([8, 4, 3])
    expected = ((correct + 1 / 3) / (total + 2 / 3)).mean()
    assert posterior_balanced_accuracy_score(Y_TRUE, Y_PRED) == pytest.approx(expected, rel=1e-14)


@pytest.mark.filterwarnings("ignore:Class 7 has no samples")
def test_all_arguments_reach_the_posterior():
    """Labels, both kinds of weights, and the prior."""
    arguments = {
        "labels": [2, 1, 7],
        "sample_weight": np.arange(15),
        "class_weight": {2: 1, 1: 2, 7: 3},
        "prior": "jeffreys",
    }
    score = posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, **arguments)
    assert score == posterior_balanced_accuracy(Y_TRUE, Y_PRED, **arguments).mean()


@pytest.mark.parametrize("objective", ["mean", "lower"])
def test_adjusted_scores_count_from_chance(objective):
    """0 for guessing, 1 for perfection."""
    score = posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, objective=objective)
    adjusted = posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, objective=objective, adjusted=True)
    assert adjusted == pytest.approx((score - 1 / 3) / (2 / 3), rel=1e-14)


def test_adjusted_needs_two_classes():
    """Scikit-learn divides by zero here."""
    assert posterior_balanced_accuracy_score([1, 1], [1, 1]) == 0.75
    with pytest.raises(ValueError, match="adjusted=True needs at least two classes"):
        posterior_balanced_accuracy_score([1, 1], [1, 1], adjusted=True)


@pytest.mark.parametrize("objective", ["min", "", None, ["mean"]], ids=repr)
def test_unknown_objective_is_refused(objective):
    """The message lists the valid ones."""
    message = r"objective must be one of \['mean', 'median', 'mode', 'lower', 'upper'\]"
    with pytest.raises(ValueError, match=message):
        posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, objective=objective)


@pytest.mark.parametrize("objective", ["mean", "lower"])
@pytest.mark.parametrize("level", [0, 1, 1.5, np.nan, "0.9"], ids=repr)
def test_level_is_checked_even_if_unused(objective, level):
    """A mistake shows before the objective is changed."""
    with pytest.raises(ValueError, match="level must be a number strictly between 0 and 1"):
        posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, objective=objective, level=level)
