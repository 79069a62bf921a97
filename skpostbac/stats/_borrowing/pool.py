"""A pool of classes, with the states of their shared rates that matter.

States are placed where the posterior of their stratum is not negligible (`states`), and summed over
their paths (`chain`). States with a total probability below 1e-11 are left out of the transform of
the sum. As no transform exceeds one, this changes probabilities by no more than that.

Moments over all paths of states are sums of products of power series.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._borrowing.chain import Chain
from skpostbac.stats._borrowing.hyperprior import Hyperprior
from skpostbac.stats._borrowing.states import (
    KindMeans,
    Kinds,
    LogPosteriors,
    States,
    degrees,
    place_states,
    stratum_numbers,
    windows,
)
from skpostbac.stats._borrowing.strata import Borrowed, Stratum, product_of_series

# States are placed where the posterior of a stratum is above exp(-40) = 4e-18 of its largest value,
# and those are kept for transforms that hold all but this share of the paths.
_DEPTH, _LEFT_OUT = 40.0, 1e-11
# The posterior of a stratum may be more, relative to its largest value, than the likelihood of its
# own classes tells, by the square of the most that neighbours may tell over the least. The least is
# the chance to start anew; with less than this chance all strata are looked at as one.
_LEAST_ANEW, _NEIGHBOURS = 1e-3, 6.0


@dataclass(frozen=True)
class Pool:
    """Strata of classes, and the chain of their states."""

    strata: tuple[Stratum, ...]
    chain: Chain

    @classmethod
    def of(
        cls, kinds: Kinds, hyperprior: Hyperprior, strata: Sequence[Kinds] | None = None
    ) -> "Pool":
        """Place the states that the moments need; all of them are kept.

        Kinds of weight zero tell something of the states, and are then left out. The strata need
        not go by the samples of the kinds if they are given.
        """
        strata = kinds.strata(hyperprior.strata) if strata is None else strata
        pool = cls._placed(kinds, strata, hyperprior, degrees(kinds, hyperprior))
        return replace(pool, strata=tuple(one.with_means() for one in pool.strata))

    def for_transforms(self, kinds: Kinds, hyperprior: Hyperprior) -> "Pool":
        """Place the states that the transform of the sum needs, and keep those that count."""
        degree = degrees(kinds, hyperprior, self.weighted)
        pool = self._placed(kinds, kinds.strata(hyperprior.strata), hyperprior, degree)
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
        cls, kinds: Kinds, strata: Sequence[Kinds], prior: Hyperprior, degree: Indices
    ) -> "Pool":
        """Place the states that count, and sum over their paths."""
        share, base = prior.outlier_share(kinds.n_classes), prior.base

        def posteriors(some: Sequence[Kinds]) -> LogPosteriors:
            def log_likelihoods(mu: Floats, nu: Floats, strength: Floats) -> Floats:
                states = States(np.zeros(mu.size, dtype=int), mu, nu, strength, np.zeros_like(mu))
                looks = Borrowed.of(states, base)
                return np.array(
                    [Stratum.of(one, looks, share, base).log_likelihood for one in some]
                )

            return log_likelihoods

        kappa, joint = np.array(prior.kappa), prior.anew < _LEAST_ANEW
        groups = [strata] if joint else [[one] for one in strata]
        depth = _DEPTH if joint else _DEPTH + _NEIGHBOURS - 2 * np.log(prior.anew)
        found = [windows(kappa, degree, prior.rate, posteriors(some), depth) for some in groups]
        states, kept = place_states(kappa, degree, prior.rate, found)
        kept = kept * len(strata) if joint else kept
        borrowed = Borrowed.of(states, base)
        some = [
            Stratum.of(one, borrowed.where(flags), share, base)
            for one, flags in zip(strata, kept, strict=True)
        ]
        chain = Chain.of(states, len(some), prior).where(kept)
        paths = chain.paths([one.log_likelihood for one in some])
        pairs = zip(some, paths.log_weights, strict=True)
        return cls(tuple(replace(one, log_weights=logs) for one, logs in pairs), chain)

    @property
    def weighted(self) -> list[KindMeans]:
        """The kinds with a weight and their means, stratum by stratum."""
        return [(one.kinds, one.means) for one in self.strata]

    def draw(self, rng: np.random.Generator, size: int) -> list[Indices]:
        """Draw paths of states: for each stratum the number of the state, shape (size,)."""
        logs = [one.log_likelihood for one in self.strata]
        paths = self.chain.paths(logs)
        first = np.exp(paths.log_weights[0])
        drawn = [rng.choice(first.size, size=size, p=first / first.sum())]
        for number, (log, after) in enumerate(zip(logs[1:], paths.after[1:], strict=True)):
            here, place = np.unique(drawn[-1], return_inverse=True)
            chances = self.chain.forward(number, np.eye(self.chain.size(number))[:, here])
            chances *= (np.exp(log - log.max()) * after)[:, np.newaxis]
            sums = np.cumsum(chances, axis=0)
            level = rng.random(size=size) * sums[-1, place]
            drawn.append((sums[:, place] < level).sum(axis=0))
        return drawn

    def where(self, kept: Sequence[Bools]) -> "Pool":
        """Return the pool at some of the states of each stratum, and at those between them."""
        if all(flags.all() for flags in kept):
            return self
        kept = self.chain.hulls(kept)
        strata = (one.where(flags) for one, flags in zip(self.strata, kept, strict=True))
        return replace(self, strata=tuple(strata), chain=self.chain.where(kept))

    def central_moments(self) -> tuple[float, float, float]:
        """Second, third and fourth central moment of the sum."""
        moments = self._moment_series(4)
        return float(2 * moments[2]), float(6 * moments[3]), float(24 * moments[4])

    def _moment_series(self, order: int) -> Floats:
        """Moments of the sum about its mean up to an order, 2 or 4, over their factorials."""
        total: list[Floats] = []
        for number, one in enumerate(self.strata):
            series = one.moment_series(order)
            if number:
                sums = self.chain.forward(number - 1, np.stack(total, axis=1))
            else:
                sums = self.chain.first()[:, np.newaxis] * np.eye(1, order + 1)
            sums = sums * np.exp(one.log_likelihood - one.log_likelihood.max())[:, np.newaxis]
            sums /= sums[:, 0].sum()
            total = product_of_series(list(sums.T), list(series.T))
        moments = np.array([part.sum() for part in total])
        return np.asarray(moments / moments[0])


def kind_means(kinds: Kinds, hyperprior: Hyperprior) -> Floats:
    """Return the posterior mean of the accuracy of each kind, all with a weight."""
    pool = Pool.of(kinds, hyperprior)
    number = stratum_numbers(kinds.total, hyperprior.strata)
    means = np.empty(kinds.count.size)
    for place, one in enumerate(pool.strata):
        means[number == place] = one.means[0]
    return means
