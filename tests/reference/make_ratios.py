"""Probabilities of ratios of a confusion matrix, by quadrature in ball arithmetic.

``python make_ratios.py`` writes ``ratios.json`` beside this script, with the names of some tables
for these alone. It takes about an hour on one core and needs python-flint.

Each metric is an increasing function of a Beta variable theta, given another one, v. With the
threshold theta*(v, t) at which the metric is t,

    P(metric <= t) = integral of f(v) I_theta*(v, t)(a, b) dv,

and P(metric > t) is the same with the upper tail of theta. With known shares of the classes, theta
is the recall and v the false positive rate. With sampled ones the cells are Gamma variables, and so
shares of sums of cells are independent Beta variables.

The integral over the log-odds of v is split where the threshold leaves (0, 1), and at some
deviations from the means of both variables; each piece has a double-exponential rule. `digits` is
how many digits agree with those of pieces that grow more slowly.
"""

import json
import math
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from flint import arb, ctx

OUTPUT = Path(__file__).with_name("ratios.json")
ctx.prec = 220

Real = Any
Pair = tuple[float, float]
Threshold = Callable[[Real, Real], Real]
# Counts with the prior: true positives, false negatives, false positives, true negatives.
TABLES = {
    "moderate": (21.5, 3.5, 8.5, 40.5),
    "small": (2.5, 1.5, 1.5, 3.5),
    "no errors": (12.5, 0.5, 0.5, 30.5),
    "all called positive": (9.0, 1.0, 25.0, 1.0),
    "nothing known": (0.5, 0.5, 0.5, 0.5),
    "five classes": (14.2, 0.2, 0.4, 60.4),
    "two scales": (7.5, 2.5, 4_000.5, 90_000.5),
    "prior of 1e-3": (12.001, 0.001, 0.001, 30.001),
    "prior of 1e-6": (12.000001, 1e-6, 1e-6, 30.000001),
    "large": (8_000.5, 2_000.5, 300.5, 15_000.5),
}
# Standard deviations from the middle, in log-odds of the metric, at which to evaluate.
STEPS = (-12, -4, -1, 1.5, 6)
FEW_STEPS = (-2, 3)


def known(table: tuple[float, ...], share: float) -> Iterator[tuple[str, Pair, Pair, Threshold]]:
    """Metrics at known shares: name, theta, v and the threshold."""
    tp, fn, fp, tn = table
    p = arb(share)
    q = 1 - p
    theta, v = (tp, fn), (fp, tn)
    yield "precision", theta, v, lambda y, t: t * q * y / ((1 - t) * p)
    yield "npv", theta, v, lambda y, t: 1 - (1 - t) * q * (1 - y) / (t * p)
    yield "jaccard", theta, v, lambda y, t: t * (p + q * y) / p
    for beta in (1, 2):
        k = arb(beta * beta)
        yield f"f{beta}", theta, v, lambda y, t, k=k: t * (k * p + q * y) / (p * (1 + k - t))


def sampled(table: tuple[float, ...]) -> Iterator[tuple[str, Pair, Pair, Threshold]]:
    """Metrics at sampled shares: of TP / (TP + FN + FP) and FN / (FN + FP), but the last."""
    tp, fn, fp, tn = table
    for beta in ("0.5", "1", "2"):
        k = arb(beta) ** 2

        def threshold(v: Real, t: Real, k: Real = k) -> Real:
            odds = t * (k * v + 1 - v) / ((1 + k) * (1 - t))
            return odds / (1 + odds)

        yield f"sampled f{beta}", (tp, fn + fp), (fn, fp), threshold
    # TP / n - FP / n / 4, of the precision and the share of positive predictions.
    w = arb(1) / 4
    yield "net benefit", (tp, fp), (tp + fp, fn + tn), lambda v, t: (t / v + w) / (1 + w)


def density(a: float, b: float) -> Callable[[Real], Real]:
    """Return the density of the log-odds of a Beta variable."""
    log_beta = arb(a).lgamma() + arb(b).lgamma() - arb(a + b).lgamma()
    return lambda z: (a * z - (a + b) * (1 + z.exp()).log() - log_beta).exp()


def below(theta: Pair, x: Real) -> Real:
    """P(theta <= x), to 60 digits."""
    if x <= 0 or x >= 1:
        return arb(0) if x <= 0 else arb(1)
    return x.beta_lower(arb(theta[0]), arb(theta[1]), True)


def probabilities(
    theta: Pair, v: Pair, threshold: Threshold, t: Real, growth: float
) -> tuple[Real, Real]:
    """P(metric <= t) and P(metric > t)."""
    f = density(*v)
    low = high = arb(0)
    for left, right in pairwise(places(theta, v, threshold, t, growth)):
        half, middle = (right - left) / 2, (right + left) / 2
        for x, weight in RULE:
            z = (middle + half * x).mid()
            mass = f(z) * half * weight
            lower = below(theta, threshold(1 / (1 + (-z).exp()), t).mid())
            low, high = (low + mass * lower).mid(), (high + mass * (1 - lower)).mid()
    return low, high


def double_exponential(step: Real) -> list[tuple[Real, Real]]:
    """Nodes in (-1, 1) and weights; what is left out is below 1e-25."""
    rule = []
    last = int(3.65 / float(step))
    for k in range(-last, last + 1):
        u = k * step
        s = arb.pi() / 2 * u.sinh()
        rule.append((s.tanh().mid(), (step * arb.pi() / 2 * u.cosh() / s.cosh() ** 2).mid()))
    return rule


RULE = double_exponential(arb(1) / 24)


def places(theta: Pair, v: Pair, threshold: Threshold, t: Real, growth: float) -> list[Real]:
    """Log-odds of v between which to integrate."""
    c, d = v
    middle, scale = math.log(c / d), math.sqrt(1 / c + 1 / d)
    # Beyond, the density is below 1e-40 of its largest value: an exponential, or a normal one.
    low, high = (middle + sign * max(100 / e, 16 * scale) for sign, e in ((-1, c), (1, d)))
    if min(v) > 100:
        low, high = middle - 18 * scale, middle + 18 * scale
    # Ever wider on the way out: the density bends about its middle.
    steps = [min(scale, 1.0) * growth**k for k in range(400)]
    inner = [middle + sign * step for step in steps for sign in (-1, 1)]
    edges = [arb(z) for z in (low, high, middle, *(z for z in inner if low < z < high))]
    a, b = theta
    mean, sd = a / (a + b), math.sqrt(a * b / (a + b) ** 2 / (a + b + 1))
    for goal in (0.0, 1.0, *(mean + k * sd for k in (-10, -5, -2, 0, 2, 5, 10))):
        if 0 <= goal <= 1:
            edges += crossing(threshold, t, goal, edges[0], edges[1])
    edges = [edge.mid() for edge in edges]
    return sorted(edges, key=float)


def crossing(threshold: Threshold, t: Real, goal: float, low: Real, high: Real) -> list[Real]:
    """Bisect for the log-odds at which a monotone threshold has a value."""

    def above(z: Real) -> bool:
        return bool(threshold(1 / (1 + (-z).exp()), t).mid() > goal)

    if above(low) == above(high):
        return []
    rising = above(high)
    for _ in range(200):
        middle = ((low + high) / 2).mid()
        low, high = (low, middle) if above(middle) == rising else (middle, high)
    return [low]


def points(
    theta: Pair, v: Pair, threshold: Threshold, ends: Pair, steps: tuple[float, ...]
) -> list[float]:
    """Doubles t about the middle of the metric."""
    low, high = ends

    def at(x: float, y: float) -> float:
        # The threshold rises with the metric.
        left, right = low, high
        for _ in range(60):
            middle = (left + right) / 2
            rising = threshold(arb(y), arb(middle)) < x
            left, right = (middle, right) if rising else (left, middle)
        return math.log((left - low) / (high - left))

    (a, b), (c, d) = theta, v
    x, y = a / (a + b), c / (c + d)
    sx, sy = math.sqrt(x * (1 - x) / (a + b + 1)), math.sqrt(y * (1 - y) / (c + d + 1))
    middle = at(x, y)
    moved = at(min(x + sx, (x + 1) / 2), y) - middle, at(x, min(y + sy, (y + 1) / 2)) - middle
    scale = min(math.hypot(*moved), 2.0)
    return [low + (high - low) / (1 + math.exp(-(middle + k * scale))) for k in steps]


def record(table: str, name: str, share: float | None, parts: tuple) -> list[dict]:
    """Evaluate one metric of one table at all its points."""
    theta, v, threshold = parts
    ends = (-0.25, 1.0) if name == "net benefit" else (0.0, 1.0)
    found = []
    for t in points(theta, v, threshold, ends, FEW_STEPS if table == "large" else STEPS):
        pair = probabilities(theta, v, threshold, arb(t), 2.0)
        again = probabilities(theta, v, threshold, arb(t), 1.5)
        digits = agreement(pair, again)
        cdf, ccdf = (value.mid().str(25, radius=False) for value in again)
        values = {"t": t, "cdf": cdf, "ccdf": ccdf, "digits": digits}
        found.append({"table": table, "metric": name, "share": share, **values})
    print(table, name, share, [one["digits"] for one in found], flush=True)
    return found


def agreement(pair: tuple[Real, Real], again: tuple[Real, Real]) -> int:
    """Return how many digits agree, none where nothing was found."""
    if not all(value > 0 for value in again):
        return 0
    worst = max(abs(float((x - y) / y)) for x, y in zip(pair, again, strict=True))
    return 25 if worst < 1e-25 else max(0, int(-math.log10(worst)))


def main(*tables: str) -> None:
    """Write all probabilities that are known to 13 digits, of some tables if they are named."""
    kept = []
    if tables:
        old = json.loads(OUTPUT.read_text(encoding="utf-8"))["values"]
        kept = [one for one in old if one["table"] not in tables]
    for table in tables or TABLES:
        cells = TABLES[table]
        records = []
        for share in (0.3, 0.01):
            for name, *parts in known(cells, share):
                if table != "large" or (name, share) == ("precision", 0.3):
                    records += record(table, name, share, tuple(parts))
        for name, *parts in sampled(cells):
            if table != "large" or name == "net benefit":
                records += record(table, name, None, tuple(parts))
        kept += [one for one in records if one["digits"] >= 13]
        print(table, len(records), len(kept), flush=True)
    lines = ",\n".join(json.dumps(one) for one in kept)
    text = f'{{"tables": {json.dumps(TABLES)},\n"values": [\n{lines}\n]}}\n'
    OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
