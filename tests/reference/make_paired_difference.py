"""Recompute paired_difference.json, of sums of paired differences; see ``generators.paired``.

``--only TEXT`` restricts the work to entries whose name or regime contains the text.
"""

from pathlib import Path

from generators.entries import run
from generators.paired.contour import Contour
from generators.paired.distributions import Distribution
from generators.paired.line import Line
from generators.paired.piecewise import Pieces
from generators.paired.real import Real
from generators.paired.single import Single

METHODS = {
    "double-exponential quadrature of an incomplete beta function, ball arithmetic": (
        lambda one, variant: Single(one.groups[0], variant)
    ),
    "exact rational piecewise polynomial": (
        lambda one, variant: None if variant else Pieces(one.groups)
    ),
    "saddlepoint contour with three-ended split, ball arithmetic": Contour,
    "trapezoidal rule on the saddlepoint line, ball arithmetic": Line,
    "real-space Gauss-Legendre quadrature split at kinks, ball arithmetic": Real,
}

if __name__ == "__main__":
    output = Path(__file__).with_name("paired_difference.json")
    run(__doc__.splitlines()[0], output, Distribution, METHODS)
