"""Sums of waves at even heights against the exponentials themselves."""

import numpy as np
import pytest

from skpostbac.stats._numerics import even_sums


@pytest.mark.parametrize("count", [1, 2, 17, 2000])
def test_sums_are_those_of_the_exponentials(count):
    """To 1e-14 of all masses, at angles of which all multiples are exact in doubles."""
    rng = np.random.default_rng(0)
    angles = rng.integers(-(2**20), 2**20, 500) / 2.0**15
    masses = rng.standard_exponential(500)
    turns = np.multiply.outer(np.arange(count), angles)
    exact = np.exp(1j * turns) @ masses
    error = np.abs(even_sums(angles, masses, count) - exact).max() / masses.sum()
    # The multiples of pi that the FFT and the kernel leave out are rounded, too.
    assert error < 1e-14 + 1e-15 * np.abs(angles).max() * np.sqrt(count)
