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

from skpostbac._utils import Floats
from skpostbac.stats._numerics import matrix_product
from skpostbac.stats._several.order_statistics import (
    NODES,
    STIFFNESS,
    TO_LEGENDRE,
    Distribution,
    JointPanels,
    resolve_jointly,
)
from skpostbac.stats._several.panel_distribution import PanelDistribution, resolve

# First panels of the range.
_FIRST = 4
# Numbers in an array of a quarter of a megabyte, which stays near the processor: with all distances
# at once it took five times as long.
_BLOCK = 2**15


def smallest(distributions: Sequence[Distribution]) -> PanelDistribution:
    """Return the distribution of the smallest of independent variables."""
    panels = resolve_jointly(distributions, is_absolute=True)
    ccdf = np.prod(panels.ccdf, axis=-1)
    with np.errstate(divide="ignore"):
        cdf = -np.expm1(np.log1p(-panels.cdf).sum(axis=-1))
    return PanelDistribution(panels.edges, cdf, ccdf)


def largest_distance(distributions: Sequence[Distribution]) -> PanelDistribution:
    """Return the distribution of the largest less the smallest of independent variables."""
    panels = resolve_jointly(distributions, is_absolute=True)
    reach = float(panels.edges[-1, 1] - panels.edges[0, 0])
    sd = max(distribution.standard_deviation() for distribution in distributions)
    means = [distribution._frame.mean for distribution in distributions]
    far = min(reach, max(means) - min(means) + 8 * sd)
    edges = np.unique([*np.linspace(0.0, far, _FIRST + 1), reach])
    # Twice as many pieces as panels, at most.
    size = max(1, _BLOCK // (2 * panels.cdf.size))

    def cdf(d: Floats) -> Floats:
        blocks = (d[start : start + size] for start in range(0, d.size, size))
        return np.concatenate([_range_cdf(panels, block) for block in blocks])

    return resolve(cdf, edges)


def _range_cdf(panels: JointPanels, d: Floats) -> Floats:
    """Return P(max - min <= d)."""
    series = np.einsum("kn,pnt->ptk", TO_LEGENDRE, panels.cdf)
    ends = np.append(panels.edges[:, 0], panels.edges[-1, 1])
    shifted = np.clip(ends - d[:, np.newaxis], ends[0], ends[-1])
    cuts = np.sort(np.hstack([np.broadcast_to(ends, shifted.shape), shifted]), axis=1)
    # Of all pieces, those that have a length.
    row, piece = np.nonzero(np.diff(cuts, axis=1) > 0)
    low, high, shift = cuts[row, piece], cuts[row, piece + 1], d[row]
    middle, half = (low + high) / 2, (high - low) / 2
    x = middle[:, np.newaxis] + half[:, np.newaxis] * NODES
    # The panel of a piece is that of its middle: its ends belong to neighbours, too.
    here = _interpolate(panels.edges, series, middle, x)
    there = _interpolate(panels.edges, series, middle + shift, x + shift[:, np.newaxis])
    others = _products_of_others(np.maximum(there - here, 0.0))
    slopes = matrix_product(others.reshape(-1, NODES.size), STIFFNESS).reshape(others.shape)
    integrals = np.einsum("tqk,tqk->q", slopes, here)
    return np.asarray(np.bincount(row, integrals, len(d)), np.float64)


def _interpolate(edges: Floats, series: Floats, middle: Floats, x: Floats) -> Floats:
    """Sum the Legendre series of all functions at points of the panel at `middle`, (T, q, n)."""
    panel = np.clip(np.searchsorted(edges[:, 1], middle), 0, len(edges) - 1)
    order = np.argsort(panel, kind="stable")
    low, high = (edges[panel[order], i, np.newaxis] for i in (0, 1))
    u = np.clip((2 * x[order] - low - high) / (high - low), -1.0, 1.0)
    powers = _legendre(u.ravel(), series.shape[2])
    # All points of a panel together.
    stops = np.cumsum(np.bincount(panel, minlength=len(edges))) * x.shape[1]
    values = [
        matrix_product(one, powers[:, start:stop])
        for one, start, stop in zip(series, [0, *stops[:-1]], stops, strict=True)
    ]
    found = np.empty((series.shape[1], *x.shape))
    found[:, order] = np.concatenate(values, axis=1).reshape(found.shape)
    return found


def _legendre(u: Floats, count: int) -> Floats:
    """Return the first Legendre polynomials at points, shape (count, n).

    `legvander` has them in the other order, which is slow to multiply by.
    """
    values = np.empty((count, u.size))
    values[0], values[1] = 1.0, u
    for k in range(2, count):
        values[k] = ((2 * k - 1) * u * values[k - 1] - (k - 1) * values[k - 2]) / k
    return values


def _products_of_others(values: Floats) -> Floats:
    """Return, for each entry of the first axis, the product of all others, without a division."""
    products, running = np.empty_like(values), np.ones_like(values[0])
    for t in range(len(values)):
        products[t] = running
        running = running * values[t]
    running = np.ones_like(running)
    for t in reversed(range(len(values))):
        products[t] *= running
        running = running * values[t]
    return products
