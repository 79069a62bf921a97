"""The most concentrated class integrated against the exact distribution of the others."""

import math
from itertools import pairwise

from flint import arb, ctx, fmpq

from generators.balls import Values, binary_value, to_float
from generators.contour import legendre
from generators.paired.distributions import Distribution, corners
from generators.paired.piecewise import Pieces
from generators.paired.single import Single

BITS = 256
ORDERS = (30, 36)
REACH = 30  # standard deviations of the class, or decay lengths of one that agrees, on each side
NEGLIGIBLE = -60  # in logs, what may lie beyond


class Real:
    """Very unequal scales, integer cells; variant 1 has another order and other panels."""

    def __init__(self, distribution: Distribution, variant: int = 0) -> None:
        self.outer, *others = sorted(
            distribution.groups, key=lambda g: to_float(g.w**2 * g.cumulants[1])
        )
        if self.outer.m > 1:
            raise ArithmeticError("real: not this distribution")
        self.single, self.inner = Single(self.outer, variant), Pieces(others)
        self.corners = sorted(corners(others))
        self.order = ORDERS[variant]
        self.cuts = self.find_cuts((1.0, 0.83)[variant])
        self.known: dict[tuple[fmpq, fmpq], list[tuple[arb, arb]]] = {}

    def find_cuts(self, size: float) -> list[fmpq]:
        """Ends of panels of a few standard deviations, and the kink at zero."""
        mean, variance, *_ = self.outer.cumulants
        sd = math.sqrt(to_float(variance))
        # A class that agrees has exponential tails, and a kink at zero.
        reach = REACH if to_float(self.outer.a + self.outer.b) > 60 else 2 * REACH
        centre, step = round(to_float(mean) / sd), round(reach / (2 * size))
        unit = fmpq(*(2 * size * sd).as_integer_ratio())
        first = fmpq(*(centre * sd).as_integer_ratio())
        found = {first + unit * k for k in range(-step, step + 1)} | {fmpq(0)}
        low, high = min(found), max(found)
        ends = {fmpq(-1)} if low < -1 else set()
        ends |= {fmpq(1)} if high > 1 else set()
        return sorted({k for k in found if -1 < k < 1} | ends)

    def __call__(self, y: arb | fmpq) -> Values:
        with ctx.workprec(BITS):
            y = y if isinstance(y, fmpq) else binary_value(y)
            # w (1 + d) lies where y - w (1 + d) is a corner of the others.
            kinks = {(y - k) / self.outer.w - 1 for k in self.corners}
            inside = {k for k in kinks if self.cuts[0] < k < self.cuts[-1]}
            panels = list(pairwise(sorted({*self.cuts, *inside})))
            sums = [self.panel(y, low, high) for low, high in panels]
            self.require_decay(sums)
            cdf, ccdf, pdf = (sum(column, arb(0)) for column in zip(*sums, strict=True))
            return Values(cdf, ccdf, pdf)

    def panel(self, y: fmpq, low: fmpq, high: fmpq) -> tuple[arb, arb, arb]:
        total = [arb(0)] * 3
        for d, mass in self.nodes(low, high):
            values = self.inner((arb(y) - arb(self.outer.w) * (1 + d)).mid())
            total = [t + mass * v for t, v in zip(total, values, strict=True)]
        return total[0], total[1], total[2]

    def nodes(self, low: fmpq, high: fmpq) -> list[tuple[arb, arb]]:
        if (low, high) not in self.known:
            size, found = arb(high - low), []
            for root, weight in legendre(self.order):
                d = (arb(low) + size * (1 + root) / 2).mid()
                found.append((d, self.single.density(d) * weight * size / 2))
            self.known[low, high] = found
        return self.known[low, high]

    def require_decay(self, sums: list[tuple[arb, arb, arb]]) -> None:
        """What lies beyond the outermost panels must not count, in either tail."""
        for column in list(zip(*sums, strict=True))[:2]:
            whole = sum(column, arb(0)).mid()
            for index, end in ((0, fmpq(-1)), (-1, fmpq(1))):
                is_end = self.cuts[index] == end
                if (
                    not is_end
                    and abs(column[index]).mid() > whole * arb(NEGLIGIBLE).exp()
                ):
                    raise ArithmeticError("real: too far in a tail")
