"""Base classes of posteriors of a scalar metric."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._plot import PosteriorPlot, density_curve
from skpostbac._utils import (
    Floats,
    RngLike,
    StablePickle,
    block,
    check_text,
    density_drawing,
    describe_estimate,
    float_array,
    format_estimate,
    round_estimate,
)
from skpostbac.stats import BoundedDistribution, Interval
from skpostbac.stats._distribution import (
    DEFAULT_INTERVAL,
    Distribution,
    IntervalMethod,
    figures_of,
    interval_of,
    plain_float,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class FigurePosterior(StablePickle, ABC):
    """Posterior of a scalar metric; subclasses define its `distribution`."""

    @property
    @abstractmethod
    def distribution(self) -> Distribution:
        """Posterior distribution of the metric."""

    @property
    @abstractmethod
    def score_name(self) -> str:
        """Name of the metric, used as an axis label."""

    def __array_function__(self, func: Any, *_: Any) -> Any:
        """Raise for functions such as :func:`numpy.mean`, which would call methods of this name."""
        raise TypeError(
            f"numpy.{func.__name__} does not apply to a {type(self).__name__}: call its methods, "
            "such as mean()"
        )

    def mean(self) -> float:
        """Return the posterior mean."""
        return self.distribution.mean()

    def median(self) -> float:
        """Return the posterior median."""
        return self.distribution.median()

    def variance(self) -> float:
        """Return the posterior variance."""
        return self.distribution.variance()

    def standard_deviation(self) -> float:
        """Return the posterior standard deviation."""
        return self.distribution.standard_deviation()

    def cdf(self, x: ArrayLike) -> float | Floats:
        """Return P(metric <= x): a float, or an array of the shape of `x`."""
        return plain_float(self.distribution.cdf(x))

    def ccdf(self, x: ArrayLike) -> float | Floats:
        """Return P(metric > x), accurate for tiny probabilities if the distribution is exact."""
        return plain_float(self.distribution.ccdf(x))

    def icdf(self, p: ArrayLike) -> float | Floats:
        """Return the quantile at `p` in [0, 1]: a float, or an array of the shape of `p`."""
        return plain_float(self.distribution.icdf(p))

    def sample(
        self,
        shape: int | tuple[int, ...] = (),
        *,
        rng: RngLike = None,
    ) -> float | Floats:
        """Draw from the posterior.

        Parameters
        ----------
        shape : int or tuple of ints, default=()
            Shape of the result; ``()`` for a float.
        rng : Generator, BitGenerator, SeedSequence or int, default=None
            NumPy generator, or a seed for :func:`numpy.random.default_rng`. By default a new
            generator with fresh entropy.

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
        array([0.451, 0.471, 0.569])
        """
        return plain_float(self.distribution.sample(shape, rng=rng))

    def prob_above(self, value: ArrayLike) -> float | Floats:
        """Return the probability that the metric is above `value`; NaN where `value` is NaN."""
        return self.ccdf(float_array(value, "value"))

    def prob_below(self, value: ArrayLike) -> float | Floats:
        """Return the probability that the metric is at most `value`; NaN where `value` is NaN."""
        return self.cdf(float_array(value, "value"))

    def credible_interval(
        self, level: float = 0.95, *, method: IntervalMethod = DEFAULT_INTERVAL
    ) -> Interval:
        """Return the credible interval of probability `level`.

        Parameters
        ----------
        level : float, default=0.95
            Probability, in (0, 1).
        method : {"hdi", "central"}, default="hdi"
            "hdi" is the shortest interval (highest density; one of them if several are equally
            short). "central" leaves out the same probability in both tails (Carrillo et al. 2013,
            eq. 9); with few samples and almost no errors it excludes values close to 1 and has
            lower coverage.

        Returns
        -------
        interval : Interval
            Named tuple ``(low, high)``.

        Raises
        ------
        ValueError
            If `level` is not in (0, 1) or `method` is invalid.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10])
        >>> posterior.credible_interval(0.9)
        Interval(low=0.4505, high=0.6587)
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

    def interval(self, level: float = 0.95) -> Interval:
        """Return the central credible interval.

        It is not the one that results print, plot and report, the shortest: :meth:`hdi`.

        Parameters
        ----------
        level : float, default=0.95
            Probability, in (0, 1).

        Returns
        -------
        interval : Interval
            Same as :meth:`credible_interval` with ``method="central"``.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10])
        >>> posterior.interval(0.9)
        Interval(low=0.4600, high=0.6718)
        """
        return self.credible_interval(level, method="central")

    def hdi(self, level: float = 0.95) -> Interval:
        """Return the highest-density credible interval.

        Parameters
        ----------
        level : float, default=0.95
            Probability, in (0, 1).

        Returns
        -------
        interval : Interval
            Same as :meth:`credible_interval` with ``method="hdi"``.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10])
        >>> posterior.hdi(0.9)
        Interval(low=0.4505, high=0.6587)
        """
        return self.credible_interval(level, method="hdi")

    def summary(self, level: float = 0.95) -> dict[str, float]:
        """Return summary statistics of the posterior.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible interval, in (0, 1).

        Returns
        -------
        figures : dict of str to float
            "mean", "median", "standard_deviation", "low" and "high" (ends of the highest-density
            credible interval) and "level".

        Examples
        --------
        >>> from skpostbac import posterior_accuracy
        >>> posterior_accuracy([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]).summary()["mean"]
        0.79
        """
        return figures_of(self, level)

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
        >>> groups = subgroup_posteriors(y_true, y_pred, sensitive_features=["f", "m", "m"] * 40)
        >>> print(groups.gap.report())
        Gap in balanced accuracy: 0.068 (95% credible interval 0.000 to 0.164).
        """
        figure = describe_estimate(self.mean(), self.hdi(level), level)
        return f"{self.score_name}: {figure}."

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
        >>> display = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10]).plot(name="tree")
        >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
        ('Balanced accuracy', 'Probability density')
        >>> display.lines_[0].get_label()
        'tree (0.55 [0.44, 0.69])'
        >>> plt.close(display.figure_)
        """
        check_text(name, "name")
        return PosteriorPlot(self if name is None else {name: self}).plot(ax, **plot_params)

    def _repr_html_(self) -> str:
        return block(repr(self), _draw_density(self.distribution), *self._html_tables())

    def _html_tables(self) -> list[str]:
        """Return the tables shown below the density in a notebook."""
        return []

    def _summary(self) -> str:
        """Format the mean, or the median, and the interval for the repr."""
        name, value = self._middle
        middle, interval = format_estimate(value, self.credible_interval())
        return f"{name}={middle}, 95% CI={interval}"

    @property
    def _middle(self) -> tuple[str, float]:
        """The mean, or the median where the mean is infinite, and its name."""
        mean = self.mean()
        return ("mean", mean) if np.isfinite(mean) else ("median", self.median())


class ExactPosterior(FigurePosterior):
    """Posterior of a scalar metric whose exact distribution, with its density, is computed."""

    @property
    @abstractmethod
    def distribution(self) -> BoundedDistribution:
        """Distribution of the metric, with the full interface of distributions."""

    def mode(self) -> float:
        """Return the point of highest posterior density."""
        return self.distribution.mode()

    def pdf(self, x: ArrayLike) -> float | Floats:
        """Return the posterior density at `x`: a float, or an array of the shape of `x`."""
        return plain_float(self.distribution.pdf(x))

    def iccdf(self, p: ArrayLike) -> float | Floats:
        """Return the value exceeded with probability `p`, accurate for tiny `p`."""
        return plain_float(self.distribution.iccdf(p))


def _draw_density(distribution: Distribution) -> str:
    interval = interval_of(distribution, 0.95)
    curve = density_curve(distribution)
    _, *ends = round_estimate(distribution.mean(), interval)
    y = np.minimum(curve.y, curve.shown_height())
    return density_drawing(curve.x, y, interval, ends, "Posterior density, 95% interval shaded")
