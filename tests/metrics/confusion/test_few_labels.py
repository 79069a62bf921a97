"""Few labelled samples of many predictions: published estimates, formulas, limits, coverage."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from skpostbac import PosteriorConfusionMetric, posterior_confusion_metric
from tests.texts import sentences

from_matrix = PosteriorConfusionMetric.from_confusion_matrix

# Olofsson et al. (2014), Remote Sensing of Environment 148, 42-57, table 8: labelled
# samples, which have the classes of the map as rows there, and the areas of these classes.
CLASSES = ["deforestation", "gain", "forest", "other"]
MAP = np.array([[66, 0, 5, 4], [0, 55, 8, 12], [1, 0, 153, 11], [2, 1, 9, 313]]).T
AREAS = dict(zip(CLASSES, [0.02, 0.015, 0.32, 0.645], strict=True))
THREE = np.array([[40, 6, 3], [5, 30, 9], [2, 8, 25]])


def counts_of(C, factor=1):
    """Return so many predictions for each labelled one."""
    return dict(enumerate((factor * C.sum(axis=0)).tolist()))


def share_of(place):
    """Return the metric of how common a class is."""
    return lambda C: C[:, place].sum(axis=-1)


def test_published_map():
    """Estimates are those of the paper, and spreads about those of its formulas."""

    def of(metric, **options):
        return from_matrix(
            MAP, metric, labels=CLASSES, prediction_shares=AREAS, **options
        )

    n = MAP.sum(axis=0)
    shares = np.array([*AREAS.values()])
    within = MAP / n
    errors = shares**2 * within * (1 - within) / (n - 1)
    joint = within * shares
    true = joint.sum(axis=1)
    recall = np.diagonal(joint) / true
    own = np.diagonal(errors)
    spreads = {
        "precision": np.sqrt(own) / shares,
        "recall": np.sqrt(
            (1 - recall) ** 2 * own + recall**2 * (errors.sum(axis=1) - own)
        )
        / true,
    }
    published = {
        "precision": [0.88, 0.73, 0.93, 0.96],
        "recall": [0.75, 0.85, 0.93, 0.96],
    }
    for metric, estimates in published.items():
        for place, label in enumerate(CLASSES):
            found = of(metric, pos_label=label)
            assert round(found.observed, 2) == estimates[place]
            spread = spreads[metric][place]
            assert found.standard_deviation() == pytest.approx(spread, rel=0.15)

    accuracy = of("accuracy")
    assert round(accuracy.observed, 2) == 0.95
    assert accuracy.standard_deviation() == pytest.approx(np.sqrt(own.sum()), rel=0.1)
    area = of(share_of(0))
    # 235,086 +- 68,418 of 10,000,000 hectares.
    assert area.observed == pytest.approx(0.0235086, abs=1e-7)
    assert area.standard_deviation() == pytest.approx(0.0068418 / 1.96, rel=0.1)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("accuracy", {"prior": "jeffreys"}),
        ("recall", {"average": "macro", "prior": "reciprocal"}),
        ("recall", {"pos_label": 1}),
        ("precision", {"pos_label": 2}),
        ("f1", {"pos_label": 0}),
        ("f1", {"average": "macro", "prior": "uniform"}),
        ("kappa", {"prior": (1, 2)}),
    ],
)
def test_all_labelled(metric, options):
    """It is then the posterior of the confusion matrix alone, with the same prior."""
    alone = from_matrix(THREE, metric, **options)
    found = from_matrix(THREE, metric, prediction_counts=counts_of(THREE), **options)
    assert found.observed == pytest.approx(alone.observed, rel=1e-12)
    p = np.linspace(0.05, 0.95, 10)
    errors = np.sqrt(p * (1 - p) / found.distribution.draws.size)
    assert (
        np.abs(found.distribution.cdf(alone.distribution.icdf(p)) - p) < 5 * errors
    ).all()


def test_default_prior():
    """Jeffreys' for all metrics."""
    known = {"prediction_counts": counts_of(THREE, 10)}
    for options in ({"metric": "recall", "average": "macro"}, {"metric": "accuracy"}):
        found = from_matrix(THREE, **options, **known)
        assert found.prior.name == "jeffreys"
        assert "Prior" not in found.report()
        assert from_matrix(THREE, prior="jeffreys", **options, **known) == found


def test_labels_say_all_of_precision():
    """More predictions do not change it: Beta(25.5, 12.5) of 25 of 37 with Jeffreys' prior."""
    of_labels = stats.beta(25.5, 12.5)
    for known in (
        {"prediction_counts": counts_of(THREE, 50)},
        {"prediction_shares": {0: 7, 1: 1, 2: 3}},
    ):
        found = from_matrix(THREE, "precision", pos_label=2, **known)
        assert found.mean() == pytest.approx(of_labels.mean(), abs=0.002)
        assert found.standard_deviation() == pytest.approx(of_labels.std(), rel=0.02)


def test_moments():
    """Accuracy and share of a class against the moments of products of Beta variables."""
    C = np.array([[30, 4], [6, 20]])
    sizes = np.array([400, 100])
    cells = C + 0.5
    p = cells / cells.sum(axis=0)
    variances = p * (1 - p) / (cells.sum(axis=0) + 1)

    shares = sizes / sizes.sum()
    known = {"prediction_shares": dict(enumerate(shares))}
    for found, mean, variance in (
        (from_matrix(C, "accuracy", **known), np.diag(p), np.diag(variances)),
        (from_matrix(C, share_of(1), **known), p[1], variances[1]),
    ):
        assert found.mean() == pytest.approx(shares @ mean, abs=5e-4)
        assert found.standard_deviation() ** 2 == pytest.approx(
            shares**2 @ variance, rel=0.03
        )

    # q P + (1 - q) R of independent variables.
    q = stats.beta(*(sizes[::-1] + 1.0))
    found = from_matrix(
        C, share_of(1), prediction_counts=dict(enumerate(sizes.tolist()))
    )
    second = (
        q.moment(2) * (p[1, 1] ** 2 + variances[1, 1])
        + (1 - 2 * q.mean() + q.moment(2)) * (p[1, 0] ** 2 + variances[1, 0])
        + 2 * (q.mean() - q.moment(2)) * p[1, 1] * p[1, 0]
    )
    mean = q.mean() * p[1, 1] + (1 - q.mean()) * p[1, 0]
    assert found.mean() == pytest.approx(mean, abs=5e-4)
    assert found.standard_deviation() ** 2 == pytest.approx(second - mean**2, rel=0.03)


def test_many_counts_are_shares():
    """With ever more predictions their shares are known."""
    shares = {0: 0.7, 1: 0.2, 2: 0.1}
    known = from_matrix(THREE, "f1", average="macro", prediction_shares=shares)
    counts = {label: int(10**9 * share) for label, share in shares.items()}
    found = from_matrix(THREE, "f1", average="macro", prediction_counts=counts)
    assert found.observed == pytest.approx(known.observed, rel=1e-12)
    assert found.mean() == pytest.approx(known.mean(), abs=1e-3)
    assert found.standard_deviation() == pytest.approx(
        known.standard_deviation(), rel=0.02
    )


def test_scale_of_shares():
    """Areas are in any unit."""
    found = [
        from_matrix(
            MAP,
            "f1",
            labels=CLASSES,
            prediction_shares={label: unit * area for label, area in AREAS.items()},
        ).credible_interval()
        for unit in (1, 1e7, 1e-300)
    ]
    assert found[1] == pytest.approx(found[0], rel=1e-9)
    assert found[2] == pytest.approx(found[0], rel=1e-9)


def test_names_of_labels():
    """Neither names nor the order of the numbers matter."""
    found = from_matrix(MAP, "f1", labels=CLASSES, prediction_shares=AREAS)
    backwards = dict(reversed(AREAS.items()))
    again = from_matrix(MAP, "f1", labels=CLASSES, prediction_shares=backwards)
    assert again == found
    renamed = dict(zip("abcd", AREAS.values(), strict=True))
    again = from_matrix(MAP, "f1", labels=list("abcd"), prediction_shares=renamed)
    assert again == found
    turned = from_matrix(
        MAP[::-1, ::-1], "f1", labels=CLASSES[::-1], prediction_shares=AREAS
    )
    error = np.hypot(*(one.summary()["monte_carlo_error"] for one in (found, turned)))
    assert abs(turned.mean() - found.mean()) < 5 * error


def test_labels_and_case_weights():
    """Labels, a table of them with numbers of cases and their matrix are one posterior."""
    true, pred = np.indices(THREE.shape).reshape(2, -1)
    many = pd.Series(np.repeat(pred, 20 * THREE.ravel()))
    known = {"prediction_counts": many.value_counts()}
    from_labels = posterior_confusion_metric(
        np.repeat(true, THREE.ravel()), np.repeat(pred, THREE.ravel()), "f1", **known
    )
    table = {"sample_weight": THREE.ravel()}
    assert posterior_confusion_metric(true, pred, "f1", **table, **known) == from_labels
    assert from_matrix(THREE, "f1", **known) == from_labels


def test_coverage_by_enumeration():
    """All outcomes of eight labels of each prediction; errors are often none of the eight."""
    n = 8
    shares = np.array([0.9, 0.1])
    known = {"prediction_shares": dict(enumerate(shares)), "n_draws": 4000}
    truths = np.array(list(product([0.03, 0.1, 0.25], [0.5, 0.75, 0.95])))
    held = np.zeros((2, len(truths)))
    for hits in product(range(n + 1), repeat=2):
        C = np.array([[n - hits[0], n - hits[1]], hits])
        low, high = from_matrix(C, share_of(1), **known).credible_interval()
        p = np.divide(hits, n)
        spread = 1.96 * np.sqrt(shares**2 @ (p * (1 - p)) / (n - 1))
        ends = [(low, high), (shares @ p - spread, shares @ p + spread)]
        probability = stats.binom.pmf(hits, n, truths).prod(axis=1)
        true = truths @ shares
        for row, (low, high) in zip(held, ends, strict=True):
            row += probability * ((low <= true) & (true <= high))
    posterior, formula = held
    assert posterior.mean() > 0.93
    assert posterior.min() > 0.85
    assert formula.min() < 0.5


def test_words():
    """What is estimated is said, and what the observed value is of."""
    report = sentences(from_matrix(THREE, "f1", prediction_counts=counts_of(THREE, 10)))
    assert "on the weighted test samples" in report
    assert "weighted by 1280 predictions, a sample of the population." in report
    known = {"prediction_shares": {0: 7, 1: 1, 2: 3}}
    shares = from_matrix(THREE, "f1", **known)
    assert "weighted by known shares of the predicted classes." in shares.report()
    methods = " ".join(shares.methods_text().split())
    assert "columns have Dirichlet posteriors and are weighted by known" in methods
    assert "rows have" not in methods


Y = {"y_true": [0, 0, 1, 1], "y_pred": [0, 1, 1, 1]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prediction_counts": {0: 5}}, "prediction_counts must have the labels"),
        ({"prediction_shares": {0: 5, 1: 1, 2: 3}}, "prediction_shares must have the"),
        (
            {"prediction_counts": {0: 5, 1: 2}},
            "prediction_counts of 1 is 2, but this is",
        ),
        ({"prediction_counts": {0: 5, 1: 7.5}}, "must be whole numbers, got 7.5"),
        ({"prediction_counts": {0: 5, 1: -7}}, "prediction_counts must be finite and"),
        ({"prediction_shares": {0: 0, 1: 0}}, "prediction_shares must not be all zero"),
        (
            {"prediction_shares": {0: 0, 1: 1}},
            "prediction_shares of 0 is 0, but this is",
        ),
        ({"prediction_shares": {0: np.nan, 1: 1}}, "prediction_shares must be finite"),
        ({"prediction_shares": {0: "a", 1: 1}}, "prediction_shares must be"),
        (
            {"prediction_counts": {0: 5, 1: 7}, "prediction_shares": {0: 5, 1: 7}},
            "prediction_counts or prediction_shares, not both",
        ),
        (
            {"prediction_counts": {0: 5, 1: 7}, "prevalence": "observed"},
            "prevalence='observed' contradicts prediction_counts",
        ),
        (
            {"prediction_shares": {0: 5, 1: 7}, "prevalence": [0.5, 0.5]},
            "contradicts prediction_shares",
        ),
        (
            {"prediction_counts": {0: 5, 1: 7}, "groups": [0, 0, 1, 1]},
            "leave out groups and importance weights",
        ),
        (
            {"prediction_shares": {0: 5, 1: 7}, "weight_type": "importance"}
            | {"sample_weight": [1, 1, 1, 2]},
            "leave out groups and importance weights",
        ),
        (
            {"prediction_counts": {0: 5, 1: 7}, "y_pred": [0, 1, 1, 3]},
            "prediction_counts needs all labels of y_pred",
        ),
        (
            {"prediction_counts": {0: 5, 1: 7}, "labels": [0, 1]}
            | {"y_true": [0, 0, 1, 2]},
            "labels must have all classes of y_true",
        ),
        (
            {"prediction_counts": {0: 5, 1: 7, 2: 4}, "labels": [0, 1, 2]},
            "prediction_counts of 2 is 4, but this is the prediction of 0 labelled samples",
        ),
    ],
)
def test_errors(options, message):
    """Each names the argument."""
    with pytest.raises(ValueError, match=re.escape(message)):
        posterior_confusion_metric(metric="accuracy", **(Y | options))


def test_no_dict():
    """An array has no labels."""
    with pytest.raises(TypeError, match="prediction_counts must be a dict by label"):
        posterior_confusion_metric(**Y, metric="accuracy", prediction_counts=[5, 7])
