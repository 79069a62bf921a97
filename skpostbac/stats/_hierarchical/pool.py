"""A pool of classes that borrow from shared rates, given the states of what they share.

With k of n samples of a class correct, its accuracy has in each state (mu, kappa) of its stratum
the posterior

    (1 - r) Beta(k + b + mu kappa, n - k + b + (1 - mu) kappa) + r Beta(k + b, n - k + b),

where b is the base of the hyperprior and r the posterior probability that the class is an outlier,

    r = epsilon / [epsilon + (1 - epsilon) R],
    R = B(k + b + up, n - k + b + down) B(b, b) / [B(k + b, n - k + b) B(b + up, b + down)],

with up = mu kappa and down = (1 - mu) kappa: R is the probability of the counts if the class
borrows over that if it does not. States whose chances add up to less than 1e-15 are left out: as no
transform exceeds one, probabilities move by no more.

Moments of a Beta about any centre follow from a recursion of three terms, as the central ones do
(`skpostbac.stats._beta.moments`). Central moments of a sum given the states are those of
independent classes; the moments over all paths of states are sums of products of power series.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from math import factorial

import numpy as np
from scipy.special import expit

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._beta import log_laplace_mgf
from skpostbac.stats._hierarchical.chain import Chain
from skpostbac.stats._hierarchical.hyperprior import Hyperprior, log_borrowing, log_rise
from skpostbac.stats._hierarchical.states import KindMeans, States, degrees, place_states
from skpostbac.stats._hierarchical.strata import Kinds, stratum_numbers
from skpostbac.stats._numerics import stirling_remainder

# Moments up to this order are made.
_MAX_ORDER = 60
# States are placed where the posterior of a stratum is above exp(-34) = 2e-15 of its largest value,
# and those are kept for transforms that hold all but this share of the paths. Under a tilt the
# posterior is that by Laplace's method, and more is kept.
_DEPTH, _LEFT_OUT = 40.0, 1e-15
_TILTED_DEPTH = 48.0


@dataclass(frozen=True)
class Stratum:
    """Kinds of classes that share a rate and a strength, and the states of these that count.

    Attributes
    ----------
    kinds : those with a weight in the sum.
    up, down : mu kappa and (1 - mu) kappa, what a class borrows of correct and wrong samples,
        shape (n_states,).
    log_norm : log E[theta^up (1 - theta)^down] for an outlier without samples.
    log_likelihood : log probability of the counts of all classes, over that if all are outliers.
    log_weights : log of the posterior weights, of sum one.
    log_evidence : log probability of the counts of each kind, over that for an outlier,
        shape (n_states, n_kinds).
    outlier : posterior probability that a class of each kind is an outlier, of the same shape.
    share, base : prior probability of an outlier, and the parameter of its distribution.
    means : posterior mean of each kind, and one less that, each of shape (n_kinds,).
    """

    kinds: Kinds
    up: Floats
    down: Floats
    log_norm: Floats
    log_likelihood: Floats
    log_weights: Floats
    log_evidence: Floats
    outlier: Floats
    share: float
    base: float
    means: tuple[Floats, Floats]

    @classmethod
    def of(cls, kinds: Kinds, states: States, share: float, base: float) -> "Stratum":
        """Evaluate the likelihood at the states; weights and means are not known yet."""
        up, down = states.mu * states.kappa, states.nu * states.kappa
        evidence, outlier = _evidence(kinds, up, down, share, base)
        kept = kinds.weights != 0
        return cls(
            kinds=kinds.where(kept),
            up=up,
            down=down,
            log_norm=log_borrowing(up, down, base, base),
            log_likelihood=evidence @ kinds.count,
            log_weights=np.zeros_like(up),
            log_evidence=evidence[:, kept],
            outlier=outlier[:, kept],
            share=share,
            base=base,
            means=(np.zeros(0), np.zeros(0)),
        )

    def weighted(self, log_weights: Floats) -> "Stratum":
        """Return the stratum with the posterior weights of its states, and the means."""
        some = replace(self, log_weights=log_weights)
        right, wrong = some.rates
        weights = np.exp(log_weights)
        return replace(some, means=(weights @ right, weights @ wrong))

    def where(self, kept: Bools) -> "Stratum":
        """Return the stratum at some of its states."""
        return replace(
            self,
            up=self.up[kept],
            down=self.down[kept],
            log_norm=self.log_norm[kept],
            log_likelihood=self.log_likelihood[kept],
            log_weights=self.log_weights[kept],
            log_evidence=self.log_evidence[kept],
            outlier=self.outlier[kept],
        )

    @property
    def n_states(self) -> int:
        """Number of states."""
        return self.up.size

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
    def log_shares(self) -> tuple[Floats, Floats]:
        """Log of the chances that a class of each kind borrows, and that it is an outlier.

        Each has shape (n_states, n_kinds). A chance to borrow that is lost beside one, in
        `outlier`, counts under a large tilt.
        """
        up, down = self.up[:, np.newaxis], self.down[:, np.newaxis]
        own = log_borrowing(up, down, self.outlier_a, self.outlier_b)
        with np.errstate(divide="ignore"):
            own += (np.log1p(-self.share) - self.log_norm)[:, np.newaxis]
            return own - self.log_evidence, np.log(self.share) - self.log_evidence

    def log_tilted(self, tilt: float) -> tuple[Floats, Floats]:
        """Log of E exp(c x), and how much more it may be, by Laplace's method, in each state.

        Laplace's method in log-odds gives too little for the transform of a Beta, by a factor of
        exp(r(a) + r(b)) at most, where r is the remainder of Stirling's series of log Gamma.
        """
        own = log_laplace_mgf(self.a, self.b, self.kinds.weights, tilt)
        other = log_laplace_mgf(self.outlier_a, self.outlier_b, self.kinds.weights, tilt)
        log_own, log_other = self.log_shares
        more = np.maximum(
            stirling_remainder(self.a) + stirling_remainder(self.b),
            stirling_remainder(self.outlier_a) + stirling_remainder(self.outlier_b),
        )
        least = np.logaddexp(log_own + own, log_other + other)
        return least @ self.kinds.count, more @ self.kinds.count

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

    @cached_property
    def moment_series(self) -> Floats:
        """Moments k = 0 to 4 of the sum about its mean, over k!, in each state, (n_states, 5)."""
        w, count = self.kinds.weights, self.kinds.count
        terms = islice(self.moment_terms(slice(None), np.ones_like(w)), 3)
        second, third, fourth = (term * factorial(k) for k, term in enumerate(terms, 2))
        first = (self.rates[0] - self.means[0]) @ (count * w)
        parts = (second, third, fourth - 3 * second**2)
        second, third, fourth = (
            part @ (count * w**k) / factorial(k) for k, part in enumerate(parts, 2)
        )
        # The exponential of the cumulants' series.
        own = [np.ones_like(first), 0 * first, second, third, fourth + second**2 / 2]
        shift = [first**k / factorial(k) for k in range(5)]
        return np.stack(_product(own, shift), axis=1)


@dataclass(frozen=True)
class Pool:
    """Strata of classes, the chain of their states, and the log evidence for it.

    `log_evidence` is that of all counts, over that if all classes are outliers.
    """

    strata: tuple[Stratum, ...]
    chain: Chain
    log_evidence: float

    @classmethod
    def of_moments(cls, kinds: Kinds, hyperprior: Hyperprior) -> "Pool":
        """Place the states that the moments need; all of them are kept.

        Kinds of weight zero tell something of the states, and are then left out.
        """
        return cls.of_strata(kinds, kinds.strata(hyperprior.strata), hyperprior)

    @classmethod
    def of_strata(cls, kinds: Kinds, strata: Sequence[Kinds], hyperprior: Hyperprior) -> "Pool":
        """Return the same of kinds whose strata are given, and need not go by their samples."""
        share = hyperprior.outlier_share(kinds.n_classes)
        return cls._at(strata, share, hyperprior, degrees(kinds, hyperprior, (), ()))

    @classmethod
    def of_rest(cls, kinds: Kinds, hyperprior: Hyperprior) -> "Pool":
        """Return the pool of the kinds of weight zero alone, in the strata of all kinds.

        A stratum that is left without classes remains a step of the chain.
        """
        rest, share = kinds.where(kinds.weights == 0), hyperprior.outlier_share(kinds.n_classes)
        strata = [one.where(one.weights == 0) for one in kinds.strata(hyperprior.strata)]
        return cls._at(strata, share, hyperprior, degrees(rest, hyperprior, (), ()))

    def for_transforms(self, kinds: Kinds, hyperprior: Hyperprior) -> "Pool":
        """Place the states that the transform of the sum needs, and keep those that count."""
        degree = degrees(kinds, hyperprior, (), self._weighted)
        strata, share = kinds.strata(hyperprior.strata), hyperprior.outlier_share(kinds.n_classes)
        pool = self._at(strata, share, hyperprior, degree)
        left_out = _LEFT_OUT / len(pool.strata)
        return pool.where([_heaviest(one.log_weights, left_out) for one in pool.strata])

    def under(self, kinds: Kinds, hyperprior: Hyperprior, tilts: Sequence[float]) -> "Pool":
        """Place the states that may count under one of some tilts by exp(c x).

        The means, from which positions are counted, and the evidence are those of this pool.
        """
        degree = degrees(kinds, hyperprior, tilts, self._weighted)
        placed, share = kinds.strata(hyperprior.strata), hyperprior.outlier_share(kinds.n_classes)
        pool = self._at(placed, share, hyperprior, degree, tilts)
        counted = [np.zeros(one.n_states, dtype=bool) for one in pool.strata]
        for tilt in tilts:
            parts = [one.log_tilted(tilt) for one in pool.strata]
            logs = [
                one.log_likelihood + least
                for one, (least, _) in zip(pool.strata, parts, strict=True)
            ]
            weights = pool.chain.paths(logs).log_weights
            for flags, some, (_, more) in zip(counted, weights, parts, strict=True):
                flags |= some + more > some.max() - _TILTED_DEPTH
        strata = (
            replace(one, means=known.means)
            for one, known in zip(pool.strata, self.strata, strict=True)
        )
        return Pool(tuple(strata), pool.chain, self.log_evidence).where(counted)

    @property
    def _weighted(self) -> list[KindMeans]:
        """The kinds with a weight and their means, stratum by stratum."""
        return [(one.kinds, one.means) for one in self.strata]

    @classmethod
    def _at(
        cls,
        strata: Sequence[Kinds],
        share: float,
        hyperprior: Hyperprior,
        degree: Indices,
        tilts: Sequence[float] = (),
    ) -> "Pool":
        """Place states for strata of kinds, and sum over their paths."""
        states = _place(strata, hyperprior, share, degree, tilts)
        full = [Stratum.of(one, states, share, hyperprior.base) for one in strata]
        chain = Chain.of(states, len(full), hyperprior)
        paths = chain.paths([one.log_likelihood for one in full])
        weighted = map(Stratum.weighted, full, paths.log_weights)
        return cls(tuple(weighted), chain, sum(paths.log_scales))

    def mirrored(self) -> "Pool":
        """Return the pool with negated weights."""
        strata = (replace(one, kinds=one.kinds.mirrored()) for one in self.strata)
        return replace(self, strata=tuple(strata))

    def draw(self, rng: np.random.Generator, size: int) -> list[Indices]:
        """Draw paths of states: for each stratum the number of the state, shape (size,)."""
        logs = [one.log_likelihood for one in self.strata]
        paths = self.chain.paths(logs)
        first = np.exp(paths.log_weights[0])
        drawn = [rng.choice(first.size, size=size, p=first / first.sum())]
        for link, log, after in zip(self.chain.links, logs[1:], paths.after[1:], strict=True):
            here, place = np.unique(drawn[-1], return_inverse=True)
            chances = link.forward(np.eye(link.samples.shape[1])[:, here])
            chances *= (np.exp(log - log.max()) * after)[:, np.newaxis]
            sums = np.cumsum(chances, axis=0)
            level = rng.random(size=size) * sums[-1, place]
            drawn.append((sums[:, place] < level).sum(axis=0))
        return drawn

    def where(self, kept: Sequence[Bools]) -> "Pool":
        """Return the pool at some of the states of each stratum."""
        if all(flags.all() for flags in kept):
            return self
        strata = (one.where(flags) for one, flags in zip(self.strata, kept, strict=True))
        return replace(self, strata=tuple(strata), chain=self.chain.where(kept))

    @cached_property
    def central_moments(self) -> tuple[float, float, float]:
        """Second, third and fourth central moment of the sum."""
        total: list[Floats] = []
        for number, one in enumerate(self.strata):
            series = one.moment_series
            if number:
                sums = self.chain.links[number - 1].forward(np.stack(total, axis=1))
            else:
                sums = self.chain.start[:, np.newaxis] * np.eye(1, 5)
            sums = sums * np.exp(one.log_likelihood - one.log_likelihood.max())[:, np.newaxis]
            sums /= sums[:, 0].sum()
            total = _product(list(sums.T), list(series.T))
        moments = np.array([part.sum() for part in total])
        moments /= moments[0]
        return float(2 * moments[2]), float(6 * moments[3]), float(24 * moments[4])


def kind_means(kinds: Kinds, hyperprior: Hyperprior) -> Floats:
    """Return the posterior mean of the accuracy of each kind, all with a weight."""
    pool = Pool.of_moments(kinds, hyperprior)
    number = stratum_numbers(kinds.total, hyperprior.strata)
    means = np.empty(kinds.count.size)
    for place, one in enumerate(pool.strata):
        means[number == place] = one.means[0]
    return means


def _place(
    strata: Sequence[Kinds],
    hyperprior: Hyperprior,
    share: float,
    degree: Indices,
    tilts: Sequence[float],
) -> States:
    """Place the states that count in the posterior of a stratum, as it is or under tilts."""

    def posteriors(mu: Floats, nu: Floats, strength: Floats) -> Floats:
        nothing = np.zeros(mu.size, dtype=int)
        looks = States(nothing, mu, nu, strength, np.zeros_like(mu))
        rows = []
        for kinds in strata:
            one = Stratum.of(kinds, looks, share, hyperprior.base)
            rows += [one.log_likelihood]
            rows += [one.log_likelihood + one.log_tilted(tilt)[0] for tilt in tilts]
        return np.array(rows)

    depth = _TILTED_DEPTH if tilts else _DEPTH
    return place_states(np.array(hyperprior.kappa), degree, hyperprior.rate, posteriors, depth)


def _heaviest(log_weights: Floats, left_out: float) -> Bools:
    """Find the states but for the lightest, whose weights add up to less than a share."""
    weights = np.exp(log_weights)
    order = np.argsort(weights)
    kept = np.empty(weights.size, dtype=bool)
    kept[order] = np.cumsum(weights[order]) > left_out
    return kept


def _product(first: list[Floats], second: list[Floats]) -> list[Floats]:
    """Multiply two power series, cut off after as many terms."""
    return [
        sum((first[i] * second[k - i] for i in range(k + 1)), np.zeros_like(first[0]))
        for k in range(len(first))
    ]


def _evidence(
    kinds: Kinds, up: Floats, down: Floats, share: float, base: float
) -> tuple[Floats, Floats]:
    """Log probability of the counts of each kind over that of an outlier, and the outlier's share.

    Both have shape (n_states, n_kinds).
    """
    rises = []
    for values, borrowed, exponent in (
        (kinds.correct, up, base),
        (kinds.wrong, down, base),
        (kinds.total, up + down, 2 * base),
    ):
        # Each strength has many states, and kinds have counts in common: these are looked up.
        distinct, row = np.unique(borrowed, return_inverse=True)
        at, place = np.unique(values, return_inverse=True)
        rise = partial(log_rise, d=distinct[:, np.newaxis])
        rises.append((rise(at + exponent) - rise(np.array([exponent])))[row][:, place])
    evidence = np.asarray(rises[0] + rises[1] - rises[2])
    if not share:
        return evidence, np.zeros_like(evidence)
    if share == 1:
        return np.zeros_like(evidence), np.ones_like(evidence)
    own, other = evidence + np.log1p(-share), np.log(share)
    return np.logaddexp(own, other), expit(other - own)
