"""Reports without the breaks of lines, and transcripts that keep their digits."""

from difflib import SequenceMatcher

import pytest


def sentences(result):
    """Return the report of a result, of which each sentence is on a line of its own."""
    return result.report().replace("\n  ", " ")


def is_same_but_for_digits(found, expected, decimal, **error):
    """Return whether two texts have the same words, and the same numbers up to an error."""
    if decimal.sub("#", found) != decimal.sub("#", expected):
        return False
    numbers, known = (
        list(map(float, decimal.findall(text))) for text in (found, expected)
    )
    return numbers == pytest.approx(known, **error)


def keep_digits(found, expected, decimal, **error):
    """Return a text with the lines of an old one where only digits differ, up to an error.

    Sums differ in the last digit between processors: a transcript that is written again on another
    one shows what changed, and nothing else.
    """
    lines, old = (text.splitlines(keepends=True) for text in (found, expected))
    masked = [[decimal.sub("#", line) for line in text] for text in (old, lines)]
    for start, place, size in SequenceMatcher(
        None, *masked, autojunk=False
    ).get_matching_blocks():
        for i in range(size):
            if is_same_but_for_digits(
                lines[place + i], old[start + i], decimal, **error
            ):
                lines[place + i] = old[start + i]
    return "".join(lines)
