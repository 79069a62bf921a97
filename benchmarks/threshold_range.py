"""Measure how often ranges of thresholds contain the truly best one.

    python benchmarks/threshold_range.py [--sets N]

Scores of both classes have known distributions, and so has the balanced accuracy at any threshold.
Of each cell: how often the 95 % range contains the threshold where it is highest, the share of the
scores in the range (of both classes, in equal parts), and how often no threshold in the range
truly loses more than .02 of balanced accuracy against the best, which is not promised. The same
for the range of thresholds that come within .02 of the best one on the samples, which promises
neither. With ten positives and scores that overlap widely, also the bias of the mean at the
threshold that does best on the samples, corrected for its choice, with its standard error. Writes
`threshold_range.rst` beside this file.
"""

import argparse
import platform
import warnings
import zlib
from datetime import date
from pathlib import Path

import numpy as np
import scipy
from scipy import stats

from skpostbac import __version__, posterior_threshold_curve
from skpostbac.metrics import (
    GroupsWarning,
    PriorInfluenceWarning,
    SampleWeightWarning,
)

RESULTS = Path(__file__).with_suffix(".rst")
LOSS = 0.02
GRID = np.linspace(-20, 20, 40_001)


class Mixture:
    """Two distributions in equal parts."""

    def __init__(self, *parts):
        self.parts = parts

    def cdf(self, x):
        """Return the distribution function."""
        return np.mean([part.cdf(x) for part in self.parts], axis=0)

    def rvs(self, n, random_state):
        """Draw n values."""
        values = [part.rvs(n, random_state=random_state) for part in self.parts]
        return np.where(random_state.random(n) < 0.5, *values)


# The distribution of the negatives and that of the positives.
SCORES = {
    "normal, 0.05 apart": (stats.norm(0, 1), stats.norm(0.05, 1)),
    "normal, 0.3 apart": (stats.norm(0, 1), stats.norm(0.3, 1)),
    "normal, 1 apart": (stats.norm(0, 1), stats.norm(1, 1)),
    "normal, 2.5 apart": (stats.norm(0, 1), stats.norm(2.5, 1)),
    "normal, spreads 1 and 3": (stats.norm(0, 1), stats.norm(1, 3)),
    "exponential, means 1 and 3": (stats.expon(), stats.expon(scale=3)),
    "t, 1.5 degrees, 2 apart": (stats.t(1.5), stats.t(1.5, 2)),
    "positives on both sides": (
        stats.norm(0, 1),
        Mixture(stats.norm(-1.5, 0.5), stats.norm(2, 0.7)),
    ),
}
SMALL, RARE, EVEN, LARGE = (10, 90), (30, 300), (100, 100), (250, 250)
SIZES = {
    "normal, 0.05 apart": (SMALL, LARGE),
    "normal, 0.3 apart": (SMALL, EVEN),
    "normal, 1 apart": (SMALL, RARE, EVEN, LARGE),
    "normal, 2.5 apart": (SMALL, EVEN),
    "exponential, means 1 and 3": (RARE,),
}
CELLS = [(name, size) for name in SCORES for size in SIZES.get(name, (EVEN,))]
BIASED = [(name, SMALL) for name in ("normal, 0.05 apart", "normal, 0.3 apart")]
# Normal scores, 2 apart, of groups of five with a correlation of one half; and with log-normal
# importance weights of variation 1.
GROUPS, WEIGHTS = "normal, 2 apart, groups", "normal, 2 apart, weights"
SCORES[GROUPS] = SCORES[WEIGHTS] = (stats.norm(0, 1), stats.norm(2, 1))
CELLS += [(GROUPS, EVEN), (WEIGHTS, EVEN)]


def measure(name, size, number):
    """Return three results for each of two ranges, and the error of the corrected mean.

    A range holds the best threshold or not, contains a share of the scores, and has no threshold
    that loses much, or has one.
    """
    rng = np.random.default_rng([zlib.crc32(f"{name}|{size}".encode()), number])
    negative, positive = SCORES[name]

    def rates(threshold):
        return np.array([negative.cdf(threshold), positive.cdf(threshold)])

    y_true = np.repeat([1, 0], size)
    y_score = np.concatenate(
        [
            d.rvs(n, random_state=rng)
            for d, n in zip((positive, negative), size, strict=True)
        ]
    )
    options = {}
    if name == GROUPS:
        groups = np.arange(len(y_true)) // 5
        own, shared = 0.5**0.5 * rng.normal(size=(2, len(y_true)))
        y_score = 2 * y_true + own + shared[groups]
        options = {"groups": groups}
    elif name == WEIGHTS:
        weight = rng.lognormal(sigma=np.log(2) ** 0.5, size=len(y_true))
        options = {"sample_weight": weight, "weight_type": "importance"}
    curve = posterior_threshold_curve(y_true, y_score, **options)

    best, accuracy = TRUTHS[name]
    found = []
    for low, high in (
        curve.best_threshold_range(),
        curve.similar_threshold_range(LOSS),
    ):
        inside = accuracy[(low < GRID) & (high >= GRID)]
        ends = 0.5 + np.diff(rates([low, high])[::-1], axis=0)[0] / 2
        worst = min(inside.min(initial=1.0), *ends)
        share = (rates(high) - rates(low)).mean()
        found += [low < best <= high, share, accuracy.max() - worst <= LOSS]
    bias = np.nan
    if (name, size) in BIASED:
        truth = 0.5 + np.diff(rates(curve.best_threshold)[::-1])[0] / 2
        bias = curve.corrected.mean() - truth
    return *found, bias


def find_truth(negative, positive):
    """Return the best threshold, and the balanced accuracy on the grid."""
    accuracy = (negative.cdf(GRID) + 1 - positive.cdf(GRID)) / 2
    return GRID[np.argmax(accuracy)], accuracy


TRUTHS = {name: find_truth(*scores) for name, scores in SCORES.items()}


def main():
    """Measure all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sets", type=int, default=1000, help="data sets a cell (1000)"
    )
    args = parser.parse_args()
    for category in (GroupsWarning, PriorInfluenceWarning, SampleWeightWarning):
        warnings.simplefilter("ignore", category)
    rule = " ".join("=" * width for width in (26, 9, 9, 5, 5, 10, 5, 5, 10, 6, 5))
    lines = [
        rule,
        f"{'..':<46} {'confidence range':<22} {'.02 on the samples':<22} mean",
        " ".join("-" * width for width in (26, 9, 9, 22, 22, 12)),
        "scores                     positives negatives held  share within .02 held  share within .02 bias   error",
        rule,
    ]
    for name, size in CELLS:
        found = [measure(name, size, number) for number in range(args.sets)]
        *ranges, bias = np.mean(found, axis=0)
        error = np.std(found, axis=0)[-1] / np.sqrt(args.sets)
        line = f"{name:<26} {size[0]:>9} {size[1]:>9}"
        for held, share, within in (ranges[:3], ranges[3:]):
            line += f" {held:>5.3f} {share:>5.2f} {within:>10.3f}"
        lines.append(
            f"{line} {bias:>6.3f} {error:>5.3f}" if (name, size) in BIASED else line
        )
        print(lines[-1], flush=True)
    error = np.sqrt(0.95 * 0.05 / args.sets)
    RESULTS.write_text(
        f"{date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}, skpostbac {__version__}; ``python benchmarks/threshold_range.py "
        f"--sets {args.sets}``. Standard error of a coverage of .95: {error:.3f}; after "
        f"{args.sets} of {args.sets}, its 95 % lower bound is {0.05 ** (1 / args.sets):.3f}.\n\n"
        + "\n".join([*lines, rule])
        + "\n"
    )


if __name__ == "__main__":
    main()
