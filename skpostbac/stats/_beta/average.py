"""The distribution of a weighted sum of independent Beta variables.

For X = sum_i w_i theta_i with independent theta_i ~ Beta(a_i, b_i) the moment generating function
is a product of confluent hypergeometric functions,

    M(s) = prod_i 1F1(a_i; a_i + b_i; w_i s),

and on the imaginary axis it is the characteristic function of Carrillo et al. (2014), eq. 13. It is
inverted along a Bromwich contour (`skpostbac.stats._inversion`), with one factor for each term
(`terms`). The variance is sum_i w_i^2 a_i b_i / (n_i^2 (n_i + 1)) with n_i = a_i + b_i. The mean
and the ends of the support are kept as sums of two doubles each.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats
from skpostbac.stats._beta.moments import cumulants, variances
from skpostbac.stats._beta.terms import WeightedBetas
from skpostbac.stats._distribution import Laplace
from skpostbac.stats._inversion import Inversion, WeightedSum, sum_weights, vector
from skpostbac.stats._numerics import Frame, exact_sum, weighted_mean

# Beyond these the variable is a constant, or a coin, as far as doubles can tell.
SMALLEST, LARGEST = 1e-6, 1e15


class BetaAverage(WeightedSum):
    r"""Distribution of :math:`\lambda = \sum_i w_i \theta_i` with independent :math:`\theta_i`.

    :math:`\theta_i \sim \mathrm{Beta}(a_i, b_i)`. With the default weights this is the posterior
    of the balanced accuracy, eq. 12 of [1]_; it is computed by inverting the exact product of
    characteristic functions, eq. 13 there, without a grid and without random draws.

    Parameters
    ----------
    a, b : array_like of shape (l,)
        Parameters of the Beta variables, positive, between 1e-6 and 1e15.
    weights : array_like of shape (l,), optional
        Weights of any sign, finite and not all zero. They need not sum to one. The default is
        1 / l each.

    Raises
    ------
    ValueError
        If a parameter is out of range or the shapes do not agree.

    See Also
    --------
    scipy.stats.beta : The distribution of one such variable.

    Notes
    -----
    ``B - A`` is the distribution of the difference of two independent variables, again a
    `BetaAverage`.

    A place within rounding of a corner, a sum of some of the weights, is taken to be on it. With
    exponents far below 1/2 much of the mass is closer to the corners than doubles can tell; on the
    corner itself ``cdf`` and ``ccdf`` share it exactly (to 1e-12, measured at exponents from 1e-3).

    References
    ----------
    .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos, "Probabilistic performance
       evaluation for multiclass classification using the posterior balanced accuracy", ROBOT2013,
       Advances in Intelligent Systems and Computing 252, 2014, 347-361.

    Examples
    --------
    The first classifier of [1]_: 30 of 32, 8 of 10 and 3 of 4 samples correct, flat prior.

    >>> from skpostbac.stats import BetaAverage
    >>> distribution = BetaAverage([31, 9, 4], [3, 3, 2])
    >>> round(distribution.mean(), 6)
    0.776144
    >>> low, high = distribution.interval(0.95)
    >>> round(low, 6), round(high, 6)
    (0.621508, 0.903213)
    >>> bool(distribution.cdf(1 / 3) < 1e-9)
    True
    """

    def __init__(self, a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None) -> None:
        self._a, self._b = _positive_vector("a", a), _positive_vector("b", b)
        if self._b.shape != self._a.shape:
            raise ValueError(
                f"a and b must have the same length; got {self._a.size} and {self._b.size}."
            )
        self._equal = weights is None
        self._weights = sum_weights(weights, self._a.size)

    @property
    def a(self) -> Floats:
        """First parameters of the Beta variables, read-only, shape (l,)."""
        return self._a

    @property
    def b(self) -> Floats:
        """Second parameters of the Beta variables, read-only, shape (l,)."""
        return self._b

    @property
    def weights(self) -> Floats:
        """Weights of the Beta variables, read-only, shape (l,)."""
        return self._weights

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of variables."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"BetaAverage(mean={mean:.4g}, sd={sd:.4g}, n_variables={self.a.size})"

    def __getstate__(self) -> dict[str, Any]:
        """Keep the frame, which a difference or a mirrored distribution cannot compute again."""
        return {**super().__getstate__(), "_frame": self._frame}

    def __neg__(self) -> "BetaAverage":
        """Return the distribution of the negated variable."""
        distribution = BetaAverage(self.a, self.b, weights=-self.weights)
        return distribution._framed(self._frame.mirrored())

    def __sub__(self, other: "BetaAverage") -> "BetaAverage":
        """Return the distribution of the difference of two independent variables."""
        if not isinstance(other, BetaAverage):
            return NotImplemented
        distribution = BetaAverage(
            np.concatenate([self.a, other.a]),
            np.concatenate([self.b, other.b]),
            weights=np.concatenate([self.weights, -other.weights]),
        )
        return distribution._framed(self._frame.plus(other._frame.mirrored()))

    def _framed(self, frame: Frame) -> "BetaAverage":
        # Equal weights of 1 / l are exact in a frame, and rounded in an array of weights.
        vars(self)["_frame"] = frame
        return self

    def marginals(self) -> list["BetaAverage"]:
        """Return the distribution of each variable alone."""
        return [BetaAverage([a], [b]) for a, b in zip(self.a, self.b, strict=True)]

    def means(self) -> Floats:
        """Return the mean of each variable, shape (l,)."""
        return np.asarray(self.a / (self.a + self.b))

    def variance(self) -> float:
        """Return the variance, in closed form."""
        return float(variances(self.a, self.b, self.weights).sum())

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        total = np.zeros(shape)
        for a, b, weight in zip(self.a, self.b, self.weights, strict=True):
            total += weight * rng.beta(a, b, size=shape)
        return total

    @cached_property
    def _cumulants(self) -> tuple[float, float, float]:
        return cumulants(self.a, self.b, self.weights)

    @cached_property
    def _frame(self) -> Frame:
        n = self.a + self.b
        mean = weighted_mean(self.a, self.b, None if self._equal else self.weights)
        low = exact_sum([np.minimum(self.weights, 0.0)])
        high = (1.0, 0.0) if self._equal else exact_sum([np.maximum(self.weights, 0.0)])
        down = np.where(self.weights > 0, self.a, self.b) / n
        up = np.where(self.weights > 0, self.b, self.a) / n
        size = np.abs(self.weights)
        return Frame(*low, *high, *mean, float((size * down).sum()), float((size * up).sum()))

    @cached_property
    def _inversion(self) -> Inversion:
        return Inversion(self._terms)

    @property
    def _terms(self) -> WeightedBetas:
        """The terms that have a weight."""
        kept = self.weights != 0
        return WeightedBetas.of(self.a[kept], self.b[kept], self.weights[kept])

    def _laplace(self) -> Laplace:
        below = self._terms.mirrored()

        def laplace(t: float) -> tuple[float, float]:
            log_mgf, mean = below.tilted(t, from_end=True).log_mgf_and_mean
            return log_mgf, -mean

        return laplace

    @property
    def _ends(self) -> Floats:
        n = self.a + self.b
        return np.array([-self.weights * self.a / n, self.weights * self.b / n]).T


def _positive_vector(name: str, values: ArrayLike) -> Floats:
    """Return a read-only copy of a vector of parameters that double precision can tell apart."""
    array = vector(name, values)
    if not (array > 0).all():
        raise ValueError(f"{name} must be positive.")
    if not ((array >= SMALLEST) & (array <= LARGEST)).all():
        raise ValueError(f"{name} must lie between {SMALLEST:g} and {LARGEST:g}.")
    return array
