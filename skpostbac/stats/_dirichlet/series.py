r"""Series of weighted sums of paired differences, and their corners.

The characteristic function of X = sum_i w_i D_i is computed at the multiples of a step until it
vanishes, or until the vertices of all classes are apart (`transform`). From there on it is a sum
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

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._dirichlet.transform import (
    GAPS,
    OTHERS,
    mean_gaps,
    resolved,
    transforms,
    vertex_shares,
)
from skpostbac.stats._numerics import Rows, log_beta, waves
from skpostbac.stats._series import (
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

# Coefficients of classes, or values at orders of their vertices, that are held at a time.
_BLOCK = 2**20
# Log of the size of corners at the first order that are left out, and most of the corners.
_LEAST, _MOST_CORNERS, _TINY = -39.0, 512, 1e-290
# Places of corners, as shares of the range, and powers of the density that are the same.
_SAME, _SAME_POWER = 1e-13, 1e-9


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


def cumulants(alphas: Floats, weights: Floats) -> Floats:
    """Second, third and fourth cumulant of sum(weights * (p_B - p_A))."""
    n, gaps = alphas.sum(axis=1), mean_gaps(alphas)
    second, third, fourth = ((alphas * gaps**k).sum(axis=1) / n for k in (2, 3, 4))
    rising = (n + 1) * (n + 2)
    # The difference of m_4 and 3 m_2^2, with what they share taken out.
    spread = 6 * fourth - 3 * second * second * (4 * n + 6) / (n + 1)
    terms = [
        weights**2 * second / (n + 1),
        weights**3 * 2 * third / rising,
        weights**4 * spread / (rising * (n + 3)),
    ]
    return np.asarray(np.sum(terms, axis=1))


def series_of(pairs: Pairs) -> Series:
    """Return the series of a sum of classes, as an array of one distribution."""
    (below, above), variance = _ranges(pairs), (pairs.count * pairs.variances).sum()
    step = 2 * np.pi / (PERIOD * (below + above))
    resolving = resolved(pairs.alphas) / (pairs.weights * step)
    whole = _vanishing_height(pairs) / step
    order = int(orders(np.array([whole]), resolving.max(keepdims=True), pairs.count.size)[0])
    is_narrow, corners = resolving > order, None
    if whole <= order:
        coefficients = _coefficients(pairs, step, order)
    else:
        wide, narrow = pairs[~is_narrow], _coefficients(pairs[is_narrow], step, order)
        nodes, masses = np.zeros(1), np.ones(1)
        if is_narrow.any():
            nodes, masses = _points(pairs[is_narrow])
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
        np.array([2 * np.pi / step]),
        np.array([-below]),
        np.array([above]),
        np.array([np.sqrt(variance)]),
        _end_densities(pairs, below, above),
        # Projections of log-concave densities are log-concave, as are sums of such variables
        # (Prekopa, Acta Scientiarum Mathematicarum 34, 1973).
        bool((pairs.alphas >= 1).all()),
        coefficients[np.newaxis],
        corners,
    )


def _ranges(pairs: Pairs) -> tuple[float, float]:
    """Distances from the mean, below and above, beyond which nothing counts."""
    n, gaps = pairs.alphas.sum(axis=1), mean_gaps(pairs.alphas)
    spread = (pairs.alphas * gaps**2).sum(axis=1) / n**2
    # A variable between -w and w is sub-Gaussian with the variance w^2 (Hoeffding's lemma).
    square = 2 * DEPTH * (pairs.count * pairs.weights**2 * np.minimum(spread, 1.0)).sum()
    found = []
    for gap in (-gaps[:, 1], gaps[:, 0]):
        reach = 2 / 3 * DEPTH * (pairs.weights * gap / n).max()
        end = (pairs.count * pairs.weights * gap).sum()
        found.append(float(min(reach + np.sqrt(reach * reach + square), end)))
    return found[0], found[1]


def _vanishing_height(pairs: Pairs) -> float:
    """Height from which the transform is negligible."""
    top, variances = pairs.alphas.argmax(axis=1), pairs.variances
    exponents = np.take_along_axis(pairs.alphas, OTHERS[top], axis=1)
    squares = GAPS[top] ** 2
    ratios = squares * (variances / (exponents * squares).sum(axis=1))[:, np.newaxis]
    exponents, variance = pairs.count[:, np.newaxis] * exponents, (pairs.count * variances).sum()
    found = vanishing_heights(exponents.reshape(1, -1), ratios.reshape(1, -1), np.array([variance]))
    return float(found[0])


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
    product, size = np.ones(order - 1, dtype=complex), max(1, _BLOCK // order)
    for start in range(0, pairs.count.size, size):
        part = pairs[start : start + size]
        values = transforms(part.alphas, step * part.weights, order)[:, 1:]
        product *= (values ** part.count[:, np.newaxis]).prod(axis=0)
    return product


def _points(pairs: Pairs) -> tuple[Floats, Floats]:
    """Nodes and weights of a Gauss rule for a sum of classes, about its mean."""
    moments = central_moments(pairs.alphas, ORDER)[:, np.newaxis]
    nodes, weights = gauss_points(moments, pairs.weights[np.newaxis], pairs.count[np.newaxis])
    return nodes[0], weights[0]


def _corners(
    wide: Pairs, places: Floats, masses: Floats, log_orders: Complexes, step: float
) -> tuple[Floats, Complexes]:
    """Places of corners, (C,), and their values at orders whose logs are given, (C, s, N).

    All corners of a sum are seen from each of some places with masses.
    """
    values = np.broadcast_to(masses[:, np.newaxis].astype(complex), (masses.size, log_orders.size))
    same = _SAME * (wide.count * wide.weights).sum()
    size = max(1, _BLOCK // (3 * log_orders.size))
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
        np.divide(others, kept, out=ratios, where=np.abs(kept) > _TINY)
        shifts = -part.weights[:, np.newaxis] * GAPS[top]
        weight = np.abs(ratios[:, :, 0]).sum(axis=1) * part.count
        for i in np.flatnonzero(weight * np.abs(values[:, 0]).max() > np.exp(_LEAST)):
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
    places: Floats,
    values: Complexes,
    shifts: Floats,
    ratios: Complexes,
    same: float,
    scale: float,
) -> tuple[Floats, Complexes]:
    """Products of waves exp(i t place) value and exp(i t shift) ratio that count."""
    size = scale * np.abs(np.outer(values[:, 0], ratios[:, 0]))
    first, last = np.nonzero(size > np.exp(_LEAST))
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
