r"""Joint computations with several distributions.

Order statistics of independent variables; joint draws of dependent
variables, from patterns or correlations; the expected loss of a choice, and sums of
binomial counts. Imports `_distribution`, `_fourier` and `_numerics`.

**Order statistics** of independent variables are computed by deterministic quadrature.
The probability that variable i takes rank r is a Stieltjes integral,

    P(rank_i = r) = \int P(exactly r - 1 of the others exceed x) dF_i(x),

and so are P(X_i > X_j) and the expected shortfall.

All distributions share one set of panels of Gauss-Lobatto-Legendre nodes, which are
halved until the distribution functions, and products of these, are resolved. Because of
summation by parts every row of the rank probabilities adds up to 1, and so does
P(X_i > X_j) + P(X_j > X_i), whatever the panels. Errors are absolute: those of the
distribution functions, and 1e-12 where densities have kinks.

If the mass of a distribution lies within a few spacings of doubles from a nonzero end
of its support, as that of a single Beta(10, 0.01), values of x cannot resolve it; rank
probabilities of several such distributions have errors of 1e-5 or more.

On a panel the matrix ``STIFFNESS`` integrates g dF from the values of g and F at the
nodes: no density is evaluated, so an infinite density at an end of the support does no
harm. It satisfies summation by parts, ``S + S.T = diag(-1, 0, ..., 0, 1)`` (Strand,
Journal of Computational Physics 110, 1994). Panels are halved until the last Legendre
coefficients are small. As both ends of a panel are nodes, the mass of even a very
narrow distribution is not missed between two nodes.

**Joint draws** are those of the accuracies of T classifiers tested on the same samples.
On one class, each sample has a pattern: which of the classifiers are right. The
probabilities of the :math:`2^T` patterns have a Dirichlet distribution, whose
parameters are the counts of the patterns plus a prior of mass a + b, distributed as if
the classifiers were right independently with probability a / (a + b), or over the
patterns with half of them right. Sums over groups of patterns also have a Dirichlet
distribution: the accuracy of one classifier is exactly Beta(a + right, b + wrong), and
two classifiers have exactly the distribution of the four cells (both right, only one,
only the other, neither).

A Dirichlet distribution whose parameters are the sum of two vectors is a random mixture
of draws from both, with independent Dirichlet weights. So the observed patterns are
drawn separately from the prior, for which the patterns need not be enumerated. With up
to three classifiers there are few patterns; to enumerate them takes half the time and
is exact.

Other variables are given by their distributions and correlations. Their draws have the
ranks of correlated normal variables (Iman and Conover, Communications in Statistics:
Simulation and Computation 11, 1982): the k-th smallest normal value is replaced by the
k-th of evenly spaced quantiles.

**Sums of binomial counts** have a tail, `log_survival`, that is computed from their
generating function.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.polynomial import legendre
from scipy.special import expit, logit

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._centred import Centred, Evaluator
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._numerics import Frame, integrate, matrix_product, places_in_panels

# The initial panels extend to this many standard deviations from the means.
REACH = 8.0
# After so many halvings, the first panel is cut by this factor.
_HALVINGS = 10
_STRIDE = 2.0**16
# The last Legendre coefficients of a resolved panel are below this.
_PANEL_TOLERANCE = 1e-9


def _lobatto_rule(count: int) -> tuple[Floats, Floats, Floats]:
    """Return nodes on [-1, 1], weights and the stiffness matrix.

    The rule is exact to degree 2 count - 3. S_kl is the integral of l_k l_l' for the
    Lagrange polynomials of the nodes; it does not depend on the length of the panel.
    """
    basis = legendre.Legendre.basis(count - 1)
    nodes = np.concatenate([[-1.0], np.sort(basis.deriv().roots().real), [1.0]])
    nodes = (nodes - nodes[::-1]) / 2
    weights = 2 / (count * (count - 1) * basis(nodes) ** 2)

    slopes = legendre.legval(nodes, legendre.legder(np.eye(count)))
    derivative = slopes.T @ np.linalg.inv(legendre.legvander(nodes, count - 1))
    stiffness = weights[:, np.newaxis] * derivative
    # This makes summation by parts exact, not only up to rounding errors.
    boundary = np.diag([-0.5, *np.zeros(count - 2), 0.5])
    return nodes, weights, (stiffness - stiffness.T) / 2 + boundary


NODES, WEIGHTS, STIFFNESS = _lobatto_rule(16)
# Matrix from the values at the nodes to Legendre coefficients.
TO_LEGENDRE = np.linalg.inv(legendre.legvander(NODES, NODES.size - 1))


def resolved_panels(
    evaluate: Callable[[Floats], Floats],
    is_unresolved: Callable[[Floats, Floats], Bools],
    edges: Floats,
    most: int,
) -> tuple[Floats, Floats]:
    """Halve panels until they are resolved; return their edges and values at the nodes.

    A first panel that is still not resolved after many halvings has a pole at its lower
    end, and is cut further down.

    Parameters
    ----------
    evaluate : callable
        Returns values at points of shape (P, n), with any further axes.
    is_unresolved : callable
        Returns which panels are to be halved, given edges of shape (P, 2) and values.
    edges : ndarray of shape (k,)
        Ends of the initial panels, increasing.
    most : int
        No panels are halved if there are more than this.
    """
    share = (1 + NODES) / 2
    panels = np.column_stack([edges[:-1], edges[1:]])
    count = len(panels)
    done: list[tuple[Floats, Floats]] = []
    for n_rounds in itertools.count():
        # The form is exact at both ends, so that adjacent panels share a value.
        values = evaluate(panels[:, :1] * share[::-1] + panels[:, 1:] * share)
        split = is_unresolved(panels, values) & (count <= most)
        done.append((panels[~split], values[~split]))

        if not split.any():
            break
        low, high = panels[split].T
        middle = (low + high) / 2
        if n_rounds > _HALVINGS:
            middle = np.where(low == edges[0], low + (high - low) / _STRIDE, middle)
        left = np.append(low, middle)
        panels = np.column_stack([left, np.append(middle, high)])
        count += middle.size

    panels, values = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(panels[:, 0])
    return panels[order], values[order]


def resolve(
    cdf: Callable[[Floats], Floats],
    edges: Floats,
    *,
    tolerance: float,
    most: int,
) -> "PanelDistribution":
    """Return the distribution with a distribution function, given initial edges."""
    # Shorter panels have no digits at distances from the mean.
    shortest = 2.0**-40 * (edges[-1] - edges[0])

    def is_unresolved(panels: Floats, values: Floats) -> Bools:
        is_rough = np.abs(values @ TO_LEGENDRE[-3:].T).max(axis=1) > tolerance
        return np.asarray(is_rough & (np.diff(panels, axis=1)[:, 0] > shortest))

    edges, values = resolved_panels(
        lambda x: np.clip(cdf(x.ravel()), 0.0, 1.0).reshape(x.shape),
        is_unresolved,
        edges,
        most,
    )
    return PanelDistribution(edges, values)


class PanelDistribution(BoundedDistribution):
    """Distribution of a variable, by P(X <= x) at the nodes of adjacent panels.

    On each panel the distribution function is the interpolating polynomial. Its errors
    are absolute, those of the values at the nodes.

    Parameters
    ----------
    edges : ndarray of shape (n_panels, 2)
        Ends of the panels, increasing and adjacent.
    cdf : ndarray of shape (n_panels, n_nodes)
        P(X <= x) at the nodes of each panel.
    """

    def __init__(self, edges: Floats, cdf: Floats) -> None:
        edges.flags.writeable = False
        cdf.flags.writeable = False
        self._edges = edges
        self._cdf = cdf

    @cached_property
    def _frame(self) -> Frame:
        low = float(self._edges[0, 0])
        high = float(self._edges[-1, 1])
        half = np.diff(self._edges, axis=1)[:, 0] / 2
        below = float(half @ self._cdf @ WEIGHTS)
        above = float(half @ (1 - self._cdf) @ WEIGHTS)
        return Frame(low, high, low + above, 0.0, above, below)

    @cached_property
    def _cumulants(self) -> Floats:
        middle = self._edges.mean(axis=1, keepdims=True)
        half = np.diff(self._edges, axis=1) / 2
        deviations = middle - self._frame.mean + half * NODES
        masses = self._cdf @ STIFFNESS.T
        second, third, fourth = (
            float((deviations**order * masses).sum()) for order in (2, 3, 4)
        )
        second = max(second, 0.0)
        return np.array([second, third, fourth - 3 * second**2])

    @cached_property
    def _centred(self) -> Centred:
        return self.centred(self._frame.mean, self.standard_deviation())

    def centred(self, mean: float, deviation: float) -> Centred:
        """Return the distribution at distances from its mean."""
        edges = self._edges - mean
        rises = np.array([STIFFNESS[0] @ self._cdf[0], STIFFNESS[-1] @ self._cdf[-1]])
        slopes = 2 / WEIGHTS[0] * rises / np.diff(self._edges[[0, -1]])[:, 0]
        return _CentredPanels(
            edges,
            TO_LEGENDRE @ self._cdf.T,
            low=edges[0, :1],
            high=edges[-1, 1:],
            deviation=np.array([deviation]),
            end_densities=np.maximum(slopes, 0.0)[:, np.newaxis],
            least=_PANEL_TOLERANCE,
        )


@dataclass(frozen=True)
class _CentredPanels(Centred):
    """A distribution on panels at distances from its mean, as an array of one.

    Attributes
    ----------
    edges : array of shape (P, 2)
        Ends of the panels.
    series : array of shape (n, P)
        Legendre coefficients of the distribution function on each panel.
    """

    edges: Floats
    series: Floats

    @property
    def critical_points(self) -> Floats:
        """Inner ends of the panels, where derivatives may jump."""
        return self.edges[np.newaxis, :-1, 1]

    def evaluator(self, n_derivatives: int) -> Evaluator:
        length = np.diff(self.edges, axis=1)[:, 0]
        series = [self.series - 0.5 * np.eye(len(self.series), 1)]
        for _ in range(n_derivatives):
            series.append(
                np.asarray(legendre.legder(series[-1]), np.float64) * (2 / length)
            )

        def evaluate(y: Floats) -> Floats:
            panel, u = places_in_panels(self.edges[:, 0], self.edges[:, 1], y.ravel())
            values = [legendre.legval(u, c[:, panel], tensor=False) for c in series]
            return np.array(values, np.float64).reshape(-1, *y.shape)

        return evaluate


@dataclass(frozen=True)
class JointPanels:
    """Distribution functions of T variables on the nodes of P common panels.

    Attributes
    ----------
    edges : array of shape (P, 2)
        Ends of each panel, increasing.
    cdf : array of shape (P, n, T)
        P(X <= x) at the n nodes of each panel, for each variable.
    """

    edges: Floats
    cdf: Floats

    def increments(self) -> Floats:
        """Return v, shape (P, n, T): sums of g v are integrals of g dF_i."""
        # F - 1 has the same increments, and rounding errors of the smaller tail.
        return STIFFNESS @ np.where(self.cdf[:, :1] > 0.5, self.cdf - 1, self.cdf)


def resolve_jointly(distributions: Sequence[BoundedDistribution]) -> JointPanels:
    """Divide the joint support into panels that resolve all distribution functions."""
    means = np.array([distribution.mean() for distribution in distributions])
    reach = REACH * np.array(
        [distribution.standard_deviation() for distribution in distributions]
    )
    supports = [distribution.support() for distribution in distributions]
    low = min(support.low for support in supports)
    high = max(support.high for support in supports)
    first, last = np.clip([np.min(means - reach), np.max(means + reach)], low, high)
    edges = np.unique([low, *np.linspace(first, last, 7), high])

    def is_unresolved(edges: Floats, cdf: Floats) -> Bools:
        # Errors of the products of all functions contribute to integrals dF in
        # proportion to the increase of one of them on the same panel, and to integrals
        # over x in proportion to its length.
        lengths = np.diff(edges, axis=1)[:, 0]
        increase = (cdf[:, -1] - cdf[:, 0]).max(axis=1)
        counts = np.einsum("kn,pnt->pkt", TO_LEGENDRE[-3:], _counts_above(cdf))
        errors = np.abs(counts).max(axis=(1, 2)) * np.maximum(increase, lengths)
        # On shorter panels the rounding errors of x would show.
        is_long = lengths > 2.0**12 * np.spacing(np.abs(edges).max(axis=1))
        # The last coefficients overstate the error of an integral where F is smooth:
        # the error of F is nearly orthogonal to the other factor, and column sums were
        # within 1e-13 even with a tolerance of 1e-8. Beside an end at which F rises
        # like a power below one they do not: rank probabilities had errors of 2.5e-9
        # with exponents of 0.55.
        return np.asarray((errors > 1e-9) & is_long)

    # The limit ends the halving if noise in the functions exceeds the tolerance.
    edges, cdf = resolved_panels(
        lambda x: np.stack(
            [distribution.cdf(x) for distribution in distributions], axis=-1
        ),
        is_unresolved,
        edges,
        512,
    )
    return JointPanels(edges, cdf)


def _counts_above(cdf: Floats) -> Floats:
    """Return P(k of the T variables exceed x), k = 0, ..., T, shape (..., T + 1).

    This is a Poisson-binomial distribution (Hong, Computational Statistics & Data
    Analysis 59, 2013).
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
    """Return P = P(X_i > X_j), shape (T, T); the elements of ``P + P.T`` are 1."""
    count = panels.cdf.shape[2]
    cdf = panels.cdf.reshape(-1, count)
    probabilities = panels.increments().reshape(-1, count).T @ cdf
    # The integrals on the diagonal are 1/2 up to rounding errors.
    np.fill_diagonal(probabilities, 0.5)
    return probabilities


def rank_probabilities(panels: JointPanels) -> Floats:
    """Return P(variable i takes rank r), shape (T, T); column 0 is rank 1, the largest.

    Rows and columns add up to 1. At every node each variable in turn is divided out of
    the distribution of the number above x. That takes T steps on arrays of nodes by
    variables, T times fewer than the products of all others.
    """
    count = panels.cdf.shape[2]
    cdf = panels.cdf.reshape(-1, count)
    increments = panels.increments().reshape(-1, count)
    counts = _counts_above(cdf)
    ranks = np.zeros((count, count))

    # Division by the larger of the two probabilities does not amplify rounding errors.
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

    It is the integral over x of P(X_i <= x) less the probability that all are at most
    x, which is never negative.
    """
    values = panels.cdf - panels.cdf.prod(axis=-1, keepdims=True)
    half = np.diff(panels.edges)[:, 0] / 2
    return np.asarray(np.maximum(np.einsum("p,n,pnt->t", half, WEIGHTS, values), 0.0))


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

    steps = np.linspace(-REACH, REACH, 17) * distribution.standard_deviation()
    edges = np.unique(np.clip([low, *(distribution.mean() + steps), high], start, high))
    # Probabilities have absolute errors, which limit the relative accuracy of the tail.
    tolerance = min(1e-11 + 1e-13 / above, 0.1)
    tail = integrate(
        lambda _, x: np.asarray(distribution.ccdf(x)), edges[np.newaxis], tolerance
    )
    return start + float(tail[0])


def log_survival(k: float, n: Floats, p: Floats) -> float:
    r"""Return log P(S >= k) of a sum S of independent Binomial(n_i, p_i) variables.

    With the cumulant generating function K of S, and any t > 0,

    .. math::

        P(S \ge k) = \frac{1}{2 \pi} \int_{-\pi}^{\pi}
        \frac{e^{K(t + i\varphi) - (t + i\varphi) k}}{1 - e^{-t - i\varphi}}\,d\varphi.

    At the saddlepoint t, where the integrand is smallest on the real axis, it decays
    within a few standard deviations of the tilted distribution, and the trapezoid rule
    converges geometrically. A few hundred nodes are enough for any number of trials.

    Parameters
    ----------
    k : float
        An integer.
    n : ndarray of shape (l,)
        Numbers of trials: integers, as floats.
    p : ndarray of shape (l,)
        Probabilities of success, in [0, 1].

    Returns
    -------
    log_probability : float
        In [-inf, 0]. The error is a few rounding errors of the number of trials.

    Examples
    --------
    >>> import math
    >>> math.exp(log_survival(2, np.array([2.0, 1.0]), np.array([0.5, 0.1])))
    0.3
    >>> log_survival(600, np.array([1000.0]), np.array([0.1]))
    -754.27
    """
    # Certain successes are subtracted, and trials with equal probabilities merged.
    k = k - float(n[p == 1].sum())
    is_random = (p > 0) & (p < 1) & (n > 0)
    rates, index = np.unique(p[is_random], return_inverse=True)
    trials = np.bincount(index, n[is_random], rates.size).astype(float)
    total = trials.sum()

    if k <= 0:
        return 0.0
    if k > total:
        return -np.inf
    if k == total:
        return float(trials @ np.log(rates))
    if k <= trials @ rates:
        # The complement, k - 1 successes or fewer, is the smaller tail.
        return float(np.log1p(-np.exp(log_survival(total - k + 1, trials, 1 - rates))))

    def slope(log_t: float) -> float:
        t = np.exp(log_t)
        return float(trials @ expit(logit(rates) + t) - k + np.exp(-t) / np.expm1(-t))

    # At the lower end of the bracket the last term dominates; at the upper end the mean
    # of the tilted distribution is almost the total.
    low = 0.5 / np.sqrt(total + 1)
    high = np.log(4) + max(0.0, np.log(total + 1) - logit(rates).min())
    # SciPy imports this module on first use, which is slow.
    t = np.exp(scipy.optimize.brentq(slope, np.log(low), np.log(high), xtol=2e-12))
    tilted = expit(logit(rates) + t)
    variance = float(trials @ (tilted * (1 - tilted)))

    # With this number of nodes aliases of the periodic integrand are below exp(-40).
    size = 2 * np.ceil(20 / t + 5 * (1 + np.sqrt(variance))) + 1
    # The modulus of the characteristic function is at most
    # exp(-2 variance sin(angle / 2)^2).
    last = 2 * np.arcsin(np.sqrt(min(20 / variance, 1.0)))
    count = min(size // 2, np.ceil(last / (2 * np.pi) * size)) + 1
    angle = 2 * np.pi / size * np.arange(count)
    s = t + 1j * angle

    # exp(s) - 1 = x + i y, and log(1 + z) below: NumPy's complex functions lose digits
    # near zero.
    x = np.expm1(t) * np.cos(angle) - 2 * np.sin(0.5 * angle) ** 2
    y = np.exp(t) * np.sin(angle)
    logs = -k * s - np.log(1 - np.exp(-s))
    for i in range(0, rates.size, 1024):
        block = slice(i, i + 1024)
        real, imaginary = (np.multiply.outer(rates[block], part) for part in (x, y))
        log_square = trials[block] @ np.log1p(real * (2 + real) + imaginary**2)
        phase = trials[block] @ np.arctan2(imaginary, 1 + real)
        logs += 0.5 * log_square + 1j * phase

    values = np.exp(logs - logs[0].real).real
    mean = float((2 * values.sum() - values[0]) / size)
    return min(float(logs[0].real) + float(np.log(mean)), 0.0)


# With smaller parameters Gamma variables may underflow.
_LEAST_MASS = 0.5
# Up to so many patterns are drawn one by one; of more, only those on which two
# classifiers differ that differ on fewer samples than this.
_FEW_PATTERNS = 1024
_FEW_DIFFERENCES = 1000


@dataclass(frozen=True, eq=False)
class PatternDistribution:
    """Joint distribution of the accuracies of T classifiers on one class.

    Attributes
    ----------
    patterns : array of shape (n_patterns, T)
        Distinct observed patterns of 1 (right) and 0 (wrong); there may be none.
    counts : array of shape (n_patterns,)
        Their positive numbers of samples.
    a, b : float
        Parameters of the Beta prior of the accuracy of each classifier.
    balanced : bool, default=False
        Whether half of the classifiers are right in each pattern of the prior, so that
        it has as much disagreement as T classifiers can have; requires a = b. All such
        patterns have the same probability. If T is odd, (T - 1) / 2 or (T + 1) / 2
        classifiers are right.
    """

    patterns: Floats
    counts: Floats
    a: float
    b: float
    balanced: bool = False

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw accuracies, shape (size, T)."""
        prior_mass = self.a + self.b
        # A weak prior may underflow here, but has few pieces below.
        if self.patterns.shape[1] <= 3 and prior_mass >= _LEAST_MASS:
            return self._draw_all_patterns(size, rng)

        # Gamma variables over their sum are the shares of the patterns and the prior.
        is_alone = self._is_alone
        masses = [*self.counts[is_alone].tolist(), prior_mass]
        if self.counts.sum() + prior_mass >= _LEAST_MASS:
            shares = np.stack([rng.standard_gamma(mass, size) for mass in masses])
        else:
            # All Gamma variables may underflow, but their logarithms do not.
            logs = np.stack(
                [
                    np.log(rng.standard_gamma(mass + 1, size))
                    - rng.standard_exponential(size) / mass
                    for mass in masses
                ]
            )
            shares = np.exp(logs - logs.max(axis=0))

        accuracies = matrix_product(self.patterns[is_alone].T, shares[:-1])
        accuracies += shares[-1] * self._draw_prior(size, rng)
        total = shares.sum(axis=0)
        if not is_alone.all():
            mean, root = self._sums
            normal = rng.standard_normal((mean.size, size))
            sums = mean[:, np.newaxis] + matrix_product(root, normal)
            total += sums[0]
            accuracies += sums[1:]
        accuracies /= total
        return accuracies.T

    @cached_property
    def _is_alone(self) -> Bools:
        """Which patterns are drawn one by one: all, if there are few.

        Of many, they are those in which two classifiers differ that seldom do. Sums of
        Gamma variables over many samples are nearly normal: if a pair differs on d of
        them, its probability has an error of at most about 0.13 / d.
        """
        if len(self.counts) <= _FEW_PATTERNS:
            return np.ones(len(self.counts), dtype=bool)
        weighted = self.patterns.T * self.counts
        both = weighted @ self.patterns
        right = np.diag(both)
        n_different = np.add.outer(right, right) - 2 * both
        is_alone = np.zeros(len(self.counts), dtype=bool)
        for i, j in np.argwhere(np.triu(n_different < _FEW_DIFFERENCES, 1)):
            is_alone |= self.patterns[:, i] != self.patterns[:, j]
        return is_alone

    @property
    def n_drawn(self) -> int:
        """Number of patterns that are drawn one by one."""
        return int(self._is_alone.sum())

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Mean and a root of the covariance of sums of the patterns drawn together.

        The first sum is that of all of them.
        """
        together = ~self._is_alone
        patterns = np.insert(self.patterns[together], 0, 1.0, axis=1)
        weighted = patterns.T * self.counts[together]
        values, vectors = np.linalg.eigh(weighted @ patterns)
        return weighted.sum(axis=1), vectors * np.sqrt(np.maximum(values, 0.0))

    def _draw_all_patterns(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw the shares of all patterns of few classifiers."""
        # Pattern k has the binary digits of k.
        n_classifiers = self.patterns.shape[1]
        powers = 2 ** np.arange(n_classifiers)
        is_right = np.arange(2**n_classifiers)[:, np.newaxis] & powers > 0
        if self.balanced:
            is_half = np.abs(is_right.sum(axis=1) - n_classifiers / 2) < 1
            probabilities = is_half / is_half.sum()
        else:
            right = self.a / (self.a + self.b)
            probabilities = np.where(is_right, right, 1 - right).prod(axis=1)

        masses = (self.a + self.b) * probabilities
        np.add.at(masses, (self.patterns @ powers).astype(np.intp), self.counts)
        shares = np.empty((masses.size, size))
        for row, mass in zip(shares, masses.tolist(), strict=True):
            rng.standard_gamma(mass, out=row)
        accuracies = matrix_product(is_right.T.astype(float), shares)
        return np.asarray((accuracies / shares.sum(axis=0)).T)

    def _draw_prior(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw accuracies from the prior, shape (T, size).

        This is the stick-breaking representation: a draw is a sum of random patterns,
        weighted by the lengths of the pieces. Finally the remainder of the stick is
        multiplied by independent Beta draws. This preserves the distribution of each
        classifier alone and all joint moments up to the third, and changes joint fourth
        moments by 1e-6. There are at most 64 pieces; where more would be needed, each
        matters little.
        """
        shape = self.patterns.shape[1], size
        mass = self.a + self.b
        accuracies: Floats = np.zeros(shape)
        stick: Floats = np.ones(size)
        # The fourth power of the remainder is 1e-6 on average.
        needed = np.log(1e-6) / -np.log1p(4 / mass)
        for _ in range(int(np.clip(np.ceil(needed), 1, 64))):
            # Each piece is a Beta(1, mass) share of the stick.
            remainder = stick * np.exp(rng.standard_exponential(size) / -mass)
            uniform = rng.random(shape)
            if self.balanced:
                # Sampling without replacement: each classifier is right with the
                # fraction of those remaining that still have to be.
                missing = (shape[0] + rng.integers(0, 2, size)) // 2
                patterns = np.empty(shape, dtype=bool)
                for i in range(shape[0]):
                    patterns[i] = uniform[i] * (shape[0] - i) < missing
                    missing -= patterns[i]
            else:
                patterns = uniform < self.a / mass
            accuracies += (stick - remainder) * patterns
            stick = remainder

        # The uniform prior is common, and much faster to draw from.
        is_uniform = self.a == self.b == 1
        accuracies += stick * (
            rng.random(shape) if is_uniform else rng.beta(self.a, self.b, shape)
        )
        return accuracies


def draw_averages(
    distributions: Sequence[PatternDistribution],
    weights: Floats,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """Draw weighted averages of accuracies over independent classes, (size, T)."""
    total = np.zeros((distributions[0].patterns.shape[1], size)).T
    for distribution, weight in zip(distributions, weights, strict=True):
        if weight:
            total += weight * distribution.draw(size, rng)
    return np.ascontiguousarray(total)


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of ranks and sums of losses in draws of T values.

    Attributes
    ----------
    ranks : array of int of shape (T, T)
        Number of draws in which each value (row) takes each rank (column). The first
        column is rank 1, the largest.
    losses, squares : arrays of shape (T,)
        Sums of the shortfalls from the largest value of a draw, and of their squares.
    """

    ranks: Indices
    losses: Floats
    squares: Floats

    @property
    def size(self) -> int:
        """Number of draws."""
        return int(self.ranks[0].sum())

    def __add__(self, other: "Tally") -> "Tally":
        """Return the tally of the draws of both."""
        return Tally(
            self.ranks + other.ranks,
            self.losses + other.losses,
            self.squares + other.squares,
        )


def tally(draws: Floats, rng: np.random.Generator) -> Tally:
    """Count ranks and losses in draws of shape (size, T); ties are broken at random."""
    count = draws.shape[1]
    order = np.argsort(-draws, axis=1)
    ranked = np.take_along_axis(draws, order, axis=1)
    if np.any(ranked[:, 1:] == ranked[:, :-1]):
        # Classifiers with equal predictions tie if the prior is lost to rounding.
        order = np.lexsort((rng.random(draws.shape), -draws), axis=1)
    cells = np.bincount((order * count + np.arange(count)).ravel(), minlength=count**2)
    losses = draws.max(axis=1, keepdims=True) - draws
    return Tally(
        cells.reshape(count, count), losses.sum(axis=0), np.square(losses).sum(axis=0)
    )


def nearest_correlations(covariances: Floats) -> Floats:
    """Return positive semidefinite correlations close to those of covariances, (n, n).

    Negative eigenvalues are set to zero, and the diagonal is rescaled to one.
    """
    scale = np.sqrt(np.diag(covariances))
    values, vectors = np.linalg.eigh(covariances / np.outer(scale, scale))
    nearest = (vectors * np.maximum(values, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(nearest))
    return np.asarray(nearest / np.outer(scale, scale))


def draw_with_ranks(
    draws: Sequence[Floats], correlations: Floats, size: int, rng: np.random.Generator
) -> Floats:
    """Draw jointly from distributions that are given by sorted draws, shape (size, n).

    Parameters
    ----------
    draws : sequence of n arrays
        Sorted draws of each distribution.
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
    for column, (scores, marginal) in enumerate(zip(normal.T, draws, strict=True)):
        # `np.quantile` would partition the draws again although they are sorted.
        quantiles = np.interp(levels, np.linspace(0, 1, len(marginal)), marginal)
        joint[np.argsort(scores), column] = quantiles
    return joint
