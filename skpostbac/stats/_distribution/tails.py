"""What is known of a distribution at some places: tails, densities and their errors.

`Values` have absolute accuracy, with a bound of the error. `LogValues` and `Tails` are logs of
probabilities and densities, which keep their relative accuracy below the smallest doubles.
`LeftOut` collects the errors of all answers that a public method needs, which warns of them once;
`one_warning` does so for a method that calls others.
"""

import warnings
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from skpostbac._utils import Bools, Floats, user_stacklevel
from skpostbac.stats._numerics import Points, Rows

Method = TypeVar("Method", bound=Callable[..., Any])

# Largest error of a probability without a warning.
_TOLERABLE = 1e-9


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
    """Log of P(X <= x), of P(X > x) and of the density at each point, and what was left out.

    Attributes
    ----------
    cut : error of the probabilities, where a series was cut off; zero where not given.
    apart : error of the log of the smaller tail, where it was approximated; zero where not given.
    """

    log_cdf: Floats
    log_ccdf: Floats
    log_pdf: Floats
    cut: Floats = field(default_factory=lambda: np.zeros(0))
    apart: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        for name in ("cut", "apart"):
            if getattr(self, name).shape != self.log_cdf.shape:
                object.__setattr__(self, name, np.zeros(self.log_cdf.shape))

    def replaced(self, index: Bools, others: "Tails") -> "Tails":
        """Replace some of the values."""
        pairs = zip(vars(self).values(), vars(others).values(), strict=True)
        own = [(values.copy(), other) for values, other in pairs]
        for values, other in own:
            values[index] = other
        return Tails(*(values for values, _ in own))


class LeftOut:
    """Errors of the answers to one question because work is limited.

    Attributes
    ----------
    probability : largest error of a probability, by series that were cut off.
    log_tail : largest error of the log of a far tail, by interpolation or by what was cut off.
    """

    def __init__(self) -> None:
        self.probability = self.log_tail = 0.0

    def note(self, tails: Tails) -> Tails:
        """Take account of some tails, and return them."""
        self.probability = max(self.probability, float(tails.cut.max(initial=0.0)))
        self.log_tail = max(self.log_tail, float(tails.apart.max(initial=0.0)))
        return tails

    def note_errors(self, errors: Floats) -> None:
        """Take account of errors of probabilities; they are infinite beyond the range."""
        known = errors[np.isfinite(errors)]
        self.probability = max(self.probability, float(known.max(initial=0.0)))

    def noting(self, evaluate: Callable[[Points], Tails]) -> Callable[[Points], Tails]:
        """Return a function whose answers are taken account of."""
        return lambda points: self.note(evaluate(points))

    def warn(self) -> None:
        """Warn if an error is more than tolerable, or leave that to the method that asks."""
        outer = _COLLECTED.get()
        if outer is not None:
            outer.probability = max(outer.probability, self.probability)
            outer.log_tail = max(outer.log_tail, self.log_tail)
            return
        reasons = []
        if self.probability > _TOLERABLE:
            reasons.append(
                "The exact result would take too long, and small terms were left out; "
                f"probabilities may have errors of about {min(self.probability, 1.0):.0e}."
            )
        if self.log_tail > 0:
            size = f"about {self.log_tail:.0e}" if np.isfinite(self.log_tail) else "unknown size"
            reasons.append(
                "Far tails that are too expensive to compute were approximated; "
                f"their logarithms may have errors of {size}."
            )
        if reasons:
            warnings.warn(" ".join(reasons), RuntimeWarning, stacklevel=user_stacklevel())


# What the methods that a call of the user consists of have left out so far.
_COLLECTED: ContextVar[LeftOut | None] = ContextVar("collected", default=None)


def one_warning(method: Method) -> Method:
    """Make a method that calls others give one warning of all that these leave out."""

    @wraps(method)
    def collecting(*args: Any, **kwargs: Any) -> Any:
        left_out = LeftOut()
        token = _COLLECTED.set(left_out)
        try:
            result = method(*args, **kwargs)
        finally:
            _COLLECTED.reset(token)
        left_out.warn()
        return result

    return cast("Method", collecting)
