"""The contour for laws whose transform decays only algebraically.

Past some height on the line Re s = c the transform of a class splits exactly into its two ends,
and that of a sum into the corners of the cube of class accuracies: terms A(s) exp(s v), where v is
the value of the sum at the corner and A varies slowly. Each term then leaves the line on a
horizontal ray, to the right for x > v and to the left for x < v, and decays exponentially on it.

Classes of very different scales split at different heights. Where a corner still carries a mass of
narrow classes and x lies within it, the term stays on the line until those classes split in turn.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac.stats._contour import DEPTH, Branch, Contour, Waves
from skpostbac.stats._special import Complexes, Floats
from skpostbac.stats._tilted_beta import REACH
from skpostbac.stats._transform import Corner, Indices, TiltedSum

# Corners and nodes with amplitudes below this are left out.
_NEGLIGIBLE = 1e-18
# Gauss-Legendre panels carry this many radians of phase with 32 nodes to rounding.
_PANEL_NODES, _PANEL_WEIGHTS = np.polynomial.legendre.leggauss(32)
_PANEL_PHASE = 28.0
# Radians up to which one stretch of the line is cheaper than a further level of corners.
_PHASE_BUDGET = 800.0
# Exp-sinh nodes for the half lines on which the corners leave.
_RAY_START, _RAY_STOP = -3.9, 4.6


@dataclass(frozen=True)
class _Level:
    """Classes that are split together at one height, and those that stay whole above it."""

    height: float
    split: Indices
    rest: Indices


def _levels(law: TiltedSum) -> list[_Level]:
    """Group the classes by the height from which their ends separate, widest class first."""
    width = law.reach.high - law.reach.low
    levels: list[_Level] = []
    rest = np.arange(law.size)
    while np.isfinite(law.end_height[rest]).any():
        heights = law.end_height[rest]
        affordable = max(8 * heights.min(), _PHASE_BUDGET / width[rest].sum(), law.tilt)
        joint = heights <= affordable
        # Not below the tilt, so that the rays to the left stay clear of the pole at s = 0.
        height = max(float(heights[joint].max()), law.tilt)
        levels.append(_Level(height, rest[joint], rest[~joint]))
        rest = rest[~joint]
    return levels


@dataclass(frozen=True)
class _Ray:
    """Nodes on one of the two horizontal rays of a level, with everything evaluated on them."""

    rates: Complexes
    measure: Complexes
    last_weight: float
    tables: tuple[list[Corner], ...]

    def waves(self, path: tuple[int, ...], mode: float) -> Waves:
        """The share of the corner at the end of a path, its whole classes sitting at `mode`."""
        corners = [table[key] for table, key in zip(self.tables, path, strict=True)]
        amplitude = np.prod([corner.amplitude for corner in corners], axis=0)
        anchor = mode + sum(corner.offset for corner in corners)
        coefficients = amplitude * self.measure
        coefficients[-1] *= 1 + _beyond(self.rates, amplitude) / self.last_weight
        return Waves(anchor, self.rates, coefficients)


def corner_contour(law: TiltedSum) -> Contour:
    """Leave the line through the tilt of `law` along a ray for each corner."""
    levels = _levels(law)
    rays = [
        (_ray(law, levels[: k + 1], -1), _ray(law, levels[: k + 1], 1)) for k in range(len(levels))
    ]
    trunk = _trunk(law, np.arange(law.size), 0.0, levels[0].height)
    parts = (trunk, *_branches(law, levels, rays, ()))
    low, high = law.bounds(np.arange(law.size))
    return Contour(law.tilt, law.log_mgf.sum(), parts, trunk.anchor - low, trunk.anchor + high)


def _half_line(order: float) -> tuple[Floats, Floats]:
    """Exp-sinh nodes on (0, inf) for exp(-x g) / (1 + x)^(1 + order), at any g.

    The trapezoid rule in log x has to resolve exp(-x g) where x g is about one. The smaller the
    order, the less has the integrand decayed there, and the finer must be the step.
    """
    step = min(max(0.04 * order, 0.008), 0.04)
    u = np.arange(_RAY_START, _RAY_STOP, step)
    nodes = np.exp(0.5 * np.pi * np.sinh(u))
    return nodes, step * 0.5 * np.pi * np.cosh(u) * nodes


def _ray(law: TiltedSum, levels: list[_Level], side: int) -> _Ray:
    """Evaluate the corners of all levels so far on the ray that starts at the last one."""
    height, rest = levels[-1].height, levels[-1].rest
    split = np.concatenate([level.split for level in levels])
    order = np.minimum(law.a, law.b)[split].sum()
    nodes, weights = _half_line(order)
    rates = height * (1j + side * nodes)
    measure = -1j * side * height * weights / (np.pi * (law.tilt + rates))
    if rest.size:
        # Used only for x twice the reach of the whole classes away, where the rest has decayed.
        useful = height * nodes * law.bounds(rest)[side > 0] < REACH
        measure[useful] *= law.at(rest, rates[useful])
        measure[~useful] = 0.0
    tables = tuple(law.corners(level.split, rates) for level in levels)
    return _Ray(rates, measure, weights[-1] / nodes[-1], tables)


def _beyond(rates: Complexes, amplitude: Complexes) -> float:
    """Integral of a power beyond the last node, in units of the last value times its node.

    It counts only at x on a corner itself, and for very small exponents there.
    """
    sizes = np.abs(amplitude[-2:])
    if not sizes.all():
        return 0.0
    order = -np.log(sizes[1] / sizes[0]) / np.log(np.abs(rates[-1] / rates[-2]))
    return float(1 / order) if order > 0 else 0.0


def _branches(
    law: TiltedSum, levels: list[_Level], rays: list[tuple[_Ray, _Ray]], path: tuple[int, ...]
) -> list[Branch]:
    """Open all corners of the next level, on a path through those before it."""
    depth = len(path)
    paths = [(*path, key) for key in range(len(rays[depth][0].tables[depth]))]
    branches = (_branch(law, levels, rays, path) for path in paths)
    return [branch for branch in branches if branch is not None]


def _branch(
    law: TiltedSum, levels: list[_Level], rays: list[tuple[_Ray, _Ray]], path: tuple[int, ...]
) -> Branch | None:
    """One corner, unless its amplitude is negligible."""
    rest = levels[len(path) - 1].rest
    below, above = (ray.waves(path, law.mode[rest].sum()) for ray in rays[len(path) - 1])
    if max(np.abs(below.coefficients).max(), np.abs(above.coefficients).max()) < _NEGLIGIBLE:
        return None
    low, high = law.bounds(rest) if rest.size else (0.0, 0.0)
    near = _stay(law, levels, rays, path) if rest.size else ()
    return Branch(below.anchor - 2 * low, above.anchor + 2 * high, below, above, near)


def _stay(
    law: TiltedSum, levels: list[_Level], rays: list[tuple[_Ray, _Ray]], path: tuple[int, ...]
) -> tuple[Waves | Branch, ...]:
    """Follow a corner up the line until its narrow classes decay, or split in turn."""
    here = levels[len(path) - 1]
    next_height = levels[len(path)].height if len(path) < len(levels) else np.inf
    decayed = max(law.decay_height(here.rest, DEPTH), here.height * (1 + 1e-6))
    trunk = _trunk(law, here.rest, here.height, min(decayed, next_height))
    tables = (law.corners(level.split, trunk.rates) for level in levels[: len(path)])
    corners = [table[key] for table, key in zip(tables, path, strict=True)]
    amplitude = np.prod([corner.amplitude for corner in corners], axis=0)
    anchor = trunk.anchor + sum(corner.offset for corner in corners)
    waves = Waves(anchor, trunk.rates, trunk.coefficients * amplitude)
    return (waves,) if decayed <= next_height else (waves, *_branches(law, levels, rays, path))


def _trunk(law: TiltedSum, index: Indices, start: float, stop: float) -> Waves:
    """Integrate the whole transform of some classes over one stretch of the line."""
    transforms, heights, weights = [], [], []
    for bases, half in _panels(start, stop, law.tilt, _PANEL_PHASE / sum(law.bounds(index))):
        offsets = half * (1 + _PANEL_NODES)
        transforms.append(law.along(index, bases, offsets).ravel())
        heights.append((bases[:, np.newaxis] + offsets).ravel())
        weights.append(np.tile(half * _PANEL_WEIGHTS, bases.size))
    t = np.concatenate(heights)
    coefficients = np.concatenate(transforms) * np.concatenate(weights) / (law.tilt + 1j * t)
    return Waves(law.mode[index].sum(), 1j * t, coefficients / np.pi)


def _panels(start: float, stop: float, pole: float, phase: float) -> list[tuple[Floats, float]]:
    """Cut a stretch into panels that grow away from the pole until the phase limits them.

    Each entry holds the left ends of panels of one size, and half that size.
    """
    panels = []
    while start < stop and 2 * max(start, pole) < phase:
        size = min(2 * max(start, pole), stop - start)
        panels.append((np.array([start]), size / 2))
        start += size
    if start < stop:
        count = np.ceil((stop - start) / phase)
        size = (stop - start) / count
        panels.append((start + size * np.arange(count), size / 2))
    return panels
