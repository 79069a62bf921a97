"""Predicted labels that are none of the classes, and how these may be spelled."""

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from reprlib import repr as short_repr
from unicodedata import normalize

# Labels that are listed.
_SHOWN = 3
# Labels that are compared with the classes.
_COMPARED = 1000


def describe_strays(
    strays: Sequence[Hashable], n: int, classes: Iterable[Hashable]
) -> str:
    """Say that n predictions are none of the classes, with the first of their labels.

    Examples
    --------
    >>> describe_strays(["12", "7"], 5, ["3", "4"])
    "5 predictions ('12', '7') are none of the classes and count as errors"
    >>> describe_strays(["7.0"], 1, ["7"]).partition("; ")[2]
    "'7.0' looks like the class '7' in another spelling: convert both columns to one"
    """
    names = list_labels(strays)
    text = f"{n} predictions ({names}) are none of the classes and count as errors"
    if n == 1:
        text = f"1 prediction ({names}) is none of the classes and counts as an error"
    return "; ".join([text, *list(find_twins(strays, classes).values())[:1]])


def list_labels(labels: Sequence[Hashable]) -> str:
    """Return the first labels in quotes."""
    names = ", ".join(map(short_repr, labels[:_SHOWN]))
    return f"{names}, ..." if len(labels) > _SHOWN else names


def find_twins(
    labels: Sequence[Hashable], classes: Iterable[Hashable]
) -> dict[Hashable, str]:
    """Return a sentence on each label that is a class in another spelling."""
    known = {_form(label): label for label in classes}
    return {
        label: f"{label!r} looks like the class {known[_form(label)]!r} in another "
        "spelling: convert both columns to one"
        for label in labels[:_COMPARED]
        if _form(label) in known
    }


def _form(label: Hashable) -> Hashable:
    """Return what all spellings of a label have in common.

    Unicode characters, spaces and letter case do not matter, and 1.0, "1" and True are
    the same.
    """
    text = " ".join(normalize("NFKC", str(label)).split()).casefold()
    with suppress(ArithmeticError):
        return Decimal({"true": "1", "false": "0"}.get(text, text)).normalize()
    return text
