r"""What the ends of accuracies leave of a Fourier series that hardly decays.

An accuracy may be as close to 0 or 1 as doubles allow: with few groups, the log-odds of one more
have heavy tails, and its transform falls like a power of log t. High up it is that of both ends,

    phi(t) = A(t) + exp(i t w) B(t),    A(t) = \int g(v) W(v - log t) exp(i t e^-v) dv,

where v is minus the log of the distance from the end, g its density, and the window W leaves out
distances beyond some hundred wavelengths, where a smooth density contributes nothing. Over log t
this is a convolution, done for all heights at once. The product over the classes is a sum over
corners, at each of which some classes are at 0 and the rest at 1, and what a corner adds to the
tail at a distance y from it is an integral over log t, with the same window. A smooth step in log t
leads from the series to that integral, such that the series is exact far from all corners.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.fft import fft, ifft, next_fast_len
from scipy.special import erfc

from skpostbac._utils import Complexes, Floats, Indices
from skpostbac.stats._inversion import derivatives
from skpostbac.stats._numerics import EPS, NEGLIGIBLE
from skpostbac.stats._population.tilted import TiltedLogit

# Steps in log t for an octave. Waves that turn faster are beyond the window.
_PER_OCTAVE = 48
_STEP = float(np.log(2.0)) / _PER_OCTAVE
# The window: its middle in log radians, the width of its edge, and where it has ended.
_MIDDLE, _EDGE, _END = np.log(100.0), 0.25, np.log(100.0) + 1.5
# Width of the step from the series to the integral, and where it begins and is complete, which is
# the height of the line, in widths from its middle.
_WIDTH, _WIDTHS = 0.2, 5.9
# Distances in wavelengths of the middle of the step at which the series feels a corner.
_MARGIN = 150.0
# Least height of the line in terms of 1 / weight: with the window, less than half of the range.
_LEAST_HEIGHT = 1e4
# Distances from a corner that rounding leaves.
_BLUR = 4 * EPS
# Logs of heights at which s and its square do not overflow, and of radians at which exp does not.
_HIGHEST, _FASTEST = 300.0, 7.0
# Octaves below the height of the line in which a transform is looked at, so often in each. Below
# them the share of the integral is less than 1e-9.
_OCTAVES, _LOOKS = 3, 4


@dataclass(frozen=True)
class Ends:
    """Transforms of the corners from some height on.

    Attributes
    ----------
    tilt : c.
    height : where the line ends.
    log_t : logs of the heights of the integral, evenly spaced.
    places : positions of the corners, shape (n_corners,).
    amplitudes : their transforms, shape (n_corners, n).
    mean : position about which the transform is seen.
    """

    tilt: float
    height: float
    log_t: Floats
    places: Floats
    amplitudes: Complexes
    mean: float

    @classmethod
    def of(cls, tilt: float, terms: Sequence[TiltedLogit], height: float) -> Ends | None:
        """Return the ends of some terms above a height, or None if it is too low."""
        if height * min(term.weight for term in terms) < _LEAST_HEIGHT:
            return None
        farthest = max(term.farthest for term in terms)
        count = int((farthest + 2 * _END - np.log(height) + 2 * _WIDTH * _WIDTHS) / _STEP)
        log_t = np.log(height) - 2 * _WIDTH * _WIDTHS + _STEP * np.arange(max(count, 1))
        places, amplitudes = np.zeros(1), np.ones((1, log_t.size), dtype=complex)
        kernels = [_kernel(end, log_t.size) for end in (0, 1)]
        for term in terms:
            pair = np.stack([_transform(term, end, log_t, kernels[end]) for end in (0, 1)])
            places = np.add.outer(np.array(term.ends), places).ravel()
            amplitudes = (pair[:, np.newaxis] * amplitudes).reshape(-1, log_t.size)
            places, amplitudes = _merged(places, amplitudes)
        return cls(tilt, height, log_t, places, amplitudes, sum(term.mean for term in terms))

    @property
    def margin(self) -> float:
        """How far from a corner the series alone is not exact."""
        return _MARGIN / self.height * float(np.exp(_WIDTH * _WIDTHS))

    def share(self, log_t: Floats) -> Floats:
        """Share of the integral, as against the series, at some log heights."""
        return np.asarray(0.5 * erfc(_WIDTHS - (log_t - self.log_t[0]) / _WIDTH))

    @property
    def looks(self) -> Floats:
        """Heights below that of the line at which there should be nothing but the ends.

        Shape (n_octaves, n_looks); each row is twice the one before.
        """
        lowest = np.exp(self.log_t[self._looked[0]])
        return np.asarray(np.multiply.outer(2.0 ** np.arange(_OCTAVES), lowest))

    def missed(self, values: Complexes) -> float:
        """Return what the ends miss of the transform, given it at the `looks`."""
        turns = np.exp(1j * np.multiply.outer(self.places - self.mean, self.looks))
        missed = np.abs((self.amplitudes[:, self._looked] * turns).sum(axis=0) - values)
        return float((missed * self.share(self.log_t[self._looked])).max())

    @property
    def _looked(self) -> Indices:
        """Places of the looks among the heights of the integral."""
        last = int(2 * _WIDTH * _WIDTHS / _STEP)
        back = np.arange(_OCTAVES * _LOOKS)[::-1] * (_PER_OCTAVE // _LOOKS)
        return (last - back).reshape(_OCTAVES, _LOOKS)

    @property
    def size(self) -> int:
        """How many exponentials are summed for each y."""
        return self.amplitudes.size

    def at(self, y: Floats) -> Floats:
        """Return the tail, the density and minus its slope at each y, shape (n, 3)."""
        sums = np.zeros((y.size, 3))
        for place, coefficients in zip(self.places, self._coefficients, strict=True):
            gap = y - place
            gap = np.where(np.abs(gap) < _BLUR * (np.abs(y) + abs(place)), 0.0, gap)
            near = np.abs(gap) * np.exp(self.log_t[0]) < np.exp(_END)
            if near.any():
                sums[near] += self._at_gap(gap[near], coefficients)
        return sums

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return True

    def missing(self, y: Floats) -> Floats:
        """Return what is missing from the tail: nothing."""
        return np.zeros(y.size)

    def _at_gap(self, gap: Floats, coefficients: Complexes) -> Floats:
        """Return what one corner adds at some distances from it, each from the heights it sees."""
        with np.errstate(divide="ignore"):
            log_gap = np.log(np.abs(gap))
        seen = np.searchsorted(self.log_t, _END - log_gap)
        sums = np.empty((gap.size, len(coefficients)))
        for row, (count, log_size, sign) in enumerate(
            zip(seen.tolist(), log_gap.tolist(), np.sign(gap).tolist(), strict=True)
        ):
            radians = self.log_t[:count] + log_size
            waves = _window(radians) * np.exp(-1j * sign * np.exp(radians))
            with np.errstate(over="ignore", invalid="ignore"):  # the slope at extreme tilts
                sums[row] = (coefficients[:, :count] @ waves).real
        return sums

    @cached_property
    def _coefficients(self) -> Complexes:
        """Coefficients of the tail, the density and minus its slope, shape (n_corners, 3, n)."""
        log_t = self.log_t
        tail = self.amplitudes * (self.share(log_t) * _STEP / np.pi)
        tail = tail / (self.tilt * np.exp(-log_t) + 1j)
        return derivatives(tail, self.tilt + 1j * np.exp(np.minimum(log_t, _HIGHEST)))


def _window(radians: Floats) -> Floats:
    """Share of what is so many radians away, given their log."""
    return np.asarray(0.5 * erfc((radians - _MIDDLE) / _EDGE))


def _kernel(end: int, count: int) -> Complexes:
    """Spectrum of the window times the waves about one end, for so many heights."""
    turns = np.arange(-count + 1, count) * _STEP + _END
    waves = _window(turns) * np.exp(1j * (1 - 2 * end) * np.exp(np.minimum(turns, _FASTEST)))
    return np.asarray(fft(waves, _fft_size(count)))


def _fft_size(count: int) -> int:
    """Length of the transforms of a convolution of so many heights."""
    return int(next_fast_len(2 * count - 1 + count))


def _transform(term: TiltedLogit, end: int, log_t: Floats, kernel: Complexes) -> Complexes:
    """Transform of one end of a term, about that end, at even steps of log t."""
    count = log_t.size
    distance = _STEP * np.arange(count) + log_t[0] - _END
    log_density, beyond = term.log_end_density(end, distance)
    log_density[-1] -= np.log(2.0)  # a trapezoid rule up to where the mass beyond begins
    spectrum = fft(np.exp(log_density) * _STEP, _fft_size(count)) * kernel
    return np.asarray(ifft(spectrum)[count - 1 : 2 * count - 1] + beyond)


def _merged(places: Floats, amplitudes: Complexes) -> tuple[Floats, Complexes]:
    """Add up corners at the same place, and leave out those that do not count."""
    order = np.argsort(places)
    places, amplitudes = places[order], amplitudes[order]
    first = np.flatnonzero(np.diff(places, prepend=-np.inf) > _BLUR)
    places, amplitudes = places[first], np.add.reduceat(amplitudes, first, axis=0)
    kept = np.abs(amplitudes).max(axis=1) > NEGLIGIBLE
    return places[kept], amplitudes[kept]
