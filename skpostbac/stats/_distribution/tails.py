"""What is known of a distribution at some places: tails, densities and their errors.

`Values` have absolute accuracy, with a bound of the error. `LogValues` and `Tails` are logs of
probabilities and densities, which keep their relative accuracy below the smallest doubles.
"""

from dataclasses import dataclass

from skpostbac._utils import Bools, Floats
from skpostbac.stats._numerics import Rows


@dataclass(frozen=True)
class Values:
    """What a contour finds at each y.

    Attributes
    ----------
    tail : P(X > y).
    error : what rounding, and terms that are cut off, leave in the tail; infinite where it is not
        known.
    density, slope : density of X, and its derivative.
    """

    tail: Floats
    error: Floats
    density: Floats
    slope: Floats

    def replaced(self, index: Bools, mirrored: "Values") -> "Values":
        """Replace some of the values by those of the negated variable, at minus their places."""

        def merged(own: Floats, other: Floats) -> Floats:
            result = own.copy()
            result[index] = other
            return result

        return Values(
            merged(self.tail, 1 - mirrored.tail),
            merged(self.error, mirrored.error),
            merged(self.density, mirrored.density),
            merged(self.slope, -mirrored.slope),
        )


@dataclass(frozen=True)
class LogValues:
    """What a contour finds at each y, however small.

    Attributes
    ----------
    log_tail, log_density : log P(X > y), and log density of X.
    error : relative error that rounding leaves in the tail, or a thousandth of that in the
        density if it is more; infinite where it is not known.
    log_cut : log of what terms that are cut off leave in the tail.
    """

    log_tail: Floats
    log_density: Floats
    error: Floats
    log_cut: Floats


@dataclass(frozen=True)
class Tails(Rows):
    """Log of P(X <= x), of P(X > x) and of the density at each point."""

    log_cdf: Floats
    log_ccdf: Floats
    log_pdf: Floats

    def replaced(self, index: Bools, others: "Tails") -> "Tails":
        """Replace some of the values."""
        pairs = zip(vars(self).values(), vars(others).values(), strict=True)
        own = [(values.copy(), other) for values, other in pairs]
        for values, other in own:
            values[index] = other
        return Tails(*(values for values, _ in own))
