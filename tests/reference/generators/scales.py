"""Two classes of very different scales, and many classes beside a corner of the support."""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from flint import arb, arb_poly, arb_series, ctx, fmpq

from generators.balls import Values, binary_value, log_beta_constant, to_float
from generators.corner import End, truncated, truncated_power
from generators.distributions import Distribution, Group

BITS = 288
SERIES_BITS = 4000
# Terms of expansions about a point.
ORDERS = (160, 200)
ctx.cap = max(ORDERS)
NEGLIGIBLE = arb("1e-90")
# Distances from the mean, in standard deviations or decay lengths, of ends of panels.
REACH = (0, 1, 2, 3.5, 5, 7, 10, 14, 20, 30, 45, 70, 110, 170, 260, 400)
# Digits that an end of a panel is given, where the integrand is bounded.
DECADES = 34


class Share(NamedTuple):
    """A share in [0, 1] at an end of a panel, and how it changes along the panel."""

    at: arb
    slope: arb
    room: arb  # 1 - at

    def moved(self, d: arb) -> tuple[arb, arb]:
        """The share, and 1 minus it, at a distance: beside 0 and 1 without cancellation."""
        return self.at + self.slope * d, self.room - self.slope * d


class Quadrature:
    """Two classes: the density of the narrow one times the distribution of the broad one.

    Panels end at both ends of the narrow class and where the broad one reaches its ends; shares
    are held as exact values there plus a distance, so that nothing cancels, however small the
    exponents. A panel beside a kink has a tanh-sinh rule, others that of Gauss and Legendre.
    Variant 1 has other rules and panels.
    """

    def __init__(self, distribution: Distribution, variant: int = 0) -> None:
        groups = [
            Group(g.a, g.b, g.w, 1) for g in distribution.groups for _ in range(g.m)
        ]
        self.narrow, self.broad = sorted(
            groups, key=lambda g: to_float(g.w**2 * g.variance)
        )
        self.step = (fmpq(1, 11), fmpq(1, 13))[variant]
        self.order = (28, 34)[variant]
        self.stretch = (1.0, 0.83)[variant]
        self.growth = (3.0, 2.5)[variant]
        with ctx.workprec(BITS):
            self.density = LogDensity(self.narrow)
            self.inner = LogDensity(self.broad)

    def __call__(self, y: arb | fmpq) -> Values:
        with ctx.workprec(BITS):
            y = y if isinstance(y, fmpq) else binary_value(y)
            cdf, ccdf, pdf = arb(0), arb(0), arb(0)
            for low, high in pairwise(self.panels(y)):
                middle = self.broad_share(y, (low + high) / 2)
                for mass, t, u in self.nodes(y, low, high):
                    if 0 < middle < 1:
                        lower, upper = self.inner.tails(t, u)
                        cdf += mass * lower
                        ccdf += mass * upper
                        pdf += mass * self.inner(t, u).exp()
                    elif middle <= 0:
                        ccdf += mass
                    else:
                        cdf += mass
            return Values(cdf, ccdf, pdf / arb(self.broad.w))

    def broad_share(self, y: fmpq, v: fmpq) -> fmpq:
        return (y - self.narrow.w * v) / self.broad.w

    def nodes(self, y: fmpq, low: fmpq, high: fmpq) -> Iterator[tuple[arb, arb, arb]]:
        """Masses of the narrow class, and the shares of the broad one there."""
        size = arb(high - low)
        slope = arb(-self.narrow.w / self.broad.w)
        ends = [(end, self.broad_share(y, end)) for end in (low, high)]
        is_regular = all(0 < v < 1 and t not in (0, 1) for v, t in ends)
        for (end, t), sign in zip(ends, (1, -1), strict=True):
            v = Share(arb(end), arb(sign), arb(1 - end))
            other = Share(arb(t), slope * sign, arb(1 - t))
            if is_regular:
                rule = half_legendre(self.order)
            else:
                rule = tanh_sinh(self.step, self.decades(end, t))[sign < 0 :]
            for offset, weight in rule:
                share, room = v.moved(offset * size)
                mass = self.density(share, room).exp() * weight * size
                if mass > NEGLIGIBLE * offset:
                    yield mass, *other.moved(offset * size)

    def decades(self, v: fmpq, t: fmpq) -> int:
        """How close nodes come to an end: what is left is a power of the distance."""
        power = 1.0
        for g, share in ((self.narrow, v), (self.broad, t)):
            if share in (0, 1):
                power = min(power, to_float(g.a if share == 0 else g.b))
        return math.ceil(DECADES / power)

    def panels(self, y: fmpq) -> list[fmpq]:
        """Kinks, and points away from the mean of the narrow class and from close kinks."""
        kinks = [y / self.narrow.w, (y - self.broad.w) / self.narrow.w]
        cuts = sorted({fmpq(0), fmpq(1), *(k for k in kinks if 0 < k < 1)})
        mean, s = to_float(self.narrow.mean), math.sqrt(to_float(self.narrow.variance))
        unit = self.stretch * (s + 1 / to_float(self.narrow.a + self.narrow.b))
        inner = [exact(mean + sign * k * unit) for k in REACH for sign in (-1, 1)]
        for low, high in pairwise(cuts):
            gap = high - low
            while to_float(gap) < unit:
                inner += [high + gap, low - gap]
                gap *= exact(self.growth)
        reach = exact(REACH[-1] * unit)
        while reach < 1:
            reach *= exact(self.growth)
            inner += [exact(mean) - reach, exact(mean) + reach]
        return spaced(cuts, inner)


class BesideEnd:
    """Many classes beside the lower end of the support.

    Close to it the series of ``generators.corner``, with more terms. Farther away the narrow
    classes, all near their lower ends, are small beside the distance: the distribution of the
    broad ones, a power series itself, is expanded about the point, and the expectations of powers
    are the moments of the narrow ones. What is left out is what these have beyond the point.
    Variant 1 calls other classes narrow, so that some points are computed by both methods.
    """

    def __init__(self, distribution: Distribution, variant: int = 0) -> None:
        self.groups = sorted(distribution.groups, key=rate)
        self.nearest = 0.9 * to_float(min(g.w for g in self.groups))
        self.change = (700, 1300)[variant]
        self.order = ORDERS[variant]
        self.terms = (2600, 4800)[variant]
        self.parts = cache(self.make_parts)

    def make_parts(self, size: int) -> tuple[End, list[arb]]:
        """The broad classes, which are this many, and the moments of the narrow ones."""
        broad, narrow = self.groups[:size], self.groups[size:]
        return End(broad, self.terms), moments(narrow, self.order)

    def __call__(self, y: arb | fmpq) -> Values:
        with ctx.workprec(SERIES_BITS):
            y = arb(y)
            if not 0 < y < self.nearest:
                raise ArithmeticError("beyond the first breakpoint")
            size = sum(rate(g) * to_float(y) < self.change for g in self.groups)
            end, expected = self.parts(max(size, 1))
            if size == len(self.groups):
                return Values.from_tail(*end(y), is_lower=True)
            series = arb_series([y, 1], prec=self.order)
            power = (arb(end.power) * series.log()).exp() * end.front
            cdf = power * composed(end.tail, series)
            pdf = power / series * composed(end.density, series)
            values = expectation(cdf, expected), expectation(pdf, expected)
            return Values.from_tail(*values, is_lower=True)


def rate(g: Group) -> float:
    """The inverse of the scale of a class."""
    return to_float((g.a + g.b) / g.w)


def expectation(series: arb_series, expected: Sequence[arb]) -> arb:
    """The expectation of a series in ``-Y``, by the moments of ``Y``."""
    terms = zip(series.coeffs(), expected, strict=False)
    return sum(((-1) ** k * c * m for k, (c, m) in enumerate(terms)), arb(0))


def composed(polynomial: arb_poly, series: arb_series) -> arb_series:
    """Horner's scheme, without the terms that are negligible at the first coefficient."""
    coefficients, y = polynomial.coeffs(), series[0]
    size = len(coefficients)
    while (
        size > 2 * ctx.cap
        and abs(coefficients[size - 1]) * y ** (size - 1) < NEGLIGIBLE**3
    ):
        size = max(2 * ctx.cap, size - 50)
    found = arb_series([0], prec=series.prec)
    for coefficient in reversed(coefficients[:size]):
        found = found * series + coefficient
    return found


def moments(groups: Sequence[Group], size: int) -> list[arb]:
    """Raw moments of a sum, from the product of the series of ``E exp(s y)``."""
    product = arb_poly([1])
    for g in groups:
        coefficients, value = [], arb(1)
        for k in range(size):
            coefficients.append(value)
            value *= arb((g.a + k) / (g.a + g.b + k) * g.w / (k + 1))
        series = truncated_power(arb_poly(coefficients), g.m, size)
        product = truncated(product * series, size)
    return [c * arb(k).fac() for k, c in enumerate(product.coeffs())]


class LogDensity:
    """The density of a Beta class in logs, and both tails, of ``t`` and ``u = 1 - t``."""

    def __init__(self, g: Group) -> None:
        self.a, self.b = arb(g.a), arb(g.b)
        self.constant = log_beta_constant(self.a, self.b)

    def __call__(self, t: arb, u: arb) -> arb:
        return self.constant + (self.a - 1) * t.log() + (self.b - 1) * u.log()

    def tails(self, t: arb, u: arb) -> tuple[arb, arb]:
        """By the Gauss series (DLMF 8.17.8) for the side of the mean that ``t`` is on."""
        front = (self(t, u) + t.log() + u.log()).exp()
        n = self.a + self.b
        if t < (self.a + 1) / (n + 2):
            lower = front / self.a * arb.hypgeom_2f1(t, n, 1, self.a + 1)
            return lower, 1 - lower
        upper = front / self.b * arb.hypgeom_2f1(u, n, 1, self.b + 1)
        return 1 - upper, upper


def exact(x: float) -> fmpq:
    return fmpq(*float(x).as_integer_ratio())


def spaced(cuts: Sequence[fmpq], points: Sequence[fmpq]) -> list[fmpq]:
    """Cuts and points in order, without points that are much closer to a cut than to others."""
    found = sorted({*cuts, *(k for k in points if 0 < k < 1)})
    fixed = set(cuts)
    kept = list(found)
    for before, point, after in zip(found, found[1:], found[2:], strict=False):
        is_close_below = before in fixed and 4 * (point - before) < after - point
        is_close_above = after in fixed and 4 * (after - point) < point - before
        if point not in fixed and (is_close_below or is_close_above):
            kept.remove(point)
    return kept


@cache
def half_legendre(order: int) -> list[tuple[arb, arb]]:
    """Distances from an end of [0, 1], and weights, of the nodes of its half."""
    nodes = [arb.legendre_p_root(order, k, weight=True) for k in range(order // 2)]
    return [((1 - root) / 2, weight / 2) for root, weight in nodes]


@cache
def tanh_sinh(step: fmpq, decades: int) -> list[tuple[arb, arb]]:
    """Distances from the nearer end of [0, 1] and weights; the middle comes first."""
    nodes: list[tuple[arb, arb]] = []
    log_ratio = 0.0
    while log_ratio <= decades * math.log(10):
        u = arb(step * len(nodes))
        ratio = (arb.pi() * u.sinh()).exp()
        offset = 1 / (1 + ratio)
        weight = arb(step) * arb.pi() * u.cosh() * offset * (1 - offset)
        nodes.append((offset.mid(), weight.mid()))
        log_ratio = to_float(ratio.log())
    return nodes
