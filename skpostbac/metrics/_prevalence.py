"""Prevalence (share of positives) measured by an imperfect judge.

A judge who calls positives positive with probability q1 (sensitivity) and negatives
negative with probability q0 (specificity) calls the share

    p = theta q1 + (1 - theta) (1 - q0)

positive, if theta is the true share (Rogan and Gladen, American Journal of Epidemiology
107, 1978). So theta = (p + q0 - 1) / (q0 + q1 - 1), and for a judge better than
guessing, q0 + q1 > 1,

    P(theta <= t) = P(p + (1 - t) q0 - t q1 <= 1 - t),

the distribution function of a weighted sum of three independent Betas. Values outside
[0, 1] contradict the counts of the judge and are excluded. If the judge may be
guessing, q0 + q1 <= 1 is excluded as well, and the share is computed by random draws.
So are differences of two shares with the same q0 and q1, both of which must be in
[0, 1].
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    FrozenArrays,
    shown,
    table,
    user_stacklevel,
)
from skpostbac.metrics._posterior import (
    ScalarPosterior,
)
from skpostbac.metrics._prior import (
    DEFAULT_PRIOR,
    PriorLike,
    make_prior,
)
from skpostbac.metrics._validated_prevalence import (
    PosteriorValidatedPrevalence,
    check_fraction,
)
from skpostbac.stats import BetaAverage, ShiftedDistribution
from skpostbac.stats._distribution import DrawnDistribution, describe, estimate_rows
from skpostbac.stats._several import PanelDistribution, resolve

# A judge who is no better than guessing with more than this probability tells next to
# nothing.
_USELESS = 0.01
# More of the distribution than this outside [0, 1] contradicts the judge's own counts.
_CONTRADICTION = 0.95
# A judge who guesses with more than this probability asks for draws; so many of them,
# of a fixed seed, are good to about 0.001 of a probability.
_SURE = 1e-6
_N_FALLBACK_DRAWS = 400_000
# With less probability than this within [0, 1], or fewer draws, no share goes with the
# counts.
_LEAST_EFFECTIVE = 1e-6
_FEWEST = 1000
# Accuracy of the distribution function, and the panels that it may take.
_CDF_ERROR = 1e-8
_MOST_PANELS = 24
_SAME_ERRORS = (
    "This assumes that the judge has the same sensitivity and specificity on both."
)
# Draws whose range is divided into the first panels, so many of them.
_PILOTS = 10_000
_PANELS = 4


class JudgeWarning(UserWarning):
    """The judge may be guessing, or the calls contradict the gold samples."""


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorPrevalence(ScalarPosterior, FrozenArrays):
    """Posterior of a prevalence measured by an imperfect judge.

    Made by :func:`~skpostbac.posterior_prevalence`. Intervals and quantiles take
    seconds if nearly all calls are alike and the judge made no errors on the gold
    samples.

    Attributes
    ----------
    positives, total : float
        Number of samples that the judge called positive, and number of judged samples.
    sensitivity, specificity : ndarray of shape (2,)
        Correct calls and total, for the gold positives and for the gold negatives.
    prior : BetaPrior
        Prior of the share of positive calls, the sensitivity and the specificity.

    Raises
    ------
    ValueError
        If counts are out of range, or the prior is not a Beta distribution.

    Notes
    -----
    The summary also has "positives", "total" and "prob_outside", the probability of
    shares below 0 or above 1, which are excluded.

    Examples
    --------
    >>> from skpostbac import posterior_prevalence
    >>> posterior = posterior_prevalence(
    ...     130, 200, sensitivity=(27, 30), specificity=(24, 30)
    ... )
    >>> posterior
    PosteriorPrevalence(mean=0.649, 95% CI=[0.476, 0.833], outside=0.002, n=200)
    >>> print(posterior.report())
    The share of positives is 0.649 (95% credible interval 0.476 to 0.833); the judge
    called 130 of 200 positive.
    Sensitivity + specificity - 1 of the judge is 0.677 (95% credible interval 0.481 to
        0.847).
    """

    positives: float
    total: float
    sensitivity: Floats
    specificity: Floats
    prior: Any = DEFAULT_PRIOR

    def __post_init__(self) -> None:
        for name in ("sensitivity", "specificity"):
            object.__setattr__(self, name, check_fraction(getattr(self, name), name))
        calls = check_fraction((self.positives, self.total), "positives and total")
        # Each proportion is one by itself.
        prior = make_prior(self.prior, 2).alone()
        pairs = {
            "total": calls,
            "sensitivity": self.sensitivity,
            "specificity": self.specificity,
        }
        for name, pair in pairs.items():
            prior.check_total(np.full(2, pair[1]), name)
        positives, total = calls.tolist()
        vars(self).update(positives=positives, total=total, prior=prior)
        super().__post_init__()

    score_name = "Prevalence"
    _name = "share of positives"
    _tested = "system"

    @property
    def _betas(self) -> Floats:
        """Parameters a and b of p, specificity and sensitivity, shape (3, 2)."""
        called = np.array([self.positives, self.total])
        hits, total = np.stack([called, self.specificity, self.sensitivity], axis=-1)
        return np.stack(
            [self.prior.a[0] + hits, self.prior.b[0] + (total - hits)], axis=-1
        )

    def _cdf(self, t: Floats) -> Floats:
        """Return P(theta <= t) of a judge better than guessing, also beyond [0, 1]."""
        a, b = self._betas.T
        weights = np.stack([np.ones_like(t), 1 - t, -t], axis=-1)
        return np.asarray(BetaAverage(a, b, weights=weights).cdf(1 - t))

    @cached_property
    def _is_sure(self) -> bool:
        """Whether the judge is better than guessing."""
        return bool(self.judge_informedness.cdf(0.0) <= _SURE)

    def _draw_judge(
        self, rng: np.random.Generator, size: int = _N_FALLBACK_DRAWS
    ) -> tuple[Floats, Floats]:
        """Draw the specificity and the sensitivity of a judge better than guessing."""
        q0, q1 = (rng.beta(a, b, size) for a, b in self._betas[1:])
        better = q0 + q1 > 1
        if better.sum() < _FEWEST:
            raise ValueError(
                "sensitivity and specificity are those of a judge who is worse than "
                "guessing: the labels may be swapped"
            )
        return q0[better], q1[better]

    def _draw_shares(self, size: int = _N_FALLBACK_DRAWS) -> Floats:
        """Draw the share, also beyond [0, 1], for a judge better than guessing."""
        rng = np.random.default_rng(0)
        q0, q1 = self._draw_judge(rng, size)
        p = rng.beta(self._betas[0, 0], self._betas[0, 1], q0.size)
        return np.asarray((p + q0 - 1) / (q0 + q1 - 1))

    @cached_property
    def _shares(self) -> Floats:
        return self._draw_shares()

    @cached_property
    def _ends(self) -> tuple[float, float]:
        if not self._is_sure:
            return float((self._shares < 0).mean()), float((self._shares <= 1).mean())
        low, high = self._cdf(np.array([0.0, 1.0])).tolist()
        return low, high

    @property
    def prob_below_zero(self) -> float:
        """Probability of a share below 0, which is excluded."""
        return self._ends[0]

    @property
    def prob_above_one(self) -> float:
        """Probability of a share above 1, which is excluded."""
        return 1 - self._ends[1]

    @cached_property
    def distribution(self) -> PanelDistribution | DrawnDistribution:
        """The distribution in [0, 1], exact to 1e-8; draws if the judge may guess."""
        self._check_possible()
        if not self._is_sure:
            return DrawnDistribution(
                self._shares[(self._shares >= 0) & (self._shares <= 1)]
            )
        below, upto = self._ends
        # The first panels are narrow where some draws of the share are.
        draws = self._draw_shares(_PILOTS)
        low, high = np.clip([draws.min(), draws.max()], 0.0, 1.0)
        beyond = 0.5 * (high - low)
        panels = np.linspace(low, high, _PANELS + 1)
        edges = np.concatenate([[0.0, low - beyond], panels, [high + beyond, 1.0]])
        edges = np.unique(np.clip(edges, 0.0, 1.0))
        return resolve(
            lambda x: np.asarray((self._cdf(x) - below) / (upto - below)),
            edges,
            tolerance=_CDF_ERROR,
            most=_MOST_PANELS,
        )

    def _check_possible(self) -> None:
        """Raise if no share in [0, 1] is compatible with the counts."""
        below, upto = self._ends
        least = _LEAST_EFFECTIVE if self._is_sure else _FEWEST / _N_FALLBACK_DRAWS
        if upto - below < least:
            raise ValueError(
                f"positives: {self.positives:g} of {self.total:g} contradict the "
                "sensitivity and the specificity so much that no share in [0, 1] is "
                "compatible"
            )

    @property
    def judge_informedness(self) -> ShiftedDistribution:
        """Distribution of the judge's informedness, sensitivity + specificity - 1.

        It is 0 for a judge who guesses and 1 for one who never errs. Use it to choose a
        judge.
        """
        a, b = self._betas[1:].T
        return ShiftedDistribution(BetaAverage(a, b, weights=[1.0, 1.0]), -1.0)

    def difference(self, other: PosteriorPrevalence) -> PrevalenceDifference:
        """Return the posterior of this prevalence minus another of the same judge.

        Parameters
        ----------
        other : PosteriorPrevalence
            Prevalence measured by the same judge on other samples, with the same
            sensitivity and specificity.

        Returns
        -------
        difference : PrevalenceDifference
            In [-1, 1]. Both are assumed to share the error rates of the judge, so the
            difference is more certain than for independent measurements. It is wrong if
            the judge errs more often on one of two systems: use gold samples of each,
            and compare the two posteriors, or :func:`~skpostbac.compare_outcomes` if
            both have the same items.

        Raises
        ------
        TypeError, ValueError
            If `other` is not such a posterior, or had another judge.

        Examples
        --------
        >>> from skpostbac import posterior_prevalence
        >>> judge = {"sensitivity": (27, 30), "specificity": (24, 30)}
        >>> new = posterior_prevalence(150, 200, **judge)
        >>> old = posterior_prevalence(130, 200, **judge)
        >>> new.difference(old).prob_above(0)
        0.9854
        """
        return PrevalenceDifference(self, other)

    def _more_statistics(self, level: float) -> dict[str, float]:
        return {
            "positives": self.positives,
            "total": self.total,
            "prob_outside": self.prob_below_zero + self.prob_above_one,
        }

    def _sentences(self, level: float) -> list[str]:
        calls = f"the judge called {self.positives:g} of {self.total:g} positive"
        judge = describe(self.judge_informedness, level)
        return [
            f"The share of positives is {self._describe(level)}; {calls}.",
            f"Sensitivity + specificity - 1 of the judge is {judge}.",
        ]

    def _html_tables(self) -> list[str]:
        distributions = {
            "share of positives": self.distribution,
            "sensitivity + specificity - 1 of the judge": self.judge_informedness,
        }
        return [table(("", "mean", "95% CI"), estimate_rows(distributions))]

    def __repr__(self) -> str:
        outside = self.prob_below_zero + self.prob_above_one
        facts = f"outside={outside:.3f}, n={self.total:g}"
        return f"PosteriorPrevalence({self._summary()}, {facts})"


@dataclass(frozen=True, eq=False, repr=False)
class PrevalenceDifference(ScalarPosterior):
    """Posterior of the difference between two prevalences measured by the same judge.

    Made by :meth:`PosteriorPrevalence.difference`. The judge is assumed to have the
    same sensitivity and specificity on both kinds of samples.

    Attributes
    ----------
    first, second : PosteriorPrevalence
        The prevalences; the difference is first minus second.

    Notes
    -----
    The summary also has "prob_greater", the probability of a positive difference.

    Examples
    --------
    >>> from skpostbac import posterior_prevalence
    >>> judge = {"sensitivity": (27, 30), "specificity": (24, 30)}
    >>> new = posterior_prevalence(150, 200, **judge)
    >>> difference = new.difference(posterior_prevalence(130, 200, **judge))
    >>> difference
    PrevalenceDifference(mean=0.148, 95% CI=[0.009, 0.295])
    >>> print(difference)
    The difference of prevalences is 0.148 (95% credible interval 0.009 to 0.295).
    This assumes that the judge has the same sensitivity and specificity on both.
    """

    first: PosteriorPrevalence
    second: PosteriorPrevalence

    def __post_init__(self) -> None:
        if not isinstance(self.second, PosteriorPrevalence):
            raise TypeError(
                f"other must be a PosteriorPrevalence, got {shown(self.second)}"
            )
        if not np.array_equal(self.first._betas[1:], self.second._betas[1:]):
            raise ValueError(
                "other must have the same judge: sensitivity, specificity and prior"
            )

    score_name = "Difference of prevalences"

    @cached_property
    def distribution(self) -> DrawnDistribution:
        """Draws of a fixed seed, with both shares in [0, 1], good to about 0.001."""
        rng = np.random.default_rng(0)
        q0, q1 = self.first._draw_judge(rng)
        betas = self.first._betas[0], self.second._betas[0]
        calls = (rng.beta(a, b, q0.size) for a, b in betas)
        first, second = ((p + q0 - 1) / (q0 + q1 - 1) for p in calls)
        kept = (np.minimum(first, second) >= 0) & (np.maximum(first, second) <= 1)
        if kept.sum() < _FEWEST:
            raise ValueError(
                "positives of both shares contradict the sensitivity and the "
                "specificity so much that no two shares in [0, 1] are compatible"
            )
        return DrawnDistribution((first - second)[kept])

    def _more_statistics(self, level: float) -> dict[str, float]:
        return {"prob_greater": self.prob_above(0.0)}

    def _sentences(self, level: float) -> list[str]:
        return [*super()._sentences(level), _SAME_ERRORS]

    def __repr__(self) -> str:
        return f"PrevalenceDifference({self._summary()})"


@overload
def posterior_prevalence(
    positives: float,
    total: float,
    *,
    sensitivity: Sequence[float],
    specificity: Sequence[float],
    prior: PriorLike = DEFAULT_PRIOR,
) -> PosteriorPrevalence: ...
@overload
def posterior_prevalence(
    positives: float,
    total: float,
    *,
    gold: ArrayLike,
    prior: PriorLike = DEFAULT_PRIOR,
) -> PosteriorValidatedPrevalence: ...
def posterior_prevalence(
    positives: float,
    total: float,
    *,
    gold: ArrayLike | None = None,
    sensitivity: Sequence[float] | None = None,
    specificity: Sequence[float] | None = None,
    prior: PriorLike = DEFAULT_PRIOR,
) -> PosteriorPrevalence | PosteriorValidatedPrevalence:
    """Compute the posterior of a prevalence measured by an imperfect judge.

    The prevalence is the share of positives. The judge may be a rater, a diagnostic
    test or a language model. If the judge decides whether answers are correct, the
    prevalence is the accuracy of the answers. How often the judge errs is known from
    gold samples, whose true labels are known. Pass `gold` if they are a random part of
    the judged samples. Pass `sensitivity` and `specificity` if they come from
    elsewhere, which makes the interval wider.

    Parameters
    ----------
    positives : float
        Number of samples that the judge called positive.
    total : float
        Number of judged samples, at least one. They must be independent: of samples in
        groups, such as sentences of a text, judge one of each group.
    gold : array-like of shape (2, 2), optional
        Confusion matrix of the gold samples that are part of the `total` judged ones,
        with the truth as rows and the verdicts of the judge as columns, negatives
        first: ``confusion_matrix(truth, verdict)`` of scikit-learn. They must be random
        among the samples of a verdict; you may label more of one verdict.
    sensitivity : pair of floats, optional
        Number of gold positives called positive, and number of gold positives, of gold
        samples that are not part of the judged ones.
    specificity : pair of floats, optional
        Number of gold negatives called negative, and number of gold negatives. Pass
        either `gold`, or both `sensitivity` and `specificity`.
    prior : str or pair of floats, default="calibrated"
        Beta prior of the prevalence with `gold`; otherwise of the share of positive
        calls, the sensitivity and the specificity. Each of them is a proportion by
        itself, for which "calibrated" is the Jeffreys prior Beta(1/2, 1/2).

    Returns
    -------
    posterior : PosteriorValidatedPrevalence or PosteriorPrevalence
        The former with `gold`.

    Raises
    ------
    TypeError
        If not exactly one of `gold` and the pair `sensitivity`, `specificity` is given.
    ValueError
        If a count is negative or above its total, if a total is zero, or if the prior
        is not a Beta distribution. With `gold`, if it is not part of the judged
        samples, or if it has no samples of a verdict that others have. Otherwise, if
        the judge is worse than guessing, or if no prevalence in [0, 1] is compatible
        with both the calls and the gold samples.

    Warns
    -----
    JudgeWarning
        Without `gold`, if the judge is no better than guessing with a probability above
        0.01, so the prevalence cannot be inferred from the calls. Also if shares
        outside [0, 1] have a probability above 0.95, which suggests that the judge
        behaves differently on the samples and the gold samples. With `gold` there is no
        warning: the gold samples tell the prevalence even if the judge guesses, who is
        then worth about none of them (`judge_worth`).

    See Also
    --------
    posterior_balanced_accuracy : Quality of the judge, from the gold samples.
    compare_outcomes : Two systems on the same items, with the verdicts of a judge. Each
        accuracy is then measured by the verdicts on both, and differs from that here.

    References
    ----------
    .. [1] W. J. Rogan and B. Gladen (1978). Estimating prevalence from the results of a
       screening test. American Journal of Epidemiology 107(1), 71-76.
    .. [2] A. Tenenbein (1970). A double sampling scheme for estimating from binomial
       data with misclassifications. Journal of the American Statistical Association
       65(331), 1350-1361.

    Examples
    --------
    Sixty of the 200 samples were labelled:

    >>> from skpostbac import posterior_prevalence
    >>> posterior = posterior_prevalence(130, 200, gold=[[24, 6], [3, 27]])
    >>> posterior
    PosteriorValidatedPrevalence(mean=0.569, 95% CI=[0.458, 0.672], n=200, n_gold=60)

    Sixty other samples were labelled:

    >>> posterior = posterior_prevalence(
    ...     130, 200, sensitivity=(27, 30), specificity=(24, 30)
    ... )
    >>> posterior
    PosteriorPrevalence(mean=0.649, 95% CI=[0.476, 0.833], outside=0.002, n=200)
    >>> posterior.prob_above(0.5)
    0.9610
    """
    given = [one is not None for one in (gold, sensitivity, specificity)]
    if given not in ([True, False, False], [False, True, True]):
        raise TypeError("either gold, or sensitivity and specificity must be given")
    if gold is not None:
        return PosteriorValidatedPrevalence(positives, total, gold, prior)  # type: ignore[arg-type]
    judge: Any = {"sensitivity": sensitivity, "specificity": specificity}
    posterior = PosteriorPrevalence(positives, total, prior=prior, **judge)
    posterior._check_possible()
    useless = float(posterior.judge_informedness.cdf(0.0))
    outside = posterior.prob_below_zero + posterior.prob_above_one
    if useless > _USELESS:
        warnings.warn(
            f"sensitivity and specificity: with probability {useless:.2g} the judge is "
            "no better than guessing, so the share cannot be inferred from the calls; "
            "use more gold samples or a better judge",
            JudgeWarning,
            stacklevel=user_stacklevel(),
        )
    elif outside > _CONTRADICTION:
        warnings.warn(
            f"positives: {posterior.positives:g} of {posterior.total:g} contradict the "
            "sensitivity and the specificity: a share in [0, 1] has a probability of "
            f"{1 - outside:.2g}; check that the gold samples resemble those that were "
            "judged",
            JudgeWarning,
            stacklevel=user_stacklevel(),
        )
    return posterior
