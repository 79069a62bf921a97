"""The check of the binormal assumption, and when and where users are warned."""

import warnings

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, probplot, shapiro
from sklearn.metrics import average_precision_score, make_scorer, roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

import skpostbac
from skpostbac.binormal import (
    BinormalAssumptionWarning,
    BinormalCurveDisplay,
    BinormalModel,
    binormal_check,
    binormal_roc_auc_score,
)

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [60, 40])
SCORES = RNG.normal(2.0 * Y, 1.0)
PROBABILITIES = expit(2 * SCORES - 2)


# The check


def normal_data(size, seed=0):
    """Return labels and scores of two normal distributions, as many of each class."""
    y = np.repeat([0, 1], size)
    return y, np.random.default_rng(seed).normal(2 * y, 1 + y)


def test_correction_of_holm():
    """Twice the smaller p-value of SciPy's tests, and the larger one if that is more."""
    adjusted = []
    for seed in range(20):
        y, score = normal_data(20, seed)
        p_values = [shapiro(score[k == y]).pvalue for k in (0, 1)]
        expected = np.maximum(p_values, min(1, 2 * min(p_values)))
        check = binormal_check(y, score)
        assert check.adjusted_p_values == pytest.approx(expected)
        adjusted.append(sorted(check.adjusted_p_values))
        assert check.rejects(0.2) == (min(expected) <= 0.2)
    assert any(low == high for low, high in adjusted)
    assert any(low < high for low, high in adjusted)
    with pytest.raises(
        ValueError, match="significance must be a number strictly between"
    ):
        check.rejects(0)


@pytest.mark.parametrize("size", [10, pytest.param(100, marks=pytest.mark.slow)])
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


def test_correlations():
    """With the expected order statistics of three, as in SciPy's plot; 1 on any line."""
    check = binormal_check([0, 0, 0, 1, 1], [5, 1, 2, 7, 3])
    expected = np.corrcoef([-1, 0, 1], [1, 2, 5])[0, 1]  # symmetric, whatever the scale
    assert check.correlations == pytest.approx((expected, 1))
    y, score = normal_data(500)
    score = np.where(y, np.exp(score), score)
    for k, found in enumerate(binormal_check(y, score).correlations):
        (_, _), (_, _, expected) = probplot(score[k == y])
        assert found == pytest.approx(expected, abs=1e-3)
    quantiles = norm.ppf((np.arange(1, 31) - 3 / 8) / (30 + 1 / 4))
    check = binormal_check(
        np.repeat([0, 1], 30), np.append(quantiles, 5 + 1e200 * quantiles)
    )
    assert check.correlations == pytest.approx((1, 1), abs=1e-12)


# The warning


def reason(y, score, weight=None):
    """Return what the warning says; None if there is none."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        BinormalModel.fit(y, score, sample_weight=weight)
    assert {warning.category for warning in record} <= {BinormalAssumptionWarning}
    return str(record[0].message) if record else None


SCORER = make_scorer(binormal_roc_auc_score, response_method="predict_proba")
MODEL = GaussianNB().fit(SCORES[:, np.newaxis], Y)
ENTRIES = {
    "fit": lambda: BinormalModel.fit(Y, PROBABILITIES),
    "score": lambda: binormal_roc_auc_score(Y, PROBABILITIES),
    "scorer": lambda: SCORER(MODEL, SCORES[:, np.newaxis], Y),
    "search": lambda: cross_val_score(
        MODEL, SCORES[:50, np.newaxis], np.arange(50) % 2, cv=[(range(25), range(25, 50))],
        scoring=SCORER,
    ),
    "from_predictions": lambda: BinormalCurveDisplay.from_predictions(Y, PROBABILITIES),
    "from_estimator": lambda: BinormalCurveDisplay.from_estimator(
        MODEL, SCORES[:, np.newaxis], Y, curve="precision_recall"
    ),
}  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_entry_warns_once_where_the_user_calls(entry):
    """Functions, scorers and the display."""
    plt = pytest.importorskip("matplotlib.pyplot")
    with pytest.warns(
        BinormalAssumptionWarning, match=r"y_score lies in \[0, 1\]"
    ) as record:
        entry()
    assert [warning.filename for warning in record] == [__file__]
    plt.close("all")


def test_checks_stay_silent():
    """They are the answer; warnings are errors here."""
    assert binormal_check(Y, PROBABILITIES).rejects()


def test_probabilities():
    """The message says what to use; the recommended functions take them as they are."""
    message = reason(Y, PROBABILITIES)
    assert message.startswith("y_score lies in [0, 1], as probabilities do")
    assert "`decision_function` of the classifier" in message
    assert "posterior_roc_auc or posterior_average_precision" in message
    assert reason(Y, logit(PROBABILITIES)) is None
    posterior = skpostbac.posterior_roc_auc(Y, PROBABILITIES, n_draws=100)
    assert posterior.observed == pytest.approx(roc_auc_score(Y, PROBABILITIES))


@pytest.mark.parametrize(
    "score",
    [
        np.where(Y, 1.0, -1.0) * np.where(np.arange(100) % 5, 1, -1),
        np.round(SCORES).clip(0, 2),
        np.where(SCORES < 1.5, -0.5, SCORES),
    ],
    ids=["labels", "ratings", "ties"],
)
def test_few_values(score):
    """They are not continuous, however many samples there are."""
    name, number = min(
        (("negative", "positive")[k], len(set(score[k == Y]))) for k in (0, 1)
    )
    assert reason(Y, score).startswith(
        f"y_score takes only {number} values in the {name}"
    )


def test_few_values_of_few_samples():
    """Ten ratings of each class; but not as many values as samples."""
    y = np.repeat([0, 1], 10)
    ratings = [1, 2, 2, 3, 3, 3, 3, 4, 4, 5, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5]
    assert not binormal_check(y, ratings).rejects()
    assert "takes only 4 values in the positive class" in reason(y, ratings)
    assert reason([0, 0, 0, 1, 1, 1], [-1, 2, 3, 1, 4, 6]) is None


def test_wrong_areas_of_nearly_normal_scores():
    """The skewness of Gamma(20) matters to the average precision: .04 in 4,000 samples."""
    y = np.repeat([0, 1], [3000, 1000])
    score = np.random.default_rng(0).gamma(20, size=4000) / 4 + 1.5 * y
    assert min(binormal_check(y, score).correlations) > 0.99
    message = reason(y, score)
    assert message.startswith("y_score is not normal")
    with pytest.warns(BinormalAssumptionWarning):
        model = BinormalModel.fit(y, score)
    empirical = average_precision_score(y, score)
    assert abs(model.average_precision() - empirical) > 0.03


def test_scores_of_a_wrong_shape():
    """Far from normal, and with another area; the logarithms are normal."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 150)
    score = np.exp(1.5 * rng.normal(1.5 * y))
    p_values = binormal_check(y, score).adjusted_p_values
    name = ["negative", "positive"][np.argmin(p_values)]
    start = f"y_score is not normal in the {name} class (p = {min(p_values):.2g}): "
    message = reason(y, score)
    assert message.startswith(start)
    assert "posterior_roc_auc or posterior_average_precision" in message
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
