"""How likely a test set of some size reaches its goal: the assurance.

The outcomes of a planned test set are enumerated where they are few. Otherwise, they
are simulated at scrambled Sobol points, the same for all sizes. An outcome succeeds if
its posterior reaches the goal. The posterior is approximated by the expansion of
Cornish and Fisher from four cumulants [1]_. Outcomes close to the borderline are
decided by the exact posterior.

References
----------
.. [1] R. A. Fisher and E. A. Cornish (1960). The percentile points of distributions
   having known cumulants. Technometrics 2(2), 209-225.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats
from scipy.stats import qmc

from skpostbac._utils import Floats, FrozenArrays
from skpostbac.metrics._prior import BetaPrior
from skpostbac.stats._beta import central_moments
from skpostbac.stats._distribution import interval_of

# Outcomes that are enumerated at most, and the probability of those left out.
_MOST_OUTCOMES = 2**15
_LEAST_PROBABILITY = 1e-15
# log2 of the number of scramblings, of which the standard error is taken, of the points
# of all of them, and of the numbers in the array of points.
_LOG_PARTS = 3
_LEAST_LOG_POINTS = 12
_LOG_POINTS = 15
_LOG_NUMBERS = 19
# From this variance on, the error of an expanded binomial quantile is below a tenth of
# a count.
_WIDE = 20.0
# Outcomes closest to the borderline whose posteriors are exact, and others in doubt.
# Those of pairs are computed one by one. In simulations, doubt of less than a standard
# error is left.
_CLOSEST = 12
_MOST_IN_DOUBT = 128
_MOST_PAIRS = 48
_LEAST_DOUBT = 1e-3
# Share of the largest width that is the sum of weights left out of exact posteriors. No
# quantile moves by more, and no shortest interval is longer or shorter by more.
_LEFT_OUT = 1e-4
# Distance after the answer, over which sizes are evaluated.
_FURTHEST = 20_000
# Rounding of a size times a ratio of proportions.
_SIZE_ROUNDING = 1e-9
# Samples of a class that a plan is computed for, without and with a pilot.
_MOST_SAMPLES = 10**9
_MOST_AFTER_PILOT = 10**7

# Goal of a test set, see `PlannedTest`.
Design: TypeAlias = Literal["width", "pilot", "paired", "separate"]


class PossibleOutcomes(NamedTuple):
    """Outcomes of a test set.

    Attributes
    ----------
    first, second : arrays of shape (r, l)
        Counts of each class, see `PlannedTest`.
    weights : array of shape (r,)
        Probabilities of the outcomes.
    parts : int
        Number of independent parts of the same length; 1 if the outcomes are
        enumerated.
    """

    first: Floats
    second: Floats
    weights: Floats
    parts: int


@dataclass(frozen=True, eq=False)
class PlannedTest(FrozenArrays):
    """A test set of any size: its classes and its goal.

    Attributes
    ----------
    design : "width", "pilot", "paired" or "separate"
        Whether the goal is a narrow interval, for known recalls or after a pilot, or a
        difference between two classifiers on the same samples or on separate ones. The
        first count of a class is nothing, the number of samples on which just one
        classifier is right, or the correct predictions of the first classifier. The
        second are the correct predictions, those of the second classifier among the
        samples on which just one is right, or its correct predictions.
    width : float
        Largest width of the interval; 0 for a difference.
    level : float
        Probability of the interval, or posterior probability that detects a difference.
    proportions : ndarray of shape (n_classes,)
        Samples of each class for one of the rarest.
    kept : ndarray of shape (n_classes,)
        Whether a class has a positive weight. The arrays below are of these l classes
        only.
    rates : ndarray of shape (2, l)
        Probabilities of both counts, or after a pilot the parameters of the Beta
        distributions of the recalls.
    weights : ndarray of shape (l,)
        Class weights.
    prior : BetaPrior
        Prior of each recall.
    seed : int
        Seed of the Sobol points.
    """

    design: Design
    width: float
    level: float
    proportions: Floats
    kept: NDArray[np.bool_]
    rates: Floats
    weights: Floats
    prior: BetaPrior
    seed: int

    @property
    def most_samples(self) -> int:
        """Largest number of samples of a class."""
        return _MOST_AFTER_PILOT if self.design == "pilot" else _MOST_SAMPLES

    def largest_size(self, most: int) -> int:
        """Return the size at which no class has more samples than this."""
        return int(most / self.proportions.max() + _SIZE_ROUNDING)

    def samples(self, size: int) -> NDArray[np.int64]:
        """Return the samples of each class if the rarest has `size`."""
        return np.ceil(size * self.proportions - _SIZE_ROUNDING).astype(np.int64)

    @property
    def _mean_rates(self) -> Floats:
        """Probabilities of both counts, shape (2, l)."""
        a, b = self.rates
        return np.stack([0 * a, a / (a + b)]) if self.design == "pilot" else self.rates

    def first_guess(self, gain: float, target: float) -> int:
        """Return a size to start from, by the normal formula."""
        rates = self._mean_rates
        spread = (
            rates[0] if self.design == "paired" else (rates * (1 - rates)).sum(axis=0)
        )
        variance = float((self.weights**2 * spread / self.proportions[self.kept]).sum())
        score = special.ndtri(self.level) + special.ndtri(target)
        if self.width:
            score = special.ndtri((1 + self.level) / 2)
            gain = self.width / 2
        return int(np.clip(variance * (score / gain) ** 2, 1, _MOST_SAMPLES))

    def following_sizes(self, size: int) -> list[int]:
        """Return sizes after `size` at which the assurance might fall short again.

        The assurance is a sawtooth, with the teeth of single counts of the rarest
        events. More classes have smaller teeth.
        """
        rates = self._mean_rates
        n_classes = self.weights.size
        rates = rates[0] if self.design == "paired" else np.minimum(rates, 1 - rates)
        rate = max(rates[rates > 0].min(initial=1.0), 3 / _FURTHEST)
        reach = min(20 + int(np.ceil(3 / rate)), _FURTHEST)
        count = int(np.clip(128 // n_classes, 4, 16))
        if n_classes == 1 and self.design != "separate":
            count = 200 if self.width else 64
        sizes = np.rint(np.linspace(size + 1, size + reach, min(reach, count)))
        return sorted(set(sizes.astype(int).tolist()))

    def assurance(self, size: int) -> tuple[float, float]:
        """Return the probability of the goal if the rarest class has `size` samples.

        The second number is its standard error; 0 if the outcomes are enumerated.
        """
        n = self.samples(size)[self.kept].astype(float)
        outcomes = self._enumerated(n) or self._simulated(n)
        success = self._successes(n, outcomes)
        parts = (outcomes.weights * success).reshape(outcomes.parts, -1).sum(axis=1)
        # each part estimates the same share of the sum
        error = parts.std(ddof=1) * np.sqrt(parts.size) if parts.size > 1 else 0.0
        return float(min(parts.sum(), 1.0)), float(error)

    # Outcomes

    def _counts(self, which: int, n: float, i: int) -> tuple[Floats, Floats]:
        """Return the first or the second counts of class i, and their probabilities."""
        if self.design == "pilot":
            x = np.arange(n + 1)
            pmf = stats.betabinom.pmf(x, n, *self.rates[:, i])
        else:
            rate = self.rates[which, i]
            # the tail of a Poisson distribution is longer than that of a normal one
            reach = 8 * np.sqrt(n * rate * (1 - rate)) + 20
            x = np.arange(
                max(0.0, np.floor(n * rate - reach)),
                min(n, np.ceil(n * rate + reach)) + 1,
            )
            pmf = stats.binom.pmf(x, n, rate)
        kept = pmf > _LEAST_PROBABILITY
        return x[kept], pmf[kept]

    def _enumerated(self, n: Floats) -> PossibleOutcomes | None:
        """Return all outcomes, or None if they are too many."""
        first = np.empty((1, 0))
        second = np.empty((1, 0))
        weights = np.ones(1)
        for i, size in enumerate(n):
            y, chances = (
                (np.zeros(1), np.ones(1)) if self.width else self._counts(0, size, i)
            )
            if self.design == "paired":
                x = np.arange(y[-1] + 1)
            else:
                x, pmf = self._counts(1, size, i)
            if x.size * y.size > 4 * _MOST_OUTCOMES:
                return None
            if self.design == "paired":
                pmf = np.asarray(stats.binom.pmf(x, y[:, None], self.rates[1, i]))
            pmf = chances[:, None] * pmf
            rows, columns = np.nonzero(pmf > _LEAST_PROBABILITY)
            if weights.size * rows.size > _MOST_OUTCOMES:
                return None
            old, new = (grid.ravel() for grid in np.indices((weights.size, rows.size)))
            first = np.column_stack([first[old], y[rows][new]])
            second = np.column_stack([second[old], x[columns][new]])
            weights = weights[old] * pmf[rows, columns][new]
        return PossibleOutcomes(first, second, weights, 1)

    @cached_property
    def _points(self) -> Floats:
        """Sobol points of shape (counts, r), one scrambling after another."""
        columns = self.weights.size * (1 if self.width else 2)
        log_points = int(
            np.clip(_LOG_NUMBERS - np.log2(columns), _LEAST_LOG_POINTS, _LOG_POINTS)
        )
        rngs = np.random.default_rng(self.seed).spawn(2**_LOG_PARTS)
        parts = [
            qmc.Sobol(columns, rng=rng).random_base2(log_points - _LOG_PARTS)
            for rng in rngs
        ]
        # 0 is no quantile
        return np.maximum(np.concatenate(parts).T, 2.0**-40)

    def _simulated(self, n: Floats) -> PossibleOutcomes:
        """Return outcomes at Sobol points."""
        second = self._points[: n.size]
        first = self._points[n.size :]

        def quantiles(which: int, u: Floats) -> Floats:
            columns = []
            for i in range(n.size):
                x, pmf = self._counts(which, n[i], i)
                place = np.searchsorted(np.cumsum(pmf), u[i])
                columns.append(x[np.minimum(place, x.size - 1)])
            return np.stack(columns, axis=1)

        y = np.zeros_like(second.T) if self.width else quantiles(0, first)
        if self.design == "paired":
            x = _binomial_quantile(second.T, y, self.rates[1])
        else:
            x = quantiles(1, second)
        return PossibleOutcomes(y, x, np.full(len(x), 1 / len(x)), 2**_LOG_PARTS)

    # Posteriors of outcomes

    def _cumulants(self, n: Floats, first: Floats, second: Floats) -> Floats:
        """Return cumulants 1 to 4 of each class's part, shape (4, r, l)."""
        if self.design == "paired":
            factor = self.prior.strength(n)
            cell = self.prior.disagreement
            agreement = self.prior.a + self.prior.b - 2 * cell + n - first
            masses = cell, agreement, first, second
            parts = [_difference_moments(*(factor * mass for mass in masses))]
        else:
            counts = [second, first] if self.design == "separate" else [second]
            exponents = [self.prior.parameters(k, n) for k in counts]
            parts = [central_moments(a, b, 4)[1:] for a, b in exponents]
            for part, (a, b) in zip(parts, exponents, strict=True):
                part[0] = a / (a + b)
        orders = np.arange(1, 5)[:, None, None]
        cumulants = np.zeros((4, *second.shape))
        for moments, sign in zip(parts, (1.0, -1.0), strict=False):
            moments[3] -= 3 * moments[1] ** 2
            cumulants += (sign * self.weights) ** orders * moments
        return cumulants

    def _margin(self, cumulants: Floats) -> tuple[Floats, Floats]:
        """Return approximate margins, not negative for a success, and their errors.

        They are the share of the goal that the width leaves free, or the normal score
        of P(B > A) less that of the level. The errors are those of the terms left out,
        about.
        """
        mean, variance, third, fourth = cumulants
        deviation = np.sqrt(variance)
        skewness = third / (variance * deviation)
        excess = fourth / variance**2
        error = np.minimum((skewness**2 + np.abs(excess)) ** 2, 1.0)
        if self.width:
            z = special.ndtri((1 + self.level) / 2)
            correction = excess / 12 * (z**3 - 3 * z) - skewness**2 / 18 * (
                2 * z**3 - 5 * z
            )
            # The shortest and the central interval are a third of the skewness apart.
            hull = 2 * z + np.clip(correction, -z, z) + np.abs(skewness) / 3
            width = deviation * hull / self.width
            return 1 - width, error * width
        u = -mean / deviation
        square = u * u
        correction = -skewness / 6 * (square - 1)
        correction -= u * (
            excess / 24 * (square - 3) - skewness**2 / 36 * (4 * square - 7)
        )
        # far out, where the expansion says nothing, the sign is sure
        bound = 0.3 + 0.3 * np.abs(u)
        return -u - np.clip(correction, -bound, bound) - special.ndtri(
            self.level
        ), error

    def _exact_margins(self, n: Floats, first: Floats, second: Floats) -> Floats:
        """Return the margins of exact posteriors."""
        weights = self.weights
        # Classes of one kind may change places: many outcomes are then the same.
        kinds = np.column_stack([weights, n, self.prior.a, self.prior.b])
        kind = np.unique(kinds, axis=0, return_inverse=True)[1].ravel()
        columns = np.lexsort(
            (second, first, np.broadcast_to(kind, second.shape)), axis=1
        )
        first, second = (
            np.take_along_axis(x, columns, axis=1) for x in (first, second)
        )
        order = np.argsort(kind)
        n = n[order]
        weights = weights[order]
        prior = self.prior.restricted(order)
        if self.width:
            # No quantile moves by more than the weights that are left out.
            rising = np.argsort(weights)
            kept = np.empty(n.size, dtype=bool)
            kept[rising] = np.cumsum(weights[rising]) > _LEFT_OUT * self.width
            weights = np.where(kept, weights, 0.0)
            second = np.where(kept, second, 0.0)
        counts, place = np.unique(
            np.hstack([first, second]), axis=0, return_inverse=True
        )
        place = place.ravel()  # NumPy 2.0 gives it the axis
        first = counts[:, : n.size]
        second = counts[:, n.size :]
        average = prior.average(second, np.broadcast_to(n, second.shape), weights)
        if self.width:
            low, high = interval_of(average, self.level)
            return np.asarray(1 - (high - low) / self.width)[place]
        if self.design == "separate":
            other = prior.average(first, np.broadcast_to(n, first.shape), weights)
            below = np.asarray((average - other).cdf(0.0))
        elif n.size == 1:
            # B's share of the samples on which just one is right
            factor = prior.strength(n)
            cell = prior.disagreement
            shares = factor * (cell + second), factor * (cell + first - second)
            below = np.asarray(special.betainc(*shares, 0.5), dtype=np.float64)[:, 0]
        else:
            pairs = _pair_counts(n, first, second)
            below = np.array([prior.pair(row, weights).cdf(0.0) for row in pairs])
        # a score beyond 30 would be infinite before long
        scores = np.clip(-special.ndtri(below), -30, 30) - special.ndtri(self.level)
        return np.asarray(scores[place])

    def _successes(self, n: Floats, outcomes: PossibleOutcomes) -> Floats:
        """Return 1 for outcomes that reach the goal, and 0 for others.

        The exact posteriors of those closest to the borderline tell the median error of
        the approximate margins, by which the others are moved. Enumerated outcomes that
        are still in doubt are decided by their exact posteriors, the most likely ones
        first.
        """
        y, x, weights, parts = outcomes
        margin, tolerance = self._margin(self._cumulants(n, y, x).sum(axis=2))
        doubt = weights[np.abs(margin) <= tolerance].sum()
        if weights.size > _CLOSEST and doubt < (
            _LEAST_PROBABILITY if parts == 1 else _LEAST_DOUBT
        ):
            return np.where(margin >= 0, 1.0, 0.0)
        distance = np.where(weights > 1e-6 * weights.max(), np.abs(margin), np.inf)
        rows = np.argsort(distance)[:_CLOSEST]
        rows = rows[np.isfinite(distance[rows])]
        exact = self._exact_margins(n, y[rows], x[rows])
        errors = exact - margin[rows]
        margin += np.median(errors)
        margin[rows] = exact
        if parts == 1:
            in_doubt = np.abs(margin) <= tolerance + np.ptp(errors)
            in_doubt[rows] = False
            rows = np.flatnonzero(in_doubt & (weights > 1e-12))
            most = (
                _MOST_PAIRS
                if self.design == "paired" and n.size > 1
                else _MOST_IN_DOUBT
            )
            rows = rows[np.argsort(-weights[rows])[:most]]
            if rows.size:
                margin[rows] = self._exact_margins(n, y[rows], x[rows])
        return np.where(margin >= 0, 1.0, 0.0)


def _pair_counts(n: Floats, first: Floats, second: Floats) -> Floats:
    """Return counts of both right, only A, only B and neither, shape (r, l, 4).

    Where both are right and where neither is have one part in the distribution of the
    difference.
    """
    return np.stack([n - first, first - second, second, np.zeros_like(second)], axis=-1)


def _binomial_quantile(u: Floats, n: Floats, rate: Floats) -> Floats:
    """Return the smallest counts among n whose cdf is at least u, all of shape (r, l).

    By the expansion of Cornish and Fisher with the corrections of Sheppard and for
    continuity, or by the cdf itself where the variance is small.
    """
    rate = np.broadcast_to(rate, u.shape)
    variance = n * rate * (1 - rate)
    z = special.ndtri(u)
    is_narrow = variance < _WIDE
    safe = np.maximum(variance, _WIDE)
    square = z * z
    squared_skewness = (1 - 2 * rate) ** 2 / safe
    excess = (1 - 6 * rate * (1 - rate)) / safe
    correction = z * (
        excess * (square - 3) / 24 - squared_skewness * (2 * square - 5) / 36
    )
    correction += (1 - 2 * rate) / np.sqrt(safe) * (square - 1) / 6
    counts = np.clip(
        np.ceil(n * rate - 0.5 + np.sqrt(safe - 1 / 12) * (z + correction)), 0, n
    )
    counts[is_narrow] = stats.binom.ppf(u[is_narrow], n[is_narrow], rate[is_narrow])
    return np.asarray(counts)


def _difference_moments(
    cell: Floats, agreement: Floats, y: Floats, x: Floats
) -> Floats:
    """Return the mean and central moments 2 to 4 of B - A of a Dirichlet variable.

    In two of its cells just one classifier is right. Each has the prior mass `cell`;
    both together have y samples, and that of B has x. B - A is D M, where D is their
    sum, and M = 2 S - 1 of B's share S of it; both are independent. The moments about
    the means of D and M keep their accuracy where the variances are small.
    """
    a = 2 * cell + y
    d = a / (a + agreement)
    (v, t, f) = central_moments(a, agreement, 4)[2:]
    m = (cell + x) / a
    (m2, m3, m4) = central_moments(cell + x, cell + y - x, 4)[2:]
    m = 2 * m - 1
    m2 = 4 * m2
    m3 = 8 * m3
    m4 = 16 * m4
    second = (d * d + v) * m2 + m * m * v
    third = (d**3 + 3 * d * v + t) * m3 + 3 * m * (2 * d * v + t) * m2 + m**3 * t
    fourth = (d**4 + 6 * d * d * v + 4 * d * t + f) * m4
    fourth += 4 * m * (3 * d * d * v + 3 * d * t + f) * m3
    fourth += 6 * m * m * (d * d * v + 2 * d * t + f) * m2 + m**4 * f
    return np.stack([d * m, second, third, fourth])
