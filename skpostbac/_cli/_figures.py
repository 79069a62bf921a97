"""Plots of an evaluation, and how to write them."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from skpostbac._cli._evaluation import Evaluation
from skpostbac._cli._text import text_width
from skpostbac._plot import literal, rows_size, shorten
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
# The label of a row: a name and, for a class, its correct predictions and samples.
LABEL = re.compile(r"(?s)(?P<name>.*?)(?P<counts> \([^()]+/[^()]+\))?")

# With more rows than this, plot intervals instead of densities.
MOST_RIDGES = 12
# With more classes than this, do not plot each class.
MOST_CLASSES = 40


class Format(NamedTuple):
    """Layout of a plot for a given width."""

    width: float
    """In inches."""
    n_characters: int
    """Maximum length of a name."""
    n_ticks: int
    """Maximum number of ticks of the x-axis."""
    has_counts: bool = True
    """Whether to show the counts of a class beside its name."""


# A separate file; a page on a screen or paper; a page on a phone. A page contains both of the
# latter and shows one: the text of a wide plot shrunk to a phone would be too small to read.
ALONE, WIDE, NARROW = Format(7.2, 60, 7), Format(7.2, 30, 7), Format(4.2, 17, 2, False)


def draw_posteriors(evaluation: Evaluation, form: Format = ALONE) -> Figure:
    """Plot the posterior of each classifier, best first, and the chance level."""
    n = len(evaluation.posteriors)
    figure = _new_figure(form.width, rows_size(n)[1])
    ax = figure.subplots()
    posteriors = {name: evaluation.posteriors[name] for name in evaluation.ranking}
    PosteriorDisplay(posteriors).plot(
        ax,
        kind="ridge" if n <= MOST_RIDGES else "forest",
        level=evaluation.settings.level,
        plot_chance_level=_n_classes(evaluation) > 1,
        despine=True,
    )
    _fit_rows(ax, form)
    return figure


def draw_difference(evaluation: Evaluation, form: Format) -> Figure:
    """Plot the difference between the best classifier and the next best."""
    assert evaluation.comparison is not None
    figure = _new_figure(form.width, 3.6)
    ax = figure.subplots()
    ax.locator_params(axis="x", nbins=form.n_ticks + 1)
    PosteriorComparisonDisplay(evaluation.comparison).plot(
        ax, kind="difference", level=evaluation.settings.level, despine=True
    )
    return figure


def draw_recalls(evaluation: Evaluation, form: Format) -> Figure:
    """Plot the recall of each class for the best classifier."""
    figure = _new_figure(form.width, rows_size(_n_classes(evaluation) + 1)[1])
    ax = figure.subplots()
    PosteriorDisplay.from_recalls(
        evaluation.posteriors[evaluation.ranking[0]],
        ax=ax,
        level=evaluation.settings.level,
        despine=True,
    )
    _fit_rows(ax, form)
    return figure


def _fit_rows(ax: Axes, form: Format) -> None:
    """Shorten names and thin out ticks, to leave room for the curves."""
    ax.locator_params(axis="x", nbins=form.n_ticks - 1)
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    # A locator may find one more, for which there is no room.
    ax.set_xticks(ticks[:: max(1, ceil(len(ticks) / form.n_ticks))])
    texts = [label.get_text().replace(r"\$", "$") for label in ax.get_yticklabels()]
    names, counts = zip(*(_split_label(text) for text in texts), strict=True)
    tails = counts if form.has_counts else [""] * len(names)
    short = map(str.__add__, _short_names(names, form.n_characters), tails)
    ax.set_yticks(ax.get_yticks(), list(map(literal, short)))


def _short_names(names: Sequence[str], width: int) -> list[str]:
    """Shorten names to about this width; number them if they would become equal."""
    room = min(width * len(name) // max(1, text_width(name)) for name in names)
    for slightly_more in range(room, room + 6):
        short = shorten(names, slightly_more)
        if max(map(len, short)) <= slightly_more:
            return short
    return [
        name if len(name) <= room else f"{number} {name[: room - 6]}..."
        for number, name in enumerate(names, 1)
    ]


def _split_label(text: str) -> tuple[str, str]:
    label = LABEL.fullmatch(text)
    assert label is not None  # anything is a name
    return label["name"], label["counts"] or ""


def page_figures(evaluation: Evaluation) -> dict[str, tuple[str, str]]:
    """Return the plots of a page by caption, each as a wide and a narrow SVG element."""
    level = f"{100 * evaluation.settings.level:.12g}%"
    figures: dict[str, Callable[[Evaluation, Format], Figure]] = {
        _caption(evaluation, level): draw_posteriors
    }
    names = evaluation.ranking
    if evaluation.comparison is not None:
        caption = f"How much better {names[0]} is than {names[1]}; the bar is the {level} interval."
        figures[caption] = draw_difference
    if 1 < _n_classes(evaluation) <= MOST_CLASSES:
        caption = f"Accuracy of {names[0]} on each class, with {level} intervals."
        figures[caption] = draw_recalls
    with warnings.catch_warnings():
        # The SVG keeps the text as text: the browser may have fonts that matplotlib lacks.
        warnings.filterwarnings("ignore", MISSING, UserWarning)
        return {
            caption: (
                _to_element(draw(evaluation, WIDE), caption),
                _to_element(draw(evaluation, NARROW), f"{caption} (narrow)"),
            )
            for caption, draw in figures.items()
        }


def _caption(evaluation: Evaluation, level: str) -> str:
    """Return the caption of the plot of the posteriors."""
    is_shaded = len(evaluation.posteriors) <= MOST_RIDGES
    interval = f"{level} interval shaded" if is_shaded else f"mean and {level} interval"
    if _n_classes(evaluation) == 1:
        return f"Posterior of the recall: {interval}."
    return f"Posterior of the balanced accuracy: {interval}, chance level dotted."


def draw_picture(evaluation: Evaluation, kind: str) -> tuple[bytes, bool]:
    """Plot the posteriors to bytes; also return whether the font has all characters."""
    figure = draw_posteriors(evaluation)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", MISSING, UserWarning)
        try:
            return _encode(figure, kind, "skpostbac", dpi=200), True
        except UserWarning:
            warnings.filterwarnings("ignore", MISSING, UserWarning)
        return _encode(figure, kind, "skpostbac", dpi=200), False


def _to_element(figure: Figure, salt: str) -> str:
    """Return an SVG element; the salt makes its identifiers unique in a page."""
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


def _new_figure(width: float, height: float) -> Figure:
    """Return a figure that is not managed by `pyplot`."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _n_classes(evaluation: Evaluation) -> int:
    return next(iter(evaluation.posteriors.values())).counts.n_classes
