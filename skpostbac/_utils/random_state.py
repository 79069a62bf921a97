"""The `random_state` of scikit-learn's signatures, as a seed."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from skpostbac._utils.validation import check_integer, is_integer, shown

# Draws that fill eight gigabytes as numbers.
_MOST_DRAWS = 10**9

RandomStateLike: TypeAlias = int | np.random.RandomState | np.random.Generator | None

# One more than the largest seed of a RandomState.
_SEEDS = 2**32


def check_n_draws(n_draws: object, least: int) -> int:
    """Return a number of draws, which must be an integer, at least so many and at most 1e9."""
    return check_integer(n_draws, "n_draws", least, _MOST_DRAWS)


def draw_seed(random_state: RandomStateLike) -> int:
    """Return a seed: of fresh entropy for None, never of the global state.

    Raises
    ------
    ValueError
        If `random_state` is neither None, an integer of at least 0 and below 2**32, a
        `RandomState` nor a `Generator`.
    """
    if random_state is None:
        random_state = np.random.default_rng()
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if not isinstance(random_state, np.random.RandomState):
        random_state = np.random.RandomState(_check_seed(random_state))
    return int(random_state.randint(2**31 - 1))


def _check_seed(random_state: object) -> int:
    if not is_integer(random_state) or not 0 <= random_state < _SEEDS:
        raise ValueError(
            "random_state must be None, an integer of at least 0 and below 2**32, or a "
            f"RandomState or Generator of NumPy, got {shown(random_state)}"
        )
    return int(random_state)
