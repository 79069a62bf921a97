"""Measure how often intervals at a threshold hold the truth, if it was chosen on the same samples.

    python benchmarks/threshold_coverage.py [--sets N] [--jobs N]

Scores of both classes are normal, or exponential; the true balanced accuracy at any threshold is
known. Of each cell: how often the 95 % interval at the best threshold holds the truth there,
corrected for the choice and not, the bias of both means, and how often the band holds the whole
true curve. Data set k of a cell depends on nothing but the name of the cell and k. Writes
`threshold_coverage.rst` beside this file.
"""

import argparse
import zlib
from pathlib import Path

import numpy as np
from _studies import figures, table, versions
from joblib import Parallel, delayed
from scipy import stats

from skpostbac import posterior_threshold_curve

# The scores, positives and negatives, and the distance between the scores.
CELLS = (
    ("normal", 20, 20, 0.5),
    ("normal", 20, 20, 2.0),
    ("normal", 20, 20, 5.0),
    ("normal", 10, 90, 0.05),
    ("normal", 10, 90, 1.0),
    ("normal", 50, 50, 1.0),
    ("normal", 200, 200, 0.5),
    ("normal", 200, 200, 3.0),
    ("exponential", 20, 20, 1.0),
    ("exponential", 50, 50, 5.0),
    ("exponential", 200, 200, 2.0),
)
RESULTS = Path(__file__).with_suffix(".rst")
# The distribution of the negatives and that of the positives, for a separation.
SCORES = {
    "normal": lambda d: (stats.norm(0, 1), stats.norm(d, 1)),
    "exponential": lambda d: (stats.expon(scale=1), stats.expon(scale=np.exp(d))),
}


def measure(kind, n_positive, n_negative, separation, number):
    """Return held and error at the best threshold, uncorrected and corrected, and band held."""
    cell = f"{kind}|{n_positive}|{n_negative}|{separation}"
    rng = np.random.default_rng([zlib.crc32(cell.encode()), number])
    negative, positive = SCORES[kind](separation)
    y_true = np.repeat([0, 1], [n_negative, n_positive])
    y_score = np.append(
        negative.rvs(n_negative, random_state=rng),
        positive.rvs(n_positive, random_state=rng),
    )
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
    head = ["scores", "positives", "negatives", "separation", "uncorrected", "bias"]
    head += ["corrected", "bias left", "band"]
    rows, every = [], []
    for cell in CELLS:
        tasks = (delayed(measure)(*cell, k) for k in range(args.sets))
        every += (found := Parallel(n_jobs=args.jobs)(tasks))
        rows.append([*cell, *figures(found)])
        print(*rows[-1], flush=True)
    rows.append(["all", "", "", "", *figures(every)])
    RESULTS.write_text(
        f"{versions()}; ``python benchmarks/threshold_coverage.py --sets {args.sets}``. "
        f"{args.sets} data sets a cell; standard errors in brackets.\n\n{table(head, rows)}\n"
    )


if __name__ == "__main__":
    main()
