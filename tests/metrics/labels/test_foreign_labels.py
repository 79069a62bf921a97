"""Where a user is told that predictions are written otherwise than the true labels."""

import warnings

import pandas as pd
import pytest

from skpostbac import (
    compare_predictions,
    posterior_balanced_accuracy,
)

Y_TRUE = ["yes", "no", "yes", "no"]
FOREIGN = ["Yes", "No", "Yes", "Yes"]
# A user's own, of which there is no PriorInfluenceWarning.
PRIOR = (1, 2)


@pytest.mark.parametrize("kind", [list, pd.Series, pd.Categorical])
def test_other_labels_are_told_once(kind):
    """The message names both sets of labels, and the place where the user called."""
    with pytest.warns(UserWarning, match="holds none") as record:
        posterior = posterior_balanced_accuracy(
            kind(Y_TRUE), kind(FOREIGN), prior=PRIOR
        )
    (warning,) = record
    assert warning.filename == __file__
    assert str(warning.message) == (
        "y_pred holds none of the labels of y_true ('no', 'yes'), but 'No', 'Yes': "
        "each prediction counts as an error"
    )
    assert posterior.counts.correct.tolist() == [0, 0]


def test_a_comparison_tells_which_classifier_it_is():
    """One warning for each that never matches; of many labels some are shown."""
    predictions = {
        "good": Y_TRUE,
        "wrong": Y_TRUE[::-1],
        "bad": FOREIGN,
        "ids": list("6789"),
    }
    with pytest.warns(UserWarning, match="holds none") as record:
        compare_predictions(Y_TRUE, predictions, prior=PRIOR, random_state=0)
    bad, ids = record
    assert bad.filename == ids.filename == __file__
    assert str(bad.message).startswith(
        "predictions['bad'] holds none of the labels of y_true"
    )
    assert "but '6', '7', '8', ...: each" in str(ids.message)


ERRORS = {
    "swapped": ([0, 1, 0], [1, 0, 1], {}),
    "floats": ([0, 1], [1.0, 0.0], {}),
    "one in common": ([0, 1], [1, 2], {}),
    "class left out": (["a", "b"], ["b", "b"], {"labels": ["a"]}),
    "weight 0": (["a", "b"], ["a", "a"], {"sample_weight": [0, 1]}),
}


@pytest.mark.parametrize(("y_true", "y_pred", "options"), ERRORS.values(), ids=ERRORS)
def test_errors_alone_are_no_reason(y_true, y_pred, options):
    """No prediction is right, but some are true labels of other samples."""
    with warnings.catch_warnings(action="error"):
        posterior = posterior_balanced_accuracy(y_true, y_pred, prior=PRIOR, **options)
        compare_predictions(
            y_true, {"one": y_pred, "two": y_pred}, prior=PRIOR, **options
        )
    assert not posterior.counts.correct.any()
