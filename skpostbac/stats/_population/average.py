r"""The distribution of a weighted average of independent accuracies, each given by its log-odds.

It is inverted as that of every weighted sum is (see `skpostbac.stats._inversion`). The transform of
an accuracy is an integral over its log-odds, on panels that are halved until neither the tilt nor
the wave turns by more than the rule can follow. Where it decays slowly, as where an accuracy may be
as close to 0 or 1 as doubles allow, the line ends at some height and `ends` takes over.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Complexes, Floats, user_stacklevel
from skpostbac.stats._distribution import BoundedDistribution, LogitDensity, LogitDistribution
from skpostbac.stats._inversion import (
    Contour,
    Inversion,
    Line,
    PowerEnd,
    Series,
    TiltedDistribution,
    WeightedSum,
)
from skpostbac.stats._numerics import REACH, Frame, Points, exact_sum
from skpostbac.stats._population.ends import Ends
from skpostbac.stats._population.tilted import TiltedLogit

# A line ends where the transform is below this. It is looked for from so many steps on.
_DECAYED, _FIRST_STEPS, _MOST_DOUBLINGS = 1e-16, 64, 11
# It is not looked for any higher from so many nodes of all terms on: some tenths of a second.
_MOST_NODES = 2**19
# What the ends should not miss of a transform, and where what they miss may be rounding.
_MISSED, _TOLERABLE = 1e-13, 1e-7
# What is told. Within 1e-300 of an end, where mass that no double tells apart is taken for one
# place, 2e-7 are missed.
_TOLD = 5e-7
# Heights of an octave at which a transform is looked at.
_LOOKS = np.linspace(0.5, 1.0, 12)
# Powers that are told apart, and distances from an end at which 1 - y is one.
_FLAT, _END = 1e-6, 1e-16
# Distances from an end whose squares are no doubles are seen in units of the inverse of this.
_TINY, _SCALE = 1e-140, 2.0**700


def logit_average(
    distributions: Sequence[LogitDistribution], weights: Floats
) -> BoundedDistribution:
    """Return the distribution of the weighted average of independent variables.

    Parameters
    ----------
    distributions : sequence of l LogitDistribution
        At least one.
    weights : ndarray of shape (l,)
        Positive, of sum one.
    """
    return (
        distributions[0] if len(distributions) == 1 else LogitAverage(tuple(distributions), weights)
    )


class LogitAverage(WeightedSum):
    """Weighted average of independent accuracies that are given by their log-odds.

    Parameters
    ----------
    distributions : tuple of l LogitDistribution
        Two or more.
    weights : ndarray of shape (l,)
        Positive, of sum one.
    """

    def __init__(self, distributions: tuple[LogitDistribution, ...], weights: Floats) -> None:
        self._distributions, self._weights = distributions, weights

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of variables."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"LogitAverage(mean={mean:.4g}, sd={sd:.4g}, n_variables={len(self._distributions)})"

    @property
    def _densities(self) -> tuple[LogitDensity, ...]:
        return tuple(distribution._table for distribution in self._distributions)

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        total = np.zeros(shape)
        for distribution, weight in zip(self._distributions, self._weights, strict=True):
            total += weight * distribution.sample(shape, rng=rng)
        return total

    @cached_property
    def _cumulants(self) -> tuple[float, float, float]:
        second, third, fourth = (
            np.array([density.central_moment(order) for density in self._densities])
            for order in (2, 3, 4)
        )
        square = self._weights**2
        return (
            float(square @ second),
            float((square * self._weights) @ third),
            float(square**2 @ (fourth - 3 * second**2)),
        )

    @cached_property
    def _frame(self) -> Frame:
        to_low, to_high = -self._ends[:, 0], self._ends[:, 1]
        mean = exact_sum([to_low])
        return Frame(0.0, 0.0, 1.0, 0.0, *mean, mean[0], float(to_high.sum()))

    @property
    def _ends(self) -> Floats:
        means = np.array([density.mean_and_rest for density in self._densities])
        return np.asarray(self._weights[:, np.newaxis] * means * [-1.0, 1.0])

    @cached_property
    def _inversion(self) -> Inversion:
        summands = _Summands(self._densities, self._weights, self.standard_deviation())
        return Inversion(summands)


@dataclass(frozen=True)
class _Summands(PowerEnd):
    """The accuracies, as an inversion sees them from one end: the upper one, or the lower."""

    densities: tuple[LogitDensity, ...]
    weights: Floats
    standard_deviation: float
    from_above: bool = True
    is_scaled: bool = False

    @property
    def power_range(self) -> float:
        """Distance from an end within which powers count, or that is tiny."""
        # Of a tilt to so tiny distances the variance, of their squares, would be no double.
        return self._straight if self.is_scaled else max(self._straight, _TINY)

    @cached_property
    def _straight(self) -> float:
        """Distance from an end within which the density of each variable is a power."""
        straight = [np.exp(-np.abs(density.edges[[0, -1]]).max()) for density in self.densities]
        power = max(max(one[1], 1.0) for one in self._end_powers)
        return float(min(np.min(self.weights * straight), _END * self.weights.min() / power))

    @cached_property
    def _end_powers(self) -> list[tuple[float, float]]:
        """Log of c and a of densities c y^(a - 1) at distances y from the upper end."""
        return [density.end_powers[int(self.from_above)] for density in self.densities]

    @cached_property
    def order(self) -> float:
        """Power with which the upper tail vanishes at the upper end."""
        return sum(power for _, power in self._end_powers)

    @property
    def log_end_factor(self) -> float:
        """Log of the product of c Gamma(a) / w^a over all densities c y^(a - 1)."""
        log_factor, power = np.array(self._end_powers).T
        return float((log_factor + gammaln(power) - power * np.log(self.weights)).sum())

    @property
    def has_flat_end(self) -> bool:
        """Whether the density tends to a constant, as far as its slope is known."""
        return abs(self.order - 1) < _FLAT

    def log_end_tail(self, distance: Floats) -> tuple[Floats, Floats]:
        """Log upper tail and log density close to the upper end."""
        log_tail, log_pdf = super().log_end_tail(distance)
        # The end itself is no distance to tilt to.
        tiny = (distance > 0) & (self._straight <= distance) & (distance < self.power_range)
        if tiny.any():
            log_tail[tiny], log_pdf[tiny] = self._scaled_tail(distance[tiny])
        return log_tail, log_pdf

    def _scaled_tail(self, distance: Floats) -> tuple[Floats, Floats]:
        """Log upper tail and log density at tiny distances from the upper end."""
        deviation, distance = _SCALE * self.standard_deviation, _SCALE * distance
        scaled = replace(
            self, weights=_SCALE * self.weights, standard_deviation=deviation, is_scaled=True
        )
        width = np.full_like(distance, scaled.weights.sum())
        points = Points(from_mean=width, to_low=width, to_high=distance)
        tails = Inversion(scaled).far_tails(points)
        return tails.log_ccdf, tails.log_pdf + np.log(_SCALE)

    def mirrored(self) -> "_Summands":
        """Return the summands of minus the sum."""
        return replace(self, from_above=not self.from_above)

    def tilted(self, c: float, *, from_end: bool = False) -> "_TiltedAverage":
        """Tilt by exp(c x); positions are distances from the mean, or from the upper end."""
        terms = [
            TiltedLogit(density, weight, c, from_above=self.from_above, from_end=from_end)
            for density, weight in zip(self.densities, self.weights.tolist(), strict=True)
        ]
        return _TiltedAverage(c, terms)


class _TiltedAverage(TiltedDistribution):
    """The average under a tilt c."""

    def __init__(self, tilt: float, terms: list[TiltedLogit]) -> None:
        self.tilt, self._terms = tilt, terms

    @cached_property
    def mean(self) -> float:
        """The mean."""
        return sum(term.mean for term in self._terms)

    @cached_property
    def variance(self) -> float:
        """The variance."""
        return sum(term.variance for term in self._terms)

    def contour(self) -> Contour:
        """Return a contour through the tilt."""
        low, high = self._bound(-1), self._bound(1)
        height, ends = self._height(np.pi * _FIRST_STEPS / (high - low))
        pad = ends.margin if ends else 0.0
        rule = Series.of(self.tilt, low - pad, high + pad)
        heights = rule.step * np.arange(np.ceil(height / rule.step) + 1)
        product = self._product(
            term.even_transform(rule.step, heights.size) for term in self._terms
        )
        if ends:
            with np.errstate(divide="ignore"):
                product *= 1 - ends.share(np.log(heights))
        line = Line(product, self.mean, sum(term.log_mgf for term in self._terms))
        return rule.contour(line, *((ends,) if ends else ()))

    @staticmethod
    def _product(values: Iterable[Complexes]) -> Complexes:
        """Transform of the average, from those of the terms."""
        return np.asarray(np.prod(list(values), axis=0))

    def _height(self, height: float) -> tuple[float, Ends | None]:
        """Return where the line may end, and what goes on from there.

        What the ends miss falls quickly with the height, down to the errors of the distributions.
        If neither the line nor the ends come close, there is a warning.
        """
        best, least, last, size = None, np.inf, np.inf, np.inf
        for _ in range(_MOST_DOUBLINGS):
            looks = height * _LOOKS
            size = np.abs(self._product(term.transform_evenly(looks) for term in self._terms)).max()
            if size < _DECAYED:
                return height, None
            ends = Ends.of(self.tilt, self._terms, height)
            if ends:
                doubling = (term.transform_doubling(ends.looks) for term in self._terms)
                missed = ends.missed(self._product(doubling))
                if missed < least:
                    best, last, least = ends, least, missed
                # What rounding leaves does not fall any more; what is large still will.
                if least < _MISSED or 0.1 * last < missed < _TOLERABLE:
                    break
            if sum(term.n_nodes(height) for term in self._terms) > _MOST_NODES:
                break
            height *= 2
        if min(size, least) > _TOLD:
            warnings.warn(
                "The distribution of the average has too much mass next to 0 or 1 to be resolved; "
                f"its probabilities may have relative errors of about {min(size, least):.0e}.",
                RuntimeWarning,
                stacklevel=user_stacklevel(),
            )
        if best is None or size < least:
            return height, None
        return best.height, best

    def _bound(self, side: int) -> float:
        """Where the distribution ends on a side but for a mass exp(-REACH), by Chernoff's bound."""
        rates = 2.0 ** np.arange(-2, 6) / np.sqrt(self.variance)
        log_mgf = sum(term.log_mgf_beyond(side * rates) for term in self._terms)
        end = sum(term.ends[0 if side < 0 else 1] for term in self._terms)
        reach = float(np.min((log_mgf + REACH) / rates))
        return max(self.mean - reach, end) if side < 0 else min(self.mean + reach, end)
