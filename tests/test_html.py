"""HTML for notebooks: escaped, self-contained, in the colours of the page, and true."""

import numpy as np
import pytest

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    compare_posteriors,
    group_posterior,
)
from skpostbac._utils.html import HEIGHT, SIDE, WIDTH
from skpostbac.binormal import posterior_binormal

COUNTS = ClassCounts(["<script>alert(1)</script>", "a & b", '"c"'], [30, 8, 3], [32, 10, 4])
BALANCED = PosteriorBalancedAccuracy(COUNTS)
OTHER = PosteriorBalancedAccuracy(ClassCounts(COUNTS.classes, [25, 9, 3], [32, 10, 4]))
HOSTILE = compare_posteriors({"<b>bold": BALANCED, 'x & "y"': OTHER})
RESULTS = {
    "balanced accuracy": BALANCED,
    "accuracy": PosteriorAccuracy(COUNTS),
    "binary equivalent": BALANCED.binary_equivalent(),
    "perfect": PosteriorBalancedAccuracy.from_counts([3, 3], [3, 3], prior="jeffreys"),
    "arcsine": PosteriorAccuracy(ClassCounts([0], [0], [0]), prior="jeffreys"),
    "billion": PosteriorBalancedAccuracy.from_counts([9e8, 8e8], [1e9, 1e9]),
    "point": PosteriorBalancedAccuracy.from_counts([9e14] * 2, [9e14] * 2, prior=(1, 1e-6)),
    "comparison": HOSTILE,
    "binormal": posterior_binormal([0, 0, 0, 1, 1], [-3, -1, -2, 0, 2], n_draws=99, random_state=0),
}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_nothing_is_fetched_or_run(result, read_html):
    """No script, link, image or style sheet, and no colour of text but that of the page."""
    text = result._repr_html_()
    page = read_html(text)
    tags = {tag for tag, _ in page.tags}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "style", "b", "object"})
    assert not any(name in ("href", "src") for _, found in page.tags for name in found)
    assert not any(name.startswith("on") for _, found in page.tags for name in found)
    assert "black" not in text
    assert "#000" not in text


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_repr_is_the_heading(result, read_html):
    """The line that a terminal shows comes first, with all its characters."""
    assert read_html(result._repr_html_()).text[0] == repr(result)


def test_labels_are_escaped(read_html):
    """Markup in the names of classes and classifiers is shown, not followed."""
    assert "<script>alert(1)</script>" in read_html(BALANCED._repr_html_()).text
    assert 'x & "y"' in read_html(HOSTILE._repr_html_()).text


def drawn(result, read_html):
    """Return the points of the curve and those of the shaded part of a drawing."""
    page = read_html(result._repr_html_())
    shapes = {tag: found["points"] for tag, found in page.tags if "points" in found}
    return (
        np.array([point.split(",") for point in shapes[tag].split()], dtype=float).T
        for tag in ("polyline", "polygon")
    )


def area(x, y):
    """Return the area between a curve and the axis at the foot of the drawing."""
    return np.trapezoid(HEIGHT - y, x)


@pytest.mark.parametrize("name", ["balanced accuracy", "accuracy", "binary equivalent", "billion"])
def test_shade_holds_the_interval(name, read_html):
    """Of the area below the curve, 95 % are shaded; the curve leaves out at most a percent.

    A tenth of a pixel, to which points are written, is a thousandth of the height.
    """
    curve, shade = drawn(RESULTS[name], read_html)
    assert curve[0].min() == SIDE
    assert curve[0].max() == SIDE + WIDTH
    assert area(*shade) / area(*curve) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize("name", ["perfect", "arcsine"])
def test_infinite_density_is_cut(name, read_html):
    """All points are numbers within the drawing."""
    for x, y in drawn(RESULTS[name], read_html):
        assert np.all((x >= SIDE) & (x <= SIDE + WIDTH))
        assert np.all((y >= 0) & (y <= HEIGHT))


def test_comparison_has_its_tables(read_html):
    """The standings, best first, and the probability of each pair."""
    rows = read_html(HOSTILE._repr_html_()).rows
    best, second = HOSTILE.ranking()
    assert [row[0] for row in rows] == [
        "classifier",
        best,
        second,
        "P(row > column)",
        best,
        second,
    ]
    prob = HOSTILE.prob_greater()[HOSTILE.names.index(best), HOSTILE.names.index(second)]
    assert rows[4] == [best, "", f"{prob:.3f}"]


def test_groups_stand_below_the_population(read_html):
    """Those of whom there is room for, with what a summary says of them."""
    groups = group_posterior([8] * 25, [10] * 25, model="beta-binomial")
    rows = read_html(groups._repr_html_()).rows
    assert [row[0] for row in rows[:4]] == ["accuracy", "new group", "population mean", "group 0"]
    assert rows[-2][0] == "group 19"
    assert rows[-1] == ["and 5 more groups"]
    (mean,) = (row["mean"] for row in groups.summary() if row["name"] == "population mean")
    assert rows[2][1] == f"{mean:.3f}"


def test_comparison_of_many_stays_small(read_html):
    """Eight classifiers, and a word on the rest."""
    many = compare_posteriors({f"c{i}": BALANCED for i in range(20)})
    rows = read_html(many._repr_html_()).rows
    assert rows.count(["and 12 more"]) == 2
    assert len(rows) == 2 * (1 + 8 + 1)


def test_decimals_follow_the_interval():
    """An interval of two billion samples is not written as a point.

    Its half width is 1.96 sqrt(.9 * .1 / 4e9 + .8 * .2 / 4e9) = 1.55e-5.
    """
    assert "mean=0.850000, 95% CI=[0.849985, 0.850015]," in repr(RESULTS["billion"])
