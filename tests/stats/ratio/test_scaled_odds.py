"""Variables whose odds are a multiple of those of a Beta variable: against SciPy and mpmath."""

import mpmath
import numpy as np
import pytest
from scipy import optimize, stats

from skpostbac.stats import BetaAverage, BetaRatio, LibbyNovickBeta

CASES = {
    "f1": (22, 10, 2),
    "few": (1.5, 0.5, 2),
    "nothing known": (0.5, 0.5, 0.5),
    "rare": (3.5, 4e4, 30),
    "perfect": (1e6, 0.5, 2),
    "tiny exponents": (0.02, 0.3, 2),
    "the same odds": (7, 3, 1),
}
every_case = pytest.mark.parametrize(("a", "b", "factor"), CASES.values(), ids=CASES)
LEVELS = np.array([1e-9, 0.025, 0.3, 0.5, 0.9, 0.999])


def image(share, factor):
    """The variable, of the share whose odds are multiplied."""
    return factor * share / (1 - share + factor * share)


@every_case
def test_probabilities_by_multiple_precision(a, b, factor):
    """Both tails to 1e-12, the smaller one to 1e-9 of itself."""
    variable, x = LibbyNovickBeta(a, b, factor), image(stats.beta(a, b).ppf(LEVELS), factor)
    for place in x[(x > 0) & (x < 1)]:
        with mpmath.workdps(40):
            t = mpmath.mpf(place)
            share = t / (t + factor * (1 - t))
            low = mpmath.betainc(a, b, 0, share, regularized=True)
            tails = [float(low), float(1 - low)]
            smaller = float(mpmath.log(min(low, 1 - low)))
        found = [variable.cdf(place), variable.ccdf(place)]
        np.testing.assert_allclose(found, tails, rtol=0, atol=1e-12)
        log_tail = min(variable.logcdf(place), variable.logccdf(place))
        assert log_tail == pytest.approx(smaller, rel=1e-13, abs=1e-9)


@every_case
def test_quantiles_and_density(a, b, factor):
    """Those of SciPy's Beta distribution, transformed."""
    variable, share = LibbyNovickBeta(a, b, factor), stats.beta(a, b)
    at = share.ppf(LEVELS[1:])
    np.testing.assert_allclose(variable.icdf(LEVELS[1:]), image(at, factor), rtol=1e-10, atol=1e-15)
    x = np.asarray(variable.icdf([0.1, 0.5, 0.8]))
    inner = x / (x + factor * (1 - x))
    slope = factor / (x + factor * (1 - x)) ** 2
    np.testing.assert_allclose(variable.logpdf(x), share.logpdf(inner) + np.log(slope), rtol=1e-9)


@pytest.mark.parametrize("case", ["f1", "few", "nothing known", "tiny exponents"])
def test_moments_by_multiple_precision(case):
    """Mean, variance, skewness and kurtosis, by integrals over the log-odds in 30 digits."""
    a, b, factor = CASES[case]
    variable = LibbyNovickBeta(a, b, factor)
    with mpmath.workdps(30):
        log_beta = mpmath.log(mpmath.beta(a, b))

        def mean_of(function):
            def integrand(z):
                density = mpmath.exp(a * z - (a + b) * mpmath.log1p(mpmath.exp(z)) - log_beta)
                share = factor / (factor + mpmath.exp(-z))
                return density * function(share)

            cuts = [-mpmath.inf, -100, -20, -5, -1, 0, 1, 5, 20, 100, mpmath.inf]
            return mpmath.quad(integrand, cuts)

        mean = mean_of(lambda x: x)
        second, third, fourth = (mean_of(lambda x, k=k: (x - mean) ** k) for k in (2, 3, 4))
        expected = mean, second, third / second**1.5, fourth / second**2 - 3
    found = variable.mean(), variable.variance(), variable.skewness(), variable.kurtosis()
    np.testing.assert_allclose(found, np.array(expected, float), rtol=1e-10)


@every_case
def test_shortest_interval(a, b, factor):
    """As short as that of a search over the lower tails of SciPy's Beta distribution."""
    low, high = LibbyNovickBeta(a, b, factor).hdi(0.9)
    share = stats.beta(a, b)

    def ends(tail):
        return image(share.ppf(tail), factor), image(share.isf(0.1 - tail), factor)

    tails = np.linspace(0, 0.1, 401)
    widths = np.subtract(*ends(tails)[::-1])
    around = tails[np.clip(np.argmin(widths) + np.array([-1, 1]), 0, 400)]
    found = optimize.minimize_scalar(
        lambda tail: np.subtract(*ends(tail)[::-1]), bounds=around, method="bounded"
    )
    assert high - low <= min(found.fun, widths.min()) * (1 + 1e-9)
    inner = np.array([low, high]) / (np.array([low, high]) * (1 - factor) + factor)
    assert share.cdf(inner[1]) - share.cdf(inner[0]) == pytest.approx(0.9, abs=1e-9)


def test_a_ratio_of_two_variables_without_influence_of_one():
    """F1 as a ratio of forms in the share of true positives and in another variable."""
    f1 = LibbyNovickBeta(22, 10, 2)
    ratio = BetaRatio(
        BetaAverage([22], [10]), BetaAverage([4], [6]), [[0, 0], [2, 2]], [[1, 1], [2, 2]]
    )
    p = np.array([1e-9, 1e-3, 0.4, 0.99])
    np.testing.assert_allclose(f1.icdf(p), ratio.icdf(p), rtol=1e-10)
    assert f1.mode() == pytest.approx(ratio.mode(), rel=1e-10)
    assert f1.support() == (0, 1)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((0, 1, 2), "a"), ((1, np.nan, 2), "b"), ((1, 1, 0), "factor"), ((1, 1, 1e300), "factor")],
    ids=str,
)
def test_parameters_are_checked(arguments, name):
    """By name."""
    with pytest.raises(ValueError, match=f"^{name} must be between"):
        LibbyNovickBeta(*arguments)


@pytest.mark.parametrize(("a", "b", "factor"), [(9251.6, 28.5, 2.49), (100, 7, 3)])
def test_probabilities_are_at_most_one(a, b, factor):
    """Though they are sums of rounded masses."""
    distribution = LibbyNovickBeta(a, b, factor=factor)
    away = distribution.standard_deviation() * np.linspace(-12, 12, 97)
    x = np.concatenate([distribution.mean() + away, np.linspace(0, 1, 2001)])
    for tail in (distribution.cdf(x), distribution.ccdf(x)):
        assert tail.max() <= 1
        assert tail.min() >= 0
