"""Recompute modes.json: exact modes of sums of independent Betas with integer parameters.

The density is a piecewise polynomial with rational coefficients (``generators.exact``), and the
sign of its slope at a rational point is known for certain. With ``a, b >= 1`` every factor is
log-concave, and so is the sum: the slope changes sign once, and bisection finds where.
"""

import json
from pathlib import Path

from flint import arb, ctx, fmpq
from generators.distributions import Distribution
from generators.exact import Piecewise

OUTPUT = Path(__file__).with_name("modes.json")
# Bisection ends with this many bits, well beyond the 53 of a double.
BITS = 100


def mode(distribution: Distribution) -> fmpq:
    """Bisect the support, from its lower end, for the change of sign of the slope."""
    slopes = [
        (k, f.derivative().derivative())
        for k, f in Piecewise(distribution.groups).pieces
    ]
    low, high = fmpq(0), distribution.width
    for _ in range(BITS):
        middle = (low + high) / 2
        slope = sum((f(middle - k) for k, f in slopes if middle >= k), fmpq(0))
        if slope == 0:
            return middle
        low, high = (middle, high) if slope > 0 else (low, middle)
    return (low + high) / 2


def main() -> None:
    """Write all modes."""
    records = json.loads(OUTPUT.read_text(encoding="utf-8"))
    for record in records:
        distribution = Distribution(record)
        with ctx.workprec(300):
            exact = arb(distribution.lower + mode(distribution))
            record["mode"] = exact.str(25, radius=False)
        print(record["name"], record["mode"], flush=True)
    lines = ",\n".join(json.dumps(record) for record in records)
    OUTPUT.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
