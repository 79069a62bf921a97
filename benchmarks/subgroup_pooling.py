"""Measure the gap between the best and the worst of several groups, with pooling and without.

    python benchmarks/subgroup_pooling.py [--sets N]

Recalls of two classes are .8 on average, and Beta distributed over groups with a given standard
deviation; groups have half to one and a half times the given number of samples of a class. Of each
cell: how often the shortest 95 % interval of the gap holds it, the error of its mean, and how far
the interval reaches. Writes `subgroup_pooling.rst` beside this file.
"""

import argparse
import platform
import warnings
import zlib
from datetime import date
from itertools import product
from pathlib import Path

import numpy as np
import scipy

from skpostbac import PosteriorBalancedAccuracy, __version__
from skpostbac.metrics import SubgroupPosteriors

RESULTS = Path(__file__).with_suffix(".rst")
MEAN = 0.8


def measure(n_groups, n, spread, number):
    """Return held, error and width of the interval of the gap, alone and pooled."""
    rng = np.random.default_rng(
        [zlib.crc32(f"{n_groups}|{n}|{spread}".encode()), number]
    )
    recalls = np.full((n_groups, 2), MEAN)
    if spread:
        size = MEAN * (1 - MEAN) / spread**2 - 1
        recalls = rng.beta(MEAN * size, (1 - MEAN) * size, (n_groups, 2))
    total = rng.integers(n // 2, n + n // 2 + 1, (n_groups, 2))
    correct = rng.binomial(total, recalls)
    posteriors = tuple(
        PosteriorBalancedAccuracy.from_counts(k, m)
        for k, m in zip(correct, total, strict=True)
    )
    truth, found = np.ptp(recalls.mean(axis=1)), []
    for pooling in (None, "partial"):
        gap = SubgroupPosteriors(tuple(range(n_groups)), posteriors, pooling).gap
        low, high = gap.credible_interval()
        found += [low <= truth <= high, gap.mean() - truth, high - low]
    return found


def main():
    """Measure all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=100, help="data sets a cell (100)")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rule = " ".join("=" * width for width in (6, 9, 6, 5, 6, 5, 6, 6, 5))
    lines = [
        rule,
        "groups per class spread alone error  width pooled error  width",
        rule,
    ]
    for n_groups, n, spread in product((3, 10), (20, 80), (0.0, 0.03, 0.1)):
        found = [measure(n_groups, n, spread, number) for number in range(args.sets)]
        held, error, width, pooled, rest, narrow = np.mean(found, axis=0)
        lines.append(
            f"{n_groups:>6} {n:>9} {spread:>6g} {held:>5.2f} {error:>6.3f} {width:>5.3f} "
            f"{pooled:>6.2f} {rest:>6.3f} {narrow:>5.3f}"
        )
        print(lines[-1], flush=True)
    error = np.sqrt(0.95 * 0.05 / args.sets)
    RESULTS.write_text(
        f"{date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}, skpostbac {__version__}; ``python benchmarks/subgroup_pooling.py "
        f"--sets {args.sets}``. Standard error of a coverage of .95: {error:.3f}.\n\n"
        + "\n".join([*lines, rule])
        + "\n"
    )


if __name__ == "__main__":
    main()
