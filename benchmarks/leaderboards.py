"""Simulate how often rank intervals hold and the best systems are kept, on many test sets.

    python benchmarks/leaderboards.py

A board has systems that answer the same items. Some items are hard for all, so that the outcomes
depend on each other. An interval of ranks holds if it contains all ranks that the system shares
with equally good ones. "Drawn ranks" are the central intervals of the ranks of 2,000 posterior
draws. Standard errors are of the means over boards. Writes `leaderboards.rst` beside this file.
"""

import time
import warnings
from pathlib import Path

import numpy as np
from _studies import versions

from skpostbac import compare_outcomes, compare_predictions

RESULTS = Path(__file__).with_suffix(".rst")
N_BOARDS = 200
LEVEL = 0.95

# Skills of the systems, samples of each class, and how many have exact copies.
BOARDS = {
    "8 equal, 80 items": (np.full(8, 0.7), [80], 0),
    "18 equal, 350 items": (np.full(18, 1.3), [350], 0),
    "18 equal, accuracy .99, 350 items": (np.full(18, 3.6), [350], 0),
    "10 equal and copies of 6, 240 items": (np.full(10, 0.9), [240], 6),
    "4 equal best of 16, 240 items": (
        np.append(np.full(4, 1.4), np.linspace(1.2, -0.2, 12)),
        [240],
        0,
    ),
    "12 equal, classes of 25 and 250": (np.full(12, 1.0), [25, 250], 0),
}


def compare(skills, n_samples, n_copies, rng):
    """Return the comparison of a simulated board."""
    n = sum(n_samples)
    difficulty = rng.normal(0, 1.3, (n, 1))
    right = difficulty + rng.normal(0, 0.8, (n, len(skills))) < skills
    right = np.hstack([right, right[:, :n_copies]])
    columns = {f"system {i}": column for i, column in enumerate(right.T)}
    if len(n_samples) == 1:
        return compare_outcomes(columns, n_draws=2000)
    y_true = np.repeat(np.arange(len(n_samples)), n_samples)
    predictions = {
        name: np.where(column, y_true, (y_true + 1) % len(n_samples))
        for name, column in columns.items()
    }
    return compare_predictions(y_true, predictions, n_draws=2000)


def drawn_ranks(comparison):
    """Return the central intervals of the ranks of posterior draws."""
    below = comparison.rank_probabilities().cumsum(axis=1)
    return 1 + np.array(
        [(below < share).sum(axis=1) for share in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)]
    )


def judge(comparison, skills):
    """Return what holds on a board."""
    n_better = (skills > skills[:, np.newaxis]).sum(axis=1)
    n_worse = (skills < skills[:, np.newaxis]).sum(axis=1)

    def hold(interval):
        low, high = interval
        return (low <= 1 + n_better) & (high >= len(skills) - n_worse)

    is_best = n_better == 0
    kept = comparison.may_be_best(LEVEL)
    return (
        kept[is_best].mean(),
        kept[is_best].all(),
        kept.sum(),
        hold(comparison.rank_interval(LEVEL)).all(),
        hold(drawn_ranks(comparison)).all(),
    )


def main():
    """Simulate all boards and write the table."""
    start = time.process_time()
    warnings.simplefilter("ignore")
    rows = []
    for number, (name, (skills, n_samples, n_copies)) in enumerate(BOARDS.items()):
        truth = np.append(skills, skills[:n_copies])
        results = []
        for board in range(N_BOARDS):
            rng = np.random.default_rng([number, board])
            comparison = compare(skills, n_samples, n_copies, rng)
            results.append(judge(comparison, truth))
        means = np.mean(results, axis=0)
        errors = np.std(results, axis=0) / np.sqrt(N_BOARDS)
        cells = [f"{m:.3f} ({e:.3f})" for m, e in zip(means, errors, strict=True)]
        cells[2] = f"{means[2]:.1f} of {len(truth)}"
        rows.append([name, *cells])
        print(*rows[-1], f"{time.process_time() - start:.0f} s", flush=True)

    header = [
        "Board",
        "a given best one kept",
        "all best kept",
        "may be best",
        "all ranks",
        "all drawn ranks",
    ]
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    rule = " ".join("=" * width for width in widths)
    lines = [" ".join(map(str.ljust, row, widths)).rstrip() for row in (header, *rows)]
    RESULTS.write_text(
        f"{versions()}; ``python benchmarks/leaderboards.py``. {N_BOARDS} boards a row, "
        "level .95; standard errors in brackets.\n\n"
        + "\n".join([rule, lines[0], rule, *lines[1:], rule])
        + "\n"
    )


if __name__ == "__main__":
    main()
