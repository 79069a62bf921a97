r"""The smallest of several independent variables, and the distance of the largest from it.

With the distribution functions F_i on common panels (`order_statistics`),

    P(min <= x) = 1 - \prod_i (1 - F_i(x)),
    P(max - min <= d) = \sum_i \int \prod_{j \ne i} (F_j(x + d) - F_j(x)) dF_i(x):

variable i is the smallest, and all others are within d above it. For each d the panels are cut
where x or x + d is at the end of one: between the cuts F_i(x) and F_j(x + d) are both polynomials,
also where a distribution function rises like a root. The distribution function of the range is
itself resolved on panels, by halving.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.polynomial import legendre

from skpostbac._utils import Floats
from skpostbac.stats._several.order_statistics import (
    NODES,
    STIFFNESS,
    TO_LEGENDRE,
    Distribution,
    JointPanels,
    resolve_jointly,
)
from skpostbac.stats._several.panel_distribution import PanelDistribution
from skpostbac.stats._several.panels import resolve

# First panels of the range.
_FIRST = 4


def smallest(distributions: Sequence[Distribution]) -> PanelDistribution:
    """Return the distribution of the smallest of independent variables."""
    panels = resolve_jointly(distributions)
    ccdf = np.prod(panels.ccdf, axis=-1)
    with np.errstate(divide="ignore"):
        cdf = -np.expm1(np.log1p(-panels.cdf).sum(axis=-1))
    return PanelDistribution(panels.edges, cdf, ccdf)


def largest_distance(distributions: Sequence[Distribution]) -> PanelDistribution:
    """Return the distribution of the largest less the smallest of independent variables."""
    panels = resolve_jointly(distributions)
    reach = float(panels.edges[-1, 1] - panels.edges[0, 0])
    sd = max(distribution.standard_deviation() for distribution in distributions)
    means = [distribution._frame.mean for distribution in distributions]
    far = min(reach, max(means) - min(means) + 8 * sd)
    edges = np.unique([*np.linspace(0.0, far, _FIRST + 1), reach])
    return resolve(lambda d: _range_cdf(panels, d), edges)


def _range_cdf(panels: JointPanels, d: Floats) -> Floats:
    """Return P(max - min <= d)."""
    series = np.einsum("kn,pnt->pkt", TO_LEGENDRE, panels.cdf)
    ends = np.append(panels.edges[:, 0], panels.edges[-1, 1])
    shifted = np.clip(ends - d[:, np.newaxis], ends[0], ends[-1])
    cuts = np.sort(np.hstack([np.broadcast_to(ends, shifted.shape), shifted]), axis=1)
    middle, half = (cuts[:, 1:] + cuts[:, :-1]) / 2, np.diff(cuts, axis=1) / 2
    x = middle[..., np.newaxis] + half[..., np.newaxis] * NODES
    # The panel of a piece is that of its middle: its ends belong to neighbours, too.
    here = _interpolate(panels.edges, series, middle, x)
    there = _interpolate(
        panels.edges, series, middle + d[:, np.newaxis], x + d[:, np.newaxis, np.newaxis]
    )
    within = np.maximum(there - here, 0.0)
    return np.asarray(
        np.einsum("dpkt,kn,dpnt->d", _products_of_others(within), STIFFNESS, here, optimize=True)
    )


def _interpolate(edges: Floats, series: Floats, middle: Floats, x: Floats) -> Floats:
    """Sum the Legendre series of all functions at points of the panel at `middle`, (..., n, T)."""
    panel = np.clip(np.searchsorted(edges[:, 1], middle), 0, len(edges) - 1)
    low, high = (edges[panel][..., i, np.newaxis] for i in (0, 1))
    u = np.clip((2 * x - low - high) / (high - low), -1.0, 1.0)
    return np.asarray(legendre.legvander(u, NODES.size - 1) @ series[panel])


def _products_of_others(values: Floats) -> Floats:
    """Return, for each entry of the last axis, the product of all others, without a division."""
    ones = np.ones_like(values[..., :1])
    before = np.cumprod(np.concatenate([ones, values[..., :-1]], axis=-1), axis=-1)
    after = np.cumprod(np.concatenate([ones, values[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return np.asarray(before * after)
