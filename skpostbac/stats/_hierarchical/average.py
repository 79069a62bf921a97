"""The distribution of a weighted sum of recalls under a hierarchical prior.

Classes of similar size form a stratum and share a state eta = (mu, kappa), which is a Markov chain
over the strata (`chain`). Given the states, the recalls are independent, and the posterior of each
is a mixture of two Betas, one for a class that borrows and one for an outlier. The moment
generating function of X = sum_i w_i theta_i is a sum over paths of states,

    M(s) = prod over pools of  sum over eta_1, ..., eta_S of P(eta | counts)
           prod_g prod_{i in g} E[exp(s w_i theta_i) | eta_g],

computed in one pass over the strata and inverted along a Bromwich contour
(`skpostbac.stats._inversion`). Rates that are improbable in the centre may dominate a far tail, so
each tilt selects its own states. The tails of a single large class come from incomplete Beta
functions (`beta_mixture`).
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, Indices, input_errors
from skpostbac.stats._borrowing import Hyperprior, Kinds, Stratum, kind_means
from skpostbac.stats._distribution import LeftOut, Tails
from skpostbac.stats._hierarchical.beta_mixture import OneClass, is_slow
from skpostbac.stats._hierarchical.terms import FarPools, PooledClasses, WeightedPools
from skpostbac.stats._inversion import Inversion, WeightedSum
from skpostbac.stats._numerics import Frame, Points, exact_sum, sum_weights, vector

# Log probabilities below this belong to far tails.
_FAR = -12.0
# Above this count, the spread of a class is lost to rounding of its mean.
_LARGEST = 1e15


class HierarchicalBetaAverage(WeightedSum):
    r"""Distribution of :math:`\lambda = \sum_i w_i \theta_i` for classes that share a `Hyperprior`.

    The counts are :math:`k_i \sim \mathrm{Binomial}(n_i, \theta_i)`. Classes of similar size share
    a rate :math:`\mu` and a strength :math:`\kappa`, the number of pseudo-samples with this rate
    that each of them borrows. From one size to the next larger one, these stay the same, change a
    little, or are drawn anew. Given all rates and strengths, the recalls :math:`\theta_i` are
    independent.

    This is the posterior given the counts of all classes: a mixture of `BetaAverage` distributions,
    computed by inverting its characteristic function ([1]_, eq. 13). The rates and strengths are
    integrated out by quadrature, with an error of about 1e-10 in probabilities.

    Parameters
    ----------
    correct, total : array_like of shape (l,)
        Number of correct predictions and of samples of each class, 0 <= correct <= total <= 1e15.
        They need not be integers.
    weights : array_like of shape (l,), optional
        Weights of any sign, finite and not all zero. A class with weight zero still informs
        the other classes. The default is 1 / l each.
    hyperprior : Hyperprior, optional
        Prior of the rates and strengths.
    pools : array_like of shape (l,), optional
        Pool of each class, an integer or a string. Classes borrow from the classes of their pool
        only; pools are independent. By default all classes are in one pool.

    Raises
    ------
    ValueError
        If the counts are out of range or the shapes do not agree.
    TypeError
        If `hyperprior` is not a `Hyperprior`.

    Warns
    -----
    RuntimeWarning
        Issued by the methods if the error of a probability may exceed 1e-9; the message states the
        error. This happens for small classes whose weights differ by many orders of magnitude,
        because the characteristic function then decays too slowly. Also issued if far tails would
        take more than a few seconds: they are then approximated, and the message states about the
        error of their logarithms. Each call issues at most one.

    See Also
    --------
    BetaAverage : Distribution for independent classes.

    Notes
    -----
    ``B - A`` is the distribution of the difference of two independent variables, again a
    `HierarchicalBetaAverage`.

    References
    ----------
    .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos, "Probabilistic performance
       evaluation for multiclass classification using the posterior balanced accuracy", ROBOT2013,
       Advances in Intelligent Systems and Computing 252, 2014, 347-361.

    Examples
    --------
    Ten classes of ten samples, nine of them correct in each class. Independent flat priors shrink
    the average to 0.833, with a narrow interval:

    >>> from skpostbac.stats import BetaAverage, HierarchicalBetaAverage
    >>> distribution = HierarchicalBetaAverage([9] * 10, [10] * 10)
    >>> low, high = distribution.interval(0.95)
    >>> round(low, 3), round(high, 3)
    (0.823, 0.942)
    >>> low, high = BetaAverage([10] * 10, [2] * 10).interval(0.95)
    >>> round(low, 3), round(high, 3)
    (0.765, 0.893)
    """

    _has_slow_intervals = True

    def __init__(
        self,
        correct: ArrayLike,
        total: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        hyperprior: Hyperprior | None = None,
        pools: ArrayLike | None = None,
    ) -> None:
        self._correct, self._total = vector("correct", correct), vector("total", total)
        _check_counts(self._correct, self._total)
        size = self._total.size
        self._equal = weights is None
        self._weights = sum_weights(weights, size)
        self._hyperprior = Hyperprior() if hyperprior is None else hyperprior
        if not isinstance(self._hyperprior, Hyperprior):
            raise TypeError(
                f"hyperprior must be a Hyperprior, got {type(self._hyperprior).__name__}"
            )
        self._pools = _places(np.zeros(size) if pools is None else pools, size)

    @property
    def correct(self) -> Floats:
        """Correct predictions of each class, read-only, shape (l,)."""
        return self._correct

    @property
    def total(self) -> Floats:
        """Samples of each class, read-only, shape (l,)."""
        return self._total

    @property
    def weights(self) -> Floats:
        """Weights of the classes, read-only, shape (l,)."""
        return self._weights

    @property
    def pools(self) -> Indices:
        """Number of the pool of each class, read-only, shape (l,)."""
        return self._pools

    @property
    def hyperprior(self) -> Hyperprior:
        """Prior of what the classes have in common."""
        return self._hyperprior

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of classes."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"HierarchicalBetaAverage(mean={mean:.4g}, sd={sd:.4g}, n_classes={self.total.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parameters only; cached results are recomputed."""
        weights = None if self._equal else self.weights
        return _rebuild, (self.correct, self.total, weights, self.hyperprior, self.pools)

    def __neg__(self) -> "HierarchicalBetaAverage":
        """Return the distribution of the negated variable."""
        weights = -self.weights
        weights.flags.writeable = False
        return self._with_weights(weights)

    def __sub__(self, other: "HierarchicalBetaAverage") -> "HierarchicalBetaAverage":
        """Return the distribution of the difference of two independent variables."""
        if not isinstance(other, HierarchicalBetaAverage):
            return NotImplemented
        if other.hyperprior != self.hyperprior:
            raise ValueError("both distributions must have the same hyperprior to be subtracted.")
        return HierarchicalBetaAverage(
            np.concatenate([self.correct, other.correct]),
            np.concatenate([self.total, other.total]),
            weights=np.concatenate([self.weights, -other.weights]),
            hyperprior=self.hyperprior,
            pools=np.concatenate([self.pools, self.pools.max() + 1 + other.pools]),
        )

    def marginals(self) -> list["HierarchicalBetaAverage"]:
        """Return the posterior of the recall of each class, given the counts of all classes.

        Classes with the same counts share one distribution object, which is computed once.
        """
        size = self.total.size
        # The rows of a unit matrix are windows on one array.
        one = np.zeros(2 * size - 1)
        one[size - 1] = 1.0
        one.flags.writeable = False
        windows = sliding_window_view(one, size)[::-1]
        kinds = np.stack([self.pools, self.correct, self.total])
        _, first, place = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
        distributions = [self._with_weights(windows[index]) for index in first]
        return [distributions[kind] for kind in place.ravel()]

    def means(self) -> Floats:
        """Return the posterior mean of the recall of each class, shape (l,)."""
        means = np.empty(self.total.size)
        for number in range(int(self.pools.max()) + 1):
            index = np.flatnonzero(self.pools == number)
            counts = np.stack([self.correct[index], self.total[index]])
            distinct, place = np.unique(counts, axis=1, return_inverse=True)
            # The means do not depend on the weights, as long as these are not zero.
            count = np.bincount(place.ravel()).astype(float)
            kinds = Kinds(distinct[0], distinct[1], np.ones(count.size), count)
            means[index] = kind_means(kinds, self.hyperprior)[place.ravel()]
        return means

    def _with_weights(self, weights: Floats) -> "HierarchicalBetaAverage":
        """Return the distribution for other weights, a read-only array; the counts are shared."""
        distribution = object.__new__(HierarchicalBetaAverage)
        distribution._correct, distribution._total = self.correct, self.total
        distribution._pools, distribution._hyperprior = self.pools, self.hyperprior
        distribution._equal, distribution._weights = False, weights
        return distribution

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        total = np.zeros(int(np.prod(shape)))
        for one in self._parts:
            states = one.moments.draw(rng, total.size)
            for stratum, state in zip(one.moments.strata, states, strict=True):
                total += stratum.draw(rng, state)
        return total.reshape(shape)

    @cached_property
    def _parts(self) -> tuple[PooledClasses, ...]:
        columns = self.correct, self.total, self.weights
        rows = (np.flatnonzero(self.pools == k) for k in range(int(self.pools.max()) + 1))
        return tuple(
            PooledClasses.of(Kinds.of(*(column[row] for column in columns)), self.hyperprior)
            for row in rows
            if self.weights[row].any()
        )

    def _tails(self, points: Points) -> Tails:
        return self._exact(points) or super()._tails(points)

    @property
    def _is_exact(self) -> bool:
        return self._one_class is not None or super()._is_exact

    def _search(self) -> Callable[[Points], Tails]:
        inverted = super()._search()
        return lambda points: self._exact(points) or inverted(points)

    def _solve(self, log_p: Floats, start: Floats, left_out: LeftOut, *, upper: bool) -> Points:
        # Contours are expensive; the tilts alone give a starting point.
        far = np.flatnonzero(np.isnan(start) & (log_p < _FAR))
        if far.size and not self._one_class:
            pools, start = self._far_pools if upper else self._far_pools.mirrored(), start.copy()
            places = np.array([pools.place_of(float(log_p[index])) for index in far])
            start[far] = places if upper else -places
        return super()._solve(log_p, start, left_out, upper=upper)

    def _exact(self, points: Points) -> Tails | None:
        """Both tails and the density of a single class without inversion, where possible."""
        return self._one_class.tails(points) if self._one_class else None

    @cached_property
    def _one_class(self) -> OneClass | None:
        """The mixture of Betas of a single class, where it is more accurate than an inversion."""
        index = np.flatnonzero(self.weights)
        if index.size > 1 or not is_slow(self.correct[index[0]], self.total[index[0]]):
            return None
        return OneClass(self._parts[0])

    @cached_property
    def _inversion(self) -> Inversion:
        # Rates that are negligible in the centre may dominate a far tail.
        return Inversion(WeightedPools(self._parts), lambda: self._far_pools)

    @cached_property
    def _far_pools(self) -> FarPools:
        return FarPools(self._parts)

    def variance(self) -> float:
        """Return the variance, in closed form."""
        return sum(one.moments.variance for one in self._parts)

    @cached_property
    def _cumulants(self) -> tuple[float, float, float]:
        moments = np.array([one.moments.central_moments for one in self._parts])
        second, third, fourth = moments.T
        return float(second.sum()), float(third.sum()), float((fourth - 3 * second**2).sum())

    @property
    def _ends(self) -> Floats:
        ends = []
        for stratum in self._strata:
            (right, wrong), kinds = stratum.means, stratum.kinds
            table = np.array([-kinds.weights * right, kinds.weights * wrong]).T
            ends.append(np.repeat(table, kinds.count.astype(int), axis=0))
        return np.concatenate(ends)

    @property
    def _strata(self) -> list[Stratum]:
        return [stratum for one in self._parts for stratum in one.moments.strata]

    @cached_property
    def _frame(self) -> Frame:
        low, low_rest = exact_sum([np.minimum(self.weights, 0.0)])
        high, high_rest = (1.0, 0.0) if self._equal else exact_sum([np.maximum(self.weights, 0.0)])
        up = down = 0.0
        for stratum in self._strata:
            (right, wrong), kinds = stratum.means, stratum.kinds
            positive = kinds.weights > 0
            down += float(np.where(positive, right, wrong) @ kinds.total_weight)
            up += float(np.where(positive, wrong, right) @ kinds.total_weight)
        # From the nearer end: a distribution beside an end is narrower than the spacing of doubles
        # there.
        nearest = [low, low_rest, down] if down < up else [high, high_rest, -up]
        mean, mean_rest = exact_sum([np.array(nearest)])
        return Frame(
            low=low,
            low_rest=low_rest,
            high=high,
            high_rest=high_rest,
            mean=mean,
            mean_rest=mean_rest,
            mean_to_low=down,
            mean_to_high=up,
        )


def _rebuild(
    correct: Floats,
    total: Floats,
    weights: Floats | None,
    hyperprior: Hyperprior,
    pools: Indices,
) -> HierarchicalBetaAverage:
    return HierarchicalBetaAverage(
        correct, total, weights=weights, hyperprior=hyperprior, pools=pools
    )


def _places(pools: ArrayLike, size: int) -> Indices:
    """Return the place of the pool of each class among the pools, in their order."""
    with input_errors("pools must be labels that can be compared"):
        labels = np.asarray(pools)
        if labels.shape != (size,):
            raise ValueError(f"there must be {size}, got the shape {labels.shape}")
        places = np.unique(labels, return_inverse=True)[1]
    places.flags.writeable = False
    return np.asarray(places)


def _check_counts(correct: Floats, total: Floats) -> None:
    if correct.shape != total.shape:
        raise ValueError(
            f"correct and total must have the same length; got {correct.size} and {total.size}."
        )
    if (total > _LARGEST).any() or (total < 0).any():
        raise ValueError(f"total must lie between 0 and {_LARGEST:g}.")
    if (correct < 0).any() or (correct > total).any():
        raise ValueError("correct must lie between 0 and total.")
