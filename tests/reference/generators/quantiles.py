"""Quantiles, as distances to both ends of the support."""

import math

from flint import arb, ctx

from generators.balls import Values, rational, show, to_float
from generators.distributions import Distribution
from generators.methods import Evaluator
from generators.transforms import chernoff_point

BITS = 420
PROBABILITIES = (1e-10, 0.025, 0.05, 0.5, 0.975, 0.999)


def quantile_entries(distribution: Distribution, evaluate: Evaluator) -> list[dict]:
    entries = []
    for p in PROBABILITIES:
        try:
            entries.append(quantile_entry(distribution, evaluate, p))
        except ArithmeticError as error:
            print(f"    {distribution.name}: quantile {p!r} skipped ({error})")
    return entries


def quantile_entry(distribution: Distribution, evaluate: Evaluator, p: float) -> dict:
    lower_gap, upper_gap = quantile_gaps(distribution, evaluate, p)
    with ctx.workprec(BITS):
        x = arb(distribution.lower) + lower_gap
    return {"p": p, "x": show(x), "lower_gap": show(lower_gap), "upper_gap": show(upper_gap)}


def quantile_gaps(distribution: Distribution, evaluate: Evaluator, p: float) -> tuple[arb, arb]:
    """Distances from the lower and the upper end, by Newton's method for the nearer one."""
    is_lower = p <= 0.5
    with ctx.workprec(BITS):
        width, target = arb(distribution.width), arb(rational(p) if is_lower else 1 - rational(p))
        start = starting_point(distribution, p, to_float(target))
        gap = start if is_lower else width - start
        for _ in range(60):
            if to_float(gap) < 1e-250 * to_float(width):
                raise ArithmeticError("too close to the end")
            values = evaluate((gap if is_lower else width - gap).mid())
            move = newton_move(gap, values, target, is_lower=is_lower)
            gap = moved(gap, move, width)
            if abs(to_float(move)) < 1e-18:
                return (gap, width - gap) if is_lower else (width - gap, gap)
    raise ArithmeticError("no convergence")


def starting_point(distribution: Distribution, p: float, tail: float) -> arb:
    mean = to_float(distribution.mean_above_lower)
    if abs(p - 0.5) <= 0.4:
        return arb(mean)
    sign = 1 if p <= 0.5 else -1
    start = chernoff_point(distribution, math.log(tail), sign)
    return arb(mean - sign * distribution.sd if start is None else start)


def newton_move(gap: arb, values: Values, target: arb, *, is_lower: bool) -> arb:
    """Newton step for the logarithm of the gap at which the log tail is as wanted."""
    tail, pdf = (values.cdf if is_lower else values.ccdf), values.pdf
    if not (values.cdf > 0 and values.ccdf > 0):
        raise ArithmeticError("a tail vanishes")
    excess = tail.log() - target.log()
    if pdf is None and abs(to_float(excess)) < 1e-25:
        return arb(0)  # the quantile is a point of infinite density
    if pdf is None or not pdf > 0:
        raise ArithmeticError("no density")
    return -(excess * tail / (gap * pdf)).mid()


def moved(gap: arb, move: arb, width: arb) -> arb:
    """The gap times ``exp(move)``, damped and kept inside the support."""
    damped = max(min(move, arb(2), key=float), arb(-2), key=float)
    new = (gap * damped.exp()).mid()
    return new if new < width else ((gap + width) / 2).mid()
