"""Names and numbers as text for matplotlib, with any characters in the names."""

from collections.abc import Iterable
from itertools import takewhile

from skpostbac._utils import printable, round_estimate
from skpostbac.stats._distribution import DEFAULT_INTERVAL, Interval


def literal(name: object) -> str:
    r"""Return the name as text that matplotlib shows character by character.

    Otherwise it would typeset text between two dollar signs as mathematics, and omit
    labels with a leading underscore from the legend. Unprintable characters are
    escaped, since SVG files cannot contain them.

    Examples
    --------
    >>> literal("_US$")
    ' _US\\$'
    """
    text = printable(str(name)).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def shorten(names: Iterable[object], width: int = 60) -> list[str]:
    """Abbreviate long names so that different names remain different.

    They are cut in the middle of what they have in common at the beginning, and of the
    rest if it is longer than half the width: both ends of each remain.

    Examples
    --------
    >>> shorten(["a long name", "name"], 9)
    ['a l...ame', 'name']
    >>> names = ["candidate number 1 of the search", "candidate number 2 of the search"]
    >>> shorten(names, 20)
    ['can...er 1 o...rch', 'can...er 2 o...rch']
    """
    texts = [str(name) for name in names]
    long_texts = [text for text in dict.fromkeys(texts) if len(text) > width]
    columns = zip(*long_texts, strict=False)
    common = takewhile(lambda column: len(set(column)) == 1, columns)
    start = len(list(common)) if len(long_texts) > 1 else 0

    longest_rest = max(map(len, long_texts), default=0) - start
    rest_width = min(longest_rest, max(width // 2, width - start))
    short = {text: text for text in texts}
    for text in long_texts:
        before = _cut_middle(text[:start], width - rest_width)
        short[text] = before + _cut_middle(text[start:], rest_width)

    # Numbers distinguish names whose differences do not fit.
    if len(set(short.values())) < len(short):
        for i, text in enumerate(long_texts, 1):
            number = f" ({i})"
            short[text] = _cut_middle(text, width - len(number)) + number
    return [short[text] for text in texts]


def _cut_middle(text: str, width: int) -> str:
    """Return a text with an ellipsis in its middle if it is longer than `width`."""
    half = max(width - 3, 0) // 2
    return text if len(text) <= width else f"{text[:half]}...{text[len(text) - half :]}"


def with_score(name: str | None, score: str) -> str:
    """Return a legend label in the format of scikit-learn's displays.

    Examples
    --------
    >>> with_score("LDA", "AUC = 0.76")
    'LDA (AUC = 0.76)'
    >>> with_score(None, "AUC = 0.76")
    'AUC = 0.76'
    """
    return f"{literal(name)} ({score})" if name else score


def estimate(value: float, interval: Interval) -> str:
    """Return a number with its interval, both with the same decimals.

    Examples
    --------
    >>> estimate(0.7612, Interval(0.7, 0.8149))
    '0.76 [0.70, 0.81]'
    >>> estimate(0.89996, Interval(0.89941, 0.90052))
    '0.9000 [0.8994, 0.9005]'
    """
    middle, low, high = round_estimate(value, interval, n_decimals=2)
    return f"{middle} [{low}, {high}]"


def estimate_title(
    level: float, method: str = DEFAULT_INTERVAL, *, middle: str = "Mean"
) -> str:
    """Return a title that explains the numbers of :func:`estimate`.

    Examples
    --------
    >>> estimate_title(0.9, "hdi")
    'Mean [90% HDI]'
    """
    return f"{middle} [{interval_name(level, method)}]"


def interval_name(level: float, method: str) -> str:
    """Return the name of an interval.

    Examples
    --------
    >>> interval_name(0.5, "central")
    '50% central interval'
    """
    names = {"hull": "CI", "hdi": "HDI", "central": "central interval"}
    return f"{100 * float(level):g}% {names[method]}"
