"""Cumulants in closed form, against exact rationals."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from skpostbac.stats._beta.betas import Betas, central_moments, cumulants
from skpostbac.stats._series import ORDER, gauss_points


def exact_moments(a, b, order):
    """Central moments of theta, from raw moments."""
    raw = [Fraction(1)]
    for r in range(order):
        raw.append(raw[-1] * (a + r) / (a + b + r))
    return [
        sum(comb(r, k) * raw[k] * (-raw[1]) ** (r - k) for k in range(r + 1))
        for r in range(order + 1)
    ]


def exact_cumulants(a, b, weight):
    """Second, third and fourth cumulant of weight * theta."""
    central = exact_moments(a, b, 4)
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


@pytest.mark.parametrize(
    ("a", "b", "weights", "chosen"),
    [
        ([3, 700, 20], [5, 2, 4], [1, -0.5, 2], [True, True, True]),
        ([3, 700, 20], [5, 2, 4], [1, -0.5, 2], [False, True, False]),
        ([30, 30, 30, 30, 9, 30], [1, 1, 1, 1, 2, 1], [0.25] * 6, [True] * 6),
        ([10**9, 40], [10**8, 10**6], [1, 1], [True, True]),
    ],
    ids=["all", "one", "alike", "narrow"],
)
def test_gauss_rule_has_the_moments_of_a_sum(a, b, weights, chosen):
    """Those about the mean of all chosen variables, up to the ninth."""
    exact = [Fraction(1)] + [Fraction(0)] * 9
    for alpha, beta, weight, is_chosen in zip(a, b, weights, chosen, strict=True):
        own = exact_moments(Fraction(alpha), Fraction(beta), 9)
        own = [(Fraction(weight) * is_chosen) ** k * own[k] for k in range(10)]
        exact = [sum(comb(r, k) * own[k] * exact[r - k] for k in range(r + 1)) for r in range(10)]
    sums = Betas.reflected(*(np.array([values], float) for values in (a, b, weights)))
    # Identical variables are one column.
    is_chosen = np.ones(sums.p.shape, bool) if all(chosen) else np.array([chosen])
    moments = central_moments(sums.near, sums.far, ORDER)
    nodes, masses = gauss_points(moments, np.where(is_chosen, sums.weight, 0.0), sums.count)
    unit = float(exact[2]) ** 0.5
    found = [masses[0] @ (nodes[0] / unit) ** k for k in range(10)]
    expected = [float(moment) / unit**k for k, moment in enumerate(exact)]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_gauss_rule_of_no_variables():
    """All of its points are at zero, beside a sum with one."""
    moments = central_moments(np.full((2, 2), 3.0), np.full((2, 2), 2.0), ORDER)
    nodes, masses = gauss_points(moments, np.array([[0.0, 0.0], [1.0, 0.0]]), np.ones((2, 2)))
    np.testing.assert_array_equal(nodes[0], 0.0)
    np.testing.assert_allclose(masses.sum(axis=1), 1.0, rtol=1e-14)
    assert np.ptp(nodes[1]) > 0
