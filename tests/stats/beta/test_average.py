"""The contract of BetaAverage: input, shapes, ends of the support, operators, sampling."""

import pickle

import mpmath
import numpy as np
import pytest
from scipy import stats

from skpostbac.stats import BetaAverage, Interval

FUNCTIONS = ["pdf", "logpdf", "cdf", "ccdf", "logcdf", "logccdf"]
INVERSES = ["icdf", "iccdf"]
SHAPES = [(0,), (1,), (4,), (2, 3), (2, 0), (1, 2, 2)]
INF, NAN = float("inf"), float("nan")
# What rounding may leave in a probability, and in a density in units of 1.
ROUNDING = 1e-13
# From this on logs of tails are approximations.
SMALL = 1e-11


@pytest.fixture
def distribution():
    """Return the first classifier of Carrillo et al."""
    return BetaAverage([31, 9, 4], [3, 3, 2])


@pytest.fixture
def signed():
    """Return a distribution with weights of both signs and support [-0.5, 2]."""
    return BetaAverage([3, 5, 2.5], [2, 4, 1.5], weights=[1.5, -0.5, 0.5])


every_function = pytest.mark.parametrize("function", FUNCTIONS)
every_inverse = pytest.mark.parametrize("inverse", INVERSES)


# Shapes and types


@every_function
@pytest.mark.parametrize("x", [0.7, 1, np.float64(0.7), np.array(0.7), np.float32(0.5), -3, INF])
def test_scalar_gives_a_float(distribution, function, x):
    """A NumPy float is a float; a 0-d array is not."""
    value = getattr(distribution, function)(x)
    assert isinstance(value, float)
    assert np.shape(value) == ()


@every_function
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shape_of_x_is_kept(distribution, function, shape):
    """One value for each x, in its place."""
    x = np.linspace(-0.1, 1.1, int(np.prod(shape))).reshape(shape)
    values = getattr(distribution, function)(x)
    assert values.shape == shape
    assert values.dtype == np.float64
    for index in np.ndindex(shape):
        alone, value = getattr(distribution, function)(x[index]), values[index]
        if function.startswith("log"):
            alone, value = np.exp(alone), np.exp(value)
        np.testing.assert_allclose(value, alone, rtol=0, atol=ROUNDING)


@every_inverse
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shape_of_p_is_kept(distribution, inverse, shape):
    """One quantile for each p, in its place."""
    p = np.linspace(0, 1, int(np.prod(shape))).reshape(shape)
    values = getattr(distribution, inverse)(p)
    assert values.shape == shape
    for index in np.ndindex(shape):
        np.testing.assert_allclose(
            values[index], getattr(distribution, inverse)(p[index]), rtol=1e-11
        )


@every_inverse
@pytest.mark.parametrize("p", [0, 0.3, np.float64(0.3), np.array(0.3), 1])
def test_scalar_probability_gives_a_float(distribution, inverse, p):
    """Integers are probabilities too."""
    assert isinstance(getattr(distribution, inverse)(p), float)


@pytest.mark.parametrize("name", ["support", "interval", "hdi"])
def test_intervals_are_named_pairs(signed, name):
    """Two plain floats under their names, in order."""
    interval = getattr(signed, name)()
    assert isinstance(interval, Interval)
    low, high = interval
    assert type(low) is type(high) is float
    assert (interval.low, interval.high) == (low, high)
    assert low < high


def test_logs_belong_to_their_values(signed):
    """The functions and their logs are the same numbers, but for small tails."""
    x = np.linspace(-0.6, 2.1, 23)
    for name in ("pdf", "cdf", "ccdf"):
        values, logs = getattr(signed, name)(x), getattr(signed, f"log{name}")(x)
        np.testing.assert_allclose(values, np.exp(logs), rtol=1e-14, atol=2 * SMALL)


# The ends of the support and beyond


@pytest.mark.parametrize(
    ("weights", "low", "high"),
    [
        (None, 0.0, 1.0),
        ([1.5, -0.5, 0.5], -0.5, 2.0),
        ([-1.0, -2.0, -0.25], -3.25, 0.0),
        ([0.0, 0.0, 3.0], 0.0, 3.0),
        ([0.1, 0.2, 0.7], 0.0, 1.0),
    ],
    ids=["equal", "signed", "negative", "one", "tenths"],
)
def test_support(weights, low, high):
    """The sums of the negative and of the positive weights."""
    distribution = BetaAverage([3, 5, 2.5], [2, 4, 1.5], weights=weights)
    assert distribution.support() == pytest.approx((low, high), abs=1e-15)


@pytest.mark.parametrize("size", [2, 3, 6, 7, 10, 49, 1000])
def test_support_of_equal_weights_is_exact(size):
    """However l / l rounds when it is summed up."""
    assert BetaAverage(np.full(size, 3.0), np.full(size, 2.0)).support() == (0.0, 1.0)


def test_ends_of_the_support(signed):
    """The mass is all on one side, and a smooth density has vanished."""
    low, high = signed.support()
    assert [getattr(signed, function)(low) for function in FUNCTIONS] == [0, -INF, 0, 1, -INF, 0]
    assert [getattr(signed, function)(high) for function in FUNCTIONS] == [0, -INF, 1, 0, 0, -INF]


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        ([1], [1], 1, 1),
        ([2], [1], 0, 2),
        ([0.5], [0.5], INF, INF),
        ([0.5], [3], INF, 0),
        # Near an end of the sum of two, the density is 4 f(end) g(end) times the distance ^ order.
        ([0.5, 0.5], [0.5, 0.5], 2 / np.pi, 2 / np.pi),
        ([0.3, 0.5], [4, 0.5], INF, 0),
    ],
    ids=["uniform", "triangle", "arcsine", "j-shaped", "two arcsines", "l = 2"],
)
def test_density_at_the_ends(a, b, low, high):
    """The limit from inside: zero, a number, or infinite."""
    # Two log Gammas and their sum.
    np.testing.assert_allclose(BetaAverage(a, b).pdf([0, 1]), [low, high], rtol=1e-14, atol=1e-300)


# Probabilities of intervals


def test_probability_between(distribution):
    """P(x < X <= y), broadcast; minus that for y < x."""
    x, y = np.array([[0.5], [0.7]]), np.array([0.6, 0.9, 2.0])
    between = distribution.cdf(x, y)
    assert between.shape == (2, 3)
    # Differences of numbers up to one.
    np.testing.assert_allclose(
        between, distribution.cdf(y) - distribution.cdf(x), rtol=0, atol=1e-15
    )
    np.testing.assert_array_equal(distribution.cdf(y, x), -distribution.cdf(x, y))
    assert isinstance(distribution.cdf(0.5, 0.6), float)
    assert distribution.cdf(-INF, INF) == 1


def test_small_probability_between(distribution):
    """Both limits in the same tail: no digits are lost against one."""
    reflected = BetaAverage(distribution.b, distribution.a)
    upper = distribution.cdf(0.99, 0.995)
    assert upper == pytest.approx(reflected.cdf(0.005, 0.01), rel=1e-10)
    assert upper == pytest.approx(distribution.ccdf(0.99) - distribution.ccdf(0.995), rel=1e-10)


# Quantiles and intervals


DEEP = {
    "no samples correct": BetaAverage([1, 1], [5, 9]),
    "ordinary": BetaAverage([31, 9, 4], [3, 3, 2]),
    "perfect": BetaAverage([9, 1], [1, 1]),
    "signed": BetaAverage([3, 5, 2.5], [2, 4, 1.5], weights=[1.5, -0.5, 0.5]),
    "jeffreys": BetaAverage([7.5, 0.5, 0.5], [1.5, 0.5, 0.5]),
    "large": BetaAverage([31659, 22], [1, 2]),
    "two nearly empty": BetaAverage([0.5, 28.5, 0.5], [2.5, 2.5, 11.5]),
}


@pytest.mark.parametrize("distribution", DEEP.values(), ids=DEEP.keys())
@pytest.mark.parametrize("p", [1e-5, 1e-7, 1e-9])
def test_quantiles_of_small_probabilities(distribution, p):
    """Small probabilities have quantiles too, alone and in company."""
    for inverse, direct in (
        (distribution.icdf, distribution.cdf),
        (distribution.iccdf, distribution.ccdf),
    ):
        x = inverse(p)
        step = np.spacing(np.abs(x))
        # A tail that lies between those of the neighbouring doubles.
        ends = np.sort(direct([x - step, x + step]))
        assert ends[0] - ROUNDING <= p <= ends[1] + ROUNDING
        beside = inverse([0.5, p, 1 - 1e-9])[1]
        density = distribution.pdf([x, beside]).min()
        assert abs(beside - x) <= step + ROUNDING / density


@pytest.mark.parametrize("distribution", DEEP.values(), ids=DEEP.keys())
@every_inverse
def test_quantiles_of_tiny_probabilities(distribution, inverse):
    """Those of tails that are approximated are in order, and inside the support."""
    p = np.array([0.0, 1e-300, 1e-30, 1e-12, 1e-9])
    x = getattr(distribution, inverse)(p)
    assert (np.diff(x) * (1 if inverse == "icdf" else -1) >= 0).all()
    low, high = distribution.support()
    assert ((low <= x) & (x <= high)).all()


# Bad parameters

GOOD = {"a": [3.0, 5.0], "b": [2.0, 4.0], "weights": [0.5, 0.5]}


def refused(match, **changed):
    """Expect a ValueError that speaks of the changed parameter."""
    arguments = GOOD | changed
    with pytest.raises(ValueError, match=match):
        BetaAverage(arguments["a"], arguments["b"], weights=arguments["weights"])


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([], "non-empty"),
        ([1.0, NAN], "finite"),
        ([1.0, INF], "finite"),
        ([1.0, -INF], "finite"),
        (["one", "two"], "numbers"),
        ([1.0, [2.0]], "numbers"),
        ([1.0, 2j], "numbers"),
        ([1.0, 2.0, 3.0], "length"),
    ],
    ids=["empty", "nan", "inf", "-inf", "strings", "ragged", "complex", "longer"],
)
def test_bad_vector(name, values, why):
    """The message names the parameter and says what is wrong."""
    refused(rf"\b{name}\b.*{why}", **{name: values})


def test_one_number_as_weights():
    """It would be the same for all variables, of which there may be many."""
    refused(r"weights must be a non-empty array", weights=1.0)


@pytest.mark.parametrize("name", ["a", "b"])
@pytest.mark.parametrize("value", [0.0, -1.0, -1e-300])
def test_parameter_that_is_not_positive(name, value):
    """Both exponents of a Beta are positive."""
    refused(f"{name} must be positive", **{name: [1.0, value]})


def test_weights_that_are_all_zero():
    """The sum would be no variable."""
    refused("weights must not all be zero", weights=[0.0, -0.0])


def test_weights_by_position():
    """Three vectors in a row would be easy to mix up."""
    with pytest.raises(TypeError, match="positional"):
        BetaAverage([1], [1], [1])


# The parameters are the distribution's own


@pytest.mark.parametrize("name", GOOD)
def test_parameters_are_read_only(name):
    """Neither an entry nor the attribute can be replaced."""
    distribution = BetaAverage(GOOD["a"], GOOD["b"], weights=GOOD["weights"])
    with pytest.raises(ValueError, match="read-only"):
        getattr(distribution, name)[0] = 1.0
    with pytest.raises(AttributeError):
        setattr(distribution, name, np.ones(2))


@pytest.mark.parametrize("name", GOOD)
def test_parameters_are_copies(name):
    """What the caller does to the arrays later changes nothing."""
    arrays = {key: np.array(values) for key, values in GOOD.items()}
    distribution = BetaAverage(arrays["a"], arrays["b"], weights=arrays["weights"])
    arrays[name][:] = 7.0
    assert getattr(distribution, name).tolist() == GOOD[name]
    assert not np.shares_memory(getattr(distribution, name), arrays[name])


def test_default_weights():
    """One over the number of variables."""
    assert BetaAverage([1, 2, 3, 4], [1, 1, 1, 1]).weights.tolist() == [0.25] * 4


def test_pickle_keeps_parameters_read_only(signed):
    """Unpickled arrays are writeable in general."""
    other = pickle.loads(pickle.dumps(signed))
    with pytest.raises(ValueError, match="read-only"):
        other.weights[0] = 1.0


def test_repr(distribution):
    """One line with what the distribution is about."""
    assert repr(distribution) == "BetaAverage(mean=0.7761, sd=0.07338, n_variables=3)"


# Operators


def test_difference_is_built_from_both(distribution, signed):
    """All variables of both, those of the second with the opposite sign."""
    difference = distribution - signed
    direct = BetaAverage(
        [31, 9, 4, 3, 5, 2.5], [3, 3, 2, 2, 4, 1.5], weights=[1 / 3, 1 / 3, 1 / 3, -1.5, 0.5, -0.5]
    )
    x = np.linspace(-1.2, 1.2, 9)
    # The weights are the same doubles, up to the rounding of the support's ends.
    np.testing.assert_allclose(difference.cdf(x), direct.cdf(x), rtol=0, atol=ROUNDING)
    assert difference.mean() == pytest.approx(distribution.mean() - signed.mean(), rel=1e-14)
    assert difference.variance() == pytest.approx(
        distribution.variance() + signed.variance(), rel=1e-14
    )


def test_sign_of_a_difference():
    """P(theta_1 > theta_2) of two Betas, integrated by mpmath."""
    difference = BetaAverage([17], [5]) - BetaAverage([12.5], [4.5])

    def integrand(x):
        return x**16 * (1 - x) ** 4 * mpmath.betainc(12.5, 4.5, 0, x, regularized=True)

    with mpmath.workdps(25):
        expected = mpmath.quad(integrand, [0, 0.5, 0.8, 1]) / mpmath.beta(17, 5)
    assert difference.ccdf(0.0) == pytest.approx(float(expected), abs=1e-14)


def test_difference_of_a_distribution_and_itself(distribution):
    """Independent copies: symmetric, and not zero."""
    difference = distribution - distribution
    assert difference.mean() == 0
    assert difference.cdf(0.0) == pytest.approx(0.5, abs=1e-15)
    assert difference.variance() == pytest.approx(2 * distribution.variance(), rel=1e-14)


@pytest.mark.parametrize("other", [1, 0.5, "distribution", None, [0.5]], ids=str)
def test_foreign_operands(distribution, other):
    """Only two distributions have a difference; any other operand is refused from both sides."""
    with pytest.raises(TypeError, match="unsupported operand"):
        distribution - other
    with pytest.raises(TypeError, match="unsupported operand"):
        other - distribution


def test_zero_weights_drop_out():
    """A variable of weight zero changes nothing but the count."""
    full = BetaAverage([31, 0.5, 4], [3, 1e6, 2], weights=[0.75, 0.0, 0.25])
    without = BetaAverage([31, 4], [3, 2], weights=[0.75, 0.25])
    x = np.linspace(0.01, 0.99, 9)
    np.testing.assert_array_equal(full.logcdf(x), without.logcdf(x))
    assert full.support() == without.support()
    assert full.mode() == without.mode()
    # Summed in another order.
    assert full.kurtosis() == pytest.approx(without.kurtosis(), rel=1e-14)


# Sampling


@pytest.mark.parametrize("shape", [(), 3, (0,), (2, 3)], ids=str)
def test_sample_shape(signed, shape):
    """A float, or an array of the shape asked for, inside the support."""
    sample = signed.sample(shape, rng=0)
    assert np.shape(sample) == (shape if isinstance(shape, tuple) else (shape,))
    assert ((signed.support().low <= sample) & (sample <= signed.support().high)).all()


def test_sample_leaves_the_global_state_alone(signed):
    """Nor does it depend on it."""
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    signed.sample(5)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_sample_has_the_distribution(signed):
    """Moments within five standard errors, and no misfit found by Kolmogorov and Smirnov."""
    sample = signed.sample(20_000, rng=20240229)
    error = signed.standard_deviation() / np.sqrt(sample.size)
    assert sample.mean() == pytest.approx(signed.mean(), abs=5 * error)
    # The standard error of a variance is sqrt((kurtosis + 2) / n) of it.
    relative = np.sqrt((signed.kurtosis() + 2) / sample.size)
    assert sample.var() == pytest.approx(signed.variance(), rel=5 * relative)
    assert stats.kstest(sample[:2000], signed.cdf).pvalue > 1e-3


# One variable


def log_beta_cdf(a, b, x):
    """Return log P(theta <= x) by a series of positive terms (DLMF 8.17.8)."""
    with mpmath.workdps(400):
        a, b, x = mpmath.mpf(a), mpmath.mpf(b), mpmath.mpf(x)
        if x > a / (a + b):
            return float(mpmath.log1p(-mpmath.exp(log_beta_cdf(b, a, 1 - x))))
        term = x**a * (1 - x) ** b / (a * mpmath.beta(a, b))
        total, k = mpmath.mpf(0), 0
        while term > total * mpmath.mpf("1e-30"):
            total += term
            term *= x * (a + b + k) / (a + 1 + k)
            k += 1
        return float(mpmath.log(total))


@pytest.mark.parametrize(
    ("a", "b", "x"),
    [(18, 4, 1e-20), (9001, 1001, 0.5), (0.5, 3000.5, 0.4), (1e6, 1e6, 0.49), (41, 1, 1e-9)],
)
def test_one_variable_in_the_tail(a, b, x):
    """Against mpmath. A tail below the smallest double is approximated."""
    distribution = BetaAverage([a], [b])
    expected = [log_beta_cdf(a, b, x), log_beta_cdf(b, a, 1 - mpmath.mpf(x))]
    for found, log_tail in zip(
        [distribution.logcdf(x), distribution.logccdf(x)], expected, strict=True
    ):
        allowed = 1e-12 + (1e-11 * abs(log_tail) if log_tail > np.log(1e-290) else 0.05)
        assert found == pytest.approx(log_tail, abs=allowed)


@pytest.mark.parametrize("n", [10.0, 1e3, 1e5, 1e7, 740896616.2151568])
@pytest.mark.parametrize("weight", [1.0, -1.0, -0.7820615145037024])
def test_one_perfect_class(n, weight):
    """P(theta <= y) = y^n in closed form, beside either end of the support and however narrow."""
    distribution = BetaAverage([n], [1.0], weights=[weight])
    # From the bulk of the distribution to its far tail, in its own scale.
    x = weight * (1 - np.array([0.01, 0.2, 0.5, 1.0, 3.0, 30.0]) / (n + 31))
    with mpmath.workdps(40):
        expected = [float((mpmath.mpf(value) / mpmath.mpf(weight)) ** n) for value in x]
    found = distribution.cdf(x) if weight > 0 else distribution.ccdf(x)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weight", [-1.0, 1e-6, 3e5])
def test_one_variable_of_any_weight(weight):
    """The weight is a scale, and turns the distribution around where it is negative."""
    distribution, plain = BetaAverage([18], [4], weights=[weight]), BetaAverage([18], [4])
    p = np.array([1e-20, 0.3, 0.9])
    expected = weight * (plain.icdf(p) if weight > 0 else plain.iccdf(p))
    np.testing.assert_allclose(distribution.icdf(p), expected, rtol=1e-13)


@pytest.mark.parametrize("n_terms", [1023, 1024, 2000])
def test_mode_of_many_terms(n_terms):
    """Symmetric terms have it in the middle, however many corners their box has."""
    assert BetaAverage(np.full(n_terms, 2), np.full(n_terms, 2)).mode() == pytest.approx(0.5)


@pytest.mark.parametrize("seed", [5, 11])
def test_logs_beside_parameters_of_any_size(seed):
    """Their saddlepoints neither overflow nor underflow."""
    rng = np.random.default_rng(seed)
    a, b = np.exp(rng.uniform(-1, 17, 50)), np.exp(rng.uniform(-1, 17, 50))
    weights = rng.dirichlet(np.ones(50))
    weights[rng.random(50) < 0.3] = 0
    weights[0] = 0.5
    a, b = 10 ** rng.uniform(-6, 15, 50), 10 ** rng.uniform(-6, 15, 50)
    distribution = BetaAverage(a, b, weights=weights)
    x = np.linspace(*distribution.support(), 60)[1:-1]
    sd = distribution.standard_deviation()
    x = np.append(x, distribution.mean() + sd * np.linspace(-12, 12, 40))
    inside = (x > distribution.support().low) & (x < distribution.support().high)
    assert np.isfinite(distribution.logcdf(x[inside])).all()
