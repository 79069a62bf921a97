r"""Order statistics of independent distributions on bounded intervals, by deterministic quadrature.

The probability that variable i takes rank r is a Stieltjes integral,

    P(rank_i = r) = \int P(exactly r - 1 of the others exceed x) dF_i(x),

and so are P(X_i > X_j) and the expected shortfall. All distributions share one set of panels with
Gauss-Lobatto-Legendre nodes. On a panel the operator ``STIFFNESS`` integrates g dF from the node
values of g and F alone: no density is evaluated, so an infinite one at an end of the support
does no harm. It obeys summation by parts, ``S + S.T = diag(-1, 0, ..., 0, 1)``, whence every row
of the rank probabilities adds up to 1, and P(X_i > X_j) + P(X_j > X_i) too, whatever the panels.

Panels are halved until all distribution functions, and their products, are resolved. Nodes at
both ends mean that the mass of a distribution, however narrow, cannot slip between two nodes
unseen.

Products of distribution functions need no more than absolute accuracy, and two contours of each
distribution give that at all nodes: one for the tail above its mean, one for the tail below. Their
errors are about 1e-15 at the mean and fall off outwards, so that even probabilities of 1e-10 come
out right to six digits. Only `sharpen` asks for the far tails themselves, at ten times the price.

A distribution whose mass sits within a few spacings of doubles of a nonzero end of its support,
such as one Beta(10, 0.01) alone, cannot be resolved by values of x; its rank against another of the
kind is then known to some 1e-5 or less well.

References
----------
.. [1] B. Strand (1994). Summation by parts for finite difference approximations for d/dx.
   Journal of Computational Physics 110, 47-67.
.. [2] Y. Hong (2013). On computing the distribution function for the Poisson binomial
   distribution. Computational Statistics & Data Analysis 59, 41-51.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.polynomial import legendre

from skpostbac._utils import Bools, Floats
from skpostbac.stats._distribution import LeftOut, Values
from skpostbac.stats._numerics import Frame, Rows

__all__ = [
    "Distribution",
    "JointPanels",
    "expected_shortfalls",
    "pairwise_probabilities",
    "rank_probabilities",
    "resolve_jointly",
    "sharpen",
]

# Gives P(X <= x) and P(X > x) of one distribution.
BothTails = Callable[[Floats], tuple[Floats, Floats]]

# A panel is resolved once the last Legendre coefficients, times what they can matter, are below
# this. They overstate the error of an integral where F is smooth: what is left out of F is nearly
# orthogonal to the other factor, and column sums came out within 1e-13 even at 1e-8. Beside an end
# at which F rises like a power below one they do not: probabilities of ranks were off by 2.5e-9 for
# exponents of 0.55.
TOLERANCE = 1e-9
# Distributions whose noise exceeds the tolerance would be halved for ever: stop at this many
# panels.
MAX_PANELS = 512
# The first panels cover the masses of all distributions to this many standard deviations.
FIRST_PANELS = 6
REACH = 8.0


@runtime_checkable
class Evaluated(Protocol):
    """Interface of a distribution whose tails cost little."""

    def _values(self, x: Floats, /) -> Floats:
        """Return P(X <= x), P(X > x) and the density, to absolute accuracy."""
        ...


class Distribution(Protocol):
    """Interface of a distribution on a bounded interval."""

    @property
    def _frame(self) -> Frame:
        """Both ends of the support and the mean."""
        ...

    def _centre(self, y: Floats, /) -> Values:
        """Return the upper tail at distances from the mean, to absolute accuracy."""
        ...

    def __neg__(self) -> "Distribution":
        """Return the distribution of the negated variable."""
        ...

    def cdf(self, x: Floats, /) -> Any:
        """Return P(X <= x), to relative accuracy."""
        ...

    def ccdf(self, x: Floats, /) -> Any:
        """Return P(X > x), to relative accuracy."""
        ...

    def standard_deviation(self) -> float:
        """Return the standard deviation."""
        ...


def _lobatto_nodes(count: int) -> tuple[Floats, Floats]:
    """Return the nodes on [-1, 1] and weights of a rule exact to degree ``2 count - 3``."""
    top = legendre.Legendre.basis(count - 1)
    nodes = np.concatenate([[-1.0], np.sort(top.deriv().roots().real), [1.0]])
    nodes = (nodes - nodes[::-1]) / 2
    return nodes, 2 / (count * (count - 1) * top(nodes) ** 2)


def _stiffness(nodes: Floats, weights: Floats) -> Floats:
    r"""Return S with ``g @ S @ f`` the integral of g df for interpolants g and f.

    S_kl is the integral of l_k l_l' for the Lagrange polynomials of the nodes. It does not depend
    on the length of the panel.
    """
    top = len(nodes) - 1
    slopes = legendre.legval(nodes, legendre.legder(np.eye(top + 1)))
    derivative = slopes.T @ np.linalg.inv(legendre.legvander(nodes, top))
    stiffness = weights[:, np.newaxis] * derivative
    # Summation by parts to the last bit, not only to rounding.
    boundary = np.zeros_like(stiffness)
    boundary[0, 0], boundary[top, top] = -0.5, 0.5
    return (stiffness - stiffness.T) / 2 + boundary


NODES, WEIGHTS = _lobatto_nodes(16)
STIFFNESS = _stiffness(NODES, WEIGHTS)
# From node values to Legendre coefficients, and to the last three of them.
TO_LEGENDRE = np.linalg.inv(legendre.legvander(NODES, NODES.size - 1))
LAST_COEFFICIENTS = TO_LEGENDRE[-3:]


@dataclass(frozen=True)
class JointPanels(Rows):
    """Distribution functions of T variables on the nodes of P common panels.

    Attributes
    ----------
    edges : array of shape (P, 2)
        Ends of each panel.
    cdf, ccdf : arrays of shape (P, n, T)
        P(X <= x) and P(X > x) at the n nodes of each panel, for each distribution.
    """

    edges: Floats
    cdf: Floats
    ccdf: Floats

    @property
    def lengths(self) -> Floats:
        """Length of each panel."""
        return self.edges[:, 1] - self.edges[:, 0]

    def integrate(self, values: Floats) -> Floats:
        """Integrate node values of shape (P, n, ...) over x."""
        integral: Floats = np.einsum("p,n,pn...->...", self.lengths / 2, WEIGHTS, values)
        return integral

    def counts_above(self) -> Floats:
        """Return P(k of the variables exceed x), k = 0, ..., T, at each node, (P, n, T + 1)."""
        return _poisson_binomial(self.ccdf, self.cdf)

    def increments(self) -> Floats:
        """Return v with ``sum(g * v)`` the integral of g dF_i for each i, shape (P, n, T)."""
        # F - 1 increases as F does, and keeps the digits of a small upper tail.
        is_high = self.cdf[:, :1] > 0.5
        increments: Floats = STIFFNESS @ np.where(is_high, -self.ccdf, self.cdf)
        return increments


def resolve_jointly(
    distributions: Sequence[Distribution], *, is_absolute: bool = False
) -> JointPanels:
    """Cut the joint support into panels that resolve all distribution functions.

    Parameters
    ----------
    distributions : sequence of T distributions
        Independent distributions.
    is_absolute : bool, default=False
        Whether tails need no more than an absolute accuracy of 1e-14: those of smooth
        distributions are found sooner then.

    Returns
    -------
    JointPanels
        Panels in increasing order.
    """
    points = _first_points(distributions)
    tails = [
        (is_absolute and _evaluated_tails(distribution)) or _central_tails(distribution)
        for distribution in distributions
    ]
    fresh = _evaluate(tails, np.column_stack([points[:-1], points[1:]]))
    done: list[JointPanels] = []
    while len(fresh.edges):
        count = len(fresh.edges) + sum(len(panels.edges) for panels in done)
        split = _is_unresolved(fresh) if count <= MAX_PANELS else np.zeros(len(fresh.edges), bool)
        done.append(fresh[~split])
        fresh = _evaluate(tails, halves(fresh.edges[split]))
    return _in_order(done)


def sharpen(panels: JointPanels, distributions: Sequence[Distribution]) -> JointPanels:
    """Return the same panels with tails to relative accuracy, however small."""
    return _evaluate([_exact_tails(distribution) for distribution in distributions], panels.edges)


def _first_points(distributions: Sequence[Distribution]) -> Floats:
    """Return the ends of the joint support, and points between where the masses are."""
    frames = [distribution._frame for distribution in distributions]
    means = np.array([frame.mean for frame in frames])
    reach = REACH * np.array([distribution.standard_deviation() for distribution in distributions])
    low, high = min(frame.low for frame in frames), max(frame.high for frame in frames)
    first, last = np.clip([np.min(means - reach), np.max(means + reach)], low, high)
    return np.unique([low, *np.linspace(first, last, FIRST_PANELS + 1), high])


def _evaluate(distributions: Sequence[BothTails], edges: Floats) -> JointPanels:
    """Evaluate the tails of all distributions at the nodes of the panels between the edges."""
    if not len(edges):
        empty = np.empty((0, NODES.size, len(distributions)))
        return JointPanels(edges, empty, empty)
    share = (1 + NODES) / 2
    # Exact at both ends, so that neighbours meet in one value.
    x = edges[:, :1] * share[::-1] + edges[:, 1:] * share
    cdf, ccdf = zip(*(tails(x) for tails in distributions), strict=True)
    return JointPanels(edges, np.stack(cdf, axis=-1), np.stack(ccdf, axis=-1))


def _evaluated_tails(distribution: Distribution) -> BothTails | None:
    """Return the tails of a distribution that is evaluated at any points, None for others."""
    if not isinstance(distribution, Evaluated):
        return None
    return lambda x: tuple(distribution._values(x)[:2])


def _central_tails(distribution: Distribution) -> BothTails:
    """Return the tails of a distribution to absolute accuracy, by one contour for either side."""
    minus = -distribution

    def tails(x: Floats) -> tuple[Floats, Floats]:
        y = distribution._frame.locate(x).from_mean
        is_low = y < 0
        lower, upper = minus._centre(-y[is_low]), distribution._centre(y[~is_low])
        left_out = LeftOut()
        left_out.note_errors(np.concatenate([lower.error, upper.error]))
        left_out.warn()
        # Rounding may leave small negative values.
        return _complete(is_low, np.clip(lower.tail, 0.0, 1.0), np.clip(upper.tail, 0.0, 1.0))

    return tails


def _exact_tails(distribution: Distribution) -> BothTails:
    """Return the tails of a distribution to relative accuracy."""

    def tails(x: Floats) -> tuple[Floats, Floats]:
        is_low = x < distribution._frame.mean
        return _complete(is_low, distribution.cdf(x[is_low]), distribution.ccdf(x[~is_low]))

    return tails


def _complete(is_low: Bools, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return P(X <= x) and P(X > x) everywhere, from each on its own side of the mean.

    The other, which is not small, is the complement.
    """
    cdf, ccdf = np.empty(is_low.shape), np.empty(is_low.shape)
    cdf[is_low], ccdf[is_low] = lower, 1 - lower
    cdf[~is_low], ccdf[~is_low] = 1 - upper, upper
    return cdf, ccdf


def halves(edges: Floats) -> Floats:
    """Cut panels in the middle, of edges of shape (P, 2)."""
    middle = edges.mean(axis=1)
    return np.concatenate(
        [np.column_stack([edges[:, 0], middle]), np.column_stack([middle, edges[:, 1]])]
    )


def _in_order(parts: Sequence[JointPanels]) -> JointPanels:
    """Merge panels from left to right."""
    edges = np.concatenate([part.edges for part in parts])
    order = np.argsort(edges[:, 0])
    cdf = np.concatenate([part.cdf for part in parts])
    ccdf = np.concatenate([part.ccdf for part in parts])
    return JointPanels(edges[order], cdf[order], ccdf[order])


def _is_unresolved(panels: JointPanels) -> Bools:
    """Return which panels have an error above the tolerance and can still be halved.

    What is left out of F_i matters as far as another distribution varies on the same panel, and in
    proportion to its length for the integrals over x.
    """
    spread = panels.cdf[:, -1] - panels.cdf[:, 0]
    lengths = panels.lengths[:, np.newaxis]
    counts = _residue(panels.counts_above())
    error = np.concatenate(
        [
            _residue(panels.cdf) * np.maximum(_largest_of_others(spread), lengths),
            counts * np.maximum(spread.max(axis=1, keepdims=True), lengths),
        ],
        axis=1,
    )
    is_large: Bools = error.max(axis=1) > TOLERANCE
    return is_large & (panels.lengths > _shortest(panels.edges))


def _shortest(edges: Floats) -> Floats:
    """Return the length at which rounding of x itself begins to show between the nodes."""
    shortest: Floats = 2.0**12 * np.spacing(np.abs(edges).max(axis=1))
    return shortest


def _residue(values: Floats) -> Floats:
    """Return the size of the last Legendre coefficients of node values (P, n, T)."""
    last: Floats = np.abs(np.einsum("kn,pnt->pkt", LAST_COEFFICIENTS, values)).max(axis=1)
    return last


def _largest_of_others(values: Floats) -> Floats:
    """Return for each entry of a row the largest of the other entries, 0 if it is alone."""
    if values.shape[1] == 1:
        return np.zeros_like(values)
    top_two = np.partition(values, -2, axis=1)[:, -2:]
    is_largest = np.arange(values.shape[1]) == values.argmax(axis=1)[:, np.newaxis]
    return np.where(is_largest, top_two[:, :1], top_two[:, 1:])


def pairwise_probabilities(panels: JointPanels) -> Floats:
    """Return P(X_i > X_j), shape (T, T), with 1/2 on the diagonal.

    ``P + P.T`` is 1 everywhere. Errors are about 1e-12 where densities have kinks, 1e-15 elsewhere,
    and smaller for a small probability, which has six digits down to 1e-10.
    """
    count = panels.cdf.shape[2]
    probabilities = panels.increments().reshape(-1, count).T @ panels.cdf.reshape(-1, count)
    np.fill_diagonal(probabilities, 0.5)  # exactly, not only up to rounding
    return probabilities


def rank_probabilities(panels: JointPanels) -> Floats:
    """Return P(variable i takes rank r), shape (T, T); column 0 is rank 1, the largest.

    Rows and columns add up to 1. At every node the number of variables above x follows a
    Poisson-binomial distribution; each distribution in turn is divided out of it, which costs T
    steps on arrays of nodes x distributions, T times fewer than T products.

    See Also
    --------
    expected_shortfalls : what is lost, on average, by not taking the largest.
    """
    count = panels.cdf.shape[2]
    cdf, ccdf = panels.cdf.reshape(-1, count), panels.ccdf.reshape(-1, count)
    increments = panels.increments().reshape(-1, count)
    # Dividing by the larger of the two probabilities never magnifies a rounding error.
    below = cdf >= ccdf
    counts_above = panels.counts_above().reshape(-1, count + 1)
    from_top = _ranks_by_division(counts_above, ccdf, cdf, increments * below)
    from_bottom = _ranks_by_division(counts_above[:, ::-1], cdf, ccdf, increments * ~below)
    return np.maximum(from_top + from_bottom[:, ::-1], 0.0)


def _poisson_binomial(success: Floats, failure: Floats) -> Floats:
    """Return the distribution of the number of successes on the last axis, (..., T + 1)."""
    total = np.zeros((*success.shape[:-1], success.shape[-1] + 1))
    total[..., 0] = 1.0
    for trial in range(success.shape[-1]):
        shifted = total[..., :-1] * success[..., trial, np.newaxis]
        total *= failure[..., trial, np.newaxis]
        total[..., 1:] += shifted
    return total


def _ranks_by_division(total: Floats, success: Floats, failure: Floats, measure: Floats) -> Floats:
    """Integrate the number of successes among the others, for each left out, shape (T, T).

    `total` is the distribution of the number among all. The recursion is stable where `failure` is
    at least 1/2; elsewhere `measure` must be 0.
    """
    failure = np.where(measure == 0.0, 1.0, failure)
    success = np.where(measure == 0.0, 0.0, success)
    columns = []
    quotient = np.zeros_like(success)
    for k in range(success.shape[1]):
        quotient = (total[:, k, np.newaxis] - success * quotient) / failure
        columns.append(np.sum(quotient * measure, axis=0))
    return np.stack(columns, axis=1)


def expected_shortfalls(panels: JointPanels) -> Floats:
    """Return E[max_j X_j - X_i] for each i, shape (T,).

    The integral of P(X_i <= x < the largest of the others): a sum of positive terms, which keeps
    its digits where the difference of two expected values would lose them. One far below 1e-12
    has them only on panels that `sharpen` returns.
    """
    with np.errstate(divide="ignore"):  # log 0 = -inf below the support of a distribution
        log_cdf = np.log1p(-np.minimum(panels.ccdf, 1.0))
    zero = np.zeros_like(log_cdf[..., :1])
    before = np.cumsum(np.concatenate([zero, log_cdf[..., :-1]], axis=-1), axis=-1)
    after = np.cumsum(np.concatenate([zero, log_cdf[..., :0:-1]], axis=-1), axis=-1)
    any_above = -np.expm1(before + after[..., ::-1])
    return panels.integrate(panels.cdf * any_above)
