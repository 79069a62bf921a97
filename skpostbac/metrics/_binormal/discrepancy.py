"""Distance between the binormal and the empirical areas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import logit

from skpostbac._utils import Floats
from skpostbac.metrics._binormal import curves as binormal
from skpostbac.metrics._binormal.class_scores import ClassScores, ScoreMoments
from skpostbac.metrics._binormal.empirical_areas import empirical_areas

# The largest number below 1, so that log-odds of areas are finite.
_NEXT_TO_ONE = np.nextafter(1, 0)


class Discrepancy(NamedTuple):
    """An area of the binormal model, and the same of the samples."""

    name: str
    binormal: float
    empirical: float
    size: float
    """Distance of their log-odds, in posterior standard deviations."""


def largest_discrepancy(negative: ClassScores, positive: ClassScores) -> Discrepancy:
    """Return that of the area, under the ROC or the precision-recall curve, which is off most.

    The size is nan where the scales of the classes are too different for floating-point numbers.
    """
    with np.errstate(all="ignore"):
        return max(_discrepancies(negative, positive), key=lambda area: area.size)


def _discrepancies(negative: ClassScores, positive: ClassScores) -> Iterator[Discrepancy]:
    distributions = negative.moments(), positive.moments()
    # The coarser the samples, the less their areas can tell: half a step is no difference. These
    # are the steps next to an area of 1, where the lowest positive passes the highest negative.
    n, p = distributions[0].n, distributions[1].n
    steps = {"area under the ROC curve": 1 / (n * p), "average precision": 1 / (p * (p + 1))}
    observed = empirical_areas(negative, positive)
    for (name, step), areas, empirical in zip(
        steps.items(), _nearby_areas(*distributions), observed, strict=True
    ):
        size = _distance(areas, empirical, step / 2)
        yield Discrepancy(name, float(areas[0]), empirical, size)


def _nearby_areas(negative: ScoreMoments, positive: ScoreMoments) -> tuple[Floats, Floats]:
    """Return both areas of the estimate, and a posterior standard deviation to both sides of it.

    The parameters are the means, the errors of which are s / sqrt(n), and the logarithms of the
    standard deviations, with errors of 1 / sqrt(2 (n - 1)).
    """
    centre, errors = np.array(
        [
            pair
            for n, mean, sd in (negative, positive)
            for pair in ((mean, sd / np.sqrt(n)), (np.log(sd), 1 / np.sqrt(2 * (n - 1))))
        ]
    ).T
    steps = np.diag(errors)
    mean_n, log_n, mean_p, log_p = (centre + np.vstack([0 * errors, steps, -steps])).T
    shapes = binormal.standardise(mean_n, np.exp(log_n), mean_p, np.exp(log_p))
    log_odds = np.full(len(mean_n), np.log(positive.n / negative.n))
    return binormal.roc_auc(*shapes), binormal.average_precision(*shapes, log_odds)


def _distance(areas: Floats, empirical: float, tolerance: float) -> float:
    """Return how far an empirical area is from the first one, in errors by the delta method.

    Log-odds of areas are more nearly normal than areas, which cannot be above 1.
    """
    centre, *sides = logit(areas.clip(1 - _NEXT_TO_ONE, _NEXT_TO_ONE))
    error = np.linalg.norm(np.array(sides[:4]) - sides[4:]) / 2
    low, high = logit(np.clip([empirical - tolerance, empirical + tolerance], 0, 1))
    distance = max(low - centre, centre - high, 0.0)
    return float(np.divide(distance, error)) if distance else 0.0
