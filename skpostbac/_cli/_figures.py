"""The pictures of an evaluation, and how to write them."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

from skpostbac._cli._evaluation import Evaluation
from skpostbac._plot import rows_size
from skpostbac.displays import PosteriorComparisonDisplay, PosteriorDisplay
from skpostbac.model_selection import PosteriorComparison

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Formats by the end of the file name, and what keeps the date out of the file: the same
# evaluation gives the same bytes.
FORMATS: dict[str, dict[str, None]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}

# What matplotlib warns of where its font lacks a character.
MISSING = "Glyph .* missing from font"

# More rows than these are told apart better without densities.
MOST_RIDGES = 12
# Classes that are drawn one by one.
MOST_CLASSES = 40


def draw_posteriors(evaluation: Evaluation) -> Figure:
    """Draw the posterior of each classifier, the best first, and the score of guessing."""
    n = len(evaluation.posteriors)
    figure = _new_figure(n)
    posteriors = {name: evaluation.posteriors[name] for name in evaluation.ranking}
    PosteriorDisplay(posteriors).plot(
        figure.subplots(),
        kind="ridge" if n <= MOST_RIDGES else "forest",
        level=evaluation.settings.level,
        plot_chance_level=_n_classes(evaluation) > 1,
        despine=True,
    )
    return figure


def draw_difference(comparison: PosteriorComparison, level: float) -> Figure:
    """Draw how much better the best classifier is than the next."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    ax = figure.subplots()
    PosteriorComparisonDisplay(comparison).plot(ax, kind="difference", level=level, despine=True)
    return figure


def draw_recalls(evaluation: Evaluation, name: str) -> Figure:
    """Draw the accuracy of a classifier on each class."""
    figure = _new_figure(_n_classes(evaluation) + 1)
    PosteriorDisplay.from_recalls(
        evaluation.posteriors[name],
        ax=figure.subplots(),
        level=evaluation.settings.level,
        despine=True,
    )
    return figure


def page_figures(evaluation: Evaluation) -> dict[str, str]:
    """Return the pictures of a page as SVG elements, by their captions."""
    level = f"{100 * evaluation.settings.level:.12g}%"
    figures = {_caption(evaluation, level): draw_posteriors(evaluation)}
    names = evaluation.ranking
    if evaluation.comparison is not None:
        caption = f"How much better {names[0]} is than {names[1]}; the bar is the {level} interval."
        figures[caption] = draw_difference(evaluation.comparison, evaluation.settings.level)
    if 1 < _n_classes(evaluation) <= MOST_CLASSES:
        caption = f"Accuracy of {names[0]} on each class, with {level} intervals."
        figures[caption] = draw_recalls(evaluation, names[0])
    return {caption: _to_element(figure, caption) for caption, figure in figures.items()}


def _caption(evaluation: Evaluation, level: str) -> str:
    """Say what stands in the picture of the posteriors."""
    is_shaded = len(evaluation.posteriors) <= MOST_RIDGES
    interval = f"{level} interval shaded" if is_shaded else f"mean and {level} interval"
    guessing = ", guessing dotted" if _n_classes(evaluation) > 1 else ""
    return f"Posterior of the balanced accuracy: {interval}{guessing}."


def draw_picture(evaluation: Evaluation, kind: str) -> tuple[bytes, bool]:
    """Return the posteriors as a picture, and whether its font has all characters of the names."""
    figure = draw_posteriors(evaluation)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", MISSING, UserWarning)
        try:
            return _encode(figure, kind, "skpostbac", dpi=200), True
        except UserWarning:
            warnings.filterwarnings("ignore", MISSING, UserWarning)
        return _encode(figure, kind, "skpostbac", dpi=200), False


def _to_element(figure: Figure, salt: str) -> str:
    """Return an SVG element whose identifiers differ from those of other salts."""
    with warnings.catch_warnings():
        # The text stays text: the browser has fonts for it that matplotlib may lack.
        warnings.filterwarnings("ignore", MISSING, UserWarning)
        text = _encode(figure, "svg", salt, fonttype="none").decode()
    return text[text.index("<svg") :]


def _encode(
    figure: Figure, kind: str, salt: str, *, fonttype: str = "path", dpi: float = 100
) -> bytes:
    import matplotlib as mpl

    picture = io.BytesIO()
    with mpl.rc_context({"svg.fonttype": fonttype, "svg.hashsalt": salt}):
        figure.savefig(picture, format=kind, dpi=dpi, metadata=FORMATS[kind])
    return picture.getvalue()


def _new_figure(n_rows: int) -> Figure:
    """Return a figure that no window manager and no `pyplot` knows of."""
    from matplotlib.figure import Figure

    return Figure(figsize=rows_size(n_rows), layout="constrained")


def _n_classes(evaluation: Evaluation) -> int:
    return next(iter(evaluation.posteriors.values())).counts.n_classes
