r"""The classes of one stratum, given the states of the rate and the strength that they share.

With k of n samples of a class correct, its accuracy has in each state (mu, kappa) the posterior

    (1 - r) Beta(k + b + mu kappa, n - k + b + (1 - mu) kappa) + r Beta(k + b, n - k + b),

where b is the base of the hyperprior and r the posterior probability that the class is an outlier,

    r = epsilon / [epsilon + (1 - epsilon) R],
    R = B(k + b + up, n - k + b + down) B(b, b) / [B(k + b, n - k + b) B(b + up, b + down)],

with up = mu kappa and down = (1 - mu) kappa: R is the probability of the counts if the class
borrows over that if it does not.

Moments of a Beta about any centre follow from a recursion of three terms, as the central ones do
(`skpostbac.stats._beta.moments`). Central moments of a sum given the states are those of
independent classes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import factorial

import numpy as np
from scipy.special import expit

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._borrowing.hyperprior import log_rise
from skpostbac.stats._borrowing.states import Kinds, States

# Classes of which more than this are searched for those with the same counts.
_MANY = 8
# Moments up to this order are made.
_MAX_ORDER = 60


@dataclass(frozen=True)
class Borrowed:
    """What a class borrows in each state, shape (n_states,).

    Attributes
    ----------
    up, down : mu kappa and (1 - mu) kappa, its correct and its wrong samples.
    kappa : both of them.
    log_norm : log E[theta^up (1 - theta)^down] for an outlier without samples.
    """

    up: Floats
    down: Floats
    kappa: Floats
    log_norm: Floats

    @classmethod
    def of(cls, states: States, base: float) -> "Borrowed":
        """Take the rates and strengths of some states, for the base of a hyperprior."""
        up, down = states.mu * states.kappa, states.nu * states.kappa
        some = cls(up, down, states.kappa, np.zeros_like(up))
        return replace(some, log_norm=some.log_probability(base, base)[:, 0])

    def log_probability(self, a: Floats | float, b: Floats | float) -> Floats:
        """Log E[theta^up (1 - theta)^down] for Beta(a, b), shape (n_states, n)."""
        rows = np.stack([np.atleast_1d(a), np.atleast_1d(b)])
        if rows.shape[1] > _MANY:
            # Classes may differ in their weights alone.
            distinct, column = np.unique(rows, axis=1, return_inverse=True)
            if distinct.shape[1] < column.size:
                return self.log_probability(*distinct)[:, column.ravel()]
        # There are few strengths.
        strengths, row = np.unique(self.kappa, return_inverse=True)
        table = log_rise(rows[0], self.up[:, np.newaxis])
        table += log_rise(rows[1], self.down[:, np.newaxis])
        table -= log_rise(rows[0] + rows[1], strengths[:, np.newaxis])[row]
        return table

    def where(self, kept: Bools | Indices) -> "Borrowed":
        """Return what is borrowed in some of the states."""
        return Borrowed(self.up[kept], self.down[kept], self.kappa[kept], self.log_norm[kept])


@dataclass(frozen=True)
class Stratum:
    """Kinds of classes that share a rate and a strength, and the states of these that count.

    Attributes
    ----------
    kinds : those with a weight in the sum.
    share, base : prior probability of an outlier, and the parameter of its distribution.
    borrowed : what a class borrows in each state.
    log_borrower : log probability of the counts of each kind if it borrows, over that for an
        outlier, shape (n_states, n_kinds).
    log_likelihood : log probability of the counts of all classes, over that if all are outliers,
        shape (n_states,).
    log_weights : log of the posterior weights of the states, of sum one.
    means : posterior mean of each kind, and one less that, each of shape (n_kinds,).
    """

    kinds: Kinds
    share: float
    base: float
    borrowed: Borrowed
    log_borrower: Floats
    log_likelihood: Floats
    log_weights: Floats
    means: tuple[Floats, Floats]

    @classmethod
    def of(cls, kinds: Kinds, borrowed: Borrowed, share: float, base: float) -> "Stratum":
        """Evaluate the likelihood at the states; weights and means are not known yet."""
        log_borrower = borrowed.log_probability(kinds.correct + base, kinds.wrong + base)
        log_borrower -= borrowed.log_norm[:, np.newaxis]
        kept = kinds.weights != 0
        with np.errstate(divide="ignore"):
            log_evidence = np.logaddexp(log_borrower + np.log1p(-share), np.log(share))
        return cls(
            kinds=kinds if kept.all() else kinds.where(kept),
            share=share,
            base=base,
            borrowed=borrowed,
            log_borrower=log_borrower if kept.all() else log_borrower[:, kept],
            log_likelihood=log_evidence @ kinds.count,
            log_weights=np.zeros_like(borrowed.up),
            means=(np.zeros(0), np.zeros(0)),
        )

    def with_means(self) -> "Stratum":
        """Return the stratum with the means of its kinds, by the weights of its states."""
        weights, n = np.exp(self.log_weights)[:, np.newaxis], self.kinds.total + 2 * self.base
        alone = np.sum(weights * self.outlier, axis=0) / n
        share = weights * (1 - self.outlier) / (n + self.borrowed.kappa[:, np.newaxis])
        total = share.sum(axis=0) + alone
        right, wrong = self.outlier_a * total, self.outlier_b * total
        return replace(self, means=(right + self.up @ share, wrong + self.down @ share))

    def where(self, kept: Bools) -> "Stratum":
        """Return the stratum at some of its states."""
        return replace(
            self,
            borrowed=self.borrowed.where(kept),
            log_borrower=self.log_borrower[kept],
            log_likelihood=self.log_likelihood[kept],
            log_weights=self.log_weights[kept],
        )

    @cached_property
    def outlier(self) -> Floats:
        """Posterior probability that a class of each kind is an outlier, as `log_borrower`."""
        if self.share in (0, 1):
            return np.full_like(self.log_borrower, self.share)
        return np.asarray(expit(np.log(self.share) - np.log1p(-self.share) - self.log_borrower))

    @property
    def up(self) -> Floats:
        """Correct samples that a class borrows in each state."""
        return self.borrowed.up

    @property
    def down(self) -> Floats:
        """Wrong samples that a class borrows in each state."""
        return self.borrowed.down

    @property
    def n_states(self) -> int:
        """Number of states."""
        return self.borrowed.up.size

    @property
    def outlier_a(self) -> Floats:
        """First parameter of the posterior of an outlier of each kind."""
        return self.kinds.correct + self.base

    @property
    def outlier_b(self) -> Floats:
        """Second parameter of the posterior of an outlier of each kind."""
        return self.kinds.wrong + self.base

    @cached_property
    def a(self) -> Floats:
        """First parameter of each kind in each state if it is no outlier, (n_states, n_kinds)."""
        return self.up[:, np.newaxis] + self.outlier_a

    @cached_property
    def b(self) -> Floats:
        """Second parameter of each kind in each state if it is no outlier, (n_states, n_kinds)."""
        return self.down[:, np.newaxis] + self.outlier_b

    @cached_property
    def rates(self) -> tuple[Floats, Floats]:
        """Mean accuracy of each kind in each state, and one less that, (n_states, n_kinds)."""
        r, n = self.outlier, self.a + self.b
        other_n = self.outlier_a + self.outlier_b
        right = (1 - r) * (self.a / n) + r * (self.outlier_a / other_n)
        return right, (1 - r) * (self.b / n) + r * (self.outlier_b / other_n)

    def moment_terms(self, index: slice | Indices, size: Floats) -> Iterator[Floats]:
        """Moments k = 2, 3, ... of some kinds about their `rates`, times size^k / k!.

        `size` has shape (n_kinds,), the terms (n_states, n_kinds). The moments of a Beta about any
        centre follow from its differential equation. Beside large factors they would underflow;
        terms of kinds far wider than 1 / size may overflow.
        """
        right, wrong = (rate[:, index] for rate in self.rates)
        spread, lean, r = right * wrong * size, wrong - right, self.outlier[:, index]
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

    def draw(self, rng: np.random.Generator, state: Indices) -> Floats:
        """Draw the share of the classes in the sum, given states, shape (n,)."""
        total = np.zeros(state.size)
        for kind, weight in enumerate(self.kinds.weights):
            for _ in range(int(self.kinds.count[kind])):
                other = rng.random(size=state.size) < self.outlier[state, kind]
                a = np.where(other, self.outlier_a[kind], self.a[state, kind])
                b = np.where(other, self.outlier_b[kind], self.b[state, kind])
                total += weight * rng.beta(a, b)
        return total

    def moment_series(self, order: int) -> Floats:
        """Moments k = 0 to 2 or 4 of the sum about its mean, over k!, in each state.

        The shape is (n_states, order + 1).
        """
        w, count = self.kinds.weights, self.kinds.count
        terms = islice(self.moment_terms(slice(None), np.ones_like(w)), order - 1)
        cumulants = [term * factorial(k) for k, term in enumerate(terms, 2)]
        if order > 2:
            cumulants[2] -= 3 * cumulants[0] ** 2
        first = (self.rates[0] - self.means[0]) @ (count * w)
        second, *others = (
            part @ (count * w**k) / factorial(k) for k, part in enumerate(cumulants, 2)
        )
        # The exponential of the cumulants' series.
        own = [np.ones_like(first), 0 * first, second, *others]
        if order > 2:
            own[4] += second**2 / 2
        shift = [first**k / factorial(k) for k in range(order + 1)]
        return np.stack(product_of_series(own, shift), axis=1)


def product_of_series(first: list[Floats], second: list[Floats]) -> list[Floats]:
    """Multiply two power series, cut off after as many terms."""
    return [
        sum((first[i] * second[k - i] for i in range(k + 1)), np.zeros_like(first[0]))
        for k in range(len(first))
    ]
