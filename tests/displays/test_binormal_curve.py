"""Binormal curves: what is drawn, against the formulas and scikit-learn."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.metrics import (
    auc,
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skpostbac.binormal import (
    BinormalAssumptionWarning,
    BinormalCurveDisplay,
    BinormalModel,
)

plt = pytest.importorskip("matplotlib.pyplot")

CURVES = ("roc", "precision_recall")
RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [40, 25])
SCORES = np.concatenate([RNG.normal(-1, 1, 40), RNG.normal(1, 2, 25)])


def draw(curve="roc", **options):
    """Return a display of the labels and scores above."""
    return BinormalCurveDisplay.from_predictions(Y, SCORES, curve=curve, **options)


def data(line):
    """Return x and y of a line."""
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def normal_distributions():
    """Return the fitted distributions of the negatives and of the positives."""
    return [norm(s.mean(), s.std(ddof=1)) for s in (SCORES[Y == 0], SCORES[Y == 1])]


@pytest.mark.parametrize(
    ("curve", "fraction"),
    [
        pytest.param("roc", None, id="roc", marks=pytest.mark.slow),
        pytest.param("precision_recall", None, id="sample"),
        pytest.param("precision_recall", 0.05, id="rare", marks=pytest.mark.slow),
    ],
)
def test_line_and_label_are_the_formula(curve, fraction):
    """TPR = Phi((mu_P - t) / sd_P) at the threshold t of each FPR; precision by Bayes' theorem."""
    negative, positive = normal_distributions()
    display = draw(curve, positive_fraction=fraction, name="LDA")
    x, y = data(display.line_)
    inner = (x > 1e-6) & (x < 1 - 1e-6)
    assert inner.sum() > 100
    if curve == "roc":
        expected = positive.sf(negative.isf(x[inner]))
        assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
        name = "AUC"
    else:
        alpha = 25 / 65 if fraction is None else fraction
        true, false = (
            alpha * x[inner],
            (1 - alpha) * negative.sf(positive.isf(x[inner])),
        )
        expected = true / (true + false)
        name = "AP"
    np.testing.assert_allclose(y[inner], expected, rtol=1e-7)
    label = f"({name} = {auc(x, y):.2f})"
    assert display.line_.get_label() == f"LDA {label}"
    assert (
        draw(curve, positive_fraction=fraction, name=None).line_.get_label()
        == label[1:-1]
    )


@pytest.mark.slow
@pytest.mark.parametrize("curve", CURVES)
def test_empirical_curve_is_that_of_scikit_learn(curve):
    """The staircase and its area, in an entry of its own."""
    line = draw(curve).empirical_line_
    if curve == "roc":
        x, y, _ = roc_curve(Y, SCORES)
        area, style = f"AUC = {roc_auc_score(Y, SCORES):.2f}", "default"
    else:
        y, x, _ = precision_recall_curve(Y, SCORES)
        area, style = f"AP = {average_precision_score(Y, SCORES):.2f}", "steps-post"
    np.testing.assert_array_equal(data(line), [x, y])
    assert (line.get_label(), line.get_drawstyle()) == (f"Empirical ({area})", style)
    bare = draw(curve, plot_empirical=False)
    assert bare.empirical_line_ is None
    assert bare.empirical.area == pytest.approx(draw(curve).empirical.area)


@pytest.mark.parametrize(
    "weight", [None, RNG.integers(1, 4, 65)], ids=["plain", "weighted"]
)
def test_empirical_precision_for_another_share(weight):
    """From both empirical rates, for a population with few positives."""
    line = draw(
        "precision_recall", positive_fraction=0.05, sample_weight=weight
    ).empirical_line_
    _, _, threshold = precision_recall_curve(Y, SCORES)
    counts = np.ones(65) if weight is None else weight
    above = threshold[:, np.newaxis] <= SCORES
    tpr, fpr = (above @ (counts * (k == Y)) / counts[k == Y].sum() for k in (1, 0))
    expected = np.append(0.05 * tpr / (0.05 * tpr + 0.95 * fpr), 1)
    np.testing.assert_allclose(data(line), [np.append(tpr, 0), expected], rtol=1e-12)


def test_models_draw_class_imbalance():
    """One curve for each share of positives: they start alike, and end at the share."""
    model = BinormalModel(-1, 2, 1, 2)
    fractions = (0.5, 0.4, 0.1, 0.01)
    areas = ("0.75", "0.68", "0.29", "0.04")  # .7530, .6768, .2928, .0422 by quadrature
    _, ax = plt.subplots()
    for fraction, area in zip(fractions, areas, strict=True):
        display = BinormalCurveDisplay(
            replace(model, positive_fraction=fraction), curve="precision_recall"
        ).plot(ax)
        assert display.line_.get_label() == f"AP = {area}"
        x, y = data(display.line_)
        assert y[x == 1] == pytest.approx(fraction)
        assert (display.empirical, display.empirical_line_) == (None, None)
    styles = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len(styles) == len(ax.lines) == 4
    assert ax.get_xlabel() == "Recall"


@pytest.mark.parametrize(
    ("curve", "height", "label"),
    [
        ("roc", [0, 1], "Chance level (AUC = 0.5)"),
        ("precision_recall", [0.2, 0.2], "(AP = 0.2)"),
    ],
    ids=CURVES,
)
def test_chance_level(curve, height, label):
    """The diagonal, or the share of the positives."""
    options = {"positive_fraction": 0.2, "plot_chance_level": True}
    display = draw(curve, chance_level_kwargs={"color": "red"}, **options)
    np.testing.assert_array_equal(data(display.chance_level_), [[0, 1], height])
    assert display.chance_level_.get_label().endswith(label)
    assert display.chance_level_.get_color() == "red"
    assert draw(curve).chance_level_ is None


def test_kwargs_reach_the_artists():
    """The empirical curve has another colour."""
    display = draw(curve_kwargs={"color": "black"}, empirical_kwargs={"lw": 3})
    assert display.line_.get_color() == "black"
    assert display.empirical_line_.get_color() != "black"
    assert display.empirical_line_.get_linewidth() == 3
    assert display.plot(name="again").line_.get_label().startswith("again (")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("classifier", "pos_label", "column"),
    [
        (
            make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
            None,
            "malignant",
        ),
        (LinearDiscriminantAnalysis(), "benign", "benign"),
        (GaussianNB(), "benign", "benign"),
    ],
    ids=["pipeline", "decision values", "probabilities"],
)
def test_from_estimator_on_real_data(classifier, pos_label, column):
    """Decision values, or probabilities, of the positive class of a fitted classifier."""
    X, y = load_breast_cancer(return_X_y=True)
    y = np.where(y == 0, "malignant", "benign")
    X_train, X_test, y_train, y_test = train_test_split(X[:, :2], y, random_state=0)
    classifier.fit(X_train, y_train)
    if hasattr(classifier, "decision_function"):
        score = classifier.decision_function(X_test) * (
            1 if column == "malignant" else -1
        )
    else:
        score = classifier.predict_proba(X_test)[
            :, list(classifier.classes_).index(column)
        ]
    with warnings.catch_warnings(category=BinormalAssumptionWarning, action="ignore"):
        got = BinormalCurveDisplay.from_estimator(
            classifier, X_test, y_test, pos_label=pos_label, name="a"
        )
        expected = BinormalCurveDisplay.from_predictions(
            y_test, score, pos_label=column, name="a"
        )
    for one, other in zip(got.ax_.lines, expected.ax_.lines, strict=True):
        np.testing.assert_allclose(data(one), data(other))
        assert one.get_label().lstrip("_") == other.get_label().lstrip("_")
    assert got.pos_label == column


def test_from_estimator_names_the_classifier():
    """The name is that of the class, unless another is given."""
    lda = LinearDiscriminantAnalysis().fit(SCORES[:, np.newaxis], Y)
    display = BinormalCurveDisplay.from_estimator(lda, SCORES[:, np.newaxis], Y)
    assert display.name == "LinearDiscriminantAnalysis"
    with pytest.raises(NotFittedError):
        BinormalCurveDisplay.from_estimator(LinearDiscriminantAnalysis(), [[0.0]], [0])


def test_arguments_are_checked():
    """An error names the argument."""
    model = BinormalModel(
        mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2
    )
    with pytest.raises(ValueError, match="did you mean 'precision_recall'"):
        BinormalCurveDisplay(model, curve="precision-recall")
    with pytest.raises(ValueError, match="curve must be one of"):
        draw("lift")
    with pytest.raises(ValueError, match="positive_fraction"):
        draw(positive_fraction=1.5)
    with pytest.raises(ValueError, match="pos_label"):
        BinormalCurveDisplay.from_predictions(["a", "a", "b", "b"], [0, 1, 2, 3])
