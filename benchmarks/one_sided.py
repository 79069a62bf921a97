"""Enumerate how often one-sided bounds of the balanced accuracy exceed the true value.

    python benchmarks/one_sided.py

Two classes, all outcomes. A lower bound at 95 % should exceed the truth in 5 % of test sets at most,
and be high otherwise. Rules beside the quantile of the posterior ("posterior"): "melded" is the
quantile of the average of Beta(k, n - k + 1), the distributions of the exact lower limits of both
recalls; "MOVER" adds the squared distances to these limits, "MOVER 1/2" those to the quantiles of
Beta(k + 1/2, n - k + 1/2), and "MOVER mixed" to those of Beta(k + c, n - k + 1 - c), where c is
min(1/2, 1 - s) and s the share of the class in the squared distances; "profile" is the profile
likelihood. Writes `one_sided.rst` beside this file.
"""

from pathlib import Path

import numpy as np
from _studies import versions
from scipy.special import betaincinv, xlogy
from scipy.stats import binom, chi2

from skpostbac.stats import BetaAverage

RESULTS = Path(__file__).with_suffix(".rst")
LEVEL = 0.95
# Recalls of the cells; a rare hard class beside an easy one is told apart.
RECALLS = np.concatenate([np.arange(0.5, 0.96, 0.05), [0.97, 0.98, 0.99, 0.995, 0.999]])
SIZES = [
    (10, 200),
    (20, 1000),
    (30, 500),
    (5, 5),
    (10, 10),
    (10, 30),
    (30, 30),
    (50, 50),
    (100, 100),
]
SIZES += [(20, 200), (30, 100)]
# Where a bound is asked to be: so many standard deviations of the observed value below the truth.
DISTANCE = 2.49


def mover(correct, total, added):
    """Return the mean of both recalls less the root of the sum of squared distances."""
    found = correct > 0
    limit = betaincinv(
        np.where(found, correct + added, 1.0), total - correct + 1 - added, 1 - LEVEL
    )
    return np.maximum(correct / total - np.where(found, limit, 0.0), 0.0)


def profile(correct, total):
    """Return the lower limits of the signed root of the profile likelihood ratio."""

    def likelihood(recalls):
        wrong = total - correct
        return (xlogy(correct, recalls) + xlogy(wrong, 1 - recalls)).sum(axis=-1)

    best = likelihood(correct / total)
    low = np.zeros(len(correct))
    high = (correct / total).mean(axis=1)
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(30):
        middle = (low + high) / 2
        left = np.maximum(0, 2 * middle - 1)
        right = np.minimum(1, 2 * middle)

        def at(first, middle=middle):
            second = np.clip(2 * middle - first, 0, 1)
            return likelihood(np.stack([first, second], axis=1))

        for _ in range(40):
            x = right - golden * (right - left)
            y = left + golden * (right - left)
            is_left = at(x) > at(y)
            right = np.where(is_left, y, right)
            left = np.where(is_left, left, x)
        is_outside = 2 * (best - at((left + right) / 2)) > chi2.ppf(2 * LEVEL - 1, 1)
        low = np.where(is_outside, middle, low)
        high = np.where(is_outside, high, middle)
    return high


def bounds(sizes):
    """Return the lower bounds of all outcomes by rule, each of shape (n_1 + 1, n_2 + 1)."""
    total = np.array(sizes)
    grid = np.meshgrid(*(np.arange(n + 1.0) for n in sizes), indexing="ij")
    correct = np.stack([axis.ravel() for axis in grid], axis=1)
    strength = 1 - np.minimum(total, 0.5) / (total + 1)
    a = strength * (correct + 0.5)
    b = strength * (total - correct + 0.5)
    exact = mover(correct, total, 0.0)
    squares = (exact**2).sum(axis=1, keepdims=True)
    share = np.divide(exact**2, squares, where=squares > 0, out=np.ones_like(exact))
    rules = {
        "posterior": BetaAverage(a, b).iccdf(LEVEL),
        "melded": BetaAverage(np.maximum(correct, 1e-6), total - correct + 1).iccdf(
            LEVEL
        ),
        "profile": profile(correct, total),
    }
    for name, distance in [
        ("MOVER", exact),
        ("MOVER 1/2", mover(correct, total, 0.5)),
        ("MOVER mixed", mover(correct, total, np.minimum(0.5, 1 - share))),
    ]:
        radius = np.sqrt((distance**2).sum(axis=1)) / 2
        rules[name] = (correct / total).mean(axis=1) - radius
    return {name: bound.reshape(np.add(sizes, 1)) for name, bound in rules.items()}


def judge(sizes, bound):
    """Return the highest and mean share of bounds above the truth, and the mean power."""
    first, second = (
        binom.pmf(np.arange(n + 1)[:, np.newaxis], n, RECALLS) for n in sizes
    )
    above = []
    power = []
    for i, p in enumerate(RECALLS):
        for j, q in enumerate(RECALLS):
            truth = (p + q) / 2
            deviation = np.sqrt(p * (1 - p) / sizes[0] + q * (1 - q) / sizes[1]) / 2
            above.append(first[:, i] @ (bound > truth + 1e-9) @ second[:, j])
            lower = truth - DISTANCE * deviation
            power.append(first[:, i] @ (bound > lower) @ second[:, j])
    return np.max(above), np.mean(above), np.mean(power)


def main():
    """Enumerate all sizes and write the table."""
    lines = []
    for sizes in SIZES:
        cells = []
        for bound in bounds(sizes).values():
            highest, mean, power = judge(sizes, bound)
            cells.append(f"{highest:.3f} {mean:.3f} {power:.2f}")
        if not lines:
            names = list(bounds((2, 2)))
            rule = " ".join(["=" * 7, *["=" * 16] * len(names)])
            lines += [
                rule,
                f"{'sizes':7} " + " ".join(f"{name:16}" for name in names),
                rule,
            ]
        size = "/".join(map(str, sizes))
        lines.append(f"{size:7} " + " ".join(f"{cell:16}" for cell in cells))
        print(lines[-1], flush=True)
    RESULTS.write_text(
        f"{versions()}; ``python benchmarks/one_sided.py``; exact. Recalls of {RECALLS[0]:g} to "
        f"{RECALLS[-1]:g} in each class.\n\n" + "\n".join([*lines, rule]) + "\n"
    )


if __name__ == "__main__":
    main()
