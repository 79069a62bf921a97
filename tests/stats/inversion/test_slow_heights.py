"""What is not interpolated between few of many heights of a line."""

import numpy as np
import pytest

from skpostbac.stats._inversion.slow_heights import at_heights


def counted(function):
    """Return a function that also notes at how many points it was called."""
    sizes = []

    def noting(s):
        sizes.append(s.size)
        return function(s)

    return noting, sizes


LINES = {
    "few points": 1.0 + 1j * np.linspace(1.0, 9.0, 50),
    "level": np.linspace(1.0, 9.0, 500) + 1j,
    "falling": 1.0 + 1j * np.linspace(9.0, 1.0, 500),
    "one point": np.array([1.0 + 2.0j]),
    "one height": np.full(500, 1.0 + 2.0j),
    "none": np.empty(0, dtype=complex),
}


@pytest.mark.parametrize("name", LINES)
def test_other_points_are_evaluated_one_by_one(name):
    """Nothing is interpolated but many rising heights."""
    function, sizes = counted(np.sin)
    np.testing.assert_array_equal(at_heights(function, LINES[name]), np.sin(LINES[name]))
    assert sizes == [LINES[name].size]


def test_a_function_that_varies_fast_is_evaluated_everywhere():
    """A wave is no slow function of the log of the height: its series does not converge."""
    s = 1.0 + 1j * np.linspace(1.0, 900.0, 20_000)
    np.testing.assert_array_equal(at_heights(np.exp, s), np.exp(s))
