"""What every distribution of `skpostbac.stats` promises, by its public methods alone.

No value is compared with a reference here: each is compared with another question to the same
distribution, or with the same question asked in another way.
"""

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from skpostbac import population_posterior
from skpostbac.stats import (
    BetaAverage,
    BetaBinomial,
    BetaQuotient,
    BetaRatio,
    HierarchicalBetaAverage,
    HierarchicalPairedDifference,
    LibbyNovickBeta,
    NormalBinomial,
    PairedDifference,
    PowerTransform,
    ShiftedDistribution,
)
from skpostbac.stats._table import LogitDistribution

# Errors of probabilities. A sum is smooth if its transform vanishes: nothing but rounding is left.
SMOOTH = 1e-12
# Rough sums, by the distance from a corner in standard deviations: beside one the cdf is a power of
# the distance, and its series converges slowly.
ROUGH = {0.1: 1e-12, 0.01: 1e-9, 0.0: 1e-6}
# Classes that borrow from each other: integrals over states, which are placed for this.
BORROWING = {0.1: 1e-9, 0.0: 1e-4}
# Draws: half a step of the empirical cdf, of which there are this many.
N_DRAWS = 20_000
DRAWN = 1 / N_DRAWS
# Errors of densities, relative to the largest one, away from poles.
DENSITY = 1e-9
# Moments are integrated here by rules of 16 nodes between quantiles, which err by as much.
MOMENTS = 1e-8
SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))
# Two computed values may err in opposite directions.
BOTH = 2

P = np.array([1e-9, 1e-6, 1e-3, 0.02, 0.2, 0.5, 0.7, 0.95, 0.999, 1 - 1e-6, 1 - 1e-9])
HOSTILE = np.array([-np.inf, -1e308, 1e308, np.inf, np.nan])


@dataclass(frozen=True)
class Case:
    """A distribution, made anew by each call, with the errors it may have."""

    make: Callable[[], object]
    error: float | dict[float, float] = SMOOTH
    corners: tuple[float, ...] = ()
    # The same distribution, with other arguments, of the negated variable.
    mirror: Callable[[], object] | None = None
    is_drawn: bool = False

    @cached_property
    def distribution(self):
        """Return the distribution, one for all tests."""
        return self.make()

    @cached_property
    def points(self):
        """Return points throughout the distribution, in increasing order."""
        return np.unique(np.append(self.distribution.icdf(P), self.distribution.mean()))

    def allowed(self, x):
        """Return the error that a probability at x may have."""
        if not isinstance(self.error, dict):
            return np.full(np.shape(x), self.error)
        distance = np.min([np.abs(x - corner) for corner in self.corners], axis=0)
        distance = distance / self.distribution.standard_deviation()
        return np.select(
            [distance >= least for least in self.error], list(self.error.values())
        )


def beta(a, b, weights=None, error=SMOOTH):
    """Return a case of a weighted sum of Betas."""
    sizes = np.full(len(a), 1 / len(a)) if weights is None else np.array(weights)
    corners = (
        tuple({sum(at) for at in product(*((0.0, w) for w in sizes))})
        if len(a) < 5
        else ()
    )
    return Case(
        lambda: BetaAverage(a, b, weights=weights),
        error,
        corners,
        lambda: BetaAverage(a, b, weights=-sizes),
    )


def pair(counts, prior=0.5, weights=None, error=SMOOTH):
    """Return a case of a paired difference."""
    sizes = (
        np.full(len(counts), 1 / len(counts)) if weights is None else np.array(weights)
    )
    corners = tuple({sum(at) for at in product(*((-w, 0.0, w) for w in sizes))})
    turned = np.array(counts)[:, [0, 2, 1, 3]]
    return Case(
        lambda: PairedDifference(counts, prior=prior, weights=weights),
        error,
        corners,
        lambda: PairedDifference(turned, prior=prior, weights=weights),
    )


def borrowing(correct, total, error=BORROWING):
    """Return a case of classes that borrow."""
    sizes = np.full(len(total), 1 / len(total))
    corners = tuple({sum(at) for at in product(*((0.0, w) for w in sizes))})
    return Case(
        lambda: HierarchicalBetaAverage(correct, total),
        error,
        corners,
        lambda: HierarchicalBetaAverage(correct, total, weights=-sizes),
    )


def ratio(first, second):
    """Return the precision at a share of positives of 0.1, from the rate of hits and of alarms."""
    pair = BetaAverage([first[0]], [first[1]]), BetaAverage([second[0]], [second[1]])
    return BetaRatio(*pair, [[0, 0], [0.1, 0.1]], [[0, 0.9], [0.1, 1]])


def two_peaks(u):
    """Log density in log-odds with two peaks of different width."""
    return np.logaddexp(-0.5 * ((u + 2) / 0.2) ** 2, -0.5 * ((u - 1) / 0.5) ** 2 - 1)


TWO_CLASSES = [[82, 40], [75, 31], [92, 44]]
RATE = BetaAverage([21.5], [3.5])
CASES = {
    "one class": beta([9.0], [3.0]),
    "one perfect class": beta([11.5], [0.5], error=ROUGH),
    "three classes": beta([31.3, 9.3, 45.3], [5.3, 4.3, 12.3]),
    "jeffreys": beta([28.5, 17.5], [2.5, 6.5], error=ROUGH),
    "unequal and negative weights": beta(
        [30.5, 8.5, 12], [5.5, 4.5, 3], [0.7, -0.5, 0.2]
    ),
    "perfect classes": beta([11.3, 6.3, 21.3], [0.33] * 3, error=ROUGH),
    "single samples": beta([1.5, 0.5], [0.5, 1.5], error=ROUGH),
    "no samples": beta([1 / 3] * 3, [1 / 3] * 3, error=ROUGH),
    "plateau": beta([1.0, 1.0], [1.0, 1.0], [1, 0.2]),
    "kink": beta([1e5 + 0.5, 2.5], [0.5, 0.5], error=ROUGH),
    "poles": beta([0.5, 0.5], [0.5, 0.5], error=ROUGH),
    "both ends": beta([20.5, 0.5], [0.5, 8.5], error=ROUGH),
    "two scales": beta([10.5, 999_990.5], [3.5, 10.5], error=ROUGH),
    "100 classes": beta(np.arange(100) + 1.5, 1.5 + np.arange(100) % 7),
    "pairs": pair([[30, 4, 7, 3], [12, 2, 1, 5], [16, 3, 2, 1]], prior=1.0),
    "pairs, weights": pair(
        [[30, 4, 7, 3], [12, 2, 1, 5]], weights=[0.7, -0.3], error=ROUGH
    ),
    "pairs, one class": pair([[20, 2, 5, 4]], error=ROUGH),
    "pairs, an empty cell": pair([[601, 0, 20, 40]], error=ROUGH),
    "pairs, empty cells": pair(
        [[600, 0, 12, 47], [581, 0, 24, 60]], prior=0.25, error=ROUGH
    ),
    "pairs that agree": pair([[25, 0, 0, 0], [10, 0, 0, 0]], error=ROUGH),
    "pairs, no samples": pair([[0, 0, 0, 0]], error=ROUGH),
    "pairs, two sizes": pair(
        [[7e6, 1e6, 1.2e6, 8e5], [6, 1, 2, 1]], prior=1.0, error=ROUGH
    ),
    "borrowing": borrowing([9, 17], [12, 20]),
    "borrowing pairs": Case(
        lambda: HierarchicalPairedDifference(
            [[30, 4, 7, 3], [9, 2, 1, 5]], n_draws=N_DRAWS
        ),
        DRAWN,
        is_drawn=True,
    ),
    "beta-binomial groups": Case(
        lambda: (
            population_posterior(
                [82, 75, 92], [100, 90, 99], model=BetaBinomial()
            ).new_group
        ),
        BORROWING[0.1],
    ),
    "normal-binomial groups": Case(
        lambda: (
            population_posterior(
                [82, 75, 92], [100, 90, 99], model=NormalBinomial()
            ).new_group
        ),
        BORROWING[0.1],
    ),
    "groups, two classes": Case(
        lambda: (
            population_posterior(
                TWO_CLASSES, [[100, 50]] * 3, model=BetaBinomial()
            ).new_group
        ),
        BORROWING,
        (0.0, 0.5, 1.0),
    ),
    "ratio": Case(lambda: ratio((21.5, 3.5), (3.5, 77.5))),
    "quotient": Case(lambda: BetaQuotient([21.5, 9.5], [3.5, 77.5])),
    "quotient below one": Case(lambda: BetaQuotient([3.5, 21.5], [77.5, 3.5])),
    "odds": Case(lambda: LibbyNovickBeta(22.0, 10.0, factor=2.0)),
    "power": Case(lambda: PowerTransform(BetaAverage([22.5, 9.5], [6.5, 4.5]), 0.5)),
    "odds, perfect": Case(lambda: LibbyNovickBeta(1e3, 0.5, factor=2.0), ROUGH, (1.0,)),
    "odds, nothing known": Case(
        lambda: LibbyNovickBeta(0.5, 0.5, 0.5), ROUGH, (0.0, 1.0)
    ),
    "ratio, few": Case(lambda: ratio((2.5, 1.5), (1.5, 3.5))),
    "ratio, no errors": Case(
        lambda: ratio((12.5, 0.5), (0.5, 30.5)), corners=(0.0, 1.0)
    ),
    "ratio of a sum": Case(
        lambda: BetaRatio(
            RATE,
            BetaAverage([2, 3, 1.5], [30, 20, 40]),
            [[0, 0], [0.2, 0.2]],
            [[0, 0.8], [0.2, 1]],
        )
    ),
    "two peaks": Case(lambda: LogitDistribution(two_peaks, 0.0, 1.0)),
    "square": Case(lambda: PowerTransform(BetaAverage([22.5, 9.5], [6.5, 4.5]), 2)),
    "shifted": Case(
        lambda: ShiftedDistribution(BetaAverage([31, 9, 4], [3, 3, 2]), -0.03)
    ),
}
MORE = {
    "groups, perfect classes": Case(
        lambda: population_posterior(
            [[9, 4], [9, 4]], [[9, 4]] * 2, model=NormalBinomial()
        ).groups[0],
        BORROWING,
        (0.0, 0.5, 1.0),
    ),
    "borrowing, perfect": borrowing([3, 6], [3, 6]),
    "borrowing, three classes": borrowing([9, 17, 44], [12, 20, 50]),
}
every_case = pytest.mark.parametrize(
    "case",
    [
        *(pytest.param(case, id=name) for name, case in CASES.items()),
        *(
            pytest.param(case, id=name, marks=pytest.mark.slow)
            for name, case in MORE.items()
        ),
    ],
)


@every_case
def test_tails(case):
    """Both add up to one, lie in [0, 1], and rise and fall."""
    distribution = case.distribution
    x = case.points
    cdf, ccdf = distribution.cdf(x), distribution.ccdf(x)
    assert (np.abs(cdf + ccdf - 1) <= BOTH * case.allowed(x)).all()
    assert ((cdf >= 0) & (cdf <= 1) & (ccdf >= 0) & (ccdf <= 1)).all()
    assert (np.diff(cdf) >= -BOTH * case.allowed(x[1:])).all()
    assert (np.diff(ccdf) <= BOTH * case.allowed(x[1:])).all()


@every_case
def test_density_is_the_slope_of_the_cdf(case):
    """The mass of a short interval is its density times its length, to third order."""
    if case.is_drawn:
        pytest.skip("the density of draws is a kernel estimate")
    distribution = case.distribution
    x = distribution.icdf(np.array([0.02, 0.3, 0.6, 0.97]))
    h = 1e-3 * distribution.standard_deviation()
    # Simpson's rule.
    density = (
        distribution.pdf(x[:, np.newaxis] + h * np.array([-1, 0, 1]))
        @ [1, 4, 1]
        * h
        / 3
    )
    mass = distribution.cdf(x + h) - distribution.cdf(x - h)
    for corner in case.corners:
        density = np.where(np.abs(x - corner) > 100 * h, density, mass)
    assert (np.abs(mass - density) <= BOTH * case.allowed(x) + 1e-8 * mass).all()


@every_case
def test_logs(case):
    """Where a value is not small its log belongs to it."""
    distribution = case.distribution
    if not hasattr(distribution, "logcdf"):
        pytest.skip("it has no logs")
    x = case.points
    for name in ("cdf", "ccdf", "pdf"):
        value, log = (
            getattr(distribution, name)(x),
            getattr(distribution, f"log{name}")(x),
        )
        unit = distribution.standard_deviation() if name == "pdf" else 1.0
        known = unit * value > 1e-8
        assert_allclose(np.exp(log[known]), value[known], rtol=1e-9)


@every_case
def test_two_limits(case):
    """The mass between limits, that beyond them, and their logs follow from one limit."""
    distribution = case.distribution
    x = case.points
    lower, upper = np.broadcast_arrays(x[:, np.newaxis], x)
    between, allowed = (
        distribution.cdf(lower, upper),
        BOTH * (case.allowed(x[0]) + 1e-15),
    )
    allowed = allowed + BOTH * np.maximum(case.allowed(lower), case.allowed(upper))
    assert (
        np.abs(between - distribution.cdf(upper) + distribution.cdf(lower)) <= allowed
    ).all()
    assert (np.abs(between + distribution.ccdf(lower, upper) - 1) <= allowed).all()
    if not hasattr(distribution, "logcdf"):
        return
    log, beyond = distribution.logcdf(lower, upper), distribution.logccdf(lower, upper)
    assert_array_equal(np.isnan(log), between < 0)
    assert (np.abs(np.exp(log) - between)[between >= 0] <= allowed[between >= 0]).all()
    assert (np.abs(np.exp(beyond) - distribution.ccdf(lower, upper)) <= allowed).all()


@pytest.mark.parametrize(
    "name", ["three classes", "pairs", "borrowing pairs", "quotient", "ratio"]
)
def test_in_the_arithmetic_of_scipy(name):
    """A variable of SciPy that is scaled, transformed or mixed follows from this distribution."""
    own = CASES[name].distribution
    if SCIPY < (1, 16):
        with pytest.raises(ImportError, match=r"to_scipy needs SciPy 1\.16"):
            own.to_scipy()
        return
    variable, x = own.to_scipy(), own.icdf([0.1, 0.5, 0.8])
    assert_allclose((2 * variable - 1).cdf(2 * x - 1), own.cdf(x), rtol=1e-12)
    assert_allclose(
        (3 - variable).icdf([0.1, 0.7]), 3 - own.icdf([0.9, 0.3]), rtol=1e-12
    )
    assert_allclose(stats.exp(variable).ccdf(np.exp(x)), own.ccdf(x), rtol=1e-12)
    mixed = stats.Mixture([variable, stats.Normal(mu=0.5)], weights=[0.3, 0.7])
    assert_allclose(
        mixed.cdf(x), 0.3 * own.cdf(x) + 0.7 * stats.norm.cdf(x - 0.5), rtol=1e-12
    )
    assert mixed.mean() == pytest.approx(0.3 * own.mean() + 0.35, rel=1e-12)
    assert variable.variance() == pytest.approx(own.variance(), rel=1e-12)
    assert variable.support() == own.support()
    assert_array_equal(variable.sample(5, rng=1), own.sample(5, rng=1))


@every_case
def test_mirror(case):
    """P(-X <= -x) = P(X >= x), and so on for all that is asked."""
    distribution = case.distribution
    if not hasattr(distribution, "__neg__"):
        pytest.skip("the negated variable has another distribution")
    x = case.points
    cdf, ccdf, sd = (
        distribution.cdf(x),
        distribution.ccdf(x),
        distribution.standard_deviation(),
    )
    for turned in (-distribution, case.mirror() if case.mirror else -distribution):
        assert (np.abs(turned.cdf(-x) - ccdf) <= BOTH * case.allowed(x)).all()
        assert (np.abs(turned.ccdf(-x) - cdf) <= BOTH * case.allowed(x)).all()
        assert turned.mean() == pytest.approx(
            -distribution.mean(), rel=1e-13, abs=1e-13 * sd
        )
        assert turned.standard_deviation() == pytest.approx(sd, rel=1e-12)
        assert turned.skewness() == pytest.approx(-distribution.skewness(), abs=1e-9)
        assert_allclose(
            turned.hdi(0.9), -np.array(distribution.hdi(0.9))[::-1], atol=1e-6 * sd
        )


@every_case
def test_a_point_alone(case):
    """Neither other points nor earlier questions matter."""
    fresh, used = case.make(), case.make()
    x = case.points
    for question in (used.hdi, used.interval, used.median, used.standard_deviation):
        question()
    together = used.cdf(x), used.ccdf(x), used.pdf(x)
    for i, name in enumerate(("cdf", "ccdf", "pdf")):
        alone = [getattr(fresh, name)(one) for one in x[::-1]][::-1]
        allowed = case.allowed(x)
        if name == "pdf":  # at a pole both may be infinite
            allowed = DENSITY * np.maximum(alone, alone[x.size // 2])
        same = np.equal(alone, together[i])
        assert (
            same | (np.abs(np.where(same, 0, alone) - together[i]) <= BOTH * allowed)
        ).all()
        assert np.ndim(alone[0]) == 0
        assert getattr(fresh, name)(x.reshape(-1, 1)).shape == (x.size, 1)


@every_case
def test_quantiles(case):
    """Their probabilities are those asked for, or those of the doubles beside them."""
    distribution = case.distribution
    for inverse, direct in (
        (distribution.icdf, distribution.cdf),
        (distribution.iccdf, distribution.ccdf),
    ):
        x = inverse(P)
        beside = np.sort(
            [direct(np.nextafter(x, end)) for end in (-np.inf, np.inf)], axis=0
        )
        allowed = BOTH * case.allowed(x)
        assert (beside[0] - allowed <= P).all()
        assert (beside[1] + allowed >= P).all()
    assert distribution.median() == pytest.approx(
        distribution.icdf(0.5), rel=1e-12, abs=1e-14
    )
    if not case.is_drawn:
        assert_allclose(distribution.icdf([0.0, 1.0]), distribution.support())
        assert_allclose(distribution.iccdf([1.0, 0.0]), distribution.support())
    low, high = distribution.interval(0.9)
    assert_allclose(
        [low, high], [distribution.icdf(0.05), distribution.iccdf(0.05)], rtol=1e-9
    )


@every_case
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_shortest_interval(case, level):
    """It has its mass, is not longer than its neighbours, and is as dense at either end."""
    distribution = case.distribution
    low, high = distribution.hdi(level)
    support, sd = distribution.support(), distribution.standard_deviation()
    central, hull = distribution.interval(level), distribution.credible_interval(level)
    assert hull == (min(low, central.low), max(high, central.high))
    mass = 1 - distribution.cdf(low) - distribution.ccdf(high)
    assert mass == pytest.approx(
        level, abs=BOTH * case.allowed(np.array([low, high])).sum()
    )
    below = distribution.cdf(low)
    shifts = np.array([-1e-2, -1e-3, -1e-4, 1e-4, 1e-3, 1e-2]) * min(1 - level, level)
    starts = np.clip(np.append(below + shifts, (1 - level) / 2), 0, 1 - level)
    others = distribution.iccdf(1 - level - starts) - distribution.icdf(starts)
    assert (high - low <= others + 1e-9 * sd).all()
    if case.is_drawn:
        return
    ends = distribution.pdf([low, high])
    largest = distribution.pdf(case.points).max()
    if low > support.low and high < support.high and np.isfinite(largest):
        assert ends[0] == pytest.approx(ends[1], abs=1e-8 * largest)
    elif low > support.low:
        assert ends[1] >= ends[0] * (1 - DENSITY)
    elif high < support.high:
        assert ends[0] >= ends[1] * (1 - DENSITY)


@every_case
def test_mode(case):
    """No other point has a higher density."""
    distribution = case.distribution
    if not hasattr(distribution, "mode"):
        pytest.skip("it has no mode")
    low, high = distribution.support()
    mode, sd = distribution.mode(), distribution.standard_deviation()
    assert low <= mode <= high
    around = mode + sd * np.array([-1e-2, -1e-3, -1e-4, 0, 1e-4, 1e-3, 1e-2])
    x = np.concatenate([case.points, around[(around >= low) & (around <= high)]])
    # Beside a corner, narrow variables count by a few points, each of them a pole.
    if case.error is ROUGH:
        x = x[case.allowed(x) < ROUGH[0.0]]
    assert distribution.pdf(mode) >= distribution.pdf(x).max() * (1 - DENSITY)


@every_case
def test_moments(case):
    """Mean and variance are integrals of the tails on either side of the mean."""
    distribution = case.distribution
    (low, high), mean = distribution.support(), distribution.mean()
    spread = distribution.standard_deviation() * 0.5 ** np.arange(1, 40)
    inside = [corner for corner in case.corners if low < corner < high]
    graded = np.add.outer(inside, np.append(spread, -spread)).ravel()
    tails = np.geomspace(1e-12, 0.5, 25)
    quantiles = np.append(distribution.icdf(tails), distribution.iccdf(tails))
    edges = np.clip(
        np.concatenate([[mean], inside, graded]), quantiles.min(), quantiles.max()
    )
    edges = np.unique(np.append(edges, quantiles))
    nodes, weights = np.polynomial.legendre.leggauss(16)
    half = np.diff(edges)[:, np.newaxis] / 2
    x, mass = (
        (edges[:-1, np.newaxis] + half + half * nodes).ravel(),
        (half * weights).ravel(),
    )
    upper = x > mean
    below = mass * np.where(upper, 0.0, distribution.cdf(x))
    above = mass * np.where(upper, distribution.ccdf(x), 0.0)
    sd = distribution.standard_deviation()
    allowed = 5 / np.sqrt(N_DRAWS) if case.is_drawn else MOMENTS
    assert above.sum() == pytest.approx(below.sum(), abs=allowed * sd)
    variance = 2 * ((above + below) * np.abs(x - mean)).sum()
    assert variance == pytest.approx(distribution.variance(), rel=2 * allowed)
    assert sd**2 == pytest.approx(distribution.variance(), rel=1e-14)


@every_case
def test_copies_and_threads(case):
    """A copy is equal and answers the same; so does one that several threads ask at once."""
    distribution = case.make()
    x = case.points
    copy = pickle.loads(pickle.dumps(distribution))
    assert copy == distribution
    questions = [
        lambda one: one.cdf(x),
        lambda one: one.ccdf(x),
        lambda one: one.pdf(x),
        lambda one: one.icdf(P[2:-2]),
        lambda one: np.array(one.hdi()),
    ]
    shared = case.make()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda question: question(shared), questions))
    for question, answer in zip(questions, found, strict=True):
        assert_array_equal(answer, question(copy))


@every_case
def test_draws(case):
    """They have the mean of the distribution, and lie in its support."""
    distribution = case.distribution
    draws = distribution.sample((40, 100), rng=np.random.default_rng(0))
    assert draws.shape == (40, 100)
    assert_array_equal(
        draws, distribution.sample((40, 100), rng=np.random.default_rng(0))
    )
    low, high = distribution.support()
    assert draws.min() >= low
    assert draws.max() <= high
    error = distribution.standard_deviation() / np.sqrt(draws.size)
    assert draws.mean() == pytest.approx(distribution.mean(), abs=5 * error)


@every_case
def test_outside(case):
    """Outside of the support the tails are 0 and 1; NaN stays NaN; nothing warns."""
    distribution = case.distribution
    low, high = distribution.support()
    outside = np.concatenate([HOSTILE, [low - 1, min(high + 1, np.finfo(float).max)]])
    below = outside <= low
    expected = np.where(np.isnan(outside), np.nan, np.where(below, 0.0, 1.0))
    if np.isinf(high):  # of a quotient, whose tail at 1e308 is no number to speak of
        expected[-1] = distribution.cdf(outside[-1])
    for x, value in [*zip(outside, expected, strict=True), (outside, expected)]:
        assert_allclose(distribution.cdf(x), value, atol=1e-300)
        assert_allclose(distribution.ccdf(x), 1 - value, atol=1e-300)
        if np.isfinite(high):
            assert_array_equal(distribution.pdf(x), value * 0)
    assert np.isnan(distribution.icdf(np.nan))
    assert np.isnan(distribution.iccdf([np.nan, 0.5])[0])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_grid_far_into_the_tails_of_many_classes(seed):
    """Nothing overflows."""
    rng = np.random.default_rng(seed)
    distribution = BetaAverage(
        rng.integers(1, 50, 1000) + 0.5, rng.integers(1, 9, 1000) + 0.5
    )
    x = np.linspace(0, 1, 40)
    cdf = distribution.cdf(x)
    assert (np.diff(cdf) >= 0).all()
    assert_allclose(cdf + distribution.ccdf(x), 1, atol=BOTH * SMOOTH)
