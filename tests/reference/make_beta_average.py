"""Write reference values for weighted sums of Beta variables; ``generators`` has the methods.

``--only TEXT`` restricts the work to the laws whose name or regime contains the text and keeps the
other entries of the file; ``--check`` prints how far different methods agree and writes nothing.
"""

import math
from collections.abc import Sequence
from pathlib import Path

from generators.balls import rational
from generators.entries import run, worst_agreement
from generators.grid import all_laws
from generators.laws import Law, moments
from generators.methods import DESCRIPTIONS, chosen_method, evaluator, other_methods
from generators.points import abscissas, certified_points, point_entry
from generators.quantiles import quantile_entries

OUTPUT = Path(__file__).with_name("beta_average.json")


def law_entry(law: Law) -> dict:
    method = chosen_method(law)
    evaluate = evaluator(law, method)
    digits, points = certified_points(law, evaluate)
    return {
        "name": law.name,
        "regime": law.regime,
        "a": list(law.a),
        "b": list(law.b),
        "weights": None if law.weights is None else list(law.weights),
        "method": DESCRIPTIONS[method],
        "digits": math.floor(digits),
        **moments(law),
        "points": [point_entry(x, values) for x, values in points.items()],
        "quantiles": quantile_entries(law, evaluate),
    }


def check(laws: Sequence[Law]) -> None:
    """Print the agreement of every applicable method with the chosen one."""
    for law in laws:
        method = chosen_method(law)
        if law.classes > 60:
            continue
        xs = abscissas(law)
        ys = [rational(x) - law.lower for x in xs[:: max(1, len(xs) // 5)]]
        expected = list(map(evaluator(law, method), ys))
        for other in other_methods(law):
            try:
                found = list(map(evaluator(law, other), ys))
            except ArithmeticError as error:
                print(f"{law.name}: {other} does not apply ({error})", flush=True)
                continue
            digits = worst_agreement(expected, found)
            print(f"{law.name}: {method} and {other} agree to {digits:.1f} digits", flush=True)


if __name__ == "__main__":
    run(__doc__.splitlines()[0], OUTPUT, all_laws(), law_entry, check)
