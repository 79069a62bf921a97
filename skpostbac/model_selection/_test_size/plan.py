"""Probability that a test set of some size will show what it is to show.

The outcomes of a planned test set are enumerated where they are few. Otherwise, they are simulated
at scrambled Sobol points, the same for all sizes. An outcome succeeds if its posterior reaches the
goal. The posterior is approximated by the expansion of Cornish and Fisher from four cumulants [1]_.
Outcomes close to the borderline are decided by the exact posterior.

With a hierarchical prior, an exact posterior takes milliseconds. The mean and the variance of some
outcomes are exact, and a regression predicts how much they change the margins of the others.

References
----------
.. [1] R. A. Fisher and E. A. Cornish (1960). The percentile points of distributions having known
   cumulants. Technometrics 2(2), 209-225.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats
from scipy.stats import qmc

from skpostbac._utils import Floats, FrozenArrays, Indices
from skpostbac.stats import (
    BetaAverage,
    HierarchicalBetaAverage,
    HierarchicalPairedDifference,
    Hyperprior,
    PairedDifference,
)

# Outcomes that are enumerated at most, and the probability of those left out.
_MOST_OUTCOMES, _NEGLIGIBLE = 2**15, 1e-15
# Scramblings, of which the standard error is taken; log2 of the points of all of them, and of the
# numbers in the array of points, at most.
_SCRAMBLINGS, _LOG_POINTS, _LOG_NUMBERS = 8, 15, 18
# From this variance on, the error of an expanded binomial quantile is below a tenth of a count.
_WIDE = 20.0
# Outcomes decided by exact posteriors at once and at most. Those of pairs are computed one by one.
_BATCH, _MOST_EXACT, _PAIR_BATCH, _MOST_PAIRS = 64, 512, 8, 24
# Sizes after the answer that are looked at, over this distance at most.
_MANY_AHEAD, _FURTHEST_AHEAD = 200, 20_000
# Rounding of a size times a ratio of proportions.
_ROUNDING = 1e-9
# Samples of a class that a plan is computed for, without and with a pilot.
_MOST_SAMPLES, _MOST_AFTER_PILOT = 10**9, 10**7


class Outcomes(NamedTuple):
    """Outcomes of a test set.

    Attributes
    ----------
    first, second : arrays of shape (r, l)
        Counts of each class, see `PlannedTest`.
    weights : array of shape (r,)
        Probabilities of the outcomes.
    parts : int
        Number of independent parts of the same length; 1 if the outcomes are enumerated.
    """

    first: Floats
    second: Floats
    weights: Floats
    parts: int


@dataclass(frozen=True, eq=False)
class PlannedTest(FrozenArrays):
    """A test set of any size: its classes, and what it is to show.

    Attributes
    ----------
    kind : "width", "paired" or "separate"
        Whether the goal is a narrow interval, or a difference between two classifiers on the same
        samples or on separate ones. The `first` count of a class is nothing, the number of samples
        on which just one classifier is right, or the correct predictions of the first classifier.
        The `second` are the correct predictions, those of the second classifier among the samples
        on which just one is right, or its correct predictions.
    goal : float
        Largest width of the interval; unused for a difference.
    level : float
        Probability of the interval, or posterior probability that detects a difference.
    shares : ndarray of shape (n_classes,)
        Samples of each class for one of the rarest.
    kept : ndarray of shape (n_classes,)
        Whether a class has a positive weight. The arrays below are of these l classes only.
    first, second : arrays of shape (l,)
        Probabilities of the counts.
    pilot : ndarray of shape (l, 2) or None
        Parameters of the Beta distributions of `second`, if it is uncertain.
    weights : ndarray of shape (l,)
        Class weights.
    prior : ndarray of shape (l, 2)
        Exponents of each class; those of "reciprocal" if the classes share the prior.
    hyperprior : Hyperprior or None
        The prior that the classes share.
    seed : int
        Seed of the Sobol points.
    """

    kind: Literal["width", "paired", "separate"]
    goal: float
    level: float
    shares: Floats
    kept: NDArray[np.bool_]
    first: Floats
    second: Floats
    pilot: Floats | None
    weights: Floats
    prior: Floats
    hyperprior: Hyperprior | None
    seed: int

    @property
    def most_samples(self) -> int:
        """Largest number of samples of a class."""
        return _MOST_SAMPLES if self.pilot is None else _MOST_AFTER_PILOT

    def largest_size(self, most: int) -> int:
        """Return the size at which the most common class has at most so many samples."""
        return int(most / self.shares.max() + _ROUNDING)

    def samples(self, size: int) -> NDArray[np.int64]:
        """Return the samples of each class if the rarest has `size`."""
        return np.ceil(size * self.shares - _ROUNDING).astype(np.int64)

    def first_guess(self, gain: float, target: float) -> int:
        """Return a size to start from, by the normal formula."""
        if self.kind == "paired":
            spread = self.first
        else:
            spread = self.second * (1 - self.second) + self.first * (1 - self.first)
        if self.kind == "width":
            z, gain = special.ndtri((1 + self.level) / 2), self.goal / 2
        else:
            z = special.ndtri(self.level) + special.ndtri(target)
        variance = float((self.weights**2 * spread / self.shares[self.kept]).sum())
        return int(np.clip(variance * (z / gain) ** 2, 1, _MOST_SAMPLES))

    def sizes_ahead(self, size: int) -> list[int]:
        """Return sizes after `size` at which the assurance might fall short again.

        The assurance is a sawtooth, with the teeth of single counts of the rarest events. More
        classes have smaller teeth. A shared prior leaves errors that are larger than they are.
        """
        if self.hyperprior is not None:
            return []
        both = self.first if self.kind == "paired" else np.append(self.first, self.second)
        rates = both if self.kind == "paired" else np.minimum(both, 1 - both)
        rate = max(rates[rates > 0].min(initial=1.0), 3 / _FURTHEST_AHEAD)
        reach = min(20 + int(np.ceil(3 / rate)), _FURTHEST_AHEAD)
        n_classes = self.weights.size
        is_quick = n_classes == 1 and self.kind != "separate"
        count = _MANY_AHEAD if is_quick else int(np.clip(128 // n_classes, 4, 16))
        ahead = np.rint(np.linspace(size + 1, size + reach, min(reach, count)))
        return sorted(set(ahead.astype(int).tolist()))

    def assurance(self, size: int) -> tuple[float, float]:
        """Return the probability of the goal if the rarest class has `size` samples.

        The second number is its standard error; 0 if the outcomes are enumerated.
        """
        n = self.samples(size)[self.kept].astype(float)
        outcomes = self._enumerated(n) or self._simulated(n)
        if self.hyperprior is None:
            success = self._successes(n, outcomes)
        elif outcomes.weights.size <= _BATCH:
            success = self._shared_margins(n, outcomes.first, outcomes.second) >= 0
        else:
            outcomes = outcomes if outcomes.parts > 1 else self._simulated(n)
            success = self._shared_successes(n, outcomes)
        parts = (outcomes.weights * success).reshape(outcomes.parts, -1).sum(axis=1)
        # each part estimates the same share of the sum
        error = parts.std(ddof=1) * np.sqrt(parts.size) if parts.size > 1 else 0.0
        return float(min(parts.sum(), 1.0)), float(error)

    # Outcomes

    def _enumerated(self, n: Floats) -> Outcomes | None:
        """Return all outcomes, or None if they are too many."""
        first, second, weights = np.empty((1, 0)), np.empty((1, 0)), np.ones(1)
        for i in range(n.size):
            table = self._table(n[i], i)
            if table is None or weights.size * len(table[2]) > _MOST_OUTCOMES:
                return None
            y, x, pmf = table
            old, new = (grid.ravel() for grid in np.indices((weights.size, pmf.size)))
            first = np.column_stack([first[old], y[new]])
            second = np.column_stack([second[old], x[new]])
            weights = weights[old] * pmf[new]
        return Outcomes(first, second, weights, 1)

    def _table(self, n: float, i: int) -> tuple[Floats, Floats, Floats] | None:
        """Return the two counts of class i and the probability of each pair of them."""
        if self.pilot is not None:
            if n > _MOST_OUTCOMES:
                return None
            x = np.arange(n + 1)
            pmf = stats.betabinom.pmf(x, n, *self.pilot[i])
            return np.zeros_like(x), x, pmf
        if self.kind == "width":
            x, pmf = _binomial_table(n, self.second[i])
            return np.zeros_like(x), x, pmf
        y, chances = _binomial_table(n, self.first[i])
        if self.kind == "paired":
            length = y.astype(int) + 1
            if length.sum() > 4 * _MOST_OUTCOMES:
                return None
            x = np.arange(float(length.sum())) - np.repeat(np.cumsum(length) - length, length)
            y, chances = np.repeat(y, length), np.repeat(chances, length)
            pmf = chances * stats.binom.pmf(x, y, self.second[i])
        else:
            x, pmf = _binomial_table(n, self.second[i])
            if y.size * x.size > 4 * _MOST_OUTCOMES:
                return None
            pmf = np.outer(chances, pmf).ravel()
            y, x = np.repeat(y, x.size), np.tile(x, y.size)
        kept = pmf > _NEGLIGIBLE
        return y[kept], x[kept], pmf[kept]

    @cached_property
    def _points(self) -> tuple[Floats, Floats]:
        """Sobol points of shape (r, l) for `first` and `second`, one scrambling after another."""
        n_classes = self.weights.size
        is_one = self.kind == "width" and self.pilot is None
        columns = n_classes if is_one else 2 * n_classes
        log_points = min(_LOG_POINTS, max(_LOG_NUMBERS - int(np.log2(columns)), 12))
        log_part = log_points - int(np.log2(_SCRAMBLINGS))
        rngs = np.random.default_rng(self.seed).spawn(_SCRAMBLINGS)
        u = np.concatenate([qmc.Sobol(columns, rng=rng).random_base2(log_part) for rng in rngs])
        # 0 is no quantile
        u = np.maximum(u, 2.0**-40)
        first = u[:, n_classes:]
        if self.pilot is not None:
            # recalls after the pilot, the same for all sizes
            first = special.betaincinv(self.pilot[:, 0], self.pilot[:, 1], first)
        return first, u[:, :n_classes]

    def _simulated(self, n: Floats) -> Outcomes:
        """Return outcomes at Sobol points."""
        first, second = self._points
        weights = np.full(len(second), 1 / len(second))
        if self.kind == "width":
            recalls = self.second if self.pilot is None else first
            x = _binomial_quantile(second, n, recalls)
            return Outcomes(np.zeros_like(x), x, weights, _SCRAMBLINGS)
        y = _binomial_quantile(first, n, self.first)
        x = _binomial_quantile(second, y if self.kind == "paired" else n, self.second)
        return Outcomes(y, x, weights, _SCRAMBLINGS)

    # Posteriors of outcomes

    def _cumulants(self, n: Floats, first: Floats, second: Floats) -> Floats:
        """Return the cumulants 1 to 4 of each class's part of the posterior, shape (4, r, l)."""
        a, b = self.prior.T
        powers = np.power.outer(self.weights, np.arange(1, 5)).T[:, None]
        if self.kind == "paired":
            moments = _difference_moments(a, b, n, first, second)
        else:
            moments = _beta_moments(a + second, b + n - second)
        moments[3] -= 3 * moments[1] ** 2
        cumulants = powers * moments
        if self.kind == "separate":
            other = _beta_moments(a + first, b + n - first)
            other[3] -= 3 * other[1] ** 2
            cumulants += powers * other * np.array([-1.0, 1, -1, 1])[:, None, None]
        return cumulants

    def _margin(self, cumulants: Floats) -> Floats:
        """Return approximate margins, of any scale, which are not negative for a success.

        They are the share of the goal that the width leaves free, or the normal score of P(B > A)
        less that of the level.
        """
        mean, variance, third, fourth = cumulants
        deviation = np.sqrt(variance)
        lean, peak = third / (variance * deviation), fourth / variance**2
        if self.kind == "width":
            z = special.ndtri((1 + self.level) / 2)
            bend = peak / 12 * (z**3 - 3 * z) - lean**2 / 18 * (2 * z**3 - 5 * z)
            return np.asarray(1 - deviation * (2 * z + np.clip(bend, -z, z)) / self.goal)
        u = -mean / deviation
        square = u * u
        bend = -lean / 6 * (square - 1)
        bend -= u * (peak / 24 * (square - 3) - lean**2 / 36 * (4 * square - 7))
        # far out, where the expansion says nothing, the sign is sure
        bound = 0.3 + 0.3 * np.abs(u)
        return np.asarray(-u - np.clip(bend, -bound, bound) - special.ndtri(self.level))

    def _exact_margins(self, n: Floats, first: Floats, second: Floats) -> Floats:
        """Return the margins of exact posteriors."""
        a, b = self.prior.T
        if self.kind == "width":
            average = BetaAverage(a + second, b + n - second, weights=self.weights)
            low, high = average.interval(self.level)
            return np.asarray(1 - (high - low) / self.goal)
        if self.kind == "separate":
            below = BetaAverage(
                np.hstack([a + second, a + first]),
                np.hstack([b + n - second, b + n - first]),
                weights=np.append(self.weights, -self.weights),
            ).cdf(0.0)
        else:
            cells = np.stack([a * a, a * b, a * b, b * b], axis=1) / (a + b)[:, None]
            if n.size == 1:
                # B's share of the samples on which just one is right
                below = special.betainc(
                    cells[0, 2] + second[:, 0], cells[0, 1] + first[:, 0] - second[:, 0], 0.5
                )
            else:
                below = np.array(
                    [
                        PairedDifference(counts, prior=cells, weights=self.weights).cdf(0.0)
                        for counts in _pair_counts(n, first, second)
                    ]
                )
        # a score beyond 30 would be infinite before long
        return np.asarray(np.clip(-special.ndtri(below), -30, 30) - special.ndtri(self.level))

    def _successes(self, n: Floats, outcomes: Outcomes) -> NDArray[np.bool_]:
        """Return which outcomes reach the goal.

        Batches of those closest to the borderline are decided by exact posteriors, until one of
        them brings no surprise. Each moves the others by the median error so far.
        """
        approximate = self._margin(self._cumulants(n, outcomes.first, outcomes.second).sum(axis=2))
        is_slow = self.kind == "paired" and n.size > 1
        batch, most = (_PAIR_BATCH, _MOST_PAIRS) if is_slow else (_BATCH, _MOST_EXACT)
        margin, errors = approximate.copy(), np.empty(0)
        is_open = np.ones(margin.size, dtype=bool)
        while is_open.any() and errors.size < most:
            rows = _smallest(np.where(is_open, np.abs(margin), np.inf), min(batch, is_open.sum()))
            exact = self._exact_margins(n, outcomes.first[rows], outcomes.second[rows])
            is_surprise = ((exact >= 0) != (margin[rows] >= 0)).any()
            errors = np.append(errors, exact - approximate[rows])
            is_open[rows] = False
            margin[rows] = exact
            if not is_surprise:
                break
            margin = np.where(is_open, approximate + np.median(errors), margin)
        return margin >= 0

    # A prior that the classes share

    def _shared_margins(self, n: Floats, first: Floats, second: Floats) -> Floats:
        """Return margins by the mean and the variance under the shared prior.

        Skewness and kurtosis are those under independent priors.
        """
        cumulants = self._cumulants(n, first, second).sum(axis=2)
        weights, hyperprior = self.weights, self.hyperprior

        def average(correct: Floats) -> HierarchicalBetaAverage:
            return HierarchicalBetaAverage(correct, n, weights=weights, hyperprior=hyperprior)

        for row, pairs in enumerate(_pair_counts(n, first, second)):
            shared: HierarchicalBetaAverage | HierarchicalPairedDifference
            if self.kind == "paired":
                # only the moments are needed, which are exact
                shared = HierarchicalPairedDifference(
                    pairs, weights=weights, hyperprior=hyperprior, n_draws=2
                )
            elif self.kind == "separate":
                shared = average(second[row]) - average(first[row])
            else:
                shared = average(second[row])
            stretch = shared.standard_deviation() / np.sqrt(cumulants[1, row])
            cumulants[:, row] *= stretch ** np.arange(1.0, 5.0)
            cumulants[0, row] = shared.mean()
        return self._margin(cumulants)

    def _shared_successes(self, n: Floats, outcomes: Outcomes) -> Floats:
        """Return the probability that each simulated outcome reaches the goal.

        Errors of the margins under independent priors are fitted to those of some outcomes by a
        quadratic function of the margin, the mean, and how much the classes differ, since classes
        that differ borrow less from each other. What it leaves may come with any outcome.
        """
        by_class = self._cumulants(n, outcomes.first, outcomes.second)
        cumulants = by_class.sum(axis=2)
        approximate = self._margin(cumulants)
        values = np.array([approximate, cumulants[0], by_class[0].std(axis=1)])
        values -= values.mean(axis=1, keepdims=True)
        values /= np.maximum(values.std(axis=1, keepdims=True), np.finfo(float).tiny)
        terms = combinations_with_replacement([np.ones_like(approximate), *values], 2)
        features = np.stack([one * other for one, other in terms], axis=1)
        places = np.arange(approximate.size).reshape(outcomes.parts, -1)
        known = places[:, : _BATCH // outcomes.parts].ravel()
        exact = self._shared_margins(n, outcomes.first[known], outcomes.second[known])
        errors = exact - approximate[known]
        coefficients, _, rank, _ = np.linalg.lstsq(features[known], errors)
        rest = errors - features[known] @ coefficients
        # as large as those of outcomes that were not fitted
        rest *= np.sqrt(rest.size / (rest.size - rank))
        fitted = approximate + features @ coefficients
        return np.asarray(1 - np.searchsorted(np.sort(rest), -fitted) / rest.size)


def _pair_counts(n: Floats, first: Floats, second: Floats) -> Floats:
    """Return counts of both right, only A, only B and neither, shape (r, l, 4).

    Where both are right and where neither is have one part in the distribution of the difference.
    """
    return np.stack([n - first, first - second, second, np.zeros_like(second)], axis=-1)


def _binomial_table(n: float, rate: float) -> tuple[Floats, Floats]:
    """Return counts that are not negligible, and their probabilities."""
    # the tails of a Poisson distribution are the longest
    reach = 8 * np.sqrt(n * rate * (1 - rate)) + 20
    x = np.arange(max(0.0, np.floor(n * rate - reach)), min(n, np.ceil(n * rate + reach)) + 1)
    pmf = stats.binom.pmf(x, n, rate)
    kept = pmf > _NEGLIGIBLE
    return x[kept], pmf[kept]


def _binomial_quantile(u: Floats, n: Floats, rate: Floats) -> Floats:
    """Return the smallest counts whose cdf is at least u, shape (r, l).

    By the expansion of Cornish and Fisher with the corrections of Sheppard and for continuity, or
    by the cdf itself where the variance is small.
    """
    variance = np.broadcast_to(n * rate * (1 - rate), u.shape)
    safe, z = np.maximum(variance, _WIDE), special.ndtri(u)
    square = z * z
    lean, peak = (1 - 2 * rate) ** 2 / safe, (1 - 6 * rate * (1 - rate)) / safe
    bend = z * (peak * (square - 3) / 24 - lean * (2 * square - 5) / 36)
    bend += (1 - 2 * rate) / np.sqrt(safe) * (square - 1) / 6
    counts = np.ceil(n * rate - 0.5 + np.sqrt(safe - 1 / 12) * (z + bend))
    counts = np.clip(counts, 0, n)
    for i in np.flatnonzero((variance < _WIDE).any(axis=0)).tolist():
        if n.ndim == rate.ndim == 1:
            x, pmf = _binomial_table(n[i], rate[i])
            place = np.searchsorted(np.cumsum(pmf), u[:, i])
            counts[:, i] = x[np.minimum(place, x.size - 1)]
        else:
            few = variance[:, i] < _WIDE
            size, chance = (np.broadcast_to(array, u.shape)[few, i] for array in (n, rate))
            counts[few, i] = stats.binom.ppf(u[few, i], size, chance)
    return np.asarray(counts)


def _beta_moments(a: Floats, b: Floats) -> Floats:
    """Return the mean and the central moments 2 to 4 of Beta(a, b), shape (4, ...)."""
    s = a + b
    variance = a * b / (s * s * (s + 1))
    third = 2 * variance * (b - a) / (s * (s + 2))
    excess = ((a - b) ** 2 * (s + 1) - a * b * (s + 2)) / (s * s * (s + 1) * (s + 2) * (s + 3))
    return np.stack([a / s, variance, third, 3 * variance**2 + 6 * variance * excess])


def _difference_moments(a: Floats, b: Floats, n: Floats, y: Floats, x: Floats) -> Floats:
    """Return those of B - A, for the two cells of a Dirichlet in which just one is right.

    It is D M, where D is their sum, and M = 2 S - 1 of B's share S of it; both are independent.
    The moments about the means of D and M keep their accuracy where the variances are small.
    """
    cell = a * b / (a + b)
    d, v, t, f = _beta_moments(2 * cell + y, a + b - 2 * cell + n - y)
    m, m2, m3, m4 = _beta_moments(cell + x, cell + y - x)
    m, m2, m3, m4 = 2 * m - 1, 4 * m2, 8 * m3, 16 * m4
    second = (d * d + v) * m2 + m * m * v
    third = (d**3 + 3 * d * v + t) * m3 + 3 * m * (2 * d * v + t) * m2 + m**3 * t
    fourth = (d**4 + 6 * d * d * v + 4 * d * t + f) * m4
    fourth += 4 * m * (3 * d * d * v + 3 * d * t + f) * m3
    fourth += 6 * m * m * (d * d * v + 2 * d * t + f) * m2 + m**4 * f
    return np.stack([d * m, second, third, fourth])


def _smallest(values: Floats, count: int) -> Indices:
    """Return the places of the smallest values."""
    return np.argpartition(values, count - 1)[:count]
