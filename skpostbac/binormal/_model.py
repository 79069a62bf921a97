"""Smooth ROC and precision-recall curves of normal scores, and the areas under them."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit, ndtr, ndtri

from skpostbac._utils import (
    Floats,
    block,
    check_choice,
    check_integer,
    check_probability,
    format_column,
    format_share,
    record,
    table,
)
from skpostbac.binormal import _curves
from skpostbac.binormal._check import checked_scores
from skpostbac.binormal._scores import ScoreMoments, check_finite
from skpostbac.metrics._scorers import (
    make_named_scorer,
)

# A curve with more points would need gigabytes of memory.
_MAX_CURVE_POINTS = 10**8


@dataclass(frozen=True)
class BinormalModel:
    r"""Normal distributions of the scores of two classes and the fraction of positives.

    The score of a negative sample is :math:`N(\mu_N, \sigma_N^2)`, that of a positive
    one :math:`N(\mu_P, \sigma_P^2)`, and a sample is positive with probability
    :math:`\alpha` ([1]_). At a threshold t the false- and the true-positive rate are

    .. math::

        \Phi\left(\frac{\mu_N - t}{\sigma_N}\right), \quad
        \Phi\left(\frac{\mu_P - t}{\sigma_P}\right)

    and the precision is
    :math:`\alpha\,\mathrm{TPR} / (\alpha\,\mathrm{TPR} + (1 - \alpha)\,\mathrm{FPR})`.

    Parameters
    ----------
    mean_negative, sd_negative : float
        Mean and standard deviation of the scores of the negatives.
    mean_positive, sd_positive : float
        Mean and standard deviation of the scores of the positives.
    positive_fraction : float, default=0.5
        Fraction of positives, in (0, 1). The ROC curve does not depend on it.

    Raises
    ------
    ValueError
        If a mean is not finite, if a standard deviation is not finite and positive, if
        `positive_fraction` is not in (0, 1), or if the distributions are too far apart,
        or of scales too different, for floating-point numbers.

    See Also
    --------
    posterior_binormal : Posterior of the model, with credible bands of the curves.
    binormal_check : Test whether the scores are normal.

    References
    ----------
    .. [1] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The
       binormal assumption on precision-recall curves. Proceedings of the 20th
       International Conference on Pattern Recognition.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from skpostbac.binormal import BinormalModel
    >>> model = BinormalModel(
    ...     mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2
    ... )
    >>> model.roc_auc()
    0.7602499
    >>> model.average_precision()
    0.7529960
    >>> replace(model, positive_fraction=0.01).average_precision()
    0.0422075
    """

    mean_negative: float
    sd_negative: float
    mean_positive: float
    sd_positive: float
    positive_fraction: float = 0.5

    def __post_init__(self) -> None:
        for name in ("mean_negative", "mean_positive", "sd_negative", "sd_positive"):
            check_finite(getattr(self, name), name, positive=name.startswith("sd"))
        fraction = check_probability(self.positive_fraction, "positive_fraction")
        object.__setattr__(self, "positive_fraction", fraction)

        with np.errstate(all="ignore"):
            shift, ratio, _ = self._arguments
            is_valid = np.isfinite(shift) and 0 < ratio < np.inf
        if not is_valid:
            raise ValueError(
                f"The two normal distributions are too different in scale, got {self!r}"
            )

    @classmethod
    def fit(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        positive_fraction: float | None = None,
    ) -> BinormalModel:
        """Estimate the model from scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels of two classes.
        y_score : array-like of shape (n_samples,)
            Finite scores, larger for the positive class; preferably from a
            `decision_function`.
        pos_label : int, float, bool or str, default=None
            Label of the positive class; 1 by default, if the labels are {0, 1} or
            {-1, 1}.
        sample_weight : array-like of shape (n_samples,), default=None
            Finite, non-negative case counts: a weight of 2 counts the sample twice.
        positive_fraction : float, default=None
            Fraction of positives in the target population, in (0, 1); by default that
            of the samples.

        Returns
        -------
        model : BinormalModel
            With the sample means and the roots of the unbiased sample variances.

        Raises
        ------
        ValueError
            Unless there are two classes, each with two samples and two different
            scores; if `pos_label` is not one of them, or not given where it is needed;
            if a score is not a finite number of at most 1e300; if a weight is negative,
            infinite or NaN, or if those of a class add up to less than 2; if the
            lengths differ; if `positive_fraction` is not in (0, 1).
        TypeError
            If the labels are bytes or a sparse matrix.

        Warns
        -----
        BinormalAssumptionWarning
            If the scores are clearly not normal.

        Examples
        --------
        >>> from skpostbac.binormal import BinormalModel
        >>> model = BinormalModel.fit([0, 0, 0, 1, 1], [-3, -1, -2, 0, 2])
        >>> model.mean_negative, model.sd_negative
        (-2.0, 1.0)
        >>> model.mean_positive, model.sd_positive
        (1.0, 1.4142)
        >>> model.positive_fraction
        0.4
        """
        negative, positive = checked_scores(y_true, y_score, pos_label, sample_weight)
        return estimate_model(negative.moments(), positive.moments(), positive_fraction)

    def roc_curve(self, *, n_points: int = 201) -> tuple[Floats, Floats, Floats]:
        """Return points of the ROC curve in the order of scikit-learn's `roc_curve`.

        Parameters
        ----------
        n_points : int, default=201
            Number of quantiles of each class used as thresholds, 2 or more; they are
            denser towards both ends.

        Returns
        -------
        fpr, tpr : ndarray of shape (n_thresholds,)
            False- and true-positive rates, ascending from 0 to 1.
        thresholds : ndarray of shape (n_thresholds,)
            Descending from inf to -inf.

        Raises
        ------
        ValueError
            If `n_points` is less than 2.
        TypeError
            If `n_points` is not an integer.

        Examples
        --------
        >>> from skpostbac.binormal import BinormalModel
        >>> fpr, tpr, thresholds = BinormalModel(0, 1, 1, 1).roc_curve(n_points=3)
        >>> for point in zip(thresholds, fpr, tpr):
        ...     print("{:.3f} {:.3f} {:.3f}".format(*point))
        inf 0.000 0.000
        1.000 0.159 0.500
        0.000 0.500 0.841
        -inf 1.000 1.000
        """
        thresholds = self._thresholds(n_points)[::-1]
        fpr = ndtr((self.mean_negative - thresholds) / self.sd_negative)
        tpr = ndtr((self.mean_positive - thresholds) / self.sd_positive)
        return fpr, tpr, thresholds

    def precision_recall_curve(
        self, *, n_points: int = 201
    ) -> tuple[Floats, Floats, Floats]:
        """Return points of the curve in the order of scikit-learn's function.

        Parameters
        ----------
        n_points : int, default=201
            Number of quantiles of each class used as thresholds, 2 or more; they are
            denser towards both ends.

        Returns
        -------
        precision : ndarray of shape (n_thresholds + 1,)
            Starts with the fraction of positives. The last value has no threshold: it
            is the limit towards recall 0, where scikit-learn uses 1.
        recall : ndarray of shape (n_thresholds + 1,)
            Descending from 1 to 0.
        thresholds : ndarray of shape (n_thresholds,)
            Ascending from -inf.

        Raises
        ------
        ValueError
            If `n_points` is less than 2.
        TypeError
            If `n_points` is not an integer.

        Examples
        --------
        >>> from skpostbac.binormal import BinormalModel
        >>> model = BinormalModel(0, 1, 1, 1, positive_fraction=0.2)
        >>> precision, recall, thresholds = model.precision_recall_curve(n_points=3)
        >>> for point in zip(recall, precision):
        ...     print("{:.3f} {:.3f}".format(*point))
        1.000 0.200
        0.841 0.296
        0.500 0.441
        0.000 1.000
        """
        thresholds = self._thresholds(n_points)
        deviates = (self.mean_positive - thresholds) / self.sd_positive
        precision = _curves.precision(deviates, *self._arguments)
        return precision, ndtr(deviates), thresholds[:-1]

    def roc_auc(self) -> float:
        r"""Return the area under the ROC curve.

        Returns
        -------
        area : float
            :math:`\Phi((\mu_P - \mu_N) / \sqrt{\sigma_P^2 + \sigma_N^2})`.

        Examples
        --------
        >>> from skpostbac.binormal import BinormalModel
        >>> BinormalModel(0, 1, 1, 1).roc_auc()
        0.7602499
        """
        shift, ratio, _ = self._arguments
        return _curves.roc_auc(shift, ratio).item()

    def average_precision(self) -> float:
        """Return the integral of the precision over the recall.

        Returns
        -------
        area : float
            In (0, 1], by quadrature, with a relative error below 1e-10.

        Examples
        --------
        >>> from skpostbac.binormal import BinormalModel
        >>> model = BinormalModel(0, 1, 0, 1, positive_fraction=0.2)
        >>> model.average_precision()  # the chance level
        0.2
        """
        return _curves.average_precision(*self._arguments).item()

    def _repr_html_(self) -> str:
        means = format_column([self.mean_negative, self.mean_positive])
        deviations = format_column([self.sd_negative, self.sd_positive])
        rows = zip(("negative", "positive"), means, deviations, strict=True)
        normals = table(("scores", "mean", "standard deviation"), rows)

        header = ("positive fraction", "ROC AUC", "average precision")
        values = (self.positive_fraction, self.roc_auc(), self.average_precision())
        return block(repr(self), normals, record(header, *map(format_share, values)))

    @property
    def _arguments(self) -> tuple[Floats, Floats, Floats]:
        """Shift, ratio and log-odds of the curves, as arrays of shape (1,)."""
        *normals, fraction = np.array([astuple(self)], dtype=np.float64).T
        return *_curves.standardise(*normals), logit(fraction)

    def _thresholds(self, n_points: int) -> Floats:
        """Return quantiles of both distributions, ascending from -inf to inf."""
        n_points = check_integer(n_points, "n_points", 2, _MAX_CURVE_POINTS)
        # Chebyshev nodes of probabilities, which are denser towards 0 and 1.
        deviates = ndtri((1 - np.cos(np.linspace(0, np.pi, n_points))) / 2)
        return np.union1d(
            self.mean_negative + self.sd_negative * deviates,
            self.mean_positive + self.sd_positive * deviates,
        )


def estimate_model(
    negative: ScoreMoments, positive: ScoreMoments, positive_fraction: float | None
) -> BinormalModel:
    """Return the fitted model, by default with the samples' fraction of positives."""
    if positive_fraction is None:
        positive_fraction = positive.n / (negative.n + positive.n)
    return BinormalModel(
        negative.mean, negative.sd, positive.mean, positive.sd, positive_fraction
    )


def binormal_roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    n_points: int = 201,
) -> tuple[Floats, Floats, Floats]:
    r"""Compute a smooth ROC curve, assuming normal scores in both classes.

    It has the points :math:`(\Phi((\mu_N - t) / \sigma_N), \Phi((\mu_P - t) /
    \sigma_P))` for all thresholds t.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As for :meth:`BinormalModel.fit`.
    n_points : int, default=201
        Number of quantiles of each class used as thresholds, 2 or more.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_thresholds,)
        False- and true-positive rates, ascending from 0 to 1.
    thresholds : ndarray of shape (n_thresholds,)
        Descending from inf to -inf.

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :meth:`BinormalModel.fit` and
        :meth:`BinormalModel.roc_curve`.

    Warns
    -----
    BinormalAssumptionWarning
        If the scores are clearly not normal.

    See Also
    --------
    sklearn.metrics.roc_curve : The empirical curve.
    BinormalModel : The same from the four parameters, and the source of the formulas.

    Examples
    --------
    >>> from skpostbac.binormal import binormal_roc_curve
    >>> fpr, tpr, thresholds = binormal_roc_curve(
    ...     [0, 0, 0, 1, 1], [-3, -1, -2, 0, 2], n_points=3
    ... )
    >>> fpr
    array([0.    , 0.0013, 0.5   , 1.    ])
    >>> tpr
    array([0.   , 0.5  , 0.983, 1.   ])
    """
    model = BinormalModel.fit(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
    )
    return model.roc_curve(n_points=n_points)


def binormal_precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    positive_fraction: float | None = None,
    n_points: int = 201,
) -> tuple[Floats, Floats, Floats]:
    r"""Compute a smooth precision-recall curve, assuming normal scores in both classes.

    At a threshold t the recall is :math:`R = \Phi((\mu_P - t) / \sigma_P)`, and with a
    fraction :math:`\alpha` of positives the precision is :math:`\alpha R / (\alpha R +
    (1 - \alpha) \Phi((\mu_N - t) / \sigma_N))`.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, positive_fraction
        As for :meth:`BinormalModel.fit`.
    n_points : int, default=201
        Number of quantiles of each class used as thresholds, 2 or more.

    Returns
    -------
    precision, recall : ndarray of shape (n_thresholds + 1,)
        Recall descends from 1 to 0. The last point is the limit towards recall 0.
    thresholds : ndarray of shape (n_thresholds,)
        Ascending from -inf.

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :meth:`BinormalModel.fit` and
        :meth:`BinormalModel.precision_recall_curve`.

    Warns
    -----
    BinormalAssumptionWarning
        If the scores are clearly not normal.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : The empirical curve.
    BinormalModel : The same from the four parameters, and the source of the formulas.

    Examples
    --------
    >>> from skpostbac.binormal import binormal_precision_recall_curve
    >>> precision, recall, thresholds = binormal_precision_recall_curve(
    ...     [0, 0, 0, 1, 1], [-3, -1, -2, 0, 2], positive_fraction=0.1, n_points=3
    ... )
    >>> precision
    array([0.1  , 0.179, 0.976, 1.   ])
    >>> recall
    array([1.   , 0.983, 0.5  , 0.   ])
    """
    model = BinormalModel.fit(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        positive_fraction=positive_fraction,
    )
    return model.precision_recall_curve(n_points=n_points)


def binormal_roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Compute the area under the ROC curve, assuming normal scores in both classes.

    It is :math:`\Phi((\mu_P - \mu_N) / \sqrt{\sigma_P^2 + \sigma_N^2})`, with the
    sample means and variances.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As for :meth:`BinormalModel.fit`.

    Returns
    -------
    area : float
        In [0, 1], in closed form.

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :meth:`BinormalModel.fit`.

    Warns
    -----
    BinormalAssumptionWarning
        If the scores are clearly not normal.

    See Also
    --------
    make_binormal_scorer : The scorer for model selection.
    sklearn.metrics.roc_auc_score : The area under the empirical curve.
    BinormalModel : The same from the four parameters, and the source of the formula.

    Examples
    --------
    >>> from skpostbac.binormal import binormal_roc_auc_score
    >>> binormal_roc_auc_score([0, 0, 0, 1, 1], [-3, -1, -2, 0, 2])
    0.9584
    """
    model = BinormalModel.fit(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
    )
    return model.roc_auc()


def binormal_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    positive_fraction: float | None = None,
) -> float:
    """Compute the area under the precision-recall curve, assuming normal scores.

    It is the integral of the precision over the recall, by quadrature.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, positive_fraction
        As for :meth:`BinormalModel.fit`.

    Returns
    -------
    area : float
        In (0, 1], with a relative error below 1e-10.

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :meth:`BinormalModel.fit`.

    Warns
    -----
    BinormalAssumptionWarning
        If the scores are clearly not normal.

    See Also
    --------
    make_binormal_scorer : The scorer for model selection.
    sklearn.metrics.average_precision_score : The area under the empirical curve.
    BinormalModel : The same from the four parameters, and the source of the formula.

    Examples
    --------
    >>> from skpostbac.binormal import binormal_average_precision_score
    >>> binormal_average_precision_score([0, 0, 0, 1, 1], [-3, -1, -2, 0, 2])
    0.952
    >>> binormal_average_precision_score(
    ...     [0, 0, 0, 1, 1], [-3, -1, -2, 0, 2], positive_fraction=0.01
    ... )
    0.640
    """
    model = BinormalModel.fit(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        positive_fraction=positive_fraction,
    )
    return model.average_precision()


def make_binormal_scorer(
    metric: str = "roc_auc",
    *,
    pos_label: Any = None,
    positive_fraction: float | None = None,
) -> Any:
    """Make a scorer of an area under a binormal curve, for `scoring=`.

    Parameters
    ----------
    metric : {"roc_auc", "average_precision"}, default="roc_auc"
        Area to score.
    pos_label : int, float, bool or str, default=None
        Label of the positive class; 1 by default, if the labels are {0, 1} or {-1, 1}.
    positive_fraction : float, default=None
        Fraction of positives, in (0, 1), for "average_precision" only; by default that
        of each test set.

    Returns
    -------
    scorer : callable
        Scorer made by :func:`sklearn.metrics.make_scorer`. It scores the
        `decision_function` of a classifier, or else its `predict_proba`, whose
        probabilities are rarely normal. A test set with fewer than two different scores
        in a class is an error.

    Raises
    ------
    ValueError
        If `metric` is unknown; if `positive_fraction` is not in (0, 1), or is given for
        the area under the ROC curve, which does not depend on it.

    Warns
    -----
    BinormalAssumptionWarning
        By the scorer, for each test set whose scores are clearly not normal.

    See Also
    --------
    binormal_roc_auc_score, binormal_average_precision_score : The score functions.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from sklearn.model_selection import cross_val_score
    >>> from skpostbac.binormal import make_binormal_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_binormal_scorer("average_precision", positive_fraction=0.1)
    >>> cross_val_score(LinearDiscriminantAnalysis(), X[:, :2], y, scoring=scorer, cv=3)
    array([0.55, 0.57, 0.71])
    """
    scores = {
        "roc_auc": binormal_roc_auc_score,
        "average_precision": binormal_average_precision_score,
    }
    check_choice(metric, scores, "metric")

    options = {"pos_label": pos_label}
    if positive_fraction is not None:
        if metric == "roc_auc":
            raise ValueError(
                "positive_fraction is for average_precision: roc_auc does not use it"
            )
        options["positive_fraction"] = check_probability(
            positive_fraction, "positive_fraction"
        )

    responses = ("decision_function", "predict_proba")
    return make_named_scorer(scores[metric], response_method=responses, **options)
