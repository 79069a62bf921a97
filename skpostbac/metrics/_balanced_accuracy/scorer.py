"""Scorers for model selection."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest

from skpostbac._utils import (
    Bools,
    LabelArray,
    StablePickle,
    block,
    check_flags,
    is_integer,
    parameters,
    shown,
)
from skpostbac.metrics._balanced_accuracy.score import (
    check_objective,
    posterior_balanced_accuracy_score,
)
from skpostbac.metrics._counts import (
    ClassCounts,
    class_counts,
    class_order,
    n_words,
    pack_bits,
    word_keys,
)
from skpostbac.metrics._labels import (
    WeightType,
    check_weight_type,
    label_list,
    read_outcomes,
    unique_label_array,
)
from skpostbac.metrics._priors import (
    DEFAULT_PRIOR,
    ClassWeightLike,
    PriorLike,
    check_class_weight,
    check_prior,
    resolve_class_weight,
    resolve_prior,
)
from skpostbac.metrics._scoring import CountsDict, NoNumber, make_label_scorer

CORRECT_KEY = "correct_{}"
TOTAL_KEY = "total_{}"


def make_posterior_scorer(
    objective: str = "mean",
    *,
    level: float = 0.95,
    prior: PriorLike = DEFAULT_PRIOR,
    labels: ArrayLike | None = None,
    class_weight: ClassWeightLike = None,
    adjusted: bool = False,
    weight_type: WeightType = None,
) -> Any:
    """Make a scorer of the posterior balanced accuracy, for `scoring=`.

    Parameters
    ----------
    objective : {"mean", "median", "mode", "lower", "upper"}, default="mean"
        Statistic to return. "lower" and "upper" are one-sided credible bounds.
    level : float, default=0.95
        Probability of the bounds, in (0, 1).
    prior : str, pair of floats or array-like of shape (n_classes, 2), default="reciprocal"
        Prior of the accuracy on each class.
    labels : array-like of shape (n_classes,), default=None
        Classes to average over, by default those in each test set.
    class_weight : dict or array-like of shape (n_classes,), default=None
        Weights of the classes in the average.
    adjusted : bool, default=False
        Rescale the score so that chance level is 0.
    weight_type : {"case", "importance"}, default=None
        Meaning of the sample weights, as for :func:`class_counts`.

    Returns
    -------
    scorer : callable
        Scorer made by :func:`sklearn.metrics.make_scorer`, new at each call, so `set_score_request`
        affects only this one. Greater is better, also for "upper".

    Raises
    ------
    ValueError
        If a parameter is invalid, as far as can be checked without data.

    See Also
    --------
    posterior_balanced_accuracy_score : The score function.
    ClassCountsScorer : Scorer that returns class counts, for pooling the folds.

    Notes
    -----
    With metadata routing, ``scorer.set_score_request(groups=True)`` requests the groups of the test
    set. By default, groups go to the splitter only.
    :func:`~sklearn.model_selection.cross_validate` also passes ``params={"groups": ...}`` to the
    splitter.

    Each test set has its own posterior, so the mean score over k folds counts the prior k times.
    Pool the counts of the folds if this matters. Single folds never give a
    :class:`PriorInfluenceWarning`; pooled folds may.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import make_posterior_scorer
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [1, 4]},
    ...     scoring=make_posterior_scorer("lower"),
    ... )
    >>> search.fit(*load_wine(return_X_y=True)).best_params_
    {'max_depth': 4}
    """
    check_objective(objective, level)
    check_flags(adjusted=adjusted)
    check_weight_type(weight_type)
    prior, class_weight = check_prior(prior), check_class_weight(class_weight)
    if labels is not None:
        labels = unique_label_array(labels, "labels")
        resolve_prior(prior, len(labels))
        resolve_class_weight(class_weight, labels)
    return make_label_scorer(
        posterior_balanced_accuracy_score,
        labels=labels,
        objective=objective,
        level=level,
        prior=prior,
        class_weight=class_weight,
        adjusted=adjusted,
        **({} if weight_type is None else {"weight_type": weight_type}),
    )


class ClassCountsScorer(StablePickle, NoNumber):
    """Scorer that returns the counts of each class, for exact pooling of folds.

    Pass it as `scoring=` to :func:`sklearn.model_selection.cross_validate` or to a search: it
    returns a dict, and each entry becomes a column such as ``split0_test_correct_spam``.

    A search also needs ``refit=PosteriorRefit(...)`` or ``refit=False``, since a dict of counts
    does not rank the candidates. With the default, ``refit=True``, scikit-learn raises "For
    multi-metric scoring, the parameter refit must be set ...". With a callable `refit`,
    ``search.score(X, y)`` raises a ``KeyError`` (scikit-learn #17058); call
    ``make_posterior_scorer()(search, X, y)``, or ``posterior_balanced_accuracy(y,
    search.predict(X))`` for the full posterior.

    Parameters
    ----------
    labels : array-like of shape (n_classes,), default=None
        Classes to count, in this order; samples of other classes are ignored. Defaults to the
        `classes_` of the estimator; a sample of another class then raises an error.
    weight_type : {"case"}, default=None
        "case" declares that weights are case counts, which silences the warning about fractional
        weights. Importance weights cannot be pooled by their sums: pass the predictions of
        :func:`~sklearn.model_selection.cross_val_predict` and the weights to
        :func:`posterior_balanced_accuracy` instead.

    Attributes
    ----------
    labels : ndarray of shape (n_classes,) or None
        Read-only copy of the parameter.
    weight_type : str or None

    Raises
    ------
    ValueError
        If `labels` is empty or has duplicates or two labels with the same text, or if `weight_type`
        is invalid.

    See Also
    --------
    make_posterior_scorer : Scorer that returns one number.
    OutcomesScorer : Scorer that also returns each sample's outcome, for paired comparisons.

    Notes
    -----
    Where scikit-learn needs a single number, as in :func:`sklearn.model_selection.cross_val_score`,
    use :func:`make_posterior_scorer`. Averaging or comparing the dicts, or converting them to
    float, raises an error that says so.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.dummy import DummyClassifier
    >>> from skpostbac import ClassCountsScorer
    >>> X, y = load_wine(return_X_y=True)
    >>> classifier = DummyClassifier(strategy="most_frequent").fit(X, y)
    >>> counts = ClassCountsScorer()(classifier, X, y)
    >>> counts["correct_1"], counts["total_1"], counts["correct_0"], counts["total_0"]
    (71.0, 71.0, 0.0, 59.0)
    """

    def __init__(self, *, labels: ArrayLike | None = None, weight_type: WeightType = None) -> None:
        self.labels = None if labels is None else unique_label_array(labels, "labels")
        self.weight_type = _check_cases(weight_type)
        self._sample_weight_request: bool | str | None = None
        if self.labels is not None:
            _keys(self.labels)

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> dict[str, float]:
        """Count the correct predictions of a fitted estimator on a test set.

        Parameters
        ----------
        estimator : object
            Fitted classifier; without `labels` it must have `classes_`.
        X : array-like
            Test data, passed to `estimator.predict`.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Finite, non-negative case counts.

        Returns
        -------
        counts : dict of str to float
            ``correct_<label>`` and ``total_<label>`` of each class, absent ones included.

        Raises
        ------
        ValueError
            If the estimator has no `classes_`, or if `y` has a class that is not among them.

        Warns
        -----
        SampleWeightWarning
            If weights are not whole numbers and `weight_type` is not "case".
        """
        y_pred = predict(estimator, X)
        counts = _fold_counts(estimator, y, y_pred, self, sample_weight, self.weight_type)
        return CountsDict(_as_dict(counts), type(self).__qualname__)

    def set_score_request(self, *, sample_weight: bool | str | None) -> ClassCountsScorer:
        """Set whether `sample_weight` is requested, when metadata routing is enabled.

        Parameters
        ----------
        sample_weight : bool, str or None
            True requests it, False ignores it, a string requests it under that name, and None
            raises an error if it is passed.

        Returns
        -------
        self : ClassCountsScorer

        Raises
        ------
        RuntimeError
            If metadata routing is not enabled.
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "This method is only available when metadata routing is enabled. You can "
                "enable it using sklearn.set_config(enable_metadata_routing=True)."
            )
        self._sample_weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata request of the scorer, for scikit-learn's metadata routing."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._sample_weight_request)
        return request

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassCountsScorer):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        labels = None if self.labels is None else tuple(label_list(self.labels))
        return labels, self.weight_type, self._sample_weight_request

    def _repr_html_(self) -> str:
        return block(repr(self), parameters({"labels": _listed(self.labels)}))

    def __repr__(self) -> str:
        facts = [] if self.labels is None else [f"labels={label_list(self.labels)}"]
        if self.weight_type is not None:
            facts.append(f"weight_type={self.weight_type!r}")
        return f"ClassCountsScorer({', '.join(facts)})"


class OutcomesScorer(StablePickle, NoNumber):
    """Scorer that also records which test samples were predicted correctly.

    Use it instead of :class:`ClassCountsScorer` for paired comparisons of the candidates of a
    search, which are tested on the same folds; see :class:`PosteriorRefit` and
    :func:`pooled_paired_counts`.

    Parameters
    ----------
    max_test_size : int
        Upper bound on the size of a test fold; the total number of samples always works.
    labels : array-like of shape (n_classes,), default=None
        As for :class:`ClassCountsScorer`.

    Attributes
    ----------
    max_test_size : int
    labels : ndarray of shape (n_classes,) or None
        Read-only copy of the parameter.

    Raises
    ------
    ValueError
        If `max_test_size` is not a positive integer, or for the reasons listed in
        :class:`ClassCountsScorer`.

    See Also
    --------
    ClassCountsScorer : Scorer that returns class counts only; accepts sample weights.

    Notes
    -----
    scikit-learn stores only 64-bit numbers, under the same keys for each fold. In addition to
    ``correct_<label>`` and ``total_<label>`` there are ``outcomes_0``, ``outcomes_1``, ..., 53-bit
    integers with one bit per sample. Samples are sorted by the text of their class, and keep the
    order of the fold within a class. The number of these columns depends only on `max_test_size`.
    Ignore the means and ranks that a search computes from them.

    A search needs ``refit=PosteriorRefit(...)`` or ``refit=False``, as for
    :class:`ClassCountsScorer`.

    Sample weights are not supported: each sample counts as one. Where scikit-learn needs a single
    number, as in successive halving, use :func:`make_posterior_scorer`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.dummy import DummyClassifier
    >>> from skpostbac import OutcomesScorer
    >>> X, y = load_wine(return_X_y=True)
    >>> classifier = DummyClassifier(strategy="most_frequent").fit(X, y)
    >>> outcomes = OutcomesScorer(100)(classifier, X[55:63], y[55:63])
    >>> outcomes["total_0"], outcomes["total_1"], bin(int(outcomes["outcomes_0"]))
    (4.0, 4.0, '0b11110000')
    """

    def __init__(self, max_test_size: int, *, labels: ArrayLike | None = None) -> None:
        self.max_test_size = _check_size(max_test_size)
        self.labels = None if labels is None else unique_label_array(labels, "labels")
        if self.labels is not None:
            _keys(self.labels)

    def __call__(self, estimator: Any, X: Any, y: ArrayLike) -> dict[str, float]:
        """Count and record the correct predictions of a fitted estimator on a test set.

        Parameters
        ----------
        estimator : object
            Fitted classifier; without `labels` it must have `classes_`.
        X : array-like
            Test data, passed to `estimator.predict`.
        y : array-like of shape (n_samples,)
            True labels.

        Returns
        -------
        outcomes : dict of str to float
            ``correct_<label>`` and ``total_<label>`` of each class, and ``outcomes_<number>``.

        Raises
        ------
        ValueError
            If there are more samples than `max_test_size`, or for the reasons listed in
            :class:`ClassCountsScorer`.
        """
        y_pred = predict(estimator, X)
        counts = _fold_counts(estimator, y, y_pred, self)
        if counts.n_samples > self.max_test_size:
            raise ValueError(
                f"max_test_size must be at least the number of samples of each test set, "
                f"got {self.max_test_size} for one of {counts.n_samples:.0f}"
            )
        words = pack_bits(_sorted_hits(y, y_pred, counts.classes), n_words(self.max_test_size))
        outcomes = dict(zip(word_keys(len(words)), words.tolist(), strict=True))
        return CountsDict(_as_dict(counts) | outcomes, type(self).__qualname__)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OutcomesScorer):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.max_test_size, None if self.labels is None else tuple(label_list(self.labels))

    def _repr_html_(self) -> str:
        values = {"max_test_size": self.max_test_size, "labels": _listed(self.labels)}
        return block(repr(self), parameters(values))

    def __repr__(self) -> str:
        labels = "" if self.labels is None else f", labels={label_list(self.labels)}"
        return f"OutcomesScorer({self.max_test_size}{labels})"


def _listed(labels: LabelArray | None) -> list[Any] | None:
    return None if labels is None else label_list(labels)


def predict(estimator: Any, X: Any) -> ArrayLike:
    """Return predictions; raise if the estimator is not a classifier."""
    if isinstance(estimator, type) or not hasattr(estimator, "predict"):
        raise TypeError(f"estimator must be a classifier with predict, got {shown(estimator)}")
    y_pred: ArrayLike = estimator.predict(X)
    return y_pred


def _check_cases(weight_type: WeightType) -> WeightType:
    """Raise if the weights are not case counts."""
    check_weight_type(weight_type)
    if weight_type == "importance":
        raise ValueError(
            "weight_type must be 'case' or None for the counts of folds, got 'importance': give "
            "the predictions of cross_val_predict and the weights to posterior_balanced_accuracy"
        )
    return weight_type


def _check_size(max_test_size: object) -> int:
    if not is_integer(max_test_size) or max_test_size < 1:
        raise ValueError(f"max_test_size must be a positive integer, got {shown(max_test_size)}")
    return int(max_test_size)


def _fold_counts(
    estimator: Any,
    y: ArrayLike,
    y_pred: ArrayLike,
    scorer: ClassCountsScorer | OutcomesScorer,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
) -> ClassCounts:
    """Count the classes of the scorer, by default those of the estimator."""
    counts = class_counts(
        y, y_pred, labels=scorer.labels, sample_weight=sample_weight, weight_type=weight_type
    )
    if scorer.labels is not None:
        return counts
    return counts.reindex(_estimator_labels(estimator, counts, type(scorer).__qualname__))


def _sorted_hits(y: ArrayLike, y_pred: ArrayLike, classes: LabelArray) -> Bools:
    """Return which samples are predicted correctly, in the order of the packed words."""
    outcomes = read_outcomes(y, {"y_pred": y_pred}, None)
    samples = outcomes.read()
    labels = label_list(classes)
    rank = {labels[position]: place for place, position in enumerate(class_order(labels))}
    places = np.array([rank.get(label, -1) for label in label_list(outcomes.classes)])
    place = places[samples.codes]
    order = np.argsort(place, kind="stable")
    return samples.hits[0][order[np.sum(place < 0) :]]


def _estimator_labels(estimator: Any, counts: ClassCounts, scorer: str) -> LabelArray:
    """Return the classes of the estimator, which must have all that were counted."""
    if not hasattr(estimator, "classes_"):
        raise ValueError(f"{type(estimator).__name__} has no classes_; pass labels= to {scorer}")
    labels = unique_label_array(estimator.classes_, "classes_")
    known = set(label_list(labels))
    unknown = [label for label in label_list(counts.classes) if label not in known]
    if unknown:
        raise ValueError(
            f"y has classes that the estimator was not trained on, {unknown}; "
            f"pass labels= to {scorer}"
        )
    return labels


def _as_dict(counts: ClassCounts) -> dict[str, float]:
    correct, total = _keys(counts.classes)
    pairs = (*zip(correct, counts.correct, strict=True), *zip(total, counts.total, strict=True))
    return {key: float(value) for key, value in pairs}


def _keys(labels: LabelArray) -> tuple[list[str], list[str]]:
    """Return the keys of the correct and of the total counts."""
    names = [str(label) for label in label_list(labels)]
    alike = [name for name, count in Counter(names).items() if count > 1]
    if alike:
        raise ValueError(f"labels must not have the same text: {alike}")
    return [CORRECT_KEY.format(name) for name in names], [TOTAL_KEY.format(name) for name in names]
