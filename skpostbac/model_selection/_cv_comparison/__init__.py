"""Comparison of cross-validations on the same folds. Imports `_comparison` and `_pooling`."""

from skpostbac.model_selection._cv_comparison.compare import compare_cv_results

__all__ = ["compare_cv_results"]
