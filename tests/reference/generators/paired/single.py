"""One class: ``D = S (2 U - 1)``, an integral over ``U`` for each quantity."""

import math
from collections.abc import Callable

from flint import arb, ctx, fmpq

from generators.balls import Values, agreement, log_beta_constant, to_float
from generators.exact import incomplete_beta
from generators.paired.distributions import Group

BITS = 256
SEARCH_BITS = 160
DROP = 120  # in logs, where an integrand is cut
WANTED = 27  # digits to which a sum and the one with half the step agree
MAX_NODES = 6000


class Single:
    """One class; variant 1 has another scale of the variable of integration."""

    def __init__(self, group: Group, variant: int = 0) -> None:
        self.group, self.stretch = group, (1.0, 1.37)[variant]

    def __call__(self, y: arb | fmpq) -> Values:
        with ctx.workprec(BITS):
            d = (
                arb(y / self.group.w - 1)
                if isinstance(y, fmpq)
                else y / arb(self.group.w) - 1
            )
            if d < 0:
                cdf, ccdf, pdf = Half(self.group.mirrored, -d, self.stretch).values()
                return Values(ccdf, cdf, pdf)
            return Half(self.group, d, self.stretch).values()

    def density(self, d: arb) -> arb:
        """The density of ``D`` alone, at one ball."""
        with ctx.workprec(BITS):
            group = self.group if d > 0 else self.group.mirrored
            return Half(group, abs(d), self.stretch).density()


class Half:
    """The distribution of ``D`` at a point ``d >= 0``; ``u = (1 + d) / 2 + theta (1 - d) / 2``."""

    def __init__(self, group: Group, d: arb, stretch: float) -> None:
        self.b, self.a, self.r = arb(group.b), arb(group.a), arb(group.r)
        self.w, self.d, self.stretch = arb(group.w), d, stretch
        self.is_singular = group.a + group.b <= 1
        self.constant_u = log_beta_constant(self.b, self.a)
        self.constant_s = log_beta_constant(self.a + self.b, self.r)

    def values(self) -> Values:
        half = (1 + self.d) / 2
        below = incomplete_beta(self.b, self.a, half)
        if self.d == 0:
            pdf = None if self.is_singular else self.density_at_zero() / self.w
            return Values(below, incomplete_beta(self.a, self.b, half), pdf)
        cdf = below + self.integral(self.lower)
        ccdf = self.integral(self.upper)
        if agreement(cdf + ccdf, arb(1)) < WANTED - 2:
            raise ArithmeticError("single: the tails do not add up to one")
        return Values(cdf, ccdf, self.density() / self.w)

    def density(self) -> arb:
        return self.integral(self.density_factor)

    def density_at_zero(self) -> arb:
        """``E[f_S(0+) / |2 U - 1|]`` in the form of the integral over ``P_A = P_B``."""
        power = self.a + self.b - 1
        log_density = (self.a + self.b + self.r).lgamma() + power.lgamma()
        log_density -= self.a.lgamma() + self.b.lgamma() + (power + self.r).lgamma()
        return log_density.exp() * arb(2) ** -power

    def lower(self, theta: arb, spare: arb, gap: arb) -> arb:
        return incomplete_beta(self.a + self.b, self.r, self.d / gap)

    def upper(self, theta: arb, spare: arb, gap: arb) -> arb:
        return incomplete_beta(self.r, self.a + self.b, (1 - self.d) * theta / gap)

    def density_factor(self, theta: arb, spare: arb, gap: arb) -> arb:
        log_density = (self.a + self.b - 1) * (self.d / gap).log() + self.constant_s
        return (
            log_density + (self.r - 1) * ((1 - self.d) * theta / gap).log()
        ).exp() / gap

    def integral(self, factor: Callable[[arb, arb, arb], arb]) -> arb:
        room = (1 - self.d) / 2

        def integrand(v: arb) -> arb:
            """As a function of the logit of ``theta``; ``spare = 1 - theta``."""
            theta, spare = 1 / (1 + (-v).exp()), 1 / (1 + v.exp())
            gap = self.d + (1 - self.d) * theta
            log_density = self.constant_u + (self.b - 1) * ((1 + gap) / 2).log()
            log_density += (self.a - 1) * (spare * room).log()
            return log_density.exp() * room * theta * spare * factor(theta, spare, gap)

        return peaked_integral(integrand, self.stretch)


def peaked_integral(integrand: Callable[[arb], arb], stretch: float) -> arb:
    """Integral over the real line of a positive function with one peak.

    The trapezoidal rule in ``t``, for ``v = peak + scale sinh(t)``, with half the step until the
    sum stays the same.
    """
    peak, scale = peak_and_scale(integrand)
    scale *= stretch

    def term(t: fmpq) -> arb:
        t = arb(t)
        return (
            integrand((arb(peak) + arb(scale) * t.sinh()).mid()) * arb(scale) * t.cosh()
        )

    step = fmpq(1, 4)
    last, total = reach(term, step)
    while (last[1] - last[0]) / to_float(step) < MAX_NODES:
        step /= 2
        odd = range(
            2 * round(last[0] / to_float(2 * step)) + 1,
            2 * round(last[1] / to_float(2 * step)),
            2,
        )
        middle = sum((term(step * k) for k in odd), arb(0))
        before, total = total * 2 * step, total + middle
        if agreement(before, total * step) > WANTED:
            return total * step
    raise ArithmeticError("single: the quadrature does not converge")


def reach(term: Callable[[fmpq], arb], step: fmpq) -> tuple[tuple[float, float], arb]:
    """Ends of the nodes that count, and the sum of their terms."""
    total = term(fmpq(0))
    top, ends = log_of(total), []
    for direction in (-1, 1):
        k = 0
        while True:
            k += direction
            value = term(step * k)
            total += value
            height = log_of(value)
            top = max(top, height)
            if height < top - DROP:
                break
        ends.append(to_float(step * k))
    return (ends[0], ends[1]), total


def peak_and_scale(integrand: Callable[[arb], arb]) -> tuple[float, float]:
    """Where the integrand peaks, and how far from there it has fallen by a factor of e."""

    def log_f(v: float) -> float:
        return log_of(integrand(arb(v)))

    with ctx.workprec(SEARCH_BITS):
        grid = [math.sinh(k / 6) for k in range(-36, 37)]
        heights = [log_f(v) for v in grid]
        best = heights.index(max(heights))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
        for _ in range(45):
            p, q = low + (high - low) * 0.382, low + (high - low) * 0.618
            low, high = (p, high) if log_f(p) < log_f(q) else (low, q)
        peak = (low + high) / 2
        top, widths = log_f(peak), []
        for sign in (-1, 1):
            size = 1e-12
            while log_f(peak + sign * size) > top - 1:
                size *= 1.5
            widths.append(size)
    return peak, min(widths)


def log_of(value: arb) -> float:
    mid = value.mid()
    return to_float(mid.log()) if mid > 0 else -math.inf
