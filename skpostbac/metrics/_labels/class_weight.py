"""The weight of each class in the average, given by a dict or by an array."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, LabelArray, nonnegative_array
from skpostbac.metrics._labels.labels import label_list

ClassWeightLike: TypeAlias = Mapping[Hashable, float] | ArrayLike | None
ClassWeightSpec: TypeAlias = dict[Hashable, float] | Floats | None


def check_class_weight(class_weight: ClassWeightLike) -> ClassWeightSpec:
    """Check class weights as far as this can be done without the classes; return a copy.

    What has keys, such as a pandas Series, is looked up by label like a dict.

    Raises
    ------
    ValueError
        If they are neither None nor a dict nor numbers, if one of them is negative, infinite
        or NaN, if all are zero, or if a label occurs twice.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        raise ValueError(
            f"class_weight must be None, a dict or an array of shape (n_classes,), "
            f"got {class_weight!r}"
        )
    if hasattr(class_weight, "keys") and hasattr(class_weight, "__getitem__"):
        return _weight_dict(class_weight)
    return _weight_array(class_weight)


def resolve_class_weight(spec: ClassWeightSpec, classes: LabelArray) -> Floats:
    """Return the read-only weights of the classes, which sum to 1.

    Raises
    ------
    ValueError
        If a dict has no weight for a class, if an array has another length, or if all the
        classes have weight zero.
    """
    weights = _weights_of(spec, label_list(classes))
    if len(weights) != len(classes):
        raise ValueError(
            f"class_weight must have one weight for each of the {len(classes)} classes, "
            f"got {len(weights)}"
        )
    relative = weights / weights.max()  # the sum of the weights may overflow
    normalised: Floats = relative / relative.sum()
    normalised.flags.writeable = False
    return normalised


def _weights_of(spec: ClassWeightSpec, labels: list[Hashable]) -> Floats:
    if spec is None:
        return np.ones(len(labels))
    if not isinstance(spec, dict):
        return spec
    missing = [label for label in labels if label not in spec]
    if missing:
        raise ValueError(f"class_weight has no weight for the classes {missing}")
    return _weight_array([spec[label] for label in labels])


def _weight_dict(class_weight: Any) -> dict[Hashable, float]:
    keys = list(class_weight.keys())
    if len(set(keys)) < len(keys):
        raise ValueError("class_weight must have each label once")
    values = _weight_array([class_weight[key] for key in keys])
    return dict(zip(keys, values.tolist(), strict=True))


def _weight_array(values: ArrayLike) -> Floats:
    weights = nonnegative_array(values, "class_weight")
    if not np.any(weights):
        raise ValueError("class_weight must have a positive weight")
    return weights
