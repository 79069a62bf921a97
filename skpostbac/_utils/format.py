"""Formatting of numbers, and of text for terminals and HTML reports."""

import textwrap
from collections.abc import Mapping, Sequence
from math import ceil, floor, inf, isfinite, isnan, log10
from typing import Any

# Columns that would need more decimals use scientific notation.
_MOST_DECIMALS = 9
# Estimates with a number of this size or more are formatted with significant digits
# instead of decimals, at least this many.
_LARGE = 1e5
_LEAST_DIGITS = 4


def paragraphs(*texts: str) -> str:
    """Join texts, each wrapped to lines of 92 characters with a hanging indent.

    Examples
    --------
    >>> print(paragraphs("A sentence that fits a line.", "Heteroscedasticity " * 5))
    A sentence that fits a line.
    Heteroscedasticity Heteroscedasticity Heteroscedasticity Heteroscedasticity
      Heteroscedasticity
    """
    return "\n".join(
        textwrap.fill(
            text,
            92,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for text in texts
    )


def unwrap(text: str) -> list[str]:
    """Return the texts that `paragraphs` joined."""
    return text.replace("\n  ", " ").split("\n")


def round_estimate(
    mean: float, interval: tuple[float, float], *, n_decimals: int = 3
) -> tuple[str, str, str]:
    """Format a mean and its interval with enough decimals to distinguish the ends.

    There are at least `n_decimals` decimals. If one of the numbers is large, all have
    the same number of significant digits instead.

    Examples
    --------
    >>> round_estimate(0.5, (0.25, 0.75))
    ('0.500', '0.250', '0.750')
    >>> round_estimate(2.5e20, (1.2e18, 3e21))
    ('2.500e+20', '1.200e+18', '3.000e+21')
    >>> round_estimate(932.3, (16.53, 107800.0))
    ('932.3', '16.53', '1.078e+05')
    """
    low, high = interval
    return _format_numbers(mean, interval, n_decimals_of(high - low, n_decimals))


def _format_numbers(
    mean: float, interval: tuple[float, float], n_decimals: int
) -> tuple[str, str, str]:
    """Format a mean and its interval with decimals, or significant digits if large."""
    low, high = interval
    numbers = mean, low, high
    largest = max((abs(value) for value in numbers if isfinite(value)), default=0.0)

    spec = f".{n_decimals}f"
    if largest >= _LARGE:
        ratio = (high - low) / largest if 0 < high - low < inf else 1.0
        spec = f"#.{max(_LEAST_DIGITS, ceil(-log10(ratio)) + 2)}g"

    # "z" drops the sign of zero; "#" leaves a point behind numbers without decimals.
    middle, lower, upper = (format(value, f"z{spec}").rstrip(".") for value in numbers)
    return middle, lower, upper


def format_number(value: float) -> str:
    """Format a number as in estimates, with three decimals unless it is large.

    Examples
    --------
    >>> format_number(0.5), format_number(2.5e20)
    ('0.500', '2.500e+20')
    """
    return _format_numbers(value, (value, value), 3)[0]


def n_decimals_of(width: float, least: int = 3) -> int:
    """Return the number of decimals that distinguishes the ends of an interval."""
    return max(least, ceil(-log10(width)) + 1) if 0 < width < inf else least


def is_shown(error: float, width: float = inf) -> bool:
    """Return whether a standard error could change a digit of a reported estimate.

    Estimates have three decimals, or as many as distinguish the ends of an interval of
    this width. The last one can change if two standard errors reach half a unit of it.

    Examples
    --------
    >>> is_shown(0.001), is_shown(1e-5), is_shown(1e-5, width=1e-4)
    (True, False, True)
    """
    return bool(4 * error >= 10.0 ** -n_decimals_of(width))


def format_estimate(mean: float, interval: tuple[float, float]) -> tuple[str, str]:
    """Format a mean, and its interval in brackets, for a repr or a table."""
    middle, low, high = round_estimate(mean, interval)
    return middle, f"[{low}, {high}]"


def format_estimates(
    means: Sequence[float],
    intervals: Sequence[tuple[float, float]],
    *,
    n_decimals: int = 3,
) -> list[tuple[str, str]]:
    """Format means and intervals as table columns with the same number of decimals.

    There are at least `n_decimals` decimals, and enough to distinguish the ends of the
    narrowest interval; large numbers have significant digits, as in `round_estimate`.

    Examples
    --------
    >>> format_estimates([0.5, 0.90001], [(0.2, 0.8), (0.89995, 0.90007)])
    [('0.50000', '[0.20000, 0.80000]'), ('0.90001', '[0.89995, 0.90007]')]
    """
    n = max(
        (n_decimals_of(high - low, n_decimals) for low, high in intervals),
        default=n_decimals,
    )
    rows = (
        _format_numbers(mean, interval, n)
        for mean, interval in zip(means, intervals, strict=True)
    )
    return [(middle, f"[{low}, {high}]") for middle, low, high in rows]


def format_column(values: Sequence[float], *, digits: int = 4) -> list[str]:
    """Format numbers with the same number of decimals, none if all are whole.

    The largest number has at least `digits` significant digits. NaN becomes "-".

    Examples
    --------
    >>> format_column([12.5, 0.25, float("nan")])
    ['12.50', '0.25', '-']
    >>> format_column([30, 8])
    ['30', '8']
    """
    finite = [abs(value) for value in values if isfinite(value)]
    largest = max(finite, default=0.0)
    are_whole = not any(value % 1 for value in finite)

    n = 0 if are_whole else max(0, digits - 1 - floor(log10(largest)))
    spec = f".{n}f" if n <= _MOST_DECIMALS and largest < 1e15 else f".{digits - 1}e"
    return ["-" if isnan(value) else format(value, spec) for value in values]


def format_share(value: float) -> str:
    """Format a proportion with three digits; NaN becomes "-"."""
    return "-" if isnan(value) else f"{value:.3f}"


def describe_estimate(
    mean: float, interval: tuple[float, float], level: float, note: str = ""
) -> str:
    """Format a mean and its interval, with a note, as part of a sentence."""
    middle, low, high = round_estimate(mean, interval)
    percent = f"{100 * float(level):.12g}%"
    return f"{middle} ({note}{percent} credible interval {low} to {high})"


def format_probability(value: float) -> str:
    """Format a probability with three digits, never as 0 or 1."""
    if value < 0.0005:
        return "< 0.001"
    return "> 0.999" if value > 0.9995 else f"{value:.3f}"


def join_first(items: Sequence[str], n: int) -> str:
    """Join the first `n` items by commas and append the number of the others.

    Examples
    --------
    >>> join_first(["a", "b", "c", "d"], 2)
    'a, b and 2 more'
    """
    more = f" and {len(items) - n} more" if len(items) > n else ""
    return ", ".join(items[:n]) + more


def printable(text: str) -> str:
    r"""Return the text with characters that are not printable as escape sequences.

    Terminals would act on control characters, browsers on those that change the
    direction of writing, and XML does not allow most of them.

    Examples
    --------
    >>> printable("naïve 猫\x1b[31m\u202e")
    'naïve 猫\\x1b[31m\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in text
    )


def finite_or_none(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with None in place of nan and infinity, which JSON lacks.

    Examples
    --------
    >>> finite_or_none({"name": "a", "mean": 0.5, "observed": float("nan")})
    {'name': 'a', 'mean': 0.5, 'observed': None}
    """
    return {
        key: None if isinstance(value, float) and not isfinite(value) else value
        for key, value in record.items()
    }


def records_of(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the rows of a table, each as a record with `finite_or_none`.

    Examples
    --------
    >>> records_of({"name": ["a", "b"], "mean": [0.5, float("inf")]})
    [{'name': 'a', 'mean': 0.5}, {'name': 'b', 'mean': None}]
    """
    rows = zip(*columns.values(), strict=True)
    return [finite_or_none(dict(zip(columns, row, strict=True))) for row in rows]
