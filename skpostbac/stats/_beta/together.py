"""The same question to many distributions, in one pass where they are averages of Betas."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._beta.average import BetaAverage, beta_averages
from skpostbac.stats._beta.averages import BetaAverages
from skpostbac.stats._distribution import Distribution

# What is asked of one distribution, or of an array of them: their methods have the same names.
Question: TypeAlias = Callable[[Any], Any]
# Passes on what is evaluated one by one, such as a progress line does.
Watch: TypeAlias = Callable[[Sequence[int]], Iterable[int]]


def evaluate_all(
    distributions: Sequence[Distribution], question: Question, watch: Watch = iter
) -> Floats:
    """Return a number, or a pair of them, of each of many distributions.

    Parameters
    ----------
    distributions : sequence of Distribution
        Averages of Betas of the same number of variables are computed together.
    question : callable
        Returns a number or an interval of a distribution, and arrays of an array of them.
    watch : callable
        Passes on the places of those that are computed one by one.

    Returns
    -------
    values : ndarray of shape (n,) or (n, 2)
    """
    kinds = [_kind(distribution) for distribution in distributions]
    places = sorted(range(len(kinds)), key=kinds.__getitem__)
    found: dict[int, Any] = {}
    alone: list[int] = []
    for kind, group in groupby(places, key=kinds.__getitem__):
        rows = list(group)
        if len(rows) == 1 or kind == _OTHER:
            alone += rows
        else:
            answers = np.transpose(question(_stacked([distributions[i] for i in rows])))
            found |= zip(rows, answers, strict=True)
    answered: dict[int, Any] = {}
    for i in watch(sorted(alone)):
        # One that stands for several is asked once.
        key = id(distributions[i])
        if key not in answered:
            answered[key] = question(distributions[i])
        found[i] = answered[key]
    return np.array([found[i] for i in range(len(kinds))], dtype=float)


# The kind of a distribution that is computed alone.
_OTHER = (0, False)


def _kind(distribution: Distribution) -> tuple[int, bool]:
    """Return the number of variables of an average of Betas, and whether weights are equal."""
    if not isinstance(distribution, BetaAverage):
        return _OTHER
    return distribution.a.size, distribution.has_equal_weights


def _stacked(distributions: Sequence[Any]) -> BetaAverages:
    """Return distributions of one kind as an array."""
    a, b, weights = (
        np.array([getattr(one, name) for one in distributions]) for name in ("a", "b", "weights")
    )
    return beta_averages(a, b, None if distributions[0].has_equal_weights else weights)
