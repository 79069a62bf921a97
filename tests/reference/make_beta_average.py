"""Write reference values for weighted sums of Beta variables; ``generators`` has the methods.

``--only TEXT`` restricts the work to the distributions whose name or regime contains the text and
keeps the other entries of the file; ``--check`` prints how far different methods agree and writes
nothing.
"""

import math
from collections.abc import Sequence
from pathlib import Path

from generators.balls import rational
from generators.distributions import Distribution, moments
from generators.entries import run, worst_agreement
from generators.grid import all_distributions
from generators.methods import DESCRIPTIONS, chosen_method, evaluator, other_methods
from generators.points import abscissas, certified_points, point_entry
from generators.quantiles import quantile_entries

OUTPUT = Path(__file__).with_name("beta_average.json")


def distribution_entry(distribution: Distribution) -> dict:
    method = chosen_method(distribution)
    evaluate = evaluator(distribution, method)
    digits, points = certified_points(distribution, evaluate)
    return {
        "name": distribution.name,
        "regime": distribution.regime,
        "a": list(distribution.a),
        "b": list(distribution.b),
        "weights": None if distribution.weights is None else list(distribution.weights),
        "method": DESCRIPTIONS[method],
        "digits": math.floor(digits),
        **moments(distribution),
        "points": [point_entry(x, values) for x, values in points.items()],
        "quantiles": quantile_entries(distribution, evaluate),
    }


def check(distributions: Sequence[Distribution]) -> None:
    """Print the agreement of every applicable method with the chosen one."""
    for distribution in distributions:
        method = chosen_method(distribution)
        if distribution.classes > 60:
            continue
        xs = abscissas(distribution)
        ys = [rational(x) - distribution.lower for x in xs[:: max(1, len(xs) // 5)]]
        expected = list(map(evaluator(distribution, method), ys))
        for other in other_methods(distribution):
            try:
                found = list(map(evaluator(distribution, other), ys))
            except ArithmeticError as error:
                print(f"{distribution.name}: {other} does not apply ({error})", flush=True)
                continue
            digits = worst_agreement(expected, found)
            print(
                f"{distribution.name}: {method} and {other} agree to {digits:.1f} digits",
                flush=True,
            )


if __name__ == "__main__":
    run(__doc__.splitlines()[0], OUTPUT, all_distributions(), distribution_entry, check)
