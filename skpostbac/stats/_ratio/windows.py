"""The windows of integrands along curves: where they count, and where their peaks are (`density`).

A window is looked for by places at which one of the variables is near its mode, and then by places
that are spread over what was found. Between two curves it is within the windows of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Bools, Floats
from skpostbac.stats._numerics import REACH, Rows
from skpostbac.stats._ratio.curve import Curves

# Places of a variable at which a peak is looked for, in scales from its mode, and further out.
_STEPS = np.concatenate([-(2.0 ** np.arange(9, -2, -2)), [0.0], 2.0 ** np.arange(-1, 10, 2)])
_OUTER = 2.0 ** np.arange(0, 14)
# The peak is where the integrand is above exp(-_PEAK) of its largest value.
_PEAK = 4.0
# Largest scale of the nodes: from wider ones the rule converges slowly.
_WIDEST = 2.5
# Places at which both are looked for again, until the next look narrows by less than a share.
_LOOK, _NARROW, _LOOKS = 17, 0.6, 40


@dataclass(frozen=True)
class Windows(Rows):
    """Where integrands count, and where their peaks are; arrays have the shape (n, 1).

    Nodes are even in v with p = centre + scale sinh(v): even in p across the peak, and in the logs
    of their distances from it further out, where an integrand may fall slowly.

    Attributes
    ----------
    low, high : where they count.
    centre, scale : where they are largest, and how far from there they fall on the steeper side.
    """

    low: Floats
    high: Floats
    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, curves: Curves) -> Windows:
        """Look for the windows of integrands."""
        p = _candidates(curves)
        window = cls.seen(p, curves.log_integrand(p))
        shares = np.linspace(0, 1, _LOOK)
        for _ in range(_LOOKS):
            low, high = window.ends
            p = window.places(low + (high - low) * shares)
            before, window = window, cls.seen(p, curves.log_integrand(p))
            if not window.is_narrow_in(before):
                break
        return window

    @classmethod
    def seen(cls, p: Floats, values: Floats) -> Windows:
        """Return the last places before and after all those at which the integrand counts."""
        place = values.argmax(axis=1)[:, np.newaxis]
        top, centre = (np.take_along_axis(array, place, 1) for array in (values, p))
        left, right = _around(p, values > top - _PEAK)
        to_left, to_right = centre - left, right - centre
        nearer = np.where(to_left * to_right > 0, np.minimum(to_left, to_right), right - left)
        return cls(*_around(p, values > top - REACH), centre, np.minimum(nearer, _WIDEST))

    def between(self, other: Windows, share: Floats) -> Windows:
        """Return windows that hold both, with a peak at a share of the way to the other one."""
        return Windows(
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.centre + share * (other.centre - self.centre),
            self.scale + share * (other.scale - self.scale),
        )

    def joined(self, other: Windows) -> Windows:
        """Return the rows of both."""
        names = self.__dataclass_fields__
        return Windows(*(np.append(getattr(self, x), getattr(other, x), axis=0) for x in names))

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The smallest v, and the largest."""
        return (
            np.arcsinh((self.low - self.centre) / self.scale),
            np.arcsinh((self.high - self.centre) / self.scale),
        )

    def places(self, v: Floats) -> Floats:
        """Places p of nodes v."""
        return self.centre + self.scale * np.sinh(v)

    def is_narrow_in(self, other: Windows) -> bool:
        """Return whether a window is much narrower than another, or its peak is."""
        outer = (self.high - self.low) < _NARROW * (other.high - other.low)
        return bool((outer | (self.scale < _NARROW * other.scale)).any())


@dataclass(frozen=True)
class KnownWindows:
    """Windows of the integrands at some log ratios u, shape (n,), which rise."""

    u: Floats
    windows: Windows

    def beyond(self, u: Floats) -> Floats:
        """Return those of some u that are not between two that are known."""
        return np.asarray(u[(u < self.u[0]) | (u > self.u[-1])])

    def at(self, u: Floats) -> Windows:
        """Return windows of other u, from those of both neighbours."""
        after = np.minimum(np.searchsorted(self.u, u, side="right"), len(self.u) - 1)
        before = np.maximum(after - 1, 0)
        gap = self.u[after] - self.u[before]
        share = (u - self.u[before]) / np.where(gap > 0, gap, 1.0)
        return self.windows[before].between(self.windows[after], share[:, np.newaxis])

    def joined(self, other: KnownWindows) -> KnownWindows:
        """Return the windows of both."""
        u = np.append(self.u, other.u)
        order = np.argsort(u)
        return KnownWindows(u[order], self.windows.joined(other.windows)[order])


def _candidates(curves: Curves) -> Floats:
    """Places where one of the variables is near its mode, and further out, shape (n, m), rising."""
    x, z = (one.mode + one.scale * _STEPS for one in (curves.first, curves.second))
    p = np.concatenate([curves.p_of_first(x), curves.p_of_second(z)], axis=1)
    seen = np.isfinite(p)
    some = seen.any(axis=1, keepdims=True)
    first = np.where(some, np.where(seen, p, np.inf).min(axis=1, keepdims=True), 0.0)
    last = np.where(some, np.where(seen, p, -np.inf).max(axis=1, keepdims=True), 0.0)
    p = np.concatenate([first - _OUTER, np.where(seen, p, first), last + _OUTER], axis=1)
    return np.sort(p, axis=1)


def _around(p: Floats, counts: Bools) -> tuple[Floats, Floats]:
    first = np.maximum(counts.argmax(axis=1) - 1, 0)
    last = np.minimum(p.shape[1] - counts[:, ::-1].argmax(axis=1), p.shape[1] - 1)
    rows = np.arange(len(p))
    return p[rows, first][:, np.newaxis], p[rows, last][:, np.newaxis]
