"""Reference values for weighted averages of independent Beta variables.

The law is ``lambda = sum_i w_i theta_i`` with ``theta_i ~ Beta(a_i, b_i)``
independent and weights of any sign (``None`` stands for the exact ``1 / l``).
All parameters and abscissas are doubles taken at their exact binary value.

Four methods, all in ball arithmetic (``python-flint``), so that rounding is
tracked and cancellation shows; only the discretisation error of a quadrature
has to be measured, which is done by a second run on different nodes:

piecewise
    Integer ``a``, ``b``.  The Laplace transform of a Beta density is
    ``P(1/s) + exp(-s) Q(1/s)`` with exact rational polynomials; products of
    those, inverted term by term, give the piecewise polynomial of the law.
contour
    Any ``a``, ``b``.  Bromwich integral through (about) the saddlepoint ``c``:
    straight up to ``c + i T``, then every ``1F1`` is split into its two
    Tricomi ``U`` parts and each product term follows its own horizontal ray,
    to the left above its breakpoint and to the right below it.
line
    Fast decaying transforms: the trapezoidal rule on the vertical line through
    the saddlepoint, whose aliasing error is ``exp(-2 pi c / h)``.  Concentrated
    classes use a trapezoidal rule in the logit of ``theta``, the others ``1F1``.
real
    One class integrated against the law of the rest in real space, tanh-sinh
    on panels split at every kink and graded around the peak of the integrand.

``python make_beta_average.py`` writes ``beta_average.json`` beside the script,
``--check`` prints how far the methods agree, ``--only TEXT`` restricts both to
the laws whose name or regime contains the text.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Iterable, Sequence

from flint import acb, arb, arb_poly, ctx, fmpq, fmpq_poly, fmpz

OUTPUT = Path(__file__).with_name("beta_average.json")
DIGITS_SHOWN = 30
WANTED_BITS = 120  # relative accuracy asked of every ball that is printed
QUANTILES = (1e-10, 0.025, 0.05, 0.5, 0.975, 0.999)
METHODS = {
    "closed": "regularised incomplete beta function, ball arithmetic",
    "piecewise": "exact rational piecewise polynomial",
    "contour": "saddlepoint contour with two-ended Tricomi-U split, ball arithmetic",
    "line": "trapezoidal rule on the saddlepoint line, ball arithmetic",
    "real": "real-space tanh-sinh quadrature split at kinks, ball arithmetic",
}


# --------------------------------------------------------------------------
# Laws
# --------------------------------------------------------------------------


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
    def mean(self) -> fmpq:
        return self.a / (self.a + self.b)

    @property
    def variance(self) -> fmpq:
        s = self.a + self.b
        return self.a * self.b / (s * s * (s + 1))


@dataclass
class Law:
    name: str
    regime: str
    a: Sequence[float]
    b: Sequence[float]
    weights: Sequence[float] | None = None
    method: str = "auto"
    x: Sequence[float] = ()
    quantiles: Sequence[float] = QUANTILES
    groups: list[Group] = field(init=False)
    lower: fmpq = field(init=False)
    width: fmpq = field(init=False)

    def __post_init__(self) -> None:
        self.lower, counts = fmpq(0), {}
        for i, (a, b) in enumerate(zip(self.a, self.b)):
            w = fmpq(1, len(self.a)) if self.weights is None else rational(self.weights[i])
            key = (rational(a), rational(b), w)
            if w < 0:  # w theta = w + |w| (1 - theta)
                self.lower += w
                key = (rational(b), rational(a), -w)
            if w != 0:
                counts[key] = counts.get(key, 0) + 1
        self.groups = [Group(*key, m) for key, m in counts.items()]
        self.width = sum((g.w * g.m for g in self.groups), fmpq(0))

    @property
    def mean_above_lower(self) -> fmpq:
        return sum((g.w * g.m * g.mean for g in self.groups), fmpq(0))

    @property
    def sd(self) -> float:
        return math.sqrt(to_float(sum((g.w**2 * g.m * g.variance for g in self.groups), fmpq(0))))

    @property
    def classes(self) -> int:
        return sum(g.m for g in self.groups)


def rational(x: float) -> fmpq:
    """The exact value of a double."""
    return fmpq(*float(x).as_integer_ratio())


def to_float(q: fmpq) -> float:
    return int(q.p) / int(q.q)


def beta_cumulants(a: fmpq, b: fmpq) -> list[fmpq]:
    """First four cumulants of a Beta law."""
    s, mu = a + b, a / (a + b)
    m = [fmpq(1), fmpq(0)]
    for r in (1, 2, 3):
        m.append(fmpq(r) / (s + r) * (mu * (1 - mu) * m[r - 1] + (1 - 2 * mu) * m[r]))
    return [mu, m[2], m[3], m[4] - 3 * m[2] ** 2]


def moments(law: Law) -> dict[str, str]:
    k = [fmpq(0)] * 4
    for g in law.groups:
        for r, value in enumerate(beta_cumulants(g.a, g.b)):
            k[r] += g.m * g.w ** (r + 1) * value
    var = arb(k[1])
    return {
        "mean": show(arb(k[0] + law.lower)),
        "variance": show(var),
        "skewness": show(arb(k[2]) / (var * var.sqrt())),
        "kurtosis": show(arb(k[3] / k[1] ** 2)),
    }


# --------------------------------------------------------------------------
# Small tools
# --------------------------------------------------------------------------


class precision:
    """Context manager setting the working precision in bits."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def __enter__(self) -> None:
        self.saved, ctx.prec = ctx.prec, self.bits

    def __exit__(self, *exc: object) -> None:
        ctx.prec = self.saved


def show(x: arb, digits: int = DIGITS_SHOWN) -> str:
    return x.mid().str(digits, radius=False)


def agreement(u: arb, v: arb) -> float:
    """Number of decimal digits to which two numbers agree (relative)."""
    u, v = u.mid(), v.mid()
    if u == v:
        return math.inf
    if u == 0 or v == 0:
        return 0.0
    return -float(abs((u - v) / v).mid().log().mid() / arb(10).log())


def is_sharp(*balls: arb) -> bool:
    return all(x.is_finite() and (x.is_exact() or x.rel_accuracy_bits() >= WANTED_BITS) for x in balls)


Values = tuple[arb, arb, "arb | None"]  # cdf, ccdf, pdf


@lru_cache(maxsize=None)
def legendre(n: int, bits: int) -> list[tuple[arb, arb]]:
    with precision(bits):
        return [arb.legendre_p_root(n, k, weight=True) for k in range(n)]


@lru_cache(maxsize=None)
def tanh_sinh(step: fmpq, bits: int, decades: int) -> list[tuple[arb, arb]]:
    """Pairs (offset from the nearer end of [0, 1], weight), for u <= 0."""
    nodes = []
    with precision(bits):
        half_pi, k = arb.pi() / 2, 0
        while True:
            u = arb(step * k)
            e = (2 * half_pi * u.sinh()).exp()
            offset = 1 / (1 + e)  # distance to the end, symmetric in u
            weight = arb(step) * 2 * half_pi * u.cosh() * offset * (1 - offset)
            nodes.append((offset.mid(), weight.mid()))
            if float(e.log().mid()) > decades * math.log(10):
                return nodes
            k += 1


# --------------------------------------------------------------------------
# Closed form: one class
# --------------------------------------------------------------------------


def log_beta_constant(a: arb, b: arb) -> arb:
    return (a + b).lgamma() - a.lgamma() - b.lgamma()


class Closed:
    """One Beta class."""

    def __init__(self, groups: Sequence[Group]) -> None:
        (self.g,) = groups

    def __call__(self, y: arb) -> Values:
        bits = 256
        while True:
            with precision(bits):
                a, b, t = arb(self.g.a), arb(self.g.b), y / arb(self.g.w)
                if t <= 0:
                    return arb(0), arb(1), arb(0)
                if t >= 1:
                    return arb(1), arb(0), arb(0)
                cdf = a_beta(a, b, t)
                ccdf = a_beta(b, a, 1 - t)
                pdf = (log_beta_constant(a, b) + (a - 1) * t.log() + (b - 1) * (1 - t).log()).exp()
                if is_sharp(cdf, ccdf, pdf) or bits > 20000:
                    return cdf, ccdf, pdf / arb(self.g.w)
            bits *= 2


def a_beta(a: arb, b: arb, t: arb) -> arb:
    """Regularised incomplete beta function, by the series that suits ``t``."""
    if a == 1:
        return -((b * (-t).log1p()).expm1())
    if b == 1:
        return (a * t.log()).exp()
    front = (log_beta_constant(a, b) + a * t.log() + b * (1 - t).log()).exp()
    if t < (a + 1) / (a + b + 2):
        return front / a * arb.hypgeom_2f1(t, a + b, 1, a + 1)
    return 1 - front / b * arb.hypgeom_2f1(1 - t, a + b, 1, b + 1)


# --------------------------------------------------------------------------
# Exact piecewise polynomials
# --------------------------------------------------------------------------


def laplace_ends(g: Group) -> tuple[fmpq_poly, fmpq_poly]:
    """``E exp(-s w theta) = P(1/s) + exp(-s w) Q(1/s)``, integer a and b."""
    a, b = int(g.a.p), int(g.b.p)
    c = fmpq(fmpz.fac_ui(a + b - 1), fmpz.fac_ui(a - 1) * fmpz.fac_ui(b - 1))
    p, q = [fmpq(0)] * (a + b), [fmpq(0)] * (a + b)
    for j in range(b):
        p[a + j] = c * (-1) ** j * fmpz.bin_uiui(b - 1, j) * fmpz.fac_ui(a + j - 1) / g.w ** (a + j)
    for j in range(a):
        q[b + j] = c * (-1) ** b * fmpz.bin_uiui(a - 1, j) * fmpz.fac_ui(b + j - 1) / g.w ** (b + j)
    return fmpq_poly(p), fmpq_poly(q)


def multiply_terms(u: dict, v: dict) -> dict:
    """Product of two sums ``sum_k exp(-s k) poly_k``, keyed by breakpoint."""
    out: dict = {}
    for k, p in u.items():
        for m, q in v.items():
            out[k + m] = out[k + m] + p * q if k + m in out else p * q
    return out


class Piecewise:
    """Piecewise polynomial cdf and pdf with exact rational coefficients."""

    def __init__(self, groups: Sequence[Group]) -> None:
        terms = {fmpq(0): fmpq_poly([1])}
        for g in groups:
            p, q = laplace_ends(g)
            for _ in range(g.m):
                terms = multiply_terms(terms, {fmpq(0): p, g.w: q})
        self.width = sum((g.w * g.m for g in groups), fmpq(0))
        self.pieces = []
        for k, poly in sorted(terms.items()):
            coefficients = poly.coeffs()
            factorial, cdf = fmpz(1), [fmpq(0)]
            for j in range(1, len(coefficients)):
                factorial *= j
                cdf.append(coefficients[j] / factorial)
            cdf = fmpq_poly(cdf)
            self.pieces.append((k, cdf, cdf.derivative()))
        self.bits, self.cache = 512, {}

    def balls(self, bits: int) -> list:
        if bits not in self.cache:
            self.cache[bits] = [(k, arb_poly(f), arb_poly(d)) for k, f, d in self.pieces]
        return self.cache[bits]

    def __call__(self, y: arb | fmpq) -> Values:
        if y <= 0:
            return arb(0), arb(1), arb(0)
        if y >= self.width:
            return arb(1), arb(0), arb(0)
        bits = self.bits
        while True:
            with precision(bits):
                cdf, pdf = arb(0), arb(0)
                for k, f, d in self.balls(bits):
                    if y > k:
                        z = arb(y - k) if isinstance(y, fmpq) else y - arb(k)
                        cdf += f(z)
                        pdf += d(z)
                ccdf = 1 - cdf
                if is_sharp(cdf, ccdf, pdf):
                    return cdf, ccdf, pdf
            bits *= 2
            if bits > 400000:
                raise ArithmeticError("piecewise polynomial: no convergence")


# --------------------------------------------------------------------------
# Transforms
# --------------------------------------------------------------------------


def sharpened(function, bits: int) -> acb:
    """Evaluate with growing precision until ``bits - 60`` bits are certain."""
    extra = bits
    while True:
        with precision(extra):
            value = function()
        if value.rel_accuracy_bits() > bits - 60 or extra > 30 * bits:
            return value
        extra *= 2


def hyp1f1(g: Group, s: acb) -> acb:
    """``E exp(-s w theta)`` at an exact ``s``."""

    def value() -> acb:
        a, b, z = acb(g.a), acb(g.b), -s * arb(g.w)
        found = z.hypgeom_1f1(a, a + b)
        return found if found.is_finite() else z.hypgeom([a], [a + b])

    return sharpened(value, ctx.prec)


def hypu(a: fmpq, b: fmpq, w: fmpq, s: acb) -> acb:
    """Tricomi's ``U(a, a + b, w s)`` at an exact ``s``."""
    return sharpened(lambda: (s * arb(w)).hypgeom_u(acb(a), acb(a + b)), ctx.prec)


def tilted_mean(groups: Sequence[Group], c: arb) -> arb:
    """Mean of the law under the density multiplied by ``exp(-c y)``."""
    total = arb(0)
    for g in groups:
        a, b, z = arb(g.a), arb(g.b), -arb(g.w) * c
        ratio = (z.hypgeom_1f1(a + 1, a + b + 1)) / z.hypgeom_1f1(a, a + b)
        total += g.m * arb(g.w * g.mean) * ratio
    return total


def tilted_class(g: Group, c: float) -> tuple[float, float]:
    """Tilted mean and log transform of one class (rough if concentrated)."""
    a, b, w = to_float(g.a), to_float(g.b), to_float(g.w)
    if a + b > 1000:
        t, u = logit_mode(g, c), logit_mode(Group(g.b, g.a, g.w, 1), -c)
        return w * t, a * math.log(t * (a + b) / a) + b * math.log(u * (a + b) / b) - c * w * t
    value = (-arb(g.w) * arb(c)).hypgeom_1f1(arb(g.a), arb(g.a + g.b)).log()
    return float(tilted_mean([g], arb(c)).mid()) / g.m, float(value.mid())


def saddlepoint(groups: Sequence[Group], y: float, sd: float) -> float:
    """``c`` with tilted mean ``y``; positive below the mean."""
    bits = 400 if len(groups) < 50 else 200
    with precision(bits):
        sign = 1.0 if float(tilted_mean(groups, arb(0)).mid()) > y else -1.0
        low, high = 0.0, 1.0 / sd
        while sign * (float(tilted_mean(groups, arb(sign * high)).mid()) - y) > 0:
            low, high = high, 2 * high
        while high - low > 0.02 * high and high > 0.5 / sd:
            middle = 0.5 * (low + high)
            if sign * (float(tilted_mean(groups, arb(sign * middle)).mid()) - y) > 0:
                low = middle
            else:
                high = middle
        return sign * high


def quantised_tilt(groups: Sequence[Group], y: float, sd: float) -> arb:
    """A tilt near the saddlepoint, at least 1.5 / sd in size, on a coarse grid."""
    c = saddlepoint(groups, y, sd)
    level = max(0, round(2 * math.log2(max(abs(c) * sd / 1.5, 1e-9))))
    return arb(math.copysign(1.5 * 2 ** (level / 2) / sd, c))


# --------------------------------------------------------------------------
# Contour with two-ended split
# --------------------------------------------------------------------------


class Contour:
    """Bromwich integral: vertical segment, then one ray per product term.

    ``variant`` 0 and 1 use different tilts, heights, orders and steps.
    """

    def __init__(self, law: Law, variant: int = 0, bits: int = 224) -> None:
        self.groups, self.sd, self.variant, self.bits = law.groups, law.sd, variant, bits
        self.width = law.width
        self.order = (34, 40)[variant]
        self.step = (fmpq(1, 17), fmpq(1, 21))[variant]
        lengths = [(150 + 30 * variant + 2 * min(300.0, to_float(g.a + g.b))) / to_float(g.w) for g in self.groups]
        self.base_height = arb(max(lengths))
        self.narrowest = min(to_float(g.w) for g in self.groups)
        self.tables: dict[str, dict] = {}
        with precision(bits):
            self.alpha: dict = {fmpq(0): fmpq(0)}
            for g in self.groups:
                for _ in range(g.m):
                    grown: dict = {}
                    for k, v in self.alpha.items():
                        for key, value in ((k, v + g.a), (k + g.w, v + g.b)):
                            grown[key] = min(value, grown.get(key, value))
                    self.alpha = grown

    def transform(self, s: acb) -> acb:
        value = acb(1)
        for g in self.groups:
            value *= hyp1f1(g, s) ** g.m
        return value

    def ends(self, s: acb) -> dict:
        """Coefficients C_k(s) with transform = sum_k exp(-s k) C_k(s)."""
        pi, terms = arb.pi(), {fmpq(0): acb(1)}
        for g in self.groups:
            a, b = arb(g.a), arb(g.b)
            front = (a + b).gamma()
            left = front * b.rgamma() * (acb(0, -1) * pi * a).exp() * hypu(g.a, g.b, -g.w, s)
            right = front * a.rgamma() * (acb(0, 1) * pi * b).exp() * hypu(g.b, g.a, g.w, s)
            for _ in range(g.m):
                terms = multiply_terms(terms, {fmpq(0): left, g.w: right})
        return terms

    def table(self, c: arb) -> dict:
        key = c.str(20)
        if key not in self.tables:
            height = max(self.base_height, (abs(c) * 1.5).mid(), key=float)
            self.tables[key] = {"c": c, "height": height, "left": [], "right": []}
            self.tables[key]["segment"] = self.segment(c, height)
        return self.tables[key]

    def segment(self, c: arb, height: arb) -> list[tuple[acb, acb]]:
        nodes, start = [], arb(0)
        length, cap = abs(c), arb(20) / arb(self.width)
        if abs(c) * self.narrowest > 170:  # only the nearest end contributes
            cap = max(cap, abs(c) / 8, key=float)
        while start < height:
            size = length if length < cap else cap
            if start + size > height:
                size = height - start
            for root, weight in legendre(self.order, self.bits):
                s = acb(c, start + size * (1 + root) / 2).mid()
                nodes.append((s, self.transform(s) * (weight * size / 2) * acb(0, 1)))
            start = start + size
            start = start.mid()
            length = 2 * length
        return nodes

    def ray(self, table: dict, side: str, last: float) -> Iterable[tuple[arb, acb, arb, dict]]:
        """Nodes r = exp(v - exp(-v)) / width along the ray, lazily extended."""
        nodes = table[side]
        sign = 1 if side == "right" else -1
        first = fmpq(-5)
        while not nodes or to_float(first + self.step * (len(nodes) - 1)) < last:
            v = arb(first + self.step * len(nodes))
            r = ((v - (-v).exp()).exp() / arb(self.width)).mid()
            jacobian = r * (1 + (-v).exp()) * arb(self.step)
            s = acb(table["c"] + sign * r, table["height"]).mid()
            nodes.append((r, s, jacobian * sign, self.ends(s)))
        return nodes

    def __call__(self, y: arb | fmpq) -> Values:
        with precision(self.bits):
            yf = float(arb(y).mid())
            c = quantised_tilt(self.groups, yf, self.sd)
            if self.variant:
                c *= arb(1.125)
            return self.at(y, c)

    def at(self, y: arb | fmpq, c: arb) -> Values:
        table, ball = self.table(c), arb(y)
        tail, density, singular = acb(0), acb(0), False
        for s, value in table["segment"]:
            term = (s * ball).exp() * value
            density += term
            tail += term / s
        for k, alpha in self.alpha.items():
            gap = arb(y - k) if isinstance(y, fmpq) else ball - arb(k)
            side = "left" if gap > 0 else "right"
            distance = abs(gap).mid()
            decay = 110.0 / to_float(alpha) if distance == 0 else math.inf
            if distance == 0 and alpha <= 1:
                singular = True
            span = 130.0 * to_float(self.width) / float(distance) if distance != 0 else math.inf
            last = min(math.log(span) + 0.3 if span < math.inf else math.inf, decay)
            last = max(last, -3.0)
            for j, (r, s, jacobian, terms) in enumerate(self.ray(table, side, last)):
                if to_float(fmpq(-5) + self.step * j) > last:
                    break
                term = (s * gap).exp() * terms[k] * jacobian
                density += term
                tail += term / s
        pdf = None if singular else density.imag / arb.pi()
        value = tail.imag / arb.pi()
        return (value, 1 - value, pdf) if c > 0 else (1 + value, -value, pdf)


# --------------------------------------------------------------------------
# Trapezoidal rule on the saddlepoint line
# --------------------------------------------------------------------------


def logit_mode(g: Group, c: float) -> float:
    """Where ``theta^a (1 - theta)^b exp(-c w theta)`` peaks."""
    a, s, cw = to_float(g.a), to_float(g.a + g.b), c * to_float(g.w)
    return 2 * a / (s + cw + math.sqrt((s + cw) ** 2 - 4 * cw * a))


class Logit:
    """``E exp(-s w theta)`` for a concentrated class, s = c + i h k in turn."""

    def __init__(self, g: Group, c: arb, h: arb, fine: int) -> None:
        a, b, w = arb(g.a), arb(g.b), arb(g.w)
        af, bf, cw = to_float(g.a), to_float(g.b), float((c * w).mid())
        t = logit_mode(g, float(c.mid()))
        v = math.log(t / (1 - t)) if t < 0.5 else -math.log(logit_mode(Group(g.b, g.a, g.w, 1), -float(c.mid())) / t)
        scale = 1 / math.sqrt(t * (1 - t) * (af + bf + cw * (1 - 2 * t)))
        step = arb((0.12, 0.1)[fine] * scale)
        constant = log_beta_constant(a, b)
        self.power, self.factor = [], []
        self.offset = arb(math.floor((1 / (1 + math.exp(-v))) * 2**40) / 2**40)
        self.w, self.h, self.c = w, h, c
        for direction in (1, -1):
            k = 0 if direction == 1 else 1
            peak = None
            while True:
                u = arb(v) + direction * k * step
                t = 1 / (1 + (-u).exp())
                logs = -(a * (1 + (-u).exp()).log()) - b * (1 + u.exp()).log() + constant
                logs -= c * w * (t - self.offset)
                size = float(logs.mid())
                if peak is None or size > peak:
                    peak = size
                if size < peak - 160 and k > 3:
                    break
                self.power.append(acb(step * logs.exp()))
                self.factor.append((acb(0, -1) * h * w * (t - self.offset)).exp())
                k += 1
        self.index = 0

    def next(self) -> acb:
        """Value at s = c + i h k for k = 0, 1, 2, ..."""
        total = acb(0)
        for p in self.power:
            total += p
        self.power = [p * f for p, f in zip(self.power, self.factor)]
        s = acb(self.c, self.h * self.index)
        self.index += 1
        return total * (-s * self.w * self.offset).exp()


class Series:
    def __init__(self, g: Group, c: arb, h: arb) -> None:
        self.g, self.c, self.h, self.index = g, c, h, 0

    def next(self) -> acb:
        s = acb(self.c, self.h * self.index).mid()
        self.index += 1
        return hyp1f1(self.g, s)


class Line:
    """Trapezoidal rule on Re s = c, for transforms that decay fast."""

    def __init__(self, law: Law, variant: int = 0, bits: int = 320, logit_from: float = 0.0) -> None:
        self.law, self.groups, self.sd, self.variant, self.bits = law, law.groups, law.sd, variant, bits
        self.logit_from = logit_from or (15.0, 30.0)[variant]
        self.tables: dict[str, list] = {}

    def tilt(self, y: arb | fmpq) -> arb:
        target = float(arb(y).mid())
        sign = 1.0 if target < to_float(self.law.mean_above_lower) else -1.0

        def ahead(c: float) -> bool:
            mean = sum(g.m * to_float(g.w) * logit_mode(g, sign * c) for g in self.groups)
            return sign * (mean - target) > 0

        low, high = 0.0, 1.0 / self.sd
        while ahead(high) and high * self.sd < 1e9:
            low, high = high, 2 * high
        for _ in range(12):
            middle = (low + high) / 2
            low, high = (middle, high) if ahead(middle) else (low, middle)
        c = sign * high
        level = max(0, round(4 * math.log2(max(abs(c) * self.sd, 1e-9))))
        shift = 2 ** (level / 4) * (1.0 if not self.variant else 1.06)
        return arb(math.copysign(shift / self.sd, c if c else 1.0))

    def logit(self, g: Group) -> bool:
        return min(g.a, g.b) >= rational(self.logit_from)

    def table(self, c: arb) -> list[tuple[acb, acb]]:
        key = c.str(20)
        if key in self.tables:
            return self.tables[key]
        cf = float(c.mid())
        parts = [(g.m, *tilted_class(g, cf)) for g in self.groups]
        chernoff = sum(m * (log_m + cf * y) for m, y, log_m in parts)
        h = arb(2 * math.pi * abs(cf) / (1.1 * abs(chernoff) + (125, 150)[self.variant]))
        factories = [
            Logit(g, c, h, self.variant) if self.logit(g) else Series(g, c, h) for g in self.groups
        ]
        # exp(s * mean) is folded in, so that the numbers stay near one
        mean, nodes, first, k = arb(self.law.mean_above_lower), [], None, 0
        while True:
            s = acb(c, h * k).mid()
            value = h * (s * mean).exp()
            for g, f in zip(self.groups, factories):
                value *= f.next() ** g.m
            nodes.append((s, value if k else value / 2))
            size = abs(value).mid()
            first = size if first is None else first
            if size < first * arb(10) ** -48 or k > 20000:
                break
            k += 1
        if k > 20000:
            raise ArithmeticError("line: transform decays too slowly")
        self.tables[key] = nodes
        return nodes

    def __call__(self, y: arb | fmpq) -> Values:
        with precision(self.bits):
            c = self.tilt(y)
            mean = self.law.mean_above_lower
            d = arb(y - mean) if isinstance(y, fmpq) else y - arb(mean)
            tail, density = arb(0), arb(0)
            for s, value in self.table(c):
                term = (s * d).exp() * value
                density += term.real
                tail += (term / s).real
            tail /= arb.pi()
            pdf = density / arb.pi()
            return (tail, 1 - tail, pdf) if c > 0 else (1 + tail, -tail, pdf)


# --------------------------------------------------------------------------
# Real space
# --------------------------------------------------------------------------


class RealSpace:
    """The most concentrated class integrated against the law of the others."""

    def __init__(self, law: Law, variant: int = 0, bits: int = 640) -> None:
        groups = sorted(law.groups, key=lambda g: float(to_float(g.w**2 * g.variance)))
        outer = groups[0]
        self.g, self.bits, self.width = outer, bits, law.width
        rest = list(groups[1:])
        if outer.m > 1:
            rest.insert(0, Group(outer.a, outer.b, outer.w, outer.m - 1))
        self.inner = Closed(rest) if len(rest) == 1 and rest[0].m == 1 else Piecewise(rest)
        self.breaks = {fmpq(0)}
        for g in rest:
            for _ in range(g.m):
                self.breaks |= {k + g.w for k in self.breaks}
        self.step = (fmpq(1, 18), fmpq(1, 23))[variant]
        self.ratio = (4.0, 3.0)[variant]
        with precision(bits):
            self.constant = log_beta_constant(arb(outer.a), arb(outer.b))

    def log_density(self, t: arb, u: arb) -> arb:
        """Log density at theta = t = 1 - u."""
        value = self.constant
        if self.g.a != 1:
            value = value + (arb(self.g.a) - 1) * t.log()
        if self.g.b != 1:
            value = value + (arb(self.g.b) - 1) * u.log()
        return value

    def log_integrand(self, y: arb, t: float | arb, which: int) -> float:
        t = arb(t)
        value = self.inner((y - arb(self.g.w) * t).mid())[which]
        if not value > 0 or not 0 < t < 1:
            return -math.inf
        return float((self.log_density(t, 1 - t) + value.log()).mid())

    def panels(self, y: arb, which: int) -> list[arb]:
        """Kinks, and a geometric grading around the peak of the integrand."""
        w = arb(self.g.w)
        kinks = [(y - arb(k)) / w for k in self.breaks]
        cuts = [arb(0)] + sorted((k.mid() for k in kinks if 0 < k < 1), key=float) + [arb(1)]
        best, where = -math.inf, arb(0.5)
        mean, sd = arb(self.g.mean), arb(self.g.variance).sqrt()
        grid = [mean + sd * z / 4 for z in range(-160, 161)]
        for low, high in zip(cuts, cuts[1:]):
            grid += [low + (high - low) * arb(2) ** -j for j in range(1, 60)]
            grid += [high - (high - low) * arb(2) ** -j for j in range(1, 60)]
        grid = sorted((t.mid() for t in grid if 0 < t < 1), key=float)
        with precision(160):
            sizes = [self.log_integrand(y, t, which) for t in grid]
            index = max(range(len(grid)), key=sizes.__getitem__)
            low, high = grid[max(index - 1, 0)], grid[min(index + 1, len(grid) - 1)]
            for _ in range(40):  # golden section between the neighbours
                p, q = low + (high - low) * arb(0.382), low + (high - low) * arb(0.618)
                if self.log_integrand(y, p, which) > self.log_integrand(y, q, which):
                    high = q.mid()
                else:
                    low = p.mid()
            where = ((low + high) / 2).mid()
            best = self.log_integrand(y, where, which)
            points = list(cuts)
            for side, end in ((1, arb(1)), (-1, arb(0))):
                span = abs(end - where)
                reach = arb(1e-14) * span
                while reach < span and self.log_integrand(y, where + side * reach, which) > best - 1:
                    reach *= 2
                points.append(where)
                while reach < span:
                    points.append((where + side * reach).mid())
                    if self.log_integrand(y, where + side * reach, which) < best - 160:
                        break
                    reach *= arb(self.ratio)
        return prune(cuts, points)

    def integral(self, y: arb, which: int) -> arb:
        if which == 3:
            raise ValueError
        w, total = arb(self.g.w), arb(0)
        points = self.panels(y, which)
        nodes = tanh_sinh(self.step, self.bits, 130)
        for low, high in zip(points, points[1:]):
            size = high - low
            for k, (offset, weight) in enumerate(nodes):
                for base, sign in ((low, 1), (high, -1)) if k else ((low, 1),):
                    t = base + sign * offset * size
                    u = 1 - t
                    if not (t > 0 and u > 0):
                        continue
                    log_f = self.log_density(t, u)
                    value = self.inner((y - w * t).mid())[which]
                    if value is None or value == 0:
                        continue
                    total += weight * size * log_f.exp() * value
        return total

    def __call__(self, y: arb | fmpq, with_pdf: bool = True) -> Values:
        with precision(self.bits):
            y = arb(y)
            which = 0 if self.smaller_is_lower(y) else 1
            tail = self.integral(y, which)
            pdf = self.integral(y, 2) if with_pdf else None
            return (tail, 1 - tail, pdf) if which == 0 else (1 - tail, tail, pdf)

    def smaller_is_lower(self, y: arb) -> bool:
        with precision(160):
            value = self.inner((y - arb(self.g.w * self.g.mean)).mid())[0]
            return bool(value < 0.5)


def binary_value(x: arb) -> fmpq:
    """The exact value of the midpoint of a ball."""
    mantissa, exponent = x.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def prune(cuts: Sequence[arb], points: Iterable[arb]) -> list[arb]:
    """Sorted panel ends without those that sit too close to a kink."""
    kinks = set(map(binary_value, cuts))
    unique = {binary_value(p): p.mid() for p in points}
    ordered = sorted(unique.values(), key=binary_value)
    changed = True
    while changed:
        changed = False
        for i in range(1, len(ordered) - 1):
            p, left, right = ordered[i], ordered[i] - ordered[i - 1], ordered[i + 1] - ordered[i]
            near_left = binary_value(ordered[i - 1]) in kinks and left < right / 8
            near_right = binary_value(ordered[i + 1]) in kinks and right < left / 8
            if binary_value(p) not in kinks and (near_left or near_right):
                del ordered[i]
                changed = True
                break
    return ordered


# --------------------------------------------------------------------------
# One law
# --------------------------------------------------------------------------


def choose(law: Law) -> str:
    if law.method != "auto":
        return law.method
    if law.classes == 1:
        return "closed"
    degree = sum((g.m * (g.a + g.b) for g in law.groups), fmpq(0))
    if all(g.is_integer for g in law.groups) and degree <= 2500 and law.classes <= 12:
        return "piecewise"
    decay = sum((g.m * min(g.a, g.b) for g in law.groups), fmpq(0))
    return "line" if decay >= 60 else "contour"


def evaluator(law: Law, method: str, variant: int = 0):
    if method == "closed":
        return Closed(law.groups)
    if method == "piecewise":
        return Piecewise(law.groups)
    return {"contour": Contour, "line": Line, "real": RealSpace}[method](law, variant)


def chernoff_point(law: Law, log_tail: float, sign: int) -> float | None:
    """Distance above the lower end where the Chernoff bound is ``log_tail``."""
    with precision(500):
        low, high = 0.0, 1.0 / law.sd

        def bound(c: float) -> tuple[float, float]:
            parts = [tilted_class(g, sign * c) for g in law.groups]
            y = sum(g.m * part[0] for g, part in zip(law.groups, parts))
            log_m = sum(g.m * part[1] for g, part in zip(law.groups, parts))
            return log_m + sign * c * y, y

        while bound(high)[0] > log_tail:
            low, high = high, 2 * high
            if not high * law.sd < 1e12:
                return None
        for _ in range(12):
            middle = (low + high) / 2
            low, high = (middle, high) if bound(middle)[0] > log_tail else (low, middle)
        return bound(high)[1]


def abscissas(law: Law) -> list[float]:
    """Centre, tails, neighbourhoods of breakpoints and of both ends."""
    lower, width = to_float(law.lower), to_float(law.width)
    mean = to_float(law.mean_above_lower)
    chosen = list(law.x)
    chosen += [float(f"{lower + mean + z * law.sd:.9g}") for z in (-2.5, -1, 0, 0.5, 2)]
    for sign in (1, -1):
        for target in (-44, -113, -228, -664, -1500):
            y = chernoff_point(law, target, sign)
            smallest = 1e-60 if law.lower == 0 else 1e-9
            if y is not None and smallest * width < y < width * (1 - 1e-9):
                chosen.append(float(f"{lower + y:.12g}"))
    breaks = {fmpq(0)}
    if law.classes <= 6:
        for g in law.groups:
            for _ in range(g.m):
                breaks |= {k + g.w for k in breaks}
        inside = sorted(k for k in breaks if 0 < k < law.width)
        for k in inside[:1] + inside[-1:]:
            chosen += [lower + to_float(k), lower + to_float(k) + 1e-5 * width]
    if max(to_float(g.a + g.b) for g in law.groups) < 1000 and law.classes <= 12:
        chosen += [lower + 1e-4 * width, lower + width * (1 - 1e-6)]
    top = law.lower + law.width
    chosen = sorted({x for x in chosen if law.lower < rational(x) < top})
    if choose(law) == "line":
        chosen = [x for x in chosen if abs(x - lower - mean) < 60 * law.sd]
    return chosen


def call(f, y: arb | fmpq) -> Values:
    if isinstance(f, Closed) and isinstance(y, fmpq):
        with precision(4096):
            return f(arb(y))
    return f(y)


def quantile(law: Law, f, p: float) -> tuple[arb, arb] | None:
    """Distances of the quantile from the lower and the upper end."""
    exact = rational(p)
    is_lower = p <= 0.5
    with precision(420):
        width, target = arb(law.width), arb(exact if is_lower else 1 - exact)
        mean, sd = to_float(law.mean_above_lower), law.sd
        start = chernoff_point(law, math.log(float(target.mid())), 1 if is_lower else -1) if abs(p - 0.5) > 0.4 else mean
        if start is None:
            start = mean + (-1 if is_lower else 1) * sd
        y = arb(start)
        from_low = is_lower
        gap = y if from_low else width - y
        for step in range(60):
            if float(gap.mid()) < 1e-250 * float(width.mid()):
                return None
            here = gap if from_low else width - gap
            cdf, ccdf, pdf = call(f, here.mid())
            if not cdf > 0 or not ccdf > 0:
                return None
            g = (cdf if is_lower else ccdf).log() - target.log()
            if pdf is None and abs(float(g.mid())) < 1e-25:
                break  # the quantile is a point of infinite density
            if pdf is None or not pdf > 0:
                return None
            slope = gap * pdf / (cdf if is_lower else ccdf)
            move = -(g / slope).mid()
            # keep inside the support and damp
            move = max(min(move, arb(2), key=float), arb(-2), key=float)
            new = (gap * move.exp()).mid()
            if new >= width:
                new = ((gap + width) / 2).mid()
            gap = new
            if abs(float(move)) < 1e-18:
                break
        else:
            return None
        return (gap, width - gap) if from_low else (width - gap, gap)


def compute(law: Law) -> dict:
    """The JSON entry of one law."""
    method = choose(law)
    f, digits = evaluator(law, method), float(DIGITS_SHOWN)
    points, raw = [], []
    for x in abscissas(law):
        try:
            cdf, ccdf, pdf = call(f, rational(x) - law.lower)
        except ArithmeticError as error:
            print(f"    {law.name}: x = {x!r} dropped ({error})")
            continue
        if not (is_sharp(cdf, ccdf) and cdf > 0 and ccdf > 0):
            print(f"    {law.name}: x = {x!r} dropped (not sharp)")
            continue
        raw.append((x, cdf, ccdf, pdf))
    if method in ("contour", "line", "real"):
        digits, raw = recheck(law, method, raw, digits)
    for x, cdf, ccdf, pdf in raw:
        with precision(300):
            log_cdf = cdf.log() if cdf < 0.5 else (-ccdf).log1p()
            log_ccdf = ccdf.log() if ccdf < 0.5 else (-cdf).log1p()
        entry = {"x": x, "cdf": show(cdf), "ccdf": show(ccdf), "log_cdf": show(log_cdf), "log_ccdf": show(log_ccdf)}
        entry["pdf"] = None if pdf is None or not is_sharp(pdf) else show(pdf)
        points.append(entry)
    quantiles = []
    for p in law.quantiles:
        try:
            gaps = quantile(law, f, p)
        except ArithmeticError:
            gaps = None
        if gaps is None:
            print(f"    {law.name}: quantile {p!r} skipped")
            continue
        with precision(420):
            x = arb(law.lower) + gaps[0]
        quantiles.append({"p": p, "x": show(x), "lower_gap": show(gaps[0]), "upper_gap": show(gaps[1])})
    return {
        "name": law.name,
        "regime": law.regime,
        "a": list(law.a),
        "b": list(law.b),
        "weights": None if law.weights is None else list(law.weights),
        "method": METHODS[method],
        "digits": math.floor(digits),
        **moments(law),
        "points": points,
        "quantiles": quantiles,
    }


def recheck(law: Law, method: str, raw: list, digits: float) -> tuple[float, list]:
    """Second run on other nodes; points that differ by 20 digits are dropped."""
    g, kept = evaluator(law, method, 1), []
    for x, *values in raw:
        try:
            other = call(g, rational(x) - law.lower)
        except ArithmeticError as error:
            print(f"    {law.name}: x = {x!r} dropped ({error})")
            continue
        found = min(agreement(u, v) for u, v in zip(values[:2], other[:2]))
        if values[2] is not None:
            if other[2] is None or agreement(values[2], other[2]) < 20:
                values[2] = None
            else:
                found = min(found, agreement(values[2], other[2]))
        if found < 20:
            print(f"    {law.name}: x = {x!r} dropped ({found:.1f} digits)")
            continue
        digits = min(digits, found)
        kept.append((x, *values))
    return digits, kept


# --------------------------------------------------------------------------
# The grid of laws
# --------------------------------------------------------------------------


def counts(name: str, regime: str, k: Sequence[float], n: Sequence[float], prior: float = 1.0, **kw) -> Law:
    """A law from ``k`` successes of ``n`` under a symmetric prior."""
    a = [float(i) + prior for i in k]
    b = [float(j - i) + prior for i, j in zip(k, n)]
    return Law(name, regime, a, b, **kw)


C1, C2, C3, CN = (30, 8, 3), (30, 2, 1), (32, 9, 4), (32, 10, 4)
THIRD = 1 / 3


def integer_laws() -> list[Law]:
    laws = []
    for label, k in (("c1", C1), ("c2", C2), ("c3", C3)):
        laws.append(counts(f"carrillo_{label}", "integer", k, CN))
        laws.append(counts(f"carrillo_{label}_x10", "integer", [10 * i for i in k], [10 * i for i in CN]))
    laws += [
        counts("one_ordinary", "one class", [17], [20]),
        counts("one_perfect", "one class", [40], [40]),
        counts("one_empty", "one class", [0], [0]),
        counts("one_jeffreys_perfect", "one class", [12], [12], 0.5),
        counts("one_jeffreys_zero", "one class", [0], [30], 0.5),
        counts("one_tiny_prior", "one class", [3], [5], 0.01),
        counts("one_large", "one class", [9e5], [1e6]),
        counts("two_ordinary", "integer", [45, 30], [50, 40]),
        counts("two_200", "integer", [180, 120], [200, 200]),
        counts("two_perfect_1", "integer perfect", [1, 1], [1, 1]),
        counts("two_perfect_10_100", "integer perfect", [10, 100], [10, 100]),
        counts("two_empty", "integer empty", [0, 0], [0, 0]),
        counts("two_zero_perfect", "integer perfect", [0, 25], [20, 25]),
        counts("two_empty_ordinary", "integer empty", [0, 60], [0, 80]),
        counts("bench_a", "integer", [20, 15, 8], [25, 30, 10]),
        counts("bench_b", "integer", [22, 18, 7], [25, 30, 10]),
        counts("three_perfect_5", "integer perfect", [5, 5, 5], [5, 5, 5]),
        counts("three_perfect_mixed", "integer perfect", [1, 20, 100], [1, 20, 100]),
        counts("three_empty", "integer empty", [0, 0, 0], [0, 0, 0]),
        counts("three_perfect_empty_ordinary", "integer mixed", [30, 0, 70], [30, 0, 100]),
        counts("three_all_wrong", "integer perfect", [0, 0, 0], [10, 30, 50]),
        counts("three_tiny", "integer tiny", [1, 0, 2], [2, 1, 2]),
        counts("three_200", "integer", [150, 190, 100], [200, 200, 200]),
        counts("four_ordinary", "integer", [40, 25, 9, 4], [50, 30, 15, 5]),
        counts("four_perfect", "integer perfect", [3, 10, 30, 90], [3, 10, 30, 90]),
        counts("four_empty", "integer empty", [0] * 4, [0] * 4),
        counts("four_mixed", "integer mixed", [0, 12, 35, 1], [0, 12, 60, 2]),
        counts("five_ordinary", "integer", [10, 20, 30, 40, 50], [20, 25, 50, 44, 99]),
        counts("five_perfect_mixed", "integer mixed", [7, 7, 60, 0, 80], [7, 7, 80, 9, 80]),
        counts("six_tiny", "integer tiny", [1, 1, 0, 2, 1, 3], [1, 2, 1, 2, 3, 3]),
        counts("seven_ordinary", "integer", [5, 10, 15, 30, 60, 80, 90], [8, 15, 15, 50, 70, 100, 120]),
        counts("eight_ordinary", "integer", [60, 80, 90, 33, 45, 21, 9, 100], [90, 99, 100, 50, 50, 30, 10, 150]),
        counts("eight_empty", "integer empty", [0] * 8, [0] * 8),
        counts("eight_perfect", "integer perfect", [50] * 8, [50] * 8),
        counts("twelve_tiny", "integer tiny", [1, 2, 0] * 4, [2, 2, 1] * 4),
    ]
    return laws


def weighted_laws() -> list[Law]:
    w = (0.5, 0.3, 0.2)
    extreme = (0.999998, 1e-6, 1e-6)
    difference = (THIRD,) * 3 + (-THIRD,) * 3
    return [
        counts("weights_532", "weights", C1, CN, weights=w),
        counts("weights_532_perfect", "weights", CN, CN, weights=w),
        counts("weights_532_empty", "weights", [0, 0, 0], [0, 0, 0], weights=w),
        counts("weights_extreme", "weights", [20, 15, 8], [25, 30, 10], weights=extreme),
        counts("weights_extreme_perfect", "weights", [9, 4, 0], [9, 4, 0], weights=extreme),
        counts("weights_extreme_tight", "weights", [3, 1, 1], [3, 2, 2], weights=(1e-6, 1e-6, 0.999998)),
        counts("weights_with_zero", "weights", [30, 8, 3], [32, 10, 4], weights=(0.75, 0.0, 0.25)),
        counts("weights_not_normalised", "weights", [12, 7], [20, 9], weights=(3.0, 1.5)),
        counts("weights_tiny_scale", "weights", [12, 7], [20, 9], weights=(1e-9, 3e-9)),
        counts("signed_c1_c2", "signed", C1 + C2, CN + CN, weights=difference),
        counts("signed_c1_c3", "signed", C1 + C3, CN + CN, weights=difference),
        counts("signed_two", "signed", [18, 15], [20, 20], weights=(1.0, -1.0)),
        counts("signed_two_perfect", "signed", [20, 20], [20, 20], weights=(1.0, -1.0)),
        counts("signed_empty", "signed", [0, 0], [0, 0], weights=(0.5, -0.5)),
        counts("signed_all_negative", "signed", [18, 3], [20, 9], weights=(-0.25, -0.75)),
        counts("signed_jeffreys", "signed jeffreys", [18, 3], [20, 3], 0.5, weights=(1.0, -1.0)),
        counts("signed_jeffreys_four", "signed jeffreys", [18, 3, 15, 2], [20, 3, 20, 3], 0.5, weights=(0.5, 0.5, -0.5, -0.5)),
        counts("weights_532_jeffreys", "weights jeffreys", C1, CN, 0.5, weights=w),
        counts("weights_532_jeffreys_perfect", "weights jeffreys", CN, CN, 0.5, weights=w),
    ]


def fractional_laws() -> list[Law]:
    laws = []
    for prior, label in ((0.5, "jeffreys"), (THIRD, "third")):
        laws += [
            counts(f"{label}_two_ordinary", f"{label} l=2", [45, 30], [50, 40], prior),
            counts(f"{label}_two_perfect", f"{label} l=2", [10, 25], [10, 25], prior, x=(0.5,)),
            counts(f"{label}_two_perfect_single", f"{label} l=2", [1, 1], [1, 1], prior),
            counts(f"{label}_two_empty", f"{label} l=2", [0, 0], [0, 0], prior, x=(0.5,)),
            counts(f"{label}_two_zero_perfect", f"{label} l=2", [0, 9], [12, 9], prior),
            counts(f"{label}_two_perfect_100", f"{label} l=2", [100, 3], [100, 3], prior),
            counts(f"{label}_c1", f"{label} l=3", C1, CN, prior),
            counts(f"{label}_c2", f"{label} l=3", C2, CN, prior),
            counts(f"{label}_c3", f"{label} l=3", C3, CN, prior),
            counts(f"{label}_three_perfect", f"{label} l=3", CN, CN, prior),
            counts(f"{label}_three_empty", f"{label} l=3", [0, 0, 0], [0, 0, 0], prior),
            counts(f"{label}_three_mixed", f"{label} l=3", [30, 0, 14], [30, 0, 20], prior),
            counts(f"{label}_four_ordinary", f"{label} l=4", [20, 25, 9, 4], [30, 30, 15, 5], prior),
            counts(f"{label}_four_perfect", f"{label} l=4", [3, 10, 30, 1], [3, 10, 30, 1], prior),
        ]
    laws += [
        counts("jeffreys_bench_a", "jeffreys l=3", [20, 15, 8], [25, 30, 10], 0.5),
        counts("jeffreys_c3_x10", "jeffreys l=3", [10 * i for i in C3], [10 * i for i in CN], 0.5),
        counts("jeffreys_six_perfect", "jeffreys l=6", [4, 8, 4, 2, 8, 1], [4, 8, 4, 2, 8, 1], 0.5),
        counts("jeffreys_ten_perfect", "jeffreys l=10", [5] * 10, [5] * 10, 0.5),
        Law("noninteger_two", "other l=2", [2.7, 0.8], [1.3, 6.1]),
        Law("noninteger_three", "other l=3", [12.25, 0.75, 5.5], [3.125, 1.6, 0.55]),
        Law("noninteger_four", "other l=4", [12.25, 0.75, 5.5, 1.1], [3.125, 1.6, 0.55, 1.1]),
        counts("tenth_two", "small prior", [5, 8], [6, 9], 0.1),
        counts("tenth_two_perfect", "small prior", [5, 8], [5, 8], 0.1, x=(0.5,)),
        counts("tenth_three", "small prior", C1, CN, 0.1),
        counts("tenth_three_perfect", "small prior", CN, CN, 0.1),
        counts("hundredth_two", "small prior", [5, 8], [6, 9], 0.01),
        counts("hundredth_two_perfect", "small prior", [5, 8], [5, 8], 0.01),
        counts("hundredth_three", "small prior", C1, CN, 0.01),
        counts("hundredth_three_perfect", "small prior", CN, CN, 0.01),
    ]
    return laws


def scale_laws() -> list[Law]:
    real = {"method": "real"}
    big = {"method": "line"}
    return [
        counts("scale_1e6_beside_2", "scale", [9e5, 1], [1e6, 2], **real),
        counts("scale_1e6_beside_2_perfect", "scale", [9e5, 2], [1e6, 2], **real),
        counts("scale_1e7_beside_empty", "scale", [6e6, 0], [1e7, 0], **real),
        counts("scale_1e6_perfect_beside_empty", "scale", [1e6, 0], [1e6, 0], **real),
        counts("scale_1e6_perfect_beside_2", "scale", [1e6, 2], [1e6, 2], **real),
        counts("scale_1e6_zero_beside_3", "scale", [0, 2], [1e6, 3], **real),
        counts("scale_1e4_beside_40", "scale", [7e3, 33], [1e4, 40], **real),
        counts("scale_jeffreys_1e6_beside_2", "scale jeffreys", [9e5, 1], [1e6, 2], 0.5, **real),
        counts("scale_jeffreys_1e6_perfect_beside_empty", "scale jeffreys", [1e6, 0], [1e6, 0], 0.5, **real),
        counts("scale_jeffreys_1e7_beside_empty", "scale jeffreys", [6e6, 0], [1e7, 0], 0.5, **real),
        counts("scale_three_1e6_2_5", "scale", [9e5, 1, 4], [1e6, 2, 5], **real),
        counts("scale_three_1e6_empty_empty", "scale", [5e5, 0, 0], [1e6, 0, 0], **real),
        counts("scale_three_1e6_perfect_empty_3", "scale", [1e6, 0, 3], [1e6, 0, 3], **real),
        counts("scale_three_1e7_30_2", "scale", [4e6, 25, 2], [1e7, 30, 2], **real),
        counts("scale_1e9_both", "large", [9e8, 4e8], [1e9, 1e9], **big),
        counts("scale_1e9_extreme", "large", [1e9 - 1e3, 5e3], [1e9, 1e9], **big),
        counts("scale_1e9_1e6", "large", [9e8, 4e5], [1e9, 1e6], **big),
        counts("scale_1e9_three_jeffreys", "large", [9e8, 4e8, 2e8], [1e9, 1e9, 1e9], 0.5, **big),
        counts("scale_1e9_1e3_1e5", "large", [9e8, 600, 2e4], [1e9, 1000, 1e5], **big),
        counts("large_1e4_three", "large", [9e3, 8e3, 3e3], [1e4, 1e4, 5e3], **big),
        counts("large_jeffreys_1e3_two", "large", [700, 800], [1000, 900], 0.5, **big),
        counts("large_signed_1e6", "large", [9e5, 8.99e5], [1e6, 1e6], weights=(1.0, -1.0), **big),
    ]


def many_laws() -> list[Law]:
    laws, line = [], {"method": "line"}
    sizes = (10, 15, 25, 40, 60, 100, 150, 300, 1000, 10000)
    shares = (0.9, 0.8, 0.6, 0.75, 0.5, 0.95, 0.7, 0.88, 0.99, 0.97)
    kinds = [(round(n * p), n) for n, p in zip(sizes, shares)]
    for l in (10, 50, 200, 1000):
        k, n = zip(*(kinds[i % 10] for i in range(l)))
        laws.append(counts(f"many_{l}", "many", k, n, **line))
        laws.append(counts(f"many_{l}_jeffreys", "many", k, n, 0.5, **line))
    for l, n in ((50, 10), (200, 3), (1000, 10), (1000, 1)):
        laws.append(counts(f"many_{l}_perfect_{n}", "many perfect", [n] * l, [n] * l, **line))
    laws.append(counts("many_1000_empty", "many", [0] * 1000, [0] * 1000, **line))
    k, n = [round(0.8 * 10)] * 195 + [8000] * 5, [10] * 195 + [10000] * 5
    laws.append(counts("many_200_two_sizes", "many", k, n, **line))
    w = [0.5 / (i % 5 + 1) for i in range(50)]
    laws.append(counts("many_50_weights", "many", [8] * 50, [10] * 50, weights=w, **line))
    laws.append(counts("many_100_signed", "many", [8] * 50 + [7] * 50, [10] * 100, weights=[0.02] * 50 + [-0.02] * 50, **line))
    return laws


def all_laws() -> list[Law]:
    return integer_laws() + weighted_laws() + many_laws() + scale_laws() + fractional_laws()


# --------------------------------------------------------------------------
# Cross-checks and command line
# --------------------------------------------------------------------------


def write(entries: dict[str, dict], order: Sequence[str]) -> None:
    chosen = [entries[name] for name in order if name in entries]
    lines = ",\n".join(json.dumps(e) for e in chosen)
    temporary = OUTPUT.with_suffix(".tmp")
    temporary.write_text("[\n" + lines + "\n]\n")
    temporary.replace(OUTPUT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare the methods, write nothing")
    parser.add_argument("--only", default="", help="laws whose name or regime contains this")
    options = parser.parse_args()
    laws = all_laws()
    names = [law.name for law in laws]
    assert len(set(names)) == len(names)
    chosen = [law for law in laws if options.only in law.name or options.only in law.regime]
    if options.check:
        check(chosen)
        return
    entries = {}
    if OUTPUT.exists():
        entries = {e["name"]: e for e in json.loads(OUTPUT.read_text())}
    begin = time.time()
    for law in chosen:
        start = time.time()
        try:
            entry = entries[law.name] = compute(law)
        except ArithmeticError as error:
            print(f"{law.name}: FAILED, {error}", flush=True)
            continue
        print(
            f"{law.name}: {choose(law)}, {len(entry['points'])} points, {len(entry['quantiles'])} quantiles, "
            f"{entry['digits']} digits, {time.time() - start:.1f} s",
            flush=True,
        )
        write(entries, names)
    print(f"total {time.time() - begin:.0f} s, {len(entries)} laws")


def check(laws: Sequence[Law]) -> None:
    """Print the agreement of every applicable method with the chosen one."""
    for law in laws:
        method = choose(law)
        if law.classes > 60:
            continue
        first = evaluator(law, method)
        xs = abscissas(law)
        ys = [rational(x) - law.lower for x in xs[:: max(1, len(xs) // 5)]]
        base = [call(first, y) for y in ys]
        for other in others(law, method):
            try:
                second = evaluator(law, other)
                worst = math.inf
                for y, u in zip(ys, base):
                    v = call(second, y)
                    pairs = [(p, q) for p, q in zip(u, v) if p is not None and q is not None]
                    worst = min([worst, *(agreement(p, q) for p, q in pairs)])
                print(f"{law.name}: {method} and {other} agree to {worst:.1f} digits", flush=True)
            except ArithmeticError as error:
                print(f"{law.name}: {other} does not apply ({error})", flush=True)


def others(law: Law, method: str) -> list[str]:
    """Further methods that can afford the law."""
    found = []
    size = max(to_float(g.a + g.b) for g in law.groups)
    integer = all(g.is_integer for g in law.groups)
    smallest = min(min(to_float(g.a), to_float(g.b)) for g in law.groups)
    ratio = max(to_float(g.w) for g in law.groups) / min(to_float(g.w) for g in law.groups)
    if integer and size <= 2500 and law.classes <= 8:
        found.append("piecewise")
    if size <= 150 and 2 <= law.classes <= 10 and ratio < 100:
        found.append("contour")
    if smallest >= 10 and law.classes <= 60:
        found.append("line")
    if 2 <= law.classes and smallest > 0.3 and (law.classes == 2 or (integer and law.classes <= 4 and size < 1e8)):
        found.append("real")
    return [f for f in found if f != method]


if __name__ == "__main__":
    main()
