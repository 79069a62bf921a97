"""Interface of the posteriors of scalar metrics: intervals, probabilities, reports.

The base class of all of them: mean, interval, probabilities, summary, report and plot
follow from `distribution`. A class adds what is its own to the summary
(`_more_statistics`) and to the report (`_sentences`). `credible_interval` is what every
report and picture shows.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from skpostbac import __version__
from skpostbac._plot import PosteriorPlot, density_curve
from skpostbac._utils import (
    Floats,
    RngLike,
    StablePickle,
    check_level,
    check_text,
    density_drawing,
    describe_estimate,
    finite_or_none,
    float_array,
    format_estimate,
    format_number,
    paragraph,
    paragraphs,
    result,
    round_estimate,
    shown,
    table,
    unwrap,
    user_stacklevel,
)
from skpostbac.metrics._dependence import sequence_error
from skpostbac.stats import Interval
from skpostbac.stats._distribution import (
    DEFAULT_INTERVAL,
    Distribution,
    DrawnDistribution,
    IntervalMethod,
    check_interval_level,
    describe_draws,
    errors_of,
    figures_of,
    interval_of,
    plain_float,
)
from skpostbac.stats._sequence import sequence_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ScalarPosterior(StablePickle, ABC):
    """Posterior of a scalar metric; subclasses define its `distribution`."""

    @property
    @abstractmethod
    def distribution(self) -> Distribution:
        """Posterior distribution of the metric."""

    @property
    @abstractmethod
    def score_name(self) -> str:
        """Name of the metric, used as an axis label."""

    @property
    def _name(self) -> str:
        """Name of the metric in a sentence, such as "balanced accuracy" or "MCC"."""
        name = self.score_name
        is_short = name[1:2].isupper() or name[1:2].isdigit()
        return name if is_short else name[:1].lower() + name[1:]

    @property
    def _unit(self) -> str:
        """What reports call a sample."""
        return "sample"

    @property
    def _tested(self) -> str:
        """What reports call that which was tested."""
        return "system" if self._unit == "item" else "classifier"

    @property
    def _less_is_better(self) -> bool:
        """Whether lower values are better, as for a cost."""
        return False

    def __array_function__(self, func: Any, *_: Any) -> Any:
        """Raise for functions such as :func:`numpy.mean`, which would call methods."""
        raise TypeError(
            f"numpy.{func.__name__} does not apply to a {type(self).__name__}: call "
            "its methods, such as mean()"
        )

    def mean(self) -> float:
        """Return the posterior mean."""
        return self.distribution.mean()

    def median(self) -> float:
        """Return the posterior median."""
        return self.distribution.median()

    def standard_deviation(self) -> float:
        """Return the posterior standard deviation."""
        return self.distribution.standard_deviation()

    def mode(self) -> float:
        """Return the point of highest posterior density."""
        return self.distribution.mode()

    @overload
    def sample(self, *, rng: RngLike = None) -> float: ...
    @overload
    def sample(
        self, shape: int | tuple[int, ...], *, rng: RngLike = None
    ) -> Floats: ...
    def sample(
        self, shape: int | tuple[int, ...] = (), *, rng: RngLike = None
    ) -> float | Floats:
        """Draw from the posterior.

        Parameters
        ----------
        shape : int or tuple of ints, default=()
            Shape of the result; ``()`` for a float.
        rng : Generator, BitGenerator, SeedSequence or int, default=None
            NumPy generator, or a seed for :func:`numpy.random.default_rng`. By default
            a new generator with fresh entropy.

        Returns
        -------
        draws : float or ndarray of shape `shape`

        Raises
        ------
        TypeError
            If `shape` or `rng` has the wrong type.
        ValueError
            If an integer is negative or the shape is too large for an array.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10])
        >>> posterior.sample(3, rng=0).round(3)
        array([0.449, 0.470 , 0.569])
        """
        return plain_float(self.distribution.sample(shape, rng=rng))

    @overload
    def prob_above(self, value: float) -> float: ...
    @overload
    def prob_above(self, value: ArrayLike) -> Floats: ...
    def prob_above(self, value: ArrayLike) -> float | Floats:
        """Return the probability of a metric above `value`; NaN where that is NaN.

        Of the balanced accuracy of two classes, it exceeds 0.95 in 1 to 4 % of test
        sets on average where the truth is `value`, and in up to 12 % where a small
        class is hard and the other easy (:ref:`evidence_one_sided`).
        """
        return plain_float(self.distribution.ccdf(self._proportion(value)))

    @overload
    def prob_below(self, value: float) -> float: ...
    @overload
    def prob_below(self, value: ArrayLike) -> Floats: ...
    def prob_below(self, value: ArrayLike) -> float | Floats:
        """Return the probability of at most `value`; NaN where that is NaN."""
        return plain_float(self.distribution.cdf(self._proportion(value)))

    def lower_bound(self, level: float = 0.95) -> float:
        """Return the value that the metric exceeds with probability `level`."""
        return float(self.distribution.iccdf(check_level(level)))

    def upper_bound(self, level: float = 0.95) -> float:
        """Return the value that the metric is below with probability `level`."""
        return float(self.distribution.icdf(check_level(level)))

    def _proportion(self, value: ArrayLike) -> Floats:
        """Return values of the metric, and warn of those that look like percentages."""
        values = float_array(value, "value")
        top = self.distribution.support()[1]
        if np.any((values > top) & (values >= 2) & (values <= 100)) and top == 1:
            warnings.warn(
                f"the metric is at most 1, got value={shown(value)}; write 90 % as 0.9",
                UserWarning,
                stacklevel=user_stacklevel(),
            )
        return values

    def credible_interval(
        self, level: float = 0.95, *, method: IntervalMethod = DEFAULT_INTERVAL
    ) -> Interval:
        """Return the credible interval of probability `level`.

        Parameters
        ----------
        level : float, default=0.95
            Probability, in (0, 1).
        method : {"hull", "hdi", "central"}, default="hull"
            "hull" reaches from the lower of both lower ends of the other two to the
            higher of their upper ends; its probability is at least `level`. "hdi" is
            the shortest interval (highest density; one of them if several are equally
            short); it has lower coverage where a rare class is harder than a common
            one. "central" leaves out the same probability in both tails (Carrillo et
            al. 2013, eq. 9); with few samples and almost no errors it excludes values
            close to 1 and has lower coverage.

        Returns
        -------
        interval : Interval
            Named tuple ``(low, high)``.

        Raises
        ------
        ValueError
            If `level` is not in (0, 1), or is at most 0.1, as an error rate would be;
            or if `method` is invalid.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10])
        >>> posterior.credible_interval(0.9)
        Interval(low=0.4488, high=0.6744)
        """
        asked: tuple[object, object] = level, method
        if not all(map(isinstance, asked, (float, str))):  # nor may it be hashable
            return interval_of(self.distribution, level, method)
        if asked not in self._intervals:
            self._intervals[asked] = interval_of(self.distribution, level, method)
        return self._intervals[asked]

    @cached_property
    def _intervals(self) -> dict[tuple[object, object], Interval]:
        """Intervals that were computed, by level and method."""
        return {}

    def confidence_sequence(self, level: float = 0.95) -> Interval:
        """Return an interval that you may compute after every new sample.

        With probability at least `level`, the intervals of all looks at a growing test
        set contain the true accuracy or balanced accuracy, and so does their
        intersection. You may stop whenever you like, for example once the interval
        excludes a threshold. A credible interval is narrower and is meant for one look
        at a test set whose size was fixed beforehand.

        Parameters
        ----------
        level : float, default=0.95
            Probability that all intervals hold, in (0, 1).

        Returns
        -------
        interval : Interval
            Named tuple ``(low, high)``. It contains the score on the test samples. It
            depends on the counts and the class weights, not on the prior.

        Raises
        ------
        ValueError
            If `level` is not in (0, 1), or is at most 0.1, as an error rate would be.
            If the metric is neither the accuracy nor the balanced accuracy; if samples
            have groups or importance weights, or counts are not whole numbers; or if
            the posterior is of a cross-validation or of the best of several candidates.

        Notes
        -----
        Samples must be independent, and which class comes next must not depend on
        outcomes that are still unknown. Pooled folds of a cross-validation without a
        correction cannot be told from a test set; their samples are not independent.

        The product over the classes of prior to posterior densities of the recalls,
        with the prior Beta(1/2, 1/2), is a martingale at the true recalls. It stays
        below ``1 / (1 - level)`` with probability at least `level` [1]_. The interval
        has the averages of all recalls for which it is below. See :ref:`sequences`.

        References
        ----------
        .. [1] I. Waudby-Smith and A. Ramdas (2020). Confidence sequences for sampling
           without replacement. Advances in Neural Information Processing Systems 33.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([430, 85], [450, 100])
        >>> posterior.confidence_sequence()
        Interval(low=0.8081, high=0.9609)
        >>> posterior.credible_interval()
        Interval(low=0.8612, high=0.9355)
        """
        probability = check_interval_level(level)
        return sequence_interval(*self._trials(), probability)

    def _trials(self) -> tuple[Floats, Floats]:
        """Return right and wrong predictions of each class, and weights; or raise.

        Both are those of a confidence sequence, of shapes (n_classes, 2) and
        (n_classes,).
        """
        raise sequence_error(f"this is a {type(self).__name__}")

    def summary(self, level: float = 0.95) -> dict[str, float | None]:
        """Return summary statistics of the posterior.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible interval, in (0, 1).

        Returns
        -------
        statistics : dict of str to float or None
            "mean", "median", "standard_deviation", "low" and "high" (ends of the
            credible interval) and "level"; then what the class documents for its
            summary. What is infinite or undefined is None, as in JSON.

        Examples
        --------
        >>> from skpostbac import posterior_accuracy
        >>> posterior_accuracy([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]).summary()["mean"]
        0.79
        """
        statistics = figures_of(self.distribution, level, self.credible_interval(level))
        return finite_or_none({**statistics, **self._more_statistics(level)})

    def _more_statistics(self, level: float) -> dict[str, float]:
        """Return the entries of the summary beyond those of any metric."""
        return {}

    def report(self, level: float = 0.95) -> str:
        """Return a text report on the metric and its uncertainty.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        sentences : str
            One sentence per line.

        Examples
        --------
        >>> from skpostbac import subgroup_posteriors
        >>> y_true, y_pred = [0] * 60 + [1] * 60, [0] * 50 + [1] * 50 + [0] * 20
        >>> groups = subgroup_posteriors(
        ...     y_true, y_pred, sensitive_features=["f", "m", "m"] * 40
        ... )
        >>> print(groups.gap.report())
        The gap in balanced accuracy is 0.045 (95% credible interval 0.000 to 0.169).
        """
        return paragraphs(*self._sentences(level))

    def __str__(self) -> str:
        return self.report()

    def __format__(self, spec: str) -> str:
        """Return the report, or the mean in a format for numbers, such as ".3f"."""
        return format(self.mean(), spec) if spec else str(self)

    def _sentences(self, level: float) -> list[str]:
        """Return the lines of the report."""
        return [f"The {self._name} is {self._describe(level)}."]

    def _describe(self, level: float) -> str:
        """Return mean or median and credible interval as part of a sentence."""
        name, value = self._centre
        note = "median; " * (name == "median")
        return describe_estimate(value, self.credible_interval(level), level, note)

    def _beside_observed(self, observed: float, samples: str, level: float) -> str:
        """Return the estimate and the score on the samples as part of a sentence."""
        estimate = self._describe(level)
        score = "undefined" if np.isnan(observed) else format_number(observed)
        low, high = self.credible_interval(level)
        if low < observed < high:
            return f"{estimate}; {score} on {samples}"
        # They would look like a contradiction, as after a perfect result.
        return f"{score} on {samples}; for new {self._unit}s expect {estimate}"

    def plot(
        self, ax: Axes | None = None, *, name: str | None = None, **plot_params: Any
    ) -> PosteriorPlot:
        """Draw the posterior.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw into. Defaults to those of a new figure.
        name : str, default=None
            Name of the classifier for the legend.
        **plot_params
            As for :meth:`PosteriorPlot.plot <skpostbac.displays.PosteriorPlot.plot>`.

        Returns
        -------
        display : PosteriorPlot
            Display with the axes `ax_` and the artists, such as `lines_`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> display = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10]).plot(
        ...     name="tree"
        ... )
        >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
        ('Balanced accuracy', 'Probability density')
        >>> display.lines_[0].get_label()
        'tree (0.55 [0.44, 0.70])'
        >>> plt.close(display.figure_)
        """
        check_text(name, "name")
        return PosteriorPlot(self if name is None else {name: self}).plot(
            ax, **plot_params
        )

    def _repr_html_(self) -> str:
        interval = self.credible_interval()
        curve = density_curve(self.distribution)
        _, *ends = round_estimate(self.mean(), interval)
        y = np.minimum(curve.y, curve.shown_height())
        caption = "Posterior density, 95% credible interval shaded"
        drawing = density_drawing(curve.x, y, interval, ends, caption)
        first, *notes = unwrap(self.report())
        return result(first, drawing, *self._html_tables(), *map(paragraph, notes))

    def _html_tables(self) -> list[str]:
        """Return the tables shown below the density in a notebook."""
        return []

    def _summary(self) -> str:
        """Format the mean, or the median, and the interval for the repr."""
        name, value = self._centre
        middle, interval = format_estimate(value, self.credible_interval())
        return f"{name}={middle}, 95% CI={interval}"

    @property
    def _centre(self) -> tuple[str, float]:
        """The mean, or the median if the standard deviation is infinite; its name."""
        if np.isinf(self.standard_deviation()):
            return "median", self.median()
        return "mean", self.mean()


# What a metric was observed on, also if it is that of another prevalence.
TEST_SAMPLES = "the test samples"
AT_PREVALENCE = f"{TEST_SAMPLES} at the given prevalence"
BRODERSEN_2010 = (
    "K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The balanced "
    "accuracy and its posterior distribution. Proceedings of the 20th International "
    "Conference on Pattern Recognition, 3121-3124."
)
CARRILLO_2013 = (
    "H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic "
    "performance evaluation for multiclass classification using the posterior balanced "
    "accuracy. ROBOT2013: First Iberian Robotics Conference, 347-361."
)


def write_methods(
    posterior: ScalarPosterior, level: float, model: str, references: Sequence[str]
) -> str:
    """Return the text for a paper: model, estimate, interval and references."""
    low, high = posterior.credible_interval(level)
    probability = float(posterior.distribution.cdf(low, high))
    percent = f"{100 * float(level):.12g}%"
    name, value = posterior._centre
    estimate = (
        f"The posterior {name} is {value:.4f}, and the {percent} credible "
        f"interval {low:.4f} to {high:.4f}. It spans the shortest and the "
        "equal-tailed interval of this probability, and so has a posterior probability "
        f"of {probability:.4f} (skpostbac {__version__})."
    )
    return paragraphs(model, estimate, f"References: {' '.join(references)}")


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorMetric(ScalarPosterior):
    """Posterior of a metric that has a value on the test samples.

    The summary also has "observed" (the metric on the test samples), and the Monte
    Carlo standard errors of the mean, "monte_carlo_error", and of both ends,
    "low_error" and "high_error"; they are 0 if the distribution is exact.
    """

    metric: str
    observed: float
    _distribution: Distribution | DrawnDistribution
    # What reports call the samples on which it was observed.
    _samples: str = field(default=TEST_SAMPLES, kw_only=True)

    @property
    def distribution(self) -> Distribution | DrawnDistribution:
        """Posterior distribution of the metric."""
        return self._distribution

    def _more_statistics(self, level: float) -> dict[str, float]:
        errors = dict.fromkeys(("monte_carlo_error", "low_error", "high_error"), 0.0)
        if isinstance(self._distribution, DrawnDistribution):
            errors = errors_of(self._distribution, level)
        return {"observed": self.observed, **errors}

    def _sentences(self, level: float) -> list[str]:
        estimate = self._beside_observed(self.observed, self._samples, level)
        sentences = [f"The {self._name} is {estimate}."]
        if self._centre[0] == "median":
            moment = "mean" if np.isinf(self.mean()) else "standard deviation"
            reason = "because a denominator close to 0 is too likely"
            sentences.append(f"The {moment} is infinite, {reason}.")
        if isinstance(self._distribution, DrawnDistribution):
            sentences.append(describe_draws(self._distribution, level))
        return sentences

    def _html_tables(self) -> list[str]:
        name, value = self._centre
        header = ("metric", f"on {self._samples}", name, "95% CI")
        estimate = format_estimate(value, self.credible_interval())
        observed = "-" if np.isnan(self.observed) else format_number(self.observed)
        return [table(header, [(self.metric, observed, *estimate)])]

    def __repr__(self) -> str:
        facts = [repr(self.metric), self._summary(), *self._facts()]
        if isinstance(self._distribution, DrawnDistribution):
            error, *of_ends = errors_of(self._distribution, 0.95).values()
            if np.isfinite(error):
                facts.append(f"monte_carlo_error={error:.0e}")
            facts.append(f"CI_error={max(of_ends):.0e}")
        return f"{type(self).__name__}({', '.join(facts)})"

    def _facts(self) -> list[str]:
        """Return what the repr has between the estimate and its errors."""
        return []
