"""Picture of one or several posteriors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import check_choice, check_flags, check_text
from skpostbac.displays._candidates import check_names
from skpostbac.displays._gallery import (
    AnyPosterior,
    chance_level,
    named_posteriors,
    portray_all,
    score_name,
)
from skpostbac.displays._kwargs import check_kwargs, line_kwargs
from skpostbac.displays._posterior_kinds import KINDS, MOST_INSIDE, add_legend
from skpostbac.displays._style import (
    NEUTRAL,
    despine_axes,
    own_axes,
    write_above,
    write_full_numbers,
)
from skpostbac.displays._text import chance_label, literal
from skpostbac.metrics import PosteriorBalancedAccuracy, posterior_balanced_accuracy
from skpostbac.metrics._balanced_accuracy import predict
from skpostbac.metrics._counts import format_count
from skpostbac.metrics._labels import ClassWeightLike, Predictions, is_named, named_predictions
from skpostbac.metrics._priors import PriorLike
from skpostbac.model_selection import pooled_posteriors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

Kind: TypeAlias = Literal["density", "ridge", "violin", "forest"]


class PosteriorDisplay:
    """Picture of the posterior of one classifier, or of several in the same axes.

    It is recommended to use :meth:`from_estimator`, :meth:`from_predictions`,
    :meth:`from_cv_results` or :meth:`from_recalls`. All parameters are stored as attributes.

    Parameters
    ----------
    posteriors : posterior, or mapping of str to posterior
        One posterior, or several by name: a :class:`~skpostbac.PosteriorBalancedAccuracy` or the
        posterior of any other single figure, or a law, such as ``posterior.recalls()["a"]`` or a
        :class:`~skpostbac.DrawnPosterior`.
    score_name : str, default=None
        What is on the x-axis, by default the name of the figure if all have the same.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the picture.
    figure_ : matplotlib Figure
        Figure containing the axes.
    lines_ : tuple of matplotlib Line2D
        For each posterior, its density; in a forest, its interval.
    intervals_ : tuple of matplotlib artists
        For each posterior, the area above its interval; in a forest, its 50% interval, or none if
        the level is not higher.
    means_ : tuple of matplotlib Line2D
        For each posterior, its mean.
    chance_level_ : matplotlib Line2D or None
        The chance level line, None if it is not drawn.

    See Also
    --------
    PosteriorComparisonDisplay : Pictures of differences and ranks.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import PosteriorBalancedAccuracy, PosteriorDisplay
    >>> total = [32, 10, 4]
    >>> display = PosteriorDisplay(
    ...     {
    ...         "C1": PosteriorBalancedAccuracy.from_counts([30, 8, 3], total),
    ...         "C3": PosteriorBalancedAccuracy.from_counts([32, 9, 4], total),
    ...     }
    ... ).plot(plot_chance_level=True)
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['C1 (0.78 [0.62, 0.90])', 'C3 (0.88 [0.74, 0.97])', 'Chance level (0.33)']
    >>> plt.close(display.figure_)
    """

    ax_: Axes
    figure_: Figure | SubFigure
    lines_: tuple[Line2D, ...]
    intervals_: tuple[Any, ...]
    means_: tuple[Line2D, ...]
    chance_level_: Line2D | None

    def __init__(
        self,
        posteriors: AnyPosterior | Mapping[str, AnyPosterior],
        *,
        score_name: str | None = None,
    ) -> None:
        named_posteriors(posteriors)
        check_text(score_name, "score_name")
        self.posteriors = posteriors
        self.score_name = score_name

    def plot(
        self,
        ax: Axes | None = None,
        *,
        kind: Kind = "density",
        level: float = 0.95,
        method: Literal["central", "hdi"] = "central",
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
    ) -> PosteriorDisplay:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw into, by default those of a new figure. A density takes a colour and a line
            style that no line there has; all other kinds need axes without rows.
        kind : {"density", "ridge", "violin", "forest"}, default="density"
            "density": the densities over one another, with the area above the credible interval
            shaded, a line at the mean, and the figures in the legend. The others have a row for
            each posterior: "ridge" and "violin" a density that is as high as all others, "forest"
            the credible interval, with its 50% part thick. "forest" suits more than twelve
            posteriors; densities differ in colour and line style up to twelve, and also in width
            up to 36.
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).
        method : {"central", "hdi"}, default="central"
            Interval that leaves out as much probability on both sides, or the shortest one.
        curve_kwargs : dict or sequence of dict, default=None
            Keyword arguments of matplotlib's ``plot`` for all lines, or for each of them.
        plot_chance_level : bool, default=False
            Whether to draw a line at the figure of guessing.
        chance_level_kw : dict, default=None
            Keyword arguments of matplotlib's ``axvline`` for it.
        despine : bool, default=False
            Whether to hide the spines that carry no axis.

        Returns
        -------
        display : PosteriorDisplay
            The object itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `posteriors` are no posteriors.
        ValueError
            If `kind`, `level` or `method` is another, if there are not as many `curve_kwargs` as
            posteriors, if the posteriors have no chance level in common, or if there are rows of
            another picture in `ax`.

        Notes
        -----
        An infinite density, as that of a class without errors under Jeffreys' prior, is cut off
        where a quarter of the probability lies higher, times 2.7.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorBalancedAccuracy, PosteriorDisplay
        >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8], [32, 10])
        >>> display = PosteriorDisplay(posterior).plot(level=0.9, method="hdi")
        >>> display.ax_.get_legend().get_title().get_text(), display.lines_[0].get_label()
        ('Mean [90% HDI]', '0.83 [0.73, 0.94]')
        >>> plt.close(display.figure_)
        """
        check_flags(plot_chance_level=plot_chance_level, despine=despine)
        check_choice(kind, KINDS, "kind")
        check_kwargs(chance_level_kw=chance_level_kw)
        posteriors = named_posteriors(self.posteriors)
        gallery = portray_all(posteriors, level, method, curve_kwargs)
        chance = chance_level(posteriors) if plot_chance_level else None
        size = density_size if kind == "density" else rows_size
        self.ax_ = own_axes(ax, "PosteriorDisplay.plot", figsize=size(len(posteriors)))
        self.figure_ = self.ax_.figure
        if ax is None:
            write_full_numbers(self.ax_)
        self.lines_, self.intervals_, self.means_ = KINDS[kind](self.ax_, gallery)
        self.ax_.set_xlabel(self.score_name or literal(score_name(posteriors)))
        self.chance_level_ = None
        if chance is not None:
            line = {"label": chance_label(chance), "color": NEUTRAL, "linestyle": ":"}
            self.chance_level_ = self.ax_.axvline(chance, **line_kwargs(line, chance_level_kw))
        if kind == "density":
            add_legend(self.ax_, gallery)
        elif self.chance_level_ is not None:
            write_above(self.ax_, self.chance_level_)
        if despine:
            despine_axes(self.ax_, "top", "right", *([] if kind == "density" else ["left"]))
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        class_weight: ClassWeightLike = None,
        prior: PriorLike = "uniform",
        name: str | None = None,
        ax: Axes | None = None,
        **plot_params: Any,
    ) -> PosteriorDisplay:
        """Draw the posterior balanced accuracy of a fitted classifier.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier.
        X : array-like of shape (n_samples, n_features)
            Test samples.
        y : array-like of shape (n_samples,)
            Their true labels.
        labels, sample_weight, class_weight, prior
            As for :func:`~skpostbac.posterior_balanced_accuracy`.
        name : str, default=None
            Name of the classifier, by default that of its class.
        ax, **plot_params
            As for :meth:`plot`.

        Returns
        -------
        display : PosteriorDisplay

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from skpostbac import PosteriorDisplay
        >>> X, y = load_wine(return_X_y=True)
        >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X[::2], y[::2])
        >>> display = PosteriorDisplay.from_estimator(tree, X[1::2], y[1::2])
        >>> display.lines_[0].get_label()
        'DecisionTreeClassifier (0.62 [0.57, 0.67])'
        >>> plt.close(display.figure_)
        """
        return cls.from_predictions(
            y,
            predict(estimator, X),
            labels=labels,
            sample_weight=sample_weight,
            class_weight=class_weight,
            prior=prior,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            **plot_params,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike | Predictions,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        class_weight: ClassWeightLike = None,
        prior: PriorLike = "uniform",
        name: str | None = None,
        ax: Axes | None = None,
        **plot_params: Any,
    ) -> PosteriorDisplay:
        """Draw the posterior balanced accuracy, given true and predicted labels.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_pred : array-like of shape (n_samples,), mapping of str to such, or DataFrame
            Predicted labels, or those of several classifiers by name; in a DataFrame of pandas or
            polars, a column for each.
        labels, sample_weight, class_weight, prior
            As for :func:`~skpostbac.posterior_balanced_accuracy`.
        name : str, default=None
            Name of the classifier, if there is one.
        ax, **plot_params
            As for :meth:`plot`.

        Returns
        -------
        display : PosteriorDisplay

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorDisplay
        >>> y_true = [0] * 20 + [1] * 20
        >>> predictions = {"one": [0] * 30 + [1] * 10, "two": [0] * 22 + [1] * 18}
        >>> display = PosteriorDisplay.from_predictions(y_true, predictions, kind="violin")
        >>> [text.get_text() for text in display.ax_.get_yticklabels()]
        ['one', 'two']
        >>> plt.close(display.figure_)
        """
        check_text(name, "name")
        predictions: Mapping[str, Any] = (
            named_predictions(y_pred, "y_pred") if is_named(y_pred) else {name or "": y_pred}
        )
        posteriors = {
            key: posterior_balanced_accuracy(
                y_true,
                entry,
                labels=labels,
                sample_weight=sample_weight,
                class_weight=class_weight,
                prior=prior,
            )
            for key, entry in predictions.items()
        }
        return cls(posteriors).plot(ax, **plot_params)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        *,
        labels: ArrayLike | None = None,
        prior: PriorLike = "uniform",
        class_weight: ClassWeightLike = None,
        n_repeats: int = 1,
        training_variation: Literal["nadeau-bengio"] | None = None,
        name: str | Sequence[str] | None = None,
        ax: Axes | None = None,
        **plot_params: Any,
    ) -> PosteriorDisplay:
        """Draw the posteriors of pooled test folds.

        Parameters
        ----------
        cv_results : dict or DataFrame
            Results of :func:`~sklearn.model_selection.cross_validate` or of a search, with
            ``scoring=ClassCountsScorer()``.
        labels, prior, class_weight, n_repeats, training_variation
            As for :func:`~skpostbac.pooled_posteriors`.
        name : str or sequence of str, default=None
            Name of the classifier, or of each candidate of a search; these have the parameters in
            which they differ for names by default.
        ax, **plot_params
            As for :meth:`plot`.

        Returns
        -------
        display : PosteriorDisplay

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from skpostbac import ClassCountsScorer, PosteriorDisplay
        >>> X, y = load_wine(return_X_y=True)
        >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
        >>> cv_results = cross_validate(tree, X, y, scoring=ClassCountsScorer())
        >>> display = PosteriorDisplay.from_cv_results(cv_results, name="tree")
        >>> display.lines_[0].get_label()
        'tree (0.88 [0.83, 0.92])'
        >>> plt.close(display.figure_)
        """
        posteriors = pooled_posteriors(
            cv_results,
            labels=labels,
            prior=prior,
            class_weight=class_weight,
            n_repeats=n_repeats,
            training_variation=training_variation,
        )
        names = check_names(name, cv_results, len(posteriors))
        return cls(dict(zip(names, posteriors, strict=True))).plot(ax, **plot_params)

    @classmethod
    def from_recalls(
        cls,
        posterior: PosteriorBalancedAccuracy,
        *,
        ax: Axes | None = None,
        kind: Kind = "forest",
        **plot_params: Any,
    ) -> PosteriorDisplay:
        """Draw the balanced accuracy above the accuracies on the classes, the best class first.

        Parameters
        ----------
        posterior : PosteriorBalancedAccuracy
            The posterior.
        ax, kind, **plot_params
            As for :meth:`plot`.

        Returns
        -------
        display : PosteriorDisplay

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorBalancedAccuracy, PosteriorDisplay
        >>> posterior = PosteriorBalancedAccuracy.from_counts(
        ...     [30, 2, 8], [32, 4, 10], classes=["setosa", "versicolor", "virginica"]
        ... )
        >>> display = PosteriorDisplay.from_recalls(posterior)
        >>> [text.get_text() for text in display.ax_.get_yticklabels()]
        ['Balanced accuracy', 'setosa (30/32)', 'virginica (8/10)', 'versicolor (2/4)']
        >>> plt.close(display.figure_)
        """
        if not isinstance(posterior, PosteriorBalancedAccuracy):
            raise TypeError(
                f"posterior must be a PosteriorBalancedAccuracy, got {type(posterior).__name__}"
            )
        counts = posterior.counts
        cells = zip(posterior.recalls().items(), counts.correct, counts.total, strict=True)
        rows: list[tuple[str, AnyPosterior]] = [
            (f"{label} ({format_count(correct)}/{format_count(total)})", law)
            for (label, law), correct, total in cells
        ]
        rows.sort(key=lambda row: -row[1].mean())
        rows.insert(0, ("Balanced accuracy", posterior))
        return cls(dict(rows), score_name="Accuracy").plot(ax, kind=kind, **plot_params)


def density_size(n: int) -> tuple[float, float]:
    """Return the size in inches of a figure of `n` densities, with room for a legend beside."""
    return (6.4 if n <= MOST_INSIDE else 9.6), max(4.0, 0.25 * n + 1)


def rows_size(n: int) -> tuple[float, float]:
    """Return the size in inches of a figure of `n` rows."""
    return 7.2, float(np.clip(1.2 + 0.4 * n, 2.2, 12))
