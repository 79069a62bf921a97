"""Measure what is lost by choosing one of 20 candidates by its score or by its posterior.

    python benchmarks/selection_loss.py [--sets N] [--jobs N] [--classes L ...] [--sizes N ...]

All candidates predict the same test set. The logit of the recall of candidate c in class i is
logit(.85) + a u_c + b v_ci + s t_c x_i with normal variables u, v and t of variance 1, and x_i the
standardised log of the class size; a is .3. A candidate is right on a sample where a normal
variable, which has a correlation of .5 between candidates, is below the quantile of its recall.
The loss is the balanced accuracy of the best candidate less that of the chosen one. Data set k of a
cell depends on nothing but the name of the cell and k.

    python benchmarks/selection_loss.py --report

writes `selection_loss.rst` beside this file.
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
from scipy.special import expit, logit, ndtri
from validity import TASK, equal, in_turn

from skpostbac import ClassCounts, PosteriorBalancedAccuracy, __version__

CLASSES = (3, 10, 50)
CANDIDATES = 20
RESULTS = Path(__file__).with_suffix(".json")
SIZES = {
    "5": equal(5),
    "20": equal(20),
    "2, 4, ..., 256": in_turn(2 ** np.arange(1, 9)),
}
# b and s of the logits.
DIFFERENCES = {
    "everywhere": (0.0, 0.0),
    "class by class": (0.5, 0.0),
    "by size": (0.0, 0.5),
}
CRITERIA = ("score", "mean", "lower bound")


def draw(name, number):
    """Return the sizes of the classes, the correct predictions and the true recalls, by row."""
    n_classes, size_name, difference = name.split("|")
    rng = np.random.default_rng([zlib.crc32(name.encode()), number])
    sizes = SIZES[size_name](int(n_classes)).astype(int)
    by_class, by_size = DIFFERENCES[difference]
    u, t = rng.normal(size=(2, CANDIDATES, 1))
    v = rng.normal(size=(CANDIDATES, sizes.size))
    x = np.log(sizes) - np.log(sizes).mean()
    x = x / (x.std() or 1.0)
    recalls = expit(logit(0.85) + 0.3 * u + by_class * v + by_size * t * x)
    correct = np.empty(recalls.shape, dtype=int)
    for place, size in enumerate(sizes.tolist()):
        shared, own = rng.normal(size=size), rng.normal(size=(CANDIDATES, size))
        limits = ndtri(recalls[:, place, np.newaxis])
        correct[:, place] = (np.sqrt(0.5) * (shared + own) < limits).sum(axis=1)
    return sizes, correct, recalls


def criteria(sizes, correct):
    """Return what each criterion says of a candidate."""
    counts = ClassCounts(range(sizes.size), correct, sizes)
    posterior = PosteriorBalancedAccuracy(counts)
    score = (correct / sizes).mean()
    return score, posterior.mean(), posterior.lower_bound()


def measure(name, numbers):
    """Return the loss by each criterion on some data sets, shape (n_sets, n_criteria)."""
    losses = []
    for number in numbers:
        sizes, correct, recalls = draw(name, number)
        truth = recalls.mean(axis=1)
        values = np.array([criteria(sizes, row) for row in correct])
        # Scores are often equal, up to rounding: the mean over the best ones.
        is_best = values >= values.max(axis=0) - 1e-9
        losses.append(truth.max() - truth @ is_best / is_best.sum(axis=0))
    return losses


def run(args):
    """Bring the cells up to a number of data sets, and save the results of every few."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for n_classes, sizes, difference in product(args.classes, args.sizes, DIFFERENCES):
        if sizes.isdigit() and difference == "by size":
            continue
        name = f"{n_classes}|{sizes}|{difference}"
        losses = results.setdefault(name, [])
        tasks = [
            range(k, min(k + TASK, args.sets))
            for k in range(len(losses), args.sets, TASK)
        ]
        parallel = Parallel(n_jobs=args.jobs, return_as="generator")
        for more in parallel(delayed(measure)(name, task) for task in tasks):
            losses += np.round(more, 6).tolist()
            RESULTS.write_text(json.dumps(results).replace("]], ", "]],\n ") + "\n")
        print(name, len(losses), np.round(np.mean(losses, axis=0), 4), flush=True)


def report():
    """Write the table."""
    results = json.loads(RESULTS.read_text())
    rows = [["classes", "samples", "differ", "sets", *CRITERIA]]
    every = [losses for cell in results.values() for losses in cell]
    for name, losses in [*results.items(), ("all||", every)]:
        found = np.array(losses)
        found[:, 1:] -= found[:, :1]
        means, errors = (
            found.mean(axis=0),
            found.std(axis=0, ddof=1) / np.sqrt(len(found)),
        )
        signs = ["", *"+" * (len(CRITERIA) - 1)]
        shown = [
            f"{m:{sign}.4f} ({e:.4f})"
            for m, e, sign in zip(means, errors, signs, strict=True)
        ]
        rows.append([*name.split("|"), len(found), *shown])
    widths = [max(len(str(row[k])) for row in rows) for k in range(len(rows[0]))]
    rule = " ".join("=" * width for width in widths)
    lines = [
        " ".join(
            f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    head = (
        f"{date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}, skpostbac {__version__};\n``python benchmarks/selection_loss.py --sets "
        f"{max(map(len, results.values()))}``. Standard errors in brackets.\n"
    )
    table = "\n".join([rule, lines[0], rule, *lines[1:], rule])
    RESULTS.with_suffix(".rst").write_text(f"{head}\n{table}\n")


def main():
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets a cell (400)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES)
    parser.add_argument("--sizes", nargs="*", default=SIZES, choices=SIZES)
    parser.add_argument("--report", action="store_true", help="write the table")
    args = parser.parse_args()
    report() if args.report else run(args)


if __name__ == "__main__":
    main()
