"""Values that no display takes: one ValueError or TypeError that names the argument."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from skpostbac import (
    PosteriorBalancedAccuracy,
    PosteriorComparisonDisplay,
    PosteriorDisplay,
    PosteriorSearchDisplay,
    compare_posteriors,
)
from skpostbac.binormal import BinormalCurveDisplay, CurveBand, NormalScoresDisplay, binormal_check

plt = pytest.importorskip("matplotlib.pyplot")

POSTERIOR = PosteriorBalancedAccuracy.from_counts([3, 5], [4, 9])
SEARCH = {"param": "C", "values": [1, 2], "posteriors": [POSTERIOR, POSTERIOR]}
CURVE = {"curve": "roc", "x": [0, 1], "y": [0, 1], "area": 0.5, "positive_fraction": 0.5}
Y_TRUE, Y_SCORE = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
X = np.zeros((len(Y_TRUE), 1))
GUESSER = DummyClassifier().fit(X, Y_TRUE)
COMPARISON = compare_posteriors({"A": POSTERIOR, "B": POSTERIOR})
DISPLAYS = {
    "posterior": lambda: PosteriorDisplay(POSTERIOR),
    "comparison": lambda: PosteriorComparisonDisplay(COMPARISON),
    "search": lambda: PosteriorSearchDisplay(**SEARCH),
    "curve": lambda: BinormalCurveDisplay(**CURVE),
    "scores": lambda: NormalScoresDisplay(binormal_check(Y_TRUE, Y_SCORE)),
}


@pytest.mark.parametrize("ax", [int, 0.5, [], np.array([None, None])], ids=str)
@pytest.mark.parametrize("display", DISPLAYS)
def test_axes_are_checked(display, ax):
    """As a rule it is the array that `plt.subplots` returns."""
    with pytest.raises(TypeError, match="ax must be matplotlib Axes or None, got"):
        DISPLAYS[display]().plot(ax=ax)
    assert not plt.get_fignums()


@pytest.mark.parametrize("value", [3, [1], "ab", {1: 2}], ids=["number", "list", "text", "keys"])
@pytest.mark.parametrize(
    ("display", "argument"),
    [
        ("posterior", "curve_kwargs"),
        ("posterior", "chance_level_kw"),
        ("search", "errorbar_kwargs"),
        ("search", "best_kwargs"),
        ("search", "chance_level_kw"),
        ("curve", "curve_kwargs"),
        ("curve", "band_kwargs"),
        ("curve", "empirical_kwargs"),
        ("curve", "chance_level_kw"),
        ("scores", "points_kwargs"),
        ("scores", "lines_kwargs"),
    ],
)
def test_keyword_arguments_are_checked(display, argument, value):
    """Before there is an empty figure."""
    with pytest.raises(TypeError, match=rf"{argument}.* must be a dict with names as keys"):
        DISPLAYS[display]().plot(**{argument: value})
    assert not plt.get_fignums()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"curve": "a"}, "curve must be one of"),
        ({"x": int}, "x must be an array of numbers"),
        ({"y": [0, 0.5, 1]}, "x and y must be 1-dimensional and have the same length"),
        ({"area": "a"}, "area must be in"),
        ({"positive_fraction": None}, "positive_fraction must be a number strictly between"),
        ({"level": "a"}, "level must be a number strictly between 0 and 1"),
        ({"interval": (0.9, 0.1)}, "interval must be two ascending numbers"),
        ({"band": 1}, "band must be a CurveBand or None"),
        ({"band": CurveBand([0, 1], [0], [0, 1], [0, 1])}, "band: x and y must be 1-dim"),
        ({"empirical": 1}, "empirical must be an EmpiricalCurve or None"),
        ({"empirical": ([0], [0, 1], 0.5)}, "empirical: x and y must be"),
        ({"name": 1}, "name must be a string or None"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_a_curve_is_checked(changed, message):
    """All of its parameters but the label of the positive class, which may be any."""
    with pytest.raises((ValueError, TypeError), match=message):
        BinormalCurveDisplay(**CURVE | changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"param": 1}, "param must be a string"),
        ({"values": -1}, "values must be a sequence"),
        ({"posteriors": int}, "posteriors must be a sequence"),
        ({"groups": 1.5}, "groups must be a sequence"),
        ({"groups": [1, 2]}, "groups must be strings"),
        ({"best_index": np.array([0, 1])}, "best_index must be the position of"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_candidates_are_checked(changed, message):
    """Whatever they are made of."""
    with pytest.raises((ValueError, TypeError), match=message):
        PosteriorSearchDisplay(**SEARCH | changed)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PosteriorSearchDisplay.from_search(0.5), "search must be a fitted search"),
        (lambda: BinormalCurveDisplay.from_model([]), "model must be a BinormalModel"),
        (lambda: POSTERIOR.plot(name=[[]]), "name must be a string or None"),
        (
            lambda: BinormalCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, name=[]),
            "name must be a string or None",
        ),
        (lambda: PosteriorDisplay(POSTERIOR, score_name=1), "score_name must be a string or None"),
        (
            lambda: PosteriorDisplay.from_predictions([0, 1], [0, 1], name=[]),
            "name must be a string or None",
        ),
        (
            lambda: PosteriorDisplay.from_predictions([0, 1], {1: [0, 1]}),
            "y_pred: the names of classifiers must be strings",
        ),
        (
            lambda: PosteriorDisplay.from_estimator([], [[0]], [0]),
            "estimator must be a classifier with predict",
        ),
        (
            lambda: NormalScoresDisplay.from_estimator(int, [[0]] * 12, [0, 1] * 6),
            "estimator must be a fitted classifier, got <class 'int'>",
        ),
        (
            lambda: NormalScoresDisplay.from_estimator(
                GUESSER, X, Y_TRUE, pos_label=pd.Series([1])
            ),
            "pos_label must be a label",
        ),
        (
            lambda: COMPARISON.plot(kind="difference", pair=pd.Series([0.5, 0.2])),
            r"pair must name two of \('A', 'B'\)",
        ),
        (
            lambda: COMPARISON.plot(pair=pd.DataFrame({"a": [0.5]})),
            r"pair must name two of \('A', 'B'\)",
        ),
        (
            lambda: COMPARISON.plot(kind="ranks", cmap={}),
            "cmap must be a str or a matplotlib Colormap",
        ),
        (
            lambda: COMPARISON.plot(kind="matrix", cmap=1),
            "cmap must be a str or a matplotlib Colormap",
        ),
    ],
    ids=[
        *("search", "model", "plot", "predictions", "score", "name", "names", "predict", "fit"),
        *("label", "pair", "unused_pair", "cmap_of_ranks", "cmap_of_a_matrix"),
    ],
)
def test_other_arguments_are_checked(call, message):
    """Where matplotlib or scikit-learn would have spoken of something else."""
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_numbers_of_any_size_are_values():
    """Those beyond all floats are categories."""
    display = PosteriorSearchDisplay(**SEARCH | {"values": [1, 10**400]}).plot()
    assert len(display.ax_.get_xticklabels()) == 2
    plt.close(display.figure_)


def test_lines_of_huge_scores_do_not_overflow():
    """The standard deviation is computed from scaled scores."""
    scale = 1e200
    scores = [score * scale for score in Y_SCORE]
    display = NormalScoresDisplay.from_predictions(Y_TRUE, scores)
    small = NormalScoresDisplay.from_predictions(Y_TRUE, Y_SCORE)
    for line, expected in zip(display.lines_, small.lines_, strict=True):
        np.testing.assert_allclose(line.get_ydata(), scale * expected.get_ydata(), rtol=1e-12)
    plt.close("all")
