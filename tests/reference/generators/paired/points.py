"""Abscissas of a distribution, the certified values there, and its quantiles."""

import math

from flint import arb, ctx

from generators.balls import DIGITS, Values, is_sharp, rational, show, to_float
from generators.paired.distributions import Distribution, chernoff_point, corners
from generators.paired.methods import Evaluator, chosen_method, evaluator
from generators.points import confirmed, values_at

LOG_TAILS = (-36, -92, -230, -690, -1600)
PROBABILITIES = (1e-30, 1e-10, 1e-3, 0.025, 0.25, 0.5, 0.9, 0.975, 1 - 2.0**-33)
BITS = 420
EXACT = ("piecewise",)


def abscissas(distribution: Distribution) -> list[float]:
    """Centre, tails, and the neighbourhoods of corners."""
    mean = to_float(distribution.cumulants[0])
    centre = [float(f"{mean + z * distribution.sd:.9g}") for z in (-2.2, -0.7, 0.3, 1.5)]
    chosen = {
        *distribution.x,
        *centre,
        *tail_abscissas(distribution),
        *corner_abscissas(distribution),
    }
    inside = sorted(x for x in chosen if 0 < rational(x) - distribution.lower < distribution.width)
    if chosen_method(distribution) == "line":
        return [x for x in inside if abs(x - mean) < 60 * distribution.sd]
    return inside


def tail_abscissas(distribution: Distribution) -> list[float]:
    lower, width = to_float(distribution.lower), to_float(distribution.width)
    found = [
        chernoff_point(distribution, log_tail, sign) for sign in (1, -1) for log_tail in LOG_TAILS
    ]
    return [
        float(f"{lower + y:.12g}")
        for y in found
        if y is not None and 1e-7 * width < y < width * (1 - 1e-7)
    ]


def corner_abscissas(distribution: Distribution) -> list[float]:
    """At and beside zero, and at the outermost inner corners."""
    lower = to_float(distribution.lower)
    near = float(f"{1e-3 * distribution.sd:.3g}")
    found = {0.0, near, -near}
    if distribution.classes <= 5:
        inside = sorted(k for k in corners(distribution.groups) if 0 < k < distribution.width)
        found |= {lower + to_float(k) for k in (inside[0], inside[-1])}
    return sorted(found)


def certified_points(
    distribution: Distribution, evaluate: Evaluator
) -> tuple[float, dict[float, Values]]:
    """Worst agreement of two runs in digits, and the points where it suffices."""
    points = {}
    for x in abscissas(distribution):
        values = values_at(distribution, evaluate, x)
        if values is None:
            continue
        cdf, ccdf, _ = values
        if is_sharp(cdf, ccdf) and cdf > 0 and ccdf > 0:
            points[x] = values
        else:
            print(f"    {distribution.name}: x = {x!r} dropped (not sharp)")
    method = chosen_method(distribution)
    if method in EXACT:
        return DIGITS, points
    return confirmed(distribution, points, evaluator(distribution, method, variant=1))


def quantile_entries(distribution: Distribution, evaluate: Evaluator) -> list[dict]:
    entries = []
    for p in PROBABILITIES:
        try:
            entries.append(quantile_entry(distribution, evaluate, p))
        except ArithmeticError as error:
            print(f"    {distribution.name}: quantile {p!r} skipped ({error})")
    return entries


def quantile_entry(distribution: Distribution, evaluate: Evaluator, p: float) -> dict:
    with ctx.workprec(BITS):
        gap = quantile_gap(distribution, evaluate, p)
        x = arb(distribution.lower) + gap
        upper = arb(distribution.width) - gap
        return {"p": p, "x": show(x), "lower_gap": show(gap), "upper_gap": show(upper)}


def quantile_gap(distribution: Distribution, evaluate: Evaluator, p: float) -> arb:
    """Distance above the lower end, by Newton's method in the log tail within a bracket."""
    is_lower = p <= 0.5
    target = arb(rational(p) if is_lower else 1 - rational(p)).log()
    low, high = arb(0), arb(distribution.width)
    gap = starting_gap(distribution, p)
    for _ in range(120):
        values = evaluate(gap)
        tail = values.cdf if is_lower else values.ccdf
        if not (tail > 0 and is_sharp(tail)):
            raise ArithmeticError("a tail is not sharp")
        excess = (tail.log() - target).mid()
        if abs(to_float(excess)) < 1e-40:
            return gap  # zero, by symmetry; the density may be infinite there
        low, high = (low, gap) if (excess > 0) == is_lower else (gap, high)
        step = newton_step(values, tail, excess, is_lower=is_lower)
        if step is not None and abs(step) < arb(1e-20) * abs(arb(distribution.lower) + gap).mid():
            return (gap + step).mid()
        new = None if step is None else (gap + step).mid()
        gap = new if new is not None and low < new < high else ((low + high) / 2).mid()
    raise ArithmeticError("no convergence")


def newton_step(values: Values, tail: arb, excess: arb, *, is_lower: bool) -> arb | None:
    if values.pdf is None or not values.pdf > 0:
        return None
    step = (excess * tail / values.pdf).mid()
    return -step if is_lower else step


def starting_gap(distribution: Distribution, p: float) -> arb:
    """The mean, or where Chernoff's bound is about as large as the tail."""
    if p == 0.5:
        return arb(distribution.mean_above_lower).mid()
    sign = 1 if p < 0.5 else -1
    start = chernoff_point(distribution, math.log(min(p, 1 - p)), sign)
    if start is None:
        raise ArithmeticError("too close to an end")
    return arb(start)
