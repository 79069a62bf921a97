"""Simulate how often intervals hold an accuracy that a judge and some gold samples measure.

    python benchmarks/gold_coverage.py

A random part of the samples is gold. In the first table one system is judged: the 95 % intervals of
`posterior_prevalence` with `gold`, and of the gold samples alone (`PosteriorAccuracy`). The second
has the difference of two systems on the same items, by `compare_outcomes` with and without
verdicts; in its last rows items come in groups of ten, which share a difficulty. "width" is the
average width of the interval divided by that of the gold alone, "worth" the average of
`judge_worth`. "wider" is the share of sets whose interval is wider than that of the gold alone,
"error" the root mean squared error of the mean, divided by that of the gold alone, and "apart"
that of the difference of two systems that are measured one by one. Sets in which no gold sample has a verdict that others have give no estimate
("none"), and are left out. The third table has how often an interval is as narrow as
`required_gold` plans with an assurance of 80 %, and how the plan and `judge_worth` vary from pilot
to pilot (5 to 95 %). The cells were fixed before anything was run, but for the last two pairs, of
systems that mostly agree; the prior was chosen earlier, on other simulations. Writes `gold_coverage.rst` beside this file.
"""

import warnings
from pathlib import Path

import numpy as np
from _studies import versions

from skpostbac import PosteriorAccuracy, compare_outcomes, posterior_prevalence

RESULTS = Path(__file__).with_suffix(".rst")
N_SETS = 150
N_PAIRED_SETS = 150
N_DRAWS = 4000

# Samples, gold samples, share of positives, sensitivity and specificity of the judge.
SINGLE = [
    (150, 30, 0.63, 0.88, 0.77),
    (150, 60, 0.37, 0.93, 0.90),
    (150, 30, 0.94, 0.90, 0.60),
    (400, 25, 0.55, 0.97, 0.95),
    (400, 80, 0.72, 0.70, 0.65),
    (400, 80, 0.08, 0.85, 0.96),
    (400, 80, 0.50, 0.50, 0.50),
    (2500, 40, 0.45, 0.99, 0.985),
    (2500, 120, 0.83, 0.92, 0.70),
    (2500, 120, 0.97, 0.95, 0.80),
    (2500, 300, 0.30, 0.80, 0.90),
    (2500, 300, 0.66, 0.99, 0.99),
]
# Items, gold items, probabilities of both right, only a, only b, neither; sensitivity and
# specificity of the judge; standard deviation of the difficulty of groups, or 0.
PAIRS = [
    (300, 60, (0.50, 0.12, 0.18, 0.20), 0.90, 0.80, 0),
    (300, 60, (0.60, 0.10, 0.10, 0.20), 0.75, 0.75, 0),
    (300, 150, (0.85, 0.03, 0.06, 0.06), 0.95, 0.85, 0),
    (2000, 100, (0.40, 0.20, 0.20, 0.20), 0.95, 0.95, 0),
    (2000, 100, (0.70, 0.05, 0.10, 0.15), 0.90, 0.90, 0),
    (2000, 400, (0.55, 0.15, 0.15, 0.15), 0.85, 0.75, 0),
    (2000, 400, (0.50, 0.12, 0.18, 0.20), 0.90, 0.80, 1),
    (600, 200, (0.50, 0.12, 0.18, 0.20), 0.90, 0.80, 1),
    (2000, 60, (0.62, 0.13, 0.16, 0.09), 0.92, 0.80, 0),
    (2000, 60, (0.70, 0.04, 0.08, 0.18), 0.92, 0.85, 0),
]
# Samples, gold samples of the pilot, share of positives, sensitivity, specificity, width.
PLANS = [
    (1500, 60, 0.6, 0.9, 0.85, 0.1),
    (4000, 60, 0.8, 0.95, 0.8, 0.06),
    (800, 40, 0.4, 0.8, 0.8, 0.16),
]


def table(header, rows):
    """Return a table in reStructuredText."""
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    rule = " ".join("=" * width for width in widths)

    def line(row):
        return " ".join(map(str.ljust, row, widths)).rstrip()

    return "\n".join([rule, line(header), rule, *map(line, rows), rule])


def judge(truth, sensitivity, specificity, rng):
    """Return verdicts on samples."""
    is_correct = rng.random(truth.shape) < np.where(truth, sensitivity, specificity)
    return truth == is_correct


def measure(truth, verdict, is_gold):
    """Return the posterior, or None where it cannot be had."""
    gold = np.zeros((2, 2))
    np.add.at(gold, (truth[is_gold].astype(int), verdict[is_gold].astype(int)), 1)
    try:
        return posterior_prevalence(verdict.sum(), verdict.size, gold=gold)
    except ValueError:
        return None


def chosen(n, n_gold, rng):
    return rng.permutation(n) < n_gold


def summarise(results):
    """Return cells of a row: coverage of both, width, and sets without an estimate."""
    found = np.array([one for one in results if one is not None], dtype=float)
    held, held_alone, width, alone = found.T[:4]
    n = len(found)
    cells = [
        f"{share.mean():.3f} ± {spread(share.mean(), n):.3f}"
        for share in (held, held_alone)
    ]
    return [*cells, f"{width.mean() / alone.mean():.2f}", str(len(results) - n)], found


def summarise_pairs(results):
    """Return the cells of two systems: also how often wider, and errors of means."""
    cells, found = summarise(results)
    errors = np.sqrt(np.nanmean(found[:, 4:] ** 2, axis=0))
    wider = np.mean(found[:, 2] > found[:, 3])
    return [*cells, f"{wider:.2f}", *(f"{errors[i] / errors[1]:.2f}" for i in (0, 2))]


def middle(values):
    """Return the range of the middle nine tenths."""
    low, high = np.quantile(values, [0.05, 0.95])
    return f"{low:.0f} to {high:.0f}"


def spread(share, n):
    return np.sqrt(max(share * (1 - share), 0.5 / n) / n)


def one_system(n, n_gold, share, sensitivity, specificity, rng):
    truth = rng.random(n) < share
    is_gold = chosen(n, n_gold, rng)
    posterior = measure(truth, judge(truth, sensitivity, specificity, rng), is_gold)
    if posterior is None:
        return None
    low, high = posterior.credible_interval()
    alone = PosteriorAccuracy.from_outcomes(truth[is_gold]).credible_interval()
    held = [low <= share <= high, alone.low <= share <= alone.high]
    return [*held, high - low, alone.high - alone.low, posterior.judge_worth]


def two_systems(n, n_gold, shares, sensitivity, specificity, sd, rng):
    group = np.arange(n) // 10
    logs = np.log(shares) + sd * rng.standard_normal((n // 10, 4))[group]
    pattern = (logs + rng.gumbel(size=(n, 4))).argmax(axis=1)
    truth = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], bool)[pattern]
    verdict = judge(truth, sensitivity, specificity, rng)
    outcomes = truth.astype(float)
    outcomes[~chosen(n, n_gold, rng)] = np.nan
    known = ~np.isnan(outcomes[:, 0])
    options = {"n_draws": N_DRAWS}
    groups = group if sd else None
    try:
        comparison = compare_outcomes(
            dict(zip("ab", outcomes.T, strict=True)),
            verdicts=dict(zip("ab", verdict.T, strict=True)),
            groups=groups,
            **options,
        )
    except ValueError:
        return None
    gold = dict(zip("ab", outcomes[known].T, strict=True))
    alone = compare_outcomes(
        gold, groups=groups if groups is None else group[known], **options
    )
    low, high = comparison.difference_interval("b", "a")
    other = alone.difference_interval("b", "a")
    difference = true_difference(shares, sd)
    held = [low <= difference <= high, other.low <= difference <= other.high]
    singles = [measure(*one, known) for one in zip(truth.T, verdict.T, strict=True)]
    apart = np.nan
    if None not in singles:
        apart = singles[1].mean() - singles[0].mean()
    means = [
        comparison.difference("b", "a").mean(),
        alone.difference("b", "a").mean(),
        apart,
    ]
    return [*held, high - low, other.high - other.low, *np.subtract(means, difference)]


def true_difference(shares, sd):
    rng = np.random.default_rng(1)
    weights = np.exp(np.log(shares) + sd * rng.standard_normal((400_000, 4)))
    mean = (weights / weights.sum(axis=1, keepdims=True)).mean(axis=0)
    return mean[2] - mean[1]


def plan(n, n_gold, share, sensitivity, specificity, width, rng):
    truth = rng.random(n) < share
    verdict = judge(truth, sensitivity, specificity, rng)
    order = rng.permutation(n)
    pilot = measure(truth, verdict, order < n_gold)
    try:
        size = pilot.required_gold(width)
    except ValueError:
        return None
    low, high = measure(truth, verdict, order < size).credible_interval()
    return [size, high - low <= width, pilot.judge_worth]


def main():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(20261128)
    rows = []
    every = []
    for cell in SINGLE:
        results = [one_system(*cell, rng) for _ in range(N_SETS)]
        every += results
        cells, found = summarise(results)
        rows.append([*map(str, cell), *cells, f"{found[:, 4].mean():.0f}"])
        print(rows[-1], flush=True)
    rows.append(["all", *[""] * 4, *summarise(every)[0], ""])
    header = [
        "samples",
        "gold",
        "share",
        "sens.",
        "spec.",
        "held",
        "gold alone",
        "width",
        "none",
        "worth",
    ]
    parts = [table(header, rows)]

    rows = []
    every = []
    for cell in PAIRS:
        results = [two_systems(*cell, rng) for _ in range(N_PAIRED_SETS)]
        every += results
        n, n_gold, shares, *rest = map(str, cell)
        rows.append([n, n_gold, shares.strip("()"), *rest, *summarise_pairs(results)])
        print(rows[-1], flush=True)
    rows.append(["all", *[""] * 5, *summarise_pairs(every)])
    header = [
        "items",
        "gold",
        "both, a, b, neither",
        "sens.",
        "spec.",
        "sd",
        "held",
        "gold alone",
        "width",
        "none",
        "wider",
        "error",
        "apart",
    ]
    parts.append(table(header, rows))

    rows = []
    for cell in PLANS:
        found = [one for one in (plan(*cell, rng) for _ in range(N_SETS // 2)) if one]
        size, reached, worth = np.array(found).T
        rows.append(
            [
                *map(str, cell),
                f"{np.median(size):.0f}",
                f"{reached.mean():.2f}",
                middle(size),
                middle(worth),
            ]
        )
        print(rows[-1], flush=True)
    header = [
        "samples",
        "pilot",
        "share",
        "sens.",
        "spec.",
        "width",
        "gold, median",
        "reached",
        "gold",
        "worth",
    ]
    parts.append(table(header, rows))
    note = (
        f"``python benchmarks/gold_coverage.py``: {N_SETS} sets a cell of one system, "
        f"{N_PAIRED_SETS} of two, {N_SETS // 2} of a plan; ± one standard error. {versions()}"
    )
    RESULTS.write_text("\n\n".join([note, *parts]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
