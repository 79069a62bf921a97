"""ROC areas and average precisions beside scikit-learn, closed moments and plain loops."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB

from skpostbac import (
    PosteriorRocDisplay,
    make_ranking_scorer,
    posterior_average_precision,
    posterior_roc_auc,
)
from skpostbac.metrics import SampleWeightWarning
from tests.texts import sentences

AREAS = {
    "roc_auc": (posterior_roc_auc, roc_auc_score),
    "average_precision": (posterior_average_precision, average_precision_score),
}
BOTH = pytest.mark.parametrize(("posterior_of", "score"), AREAS.values(), ids=AREAS)


def draw(n, share=0.3, seed=0, n_ties=1):
    """Return labels and scores, of which some are tied."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, (rng.normal(size=n) + y).round(n_ties)


def weighted_area(y, s, rng, score, prevalence=None):
    """Draw one weighted sample with a half beyond either end of each class, as the text says."""
    w = rng.standard_gamma(np.append(np.ones(len(y)), np.full(4, 0.5)))
    y = np.append(y, [False, False, True, True])
    s = np.append(s, [-np.inf, np.inf, -np.inf, np.inf])
    if prevalence is not None:
        w = np.where(y, prevalence * w / w[y].sum(), (1 - prevalence) * w / w[~y].sum())
    return score(y, np.clip(s, -1e9, 1e9), sample_weight=w)


@BOTH
@pytest.mark.parametrize(
    "options", [{}, {"weight_type": "importance"}], ids=["case", "importance"]
)
def test_observed_is_scikit_learns(posterior_of, score, options):
    """With ties and weights."""
    y, s = draw(60)
    w = np.random.default_rng(1).integers(1, 4, 60)
    found = posterior_of(y, s, sample_weight=w, n_draws=2, **options)
    assert found.observed == pytest.approx(score(y, s, sample_weight=w), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "prevalence"),
    [*((name, None) for name in AREAS), ("average_precision", 0.1)],
)
@pytest.mark.slow
def test_distribution_is_that_of_weighted_samples(name, prevalence):
    """Mean, spread and quantiles of areas that scikit-learn computes of drawn weights."""
    (posterior_of, score), (y, s) = AREAS[name], draw(40)
    rng, size = np.random.default_rng(0), 600
    areas = [weighted_area(y, s, rng, score, prevalence) for _ in range(size)]
    options = {} if prevalence is None else {"prevalence": prevalence}
    found = posterior_of(y, s, **options)
    spread = np.std(areas)
    # Five standard errors of each.
    assert found.mean() == pytest.approx(np.mean(areas), abs=5 * spread / size**0.5)
    assert found.standard_deviation() == pytest.approx(
        spread, rel=5 / (2 * size) ** 0.5
    )
    quantiles = np.quantile(areas, [0.1, 0.5, 0.9])
    np.testing.assert_allclose(
        found.distribution.icdf([0.1, 0.5, 0.9]), quantiles, atol=9 * spread / size**0.5
    )


def closed_moments(y, s):
    """Mean and variance of p' K q for two Dirichlet vectors, with K = 1, 1/2 or 0."""
    sides = [
        np.concatenate([[-np.inf], s[y == side], [np.inf]]) for side in (False, True)
    ]
    alphas = [np.concatenate([[0.5], np.ones(len(side) - 2), [0.5]]) for side in sides]
    k = (sides[1][:, np.newaxis] > sides[0]) + 0.5 * (
        sides[1][:, np.newaxis] == sides[0]
    )
    (q, m), (p, n) = ((alpha / alpha.sum(), alpha.sum()) for alpha in alphas)
    mean = p @ k @ q
    square = (
        n * m * mean**2 + n * q @ (p @ k) ** 2 + m * p @ (k @ q) ** 2 + p @ k**2 @ q
    )
    return mean, square / ((n + 1) * (m + 1)) - mean**2


@pytest.mark.parametrize("n", [12, 60, 300])
def test_moments_of_the_roc_area(n):
    """Those of the quadratic form, in closed form."""
    y, s = draw(n)
    mean, variance = closed_moments(y, s)
    found = posterior_roc_auc(y, s)
    size = found.distribution.draws.size
    assert found.mean() == pytest.approx(mean, abs=5 * (variance / size) ** 0.5)
    assert found.distribution.variance() == pytest.approx(variance, rel=0.05)


@pytest.mark.slow
@BOTH
def test_many_samples_have_the_normal_limit(posterior_of, score):
    """That of draws from the same samples."""
    y, s = draw(20_000, n_ties=5)
    limit, drawn = posterior_of(y, s), posterior_of(y, s, n_draws=2000)
    sd = drawn.standard_deviation()
    assert (
        limit.summary()["monte_carlo_error"] == 0 < drawn.summary()["monte_carlo_error"]
    )
    assert limit.mean() == pytest.approx(drawn.mean(), abs=0.15 * sd)
    assert limit.standard_deviation() == pytest.approx(sd, rel=0.1)


@pytest.mark.parametrize(
    "options", [{"groups": np.arange(6000) % 6}, {"weight_type": "importance"}], ids=str
)
def test_few_independent_samples_have_no_normal_limit(options):
    """However many there are."""
    y, s = draw(6000, share=0.01, n_ties=5)
    weight = {"sample_weight": np.ones(6000)} if "weight_type" in options else {}
    assert (
        posterior_roc_auc(y, s, **weight, **options).summary()["monte_carlo_error"] > 0
    )


@BOTH
def test_case_weights_are_repeated_samples(posterior_of, score):
    """The same weights are drawn for samples at one place."""
    y, s = draw(30)
    w = np.random.default_rng(2).integers(0, 4, 30)
    found = posterior_of(y, s, sample_weight=w)
    expected = posterior_of(np.repeat(y, w), np.repeat(s, w))
    assert found.mean() == expected.mean()


@BOTH
def test_scale_of_importance_weights_does_not_matter(posterior_of, score):
    """And equal ones are those of independent samples, but for other draws."""
    y, s = draw(50)
    w = np.random.default_rng(3).uniform(0.5, 2, 50)
    one, other = (
        posterior_of(y, s, sample_weight=scale * w, weight_type="importance")
        for scale in (1, 1e6)
    )
    assert one.mean() == pytest.approx(other.mean(), abs=1e-12)
    equal = posterior_of(y, s, sample_weight=np.full(50, 0.1), weight_type="importance")
    plain = posterior_of(y, s)
    assert equal.mean() == pytest.approx(
        plain.mean(), abs=6 * plain.summary()["monte_carlo_error"]
    )
    assert equal.standard_deviation() == pytest.approx(
        plain.standard_deviation(), rel=0.03
    )


def test_groups_that_share_an_effect_widen_the_interval():
    """Groups of copies are as many samples as groups; those of one sample change nothing."""
    y, s = draw(40)
    plain = posterior_roc_auc(y, s)
    alone = posterior_roc_auc(y, s, groups=np.arange(40))
    copied = posterior_roc_auc(
        np.repeat(y, 5), np.repeat(s, 5), groups=np.repeat(range(40), 5)
    )
    for other in (alone, copied):
        assert other.mean() == pytest.approx(
            plain.mean(), abs=6 * plain.summary()["monte_carlo_error"]
        )
        assert other.standard_deviation() == pytest.approx(
            plain.standard_deviation(), rel=0.03
        )


def test_positive_class_and_direction():
    """The other class with negated scores has the same area; an area is one minus its mirror."""
    y, s = draw(50)
    labels = np.where(y, "yes", "no")
    one = posterior_roc_auc(labels, s, pos_label="yes")
    same = posterior_roc_auc(labels, -s, pos_label="no")
    other = posterior_roc_auc(labels, -s, pos_label="yes")
    error = 6 * one.summary()["monte_carlo_error"]
    assert same.mean() == pytest.approx(one.mean(), abs=error)
    assert other.mean() == pytest.approx(1 - one.mean(), abs=error)
    assert same.observed == one.observed


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_more_classes(multi_class, average):
    """Averages are scikit-learn's, in any order of the columns."""
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], 80, p=[0.5, 0.3, 0.2])
    scores = rng.random((80, 3)) + 0.6 * (y[:, np.newaxis] == ["a", "b", "c"])
    scores /= scores.sum(axis=1, keepdims=True)
    options = {"multi_class": multi_class, "average": average}
    found = posterior_roc_auc(y, scores, **options)
    assert found.observed == pytest.approx(
        roc_auc_score(y, scores, **options), abs=1e-12
    )
    low, high = found.credible_interval()
    assert 0 < low < found.observed < high < 1
    moved = posterior_roc_auc(y, scores[:, ::-1], labels=["c", "b", "a"], **options)
    assert moved.observed == pytest.approx(found.observed, abs=1e-12)
    assert moved.mean() == pytest.approx(
        found.mean(), abs=6 * found.summary()["monte_carlo_error"]
    )


def test_report_and_summary():
    """The value on the test samples, the estimate, and the errors of the draws."""
    found = posterior_roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert sentences(found).startswith("The ROC AUC is ")
    assert "0.750 on the test samples" in sentences(found)
    assert found.summary()["observed"] == 0.75
    assert found.summary()["low_error"] > 0


Y, S = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
WRONG = {
    "one class": ({"y_true": [1, 1, 1, 1]}, "y_true must have samples of two classes"),
    "nan": ({"y_score": [0.1, np.nan, 0.2, 0.3]}, "y_score must be finite"),
    "length": ({"y_score": S[:3]}, "inconsistent numbers of samples"),
    "columns": ({"y_score": np.transpose([S, S])}, "y_score must be 1-dimensional"),
    "label": ({"pos_label": 7}, "pos_label=7 is not a valid label"),
    "text": ({"y_true": list("aabb")}, "pos_label is not specified"),
    "draws": ({"n_draws": 1}, "n_draws"),
    "no draws": ({"n_draws": 0}, "n_draws"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
@BOTH
def test_wrong_arguments_are_named(posterior_of, score, arguments, message):
    """By one error."""
    given = {"y_true": Y, "y_score": S, **arguments}
    with pytest.raises(ValueError, match=message):
        posterior_of(given.pop("y_true"), given.pop("y_score"), **given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "multi_class must be"),
        ({"multi_class": "ovr", "average": "micro"}, "average must be"),
        (
            {"multi_class": "ovr", "labels": [0, 1]},
            "y_score must have a column for each",
        ),
        (
            {"multi_class": "ovr", "sample_weight": [1, 1, 0, 0]},
            r"sample_weight must not be zero for whole classes, got that for \[2\]",
        ),
    ],
)
def test_wrong_options_of_more_classes(options, message):
    """By the name of the option."""
    with pytest.raises(ValueError, match=message):
        posterior_roc_auc([0, 1, 2, 2], np.eye(4)[:, :3], **options)


@pytest.mark.parametrize("prevalence", [0, 1, -0.2, "often", None, [0.5], np.ones(2)])
def test_wrong_prevalence(prevalence):
    """It is a share, or a word."""
    with pytest.raises(ValueError, match="prevalence must be"):
        posterior_average_precision(Y, S, prevalence=prevalence)


def test_observed_at_a_prevalence():
    """The report says that it is not the average precision of the samples."""
    given = posterior_average_precision(Y, S, prevalence=0.01)
    where = f"{given.observed:.3f} on the test samples at the given prevalence"
    assert where in " ".join(given.report().split())
    assert "prevalence" not in posterior_average_precision(Y, S).report()


def test_fractional_weights_warn():
    """As everywhere."""
    with pytest.warns(SampleWeightWarning):
        posterior_roc_auc(Y, S, sample_weight=[0.5, 1, 1, 1])


@pytest.mark.parametrize("metric", AREAS)
@pytest.mark.parametrize(
    "model", [LogisticRegression(max_iter=9999), GaussianNB()], ids=repr
)
def test_scorer(metric, model):
    """In searches and folds it is the posterior of decision values, or else probabilities."""
    X, y = load_breast_cancer(return_X_y=True)
    X, labels = X[:, :2], np.where(y == 0, "malign", "benign")
    scorer = make_ranking_scorer(
        metric, "lower", level=0.9, pos_label="benign", n_draws=300
    )
    result = cross_validate(
        model,
        X,
        labels,
        scoring=scorer,
        cv=2,
        return_estimator=True,
        return_indices=True,
    )
    held = result["indices"]["test"][1]
    fitted = result["estimator"][1]
    if hasattr(fitted, "decision_function"):
        scores = fitted.decision_function(X[held])
    else:
        scores = fitted.predict_proba(X[held])[:, 1]
    posterior = AREAS[metric][0](labels[held], -scores, pos_label="benign", n_draws=300)
    assert result["test_score"][1] == pytest.approx(
        posterior.distribution.iccdf(0.9), abs=1e-12
    )


def test_scorer_takes_the_second_class_and_several():
    """As scikit-learn's own; a search maximises it."""
    X, y = load_breast_cancer(return_X_y=True)
    X, labels = X[:, :2], np.where(y == 0, "malign", "benign")
    model = LogisticRegression(max_iter=9999)
    mean = make_ranking_scorer(n_draws=300)(model.fit(X, labels), X, labels)
    assert mean == pytest.approx(
        roc_auc_score(labels, model.decision_function(X)), abs=0.01
    )
    search = GridSearchCV(
        model, {"C": [1e-9, 1]}, scoring=make_ranking_scorer(n_draws=300)
    )
    assert search.fit(X, labels).best_params_ == {"C": 1}
    X, y = load_iris(return_X_y=True)
    scorer = make_ranking_scorer(multi_class="ovo", average="weighted", n_draws=300)
    assert 0.9 < scorer(GaussianNB().fit(X[:, :2], y), X[:, :2], y) < 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"metric": "auc"}, ValueError, "metric must be one of"),
        ({"objective": "best"}, ValueError, "objective must be one of"),
        ({"prevalence": 0.1}, TypeError, "prevalence"),
    ],
)
def test_wrong_options_of_the_scorer(options, error, message):
    """Before any data."""
    with pytest.raises(error, match=message):
        make_ranking_scorer(**options)


@pytest.mark.slow
def test_band_holds_its_curve_and_is_that_of_weighted_samples():
    """Quantiles of heights of curves that scikit-learn computes of drawn weights."""
    pytest.importorskip("matplotlib")
    (y, s), rng, size = draw(40), np.random.default_rng(0), 500
    with pytest.raises(
        TypeError, match=r"^PosteriorRocDisplay\.plot\(\) got an unexpected .*'colour'"
    ):
        PosteriorRocDisplay.from_predictions(y, s, colour="red")
    display = PosteriorRocDisplay.from_predictions(y, s)
    assert (display.low <= display.tpr).all()
    assert (display.tpr <= display.high).all()
    fpr, tpr, _ = roc_curve(y, s)
    # A point of a staircase is known by the way to it.
    along = np.interp(fpr + tpr, display.fpr + display.tpr, display.fpr)
    np.testing.assert_allclose(along, fpr, atol=1e-12)
    y, s = np.append(y, [0, 0, 1, 1]), np.append(s, [-9, 9, -9, 9])
    heights = []
    for _ in range(size):
        w = rng.standard_gamma(np.append(np.ones(len(y) - 4), np.full(4, 0.5)))
        heights.append(np.interp([0.2, 0.5], *roc_curve(y, s, sample_weight=w)[:2]))
    low, high = np.quantile(heights, [0.025, 0.975], axis=0)
    for at, lower, upper in zip([0.2, 0.5], low, high, strict=True):
        near = np.argmin(np.abs(display.fpr - at))
        assert display.low[near] == pytest.approx(lower, abs=0.05)
        assert display.high[near] == pytest.approx(upper, abs=0.05)
