"""The posterior of any metric of a confusion matrix: exact where there is a law, else drawn."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_scalar

from skpostbac.metrics._arrays import FloatArray
from skpostbac.metrics._confusion_laws import (
    law_of_accuracy,
    law_of_class,
    law_of_macro,
    law_of_micro,
)
from skpostbac.metrics._confusion_matrix import (
    check_confusion_matrix,
    count_confusions,
    matrix_index,
)
from skpostbac.metrics._confusion_metrics import (
    BY_CLASS,
    OVERALL,
    ConfusionMetric,
    macro,
    micro,
    of_class,
)
from skpostbac.metrics._confusion_model import ConfusionModel
from skpostbac.metrics._drawn_posterior import DrawnPosterior
from skpostbac.metrics._figure_posterior import FigurePosterior
from skpostbac.metrics._labels import LabelArray, label_list, unique_label_array
from skpostbac.metrics._random_state import RandomStateLike, draw_seed
from skpostbac.stats import BetaAverage

# Standard errors of the mean of at most 0.0016 for a metric in [0, 1].
N_DRAWS = 100_000

# How to average a metric over the classes, and the law of the average.
AVERAGES = {"macro": (macro, law_of_macro), "micro": (micro, law_of_micro)}


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorConfusionMetric(FigurePosterior):
    r"""Posterior of a metric of the confusion matrix.

    Made by :func:`posterior_confusion_metric` from labels, or by :meth:`from_confusion_matrix`.

    Attributes
    ----------
    metric : str
        What the figure is, such as "macro f1".
    observed : float
        The metric of the confusion matrix as it was counted; nan where it is 0 / 0.
    distribution : BetaAverage or DrawnPosterior
        The law of the metric, exact or by random draws.

    Notes
    -----
    Given class i, the predicted class has probabilities with a Dirichlet posterior. The prior
    :math:`\mathrm{Beta}(a_i, b_i)` of its recall becomes :math:`a_i` for the class itself and
    :math:`b_i / (k - 1)` for each of the k - 1 others, so that recalls have the posterior that
    :class:`PosteriorBalancedAccuracy` gives them.

    With ``prevalence="sampled"`` the shares of the classes are unknown too; their prior is
    :math:`\mathrm{Dirichlet}(a_1 + b_1, \dots, a_k + b_k)`, which makes one Dirichlet law of all
    k x k cells. Recall, precision and false positive rate of a class are then Beta variables; the
    prior of the precision is :math:`\mathrm{Beta}(a_j, \sum_{i \ne j} b_i / (k - 1))`, which is
    Beta(1, 1) if all recalls have that prior. So is the accuracy, with the prior
    :math:`\mathrm{Beta}(\sum_i a_i, \sum_i b_i)`; :func:`posterior_accuracy` lets you choose it.

    With known shares, precision has no closed form, and the accuracy and false positive rates are
    weighted sums of Beta variables.

    Examples
    --------
    >>> from skpostbac import PosteriorConfusionMetric
    >>> C = [[166, 25], [21, 188]]
    >>> PosteriorConfusionMetric.from_confusion_matrix(C, "precision", pos_label=1)
    PosteriorConfusionMetric('precision of 1', mean=0.879, 95% CI=[0.832, 0.919], exact)
    >>> PosteriorConfusionMetric.from_confusion_matrix(C, "mcc", random_state=0)
    PosteriorConfusionMetric('mcc', mean=0.762, 95% CI=[0.695, 0.821], monte_carlo_error=1e-04)
    """

    metric: str
    observed: float
    _law: BetaAverage | DrawnPosterior

    @classmethod
    def from_confusion_matrix(
        cls,
        C: ArrayLike,
        metric: str | ConfusionMetric,
        *,
        pos_label: Hashable = None,
        average: str = "macro",
        prevalence: ArrayLike = "sampled",
        labels: ArrayLike | None = None,
        prior: ArrayLike = "uniform",
        n_draws: int = N_DRAWS,
        random_state: RandomStateLike = None,
    ) -> PosteriorConfusionMetric:
        """Make the posterior from a confusion matrix.

        Parameters
        ----------
        C : array-like of shape (n_classes, n_classes)
            Finite, non-negative counts: the true classes are the rows and the predicted ones
            the columns. Some publications print the transpose.
        labels : array-like of shape (n_classes,), default=None
            Labels of the classes, by default the index of a DataFrame, else 0, 1, ...
        metric, pos_label, average, prevalence, prior, n_draws, random_state
            As for :func:`posterior_confusion_metric`.

        Returns
        -------
        posterior : PosteriorConfusionMetric

        Examples
        --------
        >>> from skpostbac import PosteriorConfusionMetric
        >>> C = [[102, 8, 7], [10, 89, 11], [5, 12, 120]]
        >>> PosteriorConfusionMetric.from_confusion_matrix(C, "recall").median()
        0.8472
        """
        matrix, index = check_confusion_matrix(C), matrix_index(C)
        names = index if labels is None else labels
        classes = unique_label_array(np.arange(len(matrix)) if names is None else names, "labels")
        if len(classes) != len(matrix):
            raise ValueError(f"labels must have {len(matrix)} entries, got {len(classes)}")
        target = _find_target(metric, classes, pos_label, average)
        model = ConfusionModel.of(matrix, prior, prevalence)
        with np.errstate(divide="ignore", invalid="ignore"):
            observed = float(_evaluate(target.function, matrix[np.newaxis])[0])
            law = target.law(model) or _draw(target.function, model, n_draws, random_state)
        return cls(target.name, observed, law)

    @property
    def distribution(self) -> BetaAverage | DrawnPosterior:
        """The law of the metric, given the data."""
        return self._law

    def monte_carlo_error(self) -> float:
        """Return the standard error of the mean over random draws; 0 where the law is exact."""
        return self._law.monte_carlo_error() if isinstance(self._law, DrawnPosterior) else 0.0

    def __repr__(self) -> str:
        drawn = isinstance(self._law, DrawnPosterior)
        how = f"monte_carlo_error={self.monte_carlo_error():.0e}" if drawn else "exact"
        return f"PosteriorConfusionMetric({self.metric!r}, {self._summary()}, {how})"


def posterior_confusion_metric(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    metric: str | ConfusionMetric,
    *,
    pos_label: Hashable = None,
    average: str = "macro",
    prevalence: ArrayLike = "sampled",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    prior: ArrayLike = "uniform",
    n_draws: int = N_DRAWS,
    random_state: RandomStateLike = None,
) -> PosteriorConfusionMetric:
    """Compute the posterior of a metric of the confusion matrix.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of any kind that scikit-learn takes.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    metric : str or callable
        "recall", "precision", "false_positive_rate" (fall-out) and "f1" of a class or averaged
        over the classes; "accuracy", "kappa" or "mcc"; or a function that takes confusion
        matrices, an array of shape (n, n_classes, n_classes) with non-negative entries, true
        classes as rows, and returns an array of shape (n,). The entries of the matrices that are
        drawn sum to 1.
    pos_label : label, default=None
        Class of which the recall, precision, false positive rate or F1 is meant. By default
        they are averaged.
    average : {"macro", "micro"}, default="macro"
        "macro" is the mean over the classes; "micro" sums the true and false positives and
        negatives of all classes first. Not used with `pos_label`.
    prevalence : {"sampled", "observed"} or array-like of shape (n_classes,), default="sampled"
        "sampled": the test samples are drawn from the population, and so are their classes,
        whose shares are uncertain. "observed": the classes have the shares that they have in
        `y_true`, as if by design. An array has the shares in the population that the classifier
        is meant for, normalised to sum 1. Recalls do not depend on it.
    labels : array-like of shape (n_classes,), default=None
        Classes of the confusion matrix, by default those found in `y_true` or `y_pred`, sorted.
        Samples of a true class that is not listed are left out.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative case counts. Their scale matters.
    prior : str, pair of floats or array-like of shape (n_classes, 2), default="uniform"
        Prior of the recall of each class, as for :class:`PosteriorBalancedAccuracy`.
    n_draws : int, default=100_000
        Random draws for a metric without an exact law, at least 2.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.

    Returns
    -------
    posterior : PosteriorConfusionMetric

    Raises
    ------
    ValueError
        If a parameter is invalid, if a class that is not in `labels` is predicted, if there is a
        single class, if the metric does not return one finite number for each matrix drawn, or as
        :func:`class_counts` raises it.
    TypeError
        As :func:`class_counts` raises it, or if `n_draws` is no integer.

    See Also
    --------
    posterior_balanced_accuracy : The macro-averaged recall, in more detail.

    References
    ----------
    .. [1] F. Pitie, Evaluating Classifier Performance (lecture notes), Trinity College Dublin.

    Examples
    --------
    A classifier that says 1 to everything has a perfect recall, and needs a second metric ([1]_).

    >>> from skpostbac import posterior_confusion_metric
    >>> y_true, y_pred = [0] * 85 + [1] * 15, [1] * 100
    >>> posterior_confusion_metric(y_true, y_pred, "recall", pos_label=1).mean()
    0.9412
    >>> posterior_confusion_metric(y_true, y_pred, "precision", pos_label=1).mean()
    0.1569

    Any function of confusion matrices will do, such as the recall of the worst class.

    >>> def worst_recall(C):
    ...     return (C.diagonal(axis1=-2, axis2=-1) / C.sum(axis=-1)).min(axis=-1)
    >>> posterior_confusion_metric(y_true, y_pred, worst_recall, random_state=0).prob_above(0.05)
    0.012
    """
    classes, C = count_confusions(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return PosteriorConfusionMetric.from_confusion_matrix(
        C,
        metric,
        pos_label=pos_label,
        average=average,
        prevalence=prevalence,
        labels=classes,
        prior=prior,
        n_draws=n_draws,
        random_state=random_state,
    )


class _Target(NamedTuple):
    """What is asked for."""

    name: str
    function: ConfusionMetric
    law: Callable[[ConfusionModel], BetaAverage | None]


def _find_target(
    metric: str | ConfusionMetric, classes: LabelArray, pos_label: Hashable, average: str
) -> _Target:
    """Look up a metric by its name, with its law where it has one."""
    if callable(metric):
        return _Target(getattr(metric, "__name__", repr(metric)), metric, _no_law)
    if metric in OVERALL:
        return _Target(
            metric, OVERALL[metric], law_of_accuracy if metric == "accuracy" else _no_law
        )
    if metric not in BY_CLASS:
        raise ValueError(
            f"metric must be a function or one of {sorted({*BY_CLASS, *OVERALL})}, got {metric!r}"
        )
    if pos_label is not None:
        place = _position(pos_label, classes)
        law = partial(law_of_class, metric, place)
        return _Target(f"{metric} of {pos_label}", of_class(metric, place), law)
    if average not in AVERAGES:
        raise ValueError(f"average must be one of {sorted(AVERAGES)}, got {average!r}")
    function, law_of = AVERAGES[average]
    return _Target(f"{average} {metric}", function(metric), partial(law_of, metric))


def _no_law(model: ConfusionModel) -> None:
    return None


def _position(pos_label: Hashable, classes: LabelArray) -> int:
    labels = label_list(classes)
    if pos_label not in labels:
        raise ValueError(f"pos_label={pos_label!r} is not a valid label: it should be in {labels}")
    return labels.index(pos_label)


def _draw(
    function: ConfusionMetric, model: ConfusionModel, n_draws: int, random_state: RandomStateLike
) -> DrawnPosterior:
    """Evaluate a metric on matrices drawn from their posterior."""
    size = int(check_scalar(n_draws, "n_draws", Integral, min_val=2))
    rng = np.random.default_rng(draw_seed(random_state))
    values = np.concatenate([_evaluate(function, block) for block in model.draw(rng, size)])
    if not np.isfinite(values).all():
        raise ValueError("metric is not a finite number for all of the matrices that were drawn")
    return DrawnPosterior(values)


def _evaluate(function: ConfusionMetric, matrices: FloatArray) -> FloatArray:
    """Apply a metric, and see to it that it gives one number for each matrix."""
    values = np.asarray(function(matrices), dtype=np.float64)
    if values.shape != (len(matrices),):
        raise ValueError(
            "metric must return one number for each confusion matrix, so the shape "
            f"({len(matrices)},) for the input shape {matrices.shape}; got {values.shape}"
        )
    return values
