"""Types of arrays."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Complexes: TypeAlias = NDArray[np.complex128]
Bools: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]
# Class labels are numbers, strings, dates or any other objects.
LabelArray: TypeAlias = NDArray[Any]
