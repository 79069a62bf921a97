"""Properties that scikit-learn expects of scorers: a name, and `labels` of their own.

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
