"""The candidate that a search has chosen, corrected for the choice. Imports `_pooling`."""

from skpostbac.model_selection._selected.posterior import selected_posterior

__all__ = ["selected_posterior"]
