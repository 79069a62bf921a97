"""Which method suits a distribution, and which others can check it."""

from collections.abc import Callable

from flint import arb, fmpq

from generators.balls import Values, to_float
from generators.contour import Contour
from generators.corner import Corner
from generators.distributions import Distribution, total
from generators.exact import Closed, Piecewise
from generators.line import Line
from generators.real import RealSpace

Evaluator = Callable[[arb | fmpq], Values]

DESCRIPTIONS = {
    "closed": "regularised incomplete beta function, ball arithmetic",
    "piecewise": "exact rational piecewise polynomial",
    "contour": "saddlepoint contour with two-ended Tricomi-U split, ball arithmetic",
    "corner": "power series beside an end of the support, ball arithmetic",
    "line": "trapezoidal rule on the saddlepoint line, ball arithmetic",
    "real": "real-space tanh-sinh quadrature split at kinks, ball arithmetic",
}
QUADRATURES = {"contour": Contour, "corner": Corner, "line": Line, "real": RealSpace}


def chosen_method(distribution: Distribution) -> str:
    if distribution.method != "auto":
        return distribution.method
    if distribution.classes == 1:
        return "closed"
    degree = total(g.m * (g.a + g.b) for g in distribution.groups)
    if is_integer(distribution) and degree <= 2500 and distribution.classes <= 12:
        return "piecewise"
    decay = total(g.m * min(g.a, g.b) for g in distribution.groups)
    return "line" if decay >= 60 else "contour"


def other_methods(distribution: Distribution) -> list[str]:
    """Further methods that can afford the distribution."""
    size = max(to_float(g.a + g.b) for g in distribution.groups)
    smallest = min(to_float(min(g.a, g.b)) for g in distribution.groups)
    weights = [to_float(g.w) for g in distribution.groups]
    few_integers = is_integer(distribution) and distribution.classes <= 4 and size < 1e8
    affordable = {
        "piecewise": is_integer(distribution) and size <= 2500 and distribution.classes <= 8,
        "contour": size <= 150
        and 2 <= distribution.classes <= 10
        and max(weights) < 100 * min(weights),
        "line": smallest >= 10 and distribution.classes <= 60,
        "real": smallest > 0.3
        and (distribution.classes == 2 or (distribution.classes > 2 and few_integers)),
    }
    return [
        name for name, fits in affordable.items() if fits and name != chosen_method(distribution)
    ]


def is_integer(distribution: Distribution) -> bool:
    return all(g.is_integer for g in distribution.groups)


def evaluator(distribution: Distribution, method: str, variant: int = 0) -> Evaluator:
    """Values of the distribution as a function of the distance above its lower end."""
    if method == "closed":
        return Closed(distribution.groups[0])
    if method == "piecewise":
        return Piecewise(distribution.groups)
    return QUADRATURES[method](distribution, variant)
