"""Make hierarchical_pairs.json: paired differences of classes that borrow, by sums over all states.

    python tests/reference/make_hierarchical_pairs.py

The shares of discordant samples, and of those that only B got right, have chains of rates and
strengths of their own, on Gauss-Jacobi nodes of the rates. Given the states of both, the transform
of a class is a double sum over the log-odds of its two shares, and that of the weighted sum is one
pass over the strata, for all pairs of states. A Fourier series has the cdf. Nothing of the package
is used. A record is kept if two rules agree on it to 1e-5.
"""

import json
from pathlib import Path

import numpy as np
from make_hierarchical import transitions
from scipy import special

OUT = Path(__file__).with_name("hierarchical_pairs.json")
KAPPA, RATE, STAY, MOVE, BASE = [4.0, 32.0], 0.75, 0.3, 0.4, 0.5
# Samples, only A right, only B right, weights, and the stratum of each class.
CASES = {
    "one": ([12], [2], [4], [1.0], [0]),
    "two": ([6, 20], [1, 3], [2, 4], [0.5, 0.5], [0, 1]),
    "one agrees": ([8, 30], [0, 2], [0, 5], [0.5, 0.5], [0, 1]),
    "three": ([3, 10, 12], [1, 2, 1], [1, 2, 5], [0.5, 0.3, 0.2], [0, 1, 1]),
    "rare one": ([2, 9, 35], [0, 1, 3], [2, 3, 1], [0.4, 0.4, 0.2], [0, 1, 2]),
}
DEVIATIONS = np.array([-2.5, -1.5, -0.7, 0.0, 0.7, 1.5, 2.5])
# Series on a period that holds [-1, 1], and its terms at most.
PERIOD, MOST = 2.1, 400


def rule(step):
    """Log-odds of a share and their weights, denser in the middle, out to 38."""
    v = np.arange(-10.5, 10.5, step)
    return v + v**3 / 42, step * (1 + v**2 / 14)


class Chain:
    """States of a share on a rule of `count` nodes, and the weights of its values."""

    def __init__(self, right, total, strata, count, step):
        node, weight = special.roots_jacobi(count, RATE - 1, RATE - 1)
        node, weight = (1 + node) / 2, weight / weight.sum()
        mu, kappa = np.tile(node, len(KAPPA)), np.repeat(KAPPA, count)
        self.start = np.tile(weight, len(KAPPA)) / len(KAPPA)
        self.chances = transitions(node, weight, RATE, len(KAPPA), STAY, MOVE)
        self.strata, share = strata, 2 / (len(total) + 4)
        u, measure = rule(step)
        log_p, log_q = special.log_expit(u), special.log_expit(-u)
        self.values = special.expit(u)
        up, down = (mu * kappa)[:, np.newaxis], ((1 - mu) * kappa)[:, np.newaxis]
        borrowed = up * log_p + down * log_q
        borrowed += special.betaln(BASE, BASE) - special.betaln(BASE + up, BASE + down)
        prior = (1 - share) * np.exp(borrowed) + share
        self.weights = [
            measure * prior * np.exp((k + BASE) * log_p + (n - k + BASE) * log_q)
            for k, n in zip(right, total, strict=True)
        ]

    def expect(self, powers):
        """Sum over all paths, with a power of the value of each class, not normalised."""
        sums = self.start
        for stratum in range(max(self.strata) + 1):
            if stratum:
                sums = sums @ self.chances
            for at, power, table in zip(self.strata, powers, self.weights, strict=True):
                if at == stratum:
                    sums = sums * (table @ self.values**power)
        return sums.sum()

    def moments(self):
        """First and second moments of the values."""
        size = len(self.strata)
        unit, none = np.eye(size, dtype=int), np.zeros(size, dtype=int)
        norm = self.expect(none)
        first = np.array([self.expect(one) for one in unit]) / norm
        return first, np.array(
            [[self.expect(a + b) for a in unit] for b in unit]
        ) / norm


def transform(d, s, weights, t):
    """Transform of the sum at t, not normalised."""
    sums = np.multiply.outer(d.start, s.start).astype(complex)
    for stratum in range(max(d.strata) + 1):
        if stratum:
            sums = d.chances.T @ sums @ s.chances
        for at, weight, of_d, of_s in zip(
            d.strata, weights, d.weights, s.weights, strict=True
        ):
            if at == stratum:
                waves = np.exp(1j * t * weight * np.outer(d.values, 2 * s.values - 1))
                sums = sums * (of_d @ waves @ of_s.T)
    return sums.sum()


def record(case, count, step):
    """Return mean, variance and cdf by one rule."""
    total, only_a, only_b, weights, strata = map(np.array, case)

    def chains(step):
        differ = only_a + only_b
        return (
            Chain(differ, total, strata, count, step),
            Chain(only_b, differ, strata, count, step),
        )

    d, s = chains(step)
    (d1, d2), (s1, s2) = d.moments(), s.moments()
    e1 = 2 * s1 - 1
    e2 = 4 * s2 - 2 * (s1 + s1[:, np.newaxis]) + 1
    mean = weights @ (d1 * e1)
    variance = weights @ (d2 * e2) @ weights - mean**2
    x = np.append(mean + DEVIATIONS * np.sqrt(variance), 0.0)
    # The last is where the distribution begins.
    x = np.append(x[np.abs(x) < 1], -PERIOD / 2)
    cdf, norm = 0.5 + x / PERIOD, transform(d, s, weights, 0.0).real
    for k in range(1, MOST):
        h = 2 * np.pi * k / PERIOD
        # The rule gets finer with the height.
        if 0.5 * h * weights.max() * step > 1:
            step *= 0.8
            d, s = chains(step)
        value = transform(d, s, weights, h) / norm
        cdf += (np.exp(1j * h * x) * value.conjugate()).imag / (np.pi * k)
        if abs(value) < 3e-7:
            break
    return mean, variance, x[:-1], (cdf - cdf[-1])[:-1]


def main():
    """Write the records of all cases on which two rules agree."""
    records = {}
    for name, case in CASES.items():
        (mean, variance, x, cdf), other = record(case, 16, 0.25), record(case, 20, 0.2)
        error = max(abs(mean - other[0]), abs(variance - other[1]))
        cdf_error = np.abs(cdf - other[3]).max()
        print(
            f"{name}: mean {mean:.6f}, sd {variance**0.5:.6f}, {error:.1e}, {cdf_error:.1e}"
        )
        if error < 1e-9 and cdf_error < 1e-5:
            keys = ("total", "only_a", "only_b", "weights", "strata")
            values = {
                "mean": mean,
                "variance": variance,
                "x": x.tolist(),
                "cdf": cdf.tolist(),
            }
            records[name] = (
                dict(zip(keys, case, strict=True)) | {"kappa": KAPPA} | values
            )
    OUT.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
