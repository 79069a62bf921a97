"""The corners of a product of transforms, and the selection of those that matter.

Above some height the transform of each term is a sum over its two ends. The corners of terms with
the same size lie on a lattice with steps of that size. The product of their transforms is a
polynomial in the wave of one step; each coefficient is the amplitude of all corners at one point.

With many terms most coefficients are negligible: a perfect class has a very small contribution from
its far end. The contribution of a partial product is bounded by its amplitude times, for each other
term, the sum of the moduli of its contributions. Partial products with a negligible bound are left
out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._numerics import LEAST_CORNER, NEGLIGIBLE

# From this many terms of a size on, coefficients are left out on the way; of a million of these,
# from a thousand terms, less than a rounding error is left.
_MANY_TERMS, _LEAST_PARTIAL = 32, 1e-3 * LEAST_CORNER
# Shares smaller than this are zero.
_LEAST_LOG = -1e4
# From which power on, and up to which, coefficients are kept after each term but the first; empty
# where all are.
Windows = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Corner:
    """One corner's share of a product of transforms: amplitude * exp((s - c) * offset).

    `blur` is the size of the numbers from which the offset was added up.
    """

    offset: float
    blur: float
    amplitude: Complexes

    @property
    def counts(self) -> bool:
        """Whether its amplitude is anywhere more than next to nothing."""
        return bool(np.abs(self.amplitude).max() > NEGLIGIBLE)

    def times(self, other: "Corner") -> "Corner":
        """Return the corner of a product of transforms."""
        return Corner(
            self.offset + other.offset, self.blur + other.blur, self.amplitude * other.amplitude
        )


@dataclass(frozen=True)
class Leading:
    """The corners of some terms that count.

    Attributes
    ----------
    index : the terms, each as often as it occurs.
    kept : for each size of weights, which products of a corner of the sizes before it and of one of
        its own count.
    orders : smallest power with which each corner decays.
    windows : for each size, which coefficients are kept on the way.
    """

    index: Indices
    kept: tuple[Indices, ...]
    orders: Floats
    windows: tuple[Windows, ...]

    def joined(self, lattices: list["Lattice"]) -> list[Corner]:
        """Return the corners, from those of the terms of each size."""
        offsets, blurs, amplitudes = np.zeros(1), np.zeros(1), np.ones((1, 1), dtype=complex)
        for lattice, kept in zip(lattices, self.kept, strict=True):
            one, other = np.divmod(kept, lattice.offsets.size)
            offsets = offsets[one] + lattice.offsets[other]
            blurs = blurs[one] + lattice.blurs[other]
            amplitudes = amplitudes[one] * lattice.amplitudes[other]
        places = zip(offsets.tolist(), blurs.tolist(), amplitudes, strict=True)
        return [Corner(*corner) for corner in places]


@dataclass(frozen=True)
class Lattice:
    """Corners of terms of one size, and the smallest powers with which they decay.

    `windows` tells which coefficients were kept after each term but the first, where not all.
    """

    offsets: Floats
    blurs: Floats
    amplitudes: Complexes
    orders: Floats
    windows: Windows


def lattices(
    size: Floats,
    places: Floats,
    orders: Floats,
    shares: Complexes,
    windows: Sequence[Windows] | None = None,
) -> list[Lattice]:
    """Return the corners of the terms of each size, smallest first.

    The terms have these sizes of their weights, shape (l,), places and orders of their ends,
    (l, n_ends), and shares of them, (l, n_ends, n). `windows` are those of lattices of the same
    terms at other s.
    """
    found = []
    for number, weight in enumerate(np.unique(size)):
        alike = size == weight
        if windows is not None:
            product, kept = _windowed(shares[alike], orders[alike], windows[number])
        elif alike.sum() < _MANY_TERMS:
            product, kept = _windowed(shares[alike], orders[alike], ())
        else:
            product, kept = _narrowed(shares[alike], orders[alike], _log_rest(shares, alike))
        found.append(_placed(places[alike], float(weight), product, kept))
    return found


@dataclass(frozen=True)
class _Product:
    """Coefficients of a product of shares, from some power of the wave of one step on.

    With the smallest orders with which they decay.
    """

    amplitudes: Complexes
    orders: Floats
    first: int = 0

    def times(self, shares: Complexes, orders: Floats) -> "_Product":
        """Multiply by the shares of the ends of one more term, (n_ends, n)."""
        number = len(self.amplitudes)
        wider = np.zeros((number + len(shares) - 1, shares.shape[1]), dtype=complex)
        least = np.full(len(wider), np.inf)
        for step, (share, order) in enumerate(zip(shares, orders, strict=True)):
            reached = slice(step, step + number)
            wider[reached] += self.amplitudes * share
            least[reached] = np.minimum(least[reached], self.orders + order)
        return _Product(wider, least, self.first)

    def within(self, window: tuple[int, int]) -> "_Product":
        """Keep the coefficients of the powers from one up to another."""
        kept = slice(window[0] - self.first, window[1] - self.first)
        return _Product(self.amplitudes[kept], self.orders[kept], window[0])

    def window(self, log_rest: Floats) -> tuple[int, int]:
        """Return between which powers coefficients count, times what the rest adds up to."""
        with np.errstate(divide="ignore"):
            log_size = (np.log(np.abs(self.amplitudes)) + log_rest).max(axis=1)
        counted = np.flatnonzero(log_size >= min(np.log(_LEAST_PARTIAL), log_size.max()))
        return self.first + int(counted[0]), self.first + int(counted[-1]) + 1


def _windowed(shares: Complexes, orders: Floats, windows: Windows) -> tuple[_Product, Windows]:
    """Multiply the shares of some terms, within given windows, or all of them if there are none."""
    product = _Product(shares[0], orders[0])
    for row in range(1, len(shares)):
        product = product.times(shares[row], orders[row])
        if windows:
            product = product.within(windows[row - 1])
    return product, windows


def _narrowed(shares: Complexes, orders: Floats, log_rest: Floats) -> tuple[_Product, Windows]:
    """Multiply the shares of some terms, and keep what counts, with the windows of it."""
    product, windows = _Product(shares[0], orders[0]), []
    for row in range(1, len(shares)):
        product = product.times(shares[row], orders[row])
        windows.append(product.window(log_rest[row]))
        product = product.within(windows[-1])
    return product, tuple(windows)


def _log_rest(shares: Complexes, alike: Bools) -> Floats:
    """Log of what all terms add up to at most but for the first of those alike, shape (m, n)."""
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(np.abs(shares).sum(axis=1)), _LEAST_LOG)
    return np.asarray(logs.sum(axis=0) - np.cumsum(logs[alike], axis=0))


def _placed(places: Floats, weight: float, product: _Product, windows: Windows) -> Lattice:
    """Find where the corners are, each from the nearest at which all terms are at one kind of end.

    `places` has shape (m, n_ends).
    """
    power = product.first + np.arange(len(product.amplitudes))
    kind = (power / len(places) + 0.5).astype(int)
    steps = power - kind * len(places)
    return Lattice(
        offsets=places.sum(axis=0)[kind] + steps * weight,
        blurs=np.abs(places).sum(axis=0)[kind] + np.abs(steps) * weight,
        amplitudes=product.amplitudes,
        orders=product.orders,
        windows=windows,
    )


def leading_of(lattices: list[Lattice], most: float = np.inf) -> tuple[tuple[Indices, ...], Floats]:
    """Which corners count anywhere, and their orders, unless they are more than `most`.

    No corner of all terms is larger than the product of its share of the first ones and the sums
    over all shares of each of the others. A corner of some terms that is too small is left out with
    all that it would lead to.
    """
    sizes = [np.abs(lattice.amplitudes) for lattice in lattices]
    totals = [np.ones(sizes[0].shape[1]), *(size.sum(axis=0) for size in sizes[:0:-1])]
    others = np.multiply.accumulate(totals)[::-1]
    found, orders, kept = np.ones((1, 1)), np.zeros(1), []
    for lattice, size, other in zip(lattices, sizes, others, strict=True):
        found = (found[:, np.newaxis] * size).reshape(-1, other.size)
        chosen = np.flatnonzero((found * other).max(axis=1) > LEAST_CORNER)
        found, orders = found[chosen], np.add.outer(orders, lattice.orders).ravel()[chosen]
        kept.append(chosen)
        if chosen.size > most:
            break
    return tuple(kept), orders
