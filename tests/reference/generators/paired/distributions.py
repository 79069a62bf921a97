"""A weighted sum of paired differences, its moments, and its saddlepoints in floats."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from generators.balls import rational, to_float
from generators.distributions import total
from generators.transforms import bisected


@dataclass(frozen=True)
class Group:
    """``m`` equal classes ``w D`` with ``w > 0``; ``b``, ``a`` and ``r`` are the cells."""

    b: fmpq
    a: fmpq
    r: fmpq
    w: fmpq
    m: int

    @property
    def n(self) -> fmpq:
        return self.b + self.a + self.r

    @property
    def mirrored(self) -> "Group":
        """The distribution of ``-w D``."""
        return Group(self.a, self.b, self.r, self.w, self.m)

    @property
    def cumulants(self) -> list[fmpq]:
        """First four cumulants of ``D``."""
        _, one, two, three, four = raw_moments(self, 5)
        second, third = two - one**2, three - 3 * one * two + 2 * one**3
        fourth = four - 4 * one * three + 6 * one**2 * two - 3 * one**4
        return [one, second, third, fourth - 3 * second**2]


def raw_moments(g: Group, size: int) -> list[fmpq]:
    """``E D^k = k! / (n)_k`` times the coefficients of ``(1 - t)^-b (1 + t)^-a``."""
    before, now, factor, moments = fmpq(0), fmpq(1), fmpq(1), []
    for k in range(size):
        moments.append(factor * now)
        before, now = now, ((g.b - g.a) * now + (k - 1 + g.a + g.b) * before) / (k + 1)
        factor *= (k + 1) / (g.n + k)
    return moments


class Distribution:
    """The distribution of an entry of the file."""

    def __init__(self, entry: dict) -> None:
        counts, prior = entry["counts"], rational(entry["prior"])
        weights = [rational(w) for w in entry["weights"] or ()]
        weights = weights or [fmpq(1, len(counts))] * len(counts)
        rows = zip(counts, weights, strict=True)
        distinct = Counter(upright(row, prior, w) for row, w in rows if w != 0)
        self.groups = [Group(*key, m) for key, m in distinct.items()]
        self.width = 2 * total(g.w * g.m for g in self.groups)
        self.lower = -self.width / 2
        parts = [(g, g.cumulants) for g in self.groups]
        self.cumulants = [
            total(g.m * g.w ** (j + 1) * found[j] for g, found in parts)
            for j in range(4)
        ]
        self.mean_above_lower = self.cumulants[0] - self.lower
        self.sd = math.sqrt(to_float(self.cumulants[1]))


def upright(
    row: Sequence[float], prior: fmpq, w: fmpq
) -> tuple[fmpq, fmpq, fmpq, fmpq]:
    """Cells and a positive weight: ``-D`` is ``D`` with the classifiers exchanged."""
    both, only_a, only_b, neither = (rational(k) + prior for k in row)
    exclusive = (only_b, only_a) if w > 0 else (only_a, only_b)
    return *exclusive, both + neither, abs(w)


def corners(groups: Sequence[Group]) -> set[fmpq]:
    """All sums of ``0``, ``w`` and ``2 w``: where the density may have kinks, above the end."""
    found = {fmpq(0)}
    for g in groups:
        for _ in range(g.m):
            found |= {k + j * g.w for k in found for j in (1, 2)}
    return found


def loop_saddle(g: Group, z: float) -> tuple[float, float, float]:
    """``p - z``, ``p + z`` and ``p`` at the saddlepoint ``p > |z|`` of the loop integral."""
    b, a, r = to_float(g.b), to_float(g.a), to_float(g.r)
    near, far = (b, a) if z > 0 else (a, b)
    low, high = -60.0, math.log(4 * (a + b + r) + 4 * abs(z))
    for _ in range(80):
        middle = (low + high) / 2
        q = math.exp(middle)
        if near / q + r / (q + abs(z)) + far / (q + 2 * abs(z)) > 1:
            low = middle
        else:
            high = middle
    q = math.exp((low + high) / 2)
    return (q, q + 2 * z, q + z) if z > 0 else (q - 2 * z, q, q - z)


def log_transform(g: Group, z: float) -> tuple[float, float]:
    """``log E exp(z D)`` and its derivative, by Laplace's method in the loop integral."""
    b, a, r = to_float(g.b), to_float(g.a), to_float(g.r)
    minus, plus, p = loop_saddle(g, z)
    n = a + b + r
    value = (
        p - n - b * math.log(minus / n) - a * math.log(plus / n) - r * math.log(p / n)
    )
    return value, b / minus - a / plus


def tilted(groups: Sequence[Group], c: float) -> tuple[float, float]:
    """Log transform at ``s = c`` and tilted mean, of the distance above the lower end."""
    log_value = mean = 0.0
    for g in groups:
        w = to_float(g.w)
        value, slope = log_transform(g, -c * w)
        log_value += g.m * (value - c * w)
        mean += g.m * w * (1 + slope)
    return log_value, mean


def saddlepoint(distribution: Distribution, y: float) -> float:
    """``c`` with tilted mean ``y``, roughly; positive below the mean."""
    sign = 1.0 if y < to_float(distribution.mean_above_lower) else -1.0

    def ahead(c: float) -> bool:
        return sign * (tilted(distribution.groups, sign * c)[1] - y) > 0

    return sign * bisected(ahead, 1.0 / distribution.sd, 1e12)
