"""A tilted sum of independent terms, with the cheaper of two contours through its tilt.

Under a tilt c a variable with the density f and the moment generating function M has the density
exp(c x) f(x) / M(c). The terms of a sum remain independent, and the mean K'(c) and the variance
K''(c) of the tilted sum add up over them, here to the leading orders of Laplace's method about the
mode of each term.

The trapezoid rule on the Bromwich line Re s = c has the step 2 pi / P, with the period P of
`contour.series`. It ends at the height T at which |M(c + iT)| has fallen to exp(-DEPTH) M(c), which
is below rounding. Where that takes many nodes, as with classes whose transform decays like a low
power of the height, the line ends at the height from which the ends of the terms separate, if this
is less than T / 2, and `branch_points` sums the rest. A line that must have more nodes than can be
summed is cut off, and the contour then holds an estimate of what is missing.
"""

from itertools import takewhile

from skpostbac.stats._inversion.branch_points import Level, corner_contour, corner_levels
from skpostbac.stats._inversion.contour import DEPTH, Contour, line_contour, series
from skpostbac.stats._inversion.transform import TiltedSum

# Above this many nodes on a line it is worth looking for corners.
_MAX_LINE_NODES = 160
# No line has more: what is cut off is estimated. Only many exponents far below 1/2 on classes of
# different weights of one scale ask for more.
_ALL_LINE_NODES = 2**17
# Nor more than so many for all terms together, but for the least that any line may have.
_MOST_WORK, _LEAST_NODES = 2**21, 2**13


class InvertibleSum(TiltedSum):
    """A sum of independent terms under a common tilt, as an inversion sees it."""

    @property
    def mode(self) -> float:
        """Sum of the modes of the terms."""
        return self.total(self.terms.mode)

    @property
    def approximate_mean(self) -> float:
        """Tilted mean to second Laplace order."""
        return self.total(self.terms.mode + self.terms.mean_less_mode)

    @property
    def variance(self) -> float:
        """Tilted variance to leading Laplace order."""
        return self.total(self.terms.variance)

    def contour(self) -> Contour:
        """Build the cheaper of the two contours through the tilt."""
        rule = series(self)
        height = self.decay_height(self.everything, DEPTH)
        if height > rule.step * _MAX_LINE_NODES and self.has_corners:
            levels = corner_levels(self, rule.period)
            # What is not split is summed up the line, within its mass about a corner alone.
            few = list(takewhile(self._has_few_corners, levels))
            if few and few[0].height < 0.5 * height:
                return corner_contour(self, rule, few)
        most = max(_MOST_WORK // self.everything.size, _LEAST_NODES)
        return line_contour(self, rule, height, min(most, _ALL_LINE_NODES))

    def _has_few_corners(self, level: Level) -> bool:
        return self.corners_are_few(level.split, level.height)
