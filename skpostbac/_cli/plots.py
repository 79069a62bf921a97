"""How the results are plotted in a file or a page."""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skpostbac._cli.results import Evaluation, has_chance, name_score
from skpostbac._plot import rows_size
from skpostbac.displays import PosteriorComparisonDisplay, PosteriorDisplay

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Formats by file name extension, with the metadata that keeps the date out of the file:
# the same evaluation gives the same bytes.
FORMATS: dict[str, dict[str, None]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}

# The warning of matplotlib if its font lacks a character.
MISSING = "Glyph .* missing from font"
# With more rows than this, plot intervals instead of densities.
MOST_RIDGES = 12
# With more classes than this, plot the weakest, and fold the plot of all, or leave it
# out.
MOST_RECALLS = 12
MOST_CLASSES = 100

# Widths in inches of a page on a screen or paper, and on a phone. A page contains plots
# of both and shows one: the text of a wide plot shrunk to a phone would be too small to
# read.
WIDE_INCHES = 7.2
NARROW_INCHES = 4.2


def draw_picture(evaluation: Evaluation, file_format: str) -> tuple[bytes, bool]:
    """Plot the posteriors to bytes; also return whether the font has all characters."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", MISSING, UserWarning)
        picture = _encode(
            _plot(evaluation, "posteriors", WIDE_INCHES),
            file_format,
            "skpostbac",
            dpi=200,
        )
    return picture, not any(
        re.match(MISSING, str(warning.message)) for warning in caught
    )


@dataclass(frozen=True)
class Picture:
    """A plot of a page, as a wide and a narrow SVG element."""

    caption: str
    wide: str
    narrow: str
    is_folded: bool


def page_plots(evaluation: Evaluation) -> list[Picture]:
    """Return the plots of a page."""
    level = f"{100 * evaluation.settings.level:.12g}%"
    is_shaded = len(evaluation.posteriors) <= MOST_RIDGES
    interval = f"{level} interval shaded" if is_shaded else f"mean and {level} interval"
    dotted = ", chance level dotted" if has_chance(evaluation) else ""
    caption = f"Posterior of the {name_score(evaluation)}: {interval}{dotted}."
    captions = {"posteriors": caption}
    names = evaluation.ranking
    if evaluation.comparison is not None:
        captions["difference"] = (
            f"How much better {names[0]} is than {names[1]}; the bar is the {level} "
            "interval."
        )
    n_classes = evaluation.n_classes
    if n_classes > MOST_RECALLS:
        captions["weakest"] = (
            f"Recall of {names[0]} on the {MOST_RECALLS} weakest of {n_classes} "
            f"classes, with {level} intervals."
        )
    if 1 < n_classes <= MOST_CLASSES:
        which = (
            "each class" if n_classes <= MOST_RECALLS else f"all {n_classes} classes"
        )
        captions["recalls"] = (
            f"Recall of {names[0]} on {which}, with {level} intervals."
        )
    plots = []
    with warnings.catch_warnings():
        # The SVG keeps the text as text: the browser may have fonts that matplotlib
        # lacks.
        warnings.filterwarnings("ignore", MISSING, UserWarning)
        for content, caption in captions.items():
            # The salt makes the identifiers of an element unique in the page.
            wide, narrow = (
                _encode(
                    _plot(evaluation, content, width), "svg", salt, fonttype="none"
                ).decode()
                for width, salt in [
                    (WIDE_INCHES, caption),
                    (NARROW_INCHES, f"{caption} (narrow)"),
                ]
            )
            wide = wide[wide.index("<svg") :]
            narrow = narrow[narrow.index("<svg") :]
            is_folded = content == "recalls" and "weakest" in captions
            plots.append(Picture(caption, wide, narrow, is_folded))
    return plots


def _plot(evaluation: Evaluation, content: str, width: float) -> Figure:
    """Plot all posteriors, the difference of the best two, or recalls of the best."""
    from matplotlib.figure import Figure

    best_first = evaluation.ranking
    n_classes = evaluation.n_classes
    n_rows = {
        "posteriors": len(best_first),
        "weakest": MOST_RECALLS + 1,
        "recalls": n_classes + 1,
    }
    height = rows_size(n_rows[content])[1] if content in n_rows else 3.6
    figure = Figure(
        figsize=(width, height), layout="constrained"
    )  # not managed by pyplot
    ax = figure.subplots()
    ax.locator_params(axis="x", nbins=6 if width == WIDE_INCHES else 2)
    options: dict[str, Any] = {"level": evaluation.settings.level, "despine": True}
    if content == "difference":
        assert evaluation.comparison is not None
        PosteriorComparisonDisplay(evaluation.comparison).plot(
            ax, kind="difference", **options
        )
    elif content in ("weakest", "recalls"):
        weakest = MOST_RECALLS if content == "weakest" else None
        posterior = evaluation.posteriors[best_first[0]]
        PosteriorDisplay.from_recalls(posterior, weakest=weakest, ax=ax, **options)
    else:
        PosteriorDisplay({name: evaluation.scores[name] for name in best_first}).plot(
            ax,
            kind="ridge" if len(best_first) <= MOST_RIDGES else "forest",
            plot_chance_level=has_chance(evaluation),
            **options,
        )
    return figure


def _encode(
    figure: Figure,
    file_format: str,
    salt: str,
    *,
    fonttype: str = "path",
    dpi: float = 100,
) -> bytes:
    import matplotlib as mpl

    picture = io.BytesIO()
    with mpl.rc_context({"svg.fonttype": fonttype, "svg.hashsalt": salt}):
        figure.savefig(
            picture, format=file_format, dpi=dpi, metadata=FORMATS[file_format]
        )
    return picture.getvalue()
