"""What transforms of sums are at large heights, against multiple precision."""

import mpmath
import numpy as np
import pytest
from scipy import stats

from skpostbac.stats import BetaAverage
from skpostbac.stats._beta.betas import Betas
from skpostbac.stats._beta.series import corners_of

SUMS = {
    "one": ([3], [5], [1.0]),
    "perfect": ([20.5], [0.5], [-1.0]),
    "two": ([9, 2], [1, 5], [0.5, 0.5]),
    "signed": ([2.5, 0.5], [0.3, 4], [0.6, -0.4]),
    "tiny": ([0.01, 1.01], [0.02, 0.01], [0.3, 0.7]),
    "alike": ([1.5] * 6, [0.5] * 6, [1 / 6] * 6),
    "some alike": ([1.5, 0.5, 3, 1.5, 1.5, 1.5], [0.5, 1.5, 2, 0.5, 0.5, 0.5], [1.0] * 6),
}
every_sum = pytest.mark.parametrize(("a", "b", "weights"), SUMS.values(), ids=SUMS)


@every_sum
def test_corners_make_the_transform(a, b, weights):
    """Each with its wave, on both paths from the first order on, as far as no wave has grown."""
    sums = Betas.reflected(*(np.array([values], float) for values in (a, b, weights)))
    order, step = 30, ((3 * sums.n + 40) / sums.size).max(axis=1) / 29
    corners = corners_of(sums, order, step, np.zeros(sums.p.shape, dtype=bool))
    logs = corners.rule.log_orders[0]
    s = np.exp(np.minimum(logs.real, 300)) * np.sin(logs.imag)
    nodes = np.flatnonzero((s > 1e-12) & (s * step < 1))[::6]
    for path, sign in ((0, 1), (1, -1)):
        for node in nodes:
            with mpmath.workdps(40):
                height = mpmath.mpf(step[0]) * mpmath.mpc(order - 0.5, sign * s[node])
                waves = [
                    mpmath.exp(1j * height * float(place)) * complex(values[path, node])
                    for place, values in zip(corners.places[0], corners.values[0], strict=True)
                ]
                expected = mpmath.mpf(1)
                for u, v, w in zip(a, b, weights, strict=True):
                    z, n = 1j * height * w, mpmath.mpf(u) + v
                    expected *= mpmath.hyp1f1(u, n, z, maxterms=10**6) * mpmath.exp(-z * u / n)
                error = abs(mpmath.fsum(waves) - expected)
            # Waves of large heights are known as well as the places; small corners are left out.
            assert error < 2e-13 * max(map(abs, waves)) + 1e-16


@pytest.mark.parametrize(("a", "b"), [(3, 5), (0.5, 20.5), (0.01, 0.03), (6.25, 6.75)])
@pytest.mark.parametrize("weight", [1.0, -0.25])
def test_ends_of_one_variable(a, b, weight):
    """Each is a Tricomi function on the whole of both paths: DLMF 13.2.41."""
    sums = Betas.reflected(*(np.array([[value]], float) for value in (a, b, weight)))
    order, step = 30, (3 * sums.n[0] + 40) / sums.size[0] / 29
    corners = corners_of(sums, order, step, np.zeros((1, 1), dtype=bool))
    places = weight * (np.array([0.0, 1.0]) - a / (a + b))
    np.testing.assert_allclose(corners.places[0], places[: corners.places.size], rtol=1e-14)
    nodes = np.flatnonzero(corners.rule.log_orders[0].real < 25)[::9]
    for path in (0, 1):
        for node in nodes:
            height = step[0] * np.exp(corners.rule.log_orders[path, node])
            for corner, values in enumerate(corners.values[0]):
                # Seen from its own end the variable is theta or 1 - theta.
                e, o, sign = (a, b, 1) if corner == 0 else (b, a, -1)
                with mpmath.workdps(40):
                    z = 1j * mpmath.mpc(height) * weight * sign
                    factor = mpmath.gamma(mpmath.mpf(a) + b) / mpmath.gamma(o)
                    turn = mpmath.expjpi(np.sign(weight * sign) * e)
                    expected = complex(factor * turn * mpmath.hyperu(e, mpmath.mpf(a) + b, z))
                assert values[path, node] == pytest.approx(expected, rel=3e-13, abs=0)


def mixed(a, b, narrow, x):
    """P((theta_1 + theta_2) / 2 <= x) by a trapezoid rule over a narrow theta_1."""
    law = stats.beta(*narrow)
    theta = law.mean() + law.std() * np.linspace(-12, 12, 4001)
    masses = law.pdf(theta)
    return masses @ stats.beta(a, b).cdf(2 * x - theta[:, np.newaxis]) / masses.sum()


@pytest.mark.parametrize(
    ("a", "b", "narrow"),
    [
        (3.0, 1.0, (3e4, 2e4)),
        (6.5, 0.5, (3e4, 20.0)),
        (1.0, 1.0, (8e5, 300.0)),
        (6.5, 0.5, (8e5, 300.0)),
    ],
)
def test_variable_that_stays_narrow(a, b, narrow):
    """One whose ends come apart only at heights at which the other has long been two ends."""
    x = 0.5 * (narrow[0] / sum(narrow) + np.array([0.05, 0.3, 0.5, 0.8, 0.9]))
    found = BetaAverage([a, narrow[0]], [b, narrow[1]]).cdf(x)
    np.testing.assert_allclose(found, mixed(a, b, narrow, x), rtol=0, atol=1e-9)
