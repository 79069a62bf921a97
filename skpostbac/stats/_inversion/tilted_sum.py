"""A tilted sum of independent terms, with the cheaper of two contours through its tilt.

Under a tilt c a variable with the density f and the moment generating function M has the density
exp(c x) f(x) / M(c). The terms of a sum remain independent, and the mean K'(c) and the variance
K''(c) of the tilted sum add up over them, here to the leading orders of Laplace's method about the
mode of each term.

The trapezoid rule on the Bromwich line Re s = c has the step 2 pi / P, with the period P of
`contour.Series`. It ends at the height T at which |M(c + iT)| has fallen to exp(-DEPTH) M(c), which
is below rounding. If that takes many nodes, as for classes whose transform decays like a low power
of the height, the line ends at the height above which the ends of the terms separate, if this is
less than T / 2, and `branch_points` sums the rest. A line that would need too many nodes is
truncated, and the contour then contains an estimate of the truncation error.
"""

from functools import cached_property
from itertools import takewhile

import numpy as np

from skpostbac.stats._inversion.branch_points import Corners, Level, corner_levels
from skpostbac.stats._inversion.contour import Part, SplitDistribution
from skpostbac.stats._inversion.transform import Grid, Line, TiltedSum

# No line has more nodes: what is cut off is estimated. Only many exponents far below 1/2 on classes
# of different weights of one scale ask for more.
_ALL_LINE_NODES = 2**17


class InvertibleSum(TiltedSum, SplitDistribution):
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

    @property
    def bounds(self) -> tuple[float, float]:
        """Positions with negligible mass beyond."""
        low, high = self.reaches(self.everything)
        return self.mode - low, self.mode + high

    @property
    def decay_height(self) -> float:
        """Height at which the transform has decayed."""
        return self.decay_height_of(self.everything)

    @property
    def most_nodes(self) -> int:
        """How many nodes of a line are worth their while."""
        return min(self.most_heights(self.everything), _ALL_LINE_NODES)

    @property
    def split_height(self) -> float:
        """Height from which the transform is a sum over few corners; infinite where it is not."""
        if not self._levels:
            return np.inf
        split = self._levels[0].height
        return split if self.series.count(split, 2 * self.most_nodes) <= self.most_nodes else np.inf

    def line(self, least: int, most: int) -> Line:
        """Evaluate the first nodes of the series."""
        line = self.along(self.everything, Grid.even(0.0, self.series.step, most))
        return Line(line.values[:most], line.anchor, line.log_mgf, line.of_terms)

    def beyond(self, line: Line) -> tuple[Part, ...]:
        """Complete the series by the corners, from half a step above the last node of a line."""
        return (Corners(self, self._levels, line, self.series.period).integrals(),)

    @cached_property
    def _levels(self) -> list[Level]:
        """Levels of few corners: what is not split is summed up the line, beside a corner alone."""
        if not self.has_corners:
            return []
        levels = corner_levels(self, self.series.period)
        return list(takewhile(lambda one: self.corners_are_few(one.split, one.height), levels))
