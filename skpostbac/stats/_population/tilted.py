"""One accuracy that is given by its log-odds, under a tilt."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from scipy.special import expit

from skpostbac._utils import Bools, Complexes, Floats
from skpostbac.stats._distribution import LogitDensity, Panels
from skpostbac.stats._numerics import even_sums, log_sum

# Radians by which a wave turns, and logs by which a tilt falls, on a panel of 16 nodes: what the
# rule misses is below (7 / 2)^32 / 32!, that is 1e-18.
_TURN = 14.0
# Panels on which tilt and wave change by more than this are at most so long.
_TILTED, _LENGTH = 1e-4, 2.0
# Panels below this share of the mass are left out.
_NEGLIGIBLE = 1e-22
_MOST_HALVINGS = 60
# Nodes whose waves stay in the cache.
_PART = 2**13
# Log-odds of the smallest double.
_LAST = 745.0


class TiltedLogit:
    """One term of the average, weight * x, under the common tilt.

    Positions are seen from above or from below: distances from the mean, or from the end that is
    up, multiplied by the weight.
    """

    def __init__(
        self, density: LogitDensity, weight: float, tilt: float, *, from_above: bool, from_end: bool
    ) -> None:
        self.density, self.weight, self.tilt = density, weight, tilt
        self._sign, (below, above) = (1 if from_above else -1), density.mean_and_rest
        mean = np.array([below, above] if from_above else [above, below]) * weight
        self.ends = (-weight, 0.0) if from_end else (-mean[0], mean[1])
        # Panels, and the nodes on them, that resolve waves up to some heights.
        self._known: dict[float, tuple[Panels, Floats, Floats]] = {}

    @cached_property
    def _panels(self) -> Panels:
        """Panels that count under the tilt."""
        return self._refined(self.density.all_panels, 0.0)

    def _refined(self, panels: Panels, top: float) -> Panels:
        """Halve the panels that count until waves up to some height are resolved."""
        rate = self.weight * (self.tilt + top)
        panels = panels[self._counts(panels)]
        for _ in range(_MOST_HALVINGS):
            gap = np.abs(self._distance(panels.left) - self._distance(panels.right))
            # Where the tilt varies over a long panel it is no low polynomial in the log-odds.
            long = panels.right - panels.left > _LENGTH
            coarse = (rate * gap > _TURN) | (long & (rate * gap > _TILTED)) | panels.is_steep
            if not coarse.any():
                break
            panels = panels.halved(coarse)
            panels = panels[self._counts(panels)]
        return panels

    def _counts(self, panels: Panels) -> Bools:
        """Which panels hold mass that counts under the tilt."""
        fall = self.weight * self.tilt * self._distance(np.stack([panels.left, panels.right]))
        least = np.max(panels.log_masses - fall.max(axis=0))
        return np.asarray(panels.log_bounds - fall.min(axis=0) > least + np.log(_NEGLIGIBLE))

    def _distance(self, u: Floats) -> Floats:
        """Distance of x from the end that is up."""
        return np.asarray(expit(-self._sign * u))

    def position(self, u: Floats) -> Floats:
        """Position of the term at some log-odds."""
        below, above = expit(self._sign * u), expit(-self._sign * u)
        from_below = self.ends[0] + self.weight * below
        return np.where(below < above, from_below, self.ends[1] - self.weight * above)

    @cached_property
    def log_mgf(self) -> float:
        """Log E[exp(c x)] from the origin."""
        u, log_mass = self._panels.nodes
        return float(log_sum(log_mass + self.tilt * self.position(u)))

    def _nodes(self, top: float) -> tuple[Floats, Floats]:
        """Positions less the tilted mean, and tilted masses, which resolve waves up to a height."""
        if top not in self._known:
            # Panels for a lower height are halved further.
            lower = max((height for height in self._known if height < top), default=None)
            panels = self._panels if lower is None else self._known[lower][0]
            panels = self._refined(panels, top)
            u, log_mass = panels.nodes
            position = self.position(u)
            mass = np.exp(log_mass + self.tilt * position - self.log_mgf)
            self._known[top] = panels, position, mass
        return self._known[top][1:]

    @cached_property
    def mean(self) -> float:
        """Tilted mean."""
        position, mass = self._nodes(0.0)
        return float(position @ mass)

    @cached_property
    def variance(self) -> float:
        """Tilted variance."""
        position, mass = self._nodes(0.0)
        # What is so far that its square is no double has no mass.
        return float((((position - self.mean) * np.sqrt(mass)) ** 2).sum())

    def log_mgf_beyond(self, rates: Floats) -> Floats:
        """Log E[exp(r (x - mean))] under the tilt, for some further rates r."""
        position, mass = self._nodes(float(np.abs(rates).max()))
        away = position - self.mean
        top = np.maximum(rates * away.min(), rates * away.max())
        return np.asarray(
            top + np.log(np.exp(np.multiply.outer(rates, away) - top[:, np.newaxis]) @ mass)
        )

    def transform_evenly(self, heights: Floats) -> Complexes:
        """Transform about the mean, divided by that at the tilt, at some even rising heights."""
        # An exponential takes as long as forty products of numbers in the cache.
        step = heights[1] - heights[0]
        values = np.zeros(heights.size, dtype=complex)
        for away, mass in self._parts(float(heights[-1])):
            wave, turn = np.exp(1j * heights[0] * away), np.exp(1j * step * away)
            for i in range(heights.size):
                values[i] += _weighted(wave, mass)
                wave *= turn
        return values

    def transform_doubling(self, heights: Floats) -> Complexes:
        """Return the same at some heights and their doubles, shape (n_octaves, m).

        Each row of `heights` is twice the one before.
        """
        values = np.zeros(heights.shape, dtype=complex)
        for away, mass in self._parts(float(heights[-1, -1])):
            for i, lowest in enumerate(heights[0].tolist()):
                wave = np.exp(1j * lowest * away)
                for octave in range(len(heights)):
                    values[octave, i] += _weighted(wave, mass)
                    wave *= wave
        return values

    def _parts(self, top: float) -> Iterator[tuple[Floats, Floats]]:
        """Cut the nodes that resolve waves up to a height into parts: distances and masses."""
        position, mass = self._nodes(top)
        for start in range(0, mass.size, _PART):
            part = slice(start, start + _PART)
            yield position[part] - self.mean, mass[part]

    def n_nodes(self, height: float) -> int:
        """How many nodes resolve waves up to a height."""
        return self._nodes(height)[1].size

    def even_transform(self, step: float, count: int) -> Complexes:
        """Return the same at `count` heights at even steps from 0."""
        position, mass = self._nodes(step * (count - 1))
        return even_sums(step * (position - self.mean), mass, count)

    @property
    def farthest(self) -> float:
        """Minus the log of the distance from an end of (0, 1) at which next to no mass is left.

        A tilt moves the mass closer to an end.
        """
        closer = float(np.log1p(self.weight * self.tilt))
        farthest = float(np.abs(self.density.edges).max()) + closer
        return min(farthest, _LAST) - float(np.log(self.weight))

    def log_end_density(self, end: int, log_distance: Floats) -> tuple[Floats, float]:
        """Log density of minus the log distance from the lower (0) or upper end (1), tilted.

        Also returns the mass beyond the last distance. Distances are those of the weighted term.
        """
        distance = np.exp(-log_distance) / self.weight
        side = self._sign * (2 * end - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            u = side * (log_distance + np.log(self.weight) + np.log1p(-distance))
            shift = self.tilt * (self.ends[end] - (2 * end - 1) * self.weight * distance)
            values = self.density.log_density(u) - np.log1p(-distance) + shift - self.log_mgf
        last = float(self.density.log_tail(u[-1:], np.array([side < 0]))[0])
        return np.where(distance < 1, values, -np.inf), float(
            np.exp(last + shift[-1] - self.log_mgf)
        )


def _weighted(wave: Complexes, mass: Floats) -> complex:
    """Sum of a wave times masses."""
    return complex(mass @ wave.real, mass @ wave.imag)
