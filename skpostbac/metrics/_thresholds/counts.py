"""Correct predictions at each threshold, and the posterior of both recalls at all of them.

A sample is predicted positive if its score is at least the threshold. scikit-learn counts:
`confusion_matrix_at_thresholds` where it exists, else `roc_curve`, whose rates are shares of the
same counts.

As the threshold falls from one value t_j to the next, d_j more positives are predicted correctly.
The true-positive rate at t_j is F_j, the mass of a Dirichlet distribution with the parameters

    a, d_1, d_2, ..., d_m, b

in its first j + 1 cells. This is the Dirichlet process of Ferguson (Annals of Statistics 1, 1973),
whose posterior adds the observations to the prior mass, here at both ends of the axis of scores.
F_j is Beta(a + k_j, b + n - k_j), the posterior of the recall at that threshold alone, so that the
curve has at each threshold the distribution that is computed there, and its increments are
independent but for their sum. The rate of the negatives that are predicted positive has the
parameters b, e_1, ..., e_m, a in the same way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn import metrics

from skpostbac._utils import Floats, Indices, shown
from skpostbac.metrics._labels import BinaryScores
from skpostbac.metrics._posteriors import Optimism, optimism_of_choice

# Mass beside which a share is taken to be an end of [0, 1], which has no logit.
_SMALLEST = 1e-15


class ThresholdCounts(NamedTuple):
    """Correct predictions of two classes, by decreasing threshold."""

    thresholds: Floats
    """Shape (n_thresholds,)."""
    correct: Floats
    """Correct predictions of each class, shape (n_thresholds, 2)."""
    total: Floats
    """Samples of each class, shape (2,)."""
    positive: int
    """Which class is the positive one, 0 or 1."""

    def recalls(self) -> Floats:
        """Return the share of correct predictions of each class, shape (n_thresholds, 2)."""
        return np.asarray(self.correct / self.total)

    def passed(self) -> Floats:
        """Return the samples of each class that are predicted positive, shape (n_thresholds, 2)."""
        is_positive = np.arange(2) == self.positive
        return np.where(is_positive, self.correct, self.total - self.correct)

    def at(self, chosen: Indices) -> ThresholdCounts:
        """Return some of the thresholds."""
        return self._replace(thresholds=self.thresholds[chosen], correct=self.correct[chosen])


def check_threshold_counts(counts: ThresholdCounts) -> None:
    """Raise if the counts are inconsistent with decreasing thresholds."""
    thresholds, correct, total, positive = counts
    if thresholds.ndim != 1 or not thresholds.size or not (np.diff(thresholds) < 0).all():
        raise ValueError("thresholds must be decreasing numbers, at least one")
    if correct.shape != (thresholds.size, 2) or total.shape != (2,):
        raise ValueError(
            f"correct and total must have the shapes ({thresholds.size}, 2) and (2,), got "
            f"{correct.shape} and {total.shape}"
        )
    if not ((total > 0) & (correct >= 0) & (correct <= total)).all():
        raise ValueError("correct must be between 0 and total, which must be positive")
    if positive not in (0, 1):
        raise ValueError(f"positive must be 0 or 1, got {shown(positive)}")
    steps = np.diff(counts.passed(), axis=0)
    if (steps < 0).any():
        raise ValueError("correct must rise for the positive class and fall for the other")


def count_at_thresholds(scores: BinaryScores) -> ThresholdCounts:
    """Count the correct predictions at each distinct score."""
    weight = None if (scores.weight == 1).all() else scores.weight
    count: Any = getattr(metrics, "confusion_matrix_at_thresholds", _count_by_rates)
    tns, fps, fns, tps, thresholds = count(
        scores.is_positive, scores.values, pos_label=True, sample_weight=weight
    )
    # At the lowest threshold all samples are predicted positive.
    correct, total = np.stack([tns, tps], axis=-1), np.array([fps[-1], tps[-1] + fns[-1]])
    order = [0, 1] if scores.positive else [1, 0]
    return ThresholdCounts(
        np.asarray(thresholds, np.float64),
        correct[:, order].astype(np.float64),
        total[order].astype(np.float64),
        scores.positive,
    )


def effective_counts(counts: ThresholdCounts, scores: BinaryScores) -> ThresholdCounts:
    """Return the counts of importance weights, scaled to the effective size of each class."""
    is_class = scores.is_positive == (scores.positive == np.arange(2)[:, np.newaxis])
    # Of weights relative to the largest, whose squares are no zeros.
    weight = is_class * scores.weight / scores.weight.max()
    size = weight.sum(axis=1) ** 2 / (weight**2).sum(axis=1)
    scale = size / counts.total
    correct = np.minimum(counts.correct * scale, size)
    return counts._replace(correct=correct, total=size)


def _count_by_rates(
    y_true: Any, y_score: Floats, *, pos_label: bool, sample_weight: Floats | None
) -> tuple[Floats, ...]:
    """Return what scikit-learn's function does, in versions without it."""
    fpr, tpr, thresholds = metrics.roc_curve(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        drop_intermediate=False,
    )
    weight = np.ones(len(y_score)) if sample_weight is None else sample_weight
    fps, tps = fpr * weight[~y_true].sum(), tpr * weight[y_true].sum()
    if sample_weight is None:
        fps, tps = np.rint(fps), np.rint(tps)
    counts = fps[-1] - fps, fps, tps[-1] - tps, tps, thresholds
    # The first threshold of a ROC curve is infinite.
    return tuple(values[1:] for values in counts)


def thin(counts: ThresholdCounts, class_weight: Floats, most: int) -> ThresholdCounts:
    """Keep at most so many thresholds, the best among them.

    From one to the next the same weighted share of the samples becomes positive.
    """
    if len(counts.thresholds) <= most:
        return counts
    share = (counts.passed() / counts.total) @ class_weight
    even = np.searchsorted(share, np.linspace(share[0], share[-1], most - 1))
    return counts.at(np.unique([*even.clip(max=share.size - 1), best_of(counts, class_weight)]))


def best_of(counts: ThresholdCounts, class_weight: Floats) -> int:
    """Return the index of the threshold with the largest balanced accuracy; the highest of ties."""
    return int(np.argmax(counts.recalls() @ class_weight))


def draw_curves(
    counts: ThresholdCounts,
    prior: Floats,
    class_weight: Floats,
    n_draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Draw the weighted mean of the recalls along the thresholds, shape (n_draws, n_thresholds)."""
    curves = np.zeros((n_draws, len(counts.thresholds)))
    for i, passed in enumerate(counts.passed().T):
        a, b = prior[i]
        first, last = (a, b) if i == counts.positive else (b, a)
        parameters = np.concatenate([[first], np.diff(passed, prepend=0.0).clip(min=0), [last]])
        filled = parameters > 0
        masses = np.zeros((n_draws, len(parameters)))
        masses[:, filled] = rng.standard_gamma(parameters[filled], (n_draws, filled.sum()))
        sums = np.cumsum(masses, axis=1)
        shares = sums[:, 1:-1] / sums[:, -1:]
        curves += class_weight[i] * (shares if i == counts.positive else 1 - shares)
    return curves


def simultaneous_band(curves: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the ends of a band that holds so large a share of the curves from end to end.

    The largest distance of a curve from the mean curve is measured in logits, in standard
    deviations at each threshold, so that the band stays within (0, 1); its quantile at `level` is
    the half-width of the band at all of them (Montiel Olea and Plagborg-Moller, Journal of Applied
    Econometrics 34, 2019).
    """
    logits = logit(np.clip(curves, _SMALLEST, 1 - _SMALLEST))
    centre, spread = logits.mean(axis=0), logits.std(axis=0)
    farthest = np.max(np.abs(logits - centre) / spread, axis=1)
    reach = np.quantile(farthest, level) * spread
    return np.asarray(expit(centre - reach)), np.asarray(expit(centre + reach))


def bootstrap_optimism(
    counts: ThresholdCounts, class_weight: Floats, n_samples: int, rng: np.random.Generator
) -> Optimism:
    """Return the optimism of choosing the best threshold, by bootstrap samples of both classes."""
    again = np.zeros((n_samples, len(counts.thresholds)))
    for i, (passed, total) in enumerate(zip(counts.passed().T, counts.total, strict=True)):
        # The samples between two thresholds are a cell of a multinomial distribution.
        cells = np.diff(passed, prepend=0.0, append=total).clip(min=0)
        size = max(1, round(total))  # case counts may add up to no whole number
        drawn = rng.multinomial(size, cells / cells.sum(), n_samples)
        shares = np.cumsum(drawn[:, :-1], axis=1) / size
        again += class_weight[i] * (shares if i == counts.positive else 1 - shares)
    return optimism_of_choice(counts.recalls() @ class_weight, again)
