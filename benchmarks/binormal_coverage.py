"""Coverage of the credible intervals of the binormal areas, where scores are normal and where not.

    python benchmarks/binormal_coverage.py --draws 2000

Data sets are drawn again and again from two normal distributions. The truth is that of the
distributions, and it is covered by an interval of a level if its rank among the draws of the
posterior is not in the tails: with 399 draws this has no Monte Carlo error but that of the data
sets. "Known" is with the share of the positives given. "Rejected" is the share of data sets in
which the check finds that the scores are not normal. "Sigmoid" has the same data with the logistic
function of the scores in their place, which moves no truth but is not normal. The table is
reStructuredText.
"""

import argparse
from itertools import product

import numpy as np
import scipy
import sklearn
from scipy.special import expit

import skpostbac
from skpostbac.binormal import BinormalModel, binormal_check, posterior_binormal

DISTRIBUTIONS = {
    "N(0, 1), N(1, 1)": (0, 1, 1, 1),
    "N(0, 1), N(3, 1)": (0, 1, 3, 1),
    "N(0, 1), N(1.5, 2)": (0, 1, 1.5, 2),
}
POPULATIONS = ((10, 0.5), (20, 0.5), (100, 0.1), (1000, 0.1))
N_DRAWS = 399
LEVELS = (0.95, 0.8)
COLUMNS = ("AUC", "AP, known", "AP", "AUC, sigmoid", "rejected", "rejected, sigmoid")


def data_set(model, size, rng):
    """Return labels and scores of a random sample, with two or more of each class."""
    y = np.zeros(size, dtype=int)
    while not 2 <= y.sum() <= size - 2:
        y = (rng.random(size) < model.positive_fraction).astype(int)
    means = np.where(y, model.mean_positive, model.mean_negative)
    return y, rng.normal(means, np.where(y, model.sd_positive, model.sd_negative))


def one_draw(model, size, rng):
    """Return the ranks of the truths among the draws, and whether the check rejects."""
    y, score = data_set(model, size, rng)
    probability = expit(score)
    options = {"n_draws": N_DRAWS, "random_state": rng}
    known = posterior_binormal(
        y, score, positive_fraction=model.positive_fraction, **options
    )
    unknown = posterior_binormal(y, score, **options)
    wrong = posterior_binormal(y, probability, **options)
    area, average = model.roc_auc(), model.average_precision()
    ranks = [
        np.searchsorted(posterior.draws, truth)
        for posterior, truth in (
            (unknown.roc_auc(), area),
            (known.average_precision(), average),
            (unknown.average_precision(), average),
            (wrong.roc_auc(), area),
        )
    ]
    return ranks, [
        binormal_check(y, values).rejects() for values in (score, probability)
    ]


def cell(name, population, draws, seed):
    """Return the shares of data sets, of each level."""
    size, fraction = population
    model = BinormalModel(*DISTRIBUTIONS[name], fraction)
    rng = np.random.default_rng(
        [seed, list(DISTRIBUTIONS).index(name), POPULATIONS.index(population)]
    )
    results = [one_draw(model, size, rng) for _ in range(draws)]
    ranks, rejects = (np.array(column) for column in zip(*results, strict=True))
    shares = []
    for level in LEVELS:
        tail = round((N_DRAWS + 1) * (1 - level) / 2)
        inside = (ranks >= tail) & (ranks <= N_DRAWS - tail)
        shares.append([*inside.mean(axis=0), *rejects.mean(axis=0)])
    return shares


def table(rows):
    """Write rows of strings in reStructuredText."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = " ".join("=" * width for width in widths)
    head, *body = (" ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join([rule, head, rule, *body, rule])


def main():
    """Draw the data sets and print a table for each level."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    tables = [[("scores", "samples", "positive", *COLUMNS)] for _ in LEVELS]
    for name, population in product(DISTRIBUTIONS, POPULATIONS):
        facts = (name, *map(str, population))
        for rows, shares in zip(
            tables, cell(name, population, arguments.draws, arguments.seed), strict=True
        ):
            rows.append((*facts, *(f"{share:.3f}" for share in shares)))
    versions = {
        "skpostbac": skpostbac,
        "scikit-learn": sklearn,
        "scipy": scipy,
        "numpy": np,
    }
    print(
        ", ".join(f"{name} {module.__version__}" for name, module in versions.items())
    )
    for level, rows in zip(LEVELS, tables, strict=True):
        print(f"\nlevel {level:g}\n\n{table(rows)}")


if __name__ == "__main__":
    main()
