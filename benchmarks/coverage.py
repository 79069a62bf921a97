"""Measure how often intervals of the balanced accuracy hold its true value.

    python benchmarks/coverage.py [--sets N] [--jobs N] [--classes L ...] [--sizes N ...]

brings all cells up to a number of data sets and prints a line for each. A cell is a number of
classes, their sizes and a truth. Data set k of a cell depends on nothing but the name of the cell
and k, so that a run can be stopped, resumed and repeated to the last digit. The classes of the
balanced accuracy are fixed; their true recalls, where random, are drawn anew for each data set.

    python benchmarks/coverage.py --report

writes the table and the plot of the documentation from the results.
"""

import argparse
import json
import platform
import time
import zlib
from datetime import date
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
import scipy
from joblib import Parallel, delayed
from scipy import special

from skpostbac import ClassCounts, PosteriorBalancedAccuracy, __version__
from skpostbac._utils.progress_line import progress
from skpostbac.stats import Hyperprior

CLASSES = (2, 3, 5, 10, 50, 100, 1000)
SIZES = ("2", "5", "10", "30", "100", "unequal")
TRUTHS = ("0.9", "0.6", "Beta(18, 2)", "U(0.3, 1)", "one at chance")
LEVELS = (0.95, 0.8)
# One rate for classes of all sizes; `validity.py` has the hierarchical prior of today.
ONE_RATE = Hyperprior(strata=None, kappa=(4, 8, 16, 32, 64, 128))
PRIORS = {
    "uniform": "uniform",
    "jeffreys": "jeffreys",
    "reciprocal": "reciprocal",
    "one rate": ONE_RATE,
}
METHODS = (*PRIORS, "mean +- 2 se", "delta method", "bootstrap")
# Draws of a bootstrap, and data sets of a task.
DRAWS, TASK = 1000, 100
DOC = Path(__file__).parents[1] / "doc" / "evidence"
RESULTS = Path(__file__).with_suffix(".json")


def true_recalls(name, n_classes, rng):
    """Return the recalls of the classes."""
    if name == "Beta(18, 2)":
        return rng.beta(18, 2, n_classes)
    if name == "U(0.3, 1)":
        return rng.uniform(0.3, 1, n_classes)
    recalls = np.full(n_classes, 0.9 if name == "one at chance" else float(name))
    if name == "one at chance":
        recalls[0] = 1 / n_classes
    return recalls


def class_sizes(name, n_classes):
    """Return the numbers of samples of the classes; the first class is a small one."""
    if name == "unequal":
        return np.resize([2, 5, 10, 30, 100], n_classes)
    return np.full(n_classes, int(name))


def posterior(prior, counts):
    """Return a posterior; the order of the classes does not matter to it."""
    correct, total = zip(*counts, strict=True)
    return PosteriorBalancedAccuracy(ClassCounts(range(len(counts)), correct, total), prior=prior)


def covered(cell, number, posterior):
    """Tell which methods hold the truth of one data set, shape (n_methods, n_levels)."""
    n_classes, size, name = cell
    rng = np.random.default_rng([zlib.crc32(f"{n_classes} {size} {name}".encode()), number])
    total, recalls = class_sizes(size, n_classes), true_recalls(name, n_classes, rng)
    correct, truth = rng.binomial(total, recalls), float(recalls.mean())
    counts = tuple(sorted(zip(correct.tolist(), total.tolist(), strict=True)))
    tails = np.array([(1 - level) / 2 for level in LEVELS])
    rows = []
    for prior in PRIORS.values():
        below = posterior(prior, counts).cdf(truth)
        rows.append((tails <= below) & (below <= 1 - tails))
    rates = correct / total
    errors = rates.std(ddof=1) / n_classes**0.5, np.sqrt((rates * (1 - rates) / total).sum())
    for error in (errors[0], errors[1] / n_classes):
        rows += [abs(truth - rates.mean()) <= special.ndtri(1 - tails) * error]
    means = (rng.binomial(total, rates, (DRAWS, n_classes)) / total).mean(axis=1)
    low, high = np.quantile(means, [tails, 1 - tails])
    # Ends that differ by rounding are equal.
    rows.append((low - 1e-12 <= truth) & (truth <= high + 1e-12))
    return np.array(rows, dtype=int)


def covered_sets(cell, numbers):
    """Count over some data sets how often each method holds the truth."""
    # Small data sets are often alike.
    cached = lru_cache(maxsize=None)(posterior)
    return sum(covered(cell, number, cached) for number in numbers)


def run(path, sets, jobs, cells):
    """Bring the cells up to a number of data sets, and save the results after each."""
    results = json.loads(path.read_text()) if path.exists() else {}
    start = time.perf_counter()
    for done, cell in enumerate(cells, 1):
        key = "|".join(map(str, cell))
        old = results.get(key, {"sets": 0, "hits": np.zeros((len(METHODS), 2), int).tolist()})
        if old["sets"] < sets:
            tasks = [
                range(first, min(first + TASK, sets)) for first in range(old["sets"], sets, TASK)
            ]
            parallel = Parallel(n_jobs=jobs, return_as="generator")
            found = parallel(delayed(covered_sets)(cell, task) for task in tasks)
            hits = np.array(old["hits"]) + sum(progress(found, len(tasks), key))
            results[key] = {"sets": sets, "hits": hits.tolist()}
            path.write_text(json.dumps(results, indent=None).replace("}, ", "},\n ") + "\n")
        seconds = time.perf_counter() - start
        shares = np.array(results[key]["hits"])[:, 0] / results[key]["sets"]
        row = " ".join(f"{share:.3f}" for share in shares)
        print(f"{done}/{len(cells)} {key} {results[key]['sets']}: {row} ({seconds:.0f} s)")


def table(results, level):
    """Write the coverage at one level as a reStructuredText table."""
    widths = [7, 7, 13, 5] + [12] * len(METHODS)
    rule = " ".join("=" * width for width in widths)

    def line(cells):
        return " ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))

    lines = [rule, line(["classes", "samples", "recalls", "sets", *METHODS]), rule]
    for cell in product(CLASSES, SIZES, TRUTHS):
        entry = results.get("|".join(map(str, cell)))
        if entry is not None:
            shares = np.array(entry["hits"])[:, LEVELS.index(level)] / entry["sets"]
            lines.append(line([*cell, entry["sets"], *(f"{share:.3f}" for share in shares)]))
    return "\n".join(row.rstrip() for row in [*lines, rule])


def plot(results, path):
    """Draw the coverage of nominal 95 % intervals, a panel for each method."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    shown = [METHODS.index(name) for name in ("uniform", "reciprocal", "one rate", "bootstrap")]
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(9, 2.9), layout="constrained")
        axes = figure.subplots(1, len(shown), sharey=True)
        for ax, method in zip(axes, shown, strict=True):
            ax.axhspan(0.93, 0.98, color="0.85", lw=0)
            ax.axhline(0.95, color="0.4", lw=0.8)
            for place, n_classes in enumerate(CLASSES):
                cells = product([n_classes], SIZES, TRUTHS)
                entries = [results.get("|".join(map(str, cell))) for cell in cells]
                shares = [e["hits"][method][0] / e["sets"] for e in entries if e is not None]
                spread = np.linspace(-0.25, 0.25, len(shares))
                ax.plot(place + spread, shares, "o", ms=2.5, color="#0072b2", alpha=0.7)
            ax.set_title(METHODS[method])
            ax.set_xticks(range(len(CLASSES)), CLASSES, fontsize=7)
            ax.set_xlabel("number of classes")
        axes[0].set_ylabel("coverage of 95 % intervals")
        axes[0].set_ylim(-0.03, 1.03)
        figure.savefig(path)


def report(path):
    """Write the tables and the plot of the documentation."""
    results = json.loads(path.read_text())
    versions = f"skpostbac {__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    head = f"Measured on {date.today()} with {versions}, Python {platform.python_version()}, by\n"
    parts = [head + "``python benchmarks/coverage.py``. A dot or a row is a cell.\n"]
    parts += [f"Nominal {level:.0%}:\n\n{table(results, level)}\n" for level in LEVELS]
    (DOC / "coverage.rst.inc").write_text("\n".join(parts))
    plot(results, DOC / "coverage.svg")


def main():
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=2000, help="data sets a cell")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--report", action="store_true", help="write the documentation")
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES)
    parser.add_argument("--sizes", nargs="*", default=SIZES)
    args = parser.parse_args()
    if args.report:
        report(args.results)
    else:
        run(args.results, args.sets, args.jobs, list(product(args.classes, args.sizes, TRUTHS)))


if __name__ == "__main__":
    main()
