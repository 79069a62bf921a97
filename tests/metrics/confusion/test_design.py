"""Metrics of samples with groups and importance weights: design effects by other routes."""

import numpy as np
import pytest

from skpostbac import (
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_confusion_metric,
)
from skpostbac.metrics import GroupsWarning
from tests.metrics.dependence import slow
from tests.metrics.dependence.slow import draw

pytestmark = pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
N_DRAWS = 2000


def metric_of(y, y_pred, metric, **options):
    return posterior_confusion_metric(
        y, y_pred, metric, n_draws=N_DRAWS, random_state=0, **options
    )


@pytest.fixture(scope="module")
def crossing():
    """Labels, predictions and groups of three classes that have samples of several."""
    y, y_pred, _, groups = draw(3, n=300, n_groups=20)
    return y, y_pred, groups


def test_macro_recall_is_the_balanced_accuracy():
    """Groups of one class each have the design effects of the classes."""
    y, y_pred, _, groups = draw(2, n=300, nested=True)
    found = metric_of(y, y_pred, "recall", groups=groups)
    expected = posterior_balanced_accuracy(y, y_pred, groups=groups)
    assert found.mean() == pytest.approx(expected.mean(), rel=1e-6)
    spread = expected.standard_deviation()
    assert found.standard_deviation() == pytest.approx(spread, rel=1e-6)
    np.testing.assert_allclose(
        found.design_effects.design_effect,
        expected.design_effects.design_effect,
        rtol=1e-6,
    )


def test_accuracy_is_that_of_one_class(crossing):
    """All samples together, as the posterior of the accuracy has them."""
    y, y_pred, groups = crossing
    found = metric_of(y, y_pred, "accuracy", groups=groups)
    prior = found.prior.a.sum(), found.prior.b.sum()
    expected = posterior_accuracy(y, y_pred, groups=groups, prior=prior)
    assert found.standard_deviation() == pytest.approx(
        expected.standard_deviation(), rel=1e-6
    )


@pytest.mark.parametrize(
    ("metric", "domain"),
    [
        ("recall", lambda y, p: y == 1),
        ("precision", lambda y, p: p == 1),
        ("negative_predictive_value", lambda y, p: p != 1),
        ("jaccard", lambda y, p: (y == 1) | (p == 1)),
        ("f1", lambda y, p: (y == 1) | (p == 1)),
    ],
)
def test_shares_of_some_samples(metric, domain, crossing):
    """Shares have the design effect of hits among these samples, and F1 that of Jaccard's index."""
    y, y_pred, groups = crossing
    kept = domain(y, y_pred)
    # A predictive value is about whether the samples are of the class.
    right = (
        (y != 1) if metric == "negative_predictive_value" else (y == 1) & (y_pred == 1)
    )
    right = right[kept]
    *_, deff = slow.effects(
        np.zeros(kept.sum()), groups[kept], right.astype(int), (~right, right)
    )
    effects = metric_of(y, y_pred, metric, pos_label=1, groups=groups).design_effects
    assert effects.design_effect.max() == pytest.approx(deff[0], rel=1e-5)
    assert effects.effective_size.sum() == pytest.approx(kept.sum() / deff[0], rel=1e-5)


def expected_shares(y, y_pred):
    """Return the posterior means of the shares of the cells of three classes."""
    prior = 1 / 3 / 2
    C = np.full((3, 3), prior) + np.eye(3) * (1 / 3 - prior)
    np.add.at(C, (y, y_pred), 1)
    return C / C.sum()


def test_influences_of_recalls_across_classes(crossing):
    """Samples of several classes in a group are not independent, and count as one class."""
    y, y_pred, groups = crossing
    P = expected_shares(y, y_pred)
    slope = ((y == y_pred) - (np.diag(P) / P.sum(axis=1))[y]) / P.sum(axis=1)[y]
    *_, deff = slow.effects(np.zeros(len(y)), groups, slope, (slope < 0, slope > 0))
    effects = metric_of(y, y_pred, "recall", groups=groups).design_effects
    assert effects.design_effect == pytest.approx(deff, rel=1e-5)


def test_influences_of_kappa(crossing):
    """They are those of its derivatives by hand."""
    y, y_pred, groups = crossing
    kappa = metric_of(y, y_pred, "kappa", groups=groups)
    P = expected_shares(y, y_pred)
    rows, columns, po = P.sum(axis=1), P.sum(axis=0), np.trace(P)
    pe = rows @ columns
    # Fleiss, Cohen and Everitt (Psychological Bulletin 72, 1969).
    slope = (y == y_pred) / (1 - pe) - (1 - po) / (1 - pe) ** 2 * (
        columns[y] + rows[y_pred]
    )
    slope -= (po / (1 - pe)) - (1 - po) / (1 - pe) ** 2 * 2 * pe
    *_, deff = slow.effects(np.zeros(len(y)), groups, slope, (slope < 0, slope > 0))
    assert kappa.design_effects.design_effect[0] == pytest.approx(deff[0], rel=1e-5)


@pytest.mark.parametrize("prevalence", ["sampled", "observed", [0.5, 0.3, 0.2]])
@pytest.mark.parametrize("metric", ["f1", "mcc", "recall"])
def test_groups_of_one_change_nothing(metric, prevalence, crossing):
    """The posterior is exactly that without groups."""
    y, y_pred, _ = crossing
    alone = metric_of(y, y_pred, metric, prevalence=prevalence)
    found = metric_of(
        y, y_pred, metric, prevalence=prevalence, groups=np.arange(len(y))
    )
    assert found.mean() == alone.mean()
    assert found.observed == alone.observed


@pytest.mark.parametrize("metric", ["recall", "accuracy", "f1"])
def test_importance_weights(metric, crossing):
    """Their scale does not matter; recalls and the accuracy are those of other functions."""
    y, y_pred, groups = crossing
    weight = np.random.default_rng(0).lognormal(size=len(y))
    options = {"sample_weight": weight, "weight_type": "importance"}
    found = metric_of(y, y_pred, metric, **options)
    larger = metric_of(y, y_pred, metric, **{**options, "sample_weight": 1e4 * weight})
    assert larger.mean() == pytest.approx(found.mean(), rel=1e-6)
    assert larger.standard_deviation() == pytest.approx(
        found.standard_deviation(), rel=1e-6
    )
    if metric == "recall":
        spread = posterior_balanced_accuracy(y, y_pred, **options).standard_deviation()
        assert found.standard_deviation() == pytest.approx(spread, rel=1e-6)
    assert "n_effective" in repr(found)
    both = metric_of(y, y_pred, metric, groups=groups, **options)
    assert both.standard_deviation() > found.standard_deviation()


def test_few_groups_are_warned_of(crossing):
    """As by the other posteriors; all samples are one class, which has no name."""
    y, y_pred, groups = crossing
    with pytest.warns(
        GroupsWarning, match="One group contains a third or more of the samples\\."
    ):
        metric_of(
            y, y_pred, "mcc", groups=np.where(np.arange(len(y)) < 150, -1, groups)
        )
