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

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats
from scipy.stats import qmc

from skpostbac._utils import Floats, FrozenArrays
from skpostbac.metrics._prior import BetaPrior
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
# From this variance on, the cdf of an expanded binomial quantile has errors below
# 0.0004.
_WIDE = 10.0
# Outcomes closest to the borderline whose posteriors are exact, and others in doubt,
# fewer of pairs and of more than three classes. In simulations, doubt of less than a
# standard error is left.
_CLOSEST = 6
_MOST_IN_DOUBT = 128
_MOST_COSTLY = 48
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
    """

    first: Floats
    second: Floats
    weights: Floats


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
        count = 64 if n_classes == 1 else int(np.clip(32 // n_classes, 4, 16))
        sizes = np.rint(np.linspace(size + 1, size + reach, min(reach, count)))
        following: list[int] = np.unique(sizes.astype(int)).tolist()
        return following

    def assurance(self, size: int) -> tuple[float, float]:
        """Return the probability of the goal if the rarest class has `size` samples.

        The second number is its standard error; 0 if the outcomes are enumerated.
        """
        n = self.samples(size)[self.kept].astype(float)
        outcomes = self._enumerated(n)
        if outcomes is not None:
            success = self._successes(n, [outcomes])
            return min(float(outcomes.weights @ success), 1.0), 0.0
        # Arrays of one part fit the cache.
        parts = [self._simulated(n, *points) for points in self._points]
        shares = self._successes(n, parts).reshape(len(parts), -1).mean(axis=1)
        return float(shares.mean()), float(shares.std(ddof=1) / np.sqrt(len(parts)))

    # Outcomes

    def _counts(self, which: int, n: float, i: int) -> tuple[Floats, Floats]:
        """Return the first or the second counts of class i, and their probabilities."""
        a, b = self.rates[:, i]
        if self.design == "pilot" and which == 1:
            x = np.arange(n + 1)
            pmf = stats.betabinom.pmf(x, n, a, b)
        else:
            rate = 0.0 if self.width and which == 0 else self.rates[which, i]
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
            y, chances = self._counts(0, size, i)
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
        return PossibleOutcomes(first, second, weights)

    @cached_property
    def _points(self) -> Floats:
        """Normal scores of Sobol points, shape (parts, 2, r, l); each part its own."""
        columns = 2 * self.weights.size
        log_points = int(
            np.clip(_LOG_NUMBERS - np.log2(columns), _LEAST_LOG_POINTS, _LOG_POINTS)
        )
        rngs = np.random.default_rng(self.seed).spawn(2**_LOG_PARTS)
        points = [
            qmc.Sobol(columns, rng=rng).random_base2(log_points - _LOG_PARTS)
            for rng in rngs
        ]
        # 0 is no quantile
        scores = special.ndtri(np.maximum(points, 2.0**-40))
        second, first = np.split(scores, 2, axis=2)
        if self.design == "pilot":
            # The recalls instead. Inverting a Beta cdf at each of the points is slow.
            nodes = np.linspace(-8, 8, 257)
            a, b = self.rates[:, :, np.newaxis]
            values = special.betaincinv(a, b, special.ndtr(nodes))
            for i, recalls in enumerate(values):
                first[..., i] = np.interp(first[..., i], nodes, recalls)
        return np.stack([first, second], axis=1)

    def _simulated(self, n: Floats, first: Floats, second: Floats) -> PossibleOutcomes:
        """Return the outcomes at Sobol points."""
        if self.design == "pilot":
            y = np.zeros_like(first)
            x = _binomial_quantile(second, n, first)
        else:
            y = _binomial_quantile(first, n, self.rates[0])
            tried = y if self.design == "paired" else n
            x = _binomial_quantile(second, tried, self.rates[1])
        return PossibleOutcomes(y, x, np.full(len(x), 1 / len(x)))

    # Posteriors of outcomes

    def _cumulants(self, n: Floats, first: Floats, second: Floats) -> Floats:
        """Return cumulants 1 to 4 of the average or the difference, shape (4, r)."""
        if self.design == "paired":
            factor = self.prior.strength(n)
            cell = self.prior.disagreement
            alike = self.prior.a + self.prior.b - 2 * cell + n - first
            masses = [cell + first - second, alike, cell + second]
            masses = [factor * mass for mass in masses]
            return _mean_cumulants(self.weights, (-1, 0, 1), masses)
        average = self.prior.parameters(second, n)
        cumulants = _mean_cumulants(self.weights, (1, 0), average)
        if self.design == "separate":
            other = self.prior.parameters(first, n)
            cumulants += _mean_cumulants(-self.weights, (1, 0), other)
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
        prior = self.prior
        base = int(n.max()) + 1
        codes = first.astype(np.int64) * base + second.astype(np.int64)
        if self.width:
            # No quantile moves by more than the weights that are left out.
            left_out = weights < _LEFT_OUT * self.width / weights.size
            weights = np.where(left_out, 0.0, weights)
            codes[:, left_out] = 0

        # Classes of one kind may change places: many outcomes are then the same.
        kinds = np.column_stack([weights, n, prior.a, prior.b])
        for kind in np.unique(kinds, axis=0):
            alike = (kinds == kind).all(axis=1)
            codes[:, alike] = np.sort(codes[:, alike], axis=1)
        codes, place = np.unique(codes, axis=0, return_inverse=True)
        place = place.ravel()  # NumPy 2.0 gives it the axis
        first, second = (x.astype(np.float64) for x in np.divmod(codes, base))
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
            # Where both are right and where neither is have one part in the difference.
            cells = [n - first, first - second, second, np.zeros_like(second)]
            pairs = np.stack(cells, axis=-1)
            below = np.array([prior.pair(row, weights).cdf(0.0) for row in pairs])
        # a score beyond 30 would be infinite before long
        scores = np.clip(-special.ndtri(below), -30, 30) - special.ndtri(self.level)
        return np.asarray(scores[place])

    def _successes(self, n: Floats, parts: list[PossibleOutcomes]) -> Floats:
        """Return 1 for outcomes that reach the goal, and 0 for others.

        The exact posteriors of those closest to the borderline tell the median error of
        the approximate margins, by which the others are moved. Enumerated outcomes that
        are still in doubt are decided by their exact posteriors, the most likely ones
        first.
        """
        margins = [
            self._margin(self._cumulants(n, part.first, part.second)) for part in parts
        ]
        margin, tolerance = np.concatenate(margins, axis=1)
        y, x, weights = map(np.concatenate, zip(*parts, strict=True))
        is_enumerated = len(parts) == 1
        doubt = weights[np.abs(margin) <= tolerance].sum()
        if weights.size > _CLOSEST and doubt < (
            _LEAST_PROBABILITY if is_enumerated else _LEAST_DOUBT
        ):
            return np.where(margin >= 0, 1.0, 0.0)
        distance = np.where(weights > 1e-6 * weights.max(), np.abs(margin), np.inf)
        rows = np.argsort(distance)[:_CLOSEST]
        rows = rows[np.isfinite(distance[rows])]
        exact = self._exact_margins(n, y[rows], x[rows])
        errors = exact - margin[rows]
        margin += np.median(errors)
        margin[rows] = exact
        if is_enumerated:
            in_doubt = np.abs(margin) <= tolerance + np.ptp(errors)
            in_doubt[rows] = False
            rows = np.flatnonzero(in_doubt & (weights > 1e-12))
            is_cheap = self.design != "paired" and n.size < 4
            most = _MOST_IN_DOUBT if is_cheap else _MOST_COSTLY
            rows = rows[np.argsort(-weights[rows])[:most]]
            if rows.size:
                margin[rows] = self._exact_margins(n, y[rows], x[rows])
        return np.where(margin >= 0, 1.0, 0.0)


def _binomial_quantile(z: Floats, n: Floats, rate: Floats) -> Floats:
    """Return the quantiles of counts among n at normal scores, shape (r, l).

    By the expansion of Cornish and Fisher with the corrections of Sheppard and for
    continuity; where the variance is small, by counting up from 0.
    """
    variance = n * rate * (1 - rate)
    is_narrow = variance < _WIDE
    safe = np.maximum(variance, _WIDE)
    square = z * z
    asymmetry = (1 - 2 * rate) / np.sqrt(safe)
    excess = 1 / safe - 6 * rate * (1 - rate) / safe
    correction = z * (
        excess * (square - 3) / 24 - asymmetry * asymmetry * (2 * square - 5) / 36
    )
    correction += asymmetry * (square - 1) / 6
    counts = np.ceil(n * rate - 0.5 + np.sqrt(safe - 1 / 12) * (z + correction))
    counts = np.clip(counts, 0, n)
    if is_narrow.any():
        is_narrow = np.broadcast_to(is_narrow, z.shape)
        z, n, rate = (np.broadcast_to(x, z.shape)[is_narrow] for x in (z, n, rate))
        is_rare = rate <= 0.5
        rarer = np.minimum(rate, 1 - rate)
        rare = _rare_quantile(special.ndtr(np.where(is_rare, z, -z)), n, rarer)
        counts[is_narrow] = np.where(is_rare, rare, n - rare)
    return np.asarray(counts)


def _rare_quantile(u: Floats, n: Floats, rate: Floats) -> Floats:
    """Return the quantiles of small binomial counts, of rates up to 0.5."""
    pmf = (1 - rate) ** n
    odds = rate / (1 - rate)
    cdf = pmf.copy()
    counts = np.zeros_like(u)
    k = 0
    while (beyond := cdf < u).any():
        counts += beyond
        pmf *= (n - k) / (k + 1) * odds
        cdf += pmf
        k += 1
    return counts


def _mean_cumulants(
    weights: Floats, values: tuple[int, ...], masses: Sequence[Floats]
) -> Floats:
    """Return cumulants 1 to 4 of a weighted sum of Dirichlet means, shape (4, r).

    A Dirichlet mean is the mean of `values` under Dirichlet probabilities, whose
    parameters are `masses`, each of shape (r, l). Its cumulants follow from the moments
    of the values under the expected probabilities, without cancellation.
    """
    total = sum(mass[0] for mass in masses)  # the same for all outcomes
    shares = [mass / total for mass in masses]
    mean = values[0] * shares[0] + values[-1] * shares[-1]  # others are 0
    second = third = fourth = np.zeros_like(mean)
    for value, share in zip(values, shares, strict=True):
        distance = value - mean
        square = share * distance * distance
        second = second + square
        third = third + square * distance
        fourth = fourth + square * distance * distance

    fourth = (total + 1) * fourth - (2 * total + 3) * second * second
    fourth = fourth * 6 / ((total + 1) ** 2 * (total + 2) * (total + 3))
    third = third * 2 / ((total + 1) * (total + 2))
    second = second / (total + 1)
    cumulants = (mean, second, third, fourth)
    return np.stack([x @ weights**k for k, x in enumerate(cumulants, 1)])
