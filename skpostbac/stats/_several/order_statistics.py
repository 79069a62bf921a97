r"""Order statistics of independent distributions on bounded intervals, by deterministic quadrature.

The probability that variable i takes rank r is a Stieltjes integral,

    P(rank_i = r) = \int P(exactly r - 1 of the others exceed x) dF_i(x),

and so are P(X_i > X_j), the expected shortfall, and the distribution of the range: variable i is
the smallest, and all others are within d above it,

    P(max - min <= d) = \sum_i \int \prod_{j \ne i} (F_j(x + d) - F_j(x)) dF_i(x).

All distributions share one set of `panels`, which are halved until their distribution functions,
and products of these, are resolved. By summation by parts every row of the rank probabilities adds
up to 1, and P(X_i > X_j) + P(X_j > X_i) too, whatever the panels. Errors are absolute: those of the
distribution functions, and about 1e-12 where densities have kinks.

A distribution whose mass sits within a few spacings of doubles of a nonzero end of its support,
such as one Beta(10, 0.01) alone, cannot be resolved by values of x; its rank against another of the
kind is then known to some 1e-5 or less well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._numerics import integrate, matrix_product
from skpostbac.stats._several.panels import (
    LAST_COEFFICIENTS,
    NODES,
    STIFFNESS,
    TO_LEGENDRE,
    WEIGHTS,
    PanelDistribution,
    places_in_panels,
    resolve,
    resolved_panels,
)

# A panel is resolved once the last Legendre coefficients, times what they can matter, are below
# this. They overstate the error of an integral where F is smooth: what is left out of F is nearly
# orthogonal to the other factor, and column sums came out within 1e-13 even at 1e-8. Beside an end
# at which F rises like a power below one they do not: probabilities of ranks were off by 2.5e-9 for
# exponents of 0.55.
TOLERANCE = 1e-9
# Distributions whose noise exceeds the tolerance would be halved for ever: stop at this many
# panels. Shorter ones in units of the spacing of doubles show the rounding of x.
MAX_PANELS, _SHORTEST = 512, 2.0**12
# The first panels cover the masses of all distributions to this many standard deviations, and those
# of a range its likeliest part.
FIRST_PANELS, REACH, _FIRST_OF_RANGE = 6, 8.0, 4
# Pieces of the integral of a tail, its relative error, and the absolute error of probabilities.
_PIECES, _TOLERANCE, _ERROR = 16, 1e-11, 1e-13
# Numbers in an array of a quarter of a megabyte, which stays near the processor.
_BLOCK = 2**15


class Distribution(Protocol):
    """Interface of a distribution on a bounded interval."""

    def support(self) -> tuple[float, float]:
        """Return both ends."""
        ...

    def mean(self) -> float:
        """Return the mean."""
        ...

    def standard_deviation(self) -> float:
        """Return the standard deviation."""
        ...

    def cdf(self, x: Floats, /) -> Any:
        """Return P(X <= x)."""
        ...


@dataclass(frozen=True)
class JointPanels:
    """Distribution functions of T variables on the nodes of P common panels.

    Attributes
    ----------
    edges : array of shape (P, 2)
        Ends of each panel, rising.
    cdf : array of shape (P, n, T)
        P(X <= x) at the n nodes of each panel, for each distribution.
    """

    edges: Floats
    cdf: Floats

    def integrate(self, values: Floats) -> Floats:
        """Integrate node values of shape (P, n, ...) over x."""
        half = np.diff(self.edges, axis=1)[:, 0] / 2
        return np.asarray(np.einsum("p,n,pn...->...", half, WEIGHTS, values))

    def increments(self) -> Floats:
        """Return v with ``sum(g * v)`` the integral of g dF_i for each i, shape (P, n, T)."""
        # F - 1 increases as F does, and rounding is that of the smaller tail.
        return np.asarray(STIFFNESS @ np.where(self.cdf[:, :1] > 0.5, self.cdf - 1, self.cdf))


def resolve_jointly(distributions: Sequence[Distribution]) -> JointPanels:
    """Cut the joint support into panels that resolve all distribution functions."""
    means = np.array([distribution.mean() for distribution in distributions])
    reach = REACH * np.array([distribution.standard_deviation() for distribution in distributions])
    lows, highs = zip(*(distribution.support() for distribution in distributions), strict=True)
    low, high = min(lows), max(highs)
    first, last = np.clip([np.min(means - reach), np.max(means + reach)], low, high)
    edges = np.unique([low, *np.linspace(first, last, FIRST_PANELS + 1), high])

    def evaluate(x: Floats) -> Floats:
        return np.stack([distribution.cdf(x) for distribution in distributions], axis=-1)

    return JointPanels(*resolved_panels(evaluate, _is_unresolved, edges, MAX_PANELS))


def _is_unresolved(edges: Floats, cdf: Floats) -> Bools:
    """Return which panels have an error above the tolerance and can still be halved.

    What is left out of the products of all functions matters as far as one of them varies on the
    same panel, and in proportion to its length for the integrals over x.
    """
    lengths = np.diff(edges, axis=1)
    spread = (cdf[:, -1] - cdf[:, 0]).max(axis=1)
    counts = np.einsum("kn,pnt->pkt", LAST_COEFFICIENTS, _counts_above(cdf))
    errors = np.abs(counts).max(axis=(1, 2)) * np.maximum(spread, lengths[:, 0])
    is_long = lengths[:, 0] > _SHORTEST * np.spacing(np.abs(edges).max(axis=1))
    return np.asarray((errors > TOLERANCE) & is_long)


def _counts_above(cdf: Floats) -> Floats:
    """Return P(k of the T variables exceed x), k = 0, ..., T, at each node, (..., T + 1).

    That is a Poisson-binomial distribution (Hong, Computational Statistics & Data Analysis 59,
    2013).
    """
    total = np.zeros((*cdf.shape[:-1], cdf.shape[-1] + 1))
    total[..., 0] = 1.0
    for i in range(cdf.shape[-1]):
        below = cdf[..., i, np.newaxis]
        above = total[..., :-1] * (1 - below)
        total *= below
        total[..., 1:] += above
    return total


def pairwise_probabilities(panels: JointPanels) -> Floats:
    """Return P(X_i > X_j), shape (T, T), with 1/2 on the diagonal; ``P + P.T`` is 1 everywhere."""
    count = panels.cdf.shape[2]
    probabilities = panels.increments().reshape(-1, count).T @ panels.cdf.reshape(-1, count)
    np.fill_diagonal(probabilities, 0.5)  # exactly, not only up to rounding
    return probabilities


def rank_probabilities(panels: JointPanels) -> Floats:
    """Return P(variable i takes rank r), shape (T, T); column 0 is rank 1, the largest.

    Rows and columns add up to 1. At every node each distribution in turn is divided out of that of
    the number above x, which costs T steps on arrays of nodes x distributions, T times fewer than T
    products.
    """
    count = panels.cdf.shape[2]
    cdf, increments = panels.cdf.reshape(-1, count), panels.increments().reshape(-1, count)
    counts = _counts_above(cdf)
    ranks = np.zeros((count, count))
    # Dividing by the larger of the two probabilities never magnifies a rounding error.
    is_low = cdf < 0.5
    for chosen, step in ((~is_low, 1), (is_low, -1)):
        larger = np.where(chosen, np.where(is_low, 1 - cdf, cdf), 1.0)
        ratio = np.where(chosen, 1 / larger - 1, 0.0)
        quotient = np.zeros_like(cdf)
        for k in range(count)[::step]:
            total = counts[:, k if step > 0 else k + 1, np.newaxis]
            quotient = total / larger - ratio * quotient
            ranks[:, k] += np.sum(quotient * increments * chosen, axis=0)
    return np.maximum(ranks, 0.0)


def expected_shortfalls(panels: JointPanels) -> Floats:
    """Return E[max_j X_j - X_i] for each i, shape (T,).

    The integral of P(X_i <= x < the largest of the others), which is never negative.
    """
    others = _products_of_others(np.moveaxis(panels.cdf, -1, 0))
    shortfalls = panels.integrate(panels.cdf * (1 - np.moveaxis(others, 0, -1)))
    return np.maximum(shortfalls, 0.0)


def _products_of_others(values: Floats) -> Floats:
    """Return, for each entry of the first axis, the product of all others, without a division."""
    ones = np.ones_like(values[:1])
    before = np.cumprod(np.concatenate([ones, values[:-1]]), axis=0)
    after = np.cumprod(np.concatenate([ones, values[:0:-1]]), axis=0)
    return np.asarray(before * after[::-1])


def smallest(distributions: Sequence[Distribution]) -> PanelDistribution:
    """Return the distribution of the smallest of independent variables."""
    panels = resolve_jointly(distributions)
    return PanelDistribution(panels.edges, 1 - np.prod(1 - panels.cdf, axis=-1))


def largest_distance(distributions: Sequence[Distribution]) -> PanelDistribution:
    """Return the distribution of the largest less the smallest of independent variables.

    For each distance d panels are cut where x or x + d is at the end of one: between the cuts
    F_i(x) and F_j(x + d) are polynomials, also where a distribution function rises like a root.
    """
    panels = resolve_jointly(distributions)
    series = np.einsum("kn,pnt->pkt", TO_LEGENDRE, panels.cdf)
    ends = np.append(panels.edges[:, 0], panels.edges[-1, 1])

    def at(middle: Floats, x: Floats) -> Floats:
        """Sum the series of all functions at points of the panel at `middle`, (T, *x.shape)."""
        panel, _ = places_in_panels(panels.edges, middle)
        low, high = panels.edges[panel].T[..., np.newaxis]
        u = np.clip((2 * x - low - high) / (high - low), -1.0, 1.0)
        powers = np.polynomial.legendre.legvander(u, series.shape[1] - 1)
        return np.moveaxis(powers @ series[panel], -1, 0)

    def within(d: Floats) -> Floats:
        """Return P(max - min <= d)."""
        shifted = np.clip(ends - d[:, np.newaxis], ends[0], ends[-1])
        cuts = np.sort(np.hstack([np.broadcast_to(ends, shifted.shape), shifted]), axis=1)
        row, piece = np.nonzero(np.diff(cuts, axis=1) > 0)
        low, high, shift = cuts[row, piece], cuts[row, piece + 1], d[row]
        # The panel of a piece is that of its middle: its ends belong to neighbours, too.
        middle = (low + high) / 2
        x = middle[:, np.newaxis] + (high - low)[:, np.newaxis] / 2 * NODES
        here, there = at(middle, x), at(middle + shift, x + shift[:, np.newaxis])
        others = _products_of_others(np.maximum(there - here, 0.0))
        slopes = matrix_product(others.reshape(-1, NODES.size), STIFFNESS).reshape(others.shape)
        integrals = np.einsum("tqk,tqk->q", slopes, here)
        return np.asarray(np.bincount(row, integrals, len(d)), np.float64)

    def cdf(d: Floats) -> Floats:
        size = max(1, _BLOCK // (2 * panels.cdf.size))
        return np.concatenate([within(d[i : i + size]) for i in range(0, d.size, size)])

    sd = max(distribution.standard_deviation() for distribution in distributions)
    means = [distribution.mean() for distribution in distributions]
    reach = float(ends[-1] - ends[0])
    far = min(reach, max(means) - min(means) + REACH * sd)
    return resolve(cdf, np.unique([*np.linspace(0.0, far, _FIRST_OF_RANGE + 1), reach]))


def mean_positive_part(distribution: Distribution) -> float:
    """Return E[max(X, 0)] as the integral of P(X > x) over all x > 0.

    Examples
    --------
    >>> from skpostbac.stats import BetaAverage
    >>> one, two = BetaAverage([3], [2]), BetaAverage([2], [3])
    >>> mean_positive_part(one - two)  # 17 / 70
    0.24286
    """
    low, high = distribution.support()
    start = max(0.0, low)
    above = 1 - float(distribution.cdf(np.array(start)))
    if high <= start or above <= 0:
        return start
    units = np.linspace(-REACH, REACH, _PIECES + 1) * distribution.standard_deviation()
    edges = np.unique(np.clip([low, *(distribution.mean() + units), high], start, high))

    def tail(_: Indices, x: Floats) -> Floats:
        return np.asarray(1 - distribution.cdf(x))

    # Not better than the errors of probabilities
    tolerance = min(_TOLERANCE + _ERROR / above, 0.1)
    return start + float(integrate(tail, edges[np.newaxis], tolerance)[0])
