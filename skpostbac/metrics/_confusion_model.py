"""The posterior of a whole confusion matrix: Dirichlet rows, and how common each class is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skpostbac.metrics._arrays import FloatArray, nonnegative_array
from skpostbac.metrics._prior import check_prior, independent_prior, resolve_prior

# Cells that are drawn at a time: the arrays then fit the cache.
_BLOCK = 2**18


@dataclass(frozen=True)
class ConfusionModel:
    r"""Posterior of the probabilities of true and predicted classes.

    Row i of `cells`, shape (k, k), has the Dirichlet parameters of the predictions for class i:
    the counts, with the prior's :math:`a_i` added on the diagonal and :math:`b_i / (k - 1)` to
    each cell beside it. The recall of class i is thereby
    :math:`\mathrm{Beta}(a_i + \text{correct}, b_i + \text{wrong})`.

    `prevalence`, shape (k,), has known shares of the classes. If it is None they have the Dirichlet
    posterior of the sums of the rows; all cells together then have one Dirichlet posterior, with
    `cells` as its parameters.
    """

    cells: FloatArray
    prevalence: FloatArray | None

    @classmethod
    def of(cls, C: FloatArray, prior: ArrayLike, prevalence: ArrayLike) -> ConfusionModel:
        """Make the posterior from the counts, a prior of each recall, and the prevalence."""
        k = len(C)
        if k < 2:
            raise ValueError("A confusion matrix needs at least two classes, got one")
        a, b = independent_prior(resolve_prior(check_prior(prior), k), "a confusion matrix").T
        cells = C + (b / (k - 1))[:, np.newaxis]
        np.fill_diagonal(cells, a + np.diagonal(C))
        return cls(cells, _shares(prevalence, C))

    @property
    def right(self) -> FloatArray:
        """Parameters of correct predictions, shape (k,)."""
        return np.diagonal(self.cells)

    @property
    def wrong(self) -> FloatArray:
        """Parameters of all wrong predictions for each class, shape (k,)."""
        beside = ~np.eye(len(self.cells), dtype=bool)
        return np.asarray((self.cells * beside).sum(axis=1))

    def draw(self, rng: np.random.Generator, n_draws: int) -> Iterator[FloatArray]:
        """Draw matrices of joint probabilities, in blocks of shape (block, k, k)."""
        block = max(1, _BLOCK // self.cells.size)
        for start in range(0, n_draws, block):
            shape = (min(block, n_draws - start), *self.cells.shape)
            weights = rng.standard_gamma(np.broadcast_to(self.cells, shape))
            if self.prevalence is None:
                yield weights / weights.sum(axis=(1, 2), keepdims=True)
            else:
                rows = weights / weights.sum(axis=2, keepdims=True)
                yield rows * self.prevalence[:, np.newaxis]


def _shares(prevalence: ArrayLike, C: FloatArray) -> FloatArray | None:
    """Return shares of the classes, which sum to 1, or None if they are not known."""
    if isinstance(prevalence, str):
        if prevalence == "sampled":
            return None
        if prevalence != "observed":
            raise ValueError(
                "prevalence must be 'sampled', 'observed' or an array of shape (n_classes,), "
                f"got {prevalence!r}"
            )
        prevalence = C.sum(axis=1)
    shares = nonnegative_array(prevalence, "prevalence")
    if len(shares) != len(C) or not shares.any():
        raise ValueError(
            f"prevalence must have a share for each of the {len(C)} classes, not all zero, "
            f"got {shares}"
        )
    return np.asarray(shares / shares.sum())
