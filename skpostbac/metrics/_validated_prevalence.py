r"""Prevalence measured by an imperfect judge, some of whose verdicts were validated.

The judge calls a share Q of the samples positive. Of those called positive a share P is
positive (the positive predictive value), of the others a share F (the false omission
rate). So the prevalence is

    theta = Q P + (1 - Q) F.

The verdicts of all samples tell about Q. Gold samples, whose truth is known, are part
of them, and tell about P and F, as they are random among the samples of a verdict. With
a Dirichlet prior on the four cells of truth and verdict, Q, P and F have independent
Beta posteriors (Tenenbein, Journal of the American Statistical Association 65, 1970,
has the maximum of this likelihood). If the prior is Beta(a, b) for theta, the cells of
positives share a and those of negatives b: 0.8 of it where judge and truth differ, and
0.2 where they agree. If all samples are gold, theta has the posterior Beta(a +
positives, b + negatives) of a share that is known of all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skpostbac._utils import (
    Floats,
    FrozenArrays,
    Indices,
    check_interval_level,
    check_nonnegative,
    check_probability,
    float_array,
    shown,
    table,
)
from skpostbac.metrics._counts import (
    check_no_shares,
    format_count,
)
from skpostbac.metrics._posterior import ScalarPosterior
from skpostbac.metrics._prior import DEFAULT_PRIOR, make_prior
from skpostbac.stats import BetaAverage
from skpostbac.stats._beta_blend import beta_blend, blend_moments
from skpostbac.stats._distribution import (
    Distribution,
    describe,
    estimate_rows,
    interval_of,
)

# Shares of the prior of a truth (row) on the verdicts (columns). With less on wrong
# ones, intervals are too narrow if the judge makes no errors on the gold samples.
VERDICT_PRIOR = np.array([[0.2, 0.8], [0.8, 0.2]])
# Simulated gold samples for each number of them that a plan considers.
_N_PLANNED = 400


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorValidatedPrevalence(ScalarPosterior, FrozenArrays):
    """Posterior of a prevalence by a judge, of whose verdicts some were validated.

    Made by :func:`~skpostbac.posterior_prevalence` with `gold`.

    Attributes
    ----------
    positives, total : float
        Number of samples that the judge called positive, and number of judged samples.
    gold : ndarray of shape (2, 2)
        Of the gold samples, which are part of the judged ones, those of each truth
        (row) and verdict (column), negatives first.
    prior : BetaPrior
        Prior of the prevalence.

    Raises
    ------
    ValueError
        If counts are out of range, if no gold sample has a verdict that others have, or
        if the prior is not a Beta distribution.

    Notes
    -----
    The distribution function has errors of at most about 1e-5, and mostly below 1e-6.
    The summary also has "positives", "total", "n_gold" and "judge_worth".

    Examples
    --------
    >>> from skpostbac import posterior_prevalence
    >>> posterior = posterior_prevalence(130, 200, gold=[[24, 6], [3, 27]])
    >>> posterior
    PosteriorValidatedPrevalence(mean=0.569, 95% CI=[0.458, 0.672], n=200, n_gold=60)
    """

    positives: float
    total: float
    gold: Floats
    prior: Any = DEFAULT_PRIOR

    def __post_init__(self) -> None:
        positives, total = check_fraction(
            (self.positives, self.total), "positives and total"
        ).tolist()
        gold = float_array(self.gold, "gold")
        if gold.shape != (2, 2):
            raise ValueError(
                "gold must be a confusion matrix of two classes, negatives first, got "
                f"an array of shape {gold.shape}"
            )
        check_nonnegative(gold, "gold")
        check_no_shares(gold, "gold")
        prior = make_prior(self.prior, 2).alone()
        prior.check_total(np.full(2, total), "total")
        vars(self).update(positives=positives, total=total, gold=gold, prior=prior)
        super().__post_init__()
        verdicts = ["negative", "positive"]
        check_gold(self._judged, gold.sum(axis=0), "called", verdicts)

    score_name = "Prevalence"
    _name = "share of positives"
    _tested = "system"

    @property
    def _judged(self) -> Floats:
        """Samples called negative and positive."""
        return np.array([self.total - self.positives, self.positives])

    def _parameters(self, gold: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the parameters of Q, P and F, for arrays of gold, (..., 2, 2)."""
        masses = np.array([self.prior.b[0], self.prior.a[0]])
        prior = masses[:, np.newaxis] * VERDICT_PRIOR
        share = self._judged + prior.sum(axis=0)
        cells = (gold + prior)[..., ::-1, :]
        return share[::-1], cells[..., 1], cells[..., 0]

    @cached_property
    def distribution(self) -> Distribution:
        """The distribution in [0, 1]."""
        return beta_blend(*self._parameters(self.gold))

    @property
    def predictive_values(self) -> tuple[BetaAverage, BetaAverage]:
        """Distributions of the share of positives among either verdict.

        Those called positive come first: the positive predictive value, and the false
        omission rate. It is the prior if there are no samples of the verdict.
        """
        _, *betas = self._parameters(self.gold)
        first, second = (BetaAverage(beta[:1], beta[1:]) for beta in betas)
        return first, second

    @property
    def judge_worth(self) -> float:
        """Number of gold samples that the verdicts are worth.

        So many more gold samples would give the same standard deviation without the
        judge, if their share of positives were the posterior mean. It is an estimate
        from the gold samples that there are, and rough if they are few.
        """
        mean, variance = map(float, blend_moments(*self._parameters(self.gold)))
        size = mean * (1 - mean) / variance - 1 - self.prior.a[0] - self.prior.b[0]
        return float(max(size - self.gold.sum(), 0.0))

    def required_gold(
        self, width: float, *, level: float = 0.95, assurance: float = 0.8
    ) -> int:
        """Return how many gold samples a credible interval of some width takes.

        Parameters
        ----------
        width : float
            Largest width of the credible interval, in (0, 1).
        level : float, default=0.95
            Probability of the interval, in (0, 1).
        assurance : float, default=0.8
            Probability that the interval becomes so narrow, in (0, 1), by what the gold
            samples tell of the judge.

        Returns
        -------
        n_gold : int
            Number of gold samples in all, with those that there are. The others are
            assumed to be a random part of the judged samples.

        Raises
        ------
        ValueError
            If an argument is out of range, or if the interval is wider even if all
            samples are gold.

        See Also
        --------
        skpostbac.required_test_size : Number of samples without a judge.

        Notes
        -----
        Further gold samples are simulated from this posterior, and intervals are those
        of Beta distributions with the mean and variance of the posterior. The number is
        an expectation from these gold samples, not a guarantee: with few of them,
        another pilot may lead to 1.5 times as many. Without a pilot, pass gold
        samples as you expect them, few of them if you are not sure.

        Examples
        --------
        >>> from skpostbac import posterior_prevalence
        >>> posterior = posterior_prevalence(1300, 2000, gold=[[24, 6], [3, 27]])
        >>> posterior.required_gold(0.1)
        261
        """
        width = check_probability(width, "width")
        assurance = check_probability(assurance, "assurance")
        level = check_interval_level(level)
        unknown = self._judged - self.gold.sum(axis=0)
        most = int(unknown.sum())
        values = self.predictive_values[::-1]
        rng = np.random.default_rng(0)
        shares = np.stack([one.sample(_N_PLANNED, rng=rng) for one in values], axis=1)

        def is_enough(n_more: int) -> bool:
            """Return whether so many more gold samples suffice."""
            n = np.rint(unknown * (n_more / max(most, 1))).astype(np.intp)
            positive = np.random.default_rng(1).binomial(n, shares)
            more = np.stack([n - positive, positive], axis=1)
            mean, variance = blend_moments(*self._parameters(self.gold + more))
            size = mean * (1 - mean) / variance - 1
            matched = np.stack([mean, 1 - mean]) * size
            low, high = interval_of(BetaAverage(*matched[..., np.newaxis]), level)
            return bool(np.mean(high - low <= width) >= assurance)

        n_more = bisect_left(range(most + 1), True, key=is_enough)
        if n_more > most:
            raise ValueError(
                f"width={width:g} is narrower than the interval if all "
                f"{self.total:g} samples are gold, with an assurance of {assurance:g}"
            )
        return int(self.gold.sum()) + n_more

    def _more_statistics(self, level: float) -> dict[str, float]:
        return {
            "positives": self.positives,
            "total": self.total,
            "n_gold": float(self.gold.sum()),
            "judge_worth": self.judge_worth,
        }

    def _sentences(self, level: float) -> list[str]:
        worth = round(self.judge_worth)
        counts = self.total, self.positives, self.gold.sum(), self.gold.sum() + worth
        total, positives, n_gold, alone = map(format_count, counts)
        sentences = [
            (
                f"The share of positives is {self._describe(level)}; of {total} "
                f"samples, the judge called {positives} positive, and {n_gold} are "
                "gold."
            )
        ]
        if self._judged.all():
            called, others = (describe(one, level) for one in self.predictive_values)
            sentences.append(
                f"Of those called positive, {called} are positive; of the others, "
                f"{others}."
            )
        sentences.append(
            f"By the {n_gold} gold samples, the judge was worth about {worth} more: "
            f"{alone} alone would be about as informative."
        )
        return sentences

    def _html_tables(self) -> list[str]:
        shares: dict[str, Distribution] = {"share of positives": self.distribution}
        if self._judged.all():
            called, others = self.predictive_values
            shares |= {"of those called positive": called, "of the others": others}
        return [table(("", "mean", "95% CI"), estimate_rows(shares))]

    def __repr__(self) -> str:
        facts = f"n={self.total:g}, n_gold={self.gold.sum():g}"
        return f"PosteriorValidatedPrevalence({self._summary()}, {facts})"


def check_fraction(values: object, name: str) -> Floats:
    """Return a count and its total, checked."""
    array = float_array(values, name)  # type: ignore[arg-type]
    if array.shape != (2,) or not 0 <= array[0] <= array[1] < np.inf or array[1] <= 0:
        raise ValueError(
            f"{name} must be a count and its total, such as (27, 30), with 0 <= count "
            f"<= total and total > 0, got {shown(values)}"
        )
    check_no_shares(array[:1], name)
    return array


def check_gold(
    judged: Floats | Indices,
    labelled: Floats | Indices,
    which: str,
    verdicts: Sequence[str],
) -> None:
    """Raise if gold samples are no part of the judged ones, or of some verdicts only.

    As many of the others are to be labelled as makes the share that is labelled alike,
    and at least one.
    """
    share = labelled.sum() / max(judged[labelled > 0].sum(), 1)
    for n, n_gold, verdict in zip(judged, labelled, verdicts, strict=True):
        if n_gold > n:
            raise ValueError(
                f"gold must be part of the judged samples: {n_gold:g} of them are "
                f"{which} {verdict}, of {n:g} in all"
            )
        if n > n_gold == 0:
            raise ValueError(
                f"none of the {n:g} samples {which} {verdict} is gold: label at least "
                f"{max(np.ceil(share * n), 1):g} of them, chosen at random"
            )
