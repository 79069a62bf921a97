"""Posterior of the candidate chosen by a search, corrected for selection. Imports `_pooling`."""

from skpostbac.model_selection._selected.posterior import selected_posterior

__all__ = ["selected_posterior"]
