"""Posterior of the binormal model: what scores say of its curves and the areas under them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit, ndtr, ndtri

from skpostbac._utils import (
    Floats,
    FrozenArrays,
    RandomStateLike,
    StablePickle,
    block,
    check_n_draws,
    check_probability,
    check_proportion,
    check_seed,
    describe_estimate,
    draw_seed,
    first,
    float_array,
    format_estimate,
    format_share,
    paragraphs,
    shown,
    table,
)
from skpostbac.binormal import _curves
from skpostbac.binormal._check import checked_scores
from skpostbac.binormal._model import estimate_model
from skpostbac.binormal._scores import (
    ClassScores,
    EmpiricalAreas,
    ScoreMoments,
    check_finite,
    empirical_areas,
)
from skpostbac.metrics import (
    PosteriorRankingMetric,
    posterior_average_precision,
    posterior_roc_auc,
)
from skpostbac.metrics._counts import (
    format_count,
)
from skpostbac.stats._distribution import (
    DrawnDistribution,
    central_tails,
    describe,
    estimate_rows,
    figures_of,
    interval_of,
)

# The ends of a 95% interval then have an error of 1 % of its width, if the posterior is normal.
N_DRAWS = 4000
# Points of a band in a view.
SHOWN_POINTS = 9
NAMES = {"roc_auc": "Area under the ROC curve", "average_precision": "Average precision"}


@dataclass(frozen=True, eq=False, repr=False)
class CurveBand(FrozenArrays):
    """Pointwise credible band of a curve.

    Returned by functions; its fields are not checked.

    Examples
    --------
    >>> from skpostbac.binormal import posterior_binormal
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
    >>> band = posterior_binormal(y_true, y_score, random_state=0).roc_band(fpr=[0, 0.5, 1])
    >>> band
    CurveBand(n_points=3)
    >>> band.x
    array([0. , 0.5, 1. ])
    >>> [bool(band.low[1] < 0.9), bool(band.high[1] > 0.9)]
    [True, True]
    """

    x: Floats
    """False-positive rates, or recalls."""
    median: Floats
    """Posterior median of the true-positive rate, or of the precision, at each."""
    low: Floats
    """Lower end of the central credible interval at each."""
    high: Floats
    """Upper end."""

    def table(self) -> dict[str, Floats]:
        """Return the band as a dict of columns.

        Returns
        -------
        columns : dict of str to ndarray of shape (n_points,)
            "x", "median", "low" and "high".
        """
        return dict(vars(self))

    def _repr_html_(self) -> str:
        shown = np.unique(np.linspace(0, self.x.size - 1, SHOWN_POINTS).astype(int))
        values = np.transpose(list(self.table().values()))[shown].tolist()
        return block(
            repr(self), table(list(self.table()), [[*map(format_share, row)] for row in values])
        )

    def __repr__(self) -> str:
        return f"CurveBand(n_points={self.x.size})"


@dataclass(frozen=True, eq=False, repr=False)
class BinormalDraws(FrozenArrays):
    """Draws from the posterior of the parameters, each of shape (n_draws,).

    Returned by functions; its fields are not checked.

    Examples
    --------
    >>> from skpostbac.binormal import posterior_binormal
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
    >>> draws = posterior_binormal(y_true, y_score, random_state=0).parameters
    >>> draws
    BinormalDraws(n_draws=4000)
    >>> draws.sd_negative.shape
    (4000,)
    >>> bool((draws.sd_negative > 0).all())
    True
    """

    mean_negative: Floats
    sd_negative: Floats
    mean_positive: Floats
    sd_positive: Floats
    positive_fraction: Floats

    def _repr_html_(self) -> str:
        draws = {name: DrawnDistribution(values) for name, values in vars(self).items()}
        header = ("parameter", "mean", "95% CI")
        return block(repr(self), table(header, estimate_rows(draws)))

    def __repr__(self) -> str:
        return f"BinormalDraws(n_draws={self.mean_negative.size})"


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorBinormal(StablePickle):
    r"""Posterior distribution of a :class:`BinormalModel`, given the scores of both classes.

    Each class has the reference prior of a normal distribution, :math:`p(\mu, \sigma^2) \propto
    1/\sigma^2`. For n scores with mean :math:`\bar x` and variance :math:`s^2`, the posterior is
    normal-inverse-gamma: :math:`(n - 1) s^2 / \sigma^2` is chi-squared with n - 1 degrees of
    freedom, and :math:`\mu` given :math:`\sigma` is :math:`N(\bar x, \sigma^2 / n)` ([1]_, section
    3.2). The draws are independent. Created by :func:`posterior_binormal`.

    Attributes
    ----------
    negative, positive : ScoreMoments
        Number, mean and standard deviation of the scores of each class.
    positive_fraction : float or None
        Known fraction of positives, in (0, 1). None if it is unknown; its posterior is then Beta(1
        + n_positive, 1 + n_negative), from a uniform prior. This is valid for a random sample of
        the population, not for fixed class sizes.
    n_draws : int
        Number of random draws.
    seed : int
        Seed of the draws: equal posteriors have equal draws.
    empirical : EmpiricalAreas or None
        Areas under the empirical curves, for comparison; with `positive_fraction`, the samples are
        weighted to this fraction of positives. None if the scores are not known.
    scores : tuple of two ClassScores or None
        Values and weights of the negatives and the positives, for :attr:`without_model`.

    Raises
    ------
    ValueError
        If a class has less than two samples, a mean that is not finite, or a standard deviation
        that is not finite and positive; if the scales of the classes are too different for
        floating-point numbers; if `positive_fraction` is not in (0, 1), `n_draws` is less than 2,
        `seed` is negative, or an empirical area is not in [0, 1].
    TypeError
        If `n_draws` or `seed` is not an integer.

    References
    ----------
    .. [1] A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari and D. B. Rubin (2013).
       Bayesian Data Analysis, 3rd edition. CRC Press.

    Examples
    --------
    >>> from skpostbac.binormal import posterior_binormal
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
    >>> posterior = posterior_binormal(y_true, y_score, random_state=0)
    >>> posterior
    PosteriorBinormal(roc_auc=0.835, 95% CI=[0.434, 1.000], empirical=0.958, n_negative=4,
        n_positive=3, n_draws=4000)
    >>> posterior.negative
    ScoreMoments(n=4.0, mean=-1.5, sd=1.291)
    """

    negative: ScoreMoments
    positive: ScoreMoments
    positive_fraction: float | None = None
    n_draws: int = N_DRAWS
    seed: int = 0
    empirical: EmpiricalAreas | None = None
    scores: tuple[ClassScores, ClassScores] | None = None

    def __post_init__(self) -> None:
        for name in ("negative", "positive"):
            sample = getattr(self, name)
            if not isinstance(sample, ScoreMoments):
                raise ValueError(f"{name} must be ScoreMoments, got {shown(sample)}")
            for field, value in sample._asdict().items():
                check_finite(value, f"{name}.{field}", positive=field == "sd")
            if sample.n < 2:
                raise ValueError(f"{name}.n must be at least 2, got {sample.n!r}")
        if self.positive_fraction is not None:
            fraction = check_probability(self.positive_fraction, "positive_fraction")
            object.__setattr__(self, "positive_fraction", fraction)
        check_n_draws(self.n_draws, 2)
        check_seed(self.seed, "seed")
        if self.empirical is not None:
            areas: Any = self.empirical
            if not isinstance(areas, EmpiricalAreas):
                raise ValueError(f"empirical must be EmpiricalAreas or None, got {shown(areas)}")
            for name, value in areas._asdict().items():
                check_proportion(value, f"empirical.{name}")
        estimate_model(self.negative, self.positive, self.positive_fraction)

    @cached_property
    def parameters(self) -> BinormalDraws:
        """Draws of the parameters, read-only."""
        rng, size = np.random.default_rng(self.seed), self.n_draws
        columns = []
        for n, mean, sd in (self.negative, self.positive):
            sds = sd * np.sqrt((n - 1) / rng.chisquare(n - 1, size))
            columns += [rng.normal(mean, sds / np.sqrt(n)), sds]
        if self.positive_fraction is None:
            fraction = rng.beta(1 + self.positive.n, 1 + self.negative.n, size)
        else:
            fraction = np.full(size, self.positive_fraction, dtype=np.float64)
        mean_negative, sd_negative, mean_positive, sd_positive = columns
        return BinormalDraws(mean_negative, sd_negative, mean_positive, sd_positive, fraction)

    def roc_auc(self) -> DrawnDistribution:
        """Return the posterior of the area under the ROC curve."""
        return DrawnDistribution(_curves.roc_auc(*self._arguments[:2]))

    def average_precision(self) -> DrawnDistribution:
        """Return the posterior of the area under the precision-recall curve."""
        return self._average_precision

    @cached_property
    def without_model(self) -> tuple[PosteriorRankingMetric, PosteriorRankingMetric] | None:
        """Posteriors of both areas that do not assume normal scores; None without `scores`."""
        if self.scores is None:
            return None
        values, weights = map(np.concatenate, zip(*self.scores, strict=True))
        y_true = np.repeat([0, 1], [len(one.values) for one in self.scores])
        options: Any = {"sample_weight": weights, "weight_type": "case", "random_state": self.seed}
        share: Any = "sampled" if self.positive_fraction is None else self.positive_fraction
        return (
            posterior_roc_auc(y_true, values, **options),
            posterior_average_precision(y_true, values, prevalence=share, **options),
        )

    @cached_property
    def _average_precision(self) -> DrawnDistribution:
        # An integral for each draw, which takes longer than anything else here.
        return DrawnDistribution(_curves.average_precision(*self._arguments))

    def roc_band(self, level: float = 0.95, *, fpr: ArrayLike | None = None) -> CurveBand:
        """Return a pointwise credible band of the ROC curve.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval at each point, in (0, 1). The whole curve lies in the band
            with a smaller probability.
        fpr : array-like of shape (n_points,), default=None
            False-positive rates, in [0, 1]; by default 0, 0.01, ..., 1.

        Returns
        -------
        band : CurveBand
            Of the true-positive rate at each.

        Raises
        ------
        ValueError
            If `level` or a rate is out of range.

        Examples
        --------
        >>> from skpostbac.binormal import posterior_binormal
        >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
        >>> posterior = posterior_binormal(y_true, y_score, random_state=0)
        >>> band = posterior.roc_band(fpr=[0, 0.1, 1])
        >>> bool(band.low[1] < band.median[1] < band.high[1])
        True
        """
        shift, ratio, _ = (values[:, np.newaxis] for values in self._arguments)
        return _band(fpr, "fpr", lambda fpr: ndtr((shift + ndtri(fpr)) / ratio), level)

    def precision_recall_band(
        self, level: float = 0.95, *, recall: ArrayLike | None = None
    ) -> CurveBand:
        """Return a pointwise credible band of the precision-recall curve.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval at each point, in (0, 1). The whole curve lies in the band
            with a smaller probability.
        recall : array-like of shape (n_points,), default=None
            Recalls, in [0, 1]; by default 0, 0.01, ..., 1. Precision at 0 is a limit, which is 1 or
            0 in each draw.

        Returns
        -------
        band : CurveBand
            Of the precision at each.

        Raises
        ------
        ValueError
            If `level` or a recall is out of range.

        Examples
        --------
        >>> from skpostbac.binormal import posterior_binormal
        >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
        >>> posterior = posterior_binormal(y_true, y_score, positive_fraction=0.1, random_state=0)
        >>> band = posterior.precision_recall_band(recall=[0.5, 1])
        >>> float(band.median[1])  # all samples are taken for positives
        0.1
        >>> bool(band.low[0] < band.median[0] < band.high[0])
        True
        """
        columns = [values[:, np.newaxis] for values in self._arguments]
        return _band(
            recall, "recall", lambda recall: _curves.precision(ndtri(recall), *columns), level
        )

    @property
    def _arguments(self) -> tuple[Floats, Floats, Floats]:
        """What the curves depend on: shift, ratio and log-odds of each draw."""
        draws = self.parameters
        shift, ratio = _curves.standardise(
            draws.mean_negative, draws.sd_negative, draws.mean_positive, draws.sd_positive
        )
        return shift, ratio, logit(draws.positive_fraction)

    def summary(self, level: float = 0.95) -> list[dict[str, str | float | None]]:
        """Return summary statistics of both areas, as a list of records.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        rows : list of dict
            For "roc_auc" and "average_precision": "name", "mean", "median", "standard_deviation",
            "low" and "high" (ends of the credible interval), "level", and
            "empirical" (area under the empirical curve, None if the scores are not known). Pass it
            to ``pandas.DataFrame``.

        Raises
        ------
        ValueError
            If `level` is outside (0, 1).

        Examples
        --------
        >>> from skpostbac.binormal import posterior_binormal
        >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
        >>> posterior = posterior_binormal(y_true, y_score, random_state=0)
        >>> for row in posterior.summary():
        ...     print("{name}: {mean:.3f}, empirical {empirical:.3f}".format(**row))
        roc_auc: 0.835, empirical 0.958
        average_precision: 0.786, empirical 0.917
        """
        return [
            {"name": key, **figures_of(area, level), "empirical": empirical}
            for key, _, area, empirical in self._areas()
        ]

    def _areas(self) -> list[tuple[str, str, DrawnDistribution, float | None]]:
        """Return the key, the name, the posterior and the empirical value of each area."""
        keys, names = zip(*NAMES.items(), strict=True)
        posteriors = self.roc_auc(), self.average_precision()
        return list(zip(keys, names, posteriors, self.empirical or (None, None), strict=True))

    def report(self, level: float = 0.95) -> str:
        """Return a text report on the areas by the model, without a model and in the samples.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        sentences : str
            One sentence per line.

        Raises
        ------
        ValueError
            If `level` is outside (0, 1).

        Examples
        --------
        >>> from skpostbac.binormal import posterior_binormal
        >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
        >>> print(posterior_binormal(y_true, y_score, random_state=0).report())
        From the scores of 4 negatives and 3 positives:
        Area under the ROC curve: 0.835 (95% credible interval 0.434 to 1.000) by the binormal
          model, 0.776 (95% credible interval 0.384 to 0.998) without a model, 0.958 in the samples.
        Average precision: 0.786 (95% credible interval 0.306 to 1.000) by the binormal model, 0.735
          (95% credible interval 0.313 to 0.997) without a model, 0.917 in the samples.
        """
        n_negative, n_positive = format_count(self.negative.n), format_count(self.positive.n)
        text = f"From the scores of {n_negative} negatives and {n_positive} positives"
        if self.positive_fraction is not None:
            text += f", for a population with {100 * self.positive_fraction:.4g}% positives"
        lines = [text + ":"]
        others = self.without_model or (None, None)
        for (_, name, area, empirical), other in zip(self._areas(), others, strict=True):
            interval = interval_of(area, level)
            estimate = describe_estimate(area.mean(), interval, level)
            line = f"{name}: {estimate} by the binormal model"
            if other is not None:
                line += f", {describe(other.distribution, level)} without a model"
            if empirical is not None:
                line += f", {empirical:.3f} in the samples"
                if not interval.low <= empirical <= interval.high:
                    lines.append(f"{line}.")
                    line = "The value in the samples is outside the interval of the model"
            lines.append(f"{line}.")
        return paragraphs(*lines)

    def __str__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        areas = self._areas()
        observed = ["" if value is None else f"{value:.3f}" for *_, value in areas]
        estimates = estimate_rows({name: area for _, name, area, _ in areas})
        rows = [(*row, value) for row, value in zip(estimates, observed, strict=True)]
        return block(repr(self), table(("", "mean", "95% CI", "empirical"), rows))

    def __repr__(self) -> str:
        area = self.roc_auc()
        mean, interval = format_estimate(area.mean(), interval_of(area, 0.95))
        facts = [f"roc_auc={mean}", f"95% CI={interval}"]
        if self.empirical is not None:
            facts.append(f"empirical={self.empirical.roc_auc:.3f}")
        facts += [f"n_negative={self.negative.n:g}", f"n_positive={self.positive.n:g}"]
        if self.positive_fraction is not None:
            facts.append(f"positive_fraction={self.positive_fraction:g}")
        return f"PosteriorBinormal({', '.join(facts)}, n_draws={self.n_draws})"


def posterior_binormal(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    positive_fraction: float | None = None,
    n_draws: int = N_DRAWS,
    random_state: RandomStateLike = 0,
) -> PosteriorBinormal:
    r"""Compute the posterior of the binormal model of scores.

    The scores of each class are assumed normal ([1]_), with the reference prior :math:`p(\mu,
    \sigma^2) \propto 1/\sigma^2`. The parameters are drawn from the posterior, which is
    normal-inverse-gamma ([2]_, section 3.2).

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As for :meth:`BinormalModel.fit`. The scale of the weights matters: they are case counts.
    positive_fraction : float, default=None
        Fraction of positives in the target population, in (0, 1). By default it is estimated from
        the samples with a uniform prior.
    n_draws : int, default=4000
        Number of random draws, 2 or more.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws. Results are reproducible by default; None stands for fresh entropy.

    Returns
    -------
    posterior : PosteriorBinormal

    Raises
    ------
    ValueError, TypeError
        If `n_draws` is not an integer of at least 2, or for the reasons listed in
        :meth:`BinormalModel.fit`.

    Warns
    -----
    BinormalAssumptionWarning
        If the scores are clearly not normal.

    See Also
    --------
    BinormalModel : The curves of known, or estimated, parameters.
    binormal_check : Whether the scores look normal.

    References
    ----------
    .. [1] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The binormal
       assumption on precision-recall curves. Proceedings of the 20th International Conference on
       Pattern Recognition.
    .. [2] A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari and D. B. Rubin (2013).
       Bayesian Data Analysis, 3rd edition. CRC Press.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from sklearn.model_selection import cross_val_predict
    >>> from skpostbac.binormal import posterior_binormal
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> y_score = cross_val_predict(
    ...     LinearDiscriminantAnalysis(), X[:, :2], y, method="decision_function"
    ... )
    >>> posterior_binormal(y, y_score, random_state=0).roc_auc()
    DrawnDistribution(mean=0.94, 95% CI=[0.92, 0.96], n_draws=4000)
    """
    if positive_fraction is not None:
        check_probability(positive_fraction, "positive_fraction")
    n_draws = check_n_draws(n_draws, 2)
    negative, positive = checked_scores(y_true, y_score, pos_label, sample_weight)
    seed = draw_seed(random_state)
    return PosteriorBinormal(
        negative.moments(),
        positive.moments(),
        positive_fraction,
        n_draws,
        seed,
        empirical_areas(negative, positive, positive_fraction),
        (negative, positive),
    )


def _band(
    given: ArrayLike | None, name: str, curves: Callable[[Floats], Floats], level: float
) -> CurveBand:
    """Summarise curves, one for each draw, at some rates."""
    rates = np.linspace(0, 1, 101) if given is None else float_array(given, name)
    if rates.ndim != 1:
        raise ValueError(f"{name} must be 1-dimensional, got an array of shape {rates.shape}")
    if (bad := ~((rates >= 0) & (rates <= 1))).any():
        raise ValueError(f"{name} must be in [0, 1], got {first(rates, bad)}")
    low, high, median = np.quantile(curves(rates), [*central_tails(level), 0.5], axis=0)
    return CurveBand(rates, median, low, high)
