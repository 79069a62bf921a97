"""Tests of the Chebyshev series of transforms."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats._hierarchical.chebyshev import chebyshev_coefficients, chebyshev_moments


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (3.5, 1.2), (515.0, 0.7), (4e4, 1e4)])
@pytest.mark.parametrize("s", [0.3, 4 + 20j, -3 + 290j, 299j], ids=str)
def test_transform(a, b, s):
    """E exp(s (theta - 1/2)) is Kummer's function."""
    coefficients = chebyshev_coefficients(np.array([s / 2], dtype=complex))
    found = complex(chebyshev_moments(a, b, len(coefficients)) @ coefficients[:, 0])
    expected = complex(mpmath.hyp1f1(a, a + b, s) * mpmath.exp(-mpmath.mpc(s) / 2))
    assert found == pytest.approx(expected, rel=0, abs=3e-13 * np.exp(abs(np.real(s)) / 2))
