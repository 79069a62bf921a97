"""Predictions that are none of the classes: how they count, and what is said of them."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from skpostbac import (
    compare_predictions,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_confusion_metric,
)
from skpostbac._utils import find_twins
from skpostbac.metrics import StrayLabelWarning

Y_TRUE = ["yes", "no", "yes", "no"]
FOREIGN = ["Yes", "No", "Yes", "Yes"]
# A user's own, of which there is no PriorInfluenceWarning.
PRIOR = (1, 2)


@pytest.mark.parametrize("kind", [list, pd.Series, pd.Categorical])
def test_other_labels_are_told_once(kind):
    """The message names both sets of labels, and the place where the user called."""
    with pytest.warns(StrayLabelWarning, match="none of the classes") as record:
        posterior = posterior_balanced_accuracy(
            kind(Y_TRUE), kind(FOREIGN), prior=PRIOR
        )
    (warning,) = record
    assert warning.filename == __file__
    assert str(warning.message) == (
        "y_pred: 4 predictions ('Yes', 'No') are none of the classes and count as errors; "
        "'Yes' looks like the class 'yes' in another spelling: convert both columns to one"
    )
    assert posterior.counts.correct.tolist() == [0, 0]


def test_a_comparison_tells_which_classifier_it_is():
    """One warning for each; of many labels some are shown."""
    predictions = {
        "good": Y_TRUE,
        "wrong": Y_TRUE[::-1],
        "bad": FOREIGN,
        "ids": list("6789"),
    }
    with pytest.warns(StrayLabelWarning, match="none of the classes") as record:
        compare_predictions(Y_TRUE, predictions, prior=PRIOR, random_state=0)
    bad, ids = record
    assert bad.filename == ids.filename == __file__
    assert str(bad.message).startswith("predictions['bad']: 4 predictions ('Yes', ")
    assert "('6', '7', '8', ...)" in str(ids.message)


ERRORS = {
    "swapped": ([0, 1, 0], [1, 0, 1], {}),
    "floats": ([0, 1], [1.0, 0.0], {}),
    "weight 0": (["a", "b"], ["c", "a"], {"sample_weight": [0, 1]}),
    "sample left out": (["a", "b", "c"], ["b", "a", "z"], {"labels": ["a", "b"]}),
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


# Points and posteriors

STRAY = pytest.mark.filterwarnings("ignore::skpostbac.metrics.StrayLabelWarning")
RNG = np.random.default_rng(3)
TRUE = RNG.integers(0, 3, 90)
# Of the labels 3, 4 and 5 there are no true ones.
PRED = np.where(RNG.random(90) < 0.7, TRUE, RNG.integers(0, 6, 90))
CLASSES = [0, 1, 2]
OF_CLASSES = {
    "f1": metrics.f1_score,
    "jaccard": metrics.jaccard_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
}


@STRAY
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("metric", OF_CLASSES)
def test_scores_are_those_of_scikit_learn_with_these_labels(metric, average):
    """Also if the classes are listed; all others are errors, but no false positives."""
    expected = OF_CLASSES[metric](TRUE, PRED, labels=CLASSES, average=average)
    for labels in (None, CLASSES):
        posterior = posterior_confusion_metric(
            TRUE, PRED, metric, average=average, labels=labels, n_draws=2000
        )
        assert posterior.observed == pytest.approx(expected, abs=1e-14)
        assert (
            abs(posterior.mean() - expected)
            < posterior.distribution.standard_deviation()
        )


@STRAY
def test_agreement_has_them_as_one_more_column():
    """Kappa whatever they are, the MCC as if they were one class."""
    kappa = posterior_confusion_metric(TRUE, PRED, "kappa", n_draws=2000)
    assert kappa.observed == pytest.approx(metrics.cohen_kappa_score(TRUE, PRED))
    mcc = posterior_confusion_metric(TRUE, PRED, "mcc", n_draws=2000)
    merged = np.minimum(PRED, 3)
    assert mcc.observed == pytest.approx(metrics.matthews_corrcoef(TRUE, merged))


@STRAY
@pytest.mark.parametrize(
    "metric", ["f1", "f1_micro", "mcc", "kappa", "fpr_micro", "npv_micro"]
)
@pytest.mark.parametrize("groups", [None, np.arange(90) // 3], ids=["alone", "groups"])
@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
def test_scores_of_other_classifiers_stay(metric, groups):
    """One with such predictions does not change what is said of another."""
    other = np.where(RNG.random(90) < 0.6, TRUE, (TRUE + 1) % 3)
    options = {"metric": metric, "n_draws": 2000, "groups": groups}
    comparison = compare_predictions(TRUE, {"stray": PRED, "other": other}, **options)
    without = compare_predictions(
        TRUE, {"stray": np.where(PRED > 2, TRUE, PRED), "other": other}, **options
    )
    assert comparison.posteriors[1] == without.posteriors[1]
    difference = comparison.difference("other", "stray").mean()
    expected = comparison.posteriors[1].mean() - comparison.posteriors[0].mean()
    # Where lower is better, the difference is the gain.
    assert abs(difference) == pytest.approx(abs(expected), abs=0.03)


@STRAY
def test_micro_false_positives():
    """Strays are negatives of every class: TN of each, and FP of none."""
    C = metrics.confusion_matrix(TRUE, np.minimum(PRED, 3))[:3]
    fp = C[:, :3].sum() - np.trace(C)
    posterior = posterior_confusion_metric(
        TRUE, PRED, "fpr", average="micro", prior="uniform"
    )
    # Beta(1, 1) for each recall: a mass of 3 on errors and 3 on hits.
    expected = (fp + 3) / (len(TRUE) + 6) / 2
    assert posterior.mean() == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    "evaluate",
    [
        posterior_balanced_accuracy,
        posterior_accuracy,
        lambda *labels: posterior_confusion_metric(*labels, "f1", n_draws=2000),
        lambda y, p: compare_predictions(y, {"y_pred": p, "same": y}),
        lambda y, p: compare_predictions(
            y, {"y_pred": p, "same": y}, metric="f1", n_draws=2000
        ),
    ],
)
def test_every_function_counts_them(evaluate):
    """By the number of samples, most frequent labels first."""
    n = {label: int((label == PRED).sum()) for label in (3, 4, 5)}
    shown = ", ".join(map(str, sorted(n, key=n.get, reverse=True)))
    with pytest.warns(StrayLabelWarning, match="none of the classes") as record:
        evaluate(TRUE, PRED)
    (message,) = [str(one.message) for one in record]
    assert f"{sum(n.values())} predictions ({shown}) are none" in message


@STRAY
def test_own_function_gets_a_last_column():
    """Rows still have the sums of the true classes."""
    shapes = []

    def error(C):
        shapes.append(C.shape[1:])
        return 1 - np.trace(C, axis1=1, axis2=2)

    posterior = posterior_confusion_metric(TRUE, PRED, error, n_draws=100)
    assert posterior.observed == pytest.approx((PRED != TRUE).mean())
    assert set(shapes) == {(3, 4)}


# Spelling

SPELLINGS = {
    "space": ("Yes ", "Yes"),
    "no-break space": ("a\u00a0b", "a b"),
    "two spaces": ("a  b", "a b"),
    "case": ("YES", "Yes"),
    "both": ("yes ", "Yes"),
    "float": ("1.0", "1"),
    "bool": ("True", "1"),
    "zeros": ("007", "7"),
    "exponent": ("1e3", "1000"),
    "decomposed": ("cafe\u0301", "caf\u00e9"),
    "full width": ("\uff11", "1"),
}


@pytest.mark.parametrize(("label", "known"), SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("is_swapped", [False, True])
def test_another_spelling_is_named(label, known, is_swapped):
    """In either direction."""
    if is_swapped:
        label, known = known, label
    with pytest.warns(StrayLabelWarning, match="none of the classes") as record:
        posterior_balanced_accuracy([known, "x"] * 9, [label, "x"] * 9)
    looks = f"; {label!r} looks like the class {known!r} in another spelling: "
    assert looks in str(record[0].message)


@pytest.mark.parametrize(
    "label",
    ["yess", "nan", "snan", "-inf", "9007199254740993", "1,0", "", "\u0406"],
)
def test_other_labels_are_no_other_spelling(label):
    """Neighbours, special numbers, and integers that floats merge."""
    classes = ["yes", "NaN1", "9007199254740992", "1", "I"]
    assert find_twins([label], classes) == {}
