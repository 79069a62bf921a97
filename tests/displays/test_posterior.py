"""Pictures of posteriors: what is drawn are the exact densities, intervals and means."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCountsScorer,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    PosteriorDisplay,
    PosteriorThresholdDisplay,
    pooled_posteriors,
    population_posterior,
    posterior_balanced_accuracy,
    posterior_threshold_curve,
)
from skpostbac.displays import PosteriorPlot
from skpostbac.stats import DrawnDistribution

KINDS = ["density", "ridge", "forest"]
each_kind = pytest.mark.parametrize("kind", KINDS)

TOTAL = [32, 10, 4]
ONE = PosteriorBalancedAccuracy.from_counts([30, 8, 3], TOTAL)
TWO = PosteriorBalancedAccuracy.from_counts([30, 2, 1], TOTAL)
CONFUSION = [[166, 25], [21, 188]]

# What the axis is called, for each posterior of a single figure.
FIGURES = {
    "Balanced accuracy": ONE,
    "Accuracy": PosteriorAccuracy(ONE.counts),
    "Binary-equivalent accuracy": ONE.binary_equivalent(),
    "Macro precision": PosteriorConfusionMetric.from_confusion_matrix(
        CONFUSION, "precision_macro"
    ),
    "MCC": PosteriorConfusionMetric.from_confusion_matrix(
        CONFUSION, "mcc", n_draws=2000, random_state=0
    ),
}


def row_names(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def texts_beside(ax):
    """Texts to the right of the axes."""
    return [text.get_text() for text in ax.texts if text.get_va() == "center"]


@pytest.mark.parametrize("method", ["central", "hdi"])
def test_density_is_exact(method, polygon_area):
    """The line is the density, the area that of the interval, the mean where it should be."""
    display = PosteriorDisplay({"one": ONE, "two": TWO}).plot(level=0.9, method=method)
    parts = zip(
        [ONE, TWO], display.lines_, display.intervals_, display.means_, strict=True
    )
    for posterior, line, area, mean in parts:
        # Other points at once have other rounding errors.
        np.testing.assert_allclose(
            line.get_ydata(), posterior.distribution.pdf(line.get_xdata()), rtol=1e-10
        )
        assert polygon_area(area) == pytest.approx(0.9, abs=1e-3)
        x = area.get_paths()[0].vertices[:, 0]
        interval = posterior.credible_interval(0.9, method=method)
        assert (x.min(), x.max()) == pytest.approx(interval, rel=1e-13)
        assert (mean.get_xdata() == posterior.mean()).all()
        assert mean.get_ydata()[-1] == pytest.approx(
            posterior.distribution.pdf(posterior.mean()), rel=1e-3
        )
    assert display.chance_level_ is None
    assert display.ax_.get_ylabel() == "Probability density"
    assert display.ax_.get_ylim()[0] == 0


def test_forest_has_intervals():
    """Lines are intervals, their thick parts hold one half, and points are means."""
    display = PosteriorDisplay({"one": ONE, "two": TWO}).plot(kind="forest", level=0.8)
    for lines, level in ((display.lines_, 0.8), (display.intervals_, 0.5)):
        for row, posterior, line in zip(
            [1, 0], [ONE, TWO], lines.get_segments(), strict=True
        ):
            interval = posterior.credible_interval(level)
            assert line[:, 0] == pytest.approx(interval, rel=1e-13)
            assert (line[:, 1] == row).all()
    assert display.intervals_.get_linewidth() > display.lines_.get_linewidth()
    points = display.means_.get_xydata().tolist()
    assert points == [[ONE.mean(), 1], [TWO.mean(), 0]]


def test_rows_of_densities_are_equally_high():
    """Ridges have the shape of the density, from the row of the posterior on."""
    display = PosteriorDisplay({"one": ONE, "two": TWO}).plot(kind="ridge")
    for row, posterior, line, area in zip(
        [1, 0],
        [ONE, TWO],
        display.lines_.get_segments(),
        display.intervals_.get_paths(),
        strict=True,
    ):
        x, y = line.T
        low, high = posterior.credible_interval()
        ends = area.vertices[:, 0].min(), area.vertices[:, 0].max()
        assert ends == pytest.approx((low, high), rel=1e-13)
        assert area.vertices[:, 1].min() == row
        assert y.max() - row == pytest.approx(0.9)
        shape = posterior.distribution.pdf(x)
        np.testing.assert_allclose(y - row, 0.9 * shape / shape.max(), atol=1e-9)


@pytest.mark.parametrize(
    ("name", "kind"), [*zip(FIGURES, [*KINDS, *KINDS[:2]], strict=True)]
)
def test_every_posterior_of_a_figure_has_a_plot(name, kind):
    """`plot` draws any of them, and names the figure."""
    display = FIGURES[name].plot(kind=kind)
    assert isinstance(display, PosteriorPlot)
    assert FIGURES[name].score_name == display.ax_.get_xlabel() == name
    assert display.ax_.has_data()


class Foreign:
    """A posterior that is not of this package."""

    distribution = ONE.recalls()[0]
    score_name = "Sensitivity_$1"
    chance = 0.25


def test_a_posterior_is_what_has_a_distribution():
    """Any object with one is drawn, with its name of the score and its chance level."""
    display = PosteriorPlot(Foreign()).plot(plot_chance_level=True)
    assert display.ax_.get_xlabel() == r"Sensitivity_\$1"
    assert display.chance_level_.get_xdata() == [0.25, 0.25]
    assert display.means_[0].get_xdata()[0] == pytest.approx(30.5 / 33)


@pytest.mark.parametrize(
    "no_distribution", [None, "beta", DrawnDistribution], ids=["none", "text", "type"]
)
def test_a_distribution_is_one_of_the_engine(no_distribution):
    """An attribute of that name that is something else makes no posterior."""
    stranger = Foreign()
    stranger.distribution = no_distribution
    with pytest.raises(TypeError, match="posteriors must be a posterior, got Foreign"):
        PosteriorPlot(stranger)


@each_kind
def test_distributions_can_be_drawn(kind):
    """Recalls, draws and groups are no figures of a classifier, but have a distribution."""
    groups = population_posterior([82, 75, 92], [100] * 3)
    distributions = {
        "recall": ONE.recalls()[0],
        "draws": DrawnDistribution(np.random.default_rng(0).beta(8, 2, 1000)),
        "population": groups.population_mean,
    }
    assert PosteriorDisplay(distributions).plot(kind=kind).ax_.get_xlabel() == "Value"


@each_kind
def test_chance_level_is_drawn_on_demand(kind):
    """The line stands at 1/3, and its keyword arguments pass through."""
    display = PosteriorDisplay({"one": ONE, "two": TWO}).plot(
        kind=kind, plot_chance_level=True, chance_level_kwargs={"color": "red"}
    )
    assert display.chance_level_.get_xdata() == [1 / 3, 1 / 3]
    assert display.chance_level_.get_color() == "red"
    assert display.chance_level_.get_label() == "Chance level (0.33)"


@each_kind
def test_curve_kwargs_pass_through(kind):
    """They are for all lines."""
    display = PosteriorDisplay({"one": ONE, "two": TWO})
    lines = display.plot(kind=kind, curve_kwargs={"lw": 3}).lines_
    for line in lines if kind == "density" else [lines]:
        assert line.get_linewidth() == 3


def test_a_posterior_is_named_in_its_own_plot():
    """As if it were one of several."""
    display = ONE.plot(name="one", kind="forest")
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["one"]
    expected = PosteriorDisplay({"one": ONE}).plot().lines_[0].get_label()
    assert ONE.plot(name="one").lines_[0].get_label() == expected
    assert ONE.plot().lines_[0].get_label() != expected


@each_kind
def test_names_are_shown_as_they_are(kind):
    """Dollars make no formula, a leading underscore hides nothing, and long names are cut."""
    names = ["$n_0$ and $n_1$", "_hidden", "Größe λ", "long" * 50]
    display = PosteriorDisplay(dict.fromkeys(names, ONE)).plot(kind=kind)
    labels = display.ax_.get_legend().get_texts() if kind == "density" else None
    texts = labels or display.ax_.get_yticklabels()
    shown = [text.get_text().split(" (")[0].strip() for text in texts]
    assert shown[:3] == [r"\$n_0\$ and \$n_1\$", *names[1:3]]
    assert len(texts) == 4
    if labels is None:
        assert len(shown[3]) < 70


LONG = "HistGradientBoostingClassifier with a name of more than sixty characters, fold {}, as found"


@each_kind
def test_long_names_are_cut_but_not_their_figures(kind):
    """Names that differ only in the middle stay different, and the numbers whole."""
    posteriors = {LONG.format(i): posterior for i, posterior in enumerate([ONE, TWO])}
    display = PosteriorDisplay(posteriors).plot(kind=kind)
    lines = kind == "density"
    labels = (
        [text.get_text() for text in display.ax_.get_legend().get_texts()]
        if lines
        else row_names(display.ax_)
    )
    figures = labels if lines else texts_beside(display.ax_)[:2]
    for i, (label, text, posterior) in enumerate(
        zip(labels, figures, [ONE, TWO], strict=True)
    ):
        low, high = posterior.credible_interval()
        estimate = f"{posterior.mean():.2f} [{low:.2f}, {high:.2f}]"
        assert text.endswith(f" ({estimate})" if lines else estimate)
        name = label.removesuffix(f" ({estimate})")
        assert len(name) <= 60
        assert f"fold {i}" in name


@each_kind
def test_the_sharpest_row_decides_on_the_decimals(kind):
    """A sharp posterior among wide ones is not rounded to a point, nor to certainty."""
    sharp = PosteriorBalancedAccuracy.from_counts([739], [739])
    display = PosteriorDisplay({"sharp": sharp, "one": ONE, "two": TWO}).plot(kind=kind)
    texts = (
        [line.get_label() for line in display.lines_]
        if kind == "density"
        else texts_beside(display.ax_)
    )
    # Beta(740, 1) has the quantile p ** (1 / 740) and the mean 740 / 741. Its mode is 1, but the
    # central interval reaches lower than the shortest.
    low, high = 0.025 ** (1 / 740), 1
    assert f"{740 / 741:.4f} [{low:.4f}, {high:.4f}]" in texts[0]
    assert "0.9987 [0.9950, 1.0000]" in texts[0]
    low, high = ONE.credible_interval()
    assert f"{ONE.mean():.4f} [{low:.4f}, {high:.4f}]" in texts[1]


def test_inner_interval_of_a_forest():
    """It is by the same method; in a short interval there is none, which would cover it."""
    display = TWO.plot(kind="forest", method="central")
    (inner,) = display.intervals_.get_segments()
    assert tuple(inner[:, 0]) == TWO.credible_interval(0.5, method="central")
    assert tuple(inner[:, 0]) != TWO.credible_interval(0.5)
    display = ONE.plot(kind="forest", level=0.5)
    (line,) = display.lines_.get_segments()
    assert tuple(line[:, 0]) == ONE.credible_interval(0.5)
    assert display.intervals_ is None


@pytest.mark.parametrize("first", KINDS[1:])
def test_rows_are_not_drawn_over_others(first):
    """The names of the rows would be replaced: an error says so, and nothing is drawn."""
    display = PosteriorDisplay({"one": ONE, "two": TWO}).plot(kind=first)
    limits, n_lines = display.ax_.get_ylim(), len(display.ax_.lines)
    for kind in KINDS[1:]:
        with pytest.raises(ValueError, match="ax has the rows of another plot"):
            PosteriorDisplay({"three": ONE}).plot(display.ax_, kind=kind)
    assert row_names(display.ax_) == ["one", "two"]
    assert (display.ax_.get_ylim(), len(display.ax_.lines)) == (limits, n_lines)


def test_recalls_are_sorted_below_the_average():
    """The best class comes first, with its counts, on the axis of recalls."""
    posterior = PosteriorBalancedAccuracy.from_counts(
        [2, 30, 8], [4, 32, 10], classes=list("abc"), prior="uniform"
    )
    display = PosteriorDisplay.from_recalls(posterior, plot_chance_level=True)
    assert row_names(display.ax_) == [
        "Balanced accuracy",
        "b (30/32)",
        "c (8/10)",
        "a (2/4)",
    ]
    means = display.means_.get_xdata()
    assert means == pytest.approx([posterior.mean(), 31 / 34, 9 / 12, 3 / 6])
    assert display.ax_.get_xlabel() == "Recall"


@pytest.mark.filterwarnings("ignore:Some groups have samples of several classes")
def test_from_predictions():
    """The posterior is that of the labels; several classifiers come by name."""
    y_true, y_pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 0]
    options = {"prior": "jeffreys", "labels": [0, 1, 2], "class_weight": [1, 1, 2]}
    options |= {"groups": list("abcabc"), "sample_weight": [1, 1, 2, 1, 1, 2]}
    options["weight_type"] = "importance"
    display = PosteriorDisplay.from_predictions(y_true, y_pred, name="me", **options)
    expected = posterior_balanced_accuracy(y_true, y_pred, **options)
    assert display.posteriors == {"me": expected}
    several = {"me": y_pred, "you": y_true}
    for predictions in (several, pd.DataFrame(several), pl.DataFrame(several)):
        display = PosteriorDisplay.from_predictions(
            y_true, predictions, kind="forest", **options
        )
        assert display.posteriors["me"] == expected
        assert row_names(display.ax_) == ["me", "you"]


def test_predictions_without_a_true_label_are_warned_of_here():
    """In the line of the user, not in one of the package."""
    with pytest.warns(UserWarning, match="y_pred: 12 predictions .* none of") as record:
        PosteriorDisplay.from_predictions(["a", "b"] * 6, ["z"] * 12)
    assert record[0].filename == __file__


def test_threshold_curve_of_predictions():
    """The curve is that of the labels and scores; ``plot`` draws its mean, interval and band."""
    y_true, y_score = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
    options = {"pos_label": 0, "sample_weight": [1, 2] * 4, "weight_type": "importance"}
    options |= {
        "class_weight": [1, 2],
        "prior": "jeffreys",
        "level": 0.8,
        "random_state": 3,
    }
    display = PosteriorThresholdDisplay.from_predictions(
        y_true, y_score, name="me", **options
    )
    curve = posterior_threshold_curve(y_true, y_score, **options)
    assert display.curve == curve
    assert display.line_.get_label() == "me"
    np.testing.assert_array_equal(
        display.line_.get_xydata().T, [curve.thresholds, curve.mean]
    )
    for area, (low, high) in (
        (display.interval_, curve.interval),
        (display.band_, curve.band),
    ):
        y = area.get_paths()[0].vertices[:, 1]
        assert (y.min(), y.max()) == (min(low), max(high))
    point = curve.best_threshold, curve.corrected.mean()
    assert display.best_.lines[0].get_xydata().tolist() == [[*point]]


def test_from_estimator_predicts():
    """It is `from_predictions` with the predictions of the estimator, under its name."""
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    _, ax = plt.subplots()
    display = PosteriorDisplay.from_estimator(tree, X, y, ax=ax, kind="ridge")
    expected = posterior_balanced_accuracy(y, tree.predict(X))
    assert display.posteriors == {"DecisionTreeClassifier": expected}
    assert display.ax_ is ax
    assert "mine" in PosteriorDisplay.from_estimator(tree, X, y, name="mine").posteriors


def test_from_cv_results_pools():
    """Folds of `cross_validate` are one posterior, candidates of a search one each."""
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    results = cross_validate(tree, X, y, scoring=ClassCountsScorer())
    (posterior,) = PosteriorDisplay.from_cv_results(
        results, name="tree"
    ).posteriors.values()
    assert posterior.counts.n_samples == 150
    grid = {"max_depth": [1, 2], "criterion": ["gini"]}
    search = GridSearchCV(tree, grid, scoring=ClassCountsScorer(), refit=False).fit(
        X, y
    )
    display = PosteriorDisplay.from_cv_results(search.cv_results_, kind="forest")
    assert row_names(display.ax_) == ["max_depth=1", "max_depth=2"]
    options = {"labels": [0, 1, 2], "prior": "jeffreys", "class_weight": [1, 1, 2]}
    options |= {"n_repeats": 1, "training_variation": "nadeau-bengio"}
    display = PosteriorDisplay.from_cv_results(search.cv_results_, **options)
    assert (*display.posteriors.values(),) == pooled_posteriors(
        search.cv_results_, **options
    )
    with pytest.raises(ValueError, match="name must give 2 different names"):
        PosteriorDisplay.from_cv_results(search.cv_results_, name="tree")


CHANCE, PAIR = (
    {"plot_chance_level": True},
    PosteriorBalancedAccuracy.from_counts([3, 4], [5, 6]),
)


@pytest.mark.parametrize(
    ("posteriors", "options", "error", "message"),
    [
        (ONE, {"kind": "pie"}, ValueError, "kind must be one of"),
        (ONE, {"level": 1}, ValueError, "level must be"),
        (ONE, {"method": "odd"}, ValueError, "method must be"),
        (0.7, {}, TypeError, "posteriors must be a posterior, got float"),
        (ONE.recalls()[0], CHANCE, ValueError, "the same chance level, got none"),
        (
            {"a": ONE, "b": PAIR},
            CHANCE,
            ValueError,
            "the same chance level, got several",
        ),
    ],
    ids=["kind", "level", "method", "no posterior", "no chance level", "chance levels"],
)
def test_bad_input_is_named(posteriors, options, error, message):
    """One error says what is wrong, and no empty figure is left."""
    with pytest.raises(error, match=message):
        PosteriorDisplay(posteriors).plot(**options)
    assert plt.get_fignums() == []


@each_kind
def test_sharp_and_infinite_densities_are_drawn(kind):
    """A distribution that is nearly a point, and one with an infinite density, have finite axes."""
    distributions = {
        "many": PosteriorBalancedAccuracy.from_counts([9e8], [1e9]),
        "perfect": PosteriorBalancedAccuracy.from_counts([20], [20], prior="jeffreys"),
    }
    display = PosteriorDisplay(distributions).plot(kind=kind)
    assert np.isfinite(display.ax_.axis()).all()
    lines = display.lines_
    if kind == "density":
        points = [line.get_xydata() for line in lines]
    else:
        points = lines.get_segments()
    assert np.isfinite(np.concatenate(points)).all()


def test_display_can_be_pickled():
    """A display carries its data; drawn again, it shows the same."""
    display = pickle.loads(
        pickle.dumps(PosteriorDisplay({"one": ONE}, score_name="score"))
    )
    assert display.posteriors == {"one": ONE}
    assert display.plot().ax_.get_xlabel() == "score"
