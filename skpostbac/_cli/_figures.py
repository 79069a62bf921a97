"""The pictures of an evaluation, and how to write them."""

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

# Formats by the end of the file name, and what keeps the date out of the file: the same
# evaluation gives the same bytes.
FORMATS: dict[str, dict[str, None]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}

# What matplotlib warns of where its font lacks a character.
MISSING = "Glyph .* missing from font"
# The label of a row: a name, and of a class the correct predictions and the samples.
LABEL = re.compile(r"(?s)(?P<name>.*?)(?P<counts> \([^()]+/[^()]+\))?")

# More rows than these are told apart better without densities.
MOST_RIDGES = 12
# Classes that are drawn one by one.
MOST_CLASSES = 40


class Format(NamedTuple):
    """How a picture is drawn for a place of some width."""

    width: float
    """In inches."""
    n_characters: int
    """What is shown of a name at most."""
    n_ticks: int
    """Ticks of an x-axis between names and figures, at most."""
    has_counts: bool = True
    """Whether the counts of a class stand beside its name."""


# A file of its own, and a page: on a screen or on paper, and on a phone. A page shows one of two
# pictures, for text that shrinks with a wide one would be too small to read.
ALONE, WIDE, NARROW = Format(7.2, 60, 7), Format(7.2, 30, 7), Format(4.2, 17, 2, False)


def draw_posteriors(evaluation: Evaluation, form: Format = ALONE) -> Figure:
    """Draw the posterior of each classifier, the best first, and the score of guessing."""
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
    """Draw how much better the best classifier is than the next."""
    assert evaluation.comparison is not None
    figure = _new_figure(form.width, 3.6)
    ax = figure.subplots()
    ax.locator_params(axis="x", nbins=form.n_ticks + 1)
    PosteriorComparisonDisplay(evaluation.comparison).plot(
        ax, kind="difference", level=evaluation.settings.level, despine=True
    )
    return figure


def draw_recalls(evaluation: Evaluation, form: Format) -> Figure:
    """Draw the accuracy of the best classifier on each class."""
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
    """Leave room for the curves between the names of the rows and their figures."""
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
    """Cut names to about this width so that they stay different, else number them."""
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
    """Return the pictures of a page, wide and narrow, as SVG elements, by their captions."""
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
        # The text stays text: the browser has fonts for it that matplotlib may lack.
        warnings.filterwarnings("ignore", MISSING, UserWarning)
        return {
            caption: (
                _to_element(draw(evaluation, WIDE), caption),
                _to_element(draw(evaluation, NARROW), f"{caption} (narrow)"),
            )
            for caption, draw in figures.items()
        }


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
    """Return a figure that no window manager and no `pyplot` knows of."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _n_classes(evaluation: Evaluation) -> int:
    return next(iter(evaluation.posteriors.values())).counts.n_classes
