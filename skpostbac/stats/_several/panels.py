"""Panels that resolve a distribution function, by halving."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._several.order_statistics import LAST_COEFFICIENTS, NODES, halves
from skpostbac.stats._several.panel_distribution import PanelDistribution

# The last Legendre coefficients of a panel that is resolved are below this; so many panels at most.
_TOLERANCE, _MOST = 1e-9, 64


def resolve(
    cdf: Callable[[Floats], Floats],
    edges: Floats,
    *,
    tolerance: float = _TOLERANCE,
    most: int = _MOST,
) -> PanelDistribution:
    """Return the distribution of a distribution function, given ascending first edges."""
    fresh = np.column_stack([edges[:-1], edges[1:]])
    done: list[tuple[Floats, Floats]] = []
    count = len(fresh)
    while len(fresh):
        x = fresh.mean(axis=1)[:, np.newaxis] + np.diff(fresh, axis=1) / 2 * NODES
        values = cdf(x.ravel()).reshape(x.shape)
        residue = np.abs(values @ LAST_COEFFICIENTS.T).max(axis=1)
        split = (residue > tolerance) & (count < most)
        done.append((fresh[~split], values[~split]))
        fresh = halves(fresh[split])
        count += len(fresh) // 2
    found, values = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(found[:, 0])
    values = np.clip(values[order], 0.0, 1.0)
    return PanelDistribution(found[order], values, 1 - values)
