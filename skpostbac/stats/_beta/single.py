"""Multiples of single Betas, in closed form by the incomplete Beta function."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, xlogy

from skpostbac._utils import Bools, Floats
from skpostbac.stats._centred import Centred, Evaluator


@dataclass(frozen=True)
class SingleBetas(Centred):
    """Multiples of one Beta each, reflected so that a <= b; arrays of shape (m,).

    Attributes
    ----------
    a, b : parameters of theta, the share of the support.
    weight : length of the support, negative if theta is zero at the upper end.
    """

    a: Floats
    b: Floats
    weight: Floats
    # Tails have relative accuracy as long as nothing underflows.
    least: float = field(default=1e-300, kw_only=True)

    @classmethod
    def of(cls, a: Floats, b: Floats, weight: Floats) -> "SingleBetas":
        """Return multiples of Betas with any parameters."""
        weight = np.where(a > b, -weight, weight)
        exponents = np.sort([a, b], axis=0)
        a, b = exponents
        n = a + b
        size = np.abs(weight)
        is_up = weight > 0

        to_zero = size * (a / n)
        to_one = size * (b / n)
        finite = np.where(exponents == 1, exponents[::-1] / size, 0.0)
        ends = np.where(exponents < 1, np.inf, finite)
        return cls(
            a,
            b,
            weight,
            low=np.where(is_up, -to_zero, -to_one),
            high=np.where(is_up, to_one, to_zero),
            deviation=size * np.sqrt(a * b / (n + 1)) / n,
            end_densities=np.where(is_up, ends, ends[::-1]),
            has_one_peak=bool((a >= 1).all()),
        )

    def selected(self, rows: Bools, **fields: Any) -> Self:
        return super().selected(
            rows, a=self.a[rows], b=self.b[rows], weight=self.weight[rows], **fields
        )

    def evaluator(self, n_derivatives: int) -> Evaluator:
        a, b, weight = (x[:, np.newaxis] for x in (self.a, self.b, self.weight))

        def evaluate(y: Floats) -> Floats:
            theta = np.clip(a / (a + b) + y / weight, 0.0, 1.0)
            other = 1 - theta
            cdf = np.where(weight > 0, betainc(a, b, theta), betaincc(a, b, theta))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                density = np.exp(
                    xlogy(a - 1, theta) + xlogy(b - 1, other) - betaln(a, b)
                )
                rate = (a - 1) / theta - (b - 1) / other
                curvature = rate**2 - (a - 1) / theta**2 - (b - 1) / other**2
                density /= np.abs(weight)
                slope = density * (rate / weight)
                values = [cdf - 0.5, density, slope, density * (curvature / weight**2)]
            return np.stack(values[: n_derivatives + 1])

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        del y
        a, b, weight = (x[:, np.newaxis] for x in (self.a, self.b, self.weight))
        is_up = weight > 0
        size = np.abs(weight)
        ends = np.where(is_up, [to_low, to_high], [to_high, to_low])
        theta, other = np.clip(ends, 0.0, size) / size

        # From the closer end, so that no digits are lost.
        is_first = theta <= 0.5
        below = np.where(is_first, betainc(a, b, theta), betaincc(b, a, other))
        above = np.where(is_first, betaincc(a, b, theta), betainc(b, a, other))
        with np.errstate(divide="ignore", over="ignore"):
            log_density = xlogy(a - 1, theta) + xlogy(b - 1, other) - betaln(a, b)
            density = np.exp(log_density) / size
        lower = np.where(is_up, below, above)
        upper = np.where(is_up, above, below)
        return np.stack([lower, upper, density])

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        size = np.abs(self.weight)[:, np.newaxis]
        exponents = np.where(self.weight > 0, [self.a, self.b], [self.b, self.a])
        first, last = exponents[..., np.newaxis]
        return (
            size * _beta_quantiles(first, last, p, q),
            size * _beta_quantiles(last, first, q, p),
        )


def _beta_quantiles(a: Floats, b: Floats, p: Floats, q: Floats) -> Floats:
    """Return quantiles of Beta(a, b) for p = 1 - q."""
    theta = np.where(p <= q, betaincinv(a, b, p), betainccinv(a, b, q))
    # Where an inverse underflows, theta^a / (a B(a, b)) is the probability below theta.
    with np.errstate(divide="ignore", over="ignore"):
        tiny = np.exp((np.log(p) + np.log(a) + betaln(a, b)) / a)
    return np.where(np.isnan(theta), np.where(p <= q, tiny, 1.0), theta)
