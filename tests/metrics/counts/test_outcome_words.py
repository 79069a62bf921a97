"""Bits as numbers that scikit-learn stores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skpostbac.metrics._counts import class_order, n_words, pack_bits, unpack_bits


@given(st.lists(st.booleans(), max_size=200), st.integers(0, 2))
def test_bits_come_back(bits, spare):
    """What is packed, stored as text or as floats, and unpacked is what it was."""
    words = pack_bits(np.array(bits, dtype=bool), n_words(len(bits)) + spare)
    stored = np.array([float(repr(word)) for word in words.tolist()])
    assert unpack_bits(stored, len(bits)).tolist() == bits


@given(st.lists(st.booleans(), max_size=200))
def test_words_are_the_digits_of_an_integer(bits):
    """The words are those of one long integer, in base 2**53."""
    number = sum(2**place for place, bit in enumerate(bits) if bit)
    words = pack_bits(np.array(bits, dtype=bool), n_words(len(bits)))
    assert sum(int(word) << 53 * place for place, word in enumerate(words)) == number


@pytest.mark.parametrize(("n_bits", "count"), [(0, 0), (1, 1), (53, 1), (54, 2), (10_000, 189)])
def test_number_of_words(n_bits, count):
    """As few as can be."""
    assert n_words(n_bits) == count


def test_classes_are_ordered_by_their_text():
    """Labels and the names of columns have one order."""
    assert class_order([2, 10, 1]) == class_order(["2", "10", "1"]) == [2, 1, 0]
