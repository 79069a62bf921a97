"""Plots of the results, for a file or a page."""

from __future__ import annotations

import io
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from skpostbac._cli.answer import percent
from skpostbac._cli.evaluation import Evaluation
from skpostbac._plot import rows_size
from skpostbac.displays import PosteriorComparisonDisplay, PosteriorDisplay
from skpostbac.metrics import PosteriorBalancedAccuracy

# With more rows than this, plot intervals instead of densities.
MOST_RIDGES = 12
# With more classes than this, plot the weakest.
MOST_RECALLS = 12

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

    def encode(
        self, file_format: str, width: float = WIDE_INCHES, fonttype: str = "path"
    ) -> bytes:
        """Return the contents of a file of a plot of this width in inches."""
        import matplotlib as mpl
        from matplotlib.figure import Figure  # not managed by pyplot

        figure = Figure(figsize=(width, self.height), layout="constrained")
        ax = figure.subplots()
        ax.locator_params(axis="x", nbins=6 if width == WIDE_INCHES else 2)
        picture = io.BytesIO()
        self.draw(ax=ax)
        # The same input gives the same file. Identifiers in the plots of a page differ.
        salt = f"{self.caption} {width}"
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        metadata: Any = dates.get(file_format)
        with mpl.rc_context({"svg.fonttype": fonttype, "svg.hashsalt": salt}):
            figure.savefig(picture, format=file_format, dpi=200, metadata=metadata)
        return picture.getvalue()

    def svg(self, width: float) -> str:
        """Return an SVG element, whose text stays text for the fonts of the browser."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of another font
            text = self.encode("svg", width, "none").decode()
        return text[text.index("<svg") :]


def make_plots(
    evaluation: Evaluation, data: Mapping[str, Any], args: Namespace
) -> Iterator[Plot]:
    """Yield plots of all posteriors, of the best two, and of recalls of the best."""
    best, *others = evaluation.scores
    level = args.level
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
    balanced = PosteriorBalancedAccuracy(evaluation.counts[best], prior=args.prior)
    draw = partial(PosteriorDisplay.from_recalls, balanced, **options)
    if n_classes > 1:
        n_shown = min(n_classes, MOST_RECALLS)
        which = "each class"
        if n_shown < n_classes:
            which = f"the {n_shown} weakest of {n_classes} classes"
        yield Plot(
            f"Recall of {best} on {which}, with {intervals}s.",
            partial(draw, weakest=MOST_RECALLS),
            rows_size(n_shown + 1)[1],
        )
