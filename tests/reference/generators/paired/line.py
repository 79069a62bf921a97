"""Trapezoidal rule on the vertical line through the saddlepoint."""

import math
from collections.abc import Iterator
from itertools import count

from flint import acb, arb, ctx

from generators import line
from generators.balls import to_float
from generators.paired.distributions import Distribution, Group, saddlepoint, tilted
from generators.paired.transforms import FullLoop, Taylor, share

MANY_SAMPLES = 150


class Line(line.Line):
    """Transforms that decay fast; variant 1 has another tilt and other steps."""

    def __init__(self, distribution: Distribution, variant: int = 0) -> None:
        self.distribution, self.groups = distribution, distribution.groups
        self.mean, self.sd, self.variant = (
            distribution.mean_above_lower,
            distribution.sd,
            variant,
        )
        self.aliasing_exponent = (110, 125)[variant]
        self.tilt_factor = (1.0, 1.06)[variant]
        self.tables: dict[str, list[tuple[acb, acb]]] = {}
        with ctx.workprec(line.BITS):
            self.taylor = [Taylor(g) for g in self.groups]

    def tilt(self, y: float) -> arb:
        """A tilt near the saddlepoint, at least 1 / sd in size, on a coarse grid."""
        c = saddlepoint(self.distribution, y)
        level = max(0, round(4 * math.log2(max(abs(c) * self.sd, 1e-9))))
        return arb(math.copysign(2 ** (level / 4) * self.tilt_factor / self.sd, c))

    def step(self, c: float) -> arb:
        """A step whose aliasing error is negligible beside the Chernoff bound of the tail."""
        log_value, mean = tilted(self.groups, c)
        log_bound = log_value + c * mean
        return arb(
            2 * math.pi * abs(c) / (1.1 * abs(log_bound) + self.aliasing_exponent)
        )

    def transforms(self, g: Group, c: arb, h: arb) -> Iterator[acb]:
        """``E exp(-s y)`` at ``s = c + i h k`` for k = 0, 1, 2, ..."""
        transform = self.taylor[self.groups.index(g)]
        if g.n > MANY_SAMPLES:
            transform = FullLoop(g, to_float(-c * arb(g.w)), self.variant)
        for k in count():
            z = share(g.w, acb(c, h * k).mid())
            yield transform(z.mid()) * z.exp()
