"""Names as matplotlib shows them, whatever characters they have."""

from __future__ import annotations

from skpostbac.stats._law import Interval


def literal(name: object, width: int = 60) -> str:
    r"""Return the name as text that matplotlib shows character by character.

    It would read what is between two dollars as mathematics, and leave a label with an underscore
    before it out of the legend. Very long text is cut in the middle.

    Examples
    --------
    >>> literal("_US$")
    ' _US\\$'
    >>> literal("a long name", 9)
    'a l...ame'
    """
    text = str(name)
    if len(text) > width:
        half = (width - 3) // 2
        text = f"{text[:half]}...{text[-half:]}"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def with_score(name: str | None, score: str) -> str:
    """Return a label as scikit-learn writes them.

    Examples
    --------
    >>> with_score("LDA", "AUC = 0.76")
    'LDA (AUC = 0.76)'
    >>> with_score(None, "AUC = 0.76")
    'AUC = 0.76'
    """
    return score if name is None else f"{literal(name)} ({score})"


def estimate(value: float, interval: Interval | None = None) -> str:
    """Return a number with its interval.

    Examples
    --------
    >>> estimate(0.7612, (0.7, 0.8149))
    '0.76 [0.70, 0.81]'
    """
    return (
        f"{value:.2f}" if interval is None else "{:.2f} [{:.2f}, {:.2f}]".format(value, *interval)
    )
