"""Bromwich integral on a vertical segment, then on one ray for each product term."""

import math
from collections.abc import Sequence

from flint import acb, arb, fmpq

from generators import contour
from generators.balls import to_float
from generators.contour import FIRST_POSITION, LEFT, RIGHT, RayNode
from generators.exact import multiply_terms
from generators.paired.distributions import Distribution, Group, saddlepoint
from generators.paired.transforms import (
    Ends,
    MiddleLoop,
    Taylor,
    has_large_agreement,
    share,
    wide_height,
)


class Contour(contour.Contour):
    """Any cells, few classes; variant 1 has another tilt, height, order and step."""

    def __init__(self, distribution: Distribution, variant: int = 0) -> None:
        self.distribution, self.groups, self.sd, self.width = (
            distribution,
            distribution.groups,
            distribution.sd,
            distribution.width,
        )
        self.order = (34, 40)[variant]
        self.step = (fmpq(1, 17), fmpq(1, 21))[variant]
        self.tilt_factor = (1.0, 1.125)[variant]
        self.heights = [wide_height(g, variant) / to_float(g.w) for g in self.groups]
        self.base_height = arb(max(self.heights))
        self.narrowest = min(to_float(g.w) for g in self.groups)
        # The loop around 0 is the transform of a class that agrees as long as |z| < n.
        near = (0.97, 0.95)[variant]
        alike = [
            near * to_float(g.n / g.w) for g in self.groups if has_large_agreement(g)
        ]
        self.largest_tilt = min(alike, default=math.inf)
        self.powers = smallest_powers(self.groups)
        self.paths: dict[str, contour.Path] = {}
        with contour.ctx.workprec(contour.BITS):
            self.taylor = [Taylor(g) for g in self.groups]
            self.ends = [
                MiddleLoop(g, variant) if has_large_agreement(g) else Ends(g)
                for g in self.groups
            ]

    def tilt(self, y: float) -> arb:
        """A tilt near the saddlepoint, at least 1.5 / sd in size, on a coarse grid."""
        c = saddlepoint(self.distribution, y)
        level = max(0, round(2 * math.log2(max(abs(c) * self.sd / 1.5, 1e-9))))
        size = min(
            1.5 * 2 ** (level / 2) / self.sd * self.tilt_factor, self.largest_tilt
        )
        return arb(math.copysign(size, c))

    def last_position(self, distance: arb, power: fmpq) -> float:
        """Where a term is negligible; at its breakpoint only a power of ``s`` decays."""
        if distance == 0:
            return (
                110.0 / to_float(power)
                + math.log(to_float(self.width) * to_float(self.base_height))
                + 1
            )
        return super().last_position(distance, power)

    def path(self, c: arb) -> contour.Path:
        """Beside a class that agrees no higher than needed: its transform varies slowly."""
        key = c.str(20)
        if key not in self.paths and any(map(has_large_agreement, self.groups)):
            self.paths[key] = contour.Path(
                c, self.base_height, self.segment(c, self.base_height)
            )
        return super().path(c)

    def transform(self, s: acb) -> acb:
        """``E exp(-s y)`` of the distance ``y`` above the lower end."""
        value, size = acb(1), to_float(abs(s).mid())
        for g, height, taylor, ends in zip(
            self.groups, self.heights, self.taylor, self.ends, strict=True
        ):
            z = share(g.w, s)
            is_far = size > height and (
                to_float(s.imag) > 0.2 * size or size > 1.5 * height
            )
            by_series = isinstance(ends, MiddleLoop) or not is_far
            found = taylor(z.mid()) if by_series else ends.transform(z)
            value *= (found * z.exp()) ** g.m
        return value

    def ray_sums(self, path: contour.Path, k: fmpq, gap: arb) -> tuple[acb, acb]:
        """Contributions of the term of corner ``k``; at the corner, on the ray away from zero."""
        if gap != 0:
            return super().ray_sums(path, k, gap)
        density, tail = acb(0), acb(0)
        last = self.last_position(arb(0), self.powers[k])
        for node in self.ray(path, 2 * (RIGHT if path.c > 0 else LEFT), last):
            density += node.terms[k] * node.jacobian
            tail += node.terms[k] * node.jacobian / node.s
        return density, tail

    def ray(self, path: contour.Path, direction: int, last: float) -> list[RayNode]:
        """Nodes at distance ``exp(v - exp(-v)) / width``, at least up to ``v = last``.

        A ray towards zero, low above the real line, passes close to a singularity and has finer
        nodes; ``direction`` is twice as large for a ray that does not.
        """
        nodes, step = path.rays.setdefault(direction, []), self.step
        if abs(direction) == 1:
            step /= max(1, math.ceil(to_float(abs(path.c)) / to_float(path.height)))
        direction = RIGHT if direction > 0 else LEFT
        while not nodes or nodes[-1].position < last:
            position = FIRST_POSITION + step * len(nodes)
            v = arb(position)
            r = ((v - (-v).exp()).exp() / arb(self.width)).mid()
            jacobian = r * (1 + (-v).exp()) * arb(step) * direction
            s = acb(path.c + direction * r, path.height).mid()
            nodes.append(RayNode(to_float(position), s, jacobian, self.three_ended(s)))
        return nodes

    def three_ended(self, s: acb) -> dict[fmpq, acb]:
        """Terms ``C_k(s)`` of the transform ``sum_k exp(-s k) C_k(s)``, above the real line."""
        terms = {fmpq(0): acb(1)}
        for g, ends in zip(self.groups, self.ends, strict=True):
            found = {
                (1 + sign) * g.w: value for sign, value in ends(share(g.w, s)).items()
            }
            for _ in range(g.m):
                terms = multiply_terms(terms, found)
        return terms


def smallest_powers(groups: Sequence[Group]) -> dict[fmpq, fmpq]:
    """For each corner ``k``, the slowest decay ``s^-power`` of its term ``C_k(s)``."""
    powers = {fmpq(0): fmpq(0)}
    for g in groups:
        steps = [(g.w, g.a + g.b)]
        if not has_large_agreement(g):
            steps += [(fmpq(0), g.b + g.r), (2 * g.w, g.a + g.r)]
        for _ in range(g.m):
            grown: dict[fmpq, fmpq] = {}
            for k, power in powers.items():
                for shift, decay in steps:
                    key = k + shift
                    grown[key] = min(power + decay, grown.get(key, power + decay))
            powers = grown
    return powers
