"""A weighted sum of paired differences, its moments, and its saddlepoints in floats."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from flint import arb, ctx, fmpq

from generators.balls import rational, show, to_float
from generators.distributions import total


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
    def is_integer(self) -> bool:
        return self.b.q == self.a.q == self.r.q == 1

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


@dataclass
class Distribution:
    """A named distribution; ``x`` are points wanted besides those that suit every one."""

    name: str
    regime: str
    counts: Sequence[Sequence[float]]
    prior: float = 1.0
    weights: Sequence[float] | None = None
    method: str = "auto"
    x: Sequence[float] = ()
    groups: list[Group] = field(init=False)
    lower: fmpq = field(init=False)
    width: fmpq = field(init=False)

    def __post_init__(self) -> None:
        weights = [rational(w) for w in self.weights or ()]
        weights = weights or [fmpq(1, len(self.counts))] * len(self.counts)
        rows = zip(self.counts, weights, strict=True)
        distinct = Counter(self._upright(row, w) for row, w in rows if w != 0)
        self.groups = [Group(*key, m) for key, m in distinct.items()]
        self.width = 2 * total(g.w * g.m for g in self.groups)
        self.lower = -self.width / 2

    def _upright(self, row: Sequence[float], w: fmpq) -> tuple[fmpq, fmpq, fmpq, fmpq]:
        """Cells and a positive weight: ``-D`` is ``D`` with the classifiers exchanged."""
        both, only_a, only_b, neither = (rational(k) + rational(self.prior) for k in row)
        exclusive = (only_b, only_a) if w > 0 else (only_a, only_b)
        return *exclusive, both + neither, abs(w)

    @property
    def classes(self) -> int:
        return sum(g.m for g in self.groups)

    @property
    def is_integer(self) -> bool:
        return all(g.is_integer for g in self.groups)

    @property
    def cumulants(self) -> list[fmpq]:
        parts = [(g, g.cumulants) for g in self.groups]
        return [total(g.m * g.w ** (j + 1) * found[j] for g, found in parts) for j in range(4)]

    @property
    def mean_above_lower(self) -> fmpq:
        return self.cumulants[0] - self.lower

    @property
    def sd(self) -> float:
        return math.sqrt(to_float(self.cumulants[1]))


def corners(groups: Sequence[Group]) -> set[fmpq]:
    """All sums of ``0``, ``w`` and ``2 w``: where the density may have kinks, above the end."""
    found = {fmpq(0)}
    for g in groups:
        for _ in range(g.m):
            found |= {k + j * g.w for k in found for j in (1, 2)}
    return found


def moments(distribution: Distribution) -> dict[str, str]:
    k = distribution.cumulants
    with ctx.workprec(300):
        variance = arb(k[1])
        return {
            "mean": show(arb(k[0])),
            "variance": show(variance),
            "skewness": show(arb(k[2]) / (variance * variance.sqrt())),
            "kurtosis": show(arb(k[3] / k[1] ** 2)),
        }


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
    value = p - n - b * math.log(minus / n) - a * math.log(plus / n) - r * math.log(p / n)
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


def first_false(ahead: Callable[[float], bool], start: float, limit: float) -> float:
    """About where ``ahead`` turns false, by doubling and bisection."""
    low, high = 0.0, start
    while ahead(high):
        low, high = high, 2 * high
        if high > limit * start:
            raise ArithmeticError("no saddlepoint")
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if ahead(middle) else (low, middle)
    return high


def saddlepoint(distribution: Distribution, y: float) -> float:
    """``c`` with tilted mean ``y``, roughly; positive below the mean."""
    sign = 1.0 if y < to_float(distribution.mean_above_lower) else -1.0

    def ahead(c: float) -> bool:
        return sign * (tilted(distribution.groups, sign * c)[1] - y) > 0

    return sign * first_false(ahead, 1.0 / distribution.sd, 1e12)


def chernoff_point(distribution: Distribution, log_tail: float, sign: int) -> float | None:
    """Distance above the lower end where the Chernoff bound is ``log_tail``, roughly.

    ``sign`` is 1 for the lower tail and -1 for the upper one.
    """

    def bound(c: float) -> tuple[float, float]:
        log_value, y = tilted(distribution.groups, sign * c)
        return log_value + sign * c * y, y

    try:
        c = first_false(lambda c: bound(c)[0] > log_tail, 1.0 / distribution.sd, 1e9)
    except ArithmeticError:
        return None
    return bound(c)[1]
