"""Pairing of the candidates of a search, against their predictions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skpostbac.metrics import ClassCountsScorer, OutcomesScorer, paired_counts
from skpostbac.model_selection import (
    PosteriorRefit,
    pooled_paired_counts,
    pooled_posteriors,
    selected_posterior,
)

TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = [1, 2, 4, None]


def search(X, y, *, search_class=GridSearchCV, groups=None, **options):
    """Search depths of a tree, and keep the outcomes."""
    defaults = {"scoring": OutcomesScorer(len(y)), "refit": False, "error_score": "raise"}
    return search_class(TREE, {"max_depth": DEPTHS}, **defaults | options).fit(X, y, groups=groups)


def counts_of_predictions(fitted, X, y, **options):
    """Count the joint outcomes of out-of-fold predictions."""
    predictions = {
        str(index): cross_val_predict(clone(TREE).set_params(**params), X, y, **options)
        for index, params in enumerate(fitted.cv_results_["params"])
    }
    return paired_counts(y, predictions)


@pytest.fixture(scope="module")
def wine():
    """178 wines of three growers."""
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def wine_search(wine):
    """A search that keeps the outcomes."""
    return search(*wine)


@pytest.mark.parametrize(
    ("search_class", "options"),
    [
        pytest.param(GridSearchCV, {}, id="grid"),
        pytest.param(RandomizedSearchCV, {"n_iter": 3, "random_state": 0}, id="randomized"),
        pytest.param(
            GridSearchCV, {"cv": StratifiedKFold(3, shuffle=True, random_state=1)}, id="shuffled"
        ),
    ],
)
def test_outcomes_are_those_of_the_predictions(search_class, options, wine):
    """Each pattern of right and wrong occurs as often as in the predictions."""
    fitted = search(*wine, search_class=search_class, **options)
    expected = counts_of_predictions(fitted, *wine, cv=options.get("cv"))
    assert pooled_paired_counts(fitted.cv_results_, labels=[0, 1, 2]) == expected


def test_many_classes():
    """The order of ten and more labels as numbers is not that of their texts."""
    X, y = load_digits(return_X_y=True)
    y = np.where(y < 3, y + 10, y)
    fitted = search(X, y, cv=2)
    expected = counts_of_predictions(fitted, X, y, cv=2)
    assert pooled_paired_counts(fitted.cv_results_, labels=np.unique(y)) == expected
    by_text = pooled_paired_counts(fitted.cv_results_)
    assert by_text.classes.tolist() == [str(label) for label in np.unique(y)]


def test_folds_of_different_sizes():
    """Groups make folds of very different sizes."""
    X, y = load_breast_cancer(return_X_y=True)
    groups = np.repeat([0, 1, 2], [400, 100, 69])
    options = {"cv": GroupKFold(3), "groups": groups}
    fitted = search(X, y, scoring=OutcomesScorer(400), **options)
    expected = counts_of_predictions(fitted, X, y, **options)
    assert pooled_paired_counts(fitted.cv_results_, labels=[0, 1]) == expected


def test_margins_are_the_pooled_counts(wine_search):
    """With fewer classes, in another order, and with repeats."""
    options = {"labels": [2, 0], "n_repeats": 5}
    counts = pooled_paired_counts(wine_search.cv_results_, **options)
    for name, posterior in zip(
        counts.names, pooled_posteriors(wine_search.cv_results_, **options), strict=True
    ):
        margin, pooled = counts.margin(name), posterior.counts
        assert margin.classes.tolist() == pooled.classes.tolist() == [2, 0]
        np.testing.assert_allclose(margin.correct, pooled.correct, rtol=1e-12)
        np.testing.assert_allclose(margin.total, pooled.total, rtol=1e-12)


def test_indices_tell_the_repeats(wine):
    """Each sample counts once, here and in the posterior of the only candidate."""
    X, y = wine
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    scorer = OutcomesScorer(len(y))
    scores = cross_validate(GaussianNB(), X, y, scoring=scorer, cv=cv, return_indices=True)
    assert pooled_paired_counts(scores).n_samples == 178
    assert selected_posterior(scores, random_state=0).uncorrected.counts.n_samples == 178
    assert "Balanced accuracy: " in PosteriorRefit().report(scores)
    for function in (pooled_paired_counts, selected_posterior):
        with pytest.raises(ValueError, match="n_repeats must agree with the indices"):
            function(scores, n_repeats=1)


def test_frames_with_the_columns_in_any_order(wine_search):
    """The order of the columns is not that of the classes."""
    results = pd.DataFrame(wine_search.cv_results_)
    results = results[sorted(results, reverse=True)]
    counts = pooled_paired_counts(results, labels=[0, 1, 2])
    assert counts == pooled_paired_counts(wine_search.cv_results_, labels=[0, 1, 2])


def test_outcomes_are_needed(wine):
    """The message says which scorer keeps them."""
    fitted = search(*wine, scoring=ClassCountsScorer())
    with pytest.raises(ValueError, match=r"no outcomes .*OutcomesScorer\(max_test_size=len\(y\)"):
        pooled_paired_counts(fitted.cv_results_)


def test_other_folds_are_refused(wine):
    """Results of two searches are no pairs if their folds differ."""
    results = [
        pd.DataFrame(search(*part).cv_results_) for part in (wine, (wine[0][9:], wine[1][9:]))
    ]
    with pytest.raises(ValueError, match="other folds for candidate 0 than for candidate 4"):
        pooled_paired_counts(pd.concat(results, ignore_index=True))


def test_results_that_lack_some_outcomes_are_refused(wine, wine_search):
    """Counts without outcomes leave gaps in the columns."""
    counts = search(*wine, scoring=ClassCountsScorer()).cv_results_
    results = pd.concat([pd.DataFrame(wine_search.cv_results_), pd.DataFrame(counts)])
    with pytest.raises(ValueError, match="no outcomes of samples for candidate 4"):
        pooled_paired_counts(results)


def test_candidates_with_failed_fits_are_left_out(wine):
    """As for pooled posteriors; the others keep their names."""
    fitted = search(*wine)
    results = pd.DataFrame(fitted.cv_results_)
    results.loc[2, [key for key in results if key.startswith("split1_test_")]] = np.nan
    with pytest.warns(FitFailedWarning, match="failed fits are skipped: candidate 2, split 1"):
        assert pooled_paired_counts(results).names == ("0", "1", "3")
