"""What scikit-learn requires of scorers besides a call: a name and `labels`.

Imports `skpostbac._utils`.
"""

from skpostbac.metrics._scoring.requests import (
    CountsDict,
    NoNumber,
    make_label_scorer,
    make_named_scorer,
)

__all__ = [
    "CountsDict",
    "NoNumber",
    "make_label_scorer",
    "make_named_scorer",
]
