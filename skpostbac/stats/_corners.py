"""The contour for laws whose transform decays only algebraically.

Past some height on the line Re s = c the transform of a class splits exactly into its two ends,
and that of a sum into the corners of the cube of class accuracies: terms A(s) exp(s v), where v is
the value of the sum at the corner and A varies slowly. Each term then leaves the line on a
horizontal ray, to the right for x > v and to the left for x < v, and decays exponentially on it.

Classes of very different scales split at different heights. Where a corner still carries a mass of
narrow classes and x lies within it, the term stays on the line until those classes split in turn.

A ray to the left passes the pole at s = 0. It starts no lower than the tilt, or, where following
the line that far is long, rises above the pole at an angle.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac.stats._contour import DEPTH, Branch, Contour, Waves
from skpostbac.stats._special import Complexes, Floats
from skpostbac.stats._tilted_beta import REACH
from skpostbac.stats._transform import Corner, Grid, Indices, TiltedSum

# Corners and nodes with amplitudes below this are left out.
_NEGLIGIBLE = 1e-18
# Radians of the line up to the tilt above which the rays leave below the tilt.
_LONG_PHASE = 5000.0
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


@dataclass(frozen=True)
class _Ray:
    """Nodes on one of the two horizontal rays of a level, with everything evaluated on them."""

    rates: Complexes
    measure: Complexes
    last_weight: float
    tables: list[list[Corner]]

    def waves(self, path: tuple[int, ...], mode: float, tilt: float) -> Waves:
        """Return the share of the corner at the end of a path, with its whole classes at `mode`."""
        offset, amplitude = _follow(self.tables, path)
        coefficients = amplitude * self.measure
        coefficients[-1] *= 1 + _beyond(self.rates, amplitude) / self.last_weight
        return Waves.of_tail(mode + offset, self.rates, coefficients, tilt)


@dataclass(frozen=True)
class _Tree:
    """A law, its levels, and both rays (to the left and to the right) of each."""

    law: TiltedSum
    levels: list[_Level]
    rays: list[tuple[_Ray, _Ray]]


def corner_contour(law: TiltedSum) -> Contour:
    """Leave the line through the tilt of `law` along a ray for each corner."""
    levels = _levels(law)
    rays = [_rays(law, levels[: depth + 1]) for depth in range(len(levels))]
    decayed = law.decay_height(law.everything, DEPTH)
    trunk = _trunk(law, law.everything, 0.0, min(decayed, levels[0].height))
    branches = _branches(_Tree(law, levels, rays), ())
    anchor = law.total(law.mode)
    low, high = law.bounds(law.everything)
    stem = Waves.of_tail(anchor, trunk.rates, trunk.coefficients, law.tilt)
    log_mgf = law.total(law.log_mgf)
    return Contour(law.tilt, log_mgf, (stem, *branches), anchor - low, anchor + high)


def _levels(law: TiltedSum) -> list[_Level]:
    """Group the classes by the height from which their ends separate, widest class first."""
    width = law.reach.high - law.reach.low
    levels: list[_Level] = []
    rest = law.everything
    # Rays to the left that start no lower than the tilt stay clear of the pole at s = 0.
    clear = law.tilt if law.tilt * sum(law.bounds(rest)) < _LONG_PHASE else 0.0
    while np.isfinite(law.end_height[rest]).any():
        heights = law.end_height[rest]
        joint = heights <= max(
            8 * heights.min(), _PHASE_BUDGET / law.total(width[rest], rest), clear
        )
        levels.append(_Level(max(float(heights[joint].max()), clear), rest[joint], rest[~joint]))
        rest = rest[~joint]
    return levels


def _rays(law: TiltedSum, levels: list[_Level]) -> tuple[_Ray, _Ray]:
    """Evaluate the corners of all levels so far on both rays that start at the last one."""
    height, rest = levels[-1].height, levels[-1].rest
    split = np.concatenate([level.split for level in levels])
    order, far = law.total(np.minimum(law.a, law.b)[split], split), law.tilt / height
    nodes, weights = _half_line(order, far)
    # A ray to the left passes the pole at s = 0: from far on its right it has to rise above it.
    left = np.exp(0.75j * np.pi) if far > 1 else -1.0
    sides, directions = np.repeat([-1, 1], nodes.size), np.repeat([left, 1.0], nodes.size)
    rates = height * (1j + directions * np.tile(nodes, 2))
    measure = -1j * directions * height * np.tile(weights, 2) / (np.pi * (law.tilt + rates))
    if rest.size and law.decay_height(rest, DEPTH) < height:
        measure[:] = 0.0
    elif rest.size:
        # Used only for x twice the reach of the whole classes away, where the rest has decayed.
        low, high = law.bounds(rest)
        useful = np.abs(rates.real) * np.where(sides > 0, high, low) < REACH
        measure[useful] *= law.at(rest, rates[useful])
        measure[~useful] = 0.0
    tables = [law.corners(level.split, rates) for level in levels]
    last_weight = float(weights[-1] / nodes[-1])
    left, right = (
        _Ray(
            rates[half],
            measure[half],
            last_weight,
            [[Corner(corner.offset, corner.amplitude[half]) for corner in row] for row in tables],
        )
        for half in (slice(None, nodes.size), slice(nodes.size, None))
    )
    return left, right


def _half_line(order: float, far: float) -> tuple[Floats, Floats]:
    """Exp-sinh nodes on (0, inf) for exp(-x g) / (far + x)^(1 + order), at any g.

    The trapezoid rule in log x has to resolve exp(-x g) where x g is about one. The smaller the
    order, the less has the integrand decayed there, and the finer must be the step; likewise
    where it begins to decay only at x = far.
    """
    step = min(max(0.025 * order, 0.008), 0.04)
    if far > 1:
        step = min(step, 0.03 / np.hypot(1, 2 / np.pi * np.log(40 * far)))
    u = np.arange(_RAY_START, _RAY_STOP, step)
    nodes = np.exp(0.5 * np.pi * np.sinh(u))
    return nodes, step * 0.5 * np.pi * np.cosh(u) * nodes


def _beyond(rates: Complexes, amplitude: Complexes) -> float:
    """Integral of a power beyond the last node, in units of the last value times its node.

    It counts only at x on a corner itself, and for very small exponents there.
    """
    sizes = np.abs(amplitude[-2:])
    if not sizes.all():
        return 0.0
    order = -np.log(sizes[1] / sizes[0]) / np.log(np.abs(rates[-1] / rates[-2]))
    return float(1 / order) if order > 0 else 0.0


def _follow(tables: list[list[Corner]], path: tuple[int, ...]) -> tuple[float, Complexes]:
    """Place and amplitude of the corner at the end of a path."""
    corners = [table[key] for table, key in zip(tables, path, strict=True)]
    amplitude = corners[0].amplitude
    for corner in corners[1:]:
        amplitude = amplitude * corner.amplitude
    return sum(corner.offset for corner in corners), amplitude


def _branches(tree: _Tree, path: tuple[int, ...]) -> list[Branch]:
    """Open all corners of the next level, on a path through those before it."""
    depth = len(path)
    paths = [(*path, key) for key in range(len(tree.rays[depth][0].tables[depth]))]
    branches = (_branch(tree, path) for path in paths)
    return [branch for branch in branches if branch is not None]


def _branch(tree: _Tree, path: tuple[int, ...]) -> Branch | None:
    """Return one corner, unless its amplitude is negligible."""
    law, rest = tree.law, tree.levels[len(path) - 1].rest
    mode = law.total(law.mode[rest], rest)
    below, above = (ray.waves(path, mode, law.tilt) for ray in tree.rays[len(path) - 1])
    if max(below.size, above.size) < _NEGLIGIBLE:
        return None
    low, high = law.bounds(rest) if rest.size else (0.0, 0.0)
    near = _stay(tree, path) if rest.size else ()
    return Branch(below.anchor - 2 * low, above.anchor + 2 * high, below, above, near)


def _stay(tree: _Tree, path: tuple[int, ...]) -> tuple[Waves | Branch, ...]:
    """Follow a corner up the line until its narrow classes decay, or split in turn."""
    law, here = tree.law, tree.levels[len(path) - 1]
    next_height = tree.levels[len(path)].height if len(path) < len(tree.levels) else np.inf
    decayed = max(law.decay_height(here.rest, DEPTH), here.height * (1 + 1e-6))
    trunk = _trunk(law, here.rest, here.height, min(decayed, next_height))
    tables = [law.corners(level.split, trunk.rates) for level in tree.levels[: len(path)]]
    offset, amplitude = _follow(tables, path)
    anchor = law.total(law.mode[here.rest], here.rest) + offset
    waves = Waves.of_tail(anchor, trunk.rates, trunk.coefficients * amplitude, law.tilt)
    return (waves,) if decayed <= next_height else (waves, *_branches(tree, path))


@dataclass(frozen=True)
class _Trunk:
    """Nodes and coefficients of the integral of a transform over one stretch of the line."""

    rates: Complexes
    coefficients: Complexes


def _trunk(law: TiltedSum, index: Indices, start: float, stop: float) -> _Trunk:
    """Integrate the whole transform of some classes over one stretch of the line."""
    panels = _panels(start, stop, law.tilt, _PANEL_PHASE / sum(law.bounds(index)))
    grids = [Grid(bases, half * (1 + _PANEL_NODES)) for bases, half in panels]
    weights = np.concatenate([np.tile(half * _PANEL_WEIGHTS, bases.size) for bases, half in panels])
    rates = 1j * np.concatenate([grid.heights for grid in grids])
    transform, _ = law.along(index, grids)
    return _Trunk(rates, transform * weights / (np.pi * (law.tilt + rates)))


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
