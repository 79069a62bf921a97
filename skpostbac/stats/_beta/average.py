r"""The distribution of a weighted sum of independent Beta variables.

For X = sum_i w_i theta_i with independent theta_i ~ Beta(a_i, b_i) the characteristic
function is a product of confluent hypergeometric functions (Carrillo et al. 2014, eq.
13),

    E[exp(i t X)] = prod_i 1F1(a_i; a_i + b_i; i t w_i).

It is computed by a Fourier series (`characteristic`). The variance is sum_i w_i^2 a_i
b_i / (n_i^2 (n_i + 1)) with n_i = a_i + b_i. The mean is a sum of two doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    RngLike,
    SetOnce,
    block,
    check_generator,
    check_shape,
    format_estimates,
    more,
    table,
)
from skpostbac.stats._beta.parameters import Parameters, cumulants
from skpostbac.stats._beta.saddlepoint import BetaTails
from skpostbac.stats._beta.sums import centred_sums
from skpostbac.stats._centred import Centred
from skpostbac.stats._distribution import (
    BoundedDistribution,
    Distribution,
    Intervals,
    LocatedDistributions,
    interval_of,
)
from skpostbac.stats._located import Located, SmallTails
from skpostbac.stats._numerics import Frame


class _WeightedSums:
    """Parameters of one sum, or of an array of them."""

    a: Floats
    """First parameters of the Beta variables, read-only, shape (..., l)."""
    b: Floats
    """Second parameters of the Beta variables, read-only, shape (..., l)."""
    weights: Floats
    """Weights of the Beta variables, read-only, shape (..., l)."""
    _parameters: Parameters

    def _set_parameters(self, parameters: Parameters) -> None:
        self.a = parameters.a
        self.b = parameters.b
        self.weights = parameters.weights
        self._parameters = parameters

    @cached_property
    def _cumulants(self) -> Floats:
        return cumulants(self.a, self.b, self.weights)

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        total = np.zeros(shape)
        for i in range(self.a.shape[-1]):
            total += self.weights[..., i] * rng.beta(
                self.a[..., i], self.b[..., i], shape
            )
        return total


class BetaAverage(_WeightedSums, BoundedDistribution):
    r"""Distribution of :math:`\lambda = \sum_i w_i \theta_i`.

    The :math:`\theta_i` are independent, :math:`\theta_i \sim \mathrm{Beta}(a_i, b_i)`.
    With the default weights this is the posterior of the balanced accuracy ([1]_, eq.
    12). It is computed from the Fourier series of its density, whose coefficients are
    the exact products of characteristic functions ([1]_, eq. 13), without a grid or
    random draws.

    Parameters
    ----------
    a, b : array_like of shape (l,) or (..., l)
        Parameters of the Beta variables, positive, between 1e-6 and 1e15. If one of
        them is a number, it is that of all variables.
    weights : array_like of shape (l,) or (..., l), optional
        Weights of any sign, finite and not all zero. They need not sum to one. The
        default is 1 / l each.

    Raises
    ------
    ValueError
        If a parameter is out of range or the shapes do not agree.

    See Also
    --------
    scipy.stats.beta : Distribution of a single Beta variable.

    Notes
    -----
    Parameters with more than one dimension return `BetaAverages`, an array of
    distributions whose methods return arrays. All axes but the last are broadcast. Most
    posteriors are smooth; each then takes about a tenth of the time of a single
    distribution.

    Errors of ``cdf`` and ``ccdf`` are absolute: 1e-12, and more beside a corner where
    the density is not smooth (see :ref:`numerics`). Logarithms of tails or densities
    below 1e-11 are a saddlepoint approximation, good to about 1 % of the probability.

    ``B - A`` is the distribution of the difference of two independent variables, again
    a `BetaAverage`.

    A corner is a sum of a subset of the weights. A point within rounding error of a
    corner is treated as the corner. With exponents far below 1/2, much of the mass is
    closer to the corners than doubles can resolve; at a corner, ``cdf`` and ``ccdf``
    split this mass exactly (to 1e-12, measured at exponents from 1e-3).

    References
    ----------
    .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos, "Probabilistic
       performance evaluation for multiclass classification using the posterior balanced
       accuracy", ROBOT2013, Advances in Intelligent Systems and Computing 252, 2014,
       347-361.

    Examples
    --------
    The first classifier of [1]_: 30 of 32, 8 of 10 and 3 of 4 samples correct, uniform
    prior.

    >>> from skpostbac.stats import BetaAverage
    >>> distribution = BetaAverage([31, 9, 4], [3, 3, 2])
    >>> round(distribution.mean(), 6)
    0.776144
    >>> low, high = distribution.interval(0.95)
    >>> round(low, 6), round(high, 6)
    (0.621508, 0.903213)
    >>> bool(distribution.cdf(1 / 3) < 1e-9)
    True

    All three classifiers of [1]_ at once, and their differences from the first:

    >>> a, b = [[31, 9, 4], [31, 3, 2], [33, 10, 5]], [[3, 3, 2], [3, 9, 4], [1, 2, 1]]
    >>> distributions = BetaAverage(a, b)
    >>> distributions
    BetaAverages(shape=(3,), n_variables=3)
    >>> distributions.mean().round(6)
    array([0.776144, 0.498366, 0.879085])
    >>> low, high = distributions.interval(0.95)
    >>> low.round(6), high.round(6)
    (array([0.621508, 0.370593, 0.741882]), array([0.903213, 0.652492, 0.967747]))
    >>> (distributions - distribution).ccdf(0).round(6)
    array([0.5     , 0.005942, 0.864986])
    """

    has_equal_weights: bool
    """Whether the weights are the default, exactly 1 / l each."""

    def __new__(
        cls, a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None
    ) -> BetaAverage:
        """Return one distribution, or `BetaAverages` for more dimensions."""
        parameters = Parameters.checked(a, b, weights)
        if parameters.shape:
            # The docstring says so; for type checkers only `beta_averages` does.
            return BetaAverages(parameters)  # type: ignore[return-value]
        self = super().__new__(cls)
        self._set_parameters(parameters)
        self.has_equal_weights = parameters.equal
        return self

    def __getnewargs_ex__(
        self,
    ) -> tuple[tuple[Floats, Floats], dict[str, Floats | None]]:
        """Return the arguments for copying and pickling."""
        weights = None if self.has_equal_weights else self.weights
        return (self.a, self.b), {"weights": weights}

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of variables."""
        mean = self.mean()
        sd = self.standard_deviation()
        return f"BetaAverage(mean={mean:.4g}, sd={sd:.4g}, n_variables={self.a.size})"

    def __getstate__(self) -> dict[str, Any]:
        """Add the frame: that of a difference or a negation cannot be recomputed."""
        return {**super().__getstate__(), "_frame": self._frame}

    def __neg__(self) -> BetaAverage:
        """Return the distribution of the negated variable."""
        distribution = BetaAverage(self.a, self.b, weights=-self.weights)
        return distribution._framed(self._frame.mirrored())

    @overload
    def __sub__(self, other: BetaAverage) -> BetaAverage: ...

    @overload
    def __sub__(self, other: BetaAverages) -> BetaAverages: ...

    def __sub__(self, other: BetaAverage | BetaAverages) -> BetaAverage | BetaAverages:
        """Return the distribution of the difference of two independent variables."""
        if isinstance(other, BetaAverages):
            return beta_averages(self.a, self.b, self.weights) - other
        if not isinstance(other, BetaAverage):
            return NotImplemented
        distribution = BetaAverage(
            np.concatenate([self.a, other.a]),
            np.concatenate([self.b, other.b]),
            weights=np.concatenate([self.weights, -other.weights]),
        )
        return distribution._framed(self._frame.plus(other._frame.mirrored()))

    def __rsub__(self, other: BetaAverages) -> BetaAverages:
        """Return the distributions of many other variables minus this one."""
        if not isinstance(other, BetaAverages):
            return NotImplemented
        return other - beta_averages(self.a, self.b, self.weights)

    def _framed(self, frame: Frame) -> BetaAverage:
        # A frame holds equal weights of 1 / l exactly; an array of weights rounds them.
        vars(self)["_frame"] = frame
        return self

    def means(self) -> Floats:
        """Return the mean of each variable, shape (l,)."""
        return self.a / (self.a + self.b)

    @cached_property
    def _centred(self) -> Centred:
        return centred_sums(*self._parameters.rows)[0][1]

    @cached_property
    def _small_tails(self) -> SmallTails:
        return BetaTails(*self._parameters.rows)

    @cached_property
    def _frame(self) -> Frame:
        mean, error, low, high = self._parameters.frames[:, 0].tolist()
        share = np.abs(self.weights) / (self.a + self.b)
        exponents = np.where(self.weights > 0, [self.a, self.b], [self.b, self.a])
        below, above = (share * exponents).sum(axis=1).tolist()
        return Frame(low, high, mean, error, below, above)


class BetaAverages(_WeightedSums, LocatedDistributions[Floats, Intervals], SetOnce):
    """An array of distributions of weighted sums of independent Beta variables.

    `BetaAverage` returns it for parameters with more than one dimension. It has the
    methods of a single distribution. They return arrays of the shape of the array of
    distributions, broadcast with the points or probabilities. The values agree with
    those of the single distributions to about 1e-12. Logarithms of tails below 1e-11
    are good to about 1 %.

    The series used for the computation are cached: up to some hundred numbers for each
    distribution, and more with classes without errors.

    See Also
    --------
    BetaAverage : Parameters and an example.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._set_parameters(parameters)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape (...) of the array of distributions."""
        return self._parameters.shape

    _shape = shape

    def __repr__(self) -> str:
        """Show the shape and the number of variables."""
        return f"BetaAverages(shape={self.shape}, n_variables={self.a.shape[-1]})"

    def _repr_html_(self) -> str:
        """Show the first distributions, by their index."""
        rows = self._parameters.rows
        max_rows = 8
        first = beta_averages(*(values[:max_rows] for values in rows))
        intervals = list(
            zip(*(ends.tolist() for ends in interval_of(first, 0.95)), strict=True)
        )
        estimates = format_estimates(first.mean().tolist(), intervals)
        indices = map(str, np.ndindex(self.shape))
        cells = [
            (index, *estimate)
            for index, estimate in zip(indices, estimates, strict=False)
        ]
        note = more(len(rows[0]), max_rows)
        return block(repr(self), table(("index", "mean", "95% CI"), cells, note=note))

    def __neg__(self) -> BetaAverages:
        """Return the distributions of the negated variables."""
        return beta_averages(self.a, self.b, -self.weights)

    def __sub__(self, other: object) -> BetaAverages:
        """Return the distributions of the differences of independent variables."""
        if not isinstance(other, BetaAverages):
            return NotImplemented
        shape = np.broadcast_shapes(self.shape, other.shape)

        def joined(first: Floats, second: Floats) -> Floats:
            arrays = [
                np.broadcast_to(x, (*shape, x.shape[-1])) for x in (first, second)
            ]
            return np.concatenate(arrays, axis=-1)

        return beta_averages(
            joined(self.a, other.a),
            joined(self.b, other.b),
            joined(self.weights, -other.weights),
        )

    def support(self) -> Intervals:
        """Return the lower and upper ends of the support, shape (...) each."""
        return self._intervals(self._parameters.frames[2:])

    def mean(self) -> Floats:
        """Return the means, in closed form."""
        return self._numbers(self._parameters.frames[0])

    def median(self) -> Floats:
        """Return the medians."""
        return self.icdf(0.5)

    def sample(
        self, shape: int | tuple[int, ...] = (), *, rng: RngLike = None
    ) -> Floats:
        """Draw independent random values.

        Parameters
        ----------
        shape : int or tuple of int, default=()
            Shape of the draws of each distribution.
        rng : Generator, BitGenerator, SeedSequence or int, optional
            NumPy generator or seed. By default a generator with fresh entropy.

        Returns
        -------
        sample : ndarray of the shape `shape`, followed by that of the distributions
        """
        return self._draw(check_generator(rng), (*check_shape(shape), *self.shape))

    @cached_property
    def _located(self) -> Located:
        rows = self._parameters.rows
        return Located(self._parameters.frames, centred_sums(*rows), BetaTails(*rows))

    def _numbers(self, values: Floats) -> Floats:
        return values.reshape(self.shape)

    def _intervals(self, values: Floats) -> Intervals:
        return Intervals(*values.reshape(2, *self.shape))


def beta_averages(
    a: ArrayLike, b: ArrayLike, weights: ArrayLike | None = None
) -> BetaAverages:
    """Return `BetaAverage` for parameters with more than one dimension."""
    return BetaAverages(Parameters.checked(a, b, weights))


# A method of one distribution, or of an array of them: both have the same names.
Question: TypeAlias = Callable[[Any], Any]
# Passes on the indices of distributions that are evaluated one by one, such as a
# progress line does.
Watch: TypeAlias = Callable[[Sequence[int]], Iterable[int]]


def evaluate_all(
    distributions: Sequence[Distribution], question: Question, watch: Watch = iter
) -> Floats:
    """Return a number, or a pair of them, of each of many distributions.

    Parameters
    ----------
    distributions : sequence of Distribution
        Averages of Betas of the same number of variables are computed together.
    question : callable
        Returns a number or an interval of a distribution, and arrays of an array of
        them.
    watch : callable
        Passes on the indices of those that are computed one by one.

    Returns
    -------
    values : ndarray of shape (n,) or (n, 2)
    """
    groups: dict[tuple[int, bool], list[int]] = {}
    for i, one in enumerate(distributions):
        key = (0, False)
        if isinstance(one, BetaAverage):
            key = one.a.size, one.has_equal_weights
        groups.setdefault(key, []).append(i)

    values: dict[int, Any] = {}
    single: list[int] = []
    for (size, is_equal), rows in groups.items():
        if len(rows) == 1 or size == 0:
            single += rows
            continue
        group: list[Any] = [distributions[i] for i in rows]
        a, b, weights = (
            np.array([getattr(one, name) for one in group])
            for name in ("a", "b", "weights")
        )
        answers = question(beta_averages(a, b, None if is_equal else weights))
        values |= zip(rows, np.transpose(answers), strict=True)

    answered: dict[int, Any] = {}
    for i in watch(sorted(single)):
        # The same object may occur several times.
        identity = id(distributions[i])
        if identity not in answered:
            answered[identity] = question(distributions[i])
        values[i] = answered[identity]
    return np.array([values[i] for i in range(len(distributions))], dtype=float)
