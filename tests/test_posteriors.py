"""All posteriors and comparisons have the same words: report, summary, hdi, table."""

import inspect
import json
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest

import skpostbac
from skpostbac import binary_equivalent, metrics
from skpostbac.metrics import SelectedPosterior
from tests.texts import sentences

KEYS = ["mean", "median", "standard_deviation", "low", "high", "level"]
Y_TRUE = [0] * 12 + [1] * 8
Y_PRED = [0] * 10 + [1] * 8 + [0] * 2
SCORES = [*np.linspace(-1, 1, 12) ** 3, *np.linspace(-0.5, 2, 8) ** 2]
JUDGE = {"sensitivity": (27, 30), "specificity": (24, 30)}
MATRIX = [[9, 1, 1], [2, 8, 1], [0, 1, 5]]
from_matrix = skpostbac.PosteriorConfusionMetric.from_confusion_matrix

BALANCED = skpostbac.posterior_balanced_accuracy(Y_TRUE, Y_PRED)
SUBGROUPS = skpostbac.subgroup_posteriors(
    Y_TRUE, Y_PRED, sensitive_features=["f", "m"] * 10
)
PREVALENCE = skpostbac.posterior_prevalence(130, 200, **JUDGE)
# A posterior of a single figure, of each class and kind.
FIGURES = {
    "PosteriorAccuracy": skpostbac.posterior_accuracy(Y_TRUE, Y_PRED),
    "PosteriorBalancedAccuracy": BALANCED,
    "PosteriorBinaryEquivalentAccuracy": BALANCED.binary_equivalent(),
    "PosteriorConfusionMetric": from_matrix(MATRIX, "precision", pos_label=1),
    "PosteriorConfusionMetric, drawn": from_matrix(
        MATRIX, "mcc", n_draws=500, random_state=0
    ),
    "PosteriorPrevalence": PREVALENCE,
    "PosteriorRankingMetric": skpostbac.posterior_roc_auc(Y_TRUE, SCORES, n_draws=5000),
    "PosteriorRankingMetric, precision": skpostbac.posterior_average_precision(
        Y_TRUE, SCORES, n_draws=500
    ),
    "PosteriorValidatedPrevalence": skpostbac.posterior_prevalence(
        130, 200, gold=[[24, 6], [3, 27]]
    ),
    "PrevalenceDifference": PREVALENCE.difference(PREVALENCE),
    "SelectedPosterior": SelectedPosterior(BALANCED, optimism=0.03),
    "SubgroupPosterior, gap": SUBGROUPS.gap,
    "SubgroupPosterior, worst": SUBGROUPS.worst,
    "DrawnDistribution": skpostbac.stats.DrawnDistribution(np.linspace(0, 1, 200) ** 2),
}


@cache
def several(name):
    """Return a posterior of several figures, or a comparison."""
    predictions = {"one": Y_PRED, "two": Y_PRED[::-1], "three": Y_TRUE}
    return {
        "PopulationPosterior": lambda: skpostbac.population_posterior([8, 9], [10, 10]),
        "PosteriorClassificationReport": lambda: (
            skpostbac.posterior_classification_report(Y_TRUE, Y_PRED, n_draws=500)
        ),
        "PosteriorComparison": lambda: skpostbac.compare_predictions(
            Y_TRUE, predictions, n_draws=500, random_state=0, rope=0.05
        ),
        "PosteriorThresholdCurve": lambda: skpostbac.posterior_threshold_curve(
            Y_TRUE, SCORES, random_state=0
        ),
        "SubgroupPosteriors": lambda: SUBGROUPS,
    }[name]()


SEVERAL = [
    "PopulationPosterior",
    "PosteriorClassificationReport",
    "PosteriorComparison",
    "PosteriorThresholdCurve",
    "SubgroupPosteriors",
]


def test_all_posteriors_are_here():
    """Each public class that is called a posterior."""
    public = {
        name
        for module in (skpostbac, metrics, binary_equivalent)
        for name, _ in inspect.getmembers(module, inspect.isclass)
        if "Posterior" in name and not name.endswith(("Display", "Plot"))
    }
    known = {name.partition(",")[0] for name in [*FIGURES, *SEVERAL]}
    assert public - known == {"PosteriorRefit"}  # chooses a candidate


@pytest.mark.parametrize("name", FIGURES)
def test_figures_have_the_same_words(name):
    """Intervals are those of the distribution; the summary begins with the same keys."""
    posterior = FIGURES[name]
    (low, high), (lower, higher) = (
        posterior.credible_interval(0.8, method=method) for method in ("hdi", "central")
    )
    hull = (min(low, lower), max(high, higher))
    assert (
        hull
        == posterior.credible_interval(0.8)
        == posterior.credible_interval(0.8, method="hull")
    )
    # A distribution has the intervals of SciPy's, and draws are their own.
    is_posterior = name != "DrawnDistribution"
    distribution = posterior.distribution if is_posterior else posterior
    assert hasattr(posterior, "interval") is not is_posterior
    assert (low, high) == distribution.hdi(0.8)
    assert (lower, higher) == distribution.interval(0.8)
    summary = posterior.summary(0.8)
    assert list(summary)[: len(KEYS)] == KEYS
    assert (summary["low"], summary["high"]) == hull
    assert (summary["mean"], summary["level"]) == (posterior.mean(), 0.8)
    assert all(isinstance(value, float) for value in summary.values())
    assert f"{posterior.mean():.3f} (80% credible interval" in posterior.report(0.8)
    assert posterior.report(0.8).endswith(".")
    for ask in ("credible_interval", "summary", "report"):
        with pytest.raises(
            ValueError, match="level must be a number strictly between 0 and 1"
        ):
            getattr(posterior, ask)(1)
    with pytest.raises(
        ValueError, match="method must be 'hull', 'hdi' or 'central', got 'eti'"
    ):
        posterior.credible_interval(method="eti")


@pytest.mark.parametrize("name", sorted(FIGURES.keys() - {"DrawnDistribution"}))
def test_methods_are_those_of_the_distribution(name):
    """A float for one value, the shape of the argument else; NaN for NaN; seeded draws."""
    posterior, distribution = FIGURES[name], FIGURES[name].distribution
    for method in ("mean", "median", "mode", "standard_deviation"):
        assert type(getattr(posterior, method)()) is float
        assert getattr(posterior, method)() == getattr(distribution, method)()
    for method, other in {"prob_below": "cdf", "prob_above": "ccdf"}.items():
        ask = getattr(posterior, method)
        assert type(ask(0.7)) is type(ask(np.array(0.7))) is float  # for f"{p:.3f}"
        assert ask([[0.7], [0.8]]).shape == (2, 1)
        x = [0.2, 0.7]
        np.testing.assert_array_equal(ask(x), getattr(distribution, other)(x))
    # Above the median: a gap may be 0 with a probability of almost a half.
    x = np.linspace(*distribution.icdf([0.5, 0.9]), 2001)
    mass = np.trapezoid(distribution.pdf(x), x)
    assert mass == pytest.approx(0.4, abs=0.03)
    assert distribution.pdf(posterior.mode()) >= 0.99 * distribution.pdf(x).max()
    np.testing.assert_allclose(
        posterior.prob_above(0.4) + posterior.prob_below(0.4), 1, rtol=1e-12
    )
    assert np.isnan(posterior.prob_above(np.nan))
    assert type(posterior.sample(rng=0)) is float
    draws = posterior.sample((2, 3), rng=1)
    np.testing.assert_array_equal(draws, distribution.sample((2, 3), rng=1))


@pytest.mark.parametrize("name", SEVERAL)
def test_results_of_several_figures_have_the_same_keys(name):
    """In each row, which has a name; a report at any level."""
    result = several(name)
    summary = result.summary(level=0.8)
    rows = summary if isinstance(summary, list) else [summary]
    for row in rows:
        assert [key for key in row if key in KEYS] == KEYS
        assert row["level"] == 0.8
        assert isinstance(summary, dict) or "name" in row
        assert row["low"] < row["median"] < row["high"]
    assert "80% credible interval" in result.report(level=0.8)


def test_the_report_of_an_accuracy_says_what_samples_are_worth():
    """With groups, as that of the balanced accuracy does."""
    groups = np.repeat(np.arange(5), 4)
    with pytest.warns(metrics.GroupsWarning):
        posterior = skpostbac.posterior_accuracy(Y_TRUE, Y_PRED, groups=groups)
    assert "The samples come from 5 groups" in sentences(posterior)


def test_an_accuracy_without_samples_has_no_rate():
    """Nor is there a probability of exceeding it."""
    summary = skpostbac.PosteriorAccuracy.from_counts([0, 0], [0, 0]).summary()
    assert summary["no_information_rate"] is None
    assert summary["prob_above_no_information_rate"] is None


UNTESTED = skpostbac.ClassCounts([0, 1], [3, 0], [4, 0])
PERFECT = from_matrix([[4, 0], [0, 4]], "lr+")
# What is 0 / 0 or 1 / 0 in these results.
UNDEFINED = [
    (PERFECT, "mean"),
    (PERFECT, "observed"),
    (from_matrix([[4, 0], [0, 0]], "precision"), "observed"),
    (skpostbac.compare_posteriors({"a": PERFECT, "b": PERFECT}), "mean"),
    (skpostbac.required_test_size([0.9, 0.8], width=0.3), "agreement"),
    (binary_equivalent.guessing_test([0] * 9, [0] * 9), "error_reduction"),
]


@pytest.mark.parametrize(
    ("result", "undefined"),
    UNDEFINED,
    ids=[f"{type(one).__name__}-{key}" for one, key in UNDEFINED],
)
def test_summaries_are_json(result, undefined):
    """Which has neither nan nor infinity: None stands for what is undefined or infinite."""
    summary = json.loads(json.dumps(result.summary(), allow_nan=False))
    rows = summary if isinstance(summary, list) else [summary]
    assert rows[-1][undefined] is None


def test_a_test_against_guessing_has_words():
    """9 of 10 by a fair coin: 11 of the 1,024 outcomes."""
    test = binary_equivalent.guessing_test([0] * 8 + [1] * 2, [0] * 9 + [1])
    figures = test.summary()
    assert figures["p_value"] == pytest.approx(11 / 1024)
    assert (figures["correct"], figures["n"], figures["gain"]) == (9, 10, 4)
    assert figures["error_reduction"] == pytest.approx(0.8)
    assert "9 of 10 predictions are correct" in sentences(test)


# Tables


FRAMES = {
    "pandas": lambda columns: pd.DataFrame(columns).to_dict("list"),
    "polars": lambda columns: pl.DataFrame(columns).to_dict(as_series=False),
}


each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@each_frame
def test_tables_of_a_comparison(frame):
    """Matrices with the names of rows and columns; a row for each pair, the better one first."""
    comparison = several("PosteriorComparison")
    names = list(comparison.names)
    headers = {
        "prob_greater": names,
        "rank_probabilities": ["rank 1", "rank 2", "rank 3"],
    }
    for kind, header in headers.items():
        columns = frame(comparison.table(kind))
        assert columns.pop("name") == names
        matrix = getattr(comparison, kind)()
        np.testing.assert_array_equal(np.column_stack(list(columns.values())), matrix)
        assert list(columns) == header
    columns = frame(comparison.table("differences", level=0.8))
    best, second, third = comparison.ranking()
    assert columns["first"] == [best, best, second]
    assert columns["second"] == [second, third, third]
    assert list(columns)[2:8] == KEYS
    low, high = comparison.difference_interval(best, third, 0.8)
    assert (columns["low"][1], columns["high"][1]) == (low, high)
    prob_greater = comparison.prob_greater()[names.index(best), names.index(third)]
    assert columns["prob_greater"][1] == pytest.approx(prob_greater, abs=1e-15)
    assert columns["within"][1] == comparison.rope_masses(best, third).within


@each_frame
@pytest.mark.parametrize("classes", [["a", "b"], [3, 7]], ids=str)
def test_recalls_have_a_row_for_each_class(frame, classes):
    """With its counts and the figures of its recall, Beta(1/2 + 40, 1/2 + 5)."""
    posterior = skpostbac.PosteriorBalancedAccuracy.from_counts(
        [40, 2], [45, 10], classes=classes, class_weight=[3, 1]
    )
    columns = frame(posterior.table(0.8))
    assert columns["class"] == classes
    assert (columns["correct"], columns["total"]) == ([40, 2], [45, 10])
    assert columns["mean"] == pytest.approx([40.5 / 46, 2.5 / 11])
    assert columns["class_weight"] == [0.75, 0.25]
    assert list(columns)[3:9] == KEYS


@each_frame
def test_curves_have_a_row_for_each_point(frame):
    """The thresholds of a score."""
    curve = several("PosteriorThresholdCurve")
    np.testing.assert_array_equal(frame(curve.table())["mean"], curve.mean)


def test_unknown_tables_are_refused():
    """With the names of those that there are; the level is checked where it is not used, too."""
    comparison = several("PosteriorComparison")
    for kind, hint in (
        ("prob_greatr", "; did you mean 'prob_greater'"),
        (["differences"], ""),
    ):
        with pytest.raises(ValueError, match=f"kind must be one of .*{hint}"):
            comparison.table(kind)
    with pytest.raises(ValueError, match="level must be"):
        comparison.table(level=95)
    # It would take the place of the first column; ranks and pairs have no such clash.
    comparison = skpostbac.compare_predictions(
        Y_TRUE, {"name": Y_PRED, "other": Y_TRUE}
    )
    with pytest.raises(ValueError, match="names must not contain 'name'"):
        comparison.table()
    assert comparison.table("rank_probabilities")["name"] == ["name", "other"]


def test_posteriors_in_formatted_strings():
    """A format for numbers gives the mean, none the report."""
    posterior = skpostbac.PosteriorBalancedAccuracy.from_counts([28, 30], [30, 31])
    assert f"{posterior:.3f}" == f"{posterior.mean():.3f}"
    assert f"{posterior}" == posterior.report()


@pytest.mark.parametrize(
    ("correct", "total", "weakest"),
    [
        pytest.param(
            [28, 30, 0],
            [30, 31, 0],
            [
                "Class 'a' has the lowest recall on the test samples: 0.933 (28 of 30 correct)."
            ],
            id="one",
        ),
        pytest.param(
            [9, 0, 0], [9, 0, 0], ["All predictions are correct."], id="all but one"
        ),
        pytest.param([0, 0, 0], [0, 0, 0], [], id="all"),
    ],
)
@pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")
def test_an_untested_class_is_not_the_weakest(correct, total, weakest):
    """A recall that only the prior tells of is no finding; the report says so, once."""
    from_counts = skpostbac.PosteriorBalancedAccuracy.from_counts
    report = sentences(from_counts(correct, total, classes=list("abc")))
    found = [
        line
        for line in report.splitlines()
        if "the lowest" in line or line.startswith("All")
    ]
    assert found == weakest
    assert report.count("on the prior alone: test") == 1
