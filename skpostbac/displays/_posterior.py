"""Plots of posteriors and their comparison from classifiers, labels and test folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from skpostbac._plot import (
    AnyPosterior,
    BinaryDisplayMixin,
    ComparisonPlot,
    Kind,
    PosteriorPlot,
    ThresholdPlot,
)
from skpostbac._utils import check_text
from skpostbac.displays._search import check_candidate_names
from skpostbac.metrics import (
    PosteriorBalancedAccuracy,
    posterior_balanced_accuracy,
    posterior_threshold_curve,
)
from skpostbac.metrics._counts import (
    format_count,
)
from skpostbac.metrics._paired_counts import (
    Predictions,
    is_named,
    named_predictions,
)
from skpostbac.metrics._scorers import (
    predict,
)
from skpostbac.model_selection import (
    compare_predictions,
    pooled_posteriors,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PosteriorDisplay(PosteriorPlot):
    """Plot of the posteriors of one or several classifiers.

    Create it with :meth:`from_estimator`, :meth:`from_predictions`,
    :meth:`from_cv_results` or :meth:`from_recalls`. Its attributes and :meth:`plot` are
    those of :class:`~skpostbac.displays.PosteriorPlot`.

    Parameters
    ----------
    posteriors, score_name
        As for :class:`~skpostbac.displays.PosteriorPlot`.

    See Also
    --------
    skpostbac.displays.PosteriorPlot : Base class, returned by ``plot`` of a posterior.
    PosteriorComparisonDisplay : Plots of differences and ranks.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import PosteriorDisplay
    >>> y_true = ["a"] * 30 + ["b"] * 10
    >>> y_pred = ["a"] * 28 + ["b"] * 10 + ["a"] * 2
    >>> display = PosteriorDisplay.from_predictions(
    ...     y_true, y_pred, plot_chance_level=True
    ... )
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['0.85 [0.70, 0.96]', 'Chance level (0.5)']
    >>> plt.close(display.figure_)
    """

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> PosteriorDisplay:
        """Plot the posterior balanced accuracy of a fitted classifier.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier.
        X : array-like of shape (n_samples, n_features)
            Test samples.
        y : array-like of shape (n_samples,)
            True labels.
        name : str, default=None
            Name of the classifier, by default its class name.
        ax : matplotlib Axes, default=None
            Axes to plot on, by default those of a new figure.
        **options
            As for :meth:`from_predictions`.

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
        >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0)
        >>> tree = tree.fit(X[::2], y[::2])
        >>> display = PosteriorDisplay.from_estimator(tree, X[1::2], y[1::2])
        >>> display.lines_[0].get_label()
        'DecisionTreeClassifier (0.62 [0.57, 0.67])'
        >>> plt.close(display.figure_)
        """
        name = type(estimator).__name__ if name is None else name
        y_pred = predict(estimator, X)
        return cls.from_predictions(y, y_pred, name=name, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike | Predictions,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> PosteriorDisplay:
        """Plot the posterior balanced accuracy, given true and predicted labels.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_pred : array-like of shape (n_samples,), mapping of str to such, or DataFrame
            Predicted labels, or those of several classifiers by name. A pandas or
            polars DataFrame has one column per classifier.
        name : str, default=None
            Name of a single classifier.
        ax : matplotlib Axes, default=None
            Axes to plot on, by default those of a new figure.
        **options
            As for :func:`~skpostbac.posterior_balanced_accuracy`: `labels`,
            `sample_weight`, `weight_type`, `groups`, `class_weight` and `prior`; and
            those of :meth:`plot`.

        Returns
        -------
        display : PosteriorDisplay

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorDisplay
        >>> y_true = [0] * 20 + [1] * 20
        >>> predictions = {"one": [0] * 30 + [1] * 10, "two": [0] * 22 + [1] * 18}
        >>> display = PosteriorDisplay.from_predictions(
        ...     y_true, predictions, kind="ridge"
        ... )
        >>> [text.get_text() for text in display.ax_.get_yticklabels()]
        ['one', 'two']
        >>> plt.close(display.figure_)
        """
        check_text(name, "name")
        predictions: Mapping[str, Any] = (
            named_predictions(y_pred, "y_pred")
            if is_named(y_pred)
            else {name or "": y_pred}
        )

        options, plot_options = cls._split(options)
        posteriors = {
            key: posterior_balanced_accuracy(y_true, entry, **options)
            for key, entry in predictions.items()
        }
        return cls(posteriors).plot(ax, **plot_options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        *,
        name: str | Sequence[str] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> PosteriorDisplay:
        """Plot the posteriors of pooled test folds.

        Parameters
        ----------
        cv_results : dict or DataFrame
            Results of :func:`~sklearn.model_selection.cross_validate` or of a search,
            with ``scoring=ClassCountsScorer()``.
        name : str or sequence of str, default=None
            Name of the classifier, or names of the candidates of a search, by default
            the parameters in which they differ.
        ax : matplotlib Axes, default=None
            Axes to plot on, by default those of a new figure.
        **options
            As for :func:`~skpostbac.pooled_posteriors`: `labels`, `prior`,
            `class_weight`, `n_repeats` and `training_variation`; and those of
            :meth:`plot`.

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
        'tree (0.89 [0.84, 0.93])'
        >>> plt.close(display.figure_)
        """
        options, plot_options = cls._split(options)
        posteriors = pooled_posteriors(cv_results, **options)
        names = check_candidate_names(name, cv_results, len(posteriors))

        fitted = {n: p for n, p in zip(names, posteriors, strict=True) if p is not None}
        return cls(fitted).plot(ax, **plot_options)

    @classmethod
    def from_recalls(
        cls,
        posterior: PosteriorBalancedAccuracy,
        *,
        weakest: int | None = None,
        ax: Axes | None = None,
        kind: Kind = "forest",
        **plot_params: Any,
    ) -> PosteriorDisplay:
        """Plot the balanced accuracy and the recall of each class, best class first.

        Parameters
        ----------
        posterior : PosteriorBalancedAccuracy
            The posterior.
        weakest : int, default=None
            Number of classes to plot, of those with the lowest recalls; by default all.
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
        >>> display = PosteriorDisplay.from_recalls(posterior, weakest=1)
        >>> [text.get_text() for text in display.ax_.get_yticklabels()]
        ['Balanced accuracy', 'versicolor (2/4)']
        >>> plt.close(display.figure_)
        """
        if not isinstance(posterior, PosteriorBalancedAccuracy):
            raise TypeError(
                "posterior must be a PosteriorBalancedAccuracy, "
                f"got {type(posterior).__name__}"
            )

        counts = posterior.counts
        recalls = posterior.recalls().items()
        classes = zip(recalls, counts.correct, counts.total, strict=True)
        best_first = sorted(classes, key=lambda entry: -entry[0][1].mean())
        shown = best_first[-weakest:] if weakest else best_first

        rows: dict[str, AnyPosterior] = {"Balanced accuracy": posterior}
        for (label, recall), correct, total in shown:
            rows[f"{label} ({format_count(correct)}/{format_count(total)})"] = recall
        return cls(rows, score_name="Recall").plot(ax, kind=kind, **plot_params)


class PosteriorComparisonDisplay(ComparisonPlot):
    """Plot of a comparison: differences, pairwise probabilities and ranks.

    Create it with :meth:`from_predictions` for classifiers tested on the same samples;
    other comparisons have a method ``plot``. Its attributes and :meth:`plot` are those
    of :class:`~skpostbac.displays.ComparisonPlot`.

    Parameters
    ----------
    comparison
        As for :class:`~skpostbac.displays.ComparisonPlot`.

    See Also
    --------
    skpostbac.displays.ComparisonPlot : Base class, returned by ``plot`` of comparisons.
    PosteriorDisplay : Plots of the posteriors.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import PosteriorComparisonDisplay
    >>> y_true = ["a"] * 20 + ["b"] * 20
    >>> one = ["a"] * 14 + ["b"] * 20 + ["a"] * 6
    >>> two = ["a"] * 16 + ["b"] * 19 + ["a"] * 5
    >>> display = PosteriorComparisonDisplay.from_predictions(
    ...     y_true, {"one": one, "two": two}, rope=0.02, kind="difference"
    ... )
    >>> for area in display.artists_["areas"]:
    ...     print(area.get_label())
    one better (0.027)
    within ±0.02 (0.112)
    two better (0.860)
    >>> plt.close(display.figure_)
    """

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        predictions: Predictions,
        *,
        ax: Axes | None = None,
        **options: Any,
    ) -> PosteriorComparisonDisplay:
        """Compare classifiers tested on the same samples, and plot the result.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        predictions : mapping of str to array-like of shape (n_samples,), or DataFrame
            Predicted labels of T >= 2 classifiers, by name or column.
        ax : matplotlib Axes, default=None
            Axes to plot on, by default those of a new figure.
        **options
            As for :func:`~skpostbac.compare_predictions`: `metric`, `rope`, `labels`,
            `sample_weight`, `weight_type`, `groups`, `class_weight`, `prior`,
            `random_state` and others; and those of :meth:`plot`.

        Returns
        -------
        display : PosteriorComparisonDisplay

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorComparisonDisplay
        >>> y_true = ["a"] * 20 + ["b"] * 20
        >>> one = ["a"] * 14 + ["b"] * 20 + ["a"] * 6
        >>> two = ["a"] * 16 + ["b"] * 19 + ["a"] * 5
        >>> display = PosteriorComparisonDisplay.from_predictions(
        ...     y_true, {"one": one, "two": two}, kind="matrix"
        ... )
        >>> display.artists_["texts"][0, 1].get_text()  # two is better than one
        '0.94'
        >>> plt.close(display.figure_)
        """
        options, plot_options = cls._split(options)
        comparison = compare_predictions(y_true, predictions, **options)
        return cls(comparison).plot(ax, **plot_options)


class PosteriorThresholdDisplay(BinaryDisplayMixin, ThresholdPlot):
    """Plot of the posterior balanced accuracy against the decision threshold.

    Create it with :meth:`from_estimator` or :meth:`from_predictions`. Its attributes
    and :meth:`plot` are those of :class:`~skpostbac.displays.ThresholdPlot`.

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
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> PosteriorThresholdDisplay:
        """Plot the curve, given true labels and scores.

        Parameters
        ----------
        y_true, y_score
            As for :func:`~skpostbac.posterior_threshold_curve`.
        name : str, default=None
            Name of the classifier in the legend.
        ax : matplotlib Axes, default=None
            Axes to plot on, by default those of a new figure.
        **options
            As for :func:`~skpostbac.posterior_threshold_curve`: `pos_label`,
            `sample_weight`, `weight_type`, `class_weight`, `prior`, `level` and
            `random_state`; and those of :meth:`plot`.

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
        options, plot_options = cls._split(options)
        curve = posterior_threshold_curve(y_true, y_score, **options)
        return cls(curve, name=name).plot(ax, **plot_options)
