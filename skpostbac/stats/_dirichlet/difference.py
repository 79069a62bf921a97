r"""The distribution of the difference of two balanced accuracies on one test set.

The cells "only B right", "only A right" and "both or neither" of a class have the probabilities
(p_B, p_A, p_r) ~ Dirichlet(alpha_B, alpha_A, alpha_r): merged cells of a Dirichlet vector have the
sum of their parameters (Ng, Tian and Tang 2011, chapter 2). The distribution of X = sum_i w_i D_i,
with D_i = p_B - p_A in class i, independent between the classes, has a Fourier series whose
coefficients are products over the classes (`series`). Random draws use that p_B + p_A ~
Beta(alpha_B + alpha_A, alpha_r) and p_B / (p_B + p_A) ~ Beta(alpha_B, alpha_A) are independent.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, float_array
from skpostbac.stats._dirichlet.series import Pairs, cumulants, series_of
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._numerics import Frame, exact_sum, sum_weights, weighted_mean
from skpostbac.stats._series import Series

# Beyond these limits a class is a constant or a coin toss in double precision.
_SMALLEST, _LARGEST = 1e-6, 1e15


class PairedDifference(BoundedDistribution):
    r"""Distribution of :math:`\sum_i w_i (\theta_i^B - \theta_i^A)` for a pair of classifiers.

    :math:`\theta_i^A` and :math:`\theta_i^B` are the recalls of the classifiers A and B on class i.
    They are dependent, because both classifiers predict the same samples. The data are the numbers
    of samples that both, only A, only B or neither got right; the probabilities of these four
    outcomes have a Dirichlet posterior. With the default weights this is the posterior of the
    difference of the balanced accuracies. It is computed from the exact product of characteristic
    functions, without a grid or random draws.

    Parameters
    ----------
    counts : array_like of shape (l, 4)
        Numbers of samples of each class that both classifiers, only A, only B, and neither got
        right. Finite and non-negative; need not be integers.
    prior : float or array_like of shape (4,) or (l, 4), default=0.5
        Parameters of the Dirichlet prior, added to the counts; positive and finite. The default is
        Jeffreys' prior. Each sum of count and prior must be between 1e-6 and 1e15.
    weights : array_like of shape (l,), optional
        Weights of any sign, finite and not all zero. They need not sum to one. The default is
        1 / l each.

    Raises
    ------
    ValueError
        If an argument is out of range or the shapes do not agree.

    See Also
    --------
    BetaAverage : Balanced accuracy of one classifier, or the difference on different samples.

    Notes
    -----
    In class i, with the cells :math:`\alpha_B` (only B right), :math:`\alpha_A` (only A right) and
    :math:`\alpha_r` (both or neither, which do not affect the difference),

    .. math::

        \theta^B - \theta^A = p_B - p_A, \qquad
        (p_B, p_A, p_r) \sim \mathrm{Dirichlet}(\alpha_B, \alpha_A, \alpha_r).

    Positive values favour B, and ``distribution.ccdf(0)`` is the probability that B is better. The
    more often the classifiers agree, the narrower this distribution is compared with a difference
    on different samples. [1]_ reviews the Bayesian comparison of classifiers.

    Errors of ``cdf`` and ``ccdf`` are absolute: 1e-12, and 1e-9 beside corners with a prior below
    1/2. Corners are sums of some of the weights, of either sign, and zero. A class of 100,000 times
    as many samples as another is not resolved beside a corner: errors reach 1e-6 there with a prior
    of 1/2, 2e-5 with 1/4, and more with smaller ones (see :ref:`numerics`).
    Logarithms of tails below 1e-11 are upper bounds.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, "Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis", Journal of Machine Learning
       Research 18(77), 2017, 1-36.
    .. [2] K. W. Ng, G.-L. Tian and M.-L. Tang, "Dirichlet and related distributions: theory,
       methods and applications", Wiley, 2011, chapter 2.

    Examples
    --------
    Three classes; only A is right on 6 samples, and only B on 10.

    >>> from skpostbac.stats import PairedDifference
    >>> distribution = PairedDifference([[30, 4, 7, 3], [12, 2, 1, 5], [6, 0, 2, 1]])
    >>> round(distribution.mean(), 6)
    0.067194
    >>> low, high = distribution.interval(0.95)
    >>> round(low, 6), round(high, 6)
    (-0.049859, 0.190473)
    >>> round(float(distribution.ccdf(0)), 6)
    0.87259
    """

    def __init__(
        self,
        counts: ArrayLike,
        *,
        prior: ArrayLike = 0.5,
        weights: ArrayLike | None = None,
    ) -> None:
        self._counts = pair_counts(counts)
        self._prior = _prior(prior, self._counts.shape)
        cells = self._counts + self._prior
        if not ((cells >= _SMALLEST) & (cells <= _LARGEST)).all():
            large = cells > _LARGEST
            name = "counts" if (self._counts > self._prior)[large].any() else "prior"
            raise ValueError(
                f"{name} must make each sum of a count and its prior lie between "
                f"{_SMALLEST:g} and {_LARGEST:g}."
            )
        self._equal = weights is None
        self._weights = sum_weights(weights, len(self._counts))
        # Only B right, only A right, both or neither.
        self._alphas = np.column_stack([cells[:, 2], cells[:, 1], cells[:, 0] + cells[:, 3]])

    @property
    def counts(self) -> Floats:
        """Numbers of samples (both right, only A, only B, neither), read-only, shape (l, 4)."""
        return self._counts

    @property
    def prior(self) -> Floats:
        """Parameters of the Dirichlet priors, read-only, shape (l, 4)."""
        return self._prior

    @property
    def weights(self) -> Floats:
        """Weights of the classes, read-only, shape (l,)."""
        return self._weights

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of classes."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"PairedDifference(mean={mean:.4g}, sd={sd:.4g}, n_classes={len(self.counts)})"

    def __getstate__(self) -> dict[str, Any]:
        """Keep the frame: that of a difference or a mirrored distribution cannot be recomputed."""
        return {**super().__getstate__(), "_frame": self._frame}

    def __neg__(self) -> "PairedDifference":
        """Return the distribution of the negated variable, with A and B exchanged."""
        distribution = PairedDifference(self.counts, prior=self.prior, weights=-self.weights)
        # A frame holds equal weights of 1 / l exactly; an array of weights rounds them.
        vars(distribution)["_frame"] = self._frame.mirrored()
        return distribution

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        total = np.zeros(shape)
        for (b, a, r), weight in zip(self._alphas, self.weights, strict=True):
            differing = rng.beta(b + a, r, size=shape)
            total += weight * differing * (2 * rng.beta(b, a, size=shape) - 1)
        return total

    @cached_property
    def _cumulants(self) -> Floats:
        return cumulants(self._alphas, self.weights)

    @cached_property
    def _frame(self) -> Frame:
        b, a, r = self._alphas.T
        weights = None if self._equal else self.weights
        gain, gain_rest = weighted_mean(b, a + r, weights)
        loss, loss_rest = weighted_mean(a, b + r, weights)
        mean = exact_sum([gain, gain_rest, -loss, -loss_rest])
        size = np.abs(self.weights)
        high = 1.0 if self._equal else math.fsum(size.tolist())
        ahead, behind = np.where(self.weights > 0, b, a), np.where(self.weights > 0, a, b)
        n = a + b + r
        to_low = float((size * (2 * ahead + r) / n).sum())
        to_high = float((size * (2 * behind + r) / n).sum())
        return Frame(-high, high, *mean, to_low, to_high)

    @cached_property
    def _centred(self) -> Series:
        return series_of(Pairs.of(self._alphas, self.weights))


def pair_counts(counts: ArrayLike) -> Floats:
    """Return a read-only copy of the cells of a pair of classifiers, shape (n_classes, 4)."""
    array = float_array(counts, "counts")
    if array.ndim != 2 or array.shape[1] != 4 or not array.size:
        raise ValueError(
            f"counts must have the shape (n_classes, 4), with one class at least; "
            f"got {array.shape}."
        )
    if not (np.isfinite(array) & (array >= 0)).all():
        raise ValueError("counts must be finite and not negative.")
    array.flags.writeable = False
    return array


def _prior(prior: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return a read-only array of the prior of each cell."""
    array = float_array(prior, "prior")
    if array.shape not in ((), shape[1:], shape):
        raise ValueError(
            f"prior must be a number or have the shape {shape[1:]} or {shape}; got {array.shape}."
        )
    if not (np.isfinite(array) & (array > 0)).all():
        raise ValueError("prior must be finite and positive.")
    array = np.broadcast_to(array, shape).copy()
    array.flags.writeable = False
    return array
