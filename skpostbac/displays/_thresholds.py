"""Plot of the balanced accuracy against the threshold, from labels or a classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from skpostbac._plot import ThresholdPlot
from skpostbac.displays._scores import BinaryDisplayMixin
from skpostbac.metrics import posterior_threshold_curve
from skpostbac.metrics._labels import WeightType
from skpostbac.metrics._priors import DEFAULT_PRIOR, ClassWeightLike, PriorLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from skpostbac._utils import RandomStateLike


class PosteriorThresholdDisplay(BinaryDisplayMixin, ThresholdPlot):
    """Plot of the posterior balanced accuracy against the decision threshold.

    Create it with :meth:`from_estimator` or :meth:`from_predictions`. Its attributes and
    :meth:`plot` are those of :class:`~skpostbac.displays.ThresholdPlot`.

    Parameters
    ----------
    curve, name
        As for :class:`~skpostbac.displays.ThresholdPlot`.

    See Also
    --------
    posterior_threshold_curve : Compute the curve.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import PosteriorThresholdDisplay
    >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
    >>> display = PosteriorThresholdDisplay.from_predictions(
    ...     [0, 0, 0, 0, 0, 1, 1, 1], y_score, random_state=0
    ... )
    >>> display.curve.best_threshold
    0.5
    >>> plt.close(display.figure_)
    """

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        weight_type: WeightType = None,
        class_weight: ClassWeightLike = None,
        prior: PriorLike = DEFAULT_PRIOR,
        level: float = 0.95,
        random_state: RandomStateLike = 0,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_params: Any,
    ) -> PosteriorThresholdDisplay:
        """Plot the curve, given true labels and scores.

        Parameters
        ----------
        y_true, y_score, pos_label, sample_weight, weight_type, class_weight, prior, level, \
                random_state
            As for :func:`~skpostbac.posterior_threshold_curve`.
        name : str, default=None
            Name of the classifier in the legend.
        ax, **plot_params
            As for :meth:`plot`.

        Returns
        -------
        display : PosteriorThresholdDisplay

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorThresholdDisplay
        >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
        >>> display = PosteriorThresholdDisplay.from_predictions(
        ...     [0, 0, 0, 0, 0, 1, 1, 1], y_score, name="tree", random_state=0
        ... )
        >>> display.line_.get_label()
        'tree'
        >>> plt.close(display.figure_)
        """
        curve = posterior_threshold_curve(
            y_true,
            y_score,
            pos_label=pos_label,
            sample_weight=sample_weight,
            weight_type=weight_type,
            class_weight=class_weight,
            prior=prior,
            level=level,
            random_state=random_state,
        )
        return cls(curve, name=name).plot(ax, **plot_params)
