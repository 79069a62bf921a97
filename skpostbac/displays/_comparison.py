"""Plots of comparisons, from labels, searches and posteriors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from skpostbac._plot import ComparisonPlot
from skpostbac._utils import RandomStateLike
from skpostbac.displays._candidates import check_names
from skpostbac.metrics import PairedCounts, PosteriorBalancedAccuracy
from skpostbac.metrics._labels import Predictions, WeightType
from skpostbac.metrics._priors import DEFAULT_PRIOR, ClassWeightLike, PriorLike
from skpostbac.model_selection import (
    PosteriorComparison,
    compare_posteriors,
    compare_predictions,
    pooled_paired_counts,
)
from skpostbac.model_selection._pooling import fold_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PosteriorComparisonDisplay(ComparisonPlot):
    """Plot of a comparison: differences, pairwise probabilities and ranks.

    Create it with :meth:`from_predictions` for classifiers tested on the same samples,
    :meth:`from_cv_results` for the candidates of a search, or :meth:`from_posteriors` for
    independent test sets. Its attributes and :meth:`plot` are those of
    :class:`~skpostbac.displays.ComparisonPlot`.

    Parameters
    ----------
    comparison
        As for :class:`~skpostbac.displays.ComparisonPlot`.

    See Also
    --------
    skpostbac.displays.ComparisonPlot : The base class, returned by ``plot`` of a comparison.
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
    >>> for text in display.artists_["texts"]:
    ...     print(*text.get_text().splitlines())
    one better 0.012
    within ±0.02 0.088
    two better 0.900
    >>> plt.close(display.figure_)
    """

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        predictions: Predictions,
        *,
        rope: float = 0.0,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        weight_type: WeightType = None,
        groups: ArrayLike | None = None,
        class_weight: ClassWeightLike = None,
        prior: PriorLike = DEFAULT_PRIOR,
        random_state: RandomStateLike = 0,
        ax: Axes | None = None,
        **plot_params: Any,
    ) -> PosteriorComparisonDisplay:
        """Compare classifiers tested on the same samples, and plot the result.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        predictions : mapping of str to array-like of shape (n_samples,), or DataFrame
            Predicted labels of T >= 2 classifiers, by name or column.
        rope, labels, sample_weight, weight_type, groups, class_weight, prior, random_state
            As for :func:`~skpostbac.compare_predictions`.
        ax, **plot_params
            As for :meth:`plot`.

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
        '.97'
        >>> plt.close(display.figure_)
        """
        comparison = compare_predictions(
            y_true,
            predictions,
            rope=rope,
            labels=labels,
            sample_weight=sample_weight,
            weight_type=weight_type,
            groups=groups,
            class_weight=class_weight,
            prior=prior,
            random_state=random_state,
        )
        return cls(comparison).plot(ax, **plot_params)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        *,
        rope: float = 0.0,
        labels: ArrayLike | None = None,
        prior: PriorLike = DEFAULT_PRIOR,
        class_weight: ClassWeightLike = None,
        n_repeats: int | None = None,
        random_state: RandomStateLike = 0,
        name: Sequence[str] | None = None,
        ax: Axes | None = None,
        **plot_params: Any,
    ) -> PosteriorComparisonDisplay:
        """Compare the candidates of a search sample by sample, and plot the result.

        Parameters
        ----------
        cv_results : dict or DataFrame
            ``cv_results_`` of a search of T >= 2 candidates with ``scoring=OutcomesScorer(...)``.
        rope, prior, class_weight, random_state
            As for :func:`~skpostbac.compare_predictions`.
        labels, n_repeats
            As for :func:`~skpostbac.pooled_paired_counts`.
        name : sequence of str, default=None
            Names of the candidates, by default the parameters in which they differ.
        ax, **plot_params
            As for :meth:`plot`.

        Returns
        -------
        display : PosteriorComparisonDisplay

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.model_selection import GridSearchCV
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from skpostbac import OutcomesScorer, PosteriorComparisonDisplay
        >>> X, y = load_wine(return_X_y=True)
        >>> search = GridSearchCV(
        ...     DecisionTreeClassifier(random_state=0),
        ...     {"max_depth": [2, 3, 4]},
        ...     scoring=OutcomesScorer(len(y)),
        ...     refit=False,
        ... ).fit(X, y)
        >>> display = PosteriorComparisonDisplay.from_cv_results(search.cv_results_, kind="matrix")
        >>> [text.get_text() for text in display.ax_.get_yticklabels()]
        ['max_depth=4', 'max_depth=3', 'max_depth=2']
        >>> display.artists_["texts"][0, 1].get_text()  # a depth of 4 is better than 3
        '.96'
        >>> plt.close(display.figure_)
        """
        counts = pooled_paired_counts(cv_results, labels=labels, n_repeats=n_repeats)
        names = check_names(name, cv_results, len(fold_counts(cv_results).correct))
        names = [names[int(candidate)] for candidate in counts.names]
        comparison = PosteriorComparison.from_paired_counts(
            PairedCounts(names, counts.classes, counts.class_index, counts.patterns, counts.counts),
            rope=rope,
            class_weight=class_weight,
            prior=prior,
            random_state=random_state,
        )
        return cls(comparison).plot(ax, **plot_params)

    @classmethod
    def from_posteriors(
        cls,
        posteriors: Mapping[str, PosteriorBalancedAccuracy],
        *,
        rope: float = 0.0,
        ax: Axes | None = None,
        **plot_params: Any,
    ) -> PosteriorComparisonDisplay:
        """Compare classifiers tested on independent test sets, and plot the result.

        Parameters
        ----------
        posteriors : mapping of str to PosteriorBalancedAccuracy
            Posteriors of T >= 2 classifiers, by name.
        rope : float, default=0.0
            Half-width of the region of practical equivalence.
        ax, **plot_params
            As for :meth:`plot`.

        Returns
        -------
        display : PosteriorComparisonDisplay

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorBalancedAccuracy, PosteriorComparisonDisplay
        >>> one = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
        >>> three = PosteriorBalancedAccuracy.from_counts([32, 9, 4], [32, 10, 4])
        >>> display = PosteriorComparisonDisplay.from_posteriors(
        ...     {"C1": one, "C3": three}, kind="ranks"
        ... )
        >>> [float(bar.get_width()) for bar in display.artists_["bars"][0]]
        [0.922, 0.078]
        >>> plt.close(display.figure_)
        """
        return cls(compare_posteriors(posteriors, rope=rope)).plot(ax, **plot_params)
