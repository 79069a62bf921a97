"""Measure how poolings of subgroups find the worst group and the gap.

    python benchmarks/subgroup_pooling.py choose [--sets N]
    python benchmarks/subgroup_pooling.py [--sets N]

The recalls of two classes are equal in all groups, or Beta distributed, or those of one group stand
apart. Poolings are averages of three models: each group alone; a Beta population for each class,
perhaps with a share of outliers, which have uniform recalls; and groups that are equal in all
classes. The share of the first is fixed, the others share the rest by their evidence. Of each cell:
how often the 95 % intervals of the worst group and of the gap contain the truth, how often
P(gap > 0.05) is above 0.95, and the mean width of the interval of the worst group.

Populations are integrated on a fixed grid, which takes a tenth of the time of the package; in the
first sets of each cell, intervals are compared with those of the package. The first form chooses
the shares, on other cells. Writes `subgroup_choice.rst` or `subgroup_pooling.rst` beside this file.
"""

import argparse
import platform
import warnings
import zlib
from datetime import date
from pathlib import Path

import numpy as np
import scipy
from scipy.special import betaincinv, betaln, expit, gammaln, logit, logsumexp

from skpostbac import PosteriorBalancedAccuracy, __version__
from skpostbac.metrics import ClassCounts, SubgroupPosteriors

FOLDER = Path(__file__).parent
DRAWS = 1000
# Sets of each cell that are compared with the package.
COMPARED = 3
# Shares: of groups alone, of equal groups in the rest, and of outliers in a population.
CANDIDATES = {
    "population": (0.0, 0.0, 0.0),
    "outliers": (0.0, 0.0, 0.1),
    "half, 0": (0.5, 0.0, 0.0),
    "half, .2": (0.5, 0.2, 0.0),
    "half, .5": (0.5, 0.5, 0.0),
}
SHOWN = {
    "alone": (1.0, 0.0, 0.0),
    "population": (0.0, 0.0, 0.0),
    "outliers": (0.0, 0.0, 0.1),
    "default": (0.5, 0.2, 0.0),
}
# Groups, samples per class or those of each group, and recalls: of all groups; mean and standard
# deviation; or, if the first two differ, those of the first groups beside the others.
TO_CHOOSE = [
    ("equal, .80", (8, 30, [0.8])),
    ("equal, .70", (4, 60, [0.7])),
    ("equal, .75", (12, 25, [0.75])),
    ("Beta, .82, .06", (6, 60, (0.82, 0.06))),
    ("Beta, .82, .04", (10, 30, (0.82, 0.04))),
    ("Beta, .82, .10", (4, 25, (0.82, 0.1))),
    ("one .75, .90", (8, 30, [0.75, 0.9])),
    ("one .65, .88", (6, 20, [0.65, 0.88])),
    ("one .75, .90", (3, 50, [0.75, 0.9])),
    ("one .65, .90", (8, 12, [0.65, 0.9])),
]
TO_SHOW = [
    ("one .70, .92", (8, 40, [0.7, 0.92])),
    ("one .70, .92", (8, 15, [0.7, 0.92])),
    ("one .70, .92", (5, 100, [0.7, 0.92])),
    ("one .70, .92", (3, 40, [0.7, 0.92])),
    ("Beta, .80, .10", (3, 20, (0.8, 0.1))),
    ("Beta, .80, .03", (10, 20, (0.8, 0.03))),
    ("Beta, .80, .05", (5, 80, (0.8, 0.05))),
    ("equal, .85", (3, 25, [0.85])),
    ("equal, .85", (8, 30, [0.85])),
    (".92, .70", (2, (400, 40), [0.92, 0.7])),
    ("equal, .85", (2, 40, [0.85])),
]


def simulate(cell, rng):
    """Draw the recalls, the correct and all samples of one set, shape (n_groups, 2)."""
    n_groups, size, recalls = cell
    if isinstance(recalls, tuple):
        mean, deviation = recalls
        both = mean * (1 - mean) / deviation**2 - 1
        truth = rng.beta(mean * both, (1 - mean) * both, (n_groups, 2))
        total = rng.integers(size // 2, size + size // 2 + 1, (n_groups, 2))
    else:
        rest = recalls[-1:] * (n_groups - len(recalls))
        truth = np.tile(np.array(recalls + rest)[:, np.newaxis], 2)
        total = np.tile(np.broadcast_to(size, n_groups)[:, np.newaxis], 2)
    return truth, rng.binomial(total, truth), total


class Population:
    """A Beta population of the recalls of one class, on a grid of means and spreads."""

    def __init__(self, correct, total, n_means=99, n_spreads=20):
        self.correct, self.total = correct, total
        right, wrong = correct + 0.5, total - correct + 0.5

        # A third of the means are quantiles of single groups, of flatter ones, and uniform.
        level = (np.arange(n_means // (3 * len(total)) + 1) + 0.5) / (
            n_means // (3 * len(total)) + 1
        )
        a, b = (
            np.concatenate([x, 0.5 + x / 10, np.ones_like(x)]) for x in (right, wrong)
        )
        mean = betaincinv(a[:, np.newaxis], b[:, np.newaxis], level)
        mean = mean.ravel().clip(1e-9, 1 - 1e-9)
        logs = np.stack([np.log(mean), np.log1p(-mean)])
        log_density = logsumexp(
            np.stack([a - 1, b - 1], axis=1) @ logs - betaln(a, b)[:, np.newaxis],
            axis=0,
        )
        log_density += np.log(mean.size / a.size)

        # t = (alpha + beta)^(-1/2) has a density proportional to (1 + t^2)^(-5/2).
        unit = 0.5 / np.sqrt(total.sum() + 4)
        step = np.arcsinh(6 / unit) / n_spreads
        y = (np.arange(n_spreads) + 0.5) * step
        t = unit * np.sinh(y)
        log_prior = np.log(1.5 * unit * np.cosh(y) * step) - 2.5 * np.log1p(t * t)

        self.log_prior = np.add.outer(-log_density, log_prior).ravel()
        self.a = np.multiply.outer(mean, t**-2.0).ravel()
        self.b = np.multiply.outer(1 - mean, t**-2.0).ravel()
        self.log_inside = (
            self._rising(self.a, correct)
            + self._rising(self.b, total - correct)
            - self._rising(self.a + self.b, total)
        )

    @staticmethod
    def _rising(a, n):
        """Logs of a (a + 1) ... (a + n - 1), shape (n_groups, n_nodes)."""
        values, place = np.unique(n, return_inverse=True)
        return (gammaln(a + values[:, np.newaxis]) - gammaln(a))[place]

    def sample(self, outliers, n_draws, rng):
        """Return draws of the recalls, shape (n_draws, n_groups), and the log evidence."""
        log_each, log_outside = self.log_inside, None
        if outliers:
            wrong = self.total - self.correct
            log_outside = np.log(outliers) + betaln(1 + self.correct, 1 + wrong)
            log_each = np.logaddexp(
                np.log1p(-outliers) + log_each, log_outside[:, np.newaxis]
            )
        log_posterior = self.log_prior + log_each.sum(axis=0)
        log_evidence = logsumexp(log_posterior)
        weight = np.exp(log_posterior - log_evidence)
        node = rng.choice(weight.size, n_draws, p=weight / weight.sum())
        a, b = self.a[node], self.b[node]
        if outliers:
            a, b = (np.tile(x, (self.total.size, 1)) for x in (a, b))
            is_outside = rng.random(a.shape) < np.exp(
                log_outside[:, np.newaxis] - log_each[:, node]
            )
            a[is_outside] = b[is_outside] = 1.0
        wrong = self.total - self.correct
        # Shape (n_draws, n_groups), or (n_draws, 1) where no group stands apart
        a, b = (x.T.reshape(n_draws, -1) for x in (a, b))
        return rng.beta(a + self.correct, b + wrong), log_evidence


def averages(poolings, correct, total, rng):
    """Yield draws of the accuracies of all groups for each pooling, (DRAWS, n_groups)."""
    posteriors = [
        PosteriorBalancedAccuracy(ClassCounts([0, 1], k, n))
        for k, n in zip(correct, total, strict=True)
    ]
    single = np.stack(
        [one.distribution.sample(DRAWS, rng=rng) for one in posteriors], axis=1
    )
    classes = [Population(k, n) for k, n in zip(correct.T, total.T, strict=True)]
    related = {
        outliers: [one.sample(outliers, DRAWS, rng) for one in classes]
        for outliers in {shares[2] for shares in poolings.values()}
    }
    ends = [
        (1 + k.sum(), 1 + (n - k).sum())
        for k, n in zip(correct.T, total.T, strict=True)
    ]
    same = np.mean([rng.beta(a, b, (DRAWS, 1)) for a, b in ends], axis=0)
    uniform = rng.random((DRAWS, 1))
    for alone, equal, outliers in poolings.values():
        alike = np.mean([draws for draws, _ in related[outliers]], axis=0)
        evidence = sum(log_evidence for _, log_evidence in related[outliers])
        log_odds = logit(equal) + sum(betaln(a, b) for a, b in ends) - evidence
        draws = np.where(uniform < expit(log_odds), same, alike)
        n_alone = int(alone * DRAWS)
        yield np.concatenate([draws[n_alone:], single[:n_alone]])


def interval(draws):
    """Return the hull of the shortest and of the central 95 % interval."""
    draws = np.sort(draws)
    n_inside = int(np.ceil(0.95 * draws.size))
    low, high = draws[: draws.size - n_inside + 1], draws[n_inside - 1 :]
    best = np.argmin(high - low)
    central = np.quantile(draws, [0.025, 0.975])
    return min(low[best], central[0]), max(high[best], central[1])


def of_package(correct, total):
    """Return the intervals of the worst group and of the gap."""
    posteriors = [
        PosteriorBalancedAccuracy.from_counts(k, n)
        for k, n in zip(correct, total, strict=True)
    ]
    groups = SubgroupPosteriors(tuple(range(len(posteriors))), tuple(posteriors))
    return groups.worst.credible_interval(), groups.gap.credible_interval()


def measure(cell, poolings, number):
    """Return what is counted of each pooling, and the distance from the package."""
    rng = np.random.default_rng([zlib.crc32(repr(cell).encode()), number])
    truth, correct, total = simulate(cell, rng)
    accuracy = truth.mean(axis=1)
    found, ends = [], None
    for draws in averages(poolings, correct, total, rng):
        worst, gap = draws.min(axis=1), np.ptp(draws, axis=1)
        low, high = interval(worst)
        least, most = interval(gap)
        ends = (low, high), (least, most)
        found.append(
            [
                low <= accuracy.min() <= high,
                least <= np.ptp(accuracy) <= most,
                np.mean(gap > 0.05) > 0.95,
                high - low,
            ]
        )
    distance = np.nan
    if "default" in poolings and number < COMPARED:
        # The default comes last.
        distance = np.abs(np.subtract(ends, of_package(correct, total))).mean()
    return np.array(found, dtype=float), distance


def main():
    """Measure all cells and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", nargs="?", choices=["choose"])
    parser.add_argument("--sets", type=int, default=1000, help="data sets a cell")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    cells, poolings = (TO_CHOOSE, CANDIDATES) if args.study else (TO_SHOW, SHOWN)
    results, distances = [], []
    for name, cell in cells:
        found, apart = zip(
            *(measure(cell, poolings, i) for i in range(args.sets)), strict=True
        )
        results.append(np.mean(found, axis=0))
        distances += apart
        print(name, *results[-1].T.round(3).tolist(), np.nanmean(apart), flush=True)

    command = " ".join(["benchmarks/subgroup_pooling.py", *filter(None, [args.study])])
    text = (
        f"{date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}, skpostbac {__version__}; ``python {command} --sets "
        f"{args.sets}``. Standard error of a share of .95: "
        f"{np.sqrt(0.95 * 0.05 / args.sets):.3f}, of .05: the same, of .50: "
        f"{0.5 / np.sqrt(args.sets):.3f}."
    )
    if not args.study:
        text += (
            f" In the first {COMPARED} sets of each cell, ends of the default's intervals "
            f"differed from the package's by {np.nanmean(distances):.4f} on average."
        )
    measures = (
        "Coverage of the worst group",
        "Coverage of the gap",
        "Share with P(gap > 0.05) > 0.95",
        "Width of the interval of the worst group",
    )
    width = max(len(name) for name, _ in cells)
    columns = [max(len(name), 5) for name in poolings]
    rule = " ".join("=" * n for n in (width, 6, 9, *columns))
    for i, title in enumerate(measures):
        head = [f"{'recalls':<{width}}", "groups", "per class"]
        head += [f"{name:<{n}}" for name, n in zip(poolings, columns, strict=True)]
        lines = [rule, " ".join(head).rstrip(), rule]
        for (name, (n_groups, size, _)), result in zip(cells, results, strict=True):
            sizes = f"{size[0]}, {size[1]}" if isinstance(size, tuple) else str(size)
            row = [f"{name:<{width}}", f"{n_groups:<6}", f"{sizes:<9}"]
            row += [
                f"{share:<{n}.3f}"
                for share, n in zip(result[:, i], columns, strict=True)
            ]
            lines.append(" ".join(row).rstrip())
        text += f"\n\n{title}:\n\n" + "\n".join([*lines, rule])
    path = FOLDER / f"subgroup_{'choice' if args.study else 'pooling'}.rst"
    path.write_text(text + "\n")


if __name__ == "__main__":
    main()
