"""Measure how often intervals hold the truth where recall goes with class size, or does not.

    python benchmarks/size_coverage.py [--sets N] [--jobs N] [--classes L ...]

brings all cells up to a number of data sets and prints a line for each. The sizes are 2, 4, ...,
256 in turn, smallest first, or 10 in all classes. Data set k of a cell depends on nothing but the
name of the cell and k, so that a run can be stopped, resumed and repeated. The cells were not used
to choose the prior.

    python benchmarks/size_coverage.py --report

writes the table of the documentation from the results.
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
from scipy.special import expit, logit

from skpostbac import ClassCounts, PosteriorBalancedAccuracy, __version__
from skpostbac.stats import Hyperprior

CLASSES = (3, 10, 50)
PRIORS = {
    "uniform": "uniform",
    "reciprocal": "reciprocal",
    "one rate": Hyperprior(strata=None),
    "hierarchical": "hierarchical",
}
LEVEL = 0.95
RESULTS = Path(__file__).with_suffix(".json")
TABLE = Path(__file__).parents[1] / "doc" / "user_guide" / "size_coverage.rst.inc"


def halves(small, large):
    """Return recalls of the smaller and of the larger half of the classes."""
    return lambda sizes, rng: np.where(np.arange(sizes.size) < sizes.size / 2, small, large)


def trend(slope, noise=0.0):
    """Return recalls whose logit rises or falls with the log of the size."""

    def recalls(sizes, rng):
        x = np.log(sizes) - np.log(sizes).mean()
        return expit(logit(0.85) + slope * x + noise * rng.normal(size=sizes.size))

    return recalls


def constant(value):
    """Return the same recall for all classes."""
    return lambda sizes, rng: np.full(sizes.size, value)


TRUTHS = {
    "small .65, large .92": halves(0.65, 0.92),
    "small .92, large .65": halves(0.92, 0.65),
    "rising": trend(0.4),
    "falling": trend(-0.4),
    "rising, noisy": trend(0.25, 0.6),
    "all .85": constant(0.85),
    "all .98": constant(0.98),
    "Beta(12, 3)": lambda sizes, rng: rng.beta(12, 3, sizes.size),
    "sizes 10, all .85": constant(0.85),
    "sizes 10, Beta(12, 3)": lambda sizes, rng: rng.beta(12, 3, sizes.size),
}


def covered(n_classes, name, number):
    """Tell which intervals hold the truth of one data set."""
    rng = np.random.default_rng([zlib.crc32(f"{n_classes} {name}".encode()), number])
    sizes = np.sort(np.resize(2 ** np.arange(1, 9), n_classes))
    sizes = np.full(n_classes, 10) if name.startswith("sizes 10") else sizes
    recalls = TRUTHS[name](sizes, rng)
    counts = ClassCounts(range(n_classes), rng.binomial(sizes, recalls), sizes)
    below = [
        PosteriorBalancedAccuracy(counts, prior=prior).cdf(recalls.mean())
        for prior in PRIORS.values()
    ]
    return np.abs(np.array(below) - 0.5) <= LEVEL / 2


def run(sets, jobs, classes):
    """Bring the cells up to a number of data sets, and save the results after each."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for n_classes, name in product(classes, TRUTHS):
        key = f"{n_classes}|{name}"
        old = results.get(key, {"sets": 0, "hits": [0] * len(PRIORS)})
        tasks = (delayed(covered)(n_classes, name, k) for k in range(old["sets"], sets))
        found = Parallel(n_jobs=jobs)(tasks)
        if found:
            hits = (np.array(old["hits"]) + np.sum(found, axis=0)).tolist()
            results[key] = {"sets": sets, "hits": hits}
            RESULTS.write_text(json.dumps(results).replace("}, ", "},\n ") + "\n")
        shares = np.array(results[key]["hits"]) / results[key]["sets"]
        print(key, results[key]["sets"], *(f"{share:.3f}" for share in shares), flush=True)


def report():
    """Write the table of the documentation."""
    results = json.loads(RESULTS.read_text())
    widths = [7, 21, 5] + [12] * len(PRIORS)
    rule = " ".join("=" * width for width in widths)

    def line(cells):
        return " ".join(f"{cell:<{w}}" for cell, w in zip(cells, widths, strict=True)).rstrip()

    lines = [rule, line(["classes", "recalls", "sets", *PRIORS]), rule]
    for key, entry in results.items():
        shares = (f"{hits / entry['sets']:.3f}" for hits in entry["hits"])
        lines.append(line([*key.split("|"), entry["sets"], *shares]))
    versions = f"skpostbac {__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    head = (
        f"Measured on {date.today()} with {versions}, Python {platform.python_version()}, by\n"
        "``python benchmarks/size_coverage.py``.\n\n"
    )
    TABLE.write_text(head + "\n".join([*lines, rule]) + "\n")


def main():
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200, help="data sets a cell (200)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES)
    parser.add_argument("--report", action="store_true", help="write the documentation")
    args = parser.parse_args()
    if args.report:
        report()
    else:
        run(args.sets, args.jobs, args.classes)


if __name__ == "__main__":
    main()
