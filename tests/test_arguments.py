"""What all distributions take for points, probabilities, levels, seeds and shapes."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from inspect import getmembers, isfunction, ismethod, signature
from math import comb, factorial

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
from skpostbac.binormal import BinormalModel, PosteriorBinormal, ScoreMoments, posterior_binormal
from skpostbac.metrics import DrawnPosterior
from skpostbac.stats import (
    BetaAverage,
    BetaRatio,
    HierarchicalBetaAverage,
    HierarchicalPairedDifference,
    LibbyNovickBeta,
    PairedDifference,
    PowerTransform,
)

NAN = np.nan
MATRIX = [[166, 25], [21, 188]]
FORMS = [[0, 0], [1, 1]], [[1, 2], [2, 3]]
BINORMAL = PosteriorBinormal(ScoreMoments(9, -1, 1), ScoreMoments(8, 1, 1), n_draws=500)
GROUPS = population_posterior([8, 9, 7], [10, 10, 10])
POSTERIOR = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10])
EXACT = {
    "BetaAverage": BetaAverage([3, 4], [2, 2]),
    "difference": BetaAverage([3, 4], [2, 2]) - BetaAverage([5], [1]),
    "HierarchicalBetaAverage": HierarchicalBetaAverage([4, 5], [5, 6]),
    "PairedDifference": PairedDifference([[5, 2, 1, 1], [3, 1, 1, 1]]),
    "BetaRatio": BetaRatio(BetaAverage([3], [2]), BetaAverage([2], [4]), *FORMS),
    "LibbyNovickBeta": LibbyNovickBeta(3, 2, factor=2),
    "PowerTransform": PowerTransform(BetaAverage([3, 4], [2, 2]), 0.5),
    "population mean": GROUPS.population_mean,
    "group": GROUPS.groups[1],
    "balanced accuracy": POSTERIOR,
    "accuracy": PosteriorAccuracy.from_counts([3, 4], [5, 5]),
    "binary equivalent": POSTERIOR.binary_equivalent(),
}
DRAWN = {
    "HierarchicalPairedDifference": HierarchicalPairedDifference([[5, 2, 1, 1]], n_draws=100),
    "DrawnPosterior": DrawnPosterior([1, 2, 2, 7]),
    "mcc": PosteriorConfusionMetric.from_confusion_matrix(MATRIX, "mcc", random_state=0),
    "binormal area": BINORMAL.roc_auc(),
}
ALL = EXACT | DRAWN
METHODS = {
    **dict.fromkeys(["cdf", "ccdf", "pdf", "logpdf", "logcdf", "logccdf"], "x"),
    **dict.fromkeys(["prob_above", "prob_below"], "value"),
    **dict.fromkeys(["icdf", "iccdf"], "p"),
}
# One of each kind for what is checked in the same place by all.
FEW = {name: ALL[name] for name in ("BetaAverage", "DrawnPosterior", "balanced accuracy", "mcc")}
RECURSIVE = []
RECURSIVE.append(RECURSIVE)

every_distribution = pytest.mark.parametrize("distribution", ALL.values(), ids=ALL)
one_of_each_kind = pytest.mark.parametrize("distribution", FEW.values(), ids=FEW)


def methods(distribution, *arguments):
    """Return the methods of a distribution that take such arguments, and their names."""
    found = {name: argument for name, argument in METHODS.items() if argument in arguments}
    return [
        (getattr(distribution, name), found[name]) for name in found if hasattr(distribution, name)
    ]


# NaN in, NaN out


@every_distribution
@pytest.mark.parametrize("shape", [(), (2,), (1000,), (2, 2, 2)], ids=str)
def test_quantiles_of_nan(distribution, shape, monkeypatch):
    """NaN, whatever the memory of the result held before."""
    empty = np.empty

    def poisoned(*args, **kwargs):
        array = empty(*args, **kwargs)
        array.fill(6.25)
        return array

    monkeypatch.setattr(np, "empty", poisoned)
    for method, _ in methods(distribution, "p"):
        values = method(np.full(shape, NAN))
        assert np.shape(values) == shape
        assert np.isnan(values).all()


@every_distribution
def test_quantiles_beside_nan(distribution):
    """Those of the other probabilities, in any shape."""
    for method, _ in methods(distribution, "p"):
        values = method([[NAN, 0.0, 0.25], [1.0, NAN, 0.5]])
        alone = [method(p) for p in (0.0, 0.25, 1.0, 0.5)]
        np.testing.assert_array_equal(
            np.isnan(values), [[True, False, False], [False, True, False]]
        )
        np.testing.assert_allclose(values[~np.isnan(values)], alone, rtol=1e-12)


@every_distribution
def test_points_that_are_nan(distribution):
    """No probability and no density; the points beside them have theirs."""
    for method, _ in methods(distribution, "x", "value"):
        assert np.isnan(method(NAN))
        values = method([NAN, 0.5])
        assert np.isnan(values[0])
        # Errors are absolute.
        np.testing.assert_allclose(values[1], method(0.5), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("x", "y"), [(NAN, 0.5), (0.5, NAN), (NAN, NAN)], ids=str)
def test_interval_with_a_limit_that_is_nan(x, y):
    """NaN, beside an interval that has a probability."""
    distribution = EXACT["BetaAverage"]
    values = distribution.cdf([x, 0.25], [y, 0.75])
    assert np.isnan(distribution.cdf(x, y))
    assert np.isnan(values[0])
    assert values[1] == pytest.approx(distribution.cdf(0.75) - distribution.cdf(0.25), rel=1e-12)


# What is no number

NO_NUMBERS = {
    "text": "a",
    "text of a number": "0.5",
    "list of text": ["0.5"],
    "bytes": b"1",
    "bytearray": bytearray(b"1"),
    "complex": 1j,
    "date": date(2020, 1, 1),
    "datetime64": np.datetime64("2020"),
    "timedelta64": np.timedelta64(1, "ns"),
    "None": None,
    "masked": np.ma.masked,
    "masked array": np.ma.array([0.1, 0.2], mask=[0, 1]),
    "masked item": [np.ma.masked, 0.5],
    "masked row": [np.ma.array([0.1, 0.2], mask=[0, 1])],
    "beyond a float": 10**400,
    "too long to be written": 10**5000,
    "fraction beyond a float": [Fraction(10**400)],
    "signalling NaN": Decimal("sNaN"),
    "ragged": [[0.1, 0.2], [0.3]],
    "list in itself": RECURSIVE,
    "lists in themselves": [RECURSIVE, RECURSIVE],
}


@one_of_each_kind
@pytest.mark.parametrize("values", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_what_is_no_number(distribution, values):
    """Refused by all methods, which name the argument as they spell it."""
    for method, argument in methods(distribution, "x", "value", "p"):
        with pytest.raises(ValueError, match=f"^{argument} must be an array of numbers"):
            method(values)


def test_upper_limit_that_is_no_number():
    """Named as it is spelled."""
    with pytest.raises(ValueError, match=r"^y must be an array of numbers, got 'a'$"):
        EXACT["BetaAverage"].cdf(0.5, "a")


@one_of_each_kind
def test_real_numbers_of_any_type(distribution):
    """Taken as the floats that they are, alone, in lists and in arrays of objects."""
    for method, _ in methods(distribution, "x", "value", "p"):
        half, quarter = method(0.5), method(0.25)
        for value in (Fraction(1, 2), Decimal("0.5"), np.float16(0.5), np.longdouble(0.5)):
            assert method(value) == half
        for values in (
            [Fraction(1, 4), Decimal("0.5")],
            np.array([Decimal("0.25"), 0.5], dtype=object),
        ):
            np.testing.assert_allclose(method(values), [quarter, half], rtol=1e-12, atol=1e-15)
        for value in (True, np.bool_(True)):
            assert method(value) == method(1.0)
        assert np.isnan(method(Decimal("nan")))


@one_of_each_kind
@pytest.mark.parametrize("far", [2**63, 2**70, 10**300], ids=["2^63", "2^70", "10^300"])
def test_long_integers(distribution, far):
    """Beyond all supports, though NumPy makes objects of them."""
    assert (distribution.cdf(far), distribution.ccdf(far)) == (1, 0)
    assert (distribution.cdf(-far), distribution.ccdf(-far)) == (0, 1)
    np.testing.assert_array_equal(distribution.ccdf([far, -far]), [0, 1])


@one_of_each_kind
@pytest.mark.parametrize("p", [-1e-300, [0.5, 1.5], 2**70, np.inf], ids=str)
def test_what_is_no_probability(distribution, p):
    """Refused, and the first one is told."""
    for method, _ in methods(distribution, "p"):
        with pytest.raises(ValueError, match=r"^p must lie in \[0, 1\], got "):
            method(p)


# Levels and other single numbers

NO_LEVELS = {
    "0": 0,
    "1": 1,
    "nan": NAN,
    "True": True,
    "text": "0.9",
    "None": None,
    "list": [0.5],
    "0-d array": np.array(0.9),
    "masked": np.ma.masked,
    "complex": 0.5j,
    "beyond a float": 10**400,
    "too long to be written": 10**5000,
    "1 as a float": Fraction(10**30 - 1, 10**30),
    "0 as a float": Decimal("1e-400"),
    "Decimal NaN": Decimal("nan"),
    "signalling NaN": Decimal("sNaN"),
}
EXACT_LEVELS = {"Fraction": Fraction(9, 10), "Decimal": Decimal("0.9"), "float": np.float64(0.9)}
COMPARISON = compare_posteriors({"a": POSTERIOR, "b": EXACT["balanced accuracy"]})
TAKE_LEVELS = {
    "interval": EXACT["BetaAverage"].interval,
    "hdi": EXACT["BetaAverage"].hdi,
    "drawn interval": DRAWN["DrawnPosterior"].interval,
    "drawn hdi": DRAWN["DrawnPosterior"].hdi,
    "drawn error": DRAWN["mcc"].credible_interval_error,
    "summary": POSTERIOR.summary,
    "report": POSTERIOR.report,
    "ranking": lambda level: COMPARISON.ranking("lower", level),
    "comparison summary": COMPARISON.summary,
    "comparison report": COMPARISON.report,
    "difference": lambda level: COMPARISON.difference_interval("a", "b", level),
    "groups": GROUPS.summary,
    "refit": lambda level: PosteriorRefit(level=level).level,
}


@pytest.mark.parametrize("level", NO_LEVELS.values(), ids=NO_LEVELS)
@pytest.mark.parametrize("method", TAKE_LEVELS.values(), ids=TAKE_LEVELS)
def test_what_is_no_level(method, level):
    """Refused, also if it is none as a float only."""
    with pytest.raises(ValueError, match=r"^level must be a number strictly between 0 and 1, got "):
        method(level)


@pytest.mark.parametrize("level", EXACT_LEVELS.values(), ids=EXACT_LEVELS)
@pytest.mark.parametrize("method", TAKE_LEVELS.values(), ids=TAKE_LEVELS)
def test_levels_of_any_type(method, level):
    """Of the same result as the float."""
    assert method(level) == method(0.9)


TAKE_NUMBERS = {
    "rope": lambda rope: compare_posteriors({"a": POSTERIOR, "b": POSTERIOR}, rope=rope).rope,
    "limit": lambda limit: PosteriorRefit(limit=limit).limit,
    "exponent": lambda exponent: PowerTransform(EXACT["BetaAverage"], exponent).exponent,
    "positive_fraction": lambda value: BinormalModel(0, 1, 1, 1, value).positive_fraction,
    "width": lambda width: required_test_size([0.9], width=width).assurance,
    "assurance": lambda value: required_test_size([0.9], width=0.3, assurance=value).target,
}


@pytest.mark.parametrize("value", [Fraction(1, 4), Decimal("0.25")], ids=["Fraction", "Decimal"])
@pytest.mark.parametrize("function", TAKE_NUMBERS.values(), ids=TAKE_NUMBERS)
def test_exact_numbers_elsewhere(function, value):
    """Of the same result as the float, and a float where they are kept."""
    assert repr(function(value)) == repr(function(0.25))


@pytest.mark.parametrize("value", ["a", 10**5000, Decimal("nan")], ids=["text", "huge", "NaN"])
@pytest.mark.parametrize("name", TAKE_NUMBERS)
def test_no_numbers_elsewhere(name, value):
    """Refused by name."""
    with pytest.raises(ValueError, match=f"^{name} must be"):
        TAKE_NUMBERS[name](value)


def test_positive_fraction_of_a_posterior():
    """Kept as a float."""
    posterior = PosteriorBinormal(BINORMAL.negative, BINORMAL.positive, Decimal("0.25"))
    assert repr(posterior.positive_fraction) == "0.25"


# Seeds

NO_SEEDS = {
    "True": True,
    "numpy True": np.bool_(True),
    "float": 1.5,
    "nan": NAN,
    "text": "a",
    "list": [1, 2],
    "list in itself": RECURSIVE,
    "array": np.array([3]),
    "complex": 1j,
    "masked": np.ma.masked,
    "module": np.random,
}


@one_of_each_kind
@pytest.mark.parametrize(
    "rng", [*NO_SEEDS.values(), np.random.RandomState(0)], ids=[*NO_SEEDS, "RandomState"]
)
def test_what_is_no_generator(distribution, rng):
    """Refused before NumPy, which a list that holds itself would crash, sees it."""
    with pytest.raises(TypeError, match=r"^rng must be None, a non-negative integer, or a Gen"):
        distribution.sample(rng=rng)


@one_of_each_kind
@pytest.mark.parametrize(
    "rng", [-1, np.int8(-3), -(10**400), -(10**5000)], ids=["-1", "int8", "long", "longer"]
)
def test_negative_seeds_of_generators(distribution, rng):
    """Refused."""
    with pytest.raises(ValueError, match=r"^rng must not be negative, got (-|one of type)"):
        distribution.sample(rng=rng)


@every_distribution
@pytest.mark.parametrize(
    "make",
    [
        lambda: 3,
        lambda: np.uint8(3),
        lambda: 10**50,
        lambda: np.random.SeedSequence(3),
        lambda: np.random.PCG64(3),
        lambda: np.random.default_rng(3),
    ],
    ids=["int", "uint8", "long", "SeedSequence", "BitGenerator", "Generator"],
)
def test_generators(distribution, make):
    """Each is what NumPy makes of it."""
    drawn = distribution.sample(3, rng=make())
    np.testing.assert_array_equal(drawn, distribution.sample(3, rng=np.random.default_rng(make())))


@pytest.mark.parametrize(
    ("seed", "error", "message"),
    [
        (True, TypeError, "seed must be a non-negative integer, got True"),
        (None, TypeError, "seed must be a non-negative integer, got None"),
        (-1, ValueError, "seed must not be negative, got -1"),
    ],
    ids=str,
)
def test_seed_of_a_posterior(seed, error, message):
    """An integer and nothing else: equal posteriors have equal draws."""
    with pytest.raises(error, match=message):
        PosteriorBinormal(BINORMAL.negative, BINORMAL.positive, seed=seed)


Y_TRUE, Y_PRED = [0] * 9 + [1] * 9, [0, 0, 1] * 3 + [1, 1, 0] * 3
TAKE_RANDOM_STATES = {
    "matrix": lambda seed: PosteriorConfusionMetric.from_confusion_matrix(
        MATRIX, "f1", n_draws=20, random_state=seed
    ).mean(),
    "binormal": lambda seed: (
        posterior_binormal(Y_TRUE, np.arange(18.0) ** 2, n_draws=20, random_state=seed).seed
    ),
    "comparison": lambda seed: compare_predictions(
        Y_TRUE, {"a": Y_PRED, "b": Y_PRED[::-1], "c": [0, 1] * 9}, n_draws=20, random_state=seed
    ).prob_best()[0],
    "test size": lambda seed: required_test_size([0.9], width=0.3, random_state=seed).assurance,
}
every_random_state = pytest.mark.parametrize(
    "function", TAKE_RANDOM_STATES.values(), ids=TAKE_RANDOM_STATES
)


@every_random_state
@pytest.mark.parametrize(
    "seed",
    [*NO_SEEDS.values(), -1, 2**32, 10**5000],
    ids=[*NO_SEEDS, "negative", "too large", "long"],
)
def test_what_is_no_random_state(function, seed):
    """Refused by name."""
    with pytest.raises(ValueError, match=r"^random_state must be None, an integer of at least 0"):
        function(seed)


@every_random_state
def test_random_states(function):
    """A seed, and a RandomState or Generator of it, give the same results twice."""
    for make in (
        lambda: 2**32 - 1,
        lambda: np.uint16(7),
        lambda: np.random.RandomState(3),
        lambda: np.random.default_rng(3),
    ):
        assert function(make()) == function(make())
    assert function(7) == function(np.random.RandomState(7))


# Shapes

NO_SHAPES = {
    "float": 1.5,
    "text": "3",
    "None": None,
    "True": True,
    "complex": 1j,
    "list in itself": RECURSIVE,
    "nested": ((2, 3),),
    "float inside": (2, 3.0),
}
IMPOSSIBLE_SHAPES = {
    "negative": -1,
    "negative inside": (2, -1),
    "too long": 10**20,
    "too long to be written": 10**5000,
    "too many values": (10**10, 10**10),
    "too many bytes": 2**62,
    "empty, but too long": (0, 10**20),
    "too many dimensions": (1,) * 65,
}


@one_of_each_kind
@pytest.mark.parametrize("shape", NO_SHAPES.values(), ids=NO_SHAPES)
def test_what_is_no_shape(distribution, shape):
    """Refused by name."""
    with pytest.raises(TypeError, match=r"^shape must be a non-negative integer or a tuple"):
        distribution.sample(shape, rng=0)


@one_of_each_kind
@pytest.mark.parametrize("shape", IMPOSSIBLE_SHAPES.values(), ids=IMPOSSIBLE_SHAPES)
def test_shapes_that_no_array_has(distribution, shape):
    """Refused by name."""
    with pytest.raises(ValueError, match=r"^shape must (not be negative|be that of an array)"):
        distribution.sample(shape, rng=0)


@every_distribution
@pytest.mark.parametrize("shape", [10**15, (10**8, 10**7)], ids=str)
def test_shapes_beyond_all_memory(distribution, shape):
    """NumPy says so: eight petabytes are more than a machine has addresses for."""
    with pytest.raises(MemoryError):
        distribution.sample(shape, rng=0)


@every_distribution
def test_shapes(distribution):
    """An integer of any type, or a sequence of them; a float for none."""
    assert isinstance(distribution.sample(rng=0), float)
    for shape, expected in (
        (0, (0,)),
        (np.int8(3), (3,)),
        ((2, 3), (2, 3)),
        ([2], (2,)),
        ((0, 5), (0, 5)),
    ):
        assert np.shape(distribution.sample(shape, rng=0)) == expected


# The probability of an interval


def beta_sum_cdf(shapes, s):
    """P(u_1 + u_2 <= s) for two Beta variables with integer parameters, s <= 1, exactly.

    The density is a sum of c u_1^p u_2^q, the integral of which over the triangle u_1 + u_2 <= s
    is c p! q! / (p + q + 2)! s^(p + q + 2).
    """
    (a, b), (c, d) = shapes
    total = Fraction(0)
    for i in range(b):
        for j in range(d):
            p, q = a - 1 + i, c - 1 + j
            sign = (-1) ** (i + j) * comb(b - 1, i) * comb(d - 1, j)
            share = Fraction(factorial(p) * factorial(q), factorial(p + q + 2))
            total += sign * share * s ** (p + q + 2)
    for first, second in shapes:
        total *= Fraction(factorial(first + second - 1), factorial(first - 1))
        total /= factorial(second - 1)
    return total


@pytest.mark.parametrize("shapes", [((10, 3), (8, 2)), ((20, 3), (12, 5))], ids=str)
@pytest.mark.parametrize(("far", "near"), [(2, 4), (4, 6), (4, 5)], ids=str)
def test_intervals_far_out(shapes, far, near):
    """On either side, as small as 1e-32 where nothing but rounding is left."""
    outer, inner = Fraction(1, 2**near), Fraction(1, 2**far)
    exact = float(beta_sum_cdf(shapes, 2 * inner) - beta_sum_cdf(shapes, 2 * outer))
    (a, b), (c, d) = shapes
    low, high = BetaAverage([a, c], [b, d]), BetaAverage([b, d], [a, c])
    for found in (
        low.cdf(float(outer), float(inner)),
        high.cdf(1 - float(inner), 1 - float(outer)),
        -high.cdf(1 - float(outer), 1 - float(inner)),
    ):
        assert found == pytest.approx(exact, rel=0, abs=1e-12)


def test_limits_that_do_not_fit():
    """Named with their shapes."""
    with pytest.raises(ValueError, match=r"^x and y must broadcast .* shapes \(2,\) and \(3,\)$"):
        EXACT["BetaAverage"].cdf([0.1, 0.2], [0.3, 0.4, 0.5])


def test_draws_have_a_seed_by_default():
    """Every function with a `random_state` returns the same in every call."""
    public = [getattr(skpostbac, name) for name in skpostbac.__all__] + [posterior_binormal]
    methods = [member for one in public for _, member in getmembers(one, ismethod)]
    functions = filter(isfunction, [*public, *(method.__func__ for method in methods)])
    parameters = [signature(function).parameters.get("random_state") for function in functions]
    defaults = [parameter.default for parameter in parameters if parameter is not None]
    assert len(defaults) > 5
    assert set(defaults) == {0}
