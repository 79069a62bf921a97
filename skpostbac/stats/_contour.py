r"""Laplace inversion contours for a weighted sum of independent Betas.

With M(s) = E[exp(s (X - mean))] the upper tail at mean + y is, for any c > 0,

    P(X > mean + y) = 1 / (2 pi i) * integral of M(s) exp(-s y) / s ds  along  Re s = c.

A contour is a finite set of nodes s and coefficients g: the tail is Re sum(g exp(-s y)), and the
density the same sum with s g. Two rules place the nodes:

* `line_contour`: the trapezoid rule on the line Re s = c. The support is bounded, so a step of
  2 pi / P with P wider than the law has no error but its known image at the origin; the number of
  nodes follows from the decay of M. This is the Fourier series of a tilted density.
* `corner_contour`: where M decays only algebraically (a few classes that are perfect, empty or
  tiny), M splits exactly, past some height T, into one term for each corner of the cube of
  class accuracies. Each term leaves the line horizontally, in the direction in which it decays
  exponentially, so that no truncation remains.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skpostbac.stats._special import Complexes, Floats
from skpostbac.stats._transform import Grid, TiltedSum

# Terms of the integrand below exp(-DEPTH) of the leading one are left out.
DEPTH = 39.0
# Above this many nodes on a line it is worth looking for corners.
MAX_LINE_NODES = 400
# Heights are tabulated in rows of this length.
_OFFSETS = 16


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
    def of_tail(
        cls, anchor: float, rates: Complexes, coefficients: Complexes, tilt: float
    ) -> "Waves":
        """Complete the coefficients of the tail, shape (n_rates,), by differentiation."""
        density = coefficients * (tilt + rates)
        table = np.stack([coefficients, density, density * (tilt + rates)])
        return cls(anchor, rates, table)

    @property
    def size(self) -> float:
        """Largest coefficient of the tail."""
        return float(np.abs(self.coefficients[0]).max())

    def at(self, y: Floats) -> Floats:
        """Return the real parts of the sums at each y, shape (n, 3)."""
        waves = np.exp(-self.rates * (y - self.anchor)[:, np.newaxis])
        return np.asarray(np.einsum("yr,kr->yk", waves, self.coefficients).real)


@dataclass(frozen=True)
class Branch:
    """One corner's share: a ray for the y above its mass, one for those below, and the rest."""

    low: float
    high: float
    below: Waves
    above: Waves
    near: tuple["Waves | Branch", ...]

    def at(self, y: Floats) -> Floats:
        """Return the sums at each y, shape (n, 3), from the form that decays there."""
        total = np.zeros((y.size, 3))
        below, above = y < self.low, y >= self.high
        for where, parts in (
            (below, (self.below,)),
            (above, (self.above,)),
            (~below & ~above, self.near),
        ):
            if where.any():
                total[where] = sum(part.at(y[where]) for part in parts)
        return total


@dataclass(frozen=True)
class Values:
    """What a contour finds at each y.

    Attributes
    ----------
    log_tail : log P(X > y).
    error : relative error that rounding leaves in the tail, or a thousandth of that in the
        density if it is more; infinite where it is not known.
    log_density : log density of X.
    slope : derivative of the density.
    """

    log_tail: Floats
    error: Floats
    log_density: Floats
    slope: Floats


@dataclass(frozen=True)
class Contour:
    """A rule for the upper tail and the density of X at y, a distance from the origin of a law.

    Attributes
    ----------
    tilt : the point c > 0 where the contour crosses the real axis.
    log_mgf : log M(c).
    parts : exponential sums, relative to M(c).
    low, high : the range of y for which the rule resolves the integrand.
    image : log of the aliased share of a trapezoid rule, to be subtracted from the tail.
    """

    tilt: float
    log_mgf: float
    parts: tuple[Waves | Branch, ...]
    low: float
    high: float
    image: float = -np.inf

    def at(self, y: Floats) -> Values:
        """Evaluate the tail and the density at each y, shape (n,)."""
        log_scale = self.log_mgf - self.tilt * y
        sums = self.parts[0].at(y)
        for part in self.parts[1:]:
            sums += part.at(y)
        tail = sums[:, 0] - np.exp(np.minimum(self.image - log_scale, 700.0))
        density = sums[:, 1]
        known = (tail > 0) & (density > 0) & (self.low <= y) & (y <= self.high)
        tail, density = np.where(known, tail, 1.0), np.maximum(density, np.finfo(float).tiny)
        rounding = np.finfo(float).eps * self.tilt * np.abs(y)
        with np.errstate(over="ignore"):
            noise = np.maximum(self._noise[0] / tail, 1e-3 * self._noise[1] / density)
        return Values(
            log_tail=log_scale + np.log(tail),
            error=np.where(known, noise + rounding, np.inf),
            log_density=log_scale + np.log(density),
            slope=-np.exp(np.clip(log_scale, -600.0, 600.0)) * sums[:, 2],
        )

    @cached_property
    def _noise(self) -> Floats:
        """What rounding leaves in the sums at any y."""
        first = self.parts[0]
        assert isinstance(first, Waves)
        return 4 * np.finfo(float).eps * np.asarray(np.abs(first.coefficients).sum(axis=1))


def line_contour(law: TiltedSum, low: float, high: float, height: float) -> Contour:
    """Place a trapezoid rule on the line through the tilt.

    The tilted law lies within `low` and `high` of its mode and its transform below `height`.
    The first image, exp(-c P) P(X > y - P), is known for a small tilt, where the probability is
    one, and kept below rounding for a large tilt, by a wider period.
    """
    fade = DEPTH / law.tilt
    image_known = fade > low + high
    period = low + high + (0.0 if image_known else fade)
    step = float(2 * np.pi / period)
    rows = int(np.ceil((height / step + 1) / _OFFSETS))
    counts = np.arange(float(max(rows, _OFFSETS)))
    grid = Grid(step * _OFFSETS * counts[:rows], step * counts[:_OFFSETS])
    transform, log_mgf = law.along(law.everything, [grid])
    rates = np.asarray(1j * grid.heights)
    coefficients: Complexes = transform * (step / np.pi) / (law.tilt + rates)
    coefficients[0] /= 2
    mode = law.total(law.mode)
    waves = Waves.of_tail(mode, rates, coefficients, law.tilt)
    image = _log_image(law.tilt * period) if image_known else -np.inf
    return Contour(law.tilt, law.total(log_mgf), (waves,), mode - low, mode + high, image)


def _log_image(exponent: float) -> float:
    """Log of the sum of exp(-k exponent) over k = 1, 2, ..."""
    return float(-exponent - np.log(-np.expm1(-exponent)))
