"""Weights of the classes in an average of recalls."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, LabelArray, nonnegative_array
from skpostbac.metrics._labels import label_list

# Weights below this share of the largest cannot be summed in doubles.
_LEAST_WEIGHT = 1e-60

ClassWeightLike: TypeAlias = Mapping[Hashable, float] | ArrayLike | None
ClassWeightSpec: TypeAlias = dict[Hashable, float] | Floats | None


def check_class_weight(class_weight: ClassWeightLike) -> ClassWeightSpec:
    """Check class weights as far as possible without the classes; return a copy.

    What has keys, such as a pandas Series, is looked up by label like a dict.

    Raises
    ------
    ValueError
        If they are neither None nor a dict nor numbers, if one of them is negative,
        infinite or NaN, if all are zero, or if a label occurs twice.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        raise ValueError(
            "class_weight must be a dict or an array of numbers, got "
            f"{class_weight!r}; by default all classes have equal weights"
        )
    if not (hasattr(class_weight, "keys") and hasattr(class_weight, "__getitem__")):
        return _weight_array(class_weight)
    by_label: Any = class_weight
    keys = list(by_label.keys())
    if len(set(keys)) < len(keys):
        raise ValueError("class_weight must have each label once")
    weights = _weight_array([by_label[key] for key in keys])
    return dict(zip(keys, weights.tolist(), strict=True))


def resolve_class_weight(spec: ClassWeightSpec, classes: LabelArray) -> Floats:
    """Return the read-only weights of the classes, which sum to 1.

    Raises
    ------
    ValueError
        If a dict has no weight for a class, if an array has another length, if all the
        classes have weight zero, or if weights differ too much for doubles.
    """
    if spec is None:
        weights = np.ones(len(classes))
    elif isinstance(spec, dict):
        labels = label_list(classes)
        missing = [label for label in labels if label not in spec]
        if missing:
            raise ValueError(f"class_weight has no weight for the classes {missing}")
        weights = _weight_array([spec[label] for label in labels])
    else:
        weights = spec
    if len(weights) != len(classes):
        raise ValueError(
            f"class_weight must have one weight for each of the {len(classes)} "
            f"classes, got {len(weights)}"
        )
    relative = weights / weights.max()  # the sum of the weights may overflow
    if relative[relative > 0].min() < _LEAST_WEIGHT:
        raise ValueError(
            f"class_weight must not have positive weights below {_LEAST_WEIGHT:g} of "
            "the largest"
        )
    normalised: Floats = relative / relative.sum()
    normalised.flags.writeable = False
    return normalised


def _weight_array(values: ArrayLike) -> Floats:
    weights = nonnegative_array(values, "class_weight")
    if not np.any(weights):
        raise ValueError("class_weight must have a positive weight")
    return weights
