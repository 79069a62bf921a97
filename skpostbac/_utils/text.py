"""Text without control and direction characters."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""Return the text with all that is not printable written as escapes.

    Terminals would act on control characters, browsers on those that change the direction of
    writing, and XML has no place for most of them.

    Examples
    --------
    >>> printable("naïve 猫\x1b[31m\u202e")
    'naïve 猫\\x1b[31m\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
