"""Tails and density of a distribution at places that leave no doubt about its shape.

Between two neighbouring places y_0 < y_1 the mass F(y_1) - F(y_0) is known from the tails and can
be compared with that of the trapezoid rule,

    (y_1 - y_0) (f(y_0) + f(y_1)) / 2.

If they differ by more than 3 % of a mass that matters, a peak, a pole or a kink hides in between,
and the cell is split in four. Cells that hold too much of the probability are split as well.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from skpostbac._utils import Bools, Floats

# P(X <= x), P(X > x) and the density at distances from the mean, as rows.
Profile = Callable[[Floats], Floats]

# A cell is split in four where its mass is not that of the trapezoid rule to within this share.
_DEFECT = 0.03
_ROUNDS = 12
# Masses below this are rounding.
_NOISE = 1e-13


@dataclass(frozen=True)
class Outline:
    """Values of a profile, shape (n,), at increasing distances y from the mean."""

    y: Floats
    cdf: Floats
    ccdf: Floats
    density: Floats

    @classmethod
    def of(cls, profile: Profile, y: Floats) -> "Outline":
        """Evaluate a profile at some distances, in any order."""
        y = np.unique(y)
        return cls(y, *profile(y))

    def refined(self, profile: Profile, y: Floats) -> "Outline":
        """Add some distances."""
        return self.joined(Outline.of(profile, np.setdiff1d(y, self.y))).monotone()

    def joined(self, other: "Outline") -> "Outline":
        """Return all values of both."""
        order = np.argsort(np.concatenate([self.y, other.y]), kind="stable")
        names = [field.name for field in fields(self)]
        return Outline(
            *(np.concatenate([getattr(self, name), getattr(other, name)])[order] for name in names)
        )

    def monotone(self) -> "Outline":
        """Return the same with tails that rounding does not let rise or fall the wrong way."""
        cdf = np.maximum.accumulate(self.cdf)
        ccdf = np.maximum.accumulate(self.ccdf[::-1])[::-1]
        return Outline(self.y, cdf, ccdf, self.density)

    @property
    def masses(self) -> Floats:
        """Probability of each cell between neighbours, from the smaller tails."""
        below, above = np.diff(self.cdf), -np.diff(self.ccdf)
        return np.where(self.cdf[1:] < 0.5, below, above)

    def coarse(self, most: float, least: float) -> Bools:
        """Which cells hold more than `most`, or more than `least` that the densities do not tell.

        A peak, a pole or a kink inside a cell shows in the difference of its mass from that of
        the trapezoid rule.
        """
        masses = self.masses
        with np.errstate(over="ignore", invalid="ignore"):
            expected = 0.5 * np.diff(self.y) * (self.density[1:] + self.density[:-1])
            defect = np.abs(masses - expected)
        strange = ~(defect <= _DEFECT * masses + _NOISE) & (masses > least)
        return np.asarray((masses > most) | strange)


def resolve(
    profile: Profile, outline: Outline, coarse: Callable[[Outline], Bools], ulp: float
) -> Outline:
    """Split coarse cells in four until none is left, but for those a few `ulp` wide."""
    for _ in range(_ROUNDS):
        y = outline.y
        split = np.flatnonzero(coarse(outline) & (np.diff(y) > 4 * ulp))
        if not split.size:
            break
        outline = outline.refined(profile, np.linspace(y[split], y[split + 1], 5)[1:-1].ravel())
    return outline
