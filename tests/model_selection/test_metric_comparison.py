"""Comparison of classifiers by any metric."""

import pickle
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    OutcomesScorer,
    PosteriorComparison,
    PosteriorRefit,
    compare_cv_results,
    compare_posteriors,
    compare_predictions,
    compare_scores,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_confusion_metric,
    posterior_roc_auc,
    selected_posterior,
)
from skpostbac.metrics import (
    ExpectedCost,
    NetBenefit,
    PriorInfluenceWarning,
    paired_counts,
)
from skpostbac.stats import PairedDifference
from tests.texts import sentences

# Standard errors within which an estimate meets the truth but for one case in two million.
SIGMAS = 5
DRAWS = 20_000
# Both right, only the first, only the second, neither.
CELLS = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], dtype=bool)
LABELS = np.array(["a", "b", "c"])


def simulate(n=60, accuracies=(0.7, 0.8, 0.75), n_classes=3, seed=0):
    """Return true labels, and predictions by name."""
    rng = np.random.default_rng(seed)
    y = rng.choice(
        n_classes,
        n,
        p=np.array([4, 3, 2, 1])[:n_classes] / sum((4, 3, 2, 1)[:n_classes]),
    )
    predictions = {}
    for name, accuracy in zip("xyz", accuracies, strict=False):
        predictions[name] = LABELS[
            np.where(rng.random(n) < accuracy, y, rng.integers(0, n_classes, n))
        ]
    return LABELS[y], predictions


Y, PREDICTIONS = simulate()
PAIR = {name: PREDICTIONS[name] for name in "xy"}


def compare(metric, predictions=PAIR, y=Y, **options):
    """Compare with few draws."""
    return compare_predictions(
        y, predictions, metric=metric, **{"n_draws": DRAWS} | options
    )


def macro_f1(C):
    """Return the mean F1 of the classes."""
    hits = np.diagonal(C, axis1=-2, axis2=-1)
    return (2 * hits / (C.sum(axis=-1) + C.sum(axis=-2))).mean(axis=-1)


def mcc(C):
    """Return Matthews' correlation coefficient."""
    total, true, pred = C.sum(axis=(-2, -1)), C.sum(axis=-1), C.sum(axis=-2)
    hits = np.trace(C, axis1=-2, axis2=-1)
    spread = (total**2 - (true**2).sum(axis=-1)) * (total**2 - (pred**2).sum(axis=-1))
    return (hits * total - (true * pred).sum(axis=-1)) / np.sqrt(spread)


def accuracy(C):
    """Return the share of correct predictions."""
    return np.trace(C, axis1=-2, axis2=-1) / C.sum(axis=(-2, -1))


def reference(function, a, n_draws, prevalence=None):
    """Draw the differences of x less y with all cells and their prior listed.

    Where x is right y predicts any other class, and the other way round.
    """
    rng, k = np.random.default_rng(7), len(LABELS)
    masses = np.zeros((k, k, k))
    for i, j in product(range(k), repeat=2):
        if i != j:
            masses[i, i, j] += a / (k - 1)
            masses[i, j, i] += a / (k - 1)
    for cell in zip(Y, PAIR["x"], PAIR["y"], strict=True):
        masses[tuple(np.searchsorted(LABELS, cell))] += 1
    used = np.flatnonzero(masses)
    values = []
    for start in range(0, n_draws, 10**5):
        cells = np.zeros((min(10**5, n_draws - start), k**3))
        cells[:, used] = rng.standard_gamma(
            masses.ravel()[used], (len(cells), len(used))
        )
        cells = cells.reshape(-1, k, k, k)
        if prevalence is not None:
            cells *= (prevalence / cells.sum(axis=(2, 3)))[..., np.newaxis, np.newaxis]
        values.append(function(cells.sum(axis=3)) - function(cells.sum(axis=2)))
    return np.sort(np.concatenate(values))


# ---- against closed forms and independent draws


@pytest.mark.parametrize(
    ("metric", "function", "a", "options"),
    [
        ("f1", macro_f1, 1 / 3, {}),
        ("mcc", mcc, 1 / 3, {}),
        ("mcc", mcc, 1, {"prior": "uniform"}),
        ("accuracy", accuracy, 1 / 3, {"prevalence": [0.2, 0.3, 0.5]}),
        (macro_f1, macro_f1, 1 / 3, {"prevalence": [0.2, 0.3, 0.5]}),
    ],
)
@pytest.mark.slow
def test_independent_draws(metric, function, a, options):
    """Quantiles and mean of a difference are those of as many draws of all cells."""
    shares = options.get("prevalence")
    expected = reference(
        function, a, 200_000, None if shares is None else np.array(shares)
    )
    found = compare(metric, n_draws=100_000, **options).difference("x", "y")
    assert abs(found.mean() - expected.mean()) < SIGMAS * found.monte_carlo_error()
    # The distance of two empirical distributions (Kolmogorov and Smirnov).
    assert stats.ks_2samp(found.draws, expected).pvalue > 1e-6
    p = np.array([0.001, 0.025, 0.5, 0.975, 0.999])
    errors = np.sqrt(p * (1 - p) / found.draws.size)
    assert (np.abs(found.cdf(np.quantile(expected, p)) - p) < SIGMAS * errors).all()


def test_accuracy_is_exact():
    """The pair is a Dirichlet pair of one class, with all of the prior on disagreement."""
    right = {name: y == Y for name, y in PAIR.items()}
    x, y = right["x"], right["y"]
    cells = [(x & y).sum(), (x & ~y).sum(), (~x & y).sum(), (~x & ~y).sum()]
    expected = PairedDifference([cells], prior=[[1e-6, 1 - 1e-6, 1 - 1e-6, 1e-6]])
    comparison = compare("accuracy", rope=0.02)
    found = comparison.difference("y", "x")
    assert found.mean() == pytest.approx(expected.mean(), abs=1e-8)
    p = np.array([0.01, 0.5, 0.99])
    assert found.icdf(p) == pytest.approx(expected.icdf(p), abs=1e-6)
    assert comparison.monte_carlo_error().prob_greater.max() == 0
    # The same by draws.
    drawn = compare(accuracy, n_draws=100_000).difference("y", "x")
    error = np.sqrt(p * (1 - p) / 100_000)
    assert (np.abs(drawn.cdf(expected.icdf(p)) - p) < SIGMAS * error).all()


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("f1", {}),
        ("f1", {"average": "micro"}),
        ("f2", {"pos_label": "b"}),
        ("precision", {"pos_label": "b", "prevalence": [0.2, 0.3, 0.5]}),
        ("jaccard", {"average": "weighted", "prior": (2, 1)}),
        ("kappa", {"prevalence": "observed"}),
        ("recall", {"pos_label": "c"}),
        ("accuracy", {}),
        (ExpectedCost([[0, 1, 2], [1, 0, 1], [3, 1, 0]]), {}),
        (NetBenefit(0.2), {"pos_label": "a"}),
        (macro_f1, {"prior": (60, 30)}),
    ],
)
def test_margins(metric, options):
    """Each classifier has the posterior that it has alone, also in the joint draws."""
    options = {"n_draws": 20_000, **options}
    comparison = compare(metric, **options)
    options["labels"] = LABELS
    alone = [
        posterior_confusion_metric(Y, one, metric, **options) for one in PAIR.values()
    ]
    means = [one.mean() for one in alone]
    if metric == "accuracy":
        assert [one.mean() for one in comparison.posteriors] == pytest.approx(
            means, abs=1e-12
        )
    else:
        assert list(comparison.posteriors) == alone
    found, sign = (
        comparison.difference("x", "y"),
        -1 if comparison.less_is_better else 1,
    )
    errors = [one.summary()["monte_carlo_error"] for one in alone]
    if metric != "accuracy":
        errors.append(found.monte_carlo_error())
    assert sign * found.mean() == pytest.approx(
        means[0] - means[1], abs=SIGMAS * sum(errors) + 1e-12
    )
    # The variance of a difference is at most that of the sum of the deviations.
    assert found.standard_deviation() < 1.01 * sum(
        one.standard_deviation() for one in alone
    )


@pytest.mark.slow
def test_ranks_agree_with_pairs():
    """Joint draws of three classifiers and pairs say nearly the same with many samples."""
    y, predictions = simulate(2000, (0.7, 0.71, 0.72))
    comparison = compare_predictions(y, predictions, metric="f1")
    ranks, error = comparison.rank_probabilities(), comparison.monte_carlo_error()
    assert ranks.sum(axis=0) == pytest.approx(1) == ranks.sum(axis=1)
    # The number of others that are better, on average.
    pairs = 1 + (comparison.prob_greater().T.sum(axis=1) - 0.5)
    margin = SIGMAS * (error.expected_rank + 2 * error.prob_greater.max()) + 0.01
    assert (np.abs(comparison.expected_rank() - pairs) < margin).all()
    means = np.array([one.mean() for one in comparison.posteriors])
    losses = comparison.expected_loss()
    assert losses - losses[2] == pytest.approx(means[2] - means, abs=SIGMAS * 2e-4)


def test_other_classifiers_do_not_matter():
    """A pair has the same difference whatever else is compared."""
    alone, among = compare("mcc"), compare("mcc", PREDICTIONS)
    assert (alone.difference("x", "y").draws == among.difference("x", "y").draws).all()
    assert (
        -alone.difference("y", "x").draws[::-1] == alone.difference("x", "y").draws
    ).all()


def test_stated_errors():
    """Results under two seeds differ by no more than their errors."""
    one, two = (compare("f1", PREDICTIONS, random_state=seed) for seed in (1, 2))
    errors = one.monte_carlo_error()
    for name in (
        "prob_greater",
        "rank_probabilities",
        "expected_rank",
        "expected_loss",
    ):
        distance = np.abs(getattr(one, name)() - getattr(two, name)())
        assert (distance <= SIGMAS * np.sqrt(2) * getattr(errors, name)).all()
        assert distance.max() > 0
    first, second = (one.table("differences"), two.table("differences"))
    for key, error in {
        "mean": "monte_carlo_error",
        "low": "low_error",
        "high": "high_error",
    }.items():
        distance = np.abs(np.subtract(first[key], second[key]))
        assert (distance < SIGMAS * np.sqrt(2) * np.array(first[error])).all()


# ---- metrics of which less is better


def test_less_is_better():
    """The error rate as a cost ranks as the accuracy does, and gains are positive."""
    cost = compare(ExpectedCost(1 - np.eye(3)), PREDICTIONS)
    share = compare(accuracy, PREDICTIONS)
    assert (cost.less_is_better, share.less_is_better) == (True, False)
    assert cost.ranking() == share.ranking() == ("y", "z", "x")
    assert (cost.win_counts() == share.win_counts()).all()
    for method in ("prob_greater", "rank_probabilities", "expected_loss"):
        assert getattr(cost, method)() == pytest.approx(
            getattr(share, method)(), abs=1e-12
        )
    assert cost.difference("y", "x").mean() == pytest.approx(
        share.difference("y", "x").mean()
    )
    assert "y has the lowest estimated expected cost among" in cost.report()
    display = cost.plot(kind="difference")
    assert display.ax_.get_xlabel().startswith("Expected cost: z \N{MINUS SIGN} y")


# ---- groups and weights


@pytest.mark.parametrize(
    "metric", ["f1", "mcc", "accuracy", ExpectedCost(1 - np.eye(3))]
)
def test_groups(metric):
    """Samples that are there four times count about once, and so do they in ranks."""
    y, predictions = simulate(120)
    plain = compare(metric, predictions, y).difference("x", "y").standard_deviation()
    repeated = {name: np.tile(one, 4) for name, one in predictions.items()}
    options = {
        "predictions": repeated,
        "y": np.tile(y, 4),
        "groups": np.tile(np.arange(120), 4),
    }
    comparison = compare(metric, **options)
    # The correlation of 1 is shrunken, and allows for the error of its estimate.
    assert comparison.difference("x", "y").standard_deviation() == pytest.approx(
        plain, rel=0.12
    )
    assert comparison.design_effects("x", "y").design_effect == pytest.approx(
        4, rel=0.12
    )
    assert "Ignoring the groups" in comparison.report()
    assert comparison.prob_best().sum() == pytest.approx(1)


@pytest.mark.parametrize("metric", ["f1", "accuracy", "mcc"])
def test_importance_weights(metric):
    """Equal weights of any scale are no weights; others cost as many samples as Kish's size."""
    y, predictions = simulate(400)
    plain = compare(metric, predictions, y).difference("x", "y")
    options = {"predictions": predictions, "y": y, "weight_type": "importance"}
    same = compare(metric, sample_weight=np.full(400, 7.0), **options).difference(
        "x", "y"
    )
    assert same.mean() == pytest.approx(plain.mean(), abs=0.002)
    assert same.standard_deviation() == pytest.approx(
        plain.standard_deviation(), rel=0.03
    )
    weight = np.random.default_rng(1).exponential(size=400)
    kish = np.sqrt(400 * (weight**2).sum()) / weight.sum()
    unequal = compare(metric, sample_weight=weight, **options).difference("x", "y")
    ratio = unequal.standard_deviation() / plain.standard_deviation()
    assert ratio == pytest.approx(kish, rel=0.15)


# ---- different samples


def test_independent_accuracies_are_exact():
    """P(A > B) of two Beta variables, by a quadrature."""
    posteriors = {
        "x": posterior_accuracy(Y, PAIR["x"]),
        "y": posterior_accuracy(Y, PAIR["y"]),
    }
    x, y = (
        stats.beta(*np.concatenate([one.distribution.a, one.distribution.b]))
        for one in posteriors.values()
    )
    expected = integrate.quad(lambda t: x.pdf(t) * y.cdf(t), 0, 1, epsabs=1e-12)[0]
    comparison = compare_posteriors(posteriors)
    assert comparison.prob_greater()[0, 1] == pytest.approx(expected, abs=1e-10)
    # Of the same metric from another function.
    posteriors["y"] = posterior_confusion_metric(Y, PAIR["y"], "accuracy")
    assert compare_posteriors(posteriors).monte_carlo_error().prob_greater.max() == 0


def test_independent_draws_of_areas():
    """Posteriors without an exact difference are drawn."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    areas = {
        name: posterior_roc_auc(y, rng.normal(size=80) + k * y)
        for k, name in enumerate("abc")
    }
    comparison = compare_posteriors(areas)
    assert comparison.ranking() == ("c", "b", "a")
    difference = comparison.difference("c", "b")
    sd = np.hypot(*(areas[name].standard_deviation() for name in "cb"))
    assert difference.standard_deviation() == pytest.approx(sd, rel=0.02)
    mean = areas["c"].mean() - areas["b"].mean()
    assert difference.mean() == pytest.approx(
        mean, abs=SIGMAS * 2 * difference.monte_carlo_error()
    )
    assert (
        repr(comparison)
        == "PosteriorComparison('a', 'b', 'c', metric='ROC AUC', rope=0)"
    )
    assert " estimated ROC AUC among " in comparison.report()


def test_different_metrics_are_refused():
    """One error names both."""
    posteriors = {
        "x": posterior_confusion_metric(Y, PAIR["x"], "f1"),
        "y": posterior_balanced_accuracy(Y, PAIR["y"]),
    }
    message = "one metric, got 'Macro F1' for 'x' and 'Balanced accuracy' for 'y'"
    with pytest.raises(ValueError, match=message):
        compare_posteriors(posteriors)


# ---- results and errors


def test_results():
    """Report, tables and pickles are those of any comparison, with errors where there are draws."""
    comparison = compare("f1", PREDICTIONS, rope=0.02)
    assert (
        repr(comparison)
        == "PosteriorComparison('x', 'y', 'z', metric='Macro F1', rope=0.02, paired)"
    )
    assert (
        pickle.loads(pickle.dumps(comparison))
        == comparison
        == compare("f1", PREDICTIONS, rope=0.02)
    )
    assert comparison != compare("f1", PREDICTIONS, rope=0.02, random_state=1)
    table = comparison.table("differences")
    masses = np.array([table[key] for key in ("below", "within", "above")])
    assert masses.sum(axis=0) == pytest.approx(1)
    assert (np.array(table["prob_greater_error"]) > 0).all()
    assert {"monte_carlo_error", "low_error", "high_error"} <= comparison.summary()[
        0
    ].keys()
    report = comparison.report()
    assert " estimated macro F1 among " in report
    assert "These numbers are estimated from random draws" in report
    assert comparison.plot().ax_.get_xlabel() == "Macro F1"
    assert "Macro F1" in comparison._repr_html_()


def test_macro_recall_is_the_balanced_accuracy():
    """All its names mean the same comparison."""
    for metric in (
        "balanced_accuracy",
        "balanced_accuracy_score",
        "recall_macro",
        "recall",
    ):
        assert compare(metric) == compare_predictions(Y, PAIR, n_draws=DRAWS)


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        ("balanced_accuracy", balanced_accuracy_score),
        ("recall_macro", balanced_accuracy_score),
        ("accuracy", accuracy_score),
        ("f1_macro", partial(f1_score, average="macro")),
    ],
)
def test_all_posteriors_have_the_score_of_the_samples(metric, score):
    """As scikit-learn computes it."""
    comparison = compare(metric)
    for name, posterior in zip(comparison.names, comparison.posteriors, strict=True):
        assert posterior.observed == pytest.approx(score(Y, PAIR[name]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"metric": "f1", "class_weight": [1, 2, 3]},
            "class_weight applies to metric='balanced",
        ),
        (
            {"metric": "accuracy", "class_weight": [1, 2, 3]},
            "class_weight does not apply",
        ),
        (
            {"metric": "accuracy", "pos_label": "a"},
            "pos_label='a' does not apply to metric='acc",
        ),
        ({"metric": "mcc", "average": "micro"}, "average='micro' does not apply"),
        ({"metric": "f3"}, "metric='f3' is unknown; it must be a function or one of"),
        ({"metric": "f1", "rope": -1}, "rope must be at least 0"),
        (
            {"metric": "f1", "predictions": {"x": PAIR["x"]}},
            "predictions must hold at least two",
        ),
    ],
)
def test_bad_options(options, message):
    """One clear error names the argument."""
    with pytest.raises(ValueError, match=message):
        compare(**options)


# ---- cross-validation and selection: outcomes suffice for the accuracy


@pytest.fixture(scope="module")
def data():
    """Return samples of two classes of unequal size."""
    rng = np.random.default_rng(3)
    y = (np.arange(150) % 5 == 0).astype(int)
    return rng.normal(size=(150, 2)) + 0.9 * y[:, np.newaxis], y


def test_cross_validated_accuracies(data):
    """Folds are compared as their predictions would be, with the same correction of the counts."""
    X, y = data
    folds = list(StratifiedKFold(5).split(X, y))
    models = {
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
        "Bayes": GaussianNB(),
    }
    options = {"cv": folds, "scoring": OutcomesScorer(150), "return_indices": True}
    results = {
        name: cross_validate(model, X, y, **options) for name, model in models.items()
    }
    predicted = {name: y.copy() for name in models}
    for name, model in models.items():
        for train, test in folds:
            predicted[name][test] = model.fit(X[train], y[train]).predict(X[test])
    plain = compare_cv_results(results, metric="accuracy", training_variation=None)
    expected = compare_predictions(y, predicted, metric="accuracy")
    assert plain.prob_greater() == pytest.approx(expected.prob_greater(), abs=1e-12)
    assert [one.mean() for one in plain.posteriors] == pytest.approx(
        [one.mean() for one in expected.posteriors]
    )
    corrected = compare_cv_results(results, metric="accuracy")
    ratio = (
        corrected.difference("tree", "Bayes").variance()
        / plain.difference("tree", "Bayes").variance()
    )
    # Fewer counts, and as much prior.
    right = np.array([one == y for one in predicted.values()])
    cells = np.array(
        [[(right == row[:, np.newaxis]).all(axis=0).sum() for row in CELLS]]
    )
    prior = [[1e-6, 1 - 1e-6, 1 - 1e-6, 1e-6]]
    fewer, all_of_them = (
        PairedDifference(cells / n, prior=prior).variance() for n in (2.25, 1)
    )
    assert ratio == pytest.approx(fewer / all_of_them, rel=1e-9)
    assert "The counts are divided by 2.25" in corrected.report()
    with pytest.raises(
        ValueError, match="metric must be 'balanced_accuracy' or 'accuracy', which"
    ):
        compare_cv_results(results, metric="f1")


def test_choice_by_accuracy(data):
    """A rule and the corrected posterior take the candidate with the most correct predictions."""
    X, y = data
    grid = {"class_weight": [None, "balanced"], "max_depth": [1, 2, 3]}
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        grid,
        scoring=OutcomesScorer(150),
        refit=False,
    ).fit(X, y)
    results = search.cv_results_
    totals = np.array(
        [[results[f"split{s}_test_correct_{c}"] for c in (0, 1)] for s in range(5)]
    )
    right = totals.sum(axis=(0, 1))
    rule = PosteriorRefit("mean", metric="accuracy")
    assert right[rule(results)] == right.max()
    assert rule.summary(results)[0]["objective"] == pytest.approx((right[0] + 1) / 152)
    selected = selected_posterior(results, metric="accuracy")
    assert right[selected.candidate] == right.max()
    assert selected.uncorrected.mean() == pytest.approx((right.max() + 1) / 152)
    assert (selected.score_name, selected.optimism > 0) == ("Accuracy", True)
    assert PosteriorRefit("mean")(results) != rule(results)
    for call in (
        lambda: PosteriorRefit(metric="mcc"),
        lambda: selected_posterior(results, metric="f1"),
    ):
        with pytest.raises(ValueError, match="follow from the outcomes of samples"):
            call()


def test_paired_counts_of_accuracy():
    """Counts of outcomes are enough for the accuracy."""
    counts = paired_counts(Y, PREDICTIONS)
    comparison = PosteriorComparison.from_paired_counts(
        counts, metric="accuracy", n_draws=DRAWS
    )
    assert comparison == compare("accuracy", PREDICTIONS)
    selected = selected_posterior(counts, metric="accuracy")
    best = max(PREDICTIONS, key=lambda name: (PREDICTIONS[name] == Y).sum())
    assert counts.names[selected.candidate] == best


def test_macro_recall_has_the_classes_of_the_matrix():
    """A class without samples counts if listed, as in the posterior of one classifier."""
    y = ["u", "v", "w"] * 10
    p = {"p": ["x", *y[1:]], "q": [*y[:-1], "u"]}
    options = {"metric": "recall", "average": "macro", "labels": ["u", "v", "w", "x"]}
    with pytest.warns(PriorInfluenceWarning, match=r"Classes without samples \('x'\)"):
        comparison = compare_predictions(y, p, **options)
    alone = posterior_confusion_metric(y, p["p"], **options)
    assert comparison.posteriors[0].mean() == pytest.approx(alone.mean())


def test_prevalence_is_refused_where_it_does_not_apply():
    """The balanced accuracy and the area under the ROC curve have none."""
    y, p = [0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]}
    with pytest.raises(
        ValueError, match=r"prevalence=0\.3 does not apply to metric='balanced"
    ):
        compare_predictions(y, p, prevalence=0.3)
    with pytest.raises(
        ValueError, match=r"prevalence=0\.3 does not apply to metric='roc_auc'"
    ):
        compare_scores(
            y, {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.3, 0.1, 0.2, 0.4]}, prevalence=0.3
        )


def test_difference_of_infinite_means_has_none():
    """A likelihood ratio without false positives: its median stands for it."""
    y_true = np.repeat([0, 1], 20)
    some = y_true.copy()
    some[[3, 5, 30]] = 1 - some[[3, 5, 30]]
    predictions = {"none": y_true, "some": some}
    comparison = compare_predictions(y_true, predictions, metric="lr+")
    difference = comparison.difference("none", "some")
    assert np.isnan(difference.mean())
    assert np.isinf(difference.variance())
    report = sentences(comparison)
    assert f"(median difference {difference.median():.3f}" in report
    assert "inf" not in report
