"""Measure the default comparison of two classifiers on one test set.

    python benchmarks/paired_default.py [--sets N] [--jobs N] [--only cells | differences]

Classifiers A and B are right on a sample where normal variables of correlation rho are below the
quantiles of their recalls. Of the default and of the prior (1/l, 1/l): how often the equal-tailed
95 % interval of the difference contains the truth, and how often P(B is better) or P(A is better)
is above .95. Beside them: how often McNemar's mid-p test (all samples, one side, 5 %) finds that B
is better. The default was chosen on the first cells; it had not seen those under "shown".

Then, of real differences that are small: two classifiers whose logits of the recall of each class
differ by one normal variable, and how often the classifier that is probably better is better.

    python benchmarks/paired_default.py --report

writes the tables of the documentation from the results.
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
from paired_validity import mcnemar
from scipy import special
from validity import TASK, share_below

from skpostbac import PosteriorComparison, __version__
from skpostbac.metrics import PairedCounts

RESULTS = Path(__file__).with_suffix(".json")
DOC = Path(__file__).parents[1] / "doc" / "evidence"
TRADED = (0.95, 0.75), (0.75, 0.95)
# Samples and recalls of A and of B are those of the classes in turn.
CHOSEN = [
    # classes, samples, recalls of A, recalls of B, rho
    (2, (15,), (0.8,), (0.8,), 0.5),
    (2, (15,), (0.95,), (0.95,), 0.5),
    (2, (10, 150), (0.8,), (0.8,), 0.5),
    (2, (10, 150), (0.6, 0.95), (0.6, 0.95), 0.5),
    (2, (5,), (0.7,), (0.7,), 0.5),
    (2, (30, 300), (0.7, 0.9), (0.7, 0.9), 0.8),
    (2, (40,), (0.8,), (0.8,), 0.0),
    (2, (10, 30), (0.7, 0.9), (0.9, 0.7), 0.3),
    (3, (20,), (0.85,), (0.85,), 0.5),
    (10, (5,), (0.85,), (0.85,), 0.5),
    (10, (2, 4, 8, 16, 32, 64, 128, 256), *TRADED, 0.5),
    (50, (5,), *TRADED, 0.5),
    (2, (50,), (0.7,), (0.85,), 0.5),
    (10, (5,), (0.6,), (0.85,), 0.5),
]
SHOWN = [
    (2, (12, 60), (0.75, 0.9), (0.75, 0.9), 0.5),
    (2, (20,), (0.85,), (0.85,), 0.2),
    (2, (6, 200), (0.7, 0.95), (0.7, 0.95), 0.5),
    (4, (8,), (0.85,), (0.85,), 0.5),
    (6, (5, 10, 20, 40), (0.8, 0.9), (0.8, 0.9), 0.5),
    (15, (6,), (0.85,), (0.85,), 0.5),
    (30, (4, 10, 40), (0.85,), (0.85,), 0.5),
    (50, (8,), *TRADED, 0.5),
    (2, (12, 60), (0.6,), (0.8,), 0.5),
    (2, (25,), (0.7,), (0.9,), 0.5),
    (6, (15,), (0.7,), (0.8,), 0.5),
    (15, (6,), (0.6,), (0.75,), 0.5),
]
# Classes, samples of each, standard deviation of the difference in logits.
SMALL = list(product((2, 5), (20, 100), (0.25, 0.5)))
# Stated probabilities are taken together between these.
EDGES = (0.5, 0.8, 0.95)


def draw(sizes, first, second, rho, rng):
    """Return the cells both, only A, only B, neither of each class."""
    rows = []
    for n, p, q in zip(sizes, first, second, strict=True):
        x = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], n)
        a, b = x[:, 0] < special.ndtri(p), x[:, 1] < special.ndtri(q)
        rows.append([(a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()])
    return np.array(rows)


def difference(cells, prior):
    """Return the posterior of the difference, B less A."""
    counts = PairedCounts.from_cells(cells, names=("A", "B"))
    return PosteriorComparison.from_paired_counts(counts, prior=prior).difference(
        "B", "A"
    )


def conclude(cell, rng):
    """Return held, B better and A better of both priors, and McNemar's B better."""
    n_classes, *lists, rho = cell
    sizes, first, second = (np.resize(values, n_classes) for values in lists)
    cells, truth = draw(sizes, first, second, rho, rng), (second - first).mean()
    row = []
    for prior in ("calibrated", (1 / n_classes, 1 / n_classes)):
        delta = difference(cells, prior)
        below = worse = share_below(delta, 0.0)
        if truth:
            below = share_below(delta, truth)
        row += [0.025 <= below <= 0.975, worse < 0.05, worse > 0.95]
    return np.array([*row, mcnemar(cells) < 0.05], int)


def state(cell, rng):
    """Return the number, the stated probability and the truth of the better, between the edges."""
    n_classes, n, deviation = cell
    logits = rng.uniform(*special.logit([0.7, 0.95]), n_classes)
    shift = deviation * rng.standard_normal() / 2
    first, second = special.expit(logits - shift), special.expit(logits + shift)
    cells = draw(np.full(n_classes, n), first, second, 0.5, rng)
    better = difference(cells, "calibrated").ccdf(0.0)
    is_right = (better > 0.5) == (shift > 0)
    row = np.zeros((len(EDGES), 3))
    stated = max(better, 1 - better)
    row[np.searchsorted(EDGES, stated, side="right") - 1] = 1, stated, is_right
    return row.ravel()


def measure(kind, cell, numbers):
    """Add up the rows of some data sets: set k of a cell depends on the cell and k alone."""
    seed = zlib.crc32(json.dumps(cell).encode())
    return np.sum(
        [kind(cell, np.random.default_rng([seed, k])) for k in numbers], axis=0
    )


def run(args):
    """Bring the cells up to a number of data sets, and save the results of each."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    tasks = [(conclude, cell, args.sets) for cell in SHOWN + CHOSEN]
    tasks += [(state, cell, 5 * args.sets) for cell in SMALL]
    for kind, cell, sets in tasks:
        if args.only == {conclude: "differences", state: "cells"}[kind]:
            continue
        first, sums = results.get(json.dumps(cell), [0, 0])
        starts = range(first, sets, TASK)
        found = Parallel(n_jobs=args.jobs)(
            delayed(measure)(kind, cell, range(k, min(k + TASK, sets))) for k in starts
        )
        if found:
            total = (np.sum(found, axis=0) + sums).round(6).tolist()
            results[json.dumps(cell)] = [sets, total]
            RESULTS.write_text(json.dumps(results).replace("]], ", "]],\n ") + "\n")
        print(json.dumps(cell), *results[json.dumps(cell)], flush=True)


def table(rows):
    """Return a simple table of rows of text, the first of which is the header."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        " ".join(f"{text:<{w}}" for text, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    rule = " ".join("=" * width for width in widths)
    return "\n".join([rule, lines[0], rule, *lines[1:], rule]) + "\n"


def report():
    """Write the tables of the documentation."""
    results = json.loads(RESULTS.read_text())
    versions = (
        f"skpostbac {__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    )
    head = (
        f"Measured on {date.today()} with {versions}, Python {platform.python_version()}, by\n"
        "``python benchmarks/paired_default.py``.\n\n"
    )
    header = ["cells", "classes", "samples", "recalls of A", "of B", "rho", "sets"]
    rows = [[*header, "default", "(1/l, 1/l)", "McNemar"]]
    for name, cells in {"shown": SHOWN, "chosen on": CHOSEN}.items():
        for cell in cells:
            sets, sums = results[json.dumps(cell)]
            n_classes, *lists, rho = cell
            shares = [f"{total / sets:.3f}" for total in sums]
            texts = [", ".join(f"{value:g}" for value in values) for values in lists]
            priors = [" ".join(shares[:3]), " ".join(shares[3:6])]
            row = [
                name,
                str(n_classes),
                *texts,
                f"{rho:g}",
                str(sets),
                *priors,
                shares[6],
            ]
            rows.append(row)
    (DOC / "paired_default.rst.inc").write_text(head + table(rows))
    edges = [
        f"{low:g} to {high:g}" for low, high in zip(EDGES, (*EDGES[1:], 1), strict=True)
    ]
    rows = [["classes", "of each", "sd", *(f"stated {edge}" for edge in edges)]]
    for cell in SMALL:
        _, sums = results[json.dumps(cell)]
        n_classes, n, deviation = cell
        found = [
            f"{stated / number:.2f}, true {right / number:.2f} ({number:.0f})"
            for number, stated, right in np.reshape(sums, (-1, 3))
        ]
        rows.append([str(n_classes), str(n), f"{deviation:g}", *found])
    (DOC / "paired_differences.rst.inc").write_text(head + table(rows))


def main():
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=300, help="data sets a cell (300)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--only", choices=["cells", "differences"])
    parser.add_argument("--report", action="store_true", help="write the documentation")
    args = parser.parse_args()
    report() if args.report else run(args)


if __name__ == "__main__":
    main()
