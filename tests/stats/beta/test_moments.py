"""Cumulants in closed form, against exact rationals."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from skpostbac.stats._beta.moments import cumulants


def exact_cumulants(a, b, weight):
    """Second, third and fourth cumulant of weight * theta, from raw moments."""
    raw = [Fraction(1)]
    for r in range(4):
        raw.append(raw[-1] * (a + r) / (a + b + r))
    central = [
        sum(comb(r, k) * raw[k] * (-raw[1]) ** (r - k) for k in range(r + 1)) for r in range(5)
    ]
    fourth = central[4] - 3 * central[2] ** 2
    return [weight**2 * central[2], weight**3 * central[3], weight**4 * fourth]


@pytest.mark.parametrize(
    ("a", "b"),
    [(1, 1), (3, 2), (1, 10**9), (10**9, 1), (10**9, 10**9 + 7), (5 * 10**8, 3), (7, 7)],
)
@pytest.mark.parametrize("weight", [1, -3])
def test_one_variable(a, b, weight):
    """Three figures of one Beta; the fourth vanishes between distributions of either sign."""
    exact = exact_cumulants(Fraction(a), Fraction(b), weight)
    found = cumulants(np.array([a], float), np.array([b], float), np.array([weight], float))
    spread = float(exact[0])
    # A cumulant that is a difference keeps the rounding of its terms, powers of the second.
    np.testing.assert_allclose(found[:2], [float(value) for value in exact[:2]], rtol=1e-14)
    assert found[2] == pytest.approx(float(exact[2]), rel=1e-14, abs=1e-15 * 3 * spread**2)


def test_cumulants_add():
    """Of independent variables, each to the power of its weight."""
    a, b, weights = [3, 5, 1], [2, 4, 7], [Fraction(1, 2), Fraction(-1, 4), Fraction(2)]
    terms = [
        exact_cumulants(Fraction(x), Fraction(y), w) for x, y, w in zip(a, b, weights, strict=True)
    ]
    expected = [float(sum(column)) for column in zip(*terms, strict=True)]
    found = cumulants(np.array(a, float), np.array(b, float), np.array([float(w) for w in weights]))
    np.testing.assert_allclose(found, expected, rtol=1e-14)
