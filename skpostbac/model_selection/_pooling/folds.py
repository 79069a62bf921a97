"""Counts of the test folds in `cv_results_`, and their posteriors.

The results may have been stored, edited or merged since the search, so each column is
checked. The posteriors of pooled folds may allow for the variation between training
sets.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import FitFailedWarning

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    check_positive_integer,
    first,
    float_array,
    input_errors,
    paragraphs,
    shown,
    user_stacklevel,
)
from skpostbac.metrics import (
    ClassCounts,
    PairedCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
)
from skpostbac.metrics._class_weight import (
    ClassWeightLike,
)
from skpostbac.metrics._labels import label_list, unique_label_array
from skpostbac.metrics._paired_counts import (
    WORD_BITS,
    WORD_KEY,
    class_order,
    unpack_bits,
)
from skpostbac.metrics._prior import (
    DEFAULT_PRIOR,
    PriorLike,
)
from skpostbac.metrics._scorers import N_CLASSES_KEY, SAME_CLASSES
from skpostbac.stats._beta import LARGEST

TrainingVariation: TypeAlias = Literal["nadeau-bengio"] | None
# Metrics for which it suffices to know which predictions are correct.
OutcomeMetric: TypeAlias = Literal["balanced_accuracy", "accuracy"]

# A column of counts: of one split of a search, or of all folds of cross_validate.
_KEY = re.compile(
    r"(?P<prefix>(?:split(?P<split>\d{1,9})_)?test_)correct_(?P<label>.+)", re.DOTALL
)
# A column of the scores of a scorer of one number.
_SCORE = re.compile(r"(?:split\d{1,9}_)?test_score")
# A column of outcomes of samples.
_WORD = re.compile(r"(?:split\d{1,9}_)?test_outcomes_(\d{1,9})")


# How much larger the share of a sample's class may be in its test fold than among all
# samples, on average over the classes; and the probability of a score below chance.
_LARGEST_EXCESS = 0.1
_FAR_BELOW_CHANCE = 0.99


class ClassShareWarning(UserWarning):
    """Test folds have other class shares than their training sets, and scores suffer.

    A classifier that follows the class shares of the training set, as on noise, is then
    wrong more often than by guessing. With leave-one-out and classes of equal size, a
    majority vote is never right. The warning is given if the folds are as uneven and
    the score is below chance with a probability above 0.99.
    """


@dataclass(frozen=True, eq=False)
class FoldCounts:
    """Per-class counts of every test fold of every candidate, and how to pool them.

    Attributes
    ----------
    names : tuple of n_counted str
        The classes that were counted, as text.
    classes : tuple
        The classes to pool: labels as they are in ``y``, or by default all `names`.
    correct, total : arrays of shape (n_candidates, n_splits, n_counted)
        Correct predictions and samples of each class; nan where a fit failed.
    has_failed : array of bool of shape (n_candidates, n_splits)
        Whether a fit failed.
    from_search : bool
        Whether the candidates are those of a search.
    tests : tuple of n_splits arrays or None
        Indices of the samples of each test fold, if they are known.
    n_train : int or None
        Sum of the sizes of all training sets, if they are known.
    n_repeats, training_variation
        See :func:`~skpostbac.pooled_posteriors`.
    """

    names: tuple[str, ...]
    classes: tuple[Any, ...]
    correct: Floats
    total: Floats
    has_failed: Bools
    from_search: bool
    tests: tuple[Indices, ...] | None
    n_train: int | None
    n_repeats: int | None = None
    training_variation: TrainingVariation = None

    @property
    def _kept(self) -> list[int]:
        """Positions of the classes to pool among those that were counted."""
        positions = {name: position for position, name in enumerate(self.names)}
        return [positions[str(label)] for label in self.classes]

    def fitted(self) -> list[int]:
        """Return the candidates without failed fits; warn of others."""
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
        named = []
        for index, failed in enumerate(self.has_failed):
            if splits := [str(split) for split in np.flatnonzero(failed)]:
                who = f"candidate {index}, " if self.from_search else ""
                plural = "" if len(splits) == 1 else "s"
                named.append(f"{who}split{plural} {', '.join(splits)}")
        return "; ".join(named)

    @cached_property
    def _times_tested(self) -> Indices:
        """How often each tested sample was tested: once or `n_repeats` if not known."""
        n_repeats = self.n_repeats
        if n_repeats is not None:
            check_n_repeats(n_repeats, self.correct.shape[1])
        if self.tests is None:
            return np.array([n_repeats or 1])
        times: Indices = np.unique(np.concatenate(self.tests), return_counts=True)[1]
        if n_repeats not in (None, times.mean()):
            raise ValueError(
                "n_repeats must agree with the indices in cv_results, by which each "
                f"tested sample was tested {times.mean():.4g} times on average, got "
                f"{n_repeats}; leave it out to use the indices"
            )
        return times

    @property
    def times(self) -> float:
        """How often a tested sample was tested, on average."""
        return float(self._times_tested.mean())

    @property
    def inflation(self) -> float:
        """Divisor of the counts for the variation between training sets."""
        n_splits = self.correct.shape[1]
        return training_inflation(
            self.training_variation, n_splits, self._times_tested, self.n_train
        )

    def pool(self, candidate: int, times: float | Floats) -> ClassCounts:
        """Add up the folds of a candidate; `times` is how often a sample was tested."""
        correct, total = (
            counts[candidate].sum(axis=0)[self._kept] / times
            for counts in (self.correct, self.total)
        )
        return ClassCounts(self.classes, correct, total)

    def posterior(
        self,
        candidate: int,
        *,
        prior: PriorLike,
        class_weight: ClassWeightLike,
        metric: OutcomeMetric = "balanced_accuracy",
    ) -> PosteriorBalancedAccuracy:
        """Return the posterior of a candidate, of one class for the accuracy."""
        counts = self.pool(candidate, self.times * self.inflation)
        if is_accuracy(metric, class_weight):
            counts = counts._as_one_class()
        if self.classes == self.names:
            class_weight = weights_by_text(class_weight)
        posterior = PosteriorBalancedAccuracy(
            counts, prior=prior, class_weight=class_weight
        )
        return corrected_for_training(
            posterior, self.training_variation, self.inflation
        )

    def warn_of_shares(self, *posteriors: PosteriorBalancedAccuracy) -> None:
        """Warn if uneven folds may explain a score far below chance."""
        total = self.total[~self.has_failed.any(axis=1)][0]
        total = total[total.any(axis=1)][:, total.any(axis=0)]
        squares = total**2 / total.sum(axis=1, keepdims=True)
        in_folds = squares.sum(axis=0) / total.sum(axis=0)
        # The shares of all classes are 1 / l on average, as is chance.
        chance = 1 / total.shape[1]
        if in_folds.mean() - chance > _LARGEST_EXCESS and any(
            one.distribution.cdf(chance) > _FAR_BELOW_CHANCE for one in posteriors
        ):
            warnings.warn(
                "The score is far below chance, and test folds have other class shares "
                "than their training sets: a classifier that follows the shares in "
                "training is then wrong more often than by guessing. Use fewer, "
                "stratified folds, such as cv=5.",
                ClassShareWarning,
                stacklevel=user_stacklevel(),
            )

    def pair(
        self, words: Floats, candidates: Sequence[int], times: float
    ) -> PairedCounts:
        """Count which of the candidates are right together.

        Parameters
        ----------
        words : array of shape (n_candidates, n_splits, n_words)
            Outcomes, packed.
        candidates : sequence of int
            Positions of the candidates to take.
        times : float
            How often a sample was tested.
        """
        total = self.total[candidates]
        differs = (total != total[0]).any(axis=(1, 2))
        if differs.any():
            raise ValueError(
                f"cv_results has outcomes on other folds for candidate {candidates[0]} "
                f"than for candidate {candidates[int(np.argmax(differs))]}: they "
                "cannot be paired"
            )
        order = class_order(self.names)
        sizes = total[0].astype(np.intp)[:, order]
        words = np.nan_to_num(words[candidates])
        hits = [
            unpack_bits(words[:, split], n)
            for split, n in enumerate(sizes.sum(axis=1).tolist())
        ]
        counted = self.correct[candidates].sum(axis=2)
        outcomes = np.stack([np.count_nonzero(bits, axis=1) for bits in hits], axis=1)
        if np.any(differs := outcomes != counted):
            raise ValueError(
                "cv_results has outcomes of samples that do not agree with the counts: "
                f"{outcomes[differs][0]} are correct, and {counted[differs][0]:g} were "
                "counted"
            )
        place = np.full(len(order), -1)
        place[self._kept] = np.arange(len(self._kept))
        class_index = np.repeat(np.tile(place[order], len(sizes)), sizes.ravel())
        is_kept = class_index >= 0
        return PairedCounts(
            tuple(str(candidate) for candidate in candidates),
            self.classes,
            class_index[is_kept],
            np.concatenate(hits, axis=1).T[is_kept],
            np.full(is_kept.sum(), 1 / times),
        )


def is_accuracy(metric: object, class_weight: ClassWeightLike) -> bool:
    """Return whether a metric of correct predictions is the accuracy."""
    if not isinstance(metric, str) or metric not in ("balanced_accuracy", "accuracy"):
        raise ValueError(
            "metric must be 'balanced_accuracy' or 'accuracy', which follow from the "
            f"outcomes of samples, got {shown(metric)}: others need labels, as "
            "compare_predictions has them"
        )
    if metric == "accuracy" and class_weight is not None:
        raise ValueError("class_weight does not apply to metric='accuracy'")
    return metric == "accuracy"


def accuracy_of(
    counts: ClassCounts, posterior: PosteriorBalancedAccuracy
) -> PosteriorAccuracy:
    """Return the accuracy of the counts, given it as that of a single class."""
    prior = posterior.prior
    return PosteriorAccuracy(counts, prior=(prior.a[0], prior.b[0]))


def weights_by_text(class_weight: ClassWeightLike) -> ClassWeightLike:
    """Return class weights keyed by the text of the labels."""
    if not isinstance(class_weight, Mapping):
        return class_weight
    weights: dict[Hashable, float] = {
        str(label): weight for label, weight in class_weight.items()
    }
    if len(weights) < len(class_weight):
        raise ValueError(
            f"class_weight has different keys of the same text, {list(class_weight)}: "
            "give the labels, too"
        )
    return weights


def fold_counts(
    cv_results: Any,
    labels: ArrayLike | None = None,
    n_repeats: int | None = None,
    training_variation: TrainingVariation = None,
) -> FoldCounts:
    """Collect the per-class counts from the results of a search or of `cross_validate`.

    The arguments are those of :func:`~skpostbac.pooled_posteriors`.
    """
    keys = _count_keys(cv_results)
    prefixes = _prefixes(keys)
    names = tuple(dict.fromkeys(key["label"] for key in keys))
    from_search = prefixes != ["test_"]
    correct, total = (
        _stack(
            cv_results,
            prefixes,
            [f"{what}_{name}" for name in names],
            from_search,
            LARGEST,
        )
        for what in ("correct", "total")
    )
    if np.any(more := correct > total):
        raise ValueError(
            "cv_results must not count more correct predictions than samples, "
            f"got {correct[more][0]:g} of {total[more][0]:g}"
        )
    # Failed fits are NaN or, with ``error_score=0``, have no tested samples.
    has_failed = (np.isnan(correct) | np.isnan(total)).any(axis=2) | (
        total.sum(axis=2) == 0
    )
    if prefixes[0] + N_CLASSES_KEY in cv_results:
        counted = _stack(cv_results, prefixes, [N_CLASSES_KEY], from_search, LARGEST)[
            ..., 0
        ]
        if np.any(counted[~has_failed] != len(names)):
            raise ValueError(SAME_CLASSES.format("the scorer"))
    indices = {} if from_search else _fold_indices(cv_results, correct.shape[1])
    n_train = sum(map(len, indices["train"])) if "train" in indices else None
    classes: tuple[Any, ...] = names
    if labels is not None:
        classes = tuple(label_list(unique_label_array(labels, "labels")))
        if unknown := [label for label in classes if str(label) not in names]:
            raise ValueError(
                f"labels {unknown} were not counted, cv_results has counts of "
                f"{list(names)}"
            )
    return FoldCounts(
        names,
        classes,
        correct,
        total,
        has_failed,
        from_search,
        indices.get("test"),
        n_train,
        n_repeats,
        training_variation,
    )


def fold_words(cv_results: Any) -> Floats | None:
    """Collect the outcomes of samples, packed into words; None if they were not kept.

    Returns
    -------
    words : array of shape (n_candidates, n_splits, n_words) or None
        See :class:`OutcomesScorer`.
    """
    prefixes = _prefixes(_count_keys(cv_results))
    matches = [match for key in cv_results if (match := _WORD.fullmatch(str(key)))]
    if not matches:
        return None
    most = max(int(match[1]) for match in matches)
    names = [WORD_KEY.format(number) for number in range(most + 1)]
    return _stack(cv_results, prefixes, names, prefixes != ["test_"], 2**WORD_BITS - 1)


def check_n_repeats(n_repeats: object, n_splits: int | None = None) -> None:
    """Raise unless the number of repeats is valid and divides the number of splits."""
    number = check_positive_integer(n_repeats, "n_repeats")
    if n_splits is not None and n_splits % number:
        raise ValueError(
            f"n_repeats must divide the number of splits, {n_splits}, got {n_repeats}"
        )


def value_column(cv_results: Any, key: Any, n_candidates: int) -> list[Any]:
    """Return the values of any column, one for each candidate."""
    name = f"cv_results[{key!r}]"
    with input_errors(f"{name} must have a value for each candidate"):
        values = list(cv_results[key])
    if len(values) != n_candidates:
        raise ValueError(
            f"{name} must have a value for each of the {n_candidates} candidates, got "
            f"{len(values)}"
        )
    return values


def candidate_params(cv_results: Any, n_candidates: int) -> list[dict[str, Any]]:
    """Return the parameters of each candidate."""
    params = value_column(cv_results, "params", n_candidates)
    for chosen in params:
        if not isinstance(chosen, Mapping):
            raise TypeError(
                "cv_results['params'] must hold a dict for each candidate, got "
                f"{shown(chosen)}"
            )
    return [dict(chosen) for chosen in params]


def _count_keys(cv_results: Any) -> list[re.Match[str]]:
    """Find the columns with counts of correct predictions."""
    if not (hasattr(cv_results, "keys") and hasattr(cv_results, "__getitem__")):
        raise TypeError(
            "cv_results must be the cv_results_ of a search, a DataFrame of it, or "
            f"what cross_validate returns, got {type(cv_results).__name__}"
        )
    keys = [match for key in cv_results if (match := _KEY.fullmatch(str(key)))]
    if not keys:
        _check_scored(cv_results)
        raise ValueError(
            "cv_results holds no counts of classes (test_correct_<label>, "
            "test_total_<label>): run the search or cross_validate with "
            "scoring=ClassCountsScorer(), or, to compare candidates or correct for "
            "their choice, OutcomesScorer(max_test_size=len(y)), instead of scores"
        )
    return keys


def _check_scored(cv_results: Any) -> None:
    """Raise if there are scores of nan, or dicts beside nan, in place of counts."""
    keys = [key for key in map(str, cv_results) if _SCORE.fullmatch(key)]
    scores = [score for key in keys for score in cv_results[key]]
    if any(isinstance(score, dict) or score != score for score in scores):
        raise ValueError(
            "cv_results holds no counts of classes, since scoring failed; "
            "scikit-learn's warnings say why. If a class is absent from a training "
            "set, give the scorer the labels of all classes: labels=np.unique(y)"
        )


def _prefixes(keys: Sequence[re.Match[str]]) -> list[str]:
    """Return the prefix of each split of a search, or of `cross_validate`."""
    splits = {int(key["split"]): key["prefix"] for key in keys if key["split"]}
    return [splits[number] for number in sorted(splits)] or ["test_"]


def _stack(
    cv_results: Any,
    prefixes: Sequence[str],
    names: Sequence[str],
    from_search: bool,
    most: float,
) -> Floats:
    """Return columns of numbers as an array (n_candidates, n_splits, l)."""
    keys = [prefix + name for prefix in prefixes for name in names]
    columns = [_number_column(cv_results, key, most) for key in keys]
    with input_errors("cv_results must have columns of the same length"):
        stacked = np.stack(columns)
    stacked = stacked.reshape(len(prefixes), len(names), -1)
    # (n_splits, l, n_candidates) from a search, (1, l, n_splits) from cross_validate
    return stacked.transpose(2, 0, 1) if from_search else stacked.transpose(0, 2, 1)


def _number_column(cv_results: Any, key: str, most: float) -> Floats:
    """Return a column of numbers from 0 to `most`; NaN where a fit failed."""
    if key not in cv_results:
        raise ValueError(
            f"cv_results has no {key!r}: all splits must have the same columns; if "
            "some lack a class, pass the labels of all to the scorer"
        )
    name = f"cv_results[{key!r}]"
    values = cv_results[key]
    if (
        isinstance(values, list | tuple)
        or str(getattr(values, "dtype", "")) == "object"
    ):
        values = [np.nan if value is None else value for value in values]
    column = float_array(values, name)
    if column.ndim != 1:
        raise ValueError(
            f"{name} must be 1-dimensional, got an array of shape {column.shape}"
        )
    bad = ~(np.isnan(column) | ((column >= 0) & (column <= most)))
    if bad.any():
        raise ValueError(
            f"{name} must hold numbers from 0 to {most:g}, got {first(column, bad)}"
        )
    return column


def _fold_indices(cv_results: Any, n_splits: int) -> dict[str, tuple[Indices, ...]]:
    """Return the indices of "test" and "train" samples of each split, if kept."""
    found: dict[str, tuple[Indices, ...]] = {}
    if "indices" not in cv_results:
        return found
    with input_errors("cv_results['indices'] must be what cross_validate returns"):
        indices = cv_results["indices"]
        for name in ("test", "train") if "train" in indices else ("test",):
            arrays = map(np.asarray, indices[name])
            # Splitters may yield masks in place of indices.
            found[name] = tuple(
                np.flatnonzero(s) if s.dtype == bool else s.astype(np.intp)
                for s in arrays
            )
    for name, sets in found.items():
        if len(sets) != n_splits:
            raise ValueError(
                f"cv_results['indices'] must have a {name} set for each of the "
                f"{n_splits} splits, got {len(sets)}"
            )
    return found


def training_inflation(
    training_variation: object,
    n_splits: int,
    times: Indices,
    n_train: float | None = None,
) -> float:
    """Return the factor by which the variance of a pooled score is multiplied.

    Nadeau and Bengio multiply the variance of the mean over J test sets by 1 + J n_test
    / n_train. In K-fold cross-validation J = K and n_test / n_train = 1 / (K - 1).
    Where samples are tested several times, J n_test is the number of different samples.

    Parameters
    ----------
    training_variation : {"nadeau-bengio"} or None
        The correction; None for none.
    n_splits : int
        Folds of all rounds of the cross-validation.
    times : array of int
        How often each tested sample was tested.
    n_train : float, optional
        Sum of the sizes of all training sets; K-fold cross-validation is assumed
        without it.

    Examples
    --------
    >>> training_inflation("nadeau-bengio", 10, np.array([2]))
    2.25
    >>> training_inflation("nadeau-bengio", 10, np.full(60, 2), 10 * 48)
    2.25
    """
    if training_variation is None:
        return 1.0
    if not isinstance(training_variation, str) or training_variation != "nadeau-bengio":
        raise ValueError(
            "training_variation must be None or 'nadeau-bengio', got "
            f"{shown(training_variation)}"
        )
    if n_train is not None:
        return 1 + n_splits * len(times) / n_train
    if np.ptp(times) or n_splits % times[0]:
        raise ValueError(
            "training_variation needs K-fold cross-validation, in which each sample is "
            "tested as often as all others, or the indices of the training sets "
            "(return_indices=True); pass training_variation=None to do without the "
            "correction"
        )
    n_folds = n_splits // int(times[0])
    if n_folds < 2:
        raise ValueError(
            f"training_variation={training_variation!r} needs K-fold cross-validation "
            f"with at least 2 folds, got {n_folds}; pass training_variation=None to do "
            "without it"
        )
    return 1 + n_folds / (n_folds - 1)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class CorrectedPosterior(PosteriorBalancedAccuracy):
    """Posterior with counts divided to allow for the variation between training sets.

    Parameters
    ----------
    counts : ClassCounts
        Counts after division; of samples in groups, whose effective counts are divided,
        before it.
    prior, class_weight
        As for :class:`PosteriorBalancedAccuracy`.
    training_variation : str
        Name of the correction.
    inflation : float
        Divisor of the counts.
    """

    training_variation: str
    inflation: float

    def __init__(
        self,
        counts: ClassCounts,
        *,
        prior: PriorLike = DEFAULT_PRIOR,
        class_weight: ClassWeightLike = None,
        training_variation: str,
        inflation: float,
    ) -> None:
        # First, since the constructor checks the counts after division.
        vars(self).update(training_variation=training_variation, inflation=inflation)
        super().__init__(counts, prior=prior, class_weight=class_weight)

    @property
    def _divisor(self) -> float:
        return self.inflation if self.design_effects is None else 1.0

    @cached_property
    def effective_counts(self) -> ClassCounts:
        """Counts after division by the design effects and by the correction."""
        effective = self.counts.effective()
        if self.design_effects is None:
            return effective
        correct = effective.correct / self.inflation
        total = effective.total / self.inflation
        return ClassCounts(effective.classes, correct, total)

    def report(self, level: float = 0.95) -> str:
        """Return a text report on the balanced accuracy and the correction."""
        scope = f"This describes the model refitted on all data. {self.correction}"
        return f"{super().report(level)}\n{paragraphs(scope)}"

    @property
    def correction(self) -> str:
        """Sentence on the correction for reports."""
        return (
            f"The counts are divided by {self.inflation:.4g} to allow for the "
            "variation between training sets."
        )

    def _made_of(self) -> tuple[Any, ...]:
        return *super()._made_of(), self.training_variation, self.inflation

    def _facts(self) -> list[str]:
        return [*super()._facts(), f"training_variation={self.training_variation!r}"]


def corrected_for_training(
    posterior: PosteriorBalancedAccuracy,
    training_variation: TrainingVariation,
    inflation: float,
) -> PosteriorBalancedAccuracy:
    """Return the posterior of divided counts, if there is a correction."""
    if training_variation is None:
        return posterior
    return CorrectedPosterior(
        posterior.counts,
        prior=posterior.prior,
        class_weight=posterior._weights,
        training_variation=training_variation,
        inflation=inflation,
    )
