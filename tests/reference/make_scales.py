"""Recompute scales.json, of sums of Beta variables of very different scales.

``generators/scales.py`` explains the methods. ``--only TEXT`` restricts the work to entries whose
name or regime contains the text.
"""

from pathlib import Path

from generators.distributions import Distribution
from generators.entries import run
from generators.scales import BesideEnd, Quadrature

METHODS = {
    "two classes, panels with exact ends, ball arithmetic": Quadrature,
    "power series beside an end, moments of narrow classes, ball arithmetic": BesideEnd,
}

if __name__ == "__main__":
    output = Path(__file__).with_name("scales.json")
    run(__doc__.splitlines()[0], output, Distribution, METHODS)
