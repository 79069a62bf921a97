r"""Joint draws of the accuracies of T classifiers tested on the same samples.

On one class, a sample has a pattern: which of the classifiers are right. The probabilities of the
:math:`2^T` patterns have a Dirichlet distribution, whose parameters are the counts of the patterns
plus a prior of mass a + b, spread as if the classifiers were right independently of each other with
probability a / (a + b), or over the patterns with half of them right. Any part of the patterns,
added up, has a Dirichlet distribution again: the accuracy of one classifier has exactly its
Beta(a + right, b + wrong), and any two have exactly the distribution of the four cells (both right,
only one, only the other, neither).

A Dirichlet distribution whose parameters are the sum of two is a random mixture of draws from both,
with independent Dirichlet weights. So the patterns that were observed are drawn by themselves, and
the prior, over all patterns, by itself, without listing them. Of up to three classifiers the
patterns are so few that listing them takes half the time, and is exact.

Other variables are known by their distributions and correlations. They get the ranks of correlated
normal variables (Iman and Conover, Communications in Statistics: Simulation and Computation 11,
1982): the draw of the k-th smallest normal value gets the k-th of evenly spaced quantiles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Floats, Indices
from skpostbac.stats._numerics import matrix_product

# With a smaller mass of the prior Gamma variables may be too small for doubles.
_LEAST_MASS = 0.5


@dataclass(frozen=True, eq=False)
class PatternDistribution:
    """Joint distribution of the accuracies of T classifiers on one class.

    Attributes
    ----------
    patterns : array of shape (n_patterns, T)
        Distinct patterns of 1 (right) and 0 (wrong) that were observed; may be none.
    counts : array of shape (n_patterns,)
        How often each was observed, positive.
    a, b : float
        Prior of the accuracy of each classifier.
    balanced : bool, default=False
        Whether half of the classifiers are right in each pattern of the prior, of which a = b, so
        that it has as much disagreement as T classifiers can have. All such patterns have the same
        probability; of odd T, (T - 1) / 2 or (T + 1) / 2 are right.
    """

    patterns: Floats
    counts: Floats
    a: float
    b: float
    balanced: bool = False

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw accuracies, shape (size, T)."""
        count = self.patterns.shape[1]
        # A weaker prior has few pieces.
        if count <= 3 and self.a + self.b >= _LEAST_MASS:
            # The pattern of number k has the binary digits of k.
            powers = 2 ** np.arange(self.patterns.shape[1])
            patterns = (np.arange(2**powers.size)[:, np.newaxis] & powers > 0).astype(np.float64)
            if self.balanced:
                probabilities = (np.abs(patterns.sum(axis=1) - patterns.shape[1] / 2) < 1).astype(
                    float
                )
                probabilities /= probabilities.sum()
            else:
                right = self.a / (self.a + self.b)
                probabilities = np.where(patterns == 1, right, 1 - right).prod(axis=1)
            masses = (self.a + self.b) * probabilities
            np.add.at(masses, (self.patterns @ powers).astype(np.intp), self.counts)
            shares = np.empty((masses.size, size))
            for row, mass in zip(shares, masses.tolist(), strict=True):
                rng.standard_gamma(mass, out=row)
            return np.asarray((matrix_product(patterns.T, shares) / shares.sum(axis=0)).T)
        # Shares of the patterns and of the prior are Gamma variables over their sum.
        masses = [*self.counts.tolist(), self.a + self.b]
        if sum(masses) >= _LEAST_MASS:
            shares = np.stack([rng.standard_gamma(mass, size) for mass in masses])
        else:
            # All Gamma variables may be too small for doubles, but their logarithms are not.
            logs = np.stack(
                [
                    np.log(rng.standard_gamma(mass + 1, size))
                    - rng.standard_exponential(size) / mass
                    for mass in masses
                ]
            )
            shares = np.exp(logs - logs.max(axis=0))
        accuracies = matrix_product(self.patterns.T, shares[:-1])
        accuracies += shares[-1] * self._draw_prior(size, rng)
        accuracies /= shares.sum(axis=0)
        return np.asarray(accuracies.T)

    def _draw_prior(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw accuracies before the data, shape (T, size).

        A draw is a sum of random patterns with the lengths of the pieces of a broken stick. What is
        left of the stick is given to independent Beta draws, which leaves all moments up to the
        third as they are, those of each classifier alone entirely, and changes joint fourth moments
        by 1e-6. There are 64 pieces at most, as they matter least where there are many.
        """
        shape = self.patterns.shape[1], size
        mass = self.a + self.b
        accuracies: Floats = np.zeros(shape)
        left: Floats = np.ones(size)
        # So many pieces leave a rest whose fourth power is small on average.
        needed = np.log(1e-6) / -np.log1p(4 / mass)
        for _ in range(int(np.clip(np.ceil(needed), 1, 64))):
            # Each piece takes a Beta(1, mass) share of what is left of the stick.
            rest = left * np.exp(rng.standard_exponential(size) / -mass)
            uniform = rng.random(shape)
            if self.balanced:
                # One after another is right with the share of those left that have to be.
                missing = (shape[0] + rng.integers(0, 2, size)) // 2
                patterns = np.empty(shape, dtype=bool)
                for i in range(shape[0]):
                    patterns[i] = uniform[i] * (shape[0] - i) < missing
                    missing -= patterns[i]
            else:
                patterns = uniform < self.a / mass
            accuracies += (left - rest) * patterns
            left = rest
        # The flat prior is common and has a much faster special case.
        is_flat = self.a == self.b == 1
        accuracies += left * (rng.random(shape) if is_flat else rng.beta(self.a, self.b, shape))
        return accuracies


def draw_averages(
    distributions: Sequence[PatternDistribution],
    weights: Floats,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """Draw weighted averages of the accuracies over independent classes, shape (size, T)."""
    total = np.zeros((distributions[0].patterns.shape[1], size)).T
    for distribution, weight in zip(distributions, weights, strict=True):
        if weight:
            total += weight * distribution.draw(size, rng)
    return np.ascontiguousarray(total)


@dataclass(frozen=True, eq=False)
class Tally:
    """What is counted in draws of T values.

    Attributes
    ----------
    ranks : array of int of shape (T, T)
        How often each (row) takes each rank (column); the first column is rank 1, the largest.
    losses, squares : arrays of shape (T,)
        Sums of the shortfalls against the largest of a draw, and of their squares.
    """

    ranks: Indices
    losses: Floats
    squares: Floats

    @property
    def size(self) -> int:
        """Number of draws."""
        return int(self.ranks[0].sum())

    def __add__(self, other: "Tally") -> "Tally":
        """Count both."""
        return Tally(
            self.ranks + other.ranks, self.losses + other.losses, self.squares + other.squares
        )


def tally(draws: Floats, rng: np.random.Generator) -> Tally:
    """Count ranks and shortfalls in draws of shape (size, T); ties are broken at random."""
    count = draws.shape[1]
    order = np.argsort(-draws, axis=1)
    ranked = np.take_along_axis(draws, order, axis=1)
    if np.any(ranked[:, 1:] == ranked[:, :-1]):
        # Equal predictions, with a prior so weak that it is lost to rounding.
        order = np.lexsort((rng.random(draws.shape), -draws), axis=1)
    cells = np.bincount((order * count + np.arange(count)).ravel(), minlength=count**2)
    losses = draws.max(axis=1, keepdims=True) - draws
    return Tally(cells.reshape(count, count), losses.sum(axis=0), np.square(losses).sum(axis=0))


def nearest_correlations(covariances: Floats) -> Floats:
    """Return correlations of covariances that may not belong to any variables, shape (n, n).

    Negative eigenvalues are set to zero, and the diagonal to one again.
    """
    scale = np.sqrt(np.diag(covariances))
    values, vectors = np.linalg.eigh(covariances / np.outer(scale, scale))
    nearest = (vectors * np.maximum(values, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(nearest))
    return np.asarray(nearest / np.outer(scale, scale))


def draw_with_ranks(
    draws: Sequence[Floats], correlations: Floats, size: int, rng: np.random.Generator
) -> Floats:
    """Draw jointly from distributions that are known by sorted draws, shape (size, n).

    Parameters
    ----------
    draws : sequence of n arrays
        Of each distribution, sorted.
    correlations : array of shape (n, n)
        Positive semidefinite.
    size : int
    rng : Generator
    """
    values, vectors = np.linalg.eigh(correlations)
    roots = vectors * np.sqrt(np.maximum(values, 0.0))
    normal = matrix_product(rng.standard_normal((size, len(draws))), roots.T)
    levels = (np.arange(size) + 0.5) / size
    joint = np.empty_like(normal)
    for column, (scores, one) in enumerate(zip(normal.T, draws, strict=True)):
        # `np.quantile` would partition the sorted draws once more for each level.
        joint[np.argsort(scores), column] = np.interp(levels, np.linspace(0, 1, len(one)), one)
    return np.asarray(joint)
