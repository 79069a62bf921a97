r"""Joint computations with several distributions.

Order statistics, minimum and range of independent variables; joint draws of dependent variables,
from patterns or correlations; the expected loss of a choice, and sums of binomial counts. Imports
`_distribution`, `_fourier` and `_numerics`.

**Order statistics** of independent distributions come from deterministic quadrature. The
probability that variable i takes rank r is a Stieltjes integral,

    P(rank_i = r) = \int P(exactly r - 1 of the others exceed x) dF_i(x),

and so are P(X_i > X_j), the expected shortfall, and the distribution of the range: variable i is
the smallest, and all others are within d above it,

    P(max - min <= d) = \sum_i \int \prod_{j \ne i} (F_j(x + d) - F_j(x)) dF_i(x).

All distributions share one set of panels of Gauss-Lobatto-Legendre nodes, which are halved until
their distribution functions, and products of these, are resolved. By summation by parts every row
of the rank probabilities adds up to 1, and P(X_i > X_j) + P(X_j > X_i) too, whatever the panels.
Errors are absolute: those of the distribution functions, and 1e-12 where densities have kinks.
The number of successes among independent trials is another such sum: its tail is `log_survival`.

A distribution whose mass sits within a few spacings of doubles of a nonzero end of its support,
such as one Beta(10, 0.01) alone, cannot be resolved by values of x; its rank against another of the
kind is then known to some 1e-5 or less well.

On a panel the matrix ``STIFFNESS`` integrates g dF from the values of g and F at the nodes: no
density is evaluated, so that an infinite one at an end of the support does no harm. It obeys
summation by parts, ``S + S.T = diag(-1, 0, ..., 0, 1)`` (Strand, Journal of Computational Physics
110, 1994). Panels are halved until the last Legendre coefficients are small. Nodes at both ends of
a panel mean that the mass of a distribution, however narrow, cannot slip between two nodes unseen.

**Joint draws** are those of the accuracies of T classifiers tested on the same samples. On one
class, a sample has a pattern: which of the classifiers are right. The probabilities of the
:math:`2^T` patterns have a Dirichlet distribution, whose parameters are the counts of the patterns
plus a prior of mass a + b, spread as if the classifiers were right independently of each other with
probability a / (a + b), or over the patterns with half of them right. Any part of the patterns,
added up, has a Dirichlet distribution again: the accuracy of one classifier has exactly its Beta(a
+ right, b + wrong), and any two have exactly the distribution of the four cells (both right, only
one, only the other, neither).

A Dirichlet distribution whose parameters are the sum of two is a random mixture of draws from both,
with independent Dirichlet weights. So the patterns that were observed are drawn by themselves, and
the prior, over all patterns, by itself, without listing them. Of up to three classifiers the
patterns are so few that listing them takes half the time, and is exact.

Other variables are known by their distributions and correlations. They get the ranks of correlated
normal variables (Iman and Conover, Communications in Statistics: Simulation and Computation 11,
1982): the draw of the k-th smallest normal value gets the k-th of evenly spaced quantiles.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.polynomial import legendre
from scipy.special import expit, logit

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._fourier import Centred, Evaluator
from skpostbac.stats._numerics import Frame, integrate, matrix_product, places_in_panels

# Distributions are cut into panels to this many standard deviations.
REACH = 8.0
# The last Legendre coefficients of a panel that is resolved are below this.
_OF_PANELS = 1e-9


def _lobatto_rule(count: int) -> tuple[Floats, Floats, Floats]:
    """Nodes on [-1, 1] and weights of a rule exact to degree 2 count - 3, and the stiffness.

    S_kl is the integral of l_k l_l' for the Lagrange polynomials of the nodes. It does not depend
    on the length of the panel.
    """
    top = legendre.Legendre.basis(count - 1)
    nodes = np.concatenate([[-1.0], np.sort(top.deriv().roots().real), [1.0]])
    nodes = (nodes - nodes[::-1]) / 2
    weights = 2 / (count * (count - 1) * top(nodes) ** 2)
    slopes = legendre.legval(nodes, legendre.legder(np.eye(count)))
    derivative = slopes.T @ np.linalg.inv(legendre.legvander(nodes, count - 1))
    stiffness = weights[:, np.newaxis] * derivative
    # Summation by parts to the last bit, not only to rounding
    boundary = np.zeros_like(stiffness)
    boundary[0, 0], boundary[-1, -1] = -0.5, 0.5
    return nodes, weights, (stiffness - stiffness.T) / 2 + boundary


NODES, WEIGHTS, STIFFNESS = _lobatto_rule(16)
# From node values to Legendre coefficients.
TO_LEGENDRE = np.linalg.inv(legendre.legvander(NODES, NODES.size - 1))


def resolved_panels(
    evaluate: Callable[[Floats], Floats],
    is_unresolved: Callable[[Floats, Floats], Bools],
    edges: Floats,
    most: int,
) -> tuple[Floats, Floats]:
    """Halve panels until they are resolved, or so many; return their edges and node values.

    Parameters
    ----------
    evaluate : callable
        Values at points of shape (P, n), with any further axes.
    is_unresolved : callable
        Which panels are to be halved, given edges of shape (P, 2) and values.
    edges : ndarray of shape (k,)
        Ends of the first panels, rising.
    """
    share = (1 + NODES) / 2
    fresh, count = np.column_stack([edges[:-1], edges[1:]]), edges.size - 1
    done: list[tuple[Floats, Floats]] = []
    while len(fresh):
        # Exact at both ends, so that neighbours meet in one value
        values = evaluate(fresh[:, :1] * share[::-1] + fresh[:, 1:] * share)
        split = is_unresolved(fresh, values) & (count <= most)
        done.append((fresh[~split], values[~split]))
        low, high = fresh[split].T
        middle = (low + high) / 2
        fresh = np.concatenate([np.column_stack([low, middle]), np.column_stack([middle, high])])
        count += middle.size
    found, values = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(found[:, 0])
    return found[order], values[order]


def resolve(
    cdf: Callable[[Floats], Floats], edges: Floats, *, tolerance: float = _OF_PANELS, most: int = 64
) -> "PanelDistribution":
    """Return the distribution of a distribution function, given rising first edges."""
    found = resolved_panels(
        lambda x: np.clip(cdf(x.ravel()), 0.0, 1.0).reshape(x.shape),
        lambda _, values: np.abs(values @ TO_LEGENDRE[-3:].T).max(axis=1) > tolerance,
        edges,
        most,
    )
    return PanelDistribution(*found)


class PanelDistribution(BoundedDistribution):
    """Distribution of a variable, by P(X <= x) at the nodes of adjacent panels.

    Between the nodes of a panel it is their interpolating polynomial. Accuracy is absolute, that of
    the values at the nodes.

    Parameters
    ----------
    edges : ndarray of shape (n_panels, 2)
        Ends of the panels, rising and adjacent.
    cdf : ndarray of shape (n_panels, n_nodes)
        P(X <= x) at the nodes of each panel.
    """

    def __init__(self, edges: Floats, cdf: Floats) -> None:
        self._edges, self._cdf = edges, cdf
        for values in (edges, cdf):
            values.flags.writeable = False

    @cached_property
    def _frame(self) -> Frame:
        low, high = float(self._edges[0, 0]), float(self._edges[-1, 1])
        half = np.diff(self._edges, axis=1)[:, 0] / 2
        below = float(half @ self._cdf @ WEIGHTS)
        above = float(half @ (1 - self._cdf) @ WEIGHTS)
        return Frame(low, high, low + above, 0.0, above, below)

    @cached_property
    def _cumulants(self) -> Floats:
        middle, half = self._edges.mean(axis=1, keepdims=True), np.diff(self._edges, axis=1) / 2
        away = middle - self._frame.mean + half * NODES
        masses = self._cdf @ STIFFNESS.T
        second, third, fourth = (float((away**order * masses).sum()) for order in (2, 3, 4))
        second = max(second, 0.0)
        return np.array([second, third, fourth - 3 * second**2])

    @cached_property
    def _centred(self) -> Centred:
        edges = self._edges - self._frame.mean
        ends = np.array([edges[0, :1], edges[-1, 1:]])
        rises = np.array([STIFFNESS[0] @ self._cdf[0], STIFFNESS[-1] @ self._cdf[-1]])
        slopes = 2 / WEIGHTS[0] * rises / np.diff(self._edges[[0, -1]])[:, 0]
        return _CentredPanels(
            *(edges, TO_LEGENDRE @ self._cdf.T),
            low=ends[0],
            high=ends[1],
            deviation=np.array([self.standard_deviation()]),
            end_densities=np.maximum(slopes, 0.0)[:, np.newaxis],
            least=_OF_PANELS,
        )


@dataclass(frozen=True)
class _CentredPanels(Centred):
    """A distribution on panels at distances from its mean, as an array of one.

    Attributes
    ----------
    edges : ends of the panels, shape (P, 2).
    series : Legendre coefficients of the distribution function on each, shape (n, P).
    """

    edges: Floats
    series: Floats

    @property
    def places(self) -> Floats:
        """Ends of the panels, at which polynomials meet."""
        return self.edges[np.newaxis, :-1, 1]

    def evaluator(self, n_derivatives: int) -> Evaluator:
        length = np.diff(self.edges, axis=1)[:, 0]
        series = [self.series - 0.5 * np.eye(len(self.series), 1)]
        for _ in range(n_derivatives):
            series.append(np.asarray(legendre.legder(series[-1]), np.float64) * (2 / length))

        def evaluate(y: Floats) -> Floats:
            panel, u = places_in_panels(self.edges[:, 0], self.edges[:, 1], y.ravel())
            values = [legendre.legval(u, one[:, panel], tensor=False) for one in series]
            return np.array(values, np.float64).reshape(-1, *y.shape)

        return evaluate


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

    def increments(self) -> Floats:
        """Return v with ``sum(g * v)`` the integral of g dF_i for each i, shape (P, n, T)."""
        # F - 1 increases as F does, and rounding is that of the smaller tail.
        return np.asarray(STIFFNESS @ np.where(self.cdf[:, :1] > 0.5, self.cdf - 1, self.cdf))


def resolve_jointly(distributions: Sequence[BoundedDistribution]) -> JointPanels:
    """Cut the joint support into panels that resolve all distribution functions."""
    means = np.array([distribution.mean() for distribution in distributions])
    reach = REACH * np.array([distribution.standard_deviation() for distribution in distributions])
    lows, highs = zip(*(distribution.support() for distribution in distributions), strict=True)
    low, high = min(lows), max(highs)
    first, last = np.clip([np.min(means - reach), np.max(means + reach)], low, high)
    edges = np.unique([low, *np.linspace(first, last, 7), high])

    def is_unresolved(edges: Floats, cdf: Floats) -> Bools:
        # What is left out of the products of all functions matters as far as one of them varies on
        # the same panel, and in proportion to its length for the integrals over x.
        lengths = np.diff(edges, axis=1)[:, 0]
        spread = (cdf[:, -1] - cdf[:, 0]).max(axis=1)
        counts = np.einsum("kn,pnt->pkt", TO_LEGENDRE[-3:], _counts_above(cdf))
        errors = np.abs(counts).max(axis=(1, 2)) * np.maximum(spread, lengths)
        # Shorter panels, in units of the spacing of doubles, show the rounding of x.
        is_long = lengths > 2.0**12 * np.spacing(np.abs(edges).max(axis=1))
        # The last coefficients overstate the error of an integral where F is smooth: what is left
        # out of F is nearly orthogonal to the other factor, and column sums came out within 1e-13
        # even at 1e-8. Beside an end at which F rises like a power below one they do not:
        # probabilities of ranks were off by 2.5e-9 for exponents of 0.55.
        return np.asarray((errors > 1e-9) & is_long)

    # Distributions whose noise exceeds the tolerance would be halved for ever.
    found = resolved_panels(
        lambda x: np.stack([distribution.cdf(x) for distribution in distributions], axis=-1),
        is_unresolved,
        edges,
        512,
    )
    return JointPanels(*found)


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
    values, half = panels.cdf * (1 - np.moveaxis(others, 0, -1)), np.diff(panels.edges)[:, 0] / 2
    return np.asarray(np.maximum(np.einsum("p,n,pnt->t", half, WEIGHTS, values), 0.0))


def _products_of_others(values: Floats) -> Floats:
    """Return, for each entry of the first axis, the product of all others, without a division."""
    ones = np.ones_like(values[:1])
    before = np.cumprod(np.concatenate([ones, values[:-1]]), axis=0)
    after = np.cumprod(np.concatenate([ones, values[:0:-1]]), axis=0)
    return np.asarray(before * after[::-1])


def smallest(distributions: Sequence[BoundedDistribution]) -> PanelDistribution:
    """Return the distribution of the smallest of independent variables."""
    panels = resolve_jointly(distributions)
    return PanelDistribution(panels.edges, 1 - np.prod(1 - panels.cdf, axis=-1))


def largest_distance(distributions: Sequence[BoundedDistribution]) -> PanelDistribution:
    """Return the distribution of the largest less the smallest of independent variables.

    For each distance d panels are cut where x or x + d is at the end of one: between the cuts
    F_i(x) and F_j(x + d) are polynomials, also where a distribution function rises like a root.
    """
    panels = resolve_jointly(distributions)
    series = np.einsum("kn,pnt->pkt", TO_LEGENDRE, panels.cdf)
    ends = np.append(panels.edges[:, 0], panels.edges[-1, 1])

    def at(middle: Floats, x: Floats) -> Floats:
        """Sum the series of all functions at points of the panel at `middle`, (T, *x.shape)."""
        panel, _ = places_in_panels(panels.edges[:, 0], panels.edges[:, 1], middle)
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
        # Arrays of a quarter of a megabyte stay near the processor.
        size = max(1, 2**15 // (2 * panels.cdf.size))
        return np.concatenate([within(d[i : i + size]) for i in range(0, d.size, size)])

    sd = max(distribution.standard_deviation() for distribution in distributions)
    means = [distribution.mean() for distribution in distributions]
    reach = float(ends[-1] - ends[0])
    far = min(reach, max(means) - min(means) + REACH * sd)
    return resolve(cdf, np.unique([*np.linspace(0.0, far, 5), reach]))


def mean_positive_part(distribution: BoundedDistribution) -> float:
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
    above = float(distribution.ccdf(start))
    if high <= start or above <= 0:
        return start
    units = np.linspace(-REACH, REACH, 17) * distribution.standard_deviation()
    edges = np.unique(np.clip([low, *(distribution.mean() + units), high], start, high))
    # Not better than the errors of probabilities
    tolerance = min(1e-11 + 1e-13 / above, 0.1)
    tail = integrate(lambda _, x: np.asarray(distribution.ccdf(x)), edges[np.newaxis], tolerance)
    return start + float(tail[0])


def log_survival(k: float, n: Floats, p: Floats) -> float:
    r"""Return log P(S >= k) of a sum S of independent Binomial(n_i, p_i) variables.

    With the cumulant generating function K of S, and any t > 0,

    .. math::

        P(S \ge k) = \frac{1}{2 \pi} \int_{-\pi}^{\pi}
        \frac{e^{K(t + i\varphi) - (t + i\varphi) k}}{1 - e^{-t - i\varphi}}\,d\varphi.

    At the t where the integrand is smallest on the real axis it decays within some tilted standard
    deviations, and the trapezoid rule converges geometrically. A few hundred nodes are enough for
    any number of trials.

    Parameters
    ----------
    k : float
        A count, an integer.
    n : ndarray of shape (l,)
        Numbers of trials: integers, as floats.
    p : ndarray of shape (l,)
        Probabilities of success, in [0, 1].

    Returns
    -------
    log_probability : float
        In [-inf, 0]. The error is some rounding errors of the number of trials.

    Examples
    --------
    >>> import math
    >>> math.exp(log_survival(2, np.array([2.0, 1.0]), np.array([0.5, 0.1])))
    0.3
    >>> log_survival(600, np.array([1000.0]), np.array([0.1]))
    -754.27
    """
    k, inner = k - float(n[p == 1].sum()), (p > 0) & (p < 1) & (n > 0)
    rates, kind = np.unique(p[inner], return_inverse=True)
    trials = np.bincount(kind, n[inner], rates.size).astype(float)
    total = trials.sum()
    if k <= 0:
        return 0.0
    if k > total:
        return -np.inf
    if k == total:
        return float(trials @ np.log(rates))
    if k <= trials @ rates:
        # A failure may be as good as certain.
        return float(np.log1p(-np.exp(log_survival(total - k + 1, trials, 1 - rates))))

    def slope(log_t: float) -> float:
        t = np.exp(log_t)
        return float(trials @ expit(logit(rates) + t) - k + np.exp(-t) / np.expm1(-t))

    # At the first t the last term is the largest, at the other the mean is almost the total.
    low = 0.5 / np.sqrt(total + 1)
    high = np.log(4) + max(0.0, np.log(total + 1) - logit(rates).min())
    # A slow import, done only when needed.
    t = np.exp(scipy.optimize.brentq(slope, np.log(low), np.log(high), xtol=2e-12))
    tilted = expit(logit(rates) + t)
    variance = float(trials @ (tilted * (1 - tilted)))
    # Other coefficients of the periodic integrand are added to the one in search: far ones, where
    # the tail is below exp(-40).
    size = 2 * np.ceil(20 / t + 5 * (1 + np.sqrt(variance))) + 1
    # The modulus of the characteristic function is at most exp(-2 variance sin(angle / 2)^2).
    last = 2 * np.arcsin(np.sqrt(min(20 / variance, 1.0)))
    count = min(size // 2, np.ceil(last / (2 * np.pi) * size)) + 1
    angle = 2 * np.pi / size * np.arange(count)
    s, half = t + 1j * angle, np.sin(0.5 * angle)
    # NumPy's functions of complex numbers near zero lose digits: exp(s) - 1 = x + i y,
    x = np.expm1(t) * np.cos(angle) - 2 * half**2
    y = np.exp(t) * np.sin(angle)
    logs = -k * s - np.log(1 - np.exp(-s))
    for i in range(0, rates.size, 1024):
        block = slice(i, i + 1024)
        real, imaginary = (np.multiply.outer(rates[block], part) for part in (x, y))
        # and log(1 + z)
        size_of_all = trials[block] @ np.log1p(real * (2 + real) + imaginary**2)
        logs += 0.5 * size_of_all + 1j * (trials[block] @ np.arctan2(imaginary, 1 + real))
    values = np.exp(logs - logs[0].real).real
    mean = float((2 * values.sum() - values[0]) / size)
    return min(float(logs[0].real) + float(np.log(mean)), 0.0)


# With a smaller mass of the prior Gamma variables may be too small for doubles.
_LEAST_MASS = 0.5


@dataclass(frozen=True, eq=False)
class PatternDistribution:
    """Joint distribution of the accuracies of T classifiers on one class.

    Attributes
    ----------
    patterns : array of shape (n_patterns, T)
        Distinct patterns of 1 (right) and 0 (wrong) that were observed; may be none.
    counts : array of shape (n_patterns,)
        How often each was observed, positive.
    a, b : float
        Prior of the accuracy of each classifier.
    balanced : bool, default=False
        Whether half of the classifiers are right in each pattern of the prior, of which a = b, so
        that it has as much disagreement as T classifiers can have. All such patterns have the same
        probability; of odd T, (T - 1) / 2 or (T + 1) / 2 are right.
    """

    patterns: Floats
    counts: Floats
    a: float
    b: float
    balanced: bool = False

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw accuracies, shape (size, T)."""
        count = self.patterns.shape[1]
        # A weaker prior has few pieces.
        if count <= 3 and self.a + self.b >= _LEAST_MASS:
            # The pattern of number k has the binary digits of k.
            powers = 2 ** np.arange(self.patterns.shape[1])
            patterns = (np.arange(2**powers.size)[:, np.newaxis] & powers > 0).astype(np.float64)
            if self.balanced:
                probabilities = (np.abs(patterns.sum(axis=1) - patterns.shape[1] / 2) < 1).astype(
                    float
                )
                probabilities /= probabilities.sum()
            else:
                right = self.a / (self.a + self.b)
                probabilities = np.where(patterns == 1, right, 1 - right).prod(axis=1)
            masses = (self.a + self.b) * probabilities
            np.add.at(masses, (self.patterns @ powers).astype(np.intp), self.counts)
            shares = np.empty((masses.size, size))
            for row, mass in zip(shares, masses.tolist(), strict=True):
                rng.standard_gamma(mass, out=row)
            return np.asarray((matrix_product(patterns.T, shares) / shares.sum(axis=0)).T)
        # Shares of the patterns and of the prior are Gamma variables over their sum.
        masses = [*self.counts.tolist(), self.a + self.b]
        if sum(masses) >= _LEAST_MASS:
            shares = np.stack([rng.standard_gamma(mass, size) for mass in masses])
        else:
            # All Gamma variables may be too small for doubles, but their logarithms are not.
            logs = np.stack(
                [
                    np.log(rng.standard_gamma(mass + 1, size))
                    - rng.standard_exponential(size) / mass
                    for mass in masses
                ]
            )
            shares = np.exp(logs - logs.max(axis=0))
        accuracies = matrix_product(self.patterns.T, shares[:-1])
        accuracies += shares[-1] * self._draw_prior(size, rng)
        accuracies /= shares.sum(axis=0)
        return np.asarray(accuracies.T)

    def _draw_prior(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw accuracies before the data, shape (T, size).

        A draw is a sum of random patterns with the lengths of the pieces of a broken stick. What is
        left of the stick is given to independent Beta draws, which leaves all moments up to the
        third as they are, those of each classifier alone entirely, and changes joint fourth moments
        by 1e-6. There are 64 pieces at most, as they matter least where there are many.
        """
        shape = self.patterns.shape[1], size
        mass = self.a + self.b
        accuracies: Floats = np.zeros(shape)
        left: Floats = np.ones(size)
        # So many pieces leave a rest whose fourth power is small on average.
        needed = np.log(1e-6) / -np.log1p(4 / mass)
        for _ in range(int(np.clip(np.ceil(needed), 1, 64))):
            # Each piece takes a Beta(1, mass) share of what is left of the stick.
            rest = left * np.exp(rng.standard_exponential(size) / -mass)
            uniform = rng.random(shape)
            if self.balanced:
                # One after another is right with the share of those left that have to be.
                missing = (shape[0] + rng.integers(0, 2, size)) // 2
                patterns = np.empty(shape, dtype=bool)
                for i in range(shape[0]):
                    patterns[i] = uniform[i] * (shape[0] - i) < missing
                    missing -= patterns[i]
            else:
                patterns = uniform < self.a / mass
            accuracies += (left - rest) * patterns
            left = rest
        # The flat prior is common and has a much faster special case.
        is_flat = self.a == self.b == 1
        accuracies += left * (rng.random(shape) if is_flat else rng.beta(self.a, self.b, shape))
        return accuracies


def draw_averages(
    distributions: Sequence[PatternDistribution],
    weights: Floats,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """Draw weighted averages of the accuracies over independent classes, shape (size, T)."""
    total = np.zeros((distributions[0].patterns.shape[1], size)).T
    for distribution, weight in zip(distributions, weights, strict=True):
        if weight:
            total += weight * distribution.draw(size, rng)
    return np.ascontiguousarray(total)


@dataclass(frozen=True, eq=False)
class Tally:
    """What is counted in draws of T values.

    Attributes
    ----------
    ranks : array of int of shape (T, T)
        How often each (row) takes each rank (column); the first column is rank 1, the largest.
    losses, squares : arrays of shape (T,)
        Sums of the shortfalls against the largest of a draw, and of their squares.
    """

    ranks: Indices
    losses: Floats
    squares: Floats

    @property
    def size(self) -> int:
        """Number of draws."""
        return int(self.ranks[0].sum())

    def __add__(self, other: "Tally") -> "Tally":
        """Count both."""
        return Tally(
            self.ranks + other.ranks, self.losses + other.losses, self.squares + other.squares
        )


def tally(draws: Floats, rng: np.random.Generator) -> Tally:
    """Count ranks and shortfalls in draws of shape (size, T); ties are broken at random."""
    count = draws.shape[1]
    order = np.argsort(-draws, axis=1)
    ranked = np.take_along_axis(draws, order, axis=1)
    if np.any(ranked[:, 1:] == ranked[:, :-1]):
        # Equal predictions, with a prior so weak that it is lost to rounding.
        order = np.lexsort((rng.random(draws.shape), -draws), axis=1)
    cells = np.bincount((order * count + np.arange(count)).ravel(), minlength=count**2)
    losses = draws.max(axis=1, keepdims=True) - draws
    return Tally(cells.reshape(count, count), losses.sum(axis=0), np.square(losses).sum(axis=0))


def nearest_correlations(covariances: Floats) -> Floats:
    """Return correlations of covariances that may not belong to any variables, shape (n, n).

    Negative eigenvalues are set to zero, and the diagonal to one again.
    """
    scale = np.sqrt(np.diag(covariances))
    values, vectors = np.linalg.eigh(covariances / np.outer(scale, scale))
    nearest = (vectors * np.maximum(values, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(nearest))
    return np.asarray(nearest / np.outer(scale, scale))


def draw_with_ranks(
    draws: Sequence[Floats], correlations: Floats, size: int, rng: np.random.Generator
) -> Floats:
    """Draw jointly from distributions that are known by sorted draws, shape (size, n).

    Parameters
    ----------
    draws : sequence of n arrays
        Of each distribution, sorted.
    correlations : array of shape (n, n)
        Positive semidefinite.
    size : int
    rng : Generator
    """
    values, vectors = np.linalg.eigh(correlations)
    roots = vectors * np.sqrt(np.maximum(values, 0.0))
    normal = matrix_product(rng.standard_normal((size, len(draws))), roots.T)
    levels = (np.arange(size) + 0.5) / size
    joint = np.empty_like(normal)
    for column, (scores, one) in enumerate(zip(normal.T, draws, strict=True)):
        # `np.quantile` would partition the sorted draws once more for each level.
        joint[np.argsort(scores), column] = np.interp(levels, np.linspace(0, 1, len(one)), one)
    return np.asarray(joint)
