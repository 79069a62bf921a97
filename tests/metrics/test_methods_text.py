"""The text for a paper: a reader with SciPy reproduces its numbers."""

import re

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import skpostbac
from skpostbac import (
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    cross_val_posterior,
)

NUMBER = r"(\d+(?:\.\d+)?)"


def read(text):
    """Return what a reader finds: the text on one line, and the numbers of the estimate."""
    plain = text.replace("\n  ", " ").replace("\n", " ")
    estimate = re.search(
        rf"mean is {NUMBER}, and the 95% credible interval {NUMBER} to {NUMBER}\. .* probability "
        rf"of {NUMBER} \(",
        plain,
    )
    return plain, [float(number) for number in estimate.groups()]


def average_of(betas, n_points=1001):
    """Return a grid and the cdf of the mean of two Beta variables, by SciPy's quadrature."""
    grid = np.linspace(0, 1, n_points)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    # At quantiles of the first variable, the second must be below 2 x - theta.
    theta = betas[0].ppf((nodes + 1) / 2)
    return grid, np.array([(weights / 2) @ betas[1].cdf(2 * x - theta) for x in grid])


@pytest.mark.parametrize("prior", ["calibrated", "uniform", "reciprocal", (2, 1)])
def test_a_reader_with_scipy_reproduces_the_balanced_accuracy(prior):
    """From the parameters and counts that the text states, and no others."""
    posterior = PosteriorBalancedAccuracy.from_counts([40, 7], [45, 10], prior=prior)
    text, (mean, low, high, probability) = read(posterior.methods_text())
    a, b = map(float, re.findall(rf"\b[ab] = {NUMBER}", text)[:1] * 2)
    if "Beta(a, b)" in text:
        a, b = map(float, re.search(rf"a = {NUMBER} and b = {NUMBER}", text).groups())
    cells = [tuple(map(int, cell)) for cell in re.findall(r"(\d+) of (\d+)", text)][:2]
    assert cells == [(40, 45), (7, 10)]
    found = re.search(rf"c = 1 - min\(n, {NUMBER}\) / \(n \+ 2 a\)", text)
    factors = [1.0, 1.0]
    if found:
        factors = [1 - min(n, float(found[1])) / (n + 2 * a) for _, n in cells]
    assert bool(found) == (prior == "calibrated")
    betas = [
        stats.beta(c * (a + k), c * (b + n - k))
        for c, (k, n) in zip(factors, cells, strict=True)
    ]
    assert mean == pytest.approx(np.mean([beta.mean() for beta in betas]), abs=6e-5)
    grid, cdf = average_of(betas)
    inside = np.interp(high, grid, cdf) - np.interp(low, grid, cdf)
    assert inside == pytest.approx(probability, abs=3e-4)
    # The hull reaches from the lower of both lower ends to the higher of both upper ends.
    central = np.interp([0.025, 0.975], cdf, grid)
    starts = np.linspace(0, 0.05, 2001)[1:-1]
    widths = np.interp(starts + 0.95, cdf, grid) - np.interp(starts, cdf, grid)
    first = starts[np.argmin(widths)]
    shortest = np.interp([first, first + 0.95], cdf, grid)
    assert low == pytest.approx(min(central[0], shortest[0]), abs=1e-3)
    assert high == pytest.approx(max(central[1], shortest[1]), abs=1e-3)


def test_a_reader_reproduces_the_accuracy():
    """Of one Beta distribution."""
    text, (mean, low, high, probability) = read(
        PosteriorAccuracy.from_counts([30, 8], [32, 10]).methods_text()
    )
    assert "38 of 42 samples correct" in text
    assert "a = 0.5 and b = 0.5 (jeffreys)" in text
    assert "posterior Beta(a + k, b + n - k)" in text
    beta = stats.beta(38.5, 4.5)
    assert mean == pytest.approx(beta.mean(), abs=6e-5)
    assert probability == pytest.approx(beta.cdf(high) - beta.cdf(low), abs=1e-3)
    assert low <= beta.ppf(0.025) + 1e-4
    assert high >= beta.ppf(0.975) - 1e-4


def test_version_references_and_kind_are_named():
    """Of each posterior that writes the text."""
    C = [[30, 2], [1, 8]]
    texts = {
        "balanced": PosteriorBalancedAccuracy.from_confusion_matrix(C).methods_text(),
        "accuracy": PosteriorAccuracy.from_confusion_matrix(C).methods_text(),
        "f1": PosteriorConfusionMetric.from_confusion_matrix(C, "f1").methods_text(),
        "mcc": PosteriorConfusionMetric.from_confusion_matrix(C, "mcc").methods_text(),
    }
    for text in texts.values():
        plain, _ = read(text)
        assert f"skpostbac {skpostbac.__version__}" in plain
        assert "spans the shortest and the equal-tailed interval" in plain
        assert "References: " in plain
    assert "Brodersen" in texts["balanced"]
    # A class by itself has Jeffreys' prior, and other metrics the plain one.
    assert "a = 0.5 and b = 0.5 (jeffreys)" in read(texts["f1"])[0]
    assert "a = 0.5 and b = 0.5 (reciprocal)" in read(texts["mcc"])[0]
    assert "random draws" in read(texts["mcc"])[0]


def test_all_counts_are_given():
    """Of forty classes, as a reader needs them, and of one."""
    totals = np.arange(40) + 10
    text = PosteriorBalancedAccuracy.from_counts(totals - 2, totals).methods_text()
    plain = text.replace("\n  ", " ")
    assert all(f"{total - 2} of {total}" in plain for total in totals)
    single = PosteriorBalancedAccuracy.from_counts([5], [10]).methods_text()
    assert "of 1 class." in single.replace("\n  ", " ")


def test_counts_of_cross_validation_are_whole():
    """With the number they were divided by: 1 + 5 / 4 of five folds."""
    X, y = load_breast_cancer(return_X_y=True)
    posterior = cross_val_posterior(GaussianNB(), X[:, :3], y)
    text, _ = read(posterior.methods_text())
    right = cross_val_predict(GaussianNB(), X[:, :3], y) == y
    cells = [f"{right[y == label].sum()} of {(y == label).sum()}" for label in (0, 1)]
    assert f"Correct predictions of each class: {', '.join(cells)} samples. " in text
    assert "These counts were divided by 2.25 to allow for the variation" in text
