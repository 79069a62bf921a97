"""Warning about predictions spelled differently from the true labels."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence

from numpy.typing import ArrayLike

from skpostbac.metrics._labels.labels import label_list
from skpostbac.metrics._labels.outcomes import distinct_labels

_SHOWN_LABELS = 3


def warn_if_foreign(
    y_true: ArrayLike, predictions: Mapping[str, ArrayLike], *, stacklevel: int
) -> None:
    """Warn if no predicted label is a true label, such as "Yes" instead of "yes".

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    predictions : mapping of str to array-like of shape (n_samples,)
        Predicted labels by the name of the argument that holds them. The check needs their distinct
        labels: ask only about predictions without a hit.
    stacklevel : int
        As for :func:`warnings.warn`, relative to the caller of this function.
    """
    for name, y_pred in predictions.items():
        true = label_list(distinct_labels(y_true, "y_true"))
        pred = label_list(distinct_labels(y_pred, name))
        if not set(true) & set(pred):
            warnings.warn(
                f"{name} holds none of the labels of y_true ({_show(true)}), but {_show(pred)}: "
                "each prediction counts as an error",
                UserWarning,
                stacklevel=stacklevel + 1,
            )


def _show(labels: Sequence[Hashable]) -> str:
    shown = ", ".join(map(repr, labels[:_SHOWN_LABELS]))
    return f"{shown}, ..." if len(labels) > _SHOWN_LABELS else shown
