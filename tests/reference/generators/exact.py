"""Distributions without discretisation error: one class, and integer parameters."""

from collections.abc import Sequence
from functools import cache

from flint import arb, arb_poly, ctx, fmpq, fmpq_poly, fmpz

from generators.balls import (
    ABOVE_SUPPORT,
    BELOW_SUPPORT,
    Values,
    difference,
    is_sharp,
    log_beta_constant,
)
from generators.distributions import Group, total


class Closed:
    """One Beta class."""

    def __init__(self, group: Group) -> None:
        self.group = group

    def __call__(self, y: arb | fmpq) -> Values:
        w, bits = self.group.w, 256
        while True:
            with ctx.workprec(bits):
                values = self.at_share(
                    arb(y / w) if isinstance(y, fmpq) else y / arb(w)
                )
            if is_sharp(*values) or bits > 20_000:
                return values
            bits *= 2

    def at_share(self, t: arb) -> Values:
        if t <= 0:
            return BELOW_SUPPORT
        if t >= 1:
            return ABOVE_SUPPORT
        a, b, w = arb(self.group.a), arb(self.group.b), arb(self.group.w)
        log_pdf = log_beta_constant(a, b) + (a - 1) * t.log() + (b - 1) * (1 - t).log()
        tails = incomplete_beta(a, b, t), incomplete_beta(b, a, 1 - t)
        return Values(*tails, log_pdf.exp() / w)


def incomplete_beta(a: arb, b: arb, t: arb) -> arb:
    """Regularised incomplete beta function, by the series that suits ``t``."""
    if a == 1:
        return -((b * (-t).log1p()).expm1())
    if b == 1:
        return (a * t.log()).exp()
    front = (log_beta_constant(a, b) + a * t.log() + b * (1 - t).log()).exp()
    if t < (a + 1) / (a + b + 2):
        return front / a * arb.hypgeom_2f1(t, a + b, 1, a + 1)
    return 1 - front / b * arb.hypgeom_2f1(1 - t, a + b, 1, b + 1)


class Piecewise:
    """Piecewise polynomial cdf and pdf with exact rational coefficients."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self.width = total(g.w * g.m for g in groups)
        terms = sorted(transform_terms(groups).items())
        self.pieces = [(k, inverted(poly)) for k, poly in terms]
        self.rounded = cache(self.round)

    def __call__(self, y: arb | fmpq) -> Values:
        if y <= 0:
            return BELOW_SUPPORT
        if y >= self.width:
            return ABOVE_SUPPORT
        bits = 512
        while bits <= 400_000:
            with ctx.workprec(bits):
                values = self.at(y)
            if is_sharp(*values):
                return values
            bits *= 2
        raise ArithmeticError("piecewise polynomial: no convergence")

    def at(self, y: arb | fmpq) -> Values:
        cdf, pdf = arb(0), arb(0)
        for k, cdf_piece, pdf_piece in self.rounded(ctx.prec):
            if y > k:
                z = difference(y, k)
                cdf += cdf_piece(z)
                pdf += pdf_piece(z)
        return Values.from_tail(cdf, pdf, is_lower=True)

    def round(self, bits: int) -> list[tuple[fmpq, arb_poly, arb_poly]]:
        with ctx.workprec(bits):
            return [(k, arb_poly(f), arb_poly(f.derivative())) for k, f in self.pieces]


def transform_terms(groups: Sequence[Group]) -> dict[fmpq, fmpq_poly]:
    """Polynomials ``C_k(1 / s)`` of the Laplace transform ``sum_k exp(-s k) C_k(1 / s)``."""
    terms = {fmpq(0): fmpq_poly([1])}
    for g in groups:
        lower, upper = laplace_ends(g)
        for _ in range(g.m):
            terms = multiply_terms(terms, {fmpq(0): lower, g.w: upper})
    return terms


def laplace_ends(g: Group) -> tuple[fmpq_poly, fmpq_poly]:
    """``P`` and ``Q`` of ``E exp(-s w theta) = P(1 / s) + exp(-s w) Q(1 / s)``."""
    a, b = int(g.a.p), int(g.b.p)
    constant = fmpq(fmpz.fac_ui(a + b - 1), fmpz.fac_ui(a - 1) * fmpz.fac_ui(b - 1))

    def end(power: int, other: int, sign: int) -> fmpq_poly:
        found = [fmpq(0)] * (a + b)
        for j in range(other):
            derivative = fmpz.bin_uiui(other - 1, j) * fmpz.fac_ui(power + j - 1)
            found[power + j] = sign**j * constant * derivative / g.w ** (power + j)
        return fmpq_poly(found)

    return end(a, b, -1), (-1) ** b * end(b, a, 1)


def multiply_terms(u: dict, v: dict) -> dict:
    """Product of two sums ``sum_k exp(-s k) C_k``, keyed by ``k``."""
    product: dict = {}
    for k, p in u.items():
        for m, q in v.items():
            product[k + m] = product[k + m] + p * q if k + m in product else p * q
    return product


def inverted(poly: fmpq_poly) -> fmpq_poly:
    """The function whose Laplace transform is ``poly(1 / s) / s``."""
    return fmpq_poly([c / fmpz.fac_ui(j) for j, c in enumerate(poly.coeffs())])
