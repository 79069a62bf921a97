"""Scorers: how scikit-learn chooses a model by a posterior, or collects its counts.

Score functions, the scorers made of them, and scorers that return counts, which pool
exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn import config_context, get_config
from sklearn.metrics import make_scorer
from sklearn.utils.metadata_routing import MetadataRequest

from skpostbac._utils import (
    LabelArray,
    StablePickle,
    check_choice,
    check_flags,
    check_level,
    check_positive_integer,
    shown,
)
from skpostbac.metrics._balanced_accuracy import (
    PosteriorBalancedAccuracy,
)
from skpostbac.metrics._binary_equivalent import (
    binary_equivalent_accuracy_score,
)
from skpostbac.metrics._class_weight import (
    ClassWeightLike,
    check_class_weight,
    resolve_class_weight,
)
from skpostbac.metrics._counts import (
    ClassCounts,
    class_counts,
    count_outcomes,
)
from skpostbac.metrics._labels import (
    Outcomes,
    WeightType,
    check_weight_type,
    label_list,
    positions,
    read_outcomes,
    unique_label_array,
)
from skpostbac.metrics._paired_counts import (
    class_order,
    pack_bits,
)
from skpostbac.metrics._posterior import (
    ScalarPosterior,
)
from skpostbac.metrics._prior import (
    DEFAULT_PRIOR,
    PriorLike,
    check_prior,
    make_prior,
)

Objective: TypeAlias = Literal["mean", "median", "mode", "lower", "upper"]
# Statistic of the posterior, given the level of a bound.
OBJECTIVES: dict[str, Callable[[ScalarPosterior, float], float]] = {
    "mean": lambda posterior, level: posterior.mean(),
    "median": lambda posterior, level: posterior.median(),
    "mode": lambda posterior, level: posterior.mode(),
    "lower": lambda posterior, level: posterior.lower_bound(level),
    "upper": lambda posterior, level: posterior.upper_bound(level),
}


class Scorer(Protocol):
    """What scikit-learn calls for `scoring=`."""

    def __call__(self, *data: Any, **params: Any) -> float:
        """Return the score of a fitted estimator, given `X` and `y`."""
        ...

    def set_score_request(self, **requests: Any) -> Any:
        """Request metadata, such as `sample_weight`."""
        ...


def posterior_balanced_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    objective: Objective = "mean",
    level: float = 0.95,
    prior: PriorLike = DEFAULT_PRIOR,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    class_weight: ClassWeightLike = None,
) -> float:
    """Summarise the posterior balanced accuracy in one number.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    objective : {"mean", "median", "mode", "lower", "upper"}, default="mean"
        Statistic to return. "lower" and "upper" are one-sided bounds of probability
        `level`, :meth:`~skpostbac.PosteriorBalancedAccuracy.lower_bound` and
        :meth:`~skpostbac.PosteriorBalancedAccuracy.upper_bound`.
    level : float, default=0.95
        Probability of the bounds, in (0, 1). Ignored for other objectives.
    prior : str, pair, array-like or BetaPrior, default="calibrated"
        Prior of the recall of each class, as for :func:`posterior_balanced_accuracy`.
    labels : array-like of shape (n_classes,), default=None
        Classes to average over, by default those in `y_true`. A class that is absent
        from `y_true` keeps its prior; samples whose true class is not listed are
        ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights. By default they are case counts, so their scale
        matters.
    weight_type : {"case", "importance"}, default=None
        Meaning of the weights: case counts, or importance (survey, inverse-probability)
        weights, whose scale does not matter. None means "case", with a warning if the
        weights are not whole numbers.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as a patient, a site or a document. Samples of
        the same group are treated as correlated and count for less; see :ref:`groups`.
    class_weight : dict or array-like of shape (n_classes,), default=None
        Weights of the classes in the average, normalised to sum to 1.

    Returns
    -------
    score : float
        In [0, 1].

    Raises
    ------
    ValueError
        If `objective` is unknown, if `level` is outside (0, 1), or for the reasons
        listed in :func:`posterior_balanced_accuracy`.
    TypeError
        For the reasons listed in :func:`posterior_balanced_accuracy`.

    See Also
    --------
    make_posterior_scorer : Scorer for model selection.
    posterior_balanced_accuracy : The full posterior.

    Notes
    -----
    This function never gives a :class:`~skpostbac.metrics.PriorInfluenceWarning` or
    :class:`~skpostbac.metrics.GroupsWarning`, which a search would repeat in each fold.

    References
    ----------
    .. [1] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The
       balanced accuracy and its posterior distribution. Proceedings of the 20th
       International Conference on Pattern Recognition, 3121-3124.

    Examples
    --------
    >>> from skpostbac import posterior_balanced_accuracy_score
    >>> y_true, y_pred = [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]
    >>> posterior_balanced_accuracy_score(y_true, y_pred)
    0.7667
    >>> posterior_balanced_accuracy_score(y_true, y_pred, objective="upper")
    0.9551
    """
    check_objective(objective, level)
    counts = class_counts(
        y_true,
        y_pred,
        labels=labels,
        sample_weight=sample_weight,
        weight_type=weight_type,
        groups=groups,
    )
    posterior = PosteriorBalancedAccuracy(
        counts, prior=prior, class_weight=class_weight
    )
    return float(OBJECTIVES[objective](posterior, level))


def check_objective(
    objective: str, level: float, known: Sequence[str] = tuple(OBJECTIVES)
) -> None:
    """Raise if the objective is unknown or the level is not in (0, 1)."""
    check_choice(objective, known, "objective")
    check_level(level)


def make_posterior_scorer(
    objective: Objective = "mean",
    *,
    level: float = 0.95,
    prior: PriorLike = DEFAULT_PRIOR,
    labels: ArrayLike | None = None,
    class_weight: ClassWeightLike = None,
    weight_type: WeightType = None,
) -> Scorer:
    """Make a scorer of the posterior balanced accuracy, for `scoring=`.

    It returns one number a fold, by which scikit-learn can choose.
    :class:`ClassCountsScorer` returns counts, which pool the folds exactly, and
    :class:`OutcomesScorer` also each sample's outcome, for paired comparisons.

    Parameters
    ----------
    objective : {"mean", "median", "mode", "lower", "upper"}, default="mean"
        Statistic to return. "lower" and "upper" are one-sided credible bounds.
    level : float, default=0.95
        Probability of the bounds, in (0, 1).
    prior : str, pair, array-like or BetaPrior, default="calibrated"
        Prior of the recall of each class.
    labels : array-like of shape (n_classes,), default=None
        Classes to average over, by default those in each test set.
    class_weight : dict or array-like of shape (n_classes,), default=None
        Weights of the classes in the average.
    weight_type : {"case", "importance"}, default=None
        Meaning of the sample weights, as for :func:`class_counts`.

    Returns
    -------
    scorer : callable
        Scorer made by :func:`sklearn.metrics.make_scorer`, new at each call, so
        `set_score_request` affects only this one. Greater is better, also for "upper".

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
    With metadata routing, ``scorer.set_score_request(groups=True)`` requests the groups
    of the test set. By default, groups go to the splitter only.
    :func:`~sklearn.model_selection.cross_validate` also passes ``params={"groups":
    ...}`` to the splitter.

    Each test set has its own posterior, so the mean score over k folds counts the prior
    k times. Pool the counts of the folds if this matters. Single folds never give a
    :class:`~skpostbac.metrics.PriorInfluenceWarning`; pooled folds may.

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
    check_weight_type(weight_type)
    prior = check_prior(prior)
    class_weight = check_class_weight(class_weight)
    if labels is not None:
        labels = unique_label_array(labels, "labels")
        make_prior(prior, len(labels))
        resolve_class_weight(class_weight, labels)
    return make_named_scorer(
        posterior_balanced_accuracy_score,
        labels=labels,
        objective=objective,
        level=level,
        prior=prior,
        class_weight=class_weight,
        **({} if weight_type is None else {"weight_type": weight_type}),
    )


def make_binary_equivalent_scorer(
    *, balanced: bool = False, labels: ArrayLike | None = None
) -> Scorer:
    """Make a scorer of the binary-equivalent accuracy, for `scoring=`.

    Parameters
    ----------
    balanced : bool, default=False
        Use the balanced accuracy instead of the accuracy.
    labels : array-like of shape (n_classes,), default=None
        Classes to choose from, by default those in the labels or predictions of each
        test set. Pass them if a fold may lack a class.

    Returns
    -------
    scorer : callable
        Scorer made by :func:`sklearn.metrics.make_scorer`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac.binary_equivalent import make_binary_equivalent_scorer
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    >>> float(
    ...     cross_val_score(tree, X, y, scoring=make_binary_equivalent_scorer()).mean()
    ... )
    0.803
    """
    check_flags(balanced=balanced)
    if labels is not None:
        labels = unique_label_array(labels, "labels")
    return make_named_scorer(
        binary_equivalent_accuracy_score, labels=labels, balanced=balanced
    )


def make_named_scorer(
    score: Callable[..., float], *, labels: LabelArray | None = None, **options: Any
) -> Scorer:
    """Make a scorer with the name of its score function, for axis labels.

    It scores the classes found if `labels` is None.
    """
    if labels is not None:
        score = ScoreOfClasses(score)
        options = {"classes": labels, **options}
    scorer = make_scorer(score, **options)
    scorer.__name__ = score.__name__
    # Later versions of scikit-learn than 1.6 read the requests off the signature of the
    # function, and would raise if groups are passed to a splitter alone. The request
    # for weights is kept.
    found = scorer.get_metadata_routing().score.requests
    weights = {name: alias for name, alias in found.items() if name == "sample_weight"}
    with config_context(enable_metadata_routing=True):
        scorer.set_score_request(**weights, groups=False)
    return cast(Scorer, scorer)


@dataclass(frozen=True)
class ScoreOfClasses:
    """A score function that takes its `labels` as `classes`.

    :class:`~sklearn.linear_model.LogisticRegressionCV` passes its own `labels` to score
    functions with such a parameter, beside those that a scorer has.
    """

    score: Callable[..., float]

    @property
    def __name__(self) -> str:
        return self.score.__name__

    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        classes: LabelArray,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> float:
        """Return the score of these classes."""
        return self.score(
            y_true, y_pred, labels=classes, sample_weight=sample_weight, **options
        )


SAME_CLASSES = "all splits must count the same classes: pass the labels of all to {}"
# The column that tells whether all folds have counted the same classes.
N_CLASSES_KEY = "n_classes"


class CountsScorer(StablePickle):
    """Base class of scorers of counts."""

    def __init__(self, labels: ArrayLike | None) -> None:
        self.labels = None if labels is None else unique_label_array(labels, "labels")
        if self.labels is not None:
            _label_texts(self.labels)

    @property
    def _listed(self) -> list[Any] | None:
        return None if self.labels is None else label_list(self.labels)

    def _count(self, estimator: Any, outcomes: Outcomes) -> ClassCounts:
        """Count the classes of the scorer, by default those of the estimator."""
        counts = count_outcomes(outcomes, self.labels)
        if self.labels is not None:
            return counts
        remedy = f"pass labels= to {type(self).__qualname__}"
        if not hasattr(estimator, "classes_"):
            raise ValueError(f"{type(estimator).__name__} has no classes_; {remedy}")
        labels = unique_label_array(estimator.classes_, "classes_")
        known = set(label_list(labels))
        unknown = [label for label in label_list(counts.classes) if label not in known]
        if unknown:
            raise ValueError(
                f"y has classes that the estimator was not trained on, {unknown}; "
                f"{remedy}"
            )
        return counts.reindex(labels)

    def _result(self, counts: ClassCounts, **outcomes: float) -> CountsDict:
        """Return counts by label, and the packed outcomes, if any."""
        if self.labels is None:
            outcomes[N_CLASSES_KEY] = float(counts.n_classes)
        texts = _label_texts(counts.classes)
        result = {
            f"{column}_{text}": value
            for column in ("correct", "total")
            for text, value in zip(texts, getattr(counts, column).tolist(), strict=True)
        }
        return CountsDict(result | outcomes, type(self).__qualname__)


def _label_texts(labels: LabelArray) -> list[str]:
    """Return the labels as parts of keys, which must differ."""
    texts = [str(label) for label in label_list(labels)]
    alike = [text for text, count in Counter(texts).items() if count > 1]
    if alike:
        raise ValueError(f"labels must not have the same text: {alike}")
    return texts


class CountsDict(dict[str, float]):
    """Dict returned by scorers of counts, with an error if folds have other classes."""

    def __init__(self, counts: dict[str, float], scorer: str) -> None:
        super().__init__(counts)
        self._scorer = scorer

    def __missing__(self, key: str) -> float:
        # scikit-learn asks every fold for what the first one has.
        if str(key).startswith(("correct_", "total_")):
            raise ValueError(SAME_CLASSES.format(self._scorer))
        raise KeyError(key)


class FailedCounts(CountsDict):
    """Returned in place of an error, which is raised as soon as the counts are read.

    scikit-learn would put `error_score` in the place of an error of the scorer, and
    then raise a TypeError about this number beside the dicts of other folds.
    """

    def __init__(self, error: ValueError) -> None:
        super().__init__({}, "")
        self._error = error

    def _raise(self, *_: Any) -> Any:
        raise self._error

    items: Any = _raise
    keys: Any = _raise
    values: Any = _raise
    get: Any = _raise
    __getitem__ = __iter__ = __len__ = __contains__ = _raise

    def __repr__(self) -> str:
        return f"FailedCounts({self._error!r})"


def raised_when_read(
    score: Callable[..., dict[str, float]],
) -> Callable[..., dict[str, float]]:
    """Have a scorer of counts return an error, as `FailedCounts`."""

    @wraps(score)
    def wrapper(*args: Any, **kwargs: Any) -> dict[str, float]:
        try:
            return score(*args, **kwargs)
        except ValueError as error:
            return FailedCounts(error)

    return wrapper


class ClassCountsScorer(CountsScorer):
    """Scorer that returns the counts of each class, for exact pooling of folds.

    Pass it as `scoring=` to :func:`sklearn.model_selection.cross_validate` or to a
    search: it returns a dict, and each entry becomes a column such as
    ``split0_test_correct_spam``. Where one number is needed, use
    :func:`make_posterior_scorer`; to compare candidates sample by sample,
    :class:`OutcomesScorer`.

    A search also needs ``refit=PosteriorRefit(...)`` or ``refit=False``, since a dict
    of counts does not rank the candidates. With the default, ``refit=True``,
    scikit-learn raises "For multi-metric scoring, the parameter refit must be set ...".
    With a callable `refit`, ``search.score(X, y)`` raises a ``KeyError`` (scikit-learn
    #17058); call ``make_posterior_scorer()(search, X, y)``, or
    ``posterior_balanced_accuracy(y, search.predict(X))`` for the full posterior.

    Parameters
    ----------
    labels : array-like of shape (n_classes,), default=None
        Classes to count, in this order; samples of other classes are ignored. Defaults
        to the `classes_` of the estimator; a sample of another class then raises an
        error.
    weight_type : {"case"}, default=None
        "case" declares that weights are case counts, which silences the warning about
        fractional weights. Importance weights cannot be pooled by their sums: pass the
        predictions of :func:`~sklearn.model_selection.cross_val_predict` and the
        weights to :func:`posterior_balanced_accuracy` instead.

    Attributes
    ----------
    labels : ndarray of shape (n_classes,) or None
        Read-only copy of the parameter.
    weight_type : str or None

    Raises
    ------
    ValueError
        If `labels` is empty or has duplicates or two labels with the same text, or if
        `weight_type` is invalid.

    See Also
    --------
    make_posterior_scorer : Scorer that returns one number.
    OutcomesScorer : Scorer that also returns outcomes, for paired comparisons.

    Notes
    -----
    Where scikit-learn needs a single number, as in
    :func:`sklearn.model_selection.cross_val_score`, use :func:`make_posterior_scorer`:
    a dict is an error there.

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

    def __init__(
        self, *, labels: ArrayLike | None = None, weight_type: WeightType = None
    ) -> None:
        super().__init__(labels)
        check_weight_type(weight_type)
        if weight_type == "importance":
            raise ValueError(
                "weight_type must be 'case' or None for the counts of folds, got "
                "'importance': give the predictions of cross_val_predict and the "
                "weights to posterior_balanced_accuracy"
            )
        self.weight_type = weight_type
        self._sample_weight_request: bool | str | None = None

    @raised_when_read
    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
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
            ``correct_<label>`` and ``total_<label>`` of each class, absent ones
            included; without `labels` also ``n_classes``.

        Raises
        ------
        ValueError
            If the estimator has no `classes_`, or if `y` has a class that is not among
            them. It is raised when the counts are read, which scikit-learn does
            whatever its `error_score` is.

        Warns
        -----
        SampleWeightWarning
            If weights are not whole numbers and `weight_type` is not "case".
        """
        y_pred = predict(estimator, X)
        outcomes = read_outcomes(y, {"y_pred": y_pred}, sample_weight, self.weight_type)
        return self._result(self._count(estimator, outcomes))

    def set_score_request(
        self, *, sample_weight: bool | str | None
    ) -> ClassCountsScorer:
        """Set whether `sample_weight` is requested, when metadata routing is enabled.

        Parameters
        ----------
        sample_weight : bool, str or None
            True requests it, False ignores it, a string requests it under that name,
            and None raises an error if it is passed.

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
                "This method is only available when metadata routing is enabled. You "
                "can enable it using sklearn.set_config(enable_metadata_routing=True)."
            )
        self._sample_weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata request, for scikit-learn's metadata routing."""
        request = MetadataRequest(owner=self)
        request.score.add_request(
            param="sample_weight", alias=self._sample_weight_request
        )
        return request

    def __repr__(self) -> str:
        facts = [] if self.labels is None else [f"labels={self._listed}"]
        if self.weight_type is not None:
            facts.append(f"weight_type={self.weight_type!r}")
        return f"ClassCountsScorer({', '.join(facts)})"


class OutcomesScorer(CountsScorer):
    """Scorer that also records which test samples were predicted correctly.

    Use it instead of :class:`ClassCountsScorer` for paired comparisons of the
    candidates of a search, which are tested on the same folds; see
    :class:`PosteriorRefit` and :func:`~skpostbac.model_selection.pooled_paired_counts`.

    Parameters
    ----------
    max_test_size : int
        Upper bound on the size of a test fold; the total number of samples always
        works.
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
    scikit-learn stores only 64-bit numbers, under the same keys for each fold. In
    addition to ``correct_<label>`` and ``total_<label>`` there are ``outcomes_0``,
    ``outcomes_1``, ..., 53-bit integers with one bit per sample. Samples are sorted by
    the text of their class, and keep the order of the fold within a class. The number
    of these columns depends only on `max_test_size`. Ignore the means and ranks that a
    search computes from them.

    A search needs ``refit=PosteriorRefit(...)`` or ``refit=False``, as for
    :class:`ClassCountsScorer`.

    Sample weights are not supported: each sample counts as one. Where scikit-learn
    needs a single number, as in successive halving, use :func:`make_posterior_scorer`.

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
        size = check_positive_integer(max_test_size, "max_test_size")
        super().__init__(labels)
        self.max_test_size = size

    @raised_when_read
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
            ``correct_<label>`` and ``total_<label>`` of each class,
            ``outcomes_<number>``, and without `labels` ``n_classes``.

        Raises
        ------
        ValueError
            If there are more samples than `max_test_size`, or for the reasons listed in
            :class:`ClassCountsScorer`. It is raised when the counts are read.
        """
        outcomes = read_outcomes(y, {"y_pred": predict(estimator, X)}, None)
        counts = self._count(estimator, outcomes)
        if counts.n_samples > self.max_test_size:
            raise ValueError(
                "max_test_size must be at least the number of samples of each test "
                f"set, got {self.max_test_size} for one of {counts.n_samples:.0f}"
            )
        # Which samples are predicted correctly, in the order of the packed words.
        codes, (hits,), _ = outcomes.read()
        by_text = class_order(label_list(counts.classes))
        places = positions(outcomes.classes, counts.classes[by_text])[codes]
        order = np.argsort(places, kind="stable")
        hits = hits[order[np.sum(places < 0) :]]
        return self._result(counts, **pack_bits(hits, self.max_test_size))

    def __repr__(self) -> str:
        labels = "" if self.labels is None else f", labels={self._listed}"
        return f"OutcomesScorer({self.max_test_size}{labels})"


def predict(estimator: Any, X: Any) -> ArrayLike:
    """Return predictions; raise if the estimator is not a classifier."""
    if isinstance(estimator, type) or not hasattr(estimator, "predict"):
        raise TypeError(
            f"estimator must be a classifier with predict, got {shown(estimator)}"
        )
    y_pred: ArrayLike = estimator.predict(X)
    return y_pred
