"""Names and figures as matplotlib shows them, whatever characters the names have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import takewhile

from skpostbac._utils import printable, round_estimate
from skpostbac.stats._distribution import DEFAULT_INTERVAL, Interval


def literal(name: object) -> str:
    r"""Return the name as text that matplotlib shows character by character.

    It would read what is between two dollars as mathematics, and leave a label with an underscore
    before it out of the legend. What is not printable has no place in an SVG.

    Examples
    --------
    >>> literal("_US$")
    ' _US\\$'
    """
    text = printable(str(name)).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def shorten(names: Iterable[object], width: int = 60) -> list[str]:
    """Cut long names in the middle, or else where they are the same, so that they stay different.

    Examples
    --------
    >>> shorten(["a long name", "name"], 9)
    ['a l...ame', 'name']
    >>> shorten(["candidate number 1 of the search", "candidate number 2 of the search"], 20)
    ['...mber 1 ... search', '...mber 2 ... search']
    """
    texts = [str(name) for name in names]
    alike = defaultdict(list)
    for text in dict.fromkeys(texts):
        alike[_cut(text, width)].append(text)
    cut = {text: short for group in alike.values() for text, short in _cut_alike(group, width)}
    return [cut[text] for text in texts] if len(set(cut.values())) == len(cut) else texts


def _cut_alike(texts: list[str], width: int) -> Iterator[tuple[str, str]]:
    """Yield texts that begin and end alike, and what is shown: from shortly before they differ."""
    columns = zip(*texts, strict=False)
    same = len(list(takewhile(lambda column: len(set(column)) == 1, columns))) - width // 4
    for text in texts:
        as_usual = len(texts) == 1 or len(text) <= width
        yield text, _cut(text, width) if as_usual else f"...{_cut(text[same:], width - 3)}"


def _cut(text: str, width: int) -> str:
    half = (width - 3) // 2
    return text if len(text) <= width else f"{text[:half]}...{text[-half:]}"


def with_score(name: str | None, score: str) -> str:
    """Return a label as scikit-learn writes them.

    Examples
    --------
    >>> with_score("LDA", "AUC = 0.76")
    'LDA (AUC = 0.76)'
    >>> with_score(None, "AUC = 0.76")
    'AUC = 0.76'
    """
    return f"{literal(name)} ({score})" if name else score


def estimate(value: float, interval: Interval | None = None) -> str:
    """Return a number with its interval.

    Examples
    --------
    >>> estimate(0.7612, Interval(0.7, 0.8149))
    '0.76 [0.70, 0.81]'
    >>> estimate(0.89996, Interval(0.89941, 0.90052))
    '0.9000 [0.8994, 0.9005]'
    """
    if interval is None:
        return f"{value:.2f}"
    middle, low, high = round_estimate(value, interval, n_decimals=2)
    return f"{middle} [{low}, {high}]"


def estimate_title(level: float, method: str = DEFAULT_INTERVAL) -> str:
    """Return what the numbers of :func:`estimate` are.

    Examples
    --------
    >>> estimate_title(0.9, "hdi")
    'Mean [90% HDI]'
    """
    return f"Mean [{100 * float(level):g}% {'HDI' if method == 'hdi' else 'central interval'}]"


def chance_label(chance: float, score: str | None = None) -> str:
    """Return the label of what guessing reaches.

    Examples
    --------
    >>> chance_label(1 / 3), chance_label(0.5, "AUC")
    ('Chance level (0.33)', 'Chance level (AUC = 0.5)')
    """
    value = f"{chance:.2g}"
    return with_score("Chance level", f"{score} = {value}" if score else value)
