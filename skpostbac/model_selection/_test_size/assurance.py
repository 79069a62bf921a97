"""Probability that a test set will show what it is to show, over the counts it may bring.

The x of one class, see `class_plans`, is summed in closed form, from the least value that
succeeds; all other counts make the rows: every outcome where they are few, and else points of
scrambled Sobol sequences.

What succeeds is decided by the exact posterior. To look for the least value, its quantiles are
approximated by cumulants (Cornish-Fisher), calibrated by exact ones, and then looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple, Protocol

import numpy as np
from scipy import special
from scipy.stats import qmc

from skpostbac._utils import Floats, Indices
from skpostbac.model_selection._test_size.class_plans import ClassPlan, PairedPlan, RecallPlan
from skpostbac.stats import BetaAverage

# Rows that are enumerated; more are sampled.
MOST_ROWS = 20_000
# Scramblings of the Sobol points, of which the standard error is taken, and points in each.
_SCRAMBLINGS, _LOG_POINTS, _FEWEST_LOG_POINTS = 8, 10, 6
# Numbers in the array of all points, at most about.
_LOG_NUMBERS = 20
# Rows that are all looked at by the exact posterior, where outcomes are checked at all.
_FEW_ROWS = 40
# Rows whose probabilities add up to less than this are not checked.
_NEGLIGIBLE = 1e-9
# Rows that calibrate the approximation: for a first look, and where outcomes are checked.
_FEW_PIVOTS, _PIVOTS = 6, 12
# Checks that settle less than this share of what is in doubt are not worth their time.
_WORTHWHILE = 0.2
# Errors of the approximation may be that many times as far apart as those of the pivots.
_CAUTION = 2


class Assurance(NamedTuple):
    """A probability, and how far it may be wrong."""

    value: float
    doubt: float
    """Probability of outcomes that were not decided by the exact posterior, though doubtful."""
    standard_error: float
    """Standard error of sampled rows; 0 if all were enumerated."""


class Side(NamedTuple):
    """Values start, start + step, ..., of which those from some place on succeed."""

    start: Floats
    length: Floats
    step: int


class Goal(Protocol):
    """What the posterior is to show: its margin, of any scale, is not negative."""

    def sides(self, plan: ClassPlan, y: Floats) -> list[Side]:
        """Ranges of x in which the margin rises."""

    def margin(self, cumulants: Floats) -> Floats:
        """Approximate margin, from cumulants of shape (4, ...)."""

    def exact(self, plans: Sequence[ClassPlan], y: Floats, x: Floats) -> float:
        """Margin of the counts (y, x) of all classes."""

    def has_formula(self, plan: ClassPlan) -> bool:
        """Return whether there is a formula of the exact margin for this class alone."""

    def formula(self, plan: ClassPlan, y: Floats, x: Floats) -> Floats:
        """Exact margins for one class."""


@dataclass(frozen=True)
class NarrowInterval:
    """The central interval of the posterior is no wider than `width`."""

    width: float
    level: float

    def sides(self, plan: ClassPlan, y: Floats) -> list[Side]:
        """Return the values above and below that of the largest variance."""
        assert isinstance(plan, RecallPlan)
        a, b = plan.prior
        middle = np.clip(np.ceil((plan.size + b - a) / 2), 0, plan.size)
        centre = np.full_like(y, middle)
        return [Side(centre, plan.size - centre + 1, 1), Side(centre - 1, centre, -1)]

    def margin(self, cumulants: Floats) -> Floats:
        """Return the share of `width` that the interval leaves free."""
        _, variance, third, fourth = cumulants
        z = special.ndtri((1 + self.level) / 2)
        square = variance * variance
        lean, peak = third * third / (square * variance), fourth / square
        bend = peak / 12 * (z**3 - 3 * z) - lean / 18 * (2 * z**3 - 5 * z)
        return np.asarray(1 - np.sqrt(variance) * (2 * z + np.clip(bend, -z, z)) / self.width)

    def exact(self, plans: Sequence[ClassPlan], y: Floats, x: Floats) -> float:
        """Return the share of `width` that the interval leaves free."""
        a, b, weights = _beta_parameters(plans, x)
        low, high = BetaAverage(a, b, weights=weights).interval(self.level)
        return 1 - (high - low) / self.width

    def has_formula(self, plan: ClassPlan) -> bool:
        """Return True."""
        return True

    def formula(self, plan: ClassPlan, y: Floats, x: Floats) -> Floats:
        """Return it from the quantiles of a Beta distribution."""
        assert isinstance(plan, RecallPlan)
        tail = (1 - self.level) / 2
        a, b = plan.prior[0] + x, plan.prior[1] + (plan.size - x)
        high, low = special.betainccinv(a, b, tail), special.betaincinv(a, b, tail)
        return np.asarray(1 - (high - low) / self.width)


@dataclass(frozen=True)
class SureDifference:
    """The second classifier is better with a probability of at least `level`."""

    level: float

    def sides(self, plan: ClassPlan, y: Floats) -> list[Side]:
        """Return all values."""
        return [Side(np.zeros_like(y), plan.trials(y) + 1, 1)]

    def margin(self, cumulants: Floats) -> Floats:
        """Return the normal score of P(B > A), less that of `level`."""
        mean, variance, third, fourth = cumulants
        deviation = np.sqrt(variance)
        u = -mean / deviation
        lean, peak = third / (variance * deviation), fourth / (variance * variance)
        square = u * u
        straight = -lean / 6 * (square - 1)
        bend = straight - u * (peak / 24 * (square - 3) - lean * lean / 36 * (4 * square - 7))
        # far out, where the expansion says nothing, the sign is sure
        bound = 0.3 + 0.3 * np.abs(u)
        return np.asarray(-u - np.clip(bend, -bound, bound) - special.ndtri(self.level))

    def exact(self, plans: Sequence[ClassPlan], y: Floats, x: Floats) -> float:
        """Return the normal score of P(B > A), less that of `level`."""
        below = _paired if isinstance(plans[0], PairedPlan) else _separate
        return float(-special.ndtri(below(plans, y, x)) - special.ndtri(self.level))

    def has_formula(self, plan: ClassPlan) -> bool:
        """Return whether the classifiers are paired."""
        return isinstance(plan, PairedPlan)

    def formula(self, plan: ClassPlan, y: Floats, x: Floats) -> Floats:
        """Return it for paired classifiers: the share of B among the two cells is a Beta."""
        assert isinstance(plan, PairedPlan)
        cell = plan.cells[1]
        below = special.betainc(cell + x, cell + (y - x), 0.5)
        return np.asarray(-special.ndtri(below) - special.ndtri(self.level))


def _separate(plans: Sequence[ClassPlan], y: Floats, x: Floats) -> float:
    """P(B <= A) of two classifiers on samples of their own."""
    a, b, weights = _beta_parameters(plans, x)
    c, d, _ = _beta_parameters(plans, y)
    weights = np.append(weights, -weights)
    return float(BetaAverage(np.append(a, c), np.append(b, d), weights=weights).cdf(0.0))


def _paired(plans: Sequence[ClassPlan], y: Floats, x: Floats) -> float:
    """P(B <= A) of two classifiers on the same samples."""
    size = np.array([plan.size for plan in plans])
    cells = np.array([plan.cells for plan in plans if isinstance(plan, PairedPlan)])
    # where both are right and where neither is have one part in the distribution of the difference
    counts = np.column_stack([size - y, y - x, x, np.zeros_like(x)])
    distribution = import_module("skpostbac.stats").PairedDifference(
        counts, prior=cells, weights=_weights(plans)
    )
    return float(distribution.cdf(0.0))


def _beta_parameters(plans: Sequence[ClassPlan], x: Floats) -> tuple[Floats, Floats, Floats]:
    """Return a, b and the weights of the recalls, given x correct predictions in each class."""
    prior = np.array([plan.prior for plan in plans])
    size = np.array([plan.size for plan in plans])
    return prior[:, 0] + x, prior[:, 1] + (size - x), _weights(plans)


def _weights(plans: Sequence[ClassPlan]) -> Floats:
    return np.array([plan.weight for plan in plans])


@dataclass(frozen=True, eq=False)
class Rows:
    """Outcomes of all but one count.

    Attributes
    ----------
    y, x : arrays of shape (r, l - 1)
        Counts of all classes but the last.
    last : array of shape (r,)
        y of the last class.
    weights : array of shape (r,)
        Probabilities of the rows.
    parts : int
        Number of independent parts of the rows, of the same length; 1 if they are enumerated.
    """

    y: Floats
    x: Floats
    last: Floats
    weights: Floats
    parts: int = 1
    # cumulants of the classes in y and x, shape (4, r)
    cumulants: Floats = field(default_factory=lambda: np.zeros((4, 1)))

    def counts(self, row: int, x: float) -> tuple[Floats, Floats]:
        """Return y and x of all classes."""
        return np.append(self.y[row], self.last[row]), np.append(self.x[row], x)


def assurance_of(
    plans: Sequence[ClassPlan], goal: Goal, *, checks: int = 60, seed: int = 0
) -> Assurance:
    """Return the probability that the posterior will reach the goal.

    Parameters
    ----------
    plans : sequence of ClassPlan
        The classes. That whose counts say most is best put last: they are summed exactly.
    goal : Goal
        What is to be reached.
    checks : int
        Number of doubtful rows to be decided by the exact posterior, at most.
    seed : int
        Seed of the rows, where they are too many to be enumerated.
    """
    rows = _enumerated(plans) or _sampled(plans, seed)
    lead = [plan.cumulants(rows.y[:, i], rows.x[:, i]) for i, plan in enumerate(plans[:-1])]
    rows = replace(rows, cumulants=np.sum(lead, axis=0)) if lead else rows
    sides = [_Search(plans, goal, rows, side) for side in goal.sides(plans[-1], rows.last)]
    found = [search.run(checks) for search in sides]
    success = np.sum([chance for chance, _ in found], axis=0)
    doubt = float(sum(weight for _, weight in found))
    parts = (rows.weights * success).reshape(rows.parts, -1).sum(axis=1)
    # each part estimates the same share of the sum
    error = parts.std(ddof=1) * np.sqrt(rows.parts) if rows.parts > 1 else 0.0
    return Assurance(float(min(parts.sum(), 1.0)), doubt, float(error))


def _enumerated(plans: Sequence[ClassPlan]) -> Rows | None:
    """Return all rows, or None if they are too many."""
    last, weights = plans[-1].first_table()
    y, x = np.empty((last.size, 0)), np.empty((last.size, 0))
    for plan in plans[:-1]:
        outcomes = _outcomes(plan, MOST_ROWS // weights.size)
        if outcomes is None:
            return None
        ys, xs, pmf = outcomes
        old, new = (grid.ravel() for grid in np.indices((weights.size, pmf.size)))
        y, x = np.column_stack([y[old], ys[new]]), np.column_stack([x[old], xs[new]])
        last, weights = last[old], weights[old] * pmf[new]
    return Rows(y, x, last, weights) if weights.size <= MOST_ROWS else None


def _outcomes(plan: ClassPlan, most: int) -> tuple[Floats, Floats, Floats] | None:
    """Return y, x and the probability of each outcome of a class, or None if they are many."""
    ys, chances = plan.first_table()
    if ys.size > most:
        return None
    tables = [plan.second.table(int(trials)) for trials in plan.trials(ys)]
    lengths = [values.size for values, _ in tables]
    if sum(lengths) > most:
        return None
    pmf = np.repeat(chances, lengths) * np.concatenate([pmf for _, pmf in tables])
    return np.repeat(ys, lengths), np.concatenate([values for values, _ in tables]), pmf


@lru_cache(maxsize=1)
def _sobol_points(dimension: int, seed: int) -> Floats:
    """Return scrambled points, one scrambling after another; kept from one size to the next."""
    room = _LOG_NUMBERS - int(np.log2(_SCRAMBLINGS * dimension))
    log_points = int(np.clip(room, _FEWEST_LOG_POINTS, _LOG_POINTS))
    points = [
        qmc.Sobol(dimension, rng=generator).random_base2(log_points)
        for generator in np.random.default_rng(seed).spawn(_SCRAMBLINGS)
    ]
    u = np.concatenate(points)
    u.flags.writeable = False
    return u


def _sampled(plans: Sequence[ClassPlan], seed: int) -> Rows:
    """Return rows at scrambled Sobol points, the same for all numbers of samples."""
    u = _sobol_points(2 * len(plans) - 1, seed)
    y, x = _counts_at(plans[:-1], u)
    last = plans[-1].first_quantile(u[:, -1])
    return Rows(y, x, last, np.full(len(u), 1 / len(u)), _SCRAMBLINGS)


def sampled_counts(plans: Sequence[ClassPlan], seed: int) -> tuple[Floats, Floats]:
    """Return y and x of all classes at scrambled Sobol points, shape (parts, points, l)."""
    y, x = _counts_at(plans, _sobol_points(2 * len(plans), seed))
    shape = (_SCRAMBLINGS, -1, len(plans))
    return y.reshape(shape), x.reshape(shape)


def _counts_at(plans: Sequence[ClassPlan], u: Floats) -> tuple[Floats, Floats]:
    """Return y and x of the classes, each by two columns of u."""
    y, x = np.empty((len(u), len(plans))), np.empty((len(u), len(plans)))
    for i, plan in enumerate(plans):
        y[:, i] = plan.first_quantile(u[:, 2 * i])
        x[:, i] = plan.second.quantile(u[:, 2 * i + 1], plan.trials(y[:, i]))
    return y, x


@dataclass(frozen=True, eq=False)
class _Search:
    """Search of each row for the first place, from which on x of the last class succeeds."""

    plans: Sequence[ClassPlan]
    goal: Goal
    rows: Rows
    side: Side

    def run(self, checks: int) -> tuple[Floats, float]:
        """Return the probability of success for each row, and that of outcomes in doubt."""
        if len(self.plans) == 1 and self.goal.has_formula(self.plans[-1]):
            place = self._bisect(self._approximate)
            return self._chance(self._corrected(self._closed, place)), 0.0
        place = self._bisect(self._approximate)
        count = _PIVOTS if checks else _FEW_PIVOTS
        if place.size <= (_FEW_ROWS if checks else count):
            rows = _that_count(self.rows.weights)
            return self._chance(self._checked(place, rows)), 0.0
        shift, spread = self._calibrate(place, count)
        place = self._corrected(lambda x: self._approximate(x) + shift, place)
        doubt = self._doubt(place, shift, spread)
        doubtful = _that_count(doubt)[:checks]
        if doubt[doubtful].sum() > _WORTHWHILE * doubt.sum():
            place, doubt[doubtful] = self._checked(place, doubtful), 0.0
        return self._chance(place), float(doubt.sum())

    def _value(self, place: Floats) -> Floats:
        return self.side.start + self.side.step * place

    def _inside(self, x: Floats) -> Floats:
        return np.clip(x, 0, self.plans[-1].trials(self.rows.last))

    def _approximate(self, x: Floats) -> Floats:
        own = self.plans[-1].cumulants(self.rows.last, self._inside(x))
        return self.goal.margin(self.rows.cumulants + own)

    def _closed(self, x: Floats) -> Floats:
        return self.goal.formula(self.plans[-1], self.rows.last, self._inside(x))

    def _exact(self, row: int, place: float) -> float:
        x = self.side.start[row] + self.side.step * place
        return self.goal.exact(self.plans, *self.rows.counts(row, x))

    def _bisect(self, margin: Callable[[Floats], Floats]) -> Floats:
        """Return the first place with a margin that is not negative, as if it only rose.

        A margin is nearly straight in the place: between two that are known the next one is where
        their line is zero, on either side in turn, but for every third, which halves the range.
        """
        low, high = np.zeros_like(self.side.length), self.side.length.copy()
        below, above = np.full_like(low, -np.inf), np.full_like(high, np.inf)
        turn = 0
        while (is_open := low < high).any():
            place = np.floor((low + high) / 2)
            if turn % 3:
                place = _crossing(low, high, below, above, place, turn % 3 - 1)
            found = margin(self._value(place))
            fails, succeeds = is_open & ~(found >= 0), is_open & (found >= 0)
            high, above = np.where(succeeds, place, high), np.where(succeeds, found, above)
            low, below = np.where(fails, place + 1, low), np.where(fails, found, below)
            turn += 1
        return low

    def _corrected(self, margin: Callable[[Floats], Floats], place: Floats) -> Floats:
        """Return what `_bisect` would for another margin, from places that are close to it.

        Steps away from them double until the place is between two that are known.
        """
        length = self.side.length
        low, high, step = np.zeros_like(length), length.copy(), 1.0
        place = np.minimum(place, length - 1)
        while (is_open := low < high).any():
            found = margin(self._value(place))
            fails, succeeds = is_open & ~(found >= 0), is_open & (found >= 0)
            high, low = np.where(succeeds, place, high), np.where(fails, place + 1, low)
            between = (low > 0) & (high < length)
            place = np.where(succeeds, np.maximum(high - step, low), low + step - 1)
            place = np.where(between, np.floor((low + high) / 2), np.minimum(place, high - 1))
            step *= 2
        return low

    def _calibrate(self, place: Floats, count: int) -> tuple[float, float]:
        """Return the error of approximate margins at the places: its middle, and a bound."""
        order = np.argsort(place)
        mass = np.cumsum(self.rows.weights[order])
        at = np.searchsorted(mass, (np.arange(count) + 0.5) / count * mass[-1])
        pivots = np.unique(order[np.minimum(at, order.size - 1)])
        inside = np.minimum(place, self.side.length - 1)
        approximate = self._approximate(self._value(inside))[pivots]
        exact = [self._exact(row, inside[row]) for row in pivots.tolist()]
        errors = np.array(exact) - approximate
        return float(np.median(errors)), _CAUTION * float(np.ptp(errors))

    def _doubt(self, place: Floats, shift: float, spread: float) -> Floats:
        """Return, for each row, the probability of the values next to its place in doubt."""
        doubt = np.zeros_like(place)
        chance = self._chance(place)
        for other in (place - 1, place):
            is_value = (other >= 0) & (other < self.side.length)
            margin = self._approximate(self._value(other)) + shift
            beside = np.abs(self._chance(2 * other + 1 - place) - chance)
            doubt += np.where(is_value & (np.abs(margin) <= spread), beside, 0.0)
        return doubt * self.rows.weights

    def _checked(self, place: Floats, rows: Indices) -> Floats:
        """Return the places, those of some rows moved to where the exact margin changes sign."""
        place = place.copy()
        for row in rows.tolist():
            place[row] = self._first(row, float(place[row]), float(self.side.length[row]))
        return place

    def _first(self, row: int, place: float, count: float) -> float:
        """Return the first place of a row, from a place close by."""
        start = place
        while place < count and self._exact(row, place) < 0:
            place += 1
        while place == start and start > 0 and self._exact(row, start - 1) >= 0:
            start -= 1
            place = start
        return place

    def _chance(self, place: Floats) -> Floats:
        """Return the probability of the values from the places on."""
        distribution, trials = self.plans[-1].second, self.plans[-1].trials(self.rows.last)
        tail = distribution.tail_from if self.side.step > 0 else distribution.tail_to
        chance = tail(self._value(place), trials)
        return np.where(place < self.side.length, chance, 0.0)


def _crossing(
    low: Floats, high: Floats, below: Floats, above: Floats, otherwise: Floats, turn: int
) -> Floats:
    """Return places from `low` to one before `high`, where margins are likely to change sign.

    The margin is `below` before the first of them and `above` at `high`. The first turn is for the
    place from which on it is positive, the second for the one before.
    """
    with np.errstate(invalid="ignore"):
        share = below / (below - above)
    is_known = np.isfinite(share)
    place = low - 1 + np.where(is_known, share, 0.0) * (high - low + 1)
    return np.where(is_known, np.clip(np.ceil(place) - turn, low, high - 1), otherwise)


def _that_count(values: Floats) -> Indices:
    """Return the places of the largest values, but of those that add up to nothing much."""
    order = np.argsort(values, kind="stable")
    return order[np.cumsum(values[order]) > _NEGLIGIBLE][::-1]
