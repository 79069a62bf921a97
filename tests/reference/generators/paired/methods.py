"""Which method suits a law, and which others can check it."""

from collections.abc import Callable

from flint import arb, fmpq

from generators.balls import Values, to_float
from generators.laws import total
from generators.paired.contour import Contour
from generators.paired.laws import Law
from generators.paired.line import Line
from generators.paired.piecewise import Pieces
from generators.paired.real import Real
from generators.paired.single import Single
from generators.paired.transforms import has_large_agreement

Evaluator = Callable[[arb | fmpq], Values]

DESCRIPTIONS = {
    "single": "double-exponential quadrature of an incomplete beta function, ball arithmetic",
    "piecewise": "exact rational piecewise polynomial",
    "contour": "saddlepoint contour with three-ended split, ball arithmetic",
    "line": "trapezoidal rule on the saddlepoint line, ball arithmetic",
    "real": "real-space Gauss-Legendre quadrature split at kinks, ball arithmetic",
}
QUADRATURES = {"contour": Contour, "line": Line, "real": Real}
LARGEST_DEGREE = 2000


def chosen_method(law: Law) -> str:
    if law.method != "auto":
        return law.method
    if is_piecewise(law):
        return "piecewise"
    if law.classes == 1:
        return "single"
    return "line" if decay(law) >= 40 else "contour"


def is_piecewise(law: Law) -> bool:
    degree = total(g.m * g.n for g in law.groups)
    return law.is_integer and degree <= LARGEST_DEGREE and law.classes <= 8


def decay(law: Law) -> float:
    """Power of ``s`` with which the transform falls on a vertical line."""
    powers = (g.m * min(g.a + g.b, g.b + g.r, g.a + g.r) for g in law.groups)
    return to_float(total(powers))


def other_methods(law: Law) -> list[str]:
    """Further methods that can afford the law."""
    size = max(to_float(g.n) for g in law.groups)
    is_flat = all(g.n < 300 or has_large_agreement(g) for g in law.groups)
    affordable = {
        "single": law.classes == 1 and size < 1e6,
        "piecewise": is_piecewise(law),
        "contour": is_flat and law.classes <= 5,
        "line": decay(law) >= 40,
        "real": law.is_integer and size > 2000 and law.classes > 1,
    }
    return [name for name, fits in affordable.items() if fits and name != chosen_method(law)]


def evaluator(law: Law, method: str, variant: int = 0) -> Evaluator:
    """Values of the law as a function of the distance above its lower end."""
    if method == "single":
        return Single(law.groups[0], variant)
    if method == "piecewise":
        return Pieces(law.groups)
    return QUADRATURES[method](law, variant)
