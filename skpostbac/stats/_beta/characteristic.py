r"""Fourier series of weighted sums of Betas: coefficients and sums over corners.

`_fourier` explains series, orders and corners.

**Single Betas** need no series: they have closed forms by the incomplete Beta function.

**Coefficients.** Characteristic functions at multiples of a height are computed by
quadrature on a rotated path in the complex plane of log-odds. With the log-odds d,
measured from those of p, the weighted exponential of a Beta is the integral of

    exp(n (p d - log(q + p e^d)) + i t w (theta - p)),    theta - p = p q (e^d - 1) / (q
    + p e^d),

over the real line, up to a constant. It is analytic for |Im d| < pi. On the path d +
i alpha with w > 0 the exponential decays like exp(-t w Im theta), so that the
trapezoid rule needs hardly more nodes for a large height t than for a small one; for
w < 0 the path is d - i alpha. The rotation costs digits, as the modulus of the weights
at d = 0 grows to cos(alpha)^(-n p q): the angle keeps this below exp(1.5).

The rule has an error of exp(-DIGITS) if the spacing of its nodes is 2 pi / B, with the
bandwidth B the least of (DIGITS + G(s)) / s over shifts s of the path, G being the log
growth of the integrand on paths shifted up or down by s (Trefethen and Weideman, SIAM
Review 56, 2014). It is that of a Gamma variable of shape n p q:

    G = -n p q log min(cos(alpha + s), cos(alpha - s) + min(0, rho sin(alpha - s))),

with rho = T |w| / n at the height T. Nodes end where the weights are below
exp(-DIGITS). Where that is at large log-odds, at an end with a small exponent, nodes
spread out exponentially, d = v + u_0 (1 - e^-v) + u_1 (e^v - 1).

With the nodes x_j of a variable and z_j = exp(i h w x_j), the exponential of order k =
r c + f is (z_j^r)^c z_j^f: r powers of z_j and as many of z_j^r, and one sum over the
nodes for each pair, the entries of a product of two matrices.

**Corners.** At a large height t the transform of w theta, theta ~ Beta(a, b), is the
sum of expansions at its two ends: with the Pochhammer symbol (a)_j,

    E[exp(i t w theta)] ~ V(a, b; -i t w) + exp(i t w) V(b, a; i t w),
    V(a, b; z) = Gamma(a + b) / Gamma(b) z^-a sum_j (a)_j (1 - b)_j / j! z^-j

(NIST Digital Library of Mathematical Functions, 13.7.2). From |z| = 3 (a + b) + 40 on,
the first terms give each expansion with a relative error of 1e-15: both ends are
resolved. The transform of a sum is a product, and so a sum over the corners, which are
all choices of an end for each variable. With a <= b, the expansion at theta = 0
dominates for nearly all variables. If k of some variables with the same weight are at
theta = 1, the corner depends on k only: its coefficient is that of z^k in the product
of V(a_i, b_i) + z V(b_i, a_i).
"""

import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.special import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    gammaln,
    xlogy,
)

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._beta.betas import Betas, ranges
from skpostbac.stats._centred import Centred, Evaluator
from skpostbac.stats._corners import LEAST_TERM, OtherEnds, corner_terms
from skpostbac.stats._fourier import series_of, vanishing_heights
from skpostbac.stats._numerics import powers, stacked_products, waves


@dataclass(frozen=True)
class SingleBetas(Centred):
    """Multiples of one Beta each, reflected so that a <= b; arrays of shape (m,).

    Attributes
    ----------
    a, b : parameters of theta, the share of the support.
    weight : length of the support, negative if theta is zero at the upper end.
    """

    a: Floats
    b: Floats
    weight: Floats
    # Tails have relative accuracy as long as nothing underflows.
    least: float = field(default=1e-300, kw_only=True)

    @classmethod
    def of(cls, a: Floats, b: Floats, weight: Floats) -> "SingleBetas":
        """Return multiples of Betas with any parameters."""
        weight = np.where(a > b, -weight, weight)
        exponents = np.sort([a, b], axis=0)
        a, b = exponents
        n = a + b
        size = np.abs(weight)
        is_up = weight > 0

        to_zero = size * (a / n)
        to_one = size * (b / n)
        finite = np.where(exponents == 1, exponents[::-1] / size, 0.0)
        ends = np.where(exponents < 1, np.inf, finite)
        return cls(
            a,
            b,
            weight,
            low=np.where(is_up, -to_zero, -to_one),
            high=np.where(is_up, to_one, to_zero),
            deviation=size * np.sqrt(a * b / (n + 1)) / n,
            end_densities=np.where(is_up, ends, ends[::-1]),
            has_one_peak=bool((a >= 1).all()),
        )

    def selected(self, rows: Bools, **fields: Any) -> Self:
        return super().selected(
            rows, a=self.a[rows], b=self.b[rows], weight=self.weight[rows], **fields
        )

    def evaluator(self, n_derivatives: int) -> Evaluator:
        a, b, weight = (x[:, np.newaxis] for x in (self.a, self.b, self.weight))

        def evaluate(y: Floats) -> Floats:
            theta = np.clip(a / (a + b) + y / weight, 0.0, 1.0)
            other = 1 - theta
            cdf = np.where(weight > 0, betainc(a, b, theta), betaincc(a, b, theta))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                density = np.exp(
                    xlogy(a - 1, theta) + xlogy(b - 1, other) - betaln(a, b)
                )
                rate = (a - 1) / theta - (b - 1) / other
                curvature = rate**2 - (a - 1) / theta**2 - (b - 1) / other**2
                density /= np.abs(weight)
                slope = density * (rate / weight)
                values = [cdf - 0.5, density, slope, density * (curvature / weight**2)]
            return np.stack(values[: n_derivatives + 1])

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        del y
        a, b, weight = (x[:, np.newaxis] for x in (self.a, self.b, self.weight))
        is_up = weight > 0
        size = np.abs(weight)
        ends = np.where(is_up, [to_low, to_high], [to_high, to_low])
        theta, other = np.clip(ends, 0.0, size) / size

        # From the closer end, so that no digits are lost.
        is_first = theta <= 0.5
        below = np.where(is_first, betainc(a, b, theta), betaincc(b, a, other))
        above = np.where(is_first, betaincc(a, b, theta), betainc(b, a, other))
        with np.errstate(divide="ignore", over="ignore"):
            log_density = xlogy(a - 1, theta) + xlogy(b - 1, other) - betaln(a, b)
            density = np.exp(log_density) / size
        lower = np.where(is_up, below, above)
        upper = np.where(is_up, above, below)
        return np.stack([lower, upper, density])

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        size = np.abs(self.weight)[:, np.newaxis]
        exponents = np.where(self.weight > 0, [self.a, self.b], [self.b, self.a])
        first, last = exponents[..., np.newaxis]
        return (
            size * _beta_quantiles(first, last, p, q),
            size * _beta_quantiles(last, first, q, p),
        )


def _beta_quantiles(a: Floats, b: Floats, p: Floats, q: Floats) -> Floats:
    """Return quantiles of Beta(a, b) for p = 1 - q."""
    theta = np.where(p <= q, betaincinv(a, b, p), betainccinv(a, b, q))
    # Where an inverse underflows, theta^a / (a B(a, b)) is the probability below theta.
    with np.errstate(divide="ignore", over="ignore"):
        tiny = np.exp((np.log(p) + np.log(a) + betaln(a, b)) / a)
    return np.where(np.isnan(theta), np.where(p <= q, tiny, 1.0), theta)


# Weights, and the error of the rule, are neglected below exp(-DIGITS) = 1.7e-15.
DIGITS = 34.0
# Shifts at which the bandwidth is evaluated, as shares of the largest useful one; the
# last one is replaced.
_SHIFTS = np.array([0.1, 0.2, 0.32, 0.46, 0.62, 0.8, 0.95, 1.0])
# Beyond this the odds would overflow, and theta is 0 or 1.
_LARGEST_LOG_ODDS = 300.0
_SIDES = np.array([-1.0, 1.0])[:, np.newaxis, np.newaxis]
# Complex numbers in a block of about a megabyte, which fits into caches.
_BLOCK_SIZE = 2**16


def window(
    p: Floats, q: Floats, n: Floats, curvature: Floats, digits: float, n_steps: int
) -> Floats:
    """Return log-odds, below and above, beyond which weights are negligible, (2, ...).

    They are distances, the roots of n (log(q + p e^d) - p d) = digits. Upper bounds
    are the lines to which the left-hand side tends, a Gamma variable at the mode, and
    exponential growth towards the end with the larger exponent. As the function is
    convex, Newton's steps remain upper bounds.
    """
    share = np.array([p, q])
    level = digits / n
    x = digits / curvature
    ratio = np.log(share / share[::-1])
    root = np.sqrt(2 * x)
    d = np.minimum((level - np.log(share[::-1])) / share, x + root)
    steep = np.log1p(2 * x + np.sqrt(2) * root)
    d = np.where(steep < ratio, np.minimum(d, steep), d)

    # In terms of the smaller share no digits are lost.
    small = np.minimum(p, q)
    sign = np.where(ratio < 0, -1.0, 1.0)
    for _ in range(n_steps):
        e = sign * np.minimum(d, _LARGEST_LOG_ODDS)
        rise = small * np.expm1(e)
        excess = np.log1p(rise) - small * e - level
        step = excess * (1 + rise) / ((1 - small) * np.abs(rise))
        d = d - np.where(d < _LARGEST_LOG_ODDS, step, 0.0)
    return np.asarray(d)


def bandwidth(
    curvature: Floats, angle: Floats | float, rate: Floats, digits: float
) -> Floats:
    """Return bandwidths of integrands on paths, the least over some shifts."""
    largest = np.minimum(
        0.5 * np.pi - angle, 4 * (np.sqrt(2 * digits / curvature) + angle)
    )
    shift = np.multiply.outer(_SHIFTS, largest)
    # The exponential does not grow between the path and the real line.
    shift[-1] = 0.95 * angle
    down = np.cos(angle - shift) + np.minimum(rate * np.sin(angle - shift), 0.0)
    least = np.maximum(np.minimum(np.cos(angle + shift), down), 1e-300)
    return np.asarray(((digits - curvature * np.log(least)) / shift).min(axis=0))


def rotated(p: Floats, d: Floats, angle: Floats | float) -> tuple[Floats, ...]:
    """Return x, y and |1 + x + i y|^2 - 1 of q + p exp(d + i angle) = 1 + x + i y.

    And the real and the imaginary part of p (d + i angle) - log(1 + x + i y).
    """
    finite = np.minimum(d, _LARGEST_LOG_ODDS)
    odds_less_one = np.expm1(finite)
    half_sine = np.sin(0.5 * angle)
    x = p * (odds_less_one * np.cos(angle) - 2 * half_sine * half_sine)
    y = (odds_less_one + 1) * (p * np.sin(angle))
    square = x * (x + 2) + y * y
    size = p * d - 0.5 * np.log1p(square) - (d - finite)
    return x, y, square, size, p * angle - np.arctan2(y, 1 + x)


def path_of(betas: Betas, height: Floats) -> Floats:
    """Choose integration paths for heights up to the given ones, shape (m,).

    For each variable these are the angle of the rotation, the ends in v, below and
    above, the spread u of the nodes there, and the number of nodes, shape (6, m, l).
    """
    p = betas.p
    q = betas.q
    curvature = betas.curvature
    angle = np.minimum(np.arccos(np.exp(-1.5 / curvature)), 0.6)
    rate = height[:, np.newaxis] * betas.size / betas.n

    path = np.zeros((6, *p.shape))
    ends = path[1:3]
    spread = path[3:5]
    path[0] = np.where(betas.weight < 0, -angle, angle)

    # Nodes spread out at log-odds where theta is close to 0 or 1, and where the
    # exponential has stopped to vary.
    reach = window(p, q, betas.n, curvature, DIGITS, 1)
    is_wide = reach > 4.0
    spread[:] = np.exp(-2.0 - np.log1p(rate))
    spread[1] *= p / q
    np.minimum(reach, np.log1p(reach / spread), out=ends)
    np.copyto(ends, reach, where=~is_wide)
    spread *= is_wide

    density = bandwidth(curvature, angle, rate, DIGITS) / (2 * np.pi)
    path[5] = np.ceil(ends.sum(axis=0) * density + 2)
    return path


def characteristic_functions(
    betas: Betas, path: Floats, step: Floats, n_orders: int
) -> Complexes:
    """Return E[exp(i k h (X - mean))] for orders k < n_orders, shape (m, n_orders).

    The steps h have the shape (m,).
    """
    variables = np.array(
        [betas.n, betas.p, betas.q, step[:, np.newaxis] * betas.weight, *path]
    )
    variables = variables.reshape(len(variables), -1, 1)
    n_nodes = variables[-1, :, 0]
    size = _BLOCK_SIZE / (2 * np.sqrt(n_orders))

    # Blocks of variables with similar numbers of nodes.
    values = np.empty((n_nodes.size, n_orders), dtype=complex)
    sorted_rows = np.argsort(-n_nodes)
    start = 0
    while start < n_nodes.size:
        stop = start + max(1, int(size / n_nodes[sorted_rows[start]]))
        rows = sorted_rows[start:stop]
        values[rows] = _of_variables(variables[:, rows], n_orders)
        start = stop

    values = values.reshape(*betas.p.shape, n_orders)
    if betas.count.max(initial=1) > 1:
        values **= betas.count[..., np.newaxis]
    return np.asarray(np.multiply.reduce(values, axis=1))


def _of_variables(variables: Floats, n_orders: int) -> Complexes:
    """Return the characteristic functions of single variables, shape (n, n_orders)."""
    n, p, q, rate, angle, below, above, spread_below, spread_above, count = variables
    n_nodes = int(count.max())
    v = (above + below) * (np.arange(n_nodes) / (n_nodes - 1)) - below
    growth = np.exp(v)
    down = spread_below / growth
    up = spread_above * growth
    d = v + (spread_below - down) + (up - spread_above)
    x, y, square, *log_weight = rotated(p, d, angle)

    # Angles and logs of the sizes of the weights, and of the exponentials of orders 1
    # and n_fine.
    angles, logs = np.empty((2, 3, *d.shape))
    logs[0], angles[0] = (n * component for component in log_weight)
    scale = rate * q / (1 + square)
    n_fine = math.isqrt(n_orders - 1) + 1
    np.multiply(scale, square - x, out=angles[1])
    np.multiply(scale, -y, out=logs[1])
    angles[2] = n_fine * angles[1]
    logs[2] = n_fine * logs[1]
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
    """Expansions at the ends of the variables of m sums, at N orders.

    Attributes
    ----------
    product : product of the expansions at theta = 0, shape (m, N).
    columns : variables whose expansions at theta = 1 are not negligible, shape (j,).
    ratios : these expansions, divided by those at theta = 0, shape (m, j, N).
    """

    product: Complexes
    columns: Indices
    ratios: Complexes

    @classmethod
    def of(cls, betas: Betas, log_orders: Complexes, step: Floats) -> "_Ends":
        """Return expansions for logs of orders (N,) and steps (m,)."""
        is_used = betas.size > 0
        count = betas.count
        both = np.array([betas.a, betas.b])
        size = np.where(is_used, betas.size, 1.0)

        # Logs of the sizes at the first order of the expansions at theta = 0 and 1, and
        # of the largest corner with one theta at 1.
        log_rate = np.log(step[:, np.newaxis] * size)
        log_first = gammaln(both) - betaln(*both)
        log_zero, log_one = log_first - both * (log_rate + log_orders[0].real)
        log_size = np.where(is_used, count * log_zero, 0.0).sum(axis=1, keepdims=True)
        log_share = log_size + log_one - log_zero + np.log(count)
        is_large = is_used & (log_share > math.log(LEAST_TERM))
        columns = np.flatnonzero(is_large.any(axis=0))

        turn = -0.5j * np.pi * np.sign(betas.weight)
        parameters = np.array(
            [both, both[::-1], log_first, [log_rate + turn, log_rate - turn]]
        )
        parameters = np.concatenate(
            [parameters[:, 0], parameters[:, 1][..., columns]], axis=2
        )
        expansions = _expansions(parameters, log_orders)
        zero, one = np.split(expansions, [size.shape[1]], axis=1)
        zero[~is_used] = 1.0
        one[~is_used[:, columns]] = 0.0

        # The orders of a rule may exceed those that a row needs: where an expansion at
        # theta = 0 underflows, the product is zero.
        divisor = zero[:, columns]
        ratios = np.zeros_like(one)
        np.divide(one, divisor, out=ratios, where=np.abs(divisor) > 1e-290)
        zero = zero if count.max(initial=1) == 1 else zero ** count[..., np.newaxis]
        return cls(np.multiply.reduce(zero, axis=1), columns, ratios)


def _expansions(parameters: Complexes, log_orders: Complexes) -> Complexes:
    """Return V(e, o; z) at log z = log_rate + the logs of orders, shape (m, l, N).

    Parameters are e, o, log (Gamma(e) / B(e, o)) and log_rate, shape (4, m, l).
    """
    e, o, log_first = parameters[:3].real
    log_rate = parameters[3]
    n_blocks = min(-(-e.size * log_orders.size // 2**15), e.shape[1])
    if n_blocks > 1:
        blocks = np.array_split(parameters, n_blocks, axis=2)
        return np.concatenate(
            [_expansions(block, log_orders) for block in blocks], axis=1
        )

    # Terms are powers of first order / order, so that those negligible at the first
    # order are negligible at all.
    first = log_orders.real.min()
    j = np.arange(40)[:, np.newaxis, np.newaxis]
    scale = np.exp(log_rate.real + first)
    terms = np.cumprod((e + j) * (j + 1 - o) / ((j + 1) * scale), axis=0)
    is_small = np.abs(terms).max(axis=(1, 2), initial=0.0) <= 1e-16
    n_terms = is_small.argmax() if is_small.any() else len(terms)

    table = np.ones((n_terms + 1, e.size), dtype=complex)
    turned_terms = terms * np.exp(-1j * (j + 1) * log_rate.imag)
    table[1:] = turned_terms[:n_terms].reshape(n_terms, e.size)
    ratios = powers(1.0, np.exp(first - log_orders), n_terms + 1)
    total = stacked_products(table.T[np.newaxis], ratios[np.newaxis])
    total = total.reshape(*e.shape, log_orders.size)

    logs = (log_first - e * log_rate)[..., np.newaxis] - e[..., np.newaxis] * log_orders
    total *= waves(logs.imag, logs.real)
    return total


def _corners_of(
    betas: Betas, log_orders: Complexes, step: Floats, scale: Floats
) -> tuple[Floats, Complexes]:
    ends = _Ends.of(betas, log_orders, step)

    # The corner where every theta is 0; constants are at their means.
    is_constant = betas.size == 0
    at_low = np.where(is_constant, betas.to_low, np.maximum(-betas.weight, 0.0))
    at_high = np.where(is_constant, betas.to_high, np.maximum(betas.weight, 0.0))
    distances = np.array([-betas.weight * betas.p, at_low, -at_high])
    position = (betas.count * distances).sum(axis=2)

    others = []
    for i, ratio in zip(ends.columns, ends.ratios.swapaxes(0, 1), strict=True):
        is_up = betas.weight[:, i, np.newaxis] > 0
        # The other end is at a distance of the weight, of either sign.
        signs = {sign: is_up == (sign > 0) for sign in (-1, 1)}
        ratios = {sign: ratio * own for sign, own in signs.items() if own.any()}
        others.append(OtherEnds(betas.size[:, i], ratios, betas.count[:, i]))
    return corner_terms(position, ends.product, others, scale)


@dataclass(frozen=True)
class _BetaSums:
    """Sums of Betas as `skpostbac.stats._fourier.Sums`."""

    betas: Betas

    @property
    def variance(self) -> Floats:
        return self.betas.variance

    @property
    def decay(self) -> Floats:
        exponents = np.where(self.betas.size > 0, self.betas.a, 0.0)
        return np.asarray((self.betas.count * exponents).sum(axis=1))

    @property
    def resolved(self) -> Floats:
        # From here on the expansions have a relative error of 1e-15.
        size = self.betas.size
        heights = np.zeros_like(size)
        np.divide(3 * self.betas.n + 40, size, out=heights, where=size > 0)
        return heights

    @property
    def vanishing(self) -> Floats:
        betas = self.betas
        ratios = betas.variances / betas.a
        return vanishing_heights(betas.count * betas.a, ratios, betas.variance)

    @property
    def means(self) -> Floats:
        distances = [0 * self.betas.to_low, self.betas.to_low, -self.betas.to_high]
        return np.asarray((self.betas.count * distances).sum(axis=2))

    @property
    def have_one_peak(self) -> Bools:
        # A sum of variables with concave log densities, and one more with a single
        # peak, has a single peak (Ibragimov, Theory of Probability and Its Applications
        # 1, 1956).
        betas = self.betas
        n_peaks = (betas.count * (betas.a < 1) + 2 * (betas.b < 1)).sum(axis=1)
        return np.asarray(n_peaks <= 1)

    def __getitem__(self, rows: Any) -> "_BetaSums":
        return _BetaSums(self.betas[rows])

    def only(self, chosen: Bools) -> "_BetaSums":
        return _BetaSums(self.betas.only(chosen))

    def ranges(self) -> tuple[Floats, Floats]:
        return ranges(self.betas)

    def end_densities(self, below: Floats, above: Floats) -> Floats:
        return _sum_end_densities(self.betas, below, above)

    def coefficients(self, step: Floats, n_orders: int) -> Complexes:
        path = path_of(self.betas, n_orders * step)
        return characteristic_functions(self.betas, path, step, n_orders)[:, 1:]

    def corners(
        self, log_orders: Complexes, step: Floats, scale: Floats
    ) -> tuple[Floats, Complexes]:
        return _corners_of(self.betas, log_orders, step, scale)


def centred_sums(
    a: Floats, b: Floats, weights: Floats
) -> list[tuple[Indices, Centred]]:
    """Return distributions of sums, and their rows; parameters have shape (m, l)."""
    is_used = weights.any(axis=0)
    if not is_used.all():
        a, b, weights = (x[:, is_used] for x in (a, b, weights))
    # The incomplete Beta function is accurate up to such parameters.
    if a.shape[1] == 1 and a.size and (a + b).max() <= 1e6:
        return [(np.arange(len(a)), SingleBetas.of(a[:, 0], b[:, 0], weights[:, 0]))]

    sums: list[tuple[Indices, Centred]] = []
    for start in range(0, len(a), 2**12):
        chunk = slice(start, start + 2**12)
        betas = Betas.reflected(a[chunk], b[chunk], weights[chunk])
        found = series_of(_BetaSums(betas))
        sums += [(start + rows, series) for rows, series in found]
    return sums


def _sum_end_densities(betas: Betas, below: Floats, above: Floats) -> Floats:
    """Return limits of the densities at both ends of the ranges, shape (2, m).

    At an end of the support where the variables have the exponents e, and at the
    distance d, the density tends to

        prod_i (Gamma(n_i) / Gamma(n_i - e_i) w_i^-e_i) d^(S - 1) / Gamma(S),
        S = sum_i e_i.
    """
    reach = np.array([below, above])
    is_used = betas.size > 0
    if ((betas.count * betas.a * is_used).sum(axis=1) > 1 + 1e-9).all():
        return np.zeros_like(reach)

    # At each end of the sum, whether theta is 1 there.
    is_one = (betas.weight > 0) == (_SIDES > 0)
    e = np.where(is_one, betas.b, betas.a)
    o = np.where(is_one, betas.a, betas.b)
    power = (betas.count * e * is_used).sum(axis=2) - 1
    to_end = (betas.count * betas.size * np.where(is_one, betas.q, betas.p)).sum(axis=2)
    is_end = reach >= to_end
    is_finite = np.abs(power) <= 1e-9
    limits = np.where(is_end & (power < 0), np.inf, 0.0)
    if (is_finite & is_end).any():
        size = np.where(is_used, betas.size, 1.0)
        logs = is_used * (gammaln(e) - betaln(e, o) - e * np.log(size))
        # Other powers may overflow.
        logs = np.where(is_finite, (betas.count * logs).sum(axis=2), 0.0)
        limits = np.where(is_finite, is_end * np.exp(logs), limits)
    return limits
