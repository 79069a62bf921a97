r"""Moments and draws of the weighted sum of paired differences of classes.

In class i, exactly one classifier is right on a share d_i of the samples, and it is B on a share
s_i of these. The sum is delta = sum_i w_i d_i e_i with the balance e_i = 2 s_i - 1. The
shares d and s are independent given the counts, and so are the states of their strata. Let
C = B + W be the covariances of the d (or e) of two classes, with B the covariance of their means
given the states, and W the variance within a class. Then

    Cov(d_i e_i, d_j e_j) = C_ij^d C_ij^e + C_ij^d E[e_i] E[e_j] + E[d_i] E[d_j] C_ij^e.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skpostbac._utils import Floats, Indices
from skpostbac.stats._borrowing import Hyperprior, stratum_numbers
from skpostbac.stats._pairs.rest import (
    cumulant_tables,
    draw_of_cumulants,
    draw_outliers,
    without_rare,
)
from skpostbac.stats._pairs.shares import Shares, draw_paths, draw_shares


@dataclass(frozen=True)
class PairedShares:
    """The shares d and s of kinds of classes; those that are alike are one kind.

    Attributes
    ----------
    discordant, ahead : the shares d and s.
    is_symmetric : whether either classifier alone is right as often as the other in every class;
        delta is then distributed about zero like minus delta.
    weights : weight of a class of each kind, shape (n_kinds,).
    count : how many classes there are of the kind.
    """

    discordant: Shares
    ahead: Shares
    is_symmetric: bool
    weights: Floats
    count: Floats

    @classmethod
    def of(
        cls, total: Floats, only_a: Floats, only_b: Floats, weights: Floats, hyperprior: Hyperprior
    ) -> "PairedShares":
        """Take the samples of each class, and those that only one of the classifiers got right."""
        rows = np.stack([total, only_a, only_b, weights])
        (total, only_a, only_b, weights), number = np.unique(rows, axis=1, return_counts=True)
        count: Floats = number.astype(float)
        stratum = stratum_numbers(total, hyperprior.strata)
        places = tuple(np.flatnonzero(stratum == one) for one in range(int(stratum.max()) + 1))
        differ = only_a + only_b
        return cls(
            Shares.of(differ, total, count, places, hyperprior),
            Shares.of(only_b, differ, count, places, hyperprior),
            bool((only_a == only_b).all()),
            weights,
            count,
        )

    def mean(self) -> float:
        """Return the mean of delta."""
        if self.is_symmetric:
            return 0.0
        return float((self.count * self.weights) @ (self.discordant.means * self._balance))

    def variance(self) -> float:
        """Return the variance of delta."""
        d, e = self.discordant, self._balance
        of_d, of_e = d.between, 4 * self.ahead.between
        both = of_d * (of_e + np.outer(e, e)) + of_e * np.outer(d.means, d.means)
        sums = self.count * self.weights
        # The product of the covariances between classes, and of what a class has alone.
        shared = np.diag(of_d) * (np.diag(of_e) + e**2) + np.diag(of_e) * d.means**2
        return float(sums @ both @ sums + (self.count * self.weights**2) @ (self._own - shared))

    @cached_property
    def _balance(self) -> Floats:
        """Mean of e."""
        return 2 * self.ahead.means - 1

    @cached_property
    def _own(self) -> Floats:
        """Variance of d e, of each kind."""
        d, e = self.discordant, self._balance
        of_d = np.diag(d.between) + d.within
        of_e = 4 * (np.diag(self.ahead.between) + self.ahead.within)
        return np.asarray(of_d * (of_e + e**2) + of_e * d.means**2)

    def largest(self, number: int) -> Indices:
        """Count, for each kind, the classes among the `number` of the largest variance."""
        order = np.argsort(-self._own * self.weights**2, kind="stable")
        before = np.cumsum(self.count[order]) - self.count[order]
        drawn = np.empty(order.size, dtype=np.intp)
        drawn[order] = np.clip(number - before, 0, self.count[order])
        return drawn

    def draw(self, size: int, drawn: Indices, rng: np.random.Generator) -> Floats:
        """Draw delta: `drawn` classes of each kind themselves, the others by their cumulants."""
        total, rest = np.zeros(size), np.zeros((5, size))
        d, s = self.discordant, self.ahead
        paths = zip(draw_paths(d, size, rng), draw_paths(s, size, rng), strict=True)
        for number, states in enumerate(paths):
            at = d.places[number]
            total += self._draw_classes(number, states, drawn[at], rng)
            left = self.count[at] - drawn[at]
            if left.any():
                rest += self._cumulants(number, states, left)
                total += self._draw_outliers(number, states, left, rng)
        if rest[1].any():
            total += draw_of_cumulants(rest, rng)
        return total

    def _draw_classes(
        self,
        stratum: int,
        states: tuple[Indices, Indices],
        number: Indices,
        rng: np.random.Generator,
    ) -> Floats:
        """Draw the sum of a number of classes of each kind of a stratum, given states."""
        total = np.zeros(states[0].size)
        of_d, of_s = self.discordant.strata[stratum], self.ahead.strata[stratum]
        weights = self.weights[self.discordant.places[stratum]]
        for kind in np.repeat(np.arange(number.size), number).tolist():
            share = draw_shares(of_d, kind, states[0], rng)
            balance = 2 * draw_shares(of_s, kind, states[1], rng) - 1
            total += weights[kind] * share * balance
        return total

    def _cumulants(self, stratum: int, states: tuple[Indices, Indices], count: Floats) -> Floats:
        """Cumulants of the sum of `count` classes of each kind of a stratum, given states.

        Rare outliers are left out.
        """
        d, s = self.discordant, self.ahead
        groups = d.groups[stratum], s.groups[stratum]
        weights = self.weights[d.places[stratum]]
        tables = cumulant_tables(d.strata[stratum], s.strata[stratum], groups, weights, count)
        here = groups[0].of_state[states[0]], groups[1].of_state[states[1]]
        return np.stack([table[here] for table in tables])

    def _draw_outliers(
        self,
        stratum: int,
        states: tuple[Indices, Indices],
        count: Floats,
        rng: np.random.Generator,
    ) -> Floats:
        """Draw what rare outliers among `count` classes of each kind add, given states."""
        weights = self.weights[self.discordant.places[stratum]]
        strata = self.discordant.strata[stratum], self.ahead.strata[stratum]
        total = np.zeros(states[0].size)
        for place in (0, 1):
            draw, kind = draw_outliers(strata[place], states[place], count, rng)
            here = states[0][draw], states[1][draw]
            shares = [
                draw_shares(without_rare(one), kind, state, rng)
                for one, state in zip(strata, here, strict=True)
            ]
            one = strata[place]
            shares[place] = rng.beta(one.outlier_a[kind], one.outlier_b[kind])
            d, s = (
                without_rare(one).rates[0][state, kind]
                for one, state in zip(strata, here, strict=True)
            )
            gains = shares[0] * (2 * shares[1] - 1) - d * (2 * s - 1)
            total += np.bincount(draw, weights[kind] * gains, minlength=total.size)
        return total
