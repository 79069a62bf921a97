"""What holds for every weighted sum of Betas, over the whole space of parameters.

No tolerance is looser than the contract of the engine: 1e-12 in the cdf (1e-9 where an exponent is
below 1/2), 1e-8 of the smaller tail, 1e-10 of it in a quantile. Where two values of the engine are
compared, each may err once.
"""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from skpostbac.stats import BetaAverage

ABSOLUTE = 1e-12
RELATIVE_TAIL = 1e-8
RELATIVE_QUANTILE = 1e-10
# Exponents from 1e-3 to 1/2, away from the corners: see test_reference.py.
ABSOLUTE_SMALL = 1e-9
# Tails beyond this log are judged by their logs, to a billionth.
LOG_TINY = np.log(1e-300)


def log_uniform(low, high):
    """Draw floats whose logs are spread evenly."""
    return st.floats(np.log(low), np.log(high)).map(lambda u: float(np.clip(np.exp(u), low, high)))


def vectors(elements, size):
    """Draw arrays of one length."""
    return st.lists(elements, min_size=size, max_size=size).map(np.array)


# A few classes mostly, many sometimes.
SIZES = st.one_of(
    st.integers(1, 4), st.integers(1, 12), st.integers(2, 6), st.just(20), st.just(50)
)


@st.composite
def signed_weights(draw, size):
    """Draw the default, or weights of any sign over six orders of magnitude."""
    if draw(st.booleans()):
        return None
    # Many classes whose weights are all different may take seconds.
    sizes = log_uniform(1e-6, 1.0) if size <= 12 else st.sampled_from([1.0, 0.3, 1e-3, 1e-6])
    return draw(vectors(sizes, size)) * draw(vectors(st.sampled_from([-1.0, 1.0]), size))


@st.composite
def wide_distributions(draw):
    """Any exponents from 1/2 to 1e9."""
    size = draw(SIZES)
    a, b = (draw(vectors(log_uniform(0.5, 1e9), size)) for _ in range(2))
    return BetaAverage(a, b, weights=draw(signed_weights(size)))


@st.composite
def class_counts(draw):
    """Draw correct and total of one class: empty, perfect, all wrong, or ordinary."""
    total = draw(st.one_of(st.integers(0, 30), log_uniform(1, 1e9).map(int)))
    correct = draw(st.one_of(st.sampled_from([total, 0, total - 1]), st.integers(0, total)))
    return max(correct, 0), total


@st.composite
def posteriors(draw):
    """Posteriors of classes that are hard to average, under both usual priors."""
    counts = np.array(draw(st.lists(class_counts(), min_size=1, max_size=6)))
    prior = draw(st.sampled_from([1.0, 0.5]))
    correct, total = counts.T
    weights = draw(signed_weights(len(counts)))
    return BetaAverage(correct + prior, total - correct + prior, weights=weights)


@st.composite
def rough_distributions(draw):
    """A few classes with exponents below 1/2 beside any others up to a hundred."""
    size = draw(st.integers(1, 4))
    exponents = st.one_of(log_uniform(1e-3, 0.5), log_uniform(0.5, 100.0))
    a, b = (draw(vectors(exponents, size)) for _ in range(2))
    return BetaAverage(a, b, weights=draw(signed_weights(size)))


@st.composite
def cornered_distributions(draw):
    """A few classes with exponents so small that the corners of their cube show."""
    size = draw(st.integers(2, 5))
    exponents = st.sampled_from([1 / 3, 0.5, 1.0, 1.5, 2.0, 3.0, 50.0])
    a, b = (draw(vectors(exponents, size)) for _ in range(2))
    weights = vectors(st.sampled_from([1.0, -1.0, 0.5, 0.3, -0.01]), size)
    return BetaAverage(a, b, weights=draw(st.one_of(st.none(), weights)))


@st.composite
def any_distributions(draw):
    """The whole space of parameters: exponents from 1e-3 to 1e9."""
    size = draw(SIZES)
    a, b = (draw(vectors(log_uniform(1e-3, 1e9), size)) for _ in range(2))
    return BetaAverage(a, b, weights=draw(signed_weights(size)))


@st.composite
def places(draw, distribution):
    """Draw sorted points inside the support: about the mean, and anywhere."""
    low, high = distribution.support()
    z = draw(vectors(st.floats(-8, 8), 4))
    u = draw(vectors(st.floats(0.001, 0.999), 2))
    x = np.concatenate(
        [distribution.mean() + distribution.standard_deviation() * z, low + (high - low) * u]
    )
    return np.unique(x[(low < x) & (x < high)])


@st.composite
def beside_corners(draw, distribution):
    """Draw sorted points on corners of the cube of class accuracies, and beside them."""
    low, high = distribution.support()
    scale = np.abs([low, high]).max()
    away = st.sampled_from([0.0, 2.3e-16, -2.3e-16, 1e-14, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6])
    chosen = draw(vectors(vectors(st.booleans(), distribution.a.size), 5))
    x = chosen @ distribution.weights + scale * draw(vectors(away, 5))
    return np.unique(x[(low < x) & (x < high)])


def pick(data, distributions):
    """Draw a distribution, and say how to make it again."""
    distribution = data.draw(distributions)
    a, b, weights = distribution.a, distribution.b, distribution.weights
    parameters = f"{a.tolist()}, {b.tolist()}, weights={weights.tolist()}"
    note(f"BetaAverage({parameters})")
    return distribution


def is_rough(distribution):
    """Whether an exponent is below 1/2."""
    return min(distribution.a.min(), distribution.b.min()) < 0.5


def assert_same_tails(distribution, x, other, y, *, turned=False):
    """Compare P(X <= x) with P(Y <= y), or with P(Y > y), and the smaller tails relatively."""
    logs = np.array([distribution.logcdf(x), distribution.logccdf(x)])
    others = np.array([other.logcdf(y), other.logccdf(y)])
    others = others[::-1] if turned else others
    smaller, same = logs.min(axis=0), np.where(logs[0] < logs[1], *others)
    absolute, relative = ABSOLUTE, RELATIVE_TAIL * np.where(same < LOG_TINY, np.abs(same) / 10, 1.0)
    if is_rough(distribution):
        absolute, blur = ABSOLUTE_SMALL, rounding_of_place(distribution, x)
        logs, others = logs[:, blur < 1e-9], others[:, blur < 1e-9]
        relative = np.where(blur < 1e-9, relative, np.inf)
    np.testing.assert_allclose(np.exp(logs), np.exp(others), rtol=0, atol=2 * absolute)
    # What an absolute error of rounding is of a small tail, or of an approximation of its log.
    rounding = np.minimum(1e-14 * np.exp(-np.maximum(same, np.log(1e-12))), 0.02)
    allowed = np.maximum(np.maximum(relative, RELATIVE_TAIL), rounding)
    assert (np.abs(smaller - same) <= 2 * allowed).all()


def rounding_of_place(distribution, x):
    """Return by how much the log of a tail at x changes within some roundings of x.

    It is large beside the corner of exponents far below 1/2, where the cdf all but jumps.
    """
    step = 16 * np.spacing(np.abs(distribution.support()).max())
    logs = [
        [distribution.logcdf(x + side), distribution.logccdf(x + side)] for side in (-step, step)
    ]
    with np.errstate(invalid="ignore"):
        changes = np.abs(np.subtract(*logs)).max(axis=0)
    return np.where(np.isnan(changes), np.inf, changes)


FAMILIES = {"wide": wide_distributions(), "posteriors": posteriors()}
ALL_FAMILIES = FAMILIES | {"rough": rough_distributions(), "any": any_distributions()}


def every_family(families=FAMILIES, *, examples=6):
    """Run a property over each family of distributions, given as the strategy `distributions`.

    `examples` is how many a thorough run has of each family.
    """

    def decorate(test):
        run = some_examples(examples)(given(data=st.data())(test))
        return pytest.mark.parametrize("distributions", families.values(), ids=families.keys())(run)

    return decorate


def some_examples(thorough):
    """Set the number of examples: so many in a thorough run, and fewer in a quick one."""
    most = settings.get_profile("thorough").max_examples
    return settings(max_examples=-(-thorough * settings().max_examples // most))


# Probabilities


@every_family(ALL_FAMILIES)
def test_tails_are_probabilities(distributions, data):
    """In [0, 1], monotone, adding up to one; the density is not negative; nothing is missing."""
    distribution = pick(data, distributions)
    x = data.draw(places(distribution))
    cdf, ccdf, pdf = distribution.cdf(x), distribution.ccdf(x), distribution.pdf(x)
    for values in (cdf, ccdf):
        assert ((values >= 0) & (values <= 1)).all()
    assert (pdf >= 0).all()
    # Each is rounded once.
    np.testing.assert_allclose(cdf + ccdf, 1.0, rtol=0, atol=4e-16)
    # Neighbours are further apart than their error, or within it.
    assert (np.diff(cdf) >= -1e-14).all()
    assert (np.diff(ccdf) <= 1e-14).all()


@every_family(ALL_FAMILIES)
def test_log_tails_are_monotone(distributions, data):
    """Far out as well, where the probabilities themselves have underflowed."""
    distribution = pick(data, distributions)
    x = data.draw(places(distribution))
    logcdf, logccdf = distribution.logcdf(x), distribution.logccdf(x)
    assert np.isfinite([logcdf, logccdf]).all() or ((logcdf == 0) | (logccdf == 0)).any()
    # Relative to the larger log: the rounding of exp(-c y) grows with it.
    slack = RELATIVE_QUANTILE * np.maximum(1.0, np.abs([logcdf, logccdf]).max(axis=0))[1:]
    assert (np.diff(logcdf) >= -slack).all()
    assert (np.diff(logccdf) <= slack).all()


# Symmetries


@every_family(ALL_FAMILIES)
def test_minus_the_variable(distributions, data):
    """P(X <= x) = P(-X >= -x)."""
    distribution = pick(data, distributions)
    weighted = BetaAverage(distribution.a, distribution.b, weights=distribution.weights)
    x = data.draw(places(weighted))
    assert_same_tails(weighted, x, -weighted, -x, turned=True)


@every_family(ALL_FAMILIES)
def test_right_and_wrong_exchanged(distributions, data):
    """P(X <= x) under a, b is P(X >= 1 - x) under b, a, for the default weights."""
    distribution = pick(data, distributions)
    distribution, turned = (
        BetaAverage(distribution.a, distribution.b),
        BetaAverage(distribution.b, distribution.a),
    )
    # Multiples of the last bit of one, so that 1 - x is exact.
    x = np.unique(np.round(data.draw(places(distribution)) * 2.0**53) / 2.0**53)
    x = x[(x > 0) & (x < 1)]
    assert_same_tails(distribution, x, turned, 1 - x, turned=True)


@every_family(ALL_FAMILIES)
def test_order_of_the_classes(distributions, data):
    """The sum does not depend on it."""
    distribution = pick(data, distributions)
    order = np.array(data.draw(st.permutations(range(distribution.a.size))))
    x = data.draw(places(distribution))
    weights = distribution.weights[order]
    same = BetaAverage(distribution.a, distribution.b, weights=distribution.weights)
    assert_same_tails(
        same, x, BetaAverage(distribution.a[order], distribution.b[order], weights=weights), x
    )


@every_family(ALL_FAMILIES)
def test_scale(distributions, data):
    """Weights times a power of two: the same distribution in other units, with exact conversion."""
    distribution = pick(data, distributions)
    scale = 2.0 ** data.draw(st.integers(-40, 40))
    x = data.draw(places(distribution))
    same = BetaAverage(distribution.a, distribution.b, weights=distribution.weights)
    scaled = BetaAverage(distribution.a, distribution.b, weights=distribution.weights * scale)
    assert_same_tails(same, x, scaled, x * scale)
    assert scaled.mean() == pytest.approx(same.mean() * scale, rel=1e-15)
    assert scaled.icdf(0.3) == pytest.approx(same.icdf(0.3) * scale, rel=1e-12, abs=0)


@every_family(ALL_FAMILIES)
def test_shift(distributions, data):
    """1 - theta instead of theta, with the opposite weight: the same sum, less the weight."""
    distribution = pick(data, distributions)
    # Multiples of one power of two, so that sums and differences are exact.
    weights = np.maximum(np.round(np.abs(distribution.weights) * 2.0**22), 1.0) / 2.0**22
    weights = np.where(distribution.weights < 0, -weights, weights)
    distribution = BetaAverage(distribution.a, distribution.b, weights=weights)
    i = data.draw(st.integers(0, distribution.a.size - 1))
    unit = np.arange(distribution.a.size) == i
    a, b = (
        np.where(unit, distribution.b, distribution.a),
        np.where(unit, distribution.a, distribution.b),
    )
    shifted = BetaAverage(a, b, weights=np.where(unit, -weights, weights))
    x = np.unique(np.round(data.draw(places(distribution)) * 2.0**46) / 2.0**46)
    x = x[(distribution.support().low < x) & (x < distribution.support().high)]
    assert_same_tails(distribution, x, shifted, x - weights[i])


CORNERED = {"posteriors": posteriors(), "cornered": cornered_distributions()}


@every_family(CORNERED, examples=20)
def test_beside_corners(distributions, data):
    """On and beside the places where pieces of the density meet, from either side."""
    distribution = pick(data, distributions)
    weighted = BetaAverage(distribution.a, distribution.b, weights=distribution.weights)
    x = data.draw(beside_corners(weighted))
    x = x[rounding_of_place(weighted, x) < 1e-9]
    assert_same_tails(weighted, x, -weighted, -x, turned=True)
    reversed_distribution = BetaAverage(
        distribution.a[::-1], distribution.b[::-1], weights=distribution.weights[::-1]
    )
    assert_same_tails(weighted, x, reversed_distribution, x)
    assert (np.diff(weighted.cdf(x)) >= -1e-14).all()
    assert (np.diff(weighted.ccdf(x)) <= 1e-14).all()


@every_family(ALL_FAMILIES)
def test_weight_of_zero(distributions, data):
    """A class without weight does not count."""
    distribution = pick(data, distributions)
    x = data.draw(places(distribution))
    i = data.draw(st.integers(0, distribution.a.size))
    a, b, weights = (
        np.insert(v, i, new)
        for v, new in zip(
            (distribution.a, distribution.b, distribution.weights),
            (data.draw(log_uniform(1e-3, 1e9)), 2.0, 0.0),
            strict=True,
        )
    )
    same = BetaAverage(distribution.a, distribution.b, weights=distribution.weights)
    assert_same_tails(same, x, BetaAverage(a, b, weights=weights), x)


@some_examples(15)
@given(data=st.data())
def test_identical_classes(data):
    """Many classes that are alike are merged; those that differ in the last bit are not."""
    kinds = data.draw(st.integers(1, 4))
    exponents = st.one_of(st.sampled_from([0.5, 1.0, 2.0]), log_uniform(0.5, 1e4))
    a, b = (data.draw(vectors(exponents, kinds)) for _ in range(2))
    weights = data.draw(vectors(st.sampled_from([1.0, -1.0, 0.5, 0.1, 1 / 3]), kinds))
    count = data.draw(st.lists(st.integers(1, 20), min_size=kinds, max_size=kinds))
    a, b, weights = (np.repeat(values, count) for values in (a, b, weights))
    distribution = BetaAverage(a, b, weights=weights)
    note(f"BetaAverage({a.tolist()}, {b.tolist()}, weights={weights.tolist()})")
    x = data.draw(places(distribution))
    # Up and down in turn: the sums of the exponents stay almost as they are.
    towards = np.where(np.arange(a.size) % 2, np.inf, 0.0)
    jittered = a + (np.arange(a.size) // 2) * (np.nextafter(a, towards) - a)
    assert_same_tails(distribution, x, BetaAverage(jittered, b, weights=weights), x)


@every_family(ALL_FAMILIES, examples=5)
def test_a_point_alone(distributions, data):
    """The other points of a query do not matter beyond rounding, and nothing is random."""
    distribution = pick(data, distributions)
    x = data.draw(places(distribution))
    assume(x.size)
    again = BetaAverage(distribution.a, distribution.b, weights=distribution.weights)
    distribution = BetaAverage(distribution.a, distribution.b, weights=distribution.weights)
    for name in ("logcdf", "logccdf", "logpdf"):
        np.testing.assert_array_equal(getattr(distribution, name)(x), getattr(again, name)(x))
    np.testing.assert_array_equal(distribution.icdf([0.1, 1e-9]), again.icdf([0.1, 1e-9]))
    one = x[data.draw(st.integers(0, x.size - 1)) :][:1]
    within = np.flatnonzero(x == one)
    for name in ("cdf", "ccdf"):
        many, alone = getattr(distribution, name)(x)[within], getattr(distribution, name)(one)
        assert np.abs(many - alone) <= 2 * (ABSOLUTE_SMALL if is_rough(distribution) else ABSOLUTE)


@every_family(ALL_FAMILIES, examples=4)
def test_one_more_observation(distributions, data):
    """Beta(a, b) is the mixture of Beta(a + 1, b) and Beta(a, b + 1), with weights a and b."""
    distribution = pick(data, distributions)
    x = data.draw(places(distribution))
    before = BetaAverage(distribution.a, distribution.b, weights=distribution.weights)
    absolute = ABSOLUTE
    if is_rough(distribution):
        absolute, x = ABSOLUTE_SMALL, x[rounding_of_place(before, x) < 1e-9]
    i = data.draw(st.integers(0, distribution.a.size - 1))
    unit = np.arange(distribution.a.size) == i
    right = BetaAverage(distribution.a + unit, distribution.b, weights=distribution.weights)
    wrong = BetaAverage(distribution.a, distribution.b + unit, weights=distribution.weights)
    share = distribution.a[i] / (distribution.a[i] + distribution.b[i])
    for tail in ("cdf", "ccdf"):
        mixed = share * getattr(right, tail)(x) + (1 - share) * getattr(wrong, tail)(x)
        values = getattr(before, tail)(x)
        np.testing.assert_allclose(values, mixed, rtol=0, atol=2 * absolute)


# Quantiles, intervals, mode


@every_family(ALL_FAMILIES, examples=5)
def test_round_trip(distributions, data):
    """The probability of a quantile is the one asked for, up to the rounding of the quantile."""
    distribution = pick(data, distributions)
    p = data.draw(vectors(st.one_of(st.floats(1e-3, 0.999), log_uniform(1e-9, 1e-3)), 3))
    for inverse, direct in (
        (distribution.icdf, distribution.logcdf),
        (distribution.iccdf, distribution.logccdf),
    ):
        x = inverse(p)
        # The place of a saddlepoint's mass is a sum over the classes, each rounded.
        step = (2 + distribution.a.size) * place_rounding(distribution, x)
        worth = ABSOLUTE
        if min(distribution.a.min(), distribution.b.min()) < 0.5:
            # What is within the rounding of a corner is taken to be on it.
            step = np.maximum(step, 4 * np.finfo(float).eps * np.abs(distribution.weights).sum())
            worth = ABSOLUTE_SMALL
        ends = np.exp([direct(x - step), direct(x + step)])
        assert (ends.min(axis=0) - worth <= p).all()
        assert (p <= ends.max(axis=0) + worth).all()


@every_family(examples=5)
def test_intervals(distributions, data):
    """Both have their mass; the densest one is no longer, and as dense at either end."""
    distribution = pick(data, distributions)
    level = data.draw(st.floats(0.05, 0.99))
    # Distributions narrower than the doubles around them have no interval to speak of.
    assume(distribution.standard_deviation() > 1e-7 * np.abs(distribution.support()).max())
    central, densest = distribution.interval(level), distribution.hdi(level)
    for low, high in (central, densest):
        assert distribution.support().low <= low < high <= distribution.support().high
        rounding = sum(
            finite_density(distribution, end) * np.spacing(np.abs(end)) for end in (low, high)
        )
        assert distribution.cdf(low, high) == pytest.approx(level, abs=1e-11 + 2 * rounding)
    below = (1 - level) * np.append(np.linspace(0.0, 1.0, 9), 0.5)
    ends = distribution.icdf(below), distribution.iccdf(np.maximum(1 - level - below, 0.0))
    shortest = np.min(np.subtract(*reversed(ends)))
    assert densest.high - densest.low <= shortest * (1 + 1e-9) + 4 * np.spacing(
        np.abs(densest).max()
    )


def place_rounding(distribution, x):
    """Return the spacing of doubles at x, or at its distance to the nearest of ends and mean.

    Places are held as those distances. Beside a corner amid the support the log of a tail may be
    so steep that their rounding shows; x itself is a finer number there if it is small.
    """
    nearest = np.min(
        [np.abs(x - place) for place in (*distribution.support(), distribution.mean())], axis=0
    )
    return np.spacing(np.maximum(np.abs(x), nearest))


def finite_density(distribution, x):
    """Return the density, or a large number at a pole."""
    return min(distribution.pdf(x), 1e16)


# Moments


@every_family(ALL_FAMILIES, examples=5)
def test_no_warning(distributions, data):
    """Overflow and division by zero do not show, wherever the distribution is asked."""
    distribution = pick(data, distributions)
    low, high = distribution.support()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near_low, near_high = np.nextafter(low, high), np.nextafter(high, low)
        x = [low, near_low, distribution.mean(), near_high, high, -np.inf, np.inf]
        for function in (distribution.logpdf, distribution.logcdf, distribution.logccdf):
            assert not np.isnan(function(x)).any()
        distribution.icdf([0.0, 1e-300, 0.5, 1.0])
        distribution.mode()
