"""The correction of pooled posteriors for the variation between training sets."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCountsScorer,
    PosteriorBalancedAccuracy,
    cross_val_posterior,
    pooled_posteriors,
)
from skpostbac.metrics import GroupsWarning


def results(cv):
    """Cross-validate naive Bayes on the wines."""
    X, y = load_wine(return_X_y=True)
    return cross_validate(GaussianNB(), X, y, cv=cv, scoring=ClassCountsScorer())


def corrected(cv, **options):
    """Pool the folds with the correction."""
    return pooled_posteriors(results(cv), training_variation="nadeau-bengio", **options)[0]


@pytest.mark.parametrize(("folds", "inflation"), [(2, 3.0), (5, 2.25), (11, 2.1)])
def test_counts_are_divided_by_the_inflation(folds, inflation):
    """1 + J n_test / n_train, with J folds and n_test / n_train = 1 / (J - 1)."""
    plain = pooled_posteriors(results(StratifiedKFold(folds)))[0]
    wide = corrected(StratifiedKFold(folds))
    assert wide.inflation == pytest.approx(inflation, rel=1e-14)
    # the sums of integers are divided, once
    assert wide.counts.correct == pytest.approx(plain.counts.correct / inflation, rel=1e-14)
    assert wide.counts.total == pytest.approx(plain.counts.total / inflation, rel=1e-14)


def test_repeats_leave_the_number_of_folds():
    """Three times five folds are corrected like five."""
    wide = corrected(RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0), n_repeats=3)
    assert wide.inflation == 2.25
    assert wide.counts.n_samples == pytest.approx(178 / 2.25, rel=1e-14)


def test_result_names_it():
    """In attributes, in the repr, and in the table."""
    wide = corrected(StratifiedKFold(5))
    assert wide.training_variation == "nadeau-bengio"
    assert repr(wide).startswith("PosteriorBalancedAccuracy(mean=")
    assert repr(wide).endswith("training_variation='nadeau-bengio')")
    assert "nadeau-bengio" in wide._repr_html_()


def test_result_is_immutable_and_comparable():
    """It does not change, survives pickling, and differs from one without the correction."""
    wide = corrected(StratifiedKFold(5))
    with pytest.raises(AttributeError):
        wide.inflation = 1.0
    copy = pickle.loads(pickle.dumps(wide))
    assert copy == wide
    assert hash(copy) == hash(wide)
    assert copy.inflation == wide.inflation
    assert wide != PosteriorBalancedAccuracy(wide.counts)


def test_only_equal_corrections_are_pooled():
    """Sums keep the correction, or are refused."""
    wide, plain = corrected(StratifiedKFold(5)), pooled_posteriors(results(StratifiedKFold(5)))[0]
    twice = sum([wide, wide])
    assert twice.inflation == wide.inflation
    assert twice.counts == wide.counts + wide.counts
    for one, two in [(wide, plain), (plain, wide), (wide, corrected(StratifiedKFold(4)))]:
        with pytest.raises(ValueError, match="different training_variation cannot be pooled"):
            _ = one + two


def test_bad_arguments_are_refused():
    """Another name, and a cross-validation of one fold."""
    with pytest.raises(ValueError, match="training_variation must be None or 'nadeau-bengio'"):
        pooled_posteriors(results(StratifiedKFold(5)), training_variation="folds")
    X, y = load_wine(return_X_y=True)
    split = next(StratifiedKFold(5).split(X, y))
    with pytest.raises(ValueError, match="needs K-fold cross-validation with at least 2 folds"):
        corrected([split])


@pytest.mark.parametrize("rounds", [1, 2])
def test_one_estimator_is_corrected_as_a_candidate_is(rounds):
    """`cross_val_posterior` gives what `pooled_posteriors` makes of the same folds."""
    X, y = load_wine(return_X_y=True)
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=rounds, random_state=0)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    found = cross_val_posterior(tree, X, y, cv=cv)
    scores = cross_validate(tree, X, y, cv=cv, scoring=ClassCountsScorer(labels=[0, 1, 2]))
    (expected,) = pooled_posteriors(
        scores, labels=[0, 1, 2], n_repeats=rounds, training_variation="nadeau-bengio"
    )
    assert found == expected
    assert found.inflation == pytest.approx(1 + 4 / 3)


@pytest.mark.parametrize(("n_splits", "test_size"), [(1, 0.25), (20, 0.5)])
def test_random_splits_are_corrected_by_the_sizes_of_their_sets(n_splits, test_size):
    """1 + n_tested / n_train; of a single split, this is Nadeau and Bengio's 1 + n_test / n_train.

    Without the training sets, samples tested unequally have no correction.
    """
    X, y = load_wine(return_X_y=True)
    cv = StratifiedShuffleSplit(n_splits, test_size=test_size, random_state=0)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    splits = list(cv.split(X, y))
    n_tested = len(set(np.concatenate([test for _, test in splits])))
    posterior = cross_val_posterior(tree, X, y, cv=cv)
    assert posterior.inflation == pytest.approx(1 + n_tested / len(splits[0][0]), rel=1e-12)
    assert posterior.counts.n_samples * posterior.inflation == pytest.approx(n_tested)
    scores = cross_validate(tree, X, y, cv=cv, scoring=ClassCountsScorer(), return_indices=True)
    options = {"training_variation": "nadeau-bengio"}
    assert pooled_posteriors(scores, **options)[0].inflation == posterior.inflation
    del scores["indices"]["train"]
    with pytest.raises(ValueError, match=r"needs K-fold.* pass training_variation=None"):
        pooled_posteriors(scores, **options)


def test_samples_in_groups_are_corrected():
    """Their effective counts are divided; the correlation within groups stays as it is."""
    X, y = load_wine(return_X_y=True)
    arguments = {"X": X, "y": y, "groups": np.arange(178) // 2}
    with pytest.warns(GroupsWarning, match="Some groups have samples of several classes"):
        wide, plain = (
            cross_val_posterior(GaussianNB(), **arguments, training_variation=variation)
            for variation in ("nadeau-bengio", None)
        )
    assert wide.design_effects.correlation == plain.design_effects.correlation
    assert wide.effective_counts.total * wide.inflation == pytest.approx(
        plain.effective_counts.total, rel=1e-12
    )
    # About sqrt(2.25), and more by the prior, whose weight is not divided.
    assert 1.5 < wide.standard_deviation() / plain.standard_deviation() < 2
    assert pickle.loads(pickle.dumps(wide)) == wide


def test_reports_name_the_question():
    """How good the refitted model is, unless these predictions alone are described."""
    X, y = load_wine(return_X_y=True)
    sentence = "This describes the model refitted on all data. The counts are divided by 2.25"
    assert sentence in cross_val_posterior(GaussianNB(), X, y).report()
    these = cross_val_posterior(GaussianNB(), X, y, training_variation=None)
    assert "refitted" not in these.report()
    assert type(these) is PosteriorBalancedAccuracy
    with pytest.raises(ValueError, match="training_variation must be None or 'nadeau-bengio'"):
        cross_val_posterior(GaussianNB(), X, y, training_variation="bengio")
