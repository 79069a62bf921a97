"""Required size of a test set.

Imports `skpostbac.metrics`, its folders and what these import.
"""

from skpostbac.model_selection._test_size.size import RequiredTestSize, required_test_size

__all__ = [
    "RequiredTestSize",
    "required_test_size",
]
