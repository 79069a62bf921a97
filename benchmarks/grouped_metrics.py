"""Measure the coverage of metrics of the confusion matrix where samples have groups or weights.

    python benchmarks/grouped_metrics.py [--sets N]

Test sets are drawn as in grouped_coverage.py, but their classes are sampled as well: of each group
("nested"), or of each sample in it ("crossing"). A wrong prediction is mostly that of the next
class. The shortest 95 % interval under the default prior is asked whether it holds the metric of
the population, with the groups or importance weights ("weights") and without. Tables are written
beside this script, and into the user guide.
"""

import argparse
import platform
import time
import warnings
import zlib
from collections import defaultdict
from datetime import date
from itertools import product
from pathlib import Path

import numpy as np
import scipy
from grouped_coverage import beside, draw_outcomes, grid, recalls_of
from scipy.special import expit, logit

from skpostbac import __version__, posterior_confusion_metric
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
GROUPS, CORRELATIONS, N_DRAWS = (15, 40), (0.0, 0.1, 0.4), 4000
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
                ),
                find_target(metric, np.arange(k), label, "macro").function(
                    P[np.newaxis]
                )[0],
            )
            for option in options
        )
        for metric, label, prevalence in METRICS.values()
    ]


def holds(posterior, truth):
    """Return whether the shortest interval holds the truth."""
    low, high = posterior.credible_interval()
    return low <= truth <= high


def cells():
    """Yield all cells by the function that runs them."""
    for cell in product(("nested", "crossing"), (2, 5), GROUPS, CORRELATIONS):
        yield run_groups, cell
    for cell in product(("weights",), (2, 5), (30, 150), (1.0, 2.0)):
        yield run_weights, cell


def run_cell(function, cell, n_sets):
    """Return the means over the data sets, (metrics, 2), of which each fourth ignores groups."""
    seed = zlib.crc32(repr(cell).encode())
    found = [
        function(cell, np.random.default_rng([seed, k]), k % 4 == 0)
        for k in range(n_sets)
    ]
    return np.nanmean(np.array(found, dtype=float), axis=0)


def summary_rows(results):
    """Yield the rows of the table of the guide: mean and worst cell over sizes and classes."""
    groups = defaultdict(list)
    for (kind, _, _, strength), found in results:
        strong = "cv" if kind == "weights" else "correlation"
        groups[f"{kind}, {strong} {strength:g}"].append(found)
    for name, found in groups.items():
        array = np.array(found)
        yield [
            name,
            *(
                f"{c[:, 0].mean():.2f} ({c[:, 0].min():.2f})"
                for c in array.transpose(1, 0, 2)
            ),
            f"{array[:, :, 1].mean():.2f}",
        ]


def main():
    """Run the cells, and write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=200)
    n_sets = parser.parse_args().sets
    for category in (GroupsWarning, PriorInfluenceWarning):
        warnings.simplefilter("ignore", category)
    results = []
    for function, cell in cells():
        results.append((cell, run_cell(function, cell, n_sets)))
        print(
            cell,
            results[-1][1].round(2).tolist(),
            f"{time.process_time():.0f} s",
            flush=True,
        )
    made = (
        f"{date.today()}, skpostbac {__version__}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}, Python {platform.python_version()};\n"
        f"``python benchmarks/grouped_metrics.py --sets {n_sets}``, "
        f"{time.process_time() / 60:.0f} minutes of CPU time.\n{n_sets} data sets a cell, of which "
        f"a coverage of .95 has a standard error of {np.sqrt(0.95 * 0.05 / n_sets):.3f},\n"
        "and a fourth of them for what ignores the groups and weights."
    )
    header = ["test sets", *METRICS, "ignoring"]
    TABLE.write_text(f"{grid(header, list(summary_rows(results)))}\n\n{made}\n")


if __name__ == "__main__":
    main()
