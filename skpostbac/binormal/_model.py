"""Smooth ROC and precision-recall curves of normal scores, and the areas under them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from math import hypot, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_ndtr, logit, ndtr, ndtri
from sklearn.metrics import average_precision_score, roc_auc_score

from skpostbac._utils import (
    Floats,
    Indices,
    check_integer,
    check_probability,
    float_or_nan,
    shown,
    user_stacklevel,
)
from skpostbac.binormal._check import (
    BinormalAssumptionWarning,
    broken_assumption,
    split_scores,
)
from skpostbac.stats._numerics import integrate

# A curve with more points would need gigabytes of memory.
_MAX_CURVE_POINTS = 10**8

# Edges of the integration over recall, as normal deviates. Beyond 9 there is a fraction
# of 1e-19 of the recall, with a precision of at most twice that at a deviate of 0. The
# lower tail counts until the normal density underflows at -39, since precision may be
# large there and tiny elsewhere.
_RECALL_EDGES = np.array([-39.0, -18.0, -9.0, -6.0, -3.0, 0.0, 3.0, 6.0, 9.0])

# Deviates of the false-positive rate, from where it underflows to almost 1. They are
# further edges: precision may drop from 1 to 0 within this range, more steeply further
# out, and over a short range of recall if the ratio of standard deviations is large.
_FPR_EDGES = np.arange(-39.0, 7.0, 3.0)


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
    binormal_check : Test whether the scores are normal.
    skpostbac.posterior_roc_auc : Credible interval of the area for any scores.
    skpostbac.posterior_average_precision : The same of the average precision.

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
            value = getattr(self, name)
            number = float_or_nan(value)
            if not isfinite(number):
                raise ValueError(f"{name} must be a finite number, got {shown(value)}")
            if name.startswith("sd") and number <= 0:
                raise ValueError(f"{name} must be positive, got {number!r}")
            object.__setattr__(self, name, number)
        fraction = check_probability(self.positive_fraction, "positive_fraction")
        object.__setattr__(self, "positive_fraction", fraction)

        if not (isfinite(self._shift) and 0 < self._ratio < np.inf):
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
        classes = split_scores(y_true, y_score, pos_label, sample_weight)
        sizes = [weight.sum() for _, weight in classes]
        moments = []
        for (values, weight), size in zip(classes, sizes, strict=True):
            mean = weight @ values / size
            deviations = values - mean
            # So that squares neither overflow nor vanish.
            scale = np.abs(deviations).max()
            variance = weight @ (deviations / scale) ** 2 / (size - 1)
            moments.append((mean, scale * np.sqrt(variance)))

        model = cls(*moments[0], *moments[1], sizes[1] / sum(sizes))
        reason = broken_assumption(
            [values for values, _ in classes], lambda: model._difference(*classes)
        )
        if reason is not None:
            category = BinormalAssumptionWarning
            warnings.warn(reason, category, stacklevel=user_stacklevel())
        if positive_fraction is None:
            return model
        return replace(model, positive_fraction=positive_fraction)

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
        return self._precision(deviates), ndtr(deviates), thresholds[:-1]

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
        return float(ndtr(self._shift / hypot(1, self._ratio)))

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

        def integrand(_: Indices, u: Floats) -> Floats:
            density: Floats = np.exp(-u * u / 2) / np.sqrt(2 * np.pi)
            return density * self._precision(u)

        fpr_edges = (self._shift + _FPR_EDGES) / self._ratio
        fpr_edges = fpr_edges.clip(_RECALL_EDGES[0], _RECALL_EDGES[-1])
        edges = np.sort(np.append(_RECALL_EDGES, fpr_edges))
        return integrate(integrand, edges[np.newaxis]).item()

    # The curves depend on the two distributions through `_shift` and `_ratio` only: at
    # the threshold with a true-positive rate of Phi(u), the false-positive rate is
    # Phi(ratio u - shift).

    @property
    def _shift(self) -> float:
        """Difference of the means in standard deviations of the negatives."""
        return (self.mean_positive - self.mean_negative) / self.sd_negative

    @property
    def _ratio(self) -> float:
        """Standard deviation of the positives over that of the negatives."""
        return self.sd_positive / self.sd_negative

    def _precision(self, deviate: Floats) -> Floats:
        """Return the precision where recall is Phi(deviate); at -inf, its limit.

        It is computed from the logarithms of both rates, since in the tails the rates
        underflow, but not their quotient.
        """
        fpr_deviate = self._ratio * deviate - self._shift
        with np.errstate(invalid="ignore"):  # inf - inf, replaced by the limit
            log_ratio = log_ndtr(deviate) - log_ndtr(fpr_deviate)

        # As recall tends to 0, the class with the larger standard deviation dominates,
        # or in a tie, that with the larger mean.
        dominance = self._shift if self._ratio == 1 else self._ratio - 1
        limit = 0 if dominance == 0 else np.copysign(np.inf, dominance)
        log_ratio = np.where(np.isneginf(deviate), limit, log_ratio)
        return np.asarray(expit(logit(self.positive_fraction) + log_ratio))

    def _difference(self, *classes: tuple[Floats, Floats]) -> float:
        """Return the larger difference of both areas from the empirical ones.

        `classes` are the scores and the weights of negatives and positives.
        """
        y_score, weight = map(np.concatenate, zip(*classes, strict=True))
        y_true = np.repeat([0, 1], [len(values) for values, _ in classes])
        areas = {
            roc_auc_score: self.roc_auc(),
            average_precision_score: self.average_precision(),
        }
        return max(
            abs(area - float(score(y_true, y_score, sample_weight=weight)))
            for score, area in areas.items()
        )

    def _thresholds(self, n_points: int) -> Floats:
        """Return quantiles of both distributions, ascending from -inf to inf."""
        n_points = check_integer(n_points, "n_points", 2, _MAX_CURVE_POINTS)
        # Chebyshev nodes of probabilities, which are denser towards 0 and 1.
        deviates = ndtri((1 - np.cos(np.linspace(0, np.pi, n_points))) / 2)
        return np.union1d(
            self.mean_negative + self.sd_negative * deviates,
            self.mean_positive + self.sd_positive * deviates,
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
    skpostbac.posterior_roc_auc : A credible interval, for scores of any distribution.
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
    skpostbac.posterior_average_precision : A credible interval, for scores of any
        distribution.
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
