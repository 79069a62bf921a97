"""What holds for every weighted sum of Betas, over the whole space of parameters.

No tolerance is looser than the contract of the engine: 1e-12 in the cdf (1e-9 where an exponent is
below 1/2), 1e-8 of the smaller tail, 1e-10 of it in a quantile. Where two values of the engine are
compared, each may err once.
"""

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from skpostbac.stats import BetaAverage

# Errors of probabilities, and with exponents from 1e-3 to 1/2, away from the corners.
ABSOLUTE, ABSOLUTE_SMALL = 1e-12, 1e-9
RELATIVE_TAIL, RELATIVE_QUANTILE = 1e-8, 1e-10
# Tails beyond this log are judged by their logs, to a billionth.
LOG_TINY = np.log(1e-300)


def log_uniform(low, high):
    """Draw floats whose logs are spread evenly."""
    return st.floats(np.log(low), np.log(high)).map(
        lambda u: float(np.clip(np.exp(u), low, high))
    )


def vectors(elements, size):
    """Draw arrays of one length."""
    return st.lists(elements, min_size=size, max_size=size).map(np.array)


@st.composite
def sums(draw, exponents, sizes):
    """Draw a sum with equal weights, or of any sign over six orders of magnitude."""
    size = draw(sizes)
    a, b = (draw(vectors(exponents, size)) for _ in range(2))
    if draw(st.booleans()):
        return BetaAverage(a, b)
    # Many classes whose weights are all different may take seconds.
    weights = (
        log_uniform(1e-6, 1.0)
        if size <= 12
        else st.sampled_from([1.0, 0.3, 1e-3, 1e-6])
    )
    turned = draw(vectors(st.sampled_from([-1.0, 1.0]), size))
    return BetaAverage(a, b, weights=draw(vectors(weights, size)) * turned)


# A few classes mostly, many sometimes.
SIZES = st.one_of(st.integers(1, 4), st.integers(1, 12), st.just(20), st.just(50))
# Posteriors of classes that are hard to average: empty, perfect, all wrong, and large ones.
COUNTS = st.one_of(
    st.sampled_from([0, 0, 1]), st.integers(0, 30), log_uniform(1, 1e9).map(int)
)
SMALL = st.one_of(log_uniform(1e-3, 0.5), log_uniform(0.5, 100.0))
# Exponents so small that the corners of the cube of accuracies show.
CORNERED = st.sampled_from([1 / 3, 0.5, 1.0, 1.5, 2.0, 3.0, 50.0])
FAMILIES = {
    "wide": sums(log_uniform(0.5, 1e9), SIZES),
    "posteriors": sums(
        st.tuples(COUNTS, st.sampled_from([0.5, 1.0])).map(sum), st.integers(1, 6)
    ),
}
ALL_FAMILIES = FAMILIES | {
    "rough": sums(SMALL, st.integers(1, 4)),
    "any": sums(log_uniform(1e-3, 1e9), SIZES),
}


@st.composite
def places(draw, distribution):
    """Draw sorted points inside the support: about the mean, and anywhere."""
    low, high = distribution.support()
    z = draw(vectors(st.floats(-8, 8), 4))
    u = draw(vectors(st.floats(0.001, 0.999), 2))
    about = distribution.mean() + distribution.standard_deviation() * z
    x = np.concatenate([about, low + (high - low) * u])
    return np.unique(x[(low < x) & (x < high)])


@st.composite
def beside_corners(draw, distribution):
    """Draw sorted points on corners of the cube of class accuracies, and beside them."""
    low, high = distribution.support()
    scale = np.abs([low, high]).max()
    away = st.sampled_from(
        [0.0, 2.3e-16, -2.3e-16, 1e-14, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6]
    )
    chosen = draw(vectors(vectors(st.booleans(), distribution.a.size), 5))
    x = chosen @ distribution.weights + scale * draw(vectors(away, 5))
    return np.unique(x[(low < x) & (x < high)])


def pick(data, distributions):
    """Draw a distribution, and say how to make it again."""
    drawn = data.draw(distributions)
    a, b, weights = drawn.a, drawn.b, drawn.weights
    note(f"BetaAverage({a.tolist()}, {b.tolist()}, weights={weights.tolist()})")
    return drawn, BetaAverage(a, b, weights=weights)


def is_rough(distribution):
    """Whether an exponent is below 1/2."""
    return min(distribution.a.min(), distribution.b.min()) < 0.5


def error_of(distribution):
    """Return the error of a probability."""
    return ABSOLUTE_SMALL if is_rough(distribution) else ABSOLUTE


def assert_same_tails(distribution, x, other, y, *, turned=False):
    """Compare P(X <= x) with P(Y <= y), or with P(Y > y), and the smaller tails relatively."""
    logs = np.array([distribution.logcdf(x), distribution.logccdf(x)])
    others = np.array([other.logcdf(y), other.logccdf(y)])
    others = others[::-1] if turned else others
    smaller, same = logs.min(axis=0), np.where(logs[0] < logs[1], *others)
    relative = RELATIVE_TAIL * np.where(same < LOG_TINY, np.abs(same) / 10, 1.0)
    if is_rough(distribution):
        blur = rounding_of_place(distribution, x)
        logs, others = logs[:, blur < 1e-9], others[:, blur < 1e-9]
        relative = np.where(blur < 1e-9, relative, np.inf)
    absolute = 2 * error_of(distribution)
    np.testing.assert_allclose(np.exp(logs), np.exp(others), rtol=0, atol=absolute)
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
        [distribution.logcdf(x + side), distribution.logccdf(x + side)]
        for side in (-step, step)
    ]
    with np.errstate(invalid="ignore"):
        changes = np.abs(np.subtract(*logs)).max(axis=0)
    return np.where(np.isnan(changes), np.inf, changes)


def every_family(families=ALL_FAMILIES, *, examples=6):
    """Run a property over each family of distributions, given as the strategy `distributions`.

    `examples` is how many a thorough run has of each family; a quick one has fewer.
    """
    most = settings.get_profile("thorough").max_examples
    count = -(-examples * settings().max_examples // most)

    def decorate(test):
        run = settings(max_examples=count)(given(data=st.data())(test))
        return pytest.mark.parametrize(
            "distributions", families.values(), ids=families.keys()
        )(run)

    return decorate


def turned(a, b, w, x, draw):
    """P(X <= x) = P(-X >= -x)."""
    return a, b, -w, -x, True


def permuted(a, b, w, x, draw):
    """The order of the classes does not matter."""
    order = np.array(draw(st.permutations(range(a.size))))
    return a[order], b[order], w[order], x, False


def scaled(a, b, w, x, draw):
    """Weights times a power of two: other units, with exact conversion."""
    scale = 2.0 ** draw(st.integers(-40, 40))
    return a, b, w * scale, x * scale, False


def with_a_class_of_no_weight(a, b, w, x, draw):
    """It does not count."""
    i, exponent = draw(st.integers(0, a.size)), draw(log_uniform(1e-3, 1e9))
    return (
        np.insert(a, i, exponent),
        np.insert(b, i, 2.0),
        np.insert(w, i, 0.0),
        x,
        False,
    )


@every_family(examples=8)
@pytest.mark.parametrize(
    "change", [turned, permuted, scaled, with_a_class_of_no_weight]
)
def test_same_distribution(change, distributions, data):
    """Said in another way."""
    _, weighted = pick(data, distributions)
    x = data.draw(places(weighted))
    a, b, weights, y, is_turned = change(
        weighted.a, weighted.b, weighted.weights, x, data.draw
    )
    other = BetaAverage(a, b, weights=weights)
    assert_same_tails(weighted, x, other, y, turned=is_turned)
    if is_turned:
        assert_same_tails(weighted, x, -weighted, y, turned=True)


@every_family()
def test_right_and_wrong_exchanged(distributions, data):
    """1 - theta instead of theta, of all classes, or of one with the opposite weight."""
    _, drawn = pick(data, distributions)
    equal, mirrored = BetaAverage(drawn.a, drawn.b), BetaAverage(drawn.b, drawn.a)
    # Multiples of the last bit of one, so that 1 - x is exact.
    x = np.unique(np.round(data.draw(places(equal)) * 2.0**53) / 2.0**53)
    x = x[(x > 0) & (x < 1)]
    assert_same_tails(equal, x, mirrored, 1 - x, turned=True)
    # Multiples of one power of two, so that sums and differences are exact.
    weights = np.maximum(np.round(np.abs(drawn.weights) * 2.0**22), 1.0) / 2.0**22
    weights = np.where(drawn.weights < 0, -weights, weights)
    before = BetaAverage(drawn.a, drawn.b, weights=weights)
    i = data.draw(st.integers(0, drawn.a.size - 1))
    unit = np.arange(drawn.a.size) == i
    a, b = np.where(unit, [drawn.b, drawn.a], [drawn.a, drawn.b])
    shifted = BetaAverage(a, b, weights=np.where(unit, -weights, weights))
    x = np.unique(np.round(data.draw(places(before)) * 2.0**46) / 2.0**46)
    x = x[(before.support().low < x) & (x < before.support().high)]
    assert_same_tails(before, x, shifted, x - weights[i])


@every_family(
    {
        "posteriors": FAMILIES["posteriors"],
        "cornered": sums(CORNERED, st.integers(2, 5)),
    },
    examples=20,
)
def test_beside_corners(distributions, data):
    """On and beside the places where pieces of the density meet, from either side."""
    _, weighted = pick(data, distributions)
    x = data.draw(beside_corners(weighted))
    x = x[rounding_of_place(weighted, x) < 1e-9]
    assert_same_tails(weighted, x, -weighted, -x, turned=True)
    assert (np.diff(weighted.cdf(x)) >= -1e-14).all()
    assert (np.diff(weighted.ccdf(x)) <= 1e-14).all()


@every_family({"few kinds": st.integers(1, 4)}, examples=15)
def test_identical_classes(distributions, data):
    """Many classes that are alike are merged; those that differ in the last bit are not."""
    kinds = data.draw(distributions)
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


@every_family(examples=4)
def test_one_more_observation(distributions, data):
    """Beta(a, b) is the mixture of Beta(a + 1, b) and Beta(a, b + 1), with weights a and b."""
    _, before = pick(data, distributions)
    x = data.draw(places(before))
    if is_rough(before):
        x = x[rounding_of_place(before, x) < 1e-9]
    i = data.draw(st.integers(0, before.a.size - 1))
    unit = np.arange(before.a.size) == i
    right = BetaAverage(before.a + unit, before.b, weights=before.weights)
    wrong = BetaAverage(before.a, before.b + unit, weights=before.weights)
    share = before.a[i] / (before.a[i] + before.b[i])
    for tail in ("cdf", "ccdf"):
        mixed = share * getattr(right, tail)(x) + (1 - share) * getattr(wrong, tail)(x)
        values = getattr(before, tail)(x)
        np.testing.assert_allclose(values, mixed, rtol=0, atol=2 * error_of(before))


@every_family(examples=5)
def test_round_trip(distributions, data):
    """The probability of a quantile is the one asked for, up to the rounding of the quantile."""
    drawn, _ = pick(data, distributions)
    p = data.draw(
        vectors(st.one_of(st.floats(1e-3, 0.999), log_uniform(1e-9, 1e-3)), 3)
    )
    for inverse, direct in ((drawn.icdf, drawn.logcdf), (drawn.iccdf, drawn.logccdf)):
        x = inverse(p)
        # Places are held as distances from the ends and the mean; x itself is a finer number if it
        # is small. The place of a saddlepoint's mass is a sum over the classes, each rounded.
        ends = np.array([*drawn.support(), drawn.mean()])[:, np.newaxis]
        size = np.maximum(np.abs(x), np.abs(x - ends).min(axis=0))
        step = (2 + drawn.a.size) * np.spacing(size)
        if is_rough(drawn):
            # What is within the rounding of a corner is taken to be on it.
            step = np.maximum(
                step, 4 * np.finfo(float).eps * np.abs(drawn.weights).sum()
            )
        ends = np.exp([direct(x - step), direct(x + step)])
        assert (ends.min(axis=0) - error_of(drawn) <= p).all()
        assert (p <= ends.max(axis=0) + error_of(drawn)).all()
