"""Sums of classes that borrow from shared rates: what an inversion asks of them."""

from functools import cached_property

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Floats
from skpostbac.stats._hierarchical.class_group import ClassGroup
from skpostbac.stats._hierarchical.end_mixture import EndMixture, log_end_tail
from skpostbac.stats._hierarchical.tilted import TiltedGroup
from skpostbac.stats._hierarchical.tilted_sum import TiltedGroupSum
from skpostbac.stats._numerics import log_beta


class WeightedGroups:
    """A sum over groups of classes, at all of their nodes."""

    def __init__(self, groups: tuple[ClassGroup, ...]) -> None:
        self.groups = groups

    @cached_property
    def standard_deviation(self) -> float:
        """Standard deviation of the sum."""
        return float(np.sqrt(sum(group.central_moments[0] for group in self.groups)))

    def mirrored(self) -> "WeightedGroups":
        """Return minus the sum."""
        return type(self)(tuple(group.mirrored() for group in self.groups))

    @cached_property
    def order(self) -> float:
        """Power with which the upper tail vanishes at the upper end of the support."""
        return float(sum(_end_order(group) for group in self.groups))

    @cached_property
    def close(self) -> float:
        """Distance from an end of the support within which only leading powers count."""
        least = min(float(np.abs(group.kinds.weights).min()) for group in self.groups)
        most = max(float((group.a + group.b).max()) for group in self.groups)
        return 1e-18 * least / most

    def log_end_tail(self, distance: Floats) -> tuple[Floats, Floats]:
        """Log upper tail and log density close to the upper end: mixtures of powers."""
        values = [log_end_tail(self._end_mixtures, float(np.log(y))) for y in distance]
        log_tail, log_pdf = np.reshape(values, (-1, 2)).T
        return log_tail, log_pdf

    @cached_property
    def _end_mixtures(self) -> list[EndMixture]:
        return [EndMixture.of(group) for group in self.groups]

    def log_end_density(self, distance: Floats) -> Floats:
        """Limit of the log density at the upper end of the support."""
        if self.order != 1:
            return np.full(distance.shape, np.inf if self.order < 1 else -np.inf)
        return np.full(distance.shape, sum(map(_log_end_factor, self.groups)))

    def tilted(self, c: float, *, from_end: bool = False) -> "TiltedGroupSum":
        """Tilt by exp(c x); positions are distances from the mean, or from the upper end."""
        groups = [self._tilted(group, c, from_end) for group in self.groups]
        return TiltedGroupSum(groups, c, self.standard_deviation)

    def _tilted(self, group: ClassGroup, c: float, from_end: bool) -> TiltedGroup:
        return TiltedGroup(group, c, from_end)


class FarGroups(WeightedGroups):
    """A sum with so many nodes that it needs those that count under a tilt alone."""

    def _tilted(self, group: ClassGroup, c: float, from_end: bool) -> TiltedGroup:
        return TiltedGroup(group, c, from_end).at_nodes(group.counted(c))


def _end_order(group: ClassGroup) -> float:
    """Least power of a group at the upper end: that of outliers, if there may be any."""
    up = group.kinds.weights > 0
    if group.outlier:
        return float((group.kinds.count * np.where(up, group.outlier_b, group.outlier_a)).sum())
    return float((np.where(up, group.b, group.a) @ group.kinds.count).min())


def _log_end_factor(group: ClassGroup) -> float:
    """Log of what outliers alone contribute to the density at the upper end."""
    kinds, up = group.kinds, group.kinds.weights > 0
    near = np.where(up, group.outlier_b, group.outlier_a)
    far = np.where(up, group.outlier_a, group.outlier_b)
    factors = gammaln(near) - log_beta(near, far) - near * np.log(np.abs(kinds.weights))
    with np.errstate(divide="ignore"):
        logs = group.nodes.log_weights + np.log(group.nodes.outlier) @ kinds.count
    return float(np.logaddexp.reduce(logs) + (kinds.count * factors).sum())
