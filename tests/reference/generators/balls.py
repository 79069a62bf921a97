"""Exact rationals (``fmpq``), balls (``arb``) and what is printed of them."""

import math
from typing import NamedTuple, Self

from flint import arb, fmpq

DIGITS = 30
WANTED_BITS = 120  # relative accuracy asked of every ball that is printed


class Values(NamedTuple):
    """The two tails and the density at one abscissa; no density where it is infinite."""

    cdf: arb
    ccdf: arb
    pdf: arb | None

    @classmethod
    def from_tail(cls, tail: arb, pdf: arb | None, *, is_lower: bool) -> Self:
        return cls(tail, 1 - tail, pdf) if is_lower else cls(1 - tail, tail, pdf)


BELOW_SUPPORT = Values(arb(0), arb(1), arb(0))
ABOVE_SUPPORT = Values(arb(1), arb(0), arb(0))


def rational(x: float) -> fmpq:
    """The exact value of a double."""
    return fmpq(*float(x).as_integer_ratio())


def binary_value(x: arb) -> fmpq:
    """The exact value of the midpoint of a ball."""
    mantissa, exponent = x.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def to_float(x: arb | fmpq) -> float:
    return float(x.mid()) if isinstance(x, arb) else int(x.p) / int(x.q)


def difference(y: arb | fmpq, k: fmpq) -> arb:
    """``y - k``, rounded once where both are exact."""
    return arb(y - k) if isinstance(y, fmpq) else y - arb(k)


def show(x: arb) -> str:
    return x.mid().str(DIGITS, radius=False)


def agreement(u: arb, v: arb) -> float:
    """Number of decimal digits to which two numbers agree (relative)."""
    u, v = u.mid(), v.mid()
    if u == v:
        return math.inf
    if u == 0 or v == 0:
        return 0.0
    return -float(abs((u - v) / v).mid().log().mid() / arb(10).log())


def is_sharp(*balls: arb) -> bool:
    return all(
        x.is_finite() and (x.is_exact() or x.rel_accuracy_bits() >= WANTED_BITS)
        for x in balls
    )


def log_beta_constant(a: arb, b: arb) -> arb:
    """``-log B(a, b)``."""
    return (a + b).lgamma() - a.lgamma() - b.lgamma()
