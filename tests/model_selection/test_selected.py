"""The best candidate of a search, corrected for having been chosen."""

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCountsScorer,
    OutcomesScorer,
    PairedCounts,
    PosteriorRefit,
    paired_counts,
    pooled_posteriors,
    posterior_balanced_accuracy,
    selected_posterior,
)
from skpostbac.metrics import SelectedPosterior
from skpostbac.metrics._posteriors import optimism_of_choice
from skpostbac.model_selection._selected import _bootstrap


@pytest.fixture(name="results", scope="module")
def results_fixture():
    """A search of 30 candidates on 150 samples."""
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"n_neighbors": range(1, 30, 2), "p": [1, 2]}
    search = GridSearchCV(
        KNeighborsClassifier(), grid, scoring=OutcomesScorer(len(y)), refit=False, cv=5
    )
    return search.fit(X[:150, :2], y[:150]).cv_results_


def test_the_uncorrected_posterior_is_that_of_the_pooled_folds(results):
    """Of the candidate with the largest balanced accuracy."""
    selected = selected_posterior(results, random_state=0)
    pooled = pooled_posteriors(results)
    recalls = [(p.counts.correct / p.counts.total).mean() for p in pooled]
    assert selected.candidate == np.argmax(recalls)
    assert selected.n_candidates == 30
    assert selected.uncorrected == pooled[selected.candidate]
    assert selected.mean() == pytest.approx(
        selected.uncorrected.mean() - selected.optimism, abs=0.02 * selected.optimism
    )
    assert 0.005 < selected.optimism < 0.05


def test_optimism_is_the_mean_over_all_bootstrap_samples():
    """Three samples a class, three candidates: all 27 x 27 bootstrap samples."""
    hits = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=bool)
    counts = PairedCounts(["a", "b", "c"], [0, 1], [0, 0, 0, 1, 1, 1], hits, np.ones(6))
    weights = np.array([0.3, 0.7])
    scores = [
        weights[0] * hits[list(first)].mean(axis=0) + weights[1] * hits[list(second)].mean(axis=0)
        for first, second in product(product(range(3), repeat=3), product(range(3, 6), repeat=3))
    ]
    plain = weights[0] * hits[:3].mean(axis=0) + weights[1] * hits[3:].mean(axis=0)
    gains = [score.max() - plain[np.argmax(np.round(score, 12))] for score in scores]
    observed, again = _bootstrap(counts, weights, 40_000, 0)
    assert observed == pytest.approx(plain)
    found = optimism_of_choice(observed, np.round(again, 12))
    assert found.mean == pytest.approx(np.mean(gains), abs=5 * found.error)


def test_training_variation_widens_and_is_not_multiplied_into_the_correction(results):
    """The counts are divided; the optimism stays."""
    plain = selected_posterior(results, random_state=0)
    wide = selected_posterior(results, training_variation="nadeau-bengio", random_state=0)
    assert wide.optimism == plain.optimism
    assert wide.standard_deviation() > 1.4 * plain.standard_deviation()
    assert "nadeau-bengio" in repr(wide.uncorrected)


def test_one_candidate_is_no_choice():
    """The results of `cross_validate` are one candidate: nothing is corrected."""
    X, y = load_wine(return_X_y=True)
    results = cross_validate(DecisionTreeClassifier(max_depth=1), X, y, scoring=OutcomesScorer(200))
    selected = selected_posterior(results)
    assert (selected.optimism, selected.n_candidates) == (0, 1)
    assert selected.uncorrected == pooled_posteriors(results)[0]


def test_counts_without_outcomes_are_refused():
    """The message says which scorer keeps outcomes."""
    X, y = load_wine(return_X_y=True)
    search = GridSearchCV(
        DecisionTreeClassifier(),
        {"max_depth": [1, 2]},
        scoring=ClassCountsScorer(),
        refit=False,
    ).fit(X, y)
    with pytest.raises(ValueError, match="scoring=OutcomesScorer"):
        selected_posterior(search.cv_results_)


def test_candidates_with_failed_fits_are_left_out(results):
    """Positions are those of all candidates."""
    broken = {key: np.array(column, dtype=object) for key, column in results.items()}
    best = selected_posterior(results, random_state=0).candidate
    for key, column in broken.items():
        if key.startswith("split0_test"):
            column[best] = np.nan
    with pytest.warns(FitFailedWarning, match=f"skipped: candidate {best}, split 0"):
        again = selected_posterior(broken, random_state=0)
    assert again.candidate != best
    assert again.n_candidates == 29


def test_labels_weights_and_repeats_are_those_of_pooled_posteriors():
    """The posterior of the best candidate is the same as there."""
    X, y = load_wine(return_X_y=True)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3]},
        scoring=OutcomesScorer(len(y)),
        cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        refit=False,
    ).fit(X, y)
    options = {"labels": [0, 1, 2], "class_weight": {0: 1, 1: 2, 2: 3}, "n_repeats": 2}
    selected = selected_posterior(search.cv_results_, random_state=0, **options)
    pooled = pooled_posteriors(search.cv_results_, **options)
    assert selected.uncorrected == pooled[selected.candidate]
    assert selected.uncorrected.counts.n_samples == len(y)


def test_seeds_settle_the_bootstrap(results):
    """Equal seeds give equal results, others differ by the stated error."""
    one, again, other = (selected_posterior(results, random_state=seed) for seed in (1, 1, 2))
    assert one == again
    assert isinstance(one, SelectedPosterior)
    assert abs(one.optimism - other.optimism) < 5 * (one.optimism_error + other.optimism_error)


def test_words_have_the_corrected_figure_first(results):
    """As has the summary."""
    selected = selected_posterior(results, random_state=0)
    first, second = selected.report().splitlines()
    assert f"{selected.mean():.3f}" in first
    assert (
        f"selected among 30 on the same samples, which inflates it by {selected.optimism:.3f}"
        in second
    )
    summary = selected.summary()
    assert summary["uncorrected_mean"] == selected.uncorrected.mean()
    assert (summary["low"], summary["high"]) == selected.credible_interval()


def test_a_rule_reports_what_it_chose(results):
    """The best one with its correction, a simpler one or counts alone without."""
    best = selected_posterior(results, random_state=0)
    lead, *rest = PosteriorRefit("mean").report(results).splitlines()
    assert lead == f"Chosen: candidate {best.candidate}, {results['params'][best.candidate]}."
    assert "\n".join(rest) == best.report()
    simpler = PosteriorRefit("mean", complexity="-n_neighbors", limit=0.99).report(results)
    assert "not corrected for its selection among 30 on the same samples" in simpler
    counts = {key: column for key, column in results.items() if "outcomes" not in key}
    assert "not corrected for its selection" in PosteriorRefit("mean").report(counts)


def test_paired_counts_of_one_test_set():
    """The same samples as a single fold, whichever way they come."""
    X, y = load_wine(return_X_y=True)
    predictions = {
        str(depth): DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y).predict(X)
        for depth in (1, 2)
    }
    predictions["0"] = np.roll(predictions["2"], 1)
    counts = paired_counts(y, predictions)
    selected = selected_posterior(counts, prior="jeffreys", random_state=0)
    assert (selected.candidate, selected.n_candidates) == (1, 3)
    assert selected.uncorrected == posterior_balanced_accuracy(
        y, predictions["2"], prior="jeffreys"
    )
    again = selected_posterior(counts, labels=[2, 1], class_weight={2: 3, 1: 1}, random_state=0)
    expected = posterior_balanced_accuracy(
        y, predictions["2"], labels=[2, 1], class_weight={2: 3, 1: 1}
    )
    assert again.uncorrected == expected


@pytest.mark.parametrize(
    ("counted", "options", "match"),
    [
        pytest.param({"groups": [1, 1, 2, 2]}, {}, "samples in groups or with imp", id="groups"),
        pytest.param(
            {"sample_weight": [1, 2, 3, 1], "weight_type": "importance"},
            {},
            "samples in groups or with importance weights",
            id="weights",
        ),
        pytest.param({}, {"n_repeats": 2}, "n_repeats does not apply", id="repeats"),
        pytest.param(
            {}, {"training_variation": "nadeau-bengio"}, "training_variation does not", id="folds"
        ),
    ],
)
def test_what_paired_counts_cannot_have(counted, options, match):
    """Nothing is silently left out."""
    counts = paired_counts([0, 0, 1, 1], {"a": [0, 1, 1, 1], "b": [0, 0, 1, 0]}, **counted)
    with pytest.raises(ValueError, match=match):
        selected_posterior(counts, **options)


def test_the_only_candidate_was_not_chosen():
    """Nobody says that it was chosen among one."""
    selected = selected_posterior(paired_counts([0, 0, 1, 1], {"a": [0, 1, 1, 1]}))
    assert "among" not in selected.report()
    assert selected.report().endswith("It was the only one, so it is not corrected.")
