"""Pooling of the folds of a cross-validation, and pairing of the candidates of a search."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skpostbac.metrics import (
    ClassCounts,
    ClassCountsScorer,
    GroupsWarning,
    OutcomesScorer,
    PosteriorBalancedAccuracy,
    PriorInfluenceWarning,
    class_counts,
    make_ranking_scorer,
    paired_counts,
)
from skpostbac.model_selection import (
    ClassShareWarning,
    compare_cv_results,
    cross_val_posterior,
    pooled_paired_counts,
    pooled_posteriors,
    selected_posterior,
)
from tests.texts import sentences

TREE = DecisionTreeClassifier(random_state=0)
CV = StratifiedKFold(3)
TWELVE = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0)
WINE = load_wine(return_X_y=True)
IRIS = load_iris(return_X_y=True)
# The counts of the predictions that were made, without division.
THESE = {"training_variation": None}
CORRECTED = {"training_variation": "nadeau-bengio"}


class Fragile(ClassifierMixin, BaseEstimator):
    """Predicts the first class; its fit fails for given first samples, or always."""

    def __init__(self, broken=False, fails_on=()):
        self.broken = broken
        self.fails_on = fails_on

    def fit(self, X, y):
        if self.broken or X[0, 0] in self.fails_on:
            raise ValueError("the fit failed")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def search(X, y, *, search_class=GridSearchCV, groups=None, **options):
    """Search depths of a tree, and keep the outcomes."""
    defaults = {"scoring": OutcomesScorer(len(y)), "refit": False, "cv": CV}
    depths = {"max_depth": [1, 2, 4, None]}
    fitted = search_class(TREE, depths, **defaults | options).fit(X, y, groups=groups)
    return fitted.cv_results_


@pytest.fixture(scope="module")
def wine_results():
    """`cv_results_` of a small search."""
    return search(*WINE)


def cross_validated(cv, **options):
    """Cross-validate naive Bayes on the wines with a counts scorer."""
    options = {
        "scoring": ClassCountsScorer(labels=[0, 1, 2]),
        "return_indices": True,
    } | options
    return cross_validate(GaussianNB(), *WINE, cv=cv, **options)


def results_of(counts):
    """Write fold counts {label: (correct, total)} as `cross_validate` does."""
    return {
        f"test_{kind}_{label}": np.asarray(values, dtype=float)
        for label, pair in counts.items()
        for kind, values in zip(("correct", "total"), pair, strict=True)
    }


# ---- counts and outcomes are those of the predictions

SEARCHES = {
    "grid": {},
    "randomized": {"search_class": RandomizedSearchCV, "n_iter": 3, "random_state": 0},
    "shuffled": {"cv": StratifiedKFold(12, shuffle=True, random_state=1)},
    "groups of very different sizes": {
        "data": load_breast_cancer,
        "cv": GroupKFold(3),
        "groups": np.repeat([0, 1, 2], [400, 100, 69]),
        "scoring": OutcomesScorer(400),
    },
    # The order of ten and more labels as numbers is not that of their texts.
    "many classes": {"data": load_digits, "cv": StratifiedKFold(2)},
}


@pytest.mark.parametrize("options", SEARCHES.values(), ids=SEARCHES)
def test_counts_are_those_of_the_predictions(options):
    """Each candidate's own, and how often each pattern of right and wrong occurs."""
    options = {"data": load_wine, "cv": CV, "groups": None} | options
    X, y = options.pop("data")(return_X_y=True)
    y = np.where(y < 3, y + 10, y)
    results, labels = search(X, y, **options), np.unique(y)
    predictions = {
        str(i): cross_val_predict(
            clone(TREE).set_params(**params),
            X,
            y,
            cv=options["cv"],
            groups=options["groups"],
        )
        for i, params in enumerate(results["params"])
    }
    expected = paired_counts(y, predictions)
    assert pooled_paired_counts(results, labels=labels) == expected
    found = pooled_posteriors(results, labels=labels)
    assert [one.counts for one in found] == [
        expected.margin(name) for name in predictions
    ]
    assert pooled_paired_counts(results).classes.tolist() == [
        str(label) for label in labels
    ]


def test_frames_and_columns_in_any_order(wine_results):
    """`pandas.DataFrame(cv_results_)` and a selection of its rows; training scores are ignored."""
    table = pd.DataFrame(wine_results)
    table = table[sorted(table, reverse=True)]
    expected = pooled_posteriors(wine_results, labels=[0, 1, 2])
    assert pooled_posteriors(table, labels=[0, 1, 2]) == expected
    assert pooled_paired_counts(table, labels=[0, 1, 2]) == pooled_paired_counts(
        wine_results, labels=[0, 1, 2]
    )
    assert pooled_posteriors(wine_results) == pooled_posteriors(table[sorted(table)])
    assert pooled_posteriors(table.drop(index=0), labels=[0, 1, 2]) == expected[1:]
    with_training = search(*WINE, return_train_score=True)
    assert pooled_posteriors(with_training, labels=[0, 1, 2]) == expected


def test_labels_are_strings_unless_given(wine_results):
    """Columns know the classes by their text, `labels` brings them back, in its order."""
    assert pooled_posteriors(wine_results)[0].counts.classes.tolist() == ["0", "1", "2"]
    options = {"labels": [2, 0], "n_repeats": 3}
    chosen = pooled_posteriors(wine_results, **options)
    everything = pooled_posteriors(wine_results, labels=[0, 1, 2])[0].counts
    expected = ClassCounts(
        [2, 0], everything.correct[[2, 0]] / 3, everything.total[[2, 0]] / 3
    )
    assert chosen[0].counts == expected
    paired = pooled_paired_counts(wine_results, **options)
    for name, one in zip(paired.names, chosen, strict=True):
        margin = paired.margin(name)
        assert margin.classes.tolist() == [2, 0]
        np.testing.assert_allclose(margin.correct, one.counts.correct, rtol=1e-12)
        np.testing.assert_allclose(margin.total, one.counts.total, rtol=1e-12)


def test_labels_with_odd_text():
    """Label texts may hold underscores, words of the columns, digits and line breaks."""
    labels = ["split0_test_correct_x", "total_", "1", "a\nb", "é ø"]
    (posterior,) = pooled_posteriors(
        results_of({label: ([1, 2], [3, 4]) for label in labels})
    )
    assert posterior.counts == ClassCounts(labels, [3] * 5, [7] * 5)
    # A fold without samples of the chosen classes is no failed fit.
    results = results_of({"a": ([1, 0], [2, 0]), "b": ([0, 3], [0, 4])})
    assert pooled_posteriors(results, labels=["a"])[0].counts == ClassCounts(
        ["a"], [1], [2]
    )


@pytest.mark.parametrize("labels", [None, [0, 1, 2]])
def test_class_weights_by_label_or_text(labels, wine_results):
    """The labels of `y` are keys, whether or not they are known; so is their text if not."""
    options = {"labels": labels, "class_weight": {0: 1, np.int64(1): 2, 2: 1}}
    posterior = pooled_posteriors(wine_results, prior="jeffreys", **options)[0]
    assert posterior.prior.a.tolist() == posterior.prior.b.tolist() == [0.5] * 3
    np.testing.assert_array_equal(posterior.class_weight, [0.25, 0.5, 0.25])
    if labels is None:
        texts = {"0": 1, "1": 2, "2": 1}
        assert (
            pooled_posteriors(wine_results, class_weight=texts)[0].class_weight[1]
            == 0.5
        )
        with pytest.raises(
            ValueError, match="class_weight has different keys of the same text"
        ):
            pooled_posteriors(wine_results, class_weight={0: 1, "0": 1})


def test_pooling_is_not_averaging():
    """300 samples, 30 of the small class, 10 folds: the prior counts once, not ten times."""
    folds = {"small": ([2] * 10, [3] * 10), "large": ([24] * 10, [27] * 10)}
    (pooled,) = pooled_posteriors(results_of(folds), prior="uniform")
    assert pooled.mean() == pytest.approx((21 / 32 + 241 / 272) / 2, rel=1e-14)


# ---- samples tested several times


def test_indices_tell_the_repeats():
    """Each sample counts once, without `n_repeats`, which need not be right without indices."""
    results = cross_validated(TWELVE)
    (posterior,) = pooled_posteriors(results)
    np.testing.assert_array_equal(posterior.counts.total, [59, 71, 48])
    for n_repeats in (1, 2):
        with pytest.raises(
            ValueError, match=f"tested 4 times on average, got {n_repeats};"
        ):
            pooled_posteriors(results, n_repeats=n_repeats)
    with pytest.raises(ValueError, match="n_repeats must agree with the indices"):
        pooled_posteriors(cross_validated(CV), n_repeats=3)
    del results["indices"]
    assert pooled_posteriors(results)[0].counts.n_samples == 4 * 178
    assert pooled_posteriors(results, n_repeats=4) == (posterior,)
    kept = cross_validated(TWELVE, scoring=OutcomesScorer(178))
    assert pooled_paired_counts(kept).n_samples == pytest.approx(178, rel=1e-12)
    assert selected_posterior(kept).uncorrected.counts.n_samples == 178


def test_overlapping_tests_count_as_the_samples_that_were_tested():
    """Random splits test some samples more often; as masks, too."""
    results = cross_validated(ShuffleSplit(6, test_size=0.3, random_state=0))
    n_tested = len(np.unique(np.concatenate(results["indices"]["test"])))
    (posterior,) = pooled_posteriors(results)
    assert posterior.counts.n_samples == pytest.approx(n_tested, rel=1e-12)
    results["indices"]["test"] = [
        np.isin(np.arange(178), t) for t in results["indices"]["test"]
    ]
    assert pooled_posteriors(results) == (posterior,)


@pytest.mark.parametrize(
    ("indices", "error", "message"),
    [
        (
            {"test": [[0, 1]]},
            ValueError,
            "have a test set for each of the 3 splits, got 1",
        ),
        ({"train": []}, TypeError, "be what cross_validate returns"),
        (5, TypeError, "be what cross_validate returns"),
        ({"test": [["a"], [1], [2]]}, ValueError, "be what cross_validate returns"),
    ],
)
def test_bad_indices_are_refused(indices, error, message):
    """The message names the entry."""
    results = results_of({"a": ([1, 1, 1], [2, 2, 2])}) | {"indices": indices}
    with pytest.raises(error, match=rf"cv_results\['indices'\] must {message}"):
        pooled_posteriors(results)


# ---- bad results

COUNTS = results_of({"a": ([1], [2])})


@pytest.mark.parametrize(
    ("results", "options", "error", "message"),
    [
        ([1, 2], {}, TypeError, "cv_results must be"),
        ({}, {}, ValueError, "ClassCountsScorer"),
        ({"test_score": [1.0]}, {}, ValueError, "ClassCountsScorer"),
        ({"test_correct_a": [1.0]}, {}, ValueError, "has no 'test_total_a'"),
        (
            {
                f"split{i}_test_{kind}_{label}": [1.0]
                for i, label in enumerate("ab")
                for kind in ("correct", "total")
            },
            {},
            ValueError,
            "has no 'split0_test_correct_b'",
        ),
        (COUNTS, {"labels": ["b"]}, ValueError, r"labels \['b'\] were not counted"),
        (COUNTS, {"labels": ["a", "a"]}, ValueError, "labels"),
        (results_of({"a": ([3], [2])}), {}, ValueError, "got 3 of 2$"),
        (COUNTS, {"prior": "flat"}, ValueError, "prior"),
        *(
            (COUNTS, {"n_repeats": n}, ValueError, "n_repeats must")
            for n in (0, 1.5, "2", 2, True)
        ),
        (
            COUNTS,
            {"training_variation": "folds"},
            ValueError,
            "must be None or 'nadeau-bengio'",
        ),
        (
            COUNTS,
            CORRECTED,
            ValueError,
            "needs K-fold cross-validation with at least 2 folds",
        ),
    ],
)
def test_bad_results_are_refused(results, options, error, message):
    """The message names what is wrong."""
    with pytest.raises(error, match=message):
        pooled_posteriors(results, **options)


def test_a_class_that_was_not_trained_on_is_told():
    """The scorer failed in another one, and the remedy is not the scorer that was given."""
    for scorer in (ClassCountsScorer(), OutcomesScorer(178)):
        with pytest.warns(UserWarning, match="Scoring failed"):
            scores = cross_validated(
                KFold(3), scoring=lambda *fold, scorer=scorer: {**scorer(*fold)}
            )
        for function in (pooled_posteriors, pooled_paired_counts, selected_posterior):
            with pytest.raises(
                ValueError, match=r"since scoring failed.*labels=np.unique\(y\)"
            ):
                function(scores)


def test_outcomes_are_needed_of_all_candidates(wine_results):
    """On the same folds; the message says which scorer keeps them."""
    counts = search(*WINE, scoring=ClassCountsScorer())
    with pytest.raises(
        ValueError, match=r"no outcomes .*OutcomesScorer\(max_test_size=len\(y\)"
    ):
        pooled_paired_counts(counts)
    shorter = search(WINE[0][9:], WINE[1][9:])
    for other, message in (
        (shorter, "other folds for candidate 0 than for candidate 4"),
        (counts, "outcomes of samples that do not agree with the counts"),
    ):
        both = pd.concat(
            [pd.DataFrame(wine_results), pd.DataFrame(other)], ignore_index=True
        )
        with pytest.raises(ValueError, match=message):
            pooled_paired_counts(both)


# ---- failed fits


@pytest.mark.filterwarnings("ignore:One or more of the test scores:UserWarning")
@pytest.mark.parametrize("error_score", [np.nan, 0])
def test_failed_candidates_are_named(error_score):
    """They have no posterior, and the others keep their places."""
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1], 6)
    options = {
        "scoring": OutcomesScorer(12, labels=[0, 1]),
        "cv": KFold(3),
        "refit": False,
    }
    grid = GridSearchCV(
        Fragile(), {"broken": [True, False]}, error_score=error_score, **options
    )
    with pytest.warns(FitFailedWarning, match="fits failed"):
        results = grid.fit(X, y).cv_results_
    with pytest.warns(
        FitFailedWarning, match=r"failed fits .*: candidate 0, splits 0, 1, 2$"
    ):
        failed, posterior = pooled_posteriors(results)
    assert failed is None
    assert posterior.counts == ClassCounts(["0", "1"], [6, 0], [6, 6])
    with pytest.warns(FitFailedWarning, match="failed fits are skipped: candidate 0"):
        assert pooled_paired_counts(results).names == ("1",)
    with pytest.raises(ValueError, match=r"failed fits: candidate 0, splits 0, 1, 2$"):
        pooled_posteriors(pd.DataFrame(results).drop(index=1))


def test_failed_fold_of_cross_validate_is_named():
    """Without candidates, the message names the splits."""
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1], 6)
    scoring = ClassCountsScorer(labels=[0, 1])
    with pytest.warns(FitFailedWarning, match="1 fits failed"):
        scores = cross_validate(
            Fragile(fails_on=(4.0,)), X, y, scoring=scoring, cv=KFold(3)
        )
    with pytest.raises(ValueError, match=r"failed fits: split 0$"):
        pooled_posteriors(scores)


# ---- the variation between training sets


@pytest.mark.parametrize(("folds", "inflation"), [(2, 3.0), (5, 2.25), (11, 2.1)])
def test_counts_are_divided_by_the_inflation(folds, inflation):
    """1 + J n_test / n_train, with J folds and n_test / n_train = 1 / (J - 1)."""
    scores = cross_validated(StratifiedKFold(folds), return_indices=False)
    (wide,), (plain,) = (
        pooled_posteriors(scores, **CORRECTED),
        pooled_posteriors(scores),
    )
    assert wide.inflation == pytest.approx(inflation, rel=1e-14)
    # the sums of integers are divided, once
    assert wide.counts.correct == pytest.approx(
        plain.counts.correct / inflation, rel=1e-14
    )
    assert wide.counts.total == pytest.approx(plain.counts.total / inflation, rel=1e-14)


@pytest.mark.parametrize("rounds", [1, 3])
def test_one_estimator_is_corrected_as_a_candidate_is(rounds):
    """`cross_val_posterior` gives what `pooled_posteriors` makes of the same folds."""
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=rounds, random_state=0)
    found = cross_val_posterior(GaussianNB(), *WINE, cv=cv)
    scores = cross_validated(cv, return_indices=False)
    options = {"labels": [0, 1, 2], "n_repeats": rounds}
    assert pooled_posteriors(scores, **options, **CORRECTED) == (found,)
    assert found.inflation == pytest.approx(1 + 4 / 3)
    assert found.counts.n_samples == pytest.approx(178 / found.inflation)


@pytest.mark.parametrize(("n_splits", "test_size"), [(1, 0.25), (20, 0.5)])
def test_random_splits_are_corrected_by_the_sizes_of_their_sets(n_splits, test_size):
    """1 + n_tested / n_train; of a single split, this is Nadeau and Bengio's 1 + n_test / n_train.

    Without the training sets, samples tested unequally have no correction.
    """
    cv = ShuffleSplit(n_splits, test_size=test_size, random_state=0)
    splits = list(cv.split(*WINE))
    n_tested = len(set(np.concatenate([test for _, test in splits])))
    posterior = cross_val_posterior(GaussianNB(), *WINE, cv=cv)
    assert posterior.inflation == pytest.approx(
        1 + n_tested / len(splits[0][0]), rel=1e-12
    )
    assert posterior.counts.n_samples * posterior.inflation == pytest.approx(n_tested)
    scores = cross_validated(cv)
    assert pooled_posteriors(scores, **CORRECTED)[0].inflation == posterior.inflation
    del scores["indices"]["train"]
    with pytest.raises(
        ValueError, match=r"needs K-fold.* pass training_variation=None"
    ):
        pooled_posteriors(scores, **CORRECTED)


def test_corrected_posterior_names_the_correction():
    """In attributes and texts; it is immutable."""
    scores = cross_validated(StratifiedKFold(5))
    (wide,), (plain,) = (
        pooled_posteriors(scores, **CORRECTED),
        pooled_posteriors(scores),
    )
    assert wide.training_variation == "nadeau-bengio"
    assert repr(wide).startswith("PosteriorBalancedAccuracy(mean=")
    assert repr(wide).endswith("training_variation='nadeau-bengio')")
    sentence = (
        "This describes the model refitted on all data. The counts are divided by 2.25"
    )
    assert sentence in sentences(wide)
    assert sentence in wide._repr_html_()
    assert "refitted" not in sentences(plain)
    assert type(plain) is PosteriorBalancedAccuracy
    with pytest.raises(AttributeError):
        wide.inflation = 1.0
    copy = pickle.loads(pickle.dumps(wide))
    assert (copy, hash(copy), copy.inflation) == (wide, hash(wide), wide.inflation)
    assert wide != PosteriorBalancedAccuracy(wide.counts)


# ---- cross_val_posterior

GROUPS = np.arange(178) // 4
SPAN = pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")


def test_samples_are_told_before_division():
    """270 samples divided by 2.25 are a whole number, but there were never 120 samples."""
    y = np.arange(270) % 3
    X = y[:, np.newaxis] + np.random.default_rng(0).normal(size=(270, 1))
    posterior = cross_val_posterior(GaussianNB(), X, y, cv=5)
    assert "n_classes=3, n=270, n_effective=120, training" in repr(posterior)
    report = sentences(posterior)
    assert "on the 270 test samples (effective size 120) of 3 classes." in report
    hits = cross_val_predict(GaussianNB(), X, y, cv=5) == y
    right = [int(hits[y == label].sum()) for label in range(3)]
    weakest = int(np.argmin(right))
    assert (
        f"Class {weakest} has the lowest recall on the test samples: "
        f"{right[weakest] / 90:.3f} ({right[weakest]} of 90 correct)." in report
    )


def test_cross_val_posterior_counts_the_predictions():
    """Its counts are those of the out-of-fold predictions, under the labels of y."""
    X, y = load_breast_cancer(return_X_y=True)
    y = np.array(["malignant", "benign"])[y]
    with parallel_config(backend="threading"):  # processes take seconds to start
        posterior = cross_val_posterior(GaussianNB(), X, y, cv=CV, n_jobs=2, **THESE)
    assert posterior.counts == class_counts(
        y, cross_val_predict(GaussianNB(), X, y, cv=CV)
    )
    assert cross_val_posterior(TREE, *WINE) == cross_val_posterior(TREE, *WINE, cv=5)


MAJORITY = DummyClassifier(strategy="most_frequent")
NOISE = np.zeros((40, 1)), np.repeat([0, 1], 20)
ONE_OUT = {
    "cv": LeaveOneOut(),
    "scoring": OutcomesScorer(1, labels=[0, 1]),
}


def _search():
    return GridSearchCV(
        MAJORITY, {"strategy": ["most_frequent", "prior"]}, refit=False, **ONE_OUT
    ).fit(*NOISE)


def _folds():
    return cross_validate(MAJORITY, *NOISE, return_indices=True, **ONE_OUT)


@pytest.mark.parametrize(
    "pooled",
    [
        lambda: cross_val_posterior(MAJORITY, *NOISE, cv=LeaveOneOut()),
        lambda: cross_val_posterior(MAJORITY, *NOISE, cv=LeaveOneOut(), **THESE),
        lambda: pooled_posteriors(_folds())[0],
        lambda: selected_posterior(_search().cv_results_).uncorrected,
        lambda: compare_cv_results({"a": _folds(), "b": _folds()}).posteriors[0],
    ],
    ids=["default", "these", "pooled", "selected", "compared"],
)
@pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")
def test_a_majority_vote_without_its_own_sample_is_always_wrong(pooled):
    """Leave-one-out takes the sample's own class into the minority, and says so."""
    with pytest.warns(ClassShareWarning, match="far below chance.*stratified folds"):
        posterior = pooled()
    assert posterior.mean() < 0.1


class Wrong(ClassifierMixin, BaseEstimator):
    """Predicts the other class, whatever the training set."""

    def fit(self, X, y):
        """Remember the classes."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        """Return the wrong class of each sample."""
        return 1 - X[:, 0].astype(int)


@pytest.mark.parametrize("sizes", [(20, 20), (41, 13), (105, 95)], ids=str)
@pytest.mark.parametrize(
    "cv",
    [5, 10, StratifiedKFold(10, shuffle=True, random_state=0), TWELVE],
    ids=["5", "10", "shuffled", "repeated"],
)
@pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")
def test_ordinary_folds_do_not_warn_of_bad_scores(sizes, cv):
    """Their classes have the shares of the training sets: the classifier itself is bad."""
    y = np.repeat([0, 1], sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ClassShareWarning)
        posterior = cross_val_posterior(Wrong(), y[:, None], y, cv=cv)
    assert posterior.prob_above(posterior.chance) < 0.01


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("error::skpostbac.model_selection.ClassShareWarning")
def test_noise_that_leave_one_out_does_not_harm_gives_no_warning(seed):
    """Neighbours of noise are right as often as wrong, whichever sample is left out."""
    X = np.random.default_rng(seed).normal(size=(40, 2))
    neighbour = KNeighborsClassifier(1)
    posterior = cross_val_posterior(neighbour, X, NOISE[1], cv=LeaveOneOut())
    assert 0.2 < posterior.mean() < 0.8


TWICE = list(CV.split(*WINE)) * 2


@pytest.mark.parametrize(
    "cv", [TWELVE, LeaveOneOut(), TWICE], ids=["repeated", "one", "list"]
)
def test_each_sample_counts_once(cv):
    """However often it is tested, a sample is one sample."""
    posterior = cross_val_posterior(GaussianNB(), *WINE, cv=cv, **THESE)
    np.testing.assert_allclose(posterior.counts.total, [59, 71, 48], rtol=1e-14)


@pytest.mark.parametrize(
    "cv",
    [ShuffleSplit(8, test_size=0.3, random_state=0), TimeSeriesSplit(4)],
    ids=["random", "t"],
)
def test_samples_tested_unequally(cv):
    """The counts add up to the number of distinct samples tested."""
    shuffled = np.random.default_rng(0).permutation(150)
    X, y = IRIS[0][shuffled], IRIS[1][shuffled]
    found = np.unique(np.concatenate([test for _, test in cv.split(X)]))
    assert len(found) < len(y)
    posterior = cross_val_posterior(GaussianNB(), X, y, cv=cv, **THESE)
    np.testing.assert_allclose(
        posterior.counts.total, np.bincount(y[found]), rtol=1e-14
    )


@pytest.mark.parametrize(
    ("cv", "splitter"),
    [
        (4, StratifiedGroupKFold(4)),
        (None, StratifiedGroupKFold(5)),
        (GroupKFold(3),) * 2,
    ],
    ids=["int", "default", "splitter"],
)
def test_groups_split_and_count(cv, splitter):
    """By argument or among the parameters; no group is in two folds by default."""
    X, y = WINE
    predicted = cross_val_predict(GaussianNB(), X, y, groups=GROUPS, cv=splitter)
    expected = class_counts(y, predicted, groups=GROUPS)
    for way in ({"groups": GROUPS}, {"params": {"groups": GROUPS}}):
        with pytest.warns(
            GroupsWarning, match="Some groups have samples of several classes"
        ):
            found = cross_val_posterior(GaussianNB(), X, y, cv=cv, **way, **THESE)
        assert found.counts.correct.tolist() == expected.correct.tolist()
        effective = found.effective_counts.total
        np.testing.assert_allclose(effective, expected.effective().total, rtol=1e-12)


@SPAN
def test_groups_and_the_correction():
    """Effective counts are divided, not the correlation; two tests of a sample are one sample."""
    splits = list(GroupKFold(3).split(*WINE, GROUPS))
    wide, plain, twice = (
        cross_val_posterior(
            GaussianNB(), *WINE, groups=GROUPS, cv=cv, training_variation=variation
        )
        for cv, variation in (
            (splits, "nadeau-bengio"),
            (splits, None),
            (splits * 2, None),
        )
    )
    total = plain.effective_counts.total
    np.testing.assert_allclose(twice.effective_counts.total, total, rtol=1e-12)
    assert wide.design_effects.correlation == plain.design_effects.correlation
    assert wide.inflation == 2.5
    np.testing.assert_allclose(wide.effective_counts.total * 2.5, total, rtol=1e-12)
    # About sqrt(2.5), and more by the prior, whose weight is not divided.
    assert 1.5 < wide.standard_deviation() / plain.standard_deviation() < 2
    copy = pickle.loads(pickle.dumps(wide))
    assert copy == wide
    assert copy.credible_interval() == wide.credible_interval()


@SPAN
def test_groups_keep_labels_and_text():
    """Labels in another order, one of them absent, and classes that are text."""
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    X, names = WINE[0], np.array(["b", "a", "c"])[WINE[1]]
    predicted = cross_val_predict(stump, X, names, groups=GROUPS, cv=GroupKFold(3))
    labels = ["c", "b", "x", "a"]
    expected = class_counts(names, predicted, groups=GROUPS, labels=labels).effective()
    with pytest.warns(PriorInfluenceWarning, match=r"Classes without samples \('x'\)"):
        found = cross_val_posterior(
            stump, X, names, groups=GROUPS, cv=GroupKFold(3), labels=labels, **THESE
        ).effective_counts
    assert found.classes.tolist() == labels
    np.testing.assert_allclose(found.total, expected.total, rtol=1e-12)
    np.testing.assert_allclose(found.correct, expected.correct, rtol=1e-12)


@SPAN
def test_groups_are_routed_to_an_inner_search():
    """With metadata routing, to an estimator that requests them, as in `cross_val_predict`."""
    grid = GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=GroupKFold(3))
    with sklearn.config_context(enable_metadata_routing=True):
        predicted = cross_val_predict(
            grid, *WINE, cv=GroupKFold(3), params={"groups": GROUPS}
        )
        expected = class_counts(WINE[1], predicted, groups=GROUPS)
        for way in ({"groups": GROUPS}, {"params": {"groups": GROUPS}}):
            found = cross_val_posterior(grid, *WINE, cv=GroupKFold(3), **way, **THESE)
            assert found.counts == expected


def test_fit_parameters_reach_the_estimator():
    """Zero weights leave a class unknown to it; with routing, too, each sample counts as one."""
    X, y = IRIS
    options = {"params": {"sample_weight": 3.0 * (y != 2)}, **THESE}
    assert cross_val_posterior(TREE, X, y, **options).counts.correct[2] == 0
    with sklearn.config_context(enable_metadata_routing=True):
        tree = clone(TREE).set_fit_request(sample_weight=True)
        posterior = cross_val_posterior(tree, X, y, **options)
    assert posterior.counts.correct[2] == 0
    assert posterior.counts.total.tolist() == [50, 50, 50]


def test_given_labels_prior_and_weights():
    """A class that does not occur stays, as its prior."""
    labels, weights = [0, 1, 2, 3], {0: 1, 1: 1, 2: 2, 3: 0}
    with pytest.warns(PriorInfluenceWarning, match=r"^Classes without samples \(3\)"):
        posterior = cross_val_posterior(
            GaussianNB(), *IRIS, labels=labels, prior="uniform", **THESE
        )
    assert posterior.counts.total.tolist() == [50, 50, 50, 0]
    options = {"labels": labels, "prior": (2, 1), "class_weight": weights}
    weighted = cross_val_posterior(GaussianNB(), *IRIS, **options)
    assert weighted.prior.a.tolist() == [2] * 4
    assert weighted.prior.b.tolist() == [1] * 4
    np.testing.assert_array_equal(weighted.class_weight, [0.25, 0.25, 0.5, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "the fit failed"),
        ({"prior": "flat"}, "prior must be"),
        ({"prior": [[1, 1]]}, "prior must have one row"),
        ({"class_weight": {0: 1}}, "class_weight has no weight for"),
        ({"labels": [0, 0]}, "must not contain duplicates"),
        (
            {"training_variation": "bengio"},
            "training_variation must be None or 'nadeau-bengio'",
        ),
        ({"groups": [0, 1], "params": {"groups": [0, 1]}}, "groups must be given once"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused_before_the_first_fit(options, message):
    """The fit, which would fail too, is not reached."""
    with pytest.raises(ValueError, match=message):
        cross_val_posterior(Fragile(broken=True), *IRIS, **options)


@pytest.mark.parametrize(
    "cv",
    [
        [[0.5, 0.5]],
        [(0, 1)],
        [([0], [99])],
        [([0], [[1]])],
        np.ma.masked,
        5 * [("a", "b")],
    ],
)
def test_what_are_no_splits_is_refused(cv):
    """The message names the argument."""
    with pytest.raises(
        TypeError, match=r"^cv must be an int, a splitter or an iterable of pairs"
    ):
        cross_val_posterior(
            GaussianNB(), np.arange(8.0).reshape(-1, 1), [0, 1] * 4, cv=cv
        )


def test_arguments_in_another_order_are_refused():
    """The message names the one that is no estimator."""
    with pytest.raises(TypeError, match=r"^estimator must have fit, got ndarray; .*y$"):
        cross_val_posterior(*IRIS, GaussianNB())


STACK = StackingClassifier([("naive", GaussianNB()), ("tree", TREE)], cv=2)


@pytest.mark.parametrize(
    "estimator",
    [
        STACK,
        make_pipeline(StandardScaler(), STACK),
        pytest.param(
            GridSearchCV(STACK, {"tree__max_depth": [1, 2]}, cv=2),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            make_pipeline(StandardScaler(), GridSearchCV(STACK, {"cv": [2]}, cv=2)),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["stack", "pipeline", "search", "search in a pipeline"],
)
def test_predict_may_need_a_fit(estimator):
    """As of what asks its last part, here that of a stack, which exists once it is fitted."""
    assert not hasattr(estimator, "predict")
    X, y = IRIS[0][::3], IRIS[1][::3]
    posterior = cross_val_posterior(estimator, X, y, cv=CV, **THESE)
    sizes = [len(test) for _, test in CV.split(X, y)]
    n_correct = cross_val_score(estimator, X, y, cv=CV) @ sizes
    assert posterior.counts.correct.sum() == pytest.approx(n_correct)
    two = y != 0
    areas = cross_val_score(
        estimator, X[two], y[two], cv=CV, scoring=make_ranking_scorer(n_draws=100)
    )
    assert np.isfinite(areas).all()


@pytest.mark.parametrize(
    "estimator",
    [StandardScaler(), GridSearchCV(TREE, {"max_depth": [1]}, cv=2, refit=False)],
    ids=["scaler", "search"],
)
def test_what_cannot_predict_is_refused(estimator):
    """Once it is fitted."""
    with pytest.raises(
        TypeError, match=r"^estimator must be a classifier with predict, got"
    ):
        cross_val_posterior(estimator, *IRIS)
