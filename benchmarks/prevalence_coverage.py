"""Measure how often intervals of a share hold the truth, if an imperfect judge has measured it.

    python benchmarks/prevalence_coverage.py [--sets N] [--jobs N]

Beside the 95 % interval of `posterior_prevalence`, that of Rogan and Gladen's estimate by the delta
method, cut to [0, 1]. Writes `prevalence_coverage.rst`.
"""

import argparse
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _studies import figures, table, versions
from joblib import Parallel, delayed

from skpostbac import posterior_prevalence
from skpostbac.metrics import JudgeWarning

RESULTS = Path(__file__).with_suffix(".rst")


class Cell(NamedTuple):
    """True shares, the samples, and the gold samples of each kind."""

    share: float
    sensitivity: float
    specificity: float
    n: int
    gold: int


CELLS = [
    Cell(0.95, 0.95, 0.6, 200, 30),
    Cell(0.95, 0.6, 0.95, 200, 30),
    Cell(0.5, 0.9, 0.8, 200, 30),
    Cell(0.05, 0.9, 0.9, 100, 20),
    Cell(0.8, 0.9, 0.9, 50, 20),
    Cell(0.99, 0.9, 0.9, 200, 50),
    Cell(0.3, 0.8, 0.7, 1000, 100),
    Cell(0.7, 0.75, 0.99, 500, 200),
]


def delta_interval(called, cell, hits, rejected):
    """Return the interval of the delta method."""
    p, q1, q0 = called / cell.n, hits / cell.gold, rejected / cell.gold
    informedness = q1 + q0 - 1
    if informedness <= 0:
        return 0.0, 1.0
    share = (p + q0 - 1) / informedness
    errors = (1 - share) ** 2 * q0 * (1 - q0) + share**2 * q1 * (1 - q1)
    spread = 1.96 * np.sqrt(p * (1 - p) / cell.n + errors / cell.gold) / informedness
    return max(share - spread, 0.0), min(share + spread, 1.0)


def measure(cell, number):
    """Return held and width, of the posterior and of the delta method."""
    rng = np.random.default_rng([number, *(int(1000 * value) for value in cell)])
    p = cell.share * cell.sensitivity + (1 - cell.share) * (1 - cell.specificity)
    called = rng.binomial(cell.n, p)
    hits, rejected = rng.binomial(cell.gold, [cell.sensitivity, cell.specificity])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JudgeWarning)
        posterior = posterior_prevalence(
            called,
            cell.n,
            sensitivity=(hits, cell.gold),
            specificity=(rejected, cell.gold),
        )
    intervals = [
        posterior.credible_interval(),
        delta_interval(called, cell, hits, rejected),
    ]
    return [
        figure
        for low, high in intervals
        for figure in (low <= cell.share <= high, high - low)
    ]


def main():
    """Measure all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sets", type=int, default=1000, help="data sets a cell (1000)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    args = parser.parse_args()
    head = ["share", "sensitivity", "specificity", "n", "gold"]
    head += ["posterior", "width", "delta", "width"]
    rows, every = [], []
    for cell in CELLS:
        tasks = (delayed(measure)(cell, number) for number in range(args.sets))
        every += (found := Parallel(n_jobs=args.jobs)(tasks))
        rows.append([*cell, *figures(found)])
        print(*rows[-1], flush=True)
    rows.append(["all", *[""] * 4, *figures(every)])
    RESULTS.write_text(
        f"{versions()}; ``python benchmarks/prevalence_coverage.py --sets {args.sets}``. "
        f"{args.sets} data sets a cell; standard errors in brackets.\n\n{table(head, rows)}\n"
    )


if __name__ == "__main__":
    main()
