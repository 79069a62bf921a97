"""Bromwich integral on a vertical segment, then on one ray for each product term."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from flint import acb, arb, ctx, fmpq

from generators.balls import Values, difference, to_float
from generators.distributions import Distribution, Group
from generators.exact import multiply_terms
from generators.transforms import beta_transform, saddlepoint, tricomi

BITS = 224
LEFT, RIGHT = -1, 1
FIRST_POSITION = fmpq(-5)


class RayNode(NamedTuple):
    position: float
    s: acb
    jacobian: arb
    terms: dict[fmpq, acb]


@dataclass
class Path:
    """Nodes of the contour that leaves the real line at ``c``; the rays grow on demand."""

    c: arb
    height: arb
    segment: list[tuple[acb, acb]]
    rays: dict[int, list[RayNode]] = field(
        default_factory=lambda: {LEFT: [], RIGHT: []}
    )


class Contour:
    """Any parameters, few classes; variant 1 has another tilt, height, order and step."""

    def __init__(self, distribution: Distribution, variant: int = 0) -> None:
        self.groups, self.sd, self.width = (
            distribution.groups,
            distribution.sd,
            distribution.width,
        )
        self.order = (34, 40)[variant]
        self.step = (fmpq(1, 17), fmpq(1, 21))[variant]
        self.tilt_factor = (1.0, 1.125)[variant]
        self.base_height = arb(max(asymptotic_height(g, variant) for g in self.groups))
        self.narrowest = min(to_float(g.w) for g in self.groups)
        self.powers = smallest_powers(self.groups)
        self.paths: dict[str, Path] = {}

    def __call__(self, y: arb | fmpq) -> Values:
        with ctx.workprec(BITS):
            path, is_infinite = self.path(self.tilt(to_float(arb(y)))), False
            density, tail = segment_sums(path, arb(y))
            for k, power in self.powers.items():
                gap = difference(y, k)
                part = self.ray_sums(path, k, gap)
                density, tail = density + part[0], tail + part[1]
                is_infinite |= gap.mid() == 0 and power <= 1
            density, tail, is_lower = (
                density.imag / arb.pi(),
                tail.imag / arb.pi(),
                path.c > 0,
            )
            pdf = None if is_infinite else density
            return Values.from_tail(tail if is_lower else -tail, pdf, is_lower=is_lower)

    def tilt(self, y: float) -> arb:
        """A tilt near the saddlepoint, at least 1.5 / sd in size, on a coarse grid."""
        c = saddlepoint(self.groups, y, self.sd)
        level = max(0, round(2 * math.log2(max(abs(c) * self.sd / 1.5, 1e-9))))
        return arb(math.copysign(1.5 * 2 ** (level / 2) / self.sd, c)) * arb(
            self.tilt_factor
        )

    def path(self, c: arb) -> Path:
        key = c.str(20)
        if key not in self.paths:
            height = max(self.base_height, (abs(c) * 1.5).mid(), key=float)
            self.paths[key] = Path(c, height, self.segment(c, height))
        return self.paths[key]

    def segment(self, c: arb, height: arb) -> list[tuple[acb, acb]]:
        """Nodes and weighted transforms on panels that double in size up to a cap."""
        nodes, start, length = [], arb(0), abs(c)
        cap = arb(20) / arb(self.width)
        if abs(c) * self.narrowest > 170:  # only the nearest end contributes
            cap = max(cap, abs(c) / 8, key=float)
        while start < height:
            size = length if length < cap else cap
            if start + size > height:
                size = height - start
            for root, weight in legendre(self.order):
                s = acb(c, start + size * (1 + root) / 2).mid()
                nodes.append((s, self.transform(s) * (weight * size / 2) * acb(0, 1)))
            start = (start + size).mid()
            length = 2 * length
        return nodes

    def transform(self, s: acb) -> acb:
        value = acb(1)
        for g in self.groups:
            value *= beta_transform(g, s) ** g.m
        return value

    def ray_sums(self, path: Path, k: fmpq, gap: arb) -> tuple[acb, acb]:
        """Contributions of the term of breakpoint ``k`` to the density and the tail."""
        density, tail = acb(0), acb(0)
        last = self.last_position(abs(gap).mid(), self.powers[k])
        for node in self.ray(path, LEFT if gap > 0 else RIGHT, last):
            if node.position > last:
                break
            term = (node.s * gap).exp() * node.terms[k] * node.jacobian
            density += term
            tail += term / node.s
        return density, tail

    def last_position(self, distance: arb, power: fmpq) -> float:
        """Where a term is negligible; at its breakpoint only a power of ``s`` decays."""
        if distance == 0:
            return max(110.0 / to_float(power), -3.0)
        return max(
            math.log(130.0 * to_float(self.width) / to_float(distance)) + 0.3, -3.0
        )

    def ray(self, path: Path, direction: int, last: float) -> list[RayNode]:
        """Nodes at distance ``exp(v - exp(-v)) / width``, at least up to ``v = last``."""
        nodes = path.rays[direction]
        while not nodes or nodes[-1].position < last:
            position = FIRST_POSITION + self.step * len(nodes)
            v = arb(position)
            r = ((v - (-v).exp()).exp() / arb(self.width)).mid()
            jacobian = r * (1 + (-v).exp()) * arb(self.step) * direction
            s = acb(path.c + direction * r, path.height).mid()
            nodes.append(
                RayNode(to_float(position), s, jacobian, two_ended(self.groups, s))
            )
        return nodes


def segment_sums(path: Path, y: arb) -> tuple[acb, acb]:
    density, tail = acb(0), acb(0)
    for s, value in path.segment:
        term = (s * y).exp() * value
        density += term
        tail += term / s
    return density, tail


@cache
def legendre(order: int) -> list[tuple[arb, arb]]:
    """Nodes and weights on [-1, 1]."""
    with ctx.workprec(BITS):
        return [arb.legendre_p_root(order, k, weight=True) for k in range(order)]


def asymptotic_height(g: Group, variant: int) -> float:
    """Height from which the expansion of ``U`` for large arguments is sharp."""
    return (150 + 30 * variant + 2 * min(300.0, to_float(g.a + g.b))) / to_float(g.w)


def smallest_powers(groups: Sequence[Group]) -> dict[fmpq, fmpq]:
    """For each breakpoint ``k``, the slowest decay ``s^-power`` of its term ``C_k(s)``."""
    powers = {fmpq(0): fmpq(0)}
    for g in groups:
        for _ in range(g.m):
            grown: dict[fmpq, fmpq] = {}
            for k, power in powers.items():
                for key, value in ((k, power + g.a), (k + g.w, power + g.b)):
                    grown[key] = min(value, grown.get(key, value))
            powers = grown
    return powers


def two_ended(groups: Sequence[Group], s: acb) -> dict[fmpq, acb]:
    """Terms ``C_k(s)`` of the transform ``sum_k exp(-s k) C_k(s)``, above the real line."""
    pi, terms = arb.pi(), {fmpq(0): acb(1)}
    for g in groups:
        a, b = arb(g.a), arb(g.b)
        front = (a + b).gamma()
        lower = (
            front
            * b.rgamma()
            * (acb(0, -1) * pi * a).exp()
            * tricomi(g.a, g.b, -g.w, s)
        )
        upper = (
            front * a.rgamma() * (acb(0, 1) * pi * b).exp() * tricomi(g.b, g.a, g.w, s)
        )
        for _ in range(g.m):
            terms = multiply_terms(terms, {fmpq(0): lower, g.w: upper})
    return terms
