"""Posteriors of metrics: against lecture notes, SciPy, quadrature and random draws."""

import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    posterior_confusion_metric,
)
from skpostbac.metrics import PriorInfluenceWarning
from skpostbac.metrics._confusion.metrics import (
    BY_CLASS,
    OVERALL,
    macro,
    micro,
    of_class,
    weighted,
)
from skpostbac.stats import BetaAverage

from_matrix = PosteriorConfusionMetric.from_confusion_matrix

# F. Pitie, Evaluating Classifier Performance: TN, FN, FP, TP of five classifiers.
FIVE = {
    "neural network": (166, 21, 25, 188),
    "logistic regression": (152, 35, 42, 171),
    "linear SVM": (148, 39, 41, 172),
    "RBF SVM": (162, 25, 17, 196),
    "decision tree": (170, 17, 29, 184),
}
# From the same notes, where the predicted classes are the rows.
THREE_CLASSES = np.transpose([[102, 10, 5], [8, 89, 12], [7, 11, 120]])
LIKELIHOOD_RATIOS = ["negative_likelihood_ratio", "positive_likelihood_ratio"]
AVERAGED = ["f1", "false_positive_rate", "precision", "recall"]
PREVALENCES = ["sampled", "observed", (0.1, 0.2, 0.7)]


# Small matrices, on purpose.
prior_moves_it = pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")


def matrix_of(tn, fn, fp, tp):
    """Return the matrix with true classes as rows."""
    return np.array([[tn, fp], [fn, tp]])


def class_1(name):
    """Return the options that ask for the metric of class 1, if it is of a class."""
    return {} if name in OVERALL else {"pos_label": 1}


def as_labels(C):
    """Return labels that have this confusion matrix."""
    true, pred = np.indices(C.shape)
    return np.repeat(true.ravel(), C.ravel()), np.repeat(pred.ravel(), C.ravel())


def test_a_tiny_prior_keeps_its_digits():
    """Exponents are sums of cells alone: a difference of large ones rounds the smallest prior."""
    posterior = from_matrix(np.diag([30, 12]), "precision", pos_label=1, prior=(1e-6, 1e-6))
    assert posterior.distribution.b == [1e-6]
    macro = from_matrix(np.diag([30, 12]), "precision", average="macro", prior=(1e-6, 1e-6))
    np.testing.assert_array_equal(macro.distribution.b, 1e-6)


# The tables of the lecture notes


@pytest.mark.parametrize("cells", FIVE.values(), ids=FIVE)
def test_five_classifiers_have_beta_posteriors(cells):
    """By default, all have Beta(1/2, 1/2) for two classes, and the accuracy is flat."""
    tn, fn, fp, tp = cells
    distributions = {
        "recall": stats.beta(1 / 2 + tp, 1 / 2 + fn),
        "precision": stats.beta(1 / 2 + tp, 1 / 2 + fp),
        "false_positive_rate": stats.beta(1 / 2 + fp, 1 / 2 + tn),
        "accuracy": stats.beta(1 + tp + tn, 1 + fp + fn),
    }
    for name, distribution in distributions.items():
        posterior = from_matrix(matrix_of(*cells), name, **class_1(name))
        interval = posterior.credible_interval(0.9, method="central")
        found = [posterior.mean(), *interval, posterior.prob_above(0.8)]
        expected = [distribution.mean(), *distribution.ppf([0.05, 0.95]), distribution.sf(0.8)]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        assert posterior.monte_carlo_error() == 0


@prior_moves_it
def test_micro_and_macro_precision():
    """TP 2, 0, 0 and FP 2, 2, 1: .286 and .167 in the notes."""
    C = [[2, 0, 0], [1, 0, 1], [1, 2, 0]]
    micro_precision = from_matrix(C, "precision", average="micro", prior="uniform")
    macro_precision = from_matrix(C, "precision", average="macro", prior="uniform")
    assert round(micro_precision.observed, 3) == 0.286
    assert round(macro_precision.observed, 3) == 0.167
    # One Dirichlet distribution of 9 cells, 1 on the diagonal and 1/2 elsewhere before the data.
    assert micro_precision.mean() == pytest.approx((3 + 2) / (6 + 7), rel=1e-14)
    assert macro_precision.mean() == pytest.approx((3 / 6 + 1 / 4 + 1 / 3) / 3, rel=1e-14)


# Distributions and draws


@pytest.mark.parametrize("prior", ["uniform", "jeffreys", [(3, 1), (1, 2), (0.5, 4)]], ids=str)
def test_recalls_are_those_of_the_balanced_accuracy(prior):
    """Exactly the same distributions, and so is their average."""
    balanced = PosteriorBalancedAccuracy.from_confusion_matrix(THREE_CLASSES, prior=prior)
    averaged = from_matrix(THREE_CLASSES, "recall", prior=prior).distribution
    np.testing.assert_allclose(averaged.a, balanced.distribution.a, rtol=1e-15)
    np.testing.assert_allclose(averaged.b, balanced.distribution.b, rtol=1e-15)
    for label, distribution in balanced.recalls().items():
        single = from_matrix(THREE_CLASSES, "recall", pos_label=label, prior=prior).distribution
        np.testing.assert_allclose(
            [single.a, single.b], [distribution.a, distribution.b], rtol=1e-15
        )


def functions(name):
    """Return the options of a named metric, and the same metric as a mere function."""
    if name in OVERALL:
        return [({}, OVERALL[name])]
    return [
        ({"pos_label": 2}, of_class(name, 2)),
        ({"average": "macro"}, macro(name)),
        ({"average": "micro"}, micro(name)),
    ]


@pytest.mark.parametrize("prevalence", PREVALENCES, ids=str)
@pytest.mark.parametrize(
    "name", [*AVERAGED, "accuracy", "f0.5", "f2", "jaccard", "negative_predictive_value"]
)
def test_distributions_agree_with_draws(name, prevalence):
    """A metric that is only known as a function is drawn: the same distribution."""
    C = [[20, 3, 2], [4, 5, 6], [0, 1, 9]]
    options = {"prevalence": prevalence, "prior": (2, 1), "random_state": 7, "n_draws": 20_000}
    for target, function in functions(name)[:: 1 if name in AVERAGED else 2]:
        exact = from_matrix(C, name, **target, **options)
        drawn = from_matrix(C, function, **options)
        assert exact.observed == pytest.approx(drawn.observed, rel=1e-14)
        error = 5 * (drawn.monte_carlo_error() + exact.monte_carlo_error())
        assert exact.mean() == pytest.approx(drawn.mean(), abs=error)
        p = np.linspace(0.05, 0.95, 19)
        # Five standard errors of a share of 20,000 draws, twice where both are drawn.
        limit = (10 if exact.monte_carlo_error() else 5) * 0.5 / 20_000**0.5
        np.testing.assert_allclose(exact.cdf(drawn.icdf(p)), p, rtol=0, atol=limit)


def test_which_metrics_are_exact():
    """Those of one class, or of one accuracy; macro averages, kappa and correlation are drawn."""

    def exact(name, prevalence="sampled", C=THREE_CLASSES, **options):
        options |= {"prevalence": prevalence, "n_draws": 2, "random_state": 0}
        return from_matrix(C, name, **options).monte_carlo_error() == 0

    for prevalence in PREVALENCES:
        drawn = [name for name in BY_CLASS if not exact(name, prevalence, pos_label=0)]
        assert drawn == ([] if prevalence == "sampled" else LIKELIHOOD_RATIOS)
        assert all(exact(name, prevalence, average="micro") for name in AVERAGED)
    assert exact("jaccard", average="micro")
    assert not exact("jaccard", "observed", average="micro")
    assert exact("precision")
    assert not exact("precision", "observed")
    assert not any(exact(name) for name in ("f1", "kappa", "mcc"))
    assert exact("kappa", "observed", C=matrix_of(15, 3, 2, 10))


def test_f1_of_two_classes_is_a_transformed_beta_variable():
    """F1 = 2 J / (1 + J) with the share J of true positives among all but true negatives."""
    tn, fn, fp, tp = 15, 3, 2, 10
    C = matrix_of(tn, fn, fp, tp)
    posterior = from_matrix(C, "f1", pos_label=1, prior="uniform")
    share = stats.beta(1 + tp, 2 + fn + fp)
    p = np.array([1e-6, 0.05, 0.25, 0.5, 0.75, 0.95])
    quantiles = 2 * share.ppf(p) / (1 + share.ppf(p))
    np.testing.assert_allclose(posterior.cdf(quantiles), p, rtol=1e-11)
    np.testing.assert_allclose(
        from_matrix(C, "jaccard", pos_label=1, prior="uniform").icdf(p), share.ppf(p), rtol=1e-10
    )


def test_a_class_of_many_is_exact():
    """F1 of one of 40 classes, whose false positives are a sum of 39 terms, beside draws."""
    rng = np.random.default_rng(0)
    C = rng.integers(0, 3, (40, 40)) + 30 * np.eye(40)
    exact = from_matrix(C, "f1", pos_label=7, prevalence="observed")
    drawn = from_matrix(C, of_class("f1", 7), prevalence="observed", n_draws=2000, random_state=1)
    assert exact.observed == pytest.approx(drawn.observed, rel=1e-14)
    assert exact.mean() == pytest.approx(drawn.mean(), abs=5 * drawn.monte_carlo_error())
    # A standard deviation of 2,000 draws has an error of 1.6 %.
    assert exact.standard_deviation() == pytest.approx(drawn.standard_deviation(), rel=0.08)


@pytest.mark.parametrize(
    ("C", "shares"),
    [
        ([[9, 1, 1], [0, 8, 1], [0, 0, 0]], [1, 1, 1]),
        ([[9, 1, 1], [0, 8, 1], [1, 0, 9]], [1, 1, 1e-6]),
    ],
    ids=["empty class", "shares of two scales"],
)
def test_what_has_kinks_is_drawn(C, shares):
    """A sum of false positives that would take seconds; the same matrix of two classes is exact."""
    options = {"pos_label": 0, "n_draws": 50, "random_state": 0}
    assert from_matrix(C, "f1", prevalence=shares, **options).monte_carlo_error() > 0
    merged = np.array(C)[:2, :2]
    assert from_matrix(merged, "f1", prevalence=shares[:2], **options).monte_carlo_error() == 0


@pytest.mark.parametrize("name", ["precision", "f1"])
@pytest.mark.parametrize("shares", [(1, 0), (0, 1)], ids=str)
def test_a_class_that_is_all_or_nothing_is_still_drawn(name, shares):
    """The ratio is that of one variable then, or a constant."""
    C = matrix_of(15, 3, 2, 10)
    posterior = from_matrix(C, name, pos_label=1, prevalence=shares, n_draws=50, random_state=0)
    recall = 1 if name == "precision" else posterior.mean()
    assert posterior.mean() == pytest.approx(recall * shares[1])


@pytest.mark.parametrize("name", ["f1", "kappa", "mcc"])
def test_two_classes_by_quadrature(name):
    """With known class shares the metric depends on two independent Beta variables."""
    shares, C = np.array([0.3, 0.7]), matrix_of(15, 3, 2, 10)
    x, w = np.polynomial.legendre.leggauss(60)
    x, w = (x + 1) / 2, w / 2
    first, second = np.meshgrid(x, x, indexing="ij")
    grid = np.moveaxis(np.array([[first, 1 - first], [1 - second, second]]), (0, 1), (-2, -1))
    weights = np.outer(w * stats.beta(16, 3).pdf(x), w * stats.beta(11, 4).pdf(x))
    values = metric_of(name)(grid * shares[:, np.newaxis])
    mean = (weights * values).sum()
    sd = np.sqrt((weights * (values - mean) ** 2).sum())
    posterior = from_matrix(
        C, name, average="macro", prevalence=shares, random_state=5, prior="uniform"
    )
    drawn = 5 * posterior.monte_carlo_error()
    assert posterior.mean() == pytest.approx(mean, abs=max(drawn, 1e-12))
    assert posterior.standard_deviation() == pytest.approx(sd, rel=0.02 if drawn else 1e-10)


def metric_of(name):
    """Return a metric as a function."""
    return OVERALL[name] if name in OVERALL else macro(name)


def test_standard_error_is_that_of_repeated_draws():
    """The means of many seeds vary as much as the error says."""
    runs = [from_matrix(THREE_CLASSES, "f1", n_draws=200, random_state=i) for i in range(200)]
    spread = np.std([run.mean() for run in runs], ddof=1)
    # The spread of 200 means is known to 5 %.
    assert runs[0].monte_carlo_error() == pytest.approx(spread, rel=0.25)


def test_results_are_the_same_in_every_call():
    """Draws have a seed by default; None draws others."""
    first, second = (from_matrix(THREE_CLASSES, "mcc") for _ in range(2))
    assert first.credible_interval() == second.credible_interval()
    other = from_matrix(THREE_CLASSES, "mcc", random_state=None)
    assert other.credible_interval() != first.credible_interval()


def test_errors_of_the_interval_are_shown():
    """What is shown is the spread of the ends over seeds, to a third, and not that of the mean."""
    runs = [from_matrix(THREE_CLASSES, "mcc", n_draws=20_000, random_state=i) for i in range(100)]
    figures = [run.summary() for run in runs]
    for key in ("low", "high"):
        told = np.mean([one[f"{key}_error"] for one in figures])
        assert told == pytest.approx(np.std([one[key] for one in figures]), rel=1 / 3)
        assert told > 2 * figures[0]["monte_carlo_error"]
    low, high = (figures[0][key] for key in ("low_error", "high_error"))
    assert f"CI_error={max(low, high):.0e}" in repr(runs[0])
    assert f"ends of the interval {low:.1g} and {high:.1g}" in runs[0].report()
    exact = from_matrix(THREE_CLASSES, "accuracy").summary()
    assert exact["low_error"] == exact["high_error"] == 0


def test_many_classes_are_drawn_in_blocks():
    """More cells than fit one block: the means of the recalls are the closed form."""
    C = np.eye(60) * 99 + 1
    drawn = from_matrix(C, macro("recall"), n_draws=500, random_state=0, prior="uniform")
    assert drawn.distribution.draws.shape == (500,)
    assert drawn.mean() == pytest.approx(101 / 161, abs=5 * drawn.monte_carlo_error())


@pytest.mark.parametrize(("n_classes", "size"), [(3, 100_000), (100, 4_000)])
def test_default_draws(n_classes, size):
    """As many as the documentation says."""
    posterior = from_matrix(np.eye(n_classes) + 1, "f1")
    assert posterior.distribution.draws.size == size


# Observed and drawn are the same figure


def cost(C):
    """Return the cost of errors, of which a miss is ten times a false alarm."""
    return C[:, 0, 1] + 10 * C[:, 1, 0]


def test_functions_get_shares():
    """Of the counts as of the draws: both have the same scale."""
    posterior = from_matrix([[5, 1], [2, 4]], cost, random_state=0, prior="uniform")
    assert posterior.observed == pytest.approx(21 / 12, rel=1e-15)
    # One Dirichlet distribution of the cells 6, 2, 3, 5.
    error = posterior.monte_carlo_error()
    assert posterior.mean() == pytest.approx((2 + 10 * 3) / 16, abs=5 * error)
    total = from_matrix([[5, 1], [2, 4]], lambda C: C.sum(axis=(1, 2)), n_draws=9, prior="uniform")
    np.testing.assert_allclose([total.observed, *total.distribution.draws], 1, rtol=1e-14)


def test_observed_has_the_shares_of_the_population():
    """Given shares take the place of those of the test set, by Bayes' theorem."""
    posterior = from_matrix(
        [[90, 10], [20, 80]], "precision", pos_label=1, prevalence=[0.99, 0.01], random_state=0
    )
    expected = 0.01 * 0.8 / (0.01 * 0.8 + 0.99 * 0.1)
    assert posterior.observed == pytest.approx(expected, rel=1e-14)
    low, high = posterior.credible_interval()
    assert low < posterior.observed < high
    # A class without samples, which the population has not, takes nothing away.
    C = [[9, 1, 0], [2, 8, 0], [0, 0, 0]]
    known = from_matrix(C, "accuracy", prevalence=[0.5, 0.5, 0])
    assert known.observed == pytest.approx(0.85, rel=1e-14)
    assert np.isnan(from_matrix(C, "accuracy", prevalence=[1, 1, 1]).observed)


# Methods that all posteriors have


# What the prior does


@pytest.mark.parametrize("prior", [(1, 1), (0.5, 0.5), (2, 1)], ids=str)
@pytest.mark.parametrize("k", [2, 3, 7])
def test_prior_of_the_accuracy_is_the_sum_of_those_of_the_recalls(k, prior):
    """`posterior_accuracy` has the same answer with (k a, k b), also as a binary equivalent."""
    C = np.random.default_rng(k).integers(1, 9, size=(k, k)) + 9 * np.eye(k)
    of_recalls = from_matrix(C, "accuracy", prior=prior)
    own = PosteriorAccuracy.from_confusion_matrix(C, prior=(k * prior[0], k * prior[1]))
    for ask in ("mean", "median", "standard_deviation"):
        assert getattr(of_recalls, ask)() == pytest.approx(getattr(own, ask)(), rel=1e-12)
    p = np.array([0.05, 0.5, 0.95])
    np.testing.assert_allclose(
        own.binary_equivalent().icdf(p), of_recalls.icdf(p) ** (1 / (k - 1)), rtol=1e-12
    )


def test_the_accuracy_has_the_prior_of_its_rows():
    """Beta(1, 1) by default, and Beta(k, k) of flat recalls."""
    C = np.eye(50) * 5
    with pytest.warns(PriorInfluenceWarning, match="accuracy from the observed 1.000 to 0.857"):
        distribution = from_matrix(C, "accuracy", prior="uniform").distribution
    np.testing.assert_allclose([*distribution.a, *distribution.b], [250 + 50, 50], rtol=1e-12)
    distribution = from_matrix(C, "accuracy").distribution
    alone = PosteriorAccuracy.from_confusion_matrix(C, prior="uniform").distribution
    np.testing.assert_allclose([*distribution.a, *distribution.b], [*alone.a, *alone.b], rtol=1e-12)


METRICS = {
    "accuracy": {},
    "f1": {"average": "micro"},
    "precision": {"average": "micro"},
    "recall": {"average": "micro"},
    "kappa": {"n_draws": 100},
    "mcc": {"n_draws": 100},
}


@pytest.mark.parametrize(("metric", "options"), METRICS.items(), ids=METRICS)
def test_many_classes_are_warned_of(metric, options):
    """Once, where the user calls, from a matrix and from labels."""
    y = np.repeat(np.arange(20), 5)
    calls = [
        lambda: from_matrix(np.eye(20) * 5, metric, prior="uniform", **options),
        lambda: posterior_confusion_metric(y, y, metric, prior="uniform", **options),
    ]
    for call in calls:
        with pytest.warns(
            PriorInfluenceWarning, match=f"{metric} from the observed 1.000"
        ) as record:
            call()
        assert [warning.filename for warning in record] == [__file__]


@pytest.mark.parametrize("n_classes", [2, 5, 10, 20])
@pytest.mark.parametrize("n", [1, 5, 50, 500])
def test_a_metric_is_warned_of_by_its_distance(n_classes, n):
    """Macro recall is the balanced accuracy, and has its shift: 1.5 standard deviations are far."""
    C = np.eye(n_classes) * 4 * n
    C[0] += n
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        from_matrix(C, "recall", prior="uniform")
    counts = ClassCounts(range(n_classes), C.diagonal(), C.sum(axis=1))
    influence = PosteriorBalancedAccuracy(counts, prior="uniform").prior_influence()
    is_far = abs(influence.shift) > 1.5 and abs(influence.mean - influence.observed) > 0.005
    assert bool(record) == is_far


def test_the_spread_of_the_posterior_is_not_the_work_of_the_prior():
    """The worst of thirty recalls is below what was observed under any prior: no warning."""
    C = np.full((30, 30), 20.0) + np.eye(30) * 30 * 100
    worst = from_matrix(
        C,
        lambda C: (C.diagonal(axis1=1, axis2=2) / C.sum(axis=2)).min(axis=1),
        n_draws=500,
        random_state=0,
    )
    assert worst.observed - worst.mean() > 2 * worst.standard_deviation()


def test_a_prior_of_the_users_own_is_no_surprise():
    """Nor is a metric that was not observed."""
    assert from_matrix(np.eye(20) * 5, "accuracy", prior=np.ones((20, 2))).mean() < 0.9
    assert from_matrix(np.zeros((20, 20)), "accuracy").mean() == 0.5


# From labels


def test_labels_as_of_the_confusion_matrix():
    """A class that is only predicted has a column; those left out are left out."""
    y_true, y_pred = ["a", "a", "b", "b"], ["a", "c", "b", "b"]
    # Cells of 1/3 on the diagonal and 1/6 beside it, and one prediction of "c" for an "a".
    precision = posterior_confusion_metric(y_true, y_pred, "precision", pos_label="c")
    assert precision.mean() == pytest.approx((1 / 3) / (1 / 3 + 1 + 2 / 6))
    recall = posterior_confusion_metric(
        y_true, y_pred, "recall", pos_label="b", labels=["b", "c"], sample_weight=[1, 1, 2, 3]
    )
    assert recall.mean() == pytest.approx((5 + 1 / 2) / (5 + 1))


def test_predictions_are_never_dropped():
    """An error that has no column would make the classifier look better."""
    with pytest.raises(ValueError, match="y_pred has classes that are not in labels"):
        posterior_confusion_metric([0, 0, 1], [0, 2, 1], "recall", labels=[0, 1])


def test_data_frame_has_labels():
    """The index of a DataFrame names the classes."""
    C = pd.DataFrame([[7, 1], [2, 3]], index=["ham", "spam"], columns=["ham", "spam"])
    assert from_matrix(C, "recall", pos_label="spam").mean() == pytest.approx(3.5 / 6)


def test_undefined_observed_metric_is_nan():
    """A class that is never predicted has no precision, but a posterior of it."""
    posterior = from_matrix([[9, 0], [3, 0]], "precision", pos_label=1)
    assert np.isnan(posterior.observed)
    assert posterior.mean() == 0.5


# Names and averages of scikit-learn


@pytest.mark.parametrize(
    ("name", "average", "expected"),
    [
        ("f1_score", None, metrics.f1_score),
        ("F1", "binary", metrics.f1_score),
        ("f1", "macro", partial(metrics.f1_score, average="macro")),
        ("f1_macro", None, partial(metrics.f1_score, average="macro")),
        ("f1_weighted", "weighted", partial(metrics.f1_score, average="weighted")),
        ("precision_score", "weighted", partial(metrics.precision_score, average="weighted")),
        ("recall_weighted", None, partial(metrics.recall_score, average="weighted")),
        ("jaccard_micro", None, partial(metrics.jaccard_score, average="micro")),
        ("precision", None, metrics.precision_score),
        ("recall_score", None, metrics.recall_score),
        ("sensitivity", None, metrics.recall_score),
        ("PPV", None, metrics.precision_score),
        ("Accuracy", None, metrics.accuracy_score),
        ("matthews_corrcoef", None, metrics.matthews_corrcoef),
        ("MCC", None, metrics.matthews_corrcoef),
        ("cohen_kappa_score", None, metrics.cohen_kappa_score),
        ("balanced_accuracy", None, metrics.balanced_accuracy_score),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("labels", [(0, 1), (False, True), (-1, 1)], ids=str)
def test_two_classes_as_in_scikit_learn(name, average, expected, labels):
    """The observed metric is scikit-learn's, by its names and defaults."""
    y_true, y_pred = (np.array(labels)[codes] for codes in as_labels(np.array([[7, 2], [4, 9]])))
    posterior = posterior_confusion_metric(
        y_true, y_pred, name, average=average, n_draws=50, random_state=0
    )
    assert posterior.observed == pytest.approx(expected(y_true, y_pred), rel=1e-12)
    if name in ("f1_score", "sensitivity"):
        assert posterior.metric.endswith(f" of {labels[1]}")


@pytest.mark.parametrize("labels", [["ham", "spam"], [0, 2]], ids=["strings", "numbers"])
@pytest.mark.parametrize(
    "name",
    [
        *("f0.5", "f1", "f1_score", "f2", "jaccard", "precision", "recall", "sensitivity"),
        *("false_positive_rate", "negative_predictive_value", "lr+", "lr-"),
    ],
)
def test_two_classes_need_a_positive_one(name, labels):
    """As in scikit-learn, unless one of them is 1: the average is another metric."""
    y_true, y_pred = np.array(labels)[[0, 0, 1, 1, 1]], np.array(labels)[[0, 1, 1, 1, 0]]
    named = rf"needs a pos_label.* one of \[{labels[0]!r}, {labels[1]!r}\]; averages are"
    with pytest.raises(ValueError, match=named):
        posterior_confusion_metric(y_true, y_pred, name)
    for options in ({"pos_label": labels[1]}, {"average": "macro"}):
        posterior = posterior_confusion_metric(y_true, y_pred, name, n_draws=9, **options)
        assert ("macro" in posterior.metric) == ("average" in options)


@pytest.mark.parametrize("name", ["f1", "precision", "jaccard", "recall"])
def test_weighted_averages_are_those_of_scikit_learn(name):
    """Of three classes, one of which has no samples and is predicted."""
    C = np.array([[5, 1, 1], [2, 8, 0], [0, 0, 0]])
    y_true, y_pred = as_labels(C)
    score = getattr(metrics, f"{name}_score")
    expected = score(y_true, y_pred, average="weighted", zero_division=0)
    posterior = from_matrix(C, name, average="weighted", n_draws=50, random_state=0)
    assert posterior.observed == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("prevalence", ["sampled", "observed"])
def test_weighted_recall_is_the_accuracy(prevalence):
    """Exactly, and so do the draws of the metric itself say."""
    exact = from_matrix(THREE_CLASSES, "recall", average="weighted", prevalence=prevalence)
    accuracy = from_matrix(THREE_CLASSES, "accuracy", prevalence=prevalence)
    assert exact.monte_carlo_error() == 0
    assert exact.credible_interval() == accuracy.credible_interval()
    drawn = from_matrix(
        THREE_CLASSES, weighted("recall"), prevalence=prevalence, n_draws=2000, random_state=0
    )
    assert drawn.mean() == pytest.approx(exact.mean(), abs=4 * drawn.monte_carlo_error())


# Refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "auc"}, "metric must be a function or one of"),
        ({"metric": int}, "metric must be a function or one of .*, got <class 'int'>"),
        (
            {"metric": metrics.f1_score},
            "got scikit-learn's f1_score, which takes labels; give a name",
        ),
        (
            {"metric": metrics.get_scorer("f1")},
            r"scikit-learn's make_scorer.*give a name",
        ),
        ({"metric": ["f1"]}, r"metric must be a function or one of .*, got \['f1'\]"),
        ({"metric": "f1", "average": "weighed"}, "average must be .*; did you mean 'weighted'"),
        ({"metric": "f1", "average": "binary"}, "metric of one class needs a pos_label"),
        ({"metric": "f1_macro", "average": "micro"}, "average='micro' contradicts metric='f1_m"),
        ({"metric": "accuracy_macro"}, "did you mean 'accuracy'"),
        ({"metric": "kappa", "average": "weighted"}, "average='weighted' does not apply"),
        ({"metric": "f1", "average": ["macro"]}, "average must be one of"),
        ({"metric": "kappa", "average": "weird"}, "average must be one of"),
        ({"metric": "kappa", "average": "micro"}, "average='micro' does not apply"),
        ({"metric": "recall", "pos_label": 1, "average": "micro"}, "average='micro' does not"),
        ({"metric": cost, "average": "micro"}, "average='micro' does not apply"),
        ({"metric": "kappa", "pos_label": 7}, "pos_label=7 does not apply"),
        ({"metric": cost, "pos_label": 1}, "pos_label=1 does not apply"),
        ({"metric": "f1", "pos_label": "x"}, "pos_label='x' is not a valid label"),
        ({"metric": "f1", "prevalence": "equal"}, "prevalence must be 'sampled'"),
        ({"metric": "f1", "prevalence": [1, 2]}, "prevalence must have a share for each of the 3"),
        ({"metric": "f1", "prevalence": [0, 0, 0]}, "prevalence must have a share"),
        ({"metric": "f1", "prevalence": [1, -1, 1]}, "prevalence must be finite and non-negative"),
        ({"metric": "f1", "labels": [1, 2]}, "labels must have 3 entries, got 2"),
        ({"metric": "f1", "prior": "flat"}, "prior must be one of"),
        ({"metric": "f1", "n_draws": 1}, "n_draws == 1, must be >= 2"),
        ({"metric": "f1", "random_state": "x"}, "random_state"),
        (
            {"metric": "false_positive_rate", "pos_label": 0, "prevalence": [1, 0, 0]},
            "prevalence leaves no samples outside",
        ),
        ({"metric": lambda C: C.sum()}, "metric must return one number for each confusion matrix"),
        ({"metric": lambda C: C[:, 0, 0] * np.nan}, "metric is not a finite number"),
    ],
    ids=lambda value: re.sub(" at 0x[0-9a-f]+", "", str(value)),
)
def test_bad_input(options, message):
    """One clear error, which names the argument."""
    with pytest.raises(ValueError, match=message):
        from_matrix(THREE_CLASSES, **options)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("f1-score", "'f1'"),
        ("fbeta_score", "'f2'"),
        ("f1 macro", "'f1' with average='macro'"),
        ("recal_weighted", "'recall' with average='weighted'"),
        ("matthews_corr_coef", "'mcc'"),
        ("balanced accuracy", "'recall' with average='macro'"),
        ("jacard", "'jaccard'"),
        ("fall-out", "'false_positive_rate'"),
        ("brier", None),
    ],
)
def test_like_names_are_suggested(name, meant):
    """Slips of the pen, and names that leave something open."""
    message = re.escape(f"got {name!r}" + (f"; did you mean {meant}?" if meant else "")) + "$"
    with pytest.raises(ValueError, match=message):
        from_matrix(THREE_CLASSES, name)


@pytest.mark.parametrize("C", [[[3]], [[1, 2]], [[1, -1], [0, 1]]], ids=str)
def test_bad_matrix(C):
    """Square, not negative, and more than one class."""
    with pytest.raises(ValueError, match=r"confusion matrix|C must be"):
        from_matrix(C, "accuracy")


# Intervals of draws


@pytest.mark.parametrize("prior", ["uniform", "jeffreys", "reciprocal", [(1, 2), (3, 4), (2, 0.5)]])
@pytest.mark.parametrize(
    ("metric", "average"),
    [("accuracy", "macro"), ("precision", "micro")],
    ids=["accuracy", "micro precision"],
)
def test_the_prior_of_the_accuracy_is_told(metric, average, prior):
    """With it, the posterior of the accuracy alone is the same."""
    C = [[7, 2, 1], [0, 5, 1], [1, 1, 3]]
    posterior = PosteriorConfusionMetric.from_confusion_matrix(
        C, metric, average=average, prior=prior
    )
    other = PosteriorAccuracy.from_confusion_matrix(C, prior=posterior.prior)
    assert posterior.credible_interval() == pytest.approx(other.credible_interval(), rel=1e-12)
    assert ("prior=Beta(" in repr(posterior)) == (prior != "reciprocal")


@pytest.mark.parametrize(
    ("metric", "options"),
    [("accuracy", {"prevalence": "observed"}), ("mcc", {}), ("recall_macro", {})],
    ids=["known shares", "drawn", "macro recall"],
)
def test_other_metrics_have_no_beta_prior(metric, options):
    """Or none that is known."""
    posterior = PosteriorConfusionMetric.from_confusion_matrix(
        [[7, 2], [1, 5]], metric, labels=["ham", "spam"], n_draws=10, **options
    )
    assert posterior.prior is None
    assert "prior" not in repr(posterior)


@pytest.mark.parametrize("prior", [1, (1,), (0, 1), (1, np.inf), "uniform"], ids=str)
def test_the_prior_of_a_metric_is_checked(prior):
    """It is a pair of numbers, not a name."""
    with pytest.raises(ValueError, match="prior must be"):
        PosteriorConfusionMetric("accuracy", 0.5, BetaAverage([3], [1]), prior)


@pytest.mark.parametrize("metric", ["accuracy", "kappa"])
def test_classes_without_samples_are_named(metric):
    """Where they alone are what the prior decides, many classes are not to blame."""
    C = np.zeros((12, 12))
    C[0, 0], C[1, 1] = 400, 400
    expected = r"The classes \[2, 3, .*\] have no samples and rest on the prior alone"
    with pytest.warns(PriorInfluenceWarning, match=expected):
        from_matrix(C, metric, n_draws=1000, random_state=0, prior="uniform")


def test_empty_class_beside_many():
    """Where the prior decides without it too, the advice is that of many classes."""
    C = 5 * np.eye(50)
    C[0, 0] = 0
    with pytest.warns(PriorInfluenceWarning, match="With few samples of each class"):
        from_matrix(C, "accuracy", prior="uniform")


def test_error_of_an_exact_interval_takes_no_interval(monkeypatch):
    """An exact interval has no error, and need not be computed to say so."""
    exact = from_matrix([[8, 2], [3, 7]], "accuracy")
    monkeypatch.setattr(BetaAverage, "hdi", None)
    monkeypatch.setattr(BetaAverage, "interval", None)
    assert exact.credible_interval_error() == (0, 0)
    with pytest.raises(ValueError, match="method must be 'hull', 'hdi' or 'central'"):
        exact.credible_interval_error(method="equal")
