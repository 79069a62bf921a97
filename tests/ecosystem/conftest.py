"""The packages beside which this one is used: real runs, nothing mocked.

A test of a package that is not installed is skipped. SKPOSTBAC_NO_SKIPS=1 in the environment
turns such a skip into a failure, which is what a job wants that has installed them all.
"""

import os

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCountsScorer,
    OutcomesScorer,
    PosteriorRefit,
    cross_val_posterior,
    make_posterior_scorer,
)

NO_SKIPS = os.environ.get("SKPOSTBAC_NO_SKIPS") == "1"


def forbid_skip(report):
    """Turn a skip into a failure, if the environment says so."""
    if NO_SKIPS and report.skipped and not hasattr(report, "wasxfail"):
        reason = (
            report.longrepr[2]
            if isinstance(report.longrepr, tuple)
            else report.longrepr
        )
        report.outcome = "failed"
        report.longrepr = f"SKPOSTBAC_NO_SKIPS=1, but {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return forbid_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return forbid_skip((yield))


@pytest.fixture(scope="session")
def tumours():
    """569 tumours, 212 malignant, under their names."""
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.array(["malignant", "benign"])[y]


@pytest.fixture(scope="session")
def folds():
    """Three folds, the same each time."""
    return StratifiedKFold(3)


@pytest.fixture(scope="session")
def run_everything(tumours, folds):
    """Run a search with each of our scorers, and a cross-validation, with as many jobs.

    What comes back is all that they find, but for the times, and can be compared.
    """
    tree = DecisionTreeClassifier(random_state=0)
    scorings = {
        "number": (make_posterior_scorer(objective="lower"), True),
        "counts": (ClassCountsScorer(), PosteriorRefit("lower")),
        "outcomes": (OutcomesScorer(200), PosteriorRefit(complexity="max_depth")),
    }

    def search(scoring, refit, n_jobs):
        fitted = GridSearchCV(
            tree,
            {"max_depth": [1, 2, 4]},
            scoring=scoring,
            refit=refit,
            cv=folds,
            n_jobs=n_jobs,
        ).fit(*tumours)
        columns = {
            key: np.asarray(values).tolist()
            for key, values in fitted.cv_results_.items()
            if not key.endswith("_time")
        }
        return fitted.best_index_, columns

    def run(n_jobs):
        found = {name: search(*pair, n_jobs) for name, pair in scorings.items()}
        return found | {
            "posterior": cross_val_posterior(tree, *tumours, cv=folds, n_jobs=n_jobs)
        }

    return run


@pytest.fixture(scope="session")
def sequential(run_everything):
    """What one job finds."""
    return run_everything(1)
