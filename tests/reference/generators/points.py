"""Abscissas of a distribution and the certified values there."""

from flint import arb, ctx

from generators.balls import DIGITS, Values, agreement, is_sharp, rational, show, to_float
from generators.distributions import Distribution, breakpoints
from generators.methods import QUADRATURES, Evaluator, chosen_method, evaluator
from generators.transforms import chernoff_point

DIGITS_REQUIRED = 20
LOG_TAILS = (-44, -113, -228, -664, -1500)


def abscissas(distribution: Distribution) -> list[float]:
    """Centre, tails, neighbourhoods of breakpoints and of both ends."""
    lower, mean = to_float(distribution.lower), to_float(distribution.mean_above_lower)
    centre = [float(f"{lower + mean + z * distribution.sd:.9g}") for z in (-2.5, -1, 0, 0.5, 2)]
    chosen = {
        *distribution.x,
        *centre,
        *tail_abscissas(distribution),
        *kink_abscissas(distribution),
        *end_abscissas(distribution),
    }
    inside = sorted(x for x in chosen if 0 < rational(x) - distribution.lower < distribution.width)
    if chosen_method(distribution) == "line":
        return [x for x in inside if abs(x - lower - mean) < 60 * distribution.sd]
    return inside


def tail_abscissas(distribution: Distribution) -> list[float]:
    lower, width = to_float(distribution.lower), to_float(distribution.width)
    smallest = 1e-60 if distribution.lower == 0 else 1e-9
    found = [
        chernoff_point(distribution, log_tail, sign) for sign in (1, -1) for log_tail in LOG_TAILS
    ]
    return [
        float(f"{lower + y:.12g}")
        for y in found
        if y is not None and smallest * width < y < width * (1 - 1e-9)
    ]


def kink_abscissas(distribution: Distribution) -> list[float]:
    """At and just above the outermost inner breakpoints."""
    if distribution.classes > 6:
        return []
    lower, width = to_float(distribution.lower), to_float(distribution.width)
    inside = sorted(k for k in breakpoints(distribution.groups) if 0 < k < distribution.width)
    kinks = [lower + to_float(k) for k in inside[:1] + inside[-1:]]
    return kinks + [x + 1e-5 * width for x in kinks]


def end_abscissas(distribution: Distribution) -> list[float]:
    if distribution.classes > 12 or max(to_float(g.a + g.b) for g in distribution.groups) >= 1000:
        return []
    lower, width = to_float(distribution.lower), to_float(distribution.width)
    return [lower + 1e-4 * width, lower + width * (1 - 1e-6)]


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
    if method not in QUADRATURES:
        return DIGITS, points
    return confirmed(distribution, points, evaluator(distribution, method, variant=1))


def values_at(distribution: Distribution, evaluate: Evaluator, x: float) -> Values | None:
    try:
        return evaluate(rational(x) - distribution.lower)
    except ArithmeticError as error:
        print(f"    {distribution.name}: x = {x!r} dropped ({error})")
        return None


def confirmed(
    distribution: Distribution, points: dict[float, Values], evaluate: Evaluator
) -> tuple[float, dict[float, Values]]:
    """Worst agreement with a second evaluator, and the points where it suffices."""
    digits, kept = float(DIGITS), {}
    for x, values in points.items():
        other = values_at(distribution, evaluate, x)
        if other is None:
            continue
        found, values = compared(values, other)
        if found < DIGITS_REQUIRED:
            print(f"    {distribution.name}: x = {x!r} dropped ({found:.1f} digits)")
            continue
        digits, kept[x] = min(digits, found), values
    return digits, kept


def compared(values: Values, other: Values) -> tuple[float, Values]:
    """Agreement in digits, and the values without a density that differs."""
    tails = min(agreement(values.cdf, other.cdf), agreement(values.ccdf, other.ccdf))
    if values.pdf is None or other.pdf is None:
        return tails, values._replace(pdf=None)
    density = agreement(values.pdf, other.pdf)
    if density < DIGITS_REQUIRED:
        return tails, values._replace(pdf=None)
    return min(tails, density), values


def point_entry(x: float, values: Values) -> dict:
    cdf, ccdf, pdf = values
    with ctx.workprec(300):
        return {
            "x": x,
            "cdf": show(cdf),
            "ccdf": show(ccdf),
            "log_cdf": show(log_tail(cdf, ccdf)),
            "log_ccdf": show(log_tail(ccdf, cdf)),
            "pdf": None if pdf is None or not is_sharp(pdf) else show(pdf),
        }


def log_tail(tail: arb, complement: arb) -> arb:
    return tail.log() if tail < 0.5 else (-complement).log1p()
