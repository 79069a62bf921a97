"""How many of many samples with known predictions to label for a narrow interval."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from skpostbac._utils import Floats, RandomStateLike, float_or_nan, shown
from skpostbac.metrics._advice import PriorInfluenceWarning
from skpostbac.metrics._confusion.distributions import ConfusionModel
from skpostbac.metrics._confusion.metrics import Metric, find_target
from skpostbac.metrics._confusion.posterior import infer_metric, read_recall_prior
from skpostbac.metrics._confusion.predictions import drawn_target, read_predictions
from skpostbac.metrics._counts import read_confusion_matrix
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._prior import DEFAULT_PRIOR, PriorLike

# Labels of a predicted class, if the number of samples is unknown.
_MOST_LABELS = 1e9
# Relative error of the number of labels; that of random draws is larger.
_TOLERANCE = 1e-3


def required_labels(
    C: ArrayLike,
    metric: Metric,
    *,
    width: float,
    prediction_counts: Mapping[Hashable, float] | None = None,
    prediction_shares: Mapping[Hashable, float] | None = None,
    pos_label: Hashable = None,
    average: str | None = None,
    labels: ArrayLike | None = None,
    level: float = 0.95,
    prior: PriorLike = DEFAULT_PRIOR,
    random_state: RandomStateLike = 0,
) -> dict[Hashable, int]:
    """Find how many samples of each predicted class to label for a narrow interval.

    Predictions of all samples are known, and the labelled samples of a pilot tell how
    the true classes are distributed in each predicted class.

    Parameters
    ----------
    C : array-like of shape (n_classes, n_classes)
        Confusion matrix of the pilot, with true classes as rows. The sums of its
        columns, the labels of each predicted class, are in the proportions of the plan;
        multiply a column by a number to try others.
    width : float
        Largest width of the credible interval of probability `level` that posteriors
        report, the hull of the shortest and the central one.
    metric, prediction_counts, prediction_shares, pos_label, average, prior, \
            random_state
        As for :func:`posterior_confusion_metric`. One of `prediction_counts` and
        `prediction_shares` must be given.
    labels : array-like of shape (n_classes,), default=None
        As for :meth:`PosteriorConfusionMetric.from_confusion_matrix`.
    level : float in (0, 1), default=0.95
        Probability of the interval.

    Returns
    -------
    n_labels : dict of label to int
        Labelled samples of each predicted class, those of the pilot included. No class
        has more than there are predictions.

    Raises
    ------
    ValueError
        If `width` is not positive, if the interval is wider with all samples labelled,
        or for the reasons listed in :func:`posterior_confusion_metric`.

    See Also
    --------
    required_test_size : Size of a test set of which all samples are labelled.

    Notes
    -----
    The width is that after the counts that the posterior of the pilot expects, so about
    half of all choices of samples give a wider interval. A small pilot knows its errors
    poorly: repeat the plan after the next labels. Random draws change the numbers by a
    few per cent.

    Examples
    --------
    The classifier calls 300 of 10,000 messages spam, and 50 of each kind are labelled.

    >>> from skpostbac import required_labels
    >>> C = [[49, 8], [1, 42]]
    >>> predicted = {0: 9700, 1: 300}
    >>> required_labels(C, "f1", width=0.15, prediction_counts=predicted)
    {0: 1126, 1: 300}

    All that are called spam, and one in nine of the others: what F1 is depends most on
    how much spam is among these.
    """
    classes, pilot = read_confusion_matrix(C, labels)
    target = drawn_target(find_target(metric, classes, pos_label, average))
    known = read_predictions(
        prediction_counts, prediction_shares, classes, pilot, "sampled"
    )
    if known is None:
        raise ValueError("prediction_counts or prediction_shares must be given")
    if not float_or_nan(width) > 0:
        raise ValueError(f"width must be positive, got {shown(width)}")

    labelled = pilot.sum(axis=0)
    most = np.full(len(classes), _MOST_LABELS) if known.are_shares else known.sizes
    recall_prior = read_recall_prior(target, prior, len(classes))
    cells = ConfusionModel.of(pilot, recall_prior, None).cells
    within = cells / cells.sum(axis=0)

    def sizes(log_factor: float) -> Floats:
        wanted: Floats = np.ceil(np.exp(log_factor) * labelled)
        return np.minimum(wanted, most)

    def excess(log_factor: float) -> float:
        posterior = infer_metric(
            target,
            within * sizes(log_factor),
            classes,
            "sampled",
            prior,
            None,
            random_state,
            predictions=known,
        )
        low, high = posterior.credible_interval(level)
        return high - low - width

    least = -np.log(labelled.max())
    largest = np.log(np.max(most[labelled > 0] / labelled[labelled > 0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorInfluenceWarning)
        if excess(largest) > 0:
            raise ValueError(
                f"width={width:g} is less than that with all samples labelled"
            )
        factor = least
        if excess(least) > 0:
            factor = brentq(excess, least, largest, xtol=_TOLERANCE)
    found = sizes(factor).astype(int).tolist()
    return dict(zip(label_list(classes), found, strict=True))
