"""A pool of classes that borrow from one rate, given the nodes of their hyperparameters.

With k of n samples of a class correct, the accuracy has at each node (mu, kappa) the posterior

    (1 - r) Beta(k + b + mu kappa, n - k + b + (1 - mu) kappa) + r Beta(k + b, n - k + b),

where b is the base of the hyperprior and r the posterior probability that the class is an outlier.
Moments of a Beta about any centre follow from a recursion of three terms, as the central ones do
(`skpostbac.stats._beta.moments`). Central moments of a sum given a node are those of independent
classes; over all nodes the moments of the means at the nodes come in.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import factorial

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._beta import log_laplace_mgf
from skpostbac.stats._hierarchical.hyperprior import Hyperprior, log_borrowing
from skpostbac.stats._hierarchical.quadrature import HyperNodes, Kinds, hyper_nodes
from skpostbac.stats._numerics import stirling_remainder

# Moments up to this order are made.
_MAX_ORDER = 60
# Nodes whose weight under a tilt is surely below exp(-depth) of the largest are left out.
_TILTED_DEPTH = 48.0


@dataclass(frozen=True)
class Pool:
    """Kinds of classes that share hyperparameters, and the nodes of the posterior of these."""

    kinds: Kinds
    hyperprior: Hyperprior
    outlier: float
    nodes: HyperNodes

    @classmethod
    def of(cls, kinds: Kinds, hyperprior: Hyperprior, depth: float) -> "Pool":
        """Place nodes wherever the posterior is above exp(-depth) of its largest value.

        Kinds of weight zero tell something of the hyperparameters, and are then left out.
        """
        share = hyperprior.outlier_share(int(kinds.count.sum()))
        nodes = hyper_nodes(kinds, hyperprior, share, depth)
        kept = kinds.weights != 0
        nodes = replace(
            nodes, log_evidence=nodes.log_evidence[:, kept], outlier=nodes.outlier[:, kept]
        )
        return cls(kinds.where(kept), hyperprior, share, nodes)

    def mirrored(self) -> "Pool":
        """Return the pool with negated weights."""
        return replace(self, kinds=self.kinds.mirrored())

    def at_nodes(self, kept: Bools) -> "Pool":
        """Return the pool at some of its nodes."""
        return replace(self, nodes=self.nodes.where(kept))

    @property
    def outlier_a(self) -> Floats:
        """First parameter of the posterior of an outlier of each kind."""
        return self.kinds.correct + self.hyperprior.base

    @property
    def outlier_b(self) -> Floats:
        """Second parameter of the posterior of an outlier of each kind."""
        return self.kinds.wrong + self.hyperprior.base

    @cached_property
    def a(self) -> Floats:
        """First parameter of each kind at each node if it is no outlier, (n_nodes, n_kinds)."""
        return self.nodes.up[:, np.newaxis] + self.outlier_a

    @cached_property
    def b(self) -> Floats:
        """Second parameter of each kind at each node if it is no outlier, (n_nodes, n_kinds)."""
        return self.nodes.down[:, np.newaxis] + self.outlier_b

    @cached_property
    def log_shares(self) -> tuple[Floats, Floats]:
        """Log of the chances that a class of each kind borrows, and that it is an outlier.

        Each has shape (n_nodes, n_kinds). A chance to borrow that is lost beside one, in the
        `outlier` of the nodes, counts under a large tilt.
        """
        nodes, share = self.nodes, self.outlier
        up, down = nodes.up[:, np.newaxis], nodes.down[:, np.newaxis]
        own = log_borrowing(up, down, self.outlier_a, self.outlier_b)
        own += (np.log1p(-share) - nodes.log_norm)[:, np.newaxis]
        with np.errstate(divide="ignore"):
            return own - nodes.log_evidence, np.log(share) - nodes.log_evidence

    def counted(self, tilt: float) -> Bools:
        """Find the nodes that may count under a tilt by exp(c x).

        Laplace's method in log-odds gives too little for the transform of a Beta, by a factor of
        exp(r(a) + r(b)) at most, where r is the remainder of Stirling's series of log Gamma.
        """
        own, most_own = _laplace(self.a, self.b, self.kinds.weights, tilt)
        other, most_other = _laplace(self.outlier_a, self.outlier_b, self.kinds.weights, tilt)
        log_own, log_other = self.log_shares
        least = np.logaddexp(log_own + own, log_other + other) @ self.kinds.count
        excess = np.maximum(most_own, most_other) @ self.kinds.count
        logs = self.nodes.log_weights + least
        return np.asarray(logs + excess > logs.max() - _TILTED_DEPTH)

    @cached_property
    def rates(self) -> tuple[Floats, Floats]:
        """Mean accuracy of each kind at each node, and one less that, (n_nodes, n_kinds)."""
        r, n = self.nodes.outlier, self.a + self.b
        other_n = self.outlier_a + self.outlier_b
        right = (1 - r) * (self.a / n) + r * (self.outlier_a / other_n)
        return right, (1 - r) * (self.b / n) + r * (self.outlier_b / other_n)

    @cached_property
    def means(self) -> tuple[Floats, Floats]:
        """Posterior mean of each kind, and one less that, each of shape (n_kinds,)."""
        weights = np.exp(self.nodes.log_weights)
        right, wrong = self.rates
        return weights @ right, weights @ wrong

    def moment_terms(self, index: slice | Indices, size: Floats) -> Iterator[Floats]:
        """Moments k = 2, 3, ... of some kinds about their `rates`, times size^k / k!.

        `size` has shape (n_kinds,), the terms (n_nodes, n_kinds). The moments of a Beta about any
        centre follow from its differential equation. Beside large factors they would underflow;
        terms of kinds far wider than 1 / size may overflow.
        """
        right, wrong = (rate[:, index] for rate in self.rates)
        spread, lean, r = right * wrong * size, wrong - right, self.nodes.outlier[:, index]
        n = self.a[:, index] + self.b[:, index]
        other_n = (self.outlier_a + self.outlier_b)[index]
        # Means of both parts relative to that of the mixture.
        jump = self.a[:, index] / n - self.outlier_a[index] / other_n
        shift, other_shift = r * jump, (r - 1) * jump
        own, other = (np.ones_like(n), shift * size), (np.ones_like(n), other_shift * size)
        for k in range(1, _MAX_ORDER):
            factor = size / (k + 1)
            with np.errstate(over="ignore", invalid="ignore"):
                step = spread * own[0] + (n * shift + k * lean) * own[1]
                other_step = spread * other[0] + (other_n * other_shift + k * lean) * other[1]
                own = own[1], step * (factor / (n + k))
                other = other[1], other_step * (factor / (other_n + k))
                term = (1 - r) * own[1] + r * other[1]
            yield term

    @cached_property
    def cumulants(self) -> Floats:
        """Mean and second to fourth cumulant of the sum at each node, shape (4, n_nodes).

        The mean is relative to that over all nodes.
        """
        w, count = self.kinds.weights, self.kinds.count
        terms = islice(self.moment_terms(slice(None), np.ones_like(w)), 3)
        second, third, fourth = (term * factorial(k) for k, term in enumerate(terms, 2))
        mean = (self.rates[0] - self.means[0]) @ (count * w)
        parts = (second, third, fourth - 3 * second**2)
        rest = [part @ (count * w**k) for k, part in enumerate(parts, 2)]
        return np.array([mean, *rest])

    @cached_property
    def central_moments(self) -> tuple[float, float, float]:
        """Second, third and fourth central moment of the sum."""
        weights, (d, second, third, fourth) = np.exp(self.nodes.log_weights), self.cumulants
        return (
            float(weights @ (second + d**2)),
            float(weights @ (third + 3 * d * second + d**3)),
            float(weights @ (fourth + 3 * second**2 + 4 * d * third + 6 * d**2 * second + d**4)),
        )


def _laplace(a: Floats, b: Floats, weights: Floats, tilt: float) -> tuple[Floats, Floats]:
    """Log E exp(c (w theta - e)) of Betas by Laplace's method, and by how much it may be too small.

    The end e = max(w, 0) is the same at all nodes.
    """
    return log_laplace_mgf(a, b, weights, tilt), stirling_remainder(a) + stirling_remainder(b)
