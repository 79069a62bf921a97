"""Priors of the recalls: objects that turn counts into distributions.

The only module that knows which prior it is. `check_prior` validates what users write,
`make_prior` turns it into a `BetaPrior` for a number of classes, and everything else
calls the methods of this object. There are two kinds: independent Beta distributions,
and the calibrated default, whose posteriors are weaker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    StablePickle,
    check_choice,
    first,
    float_array,
    suggestion,
)
from skpostbac.stats import BetaAverage, PairedDifference
from skpostbac.stats._beta import LARGEST, SMALLEST
from skpostbac.stats._several import PatternDistribution

DEFAULT_PRIOR: Final = "calibrated"
# The default for an accuracy, which is a single Beta distribution.
DEFAULT_ACCURACY_PRIOR: Final = "jeffreys"

# a = b of the Beta distributions that do not depend on the number of classes.
FIXED_PRIORS = {"uniform": 1.0, "jeffreys": 1 / 2, "neutral": 1 / 3}
PriorName: TypeAlias = Literal[
    "calibrated", "reciprocal", "uniform", "jeffreys", "neutral"
]
PRIOR_NAMES = get_args(PriorName)


@dataclass(frozen=True, eq=False, repr=False)
class BetaPrior(StablePickle):
    """Independent Beta distributions of the recalls.

    Given back as ``prior=``, it makes an equal posterior of the same counts.

    Parameters
    ----------
    a, b : array-like of shape (n_classes,)
        Parameters of the Beta distribution of each recall, in [1e-6, 1e15].
    name : {"uniform", "jeffreys", "neutral", "reciprocal"}, default=None
        Name of the prior, if it has one; all its values are then equal.
    is_by_class : bool, default=True
        Whether the values belong to these classes; otherwise all are equal, and apply
        to any number of classes.

    Attributes
    ----------
    a, b : ndarray of shape (n_classes,)
        Read-only parameters.

    Raises
    ------
    ValueError
        If the shapes differ, if a number is out of range, or if there is no prior of
        this name and these values.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> counts = [[30, 8], [32, 10]]
    >>> prior = PosteriorBalancedAccuracy.from_counts(*counts, prior="jeffreys").prior
    >>> prior
    BetaPrior('jeffreys', n_classes=2)
    >>> prior.a
    array([0.5, 0.5])
    """

    a: Floats
    b: Floats
    name: str | None = None
    is_by_class: bool = True

    def __post_init__(self) -> None:
        for parameter in ("a", "b"):
            array = np.atleast_1d(float_array(getattr(self, parameter), parameter))
            _check_range(array, parameter)
            array.flags.writeable = False
            object.__setattr__(self, parameter, array)
        if self.a.shape != self.b.shape or self.a.ndim > 1:
            raise ValueError(
                "a and b must have the shape (n_classes,), got "
                f"{self.a.shape} and {self.b.shape}"
            )
        if self.name is not None:
            self._check_name()

    def _check_name(self) -> None:
        check_choice(self.name, PRIOR_NAMES, "name")
        values = np.concatenate([self.a, self.b])
        expected = FIXED_PRIORS.get(str(self.name), values[0])
        if (values != expected).any():
            raise ValueError(f"a and b are not those of the prior {self.name!r}")

    def for_classes(self, n_classes: int) -> BetaPrior:
        """Return the prior for a number of classes.

        Raises
        ------
        ValueError
            If there is one pair for each of another number of classes.
        """
        if self.a.size == n_classes:
            return self
        if self.name is not None:
            return _named(self.name, n_classes)
        if self.is_by_class:
            raise ValueError(
                f"prior must have one row for each of the {n_classes} "
                f"{'class' if n_classes == 1 else 'classes'}, got {self.a.size} "
                f"{'row' if self.a.size == 1 else 'rows'}"
            )
        return _beta_prior(self.a[0], self.b[0], n_classes)

    def strength(self, total: Floats) -> Floats:
        """Return the factor of both parameters of each posterior, here 1."""
        return np.ones_like(total)

    def parameters(self, correct: Floats, total: Floats) -> tuple[Floats, Floats]:
        """Return a and b of the Beta posteriors of the recalls.

        Parameters
        ----------
        correct, total : ndarray of shape (..., n_classes)

        Returns
        -------
        a, b : ndarray of shape (..., n_classes)
        """
        strength = self.strength(total)
        right = strength * (self.a + correct)
        wrong = strength * (self.b + (total - correct))
        return right, wrong

    def average(
        self, correct: Floats, total: Floats, weights: Floats | None
    ) -> BetaAverage:
        """Return the posterior distribution of the weighted average of the recalls.

        Without weights, the engine takes exactly 1 / n_classes for each class.
        """
        a, b = self.parameters(correct, total)
        return BetaAverage(a, b, weights=weights)

    def recalls(self, correct: Floats, total: Floats) -> list[BetaAverage]:
        """Return the posterior distribution of the recall of each class by itself."""
        parameters = self.recall_parameters(correct, total)
        return [BetaAverage([a], [b]) for a, b in zip(*parameters, strict=True)]

    def recall_parameters(
        self, correct: Floats, total: Floats
    ) -> tuple[Floats, Floats]:
        """Return the parameters of `recalls`."""
        return self.parameters(correct, total)

    def plain(self) -> BetaPrior:
        """Return the prior of metrics of all classes that are no sum of recalls."""
        return self

    def alone(self) -> BetaPrior:
        """Return the prior of a metric of one class by itself."""
        return self

    def pair(self, cells: Floats, weights: Floats | None) -> PairedDifference:
        """Return the posterior of the second average minus the first.

        Parameters
        ----------
        cells : ndarray of shape (n_classes, 4)
            Samples on which both classifiers are right, only the first, only the
            second, neither.
        weights : ndarray of shape (n_classes,) or None
            As for `average`.
        """
        strength, prior = self.pair_prior(cells.sum(axis=1))
        return PairedDifference(strength * cells, prior=prior, weights=weights)

    def pair_prior(self, total: Floats) -> tuple[Floats, Floats]:
        """Return the factor of the cells of a pair, shape (n_classes, 1), and prior.

        The Dirichlet prior has the shape (n_classes, 4).
        """
        strength = self.strength(total)[:, np.newaxis]
        return strength, self._pair_prior(strength)

    def _pair_prior(self, strength: Floats) -> Floats:
        """Return the Dirichlet prior of the four cells of two classifiers.

        The margins of the cells ``(a^2, ab, ab, b^2) / (a + b)`` are Beta(a, b). A cell
        cannot be empty: it has the smallest mass that a distribution takes, or more,
        which moves probabilities by about as much.
        """
        right = self.a / (self.a + self.b)
        wrong = self.b / (self.a + self.b)
        both_right = self.a * right
        one_right = self.b * right
        both_wrong = self.b * wrong
        cells = np.stack([both_right, one_right, one_right, both_wrong], axis=1)
        return np.maximum(cells, SMALLEST)

    @property
    def disagreement(self) -> Floats:
        """Prior mass of the cell in which only the first of two is right, by class."""
        return self._pair_prior(np.ones((self.a.size, 1)))[:, 1]

    def cell_shares(self, cells: Floats) -> Floats:
        """Return the expected probability of each cell within its class."""
        strength, prior = self.pair_prior(cells.sum(axis=1))
        masses = strength * cells + prior
        return np.asarray(masses / masses.sum(axis=1, keepdims=True))

    def pattern_distributions(
        self, patterns: Sequence[Floats], counts: Sequence[Floats]
    ) -> list[PatternDistribution]:
        """Return the joint posterior of which classifiers are right, of each class."""
        strength = self.strength(np.array([number.sum() for number in counts]))
        a = (strength * self.a).tolist()
        b = (strength * self.b).tolist()
        weakened = [
            factor * number for factor, number in zip(strength, counts, strict=True)
        ]
        return [
            PatternDistribution(*of_class, balanced=self._has_balanced_patterns)
            for of_class in zip(patterns, weakened, a, b, strict=True)
        ]

    _has_balanced_patterns: ClassVar[bool] = False
    """Whether half of the classifiers are right in each pattern of the prior."""

    def moments(
        self, correct: Floats, total: Floats, weights: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Return mean, variance and third central moment of the average.

        `correct` has the shape (..., n_classes), and the result (...).
        """
        a, b = self.parameters(correct, total)
        strength = a + b
        means = a / strength
        variances = means * (b / strength) / (strength + 1)
        thirds = 2 * variances * (b - a) / (strength * (strength + 2))
        squares = weights * weights
        return means @ weights, variances @ squares, thirds @ (squares * weights)

    @cached_property
    def is_informative(self) -> bool:
        """Whether the prior is meant to move the posterior.

        It has a row for each class, or is not symmetric.
        """
        return self.is_by_class or bool(self.a[0] != self.b[0])

    @property
    def weaker(self) -> str:
        """What to do where the prior moves a metric of the confusion matrix too far."""
        weak = 1 / self.a.size
        if (self.a > weak).any() or (self.b > weak).any():
            return "use a weaker prior, such as 'reciprocal'"
        return "test more samples"

    def describe(self, subject: str) -> str:
        """Return a sentence on the prior of a subject, with its numbers."""
        if (self.a != self.a[0]).any() or (self.b != self.b[0]).any():
            return "The recall of each class has a Beta prior of its own."
        beta = f"Beta({self.a[0]:.3g}, {self.b[0]:.3g})"
        return f"Prior of {subject}: {beta}{self._alias}."

    def methods_text(self, subject: str) -> str:
        """Return the sentence on the prior and its posterior for a paper."""
        shown = slice(None if self.is_by_class else 1)
        a = ", ".join(f"{size:.6g}" for size in self.a[shown])
        b = ", ".join(f"{size:.6g}" for size in self.b[shown])
        return (
            f"{subject} had the prior Beta(a, b) with a = {a} and b = "
            f"{b}{self._alias}, and after k of n correct predictions the posterior "
            "Beta(a + k, b + n - k)."
        )

    @property
    def _alias(self) -> str:
        """The name in brackets, if there is one."""
        return f" ({self.name})" if self.name else ""

    def __str__(self) -> str:
        """Return the prior as it was given, in a few characters."""
        if self.name is not None:
            return repr(self.name)
        if self.is_by_class:
            return f"<array of shape ({self.a.size}, 2)>"
        return f"({self.a[0]:g}, {self.b[0]:g})"

    def restricted(self, chosen: Bools | Indices) -> Self:
        """Return the prior of some of the classes."""
        return replace(self, a=self.a[chosen], b=self.b[chosen])

    def check_total(self, total: Floats, name: str = "total") -> None:
        """Raise if prior and counts, the argument `name`, add up to too much."""
        large = np.maximum(self.a, self.b) + total > LARGEST
        if large.any():
            raise ValueError(
                f"prior and {name} must add up to at most {LARGEST:g} for each class, "
                f"got a total of {first(total, large)}"
            )

    def facts(self, default: str | None = DEFAULT_PRIOR) -> list[str]:
        """Return what a repr says of a prior that is not the default."""
        return [] if self.name == default else [f"prior={self}"]

    def report_sentences(
        self, default: str | None = DEFAULT_PRIOR, subject: str = "each recall"
    ) -> list[str]:
        """Return what a report says of a prior that is not the default."""
        return [] if self.name == default else [self.describe(subject)]

    def _made_of(self) -> tuple[Any, ...]:
        return self.a.tobytes(), self.b.tobytes()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self}, n_classes={self.a.size})"


@dataclass(frozen=True, eq=False, repr=False)
class CalibratedPrior(BetaPrior):
    r"""The default, Beta(1/l, 1/l) for l classes, with calibrated intervals.

    The variance p (1 - p) / (s + 1) of a Beta posterior of strength s averages
    (n - 1) / (n + 1) of the sampling variance of n samples, whatever the prior. The
    errors of many classes average out, and intervals are then too short by this. The
    posterior of each class therefore keeps its mean, and has the strength of
    `discount` = 1.5 - 2 / l observations less (none of a single class). The number was
    chosen by the coverage of 95 % intervals (:ref:`priors`).

    It is made for the average. A class by itself has the Jeffreys prior Beta(1/2, 1/2),
    since no prior was valid for both. Metrics that are no sum of recalls, such as F1,
    have Beta(1/l, 1/l) as it is.

    Parameters
    ----------
    a, b : array-like of shape (n_classes,)
        1 / l for each class.
    discount : float, default=0.0
        Observations by which the posterior of each class is weaker.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> prior = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4]).prior
    >>> prior
    CalibratedPrior(n_classes=3)
    >>> prior.a, prior.discount
    (array([0.3333, 0.3333, 0.3333]), 0.8333)
    """

    name: str | None = DEFAULT_PRIOR
    is_by_class: bool = False
    discount: float = 0.0

    _has_balanced_patterns = True

    @classmethod
    def of(cls, n_classes: int) -> CalibratedPrior:
        """Return the prior for a number of classes."""
        size = np.full(n_classes, 1 / n_classes)
        return cls(size, size, discount=max(1.5 - 2 / n_classes, 0.0))

    def strength(self, total: Floats) -> Floats:
        """Return the factor of both parameters of each posterior.

        Parameters
        ----------
        total : ndarray of shape (..., n_classes)

        Returns
        -------
        strength : ndarray of shape (..., n_classes)
            In (0, 1]; 1 for a class without samples, which keeps its prior.
        """
        discounted = np.minimum(total, self.discount)
        strength = 1 - discounted / (self.a + self.b + total)
        # With thousands of classes of one sample, parameters would be too small for a
        # distribution.
        return np.maximum(strength, min(2 * SMALLEST / self.a[0], 1.0))

    def plain(self) -> BetaPrior:
        """Return the prior of the recalls in other metrics: Beta(1/l, 1/l) as it is."""
        return _named("reciprocal", self.a.size)

    def alone(self) -> BetaPrior:
        """Return the prior of a metric of one class by itself: Jeffreys'."""
        return _named("jeffreys", self.a.size)

    def recall_parameters(
        self, correct: Floats, total: Floats
    ) -> tuple[Floats, Floats]:
        """Return the parameters of the recalls, under Jeffreys' prior."""
        prior = self.alone() if self.discount else self
        return prior.parameters(correct, total)

    def _pair_prior(self, strength: Floats) -> Floats:
        """Return the Dirichlet prior of the four cells of two classifiers.

        Its mass is all on disagreement: (0, 1/l, 1/l, 0) for the cells both right, only
        the first, only the second, neither. The margins are Beta(1/l, 1/l), but the
        difference is wider than if half of the mass were on agreement.

        A cell cannot be empty: the smallest mass that a distribution takes is moved
        from disagreement to agreement, which leaves the margins as they are. It matters
        only in a class where no sample agrees, and moves probabilities there by about
        1e-6.
        """
        mass = strength * self.a[:, np.newaxis]
        disagreement = np.maximum(mass - SMALLEST, SMALLEST)
        agreement = np.full_like(disagreement, SMALLEST)
        return np.hstack([agreement, disagreement, disagreement, agreement])

    def describe(self, subject: str) -> str:
        """Return a sentence on the prior of a subject, with its numbers."""
        beta = f"Beta({self.a[0]:.3g}, {self.b[0]:.3g})"
        discount = f"{self.discount:.3g} observations of each class discounted"
        return f"Prior of {subject}: {beta}, {discount}."

    def methods_text(self, subject: str) -> str:
        """Return the sentence on the prior and its posterior for a paper."""
        if not self.discount:
            return super().methods_text(subject)
        return (
            f"{subject} had the prior Beta(a, a) with a = "
            f"{self.a[0]:.6g}{self._alias}, and after k of n correct predictions the "
            "posterior Beta(c (a + k), c (a + n - k)) with c = 1 - min(n, "
            f"{self.discount:.6g}) / (n + 2 a). It has the usual mean, and the spread "
            f"of {self.discount:.6g} observations fewer, which calibrates the "
            "intervals of the average."
        )

    def _made_of(self) -> tuple[Any, ...]:
        return *super()._made_of(), self.discount

    def __repr__(self) -> str:
        return f"CalibratedPrior(n_classes={self.a.size})"


# What users may write for `prior`.
PriorLike: TypeAlias = (
    BetaPrior | PriorName | Sequence[float | Sequence[float]] | NDArray[Any]
)


def check_prior(prior: PriorLike) -> PriorLike:
    """Check a prior as far as this can be done without the number of classes.

    Parameters
    ----------
    prior : str, pair of floats, array-like of shape (n_classes, 2) or BetaPrior
        A name of `PRIOR_NAMES`, a pair ``(a, b)`` for all classes, one for each, or the
        `prior` of a posterior.

    Returns
    -------
    prior : as given, or a read-only array of shape (2,) or (n_classes, 2)

    Raises
    ------
    ValueError
        If the name is unknown, the shape is wrong, or a number is not in [1e-6, 1e15].
    """
    if isinstance(prior, BetaPrior):
        return prior
    if isinstance(prior, str) and prior in PRIOR_NAMES:
        return prior
    array = np.zeros(0) if isinstance(prior, str) else float_array(prior, "prior")
    if array.ndim not in (1, 2) or array.shape[-1] != 2 or not len(array):
        got = repr(prior) if isinstance(prior, str) else f"the shape {array.shape}"
        raise ValueError(
            f"prior must be one of {sorted(PRIOR_NAMES)}, a pair (a, b) or an array of "
            f"shape (n_classes, 2), got {got}{suggestion(prior, PRIOR_NAMES)}"
        )
    _check_range(array, "prior")
    array.flags.writeable = False
    return array


def make_prior(prior: PriorLike, n_classes: int) -> BetaPrior:
    """Return the prior of the recalls of a number of classes.

    A (2, 2) array for two classes holds one pair for each class.

    Parameters
    ----------
    prior : see `check_prior`
    n_classes : int

    Raises
    ------
    ValueError
        If there is one row for each of another number of classes, 1 / n_classes is too
        small, or for the reasons listed in `check_prior`.

    Examples
    --------
    >>> make_prior("reciprocal", 4).a
    array([0.25, 0.25, 0.25, 0.25])
    >>> make_prior((2, 1), 3)
    BetaPrior((2, 1), n_classes=3)
    """
    checked = check_prior(prior)
    if isinstance(checked, BetaPrior):
        return checked.for_classes(n_classes)
    if isinstance(checked, str):
        return _named(checked, n_classes)
    array = np.asarray(checked)
    if array.ndim == 1:
        return _beta_prior(array[0], array[1], n_classes)
    return BetaPrior(array[:, 0], array[:, 1]).for_classes(n_classes)


def make_accuracy_prior(prior: PriorLike) -> BetaPrior:
    """Return the prior of an accuracy, a single Beta distribution.

    Raises
    ------
    ValueError
        If it is neither a pair, nor a name that stands for one whatever the number of
        classes, nor such a prior.
    """
    name = prior.name if isinstance(prior, BetaPrior) else prior
    if not isinstance(name, str) or name in FIXED_PRIORS:
        checked = check_prior(prior)
        has_rows = isinstance(checked, np.ndarray) and checked.ndim == 2
        if not has_rows:
            return make_prior(checked, 1)
    raise ValueError(
        f"prior must be one of {sorted(FIXED_PRIORS)}, of which "
        f"{DEFAULT_ACCURACY_PRIOR!r} is the default here, or a pair (a, b), got "
        f"{prior!r}"
    )


@lru_cache(maxsize=256)
def _named(name: str, n_classes: int) -> BetaPrior:
    """Return the prior of a name."""
    if name == DEFAULT_PRIOR:
        return CalibratedPrior.of(n_classes)
    size = FIXED_PRIORS.get(name, 1 / n_classes)
    return _beta_prior(size, size, n_classes, name)


def _beta_prior(
    a: float, b: float, n_classes: int, name: str | None = None
) -> BetaPrior:
    """Return the same prior for all classes."""
    sizes = np.full(n_classes, a), np.full(n_classes, b)
    return BetaPrior(*sizes, name=name, is_by_class=False)


def _check_range(array: Floats, name: str) -> None:
    bad = ~((array >= SMALLEST) & (array <= LARGEST))
    if bad.any():
        raise ValueError(
            f"{name} must have a and b between {SMALLEST:g} and {LARGEST:g}, got "
            f"{first(array, bad)}"
        )
