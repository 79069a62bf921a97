r"""Characteristic functions of sums of Betas at multiples of a height.

Each is computed by quadrature on a rotated path in the complex plane of log-odds. With the log-odds
d, measured from those of p, the weighted exponential of a Beta is the integral of

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

All is computed in real arithmetic from exp(d + i alpha) - 1. From a difference of large numbers the
weights would have errors in proportion to n.

With the nodes x_j of a variable and z_j = exp(i h w x_j), the wave of order k = r c + f is
(z_j^r)^c z_j^f: r fine powers and as many coarse ones, and one sum over the nodes for each pair,
the entries of a product of two matrices.

Variables are computed in blocks of about a megabyte, which stays near the processor, with as many
nodes as the one among them needs that needs the most.
"""

import math
from collections.abc import Iterator

import numpy as np

from skpostbac._utils import Complexes, Floats, Indices
from skpostbac.stats._beta.betas import Betas
from skpostbac.stats._numerics import powers, stacked_products, waves

# Weights below exp(-DIGITS) = 8.5e-17 are left out, and so is the error of the rule.
DIGITS = 37.0
# Log of the largest growth of the weights by the rotation, and the largest angle.
_GROWTH, _LARGEST_ANGLE = 1.5, 0.6
# Shifts at which the bandwidth is looked for, as shares of the farthest one worth a look.
_SHARES = np.array([0.1, 0.2, 0.32, 0.46, 0.62, 0.8, 0.95])
# Windows that reach so far in log-odds have nodes that spread out, beginning at two.
_FAR, _BEGIN = 4.0, 2.0
# Beyond this the odds would overflow, and theta is 0 or 1.
_LARGEST_LOG_ODDS = 300.0
_SIDES = np.array([-1.0, 1.0])[:, np.newaxis, np.newaxis]
_LEAST = 1e-300
# Complex numbers in a block.
_BLOCK = 2**16


def path_of(betas: Betas, height: Floats) -> Floats:
    """Choose paths for waves up to the heights, shape (m,).

    Of each variable they are the angle of the rotation, the ends in v, below and above, how much
    the nodes spread there, and how many it needs, shape (6, m, l).
    """
    angle = np.minimum(np.arccos(np.exp(-_GROWTH / betas.curvature)), _LARGEST_ANGLE)
    rate, window = height[:, np.newaxis] * betas.size / betas.n, _window(betas)
    found = np.zeros((6, *betas.p.shape))
    ends, spread = found[1:3], found[3:5]
    # With d = e^(v - b - log(1 / lean)) the nodes spread out at b beyond where theta bends, and
    # beyond where the wave does.
    begin = _BEGIN + np.log1p(rate)
    spread[:] = np.exp(-begin)
    spread[1] *= betas.p / betas.q
    is_far = window > _FAR
    np.minimum(window, np.log1p(window / spread), out=ends)
    np.copyto(ends, window, where=~is_far)
    spread *= is_far
    np.divide(ends.sum(axis=0) * _bandwidth(betas, angle, rate), 2 * np.pi, out=found[5])
    found[0] = np.where(betas.weight < 0, -angle, angle)
    found[5] = np.ceil(found[5] + 2)
    return found


def _window(betas: Betas) -> Floats:
    """Distances in log-odds, below and above, beyond which weights are negligible, (2, m, l).

    The root of n (log(q + p e^d) - p d) = DIGITS is bounded from outside, by the line to which the
    left-hand side tends, by a Gamma variable at the mode, and on the upper side, below theta = 1/2,
    by its exponential growth. As the function is convex, a Newton step stays outside.
    """
    p, q, level = betas.p, betas.q, DIGITS / betas.n
    share = np.array([p, q])
    logs = np.log(share[::-1])
    x = DIGITS / betas.curvature
    ends = np.minimum((level - logs) / share, x + np.sqrt(2 * x))
    steep = np.log1p(2 * x + 2 * np.sqrt(x))
    ends[1] = np.where(steep < logs[0] - logs[1], np.minimum(ends[1], steep), ends[1])
    d = _SIDES * np.minimum(ends, _LARGEST_LOG_ODDS)
    rise = p * np.expm1(d)
    step = (np.log1p(rise) - p * d - level) * (1 + rise) / (_SIDES * q * rise)
    return np.asarray(ends - np.where(ends < _LARGEST_LOG_ODDS, step, 0.0))


def _bandwidth(betas: Betas, angle: Floats, rate: Floats) -> Floats:
    """Bandwidth of the integrand on a path."""
    curvature, angle, rate = (x[..., np.newaxis] for x in (betas.curvature, angle, rate))
    most = 4 * (np.sqrt(2 * DIGITS / curvature) + angle)
    shift = np.minimum(0.5 * np.pi - angle, most) * _SHARES
    down = np.cos(angle - shift) + np.minimum(rate * np.sin(angle - shift), 0.0)
    least = np.maximum(np.minimum(np.cos(angle + shift), down), _LEAST)
    return np.asarray(((DIGITS - curvature * np.log(least)) / shift).min(axis=-1))


def transforms(betas: Betas, path: Floats, step: Floats, n_orders: int) -> Complexes:
    """E[exp(i k h (X - mean))] for k < n_orders, shape (m, n_orders), at the steps h, (m,)."""
    known = np.array([betas.n, betas.p, betas.q, step[:, np.newaxis] * betas.weight, *path])
    known = known.reshape(len(known), -1, 1)
    values = np.empty((known.shape[1], n_orders), dtype=complex)
    for rows in _blocks(known[-1, :, 0], n_orders):
        values[rows] = _transforms(known[:, rows], n_orders)
    values = values.reshape(*betas.p.shape, n_orders)
    if betas.count.max() > 1:
        values **= betas.count[..., np.newaxis]
    return np.asarray(np.multiply.reduce(values, axis=1))


def _blocks(count: Floats, n_orders: int) -> Iterator[Indices | slice]:
    """Yield the variables of each block, with about the same numbers of nodes."""
    size = _BLOCK / (2 * np.sqrt(n_orders))
    if count.size * count.max() <= size:
        yield slice(None)
        return
    order, start = np.argsort(-count), 0
    while start < count.size:
        stop = start + max(1, int(size / count[order[start]]))
        yield order[start:stop]
        start = stop


def _transforms(known: Floats, n_orders: int) -> Complexes:
    """Return the transforms of variables, shape (n, n_orders)."""
    n, p, q, rate, angle, below, above, spread_below, spread_above, count = known
    n_nodes = int(count.max())
    v = (above + below) * (np.arange(n_nodes) / (n_nodes - 1)) - below
    growth = np.exp(v)
    down, up = spread_below / growth, spread_above * growth
    d = v + (spread_below - down) + (up - spread_above)
    finite = np.minimum(d, _LARGEST_LOG_ODDS)
    odds_less_one, half_sine = np.expm1(finite), np.sin(0.5 * angle)
    # q + p exp(d + i alpha) is 1 + x + i y.
    x = p * (odds_less_one * np.cos(angle) - 2 * half_sine * half_sine)
    y = (odds_less_one + 1) * (p * np.sin(angle))
    square = x * (x + 2) + y * y
    # Angles and logs of the sizes of the weights, and of the waves of orders 1 and n_fine.
    angles, logs = np.empty((2, 3, *d.shape))
    angles[0] = n * (p * angle - np.arctan2(y, 1 + x))
    logs[0] = n * (p * d - 0.5 * np.log1p(square) - (d - finite))
    scale, n_fine = rate * q / (1 + square), math.isqrt(n_orders - 1) + 1
    np.multiply(scale, square - x, out=angles[1])
    np.multiply(scale, -y, out=logs[1])
    angles[2], logs[2] = n_fine * angles[1], n_fine * logs[1]
    wave = waves(angles, logs)
    weights = wave[0] * (1 + down + up)
    first = np.ones((2, *d.shape), dtype=complex)
    np.divide(weights, weights.sum(axis=-1, keepdims=True), out=first[1])
    fine, coarse = powers(first, wave[1:], n_fine).transpose(1, 2, 0, 3)
    coarse = coarse[:, : -(-n_orders // n_fine)]
    values = stacked_products(coarse, fine.transpose(0, 2, 1))
    return values.reshape(len(values), -1)[:, :n_orders]
