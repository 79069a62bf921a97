"""Measure the coverage of intervals of samples in groups, and of importance weights.

    python benchmarks/grouped_coverage.py [--sets N]

Test sets are drawn from known recalls: groups within classes ("nested"), also with importance
weights, groups with samples of all classes ("crossing"), two classifiers of equal recalls on such
samples ("paired"), and samples with importance weights alone ("weights"). The recall of a group is
Beta distributed, or normal in the logit, with the given correlation of two of its samples. The
reported 95 % interval is asked whether it holds the truth, with the groups or weights and without.
Data set k of a cell depends on nothing but the cell and k. The table is written into doc/evidence.
"""

import argparse
import time
import warnings
import zlib
from functools import lru_cache
from pathlib import Path

import numpy as np
from _studies import table, versions, with_error
from scipy.optimize import brentq
from scipy.special import betaincinv, expit, logit, ndtr

from skpostbac import (
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    class_counts,
)
from skpostbac.metrics import GroupsWarning, PriorInfluenceWarning, paired_counts

TABLE = Path(__file__).parents[1] / "doc" / "evidence" / "groups.rst.inc"
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@lru_cache
def logit_normal(mean, correlation):
    """Return centre and spread of the logit of recalls of this mean and correlation."""

    def centre(spread):
        return brentq(lambda mu: WEIGHTS @ expit(mu + spread * NODES) - mean, -40, 40)

    def excess(spread):
        q = expit(centre(spread) + spread * NODES)
        return WEIGHTS @ q**2 - mean**2 - correlation * mean * (1 - mean)

    spread = brentq(excess, 1e-3, 12)
    return centre(spread), spread


def group_recalls(family, mean, correlation, z):
    """Return recalls of groups from normal variables."""
    if correlation == 0:
        return np.full(z.shape, mean)
    if family == "logit":
        centre, spread = logit_normal(mean, correlation)
        return expit(centre + spread * z)
    size = 1 / correlation - 1
    return betaincinv(mean * size, (1 - mean) * size, ndtr(z))


def recalls_of(n_classes):
    """Return the recalls of the classes: alike for two, and from .65 to .95 for more."""
    return np.full(2, 0.8) if n_classes == 2 else np.linspace(0.65, 0.95, n_classes)


def draw_samples(kind, n_classes, n_groups, rng):
    """Return the class, the group and the place of its recall of each sample.

    Half of the test sets have groups of 8 samples of a class, and half of 3 to 30.
    """
    shape = (n_groups, n_classes)
    # Groups that cross have fewer of each class.
    largest = 30 if kind == "nested" else 12
    if rng.random() < 0.5:
        sizes = np.full(shape, 8 if kind == "nested" else 4)
    else:
        sizes = rng.integers(3 if kind == "nested" else 1, largest + 1, shape)
    place = np.repeat(np.arange(sizes.size), sizes.ravel())
    group, y = np.divmod(place, n_classes)
    return y, (place if kind == "nested" else group), place


def draw_outcomes(recalls, place, family, correlation, shared, rng, n_classifiers=1):
    """Return which samples are right; groups have `shared` of their effect in all classes."""
    n_classes = len(recalls)
    n_groups = int(place.max()) // n_classes + 1
    common, own = rng.normal(size=(n_groups, 1)), rng.normal(size=(n_groups, n_classes))
    z = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    right = []
    for _ in range(n_classifiers):
        # Two classifiers have half of the effect in common.
        noise = rng.normal(size=z.shape)
        effect = z if n_classifiers == 1 else np.sqrt(0.5) * (z + noise)
        columns = [
            group_recalls(family, p, correlation, zi)
            for p, zi in zip(recalls, effect.T, strict=True)
        ]
        right.append(rng.random(place.size) < np.stack(columns, axis=1).ravel()[place])
    return right


def holds(interval, truth):
    """Return whether an interval holds the truth."""
    low, high = interval
    return low <= truth <= high


def run_single(cell, rng, ignoring):
    """Return whether the interval holds the truth with the groups, and without."""
    kind, n_classes, n_groups, correlation, family, shared = cell
    recalls = recalls_of(n_classes)
    y, group, place = draw_samples(kind, n_classes, n_groups, rng)
    (right,) = draw_outcomes(recalls, place, family, correlation, shared, rng)
    y_pred = np.where(right, y, (y + 1) % n_classes)
    truth = recalls.mean()
    counts = [
        class_counts(y, y_pred, groups=groups)
        for groups in (group, None)[: 1 + ignoring]
    ]
    return beside(
        holds(PosteriorBalancedAccuracy(one).credible_interval(), truth)
        for one in counts
    )


def run_both(cell, rng, ignoring):
    """Return the same of groups within classes whose samples have importance weights."""
    _, n_classes, n_groups, correlation, variation, _ = cell
    recalls = recalls_of(n_classes)
    y, group, place = draw_samples("nested", n_classes, n_groups, rng)
    (right,) = draw_outcomes(recalls, place, "beta", correlation, 0.0, rng)
    options = {
        "sample_weight": np.exp(
            np.sqrt(np.log1p(variation**2)) * rng.normal(size=y.size)
        ),
        "weight_type": "importance",
    }
    y_pred, truth = np.where(right, y, (y + 1) % n_classes), recalls.mean()
    found = (
        class_counts(y, y_pred, groups=groups, **options)
        for groups in (group, None)[: 1 + ignoring]
    )
    return beside(
        holds(PosteriorBalancedAccuracy(one).credible_interval(), truth)
        for one in found
    )


def run_pair(cell, rng, ignoring):
    """Return the same of a difference of zero, and whether either classifier is declared better."""
    kind, n_classes, n_groups, correlation, family, shared = cell
    kind = kind.removeprefix("paired ")
    y, group, place = draw_samples(kind, n_classes, n_groups, rng)
    recalls = recalls_of(n_classes)
    right = draw_outcomes(
        recalls, place, family, correlation, shared, rng, n_classifiers=2
    )
    predictions = {
        name: np.where(one, y, (y + 1) % n_classes)
        for name, one in zip("AB", right, strict=True)
    }
    found = []
    for groups in (group, None)[: 1 + ignoring]:
        counts = paired_counts(y, predictions, groups=groups)
        comparison = PosteriorComparison.from_paired_counts(counts, random_state=0)
        above = float(comparison.difference("B", "A").ccdf(0.0))
        interval = comparison.difference_interval("B", "A")
        found.append((holds(interval, 0.0), ((above > 0.95) + (above < 0.05)) / 2))
    holding, deciding = zip(*found, strict=True)
    return [*beside(holding), *beside(deciding)]


def run_weights(cell, rng, ignoring):
    """Return whether the interval holds the truth with importance weights, and as case counts."""
    _, n_classes, n, variation, p, association = cell
    spread = np.sqrt(np.log1p(variation**2))
    y = np.repeat(np.arange(n_classes), n)
    z = rng.normal(size=y.size)
    right = rng.random(y.size) < expit(
        weighted_centre(p, spread, association) + association * z
    )
    y_pred = np.where(right, y, (y + 1) % n_classes)
    weight = np.exp(spread * z - spread**2 / 2)
    counts = [
        class_counts(y, y_pred, sample_weight=weight, weight_type=meaning)
        for meaning in ("importance", "case")[: 1 + ignoring]
    ]
    return beside(
        holds(PosteriorBalancedAccuracy(one).credible_interval(), p) for one in counts
    )


@lru_cache
def weighted_centre(p, spread, association):
    """Return the centre of the logit for which the weighted recall is p."""
    if association == 0:
        return logit(p)
    # Weighting by exp(spread z) moves the normal variable by its spread.
    return brentq(
        lambda mu: WEIGHTS @ expit(mu + association * (NODES + spread)) - p, -30, 30
    )


# Classes, groups, correlation, family of the recalls, and the share of the effect of a group that
# is the same in all classes.
GROUPED = [
    ("nested", 2, 20, 0.0, "beta", 0.0),
    ("nested", 2, 5, 0.5, "logit", 0.0),
    ("nested", 2, 10, 0.3, "beta", 0.0),
    ("nested", 3, 10, 0.5, "logit", 0.0),
    ("nested", 10, 10, 0.1, "logit", 0.0),
    ("nested", 10, 50, 0.5, "beta", 0.0),
    ("crossing", 2, 20, 0.0, "beta", 1.0),
    ("crossing", 2, 10, 0.5, "beta", 1.0),
    ("crossing", 3, 10, 0.5, "logit", 1.0),
    ("crossing", 10, 5, 0.5, "logit", 1.0),
    ("crossing", 10, 10, 0.3, "logit", 1.0),
    ("crossing", 10, 20, 0.5, "logit", 0.5),
    ("crossing", 3, 50, 0.1, "beta", 1.0),
]
PAIRED = [
    ("paired nested", 2, 20, 0.5, "logit", 0.0),
    ("paired nested", 3, 50, 0.1, "beta", 0.0),
    ("paired nested", 10, 50, 0.5, "beta", 0.0),
    ("paired crossing", 2, 50, 0.3, "beta", 1.0),
    ("paired crossing", 3, 20, 0.5, "logit", 1.0),
]
# Classes, samples of each, coefficient of variation, recall, and the association of the weights
# with correctness.
WEIGHTED = [
    ("weights", 2, 50, 1.0, 0.7, 0.0),
    ("weights", 10, 20, 2.0, 0.7, 0.0),
    ("weights", 2, 20, 1.0, 0.9, -0.5),
    ("weights", 2, 20, 2.0, 0.7, -1.0),
    ("weights", 10, 50, 2.0, 0.9, -0.5),
    ("weights", 10, 20, 2.0, 0.7, -0.5),
    ("weights", 2, 200, 2.0, 0.9, 0.5),
]
# Classes, groups, correlation and coefficient of variation.
BOTH = [("nested weighted", 2, 30, 0.3, 1.0, 0.0)]
RUNS = (
    (run_single, GROUPED),
    (run_pair, PAIRED),
    (run_weights, WEIGHTED),
    (run_both, BOTH),
)


def cells():
    """Yield all cells by the function that runs them."""
    for function, chosen in RUNS:
        for cell in chosen:
            yield function, cell


def beside(found):
    """Return what is found with the groups or weights and without, nan where that was not run."""
    return [*found, np.nan][:2]


def run_cell(function, cell, n_sets):
    """Return the means over the data sets of a cell, of which each fourth is run without groups."""
    seed = zlib.crc32(repr(cell).encode())
    found = [
        function(cell, np.random.default_rng([seed, k]), ignoring=k % 4 == 0)
        for k in range(n_sets)
    ]
    return np.nanmean(np.array(found, dtype=float), axis=0)


def name_of(cell):
    """Return what a row of the table begins with."""
    kind, n_classes, n, strength, family, share = cell
    if kind != "weights":
        return [kind, n_classes, n, strength]
    tied = (
        "unrelated"
        if share == 0
        else f"of correct ones {'lower' if share < 0 else 'higher'}"
    )
    return [f"weights, {tied}, recall {family}", n_classes, n, f"cv {strength:g}"]


def row_of(start, found, n_sets, n_ignoring):
    """Return a row of shares with their standard errors."""
    # Of what is told apart, the two sides of a set are taken for one.
    sizes = [n_sets, n_ignoring, n_sets, n_ignoring]
    shares = (with_error(*one) for one in zip(found, sizes, strict=False))
    return [*start, *shares, *[""] * (4 - len(found))]


def main():
    """Run the cells, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets a cell (400)")
    n_sets = parser.parse_args().sets
    for category in (GroupsWarning, PriorInfluenceWarning):
        warnings.simplefilter("ignore", category)
    n_ignoring = -(-n_sets // 4)
    rows, pools = [], {}
    for function, cell in cells():
        found = run_cell(function, cell, n_sets)
        rows.append(row_of(name_of(cell), found, n_sets, n_ignoring))
        # Groups without a correlation may be ignored.
        if cell[0] != "nested weighted" and cell[3]:
            pools.setdefault(cell[0], []).append(found)
        print(cell, found.round(3), f"{time.process_time():.0f} s", flush=True)
    for kind, found in pools.items():
        start = [f"all {kind}", "", "", "" if kind == "weights" else "> 0"]
        size = len(found)
        mean = np.mean(found, axis=0)
        rows.append(row_of(start, mean, size * n_sets, size * n_ignoring))
    header = ["test sets", "classes", "groups", "correlation", "coverage", "ignoring"]
    header += ["told apart", "ignoring"]
    TABLE.write_text(
        f"{versions()}; ``python benchmarks/grouped_coverage.py --sets {n_sets}``. {n_sets} data "
        "sets a cell, and a fourth of them for what ignores groups and weights; standard errors in "
        f"brackets.\n\n{table(header, rows)}\n"
    )


if __name__ == "__main__":
    main()
