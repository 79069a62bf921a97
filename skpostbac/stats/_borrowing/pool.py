r"""A pool of classes: its strata, given the states that they share, and the states that matter.

With k of n samples of a class correct, its accuracy has in each state (mu, kappa) the posterior

    (1 - r) Beta(k + b + mu kappa, n - k + b + (1 - mu) kappa) + r Beta(k + b, n - k + b),

where b is the base of the hyperprior and r the posterior probability that the class is an outlier,

    r = epsilon / [epsilon + (1 - epsilon) R],
    R = B(k + b + up, n - k + b + down) B(b, b) / [B(k + b, n - k + b) B(b + up, b + down)],

with up = mu kappa and down = (1 - mu) kappa: R is the probability of the counts if the class
borrows over that if it does not.

Moments of a Beta about any centre follow from a recursion of three terms, as the central ones do
(`skpostbac.stats._beta.parameters`). Central moments of a sum given the states are those of
independent classes.

States are placed where the posterior of their stratum is not negligible (`states`), and summed over
their paths (`chain`). States with a total probability below 1e-11 are left out of the transform of
the sum. As no transform exceeds one, this changes probabilities by no more than that. Moments over
all paths of states are sums of products of power series.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import factorial

import numpy as np
from scipy.special import expit

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._borrowing.chain import Chain
from skpostbac.stats._borrowing.hyperprior import Hyperprior
from skpostbac.stats._borrowing.states import (
    EqualClasses,
    States,
    degrees,
    place_states,
    windows,
)
from skpostbac.stats._numerics import Rows, log_rising

# States are placed where the posterior of a stratum is above exp(-40) = 4e-18 of its largest value,
# and those are kept for transforms that hold all but this share of the paths.
_DEPTH, _LEFT_OUT = 40.0, 1e-11
# Rows of strata that are evaluated together.
_BATCH = 16


@dataclass(frozen=True)
class Borrowed(Rows):
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
        return replace(some, log_norm=some.log_probability(*np.full((2, 1), base))[:, 0])

    def log_probability(self, a: Floats, b: Floats) -> Floats:
        """Log E[theta^up (1 - theta)^down] for Beta(a, b), shape (n_states, n)."""
        # There are few strengths.
        strengths, row = np.unique(self.kappa, return_inverse=True)
        n, strengths = a + b, strengths[:, np.newaxis]
        table: Floats = -(log_rising(n, strengths) + strengths * np.log(n))[row]
        for borrowed, own in (self.up[:, np.newaxis], a), (self.down[:, np.newaxis], b):
            # Classes without errors have one b.
            distinct, column = np.unique(own, return_inverse=True)
            part = log_rising(distinct, borrowed) + borrowed * np.log(distinct)
            table += part[:, column] if distinct.size > 1 else part
        return table


@dataclass(frozen=True)
class Stratum:
    """EqualClasses of classes that share a rate and a strength, and the states of these that count.

    Attributes
    ----------
    rows : those with a weight in the sum.
    share, base : prior probability of an outlier, and the parameter of its distribution.
    borrowed : what a class borrows in each state.
    log_borrower : log probability of the counts of each row if it borrows, over that for an
        outlier, shape (n_states, n_rows).
    log_likelihood : log probability of the counts of all classes, over that if all are outliers,
        shape (n_states,).
    log_weights : log of the posterior weights of the states, of sum one.
    means : posterior mean of each row, and one less that, each of shape (n_rows,).
    """

    classes: EqualClasses
    share: float
    base: float
    borrowed: Borrowed
    log_borrower: Floats
    log_likelihood: Floats
    log_weights: Floats
    means: tuple[Floats, Floats]

    @classmethod
    def several(
        cls, strata: Sequence[EqualClasses], borrowed: Borrowed, share: float, base: float
    ) -> list["Stratum"]:
        """Evaluate likelihoods at the same states; weights and means are not known yet."""
        right, wrong = (
            np.concatenate(parts) + base
            for parts in zip(*((one.correct, one.wrong) for one in strata), strict=True)
        )
        table = borrowed.log_probability(right, wrong)
        table -= borrowed.log_norm[:, np.newaxis]
        if 0 < share < 1:
            # Log of share + (1 - share) exp(table), faster than logaddexp
            odds = table + (np.log1p(-share) - np.log(share))
            log_evidence = np.maximum(odds, 0.0) + np.log1p(np.exp(-np.abs(odds)))
            log_evidence += np.log(share)
        else:
            log_evidence = (1 - share) * table
        found, first, nothing = [], 0, np.zeros(0)
        for one in strata:
            rows, kept = slice(first, first := first + one.count.size), one.weights != 0
            log_borrower, log_likelihood = table[:, rows], log_evidence[:, rows] @ one.count
            if not kept.all():
                one, log_borrower = one[kept], log_borrower[:, kept]
            found.append(
                cls(
                    *(one, share, base, borrowed, log_borrower, log_likelihood),
                    log_weights=np.zeros_like(borrowed.up),
                    means=(nothing, nothing),
                )
            )
        return found

    @cached_property
    def outlier(self) -> Floats:
        """Posterior probability that a class of each row is an outlier, as `log_borrower`."""
        if self.share in (0, 1):
            return np.full_like(self.log_borrower, self.share)
        return np.asarray(expit(np.log(self.share) - np.log1p(-self.share) - self.log_borrower))

    @property
    def outlier_a(self) -> Floats:
        """First parameter of the posterior of an outlier of each row."""
        return self.classes.correct + self.base

    @property
    def outlier_b(self) -> Floats:
        """Second parameter of the posterior of an outlier of each row."""
        return self.classes.wrong + self.base

    @cached_property
    def a(self) -> Floats:
        """First parameter of each row in each state if it is no outlier, (n_states, n_rows)."""
        return self.borrowed.up[:, np.newaxis] + self.outlier_a

    @cached_property
    def b(self) -> Floats:
        """Second parameter of each row in each state if it is no outlier, (n_states, n_rows)."""
        return self.borrowed.down[:, np.newaxis] + self.outlier_b

    @cached_property
    def rates(self) -> tuple[Floats, Floats]:
        """Mean accuracy of each row in each state, and one less that, (n_states, n_rows)."""
        r, n = self.outlier, self.a + self.b
        other_n = self.outlier_a + self.outlier_b
        right = (1 - r) * (self.a / n) + r * (self.outlier_a / other_n)
        return right, (1 - r) * (self.b / n) + r * (self.outlier_b / other_n)

    def central_moments(self, order: int) -> list[Floats]:
        """Moments 2 to `order` of each row about its `rates`, (n_states, n_rows) each.

        Those of a Beta about any centre follow from its differential equation.
        """
        (right, wrong), r, n = self.rates, self.outlier, self.a + self.b
        spread, lean, other_n = right * wrong, wrong - right, self.outlier_a + self.outlier_b
        # Means of both parts relative to that of the mixture.
        jump = self.a / n - self.outlier_a / other_n
        shift, other_shift = r * jump, (r - 1) * jump
        own, other = (np.ones_like(n), shift), (np.ones_like(n), other_shift)
        moments = []
        for k in range(1, order):
            step = k * spread * own[0] + (n * shift + k * lean) * own[1]
            other_step = k * spread * other[0] + (other_n * other_shift + k * lean) * other[1]
            own, other = (own[1], step / (n + k)), (other[1], other_step / (other_n + k))
            moments.append((1 - r) * own[1] + r * other[1])
        return moments

    def where(self, rows: Bools | slice) -> "Stratum":
        """Return some of the rows; what the states tell is that of all classes."""
        return replace(
            self,
            classes=self.classes[rows],
            log_borrower=self.log_borrower[:, rows],
            means=(self.means[0][rows], self.means[1][rows]),
        )

    def parts(self, ratio: float) -> list["Stratum"]:
        """Divide the rows: their weights, over their samples, have ratios below this one."""
        size = np.abs(self.classes.weights) / (self.classes.total + 1)
        number = np.floor(np.log(size.max(initial=0.0) / size) / np.log(ratio))
        if number.size and not number.any():
            return [self]
        return [self.where(number == one) for one in np.unique(number)]

    def draw_rates(self, row: int | Indices, state: Indices, rng: np.random.Generator) -> Floats:
        """Draw the rate of a class of one row, or of one row each, in given states."""
        other = rng.random(state.size) < self.outlier[state, row]
        a = np.where(other, self.outlier_a[row], self.a[state, row])
        b = np.where(other, self.outlier_b[row], self.b[state, row])
        return np.asarray(rng.beta(a, b))


def product_of_series(first: list[Floats], second: list[Floats]) -> list[Floats]:
    """Multiply two power series, cut off after as many terms."""
    return [
        sum((first[i] * second[k - i] for i in range(k + 1)), np.zeros_like(first[0]))
        for k in range(len(first))
    ]


@dataclass(frozen=True)
class Pool:
    """Classes and their prior, the strata of those with a weight, and the chain of their states."""

    classes: EqualClasses
    hyperprior: Hyperprior
    strata: tuple[Stratum, ...]
    chain: Chain

    @classmethod
    def of(
        cls,
        classes: EqualClasses,
        hyperprior: Hyperprior,
        strata: Sequence[EqualClasses] | None = None,
    ) -> "Pool":
        """Place the states that the moments need; all of them are kept.

        Classes of weight zero tell something of the states, and are then left out. The strata need
        not go by the samples of the classes if they are given.
        """
        strata = classes.strata(hyperprior.strata) if strata is None else strata
        pool = cls._placed(classes, strata, hyperprior, degrees(classes, hyperprior))
        known = []
        for one in pool.strata:
            weights, n = np.exp(one.log_weights)[:, np.newaxis], one.classes.total + 2 * one.base
            alone = np.sum(weights * one.outlier, axis=0) / n
            share = weights * (1 - one.outlier) / (n + one.borrowed.kappa[:, np.newaxis])
            total = share.sum(axis=0) + alone
            right = one.outlier_a * total + one.borrowed.up @ share
            wrong = one.outlier_b * total + one.borrowed.down @ share
            known.append(replace(one, means=(right, wrong)))
        return replace(pool, strata=tuple(known))

    def each(self) -> list["Pool"]:
        """Return the pool with one class of each row alone in the sum, with the weight one."""
        nothing, found = [one.where(slice(0)) for one in self.strata], []
        for place, stratum in enumerate(self.strata):
            for row in range(stratum.classes.count.size):
                alone, one = stratum.where(slice(row, row + 1)), np.ones(1)
                alone = replace(alone, classes=replace(alone.classes, weights=one, count=one))
                strata = (*nothing[:place], alone, *nothing[place + 1 :])
                found.append(replace(self, strata=strata))
        return found

    def for_transforms(self, sums: Sequence["Pool"] | None = None) -> "Pool":
        """Place the states that the transform of the sum needs, and keep those that count.

        If several `sums` are given, those that the transforms of all of them need.
        """
        classes, hyperprior = self.classes, self.hyperprior
        weighted = [[(one.classes, one.means) for one in pool.strata] for pool in sums or [self]]
        degree = np.max([degrees(classes, hyperprior, one) for one in weighted], axis=0)
        pool = self._placed(classes, classes.strata(hyperprior.strata), hyperprior, degree)
        pairs = zip(pool.strata, self.strata, strict=True)
        pool = replace(pool, strata=tuple(replace(one, means=own.means) for one, own in pairs))
        kept = []
        for one in pool.strata:
            weights = np.exp(one.log_weights)
            order, flags = np.argsort(weights), np.empty(weights.size, dtype=bool)
            flags[order] = np.cumsum(weights[order]) > _LEFT_OUT / len(pool.strata)
            kept.append(flags)
        return pool.where(kept)

    @classmethod
    def _placed(
        cls,
        classes: EqualClasses,
        strata: Sequence[EqualClasses],
        prior: Hyperprior,
        degree: Indices,
    ) -> "Pool":
        """Place the states that count, and sum over their paths."""
        share, base = prior.outlier_share(int(classes.count.sum())), prior.base

        def log_likelihoods(
            some: Sequence[EqualClasses], mu: Floats, nu: Floats, strength: Floats
        ) -> Floats:
            states = States(np.zeros(mu.size, dtype=int), mu, nu, strength, np.zeros_like(mu))
            grid = Borrowed.of(states, base)
            found = Stratum.several(some, grid, share, base)
            return np.array([one.log_likelihood for one in found])

        # The posterior of a stratum may be more, relative to its largest value, than the likelihood
        # of its own classes tells, by the square of the most that neighbours may tell, exp(3), over
        # the least, the chance to start anew; if that is small all strata are looked at as one.
        kappa, joint = np.array(prior.kappa), prior.anew < 1e-3
        groups = [strata] if joint else [[one] for one in strata]
        depth = _DEPTH if joint else _DEPTH + 6.0 - 2 * np.log(prior.anew)
        found = [
            windows(kappa, degree, prior.rate, partial(log_likelihoods, some), depth)
            for some in groups
        ]
        states, kept = place_states(kappa, degree, prior.rate, found)
        kept = kept * len(strata) if joint else kept
        borrowed = Borrowed.of(states, base)
        # Strata of the same states are evaluated together, as long as tables fit in a cache.
        whole = all(flags.all() for flags in kept)
        batches = np.cumsum([one.count.size for one in strata]) // (_BATCH if whole else 1)
        some: list[Stratum] = []
        for batch in np.unique(batches).tolist():
            chosen = np.flatnonzero(batches == batch).tolist()
            there = borrowed if whole else borrowed[kept[chosen[0]]]
            some += Stratum.several([strata[i] for i in chosen], there, share, base)
        chain, _ = Chain.of(states, len(some), prior).where(kept)
        log_weights, _ = chain.paths([one.log_likelihood for one in some])
        weighted = tuple(
            replace(one, log_weights=logs) for one, logs in zip(some, log_weights, strict=True)
        )
        return cls(classes, prior, weighted, chain)

    def where(self, kept: Sequence[Bools]) -> "Pool":
        """Return the pool at some of the states of each stratum, and at those between them."""
        if all(flags.all() for flags in kept):
            return self
        chain, kept = self.chain.where(kept)
        strata = (
            replace(
                one,
                borrowed=one.borrowed[flags],
                log_borrower=one.log_borrower[flags],
                log_likelihood=one.log_likelihood[flags],
                log_weights=one.log_weights[flags],
            )
            for one, flags in zip(self.strata, kept, strict=True)
        )
        return replace(self, strata=tuple(strata), chain=chain)

    def central_moments(self) -> tuple[float, float, float]:
        """Second, third and fourth central moment of the sum."""
        total: list[Floats] = []
        for number, one in enumerate(self.strata):
            if number:
                sums = self.chain.forward(number - 1, np.stack(total, axis=1))
            else:
                sums = self.chain.first()[:, np.newaxis] * np.eye(1, 5)
            sums = sums * np.exp(one.log_likelihood - one.log_likelihood.max())[:, np.newaxis]
            sums /= sums[:, 0].sum()
            # Moments of the stratum about its mean, over k!, in each state: the exponential of the
            # series of the cumulants, shifted.
            w, count = one.classes.weights, one.classes.count
            u2, u3, u4 = one.central_moments(4)
            c2, c3, c4 = (
                part @ (count * w**k) / factorial(k)
                for k, part in enumerate((u2, u3, u4 - 3 * u2**2), 2)
            )
            first = (one.rates[0] - one.means[0]) @ (count * w)
            own = [np.ones_like(first), 0 * first, c2, c3, c4 + c2**2 / 2]
            own = product_of_series(own, [first**k / factorial(k) for k in range(5)])
            total = product_of_series(list(sums.T), own)
        mass, _, second, third, fourth = (float(part.sum()) for part in total)
        return 2 * second / mass, 6 * third / mass, 24 * fourth / mass
