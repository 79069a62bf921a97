"""Coverage of 95 % intervals of the mean accuracy in a population of sites.

    python benchmarks/group_coverage.py --draws 12

Sites are drawn from a population, and each has between 10 and 200 test samples. The mean accuracy
of the population is compared with the shortest intervals of `population_posterior`, of Student's t
on the accuracies of the sites, and of the pooled counts. Cells are divided into two halves like the
squares of a chessboard: the model was chosen on one half, and its coverage is shown on the other.
The table is written beside this script.
"""

import argparse
import platform
from datetime import date
from itertools import product
from pathlib import Path

import numpy as np
import scipy
from scipy import stats
from scipy.special import expit, logit

import skpostbac
from skpostbac import population_posterior

SITES = (3, 5, 10, 20)
MEDIANS = (0.6, 0.8, 0.9, 0.96)
TABLE = Path(__file__).with_suffix(".rst")


def normal(spread):
    """Return a population with normal log-odds."""
    z, weights = np.polynomial.hermite_e.hermegauss(100)

    def draw(median, m, rng):
        mean = float(weights @ expit(logit(median) + spread * z) / weights.sum())
        return expit(rng.normal(logit(median), spread, m)), mean

    return draw


def beta(median, m, rng):
    """Draw from a Beta population worth 20 samples; `median` is its mean."""
    return rng.beta(20 * median, 20 * (1 - median), m), median


def with_outliers(median, m, rng):
    """Draw from a population in which one site in five is worse by 1.5 in the log-odds."""
    worse = expit(logit(median) - 1.5)
    return np.where(rng.random(m) < 0.2, worse, median), 0.8 * median + 0.2 * worse


POPULATIONS = {
    "equal sites": normal(0.0),
    "normal, 0.3": normal(0.3),
    "normal, 0.6": normal(0.6),
    "normal, 1.0": normal(1.0),
    "Beta": beta,
    "one in five worse": with_outliers,
}


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
    """Return the shortest interval of the population mean."""
    return population_posterior(correct, total).population_mean.hdi()


METHODS = {
    "beta-binomial": grouped,
    "Student's t": student,
    "pooled": pooled,
}


def cell(m, name, median, draws, seed):
    """Return hits and widths of each method, shape (2, methods, draws)."""
    rng = np.random.default_rng(
        [seed, m, list(POPULATIONS).index(name), round(100 * median)]
    )
    ends = np.zeros((draws, len(METHODS), 2))
    truth = 0.0
    for draw in range(draws):
        accuracy, truth = POPULATIONS[name](median, m, rng)
        total = np.rint(np.exp(rng.uniform(np.log(10), np.log(200), m)))
        correct = rng.binomial(total.astype(int), accuracy)
        ends[draw] = [method(correct, total) for method in METHODS.values()]
    low, high = np.moveaxis(ends, 2, 0)
    return np.array([(low <= truth) & (truth <= high), high - low]).transpose(0, 2, 1)


def rows(results):
    """Return the rows of the table: by half, by number of sites, and by population."""
    keys = list(results)
    half = {
        key: (
            SITES.index(key[0])
            + list(POPULATIONS).index(key[1])
            + MEDIANS.index(key[2])
        )
        % 2
        for key in keys
    }
    chosen = {
        "half to choose from": [key for key in keys if half[key] == 0],
        "half to show": [key for key in keys if half[key]],
        **{f"{m} sites": [key for key in keys if key[0] == m] for m in SITES},
        **{name: [key for key in keys if key[1] == name] for name in POPULATIONS},
        **{f"median {p}": [key for key in keys if key[2] == p] for p in MEDIANS},
    }
    found = []
    for name, members in chosen.items():
        hits, widths = np.concatenate([results[key] for key in members], axis=2)
        figures = zip(hits.mean(axis=1), widths.mean(axis=1), strict=True)
        found.append(
            [name, str(hits.shape[1]), *(f"{a:.3f} ({b:.2f})" for a, b in figures)]
        )
    return found


def table(lines):
    """Return a table in reStructuredText."""
    head = ["cells", "data sets", *METHODS]
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    rule = " ".join("=" * width for width in widths)
    body = [" ".join(map(str.ljust, line, widths)).rstrip() for line in (head, *lines)]
    return "\n".join([rule, body[0], rule, *body[1:], rule])


def main():
    """Run all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    results = {
        key: cell(*key, arguments.draws, arguments.seed)
        for key in product(SITES, POPULATIONS, MEDIANS)
    }
    TABLE.write_text(
        f"{date.today()}, skpostbac {skpostbac.__version__}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}, Python {platform.python_version()};\n"
        f"``python benchmarks/group_coverage.py --draws {arguments.draws}``. Coverage of shortest "
        "95 % intervals of\nthe population mean, and their mean width in brackets.\n\n"
        f"{table(rows(results))}\n"
    )


if __name__ == "__main__":
    main()
