"""Power series of the distribution beside the ends of its support."""

from collections.abc import Sequence

from flint import arb, arb_poly, ctx, fmpq

from generators.balls import Values, log_beta_constant
from generators.distributions import Distribution, Group, total


class Corner:
    """Any parameters and many classes, up to the first breakpoint; variant 1 has more terms.

    Of a class, ``theta^(a - 1) (1 - theta)^(b - 1)`` is ``theta^(a - 1)`` times a power series, so
    that its transform is formally ``s^-a`` times one in ``1 / s``. So is the product over the
    classes, and its inverse, term by term, is the distribution up to the smallest weight, where
    the first class may reach the other end of its support. The series converges like the powers
    of the distance over that weight.
    """

    def __init__(self, distribution: Distribution, variant: int = 0) -> None:
        self.terms, self.bits = (1000, 1250)[variant], (3000, 3500)[variant]
        self.width = distribution.width
        self.reach = fmpq(9, 10) * min(g.w for g in distribution.groups)
        mirrored = [g.mirrored for g in distribution.groups]
        with ctx.workprec(self.bits):
            self.lower = End(distribution.groups, self.terms)
            self.upper = End(mirrored, self.terms)

    def __call__(self, y: arb | fmpq) -> Values:
        with ctx.workprec(self.bits):
            is_lower = bool(arb(y) < arb(self.width / 2))
            distance = arb(y) if is_lower else arb(self.width) - arb(y)
            if not 0 < distance < arb(self.reach):
                raise ArithmeticError("beyond the first breakpoint")
            end = self.lower if is_lower else self.upper
            return Values.from_tail(*end(distance), is_lower=is_lower)


class End:
    """Tail and density at a distance above the lower end."""

    def __init__(self, groups: Sequence[Group], terms: int) -> None:
        self.power = total(g.m * g.a for g in groups)
        product, log_front = arb_poly([1]), arb(0)
        for g in groups:
            log_front += g.m * (
                log_beta_constant(arb(g.a), arb(g.b)) + arb(g.a).lgamma()
            )
            log_front -= g.m * arb(g.a) * arb(g.w).log()
            product = truncated(
                product * truncated_power(end_series(g, terms), g.m, terms), terms
            )
        self.front = (log_front - arb(self.power).lgamma()).exp()
        self.density, self.tail, rising = [], [], arb(1)
        for k, coefficient in enumerate(product.coeffs()):
            self.density.append(coefficient / rising)
            rising *= arb(self.power) + k
            self.tail.append(coefficient / rising)
        self.density, self.tail = arb_poly(self.density), arb_poly(self.tail)

    def __call__(self, y: arb) -> tuple[arb, arb]:
        front = self.front * (arb(self.power) * y.log()).exp()
        return front * self.tail(y), front * self.density(y) / y


def end_series(g: Group, terms: int) -> arb_poly:
    """Coefficients of ``1 / s`` in the transform over that of ``(w theta)^(a - 1)`` alone."""
    coefficients, value = [], arb(1)
    for k in range(terms):
        coefficients.append(value)
        value *= arb((k + 1 - g.b) * (k + g.a) / ((k + 1) * g.w))
    return arb_poly(coefficients)


def truncated(series: arb_poly, terms: int) -> arb_poly:
    return arb_poly(series.coeffs()[:terms])


def truncated_power(series: arb_poly, m: int, terms: int) -> arb_poly:
    """The power by repeated squaring."""
    result = arb_poly([1])
    while m:
        if m % 2:
            result = truncated(result * series, terms)
        series, m = truncated(series * series, terms), m // 2
    return result
