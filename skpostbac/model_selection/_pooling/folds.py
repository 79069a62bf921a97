"""Pooling of the counts of all folds of a cross-validation into one posterior.

Folds are pooled by adding their per-class counts. Averaging the folds' own posteriors, or the
scores made of them, is something else: every fold then brings the prior along, ten folds ten
times, and each fold's few samples of a small class pull the average towards 1/2. Of 300 samples,
a tenth of them in the small class, ten folds pooled gave a posterior mean of .773 and a 5 %
quantile of .701; the averages of the folds' own were .745 and .581.

What pooled counts describe are the predictions that were made, each by the model of its fold, as
independent trials. They ignore how much the models would vary with other training sets, so that
the posterior is narrower than what is known about a model trained anew. `training_variation` has a
correction for this, which is off by default.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import (
    GroupKFold,
    StratifiedGroupKFold,
    check_cv,
    cross_validate,
)
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import get_routing_for_object

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    LabelArray,
    input_errors,
    is_integer,
    shown,
    user_stacklevel,
)
from skpostbac.metrics import (
    ClassCounts,
    ClassCountsScorer,
    OutcomesScorer,
    PosteriorBalancedAccuracy,
    class_counts,
)
from skpostbac.metrics._counts import WORD_BITS, WORD_KEY
from skpostbac.metrics._dependence import warn_of_groups
from skpostbac.metrics._labels import encode, label_list, read_column, unique_label_array
from skpostbac.metrics._priors import (
    DEFAULT_PRIOR,
    ClassWeightLike,
    PriorLike,
    warn_if_prior_dominates,
)
from skpostbac.model_selection._pooling.grouped import with_groups
from skpostbac.model_selection._pooling.results import number_column, test_indices
from skpostbac.model_selection._pooling.training_variation import (
    TrainingVariation,
    corrected_for_training,
    training_inflation,
)
from skpostbac.stats._beta import LARGEST

# A column of counts: of one split of a search, or of all folds of cross_validate.
_KEY = re.compile(r"(?P<prefix>(?:split(?P<split>\d{1,9})_)?test_)correct_(?P<label>.+)", re.DOTALL)
# A column of the scores of a scorer of one number.
_SCORE = re.compile(r"(?:split\d{1,9}_)?test_score")
_WANTED_CV = "cv must be an int, a splitter or an iterable of pairs (train, test) of indices"
# A column of outcomes of samples.
_WORD = re.compile(r"(?:split\d{1,9}_)?test_outcomes_(\d{1,9})")


@dataclass(frozen=True, eq=False)
class FoldCounts:
    """Per-class counts of every test fold of every candidate.

    Attributes
    ----------
    labels : tuple of length l
        The classes.
    correct, total : arrays of shape (n_candidates, n_splits, l)
        Correct predictions and samples of each class; nan where a fit failed.
    has_failed : array of bool of shape (n_candidates, n_splits)
        Whether a fit failed.
    from_search : bool
        Whether the candidates are those of a search.
    as_text : bool
        Whether the labels are strings from column names, not those of ``y``.
    tests : tuple of n_splits arrays or None
        Indices of the samples of each test fold, if they are known.
    """

    labels: tuple[Any, ...]
    correct: Floats
    total: Floats
    has_failed: Bools
    from_search: bool
    as_text: bool = True
    tests: tuple[Indices, ...] | None = None

    @property
    def n_splits(self) -> int:
        """Number of test folds."""
        return int(self.correct.shape[1])

    def select(self, labels: ArrayLike) -> FoldCounts:
        """Return the counts of these classes, whose texts are labels here."""
        wanted = label_list(unique_label_array(labels, "labels"))
        if unknown := [label for label in wanted if str(label) not in self.labels]:
            raise ValueError(
                f"labels {unknown} were not counted, cv_results has counts of {list(self.labels)}"
            )
        index = [self.labels.index(str(label)) for label in wanted]
        return replace(
            self,
            labels=tuple(wanted),
            correct=self.correct[..., index],
            total=self.total[..., index],
            as_text=False,
        )

    def fitted(self) -> list[int]:
        """Return the candidates without failed fits; warn of others, and raise if all failed."""
        has_failed = self.has_failed.any(axis=1)
        if has_failed.all():
            who = "All candidates have" if self.from_search else "cv_results has"
            raise ValueError(f"{who} failed fits: {self.failures()}")
        if has_failed.any():
            warnings.warn(
                f"Candidates with failed fits are skipped: {self.failures()}",
                FitFailedWarning,
                stacklevel=user_stacklevel(),
            )
        return np.flatnonzero(~has_failed).tolist()

    def failures(self) -> str:
        """Name the candidates and splits with failed fits, "" if there are none."""
        named = [
            (f"candidate {index}, " if self.from_search else "") + _name_splits(failed)
            for index, failed in enumerate(self.has_failed)
            if failed.any()
        ]
        return "; ".join(named)

    def times_tested(self, n_repeats: int | None) -> Indices:
        """Return how often each tested sample was tested: once or `n_repeats` if not known."""
        if n_repeats is not None:
            check_n_repeats(n_repeats, self.n_splits)
        if self.tests is None:
            return np.array([n_repeats or 1])
        times: Indices = np.unique(np.concatenate(self.tests), return_counts=True)[1]
        if n_repeats not in (None, times.mean()):
            raise ValueError(
                "n_repeats must agree with the indices in cv_results, by which each tested sample "
                f"was tested {times.mean():.4g} times on average, got {n_repeats}; "
                "leave it out to use the indices"
            )
        return times

    def pool(self, candidate: int, times: float | Floats) -> ClassCounts:
        """Add up the folds of a candidate; `times` is how often a sample was tested."""
        return ClassCounts(
            self.labels,
            self.correct[candidate].sum(axis=0) / times,
            self.total[candidate].sum(axis=0) / times,
        )

    def posterior(
        self,
        candidate: int,
        times: float | Floats,
        *,
        prior: PriorLike,
        class_weight: ClassWeightLike,
    ) -> PosteriorBalancedAccuracy:
        """Pool the folds of a candidate; `times` is how often a sample was tested."""
        counts = self.pool(candidate, times)
        class_weight = weights_by_text(class_weight) if self.as_text else class_weight
        return PosteriorBalancedAccuracy(counts, prior=prior, class_weight=class_weight)


def weights_by_text(class_weight: ClassWeightLike) -> ClassWeightLike:
    """Return class weights keyed by the text of the labels; other types are unchanged."""
    if not isinstance(class_weight, Mapping):
        return class_weight
    weights: dict[Hashable, float] = {str(label): weight for label, weight in class_weight.items()}
    if len(weights) < len(class_weight):
        raise ValueError(
            f"class_weight has different keys of the same text, {list(class_weight)}: "
            "give the labels, too"
        )
    return weights


def _name_splits(failed: Bools) -> str:
    """Name the splits of one candidate."""
    indices = [str(split) for split in np.flatnonzero(failed)]
    return ("split " if len(indices) == 1 else "splits ") + ", ".join(indices)


def fold_counts(cv_results: Any, labels: ArrayLike | None = None) -> FoldCounts:
    """Collect the per-class counts from the results of a search or of `cross_validate`.

    Parameters
    ----------
    cv_results : dict or DataFrame
        See :func:`pooled_posteriors`.
    labels : sequence, optional
        The classes to take, in this order; all that were counted by default.
    """
    keys = _count_keys(cv_results)
    prefixes = _prefixes(keys)
    names = list(dict.fromkeys(key["label"] for key in keys))
    from_search = prefixes != ["test_"]
    correct, total = (
        _stack(cv_results, prefixes, [f"{kind}_{name}" for name in names], from_search, LARGEST)
        for kind in ("correct", "total")
    )
    _check_correct(correct, total)
    counts = FoldCounts(
        tuple(names),
        correct,
        total,
        _has_failed(correct, total),
        from_search,
        tests=None if from_search else test_indices(cv_results, correct.shape[1]),
    )
    return counts if labels is None else counts.select(labels)


def fold_words(cv_results: Any) -> Floats | None:
    """Collect the outcomes of samples, packed into words; None if they were not kept.

    Returns
    -------
    words : array of shape (n_candidates, n_splits, n_words) or None
        See :class:`OutcomesScorer`.
    """
    _check_results(cv_results)
    names = _word_names(cv_results)
    if not names:
        _check_scored(cv_results)
        return None
    prefixes = _prefixes(_count_keys(cv_results))
    for key in (prefix + name for prefix in prefixes for name in names):
        if key not in cv_results:
            raise ValueError(f"cv_results has no {key!r}, and outcomes of samples in other columns")
    words = _stack(cv_results, prefixes, names, prefixes != ["test_"], 2**WORD_BITS - 1)
    if np.any(fraction := words % 1 > 0):
        raise ValueError(
            f"cv_results must hold integers as outcomes (test_outcomes_0, ...), "
            f"got {words[fraction][0]}"
        )
    return words


def _word_names(cv_results: Any) -> list[str]:
    """Return the names of all words of outcomes, of which none may be missing in the middle."""
    found = {int(match[1]) for key in cv_results if (match := _WORD.fullmatch(str(key)))}
    missing = set(range(len(found))) - found
    if missing:
        raise ValueError(f"cv_results has no column of {WORD_KEY.format(min(missing))!r}")
    return [WORD_KEY.format(number) for number in sorted(found)]


def _check_correct(correct: Floats, total: Floats) -> None:
    """Raise if there are more correct predictions than samples; nan passes."""
    if np.any(more := correct > total):
        raise ValueError(
            "cv_results must not count more correct predictions than samples, "
            f"got {correct[more][0]:g} of {total[more][0]:g}"
        )


def _has_failed(correct: Floats, total: Floats) -> Bools:
    """Return which fits failed: nan or, under ``error_score=0``, no tested samples."""
    unknown = np.isnan(correct) | np.isnan(total)
    failed: Bools = unknown.any(axis=2) | (total.sum(axis=2) == 0)
    return failed


def _check_results(cv_results: Any) -> None:
    if not (hasattr(cv_results, "keys") and hasattr(cv_results, "__getitem__")):
        raise TypeError(
            "cv_results must be the cv_results_ of a search, a DataFrame of it, or what "
            f"cross_validate returns, got {type(cv_results).__name__}"
        )


def _count_keys(cv_results: Any) -> list[re.Match[str]]:
    """Find the columns with counts of correct predictions."""
    _check_results(cv_results)
    keys = [match for key in cv_results if (match := _KEY.fullmatch(str(key)))]
    if not keys:
        _check_scored(cv_results)
        raise ValueError(
            "cv_results holds no counts of classes (test_correct_<label>, test_total_<label>): "
            "run the search or cross_validate with scoring=ClassCountsScorer(), or, to compare "
            "candidates, OutcomesScorer(max_test_size=len(y))"
        )
    return keys


def _check_scored(cv_results: Any) -> None:
    """Raise if there are scores of nan, or dicts beside nan, in place of counts."""
    keys = [str(key) for key in cv_results]
    if any(_KEY.fullmatch(key) for key in keys):
        return
    scores = [score for key in keys if _SCORE.fullmatch(key) for score in cv_results[key]]
    if any(isinstance(score, dict) or score != score for score in scores):
        raise ValueError(
            "cv_results holds no counts of classes, since scoring failed; scikit-learn's warnings "
            "say why. If a class is absent from a training set, give the scorer the labels of all "
            "classes: labels=np.unique(y)"
        )


def _prefixes(keys: Sequence[re.Match[str]]) -> list[str]:
    """Return the prefix of each split of a search in order, or that of `cross_validate`."""
    splits = {int(key["split"]): key["prefix"] for key in keys if key["split"]}
    return [splits[number] for number in sorted(splits)] or ["test_"]


def _stack(
    cv_results: Any, prefixes: Sequence[str], names: Sequence[str], from_search: bool, most: float
) -> Floats:
    """Return columns of numbers up to `most` as an array (n_candidates, n_splits, l)."""
    keys = [[prefix + name for name in names] for prefix in prefixes]
    found = {key: _column(cv_results, key, most) for row in keys for key in row}
    _check_lengths({key: len(column) for key, column in found.items()})
    columns = np.stack([[found[key] for key in row] for row in keys])
    # (n_splits, l, n_candidates) from a search, (1, l, n_splits) from cross_validate
    return columns.transpose(2, 0, 1) if from_search else columns.transpose(0, 2, 1)


def _check_lengths(lengths: dict[str, int]) -> None:
    """Raise if columns are empty or differ in length."""
    (one, length), *others = lengths.items()
    if not length:
        raise ValueError(f"cv_results must have at least one row, got an empty {one!r}")
    for other, found in others:
        if found != length:
            raise ValueError(
                f"cv_results must have columns of the same length, "
                f"got {length} values of {one!r} and {found} of {other!r}"
            )


def _column(cv_results: Any, key: str, most: float) -> Floats:
    """Return one column of counts or outcomes."""
    if key not in cv_results:
        raise ValueError(
            f"cv_results has no {key!r}: all splits must count the same classes, "
            "give ClassCountsScorer the labels of all of them"
        )
    return number_column(cv_results, key, most)


def check_n_repeats(n_repeats: object, n_splits: int | None = None) -> None:
    """Raise unless the number of repeats is valid and divides the number of splits."""
    if not is_integer(n_repeats) or n_repeats < 1:
        raise ValueError(f"n_repeats must be a positive integer, got {shown(n_repeats)}")
    if n_splits is not None and n_splits % n_repeats:
        raise ValueError(f"n_repeats must divide the number of splits, {n_splits}, got {n_repeats}")


def pooled_posteriors(
    cv_results: Any,
    *,
    labels: ArrayLike | None = None,
    prior: PriorLike = DEFAULT_PRIOR,
    class_weight: ClassWeightLike = None,
    n_repeats: int | None = None,
    training_variation: TrainingVariation = None,
) -> tuple[PosteriorBalancedAccuracy | None, ...]:
    """Pool the test folds of each candidate of a search into one posterior.

    The counts of the folds are added, and the prior counts once. Averaging the folds' own
    posteriors or scores instead would count the prior once per fold.

    Parameters
    ----------
    cv_results : dict or DataFrame
        ``cv_results_`` of a search with ``scoring=ClassCountsScorer()``, a ``pandas.DataFrame`` of
        it, or the output of :func:`~sklearn.model_selection.cross_validate` with that scorer. Other
        columns are ignored.
    labels : sequence of length l, optional
        Classes to use, in this order, as they appear in ``y``, which restores the original labels.
        By default all counted classes, in the order of the scorer, with their column names
        (strings) as labels.
    prior, class_weight : optional
        As in :func:`posterior_balanced_accuracy`. Without `labels`, the keys of a `class_weight`
        dict are matched as strings, so ``{0: 1, 1: 2}`` applies to "0" and "1".
    n_repeats : int, default=None
        Number of times each sample was tested, such as ``n_repeats`` of
        :class:`~sklearn.model_selection.RepeatedStratifiedKFold`. The counts are divided by it,
        since testing a sample twice does not make it two samples. By default, it is the average
        number of times that a tested sample was tested, if `cv_results` has the indices of the
        test sets (``cross_validate(..., return_indices=True)``). Without indices, as after a
        search, repetition cannot be recognised, and the default is 1.
    training_variation : {"nadeau-bengio"}, optional
        Correction for the variation between training sets in K-fold cross-validation. The counts
        are divided by ``1 + K / (K - 1)``, the factor by which Nadeau and Bengio [1]_ multiply the
        variance of the average over K folds. The posteriors show it in their repr and have the
        attributes ``training_variation`` and ``inflation``. By default there is no correction.

    Returns
    -------
    tuple of PosteriorBalancedAccuracy
        One posterior per candidate, in the order of ``cv_results_["params"]``; None for a candidate
        with failed fits. A tuple of length 1 for results of
        :func:`~sklearn.model_selection.cross_validate`.

    Raises
    ------
    ValueError
        If all candidates have failed fits, if there are no counts, if a label was not counted, if
        two keys of `class_weight` have the same text without `labels`, if `n_repeats` does not
        divide the number of splits or disagrees with the indices, or if `training_variation` is
        invalid, has fewer than two folds, or is used where some samples are tested more often than
        others.

    Warns
    -----
    FitFailedWarning
        If candidates have failed fits.
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar test sets, or
        if a class has no samples.
        Given once, for the candidate with the lowest expected coverage.

    See Also
    --------
    cross_val_posterior : cross-validate one estimator and pool.
    PosteriorRefit : choose the best candidate of a search by its pooled posterior.
    pooled_paired_counts : which candidates were right together.

    Notes
    -----
    Pooled counts treat the predictions of the fold models as independent trials and ignore the
    variation between training sets. For the expected balanced accuracy of a retrained model the
    posterior is therefore too narrow: with four classifiers on synthetic data and 5 or 10 folds, 95
    % intervals contained it with probability 0.81 to 0.96, and with the `training_variation`
    correction 0.94 to 1.00 (conservative). See :ref:`cross_validation` for the tables.

    Failed fits are recognised by nan (``error_score=np.nan``, the default) or by folds without
    tested samples (``error_score=0``). Other error scores look like counts.

    If a class may be absent from a training set, give the scorer the labels of all classes:
    ``ClassCountsScorer(labels=np.unique(y))``.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine
       Learning 52(3), 239-281.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import ClassCountsScorer, pooled_posteriors
    >>> X, y = load_wine(return_X_y=True)
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [1, 3]},
    ...     scoring=ClassCountsScorer(),
    ...     refit=False,
    ... ).fit(X, y)
    >>> [posterior.mean() for posterior in pooled_posteriors(search.cv_results_)]
    [0.5911, 0.8906]
    >>> pooled_posteriors(search.cv_results_, training_variation="nadeau-bengio")[1]
    PosteriorBalancedAccuracy(mean=0.885, 95% CI=[0.816, 0.949], n_classes=3, n=79.1111,
        training_variation='nadeau-bengio')
    """
    counts = fold_counts(cv_results, labels)
    times = counts.times_tested(n_repeats)
    inflation = training_inflation(training_variation, counts.n_splits, times)
    posteriors = {
        candidate: corrected_for_training(
            counts.posterior(
                candidate, times.mean() * inflation, prior=prior, class_weight=class_weight
            ),
            training_variation,
            inflation,
        )
        for candidate in counts.fitted()
    }
    warn_if_prior_dominates(*posteriors.values())
    return tuple(posteriors.get(candidate) for candidate in range(len(counts.correct)))


def cross_val_posterior(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    cv: Any = None,
    labels: ArrayLike | None = None,
    prior: PriorLike = DEFAULT_PRIOR,
    class_weight: ClassWeightLike = None,
    training_variation: TrainingVariation = None,
    n_jobs: int | None = None,
    params: Mapping[str, Any] | None = None,
) -> PosteriorBalancedAccuracy:
    """Cross-validate a classifier and pool the test folds into one posterior.

    Parameters
    ----------
    estimator : estimator with ``fit`` and ``predict``
        Classifier, which is cloned.
    X : array-like of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,)
        The classes.
    groups : array-like of shape (n_samples,), optional
        The group of each sample, such as a patient. The splitter uses it, and samples of the same
        group count for less in the posterior; see :ref:`groups`. Groups may also be given in
        `params`. With metadata routing, they are passed to an estimator that requests them, such
        as a search with :class:`~sklearn.model_selection.GroupKFold`.
    cv : int, splitter or iterable of splits, optional
        As in :func:`~sklearn.model_selection.cross_validate`; 5 stratified folds by default. With
        `groups`, None and integers mean folds that keep each group together.
    labels : sequence of length l, optional
        Classes to average over, by default all classes in `y`.
    prior, class_weight : optional
        As in :func:`posterior_balanced_accuracy`.
    training_variation : {"nadeau-bengio"}, optional
        Correction for the variation between training sets, as in :func:`pooled_posteriors`; K-fold
        cross-validation without `groups` only.
    n_jobs : int, optional
        Number of fits to run in parallel.
    params : mapping, optional
        Parameters for ``estimator.fit``, as in :func:`~sklearn.model_selection.cross_validate`, and
        "groups".

    Returns
    -------
    PosteriorBalancedAccuracy
        The posterior given the counts of all folds.

    Raises
    ------
    TypeError
        If `estimator` lacks ``fit`` or ``predict``.
    ValueError
        If groups are given both as an argument and in `params`, or if `training_variation` is
        unknown, combined with groups, or used with splits that test some samples more often than
        others.
    Exception
        Any exception of the estimator; failed fits are not skipped.

    Warns
    -----
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar test sets, or
        if a class has no samples.
    GroupsWarning
        If the correlation within groups is poorly known, or if groups span several classes.

    See Also
    --------
    pooled_posteriors : the same for the candidates of a search, or with a scorer of your own.

    Notes
    -----
    Repeated K-fold and shuffled splits may test a sample more than once or not at all. The counts
    of each class are divided by the average number of times that its tested samples were tested (1
    for K-fold, r for K-fold repeated r times), so they add up to the number of distinct samples
    tested. With shuffled splits, samples tested more often have more weight.

    By default the posterior ignores the variation between training sets; see
    :func:`pooled_posteriors` for the correction of `training_variation`.

    Weights in `params` are passed to ``fit`` only, and each tested sample counts as one. For
    weighted counts, call :func:`~sklearn.model_selection.cross_validate` with a
    :class:`ClassCountsScorer` that requests ``sample_weight``, and pool its results.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import cross_val_posterior
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> cross_val_posterior(tree, X, y).mean()
    0.9087
    """
    _check_estimator(estimator)
    groups, params = _take_groups(groups, params)
    labels = _classes_of(y) if labels is None else unique_label_array(labels, "labels")
    _check_prior(labels, prior, class_weight)
    splits = _splits(estimator, X, y, groups, cv)
    tests = [test for _, test in splits]
    sample_times, times = _times_tested(y, labels, tests)
    if training_variation is not None and groups is not None:
        raise ValueError(
            "training_variation has no correction for samples in groups: leave one of them out"
        )
    inflation = training_inflation(training_variation, len(splits), sample_times)
    if groups is not None and _requests_groups(estimator):
        params = {**params, "groups": groups}
    outcomes = OutcomesScorer(max(map(len, tests)) or 1, labels=labels)
    scores = cross_validate(
        estimator,
        X,
        y,
        scoring=_unweighted_counts(labels) if groups is None else outcomes,
        cv=splits,
        n_jobs=n_jobs,
        params=params,  # scikit-learn 1.6 fails for None where metadata are routed
        error_score="raise",
    )
    counts = fold_counts(scores, labels).pool(0, times * inflation)
    if groups is not None:
        words = fold_words(scores)
        assert words is not None
        counts = with_groups(counts, y, groups, tests, words[0], times)
    posterior = PosteriorBalancedAccuracy(counts, prior=prior, class_weight=class_weight)
    posterior = corrected_for_training(posterior, training_variation, inflation)
    warn_if_prior_dominates(posterior)
    warn_of_groups(posterior.design_effects, label_list(counts.classes))
    return posterior


def _requests_groups(estimator: Any) -> bool:
    """Return whether metadata routing passes groups to ``estimator.fit``."""
    if not get_config()["enable_metadata_routing"]:
        return False
    return bool(get_routing_for_object(estimator).consumes("fit", ["groups"]))


def _take_groups(groups: Any, params: Any) -> tuple[Any, Any]:
    """Return the groups, which may be among the parameters, and the other parameters."""
    if not isinstance(params, Mapping):
        return groups, params or {}
    rest = dict(params)
    routed = rest.pop("groups", None)
    if groups is not None and routed is not None:
        raise ValueError("groups must be given once, got them as an argument and in params")
    return routed if groups is None else groups, rest


def _check_estimator(estimator: object) -> None:
    """Raise if the arguments are in the wrong order."""
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        raise TypeError(
            f"estimator must have fit and predict, got {type(estimator).__name__}; "
            "the arguments are estimator, X, y"
        )


def _classes_of(y: Any) -> LabelArray:
    """Return the sorted classes of labels."""
    labels = read_column(y, "y")
    if not len(labels.array):
        raise ValueError("y must have at least one sample, got none")
    return encode(labels).values


def _splits(estimator: Any, X: Any, y: Any, groups: Any, cv: Any) -> list[tuple[Indices, Indices]]:
    """Return the pairs of training and test indices, of which there must be one."""
    if isinstance(cv, Iterable) and not (isinstance(cv, str) or hasattr(cv, "split")):
        with input_errors(_WANTED_CV):
            cv = list(cv)
        _check_pairs(cv)
    with input_errors("X, y and groups"):
        indexable(X, y, groups)
    is_stratified = is_classifier(estimator)
    if groups is not None and (cv is None or is_integer(cv)):
        # scikit-learn's default would take groups apart.
        cv = (StratifiedGroupKFold if is_stratified else GroupKFold)(5 if cv is None else cv)
    splits = list(check_cv(cv, y, classifier=is_stratified).split(X, y, groups))
    if not splits:
        raise ValueError("cv must have at least one split, got none")
    samples = np.arange(len(np.asarray(y)))
    with input_errors(_WANTED_CV):
        pairs = [(samples[train], samples[test]) for train, test in splits]
    if any(indices.ndim != 1 for pair in pairs for indices in pair):
        raise TypeError(f"{_WANTED_CV}, got other than one dimension of indices")
    return pairs


def _check_pairs(splits: Sequence[Any]) -> None:
    """Raise if the splits are not pairs."""
    for split in splits:
        if not hasattr(split, "__len__") or len(split) != 2:
            raise TypeError(f"{_WANTED_CV}, got {short_repr(split)} in place of a pair")


def _check_prior(labels: LabelArray, prior: PriorLike, class_weight: ClassWeightLike) -> None:
    """Raise for a bad prior before the first fit, not after the last."""
    nothing = np.zeros(np.size(labels))
    counts = ClassCounts(labels, nothing, nothing)
    PosteriorBalancedAccuracy(counts, prior=prior, class_weight=class_weight)


def _unweighted_counts(labels: ArrayLike) -> ClassCountsScorer:
    """Return a scorer that leaves weights to the estimator."""
    scorer = ClassCountsScorer(labels=labels)
    if get_config()["enable_metadata_routing"]:
        scorer.set_score_request(sample_weight=False)
    return scorer


def _times_tested(
    y: ArrayLike, labels: ArrayLike, tests: Sequence[Indices]
) -> tuple[Indices, Floats]:
    """Return how often each tested sample was tested, and the average of each class."""
    times = np.bincount(np.concatenate(tests), minlength=len(np.asarray(y)))
    made, distinct = (
        class_counts(y, y, labels=labels, sample_weight=weight).total
        for weight in (times.astype(float), (times > 0).astype(float))
    )
    mean = np.where(made > 0, made, 1.0) / np.where(distinct > 0, distinct, 1.0)
    return times[times > 0], mean
