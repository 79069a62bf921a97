"""Expansion of the transform of a class under a hierarchical prior at its two ends.

In each state of its stratum the class is a mixture of a borrower and an outlier, both Betas. The
contribution of an end to its transform is the mixture of their contributions
(`skpostbac.stats._tilted.ends`), each a power s^-near times a series in 1 / s. The exponents differ
between states, so there is a contribution for each state; those below 1e-18 are left out.
"""

from dataclasses import dataclass, replace

import numpy as np

from skpostbac._utils import Bools, Complexes, Floats
from skpostbac.stats._numerics import NEGLIGIBLE
from skpostbac.stats._tilted import end_share, log_leading_share

# Shares below this are left out.
_LOG_NEGLIGIBLE = float(np.log(NEGLIGIBLE))


@dataclass(frozen=True)
class MixedEnd:
    """One end of a weighted class, in all states of its stratum.

    Attributes
    ----------
    lower : whether it is the lower end.
    size : modulus of the weight.
    near, far : exponents of a borrower at this end and at the other one, shape (n_states,).
    log_factor : log of the factors of its shares, shape (n_states,).
    outlier_near, outlier_far : exponents of an outlier, shape (1,).
    log_outlier_factor : log of the factors of its shares, shape (n_states,).
    """

    lower: bool
    size: float
    near: Floats
    far: Floats
    log_factor: Floats
    outlier_near: Floats
    outlier_far: Floats
    log_outlier_factor: Floats

    def where(self, kept: Bools) -> "MixedEnd":
        """Return the end in some of the states."""
        return replace(
            self,
            near=self.near[kept],
            far=self.far[kept],
            log_factor=self.log_factor[kept],
            log_outlier_factor=self.log_outlier_factor[kept],
        )

    def scaled(self, logs: Floats | float) -> "MixedEnd":
        """Return the end with shares times exp(logs), shape (n_states,)."""
        return replace(
            self,
            log_factor=self.log_factor + logs,
            log_outlier_factor=self.log_outlier_factor + logs,
        )

    def leading(self, radius: float) -> tuple[Floats, Floats]:
        """Log modulus of the leading terms at a modulus of s, and their order, in each state."""
        own = log_leading_share(self.near, self.far, self.size * radius) + self.log_factor
        other = log_leading_share(self.outlier_near, self.outlier_far, self.size * radius)
        log_sum = np.logaddexp(own, self.log_outlier_factor + other)
        share = np.exp(own - log_sum)
        return log_sum, share * self.near + (1 - share) * self.outlier_near

    def growth_order(self, height: float) -> float:
        """Largest exponent of the shares that count at a modulus of s."""
        return float(self.near[self._counted(height)].max(initial=float(self.outlier_near[0])))

    def shares(self, s: Complexes) -> Complexes:
        """Amplitudes at some s, shape (n_states, n); those that are negligible are zero."""
        height = float(np.abs(s).min())
        counted = self._counted(height)
        table = np.zeros((self.near.size, s.size), dtype=complex)
        if counted.any():
            near, far, log_factor = self.near[counted], self.far[counted], self.log_factor[counted]
            table[counted] = self._share(near, far, s, log_factor)
        table += self.outlier_shares(s)
        return table

    def outlier_shares(self, s: Complexes) -> Complexes:
        """Amplitudes of an outlier alone; they are the same in all states, but for a factor."""
        height = float(np.abs(s).min())
        leading = log_leading_share(self.outlier_near, self.outlier_far, self.size * height)
        outlier = self._share(self.outlier_near, self.outlier_far, s, -leading)
        return np.exp(self.log_outlier_factor + leading)[:, np.newaxis] * outlier

    def _counted(self, height: float) -> Bools:
        """Find the states in which a share counts: its modulus falls with that of s."""
        leading = log_leading_share(self.near, self.far, self.size * height)
        return np.asarray(self.log_factor + leading > _LOG_NEGLIGIBLE)

    def _share(self, near: Floats, far: Floats, s: Complexes, log_factor: Floats) -> Complexes:
        lower, size = np.full(near.size, self.lower), np.full(near.size, self.size)
        return end_share(near, far, size, s, log_factor, lower)
