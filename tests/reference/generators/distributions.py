"""A weighted sum of independent Beta variables, and its moments."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flint import fmpq

from generators.balls import rational, to_float


@dataclass(frozen=True)
class Group:
    """``m`` equal classes ``w * Beta(a, b)`` with ``w > 0``."""

    a: fmpq
    b: fmpq
    w: fmpq
    m: int

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


class Distribution:
    """The distribution of an entry of the file."""

    def __init__(self, entry: dict) -> None:
        a, b = (list(map(rational, entry[key])) for key in ("a", "b"))
        weights = [rational(w) for w in entry["weights"] or ()] or [
            fmpq(1, len(a))
        ] * len(a)
        self.lower = total(w for w in weights if w < 0)
        classes = zip(a, b, weights, strict=True)
        distinct = Counter(upright(*each) for each in classes if each[2] != 0)
        self.groups = [Group(*key, m) for key, m in distinct.items()]
        self.width = total(g.w * g.m for g in self.groups)
        self.mean_above_lower = total(g.w * g.m * g.mean for g in self.groups)
        self.sd = math.sqrt(to_float(self.cumulants[1]))

    @property
    def cumulants(self) -> list[fmpq]:
        """First four cumulants of the sum."""
        parts = [(g, beta_cumulants(g.a, g.b)) for g in self.groups]
        found = [total(g.m * g.w ** (r + 1) * k[r] for g, k in parts) for r in range(4)]
        return [found[0] + self.lower, *found[1:]]


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
