"""Counts of the test folds of a cross-validation, read from `cv_results_`.

The results may have been stored, edited or merged since the search, so each column is checked.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import FitFailedWarning

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    first,
    float_array,
    input_errors,
    is_integer,
    shown,
    user_stacklevel,
)
from skpostbac.metrics import ClassCounts, PairedCounts, PosteriorBalancedAccuracy
from skpostbac.metrics._counts import WORD_BITS, WORD_KEY, class_order, unpack_bits
from skpostbac.metrics._labels import label_list, unique_label_array
from skpostbac.metrics._priors import ClassWeightLike, PriorLike
from skpostbac.model_selection._pooling.training_variation import (
    TrainingVariation,
    corrected_for_training,
)
from skpostbac.stats._beta import LARGEST

# A column of counts: of one split of a search, or of all folds of cross_validate.
_KEY = re.compile(r"(?P<prefix>(?:split(?P<split>\d{1,9})_)?test_)correct_(?P<label>.+)", re.DOTALL)
# A column of the scores of a scorer of one number.
_SCORE = re.compile(r"(?:split\d{1,9}_)?test_score")
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
    n_train : int or None
        Sum of the sizes of all training sets, if they are known.
    """

    labels: tuple[Any, ...]
    correct: Floats
    total: Floats
    has_failed: Bools
    from_search: bool
    as_text: bool = True
    tests: tuple[Indices, ...] | None = None
    n_train: int | None = None

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
        named = []
        for index, failed in enumerate(self.has_failed):
            if splits := [str(split) for split in np.flatnonzero(failed)]:
                who = f"candidate {index}, " if self.from_search else ""
                plural = "" if len(splits) == 1 else "s"
                named.append(f"{who}split{plural} {', '.join(splits)}")
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
        training_variation: TrainingVariation = None,
        inflation: float = 1.0,
    ) -> PosteriorBalancedAccuracy:
        """Pool the folds of a candidate; `times` is how often a sample was tested."""
        counts = self.pool(candidate, times * inflation)
        class_weight = weights_by_text(class_weight) if self.as_text else class_weight
        posterior = PosteriorBalancedAccuracy(counts, prior=prior, class_weight=class_weight)
        return corrected_for_training(posterior, training_variation, inflation)


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


def fold_counts(cv_results: Any, labels: ArrayLike | None = None) -> FoldCounts:
    """Collect the per-class counts from the results of a search or of `cross_validate`.

    Parameters
    ----------
    cv_results : dict or DataFrame
        See :func:`~skpostbac.pooled_posteriors`.
    labels : sequence, optional
        The classes to take, in this order; all that were counted by default.
    """
    keys = _count_keys(cv_results)
    prefixes = _prefixes(keys)
    names = list(dict.fromkeys(key["label"] for key in keys))
    from_search = prefixes != ["test_"]
    correct, total = (
        _stack(cv_results, prefixes, [f"{what}_{name}" for name in names], from_search, LARGEST)
        for what in ("correct", "total")
    )
    if np.any(more := correct > total):
        raise ValueError(
            "cv_results must not count more correct predictions than samples, "
            f"got {correct[more][0]:g} of {total[more][0]:g}"
        )
    # Failed fits are NaN or, with ``error_score=0``, have no tested samples.
    has_failed = (np.isnan(correct) | np.isnan(total)).any(axis=2) | (total.sum(axis=2) == 0)
    indices = {} if from_search else _fold_indices(cv_results, correct.shape[1])
    counts = FoldCounts(
        tuple(names),
        correct,
        total,
        has_failed,
        from_search,
        tests=indices.get("test"),
        n_train=sum(map(len, indices["train"])) if "train" in indices else None,
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
    found = {int(match[1]) for key in cv_results if (match := _WORD.fullmatch(str(key)))}
    if missing := set(range(len(found))) - found:
        raise ValueError(f"cv_results has no column of {WORD_KEY.format(min(missing))!r}")
    if not found:
        _check_scored(cv_results)
        return None
    names = [WORD_KEY.format(number) for number in sorted(found)]
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


def pair_candidates(
    counts: FoldCounts,
    words: Floats,
    candidates: Sequence[int],
    *,
    labels: ArrayLike | None,
    times: float,
) -> PairedCounts:
    """Count which of the candidates are right together.

    Parameters
    ----------
    counts : FoldCounts
        Counts of all classes.
    words : array of shape (n_candidates, n_splits, n_words)
        Outcomes, packed.
    candidates : sequence of int
        Positions of the candidates to take.
    labels : sequence, optional
        The classes to take.
    times : float
        How often a sample was tested.
    """
    order = class_order(counts.labels)
    kept = counts if labels is None else counts.select(labels)
    places = {str(label): place for place, label in enumerate(kept.labels)}
    place = np.array([places.get(counts.labels[position], -1) for position in order])
    total = counts.total[candidates]
    differs = (total != total[0]).any(axis=(1, 2))
    if differs.any():
        raise ValueError(
            f"cv_results has outcomes on other folds for candidate {candidates[0]} than for "
            f"candidate {candidates[int(np.argmax(differs))]}: they cannot be paired"
        )
    if np.any(fraction := total[0] % 1 > 0):
        raise ValueError(
            "cv_results must count each sample once where it has outcomes of samples, "
            f"got a count of {total[0][fraction][0]:g}"
        )
    unknown = np.isnan(words[candidates]).any(axis=(1, 2))
    if unknown.any():
        raise ValueError(
            "cv_results has no outcomes of samples for candidate "
            f"{candidates[int(np.argmax(unknown))]}"
        )
    sizes = total[0].astype(np.intp)[:, order]
    n_samples = sizes.sum(axis=1).tolist()
    if max(n_samples) > WORD_BITS * words.shape[2]:
        raise ValueError(
            f"cv_results has outcomes of at most {WORD_BITS * words.shape[2]} samples of each "
            f"split, got counts of {max(n_samples)}"
        )
    hits = [unpack_bits(words[candidates, split], n) for split, n in enumerate(n_samples)]
    correct = counts.correct[candidates].sum(axis=2)
    outcomes = np.stack([np.count_nonzero(bits, axis=1) for bits in hits], axis=1)
    if np.any(differs := outcomes != correct):
        raise ValueError(
            f"cv_results has outcomes with {outcomes[differs][0]} correct predictions where "
            f"{correct[differs][0]:g} were counted"
        )
    class_index = np.repeat(np.tile(place, len(sizes)), sizes.ravel())
    is_kept = class_index >= 0
    return PairedCounts(
        [str(candidate) for candidate in candidates],
        kept.labels,
        class_index[is_kept],
        np.concatenate(hits, axis=1).T[is_kept],
        np.full(is_kept.sum(), 1 / times),
    )


def check_n_repeats(n_repeats: object, n_splits: int | None = None) -> None:
    """Raise unless the number of repeats is valid and divides the number of splits."""
    if not is_integer(n_repeats) or n_repeats < 1:
        raise ValueError(f"n_repeats must be a positive integer, got {shown(n_repeats)}")
    if n_splits is not None and n_splits % n_repeats:
        raise ValueError(f"n_repeats must divide the number of splits, {n_splits}, got {n_repeats}")


def value_column(cv_results: Any, key: Any, n_candidates: int) -> list[Any]:
    """Return the values of any column, one for each candidate."""
    name = f"cv_results[{key!r}]"
    with input_errors(f"{name} must have a value for each candidate"):
        values = list(cv_results[key])
    if len(values) != n_candidates:
        raise ValueError(
            f"{name} must have a value for each of the {n_candidates} candidates, got {len(values)}"
        )
    return values


def candidate_params(cv_results: Any, n_candidates: int) -> list[dict[str, Any]]:
    """Return the parameters of each candidate."""
    params = value_column(cv_results, "params", n_candidates)
    for chosen in params:
        if not isinstance(chosen, Mapping):
            raise TypeError(
                "cv_results['params'] must hold a dict for each candidate, "
                f"got {short_repr(chosen)}"
            )
    return [dict(chosen) for chosen in params]


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
    keys = [prefix + name for prefix in prefixes for name in names]
    columns = [_number_column(cv_results, key, most) for key in keys]
    length = len(columns[0])
    if not length:
        raise ValueError(f"cv_results must have at least one row, got an empty {keys[0]!r}")
    for key, column in zip(keys, columns, strict=True):
        if len(column) != length:
            raise ValueError(
                f"cv_results must have columns of the same length, "
                f"got {length} values of {keys[0]!r} and {len(column)} of {key!r}"
            )
    stacked = np.stack(columns).reshape(len(prefixes), len(names), length)
    # (n_splits, l, n_candidates) from a search, (1, l, n_splits) from cross_validate
    return stacked.transpose(2, 0, 1) if from_search else stacked.transpose(0, 2, 1)


def _number_column(cv_results: Any, key: str, most: float) -> Floats:
    """Return a column of numbers from 0 to `most`, and of NaN (or None) where a fit failed."""
    if key not in cv_results:
        raise ValueError(
            f"cv_results has no {key!r}: all splits must count the same classes, "
            "give ClassCountsScorer the labels of all of them"
        )
    name = f"cv_results[{key!r}]"
    values = cv_results[key]
    if isinstance(values, list | tuple) or str(getattr(values, "dtype", "")) == "object":
        values = [np.nan if value is None else value for value in values]
    column = float_array(values, name)
    if column.ndim != 1:
        raise ValueError(f"{name} must be 1-dimensional, got an array of shape {column.shape}")
    bad = ~(np.isnan(column) | ((column >= 0) & (column <= most)))
    if bad.any():
        raise ValueError(f"{name} must hold numbers from 0 to {most:g}, got {first(column, bad)}")
    return column


def _fold_indices(cv_results: Any, n_splits: int) -> dict[str, tuple[Indices, ...]]:
    """Return the indices of the "test" and "train" samples of each split, if they were kept."""
    found: dict[str, tuple[Indices, ...]] = {}
    if "indices" not in cv_results:
        return found
    with input_errors("cv_results['indices'] must be what cross_validate returns"):
        indices = cv_results["indices"]
        for name in ("test", "train") if "train" in indices else ("test",):
            arrays = [np.asarray(samples) for samples in indices[name]]
            # Splitters may yield masks in place of indices.
            found[name] = tuple(
                np.flatnonzero(s) if s.dtype == bool else s.astype(np.intp) for s in arrays
            )
    for name, sets in found.items():
        if len(sets) != n_splits:
            raise ValueError(
                f"cv_results['indices'] must have a {name} set for each of the {n_splits} splits, "
                f"got {len(sets)}"
            )
    return found
