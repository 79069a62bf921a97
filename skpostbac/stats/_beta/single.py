"""Multiples of single Betas, in closed form by the incomplete Beta function."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, xlogy

from skpostbac._utils import Bools, Floats
from skpostbac.stats._centred import Centred, Evaluator


@dataclass(frozen=True)
class SingleBetas(Centred):
    """Multiples of one Beta each; arrays of shape (m,).

    Attributes
    ----------
    a, b : exponents at the lower and at the upper end of the support.
    size : length of the support.
    """

    a: Floats
    b: Floats
    size: Floats
    # Tails have relative accuracy as long as nothing underflows.
    least: float = field(default=1e-300, kw_only=True)

    @classmethod
    def of(cls, a: Floats, b: Floats, weight: Floats) -> "SingleBetas":
        """Return multiples of Betas with any parameters."""
        exponents = np.where(weight > 0, [a, b], [b, a])
        a, b = exponents
        n = a + b
        size = np.abs(weight)
        finite = np.where(exponents == 1, exponents[::-1] / size, 0.0)
        return cls(
            a,
            b,
            size,
            low=-size * (a / n),
            high=size * (b / n),
            deviation=size * np.sqrt(a * b / (n + 1)) / n,
            end_densities=np.where(exponents < 1, np.inf, finite),
            has_one_peak=bool((exponents >= 1).all()),
        )

    def selected(self, rows: Bools, **fields: Any) -> Self:
        return super().selected(
            rows, a=self.a[rows], b=self.b[rows], size=self.size[rows], **fields
        )

    @property
    def _columns(self) -> Floats:
        """Exponents and size as columns, shape (3, m, 1)."""
        return np.array([self.a, self.b, self.size])[..., np.newaxis]

    def evaluator(self, n_derivatives: int) -> Evaluator:
        a, b, size = self._columns

        def evaluate(y: Floats) -> Floats:
            to_low = np.clip(y - self.bounds[0], 0.0, size)
            to_high = size - to_low
            below = betainc(a, b, to_low / size)
            density = self._density(to_low, to_high)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                rise = (a - 1) / to_low
                fall = (b - 1) / to_high
                slope = rise - fall
                bend = slope**2 - rise / to_low - fall / to_high
                values = [below - 0.5, density, density * slope, density * bend]
            return np.stack(values[: n_derivatives + 1])

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        del y
        a, b, size = self._columns
        to_low, to_high = np.clip([to_low, to_high], 0.0, size)
        theta = to_low / size

        # From the closer end, so that no digits are lost.
        is_first = theta <= 0.5
        nearest = np.minimum(theta, to_high / size)
        own = np.where(is_first, a, b)
        opposite = np.where(is_first, b, a)
        inner = betainc(own, opposite, nearest)
        outer = betaincc(own, opposite, nearest)
        below = np.where(is_first, inner, outer)
        above = np.where(is_first, outer, inner)
        return np.stack([below, above, self._density(to_low, to_high)])

    def _density(self, to_low: Floats, to_high: Floats) -> Floats:
        a, b, size = self._columns
        with np.errstate(divide="ignore", over="ignore"):
            logs = xlogy(a - 1, to_low / size) + xlogy(b - 1, to_high / size)
            return np.asarray(np.exp(logs - betaln(a, b)) / size)

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        a, b, size = self._columns
        to_low = size * _beta_quantiles(a, b, p, q)
        return to_low, size * _beta_quantiles(b, a, q, p)


def _beta_quantiles(a: Floats, b: Floats, p: Floats, q: Floats) -> Floats:
    """Return quantiles of Beta(a, b) for p = 1 - q."""
    theta = np.where(p <= q, betaincinv(a, b, p), betainccinv(a, b, q))
    # Where an inverse underflows, theta^a / (a B(a, b)) is the probability below theta.
    with np.errstate(divide="ignore", over="ignore"):
        tiny = np.exp((np.log(p) + np.log(a) + betaln(a, b)) / a)
    return np.where(np.isnan(theta), np.where(p <= q, tiny, 1.0), theta)
