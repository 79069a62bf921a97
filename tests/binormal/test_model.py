"""Binormal curves and areas, against mpmath, SciPy's distributions and scikit-learn."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.special import ndtri
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import (
    auc,
    average_precision_score,
    make_scorer,
    roc_auc_score,
)
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from skpostbac.binormal import (
    BinormalAssumptionWarning,
    BinormalModel,
    binormal_average_precision_score,
    binormal_precision_recall_curve,
    binormal_roc_auc_score,
    binormal_roc_curve,
)

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "binormal.json").read_text(
        encoding="utf-8"
    )
)
DEMO = BinormalModel(-1, 2, 1, 2)  # the demonstration of Brodersen et al. (2010)
WIDE = BinormalModel(0, 1, 1, 3, 0.2)
MODELS = pytest.mark.parametrize("model", [DEMO, WIDE], ids=["demo", "wide"])
FUNCTIONS = pytest.mark.parametrize(
    "function",
    [
        binormal_roc_curve,
        binormal_precision_recall_curve,
        binormal_roc_auc_score,
        binormal_average_precision_score,
    ],
)
Y, SCORES = [0, 0, 0, 1, 1], [-3.0, -1.0, -2.0, 0.0, 2.0]


def draw(model, size, seed=0):
    """Return labels and scores of a random sample."""
    rng = np.random.default_rng(seed)
    y = (rng.random(size) < model.positive_fraction).astype(int)
    means = np.where(y, model.mean_positive, model.mean_negative)
    return y, rng.normal(means, np.where(y, model.sd_positive, model.sd_negative))


# Formulas


@pytest.mark.parametrize(
    "record",
    REFERENCE,
    ids=lambda record: "{shift:g}-{ratio:g}-{fraction:g}".format(**record),
)
def test_average_precision_against_mpmath(record):
    """To 1e-10, relative to a value that may be 1e-6."""
    assert record["digits"] >= 12
    model = BinormalModel(0, 1, record["shift"], record["ratio"], record["fraction"])
    expected = float(record["average_precision"])
    assert model.average_precision() == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("fraction", [1e-6, 0.3, 0.999])
@pytest.mark.parametrize("ratio", [0.1, 1, 10])
def test_worst_and_equal_distributions(ratio, fraction):
    """Negatives above: q alpha / (q alpha + 1 - alpha), integrated over q; of equals, alpha."""
    odds = fraction / (1 - fraction)
    with mp.workdps(30):
        expected = float(1 - mp.log1p(mpf(odds)) / mpf(odds))
    model = BinormalModel(0, 1, -40 * np.hypot(1, ratio), ratio, fraction)
    assert model.average_precision() == pytest.approx(expected, rel=1e-9)
    equal = BinormalModel(0, ratio, 0, ratio, fraction)
    assert equal.average_precision() == pytest.approx(fraction, rel=1e-12)
    np.testing.assert_allclose(equal.precision_recall_curve()[0], fraction, rtol=1e-12)


def test_precision_in_the_far_tail():
    """Both rates underflow, their quotient does not."""
    recall = ndtri(1e-300)
    with mp.workdps(400):
        true = mp.ncdf(mpf(recall))
        false = mp.ncdf(mpf(1.5) * mpf(recall) + 20)
        expected = float(true / (true + false))
    assert 0 < expected < 1
    found = BinormalModel(0, 1, -20, 1.5)._precision(np.array([recall]))
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("shift", "ratio", "limit"),
    [(1, 1, 1), (-1, 1, 0), (0, 1, 0.25), (-5, 1.1, 1), (5, 0.9, 0)],
)
def test_limit_at_recall_zero(shift, ratio, limit):
    """The wider distribution wins in the end, and of two alike the upper one."""
    curve, recall, _ = BinormalModel(0, 1, shift, ratio, 0.25).precision_recall_curve()
    assert recall[-1] == 0
    assert curve[-1] == pytest.approx(limit)


# The model


@pytest.mark.parametrize(
    ("fraction", "expected"),
    [
        (0.5, 0.7529959968),
        (0.4, 0.6767656676),
        (0.1, 0.2928356435),
        (0.01, 0.0422075155),
    ],
)
def test_areas_of_the_demonstration(fraction, expected):
    """The fewer positives, the lower the average precision; the ROC curve stays."""
    model = replace(DEMO, positive_fraction=fraction)
    assert model.average_precision() == pytest.approx(expected, abs=1e-10)
    assert model.roc_auc() == pytest.approx(norm.cdf(2 / np.sqrt(8)), rel=1e-14)


@MODELS
def test_curves_at_their_thresholds(model):
    """Rates are tails of the distributions, and precision is by Bayes' theorem."""
    negative = norm(model.mean_negative, model.sd_negative)
    positive = norm(model.mean_positive, model.sd_positive)
    fpr, tpr, thresholds = model.roc_curve(n_points=50)
    assert len(thresholds) == 98
    np.testing.assert_allclose(fpr, negative.sf(thresholds), rtol=1e-12)
    np.testing.assert_allclose(tpr, positive.sf(thresholds), rtol=1e-12)
    assert np.all(np.diff([fpr, tpr, -thresholds]) > 0)
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    precision, recall, thresholds = model.precision_recall_curve(n_points=50)
    true = model.positive_fraction * positive.sf(thresholds)
    false = (1 - model.positive_fraction) * negative.sf(thresholds)
    np.testing.assert_allclose(precision[:-1], true / (true + false), rtol=1e-12)
    np.testing.assert_allclose(recall[:-1], positive.sf(thresholds), rtol=1e-12)
    assert np.all(np.diff(recall) < 0)
    assert np.all(np.diff(thresholds) > 0)
    assert (precision[-1], recall[-1]) == (1, 0)


@MODELS
def test_large_samples_have_the_same_areas(model):
    """scikit-learn's empirical ones, to four standard errors of 200,000 samples or so."""
    y, score = draw(model, 200_000)
    assert model.roc_auc() == pytest.approx(roc_auc_score(y, score), abs=0.006)
    assert model.average_precision() == pytest.approx(
        average_precision_score(y, score), abs=0.01
    )
    fpr, tpr, _ = model.roc_curve()
    assert auc(fpr, tpr) == pytest.approx(model.roc_auc(), abs=1e-4)
    smooth, recall, _ = model.precision_recall_curve()
    assert auc(recall, smooth) == pytest.approx(model.average_precision(), abs=1e-3)


finite, scale, fraction = (
    st.floats(-5, 5),
    st.floats(0.1, 10),
    st.floats(1e-6, 1 - 1e-6),
)


@given(finite, scale, finite, scale, fraction, st.floats(-10, 10), st.floats(1e-3, 1e3))
def test_areas_are_invariant(mean_n, sd_n, mean_p, sd_p, alpha, move, unit):
    """Under a change of location and scale; and swapping the classes mirrors the ROC curve."""
    model = BinormalModel(mean_n, sd_n, mean_p, sd_p, alpha)
    moved = BinormalModel(
        unit * (mean_n + move), unit * sd_n, unit * (mean_p + move), unit * sd_p, alpha
    )
    # The moved means have lost digits where the standard deviations are small.
    assert moved.roc_auc() == pytest.approx(model.roc_auc(), rel=1e-8, abs=1e-12)
    assert moved.average_precision() == pytest.approx(
        model.average_precision(), rel=1e-8
    )
    mirrored = BinormalModel(-mean_p, sd_p, -mean_n, sd_n, alpha)
    swapped = BinormalModel(mean_p, sd_p, mean_n, sd_n, alpha)
    assert mirrored.roc_auc() == pytest.approx(model.roc_auc(), rel=1e-9, abs=1e-15)
    assert swapped.roc_auc() + model.roc_auc() == pytest.approx(1, abs=1e-12)
    assert 0 < model.average_precision() <= 1 + 1e-12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean_negative": np.nan}, "mean_negative must be a finite number, got nan"),
        ({"mean_positive": "1"}, "mean_positive must be a finite number, got '1'"),
        (
            {"mean_positive": [1, 2]},
            r"mean_positive must be a finite number, got \[1, 2\]",
        ),
        ({"mean_positive": 10**400}, "mean_positive must be a finite number, got 1"),
        ({"sd_negative": "1"}, "sd_negative must be a finite number, got '1'"),
        ({"sd_negative": 0}, "sd_negative must be positive, got 0"),
        ({"sd_positive": -1}, "sd_positive must be positive, got -1"),
        ({"sd_positive": np.inf}, "sd_positive must be a finite number"),
        (
            {"positive_fraction": 0},
            "positive_fraction must be a number strictly between 0 and 1",
        ),
        (
            {"positive_fraction": None},
            "positive_fraction must be a number strictly between",
        ),
        ({"sd_negative": 1e-300, "sd_positive": 1e300}, "too different in scale"),
        ({"sd_negative": 1e-300, "mean_positive": 1e300}, "too different in scale"),
    ],
)
def test_bad_parameters(change, message):
    """At construction."""
    with pytest.raises(ValueError, match=message):
        replace(DEMO, **change)


@pytest.mark.parametrize(("n_points", "error"), [(1, ValueError), (2.5, TypeError)])
def test_bad_numbers_of_points(n_points, error):
    """Two at least."""
    with pytest.raises(error, match="n_points"):
        DEMO.roc_curve(n_points=n_points)
    with pytest.raises(error, match="n_points"):
        DEMO.precision_recall_curve(n_points=n_points)


# Labels and scores


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([-1, -1, -1, 1, 1], None),
        ([False, False, False, True, True], None),
        (["no", "no", "no", "yes", "yes"], "yes"),
        ([1, 1, 1, 0, 0], 0),
    ],
    ids=["-11", "bool", "text", "other"],
)
def test_fit_to_labels_of_any_type(labels, pos_label):
    """Means and unbiased variances of both classes, whatever they are called, at any scale."""
    for unit in (1e-200, 1, 1e200):
        model = BinormalModel.fit(labels, unit * np.array(SCORES), pos_label=pos_label)
        found = (
            model.mean_negative,
            model.sd_negative,
            model.mean_positive,
            model.sd_positive,
        )
        expected = unit * np.array([-2, 1, 1, np.sqrt(2)])
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        assert model.positive_fraction == pytest.approx(0.4)


@FUNCTIONS
def test_functions_have_the_curves_and_areas_of_the_model(function):
    """Weights are repetitions, pos_label says who is positive; a known fraction replaces theirs."""
    y, score = draw(WIDE, 200)
    weight = np.arange(200) % 3
    name = function.__name__.removeprefix("binormal_").removesuffix("_score")
    options = {"positive_fraction": 0.01} if "precision" in name else {}
    for fraction in ({}, options):
        model = BinormalModel.fit(
            np.repeat(y, weight), np.repeat(score, weight), **fraction
        )
        labels = np.array(["no", "yes"])[y]
        got = function(labels, score, pos_label="yes", sample_weight=weight, **fraction)
        expected = getattr(model, name)()
        if not isinstance(got, tuple):
            got, expected = (got,), (expected,)
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9)
    with pytest.raises(ValueError, match="y_true must have samples of two classes"):
        function([1, 1, 1], [1, 2, 3])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([1, 1, 1, 1, 1], SCORES),
            r"y_true must have samples of two classes, got only \[1\]",
        ),
        (
            ([0, 1, 2, 1, 0], SCORES),
            "multiclass format is not supported: y_true has 3 classes",
        ),
        (([], []), "empty input array"),
        (
            ([0, 0, 0, 0, 1], SCORES),
            "y_true must have at least 2 .* got 1 of the positive class",
        ),
        (
            ([0, 1, 1, 1, 1], SCORES),
            "y_true must have at least 2 .* got 1 of the negative class",
        ),
        (
            (Y, [1, 2, 3, 4, 4]),
            "y_score must differ .* got 4 for all .* positive class",
        ),
        (
            (Y, [1, 1, 1, 4, 5]),
            "y_score must differ .* got 1 for all .* negative class",
        ),
        ((Y, [1, 2, np.nan, 4, 5]), "y_score must be finite, got nan at position 2"),
        (
            (Y, [1, 2, 3, 4, 1e308]),
            "y_score must be between .* got 1e[+]308 at position 4",
        ),
        (
            (Y, [[1, 2]] * 5),
            r"1-dimensional, the scores of the positive class.* shape \(5, 2\)",
        ),
        ((Y, ["a"] * 5), "y_score must be an array of numbers"),
        ((Y, SCORES[:4]), "y_score: .* inconsistent numbers of samples"),
        ((["no", "no", "no", "yes", "yes"], SCORES), "pos_label is not specified"),
        (([1, 1, 1, 2, 2], SCORES), "pos_label is not specified"),
        ((Y, SCORES, 2), "pos_label=2 is not a valid label"),
        (
            (Y, SCORES, None, [1, 1, 1, 1]),
            r"inconsistent numbers of samples: \[5, 4\] \(y_true, sample_weight\)",
        ),
        (
            (Y, SCORES, None, [1, 1, 1, 1, -1]),
            "sample_weight must be finite and non-negative",
        ),
        (
            (Y, SCORES, None, [1, 1, 1, 0, 1]),
            "y_true must have at least 2 .* got 1 of the pos",
        ),
        (
            (Y, SCORES, None, [1, 1, 1, 0.5, 0.5]),
            "y_true must have at least 2 .* got 1 of the pos",
        ),
        (
            (Y, SCORES, None, [1, 1, 1, 0.9, 1]),
            "y_true must have at least 2 .* got 1.9 of the pos",
        ),
        (
            (Y, SCORES, None, [1e308] * 5),
            "sample_weight must add up to at most .* got inf",
        ),
        (([0.5, 0.5, 0.1, 0.1, 0.1], SCORES), "y_true"),
        (([0, 0, np.nan, 1, 1], SCORES), "y_true"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input(arguments, message):
    """One clear error that names the argument."""
    names = ("y_true", "y_score", "pos_label", "sample_weight")
    with pytest.raises(ValueError, match=message):
        BinormalModel.fit(**dict(zip(names, arguments, strict=False)))


# Scorers, where scikit-learn calls them

DATA, TARGET = load_breast_cancer(return_X_y=True)
DATA = DATA[:, :2]  # of which a linear discriminant makes normal scores
SPLITS = StratifiedKFold(3)
RESPONSES = ("decision_function", "predict_proba")
METRICS = pytest.mark.parametrize(
    ("metric", "function"),
    [
        ("roc_auc", binormal_roc_auc_score),
        ("average_precision", binormal_average_precision_score),
    ],
)


@METRICS
@pytest.mark.parametrize("is_weighted", [False, True], ids=["plain", "weighted"])
def test_cross_validation_scores_each_fold(metric, function, is_weighted):
    """By the decision function, with the weights where they are requested."""
    weight, params = 1.0 + np.arange(len(TARGET)) % 2, {}
    with sklearn.config_context(enable_metadata_routing=is_weighted):
        scorer = make_scorer(function, response_method=RESPONSES)
        if is_weighted:
            scorer.set_score_request(sample_weight=True)
            params["sample_weight"] = weight
        results = cross_validate(
            LinearDiscriminantAnalysis(),
            DATA,
            TARGET,
            cv=SPLITS,
            scoring=scorer,
            params=params or None,
            return_estimator=True,
            error_score="raise",
        )
    for model, score, (_, test) in zip(
        results["estimator"],
        results["test_score"],
        SPLITS.split(DATA, TARGET),
        strict=True,
    ):
        options = {"sample_weight": weight[test]} if is_weighted else {}
        assert score == function(
            TARGET[test], model.decision_function(DATA[test]), **options
        )


@METRICS
def test_probabilities_do_if_there_is_no_decision_function(metric, function):
    """Those of the positive class, which may be either."""
    model = GaussianNB().fit(DATA, TARGET)
    for label in (0, 1):
        scorer = make_scorer(function, response_method=RESPONSES, pos_label=label)
        with pytest.warns(BinormalAssumptionWarning, match="as probabilities do"):
            score = scorer(model, DATA, TARGET)
        with pytest.warns(BinormalAssumptionWarning, match="as probabilities do"):
            expected = function(
                TARGET, model.predict_proba(DATA)[:, label], pos_label=label
            )
        assert score == pytest.approx(expected, rel=1e-12)


def test_search_with_text_labels():
    """The best candidate has the best mean of the folds, for the population that is asked for."""
    y = np.array(["malignant", "benign"])[TARGET]
    options = {"pos_label": "malignant", "positive_fraction": 0.01}
    search = GridSearchCV(
        LinearDiscriminantAnalysis(solver="lsqr"),
        {"shrinkage": [0.0, 0.5, 1.0]},
        scoring=make_scorer(
            binormal_average_precision_score, response_method=RESPONSES, **options
        ),
        cv=SPLITS,
        error_score="raise",
    ).fit(DATA, y)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    # The decision function is for the last class in sorted order: malignant.
    decision = search.best_estimator_.decision_function(DATA)
    assert search.score(DATA, y) == binormal_average_precision_score(
        y, decision, **options
    )
