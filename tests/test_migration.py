"""What other libraries compute on a grid, against the same without one, within the grid's error.

Halving the step tells the error of the grid. It is linear in the step where a density ends with a
jump, and then twice what halving changes, and quadratic elsewhere, and then less.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, precision_score, recall_score
from sklearn.model_selection import cross_validate

import skpostbac
from skpostbac import PosteriorAccuracy, PosteriorBalancedAccuracy, PosteriorConfusionMetric
from skpostbac.binary_equivalent import guessing_test
from skpostbac.stats import BetaAverage

GUIDE = Path(__file__).parents[1] / "doc" / "user_guide" / "migrating.rst"
STEP = 1e-3
MATRICES = {
    "ordinary": [[30, 2, 0], [1, 8, 1], [0, 1, 3]],
    "few errors": [[32, 0, 0], [0, 9, 1], [0, 0, 4]],
    "two classes": [[40, 5], [8, 2]],
    "a class without samples": [[0, 0], [3, 7]],
}


class GridSum:
    """The sum of Beta variables, its density known at steps: one convolution for each class."""

    def __init__(self, a, b, step):
        points = np.linspace(0, 1, round(1 / step) + 1)
        density = np.ones(1) / step
        for one_a, one_b in zip(a, b, strict=True):
            density = np.convolve(density, stats.beta.pdf(points, one_a, one_b)) * step
        self.x = np.linspace(0, len(a), density.size)
        self.density = density / np.trapezoid(density, self.x)
        strips = step * (self.density[1:] + self.density[:-1]) / 2
        self.below = np.concatenate([[0], np.cumsum(strips)])

    def figures(self, x, p):
        """Return the mean, densities and probabilities at x, and quantiles at p."""
        return {
            "mean": np.trapezoid(self.x * self.density, self.x),
            "pdf": np.interp(x, self.x, self.density),
            "cdf": np.interp(x, self.x, self.below),
            "icdf": np.interp(p, self.below, self.x),
        }


@pytest.mark.filterwarnings("ignore:Class 0 has no samples")
@pytest.mark.parametrize("C", MATRICES.values(), ids=MATRICES)
def test_distributions_of_sum_and_average(C):
    """Density, distribution function, its inverse and the mean."""
    posterior = PosteriorBalancedAccuracy.from_confusion_matrix(C, prior="uniform")
    n_classes, total = len(C), np.sum(C, axis=1)
    a, b = 1 + np.diag(C), 1 + total - np.diag(C)
    x, p = np.linspace(0.1, 0.95, 18) * n_classes, np.array([0.025, 0.5, 0.975])
    coarse, fine = (GridSum(a, b, step).figures(x, p) for step in (STEP, STEP / 2))
    distribution = BetaAverage(a, b, weights=np.ones(n_classes))
    of_sum = {
        "mean": distribution.mean(),
        "pdf": distribution.pdf(x),
        "cdf": distribution.cdf(x),
        "icdf": distribution.icdf(p),
    }
    of_average = {
        "mean": posterior.mean() * n_classes,
        "pdf": posterior.pdf(x / n_classes) / n_classes,
        "cdf": posterior.cdf(x / n_classes),
        "icdf": posterior.icdf(p) * n_classes,
    }
    for name, on_grid in coarse.items():
        # A tenth more, for what is not linear in the step.
        error = 2.2 * np.max(np.abs(on_grid - fine[name])) + 1e-12
        assert error < 0.02
        np.testing.assert_allclose(of_sum[name], on_grid, rtol=0, atol=error, err_msg=name)
        np.testing.assert_allclose(of_average[name], on_grid, rtol=0, atol=error, err_msg=name)


def test_figures_of_the_matrix():
    """Accuracy, recall, precision and the parameters, from the labels."""
    C = np.array(MATRICES["ordinary"])
    y_true, y_pred = (np.repeat(index.ravel(), C.ravel()) for index in np.indices(C.shape))
    posterior = PosteriorBalancedAccuracy.from_confusion_matrix(C, prior="uniform")
    counts = posterior.counts
    assert counts.accuracy == pytest.approx(accuracy_score(y_true, y_pred), rel=1e-15)
    np.testing.assert_allclose(
        counts.recalls, recall_score(y_true, y_pred, average=None), rtol=1e-14
    )
    precisions = [
        PosteriorConfusionMetric.from_confusion_matrix(
            C, "precision", pos_label=label, prior="uniform"
        ).observed
        for label in range(3)
    ]
    expected = precision_score(y_true, y_pred, average=None)
    np.testing.assert_allclose(precisions, expected, rtol=1e-14)
    distribution = posterior.distribution
    assert [*zip(distribution.a.tolist(), distribution.b.tolist(), strict=True)] == [
        (31, 3),
        (9, 3),
        (4, 2),
    ]


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
    return matrix_names(MATRICES["ordinary"]) | {"model": model.fit(X, y), "X": X, "y": y}


def names_of_matlab():
    names = matrix_names(MATRICES["two classes"])
    accuracy = PosteriorAccuracy(names["posterior"].counts)
    distributions = {"average": names["distribution"], "addition": names["total"]}
    distributions["guessing_test"] = guessing_test
    return {"two": names["posterior"], "accuracy": accuracy, "alpha": 0.05, **distributions}


def names_of_prob_conf_mat():
    names = matrix_names(MATRICES["ordinary"])
    other = PosteriorBalancedAccuracy.from_confusion_matrix(MATRICES["few errors"])
    posteriors = {"C1": names["posterior"], "C3": other}
    of_matrix = PosteriorConfusionMetric.from_confusion_matrix
    return names | {"posteriors": posteriors, "of_matrix": of_matrix, "n": 7, "rope": 0.01}


def names_of_baycomp():
    y_true = [0, 0, 0, 1, 1, 1]
    predictions = {"x": [0, 0, 0, 1, 1, 0], "y": [0, 1, 0, 1, 1, 1]}
    comparison = skpostbac.compare_predictions(y_true, predictions, rope=0.01)
    cv_results = cross_validate(
        DummyClassifier(), [[0]] * 6, y_true, cv=2, scoring=skpostbac.ClassCountsScorer()
    )
    return {"comparison": comparison, "cv_results": cv_results}


def expressions(library):
    """Return all that is code in the right column of a library's table."""
    section = GUIDE.read_text("utf-8").split(f"\n{library}\n{'=' * len(library)}\n")[1]
    lines = section.splitlines()
    rules = [i for i, line in enumerate(lines) if re.fullmatch("=+ =+", line)]
    edge = lines[rules[0]].index(" ")
    right = " ".join(line[edge:] for line in lines[rules[1] + 1 : rules[2]])
    return re.findall("``(.+?)``", right)


TABLES = {
    "mclearn": (names_of_mclearn, 16),
    "Brodersen's MATLAB functions": (names_of_matlab, 19),
    "prob_conf_mat": (names_of_prob_conf_mat, 8),
    "baycomp": (names_of_baycomp, 5),
}


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")
@pytest.mark.parametrize(("library", "names", "size"), [(k, *v) for k, v in TABLES.items()])
def test_tables_run(library, names, size):
    """Each expression on the right of a table is evaluated as it stands."""
    known = {name: getattr(skpostbac, name) for name in skpostbac.__all__}
    known |= {"x": [0.5, 0.7], "p": [0.1, 0.9]} | names()
    found = expressions(library)
    assert len(found) == size
    for expression in found:
        eval(expression, known)
    plt.close("all")
