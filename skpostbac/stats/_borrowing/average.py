"""The distribution of a weighted sum of recalls under a hierarchical prior.

Classes of similar size form a stratum and share a state eta = (mu, kappa), which is a Markov chain
over the strata (`chain`). Given the states, the recalls are independent, and the posterior of each
is a mixture of two Betas, one for a class that borrows and one for an outlier. Means, variances and
higher moments are sums over the states. The transform of the sum is one over their paths, and gives
the coefficients of a Fourier series (`forward_pass`). A single class is a mixture of Betas, with a
table of its density.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, Indices, input_errors
from skpostbac.stats._borrowing.forward_pass import class_share, pooled_series
from skpostbac.stats._borrowing.hyperprior import (
    LARGEST_COUNT,
    Hyperprior,
    resolve_hyperprior,
)
from skpostbac.stats._borrowing.pool import Pool
from skpostbac.stats._borrowing.states import EqualClasses
from skpostbac.stats._centred import Centred
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._numerics import Frame, exact_sum, sum_weights, vector

Value = TypeVar("Value")


class HierarchicalBetaAverage(BoundedDistribution):
    r"""Distribution of :math:`\lambda = \sum_i w_i \theta_i` for classes that share a `Hyperprior`.

    The counts are :math:`k_i \sim \mathrm{Binomial}(n_i, \theta_i)`. Classes of similar size share
    a rate :math:`\mu` and a strength :math:`\kappa`, the number of pseudo-samples with this rate
    that each of them borrows. From one size to the next larger one, these stay the same, change a
    little, or are drawn anew. Given all rates and strengths, the recalls :math:`\theta_i` are
    independent.

    This is the posterior given the counts of all classes: a mixture of `BetaAverage` distributions,
    computed by inverting its characteristic function ([1]_, eq. 13). The rates and strengths are
    integrated out by quadrature. Probabilities have errors of about 1e-10, and of up to 1e-4 beside
    a point where the density is not smooth, such as the largest value if all predictions are
    correct.

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
    Ten classes of ten samples, nine of them correct in each class. Independent uniform priors
    shrink the average to 0.833, with a narrow interval:

    >>> from skpostbac.stats import BetaAverage, HierarchicalBetaAverage
    >>> distribution = HierarchicalBetaAverage([9] * 10, [10] * 10)
    >>> low, high = distribution.interval(0.95)
    >>> round(low, 3), round(high, 3)
    (0.823, 0.942)
    >>> low, high = BetaAverage([10] * 10, [2] * 10).interval(0.95)
    >>> round(low, 3), round(high, 3)
    (0.765, 0.893)
    """

    correct: Floats
    """Correct predictions of each class, read-only, shape (l,)."""
    total: Floats
    """Samples of each class, read-only, shape (l,)."""
    weights: Floats
    """Weights of the classes, read-only, shape (l,)."""
    pools: Indices
    """Number of the pool of each class, read-only, shape (l,)."""
    hyperprior: Hyperprior
    """Prior of what the classes have in common."""

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
        self.correct, self.total = vector("correct", correct), vector("total", total)
        size = self.total.size
        if self.correct.shape != self.total.shape:
            raise ValueError(
                f"correct and total must have the same length; got {self.correct.size} and {size}."
            )
        if (self.total > LARGEST_COUNT).any() or (self.total < 0).any():
            raise ValueError(f"total must lie between 0 and {LARGEST_COUNT:g}.")
        if (self.correct < 0).any() or (self.correct > self.total).any():
            raise ValueError("correct must lie between 0 and total.")
        self._equal = weights is None
        self.weights = sum_weights(weights, size)
        self.hyperprior = resolve_hyperprior(hyperprior)
        with input_errors("pools must be labels that can be compared"):
            labels = np.zeros(size) if pools is None else np.asarray(pools)
            if labels.shape != (size,):
                raise ValueError(f"there must be {size}, got the shape {labels.shape}")
            self.pools = np.asarray(np.unique(labels, return_inverse=True)[1])
        self.pools.flags.writeable = False

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of classes."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"HierarchicalBetaAverage(mean={mean:.4g}, sd={sd:.4g}, n_classes={self.total.size})"

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

        # States are placed once for all classes. A copy places its own, with errors of that size.
        pairs = self._of_classes(
            lambda pool: zip(each := pool.each(), pool.for_transforms(each).each(), strict=True)
        )
        distributions: dict[int, HierarchicalBetaAverage] = {}
        for pair, weights in zip(pairs, windows, strict=True):
            if id(pair) not in distributions:
                distributions[id(pair)] = distribution = self._with_weights(weights)
                vars(distribution).update(_moments=pair[:1], _transformed=pair[1:])
        return [distributions[id(pair)] for pair in pairs]

    def means(self) -> Floats:
        """Return the posterior mean of the recall of each class, shape (l,)."""
        return np.array(
            self._of_classes(lambda pool: np.concatenate([one.means[0] for one in pool.strata]))
        )

    def _of_classes(self, values: Callable[[Pool], Iterable[Value]]) -> list[Value]:
        """Return what is known of each class, given that of each row of a pool of equal weights."""
        known: dict[tuple[float, ...], Value] = {}
        for number in range(int(self.pools.max()) + 1):
            some = self.pools == number
            classes = EqualClasses.of(self.correct[some], self.total[some], np.ones(some.sum()))
            pool = Pool.of(classes, self.hyperprior)
            rows = (
                (number, *row)
                for one in pool.strata
                for row in zip(
                    one.classes.correct.tolist(), one.classes.total.tolist(), strict=True
                )
            )
            known |= zip(rows, values(pool), strict=True)
        columns = (values.tolist() for values in (self.pools, self.correct, self.total))
        return [known[row] for row in zip(*columns, strict=True)]

    def _with_weights(self, weights: Floats) -> "HierarchicalBetaAverage":
        """Return the distribution for other weights, a read-only array; the counts are shared."""
        distribution = object.__new__(HierarchicalBetaAverage)
        vars(distribution).update(self.__getstate__(), _equal=False, weights=weights)
        return distribution

    @cached_property
    def _moments(self) -> Sequence[Pool]:
        """Pools with a weight, at the states that moments need."""
        columns = self.correct, self.total, self.weights
        rows = (self.pools == k for k in range(int(self.pools.max()) + 1))
        kinds = [
            EqualClasses.of(*(x[at] for x in columns)) for at in rows if self.weights[at].any()
        ]
        return [Pool.of(classes, self.hyperprior) for classes in kinds]

    @cached_property
    def _transformed(self) -> Sequence[Pool]:
        """The same at the states that transforms need."""
        return [pool.for_transforms() for pool in self._moments]

    @cached_property
    def _centred(self) -> Centred:
        if np.count_nonzero(self.weights) == 1:
            return class_share(self._transformed[0], self._frame, self.standard_deviation())
        ends = -self._frame.mean_to_low, self._frame.mean_to_high
        return pooled_series(self._transformed, ends, self.standard_deviation())

    @cached_property
    def _cumulants(self) -> Floats:
        """Second, third and fourth cumulant."""
        second, third, fourth = np.array([pool.central_moments() for pool in self._moments]).T
        return np.array([second.sum(), third.sum(), (fourth - 3 * second**2).sum()])

    @cached_property
    def _frame(self) -> Frame:
        low = exact_sum(np.minimum(self.weights, 0.0).tolist())
        high = (1.0, 0.0) if self._equal else exact_sum(np.maximum(self.weights, 0.0).tolist())
        up = down = 0.0
        for stratum in (one for pool in self._moments for one in pool.strata):
            (right, wrong), classes = stratum.means, stratum.classes
            positive, sizes = classes.weights > 0, classes.count * np.abs(classes.weights)
            down += float(np.where(positive, right, wrong) @ sizes)
            up += float(np.where(positive, wrong, right) @ sizes)
        # From the nearer end: a distribution beside an end is narrower than the spacing of doubles
        # there.
        mean = exact_sum([*low, down] if down < up else [*high, -up])
        return Frame(low[0], high[0], *mean, down, up)
