"""Cross-validations on the same folds, compared sample by sample."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCountsScorer,
    OutcomesScorer,
    PosteriorRefit,
    compare_cv_results,
    compare_predictions,
)
from skpostbac.metrics import PriorInfluenceWarning
from tests.texts import sentences

X, Y = load_wine(return_X_y=True)
# That is a test of its own.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*do not show which samples:UserWarning"
)
FOLDS = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, Y))
MODELS = {
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
    "Bayes": GaussianNB(),
}


def cross_validated(model, cv=None, scoring=None, **options):
    """Return what `cross_validate` returns."""
    scoring = scoring or OutcomesScorer(len(Y))
    return cross_validate(
        model, X, Y, cv=FOLDS if cv is None else cv, scoring=scoring, **options
    )


@pytest.fixture(name="results", scope="module")
def results_fixture():
    """Results of three classifiers."""
    return {name: cross_validated(model) for name, model in MODELS.items()}


def test_the_comparison_is_that_of_the_predictions(results):
    """Out-of-fold predictions of all samples, compared as on one test set."""
    found = compare_cv_results(
        results, labels=[0, 1, 2], training_variation=None, random_state=0
    )
    predictions = {
        name: cross_val_predict(model, X, Y, cv=FOLDS) for name, model in MODELS.items()
    }
    expected = compare_predictions(Y, predictions, random_state=0)
    assert found.names == expected.names
    assert found.posteriors == expected.posteriors
    assert (found.prob_greater() == expected.prob_greater()).all()
    assert found.difference_interval("Bayes", "stump") == expected.difference_interval(
        "Bayes", "stump"
    )


def test_a_search_is_refused(results):
    """Its best candidate was selected on these folds, but it can be cross-validated itself."""
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, None]},
        scoring=OutcomesScorer(len(Y)),
        cv=FOLDS,
        refit=PosteriorRefit(),
    )
    selected = {"search": search.fit(X, Y).cv_results_, "Bayes": results["Bayes"]}
    with pytest.raises(
        ValueError, match=r"that of a search.*cross-validate the search"
    ):
        compare_cv_results(selected)
    search.set_params(cv=3)
    pair = compare_cv_results(
        {"search": cross_validated(search), "Bayes": results["Bayes"]}
    )
    assert pair.names == ("search", "Bayes")


def test_classes_without_samples_are_named():
    """In one warning, where the user calls."""
    scorer = OutcomesScorer(len(Y), labels=[0, 1, 2, 3])
    tested = {
        name: cross_validated(MODELS[name], scoring=scorer)
        for name in ("stump", "Bayes")
    }
    with pytest.warns(
        PriorInfluenceWarning, match=r"^Classes without samples \('3'\)"
    ) as record:
        comparison = compare_cv_results(tested, same_splits=True)
    assert len(record) == 1
    assert record[0].filename == __file__
    assert str(record[0].message) in sentences(comparison)


def test_training_variation_leaves_less_certainty(results):
    """The counts are divided by 1 + K / (K - 1) by default; the report names the question."""
    two = {name: results[name] for name in ("stump", "Bayes")}
    wide, plain = (
        compare_cv_results(two),
        compare_cv_results(two, training_variation=None),
    )
    totals = [one.posteriors[0].counts.total for one in (wide, plain)]
    assert totals[0] * 2.25 == pytest.approx(totals[1])
    assert 0.5 < wide.prob_greater()[1, 0] < plain.prob_greater()[1, 0]
    assert (
        "This compares algorithms: models refitted on data sets of this size"
        in sentences(wide)
    )
    assert (
        "divided by 2.25 to allow for the variation between training sets"
        in sentences(wide)
    )
    assert "retraining is not included" not in sentences(wide)
    assert "on the same 178 samples (effective size 79.11)" in sentences(wide)
    assert "on the same 178 samples, and" in sentences(plain)
    assert "retraining is not included" in sentences(plain)


def test_scorers_and_labels_may_differ(results):
    """What is packed into more words is the same; without labels classes are known as text."""
    two = {name: results[name] for name in ("stump", "Bayes")}
    longer = two | {
        "Bayes": cross_validated(MODELS["Bayes"], scoring=OutcomesScorer(1000))
    }
    weights = {0: 1, 1: 2, 2: 3}
    expected = compare_cv_results(two, class_weight=weights).prob_greater()
    assert (
        compare_cv_results(longer, class_weight=weights).prob_greater() == expected
    ).all()
    by_label = compare_cv_results(two, labels=[0, 1, 2], class_weight=weights)
    assert (by_label.prob_greater() == expected).all()


BROKEN = {
    "counts": (
        lambda: cross_validated(MODELS["tree"], scoring=ClassCountsScorer()),
        "no outcomes",
    ),
    "score": (
        lambda: cross_validated(MODELS["tree"], scoring="balanced_accuracy"),
        "no counts of classes",
    ),
    "fewer": (lambda: cross_validated(MODELS["tree"], cv=3), "other classes or folds"),
    "more": (lambda: cross_validated(MODELS["tree"], cv=7), "other classes or folds"),
    "sizes": (
        lambda: cross_validated(
            MODELS["tree"], cv=[(train, test[1:]) for train, test in FOLDS]
        ),
        "has other classes or folds than 'Bayes'",
    ),
    "failed": (
        lambda: {
            key: np.full(5, np.nan) if key.startswith("test_") else column
            for key, column in cross_validated(MODELS["tree"]).items()
        },
        "has failed fits",
    ),
    "array": (
        lambda: np.ones(5),
        r"must be what cross_validate returns .*Outcomes.*got ndarray$",
    ),
}


@pytest.mark.parametrize(("make", "match"), BROKEN.values(), ids=BROKEN)
def test_results_that_cannot_be_compared_are_named(results, make, match):
    """The message names the classifier, and the scorer or the splits to use."""
    with pytest.raises(
        (ValueError, TypeError), match=rf"cv_results of 'tree'.*{match}"
    ):
        compare_cv_results({"Bayes": results["Bayes"], "tree": make()})


def test_other_samples_are_refused_where_they_are_known():
    """Folds of the same sizes, with indices that differ."""
    again = StratifiedKFold(5, shuffle=True, random_state=1)
    pair = {
        "one": cross_validated(MODELS["tree"], return_indices=True),
        "two": cross_validated(MODELS["Bayes"], cv=again, return_indices=True),
    }
    with pytest.raises(
        ValueError, match="'two' was tested on other samples than 'one'"
    ):
        compare_cv_results(pair)


def test_splits_that_nobody_knows_are_told(results):
    """Shuffled anew, they have the same sizes; a declaration or the indices silence it."""
    two = {name: results[name] for name in ("stump", "Bayes")}
    with pytest.warns(
        UserWarning, match="cv_results of 'stump' do not show which samples were"
    ):
        compare_cv_results(two)
    known = {
        name: cross_validated(MODELS[model], return_indices=True)
        for name, model in (("one", "tree"), ("two", "Bayes"))
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_cv_results(two, same_splits=True)
        compare_cv_results(known)
    with pytest.raises(TypeError, match="same_splits must be a bool"):
        compare_cv_results(two, same_splits="yes")


def test_indices_tell_the_repeats():
    """Of any of the classifiers; the comparison is no more certain for a repetition."""
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0)
    results = {
        name: cross_validated(MODELS[name], cv, return_indices=name == "Bayes")
        for name in ("stump", "Bayes")
    }
    options = {"same_splits": True, "random_state": 0}
    found = compare_cv_results(results, training_variation=None, **options)
    assert [posterior.counts.n_samples for posterior in found.posteriors] == [178, 178]
    with pytest.raises(ValueError, match="n_repeats must agree with the indices"):
        compare_cv_results(results, n_repeats=1, **options)
    wide = compare_cv_results(results, **options)
    assert wide.posteriors[0].inflation == 1 + 3 / 2


def test_one_result_in_place_of_a_mapping_is_refused(results):
    """The message says what to do with a search."""
    for wrong in (
        results["tree"],
        pd.DataFrame(results["tree"]),
        {"mean_fit_time": [1.0]},
        5,
    ):
        with pytest.raises(
            TypeError, match=r"must map the name .*from_paired_counts\(pooled_p"
        ):
            compare_cv_results(wrong)
    with pytest.raises(ValueError, match="at least two classifiers"):
        compare_cv_results({"tree": results["tree"]})
