"""The shortest interval of a given probability.

Its ends leave the probabilities q below and alpha - q above. Both are looked up, as functions of
q, on monotone cubics through values of the tails and the density; the distribution is evaluated
again where these have the shortest interval, until that is settled. A kink or a jump of the
density, several peaks and an end of the support are thus treated alike.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._distribution.outline import Outline, Profile, resolve

# Cells of more than this share of alpha are split, and those that hide more than the other.
_LARGE, _LEAST = 1 / 6, 1e-3
# Increments of a tail that rounding does not tell apart.
_SAME = 1e-15
# The search is settled when the length changes by no more than this share. At first so many rival
# intervals are pursued as are longer by no more than a share that shrinks in each round.
_SETTLED, _RIVALS, _SLACK, _SHRINK = 1e-13, 4, 0.03, 8.0
_ROUNDS = 60
_CORRECTIONS = 3
# Densities at the two ends that differ by no more than this share are made equal.
_BALANCED = 1e-4


@dataclass(frozen=True)
class Shortest:
    """Ends of the shortest interval as distances from the mean, and the probability below it."""

    low: float
    high: float
    below: float


@dataclass(frozen=True)
class _Cubics:
    """Monotone cubics of a place as a function of the mass beyond it, both increasing."""

    mass: Floats
    place: Floats
    density: Floats

    @classmethod
    def of(cls, mass: Floats, place: Floats, density: Floats) -> "_Cubics":
        """Keep the innermost of places with the same mass."""
        kept = np.append(np.diff(mass) > _SAME * mass[-1], True)
        return cls(mass[kept], place[kept], density[kept])

    def cell(self, mass: Floats) -> Indices:
        """Return the number of the cell that holds a mass."""
        found = np.searchsorted(self.mass, mass, side="right") - 1
        return np.clip(found, 0, self.mass.size - 2)

    def at(self, mass: Floats, cell: Indices) -> tuple[Floats, Floats]:
        """Place and its slope at some masses, by the cubics of given cells."""
        width = self.mass[cell + 1] - self.mass[cell]
        rise = self.place[cell + 1] - self.place[cell]
        # A slope of at most three times the mean one keeps a cubic monotone (Fritsch and Carlson,
        # SIAM Journal on Numerical Analysis 17, 1980).
        with np.errstate(divide="ignore", over="ignore"):
            first = np.minimum(width / self.density[cell], 3 * rise)
            last = np.minimum(width / self.density[cell + 1], 3 * rise)
        s = (mass - self.mass[cell]) / width
        square, cube = 3 * rise - 2 * first - last, first + last - 2 * rise
        place = self.place[cell] + s * (first + s * (square + s * cube))
        return place, (first + s * (2 * square + s * 3 * cube)) / width


@dataclass(frozen=True)
class _Model:
    """Both ends of all intervals of one probability, on pieces of the probability below them."""

    outline: Outline
    alpha: float
    left: _Cubics
    right: _Cubics

    @classmethod
    def of(cls, outline: Outline, alpha: float) -> "_Model":
        """Take the lower flank of a distribution and the upper one, which is mirrored."""
        y, density = outline.y, outline.density
        last = int(np.searchsorted(outline.cdf, alpha)) + 1
        left = _Cubics.of(outline.cdf[:last], y[:last], density[:last])
        last = int(np.searchsorted(outline.ccdf[::-1], alpha)) + 1
        right = _Cubics.of(outline.ccdf[::-1][:last], -y[::-1][:last], density[::-1][:last])
        return cls(outline, alpha, left, right)

    def rivals(self, slack: float) -> tuple[Floats, Floats]:
        """Probabilities below, and gains, of the best interval and of others longer by little.

        The gain of an interval is minus its length.
        """
        below = np.concatenate([self.left.mass, self.alpha - self.right.mass, [0.0, self.alpha]])
        below = np.unique(np.clip(below, 0.0, self.alpha))
        below, gain = self._tops(below[:-1], below[1:])
        padded = np.concatenate([[-np.inf], gain, [-np.inf]])
        local = (gain >= padded[:-2]) & (gain >= padded[2:])
        best = np.flatnonzero(local & (gain >= gain.max() - slack * abs(gain.max())))
        best = best[np.argsort(-gain[best], kind="stable")][:_RIVALS]
        return below[best], gain[best]

    def _tops(self, first: Floats, last: Floats) -> tuple[Floats, Floats]:
        """Where the gain is largest within each piece, on which it is a cubic, and that gain."""
        middle, width = 0.5 * (first + last), last - first
        (g0, d0), (g1, d1) = (self._gain(below, middle) for below in (first, last))
        d0, d1, rise = d0 * width, d1 * width, g1 - g0
        square, cube = 3 * rise - 2 * d0 - d1, d0 + d1 - 2 * rise
        with np.errstate(all="ignore"):
            # The root of d0 + 2 square s + 3 cube s^2 at which the second derivative is negative.
            s = d0 / (-square + np.sqrt(np.maximum(square**2 - 3 * cube * d0, 0.0)))
        s = np.where((s > 0) & (s < 1), s, 0.0)
        shares = np.stack([s, np.zeros_like(s), np.ones_like(s)])
        gains = np.stack([g0 + s * (d0 + s * (square + s * cube)), g0, g1])
        best = gains.argmax(axis=0)[np.newaxis]
        share = np.take_along_axis(shares, best, axis=0)[0]
        below = np.where(share == 1, last, first + share * width)
        return below, np.take_along_axis(gains, best, axis=0)[0]

    def _gain(self, below: Floats, middle: Floats) -> tuple[Floats, Floats]:
        """Gain and its slope, on the pieces about some middles."""
        low, rise = self.left.at(below, self.left.cell(middle))
        high, fall = self.right.at(self.alpha - below, self.right.cell(self.alpha - middle))
        return low + high, rise - fall

    def ends(self, below: Floats) -> Floats:
        """Both ends of some intervals, shape (2, n)."""
        above = self.alpha - below
        low = self.left.at(below, self.left.cell(below))[0]
        return np.stack([low, -self.right.at(above, self.right.cell(above))[0]])

    def nearby(self, below: Floats, ulp: float) -> Floats:
        """Return the ends of some intervals, and places between these and their neighbours."""
        y = self.outline.y
        ends = self.ends(below).ravel()
        cell = np.clip(np.searchsorted(y, ends, side="right") - 1, 0, y.size - 2)
        # A place on an edge is refined on both sides.
        cells = np.unique([cell, np.clip(np.searchsorted(y, ends) - 1, 0, y.size - 2)])
        cells = cells[y[cells + 1] - y[cells] > 2 * ulp]
        inner = np.linspace(y[cells], y[cells + 1], 5)[1:-1].ravel()
        return np.concatenate([ends, inner])


def shortest_interval(profile: Profile, y: Floats, level: float, ulp: float) -> Shortest:
    """Find the shortest interval of the probability `level`.

    The search begins with the distances y, which must begin and end with the support. `ulp` is the
    spacing of doubles there.
    """
    alpha = 1 - level
    outline = Outline.of(profile, y).monotone()
    outline = resolve(profile, outline, lambda seen: _coarse(seen, alpha), ulp)
    model, gain, slack = _Model.of(outline, alpha), -np.inf, _SLACK
    below, gains = model.rivals(slack)
    for _ in range(_ROUNDS):
        settled = abs(gains[0] - gain) <= _SETTLED * abs(gain) + ulp and slack < _SLACK
        new = np.setdiff1d(model.nearby(below, ulp), outline.y)
        if settled or not new.size:
            break
        gain, slack = gains[0], slack / _SHRINK
        outline = outline.refined(profile, new)
        model = _Model.of(outline, alpha)
        below, gains = model.rivals(slack)
    best = _balanced(profile, model, float(below[0]))
    low, high = model.ends(np.array([best]))[:, 0]
    return Shortest(*_corrected(profile, low, high, alpha), best)


def _coarse(outline: Outline, alpha: float) -> Bools:
    """Which cells may hold an end of the interval, and are not resolved."""
    reached = (outline.cdf[:-1] < alpha) | (outline.ccdf[1:] < alpha)
    return reached & outline.coarse(_LARGE * alpha, _LEAST * alpha)


def _balanced(profile: Profile, model: _Model, below: float) -> float:
    """Make the densities at both ends equal, where they nearly are.

    The length is flat there: it tells the ends to the root of its rounding error only.
    """
    step = _BALANCED * model.alpha
    step = step if below < 0.5 * model.alpha else -step
    tried = np.array([below, below + step])
    density = profile(model.ends(tried).ravel())[2].reshape(2, 2)
    if not np.all((density > 0) & np.isfinite(density)):
        return below
    gap, moved = np.log(density[0]) - np.log(density[1])
    if not 0 < abs(gap) <= min(_BALANCED, abs(moved - gap)):
        return below
    return float(np.clip(below - step * gap / (moved - gap), 0.0, model.alpha))


def _corrected(profile: Profile, low: float, high: float, alpha: float) -> tuple[float, float]:
    """Move the end of lower density until the probability is right.

    At a jump, or a steep rise, the other end may be known to the spacing of doubles only.
    """
    for _ in range(_CORRECTIONS):
        cdf, ccdf, density = profile(np.array([low, high]))
        excess = cdf[0] + ccdf[1] - alpha
        move_low = 0 < density[0] < density[1] or not density[1] > 0
        step = excess / density[0 if move_low else 1]
        if not 1e-14 * alpha < abs(excess) or not abs(step) <= 0.01 * (high - low):
            break
        low, high = (low - step, high) if move_low else (low, high + step)
    return float(low), float(high)
