"""What holds for every weighted sum of Betas, over the whole space of parameters.

No tolerance is looser than the contract of the engine: 1e-12 in the cdf (1e-9 where an exponent is
below 1/2), 1e-8 of the smaller tail, 1e-10 of it in a quantile. Where two values of the engine are
compared, each may err once.
"""

import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, note, settings
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
def wide_laws(draw):
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
def rough_laws(draw):
    """A few classes with exponents below 1/2 beside any others up to a hundred."""
    size = draw(st.integers(1, 4))
    exponents = st.one_of(log_uniform(1e-3, 0.5), log_uniform(0.5, 100.0))
    a, b = (draw(vectors(exponents, size)) for _ in range(2))
    return BetaAverage(a, b, weights=draw(signed_weights(size)))


@st.composite
def cornered_laws(draw):
    """A few classes with exponents so small that the corners of their cube show."""
    size = draw(st.integers(2, 5))
    exponents = st.sampled_from([1 / 3, 0.5, 1.0, 1.5, 2.0, 3.0, 50.0])
    a, b = (draw(vectors(exponents, size)) for _ in range(2))
    weights = vectors(st.sampled_from([1.0, -1.0, 0.5, 0.3, -0.01]), size)
    return BetaAverage(a, b, weights=draw(st.one_of(st.none(), weights)))


@st.composite
def any_laws(draw):
    """The whole space of parameters: exponents from 1e-3 to 1e9."""
    size = draw(SIZES)
    a, b = (draw(vectors(log_uniform(1e-3, 1e9), size)) for _ in range(2))
    return BetaAverage(a, b, weights=draw(signed_weights(size)))


@st.composite
def places(draw, law):
    """Draw sorted points inside the support: about the mean, and anywhere."""
    low, high = law.support()
    z = draw(vectors(st.floats(-8, 8), 4))
    u = draw(vectors(st.floats(0.001, 0.999), 2))
    x = np.concatenate([law.mean() + law.standard_deviation() * z, low + (high - low) * u])
    return np.unique(x[(low < x) & (x < high)])


@st.composite
def beside_corners(draw, law):
    """Draw sorted points on corners of the cube of class accuracies, and beside them."""
    low, high = law.support()
    scale = np.abs([low, high]).max()
    away = st.sampled_from([0.0, 2.3e-16, -2.3e-16, 1e-14, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6])
    chosen = draw(vectors(vectors(st.booleans(), law.a.size), 5))
    x = chosen @ law.weights + scale * draw(vectors(away, 5))
    return np.unique(x[(low < x) & (x < high)])


def pick(data, laws):
    """Draw a law, and say how to make it again."""
    law = data.draw(laws)
    parameters = f"{law.a.tolist()}, {law.b.tolist()}, weights={law.weights.tolist()}"
    note(f"BetaAverage({parameters})")
    return law


def is_rough(law):
    """Whether an exponent is below 1/2."""
    return min(law.a.min(), law.b.min()) < 0.5


def assert_same_tails(law, x, other, y, *, turned=False):
    """Compare P(X <= x) with P(Y <= y), or with P(Y > y), and the smaller tails relatively."""
    logs = np.array([law.logcdf(x), law.logccdf(x)])
    others = np.array([other.logcdf(y), other.logccdf(y)])
    others = others[::-1] if turned else others
    smaller, same = logs.min(axis=0), np.where(logs[0] < logs[1], *others)
    absolute, relative = ABSOLUTE, RELATIVE_TAIL * np.where(same < LOG_TINY, np.abs(same) / 10, 1.0)
    if is_rough(law):
        absolute, blur = ABSOLUTE_SMALL, rounding_of_place(law, x)
        logs, others = logs[:, blur < 1e-9], others[:, blur < 1e-9]
        relative = np.where(blur < 1e-9, relative, np.inf)
    np.testing.assert_allclose(np.exp(logs), np.exp(others), rtol=0, atol=2 * absolute)
    assert (np.abs(smaller - same) <= 2 * np.maximum(relative, RELATIVE_TAIL)).all()


def rounding_of_place(law, x):
    """Return by how much the log of a tail at x changes within some roundings of x.

    It is large beside the corner of exponents far below 1/2, where the cdf all but jumps.
    """
    step = 16 * np.spacing(np.abs(law.support()).max())
    logs = [[law.logcdf(x + side), law.logccdf(x + side)] for side in (-step, step)]
    with np.errstate(invalid="ignore"):
        changes = np.abs(np.subtract(*logs)).max(axis=0)
    return np.where(np.isnan(changes), np.inf, changes)


FAMILIES = {"wide": wide_laws(), "posteriors": posteriors()}
ALL_FAMILIES = FAMILIES | {"rough": rough_laws(), "any": any_laws()}


def every_family(families=FAMILIES, *, examples=6):
    """Run a property over each family of laws, given as the strategy `laws`."""

    def decorate(test):
        quick = settings(max_examples=examples)(given(data=st.data())(test))
        return pytest.mark.parametrize("laws", families.values(), ids=families.keys())(quick)

    return decorate


# Probabilities


@every_family(ALL_FAMILIES)
def test_tails_are_probabilities(laws, data):
    """In [0, 1], monotone, adding up to one; the density is not negative; nothing is missing."""
    law = pick(data, laws)
    x = data.draw(places(law))
    cdf, ccdf, pdf = law.cdf(x), law.ccdf(x), law.pdf(x)
    for values in (cdf, ccdf):
        assert ((values >= 0) & (values <= 1)).all()
    assert (pdf >= 0).all()
    # Each is rounded once.
    np.testing.assert_allclose(cdf + ccdf, 1.0, rtol=0, atol=4e-16)
    # Neighbours are further apart than their error, or within it.
    assert (np.diff(cdf) >= -1e-14).all()
    assert (np.diff(ccdf) <= 1e-14).all()


@every_family(ALL_FAMILIES)
def test_log_tails_are_monotone(laws, data):
    """Far out as well, where the probabilities themselves have underflowed."""
    law = pick(data, laws)
    x = data.draw(places(law))
    logcdf, logccdf = law.logcdf(x), law.logccdf(x)
    assert np.isfinite([logcdf, logccdf]).all() or ((logcdf == 0) | (logccdf == 0)).any()
    # Relative to the larger log: the rounding of exp(-c y) grows with it.
    slack = RELATIVE_QUANTILE * np.maximum(1.0, np.abs([logcdf, logccdf]).max(axis=0))[1:]
    assert (np.diff(logcdf) >= -slack).all()
    assert (np.diff(logccdf) <= slack).all()


# Symmetries


@every_family(ALL_FAMILIES)
def test_minus_the_variable(laws, data):
    """P(X <= x) = P(-X >= -x), though the contours lie on opposite sides."""
    law = pick(data, laws)
    weighted = BetaAverage(law.a, law.b, weights=law.weights)
    x = data.draw(places(weighted))
    assert_same_tails(weighted, x, -weighted, -x, turned=True)


@every_family(ALL_FAMILIES)
def test_right_and_wrong_exchanged(laws, data):
    """P(X <= x) under a, b is P(X >= 1 - x) under b, a, for the default weights."""
    law = pick(data, laws)
    law, turned = BetaAverage(law.a, law.b), BetaAverage(law.b, law.a)
    # Multiples of the last bit of one, so that 1 - x is exact.
    x = np.unique(np.round(data.draw(places(law)) * 2.0**53) / 2.0**53)
    x = x[(x > 0) & (x < 1)]
    assert_same_tails(law, x, turned, 1 - x, turned=True)


@every_family(ALL_FAMILIES)
def test_order_of_the_classes(laws, data):
    """The sum does not depend on it."""
    law = pick(data, laws)
    order = np.array(data.draw(st.permutations(range(law.a.size))))
    x = data.draw(places(law))
    weights = law.weights[order]
    same = BetaAverage(law.a, law.b, weights=law.weights)
    assert_same_tails(same, x, BetaAverage(law.a[order], law.b[order], weights=weights), x)


@every_family(ALL_FAMILIES)
def test_scale(laws, data):
    """Weights times a power of two: the same law in other units, with exact conversion."""
    law = pick(data, laws)
    scale = 2.0 ** data.draw(st.integers(-40, 40))
    x = data.draw(places(law))
    same = BetaAverage(law.a, law.b, weights=law.weights)
    scaled = BetaAverage(law.a, law.b, weights=law.weights * scale)
    assert_same_tails(same, x, scaled, x * scale)
    assert scaled.mean() == pytest.approx(same.mean() * scale, rel=1e-15)
    assert scaled.icdf(0.3) == pytest.approx(same.icdf(0.3) * scale, rel=1e-12, abs=0)


@every_family(ALL_FAMILIES)
def test_shift(laws, data):
    """1 - theta instead of theta, with the opposite weight: the same sum, less the weight."""
    law = pick(data, laws)
    # Multiples of one power of two, so that sums and differences are exact.
    weights = np.maximum(np.round(np.abs(law.weights) * 2.0**22), 1.0) / 2.0**22
    weights = np.where(law.weights < 0, -weights, weights)
    law = BetaAverage(law.a, law.b, weights=weights)
    i = data.draw(st.integers(0, law.a.size - 1))
    unit = np.arange(law.a.size) == i
    a, b = np.where(unit, law.b, law.a), np.where(unit, law.a, law.b)
    shifted = BetaAverage(a, b, weights=np.where(unit, -weights, weights))
    x = np.unique(np.round(data.draw(places(law)) * 2.0**46) / 2.0**46)
    x = x[(law.support().low < x) & (x < law.support().high)]
    assert_same_tails(law, x, shifted, x - weights[i])


CORNERED = {"posteriors": posteriors(), "cornered": cornered_laws()}


@every_family(CORNERED, examples=20)
def test_beside_corners(laws, data):
    """On and beside the places where pieces of the density meet, from either side."""
    law = pick(data, laws)
    weighted = BetaAverage(law.a, law.b, weights=law.weights)
    x = data.draw(beside_corners(weighted))
    x = x[rounding_of_place(weighted, x) < 1e-9]
    assert_same_tails(weighted, x, -weighted, -x, turned=True)
    reversed_law = BetaAverage(law.a[::-1], law.b[::-1], weights=law.weights[::-1])
    assert_same_tails(weighted, x, reversed_law, x)
    assert (np.diff(weighted.cdf(x)) >= -1e-14).all()
    assert (np.diff(weighted.ccdf(x)) <= 1e-14).all()


@every_family(ALL_FAMILIES)
def test_weight_of_zero(laws, data):
    """A class without weight does not count."""
    law = pick(data, laws)
    x = data.draw(places(law))
    i = data.draw(st.integers(0, law.a.size))
    a, b, weights = (
        np.insert(v, i, new)
        for v, new in zip(
            (law.a, law.b, law.weights), (data.draw(log_uniform(1e-3, 1e9)), 2.0, 0.0), strict=True
        )
    )
    same = BetaAverage(law.a, law.b, weights=law.weights)
    assert_same_tails(same, x, BetaAverage(a, b, weights=weights), x)


@settings(max_examples=15)
@given(data=st.data())
def test_identical_classes(data):
    """Many classes that are alike are merged; those that differ in the last bit are not."""
    kinds = data.draw(st.integers(1, 4))
    exponents = st.one_of(st.sampled_from([0.5, 1.0, 2.0]), log_uniform(0.5, 1e4))
    a, b = (data.draw(vectors(exponents, kinds)) for _ in range(2))
    weights = data.draw(vectors(st.sampled_from([1.0, -1.0, 0.5, 0.1, 1 / 3]), kinds))
    count = data.draw(st.lists(st.integers(1, 20), min_size=kinds, max_size=kinds))
    a, b, weights = (np.repeat(values, count) for values in (a, b, weights))
    law = BetaAverage(a, b, weights=weights)
    note(f"BetaAverage({a.tolist()}, {b.tolist()}, weights={weights.tolist()})")
    x = data.draw(places(law))
    # Up and down in turn: the sums of the exponents stay almost as they are.
    towards = np.where(np.arange(a.size) % 2, np.inf, 0.0)
    jittered = a + (np.arange(a.size) // 2) * (np.nextafter(a, towards) - a)
    assert_same_tails(law, x, BetaAverage(jittered, b, weights=weights), x)


@every_family(ALL_FAMILIES, examples=5)
def test_a_point_alone(laws, data):
    """The other points of a query do not matter beyond rounding, and nothing is random."""
    law = pick(data, laws)
    x = data.draw(places(law))
    assume(x.size)
    again = BetaAverage(law.a, law.b, weights=law.weights)
    law = BetaAverage(law.a, law.b, weights=law.weights)
    for name in ("logcdf", "logccdf", "logpdf"):
        np.testing.assert_array_equal(getattr(law, name)(x), getattr(again, name)(x))
    np.testing.assert_array_equal(law.icdf([0.1, 1e-9]), again.icdf([0.1, 1e-9]))
    one = x[data.draw(st.integers(0, x.size - 1)) :][:1]
    within = np.flatnonzero(x == one)
    for name in ("cdf", "ccdf"):
        many, alone = getattr(law, name)(x)[within], getattr(law, name)(one)
        assert np.abs(many - alone) <= 2 * (ABSOLUTE_SMALL if is_rough(law) else ABSOLUTE)
        assert np.abs(many - alone) <= 2 * RELATIVE_TAIL * many + 1e-300


@every_family(ALL_FAMILIES, examples=4)
def test_one_more_observation(laws, data):
    """Beta(a, b) is the mixture of Beta(a + 1, b) and Beta(a, b + 1), with weights a and b."""
    law = pick(data, laws)
    x = data.draw(places(law))
    before = BetaAverage(law.a, law.b, weights=law.weights)
    absolute = ABSOLUTE
    if is_rough(law):
        absolute, x = ABSOLUTE_SMALL, x[rounding_of_place(before, x) < 1e-9]
    i = data.draw(st.integers(0, law.a.size - 1))
    unit = np.arange(law.a.size) == i
    right = BetaAverage(law.a + unit, law.b, weights=law.weights)
    wrong = BetaAverage(law.a, law.b + unit, weights=law.weights)
    share = law.a[i] / (law.a[i] + law.b[i])
    for tail in ("cdf", "ccdf"):
        mixed = share * getattr(right, tail)(x) + (1 - share) * getattr(wrong, tail)(x)
        values = getattr(before, tail)(x)
        np.testing.assert_allclose(values, mixed, rtol=0, atol=2 * absolute)
        small = (values < 0.5) & (mixed > 1e-300)
        np.testing.assert_allclose(values[small], mixed[small], rtol=2 * RELATIVE_TAIL)


# Quantiles, intervals, mode


@every_family(ALL_FAMILIES, examples=5)
def test_round_trip(laws, data):
    """The probability of a quantile is the one asked for, up to the rounding of the quantile."""
    law = pick(data, laws)
    p = data.draw(vectors(st.one_of(st.floats(1e-3, 0.999), log_uniform(1e-30, 1e-3)), 3))
    for inverse, direct in ((law.icdf, law.logcdf), (law.iccdf, law.logccdf)):
        x = inverse(p)
        # The place of a saddlepoint's mass is a sum over the classes, each rounded.
        step = (2 + law.a.size) * place_rounding(law, x)
        worth = np.minimum(RELATIVE_QUANTILE * np.minimum(p, 1 - p), ABSOLUTE)
        if min(law.a.min(), law.b.min()) < 0.5:
            # What is within the rounding of a corner is taken to be on it.
            step = np.maximum(step, 4 * np.finfo(float).eps * np.abs(law.weights).sum())
            worth = ABSOLUTE_SMALL * np.minimum(p, 1 - p)
        ends = np.exp([direct(x - step), direct(x + step)])
        assert (ends.min(axis=0) - worth <= p).all()
        assert (p <= ends.max(axis=0) + worth).all()


@every_family(examples=5)
def test_intervals(laws, data):
    """Both have their mass; the densest one is no longer, and as dense at either end."""
    law = pick(data, laws)
    level = data.draw(st.floats(0.05, 0.99))
    # Laws narrower than the doubles around them have no interval to speak of.
    assume(law.standard_deviation() > 1e-7 * np.abs(law.support()).max())
    central, densest = law.interval(level), law.hdi(level)
    for low, high in (central, densest):
        assert law.support().low <= low < high <= law.support().high
        rounding = sum(finite_density(law, end) * np.spacing(np.abs(end)) for end in (low, high))
        assert law.cdf(low, high) == pytest.approx(level, abs=1e-11 + 2 * rounding)
    below = (1 - level) * np.append(np.linspace(0.0, 1.0, 9), 0.5)
    ends = law.icdf(below), law.iccdf(np.maximum(1 - level - below, 0.0))
    shortest = np.min(np.subtract(*reversed(ends)))
    assert densest.high - densest.low <= shortest * (1 + 1e-9) + 4 * np.spacing(
        np.abs(densest).max()
    )


def place_rounding(law, x):
    """Return the spacing of doubles at x, or at its distance to the nearest of ends and mean.

    Places are held as those distances. Beside a corner amid the support the log of a tail may be
    so steep that their rounding shows; x itself is a finer number there if it is small.
    """
    nearest = np.min([np.abs(x - place) for place in (*law.support(), law.mean())], axis=0)
    return np.spacing(np.maximum(np.abs(x), nearest))


def finite_density(law, x):
    """Return the density, or a large number at a pole."""
    return min(law.pdf(x), 1e16)


@every_family(examples=5)
def test_mode_has_the_highest_density(laws, data):
    """No other point has a higher one."""
    law = pick(data, laws)
    x = data.draw(places(law))
    assert law.support().low <= law.mode() <= law.support().high
    # Rounding of the densities, and of the mode where the density is a needle.
    assume(law.standard_deviation() > 1e-6 * np.abs(law.support()).max())
    assert law.logpdf(law.mode()) >= law.logpdf(x).max() - 1e-8


# Moments


@given(law=st.one_of(ALL_FAMILIES.values()))
@example(law=BetaAverage([1e9], [1e-3]))
@example(law=BetaAverage([1e9, 0.5], [1e9, 0.5], weights=[1.0, -1e-6]))
def test_moments(law):
    """Mean, variance, skewness and kurtosis in closed form, by raw moments in mpmath."""
    with mpmath.workdps(120):
        cumulants = [mpmath.mpf(0)] * 4
        for a, b, w in zip(law.a, law.b, law.weights, strict=True):
            a, b, w = mpmath.mpf(a), mpmath.mpf(b), mpmath.mpf(w)
            raw = [mpmath.rf(a, r) / mpmath.rf(a + b, r) * w**r for r in range(5)]
            mean = raw[1]
            central = [
                sum(mpmath.binomial(r, k) * raw[k] * (-mean) ** (r - k) for k in range(r + 1))
                for r in range(5)
            ]
            terms = [mean, central[2], central[3], central[4] - 3 * central[2] ** 2]
            cumulants = [total + term for total, term in zip(cumulants, terms, strict=True)]
        mean, variance, third, fourth = cumulants
        expected = [variance, third / variance**1.5, fourth / variance**2]
        largest = float(max(abs(mpmath.mpf(w)) for w in law.weights))
    # Terms of either sign meet in the mean, the skewness and the kurtosis.
    scale = largest * law.a.size
    assert law.mean() == pytest.approx(float(mean), rel=1e-14, abs=1e-15 * scale)
    assert law.variance() == pytest.approx(float(expected[0]), rel=1e-12)
    assert law.skewness() == pytest.approx(float(expected[1]), rel=1e-12, abs=1e-12)
    assert law.kurtosis() == pytest.approx(float(expected[2]), rel=1e-12, abs=1e-12)


@every_family(ALL_FAMILIES, examples=5)
def test_no_warning(laws, data):
    """Overflow and division by zero do not show, wherever the law is asked."""
    law = pick(data, laws)
    low, high = law.support()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near_low, near_high = np.nextafter(low, high), np.nextafter(high, low)
        x = [low, near_low, law.mean(), near_high, high, -np.inf, np.inf]
        for function in (law.logpdf, law.logcdf, law.logccdf):
            assert not np.isnan(function(x)).any()
        law.icdf([0.0, 1e-300, 0.5, 1.0])
        law.mode()
