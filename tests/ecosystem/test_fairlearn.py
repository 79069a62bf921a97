"""fairlearn's MetricFrame, with scores and with whole posteriors."""

from functools import partial

import numpy as np
import pytest

from skpostbac import (
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    subgroup_posteriors,
)

metrics = pytest.importorskip("fairlearn.metrics")

# A group with one class alone has both, by their labels.
SCORE = partial(posterior_balanced_accuracy_score, labels=[0, 1])

RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 2, 300)
Y_PRED = np.where(RNG.random(300) < 0.8, Y_TRUE, 1 - Y_TRUE)
SITE = RNG.choice(["north", "south", "west"], 300)


def test_scores_by_group_are_those_of_the_groups():
    """The posterior mean of each group."""
    frame = metrics.MetricFrame(
        metrics={"score": SCORE}, y_true=Y_TRUE, y_pred=Y_PRED, sensitive_features=SITE
    )
    groups = subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=SITE)
    for name, posterior in zip(groups.names, groups.posteriors, strict=True):
        assert frame.by_group["score"][name] == pytest.approx(posterior.mean())


def test_a_group_of_one_class_needs_the_labels():
    """MetricFrame calls a metric on each group alone, which knows no other classes."""
    y_true = np.where(SITE == "west", 1, Y_TRUE)
    frame = metrics.MetricFrame(
        metrics={"score": SCORE}, y_true=y_true, y_pred=Y_PRED, sensitive_features=SITE
    )
    west = SITE == "west"
    right = (Y_PRED[west] == 1).mean()
    # Of the missing class only the prior is known, whose mean is 1/2.
    expected = (0.5 + (right * west.sum() + 0.5) / (west.sum() + 1)) / 2
    assert frame.by_group["score"]["west"] == pytest.approx(expected)


def test_whole_posteriors_are_values_of_a_frame():
    """MetricFrame keeps whatever a metric returns."""
    frame = metrics.MetricFrame(
        metrics={"posterior": partial(posterior_balanced_accuracy, labels=[0, 1])},
        y_true=Y_TRUE,
        y_pred=Y_PRED,
        sensitive_features=SITE,
    )
    groups = subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=SITE)
    alone = dict(zip(groups.names, groups.posteriors, strict=True))
    assert dict(frame.by_group["posterior"]) == alone


def test_the_posterior_of_the_gap_reaches_below_the_observed_gap():
    """The observed gap of equally good groups is above zero, and a bootstrap stays near it."""
    frame = metrics.MetricFrame(
        metrics={"score": SCORE},
        y_true=Y_TRUE,
        y_pred=Y_PRED,
        sensitive_features=SITE,
        n_boot=100,
        ci_quantiles=[0.025, 0.975],
        random_state=0,
    )
    low = frame.difference_ci()[0]["score"]
    gap = subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=SITE).gap
    assert gap.credible_interval(method="central").low < low
