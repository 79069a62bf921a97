"""Report of classes: the numbers of its metrics, laid out as in scikit-learn."""

import pickle
import re
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_wine
from sklearn.metrics import classification_report
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from skpostbac import (
    posterior_balanced_accuracy,
    posterior_classification_report,
    posterior_confusion_metric,
)
from skpostbac.metrics import (
    GroupsWarning,
    PriorInfluenceWarning,
    StrayLabelWarning,
)

RNG = np.random.default_rng(0)
Y_TRUE = np.repeat(["cat", "dog", "fox"], [40, 25, 15])
Y_PRED = np.where(RNG.random(80) < 0.75, Y_TRUE, RNG.permutation(Y_TRUE))
CLASSES = ["cat", "dog", "fox"]
F1 = {"precision": "precision", "recall": "recall", "f1-score": "f1"}
OPTIONS = {
    "default": {},
    "other prior": {"prior": "uniform"},
    "order of classes": {"labels": ["fox", "cat", "dog"]},
    "fewer classes": {"labels": ["cat", "dog"]},
    "case weights": {"sample_weight": np.arange(80) % 4, "weight_type": "case"},
    "importance weights": {
        "sample_weight": 1 + RNG.random(80),
        "weight_type": "importance",
    },
    "groups": {"groups": np.arange(80) // 4},
}


def report_of(y_true=Y_TRUE, y_pred=Y_PRED, **options):
    return posterior_classification_report(y_true, y_pred, **options)


def numbers(posterior):
    return [posterior.mean(), *posterior.credible_interval(), posterior.observed]


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_numbers_are_those_of_the_functions(options):
    """Each is the posterior of its metric with the same options, with the same draws."""
    options = {**options, "n_draws": 500, "random_state": 3}
    posteriors = report_of(**options).posteriors
    asked = {
        (label, column): {"metric": metric, "pos_label": label}
        for label, (column, metric) in product(
            options.get("labels", CLASSES), F1.items()
        )
    }
    asked["accuracy", "accuracy"] = {"metric": "accuracy"}
    for average, (column, metric) in product(["macro", "weighted"], F1.items()):
        asked[f"{average} avg", column] = {"metric": metric, "average": average}
    found = {
        (row, column): posterior
        for row, columns in posteriors.items()
        for column, posterior in columns.items()
    }
    assert list(found) == list(asked)
    for place, arguments in asked.items():
        expected = posterior_confusion_metric(Y_TRUE, Y_PRED, **arguments, **options)
        assert found[place] == expected, place


def test_recall_and_precision_are_beta_distributions():
    """With Jeffreys' prior, by quantiles of SciPy."""
    C = pd.crosstab(Y_TRUE, Y_PRED).to_numpy()
    report = report_of()
    for label, right, row, column in zip(
        CLASSES, np.diag(C), C.sum(axis=1), C.sum(axis=0), strict=True
    ):
        for metric, n in [("recall", row), ("precision", column)]:
            beta = stats.beta(0.5 + right, 0.5 + n - right)
            found = report.posteriors[label][metric]
            central = found.credible_interval(0.9, method="central")
            assert central == pytest.approx(beta.interval(0.9), rel=1e-9)
            assert report.to_dict()[label][metric] == pytest.approx(beta.mean())


def test_f1_is_that_of_drawn_matrices():
    """Of all cells with one Dirichlet posterior; macro and weighted averages, too."""
    C = pd.crosstab(Y_TRUE, Y_PRED).to_numpy()
    prior = np.where(np.eye(3), 1 / 3, 1 / 6)
    draws = np.random.default_rng(1).dirichlet((C + prior).ravel(), 40_000)
    P = draws.reshape(-1, 3, 3)
    right = np.diagonal(P, axis1=1, axis2=2)
    f1 = 2 * right / (P.sum(axis=1) + P.sum(axis=2))
    by_name = report_of().to_dict()
    assert by_name["macro avg"]["f1-score"] == pytest.approx(f1.mean(), abs=2e-3)
    weighted = (f1 * P.sum(axis=2)).sum(axis=1)
    ends = np.quantile(weighted, [0.025, 0.975])
    found = [by_name["weighted avg"][f"f1-score_{end}"] for end in ("low", "high")]
    assert found == pytest.approx(ends, abs=6e-3)


@pytest.mark.parametrize("prior", ["calibrated", "uniform", "jeffreys", (2, 1)])
def test_averages_of_the_recall(prior):
    """The weighted one is the accuracy, and the macro one the balanced accuracy."""
    posteriors = report_of(prior=prior, n_draws=100).posteriors
    balanced = posterior_balanced_accuracy(Y_TRUE, Y_PRED, prior=prior)
    macro = posteriors["macro avg"]["recall"]
    assert numbers(macro) == pytest.approx(numbers(balanced), rel=1e-9)
    accuracy = posteriors["accuracy"]["accuracy"]
    assert posteriors["weighted avg"]["recall"].distribution == accuracy.distribution


def test_dict_has_the_keys_of_scikit_learn():
    """In its order, with two ends beside each number, and values near those of the samples."""
    found = report_of().to_dict(0.8)
    expected = classification_report(Y_TRUE, Y_PRED, output_dict=True)
    ends = {"accuracy_low", "accuracy_high"}
    assert [key for key in found if key not in ends] == list(expected)
    for row in [*CLASSES, "macro avg", "weighted avg"]:
        columns = [key for key in found[row] if not key.endswith(("_low", "_high"))]
        assert columns == list(expected[row])
        assert found[row]["support"] == expected[row]["support"]
        for metric in F1:
            assert found[row][metric] == pytest.approx(expected[row][metric], abs=0.03)
            low, high = (found[row][f"{metric}_{end}"] for end in ("low", "high"))
            assert low < found[row][metric] < high
    assert found["accuracy_low"] < found["accuracy"] < found["accuracy_high"]


def test_frames_of_pandas():
    """The idiom that people know, and one row for each number."""
    report = report_of()
    frame = pd.DataFrame(report.to_dict()).T
    assert frame.loc["cat", "support"] == 40
    assert frame.loc["dog", "f1-score_low"] < frame.loc["dog", "f1-score"]
    table = pd.DataFrame(report.table(0.5)).set_index(["name", "metric"])
    assert len(table) == len(report.summary()) == 3 * 3 + 1 + 2 * 3
    row = table.loc[("macro avg", "recall")]
    posterior = report.posteriors["macro avg"]["recall"]
    assert row["low"] == posterior.credible_interval(0.5).low
    assert (row["median"], row["level"], row["support"]) == (
        posterior.median(),
        0.5,
        80,
    )
    observed = classification_report(Y_TRUE, Y_PRED, output_dict=True)
    assert row["observed"] == pytest.approx(observed["macro avg"]["recall"])


def layout(text):
    """Return the first words of all lines, and the last numbers."""
    pattern = re.compile(r"^ *(.*?) {2,}.*?(\d+)?$")
    return [pattern.sub(r"\1 \2", line) for line in text.splitlines()]


def test_layout_is_that_of_scikit_learn():
    """The same rows with the same support and blank lines, and 80 columns at most."""
    X, y = load_wine(return_X_y=True)
    y_pred = cross_val_predict(GaussianNB(), X, y)
    options = {"target_names": ["Barolo", "Grignolino", "Barbera"]}
    first, blank, *lines = str(report_of(y, y_pred, **options)).splitlines()
    assert first.startswith("The accuracy is 0.9")
    assert not blank
    expected = classification_report(y, y_pred, **options).splitlines()
    assert max(map(len, lines)) <= 80
    assert layout("\n".join(lines[1:-3])) == layout("\n".join(expected[1:]))
    assert lines[0].split() == expected[0].split()
    table = [line for line in lines[:-2] if line]
    assert len(set(map(len, table))) == 1
    pattern = re.compile(r"(\d\.\d\d) \[(\d\.\d\d), (\d\.\d\d)\]")
    assert [len(pattern.findall(line)) for line in table] == [0, 3, 3, 3, 1, 3, 3]
    number = report_of(y, y_pred).to_dict()["1"]
    shown = [f"{number[f'recall{end}']:.2f}" for end in ("", "_low", "_high")]
    assert list(pattern.findall(table[2])[1]) == shown
    # The accuracy is below F1.
    assert table[4].index("[") == table[3].rindex("[")


def test_decimals_tell_the_ends_apart():
    """Two, or as many as the narrowest interval takes, and the same in all cells."""
    y = np.repeat([0, 1], 100_000)
    text = str(report_of(y, np.where(np.arange(200_000) % 10, y, 1 - y), n_draws=1000))
    cells = re.findall(r"(\d\.\d+) \[(\d\.\d+), (\d\.\d+)\]", text)
    assert len(cells) == 13
    assert len({len(number) for cell in cells for number in cell}) == 1
    assert all(low < middle < high for middle, low, high in cells)


def test_long_and_unprintable_names():
    """They are cut in the middle, and no control character reaches the terminal."""
    names = ["comp.sys.ibm.pc.hardware.of.old", "comp.sys.mac.hardware", "\x1b[31mred"]
    report = report_of(target_names=names)
    lines = str(report).splitlines()[2:]
    assert max(map(len, lines)) <= 92
    assert "comp.sys.mac.hardware  " in lines[3]
    assert "..." in lines[2]
    assert "\x1b" not in str(report)
    assert list(report.posteriors)[:3] == names
    assert names[0] in report._repr_html_()


def test_strays_are_errors():
    """As many are counted as there are, by weight, and scikit-learn's recall agrees."""
    y_pred = Y_PRED.copy()
    y_pred[:2] = "wolf"
    weight = np.arange(80) % 4 + 1
    with pytest.warns(StrayLabelWarning, match="2 predictions"):
        report = report_of(y_pred=y_pred, sample_weight=weight, n_draws=100)
    assert "Predictions of no class, which count as errors: 3." in str(report)
    expected = classification_report(
        Y_TRUE, y_pred, labels=CLASSES, sample_weight=weight, output_dict=True
    )
    for row in [*CLASSES, "macro avg"]:
        for metric in F1:
            observed = report.posteriors[row][metric].observed
            assert observed == pytest.approx(expected[row][metric])


def test_never_predicted_and_without_samples():
    """The prior is what is left, and notes say where."""
    report = report_of(["a", "a", "b"], ["a"] * 3, labels=["a", "b", "c"], n_draws=100)
    for label in "bc":
        precision = report.posteriors[label]["precision"]
        assert np.isnan(precision.observed)
        assert precision.credible_interval() == pytest.approx((0, 1), abs=0.002)
        assert report.to_dict()[label]["precision"] == 0.5
    text = str(report)
    assert "Classes without samples ('c') rest on the prior alone" in text
    assert "the prior determines precision: 'b', 'c'." in text
    assert "Never" not in str(report_of())


def test_options_are_named():
    """Another prior and an effective size; not the default."""
    assert "Prior of each recall: Beta(1, 1) (uniform)." in str(
        report_of(prior="uniform")
    )
    assert "Prior of" not in str(report_of())
    with warnings.catch_warnings(category=GroupsWarning, action="ignore"):
        report = report_of(groups=np.arange(80) // 4, n_draws=100)
    effects = report.posteriors["accuracy"]["accuracy"].design_effects
    size = f"{effects.effective_size.sum():.4g}"
    assert f"samples for the accuracy: {size}." in str(report)


def test_one_warning_of_a_kind():
    """However many metrics have it."""
    y = np.repeat(np.arange(30), 5)
    with pytest.warns(PriorInfluenceWarning) as caught:
        report_of(y, y, prior="uniform", n_draws=100)
    assert len(caught) == 1
    assert "The prior moves" in str(caught[0].message)
    assert caught[0].filename == __file__
    with pytest.warns(GroupsWarning) as caught:
        report_of(groups=np.arange(80) // 20, n_draws=100)
    assert len(caught) == 1


def test_many_classes():
    """A line for each of a hundred."""
    y = np.repeat(np.arange(100), 4)
    report = report_of(y, np.where(np.arange(400) % 5, y, (y + 1) % 100))
    lines = str(report).splitlines()[2:]
    assert len(lines) == 2 + 100 + 1 + 3 + 1 + 2
    assert max(map(len, lines)) <= 80
    assert report._repr_html_().count("<tr>") == 1 + 100 + 3


def test_view_has_the_cells_of_the_text(read_html):
    """With one column for each, and the notes below."""
    report = report_of()
    view = read_html(report._repr_html_())
    first, *lines = str(report).splitlines()
    expected = [re.split(" {2,}", line.strip()) for line in lines[:-2] if line]
    expected[0].insert(0, "class")
    assert [list(filter(None, row)) for row in view.rows] == expected
    for line in (first, *lines[-2:]):
        assert line in view.text


def test_pickle_and_immutability():
    """What is changed is a copy."""
    report = report_of(n_draws=100)
    restored = pickle.loads(pickle.dumps(report))
    assert restored == report
    assert str(restored) == str(report)
    report.posteriors["cat"].clear()
    report.to_dict()["cat"].clear()
    assert restored == report
    assert report != report_of(n_draws=100, random_state=1)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"target_names": ["a", "b"]}, "Number of classes, 3, does not match size of"),
        ({"target_names": ["a", "b", "b"]}, "target_names must not contain duplicates"),
        ({"target_names": ["a", "b", "macro avg"]}, "names of classes must differ"),
        ({"target_names": "abc"}, "target_names"),
        ({"labels": ["cat"]}, "at least two classes"),
        ({"labels": ["cow", "pig"]}, "At least one label specified must be in y_true"),
        ({"prior": "flat"}, "prior must be one of"),
        ({"n_draws": 1}, "n_draws"),
        ({"y_true": ["cat"] * 80}, "at least two classes"),
        ({"y_pred": Y_PRED[:3]}, "inconsistent numbers of samples"),
    ],
    ids=str,
)
def test_bad_input(options, match):
    """The argument is named."""
    with pytest.raises(ValueError, match=match):
        report_of(**options)


def test_level_is_checked():
    """In each view."""
    report = report_of(n_draws=100)
    for view in (report.report, report.to_dict, report.summary):
        with pytest.raises(ValueError, match="level must be"):
            view(1.5)


@pytest.mark.parametrize(
    "known",
    [
        {"prediction_counts": {"cat": 500, "dog": 300, "fox": 100}},
        {"prediction_shares": {"cat": 0.5, "dog": 0.3, "fox": 0.2}},
    ],
    ids=["counts", "shares"],
)
def test_known_predictions(known):
    """Each number is that of the metric alone, and a note says what they are weighted by."""
    labels = ["cat", "dog", "fox"]
    y_pred = np.repeat(labels, 20)
    y_true = np.where(np.arange(60) % 5, y_pred, np.roll(y_pred, 20))
    report = report_of(y_true, y_pred, labels=labels, n_draws=2000, **known)
    for row, column, metric, options in [
        ("fox", "precision", "precision", {"pos_label": "fox", "average": "binary"}),
        ("macro avg", "f1-score", "f1", {"average": "macro"}),
        ("accuracy", "accuracy", "accuracy", {}),
    ]:
        alone = posterior_confusion_metric(
            y_true, y_pred, metric, labels=labels, n_draws=2000, **options, **known
        )
        assert report.posteriors[row][column].mean() == pytest.approx(
            alone.mean(), abs=0.02
        )
        assert report.posteriors[row][column].observed == pytest.approx(alone.observed)
    assert "Labelled samples are weighted by" in str(report)
    with pytest.raises(ValueError, match="leave out groups"):
        report_of(y_true, y_pred, labels=labels, groups=np.arange(60) // 2, **known)
