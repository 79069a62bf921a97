"""Systematic draws of the paths of the states that classes share.

The n_h draws in one state of a stratum are distributed over the possible next states by systematic
sampling: draw k has the quantile (k + u) / n_h, with one uniform number u for all. The number of
draws with a given transition then differs from its expectation by less than one. Quantiles are
assigned to draws at random, independently of their earlier path.

A step has two parts: first whether the state stays, is drawn anew, or moves with a given virtual
sample; then the next state.
"""

from collections.abc import Iterator

import numpy as np

from skpostbac._utils import Floats, Indices
from skpostbac.stats._pairs.shares import Shares, Step


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
