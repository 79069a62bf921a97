"""Labelled samples of many whose predictions are known.

Whether a sample is labelled may depend on its predicted class and on nothing else: the
labelled samples are a random subset of all, or drawn by predicted class. The shares of
the true classes among the samples of a predicted class, a column of the confusion
matrix, are then learnt from its labelled samples, and the shares of the predicted
classes from all samples (post-stratification). Both have Dirichlet posteriors if the
cells have, and these are independent.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import methodcaller
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, LabelArray, first, nonnegative_array, shown
from skpostbac.metrics._confusion.distributions import ConfusionModel, no_distribution
from skpostbac.metrics._confusion.metrics import Target
from skpostbac.metrics._confusion.samples import ConfusedSamples
from skpostbac.metrics._counts import describe_samples, format_count
from skpostbac.metrics._labels import label_list


@dataclass(frozen=True)
class PoststratifiedModel(ConfusionModel):
    """Posterior of the cells if more is known of the predicted classes, the columns.

    `cells` has the labelled samples. `more`, shape (m,), has the numbers of samples
    whose predictions alone are known, or, with `are_shares`, known shares of the
    predicted classes.
    """

    more: Floats
    are_shares: bool

    def joint(self, weights: Floats, more: Floats | None = None) -> Floats:
        """Divide all samples of a predicted class like those that are labelled.

        `more`, shape (..., m), are draws for the field of this name.
        """
        labelled = weights.sum(axis=-2)
        totals = self.more if more is None else more
        if not self.are_shares:
            totals = labelled + totals
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.where(totals > 0, totals / labelled, 0.0)
        return np.asarray(weights * factors[..., np.newaxis, :])

    def draw_block(self, rng: np.random.Generator, size: int) -> Floats:
        """Draw matrices, shape (size, k, m)."""
        weights = rng.standard_gamma(self.cells, (size, *self.cells.shape))
        if self.are_shares:
            return self.joint(weights)
        more = rng.standard_gamma(self.more, (size, len(self.more)))
        return self.joint(weights, more)


def drawn_target(target: Target) -> Target:
    """Return a metric with the prior of a class by itself, and no known distribution.

    A few large predicted classes may have most of the uncertainty, which does not
    average out: priors made for averages are too weak.
    """
    return replace(target, distribution=no_distribution, prior=methodcaller("alone"))


class KnownPredictions(NamedTuple):
    """Predictions of all samples, by class."""

    sizes: Floats
    """Numbers of samples, with the labelled ones, or shares with the sum 1."""
    are_shares: bool

    @property
    def description(self) -> str:
        """How labelled samples are weighted, as part of a sentence."""
        if self.are_shares:
            return "weighted by known shares of the predicted classes"
        n = format_count(self.sizes.sum())
        return f"weighted by {n} predictions, a sample of the population"

    def extend(self, model: ConfusionModel, C: Floats) -> PoststratifiedModel:
        """Return the posterior of all samples from that of the labelled ones."""
        more = self.sizes
        if not self.are_shares:
            more = np.maximum(self.sizes - C.sum(axis=0), 0.0)
        return PoststratifiedModel(
            model.cells, None, model.strength, more, self.are_shares
        )


def read_predictions(
    prediction_counts: Mapping[Hashable, float] | None,
    prediction_shares: Mapping[Hashable, float] | None,
    classes: LabelArray,
    C: Floats,
    prevalence: ArrayLike,
) -> KnownPredictions | None:
    """Return what is known of the predictions, or None.

    Raises
    ------
    ValueError
        If both are given, or a prevalence beside one; if the labels are not those of
        the classes; if numbers are negative, infinite or NaN, or counts not whole; or
        if they do not fit the labelled samples, the confusion matrix `C`.
    TypeError
        If what is given has no keys.
    """
    are_shares = prediction_shares is not None
    name = "prediction_shares" if are_shares else "prediction_counts"
    given = prediction_shares if are_shares else prediction_counts
    if given is None:
        return None
    if are_shares and prediction_counts is not None:
        raise ValueError("give prediction_counts or prediction_shares, not both")
    if not isinstance(prevalence, str) or prevalence != "sampled":
        raise ValueError(
            f"prevalence={shown(prevalence)} contradicts {name}, from which the shares "
            "of the classes follow"
        )
    labels = label_list(classes)
    sizes = _read_sizes(given, name, labels)
    if not are_shares and np.any(fractions := sizes % 1 > 0):
        raise ValueError(
            f"{name} must be whole numbers, got {first(sizes, fractions)}; shares are "
            "prediction_shares"
        )
    _check_fit(sizes, C.sum(axis=0), name, labels, are_shares)
    if are_shares:
        relative = sizes / sizes.max()  # the sum may overflow
        sizes = relative / relative.sum()
    return KnownPredictions(sizes, are_shares)


def _read_sizes(
    given: Mapping[Hashable, float], name: str, labels: Sequence[Hashable]
) -> Floats:
    """Return the numbers in the order of the labels."""
    if not hasattr(given, "keys"):
        raise TypeError(f"{name} must be a dict by label, got {shown(given)}")
    found = list(given.keys())
    if set(found) != set(labels):
        raise ValueError(
            f"{name} must have the labels {shown(labels)}, got {shown(found)}"
        )
    sizes = nonnegative_array([given[label] for label in labels], name)
    if not sizes.any():
        raise ValueError(f"{name} must not be all zero")
    return sizes


def _check_fit(
    sizes: Floats,
    labelled: Floats,
    name: str,
    labels: Sequence[Hashable],
    are_shares: bool,
) -> None:
    """Raise if there are too few labelled samples of a prediction, or too many."""
    k = len(labels)
    if labelled[k:].any():
        raise ValueError(
            f"{name} needs all labels of y_pred among the classes: list them in labels"
        )
    is_wrong = (sizes > 0) != (labelled[:k] > 0)
    if not are_shares:
        is_wrong |= sizes < labelled[:k]
    if is_wrong.any():
        place = int(np.argmax(is_wrong))
        raise ValueError(
            f"{name} of {labels[place]!r} is {sizes[place]:g}, but this is the "
            f"prediction of {describe_samples(labelled[place], 'labelled sample')}"
        )


def check_labelled(samples: ConfusedSamples, n_given: int) -> None:
    """Raise for samples whose predictions must not be known."""
    if not samples.are_independent:
        raise ValueError(
            "prediction_counts and prediction_shares assume independent samples: leave "
            "out groups and importance weights"
        )
    if len(samples.true) < n_given:
        raise ValueError(
            "labels must have all classes of y_true with prediction_counts and "
            "prediction_shares"
        )
