"""How likely a test set of some size reaches its goal: the assurance.

The outcomes of a planned test set are enumerated where they are few, and drawn at
random otherwise. An outcome succeeds if its posterior reaches the goal. The posterior
is approximated by the expansion of Cornish and Fisher from four cumulants [1]_.
Outcomes close to the borderline are decided by the exact posterior, fewer of many
classes, for which it is slow.

References
----------
.. [1] R. A. Fisher and E. A. Cornish (1960). The percentile points of distributions
   having known cumulants. Technometrics 2(2), 209-225.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from skpostbac._utils import Floats, FrozenArrays
from skpostbac.metrics._prior import BetaPrior
from skpostbac.stats._distribution import interval_of

# Outcomes that are enumerated or drawn at most, and fewest and most counts drawn.
_MOST_OUTCOMES = 2**15
_LEAST_DRAWS = 2**12
_MOST_COUNTS = 2**18
# Probability of the counts of a class that are left out of an enumeration.
_LEFT_OUT = 1e-15
# Up to so many classes, exact posteriors are cheap even for a few samples.
_FEW_CLASSES = 3
# Outcomes closest to the borderline whose posteriors are exact, and others in doubt; of
# more classes, one and the second number divided by theirs.
_CLOSEST = 6
_MOST_IN_DOUBT = 64
_MOST_OF_MANY = 24
# Distance after the answer, over which sizes are evaluated.
_FURTHEST = 20_000
# Rounding of a size times a ratio of proportions.
_SIZE_ROUNDING = 1e-9
# Samples of a class that a plan is computed for.
MOST_SAMPLES = 10**9

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
        Seed of the outcomes that are drawn.
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
        return int(np.clip(variance * (score / gain) ** 2, 1, MOST_SAMPLES))

    def following_sizes(self, size: int) -> list[int]:
        """Return sizes after `size` at which the assurance might fall short again.

        The assurance is a sawtooth, with the teeth of single counts of the rarest
        events. More classes have smaller teeth.
        """
        rates = self._mean_rates
        rates = rates[0] if self.design == "paired" else np.minimum(rates, 1 - rates)
        rate = max(rates[rates > 0].min(initial=1.0), 3 / _FURTHEST)
        reach = min(20 + int(np.ceil(3 / rate)), _FURTHEST)
        count = min(reach, 64 // self.weights.size**2)
        sizes = np.linspace(size + 1, size + reach, count)
        following: list[int] = np.unique(np.rint(sizes).astype(int)).tolist()
        return following

    def assurance(self, size: int) -> tuple[float, float]:
        """Return the probability of the goal if the rarest class has `size` samples.

        The second number is its standard error; 0 if the outcomes are enumerated.
        """
        n = self.samples(size)[self.kept].astype(float)
        outcomes = self._enumerated(n)
        if outcomes is not None:
            success = self._succeeds(n, outcomes, is_enumerated=True)
            return min(float(outcomes.weights @ success), 1.0), 0.0
        success = self._succeeds(n, self._drawn(n), is_enumerated=False)
        return float(success.mean()), float(success.std() / np.sqrt(success.size))

    # Outcomes

    def _enumerated(self, n: Floats) -> PossibleOutcomes | None:
        """Return all outcomes, or None if they are too many."""
        first = np.empty((1, 0))
        second = np.empty((1, 0))
        weights = np.ones(1)
        for size, (a, b) in zip(n, self.rates.T, strict=True):
            y = np.zeros(1) if self.design == "pilot" else _likely_counts(size, a)
            if self.design in ("pilot", "paired"):
                last = size if self.design == "pilot" else y[-1]
                x = np.arange(min(last, 4 * _MOST_OUTCOMES) + 1)
            else:
                x = _likely_counts(size, b)
            if x.size * y.size > 4 * _MOST_OUTCOMES:
                return None

            if self.design == "pilot":
                pmf = stats.betabinom.pmf(x, size, a, b)[np.newaxis]
            else:
                y = y[:, np.newaxis]
                tried = y if self.design == "paired" else size
                pmf = stats.binom.pmf(y, size, a) * stats.binom.pmf(x, tried, b)
            rows, columns = np.nonzero(pmf > _LEFT_OUT)
            if weights.size * rows.size > _MOST_OUTCOMES:
                return None
            old, new = (grid.ravel() for grid in np.indices((weights.size, rows.size)))
            first = np.column_stack([first[old], y.ravel()[rows][new]])
            second = np.column_stack([second[old], x[columns][new]])
            weights = weights[old] * pmf[rows, columns][new]
        return PossibleOutcomes(first, second, weights)

    def _drawn(self, n: Floats) -> PossibleOutcomes:
        """Return random outcomes, the same at every call."""
        draws = int(np.clip(_MOST_COUNTS // n.size, _LEAST_DRAWS, _MOST_OUTCOMES))
        shape = (draws, n.size)
        rng = np.random.default_rng(self.seed)
        tried = n.astype(np.int64)
        a, b = self.rates
        if self.design == "pilot":
            first = np.zeros(shape, dtype=np.int64)
            second = rng.binomial(tried, rng.beta(a, b, shape))
        else:
            first = rng.binomial(tried, a, shape)
            tried = first if self.design == "paired" else tried
            second = rng.binomial(tried, b, shape)
        weights = np.full(draws, 1 / draws)
        return PossibleOutcomes(first.astype(float), second.astype(float), weights)

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
        if n.size > _FEW_CLASSES and len(second) > 1:
            # Of many classes, one outcome at a time is faster.
            single = zip(first[:, np.newaxis], second[:, np.newaxis], strict=True)
            return np.concatenate([self._exact_margins(n, *one) for one in single])

        weights = self.weights
        prior = self.prior
        if self.design == "paired" and n.size == 1:
            # B's share of the samples on which just one is right
            strength = prior.strength(n)
            only_a = strength * (prior.disagreement + first - second)
            only_b = strength * (prior.disagreement + second)
            below = np.asarray(special.betainc(only_b, only_a, 0.5))[:, 0]
        elif self.design == "paired":
            # Where both are right and where neither is have one part in the difference.
            cells = [n - first, first - second, second, np.zeros_like(second)]
            pairs = np.stack(cells, axis=-1)
            below = np.array([prior.pair(row, weights).cdf(0.0) for row in pairs])
        else:
            n = np.broadcast_to(n, second.shape)
            average = prior.average(second, n, weights)
            if self.width:
                low, high = interval_of(average, self.level)
                return np.asarray(1 - (high - low) / self.width)
            other = prior.average(first, n, weights)
            below = np.asarray((average - other).cdf(0.0))
        # a score beyond 30 would be infinite before long
        scores = np.clip(-special.ndtri(below), -30, 30) - special.ndtri(self.level)
        return np.asarray(scores)

    def _succeeds(
        self, n: Floats, outcomes: PossibleOutcomes, *, is_enumerated: bool
    ) -> NDArray[np.bool_]:
        """Return which outcomes reach the goal.

        The exact posteriors of those closest to the borderline tell the median error of
        the approximate margins, by which the others are moved. Enumerated outcomes that
        are still in doubt are decided by their exact posteriors, the most likely ones
        first.
        """
        y, x, weights = outcomes
        margin, tolerance = self._margin(self._cumulants(n, y, x))
        if weights[np.abs(margin) <= tolerance].sum() < _LEFT_OUT:
            return np.asarray(margin >= 0)
        has_few_classes = n.size <= _FEW_CLASSES
        distance = np.where(weights > 1e-6 * weights.max(), np.abs(margin), np.inf)
        rows = np.argsort(distance)[: _CLOSEST if has_few_classes else 1]
        exact = self._exact_margins(n, y[rows], x[rows])
        errors = exact - margin[rows]
        margin += np.median(errors)
        margin[rows] = exact
        if is_enumerated:
            in_doubt = np.abs(margin) <= tolerance + np.ptp(errors)
            in_doubt[rows] = False
            rows = np.flatnonzero(in_doubt & (weights > 1e-12))
            most = _MOST_IN_DOUBT if has_few_classes else _MOST_OF_MANY // n.size
            rows = rows[np.argsort(-weights[rows])[:most]]
            if rows.size:
                margin[rows] = self._exact_margins(n, y[rows], x[rows])
        return np.asarray(margin >= 0)


def _likely_counts(n: float, rate: float) -> Floats:
    """Return the counts of a binomial distribution, but for its tails."""
    low, high = stats.binom.interval(1 - _LEFT_OUT, n, rate)
    return np.arange(max(low, 0), high + 1)


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
