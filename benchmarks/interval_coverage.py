"""Measure how often the default interval and others contain the true balanced accuracy.

    python benchmarks/interval_coverage.py [--hard]

writes the tables of the documentation; `quoted.py` takes from them what its text quotes. ``--hard``
writes that of a few cells, in which intervals are known to fail, alone.

Two and three classes, and a class by itself, are enumerated: their coverage is exact, but for a
lattice that carries the posterior. More classes are simulated. No cell served to choose a default.
The ends are off by less than .02 standard deviations, but from 25 classes on those of perfect
scores by up to .5. The score is the interval score of Gneiting and Raftery (2007), the width + 40
times the distance of a truth outside, relative to that of the default.
"""

import argparse
import textwrap
import time
from itertools import product
from operator import itemgetter
from pathlib import Path

import numpy as np
from _studies import versions
from scipy.special import betainc, betaincinv, expit, ndtri, xlog1py, xlogy
from scipy.stats import binom

DOC = Path(__file__).parents[1] / "doc" / "evidence"
SETS = 1000
TAILS = np.linspace(0, 0.05, 41)
FEW = ("1 each", "2 each")
PARTS = {
    "two": "Two classes",
    "three": "Three classes",
    "many": "5 to 100 classes",
    "class": "A class by itself, or the accuracy",
    "few": "Two or three classes with one or two samples in each",
    "sparse": "5 to 100 classes with one or two samples in each",
}


def betas(right, total, n_classes, name):
    """Return a and b of the recalls."""
    if name == "uniform":
        return right + 1, total - right + 1
    if name == "Dirichlet rows":
        return right + 1, total - right + n_classes - 1
    a, b = right + 1 / n_classes, total - right + 1 / n_classes
    if name == "plain":
        return a, b
    share = 1 - np.minimum(total, 1.5 - 2 / n_classes) / (a + b)
    return a * share, b * share


def masses_of_betas(a, b, bins):
    """Return masses on a lattice of [0, 1] that keep the means."""
    grid = np.arange(bins + 1) / bins
    a, b = np.reshape(a, (-1, 1)), np.reshape(b, (-1, 1))
    mass = np.diff(betainc(a, b, grid))
    up = (np.diff(a / (a + b) * betainc(a + 1, b, grid)) - grid[:-1] * mass) * bins
    masses = np.zeros((a.size, bins + 1))
    masses[:, 1:] = up
    masses[:, :-1] += mass - up
    return masses


def masses_of_resamples(right, total, bins):
    """Return masses of the recalls in bootstrap samples, on the same lattice."""
    masses = np.zeros((len(right), bins + 1))
    for row, k, n in zip(masses, right, total, strict=True):
        place = np.arange(n + 1) / n * bins
        mass, left = (
            binom.pmf(np.arange(n + 1), n, k / n),
            np.minimum(place.astype(int), bins - 1),
        )
        np.add.at(row, left, mass * (left + 1 - place))
        np.add.at(row, left + 1, mass * (place - left))
    return masses


def of_averages(masses, chosen):
    """Return shortest and equal-tailed intervals of averages of chosen rows, shape (n_sets, 4)."""
    n_classes, bins = chosen.shape[1], masses.shape[1] - 1
    length = int(1.06 * n_classes * bins) | 1
    kept = length // 2 + 1 if n_classes < 8 else min(1024, length // 2 + 1)
    # A cut spectrum would ring; this is a normal error of .0003 in the average.
    smooth = np.exp(-2 * (np.arange(kept) / kept) ** 2) if n_classes >= 8 else 1.0
    spectra = np.fft.rfft(masses, length)[:, :kept]
    points, ends = 2 * kept - 1, np.empty((len(chosen), 4))
    # The last points are below 0, those before them above 1.
    back = points // 40
    at = np.arange(-back, points - back) * (length / points) / (n_classes * bins)
    at, levels = np.clip(at, 0, 1), np.r_[TAILS, 0.95 + TAILS]
    for start in range(0, len(chosen), 256):
        some = chosen[start : start + 256]
        total = spectra[some[:, 0]]
        for column in some[:, 1:].T:
            total = total * spectra[column]
        found = np.roll(np.fft.irfft(total * smooth, points), back, axis=1)
        found = np.maximum(found, 0)
        # A lattice point stands for the step around it.
        below = np.cumsum(found, axis=1) - found / 2
        below /= below[:, -1:] + found[:, -1:] / 2
        for row, one in enumerate(below, start):
            low, high = np.interp(levels, one, at).reshape(2, -1)
            low[0], high[-1] = 0, 1
            best = np.argmin(high - low)
            ends[row] = low[best], high[best], low[20], high[20]
    return ends


def profile_likelihood(right, total):
    """Return where twice the log-likelihood ratio of the average of the recalls is 3.84."""

    def log_likelihood(p):
        return (xlogy(right, p) + xlog1py(total - right, -p)).sum(1)

    ends, limit = [], log_likelihood(right / total) - ndtri(0.975) ** 2 / 2
    for sign in (1, -1):
        # A Lagrange multiplier gives the most likely recalls of an average; this is its logarithm.
        low, high = np.full(len(right), -12.0), np.full(len(right), 16.0)
        for _ in range(45):
            middle = (low + high) / 2
            multiplier = sign * np.exp(middle)[:, np.newaxis]
            s = total + multiplier
            root = np.sqrt(np.maximum(s**2 - 4 * multiplier * right, 0))
            p = np.where(
                s > 0,
                2 * right / np.maximum(s + root, 1e-300),
                (s - root) / 2 / multiplier,
            )
            p = np.clip(p, 0, 1)
            inside = log_likelihood(p) > limit
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        ends.append(p.mean(1))
    return np.column_stack(ends)


def mover(right, total):
    """Return the intervals of MOVER with Jeffreys limits, 0 and 1 where none and all are right."""
    rates = right / total
    low = np.where(right > 0, betaincinv(right + 0.5, total - right + 0.5, 0.025), 0)
    high = np.where(
        right < total, betaincinv(right + 0.5, total - right + 0.5, 0.975), 1
    )
    down, up = (
        np.sqrt(((x - rates) ** 2).sum(1)) / right.shape[1] for x in (low, high)
    )
    return np.column_stack([rates.mean(1) - down, rates.mean(1) + up])


def price_bonett(right, total):
    """Return Price and Bonett's intervals; with two classes they are Agresti and Caffo's."""
    n_classes = right.shape[1]
    size = total + 4 / n_classes
    p = (right + 2 / n_classes) / size
    half = ndtri(0.975) * np.sqrt((p * (1 - p) / size).sum(1)) / n_classes
    return np.clip([p.mean(1) - half, p.mean(1) + half], 0, 1).T


def hull(ends):
    """Return the intervals that contain both the shortest and the equal-tailed one."""
    return np.column_stack([np.minimum(*ends.T[[0, 2]]), np.maximum(*ends.T[[1, 3]])])


def methods(right, total):
    """Return the intervals of all methods by name, shape (n_sets, 2), from counts (n_sets, l)."""
    n_classes = right.shape[1]
    bins = {2: 2048, 3: 1024}.get(n_classes, max(4096 // n_classes, 128))
    pairs, chosen = np.unique(
        np.stack([right, total], -1).reshape(-1, 2), axis=0, return_inverse=1
    )
    chosen = chosen.reshape(right.shape)
    ends = {
        name: of_averages(
            masses_of_betas(*betas(*pairs.T, n_classes, name), bins), chosen
        )
        for name in ("default", "plain", "uniform", "Dirichlet rows")
    }
    resampled = of_averages(masses_of_resamples(*pairs.T, bins), chosen)[:, 2:]
    # Averages of resamples are tied: half a step of the lattice must not exclude one.
    resampled += np.array([-0.5, 0.5]) / (n_classes * bins)
    return {
        "default": hull(ends["default"]),
        "1/l, shortest": ends["plain"][:, :2],
        "1/l, hull": hull(ends["plain"]),
        "uniform, shortest": ends["uniform"][:, :2],
        "Dirichlet rows": ends["Dirichlet rows"][:, 2:],
        "Price-Bonett": price_bonett(right, total),
        "MOVER, Jeffreys": mover(right, total),
        "profile likelihood": profile_likelihood(right, total),
        "bootstrap": resampled,
    }


def judge(ends, truth, weights):
    """Return coverage and mean interval score."""
    low, high = ends.T
    # A truth at an end, but for rounding, is inside.
    held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    outside = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)
    return [round(float(x @ weights), 4) for x in (held, high - low + 40 * outside)]


def enumerated(sizes, values):
    """Yield cells of some sizes, with all outcomes; the first recall may be 0 as well."""
    for size in sizes:
        right = np.array(list(product(*(range(n + 1) for n in size))))
        found = methods(right, np.broadcast_to(size, right.shape))
        equal = len(set(size)) == 1
        name = f"{size[0]} each" if equal else "/".join(map(str, size))
        for p in product((0.0, *values), *[values] * (len(size) - 1)):
            if not equal or list(p) == sorted(p):
                weights = binom.pmf(right, size, p).prod(1)
                yield (
                    (len(size), name, "/".join(map(str, p))),
                    found,
                    np.mean(p),
                    weights,
                )


def two_classes():
    """Enumerate two classes."""
    sizes = [(n, n) for n in (1, 2, 6, 9, 12, 25, 40, 60)]
    sizes += [
        (1, 10),
        (2, 20),
        (3, 25),
        (4, 12),
        (6, 24),
        (7, 70),
        (12, 40),
        (15, 150),
        (30, 90),
    ]
    return enumerated(sizes, (0.55, 0.65, 0.75, 0.82, 0.88, 0.93, 0.97, 0.99))


def three_classes():
    """Enumerate three classes."""
    sizes = [(n, n, n) for n in (1, 2, 4, 6, 10, 15)]
    sizes += [(1, 5, 20), (2, 10, 40), (4, 6, 30), (3, 9, 27), (7, 14, 28), (9, 9, 40)]
    return enumerated(sizes, (0.55, 0.75, 0.88, 0.97))


def older_name(rows):
    """Return rows for two classes, where Price and Bonett's interval is Agresti and Caffo's."""
    return [
        ["Agresti-Caffo" if x == "Price-Bonett" else x for x in row] for row in rows
    ]


def first_page():
    """Return the coverage of all methods for the two classes of the first page."""
    *_, (_, found, truth, weights) = enumerated([(5, 5)], (0.9,))
    # Some intervals of the bootstrap end at the truth itself, but for the lattice.
    held = [f"{judge(ends.round(3), truth, weights)[0]:.3f}" for ends in found.values()]
    return older_name([["method", "coverage"], *zip(found, held, strict=True)])


def many_classes():
    """Simulate half of all combinations of classes, sizes and recalls, as on a chessboard."""
    for i, j, k in product(range(6), repeat=3):
        if (i + j + k) % 2:
            continue
        n_classes, rng = (
            (5, 8, 12, 25, 50, 100)[i],
            np.random.default_rng([11, i, j, k]),
        )
        ranks = np.arange(1, n_classes + 1)
        place = (ranks - 0.5) / n_classes
        size, total = (
            ("1 each", np.ones(n_classes)),
            ("2 each", np.full(n_classes, 2)),
            ("10 each", np.full(n_classes, 10)),
            ("Zipf", 20 * n_classes / ranks[::-1] / np.log(n_classes + 1)),
            ("log-normal", np.sort(20 * np.exp(rng.normal(-0.5, 1, n_classes)))),
            ("3 or 40", np.where(place < 0.5, 3, 40)),
        )[j]
        # Of a class, in the order of their sizes.
        recall, p = (
            ("all .85", np.full(n_classes, 0.85)),
            ("all .95", np.full(n_classes, 0.95)),
            ("spread", rng.beta(4, 1.2, n_classes)),
            ("images", expit(rng.normal(1, 1.2, n_classes))),
            ("rare harder", expit(3 * place + 0.6 * rng.normal(size=n_classes))),
            (
                "rare never predicted",
                np.where(place < 0.25, 0.0, rng.beta(15, 2, n_classes)),
            ),
        )[k]
        total = np.maximum(1, np.rint(total)).astype(int)
        right = rng.binomial(total, p, (SETS, n_classes))
        found = methods(right, np.broadcast_to(total, right.shape))
        yield (n_classes, size, recall), found, p.mean(), np.full(SETS, 1 / SETS)


def one_class():
    """Enumerate a class by itself, which is also the accuracy."""
    for n in (2, 3, 4, 5, 7, 9, 12, 18, 25, 40, 60, 100, 250, 1000):
        right = np.arange(n + 1.0)[:, np.newaxis]
        ends = {}
        for name, prior in (("Jeffreys", 0.5), ("uniform", 1), ("1/10", 0.1)):
            a, b = right + prior, n - right + prior
            low, high = betaincinv(a, b, TAILS), betaincinv(a, b, 0.95 + TAILS)
            best = (high - low).argmin(1)[:, np.newaxis]
            shortest = [np.take_along_axis(end, best, 1)[:, 0] for end in (low, high)]
            ends[name] = np.column_stack([*shortest, low[:, 20], high[:, 20]])
        z, p = ndtri(0.975), right / n
        half = z * np.sqrt(p * (1 - p) / n + (z / n) ** 2 / 4)
        found = {
            "default": hull(ends["Jeffreys"]),
            "Jeffreys, equal-tailed": ends["Jeffreys"][:, 2:],
            "Jeffreys, shortest": ends["Jeffreys"][:, :2],
            "uniform, shortest": ends["uniform"][:, :2],
            "1/10, shortest": ends["1/10"][:, :2],
            "Wilson": (p + z**2 / n / 2 + half * [-1, 1]) / (1 + z**2 / n),
        }
        for truth in np.r_[
            np.linspace(0.503, 0.893, 40), np.linspace(0.9025, 0.9925, 19)
        ]:
            yield (
                (1, f"{n} samples", truth),
                found,
                truth,
                binom.pmf(np.arange(n + 1), n, truth),
            )


def settings(n_classes, size, recall):
    """Return the rows of the table by setting that a cell is in."""
    if n_classes == 1:
        return (size,)
    if n_classes > 3 or size in FEW:
        return (
            f"{n_classes} classes",
            f"samples: {size}",
            f"recalls: {recall}"[: 99 * (n_classes > 3)],
        )
    smallest = int(size.replace("/", " ").split()[0])
    kind = "1 or 2" if smallest < 3 else "3 to 8" if smallest < 9 else "9 or more"
    return f"smallest class: {kind}", "smallest never predicted" if recall.startswith(
        "0.0"
    ) else ""


def write_table(rows):
    """Return a table in reStructuredText."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = " ".join("=" * width for width in widths)
    lines = [" ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule]) + "\n"


def fold(title, rows):
    """Return a table that is shown on demand."""
    return f".. admonition:: {title}\n   :class: dropdown\n\n" + textwrap.indent(
        write_table(rows), "   "
    )


def tables(cells):
    """Return a table of all methods and one by setting, of coverage and relative scores."""
    names = list(next(iter(cells.values())))
    values = np.array([list(cell.values()) for cell in cells.values()])
    held, scores = values[..., 0], values[..., 1] / values[:, :1, 1]
    wins = (scores <= scores.min(1, keepdims=True)).mean(0)
    rows = [["method", "mean", "lowest", "below .90", "score", "wins"]]
    for name, one, score, won in zip(names, held.T, scores.T, wins, strict=True):
        row = f"{one.mean():.3f}", f"{one.min():.3f}", f"{np.mean(one < 0.9):.0%}"
        rows.append([name, *row, f"{score.mean():.2f}", f"{won:.0%}"])
    groups = {}
    for row, key in enumerate(cells):
        for label in filter(itemgetter(1), enumerate(settings(*key))):
            groups.setdefault(label, []).append(row)
    by_setting = [["", *names]]
    for (_, label), some in sorted(groups.items(), key=lambda item: item[0][0]):
        means = zip(held[some].mean(0), scores[some].mean(0), strict=True)
        by_setting.append(
            [label, *(f"{one:.2f} ({score:.2f})" for one, score in means)]
        )
    return rows, by_setting


def hard_cells():
    """Yield cells in which a rare class is hard beside easy ones."""
    for size, p in (((4, 50), (0.5, 0.999)), ((7, 150), (0.68, 0.999))):
        right = np.array(list(product(*(range(n + 1) for n in size))))
        found = methods(right, np.broadcast_to(size, right.shape))
        weights = binom.pmf(right, size, p).prod(1)
        name = "/".join(map(str, size)), "/".join(map(str, p))
        yield name, found, np.mean(p), weights
    for n_classes, smallest, largest in ((10, 3, 300), (20, 3, 300)):
        total = np.rint(np.geomspace(smallest, largest, n_classes)).astype(int)
        p = np.where(np.arange(n_classes) < 2, 0.4, 0.99)
        right = np.random.default_rng(n_classes).binomial(total, p, (SETS, n_classes))
        found = methods(right, np.broadcast_to(total, right.shape))
        name = (
            f"{n_classes} classes, {smallest} to {largest}",
            "0.4 in the rarest two, 0.99",
        )
        yield name, found, p.mean(), np.full(SETS, 1 / SETS)


def write_hard():
    """Write the table of the cells in which intervals are known to fail."""
    rows = []
    for name, found, truth, weights in hard_cells():
        held = (judge(ends, truth, weights)[0] for ends in found.values())
        rows.append([*name, *(f"{share:.3f}" for share in held)])
    header = ["samples", "recalls", *found]
    error = np.sqrt(0.9 * 0.1 / SETS)
    made = (
        f"{versions()}; ``python benchmarks/interval_coverage.py --hard``. Two classes are exact; more "
        f"have {SETS} data sets, and a coverage of .9 a standard error of {error:.3f}.\n\n"
    )
    (DOC / "intervals_hard.rst.inc").write_text(made + write_table([header, *rows]))


def main():
    """Run all parts, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hard", action="store_true", help="only the hard cells")
    if parser.parse_args().hard:
        write_hard()
        return
    start, parts = time.time(), {name: {} for name in PARTS}
    low = [["classes", "samples", "recalls", "coverage"]]
    for part, run in zip(
        PARTS, (two_classes, three_classes, many_classes, one_class), strict=False
    ):
        for key, found, truth, weights in run():
            cell = {name: judge(ends, truth, weights) for name, ends in found.items()}
            few = "few" if key[0] < 4 else "sparse"
            parts[few if key[1] in FEW else part][key] = cell
            if key[0] > 1 and cell["default"][0] < 0.9:
                low.append([*map(str, key), f"{cell['default'][0]:.3f}"])
        print(f"{part}: {time.time() - start:.0f} s", flush=True)
    made = f"{versions()}; ``python benchmarks/interval_coverage.py``, {SETS} data sets a simulated "
    written = [f"{made}cell, {(time.time() - start) / 60:.0f} minutes.\n"]
    for part, cells in parts.items():
        rows, by_setting = tables(cells)
        if part == "two":
            rows, by_setting = older_name(rows), older_name(by_setting)
        written += [f"{PARTS[part]}, {len(cells)} cells:\n", write_table(rows)]
        written += [fold("By setting", by_setting)]
    written += [fold(f"All {len(low) - 1} cells where the default is below .90", low)]
    written += [
        "Two classes of five samples each, with recalls of .9:\n",
        write_table(first_page()),
    ]
    (DOC / "intervals.rst.inc").write_text("\n".join(written))


if __name__ == "__main__":
    main()
