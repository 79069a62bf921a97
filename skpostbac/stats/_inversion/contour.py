r"""Laplace inversion contours for a weighted sum of independent variables on bounded intervals.

With M(s) = E[exp(s (X - mean))] the upper tail at mean + y is, for any c > 0,

    P(X > mean + y) = 1 / (2 pi i) * integral of M(s) exp(-s y) / s ds  along  Re s = c.

A contour is a finite set of nodes s and coefficients g: the tail is Re sum(g exp(-s y)), and the
density the same sum with s g. The nodes are those of the trapezoid rule on the line Re s = c. The
support is bounded, so a step of 2 pi / P with P wider than the distribution has no error but its
known image at the origin: this is the Fourier series of a tilted density. It ends where M has
decayed, or, where M decays only algebraically (a few classes that are perfect, empty or tiny), at a
height from which `branch_points` sums the rest of the series.

The trapezoid rule gives the sum of P(X > mean + y - k P) exp(-k c P) over all integers k. For k < 0
these are zero, as mean + y - k P is beyond the support. For k > 0 the probabilities are one, and
the images add up to 1 / (exp(c P) - 1), which is subtracted. Where c is large the period is widened
by DEPTH / c instead, so that the images are below rounding. Rounding leaves about 4 eps sum |g|.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._distribution import LogValues, Values
from skpostbac.stats._inversion.transform import Line
from skpostbac.stats._numerics import DEPTH, EPS

# Values are computed in blocks of y, each of about this many exponentials.
_TABLE = 2**20
# With a larger log error than this, a contour contains no information.
_LARGEST_LOG = 600.0
# The truncation error of a series is estimated from partial sums up to these shares of its nodes,
# if the transform decays at least with this power of the height, and if the last terms are below
# this share of the largest.
_SHARES, _LEAST_FALL, _FALLEN = (0.5, 0.7, 0.85), 1 / 3, 0.05
# Least number of nodes of a series, and the number above which a search for corners pays off.
_MIN_NODES, _LONG_LINE = 4, 160


@dataclass(frozen=True)
class Waves:
    """Sums of exponentials in y about an anchor: sum(coefficients * exp(-rates * (y - anchor))).

    The rows of `coefficients`, shape (3, n_rates), belong to the tail, the density, and minus the
    slope of the density, all divided by M(c) exp(-c y).
    """

    anchor: float
    rates: Complexes
    coefficients: Complexes

    @classmethod
    def of_tail(cls, anchor: float, rates: Complexes, coefficients: Complexes, tilt: float) -> Self:
        """Complete the coefficients of the tail, shape (n_rates,), by differentiation."""
        return cls(anchor, rates, derivatives(coefficients, tilt + rates))

    @property
    def size(self) -> int:
        """How many exponentials are summed for each y."""
        return self.rates.size

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return True

    def at(self, y: Floats) -> Floats:
        """Return the real parts of the sums at each y, shape (n, 3)."""
        waves = np.exp(-self.rates * (y - self.anchor)[:, np.newaxis])
        return np.asarray(np.einsum("yr,kr->yk", waves, self.coefficients).real)

    def missing(self, y: Floats) -> Floats:
        """Return what is missing: nothing."""
        return np.zeros(y.size)


@dataclass(frozen=True)
class CutWaves(Waves):
    """Sums over a line whose terms have not decayed at its end, where it is cut off."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return False

    @property
    def _starts(self) -> list[int]:
        return [int(self.size * share) for share in _SHARES]

    @cached_property
    def _has_fallen(self) -> bool:
        """Whether the last terms tell anything of those that are missing."""
        sizes = np.abs(self.coefficients[0])
        return bool(sizes[self._starts[-1] :].max() < _FALLEN * sizes.max())

    @cached_property
    def _ratio(self) -> float:
        """How much more is missing than the longest end adds up to.

        Where the terms t^-1 phi(t) do not oscillate and phi falls like t^-a, those from T on sum up
        to T^-a / a, and those from s T to T to (s^-a - 1) times as much.
        """
        start = self.rates.imag[self._starts[0]] / self.rates.imag[-1]
        return float(1 / np.expm1(-_LEAST_FALL * np.log(start)))

    def missing(self, y: Floats) -> Floats:
        """Return about what is missing: by the largest of the sums over its ends.

        By Chernoff's bound no tail is more than M(c) exp(-c y), which is all that is known of one
        whose terms have not fallen.
        """
        if not self._has_fallen:
            return np.ones(y.size)
        first, *rest = self._starts
        terms = np.exp(-self.rates[first:] * (y - self.anchor)[:, np.newaxis])
        terms *= self.coefficients[0, first:]
        sums = [terms[:, start - first :].real.sum(axis=1) for start in (first, *rest)]
        return np.asarray(np.minimum(self._ratio * np.abs(sums).max(axis=0), 1.0))


def derivatives(coefficients: Complexes, s: Complexes) -> Complexes:
    """Coefficients of the tail, the density and minus its slope, along a new axis -2."""
    table = np.empty((*coefficients.shape[:-1], 3, s.size), dtype=complex)
    table[..., 0, :] = coefficients
    np.multiply(coefficients, s, out=table[..., 1, :])
    # It overflows only at tilts beyond 1e150, where the slope is not needed.
    with np.errstate(over="ignore", invalid="ignore"):
        np.multiply(table[..., 1, :], s, out=table[..., 2, :])
    return table


class Part(Protocol):
    """A share of the sums at each y."""

    @property
    def size(self) -> int:
        """How many exponentials it sums for each y."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing at any y."""
        ...

    def at(self, y: Floats, /) -> Floats:
        """Return the sums at each y, shape (n, 3)."""
        ...

    def missing(self, y: Floats, /) -> Floats:
        """Return about what is missing from the tail at each y, where not all is summed."""
        ...


@dataclass(frozen=True)
class Contour:
    """A rule for the upper tail and the density of X at y, a distance from the origin.

    Attributes
    ----------
    tilt : the point c > 0 where the contour crosses the real axis.
    log_mgf : log M(c).
    line : exponential sum over the line, relative to M(c).
    rest : what is missing from it beyond its last node.
    low, high : the range of y for which the rule resolves the integrand.
    image : log of the aliased share of the trapezoid rule, to be subtracted from the tail.
    """

    tilt: float
    log_mgf: float
    line: Waves
    rest: tuple[Part, ...]
    low: float
    high: float
    image: float

    def at(self, y: Floats) -> Values:
        """Evaluate the distribution at each y, shape (n,), where it is not too small."""
        inside = np.minimum(np.maximum(y, self.low), self.high)
        # This contour has no information far below the centre, to where the support may extend.
        scale = np.exp(np.minimum(self.log_mgf - self.tilt * inside, _LARGEST_LOG))
        tail, density, descent = (scale[:, np.newaxis] * self._sums(inside)).T
        tail -= np.exp(self.image)
        error = (self._noise[0] + self._missing(inside)) * scale
        error += (EPS * self.tilt) * np.abs(y * tail)
        beyond = y != inside
        if beyond.any():
            tail = np.where(beyond, np.where(y < self.low, 1.0, 0.0), tail)
            density = np.where(beyond, 0.0, density)
            error = np.where(beyond, np.inf, error)
        return Values(tail, error, density, -descent)

    def logs_at(self, y: Floats) -> LogValues:
        """Evaluate the distribution at each y, shape (n,), in logs."""
        inside = np.minimum(np.maximum(y, self.low), self.high)
        log_scale = self.log_mgf - self.tilt * inside
        sums = self._sums(inside)
        tail = sums[:, 0] - np.exp(np.minimum(self.image - log_scale, 700.0))
        density = sums[:, 1]
        known = (tail > 0) & (density > 0) & (y == inside)
        tail, density = np.where(known, tail, 1.0), np.maximum(density, np.finfo(float).tiny)
        with np.errstate(over="ignore"):
            noise = np.maximum(self._noise[0] / tail, 1e-3 * self._noise[1] / density)
        return LogValues(
            log_tail=log_scale + np.log(tail),
            log_density=log_scale + np.log(density),
            error=np.where(known, noise + (EPS * self.tilt) * np.abs(y), np.inf),
            log_cut=log_scale + np.log(np.maximum(self._missing(inside), np.finfo(float).tiny)),
        )

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return all(part.is_whole for part in (self.line, *self.rest))

    def _missing(self, y: Floats) -> Floats:
        """Return what is missing from the tail at each y, relative to M(c) exp(-c y)."""
        missing = np.zeros(y.shape)
        if not self.is_whole:
            for block in np.array_split(np.arange(y.size), max(1, y.size * self._size // _TABLE)):
                missing[block] = sum(part.missing(y[block]) for part in (self.line, *self.rest))
        return missing

    def _sums(self, y: Floats) -> Floats:
        """Tail, density and minus its slope at each y, relative to M(c) exp(-c y), with images."""
        blocks = np.array_split(y, max(1, y.size * self._size // _TABLE))
        sums = [
            sum((part.at(block) for part in self.rest), self.line.at(block)) for block in blocks
        ]
        return sums[0] if len(sums) == 1 else np.concatenate(sums)

    @cached_property
    def _size(self) -> int:
        """About how many exponentials are summed for each y."""
        return self.line.size + sum(part.size for part in self.rest)

    @cached_property
    def _noise(self) -> Floats:
        """What rounding leaves in the sums at any y."""
        return 4 * EPS * np.asarray(np.abs(self.line.coefficients).sum(axis=1))


@dataclass(frozen=True)
class Series:
    """A Fourier series for a distribution under a tilt: its range, period and known image."""

    tilt: float
    low: float
    high: float
    period: float
    image: float

    @classmethod
    def of(cls, tilt: float, low: float, high: float) -> "Series":
        """Choose the period of the trapezoid rule through a tilt for X between two positions.

        The first image, exp(-c P) P(X > y - P), is known for a small tilt, where the probability is
        one, and kept below rounding for a large tilt, by a wider period.
        """
        width, fade = high - low, DEPTH / tilt
        if fade > width:
            return cls(tilt, low, high, width, _log_image(tilt * width))
        return cls(tilt, low, high, width + fade, -np.inf)

    @property
    def step(self) -> float:
        """Distance between two heights."""
        return 2 * np.pi / self.period

    def count(self, height: float, most: float = np.inf) -> int:
        """Return how many nodes reach above a height, `most` at the most."""
        return int(min(max(np.ceil(height / self.step) + 1, _MIN_NODES), most))

    def contour(self, line: Line, *rest: Part, size: float = 0) -> Contour:
        """Sum the series at its first nodes, and what is missing from it by its `rest`.

        A line of less than a `size` whose terms have not decayed, and that nothing completes, is
        cut off.
        """
        rates: Complexes = np.asarray(1j * self.step * np.arange(line.size))
        coefficients = line.values * (self.step / np.pi) / (self.tilt + rates)
        coefficients[0] /= 2
        is_cut = line.size < size and not (rest or line.has_decayed)
        kind = CutWaves if is_cut else Waves
        waves = kind.of_tail(line.anchor, rates, coefficients, self.tilt)
        return Contour(self.tilt, line.log_mgf, waves, rest, self.low, self.high, self.image)


def _log_image(exponent: float) -> float:
    """Log of the sum of exp(-k exponent) over k = 1, 2, ..."""
    return float(-exponent - np.log(-np.expm1(-exponent)))


class TiltedDistribution(ABC):
    """A distribution under a tilt c, as an inversion sees it; positions are seen from an origin.

    Attributes
    ----------
    tilt : c.
    work : how much was spent on it, in units of some ten nanoseconds; zero if it is little.
    """

    tilt: float
    work: float = 0.0

    @property
    @abstractmethod
    def mean(self) -> float:
        """The mean, K'(c)."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """The variance, K''(c), roughly."""

    @property
    def mode(self) -> float:
        """About where the distribution is."""
        return self.mean

    @property
    def approximate_mean(self) -> float:
        """The mean, cheap and close enough for a first solution."""
        return self.mean

    @property
    def approximate_variance(self) -> float:
        """The variance, as cheap."""
        return self.variance

    @abstractmethod
    def contour(self) -> Contour:
        """Return a contour through the tilt."""


class SplitDistribution(TiltedDistribution):
    """A tilted distribution whose transform splits into corners from some height on.

    Attributes
    ----------
    most_nodes : how many nodes of a line are worth their while.
    """

    @property
    @abstractmethod
    def most_nodes(self) -> int: ...

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """Positions with negligible mass beyond."""

    @property
    @abstractmethod
    def decay_height(self) -> float:
        """About the height at which the transform has decayed."""

    @property
    @abstractmethod
    def split_height(self) -> float:
        """Height from which the transform is a sum over few corners; infinite where it is not."""

    @abstractmethod
    def line(self, least: int, most: int) -> Line:
        """Evaluate the first nodes of the series: `least` of them, or up to `most` to its decay."""

    @abstractmethod
    def beyond(self, line: Line) -> tuple[Part, ...]:
        """Complete the series by the corners, from half a step above the last node of a line."""

    @cached_property
    def series(self) -> Series:
        """The series on the line through the tilt."""
        return Series.of(self.tilt, *self.bounds)

    def contour(self) -> Contour:
        """Build the cheaper of the two contours through the tilt.

        The decay height is an estimate, too low where the tilted distribution has two modes far
        apart: it is doubled until the line has decayed.
        """
        series, height, most = self.series, self.decay_height, self.most_nodes
        while True:
            split = self.split_height if height > _LONG_LINE * series.step else np.inf
            if 2 * split < height:
                size = series.count(split)
                line = self.line(size, size)
                return series.contour(line, *self.beyond(line), size=size)
            size = series.count(height, most)
            line = self.line(0, size)
            if line.has_decayed or line.size < size or size == most:
                return series.contour(line, size=height / series.step)
            height *= 2
