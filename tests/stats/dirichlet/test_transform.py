"""Transforms of paired differences, their corners and moments, against mpmath."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats import PairedDifference
from skpostbac.stats._dirichlet.difference import central_moments
from skpostbac.stats._dirichlet.transform import resolved, transforms

# Below the contract of the cdf, into which errors at the largest heights enter divided by them.
ABSOLUTE = 3e-14
# Cells: only B is right, only A is, both or neither.
CLASSES = [
    (7.5, 4.5, 34.0),
    (1.0, 1.0, 2.0),
    (0.5, 0.5, 0.5),
    (0.5, 0.5, 100.5),
    (0.05, 0.3, 2.0),
    (60.5, 0.5, 3.0),
    (2.0, 150.0, 40.0),
]
every_class = pytest.mark.parametrize("cells", CLASSES, ids=str)


def moments_over_factorials(cells, count):
    """Yield E[D^m] / m!, from the series of (1 - y)^-b (1 + y)^-a = sum (n)_m E[D^m] / m! y^m."""
    b, a, r = map(mpmath.mpf, cells)
    before, now, scale = mpmath.mpf(0), mpmath.mpf(1), mpmath.mpf(1)
    for m in range(count):
        yield now * scale
        scale /= b + a + r + m
        before, now = now, ((b - a) * now + (m - 1 + a + b) * before) / (m + 1)


def transform(cells, z):
    """E[exp(z D)] by its power series, with digits to spare for its cancellation."""
    size = float(abs(z))
    with mpmath.workdps(int(60 + size)):
        z, power, total = mpmath.mpmathify(z), mpmath.mpf(1), mpmath.mpf(0)
        for moment in moments_over_factorials(cells, int(60 + 4 * size)):
            total += moment * power
            power *= z
        return total


def mean_of(cells):
    """Return the mean of D."""
    b, a, r = map(mpmath.mpf, cells)
    return (b - a) / (b + a + r)


@every_class
@pytest.mark.parametrize("share", [0.02, 0.4, 1.5], ids=["low", "medium", "beyond the integrals"])
@pytest.mark.parametrize("weight", [1.0, -0.3])
def test_characteristic_function(cells, share, weight):
    """At even heights, to where the vertices are apart and beyond."""
    alphas, n_orders = np.array([cells]), 12
    rate = share * float(resolved(alphas)[0]) / (n_orders - 1) * weight
    found = transforms(alphas, np.array([rate]), n_orders)[0]
    for k in (0, 1, 5, 11):
        z = mpmath.mpc(0, k * rate)
        exact = transform(cells, z) * mpmath.exp(-z * mean_of(cells))
        assert abs(found[k] - complex(exact)) < ABSOLUTE


def test_classes_in_company():
    """Many classes at once, in any order, give what each gives alone."""
    rng = np.random.default_rng(7)
    alphas, rates = np.exp(rng.uniform(-4, 8, (60, 3))), rng.uniform(-3, 3, 60)
    together = transforms(alphas, rates, 40)
    for i in range(60):
        alone = transforms(alphas[[i]], rates[[i]], 40)[0]
        np.testing.assert_allclose(together[i], alone, rtol=0, atol=ABSOLUTE)


@pytest.mark.parametrize(
    ("cells", "rate"),
    [((0.5, 0.5, 0.5), 3e-3), ((3.0, 1.0, 4.0), 1e-3), ((2.0, 3.0, 1e5), 1.0)],
    ids=str,
)
def test_many_heights(cells, rate):
    """Between few heights the transform is interpolated."""
    alphas, fold = np.array([cells]), 64
    fine = transforms(alphas, np.array([rate]), 200 * fold)[0]
    coarse = transforms(alphas, np.array([rate * fold]), 200)[0]
    np.testing.assert_allclose(fine[::fold], coarse, rtol=0, atol=ABSOLUTE)


@pytest.mark.parametrize("n", [1e9, 1e12, 3e15])
def test_large_classes_are_normal(n):
    """The largest cells: the characteristic function of a normal variable, to a share 1 / n."""
    alphas = n * np.array([[0.2, 0.3, 0.5]])
    deviation = np.sqrt((0.5 - 0.01) / n)
    found = transforms(alphas, np.array([0.2 / deviation]), 40)[0]
    expected = np.exp(-0.5 * (0.2 * np.arange(40)) ** 2)
    np.testing.assert_allclose(np.abs(found), expected, rtol=0, atol=1e-14 + 1 / n)
    np.testing.assert_allclose(found.imag, 0, rtol=0, atol=1e-14 + 1 / np.sqrt(n))


def test_a_vertex_with_all_samples():
    """Nearly all agree: the difference of two Gamma variables of the small exponents, over n."""
    b, a, n = 0.5, 1.5, 1e13
    t = np.arange(30) * 0.7
    found = transforms(np.array([[b, a, n]]), np.array([0.7 * n]), 30)[0]
    expected = (1 - 1j * t) ** -b * (1 + 1j * t) ** -a * np.exp(-1j * t * (b - a))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


@every_class
def test_moments(cells):
    """Central moments, from the moments about zero."""
    with mpmath.workdps(60):
        over = list(moments_over_factorials(cells, 13))
        raw = [moment * mpmath.factorial(m) for m, moment in enumerate(over)]
        mean = mean_of(cells)
        central = [
            mpmath.fsum(mpmath.binomial(m, j) * raw[j] * (-mean) ** (m - j) for j in range(m + 1))
            for m in range(13)
        ]
    scale = float(central[2]) ** (np.arange(13) / 2)
    found = central_moments(np.array([cells]), 12)[:, 0]
    np.testing.assert_allclose(found / scale, np.array(central, float) / scale, 1e-12, 1e-15)


@pytest.mark.parametrize("prior", [0.5, 0.1])
@pytest.mark.parametrize("counts", [[4, 0, 0, 3], [10, 1, 0, 0], [900, 1, 1, 0], [9, 2, 0, 100]])
def test_corners_of_one_class(counts, prior):
    """At and beside the corner at zero, against a mean of incomplete Betas over p_A + p_B.

    With S = p_B + p_A ~ Beta(b + a, r), P(D <= x) = E[G((1 + x / S) / 2)], G being the
    distribution function of Beta(b, a).
    """
    distribution = PairedDifference([counts], prior=prior)
    b, a = counts[2] + prior, counts[1] + prior
    r = counts[0] + counts[3] + 2 * prior
    assert distribution.cdf(0.0) == pytest.approx(
        float(mpmath.betainc(b, a, 0, 0.5, regularized=True)), abs=1e-12
    )
    with mpmath.workdps(20):
        x = mpmath.mpf(0.3 * distribution.standard_deviation())

        def integrand(y):
            # S = x / (1 - y), from x to one.
            s, share = x / (1 - y), mpmath.betainc(b, a, 0, (2 - y) / 2, regularized=True)
            return (share - 1) * s ** (b + a) * (1 - s) ** (r - 1) / (1 - y)

        ends = mpmath.linspace(0, 1 - x, 6)
        expected = 1 + mpmath.quad(integrand, ends) / mpmath.beta(b + a, r)
    assert distribution.cdf(float(x)) == pytest.approx(float(expected), abs=1e-12)
