"""Pictures of comparisons: what is drawn are the probabilities of the comparison."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from skpostbac import (
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    PosteriorComparisonDisplay,
    compare_posteriors,
    compare_predictions,
)
from skpostbac.metrics import PairedCounts

TOTAL = [32, 10, 4]
THREE = {
    "C1": PosteriorBalancedAccuracy.from_counts([30, 8, 3], TOTAL, prior="uniform"),
    "C2": PosteriorBalancedAccuracy.from_counts([30, 2, 1], TOTAL, prior="uniform"),
    "C3": PosteriorBalancedAccuracy.from_counts([32, 9, 4], TOTAL, prior="uniform"),
}
RANKED = ["C3", "C1", "C2"]


def comparison_of_three():
    return compare_posteriors(THREE, rope=0.05)


def plot(kind, **options):
    pair = {"pair": ("C3", "C1")} if kind == "difference" else {}
    return comparison_of_three().plot(kind=kind, **{**pair, **options})


def row_names(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def columns_beside(ax):
    """Texts to the right of the axes, column by column."""
    texts = [text.get_text() for text in ax.texts if text.get_va() == "center"]
    n = len(ax.get_yticklabels())
    return [texts[i : i + n] for i in range(0, len(texts), n)]


def test_difference_has_the_exact_density_and_masses(polygon_area):
    """The areas on both sides of the rope and within it are the masses that are written."""
    comparison = comparison_of_three()
    artists = plot("difference").artists_
    distribution, masses = (
        comparison.difference("C3", "C1"),
        comparison.rope_masses("C3", "C1"),
    )
    line = artists["line"]
    # Curves are drawn to absolute accuracy, some roundings of the highest density.
    density = distribution.pdf(line.get_xdata())
    np.testing.assert_allclose(
        line.get_ydata(), density, rtol=1e-12, atol=1e-15 * density.max()
    )
    names = []
    for area, mass in zip(artists["areas"], masses, strict=True):
        assert polygon_area(area) == pytest.approx(mass, abs=1e-3)
        name, _, probability = area.get_label().rpartition(" ")
        assert float(probability.strip("()")) == pytest.approx(mass, abs=5e-4)
        names.append(name)
    assert names == ["C1 better", "within ±0.05", "C3 better"]
    ends = np.transpose([distribution.hdi(), distribution.interval()])
    assert tuple(artists["interval"].get_xdata()) == (ends[0].min(), ends[1].max())
    assert artists["mean"].get_xdata() == [distribution.mean()]


def test_labels_of_a_difference():
    """What is subtracted from what: the second best from the best; one is better without a rope."""
    counts = PairedCounts.from_cells(
        [[27, 3, 5, 5], [12, 0, 4, 4]], names=("old", "new")
    )
    display = PosteriorComparison.from_paired_counts(counts).plot(kind="difference")
    subtraction, numbers = display.ax_.get_xlabel().splitlines()
    assert subtraction == "Balanced accuracy: new \N{MINUS SIGN} old"
    distribution = display.comparison.difference("new", "old")
    ends = np.transpose([distribution.hdi(), distribution.interval()])
    mean, low, high = distribution.mean(), ends[0].min(), ends[1].max()
    assert numbers == f"Mean [95% CI]: {mean:.2f} [{low:.2f}, {high:.2f}]"
    assert display.ax_.get_ylabel() == "Probability density"
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    names = [text.rpartition(" ")[0] for text in texts]
    assert names == ["old better", "new better"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "pie"}, "kind must be one of"),
        ({"kind": "difference", "pair": ("C1",)}, "pair must name two of"),
        ({"kind": "difference", "pair": ("C4", "C1")}, "pair: a must be one of"),
        ({"kind": "difference", "pair": ("C1", "C1")}, "a and b must be different"),
        ({"kind": "decision", "level": 95}, "level must be"),
        ({"kind": "decision", "method": "odd"}, "method must be"),
    ],
    ids=["kind", "one", "unknown", "same", "level", "method"],
)
def test_bad_input_is_named(options, message):
    """One error says what is wrong, and no empty figure is left."""
    with pytest.raises(ValueError, match=message):
        plot(**options)
    assert plt.get_fignums() == []


def test_matrix_has_the_probabilities():
    """Rows and columns are sorted by the mean, and cells written but for the diagonal."""
    display = plot("matrix")
    order = [list(THREE).index(name) for name in RANKED]
    expected = comparison_of_three().prob_greater()[np.ix_(order, order)]
    shown = np.ma.filled(display.artists_["image"].get_array(), np.nan)
    is_other = ~np.eye(3, dtype=bool)
    np.testing.assert_array_equal(shown[is_other], expected[is_other])
    assert np.isnan(np.diag(shown)).all()
    assert display.artists_["image"].get_clim() == (0, 1)
    assert row_names(display.ax_) == RANKED
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == RANKED
    texts = display.artists_["texts"]
    assert all(cell is None for cell in np.diag(texts))
    assert texts[0, 1].get_text() == ".86"
    worse = PosteriorBalancedAccuracy.from_counts([28, 2, 1], TOTAL, prior="uniform")
    comparison = compare_posteriors({"C1": THREE["C1"], "worse": worse})
    texts = comparison.plot(kind="matrix").artists_[
        "texts"
    ]  # with a probability of 0.9963
    assert (texts[0, 1].get_text(), texts[1, 0].get_text()) == (">.99", "<.01")


@pytest.mark.parametrize("cmap", ["cividis", "PuOr"])
def test_text_in_cells_can_be_read(cmap, luminance):
    """The contrast of each number with its cell is at least 3, as for large text."""
    artists = plot("matrix", cmap=cmap).artists_
    image = artists["image"]
    for text, value in zip(
        artists["texts"].flat, np.ravel(image.get_array()), strict=True
    ):
        if text is not None:
            pair = sorted(
                [luminance(text.get_color()), luminance(image.to_rgba([value])[0][:3])]
            )
            assert (pair[1] + 0.05) / (pair[0] + 0.05) > 3


def test_ranks_have_their_probabilities():
    """Each row adds up to one; rows are sorted by the expected rank, from the brightest on."""
    display = plot("ranks")
    comparison = comparison_of_three()
    order = [list(THREE).index(name) for name in RANKED]
    image = display.artists_["image"]
    np.testing.assert_allclose(image.get_array().sum(axis=1), 1)
    np.testing.assert_array_equal(
        image.get_array(), comparison.rank_probabilities()[order]
    )
    assert image.get_clim() == (0, comparison.rank_probabilities().max())
    assert row_names(display.ax_) == RANKED
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == list("123")
    assert display.ax_.get_xlabel() == "Rank"
    texts = display.artists_["texts"]
    assert float(texts[0, 0].get_text()) == pytest.approx(
        comparison.rank_probabilities()[order[0], 0], abs=0.005
    )


def test_decision_has_intervals_and_losses():
    """Classifiers come in the order of their expected losses, with the numbers beside."""
    comparison = comparison_of_three()
    display = plot("decision", level=0.8)
    assert row_names(display.ax_) == RANKED
    lines = display.artists_["lines"].get_segments()
    for name, line in zip(RANKED, lines, strict=True):
        assert line[:, 0] == pytest.approx(
            THREE[name].credible_interval(0.8), rel=1e-14
        )
    _, best, may_be_best, losses = columns_beside(display.ax_)
    order = [list(THREE).index(name) for name in RANKED]
    assert best == ["0.865", "0.135", "< 0.001"]
    expected = {True: "yes", False: "no"}
    assert may_be_best == [expected[comparison.may_be_best(0.8)[i]] for i in order]
    assert set(may_be_best) == {"yes", "no"}
    assert [float(loss) for loss in losses] == pytest.approx(
        comparison.expected_loss()[order], abs=5e-5
    )


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
def test_from_predictions_is_paired():
    """The classifiers are compared sample by sample."""
    y_true = [0] * 20 + [1] * 20
    predictions = {"a": [0] * 30 + [1] * 10, "b": [0] * 22 + [1] * 18}
    options = {
        "rope": 0.02,
        "labels": [1, 0],
        "class_weight": [1, 2],
        "prior": "jeffreys",
    }
    options |= {
        "sample_weight": [1, 2] * 20,
        "weight_type": "importance",
        "random_state": 3,
    }
    options |= {"groups": np.arange(40) // 4}
    display = PosteriorComparisonDisplay.from_predictions(
        y_true, predictions, kind="matrix", **options
    )
    assert display.comparison == compare_predictions(y_true, predictions, **options)
