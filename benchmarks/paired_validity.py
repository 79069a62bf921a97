"""Measure how comparisons of two classifiers on one test set hold.

    python benchmarks/paired_validity.py [--sets N] [--jobs N] [--classes L ...]

Classifiers A and B are right on a sample where normal variables of correlation .5 are below the
quantiles of their recalls. Of each prior: how often the 95 % interval of the difference holds the
truth, and how often P(B is better) or P(A is better) is above .95. Beside them: how often McNemar's
mid-p test (all samples, one side, 5 %) and the percentile bootstrap within classes (1,000 draws)
find that B is better. Data set k of a cell depends on nothing but the name of the cell and k.

    python benchmarks/paired_validity.py --report

writes the table of the documentation from the results. `paired_default.py` has the default prior.
"""

import argparse
import json
import platform
import zlib
from datetime import date
from itertools import product
from pathlib import Path

import numpy as np
import scipy
from joblib import Parallel, delayed
from scipy import stats
from validity import TASK, holds, share_below

from skpostbac import PosteriorComparison, __version__
from skpostbac.metrics import PairedCounts

CLASSES = (3, 10, 50)
PRIORS = ("uniform", "(1/l, 1/l)")
# Draws of the bootstrap.
DRAWS = 1000
RESULTS = Path(__file__).with_suffix(".json")
TABLE = Path(__file__).parents[1] / "doc" / "evidence" / "paired_validity.rst.inc"
SIZES = {
    "5": lambda n_classes: np.full(n_classes, 5),
    "20": lambda n_classes: np.full(n_classes, 20),
    "2, 4, ..., 256": lambda n_classes: np.sort(
        np.resize(2 ** np.arange(1, 9), n_classes)
    ),
}
# Recalls of A and of B on the smaller and on the larger half of the classes.
RECALLS = {
    "equal": ((0.85, 0.85), (0.85, 0.85)),
    "equal, harder if small": ((0.65, 0.92), (0.65, 0.92)),
    "B .6 better by .25": ((0.6, 0.6), (0.85, 0.85)),
    "B better by .05": ((0.85, 0.85), (0.9, 0.9)),
    "B better if small": ((0.6, 0.85), (0.85, 0.85)),
    "B better if large": ((0.85, 0.6), (0.85, 0.85)),
    "one for the other": ((0.7, 0.9), (0.9, 0.7)),
}


def draw(name, number):
    """Return the cells both, only A, only B, neither of each class, and the true difference."""
    n_classes, sizes, recalls = name.split("|")
    rng = np.random.default_rng([zlib.crc32(name.encode()), number])
    total, small = (
        SIZES[sizes](int(n_classes)),
        np.arange(int(n_classes)) < int(n_classes) / 2,
    )
    first, second = (np.where(small, *pair) for pair in RECALLS[recalls])
    cells = []
    for n, p, q in zip(total, first, second, strict=True):
        x = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], n)
        a, b = x[:, 0] < stats.norm.ppf(p), x[:, 1] < stats.norm.ppf(q)
        cells.append([(a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()])
    return np.array(cells), float((second - first).mean()), rng


def mcnemar(cells):
    """Return the one-sided mid-p value of B being better."""
    only_a, only_b = cells[:, 1].sum(), cells[:, 2].sum()
    null = stats.binom(only_a + only_b, 0.5)
    return null.sf(only_b) + null.pmf(only_b) / 2


def differences(cells):
    """Yield the posterior of the difference, B less A, under each prior."""
    counts = PairedCounts.from_cells(cells, names=("A", "B"))
    for value in (1, 1 / len(cells)):
        comparison = PosteriorComparison.from_paired_counts(
            counts, prior=(value, value)
        )
        yield comparison.difference("B", "A")


def measure(name, numbers):
    """Count held, B better and A better of each prior, and two tests of B better."""
    return np.sum([conclude(*draw(name, number)) for number in numbers], axis=0)


def conclude(cells, truth, rng):
    """Return a row of held, B better and A better of each prior, and two tests of B better."""
    rows = []
    for difference in differences(cells):
        worse = share_below(difference, 0.0)
        rows.append([holds(difference, truth)[1], worse < 0.05, worse > 0.95])
    total = cells.sum(axis=1)
    drawn = rng.multinomial(total, cells / total[:, None], (DRAWS, total.size))
    gain = ((drawn[..., 2] - drawn[..., 1]) / total).mean(axis=1)
    return np.array(
        [*np.ravel(rows), mcnemar(cells) < 0.05, np.quantile(gain, 0.05) > 0], int
    )


def run(args):
    """Bring the cells up to a number of data sets, and save the results of every few."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for n_classes, sizes, recalls in product(args.classes, args.sizes, args.recalls):
        name = f"{n_classes}|{sizes}|{recalls}"
        first, sums = results.get(name, [0, [0] * (3 * len(PRIORS) + 2)])
        tasks = [
            range(k, min(k + TASK, args.sets)) for k in range(first, args.sets, TASK)
        ]
        parallel = Parallel(n_jobs=args.jobs, return_as="generator")
        found = parallel(delayed(measure)(name, task) for task in tasks)
        for task, more in zip(tasks, found, strict=True):
            sums = (np.array(sums) + more).tolist()
            results[name] = [task.stop, sums]
            RESULTS.write_text(json.dumps(results).replace("]], ", "]],\n ") + "\n")
        sets, sums = results[name]
        print(name, sets, *(f"{total / sets:.2f}" for total in sums), flush=True)


def report():
    """Write the table of the documentation."""
    results = json.loads(RESULTS.read_text())
    widths = [7, 14, 22, 5] + [16] * len(PRIORS) + [8, 9]
    rule = " ".join("=" * width for width in widths)

    def line(cells):
        return " ".join(
            f"{cell:<{w}}" for cell, w in zip(cells, widths, strict=True)
        ).rstrip()

    lines = [
        rule,
        line(
            ["classes", "samples", "recalls", "sets", *PRIORS, "McNemar", "bootstrap"]
        ),
    ]
    lines.append(rule)
    for name, (sets, sums) in results.items():
        share = np.array(sums) / sets
        shown = [
            "{:.2f} {:.2f} {:.2f}".format(*share[3 * k : 3 * k + 3])
            for k in range(len(PRIORS))
        ]
        lines.append(
            line([*name.split("|"), sets, *shown, *(f"{s:.2f}" for s in share[-2:])])
        )
    versions = (
        f"skpostbac {__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    )
    head = (
        f"Measured on {date.today()} with {versions}, Python {platform.python_version()}, by\n"
        "``python benchmarks/paired_validity.py``.\n\n"
    )
    TABLE.write_text(head + "\n".join([*lines, rule]) + "\n")


def main():
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200, help="data sets a cell (200)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES)
    parser.add_argument("--sizes", nargs="*", default=SIZES, choices=SIZES)
    parser.add_argument("--recalls", nargs="*", default=RECALLS, choices=RECALLS)
    parser.add_argument("--report", action="store_true", help="write the documentation")
    args = parser.parse_args()
    report() if args.report else run(args)


if __name__ == "__main__":
    main()
