"""The posterior of a whole confusion matrix: Dirichlet rows, and how common each class is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, nonnegative_array
from skpostbac.metrics._priors import PriorSpec, independent_prior, resolve_prior

# Cells that are drawn at a time: the arrays then fit the cache.
MOST_CELLS = 2**18


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

    cells: Floats
    prevalence: Floats | None

    @classmethod
    def of(cls, C: Floats, prior: PriorSpec, prevalence: ArrayLike) -> ConfusionModel:
        """Make the posterior from counts, a checked prior of the recalls, and the prevalence."""
        k = len(C)
        if k < 2:
            raise ValueError("A confusion matrix needs at least two classes, got one")
        a, b = independent_prior(resolve_prior(prior, k), "a confusion matrix").T
        cells = C + (b / (k - 1))[:, np.newaxis]
        np.fill_diagonal(cells, a + np.diagonal(C))
        return cls(cells, _shares(prevalence, C))

    @property
    def right(self) -> Floats:
        """Parameters of correct predictions, shape (k,)."""
        return np.diagonal(self.cells)

    @property
    def wrong(self) -> Floats:
        """Parameters of all wrong predictions for each class, shape (k,)."""
        beside = ~np.eye(len(self.cells), dtype=bool)
        return np.asarray((self.cells * beside).sum(axis=1))

    @property
    def expected(self) -> Floats:
        """Posterior mean of the joint probabilities, up to a common factor, shape (k, k)."""
        return self.joint(self.cells)

    def joint(self, weights: Floats) -> Floats:
        """Give the rows of matrices, shape (..., k, m), the known shares of the classes, if any.

        The result is in proportion to joint probabilities of true and predicted classes.
        """
        if self.prevalence is None:
            return weights
        shares = self.prevalence[:, np.newaxis]
        with np.errstate(invalid="ignore"):  # nothing is known of a row without counts
            rows = weights / weights.sum(axis=-1, keepdims=True)
        return np.where(shares > 0, rows * shares, 0.0)

    def draw(self, rng: np.random.Generator, n_draws: int) -> Iterator[Floats]:
        """Draw matrices in proportion to joint probabilities, in blocks of shape (block, k, k)."""
        block = max(1, MOST_CELLS // self.cells.size)
        for start in range(0, n_draws, block):
            shape = (min(block, n_draws - start), *self.cells.shape)
            yield self.joint(rng.standard_gamma(np.broadcast_to(self.cells, shape)))


def _shares(prevalence: ArrayLike, C: Floats) -> Floats | None:
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
    relative = shares / shares.max()  # the sum of the shares may overflow
    return np.asarray(relative / relative.sum())
