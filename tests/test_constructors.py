"""What the public classes refuse to be made of, and parameters that are on or off."""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pytest

import skpostbac
from skpostbac import (
    ClassCounts,
    PosteriorBalancedAccuracy,
    PosteriorComparisonDisplay,
    PosteriorConfusionMetric,
    PosteriorDisplay,
    PosteriorSearchDisplay,
    compare_posteriors,
    make_posterior_scorer,
    posterior_balanced_accuracy_score,
    required_test_size,
)
from skpostbac.binary_equivalent import (
    GuessingTest,
    PosteriorBinaryEquivalentAccuracy,
    binary_equivalent_accuracy_score,
    make_binary_equivalent_scorer,
)
from skpostbac.binormal import BinormalCurveDisplay, NormalScoresDisplay
from skpostbac.metrics import PriorInfluence, ProbAboveChance
from skpostbac.model_selection import RequiredTestSize
from skpostbac.stats import BetaAverage

COUNTS = ClassCounts(["a", "b"], [3, 2], [4, 4])
POSTERIOR = PosteriorBalancedAccuracy(COUNTS)
DISTRIBUTION = BetaAverage([3], [2])
NAN = float("nan")


def search(**changes):
    keywords = {"param": "C", "values": [1, 2], "posteriors": [POSTERIOR, POSTERIOR]}
    return PosteriorSearchDisplay(**(keywords | changes))


REFUSED = {
    "accuracy type": (
        lambda: PosteriorBinaryEquivalentAccuracy(POSTERIOR, 2),
        TypeError,
        "accuracy must be a BoundedDistribution, got PosteriorBalancedAccuracy",
    ),
    "accuracy range": (
        lambda: PosteriorBinaryEquivalentAccuracy(DISTRIBUTION - DISTRIBUTION, 2),
        ValueError,
        r"accuracy must lie in \[0, 1\], got .*-1.0",
    ),
    "guessing order": (
        lambda: GuessingTest(5, 2, 1.0, -1.0),
        ValueError,
        "correct == 5, must be <= 2",
    ),
    "guessing type": (
        lambda: GuessingTest(1.5, 2, 1.0, -1.0),
        TypeError,
        "correct must be an instance of int",
    ),
    "guessing text": (
        lambda: GuessingTest(1, 2, "1", -1.0),
        TypeError,
        "expected_correct must be an instance of float",
    ),
    "guessing expected": (
        lambda: GuessingTest(1, 2, NAN, -1.0),
        ValueError,
        r"expected_correct must be in \[0, n\], got nan",
    ),
    "guessing p-value": (
        lambda: GuessingTest(1, 2, 1.0, 0.5),
        ValueError,
        "log_p_value must be at most 0, got 0.5",
    ),
    "influence counts": (
        lambda: PriorInfluence([3, 2], [0.5, 0.5], [0.5, 0.5], 0.1, "uniform"),
        TypeError,
        "counts must be ClassCounts, got list",
    ),
    "influence length": (
        lambda: PriorInfluence(COUNTS, [0.5], [0.5, 0.5], 0.1, "uniform"),
        ValueError,
        r"recall_means must have a number in \[0, 1\] for each of the 2 classes",
    ),
    "influence range": (
        lambda: PriorInfluence(COUNTS, [0.5, 0.5], [0.5, 5], 0.1, "uniform"),
        ValueError,
        r"class_weight must have a number in \[0, 1\]",
    ),
    "influence deviation": (
        lambda: PriorInfluence(COUNTS, [0.5, 0.5], [0.5, 0.5], NAN, "uniform"),
        ValueError,
        "standard_deviation must be at least 1e-300 and finite, got nan",
    ),
    "influence prior": (
        lambda: PriorInfluence(COUNTS, [0.5, 0.5], [0.5, 0.5], 0.1, "flat"),
        ValueError,
        "prior must be one of",
    ),
    "chance range": (
        lambda: ProbAboveChance(5, 0.5, 1.0),
        ValueError,
        r"probability must be in \[0, 1\], got 5",
    ),
    "chance nan": (
        lambda: ProbAboveChance(0.5, NAN, 1.0),
        ValueError,
        r"prior must be in \[0, 1\], got nan",
    ),
    "chance type": (
        lambda: ProbAboveChance("0.5", 0.5, 1.0),
        TypeError,
        "probability must be a real number, got '0.5'",
    ),
    "chance factor": (
        lambda: ProbAboveChance(0.5, 0.5, -1),
        ValueError,
        "bayes_factor must not be negative, got -1",
    ),
    "metric name": (
        lambda: PosteriorConfusionMetric(1, 0.5, DISTRIBUTION),
        TypeError,
        "metric must be a string, got int",
    ),
    "metric observed": (
        lambda: PosteriorConfusionMetric("f1", "x", DISTRIBUTION),
        TypeError,
        "observed must be a number, got str",
    ),
    "metric distribution": (
        lambda: PosteriorConfusionMetric("f1", 0.5, POSTERIOR),
        TypeError,
        "distribution must be a BetaAverage, .* or DrawnPosterior, got PosteriorBal",
    ),
    "metric without parts": (
        lambda: PosteriorConfusionMetric("f1", 0.5),
        TypeError,
        "missing 1 required positional argument: 'distribution'",
    ),
    "test size": (
        lambda: RequiredTestSize(None, samples=np.arange(2), goal="a goal"),
        TypeError,
        "a RequiredTestSize is made by required_test_size",
    ),
    "display": (
        lambda: PosteriorDisplay({"a": 1}),
        TypeError,
        r"posteriors\['a'\] must be a posterior, got int",
    ),
    "display of none": (
        lambda: PosteriorDisplay({}),
        ValueError,
        "posteriors must contain at least one posterior, got none",
    ),
    "comparison": (
        lambda: PosteriorComparisonDisplay(POSTERIOR),
        TypeError,
        "comparison must be a PosteriorComparison, got PosteriorBalancedAccuracy",
    ),
    "search posteriors": (
        lambda: search(posteriors=[POSTERIOR, None]),
        TypeError,
        r"posteriors\[1\] must be a PosteriorBalancedAccuracy, got NoneType",
    ),
    "search values": (
        lambda: search(values=[1]),
        ValueError,
        "must have one entry for each of one or more posteriors, got 1 values for 2",
    ),
    "search groups": (
        lambda: search(groups=["x"]),
        ValueError,
        "values and groups must have one entry for each .* and 1 groups for 2 posteriors",
    ),
    "search best": (
        lambda: search(best_index=2),
        ValueError,
        "best_index must be the position of one of 2 candidates, from 0 to 1, got 2",
    ),
}


@pytest.mark.parametrize(("make", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_parts_that_do_not_fit_are_refused(make, error, message):
    """At once, with an error that names the argument."""
    with pytest.raises(error, match=message):
        make()


RIVALS = compare_posteriors({"one": POSTERIOR, "two": PosteriorBalancedAccuracy(COUNTS + COUNTS)})
Y_TRUE, Y_PRED, Y_SCORE = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [-3, -1, -2, 2, 0, 5]
FLAGS = {
    "score": (lambda **flag: posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, **flag), "adjusted"),
    "scorer": (make_posterior_scorer, "adjusted"),
    "binary equivalent": (
        lambda **flag: binary_equivalent_accuracy_score(Y_TRUE, Y_PRED, **flag),
        "balanced",
    ),
    "binary-equivalent scorer": (make_binary_equivalent_scorer, "balanced"),
    "test size": (lambda **flag: required_test_size(0.5, difference=0.4, **flag), "paired"),
    "posterior": (lambda **flag: PosteriorDisplay(POSTERIOR).plot(**flag), "despine"),
    "chance": (lambda **flag: PosteriorDisplay(POSTERIOR).plot(**flag), "plot_chance_level"),
    "comparison": (lambda **flag: PosteriorComparisonDisplay(RIVALS).plot(**flag), "despine"),
    "search": (lambda **flag: search().plot(**flag), "despine"),
    "search chance": (lambda **flag: search().plot(**flag), "plot_chance_level"),
    "normal scores": (
        lambda **flag: NormalScoresDisplay.from_predictions(Y_TRUE, Y_SCORE, **flag),
        "despine",
    ),
    **{
        f"curve {name}": (
            lambda **flag: BinormalCurveDisplay.from_predictions(
                Y_TRUE, Y_SCORE, n_draws=50, random_state=0, **flag
            ),
            name,
        )
        for name in ("plot_band", "plot_empirical", "plot_chance_level", "despine")
    },
}


@pytest.mark.parametrize(("function", "name"), FLAGS.values(), ids=FLAGS)
def test_flags_are_bools(function, name):
    """Those of Python and of NumPy; what is merely true or false in Python is neither."""
    for value in ("no", 0, 1, None, 1.0):
        with pytest.raises(TypeError, match=f"{name} must be a bool, got {value!r}"):
            function(**{name: value})
    for value in (True, np.True_, False):
        function(**{name: value})
    plt.close("all")


RECORDS = ["BinormalDraws", "CurveBand", "DesignEffects", "EmpiricalAreas", "Interval"]
RECORDS += ["MonteCarloError", "NormalScores", "RopeMasses", "ScoreMoments"]


def public_classes():
    """Return all public classes by name."""
    modules = [module for _, module in inspect.getmembers(skpostbac, inspect.ismodule)]
    found = {name: getattr(module, name) for module in modules for name in module.__all__}
    return {name: kind for name, kind in found.items() if isinstance(kind, type)}


def test_records_say_that_they_are_not_checked():
    """And they are all that say so; each named tuple is one."""
    classes = public_classes()
    assert [name for name in sorted(classes) if "not checked" in (classes[name].__doc__ or "")] == (
        RECORDS
    )
    assert {name for name, kind in classes.items() if issubclass(kind, tuple)} <= set(RECORDS)
