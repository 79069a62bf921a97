"""Outcomes of test samples as numbers: one bit a sample, packed into integers that floats hold."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from skpostbac._utils import Bools, Floats

WORD_KEY = "outcomes_{}"

# All integers of so many bits are exact as floats.
WORD_BITS = 53


def n_words(n_bits: int) -> int:
    """Return the number of words that hold so many bits."""
    return -(-n_bits // WORD_BITS)


def word_keys(count: int) -> list[str]:
    """Return the names of so many words."""
    return [WORD_KEY.format(number) for number in range(count)]


def class_order(labels: Sequence[Hashable]) -> list[int]:
    """Return the positions of the labels, sorted by their text: the order of classes in words.

    It is the same whether the labels are those of `y` or were read from the names of columns.
    """
    return sorted(range(len(labels)), key=lambda position: str(labels[position]))


def pack_bits(bits: Bools, count: int) -> Floats:
    """Write bits of shape (n,) as so many words, the first bit as the lowest; the rest is 0.

    Examples
    --------
    >>> import numpy as np
    >>> pack_bits(np.array([True, False, True, True]), 2)
    array([13.,  0.])
    """
    padded = np.zeros((count, WORD_BITS))
    padded.flat[: len(bits)] = bits
    words: Floats = padded @ np.ldexp(1.0, np.arange(WORD_BITS))
    return words


def unpack_bits(words: Floats, n_bits: int) -> Bools:
    """Read the first bits of words of shape (..., count), as an array of shape (..., n_bits).

    Examples
    --------
    >>> import numpy as np
    >>> unpack_bits(np.array([13.0, 0.0]), 5)
    array([ True, False,  True,  True, False])
    """
    octets = words.astype("<u8", order="C").view(np.uint8)
    bits = np.unpackbits(octets, axis=-1, bitorder="little")
    used = bits.reshape(*words.shape, 64)[..., :WORD_BITS]
    return used.reshape(*words.shape[:-1], -1)[..., :n_bits].astype(bool)
