"""The posterior along all thresholds, and the client that chooses one."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV

from skpostbac import (
    PosteriorBalancedAccuracy,
    posterior_balanced_accuracy,
    posterior_threshold_curve,
)
from skpostbac.metrics import PriorInfluenceWarning, SampleWeightWarning, SelectedPosterior
from skpostbac.stats import BetaAverage, Hyperprior

# Most of these test sets are tiny.
pytestmark = pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")

Y_TRUE = np.array([0, 0, 0, 0, 0, 1, 1, 1])
Y_SCORE = np.array([0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9])


@pytest.fixture(name="curve", scope="module")
def curve_fixture():
    """A curve of 300 samples."""
    rng = np.random.default_rng(0)
    y_true = np.repeat([0, 1], [200, 100])
    return posterior_threshold_curve(y_true, rng.normal(size=300) + y_true, random_state=0)


@pytest.mark.parametrize(
    ("prior", "class_weight"),
    [
        ("reciprocal", None),
        ("uniform", [1, 3]),
        ((0.5, 2), {0: 2, 1: 1}),
        ([(1, 2), (3, 4)], None),
        ([(1, 2), (3, 4)], {0: 2, 1: 1}),
    ],
    ids=str,
)
def test_each_threshold_has_the_posterior_of_its_predictions(prior, class_weight):
    """Means, intervals and `at` are those of `posterior_balanced_accuracy`."""
    curve = posterior_threshold_curve(
        Y_TRUE, Y_SCORE, prior=prior, class_weight=class_weight, level=0.9
    )
    for i, threshold in enumerate(curve.thresholds):
        posterior = posterior_balanced_accuracy(
            Y_TRUE, (threshold <= Y_SCORE).astype(int), prior=prior, class_weight=class_weight
        )
        low, high = posterior.credible_interval(0.9)
        assert curve.at(threshold) == posterior
        assert curve.mean[i] == pytest.approx(posterior.mean(), rel=1e-12)
        ends = curve.interval[0][i], curve.interval[1][i]
        assert ends == pytest.approx((low, high), abs=1e-7)


def test_between_two_scores_the_predictions_are_those_of_the_upper_one():
    """A threshold of 0.6 cuts where 0.7 does."""
    curve = posterior_threshold_curve(Y_TRUE, Y_SCORE)
    assert curve.at(0.6) == posterior_balanced_accuracy(Y_TRUE, (Y_SCORE >= 0.6).astype(int))
    assert curve.at(0.6) == curve.at(0.7)
    assert curve.at(-5) == curve.at(0.1)


@pytest.mark.parametrize("threshold", [1.0, np.inf])
@pytest.mark.parametrize("pos_label", [0, 1])
def test_above_all_scores_no_sample_is_positive(threshold, pos_label):
    """All negatives are right, and no positive."""
    curve = posterior_threshold_curve(Y_TRUE, Y_SCORE, pos_label=pos_label)
    assert curve.at(threshold) == posterior_balanced_accuracy(Y_TRUE, np.full(8, 1 - pos_label))


def test_the_positive_class_may_be_the_first_one():
    """Turning scores and classes round gives the same curve."""
    curve = posterior_threshold_curve(Y_TRUE, Y_SCORE, pos_label=1, random_state=0)
    other = posterior_threshold_curve(1 - Y_TRUE, Y_SCORE, pos_label=0, random_state=0)
    assert other.classes == curve.classes == (0, 1)
    assert np.allclose(other.mean, curve.mean)
    assert other.best.counts.correct.tolist() == curve.best.counts.correct.tolist()[::-1]


def test_the_correction_lowers_the_odds(curve):
    """All places have so many times smaller odds, and the mean is lower by about the optimism."""
    corrected, best = curve.corrected, curve.best
    assert isinstance(best, PosteriorBalancedAccuracy)
    optimism, mean = corrected.optimism, best.mean()
    assert 0.005 < optimism < 0.05
    assert corrected.mean() == pytest.approx(mean - optimism, abs=0.02 * optimism)
    factor = _odds(mean - optimism) / _odds(mean)
    p = np.array([0.01, 0.3, 0.9])
    assert _odds(corrected.icdf(p)) == pytest.approx(factor * _odds(best.icdf(p)), rel=1e-9)
    low, high = best.credible_interval(method="central")
    ends = np.array(corrected.credible_interval(method="central"))
    assert _odds(ends) == pytest.approx(factor * _odds(np.array([low, high])), rel=1e-9)


def _odds(x):
    return x / (1 - x)


def test_what_is_separated_may_still_be_perfect():
    """The corrected interval reaches 1, as the uncorrected one does."""
    curve = posterior_threshold_curve(np.repeat([0, 1], 20), np.arange(40), random_state=0)
    assert curve.corrected.optimism > 0.005
    low, high = curve.corrected.credible_interval()
    assert high == curve.best.credible_interval().high == 1
    assert low < curve.best.credible_interval().low


@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [([0, 1], [0.2, 0.7]), ([0, 1], [0.7, 0.2]), ([0, 0, 0, 1, 1], [1, 2, 3, 4, 5])],
    ids=["one of each", "reversed", "separated"],
)
def test_one_observed_score_is_certainly_the_best(y_true, y_score):
    """The others are worse for some samples, and better for none."""
    curve = posterior_threshold_curve(y_true, y_score, random_state=0)
    assert curve.prob_best[curve.best_index] == 1
    assert "is the best with probability > 0.999" in curve.report()


@pytest.mark.parametrize("optimism", [0.15, 0.5, 5, 1e300])
@pytest.mark.parametrize("correct", [0, 1, 5, 6])
def test_no_correction_leads_out_of_the_range(correct, optimism):
    """Not even one that is larger than the score."""
    posterior = PosteriorBalancedAccuracy.from_counts([correct, correct], [6, 6])
    corrected = SelectedPosterior(posterior, optimism=optimism)
    low, high = corrected.credible_interval()
    assert 0 <= low < high <= 1
    assert 0 < corrected.mean() < posterior.mean()


def test_without_optimism_nothing_changes():
    """The figures are the same to the last digit, and the report says why."""
    posterior = PosteriorBalancedAccuracy.from_counts([5, 4], [6, 6])
    corrected = SelectedPosterior(posterior, optimism=0.0, n_candidates=2)
    assert corrected.summary()["mean"] == posterior.mean()
    assert corrected.credible_interval() == posterior.credible_interval()
    assert corrected.report().endswith(
        "It was selected among 2 on the same samples, which did not inflate it, so it is not "
        "corrected."
    )
    small = SelectedPosterior(posterior, optimism=2e-4)
    assert "inflates it by less than 0.001 on average" in small.report()


@pytest.mark.parametrize("name", ["optimism", "optimism_error"])
@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf, "a", None])
def test_a_correction_is_a_number_of_at_least_zero(name, value):
    """Anything else is refused by name."""
    posterior = PosteriorBalancedAccuracy.from_counts([1, 1], [6, 6])
    with pytest.raises(ValueError, match=f"{name} must be a number of at least 0"):
        SelectedPosterior(posterior, **{"optimism": 0.1, name: value})


def test_only_exact_posteriors_are_corrected():
    """A number is no posterior."""
    with pytest.raises(TypeError, match="uncorrected must be a posterior"):
        SelectedPosterior(0.5, optimism=0.1)


def test_the_probability_to_be_best_is_highest_near_the_best(curve):
    """Probabilities add up to 1, and thresholds far from the best have none."""
    assert curve.prob_best.sum() == pytest.approx(1)
    likely = curve.thresholds[curve.prob_best > 0.01]
    assert likely.min() <= curve.best_threshold <= likely.max()
    assert np.ptp(likely) < np.ptp(curve.thresholds) / 2


def test_words_name_the_threshold_and_both_figures(curve):
    """The report and the summary have the corrected figure first."""
    lines = curve.report().splitlines()
    assert f"{curve.best_threshold:.4g} is the best with probability" in lines[0]
    assert f"{curve.corrected.mean():.3f}" in lines[1]
    assert f"{curve.best.mean():.3f}" in lines[2]
    summary = curve.summary()
    assert summary["mean"] == curve.corrected.mean()
    assert summary["uncorrected_mean"] == curve.best.mean()


def test_the_seed_settles_the_draws():
    """Equal seeds give equal corrections, others differ by their Monte Carlo error."""
    curves = [posterior_threshold_curve(Y_TRUE, Y_SCORE, random_state=seed) for seed in (1, 1, 2)]
    one, again, other = (curve.corrected for curve in curves)
    assert one.optimism == again.optimism != other.optimism
    assert abs(one.optimism - other.optimism) < 5 * (one.optimism_error + other.optimism_error)


def test_many_thresholds_are_thinned():
    """A thousand are left of five thousand, with the best one."""
    rng = np.random.default_rng(0)
    y_true = rng.random(5000) < 0.2
    y_score = rng.normal(size=5000) + y_true
    curve = posterior_threshold_curve(y_true, y_score)
    assert 900 < len(curve.thresholds) <= 1000
    recalls = [((y_score >= t)[y_true].mean() + (y_score < t)[~y_true].mean()) / 2 for t in y_score]
    assert curve.best_threshold == y_score[np.argmax(recalls)]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        pytest.param({"prior": "hierarchical"}, "prior must be independent", id="hierarchical"),
        pytest.param({"prior": Hyperprior()}, "prior must be independent", id="hyperprior"),
        pytest.param({"level": 1.0}, "level", id="level"),
        pytest.param({"class_weight": [1, 2, 3]}, "class_weight must have one", id="weights"),
        pytest.param({"pos_label": "x"}, "pos_label='x' is not a valid label", id="pos_label"),
        pytest.param({"random_state": -1}, "random_state must be", id="random_state"),
        pytest.param(
            {"sample_weight": Y_TRUE}, "sample_weight must be positive for some", id="no negative"
        ),
    ],
)
def test_arguments_are_checked(arguments, match):
    """The message names the argument."""
    with pytest.raises(ValueError, match=match):
        posterior_threshold_curve(Y_TRUE, Y_SCORE, **arguments)


def test_scores_must_be_finite_and_labels_two():
    """As for other curves of scores."""
    with pytest.raises(ValueError, match="y_score must be finite"):
        posterior_threshold_curve(Y_TRUE, np.where(Y_TRUE, np.nan, Y_SCORE))
    with pytest.raises(ValueError, match="multiclass format is not supported"):
        posterior_threshold_curve(np.arange(8) % 3, Y_SCORE)


def test_a_tuned_threshold_is_evaluated_on_fresh_samples():
    """The posterior at `best_threshold_` is that of the tuned classifier's predictions."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :2]
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(), scoring="balanced_accuracy", thresholds=50
    ).fit(X[::2], y[::2])
    y_score = tuned.estimator_.predict_proba(X[1::2])[:, 1]
    curve = posterior_threshold_curve(y[1::2], y_score, random_state=0)
    posterior = curve.at(tuned.best_threshold_)
    assert posterior == posterior_balanced_accuracy(y[1::2], tuned.predict(X[1::2]))
    assert posterior.mean() <= curve.best.mean()


def test_the_correction_of_pure_noise_is_close_to_the_luck():
    """Scores that tell nothing: the uncorrected mean is above 1/2, the corrected one near it."""
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y_true = np.repeat([0, 1], 40)
        curve = posterior_threshold_curve(y_true, rng.normal(size=80), random_state=seed)
        found.append((curve.best.mean() - 0.5, curve.corrected.mean() - 0.5))
    plain, corrected = np.mean(found, axis=0)
    assert plain > 0.06
    assert abs(corrected) < 0.04


def test_one_threshold_has_the_exact_beta_distribution():
    """All scores equal: everything is predicted positive."""
    curve = posterior_threshold_curve([0, 0, 1, 1, 1], np.ones(5), prior="uniform")
    exact = BetaAverage([1, 4], [3, 1])
    assert curve.mean == pytest.approx(exact.mean())
    assert curve.corrected.optimism == 0
    assert curve.report().startswith("5 samples, 1 threshold: ")
    assert curve.best.recalls()[1].cdf(0.5) == pytest.approx(stats.beta(4, 1).cdf(0.5))


def test_a_prior_that_decides_is_told():
    """As of the posterior at one threshold."""
    with pytest.warns(PriorInfluenceWarning, match="95% intervals would contain"):
        posterior_threshold_curve(Y_TRUE, Y_SCORE, prior=(5, 5))


@pytest.fixture(name="weighted", scope="module")
def weighted_fixture():
    """Labels, scores and log-normal weights of 120 samples."""
    rng = np.random.default_rng(1)
    y_true = np.arange(120) % 3 == 0
    return y_true, rng.normal(size=120) + y_true, rng.lognormal(size=120)


@pytest.mark.parametrize("pos_label", [True, False])
def test_importance_weights_have_the_effective_size_of_each_class(weighted, pos_label):
    """Kish's, with the weighted recalls; at any scale of the weights."""
    y_true, y_score, weight = weighted
    for scale in (1, 1e-90, 1e90):
        curve = posterior_threshold_curve(
            y_true,
            y_score,
            pos_label=pos_label,
            sample_weight=scale * weight,
            weight_type="importance",
            random_state=0,
        )
        for place, label in enumerate([False, True]):
            w, s = weight[y_true == label], y_score[y_true == label]
            size = w.sum() ** 2 / (w**2).sum()
            assert curve.total[place] == pytest.approx(size, rel=1e-12)
            called = (s >= curve.best_threshold) == (label == pos_label)
            recall = w[called].sum() / w.sum()
            assert curve.correct[curve.best_index, place] == pytest.approx(recall * size, rel=1e-9)
        assert f"n=120, n_effective={curve.total.sum():.4g}" in repr(curve)
        assert "120 samples (effective size " in curve.report()


def test_undeclared_fractions(weighted):
    """They were taken as cases without a word."""
    y_true, y_score, weight = weighted
    with pytest.warns(SampleWeightWarning, match="not whole numbers"):
        posterior_threshold_curve(y_true, y_score, pos_label=True, sample_weight=weight)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        posterior_threshold_curve(
            y_true, y_score, pos_label=True, sample_weight=weight, weight_type="case"
        )
    with pytest.raises(ValueError, match="weight_type must be one of"):
        posterior_threshold_curve(y_true, y_score, pos_label=True, weight_type="survey")
