"""Measure how often intervals of metrics hold the truth, if few of many predictions are labelled.

    python benchmarks/few_labels.py [--sets N]

Beside the 95 % intervals of `posterior_confusion_metric` with `prediction_counts` or
`prediction_shares`: those of the estimators of Olofsson et al. (2014), estimate +- 1.96 standard
errors, which have no F1 and no average recall; and for random subsets those of the labelled samples
alone. Writes `few_labels.rst`.
"""

import argparse
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _studies import versions

from skpostbac import PosteriorConfusionMetric

RESULTS = Path(__file__).with_suffix(".rst")
N_DRAWS = 4000
from_matrix = PosteriorConfusionMetric.from_confusion_matrix


class Cell(NamedTuple):
    """Shares of the predicted classes, and of the true classes within each of them."""

    shares: list[float]
    columns: list[list[float]]
    """By predicted class."""
    labelled: int | list[int]
    """Labelled samples: a random subset, or so many of each predicted class."""
    n: int | None
    """Samples with predictions; None if the shares are known."""

    def joint(self):
        """Return the probabilities of true (rows) and predicted classes."""
        return np.transpose(self.columns) * self.shares


RARE = [[0.995, 0.005], [0.3, 0.7]]
EVEN = [[0.85, 0.15], [0.24, 0.76]]
THREE = [[0.9, 0.06, 0.04], [0.1, 0.75, 0.15], [0.02, 0.13, 0.85]]
FOUR = [
    [0.78, 0.02, 0.14, 0.06],
    [0.0, 0.9, 0.04, 0.06],
    [0.004, 0.03, 0.916, 0.05],
    [0.003, 0.015, 0.052, 0.93],
]
FIVE = [
    [0.8, 0.1, 0.05, 0.03, 0.02],
    [0.05, 0.85, 0.07, 0.02, 0.01],
    [0.01, 0.02, 0.9, 0.05, 0.02],
    [0.02, 0.01, 0.06, 0.83, 0.08],
    [0.005, 0.01, 0.015, 0.05, 0.92],
]


def alike(k, error):
    """Return columns with the same error of each wrong class."""
    return (np.full((k, k), error) + (1 - k * error) * np.eye(k)).tolist()


CELLS = {
    "map, 4 classes, 45 of each": Cell([0.02, 0.1, 0.28, 0.6], FOUR, [45] * 4, None),
    "map, 4 classes, 25 to 200": Cell(
        [0.02, 0.1, 0.28, 0.6], FOUR, [25, 35, 100, 200], None
    ),
    "map, 5 classes, 30 of each": Cell(
        [0.03, 0.07, 0.2, 0.3, 0.4], FIVE, [30] * 5, None
    ),
    "map, 7 classes, 35 of each": Cell(
        [0.02, 0.04, 0.08, 0.12, 0.18, 0.24, 0.32], alike(7, 0.02), [35] * 7, None
    ),
    "2 classes, 250 of 5,000": Cell([0.95, 0.05], RARE, 250, 5000),
    "2 classes, 100 of each of 20,000": Cell([0.95, 0.05], RARE, [100, 100], 20_000),
    "2 classes, 80 of 1,000": Cell([0.6, 0.4], EVEN, 80, 1000),
    "3 classes, 400 of 600": Cell([0.5, 0.3, 0.2], THREE, 400, 600),
    "8 classes, 300 of 10,000": Cell(
        [0.06] * 4 + [0.19] * 4, alike(8, 0.015), 300, 10_000
    ),
}


def rarest(joint):
    """Return the position of the smallest true class."""
    return int(np.argmin(joint.sum(axis=1)))


def metrics_of(joint):
    """Return the metrics, each with its arguments and its true value."""
    place = rarest(joint)
    right = np.diagonal(joint)
    true = joint.sum(axis=1)
    f1 = 2 * right / (true + joint.sum(axis=0))
    recalls = right / true

    def share(C):
        return C[:, place].sum(axis=-1)

    return {
        "accuracy": ({"metric": "accuracy"}, right.sum()),
        "recall": ({"metric": "recall", "pos_label": place}, recalls[place]),
        "F1": ({"metric": "f1", "pos_label": place}, f1[place]),
        "balanced accuracy": (
            {"metric": "recall", "average": "macro"},
            recalls.mean(),
        ),
        "macro F1": ({"metric": "f1", "average": "macro"}, f1.mean()),
        "share": ({"metric": share}, true[place]),
    }


def draw_labels(cell, rng):
    """Return the confusion matrix of the labelled samples, and numbers of predictions."""
    columns = np.array(cell.columns)
    while True:
        sizes = None if cell.n is None else rng.multinomial(cell.n, cell.shares)
        labelled = cell.labelled
        if isinstance(labelled, int):
            labelled = rng.multivariate_hypergeometric(sizes, labelled)
        if np.min(labelled) > 1 and (sizes is None or np.all(sizes >= labelled)):
            return rng.multinomial(labelled, columns).T, sizes


def olofsson(C, shares, place):
    """Return the intervals of accuracy, recall and share of a class."""
    n = C.sum(axis=0)
    within = C / n
    errors = shares**2 * within * (1 - within) / (n - 1)
    share = (within * shares).sum(axis=1)
    accuracy = (np.diagonal(within) * shares).sum()
    found = {
        "accuracy": (accuracy, np.diagonal(errors).sum()),
        "share": (share[place], errors[place].sum()),
    }
    if share[place] > 0:
        recall = within[place, place] * shares[place] / share[place]
        others = errors[place].sum() - errors[place, place]
        spread = (1 - recall) ** 2 * errors[place, place] + recall**2 * others
        found["recall"] = recall, spread / share[place] ** 2
    return {
        name: (value - 1.96 * np.sqrt(variance), value + 1.96 * np.sqrt(variance))
        for name, (value, variance) in found.items()
    }


def measure(cell, rng):
    """Return whether intervals hold and their widths, by metric and method."""
    joint = cell.joint()
    place = rarest(joint)
    C, sizes = draw_labels(cell, rng)
    numbers = cell.shares if sizes is None else sizes.tolist()
    known = dict(enumerate(numbers))
    name = "prediction_shares" if sizes is None else "prediction_counts"
    formula = olofsson(C, np.array(numbers) / np.sum(numbers), place)
    results = {}
    for metric, (options, truth) in metrics_of(joint).items():
        options = {"n_draws": N_DRAWS, "random_state": rng.integers(2**31)} | options
        posterior = from_matrix(C, **options, **{name: known})
        intervals = {"posterior": posterior.credible_interval()}
        if metric in formula:
            intervals["formula"] = formula[metric]
        if isinstance(cell.labelled, int):
            alone = from_matrix(C, **options)
            intervals["labelled alone"] = alone.credible_interval()
        for method, (low, high) in intervals.items():
            results[metric, method] = low <= truth <= high, high - low
    return results


def table(header, rows):
    """Return a table in reStructuredText."""
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    rule = " ".join("=" * width for width in widths)

    def line(row):
        return " ".join(map(str.ljust, row, widths)).rstrip()

    return "\n".join([rule, line(header), rule, *map(line, rows), rule])


def main():
    """Measure all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=1000, help="sets a cell (1000)")
    n_sets = parser.parse_args().sets
    warnings.simplefilter("ignore")
    start = time.process_time()
    methods = ["posterior", "formula", "labelled alone"]
    rows = []
    for number, (name, cell) in enumerate(CELLS.items()):
        rng = np.random.default_rng([20261128, number])
        sets = [measure(cell, rng) for _ in range(n_sets)]
        for metric in metrics_of(cell.joint()):
            row = [name, metric]
            for method in methods:
                found = [one[metric, method] for one in sets if (metric, method) in one]
                if found:
                    # A formula without an interval does not hold.
                    held = sum(hold for hold, _ in found) / n_sets
                    width = np.mean([wide for _, wide in found])
                    row.append(f"{held:.3f} {width:.3f}")
                else:
                    row.append("")
            rows.append(row)
            print(*row, f"{time.process_time() - start:.0f} s", sep="  ", flush=True)
    error = np.sqrt(0.95 * 0.05 / n_sets)
    RESULTS.write_text(
        f"{versions()}; ``python benchmarks/few_labels.py --sets {n_sets}``. "
        f"{N_DRAWS:,} draws. Standard error of a coverage of .95: {error:.3f}.\n\n"
        + table(["Cell", "metric", *methods], rows)
        + "\n"
    )


if __name__ == "__main__":
    main()
