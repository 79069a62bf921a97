"""Where a user is told that scores are not binormal, and where not."""

import warnings

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skpostbac import BinormalCurveDisplay, NormalScoresDisplay
from skpostbac.binormal import (
    BinormalAssumptionWarning,
    BinormalModel,
    binormal_average_precision_score,
    binormal_check,
    binormal_precision_recall_curve,
    binormal_roc_auc_score,
    binormal_roc_curve,
    make_binormal_scorer,
    posterior_binormal,
)
from skpostbac.binormal._check import broken_assumption, largest_discrepancy, log_odds
from skpostbac.binormal._scores import empirical_areas, split_scores

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [60, 40])
SCORES = RNG.normal(2.0 * Y, 1.0)
PROBABILITIES = expit(2 * SCORES - 2)
MODEL = GaussianNB().fit(SCORES[:, np.newaxis], Y)
OPTIONS = {"n_draws": 100, "random_state": 0}

ENTRIES = {
    "fit": lambda: BinormalModel.fit(Y, PROBABILITIES),
    "roc_curve": lambda: binormal_roc_curve(Y, PROBABILITIES),
    "precision_recall_curve": lambda: binormal_precision_recall_curve(Y, PROBABILITIES),
    "roc_auc_score": lambda: binormal_roc_auc_score(Y, PROBABILITIES),
    "average_precision_score": lambda: binormal_average_precision_score(Y, PROBABILITIES),
    "posterior": lambda: posterior_binormal(Y, PROBABILITIES, random_state=0),
    "scorer": lambda: make_binormal_scorer()(MODEL, SCORES[:, np.newaxis], Y),
    "search": lambda: cross_val_score(
        MODEL, SCORES[:50, np.newaxis], np.arange(50) % 2, cv=[(range(25), range(25, 50))],
        scoring=make_binormal_scorer(),
    ),
}  # fmt: skip
DISPLAYS = {
    "from_predictions": lambda: BinormalCurveDisplay.from_predictions(Y, PROBABILITIES, **OPTIONS),
    "from_estimator": lambda: BinormalCurveDisplay.from_estimator(
        MODEL, SCORES[:, np.newaxis], Y, curve="precision_recall", **OPTIONS
    ),
}


def reason(y, score, weight=None):
    """Return what the warning would say."""
    return broken_assumption(*split_scores(y, score, None, weight))


def out_of_fold(model, X, y):
    """Return probabilities of five folds."""
    return cross_val_predict(model, X, y, method="predict_proba")[:, 1]


def assert_warns_once_here(entry):
    """Hold the number, the line and the reason of the warnings of a call."""
    with pytest.warns(BinormalAssumptionWarning, match=r"y_score lies in \[0, 1\]") as record:
        entry()
    assert [warning.filename for warning in record] == [__file__]


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_entry_warns_once_where_the_user_calls(entry):
    """Functions, scorers and the posterior."""
    assert_warns_once_here(entry)


@pytest.mark.parametrize("entry", DISPLAYS.values(), ids=DISPLAYS)
def test_displays_warn_once_where_the_user_calls(entry):
    """Though they need the model and the posterior."""
    plt = pytest.importorskip("matplotlib.pyplot")
    assert_warns_once_here(entry)
    plt.close("all")


def test_checks_stay_silent():
    """They are the answer; warnings are errors here."""
    plt = pytest.importorskip("matplotlib.pyplot")
    assert binormal_check(Y, PROBABILITIES).rejects()
    NormalScoresDisplay.from_predictions(Y, PROBABILITIES)
    plt.close("all")


def test_probabilities_of_a_forest():
    """The average precision of the model is next to 1, and outside of what the samples say."""
    X, y = load_breast_cancer(return_X_y=True)
    score = out_of_fold(RandomForestClassifier(random_state=0), X, y)
    observed = average_precision_score(y, score)
    message = f"average precision is 0.9999 by the binormal model and {observed:.4g} by"
    with pytest.warns(BinormalAssumptionWarning, match=message):
        posterior = posterior_binormal(y, score, random_state=0)
    assert observed < posterior.average_precision().interval().low
    assert posterior.empirical.average_precision == pytest.approx(observed, rel=1e-12)


def test_recipe_of_log_odds_is_good():
    """What the message says can be run, gives no warning, and has the area of the samples."""
    X, y = load_digits(return_X_y=True)
    y = (y == 8).astype(int)
    y_score = out_of_fold(RandomForestClassifier(random_state=0), X, y)
    message = reason(y, y_score)
    recipe = message.partition("`decision_function` of the classifier, or ")[2].partition(", which")
    assert recipe[0] == "scipy.special.logit(np.clip(y_score, 0.005, 1 - 0.005))"  # of 100 trees
    odds = eval(recipe[0].removeprefix("scipy.special."), {"logit": logit, "np": np}, locals())
    assert reason(y, odds) is None
    posterior = posterior_binormal(y, odds, random_state=0)
    assert posterior.roc_auc().interval().low < roc_auc_score(y, y_score)
    assert posterior.roc_auc().interval().high > roc_auc_score(y, y_score)


def test_log_odds_without_ends_are_plain():
    """Nothing is clipped where nothing is 0 or 1."""
    assert "or scipy.special.logit(y_score), which" in reason(Y, PROBABILITIES)
    np.testing.assert_allclose(log_odds(PROBABILITIES)[0], 2 * SCORES - 2, rtol=1e-9)


@pytest.mark.parametrize(
    "score",
    [[0, 0.25, 1, 0.5], [0, 1e-300, 1, 0.5], [0, 1 - 2**-53, 1, 0.5]],
    ids=["quarters", "tiny", "next to 1"],
)
def test_log_odds_are_finite(score):
    """0 and 1 go half as far out as the next, as far as floating-point numbers have such."""
    odds, _ = log_odds(np.array(score))
    assert np.isfinite(odds).all()
    assert odds[0] == pytest.approx(-odds[2])
    if score[1] == 0.25:
        assert odds[2] == pytest.approx(np.log(7))  # 1 / 8 from the end
    assert log_odds(np.array([0.0, 1.0]))[0] is None


def test_where_log_odds_would_not_do():
    """Those of naive Bayes are as wrong, and it says so."""
    X, y = load_breast_cancer(return_X_y=True)
    score = out_of_fold(GaussianNB(), X, y)
    assert "log-odds would not do here" in reason(y, score)
    # Either curve may have been asked for.
    assert "empirical curve, RocCurveDisplay or PrecisionRecallDisplay" in reason(y, score)


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
    with pytest.warns(BinormalAssumptionWarning, match=f"y_score takes few values, {number} class"):
        binormal_roc_auc_score(Y, score)


@pytest.mark.parametrize("score", [np.round(SCORES, 1), np.round(2 * SCORES)], ids=["0.1", "0.5"])
def test_rounded_scores_are_fine(score):
    """Ties alone are no harm."""
    assert reason(Y, score) is None


def test_weights_count_as_repetitions():
    """Four values of weight 10 are 40 samples with ties."""
    y, score = np.repeat([0, 1], 4), np.array([-1.0, 0.3, 2.1, 3, 1, 2.5, 4, 5])
    assert reason(y, score) is None
    expected = reason(np.repeat(y, 10), np.repeat(score, 10))
    assert "effectively 4.0" in expected
    assert reason(y, score, np.full(8, 10)) == expected


def test_scores_of_a_wrong_shape():
    """Far from normal, and with another area; a line that is not called twice."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 150)
    score = np.exp(1.5 * rng.normal(1.5 * y))
    with pytest.warns(BinormalAssumptionWarning, match=r"y_score is not normal in the .* class"):
        binormal_roc_auc_score(y, score)
    assert reason(y, np.log(score)) is None


def test_harmless_deviations_are_not_warned_of():
    """A test of normality rejects what makes no difference to the areas, with many samples."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 4000)
    score = rng.standard_t(12, 8000) + 1.5 * y
    assert binormal_check(y, score).rejects(0.005)
    assert reason(y, score) is None


@pytest.mark.parametrize("size", [20, 100, 1000])
@pytest.mark.parametrize("shift", [0.5, 2, 5])
def test_normal_scores_are_rarely_warned_of(size, shift):
    """In less than one of a hundred: of 200 data sets, 7 would have a probability of 0.001."""
    y = np.arange(size) % 2
    rng = np.random.default_rng(size)
    warned = [reason(y, rng.normal(shift * y, 1 + y)) is not None for _ in range(200)]
    assert sum(warned) <= 6


def test_scorer_of_normal_scores_stays_silent():
    """A linear model of normal features has normal scores."""
    X = SCORES[:, np.newaxis]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score = make_binormal_scorer()(model, X, Y)
    assert score == pytest.approx(binormal_roc_auc_score(Y, SCORES), rel=1e-9)


def test_scales_that_are_too_different_have_their_error():
    """And no warning of NumPy before it."""
    with pytest.raises(ValueError, match="too different in scale"):
        binormal_roc_auc_score([0, 0, 0, 1, 1, 1], [1e-300, 2e-300, 0, 1e300, -1e300, 3e299])


# What the rules are made of


@pytest.mark.parametrize("fraction", [None, 0.05])
def test_empirical_areas_are_those_of_scikit_learn(fraction):
    """With ties and weights, and for another share of the positives."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        score, weight = rng.integers(0, 12, 100).astype(float), rng.random(100) + 0.1
        found = empirical_areas(*split_scores(Y, score, None, weight), fraction)
        share = weight[Y == 1].sum() / weight.sum()
        if fraction is not None:
            weight *= np.where(Y, fraction / share, (1 - fraction) / (1 - share))
        assert found.roc_auc == pytest.approx(roc_auc_score(Y, score, sample_weight=weight))
        assert found.average_precision == pytest.approx(
            average_precision_score(Y, score, sample_weight=weight)
        )


def test_discrepancy_is_in_posterior_standard_deviations():
    """Those of the log-odds of the drawn areas, which it has by the delta method."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [400, 300])
    score = np.exp(rng.normal(y))
    found = largest_discrepancy(*split_scores(y, score))
    posterior = posterior_binormal_in_silence(y, score)
    distribution = posterior.roc_auc() if "ROC" in found.name else posterior.average_precision()
    draws = logit(distribution.draws)
    expected = abs(logit(found.empirical) - draws.mean()) / draws.std()
    assert found.size == pytest.approx(expected, rel=0.1)
    assert found.size > 1.5


def posterior_binormal_in_silence(y, score):
    """Return the posterior of scores that are warned of."""
    with pytest.warns(BinormalAssumptionWarning):
        return posterior_binormal(y, score, positive_fraction=float(y.mean()), random_state=0)


def test_separated_samples_are_no_discrepancy():
    """An empirical area of 1 is as near as it can be to an area of 0.9999."""
    y = np.repeat([0, 1], 50)
    score = norm.ppf((np.arange(50) + 0.5) / 50)
    found = largest_discrepancy(*split_scores(y, np.concatenate([score, score + 5.2])))
    assert found.binormal < found.empirical == 1
    assert found.size == 0
