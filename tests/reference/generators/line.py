"""Trapezoidal rule on the vertical line through the saddlepoint."""

import math
from collections.abc import Iterator
from itertools import count

from flint import acb, arb, ctx, fmpq

from generators.balls import Values, difference, log_beta_constant, to_float
from generators.distributions import Distribution, Group
from generators.transforms import beta_transform, bisected, logit_mode, tilted_class

BITS = 320
MAX_NODES = 20_000


class Line:
    """Transforms that decay fast; variant 1 has another tilt and other steps."""

    def __init__(self, distribution: Distribution, variant: int = 0) -> None:
        self.groups, self.mean, self.sd = (
            distribution.groups,
            distribution.mean_above_lower,
            distribution.sd,
        )
        self.variant = variant
        self.concentrated_from = (15, 30)[variant]
        self.aliasing_exponent = (125, 150)[variant]
        self.tilt_factor = (1.0, 1.06)[variant]
        self.tables: dict[str, list[tuple[acb, acb]]] = {}

    def __call__(self, y: arb | fmpq) -> Values:
        with ctx.workprec(BITS):
            c = self.tilt(to_float(arb(y)))
            gap = difference(y, self.mean)
            tail, density = arb(0), arb(0)
            for s, value in self.table(c):
                term = (s * gap).exp() * value
                density += term.real
                tail += (term / s).real
            tail, is_lower = tail / arb.pi(), c > 0
            return Values.from_tail(
                tail if is_lower else -tail, density / arb.pi(), is_lower=is_lower
            )

    def tilt(self, y: float) -> arb:
        """A tilt near the saddlepoint, at least 1 / sd in size, on a coarse grid."""
        sign = 1.0 if y < to_float(self.mean) else -1.0

        def ahead(c: float) -> bool:
            mean = sum(
                g.m * to_float(g.w) * logit_mode(g, sign * c) for g in self.groups
            )
            return sign * (mean - y) > 0

        c = bisected(ahead, 1.0 / self.sd, 1e9)
        level = max(0, round(4 * math.log2(max(c * self.sd, 1e-9))))
        return arb(sign * (2 ** (level / 4) * self.tilt_factor / self.sd))

    def table(self, c: arb) -> list[tuple[acb, acb]]:
        key = c.str(20)
        if key not in self.tables:
            self.tables[key] = self.nodes(c, self.step(to_float(c)))
        return self.tables[key]

    def step(self, c: float) -> arb:
        """A step whose aliasing error is negligible beside the Chernoff bound of the tail."""
        parts = [(g.m, *tilted_class(g, c)) for g in self.groups]
        log_bound = sum(
            m * (log_transform + c * mean) for m, mean, log_transform in parts
        )
        return arb(
            2 * math.pi * abs(c) / (1.1 * abs(log_bound) + self.aliasing_exponent)
        )

    def nodes(self, c: arb, h: arb) -> list[tuple[acb, acb]]:
        """``s`` and the transform of the centred distribution, whose values stay near one."""
        mean, nodes = arb(self.mean), []
        transforms = [(g.m, self.transforms(g, c, h)) for g in self.groups]
        for k in range(MAX_NODES + 1):
            s = acb(c, h * k).mid()
            value = h * (s * mean).exp()
            for m, values in transforms:
                value *= next(values) ** m
            nodes.append((s, value if k else value / 2))
            if abs(value).mid() < 2 * abs(nodes[0][1]).mid() * arb(10) ** -48:
                return nodes
        raise ArithmeticError("line: transform decays too slowly")

    def transforms(self, g: Group, c: arb, h: arb) -> Iterator[acb]:
        """``E exp(-s w theta)`` at ``s = c + i h k`` for k = 0, 1, 2, ..."""
        if min(g.a, g.b) >= self.concentrated_from:
            return logit_transforms(g, c, h, self.variant)
        return (beta_transform(g, acb(c, h * k).mid()) for k in count())


def logit_transforms(g: Group, c: arb, h: arb, variant: int) -> Iterator[acb]:
    """The same for a concentrated class, by the trapezoidal rule in the logit of ``theta``."""
    position, scale = logit_peak(g, to_float(c))
    step = arb((0.12, 0.1)[variant] * scale)
    centre = arb(math.floor((1 / (1 + math.exp(-position))) * 2**40) / 2**40)
    nodes = list(logit_nodes(g, c, arb(position), step, centre))
    terms = [acb(step * density) for _, density in nodes]
    turns = [(acb(0, -1) * h * arb(g.w) * theta).exp() for theta, _ in nodes]
    for k in count():
        yield sum(terms, acb(0)) * (-acb(c, h * k) * arb(g.w) * centre).exp()
        terms = [term * turn for term, turn in zip(terms, turns, strict=True)]


def logit_peak(g: Group, c: float) -> tuple[float, float]:
    """Position and width of the peak of the tilted density in the logit."""
    a, b, cw = to_float(g.a), to_float(g.b), c * to_float(g.w)
    t = logit_mode(g, c)
    position = (
        math.log(t / (1 - t)) if t < 0.5 else -math.log(logit_mode(g.mirrored, -c) / t)
    )
    return position, 1 / math.sqrt(t * (1 - t) * (a + b + cw * (1 - 2 * t)))


def logit_nodes(
    g: Group, c: arb, position: arb, step: arb, centre: arb
) -> Iterator[tuple[arb, arb]]:
    """``theta - centre`` and its tilted logit density, outwards until that is negligible."""
    a, b, w = arb(g.a), arb(g.b), arb(g.w)
    constant = log_beta_constant(a, b)
    for direction, first in ((1, 0), (-1, 1)):
        peak = -math.inf
        for k in count(first):
            u = position + direction * k * step
            theta = 1 / (1 + (-u).exp()) - centre
            log_density = (
                -(a * (1 + (-u).exp()).log()) - b * (1 + u.exp()).log() + constant
            )
            log_density -= c * w * theta
            peak = max(peak, to_float(log_density))
            if to_float(log_density) < peak - 160 and k > 3:
                break
            yield theta, log_density.exp()
