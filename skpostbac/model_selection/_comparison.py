"""Comparison of classifiers by the posteriors of their balanced accuracies."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skpostbac.metrics import PosteriorBalancedAccuracy
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._score import OBJECTIVES, check_objective
from skpostbac.stats import BetaAverage, Interval
from skpostbac.stats._order import (
    JointPanels,
    expected_shortfalls,
    pairwise_probabilities,
    rank_probabilities,
    resolve_jointly,
)

Floats = NDArray[np.float64]


# Names in the repr, which stays on one line.
_SHOWN_NAMES = 8

# Up to this many classifiers, the law of the difference of each pair costs less than joint panels,
# and is as good for all laws.
_FEW = 10
# The error of pairwise probabilities by panels is absolute, about 1e-12. Where one is smaller than
# this, it is taken from the law of the difference, which keeps its digits.
_SMALL = 1e-6


class RopeMasses(NamedTuple):
    """Probabilities that a difference is below, within and above the rope.

    They add up to 1.
    """

    below: float
    """Probability of a difference below ``-rope``: the second is better, by more than that."""
    within: float
    """Probability of a difference in ``[-rope, rope]``: no difference in practice."""
    above: float
    """Probability of a difference above ``rope``: the first is better, by more than that."""


@dataclass(frozen=True, repr=False)
class PosteriorComparison:
    """Posterior probabilities of which classifier is better, and by how much.

    Mostly made by :func:`compare_posteriors`. The T classifiers are in the order in which they were
    given, and so are the rows and columns of all arrays. Every number is computed from the exact
    posteriors by quadrature; nothing is sampled.

    Parameters
    ----------
    names : tuple or list of T str
        Different names of the T >= 2 classifiers; kept as a tuple.
    posteriors : tuple or list of T PosteriorBalancedAccuracy
        Their posteriors, of the same classes in any order; kept as a tuple.
    rope : float, default=0.0
        Half-width of the region of practical equivalence, not negative: differences of at most
        this size, to either side, make no difference in practice.

    Raises
    ------
    TypeError
        If `names` or `posteriors` is neither a tuple nor a list, if a name is not a string, or
        if a posterior is not a PosteriorBalancedAccuracy.
    ValueError
        If there are fewer than two classifiers, not as many posteriors as names, or a name twice;
        if the posteriors are of different classes, which makes their balanced accuracies
        different quantities; or if `rope` is negative or not finite.

    See Also
    --------
    compare_posteriors : the same for a mapping of names to posteriors.

    References
    ----------
    .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic performance
       evaluation for multiclass classification using the posterior balanced accuracy.
       ROBOT2013: First Iberian Robotics Conference, 347-361.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy, PosteriorComparison
    >>> one = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
    >>> three = PosteriorBalancedAccuracy.from_counts([32, 9, 4], [32, 10, 4])
    >>> comparison = PosteriorComparison(("C1", "C3"), (one, three), rope=0.05)
    >>> comparison
    PosteriorComparison('C1', 'C3', rope=0.05)
    >>> comparison.prob_best().round(6)
    array([0.135014, 0.864986])
    """

    names: tuple[str, ...]
    posteriors: tuple[PosteriorBalancedAccuracy, ...]
    rope: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        names = _as_tuple(self.names, "names")
        posteriors = _as_tuple(self.posteriors, "posteriors")
        _check_names(names, len(posteriors))
        for name, posterior in zip(names, posteriors, strict=True):
            _check_posterior(name, posterior)
        _check_classes(names, posteriors)
        vars(self).update(  # past the frozen __setattr__
            names=names, posteriors=posteriors, rope=check_rope(self.rope)
        )

    def __repr__(self) -> str:
        names = [repr(name) for name in self.names[:_SHOWN_NAMES]]
        names += ["..."] * (len(self.names) > _SHOWN_NAMES)
        return f"PosteriorComparison({', '.join(names)}, rope={self.rope:g})"

    def __str__(self) -> str:
        return self.report()

    def difference(self, a: str, b: str) -> BetaAverage:
        """Return the law of the balanced accuracy of `a` less that of `b`.

        Parameters
        ----------
        a, b : str
            Names of two different classifiers.

        Returns
        -------
        BetaAverage
            The law, on an interval within [-1, 1].

        Raises
        ------
        ValueError
            If a name is unknown, or both are the same.
        """
        return self._law(self._index(a, "a"), self._index(b, "b"))

    def difference_interval(self, a: str, b: str, level: float = 0.95) -> Interval:
        """Return the central credible interval of the difference of `a` and `b`.

        Parameters
        ----------
        a, b : str
            Names of two different classifiers.
        level : float in (0, 1), default=0.95
            Probability of the interval.

        Returns
        -------
        low, high : float
            Ends of the interval, each with ``(1 - level) / 2`` beyond it.
        """
        return self.difference(a, b).interval(level)

    def rope_masses(self, a: str, b: str) -> RopeMasses:
        """Return the probabilities that `a` is worse than, much like, or better than `b`.

        Parameters
        ----------
        a, b : str
            Names of two different classifiers.

        Returns
        -------
        below, within, above : float
            Probabilities that the difference of `a` and `b` is below ``-rope``, within
            ``[-rope, rope]`` and above ``rope``. They add up to 1.
        """
        return _rope_masses(self.difference(a, b), self.rope)

    def prob_greater(self) -> Floats:
        """Return the probability that one classifier is better than another.

        Returns
        -------
        array of shape (T, T)
            P(classifier of the row > classifier of the column). The diagonal is 1/2, so that
            the array and its transpose add up to 1.

        Notes
        -----
        Up to ten classifiers, each pair is taken from the law of its difference. Of more than ten,
        all pairs are integrated at once, with an absolute error of about 1e-12 (1e-5 for two laws
        whose masses are within a few spacings of floats of one end of the support); the law of the
        difference then gives those below 1e-6 only. Either way, a tiny probability is right in
        relative terms.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy, compare_posteriors
        >>> one = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
        >>> three = PosteriorBalancedAccuracy.from_counts([32, 9, 4], [32, 10, 4])
        >>> compare_posteriors({"C1": one, "C3": three}).prob_greater().round(6)
        array([[0.5     , 0.135014],
               [0.864986, 0.5     ]])
        """
        return self._prob_greater.copy()

    def rank_probabilities(self) -> Floats:
        """Return the probability of each rank for each classifier.

        Returns
        -------
        array of shape (T, T)
            P(classifier of the row takes the rank of the column); the first column is rank 1,
            the best. Rows and columns add up to 1.
        """
        return self._rank_probabilities.copy()

    def prob_best(self) -> Floats:
        """Return the probability that each classifier is the best of all, shape (T,)."""
        return self._rank_probabilities[:, 0].copy()

    def expected_rank(self) -> Floats:
        """Return the expected rank of each classifier, shape (T,), from 1 (best) to T."""
        return self._rank_probabilities @ np.arange(1.0, len(self.names) + 1)

    def expected_loss(self) -> Floats:
        """Return what choosing each classifier costs in balanced accuracy, on average.

        Returns
        -------
        array of shape (T,)
            ``E[max_j lambda_j - lambda_i]`` for classifier i: the expected shortfall against
            the best one, whichever that is. Never negative; small if the classifier is the best
            or hardly worse.
        """
        return expected_shortfalls(self._panels)

    def win_counts(self) -> NDArray[np.intp]:
        """Return how many of the others each classifier beats, by the posterior mean.

        Returns
        -------
        array of int of shape (T,)
            Number of classifiers over which the posterior mean of the difference is positive.

        Notes
        -----
        This is the ranking of [1]_, section 4.5. The mean of a difference is the difference of
        the means, so that it always sorts by posterior mean, and says nothing of how certain a
        victory is; :meth:`rank_probabilities` and :meth:`expected_loss` do.

        References
        ----------
        .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic
           performance evaluation for multiclass classification using the posterior balanced
           accuracy. ROBOT2013: First Iberian Robotics Conference, 347-361.
        """
        means = np.array([posterior.mean() for posterior in self.posteriors])
        wins: NDArray[np.intp] = np.sum(means[:, np.newaxis] > means, axis=1)
        return wins

    def ranking(self, objective: str = "mean", level: float = 0.95) -> tuple[str, ...]:
        """Return the names, best first.

        Parameters
        ----------
        objective : {"mean", "median", "mode", "lower", "upper"}, default="mean"
            What to sort by.
        level : float in (0, 1), default=0.95
            Probability of the bounds "lower" and "upper".

        Returns
        -------
        tuple of T str
            Names in decreasing order of the objective; ties stay in the order given.
        """
        return tuple(self.names[index] for index in self._order(objective, level))

    def summary(self, level: float = 0.95) -> list[dict[str, Any]]:
        """Return one record for each classifier, in the order of :meth:`ranking`.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Probability of the credible intervals.

        Returns
        -------
        list of T dict
            With the keys "name", "mean", "low", "high" (the central credible interval),
            "prob_best", "expected_rank", "expected_loss" and "wins"; ``pandas.DataFrame`` takes
            the list as it is.
        """
        columns = {
            "prob_best": self.prob_best().tolist(),
            "expected_rank": self.expected_rank().tolist(),
            "expected_loss": self.expected_loss().tolist(),
            "wins": self.win_counts().tolist(),
        }
        return [
            {
                "name": self.names[index],
                "mean": self.posteriors[index].mean(),
                **_interval_record(self.posteriors[index], level),
                **{key: values[index] for key, values in columns.items()},
            }
            for index in self._order()
        ]

    def report(self, level: float = 0.95) -> str:
        """Say the result in plain sentences, one line for each classifier, best first.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Probability of the credible intervals.
        """
        best, *others = self.summary(level)
        lines = [_introduce(best, level, len(self.names))]
        lines += [self._compare_with(best["name"], record, level) for record in others]
        return "\n".join(lines)

    def _compare_with(self, best: str, record: dict[str, Any], level: float) -> str:
        """Say how one classifier stands against the best."""
        law = self.difference(best, record["name"])
        low, high = law.interval(level)
        return (
            f"{record['name']} has {_describe(record, level)}. {best} is better "
            f"{_describe_masses(_rope_masses(law, self.rope), self.rope)}; "
            f"the difference is {law.mean():.3f} ({low:.3f} to {high:.3f})."
        )

    def _index(self, name: str, argument: str) -> int:
        if name not in self.names:
            raise ValueError(f"{argument} must be one of {self.names}, got {name!r}")
        return self.names.index(name)

    def _law(self, i: int, j: int) -> BetaAverage:
        if i == j:
            raise ValueError(f"a and b must be different classifiers, got {self.names[i]!r} twice")
        return self.posteriors[i].distribution - self.posteriors[j].distribution

    def _order(self, objective: str = "mean", level: float = 0.95) -> list[int]:
        check_objective(objective, level)
        values = [-float(OBJECTIVES[objective](entry, level)) for entry in self.posteriors]
        order: list[int] = np.argsort(values, kind="stable").tolist()
        return order

    @cached_property
    def _prob_greater(self) -> Floats:
        count = len(self.names)
        if count <= _FEW:
            probabilities = np.full((count, count), 0.5)
            is_exact = np.ones((count, count), dtype=bool)
        else:
            probabilities = pairwise_probabilities(self._panels)
            is_exact = np.minimum(probabilities, probabilities.T) < _SMALL
        for i, j in np.argwhere(np.triu(is_exact, 1)).tolist():
            probabilities[i, j], probabilities[j, i] = _both_sides(self._law(i, j))
        return probabilities

    @cached_property
    def _panels(self) -> JointPanels:
        return resolve_jointly([posterior.distribution for posterior in self.posteriors])

    @cached_property
    def _rank_probabilities(self) -> Floats:
        return rank_probabilities(self._panels)


def _both_sides(law: BetaAverage) -> tuple[float, float]:
    """Return the probabilities above and below 0: the smaller, and what it leaves of 1."""
    if law.mean() < 0:
        above = float(law.ccdf(0.0))
        return above, 1 - above
    below = float(law.cdf(0.0))
    return 1 - below, below


def _rope_masses(law: BetaAverage, rope: float) -> RopeMasses:
    within = float(law.cdf(-rope, rope)) if rope > 0 else 0.0
    return RopeMasses(float(law.cdf(-rope)), within, float(law.ccdf(rope)))


def _interval_record(posterior: PosteriorBalancedAccuracy, level: float) -> dict[str, float]:
    low, high = posterior.credible_interval(level)
    return {"low": float(low), "high": float(high)}


def _introduce(best: dict[str, Any], level: float, count: int) -> str:
    return (
        f"{best['name']} has the highest posterior mean of {count} classifiers, "
        f"{_describe(best, level)}; it is the best with probability "
        f"{_format_probability(best['prob_best'])}."
    )


def _describe(record: dict[str, Any], level: float) -> str:
    return (
        f"{record['mean']:.3f} ({100 * level:g}% credible interval "
        f"{record['low']:.3f} to {record['high']:.3f})"
    )


def _describe_masses(masses: RopeMasses, rope: float) -> str:
    below, within, above = map(_format_probability, masses)
    if rope == 0:
        return f"with probability {above}"
    return (
        f"by more than {rope:g} with probability {above}, as good within {rope:g} with "
        f"probability {within} and worse with probability {below}"
    )


def _format_probability(value: float) -> str:
    """Write a probability with three digits, and never as 0 or 1."""
    if value < 0.0005:
        return "< 0.001"
    return "> 0.999" if value > 0.9995 else f"{value:.3f}"


def compare_posteriors(
    posteriors: Mapping[str, PosteriorBalancedAccuracy], *, rope: float = 0.0
) -> PosteriorComparison:
    """Compare classifiers that were tested on independent test sets.

    Parameters
    ----------
    posteriors : mapping of str to PosteriorBalancedAccuracy
        The posterior of each of T >= 2 classifiers by its name. All must be of the same classes,
        in any order; priors and class weights may differ.
    rope : float, default=0.0
        Half-width of the region of practical equivalence, in balanced accuracy; not negative.

    Returns
    -------
    PosteriorComparison
        Probabilities of which is better, the differences, ranks and losses.

    Raises
    ------
    TypeError
        If `posteriors` is not a mapping from strings to posteriors; the message names the entry.
    ValueError
        If there are fewer than two, if they are of different classes, or if `rope` is negative
        or not finite.

    Notes
    -----
    The posteriors are taken as independent, as they are if no sample was used to test two of the
    classifiers. On one and the same test set, the errors of good classifiers mostly agree, and
    their difference is known better than it appears here.

    Classes are the same if their labels are equal: the number 1 and the text "1" are two classes.
    :func:`pooled_posteriors` has the labels as text unless they are given to it.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy, compare_posteriors
    >>> total = [32, 10, 4]
    >>> comparison = compare_posteriors(
    ...     {
    ...         "C1": PosteriorBalancedAccuracy.from_counts([30, 8, 3], total),
    ...         "C2": PosteriorBalancedAccuracy.from_counts([30, 2, 1], total),
    ...         "C3": PosteriorBalancedAccuracy.from_counts([32, 9, 4], total),
    ...     }
    ... )
    >>> comparison.ranking()
    ('C3', 'C1', 'C2')
    >>> comparison.prob_best().round(6)
    array([1.35001e-01, 3.70000e-05, 8.64962e-01])
    >>> low, high = comparison.difference_interval("C3", "C1")
    >>> print(f"{low:.4f} {high:.4f}")
    -0.0833 0.2874
    """
    if not isinstance(posteriors, Mapping):
        raise TypeError(f"posteriors must be a mapping, got {type(posteriors).__name__}")
    return PosteriorComparison(tuple(posteriors), tuple(posteriors.values()), rope=rope)


def _as_tuple(values: Any, argument: str) -> tuple[Any, ...]:
    if not isinstance(values, tuple | list):
        raise TypeError(f"{argument} must be a tuple or a list, got {type(values).__name__}")
    return tuple(values)


def _check_names(names: tuple[Any, ...], n_posteriors: int) -> None:
    if len(names) != n_posteriors:
        raise ValueError(
            f"posteriors must be as many as names, got {n_posteriors} for {len(names)} names"
        )
    if n_posteriors < 2:
        raise ValueError(f"posteriors must hold at least two classifiers, got {n_posteriors}")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"the names of posteriors must be strings, got {name!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"the names of posteriors must be different, got {reprlib.repr(names)}")


def _check_posterior(name: str, posterior: Any) -> None:
    if not isinstance(posterior, PosteriorBalancedAccuracy):
        raise TypeError(
            f"posteriors[{name!r}] must be a PosteriorBalancedAccuracy, "
            f"got {type(posterior).__name__}"
        )


def _check_classes(
    names: tuple[str, ...], posteriors: tuple[PosteriorBalancedAccuracy, ...]
) -> None:
    """Refuse averages over different classes, which are different quantities."""
    # Dicts are sets that keep the order.
    first, *others = (dict.fromkeys(label_list(entry.counts.classes)) for entry in posteriors)
    for name, classes in zip(names[1:], others, strict=True):
        if classes.keys() != first.keys():
            raise ValueError(
                "posteriors must be of the same classes: "
                f"{_describe_surplus(names[0], first, classes)}, "
                f"{_describe_surplus(name, classes, first)}"
            )


def _describe_surplus(name: str, own: dict[Any, None], other: dict[Any, None]) -> str:
    """Name the classes of one classifier that another has not."""
    surplus = [label for label in own if label not in other]
    return f"only {name!r} has {reprlib.repr(surplus)}" if surplus else f"{name!r} has no other"


def check_rope(rope: float) -> float:
    """Return the half-width of the region of practical equivalence."""
    if not isinstance(rope, Real) or not 0 <= rope < np.inf:
        raise ValueError(f"rope must be a finite number that is not negative, got {rope!r}")
    return float(rope)
