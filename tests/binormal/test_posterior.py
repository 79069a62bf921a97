"""The posterior of the binormal model, against SciPy's distributions and quadrature."""

from dataclasses import fields

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, chi2, kstest, norm, t
from sklearn.metrics import average_precision_score, roc_auc_score

from skpostbac import posterior_average_precision, posterior_roc_auc
from skpostbac.binormal import (
    BinormalModel,
    EmpiricalAreas,
    PosteriorBinormal,
    ScoreMoments,
    posterior_binormal,
)
from tests.texts import sentences

N_NEGATIVE, N_POSITIVE = 12, 7
RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [N_NEGATIVE, N_POSITIVE])
SCORES = np.concatenate([RNG.normal(-1, 1, N_NEGATIVE), RNG.normal(1, 2, N_POSITIVE)])
# Tests compare with exact distributions: a p-value below this would be one in ten thousand.
SIGNIFICANCE = 1e-4


def columns(result):
    """Return the arrays of a result, in the order of its fields."""
    return [getattr(result, field.name) for field in fields(result)]


@pytest.fixture(scope="module")
def posterior():
    """Return a posterior with many draws."""
    return posterior_binormal(Y, SCORES, n_draws=20_000, random_state=0)


def sample(label):
    """Return number, mean and standard deviation of the scores of a class."""
    values = SCORES[label == Y]
    return len(values), values.mean(), values.std(ddof=1)


@pytest.mark.parametrize("label", [0, 1])
def test_draws_of_the_parameters(posterior, label):
    """Normal-inverse-gamma: the variance, the mean, and the mean given the variance."""
    n, mean, sd = sample(label)
    means, sds = columns(posterior.parameters)[2 * label : 2 * label + 2]
    distributions = [
        ((n - 1) * sd**2 / sds**2, chi2(n - 1)),
        (means, t(n - 1, mean, sd / np.sqrt(n))),
        ((means - mean) / (sds / np.sqrt(n)), norm()),
    ]
    for draws, distribution in distributions:
        assert kstest(draws, distribution.cdf).pvalue > SIGNIFICANCE
    deviates = np.abs(means - mean) / sds
    assert abs(np.corrcoef(deviates, sds)[0, 1]) < 0.03  # four standard errors


def test_draws_of_the_positive_fraction(posterior):
    """Beta, from a flat prior; or as given. Classes are independent, to four standard errors."""
    distribution = beta(1 + N_POSITIVE, 1 + N_NEGATIVE)
    assert (
        kstest(posterior.parameters.positive_fraction, distribution.cdf).pvalue
        > SIGNIFICANCE
    )
    known = posterior_binormal(Y, SCORES, positive_fraction=0.1, random_state=0)
    assert set(known.parameters.positive_fraction) == {0.1}
    correlations = np.corrcoef(np.array(columns(posterior.parameters)))
    assert np.abs(correlations[:2, 2:]).max() < 0.03


def test_mean_of_the_area_under_the_roc_curve(posterior):
    """It is the probability that a new positive scores higher: both are Student's t."""
    negative, positive = (
        t(n - 1, mean, sd * np.sqrt(1 + 1 / n)) for n, mean, sd in map(sample, (0, 1))
    )
    expected, _ = quad(lambda x: negative.cdf(x) * positive.pdf(x), -np.inf, np.inf)
    area = posterior.roc_auc()
    assert area.mean() == pytest.approx(expected, abs=4 * area.monte_carlo_error())
    assert area.monte_carlo_error() < 0.001


@pytest.mark.parametrize("fraction", [None, 0.05], ids=["sample", "rare"])
def test_areas_are_those_of_the_drawn_models(fraction):
    """One model for each draw, of which more than are integrated at a time."""
    posterior = posterior_binormal(
        Y, SCORES, n_draws=1050, positive_fraction=fraction, random_state=0
    )
    models = [
        BinormalModel(*row) for row in zip(*columns(posterior.parameters), strict=True)
    ]
    areas = sorted(model.roc_auc() for model in models)
    np.testing.assert_allclose(posterior.roc_auc().draws, areas, rtol=1e-12)
    averages = sorted(model.average_precision() for model in models)
    np.testing.assert_allclose(posterior.average_precision().draws, averages, rtol=1e-9)


def test_bands_are_quantiles_of_the_drawn_curves():
    """At each point, by SciPy's normal distribution."""
    posterior = posterior_binormal(
        Y, SCORES, n_draws=500, positive_fraction=0.3, random_state=0
    )
    draws = posterior.parameters
    negative = norm(draws.mean_negative, draws.sd_negative)
    positive = norm(draws.mean_positive, draws.sd_positive)
    band = posterior.roc_band(0.8, fpr=[0, 0.2, 0.7, 1])
    for x, *middle in list(zip(*columns(band), strict=True))[1:-1]:
        curve = positive.sf(negative.isf(x))
        np.testing.assert_allclose(
            middle, np.quantile(curve, [0.5, 0.1, 0.9]), rtol=1e-10
        )
    assert [band.low[0], band.high[0], band.low[-1], band.high[-1]] == [0, 0, 1, 1]
    band = posterior.precision_recall_band(0.8, recall=[0.2, 0.7, 1])
    for x, *middle in list(zip(*columns(band), strict=True))[:-1]:
        curve = 0.3 * x / (0.3 * x + 0.7 * negative.sf(positive.isf(x)))
        np.testing.assert_allclose(
            middle, np.quantile(curve, [0.5, 0.1, 0.9]), rtol=1e-10
        )
    assert [band.low[-1], band.high[-1]] == pytest.approx([0.3, 0.3])


def test_bands_have_a_default_grid(posterior):
    """Of 101 points, from 0 to 1; where recall is 0, the limits."""
    for band in (posterior.roc_band(), posterior.precision_recall_band()):
        assert band.x.tolist() == np.linspace(0, 1, 101).tolist()
        assert np.all((band.low <= band.median) & (band.median <= band.high))
        assert np.all((band.low >= 0) & (band.high <= 1))


def test_weights_and_seeds():
    """Doubled weights are doubled samples; equal seeds have equal draws, a generator moves on."""
    twice = posterior_binormal(
        Y, SCORES, sample_weight=np.full(len(Y), 2), random_state=3
    )
    repeated = posterior_binormal(np.tile(Y, 2), np.tile(SCORES, 2), random_state=3)
    assert twice.negative == pytest.approx(repeated.negative)
    draws = [one.roc_auc().draws for one in (twice, repeated)]
    np.testing.assert_allclose(*draws, rtol=1e-9)
    first, second, other = (
        posterior_binormal(Y, SCORES, random_state=seed) for seed in (3, 3, 4)
    )
    assert (first, hash(first)) == (second, hash(second))
    assert first != other
    rng = np.random.default_rng(0)
    moving = [posterior_binormal(Y, SCORES, random_state=rng) for _ in range(2)]
    assert moving[0] != moving[1]


@pytest.mark.parametrize("fraction", [None, 0.05], ids=["sample", "rare"])
@pytest.mark.filterwarnings("ignore::skpostbac.binormal.BinormalAssumptionWarning")
def test_empirical_areas_are_those_of_scikit_learn(fraction):
    """With ties and weights, and for another fraction of positives."""
    rng = np.random.default_rng(3)
    y = np.arange(100) % 5 < 2
    for _ in range(20):
        score, weight = rng.integers(-6, 6, 100).astype(float), rng.random(100) + 0.1
        options = {"positive_fraction": fraction, "sample_weight": weight, "n_draws": 2}
        found = posterior_binormal(y, score, **options, random_state=0).empirical
        share = weight[y].sum() / weight.sum()
        if fraction is not None:
            weight = weight * np.where(
                y, fraction / share, (1 - fraction) / (1 - share)
            )
        assert found.roc_auc == pytest.approx(
            roc_auc_score(y, score, sample_weight=weight)
        )
        assert found.average_precision == pytest.approx(
            average_precision_score(y, score, sample_weight=weight)
        )


@pytest.mark.parametrize("fraction", [None, 0.05], ids=["sample", "rare"])
def test_empirical_areas_stand_beside_those_of_the_model(fraction, read_html):
    """In the summary, the report, the repr and the HTML view."""
    posterior = posterior_binormal(
        Y, SCORES, positive_fraction=fraction, n_draws=200, random_state=0
    )
    auc, precision = posterior.empirical
    rows = posterior.summary(0.8)
    assert [row["name"] for row in rows] == ["roc_auc", "average_precision"]
    assert [row["empirical"] for row in rows] == [auc, precision]
    for row, area in zip(
        rows, (posterior.roc_auc(), posterior.average_precision()), strict=True
    ):
        assert row["mean"] == area.mean()
        assert (row["low"], row["high"]) == area.credible_interval(0.8)
    assert f"empirical={auc:.3f}, n_negative=12" in repr(posterior)
    lines = sentences(posterior).splitlines()
    assert lines[0].startswith("From the scores of 12 negatives and 7 positives")
    assert ("population with 5% positives" in lines[0]) == (fraction is not None)
    free, share = posterior.without_model, fraction or "sampled"
    same = (
        posterior_roc_auc(Y, SCORES),
        posterior_average_precision(Y, SCORES, prevalence=share),
    )
    for one, other in zip(free, same, strict=True):
        assert one.mean() == pytest.approx(
            other.mean(), abs=6 * one.monte_carlo_error()
        )
        assert one.observed == pytest.approx(other.observed, abs=1e-12)
    for line, area, observed in zip(lines[1:], free, (auc, precision), strict=True):
        low, high = area.credible_interval()
        other = f"{area.mean():.3f} (95% credible interval {low:.3f} to {high:.3f}) without a model"
        assert line.endswith(
            f"by the binormal model, {other}, {observed:.3f} in the samples."
        )
    assert {f"{auc:.3f}", f"{precision:.3f}"} <= set(
        read_html(posterior._repr_html_()).text
    )


def test_report_tells_of_an_empirical_area_outside():
    """And only then; from moments alone there is nothing empirical."""
    samples = ScoreMoments(100, 0, 1), ScoreMoments(100, 1, 1)
    posterior = PosteriorBinormal(*samples, empirical=EmpiricalAreas(0.9, 0.76))
    lines = sentences(posterior).splitlines()
    is_outside = [
        line.startswith("The value in the samples is outside") for line in lines
    ]
    assert is_outside == [0, 0, 1, 0]
    posterior = PosteriorBinormal(*samples, n_draws=100)
    assert "in the samples" not in posterior.report()
    assert "empirical" not in repr(posterior)
    assert [row["empirical"] for row in posterior.summary()] == [None, None]
    assert posterior._repr_html_()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"positive_fraction": 0},
            ValueError,
            "positive_fraction must be a number strictly",
        ),
        (
            {"positive_fraction": "a"},
            ValueError,
            "positive_fraction must be a number strictly",
        ),
        ({"n_draws": 1}, ValueError, "n_draws"),
        ({"n_draws": 10.5}, TypeError, "n_draws"),
        ({"sample_weight": [-1] * 19}, ValueError, "sample_weight must be finite"),
        ({"pos_label": 2}, ValueError, "pos_label=2 is not a valid label"),
        (
            {"fpr": [0, 1.1]},
            ValueError,
            r"fpr must be in \[0, 1\], got 1.1 at position 1",
        ),
        ({"fpr": [np.nan]}, ValueError, r"fpr must be in \[0, 1\], got nan"),
        ({"fpr": 0.5}, ValueError, "fpr must be 1-dimensional"),
        ({"level": 1}, ValueError, "level must be a number strictly between"),
    ],
    ids=str,
)
def test_bad_options(options, error, message, posterior):
    """One clear error, of the function or of a band."""
    make = (
        posterior.roc_band if {"fpr", "level"} & options.keys() else posterior_binormal
    )
    arguments = () if {"fpr", "level"} & options.keys() else (Y, SCORES)
    with pytest.raises(error, match=message):
        make(*arguments, **options)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"negative": ScoreMoments(1, 0, 1)}, "negative.n must be at least 2, got 1"),
        (
            {"negative": ScoreMoments(np.inf, 0, 1)},
            "negative.n must be a finite number, got inf",
        ),
        (
            {"negative": ScoreMoments("5", 0, 1)},
            "negative.n must be a finite number, got '5'",
        ),
        (
            {"positive": ScoreMoments(5, np.nan, 1)},
            "positive.mean must be a finite number, got nan",
        ),
        (
            {"positive": ScoreMoments(5, [0], 1)},
            r"positive.mean must be a finite number, got \[0\]",
        ),
        (
            {"positive": ScoreMoments(5, 10**400, 1)},
            "positive.mean must be a finite number, got 1",
        ),
        ({"positive": ScoreMoments(5, 0, 0)}, "positive.sd must be positive, got 0"),
        ({"positive": ScoreMoments(5, 0, -1)}, "positive.sd must be positive, got -1"),
        ({"negative": (5, 0, 1)}, r"negative must be ScoreMoments, got \(5, 0, 1\)"),
        ({"negative": [0, 1, 2]}, r"negative must be ScoreMoments, got \[0, 1, 2\]"),
        ({"negative": ScoreMoments(5, 0, 1e-310)}, "too different in scale"),
        ({"empirical": 0.9}, "empirical must be EmpiricalAreas or None, got 0.9"),
        (
            {"empirical": EmpiricalAreas(np.nan, 1)},
            r"empirical.roc_auc must be in \[0, 1\], got nan",
        ),
        (
            {"empirical": EmpiricalAreas(1, "1")},
            r"empirical.average_precision must be in \[0, 1\]",
        ),
        ({"positive_fraction": 2.0}, "positive_fraction must be"),
        ({"n_draws": 1}, "n_draws == 1, must be >= 2"),
        ({"seed": -1}, "seed must not be negative, got -1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_direct_construction_is_checked(changed, message):
    """As `posterior_binormal` checks its arguments."""
    valid = {"negative": ScoreMoments(5, 0, 1), "positive": ScoreMoments(5, 1, 1)}
    with pytest.raises(ValueError, match=message):
        PosteriorBinormal(**{**valid, **changed})
