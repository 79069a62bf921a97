r"""A Markov chain of what classes share, over strata of class size.

From one stratum to the next the rate mu and the strength kappa of a `Hyperprior` stay as they are,
or mu moves a little, or both start anew. The move takes mu for the chance of success of N virtual
samples, and the posterior after these for the new rate,

    x ~ Binomial(N, mu),    mu' ~ Beta(m + x, m + N - x),

which leaves the prior Beta(m, m) as it is, is reversible, and is a polynomial of degree N in mu and
in mu', so that the quadrature over the rate stays exact (`states`). The factors of the strata at
the states, whatever they are (likelihoods, or values of transforms), are summed over all paths in
one pass from stratum to stratum, and the marginal of each stratum takes one pass back (Baum,
Petrie, Soules and Weiss, Annals of Mathematical Statistics 41, 1970).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._hierarchical.hyperprior import VIRTUAL, Hyperprior
from skpostbac.stats._hierarchical.states import States

Table = TypeVar("Table", Floats, Complexes)


@dataclass(frozen=True)
class Link:
    """Chances to get from each state of a stratum to each of the next.

    Attributes
    ----------
    same : for each state that both have, its places in the first and in the next.
    stay : chance to stay.
    rows : for each strength, where its states are in the first and in the next.
    samples : chance of each number of virtual samples in a state, shape (N + 1, n_first).
    rates : chance to move to a state given that number, shape (n_next, N + 1).
    anew : chance to start at each state of the next stratum.
    """

    same: tuple[Indices, Indices]
    stay: float
    rows: tuple[tuple[slice, slice], ...]
    samples: Floats
    rates: Floats
    anew: Floats

    @classmethod
    def of(cls, states: States, hyperprior: Hyperprior) -> "Link":
        """Join all states to themselves."""
        log_rates = _log_density_ratio(states.mu, states.nu, hyperprior.rate)
        # A strength's share of the prior mass is no part of a move.
        log_mass = states.log_prior + np.log(len(hyperprior.kappa))
        every = np.arange(states.size)
        return cls(
            same=(every, every),
            stay=hyperprior.stay,
            rows=tuple((one, one) for one in _rows(states.row)),
            samples=np.exp(_log_binomial(states.mu, states.nu)),
            rates=hyperprior.move * np.exp(log_rates + log_mass[:, np.newaxis]),
            anew=hyperprior.anew * np.exp(states.log_prior),
        )

    def where(self, first: Bools, last: Bools) -> "Link":
        """Return the link between some of the states."""
        here, there = self.same
        both = first[here] & last[there]
        places, next_places = np.cumsum(first) - 1, np.cumsum(last) - 1
        rows, next_rows = zip(*self.rows, strict=True)
        return Link(
            same=(places[here[both]], next_places[there[both]]),
            stay=self.stay,
            rows=tuple(zip(_some(first, rows), _some(last, next_rows), strict=True)),
            samples=np.ascontiguousarray(self.samples[:, first]),
            rates=self.rates[last],
            anew=self.anew[last],
        )

    def forward(self, table: Table) -> Table:
        """Take sums over paths to the states of a stratum, (n, ...), to those of the next."""
        sums = np.multiply.outer(self.anew, table.sum(axis=0))
        here, there = self.same
        sums[there] += self.stay * table[here]
        for first, last in self.rows:
            if first.start < first.stop and last.start < last.stop:
                passed = _times(self.samples[:, first], table[first])
                sums[last] += _times(self.rates[last], passed)
        return np.asarray(sums)

    def backward(self, table: Floats) -> Floats:
        """Take sums over paths from the states of a stratum, shape (n,), to those before it."""
        sums = np.full(self.samples.shape[1], self.anew @ table)
        here, there = self.same
        sums[here] += self.stay * table[there]
        for first, last in self.rows:
            sums[first] += (table[last] @ self.rates[last]) @ self.samples[:, first]
        return sums


@dataclass(frozen=True)
class Chain:
    """The prior mass of the states of the first stratum, and the links between neighbours."""

    start: Floats
    links: tuple[Link, ...]

    @classmethod
    def of(cls, states: States, n_strata: int, hyperprior: Hyperprior) -> "Chain":
        """Give all states to each stratum."""
        links = (Link.of(states, hyperprior),) * (n_strata - 1) if n_strata > 1 else ()
        return cls(np.exp(states.log_prior), links)

    def where(self, kept: Sequence[Bools]) -> "Chain":
        """Return the chain over some of the states of each stratum."""
        pairs = zip(self.links, kept[:-1], kept[1:], strict=True)
        links = (link.where(first, last) for link, first, last in pairs)
        return Chain(self.start[kept[0]], tuple(links))

    def total(self, factors: Sequence[Table]) -> Table:
        """Sum products of factors of the strata, (n_states, k) each, over all paths: shape (k,)."""
        sums = self.start[:, np.newaxis] * factors[0]
        for link, factor in zip(self.links, factors[1:], strict=True):
            sums = link.forward(sums)
            sums *= factor
        return np.asarray(sums.sum(axis=0))

    def paths(self, log_factors: Sequence[Floats]) -> "Paths":
        """Sum products of factors over all paths, and over those through each state."""
        sums: list[Floats] = []
        log_scales = []
        for number, logs in enumerate(log_factors):
            before = self.links[number - 1].forward(sums[-1]) if number else self.start
            top = float(logs.max())
            reached = before * np.exp(logs - top)
            scale = float(reached.sum())
            sums.append(reached / scale)
            log_scales.append(top + float(np.log(scale)))
        after = [np.ones_like(sums[-1])]
        for link, logs, scale in zip(
            self.links[::-1], log_factors[:0:-1], log_scales[:0:-1], strict=True
        ):
            after.append(link.backward(np.exp(logs - scale) * after[-1]))
        after.reverse()
        with np.errstate(divide="ignore"):
            log_weights = [np.log(a) + np.log(b) for a, b in zip(sums, after, strict=True)]
        return Paths(tuple(log_scales), tuple(log_weights), tuple(after))


@dataclass(frozen=True)
class Paths:
    """Sums over paths.

    Attributes
    ----------
    log_scales : for each stratum, the log of a factor; their product is the sum over all paths.
    log_weights : for each stratum, log of the share of the paths through each state.
    after : for each stratum, the sum over what may follow each state, over the scales.
    """

    log_scales: tuple[float, ...]
    log_weights: tuple[Floats, ...]
    after: tuple[Floats, ...]


def _times(factors: Floats, table: Table) -> Table:
    """Multiply by a real matrix; complex numbers as pairs of reals, which is faster."""
    if np.iscomplexobj(table):
        return np.asarray((factors @ np.ascontiguousarray(table).view(float)).view(complex))
    return np.asarray(factors @ table)


def _rows(row: Indices) -> tuple[slice, ...]:
    """Where the states of each strength are, of those sorted by strength."""
    bounds = np.searchsorted(row, np.arange(row.max(initial=-1) + 2))
    return tuple(
        slice(a, b) for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    )


def _some(kept: Bools, rows: Sequence[slice]) -> tuple[slice, ...]:
    """Where the states of each strength are among those kept."""
    before = np.append(0, np.cumsum(kept)).tolist()
    return tuple(slice(before[row.start], before[row.stop]) for row in rows)


def _log_binomial(mu: Floats, nu: Floats) -> Floats:
    """Log chance of each number of virtual samples at some rates, shape (N + 1, n)."""
    x = np.arange(VIRTUAL + 1.0)[:, np.newaxis]
    choices = gammaln(VIRTUAL + 1) - gammaln(x + 1) - gammaln(VIRTUAL - x + 1)
    return np.asarray(choices + x * np.log(mu) + (VIRTUAL - x) * np.log(nu))


def _log_density_ratio(mu: Floats, nu: Floats, m: float) -> Floats:
    """Log density of Beta(m + x, m + N - x) over that of Beta(m, m), shape (n, N + 1)."""
    x = np.arange(VIRTUAL + 1.0)
    # Log of B(m, m) / B(m + x, m + N - x).
    rise = gammaln(2 * m + VIRTUAL) - gammaln(2 * m) + 2 * gammaln(m)
    norm = rise - gammaln(m + x) - gammaln(m + VIRTUAL - x)
    return np.asarray(
        norm + np.multiply.outer(np.log(mu), x) + np.multiply.outer(np.log(nu), VIRTUAL - x)
    )
