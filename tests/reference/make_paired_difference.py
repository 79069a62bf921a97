"""Write reference values for weighted sums of paired differences; see ``generators.paired``.

Needs python-flint. ``digits`` is the worst relative agreement of two runs, 30 at most, over both
tails and the density at all points of a distribution. ``--only TEXT`` restricts the work to the
distributions whose name or regime contains the text and keeps the other entries of the file;
``--check`` prints how far different methods agree and writes nothing.
"""

import math
from collections.abc import Sequence
from pathlib import Path

from generators.balls import rational
from generators.entries import run, worst_agreement
from generators.paired.distributions import Distribution, moments
from generators.paired.grid import all_distributions
from generators.paired.methods import DESCRIPTIONS, chosen_method, evaluator, other_methods
from generators.paired.points import abscissas, certified_points, quantile_entries
from generators.points import point_entry

OUTPUT = Path(__file__).with_name("paired_difference.json")


def distribution_entry(distribution: Distribution) -> dict:
    method = chosen_method(distribution)
    evaluate = evaluator(distribution, method)
    digits, points = certified_points(distribution, evaluate)
    return {
        "name": distribution.name,
        "regime": distribution.regime,
        "counts": [list(row) for row in distribution.counts],
        "prior": distribution.prior,
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
        method, xs = chosen_method(distribution), abscissas(distribution)
        ys = [rational(x) - distribution.lower for x in xs[1 :: max(1, len(xs) // 4)]]
        for other in other_methods(distribution):
            try:
                expected = list(map(evaluator(distribution, method), ys))
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
