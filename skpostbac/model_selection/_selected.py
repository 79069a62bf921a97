"""Posterior of the best candidate of a search, corrected for its selection.

Each sample has a pattern of which candidates are right. Bootstrap samples of a class are
multinomial draws of its patterns, and the selection is repeated on each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, RandomStateLike, draw_seed
from skpostbac.metrics import PairedCounts, PosteriorBalancedAccuracy, SelectedPosterior
from skpostbac.metrics._posteriors import optimism_of_choice
from skpostbac.metrics._priors import (
    DEFAULT_PRIOR,
    ClassWeightLike,
    PriorLike,
    warn_if_prior_dominates,
)
from skpostbac.model_selection._pooling import (
    TrainingVariation,
    fold_counts,
    fold_words,
    pair_candidates,
    training_inflation,
)

N_BOOTSTRAPS = 400


def selected_posterior(
    cv_results: Any,
    *,
    labels: ArrayLike | None = None,
    prior: PriorLike = DEFAULT_PRIOR,
    class_weight: ClassWeightLike = None,
    n_repeats: int | None = None,
    training_variation: TrainingVariation = None,
    random_state: RandomStateLike = 0,
) -> SelectedPosterior:
    """Compute the posterior of the best candidate of a search, corrected for its selection.

    The candidate with the largest balanced accuracy over all folds is partly lucky. The resulting
    bias is estimated by repeating the selection on 400 bootstrap samples [1]_. The odds of the
    score are multiplied by the factor that lowers the mean by about this bias.

    Parameters
    ----------
    cv_results : dict, DataFrame or PairedCounts
        ``cv_results_`` of a search with ``scoring=OutcomesScorer(...)``. Candidates with failed
        fits are skipped. Or the :func:`paired_counts` of the candidates on one test set.
    labels, prior, class_weight, n_repeats, training_variation : optional
        As in :func:`~skpostbac.pooled_posteriors`. By default the posterior applies to the models
        of the folds, among which the search chose; with ``training_variation="nadeau-bengio"`` to
        the model refitted on all samples.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the bootstrap. Results are reproducible by default; None stands for fresh entropy.

    Returns
    -------
    posterior : SelectedPosterior
        Its attributes are `candidate` (index of the best candidate in ``cv_results["params"]`` or
        among the names), `optimism`, `optimism_error`, and `uncorrected` (the posterior from
        :func:`~skpostbac.pooled_posteriors`).

    Raises
    ------
    ValueError
        If there are no sample outcomes, which show how similar the candidates are; if paired counts
        have groups or importance weights, which are not supported, or are combined with `n_repeats`
        or `training_variation`; or for the reasons listed in :func:`~skpostbac.pooled_posteriors`
        and :func:`~skpostbac.model_selection.pooled_paired_counts`.

    Warns
    -----
    FitFailedWarning
        If candidates have failed fits.
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar test sets, or
        if a class has no samples.

    See Also
    --------
    PosteriorRefit : Chooses the candidate in the search itself.
    pooled_posteriors : The posteriors of all candidates, uncorrected.

    Notes
    -----
    The correction applies to selecting the largest balanced accuracy; a rule that prefers simpler
    candidates has a smaller bias. See :ref:`selection` for the coverage of the intervals in real
    searches, and for cases where the correction is too small or too large.

    References
    ----------
    .. [1] B. Efron (1983). Estimating the error rate of a prediction rule: improvement on
       cross-validation. Journal of the American Statistical Association 78, 316-331.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skpostbac import OutcomesScorer, selected_posterior
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GridSearchCV(
    ...     KNeighborsClassifier(),
    ...     {"n_neighbors": range(1, 30, 2), "p": [1, 2]},
    ...     scoring=OutcomesScorer(len(y)),
    ...     refit=False,
    ... ).fit(X[:150, :2], y[:150])
    >>> posterior = selected_posterior(search.cv_results_, random_state=0)
    >>> posterior
    SelectedPosterior(mean=0.866, 95% CI=[0.807, 0.920], optimism=0.013, n_candidates=30)
    >>> posterior.uncorrected.mean()
    0.8792
    """
    if isinstance(cv_results, PairedCounts):
        if cv_results._design is not None:
            raise ValueError(
                "cv_results has samples in groups or with importance weights, for which the "
                "selection cannot be corrected: evaluate the selected candidate on other samples"
            )
        for_folds = {"n_repeats": n_repeats, "training_variation": training_variation}
        for name, value in for_folds.items():
            if value is not None:
                raise ValueError(f"{name} does not apply to the paired counts of one test set")
        paired = cv_results if labels is None else cv_results.reindex(labels)

        def alone(candidate: int) -> PosteriorBalancedAccuracy:
            counts = paired.margin(paired.names[candidate])
            return PosteriorBalancedAccuracy(counts, prior=prior, class_weight=class_weight)

        return _select(paired, range(len(paired.names)), alone, random_state)
    words = fold_words(cv_results)
    if words is None:
        raise ValueError(
            "cv_results has no outcomes of samples (test_outcomes_0), which show how similar the "
            "candidates are: run the search with "
            "scoring=OutcomesScorer(max_test_size=len(y))"
        )
    counts = fold_counts(cv_results)
    candidates = counts.fitted()
    sample_times = counts.times_tested(n_repeats)
    times = sample_times.mean()
    inflation = training_inflation(
        training_variation, counts.n_splits, sample_times, counts.n_train
    )
    paired = pair_candidates(counts, words, candidates, labels=labels, times=times)
    kept = counts if labels is None else counts.select(labels)

    def pool(candidate: int) -> PosteriorBalancedAccuracy:
        return kept.posterior(
            candidate,
            times,
            prior=prior,
            class_weight=class_weight,
            training_variation=training_variation,
            inflation=inflation,
        )

    return _select(paired, candidates, pool, random_state)


def _select(
    paired: PairedCounts,
    candidates: Sequence[int],
    posterior_of: Callable[[int], PosteriorBalancedAccuracy],
    random_state: RandomStateLike,
) -> SelectedPosterior:
    """Return the corrected posterior of the best of the candidates, in the order of `paired`."""
    weights, seed = posterior_of(candidates[0]).class_weight, draw_seed(random_state)
    observed, again = _bootstrap(paired, weights, N_BOOTSTRAPS, seed)
    best = candidates[int(np.argmax(observed))]
    uncorrected = posterior_of(best)
    warn_if_prior_dominates(uncorrected)
    optimism = optimism_of_choice(observed, again)
    return SelectedPosterior(uncorrected, *optimism, candidate=best, n_candidates=len(candidates))


def _bootstrap(
    paired: PairedCounts, class_weight: Floats, n_samples: int, seed: int
) -> tuple[Floats, Floats]:
    """Return the balanced accuracy of each candidate, in the samples and in bootstrap samples."""
    rng = np.random.default_rng(seed)
    observed = np.zeros(len(paired.names))
    again = np.zeros((n_samples, len(paired.names)))
    for i, weight in enumerate(class_weight):
        rows = paired.class_index == i
        patterns, cells = paired.patterns[rows].astype(np.float64), paired.counts[rows]
        if cells.sum() > 0:
            probabilities = cells / cells.sum()
            size = max(1, round(cells.sum()))  # a repeated cross-validation divides the counts
            observed += weight * (probabilities @ patterns)
            again += weight * (rng.multinomial(size, probabilities, n_samples) @ patterns) / size
    return observed, again
