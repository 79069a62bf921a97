"""Write reference values for weighted sums of paired differences; see ``generators.paired``.

Needs python-flint. ``digits`` is the worst relative agreement of two runs, 30 at most, over both
tails and the density at all points of a law. ``--only TEXT`` restricts the work to the laws whose
name or regime contains the text and keeps the other entries of the file; ``--check`` prints how far
different methods agree and writes nothing.
"""

import argparse
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path

from generators.balls import rational
from generators.paired.grid import all_laws
from generators.paired.laws import Law, moments
from generators.paired.methods import DESCRIPTIONS, chosen_method, evaluator, other_methods
from generators.paired.points import abscissas, certified_points, quantile_entries
from generators.points import point_entry
from make_beta_average import worst_agreement, write

OUTPUT = Path(__file__).with_name("paired_difference.json")


def law_entry(law: Law) -> dict:
    method = chosen_method(law)
    evaluate = evaluator(law, method)
    digits, points = certified_points(law, evaluate)
    return {
        "name": law.name,
        "regime": law.regime,
        "counts": [list(row) for row in law.counts],
        "prior": law.prior,
        "weights": None if law.weights is None else list(law.weights),
        "method": DESCRIPTIONS[method],
        "digits": math.floor(digits),
        **moments(law),
        "points": [point_entry(x, values) for x, values in points.items()],
        "quantiles": quantile_entries(law, evaluate),
    }


def make(laws: Sequence[Law], order: Sequence[str], output: Path) -> None:
    """Replace the entries of the laws, and keep the file complete after each of them."""
    entries = {}
    if output.exists():
        entries = {entry["name"]: entry for entry in json.loads(output.read_text())}
    for law in laws:
        start = time.perf_counter()
        try:
            entry = entries[law.name] = law_entry(law)
        except ArithmeticError as error:
            print(f"{law.name}: FAILED, {error}", flush=True)
            continue
        write((entries[name] for name in order if name in entries), output)
        print(
            f"{law.name}: {chosen_method(law)}, {len(entry['points'])} points, "
            f"{len(entry['quantiles'])} quantiles, {entry['digits']} digits, "
            f"{time.perf_counter() - start:.1f} s",
            flush=True,
        )


def check(laws: Sequence[Law]) -> None:
    """Print the agreement of every applicable method with the chosen one."""
    for law in laws:
        method, xs = chosen_method(law), abscissas(law)
        ys = [rational(x) - law.lower for x in xs[1 :: max(1, len(xs) // 4)]]
        for other in other_methods(law):
            try:
                expected = list(map(evaluator(law, method), ys))
                found = list(map(evaluator(law, other), ys))
            except ArithmeticError as error:
                print(f"{law.name}: {other} does not apply ({error})", flush=True)
                continue
            digits = worst_agreement(expected, found)
            print(f"{law.name}: {method} and {other} agree to {digits:.1f} digits", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare the methods, write nothing")
    parser.add_argument("--only", default="", help="laws whose name or regime contains this")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the file to write")
    options = parser.parse_args()
    laws = all_laws()
    chosen = [law for law in laws if options.only in law.name or options.only in law.regime]
    if options.check:
        check(chosen)
    else:
        make(chosen, [law.name for law in laws], options.output)


if __name__ == "__main__":
    main()
