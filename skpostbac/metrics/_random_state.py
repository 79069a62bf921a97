"""The `random_state` of scikit-learn's signatures, as a seed."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from skpostbac.metrics._labels import naming

RandomStateLike: TypeAlias = int | np.random.RandomState | np.random.Generator | None


def draw_seed(random_state: RandomStateLike) -> int:
    """Return a seed: of fresh entropy for None, never of the global state."""
    if random_state is None:
        random_state = np.random.default_rng()
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    with naming("random_state"):
        return int(check_random_state(random_state).randint(2**31 - 1))
