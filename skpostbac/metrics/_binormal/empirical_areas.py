"""Areas under the empirical ROC and precision-recall curves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skpostbac._utils import block, format_share, record
from skpostbac.metrics._binormal.class_scores import ClassScores


class EmpiricalAreas(NamedTuple):
    """Areas under the empirical curves of some scores, which assume nothing of them.

    Returned by functions; its fields are not checked.

    Examples
    --------
    >>> from skpostbac.binormal import posterior_binormal
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
    >>> posterior_binormal(y_true, y_score, random_state=0).empirical
    EmpiricalAreas(roc_auc=0.9583, average_precision=0.9167)
    """

    roc_auc: float
    """Area under the ROC curve, as in :func:`sklearn.metrics.roc_auc_score`."""
    average_precision: float
    """As in :func:`sklearn.metrics.average_precision_score`."""

    def _repr_html_(self) -> str:
        return block(repr(self), record(self._fields, *map(format_share, self)))


def empirical_areas(
    negative: ClassScores, positive: ClassScores, positive_fraction: float | None = None
) -> EmpiricalAreas:
    """Compute both areas of weighted scores.

    They are those of scikit-learn for samples whose weights are scaled such that the positives have
    the share `positive_fraction`, by default their own.
    """
    if positive_fraction is None:
        positive_fraction = positive.weight.sum() / (negative.weight.sum() + positive.weight.sum())
    scores, ranks = np.unique(
        np.concatenate([negative.values, positive.values]), return_inverse=True
    )
    # Shares of each class at each score, from the highest down: their sums are the rates.
    parts = zip((negative, positive), np.split(ranks, [len(negative.values)]), strict=True)
    at = [np.bincount(rank, part.weight, len(scores))[::-1] for part, rank in parts]
    at = [weight / weight.sum() for weight in at]
    fpr, tpr = (share.cumsum() for share in at)
    precision = positive_fraction * tpr / (positive_fraction * tpr + (1 - positive_fraction) * fpr)
    # A pair of equal scores counts as half in order.
    roc_auc = at[0] @ (tpr - at[1] / 2)
    return EmpiricalAreas(min(1.0, float(roc_auc)), min(1.0, float(at[1] @ precision)))
