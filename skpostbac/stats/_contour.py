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
from skpostbac.stats._transform import TiltedSum

# Terms of the integrand below exp(-DEPTH) of the leading one are left out.
DEPTH = 39.0
MAX_LINE_NODES = 400
_OFFSETS = 16


@dataclass(frozen=True)
class Waves:
    """A sum of exponentials in y about an anchor: sum(coefficients * exp(-rates * (y - anchor)))."""

    anchor: float
    rates: Complexes
    coefficients: Complexes

    def at(self, y: Floats, order: int, tilt: float) -> Complexes:
        """Sums at each y after `order` differentiations of the tilted tail."""
        table = np.exp(-self.rates * (y - self.anchor)[:, np.newaxis])
        return table @ (self.coefficients * (tilt + self.rates) ** order)


@dataclass(frozen=True)
class Branch:
    """One corner's share: a ray for the y above its mass, one for those below, and the rest."""

    low: float
    high: float
    below: Waves
    above: Waves
    near: tuple["Waves | Branch", ...]

    def at(self, y: Floats, order: int, tilt: float) -> Complexes:
        """Sums at each y, from the representation that decays there."""
        total = np.zeros(y.shape, dtype=complex)
        below, above = y < self.low, y >= self.high
        for where, parts in (
            (below, (self.below,)),
            (above, (self.above,)),
            (~below & ~above, self.near),
        ):
            if where.any():
                total[where] = sum(part.at(y[where], order, tilt) for part in parts)
        return total


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

    def log_tail(self, y: Floats) -> tuple[Floats, Floats]:
        """Log P(X > y), and the relative error that rounding leaves in the probability."""
        log_scale = self.log_mgf - self.tilt * y
        tail = self._sums(y, 0) - np.exp(np.minimum(self.image - log_scale, 700.0))
        known = (tail > 0) & (self.low <= y) & (y <= self.high)
        safe = np.where(known, tail, 1.0)
        rounding = np.finfo(float).eps * self.tilt * np.abs(y)
        return log_scale + np.log(safe), np.where(known, self._noise / safe + rounding, np.inf)

    def log_density(self, y: Floats) -> Floats:
        """Log density of X at y."""
        density = self._sums(y, 1)
        return self.log_mgf - self.tilt * y + np.log(np.maximum(density, np.finfo(float).tiny))

    def slope(self, y: Floats) -> Floats:
        """Derivative of the density at y."""
        return -np.exp(self.log_mgf - self.tilt * y) * self._sums(y, 2)

    def _sums(self, y: Floats, order: int) -> Floats:
        """exp(c y) / M(c) times (-1)^order times a derivative of the tail at each y."""
        return np.real(sum(part.at(y, order, self.tilt) for part in self.parts))

    @cached_property
    def _noise(self) -> float:
        first = self.parts[0]
        assert isinstance(first, Waves)
        return 4 * float(np.finfo(float).eps) * float(np.abs(first.coefficients).sum())


def line_contour(law: TiltedSum, low: float, high: float, height: float) -> Contour:
    """Place a trapezoid rule on the line through the tilt.

    The tilted law lies within `low` and `high` of its mode and its transform below `height`.
    The first image, exp(-c P) P(X > y - P), is known for a small tilt, where the probability is
    one, and kept below rounding for a large tilt, by a wider period.
    """
    fade = DEPTH / law.tilt
    image_known = fade > low + high
    period = low + high + (0.0 if image_known else fade)
    step = 2 * np.pi / period
    rows = int(np.ceil((height / step + 1) / _OFFSETS))
    bases, offsets = step * _OFFSETS * np.arange(rows), step * np.arange(_OFFSETS)
    transform = law.along(np.arange(law.size), bases, offsets).ravel()
    t = (bases[:, np.newaxis] + offsets).ravel()
    trapezoid = np.full(t.shape, step / np.pi)
    trapezoid[0] /= 2
    mode = float(law.mode.sum())
    waves = Waves(mode, 1j * t, transform * trapezoid / (law.tilt + 1j * t))
    image = _log_image(law.tilt * period) if image_known else -np.inf
    return Contour(law.tilt, law.log_mgf.sum(), (waves,), mode - low, mode + high, image)


def _log_image(exponent: float) -> float:
    """Log of the sum of exp(-k exponent) over k = 1, 2, ..."""
    return float(-exponent - np.log(-np.expm1(-exponent)))
