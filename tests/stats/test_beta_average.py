"""The contract of BetaAverage, one and many: input, shapes, ends, operators, draws, corners."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import betainc, betaln, gammaincc, poch

from skpostbac.stats import BetaAverage, BetaAverages, Interval

FUNCTIONS = ["pdf", "logpdf", "cdf", "ccdf", "logcdf", "logccdf"]
INF, NAN = float("inf"), float("nan")
# What rounding may leave in a probability, and in a density in units of 1.
ROUNDING, SAME = 1e-13, 1e-12
# The first classifier of Carrillo et al., and weights of both signs with the support [-0.5, 2].
ORDINARY = BetaAverage([31, 9, 4], [3, 3, 2])
SIGNED = BetaAverage([3, 5, 2.5], [2, 4, 1.5], weights=[1.5, -0.5, 0.5])


# Shapes, ends of the support, intervals


@pytest.mark.parametrize("function", [*FUNCTIONS, "icdf", "iccdf"])
def test_shapes(function):
    """One value for each x, in its place; a number gives a float."""
    ask = getattr(ORDINARY, function)
    for shape in ((), (0,), (4,), (2, 0), (1, 2, 2)):
        x = np.linspace(0, 1, int(np.prod(shape))).reshape(shape)
        values = ask(x)
        assert np.shape(values) == shape
        assert np.asarray(values).dtype == np.float64
        alone = np.reshape([ask(one) for one in x.ravel()], shape)
        is_log = function.startswith("log")
        (found, expected) = (
            (np.exp(values), np.exp(alone)) if is_log else (values, alone)
        )
        assert_allclose(found, expected, rtol=1e-11, atol=ROUNDING)
    for x in (1, 0.7, np.float64(0.7), np.array(0.7), np.float32(0.5)):
        assert isinstance(ask(x), float)


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
    for name in ("support", "interval", "hdi"):
        interval = getattr(distribution, name)()
        assert isinstance(interval, Interval)
        assert type(interval.low) is type(interval.high) is float


def test_an_interval_is_shown_with_the_decimals_that_tell_its_ends_apart():
    """Its values have all digits."""
    interval = Interval(0.6706770295737599, 0.8866685823233746)
    assert repr(interval) == "Interval(low=0.6707, high=0.8867)"
    assert (
        repr(Interval(0.99999991, 1.0)) == "Interval(low=0.999999910, high=1.000000000)"
    )
    assert interval.low == 0.6706770295737599


@pytest.mark.parametrize("size", [2, 3, 6, 7, 10, 49, 1000])
def test_support_of_equal_weights_is_exact(size):
    """However l / l rounds when it is summed up; the mode of symmetric terms is in the middle."""
    distribution = BetaAverage(np.full(size, 2.0), np.full(size, 2.0))
    assert distribution.support() == (0.0, 1.0)
    assert distribution.mode() == pytest.approx(0.5)


def test_ends_of_the_support():
    """The mass is all on one side, and a smooth density has vanished."""
    low, high = SIGNED.support()
    assert [getattr(SIGNED, function)(low) for function in FUNCTIONS] == [
        0,
        -INF,
        0,
        1,
        -INF,
        0,
    ]
    assert [getattr(SIGNED, function)(high) for function in FUNCTIONS] == [
        0,
        -INF,
        1,
        0,
        0,
        -INF,
    ]


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        ([1], [1], 1, 1),
        ([2], [1], 0, 2),
        ([0.5], [3], INF, 0),
        # Near an end of the sum of two, the density is 4 f(end) g(end) times the distance ^ order.
        ([0.5, 0.5], [0.5, 0.5], 2 / np.pi, 2 / np.pi),
        ([0.3, 0.5], [4, 0.5], INF, 0),
    ],
    ids=["uniform", "triangle", "j-shaped", "two arcsines", "l = 2"],
)
def test_density_at_the_ends(a, b, low, high):
    """The limit from inside: zero, a number, or infinite."""
    assert_allclose(BetaAverage(a, b).pdf([0, 1]), [low, high], rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("a", [(1e5 + 0.5, 2.5), (1e5 + 0.5, 12.5), (1e7 + 0.5, 1.5)])
def test_mode_beside_a_narrow_variable(a):
    """Two perfect classes: the density falls from the end, however much larger one of them is."""
    distribution = BetaAverage(a, [0.5, 0.5])
    assert distribution.mode() == 1.0
    # Near the end, the convolution of prod_i (2 / (pi d))^(1/2) Gamma(a_i + 1/2) / Gamma(a_i).
    assert distribution.pdf(1.0) == pytest.approx(2 * poch(a, 0.5).prod(), rel=1e-8)


def test_probability_between():
    """P(x < X <= y), broadcast; minus that for y < x; no digits are lost against one."""
    x, y = np.array([[0.5], [0.7]]), np.array([0.6, 0.9, 2.0])
    between = ORDINARY.cdf(x, y)
    assert_allclose(between, ORDINARY.cdf(y) - ORDINARY.cdf(x), rtol=0, atol=1e-15)
    assert_array_equal(ORDINARY.cdf(y, x), -between)
    assert isinstance(ORDINARY.cdf(0.5, 0.6), float)
    assert ORDINARY.cdf(-INF, INF) == 1
    reflected = BetaAverage(ORDINARY.b, ORDINARY.a)
    assert ORDINARY.cdf(0.99, 0.995) == pytest.approx(
        reflected.cdf(0.005, 0.01), rel=1e-10
    )
    with pytest.raises(ValueError, match="x and y must broadcast"):
        ORDINARY.cdf([1, 2], [1, 2, 3])


@pytest.mark.parametrize(
    "distribution",
    [
        ORDINARY,
        SIGNED,
        BetaAverage([9, 1], [1, 1]),
        BetaAverage([31659, 22], [1, 2]),
        BetaAverage([0.5, 28.5, 0.5], [2.5, 2.5, 11.5]),
    ],
    ids=["ordinary", "signed", "perfect", "large", "two nearly empty"],
)
@pytest.mark.parametrize("inverse", ["icdf", "iccdf"])
def test_quantiles_of_tiny_probabilities(distribution, inverse):
    """Those of tails that are approximated are in order, and inside the support."""
    p = np.array([0.0, 1e-300, 1e-30, 1e-12, 1e-9])
    x = getattr(distribution, inverse)(p)
    assert (np.diff(x) * (1 if inverse == "icdf" else -1) >= 0).all()
    low, high = distribution.support()
    assert ((low <= x) & (x <= high)).all()


# Parameters


GOOD = {"a": [3.0, 5.0], "b": [2.0, 4.0], "weights": [0.5, 0.5]}


def made(**changed):
    """Make a distribution of good parameters but for some."""
    arguments = GOOD | changed
    return BetaAverage(arguments["a"], arguments["b"], weights=arguments["weights"])


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([], "non-empty"),
        ([1.0, NAN], "finite"),
        ([1.0, -INF], "finite"),
        (["one", "two"], "numbers"),
        ([1.0, [2.0]], "numbers"),
        ([1.0, 2j], "numbers"),
        ([1.0, 2.0, 3.0], "length"),
    ],
    ids=["empty", "nan", "-inf", "strings", "ragged", "complex", "longer"],
)
def test_bad_vector(name, values, why):
    """The message names the parameter and says what is wrong."""
    with pytest.raises(ValueError, match=rf"\b{name}\b.*{why}"):
        made(**{name: values})


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"weights": 1.0}, "weights must be a non-empty array"),
        ({"a": [1.0, 0.0]}, "a must be positive"),
        ({"b": [1.0, -1e-300]}, "b must be positive"),
        ({"a": None}, "^a must be an array of numbers, got None"),
        ({"weights": [0.0, -0.0]}, "weights must not all be zero"),
        (
            {"a": np.ones((2, 3)), "b": np.ones((2, 2))},
            "same length along the last axis; got 3 an",
        ),
        (
            {"a": np.ones((2, 2)), "b": np.ones((4, 2))},
            r"must broadcast .* \(2, 2\), \(4, 2\)",
        ),
        ({"a": np.ones((2, 3)), "b": np.ones(3)}, "weights must have length 3 along"),
        (
            {"a": np.ones((3, 2)), "weights": np.zeros((3, 2))},
            "weights must not all be zero",
        ),
        (
            {"a": np.ones((3, 2)), "weights": np.full((3, 2), 1e-80)},
            "weights must be zero or betw",
        ),
        ({"a": np.ones((2, 0)), "b": np.ones((2, 0))}, "a must be a non-empty array"),
        ({"a": 3, "b": 2}, "a must be a non-empty array"),
        ({"a": np.ones((3, 2)), "b": -1.0}, "b must be positive"),
        ({"a": np.full((3, 2), np.inf)}, "a must be finite"),
        ({"a": np.full((3, 2), 1e-7)}, "a must lie between"),
    ],
    ids=str,
)
def test_bad_parameters(changed, match):
    """One distribution, or many."""
    with pytest.raises(ValueError, match=match):
        made(**changed)


@pytest.mark.parametrize("name", GOOD)
def test_parameters_are_read_only_copies(name):
    """What the caller does to the arrays later changes nothing."""
    arrays = {key: np.array(values) for key, values in GOOD.items()}
    distribution = made(**arrays)
    arrays[name][:] = 7.0
    assert getattr(distribution, name).tolist() == GOOD[name]
    with pytest.raises(ValueError, match="read-only"):
        getattr(distribution, name)[0] = 1.0
    with pytest.raises(AttributeError):
        setattr(distribution, name, np.ones(2))
    assert BetaAverage([1, 2, 3, 4], [1] * 4).weights.tolist() == [0.25] * 4
    with pytest.raises(TypeError, match="positional"):
        BetaAverage([1], [1], [1])


def test_repr():
    """One line with what the distribution is about."""
    assert repr(ORDINARY) == "BetaAverage(mean=0.7761, sd=0.07338, n_variables=3)"


# Operators and draws


def test_difference_is_built_from_both():
    """All variables of both, those of the second with the opposite sign."""
    difference = ORDINARY - SIGNED
    a, b = np.append(ORDINARY.a, SIGNED.a), np.append(ORDINARY.b, SIGNED.b)
    direct = BetaAverage(a, b, weights=np.append([1 / 3] * 3, -SIGNED.weights))
    x = np.linspace(-1.2, 1.2, 9)
    assert_allclose(difference.cdf(x), direct.cdf(x), rtol=0, atol=ROUNDING)
    assert difference.mean() == pytest.approx(
        ORDINARY.mean() - SIGNED.mean(), rel=1e-14
    )
    same = ORDINARY - ORDINARY
    assert same.mean() == 0
    assert same.cdf(0.0) == pytest.approx(0.5, abs=1e-15)
    assert same.variance() == pytest.approx(2 * ORDINARY.variance(), rel=1e-14)


@pytest.mark.parametrize("other", [1, "distribution", None, [0.5]], ids=str)
def test_foreign_operands(other):
    """Only two distributions have a difference; any other operand is refused from both sides."""
    for one in (ORDINARY, BetaAverage(np.ones((2, 2)), 1)):
        with pytest.raises(TypeError, match="unsupported operand"):
            one - other
        with pytest.raises(TypeError, match="unsupported operand"):
            other - one


# One variable


@pytest.mark.parametrize("seed", [5, 11])
def test_logs_beside_parameters_of_any_size(seed):
    """Their saddlepoints neither overflow nor underflow."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(20)) * (rng.random(20) < 0.7)
    weights[0] = 0.5
    a, b = 10 ** rng.uniform(-6, 15, (2, 20))
    distribution = BetaAverage(a, b, weights=weights)
    (low, high), sd = distribution.support(), distribution.standard_deviation()
    x = np.append(
        np.linspace(low, high, 20), distribution.mean() + sd * np.linspace(-12, 12, 15)
    )
    assert np.isfinite(distribution.logcdf(x[(x > low) & (x < high)])).all()


# Corners, and exponents far below 1/2. The references integrate over the log-odds of the classes.
# Distances to both ends of (0, 1) are kept in logs: with an exponent of 0.003 a tenth of the mass
# is closer to an end than the smallest double.


def log_ends(logit):
    """Logs of the distances to zero and to one."""
    return -np.logaddexp(0, -logit), -np.logaddexp(0, logit)


def spread(low, high, size):
    """Nodes and weights of a trapezoid rule, dense about zero."""
    u = np.linspace(np.arcsinh(low), np.arcsinh(high), size)
    return np.sinh(u), np.cosh(u) * (u[1] - u[0])


def lower_tail(a, b, log_x):
    """P(theta <= x), x at most 1/2."""
    leading = np.exp(a * log_x - np.log(a) - betaln(a, b))
    return np.where(log_x < -40, leading, betainc(a, b, np.exp(np.maximum(log_x, -40))))


def cdf(a, b, log_x, log_rest):
    """P(theta <= x), by the logs of x and of 1 - x."""
    below = lower_tail(a, b, np.minimum(log_x, np.log(0.5)))
    above = lower_tail(b, a, np.minimum(log_rest, np.log(0.5)))
    return np.where(log_x < log_rest, below, 1 - above)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0.005, 0.003], [0.002, 0.01]),
        ([0.05, 0.003], [0.02, 0.1]),
        ([0.5, 0.01], [0.2, 1.0]),
    ],
    ids=str,
)
@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.3, 0.4]], ids=["equal", "unequal"])
def test_two_classes_on_a_corner(a, b, weights):
    """P(theta_2 <= r (1 - theta_1)): one class is at an end and the other one at either."""
    t, masses = spread(-40 / a[0] - 40, 40 / b[0] + 40, 8_001)
    (log_x, log_rest), log_ratio = log_ends(t), np.log(weights[0] / weights[1])
    density = np.exp(a[0] * log_x + b[0] * log_rest - betaln(a[0], b[0]))
    with np.errstate(divide="ignore"):
        log_gap = np.log(-np.expm1(log_ratio)) + log_rest
    tail = cdf(a[1], b[1], log_ratio + log_rest, np.logaddexp(log_x, log_gap))
    expected = (density * masses * tail).sum()
    distribution = BetaAverage(a, b, weights=weights)
    assert distribution.cdf(weights[0]) == pytest.approx(expected, rel=0, abs=3e-12)
    assert distribution.ccdf(weights[0]) == pytest.approx(
        1 - expected, rel=0, abs=3e-12
    )


@pytest.mark.parametrize("exponent", [0.7, 0.9])
def test_density_on_a_corner(exponent):
    """The integral of f(t) f(1 - t), which barely converges."""
    t, weights = spread(-5000, 5000, 8_001)
    logs = (2 * exponent - 1) * sum(log_ends(t)) - 2 * betaln(exponent, exponent)
    found = BetaAverage([exponent] * 2, [exponent] * 2).pdf(0.5)
    assert found == pytest.approx(2 * (np.exp(logs) * weights).sum(), rel=1e-11)


@pytest.mark.slow
def test_tiny_exponents_at_many_scales_do_not_overflow():
    """Masses at corners of all scales, against draws."""
    a, b, weights = np.full(12, 0.001), np.full(12, 1.001), np.geomspace(1, 1e-7, 12)
    distribution = BetaAverage(a, b, weights=weights)
    draws = np.random.default_rng(0).beta(a, b, (100_000, 12)) @ weights
    low, high = distribution.hdi(0.95)
    assert low == 0
    assert np.mean(draws <= high) == pytest.approx(0.95, abs=0.003)
    mean = distribution.mean()
    assert distribution.cdf(mean) == pytest.approx(np.mean(draws <= mean), abs=0.003)


# Many at once: each is what it is alone


@pytest.mark.parametrize("n_classes", [1, 2, 3, 10])
def test_each_of_an_array(n_classes):
    """All answers, of posteriors of many sizes with perfect classes and signed weights."""
    rng = np.random.default_rng(n_classes)
    total = np.round(10 ** rng.uniform(0.3, 4, (5, n_classes)))
    correct = rng.binomial(total.astype(int), rng.uniform(0.6, 1, total.shape))
    prior = rng.choice([1, 0.5, 1 / n_classes], (5, 1))
    weights = rng.uniform(0.1, 1, total.shape) * rng.choice([-1, 1], total.shape)
    a, b = prior + correct, prior + (total - correct)
    together = BetaAverage(a, b, weights=weights)
    alone = [
        BetaAverage(*row[:2], weights=row[2]) for row in zip(a, b, weights, strict=True)
    ]
    for name in (
        "mean",
        "median",
        "variance",
        "skewness",
        "kurtosis",
        "support",
        "mode",
    ):
        expected = np.transpose([getattr(one, name)() for one in alone])
        # Where a density is highest its slope is lost in rounding.
        slack = 1e-10 if name == "mode" else 1e-14
        assert_allclose(getattr(together, name)(), expected, rtol=SAME, atol=slack)
    for level in (0.5, 0.9999):
        for name in ("interval", "hdi"):
            expected = np.transpose([getattr(one, name)(level) for one in alone])
            # Moving the shortest interval as a whole hardly changes its mass.
            slack = 1e-9 if name == "hdi" else 1e-14
            assert_allclose(
                getattr(together, name)(level), expected, rtol=SAME, atol=slack
            )
    low, high = together.support()
    x = (
        low
        + (high - low) * np.array([-0.1, 0, 1e-6, 0.1, 0.4, 0.9, 1, 1.1])[:, np.newaxis]
    )
    x = np.vstack([x, together.mean(), np.full(5, np.nan)])
    for name in FUNCTIONS:
        expected = np.transpose(
            [getattr(one, name)(x[:, i]) for i, one in enumerate(alone)]
        )
        found = getattr(together, name)(x)
        if name.startswith("log"):
            # As many digits as there are in what it is the log of, down to what is approximated.
            found, expected = (
                np.exp(np.where(y < -20, 0.0, y)) for y in (found, expected)
            )
        assert_allclose(found, expected, rtol=SAME, atol=SAME)
    p = np.array([0, 1e-12, 1e-4, 0.02, 0.5, 0.97, 1 - 1e-9, 1, np.nan])
    for name in ("icdf", "iccdf"):
        found = getattr(together, name)(p[:, np.newaxis])
        x = np.transpose([getattr(one, name)(p) for one in alone])
        # What differs is worth as much as the rounding of the probabilities.
        worth = np.where(np.isfinite(x), together.pdf(x) * np.abs(found - x), 0.0)
        is_same = np.isclose(found, x, rtol=1e-11, atol=1e-14, equal_nan=True)
        assert (is_same | (worth <= 2e-12)).all()


def test_parameters_and_places_are_broadcast():
    """Arrays of distributions are those of NumPy; the last axis is of the variables."""
    a, b = np.arange(3.0, 15).reshape(4, 1, 3), np.arange(2.0, 8).reshape(2, 3)
    distributions = BetaAverage(a, b, weights=[0.2, 0.3, 0.5])
    assert isinstance(distributions, BetaAverages)
    assert distributions.shape == distributions.mean().shape == (4, 2)
    assert distributions.a.shape == distributions.weights.shape == (4, 2, 3)
    assert not distributions.a.flags.writeable
    assert distributions.sample((5, 1), rng=0).shape == (5, 1, 4, 2)
    assert repr(distributions) == "BetaAverages(shape=(4, 2), n_variables=3)"
    for shape in ((), (2,), (4, 1), (5, 4, 2), (0, 1, 1)):
        result = np.broadcast_shapes(shape, (4, 2))
        x = np.linspace(0.4, 0.8, int(np.prod(shape))).reshape(shape)
        values, x = distributions.cdf(x), np.broadcast_to(x, result)
        assert values.shape == distributions.icdf(x).shape == result
        for index in np.ndindex(result):
            one = BetaAverage(a[index[-2], 0], b[index[-1]], weights=[0.2, 0.3, 0.5])
            assert values[index] == pytest.approx(one.cdf(x[index]), rel=SAME)
    assert BetaAverage(2, b) == BetaAverage(np.full((2, 3), 2.0), b)
    empty = BetaAverage(np.ones((0, 3)), np.ones((0, 3)))
    assert empty.mean().shape == empty.hdi().low.shape == empty.cdf(0.5).shape == (0,)
    assert empty.cdf(np.ones((4, 1))).shape == (4, 0)


def test_differences_of_arrays():
    """Two arrays, or an array and one distribution, from either side; and signs."""
    a, b = 10 ** np.random.default_rng(1).uniform(0, 3, (2, 5, 3))
    many, one = BetaAverage(a, b), BetaAverage([9, 7], [2, 3])
    expected = [(BetaAverage(a[i], b[i]) - one).ccdf(0) for i in range(5)]
    close = {"rtol": SAME, "atol": 1e-14}
    assert_allclose((many - one).ccdf(0), expected, **close)
    assert_allclose((one - many).cdf(0), expected, **close)
    assert_allclose((-many).cdf(-0.7), many.ccdf(0.7), **close)
    assert_allclose((many - many).cdf(0), 0.5, **close)
    assert (many - BetaAverage(a[:, np.newaxis], b[:, np.newaxis])).shape == (5, 5)


@pytest.mark.parametrize(
    ("name", "argument", "match"),
    [
        (
            "cdf",
            [0.1, 0.2],
            r"x must broadcast with the distributions, .* \(2,\) and \(3,\)",
        ),
        ("icdf", [0.1, 0.2], "p must broadcast"),
        ("icdf", 1.5, r"p must lie in \[0, 1\]"),
        ("pdf", "high", "x must be an array of numbers"),
        ("hdi", 1, "level must be a number strictly between 0 and 1"),
        ("interval", np.nan, "level must be"),
    ],
)
def test_bad_arguments(name, argument, match):
    """The same as for one distribution."""
    with pytest.raises(ValueError, match=match):
        getattr(BetaAverage(np.ones((3, 2)), np.ones((3, 2))), name)(argument)


@pytest.mark.parametrize("a", [[0.01, 0.02], [1e-6, 1e-6], [0.3, 2.0]])
def test_small_shares_of_many_samples_are_gamma_variables(a):
    """Next to zero, those of the same rate add up to another one."""
    x = np.array([1e-17, 1e-16, 1e-15])
    found = BetaAverage(a, [1e15, 1e15]).ccdf(x)
    assert_allclose(found, gammaincc(sum(a), 2e15 * x), rtol=0, atol=1e-9)
