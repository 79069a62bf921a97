"""Laplace transforms ``E exp(-s y)`` of Beta distributions and their saddlepoints."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from flint import acb, arb, ctx, fmpq

from generators.balls import to_float
from generators.distributions import Group


def sharpened(function: Callable[[], acb]) -> acb:
    """Evaluate with growing precision until all but 60 of the current bits are certain."""
    wanted = bits = ctx.prec
    while True:
        with ctx.workprec(bits):
            value = function()
        if value.rel_accuracy_bits() > wanted - 60 or bits > 30 * wanted:
            return value
        bits *= 2


def beta_transform(g: Group, s: acb) -> acb:
    """``E exp(-s w theta)`` at an exact ``s``."""

    def kummer() -> acb:
        a, b, z = acb(g.a), acb(g.b), -s * arb(g.w)
        found = z.hypgeom_1f1(a, a + b)
        return found if found.is_finite() else z.hypgeom([a], [a + b])

    return sharpened(kummer)


def tricomi(a: fmpq, b: fmpq, w: fmpq, s: acb) -> acb:
    """Tricomi's ``U(a, a + b, w s)`` at an exact ``s``."""
    return sharpened(lambda: (s * arb(w)).hypgeom_u(acb(a), acb(a + b)))


def tilted_mean(groups: Sequence[Group], c: arb) -> arb:
    """Mean of the distribution under the density multiplied by ``exp(-c y)``."""
    mean = arb(0)
    for g in groups:
        a, b, z = arb(g.a), arb(g.b), -arb(g.w) * c
        ratio = (z.hypgeom_1f1(a + 1, a + b + 1)) / z.hypgeom_1f1(a, a + b)
        mean += g.m * arb(g.w * g.mean) * ratio
    return mean


def logit_mode(g: Group, c: float) -> float:
    """Where ``theta^a (1 - theta)^b exp(-c w theta)`` peaks."""
    a, s, cw = to_float(g.a), to_float(g.a + g.b), c * to_float(g.w)
    return 2 * a / (s + cw + math.sqrt((s + cw) ** 2 - 4 * cw * a))


def tilted_class(g: Group, c: float) -> tuple[float, float]:
    """Tilted mean and log transform of one class, by Laplace's method if concentrated."""
    a, b, w = to_float(g.a), to_float(g.b), to_float(g.w)
    if a + b > 1000:
        t, u = logit_mode(g, c), logit_mode(g.mirrored, -c)
        log_peak = a * math.log(t * (a + b) / a) + b * math.log(u * (a + b) / b)
        return w * t, log_peak - c * w * t
    value = (-arb(g.w) * arb(c)).hypgeom_1f1(arb(g.a), arb(g.a + g.b)).log()
    return to_float(tilted_mean([g], arb(c))) / g.m, to_float(value)


def brackets(
    ahead: Callable[[float], bool], start: float, limit: float = math.inf
) -> Iterator[tuple[float, float]]:
    """Ever narrower brackets of the point where ``ahead`` turns false."""
    low, high = 0.0, start
    while ahead(high):
        low, high = high, 2 * high
        if high >= limit * start:
            raise ArithmeticError("no saddlepoint")
    while True:
        yield low, high
        middle = (low + high) / 2
        low, high = (middle, high) if ahead(middle) else (low, middle)


def bisected(ahead: Callable[[float], bool], start: float, limit: float) -> float:
    """About where ``ahead`` turns false, at most ``limit * start``."""
    return next(islice(brackets(ahead, start, limit), 12, None))[1]


def saddlepoint(groups: Sequence[Group], y: float, sd: float) -> float:
    """``c`` with tilted mean ``y``, roughly; positive below the mean."""
    with ctx.workprec(400 if len(groups) < 50 else 200):
        sign = 1.0 if to_float(tilted_mean(groups, arb(0))) > y else -1.0

        def ahead(c: float) -> bool:
            return sign * (to_float(tilted_mean(groups, arb(sign * c))) - y) > 0

        return sign * next(
            high
            for low, high in brackets(ahead, 1.0 / sd)
            if high - low <= 0.02 * high or high <= 0.5 / sd
        )
