"""Names and numbers as matplotlib shows them, whatever characters the names have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import takewhile

from skpostbac._utils import printable, round_estimate
from skpostbac.stats._distribution import DEFAULT_INTERVAL, Interval

# Characters beside the part in which names differ that say where it stands: two ellipses, and one
# character on each side of them.
_LEAST_CONTEXT = 10


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
    """Cut long names where they are the same, or else in the middle, so that they stay different.

    Examples
    --------
    >>> shorten(["a long name", "name"], 9)
    ['a l...ame', 'name']
    >>> shorten(["candidate number 1 of the search", "candidate number 2 of the search"], 20)
    ['can...er 1 of...rch', 'can...er 2 of...rch']
    """
    texts = [str(name) for name in names]
    cut = dict(_cut_alike([text for text in dict.fromkeys(texts) if len(text) > width], width))
    shown = {text: cut.get(text, text) for text in texts}
    if len(set(shown.values())) < len(shown):  # numbers tell apart what is too narrow for more
        for i, text in enumerate(shown, 1):
            if len(text) > width:
                shown[text] = _cut(text, width - len(f" ({i})")) + f" ({i})"
    return [shown[text] for text in texts] if len(set(shown.values())) == len(shown) else texts


def _cut_alike(texts: list[str], width: int) -> Iterator[tuple[str, str]]:
    """Yield long texts and what is shown of them: all of where they differ, if there is room.

    Without room they are cut in the middle; and those that are the same then, where they differ.
    """
    start, end = _same(texts), _same([text[::-1] for text in texts])
    end = min(end, min(map(len, texts), default=0) - start)
    room = width - max((len(text) - start - end for text in texts), default=0)
    if len(texts) > 1 and room >= _LEAST_CONTEXT:
        left = max(room // 2, room - end)  # what a side leaves is for the other
        for text in texts:
            before, after = _cut(text[:start], left), text[len(text) - end :]
            shown = before + text[start : len(text) - end]
            yield text, shown + _cut(after, room - len(before))
        return
    alike = defaultdict(list)
    for text in texts:
        alike[_cut(text, width)].append(text)
    for short, group in alike.items():
        if len(group) == 1 or width <= _LEAST_CONTEXT:
            yield from ((text, short) for text in group)
            continue
        start = max(0, _same(group) - width // 4)  # from shortly before they differ
        ends = {text[start:]: text for text in group}
        short_ends = {end: end for end in ends if len(end) <= width - 3}
        short_ends.update(_cut_alike([end for end in ends if end not in short_ends], width - 3))
        yield from ((ends[end], f"...{shown}") for end, shown in short_ends.items())


def _same(texts: list[str]) -> int:
    """Return how many characters are the same at the start of all texts."""
    columns = zip(*texts, strict=False)
    return len(list(takewhile(lambda column: len(set(column)) == 1, columns)))


def _cut(text: str, width: int) -> str:
    """Cut a text in the middle."""
    half = max(width - 3, 0) // 2
    return text if len(text) <= width else f"{text[:half]}...{text[len(text) - half :]}"


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


def estimate_title(level: float, method: str = DEFAULT_INTERVAL, *, middle: str = "Mean") -> str:
    """Return what the numbers of :func:`estimate` are.

    Examples
    --------
    >>> estimate_title(0.9, "hdi")
    'Mean [90% HDI]'
    """
    return f"{middle} [{interval_name(level, method)}]"


def interval_name(level: float, method: str) -> str:
    """Return what an interval is called.

    Examples
    --------
    >>> interval_name(0.5, "central")
    '50% central interval'
    """
    names = {"hull": "CI", "hdi": "HDI", "central": "central interval"}
    return f"{100 * float(level):g}% {names[method]}"
