"""Plot of the candidates of a search against one parameter, and names of candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from skpostbac import _plot
from skpostbac._plot import Kwargs, Plot
from skpostbac._utils import check_choice, input_errors, is_integer, shown
from skpostbac.metrics import PosteriorBalancedAccuracy, SelectedPosterior
from skpostbac.model_selection import PosteriorRefit, pooled_posteriors
from skpostbac.model_selection._pooling import candidate_params, fold_counts
from skpostbac.model_selection._selection import corrected_choice
from skpostbac.stats._distribution import DEFAULT_INTERVAL, IntervalMethod

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Params: TypeAlias = Mapping[str, Any]

# Value of a parameter for candidates without it.
UNSET = "(not set)"
# Markers of the lines. If there are more combinations of the other parameters, a legend
# would be too long to be useful.
MARKERS = ("o", "s", "^", "D", "v", "P")
ERRORBAR_STYLE = {"linewidth": 1, "elinewidth": 1.5, "markersize": 5, "capsize": 2}
BEST_STYLE: dict[str, Any] = {
    "marker": "o",
    "linestyle": "none",
    "zorder": 3,
    "markersize": 13,
    "markerfacecolor": "none",
    "markeredgewidth": 1.5,
}
CORRECTED_STYLE: dict[str, Any] = {
    "fmt": "D",
    "markersize": 4,
    "elinewidth": 1,
    "capsize": 4,
}
# Candidates with the same value are plotted side by side: within this fraction of the
# distance to the next value, and at most this many points apart.
SPREAD = 0.6
MAX_SPACING = 5.0


class PosteriorSearchDisplay(Plot):
    """Plot of the posterior balanced accuracy of search candidates by parameter value.

    Create it with :meth:`from_search` or :meth:`from_cv_results`. All parameters are
    stored as attributes.

    Parameters
    ----------
    param_name : str
        Name of the parameter.
    values : sequence of length n_candidates
        Value of the parameter for each candidate.
    posteriors : sequence of PosteriorBalancedAccuracy, of length n_candidates
        Pooled posteriors of the candidates.
    groups : sequence of str, of length n_candidates, default=None
        Other parameters of each candidate. Up to six different groups are plotted as
        lines.
    best_index : int, default=None
        Position of the chosen candidate.
    corrected : SelectedPosterior, default=None
        Posterior of the chosen candidate, corrected for selection, as returned by
        :func:`selected_posterior`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the candidates.
    figure_ : matplotlib Figure
        Figure of the axes.
    errorbars_ : tuple of matplotlib ErrorbarContainer
        Posterior means and credible intervals, one container for each line.
    best_ : matplotlib Line2D or None
        Marker of the chosen candidate.
    corrected_ : matplotlib ErrorbarContainer or None
        Mean and interval of the chosen candidate, corrected for selection.
    chance_level_ : matplotlib Line2D or None
        The chance level line.

    See Also
    --------
    pooled_posteriors : Compute the posteriors of the candidates.
    PosteriorRefit : Choose a candidate.
    sklearn.model_selection.ValidationCurveDisplay : Plot scores against one parameter.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import ClassCountsScorer, PosteriorRefit, PosteriorSearchDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [1, 2, 3, 4]},
    ...     scoring=ClassCountsScorer(),
    ...     refit=PosteriorRefit("lower"),
    ... ).fit(X, y)
    >>> display = PosteriorSearchDisplay.from_search(search)
    >>> display.best_.get_label()
    'Chosen, not corrected (0.91 [0.87, 0.95])'
    """

    def __init__(
        self,
        *,
        param_name: str,
        values: Sequence[Any],
        posteriors: Sequence[PosteriorBalancedAccuracy],
        groups: Sequence[str] | None = None,
        best_index: int | None = None,
        corrected: SelectedPosterior | None = None,
    ) -> None:
        if not isinstance(param_name, str):
            raise TypeError(f"param_name must be a string, got {shown(param_name)}")
        sequences: Any = {"posteriors": posteriors, "values": values}
        if groups is not None:
            sequences["groups"] = groups
        sizes = {}
        for name, entries in sequences.items():
            with input_errors(f"{name} must be a sequence"):
                sizes[name] = len(list(entries))
        if not len(posteriors) or len(set(sizes.values())) > 1:
            raise ValueError(
                "posteriors, values and groups must have the same length of at least "
                f"1, got {sizes}"
            )
        for i, posterior in enumerate(sequences["posteriors"]):
            if not isinstance(posterior, PosteriorBalancedAccuracy):
                got = type(posterior).__name__
                raise TypeError(
                    f"posteriors[{i}] must be a PosteriorBalancedAccuracy, got {got}"
                )
        if not all(isinstance(group, str) for group in groups or ()):
            raise TypeError(f"groups must be strings, got {shown(groups)}")

        _check_index(best_index, len(posteriors))
        is_corrected = best_index is not None and isinstance(
            corrected, SelectedPosterior
        )
        if corrected is not None and not is_corrected:
            raise TypeError(
                "corrected must be a SelectedPosterior of the candidate at best_index, "
                f"or None, got {shown(corrected)}"
            )

        self.param_name = param_name
        self.values = values
        self.posteriors = posteriors
        self.groups = groups
        self.best_index = best_index
        self.corrected = corrected

    @classmethod
    def from_search(
        cls, search: Any, param_name: str | None = None, **options: Any
    ) -> PosteriorSearchDisplay:
        """Plot the candidates of a fitted search.

        Parameters
        ----------
        search : GridSearchCV or RandomizedSearchCV
            Fitted with ``scoring=ClassCountsScorer()`` or :class:`OutcomesScorer`. Its
            ``best_index_`` is marked, if available.
        param_name : str, default=None
            As for :meth:`from_cv_results`.
        **options
            As for :meth:`from_cv_results`. The defaults of `labels`, `prior`,
            `class_weight` and `n_repeats` come from the :class:`PosteriorRefit` of the
            search, if it has one.

        Returns
        -------
        display : PosteriorSearchDisplay

        Raises
        ------
        NotFittedError
            If the search is not fitted.
        ValueError, TypeError, ImportError
            As for :meth:`from_cv_results`.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.model_selection import GridSearchCV
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from skpostbac import ClassCountsScorer, PosteriorRefit
        >>> from skpostbac import PosteriorSearchDisplay
        >>> X, y = load_wine(return_X_y=True)
        >>> search = GridSearchCV(
        ...     DecisionTreeClassifier(random_state=0),
        ...     {"max_depth": [1, 2, 4]},
        ...     scoring=ClassCountsScorer(),
        ...     refit=PosteriorRefit("lower"),
        ... ).fit(X, y)
        >>> display = PosteriorSearchDisplay.from_search(search, method="hdi")
        >>> display.best_.get_label()
        'Chosen, not corrected (0.913 [0.871, 0.952])'
        >>> plt.close(display.figure_)
        """
        check_is_fitted(search, "cv_results_")

        defaults = {"best_index": getattr(search, "best_index_", None)}
        if isinstance(rule := search.refit, PosteriorRefit):
            for name in ("labels", "prior", "class_weight", "n_repeats"):
                defaults[name] = getattr(rule, name)
        return cls.from_cv_results(search.cv_results_, param_name, **defaults | options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        param_name: str | None = None,
        *,
        best_index: int | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> PosteriorSearchDisplay:
        """Plot the candidates of a search, given its ``cv_results_``.

        Parameters
        ----------
        cv_results : dict or DataFrame
            ``cv_results_`` of a search with ``scoring=ClassCountsScorer()``, or a
            ``pandas.DataFrame`` of it.
        param_name : str, default=None
            Name of a parameter of the search, such as "max_depth" or
            "model__max_depth"; by default the one with the most values, or the first of
            them in a tie.
        best_index : int, default=None
            Position of the chosen candidate, which is marked; by default none is. If it
            is the best one and the search used :class:`OutcomesScorer`, its posterior
            corrected for selection is plotted, too (:func:`selected_posterior`, seed
            0). Otherwise, the legend says that it is not corrected.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **options
            As for :func:`~skpostbac.pooled_posteriors`: `labels`, `prior`,
            `class_weight`, `n_repeats` and `training_variation`; and those of
            :meth:`plot`.

        Returns
        -------
        display : PosteriorSearchDisplay

        Raises
        ------
        ValueError
            If there are no parameters, `param_name` is not one of them, `best_index` is
            out of range, or all candidates failed, or as for
            :func:`~skpostbac.pooled_posteriors`.
        ImportError
            If matplotlib is not installed.

        Warns
        -----
        FitFailedWarning
            If candidates are left out because some of their fits failed.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.model_selection import GridSearchCV
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from skpostbac import ClassCountsScorer, PosteriorSearchDisplay
        >>> X, y = load_wine(return_X_y=True)
        >>> search = GridSearchCV(
        ...     DecisionTreeClassifier(random_state=0),
        ...     {"max_depth": [1, 2, 4]},
        ...     scoring=ClassCountsScorer(),
        ...     refit=False,
        ... ).fit(X, y)
        >>> display = PosteriorSearchDisplay.from_cv_results(
        ...     search.cv_results_, best_index=1
        ... )
        >>> display.best_.get_label()
        'Chosen, not corrected (0.82 [0.76, 0.87])'
        >>> plt.close(display.figure_)
        """
        n_candidates = len(fold_counts(cv_results).correct)
        if "params" not in cv_results:
            raise ValueError("cv_results must come from a search, but has no 'params'")
        params = candidate_params(cv_results, n_candidates)
        n_values = count_values(params)
        if not n_values:
            raise ValueError("cv_results must come from a search with parameters")
        if param_name is None:
            param_name = max(n_values, key=lambda name: n_values[name])
        check_choice(param_name, sorted(n_values), "param_name")
        _check_index(best_index, len(params))

        options, plot_options = cls._split(options)
        posteriors = enumerate(pooled_posteriors(cv_results, **options))
        fitted = {i: posterior for i, posterior in posteriors if posterior is not None}
        groups = varying_params(params, exclude=param_name)
        display = cls(
            param_name=param_name,
            values=[params[i].get(param_name, UNSET) for i in fitted],
            posteriors=list(fitted.values()),
            groups=[groups[i] for i in fitted],
            best_index=list(fitted).index(best_index) if best_index in fitted else None,
            corrected=corrected_choice(cv_results, best_index, **options),
        )
        return display.plot(ax, **plot_options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        level: float = 0.95,
        method: IntervalMethod = DEFAULT_INTERVAL,
        plot_chance_level: bool = False,
        errorbar_kwargs: Kwargs = None,
        best_kwargs: Kwargs = None,
        chance_level_kwargs: Kwargs = None,
        despine: bool = False,
    ) -> PosteriorSearchDisplay:
        """Plot the candidates.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default. The candidates get colours not yet
            used in them.
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).
        method : {"hull", "hdi", "central"}, default="hull"
            Hull of both other intervals, the shortest interval, or the one with equal
            probability in both tails.
        plot_chance_level : bool, default=False
            Whether to plot the chance level.
        errorbar_kwargs : dict, default=None
            Keyword arguments of matplotlib's `errorbar` for the means and intervals.
        best_kwargs, chance_level_kwargs : dict, default=None
            Keyword arguments of matplotlib's `plot` for the marker of the chosen
            candidate, and of `axhline` for the chance level.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : PosteriorSearchDisplay
            This object.

        Raises
        ------
        ValueError
            If `level` is outside (0, 1) or `method` is invalid.
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorBalancedAccuracy, PosteriorSearchDisplay
        >>> posteriors = [
        ...     PosteriorBalancedAccuracy.from_counts([20, 8], [32, 10]),
        ...     PosteriorBalancedAccuracy.from_counts([30, 8], [32, 10]),
        ... ]
        >>> display = PosteriorSearchDisplay(
        ...     param_name="C", values=[1, 2], posteriors=posteriors
        ... ).plot()
        >>> display.errorbars_[0].lines[0].get_ydata().round(4)
        array([0.697 , 0.8485])
        >>> plt.close(display.figure_)
        """
        mean = np.array([posterior.mean() for posterior in self.posteriors])
        intervals = _plot.all_intervals(
            [p.distribution for p in self.posteriors], level, method
        )
        ax = self._start(
            ax,
            (6.4, 5.2),
            errorbar_kwargs=errorbar_kwargs,
            best_kwargs=best_kwargs,
            chance_level_kwargs=chance_level_kwargs,
            plot_chance_level=plot_chance_level,
            despine=despine,
        )
        axis = _plot.ParamAxis.of_values(self.values)
        if axis.is_log:
            ax.set_xscale("log")

        low, high = np.transpose(intervals)
        bars = []
        shifts = np.zeros(len(mean))
        for index, style, shift in self._lines(axis):
            # As lists, since matplotlib tests arrays of one number in a way that raises
            # a warning of NumPy before 2.4.
            error = (mean - low)[index].tolist(), (high - mean)[index].tolist()
            style = _plot.merge_kwargs(style, errorbar_kwargs)
            bars.append(ax.errorbar(axis.x[index], mean[index], yerr=error, **style))
            _shift(bars[-1].get_children(), shift)
            shifts[index] = shift
        self.errorbars_ = tuple(bars)
        ax.margins(x=0.05 + 2 * shifts.max() / _plot.cell_size(ax)[0])

        self.best_ = self.corrected_ = None
        if (best := self.best_index) is not None:
            score = _plot.estimate(mean[best], intervals[best])
            name = "Chosen" if self.corrected else "Chosen, not corrected"
            label = _plot.with_score(name, score)
            color = _plot.text_color(ax)
            style = {**BEST_STYLE, "color": color, "label": label}
            style = _plot.merge_kwargs(style, best_kwargs)
            (self.best_,) = ax.plot(axis.x[best], mean[best], **style)
            artists: list[Any] = [self.best_]

            if self.corrected is not None:
                self.corrected_ = self._point(
                    axis.x[best],
                    self.corrected.mean(),
                    self.corrected.credible_interval(level, method=method),
                    "Corrected for the choice",
                    color=color,
                    **CORRECTED_STYLE,
                )
                artists += self.corrected_.get_children()
            _shift(artists, shifts[best])

        if plot_chance_level:
            chance = self.posteriors[0].chance
            style = self._chance_style(chance, chance_level_kwargs)
            self.chance_level_ = ax.axhline(chance, **style)
        axis.set_ticks(ax)
        _plot.label_axis(ax.xaxis, self.param_name)
        ax.set_ylabel(f"Balanced accuracy\n{_plot.estimate_title(level, method)}")
        return self._finish(despine)

    def _lines(
        self, axis: _plot.ParamAxis
    ) -> Iterator[tuple[NDArray[np.intp], Any, float]]:
        """Yield the candidates, the style and the shift of each line.

        The candidates of a line are ordered by value; those of different lines with the
        same value are side by side. If there are too many groups for lines, the first
        candidates of all values share a style without a line, then the second ones, and
        so on.
        """
        groups = [""] * len(self.posteriors) if self.groups is None else self.groups
        has_lines = len(set(groups)) <= len(MARKERS)
        if not has_lines:
            x = axis.x.tolist()
            groups = [f"{x[:i].count(x[i])}" for i in range(len(x))]

        names = list(dict.fromkeys(groups))
        line = np.array([names.index(group) for group in groups])
        order = np.argsort(axis.x, kind="stable")
        styles = _plot.unused_styles(self.ax_)
        if not has_lines:
            styles = repeat(next(styles))
        spacing = min(MAX_SPACING, SPREAD * axis.step(self.ax_) / len(names))
        for i, (name, default) in enumerate(zip(names, styles, strict=False)):
            style = {**default, **ERRORBAR_STYLE, "marker": "o"}
            if not (has_lines and axis.is_ordered):
                style["linestyle"] = "none"
            if has_lines:
                style["marker"] = MARKERS[i]
                style["label"] = _plot.literal(name) or None
            yield order[line[order] == i], style, spacing * (i - (len(names) - 1) / 2)


def _shift(artists: Sequence[Any], shift: float) -> None:
    """Shift artists sideways by a number of points without changing their data."""
    from matplotlib.transforms import offset_copy

    for artist in artists:
        transform = artist.get_transform()
        figure = artist.axes.figure
        artist.set_transform(offset_copy(transform, figure, x=shift, units="points"))


def _check_index(best_index: object, n_candidates: int) -> None:
    is_position = is_integer(best_index) and 0 <= best_index < n_candidates
    if best_index is not None and not is_position:
        raise ValueError(
            f"best_index must be the position of one of {n_candidates} candidates, "
            f"from 0 to {n_candidates - 1}, got {shown(best_index)}"
        )


def check_candidate_names(
    name: str | Sequence[str] | None, cv_results: Any, n_candidates: int
) -> list[str]:
    """Return the given names, or by default the parameters, one for each candidate."""
    names = candidate_names(cv_results) if name is None else name
    if not isinstance(names, str | list | tuple) or not all(
        isinstance(n, str) for n in names
    ):
        raise TypeError(
            f"name must be a string or a list of strings, got {shown(name)}"
        )

    names = [names] if isinstance(names, str) else list(names)
    if len(names) != n_candidates or len(set(names)) < n_candidates:
        raise ValueError(f"name must give {n_candidates} different names, got {names}")
    return names


def candidate_names(cv_results: Any) -> list[str]:
    """Return distinct names of the candidates of a search, or the name of pooled folds.

    Examples
    --------
    >>> candidate_names({"params": [{"C": 1, "tol": 0.1}, {"C": 2, "tol": 0.1}]})
    ['C=1', 'C=2']
    >>> candidate_names({"params": [{"C": 0.12345}, {"C": 0.123451}]})
    ['0: C=0.1235', '1: C=0.1235']
    """
    params = list(cv_results.get("params", [{}]))
    names = varying_params(params)
    if len(names) == 1:
        return ["pooled folds"]
    if len(set(names)) == len(names):
        return names
    return [f"{i}: {_params_text(one, one)}" for i, one in enumerate(params)]


def varying_params(params: Sequence[Params], exclude: str | None = None) -> list[str]:
    """Return the varying parameters of each candidate, except for one, as text."""
    varying = [
        name for name, n in count_values(params).items() if n > 1 and name != exclude
    ]
    return [_params_text(candidate, varying) for candidate in params]


def count_values(params: Sequence[Params]) -> dict[str, int]:
    """Return the number of values of each parameter."""
    names = dict.fromkeys(name for candidate in params for name in candidate)
    return {
        name: len({_plot.value_text(one.get(name, UNSET)) for one in params})
        for name in names
    }


def _params_text(params: Params, names: Iterable[str]) -> str:
    return ", ".join(
        f"{name}={_plot.value_text(params[name])}" for name in names if name in params
    )
