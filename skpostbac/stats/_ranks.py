r"""Ranks of several scores: which pairs are surely ordered, all at once.

The score of each ordered pair is the normal quantile of P(X_i > X_j). If two variables
have the same true value, it is about a standard normal variable. Of many pairs, the
largest is as large as the maximum of dependent normal variables, which is drawn: the
errors of the variables are normal with the variances of their differences. A pair whose
score exceeds the quantile of this maximum is surely ordered, and leaves the maximum;
this is repeated until no pair is added (Romano and Wolf, Econometrica 73, 2005). Ranks
follow from the pairs (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies
91, 2024).

With probability `level`, no pair of those that are asked about is ordered wrongly.
Pairs of equal variables, whose errors are equal, add nothing to the maximum.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from skpostbac._utils import Bools, Floats, Indices

# Numbers of draws, the more the fewer pairs there are: their error moves the level by
# .005 at most.
_LEAST_DRAWS = 2000
_MOST_DRAWS = 20_000
_PAIR_DRAWS = 2**25
# Smaller differences between normal draws may be rounding errors.
_LEAST_DEVIATION = 1e-6
# So may be scores below this.
_LEAST_SCORE = 1e-6


@dataclass(frozen=True, eq=False)
class PairTests:
    """One-sided tests of all ordered pairs of T variables.

    Attributes
    ----------
    scores : array of shape (T, T)
        Normal quantiles of P(row > column).
    errors : array of shape (T, n_draws)
        Normal draws of the errors of the variables.
    deviations : array of shape (T, T)
        Standard deviations of the differences of the errors, positive.
    """

    scores: Floats
    errors: Floats
    deviations: Floats

    @classmethod
    def of(cls, probabilities: Floats, variances: Floats) -> "PairTests":
        """Return the tests that follow from distributions of differences.

        Parameters
        ----------
        probabilities : array of shape (T, T)
            P(row > column).
        variances : array of shape (T, T)
            Variances of the errors of the differences. They are 0 for equal variables,
            and all taken as equal if one is infinite.
        """
        if not np.isfinite(variances).all():
            variances = 1.0 - np.eye(len(variances))
        # The smaller of two complements has all its digits.
        lower = ndtri(np.minimum(probabilities, probabilities.T))
        scores = np.where(probabilities > 0.5, -lower, lower)
        deviations = np.sqrt(variances)
        least = _LEAST_DEVIATION * deviations.max() or 1.0
        return cls(scores, _draw_errors(variances), np.maximum(deviations, least))

    @classmethod
    def of_draws(cls, draws: Floats) -> "PairTests":
        """Return the tests that follow from joint draws, shape (T, n)."""
        above = np.array([(draws > one).mean(axis=1) for one in draws]).T
        with np.errstate(invalid="ignore"):
            covariances = np.cov(draws)
            own = np.diag(covariances)
            variances = np.add.outer(own, own) - 2 * covariances
        # Ties, as of equal variables, are halved.
        return cls.of((1 + above - above.T) / 2, np.maximum(variances, 0.0))

    def may_be_best(self, level: float) -> Bools:
        """Return which variables no other surely exceeds, shape (T,)."""
        is_beaten = []
        for i in range(len(self.scores)):
            pairs = self._pairs_of(i)
            pairs[i] = False
            is_beaten.append(self.sure(pairs, level).any())
        return np.logical_not(is_beaten)

    def ranks(self, level: float, *, joint: bool) -> tuple[Indices, Indices]:
        """Return the lowest and highest ranks of the variables, shape (T,)."""
        count = len(self.scores)
        if joint:
            sure = self.sure(~np.eye(count, dtype=bool), level)
            n_better = sure.sum(axis=0)
            n_worse = sure.sum(axis=1)
        else:
            each = [self.sure(self._pairs_of(i), level) for i in range(count)]
            n_better = np.array([sure[:, i].sum() for i, sure in enumerate(each)])
            n_worse = np.array([sure[i].sum() for i, sure in enumerate(each)])
        return 1 + n_better, count - n_worse

    def sure(self, pairs: Bools, level: float) -> Bools:
        """Return which of the ordered pairs are sure, all at once, shape (T, T)."""
        active = pairs
        while True:
            critical = np.quantile(self._largest(active), level)
            sure: Bools = pairs & (self.scores > critical)
            if not (sure & active).any():
                return sure
            active = pairs & ~sure

    def _pairs_of(self, i: int) -> Bools:
        """Return all ordered pairs with this variable, shape (T, T)."""
        is_one = np.arange(len(self.scores)) == i
        return np.asarray(np.not_equal.outer(is_one, is_one))

    def _largest(self, pairs: Bools) -> Floats:
        """Return the largest error of some ordered pairs in each draw, or nearly 0."""
        largest = np.full(self.errors.shape[1], _LEAST_SCORE)
        for i in np.flatnonzero(pairs.any(axis=0)):
            others = np.flatnonzero(pairs[:, i])
            errors = self.errors[others] - self.errors[i]
            errors /= self.deviations[others, i, np.newaxis]
            np.maximum(largest, errors.max(axis=0), out=largest)
        return largest


def _draw_errors(variances: Floats) -> Floats:
    """Draw normal variables whose differences have these variances, (T, n_draws).

    They are found by classical scaling; negative eigenvalues are set to zero.
    """
    centred = variances - variances.mean(axis=0)
    covariances = (centred.mean(axis=1, keepdims=True) - centred) / 2
    values, vectors = np.linalg.eigh(covariances)
    # The sign of an eigenvector is arbitrary.
    signs = np.where((vectors**3).sum(axis=0) < 0, -1.0, 1.0)
    roots = vectors * signs * np.sqrt(np.maximum(values, 0.0))
    most = _PAIR_DRAWS // values.size**2
    n_draws = int(np.clip(most, _LEAST_DRAWS, _MOST_DRAWS))
    normal = np.random.default_rng(0).standard_normal((values.size, n_draws))
    return np.asarray(roots @ normal)
