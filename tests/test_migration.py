"""The page for those who come from other libraries: its expressions are evaluated."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_validate

import skpostbac
from skpostbac import (
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
)
from skpostbac.binary_equivalent import guessing_test
from skpostbac.stats import BetaAverage

GUIDE = Path(__file__).parents[1] / "doc" / "user_guide" / "migrating.rst"
MATRICES = {
    "ordinary": [[30, 2, 0], [1, 8, 1], [0, 1, 3]],
    "few errors": [[32, 0, 0], [0, 9, 1], [0, 0, 4]],
    "two classes": [[40, 5], [8, 2]],
}


def matrix_names(C):
    """Return what the guide calls the posterior, its parameters and its distributions."""
    posterior = PosteriorBalancedAccuracy.from_confusion_matrix(C)
    a, b = posterior.distribution.a, posterior.distribution.b
    total = BetaAverage(a, b, weights=np.ones(len(a)))
    return {
        "C": C,
        "posterior": posterior,
        "a": a,
        "b": b,
        "distribution": BetaAverage(a, b),
        "total": total,
    }


def names_of_mclearn():
    model, X, y = DummyClassifier(), [[0]] * 4, [0, 0, 0, 1]
    return matrix_names(MATRICES["ordinary"]) | {
        "model": model.fit(X, y),
        "X": X,
        "y": y,
    }


def names_of_matlab():
    names = matrix_names(MATRICES["two classes"])
    accuracy = PosteriorAccuracy(names["posterior"].counts)
    distributions = {"average": names["distribution"], "addition": names["total"]}
    distributions["guessing_test"] = guessing_test
    return {
        "two": names["posterior"],
        "accuracy": accuracy,
        "alpha": 0.05,
        **distributions,
    }


def names_of_prob_conf_mat():
    names = matrix_names(MATRICES["ordinary"])
    other = PosteriorBalancedAccuracy.from_confusion_matrix(MATRICES["few errors"])
    posteriors = {"C1": names["posterior"], "C3": other}
    of_matrix = PosteriorConfusionMetric.from_confusion_matrix
    return names | {
        "posteriors": posteriors,
        "of_matrix": of_matrix,
        "n": 7,
        "rope": 0.01,
    }


def names_of_baycomp():
    y_true = [0, 0, 0, 1, 1, 1]
    predictions = {"x": [0, 0, 0, 1, 1, 0], "y": [0, 1, 0, 1, 1, 1]}
    comparison = skpostbac.compare_predictions(y_true, predictions, rope=0.01)
    cv_results = cross_validate(
        DummyClassifier(),
        [[0]] * 6,
        y_true,
        cv=2,
        scoring=skpostbac.ClassCountsScorer(),
    )
    return {"comparison": comparison, "cv_results": cv_results}


def expressions(library):
    """Return all that is code in the right column of a library's table."""
    section = GUIDE.read_text("utf-8").split(f"\n{library}\n{'=' * len(library)}\n")[1]
    lines = section.splitlines()
    rules = [i for i, line in enumerate(lines) if re.fullmatch(" *=+ =+", line)]
    edge = lines[rules[0]].rindex(" ")
    right = " ".join(line[edge:] for line in lines[rules[1] + 1 : rules[2]])
    return re.findall("``(.+?)``", right)


TABLES = {
    "mclearn": (names_of_mclearn, 16),
    "Brodersen's MATLAB functions": (names_of_matlab, 19),
    "prob_conf_mat": (names_of_prob_conf_mat, 8),
    "baycomp": (names_of_baycomp, 5),
}


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")
@pytest.mark.parametrize(
    ("library", "names", "size"), [(k, *v) for k, v in TABLES.items()]
)
def test_tables_run(library, names, size):
    """Each expression on the right of a table is evaluated as it stands."""
    known = {name: getattr(skpostbac, name) for name in skpostbac.__all__}
    known |= {"x": [0.5, 0.7], "p": [0.1, 0.9]} | names()
    found = expressions(library)
    assert len(found) == size
    for expression in found:
        eval(expression, known)
    plt.close("all")
