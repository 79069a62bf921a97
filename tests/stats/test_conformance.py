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
    BetaRatio,
    DrawnDistribution,
    PairedDifference,
    ShiftedDistribution,
)
from skpostbac.stats._table import LogitDistribution
from skpostbac.stats._transforms import OddsTransform, PowerTransform

# Errors of probabilities. A sum is smooth if its transform vanishes: nothing but rounding is left.
SMOOTH = 1e-12
# Rough sums, by the distance from a corner in standard deviations: beside one the cdf is a power of
# the distance, and its series converges slowly.
ROUGH = {0.01: 1e-12, 0.0: 1e-9}
# Populations of groups: integrals over their parameters, which are placed for this.
POPULATION = {0.1: 1e-9, 0.0: 1e-4}
# Draws: half a step of the empirical cdf, of which there are this many.
N_DRAWS = 20_000
DRAWN = 1 / N_DRAWS
# Errors of densities, relative to the largest one, away from poles.
DENSITY = 1e-9
# Moments are integrated here by rules of 16 nodes between quantiles, which err by as much.
MOMENTS = 1e-8
# The same for the third moment too, over probabilities, where the quantiles bend at corners.
MOMENTS_OF_QUANTILES = 1e-5
# What an interval may miss of its level, and the density at the mode of the largest one.
LEVEL, PEAK = 1e-6, 1e-6
LEVELS = (0.5, 0.99)
# How far a cdf may fall between neighbours.
FALL = 1e-13
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
    # Error of the moments as integrals of tails.
    moments: float = MOMENTS

    @cached_property
    def distribution(self):
        """Return the distribution, one for all tests."""
        return self.make()

    @cached_property
    def points(self):
        """Return points throughout the distribution, in increasing order."""
        return np.unique(np.append(self.distribution.icdf(P), self.distribution.mean()))

    @cached_property
    def panels(self):
        """Return places between which the cdf is smooth, or a power beside a corner."""
        distribution = self.distribution
        low, high = distribution.support()
        inside = [corner for corner in self.corners if low < corner < high]
        spread = distribution.standard_deviation() * 0.25 ** np.arange(14)
        graded = np.add.outer(inside, np.append(spread, -spread)).ravel()
        tails = np.geomspace(1e-12, 0.5, 19)
        quantiles = np.append(distribution.icdf(tails), distribution.iccdf(tails))
        between = np.linspace(*distribution.interval(0.98), 16)
        edges = np.concatenate([[distribution.mean()], inside, graded, between])
        edges = np.clip(edges, quantiles.min(), quantiles.max())
        return np.unique(np.append(edges, quantiles))

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
    # A variable of many samples is narrow, and moves the corners of others by its mean.
    ends = [
        {0.0, w, w * first / (first + second)} if first + second > 1000 else {0.0, w}
        for first, second, w in zip(a, b, sizes, strict=True)
    ]
    corners = tuple({sum(at) for at in product(*ends)}) if len(a) < 5 else ()
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
    "small beside large": beta([1308.5, 6.5], [13.5, 0.5], error=ROUGH),
    "large at 95 %": beta([10.5, 95e4 + 0.5], [0.5, 5e4 + 0.5], error=ROUGH),
    "small beside huge": beta([30.5, 1e9], [0.5, 0.5], error=ROUGH),
    "three scales": beta([0.5, 0.5, 3.5], [10.5, 1e4, 1e7], error=ROUGH),
    "difference of scales": beta([0.5, 10.5], [30.5, 3e7], [0.5, -0.5], error=ROUGH),
    "weights of two scales": beta([0.5, 0.5], [30.5, 30.5], [1, -1e-4], error=ROUGH),
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
    "pairs, weights of two scales": pair(
        [[30, 4, 7, 3], [6, 0, 2, 1]], weights=[1e-4, 1.0], error=ROUGH
    ),
    "pairs, two sizes": pair(
        [[7e6, 1e6, 1.2e6, 8e5], [6, 1, 2, 1]], prior=1.0, error=ROUGH
    ),
    "draws": Case(
        lambda: DrawnDistribution(stats.beta(9, 3).rvs(N_DRAWS, random_state=0)),
        DRAWN,
        is_drawn=True,
    ),
    "groups": Case(
        lambda: population_posterior([82, 75, 92], [100, 90, 99]).new_group,
        POPULATION[0.1],
    ),
    "groups, two classes": Case(
        lambda: population_posterior(TWO_CLASSES, [[100, 50]] * 3).new_group,
        POPULATION,
        (0.0, 0.5, 1.0),
    ),
    "ratio": Case(lambda: ratio((21.5, 3.5), (3.5, 77.5))),
    "odds": Case(lambda: OddsTransform(BetaAverage([22.0], [10.0]), 2.0)),
    # Its series does not reach the ends of the support.
    "odds, many samples": Case(
        lambda: OddsTransform(BetaAverage([150.5, 61.5], [30.5, 29.5]), 0.9)
    ),
    "power": Case(lambda: PowerTransform(BetaAverage([22.5, 9.5], [6.5, 4.5]), 0.5)),
    "odds, perfect": Case(
        lambda: OddsTransform(BetaAverage([1e3], [0.5]), 2.0), ROUGH, (1.0,)
    ),
    "odds, nothing known": Case(
        lambda: OddsTransform(BetaAverage([0.5], [0.5]), 0.5), ROUGH, (0.0, 1.0)
    ),
    "odds, perfect classes": Case(
        lambda: OddsTransform(BetaAverage([28.5, 17.5], [0.5, 0.5]), 0.7),
        ROUGH,
        (0.5, 0.5 / 1.2, 1.0),
    ),
    "root, perfect classes": Case(
        lambda: PowerTransform(BetaAverage([9.3, 6.3, 4.3], [0.33] * 3), 0.5),
        ROUGH,
        ((1 / 3) ** 0.5, (2 / 3) ** 0.5, 1.0),
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
    "shifted": Case(
        lambda: ShiftedDistribution(BetaAverage([31, 9, 4], [3, 3, 2]), -0.03)
    ),
}
MORE = {
    "groups, perfect classes": Case(
        lambda: population_posterior([[9, 4], [9, 4]], [[9, 4]] * 2).groups[0],
        POPULATION,
        (0.0, 0.5, 1.0),
        moments=1e-6,
    ),
}
# Cases of which others are much alike: a thorough run asks them too.
ALIKE = {
    *MORE,
    *("perfect classes", "single samples", "both ends", "small beside large"),
    *("large at 95 %", "small beside huge", "three scales", "weights of two scales"),
    *("pairs, one class", "pairs, an empty cell", "pairs that agree"),
    *("pairs, weights of two scales", "groups, two classes", "ratio of a sum"),
    *("odds, perfect", "odds, perfect classes", "root, perfect classes", "ratio, few"),
}
# Families that others will replace: they are asked what they have been asked so far, and no more.
LEAVING = {
    "draws",
    "groups, two classes",
    *MORE,
}


def each(cases):
    """Run a test with each of these cases; those alike are slow."""
    slow = pytest.mark.slow
    return pytest.mark.parametrize(
        "case",
        [
            pytest.param(case, id=name, marks=[slow] * (name in ALIKE))
            for name, case in cases.items()
        ],
    )


every_case = each(CASES | MORE)
lasting_case = each({name: case for name, case in CASES.items() if name not in LEAVING})


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
    log, beyond = distribution.logcdf(lower, upper), distribution.logccdf(lower, upper)
    assert_array_equal(np.isnan(log), between < 0)
    assert (np.abs(np.exp(log) - between)[between >= 0] <= allowed[between >= 0]).all()
    assert (np.abs(np.exp(beyond) - distribution.ccdf(lower, upper)) <= allowed).all()


@pytest.mark.parametrize("name", ["three classes", "pairs", "draws", "ratio"])
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
    assert repr(variable) == str(variable) == repr(own)
    copy = pickle.loads(pickle.dumps(2 * variable - 1))
    assert_array_equal(copy.cdf(2 * x - 1), (2 * variable - 1).cdf(2 * x - 1))


@pytest.mark.skipif(SCIPY < (1, 16), reason="there are no such variables")
def test_entropy_as_a_variable_of_scipy():
    """That of a Beta variable, whose logarithm is an integral over complex points."""
    variable = BetaAverage([3], [2]).to_scipy()
    entropy = stats.beta(3, 2).entropy()
    assert variable.entropy() == pytest.approx(entropy, rel=1e-9)
    assert np.exp(variable.logentropy()) == pytest.approx(entropy, rel=1e-9)


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
        # On the flank of a narrow variable the density changes with the last digits of its place.
        steps = 1e-6 * sd * np.array([-1, 0, 1])
        beside = distribution.pdf(np.add.outer([low, high], steps))
        assert beside[0].min() <= beside[1].max() + 1e-8 * largest
        assert beside[1].min() <= beside[0].max() + 1e-8 * largest
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
    assert distribution.pdf(mode) >= distribution.pdf(x).max() * (1 - DENSITY)


def largest_density(distribution, corners=()):
    """Return the largest density on a fine grid that is refined about its highest point.

    The grid has quantiles, and places at all distances from the corners, the ends among them.
    """
    low, high = distribution.support()
    p = np.concatenate([np.geomspace(1e-9, 1e-3, 24), np.linspace(2e-3, 0.5, 80)])
    quantiles = np.append(distribution.icdf(p), distribution.iccdf(p))
    ends = [end for end in {low, high, *corners} if np.isfinite(end)]
    steps = distribution.standard_deviation() * np.geomspace(1e-9, 1, 50)
    beside = np.add.outer(ends, np.concatenate([-steps, [0], steps])).ravel()
    x = np.unique(np.clip(np.append(quantiles, beside), low, high))
    x = x[np.isfinite(x)]
    for _ in range(4):
        density = distribution.pdf(x)
        best = np.argmax(density)
        bracket = x[max(best - 1, 0)], x[min(best + 1, x.size - 1)]
        x = np.append(np.linspace(*bracket, 60), x[best])
        x.sort()
    return distribution.pdf(x).max()


@lasting_case
def test_mode_is_the_highest_place(case):
    """Wherever it is looked for: throughout, beside corners and poles, and at the ends."""
    distribution = case.distribution
    mode = distribution.mode()
    largest = largest_density(distribution, case.corners)
    assert distribution.pdf(mode) >= largest * (1 - PEAK)


@lasting_case
@pytest.mark.parametrize("level", LEVELS)
def test_mass_of_intervals(case, level):
    """It is the level, of the shortest one and of the central one."""
    distribution = case.distribution
    for low, high in (distribution.hdi(level), distribution.interval(level)):
        assert low < high
        assert distribution.cdf(low, high) == pytest.approx(level, abs=LEVEL)
        outside = distribution.cdf(low) + distribution.ccdf(high)
        assert outside == pytest.approx(1 - level, abs=LEVEL)


@every_case
def test_moments(case):
    """Mean and variance are integrals of the tails on either side of the mean."""
    distribution = case.distribution
    edges, mean = case.panels, distribution.mean()
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
    allowed = 5 / np.sqrt(N_DRAWS) if case.is_drawn else case.moments
    assert above.sum() == pytest.approx(below.sum(), abs=allowed * sd)
    variance = 2 * ((above + below) * np.abs(x - mean)).sum()
    assert variance == pytest.approx(distribution.variance(), rel=2 * allowed)
    assert sd**2 == pytest.approx(distribution.variance(), rel=1e-14)


@pytest.mark.slow
@lasting_case
def test_moments_of_quantiles(case):
    """Mean, variance, skewness and kurtosis are integrals of powers of the quantiles."""
    distribution = case.distribution
    mean, sd = distribution.mean(), distribution.standard_deviation()
    nodes, weights = np.polynomial.legendre.leggauss(5)
    sums = np.zeros(5)
    for inverse, tail in (
        (distribution.icdf, distribution.cdf),
        (distribution.iccdf, distribution.ccdf),
    ):
        edges = np.unique(np.clip(tail(case.panels), 1e-11, 0.5))
        half = np.diff(edges)[:, np.newaxis] / 2
        p = (edges[:-1, np.newaxis] + half + half * nodes).ravel()
        z = (inverse(p) - mean) / sd
        sums += (half * weights).ravel() @ np.stack([z**k for k in range(5)], axis=1)
    whole, first, second, third, fourth = sums
    assert whole == pytest.approx(1, abs=1e-9)
    assert first == pytest.approx(0, abs=MOMENTS_OF_QUANTILES)
    assert second == pytest.approx(1, abs=MOMENTS_OF_QUANTILES)
    if hasattr(distribution, "skewness"):
        skewness = distribution.skewness()
        allowed = MOMENTS_OF_QUANTILES * (1 + abs(skewness))
        assert third == pytest.approx(skewness, abs=allowed)
    if hasattr(distribution, "kurtosis"):
        kurtosis = distribution.kurtosis(convention="non-excess")
        assert fourth == pytest.approx(kurtosis, rel=MOMENTS_OF_QUANTILES)


@lasting_case
def test_every_question_has_an_answer(case):
    """No method fails, warns or answers NaN, wherever it is asked."""
    distribution = case.make()
    (low, high), sd = distribution.support(), distribution.standard_deviation()
    ends = [end for end in (low, high, *case.corners) if np.isfinite(end)]
    places = np.add.outer(ends, sd * np.array([-1e-3, -1e-12, 0, 1e-300, 1e-9, 1]))
    x = np.append(places.ravel(), case.points)
    p = np.array([0, 1e-300, 1e-20, 1e-9, 0.5, 1 - 1e-16, 1])
    for name in ("pdf", "cdf", "ccdf", "logpdf", "logcdf", "logccdf"):
        if hasattr(distribution, name):
            assert not np.isnan(getattr(distribution, name)(x)).any(), name
    for name in ("icdf", "iccdf"):
        assert not np.isnan(getattr(distribution, name)(p)).any(), name
    for name in ("mean", "median", "variance", "standard_deviation", "mode"):
        assert np.isfinite(getattr(distribution, name)())
    for name in ("skewness", "kurtosis"):
        if hasattr(distribution, name):
            assert np.isfinite(getattr(distribution, name)())
    for level in (1e-6, 1 - 1e-6):
        assert np.isfinite(distribution.interval(level)).all()
        assert np.isfinite(distribution.hdi(level)).all()
    assert repr(distribution)


@lasting_case
def test_what_is_no_argument_is_named(case):
    """One ValueError or TypeError, with the name of the argument."""
    distribution = case.distribution
    wrong = [
        ("level", distribution.hdi, (0, 1, -0.5, np.nan, "0.9", None, [0.5, 0.9])),
        ("level", distribution.interval, (0, 1, np.inf, "0.9", None)),
        ("x", distribution.cdf, ("x", None, 1j, [[1], [1, 2]])),
        ("x", distribution.pdf, ("x", None, 1j)),
        ("p", distribution.icdf, (-0.1, 1.1, "x", None, 1j)),
        ("p", distribution.iccdf, (-0.1, 1.1, "x", None, 1j)),
        ("shape", distribution.sample, (-1, 1.5, "x", (2, -1))),
    ]
    for name, question, values in wrong:
        for value in values:
            with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
                question(value)


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
    # Of a mean of two accuracies of a population, each draw is a search of its own.
    shape = (4, 25) if case.error is POPULATION else (40, 100)
    draws = distribution.sample(shape, rng=np.random.default_rng(0))
    assert draws.shape == shape
    assert_array_equal(draws, distribution.sample(shape, rng=np.random.default_rng(0)))
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
    for x, value in [*zip(outside, expected, strict=True), (outside, expected)]:
        assert_allclose(distribution.cdf(x), value, atol=1e-300)
        assert_allclose(distribution.ccdf(x), 1 - value, atol=1e-300)
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


# Random parameters


def random_sum(rng):
    """Return exponents and weights of a sum that is hard in one of several ways."""
    size = int(rng.choice([2, 2, 3, 5, 10, 50]))
    a = 10 ** rng.uniform(-2, rng.choice([0.5, 2, 9]), size)
    b = 10 ** rng.uniform(-2, rng.choice([0.5, 2, 9]), size)
    kind = rng.choice(["any", "perfect", "small beside large"])
    if kind != "any":
        total = 10 ** rng.uniform(0.3, rng.choice([2, 4, 9]), size)
        prior = rng.choice([0.05, 1 / size, 0.5, 1])
        wrong = total * rng.choice([0, 0, 0.001, 0.05], size)
        a, b = total - wrong + prior, wrong + prior
    if kind == "small beside large":
        a[0], b[0] = rng.integers(2, 30) + prior, prior
    weights = np.full(size, 1 / size)
    if rng.random() < 0.4:
        weights = rng.choice([-1, 1], size) * 10 ** rng.uniform(-4, 0, size)
    return a, b, weights


def places_of(distribution, rng):
    """Return points throughout, beside the ends, and anywhere, in increasing order."""
    low, high = distribution.support()
    mean, sd = distribution.mean(), distribution.standard_deviation()
    steps = (high - low) * np.geomspace(1e-14, 0.1, 15)
    x = [
        mean + sd * np.linspace(-6, 6, 25),
        low + steps,
        high - steps,
        [low, mean, high],
    ]
    anywhere = mean + sd * rng.normal(size=10)
    return np.unique(np.clip(np.concatenate([*x, anywhere]), low, high))


def check_random_sum(seed):
    """Check tails, mirror, quantiles, intervals and mode of a random sum."""
    rng = np.random.default_rng(seed)
    a, b, weights = random_sum(rng)
    distribution = BetaAverage(a, b, weights=weights)
    x = places_of(distribution, rng)
    cdf, ccdf = distribution.cdf(x), distribution.ccdf(x)
    assert np.abs(cdf + ccdf - 1).max() <= BOTH * ROUGH[0]
    assert np.diff(cdf).min() >= -FALL
    assert np.diff(ccdf).max() <= FALL
    assert (distribution.pdf(x) >= 0).all()
    assert_allclose(
        [distribution.cdf(one) for one in x[::7]], cdf[::7], rtol=0, atol=FALL
    )
    turned = -distribution
    assert_allclose(turned.ccdf(-x), cdf, rtol=0, atol=BOTH * ROUGH[0])
    assert_allclose(turned.cdf(-x), ccdf, rtol=0, atol=BOTH * ROUGH[0])
    quantiles = distribution.icdf(P)
    beside = [distribution.cdf(np.nextafter(quantiles, end)) for end in (-9, 9)]
    assert (np.min(beside, axis=0) - ROUGH[0] <= P).all()
    assert (np.max(beside, axis=0) + ROUGH[0] >= P).all()
    for low, high in (distribution.hdi(0.95), distribution.interval(0.95)):
        # Or as close as doubles allow: beside a corner much mass may be between two of them.
        inner = distribution.cdf(np.nextafter(low, 9), np.nextafter(high, -9))
        outer = distribution.cdf(np.nextafter(low, -9), np.nextafter(high, 9))
        assert inner - LEVEL <= 0.95 <= outer + LEVEL


@pytest.mark.parametrize("seed", range(40))
def test_random_sum(seed):
    """Exponents from 1e-2 to 1e9, and weights of both signs."""
    check_random_sum(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 103))
def test_many_random_sums(seed):
    """More of the same."""
    for more in range(30):
        check_random_sum(1000 * seed + more)


def random_rows(rng, size):
    """Return correct and total of a few samples, all of them right, beside many."""
    small = rng.integers(2, 30, size)
    large = (10 ** rng.uniform(2, 4.5, size)).astype(int)
    correct = rng.binomial(large, rng.choice([0.9, 0.95, 0.99, 1.0], size))
    return np.stack([correct, small], axis=1), np.stack([large, small], axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_array_equals_its_elements(seed):
    """The same numbers, alone and in company, of sums whose scales differ."""
    rng = np.random.default_rng(seed)
    correct, total = random_rows(rng, 6)
    prior = rng.choice([0.25, 0.5, 1.0])
    a, b = correct + prior, total - correct + prior
    together = BetaAverage(a, b)
    alone = [BetaAverage(*row) for row in zip(a, b, strict=True)]
    x = together.icdf(np.array([1e-6, 0.025, 0.5, 0.975, 1 - 1e-6])[:, np.newaxis])
    for name in ("cdf", "ccdf", "pdf"):
        expected = [getattr(one, name)(at) for one, at in zip(alone, x.T, strict=True)]
        # The numbers of orders may differ.
        error = 1e-12 * np.max(expected)
        assert_allclose(getattr(together, name)(x).T, expected, rtol=1e-11, atol=error)
    for name in ("mode", "median", "mean", "variance", "skewness"):
        expected = [getattr(one, name)() for one in alone]
        assert_allclose(getattr(together, name)(), expected, rtol=1e-9)
    for question in ("hdi", "interval"):
        low, high = getattr(together, question)(0.95)
        expected = [getattr(one, question)(0.95) for one in alone]
        assert_allclose(np.stack([low, high], axis=1), expected, rtol=1e-7)
        mass = [one.cdf(*ends) for one, ends in zip(alone, expected, strict=True)]
        assert_allclose(mass, 0.95, atol=LEVEL)


# Seeds up to 9, with 200 distributions each, were checked by hand on 2026-11-28.
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1))
def test_random_modes(seed):
    """100 modes of sums, arrays of them, differences, pairs and ratios."""
    rng = np.random.default_rng(seed)
    wrong = []

    def check(kind, distribution, mode, parameters, corners=()):
        largest = largest_density(distribution, corners)
        if not distribution.pdf(mode) >= largest * (1 - PEAK):
            wrong.append((kind, parameters, mode, distribution.pdf(mode), largest))

    for _ in range(5):
        correct, total = random_rows(rng, 8)
        prior = rng.choice([0.25, 0.5, 1.0])
        a, b = correct + prior, total - correct + prior
        for row, mode in zip(
            zip(a, b, strict=True), BetaAverage(a, b).mode(), strict=True
        ):
            check("array", BetaAverage(*row), mode, row, (0.5,))
    for _ in range(30):
        parameters = random_sum(rng)
        distribution = BetaAverage(*parameters[:2], weights=parameters[2])
        check("sum", distribution, distribution.mode(), parameters)
    for _ in range(10):
        first, second = (
            BetaAverage(correct[0] + 0.5, total[0] - correct[0] + 0.5)
            for correct, total in (random_rows(rng, 1), random_rows(rng, 1))
        )
        distribution = first - second
        check("difference", distribution, distribution.mode(), (first, second))
    for _ in range(10):
        sizes = (10 ** rng.uniform(0.5, rng.choice([1.5, 3, 5], 2))).astype(int)
        shares = rng.dirichlet([9, 0.3, 0.3, 0.5], 2)
        counts = np.array(
            [rng.multinomial(*row) for row in zip(sizes, shares, strict=True)]
        )
        distribution = PairedDifference(counts, prior=rng.choice([0.25, 0.5, 1.0]))
        corners = (-0.5, 0.0, 0.5)
        check("pair", distribution, distribution.mode(), counts, corners)
    for _ in range(10):
        parts = 10 ** rng.uniform(-0.3, rng.choice([1.5, 3, 5]), (2, 2))
        distribution = ratio(*parts)
        check("ratio", distribution, distribution.mode(), parts)
    assert not wrong, (len(wrong), wrong[:5])
