"""Plots of the results, and their bytes in a file or a page."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from skpostbac._cli.results import Evaluation
from skpostbac._plot import rows_size
from skpostbac.displays import PosteriorComparisonDisplay, PosteriorDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Formats by file name extension, with the metadata that keeps the date out of the file: the same
# evaluation gives the same bytes.
FORMATS: dict[str, dict[str, None]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}

# The warning of matplotlib if its font lacks a character.
MISSING = "Glyph .* missing from font"
# With more rows than this, plot intervals instead of densities.
MOST_RIDGES = 12
# With more classes than this, do not plot each class.
MOST_CLASSES = 40


# Widths in inches of a page on a screen or paper, and on a phone. A page contains plots of both and
# shows one: the text of a wide plot shrunk to a phone would be too small to read.
WIDE, NARROW = 7.2, 4.2


def draw_picture(evaluation: Evaluation, file_format: str) -> tuple[bytes, bool]:
    """Plot the posteriors to bytes; also return whether the font has all characters."""
    figure = _plot_posteriors(evaluation, WIDE)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", MISSING, UserWarning)
        try:
            return _encode(figure, file_format, "skpostbac", dpi=200), True
        except UserWarning:
            warnings.filterwarnings("ignore", MISSING, UserWarning)
        return _encode(figure, file_format, "skpostbac", dpi=200), False


def page_plots(evaluation: Evaluation) -> dict[str, tuple[str, str]]:
    """Return the plots of a page by caption, each as a wide and a narrow SVG element."""
    level = f"{100 * evaluation.settings.level:.12g}%"
    is_shaded = len(evaluation.posteriors) <= MOST_RIDGES
    interval = f"{level} interval shaded" if is_shaded else f"mean and {level} interval"
    caption = (
        f"Posterior of the balanced accuracy: {interval}, chance level dotted."
        if evaluation.n_classes > 1
        else f"Posterior of the recall: {interval}."
    )
    plots: dict[str, Callable[[Evaluation, float], Figure]] = {caption: _plot_posteriors}
    names = evaluation.ranking
    if evaluation.comparison is not None:
        caption = f"How much better {names[0]} is than {names[1]}; the bar is the {level} interval."
        plots[caption] = _plot_difference
    if 1 < evaluation.n_classes <= MOST_CLASSES:
        plots[f"Accuracy of {names[0]} on each class, with {level} intervals."] = _plot_recalls
    with warnings.catch_warnings():
        # The SVG keeps the text as text: the browser may have fonts that matplotlib lacks.
        warnings.filterwarnings("ignore", MISSING, UserWarning)
        return {
            caption: (
                _to_element(plot(evaluation, WIDE), caption),
                _to_element(plot(evaluation, NARROW), f"{caption} (narrow)"),
            )
            for caption, plot in plots.items()
        }


def _plot_posteriors(evaluation: Evaluation, width: float) -> Figure:
    """Plot the posterior of each classifier, best first, and the chance level."""
    n = len(evaluation.posteriors)
    figure, ax = _new_axes(width, rows_size(n)[1])
    PosteriorDisplay({name: evaluation.posteriors[name] for name in evaluation.ranking}).plot(
        ax,
        kind="ridge" if n <= MOST_RIDGES else "forest",
        level=evaluation.settings.level,
        plot_chance_level=evaluation.n_classes > 1,
        despine=True,
    )
    return figure


def _plot_difference(evaluation: Evaluation, width: float) -> Figure:
    """Plot the difference between the best classifier and the next best."""
    assert evaluation.comparison is not None
    figure, ax = _new_axes(width, 3.6)
    PosteriorComparisonDisplay(evaluation.comparison).plot(
        ax, kind="difference", level=evaluation.settings.level, despine=True
    )
    return figure


def _plot_recalls(evaluation: Evaluation, width: float) -> Figure:
    """Plot the recall of each class for the best classifier."""
    figure, ax = _new_axes(width, rows_size(evaluation.n_classes + 1)[1])
    posterior = evaluation.posteriors[evaluation.ranking[0]]
    PosteriorDisplay.from_recalls(posterior, ax=ax, level=evaluation.settings.level, despine=True)
    return figure


def _new_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure that is not managed by `pyplot`, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    ax = figure.subplots()
    ax.locator_params(axis="x", nbins=6 if width == WIDE else 2)
    return figure, ax


def _to_element(figure: Figure, salt: str) -> str:
    """Return an SVG element; the salt makes its identifiers unique in a page."""
    text = _encode(figure, "svg", salt, fonttype="none").decode()
    return text[text.index("<svg") :]


def _encode(
    figure: Figure, file_format: str, salt: str, *, fonttype: str = "path", dpi: float = 100
) -> bytes:
    import matplotlib as mpl

    picture = io.BytesIO()
    with mpl.rc_context({"svg.fonttype": fonttype, "svg.hashsalt": salt}):
        figure.savefig(picture, format=file_format, dpi=dpi, metadata=FORMATS[file_format])
    return picture.getvalue()
