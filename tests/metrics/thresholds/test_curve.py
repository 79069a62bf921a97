"""The posterior along all thresholds, and the client that chooses one."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import TunedThresholdClassifierCV

from skpostbac import (
    PosteriorBalancedAccuracy,
    posterior_balanced_accuracy,
    posterior_threshold_curve,
)
from skpostbac.metrics import SelectedPosterior
from skpostbac.stats import BetaAverage
from tests.texts import sentences

# Most of these test sets are tiny.
pytestmark = pytest.mark.filterwarnings(
    "ignore::skpostbac.metrics.PriorInfluenceWarning"
)

Y_TRUE = np.array([0, 0, 0, 0, 0, 1, 1, 1])
Y_SCORE = np.array([0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9])


@pytest.fixture(name="curve", scope="module")
def curve_fixture():
    """A curve of 300 samples."""
    rng = np.random.default_rng(0)
    y_true = np.repeat([0, 1], [200, 100])
    return posterior_threshold_curve(
        y_true, rng.normal(size=300) + y_true, random_state=0
    )


@pytest.mark.parametrize(
    ("prior", "class_weight"),
    [("calibrated", None), ("uniform", [1, 3]), ([(1, 2), (3, 4)], {0: 2, 1: 1})],
    ids=str,
)
def test_each_threshold_has_the_posterior_of_its_predictions(prior, class_weight):
    """Means, intervals and `at` are those of `posterior_balanced_accuracy`."""
    curve = posterior_threshold_curve(
        Y_TRUE, Y_SCORE, prior=prior, class_weight=class_weight, level=0.9
    )
    for i, threshold in enumerate(curve.thresholds):
        posterior = posterior_balanced_accuracy(
            Y_TRUE,
            (threshold <= Y_SCORE).astype(int),
            prior=prior,
            class_weight=class_weight,
        )
        low, high = posterior.credible_interval(0.9)
        assert curve.at(threshold) == posterior
        assert curve.mean[i] == pytest.approx(posterior.mean(), rel=1e-12)
        ends = curve.interval[0][i], curve.interval[1][i]
        assert ends == pytest.approx((low, high), abs=1e-7)


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
@pytest.mark.parametrize("is_crossing", [False, True], ids=["of one class", "of both"])
@pytest.mark.parametrize("pos_label", ["ill", "well"])
def test_groups_count_at_the_best_threshold_as_they_do_there(is_crossing, pos_label):
    """The posterior is that of its predictions; groups of both classes give the same variance."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(40), 6)
    is_ill = np.arange(240) % 2 if is_crossing else groups % 2
    y_true = np.where(is_ill == 1, "ill", "well")
    y_score = (is_ill - 0.5) * (1 if pos_label == "ill" else -1) + 0.7 * rng.normal(
        size=40
    )[groups]
    y_score = y_score + 0.7 * rng.normal(size=240)
    curve = posterior_threshold_curve(
        y_true, y_score, pos_label=pos_label, groups=groups
    )
    other = "well" if pos_label == "ill" else "ill"
    y_pred = np.where(y_score >= curve.best_threshold, pos_label, other)
    expected = posterior_balanced_accuracy(y_true, y_pred, groups=groups)
    ratio = curve.best.distribution.variance() / expected.distribution.variance()
    assert ratio == pytest.approx(1, rel=0.02 if is_crossing else 1e-9)
    assert curve.best.mean() == pytest.approx(expected.mean(), abs=1e-3)
    alone = posterior_threshold_curve(y_true, y_score, pos_label=pos_label)
    assert curve.best_threshold == alone.best_threshold
    assert curve.best.distribution.variance() > 1.2 * alone.best.distribution.variance()
    assert curve.corrected.optimism > alone.corrected.optimism
    assert "240 test samples (effective size " in curve.report()


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
def test_groups_of_one_sample_change_nothing():
    """But for the number of samples that the curve names."""
    curves = [
        posterior_threshold_curve(Y_TRUE, Y_SCORE, groups=g)
        for g in (None, np.arange(8))
    ]
    np.testing.assert_array_equal(curves[1].total, curves[0].total)
    np.testing.assert_array_equal(curves[1].band, curves[0].band)
    assert curves[1].summary() == curves[0].summary()


@pytest.mark.parametrize("threshold", [1.0, np.inf])
@pytest.mark.parametrize("pos_label", [0, 1])
def test_above_all_scores_no_sample_is_positive(threshold, pos_label):
    """All negatives are right, and no positive."""
    curve = posterior_threshold_curve(Y_TRUE, Y_SCORE, pos_label=pos_label)
    assert curve.at(threshold) == posterior_balanced_accuracy(
        Y_TRUE, np.full(8, 1 - pos_label)
    )


def test_the_correction_lowers_the_odds(curve):
    """All places have so many times smaller odds, and the mean is lower by about the optimism."""
    corrected, best = curve.corrected, curve.best
    assert isinstance(best, PosteriorBalancedAccuracy)
    optimism, mean = corrected.optimism, best.mean()
    assert 0.005 < optimism < 0.05
    assert corrected.mean() == pytest.approx(mean - optimism, abs=0.02 * optimism)
    factor = _odds(mean - optimism) / _odds(mean)
    p = np.array([0.01, 0.3, 0.9])
    assert _odds(corrected.distribution.icdf(p)) == pytest.approx(
        factor * _odds(best.distribution.icdf(p)), rel=1e-9
    )
    low, high = best.credible_interval(method="central")
    ends = np.array(corrected.credible_interval(method="central"))
    assert _odds(ends) == pytest.approx(factor * _odds(np.array([low, high])), rel=1e-9)


def _odds(x):
    return x / (1 - x)


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
    assert sentences(corrected).endswith(
        "It was selected among 2 on the same samples, which did not inflate it, so it is not "
        "corrected."
    )
    small = SelectedPosterior(posterior, optimism=2e-4)
    assert "inflates it by less than 0.001 on average" in sentences(small)


@pytest.mark.parametrize(("weights", "positive"), [((1, 1), 1), ((1, 3), 0)], ids=str)
@pytest.mark.slow
def test_the_range_excludes_what_loses_to_another_threshold(weights, positive):
    """Against likelihood ratios that are integrated numerically, counted from the labels."""
    rng = np.random.default_rng(2)
    y_true = np.repeat([0, 1], [90, 40])
    y_score = (rng.normal(size=130) + 2 * y_true).round(1) * (2 * positive - 1)
    curve = posterior_threshold_curve(
        y_true, y_score, pos_label=positive, class_weight=weights
    )
    thresholds = np.append(np.inf, curve.thresholds)
    correct = (y_score >= thresholds[:, None]) == (y_true == positive)
    rates = np.bincount(y_true) / weights

    def is_worse(a, b):
        """Return whether the samples on which they differ favour `b` over `a`."""
        gained, lost = correct[b] & ~correct[a], correct[a] & ~correct[b]
        k, n = gained.sum(), gained.sum() + lost.sum()
        if k == 0:
            return False
        p = rates[y_true[gained][0]] / rates.sum()
        grid = p + (1 - p) * (np.arange(2_000) + 0.5) / 2_000
        prior = stats.beta(0.5, 0.5).pdf(grid)
        ratio = np.exp(k * np.log(grid / p) + (n - k) * np.log((1 - grid) / (1 - p)))
        return np.average(ratio, weights=prior) >= 40

    rows = range(len(thresholds))
    kept = [a for a in rows if not any(is_worse(a, b) for b in rows)]
    low, high = curve.best_threshold_range()
    assert (low, high) == (thresholds[kept[-1] + 1], thresholds[kept[0]])
    assert low < curve.best_threshold <= high
    assert np.ptp(curve.thresholds) > 2 * (high - low) > 0


def test_the_range_contains_the_best_threshold():
    """Of normal scores with few positives, in at least 95 of 100 data sets; fewer at a lower level."""
    held = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y_true = np.repeat([0, 1], [90, 10])
        curve = posterior_threshold_curve(y_true, rng.normal(size=100) + 2 * y_true)
        low, high = curve.best_threshold_range()
        held.append(low < 1 <= high)
        inner = curve.best_threshold_range(0.5)
        assert low <= inner[0] < curve.best_threshold <= inner[1] <= high
    assert np.mean(held) >= 0.95


def test_the_range_has_no_ends_if_all_positive_or_none_may_be_best(curve):
    """Two samples tell nothing; their summary is JSON. A perfect score has both ends."""
    two = posterior_threshold_curve([0, 1], [1, 2])
    assert two.best_threshold_range() == (-np.inf, np.inf)
    assert two.summary()["threshold_low"] is two.summary()["threshold_high"] is None
    perfect = posterior_threshold_curve(np.arange(60) >= 30, np.arange(60))
    low, high = perfect.best_threshold_range()
    assert 20 < low < 29 < high < 40
    assert perfect.summary()["threshold_low"] == low
    assert "prob_best" not in {*perfect.summary(), *perfect.table()}
    with pytest.raises(ValueError, match="level must be"):
        curve.best_threshold_range(1.0)
    assert "(90% confidence)" in perfect.report(0.9)


@pytest.mark.parametrize("loss", [0.001, 0.02, 0.1, 0.4])
@pytest.mark.parametrize("positive", [0, 1])
def test_similar_thresholds_lose_at_most_what_is_stated(loss, positive):
    """All thresholds in the range, and not the next one on either side."""
    rng = np.random.default_rng(4)
    y_true = rng.permutation(np.repeat([0, 1], [70, 30]))
    y_score = (rng.normal(size=100) + y_true).round(1) * (2 * positive - 1)
    curve = posterior_threshold_curve(y_true, y_score, pos_label=positive)

    def accuracy(threshold):
        y_pred = np.where(y_score >= threshold, positive, 1 - positive)
        return balanced_accuracy_score(y_true, y_pred)

    low, high = curve.similar_threshold_range(loss)
    best = accuracy(curve.best_threshold)
    thresholds = np.append(np.inf, np.unique(y_score)[::-1])
    inside = thresholds[(low < thresholds) & (thresholds <= high)]
    assert curve.best_threshold in inside
    assert min(map(accuracy, inside)) >= best - loss - 1e-12
    beside = [low, *thresholds[thresholds > high][-1:]]
    assert all(accuracy(t) < best - loss for t in beside if t > -np.inf)


def test_the_report_says_which_thresholds_do_about_as_well(curve):
    """In words where a range has no end; a loss that is no difference is an error."""
    tied = posterior_threshold_curve([0, 1, 0, 1], [1, 1, 1, 1])
    assert "thresholds anywhere do about as well (within 0.02)" in tied.report()
    low, high = curve.similar_threshold_range()
    assert f"thresholds above {low:.4g} and up to {high:.4g} do" in curve.report()
    # No positive prediction at all would do better, which is no threshold of the curve.
    reverse = posterior_threshold_curve([0, 1], [2, 1], class_weight=[0.9, 0.1])
    assert reverse.best_threshold == 1
    assert reverse.similar_threshold_range() == (-np.inf, 1)
    with pytest.raises(ValueError, match="loss must be"):
        curve.similar_threshold_range(1.5)


def test_many_thresholds_are_thinned():
    """A thousand are left of five thousand, with the best one."""
    rng = np.random.default_rng(0)
    y_true = rng.random(5000) < 0.2
    y_score = rng.normal(size=5000) + y_true
    curve = posterior_threshold_curve(y_true, y_score)
    assert 900 < len(curve.thresholds) <= 1000
    recalls = [
        ((y_score >= t)[y_true].mean() + (y_score < t)[~y_true].mean()) / 2
        for t in y_score
    ]
    assert curve.best_threshold == y_score[np.argmax(recalls)]


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
        curve = posterior_threshold_curve(
            y_true, rng.normal(size=80), random_state=seed
        )
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
    assert sentences(curve).startswith("Threshold 1, the best of 1 on the 5 test ")
    assert curve.best.recalls()[1].cdf(0.5) == pytest.approx(stats.beta(4, 1).cdf(0.5))


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
            assert curve.correct[curve.best_index, place] == pytest.approx(
                recall * size, rel=1e-9
            )
        assert f"n=120, n_effective={curve.total.sum():.4g}" in repr(curve)
        assert "120 test samples (effective size " in sentences(curve)
