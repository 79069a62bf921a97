"""Measure how often 95 % intervals hold the truth, and whether a warning tells when they do not.

    python benchmarks/validity.py [--sets N] [--priors P ...] [--classes L ...] [--jobs N]

A cell is a number of classes, their sizes and their recalls, which may rise or fall with the size.
Data set k of a cell depends on nothing but the name of the cell and k, so that a run can be
stopped, resumed and repeated. The limit of the warning was chosen on cells like those of --grid
chosen; what is reported are others. For the default interval, see `interval_coverage.py`.

    python benchmarks/validity.py --report

writes the tables and the picture of the documentation from the results.
"""

import argparse
import json
import platform
import zlib
from datetime import date
from functools import lru_cache
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy
from joblib import Parallel, delayed
from scipy.special import expit, logit

from skpostbac import ClassCounts, PosteriorBalancedAccuracy, __version__
from skpostbac.metrics._advice import dominating_influence

PRIORS = ("uniform", "jeffreys", "reciprocal")
# What the harder cells are run on.
HARD_PRIORS = ("calibrated", "reciprocal")
COLUMNS = ("central", "hdi", "warned")
# A coverage that is as it should be.
LOW, HIGH = 0.93, 0.985
# When the committed coverages were measured. The priors are named, so that they do not depend on
# what is the default; two cells had the same counts again on 2026-11-29.
MEASURED = date(2026, 11, 23)
# Data sets of a task, and those of a cell whose warnings are counted anew.
TASK, WARNED = 20, 40
RESULTS = Path(__file__).with_suffix(".json")
DOC = Path(__file__).parents[1] / "doc" / "evidence"


def equal(size):
    """Give all classes the same number of samples."""
    return lambda n_classes: np.full(n_classes, size)


def in_turn(sizes):
    """Give the classes these sizes in turn, and sort them."""
    return lambda n_classes: np.sort(np.resize(sizes, n_classes))


def one_of(size, others):
    """Give one class its own number of samples, and all others another."""
    return lambda n_classes: np.sort([size] + [others] * (n_classes - 1))


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
    return lambda sizes, rng: np.where(
        np.arange(sizes.size) < sizes.size / 2, small, large
    )


def trend(slope, noise=0.0):
    """Let the logit of the recall rise or fall with the log of the size."""

    def recalls(sizes, rng):
        x = np.log(sizes) - np.log(sizes).mean()
        return expit(logit(0.85) + slope * x + noise * rng.normal(size=sizes.size))

    return recalls


def steps(smallest, largest):
    """Let the recall change evenly from the smallest class to the largest."""
    return lambda sizes, rng: np.linspace(smallest, largest, sizes.size)


def mixed(low, high, share):
    """Give a random share of the classes the one recall, and the others the other."""
    return lambda sizes, rng: np.where(rng.random(sizes.size) < share, low, high)


def bad_smallest(recall, others):
    """Give the smallest class a recall of its own."""
    return lambda sizes, rng: np.where(np.arange(sizes.size) < 1, recall, others)


def some_at_chance(number):
    """Give the smallest classes the recall of guessing, all others .9."""
    return lambda sizes, rng: np.where(
        np.arange(sizes.size) < number, 1 / sizes.size, 0.9
    )


class Grid(NamedTuple):
    """Numbers of classes, their sizes and their recalls, and those that go with unequal sizes."""

    classes: tuple
    sizes: dict
    recalls: dict
    following: dict

    def names(self, classes, sizes):
        """Return the names of the cells of some numbers and sizes of classes."""
        for n_classes, size, recall in product(
            classes, sizes, self.recalls | self.following
        ):
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
    classes=(4, 7, 20, 60, 100, 300, 1000),
    sizes={
        **{str(size): equal(size) for size in (3, 8, 20, 60)},
        "3, 6, ..., 384": in_turn(3 * 2 ** np.arange(8)),
        "25 / rank": harmonic(25),
    },
    recalls={
        **{f"all {value}": constant(value) for value in (0.99, 0.98, 0.9, 0.75)},
        "Beta(9, 3)": lambda sizes, rng: rng.beta(9, 3, sizes.size),
        "U(.5, 1)": lambda sizes, rng: rng.uniform(0.5, 1, sizes.size),
        "one at chance": some_at_chance(1),
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
# Sizes and recalls that differ more than one would expect.
HARD = Grid(
    classes=(3, 5, 12),
    sizes={
        "2 and 200": in_turn([2, 200]),
        "one of 4, others 50": one_of(4, 50),
        "one of 2000, others 6": one_of(2000, 6),
    },
    recalls={
        "all 0.5": constant(0.5),
        "U(0, 1)": lambda sizes, rng: rng.uniform(0, 1, sizes.size),
        "3 of 10 .4, others .98": mixed(0.4, 0.98, 0.3),
        "from .3 to .95": steps(0.3, 0.95),
        "from .95 to .3": steps(0.95, 0.3),
        "smallest .3, others .93": bad_smallest(0.3, 0.93),
    },
    following={},
)
GRIDS = {"shown": SHOWN, "chosen": CHOSEN, "hard": HARD}


def draw(name, number):
    """Return the (correct, total) of each class, sorted, and the true balanced accuracy."""
    n_classes, size_name, recall_name = name.split("|")
    grid = next(one for one in GRIDS.values() if size_name in one.sizes)
    rng = np.random.default_rng([zlib.crc32(name.encode()), number])
    sizes = grid.sizes[size_name](int(n_classes)).astype(int)
    recalls = (grid.recalls | grid.following)[recall_name](sizes, rng)
    correct = rng.binomial(sizes, recalls)
    return tuple(
        sorted(zip(correct.tolist(), sizes.tolist(), strict=True))
    ), recalls.mean()


def share_below(distribution, x):
    """Return P(X <= x), or 1/2 if it is surely between .05 and .95, for what is asked here.

    This is so within 1.2 standard deviations of the mean if 3 of them fit into the support: a
    normal variable has .115 beyond 1.2. Both moments take a tenth of the time.
    """
    mean, deviation = distribution.mean(), distribution.standard_deviation()
    low, high = distribution.support()
    if abs(x - mean) < 1.2 * deviation < 0.4 * min(mean - low, high - mean):
        return 0.5
    return distribution.cdf(x)


def holds(distribution, truth):
    """Tell whether the central and the shortest 95 % interval hold the truth."""
    below = share_below(distribution, truth)
    if (
        0.05 <= below <= 0.95
    ):  # the shortest interval leaves out no more than .05 on either side
        return 0.025 <= below <= 0.975, True
    low, high = distribution.hdi(0.95)
    return 0.025 <= below <= 0.975, low <= truth <= high


def posterior_of(prior, counts):
    """Return the posterior of the (correct, total) of each class."""
    correct, total = zip(*counts, strict=True)
    counted = ClassCounts(range(len(counts)), correct, total)
    return PosteriorBalancedAccuracy(counted, prior=prior)


@lru_cache(maxsize=10_000)
def is_warned(prior, counts):
    """Tell whether a warning is given."""
    return dominating_influence([posterior_of(prior, counts)._evidence()]) is not None


@lru_cache(maxsize=10_000)
def conclude(prior, counts, truth):
    """Tell whether each interval holds the truth, and whether a warning is given.

    In place of the shortest interval, the default prior has the reported one, which is the union.
    """
    central, shortest = holds(posterior_of(prior, counts).distribution, truth)
    if prior == "calibrated":
        shortest = central or shortest
    return central, shortest, is_warned(prior, counts)


def measure(name, prior, numbers):
    """Count over some data sets which intervals hold the truth, and the warnings."""
    rows = [conclude(prior, *draw(name, number)) for number in numbers]
    return np.sum(rows, axis=0, dtype=int)


def count_warnings(name, prior, sets):
    """Count over the first data sets the warnings alone."""
    return sum(is_warned(prior, draw(name, number)[0]) for number in range(sets))


def asked_names(args):
    """Return the names of the cells that are asked for."""
    grid = GRIDS[args.grid]
    names = grid.names(args.classes or grid.classes, args.sizes or grid.sizes)
    return [
        name for name in names if not args.recalls or name.split("|")[2] in args.recalls
    ]


def save(results, path):
    """Write the results, a cell a line."""
    path.write_text(json.dumps(results).replace("}, ", "},\n ") + "\n")


def run_warnings(args):
    """Count the warnings anew, by the rule of today, on the first data sets of each cell."""
    results = json.loads(args.results.read_text())
    asked = [
        (name, prior)
        for name, prior in product(asked_names(args), args.priors)
        if prior in results.get(name, {})
    ]
    found = Parallel(n_jobs=args.jobs, return_as="generator")(
        delayed(count_warnings)(name, prior, WARNED) for name, prior in asked
    )
    for (name, prior), warned in zip(asked, found, strict=True):
        # The share of these stands for that of all.
        results[name][prior][-1] = warned / WARNED * results[name][prior][0]
        print(name, prior, f"{warned / WARNED:.3f}", flush=True)
    save(results, args.results)


def run(args):
    """Bring the cells up to a number of data sets, and save the results of every few."""
    results = json.loads(args.results.read_text()) if args.results.exists() else {}
    for name, prior in product(asked_names(args), args.priors):
        cell = results.setdefault(name, {})
        first = cell.setdefault(prior, [0, 0, 0, 0])[0]
        tasks = [
            range(k, min(k + TASK, args.sets)) for k in range(first, args.sets, TASK)
        ]
        parallel = Parallel(n_jobs=args.jobs, return_as="generator")
        found = parallel(delayed(measure)(name, prior, task) for task in tasks)
        for task, sums in zip(tasks, found, strict=True):
            cell[prior] = [task.stop, *(np.array(cell[prior][1:]) + sums).tolist()]
            save(results, args.results)
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
        " ".join(
            f"{text:<{width}}" for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def coverage_table(results, column):
    """Return mean and least coverage over the recalls, for each number and sizes of classes."""
    rows = [["classes", "samples", "cells", *PRIORS]]
    for n_classes, sizes in product(SHOWN.classes, SHOWN.sizes):
        found = [
            shares(results, prior, [n_classes], [sizes])[:, column] for prior in PRIORS
        ]
        shown = [
            f"{some.mean():.2f} ({some.min():.2f})" if some.size else ""
            for some in found
        ]
        if cells := max(some.size for some in found):
            rows.append([n_classes, sizes, cells, *shown])
    return write_table([7, 14, 5] + [12] * len(PRIORS), rows)


def warning_table(results):
    """Return the share of data sets that are warned of, by the coverage of their cell.

    Cells of up to 20 classes, whose warnings take seconds to count.
    """
    edges = [0, 0.5, 0.8, 0.85, 0.9, 0.93, 1.01]
    rows = [["coverage", *PRIORS]]
    for low, high in [*pairwise(edges), (0, 0.9)]:
        row = [f"{low:g} to {min(high, 1):g}"]
        for prior in PRIORS:
            found = shares(results, prior, SHOWN.classes[:3])
            found = found[(found[:, 2] >= low) & (found[:, 2] < high)]
            row.append(f"{found[:, 3].mean():.2f} ({len(found)})" if len(found) else "")
        rows.append(row)
    return write_table([12] + [12] * len(PRIORS), rows)


def summary_table(results):
    """Return, for both kinds of intervals, how coverage is spread over the cells.

    The error is the standard error of the mean coverage of these cells.
    """
    head = ["classes", "prior", "interval", "sets", "cells", "mean", "error", "least"]
    rows = [[*head, "below .90", ".93 to .985"]]
    groups = {"4 to 20": SHOWN.classes[:3], "60 to 1000": SHOWN.classes[3:]}
    kinds = tuple(enumerate(COLUMNS[:2], 1))
    for (group, classes), prior, (column, kind) in product(
        groups.items(), PRIORS, kinds
    ):
        found = shares(results, prior, classes)
        if len(found):
            sets, held = found[:, 0], found[:, column]
            within = ((held >= LOW) & (held <= HIGH)).sum()
            error = np.sqrt((held * (1 - held) / sets).sum()) / len(held)
            spread = f"{sets.min():.0f} to {sets.max():.0f}"
            figures = [f"{held.mean():.3f}", f"{error:.3f}", f"{held.min():.3f}"]
            counts = [(held < 0.9).sum(), within]
            rows.append([group, prior, kind, spread, len(held), *figures, *counts])
    return write_table([10, 12, 8, 11, 5, 5, 5, 5, 9, 11], rows)


def hard_table(results):
    """Return the coverage in the harder cells, and the share warned of."""
    rows = [["classes", "samples", "recalls", *HARD_PRIORS]]
    for name in HARD.names(HARD.classes, HARD.sizes):
        cells = [results[name][prior] for prior in HARD_PRIORS]
        shown = [
            f"{held / sets:.3f} ({warned / sets:.2f})"
            for sets, _, held, warned in cells
        ]
        rows.append([*name.split("|"), *shown])
    return write_table([7, 21, 23, 12, 12], rows)


def plot(results, path):
    """Draw the coverage of the shortest interval, a panel for each prior."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    classes = SHOWN.classes
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(9, 2.9), layout="constrained")
        for ax, prior in zip(
            figure.subplots(1, len(PRIORS), sharey=True), PRIORS, strict=True
        ):
            ax.axhspan(LOW, HIGH, color="0.85", lw=0)
            ax.axhline(0.95, color="0.4", lw=0.8)
            for place, n_classes in enumerate(classes):
                found = shares(results, prior, [n_classes])[:, 2]
                spread = np.linspace(-0.3, 0.3, found.size)
                ax.plot(place + spread, found, "o", ms=2, color="#0072b2", alpha=0.7)
            ax.set_title(prior)
            ax.set_xticks(range(len(classes)), classes, fontsize=6)
            ax.set_ylim(-0.03, 1.03)
        figure.axes[0].set_ylabel("coverage of 95 % intervals")
        figure.supxlabel("number of classes", fontsize=9)
        figure.savefig(path)


def report(path):
    """Write the tables and the picture of the documentation."""
    results = json.loads(path.read_text())
    versions = (
        f"skpostbac {__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    )
    head = (
        f"Measured on {MEASURED} with {versions}, Python {platform.python_version()}, by\n"
        "``python benchmarks/validity.py``, on cells that were not used to choose anything.\n"
    )
    warned = (
        f"Warnings counted on {date.today()} in {WARNED} data sets a cell, by\n"
        "``python benchmarks/validity.py --warnings --classes 4 7 20``.\n"
    )
    parts = {
        "validity_summary": f"{head}\n{summary_table(results)}\n",
        "validity_cells": f"{head}\n{coverage_table(results, 2)}\n",
        "validity_warning": f"{warned}\n{warning_table(results)}\n",
        "validity_hard": f"{hard_table(results)}\n",
    }
    for name, text in parts.items():
        (DOC / f"{name}.rst.inc").write_text(text)
    plot(results, DOC / "validity.svg")


def main():
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets a cell (400)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument(
        "--classes", type=int, nargs="*", help="some numbers of classes (all)"
    )
    parser.add_argument("--sizes", nargs="*", help="some sizes of classes (all)")
    parser.add_argument("--recalls", nargs="*", help="some recalls (all)")
    parser.add_argument(
        "--priors", nargs="*", default=PRIORS, choices=(*PRIORS, "calibrated")
    )
    parser.add_argument("--grid", default="shown", choices=GRIDS, help="cells (shown)")
    parser.add_argument(
        "--warnings", action="store_true", help="count the warnings anew"
    )
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--report", action="store_true", help="write the documentation")
    args = parser.parse_args()
    if args.report:
        report(args.results)
    elif args.warnings:
        run_warnings(args)
    else:
        run(args)


if __name__ == "__main__":
    main()
