"""Many averages at once: each is what it is alone, and what other methods say."""

import numpy as np
import pytest

from skpostbac.stats import BetaAverage, BetaAverages

PLACES = ["cdf", "ccdf", "pdf", "logpdf", "logcdf", "logccdf"]
FIGURES = ["mean", "median", "mode", "variance", "standard_deviation", "skewness", "kurtosis"]
SAME = 1e-12


def random_posteriors(rng, n_distributions, n_classes):
    """Exponents of posteriors of many sizes, with perfect classes, and signed weights."""
    total = np.round(10 ** rng.uniform(0.3, 4, (n_distributions, n_classes)))
    correct = rng.binomial(total.astype(int), rng.uniform(0.6, 1, total.shape))
    prior = rng.choice([1, 0.5, 1 / n_classes], (n_distributions, 1))
    weights = rng.uniform(0.1, 1, total.shape) * rng.choice([-1, 1], total.shape)
    return prior + correct, prior + (total - correct), weights


@pytest.fixture(params=[1, 2, 3, 10], ids="{} classes".format)
def parameters(request):
    """Return exponents and weights of five distributions."""
    return random_posteriors(np.random.default_rng(request.param), 5, request.param)


def alone(parameters):
    """Return the same distributions, one by one."""
    return [BetaAverage(a, b, weights=w) for a, b, w in zip(*parameters, strict=True)]


def at_once(parameters):
    """Return the distributions as an array."""
    return BetaAverage(parameters[0], parameters[1], weights=parameters[2])


def assert_same(found, expected):
    """Compare numbers that may be infinite, to the same digits."""
    np.testing.assert_allclose(found, expected, rtol=SAME, atol=1e-14)


# The same as alone


@pytest.mark.parametrize("name", FIGURES)
def test_figures(parameters, name):
    """One float for each."""
    found = getattr(at_once(parameters), name)()
    expected = [getattr(one, name)() for one in alone(parameters)]
    # Where a density is highest its slope is lost in rounding.
    np.testing.assert_allclose(found, expected, rtol=SAME, atol=1e-10 * (name == "mode") + 1e-14)


@pytest.mark.parametrize("name", ["support", "interval", "hdi"])
def test_intervals(parameters, name):
    """A pair of arrays."""
    low, high = getattr(at_once(parameters), name)()
    expected = np.array([getattr(one, name)() for one in alone(parameters)])
    assert_same(np.stack([low, high], axis=1), expected)


@pytest.mark.parametrize("level", [0.5, 0.9999])
def test_levels(parameters, level):
    """Also where the ends are in far tails."""
    for name in ("interval", "hdi"):
        expected = np.array([getattr(one, name)(level) for one in alone(parameters)])
        assert_same(np.transpose(getattr(at_once(parameters), name)(level)), expected)


@pytest.mark.parametrize("name", PLACES)
def test_places(parameters, name):
    """The same x for all: both tails, far tails, and beyond the ends."""
    distributions, ones = at_once(parameters), alone(parameters)
    low, high = distributions.support()
    x = low + (high - low) * np.array([-0.1, 1e-6, 0.1, 0.4, 0.6, 0.9, 1.1])[:, np.newaxis]
    x = np.vstack([x, distributions.mean(), np.full(len(ones), np.nan)])
    expected = np.transpose([getattr(one, name)(x[:, i]) for i, one in enumerate(ones)])
    found = getattr(distributions, name)(x)
    if name.startswith("log"):
        # As many digits as there are in what it is the log of, down to what is approximated.
        found, expected = (np.where(logs < np.log(1e-9), 0.0, logs) for logs in (found, expected))
        np.testing.assert_allclose(np.exp(found), np.exp(expected), rtol=0, atol=1e-12)
    else:
        assert_same(found, expected)


@pytest.mark.parametrize("name", PLACES)
def test_ends(name):
    """What one distribution says of the ends of its support."""
    a, b = np.array([[3.5, 9], [1, 4]]), np.array([[0.5, 0.5], [1, 2]])
    distributions = BetaAverage(a, b)
    x = np.array([[0.0], [1.0]])
    expected = np.transpose(
        [getattr(BetaAverage(*row), name)(x[:, 0]) for row in zip(a, b, strict=True)]
    )
    np.testing.assert_array_equal(getattr(distributions, name)(x), expected)


@pytest.mark.parametrize("name", ["icdf", "iccdf"])
def test_probabilities(parameters, name):
    """Each of them in each distribution, ends and far tails too."""
    p = np.array([0, 1e-12, 1e-4, 0.02, 0.5, 0.97, 1 - 1e-9, 1, np.nan])
    found = getattr(at_once(parameters), name)(p[:, np.newaxis])
    expected = [getattr(one, name)(p) for one in alone(parameters)]
    # What differs is worth as much as the rounding of the probabilities.
    x = np.transpose(expected)
    worth = np.where(np.isfinite(x), at_once(parameters).pdf(x) * np.abs(found - x), 0.0)
    is_same = np.isclose(found, x, rtol=1e-11, atol=1e-14, equal_nan=True)
    assert (is_same | (worth <= 2e-12)).all()


def test_company_and_order():
    """A distribution among others of many shapes, at any place, and alone in an array."""
    rng = np.random.default_rng(5)
    a, b, weights = random_posteriors(rng, 96, 3)
    whole = BetaAverage(a, b, weights=weights)
    x = whole.mean() - whole.standard_deviation()
    interval, hdi, cdf = whole.interval(), whole.hdi(), whole.cdf(x)
    order = rng.permutation(a.shape[0])
    again = BetaAverage(a[order], b[order], weights=weights[order])
    for found, expected in ((again.interval(), interval), (again.hdi(), hdi)):
        assert_same(found.low, expected.low[order])
        assert_same(found.high, expected.high[order])
    assert_same(again.cdf(x[order]), cdf[order])
    for i in range(0, a.shape[0], 16):
        one = BetaAverage(a[[i]], b[[i]], weights=weights[[i]])
        assert_same(np.ravel(one.interval()), [interval.low[i], interval.high[i]])
        assert_same(np.ravel(one.hdi()), [hdi.low[i], hdi.high[i]])
        assert_same(one.cdf(x[i]), cdf[[i]])


# Other methods


# Shapes


def test_parameters_are_broadcast():
    """Arrays of distributions are those of NumPy; the last axis is of the variables."""
    a, b = np.arange(3.0, 15).reshape(4, 1, 3), np.arange(2.0, 8).reshape(2, 3)
    distributions = BetaAverage(a, b, weights=[0.2, 0.3, 0.5])
    assert isinstance(distributions, BetaAverages)
    assert distributions.shape == distributions.mean().shape == (4, 2)
    assert distributions.a.shape == distributions.weights.shape == (4, 2, 3)
    assert not distributions.a.flags.writeable
    one = BetaAverage(a[2, 0], b[1], weights=[0.2, 0.3, 0.5])
    assert distributions.interval().high[2, 1] == pytest.approx(one.interval().high, rel=SAME)
    assert distributions.sample((5, 1), rng=0).shape == (5, 1, 4, 2)
    assert repr(distributions) == "BetaAverages(shape=(4, 2), n_variables=3)"


@pytest.mark.parametrize("shape", [(2,), (4, 3)], ids=["one", "many"])
@pytest.mark.parametrize("place", [0, 1], ids=["a", "b"])
def test_numbers_are_broadcast(shape, place):
    """As SciPy does with the parameters of its distributions."""
    exponents = [np.arange(1.0, 1 + np.prod(shape)).reshape(shape)] * 2
    full = [*exponents]
    exponents[place], full[place] = 2, np.full(shape, 2.0)
    assert BetaAverage(*exponents) == BetaAverage(*full)
    with pytest.raises(ValueError, match="a must be a non-empty array"):
        BetaAverage(3, 2)


@pytest.mark.parametrize(
    ("shape", "result"),
    [
        ((), (4, 2)),
        ((2,), (4, 2)),
        ((4, 1), (4, 2)),
        ((5, 4, 2), (5, 4, 2)),
        ((0, 1, 1), (0, 4, 2)),
    ],
    ids=str,
)
def test_places_are_broadcast(shape, result):
    """Places and probabilities meet the distributions as arrays do."""
    a, b = np.arange(3.0, 15).reshape(4, 1, 3), np.arange(2.0, 8).reshape(2, 3)
    distributions = BetaAverage(a, b)
    x = np.linspace(0.4, 0.8, int(np.prod(shape))).reshape(shape)
    values = distributions.cdf(x)
    assert values.shape == distributions.icdf(x).shape == result
    for index in np.ndindex(result):
        one = BetaAverage(a[index[-2], 0], b[index[-1]])
        assert values[index] == pytest.approx(one.cdf(np.broadcast_to(x, result)[index]), rel=SAME)


def test_an_array_of_no_distributions():
    """Nothing in, nothing out."""
    empty = BetaAverage(np.ones((0, 3)), np.ones((0, 3)))
    assert empty.mean().shape == empty.hdi().low.shape == empty.cdf(0.5).shape == (0,)
    assert empty.cdf(np.ones((4, 1))).shape == (4, 0)


def test_differences():
    """Two arrays, or an array and one distribution, from either side; and signs."""
    a, b, _ = random_posteriors(np.random.default_rng(1), 5, 3)
    many, one = BetaAverage(a, b), BetaAverage([9, 7], [2, 3])
    expected = [(BetaAverage(a[i], b[i]) - one).ccdf(0) for i in range(5)]
    assert_same((many - one).ccdf(0), expected)
    assert_same((one - many).cdf(0), expected)
    assert_same((-many).cdf(-0.7), many.ccdf(0.7))
    assert_same((many - many).cdf(0), 0.5)
    other = BetaAverage(a[:, np.newaxis], b[:, np.newaxis])
    assert (many - other).shape == (5, 5)
    with pytest.raises(TypeError, match="unsupported operand"):
        many - 1


@pytest.mark.parametrize(
    ("a", "b", "weights", "match"),
    [
        (np.ones((2, 3)), np.ones((2, 2)), None, "same length along the last axis; got 3 and 2"),
        (np.ones((2, 3)), np.ones((4, 3)), None, r"must broadcast .* \(2, 3\), \(4, 3\)"),
        (np.ones((2, 3)), np.ones(3), np.ones((2, 1)), "weights must have length 3 along"),
        (np.ones((2, 3)), np.ones(3), np.zeros((2, 3)), "weights must not all be zero"),
        (np.ones((2, 3)), np.ones(3), np.full((2, 3), 1e-80), "weights must be zero or between"),
        (np.ones((2, 0)), np.ones((2, 0)), None, "a must be a non-empty array"),
        (1.0, np.ones((2, 0)), None, "a must be a non-empty array"),
        (np.ones((2, 3)), -1.0, None, "b must be positive"),
        (np.ones((2, 3)), -np.ones(3), None, "b must be positive"),
        (np.full((2, 3), np.inf), np.ones(3), None, "a must be finite"),
        (np.full((2, 3), 1e-7), np.ones(3), None, "a must lie between"),
    ],
    ids=[
        "lengths",
        "shapes",
        "weights",
        "zero",
        "tiny",
        "empty",
        "none",
        "0-d",
        "sign",
        "inf",
        "range",
    ],
)
def test_bad_parameters(a, b, weights, match):
    """The message names the parameter and says what is wrong."""
    with pytest.raises(ValueError, match=match):
        BetaAverage(a, b, weights=weights)


@pytest.mark.parametrize(
    ("name", "argument", "match"),
    [
        ("cdf", [0.1, 0.2], r"x must broadcast with the distributions, .* \(2,\) and \(3,\)"),
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
