"""Description of predicted labels that are none of the classes."""

from collections.abc import Hashable, Iterable

# Labels that are listed.
_SHOWN = 3


def describe_strays(strays: Iterable[Hashable], n: int) -> str:
    """Say that n predictions are none of the classes, with the first of their labels.

    Examples
    --------
    >>> describe_strays(["12", "7"], 5)
    "5 predictions ('12', '7') are none of the classes and count as errors"
    """
    labels = list(map(repr, strays))
    names = ", ".join([*labels[:_SHOWN], *["..."] * (len(labels) > _SHOWN)])
    if n == 1:
        return f"1 prediction ({names}) is none of the classes and counts as an error"
    return f"{n} predictions ({names}) are none of the classes and count as errors"
