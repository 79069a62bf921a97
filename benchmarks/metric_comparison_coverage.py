"""Measure how often 95 % intervals of differences in F1 and MCC contain the truth.

    python benchmarks/metric_comparison_coverage.py [--sets N] [--jobs N]

Classifiers A and B predict the same samples, whose classes are drawn from fixed shares. Both are
right where normal variables of correlation rho are below the quantiles of their recalls, and wrong
predictions are any other class. F1 is that of the rarer class, or macro averaged over four classes.
Beside it: the percentile interval of 1,000 paired bootstrap samples, with 0 where a metric is
undefined. Where A and B are equally good: how often the probability that B, or A, is better exceeds
.95, and how often a bound of the bootstrap's 90 % interval excludes 0. Data set k of a setting
depends on nothing but the setting and k.
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
from joblib import Parallel, delayed
from scipy import special

from skpostbac import __version__, compare_predictions

TABLE = Path(__file__).with_suffix(".rst")
METRICS = ("f1", "mcc")
# Shares of the classes, recalls of A, and of a better B.
TASKS = {
    "10 %": ((0.9, 0.1), (0.9, 0.7), (0.95, 0.8)),
    "30 %": ((0.7, 0.3), (0.9, 0.7), (0.93, 0.8)),
    "50 %": ((0.5, 0.5), (0.85, 0.75), (0.9, 0.8)),
    "four": ((0.55, 0.25, 0.15, 0.05), (0.85, 0.8, 0.7, 0.6), (0.9, 0.85, 0.75, 0.7)),
}
SETTINGS = [
    *product(("10 %", "30 %", "50 %"), (50, 200, 1000), (0.2, 0.8), (False, True)),
    *product(("four",), (60, 300), (0.5,), (False, True)),
]
DRAWS, RESAMPLES = 4000, 1000


def metric(name, C):
    """Return a metric of matrices of shape (n, k, k), 0 where it is undefined."""
    tp, true, pred, total = np.trace(C.T), C.sum(2), C.sum(1), C.sum((1, 2))
    if name == "f1":
        hits = np.diagonal(C, axis1=1, axis2=2)
        values = 2 * hits / np.maximum(true + pred, 1e-300)
        return values[:, 1] if C.shape[1] == 2 else values.mean(axis=1)
    spread = (total**2 - (true**2).sum(1)) * (total**2 - (pred**2).sum(1))
    covariance = tp * total - (true * pred).sum(1)
    return np.where(spread > 0, covariance / np.sqrt(np.maximum(spread, 1e-300)), 0.0)


def expected(shares, recalls):
    """Return the matrix of probabilities, shape (1, k, k)."""
    recalls, k = np.array(recalls), len(shares)
    C = np.repeat(((1 - recalls) / (k - 1))[:, np.newaxis], k, axis=1)
    np.fill_diagonal(C, recalls)
    return (np.array(shares)[:, np.newaxis] * C)[np.newaxis]


def draw(shares, first, second, n, rho, rng):
    """Return true labels and the predictions of both classifiers."""
    k = len(shares)
    y = rng.choice(k, n, p=shares)
    u = special.ndtr(rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], n))
    predictions = []
    for column, recalls in zip(u.T, (first, second), strict=True):
        right = np.array(recalls)[y]
        wrong = 1 + ((column - right) / (1 - right) * (k - 1)).astype(int).clip(
            0, k - 2
        )
        predictions.append(np.where(column < right, y, (y + wrong) % k))
    return y, predictions


def conclude(setting, number):
    """Return for each metric: held, width, better, worse of the posterior and of the bootstrap."""
    task, n, rho, is_better = setting
    shares, first, better = TASKS[task]
    second, k = better if is_better else first, len(shares)
    rng = np.random.default_rng([zlib.crc32(repr(setting).encode()), number])
    y, (a, b) = draw(shares, first, second, n, rho, rng)
    cells, counts = np.unique(np.stack([y, a, b]), axis=1, return_counts=True)
    drawn = rng.multinomial(n, counts / n, RESAMPLES).astype(float)
    matrices = [np.zeros((RESAMPLES, k, k)) for _ in range(2)]
    for C, predicted in zip(matrices, cells[1:], strict=True):
        for cell, column in zip(
            zip(cells[0], predicted, strict=True), drawn.T, strict=True
        ):
            C[:, *cell] += column
    rows = []
    for name in METRICS:
        truth = np.subtract(
            *(metric(name, expected(shares, r))[0] for r in (second, first))
        )
        options = {"metric": name, "labels": range(k), "n_draws": DRAWS}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            comparison = compare_predictions(y, {"A": a, "B": b}, **options)
        delta = comparison.difference("B", "A")
        low, high = comparison.difference_interval("B", "A")
        above = delta.ccdf(0.0)
        row = [low <= truth <= high, high - low, above > 0.95, above < 0.05]
        again = metric(name, matrices[1]) - metric(name, matrices[0])
        low, lower, upper, high = np.quantile(again, [0.025, 0.05, 0.95, 0.975])
        rows += [*row, low <= truth <= high, high - low, lower > 0, upper < 0]
    return np.array(rows, float)


def main():
    """Run all settings and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sets", type=int, default=500, help="data sets a setting (500)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    args = parser.parse_args()
    rows = []
    with Parallel(n_jobs=args.jobs) as parallel:
        for setting in SETTINGS:
            tasks = (delayed(conclude)(setting, k) for k in range(args.sets))
            rows.append(describe(setting, np.mean(parallel(tasks), axis=0)))
            print(*rows[-1], flush=True)
    write(rows, args.sets)


def describe(setting, means):
    """Return a row of the table, of the means of all numbers of `conclude`."""
    task, n, rho, is_better = setting
    row = [task, str(n), f"{rho:g}", "B better" if is_better else "equal"]
    for held, width, better, worse in means.reshape(-1, 4):
        row += [
            f"{held:.3f} ({width:.2f})",
            "" if is_better else f"{better:.3f} {worse:.3f}",
        ]
    return row


def write(rows, sets):
    """Write the table."""
    head = ["positives", "samples", "rho", "truth"]
    for name in ("F1", "F1 bootstrap", "MCC", "MCC bootstrap"):
        head += [name, f"sides of {name}"]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = " ".join("=" * width for width in widths)
    body = [" ".join(map(str.ljust, row, widths)).rstrip() for row in (head, *rows)]
    versions = (
        f"skpostbac {__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    )
    text = (
        f"Measured on {date.today()} with {versions}, Python {platform.python_version()}, by\n"
        f"``python benchmarks/metric_comparison_coverage.py --sets {sets}``.\n\n"
    )
    TABLE.write_text(text + "\n".join([rule, body[0], rule, *body[1:], rule]) + "\n")


if __name__ == "__main__":
    main()
