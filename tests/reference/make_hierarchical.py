"""Recompute hierarchical.json and strata.json, of classes that borrow, by sums over all unknowns.

    python tests/reference/make_hierarchical.py

For each way in which some of the classes may be outliers, and for each path of rates and strengths
through the strata, on Gauss-Jacobi nodes of the rate, what is left is a sum of independent Betas:
`BetaAverage`, which has reference values of its own. Nothing of the hierarchical distribution is
used but its definition. A value is kept if two rules agree on it to 1e-9, with strata to 1e-11.
"""

import json
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy import special, stats

from skpostbac.stats import BetaAverage

FOLDER = Path(__file__).parent
# The stratum of each class in strata.json; in hierarchical.json there is only one.
STRATA = {
    "two": [0, 1],
    "perfect": [0, 1],
    "opposed": [0, 1],
    "signed": [0, 0, 1],
    "three": [0, 1, 2],
}


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


def cdf(record, strata, count):
    """Return the cdf by a rule of `count` nodes of the rate."""
    correct, wrong = (
        np.array(record["correct"]),
        np.subtract(record["total"], record["correct"]),
    )
    size, rate, kappas = correct.size, record["rate"], record["kappa"]
    base, share = record.get("base", 0.5), record["outlier"]
    share = 2 / (size + 4) if share is None else share
    strata, n_strata = np.array(strata), max(strata) + 1
    node, weight = special.roots_jacobi(count, rate - 1, rate - 1)
    node, weight = (1 + node) / 2, weight / weight.sum()
    mu, kappa = np.tile(node, len(kappas)), np.repeat(kappas, count)
    start = np.tile(weight, len(kappas)) / len(kappas)
    stay, move = record.get("stay", 0), record.get("move", 0)
    chances = transitions(node, weight, rate, len(kappas), stay, move)
    a, b = base + mu * kappa, base + (1 - mu) * kappa

    def evidence(a, b, i):
        return np.exp(
            special.betaln(a + correct[i], b + wrong[i]) - special.betaln(a, b)
        )

    value, mass = np.zeros(len(record["x"])), 0.0
    for outliers in product([False, True], repeat=size):
        flags = np.array(outliers)
        factors = []
        for stratum in range(n_strata):
            factor = np.ones_like(mu)
            for i in np.flatnonzero(strata == stratum):
                own = (1 - share) * evidence(a, b, i)
                factor = factor * (share * evidence(base, base, i) if flags[i] else own)
            factors.append(factor)
        # The states of strata in which all classes are outliers do not matter.
        open_strata = [s for s in range(n_strata) if not flags[strata == s].all()]
        table = start * factors[0]
        for stratum in range(1, n_strata):
            table = np.einsum("...i,ij->...ij", table, chances)
            if stratum - 1 not in open_strata:
                table = table.sum(axis=-2)
            table = table * factors[stratum]
        if n_strata - 1 not in open_strata:
            table = table.sum(axis=-1)
        table = np.asarray(table)
        mass += table.sum()
        for path in np.argwhere(table > 1e-15 * table.max()):
            states = dict(zip(open_strata, path.tolist(), strict=True))
            borrows = np.array([0.0 if flag else 1.0 for flag in flags])
            at = [states.get(s, 0) for s in strata]
            first = base + correct + borrows * (mu * kappa)[at]
            second = base + wrong + borrows * ((1 - mu) * kappa)[at]
            distribution = BetaAverage(first, second, weights=record["weights"])
            value += table[tuple(path)] * distribution.cdf(record["x"])
    return value / mass


def recomputed(record, strata, counts, error):
    """Return the record of a case."""
    few, many = (cdf(record, strata, count) for count in counts)
    assert np.abs(few - many).max() < error, (record, few - many)
    return record | {"cdf": many.tolist()}


def main():
    """Recompute both files."""
    for name, counts, error in (
        ("hierarchical", (50, 70), 1e-9),
        ("strata", (20, 24), 1e-11),
    ):
        path = FOLDER / f"{name}.json"
        old = json.loads(path.read_text())
        strata = (
            STRATA
            if name == "strata"
            else {key: [0] * len(old[key]["total"]) for key in old}
        )
        records = Parallel(n_jobs=2, verbose=10)(
            delayed(recomputed)(old[key], strata[key], counts, error) for key in old
        )
        path.write_text(
            json.dumps(dict(zip(old, records, strict=True)), indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
