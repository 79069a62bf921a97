"""Which method suits a law, and which others can check it."""

from collections.abc import Callable

from flint import arb, fmpq

from generators.balls import Values, to_float
from generators.contour import Contour
from generators.exact import Closed, Piecewise
from generators.laws import Law, total
from generators.line import Line
from generators.real import RealSpace

Evaluator = Callable[[arb | fmpq], Values]

DESCRIPTIONS = {
    "closed": "regularised incomplete beta function, ball arithmetic",
    "piecewise": "exact rational piecewise polynomial",
    "contour": "saddlepoint contour with two-ended Tricomi-U split, ball arithmetic",
    "line": "trapezoidal rule on the saddlepoint line, ball arithmetic",
    "real": "real-space tanh-sinh quadrature split at kinks, ball arithmetic",
}
QUADRATURES = {"contour": Contour, "line": Line, "real": RealSpace}


def chosen_method(law: Law) -> str:
    if law.method != "auto":
        return law.method
    if law.classes == 1:
        return "closed"
    degree = total(g.m * (g.a + g.b) for g in law.groups)
    if is_integer(law) and degree <= 2500 and law.classes <= 12:
        return "piecewise"
    decay = total(g.m * min(g.a, g.b) for g in law.groups)
    return "line" if decay >= 60 else "contour"


def other_methods(law: Law) -> list[str]:
    """Further methods that can afford the law."""
    size = max(to_float(g.a + g.b) for g in law.groups)
    smallest = min(to_float(min(g.a, g.b)) for g in law.groups)
    weights = [to_float(g.w) for g in law.groups]
    few_integers = is_integer(law) and law.classes <= 4 and size < 1e8
    affordable = {
        "piecewise": is_integer(law) and size <= 2500 and law.classes <= 8,
        "contour": size <= 150 and 2 <= law.classes <= 10 and max(weights) < 100 * min(weights),
        "line": smallest >= 10 and law.classes <= 60,
        "real": smallest > 0.3 and (law.classes == 2 or (law.classes > 2 and few_integers)),
    }
    return [name for name, fits in affordable.items() if fits and name != chosen_method(law)]


def is_integer(law: Law) -> bool:
    return all(g.is_integer for g in law.groups)


def evaluator(law: Law, method: str, variant: int = 0) -> Evaluator:
    """Values of the law as a function of the distance above its lower end."""
    if method == "closed":
        return Closed(law.groups[0])
    if method == "piecewise":
        return Piecewise(law.groups)
    return QUADRATURES[method](law, variant)
