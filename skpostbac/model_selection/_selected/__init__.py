"""Posterior of the best candidate of a search, corrected for its selection. Imports `_pooling`."""

from skpostbac.model_selection._selected.posterior import selected_posterior

__all__ = ["selected_posterior"]
