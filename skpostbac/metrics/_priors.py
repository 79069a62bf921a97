"""Priors of the class accuracies, and class weights of the average.

A prior is given by name, by numbers or as what the classes share. Together with counts it makes the
distribution of the average. The names of priors stand here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, LabelArray, first, float_array, nonnegative_array
from skpostbac.metrics._counts import ClassCounts
from skpostbac.metrics._dependence import WidenedAverage, widening
from skpostbac.metrics._labels import label_list
from skpostbac.stats import BetaAverage, HierarchicalBetaAverage, Hyperprior
from skpostbac.stats._beta import LARGEST, SMALLEST

# Weights below this share of the largest are no weights that sums of doubles can hold.
_LEAST_SHARE = 1e-60
AverageDistribution: TypeAlias = BetaAverage | HierarchicalBetaAverage

PriorLike: TypeAlias = ArrayLike | Hyperprior
# As checked, and as resolved for a number of classes: a and b of each, or the Hyperprior.
PriorSpec: TypeAlias = str | Floats | Hyperprior
Prior: TypeAlias = Floats | Hyperprior

ClassWeightLike: TypeAlias = Mapping[Hashable, float] | ArrayLike | None
ClassWeightSpec: TypeAlias = dict[Hashable, float] | Floats | None

# a = b of the Beta distribution; 1 / n_classes where there is no number.
NAMED_PRIORS: dict[str, float | None] = {
    "uniform": 1.0,
    "jeffreys": 1 / 2,
    "neutral": 1 / 3,
    "reciprocal": None,
}
# The default, wherever classes have a prior. Its mass on all classes together is that of a single
# uniform prior, so that the pull to 1/2 does not grow with their number. `spent_observations` has
# what sets it apart from an array of the same numbers.
DEFAULT_PRIOR = "reciprocal"
# That of an accuracy that is one Beta distribution, whatever the number of classes.
DEFAULT_ACCURACY_PRIOR = "jeffreys"


HIERARCHICAL = "hierarchical"
HIERARCHICAL_EXPLANATION = (
    "With the hierarchical prior, classes of similar size share a typical recall and a spread "
    "around it, which may change with class size; both are integrated out, so that each class "
    "informs the others."
)
PRIOR_NAMES = (*NAMED_PRIORS, HIERARCHICAL)


def check_counts(counts: object) -> None:
    """Raise unless the counts have at least one class."""
    if not isinstance(counts, ClassCounts):
        raise TypeError(f"counts must be ClassCounts, got {type(counts).__name__}")
    if not len(counts.classes):
        raise ValueError("counts must have at least one class")


def check_prior(prior: PriorLike) -> PriorSpec:
    """Check a prior as far as this can be done without the number of classes.

    Parameters
    ----------
    prior : str, pair of floats, array-like of shape (n_classes, 2) or Hyperprior
        A name out of "uniform" (a = b = 1), "jeffreys" (1/2), "neutral" (1/3), "reciprocal"
        (1 / n_classes) and "hierarchical", a pair ``(a, b)`` for all classes, one for each, or
        what the classes share.

    Returns
    -------
    spec : str, ndarray of shape (2,) or (n_classes, 2), or Hyperprior
        As given, or a read-only copy of the numbers.

    Raises
    ------
    ValueError
        If the name is unknown, the shape is wrong, or a number is not in [1e-6, 1e15].
    """
    if isinstance(prior, Hyperprior) or (isinstance(prior, str) and prior in PRIOR_NAMES):
        return prior
    array = np.zeros(0) if isinstance(prior, str) else float_array(prior, "prior")
    if array.ndim not in (1, 2) or array.shape[-1] != 2 or not len(array):
        got = repr(prior) if isinstance(prior, str) else f"an array of shape {array.shape}"
        raise ValueError(
            f"prior must be one of {sorted(PRIOR_NAMES)}, a pair (a, b), an array of shape "
            f"(n_classes, 2) or a skpostbac.stats.Hyperprior, got {got}"
        )
    _check_range(array)
    array.flags.writeable = False
    return array


def resolve_prior(spec: PriorSpec, n_classes: int) -> Prior:
    """Return a checked prior as a read-only array of shape (n_classes, 2), or as a hyperprior.

    A (2, 2) array for two classes holds one pair for each class.

    Raises
    ------
    ValueError
        If an array does not have one row per class, or 1 / n_classes is too small.

    Examples
    --------
    >>> resolve_prior("reciprocal", 4)
    array([[0.25, 0.25],
           [0.25, 0.25],
           [0.25, 0.25],
           [0.25, 0.25]])
    """
    if isinstance(spec, Hyperprior):
        return spec
    if isinstance(spec, str):
        if spec == HIERARCHICAL:
            return Hyperprior()
        spec = np.full(2, NAMED_PRIORS[spec] or 1 / n_classes)
        _check_range(spec)
    if spec.ndim == 2 and len(spec) != n_classes:
        raise ValueError(
            f"prior must have one row for each of the {n_classes} classes, got {len(spec)} rows"
        )
    # A copy, as pickles and what hashes them spell out a view, and would differ from it.
    prior = np.broadcast_to(spec, (n_classes, 2)).copy()
    prior.flags.writeable = False
    return prior


def independent_prior(prior: Prior, purpose: str) -> Floats:
    """Return the array of a resolved prior; raise if the classes share it."""
    if isinstance(prior, np.ndarray):
        return prior
    raise ValueError(
        f"prior must be independent for each class for {purpose}, not {HIERARCHICAL}; "
        f"use one of {sorted(NAMED_PRIORS)}, or numbers"
    )


def spent_observations(spec: PriorSpec, n_classes: int) -> float:
    """Return how many observations the posterior of each class leaves out of its strength.

    The variance p (1 - p) / (s + 1) of a Beta posterior averages (n - 1) / (n + 1) of the sampling
    variance of n samples, whatever the prior. With many classes, whose errors average out, the
    intervals are too short by this. Under the default prior, each class has its posterior mean, and
    the strength of 1.5 - 2 / n_classes observations less (`benchmarks/interval_coverage.py`), of
    one class none. Other priors are taken as they are.
    """
    is_default = isinstance(spec, str) and spec == DEFAULT_PRIOR
    return max(1.5 - 2 / n_classes, 0.0) if is_default else 0.0


def kept_strength(prior: Floats, total: Floats, spent: float) -> Floats:
    """Return the factor of both exponents of each class; a class without samples keeps its prior.

    Parameters
    ----------
    prior : ndarray of shape (n_classes, 2)
        a and b of each class.
    total : ndarray of shape (..., n_classes)
        Samples of each class.
    spent : float
        See `spent_observations`.
    """
    kept = 1 - np.minimum(total, spent) / (prior.sum(axis=1) + total)
    # With thousands of classes of one sample, exponents would be too small for a distribution.
    return np.asarray(np.maximum(kept, np.minimum(2 * SMALLEST / prior.min(axis=1), 1.0)))


def posterior_exponents(
    prior: Floats, correct: Floats, total: Floats, spent: float
) -> tuple[Floats, Floats]:
    """Return a and b of the Beta posteriors of the classes, of the shape of the counts.

    The parameters are those of `kept_strength`.
    """
    kept = kept_strength(prior, total, spent)
    return kept * (prior[:, 0] + correct), kept * (prior[:, 1] + (total - correct))


def average_distribution(
    spec: PriorSpec, correct: Floats, total: Floats, weights: Floats | None
) -> AverageDistribution:
    """Return the posterior distribution of the weighted average of the classes' accuracies.

    Without weights, the engine takes equal ones as equal, and exactly as 1 / n_classes.
    """
    prior = resolve_prior(spec, total.size)
    if isinstance(prior, Hyperprior):
        # Classes of all weights borrow from one another: `benchmarks/weight_coverage.py`.
        return HierarchicalBetaAverage(correct, total, weights=weights, hyperprior=prior)
    a, b = posterior_exponents(prior, correct, total, spent_observations(spec, total.size))
    return BetaAverage(a, b, weights=weights)


@lru_cache(maxsize=8)
def shared_prior_average(n_classes: int, prior: Hyperprior) -> HierarchicalBetaAverage:
    """Return the prior distribution of the average, which takes longer than a posterior.

    All classifiers with as many classes have the same.
    """
    nothing = np.zeros(n_classes)
    return HierarchicalBetaAverage(nothing, nothing, hyperprior=prior)


def widened(
    average: AverageDistribution, counts: ClassCounts, class_weight: Floats
) -> AverageDistribution:
    """Return the distribution with the variance that groups of several classes add to it."""
    effects = counts.design_effects
    if counts._design is None or effects is None:
        return average
    means = average.means()
    factor = widening(counts._design, effects, counts.total, means * (1 - means), class_weight)
    return average if factor == 1 else WidenedAverage(average, factor)


def format_prior(spec: PriorSpec) -> str:
    """Write a checked prior in a few characters."""
    if isinstance(spec, str | Hyperprior):
        return repr(spec)
    if spec.ndim == 1:
        return f"({spec[0]:g}, {spec[1]:g})"
    return f"<array of shape {spec.shape}>"


def _check_range(array: Floats) -> None:
    bad = ~((array >= SMALLEST) & (array <= LARGEST))
    if bad.any():
        raise ValueError(
            f"prior must have a and b between {SMALLEST:g} and {LARGEST:g}, got {first(array, bad)}"
        )


def check_sums(prior: Prior, total: Floats, name: str = "total") -> None:
    """Raise if prior and counts, the argument `name`, add up to too much."""
    added = prior.max(axis=1) if isinstance(prior, np.ndarray) else 0.0
    large = added + total > LARGEST
    if large.any():
        raise ValueError(
            f"prior and {name} must add up to at most {LARGEST:g} for each class, "
            f"got a total of {first(total, large)}"
        )


def check_class_weight(class_weight: ClassWeightLike) -> ClassWeightSpec:
    """Check class weights as far as this can be done without the classes; return a copy.

    What has keys, such as a pandas Series, is looked up by label like a dict.

    Raises
    ------
    ValueError
        If they are neither None nor a dict nor numbers, if one of them is negative, infinite
        or NaN, if all are zero, or if a label occurs twice.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        raise ValueError(
            f"class_weight must be None, a dict or an array of shape (n_classes,), "
            f"got {class_weight!r}"
        )
    if not (hasattr(class_weight, "keys") and hasattr(class_weight, "__getitem__")):
        return _weight_array(class_weight)
    by_label: Any = class_weight
    keys = list(by_label.keys())
    if len(set(keys)) < len(keys):
        raise ValueError("class_weight must have each label once")
    weights = _weight_array([by_label[key] for key in keys])
    return dict(zip(keys, weights.tolist(), strict=True))


def resolve_class_weight(spec: ClassWeightSpec, classes: LabelArray) -> Floats:
    """Return the read-only weights of the classes, which sum to 1.

    Raises
    ------
    ValueError
        If a dict has no weight for a class, if an array has another length, if all the classes
        have weight zero, or if weights differ too much for doubles.
    """
    if spec is None:
        weights = np.ones(len(classes))
    elif isinstance(spec, dict):
        labels = label_list(classes)
        missing = [label for label in labels if label not in spec]
        if missing:
            raise ValueError(f"class_weight has no weight for the classes {missing}")
        weights = _weight_array([spec[label] for label in labels])
    else:
        weights = spec
    if len(weights) != len(classes):
        raise ValueError(
            f"class_weight must have one weight for each of the {len(classes)} classes, "
            f"got {len(weights)}"
        )
    relative = weights / weights.max()  # the sum of the weights may overflow
    if relative[relative > 0].min() < _LEAST_SHARE:
        raise ValueError(
            f"class_weight must not have positive weights below {_LEAST_SHARE:g} of the largest"
        )
    normalised: Floats = relative / relative.sum()
    normalised.flags.writeable = False
    return normalised


def _weight_array(values: ArrayLike) -> Floats:
    weights = nonnegative_array(values, "class_weight")
    if not np.any(weights):
        raise ValueError("class_weight must have a positive weight")
    return weights
