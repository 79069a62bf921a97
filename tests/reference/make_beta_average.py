"""Recompute beta_average.json, of weighted sums of Beta variables; see ``generators``.

``--only TEXT`` restricts the work to entries whose name or regime contains the text.
"""

from pathlib import Path

from generators.contour import Contour
from generators.corner import Corner
from generators.distributions import Distribution
from generators.entries import run
from generators.exact import Closed, Piecewise
from generators.line import Line
from generators.real import RealSpace

METHODS = {
    "regularised incomplete beta function, ball arithmetic": (
        lambda one, variant: None if variant else Closed(one.groups[0])
    ),
    "exact rational piecewise polynomial": (
        lambda one, variant: None if variant else Piecewise(one.groups)
    ),
    "saddlepoint contour with two-ended Tricomi-U split, ball arithmetic": Contour,
    "power series beside an end of the support, ball arithmetic": Corner,
    "trapezoidal rule on the saddlepoint line, ball arithmetic": Line,
    "real-space tanh-sinh quadrature split at kinks, ball arithmetic": RealSpace,
}

if __name__ == "__main__":
    output = Path(__file__).with_name("beta_average.json")
    run(__doc__.splitlines()[0], output, Distribution, METHODS)
