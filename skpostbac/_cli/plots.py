"""Plots of the results, for a file or a page."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from skpostbac._cli.evaluation import Evaluation
from skpostbac._cli.sections import percent
from skpostbac._plot import rows_size
from skpostbac.displays import PosteriorComparisonDisplay, PosteriorDisplay

# Metadata that keeps the date out of the file: the same evaluation gives the same
# bytes.
NO_DATE: dict[str, dict[str, None]] = {
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


@dataclass(frozen=True)
class Plot:
    """A plot that has not been drawn."""

    caption: str
    draw: Callable[..., object]
    """Draws on axes, given as `ax`."""
    height: float = 3.6
    """In inches."""
    is_folded: bool = False

    def encode(self, file_format: str, width: float, fonttype: str) -> bytes:
        """Return the contents of a file of a plot of this width in inches."""
        import matplotlib as mpl
        from matplotlib.figure import Figure  # not managed by pyplot

        figure = Figure(figsize=(width, self.height), layout="constrained")
        ax = figure.subplots()
        ax.locator_params(axis="x", nbins=6 if width == WIDE_INCHES else 2)
        self.draw(ax=ax)
        # The salt makes the identifiers of an SVG element unique in the page.
        salt = f"{self.caption} {width}"
        options: Any = {
            "svg.fonttype": fonttype,
            "svg.hashsalt": salt,
            "savefig.dpi": 200,
        }
        picture = io.BytesIO()
        with mpl.rc_context(options):
            figure.savefig(picture, format=file_format, metadata=NO_DATE[file_format])
        return picture.getvalue()

    def svg(self, width: float) -> str:
        """Return an SVG element, whose text stays text for the fonts of the browser."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", MISSING, UserWarning)
            text = self.encode("svg", width, "none").decode()
        return text[text.index("<svg") :]


def draw_picture(evaluation: Evaluation, file_format: str) -> tuple[bytes, bool]:
    """Plot the posteriors to bytes; also return whether the font lacks characters."""
    plot = next(make_plots(evaluation))
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", MISSING, UserWarning)
        picture = plot.encode(file_format, WIDE_INCHES, "path")
    return picture, any("missing from font" in str(one.message) for one in caught)


def make_plots(evaluation: Evaluation) -> Iterator[Plot]:
    """Yield plots of all posteriors, of the best two, and of recalls of the best."""
    names = evaluation.ranking
    n_classes = evaluation.n_classes
    level = percent(evaluation.args.level)
    options: dict[str, Any] = {"level": evaluation.args.level, "despine": True}

    def draw_posteriors(ax: Any) -> None:
        display = PosteriorDisplay({name: evaluation.scores[name] for name in names})
        has_chance = evaluation.chance is not None
        kind: Any = "ridge" if are_few else "forest"
        display.plot(ax, kind=kind, plot_chance_level=has_chance, **options)

    def draw_difference(ax: Any) -> None:
        assert evaluation.comparison is not None
        display = PosteriorComparisonDisplay(evaluation.comparison)
        display.plot(ax, kind="difference", **options)

    def draw_recalls(ax: Any, weakest: int | None = None) -> None:
        posterior = evaluation.posteriors[names[0]]
        PosteriorDisplay.from_recalls(posterior, weakest=weakest, ax=ax, **options)

    are_few = len(names) <= MOST_RIDGES
    caption = f"Posterior of the {evaluation.score_name}: "
    caption += f"{level} interval shaded" if are_few else f"mean and {level} interval"
    caption += "." if evaluation.chance is None else ", chance level dotted."
    yield Plot(caption, draw_posteriors, rows_size(len(names))[1])
    if evaluation.comparison is not None:
        caption = f"How much better {names[0]} is than {names[1]}; "
        yield Plot(f"{caption}the bar is the {level} interval.", draw_difference)
    are_many = n_classes > MOST_RECALLS
    if are_many:
        which = f"the {MOST_RECALLS} weakest of {n_classes} classes"
        yield Plot(
            f"Recall of {names[0]} on {which}, with {level} intervals.",
            partial(draw_recalls, weakest=MOST_RECALLS),
            rows_size(MOST_RECALLS + 1)[1],
        )
    if 1 < n_classes <= MOST_CLASSES:
        which = f"all {n_classes} classes" if are_many else "each class"
        yield Plot(
            f"Recall of {names[0]} on {which}, with {level} intervals.",
            draw_recalls,
            rows_size(n_classes + 1)[1],
            is_folded=are_many,
        )
