"""Coverage of 95 % intervals of one accuracy, by the prior Beta(a, a).

    python benchmarks/accuracy_coverage.py

After k correct predictions of n the accuracy is Beta(a + k, a + n - k). The probability that its
central interval holds the true accuracy is a sum over k, so that nothing is simulated. Every other
cell of accuracies and sizes, as on a chessboard, is there to choose a prior, and the others show
how the choice does. The table is reStructuredText.
"""

from itertools import product

import numpy as np
from scipy import stats

ACCURACIES = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99)
SIZES = (10, 20, 30, 50, 100, 200, 500, 1000)
PRIORS = {"1": 1.0, "1/2": 1 / 2, "1/3": 1 / 3, "1/10": 1 / 10, "1/100": 1 / 100}


def coverage(a, accuracy, n):
    """Return the probability that the interval holds the accuracy."""
    k = np.arange(n + 1)
    low, high = stats.beta.interval(0.95, a + k, a + n - k)
    holds = (low <= accuracy) & (accuracy <= high)
    return float(stats.binom.pmf(k, n, accuracy)[holds].sum())


def cells(half):
    """Return every other pair of an accuracy and a size."""
    pairs = product(enumerate(ACCURACIES), enumerate(SIZES))
    return [(accuracy, n) for (i, accuracy), (j, n) in pairs if (i + j) % 2 == half]


def summary(a, half):
    """Return the cells within .93 and .98, those below .90, and the least coverage."""
    found = np.array([coverage(a, *cell) for cell in cells(half)])
    within = np.sum((found >= 0.93) & (found <= 0.98))
    return [f"{within}", f"{np.sum(found < 0.9)}", f"{found.min():.2f}"]


def table(rows):
    """Return a table in reStructuredText."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = " ".join("=" * width for width in widths)
    body = [" ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([rule, body[0], rule, *body[1:], rule])


if __name__ == "__main__":
    head = [f"{name}, {half}" for half in ("chosen by", "other") for name in ("in", "below", "min")]
    rows = [[name, *summary(a, 0), *summary(a, 1)] for name, a in PRIORS.items()]
    print(f"{len(cells(0))} and {len(cells(1))} cells")
    print(table([["a", *head], *rows]))
