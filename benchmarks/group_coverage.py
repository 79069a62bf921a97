"""Coverage of 95 % intervals of the mean accuracy in a population of subjects.

    python benchmarks/group_coverage.py --groups 5 --draws 200

Subjects are drawn from a population with normal log-odds, and each has some test samples. The mean
accuracy of the population is compared with the intervals of `population_posterior` with both
models, of Student's t on the accuracies of the subjects, and of the pooled counts. The table is
reStructuredText.
"""

import argparse
import sys
from itertools import product

import numpy as np
import scipy
from scipy import stats
from scipy.special import expit

import skpostbac
from skpostbac import population_posterior

SPREADS = (0.3, 1.0)
MEDIANS = (0.6, 0.9)
N_SAMPLES = 30


def student(correct, total):
    """Return the t interval of the subjects' own accuracies."""
    rates = correct / total
    error = rates.std(ddof=1) / np.sqrt(rates.size)
    reach = stats.t.ppf(0.975, rates.size - 1) * error
    return rates.mean() - reach, rates.mean() + reach


def pooled(correct, total):
    """Return the credible interval of one accuracy for all, with a flat prior."""
    k, n = correct.sum(), total.sum()
    return stats.beta.interval(0.95, k + 1, n - k + 1)


def grouped(model):
    """Return the method that infers the population mean with a model."""
    return lambda correct, total: population_posterior(
        correct, total, model=model
    ).population_mean.interval()


METHODS = {
    "normal-binomial": grouped("normal-binomial"),
    "beta-binomial": grouped("beta-binomial"),
    "Student's t": student,
    "pooled": pooled,
}


def population_mean(location, spread):
    """Return the mean of expit(rho) for normal rho, by Gauss-Hermite quadrature."""
    z, weights = np.polynomial.hermite_e.hermegauss(100)
    return float(weights @ expit(location + spread * z) / weights.sum())


def cell(n_groups, spread, median, draws, seed):
    """Return coverage and mean width of each method."""
    rng = np.random.default_rng([seed, n_groups, int(10 * spread), int(10 * median)])
    location = np.log(median / (1 - median))
    truth = population_mean(location, spread)
    total = np.full(n_groups, N_SAMPLES)
    ends = {name: [] for name in METHODS}
    for _ in range(draws):
        correct = rng.binomial(total, expit(rng.normal(location, spread, n_groups)))
        for name, method in METHODS.items():
            ends[name].append(method(correct, total))
    return {name: summary(np.array(pairs), truth) for name, pairs in ends.items()}


def summary(ends, truth):
    """Write the share of intervals that hold the truth, and their mean width."""
    low, high = ends.T
    return f"{np.mean((low <= truth) & (truth <= high)):.2f} ({np.mean(high - low):.2f})"


def table(rows):
    """Return a table in reStructuredText."""
    head = ["subjects", "spread", "median", *METHODS]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = " ".join("=" * width for width in widths)
    body = [" ".join(map(str.ljust, line, widths)).rstrip() for line in (head, *rows)]
    return "\n".join([rule, body[0], rule, *body[1:], rule])


def main():
    """Run all cells and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--groups", type=int, nargs="+", default=[5])
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rows = []
    for setting in product(arguments.groups, SPREADS, MEDIANS):
        results = cell(*setting, arguments.draws, arguments.seed)
        rows.append([*map(str, setting), *results.values()])
        print(*rows[-1], sep=", ", file=sys.stderr)
    versions = {"skpostbac": skpostbac, "scipy": scipy, "numpy": np}
    print(", ".join(f"{name} {module.__version__}" for name, module in versions.items()))
    print(table(rows))


if __name__ == "__main__":
    main()
