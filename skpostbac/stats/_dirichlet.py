r"""The difference of two dependent accuracies: `PairedDifference`.

The outcomes of a pair of classifiers on one class have a Dirichlet distribution. The
characteristic functions of classes make a Fourier series of a sum of them. Imports `_beta`,
`_distribution`, `_fourier` and `_numerics`.

**Characteristic functions of classes.**
The cells of a class, (p_B, p_A, p_r) ~ Dirichlet(alpha), are independent Gamma variables given that
their sum is one. With the values v = (1, -1, 0) of D = p_B - p_A at the vertices B, A and r, and
n = sum_j alpha_j,

    E[exp(i t D)] = Gamma(n) / (2 pi i) int exp(p) prod_j (p - i t v_j)^-alpha_j dp

along a line Re p = s > 0 (Erdelyi, Transactions of the Edinburgh Royal Society 59, 1939). Seen from
the vertex u with the largest exponent, p = s + i (y + t v_u), the factors are functions of y alone
and of y + t (v_u - v_j). With steps of t and y that are multiples of one another each is tabulated
once for all t, and the integral is a sum of products of entries of three tables. Where tables would
be too long, it is computed at some Chebyshev points of t, and interpolated.

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
(`skpostbac.stats._beta.characteristic`). They replace the integral from |t| = 3 n + 40 on.

**The difference of two balanced accuracies.** The cells "only B right", "only A right" and "both or
neither" of a class have the probabilities (p_B, p_A, p_r) ~ Dirichlet(alpha_B, alpha_A, alpha_r):
merged cells of a Dirichlet vector have the sum of their parameters (Ng, Tian and Tang 2011, chapter
2). The distribution of X = sum_i w_i D_i, with D_i = p_B - p_A in class i, independent between the
classes, has a Fourier series whose coefficients are products over the classes. Random draws use
that p_B + p_A ~ Beta(alpha_B + alpha_A, alpha_r) and p_B / (p_B + p_A) ~ Beta(alpha_B, alpha_A) are
independent.

The characteristic function of X = sum_i w_i D_i is computed at the multiples of a step until it
vanishes, or until the vertices of all classes are apart (see above). From there on it is a sum
over all choices of a vertex for each class, the corners, which is summed in closed form.

How far X and its transform reach follows from bounds of each class. With the distances g_j of the
vertices from the mean, -log(1 - u) >= u and E[(1 - y (D - mean))^-n] = prod_j (1 - y g_j)^-alpha_j,

    E[exp(s (D - mean))] <= prod_j (1 - s g_j / n)^-alpha_j,

the moment generating function of a sum of Gamma variables of the variance V = sum_j alpha_j g_j^2 /
n^2; by Chernoff's bound as in `skpostbac.stats._beta.betas`, no more than exp(-DEPTH) is beyond

    2/3 DEPTH c + sqrt((2/3 DEPTH c)^2 + 2 DEPTH V)

for a sum, c being the largest |w| g_j / n on that side. The modulus of the characteristic function
falls at least as fast as that of independent Gamma variables of the same variance, with the
exponents of the other two cells and their distances from the vertex with the largest exponent (to
1 % in 4,000 random classes).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import ArrayLike
from scipy.special import erfc, gammaln

from skpostbac._utils import Complexes, Floats, float_array
from skpostbac.stats._beta import LARGEST, SMALLEST, weighted_means
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._fourier import (
    DEPTH,
    NARROW,
    ORDER,
    PERIOD,
    Corners,
    Rule,
    Series,
    fade,
    gauss_points,
    orders,
    vanishing_heights,
)
from skpostbac.stats._numerics import (
    Frame,
    Rows,
    chebyshev_count,
    chebyshev_matrix,
    chebyshev_points,
    chebyshev_values,
    exact_sum,
    log_beta,
    polynomial,
    stacked_products,
    sum_weights,
    waves,
)

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
    # Entries of a table are a spacing apart, or a step of the heights if that is less. If that
    # makes too many, as where heights end early, products at some heights have their own, between
    # which values are interpolated. An entry costs as much as eight of the matrix.
    stride, pace = 2.0 ** max(power, 0), 2.0 ** max(-power, 0)
    n_entries = 2 * half * stride + np.abs(GAPS[vertex]) * pace * (count - 1) + 1
    b, a, _ = (alphas / n[:, np.newaxis]).T
    # 30 deviations, and 15 scales of a Gamma variable, whose tail is longer
    reach = np.minimum(30 * np.sqrt((b + a - (b - a) ** 2) / (n + 1)) + 15 / n, 2.0)
    n_points = min(chebyshev_count(0.5 * (count - 1) * float((steps * reach).max())), count)
    tables: list[Complexes] = []
    if n_points * (2 * size + count / 8) < n_entries.sum():
        heights = (count - 1) * chebyshev_points(n_points) if n_points < count else np.arange(count)
    else:
        heights = np.arange(count)
        for j, gap, length in zip(OTHERS[vertex], GAPS[vertex], n_entries, strict=True):
            ahead = int(max(-gap, 0) * pace * (count - 1))
            entries = np.arange(length) - (half * stride + ahead)
            table = factor(j, entries * (spacing / stride)[:, np.newaxis])
            rows, entry = table.strides
            strides = rows, int(gap * pace) * entry, int(stride) * entry
            shape, origin = (len(n), count, size), table[:, ahead:]
            tables.append(as_strided(origin, shape, strides, writeable=False))
    values, width = np.empty((len(n), heights.size), complex), max(1, _BLOCK // (size * len(n)))
    for start in range(0, heights.size, width):
        part = slice(start, start + width)
        first, last = (
            tables[i][:, part]
            if tables
            else factor(
                j, y[:, np.newaxis] + (gap * np.outer(steps, heights[part]))[..., np.newaxis]
            )
            for i, (j, gap) in enumerate(zip(OTHERS[vertex], GAPS[vertex], strict=True))
        )
        values[:, part] = stacked_products(first * last, alone[..., np.newaxis])[..., 0]
    if heights.size == count:
        return values
    return chebyshev_values(values, chebyshev_matrix(n_points, np.linspace(0, 1, count)).T)


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


# Coefficients of classes, or values at orders of their vertices, that are held at a time.
_HELD = 2**20
# The size of corners at the first order that are left out, and most of the corners.
_LEAST, _MOST_CORNERS = float(np.exp(-39.0)), 512
# Powers of a density that are the same.
_SAME_POWER = 1e-9


class PairedDifference(BoundedDistribution):
    r"""Distribution of :math:`\sum_i w_i (\theta_i^B - \theta_i^A)` for a pair of classifiers.

    :math:`\theta_i^A` and :math:`\theta_i^B` are the recalls of the classifiers A and B on class i.
    They are dependent, because both classifiers predict the same samples. The data are the numbers
    of samples that both, only A, only B or neither got right; the probabilities of these four
    outcomes have a Dirichlet posterior. With the default weights this is the posterior of the
    difference of the balanced accuracies. It is computed from the exact product of characteristic
    functions, without a grid or random draws.

    Parameters
    ----------
    counts : array_like of shape (l, 4)
        Numbers of samples of each class that both classifiers, only A, only B, and neither got
        right. Finite and non-negative; need not be integers.
    prior : float or array_like of shape (4,) or (l, 4), default=0.5
        Parameters of the Dirichlet prior, added to the counts; positive and finite. The default is
        Jeffreys' prior. Each sum of count and prior must be between 1e-6 and 1e15.
    weights : array_like of shape (l,), optional
        Weights of any sign, finite and not all zero. They need not sum to one. The default is
        1 / l each.

    Raises
    ------
    ValueError
        If an argument is out of range or the shapes do not agree.

    See Also
    --------
    BetaAverage : Balanced accuracy of one classifier, or the difference on different samples.

    Notes
    -----
    In class i, with the cells :math:`\alpha_B` (only B right), :math:`\alpha_A` (only A right) and
    :math:`\alpha_r` (both or neither, which do not affect the difference),

    .. math::

        \theta^B - \theta^A = p_B - p_A, \qquad
        (p_B, p_A, p_r) \sim \mathrm{Dirichlet}(\alpha_B, \alpha_A, \alpha_r).

    Positive values favour B, and ``distribution.ccdf(0)`` is the probability that B is better. The
    more often the classifiers agree, the narrower this distribution is compared with a difference
    on different samples. [1]_ reviews the Bayesian comparison of classifiers.

    Errors of ``cdf`` and ``ccdf`` are absolute: 1e-12, and 1e-9 beside corners with a prior below
    1/2. Corners are sums of some of the weights, of either sign, and zero. A class of 100,000 times
    as many samples as another is not resolved beside a corner: errors reach 1e-6 there with a prior
    of 1/2, 2e-5 with 1/4, and more with smaller ones (see :ref:`numerics`).
    Logarithms of tails below 1e-11 are upper bounds.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, "Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis", Journal of Machine Learning
       Research 18(77), 2017, 1-36.
    .. [2] K. W. Ng, G.-L. Tian and M.-L. Tang, "Dirichlet and related distributions: theory,
       methods and applications", Wiley, 2011, chapter 2.

    Examples
    --------
    Three classes; only A is right on 6 samples, and only B on 10.

    >>> from skpostbac.stats import PairedDifference
    >>> distribution = PairedDifference([[30, 4, 7, 3], [12, 2, 1, 5], [6, 0, 2, 1]])
    >>> round(distribution.mean(), 6)
    0.067194
    >>> low, high = distribution.interval(0.95)
    >>> round(low, 6), round(high, 6)
    (-0.049859, 0.190473)
    >>> round(float(distribution.ccdf(0)), 6)
    0.87259
    """

    counts: Floats
    """Numbers of samples (both right, only A, only B, neither), read-only, shape (l, 4)."""
    prior: Floats
    """Parameters of the Dirichlet priors, read-only, shape (l, 4)."""
    weights: Floats
    """Weights of the classes, read-only, shape (l,)."""

    def __init__(
        self, counts: ArrayLike, *, prior: ArrayLike = 0.5, weights: ArrayLike | None = None
    ) -> None:
        self.counts = pair_counts(counts)
        given = float_array(prior, "prior")
        shape = self.counts.shape
        if given.shape not in ((), shape[1:], shape):
            raise ValueError(
                f"prior must be a number or have the shape {shape[1:]} or {shape}; "
                f"got {given.shape}."
            )
        if not (np.isfinite(given) & (given > 0)).all():
            raise ValueError("prior must be finite and positive.")
        self.prior = np.broadcast_to(given, shape).copy()
        self.prior.flags.writeable = False
        cells = self.counts + self.prior
        if not ((cells >= SMALLEST) & (cells <= LARGEST)).all():
            large = cells > LARGEST
            name = "counts" if (self.counts > self.prior)[large].any() else "prior"
            raise ValueError(
                f"{name} must make each sum of a count and its prior lie between "
                f"{SMALLEST:g} and {LARGEST:g}."
            )
        self._equal = weights is None
        self.weights = sum_weights(weights, len(self.counts))
        # Only B right, only A right, both or neither.
        self._alphas = np.column_stack([cells[:, 2], cells[:, 1], cells[:, 0] + cells[:, 3]])

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of classes."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"PairedDifference(mean={mean:.4g}, sd={sd:.4g}, n_classes={len(self.counts)})"

    def __getstate__(self) -> dict[str, Any]:
        """Keep the frame: that of a difference or a mirrored distribution cannot be recomputed."""
        return {**super().__getstate__(), "_frame": self._frame}

    def __neg__(self) -> "PairedDifference":
        """Return the distribution of the negated variable, with A and B exchanged."""
        distribution = PairedDifference(self.counts, prior=self.prior, weights=-self.weights)
        # A frame holds equal weights of 1 / l exactly; an array of weights rounds them.
        vars(distribution)["_frame"] = self._frame.mirrored()
        return distribution

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        total = np.zeros(shape)
        for (b, a, r), weight in zip(self._alphas, self.weights, strict=True):
            differing = rng.beta(b + a, r, size=shape)
            total += weight * differing * (2 * rng.beta(b, a, size=shape) - 1)
        return total

    @cached_property
    def _cumulants(self) -> Floats:
        n, gaps = self._alphas.sum(axis=1), mean_gaps(self._alphas)
        second, third, fourth = ((self._alphas * gaps**k).sum(axis=1) / n for k in (2, 3, 4))
        rising = (n + 1) * (n + 2)
        # The difference of m_4 and 3 m_2^2, with what they share taken out.
        spread = 6 * fourth - 3 * second * second * (4 * n + 6) / (n + 1)
        found = np.array([second / (n + 1), 2 * third / rising, spread / (rising * (n + 3))])
        return np.asarray((self.weights ** [[2], [3], [4]] * found).sum(axis=1))

    @cached_property
    def _frame(self) -> Frame:
        b, a, r = self._alphas.T
        weights = None if self._equal else self.weights
        gain, loss = weighted_means(b, a + r, weights), weighted_means(a, b + r, weights)
        mean = exact_sum([*map(float, gain), *(-float(x) for x in loss)])
        size = np.abs(self.weights)
        high = 1.0 if self._equal else math.fsum(size.tolist())
        ahead, behind = np.where(self.weights > 0, b, a), np.where(self.weights > 0, a, b)
        n = a + b + r
        to_low = float((size * (2 * ahead + r) / n).sum())
        to_high = float((size * (2 * behind + r) / n).sum())
        return Frame(-high, high, *mean, to_low, to_high)

    @cached_property
    def _centred(self) -> Series:
        pairs = Pairs.of(self._alphas, self.weights)
        n, gaps = pairs.alphas.sum(axis=1), mean_gaps(pairs.alphas)
        variance = (pairs.count * pairs.variances).sum()
        # Distances from the mean beyond which nothing counts. A variable between -w and w is
        # sub-Gaussian with the variance w^2 (Hoeffding's lemma).
        spread = np.minimum((pairs.alphas * gaps**2).sum(axis=1) / n**2, 1.0)
        square = 2 * DEPTH * (pairs.count * pairs.weights**2 * spread).sum()
        away = pairs.weights * np.array([-gaps[:, 1], gaps[:, 0]])
        reach = 2 / 3 * DEPTH * (away / n).max(axis=1)
        below, above = np.minimum(reach + np.sqrt(reach**2 + square), away @ pairs.count).tolist()
        step = 2 * np.pi / (PERIOD * (below + above))
        resolving = resolved(pairs.alphas) / (pairs.weights * step)
        # Bounds of the transform by those of Gamma variables, at the vertices beside the largest.
        top = pairs.alphas.argmax(axis=1)
        exponents, squares = np.take_along_axis(pairs.alphas, OTHERS[top], axis=1), GAPS[top] ** 2
        ratios = squares * (pairs.variances / (exponents * squares).sum(axis=1))[:, np.newaxis]
        exponents = (pairs.count[:, np.newaxis] * exponents).reshape(1, -1)
        vanished = vanishing_heights(exponents, ratios.reshape(1, -1), np.array([variance])) / step
        order = int(orders(vanished, resolving.max(keepdims=True), pairs.count.size)[0])
        is_narrow, corners = resolving > order, None
        if vanished[0] <= order:
            coefficients = _coefficients(pairs, step, order)
        else:
            wide, narrow = pairs[~is_narrow], _coefficients(pairs[is_narrow], step, order)
            nodes, masses = np.zeros(1), np.ones(1)
            if is_narrow.any():
                part = pairs[is_narrow]
                moments = central_moments(part.alphas, ORDER)[:, np.newaxis]
                rule_of = gauss_points(moments, part.weights[np.newaxis], part.count[np.newaxis])
                nodes, masses = (x[0] for x in rule_of)
                # These are approximations, and would jump at the last order.
                late = np.arange(order // 2, order)
                points = masses @ waves(step * np.outer(nodes, late), 0.0)
                narrow[late - 1] += fade(late.size) * (points - narrow[late - 1])
            coefficients = _coefficients(wide, step, order) * narrow
            rest = wide.alphas.sum(axis=1) - wide.alphas.max(axis=1)
            rule = Rule.of(order, float((wide.count * rest).sum()))
            places, shares = _corners(wide, nodes, masses, rule.log_orders, step)
            corners = Corners(rule, np.array([step]), places[np.newaxis], shares[np.newaxis])
        return Series(
            *(np.array([2 * np.pi / step]), coefficients[np.newaxis], corners),
            low=np.array([-below]),
            high=np.array([above]),
            deviation=np.array([np.sqrt(variance)]),
            end_densities=_end_densities(pairs, below, above),
            # Projections of log-concave densities are log-concave, as are sums of such variables
            # (Prekopa, Acta Scientiarum Mathematicarum 34, 1973).
            has_one_peak=bool((pairs.alphas >= 1).all()),
        )


def pair_counts(counts: ArrayLike) -> Floats:
    """Return a read-only copy of the cells of a pair of classifiers, shape (n_classes, 4)."""
    array = float_array(counts, "counts")
    if array.ndim != 2 or array.shape[1] != 4 or not array.size:
        raise ValueError(
            f"counts must have the shape (n_classes, 4), with one class at least; "
            f"got {array.shape}."
        )
    if not (np.isfinite(array) & (array >= 0)).all():
        raise ValueError("counts must be finite and not negative.")
    array.flags.writeable = False
    return array


@dataclass(frozen=True)
class Pairs(Rows):
    """Classes of a sum: parameters (l, 3), positive weights (l,), numbers of equal classes (l,)."""

    alphas: Floats
    weights: Floats
    count: Floats

    @classmethod
    def of(cls, alphas: Floats, weights: Floats) -> "Pairs":
        """Exchange A and B where a weight is negative, and keep one of each class that counts."""
        seen = np.where(weights[:, np.newaxis] > 0, alphas, alphas[:, [1, 0, 2]])
        rows = np.column_stack([seen, np.abs(weights)])
        rows, count = np.unique(rows[weights != 0], axis=0, return_counts=True)
        pairs = cls(rows[:, :3], rows[:, 3], count.astype(float))
        variances = pairs.variances
        return pairs[variances > NARROW**2 * (count * variances).sum()]

    @property
    def variances(self) -> Floats:
        """Variance of each weighted class."""
        return np.asarray(central_moments(self.alphas, 2)[2] * self.weights**2)


def central_moments(alphas: Floats, order: int) -> Floats:
    """Central moments 0 to `order` of p_B - p_A, shape (order + 1, l).

    By E[(1 - y (D - mean))^-n] = prod_j (1 - y g_j)^-alpha_j the coefficients h_k of the right side
    are (n)_k / k! times the moments, and k h_k = sum_j q_j h_(k - j) with the power sums q_j =
    sum_i alpha_i g_i^j. Lengths are in units of n^(-1/2).
    """
    n = alphas.sum(axis=-1)
    gaps = mean_gaps(alphas) / np.sqrt(n)[:, np.newaxis]
    power, sums, coefficients = alphas * gaps, [], [np.ones_like(n), np.zeros_like(n)]
    moments, scale = [np.ones_like(n), np.zeros_like(n)], 1 / np.sqrt(n)
    for k in range(2, order + 1):
        power = power * gaps
        sums.append(power.sum(axis=-1))
        known = zip(sums, coefficients[k - 2 :: -1], strict=True)
        coefficients.append(np.sum([q * h for q, h in known], axis=0) / k)
        scale = scale * k * np.sqrt(n) / (n + k - 1)
        moments.append(scale * coefficients[k])
    return np.stack(moments)


def _end_densities(pairs: Pairs, below: float, above: float) -> Floats:
    """Limits of the densities at both ends of the range, shape (2, 1).

    Beside an end of the support, where the other cells have the exponents e_k and distances g_k,
    the density at the distance d is in the limit

        prod_i (Gamma(n_i) / Gamma(alpha_i) prod_k (w_i g_ik)^-e_ik) d^(S - 1) / Gamma(S),
        S = sum_ik e_ik.
    """
    found, gaps = np.zeros((2, 1)), mean_gaps(pairs.alphas)
    for side, vertex, reach, gap in ((0, 1, below, -gaps[:, 1]), (1, 0, above, gaps[:, 0])):
        others, own = pairs.alphas[:, OTHERS[vertex]], pairs.alphas[:, vertex]
        rest = others.sum(axis=1)
        power = (pairs.count * rest).sum() - 1
        if reach < (pairs.count * pairs.weights * gap).sum() or power > _SAME_POWER:
            continue
        lengths = np.abs(GAPS[vertex]) * pairs.weights[:, np.newaxis]
        logs = gammaln(rest) - log_beta(rest, own) - (others * np.log(lengths)).sum(axis=1)
        found[side] = np.inf if power < -_SAME_POWER else np.exp((pairs.count * logs).sum())
    return found


def _coefficients(pairs: Pairs, step: float, order: int) -> Complexes:
    """E[exp(i k step (X - E[X]))] for k from 1 to order - 1."""
    product, size = np.ones(order - 1, dtype=complex), max(1, _HELD // order)
    for start in range(0, pairs.count.size, size):
        part = pairs[start : start + size]
        values = transforms(part.alphas, step * part.weights, order)[:, 1:]
        product *= (values ** part.count[:, np.newaxis]).prod(axis=0)
    return product


def _corners(
    wide: Pairs, places: Floats, masses: Floats, log_orders: Complexes, step: float
) -> tuple[Floats, Complexes]:
    """Places of corners, (C,), and their values at orders whose logs are given, (C, s, N).

    All corners of a sum are seen from each of some places with masses.
    """
    values = np.broadcast_to(masses[:, np.newaxis].astype(complex), (masses.size, log_orders.size))
    same = 1e-13 * (wide.count * wide.weights).sum()
    size = max(1, _HELD // (3 * log_orders.size))
    for part in (wide[i : i + size] for i in range(0, wide.count.size, size)):
        log_heights = np.log(step * part.weights)[:, np.newaxis] + log_orders.ravel()
        shares = vertex_shares(part.alphas, log_heights)
        # The vertex that is largest at the first order; all others move the place.
        top = np.abs(shares[:, :, 0]).argmax(axis=1)
        rows = np.arange(top.size)
        near, gaps = shares[rows, top], part.weights[:, np.newaxis] * mean_gaps(part.alphas)
        values = values * (near ** part.count[:, np.newaxis]).prod(axis=0)
        places = places + (part.count * gaps[rows, top]).sum()
        # Orders may reach farther than a class needs: where the largest underflows, all do.
        others = np.take_along_axis(shares, OTHERS[top][..., np.newaxis], axis=1)
        ratios, kept = np.zeros_like(others), np.broadcast_to(near[:, np.newaxis], others.shape)
        np.divide(others, kept, out=ratios, where=np.abs(kept) > 1e-290)
        shifts = -part.weights[:, np.newaxis] * GAPS[top]
        weight = np.abs(ratios[:, :, 0]).sum(axis=1) * part.count
        for i in np.flatnonzero(weight * np.abs(values[:, 0]).max() > _LEAST):
            largest = float(np.abs(values[:, 0]).max())
            factor = power = np.zeros(1), np.ones((1, log_orders.size), dtype=complex)
            # Of equal classes, k are at other vertices.
            for k in range(int(part.count[i])):
                moved = ratios[i] * ((part.count[i] - k) / (k + 1))
                power = _products(*power, shifts[i], moved, same, largest)
                if not power[0].size:
                    break
                factor = np.append(factor[0], power[0]), np.vstack([factor[1], power[1]])
            places, values = _products(places, values, *factor, same, 1.0)
    return places, values.reshape(-1, *log_orders.shape)


def _products(
    places: Floats, values: Complexes, shifts: Floats, ratios: Complexes, same: float, scale: float
) -> tuple[Floats, Complexes]:
    """Products of waves exp(i t place) value and exp(i t shift) ratio that count."""
    size = scale * np.abs(np.outer(values[:, 0], ratios[:, 0]))
    first, last = np.nonzero(size > _LEAST)
    if first.size > _MOST_CORNERS:
        kept = np.argsort(-size[first, last])[:_MOST_CORNERS]
        first, last = first[kept], last[kept]
    found, products = places[first] + shifts[last], values[first] * ratios[last]
    # Places that are the same but for rounding.
    order = np.argsort(found)
    found, products = found[order], products[order]
    starts = np.flatnonzero(np.diff(found, prepend=-np.inf) > same)
    if starts.size < found.size:
        found, products = found[starts], np.add.reduceat(products, starts, axis=0)
    return found, products
