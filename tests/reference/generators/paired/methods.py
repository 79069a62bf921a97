"""Which method suits a distribution, and which others can check it."""

from collections.abc import Callable

from flint import arb, fmpq

from generators.balls import Values, to_float
from generators.distributions import total
from generators.paired.contour import Contour
from generators.paired.distributions import Distribution
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


def chosen_method(distribution: Distribution) -> str:
    if distribution.method != "auto":
        return distribution.method
    if is_piecewise(distribution):
        return "piecewise"
    if distribution.classes == 1:
        return "single"
    return "line" if decay(distribution) >= 40 else "contour"


def is_piecewise(distribution: Distribution) -> bool:
    degree = total(g.m * g.n for g in distribution.groups)
    return distribution.is_integer and degree <= LARGEST_DEGREE and distribution.classes <= 8


def decay(distribution: Distribution) -> float:
    """Power of ``s`` with which the transform falls on a vertical line."""
    powers = (g.m * min(g.a + g.b, g.b + g.r, g.a + g.r) for g in distribution.groups)
    return to_float(total(powers))


def other_methods(distribution: Distribution) -> list[str]:
    """Further methods that can afford the distribution."""
    size = max(to_float(g.n) for g in distribution.groups)
    is_flat = all(g.n < 300 or has_large_agreement(g) for g in distribution.groups)
    affordable = {
        "single": distribution.classes == 1 and size < 1e6,
        "piecewise": is_piecewise(distribution),
        "contour": is_flat and distribution.classes <= 5,
        "line": decay(distribution) >= 40,
        "real": distribution.is_integer and size > 2000 and distribution.classes > 1,
    }
    return [
        name for name, fits in affordable.items() if fits and name != chosen_method(distribution)
    ]


def evaluator(distribution: Distribution, method: str, variant: int = 0) -> Evaluator:
    """Values of the distribution as a function of the distance above its lower end."""
    if method == "single":
        return Single(distribution.groups[0], variant)
    if method == "piecewise":
        return Pieces(distribution.groups)
    return QUADRATURES[method](distribution, variant)
