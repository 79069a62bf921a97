"""Priors by name, by pair and by array, as objects, and weights of the classes in the average."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    posterior_balanced_accuracy,
    posterior_prevalence,
    posterior_threshold_curve,
)
from skpostbac.metrics import BetaPrior, CalibratedPrior
from skpostbac.metrics._prior import PRIOR_NAMES

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "doc" / "user_guide" / "priors.rst"
from_counts = PosteriorBalancedAccuracy.from_counts
COUNTS = ClassCounts(["a", "b", "c"], [1, 2, 3], [4, 4, 4])
# a = b of the names that stand for one Beta distribution of three classes.
BETAS = {
    "calibrated": 1 / 3,
    "reciprocal": 1 / 3,
    "uniform": 1,
    "jeffreys": 1 / 2,
    "neutral": 1 / 3,
}
PRIORS = {
    **{name: (name, [[size, size]] * 3) for name, size in BETAS.items()},
    "pair": ((2, 1), [[2, 1]] * 3),
    "rows": (np.array([[1, 2], [3, 4], [5, 6]]), [[1, 2], [3, 4], [5, 6]]),
    "two pairs": ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
    "extreme": ([[1e-6, 1e14], [1e14, 1e-6]], [[1e-6, 1e14], [1e14, 1e-6]]),
}
# Every kind of prior of three classes.
KINDS = {
    **{name: name for name in PRIOR_NAMES},
    "pair": (2, 1),
    "equal pair": (1, 1),
    "array": [[1, 2], [3, 4], [5, 6]],
}
of_each_kind = pytest.mark.parametrize("prior", KINDS.values(), ids=KINDS)
WEIGHTS = {
    "none": (None, [1 / 3, 1 / 3, 1 / 3]),
    "list": ([1, 1, 2], [0.25, 0.25, 0.5]),
    "zero": (np.array([0, 3, 3]), [0, 0.5, 0.5]),
    "dict": ({"c": 2, "a": 1, "b": 1, "not there": 5}, [0.25, 0.25, 0.5]),
    "huge": ([1e308, 1e308, 2e307], [5 / 11, 5 / 11, 1 / 11]),
    "series": (pd.Series({"c": 2, "a": 1, "b": 1}), [0.25, 0.25, 0.5]),
    "extension": (pd.Series([1, 1, 2]).array, [0.25, 0.25, 0.5]),
}


# What each kind is


def test_each_name_is_tested():
    """A new one is to be described above."""
    assert set(PRIOR_NAMES) == set(BETAS)


@pytest.mark.parametrize(("prior", "expected"), PRIORS.values(), ids=PRIORS)
def test_prior_has_parameters_of_each_class(prior, expected):
    """Each form gives a and b of each class, which nobody can change."""
    counts = COUNTS.reindex(COUNTS.classes[: len(expected)])
    found = PosteriorBalancedAccuracy(counts, prior=prior).prior
    assert np.transpose([found.a, found.b]).tolist() == expected
    assert found.name == (prior if isinstance(prior, str) else None)
    assert isinstance(found, BetaPrior)
    assert isinstance(found, CalibratedPrior) == (found.name == "calibrated")
    for array in (found.a, found.b):
        assert not array.flags.writeable


@pytest.mark.parametrize("n_classes", [1, 2, 5])
def test_reciprocal_is_its_pair(n_classes):
    """Average and recalls of Beta(1 / l + k, 1 / l + n - k), and nothing else."""
    correct, total = np.resize([5, 2, 9], n_classes), np.resize([6, 4, 9], n_classes)
    size = 1 / n_classes
    by_name = from_counts(correct, total, prior="reciprocal")
    by_pair = from_counts(correct, total, prior=(size, size))
    assert by_name == by_pair
    assert by_name.credible_interval() == by_pair.credible_interval()
    betas = stats.beta(size + correct, size + total - correct)
    assert by_name.mean() == pytest.approx(betas.mean().mean(), rel=1e-13)
    assert by_name.distribution.variance() == pytest.approx(
        betas.var().sum() / n_classes**2, rel=1e-12
    )
    for one in (by_name, by_pair):
        recalls = one.recalls()
        low, high = betas.interval(0.95)
        for i in range(n_classes):
            assert recalls[i].interval() == pytest.approx((low[i], high[i]), rel=1e-9)


def test_calibrated_is_wider_than_reciprocal():
    """Of five classes, with the same mean; and classes by themselves have Jeffreys' prior."""
    correct, total = [5, 2, 9, 7, 3], [6, 4, 9, 8, 5]
    one, two = (
        from_counts(correct, total, prior=name) for name in ("calibrated", "reciprocal")
    )
    assert one == from_counts(correct, total)
    assert one != two
    assert one.mean() == pytest.approx(two.mean(), rel=1e-13)
    (low, high), (least, largest) = one.credible_interval(), two.credible_interval()
    assert low < least < largest < high
    assert one.recalls()[0].mean() == pytest.approx(5.5 / 7, rel=1e-13)
    assert two.recalls()[0].mean() == pytest.approx(5.2 / 6.4, rel=1e-13)


@pytest.mark.slow
def test_calibrated_by_hand():
    """Of two classes, by the quadrature of SciPy's Beta distributions.

    a = b = 1 / l, and c = 1 - min(n, 1.5 - 2 / l) / (n + 2 / l) times the parameters.
    """
    correct, total = np.array([5, 0.25]), np.array([6, 0.25])
    posterior = PosteriorBalancedAccuracy(ClassCounts([0, 1], correct, total))
    assert posterior.prior.discount == 1.5 - 2 / 2
    strength = 1 - np.minimum(total, 0.5) / (total + 1)
    a, b = strength * (correct + 0.5), strength * (total - correct + 0.5)
    one, two = stats.beta(a[0], b[0]), stats.beta(a[1], b[1])
    # By equal probabilities of the first, which has no spikes there.
    nodes, weights = np.polynomial.legendre.leggauss(2000)
    theta = one.ppf((nodes + 1) / 2)
    for x in (0.4, 0.6, 0.8, 0.9):
        expected = weights / 2 @ two.cdf(2 * x - theta)
        assert posterior.distribution.cdf(x) == pytest.approx(expected, abs=1e-4)
    for n_classes, discount in [(1, 0), (4, 1), (8, 1.25)]:
        prior = from_counts([1] * n_classes, [2] * n_classes).prior
        assert prior.discount == discount


# Given back


@of_each_kind
def test_prior_given_back_makes_an_equal_posterior(prior):
    """Also from a pickle and a copy, with the same words."""
    posterior = PosteriorBalancedAccuracy(COUNTS, prior=prior)
    given = posterior.prior
    for again in (given, pickle.loads(pickle.dumps(given)), copy.deepcopy(given)):
        assert again == given
        assert hash(again) == hash(given)
        assert repr(again) == repr(given)
        other = PosteriorBalancedAccuracy(COUNTS, prior=again)
        assert other == posterior
        assert hash(other) == hash(posterior)
        assert repr(other) == repr(posterior)
        assert other.methods_text() == posterior.methods_text()


SCORES = [0.1, 0.4, 0.35, 0.8, 0.7, 0.2, 0.9, 0.6]
C = [[7, 2], [1, 4]]
# Other posteriors that have a prior; metrics of one class, of all, and averages of recalls.
OTHERS = {
    **{
        metric: lambda prior, metric=metric: (
            PosteriorConfusionMetric.from_confusion_matrix(
                C, metric, prior=prior, n_draws=200
            )
        )
        for metric in ("f1", "mcc", "recall_macro", "informedness", "accuracy")
    },
    "curve": lambda prior: posterior_threshold_curve(
        [0, 0, 0, 1, 1, 0, 1, 1], SCORES, prior=prior
    ),
    "prevalence": lambda prior: posterior_prevalence(
        13, 20, sensitivity=(27, 30), specificity=(24, 30), prior=prior
    ),
}


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")
@pytest.mark.parametrize("prior", [*BETAS, (2, 1), [(1, 2), (3, 4)]], ids=str)
@pytest.mark.parametrize("kind", OTHERS)
def test_other_posteriors_take_their_prior(kind, prior):
    """Equal, and with the same words."""
    if kind == "prevalence" and isinstance(prior, list):
        pytest.skip("has no classes")
    posterior = OTHERS[kind](prior)
    again = OTHERS[kind](posterior.prior)
    assert again == posterior
    assert again.report() == posterior.report()
    assert repr(again) == repr(posterior)


@pytest.mark.parametrize("prior", ["jeffreys", "uniform", "neutral", (2, 1)], ids=str)
def test_accuracy_takes_its_prior(prior):
    """One Beta distribution, whatever the number of classes."""
    posterior = PosteriorAccuracy(COUNTS, prior=prior)
    size = BETAS[prior] if isinstance(prior, str) else None
    expected = (size, size) if size else prior
    assert (*posterior.prior.a, *posterior.prior.b) == expected
    again = PosteriorAccuracy(COUNTS, prior=posterior.prior)
    assert again == posterior
    assert again.report() == posterior.report()
    assert again.methods_text() == posterior.methods_text()


def test_kinds_are_different():
    """But for those that have the same numbers."""
    made = {
        kind: PosteriorBalancedAccuracy(COUNTS, prior=prior)
        for kind, prior in KINDS.items()
    }
    # 1 / 3 is both 1 / l and the neutral prior of three classes.
    twins = {"neutral": "reciprocal", "equal pair": "uniform"}
    groups = {kind: twins.get(kind, kind) for kind in KINDS}
    for kind, one in made.items():
        equal = {other for other, posterior in made.items() if posterior == one}
        assert equal == {other for other in KINDS if groups[other] == groups[kind]}


@of_each_kind
@pytest.mark.parametrize("n_classes", [1, 2, 5])
def test_prior_of_another_number_of_classes(prior, n_classes):
    """Names and pairs resolve again; an array does not fit."""
    given = PosteriorBalancedAccuracy(COUNTS, prior=prior).prior
    counts = ClassCounts(range(n_classes), [3] * n_classes, [4] * n_classes)
    if isinstance(prior, list):
        with pytest.raises(
            ValueError, match=f"^prior must have one row .* {n_classes} class"
        ):
            PosteriorBalancedAccuracy(counts, prior=given)
        return
    found = PosteriorBalancedAccuracy(counts, prior=given)
    assert found == PosteriorBalancedAccuracy(counts, prior=prior)
    assert found.prior.name == given.name
    if prior in ("calibrated", "reciprocal"):
        assert (
            found.prior.a.tolist()
            == found.prior.b.tolist()
            == [1 / n_classes] * n_classes
        )
    elif prior == (2, 1):
        assert (found.prior.a.tolist(), found.prior.b.tolist()) == (
            [2] * n_classes,
            [1] * n_classes,
        )


# Weights


@pytest.mark.parametrize(("class_weight", "expected"), WEIGHTS.values(), ids=WEIGHTS)
def test_weights_sum_to_one(class_weight, expected):
    """Weights are looked up, put in order and normalised."""
    weights = PosteriorBalancedAccuracy(COUNTS, class_weight=class_weight).class_weight
    # Two roundings, of the quotient and of the sum.
    np.testing.assert_allclose(weights, expected, rtol=1e-15)
    assert not weights.flags.writeable


# Where names are listed


def test_each_name_stands_in_the_docstring():
    """Of the class, to which that of the function points."""
    for name in PRIOR_NAMES:
        assert f'"{name}"' in PosteriorBalancedAccuracy.__doc__
    described = posterior_balanced_accuracy.__doc__
    assert '"calibrated"' in described
    assert "See :class:`PosteriorBalancedAccuracy` for all others" in " ".join(
        described.split()
    )


def test_each_name_stands_in_the_help():
    """Of the command line, as it can be written there."""
    command = [sys.executable, "-m", "skpostbac", "--help"]
    text = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    option = " ".join(text.partition("--prior")[2].partition(" --")[0].split())
    assert "calibrated" in option
    for name in PRIOR_NAMES:
        assert name in option


@pytest.mark.skipif(not GUIDE.exists(), reason="doc/ is not part of this copy")
def test_each_name_stands_in_the_guide():
    """In the table of all priors."""
    text = GUIDE.read_text(encoding="utf-8")
    for name in PRIOR_NAMES:
        assert f'``"{name}"``' in text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BetaPrior([9], [1], name="mine"), "name must be one of"),
        (lambda: BetaPrior([9, 9], [1, 1], name="reciprocal"), "a and b are not"),
        (lambda: BetaPrior([1, 1], [1, 1], name="jeffreys"), "a and b are not"),
        (lambda: CalibratedPrior([9, 9], [1, 1]), "a and b are not"),
    ],
)
def test_a_name_stands_for_its_values(make, message):
    """Other values would be lost where a name is looked up for more classes."""
    with pytest.raises(ValueError, match=f"^{message}"):
        make()


def test_equal_rows_are_described_as_one_pair():
    """Whether they were given once or for each class."""
    rows = from_counts([3, 3], [4, 4], prior=[[1, 2], [1, 2]])
    assert "Beta(1, 2)" in rows.report()
    assert (
        "Beta(1, 2)"
        in PosteriorAccuracy(rows.counts, prior=BetaPrior([1], [2])).report()
    )
