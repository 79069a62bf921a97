"""A pool of classes, with the states of their shared rates that matter.

States are placed where the posterior of their stratum is not negligible (`states`), and summed over
their paths (`chain`). States with a total probability below 3e-15 are left out of the transform of
the sum. As no transform exceeds one, this changes probabilities by no more than that.

Moments over all paths of states are sums of products of power series.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._borrowing.chain import Chain
from skpostbac.stats._borrowing.hyperprior import Hyperprior
from skpostbac.stats._borrowing.kinds import Kinds, stratum_numbers
from skpostbac.stats._borrowing.states import (
    KindMeans,
    LogPosteriors,
    States,
    degrees,
    place_states,
    windows,
)
from skpostbac.stats._borrowing.strata import Borrowed, Stratum, product_of_series

# States are placed where the posterior of a stratum is above exp(-40) = 4e-18 of its largest value,
# and those are kept for transforms that hold all but this share of the paths. Under a tilt the
# posterior is that by Laplace's method, and more is kept.
_DEPTH, _LEFT_OUT = 40.0, 3e-15
_TILTED_DEPTH = 48.0
# The posterior of a stratum may be more, relative to its largest value, than the likelihood of its
# own classes tells, by the square of the most that neighbours may tell over the least. The least is
# the chance to start anew; with less than this chance all strata are looked at as one.
_LEAST_ANEW, _NEIGHBOURS = 1e-3, 6.0


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
        model = _Model(tuple(strata), hyperprior.outlier_share(kinds.n_classes), hyperprior)
        return model.placed(degrees(kinds, hyperprior, (), ())).with_means()

    @classmethod
    def of_rest(cls, kinds: Kinds, hyperprior: Hyperprior) -> "Pool":
        """Return the pool of the kinds of weight zero alone, in the strata of all kinds.

        A stratum that is left without classes remains a step of the chain.
        """
        model, rest = _Model.of(kinds, hyperprior).unweighted(), kinds.where(kinds.weights == 0)
        return model.placed(degrees(rest, hyperprior, (), ()))

    def for_transforms(self, kinds: Kinds, hyperprior: Hyperprior) -> "Pool":
        """Place the states that the transform of the sum needs, and keep those that count."""
        degree = degrees(kinds, hyperprior, (), self._weighted)
        pool = _Model.of(kinds, hyperprior).placed(degree)
        left_out = _LEFT_OUT / len(pool.strata)
        kept = [_heaviest(one.log_weights, left_out) for one in pool.strata]
        return pool.where(kept)._at_means_of(self)

    def under(self, kinds: Kinds, hyperprior: Hyperprior, tilts: Sequence[float]) -> "Pool":
        """Place the states that may count under one of some tilts by exp(c x).

        The means, from which positions are counted, and the evidence are those of this pool.
        """
        degree = degrees(kinds, hyperprior, tilts, self._weighted)
        pool = _Model.of(kinds, hyperprior).placed(degree, tilts)
        counted = [np.zeros(one.n_states, dtype=bool) for one in pool.strata]
        # What is kept for a tilt reaches so far that straight lines are close enough.
        excess = [one.looks.between(one.looked_at.log_tilted_excess) for one in pool.strata]
        for tilt in tilts:
            logs = [one.log_likelihood + one.rough_log_tilted(tilt) for one in pool.strata]
            weights = pool.chain.paths(logs).log_weights
            for flags, some, more in zip(counted, weights, excess, strict=True):
                flags |= some + more > some.max() - _TILTED_DEPTH
        return replace(pool.where(counted)._at_means_of(self), log_evidence=self.log_evidence)

    def log_laplace_mgf(self, tilt: float) -> float:
        """Log E exp(c (x - e)) by Laplace's method, where e is the upper end of the support."""
        logs = [one.log_likelihood + one.rough_log_tilted(tilt) for one in self.strata]
        tops = [float(one.max()) for one in logs]
        factors = [np.exp(one - top)[:, np.newaxis] for one, top in zip(logs, tops, strict=True)]
        return float(np.log(self.chain.total(factors)[0]) + sum(tops) - self.log_evidence)

    @property
    def _weighted(self) -> list[KindMeans]:
        """The kinds with a weight and their means, stratum by stratum."""
        return [(one.kinds, one.means) for one in self.strata]

    def with_means(self) -> "Pool":
        """Return the pool with the means of its kinds."""
        return replace(self, strata=tuple(one.with_means() for one in self.strata))

    def _at_means_of(self, other: "Pool") -> "Pool":
        """Return the pool with the means of the kinds of another one."""
        pairs = zip(self.strata, other.strata, strict=True)
        return replace(self, strata=tuple(replace(one, means=own.means) for one, own in pairs))

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

    @cached_property
    def variance(self) -> float:
        """Variance of the sum."""
        return float(2 * self._moment_series(2)[2])

    @cached_property
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
    pool = Pool.of_moments(kinds, hyperprior)
    number = stratum_numbers(kinds.total, hyperprior.strata)
    means = np.empty(kinds.count.size)
    for place, one in enumerate(pool.strata):
        means[number == place] = one.means[0]
    return means


@dataclass(frozen=True)
class _Model:
    """Classes of one pool, stratum by stratum, and their prior."""

    strata: tuple[Kinds, ...]
    share: float
    hyperprior: Hyperprior

    @classmethod
    def of(cls, kinds: Kinds, hyperprior: Hyperprior) -> "_Model":
        """Sort kinds into strata."""
        share = hyperprior.outlier_share(kinds.n_classes)
        return cls(kinds.strata(hyperprior.strata), share, hyperprior)

    def unweighted(self) -> "_Model":
        """Return the model of the kinds of weight zero."""
        return replace(self, strata=tuple(one.where(one.weights == 0) for one in self.strata))

    def placed(self, degree: Indices, tilts: Sequence[float] = ()) -> Pool:
        """Place the states that count, as it is or under tilts, and sum over their paths."""
        states, kept = self._places(degree, tilts)
        borrowed, base = Borrowed.of(states, self.hyperprior.base), self.hyperprior.base
        strata = [
            Stratum.of(one, borrowed.where(flags), self.share, base)
            for one, flags in zip(self.strata, kept, strict=True)
        ]
        chain = Chain.of(states, len(strata), self.hyperprior).where(kept)
        paths = chain.paths([one.log_likelihood for one in strata])
        pairs = zip(strata, paths.log_weights, strict=True)
        weighted = (replace(one, log_weights=logs) for one, logs in pairs)
        return Pool(tuple(weighted), chain, sum(paths.log_scales))

    def _places(self, degree: Indices, tilts: Sequence[float]) -> tuple[States, list[Bools]]:
        """Place states, and tell which of them may count in each stratum."""
        prior = self.hyperprior
        depth, joint = _TILTED_DEPTH if tilts else _DEPTH, prior.anew < _LEAST_ANEW
        groups = [self.strata] if joint else [(one,) for one in self.strata]
        if not joint:
            depth += _NEIGHBOURS - 2 * np.log(prior.anew)
        kappa = np.array(prior.kappa)
        found = [
            windows(kappa, degree, prior.rate, self._posteriors(group, tilts), depth)
            for group in groups
        ]
        states, kept = place_states(kappa, degree, prior.rate, found)
        return states, kept * len(self.strata) if joint else kept

    def _posteriors(self, strata: Sequence[Kinds], tilts: Sequence[float]) -> LogPosteriors:
        """Log likelihood of some strata, as it is and under tilts."""

        def posteriors(mu: Floats, nu: Floats, strength: Floats) -> Floats:
            nothing = np.zeros(mu.size, dtype=int)
            base = self.hyperprior.base
            looks = Borrowed.of(States(nothing, mu, nu, strength, np.zeros_like(mu)), base)
            rows = []
            for kinds in strata:
                one = Stratum.of(kinds, looks, self.share, base)
                rows += [one.log_likelihood]
                rows += [one.log_likelihood + one.log_tilted(tilt) for tilt in tilts]
            return np.array(rows)

        return posteriors


def _heaviest(log_weights: Floats, left_out: float) -> Bools:
    """Find the states but for the lightest, whose weights add up to less than a share."""
    weights = np.exp(log_weights)
    order = np.argsort(weights)
    kept = np.empty(weights.size, dtype=bool)
    kept[order] = np.cumsum(weights[order]) > left_out
    return kept
