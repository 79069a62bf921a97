r"""Distribution functions on panels of Gauss-Lobatto-Legendre nodes.

On a panel the matrix ``STIFFNESS`` integrates g dF from the values of g and F at the nodes: no
density is evaluated, so that an infinite one at an end of the support does no harm. It obeys
summation by parts, ``S + S.T = diag(-1, 0, ..., 0, 1)`` (Strand, Journal of Computational Physics
110, 1994). Panels are halved until the last Legendre coefficients are small. Nodes at both ends of
a panel mean that the mass of a distribution, however narrow, cannot slip between two nodes unseen.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import legendre

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._numerics import Frame
from skpostbac.stats._series import Centred, Evaluator, tails_about_means

# The last coefficients of a panel that is resolved are below this; so many panels at most.
_TOLERANCE, _MOST = 1e-9, 64


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
# From node values to Legendre coefficients, and to the last three of them.
TO_LEGENDRE = np.linalg.inv(legendre.legvander(NODES, NODES.size - 1))
LAST_COEFFICIENTS = TO_LEGENDRE[-3:]


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
    cdf: Callable[[Floats], Floats],
    edges: Floats,
    *,
    tolerance: float = _TOLERANCE,
    most: int = _MOST,
) -> "PanelDistribution":
    """Return the distribution of a distribution function, given rising first edges."""

    def evaluate(x: Floats) -> Floats:
        return np.clip(cdf(x.ravel()), 0.0, 1.0).reshape(x.shape)

    def is_unresolved(_: Floats, values: Floats) -> Bools:
        return np.asarray(np.abs(values @ LAST_COEFFICIENTS.T).max(axis=1) > tolerance)

    return PanelDistribution(*resolved_panels(evaluate, is_unresolved, edges, most))


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

    def __repr__(self) -> str:
        return f"PanelDistribution(mean={self.mean():.4g}, sd={self.standard_deviation():.4g})"

    @cached_property
    def _frame(self) -> Frame:
        low, high = float(self._edges[0, 0]), float(self._edges[-1, 1])
        half = np.diff(self._edges, axis=1)[:, 0] / 2
        below = float(half @ self._cdf @ WEIGHTS)
        above = float(half @ (1 - self._cdf) @ WEIGHTS)
        return Frame(low, high, low + above, 0.0, above, below)

    @cached_property
    def _central_moments(self) -> Floats:
        """Second to fourth central moment."""
        middle, half = self._edges.mean(axis=1, keepdims=True), np.diff(self._edges, axis=1) / 2
        away = middle - self._frame.mean + half * NODES
        masses = self._cdf @ STIFFNESS.T
        return np.array([float((away**order * masses).sum()) for order in (2, 3, 4)])

    def variance(self) -> float:
        """Return the variance, by quadrature."""
        return max(float(self._central_moments[0]), 0.0)

    def skewness(self) -> float:
        """Return the skewness, the third standardised moment, by quadrature."""
        return float(self._central_moments[1] / self.variance() ** 1.5)

    def kurtosis(self) -> float:
        """Return the excess kurtosis, by quadrature; it is zero for a normal distribution."""
        return float(self._central_moments[2] / self.variance() ** 2 - 3)

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return np.asarray(self.icdf(rng.random(shape)))

    @cached_property
    def _centred(self) -> Centred:
        edges = self._edges - self._frame.mean
        deviation = np.array([self.standard_deviation()])
        return _CentredPanels(edges, TO_LEGENDRE @ self._cdf.T, deviation)


@dataclass(frozen=True)
class _CentredPanels:
    """A distribution on panels at distances from its mean, as an array of one.

    Attributes
    ----------
    edges : ends of the panels, shape (P, 2).
    series : Legendre coefficients of the distribution function on each, shape (n, P).
    deviation : standard deviation, shape (1,).
    """

    edges: Floats
    series: Floats
    deviation: Floats
    least: float = _TOLERANCE
    is_log_concave: bool = False

    @property
    def low(self) -> Floats:
        """The lower end of the support."""
        return self.edges[0, :1]

    @property
    def high(self) -> Floats:
        """The upper end of the support."""
        return self.edges[-1, 1:]

    @property
    def places(self) -> Floats:
        """Ends of the panels, at which polynomials meet."""
        return self.edges[np.newaxis, :-1, 1]

    @property
    def end_densities(self) -> Floats:
        """Densities at both ends."""
        ends = np.array([[self.edges[0, 0], self.edges[-1, 1]]])
        return np.asarray(np.maximum(self.evaluator(1)(ends)[1].T, 0.0))

    def evaluator(self, n_derivatives: int) -> Evaluator:
        """Return what evaluates the distribution function and so many derivatives."""
        length = np.diff(self.edges, axis=1)[:, 0]
        series = [self.series - 0.5 * np.eye(len(self.series), 1)]
        for _ in range(n_derivatives):
            series.append(np.asarray(legendre.legder(series[-1]), np.float64) * (2 / length))

        def evaluate(y: Floats) -> Floats:
            panel, u = places_in_panels(self.edges, y.ravel())
            values = [legendre.legval(u, one[:, panel], tensor=False) for one in series]
            return np.array(values, np.float64).reshape(-1, *y.shape)

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        """P(X <= x), P(X > x) and the density at distances from the mean."""
        return tails_about_means(self, y)

    def quantiles_from_ends(self, p: Floats, q: Floats) -> None:
        """Return None: distances from the mean have the same accuracy."""


def places_in_panels(edges: Floats, x: Floats) -> tuple[Indices, Floats]:
    """Return the panel of each point, and where it lies in it, from -1 to 1."""
    panel = np.minimum(np.searchsorted(edges[:, 1], x), len(edges) - 1)
    low, high = edges[panel].T
    return panel, np.clip((2 * x - low - high) / (high - low), -1.0, 1.0)
