"""Choice of the candidate of a search by its pooled posterior."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import FitFailedWarning

from skpostbac.metrics._class_weight import (
    ClassWeightLike,
    check_class_weight,
    resolve_class_weight,
)
from skpostbac.metrics._labels import label_list, unique_label_array
from skpostbac.metrics._prior import check_prior, resolve_prior
from skpostbac.metrics._score import OBJECTIVES, check_objective
from skpostbac.model_selection._pooling import (
    FoldCounts,
    check_n_repeats,
    fold_counts,
    weights_by_text,
)


@dataclass(frozen=True, eq=False, repr=False)
class FrozenWeights(Mapping[Hashable, float]):
    """A dict of class weights that does not change: equal to the dict, printed like it, hashable.

    Unlike a ``MappingProxyType``, it can be pickled.
    """

    _weights: dict[Hashable, float]

    def __getitem__(self, label: Hashable) -> float:
        return self._weights[label]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)

    def __hash__(self) -> int:
        return hash(frozenset(self._weights.items()))

    def __repr__(self) -> str:
        return repr(self._weights)


@dataclass(frozen=True)
class PosteriorRefit:
    """Choose the best candidate of a search by its pooled posterior balanced accuracy.

    An instance goes to the ``refit`` of :class:`~sklearn.model_selection.GridSearchCV` or
    :class:`~sklearn.model_selection.RandomizedSearchCV`, together with
    ``scoring=ClassCountsScorer()``. The search then hands it the counts of all folds; they are
    pooled for each candidate, and the candidate with the largest objective is refitted.

    Parameters
    ----------
    objective : {"lower", "mean", "median", "mode", "upper"}, default="lower"
        What to maximise. "lower" is the value that the balanced accuracy exceeds with
        probability `level`; it prefers, of two candidates with equal means, the more certain.
    level : float in (0, 1), default=0.95
        Probability of the bounds "lower" and "upper".
    prior, class_weight : optional
        As in :func:`posterior_balanced_accuracy`. Without `labels`, the keys of a dict of class
        weights are matched by their text, as in :func:`pooled_posteriors`. Arrays and dicts are
        copied and kept as tuples and read-only mappings.
    labels, n_repeats : optional
        As in :func:`pooled_posteriors`: `labels` restores the original labels, which are known
        as text only without it.

    Raises
    ------
    TypeError
        If `objective` is not a string, as with ``refit=PosteriorRefit`` without parentheses.
    ValueError
        If a parameter is not valid, at once and not after the search. When called, if all
        candidates failed.

    Warns
    -----
    FitFailedWarning
        Names the candidates that were passed over because some of their fits failed.

    See Also
    --------
    pooled_posteriors : the posteriors that this rule compares.

    Notes
    -----
    Ties go to the first candidate.

    scikit-learn sets ``best_index_``, ``best_params_`` and ``best_estimator_``, but no
    ``best_score_`` with a callable ``refit``, and ``search.score(X, y)`` raises ``KeyError``
    with any scorer of several values. Instead of the first, take
    ``pooled_posteriors(search.cv_results_)[search.best_index_]``; instead of the second, call
    another scorer, ``make_posterior_scorer()(search, X, y)``, or
    ``posterior_balanced_accuracy(y, search.predict(X))`` for the whole posterior.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import ClassCountsScorer, PosteriorRefit
    >>> X, y = load_wine(return_X_y=True)
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [1, 2, 3]},
    ...     scoring=ClassCountsScorer(),
    ...     refit=PosteriorRefit("lower"),
    ... ).fit(X, y)
    >>> search.best_params_
    {'max_depth': 3}
    """

    objective: str = "lower"
    _: KW_ONLY
    level: float = 0.95
    prior: ArrayLike = "uniform"
    class_weight: ClassWeightLike = None
    labels: ArrayLike | None = None
    n_repeats: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.objective, str):
            raise TypeError(
                f"objective must be a string, got {type(self.objective).__name__}; "
                "to refit by the default, give an instance: refit=PosteriorRefit()"
            )
        check_objective(self.objective, self.level)
        check_n_repeats(self.n_repeats)
        checked = _check_specification(self.prior, self.class_weight, self.labels)
        for name, value in checked.items():
            object.__setattr__(self, name, _plain(value))

    def __call__(self, cv_results: Any) -> int:
        """Return the index of the best candidate.

        Parameters
        ----------
        cv_results : dict or DataFrame
            ``cv_results_`` of the search.

        Returns
        -------
        int
            Position of the candidate in ``cv_results["params"]``.
        """
        counts = fold_counts(cv_results, self.labels)
        times = check_n_repeats(self.n_repeats, counts.n_splits)
        has_failed = counts.has_failed.any(axis=1)
        if has_failed.all():
            raise ValueError(f"All candidates have failed fits: {counts.failures()}")
        if has_failed.any():
            warnings.warn(
                f"Candidates with failed fits are passed over: {counts.failures()}",
                FitFailedWarning,
                stacklevel=2,
            )
        candidates = np.flatnonzero(~has_failed)
        values = [self._value(counts, candidate, times) for candidate in candidates.tolist()]
        return int(candidates[np.argmax(values)])

    def _value(self, counts: FoldCounts, candidate: int, times: int) -> float:
        posterior = counts.posterior(
            candidate, times, prior=self.prior, class_weight=self.class_weight
        )
        return float(OBJECTIVES[self.objective](posterior, self.level))


def _check_specification(
    prior: ArrayLike, class_weight: ClassWeightLike, labels: ArrayLike | None
) -> dict[str, Any]:
    """Check what makes a posterior of counts, as far as this can be done without counts."""
    prior, class_weight = check_prior(prior), check_class_weight(class_weight)
    if labels is None:
        weights_by_text(class_weight)
        return {"prior": prior, "class_weight": class_weight}
    classes = unique_label_array(labels, "labels")
    resolve_prior(prior, len(classes))
    resolve_class_weight(class_weight, classes)
    return {"prior": prior, "class_weight": class_weight, "labels": label_list(classes)}


def _plain(value: Any) -> Any:
    """Return arrays, lists and dicts as what does not change, compares, hashes and prints."""
    if isinstance(value, dict):
        return FrozenWeights(value)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    return tuple(map(_plain, value)) if isinstance(value, list) else value
