"""Compare times and errors of many intervals at once, here and in other ways, in one run.

    python benchmarks/peers_many.py [--rst FILE]

prints a table, and writes it as reStructuredText for the documentation. Needs the group ``bench``.
Times are of the processor; methods take turns, and the median over the turns is given.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from fairlearn.metrics import MetricFrame
from peers import _duration, _error, circumstances, list_table, prob_conf_mat_interval
from sklearn.metrics import balanced_accuracy_score

from skpostbac import subgroup_posteriors
from skpostbac.stats import BetaAverage

TURNS, MANY, DRAWS = 3, 1_000, 5_000
# Slow ways are asked for this many intervals, and the time is scaled.
FEW = 10
CLASSES = (2, 3, 10)
# Random draws that are in memory at once.
BLOCK = 10**7
HEADER = ("question", "method", "error", "CPU time")
LEGEND = (
    "Columns: the largest absolute error of the lower ends of the central 95 % intervals against "
    "one distribution at a time (of the gap, the interval itself), and the CPU time. Where it "
    "is scaled, ten intervals were computed."
)


def parameters(n_classes, rng):
    """Return parameters (MANY, n_classes) of classes of 5 to 500 samples, four of five right."""
    total = np.exp(rng.uniform(np.log(5), np.log(500), (MANY, n_classes))).astype(int)
    correct = rng.binomial(total, 0.8)
    return correct + 1 / n_classes, total - correct + 1 / n_classes


def at_once(a, b, rng):
    """Return the lower ends of one object of all distributions."""
    return BetaAverage(a, b).interval(0.95).low


def one_by_one(a, b, rng):
    """Return the lower ends of one object each."""
    return np.array(
        [BetaAverage(*row).interval(0.95).low for row in zip(a, b, strict=True)]
    )


def by_draws(a, b, rng):
    """Return the lower ends of random draws, all of them vectorised."""
    rows = max(BLOCK // (DRAWS * a.shape[1]), 1)
    starts = range(rows, len(a), rows)
    blocks = zip(np.split(a, starts), np.split(b, starts), strict=True)
    return np.concatenate([_lower_ends(*block, rng) for block in blocks])


def _lower_ends(a, b, rng):
    draws = rng.beta(a[:, np.newaxis], b[:, np.newaxis], (len(a), DRAWS, a.shape[1]))
    return np.quantile(draws.mean(axis=-1), 0.025, axis=1)


def by_prob_conf_mat(a, b, rng):
    """Return the lower ends of its 10,000 draws each."""
    prior = 1 / a.shape[1]
    return np.array(
        [
            prob_conf_mat_interval(right - prior, wrong - prior, prior, seed=0)[0]
            for right, wrong in zip(a, b, strict=True)
        ]
    )


METHODS = {
    "skpostbac, all at once": (at_once, MANY),
    "skpostbac, one by one": (one_by_one, MANY),
    f"NumPy, {DRAWS:,} draws of each": (by_draws, MANY),
    "prob_conf_mat, 10,000 draws of each": (by_prob_conf_mat, FEW),
}


def cpu_time(function, *arguments):
    """Return the value of a call and its CPU time."""
    start = time.process_time()
    value = function(*arguments)
    return value, time.process_time() - start


def interval_rows(n_classes):
    """Return the rows of the table for intervals of this many classes."""
    rng = np.random.default_rng(n_classes)
    a, b = parameters(n_classes, rng)
    exact = one_by_one(a, b, rng)
    label = f"{MANY:,} intervals, {n_classes} classes"
    rows = []
    found = {name: [] for name in METHODS}
    for _ in range(TURNS):
        for name, (method, count) in METHODS.items():
            found[name].append(cpu_time(method, a[:count], b[:count], rng))
    for name, (_, count) in METHODS.items():
        values, seconds = zip(*found[name], strict=True)
        error = np.abs(np.array(values) - exact[:count]).max()
        note = "" if count == MANY else " (scaled)"
        spent = np.median(seconds) * MANY / count
        rows.append([label, name + note, _error(error), _duration(spent)])
        label = ""
    return rows


def gap_rows():
    """Return the rows of the table for the gap between the best and the worst of ten groups."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 2_000)
    y_pred = np.where(rng.random(2_000) < 0.8, y_true, 1 - y_true)
    groups = rng.integers(0, 10, 2_000)

    def here():
        found = subgroup_posteriors(y_true, y_pred, sensitive_features=groups)
        return found.gap.credible_interval(method="central")

    def fairlearn():
        frame = MetricFrame(
            metrics=balanced_accuracy_score,
            y_true=y_true,
            y_pred=y_pred,
            sensitive_features=groups,
            n_boot=1_000,
            ci_quantiles=[0.025, 0.975],
            random_state=0,
        )
        return frame.difference_ci()

    rows = []
    for label, name, method, turns in (
        ("gap of ten equal groups", "skpostbac", here, TURNS),
        ("", "fairlearn, 1,000 bootstrap samples", fairlearn, 1),
    ):
        found = [cpu_time(method) for _ in range(turns)]
        low, high = found[0][0]
        seconds = np.median([spent for _, spent in found])
        rows.append([label, name, f"{low:.3f} to {high:.3f}", _duration(seconds)])
    return rows


def as_rst(rows):
    """Format as a list-table with a line on its origin."""
    lines = [
        ".. Made by python benchmarks/peers_many.py --rst; do not edit.",
        "",
        circumstances("fairlearn")
        + " Command: ``python benchmarks/peers_many.py --rst FILE``.",
        "",
        LEGEND,
        "",
        *list_table([HEADER, *rows], "26 36 22 16"),
    ]
    return "\n".join(lines) + "\n"


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--rst", type=Path, help="file for the table as reStructuredText"
    )
    arguments = parser.parse_args()
    rows = [
        row for n_classes in CLASSES for row in interval_rows(n_classes)
    ] + gap_rows()
    print(circumstances("fairlearn"), LEGEND, *map(" | ".join, rows), sep="\n")
    if arguments.rst:
        arguments.rst.write_text(as_rst(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
