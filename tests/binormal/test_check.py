"""The check of the binormal assumption, and when and where users are warned."""

import warnings

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB

from skpostbac.binormal import (
    BinormalAssumptionWarning,
    BinormalCheck,
    BinormalCurveDisplay,
    BinormalModel,
    NormalScores,
    NormalScoresDisplay,
    binormal_check,
    binormal_roc_auc_score,
    make_binormal_scorer,
    posterior_binormal,
)

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [60, 40])
SCORES = RNG.normal(2.0 * Y, 1.0)
PROBABILITIES = expit(2 * SCORES - 2)
OPTIONS = {"n_draws": 100, "random_state": 0}


# The check


def normal_data(size, seed=0):
    """Return labels and scores of two normal distributions, as many of each class."""
    y = np.repeat([0, 1], size)
    return y, np.random.default_rng(seed).normal(2 * y, 1 + y)


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ((0.01, 0.04), (0.02, 0.04)),
        ((0.04, 0.03), (0.06, 0.06)),
        ((0.7, 0.9), (1, 1)),
        ((1, 0.2), (1, 0.4)),
        ((0.01, 0.01), (0.02, 0.02)),
    ],
)
def test_correction_of_holm(p_values, adjusted):
    """Twice the smaller one, and the larger one if that is more."""
    check = BinormalCheck(
        *(
            NormalScores(np.array([-0.6, 0.6]), np.array([0.0, 1.0]), value)
            for value in p_values
        )
    )
    assert check.adjusted_p_values == pytest.approx(adjusted)
    assert check.rejects(0.05) == (min(adjusted) <= 0.05)
    with pytest.raises(
        ValueError, match="significance must be a number strictly between"
    ):
        check.rejects(0)


@pytest.mark.parametrize("size", [10, 100])
def test_normal_scores_are_rejected_as_often_as_told(size):
    """In 400 data sets, to four standard errors; the two tests are nearly independent."""
    rejected = [
        binormal_check(*normal_data(size, seed)).rejects(0.1) for seed in range(400)
    ]
    assert np.mean(rejected) == pytest.approx(0.0975, abs=4 * np.sqrt(0.1 * 0.9 / 400))


@pytest.mark.parametrize("size", [100, 6000])
def test_other_distributions_are_rejected(size):
    """By either test; one class is enough, and the other stays as it is, at any scale and sign."""
    y, score = normal_data(size)
    assert not binormal_check(y, score).rejects(0.001)
    plain = binormal_check(y, np.where(y, np.exp(score), score)).adjusted_p_values
    assert plain[1] < 1e-6 < 0.05 < plain[0]
    plain = binormal_check(y, np.exp(score / 3)).adjusted_p_values
    for scale in (-1e-300, 1e-25, 1e290):
        scaled = binormal_check(y, scale * np.exp(score / 3))
        assert scaled.adjusted_p_values == pytest.approx(plain, rel=1e-6)


def test_normal_scores():
    """Expected order statistics of three, 3 / (2 sqrt(pi)), and the line of the distribution."""
    check = binormal_check([0, 0, 0, 1, 1], [5, 1, 2, 7, 3])
    expected = 1.5 / np.sqrt(np.pi)
    np.testing.assert_allclose(
        check.negative.expected, [-expected, 0, expected], atol=0.03
    )
    assert check.negative.scores.tolist() == [1, 2, 5]
    assert check.positive.scores.tolist() == [3, 7]
    assert check.positive.p_value == 1
    check = binormal_check(*normal_data(20_000))
    inner = np.abs(check.positive.expected) < 2
    line = 2 + 2 * check.positive.expected[inner]
    np.testing.assert_allclose(check.positive.scores[inner], line, atol=0.1)


# The warning


def reason(y, score, weight=None):
    """Return what the warning says; None if there is none."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        BinormalModel.fit(y, score, sample_weight=weight)
    assert {warning.category for warning in record} <= {BinormalAssumptionWarning}
    return str(record[0].message) if record else None


def out_of_fold(model, X, y):
    """Return probabilities of five folds."""
    return cross_val_predict(model, X, y, method="predict_proba")[:, 1]


MODEL = GaussianNB().fit(SCORES[:, np.newaxis], Y)
ENTRIES = {
    "fit": lambda: BinormalModel.fit(Y, PROBABILITIES),
    "score": lambda: binormal_roc_auc_score(Y, PROBABILITIES),
    "posterior": lambda: posterior_binormal(Y, PROBABILITIES, **OPTIONS),
    "scorer": lambda: make_binormal_scorer()(MODEL, SCORES[:, np.newaxis], Y),
    "search": lambda: cross_val_score(
        MODEL, SCORES[:50, np.newaxis], np.arange(50) % 2, cv=[(range(25), range(25, 50))],
        scoring=make_binormal_scorer(),
    ),
    "from_predictions": lambda: BinormalCurveDisplay.from_predictions(Y, PROBABILITIES, **OPTIONS),
    "from_estimator": lambda: BinormalCurveDisplay.from_estimator(
        MODEL, SCORES[:, np.newaxis], Y, curve="precision_recall", **OPTIONS
    ),
}  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_entry_warns_once_where_the_user_calls(entry):
    """Functions, scorers, the posterior and the displays."""
    plt = pytest.importorskip("matplotlib.pyplot")
    with pytest.warns(
        BinormalAssumptionWarning, match=r"y_score lies in \[0, 1\]"
    ) as record:
        entry()
    assert [warning.filename for warning in record] == [__file__]
    plt.close("all")


def test_checks_stay_silent():
    """They are the answer; warnings are errors here."""
    plt = pytest.importorskip("matplotlib.pyplot")
    assert binormal_check(Y, PROBABILITIES).rejects()
    NormalScoresDisplay.from_predictions(Y, PROBABILITIES)
    plt.close("all")


def test_recipe_of_log_odds_is_good():
    """What the message says can be run, gives no warning, and has the area of the samples."""
    y, y_score = Y, expit(2 * SCORES - 2).round(2)
    assert {0.0, 1.0} < set(y_score)
    message = reason(y, y_score)
    recipe = message.partition("`decision_function` of the classifier, or ")[
        2
    ].partition(", which")
    assert (
        recipe[0] == "scipy.special.logit(np.clip(y_score, 0.005, 1 - 0.005))"
    )  # half a step
    odds = eval(
        recipe[0].removeprefix("scipy.special."), {"logit": logit, "np": np}, locals()
    )
    assert reason(y, odds) is None
    posterior = posterior_binormal(y, odds, random_state=0)
    low, high = posterior.roc_auc().interval()
    assert low < roc_auc_score(y, y_score) < high


def test_log_odds_at_the_ends():
    """0 and 1 go half as far out as the next; nothing is clipped where neither occurs."""
    assert "or scipy.special.logit(y_score), which" in reason(Y, PROBABILITIES)
    score = PROBABILITIES.copy()
    score[score.argmin()], score[score.argmax()] = 0, 1
    inside = score[(score > 0) & (score < 1)]
    end = min(inside.min(), 1 - inside.max()) / 2
    assert f"scipy.special.logit(np.clip(y_score, {end:.2g}, 1 - {end:.2g}))" in reason(
        Y, score
    )
    # Floating-point numbers next to 1 are not as close to it as the smallest are to 0.
    score[score == inside.min()] = 1e-300
    assert "y_score lies in [0, 1]" in reason(Y, score)


def test_where_log_odds_would_not_do():
    """Those of naive Bayes are as wrong; the message has the areas of both."""
    X, y = load_breast_cancer(return_X_y=True)
    score = out_of_fold(GaussianNB(), X, y)
    with pytest.warns(BinormalAssumptionWarning) as record:
        posterior = posterior_binormal(
            y, score, positive_fraction=float(y.mean()), **OPTIONS
        )
    message = str(record[0].message)
    assert "log-odds would not do here" in message
    # Either area may have been asked for.
    assert "posterior_roc_auc or posterior_average_precision" in message
    model = BinormalModel(*posterior.negative[1:], *posterior.positive[1:], y.mean())
    areas = {
        "area under the ROC curve": (model.roc_auc(), roc_auc_score(y, score)),
        "average precision": (
            model.average_precision(),
            average_precision_score(y, score),
        ),
    }
    written = (
        f"The {name} is {binormal:.4g} by the binormal model and {empirical:.4g} by the empirical"
        for name, (binormal, empirical) in areas.items()
    )
    assert any(text in message for text in written)


@pytest.mark.parametrize(
    "score",
    [
        np.where(Y, 1.0, -1.0) * np.where(np.arange(100) % 5, 1, -1),
        np.round(SCORES).clip(0, 2),
        np.where(SCORES < 1.5, -0.5, SCORES),
        np.round(4 * PROBABILITIES) / 4,
    ],
    ids=["labels", "ratings", "ties", "votes"],
)
def test_few_values(score):
    """The effective number is the inverse of the probability that two draws are equal."""
    equal = [np.equal.outer(score[k == Y], score[k == Y]).mean() for k in (0, 1)]
    number = f"effectively {1 / max(equal):.1f} in the {['negative', 'positive'][np.argmax(equal)]}"
    assert reason(Y, score).startswith(f"y_score takes few values, {number} class")


def test_weights_count_as_repetitions():
    """Four values of weight 10 are 40 samples with ties."""
    y, score = np.repeat([0, 1], 4), np.array([-1.0, 0.3, 2.1, 3, 1, 2.5, 4, 5])
    assert reason(y, score) is None
    expected = reason(np.repeat(y, 10), np.repeat(score, 10))
    assert "effectively 4.0" in expected
    assert reason(y, score, np.full(8, 10)) == expected


def test_scores_of_a_wrong_shape():
    """Far from normal, and with another area; the logarithms are normal."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 150)
    score = np.exp(1.5 * rng.normal(1.5 * y))
    p_values = binormal_check(y, score).adjusted_p_values
    name = ["negative", "positive"][np.argmin(p_values)]
    start = f"y_score is not normal in the {name} class (p = {min(p_values):.2g}). The "
    assert reason(y, score).startswith(start)
    assert reason(y, np.log(score)) is None


def test_harmless_deviations_are_not_warned_of():
    """Neither rounding, nor tails that make no difference to the areas, with many samples."""
    assert reason(Y, np.round(SCORES, 1)) is None
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 4000)
    score = rng.standard_t(12, 8000) + 1.5 * y
    assert binormal_check(y, score).rejects(0.005)
    assert reason(y, score) is None


@pytest.mark.parametrize(("size", "shift"), [(20, 0.5), (100, 5), (1000, 2)])
def test_normal_scores_are_rarely_warned_of(size, shift):
    """In less than one of a hundred: of 200 data sets, 7 would have a probability of 0.001."""
    y = np.arange(size) % 2
    rng = np.random.default_rng(size)
    warned = [reason(y, rng.normal(shift * y, 1 + y)) is not None for _ in range(200)]
    assert sum(warned) <= 6


def test_scales_that_are_too_different_have_their_error():
    """And no warning of NumPy before it."""
    with pytest.raises(ValueError, match="too different in scale"):
        binormal_roc_auc_score(
            [0, 0, 0, 1, 1, 1], [1e-300, 2e-300, 0, 1e300, -1e300, 3e299]
        )
