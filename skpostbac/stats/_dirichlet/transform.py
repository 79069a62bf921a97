r"""Characteristic functions of paired differences.

The cells of a class, (p_B, p_A, p_r) ~ Dirichlet(alpha), are independent Gamma variables given that
their sum is one. With the values v = (1, -1, 0) of D = p_B - p_A at the vertices B, A and r, and
n = sum_j alpha_j,

    E[exp(i t D)] = Gamma(n) / (2 pi i) int exp(p) prod_j (p - i t v_j)^-alpha_j dp

along a line Re p = s > 0 (Erdelyi, Transactions of the Edinburgh Royal Society 59, 1939). Seen from
the vertex u with the largest exponent, p = s + i (y + t v_u), the factors are functions of y alone
and of y + t (v_u - v_j). With steps of t and y that are multiples of one another each is tabulated
once for all t, and the integral is a sum of products of entries of three tables.

The trapezoid rule with the spacing 2 pi / P has an error below exp(-DIGITS) where the density of a
Gamma variable at 1 + P is as much smaller than at 1. The line ends where the product of the factors
is so small, or, as powers fall slowly with few counts, by a smooth window over the wave exp(i y).
With a sum n below one the distribution is the mixture of those with one more count in a cell j,
of the shares alpha_j / n.

At a large height t the path splits into one loop about each branch point, the shares of the
vertices: with the gaps g_k = v_j - v_k to the other two,

    exp(i t v_j) Gamma(n) / Gamma(alpha_j) prod_k (i t g_k)^-alpha_k
        sum_m (alpha_j - 1) ... (alpha_j - m) c_m (i t)^-m,

with the coefficients c_m of x^m in prod_k (1 + x / g_k)^-alpha_k, as for a single Beta
(`skpostbac.stats._beta.series`). They replace the integral from |t| = 3 n + 40 on.
"""

import numpy as np
from scipy.special import erfc, gammaln

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._numerics import log_beta, polynomial, waves

# The two other vertices of B, A and r, and the distances of D there from that at each.
OTHERS = np.array([[1, 2], [0, 2], [0, 1]])
GAPS = np.array([[2.0, 1.0], [-2.0, -1.0], [-1.0, 1.0]])
# What is smaller than exp(-DIGITS) = 8.5e-17 is left out.
_DIGITS = 37.0
# Half the length of the edge of the window, a Gaussian of the deviation 8.6. That takes
# exp(-DIGITS) off the wave exp(i y).
_HALF_EDGE = 70.0
# Entries of tables, or of products, that are held at a time.
_BLOCK = 2**18


def resolved(alphas: Floats) -> Floats:
    """Heights from which the vertices of p_B - p_A are apart; cells are the last axis."""
    return np.asarray(3.0 * alphas.sum(axis=-1) + 40.0)


def mean_gaps(alphas: Floats) -> Floats:
    """Distances v_j - mean of the vertices from the mean, shape (..., 3)."""
    b, a, r = np.moveaxis(alphas, -1, 0)
    gaps = np.stack([2 * a + r, -2 * b - r, a - b], axis=-1)
    return np.asarray(gaps / (b + a + r)[..., np.newaxis])


def transforms(alphas: Floats, rates: Floats, n_orders: int) -> Complexes:
    """E[exp(i k rate (D - E[D]))] for k < n_orders, shape (m, n_orders).

    `alphas` are the parameters of only B, only A, and both or neither right, shape (m, 3); `rates`
    are the weights times the step of the heights, of any sign, shape (m,).
    """
    alphas = np.where(rates[:, np.newaxis] < 0, alphas[:, [1, 0, 2]], alphas)
    rates, n = np.abs(rates), alphas.sum(axis=1)
    values = np.ones((rates.size, n_orders), dtype=complex)
    small = np.flatnonzero((n < 1) & (rates > 0))
    if small.size:
        more = alphas[small, np.newaxis] + np.eye(3)
        # From the mean of each to that of the mixture.
        shift = mean_gaps(alphas[small])[:, [2]] - mean_gaps(more)[..., 2]
        parts = transforms(more.reshape(-1, 3), rates[small].repeat(3), n_orders)
        turn = (rates[small, np.newaxis] * shift)[..., np.newaxis] * np.arange(n_orders)
        shares = (alphas[small] / n[small, np.newaxis])[..., np.newaxis]
        values[small] = (shares * parts.reshape(turn.shape) * waves(turn, 0.0)).sum(axis=1)
    rows = np.flatnonzero((n >= 1) & (rates > 0))
    if not rows.size:
        return values
    alphas, rates, n = alphas[rows], rates[rows], n[rows]
    # Few different numbers of heights, so that many rows are computed together.
    own = np.exp2(np.ceil(2 * np.log2(resolved(alphas) / rates + 2)) / 2)
    counts = np.minimum(np.ceil(own), n_orders).astype(np.intp)
    # Not too near the branch points
    line = np.maximum(n, 3.0)
    x = _DIGITS / line
    longest = 2 * np.pi / (2 * x / 3 + np.sqrt((2 * x / 3) ** 2 + 2 * x))
    vertices = alphas.argmax(axis=1)
    top = rates * (counts - 1) * np.abs(GAPS[vertices]).max(axis=1)
    with np.errstate(over="ignore"):
        alone, whole = (line * np.sqrt(np.expm1(2 * _DIGITS / k)) for k in (alphas.max(axis=1), n))
    decayed = np.minimum(alone, whole + top)
    # Powers still turn up to about 3 n beyond.
    edge = top + 20.0 + 3.0 * n + _HALF_EDGE
    edge = np.where(edge + _HALF_EDGE < decayed, edge, np.inf)
    power = np.floor(np.log2(longest / rates))
    half = np.minimum(edge + _HALF_EDGE, decayed) / (rates * np.exp2(power))
    half = np.ceil(np.exp2(np.ceil(4 * np.log2(half)) / 4))
    kinds = np.stack([vertices, counts, power, half], axis=1)
    for kind in np.unique(kinds, axis=0):
        alike = np.flatnonzero((kinds == kind).all(axis=1))
        vertex, count, half_of = kind[[0, 1, 3]].astype(int).tolist()
        width = max(1, _BLOCK // (2 * half_of * count))
        for part in (alike[i : i + width] for i in range(0, alike.size, width)):
            line_of = (alphas[part], line[part], edge[part], rates[part])
            found = _integrals(*line_of, vertex, count, kind[2], half_of)
            found /= found[:, :1].copy()
            values[rows[part], :count] = found
            if count < n_orders:
                heights = rates[part, np.newaxis] * np.arange(count, n_orders)
                ends = vertex_shares(alphas[part], np.log(heights + 0j))
                turn = mean_gaps(alphas[part])[..., np.newaxis] * heights[:, np.newaxis]
                values[rows[part], count:] = (ends * waves(turn, 0.0)).sum(axis=1)
    return values


def _integrals(
    alphas: Floats,
    line: Floats,
    edge: Floats,
    steps: Floats,
    vertex: int,
    count: int,
    power: float,
    half: int,
) -> Complexes:
    """Integrals along lines at the heights k step, k < count, shape (m, count), but for constants.

    Seen from a vertex, at 2 half + 1 nodes that are step times two to a power apart.
    """
    n, spacing, size = alphas.sum(axis=1), steps * 2.0**power, 2 * half + 1
    y = np.arange(-half, half + 1) * spacing[:, np.newaxis]

    def factor(j: int, x: Floats) -> Complexes:
        alpha, scale, total = (z.reshape(-1, *[1] * (x.ndim - 1)) for z in (alphas[:, j], line, n))
        u = x / scale
        # atan(u) - u, without cancellation where u is small: (-1)^k u^(2 k + 1) / (2 k + 1)
        small = np.clip(u, -0.1, 0.1)
        square = small * small
        terms = ((-1.0) ** np.arange(1, 10) / np.arange(3.0, 20.0, 2.0)).tolist()
        series = small * square * polynomial(square, terms)
        angle = np.where(small == u, series, np.arctan(u) - u) + x * (1 / scale - 1 / total)
        return waves(-alpha * angle, -0.5 * alpha * np.log1p(u * u))

    alone = factor(vertex, y)
    if np.isfinite(edge).any():
        alone *= 0.5 * erfc((np.abs(y) - edge[:, np.newaxis]) / (np.sqrt(2) * 8.6))
    # Entries of a table are a spacing apart, or a step of the heights if that is less; if there
    # are too many, all products have their own.
    stride, pace = 2.0 ** max(power, 0), 2.0 ** max(-power, 0)
    tables: list[Complexes | None] = []
    for j, gap in zip(OTHERS[vertex], GAPS[vertex], strict=True):
        n_entries = 2 * half * stride + abs(gap) * pace * (count - 1) + 1
        if n_entries > size * count:
            tables.append(None)
            continue
        ahead = int(max(-gap, 0) * pace * (count - 1))
        entries = np.arange(n_entries) - (half * stride + ahead)
        table = factor(j, entries * (spacing / stride)[:, np.newaxis])
        rows, entry = table.strides
        strides, shape = (rows, int(gap * pace) * entry, int(stride) * entry), (len(n), count, size)
        windows = np.lib.stride_tricks.as_strided(table[:, ahead:], shape, strides, writeable=False)
        tables.append(windows)
    values, width = np.empty((len(n), count), dtype=complex), max(1, _BLOCK // (size * len(n)))
    for start in range(0, count, width):
        part = np.arange(start, min(start + width, count))
        first, last = (
            factor(j, y[:, np.newaxis] + (gap * np.outer(steps, part))[..., np.newaxis])
            if windows is None
            else windows[:, start : start + width]
            for j, gap, windows in zip(OTHERS[vertex], GAPS[vertex], tables, strict=True)
        )
        values[:, part] = np.matmul(first * last, alone[..., np.newaxis])[..., 0]
    return values


def vertex_shares(alphas: Floats, log_heights: Complexes) -> Complexes:
    """Shares of the vertices B, A and r in E[exp(i t D)], without their waves exp(i t v_j).

    `alphas` has shape (m, 3), the logs of t, which may be complex, (m, N); returns (m, 3, N).
    """
    alpha, others = alphas[:, :, np.newaxis], alphas[:, OTHERS]
    rest, scale = others.sum(axis=-1), resolved(alphas)[:, np.newaxis]
    gap_sum, gap_product = GAPS.sum(axis=1), GAPS.prod(axis=1)
    cross = (others * GAPS[:, ::-1]).sum(axis=-1)
    # From (g_1 + x) (g_2 + x) f' = -(alpha_1 (g_2 + x) + alpha_2 (g_1 + x)) f for the series f.
    terms = [np.zeros_like(rest), np.ones_like(rest)]
    for m in range(60):
        factor = (alphas - 1 - m) / scale
        before = terms[-2] * (m - 1 + rest) * (alphas - m) / scale
        following = (gap_sum * m + cross) * terms[-1] + before
        terms.append(-following * factor / (gap_product * (m + 1)))
        if np.abs(terms[-2:]).max() < 1e-17:
            break
    # scale / (i t)
    inverse = (-1j * scale * np.exp(-log_heights))[:, np.newaxis]
    total = np.zeros((*rest.shape, log_heights.shape[1]), dtype=complex)
    for term in terms[:0:-1]:
        total *= inverse
        total += term[..., np.newaxis]
    log_gaps = np.log(np.abs(GAPS)) + 0.5j * np.pi * np.sign(GAPS)
    logs = gammaln(rest) - log_beta(rest, alpha[..., 0]) - (others * log_gaps).sum(axis=-1)
    return np.asarray(
        total * np.exp(logs[..., np.newaxis] - rest[..., np.newaxis] * log_heights[:, np.newaxis])
    )
