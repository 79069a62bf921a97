r"""Shares of samples of each class, under a hierarchical prior.

The data of the share p_i of class i are k_i of n_i samples, and the classes have the prior of a
`Hyperprior`. Given the states eta_1, ..., eta_S of the strata, the shares are independent, and each
is a mixture of two Betas (`skpostbac.stats._borrowing`). The states given the counts are again
a Markov chain, from the smallest classes to the largest, with

    P(eta_1) ~ prior(eta_1) L_1(eta_1) B_1(eta_1),
    P(eta_s+1 | eta_s) ~ T(eta_s, eta_s+1) L_s+1(eta_s+1) B_s+1(eta_s+1),

where L is the likelihood of the counts of a stratum, T the transition probability and B the sum
over all following states. T is never formed as a matrix: a state stays, moves through one of 25
virtual samples, or is drawn anew (`skpostbac.stats._borrowing`).

The n_h draws in one state of a stratum are distributed over the possible next states by systematic
sampling: draw k has the quantile (k + u) / n_h, with one uniform number u for all. The number of
draws with a given transition then differs from its expectation by less than one. Quantiles are
assigned to draws at random, independently of their earlier path.

A step has two parts: first whether the state stays, is drawn anew, or moves with a given virtual
sample; then the next state.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import factorial

import numpy as np

from skpostbac._utils import Floats, Indices
from skpostbac.stats._borrowing import Chain, Hyperprior, Kinds, Link, Pool, Stratum

# States of a stratum that are less likely than this beside the likeliest are left out. With 1e-14,
# means and variances of 10 and 100 classes move by up to 2e-9 of themselves.
_LEAST = 1e-11
# Groups of states of a stratum, but for those at the ends of the strengths.
_GROUPS = 400


@dataclass(frozen=True)
class Shares:
    """The shares of kinds of classes, given counts.

    Attributes
    ----------
    places : for each stratum the numbers of its kinds, smallest classes first.
    strata : the kinds of each stratum in each of its states.
    start : chances of the states of the first stratum, shape (n_states,).
    steps : from each stratum to the next.
    """

    places: tuple[Indices, ...]
    strata: tuple[Stratum, ...]
    start: Floats
    steps: tuple["Step", ...]

    @classmethod
    def of(
        cls,
        right: Floats,
        total: Floats,
        count: Floats,
        places: tuple[Indices, ...],
        hyperprior: Hyperprior,
    ) -> "Shares":
        """Take kinds of `count` classes, each with `right` of `total` samples."""
        kinds = Kinds(right, total, np.ones_like(total), count)
        strata = [Kinds(right[at], total[at], np.ones(at.size), count[at]) for at in places]
        pool = Pool.of(kinds, hyperprior, strata)
        likely = [one.log_weights > one.log_weights.max() + np.log(_LEAST) for one in pool.strata]
        pool = pool.where(likely)
        logs = [one.log_likelihood for one in pool.strata]
        paths = pool.chain.paths(logs)
        parts = enumerate(zip(logs[1:], paths.after[1:], strict=True))
        steps = (
            Step.of(pool.chain, number, np.exp(log - log.max()) * after)
            for number, (log, after) in parts
        )
        start = np.exp(paths.log_weights[0])
        return cls(places, pool.strata, start / start.sum(), tuple(steps))

    @cached_property
    def chances(self) -> tuple[Floats, ...]:
        """Chances of the states of each stratum."""
        found = [self.start]
        for step in self.steps:
            found.append(step.forward(found[-1][:, np.newaxis])[:, 0])
        return tuple(found)

    @cached_property
    def means(self) -> Floats:
        """Mean of each kind, shape (n_kinds,)."""
        return self._by_kind([p @ one.rates[0] for p, one in self._stratified])

    @cached_property
    def within(self) -> Floats:
        """Expected variance of each kind given the states, shape (n_kinds,)."""
        return self._by_kind([p @ central_moments(one)[2] for p, one in self._stratified])

    @cached_property
    def between(self) -> Floats:
        """Covariances of the means given the states, shape (n_kinds, n_kinds)."""
        covariances = np.empty((self.means.size, self.means.size))
        parts = zip(self.strata, self.places, strict=True)
        gaps = [one.rates[0] - self.means[at] for one, at in parts]
        for first, here in enumerate(self.places):
            flow = self.chances[first][:, np.newaxis] * gaps[first]
            for last in range(first, len(gaps)):
                if last > first:
                    flow = self.steps[last - 1].forward(flow)
                there = self.places[last]
                block = gaps[last].T @ flow
                covariances[np.ix_(there, here)] = block
                covariances[np.ix_(here, there)] = block.T
        return covariances

    @cached_property
    def groups(self) -> tuple["Groups", ...]:
        """Neighbouring states of each stratum that are as good as one for sums of many classes."""
        return tuple(Groups.of(p, one) for p, one in self._stratified)

    @property
    def _stratified(self) -> list[tuple[Floats, Stratum]]:
        return list(zip(self.chances, self.strata, strict=True))

    def _by_kind(self, values: list[Floats]) -> Floats:
        """Put values of the kinds of each stratum in the order of all kinds."""
        joined = np.concatenate(values)
        ordered = np.empty_like(joined)
        ordered[np.concatenate(self.places)] = joined
        return ordered


@dataclass(frozen=True)
class Step:
    """A step of the chain to the next stratum, given all counts.

    Attributes
    ----------
    chain, number : the chain before the data, and the stratum that the step starts from.
    gain : likelihood of what follows, given each of the next states, up to a factor.
    norm : its mean over the steps from each state.
    """

    chain: Chain
    number: int
    gain: Floats
    norm: Floats

    @classmethod
    def of(cls, chain: Chain, number: int, gain: Floats) -> "Step":
        """Weigh the steps from a stratum by what follows."""
        return cls(chain, number, gain, chain.backward(number, gain))

    @cached_property
    def link(self) -> Link:
        """The chances before the data."""
        return self.chain.link(self.number)

    def forward(self, table: Floats) -> Floats:
        """Take weights of the states of one stratum, shape (n_states, n), to the next."""
        carried = self.chain.forward(self.number, table / self.norm[:, np.newaxis])
        return self.gain[:, np.newaxis] * carried


@dataclass(frozen=True)
class Groups:
    """Groups of neighbouring states of one strength.

    Attributes
    ----------
    of_state : the group of each state.
    first : the first state of each group.
    chances : chances of the states.
    """

    of_state: Indices
    first: Indices
    chances: Floats

    @classmethod
    def of(cls, chances: Floats, stratum: Stratum) -> "Groups":
        """Make groups whose sums of the cube roots of the chances are alike.

        Their squared widths, weighted with the chances, then add up to the least that so many
        groups have (Panter and Dite, Proceedings of the IRE 39, 1951).
        """
        roots = np.cumsum(np.cbrt(chances))
        part = np.floor(_GROUPS * roots / roots[-1])
        kappa = stratum.up + stratum.down
        differs = (np.diff(part) > 0) | (np.abs(np.diff(kappa)) > 1e-6 * kappa[1:])
        of_state = np.append(0, np.cumsum(differs))
        return cls(of_state, np.append(0, np.flatnonzero(differs) + 1), chances)

    def averages(self, values: Floats) -> Floats:
        """Average values of the states, shape (n_states, n), over each group."""
        sums = np.add.reduceat(self.chances[:, np.newaxis] * values, self.first, axis=0)
        return np.asarray(sums / np.add.reduceat(self.chances, self.first)[:, np.newaxis])


def central_moments(stratum: Stratum) -> list[Floats]:
    """Moments 0 to 5 of each kind about its mean, in each state, (n_states, n_kinds) each."""
    right = stratum.rates[0]
    ones = np.ones(right.shape[1])
    terms = islice(stratum.moment_terms(slice(None), ones), 4)
    higher = [term * factorial(order) for order, term in enumerate(terms, 2)]
    return [np.ones_like(right), np.zeros_like(right), *higher]


def draw_shares(
    stratum: Stratum, kind: int | Indices, state: Indices, rng: np.random.Generator
) -> Floats:
    """Draw the share of a class of one kind, or of one kind each, in given states."""
    other = rng.random(state.size) < stratum.outlier[state, kind]
    a = np.where(other, stratum.outlier_a[kind], stratum.a[state, kind])
    b = np.where(other, stratum.outlier_b[kind], stratum.b[state, kind])
    return np.asarray(rng.beta(a, b))


def draw_paths(shares: Shares, size: int, rng: np.random.Generator) -> Iterator[Indices]:
    """Yield the states of `size` draws, stratum by stratum."""
    state = _spread(shares.start[:, np.newaxis], np.zeros(size, dtype=np.intp), rng)
    yield state
    for step in shares.steps:
        state = _next_states(step, state, rng)
        yield state


def _next_states(step: Step, state: Indices, rng: np.random.Generator) -> Indices:
    """Draw a state of the next stratum for each state of one."""
    here, there = step.link.same
    found = np.zeros(step.norm.size, dtype=np.intp)
    found[here] = there
    found, leads = found[state], _leads(step)
    way = _spread(_ways(step, leads), state, rng)
    leaves = way < leads.shape[1]
    found[leaves] = _spread(leads, way[leaves], rng)
    return found


def _leads(step: Step) -> Floats:
    """Chances of the next states (rows) by each way (columns), up to a factor of the column.

    The first column is to start anew; then come the virtual samples, for each strength.
    """
    link = step.link
    columns = [link.anew[:, np.newaxis]]
    for _, last in link.rows:
        moves = np.zeros_like(link.moves)
        moves[last] = link.moves[last]
        columns.append(moves)
    return np.asarray(np.hstack(columns) * step.gain[:, np.newaxis])


def _ways(step: Step, leads: Floats) -> Floats:
    """Chances of each way (rows), to stay being the last, from each state (columns)."""
    link, total = step.link, leads.sum(axis=0)
    ways = np.zeros((total.size + 1, step.norm.size))
    ways[0] = total[0]
    size = len(link.samples)
    for number, (first, _) in enumerate(link.rows):
        block = slice(1 + number * size, 1 + (number + 1) * size)
        ways[block, first] = link.samples[:, first] * total[block, np.newaxis]
    here, there = link.same
    ways[-1, here] = link.stay * step.gain[there]
    return ways


def _spread(chances: Floats, group: Indices, rng: np.random.Generator) -> Indices:
    """Draw one of some options (rows), whose chances differ between groups (columns)."""
    number = np.bincount(group, minlength=chances.shape[1])
    occurs = np.flatnonzero(number)
    shuffled = rng.permutation(group.size)
    # Numbers of 16 bits are sorted without comparisons.
    small = group.astype(np.min_scalar_type(chances.shape[1]))
    order = shuffled[np.argsort(small[shuffled], kind="stable")]
    number = number[occurs]
    rank = np.arange(group.size) - np.repeat(np.cumsum(number) - number, number)
    quantile = (rank + np.repeat(rng.random(number.size), number)) / np.repeat(number, number)
    sums = np.cumsum(chances[:, occurs].T, axis=1)
    # One increasing sequence for all groups: the sums of the next begin where those of one end.
    start = np.arange(number.size)
    levels = (sums / sums[:, -1:] + start[:, np.newaxis]).ravel()
    start = np.repeat(start, number)
    place = np.searchsorted(levels, start + quantile) - start * len(chances)
    found = np.empty_like(group)
    found[order] = np.clip(place, 0, len(chances) - 1)
    return found
