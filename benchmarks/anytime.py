"""Simulate how often intervals miss the truth at any of many looks at a growing test set.

    python benchmarks/anytime.py

A look follows every sample up to 2,000. The region behind a confidence sequence is checked at each
of them. Where it misses the true probabilities of a class, which an interval that misses the truth
implies, the interval itself is computed. Credible intervals are computed at 50 of the looks, after
every 40 samples. The classes of the samples are random and equally frequent.

The second table has the widths after expected counts, and the third how many samples it takes until
a sequence is as narrow as planned: the median and the quantile 0.8 of simulated test sets, in steps
of 2 %, beside `required_test_size` for a credible interval and an assurance of 0.8. Writes
`anytime.rst` beside this file.
"""

import time
import warnings
from pathlib import Path

import numpy as np
from _studies import versions
from scipy.special import gammaln, xlogy

from skpostbac import (
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    required_test_size,
)
from skpostbac.metrics import PairedCounts
from skpostbac.stats._sequence import majority_p_value

RESULTS = Path(__file__).with_suffix(".rst")
N_LOOKS = 2000
N_SETS = 2000
# Of credible intervals.
N_FIXED_SETS = 100
FIXED_STEP = 40
LEVEL = 0.95
LIMIT = -np.log(1 - LEVEL)

# Recalls of the classes.
RECALLS = {
    "1 class, .58": [0.58],
    "1 class, .81": [0.81],
    "1 class, .985": [0.985],
    "2 classes, .93 .66": [0.93, 0.66],
    "2 classes, .99 .96": [0.99, 0.96],
    "5 classes, .98 to .56": [0.98, 0.92, 0.83, 0.71, 0.56],
}
# Probabilities that only the first of two classifiers is right, both or neither, only the second.
PAIRS = {
    "1 class, .075 .075": [[0.075, 0.85, 0.075]],
    "1 class, .013 .006": [[0.013, 0.981, 0.006]],
    "2 classes, .03 .05, .14 .14": [[0.03, 0.92, 0.05], [0.14, 0.72, 0.14]],
    "5 classes, .04 .06 each": [[0.04, 0.9, 0.06]] * 5,
}
PLANS = {
    "1 class, .81": [0.81],
    "2 classes, .93 .66": [0.93, 0.66],
    "5 classes, .98 to .56": [0.98, 0.92, 0.83, 0.71, 0.56],
}
WIDTHS = [0.2, 0.1, 0.05]
SIZES = [100, 1000, 10000]


def cells_of(recalls):
    """Return the probabilities of right and wrong predictions of each class."""
    return np.stack([recalls, np.subtract(1, recalls)], axis=1)


def truth(cells):
    """Return the balanced accuracy, or the difference."""
    values = [1, 0] if cells.shape[1] == 2 else [1, 0, -1]
    return (cells @ values).mean()


def result(counts):
    """Return functions of the level for the confidence sequence and the credible interval."""
    counts = np.asarray(counts, float)
    if counts.shape[1] == 2:
        posterior = PosteriorBalancedAccuracy.from_counts(counts[:, 0], counts.sum(1))
        return posterior.confidence_sequence, posterior.credible_interval
    only_a, same, only_b = counts.T
    table = np.stack([same, only_a, only_b, np.zeros_like(same)], axis=1)
    paired = PairedCounts.from_cells(table)
    comparison = PosteriorComparison.from_paired_counts(paired)
    return (
        lambda: comparison.confidence_sequence("A", "B"),
        lambda: comparison.difference_interval("A", "B"),
    )


def path(cells, n, rng):
    """Return the counts after each of n samples, shape (n, n_classes, n_cells)."""
    n_classes, n_cells = cells.shape
    index = rng.integers(n_classes, size=n)
    cell = (rng.random((n, 1)) > cells.cumsum(axis=1)[index, :-1]).sum(axis=1)
    indicator = np.zeros((n, n_classes, n_cells))
    indicator[np.arange(n), index, cell] = 1
    return indicator.cumsum(axis=0)


def log_ratio(counts, cells):
    """Return the log of the ratio of prior and posterior at the true probabilities."""
    prior = np.array({2: [0.5, 0.5], 3: [0.5, 1, 0.5]}[cells.shape[1]])
    total = counts.sum(axis=2)
    per_cell = gammaln(counts + prior) - gammaln(prior) - xlogy(counts, cells)
    per_class = gammaln(total + prior.sum()) - gammaln(prior.sum())
    return per_cell.sum(axis=(1, 2)) - per_class.sum(axis=1)


def misses(interval, value):
    low, high = interval()
    return not low <= value <= high


def any_miss(cells, rng):
    """Return the shares of sets in which an interval misses at a look."""
    value = truth(cells)
    n_missed = 0
    for _ in range(N_SETS):
        counts = path(cells, N_LOOKS, rng)
        ratio = log_ratio(counts, cells)
        # The highest ratios first.
        looks = [look for look in np.argsort(-ratio) if ratio[look] >= LIMIT]
        n_missed += any(misses(result(counts[look])[0], value) for look in looks)
    n_fixed = 0
    for _ in range(N_FIXED_SETS):
        counts = path(cells, N_LOOKS, rng)[FIXED_STEP - 1 :: FIXED_STEP]
        n_fixed += any(misses(result(one)[1], value) for one in counts)
    return n_missed / N_SETS, n_fixed / N_FIXED_SETS


def false_claims(rng):
    """Return how often the p-value of equal classifiers is at most .05 at a look."""
    cells = np.array(PAIRS["1 class, .075 .075"])
    n_claims = 0
    for _ in range(N_SETS):
        only_a, _, only_b = path(cells, N_LOOKS, rng)[:, 0].T
        # Elsewhere the p-value is larger.
        leads = np.unique(np.stack([only_a, only_b])[:, only_a > only_b], axis=1).T
        n_claims += any(majority_p_value(*lead) <= 1 - LEVEL for lead in leads)
    return n_claims / N_SETS


def error(share, n_sets):
    return np.sqrt(max(share, 1 / n_sets) * (1 - share) / n_sets)


def samples_until(recalls, width, n_most, rng):
    """Return after how many samples of all classes the sequence is so narrow, in a set."""
    counts = path(cells_of(recalls), n_most, rng)
    sizes = np.unique(np.geomspace(20, n_most, int(np.log(n_most / 20) / 0.02)).round())
    low = -1
    high = len(sizes) - 1
    while high - low > 1:
        middle = (low + high) // 2
        ends = result(counts[int(sizes[middle]) - 1])[0]()
        if ends.high - ends.low <= width:
            high = middle
        else:
            low = middle
    return sizes[high]


def table(header, rows):
    """Return a table in reStructuredText."""
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    rule = " ".join("=" * width for width in widths)

    def line(row):
        return " ".join(map(str.ljust, row, widths)).rstrip()

    return "\n".join([rule, line(header), rule, *map(line, rows), rule])


def main():
    """Simulate all cells and write the tables."""
    start = time.process_time()
    warnings.simplefilter("ignore")
    cells = {name: cells_of(recalls) for name, recalls in RECALLS.items()}
    pairs = {f"pair, {name}": np.array(pair) for name, pair in PAIRS.items()}
    cells |= pairs
    rows = []
    for number, (name, one) in enumerate(cells.items()):
        sequence, fixed = any_miss(one, np.random.default_rng(number))
        rows.append(
            [
                name,
                f"{sequence:.4f} ({error(sequence, N_SETS):.4f})",
                f"{fixed:.2f} ({error(fixed, N_FIXED_SETS):.2f})",
            ]
        )
        print(*rows[-1], f"{time.process_time() - start:.0f} s", flush=True)
    claims = false_claims(np.random.default_rng(100))
    rows.append(
        [
            "p-value at most .05, .075 .075",
            f"{claims:.4f} ({error(claims, N_SETS):.4f})",
            "",
        ]
    )
    header = ["Cell", "sequence, 2,000 looks", "credible interval, 50 looks"]
    tables = [table(header, rows)]

    rows = []
    for name, one in cells.items():
        row = [name]
        for size in SIZES:
            counts = np.round(one * size / len(one))
            widths = [high - low for low, high in (f() for f in result(counts))]
            row.append(f"{widths[0]:.3f} {widths[1]:.3f} ({widths[0] / widths[1]:.2f})")
        rows.append(row)
    header = ["Cell", *(f"{size:,} samples" for size in SIZES)]
    tables.append(table(header, rows))
    print(tables[-1], f"{time.process_time() - start:.0f} s", flush=True)

    rows = []
    for number, (name, recalls) in enumerate(PLANS.items()):
        for width in WIDTHS:
            fixed = required_test_size(recalls, width=width).total
            rng = np.random.default_rng([number, 1])
            # Of 40 sets the quantile .8 is about known.
            found = [samples_until(recalls, width, 12 * fixed, rng) for _ in range(40)]
            middle, most = np.quantile(found, [0.5, 0.8])
            rows.append(
                [
                    name,
                    f"{width:g}",
                    f"{fixed:,}",
                    f"{middle:,.0f}",
                    f"{most:,.0f}",
                    f"{most / fixed:.1f}",
                ]
            )
    header = [
        "Recalls",
        "width",
        "credible interval",
        "sequence, median",
        "quantile .8",
        "ratio",
    ]
    tables.append(table(header, rows))
    print(tables[-1], f"{time.process_time() - start:.0f} s", flush=True)
    RESULTS.write_text(
        f"{versions()}; ``python benchmarks/anytime.py``. {N_SETS:,} test sets a cell "
        f"for sequences, {N_FIXED_SETS} for credible intervals; standard errors in "
        "brackets.\n\n" + "\n\n".join(tables) + "\n"
    )


if __name__ == "__main__":
    main()
