"""Measure how often 95 % intervals of ROC areas and average precisions contain the truth.

    python benchmarks/ranking_coverage.py [--sets N] [--jobs N]

Scores of both classes are normal, Beta, lognormal, of Student's t with two degrees of freedom, or
rounded to five levels. For the area under the ROC curve the numbers of positives and negatives are
fixed, and DeLong's interval on the scale of the logit is compared; for the average precision the
class of each sample is drawn, or fixed with a known share, and the percentile interval of a
bootstrap is compared. Data set k of a cell depends on nothing but the cell and k.

``--pairs`` runs the differences of two classifiers on the same samples alone, and writes them to
tables of their own. Those of areas are compared with DeLong's paired interval and test, which take
samples in groups for independent. Areas of weighted samples are computed by products of matrices,
with the weights that the documentation states, for twenty data sets at once, of which one is given
to `compare_scores` to check them.
"""

import argparse
import platform
import warnings
import zlib
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy
import sklearn
from joblib import Parallel, delayed
from scipy import special
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score, roc_auc_score

from skpostbac import (
    __version__,
    compare_scores,
    posterior_average_precision,
    posterior_roc_auc,
)

TABLE = Path(__file__).with_suffix(".rst")
SCORES = {
    "normal, chance": lambda rng, y: rng.normal(size=y.size),
    "normal": lambda rng, y: rng.normal(size=y.size) + y,
    "normal, good": lambda rng, y: rng.normal(size=y.size) + 2.5 * y,
    "normal, very good": lambda rng, y: rng.normal(size=y.size) + 4 * y,
    "Beta": lambda rng, y: np.where(
        y, rng.beta(6, 1.5, y.size), rng.beta(1, 4, y.size)
    ),
    "lognormal": lambda rng, y: np.exp(rng.normal(size=y.size)) * np.where(y, 2.2, 1),
    "Student's t": lambda rng, y: rng.standard_t(2, y.size) + 1.5 * y,
    "five levels": lambda rng, y: (
        (rng.normal(size=y.size) + 1.5 * y).round().clip(-2, 2)
    ),
}
# Data sets of a cell that are resampled, which takes longest.
RESAMPLED = 60
# Draws of each comparison, and how many data sets have the same ones.
PAIR_DRAWS = 1000
BLOCK = 20
SIZES = ((3, 10), (5, 20), (5, 500), (10, 10), (20, 60), (100, 300))
SHARES = (
    (0.01, 1000),
    (0.02, 200),
    (0.02, 1000),
    (0.1, 50),
    (0.1, 200),
    (0.1, 1000),
    (0.5, 50),
    (0.5, 200),
)


def true_value(name, share=None):
    """Return the area, or the average precision at a share of positives, of a large sample."""
    y = np.arange(2_000_000) % 2 == 1
    s = SCORES[name](np.random.default_rng(1), y)
    if share is None:
        return roc_auc_score(y, s)
    return average_precision_score(y, s, sample_weight=np.where(y, share, 1 - share))


def placements(y, s):
    """Return the share of negatives below each positive, and of positives above each negative."""
    positive, negative = s[y], s[~y]
    ranks = rankdata(np.concatenate([positive, negative]))
    above = (ranks[: positive.size] - rankdata(positive)) / negative.size
    return above, 1 - (ranks[positive.size :] - rankdata(negative)) / positive.size


def delong(y, s):
    """Return DeLong's interval on the scale of the logit; both ends are the area if that is 1."""
    above, below = placements(y, s)
    area = above.mean()
    if not 0 < area < 1:
        return area, area
    variance = above.var(ddof=1) / above.size + below.var(ddof=1) / below.size
    half = 1.96 * variance**0.5 / (area * (1 - area))
    return special.expit(special.logit(area) + half * np.array([-1, 1]))


def bootstrap(y, s, rng):
    """Return the percentile interval of 200 resampled average precisions."""
    index = rng.integers(y.size, size=(200, y.size))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.quantile(
            [average_precision_score(y[i], s[i]) for i in index], [0.025, 0.975]
        )


def of_area(name, sizes, truth, number):
    """Return whether both intervals contain the truth, and their widths."""
    rng = np.random.default_rng([zlib.crc32(f"{name} {sizes}".encode()), number])
    y = np.arange(sum(sizes)) < sizes[0]
    s = SCORES[name](rng, y)
    ends = np.array(
        [posterior_roc_auc(y, s, n_draws=4000).credible_interval(), delong(y, s)]
    )
    return [
        *((ends[:, 0] <= truth) & (truth <= ends[:, 1])),
        *(ends[:, 1] - ends[:, 0]),
    ]


def of_precision(name, share, n, truth, number):
    """Return whether the intervals contain the truth: sampled and known shares, and a bootstrap."""
    rng = np.random.default_rng([zlib.crc32(f"{name} {share} {n}".encode()), number])
    y = rng.random(n) < share
    y[0] |= not y.any()
    fixed = np.arange(n) < round(share * n)
    s, t = SCORES[name](rng, y), SCORES[name](rng, fixed)
    ends = [
        posterior_average_precision(y, s, n_draws=4000).credible_interval(),
        posterior_average_precision(
            fixed, t, prevalence="observed", n_draws=4000
        ).credible_interval(),
    ]
    if number < RESAMPLED:
        ends.append(bootstrap(y, s, rng))
    held = [float(low <= truth <= high) for low, high in ends]
    return [*held, np.nan][:3]


class Normal(NamedTuple):
    """Normal scores of two classifiers with given areas, and a correlation in both classes."""

    areas: tuple[float, float]
    correlation: float
    has_levels: bool = False
    """Whether the scores are rounded to five levels."""

    def scores(self, rng, y):
        shared = rng.normal(size=y.size) * self.correlation**0.5
        own = rng.normal(size=(2, y.size)) * (1 - self.correlation) ** 0.5
        shifts = 2**0.5 * special.ndtri(self.areas)
        scores = shared + own + np.outer(shifts, y)
        return scores.round().clip(-2, 2) if self.has_levels else scores


class Skewed(NamedTuple):
    """Scores with other errors than normal ones, and shifts of the positives."""

    shifts: tuple[float, float]
    correlation: float
    tails: str

    def scores(self, rng, y):
        errors = Normal((0.5, 0.5), self.correlation).scores(rng, y)
        if self.tails == "lognormal":
            errors = np.exp(errors)
        else:
            errors = errors / np.sqrt(rng.chisquare(2, y.size) / 2)
        return errors + np.outer(self.shifts, y)


class NeverWorse(NamedTuple):
    """The second classifier has the scores of the first, but half of the positives higher."""

    def scores(self, rng, y):
        first = rng.normal(size=y.size) + 2**0.5 * special.ndtri(0.75) * y
        return np.stack([first, first + 1.5 * y * (rng.random(y.size) < 0.5)])


class Grouped(NamedTuple):
    """Five samples of each subject, whose scores share half of their variance."""

    areas: tuple[float, float]

    def scores(self, rng, y):
        subject = np.repeat(Normal((0.5, 0.5), 0.5).scores(rng, y[::5]), 5, axis=1)
        return (subject + Normal(self.areas, 0.5).scores(rng, y) * 2**0.5) / 3**0.5


class Classes(NamedTuple):
    """Scores of three classes, of which the true one is higher."""

    gains: tuple[float, float]

    def scores(self, rng, y):
        errors = [Normal((0.5, 0.5), 0.5).scores(rng, y) for _ in range(3)]
        is_true = y[:, np.newaxis] == np.arange(3)
        return np.stack(errors, axis=-1) + np.multiply.outer(self.gains, is_true)


# Description, scores, numbers of each class: better ones, and equal ones.
AREAS = [
    ("normal", Normal((0.8, 0.885), 0.8), (15, 30)),
    ("normal", Normal((0.71, 0.855), 0.5), (10, 300)),
    ("normal", Normal((0.94, 0.98), 0.8), (25, 25)),
    ("normal", Normal((0.94, 0.98), 0.8), (60, 60)),
    ("normal", Normal((0.7, 0.9), 0.8), (5, 200)),
    ("never worse", NeverWorse(), (12, 12)),
    ("never worse", NeverWorse(), (30, 60)),
    ("Student's t", Skewed((1.0, 2.5), 0.5, "t"), (12, 60)),
    ("five levels", Normal((0.75, 0.85), 0.5, has_levels=True), (20, 40)),
    ("normal", Normal((0.85, 0.85), 0.98), (40, 40)),
    ("normal", Normal((0.8, 0.8), 0.5), (10, 1000)),
    ("normal", Normal((0.75, 0.75), 0.3), (5, 200)),
    ("normal", Normal((0.5, 0.5), 0.0), (10, 300)),
    ("lognormal", Skewed((1.2, 1.2), 0.5, "lognormal"), (8, 40)),
    ("Student's t", Skewed((1.5, 1.5), 0.5, "t"), (10, 300)),
    ("five levels", Normal((0.8, 0.8), 0.5, has_levels=True), (10, 200)),
    ("three classes", Classes((1.0, 1.5)), (10, 20, 30)),
    ("three classes", Classes((1.0, 1.0)), (10, 20, 30)),
    ("groups of five", Grouped((0.7, 0.85)), (75, 75)),
    ("groups of five", Grouped((0.8, 0.8)), (75, 75)),
]
AVERAGE_PRECISIONS = [
    ("normal", Normal((0.8, 0.9), 0.5), (30, 170)),
    ("normal", Normal((0.8, 0.885), 0.8), (30, 170)),
    ("normal", Normal((0.75, 0.87), 0.8), (30, 170)),
    ("normal", Normal((0.8, 0.8), 0.5), (20, 180)),
    ("normal", Normal((0.95, 0.98), 0.8), (20, 80)),
    ("Student's t", Skewed((1.5, 1.5), 0.5, "t"), (10, 190)),
]


def delong_pair(y, scores):
    """Return DeLong's paired interval of the second area less the first."""
    parts = [placements(y, s) for s in scores]
    above, below = (parts[1][i] - parts[0][i] for i in (0, 1))
    variance = above.var(ddof=1) / above.size + below.var(ddof=1) / below.size
    return above.mean() + 1.96 * variance**0.5 * np.array([-1, 1])


def labels(sizes):
    """Return the labels of fixed numbers of positives and negatives, or of three classes."""
    if len(sizes) == 2:
        return np.arange(sum(sizes)) < sizes[0]
    return np.repeat(np.arange(len(sizes)), sizes)


def true_difference(metric, kind, sizes):
    """Return the metric of the second classifier less that of the first, by a large sample."""
    if isinstance(kind, Normal) and not kind.has_levels and metric == "roc_auc":
        return kind.areas[1] - kind.areas[0]
    large = 5 * np.array(sizes) * (50_000 // sum(sizes))
    y = labels(large)
    measure = roc_auc_score if metric == "roc_auc" else average_precision_score

    def score(values):
        if len(sizes) == 2:
            return measure(y, values)
        return np.mean([measure(y == k, column) for k, column in enumerate(values.T)])

    differences = []
    for seed in range(4):
        first, second = kind.scores(np.random.default_rng(seed), y)
        differences.append(score(second) - score(first))
    return np.mean(differences)


def weighted_area(metric, s, positive, weights, ends):
    """Return the metric for draws of weights, (draws, n), and of ends, (class, side, draws)."""
    w, v = weights[:, positive], weights[:, ~positive]
    own, others = s[positive], s[~positive, np.newaxis]
    (low_v, high_v), (low_w, high_w) = ends
    sum_v = v.sum(axis=1) + low_v + high_v
    sum_w = w.sum(axis=1) + low_w + high_w
    if metric == "roc_auc":
        below = v @ ((others < own) + 0.5 * (others == own)) + low_v[:, np.newaxis]
        at_ends = 0.5 * low_w * low_v + high_w * (sum_v - 0.5 * high_v)
        return ((below * w).sum(axis=1) + at_ends) / (sum_v * sum_w)
    true = w @ (own[:, np.newaxis] >= own) + high_w[:, np.newaxis]
    false = v @ (others >= own) + high_v[:, np.newaxis]
    at_ends = high_w**2 / (high_w + high_v) + low_w * sum_w / (sum_w + sum_v)
    return ((w * true / (true + false)).sum(axis=1) + at_ends) / sum_w


def differences(metric, y, scores, weights, ends):
    """Return draws of the metric of the second classifier less that of the first."""
    classes = [True] if y.dtype == bool else np.unique(y)
    first, second = (
        np.mean(
            [
                weighted_area(metric, one, y == k, weights, own)
                for k, one in zip(classes, np.atleast_2d(each.T), strict=True)
            ],
            axis=0,
        )
        for each, own in zip(scores, ends, strict=True)
    )
    return second - first


def hull(draws):
    """Return the hull of the shortest and the central 95 % interval."""
    draws = np.sort(draws)
    low, high = np.quantile(draws, [0.025, 0.975])
    inside = round(0.95 * draws.size)
    start = (draws[inside:] - draws[:-inside]).argmin()
    return min(low, draws[start]), max(high, draws[start + inside])


def of_pairs(metric, name, kind, sizes, truth, block):
    """Return of each data set of a block whether intervals hold, and whether either seems better.

    By the posterior and by DeLong's method, each with P > 0.95 or its one-sided 5 % test. The data
    sets of a block have the same weights. The first one is also given to `compare_scores`.
    """
    rng = np.random.default_rng(
        [zlib.crc32(f"{metric} {kind} {sizes}".encode()), block]
    )
    y = labels(sizes)
    size = 5 if "groups" in name else 1
    weights = rng.standard_exponential((PAIR_DRAWS, y.size // size)).repeat(
        size, axis=1
    )
    agree = rng.standard_gamma(3 / 8, (2, 2, PAIR_DRAWS)) * size
    differ = rng.standard_gamma(1 / 8, (2, 2, PAIR_DRAWS)) * size
    ends = agree + differ, agree + differ[:, ::-1]

    rows = []
    for number in range(BLOCK):
        if metric == "average_precision":
            y = rng.random(y.size) < sizes[0] / sum(sizes)
            y[0] |= not y.any()
        scores = kind.scores(rng, y)
        draws = differences(metric, y, scores, weights, ends)
        low, high = hull(draws)
        p = np.mean(draws > 0)
        row = [low <= truth <= high, p > 0.95, p < 0.05]
        if number == 0:
            options = {"groups": np.arange(y.size) // 5} if "groups" in name else {}
            found = compare_scores(
                y,
                dict(zip("ab", scores, strict=True)),
                metric=metric,
                multi_class="ovr",
                random_state=block,
                n_draws=PAIR_DRAWS,
                **options,
            ).difference_interval("b", "a")
            assert np.abs(np.subtract(found, (low, high))).max() < draws.std(), name
        if len(sizes) > 2 or metric == "average_precision":
            rows.append([*row, np.nan, np.nan, np.nan])
            continue
        low, high = delong_pair(y, scores)
        middle, half = (low + high) / 2, (high - low) / 2 * 1.645 / 1.96
        rows.append([*row, low <= truth <= high, middle > half, -middle > half])
    return rows


def table(head, rows):
    """Return the lines of a table."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = " ".join("=" * width for width in widths)
    lines = [" ".join(map(str.ljust, row, widths)).rstrip() for row in (head, *rows)]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def heading(args, option=""):
    """Return when and with what it was measured."""
    return (
        f"{date.today()}, skpostbac {__version__}, scikit-learn {sklearn.__version__}, "
        f"NumPy {np.__version__}, SciPy {scipy.__version__},\nPython {platform.python_version()}; "
        f"``python benchmarks/ranking_coverage.py --sets {args.sets}{option}``"
    )


def pair_rows(metric, cells, args, parallel):
    """Yield the rows of the cells of a metric."""
    for name, kind, sizes in cells:
        truth = 0.0
        if name == "never worse" or len(set(kind[0])) == 2:
            truth = true_difference(metric, kind, sizes)
        tasks = (
            delayed(of_pairs)(metric, name, kind, sizes, truth, block)
            for block in range(args.sets // BLOCK)
        )
        held, better, worse, *others = np.concatenate(parallel(tasks)).mean(axis=0)
        shares = [held, better, others[0], others[1]]
        if truth == 0:
            # Equal classifiers: a false alarm, a side.
            shares[1], shares[3] = (better + worse) / 2, (others[1] + others[2]) / 2
        correlation = getattr(kind, "correlation", None)
        yield (
            name,
            f"{truth:.3f}",
            "" if correlation is None else f"{correlation:g}",
            " / ".join(map(str, sizes)),
            *("" if np.isnan(share) else f"{share:.3f}" for share in shares),
        )


def write_pairs(args):
    """Run the cells of two classifiers and write their tables."""
    names = (
        "scores",
        "difference",
        "correlation",
        "positive / negative",
        "posterior",
        "P > 0.95",
        "DeLong",
        "P < 0.05",
    )
    parts = [
        (
            f"{heading(args, ' --pairs')};\n{PAIR_DRAWS} draws a data set. Standard errors: "
            f"{np.sqrt(0.05 * 0.95 / args.sets):.3f} of a share of 0.95 or 0.05, and "
            f"{np.sqrt(0.25 / args.sets):.3f} at most."
        )
    ]
    with Parallel(n_jobs=args.jobs) as parallel:
        for title, metric, cells in (
            ("Areas under the ROC curve:", "roc_auc", AREAS),
            ("Average precisions:", "average_precision", AVERAGE_PRECISIONS),
        ):
            rows = []
            for row in pair_rows(metric, cells, args, parallel):
                print(*row, sep=", ", flush=True)
                rows.append(row)
            used = len(names) if metric == "roc_auc" else 6
            parts += [title, table(names[:used], [row[:used] for row in rows])]
    TABLE.with_stem("ranking_pairs").write_text("\n\n".join(parts) + "\n")


def main():
    """Run all cells and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sets",
        type=int,
        default=400,
        help="data sets a cell, half of them for the average precision (400)",
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--pairs", action="store_true", help="only the differences")
    args = parser.parse_args()
    if args.pairs:
        write_pairs(args)
        return
    areas, precisions = [], []
    with Parallel(n_jobs=args.jobs) as parallel:
        for name in SCORES:
            truth = true_value(name)
            for sizes in SIZES:
                tasks = (
                    delayed(of_area)(name, sizes, truth, k) for k in range(args.sets)
                )
                ours, delongs, width, other = np.mean(parallel(tasks), axis=0)
                cells = (f"{ours:.2f} ({width:.2f})", f"{delongs:.2f} ({other:.2f})")
                areas.append((name, f"{truth:.3f}", "{} / {}".format(*sizes), *cells))
                print(*areas[-1], flush=True)
        for name in [name for name in SCORES if name != "normal, chance"]:
            for share, n in SHARES:
                truth = true_value(name, share)
                tasks = (
                    delayed(of_precision)(name, share, n, truth, k)
                    for k in range(args.sets // 2)
                )
                held = np.nanmean(parallel(tasks), axis=0)
                cells = (f"{value:.2f}" for value in held)
                precisions.append((name, f"{truth:.3f}", f"{share:g}", str(n), *cells))
                print(*precisions[-1], flush=True)
    head = f"{heading(args)}; bootstrap: {RESAMPLED} data sets a cell."
    parts = [
        head,
        "Area under the ROC curve; in brackets the mean width:",
        table(
            ("scores", "area", "positive / negative", "posterior", "DeLong, logit"),
            areas,
        ),
        f"Average precision, {args.sets // 2} data sets a cell:",
        table(
            (
                "scores",
                "truth",
                "share",
                "samples",
                "posterior",
                "known share",
                "bootstrap",
            ),
            precisions,
        ),
    ]
    TABLE.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
