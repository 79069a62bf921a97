"""Where a user is told that the prior decides, and where not."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from skpostbac.metrics import (
    ClassCountsScorer,
    PosteriorBalancedAccuracy,
    PriorInfluenceWarning,
    class_counts,
    make_posterior_scorer,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
)
from skpostbac.model_selection import (
    PosteriorRefit,
    compare_predictions,
    cross_val_posterior,
    pooled_posteriors,
)
from tests.texts import sentences

from_counts = PosteriorBalancedAccuracy.from_counts

# Eight classes, two samples of each, all of them right.
LABELS = np.repeat(np.arange(8), 2)

ENTRIES = {
    "labels": lambda: posterior_balanced_accuracy(LABELS, LABELS, prior="uniform"),
    "counts": lambda: from_counts([2] * 8, [2] * 8, prior="uniform"),
    "matrix": lambda: PosteriorBalancedAccuracy.from_confusion_matrix(
        confusion_matrix(LABELS, LABELS), prior="uniform"
    ),
    "pooled": lambda: pooled_posteriors(
        {
            f"test_{kind}_{label}": [2.0]
            for kind in ("correct", "total")
            for label in range(8)
        },
        prior="uniform",
    ),
    "cross-validated": lambda: cross_val_posterior(
        DecisionTreeClassifier(random_state=0),
        LABELS[:, None],
        LABELS,
        cv=2,
        prior="uniform",
        training_variation=None,
    ),
}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_entry_warns_once_where_the_user_calls(entry):
    """From labels, counts, a matrix and folds; the remedy stands in the message."""
    with pytest.warns(PriorInfluenceWarning) as record:
        entry()
    (warning,) = record
    assert warning.filename == __file__
    # Beta(3, 1) in each class: mean 3/4, variance 3/80, and so 1/4 / sqrt(3/80/8) = 3.65.
    assert str(warning.message) == (
        "95% intervals would contain the true balanced accuracy in about 0% of similar test "
        "sets: the prior moves the mean from 1.000 on the test samples to 0.750, by 3.7 posterior "
        "standard deviations. Test more samples, or use prior='calibrated' (about 98%)."
    )


def test_scores_and_searches_stay_silent():
    """Warnings are errors here: none of these gives one, nor does what is derived."""
    X, y = LABELS[:, None], LABELS
    tree = DecisionTreeClassifier(random_state=0)
    assert posterior_balanced_accuracy_score(y, y, prior="uniform") == pytest.approx(
        3 / 4
    )
    cross_val_score(tree, X, y, cv=2, scoring=make_posterior_scorer(prior="uniform"))
    GridSearchCV(
        tree,
        {"max_depth": [4, 8]},
        cv=2,
        scoring=ClassCountsScorer(),
        refit=PosteriorRefit(prior="uniform"),
    ).fit(X, y)
    posterior = PosteriorBalancedAccuracy(class_counts(y, y), prior="uniform")
    pickle.loads(pickle.dumps(posterior)).summary()


def test_comparison_of_predictions_warns_once():
    """Of the classifier that suffers most."""
    message = "from 1.000 on the test samples to 0.750, .* use prior='calibrated'"
    with pytest.warns(PriorInfluenceWarning, match=message) as record:
        comparison = compare_predictions(
            LABELS, {"A": LABELS, "B": LABELS[::-1]}, prior="uniform"
        )
    assert len(record) == 1
    assert record[0].filename == __file__
    assert sentences(comparison).splitlines()[-1] == str(record[0].message)
    compare_predictions(LABELS, {"A": LABELS, "B": LABELS[::-1]})


def test_a_prior_of_the_users_own_is_no_surprise():
    """Unequal pairs and arrays are meant to move the posterior; names and equal pairs are not."""
    for prior in ("jeffreys", "neutral", (1, 1)):
        with pytest.warns(PriorInfluenceWarning):
            from_counts([2] * 8, [2] * 8, prior=prior)
    for prior in ((1, 2), np.ones((8, 2))):
        with warnings.catch_warnings(action="error"):
            from_counts([2] * 8, [2] * 8, prior=prior)


@pytest.mark.parametrize(
    ("correct", "total"),
    [
        pytest.param([2] * 18 + [1] * 12, [2] * 30, id="mixed"),
        pytest.param([1] * 12 + [3] * 3, [3] * 15, id="mostly wrong"),
        pytest.param([2] * 20, [2] * 20, id="all right"),
    ],
)
def test_few_samples_seem_too_certain_under_a_weak_prior(correct, total):
    """Said where the prior hardly moves the mean, whatever share of the samples is right."""
    message = (
        "test sets: recalls from few samples look more certain than they are. Test more"
    )
    with pytest.warns(PriorInfluenceWarning, match=message):
        from_counts(correct, total, prior=(1 / len(total), 1 / len(total)))


@pytest.mark.parametrize("prior", ["calibrated", "reciprocal", (2, 2)], ids=str)
@pytest.mark.parametrize(
    ("correct", "total", "subject"),
    [
        pytest.param([99, 0, 0], [100, 0, 0], "1, 2", id="two"),
        pytest.param([0, 0], [10, 0], "1", id="all wrong"),
    ],
)
def test_classes_without_samples_are_named(correct, total, subject, prior):
    """Under every prior that is not informative, once, with what remains of the report."""
    with pytest.warns(
        PriorInfluenceWarning, match=rf"^Classes without samples \({subject}\)"
    ) as record:
        posterior = from_counts(correct, total, prior=prior)
    (message,) = (str(warning.message) for warning in record)
    assert message.endswith("out with labels= or a class_weight of 0.")
    assert "on the prior alone: test" in message
    assert sentences(posterior).splitlines()[-1] == message


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"class_weight": [1, 1, 0]}, id="weight"),
        pytest.param({"prior": (1, 2)}, id="informative"),
    ],
)
def test_classes_without_samples_give_no_warning(options):
    """Where they do not count, or where the prior was meant to speak for them."""
    report = sentences(from_counts([30, 28, 0], [32, 31, 0], **options))
    assert ("without samples" in report) is ("class_weight" not in options)


def test_comparison_names_classes_without_samples():
    """Once, and in the report; nothing is said where they are left out."""
    y_true = np.repeat([0, 1], 20)
    predictions = {"A": y_true, "B": np.resize([0, 0, 0, 1], 40)}
    labels = [0, 1, 2]
    with pytest.warns(
        PriorInfluenceWarning, match=r"^Classes without samples \(2\)"
    ) as record:
        comparison = compare_predictions(y_true, predictions, labels=labels)
    assert len(record) == 1
    assert record[0].filename == __file__
    assert sentences(comparison).count(str(record[0].message)) == 1
    weighted = compare_predictions(
        y_true, predictions, labels=labels, class_weight=[1, 1, 0]
    )
    assert "without samples" not in sentences(weighted)
