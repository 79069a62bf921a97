"""Exact piecewise polynomials for integer cells."""

from collections.abc import Sequence
from functools import cache

from flint import fmpq, fmpq_poly, fmpz

from generators import exact
from generators.distributions import total
from generators.paired.distributions import Group


class Pieces(exact.Piecewise):
    """Piecewise polynomial cdf and pdf with exact rational coefficients."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self.width = 2 * total(g.w * g.m for g in groups)
        terms = sorted(transform_terms(groups).items())
        self.pieces = [(k, exact.inverted(poly)) for k, poly in terms]
        self.rounded = cache(self.round)


def transform_terms(groups: Sequence[Group]) -> dict[fmpq, fmpq_poly]:
    """Polynomials ``C_k(1 / s)`` of the Laplace transform ``sum_k exp(-s k) C_k(1 / s)``."""
    terms = {fmpq(0): fmpq_poly([1])}
    for g in groups:
        ends = laplace_ends(g)
        for _ in range(g.m):
            terms = exact.multiply_terms(terms, ends)
    return terms


def laplace_ends(g: Group) -> dict[fmpq, fmpq_poly]:
    """``E exp(-s w (1 + D))``: the residues at the three poles, for ``z = -s w``."""
    b, a, r = int(g.b.p), int(g.a.p), int(g.r.p)
    return {
        fmpq(0): residue(g, a, {-2: b, -1: r}),
        g.w: residue(g, r, {-1: b, 1: a}),
        2 * g.w: residue(g, b, {2: a, 1: r}),
    }


def residue(g: Group, order: int, others: dict[int, int]) -> fmpq_poly:
    """``Gamma(n)`` times the residue at ``q = 0`` of ``e^q q^-order prod (q + j z)^-power``.

    A polynomial in ``1 / s``: each ``(q + j z)^-power`` is ``(j z)^-power`` times a series in
    ``q / (j z)``.
    """
    n = int(g.n.p)
    series, front = fmpq_poly([1]), fmpq(fmpz.fac_ui(n - 1))
    for j, power in others.items():
        front /= fmpq(j) ** power
        factor = fmpq_poly(
            [fmpz.bin_uiui(power + i - 1, i) * fmpq(-1, j) ** i for i in range(order)]
        )
        series = fmpq_poly((series * factor).coeffs()[:order])
    found = [fmpq(0)] * n
    for i, coefficient in enumerate(series.coeffs()):
        power = n - order + i
        found[power] = (
            front * coefficient / fmpz.fac_ui(order - 1 - i) / (-g.w) ** power
        )
    return fmpq_poly(found)
