"""Binormal curves and areas, against published values, SciPy's distributions and large samples."""

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import (
    auc,
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from skpostbac.binormal import (
    BinormalModel,
    binormal_average_precision_score,
    binormal_precision_recall_curve,
    binormal_roc_auc_score,
    binormal_roc_curve,
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


def draw(model, size, seed=0):
    """Return labels and scores of a random sample."""
    rng = np.random.default_rng(seed)
    y = (rng.random(size) < model.positive_fraction).astype(int)
    means = np.where(y, model.mean_positive, model.mean_negative)
    return y, rng.normal(means, np.where(y, model.sd_positive, model.sd_negative))


def parts(result):
    """Return the arrays of a curve, or the one number of a score."""
    return result if isinstance(result, tuple) else (result,)


# The model


@pytest.mark.parametrize(
    ("fraction", "expected"),
    [(0.5, 0.7529959968), (0.4, 0.6767656676), (0.1, 0.2928356435), (0.01, 0.0422075155)],
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
    fpr, tpr, thresholds = model.roc_curve()
    np.testing.assert_allclose(fpr, negative.sf(thresholds), rtol=1e-12)
    np.testing.assert_allclose(tpr, positive.sf(thresholds), rtol=1e-12)
    precision, recall, thresholds = model.precision_recall_curve()
    true = model.positive_fraction * positive.sf(thresholds)
    false = (1 - model.positive_fraction) * negative.sf(thresholds)
    np.testing.assert_allclose(precision[:-1], true / (true + false), rtol=1e-12)
    np.testing.assert_allclose(recall[:-1], positive.sf(thresholds), rtol=1e-12)


@MODELS
def test_curves_enclose_their_areas(model):
    """The points are dense enough for a plot."""
    fpr, tpr, _ = model.roc_curve()
    precision, recall, _ = model.precision_recall_curve()
    assert auc(fpr, tpr) == pytest.approx(model.roc_auc(), abs=1e-4)
    assert auc(recall, precision) == pytest.approx(model.average_precision(), abs=1e-3)
    assert max(np.diff(fpr).max(), np.diff(tpr).max(), -np.diff(recall).min()) < 0.01


@MODELS
def test_curves_are_in_scikit_learns_order(model):
    """Lengths, directions and ends."""
    fpr, tpr, thresholds = model.roc_curve(n_points=50)
    assert len(fpr) == len(tpr) == len(thresholds) == 98
    assert (fpr[0], tpr[0], thresholds[0]) == (0, 0, np.inf)
    assert (fpr[-1], tpr[-1], thresholds[-1]) == (1, 1, -np.inf)
    assert np.all(np.diff(fpr) > 0)
    assert np.all(np.diff(tpr) > 0)
    precision, recall, thresholds = model.precision_recall_curve(n_points=50)
    assert len(precision) == len(recall) == len(thresholds) + 1
    assert (precision[0], recall[0]) == pytest.approx((model.positive_fraction, 1))
    assert (precision[-1], recall[-1]) == (1, 0)
    assert np.all(np.diff(recall) < 0)
    assert np.all(np.diff(thresholds) > 0)


@MODELS
def test_large_samples_have_the_same_curves(model):
    """scikit-learn's empirical ones, to four standard errors of 200,000 samples or so."""
    y, score = draw(model, 200_000)
    assert model.roc_auc() == pytest.approx(roc_auc_score(y, score), abs=0.006)
    assert model.average_precision() == pytest.approx(average_precision_score(y, score), abs=0.01)
    fpr, tpr, _ = model.roc_curve()
    empirical_fpr, empirical_tpr, _ = roc_curve(y, score)
    inner = (fpr > 0.01) & (fpr < 0.99)  # the curve may be steep at its ends
    np.testing.assert_allclose(
        np.interp(fpr, empirical_fpr, empirical_tpr)[inner], tpr[inner], atol=0.01
    )
    precision, recall, _ = precision_recall_curve(y, score)
    smooth, smooth_recall, _ = model.precision_recall_curve()
    grid = np.linspace(0.05, 1, 96)
    np.testing.assert_allclose(
        np.interp(grid, recall[::-1], precision[::-1]),
        np.interp(grid, smooth_recall[::-1], smooth[::-1]),
        atol=0.02,
    )


finite = st.floats(-5, 5)
scale = st.floats(0.1, 10)
fraction = st.floats(1e-6, 1 - 1e-6)


@given(finite, scale, finite, scale, fraction, st.floats(-10, 10), st.floats(1e-3, 1e3))
def test_areas_are_invariant(mean_n, sd_n, mean_p, sd_p, alpha, move, unit):
    """Under a change of location and scale; and swapping the classes mirrors the ROC curve."""
    model = BinormalModel(mean_n, sd_n, mean_p, sd_p, alpha)
    moved = BinormalModel(
        unit * (mean_n + move), unit * sd_n, unit * (mean_p + move), unit * sd_p, alpha
    )
    # The moved means have lost digits where the standard deviations are small.
    assert moved.roc_auc() == pytest.approx(model.roc_auc(), rel=1e-8, abs=1e-12)
    assert moved.average_precision() == pytest.approx(model.average_precision(), rel=1e-8)
    mirrored = BinormalModel(-mean_p, sd_p, -mean_n, sd_n, alpha)
    swapped = BinormalModel(mean_p, sd_p, mean_n, sd_n, alpha)
    assert mirrored.roc_auc() == pytest.approx(model.roc_auc(), rel=1e-9, abs=1e-15)
    assert swapped.roc_auc() + model.roc_auc() == pytest.approx(1, abs=1e-12)
    assert 0 < model.average_precision() <= 1 + 1e-12


def test_average_precision_grows_with_the_positives():
    """From nothing to 1."""
    areas = [
        replace(WIDE, positive_fraction=alpha).average_precision()
        for alpha in (1e-9, 0.001, 0.1, 0.5, 0.9, 1 - 1e-9)
    ]
    assert np.all(np.diff(areas) > 0)
    assert areas[-1] == pytest.approx(1, abs=1e-8)


def test_model_is_a_value():
    """Equal, hashable, picklable, unchangeable."""
    twin = pickle.loads(pickle.dumps(DEMO))
    assert twin == DEMO
    assert hash(twin) == hash(DEMO)
    assert DEMO != WIDE
    with pytest.raises(FrozenInstanceError):
        DEMO.sd_negative = 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean_negative": np.nan}, "mean_negative must be a finite number, got nan"),
        ({"mean_positive": "1"}, "mean_positive must be a finite number, got '1'"),
        ({"mean_positive": [1, 2]}, r"mean_positive must be a finite number, got \[1, 2\]"),
        ({"mean_positive": 10**400}, "mean_positive must be a finite number, got 1"),
        ({"sd_negative": "1"}, "sd_negative must be a finite number, got '1'"),
        ({"sd_negative": 0}, "sd_negative must be positive, got 0"),
        ({"sd_positive": -1}, "sd_positive must be positive, got -1"),
        ({"sd_positive": np.inf}, "sd_positive must be a finite number"),
        ({"positive_fraction": 0}, "positive_fraction must be a number strictly between 0 and 1"),
        ({"positive_fraction": 1}, "positive_fraction must be a number strictly between 0 and 1"),
        ({"positive_fraction": None}, "positive_fraction must be a number strictly between"),
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


# The functions of labels and scores


@MODELS
def test_functions_estimate_the_model(model):
    """Sample means, unbiased variances, and the observed share of the positives."""
    y, score = draw(model, 300)
    estimate = BinormalModel(
        score[y == 0].mean(),
        score[y == 0].std(ddof=1),
        score[y == 1].mean(),
        score[y == 1].std(ddof=1),
        y.mean(),
    )
    assert binormal_roc_auc_score(y, score) == pytest.approx(estimate.roc_auc(), rel=1e-12)
    assert binormal_average_precision_score(y, score) == pytest.approx(
        estimate.average_precision(), rel=1e-12
    )
    for got, expected in (
        (binormal_roc_curve(y, score), estimate.roc_curve()),
        (binormal_precision_recall_curve(y, score), estimate.precision_recall_curve()),
    ):
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10)


def test_positive_fraction_replaces_the_observed_one():
    """The effect of class imbalance on the precision."""
    y, score = draw(DEMO, 300)
    model = replace(BinormalModel.fit(y, score), positive_fraction=0.01)
    options = {"positive_fraction": 0.01}
    assert binormal_average_precision_score(y, score, **options) == model.average_precision()
    precision, _, _ = binormal_precision_recall_curve(y, score, **options)
    assert precision[0] == pytest.approx(0.01)
    with pytest.raises(ValueError, match="positive_fraction must be"):
        binormal_average_precision_score(y, score, positive_fraction=1.0)


@FUNCTIONS
def test_options_reach_the_model(function):
    """Weights are repetitions, and pos_label says who is positive."""
    y, score = draw(WIDE, 200)
    weight = np.arange(200) % 3
    repeated = function(np.repeat(y, weight), np.repeat(score, weight))
    named = np.array(["no", "yes"])[y]
    weighted = function(named, score, pos_label="yes", sample_weight=weight)
    for one, other in zip(parts(weighted), parts(repeated), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


@FUNCTIONS
@pytest.mark.parametrize(
    ("y_true", "y_score", "message"),
    [
        ([1, 1, 1], [1, 2, 3], "y_true must have samples of two classes"),
        ([0, 1, 1], [1, 2, 3], "y_true must have at least 2 samples of each class"),
        ([0, 0, 1, 1], [1, 2, 3, 3], "y_score must differ"),
        ([0, 0, 1, 1], [1, 2, 3, np.nan], "y_score must be finite"),
        ([0, 1, 2, 2], [1, 2, 3, 4], "multiclass format is not supported"),
    ],
)
def test_bad_input(function, y_true, y_score, message):
    """One clear error."""
    with pytest.raises(ValueError, match=message):
        function(y_true, y_score)
