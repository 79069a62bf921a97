"""Measure the coverage of metrics of the confusion matrix where samples have groups or weights.

    python benchmarks/grouped_metrics.py [--sets N]

Test sets are drawn as in grouped_coverage.py, but their classes are sampled as well: of each group
("nested"), or of each sample in it ("crossing"). A wrong prediction is mostly that of the next
class. The reported 95 % interval is asked whether it holds the metric of the population, with the
groups or importance weights ("weights") and without. The table is written into doc/evidence.
"""

import argparse
import time
import warnings
import zlib
from pathlib import Path

import numpy as np
from _studies import table, versions, with_error
from grouped_coverage import beside, draw_outcomes, holds, recalls_of
from scipy.special import expit, logit

from skpostbac import posterior_confusion_metric
from skpostbac.metrics import GroupsWarning, PriorInfluenceWarning
from skpostbac.metrics._confusion.metrics import find_target

TABLE = Path(__file__).parents[1] / "doc" / "evidence" / "grouped_metrics.rst.inc"
# Metric, class and prevalence.
METRICS = {
    "precision": ("precision", 0, "sampled"),
    "f1": ("f1", 0, "sampled"),
    "accuracy, known shares": ("accuracy", None, "known"),
    "macro f1": ("f1", None, "sampled"),
    "mcc": ("mcc", None, "sampled"),
    "macro recall": ("recall", None, "sampled"),
}
N_DRAWS = 4000
SECOND = 0.25


def confuse(y, right, n_classes, rng):
    """Return predictions: wrong ones are of the next class, a fourth of any other."""
    other = (y + rng.integers(1, n_classes, y.size)) % n_classes
    wrong = np.where(rng.random(y.size) < SECOND, other, (y + 1) % n_classes)
    return np.where(right, y, wrong)


def population(recalls):
    """Return the shares of the cells of the confusion matrix."""
    k = len(recalls)
    C = np.zeros((k, k))
    for i, p in enumerate(recalls):
        C[i] = (1 - p) * SECOND / (k - 1)
        C[i, (i + 1) % k] += (1 - p) * (1 - SECOND)
        C[i, i] = p
    return C / k


def draw_groups(kind, n_classes, n_groups, rng):
    """Return the class and the group of each sample: equal groups in half of the test sets."""
    even = rng.random() < 0.5
    mean, largest = (8, 30) if kind == "nested" else (4 * n_classes, 12 * n_classes)
    n = n_groups * n_classes if kind == "nested" else n_groups
    sizes = np.full(n, mean) if even else rng.integers(3, largest + 1, n)
    group = np.repeat(np.arange(n), sizes)
    of_group, of_sample = (
        rng.integers(0, n_classes, n),
        rng.integers(0, n_classes, group.size),
    )
    return (of_group[group] if kind == "nested" else of_sample), group


def run_groups(cell, rng, ignoring):
    """Return whether intervals hold each metric, with the groups and without."""
    kind, n_classes, n_groups, correlation = cell
    recalls = recalls_of(n_classes)
    y, group = draw_groups(kind, n_classes, n_groups, rng)
    family = "beta" if rng.random() < 0.5 else "logit"
    place = group * n_classes + y
    (right,) = draw_outcomes(
        recalls, place, family, correlation, rng.choice([0.5, 1.0]), rng
    )
    y_pred = confuse(y, right, n_classes, rng)
    return held(y, y_pred, recalls, ({"groups": group}, {})[: 1 + ignoring])


def run_weights(cell, rng, ignoring):
    """Return the same with importance weights, and taking them as case counts."""
    _, n_classes, n, variation = cell
    spread = np.sqrt(np.log1p(variation**2))
    recalls = recalls_of(n_classes)
    y, z = rng.integers(0, n_classes, n * n_classes), rng.normal(size=n * n_classes)
    y_pred = confuse(y, rng.random(y.size) < expit(logit(recalls))[y], n_classes, rng)
    weight = np.exp(spread * z - spread**2 / 2)
    options = [
        {"sample_weight": weight, "weight_type": t} for t in ("importance", "case")
    ]
    options = options[: 1 + ignoring]
    return held(y, y_pred, recalls, options)


def held(y, y_pred, recalls, options):
    """Return, for each metric, whether each posterior holds that of the population."""
    k = len(recalls)
    P = population(recalls)
    return [
        beside(
            holds(
                posterior_confusion_metric(
                    y,
                    y_pred,
                    metric,
                    pos_label=label,
                    prevalence=np.full(k, 1 / k)
                    if prevalence == "known"
                    else "sampled",
                    labels=np.arange(k),
                    n_draws=N_DRAWS,
                    random_state=0,
                    **option,
                ).credible_interval(),
                find_target(
                    metric, np.arange(k), label, None if label == 0 else "macro"
                ).function(P[np.newaxis])[0],
            )
            for option in options
        )
        for metric, label, prevalence in METRICS.values()
    ]


# Classes, groups or samples of each class, and the correlation or the coefficient of variation.
GROUPED = [
    ("nested", 2, 40, 0.0),
    ("nested", 2, 15, 0.4),
    ("nested", 5, 15, 0.1),
    ("crossing", 2, 15, 0.4),
    ("crossing", 5, 40, 0.4),
    ("crossing", 5, 15, 0.1),
]
WEIGHTED = [("weights", 2, 30, 1.0), ("weights", 5, 30, 2.0)]


def cells():
    """Yield all cells by the function that runs them."""
    for cell in GROUPED:
        yield run_groups, cell
    for cell in WEIGHTED:
        yield run_weights, cell


def run_cell(function, cell, n_sets):
    """Return the means over the data sets, (metrics, 2), of which each fourth ignores groups."""
    seed = zlib.crc32(repr(cell).encode())
    found = [
        function(cell, np.random.default_rng([seed, k]), k % 4 == 0)
        for k in range(n_sets)
    ]
    return np.nanmean(np.array(found, dtype=float), axis=0)


def row_of(start, found, n_sets, n_ignoring):
    """Return a row of shares with their standard errors; what is ignored is the mean."""
    shares = [with_error(share, n_sets) for share in found[:, 0]]
    # The metrics of a set depend on one another, as if they were one.
    return [*start, *shares, with_error(found[:, 1].mean(), n_ignoring)]


def main():
    """Run the cells, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets a cell (400)")
    n_sets = parser.parse_args().sets
    for category in (GroupsWarning, PriorInfluenceWarning):
        warnings.simplefilter("ignore", category)
    n_ignoring = -(-n_sets // 4)
    rows, correlated = [], []
    for function, cell in cells():
        found = run_cell(function, cell, n_sets)
        kind, n_classes, n, strength = cell
        strong = "cv" if kind == "weights" else "correlation"
        start = [f"{kind}, {strong} {strength:g}", n_classes, n]
        rows.append(row_of(start, found, n_sets, n_ignoring))
        if kind != "weights" and strength:
            correlated.append(found)
        print(cell, found.round(2).tolist(), f"{time.process_time():.0f} s", flush=True)
    size, mean = len(correlated), np.mean(correlated, axis=0)
    start = ["all with a correlation", "", ""]
    rows.append(row_of(start, mean, size * n_sets, size * n_ignoring))
    header = ["test sets", "classes", "groups", *METRICS, "ignoring"]
    TABLE.write_text(
        f"{versions()}; ``python benchmarks/grouped_metrics.py --sets {n_sets}``. {n_sets} data "
        "sets a cell, and a fourth of them for what ignores groups and weights; standard errors in "
        f"brackets.\n\n{table(header, rows)}\n"
    )


if __name__ == "__main__":
    main()
