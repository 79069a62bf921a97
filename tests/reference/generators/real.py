"""The most concentrated class integrated against the exact distribution of the others."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise

from flint import arb, ctx, fmpq

from generators.balls import Values, binary_value, log_beta_constant, to_float
from generators.distributions import Distribution, Group, breakpoints
from generators.exact import Closed, Piecewise

BITS = 640
SEARCH_BITS = 160
DECADES = 130  # tanh-sinh nodes come this close to the ends of a panel


class RealSpace:
    """Very unequal scales; variant 1 has another step and other panels."""

    def __init__(self, distribution: Distribution, variant: int = 0) -> None:
        outer, *others = sorted(
            distribution.groups, key=lambda g: to_float(g.w**2 * g.variance)
        )
        if outer.m > 1:
            others.insert(0, Group(outer.a, outer.b, outer.w, outer.m - 1))
        is_one_class = len(others) == 1 and others[0].m == 1
        self.outer = outer
        self.inner = Closed(others[0]) if is_one_class else Piecewise(others)
        self.breaks = breakpoints(others)
        self.step = (fmpq(1, 18), fmpq(1, 23))[variant]
        self.ratio = (4.0, 3.0)[variant]
        with ctx.workprec(BITS):
            self.constant = log_beta_constant(arb(outer.a), arb(outer.b))

    def __call__(self, y: arb | fmpq) -> Values:
        with ctx.workprec(BITS):
            y = arb(y)
            is_lower = self.is_below_median(y)
            tail = self.integral(y, "cdf" if is_lower else "ccdf")
            return Values.from_tail(tail, self.integral(y, "pdf"), is_lower=is_lower)

    def is_below_median(self, y: arb) -> bool:
        """Whether ``y`` is in the lower half, about: the outer class is put at its mean."""
        with ctx.workprec(SEARCH_BITS):
            return bool(
                self.inner((y - arb(self.outer.w * self.outer.mean)).mid()).cdf < 0.5
            )

    def integral(self, y: arb, quantity: str) -> arb:
        w, integral = arb(self.outer.w), arb(0)
        for low, high in pairwise(self.panels(y, quantity)):
            for t, weight in panel_nodes(low, high, self.step):
                u = 1 - t
                if not (t > 0 and u > 0):
                    continue
                value = getattr(self.inner((y - w * t).mid()), quantity)
                if value != 0:
                    integral += weight * self.log_density(t, u).exp() * value
        return integral

    def log_density(self, t: arb, u: arb) -> arb:
        """Log density of the outer class at ``t = 1 - u``."""
        value = self.constant
        if self.outer.a != 1:
            value = value + (arb(self.outer.a) - 1) * t.log()
        if self.outer.b != 1:
            value = value + (arb(self.outer.b) - 1) * u.log()
        return value

    def log_integrand(self, y: arb, t: arb, quantity: str) -> float:
        value = getattr(self.inner((y - arb(self.outer.w) * t).mid()), quantity)
        if not value > 0 or not 0 < t < 1:
            return -math.inf
        return to_float(self.log_density(t, 1 - t) + value.log())

    def panels(self, y: arb, quantity: str) -> list[arb]:
        """Panel ends: the kinks, and a geometric grading around the peak of the integrand."""
        kinks = [(y - arb(k)) / arb(self.outer.w) for k in self.breaks]
        inside = sorted((t.mid() for t in kinks if 0 < t < 1), key=float)
        cuts = [arb(0), *inside, arb(1)]
        grid = self.search_grid(cuts)
        with ctx.workprec(SEARCH_BITS):

            def log_f(t: arb) -> float:
                return self.log_integrand(y, t, quantity)

            peak = maximum(log_f, grid)
            graded = [
                *self.graded(log_f, peak, arb(1)),
                *self.graded(log_f, peak, arb(0)),
            ]
        return pruned(graded, cuts)

    def search_grid(self, cuts: Sequence[arb]) -> list[arb]:
        """Points around the mean of the outer class and close to every cut."""
        mean, sd = arb(self.outer.mean), arb(self.outer.variance).sqrt()
        grid = [mean + sd * z / 4 for z in range(-160, 161)]
        for low, high in pairwise(cuts):
            offsets = [(high - low) * arb(2) ** -j for j in range(1, 60)]
            grid += [low + offset for offset in offsets]
            grid += [high - offset for offset in offsets]
        return sorted((t.mid() for t in grid if 0 < t < 1), key=float)

    def graded(self, log_f: Callable[[arb], float], peak: arb, end: arb) -> list[arb]:
        """Points away from the peak at distances that grow by ``ratio``."""
        top, points = log_f(peak), [peak]
        sign = 1 if end > peak else -1
        span = abs(end - peak)
        reach = arb(1e-14) * span
        while reach < span and log_f(peak + sign * reach) > top - 1:
            reach *= 2
        while reach < span:
            points.append((peak + sign * reach).mid())
            if log_f(peak + sign * reach) < top - 160:
                break
            reach *= arb(self.ratio)
        return points


def maximum(log_f: Callable[[arb], float], grid: Sequence[arb]) -> arb:
    """Where ``log_f`` peaks, by golden sections between the neighbours on the grid."""
    index = max(range(len(grid)), key=[log_f(t) for t in grid].__getitem__)
    low, high = grid[max(index - 1, 0)], grid[min(index + 1, len(grid) - 1)]
    for _ in range(40):
        p, q = low + (high - low) * arb(0.382), low + (high - low) * arb(0.618)
        if log_f(p) > log_f(q):
            high = q.mid()
        else:
            low = p.mid()
    return ((low + high) / 2).mid()


def panel_nodes(low: arb, high: arb, step: fmpq) -> Iterator[tuple[arb, arb]]:
    """Nodes and weights of a panel, each computed from its nearer end."""
    size = high - low
    for k, (offset, weight) in enumerate(tanh_sinh(step)):
        yield low + offset * size, weight * size
        if k:
            yield high - offset * size, weight * size


@cache
def tanh_sinh(step: fmpq) -> list[tuple[arb, arb]]:
    """Distances from the nearer end of [0, 1] and weights; the middle comes first."""
    nodes: list[tuple[arb, arb]] = []
    log_ratio = 0.0
    with ctx.workprec(BITS):
        while log_ratio <= DECADES * math.log(10):
            u = arb(step * len(nodes))
            ratio = (arb.pi() * u.sinh()).exp()
            offset = 1 / (1 + ratio)
            weight = arb(step) * arb.pi() * u.cosh() * offset * (1 - offset)
            nodes.append((offset.mid(), weight.mid()))
            log_ratio = to_float(ratio.log())
    return nodes


def pruned(points: Sequence[arb], cuts: Sequence[arb]) -> list[arb]:
    """Cuts and points in order, without the points that crowd a cut."""
    fixed = {binary_value(t) for t in cuts}
    unique = {binary_value(t): t.mid() for t in [*cuts, *points]}
    ordered = sorted(unique.values(), key=binary_value)
    while (index := crowding(ordered, fixed)) is not None:
        del ordered[index]
    return ordered


def crowding(ordered: Sequence[arb], fixed: set[fmpq]) -> int | None:
    """Index of the first point that is far closer to a fixed point than to its other side."""
    is_fixed = [binary_value(t) in fixed for t in ordered]
    for i in range(1, len(ordered) - 1):
        left, right = ordered[i] - ordered[i - 1], ordered[i + 1] - ordered[i]
        is_close_left = is_fixed[i - 1] and left < right / 8
        is_close_right = is_fixed[i + 1] and right < left / 8
        if not is_fixed[i] and (is_close_left or is_close_right):
            return i
    return None
