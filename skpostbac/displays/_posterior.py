"""Plots of posteriors, from classifiers, labels and test folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from skpostbac._plot import AnyPosterior, Kind, PosteriorPlot
from skpostbac._utils import check_text
from skpostbac.displays._candidates import check_names
from skpostbac.metrics import PosteriorBalancedAccuracy, posterior_balanced_accuracy
from skpostbac.metrics._counts import format_count
from skpostbac.metrics._labels import Predictions, WeightType, is_named, named_predictions
from skpostbac.metrics._posteriors import predict
from skpostbac.metrics._priors import DEFAULT_PRIOR, ClassWeightLike, PriorLike
from skpostbac.model_selection import pooled_posteriors

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PosteriorDisplay(PosteriorPlot):
    """Plot of the posteriors of one or several classifiers.

    Create it with :meth:`from_estimator`, :meth:`from_predictions`, :meth:`from_cv_results` or
    :meth:`from_recalls`. Its attributes and :meth:`plot` are those of
    :class:`~skpostbac.displays.PosteriorPlot`.

    Parameters
    ----------
    posteriors, score_name
        As for :class:`~skpostbac.displays.PosteriorPlot`.

    See Also
    --------
    skpostbac.displays.PosteriorPlot : The base class, returned by ``plot`` of a posterior.
    PosteriorComparisonDisplay : Plots of differences and ranks.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import PosteriorDisplay
    >>> y_true, y_pred = ["a"] * 30 + ["b"] * 10, ["a"] * 28 + ["b"] * 10 + ["a"] * 2
    >>> display = PosteriorDisplay.from_predictions(y_true, y_pred, plot_chance_level=True)
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['0.85 [0.72, 0.96]', 'Chance level (0.5)']
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
            As for :meth:`from_predictions`: `labels`, `sample_weight`, `weight_type`, `groups`,
            `class_weight`, `prior`, and those of :meth:`plot`.

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
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, predict(estimator, X), name=name, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike | Predictions,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        weight_type: WeightType = None,
        groups: ArrayLike | None = None,
        class_weight: ClassWeightLike = None,
        prior: PriorLike = DEFAULT_PRIOR,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_params: Any,
    ) -> PosteriorDisplay:
        """Plot the posterior balanced accuracy, given true and predicted labels.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_pred : array-like of shape (n_samples,), mapping of str to such, or DataFrame
            Predicted labels, or those of several classifiers by name. A pandas or polars DataFrame
            has one column per classifier.
        labels, sample_weight, weight_type, groups, class_weight, prior
            As for :func:`~skpostbac.posterior_balanced_accuracy`.
        name : str, default=None
            Name of a single classifier.
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
                weight_type=weight_type,
                groups=groups,
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
        prior: PriorLike = DEFAULT_PRIOR,
        class_weight: ClassWeightLike = None,
        n_repeats: int | None = None,
        training_variation: Literal["nadeau-bengio"] | None = None,
        name: str | Sequence[str] | None = None,
        ax: Axes | None = None,
        **plot_params: Any,
    ) -> PosteriorDisplay:
        """Plot the posteriors of pooled test folds.

        Parameters
        ----------
        cv_results : dict or DataFrame
            Results of :func:`~sklearn.model_selection.cross_validate` or of a search, with
            ``scoring=ClassCountsScorer()``.
        labels, prior, class_weight, n_repeats, training_variation
            As for :func:`~skpostbac.pooled_posteriors`.
        name : str or sequence of str, default=None
            Name of the classifier, or names of the candidates of a search, by default the
            parameters in which they differ.
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
        'tree (0.89 [0.84, 0.93])'
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
        fitted = {n: p for n, p in zip(names, posteriors, strict=True) if p is not None}
        return cls(fitted).plot(ax, **plot_params)

    @classmethod
    def from_recalls(
        cls,
        posterior: PosteriorBalancedAccuracy,
        *,
        ax: Axes | None = None,
        kind: Kind = "forest",
        **plot_params: Any,
    ) -> PosteriorDisplay:
        """Plot the balanced accuracy and the recall of each class, best class first.

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
        recalls = [
            (f"{label} ({format_count(correct)}/{format_count(total)})", distribution)
            for (label, distribution), correct, total in cells
        ]
        recalls.sort(key=lambda row: -row[1].mean())
        rows: dict[str, AnyPosterior] = {"Balanced accuracy": posterior, **dict(recalls)}
        return cls(rows, score_name="Accuracy").plot(ax, kind=kind, **plot_params)
