"""HTML for notebooks: escaped, self-contained, in the colours of the page, and true.

``golden/views.tsv`` has the rows of all views. ``python tests/test_html.py`` writes it anew, or
``python tests/test_html.py accuracy`` this view: read the difference before you commit it.
"""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

# As a script, it sees the folder of this file only.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorRefit,
    compare_outcomes,
    compare_posteriors,
    compare_predictions,
    population_posterior,
    posterior_confusion_metric,
    required_test_size,
)
from skpostbac.metrics import SubgroupPosteriors
from skpostbac.stats import BetaAverage
from tests.texts import is_same_but_for_digits, keep_digits

GOLDEN = Path(__file__).parent / "golden" / "views.tsv"
DECIMAL = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?")
COUNTS = ClassCounts(
    ["<script>alert(1)</script>", "a & b", '"c"'], [30, 8, 3], [32, 10, 4]
)
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
    "point": PosteriorBalancedAccuracy.from_counts(
        [9e14] * 2, [9e14] * 2, prior=(1, 1e-6)
    ),
    "comparison": HOSTILE,
}


def drawn(result, read_html):
    """Return curve and shaded part of a drawing, from 0 to 1 along and above its axis."""
    page = read_html(result._repr_html_())
    (axis,) = (found["d"] for tag, found in page.tags if tag == "path")
    left, foot, width = map(float, re.fullmatch(r"M(\d+) (\d+)h(\d+)", axis).groups())
    shapes = {tag: found["points"] for tag, found in page.tags if "points" in found}
    for tag in ("polyline", "polygon"):
        x, y = np.array(
            [point.split(",") for point in shapes[tag].split()], dtype=float
        ).T
        yield (x - left) / width, (foot - y) / foot


@pytest.mark.parametrize(
    "name", ["balanced accuracy", "accuracy", "binary equivalent", "billion"]
)
def test_shade_holds_the_interval(name, read_html):
    """The area below the curve that is shaded is the probability of the interval.

    The curve leaves out at most a percent. A tenth of a pixel, to which points are written, is a
    thousandth of the height.
    """
    curve, shade = drawn(RESULTS[name], read_html)
    assert (curve[0].min(), curve[0].max()) == (0, 1)
    shaded, whole = np.trapezoid(*shade[::-1]), np.trapezoid(*curve[::-1])
    low, high = RESULTS[name].credible_interval()
    held = RESULTS[name].distribution.cdf(high) - RESULTS[name].distribution.cdf(low)
    assert 0.95 <= held < 0.98
    assert shaded / whole == pytest.approx(held, abs=0.012)


@pytest.mark.parametrize("name", ["perfect", "arcsine"])
def test_infinite_density_is_cut(name, read_html):
    """All points are numbers within the drawing."""
    for x, y in drawn(RESULTS[name], read_html):
        assert np.all((x >= 0) & (x <= 1))
        assert np.all((y >= 0) & (y <= 1))


def test_decimals_follow_the_interval():
    """An interval of two billion samples is not written as a point.

    Its half width is 1.96 sqrt(.9 * .1 / 4e9 + .8 * .2 / 4e9) = 1.55e-5.
    """
    assert "mean=0.850000, 95% CI=[0.849985, 0.850015]," in repr(RESULTS["billion"])


BAD = "<script>alert('&')</script>"
PILOT = PosteriorBalancedAccuracy.from_counts([20, 30], [22, 33], classes=[BAD, "b"])
UNEVEN = PosteriorBalancedAccuracy.from_counts(
    [900_000, 3], [1_000_000, 4], classes=[BAD, "b"]
)
LABELS = np.array([BAD, "b"])
# All that show a name that was given.
NAMED = {
    "uneven": UNEVEN,
    "test size": required_test_size(PILOT, width=0.6),
    "groups": population_posterior(
        {BAD: ClassCounts(["x"], [8], [10]), "b": ClassCounts(["x"], [9], [10])}
    ),
    "subgroups": SubgroupPosteriors((BAD, "b"), (PILOT, UNEVEN)),
    "metric": posterior_confusion_metric(
        LABELS[[0, 0, 1, 1, 1]], LABELS[[0, 1, 1, 1, 0]], "precision", pos_label=BAD
    ),
    "uneven comparison": compare_posteriors({BAD: PILOT, "b": UNEVEN}),
    "many groups": population_posterior([8] * 25, [10] * 25),
    "comparison of many": compare_posteriors({f"c{i}": BALANCED for i in range(20)}),
    "array": BetaAverage(np.arange(1.0, 11.0)[:, None], [2.0]),
    "refit": PosteriorRefit(labels=LABELS, class_weight={BAD: 2.0, "b": 1.0}),
}


@pytest.mark.parametrize(
    "result", [*RESULTS.values(), *NAMED.values()], ids=[*RESULTS, *NAMED]
)
def test_names_are_text(result, check_view):
    """Whatever they are; and columns line up, of many samples and of few."""
    text = result._repr_html_()
    check_view(text)
    assert "<script" not in text
    assert "<b>" not in text


def rows_of(name):
    """Return the title and the rows of the tables of a view, with a tab between cells."""
    root = ET.fromstring({**RESULTS, **NAMED}[name]._repr_html_())
    first = next(one for one in root if one.tag in ("code", "p"))
    title = " ".join(first.text.split())
    return [
        title,
        *(
            "\t".join("".join(cell.itertext()) for cell in row)
            for row in root.iter("tr")
        ),
    ]


# By how much numbers may differ between processors.
ERROR = {"rel": 1e-6, "abs": 1.01e-3}


def read_views():
    """Return the rows of all views that were written, by name."""
    return dict(
        re.findall(r"(?ms)^# (.*?)\n(.*?)\n\n", GOLDEN.read_text(encoding="utf-8"))
    )


def write_views(names):
    """Write what views show now, those of some names or all."""
    views, known = read_views(), [*RESULTS, *NAMED]
    if unknown := set(names) - set(known):
        sys.exit(f"no views: {sorted(unknown)}; there are {known}")
    for name in names or known:
        found = "\n".join(rows_of(name))
        views[name] = keep_digits(found, views.get(name, ""), DECIMAL, **ERROR)
    text = "".join(f"# {name}\n{views[name]}\n\n" for name in known if name in views)
    GOLDEN.write_text(text, encoding="utf-8")


def test_views_are_those_of_the_transcript():
    """Row by row; numbers may differ in the last digit, as sums do between processors."""
    found = {name: "\n".join(rows_of(name)) for name in [*RESULTS, *NAMED]}
    views = read_views()
    assert [*views] == [*found]
    for name, expected in views.items():
        assert DECIMAL.sub("#", found[name]) == DECIMAL.sub("#", expected), name
        assert is_same_but_for_digits(found[name], expected, DECIMAL, **ERROR), name


def test_a_long_report_is_one_paragraph():
    """It breaks where the page does, and not where a line of text does."""
    plan = required_test_size([0.9, 0.8], width=0.1)
    assert "\n" in plan.report()
    assert "\\n" not in plan._repr_html_()


def test_view_of_many_classifiers_draws_no_ranks(monkeypatch):
    """They take seconds of random draws, and are what `summary` is for."""
    y_true, rng = np.arange(60) % 2, np.random.default_rng(0)
    predictions = {f"c{i}": np.where(rng.random(60) < 0.8, y_true, 0) for i in range(9)}
    comparison = compare_predictions(y_true, predictions, random_state=0)
    monkeypatch.setattr(np.random, "default_rng", None)
    assert comparison._repr_html_()
    with pytest.raises(TypeError, match="not callable"):
        comparison.summary()


def test_view_of_a_comparison_has_the_best_beside_those_that_may_be(read_html):
    """The probability of being the best alone would be taken for an error rate."""
    right = {"a": [1] * 30 + [0] * 10, "b": [0, 1, 1, 1] * 10, "c": [0] * 40}
    comparison = compare_outcomes(right)
    (_, *rows) = ET.fromstring(comparison._repr_html_()).find("table").iter("tr")
    found = {row[0].text[2:]: (row[3].text, row[4].text) for row in rows}
    may_be_best = dict(zip("abc", comparison.may_be_best(), strict=True))
    assert {name: best == "yes" for name, (_, best) in found.items()} == may_be_best
    assert found["c"] == ("< 0.001", "no")
    best = dict(zip("abc", comparison.prob_best(), strict=True))
    assert float(found["a"][0]) == pytest.approx(best["a"], abs=5.1e-4)


def test_drawing_has_room_for_its_numbers():
    """The ends of the interval stand below the density, inside the box."""
    (box,) = re.findall(r'viewBox="([-\d. ]+)"', BALANCED._repr_html_())
    _, top, _, height = map(float, box.split())
    lines = [
        float(y)
        for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)"', BALANCED._repr_html_())
    ]
    assert len(lines) == 2
    assert all(top < y < top + height for y in lines)


if __name__ == "__main__":
    write_views(sys.argv[1:])
