"""Measure how often intervals at a threshold hold the truth, if it was chosen on the same samples.

    python benchmarks/threshold_coverage.py [--sets N] [--jobs N]

Scores of both classes are normal, or exponential; the true balanced accuracy at any threshold is
known. Of each cell: how often the 95 % interval at the best threshold holds the truth there,
corrected for the choice and not, the bias of both means, and how often the band holds the whole
true curve. Data set k of a cell depends on nothing but the name of the cell and k. Writes
`threshold_coverage.rst` beside this file.
"""

import argparse
import platform
import zlib
from datetime import date
from itertools import product
from pathlib import Path

import numpy as np
import scipy
from joblib import Parallel, delayed
from scipy import stats

from skpostbac import __version__, posterior_threshold_curve

SAMPLES = (20, 50, 200, 1000)
SEPARATIONS = (0.5, 1.0, 2.0, 3.0, 5.0)
RESULTS = Path(__file__).with_suffix(".rst")
# The distribution of the negatives and that of the positives, for a separation.
SCORES = {
    "normal": lambda d: (stats.norm(0, 1), stats.norm(d, 1)),
    "exponential": lambda d: (stats.expon(scale=1), stats.expon(scale=np.exp(d))),
}


def measure(kind, n, separation, number):
    """Return held and error at the best threshold, uncorrected and corrected, and band held."""
    rng = np.random.default_rng(
        [zlib.crc32(f"{kind}|{n}|{separation}".encode()), number]
    )
    negative, positive = SCORES[kind](separation)
    y_true = np.repeat([0, 1], n)
    y_score = np.concatenate([d.rvs(n, random_state=rng) for d in (negative, positive)])
    curve = posterior_threshold_curve(y_true, y_score, random_state=number)

    def true_at(threshold):
        return (negative.cdf(threshold) + positive.sf(threshold)) / 2

    truth = true_at(curve.best_threshold)
    row = []
    for posterior in (curve.best, curve.corrected):
        low, high = posterior.credible_interval()
        row += [low <= truth <= high, posterior.mean() - truth]
    low, high = curve.band
    truths = true_at(curve.thresholds)
    return [*row, ((low <= truths) & (truths <= high)).all()]


def main():
    """Measure all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets a cell (400)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    args = parser.parse_args()
    rule = " ".join("=" * width for width in (11, 9, 10, 11, 6, 9, 6, 5))
    head = "scores      per class separation uncorrected bias   corrected bias   band"
    lines = [rule, head, rule]
    for kind, n, separation in product(SCORES, SAMPLES, SEPARATIONS):
        tasks = (delayed(measure)(kind, n, separation, k) for k in range(args.sets))
        plain, bias, held, rest, band = np.mean(
            Parallel(n_jobs=args.jobs)(tasks), axis=0
        )
        lines.append(
            f"{kind:<11} {n:>9} {separation:>10g} {plain:>11.3f} {bias:>6.3f} {held:>9.3f} "
            f"{rest:>6.3f} {band:>5.3f}"
        )
        print(lines[-1], flush=True)
    error = np.sqrt(0.95 * 0.05 / args.sets)
    RESULTS.write_text(
        f"{date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}, skpostbac {__version__}; ``python benchmarks/threshold_coverage.py "
        f"--sets {args.sets}``. Standard error of a coverage of .95: {error:.3f}.\n\n"
        + "\n".join([*lines, rule])
        + "\n"
    )


if __name__ == "__main__":
    main()
