"""``M(z) = E exp(z D)``: Taylor series, the three expansions, and loop integrals."""

import math
from functools import cache

from flint import acb, arb, arb_poly, ctx, fmpq

from generators.balls import to_float
from generators.paired.distributions import Group, loop_saddle


def binomial_product(p: arb, j: arb, q: arb, k: arb, size: int) -> list[arb]:
    """Taylor coefficients of ``(1 + j t)^-p (1 + k t)^-q``."""
    before, now, found = arb(0), arb(1), []
    first, second, one = j * p + k * q, j * k * (p + q), j + k
    for i in range(size):
        found.append(now)
        after = -(first + one * i) * now - (second + j * k * (i - 1)) * before
        before, now = now, after / (i + 1)
    return found


class Taylor:
    """``M`` as ``sum_k c_k z^k / (n)_k``; ``c_k`` are those of ``(1 - z)^-b (1 + z)^-a``."""

    def __init__(self, g: Group) -> None:
        self.g = g
        self.polynomial = cache(self.find_polynomial)

    def __call__(self, z: acb) -> acb:
        wanted, size = ctx.prec, abs(z).mid()
        level = max(0, math.ceil(2 * math.log2(max(to_float(size), 1.0) / 8)))
        part = min(1.0, 3 * to_float((self.g.a + self.g.b) / self.g.n))
        bits = wanted + 40 + round(1.5 * part * to_float(size))
        while True:
            with ctx.workprec(bits):
                polynomial, rest = self.polynomial(level, math.ceil(bits / 256) * 256)
                value = polynomial(z) + acb(arb(0, rest), arb(0, rest))
            if value.rel_accuracy_bits() > wanted - 60:
                return value
            if bits > 40 * wanted + 10 * to_float(size):
                raise ArithmeticError("Taylor series: no accuracy")
            bits *= 2

    def find_polynomial(self, level: int, bits: int) -> tuple[arb_poly, arb]:
        """The sum for ``|z| <= 8 * 2^(level / 2)``, and a bound of the rest."""
        g, radius = self.g, 8 * 2 ** (level / 2)
        with ctx.workprec(bits + 32):
            b, a, n = arb(g.b), arb(g.a), arb(g.n)
            coefficients, before, now = [], arb(0), arb(1)
            front, bound, goal = arb(1), arb(1), arb(2) ** -bits
            ratio, k = arb(1), 0
            # |c_k| <= (a + b)_k / k!, and once a bound is half the one before, so is the next.
            while not (ratio < 0.5 and bound < goal):
                coefficients.append(now * front)
                before, now = now, ((b - a) * now + (k - 1 + a + b) * before) / (k + 1)
                ratio = (a + b + k) / (k + 1) * arb(radius) / (n + k)
                front /= n + k
                bound = (bound * ratio).mid()
                k += 1
            return arb_poly(coefficients), 2 * bound


class Ends:
    """``M(z) = e^z B(z) + C(z) + e^-z A(z)`` off the real line, by expansions for large ``z``.

    Each is ``Gamma(n)`` times a loop integral around one of the three branch points, whose
    expansion is Watson's lemma; it is cut where the terms are least, or negligible.
    """

    def __init__(self, g: Group) -> None:
        self.g = g
        b, a, r = arb(g.b), arb(g.a), arb(g.r)
        self.gamma = (a + b + r).gamma()
        self.size = 400
        half, one = arb(1) / 2, arb(1)
        self.series = {
            "B": terms(b, binomial_product(a, half, r, one, self.size)),
            "C": terms(r, binomial_product(b, -one, a, one, self.size)),
            "A": terms(a, binomial_product(b, half, r, one, self.size)),
        }
        self.logs = {
            key: list(map(log_size, found)) for key, found in self.series.items()
        }
        self.cut = cache(self.find_cut)

    def __call__(self, z: acb) -> dict[int, acb]:
        """The three functions, keyed by the sign of ``z`` in the exponential."""
        b, a, r = arb(self.g.b), arb(self.g.a), arb(self.g.r)
        upper = (2 * z) ** acb(-a) * z ** acb(-r) * self.sum("B", z)
        middle = (-z) ** acb(-b) * z ** acb(-a) * self.sum("C", z)
        lower = (-2 * z) ** acb(-b) * (-z) ** acb(-r) * self.sum("A", -z)
        return {1: self.gamma * upper, 0: self.gamma * middle, -1: self.gamma * lower}

    def transform(self, z: acb) -> acb:
        found = self(z)
        return found[1] * z.exp() + found[0] + found[-1] * (-z).exp()

    def sum(self, key: str, z: acb) -> acb:
        level = math.floor(8 * math.log2(to_float(abs(z).mid())))
        return self.cut(key, level)(1 / z)

    def find_cut(self, key: str, level: int) -> arb_poly:
        """The polynomial in ``1 / z`` for ``|z|`` just above ``2^(level / 8)``."""
        step = -level / 8 * math.log(2)
        sizes = [log + k * step for k, log in enumerate(self.logs[key])]
        # The larger of two terms in a row, as every other may vanish.
        pairs = [max(pair) for pair in zip(sizes[1:], sizes[:-1], strict=True)]
        least = min(range(len(pairs)), key=pairs.__getitem__)
        top = max(sizes[: least + 1])
        cut = (k for k in range(least) if pairs[k] < top - 0.75 * ctx.prec)
        return arb_poly(self.series[key][: next(cut, least) + 1])


def terms(power: arb, coefficients: list[arb]) -> list[arb]:
    """Coefficients over ``Gamma(power - k)``, from the loop integral of ``q^(k - power) e^q``."""
    found, front = [], power.rgamma()
    for k, coefficient in enumerate(coefficients):
        found.append(coefficient * front)
        front *= power - k - 1
    return found


def log_size(x: arb) -> float:
    mid = abs(x).mid()
    return to_float(mid.log()) if mid > 0 else -math.inf


class MiddleLoop:
    """The loop around 0 alone, for ``r`` in the thousands beside small ``a`` and ``b``.

    The trapezoidal rule on the vertical line through ``p = n``, as far as ``e^p p^-n`` counts.
    """

    def __init__(self, g: Group, variant: int = 0) -> None:
        self.g = g
        n = to_float(g.n)
        step, reach = ((0.4, 15.0), (0.35, 16.0))[variant]
        step, count = arb(step * math.sqrt(n)), math.ceil(reach / step)
        r, gamma = arb(g.r), arb(g.n).lgamma()
        self.nodes = []
        for k in range(-count, count + 1):
            p = acb(arb(round(n)), step * k).mid()
            self.nodes.append(
                (p, (p - r * p.log() + gamma).exp() * step / (2 * arb.pi()))
            )

    def __call__(self, z: acb) -> dict[int, acb]:
        b, a = acb(self.g.b), acb(self.g.a)
        # Phases are those of the points around p = 0, on the same side of either branch point.
        front = (-z) ** -b * z**-a
        return {
            0: front * sum((v * self.ratio(p / z, b, a) for p, v in self.nodes), acb(0))
        }

    @staticmethod
    def ratio(t: acb, b: acb, a: acb) -> acb:
        return (1 - t) ** -b * (1 + t) ** -a


class FullLoop:
    """The loop around all three, ``n`` not small: ``M(z)`` at ``z = c + i y`` for one ``c``.

    The trapezoidal rule on the vertical line through the saddlepoint for ``c``.
    """

    def __init__(self, g: Group, c: float, variant: int = 0) -> None:
        self.g, self.c = g, c
        minus, plus, p = loop_saddle(g, c)
        b, a, r = to_float(g.b), to_float(g.a), to_float(g.r)
        curvature = b / minus**2 + a / plus**2 + r / p**2
        # The saddlepoint for c + i y is that much higher for each unit of y.
        self.lean = (b / minus**2 - a / plus**2) / curvature
        share = (1.0, 0.87)[variant]
        self.step = arb(share * min(0.4 / math.sqrt(curvature), min(minus, plus) / 18))
        self.p, self.log_gamma = p, arb(g.n).lgamma()
        self.parts = (acb(g.b), acb(g.a), acb(g.r))

    def __call__(self, z: acb) -> acb:
        first = round(self.lean * to_float(z.imag) / to_float(self.step))
        total, top = acb(0), arb(0)
        for direction, k in ((1, first), (-1, first - 1)):
            while True:
                value = self.term(k, z)
                total += value
                size = abs(value).mid()
                top = max(top, size)
                if size < top * arb(10) ** -60:
                    break
                k += direction
        return total * self.step / (2 * arb.pi())

    def term(self, k: int, z: acb) -> acb:
        p, (b, a, r) = acb(arb(self.p), self.step * k), self.parts
        exponent = p - b * (p - z).log() - a * (p + z).log() - r * p.log()
        return (exponent + self.log_gamma).exp()


def has_large_agreement(g: Group) -> bool:
    return g.n > 2000 and g.a + g.b < g.n / 100


def wide_height(g: Group, variant: int) -> float:
    """``|z|`` from which the expansions, or the loop around 0, are sharp."""
    n = to_float(g.n)
    if has_large_agreement(g):
        return (20 + 2 * variant) * math.sqrt(n)
    return 64.0 + 12 * variant + 2 * n


def share(w: fmpq, s: acb) -> acb:
    """``z = -s w``."""
    return -s * arb(w)
