"""Measure how often candidates for the default interval hold the true balanced accuracy.

    python benchmarks/interval_coverage.py [--quick] [--parts two three many class]

Two and three classes and a class by itself are enumerated: the coverage is exact, but for a lattice
that carries the posterior. More classes are simulated, 1,000 data sets a cell. The ends are off by
less than .02 standard deviations, but from 30 classes on those of perfect scores by up to .5.
Cells take turns: defaults are chosen on the first half and shown on the
other. The score is the interval score of Gneiting and Raftery (2007), width + 40 times the distance
of a truth outside, relative to that of a named method.

The posteriors differ in the strength of a class with k of n right: Beta(k + 1/l, n - k + 1/l)
("prior"), or Betas of the same mean that are weaker by one observation ("spent"), by 1 - 1 / l
("mostly spent") or by 1 - 2 / l ("part spent"). Of each there are the shortest interval, the
equal-tailed one, the hull of both and the mean of both ends.
"""

import argparse
import json
import time
from itertools import product
from pathlib import Path

import numpy as np
from _studies import versions
from scipy.special import betainc, betaincinv, expit, logit, ndtri
from scipy.stats import binom

RESULTS = Path(__file__).with_suffix(".json")
TAILS = np.linspace(0, 0.05, 41)
LEVELS = np.r_[TAILS, 0.95 + TAILS, 0.05, 0.95]
# Observations that a class is weaker by: the former less the latter over l.
SPENT = {"prior": (0, 0), "spent": (1, 0), "mostly spent": (1, 1), "part spent": (1, 2)}
# Methods to which the scores of a part are relative.
BASES = {"two": "prior, shortest", "three": "prior, shortest", "many": "Price-Bonett"}
BASES["class"] = "Jeffreys, equal-tailed"


def parameters(right, total, n_classes, name):
    """Return a and b of the classes; a class keeps its mean, and without samples its prior."""
    a, b = right + 1 / n_classes, total - right + 1 / n_classes
    most, less = SPENT[name]
    share = 1 - np.minimum(total, most - less / n_classes) / (a + b)
    return a * share, b * share


def spectra(a, b, n_classes):
    """Return transforms of Betas on a lattice of theta that keeps the means, and its length."""
    bins = {2: 2048, 3: 1024}.get(n_classes, max(4096 // n_classes, 128))
    grid = np.arange(bins + 1) / bins
    a, b = np.reshape(a, (-1, 1)), np.reshape(b, (-1, 1))
    below, first = betainc(a, b, grid), a / (a + b) * betainc(a + 1, b, grid)
    mass, part = np.diff(below), np.diff(first)
    up = (part - grid[:-1] * mass) * bins
    masses = np.zeros((a.size, bins + 1))
    masses[:, 1:] = up
    masses[:, :-1] += mass - up
    length = int(1.06 * n_classes * bins) | 1
    kept = length // 2 + 1 if n_classes < 8 else min(1024, length // 2 + 1)
    # A cut spectrum would ring; this is a normal error of .0003 in the average.
    smooth = np.exp(-2 * (np.arange(kept) / kept) ** 2) if n_classes >= 8 else 1.0
    transforms = np.fft.rfft(masses, length)[:, :kept]
    return transforms, smooth, length, bins


def intervals(table, smooth, length, bins, chosen):
    """Return shortest and equal-tailed intervals and one-sided limits, shape (n_sets, 6)."""
    ends = np.empty((len(chosen), 6))
    points, n_classes = 2 * table.shape[1] - 1, chosen.shape[1]
    # The last points are below 0, those before them above 1.
    back = points // 40
    at = np.arange(-back, points - back) * (length / points) / (n_classes * bins)
    at = np.clip(at, 0, 1)
    for start in range(0, len(chosen), 256):
        some = chosen[start : start + 256]
        product_ = table[some[:, 0]]
        for column in some[:, 1:].T:
            product_ = product_ * table[column]
        masses = np.roll(np.fft.irfft(product_ * smooth, points), back, axis=1)
        masses = np.maximum(masses, 0)
        # A lattice point stands for the step around it.
        below = np.cumsum(masses, axis=1) - masses / 2
        below /= below[:, -1:] + masses[:, -1:] / 2
        for row, one in enumerate(below, start):
            found = np.interp(LEVELS, one, at)
            low, high = found[:41], found[41:82]
            low[0], high[-1] = 0, 1
            best = np.argmin(high - low)
            ends[row] = low[best], high[best], low[20], high[20], *found[82:]
    return ends


def posterior_intervals(right, total, name):
    """Return the intervals of data sets, shape (n_sets, 6), from counts of shape (n_sets, l)."""
    n_classes = right.shape[1]
    pairs, chosen = np.unique(np.stack([right, total], -1).reshape(-1, 2), axis=0, return_inverse=1)
    table = spectra(*parameters(pairs[:, 0], pairs[:, 1], n_classes, name), n_classes)
    return intervals(*table, chosen.reshape(right.shape))


def closed_forms(right, total):
    """Return MOVER with Jeffreys limits (1 where all are right) and Price-Bonett's intervals."""
    n_classes, z = right.shape[1], ndtri(0.975)
    rates = right / total
    low = np.where(right > 0, betaincinv(right + 0.5, total - right + 0.5, 0.025), 0)
    high = np.where(right < total, betaincinv(right + 0.5, total - right + 0.5, 0.975), 1)
    centre = rates.mean(1)
    down, up = (np.sqrt(((x - rates) ** 2).sum(1)) / n_classes for x in (low, high))
    p, size = (right + 2 / n_classes) / (total + 4 / n_classes), total + 4 / n_classes
    half = z * np.sqrt((p * (1 - p) / size).sum(1)) / n_classes
    bonett = np.clip([p.mean(1) - half, p.mean(1) + half], 0, 1).T
    return {"MOVER": np.column_stack([centre - down, centre + up]), "Price-Bonett": bonett}


def combined(name, short, equal):
    """Return the shortest and the equal-tailed interval and what is made of both, by name."""
    hull = np.column_stack([np.minimum(short, equal)[:, 0], np.maximum(short, equal)[:, 1]])
    kinds = {"shortest": short, "equal-tailed": equal, "hull": hull}
    kinds["mean of both"] = (short + equal) / 2
    return {f"{name}, {kind}": ends for kind, ends in kinds.items()}


def candidates(right, total):
    """Return the intervals of all methods by name, shape (n_sets, 2), limits of one side too."""
    found = {}
    for name in SPENT:
        if name == "part spent" and right.shape[1] == 2:
            continue
        ends = posterior_intervals(right, total, name)
        found |= combined(name, ends[:, :2], ends[:, 2:4])
        none = np.zeros(len(ends))
        found[f"{name}, lower"] = np.column_stack([ends[:, 4], none + 1])
        found[f"{name}, upper"] = np.column_stack([none, ends[:, 5]])
    return found | closed_forms(right, total)


def judge(ends, truth, weights):
    """Return coverage, mean width and mean interval score."""
    low, high = ends.T
    # A truth at an end, but for rounding, is inside.
    held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    outside = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)
    return [float(x @ weights) for x in (held, high - low, high - low + 40 * outside)]


def enumerate_cells(sizes, recalls):
    """Return the results of cells of some sizes and recalls, all outcomes weighted by chance."""
    right = np.array(list(product(*(range(n + 1) for n in sizes))))
    total = np.broadcast_to(sizes, right.shape)
    methods, found = candidates(right, total), {}
    if len(set(sizes)) == 1:
        recalls = [one for one in recalls if list(one) == sorted(one)]
    for one in recalls:
        weights = binom.pmf(right, total, one).prod(1)
        cell = {name: judge(ends, np.mean(one), weights) for name, ends in methods.items()}
        found["/".join(map(str, sizes)) + " at " + "/".join(map(str, one))] = cell
    return found


def two_classes(quick):
    """Enumerate two classes."""
    sizes = [(n, n) for n in (3, 4, 5, 7, 10, 15, 20, 30, 50, 100)]
    sizes += [(3, 6), (3, 10), (3, 30), (3, 100), (4, 40), (5, 8), (5, 20), (5, 50), (5, 200)]
    sizes += [(8, 15), (10, 30), (10, 100), (20, 50), (20, 200), (50, 200), (150, 200)]
    values = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.995)
    sizes = sizes[::6] if quick else sizes
    return merge(enumerate_cells(n, list(product(values, repeat=2))) for n in sizes)


def three_classes(quick):
    """Enumerate three classes."""
    sizes = [(3, 3, 3), (5, 5, 5), (8, 8, 8), (12, 12, 12), (3, 5, 10), (3, 3, 30), (3, 12, 30)]
    sizes += [(5, 20, 20), (4, 8, 16), (5, 5, 40), (10, 20, 30), (6, 6, 60)]
    values = (0.5, 0.7, 0.85, 0.95, 0.99)
    sizes = sizes[:2] if quick else sizes
    return merge(enumerate_cells(n, list(product(values, repeat=3))) for n in sizes)


def merge(parts):
    """Return one dictionary of many."""
    return {key: value for part in parts for key, value in part.items()}


def class_sizes(name, n_classes, rng):
    """Return sizes of classes, ascending."""
    ranks = np.arange(1, n_classes + 1)
    sizes = {
        "equal 3": np.full(n_classes, 3),
        "equal 5": np.full(n_classes, 5),
        "equal 20": np.full(n_classes, 20),
        "Zipf": np.maximum(2, np.rint(12 * n_classes / ranks / np.log(n_classes + 1))),
        "log-normal": np.maximum(2, np.rint(12 * np.exp(rng.normal(0, 1, n_classes)))),
        "bimodal": np.where(ranks <= n_classes / 2, 4, 60),
    }[name]
    return np.sort(sizes).astype(int)


def class_recalls(name, n_classes, rng):
    """Return recalls of classes in the order of their sizes."""
    place = (np.arange(n_classes) + 0.5) / n_classes
    return {
        "all .9": np.full(n_classes, 0.9),
        "all .98": np.full(n_classes, 0.98),
        "spread": rng.beta(6, 1.5, n_classes),
        # Digits are easy but for some; a network on a hundred kinds of images; rare ones missed.
        "digits": 1 - 0.12 * rng.beta(0.7, 2, n_classes),
        "images": expit(rng.normal(1.2, 1, n_classes)),
        "rare harder": expit(logit(0.55) + 2.6 * place + 0.5 * rng.normal(size=n_classes)),
        "rare missed": np.where(place < 0.2, 0.0, rng.beta(18, 2, n_classes)),
    }[name]


SIZES = ("equal 3", "equal 5", "equal 20", "Zipf", "log-normal", "bimodal")
RECALLS = ("all .9", "all .98", "spread", "digits", "images", "rare harder", "rare missed")


def simulated_cells(classes, quick):
    """Yield names, counts and truths of cells; a half of all combinations, in turn."""
    cells = list(product(classes, SIZES, RECALLS))
    for number, (n_classes, size, recall) in list(enumerate(cells))[:: 12 if quick else 2]:
        rng = np.random.default_rng([32, number])
        total, p = class_sizes(size, n_classes, rng), class_recalls(recall, n_classes, rng)
        yield (
            f"{n_classes}|{size}|{recall}",
            rng.binomial(total, p, (1000, n_classes)),
            total,
            p.mean(),
        )


def many_classes(quick):
    """Simulate four classes and more."""
    found = {}
    for name, right, total, truth in simulated_cells((4, 8, 10, 15, 30, 60, 100), quick):
        methods = candidates(right, np.broadcast_to(total, right.shape))
        weights = np.full(len(right), 1 / len(right))
        found[name] = {key: judge(ends, truth, weights) for key, ends in methods.items()}
    return found


def one_class(quick):
    """Enumerate a class by itself, of 2 to 100 samples."""
    found = {}
    for n in (5, 50) if quick else (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100):
        right = np.arange(n + 1.0)
        ends = {}
        for name, prior, spent in (
            ("Jeffreys", 0.5, 0),
            ("Jeffreys spent", 0.5, 1),
            ("uniform", 1, 0),
            ("1/10", 0.1, 0),
        ):
            share = 1 - spent / (n + 2 * prior)
            a, b = share * (right + prior), share * (n - right + prior)
            levels = betaincinv(a[:, np.newaxis], b[:, np.newaxis], LEVELS)
            best = np.argmin(levels[:, 41:82] - levels[:, :41], axis=1)
            every = np.arange(n + 1)
            ends |= combined(name, levels[every, [best, best + 41]].T, levels[:, [20, 61]])
        for p in np.r_[np.linspace(0.5, 0.9, 41), np.linspace(0.905, 0.995, 19)]:
            weights = binom.pmf(right, n, p)
            found[f"{n} at {p:.3f}"] = {key: judge(of, p, weights) for key, of in ends.items()}
    return found


def table(cells, base):
    """Return rows of a table: of each half, mean, least, share below .9 and relative score."""
    names = list(cells)
    rows = [["method", *2 * ["mean", "least", "< .90", "score"]]]
    for method in cells[names[0]]:
        row = [method]
        for half in (names[::2], names[1::2]):
            values = np.array([cells[name][method] for name in half])
            scores = np.array([cells[name][base][2] for name in half])
            held, score = values[:, 0], np.mean(values[:, 2] / scores)
            shown = (held.mean(), held.min(), (held < 0.9).mean(), score)
            row += [f"{value:.3f}" for value in shown]
        rows.append(row)
    return rows


PARTS = {"two": two_classes, "three": three_classes, "many": many_classes, "class": one_class}


def main():
    """Run the parts, and write their tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few cells, printed only")
    parser.add_argument("--parts", nargs="*", default=PARTS, choices=PARTS)
    args = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for part in args.parts:
        start = time.process_time()
        cells = PARTS[part](args.quick)
        seconds = time.process_time() - start
        made = f"{versions()}; {len(cells)} cells, {seconds:.0f} s of CPU time"
        rows = table(cells, BASES[part])
        results[part] = {"made": made, "score relative to": BASES[part], "rows": rows}
        print(f"{part}: {made}")
        for row in rows:
            print(f"{row[0]:26}", *row[1:], flush=True)
        if not args.quick:
            text = json.dumps(results).replace("[[", "[\n[").replace("], [", "],\n[")
            RESULTS.write_text(text + "\n")


if __name__ == "__main__":
    main()
