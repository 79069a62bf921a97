"""Posteriors of metrics: against lecture notes, SciPy, quadrature and random draws."""

import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn import metrics

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    compare_predictions,
    posterior_balanced_accuracy,
    posterior_confusion_metric,
)
from skpostbac.metrics import PriorInfluenceWarning
from tests.texts import sentences

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
BY_CLASS = [
    *AVERAGED,
    "f0.5",
    "f2",
    "jaccard",
    "negative_predictive_value",
    *LIKELIHOOD_RATIOS,
]
PREVALENCES = ["sampled", "observed", (0.1, 0.2, 0.7)]


# Small matrices, on purpose.
prior_moves_it = pytest.mark.filterwarnings(
    "ignore::skpostbac.metrics.PriorInfluenceWarning"
)


def matrix_of(tn, fn, fp, tp):
    """Return the matrix with true classes as rows."""
    return np.array([[tn, fp], [fn, tp]])


def class_1(name):
    """Return the options that ask for the metric of class 1, if it is of a class."""
    return {} if name == "accuracy" else {"pos_label": 1}


def as_labels(C):
    """Return labels that have this confusion matrix."""
    true, pred = np.indices(C.shape)
    return np.repeat(true.ravel(), C.ravel()), np.repeat(pred.ravel(), C.ravel())


def test_a_tiny_prior_keeps_its_digits():
    """Exponents are sums of cells alone: a difference of large ones rounds the smallest prior."""
    posterior = from_matrix(
        np.diag([30, 12]), "precision", pos_label=1, prior=(1e-6, 1e-6)
    )
    assert posterior.distribution.b == [1e-6]
    macro = from_matrix(
        np.diag([30, 12]), "precision", average="macro", prior=(1e-6, 1e-6)
    )
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
        expected = [
            distribution.mean(),
            *distribution.ppf([0.05, 0.95]),
            distribution.sf(0.8),
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        assert posterior.summary()["monte_carlo_error"] == 0


# Distributions and draws


@pytest.mark.parametrize(
    "prior", ["uniform", "jeffreys", [(3, 1), (1, 2), (0.5, 4)]], ids=str
)
def test_recalls_are_those_of_the_balanced_accuracy(prior):
    """Exactly the same distributions, and so is their average."""
    balanced = PosteriorBalancedAccuracy.from_confusion_matrix(
        THREE_CLASSES, prior=prior
    )
    averaged = from_matrix(THREE_CLASSES, "recall", prior=prior).distribution
    np.testing.assert_allclose(averaged.a, balanced.distribution.a, rtol=1e-15)
    np.testing.assert_allclose(averaged.b, balanced.distribution.b, rtol=1e-15)
    for label, distribution in balanced.recalls().items():
        single = from_matrix(
            THREE_CLASSES, "recall", pos_label=label, prior=prior
        ).distribution
        np.testing.assert_allclose(
            [single.a, single.b], [distribution.a, distribution.b], rtol=1e-15
        )


# Metrics of numbers of true and false positives and negatives, or of their shares.
FORMULAS = {
    "f0.5": lambda tp, fp, fn, tn: 1.25 * tp / (1.25 * tp + 0.25 * fn + fp),
    "f1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fn + fp),
    "f2": lambda tp, fp, fn, tn: 5 * tp / (5 * tp + 4 * fn + fp),
    "jaccard": lambda tp, fp, fn, tn: tp / (tp + fn + fp),
    "precision": lambda tp, fp, fn, tn: tp / (tp + fp),
    "recall": lambda tp, fp, fn, tn: tp / (tp + fn),
    "false_positive_rate": lambda tp, fp, fn, tn: fp / (fp + tn),
    "negative_predictive_value": lambda tp, fp, fn, tn: tn / (tn + fn),
}


def by_class(C):
    """Return true and false positives, and false and true negatives, of matrices, by class."""
    tp = np.diagonal(C, axis1=-2, axis2=-1)
    fp, fn = C.sum(axis=-2) - tp, C.sum(axis=-1) - tp
    return tp, fp, fn, C.sum(axis=(-2, -1))[..., np.newaxis] - tp - fp - fn


def function_of(name, target):
    """Return a metric of many matrices as a mere function, by its formula."""
    if name == "accuracy":
        return lambda C: np.trace(C, axis1=-2, axis2=-1) / C.sum(axis=(-2, -1))
    if "pos_label" in target:
        return lambda C: FORMULAS[name](*by_class(C))[..., target["pos_label"]]
    if target["average"] == "macro":
        return lambda C: FORMULAS[name](*by_class(C)).mean(axis=-1)
    return lambda C: FORMULAS[name](*(part.sum(axis=-1) for part in by_class(C)))


def functions(name):
    """Return the options of a named metric, and the same metric as a mere function."""
    options = {"pos_label": 2}, {"average": "macro"}, {"average": "micro"}
    targets = [{}] if name == "accuracy" else options
    return [(target, function_of(name, target)) for target in targets]


@pytest.mark.parametrize("prevalence", PREVALENCES, ids=str)
@pytest.mark.parametrize(
    "name",
    [
        *AVERAGED,
        *("accuracy", "negative_predictive_value"),
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ("f0.5", "f2", "jaccard")
        ),
    ],
)
def test_distributions_agree_with_draws(name, prevalence):
    """A metric that is only known as a function is drawn: the same distribution."""
    C = [[20, 3, 2], [4, 5, 6], [0, 1, 9]]
    options = {
        "prevalence": prevalence,
        "prior": (2, 1),
        "random_state": 7,
        "n_draws": 20_000,
    }
    for target, function in functions(name)[:: 1 if name in AVERAGED else 2]:
        exact = from_matrix(C, name, **target, **options)
        drawn = from_matrix(C, function, **options)
        assert exact.observed == pytest.approx(drawn.observed, rel=1e-14)
        error = 5 * (
            drawn.summary()["monte_carlo_error"] + exact.summary()["monte_carlo_error"]
        )
        assert exact.mean() == pytest.approx(drawn.mean(), abs=error)
        p = np.linspace(0.05, 0.95, 19)
        # Five standard errors of a share of 20,000 draws, twice where both are drawn.
        limit = (10 if exact.summary()["monte_carlo_error"] else 5) * 0.5 / 20_000**0.5
        np.testing.assert_allclose(
            exact.distribution.cdf(drawn.distribution.icdf(p)), p, rtol=0, atol=limit
        )


def test_which_metrics_are_exact():
    """Those of one class, but for ratios of rates, or of one accuracy; most macro averages are not."""

    def exact(name, prevalence="sampled", C=THREE_CLASSES, **options):
        options |= {"prevalence": prevalence, "n_draws": 2, "random_state": 0}
        return from_matrix(C, name, **options).summary()["monte_carlo_error"] == 0

    for prevalence in PREVALENCES:
        drawn = [name for name in BY_CLASS if not exact(name, prevalence, pos_label=0)]
        assert drawn == LIKELIHOOD_RATIOS
        names = [name for name in AVERAGED if exact(name, prevalence, average="micro")]
        assert names == ["f1", "precision", "recall"]
    assert exact("precision")
    assert not exact("precision", "observed")
    assert not any(exact(name) for name in ("f1", "kappa", "mcc"))
    assert not exact("kappa", "observed", C=matrix_of(15, 3, 2, 10))


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
    assert (
        from_matrix(C, "f1", prevalence=shares, **options).summary()[
            "monte_carlo_error"
        ]
        > 0
    )
    merged = np.array(C)[:2, :2]
    assert (
        from_matrix(merged, "f1", prevalence=shares[:2], **options).summary()[
            "monte_carlo_error"
        ]
        == 0
    )


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize(
    "prevalence", ["sampled", [0.2, 0.3, 0.5]], ids=["sampled", "known"]
)
@pytest.mark.parametrize("name", BY_CLASS)
def test_averages_are_near_what_is_observed(name, average, prevalence):
    """Of a million samples: no distribution is that of another metric."""
    options = {"average": average, "prevalence": prevalence, "n_draws": 1000}
    posterior = from_matrix(3000 * THREE_CLASSES, name, **options)
    assert posterior.mean() == pytest.approx(posterior.observed, rel=5e-3)


def test_results_are_the_same_in_every_call():
    """Draws have a seed by default; None draws others."""
    first, second = (from_matrix(THREE_CLASSES, "mcc") for _ in range(2))
    assert first.credible_interval() == second.credible_interval()
    other = from_matrix(THREE_CLASSES, "mcc", random_state=None)
    assert other.credible_interval() != first.credible_interval()


def test_errors_of_the_interval_are_shown():
    """What is shown is the spread of the ends over seeds, to a third, and not that of the mean."""
    runs = [
        from_matrix(THREE_CLASSES, "mcc", n_draws=20_000, random_state=i)
        for i in range(50)
    ]
    figures = [run.summary() for run in runs]
    for key in ("low", "high"):
        told = np.mean([one[f"{key}_error"] for one in figures])
        assert told == pytest.approx(np.std([one[key] for one in figures]), rel=1 / 3)
        assert told > 2 * figures[0]["monte_carlo_error"]
    low, high = (figures[0][key] for key in ("low_error", "high_error"))
    assert f"CI_error={max(low, high):.0e}" in repr(runs[0])
    assert f"ends of the interval {low:.1g} and {high:.1g}" in sentences(runs[0])
    exact = from_matrix(THREE_CLASSES, "accuracy").summary()
    assert exact["low_error"] == exact["high_error"] == 0


def test_many_classes_are_drawn_in_blocks():
    """More cells than fit one block: the means of the recalls are the closed form."""
    C = np.eye(60) * 99 + 1
    drawn = from_matrix(
        C,
        function_of("recall", {"average": "macro"}),
        n_draws=500,
        random_state=0,
        prior="uniform",
    )
    assert drawn.distribution.draws.shape == (500,)
    assert drawn.mean() == pytest.approx(
        101 / 161, abs=5 * drawn.summary()["monte_carlo_error"]
    )


# Observed and drawn are the same figure


def cost(C):
    """Return the cost of errors, of which a miss is ten times a false alarm."""
    return C[:, 0, 1] + 10 * C[:, 1, 0]


def test_functions_get_shares():
    """Of the counts as of the draws: both have the same scale."""
    posterior = from_matrix([[5, 1], [2, 4]], cost, random_state=0, prior="uniform")
    assert posterior.observed == pytest.approx(21 / 12, rel=1e-15)
    # One Dirichlet distribution of the cells 6, 2, 3, 5.
    error = posterior.summary()["monte_carlo_error"]
    assert posterior.mean() == pytest.approx((2 + 10 * 3) / 16, abs=5 * error)
    total = from_matrix(
        [[5, 1], [2, 4]], lambda C: C.sum(axis=(1, 2)), n_draws=9, prior="uniform"
    )
    np.testing.assert_allclose(
        [total.observed, *total.distribution.draws], 1, rtol=1e-14
    )


def test_observed_has_the_shares_of_the_population():
    """Given shares take the place of those of the test set, by Bayes' theorem."""
    posterior = from_matrix(
        [[90, 10], [20, 80]],
        "precision",
        pos_label=1,
        prevalence=[0.99, 0.01],
        random_state=0,
    )
    expected = 0.01 * 0.8 / (0.01 * 0.8 + 0.99 * 0.1)
    assert posterior.observed == pytest.approx(expected, rel=1e-14)
    low, high = posterior.credible_interval()
    assert low < posterior.observed < high
    sentence = f"{expected:.3f} on the test samples at the given prevalence."
    assert sentence in sentences(posterior)
    for sampled in ("sampled", "observed", None):
        same = from_matrix([[90, 10], [20, 80]], "precision", prevalence=sampled)
        assert "0.889 on the test samples" in sentences(same)
        assert "prevalence" not in sentences(same)
    # A class without samples, which the population has not, takes nothing away.
    C = [[9, 1, 0], [2, 8, 0], [0, 0, 0]]
    known = from_matrix(C, "accuracy", prevalence=[0.5, 0.5, 0])
    assert known.observed == pytest.approx(0.85, rel=1e-14)
    assert np.isnan(from_matrix(C, "accuracy", prevalence=[1, 1, 1]).observed)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("precision", {}),
        ("precision", {"pos_label": 0}),
        ("precision", {"labels": ["ill", "well"], "pos_label": "ill"}),
        ("accuracy", {}),
        ("f1_macro", {"labels": [False, True]}),
    ],
)
def test_a_number_is_the_share_of_the_positive_class(metric, options):
    """Of two classes, as for the average precision: that of pos_label, or of class 1."""
    C = [[30, 10], [5, 15]]
    shares = [0.25, 0.75] if options.get("pos_label", 1) in (0, "ill") else [0.75, 0.25]
    found = from_matrix(C, metric, prevalence=0.25, **options)
    assert found == from_matrix(C, metric, prevalence=shares, **options)
    y_true, y_pred = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], np.ravel(C), axis=1)
    if "labels" not in options:
        same = posterior_confusion_metric(
            y_true, y_pred, metric, prevalence=0.25, **options
        )
        assert same == found
        both = compare_predictions(
            y_true,
            {"a": y_pred, "b": y_true},
            metric=metric,
            prevalence=0.25,
            **options,
        )
        assert both.posteriors[0].observed == pytest.approx(found.observed, rel=1e-14)


# What the prior does


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
            PriorInfluenceWarning, match=f"{metric} from 1.000 on the test samples"
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
    is_far = (
        abs(influence.shift) > 1.5 and abs(influence.mean - influence.observed) > 0.005
    )
    assert bool(record) == is_far


# From labels


def test_labels_as_of_the_confusion_matrix():
    """A class without samples has a row and a column if it is listed."""
    y_true, y_pred = ["a", "a", "b", "b"], ["a", "c", "b", "b"]
    # Cells of 1/2 on the diagonal and 1/4 beside it, and one prediction of "c" for an "a".
    precision = posterior_confusion_metric(
        y_true, y_pred, "precision", pos_label="c", labels=["a", "b", "c"]
    )
    assert precision.mean() == pytest.approx((1 / 2) / (1 / 2 + 1 + 2 / 4))
    recall = posterior_confusion_metric(
        y_true,
        y_pred,
        "recall",
        pos_label="b",
        labels=["b", "c"],
        sample_weight=[1, 1, 2, 3],
    )
    assert recall.mean() == pytest.approx((5 + 1 / 2) / (5 + 1))
    # A sample of weight 0 has no part, whatever is predicted for it.
    options = {"labels": ["a", "b"], "sample_weight": [1, 0, 1, 1]}
    assert (
        posterior_confusion_metric(y_true, y_pred, "accuracy", **options).observed == 1
    )


@pytest.mark.parametrize("prevalence", ["sampled", [0.3, 0.7]])
def test_specificity(prevalence):
    """It is the recall of the other class of two, and 1 less the false positive rate."""
    options = {"prevalence": prevalence, "prior": (2, 3)}
    found, opposite, other = (
        from_matrix([[7, 2], [3, 9]], name, pos_label=label, **options)
        for name, label in [
            ("specificity", 1),
            ("false_positive_rate", 1),
            ("recall", 0),
        ]
    )
    assert "exact" in repr(found)
    assert found.observed == other.observed == 7 / 9
    assert found.mean() == pytest.approx(1 - opposite.mean(), rel=1e-12)
    low, high = opposite.credible_interval()
    assert found.credible_interval() == pytest.approx((1 - high, 1 - low), abs=1e-9)
    if prevalence != "sampled":
        assert found.credible_interval() == pytest.approx(
            other.credible_interval(), abs=1e-9
        )


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("TNR", "specificity"),
        ("Matthews", "mcc"),
        ("G-mean", "geometric_mean"),
        ("gmean", "geometric_mean"),
        ("geometric mean", "geometric_mean"),
        ("F1-score", "f1"),
        ("LR-", "negative_likelihood_ratio"),
        ("balanced accuracy", "balanced accuracy"),
        ("f1_macro", "macro f1"),
        ("macro_f1", "macro f1"),
        ("Weighted recall", "weighted recall"),
    ],
)
def test_names_in_other_spellings(name, metric):
    """Upper case, spaces and hyphens do not matter."""
    found = from_matrix([[7, 2], [3, 9]], name, random_state=0)
    assert found.metric.removesuffix(" of 1") == metric
    assert metric.replace("_", " ") in found.score_name.lower()


def test_reports_name_classes():
    """A label by itself may look like a number; the macro recall has a name."""
    assert from_matrix([[7, 2], [3, 9]], "f1").score_name == "F1 of class 1"
    assert from_matrix([[7, 2], [3, 9]], "f1_macro").score_name == "Macro F1"
    assert from_matrix([[7, 2], [3, 9]], "accuracy").score_name == "Accuracy"
    report = sentences(from_matrix([[7, 2], [3, 9]], "balanced_accuracy"))
    assert report.startswith("The balanced accuracy is 0.7")


def test_default_prior_is_that_of_the_balanced_accuracy():
    """The macro recall has its posterior, and the recall of a class that of a class by itself."""
    y_true = np.repeat(range(5), [4, 6, 9, 3, 30])
    y_pred = np.where(np.arange(52) % 7 == 0, (y_true + 1) % 5, y_true)
    posterior = posterior_balanced_accuracy(y_true, y_pred)
    macro = posterior_confusion_metric(y_true, y_pred, "recall")
    assert macro.credible_interval() == pytest.approx(
        posterior.credible_interval(), abs=1e-12
    )
    recall = posterior_confusion_metric(y_true, y_pred, "recall", pos_label=3)
    n, right = 3, (y_pred[y_true == 3] == 3).sum()
    low, high = stats.beta(right + 0.5, n - right + 0.5).interval(0.95)
    assert recall.credible_interval(method="central") == pytest.approx(
        (low, high), abs=1e-9
    )


# Names and averages of scikit-learn

positive_matrices = st.integers(2, 5).flatmap(
    lambda k: arrays(np.int64, (k, k), elements=st.integers(1, 9))
)
OVERALL = {
    "accuracy": metrics.accuracy_score,
    "kappa": metrics.cohen_kappa_score,
    "mcc": metrics.matthews_corrcoef,
}


@prior_moves_it
@pytest.mark.parametrize("name", [*FORMULAS, *OVERALL])
@given(C=positive_matrices)
def test_observed_metrics(name, C):
    """Of one class, macro and micro, by their formulas; overall, those of scikit-learn."""

    def observed(**target):
        return from_matrix(C, name, n_draws=2, **target).observed

    if name in OVERALL:
        # Kappa and the correlation may be exactly 0.
        expected = OVERALL[name](*as_labels(C))
        assert observed() == pytest.approx(expected, rel=1e-12, abs=1e-14)
        return
    for target in ({"pos_label": 1}, {"average": "macro"}, {"average": "micro"}):
        expected = function_of(name, target)(C.astype(float))
        assert observed(**target) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "average", "expected"),
    [
        ("f1_score", None, metrics.f1_score),
        ("F1", "binary", metrics.f1_score),
        ("f1_macro", None, partial(metrics.f1_score, average="macro")),
        (
            "precision_score",
            "weighted",
            partial(metrics.precision_score, average="weighted"),
        ),
        ("jaccard_micro", None, partial(metrics.jaccard_score, average="micro")),
        ("sensitivity", None, metrics.recall_score),
        ("PPV", None, metrics.precision_score),
        ("Accuracy", None, metrics.accuracy_score),
        ("matthews_corrcoef", None, metrics.matthews_corrcoef),
        ("cohen_kappa_score", None, metrics.cohen_kappa_score),
        ("balanced_accuracy", None, metrics.balanced_accuracy_score),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("labels", [(0, 1), (False, True), (-1, 1)], ids=str)
def test_two_classes_as_in_scikit_learn(name, average, expected, labels):
    """The observed metric is scikit-learn's, by its names and defaults."""
    y_true, y_pred = (
        np.array(labels)[codes] for codes in as_labels(np.array([[7, 2], [4, 9]]))
    )
    posterior = posterior_confusion_metric(
        y_true, y_pred, name, average=average, n_draws=50, random_state=0
    )
    assert posterior.observed == pytest.approx(expected(y_true, y_pred), rel=1e-12)
    if name in ("f1_score", "sensitivity"):
        assert posterior.metric.endswith(f" of {labels[1]}")


@pytest.mark.parametrize("name", ["f1", "precision", "jaccard", "recall"])
def test_weighted_averages_are_those_of_scikit_learn(name):
    """Of three classes, one of which has no samples and is predicted."""
    C = np.array([[5, 1, 1], [2, 8, 0], [0, 0, 0]])
    y_true, y_pred = as_labels(C)
    score = getattr(metrics, f"{name}_score")
    expected = score(y_true, y_pred, average="weighted", zero_division=0)
    posterior = from_matrix(C, name, average="weighted", n_draws=50, random_state=0)
    assert posterior.observed == pytest.approx(expected, rel=1e-12)


# Intervals of draws


@pytest.mark.parametrize(
    "prior",
    ["uniform", "jeffreys", "calibrated", "reciprocal", [(1, 2), (3, 4), (2, 0.5)]],
)
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
    both = posterior.prior.a.sum(), posterior.prior.b.sum()
    other = PosteriorAccuracy.from_confusion_matrix(C, prior=both)
    assert posterior.credible_interval() == pytest.approx(
        other.credible_interval(), rel=1e-12
    )
    assert ("prior=" in repr(posterior)) == (prior not in ("calibrated", "reciprocal"))


@pytest.mark.parametrize("metric", ["accuracy", "kappa"])
def test_classes_without_samples_are_named(metric):
    """Where they alone are what the prior decides, many classes are not to blame."""
    C = np.zeros((12, 12))
    C[0, 0], C[1, 1] = 400, 400
    expected = r"Classes without samples \(2, 3, .*\) rest on the prior alone"
    with pytest.warns(PriorInfluenceWarning, match=expected) as record:
        from_matrix(C, metric, n_draws=1000, random_state=0, prior="uniform")
    assert record[0].filename == __file__


def test_methods_text_names_the_prevalence():
    """A reader needs it to compute the same numbers."""
    y = np.repeat([0, 1], [30, 12])
    y_pred = np.where(np.arange(42) % 5, y, 1 - y)
    given, sampled = (
        posterior_confusion_metric(y, y_pred, "precision", prevalence=prevalence)
        for prevalence in (0.02, "sampled")
    )
    words = "of the test samples at the given prevalence, whose"
    assert words in " ".join(given.methods_text().split())
    assert "prevalence" not in sampled.methods_text()
