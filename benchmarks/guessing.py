"""Measure how often guessing, and a classifier a little better, is said to beat chance.

    python benchmarks/guessing.py [--sets N]

A guesser predicts each label at a rate that does not depend on the true class. Of l classes, one is
rare and the others are common, or one is common and the others are rare; each rare label is
predicted `r` times among the samples of its class on average, or once among all samples, and the
first common label otherwise.
The posterior says so if its probability of being above chance exceeds .95, and the test if its
p-value is at most .05. Writes `guessing.rst` beside this file.
"""

import argparse
from pathlib import Path

import numpy as np
from _studies import versions

from skpostbac import PosteriorBalancedAccuracy
from skpostbac.stats import BetaAverage

RESULTS = Path(__file__).with_suffix(".rst")
SIZES = [(90, 10), (970, 30), (9990, 10), (99900, 100)]
CLASSES = [2, 3, 10]
RATES = [0, "once", 0.3, 1, 3, 10]
# Sizes of two classes, the rate at which guessing predicts the second, and what is added to both
# recalls; of five classes of 20 samples, recalls of 0.2 and more.
BETTER = [
    ([90, 10], [0.85, 0.15], 0.12),
    ([90, 10], [0.5, 0.5], 0.15),
    ([9990, 10], [0.85, 0.15], 0.12),
    ([9990, 10], [0.5, 0.5], 0.15),
    ([99900, 100], [0.95, 0.05], 0.03),
    ([50, 50], [0.5, 0.5], 0.1),
    ([400, 400], [0.5, 0.5], 0.04),
    ([20] * 5, [0.2] * 5, 0.08),
    ([100] * 10, [0.1] * 10, 0.02),
]


def recalls_of_guessing(sizes, n_classes, rate):
    """Yield the sizes and recalls of both layouts, where such a guesser exists."""
    common, rare = sizes
    for n_rare in sorted({1, n_classes - 1}):
        n = common * (n_classes - n_rare) + rare * n_rare
        share = 1 / n if rate == "once" else rate / rare
        if n_rare * share <= 1:
            recalls = np.zeros(n_classes)
            recalls[n_classes - n_rare :] = share
            recalls[0] = 1 - n_rare * share
            yield [common] * (n_classes - n_rare) + [rare] * n_rare, recalls


def shares(sizes, recalls, sets, rng):
    """Return how often the posterior and the test say that chance is beaten."""
    total = np.array(sizes)
    drawn = rng.binomial(total, recalls, (sets, total.size))
    correct, times = np.unique(drawn, axis=0, return_counts=True)
    size = 1 / total.size
    discount = 1.5 - 2 * size
    strength = 1 - np.minimum(total, discount) / (total + 2 * size)
    a = strength * (correct + size)
    b = strength * (total - correct + size)
    posterior = BetaAverage(a, b).ccdf(size) > 0.95
    p_value = np.ones(len(correct))
    # With recalls that sum to 1 at most there is nothing to reject.
    above = (correct / total).sum(axis=1) > 1
    if above.any():
        hits = np.maximum(correct[above], 1e-6)
        limits = BetaAverage(hits, total - correct[above] + 1)
        p_value[above] = limits.cdf(size)

    for row in range(min(3, len(correct))):  # as by the public methods
        one = PosteriorBalancedAccuracy.from_counts(correct[row], total)
        assert (one.prob_above(one.chance) > 0.95) == posterior[row]
        tested = one.guessing_p_value()
        assert abs(tested - p_value[row]) < 1e-4 if above[row] else tested > 0.05
        assert (one.lower_bound() >= size) == (posterior[row] and p_value[row] <= 0.05)
    return times @ posterior / sets, times @ (p_value <= 0.05) / sets


def main():
    """Measure all cells and write both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sets", type=int, default=2000, help="data sets a cell (2000)"
    )
    args = parser.parse_args()
    rng = np.random.default_rng(20261128)
    rule = " ".join(["=" * 11, "=" * 7, *["=" * 11] * len(RATES)])
    lines = [
        rule,
        f"{'sizes':11} classes "
        + " ".join(f"{rate if rate == 'once' else f'r = {rate}':11}" for rate in RATES),
        rule,
    ]
    for sizes in SIZES:
        for n_classes in CLASSES:
            cells = []
            for rate in RATES:
                found = [
                    shares(*layout, args.sets, rng)
                    for layout in recalls_of_guessing(sizes, n_classes, rate)
                ]
                claimed, tested = np.max(found, axis=0) if found else (np.nan, np.nan)
                cells.append(f"{claimed:.3f} {tested:.3f}")
            name = f"{sizes[0]}/{sizes[1]}"
            lines.append(
                f"{name:11} {n_classes:<7} " + " ".join(f"{c:11}" for c in cells)
            )
            print(lines[-1], flush=True)
    lines += [rule, ""]
    rng = np.random.default_rng(20261129)

    rule = " ".join("=" * width for width in (17, 10, 5, 9, 5))
    lines += [rule, "sizes             guesser    added posterior test ", rule]
    for sizes, recalls, added in BETTER:
        claimed, tested = shares(sizes, np.add(recalls, added), args.sets, rng)
        few = f"{len(sizes)} classes" if len(sizes) > 2 else "/".join(map(str, sizes))
        row = f"{few} of {sizes[0]}" if len(sizes) > 2 else few
        guessed = ", ".join(map(str, dict.fromkeys(recalls)))
        lines.append(f"{row:17} {guessed:10} {added:<5} {claimed:<9.3f} {tested:<5.3f}")
        print(lines[-1], flush=True)

    error = np.sqrt(0.05 * 0.95 / args.sets)
    RESULTS.write_text(
        f"{versions()}; ``python benchmarks/guessing.py --sets {args.sets}``. Standard error of a "
        f"share of .05: {error:.4f}; of .5: {0.5 / np.sqrt(args.sets):.3f}.\n\n"
        "Share of guessers, first with a posterior probability above .95 of being above chance,\n"
        "then with a p-value of .05 or less; the higher of both layouts:\n\n"
        + "\n".join(lines[: lines.index("") + 1])
        + "\nThe same of classifiers whose recalls are higher by *added* than those of a guesser:\n\n"
        + "\n".join([*lines[lines.index("") + 1 :], rule])
        + "\n"
    )


if __name__ == "__main__":
    main()
