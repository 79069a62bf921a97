"""Make strata.json: distributions of classes that borrow along class size, by sums over all paths.

    python tests/reference/make_strata.py

For each way in which some of the classes may be outliers, and for each path of rates and strengths
through the strata, on Gauss-Jacobi nodes of the rate, what is left is a sum of independent Betas:
`BetaAverage`, which has reference values of its own. Nothing of the hierarchical distribution is
used but its definition. A value is kept if two rules agree on it to 1e-11.
"""

import json
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy import special, stats

from skpostbac.stats import BetaAverage

OUT = Path(__file__).with_name("strata.json")
# Counts, weights (None: equal), kappa, rate, outlier, stay, move, and the stratum of each class.
CASES = {
    "two": ([2, 9], [3, 12], None, [4, 12], 0.75, 0.3, 0.3, 0.4, [0, 1]),
    "perfect": ([3, 8], [3, 8], None, [4, 12], 0.75, 0.2, 0.3, 0.4, [0, 1]),
    "opposed": ([1, 15], [3, 16], [0.3, 0.7], [8], 0.75, 0.1, 0.1, 0.8, [0, 1]),
    "signed": ([5, 6, 12], [6, 7, 20], [1.0, 0.5, -1.0], [8], 2.0, 0.0, 0.6, 0.1, [0, 0, 1]),
    "three": ([1, 4, 7], [2, 5, 9], None, [5], 0.75, 0.3, 0.3, 0.4, [0, 1, 2]),
}
X = [0.55, 0.7, 0.85]


def transitions(mu, weight, rate, n_kappa, stay, move):
    """Return the chances to get from each node of each strength to each of the next stratum."""
    x = np.arange(25)
    samples = stats.binom.pmf(x, 24, mu[:, np.newaxis])
    log_rates = (
        special.betaln(rate, rate)
        - special.betaln(rate + x, rate + 24 - x)
        + special.xlogy(x, mu[:, np.newaxis])
        + special.xlog1py(24 - x, -mu[:, np.newaxis])
    )
    moved = samples @ np.exp(log_rates).T * weight
    within = stay * np.eye(mu.size) + move * moved
    anew = (1 - stay - move) * np.tile(weight / n_kappa, n_kappa)
    return np.kron(np.eye(n_kappa), within) + anew


def cdf(case, count):
    """Return the cdf by a rule of `count` nodes of the rate."""
    correct, total, weights, kappas, rate, share, stay, move, strata = case
    correct, total, strata = np.array(correct), np.array(total), np.array(strata)
    weights = np.full(correct.size, 1 / correct.size) if weights is None else np.array(weights)
    node, weight = special.roots_jacobi(count, rate - 1, rate - 1)
    node, weight = (1 + node) / 2, weight / weight.sum()
    mu, kappa = np.tile(node, len(kappas)), np.repeat(kappas, count)
    start = np.tile(weight, len(kappas)) / len(kappas)
    chances = transitions(node, weight, rate, len(kappas), stay, move)
    a, b = 0.5 + mu * kappa, 0.5 + (1 - mu) * kappa
    wrong = total - correct

    def evidence(a, b, i):
        return np.exp(special.betaln(a + correct[i], b + wrong[i]) - special.betaln(a, b))

    value, mass = np.zeros(len(X)), 0.0
    for outliers in product([False, True], repeat=correct.size):
        flags = np.array(outliers)
        factors = []
        for stratum in range(strata.max() + 1):
            factor = np.ones_like(mu)
            for i in np.flatnonzero(strata == stratum):
                own = (1 - share) * evidence(a, b, i)
                factor = factor * (share * evidence(0.5, 0.5, i) if flags[i] else own)
            factors.append(factor)
        # The states of strata in which all classes are outliers do not matter.
        open_strata = [s for s in range(strata.max() + 1) if not flags[strata == s].all()]
        table = start * factors[0]
        for stratum in range(1, strata.max() + 1):
            table = np.einsum("...i,ij->...ij", table, chances)
            if stratum - 1 not in open_strata:
                table = table.sum(axis=-2)
            table = table * factors[stratum]
        if strata.max() not in open_strata:
            table = table.sum(axis=-1)
        table = np.asarray(table)
        mass += table.sum()
        for path in np.argwhere(table > 1e-15 * table.max()):
            states = dict(zip(open_strata, path.tolist(), strict=True))
            borrows = np.array([0.0 if flag else 1.0 for flag in flags])
            at = [states.get(s, 0) for s in strata]
            first = 0.5 + correct + borrows * (mu * kappa)[at]
            second = 0.5 + wrong + borrows * ((1 - mu) * kappa)[at]
            distribution = BetaAverage(first, second, weights=weights)
            value += table[tuple(path)] * distribution.cdf(np.array(X) * weights.sum())
    return value / mass


def record(case):
    """Make the record of a case."""
    few, many = (cdf(case, count) for count in (20, 24))
    print(case, np.abs(few - many).max())
    assert np.abs(few - many).max() < 1e-11, (case, few - many)
    names = ("correct", "total", "weights", "kappa", "rate", "outlier", "stay", "move")
    x = np.array(X) * (1 if case[2] is None else sum(case[2]))
    return {**dict(zip(names, case, strict=False)), "x": x.tolist(), "cdf": many.tolist()}


def main():
    """Write all cases."""
    records = Parallel(n_jobs=2, verbose=10)(delayed(record)(case) for case in CASES.values())
    OUT.write_text(json.dumps(dict(zip(CASES, records, strict=True)), indent=1) + "\n")


if __name__ == "__main__":
    main()
