"""Measure whether intervals hold the true average of classes of unequal weight.

    python benchmarks/weight_coverage.py [--sets N] [--jobs N]

Weights go with the recalls of the classes, against them, or neither. The intervals are those that
are reported. Data set k of a cell depends on nothing but the name of the cell and k. The table is
written beside this script.
"""

import argparse
import platform
import zlib
from datetime import date
from pathlib import Path

import numpy as np
import scipy
from joblib import Parallel, delayed
from scipy.special import expit

from skpostbac import ClassCounts, PosteriorBalancedAccuracy, __version__

CLASSES = (10, 40)
PRIORS = ("calibrated", "reciprocal", "uniform")
TABLE = Path(__file__).with_suffix(".rst")


def alternating(recalls, weights):
    """Give every other class the first recall and weight."""

    def draw(sizes, rng):
        first = np.arange(sizes.size) % 2 == 0
        return np.where(first, *recalls), np.where(first, *map(float, weights))

    return draw


def lognormal(slope, centre=1.7, spread=0.8):
    """Make the logarithm of the weight proportional to the logit of the recall."""

    def draw(sizes, rng):
        z = rng.normal(size=sizes.size)
        return expit(centre + spread * z), np.exp(slope * z)

    return draw


def unrelated(sizes, rng):
    """Give all classes a recall of .9, and weights at random."""
    return np.full(sizes.size, 0.9), np.exp(0.8 * rng.normal(size=sizes.size))


def prevalence(sizes, rng):
    """Weigh by size, with a recall that rises with it."""
    x = np.log(sizes) - np.log(sizes).mean()
    return expit(1.7 + 0.4 * x), sizes


# Recalls and weights, and whether the sizes are 2, 4, ..., 256 in turn, or 20 in all classes.
CELLS = {
    "harder classes 4 x, n = 20": (alternating((0.6, 0.95), (4, 1)), False),
    "harder classes 2 x, n = 20": (alternating((0.7, 0.95), (2, 1)), False),
    "easier classes 4 x, n = 20": (alternating((0.6, 0.95), (1, 4)), False),
    "falling with recall, n = 20": (lognormal(-0.8), False),
    "falling with recall, n = 2-256": (lognormal(-0.8), True),
    "rising with recall, n = 2-256": (lognormal(0.8), True),
    "at random, all .9, n = 20": (unrelated, False),
    "at random, all .9, n = 2-256": (unrelated, True),
    "as the sizes, n = 2-256": (prevalence, True),
}


def measure(n_classes, name, number):
    """Return, for each prior, whether the interval holds the truth, the error and the spread."""
    rng = np.random.default_rng([zlib.crc32(f"{n_classes} {name}".encode()), number])
    draw, are_unequal = CELLS[name]
    sizes = (
        np.resize(2.0 ** np.arange(1, 9), n_classes)
        if are_unequal
        else np.full(n_classes, 20.0)
    )
    recalls, weights = draw(sizes, rng)
    weights = weights / weights.sum()
    counts = ClassCounts(
        range(n_classes), rng.binomial(sizes.astype(int), recalls), sizes
    )
    truth = weights @ recalls
    rows = []
    for prior in PRIORS:
        posterior = PosteriorBalancedAccuracy(counts, prior=prior, class_weight=weights)
        low, high = posterior.credible_interval()
        error = posterior.mean() - truth
        rows.append((low <= truth <= high, error, posterior.standard_deviation()))
    return rows


def main():
    """Run all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets a cell (400)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES)
    args = parser.parse_args()
    widths = [7, 31] + [15] * len(PRIORS)
    rule = " ".join("=" * width for width in widths)

    def line(cells):
        return " ".join(
            f"{cell:<{w}}" for cell, w in zip(cells, widths, strict=True)
        ).rstrip()

    lines = [rule, line(["classes", "weights and sizes", *PRIORS]), rule]
    for n_classes in args.classes:
        for name in CELLS:
            tasks = (delayed(measure)(n_classes, name, k) for k in range(args.sets))
            held, error, spread = np.mean(Parallel(n_jobs=args.jobs)(tasks), axis=0).T
            shown = [
                f"{a:.2f} {b:+.2f}" for a, b in zip(held, error / spread, strict=True)
            ]
            lines.append(line([n_classes, name, *shown]))
            print(lines[-1], flush=True)
    versions = (
        f"skpostbac {__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    )
    head = (
        f"{date.today()}, {versions}, Python {platform.python_version()};\n"
        f"``python benchmarks/weight_coverage.py --sets {args.sets}``. Coverage of 95 % intervals,\n"
        "and the mean error of the posterior mean in its mean standard deviation.\n\n"
    )
    TABLE.write_text(head + "\n".join([*lines, rule]) + "\n")


if __name__ == "__main__":
    main()
