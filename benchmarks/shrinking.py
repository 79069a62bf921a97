"""Measure what a prior that shrinks small differences gains and costs.

    python benchmarks/shrinking.py

The posterior of the difference of two balanced accuracies is multiplied by a weight around zero,
which is a prior that expects small differences: normal or Laplace of a fixed scale, a mixture of
normal ones, or a normal one whose scale is estimated, by maximum likelihood, from 20 comparisons.
Beside them stands the posterior as it is, with the usual and with a stricter limit.

First, differences are random: logits of the recalls of two classifiers differ by a normal variable,
as in `paired_default.py`, and what counts is how often the classifier that is said to be better is.
Then they are fixed, and what counts is how often intervals contain them, and how often the better
is said to be. A fixed difference whose scale is estimated stands beside 19 random ones of standard
deviation .5. Writes `shrinking.rst` beside this file.
"""

import time
import zlib
from pathlib import Path

import numpy as np
from _studies import versions
from decisions import LEVEL, below, cell_probabilities
from scipy.special import expit, logit
from scipy.stats import laplace, norm

RESULTS = Path(__file__).with_suffix(".rst")
# Samples of each of two classes.
SIZES = (20, 100)
DEVIATIONS = (0.25, 0.5)
FIXED = {20: (0.0, 0.05, 0.1, 0.2), 100: (0.0, 0.02, 0.05, 0.1)}
N_RANDOM = 1200
N_FIXED = 600
COMPANY = 20
EDGES = np.linspace(-1, 1, 801)
MIDDLES = (EDGES[1:] + EDGES[:-1]) / 2
SCALES = np.geomspace(0.005, 0.5, 25)
WEIGHTS = {
    "none": np.ones(MIDDLES.size),
    "normal .1": norm.pdf(MIDDLES, scale=0.1),
    "normal .05": norm.pdf(MIDDLES, scale=0.05),
    "Laplace .05": laplace.pdf(MIDDLES, scale=0.05),
    "mixture .02, .2": norm.pdf(MIDDLES, scale=0.02) + norm.pdf(MIDDLES, scale=0.2),
}
STRICT = 0.99


def masses(first, second, n, rng):
    """Return the posterior of A less B on the grid, of a test set."""
    cells = rng.multinomial(n, cell_probabilities(first, second))
    return np.diff(below(cells, *EDGES.tolist()))


def draw_random(n, deviation, rng):
    """Return the posterior of a test set of random recalls, and the true difference."""
    logits = rng.uniform(*logit([0.7, 0.95]), 2)
    shift = deviation * rng.standard_normal() / 2
    first = expit(logits + shift)
    second = expit(logits - shift)
    return masses(first, second, n, rng), (first - second).mean()


def draw_fixed(n, difference, rng):
    """Return the posterior of a test set of fixed recalls."""
    middle = np.array([0.85, 0.75])
    return masses(middle + difference / 2, middle - difference / 2, n, rng)


def estimated(company):
    """Return the normal weight that makes the posteriors of a company most likely."""
    weights = norm.pdf(MIDDLES, scale=SCALES[:, np.newaxis])
    # Relative to a prior that is even over the grid.
    likelihoods = np.log(company @ weights.T).sum(axis=0)
    return weights[likelihoods.argmax()]


def conclude(posterior, weight, truth):
    """Return P(A is better), and whether the interval contains the truth."""
    shrunk = posterior * weight
    cumulated = np.append(0, shrunk.cumsum()) / shrunk.sum()
    lower = np.interp(truth, EDGES, cumulated)
    better = 1 - np.interp(0, EDGES, cumulated)
    return better, (1 - LEVEL) / 2 <= lower <= (1 + LEVEL) / 2


def rules(posteriors, companies, truths):
    """Yield the name, limit, and conclusions of each rule, shape (2, n)."""
    for name, weight in WEIGHTS.items():
        found = [
            conclude(*one, truth)
            for one, truth in zip(
                ((posterior, weight) for posterior in posteriors), truths, strict=True
            )
        ]
        yield name, LEVEL, np.array(found, float).T
        if name == "none":
            yield f"none, P > {STRICT:g}", STRICT, np.array(found, float).T
    found = [
        conclude(posterior, estimated(company), truth)
        for posterior, company, truth in zip(posteriors, companies, truths, strict=True)
    ]
    yield "estimated", LEVEL, np.array(found, float).T


def measure_random(n, deviation):
    """Return the cells of the first table, and the posteriors as company."""
    rng = np.random.default_rng(zlib.crc32(f"{n}|{deviation}".encode()))
    posteriors, truths = zip(
        *(draw_random(n, deviation, rng) for _ in range(N_RANDOM)), strict=True
    )
    posteriors = np.array(posteriors)
    truths = np.array(truths)
    start = np.arange(N_RANDOM) // COMPANY * COMPANY
    companies = [posteriors[k : k + COMPANY] for k in start]
    cells = {}
    for name, limit, (better, held) in rules(posteriors, companies, truths):
        stated = np.maximum(better, 1 - better)
        is_right = (better > 0.5) == (truths > 0)
        is_said = stated > limit
        text = "never said"
        if is_said.any():
            mean = stated[is_said].mean()
            text = f"{mean:.3f}, true {is_right[is_said].mean():.2f} of {is_said.sum()}"
        cells[name] = [text, f"{held.mean():.3f}"]
    return cells, posteriors


def measure_fixed(n, difference, company):
    """Return the cells of the second table."""
    rng = np.random.default_rng(zlib.crc32(f"{n}|{difference} fixed".encode()))
    posteriors = np.array([draw_fixed(n, difference, rng) for _ in range(N_FIXED)])
    others = [
        company[rng.choice(N_RANDOM, COMPANY - 1, replace=False)]
        for _ in range(N_FIXED)
    ]
    companies = [
        np.vstack([other, posterior])
        for other, posterior in zip(others, posteriors, strict=True)
    ]
    truths = np.full(N_FIXED, difference)
    return {
        name: [f"{held.mean():.3f}", f"{np.mean(better > limit):.3f}"]
        for name, limit, (better, held) in rules(posteriors, companies, truths)
    }


def table(rows):
    """Return a simple table of rows of text, the first of which is the header."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = " ".join("=" * width for width in widths)
    lines = [" ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def main():
    """Measure all cells and write the tables."""
    start = time.process_time()
    said = [["weight"]]
    held = [["weight"]]
    found = [["weight"]]
    for n in SIZES:
        for deviation in DEVIATIONS:
            cells, company = measure_random(n, deviation)
            said[0].append(f"{n} a class, sd {deviation:g}")
            held[0].append(f"{n}, sd {deviation:g}")
            for index, (name, (text, share)) in enumerate(cells.items(), 1):
                for rows, one in ((said, text), (held, share)):
                    if len(rows) == index:
                        rows.append([name])
                    rows[index].append(one)
            print(n, deviation, cells, f"{time.process_time() - start:.0f} s")
        for difference in FIXED[n]:
            cells = measure_fixed(n, difference, company)
            held[0].append(f"{n}, {difference:g}")
            found[0].append(f"{n}, {difference:g}")
            for index, (name, (share, power)) in enumerate(cells.items(), 1):
                if len(found) == index:
                    found.append([name])
                held[index].append(share)
                found[index].append(power)
            print(n, difference, cells, f"{time.process_time() - start:.0f} s")
    RESULTS.write_text(
        f"{versions()}; ``python benchmarks/shrinking.py``. {N_RANDOM} test sets a cell "
        f"of random differences, {N_FIXED} of fixed ones: a share of .05 has a standard "
        f"error of {np.sqrt(0.05 * 0.95 / N_FIXED):.3f}. Two classes.\n\n"
        "One is said to be better, the mean probability, how often it was true, and of "
        "how many statements:\n\n"
        f"{table(said)}\n\n"
        "How often 95 % intervals contained the difference, random (sd) and fixed:\n\n"
        f"{table(held)}\n\n"
        "How often A is said to be better, by samples of each class and by how much it is:"
        "\n\n"
        f"{table(found)}\n"
    )


if __name__ == "__main__":
    main()
