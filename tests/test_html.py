"""HTML for notebooks: escaped, self-contained, in the colours of the page, and true."""

import pickle
import re

import numpy as np
import pytest

from skpostbac import (
    ClassCounts,
    ClassCountsScorer,
    OutcomesScorer,
    PairedCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorRefit,
    compare_posteriors,
    compare_predictions,
    population_posterior,
    posterior_confusion_metric,
    required_test_size,
)
from skpostbac.binormal import posterior_binormal
from skpostbac.metrics import SubgroupPosteriors
from skpostbac.stats import BetaAverage, HierarchicalBetaAverage

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


def drawn(result, read_html):
    """Return curve and shaded part of a drawing, from 0 to 1 along and above its axis."""
    page = read_html(result._repr_html_())
    (axis,) = (found["d"] for tag, found in page.tags if tag == "path")
    left, foot, width = map(float, re.fullmatch(r"M(\d+) (\d+)h(\d+)", axis).groups())
    shapes = {tag: found["points"] for tag, found in page.tags if "points" in found}
    for tag in ("polyline", "polygon"):
        x, y = np.array([point.split(",") for point in shapes[tag].split()], dtype=float).T
        yield (x - left) / width, (foot - y) / foot


@pytest.mark.parametrize("name", ["balanced accuracy", "accuracy", "binary equivalent", "billion"])
def test_shade_holds_the_interval(name, read_html):
    """The area below the curve that is shaded is the probability of the interval.

    The curve leaves out at most a percent. A tenth of a pixel, to which points are written, is a
    thousandth of the height.
    """
    curve, shade = drawn(RESULTS[name], read_html)
    assert (curve[0].min(), curve[0].max()) == (0, 1)
    shaded, whole = np.trapezoid(*shade[::-1]), np.trapezoid(*curve[::-1])
    low, high = RESULTS[name].credible_interval()
    held = RESULTS[name].cdf(high) - RESULTS[name].cdf(low)
    assert 0.95 <= held < 0.98
    assert shaded / whole == pytest.approx(held, abs=0.012)


@pytest.mark.parametrize("name", ["perfect", "arcsine"])
def test_infinite_density_is_cut(name, read_html):
    """All points are numbers within the drawing."""
    for x, y in drawn(RESULTS[name], read_html):
        assert np.all((x >= 0) & (x <= 1))
        assert np.all((y >= 0) & (y <= 1))


def test_comparison_has_its_tables(read_html):
    """Means and intervals, best first, and the probability of each pair."""
    rows = read_html(HOSTILE._repr_html_()).rows
    best, second = HOSTILE.ranking()
    numbered = [f"1 {best}", f"2 {second}"]
    assert [row[0] for row in rows] == ["classifier", *numbered, "P(row > column)", *numbered]
    assert rows[3][1:] == ["1", "2"]
    prob = HOSTILE.prob_greater()[HOSTILE.names.index(best), HOSTILE.names.index(second)]
    assert rows[4] == [f"1 {best}", "", f"{prob:.3f}"]


def test_groups_stand_below_the_population(read_html):
    """Those of whom there is room for, with what a summary says of them."""
    groups = population_posterior([8] * 25, [10] * 25, model="beta-binomial")
    rows = read_html(groups._repr_html_()).rows
    assert [row[0] for row in rows[:4]] == ["accuracy", "new group", "population mean", "group 0"]
    assert rows[-2][0] == "group 7"
    assert rows[-1] == ["and 17 more groups"]
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


BAD = "<script>alert('&')</script>"
PAIRS = PairedCounts(
    [BAD, "b", "c"],
    [0, 1],
    [0, 0, 0, 1, 1],
    [[1, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1], [0, 1, 0]],
    [5, 7, 11, 13, 17],
)
PILOT = PosteriorBalancedAccuracy.from_counts([20, 30], [22, 33], classes=[BAD, "b"])
UNEVEN = PosteriorBalancedAccuracy.from_counts([900_000, 3], [1_000_000, 4], classes=[BAD, "b"])
LABELS = np.array([BAD, "b"])
# All that show a name that was given.
NAMED = {
    "class counts": COUNTS,
    "paired counts": PAIRS,
    "paired counts of many": PairedCounts(
        [f"{BAD}{i}" for i in range(12)], [BAD], [0, 0], np.eye(12)[:2] > 0, [3.5, 4]
    ),
    "no counts": ClassCounts.empty(),
    "no samples": PairedCounts([BAD], [BAD], [0], [[True]], [0]),
    "balanced accuracy": UNEVEN,
    "prior influence": UNEVEN.prior_influence(),
    "recalls": UNEVEN.recalls(),
    "recalls of many": PosteriorBalancedAccuracy.from_counts([90] * 40, [100] * 40).recalls(),
    "test size": required_test_size(PILOT, width=0.6),
    "groups": population_posterior(
        {BAD: ClassCounts(["x"], [8], [10]), "b": ClassCounts(["x"], [9], [10])}
    ),
    "subgroups": SubgroupPosteriors((BAD, "b"), (PILOT, UNEVEN)),
    "metric": posterior_confusion_metric(
        LABELS[[0, 0, 1, 1, 1]], LABELS[[0, 1, 1, 1, 0]], "precision", pos_label=BAD
    ),
    "comparison": compare_posteriors({BAD: PILOT, "b": UNEVEN}),
    "scorer": ClassCountsScorer(labels=LABELS),
    "outcomes": OutcomesScorer(5, labels=LABELS),
    "refit": PosteriorRefit(labels=LABELS, class_weight={BAD: 2.0, "b": 1.0}),
}


@pytest.mark.parametrize("result", [*RESULTS.values(), *NAMED.values()], ids=[*RESULTS, *NAMED])
def test_names_are_text(result, check_view):
    """Whatever they are; and columns line up, of many samples and of few."""
    text = result._repr_html_()
    check_view(text)
    assert "<script" not in text
    assert "<b>" not in text


def body(result, read_html, header):
    """Return the rows below a header, up to the end or to the next table."""
    rows = read_html(result._repr_html_()).rows
    (start,) = (i for i, row in enumerate(rows) if row[0] == header)
    return rows[start + 1 :]


def test_class_counts_are_shown_with_their_sum(read_html):
    """Correct predictions, samples and recall of each class, and of all."""
    rows = body(COUNTS, read_html, "class")
    assert rows[0] == ["<script>alert(1)</script>", "30", "32", f"{30 / 32:.3f}"]
    assert rows[-1] == ["all classes", "41", "46", f"{41 / 46:.3f}"]


def test_paired_counts_are_shown_by_pairs(read_html):
    """How often each is right, and how often where another is wrong, counted row by row."""
    rows = body(PAIRS, read_html, "classifier")
    assert rows[:3] == [
        [f"1 {BAD}", "25", f"{25 / 53:.3f}"],  # 5 + 7 + 13
        ["2 b", "37", f"{37 / 53:.3f}"],  # 7 + 13 + 17
        ["3 c", "24", f"{24 / 53:.3f}"],  # 11 + 13
    ]
    assert rows[3:] == [
        ["row correct, column wrong", "1", "2", "3"],
        [f"1 {BAD}", "", "5", "12"],
        ["2 b", "17", "", "24"],
        ["3 c", "11", "11", ""],
    ]


def test_most_moved_class_stands_first(read_html):
    """Of what the prior does to each class."""
    influence = BALANCED.prior_influence()
    rows = body(influence, read_html, "class, most moved first")
    assert [row[0] for row in rows] == list(map(str, influence.most_moved))
    assert [float(row[-1]) for row in rows] == pytest.approx(
        sorted(influence.class_shifts, key=abs, reverse=True), abs=0.005
    )


def test_test_size_is_said_and_listed(read_html):
    """The sentence of the report, the samples of each class and of all."""
    size = NAMED["test size"]
    assert size.report() in read_html(size._repr_html_()).text
    rows = body(size, read_html, "class")
    assert rows == [*zip_rows(size.classes, size.samples), ["all classes", str(size.total)]]


def zip_rows(labels, numbers):
    """Return rows of a label and a whole number."""
    return [[str(label), str(number)] for label, number in zip(labels, numbers, strict=True)]


def test_recalls_are_a_dict_with_a_view(read_html):
    """Equal to a plain one, of the distributions of the classes, the first twenty in the view."""
    recalls = UNEVEN.recalls()
    assert isinstance(recalls, dict)
    assert recalls == dict(recalls.items())
    assert pickle.loads(pickle.dumps(recalls)) == recalls
    rows = body(recalls, read_html, "class")
    ends = np.transpose([recalls["b"].hdi(0.95), recalls["b"].interval(0.95)])
    low, high = ends[0].min(), ends[1].max()
    assert rows[1] == ["b", f"{recalls['b'].mean():.4f}", f"[{low:.4f}, {high:.4f}]"]
    assert body(NAMED["recalls of many"], read_html, "class")[-1] == ["and 20 more"]


def test_array_of_distributions_is_listed(read_html):
    """The first eight, each as the one distribution has it."""
    a = np.arange(1.0, 11.0)
    rows = body(BetaAverage(a[:, None], [2.0]), read_html, "index")
    assert rows[-1] == ["and 2 more"]
    one = BetaAverage([3.0], [2.0])
    ends = np.transpose([one.hdi(0.95), one.interval(0.95)])
    low, high = ends[0].min(), ends[1].max()
    assert rows[2] == ["(2,)", f"{one.mean():.3f}", f"[{low:.3f}, {high:.3f}]"]


def test_view_of_a_comparison_draws_no_ranks(monkeypatch):
    """They take seconds of random draws, and are what `summary` is for."""
    y_true, rng = np.arange(60) % 2, np.random.default_rng(0)
    predictions = {f"c{i}": np.where(rng.random(60) < 0.8, y_true, 0) for i in range(5)}
    comparison = compare_predictions(y_true, predictions, random_state=0)
    for name in ("rank_probabilities", "expected_loss", "monte_carlo_error"):
        monkeypatch.setattr(type(comparison._joint), name, None)
    assert comparison._repr_html_()


def test_view_with_a_shared_prior_computes_no_interval_of_a_class(monkeypatch, read_html):
    """Such an interval takes a fifth of a second: standard deviations stand in its place."""
    recalls = PosteriorBalancedAccuracy.from_counts(
        [30, 8], [32, 10], prior="hierarchical"
    ).recalls()
    for name in ("hdi", "interval"):
        monkeypatch.setattr(HierarchicalBetaAverage, name, None)
    (header, first, _) = read_html(recalls._repr_html_()).rows
    assert header == ["class", "mean", "standard deviation"]
    assert first[1:] == [f"{recalls[0].mean():.3f}", f"{recalls[0].standard_deviation():.3f}"]
