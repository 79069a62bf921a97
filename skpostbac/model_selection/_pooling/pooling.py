"""Pooled cross-validation: the counts of all folds make one posterior.

Folds are pooled by adding their per-class counts. Averaging the folds' own posteriors,
or the scores made of them, is something else: every fold then brings the prior along,
ten folds ten times, and each fold's few samples of a small class pull the average
towards 1/2. Of 300 samples, a tenth of them in the small class, ten folds pooled gave a
posterior mean of .773 and a 5 % quantile of .701; the averages of the folds' own were
.745 and .581.

Pooled counts describe the predictions that were made, each by the model of its fold, as
independent trials. They ignore how much models vary with their training sets, so that
the posterior is narrower than what is known about a model trained anew.
`training_variation` corrects this. It is the default where the question is how good the
refitted model is (`cross_val_posterior`) or which algorithm is better
(`compare_cv_results`), not where the candidates of one search are described.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.model_selection import (
    GroupKFold,
    StratifiedGroupKFold,
    check_cv,
    cross_validate,
)
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import get_routing_for_object

from skpostbac._utils import Floats, Indices, input_errors, is_integer
from skpostbac.metrics import (
    ClassCounts,
    OutcomesScorer,
    PairedCounts,
    PosteriorBalancedAccuracy,
    class_counts,
)
from skpostbac.metrics._advice import (
    warn_of_prior,
)
from skpostbac.metrics._class_weight import (
    ClassWeightLike,
)
from skpostbac.metrics._dependence import SampleDesign, warn_of_groups
from skpostbac.metrics._labels import (
    encode,
    label_list,
    positions,
    read_column,
    read_outcomes,
    unique_label_array,
)
from skpostbac.metrics._paired_counts import (
    class_order,
    unpack_bits,
)
from skpostbac.metrics._prior import (
    DEFAULT_PRIOR,
    PriorLike,
)
from skpostbac.model_selection._pooling.folds import (
    TrainingVariation,
    corrected_for_training,
    fold_counts,
    fold_words,
    training_inflation,
)

_WANTED_CV = (
    "cv must be an int, a splitter or an iterable of pairs (train, test) of indices"
)


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

    The counts of the folds are added, and the prior counts once. Averaging the folds'
    own posteriors or scores instead would count the prior once per fold.

    Parameters
    ----------
    cv_results : dict or DataFrame
        ``cv_results_`` of a search with ``scoring=ClassCountsScorer()``, a
        ``pandas.DataFrame`` of it, or the output of
        :func:`~sklearn.model_selection.cross_validate` with that scorer. Other columns
        are ignored.
    labels : sequence of length l, optional
        Classes to use, in this order, as they appear in ``y``, which restores the
        original labels. By default all counted classes, in the order of the scorer,
        with their column names (strings) as labels.
    prior, class_weight : optional
        As in :func:`posterior_balanced_accuracy`. Without `labels`, the keys of a
        `class_weight` dict are matched as strings, so ``{0: 1, 1: 2}`` applies to "0"
        and "1".
    n_repeats : int, default=None
        Number of times each sample was tested, such as ``n_repeats`` of
        :class:`~sklearn.model_selection.RepeatedStratifiedKFold`. The counts are
        divided by it, since testing a sample twice does not make it two samples. By
        default, it is the average number of times that a tested sample was tested, if
        `cv_results` has the indices of the test sets (``cross_validate(...,
        return_indices=True)``). Without indices, as after a search, repetition cannot
        be recognised, and the default is 1.
    training_variation : {"nadeau-bengio"}, optional
        Correction for the variation between training sets in K-fold cross-validation.
        The counts are divided by ``1 + K / (K - 1)``, the factor by which Nadeau and
        Bengio [1]_ multiply the variance of the average over K folds. The posteriors
        show it in their repr and have the attributes ``training_variation`` and
        ``inflation``. By default there is no correction: the posteriors describe the
        candidates' predictions on these folds, not refitted models, for which
        :func:`cross_val_posterior` has the correction by default. With the indices of
        the splits in `cv_results`, any splits can be corrected, by 1 + (samples tested)
        / (mean size of the training sets).

    Returns
    -------
    tuple of PosteriorBalancedAccuracy
        One posterior per candidate, in the order of ``cv_results_["params"]``; None for
        a candidate with failed fits. A tuple of length 1 for results of
        :func:`~sklearn.model_selection.cross_validate`.

    Raises
    ------
    ValueError
        If all candidates have failed fits, if there are no counts, if a label was not
        counted, if two keys of `class_weight` have the same text without `labels`, if
        `n_repeats` does not divide the number of splits or disagrees with the indices,
        or if `training_variation` is invalid, or has fewer than two folds or samples
        tested more often than others without the indices of the training sets.

    Warns
    -----
    FitFailedWarning
        If candidates have failed fits.
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar
        test sets, or if a class has no samples. Given once, for the candidate with the
        lowest expected coverage.
    ClassShareWarning
        As for :func:`~skpostbac.cross_val_posterior`.

    See Also
    --------
    cross_val_posterior : cross-validate one estimator and pool.
    PosteriorRefit : choose the best candidate of a search by its pooled posterior.
    skpostbac.model_selection.pooled_paired_counts : joint counts of candidates.

    Notes
    -----
    Pooled counts treat the predictions of the fold models as independent trials and
    ignore the variation between training sets. For the expected balanced accuracy of a
    retrained model the posterior is therefore too narrow: with four classifiers on
    synthetic data and 5 or 10 folds, 95 % intervals contained it with probability 0.81
    to 0.96, and with the `training_variation` correction 0.94 to 1.00 (conservative).
    See :ref:`cross_validation` for the tables.

    Failed fits are recognised by nan (``error_score=np.nan``, the default) or by folds
    without tested samples (``error_score=0``). Other error scores look like counts.

    If a class may be absent from a training set, give the scorer the labels of all
    classes: ``ClassCountsScorer(labels=np.unique(y))``.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003). Inference for the generalization error.
       Machine Learning 52(3), 239-281.

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
    PosteriorBalancedAccuracy(mean=0.885, 95% CI=[0.807, 0.950], n_classes=3,
        n=178, n_effective=79.1, training_variation='nadeau-bengio')
    """
    counts = fold_counts(cv_results, labels, n_repeats, training_variation)
    posteriors = {
        candidate: counts.posterior(candidate, prior=prior, class_weight=class_weight)
        for candidate in counts.fitted()
    }
    counts.warn_of_shares(*posteriors.values())
    warn_of_prior(*(one._evidence() for one in posteriors.values()))
    return tuple(posteriors.get(candidate) for candidate in range(len(counts.correct)))


def pooled_paired_counts(
    cv_results: Any, *, labels: ArrayLike | None = None, n_repeats: int | None = None
) -> PairedCounts:
    """Count joint correct predictions of the candidates of a search, for each class.

    The posteriors of :func:`~skpostbac.pooled_posteriors` describe each candidate by
    itself; these counts also say which candidates are right on the same samples, for a
    paired comparison.

    Parameters
    ----------
    cv_results : dict or DataFrame
        ``cv_results_`` of a search with ``scoring=OutcomesScorer(...)``.
    labels, n_repeats : optional
        As in :func:`~skpostbac.pooled_posteriors`.

    Returns
    -------
    counts : PairedCounts
        The candidates are named "0", "1", ... by their positions in
        ``cv_results["params"]``; candidates with failed fits are left out.

    Raises
    ------
    ValueError
        If there are no sample outcomes, if the test folds of two candidates differ in
        their number of samples of a class, or for the reasons listed in
        :func:`~skpostbac.pooled_posteriors`.

    Warns
    -----
    FitFailedWarning
        If candidates have failed fits.

    See Also
    --------
    skpostbac.PosteriorComparison.from_paired_counts : comparison of the counts.

    Notes
    -----
    Samples are identified by their position in the fold. Within one search all
    candidates are tested on the same folds. Combine the results of several searches
    only if their folds are the same: the number of samples of each class is checked,
    their identity cannot be.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import OutcomesScorer, PosteriorComparison
    >>> from skpostbac.model_selection import pooled_paired_counts
    >>> X, y = load_wine(return_X_y=True)
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [2, 3, 4]},
    ...     scoring=OutcomesScorer(len(y)),
    ...     refit=False,
    ... ).fit(X, y)
    >>> counts = pooled_paired_counts(search.cv_results_)
    >>> counts.cells("0", "1")
    array([[52.,  1.,  0.,  6.],
           [56.,  0.,  7.,  8.],
           [37.,  0.,  7.,  4.]])
    >>> comparison = PosteriorComparison.from_paired_counts(counts)
    >>> comparison.difference_interval("1", "0")
    Interval(low=0.032, high=0.122)
    """
    words = fold_words(cv_results)
    if words is None:
        raise ValueError(
            "cv_results has no outcomes of samples (test_outcomes_0): "
            "run the search with scoring=OutcomesScorer(max_test_size=len(y))"
        )
    counts = fold_counts(cv_results, labels, n_repeats)
    return counts.pair(words, counts.fitted(), counts.times)


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
    training_variation: TrainingVariation = "nadeau-bengio",
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
        The group of each sample, such as a patient. The splitter uses it, and samples
        of the same group count for less in the posterior; see :ref:`groups`. Groups may
        also be given in `params`. With metadata routing, they are passed to an
        estimator that requests them, such as a search with
        :class:`~sklearn.model_selection.GroupKFold`.
    cv : int, splitter or iterable of splits, optional
        As in :func:`~sklearn.model_selection.cross_validate`; 5 stratified folds by
        default. With `groups`, None and integers mean folds that keep each group
        together.
    labels : sequence of length l, optional
        Classes to average over, by default all classes in `y`.
    prior, class_weight : optional
        As in :func:`posterior_balanced_accuracy`.
    training_variation : {"nadeau-bengio"} or None, default="nadeau-bengio"
        By default the posterior answers how good `estimator` is when it is refitted on
        all data: the counts are divided by 1 + (samples tested) / (mean size of the
        training sets), which is 1 + K / (K - 1) for K folds, as in
        :func:`~skpostbac.pooled_posteriors`. With None it describes these predictions
        only.
    n_jobs : int, optional
        Number of fits to run in parallel.
    params : mapping, optional
        Parameters for ``estimator.fit``, as in
        :func:`~sklearn.model_selection.cross_validate`, and "groups".

    Returns
    -------
    PosteriorBalancedAccuracy
        The posterior given the counts of all folds.

    Raises
    ------
    TypeError
        If `estimator` lacks ``fit``, or ``predict`` when it is fitted.
    ValueError
        If groups are given both as an argument and in `params`, or if
        `training_variation` is unknown.
    Exception
        Any exception of the estimator; failed fits are not skipped.

    Warns
    -----
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar
        test sets, or if a class has no samples.
    GroupsWarning
        If the correlation within groups is poorly known, or if groups span several
        classes.
    ClassShareWarning
        If the score is far below chance and the class shares of the test folds differ
        from those of the training sets, as with leave-one-out.

    See Also
    --------
    pooled_posteriors : the same for a search, or with a scorer of your own.

    Notes
    -----
    Repeated K-fold and shuffled splits may test a sample more than once or not at all.
    The counts of each class are divided by the average number of times that its tested
    samples were tested (1 for K-fold, r for K-fold repeated r times), so they add up to
    the number of distinct samples tested. With shuffled splits, samples tested more
    often have more weight.

    In simulations, 95 % intervals contained the balanced accuracy of the refitted model
    in 99 % of the data sets by default, and in 90 % with
    ``training_variation=None``; see :ref:`evidence_cross_validation`.

    Weights in `params` are passed to ``fit`` only, and each tested sample counts as
    one. For weighted counts, call :func:`~sklearn.model_selection.cross_validate` with
    a :class:`ClassCountsScorer` that requests ``sample_weight``, and pool its results.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import cross_val_posterior
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> cross_val_posterior(tree, X, y).mean()
    0.9068
    """
    if not hasattr(estimator, "fit"):  # some have predict only once they are fitted
        raise TypeError(
            f"estimator must have fit, got {type(estimator).__name__}; "
            "the arguments are estimator, X, y"
        )
    if isinstance(params, Mapping):
        params = dict(params)
        routed = params.pop("groups", None)
        if groups is not None and routed is not None:
            raise ValueError(
                "groups must be given once, got them as an argument and in params"
            )
        groups = routed if groups is None else groups
    if labels is None and not len((column := read_column(y, "y")).array):
        raise ValueError("y must have at least one sample, got none")
    labels = (
        encode(column).values
        if labels is None
        else unique_label_array(labels, "labels")
    )
    # A bad prior raises before the first fit, not after the last.
    nothing = np.zeros(np.size(labels))
    PosteriorBalancedAccuracy(
        ClassCounts(labels, nothing, nothing), prior=prior, class_weight=class_weight
    )
    splits = _splits(estimator, X, y, groups, cv)
    tests = [test for _, test in splits]
    sample_times, times = _times_tested(y, labels, tests)
    n_train = sum(len(train) for train, _ in splits)
    inflation = training_inflation(
        training_variation, len(splits), sample_times, n_train
    )
    is_routing = groups is not None and get_config()["enable_metadata_routing"]
    if is_routing and get_routing_for_object(estimator).consumes("fit", ["groups"]):
        params = {**(params or {}), "groups": groups}
    scores = cross_validate(
        estimator,
        X,
        y,
        scoring=OutcomesScorer(max(map(len, tests)) or 1, labels=labels),
        cv=splits,
        n_jobs=n_jobs,
        params=params
        or {},  # scikit-learn 1.6 fails for None where metadata are routed
        error_score="raise",
    )
    # Groups need the outcomes of all samples; their effective counts are divided.
    folds = fold_counts(scores, labels)
    counts = folds.pool(0, times * (inflation if groups is None else 1))
    if groups is not None:
        words = fold_words(scores)
        assert words is not None
        counts = _with_groups(counts, y, groups, tests, words[0], times)
    posterior = PosteriorBalancedAccuracy(
        counts, prior=prior, class_weight=class_weight
    )
    posterior = corrected_for_training(posterior, training_variation, inflation)
    folds.warn_of_shares(posterior)
    warn_of_prior(posterior._evidence())
    warn_of_groups(posterior.design_effects, label_list(counts.classes))
    return posterior


def _splits(
    estimator: Any, X: Any, y: Any, groups: Any, cv: Any
) -> list[tuple[Indices, Indices]]:
    """Return the pairs of training and test indices, of which there must be one."""
    if isinstance(cv, Iterable) and not (isinstance(cv, str) or hasattr(cv, "split")):
        with input_errors(_WANTED_CV):
            cv = [(train, test) for train, test in cv]
    with input_errors("X, y and groups"):
        indexable(X, y, groups)
    is_stratified = is_classifier(estimator)
    if groups is not None and (cv is None or is_integer(cv)):
        # scikit-learn's default would take groups apart.
        cv = (StratifiedGroupKFold if is_stratified else GroupKFold)(
            5 if cv is None else cv
        )
    splits = list(check_cv(cv, y, classifier=is_stratified).split(X, y, groups))
    if not splits:
        raise ValueError("cv must have at least one split, got none")
    samples = np.arange(len(np.asarray(y)))
    with input_errors(_WANTED_CV):
        pairs = [(samples[train], samples[test]) for train, test in splits]
    if any(indices.ndim != 1 for pair in pairs for indices in pair):
        raise TypeError(f"{_WANTED_CV}, got other than one dimension of indices")
    return pairs


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


def _with_groups(
    counts: ClassCounts,
    y: ArrayLike,
    groups: ArrayLike,
    tests: Sequence[Indices],
    words: Floats,
    times: Floats,
) -> ClassCounts:
    """Return pooled counts with the groups of the samples that were tested.

    Parameters
    ----------
    counts : ClassCounts
        The pooled counts.
    y, groups : array-like of shape (n_samples,)
    tests : sequence of n_splits arrays
        Indices of the samples of each test fold.
    words : ndarray of shape (n_splits, n_words)
        Which of them were right, as :class:`OutcomesScorer` writes it.
    times : ndarray of shape (n_classes,)
        How often a sample of each class was tested: so many tests are one sample.
    """
    samples = read_outcomes(y, {"y": y}, None, groups=groups)
    assert samples.groups is not None
    place = positions(samples.classes, counts.classes)[samples.codes(slice(None))]
    rank = np.argsort(class_order(label_list(counts.classes)))
    # Samples that have a class, in the order of the words.
    with_class = (test[place[test] >= 0] for test in tests)
    tested = [
        index[np.argsort(rank[place[index]], kind="stable")] for index in with_class
    ]
    hits = [
        unpack_bits(word, len(test)) for word, test in zip(words, tested, strict=True)
    ]
    index = np.concatenate(tested)
    design = SampleDesign.of_samples(
        place[index],
        counts.n_classes,
        samples.groups(slice(None))[index],
        None if (times == 1).all() else 1 / times[place[index]],
        [np.concatenate(hits)],
        is_importance=False,
    ).merged()
    return counts._moved(counts.classes, np.arange(counts.n_classes), design)
