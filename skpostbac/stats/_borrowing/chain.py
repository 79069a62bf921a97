r"""A Markov chain of the rate and strength that classes share, over strata of class size.

From one stratum to the next the rate mu and the strength kappa of a `Hyperprior` stay the same, or
mu moves a little, or both are drawn anew. In a move, mu is the success probability of N virtual
samples, and the new rate is drawn from the posterior given these samples,

    x ~ Binomial(N, mu),    mu' ~ Beta(m + x, m + N - x).

This preserves the prior Beta(m, m), is reversible, and is a polynomial of degree N in mu and mu':
the quadrature over the rate stays exact (`states`). The factors of the strata at the states
(likelihoods or values of transforms) are summed over all paths in one forward pass over the strata,
and the marginals of the strata take one backward pass (Baum, Petrie, Soules and Weiss, Annals of
Mathematical Statistics 41, 1970).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TypeVar

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Bools, Complexes, Floats
from skpostbac.stats._borrowing.hyperprior import VIRTUAL, Hyperprior
from skpostbac.stats._borrowing.states import States
from skpostbac.stats._numerics import matrix_product

Table = TypeVar("Table", Floats, Complexes)
# The states of one strength in a stratum and in the next: among all, in the tables of each of the
# two strata, and there those that both have.
Step = tuple[tuple[slice, slice], slice, slice, slice, slice]


@dataclass(frozen=True)
class Chain:
    """A chain over strata, each of which has some of the states.

    Attributes
    ----------
    start : prior mass of each state, shape (n,).
    samples : chance of each number of virtual samples in a state, shape (N + 1, n).
    entries : chance to move to a state given that number, and last to start anew there,
        shape (n, N + 2).
    stay : chance to stay.
    spans : for each stratum, where its states are among all of each strength.
    """

    start: Floats
    samples: Floats
    entries: Floats
    stay: float
    spans: tuple[tuple[slice, ...], ...]

    @classmethod
    def of(cls, states: States, n_strata: int, hyperprior: Hyperprior) -> "Chain":
        """Give all states to each stratum."""
        start, m, x = np.exp(states.log_prior), hyperprior.rate, np.arange(VIRTUAL + 1.0)
        log_mu, log_nu = np.log(states.mu), np.log(states.nu)
        powers = np.multiply.outer(x, log_mu) + np.multiply.outer(VIRTUAL - x, log_nu)
        choices = gammaln(VIRTUAL + 1) - gammaln(x + 1) - gammaln(VIRTUAL - x + 1)
        samples = np.exp(choices[:, np.newaxis] + powers)
        # B(m, m) / B(m + x, m + N - x), over the choices
        rise = gammaln(2 * m + VIRTUAL) - gammaln(2 * m) + 2 * gammaln(m)
        factor = np.exp(rise - gammaln(m + x) - gammaln(m + VIRTUAL - x) - choices)
        bounds = np.searchsorted(states.row, np.arange(states.row.max(initial=-1) + 2)).tolist()
        # A strength's share of the prior mass is no part of a move.
        rates = (hyperprior.move * len(hyperprior.kappa) * factor) * (samples * start).T
        return cls(
            start=start,
            samples=samples,
            entries=np.concatenate([rates, hyperprior.anew * start[:, np.newaxis]], axis=1),
            stay=hyperprior.stay,
            spans=(tuple(slice(a, b) for a, b in pairwise(bounds)),) * n_strata,
        )

    def where(self, kept: Sequence[Bools]) -> tuple["Chain", list[Bools]]:
        """Return the chain over some states of each stratum and those between them, and mark these.

        What is between is told for each strength.
        """
        if all(flags.all() for flags in kept):
            return self, list(kept)
        spans, marked = [], []
        for flags, some in zip(kept, self.spans, strict=True):
            hull, shorter = np.zeros_like(flags), []
            for span, place in zip(some, _places(some), strict=True):
                inside = np.flatnonzero(flags[place])
                a, b = (int(inside[0]), int(inside[-1]) + 1) if inside.size else (0, 0)
                hull[place.start + a : place.start + b] = True
                shorter.append(slice(span.start + a, span.start + b))
            spans.append(tuple(shorter))
            marked.append(hull)
        return replace(self, spans=tuple(spans)), marked

    def size(self, number: int) -> int:
        """Return how many states a stratum has."""
        return sum(one.stop - one.start for one in self.spans[number])

    def first(self) -> Floats:
        """Return the prior mass of the states of the first stratum."""
        return np.concatenate([self.start[one] for one in self.spans[0]])

    def forward(self, number: int, table: Table) -> Table:
        """Take sums over paths to the states of a stratum, (n, ...), to those of the next."""
        if np.iscomplexobj(table):
            # Pairs of reals are multiplied faster.
            pairs = np.ascontiguousarray(table).view(float)
            return np.asarray(self.forward(number, pairs).view(complex))
        real: Floats = np.asarray(table, dtype=float)
        sums = np.empty((self.size(number + 1), *real.shape[1:]))
        anew = real.sum(axis=0)[np.newaxis]
        for one, first, last, here, there in self.steps[number]:
            passed = np.concatenate([matrix_product(self.samples[:, one[0]], real[first]), anew])
            matrix_product(self.entries[one[1]], passed, out=sums[last])
            sums[there] += self.stay * real[here]
        return sums

    def backward(self, number: int, table: Floats) -> Floats:
        """Take sums over paths from the states after a stratum, shape (n,), to those of it."""
        sums, anew = np.empty(self.size(number)), 0.0
        for one, first, last, here, there in self.steps[number]:
            passed = table[last] @ self.entries[one[1]]
            anew += passed[-1]
            np.matmul(passed[:-1], self.samples[:, one[0]], out=sums[first])
            sums[here] += self.stay * table[there]
        return sums + anew

    @cached_property
    def steps(self) -> tuple[tuple[Step, ...], ...]:
        """Where the states of each strength are in each stratum and the next, and those of both."""
        places = [_places(spans) for spans in self.spans]
        found = []
        for spans, both in zip(pairwise(self.spans), pairwise(places), strict=True):
            step = []
            for a, b, first, last in zip(*spans, *both, strict=True):
                low = max(a.start, b.start)
                high = max(min(a.stop, b.stop), low)
                here = slice(first.start + low - a.start, first.start + high - a.start)
                there = slice(last.start + low - b.start, last.start + high - b.start)
                step.append(((a, b), first, last, here, there))
            found.append(tuple(step))
        return tuple(found)

    def total(self, factors: Iterable[Table]) -> Table:
        """Sum products of factors of the strata, (n_states, k) each, over all paths: shape (k,)."""
        rest = iter(factors)
        sums = self.first()[:, np.newaxis] * next(rest)
        for number, factor in enumerate(rest):
            sums = self.forward(number, sums)
            sums *= factor
        return np.asarray(sums.sum(axis=0))

    def paths(self, log_factors: Sequence[Floats]) -> tuple[list[Floats], list[Floats]]:
        """Sum products of factors of the strata over paths.

        Returns, for each stratum, the logs of the shares of the paths through its states, and the
        sums over what may follow each state, up to a factor.
        """
        sums: list[Floats] = []
        log_scales = []
        for number, logs in enumerate(log_factors):
            before = self.forward(number - 1, sums[-1]) if number else self.first()
            top = float(logs.max())
            reached = before * np.exp(logs - top)
            scale = float(reached.sum())
            sums.append(reached / scale)
            log_scales.append(top + float(np.log(scale)))
        after = [np.ones_like(sums[-1])]
        for number in range(len(log_factors) - 1, 0, -1):
            factor = np.exp(log_factors[number] - log_scales[number])
            after.append(self.backward(number - 1, factor * after[-1]))
        after.reverse()
        with np.errstate(divide="ignore"):
            return [np.log(a) + np.log(b) for a, b in zip(sums, after, strict=True)], after


def _places(spans: Sequence[slice]) -> list[slice]:
    """Where the states of each strength are among those of their stratum."""
    bounds = accumulate((one.stop - one.start for one in spans), initial=0)
    return [slice(a, b) for a, b in pairwise(bounds)]
