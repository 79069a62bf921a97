"""All public results: equal after a pickle or a copy, immutable, and of nobody else's memory.

They go to other processes and are shared by threads without a change.
"""

import copy
import inspect
import multiprocessing
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from html import escape
from operator import methodcaller
from threading import Barrier

import joblib
import numpy as np
import pytest

import skpostbac
from skpostbac import binary_equivalent, stats
from skpostbac.binormal import BinormalModel, binormal_check
from skpostbac.metrics import BetaPrior

Y_TRUE = [0] * 12 + [1] * 8
Y_PRED = [0] * 10 + [1] * 8 + [0] * 2
OTHER = [0] * 9 + [1] * 3 + [1] * 8
SCORES = [*np.linspace(-1, 1, 12) ** 3, *np.linspace(-0.5, 2, 8) ** 2]
CELLS = [[27.0, 3.0, 5.0, 5.0], [12.0, 0.0, 4.0, 4.0]]


def counts(array):
    return skpostbac.ClassCounts(
        array(["cat", "dog", "fox"]), array([28.0, 9.0, 0.0]), array([30.0, 12.0, 0.0])
    )


def posterior(array):
    weights = array([1.0, 2.0, 3.0])
    prior = array([[1.0, 1.0], [2.0, 1.0], [1.0, 3.0]])
    return skpostbac.PosteriorBalancedAccuracy(
        counts(array), prior=prior, class_weight=weights
    )


def paired(array, **keywords):
    predictions = {
        "one": array(Y_PRED),
        "two": array(OTHER),
        "three": array(Y_PRED[::-1]),
    }
    return skpostbac.compare_predictions(
        array(Y_TRUE),
        predictions,
        prior="calibrated",
        n_draws=200,
        random_state=0,
        **keywords,
    )


def precision(array):
    return skpostbac.PosteriorConfusionMetric.from_confusion_matrix(
        array([[9.0, 1.0, 1.0], [2.0, 8.0, 1.0], [0.0, 0.0, 0.0]]),
        "precision",
        prevalence="observed",
        n_draws=50,
        random_state=0,
    )


def planned(array):
    weights, prior = array([1.0, 2.0]), array([[1.0, 1.0], [2.0, 1.0]])
    return skpostbac.required_test_size(
        array([0.9, 0.8]), width=0.6, class_weight=weights, prior=prior
    )


def curve(array):
    """Return a curve along thresholds."""
    return skpostbac.posterior_threshold_curve(
        array(Y_TRUE), array(SCORES), class_weight=array([1.0, 2.0]), random_state=0
    )


# A call that returns each of the public classes; all arrays that it is given come from `array`.
MAKE = {
    "BetaAverage": lambda array: stats.BetaAverage(
        array([3.0, 2.0]), array([1.0, 4.0]), weights=array([0.2, 0.8])
    ),
    "BetaPrior": lambda array: BetaPrior(array([1.0, 2.0]), array([3.0, 4.0])),
    "BetaRatio": lambda array: stats.BetaRatio(
        stats.BetaAverage([3], [1]),
        stats.BetaAverage([1], [2]),
        array([[0.0, 0.0], [1.0, 1.0]]),
        array([[1.0, 2.0], [2.0, 3.0]]),
    ),
    "BinormalCheck": lambda array: binormal_check(array(Y_TRUE), array(SCORES)),
    "BinormalModel": lambda array: BinormalModel.fit(array(Y_TRUE), array(SCORES)),
    "CalibratedPrior": lambda array: (
        skpostbac.PosteriorBalancedAccuracy(counts(array)).prior
    ),
    "ClassCounts": counts,
    "ClassCountsScorer": lambda array: skpostbac.ClassCountsScorer(
        labels=array(["a", "b"])
    ),
    "SelectedPosterior": lambda array: curve(array).corrected,
    "DesignEffects": lambda array: (
        skpostbac.class_counts(
            array(Y_TRUE), array(Y_PRED), groups=array([*range(10)] * 2)
        ).design_effects
    ),
    "DrawnDistribution": lambda array: skpostbac.stats.DrawnDistribution(
        array([4.0, 1.0, 3.0])
    ),
    "ExpectedCost": lambda array: skpostbac.metrics.ExpectedCost(
        array([[0.0, 1.0], [5.0, 0.0]])
    ),
    "PopulationPosterior": lambda array: skpostbac.population_posterior(
        array([8.0, 9.0, 5.0]), array([10.0, 10.0, 10.0])
    ),
    "GuessingTest": lambda array: binary_equivalent.guessing_test(
        array(Y_TRUE), array(Y_PRED)
    ),
    "Interval": lambda array: posterior(array).credible_interval(),
    "MonteCarloError": lambda array: paired(array).monte_carlo_error(),
    "NetBenefit": lambda array: skpostbac.metrics.NetBenefit(0.2),
    "OutcomesScorer": lambda array: skpostbac.OutcomesScorer(9, labels=array([0, 1])),
    "PairedCounts": lambda array: skpostbac.metrics.PairedCounts.from_cells(
        array(CELLS)
    ),
    "PairedDifference": lambda array: stats.PairedDifference(
        array(CELLS), prior=array([[0.5] * 4, [1.0] * 4]), weights=array([0.2, 0.8])
    ),
    "PosteriorAccuracy": lambda array: skpostbac.PosteriorAccuracy(counts(array)),
    "PosteriorBalancedAccuracy": posterior,
    "PosteriorBinaryEquivalentAccuracy": lambda array: posterior(
        array
    ).binary_equivalent(),
    "PosteriorClassificationReport": lambda array: (
        skpostbac.posterior_classification_report(
            array(Y_TRUE), array(Y_PRED), sample_weight=array([1.0] * 20), n_draws=50
        )
    ),
    "PosteriorComparison": paired,
    # The observed recall of a class without samples is nan.
    "PosteriorConfusionMetric": precision,
    "PosteriorRankingMetric": lambda array: skpostbac.posterior_roc_auc(
        array(Y_TRUE), array(SCORES), n_draws=50
    ),
    "PosteriorThresholdCurve": curve,
    "BetaAverages": lambda array: stats.BetaAverage(
        array([[3.0, 2.0], [1.0, 5.0]]), array([1.0, 4.0]), weights=array([0.2, 0.8])
    ),
    "PosteriorRefit": lambda array: skpostbac.PosteriorRefit(
        prior=array([[1.0, 1.0], [2.0, 1.0]]),
        class_weight=array([1.0, 2.0]),
        labels=array([0, 1]),
    ),
    "PosteriorPrevalence": lambda array: skpostbac.posterior_prevalence(
        13, 20, sensitivity=array([27.0, 30.0]), specificity=array([24.0, 30.0])
    ),
    "PosteriorValidatedPrevalence": lambda array: skpostbac.posterior_prevalence(
        13, 20, gold=array([[5.0, 1.0], [1.0, 4.0]])
    ),
    "PrevalenceDifference": lambda array: skpostbac.posterior_prevalence(
        13, 20, sensitivity=array([27.0, 30.0]), specificity=array([24.0, 30.0])
    ).difference(
        skpostbac.posterior_prevalence(3, 9, sensitivity=(27, 30), specificity=(24, 30))
    ),
    "PriorInfluence": lambda array: posterior(array).prior_influence(),
    "RequiredTestSize": planned,
    "SubgroupPosteriors": lambda array: skpostbac.subgroup_posteriors(
        array(Y_TRUE), array(Y_PRED), sensitive_features=array([0, 1] * 10)
    ),
    "ShiftedDistribution": lambda array: stats.ShiftedDistribution(
        stats.BetaAverage([3], [1]), -0.1
    ),
    "RopeMasses": lambda array: paired(array, rope=0.1).rope_masses("one", "two"),
}


def public_classes():
    """Return the public classes that are made to be kept, by name."""
    modules = [module for _, module in inspect.getmembers(skpostbac, inspect.ismodule)]
    found = {
        name: getattr(module, name) for module in modules for name in module.__all__
    }
    return {
        name: value
        for name, value in found.items()
        if inspect.isclass(value)
        and not issubclass(value, Warning)
        and not inspect.isabstract(value)
        and not name.endswith(("Display", "Plot"))
    }


def test_each_public_class_has_an_entry():
    """One that is new is tested as the others are."""
    assert sorted(MAKE) == sorted(public_classes())


EACH = pytest.mark.parametrize("name", MAKE)
# A scorer has metadata requests to be set.
FROZEN = sorted({*MAKE} - {"ClassCountsScorer", "OutcomesScorer"})
COPIES = {
    **{
        f"protocol {n}": lambda x, n=n: pickle.loads(pickle.dumps(x, n)) for n in (0, 5)
    },
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@cache
def made(name):
    """Return a result that has been asked for something."""
    result = MAKE[name](np.array)
    answers(result)
    return result


def hash_of(result):
    """Return the hash, None for what cannot be hashed."""
    try:
        return hash(result)
    except TypeError:
        return None


def arrays_in(value, depth=3):
    """Return the arrays that an object holds, and those in what it holds."""
    if isinstance(value, np.ndarray):
        return [value]
    held = (
        value if isinstance(value, tuple) else getattr(value, "__dict__", {}).values()
    )
    return (
        [array for part in held for array in arrays_in(part, depth - 1)]
        if depth
        else []
    )


def public_attributes(result):
    """Return the names of what a result stores or computes, without its methods."""
    names = {*dir(type(result)), *getattr(result, "__dict__", {})}
    return [
        name
        for name in sorted(names)
        if not (name.startswith("_") or callable(getattr(type(result), name, None)))
    ]


def asked(result):
    """Return calls of what is computed, and may be kept, when a result is asked for it."""
    if isinstance(result, BetaPrior):
        names = ("__repr__", "__str__", "report_sentences")
        return [methodcaller(name) for name in names]
    names = ("__repr__", "hdi", "rejects")
    if not isinstance(
        result, skpostbac.PosteriorRefit
    ):  # which describes the results of a search
        names += ("summary", "report")
    return [methodcaller(name) for name in names if hasattr(result, name)]


def answers(result):
    return repr([ask(result) for ask in asked(result)])


@EACH
def test_pickles_depend_on_what_an_object_is_and_not_on_its_past(name):
    """What was asked of it, and the way through a pickle, change nothing."""
    fresh, asked = MAKE[name](np.array), MAKE[name](np.array)
    assert isinstance(fresh, public_classes()[name])
    expected = answers(asked)
    restored = pickle.loads(pickle.dumps(asked))
    assert joblib.hash(fresh) == joblib.hash(asked) == joblib.hash(restored)
    assert answers(restored) == expected


@pytest.mark.slow
def test_other_processes_see_the_same():
    """A new process computes the same hashes and intervals."""
    results = [MAKE[name](np.array) for name in MAKE]
    with ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn")
    ) as pool:
        for ask in (joblib.hash, repr):
            found = pool.map(ask, results, chunksize=len(results))
            assert list(found) == [ask(result) for result in results]


@pytest.mark.slow
@EACH
def test_threads_share_a_result(name):
    """All threads ask a fresh object at once, and get what one of them alone gets."""
    expected, shared, barrier = (
        answers(MAKE[name](np.array)),
        MAKE[name](np.array),
        Barrier(8),
    )

    def ask_together(_):
        barrier.wait()
        return answers(shared)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # they interrupt each other as often as can be
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(ask_together, range(8))) == [expected] * 8
    finally:
        sys.setswitchinterval(before)


SAME_LABELS = {
    "text": [["a", "b"], np.array(["a", "b"], "U9"), np.array(["a", "b"], object)],
    "integers": [[0, 1], np.array([0, 1], np.int8), np.array([0, 1], ">u8")],
    "long integers": [
        [0, 2**63],
        np.array([0, 2**63], np.uint64),
        np.array([0, 2**63], object),
    ],
    "floats": [[0.0, 1.0], [-0.0, 1.0], np.array([0, 1], np.float32)],
    "booleans": [[False, True], np.array([False, True], object)],
    "dates": [np.array(["2020"], "M8[D]"), [np.datetime64("2020", "D")]],
}


@pytest.mark.parametrize("labels", SAME_LABELS.values(), ids=SAME_LABELS)
def test_the_same_counts_have_one_hash(labels):
    """Whichever array held the labels; a count of -0.0 is none."""
    one = [
        skpostbac.ClassCounts(classes, [zero] * len(classes), [2] * len(classes))
        for classes in labels
        for zero in (0.0, -0.0)
    ]
    two = [
        skpostbac.metrics.PairedCounts(["A"], classes, [0], [[True]], [3])
        for classes in labels
    ]
    for same in (one, two):
        assert len(set(same)) == len(set(map(joblib.hash, same))) == 1


def has_writeable_arrays(result):
    """Return whether a public attribute is an array that can be written to, or has one."""
    stored = [
        getattr(result, name)
        for name in public_attributes(result)
        if name in getattr(result, "__dict__", ())
    ]
    parts = [
        part
        for value in stored
        for part in (value if isinstance(value, tuple) else [value])
    ]
    return any(isinstance(part, np.ndarray) and part.flags.writeable for part in parts)


@EACH
def test_copies_are_equal_and_immutable(name):
    """In both directions, with one hash, or none; whatever was asked of the original."""
    result = made(name)
    for copied in COPIES.values():
        other = copied(result)
        assert type(other) is type(result)
        assert (result == other, other == result, result != other) == (
            True,
            True,
            False,
        )
        assert hash_of(result) == hash_of(other)
        if name in FROZEN:
            assert not has_writeable_arrays(other)
    assert result != "another"


@pytest.mark.parametrize("name", FROZEN)
def test_attributes_cannot_be_set(name):
    """Neither those that are stored nor those that are computed."""
    result = made(name)
    assert not has_writeable_arrays(result)
    for attribute in public_attributes(result):
        with pytest.raises(
            AttributeError, match=r"cannot assign|can't set|no setter|writable"
        ):
            setattr(result, attribute, None)


def test_zeros_are_equal():
    """Whatever their sign, as floats are."""
    assert (
        len({skpostbac.stats.DrawnDistribution([zero, 1.0]) for zero in (0.0, -0.0)})
        == 1
    )


@EACH
def test_memory_of_the_caller_is_not_kept(name):
    """Arrays that were given can be changed at will."""
    given = []

    def array(values):
        given.append(np.array(values))
        return given[-1]

    result = MAKE[name](array)
    held = arrays_in(result)
    assert not [one for one in held for other in given if np.shares_memory(one, other)]
    for values in given:
        values[...] = values.flat[0]
    assert result == made(name)


@pytest.mark.parametrize("function", [np.mean, np.median, np.std, np.sum])
def test_functions_of_numpy_name_the_class(function):
    """Some would call the method of their name with arguments that it has not."""
    match = f"numpy.{function.__name__} does not apply to a PosteriorBalancedAccuracy: call its"
    with pytest.raises(TypeError, match=match):
        function(posterior(np.array))


# Arguments: what asks for a metric, and priors; and counts with their design effects.
# Those of the binormal model are a few numbers.
NO_RESULTS = {
    "BetaPrior",
    "BinormalCheck",
    "BinormalModel",
    "CalibratedPrior",
    "ClassCounts",
    "ClassCountsScorer",
    "DesignEffects",
    "ExpectedCost",
    "MonteCarloError",
    "NetBenefit",
    "OutcomesScorer",
    "PairedCounts",
    "PriorInfluence",
}


@pytest.mark.parametrize("name", sorted(MAKE.keys() - NO_RESULTS))
def test_view_of_a_notebook(name, check_view):
    """Each has one: text that is well-formed, follows the theme, and has columns that line up."""
    result = made(name)
    text = result._repr_html_()
    check_view(text)
    first = f"<code>{escape(repr(result))}"
    if hasattr(result, "report") and ".stats." not in type(result).__module__:
        sentence = " ".join(str(result).split()).partition(";")[0].partition(". ")[0]
        first = escape(sentence)
    assert first in text.partition("<table")[0]
