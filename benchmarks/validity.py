"""Measure how often 95 % intervals hold the truth, and whether a warning tells when they do not.

    python benchmarks/validity.py [--sets N] [--priors P ...] [--classes L ...] [--jobs N]

A cell is a number of classes, their sizes and their recalls, which may rise or fall with the size.
Data set k of a cell depends on nothing but the name of the cell and k, so that a run can be
stopped, resumed and repeated. The default interval and the limit of the warning were chosen on
cells like those of --chosen; what is reported are others.

    python benchmarks/validity.py --report

writes the tables and the picture of the documentation from the results.
"""

import argparse
import json
import platform
import zlib
from datetime import date
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy
from joblib import Parallel, delayed
from scipy.special import expit, logit

from skpostbac import ClassCounts, PosteriorBalancedAccuracy, __version__
from skpostbac.metrics._priors import dominating_influence
from skpostbac.stats import Hyperprior
from skpostbac.stats._beta import evaluate_all

PRIORS = {
    "uniform": "uniform",
    "jeffreys": "jeffreys",
    "reciprocal": "reciprocal",
    "one rate": Hyperprior(strata=None),
    "hierarchical": "hierarchical",
}
COLUMNS = ("central", "hdi", "warned")
RESULTS = Path(__file__).with_suffix(".json")
DOC = Path(__file__).parents[1] / "doc" / "evidence"


def equal(size):
    """Give all classes the same number of samples."""
    return lambda n_classes: np.full(n_classes, size)


def in_turn(sizes):
    """Give the classes these sizes in turn, and sort them."""
    return lambda n_classes: np.sort(np.resize(sizes, n_classes))


def harmonic(samples):
    """Give class i a share proportional to 1 / i, of so many samples a class on average."""

    def sizes(n_classes):
        ranks = np.arange(1, n_classes + 1)
        shares = n_classes / ranks / (np.log(n_classes) + 0.6)
        return np.sort(np.maximum(2, np.rint(samples * shares)))

    return sizes


def constant(value):
    """Give all classes this recall."""
    return lambda sizes, rng: np.full(sizes.size, value)


def halves(small, large):
    """Give these recalls to the smaller and the larger half of the classes."""
    return lambda sizes, rng: np.where(np.arange(sizes.size) < sizes.size / 2, small, large)


def trend(slope, noise=0.0):
    """Let the logit of the recall rise or fall with the log of the size."""

    def recalls(sizes, rng):
        x = np.log(sizes) - np.log(sizes).mean()
        return expit(logit(0.85) + slope * x + noise * rng.normal(size=sizes.size))

    return recalls


def some_at_chance(number):
    """Give the smallest classes the recall of guessing, all others .9."""
    return lambda sizes, rng: np.where(np.arange(sizes.size) < number, 1 / sizes.size, 0.9)


class Grid(NamedTuple):
    """Numbers of classes, their sizes and their recalls, and those that go with unequal sizes."""

    classes: tuple
    sizes: dict
    recalls: dict
    following: dict

    def names(self, classes, sizes):
        """Return the names of the cells of some numbers and sizes of classes."""
        for n_classes, size, recall in product(classes, sizes, self.recalls | self.following):
            if not (size.isdigit() and recall in self.following):
                yield f"{n_classes}|{size}|{recall}"


CHOSEN = Grid(
    classes=(2, 3, 5, 10, 30, 100),
    sizes={
        **{str(size): equal(size) for size in (2, 5, 10, 30, 100)},
        "2, 4, ..., 256": in_turn(2 ** np.arange(1, 9)),
        "1 / rank": harmonic(40),
        "2, 5, ..., 100": in_turn([2, 5, 10, 30, 100]),
    },
    recalls={
        **{f"all {value}": constant(value) for value in (0.99, 0.95, 0.85, 0.6)},
        "Beta(18, 2)": lambda sizes, rng: rng.beta(18, 2, sizes.size),
        "U(.3, 1)": lambda sizes, rng: rng.uniform(0.3, 1, sizes.size),
        "one at chance": some_at_chance(1),
        "small .6, large .95": halves(0.6, 0.95),
        "small .95, large .6": halves(0.95, 0.6),
    },
    following={
        "rising": trend(0.5),
        "falling": trend(-0.5),
        "rising, noisy": trend(0.3, 0.7),
    },
)
SHOWN = Grid(
    classes=(4, 7, 20, 60),
    sizes={
        **{str(size): equal(size) for size in (3, 8, 20, 60)},
        "3, 6, ..., 384": in_turn(3 * 2 ** np.arange(8)),
        "25 / rank": harmonic(25),
    },
    recalls={
        **{f"all {value}": constant(value) for value in (0.98, 0.9, 0.75)},
        "Beta(9, 3)": lambda sizes, rng: rng.beta(9, 3, sizes.size),
        "U(.5, 1)": lambda sizes, rng: rng.uniform(0.5, 1, sizes.size),
        "two at chance": some_at_chance(2),
        "small .7, large .97": halves(0.7, 0.97),
        "small .97, large .7": halves(0.97, 0.7),
    },
    following={
        "rising": trend(0.35),
        "falling": trend(-0.35),
        "falling, noisy": trend(-0.25, 0.5),
    },
)


def conclude(prior, data_sets):
    """Return both intervals, and whether a warning is given, of each (sorted correct and total)."""
    posteriors = [
        PosteriorBalancedAccuracy(
            ClassCounts(range(len(counts)), *zip(*counts, strict=True)), prior=PRIORS[prior]
        )
        for counts in data_sets
    ]
    distributions = [posterior.distribution for posterior in posteriors]
    central = evaluate_all(distributions, lambda one: one.interval(0.95))
    hdi = evaluate_all(distributions, lambda one: one.hdi(0.95))
    warned = [dominating_influence(posterior) is not None for posterior in posteriors]
    return list(zip(central, hdi, warned, strict=True))


def measure(name, prior, numbers):
    """Count over some data sets which intervals hold the truth, and the warnings."""
    n_classes, size_name, recall_name = name.split("|")
    grid = SHOWN if int(n_classes) in SHOWN.classes else CHOSEN
    data_sets, truths = [], []
    for number in numbers:
        rng = np.random.default_rng([zlib.crc32(name.encode()), number])
        sizes = grid.sizes[size_name](int(n_classes)).astype(int)
        recalls = (grid.recalls | grid.following)[recall_name](sizes, rng)
        correct = rng.binomial(sizes, recalls)
        truths.append(recalls.mean())
        data_sets.append(tuple(sorted(zip(correct.tolist(), sizes.tolist(), strict=True))))
    # Small data sets are often alike.
    distinct = list(dict.fromkeys(data_sets))
    conclusions = dict(zip(distinct, conclude(prior, distinct), strict=True))
    sums = np.zeros(len(COLUMNS), dtype=int)
    for counts, truth in zip(data_sets, truths, strict=True):
        *intervals, is_warned = conclusions[counts]
        sums += [*(low <= truth <= high for low, high in intervals), is_warned]
    return sums


def run(args):
    """Bring the cells up to a number of data sets, and save the results after each."""
    results = json.loads(args.results.read_text()) if args.results.exists() else {}
    grid = CHOSEN if args.chosen else SHOWN
    names = list(grid.names(args.classes or grid.classes, args.sizes or grid.sizes))
    for name, prior in product(names, args.priors):
        cell = results.setdefault(name, {})
        old = cell.get(prior, [0, 0, 0, 0])
        if old[0] < args.sets:
            parts = np.array_split(np.arange(old[0], args.sets), args.jobs)
            tasks = (delayed(measure)(name, prior, part.tolist()) for part in parts)
            found = sum(Parallel(n_jobs=args.jobs)(tasks))
            cell[prior] = [args.sets, *(np.array(old[1:]) + found).tolist()]
            args.results.write_text(json.dumps(results).replace("}, ", "},\n ") + "\n")
        sets, *sums = cell[prior]
        print(name, prior, sets, *(f"{total / sets:.3f}" for total in sums), flush=True)


def shares(results, prior, classes=SHOWN.classes, sizes=tuple(SHOWN.sizes)):
    """Return the data sets and the shares of each cell that a prior was run on."""
    rows = []
    for name, cell in results.items():
        n_classes, size_name, _ = name.split("|")
        if prior in cell and int(n_classes) in classes and size_name in sizes:
            sets, *sums = cell[prior]
            rows.append([sets, *(total / sets for total in sums)])
    return np.array(rows).reshape(-1, 4)


def write_table(widths, rows):
    """Return a reStructuredText table; the first row is its head."""
    rule = " ".join("=" * width for width in widths)
    lines = [
        " ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def coverage_table(results, column):
    """Return mean and least coverage over the recalls, for each number and sizes of classes."""
    rows = [["classes", "samples", "cells", *PRIORS]]
    for n_classes, sizes in product(SHOWN.classes, SHOWN.sizes):
        found = [shares(results, prior, [n_classes], [sizes])[:, column] for prior in PRIORS]
        shown = [f"{some.mean():.2f} ({some.min():.2f})" if some.size else "" for some in found]
        if found[0].size:
            rows.append([n_classes, sizes, found[0].size, *shown])
    return write_table([7, 14, 5] + [12] * len(PRIORS), rows)


def warning_table(results):
    """Return the share of data sets that are warned of, by the coverage of their cell."""
    edges = [0, 0.5, 0.8, 0.85, 0.9, 0.93, 1.01]
    rows = [["coverage", *PRIORS]]
    for low, high in pairwise(edges):
        row = [f"{low:g} to {min(high, 1):g}"]
        for prior in PRIORS:
            found = shares(results, prior)
            found = found[(found[:, 2] >= low) & (found[:, 2] < high)]
            row.append(f"{found[:, 3].mean():.2f} ({len(found)})" if len(found) else "")
        rows.append(row)
    return write_table([12] + [12] * len(PRIORS), rows)


def summary_table(results):
    """Return, for both kinds of intervals, how coverage is spread over the cells."""
    rows = [["prior", "interval", "sets", "cells", "mean", "least", "below .90", ".93 to .985"]]
    for prior, (column, kind) in product(PRIORS, enumerate(COLUMNS[:2], 1)):
        found = shares(results, prior)
        if len(found):
            held = found[:, column]
            within = ((held >= 0.93) & (held <= 0.985)).sum()
            sets = f"{found[:, 0].min():.0f}"
            figures = [f"{held.mean():.3f}", f"{held.min():.3f}", (held < 0.9).sum(), within]
            rows.append([prior, kind, sets, len(held), *figures])
    return write_table([12, 8, 5, 5, 6, 6, 10, 12], rows)


def plot(results, path):
    """Draw the coverage of the default interval, a panel for each prior."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    classes = sorted({int(name.split("|")[0]) for name in results})
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(9, 2.9), layout="constrained")
        for ax, prior in zip(figure.subplots(1, len(PRIORS), sharey=True), PRIORS, strict=True):
            ax.axhspan(0.93, 0.985, color="0.85", lw=0)
            ax.axhline(0.95, color="0.4", lw=0.8)
            for place, n_classes in enumerate(classes):
                found = shares(results, prior, [n_classes])[:, 2]
                spread = np.linspace(-0.3, 0.3, found.size)
                ax.plot(place + spread, found, "o", ms=2, color="#0072b2", alpha=0.7)
            ax.set_title(prior)
            ax.set_xticks(range(len(classes)), classes, fontsize=7)
            ax.set_ylim(-0.03, 1.03)
        figure.axes[0].set_ylabel("coverage of 95 % intervals")
        figure.supxlabel("number of classes", fontsize=9)
        figure.savefig(path)


def report(path):
    """Write the tables and the picture of the documentation."""
    results = json.loads(path.read_text())
    versions = f"skpostbac {__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    head = (
        f"Measured on {date.today()} with {versions}, Python {platform.python_version()}, by\n"
        "``python benchmarks/validity.py``, on cells that were not used to choose anything.\n"
    )
    parts = {
        "validity_summary": f"{head}\n{summary_table(results)}\n",
        "validity_cells": f"{head}\n{coverage_table(results, 2)}\n",
        "validity_warning": f"{warning_table(results)}\n",
    }
    for name, text in parts.items():
        (DOC / f"{name}.rst.inc").write_text(text)
    plot(results, DOC / "validity.svg")


def main():
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets a cell (400)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--classes", type=int, nargs="*", help="some numbers of classes (all)")
    parser.add_argument("--sizes", nargs="*", help="some sizes of classes (all)")
    parser.add_argument("--priors", nargs="*", default=PRIORS, choices=PRIORS)
    parser.add_argument("--chosen", action="store_true", help="cells that served to choose")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--report", action="store_true", help="write the documentation")
    args = parser.parse_args()
    if args.report:
        report(args.results)
    else:
        run(args)


if __name__ == "__main__":
    main()
