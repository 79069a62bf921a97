"""Prior and class weights of a pool of two posteriors, which must mean the same for its classes."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from skpostbac.metrics._counts import ClassCounts
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._priors.assumptions import (
    NAMED_PRIORS,
    ClassWeightSpec,
    Prior,
    PriorSpec,
    resolve_class_weight,
    resolve_prior,
)


class Assuming(Protocol):
    """Interface of posteriors that can be pooled: counts and assumptions."""

    @property
    def counts(self) -> ClassCounts: ...
    @property
    def _prior_spec(self) -> PriorSpec: ...
    @property
    def _weight_spec(self) -> ClassWeightSpec: ...


def pooled_assumptions(
    one: Assuming, two: Assuming, pool: ClassCounts
) -> tuple[PriorSpec, ClassWeightSpec]:
    """Return the prior and the class weights that two posteriors both have for all classes.

    Raises
    ------
    ValueError
        If they differ, or if an array has values by class, and the classes are not the same.
    """
    priors, weights = [one._prior_spec, two._prior_spec], [one._weight_spec, two._weight_spec]
    _check_order(one.counts, two.counts, "prior", any(map(_is_table, priors)))
    _check_same("prior", *(resolve_prior(spec, pool.n_classes) for spec in priors))
    _check_order(one.counts, two.counts, "class_weight", any(map(_is_array, weights)))
    _check_same("class_weight", *(resolve_class_weight(spec, pool.classes) for spec in weights))
    return min(priors, key=_prior_freedom), min(weights, key=_weight_freedom)


def _is_table(prior: PriorSpec) -> bool:
    """Return whether a prior has a row for each class."""
    return isinstance(prior, np.ndarray) and prior.ndim == 2


def _is_array(spec: object) -> bool:
    return isinstance(spec, np.ndarray)


def _check_order(one: ClassCounts, two: ClassCounts, name: str, is_by_class: bool) -> None:
    """Raise for arrays by class if the pool may reorder the classes."""
    if is_by_class and label_list(one.classes) != label_list(two.classes):
        raise ValueError(
            f"Posteriors with an array as {name} can be pooled only if they have the same "
            "classes in the same order"
        )


def _check_same(name: str, one: Prior, two: Prior) -> None:
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        is_same = np.array_equal(one, two)
    else:
        is_same = type(one) is type(two) and one == two
    if not is_same:
        raise ValueError(f"Posteriors with different {name} cannot be pooled")


# The least free of two stands for both, so that no sum of several depends on their order: an array
# of values by class comes first, what adapts to any number of classes last.


def _prior_freedom(prior: PriorSpec) -> tuple[bool, bool, bool]:
    """Rank priors that are the same for some classes by what they are for further ones.

    Of a name and numbers the name stays.
    """
    is_name = isinstance(prior, str)
    adapts = isinstance(prior, str) and NAMED_PRIORS.get(prior, 0.0) is None
    return adapts, not _is_table(prior), not is_name


def _weight_freedom(weights: ClassWeightSpec) -> tuple[bool, bool]:
    """Rank weights that are the same for some classes by what they are for further ones."""
    return weights is None, not _is_array(weights)
