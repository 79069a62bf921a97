"""Probabilities of ratios of a confusion matrix, by quadrature in ball arithmetic.

``python make_ratios.py`` recomputes the values of ``ratios.json``, or with the names of some tables
these alone. It takes about an hour on one core and needs python-flint.

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


def known(
    table: tuple[float, ...], share: float
) -> Iterator[tuple[str, Pair, Pair, Threshold]]:
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
        yield (
            f"f{beta}",
            theta,
            v,
            lambda y, t, k=k: t * (k * p + q * y) / (p * (1 + k - t)),
        )


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
    yield (
        "net benefit",
        (tp, fp),
        (tp + fp, fn + tn),
        lambda v, t: (t / v + w) / (1 + w),
    )


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
        rule.append(
            (s.tanh().mid(), (step * arb.pi() / 2 * u.cosh() / s.cosh() ** 2).mid())
        )
    return rule


RULE = double_exponential(arb(1) / 24)


def places(
    theta: Pair, v: Pair, threshold: Threshold, t: Real, growth: float
) -> list[Real]:
    """Log-odds of v between which to integrate."""
    c, d = v
    middle, scale = math.log(c / d), math.sqrt(1 / c + 1 / d)
    # Beyond, the density is below 1e-40 of its largest value: an exponential, or a normal one.
    low, high = (
        middle + sign * max(100 / e, 16 * scale) for sign, e in ((-1, c), (1, d))
    )
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


def crossing(
    threshold: Threshold, t: Real, goal: float, low: Real, high: Real
) -> list[Real]:
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


def digits_of(pair: tuple[Real, Real], again: tuple[Real, Real]) -> int:
    """Return how many digits agree, none where nothing was found."""
    if not all(value > 0 for value in again):
        return 0
    worst = max(abs(float((x - y) / y)) for x, y in zip(pair, again, strict=True))
    return 25 if worst < 1e-25 else max(0, int(-math.log10(worst)))


def main(*tables: str) -> None:
    """Recompute all probabilities, or those of some tables if they are named."""
    found = json.loads(OUTPUT.read_text(encoding="utf-8"))
    for value in found["values"]:
        if tables and value["table"] not in tables:
            continue
        cells, share, t = (
            found["tables"][value["table"]],
            value["share"],
            arb(value["t"]),
        )
        metrics = sampled(cells) if share is None else known(cells, share)
        parts = next(parts for name, *parts in metrics if name == value["metric"])
        pair, again = (probabilities(*parts, t, growth) for growth in (2.0, 1.5))
        value["cdf"], value["ccdf"] = (
            tail.mid().str(25, radius=False) for tail in again
        )
        value["digits"] = digits_of(pair, again)
        assert value["digits"] >= 13, value
        print(value, flush=True)
    lines = ",\n".join(json.dumps(value) for value in found["values"])
    text = f'{{"tables": {json.dumps(found["tables"])},\n"values": [\n{lines}\n]}}\n'
    OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
