"""Choice of the best candidate of a search.

Imports `_comparison`, `_selected`, `_pooling` and what these import.
"""

from skpostbac.model_selection._refit.refit import PosteriorRefit

__all__ = [
    "PosteriorRefit",
]
