"""Adaptive quadrature, against closed forms."""

import numpy as np
import pytest

from skpostbac.stats._numerics.quadrature import integrate


def test_each_function_has_its_own_interval():
    """Powers over [0, b]: b**(k+1) / (k+1)."""
    powers, ends = np.array([0, 1, 5, 40]), np.array([1.0, 2.0, 0.5, 1.0])
    edges = np.stack([np.zeros(4), ends], axis=1)
    integrals = integrate(lambda index, x: x ** powers[index], edges)
    np.testing.assert_allclose(integrals, ends ** (powers + 1) / (powers + 1), rtol=1e-13)


@pytest.mark.parametrize("width", [1e-1, 1e-4, 1e-8, 1e-12])
def test_a_narrow_step_is_found(width):
    """A logistic step of any width, at a place that is no edge."""
    place = 0.3

    def step(index, x):
        return 1 / (1 + np.exp(np.clip((place - x) / width, -700, 700)))

    expected = width * (np.logaddexp(0, (1 - place) / width) - np.logaddexp(0, -place / width))
    (integral,) = integrate(step, np.array([[0.0, 1.0]]))
    assert integral == pytest.approx(expected, rel=1e-10)


def test_a_kink_and_a_jump():
    """Where the integrand is not smooth, halving goes on to the end of the digits."""
    functions = (lambda x: np.abs(x - 1 / 3), lambda x: np.where(x > 1 / 3, 1.0, 0.0))
    edges = np.array([[0.0, 1.0], [0.0, 1.0]])
    integrals = integrate(
        lambda index, x: np.where(index == 0, functions[0](x), functions[1](x)), edges
    )
    np.testing.assert_allclose(integrals, [5 / 18, 2 / 3], rtol=1e-10)


def test_empty_pieces_count_nothing():
    """Edges may coincide."""
    edges = np.array([[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0]])
    integrals = integrate(lambda index, x: np.ones_like(x), edges)
    np.testing.assert_allclose(integrals, [1, 0], rtol=1e-15)
