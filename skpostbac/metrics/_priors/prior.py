"""The prior of the classes' accuracies, given by name, by numbers or as a hyperprior."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, first, float_array
from skpostbac.stats import BetaAverage, HierarchicalBetaAverage, Hyperprior
from skpostbac.stats._beta import LARGEST, SMALLEST

PriorLike: TypeAlias = ArrayLike | Hyperprior
# As checked, and as resolved for a number of classes: a and b of each, or what they share.
PriorSpec: TypeAlias = str | Floats | Hyperprior
Prior: TypeAlias = Floats | Hyperprior

# a = b of the Beta distribution; 1 / n_classes where there is no number.
NAMED_PRIORS: dict[str, float | None] = {
    "uniform": 1.0,
    "jeffreys": 1 / 2,
    "neutral": 1 / 3,
    "reciprocal": None,
}
PRIOR_NAMES = (*NAMED_PRIORS, "hierarchical")


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
        If the name is unknown, the shape is another, or a number is not in [1e-6, 1e15].
    """
    if isinstance(prior, str):
        if prior not in PRIOR_NAMES:
            raise ValueError(_message(repr(prior)))
        return prior
    if isinstance(prior, Hyperprior):
        return prior
    array = float_array(prior, "prior")
    if array.ndim not in (1, 2) or array.shape[-1] != 2 or not len(array):
        raise ValueError(_message(f"an array of shape {array.shape}"))
    _check_range(array)
    array.flags.writeable = False
    return array


def resolve_prior(spec: PriorSpec, n_classes: int) -> Prior:
    """Return a checked prior as a read-only array of shape (n_classes, 2), or as a hyperprior.

    A (2, 2) array for two classes holds one pair for each class.

    Raises
    ------
    ValueError
        If an array has not one row for each class, or 1 / n_classes is too small.

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
        if spec == "hierarchical":
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
    """Return the array of a resolved prior, or refuse one that the classes share."""
    if isinstance(prior, Hyperprior):
        raise ValueError(
            f"prior must be independent for each class for {purpose}, not hierarchical; "
            "'jeffreys' and 'reciprocal' are weaker than 'uniform'"
        )
    return prior


def average_distribution(
    prior: Prior, correct: Floats, total: Floats, weights: Floats | None
) -> BetaAverage | HierarchicalBetaAverage:
    """Return the posterior distribution of the weighted average of the classes' accuracies."""
    if isinstance(prior, Hyperprior):
        return HierarchicalBetaAverage(correct, total, weights=weights, hyperprior=prior)
    return BetaAverage(prior[:, 0] + correct, prior[:, 1] + (total - correct), weights=weights)


def is_one_symmetric_beta(spec: PriorSpec) -> bool:
    """Tell whether a checked prior is the same Beta(a, a) for all classes: by name, or a pair."""
    if isinstance(spec, str):
        return spec in NAMED_PRIORS
    return not isinstance(spec, Hyperprior) and spec.ndim == 1 and bool(spec[0] == spec[1])


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


def _message(got: str) -> str:
    return (
        f"prior must be one of {sorted(PRIOR_NAMES)}, a pair (a, b), an array of shape "
        f"(n_classes, 2) or a skpostbac.stats.Hyperprior, got {got}"
    )
