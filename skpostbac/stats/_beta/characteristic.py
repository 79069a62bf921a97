r"""Fourier series of weighted sums of Betas: coefficients, corners, and how many orders.

**Single Betas** need no series: they have closed forms by the incomplete Beta function. Places are
distances from the mean, seen from that end of the support which is nearer to it.

**Coefficients.** Characteristic functions at multiples of a height are computed by quadrature on a
rotated path in the complex plane of log-odds. With the log-odds d, measured from those of p, the
weighted exponential of a Beta is the integral of

    exp(n (p d - log(q + p e^d)) + i t w (theta - p)),    theta - p = p q (e^d - 1) / (q + p e^d),

over the real line, but for a constant. It is analytic for |Im d| < pi. On the path d + i alpha with
w > 0 the wave decays like exp(-t w Im theta), so that the trapezoid rule needs hardly more nodes
for a large height t than for a small one; for w < 0 the path is d - i alpha.
The rotation costs digits, as the modulus of the weights at d = 0 grows to cos(alpha)^(-n p q): the
angle keeps this below exp(1.5).

The rule has an error of exp(-DIGITS) if the spacing of its nodes is 2 pi / B, with the bandwidth B
the least of (DIGITS + G(s)) / s over shifts s of the path, G being the log growth of the integrand
on paths shifted up or down by s (Trefethen and Weideman, SIAM Review 56, 2014). It is that of a
Gamma variable of shape n p q:

    G = -n p q log min(cos(alpha + s), cos(alpha - s) + min(0, rho sin(alpha - s))),

with rho = T |w| / n at the height T. Nodes end where the weights are below exp(-DIGITS). Where that
is far away, beside an end with a small exponent, nodes spread out exponentially,
d = v + u_0 (1 - e^-v) + u_1 (e^v - 1).

With the nodes x_j of a variable and z_j = exp(i h w x_j), the wave of order k = r c + f is
(z_j^r)^c z_j^f: r fine powers and as many coarse ones, and one sum over the nodes for each pair,
the entries of a product of two matrices.

**Corners.** At a large height t the transform of w theta, theta ~ Beta(a, b), is that of its two
ends: with the Pochhammer symbol (a)_j,

    E[exp(i t w theta)] ~ V(a, b; -i t w) + exp(i t w) V(b, a; i t w),
    V(a, b; z) = Gamma(a + b) / Gamma(b) z^-a sum_j (a)_j (1 - b)_j / j! z^-j

(NIST Digital Library of Mathematical Functions, 13.7.2). From |z| = 3 (a + b) + 40 on, the first
terms give an end to 1e-15 of itself. The transform of a sum is a product, and so a sum over all
choices of an end for each variable, the corners. Nearly all variables are at their nearer ends, as
the farther one has the larger exponent. Of variables with the same weight only the number k at
their farther ends decides where the corner is: it has the coefficient of z^k in
prod_i (near_i + z far_i).

A variable so narrow that its ends come apart only beyond the last order counts in the rest of the
series by the points of a Gauss rule. This holds far from the corners, if the coefficients go over
to it smoothly.

**Orders** of a series end where the transform vanishes, or where the ends of all variables are
resolved and the rest is summed in closed form, whichever comes first. Sums with the same number of
orders are computed together. The number is rounded up to two steps for each power of two; computing
sums together changes only the last digits.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, gammaln, xlogy

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._beta.betas import Betas, central_moments, ranges
from skpostbac.stats._fourier import (
    CHEAP,
    ORDER,
    PERIOD,
    Centred,
    Corners,
    Evaluator,
    Rule,
    Series,
    fade,
    gauss_points,
    orders,
    vanishing_heights,
)
from skpostbac.stats._numerics import powers, stacked_products, waves


@dataclass(frozen=True)
class SingleBetas(Centred):
    """Multiples of one Beta each, reflected so that a <= b; arrays of shape (m,).

    Attributes
    ----------
    a, b : parameters of the share of the support.
    weight : length of the support, negative if the share begins at its upper end.
    """

    a: Floats
    b: Floats
    weight: Floats
    # Tails have relative accuracy as long as nothing underflows.
    least: float = field(default=1e-300, kw_only=True)

    @classmethod
    def of(cls, a: Floats, b: Floats, weight: Floats) -> "SingleBetas":
        """Return multiples of Betas with any parameters."""
        weight, a, b = np.where(a > b, -weight, weight), np.minimum(a, b), np.maximum(a, b)
        n, size, is_up = a + b, np.abs(weight), weight > 0
        near, far = size * (a / n), size * (b / n)
        ends = []
        for e, o in ((a, b), (b, a)):
            ends.append(np.where(e < 1, np.inf, np.where(e == 1, o / size, 0.0)))
        return cls(
            *(a, b, weight),
            low=np.where(is_up, -near, -far),
            high=np.where(is_up, far, near),
            deviation=size * np.sqrt(a * b / (n + 1)) / n,
            end_densities=np.where(is_up, ends, ends[::-1]),
            has_one_peak=bool((a >= 1).all()),
        )

    def chosen(self, rows: Bools, **own: Any) -> Self:
        return super().chosen(rows, a=self.a[rows], b=self.b[rows], weight=self.weight[rows], **own)

    def evaluator(self, n_derivatives: int) -> Evaluator:
        a, b, weight = (x[:, np.newaxis] for x in (self.a, self.b, self.weight))

        def evaluate(y: Floats) -> Floats:
            x = np.clip(a / (a + b) + y / weight, 0.0, 1.0)
            rest = 1 - x
            excess = np.where(weight > 0, betainc(a, b, x), betaincc(a, b, x)) - 0.5
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                density = np.exp(xlogy(a - 1, x) + xlogy(b - 1, rest) - betaln(a, b))
                rate = (a - 1) / x - (b - 1) / rest
                turn = rate**2 - (a - 1) / x**2 - (b - 1) / rest**2
                slopes = [density / np.abs(weight), rate / weight, turn / weight**2]
                values = [excess, slopes[0], slopes[0] * slopes[1], slopes[0] * slopes[2]]
            return np.stack(values[: n_derivatives + 1])

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        del y
        a, b, weight = (x[:, np.newaxis] for x in (self.a, self.b, self.weight))
        is_up, size = weight > 0, np.abs(weight)
        ends = np.where(is_up, [to_low, to_high], [to_high, to_low])
        x, rest = np.clip(ends, 0.0, size) / size
        is_near = x <= 0.5
        near = np.where(is_near, betainc(a, b, x), betaincc(b, a, rest))
        far = np.where(is_near, betaincc(a, b, x), betainc(b, a, rest))
        with np.errstate(divide="ignore", over="ignore"):
            log_density = xlogy(a - 1, x) + xlogy(b - 1, rest) - betaln(a, b)
            density = np.exp(log_density) / size
        return np.stack([np.where(is_up, near, far), np.where(is_up, far, near), density])

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        is_up, size = self.weight > 0, np.abs(self.weight)[:, np.newaxis]
        first, last = np.where(is_up, [self.a, self.b], [self.b, self.a])[..., np.newaxis]
        return size * _share(first, last, p, q), size * _share(last, first, q, p)


def _share(a: Floats, b: Floats, p: Floats, q: Floats) -> Floats:
    """Return the quantile of Beta(a, b) for p = 1 - q."""
    share = np.where(p <= q, betaincinv(a, b, p), betainccinv(a, b, q))
    # Where an inverse underflows, x^a / (a B(a, b)) is the probability below x.
    with np.errstate(divide="ignore", over="ignore"):
        tiny = np.exp((np.log(p) + np.log(a) + betaln(a, b)) / a)
    return np.asarray(np.where(np.isnan(share), np.where(p <= q, tiny, 1.0), share))


# Weights below exp(-DIGITS) = 1.7e-15 are left out, and so is the error of the rule.
DIGITS = 34.0
# Shifts at which the bandwidth is looked for, as shares of the farthest one worth a look; the last
# one is replaced.
_SHIFTS = np.array([0.1, 0.2, 0.32, 0.46, 0.62, 0.8, 0.95, 1.0])
# Beyond this the odds would overflow, and theta is 0 or 1.
_LARGEST_LOG_ODDS = 300.0
_SIDES = np.array([-1.0, 1.0])[:, np.newaxis, np.newaxis]
# Complex numbers in a block: about a megabyte, which stays near the processor.
_BLOCK = 2**16
# Log of the size of corners at the first order that are left out.
_LEAST = -39.0


def window(
    p: Floats, q: Floats, n: Floats, curvature: Floats, digits: float, n_steps: int
) -> Floats:
    """Distances in log-odds, below and above, beyond which weights are negligible, (2, ...).

    The roots of n (log(q + p e^d) - p d) = digits. They are bounded from outside by the lines to
    which the left-hand side tends, by a Gamma variable at the mode, and by exponential growth on
    the side of the farther end. As the function is convex, Newton's steps stay outside.
    """
    share, level, x = np.array([p, q]), digits / n, digits / curvature
    ratio, root = np.log(share / share[::-1]), np.sqrt(2 * x)
    d = np.minimum((level - np.log(share[::-1])) / share, x + root)
    steep = np.log1p(2 * x + np.sqrt(2) * root)
    d = np.where(steep < ratio, np.minimum(d, steep), d)
    # From the nearer end it keeps its digits.
    near, sign = np.minimum(p, q), np.where(ratio < 0, -1.0, 1.0)
    for _ in range(n_steps):
        e = sign * np.minimum(d, _LARGEST_LOG_ODDS)
        rise = near * np.expm1(e)
        step = (np.log1p(rise) - near * e - level) * (1 + rise) / ((1 - near) * np.abs(rise))
        d = d - np.where(d < _LARGEST_LOG_ODDS, step, 0.0)
    return np.asarray(d)


def bandwidth(curvature: Floats, angle: Floats | float, rate: Floats, digits: float) -> Floats:
    """Bandwidths of integrands on paths: each is the least of some shifts."""
    most = np.minimum(0.5 * np.pi - angle, 4 * (np.sqrt(2 * digits / curvature) + angle))
    shift = np.multiply.outer(_SHIFTS, most)
    # The wave does not grow on paths on the same side.
    shift[-1] = 0.95 * angle
    down = np.cos(angle - shift) + np.minimum(rate * np.sin(angle - shift), 0.0)
    least = np.maximum(np.minimum(np.cos(angle + shift), down), 1e-300)
    return np.asarray(((digits - curvature * np.log(least)) / shift).min(axis=0))


def rotated(p: Floats, d: Floats, angle: Floats | float) -> tuple[Floats, ...]:
    """Return x, y and |1 + x + i y|^2 - 1 of q + p exp(d + i angle) = 1 + x + i y.

    And the real and the imaginary part of p (d + i angle) - log(1 + x + i y).
    """
    finite = np.minimum(d, _LARGEST_LOG_ODDS)
    odds_less_one, half_sine = np.expm1(finite), np.sin(0.5 * angle)
    x = p * (odds_less_one * np.cos(angle) - 2 * half_sine * half_sine)
    y = (odds_less_one + 1) * (p * np.sin(angle))
    square = x * (x + 2) + y * y
    size = p * d - 0.5 * np.log1p(square) - (d - finite)
    return x, y, square, size, p * angle - np.arctan2(y, 1 + x)


def path_of(betas: Betas, height: Floats) -> Floats:
    """Choose paths for waves up to the heights, shape (m,).

    Of each variable they are the angle of the rotation, the ends in v, below and above, how much
    the nodes spread there, and how many it needs, shape (6, m, l).
    """
    p, q, curvature = betas.p, betas.q, betas.curvature
    angle = np.minimum(np.arccos(np.exp(-1.5 / curvature)), 0.6)
    rate = height[:, np.newaxis] * betas.size / betas.n
    reach = window(p, q, betas.n, curvature, DIGITS, 1)
    # With d = e^(v - b - log(1 / lean)) the nodes spread out at b beyond where theta bends, and
    # beyond where the wave does.
    found = np.zeros((6, *p.shape))
    ends, spread, is_far = found[1:3], found[3:5], reach > 4.0
    spread[:] = np.exp(-2.0 - np.log1p(rate))
    spread[1] *= p / q
    np.minimum(reach, np.log1p(reach / spread), out=ends)
    np.copyto(ends, reach, where=~is_far)
    spread *= is_far
    found[0] = np.where(betas.weight < 0, -angle, angle)
    width = bandwidth(curvature, angle, rate, DIGITS) / (2 * np.pi)
    found[5] = np.ceil(ends.sum(axis=0) * width + 2)
    return found


def transforms(betas: Betas, path: Floats, step: Floats, n_orders: int) -> Complexes:
    """E[exp(i k h (X - mean))] for k < n_orders, shape (m, n_orders), at the steps h, (m,)."""
    known = np.array([betas.n, betas.p, betas.q, step[:, np.newaxis] * betas.weight, *path])
    known = known.reshape(len(known), -1, 1)
    n_nodes, size = known[-1, :, 0], _BLOCK / (2 * np.sqrt(n_orders))
    if n_nodes.size * n_nodes.max() <= size:
        values = _transforms(known, n_orders)
    else:
        # Blocks of variables with about the same numbers of nodes.
        values, order = np.empty((n_nodes.size, n_orders), dtype=complex), np.argsort(-n_nodes)
        start = 0
        while start < n_nodes.size:
            stop = start + max(1, int(size / n_nodes[order[start]]))
            rows = order[start:stop]
            values[rows] = _transforms(known[:, rows], n_orders)
            start = stop
    values = values.reshape(*betas.p.shape, n_orders)
    if betas.count.max() > 1:
        values **= betas.count[..., np.newaxis]
    return np.asarray(np.multiply.reduce(values, axis=1))


def _transforms(known: Floats, n_orders: int) -> Complexes:
    """Return the transforms of variables, shape (n, n_orders)."""
    n, p, q, rate, angle, below, above, spread_below, spread_above, count = known
    n_nodes = int(count.max())
    v = (above + below) * (np.arange(n_nodes) / (n_nodes - 1)) - below
    growth = np.exp(v)
    down, up = spread_below / growth, spread_above * growth
    d = v + (spread_below - down) + (up - spread_above)
    x, y, square, *log_weight = rotated(p, d, angle)
    # Angles and logs of the sizes of the weights, and of the waves of orders 1 and n_fine.
    angles, logs = np.empty((2, 3, *d.shape))
    logs[0], angles[0] = (n * part for part in log_weight)
    scale, n_fine = rate * q / (1 + square), math.isqrt(n_orders - 1) + 1
    np.multiply(scale, square - x, out=angles[1])
    np.multiply(scale, -y, out=logs[1])
    angles[2], logs[2] = n_fine * angles[1], n_fine * logs[1]
    wave = waves(angles, logs)
    weights = wave[0] * (1 + down + up)
    first = np.ones((2, *d.shape), dtype=complex)
    np.multiply(weights, 1 / weights.sum(axis=-1, keepdims=True), out=first[1])
    fine, coarse = powers(first, wave[1:], n_fine).transpose(1, 2, 0, 3)
    coarse = coarse[:, : -(-n_orders // n_fine)]
    values = stacked_products(coarse, fine.transpose(0, 2, 1))
    return values.reshape(len(values), -1)[:, :n_orders]


@dataclass(frozen=True)
class _Ends:
    """Ends of the variables of m sums at orders whose logs are given, shape (s, N).

    Attributes
    ----------
    place : of the corner of all nearer ends, shape (m, 1).
    product : product of all nearer ends, shape (m, s, N).
    moving : variables whose farther ends count, shape (j,).
    ratios : their farther ends in units of the nearer ones, shape (m, j, s, N).
    weight : of each variable, zero for narrow ones, shape (m, l).
    narrow : points that stand for the narrow variables, and their shares, shape (m, n) each.
    """

    place: Floats
    product: Complexes
    moving: Indices
    ratios: Complexes
    weight: Floats
    narrow: tuple[Floats, Floats]

    @classmethod
    def of(cls, betas: Betas, log_orders: Complexes, step: Floats, is_narrow: Bools) -> "_Ends":
        """Compute them with steps of shape (m,) and narrow variables (m, l)."""
        wide, count, weight = (betas.size > 0) & ~is_narrow, betas.count, betas.weight
        both, size = np.array([betas.near, betas.far]), betas.size
        are_wide = bool(wide.all())
        if not are_wide:
            both, size = np.where(wide, both, 1.0), np.where(wide, size, 1.0)
            weight = np.where(wide, weight, 0.0)
        log_rate = np.log(step[:, np.newaxis] * size)
        log_first = gammaln(both) - betaln(*both)
        # Logs of the sizes of both ends of each variable, and of their product, at the first order.
        log_near, log_far = log_first - both * (log_rate + log_orders[0, 0].real)
        log_size = np.where(wide, count * log_near, 0.0).sum(axis=1, keepdims=True)
        log_share = log_size + log_far - log_near + np.log(count)
        moving = np.flatnonzero((wide & (log_share > _LEAST)).any(axis=0))
        turn = -0.5j * np.pi * np.sign(weight)
        known = np.array([both, both[::-1], log_first, [log_rate + turn, log_rate - turn]])
        # All nearer ends, and those of the farther ones that count.
        known = np.concatenate([known[:, 0], known[:, 1][..., moving]], axis=2)
        near, far = np.split(_ends(known, log_orders), [size.shape[1]], axis=1)
        if not are_wide:
            near[~wide] = 1.0
            far[~wide[:, moving]] = 0.0
        # Orders may reach farther than a row needs: where the nearer ends underflow, all does.
        kept, ratios = near[:, moving], np.zeros_like(far)
        np.divide(far, kept, out=ratios, where=np.abs(kept) > 1e-290)
        near = near if count.max() == 1 else near ** _each(count)
        place = -(count * weight * betas.p).sum(axis=1, keepdims=True)
        narrow = np.zeros((len(near), 1)), np.ones((len(near), 1))
        if is_narrow.any():
            moments = central_moments(betas.near, betas.far, ORDER)
            narrow = gauss_points(moments, np.where(is_narrow, betas.weight, 0.0), count)
        return cls(place, np.multiply.reduce(near, axis=1), moving, ratios, weight, narrow)


def _each(x: Any) -> Any:
    """Spread what is known of each variable over all orders."""
    return x[..., np.newaxis, np.newaxis]


def _ends(known: Complexes, log_orders: Complexes) -> Complexes:
    """V(e, o; z) at log z = log_rate + the logs of orders, shape (m, l, s, N).

    Known are e, o, log (Gamma(e) / B(e, o)) and log_rate, shape (4, m, l).
    """
    e, o, log_first, log_rate = *known[:3].real, known[3]
    pieces = min(-(-e.size * log_orders.size // 2**15), e.shape[1])
    if pieces > 1:
        parts = np.array_split(known, pieces, axis=2)
        return np.concatenate([_ends(part, log_orders) for part in parts], axis=1)
    # Terms in powers of the first order / the others, of which as many count as at the first one.
    first, j = log_orders.real.min(), np.arange(40)[:, np.newaxis, np.newaxis]
    scale = np.exp(log_rate.real + first)
    terms = np.cumprod((e + j) * (j + 1 - o) / ((j + 1) * scale), axis=0)
    is_small = np.abs(terms).max(axis=(1, 2)) <= 1e-16
    n_terms = is_small.argmax() if is_small.any() else len(terms)
    table = np.ones((n_terms + 1, e.size), dtype=complex)
    turned_terms = terms * np.exp(-1j * (j + 1) * log_rate.imag)
    table[1:] = turned_terms[:n_terms].reshape(n_terms, e.size)
    shares = powers(1.0, np.exp(first - log_orders.ravel()), n_terms + 1)
    total = stacked_products(table.T[np.newaxis], shares[np.newaxis])
    total = total.reshape(*e.shape, *log_orders.shape)
    logs = _each(log_first - e * log_rate) - _each(e) * log_orders
    total *= waves(logs.imag, logs.real)
    return np.asarray(total)


def corners_of(betas: Betas, order: int, step: Floats, is_narrow: Bools) -> Corners:
    """Corners of sums from an order on, with steps of shape (m,), and narrow variables (m, l)."""
    exponents = np.where((betas.size > 0) & ~is_narrow, betas.count * betas.near, 0.0).sum(axis=1)
    # Rules for the same eighths are kept.
    exponent = float(exponents.min())
    rule = Rule.of(order, math.floor(8 * exponent) / 8 or exponent)
    ends = _Ends.of(betas, rule.log_orders, step, is_narrow)
    x, weights = ends.narrow
    places, values = ends.place + x, ends.product[:, np.newaxis] * _each(weights)
    moved = ends.weight[:, ends.moving]
    # Variables with the same weight in all sums, but for the sign.
    groups: dict[bytes, list[int]] = {}
    for i in range(moved.shape[1]):
        groups.setdefault(np.abs(moved[:, i]).tobytes(), []).append(i)
    for columns in groups.values():
        for side in (-1.0, 1.0):
            chosen = side * moved[:, columns] > 0
            if chosen.any():
                ratios, count = ends.ratios[:, columns], betas.count[:, ends.moving[columns]]
                if not chosen.all():
                    ratios = np.where(_each(chosen), ratios, 0)
                shift = side * np.abs(moved[:, columns[:1]])
                places, values = _moved(places, values, shift, ratios, count)
    return Corners(rule, step, places, values)


def _moved(
    places: Floats, values: Complexes, shift: Floats, ratios: Complexes, count: Floats
) -> tuple[Floats, Complexes]:
    """Multiply by prod_i (1 + z ratio_i)^count_i, where z moves a place; keep what counts.

    Shapes are (m, C), (m, C, s, N), (m, 1), (m, l, s, N) and (m, l).
    """
    largest, least = np.abs(values[..., 0, 0]).max(axis=1), math.exp(_LEAST)

    def is_small(power: Any) -> bool:
        return bool((np.abs(power[:, 0, 0]) * largest).max() < least)

    powers: list[Any] = [1.0]
    for ratio, times in zip(ratios.swapaxes(0, 1), count.T, strict=True):
        raised: list[Any] = [1.0]
        for k in range(int(times.max())):
            power = ratio if k == 0 and times.max() == 1 else ratio * _each((times - k) / (k + 1))
            raised.append(raised[-1] * power)
            if is_small(raised[-1]):
                break
        found = [0.0] * (len(powers) + len(raised) - 1)
        for i, power in enumerate(powers):
            for k, other in enumerate(raised):
                found[i + k] = found[i + k] + power * other
        powers = found
        while len(powers) > 1 and is_small(powers[-1]):
            powers.pop()
    if len(powers) == 1:
        return places, values
    places = np.concatenate([places + k * shift for k in range(len(powers))], axis=1)
    moved = [values * power[:, np.newaxis] for power in powers[1:]]
    values = np.concatenate([values, *moved], axis=1)
    size = np.abs(values[..., 0, 0]).max(axis=0)
    if size.size <= 512 and size.min() > least:
        return places, values
    # The largest corners, of those that count.
    kept = np.sort(np.argsort(-size)[:512])
    kept = kept[size[kept] > least]
    return places[:, kept], values[:, kept]


def blended(coefficients: Complexes, betas: Betas, step: Floats, is_narrow: Bools) -> Complexes:
    """Replace the later coefficients gradually, shape (m, K - 1), by those of corners.

    Those of narrow variables are approximations, and would jump at the order K.
    """
    count = coefficients.shape[1]
    start = count - min(count // 2, 2**13)
    orders = np.arange(start, count) + 1.0
    angles = step[:, np.newaxis] * orders
    # At single heights the sum of all corners is the product of sums of both ends.
    ends = _Ends.of(betas, np.log(orders + 0j)[np.newaxis], step, is_narrow)
    x, weights = ends.narrow
    others = np.einsum(
        "mc,mcn->mn", weights, np.exp(1j * angles[:, np.newaxis] * x[..., np.newaxis])
    )
    for i, moved in zip(ends.moving, ends.ratios.swapaxes(0, 1)[..., 0, :], strict=True):
        both = 1 + moved * np.exp(1j * angles * ends.weight[:, i : i + 1])
        others *= both if betas.count.max() == 1 else both ** betas.count[:, i : i + 1]
    others *= ends.product[:, 0] * np.exp(1j * angles * ends.place)
    late = coefficients[:, start:]
    return np.hstack([coefficients[:, :start], late + fade(angles.shape[1]) * (others - late)])


def centred_sums(a: Floats, b: Floats, weights: Floats) -> list[tuple[Indices, Centred]]:
    """Return distributions of sums, parameters of shape (m, l), and the rows of each."""
    kept = weights.any(axis=0)
    if not kept.all():
        a, b, weights = (x[:, kept] for x in (a, b, weights))
    # The incomplete Beta function is accurate up to such parameters.
    if a.shape[1] == 1 and a.size and (a + b).max() <= 1e6:
        return [(np.arange(len(a)), SingleBetas.of(a[:, 0], b[:, 0], weights[:, 0]))]
    found: list[tuple[Indices, Centred]] = []
    for start in range(0, len(a), 2**12):
        chunk = slice(start, start + 2**12)
        betas = Betas.reflected(a[chunk], b[chunk], weights[chunk])
        found += [(start + rows, series) for rows, series in _series(betas)]
    return found


def _series(betas: Betas) -> Iterator[tuple[Indices, Series]]:
    below, above = ranges(betas)
    step = 2 * np.pi / (PERIOD * (below + above))
    ratios = betas.variances / betas.near
    vanished = vanishing_heights(betas.count * betas.near, ratios, betas.variance)
    # Both ends of a variable are resolved from there on, which matters if the transform does not
    # vanish soon.
    resolved = np.zeros_like(betas.n)
    if (vanished > CHEAP * step).any():
        np.divide(3 * betas.n + 40, betas.size, out=resolved, where=betas.size > 0)
    count = orders(vanished / step, resolved.max(axis=1) / step, betas.p.shape[1])
    unit = np.ldexp(1.0, np.frexp(count - 1)[1] - 2)
    order = (np.ceil(count / unit) * unit).astype(np.intp)
    last = order * step
    is_narrow = resolved > last[:, np.newaxis]
    ends = _end_densities(betas, below, above)
    # A sum of variables with concave log densities, and one more with a single peak, has a single
    # peak (Ibragimov, Theory of Probability and Its Applications 1, 1956).
    n_others = np.where(betas.far < 1, 2, betas.count * (betas.near < 1)).sum(axis=1)
    kinds = 4 * order + 2 * (vanished > last) + (n_others <= 1)
    for kind in set(kinds.tolist()):
        alike, count = np.flatnonzero(kinds == kind), kind // 4
        size = max(1, _BLOCK // count)
        for rows in (alike[i : i + size] for i in range(0, alike.size, size)):
            whole = rows.size == len(step)
            part, i = betas if whole else betas[rows], slice(None) if whole else rows
            at_steps, narrow = step[i], is_narrow[i]
            values = transforms(part, path_of(part, last[i]), at_steps, count)[:, 1:]
            corners = corners_of(part, count, at_steps, narrow) if kind & 2 else None
            if corners and narrow.any():
                values = blended(values, part, at_steps, narrow)
            period, deviation = 2 * np.pi / at_steps, np.sqrt(part.variance)
            yield (
                rows,
                Series(
                    *(period, values, corners),
                    low=-below[i],
                    high=above[i],
                    deviation=deviation,
                    end_densities=ends[:, i],
                    has_one_peak=bool(kind & 1),
                ),
            )


def _end_densities(betas: Betas, below: Floats, above: Floats) -> Floats:
    """Limits of the densities at both ends of the ranges, shape (2, m).

    Beside an end of the support where the variables have the exponents e the density is

        prod_i (Gamma(n_i) / Gamma(n_i - e_i) w_i^-e_i) d^(S - 1) / Gamma(S),    S = sum_i e_i,

    at the distance d, in the limit.
    """
    reach, kept = np.array([below, above]), betas.size > 0
    if ((betas.count * betas.near * kept).sum(axis=1) > 1 + 1e-9).all():
        return np.zeros_like(reach)
    is_far = (betas.weight > 0) == (_SIDES > 0)
    e, o = np.where(is_far, betas.far, betas.near), np.where(is_far, betas.near, betas.far)
    power = (betas.count * e * kept).sum(axis=2) - 1
    to_end = (betas.count * betas.size * np.where(is_far, betas.q, betas.p)).sum(axis=2)
    is_end, is_flat = reach >= to_end, np.abs(power) <= 1e-9
    found = np.where(is_end & (power < 0), np.inf, 0.0)
    if (is_flat & is_end).any():
        size = np.where(kept, betas.size, 1.0)
        logs = kept * (gammaln(e) - betaln(e, o) - e * np.log(size))
        # Where the power is another one this may overflow.
        logs = np.where(is_flat, (betas.count * logs).sum(axis=2), 0.0)
        found = np.where(is_flat, is_end * np.exp(logs), found)
    return found
