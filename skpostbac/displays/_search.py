"""Plot of the candidates of a search against one parameter, with credible intervals."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import FitFailedWarning
from sklearn.utils.validation import check_is_fitted

from skpostbac._plot import (
    Kwargs,
    all_intervals,
    chance_kwargs,
    check_kwargs,
    check_matplotlib,
    despine_axes,
    estimate,
    estimate_title,
    free_styles,
    ink,
    label_axis,
    legend_below,
    line_kwargs,
    literal,
    own_axes,
    points,
    settle,
    shorten,
    with_score,
)
from skpostbac._utils import Floats, check_flags, input_errors, is_integer, shown
from skpostbac.displays._candidates import UNSET, count_values, varying_params
from skpostbac.displays._values import ValueAxis, place_values
from skpostbac.metrics import PosteriorBalancedAccuracy, PriorInfluenceWarning, SelectedPosterior
from skpostbac.metrics._priors import DEFAULT_PRIOR, ClassWeightLike, PriorLike
from skpostbac.model_selection import PosteriorRefit, pooled_posteriors, selected_posterior
from skpostbac.model_selection._pooling import (
    TrainingVariation,
    candidate_params,
    fold_counts,
    fold_words,
)
from skpostbac.stats._distribution import DEFAULT_INTERVAL, IntervalMethod

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

MARKERS = ("o", "s", "^", "D", "v", "P")
ERRORBAR_STYLE = {"linewidth": 1, "elinewidth": 1.5, "markersize": 5, "capsize": 2}
BEST_STYLE = {
    "linestyle": "none",
    "marker": "o",
    "markersize": 13,
    "markerfacecolor": "none",
    "markeredgewidth": 1.5,
    "zorder": 3,
}

CORRECTED_STYLE: dict[str, Any] = {"fmt": "D", "markersize": 4, "elinewidth": 1, "capsize": 4}

# With more combinations of the other parameters than colours, a legend does not help.
MAX_LINES = 6

# Candidates with the same value are plotted side by side: within this fraction of the distance to
# the next value, and at most this many points apart.
SPREAD, LARGEST_SHIFT = 0.6, 5.0


class _Line(NamedTuple):
    """Candidates plotted as one line."""

    candidates: NDArray[np.intp]
    """From left to right."""
    style: dict[str, Any]
    shift: float
    """How far it is moved to the right, in points."""


class PosteriorSearchDisplay:
    """Plot of the posterior balanced accuracy of search candidates against one parameter.

    Create it with :meth:`from_search` or :meth:`from_cv_results`. All parameters are stored as
    attributes.

    Parameters
    ----------
    param : str
        Name of the parameter.
    values : sequence of length n_candidates
        Value of the parameter for each candidate.
    posteriors : sequence of PosteriorBalancedAccuracy, of length n_candidates
        Pooled posteriors of the candidates.
    groups : sequence of str, of length n_candidates, default=None
        Other parameters of each candidate. Up to six different groups are plotted as lines.
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
    'Chosen (0.91 [0.87, 0.95])'
    """

    def __init__(
        self,
        *,
        param: str,
        values: Sequence[Any],
        posteriors: Sequence[PosteriorBalancedAccuracy],
        groups: Sequence[str] | None = None,
        best_index: int | None = None,
        corrected: SelectedPosterior | None = None,
    ) -> None:
        if not isinstance(param, str):
            raise TypeError(f"param must be a string, got {shown(param)}")
        _check_candidates(values, posteriors, groups, best_index)
        self.param = param
        self.values = values
        self.posteriors = posteriors
        self.groups = groups
        if corrected is not None and (
            best_index is None or not isinstance(corrected, SelectedPosterior)
        ):
            raise TypeError(
                "corrected must be a SelectedPosterior of the candidate at best_index, or None, "
                f"got {shown(corrected)}"
            )
        self.best_index = best_index
        self.corrected = corrected

    @classmethod
    def from_search(
        cls, search: Any, param: str | None = None, **options: Any
    ) -> PosteriorSearchDisplay:
        """Plot the candidates of a fitted search.

        Parameters
        ----------
        search : GridSearchCV or RandomizedSearchCV
            Fitted with ``scoring=ClassCountsScorer()`` or :class:`OutcomesScorer`. Its
            ``best_index_`` is marked, if available.
        param : str, default=None
            As for :meth:`from_cv_results`.
        **options
            As for :meth:`from_cv_results`. The defaults of `labels`, `prior`, `class_weight` and
            `n_repeats` come from the :class:`PosteriorRefit` of the search, if it has one.

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
        >>> from skpostbac import ClassCountsScorer, PosteriorRefit, PosteriorSearchDisplay
        >>> X, y = load_wine(return_X_y=True)
        >>> tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4]}
        >>> rule = PosteriorRefit("lower")
        >>> search = GridSearchCV(tree, grid, scoring=ClassCountsScorer(), refit=rule).fit(X, y)
        >>> display = PosteriorSearchDisplay.from_search(search, method="hdi")
        >>> display.best_.get_label()
        'Chosen (0.913 [0.871, 0.952])'
        >>> plt.close(display.figure_)
        """
        if isinstance(search, type) or not hasattr(search, "fit"):
            raise TypeError(f"search must be a fitted search, got {shown(search)}")
        check_is_fitted(search, "cv_results_")
        best_index = getattr(search, "best_index_", None)
        options = {"best_index": best_index, **_pooling_of(search.refit), **options}
        return cls.from_cv_results(search.cv_results_, param, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        param: str | None = None,
        *,
        best_index: int | None = None,
        labels: ArrayLike | None = None,
        prior: PriorLike = DEFAULT_PRIOR,
        class_weight: ClassWeightLike = None,
        n_repeats: int | None = None,
        training_variation: TrainingVariation = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> PosteriorSearchDisplay:
        """Plot the candidates of a search, given its ``cv_results_``.

        Parameters
        ----------
        cv_results : dict or DataFrame
            ``cv_results_`` of a search with ``scoring=ClassCountsScorer()``, or a
            ``pandas.DataFrame`` of it.
        param : str, default=None
            Name of a parameter of the search, such as "max_depth" or "model__max_depth"; by
            default the one with the most values, or the first of them in a tie.
        best_index : int, default=None
            Position of the chosen candidate, which is marked; by default none is. If it is the best
            one and the search used :class:`OutcomesScorer`, its posterior corrected for selection
            is plotted, too (:func:`selected_posterior`, seed 0).
        labels, prior, class_weight, n_repeats, training_variation
            As for :func:`pooled_posteriors`.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **plot_options
            As for :meth:`plot`.

        Returns
        -------
        display : PosteriorSearchDisplay

        Raises
        ------
        ValueError
            If there are no parameters, `param` is not one of them, `best_index` is out of range,
            or all candidates failed, or as for :func:`pooled_posteriors`.
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
        >>> tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4]}
        >>> search = GridSearchCV(tree, grid, scoring=ClassCountsScorer(), refit=False).fit(X, y)
        >>> display = PosteriorSearchDisplay.from_cv_results(search.cv_results_, best_index=1)
        >>> display.best_.get_label()
        'Chosen (0.82 [0.76, 0.87])'
        >>> plt.close(display.figure_)
        """
        check_matplotlib(f"{cls.__name__}.from_cv_results")
        params = _params(cv_results, len(fold_counts(cv_results).correct))
        param = _check_param(param, params)
        _check_index(best_index, len(params))
        groups = varying_params(params, but=param)
        pooling: dict[str, Any] = {
            "labels": labels,
            "prior": prior,
            "class_weight": class_weight,
            "n_repeats": n_repeats,
            "training_variation": training_variation,
        }
        posteriors = dict(enumerate(pooled_posteriors(cv_results, **pooling)))
        fitted = {i: posterior for i, posterior in posteriors.items() if posterior is not None}
        display = cls(
            param=param,
            values=[params[i].get(param, UNSET) for i in fitted],
            posteriors=list(fitted.values()),
            groups=[groups[i] for i in fitted],
            best_index=list(fitted).index(best_index) if best_index in fitted else None,
            corrected=_corrected(cv_results, best_index, **pooling),
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
        chance_level_kw: Kwargs = None,
        despine: bool = False,
    ) -> PosteriorSearchDisplay:
        """Plot the candidates.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default. The candidates get colours not yet used in
            them.
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).
        method : {"hdi", "central"}, default="hdi"
            Shortest interval, or the one with equal probability in both tails.
        plot_chance_level : bool, default=False
            Whether to plot the chance level.
        errorbar_kwargs : dict, default=None
            Keyword arguments of matplotlib's `errorbar` for the means and intervals.
        best_kwargs, chance_level_kw : dict, default=None
            Keyword arguments of matplotlib's `plot` for the marker of the chosen candidate, and of
            `axhline` for the chance level.
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
        >>> posteriors = [PosteriorBalancedAccuracy.from_counts([n, 8], [32, 10]) for n in (20, 30)]
        >>> display = PosteriorSearchDisplay(param="C", values=[1, 2], posteriors=posteriors).plot()
        >>> display.errorbars_[0].lines[0].get_ydata().round(4)
        array([0.697 , 0.8485])
        >>> plt.close(display.figure_)
        """
        check_flags(plot_chance_level=plot_chance_level, despine=despine)
        check_kwargs(
            errorbar_kwargs=errorbar_kwargs,
            best_kwargs=best_kwargs,
            chance_level_kw=chance_level_kw,
        )
        mean = np.array([posterior.mean() for posterior in self.posteriors])
        intervals = all_intervals([p.distribution for p in self.posteriors], level, method)
        self.ax_ = ax = own_axes(ax, f"{type(self).__name__}.plot", figsize=(6.4, 5.2))
        self.figure_ = ax.figure
        is_first = not ax.has_data()
        axis = place_values(self.values)
        axis.scale(ax)
        lines = _lines(ax, axis, [""] * len(mean) if self.groups is None else self.groups)
        bars = _Errorbars(axis.x, mean, *np.transpose(intervals))
        self.errorbars_ = tuple(bars.draw(ax, lines, errorbar_kwargs))
        _widen(ax, max(line.shift for line in lines))
        self.best_ = self.corrected_ = None
        if (best := self.best_index) is not None:
            label = with_score("Chosen", estimate(mean[best], intervals[best]))
            self.best_ = _mark_best(ax, axis.x[best], mean[best], label, best_kwargs)
            marks: list[Artist] = [self.best_]
            if self.corrected is not None:
                self.corrected_ = _draw_corrected(ax, axis.x[best], self.corrected, level, method)
                marks += self.corrected_.get_children()
            _shift(marks, next(line.shift for line in lines if best in line.candidates))
        self.chance_level_ = self._plot_chance_level(chance_level_kw) if plot_chance_level else None
        axis.write_ticks(ax, is_first)
        label_axis(ax.xaxis, self.param)
        ax.set_ylabel(f"Balanced accuracy\n{estimate_title(level, method)}")
        if despine:
            despine_axes(ax, "top", "right")
        legend_below(ax)
        settle(ax)
        return self

    def _plot_chance_level(self, kwargs: Kwargs) -> Line2D:
        chance = self.posteriors[0].chance
        return self.ax_.axhline(chance, **chance_kwargs(chance, kwargs))


@dataclass(frozen=True)
class _Errorbars:
    """Positions of the candidates, their means and the ends of their intervals."""

    x: Floats
    mean: Floats
    low: Floats
    high: Floats

    def draw(self, ax: Axes, lines: Iterable[_Line], kwargs: Kwargs) -> Iterator[ErrorbarContainer]:
        for line in lines:
            # As lists: matplotlib asks whether an array of one number is finite, of which
            # NumPy before 2.4 warns.
            index = line.candidates
            below, above = (self.mean - self.low)[index], (self.high - self.mean)[index]
            bars = ax.errorbar(
                self.x[index],
                self.mean[index],
                yerr=[below.tolist(), above.tolist()],
                **line_kwargs(line.style, kwargs),
            )
            _shift(bars.get_children(), line.shift)
            yield bars


def _shift(artists: Iterable[Artist], shift: float) -> None:
    """Move artists sideways by a number of points; their data values do not change."""
    from matplotlib.transforms import ScaledTranslation

    for artist in artists:
        inches = artist.axes.figure.dpi_scale_trans  # type: ignore[union-attr]
        artist.set_transform(artist.get_transform() + ScaledTranslation(shift / 72, 0, inches))


def _widen(ax: Axes, shift: float) -> None:
    """Widen the margins of the axes for candidates moved by this many points."""
    share = (shift + LARGEST_SHIFT) / points(ax, ax.get_window_extent().width)
    ax.set_xmargin(max(ax.get_xmargin(), share / (1 - 2 * share)))


def _mark_best(ax: Axes, x: float, y: float, label: str, kwargs: Kwargs) -> Line2D:
    style = {**BEST_STYLE, "color": ink(ax), "label": label}
    (mark,) = ax.plot(x, y, **line_kwargs(style, kwargs))
    return mark


def _draw_corrected(
    ax: Axes, x: float, posterior: SelectedPosterior, level: float, method: IntervalMethod
) -> ErrorbarContainer:
    mean, interval = posterior.mean(), posterior.credible_interval(level, method=method)
    return ax.errorbar(
        [x],
        [mean],
        yerr=[[mean - interval.low], [interval.high - mean]],
        label=with_score("Corrected for the choice", estimate(mean, interval)),
        **CORRECTED_STYLE,
        color=ink(ax),
    )


def _corrected(cv_results: Any, best_index: int | None, **options: Any) -> SelectedPosterior | None:
    """Return the corrected posterior of the best candidate, if it is at `best_index`."""
    if best_index is None or fold_words(cv_results) is None:
        return None
    with warnings.catch_warnings():  # given for the pooled posteriors already
        warnings.simplefilter("ignore", PriorInfluenceWarning)
        warnings.simplefilter("ignore", FitFailedWarning)
        selected = selected_posterior(cv_results, random_state=0, **options)
    return selected if selected.candidate == best_index else None


def _check_candidates(
    values: Sequence[Any], posteriors: Sequence[Any], groups: Any, best_index: Any
) -> None:
    """Raise if the arguments do not match the number of posteriors."""
    sizes = {"values": values, "posteriors": posteriors}
    if groups is not None:
        sizes["groups"] = groups
    for name, entries in sizes.items():
        with input_errors(f"{name} must be a sequence"):
            len(entries), iter(entries)
    for place, posterior in enumerate(posteriors):
        if not isinstance(posterior, PosteriorBalancedAccuracy):
            name = type(posterior).__name__
            raise TypeError(f"posteriors[{place}] must be a PosteriorBalancedAccuracy, got {name}")
    n = len(posteriors)
    if not n or len(values) != n or (groups is not None and len(groups) != n):
        raise ValueError(
            "values and groups must have one entry for each of one or more posteriors, got "
            f"{len(values)} values{'' if groups is None else f' and {len(groups)} groups'} "
            f"for {n} posteriors"
        )
    if groups is not None and not all(isinstance(group, str) for group in groups):
        raise TypeError(f"groups must be strings, got {shown(groups)}")
    _check_index(best_index, n)


def _lines(ax: Axes, axis: ValueAxis, groups: Sequence[str]) -> list[_Line]:
    """Return the lines of all candidates; those with the same value are side by side."""
    order = np.argsort(axis.x, kind="stable")
    names = list(dict.fromkeys(groups))
    if len(names) > MAX_LINES:
        return _points(ax, axis, order)
    of_name = np.array([names.index(group) for group in groups])[order]
    labels = [literal(name) for name in shorten(names)]
    lines = []
    columns = MARKERS, labels, free_styles(ax, len(names)), _shifts(ax, axis, len(names))
    for number, (marker, label, style, shift) in enumerate(zip(*columns, strict=False)):
        line = {**style, **ERRORBAR_STYLE, "marker": marker}
        if not axis.is_ordered:
            line["linestyle"] = "none"
        if label:
            line["label"] = label
        lines.append(_Line(order[of_name == number], line, shift))
    return lines


def _points(ax: Axes, axis: ValueAxis, order: NDArray[np.intp]) -> list[_Line]:
    """Return candidates plotted without lines: the first, second, ... of each value."""
    (style,) = free_styles(ax, 1)
    style = {**style, **ERRORBAR_STYLE, "linestyle": "none", "marker": "o"}
    _, first, counts = np.unique(axis.x[order], return_index=True, return_counts=True)
    rank = np.arange(len(order)) - np.repeat(first, counts)
    shifts = _shifts(ax, axis, int(counts.max()))
    return [_Line(order[rank == number], style, shift) for number, shift in enumerate(shifts)]


def _shifts(ax: Axes, axis: ValueAxis, n: int) -> list[float]:
    """Return the sideways shifts of `n` candidates with the same value, in points."""
    step = min(LARGEST_SHIFT, SPREAD * axis.step(ax) / n)
    return [step * (number - (n - 1) / 2) for number in range(n)]


def _params(cv_results: Any, n_candidates: int) -> list[dict[str, Any]]:
    if "params" not in cv_results:
        raise ValueError("cv_results must come from a search, but has no 'params'")
    return candidate_params(cv_results, n_candidates)


def _check_param(param: object, params: Sequence[dict[str, Any]]) -> str:
    """Return the parameter of the x-axis, by default the one with the most values."""
    n_values = count_values(params)
    if not n_values:
        raise ValueError("cv_results must come from a search with parameters")
    if param is None:
        return max(n_values, key=lambda name: n_values[name])
    if not isinstance(param, str) or param not in n_values:
        raise ValueError(f"param must be one of {sorted(n_values)}, got {shown(param)}")
    return param


def _check_index(best_index: object, n_candidates: int) -> None:
    if best_index is None:
        return
    if not is_integer(best_index) or not 0 <= best_index < n_candidates:
        raise ValueError(
            f"best_index must be the position of one of {n_candidates} candidates, from 0 to "
            f"{n_candidates - 1}, got {shown(best_index)}"
        )


def _pooling_of(refit: Any) -> dict[str, Any]:
    """Return the pooling options of the refit rule of a search."""
    if not isinstance(refit, PosteriorRefit):
        return {}
    names = ("labels", "prior", "class_weight", "n_repeats")
    return {name: getattr(refit, name) for name in names}
