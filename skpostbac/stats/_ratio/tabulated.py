"""Base class of ratios whose log-odds have a density that is tabulated to two depths."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._distribution import DEPTH, LogitDensity, LogitTable

# Smaller log tails than this come from a deeper table: beyond the end of the first table, at -64,
# the log density is extrapolated by straight lines. The second table ends at the other depth.
_FAR, _DEEP = -44.0, 800.0


class TabulatedRatio(LogitTable):
    """Base class of ratios; subclasses tabulate the density of the log-odds to a depth."""

    @abstractmethod
    def _tabulated(self, depth: float) -> LogitDensity:
        """Tabulate the density, until it is below exp(-depth) of its largest value."""

    @cached_property
    def _table(self) -> LogitDensity:
        return self._tabulated(DEPTH)

    @cached_property
    def _deep_table(self) -> LogitDensity:
        return self._tabulated(_DEEP)

    def __repr__(self) -> str:
        """Show the mean and the standard deviation."""
        sd = self.standard_deviation()
        return f"{type(self).__name__}(mean={self.mean():.4g}, sd={sd:.4g})"

    def _logs_at(self, u: Floats) -> tuple[Floats, Floats, Floats]:
        logs = np.stack(super()._logs_at(u))
        far = logs[:2].min(axis=0) < _FAR
        if far.any():
            logs[:, far] = np.stack(self._deep_table.logs_at(u[far]))
        return logs[0], logs[1], logs[2]

    def _quantiles(self, log_p: Floats, log_q: Floats) -> Floats:
        u = super()._quantiles(log_p, log_q)
        far = np.minimum(log_p, log_q) < _FAR
        if far.any():
            u[far] = self._deep_table.quantiles(log_p[far], log_q[far])
        return u
