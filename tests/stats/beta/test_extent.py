"""What the choice of heights, periods and paths rests on, against multiple precision."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats._beta.betas import Betas, heights, ranges
from skpostbac.stats._beta.series import centred_sums, path_of, transforms
from skpostbac.stats._series import DEPTH

EXPONENTS = [(0.1, 0.1), (0.1, 20.1), (1, 1), (1, 60), (2.5, 1.5), (20, 3), (31, 300), (500, 40)]
every_beta = pytest.mark.parametrize(("a", "b"), EXPONENTS, ids=str)
SUMS = {
    "one": ([31], [300], [1.0]),
    "two": ([45, 31], [6, 11], [0.5, 0.5]),
    "signed": ([45, 31, 9], [6, 11, 3], [0.5, -0.2, 1.3]),
    "two scales": ([90000, 31, 9], [6000, 11, 3], [1, 1, 1]),
    "many alike": ([20] * 6, [3] * 6, [1] * 6),
}
every_sum = pytest.mark.parametrize(("a", "b", "weights"), SUMS.values(), ids=SUMS)


def betas(a, b, weights):
    """One sum."""
    return Betas.reflected(*(np.array([values], float) for values in (a, b, weights)))


def log_transform(a, b, weights, z):
    """Log |E[exp(z (X - mean))]|."""
    total = mpmath.mpf(0)
    for u, v, w in zip(a, b, weights, strict=True):
        n, c = mpmath.mpf(u) + v, w * mpmath.mpmathify(z)
        # A negative real argument would cancel.
        up, c = (u, c) if mpmath.re(c) >= 0 else (v, -c)
        whole = mpmath.log(abs(mpmath.hyp1f1(up, n, c, maxterms=10**6)))
        total += whole - mpmath.re(c) * up / n
    return float(total)


@every_beta
def test_modulus_of_a_transform(a, b):
    """That of a Beta falls at least as fast as that of a Gamma variable of its smaller exponent."""
    variance = a * b / ((a + b) ** 2 * (a + b + 1))
    for t in np.geomspace(0.1, 100, 12) / np.sqrt(variance):
        modulus = abs(mpmath.hyp1f1(a, a + b, 1j * t, maxterms=10**6))
        bound = (1 + t**2 * variance / min(a, b)) ** (-min(a, b) / 2)
        assert modulus <= bound * (1 + 1e-9)


@every_beta
def test_growth_of_a_transform(a, b):
    """E[exp(h X)] is below that of a Gamma variable, or of a normal one, by the side."""
    n = a + b
    variance, scale = a * b / (n**2 * (n + 1)), abs(b - a) / (n * (n + 2))
    for share in (0.01, 0.1, 0.4, 0.8, 0.99):
        h = share * min(1 / scale if scale else np.inf, 20 / np.sqrt(variance))
        for up, down in ((a, b), (b, a)):
            y = h * scale if up < down else 0.0
            k = -(np.log1p(-y) + y) / y**2 if y else 0.5
            with mpmath.workdps(25):
                log_mgf = log_transform([up], [down], [1], h)
            assert log_mgf <= variance * h**2 * k * (1 + 1e-9)


@every_sum
def test_transforms_vanish_at_their_heights(a, b, weights):
    """From there on they are below the depth, and a quarter of the height is not enough."""
    sums = betas(a, b, weights)
    height = float(heights(sums)[0])
    # The bound of the modulus, the product of those of the variables, is hardly below the depth.
    logs = sums.count * sums.near * np.log1p(height**2 * sums.variances / sums.near)
    assert DEPTH * (1 - 1e-12) <= 0.5 * logs.sum() < 1.2 * DEPTH
    with mpmath.workdps(40):
        for factor in (1.0, 1.7, 5.0):
            assert log_transform(a, b, weights, 1j * factor * height) <= -DEPTH
        assert log_transform(a, b, weights, 0.25j * height) > -DEPTH


@every_sum
def test_little_is_out_of_range(a, b, weights):
    """By Chernoff's bound, at the best of many rates; half of the range would not do."""
    sums = betas(a, b, weights)
    sd = float(np.sqrt(sums.variance[0]))
    w = np.array(weights, float)
    mean = w @ (np.array(a) / np.add(a, b))
    ends = mean - np.minimum(w, 0).sum(), np.maximum(w, 0).sum() - mean
    rates = np.geomspace(0.5, 200, 40) / sd
    for sign, reach, end in zip((-1, 1), ranges(sums), ends, strict=True):
        with mpmath.workdps(30):
            logs = np.array([log_transform(a, b, weights, sign * h) for h in rates])
        assert reach[0] <= end * (1 + 1e-14)
        assert reach[0] == pytest.approx(end) or (logs - rates * reach[0]).min() <= -DEPTH
        assert (logs - rates * reach[0] / 2).min() > -DEPTH


@pytest.mark.parametrize(("a", "b"), [*EXPONENTS[1:], (0.1, 1.1), (2e4, 3e3), (0.3, 2e4)], ids=str)
@pytest.mark.parametrize("weight", [0.5, -1.0])
def test_transform(a, b, weight):
    """The quadrature on the rotated path, up to the height at which a sum has decayed."""
    sums = betas([a], [b], [weight])
    step = np.minimum(heights(sums), 12 / np.sqrt(sums.variance)) / 31
    values = transforms(sums, path_of(sums, 32 * step), step, 32)[0]
    with mpmath.workdps(30):
        n = mpmath.mpf(a) + mpmath.mpf(b)
        for k in (1, 12, 31):
            t = 1j * mpmath.mpf(step[0]) * k * weight
            exact = mpmath.exp(-t * a / n) * mpmath.hyp1f1(a, n, t, maxterms=10**6)
            assert abs(values[k] - complex(exact)) < 2e-13


def test_series_end_where_transforms_vanish():
    """The others, such as of classes without errors, have a rest that is summed by its corners."""
    weights = np.full((1, 2), 0.5)
    for a, b, ends in (
        ([45, 31], [6, 11], True),
        ([9, 5], [1, 1], False),
        ([0.01, 20], [0.01, 30], True),
        ([0.01, 20], [0.01, 0.1], False),
        ([1e9, 1e8], [1e9, 1e8], True),
    ):
        ((_, series),) = centred_sums(np.array([a], float), np.array([b], float), weights)
        assert (series.corners is None) == ends
        assert series.coefficients.size < 2**15
