"""Measure intervals of a difference of shares where the judge errs unequally on both systems.

    python benchmarks/prevalence_difference.py [--sets N]

Two systems have the same true share of .7. The judge recognises positives of the first system more
often than those of the second, by a gap, and .9 of them on average, as in the gold samples. The
specificity is .8 for both. Of each cell: how often the 95 % interval of the difference contains the
true one, 0, the mean of the difference, and how often the first system is better with a
probability above .95. Writes `prevalence_difference.rst`.
"""

import argparse
import platform
import warnings
from datetime import date
from pathlib import Path

import numpy as np
import scipy

from skpostbac import __version__, posterior_prevalence
from skpostbac.metrics import JudgeWarning

RESULTS = Path(__file__).with_suffix(".rst")
SHARE, SENSITIVITY, SPECIFICITY = 0.7, 0.9, 0.8
# The gap, the samples of each system, and the gold samples of each kind.
CELLS = [
    (0.0, 200, 30),
    (0.05, 200, 30),
    (0.1, 200, 30),
    (0.2, 200, 30),
    (0.1, 1000, 200),
]


def measure(gap, n, gold, number):
    """Return whether the interval contains 0, the mean, and whether the first is surely better."""
    rng = np.random.default_rng([number, round(1000 * gap), n, gold])
    sensitivities = SENSITIVITY + np.array([gap, -gap]) / 2
    calls = rng.binomial(n, SHARE * sensitivities + (1 - SHARE) * (1 - SPECIFICITY))
    hits, rejected = rng.binomial(gold, [SENSITIVITY, SPECIFICITY])
    judge = {"sensitivity": (hits, gold), "specificity": (rejected, gold)}
    first, second = (posterior_prevalence(called, n, **judge) for called in calls)
    difference = first.difference(second)
    low, high = difference.credible_interval()
    return low <= 0 <= high, difference.mean(), difference.prob_above(0) > 0.95


def main():
    """Measure all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=100, help="data sets a cell (100)")
    args = parser.parse_args()
    warnings.simplefilter("ignore", JudgeWarning)
    rule = " ".join("=" * width for width in (4, 4, 4, 5, 10, 9))
    lines = [rule, "gap  n    gold held  difference P > .95", rule]
    for cell in CELLS:
        found = [measure(*cell, number) for number in range(args.sets)]
        held, mean, sure = np.mean(found, axis=0)
        gap, n, gold = cell
        lines.append(
            f"{gap:<4g} {n:<4} {gold:<4} {held:<5.3f} {mean:<10.3f} {sure:<9.3f}"
        )
        print(lines[-1], flush=True)
    error = np.sqrt(0.95 * 0.05 / args.sets)
    RESULTS.write_text(
        f"{date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}, skpostbac {__version__}; ``python benchmarks/"
        f"prevalence_difference.py --sets {args.sets}``. Standard error of a coverage of .95: "
        f"{error:.3f}.\n\n" + "\n".join([*lines, rule]) + "\n"
    )


if __name__ == "__main__":
    main()
