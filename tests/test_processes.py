"""Results and scorers go to other processes and are shared by threads without a change."""

import multiprocessing
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from operator import methodcaller
from threading import Barrier

import joblib
import numpy as np
import pytest

from skpostbac import (
    ClassCounts,
    ClassCountsScorer,
    OutcomesScorer,
    PairedCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorRefit,
    compare_posteriors,
    compare_predictions,
    make_posterior_scorer,
    paired_counts,
    pooled_posteriors,
    population_posterior,
    posterior_confusion_metric,
    required_test_size,
)
from skpostbac.binary_equivalent import guessing_test
from skpostbac.binormal import binormal_check, posterior_binormal
from skpostbac.stats import BetaAverage, HierarchicalPairedDifference, PairedDifference

THREADS = 8
Y_TRUE = np.repeat([0, 1], [30, 20])
Y_PRED = {"one": np.r_[np.zeros(33), np.ones(17)], "other": np.tile([0, 0, 0, 1, 1], 10)}
SCORES = Y_TRUE + np.random.default_rng(0).normal(size=50)
COUNTS = ClassCounts(["cat", "dog", "fox"], [28, 9, 3], [30, 12, 4])
FOLDS = {"test_correct_a": [8, 9], "test_total_a": [10, 10], "test_correct_b": [3, 4],
         "test_total_b": [5, 5]}  # fmt: skip


def posterior(prior="uniform"):
    return PosteriorBalancedAccuracy(COUNTS, prior=prior)


def rivals():
    return compare_posteriors({"one": posterior(), "other": posterior("jeffreys")})


# How an object is made, and a question whose answer it computes, and may keep.
RESULTS = {
    "counts": (lambda: ClassCounts(["a", "b"], [1, 2], [3, 4]), methodcaller("__repr__")),
    "posterior": (posterior, methodcaller("summary")),
    "weighted": (
        lambda: PosteriorBalancedAccuracy(COUNTS, class_weight={"cat": 1, "dog": 2, "fox": 3}),
        methodcaller("summary"),
    ),
    "hierarchical": (lambda: posterior("hierarchical"), methodcaller("credible_interval")),
    "corrected": (
        lambda: pooled_posteriors(FOLDS, training_variation="nadeau-bengio")[0],
        methodcaller("summary"),
    ),
    "accuracy": (lambda: PosteriorAccuracy(COUNTS), methodcaller("credible_interval")),
    "binary equivalent": (
        lambda: posterior().binary_equivalent(),
        methodcaller("credible_interval", method="hdi"),
    ),
    "f1": (
        lambda: posterior_confusion_metric(Y_TRUE, Y_PRED["one"], "f1", random_state=0),
        methodcaller("credible_interval"),
    ),
    "binormal": (
        lambda: posterior_binormal(Y_TRUE, SCORES, n_draws=100, random_state=0),
        methodcaller("__repr__"),
    ),
    "binormal check": (lambda: binormal_check(Y_TRUE, SCORES), methodcaller("rejects")),
    "group": (lambda: population_posterior([8, 9, 5], [10, 10, 10]), methodcaller("__repr__")),
    "guessing": (lambda: guessing_test(Y_TRUE, Y_PRED["one"]), methodcaller("__repr__")),
    "influence": (lambda: posterior().prior_influence(), methodcaller("__repr__")),
    "above chance": (lambda: posterior().prob_above_chance(), methodcaller("__repr__")),
    "paired counts": (lambda: paired_counts(Y_TRUE, Y_PRED), methodcaller("__repr__")),
    "paired": (
        lambda: compare_predictions(
            Y_TRUE, Y_PRED | {"third": SCORES > 0.5}, n_draws=500, random_state=0
        ),
        methodcaller("report"),
    ),
    "independent": (rivals, methodcaller("report")),
    "test size": (lambda: required_test_size([0.9, 0.8], width=0.6), methodcaller("__str__")),
    "average": (lambda: BetaAverage([31, 9, 4], [3, 3, 2]), methodcaller("hdi")),
    "difference": (
        lambda: BetaAverage([31, 9, 4], [3, 3, 2]) - BetaAverage([20, 5], [2, 4]),
        methodcaller("hdi"),
    ),
    "paired difference": (
        lambda: -PairedDifference([[27, 3, 5, 5], [12, 0, 4, 4]]),
        methodcaller("hdi"),
    ),
    "paired difference of classes that borrow": (
        lambda: -HierarchicalPairedDifference([[27, 3, 5, 5], [12, 0, 4, 4]], n_draws=1000),
        methodcaller("hdi"),
    ),
    "scorer": (lambda: make_posterior_scorer(labels=["a", "b"]), methodcaller("__repr__")),
    "counts scorer": (lambda: ClassCountsScorer(labels=["a", "b"]), methodcaller("__repr__")),
    "outcomes scorer": (lambda: OutcomesScorer(9, labels=[0, 1]), methodcaller("__repr__")),
    "refit": (lambda: PosteriorRefit(complexity="max_depth"), methodcaller("__repr__")),
}
# Those that are compared by value.
VALUES = [
    "counts", "posterior", "weighted", "hierarchical", "corrected", "accuracy", "paired counts",
    "paired", "independent", "counts scorer", "outcomes scorer", "refit", "binormal",
    "binormal check",
]  # fmt: skip
PARAMS = [pytest.param(*pair, id=name) for name, pair in RESULTS.items()]


def read_only(result):
    """Return the names of the arrays that an object holds and nobody may change."""
    held = getattr(result, "__dict__", {}).items()
    arrays = {name: value for name, value in held if isinstance(value, np.ndarray)}
    return [name for name, array in arrays.items() if not array.flags.writeable]


@pytest.mark.parametrize(("make", "ask"), PARAMS)
def test_pickles_depend_on_what_an_object_is_and_not_on_its_past(make, ask):
    """What was asked of it, and the way through a pickle, change nothing."""
    fresh, asked = make(), make()
    ask(asked)
    restored = pickle.loads(pickle.dumps(asked))
    assert joblib.hash(fresh) == joblib.hash(asked) == joblib.hash(restored)
    assert ask(restored) == ask(fresh)
    for name in read_only(fresh):
        assert name in read_only(restored)


@pytest.mark.parametrize("name", VALUES)
def test_values_equal_themselves_after_a_pickle(name):
    """They are the same key of a dict."""
    make, _ = RESULTS[name]
    assert {make(): name}[pickle.loads(pickle.dumps(make()))] == name


SAME_LABELS = {
    "text": [["a", "b"], np.array(["a", "b"], "U9"), np.array(["a", "b"], object)],
    "integers": [[0, 1], np.array([0, 1], np.int8), np.array([0, 1], ">u8")],
    "long integers": [[0, 2**63], np.array([0, 2**63], np.uint64), np.array([0, 2**63], object)],
    "floats": [[0.0, 1.0], [-0.0, 1.0], np.array([0, 1], np.float32)],
    "booleans": [[False, True], np.array([False, True], object)],
    "dates": [np.array(["2020"], "M8[D]"), [np.datetime64("2020", "D")]],
}


@pytest.mark.parametrize("labels", SAME_LABELS.values(), ids=SAME_LABELS)
def test_the_same_counts_have_one_hash(labels):
    """Whichever array held the labels; a count of -0.0 is none."""
    one = [
        ClassCounts(classes, [zero] * len(classes), [2] * len(classes))
        for classes in labels
        for zero in (0.0, -0.0)
    ]
    two = [PairedCounts(["A"], classes, [0], [[True]], [3]) for classes in labels]
    for same in (one, two):
        assert len(set(same)) == 1
        assert len(set(map(joblib.hash, same))) == 1


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_processes_see_the_same(method):
    """A new process computes the same hash and gives the same answer."""
    made = [(make(), ask) for make, ask in RESULTS.values()]
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        hashes = pool.map(joblib.hash, [result for result, _ in made])
        answers = [pool.submit(ask, result) for result, ask in made]
        assert list(hashes) == [joblib.hash(result) for result, _ in made]
        assert [answer.result() for answer in answers] == [ask(result) for result, ask in made]


@pytest.fixture
def nervous():
    """Threads that interrupt each other as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.slow
@pytest.mark.usefixtures("nervous")
@pytest.mark.parametrize(("make", "ask"), PARAMS)
def test_threads_share_a_result(make, ask):
    """All threads ask a fresh object at once, and get what one of them alone gets."""
    expected = ask(make())
    shared, barrier = make(), Barrier(THREADS)

    def ask_together(_):
        barrier.wait()
        return ask(shared)

    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(ask_together, range(THREADS)))
    assert answers == [expected] * THREADS
