"""Optuna: a study that maximises what the posterior says."""

import pytest
from sklearn.tree import DecisionTreeClassifier

from skpostbac import ClassCountsScorer, cross_val_posterior, make_posterior_scorer

REASON = "needs the group ecosystem"
optuna = pytest.importorskip("optuna", reason=REASON)
optuna_integration = pytest.importorskip("optuna_integration", reason=REASON)

pytestmark = [
    # The class says so of itself.
    pytest.mark.filterwarnings("ignore:OptunaSearchCV is experimental"),
    # optuna-integration still uses the module.
    pytest.mark.filterwarnings("ignore:.*optuna.terminator.*:FutureWarning"),
]

optuna.logging.set_verbosity(optuna.logging.ERROR)


def test_study_of_the_pooled_posterior(tumours, folds):
    """The best trial has the largest bound of all depths."""

    def bound(depth):
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
        return cross_val_posterior(tree, *tumours, cv=folds).distribution.iccdf(0.95)

    space = {"max_depth": [1, 2, 4]}
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.GridSampler(space, seed=0)
    )
    study.optimize(
        lambda trial: bound(trial.suggest_int("max_depth", 1, 4)), n_trials=3
    )
    bounds = {depth: bound(depth) for depth in space["max_depth"]}
    assert study.best_value == max(bounds.values())
    assert study.best_params == {"max_depth": max(bounds, key=bounds.get)}


def optuna_search(scoring):
    return optuna_integration.OptunaSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": optuna.distributions.IntDistribution(1, 4)},
        scoring=scoring,
        cv=3,
        n_trials=4,
        random_state=0,
    )


def test_optuna_search_cv_takes_a_scorer_of_one_number(tumours):
    """The score of the best trial is the mean of the folds' lower bounds."""
    search = optuna_search(make_posterior_scorer(objective="lower")).fit(*tumours)
    assert search.best_score_ == search.study_.best_value
    assert 0.5 < search.best_score_ < 1


def test_optuna_search_cv_takes_no_counts(tumours):
    """It wants one score (optuna #2935): the guide has a study in its place.

    When this fails, OptunaSearchCV has learnt it, and the guide can say so.
    """
    with pytest.raises(KeyError, match="test_score"):
        optuna_search(ClassCountsScorer()).fit(*tumours)
