"""Numbers as a reader is to see them."""

from __future__ import annotations

from math import ceil, log10


def round_estimate(
    mean: float, interval: tuple[float, float], *, n_decimals: int = 3
) -> tuple[str, str, str]:
    """Write a mean and the ends of its interval, with decimals enough to tell these apart.

    There are at least `n_decimals` of them.
    """
    low, high = interval
    width = high - low
    n = max(n_decimals, ceil(-log10(width)) + 1) if width > 0 else n_decimals
    return f"{mean:.{n}f}", f"{low:.{n}f}", f"{high:.{n}f}"


def format_estimate(mean: float, interval: tuple[float, float]) -> tuple[str, str]:
    """Write a mean, and its interval in brackets, as they stand in a repr or in a table."""
    middle, low, high = round_estimate(mean, interval)
    return middle, f"[{low}, {high}]"


def describe_estimate(mean: float, interval: tuple[float, float], level: float) -> str:
    """Write a mean and its interval as part of a sentence."""
    middle, low, high = round_estimate(mean, interval)
    return f"{middle} ({100 * float(level):.12g}% credible interval {low} to {high})"


def format_probability(value: float) -> str:
    """Write a probability with three digits, and never as 0 or 1."""
    if value < 0.0005:
        return "< 0.001"
    return "> 0.999" if value > 0.9995 else f"{value:.3f}"
