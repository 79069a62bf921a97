"""Pictures with long names, many rows and small axes can be read."""

import sys
from itertools import combinations

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text
from matplotlib.transforms import TransformedBbox

from skpostbac import (
    PosteriorBalancedAccuracy,
    PosteriorDisplay,
    PosteriorRocDisplay,
    PosteriorSearchDisplay,
    PosteriorThresholdDisplay,
    compare_posteriors,
)
from skpostbac._plot.layout import fit_names
from skpostbac.binormal import BinormalCurveDisplay
from skpostbac.displays import ComparisonPlot, PosteriorPlot

TOTAL = np.array([60, 40, 25])
RNG = np.random.default_rng(0)
Y_TRUE = np.repeat([0, 1], (40, 25))
Y_SCORE = RNG.normal(1.2 * Y_TRUE, 1 + 0.3 * Y_TRUE)
# Names of 56 to 62 characters.
LONG = "StandardScaler + HistGradientBoostingClassifier, fold {}, calibrated"


def posteriors(n):
    counted = (RNG.binomial(TOTAL, 0.8) for _ in range(n))
    return {
        LONG.format(i): PosteriorBalancedAccuracy.from_counts(correct, TOTAL)
        for i, correct in enumerate(counted)
    }


def draw_rows(kind):
    return lambda ax, n: PosteriorDisplay(posteriors(n)).plot(
        ax, kind=kind, plot_chance_level=True
    )


def draw_comparison(kind):
    return lambda ax, n: compare_posteriors(posteriors(max(n, 2)), rope=0.02).plot(
        ax, kind=kind
    )


def draw_search(ax, n):
    return PosteriorSearchDisplay(
        param_name="preprocess__columns__numeric__impute__n_neighbors",
        values=list(range(1, n + 1)),
        posteriors=list(posteriors(n).values()),
        groups=[LONG.format(i % 2) for i in range(n)],
        best_index=0,
    ).plot(ax, plot_chance_level=True)


def draw_curve(ax, n):
    return BinormalCurveDisplay.from_predictions(
        Y_TRUE,
        Y_SCORE,
        ax=ax,
        name=LONG,
        plot_chance_level=True,
    )


def draw_thresholds(ax, n):
    options = {"name": LONG, "random_state": 0}
    return PosteriorThresholdDisplay.from_predictions(Y_TRUE, Y_SCORE, ax=ax, **options)


def draw_band(ax, n):
    options = {"name": LONG, "plot_chance_level": True}
    return PosteriorRocDisplay.from_predictions(Y_TRUE, Y_SCORE, ax=ax, **options)


def legend_texts(display):
    legend = display.ax_.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def shown_texts(figure):
    """Boxes of all horizontal texts that are drawn, by text and place."""
    boxes = {}
    for artist in figure.findobj(Text):
        is_shown = artist.get_visible() and artist.get_text().strip()
        if is_shown and artist.get_rotation() % 90 == 0:
            box = artist.get_window_extent()
            boxes[artist.get_text(), round(box.x0), round(box.y0)] = box
    return boxes


WITH_LEGEND = {
    "density": draw_rows("density"),
    "search": draw_search,
    "roc": draw_curve,
    "thresholds": draw_thresholds,
    "roc without a model": draw_band,
}
ALL = {
    **{kind: draw_rows(kind) for kind in ("ridge", "forest")},
    **{
        kind: draw_comparison(kind)
        for kind in ("decision", "difference", "matrix", "ranks")
    },
    **WITH_LEGEND,
}
WITH_AREAS = ("density", "roc without a model", "thresholds")
# They share their layout with others.
ALIKE = {"difference", "ranks", "roc"}
each_kind = pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] * (kind in ALIKE)) for kind in ALL],
)
WITH_ROWS = {"ridge", "forest", "decision"}
HEAT_MAPS = {"matrix", "ranks"}


@each_kind
def test_plots_keep_to_the_axes_that_are_given(kind, monkeypatch):
    """No figure is made, what is there stays, and spines are hidden if asked for."""
    display = ALL[kind](None, 2)
    plt.close("all")
    figure, (left, right) = plt.subplots(1, 2)
    right.set_title("mine")
    (line,) = right.plot([0, 1], [0, 1])
    options = (
        {"kind": kind} if isinstance(display, PosteriorPlot | ComparisonPlot) else {}
    )
    assert display.plot(right, despine=True, **options) is display
    assert (display.ax_, display.figure_, right.get_title()) == (right, figure, "mine")
    assert plt.get_fignums() == [figure.number]
    assert line in right.lines
    assert not left.has_data()
    hidden = {side for side in right.spines if not right.spines[side].get_visible()}
    beside_rows = {"left"} if kind in WITH_ROWS else set()
    assert hidden == (
        {*right.spines} if kind in HEAT_MAPS else {"top", "right"} | beside_rows
    )
    # Without matplotlib, the error names the class whose `plot` was called.
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        ImportError, match=rf"^{type(display).__name__}\.plot requires matplotlib"
    ):
        display.plot()


@each_kind
@pytest.mark.parametrize("n", ["small", pytest.param(16, marks=pytest.mark.slow)])
def test_long_names_leave_room_for_the_data(kind, n):
    """In a figure of its own the axes keep a third of the width, and nothing is cut off."""
    is_small = n == "small"
    ax = plt.subplots(figsize=(4, 3), layout="constrained")[1] if is_small else None
    display = ALL[kind](ax, 2 if is_small else n)
    figure, ax = display.figure_, display.ax_
    figure.canvas.draw()
    frame = ax.get_window_extent()
    around = TransformedBbox(figure.get_tightbbox(), figure.dpi_scale_trans)
    least = 0.2 if is_small else 0.33
    assert frame.width > least * figure.bbox.width
    assert frame.height > least * figure.bbox.height
    assert figure.bbox.x0 - 2 <= around.x0
    assert around.x1 <= figure.bbox.x1 + 2
    assert figure.bbox.y0 - 2 <= around.y0
    assert around.y1 <= figure.bbox.y1 + 2
    if legend := ax.get_legend():
        box = legend.get_window_extent()
        assert box.y1 < min(frame.y0, ax.xaxis.label.get_window_extent().y0)


@pytest.mark.parametrize("kind", sorted(WITH_ROWS))
@pytest.mark.parametrize(
    "layout", [None, pytest.param("constrained", marks=pytest.mark.slow)]
)
def test_texts_beside_rows_do_not_overlap(kind, layout):
    """Names, columns, headers, ticks and the legend of axes in a grid are apart, and inside."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout=layout)
    for ax in axes:
        ALL[kind](ax, 3)
    figure.canvas.draw()
    boxes = shown_texts(figure)
    texts = [
        (name, box)
        for (name, *_), box in boxes.items()
        if not name.replace(".", "").isdigit()  # ticks may be outside the limits
    ]
    assert len(texts) > 10
    for name, box in texts:
        assert box.x0 >= 0, name
        assert box.x1 <= figure.bbox.x1, name
        assert box.y0 >= 0, name
        assert box.y1 <= figure.bbox.y1, name
    for (one, box), (other, next_box) in combinations(texts, 2):
        assert not box.overlaps(next_box.padded(-2)), (one, other)


@pytest.mark.parametrize(
    "size", [(4, 3), pytest.param((11, 3), marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", [*WITH_LEGEND, "difference"])
def test_numbers_in_legends_are_whole(kind, size):
    """Names are cut, but never a number or the bracket after it; lines stay in the figure."""
    _, ax = plt.subplots(figsize=size, layout="constrained")
    display = ALL[kind](ax, 2)
    display.figure_.canvas.draw()
    labels = [handle.get_label() for handle in display.ax_.lines]
    texts = legend_texts(display)
    for text in texts:
        numbers = " ".join(text.split()).partition(" (")[2]
        assert "..." not in numbers
        assert numbers.count("[") == numbers.count("]")
    for label in labels:
        if "[" in label and not any(text.startswith("and ") for text in texts):
            estimate = label[label.index("[") :]
            assert any(estimate in " ".join(text.split()) for text in texts)
    box = display.ax_.get_legend().get_window_extent()
    assert display.figure_.bbox.x0 <= box.x0
    assert box.x1 <= display.figure_.bbox.x1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["forest", "decision", "ranks", "matrix"])
def test_cut_names_keep_where_they_differ(kind):
    """The number in the middle of each name is shown, however little room there is."""
    display = ALL[kind](plt.subplots(2, 2)[1][0, 1], 9)
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert {int("".join(filter(str.isdigit, name))) for name in names} == set(range(9))
    assert all("..." in name for name in names)


def test_long_legend_says_how_much_it_leaves_out():
    """Densities by request may be more than there is room to explain."""
    display = PosteriorDisplay(posteriors(30)).plot(kind="density")
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts[-1] == f"and {30 - len(texts) + 1} more"


@pytest.mark.parametrize("n", [6, 7])
def test_many_densities_become_a_forest(n):
    """More of them than colours are drawn in rows, unless the caller wants it otherwise."""
    display = PosteriorDisplay(posteriors(n)).plot()
    assert display.ax_.get_ylabel() == ("Probability density" if n <= 6 else "")
    asked = PosteriorDisplay(posteriors(n)).plot(kind="density")
    assert asked.ax_.get_ylabel() == "Probability density"


@pytest.mark.parametrize("kind", ["roc", "roc without a model"])
def test_no_blank_band_above_curves(kind):
    """The square axes are at the top of their figure, and nearly as wide as it."""
    display = ALL[kind](None, 2)
    figure = display.figure_
    figure.canvas.draw()
    frame = display.ax_.get_window_extent()
    assert figure.bbox.y1 - frame.y1 < 0.03 * figure.bbox.height
    assert frame.width > 0.8 * figure.bbox.width


def test_text_follows_the_style():
    """Names, numbers and legends are no larger than the font size of the style."""
    with plt.rc_context({"font.size": 7}):
        display = ALL["forest"](None, 3)
        figure, ax = display.figure_, display.ax_
        figure.canvas.draw()
        texts = [*ax.get_yticklabels(), *ax.get_legend().get_texts()]
        assert {text.get_fontsize() <= 7 for text in texts} == {True}


def test_candidates_side_by_side_are_inside():
    """Neither many groups nor small axes put points of a search beyond the frame."""
    _, axes = plt.subplots(2, 2)
    display = PosteriorSearchDisplay(
        param_name="C",
        values=[1] * 12 + [2] * 12,
        posteriors=list(posteriors(24).values()),
        groups=[f"g={i % 12}" for i in range(24)],
    ).plot(axes[0, 1])
    display.figure_.canvas.draw()
    frame = display.ax_.get_window_extent()
    for container in display.errorbars_:
        line = container.lines[0]
        x, _ = line.get_transform().transform(line.get_xydata()).T
        assert frame.x0 < x.min()
        assert x.max() < frame.x1


def test_matrix_says_what_it_is():
    """Axes are explained; the diagonal is blank, and has no colour of a probability."""
    display = compare_posteriors(posteriors(3)).plot(kind="matrix")
    assert display.ax_.get_ylabel() == "This is better ... (row)"
    assert display.ax_.get_xlabel() == "... than this (column)"
    assert display.artists_["colorbar"].ax.get_ylabel() == "P(row better)"
    image = display.artists_["image"]
    opacity = image.to_rgba(image.get_array())[..., 3]
    np.testing.assert_array_equal(opacity, 1 - np.eye(3))


@pytest.mark.parametrize(
    ("options", "entries"),
    [
        ({"level": 0.9}, ["90% CI", "50% CI"]),
        ({"method": "central"}, ["95% central interval", "50% central interval"]),
        ({"kind": "ridge"}, ["95% CI"]),
        ({"plot_chance_level": True}, ["95% CI", "50% CI", "Chance level (0.33)"]),
        ({"level": 0.4}, ["40% CI"]),
    ],
    ids=["level", "method", "ridge", "chance level", "no inner bars"],
)
def test_shapes_are_explained(options, entries):
    """A legend below the axes says what thick bars and dark areas are."""
    display = PosteriorDisplay(posteriors(2)).plot(**{"kind": "forest", **options})
    assert legend_texts(display) == entries
    if entries == ["90% CI", "50% CI"]:
        thin, thick = display.ax_.get_legend().legend_handles
        assert thin.get_linewidth() < thick.get_linewidth()


@each_kind
def test_dark_style_can_be_read(kind, luminance):
    """All text and lines have a contrast of 4.5 with what they stand on, and areas one of 1.15."""

    def contrast(*colors):
        dark, light = sorted(map(luminance, colors))
        return (light + 0.05) / (dark + 0.05)

    with plt.style.context("dark_background"):
        display = ALL[kind](None, 2)
        ax = display.ax_
        texts = [
            *ax.get_xticklabels(),
            *ax.get_yticklabels(),
            ax.xaxis.label,
            ax.yaxis.label,
        ]
        texts += ax.get_legend().get_texts() if ax.get_legend() else []
        inside = (
            [] if kind in ("matrix", "ranks") else ax.texts
        )  # in cells with their own colours
        for text in [*texts, *inside]:
            assert contrast(text.get_color(), "black") > 4.5
        for line in [] if kind in ("matrix", "ranks") else ax.lines:
            assert contrast(line.get_color(), "black") > 4.5
        for area in ax.collections if kind in WITH_AREAS else []:
            for *color, alpha in area.get_facecolor():
                assert contrast(np.multiply(color, alpha), "black") > 1.15


def test_counts_of_classes_are_not_cut():
    """Of a long label the name is, where there is no room."""
    labels = [
        "malignant (111/121)",
        "benign (3/4)",
        "an extraordinarily long label (7/9)",
    ]
    short = fit_names(labels, 10, 10)
    assert [name.rpartition(" ")[2] for name in short] == [
        "(111/121)",
        "(3/4)",
        "(7/9)",
    ]
    assert [len(name) <= 19 for name in short] == [True] * 3
    assert short[:2] == labels[:2]
    # Other names are cut as before.
    assert (
        len(fit_names(["a candidate with parameters (C=1, gamma=2)"], 10, 10)[0]) <= 18
    )


def test_legend_of_several_curves_is_inside():
    """Whatever its height: square axes are smaller when there is no more room below."""
    ax = None
    for i in range(5):
        display = BinormalCurveDisplay.from_predictions(
            Y_TRUE, Y_SCORE, ax=ax, name=f"m{i}"
        )
        figure, ax = display.figure_, display.ax_
        figure.canvas.draw()
        box = ax.get_legend().get_window_extent()
        assert box.y0 >= figure.bbox.y0
        assert figure.bbox.y1 - ax.get_window_extent().y1 < 0.03 * figure.bbox.height
