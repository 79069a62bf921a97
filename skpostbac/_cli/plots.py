"""Plots of the results, for a file or a page."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from skpostbac._cli.answer import percent
from skpostbac._cli.evaluation import Evaluation
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

    def encode(
        self, file_format: str, width: float = WIDE_INCHES, fonttype: str = "path"
    ) -> bytes:
        """Return the contents of a file of a plot of this width in inches.

        Warns
        -----
        UserWarning
            If the font lacks characters of the names.
        """
        import matplotlib as mpl
        from matplotlib.figure import Figure  # not managed by pyplot

        figure = Figure(figsize=(width, self.height), layout="constrained")
        ax = figure.subplots()
        ax.locator_params(axis="x", nbins=6 if width == WIDE_INCHES else 2)
        options: Any = {
            "svg.fonttype": fonttype,
            # Makes the identifiers of an SVG element unique in the page.
            "svg.hashsalt": f"{self.caption} {width}",
            "savefig.dpi": 200,
        }
        picture = io.BytesIO()
        with warnings.catch_warnings(record=True) as caught:
            warnings.filterwarnings("always", MISSING, UserWarning)
            self.draw(ax=ax)
            with mpl.rc_context(options):
                figure.savefig(
                    picture, format=file_format, metadata=NO_DATE[file_format]
                )
        if caught:
            warnings.warn("the font lacks some characters in the names", stacklevel=2)
        return picture.getvalue()

    def svg(self, width: float) -> str:
        """Return an SVG element, whose text stays text for the fonts of the browser."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            text = self.encode("svg", width, "none").decode()
        return text[text.index("<svg") :]


def make_plots(
    evaluation: Evaluation, data: Mapping[str, Any], level: float
) -> Iterator[Plot]:
    """Yield plots of all posteriors, of the best two, and of recalls of the best."""
    best, *others = evaluation.scores
    n_classes = len(data["classes"])
    intervals = f"{percent(level)} interval"
    options: dict[str, Any] = {"level": level, "despine": True}

    are_few = len(others) < MOST_RIDGES
    shown = f"{intervals} shaded" if are_few else f"mean and {intervals}"
    chance = "" if data["chance"] is None else ", chance level dotted"
    yield Plot(
        f"Posterior of the {data['score']}: {shown}{chance}.",
        partial(
            PosteriorDisplay(evaluation.scores).plot,
            kind="ridge" if are_few else "forest",
            plot_chance_level=bool(chance),
            **options,
        ),
        rows_size(len(evaluation.scores))[1],
    )
    if evaluation.comparison is not None:
        display = PosteriorComparisonDisplay(evaluation.comparison)
        yield Plot(
            f"How much better {best} is than {others[0]}; the bar is the {intervals}.",
            partial(display.plot, kind="difference", **options),
        )
    draw = partial(PosteriorDisplay.from_recalls, evaluation.balanced[best], **options)
    are_many = n_classes > MOST_RECALLS
    if are_many:
        yield Plot(
            f"Recall of {best} on the {MOST_RECALLS} weakest of {n_classes} classes, "
            f"with {intervals}s.",
            partial(draw, weakest=MOST_RECALLS),
            rows_size(MOST_RECALLS + 1)[1],
        )
    if 1 < n_classes <= MOST_CLASSES:
        which = f"all {n_classes} classes" if are_many else "each class"
        yield Plot(
            f"Recall of {best} on {which}, with {intervals}s.",
            draw,
            rows_size(n_classes + 1)[1],
            is_folded=are_many,
        )
