r"""The difference of two dependent accuracies: `PairedDifference`.

The outcomes of a pair of classifiers on one class have a Dirichlet distribution. The
characteristic functions of the classes give the Fourier series of their weighted sum.
Imports `_beta`, `_distribution`, `_fourier` and `_numerics`.

**Characteristic functions of classes.** The cell probabilities of a class,
(p_B, p_A, p_r) ~ Dirichlet(alpha), are independent Gamma variables conditional on a sum
of one. With the values v = (1, -1, 0) of D = p_B - p_A at the vertices B, A and r of
the simplex, and n = sum_j alpha_j,

    E[exp(i t D)] = Gamma(n) / (2 pi i) int exp(p) prod_j (p - i t v_j)^-alpha_j dp

along a line Re p = s > 0 (Erdelyi, Transactions of the Edinburgh Royal Society 59,
1939). Substituting p = s + i (y + t v_u), where u is the vertex with the largest
exponent, one factor depends on y alone and the others on y + t (v_u - v_j). If the
steps of t and y are multiples of one another, each factor is tabulated once for all t,
and the integral is a sum of products of entries of three tables. Where tables would be
too long, it is computed at Chebyshev points of t and interpolated.

The trapezoid rule with the spacing 2 pi / P has an error below exp(-37) if the density
of a Gamma variable is smaller by this factor at 1 + P than at 1. The line ends where
the product of the factors is as small as that. With few counts the powers decay slowly;
then the line is cut off by a smooth window, which is harmless because of the
oscillation exp(i y). If n is below one, the distribution is a mixture of those with one
more count in cell j, with the weights alpha_j / n.

At a large height t the path splits into loops around the branch points. The term of
vertex j, with the gaps g_k = v_j - v_k to the other two vertices, is

    exp(i t v_j) Gamma(n) / Gamma(alpha_j) prod_k (i t g_k)^-alpha_k
        sum_m (alpha_j - 1) ... (alpha_j - m) c_m (i t)^-m,

with the coefficients c_m of x^m in prod_k (1 + x / g_k)^-alpha_k, as for a single Beta
variable (`skpostbac.stats._beta.characteristic`). These terms replace the integral from
|t| = 3 n + 40 on.

**The difference of two balanced accuracies.** The cells "only B right", "only A right"
and "both or neither" of a class have the probabilities (p_B, p_A, p_r) ~
Dirichlet(alpha_B, alpha_A, alpha_r): merged cells of a Dirichlet vector have the sum of
their parameters (Ng, Tian and Tang 2011, chapter 2). The distribution of X = sum_i w_i
D_i, with D_i = p_B - p_A in class i, independent between the classes, has a Fourier
series whose coefficients are products over the classes. Random draws use that p_B + p_A
~ Beta(alpha_B + alpha_A, alpha_r) and p_B / (p_B + p_A) ~ Beta(alpha_B, alpha_A) are
independent.

The characteristic function of X = sum_i w_i D_i is computed at the multiples of a step
until it is negligible, or until the terms of the vertices are accurate for all classes.
From there on it is a sum over all choices of a vertex for each class. The values of X
at such choices are called corners; the orders that remain are summed in closed form.

The range of X, and that of its characteristic function, follow from bounds of each
class. With the distances g_j of the vertices from the mean, -log(1 - u) >= u and
E[(1 - y (D - mean))^-n] = prod_j (1 - y g_j)^-alpha_j,

    E[exp(s (D - mean))] <= prod_j (1 - s g_j / n)^-alpha_j,

the moment generating function of a sum of Gamma variables of the variance V = sum_j
alpha_j g_j^2 / n^2; by Chernoff's bound as in `skpostbac.stats._beta.sums`, no more
than exp(-DEPTH) is beyond

    2/3 DEPTH c + sqrt((2/3 DEPTH c)^2 + 2 DEPTH V)

for a sum, c being the largest |w| g_j / n on that side. The modulus of the
characteristic function falls at least as fast as that of independent Gamma variables of
the same variance, with the exponents of the other two cells and their distances from
the vertex with the largest exponent (to 1 % in 4,000 random classes).
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import ArrayLike
from scipy.special import betainc, erfc, gammaln

from skpostbac._utils import Bools, Complexes, Floats, float_array
from skpostbac.stats._beta import LARGEST, SMALLEST, weighted_means
from skpostbac.stats._centred import power_limits
from skpostbac.stats._corners import corners_of_sum
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._fourier import (
    NARROW,
    Series,
    chernoff_bounds,
    series_of,
    vanishing_heights,
)
from skpostbac.stats._numerics import (
    Frame,
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

# Vertices B, A and r: the other two of each, and the difference of D from their values.
OTHER_VERTICES = np.array([[1, 2], [0, 2], [0, 1]])
GAPS = np.array([[2.0, 1.0], [-2.0, -1.0], [-1.0, 1.0]])
_VALUES = np.array([1.0, -1.0, 0.0])
# Factors below exp(-_LOG_ACCURACY) = 8.5e-17 are neglected.
_LOG_ACCURACY = 37.0
# The edge of the window is an error function with this standard deviation, which is cut
# off at half its length. It reduces the wave exp(i y) by exp(-_LOG_ACCURACY).
_WINDOW_DEVIATION = 8.6
_HALF_EDGE = 70.0
# Number of entries of tables or products that are computed at a time.
_BLOCK_ENTRIES = 2**18
# Of square waves: orders times the standard deviation, the last term, most orders, and
# orders times sums that are computed at a time.
_WAVE_REACH = 12.0
_WAVE_TOLERANCE = 1e-7
_MOST_WAVES = 4096
_WAVE_ENTRIES = 2**22


def asymptotic_heights(alphas: Floats) -> Floats:
    """Return the heights from which E[exp(i t D)] is a sum of terms of the vertices.

    The last axis of `alphas` are the cells.
    """
    return np.asarray(3.0 * alphas.sum(axis=-1) + 40.0)


def mean_gaps(alphas: Floats) -> Floats:
    """Return the values v_j of D at the vertices minus its mean, shape (..., 3)."""
    b, a, r = np.moveaxis(alphas, -1, 0)
    gaps = np.stack([2 * a + r, -2 * b - r, a - b], axis=-1)
    return np.asarray(gaps / (b + a + r)[..., np.newaxis])


def difference_transforms(alphas: Floats, rates: Floats, n_orders: int) -> Complexes:
    """Return E[exp(i k rate (D - E[D]))] for k < n_orders, shape (m, n_orders).

    `alphas` are the parameters of only B, only A, and both or neither right, shape (m,
    3); `rates` are the weights times the step of the heights, not negative, shape (m,).
    """
    n = alphas.sum(axis=1)
    values = np.ones((rates.size, n_orders), dtype=complex)

    small = np.flatnonzero((n < 1) & (rates > 0))
    if small.size:
        more = alphas[small, np.newaxis] + np.eye(3)
        components = difference_transforms(
            more.reshape(-1, 3), rates[small].repeat(3), n_orders
        )
        # Each component is centred at its own mean, and the mixture at that of all.
        shift = mean_gaps(alphas[small])[:, [2]] - mean_gaps(more)[..., 2]
        phase = rates[small, np.newaxis] * shift
        phase = phase[..., np.newaxis] * np.arange(n_orders)
        weights = (alphas[small] / n[small, np.newaxis])[..., np.newaxis]
        terms = weights * components.reshape(phase.shape) * waves(phase, 0.0)
        values[small] = terms.sum(axis=1)

    rows = np.flatnonzero((n >= 1) & (rates > 0))
    if not rows.size:
        return values
    alphas = alphas[rows]
    rates = rates[rows]
    n = n[rows]

    # Rounded up to few different numbers of heights, so that rows can share a block.
    needed = np.exp2(np.ceil(2 * np.log2(asymptotic_heights(alphas) / rates + 2)) / 2)
    counts = np.minimum(np.ceil(needed), n_orders).astype(np.intp)

    # The line keeps a distance from the branch points.
    line = np.maximum(n, 3.0)
    x = _LOG_ACCURACY / line
    largest_spacing = 2 * np.pi / (2 * x / 3 + np.sqrt((2 * x / 3) ** 2 + 2 * x))

    # The line ends where one factor is negligible, or the product of all.
    vertices = alphas.argmax(axis=1)
    largest_shift = rates * (counts - 1) * np.abs(GAPS[vertices]).max(axis=1)
    with np.errstate(over="ignore"):
        of_one, of_all = (
            line * np.sqrt(np.expm1(2 * _LOG_ACCURACY / exponent))
            for exponent in (alphas.max(axis=1), n)
        )
    decayed = np.minimum(of_one, of_all + largest_shift)
    # The phases of the powers change up to about 3 n beyond their centres.
    edge = largest_shift + 20.0 + 3.0 * n + _HALF_EDGE
    edge = np.where(edge + _HALF_EDGE < decayed, edge, np.inf)

    # The spacing is the step of the heights times a power of two.
    power = np.floor(np.log2(largest_spacing / rates))
    half = np.minimum(edge + _HALF_EDGE, decayed) / (rates * np.exp2(power))
    half = np.ceil(np.exp2(np.ceil(4 * np.log2(half)) / 4))

    grids = np.stack([vertices, counts, half, power], axis=1)
    for grid in np.unique(grids, axis=0):
        alike = np.flatnonzero((grids == grid).all(axis=1))
        vertex, count, n_half = grid[:3].astype(int).tolist()
        width = max(1, _BLOCK_ENTRIES // (2 * n_half * count))
        for start in range(0, alike.size, width):
            part = alike[start : start + width]
            integrals = _line_integrals(
                alphas[part],
                line[part],
                edge[part],
                rates[part],
                vertex,
                count,
                grid[3],
                n_half,
            )
            # At the height zero the transform is one.
            integrals /= integrals[:, :1].copy()
            values[rows[part], :count] = integrals

            if count < n_orders:
                heights = rates[part, np.newaxis] * np.arange(count, n_orders)
                terms = vertex_terms(alphas[part], np.log(heights + 0j))
                gaps = mean_gaps(alphas[part])[..., np.newaxis]
                terms = terms * waves(gaps * heights[:, np.newaxis], 0.0)
                values[rows[part], count:] = terms.sum(axis=1)
    return values


def _line_integrals(
    alphas: Floats,
    line: Floats,
    edge: Floats,
    steps: Floats,
    vertex: int,
    count: int,
    power: float,
    half: int,
) -> Complexes:
    """Return integrals at the heights k step, k < count, up to a constant factor.

    The variable y is relative to the given vertex, with 2 half + 1 nodes that are
    step 2^power apart. Returns an array of shape (m, count).
    """
    n = alphas.sum(axis=1)
    spacing = steps * 2.0**power
    size = 2 * half + 1
    y = np.arange(-half, half + 1) * spacing[:, np.newaxis]
    pairs = list(zip(OTHER_VERTICES[vertex], GAPS[vertex], strict=True))

    def factor(j: int, x: Floats) -> Complexes:
        alpha, scale, total = (
            z.reshape(-1, *[1] * (x.ndim - 1)) for z in (alphas[:, j], line, n)
        )
        u = x / scale
        # The series of atan(u) - u, (-1)^k u^(2 k + 1) / (2 k + 1), does not cancel.
        small = np.clip(u, -0.1, 0.1)
        square = small * small
        terms = ((-1.0) ** np.arange(1, 10) / np.arange(3.0, 20.0, 2.0)).tolist()
        series = small * square * polynomial(square, terms)
        angle = np.where(small == u, series, np.arctan(u) - u)
        angle += x * (1 / scale - 1 / total)
        return waves(-alpha * angle, -0.5 * alpha * np.log1p(u * u))

    own = factor(vertex, y)
    if np.isfinite(edge).any():
        distance = np.abs(y) - edge[:, np.newaxis]
        own *= 0.5 * erfc(distance / (np.sqrt(2) * _WINDOW_DEVIATION))

    # Tables have the spacing of y or the step of the heights, whichever is smaller.
    stride = 2.0 ** max(power, 0)
    pace = 2.0 ** max(-power, 0)
    n_entries = 2 * half * stride + np.abs(GAPS[vertex]) * pace * (count - 1) + 1

    # The range of D: 30 standard deviations, plus 15 scales of a Gamma variable because
    # of its longer tail.
    b, a, _ = (alphas / n[:, np.newaxis]).T
    reach = np.minimum(30 * np.sqrt((b + a - (b - a) ** 2) / (n + 1)) + 15 / n, 2.0)
    n_points = chebyshev_count(0.5 * (count - 1) * float((steps * reach).max()))
    n_points = min(n_points, count)

    heights: Floats = np.arange(float(count))
    tables: list[Complexes] = []
    # Interpolation is faster if few heights are needed. An entry of a factor takes as
    # long as eight of the interpolation matrix, or as sixteen products.
    if n_points * (2 * size + count / 8) < n_entries.sum() + count * size / 16:
        if n_points < count:
            heights = (count - 1) * chebyshev_points(n_points)
    else:
        for (j, gap), length in zip(pairs, n_entries, strict=True):
            ahead = int(max(-gap, 0) * pace * (count - 1))
            entries = np.arange(length) - (half * stride + ahead)
            table = factor(j, entries * (spacing / stride)[:, np.newaxis])
            row, entry = table.strides
            strides = row, int(gap * pace) * entry, int(stride) * entry
            shape = (len(n), count, size)
            tables.append(as_strided(table[:, ahead:], shape, strides, writeable=False))

    values = np.empty((len(n), heights.size), complex)
    width = max(1, _BLOCK_ENTRIES // (size * len(n)))
    for start in range(0, heights.size, width):
        part = slice(start, start + width)
        if tables:
            first, second = (table[:, part] for table in tables)
        else:
            shifts = np.outer(steps, heights[part])
            first, second = (
                factor(j, y[:, np.newaxis] + (gap * shifts)[..., np.newaxis])
                for j, gap in pairs
            )
        products = stacked_products(first * second, own[..., np.newaxis])
        values[:, part] = products[..., 0]

    if heights.size == count:
        return values
    return chebyshev_values(
        values, chebyshev_matrix(n_points, np.linspace(0, 1, count)).T
    )


def vertex_terms(alphas: Floats, log_heights: Complexes) -> Complexes:
    """Return the terms of the vertices B, A and r in E[exp(i t D)] over exp(i t v_j).

    `alphas` has shape (m, 3). The logs of t may be complex, shape (m, N). Returns an
    array of shape (m, 3, N).
    """
    alpha = alphas[:, :, np.newaxis]
    others = alphas[:, OTHER_VERTICES]
    exponent = others.sum(axis=-1)
    scale = asymptotic_heights(alphas)[:, np.newaxis]
    gap_sum = GAPS.sum(axis=1)
    gap_product = GAPS.prod(axis=1)
    cross = (others * GAPS[:, ::-1]).sum(axis=-1)

    # The generating function f of c_m satisfies
    # (g_1 + x) (g_2 + x) f' = -(alpha_1 (g_2 + x) + alpha_2 (g_1 + x)) f.
    terms = [np.zeros_like(exponent), np.ones_like(exponent)]
    for m in range(60):
        factor = (alphas - 1 - m) / scale
        before = terms[-2] * (m - 1 + exponent) * (alphas - m) / scale
        following = (gap_sum * m + cross) * terms[-1] + before
        terms.append(-following * factor / (gap_product * (m + 1)))
        if np.abs(terms[-2:]).max(initial=0.0) < 1e-17:
            break

    # Horner's rule in scale / (i t).
    inverse = (-1j * scale * np.exp(-log_heights))[:, np.newaxis]
    total = np.zeros((*exponent.shape, log_heights.shape[1]), dtype=complex)
    for term in terms[:0:-1]:
        total *= inverse
        total += term[..., np.newaxis]

    log_gaps = np.log(np.abs(GAPS)) + 0.5j * np.pi * np.sign(GAPS)
    log_product = (others * log_gaps).sum(axis=-1)
    log_constant = gammaln(exponent) - log_beta(exponent, alpha[..., 0]) - log_product
    log_power = exponent[..., np.newaxis] * log_heights[:, np.newaxis]
    return np.asarray(total * np.exp(log_constant[..., np.newaxis] - log_power))


class PairedDifference(BoundedDistribution):
    r"""Distribution of the difference of the average recalls of two classifiers.

    This is :math:`\sum_i w_i (\theta_i^B - \theta_i^A)`, where :math:`\theta_i^A` and
    :math:`\theta_i^B` are the recalls of the classifiers A and B on class i. They are
    dependent, because both classifiers predict the same samples.
    The data are the numbers of samples that both, only A, only B or neither got right;
    the probabilities of these four outcomes have a Dirichlet posterior. With the
    default weights this is the posterior of the difference of the balanced accuracies.
    It is computed from the exact product of characteristic functions, without a grid or
    random draws.

    Parameters
    ----------
    counts : array_like of shape (l, 4)
        Numbers of samples of each class that both classifiers, only A, only B, and
        neither got right. Finite and non-negative; need not be integers.
    prior : float or array_like of shape (4,) or (l, 4), default=0.5
        Parameters of the Dirichlet prior, added to the counts; positive and finite. The
        default is Jeffreys' prior. Each sum of count and prior must be between 1e-6 and
        1e15.
    weights : array_like of shape (l,), optional
        Weights of any sign, finite and not all zero. They need not sum to one. The
        default is 1 / l each.

    Raises
    ------
    ValueError
        If an argument is out of range or the shapes do not agree.

    See Also
    --------
    BetaAverage : Balanced accuracy of one classifier, or differences between samples.

    Notes
    -----
    In class i, with the cells :math:`\alpha_B` (only B right), :math:`\alpha_A` (only A
    right) and :math:`\alpha_r` (both or neither, which do not affect the difference),

    .. math::

        \theta^B - \theta^A = p_B - p_A, \qquad
        (p_B, p_A, p_r) \sim \mathrm{Dirichlet}(\alpha_B, \alpha_A, \alpha_r).

    Positive values favour B, and ``distribution.ccdf(0)`` is the probability that B is
    better. The more often the classifiers agree, the narrower this distribution is
    compared with a difference on different samples. [1]_ reviews the Bayesian
    comparison of classifiers.

    Errors of ``cdf`` and ``ccdf`` are absolute: 1e-12, and 1e-9 beside corners with a
    prior below 1/2, however much the classes differ in size. Corners are sums of some
    of the weights, of either sign, and zero (see :ref:`numerics`). Logarithms of tails
    below 1e-11 are upper bounds.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, "Time for a change: a
       tutorial for comparing multiple classifiers through Bayesian analysis", Journal
       of Machine Learning Research 18(77), 2017, 1-36.
    .. [2] K. W. Ng, G.-L. Tian and M.-L. Tang, "Dirichlet and related distributions:
       theory, methods and applications", Wiley, 2011, chapter 2.

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
    """Sample counts (both right, only A, only B, neither), read-only, shape (l, 4)."""
    prior: Floats
    """Parameters of the Dirichlet priors, read-only, shape (l, 4)."""
    weights: Floats
    """Weights of the classes, read-only, shape (l,)."""

    def __init__(
        self,
        counts: ArrayLike,
        *,
        prior: ArrayLike = 0.5,
        weights: ArrayLike | None = None,
    ) -> None:
        self.counts = pair_counts(counts)
        shape = self.counts.shape

        array = float_array(prior, "prior")
        if array.shape not in ((), shape[1:], shape):
            raise ValueError(
                f"prior must be a number or have the shape {shape[1:]} or {shape}; "
                f"got {array.shape}."
            )
        if not (np.isfinite(array) & (array > 0)).all():
            raise ValueError("prior must be finite and positive.")
        self.prior = np.broadcast_to(array, shape).copy()
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
        self._alphas = np.column_stack(
            [cells[:, 2], cells[:, 1], cells[:, 0] + cells[:, 3]]
        )

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of classes."""
        sd = self.standard_deviation()
        return (
            f"PairedDifference(mean={self.mean():.4g}, sd={sd:.4g}, "
            f"n_classes={len(self.counts)})"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Include the frame: that of a negated distribution cannot be recomputed."""
        return {**super().__getstate__(), "_frame": self._frame}

    def __neg__(self) -> "PairedDifference":
        """Return the distribution of the negated variable, with A and B exchanged."""
        distribution = PairedDifference(
            self.counts, prior=self.prior, weights=-self.weights
        )
        # The frame of equal weights 1 / l is exact; weights in an array are rounded.
        vars(distribution)["_frame"] = self._frame.mirrored()
        return distribution

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        total = np.zeros(shape)
        for (b, a, r), weight in zip(self._alphas, self.weights, strict=True):
            disagreement = rng.beta(b + a, r, size=shape)
            total += weight * disagreement * (2 * rng.beta(b, a, size=shape) - 1)
        return total

    @cached_property
    def _cumulants(self) -> Floats:
        n = self._alphas.sum(axis=1)
        gaps = mean_gaps(self._alphas)
        second, third, fourth = (
            (self._alphas * gaps**k).sum(axis=1) / n for k in (2, 3, 4)
        )
        rising = (n + 1) * (n + 2)
        # The fourth cumulant m_4 - 3 m_2^2, without cancellation of common terms.
        excess = 6 * fourth - 3 * second * second * (4 * n + 6) / (n + 1)
        cumulants = np.array(
            [second / (n + 1), 2 * third / rising, excess / (rising * (n + 3))]
        )
        return np.asarray((self.weights ** [[2], [3], [4]] * cumulants).sum(axis=1))

    @cached_property
    def _frame(self) -> Frame:
        b, a, r = self._alphas.T
        weights = None if self._equal else self.weights
        mean_b = weighted_means(b, a + r, weights)
        mean_a = weighted_means(a, b + r, weights)
        mean, mean_rest = exact_sum([*map(float, mean_b), *(-float(x) for x in mean_a)])

        size = np.abs(self.weights)
        high = 1.0 if self._equal else math.fsum(size.tolist())
        to_ends = np.abs(mean_gaps(self._alphas)[:, :2]).T
        to_high, to_low = np.where(self.weights > 0, to_ends, to_ends[::-1]) @ size
        return Frame(-high, high, mean, mean_rest, float(to_low), float(to_high))

    @cached_property
    def _centred(self) -> Series:
        ((_, series),) = series_of(Pairs.of(self._alphas, self.weights))
        return series


def probabilities_above(alphas: Floats, weights: Floats) -> Floats:
    r"""Return P(X > 0) for many sums X over the same classes, shape (P,).

    Of one class, P(p_B > p_A) is that of a Beta(alpha_B, alpha_A) variable above 1/2,
    exactly. Of several, the sign of X on its support [-L, L] is the square wave

    .. math::

        \operatorname{sign}(x) = \frac{4}{\pi} \sum_{k \text{ odd}}
        \frac{\sin(k \pi x / L)}{k},

    whose expectation needs the transforms of the different cells of each class only
    once. The error is 1e-7 at most.

    Parameters
    ----------
    alphas : ndarray of shape (P, l, 3)
        Parameters of the cells only B, only A, and both or neither right.
    weights : ndarray of shape (l,)
        Weights of the classes, not all zero.

    Returns
    -------
    probabilities : ndarray of shape (P,)
        NaN where more than 4,096 terms would be needed.
    """
    alphas = np.where(weights[:, np.newaxis] > 0, alphas, alphas[..., [1, 0, 2]])
    alphas = alphas[:, weights != 0]
    size = np.abs(weights[weights != 0])
    if size.size == 1:
        return np.asarray(betainc(alphas[:, 0, 1], alphas[:, 0, 0], 0.5))

    step = np.pi / size.sum()
    n = alphas.sum(axis=-1)
    means = (alphas[..., 0] - alphas[..., 1]) / n
    variances = (alphas[..., :2].sum(axis=-1) / n - means**2) / (n + 1)
    deviations = np.sqrt(variances @ size**2)
    needed = np.exp2(np.ceil(np.log2(_WAVE_REACH / (step * deviations))))
    needed = np.clip(needed, 32, _MOST_WAVES).astype(np.intp)

    probabilities = np.empty(len(alphas))
    for n_orders in np.unique(needed).tolist():
        alike = np.flatnonzero(needed == n_orders)
        odd = np.arange(1, n_orders, 2)
        width = _WAVE_ENTRIES // n_orders
        for start in range(0, alike.size, width):
            rows = alike[start : start + width]
            phases = step * np.multiply.outer(means[rows] @ size, odd)
            terms = waves(phases, 0.0)
            for i, weight in enumerate(size.tolist()):
                cells, which = np.unique(alphas[rows, i], axis=0, return_inverse=True)
                rates = np.full(len(cells), weight * step)
                transforms = difference_transforms(cells, rates, n_orders)
                terms *= transforms[which.ravel(), 1::2]
            sums = 0.5 + 2 / np.pi * (terms.imag / odd).sum(axis=1)
            is_resolved = np.abs(terms[:, -1]) < _WAVE_TOLERANCE
            probabilities[rows] = np.where(is_resolved, np.clip(sums, 0, 1), np.nan)
    return probabilities


def pair_counts(counts: ArrayLike) -> Floats:
    """Return a read-only copy of the cell counts of a pair, shape (n_classes, 4)."""
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
class Pairs:
    """The sum of some classes, as one of `skpostbac.stats._fourier.Sums`.

    Attributes
    ----------
    alphas : array of shape (l, 3)
        Parameters of the cells only B, only A, and both or neither right.
    weights : array of shape (l,)
        Positive weights; zero for classes that are replaced by their means.
    count : array of shape (l,)
        Multiplicities of the classes.
    size : array of shape (l,)
        Weights, also of the classes that are replaced.
    """

    alphas: Floats
    weights: Floats
    count: Floats
    size: Floats

    @classmethod
    def of(cls, alphas: Floats, weights: Floats) -> "Pairs":
        """Return the distinct classes; those of negligible variance become constants.

        A and B are exchanged where a weight is negative.
        """
        oriented = np.where(weights[:, np.newaxis] > 0, alphas, alphas[:, [1, 0, 2]])
        rows = np.column_stack([oriented, np.abs(weights)])
        rows, count = np.unique(rows[weights != 0], axis=0, return_counts=True)
        size = rows[:, 3]
        pairs = cls(rows[:, :3], size, count.astype(float), size)
        is_used = pairs.variances > NARROW**2 * pairs.variance
        return replace(pairs, weights=np.where(is_used, size, 0.0))

    def classes(self, index: Any) -> "Pairs":
        """Return the sum of some classes, that a NumPy index selects."""
        return Pairs(
            self.alphas[index], self.weights[index], self.count[index], self.size[index]
        )

    @property
    def used(self) -> "Pairs":
        """The classes that are not constants."""
        return self.classes(self.weights > 0)

    @property
    def variances(self) -> Floats:
        """Variance of each weighted class."""
        b, a, r = self.alphas.T
        n = b + a + r
        second = (4 * a * b + r * (a + b)) / (n * n)
        return np.asarray(second / (n + 1) * self.weights**2)

    @property
    def variance(self) -> Floats:
        return np.array([(self.count * self.variances).sum()])

    @property
    def decay(self) -> Floats:
        exponents = self.used.alphas.sum(axis=1) - self.used.alphas.max(axis=1)
        return np.array([self.used.count @ exponents])

    @property
    def resolved(self) -> Floats:
        is_used = self.weights > 0
        heights = np.zeros_like(self.weights)
        np.divide(
            asymptotic_heights(self.alphas), self.weights, out=heights, where=is_used
        )
        return heights[np.newaxis]

    @property
    def vanishing(self) -> Floats:
        # The bound is that of Gamma variables at the vertices beside the largest one.
        used = self.used
        top = used.alphas.argmax(axis=1)
        exponents = np.take_along_axis(used.alphas, OTHER_VERTICES[top], axis=1)
        squares = GAPS[top] ** 2
        scale = used.variances / (exponents * squares).sum(axis=1)
        ratios = squares * scale[:, np.newaxis]
        exponents = used.count[:, np.newaxis] * exponents
        return vanishing_heights(
            exponents.reshape(1, -1), ratios.reshape(1, -1), self.variance
        )

    @property
    def means(self) -> Floats:
        to_high, to_low, _ = mean_gaps(self.alphas).T
        distances = np.array([0 * to_low, -to_low, -to_high])
        return np.asarray(distances @ (self.count * self.size))[:, np.newaxis]

    @property
    def have_one_peak(self) -> Bools:
        return np.array([(self.used.alphas >= 1).all()])

    def __getitem__(self, rows: Any) -> "Pairs":
        del rows  # there is one
        return self

    def only(self, chosen: Bools) -> "Pairs":
        return self.classes(chosen[0])

    def ranges(self) -> Floats:
        n = self.alphas.sum(axis=1)
        gaps = mean_gaps(self.alphas)
        # A variable between -w and w is sub-Gaussian with the variance w^2 (Hoeffding's
        # lemma).
        spread = np.minimum((self.alphas * gaps**2).sum(axis=1) / n**2, 1.0)
        variance = (self.count * self.weights**2 * spread).sum()
        scale = (self._to_ends / n).max(axis=1, initial=0.0)
        bounds = chernoff_bounds(scale, variance, self._to_ends @ self.count)
        return bounds[:, np.newaxis]

    @property
    def _to_ends(self) -> Floats:
        """Distances of both ends of each variable from its mean, shape (2, l)."""
        to_high, to_low, _ = mean_gaps(self.alphas).T
        return np.asarray(self.weights * [-to_low, to_high])

    def end_densities(self, reach: Floats) -> Floats:
        # Beside an end of the support, where the other cells have the exponents e_k and
        # distances g_k, the density at the distance d is in the limit
        #
        #     prod_i (Gamma(n_i) / Gamma(alpha_i) prod_k (w_i g_ik)^-e_ik) d^(S - 1) /
        #     Gamma(S), S = sum_ik e_ik.
        used = self.used
        own = used.alphas[:, [1, 0]]
        others = used.alphas[:, OTHER_VERTICES[[1, 0]]]
        lengths = np.multiply.outer(used.weights, np.abs(GAPS[[1, 0]]))
        exponent = others.sum(axis=2)
        logs = gammaln(exponent) - log_beta(exponent, own)
        logs -= (others * np.log(lengths)).sum(axis=2)
        limits = power_limits(used.count @ exponent, used.count @ logs)
        is_end = reach[:, 0] >= self._to_ends @ self.count
        return np.where(is_end, limits, 0.0)[:, np.newaxis]

    def coefficients(self, step: Floats, n_orders: int) -> Complexes:
        values = difference_transforms(self.alphas, step * self.weights, n_orders)
        powers = values[:, 1:] ** self.count[:, np.newaxis]
        return np.asarray(powers.prod(axis=0, keepdims=True))

    def corners(
        self, log_orders: Complexes, step: Floats, scale: Floats
    ) -> tuple[Floats, Complexes]:
        used = self.used
        log_heights = np.log(step * used.weights)[:, np.newaxis] + log_orders
        ends = np.empty((3, used.count.size, 3))
        ends[0] = mean_gaps(used.alphas)
        ends[1] = _VALUES + 1
        ends[2] = _VALUES - 1
        return corners_of_sum(
            self.classes(self.weights == 0).means,
            ends * used.weights[:, np.newaxis],
            _VALUES,
            vertex_terms(used.alphas, log_heights),
            used.weights,
            used.count,
            scale,
        )
