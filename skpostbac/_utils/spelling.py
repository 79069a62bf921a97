"""Predicted labels that are none of the classes, and how these may be spelled."""

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from reprlib import repr as short_repr
from unicodedata import normalize

# Labels that are listed.
_SHOWN = 3
# Labels that are compared with the classes.
_COMPARED = 1000
# How a label differs from the class that has the same form, and what to do.
_CURES = (
    "in other Unicode characters: normalize both columns (NFKC)",
    "with other spaces: strip them",
    "in other letter case: convert both columns to one",
    "in another type: convert both columns to one",
)


def describe_strays(
    strays: Sequence[Hashable], n: int, classes: Iterable[Hashable]
) -> str:
    """Say that n predictions are none of the classes, with the first of their labels.

    Examples
    --------
    >>> describe_strays(["12", "7"], 5, ["3", "4"])
    "5 predictions ('12', '7') are none of the classes and count as errors"
    >>> describe_strays(["7.0"], 1, ["7"]).partition("; ")[2]
    "'7.0' looks like the class '7' in another type: convert both columns to one"
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
    known = {pair: label for label in classes for pair in enumerate(_forms(label))}
    twins: dict[Hashable, str] = {}
    for label in labels[:_COMPARED]:
        for pair in enumerate(_forms(label)):
            if pair in known:
                twin = f"{label!r} looks like the class {known[pair]!r}"
                twins.setdefault(label, f"{twin} {_CURES[pair[0]]}")
    return twins


def _forms(label: Hashable) -> list[Hashable]:
    """Return forms that ever more spellings of a label have in common."""
    normal = normalize("NFKC", str(label))
    plain = " ".join(normal.split())
    folded = plain.casefold()
    value: Hashable = folded
    with suppress(ValueError):
        value = datetime.fromisoformat(folded)
    with suppress(ArithmeticError):
        value = Decimal({"true": "1", "false": "0"}.get(folded, folded)).normalize()
    return [normal, plain, folded, value]
