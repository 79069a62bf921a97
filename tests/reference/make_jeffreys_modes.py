"""Recompute jeffreys_modes.json: modes of a small perfect class beside a large one.

The density of the mean of both accuracies, with Jeffreys' prior, by the quadrature of
``generators.scales``: the highest point of a grid, and golden sections from there. The grid is that
of the standard deviations of the sum about its mean, and of the large class about its own beside
the end of the small one. ``digits`` is how many digits of the density agree with those of the
maximum on other nodes. Names of records restrict the work to these.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from flint import arb, ctx, fmpq
from generators.balls import agreement, show, to_float
from generators.distributions import Distribution
from generators.scales import BITS, Quadrature, exact

OUTPUT = Path(__file__).with_name("jeffreys_modes.json")
GOLDEN = exact(0.6180339887498949)
# The density is flat: half of its digits are those of the mode.
STEPS = 60


def highest(density: Callable[[fmpq], arb], low: fmpq, high: fmpq) -> fmpq:
    """Golden sections."""
    ends = [low, high - GOLDEN * (high - low), low + GOLDEN * (high - low), high]
    values = [density(y) for y in ends[1:3]]
    for _ in range(STEPS):
        low, left, right, high = ends
        if values[0] > values[1]:
            ends = [low, right - GOLDEN * (right - low), left, right]
            values = [density(ends[1]), values[0]]
        else:
            ends = [left, right, left + GOLDEN * (high - left), high]
            values = [values[1], density(ends[2])]
    return (ends[1] + ends[2]) / 2


def grid(distribution: Distribution) -> list[fmpq]:
    """Places among which the highest is looked for, above the lower end."""
    narrow, broad = sorted(distribution.groups, key=lambda g: to_float(g.variance))
    mean, sd = to_float(distribution.mean_above_lower), distribution.sd
    corner = to_float(broad.w + narrow.w * narrow.mean)
    scale = to_float(narrow.w) * to_float(narrow.variance) ** 0.5
    places = [mean + sd * k / 8 for k in range(-24, 25)]
    places += [corner + scale * k / 4 for k in range(-40, 17)]
    places += [to_float(distribution.width) * (1 - 10**-k) for k in (3, 4, 5, 6, 9)]
    return sorted(exact(y) for y in places if 0 < y < to_float(distribution.width))


def mode(record: dict) -> dict:
    """Return the record with its mode and the density there."""
    counts = list(zip(record["correct"], record["total"], strict=True))
    a = [correct + 0.5 for correct, _ in counts]
    b = [total - correct + 0.5 for correct, total in counts]
    distribution = Distribution({"a": a, "b": b, "weights": None})
    first, second = (Quadrature(distribution, variant) for variant in (0, 1))
    places = grid(distribution)
    best = max(range(len(places)), key=lambda i: first(places[i]).pdf.mid())
    if not 0 < best < len(places) - 1:
        raise ArithmeticError("the highest place is at an end of the support")
    low, high = places[best - 1], places[best + 1]
    found = highest(lambda y: first(y).pdf.mid(), low, high)
    again = highest(lambda y: second(y).pdf.mid(), low, high)
    with ctx.workprec(BITS):
        density, other = first(found).pdf, second(again).pdf
        return record | {
            "mode": arb(found).str(12, radius=False),
            "density": show(density),
            "digits": int(min(agreement(density, other), 30)),
        }


def main() -> None:
    """Write all modes."""
    records = json.loads(OUTPUT.read_text(encoding="utf-8"))
    for i, record in enumerate(records):
        if sys.argv[1:] and record["name"] not in sys.argv[1:]:
            continue
        records[i] = mode(record)
        print(records[i], flush=True)
        lines = ",\n".join(json.dumps(record) for record in records)
        OUTPUT.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
