"""What all distributions take for points, probabilities, levels, seeds and shapes."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from inspect import getmembers, isfunction, ismethod, signature

import numpy as np
import pytest

import skpostbac
from skpostbac import (
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    PosteriorRefit,
    compare_posteriors,
    compare_predictions,
    population_posterior,
    required_test_size,
)
from skpostbac.binormal import BinormalModel
from skpostbac.stats import (
    BetaAverage,
    BetaRatio,
    DrawnDistribution,
    PairedDifference,
)
from skpostbac.stats._transforms import OddsTransform, PowerTransform

NAN = np.nan
MATRIX = [[166, 25], [21, 188]]
FORMS = [[0, 0], [1, 1]], [[1, 2], [2, 3]]
GROUPS = population_posterior([8, 9, 7], [10, 10, 10])
POSTERIOR = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10])
EXACT = {
    "BetaAverage": BetaAverage([3, 4], [2, 2]),
    "difference": BetaAverage([3, 4], [2, 2]) - BetaAverage([5], [1]),
    "PairedDifference": PairedDifference([[5, 2, 1, 1], [3, 1, 1, 1]]),
    "BetaRatio": BetaRatio(BetaAverage([3], [2]), BetaAverage([2], [4]), *FORMS),
    "OddsTransform": OddsTransform(BetaAverage([3], [2]), 2),
    "PowerTransform": PowerTransform(BetaAverage([3, 4], [2, 2]), 0.5),
    "population mean": GROUPS.population_mean,
    "group": GROUPS.groups[1],
    "balanced accuracy": POSTERIOR,
    "accuracy": PosteriorAccuracy.from_counts([3, 4], [5, 5]),
    "binary equivalent": POSTERIOR.binary_equivalent(),
}
DRAWN = {
    "DrawnDistribution": DrawnDistribution([1, 2, 2, 7]),
    "mcc": PosteriorConfusionMetric.from_confusion_matrix(
        MATRIX, "mcc", random_state=0
    ),
}
ALL = EXACT | DRAWN
METHODS = {
    **dict.fromkeys(["cdf", "ccdf", "pdf", "logpdf", "logcdf", "logccdf"], "x"),
    **dict.fromkeys(["prob_above", "prob_below"], "value"),
    **dict.fromkeys(["icdf", "iccdf"], "p"),
}
# One of each kind for what is checked in the same place by all.
FEW = {
    name: ALL[name]
    for name in ("BetaAverage", "DrawnDistribution", "balanced accuracy", "mcc")
}
RECURSIVE = []
RECURSIVE.append(RECURSIVE)

every_distribution = pytest.mark.parametrize("distribution", ALL.values(), ids=ALL)
one_of_each_kind = pytest.mark.parametrize("distribution", FEW.values(), ids=FEW)


def methods(distribution, *arguments):
    """Return the methods of a distribution that take such arguments, and their names."""
    found = {
        name: argument for name, argument in METHODS.items() if argument in arguments
    }
    return [
        (getattr(distribution, name), found[name])
        for name in found
        if hasattr(distribution, name)
    ]


# NaN in, NaN out


@every_distribution
def test_nan_in_nan_out(distribution, monkeypatch):
    """In any shape, whatever the memory of the result held before; not for what is beside it."""
    empty = np.empty

    def poisoned(*args, **kwargs):
        array = empty(*args, **kwargs)
        array.fill(6.25)
        return array

    monkeypatch.setattr(np, "empty", poisoned)
    for method, argument in methods(distribution, "x", "value", "p"):
        for shape in ((), (2,), (1000,), (2, 2, 2)) if argument == "p" else [()]:
            values = method(np.full(shape, NAN))
            assert np.shape(values) == shape
            assert np.isnan(values).all()
        values = method([[NAN, 0.0, 0.25], [1.0, NAN, 0.5]])
        np.testing.assert_array_equal(np.isnan(values[[0, 1], [0, 1]]), True)
        alone = [method(point) for point in (0.0, 0.25, 1.0, 0.5)]
        beside = values[[0, 0, 1, 1], [1, 2, 0, 2]]
        # Errors of probabilities are absolute, so that those of their logarithms are not.
        if method.__name__.startswith("log"):
            alone, beside = np.exp(alone), np.exp(beside)
        np.testing.assert_allclose(beside, alone, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("x", "y"), [(NAN, 0.5), (0.5, NAN), (NAN, NAN)], ids=str)
def test_interval_with_a_limit_that_is_nan(x, y):
    """NaN, beside an interval that has a probability."""
    distribution = EXACT["BetaAverage"]
    expected = [NAN, distribution.cdf(0.75) - distribution.cdf(0.25)]
    np.testing.assert_allclose(
        distribution.cdf([x, 0.25], [y, 0.75]), expected, rtol=1e-12
    )
    assert np.isnan(distribution.cdf(x, y))


# What is no number

NO_NUMBERS = ["a", "0.5", ["0.5"], b"1", 1j, date(2020, 1, 1), None]
NO_NUMBERS += [np.datetime64("2020"), np.timedelta64(1, "ns"), Decimal("sNaN")]
MASKED = np.ma.array([0.1, 0.2], mask=[0, 1])
NO_NUMBERS += [np.ma.masked, MASKED]
NO_NUMBERS += [
    10**400,
    10**5000,
    [Fraction(10**400)],
]  # the second is too long to be written
NO_NUMBERS += [[[0.1, 0.2], [0.3]], RECURSIVE, [RECURSIVE, RECURSIVE]]


@one_of_each_kind
def test_what_is_no_number(distribution):
    """Refused by all methods, which name the argument as they spell it."""
    for values in NO_NUMBERS:
        for method, argument in methods(distribution, "x", "value", "p"):
            with pytest.raises(
                ValueError, match=f"^{argument} must be an array of numbers"
            ):
                method(values)
    with pytest.raises(ValueError, match=r"^y must be an array of numbers, got 'a'$"):
        EXACT["BetaAverage"].cdf(0.5, "a")


@one_of_each_kind
def test_real_numbers_of_any_type(distribution):
    """Taken as the floats that they are, alone, in lists and in arrays of objects."""
    for method, _ in methods(distribution, "x", "value", "p"):
        half, quarter = method(0.5), method(0.25)
        for value in (
            Fraction(1, 2),
            Decimal("0.5"),
            np.float16(0.5),
            np.longdouble(0.5),
        ):
            assert method(value) == half
        for values in (
            [Fraction(1, 4), Decimal("0.5")],
            np.array([Decimal("0.25"), 0.5], dtype=object),
        ):
            np.testing.assert_allclose(
                method(values), [quarter, half], rtol=1e-12, atol=1e-15
            )
        for value in (True, np.bool_(True)):
            assert method(value) == method(1.0)
        assert np.isnan(method(Decimal("nan")))


@one_of_each_kind
def test_long_integers(distribution):
    """Beyond all supports, though NumPy makes objects of them."""
    distribution = getattr(distribution, "distribution", distribution)
    for far in (2**63, 2**70, 10**300):
        assert (distribution.cdf(far), distribution.ccdf(far)) == (1, 0)
        assert (distribution.cdf(-far), distribution.ccdf(-far)) == (0, 1)
        np.testing.assert_array_equal(distribution.ccdf([far, -far]), [0, 1])


@one_of_each_kind
def test_what_is_no_probability(distribution):
    """Refused, and the first one is told."""
    for p in (-1e-300, [0.5, 1.5], 2**70, np.inf):
        for method, _ in methods(distribution, "p"):
            with pytest.raises(ValueError, match=r"^p must lie in \[0, 1\], got "):
                method(p)


# Levels and other single numbers

NO_LEVELS = [0, 1, NAN, True, "0.9", None, [0.5], np.array(0.9), np.ma.masked, 0.5j]
NO_LEVELS += [10**400, 10**5000, Fraction(10**30 - 1, 10**30), Decimal("1e-400")]
NO_LEVELS += [Decimal("nan"), Decimal("sNaN")]
COMPARISON = compare_posteriors({"a": POSTERIOR, "b": EXACT["balanced accuracy"]})
TAKE_LEVELS = {
    "interval": EXACT["BetaAverage"].interval,
    "hdi": EXACT["BetaAverage"].hdi,
    "drawn interval": DRAWN["DrawnDistribution"].interval,
    "drawn hdi": DRAWN["DrawnDistribution"].hdi,
    "drawn error": DRAWN["mcc"].distribution.credible_interval_error,
    "summary": POSTERIOR.summary,
    "report": POSTERIOR.report,
    "ranking": lambda level: COMPARISON.ranking("lower", level),
    "comparison summary": COMPARISON.summary,
    "comparison report": COMPARISON.report,
    "difference": lambda level: COMPARISON.difference_interval("a", "b", level),
    "groups": GROUPS.summary,
    "refit": lambda level: PosteriorRefit(level=level).level,
}


@pytest.mark.parametrize("method", TAKE_LEVELS.values(), ids=TAKE_LEVELS)
def test_levels(method):
    """Of any type, with the result of the float; refused if they are none, also as a float only."""
    for level in NO_LEVELS:
        with pytest.raises(
            ValueError, match=r"^level must be a number strictly between 0 and 1, "
        ):
            method(level)
    for level in (Fraction(9, 10), Decimal("0.9"), np.float64(0.9)):
        assert method(level) == method(0.9)


TAKE_NUMBERS = {
    "rope": lambda rope: (
        compare_posteriors({"a": POSTERIOR, "b": POSTERIOR}, rope=rope).rope
    ),
    "limit": lambda limit: PosteriorRefit(limit=limit).limit,
    "positive_fraction": lambda value: (
        BinormalModel(0, 1, 1, 1, value).positive_fraction
    ),
    "width": lambda width: required_test_size([0.9], width=width, level=0.5).assurance,
    "assurance": lambda value: (
        required_test_size([0.9], width=0.9, assurance=value).target
    ),
}


@pytest.mark.parametrize(("name", "function"), TAKE_NUMBERS.items(), ids=TAKE_NUMBERS)
def test_exact_numbers_elsewhere(name, function):
    """Of the same result as the float, and a float where they are kept."""
    for value in (Fraction(1, 4), Decimal("0.25")):
        assert repr(function(value)) == repr(function(0.25))
    for value in ("a", 10**5000, Decimal("nan")):
        with pytest.raises(ValueError, match=f"^{name} must be"):
            function(value)


# Seeds

NO_SEEDS = [True, np.bool_(True), 1.5, NAN, "a", [1, 2], RECURSIVE, np.array([3]), 1j]
NO_SEEDS += [np.ma.masked, np.random]


@one_of_each_kind
def test_what_is_no_generator(distribution):
    """Refused before NumPy, which a list that holds itself would crash, sees it."""
    for rng in (*NO_SEEDS, np.random.RandomState(0)):
        with pytest.raises(
            TypeError, match=r"^rng must be None, a non-negative integer, or a Gen"
        ):
            distribution.sample(rng=rng)
    for rng in (-1, np.int8(-3), -(10**400), -(10**5000)):
        with pytest.raises(ValueError, match=r"^rng must not be negative, got [-o<]"):
            distribution.sample(rng=rng)


@every_distribution
def test_generators(distribution):
    """Each is what NumPy makes of it."""
    for make in (
        np.random.SeedSequence,
        np.random.PCG64,
        np.random.default_rng,
        int,
        np.uint8,
    ):
        expected = distribution.sample(3, rng=np.random.default_rng(make(3)))
        np.testing.assert_array_equal(distribution.sample(3, rng=make(3)), expected)


Y_TRUE, Y_PRED = [0] * 9 + [1] * 9, [0, 0, 1] * 3 + [1, 1, 0] * 3
TAKE_RANDOM_STATES = {
    "matrix": lambda seed: PosteriorConfusionMetric.from_confusion_matrix(
        MATRIX, "f1", n_draws=20, random_state=seed
    ).mean(),
    "comparison": lambda seed: compare_predictions(
        Y_TRUE,
        {"a": Y_PRED, "b": Y_PRED[::-1], "c": [0, 1] * 9},
        n_draws=20,
        random_state=seed,
    ).prob_best()[0],
    "test size": lambda seed: (
        required_test_size([0.9], width=0.9, random_state=seed).assurance
    ),
}


@pytest.mark.parametrize(
    "function", TAKE_RANDOM_STATES.values(), ids=TAKE_RANDOM_STATES
)
def test_random_states(function):
    """A seed, and a RandomState or Generator of it, give the same results twice."""
    for make in (
        lambda: 2**32 - 1,
        lambda: np.random.RandomState(3),
        lambda: np.random.default_rng(3),
    ):
        assert function(make()) == function(make())
    assert function(np.uint16(7)) == function(np.random.RandomState(7))
    for seed in (*NO_SEEDS, -1, 2**32, 10**5000):
        with pytest.raises(
            ValueError, match=r"^random_state must be None, an integer of at least"
        ):
            function(seed)


# Shapes

NO_SHAPES = [1.5, "3", None, True, 1j, RECURSIVE, ((2, 3),), (2, 3.0)]
# The last four: too many values, too many bytes, empty but too long, and too many dimensions.
IMPOSSIBLE_SHAPES = [-1, (2, -1), 10**20, 10**5000]
IMPOSSIBLE_SHAPES += [(10**10, 10**10), 2**62, (0, 10**20), (1,) * 65]


@one_of_each_kind
def test_what_is_no_shape(distribution):
    """Refused by name."""
    for shape in NO_SHAPES:
        with pytest.raises(
            TypeError, match=r"^shape must be a non-negative integer or a tuple"
        ):
            distribution.sample(shape, rng=0)
    for shape in IMPOSSIBLE_SHAPES:
        with pytest.raises(
            ValueError, match=r"^shape must (not be negative|be that of an array)"
        ):
            distribution.sample(shape, rng=0)


@every_distribution
def test_shapes(distribution):
    """An integer of any type, or a sequence of them; a float for none."""
    assert isinstance(distribution.sample(rng=0), float)
    shapes = {0: (0,), np.int8(3): (3,), (2, 3): (2, 3), (0, 5): (0, 5)}
    for shape, expected in shapes.items():
        assert np.shape(distribution.sample(shape, rng=0)) == expected
    assert np.shape(distribution.sample([2], rng=0)) == (2,)
    # NumPy says so: eight petabytes are more than a machine has addresses for.
    for shape in (10**15, (10**8, 10**7)):
        with pytest.raises(MemoryError):
            distribution.sample(shape, rng=0)


# The probability of an interval


def test_draws_have_a_seed_by_default():
    """Every function with a `random_state` returns the same in every call."""
    public = [getattr(skpostbac, name) for name in skpostbac.__all__]
    methods = [member for one in public for _, member in getmembers(one, ismethod)]
    functions = filter(isfunction, [*public, *(method.__func__ for method in methods)])
    parameters = [
        signature(function).parameters.get("random_state") for function in functions
    ]
    defaults = [parameter.default for parameter in parameters if parameter is not None]
    assert len(defaults) > 5
    assert set(defaults) == {0}
