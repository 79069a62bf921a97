"""Sums of one Beta each, by the incomplete Beta function.

Places are distances from the mean, seen from that end of the support which is nearer to it.
"""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, xlogy

from skpostbac._utils import Bools, Floats
from skpostbac.stats._series import Centred, Evaluator


@dataclass(frozen=True)
class SingleBetas(Centred):
    """Multiples of one Beta each, reflected so that a <= b; arrays of shape (m,).

    Attributes
    ----------
    a, b : parameters of the share of the support.
    weight : length of the support, negative if the share begins at its upper end.
    """

    a: Floats
    b: Floats
    weight: Floats
    # Tails have relative accuracy as long as nothing underflows.
    least: float = field(default=1e-300, kw_only=True)

    @classmethod
    def of(cls, a: Floats, b: Floats, weight: Floats) -> "SingleBetas":
        """Return multiples of Betas with any parameters."""
        weight, a, b = np.where(a > b, -weight, weight), np.minimum(a, b), np.maximum(a, b)
        n, size, is_up = a + b, np.abs(weight), weight > 0
        near, far = size * (a / n), size * (b / n)
        ends = []
        for e, o in ((a, b), (b, a)):
            ends.append(np.where(e < 1, np.inf, np.where(e == 1, o / size, 0.0)))
        return cls(
            *(a, b, weight),
            low=np.where(is_up, -near, -far),
            high=np.where(is_up, far, near),
            deviation=size * np.sqrt(a * b / (n + 1)) / n,
            end_densities=np.where(is_up, ends, ends[::-1]),
            has_one_peak=bool((a >= 1).all()),
        )

    def chosen(self, rows: Bools, **own: Any) -> Self:
        return super().chosen(rows, a=self.a[rows], b=self.b[rows], weight=self.weight[rows], **own)

    def evaluator(self, n_derivatives: int) -> Evaluator:
        a, b, weight = (x[:, np.newaxis] for x in (self.a, self.b, self.weight))

        def evaluate(y: Floats) -> Floats:
            x = np.clip(a / (a + b) + y / weight, 0.0, 1.0)
            rest = 1 - x
            excess = np.where(weight > 0, betainc(a, b, x), betaincc(a, b, x)) - 0.5
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                density = np.exp(xlogy(a - 1, x) + xlogy(b - 1, rest) - betaln(a, b))
                rate = (a - 1) / x - (b - 1) / rest
                turn = rate**2 - (a - 1) / x**2 - (b - 1) / rest**2
                slopes = [density / np.abs(weight), rate / weight, turn / weight**2]
                values = [excess, slopes[0], slopes[0] * slopes[1], slopes[0] * slopes[2]]
            return np.stack(values[: n_derivatives + 1])

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        del y
        a, b, weight = (x[:, np.newaxis] for x in (self.a, self.b, self.weight))
        is_up, size = weight > 0, np.abs(weight)
        ends = np.where(is_up, [to_low, to_high], [to_high, to_low])
        x, rest = np.clip(ends, 0.0, size) / size
        is_near = x <= 0.5
        near = np.where(is_near, betainc(a, b, x), betaincc(b, a, rest))
        far = np.where(is_near, betaincc(a, b, x), betainc(b, a, rest))
        with np.errstate(divide="ignore", over="ignore"):
            log_density = xlogy(a - 1, x) + xlogy(b - 1, rest) - betaln(a, b)
            density = np.exp(log_density) / size
        return np.stack([np.where(is_up, near, far), np.where(is_up, far, near), density])

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        is_up, size = self.weight > 0, np.abs(self.weight)[:, np.newaxis]
        first, last = np.where(is_up, [self.a, self.b], [self.b, self.a])[..., np.newaxis]
        return size * _share(first, last, p, q), size * _share(last, first, q, p)


def _share(a: Floats, b: Floats, p: Floats, q: Floats) -> Floats:
    """Return the quantile of Beta(a, b) for p = 1 - q."""
    share = np.where(p <= q, betaincinv(a, b, p), betainccinv(a, b, q))
    # Where an inverse underflows, x^a / (a B(a, b)) is the probability below x.
    with np.errstate(divide="ignore"):
        tiny = np.exp((np.log(p) + np.log(a) + betaln(a, b)) / a)
    return np.asarray(np.where(np.isnan(share), np.where(p <= q, tiny, 1.0), share))
