r"""Characteristic functions of Betas, by quadrature and by expansions at both ends.

`_fourier` explains series, orders and corners.

**Quadrature.** Characteristic functions at multiples of a height are computed by
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

**Expansions.** At a large height t the transform of w theta, theta ~ Beta(a, b), is the
sum of expansions at its two ends: with the Pochhammer symbol (a)_j,

    E[exp(i t w theta)] ~ V(a, b; -i t w) + exp(i t w) V(b, a; i t w),
    V(a, b; z) = Gamma(a + b) / Gamma(b) z^-a sum_j (a)_j (1 - b)_j / j! z^-j

(NIST Digital Library of Mathematical Functions, 13.7.2). From |z| = 3 (a + b) + 40 on,
the first terms give each expansion with a relative error of 1e-15: both ends are
resolved. With a <= b, the expansion at theta = 0 dominates for nearly all variables.
"""

import math

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._numerics import powers, stacked_products, waves

# Weights, and the error of the rule, are neglected below exp(-DIGITS) = 1.7e-15.
DIGITS = 34.0
# Shifts at which the bandwidth is evaluated, as shares of the largest useful one; the
# last one is replaced.
_SHIFTS = np.array([0.1, 0.2, 0.32, 0.46, 0.62, 0.8, 0.95, 1.0])
# Beyond this the odds would overflow, and theta is 0 or 1.
_LARGEST_LOG_ODDS = 300.0
# Complex numbers in a block of about a megabyte, which fits into caches.
_BLOCK_SIZE = 2**16


def _window(p: Floats, q: Floats, n: Floats, curvature: Floats) -> Floats:
    """Return log-odds, below and above, beyond which weights are negligible, (2, ...).

    They are distances, the roots of n (log(q + p e^d) - p d) = DIGITS. Upper bounds
    are the lines to which the left-hand side tends, a Gamma variable at the mode, and
    exponential growth towards the end with the larger exponent. As the function is
    convex, a step of Newton's remains an upper bound.
    """
    share = np.array([p, q])
    level = DIGITS / n
    x = DIGITS / curvature
    ratio = np.log(share / share[::-1])
    root = np.sqrt(2 * x)
    d = np.minimum((level - np.log(share[::-1])) / share, x + root)
    steep = np.log1p(2 * x + np.sqrt(2) * root)
    d = np.where(steep < ratio, np.minimum(d, steep), d)

    # In terms of the smaller share no digits are lost.
    small = np.minimum(p, q)
    sign = np.where(ratio < 0, -1.0, 1.0)
    e = sign * np.minimum(d, _LARGEST_LOG_ODDS)
    rise = small * np.expm1(e)
    excess = np.log1p(rise) - small * e - level
    step = excess * (1 + rise) / ((1 - small) * np.abs(rise))
    return np.asarray(d - np.where(d < _LARGEST_LOG_ODDS, step, 0.0))


def _bandwidth(curvature: Floats, angle: Floats, rate: Floats) -> Floats:
    """Return bandwidths of integrands on paths, the least over some shifts."""
    largest = np.minimum(
        0.5 * np.pi - angle, 4 * (np.sqrt(2 * DIGITS / curvature) + angle)
    )
    shift = np.multiply.outer(_SHIFTS, largest)
    # The exponential does not grow between the path and the real line.
    shift[-1] = 0.95 * angle
    down = np.cos(angle - shift) + np.minimum(rate * np.sin(angle - shift), 0.0)
    least = np.maximum(np.minimum(np.cos(angle + shift), down), 1e-300)
    return np.asarray(((DIGITS - curvature * np.log(least)) / shift).min(axis=0))


def _rotated(p: Floats, d: Floats, angle: Floats) -> tuple[Floats, ...]:
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


def characteristic_functions(
    n: Floats, p: Floats, rates: Floats, n_orders: int
) -> Complexes:
    """Return E[exp(i k rate (theta - p))] for orders k < n_orders, (..., n_orders).

    The variables are theta ~ Beta(n p, n (1 - p)), p <= 1/2.
    """
    variables = np.array([n, p, rates, *_paths(n, p, rates, n_orders)])
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
        values[rows] = _of_block(variables[:, rows], n_orders)
        start = stop
    return values.reshape(*n.shape, n_orders)


def _paths(n: Floats, p: Floats, rates: Floats, n_orders: int) -> Floats:
    """Choose integration paths for the heights of all orders.

    For each variable these are the angle of the rotation, the ends in v, below and
    above, the spread u of the nodes there, and the number of nodes, shape (6, ...).
    """
    q = 1 - p
    curvature = n * p * q
    angle = np.minimum(np.arccos(np.exp(-1.5 / curvature)), 0.6)
    rate = n_orders * np.abs(rates) / n

    path = np.zeros((6, *p.shape))
    ends = path[1:3]
    spread = path[3:5]
    path[0] = np.where(rates < 0, -angle, angle)

    # Nodes spread out at log-odds where theta is close to 0 or 1, and where the
    # exponential has stopped to vary.
    reach = _window(p, q, n, curvature)
    is_wide = reach > 4.0
    spread[:] = np.exp(-2.0 - np.log1p(rate))
    spread[1] *= p / q
    np.minimum(reach, np.log1p(reach / spread), out=ends)
    np.copyto(ends, reach, where=~is_wide)
    spread *= is_wide

    density = _bandwidth(curvature, angle, rate) / (2 * np.pi)
    path[5] = np.ceil(ends.sum(axis=0) * density + 2)
    return path


def _of_block(variables: Floats, n_orders: int) -> Complexes:
    """Return the characteristic functions of single variables, shape (n, n_orders)."""
    n, p, rate, angle, below, above, spread_below, spread_above, count = variables
    n_nodes = int(count.max())
    v = (above + below) * (np.arange(n_nodes) / (n_nodes - 1)) - below
    growth = np.exp(v)
    down = spread_below / growth
    up = spread_above * growth
    d = v + (spread_below - down) + (up - spread_above)
    x, y, square, *log_weight = _rotated(p, d, angle)

    # Angles and logs of the sizes of the weights, and of the exponentials of orders 1
    # and n_fine.
    angles, logs = np.empty((2, 3, *d.shape))
    logs[0], angles[0] = (n * component for component in log_weight)
    scale = rate * (1 - p) / (1 + square)
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


def expansions(parameters: Complexes, log_orders: Complexes) -> Complexes:
    """Return V(e, o; z) at log z = log_rate + the logs of orders, shape (m, l, N).

    Parameters are e, o, log (Gamma(e) / B(e, o)) and log_rate, shape (4, m, l).
    """
    e, o, log_first = parameters[:3].real
    log_rate = parameters[3]
    n_blocks = min(-(-e.size * log_orders.size // 2**15), e.shape[1])
    if n_blocks > 1:
        blocks = np.array_split(parameters, n_blocks, axis=2)
        return np.concatenate(
            [expansions(block, log_orders) for block in blocks], axis=1
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
