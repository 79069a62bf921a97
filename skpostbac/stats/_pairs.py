r"""Paired differences under a hierarchical prior: `HierarchicalPairedDifference`.

The model has two shares of the samples of each class: how often the classifiers differ, and which
of them is then right. Imports `_borrowing` and `_distribution`, and `_dirichlet` for a check.

**Moments and draws of the weighted sum.** In class i, exactly one classifier is right on a share
d_i of the samples, and it is B on a share s_i of these: the rates of disagreement and of wins of B.
The sum is delta = sum_i w_i d_i e_i with the balance e_i = 2 s_i - 1. The rates d and s are
independent given the counts, and so are the states of their strata. Let C = B + W be the
covariances of the d (or e) of two classes, with B the covariance of their means given the states,
and W the variance within a class. Then

    Cov(d_i e_i, d_j e_j) = C_ij^d C_ij^e + C_ij^d E[e_i] E[e_j] + E[d_i] E[d_j] C_ij^e.

The data of the share p_i of class i are k_i of n_i samples, and the classes have the prior of a
`Hyperprior`. Given the states eta_1, ..., eta_S of the strata, the rates are independent, and each
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

The sum of many classes is drawn at once, by its first five cumulants given the states. With the
means mu and nu, and the central moments u_k of d and v_k of e, the central moments of d e are

    m_k = sum over a + b + c = k of k! / (a! b! c!) mu^a nu^b u_(b + c) v_(a + c),

by the expansion of (mu v + nu u + u v)^k, and the cumulants mu nu, m_2, m_3, m_4 - 3 m_2^2 and
m_5 - 10 m_3 m_2. All are sums of products of a function of the state of d and one of the state of
e: their sums over classes are matrix products, for all pairs of states at once. Neighbouring states
are taken together.

The sum of the classes is gains and losses, few of them if the classifiers mostly agree, so that it
is far from normal. With its standardised cumulants g, h and f, those of the orders three to five,
it is drawn

- as two centred Gamma variables, with shares p of the variance and scales T of either sign, if
  h >= 3 g^2 / 2. The cumulants of those are (r - 1)! sum p T^(r - 2), so that T has the moments
  t_1 = g / 2, t_2 = h / 6 and t_3 = f / 24 with the weights p: a Gaussian rule of two points,
  T = t_1 + s x with s^2 = t_2 - t_1^2, c = (t_3 - 3 t_1 t_2 + 2 t_1^3) / s^3,
  x = (c +- sqrt(c^2 + 4)) / 2 and p = 1 / (1 + x^2);
- as a Beta variable, moved and stretched, if h < 3 g^2 / 2: Pearson's type I (Johnson, Kotz and
  Balakrishnan, Continuous Univariate Distributions 2, 1995, ch. 25), with the parameters a and b of
  r = a + b = 6 (h + 2 - g^2) / (3 g^2 - 2 h) and a, b = r / 2 (1 -+ (r + 2) g / q), where
  q = sqrt((r + 2)^2 g^2 + 16 (r + 1)).

An outlier class may be far from the common rate of the others. Usually few or none of many classes
are outliers, so their sum is far from a smooth distribution with the same cumulants. Rare outliers
are therefore drawn individually; their number is Poisson with the expected number of the state. The
same class may be drawn twice, with a probability of second order.

**The distribution.** Mean and variance are finite sums over the states of the classes. All other
results come from seeded draws. The states are drawn by systematic sampling. If there are many
classes, those with the largest variance are drawn individually; the sum of the others is drawn from
its cumulants given the states, except for rare outliers. The draws are then shifted and scaled to
the exact mean and variance, which removes most of the error of probabilities.

Compared with individual draws of all of 100 classes, from the same states, probabilities from .001
to .999 differed by less than .001, for classifiers that agree on all samples, on none, or on all
but one or two.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Bools, Floats, Indices, check_integer, check_seed
from skpostbac.stats._borrowing import (
    LARGEST_COUNT,
    Chain,
    EqualClasses,
    Hyperprior,
    Pool,
    Stratum,
    resolve_hyperprior,
    stratum_numbers,
)
from skpostbac.stats._dirichlet import pair_counts
from skpostbac.stats._distribution import DrawnDistribution, Interval, SortedDraws
from skpostbac.stats._numerics import sum_weights

# States of a stratum that are less likely than this beside the likeliest are left out. With 1e-14,
# means and variances of 10 and 100 classes move by up to 2e-9 of themselves.
_LEAST = 1e-11
# Groups of states of a stratum, but for those at the ends of the strengths.
_GROUPS = 400
# Rows whose classes are outliers with no more than this probability, over all states.
_RARE = 0.2
# A Gamma variable of a smaller scale, in standard deviations, is as good as normal; so is a Beta
# variable of larger parameters. A point of a rule with less than 1e-6 of the variance is no matter.
_LEAST_SCALE, _MOST_SAMPLES, _MOST_LEAN = 1e-5, 1e8, 1e3


@dataclass(frozen=True)
class PairedShares:
    """The rates d and s of classes, with one row for all that have equal counts and weights.

    Attributes
    ----------
    discordant, wins : posteriors of the rates d and s.
    is_symmetric : whether either classifier alone is right as often as the other in every class;
        delta is then distributed about zero like minus delta.
    weights : weight of a class of each row, shape (n_rows,).
    count : number of classes of the row.
    """

    discordant: "RatePosterior"
    wins: "RatePosterior"
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
        # Rows are sorted by their samples, and so by their strata.
        bounds = np.searchsorted(stratum, np.arange(stratum.max() + 2)).tolist()
        places = tuple(slice(a, b) for a, b in pairwise(bounds))
        differ = only_a + only_b
        return cls(
            RatePosterior.of(differ, total, count, places, hyperprior),
            RatePosterior.of(only_b, differ, count, places, hyperprior),
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
        of_d, of_e = d.between, 4 * self.wins.between
        both = of_d * (of_e + np.outer(e, e)) + of_e * np.outer(d.means, d.means)
        sums = self.count * self.weights
        # The product of the covariances between classes, and of what a class has alone.
        shared = np.diag(of_d) * (np.diag(of_e) + e**2) + np.diag(of_e) * d.means**2
        return float(sums @ both @ sums + (self.count * self.weights**2) @ (self._own - shared))

    @cached_property
    def _balance(self) -> Floats:
        """Mean of e."""
        return 2 * self.wins.means - 1

    @cached_property
    def _own(self) -> Floats:
        """Variance of d e, of each row."""
        d, e = self.discordant, self._balance
        of_d = np.diag(d.between) + d.within
        of_e = 4 * (np.diag(self.wins.between) + self.wins.within)
        return np.asarray(of_d * (of_e + e**2) + of_e * d.means**2)

    def largest(self, number: int) -> Indices:
        """Count, for each row, the classes among the `number` of the largest variance."""
        order = np.argsort(-self._own * self.weights**2, kind="stable")
        before = np.cumsum(self.count[order]) - self.count[order]
        drawn = np.empty(order.size, dtype=np.intp)
        drawn[order] = np.clip(number - before, 0, self.count[order])
        return drawn

    def draw(self, size: int, drawn: Indices, rng: np.random.Generator) -> Floats:
        """Draw delta: `drawn` classes of each row themselves, the others by their cumulants."""
        total, rest = np.zeros(size), np.zeros((5, size))
        d, s = self.discordant, self.wins
        paths = zip(draw_paths(d, size, rng), draw_paths(s, size, rng), strict=True)
        for number, states in enumerate(paths):
            at = d.places[number]
            weights = self.weights[at]
            strata = d.strata[number], s.strata[number]
            for row in np.repeat(np.arange(weights.size), drawn[at]).tolist():
                share = strata[0].draw_rates(row, states[0], rng)
                balance = 2 * strata[1].draw_rates(row, states[1], rng) - 1
                total += weights[row] * share * balance
            left = self.count[at] - drawn[at]
            if not left.any():
                continue
            groups = tuple(Groups.of(x.chances[number], x.strata[number]) for x in (d, s))
            here = groups[0].of_state[states[0]], groups[1].of_state[states[1]]
            tables = cumulant_tables(*strata, groups, weights, left)
            rest += np.stack([table[here] for table in tables])
            # What rare outliers of either rate add to that
            pure = [without_rare(one) for one in strata]
            for place, one in enumerate(strata):
                # Their number is Poisson, and the row of each is in proportion.
                expected = np.where(is_rare(one), one.outlier, 0.0) * left
                sums = np.cumsum(expected, axis=1)
                number_of = sums[states[place], -1]
                draw = np.repeat(np.arange(size), rng.poisson(number_of))
                own = states[place][draw]
                # One search in the sums of all states, those of each beyond those before
                starts = (sums.max() + 1) * np.arange(len(sums))
                level = rng.random(draw.size) * number_of[draw] + starts[own]
                found = np.searchsorted((sums + starts[:, np.newaxis]).ravel(), level)
                rows = np.minimum(found - own * weights.size, weights.size - 1)
                pairs = [(part, state[draw]) for part, state in zip(pure, states, strict=True)]
                rates = [part.draw_rates(rows, state, rng) for part, state in pairs]
                rates[place] = rng.beta(one.outlier_a[rows], one.outlier_b[rows])
                share, wins = (part.rates[0][state, rows] for part, state in pairs)
                gains = rates[0] * (2 * rates[1] - 1) - share * (2 * wins - 1)
                total += np.bincount(draw, weights[rows] * gains, minlength=size)
        if rest[1].any():
            total += draw_of_cumulants(rest, rng)
        return total


@dataclass(frozen=True)
class RatePosterior:
    """Posterior of the rates of classes, given counts.

    Attributes
    ----------
    places : where the rows of each stratum are among all, smallest classes first.
    strata : the rows of each stratum in each of its states.
    start : chances of the states of the first stratum, shape (n_states,).
    steps : from each stratum to the next.
    """

    places: tuple[slice, ...]
    strata: tuple[Stratum, ...]
    start: Floats
    steps: tuple["Step", ...]

    @classmethod
    def of(
        cls,
        right: Floats,
        total: Floats,
        count: Floats,
        places: tuple[slice, ...],
        hyperprior: Hyperprior,
    ) -> "RatePosterior":
        """Take rows of `count` classes, each with `right` of `total` samples."""
        classes = EqualClasses(right, total, np.ones_like(total), count)
        pool = Pool.of(classes, hyperprior, [classes[at] for at in places])
        likely = [one.log_weights > one.log_weights.max() + np.log(_LEAST) for one in pool.strata]
        pool = pool.where(likely)
        logs = [one.log_likelihood for one in pool.strata]
        log_weights, after = pool.chain.paths(logs)
        steps = []
        for number, (log, follows) in enumerate(zip(logs[1:], after[1:], strict=True)):
            gain = np.exp(log - log.max()) * follows
            steps.append(Step(pool.chain, number, gain, pool.chain.backward(number, gain)))
        start = np.exp(log_weights[0])
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
        """Mean of each row, shape (n_rows,)."""
        parts = zip(self.chances, self.strata, strict=True)
        return np.concatenate([p @ one.rates[0] for p, one in parts])

    @cached_property
    def within(self) -> Floats:
        """Expected variance of each row given the states, shape (n_rows,)."""
        parts = zip(self.chances, self.strata, strict=True)
        return np.concatenate([p @ one.central_moments(2)[0] for p, one in parts])

    @cached_property
    def between(self) -> Floats:
        """Covariances of the means given the states, shape (n_rows, n_rows)."""
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
                covariances[there, here], covariances[here, there] = block, block.T
        return covariances


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

    def forward(self, table: Floats) -> Floats:
        """Take weights of the states of one stratum, shape (n_states, n), to the next."""
        carried = self.chain.forward(self.number, table / self.norm[:, np.newaxis])
        return self.gain[:, np.newaxis] * carried


@dataclass(frozen=True)
class Groups:
    """Groups of neighbouring states of one strength, each as good as one for many classes.

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
        differs = (np.diff(part) > 0) | (np.diff(stratum.borrowed.kappa) != 0)
        of_state = np.append(0, np.cumsum(differs))
        return cls(of_state, np.append(0, np.flatnonzero(differs) + 1), chances)

    def averages(self, values: Floats) -> Floats:
        """Average values of the states, shape (n_states, n), over each group."""
        sums = np.add.reduceat(self.chances[:, np.newaxis] * values, self.first, axis=0)
        return np.asarray(sums / np.add.reduceat(self.chances, self.first)[:, np.newaxis])


def draw_paths(posterior: RatePosterior, size: int, rng: np.random.Generator) -> Iterator[Indices]:
    """Yield the states of `size` draws, stratum by stratum."""
    state = _spread(posterior.start[:, np.newaxis], np.zeros(size, dtype=np.intp), rng)
    yield state
    for step in posterior.steps:
        chain, parts = step.chain, step.chain.steps[step.number]
        n_moves, same = len(chain.samples), np.zeros(step.norm.size, dtype=np.intp)
        # The ways are to start anew, to move by each virtual sample of each strength, and to stay.
        # Chances of each way (rows) from each state, and of the next states by each way (columns),
        # the latter up to a factor of the column.
        ways = np.zeros((n_moves * len(parts) + 2, step.norm.size))
        leads = np.zeros((step.gain.size, n_moves * len(parts) + 1))
        for number, ((a, b), first, last, here, there) in enumerate(parts):
            moves = slice(1 + number * n_moves, 1 + (number + 1) * n_moves)
            ways[moves, first] = chain.samples[:, a]
            ways[-1, here] = chain.stay * step.gain[there]
            leads[last, moves], leads[last, 0] = chain.entries[b, :-1], chain.entries[b, -1]
            same[here] = np.arange(there.start, there.stop)
        leads *= step.gain[:, np.newaxis]
        ways[0] = 1.0
        ways[:-1] *= leads.sum(axis=0)[:, np.newaxis]
        found, way = same[state], _spread(ways, state, rng)
        leaves = way < leads.shape[1]
        found[leaves] = _spread(leads, way[leaves], rng)
        state = found
        yield state


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


def cumulant_tables(
    discordant: Stratum, wins: Stratum, groups: Sequence[Groups], weights: Floats, count: Floats
) -> list[Floats]:
    """Cumulants 1 to 5 of the sum of `count` classes of each row, in pairs of groups of states.

    The tables have shape (n_discordant_groups, n_win_groups), and the weights (n_rows,).
    """
    of_d, of_e = groups
    # The expected share of the classes that are no outliers, or may be.
    left = [1 - np.where(is_rare(one), one.outlier, 0.0) for one in (discordant, wins)]
    tables = []
    # Factors whose products add up to the cumulants of each row, shape (n_states, n_rows)
    pure_d, pure_e = without_rare(discordant), without_rare(wins)
    mu, (u2, u3, u4, u5) = pure_d.rates[0], pure_d.central_moments(5)
    nu = pure_e.rates[0] - pure_e.rates[1]
    v2, v3, v4, v5 = (2**k * v for k, v in enumerate(pure_e.central_moments(5), 2))
    # Raw moments of e, and a part of its third moments.
    e2, e3 = nu**2 + v2, nu**3 + 3 * nu * v2 + v3
    e4 = nu**4 + 6 * nu**2 * v2 + 4 * nu * v3 + v4
    e5 = nu**5 + 10 * nu**3 * v2 + 10 * nu**2 * v3 + 5 * nu * v4 + v5
    q = 6 * nu * v2 + 3 * v3
    factors = [
        [(mu, nu)],
        [(mu**2, v2), (u2, e2)],
        [(mu**3, v3), (mu * u2, q), (u3, e3)],
        [
            (mu**4, v4 - 3 * v2**2),
            (mu**2 * u2, 6 * (nu**2 * v2 + 2 * nu * v3 + v4 - v2 * e2)),
            (mu * u3, 12 * nu**2 * v2 + 12 * nu * v3 + 4 * v4),
            (u4, e4),
            (-3 * u2**2, e2**2),
        ],
        [
            (mu**5, v5 - 10 * v3 * v2),
            (mu**3 * u2, 10 * (nu**2 * v3 + 2 * nu * v4 + v5 - v3 * e2 - q * v2)),
            (mu**2 * u3, 10 * (nu**3 * v2 + 3 * nu**2 * v3 + 3 * nu * v4 + v5 - e3 * v2)),
            (mu * u4, 20 * nu**3 * v2 + 30 * nu**2 * v3 + 20 * nu * v4 + 5 * v5),
            (u5, e5),
            (-10 * mu * u2**2, q * e2),
            (-10 * u2 * u3, e3 * e2),
        ],
    ]
    for k, pairs in enumerate(factors, 1):
        scale = count * weights**k
        of_pair = pairs if k == 1 else [(f * left[0], g * left[1]) for f, g in pairs]
        products = ((scale * of_d.averages(f)) @ of_e.averages(g).T for f, g in of_pair)
        tables.append(reduce(np.add, products))
    return tables


def draw_of_cumulants(cumulants: Floats, rng: np.random.Generator) -> Floats:
    """Draw one value for each column of cumulants 1 to 5, shape (5, n)."""
    mean, second = cumulants[:2]
    scale = np.sqrt(np.maximum(second, 0.0))
    # Without a variance the value is the mean.
    divisor = np.where(scale > 0, scale, 1.0)
    standardised = cumulants[2:] / divisor ** np.arange(3, 6)[:, np.newaxis]
    bounded = standardised[1] < 1.5 * standardised[0] ** 2
    skewness, kurtosis = standardised[:2, bounded]
    size = 6 * (kurtosis + 2 - skewness**2) / (3 * skewness**2 - 2 * kurtosis)
    size = np.minimum(size, _MOST_SAMPLES)
    lean = (size + 2) * skewness
    lean /= np.sqrt(lean**2 + 16 * (size + 1))
    p, q = (1 - lean) / 2, (1 + lean) / 2
    values = np.zeros_like(mean)
    values[bounded] = (rng.beta(size * p, size * q) - p) * np.sqrt((size + 1) / (p * q))
    t1, t2, t3 = standardised[:, ~bounded] / np.array([[2], [6], [24]])
    spread = np.maximum(np.sqrt(t2 - t1**2), _LEAST_SCALE)
    lean = np.clip((t3 - 3 * t1 * t2 + 2 * t1**3) / spread**3, -_MOST_LEAN, _MOST_LEAN)
    for sign in (-1, 1):
        x = 0.5 * (lean + sign * np.sqrt(lean**2 + 4))
        side = t1 + spread * x
        side = np.where(np.abs(side) < _LEAST_SCALE, _LEAST_SCALE, side)
        shape = 1 / (1 + x**2) / side**2
        values[~bounded] += side * (rng.standard_gamma(shape) - shape)
    return np.asarray(mean + scale * values)


def is_rare(stratum: Stratum) -> Bools:
    """Return which rows are rarely outliers."""
    return np.asarray(np.exp(stratum.log_weights) @ stratum.outlier < _RARE)


def without_rare(stratum: Stratum) -> Stratum:
    """Return a stratum of whose rare rows no class is an outlier."""
    log_borrower = np.where(is_rare(stratum), np.inf, stratum.log_borrower)
    return replace(stratum, log_borrower=log_borrower)


N_DRAWS = 200_000


class HierarchicalPairedDifference(SortedDraws):
    r"""Distribution of :math:`\sum_i w_i (\theta_i^B - \theta_i^A)` with pooled classes.

    :math:`\theta_i^A` and :math:`\theta_i^B` are the recalls of the classifiers A and B on class i.
    Exactly one of them is right on a share :math:`d_i` of the samples, and among these it is B on a
    share :math:`s_i`:

    .. math::

        \theta_i^B - \theta_i^A = d_i (2 s_i - 1).

    Both shares have independent priors given by a `Hyperprior`: classes of similar size share how
    often the classifiers differ and which of them is then right, and both may change with class
    size. Positive values favour B.

    The mean and the variance are exact. All other results come from random draws with a fixed seed,
    so that they are reproducible. :meth:`cdf_error` and :meth:`interval_error` return their errors.

    Parameters
    ----------
    counts : array_like of shape (l, 4)
        Numbers of samples of each class that both classifiers, only A, only B, and neither got
        right, with a sum of at most 1e15. Finite and non-negative; need not be integers.
    weights : array_like of shape (l,), optional
        Weights of any sign, finite and not all zero. The default is 1 / l each.
    hyperprior : Hyperprior, optional
        Prior of the shares of the classes.
    n_draws : int, default=200_000
        Number of draws, from 2 to 1e7. With the default, a probability of 1/2 has a standard error
        of about 0.0008, and a probability of 0.05 or 0.95 one of about 0.0004.
    seed : int, default=0
        Seed of the draws, non-negative.

    Raises
    ------
    ValueError
        If an argument is out of range or the shapes do not agree.
    TypeError
        If `hyperprior` is not a `Hyperprior`, or `n_draws` or `seed` is not an integer.

    See Also
    --------
    PairedDifference : Exact distribution for independent classes.
    HierarchicalBetaAverage : Distribution of one balanced accuracy.

    Notes
    -----
    With independent classes, a Dirichlet prior adds pseudocounts to "only A" and "only B" in every
    class. The resulting shift does not average out over many classes (see [1]_ on partial pooling).
    Under a Dirichlet distribution, :math:`d_i` and :math:`s_i` are independent Beta variables. This
    prior keeps their independence and shares information between classes.

    The mean differs slightly from the difference of the means of two `HierarchicalBetaAverage`,
    which pool recalls rather than differences.

    References
    ----------
    .. [1] A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari and D. B. Rubin, Bayesian
       Data Analysis, 3rd ed., 2013, ch. 5.

    Examples
    --------
    Thirty classes of ten samples. In each, only B is right on two samples, and only A on one.
    Independent priors shrink the difference of 0.1 towards zero in each class.

    >>> from skpostbac.stats import HierarchicalPairedDifference, PairedDifference
    >>> counts = [[5, 1, 2, 2]] * 30
    >>> distribution = HierarchicalPairedDifference(counts)
    >>> round(distribution.mean(), 3), round(PairedDifference(counts).mean(), 3)
    (0.098, 0.083)
    >>> low, high = distribution.interval(0.95)
    >>> round(low, 2), round(high, 2)
    (0.04, 0.16)
    """

    counts: Floats
    """Numbers of samples (both right, only A, only B, neither), read-only, shape (l, 4)."""
    weights: Floats
    """Weights of the classes, read-only, shape (l,)."""
    hyperprior: Hyperprior
    """Prior of what the classes have in common."""
    n_draws: int
    """Number of draws."""
    seed: int
    """Seed of the draws."""

    def __init__(
        self,
        counts: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        hyperprior: Hyperprior | None = None,
        n_draws: int = N_DRAWS,
        seed: int = 0,
    ) -> None:
        self.counts = pair_counts(counts)
        if (self.counts.sum(axis=1) > LARGEST_COUNT).any():
            raise ValueError(f"counts must add up to at most {LARGEST_COUNT:g} in each class.")
        self.weights = sum_weights(weights, len(self.counts))
        self.hyperprior = resolve_hyperprior(hyperprior)
        self.n_draws = check_integer(n_draws, "n_draws", 2, 10**7)
        self.seed = check_seed(seed, "seed")

    @property
    def draws(self) -> Floats:  # type: ignore[override]
        """The draws, sorted and read-only, shape (n_draws,)."""
        return self._drawn.draws

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of classes."""
        mean, sd, size = self.mean(), self.standard_deviation(), len(self.counts)
        return f"HierarchicalPairedDifference(mean={mean:.4g}, sd={sd:.4g}, n_classes={size})"

    def __neg__(self) -> "HierarchicalPairedDifference":
        """Return the distribution of the negated variable, with negated draws."""
        mirrored = HierarchicalPairedDifference(
            self.counts,
            weights=-self.weights,
            hyperprior=self.hyperprior,
            n_draws=self.n_draws,
            seed=self.seed,
        )
        vars(mirrored)["_drawn"] = -self._drawn
        return mirrored

    def support(self) -> Interval:
        """Return the support: the smallest and the largest possible value."""
        high = float(np.abs(self.weights).sum())
        return Interval(-high, high)

    def mean(self) -> float:
        """Return the mean, in closed form."""
        return self._sign * self._model.mean()

    def variance(self) -> float:
        """Return the variance, in closed form."""
        return self._model.variance()

    def hdi(self, level: float = 0.95) -> Interval:
        """Return the shortest interval that contains a share `level` of the draws.

        For classifiers that are right equally often it is the central interval, as the distribution
        of the difference is then symmetric about zero and unimodal.
        """
        return self.interval(level) if self._model.is_symmetric else super().hdi(level)

    def cdf_error(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the approximate standard error of `cdf` and `ccdf` at `x`.

        This is the standard error of independent draws, sqrt(p (1 - p) / n), with one draw added on
        each side, so that it is positive for p = 0 and p = 1. The measured spread over seeds was
        mostly 0.5 to 0.9 times this value, thanks to systematic sampling and the exact mean and
        variance, but 1.35 times at the 0.1 % quantile of two classes.

        Parameters
        ----------
        x : array_like
            Any shape.

        Returns
        -------
        error : float or ndarray of the shape of `x`

        Examples
        --------
        >>> from skpostbac.stats import HierarchicalPairedDifference
        >>> distribution = HierarchicalPairedDifference([[30, 4, 7, 3], [12, 2, 1, 5]])
        >>> print(f"{distribution.ccdf(0):.3f} {distribution.cdf_error(0):.4f}")
        0.602 0.0011
        """
        share = (self.n_draws * self.cdf(x) + 1) / (self.n_draws + 2)
        return np.sqrt(share * (1 - share) / self.n_draws)

    def interval_error(self, level: float = 0.95) -> Interval:
        """Return the approximate standard errors of both ends of the central interval.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval, in (0, 1).

        Returns
        -------
        low, high : float
        """
        return self._drawn.credible_interval_error(level, method="central")

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        size = int(np.prod(shape))
        if not size:
            return np.zeros(shape)
        model = self._model
        values = model.draw(size, model.count.astype(np.intp), rng)
        return np.asarray((self._sign * values).reshape(shape))

    @property
    def _sign(self) -> float:
        """Sign of the first weight; the model makes it positive, so that negation mirrors draws."""
        return float(np.sign(self.weights[np.flatnonzero(self.weights)[0]]))

    @cached_property
    def _model(self) -> PairedShares:
        both, only_a, only_b, neither = self.counts.T
        total = both + neither + (only_a + only_b)
        return PairedShares.of(total, only_a, only_b, self._sign * self.weights, self.hyperprior)

    @cached_property
    def _drawn(self) -> DrawnDistribution:
        model, rng = self._model, np.random.default_rng(self.seed)
        # So many classes are drawn individually.
        drawn = model.largest(20)
        if model.is_symmetric:
            half = model.draw((self.n_draws + 1) // 2, drawn, rng)
            draws = np.concatenate([half, -half])[: self.n_draws]
        else:
            draws = model.draw(self.n_draws, drawn, rng)
        scale = self.standard_deviation() / draws.std()
        mean, bound = self.mean(), self.support().high
        draws = mean + self._sign * scale * (draws - draws.mean())
        return DrawnDistribution(np.clip(draws, -bound, bound))
