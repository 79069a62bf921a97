"""A weighted sum of independent Beta variables, and its moments."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from flint import arb, ctx, fmpq

from generators.balls import rational, show, to_float


@dataclass(frozen=True)
class Group:
    """``m`` equal classes ``w * Beta(a, b)`` with ``w > 0``."""

    a: fmpq
    b: fmpq
    w: fmpq
    m: int

    @property
    def is_integer(self) -> bool:
        return self.a.q == 1 and self.b.q == 1

    @property
    def mirrored(self) -> "Group":
        """The distribution of ``w * (1 - theta)``."""
        return Group(self.b, self.a, self.w, self.m)

    @property
    def mean(self) -> fmpq:
        return self.a / (self.a + self.b)

    @property
    def variance(self) -> fmpq:
        s = self.a + self.b
        return self.a * self.b / (s * s * (s + 1))


def total(values: Iterable[fmpq]) -> fmpq:
    return sum(values, fmpq(0))


@dataclass
class Distribution:
    """A named distribution; ``x`` are points wanted besides those that suit every one."""

    name: str
    regime: str
    a: Sequence[float]
    b: Sequence[float]
    weights: Sequence[float] | None = None
    method: str = "auto"
    x: Sequence[float] = ()
    groups: list[Group] = field(init=False)
    lower: fmpq = field(init=False)
    width: fmpq = field(init=False)

    def __post_init__(self) -> None:
        weights = [rational(w) for w in self.weights or ()] or [fmpq(1, len(self.a))] * len(self.a)
        self.lower = total(w for w in weights if w < 0)
        classes = zip(self.a, self.b, weights, strict=True)
        distinct = Counter(upright(rational(a), rational(b), w) for a, b, w in classes if w != 0)
        self.groups = [Group(*key, m) for key, m in distinct.items()]
        self.width = total(g.w * g.m for g in self.groups)

    @property
    def classes(self) -> int:
        return sum(g.m for g in self.groups)

    @property
    def mean_above_lower(self) -> fmpq:
        return total(g.w * g.m * g.mean for g in self.groups)

    @property
    def sd(self) -> float:
        return math.sqrt(to_float(total(g.w**2 * g.m * g.variance for g in self.groups)))


def upright(a: fmpq, b: fmpq, w: fmpq) -> tuple[fmpq, fmpq, fmpq]:
    """``a, b, w`` with a positive weight: ``w theta = w + |w| (1 - theta)``."""
    return (a, b, w) if w > 0 else (b, a, -w)


def breakpoints(groups: Sequence[Group]) -> set[fmpq]:
    """All sums of weights, where the density may have kinks."""
    found = {fmpq(0)}
    for g in groups:
        for _ in range(g.m):
            found |= {k + g.w for k in found}
    return found


def beta_cumulants(a: fmpq, b: fmpq) -> list[fmpq]:
    """First four cumulants, by the three-term recurrence of the central moments."""
    s, mu = a + b, a / (a + b)
    m = [fmpq(1), fmpq(0)]
    for r in (1, 2, 3):
        m.append(fmpq(r) / (s + r) * (mu * (1 - mu) * m[r - 1] + (1 - 2 * mu) * m[r]))
    return [mu, m[2], m[3], m[4] - 3 * m[2] ** 2]


def moments(distribution: Distribution) -> dict[str, str]:
    k = [fmpq(0)] * 4
    for g in distribution.groups:
        for r, value in enumerate(beta_cumulants(g.a, g.b)):
            k[r] += g.m * g.w ** (r + 1) * value
    with ctx.workprec(300):
        variance = arb(k[1])
        return {
            "mean": show(arb(k[0] + distribution.lower)),
            "variance": show(variance),
            "skewness": show(arb(k[2]) / (variance * variance.sqrt())),
            "kurtosis": show(arb(k[3] / k[1] ** 2)),
        }
