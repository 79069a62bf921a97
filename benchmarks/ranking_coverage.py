"""Measure how often 95 % intervals of ROC areas and average precisions contain the truth.

    python benchmarks/ranking_coverage.py [--sets N] [--jobs N]

Scores of both classes are normal, Beta, lognormal, of Student's t with two degrees of freedom, or
rounded to five levels. For the area under the ROC curve the numbers of positives and negatives are
fixed, and DeLong's interval on the scale of the logit is compared; for the average precision the
class of each sample is drawn, or fixed with a known share, and the percentile interval of a
bootstrap is compared. Differences of the areas of two classifiers on the same samples are compared
with DeLong's paired interval. Data set k of a cell depends on nothing but the cell and k.

``--pairs`` runs the differences alone, and writes them to a table of their own.
"""

import argparse
import platform
import warnings
import zlib
from datetime import date
from pathlib import Path

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


PAIRS = {
    # Two scores of each sample that share as much as they do not; the second is better, or as good.
    "normal, better": (lambda z: z, 1.0, 1.6),
    "normal, equal": (lambda z: z, 1.2, 1.2),
    "normal, very good, better": (lambda z: z, 3.0, 4.5),
    "lognormal, better": (np.exp, 1.0, 1.6),
    "five levels, equal": (lambda z: z.round().clip(-2, 2), 1.2, 1.2),
}


def two_scores(name, rng, y):
    """Return scores of two classifiers for the same samples."""
    transform, *shifts = PAIRS[name]
    shared = rng.normal(size=y.size)
    return [
        transform((shared + rng.normal(size=y.size)) / 2**0.5 + shift * y)
        for shift in shifts
    ]


def delong_pair(y, scores):
    """Return DeLong's paired interval of the second area less the first."""
    parts = [placements(y, s) for s in scores]
    above, below = (parts[1][i] - parts[0][i] for i in (0, 1))
    variance = above.var(ddof=1) / above.size + below.var(ddof=1) / below.size
    return above.mean() + 1.96 * variance**0.5 * np.array([-1, 1])


def of_pair(name, sizes, truth, number):
    """Return whether both intervals of the difference hold, and if one seems better, by each."""
    rng = np.random.default_rng([zlib.crc32(f"{name} {sizes}".encode()), number])
    y = np.arange(sum(sizes)) < sizes[0]
    one, two = two_scores(name, rng, y)
    comparison = compare_scores(y, {"one": one, "two": two}, n_draws=4000)
    ends = np.array(
        [comparison.difference_interval("two", "one"), delong_pair(y, (one, two))]
    )
    held = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    return [*held, comparison.prob_greater().max() > 0.95]


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


def write_pairs(args):
    """Run the cells of two classifiers and write their table."""
    rows = []
    with Parallel(n_jobs=args.jobs) as parallel:
        for name in PAIRS:
            one, two = special.ndtr(np.array(PAIRS[name][1:]) / 2**0.5)
            truth = two - one  # but for ties, which leave equal ones equal
            for sizes in ((10, 10), (20, 60)):
                tasks = (
                    delayed(of_pair)(name, sizes, truth, k) for k in range(args.sets)
                )
                shares = np.mean(parallel(tasks), axis=0)
                cells = (f"{share:.2f}" for share in shares)
                rows.append((name, f"{truth:.3f}", "{} / {}".format(*sizes), *cells))
                print(*rows[-1], flush=True)
    names = (
        "scores",
        "difference",
        "positive / negative",
        "posterior",
        "DeLong",
        "P > 0.95",
    )
    text = f"{heading(args, ' --pairs')}.\n\n{table(names, rows)}\n"
    TABLE.with_stem("ranking_pairs").write_text(text)


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
