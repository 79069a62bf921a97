"""The picture of a search: its artists, against Beta distributions of counts summed here."""

import re

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCountsScorer,
    OutcomesScorer,
    PosteriorBalancedAccuracy,
    PosteriorRefit,
    PosteriorSearchDisplay,
    pooled_posteriors,
    selected_posterior,
)

plt = pytest.importorskip("matplotlib.pyplot")

# Correct predictions of 20 samples of each of two classes, in each of two folds.
CORRECT = np.array([[12, 11, 15, 14], [17, 18, 16, 19], [18, 17, 18, 18]])


def results(params, correct=None):
    """Return results of a search with these candidates and two folds."""
    rows = (
        np.resize(CORRECT, (len(params), 4)) if correct is None else np.asarray(correct)
    )
    columns = {
        f"split{fold}_test_correct_{label}": rows[:, 2 * fold + label]
        for fold in (0, 1)
        for label in (0, 1)
    }
    totals = {
        key.replace("correct", "total"): np.full(len(params), 20.0) for key in columns
    }
    return {"params": params, **columns, **totals}


def draw(params, param=None, **options):
    """Return the display of a search with these candidates."""
    return PosteriorSearchDisplay.from_cv_results(results(params), param, **options)


def points(container):
    """Return the places and the means of an errorbar."""
    return container.lines[0].get_data()


def segments(container):
    """Return x, low and high of each interval."""
    return np.array(
        [[s[0][0], s[0][1], s[1][1]] for s in container.lines[2][0].get_segments()]
    )


def texts(display):
    """Return the texts of the legend."""
    display.figure_.canvas.draw()
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_means_are_those_of_the_summed_counts():
    """The mean of (1/2 + k) / (1 + n) over both classes, with the counts of both folds."""
    (container,) = draw([{"C": 1}, {"C": 2}, {"C": 4}]).errorbars_
    pooled = CORRECT[:, :2] + CORRECT[:, 2:]
    x, mean = points(container)
    np.testing.assert_array_equal(x, [1, 2, 4])
    np.testing.assert_allclose(mean, ((0.5 + pooled) / 41).mean(axis=1))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_are_quantiles_of_one_class(level):
    """With all weight on one class: Beta(1/2 + k, 1/2 + n - k), less half an observation."""
    options = {"class_weight": {"0": 1, "1": 0}, "level": level, "method": "central"}
    display = draw([{"C": 1}, {"C": 2}, {"C": 4}], **options)
    correct = CORRECT[:, 0] + CORRECT[:, 2]
    kept = 1 - 0.5 / 41
    distribution = beta(kept * (0.5 + correct), kept * (0.5 + 40 - correct))
    expected = np.transpose([[1, 2, 4], *distribution.interval(level)])
    np.testing.assert_allclose(segments(display.errorbars_[0]), expected, rtol=1e-9)
    assert (
        display.ax_.get_ylabel()
        == f"Balanced accuracy\nMean [{level:.0%} central interval]"
    )


def test_chosen_candidate_is_marked():
    """The mark is on the mean of the candidate, in the order of the results."""
    display = draw([{"C": 4}, {"C": 1}, {"C": 2}], best_index=1)
    assert display.best_.get_xdata() == [1]
    assert display.best_.get_ydata() == pytest.approx((33.5 / 41 + 37.5 / 41) / 2)
    assert re.fullmatch(
        r"Chosen, not corrected \(0\.87 \[0\.\d\d, 0\.\d\d\]\)", texts(display)[0]
    )
    assert draw([{"C": 4}, {"C": 1}]).best_ is None


@pytest.mark.parametrize(
    ("values", "scale"),
    [([0.01, 1, 10], "log"), ([1, 2, 10], "linear"), ([0, 1, 1000], "linear")],
    ids=["decades", "narrow", "zero"],
)
def test_scale(values, scale):
    """A logarithmic axis for positive numbers that span decades."""
    display = draw([{"C": value} for value in values])
    assert display.ax_.get_xscale() == scale
    np.testing.assert_array_equal(points(display.errorbars_[0])[0], sorted(values))
    assert display.ax_.get_xlabel() == "C"


@pytest.mark.parametrize(
    ("values", "ticks", "linestyle"),
    [
        ([None, 3, 1], {0: "1", 1: "3", 2: "None"}, "-"),
        (
            [2, 10, 4, "sqrt", None],
            {0: "2", 1: "4", 2: "10", 3: "sqrt", 4: "None"},
            "-",
        ),
        (["rbf", "linear"], {0: "rbf", 1: "linear"}, "None"),
        ([True, False], {0: "True", 1: "False"}, "None"),
        (["$a$", "_b"], {0: r"\$a\$", 1: " _b"}, "None"),
    ],
    ids=["depth", "features", "text", "bool", "special"],
)
def test_categories(values, ticks, linestyle):
    """Values that are not all numbers are in equal steps, numbers first; words are not joined."""
    display = draw([{"p": value} for value in values])
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == list(
        ticks.values()
    )
    x, _ = points(display.errorbars_[0])
    np.testing.assert_array_equal(x, list(ticks))
    assert display.errorbars_[0].lines[0].get_linestyle() == linestyle


def test_candidates_without_the_parameter():
    """A grid may have it in some candidates only."""
    display = draw([{"C": 1}, {"C": 2}, {"gamma": 3}], "C")
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == [
        "1",
        "2",
        "(not set)",
    ]


def pixels(line):
    """Where a line is drawn."""
    return line.get_transform().transform(line.get_xydata())


def test_other_parameters_have_lines():
    """One line for each combination, side by side, but at the true values."""
    params = [{"C": c, "g": g} for c in (0.1, 1, 10) for g in ("a", "b")]
    display = draw(params, "C", best_index=3)
    assert texts(display)[1:] == ["g=a", "g=b"]
    left, right = (points(container) for container in display.errorbars_)
    np.testing.assert_array_equal(left[0], [0.1, 1, 10])
    np.testing.assert_array_equal(right[0], [0.1, 1, 10])
    assert display.best_.get_xdata() == [1]
    one, other = (container.lines[0] for container in display.errorbars_)
    apart = pixels(other)[:, 0] - pixels(one)[:, 0]
    assert (apart > 2).all()
    assert apart.max() * 72 / display.figure_.dpi < 10
    np.testing.assert_allclose(pixels(display.best_)[0, 0], pixels(other)[1, 0])
    styles = {
        (line.get_color(), line.get_linestyle(), line.get_marker())
        for line in (container.lines[0] for container in display.errorbars_)
    }
    assert len({color for color, _, _ in styles}) == 2
    assert len({marker for _, _, marker in styles}) == 2


def test_many_candidates():
    """Sixty candidates of as many combinations are points of one colour, without a legend."""
    rng = np.random.default_rng(0)
    params = [{"C": c, "g": g} for c, g in 10 ** rng.uniform(-3, 3, (60, 2))]
    display = draw(params, "C")
    (container,) = display.errorbars_
    assert len(segments(container)) == 60
    assert container.lines[0].get_linestyle() == "None"
    assert display.ax_.get_legend() is None
    values = np.sort([chosen["C"] for chosen in params])
    np.testing.assert_allclose(np.sort(points(container)[0]), values, rtol=0.01)


def test_chance_level():
    """One over the number of classes."""
    display = draw(
        [{"C": 1}, {"C": 2}], plot_chance_level=True, chance_level_kwargs={"lw": 3}
    )
    assert list(display.chance_level_.get_ydata()) == [0.5, 0.5]
    assert display.chance_level_.get_linewidth() == 3
    assert texts(display) == ["Chance level (0.5)"]


@pytest.mark.parametrize(
    "more", [{"n_repeats": 2}, {"training_variation": "nadeau-bengio"}]
)
def test_options_of_pooling(more):
    """The posteriors are those of the pooled folds."""
    params = [{"C": 1}, {"C": 2}]
    options = {"labels": ["1", "0"], "prior": "jeffreys", "class_weight": [1, 2]}
    options |= more
    display = draw(params, **options)
    assert (*display.posteriors,) == pooled_posteriors(results(params), **options)


def test_keyword_arguments_reach_the_artists():
    """Those of the intervals and of the mark."""
    kwargs = {
        "errorbar_kwargs": {"capsize": 9, "color": "red"},
        "best_kwargs": {"marker": "*"},
    }
    display = draw([{"C": 1}, {"C": 2}], best_index=0, **kwargs)
    assert display.best_.get_marker() == "*"
    assert display.errorbars_[0].lines[0].get_color() == "red"


ONE = PosteriorBalancedAccuracy.from_counts([3, 5], [4, 9])
CANDIDATES = {"param_name": "C", "values": [1, 2], "posteriors": [ONE, ONE]}


def test_bad_arguments_are_named():
    """An unknown parameter, a candidate that is not there, and other results."""
    with pytest.raises(
        ValueError, match=r"param_name must be one of \['C'\], got 'gamma'"
    ):
        draw([{"C": 1}], "gamma")
    with pytest.raises(ValueError, match="best_index must be the position of one of 1"):
        draw([{"C": 1}], best_index=1)
    with pytest.raises(ValueError, match="search with parameters"):
        draw([{}])
    counts = {
        f"test_{kind}_{label}": [5.0] for kind in ("correct", "total") for label in "ab"
    }
    with pytest.raises(ValueError, match="no 'params'"):
        PosteriorSearchDisplay.from_cv_results(counts)
    for option, value in {"level": 2, "method": "odd"}.items():
        with pytest.raises(ValueError, match=f"{option} must be"):
            draw([{"C": 1}], **{option: value})
    assert plt.get_fignums() == []
    with pytest.raises(TypeError, match="corrected must be a SelectedPosterior"):
        PosteriorSearchDisplay(
            **CANDIDATES, best_index=0, corrected=CANDIDATES["posteriors"][0]
        )
    with pytest.raises(NotFittedError):
        PosteriorSearchDisplay.from_search(GridSearchCV(GaussianNB(), {}))


def test_failed_candidates_are_left_out():
    """They are named; the mark stays with its candidate."""
    correct = CORRECT.astype(float)
    correct[0, 2] = np.nan
    found = results([{"C": 1}, {"C": 2}, {"C": 4}], correct)
    with pytest.warns(FitFailedWarning, match="skipped: candidate 0, split 1"):
        display = PosteriorSearchDisplay.from_cv_results(found, best_index=2)
    np.testing.assert_array_equal(points(display.errorbars_[0])[0], [2, 4])
    assert display.best_.get_xdata() == [4]
    correct[:] = np.nan
    with pytest.raises(ValueError, match="All candidates have failed fits"):
        PosteriorSearchDisplay.from_cv_results(results(found["params"], correct))


@pytest.mark.parametrize("as_frame", [False, True], ids=["dict", "DataFrame"])
def test_search_on_real_data(as_frame):
    """The mark is at `best_index_`; the rule of the search says how folds are pooled."""
    pandas = pytest.importorskip("pandas")
    X, y = load_breast_cancer(return_X_y=True)
    rule = PosteriorRefit("mean", prior=(20, 1), labels=[0, 1])
    search = RandomizedSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3, 4, None], "min_samples_leaf": [1, 20]},
        n_iter=8,
        scoring=ClassCountsScorer(),
        refit=rule,
        cv=3,
        random_state=0,
    ).fit(X, y)
    found = search.cv_results_
    if as_frame:
        display = PosteriorSearchDisplay.from_cv_results(
            pandas.DataFrame(found), best_index=search.best_index_, prior=(20, 1)
        )
    else:
        display = PosteriorSearchDisplay.from_search(search)
    correct, total = (
        np.array(
            [sum(found[f"split{s}_test_{kind}_{k}"] for s in range(3)) for k in (0, 1)]
        )
        for kind in ("correct", "total")
    )
    means = ((20 + correct) / (21 + total)).mean(axis=0)
    drawn = np.concatenate([points(container)[1] for container in display.errorbars_])
    np.testing.assert_allclose(np.sort(drawn), np.sort(means))
    assert display.best_.get_ydata() == pytest.approx(means.max())
    assert display.param_name == "max_depth"
    assert display.values[display.best_index] == search.best_params_["max_depth"]


@pytest.fixture(name="kept", scope="module")
def kept_fixture():
    """A search that kept the outcomes of samples."""
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"max_depth": [1, 2, 3, None], "min_samples_leaf": [1, 9]}
    return GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        grid,
        scoring=OutcomesScorer(len(y)),
        refit=PosteriorRefit("mean"),
    ).fit(X[:120, :4], y[:120])


def test_the_chosen_candidate_is_drawn_corrected(kept):
    """Its mean and interval are those of `selected_posterior`."""
    display = PosteriorSearchDisplay.from_search(kept)
    corrected = selected_posterior(kept.cv_results_, random_state=0)
    (x,), (y,) = points(display.corrected_)
    assert y == pytest.approx(corrected.mean())
    assert x == display.best_.get_xdata()[0]
    assert segments(display.corrected_)[0, 1:] == pytest.approx(
        corrected.credible_interval()
    )
    assert any(text.startswith("Corrected for the choice (") for text in texts(display))
    assert any(text.startswith("Chosen (") for text in texts(display))


def test_another_candidate_than_the_best_is_not_corrected(kept):
    """The correction is that of taking the best."""
    best = selected_posterior(kept.cv_results_, random_state=0).candidate
    other = (best + 1) % 8
    display = PosteriorSearchDisplay.from_cv_results(kept.cv_results_, best_index=other)
    assert display.corrected_ is None
    assert any(text.startswith("Chosen, not corrected (") for text in texts(display))
    assert PosteriorSearchDisplay.from_cv_results(kept.cv_results_).corrected_ is None
