"""Coverage of 95 % intervals of the mean accuracy in a population of sites.

    python benchmarks/group_coverage.py [--sets N] [--classes]

Sites are drawn from a population, and each has between 10 and 200 test samples. The mean accuracy
of the population is compared with the credible intervals of `population_posterior`, with intervals
of Student's t on the accuracies of the sites, and with those of the pooled counts. The table is
written beside this script.

With --classes, sites have samples of two classes, and the balanced accuracy of the population and of
a new site is asked for. The effect of a site is the same in both classes, or independent. As many
samples are of each class, so that the accuracy of all samples, taken as one class, has the same
truth. This table is group_classes.rst.
"""

import argparse
import zlib
from pathlib import Path

import numpy as np
from _studies import table, versions, with_error
from scipy import stats
from scipy.special import expit, logit

from skpostbac import population_posterior

TABLE = Path(__file__).with_suffix(".rst")
CLASSES = TABLE.with_name("group_classes.rst")
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(100)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def normal(spread):
    """Return a population with normal log-odds."""

    def draw(median, m, rng):
        mean = float(WEIGHTS @ expit(logit(median) + spread * NODES))
        return expit(rng.normal(logit(median), spread, m)), mean

    return draw


def beta(median, m, rng):
    """Draw from a Beta population worth 20 samples; `median` is its mean."""
    return rng.beta(20 * median, 20 * (1 - median), m), median


def with_outliers(median, m, rng):
    """Draw from a population in which one site in five is worse by 1.5 in the log-odds."""
    worse = expit(logit(median) - 1.5)
    return np.where(rng.random(m) < 0.2, worse, median), 0.8 * median + 0.2 * worse


def one_of(n_sites):
    """Return a population in which one site in so many has an accuracy of one half."""

    def draw(median, m, rng):
        is_bad = rng.random(m) < 1 / n_sites
        return np.where(is_bad, 0.5, median), median + (0.5 - median) / n_sites

    return draw


POPULATIONS = {
    "equal sites": normal(0.0),
    "normal, 0.3": normal(0.3),
    "normal, 0.6": normal(0.6),
    "normal, 1.0": normal(1.0),
    "Beta": beta,
    "one in five worse": with_outliers,
    "one in six at .5": one_of(6),
    "one in ten at .5": one_of(10),
}
# Population, its median, and the number of sites.
CELLS = (
    ("equal sites", 0.9, 5),
    ("normal, 0.3", 0.8, 3),
    ("normal, 0.3", 0.9, 10),
    ("normal, 0.6", 0.6, 5),
    ("normal, 0.6", 0.96, 20),
    ("normal, 1.0", 0.8, 10),
    ("normal, 1.0", 0.9, 5),
    ("Beta", 0.8, 3),
    ("Beta", 0.9, 20),
    ("one in five worse", 0.9, 5),
    ("one in five worse", 0.9, 20),
    ("one in six at .5", 0.95, 6),
    ("one in ten at .5", 0.95, 15),
)


def student(correct, total):
    """Return the t interval of the sites' own accuracies."""
    rates = correct / total
    error = rates.std(ddof=1) / np.sqrt(rates.size)
    reach = stats.t.ppf(0.975, rates.size - 1) * error
    return rates.mean() - reach, rates.mean() + reach


def pooled(correct, total):
    """Return the credible interval of one accuracy for all, with a uniform prior."""
    k, n = correct.sum(), total.sum()
    return stats.beta.interval(0.95, k + 1, n - k + 1)


def grouped(correct, total):
    """Return the credible interval of the population mean."""
    return population_posterior(correct, total).population_mean.credible_interval()


METHODS = {
    "beta-binomial": grouped,
    "Student's t": student,
    "pooled": pooled,
}


def measure(name, median, m, n_sets):
    """Return hits and widths of each method, shape (2, n_sets, methods)."""
    rng = np.random.default_rng(zlib.crc32(f"{name}|{median}|{m}".encode()))
    ends = np.zeros((n_sets, len(METHODS), 2))
    for row in ends:
        accuracy, truth = POPULATIONS[name](median, m, rng)
        total = np.rint(np.exp(rng.uniform(np.log(10), np.log(200), m)))
        correct = rng.binomial(total.astype(int), accuracy)
        row[:] = [method(correct, total) for method in METHODS.values()]
    low, high = np.moveaxis(ends, 2, 0)
    return np.array([(low <= truth) & (truth <= high), high - low])


# The effect of a site, its standard deviation in the log-odds, and the number of sites.
OF_CLASSES = (
    ("independent", 1.0, 5),
    ("independent", 1.0, 20),
    ("shared", 0.6, 5),
    ("shared", 0.6, 20),
    ("shared", 1.0, 5),
    ("shared", 1.0, 10),
    ("shared", 1.0, 20),
)
# Median recall of each class.
MEDIANS = np.array([0.75, 0.9])


def holds(interval, truth):
    """Return whether an interval holds the truth."""
    low, high = interval
    return low <= truth <= high


def measure_classes(effect, spread, m, n_sets):
    """Return hits of the population and of a new site, by class and of all samples."""
    rng = np.random.default_rng(zlib.crc32(f"{effect}|{spread}|{m}".encode()))
    truth = (WEIGHTS @ expit(logit(MEDIANS) + spread * NODES[:, np.newaxis])).mean()
    found = []
    for _ in range(n_sets):
        z = rng.normal(size=(m + 1, 1 if effect == "shared" else 2))
        recalls = expit(logit(MEDIANS) + spread * z)
        total = np.rint(np.exp(rng.uniform(np.log(10), np.log(100), (m, 1))))
        total = np.broadcast_to(total.astype(int), (m, 2))
        correct = rng.binomial(total, recalls[1:])
        new = recalls[0].mean()
        by_class = population_posterior(correct, total)
        of_all = population_posterior(correct.sum(axis=1), total.sum(axis=1))
        found.append(
            [
                holds(one.credible_interval(), true)
                for posterior in (by_class, of_all)
                for one, true in (
                    (posterior.population_mean, truth),
                    (posterior.new_group, new),
                )
            ]
        )
    return np.mean(found, axis=0)


def of_classes(n_sets):
    """Run the cells with two classes, and write their table."""
    head = ["effect of a site", "sd", "sites"]
    head += ["mean, by class", "new site, by class"]
    head += ["mean, all samples", "new site, all samples"]
    rows = []
    pools = {}
    for cell in OF_CLASSES:
        shares = measure_classes(*cell, n_sets)
        pools.setdefault(cell[0], []).append(shares)
        rows.append([*cell, *(with_error(share, n_sets) for share in shares)])
        print(*rows[-1], flush=True)
    for effect, found in pools.items():
        size = len(found) * n_sets
        shares = np.mean(found, axis=0)
        rows.append(
            [f"all {effect}", "", "", *(with_error(share, size) for share in shares)]
        )
    command = f"python benchmarks/group_coverage.py --classes --sets {n_sets}"
    CLASSES.write_text(
        f"{versions()}; ``{command}``. {n_sets} data sets a cell; standard errors in brackets.\n\n"
        f"{table(head, rows)}\n"
    )


def row_of(start, means, n_sets):
    """Return a row of shares, with their standard errors, and widths of all methods."""
    row = [*start]
    for share, width in means.T:
        row += [with_error(share, n_sets), f"{width:.2f}"]
    return row


def main():
    """Run all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets a cell (400)")
    parser.add_argument("--classes", action="store_true", help="sites with two classes")
    arguments = parser.parse_args()
    n_sets = arguments.sets
    if arguments.classes:
        of_classes(n_sets)
        return
    head = ["population", "median", "sites"]
    for method in METHODS:
        head += [method, "width"]
    rows, ordinary = [], []
    for cell in CELLS:
        means = measure(*cell, n_sets).mean(axis=1)
        rows.append(row_of(cell, means, n_sets))
        # Of few sites of these populations, often none is the bad one.
        if "at .5" not in cell[0]:
            ordinary.append(means)
        print(*rows[-1], flush=True)
    start = "all but one at .5", "", ""
    rows.append(row_of(start, np.mean(ordinary, axis=0), n_sets * len(ordinary)))
    TABLE.write_text(
        f"{versions()}; ``python benchmarks/group_coverage.py --sets {n_sets}``. {n_sets} data sets "
        f"a cell; standard errors in brackets.\n\n{table(head, rows)}\n"
    )


if __name__ == "__main__":
    main()
