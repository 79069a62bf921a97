"""Roots of functions of one variable."""

from collections.abc import Callable


def bracketed_root(
    function: Callable[[float], float], low: float, high: float, *, accuracy: float = 2e-12
) -> float:
    """Return the root between two places at which the signs differ, by Brent's method."""
    # A slow import, done only when needed.
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=accuracy))
