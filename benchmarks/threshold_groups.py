"""Measure the intervals at a threshold chosen on the same samples, with samples in groups.

    python benchmarks/threshold_groups.py [--sets N]

Scores of both classes are normal, with a standard deviation of 1 and a separation of 1. Each group
shifts the scores of its samples, so that two of them have the correlation given. Groups have
samples of one class, or half of them of either. Writes `threshold_groups.rst` beside this file.
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
from scipy.stats import norm

from skpostbac import __version__, posterior_threshold_curve
from skpostbac.metrics import GroupsWarning

RESULTS = Path(__file__).with_suffix(".rst")


def measure(mixed, n_groups, size, correlation, number):
    """Return coverage and bias with groups, and coverages uncorrected and without groups."""
    cell = f"{mixed}|{n_groups}|{size}|{correlation}"
    rng = np.random.default_rng([zlib.crc32(cell.encode()), number])
    groups = np.repeat(np.arange(2 * n_groups), size)
    y_true = np.arange(len(groups)) % 2 if mixed else (groups >= n_groups).astype(int)
    shift = rng.normal(size=2 * n_groups)[groups]
    noise = rng.normal(size=len(groups))
    scores = y_true + np.sqrt(correlation) * shift + np.sqrt(1 - correlation) * noise
    found = []
    for given in (groups, None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GroupsWarning)
            curve = posterior_threshold_curve(
                y_true, scores, groups=given, random_state=number
            )
        t = curve.best_threshold
        truth = (norm.cdf(t) + norm.sf(t - 1)) / 2
        for posterior in (curve.corrected, curve.best):
            low, high = posterior.credible_interval()
            found += [low <= truth <= high, posterior.mean() - truth]
    return [found[0], found[1], found[2], found[4]]


def main():
    """Measure all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=300, help="data sets a cell (300)")
    args = parser.parse_args()
    rule = " ".join("=" * width for width in (11, 6, 4, 11, 9, 6, 11, 8))
    header = "of          groups size correlation corrected bias   uncorrected ignored"
    lines = [rule, header, rule]
    cells = product((False, True), ((15, 4), (15, 10), (50, 4)), (0.1, 0.5))
    for mixed, (n_groups, size), correlation in cells:
        found = [
            measure(mixed, n_groups, size, correlation, k) for k in range(args.sets)
        ]
        held, bias, plain, ignored = np.mean(found, axis=0)
        lines.append(
            f"{'two classes' if mixed else 'one class':<11} {2 * n_groups:>6} {size:>4} "
            f"{correlation:>11g} {held:>9.3f} {bias:>6.3f} {plain:>11.3f} {ignored:>8.3f}"
        )
        print(lines[-1], flush=True)
    error = np.sqrt(0.95 * 0.05 / args.sets)
    RESULTS.write_text(
        f"{date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}, skpostbac {__version__}; ``python benchmarks/threshold_groups.py "
        f"--sets {args.sets}``. Standard error of a coverage of .95: {error:.3f}.\n\n"
        + "\n".join([*lines, rule])
        + "\n"
    )


if __name__ == "__main__":
    main()
