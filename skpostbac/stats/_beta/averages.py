"""Arrays of distributions of weighted sums of Betas."""

from functools import cached_property

import numpy as np

from skpostbac._utils import (
    Floats,
    RngLike,
    StablePickle,
    block,
    check_generator,
    check_level,
    check_shape,
    format_estimates,
    more,
    table,
)
from skpostbac.stats._beta.betas import Parameters, cumulants
from skpostbac.stats._beta.saddlepoint import BetaTails
from skpostbac.stats._beta.series import centred_sums
from skpostbac.stats._distribution import Intervals, LocatedDistributions, interval_of
from skpostbac.stats._numerics import weighted_means
from skpostbac.stats._series import Located

# Number of distributions shown in the HTML view.
SHOWN = 8


class BetaAverages(LocatedDistributions[Floats], StablePickle):
    """An array of distributions of weighted sums of independent Beta variables.

    `BetaAverage` returns it for parameters with more than one dimension. It has the methods of a
    single distribution. They return arrays of the shape of the array of distributions, broadcast
    with the points or probabilities. The values agree with those of the single distributions to
    about 1e-12. Logarithms of tails below 1e-11 are good to about 1 %.

    The series used for the computation are cached: up to some hundred numbers for each
    distribution, and more with classes without errors.

    See Also
    --------
    BetaAverage : Parameters and an example.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters

    @property
    def a(self) -> Floats:
        """First parameters of the Beta variables, read-only, shape (..., l)."""
        return self._parameters.a

    @property
    def b(self) -> Floats:
        """Second parameters of the Beta variables, read-only, shape (..., l)."""
        return self._parameters.b

    @property
    def weights(self) -> Floats:
        """Weights of the Beta variables, read-only, shape (..., l)."""
        return self._parameters.weights

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape (...) of the array of distributions."""
        return self._parameters.shape

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.shape

    def __repr__(self) -> str:
        """Show the shape and the number of variables."""
        return f"BetaAverages(shape={self.shape}, n_variables={self.a.shape[-1]})"

    def _repr_html_(self) -> str:
        """Show the first distributions, by their index."""
        flat = (len(self.a.reshape(-1, self.a.shape[-1])), self.a.shape[-1])
        parameters = (self.a, self.b, np.broadcast_to(self.weights, self.a.shape))
        first = self._made(*(values.reshape(flat)[:SHOWN] for values in parameters))
        intervals = list(zip(*(ends.tolist() for ends in interval_of(first, 0.95)), strict=True))
        estimates = format_estimates(first.mean().tolist(), intervals)
        places = map(str, np.ndindex(self.shape))
        rows = [(place, *estimate) for place, estimate in zip(places, estimates, strict=False)]
        return block(
            repr(self), table(("index", "mean", "95% CI"), rows, note=more(flat[0], SHOWN))
        )

    def __neg__(self) -> "BetaAverages":
        """Return the distributions of the negated variables."""
        return self._made(self.a, self.b, -self.weights)

    def __sub__(self, other: object) -> "BetaAverages":
        """Return the distributions of the differences of independent variables."""
        if not isinstance(other, BetaAverages):
            return NotImplemented
        shape = np.broadcast_shapes(self.shape, other.shape)

        def joined(first: Floats, second: Floats) -> Floats:
            arrays = [np.broadcast_to(x, (*shape, x.shape[-1])) for x in (first, second)]
            return np.concatenate(arrays, axis=-1)

        return self._made(
            joined(self.a, other.a),
            joined(self.b, other.b),
            joined(self.weights, -other.weights),
        )

    def _made(self, a: Floats, b: Floats, weights: Floats) -> "BetaAverages":
        return BetaAverages(Parameters.checked(a, b, weights))

    # Moments

    def support(self) -> Intervals:
        """Return the lower and upper ends of the support, shape (...) each."""
        low, high = self._support
        return Intervals(low.reshape(self.shape), high.reshape(self.shape))

    def mean(self) -> Floats:
        """Return the means, in closed form."""
        return self._means[0].reshape(self.shape)

    def variance(self) -> Floats:
        """Return the variances, in closed form."""
        return np.asarray(self._cumulants[0])

    def standard_deviation(self) -> Floats:
        """Return the standard deviations, in closed form."""
        return np.sqrt(self.variance())

    def skewness(self) -> Floats:
        """Return the skewnesses, the third standardised moments, in closed form."""
        return np.asarray(self._cumulants[1] / self._cumulants[0] ** 1.5)

    def kurtosis(self) -> Floats:
        """Return the excess kurtoses, in closed form."""
        return np.asarray(self._cumulants[2] / self._cumulants[0] ** 2)

    @property
    def _cumulants(self) -> Floats:
        return cumulants(self.a, self.b, self.weights)

    @cached_property
    def _means(self) -> tuple[Floats, Floats]:
        """Means, each a sum of two doubles, shape (m,)."""
        a, b, weights = self._parameters.rows
        return weighted_means(a, b, None if self._parameters.equal else weights)

    @property
    def _support(self) -> tuple[Floats, Floats]:
        weights = self._parameters.rows[2]
        low, high = np.minimum(weights, 0.0).sum(axis=1), np.maximum(weights, 0.0).sum(axis=1)
        return low, np.ones_like(high) if self._parameters.equal else high

    def median(self) -> Floats:
        """Return the medians."""
        return self.icdf(0.5)

    def interval(self, level: float = 0.95) -> Intervals:
        """Return the central intervals, with equal probability in both tails.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the intervals, in (0, 1).

        Returns
        -------
        low, high : ndarray of shape (...)

        Raises
        ------
        ValueError
            If `level` is outside (0, 1).
        """
        tail = 0.5 * (1 - check_level(level))
        count = self._means[0].size
        p, q = (np.tile(pair, (count, 1)) for pair in ([tail, 1 - tail], [1 - tail, tail]))
        return self._intervals(self._located.quantiles(p, q).T)

    def hdi(self, level: float = 0.95) -> Intervals:
        """Return the highest-density intervals, the shortest ones with this probability.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the intervals, in (0, 1).

        Returns
        -------
        low, high : ndarray of shape (...)

        Raises
        ------
        ValueError
            If `level` is outside (0, 1).
        """
        return self._intervals(self._located.shortest(check_level(level)))

    def mode(self) -> Floats:
        """Return the points of highest density; an end of the support if unbounded there."""
        return self._located.modes().reshape(self.shape)

    def sample(self, shape: int | tuple[int, ...] = (), *, rng: RngLike = None) -> Floats:
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
        generator, size = check_generator(rng), (*check_shape(shape), *self.shape)
        total = np.zeros(size)
        for i in range(self.a.shape[-1]):
            total += self.weights[..., i] * generator.beta(self.a[..., i], self.b[..., i], size)
        return total

    @cached_property
    def _located(self) -> Located:
        rows = self._parameters.rows
        frames = np.array([*self._means, *self._support])
        return Located(frames, centred_sums(*rows), BetaTails(*rows))

    def _intervals(self, ends: Floats) -> Intervals:
        """Reshape ends, shape (2, m), to the shape of the array of distributions."""
        return Intervals(*(end.reshape(self.shape) for end in ends))
