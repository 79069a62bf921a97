"""Make hierarchical.json: distributions of classes that borrow strength, by sums over all that is
unknown.

    python tests/reference/make_hierarchical.py

For each kappa the rate mu is integrated by a double-exponential rule, for each way in which some of
the classes may be outliers. What is left are sums of independent Betas: one variable by SciPy's
incomplete Beta function, more by `BetaAverage`, which has reference values of its own. Nothing of
the hierarchical distribution is used but its definition. A value is kept if two rules agree on it.
"""

import json
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy import special

from skpostbac.stats import BetaAverage

OUT = Path(__file__).with_name("hierarchical.json")
KAPPA = [4, 8, 16, 32, 64, 128]
# Counts, weights (None: equal), kappa, rate, outlier (None: the default) and base.
CASES = {
    "one": ([7], [9], None, KAPPA, 0.75, None, 0.5),
    "one_perfect": ([2], [2], None, KAPPA, 0.75, None, 0.5),
    "one_without_samples": ([0], [0], None, KAPPA, 0.75, None, 0.5),
    "two": ([9, 8], [10, 12], None, KAPPA, 0.75, None, 0.5),
    "two_perfect": ([2, 2], [2, 2], None, KAPPA, 0.75, None, 0.5),
    "two_unequal": ([90, 2], [100, 3], [0.3, 0.7], KAPPA, 0.75, None, 0.5),
    "two_opposed": ([50, 3], [50, 50], [1.0, -1.0], KAPPA, 0.75, None, 0.5),
    "three": ([2, 1, 2], [2, 2, 2], None, [4, 32], 0.75, None, 0.5),
    "three_with_an_outlier": ([28, 29, 3], [30, 30, 10], None, [8, 64], 0.75, 0.3, 0.5),
    "five_plain": ([4, 5, 5, 3, 4], [5, 5, 5, 5, 5], None, [1, 10, 100], 2.0, 0.0, 1.0),
}
X = [0.02, 0.1, 0.25, 0.4, 0.5, 0.6, 2 / 3, 0.75, 0.85, 0.95, 0.99]


def conditional(a, b, weights, x):
    """Return the cdf of sum(weights * theta) for theta ~ Beta(a, b)."""
    if len(a) == 1:
        return special.betainc(a[0], b[0], x)
    return BetaAverage(a, b, weights=weights).cdf(x)


def cdf(case, x, count):
    """Return the cdf by a rule of `count` nodes in mu."""
    correct, total, weights, kappas, rate, share, base = case
    correct, total = np.array(correct, float), np.array(total, float)
    n_classes = correct.size
    weights = np.full(n_classes, 1 / n_classes) if weights is None else np.array(weights)
    share = 2 / (n_classes + 4) if share is None else share
    t = np.linspace(-4.4, 4.4, count)
    y = np.pi * np.sinh(t)
    mu, nu = 1 / (1 + np.exp(-y)), 1 / (1 + np.exp(y))
    log_prior = rate * (np.log(mu) + np.log(nu)) + np.log(np.cosh(t))
    parts = []
    for kappa in kappas:
        a, b = base + mu * kappa, base + nu * kappa
        norm = special.betaln(a, b)
        own = [special.betaln(a + k, b + n - k) - norm for k, n in zip(correct, total, strict=True)]
        other = special.betaln(base + correct, base + total - correct) - special.betaln(base, base)
        for outliers in product([False, True], repeat=n_classes):
            flags = np.array(outliers)
            chance = special.xlogy(flags.sum(), share) + special.xlog1py((~flags).sum(), -share)
            logs = log_prior + chance + other[flags].sum()
            logs = logs + sum(value for value, flag in zip(own, outliers, strict=True) if not flag)
            parts.append((flags, a, b, logs))
    largest = max(logs.max() for *_, logs in parts)
    value, mass = np.zeros(len(x)), 0.0
    for flags, a, b, logs in parts:
        node_weights = np.exp(logs - largest)
        mass += node_weights.sum()
        nodes = np.flatnonzero(node_weights > 1e-17)
        if flags.all():
            distribution = base + correct, base + total - correct
            value += node_weights.sum() * conditional(*distribution, weights, x)
            continue
        for node in nodes:
            first = np.where(flags, base, a[node]) + correct
            second = np.where(flags, base, b[node]) + total - correct
            value += node_weights[node] * conditional(first, second, weights, x)
    return value / mass


def record(case):
    """Make the record of a case."""
    x = np.array(X) if min(case[2] or [1]) > 0 else np.array(X) * 2 - 1
    few, many = (cdf(case, x, count) for count in (300, 420))
    # The rules converge geometrically: the finer one is off by far less than they differ.
    assert np.abs(few - many).max() < 1e-9, (case, few - many)
    names = ("correct", "total", "weights", "kappa", "rate", "outlier", "base")
    return {**dict(zip(names, case, strict=True)), "x": x.tolist(), "cdf": many.tolist()}


def main():
    """Write all cases."""
    records = Parallel(n_jobs=2, verbose=10)(delayed(record)(case) for case in CASES.values())
    OUT.write_text(json.dumps(dict(zip(CASES, records, strict=True)), indent=1) + "\n")


if __name__ == "__main__":
    main()
