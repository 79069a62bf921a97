"""Measure the coverage of intervals of samples in groups, and of importance weights.

    python benchmarks/grouped_coverage.py [--sets N] [--kinds KIND ...]

Test sets are drawn from known recalls: groups within classes ("nested"), also with importance
weights, groups with samples of all classes ("crossing"), two classifiers of equal recalls on such
samples ("paired"), and samples with importance weights alone ("weights"). The recall of a group is
Beta distributed, or normal in the logit, with the given correlation of two of its samples. The
shortest 95 % interval under the default prior is asked whether it holds the truth, with the groups
or weights and without. Data set k of a cell depends on nothing but the name of the cell and k.
The table of the site is written into doc/evidence.
"""

import argparse
import platform
import time
import warnings
import zlib
from collections import defaultdict
from datetime import date
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import brentq
from scipy.special import betaincinv, expit, logit, ndtr

from skpostbac import (
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    __version__,
    class_counts,
)
from skpostbac.metrics import GroupsWarning, PriorInfluenceWarning, paired_counts

TABLE = Path(__file__).parents[1] / "doc" / "evidence" / "groups.rst.inc"
CLASSES, GROUPS, CORRELATIONS = (2, 3, 10), (10, 20, 50), (0.0, 0.1, 0.3, 0.5)
FAMILIES = ("beta", "logit")
# Goals: a range of the mean coverage, the least of a nested and of a crossing cell, and the
# largest share of equal classifiers that are told apart, a side.
RANGE, LEAST, MOST = (0.93, 0.98), {"nested": 0.86, "crossing": 0.80}, 0.05
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


def holds(distribution, truth):
    """Return whether the shortest interval holds the truth."""
    low, high = distribution.hdi(0.95)
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
        holds(PosteriorBalancedAccuracy(one).distribution, truth) for one in counts
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
        holds(PosteriorBalancedAccuracy(one).distribution, truth) for one in found
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
        difference = PosteriorComparison.from_paired_counts(
            counts, random_state=0
        ).difference("B", "A")
        above = float(difference.ccdf(0.0))
        found.append((holds(difference, 0.0), ((above > 0.95) + (above < 0.05)) / 2))
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
        holds(PosteriorBalancedAccuracy(one).distribution, p) for one in counts
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


def grouped_cells(n_classes, n_groups, correlation):
    """Yield cells of groups by the function that runs them."""
    size = (n_classes, n_groups, correlation)
    for family in FAMILIES if correlation else FAMILIES[:1]:
        yield run_single, ("nested", *size, family, 0.0)
        yield run_single, ("crossing", *size, family, 1.0)
    if correlation:
        # Half of the effect of a group is the same in all classes.
        yield run_single, ("crossing", *size, FAMILIES[n_groups == GROUPS[1]], 0.5)
    if n_groups > GROUPS[0]:
        for kind, shared in (("paired nested", 0.0), ("paired crossing", 1.0)):
            yield run_pair, (kind, *size, FAMILIES[n_groups == GROUPS[1]], shared)


def cells():
    """Yield all cells by the function that runs them."""
    for size in product(CLASSES, GROUPS, CORRELATIONS):
        yield from grouped_cells(*size)
    for cell in product(
        (2, 10), (20, 50, 200), (1.0, 2.0), (0.7, 0.9), (0.0, -0.5, 0.5)
    ):
        yield run_weights, ("weights", *cell)
    for cell in product((2, 10), (30,), (0.0, 0.3), (1.0, 2.0)):
        yield run_both, ("nested weighted", *cell, 0.0)


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


def summary_rows(results):
    """Return the rows of the table of the guide: mean and worst cell of each kind and strength."""
    groups = defaultdict(list)
    for cell, found in results:
        kind, strength, association = cell[0], cell[3], cell[5]
        if kind == "weights":
            tied = (
                "none" if association == 0 else "lower" if association < 0 else "higher"
            )
            groups[f"weights, cv {strength:g}, of correct samples {tied}"].append(found)
        else:
            groups[f"{kind}, correlation {strength:g}"].append(found)
    for name, found in groups.items():
        array = np.array(found)
        told = [f"{column.mean():.3f} ({column.max():.3f})" for column in array.T[2:]]
        yield [
            name.replace("of correct samples none", "unrelated to correctness"),
            str(len(array)),
            f"{array[:, 0].mean():.3f} ({array[:, 0].min():.3f})",
            f"{array[:, 1].mean():.3f} ({array[:, 1].min():.3f})",
            *(told or ["", ""]),
        ]


def grid(header, rows):
    """Write a simple table of reStructuredText."""
    rows = [
        [cell or ".." if not i else cell for i, cell in enumerate(row)] for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = " ".join("=" * width for width in widths)
    lines = [
        " ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in [header, *rows]
    ]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def missed_goals(results):
    """Yield what falls short of the goals."""
    for kind in (
        "nested",
        "crossing",
        "paired nested",
        "paired crossing",
        "weights",
        "nested weighted",
    ):
        found = [(cell, values) for cell, values in results if cell[0] == kind]
        if not found:
            continue
        array = np.array([values[0] for _, values in found])
        if not RANGE[0] <= array.mean() <= RANGE[1]:
            yield f"{kind}: mean coverage {array.mean():.3f}"
        for cell, values in found:
            if values[0] < LEAST.get(kind, 0.0):
                yield f"{', '.join(map(str, cell))}: coverage {values[0]:.3f}"
            if len(values) > 2 and values[2] > MOST:
                yield f"{', '.join(map(str, cell))}: {values[2]:.3f} a side"
            if (
                kind == "weights"
                and cell[5] == 0
                and not RANGE[0] <= values[0] <= RANGE[1]
            ):
                yield f"{', '.join(map(str, cell))}: coverage {values[0]:.3f}"


def write_table(results, n_sets, seconds):
    """Write the table of the site, and the cells that miss a goal."""
    error = np.sqrt(0.95 * 0.05 / n_sets)
    made = (
        f"{date.today()}, skpostbac {__version__}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}, Python {platform.python_version()};\n"
        f"``python benchmarks/grouped_coverage.py --sets {n_sets}``, {seconds / 60:.0f} minutes of "
        f"CPU time.\n{n_sets} data sets a cell, of which a coverage of .95 has a standard error of "
        f"{error:.3f},\nand a fourth of them for what ignores the groups and weights."
    )
    header = [
        "test sets",
        "cells",
        "coverage (worst)",
        "ignoring",
        "told apart (most)",
        "ignoring",
    ]
    missed = "\n".join(f"   - {line}" for line in missed_goals(results)) or "   None."
    table = grid(header, list(summary_rows(results)))
    TABLE.write_text(
        TABLE.write_text(
            f"{table}\n\n{made}\n\n.. admonition:: Settings outside the goals\n   :class: dropdown\n\n"
            "   Kind, classes, groups or samples, correlation or cv, and the family or recall.\n\n"
            f"{missed}\n"
        )
    )


def main():
    """Run the cells, and write the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=250)
    parser.add_argument("--kinds", nargs="*")
    args = parser.parse_args()
    for category in (GroupsWarning, PriorInfluenceWarning):
        warnings.simplefilter("ignore", category)
    results = []
    for function, cell in cells():
        if not args.kinds or cell[0] in args.kinds:
            results.append((cell, run_cell(function, cell, args.sets)))
            print(
                cell,
                results[-1][1].round(3),
                f"{time.process_time():.0f} s",
                flush=True,
            )
    write_table(results, args.sets, time.process_time())


if __name__ == "__main__":
    main()
