"""Draw every kind of picture with few and many rows, short and long names, to be looked at.

    python benchmarks/contact_sheet.py FOLDER [--kinds forest matrix ...]

There is one sheet for each kind, ``FOLDER/<kind>.png``. Its columns are the numbers of rows, its
lines the situations: a figure of its own with short and with long names, the same in a dark
style, a figure of 4 by 3 inches, and four axes of ``plt.subplots(2, 2)`` without any layout.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from PIL import Image, ImageDraw

from skpostbac import (
    ClassCounts,
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    PosteriorDisplay,
    PosteriorSearchDisplay,
    PosteriorThresholdDisplay,
    compare_posteriors,
    population_posterior,
    posterior_confusion_metric,
    posterior_prevalence,
    subgroup_posteriors,
)
from skpostbac.binormal import BinormalCurveDisplay

ROWS = (1, 2, 5, 30, 50)
TOTAL = np.array([60, 40, 25])
# The sheets have so many pixels for one.
SCALE = 0.7

Draw = Callable[[Any, int, bool], Any]


def names(n: int, is_long: bool) -> list[str]:
    """Return names of 5 to 7, or of 40 to 80 characters, which differ somewhere in the middle."""
    if not is_long:
        return [f"model{i}" for i in range(n)]
    return [
        f"StandardScaler + HistGradientBoostingClassifier, depth {i}, {'calibrated ' * (i % 3)}here"
        for i in range(n)
    ]


@cache
def posteriors(n: int, is_long: bool) -> dict[str, PosteriorBalancedAccuracy]:
    """Return posteriors of balanced accuracies around 0.8."""
    rng = np.random.default_rng(n)
    shares = np.clip(rng.normal(0.8, 0.06, size=n), 0, 1)
    correct = [rng.binomial(TOTAL, share) for share in shares]
    counted = [PosteriorBalancedAccuracy.from_counts(one, TOTAL) for one in correct]
    return dict(zip(names(n, is_long), counted, strict=True))


@cache
def comparison(n: int, is_long: bool) -> PosteriorComparison:
    return compare_posteriors(posteriors(max(n, 2), is_long), rope=0.02)


@cache
def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and normal scores of more samples the more rows are asked for."""
    rng = np.random.default_rng(n)
    y_true = np.repeat([0, 1], (20 + 10 * n, 10 + 5 * n))
    return y_true, rng.normal(1.2 * y_true, 1 + 0.3 * y_true)


def draw_posteriors(kind: str) -> Draw:
    def draw(ax: Any, n: int, is_long: bool) -> Any:
        display = PosteriorDisplay(posteriors(n, is_long))
        return display.plot(ax, kind=kind, plot_chance_level=True)

    return draw


def draw_comparison(kind: str) -> Draw:
    return lambda ax, n, is_long: comparison(n, is_long).plot(ax, kind=kind)


def draw_plain(ax: Any, n: int, is_long: bool) -> Any:
    (name,) = names(1, is_long)
    correct = (TOTAL * (1 - 1 / (n + 2))).astype(int)
    return PosteriorBalancedAccuracy.from_counts(correct, TOTAL).plot(ax, name=name)


def draw_recalls(ax: Any, n: int, is_long: bool) -> Any:
    rng = np.random.default_rng(n)
    total = rng.integers(5, 80, n)
    correct = rng.binomial(total, 0.8)
    posterior = PosteriorBalancedAccuracy.from_counts(
        correct, total, classes=names(n, is_long)
    )
    return PosteriorDisplay.from_recalls(posterior, ax=ax)


def draw_groups(ax: Any, n: int, is_long: bool) -> Any:
    rng = np.random.default_rng(n)
    shares = np.clip(rng.normal(0.75, 0.08, max(n, 2)), 0, 1)
    counts = [
        ClassCounts([0, 1], rng.binomial(40, [share, share]), [40, 40])
        for share in shares
    ]
    groups = dict(zip(names(len(counts), is_long), counts, strict=True))
    return population_posterior(groups).plot(ax)


def draw_subgroups(ax: Any, n: int, is_long: bool) -> Any:
    rng = np.random.default_rng(n)
    groups = np.repeat(names(max(n, 2), is_long), 60)
    y_true = rng.integers(0, 2, len(groups))
    y_pred = np.where(rng.random(len(groups)) < 0.8, y_true, 1 - y_true)
    return subgroup_posteriors(y_true, y_pred, sensitive_features=groups).plot(ax)


def draw_confusion(ax: Any, n: int, is_long: bool) -> Any:
    (name,) = names(1, is_long)
    y_true, y_pred = (
        np.repeat([0, 0, 1, 1], [20, 3, 1, 7]),
        np.repeat([0, 1, 0, 1], [20, 3, 1, 7]),
    )
    posterior = posterior_confusion_metric(
        np.tile(y_true, n), np.tile(y_pred, n), "mcc", random_state=0
    )
    return posterior.plot(ax, name=name)


def draw_prevalence(ax: Any, n: int, is_long: bool) -> Any:
    (name,) = names(1, is_long)
    judged = {"sensitivity": (27, 30), "specificity": (24, 30)}
    return posterior_prevalence(13 * n, 20 * n, **judged).plot(ax, name=name)


def draw_threshold(ax: Any, n: int, is_long: bool) -> Any:
    (name,) = names(1, is_long)
    return PosteriorThresholdDisplay.from_predictions(
        *scores(n), ax=ax, name=name, random_state=0, plot_chance_level=True
    )


def draw_binormal(curve: str) -> Draw:
    def draw(ax: Any, n: int, is_long: bool) -> Any:
        (name,) = names(1, is_long)
        return BinormalCurveDisplay.from_predictions(
            *scores(n), curve=curve, ax=ax, name=name, plot_chance_level=True
        )

    return draw


def draw_two_rocs(ax: Any, n: int, is_long: bool) -> Any:
    for i, name in enumerate(names(2, is_long)):
        display = BinormalCurveDisplay.from_predictions(
            *scores(n + i), ax=ax, name=name, plot_chance_level=i == 1
        )
        ax = display.ax_
    return display


def draw_search(values: str, n_lines: int = 1) -> Draw:
    def draw(ax: Any, n: int, is_long: bool) -> Any:
        n_lines_here = min(n_lines, n)
        counted = list(posteriors(n, is_long).values())
        of_line = [i // n_lines_here for i in range(n)]
        candidates = {
            "integers": [i + 1 for i in of_line],
            "decades": [10.0 ** (i - 4) for i in of_line],
            "names": [names(n, is_long)[i] for i in of_line],
        }
        groups = [names(n_lines_here, is_long)[i % n_lines_here] for i in range(n)]
        param = (
            "preprocess__columns__numeric__impute__n_neighbors"
            if is_long
            else "max_depth"
        )
        return PosteriorSearchDisplay(
            param_name=param,
            values=candidates[values],
            posteriors=counted,
            groups=None if n_lines == 1 else groups,
            best_index=n // 2,
        ).plot(ax, plot_chance_level=True)

    return draw


KINDS: dict[str, Draw] = {
    **{kind: draw_posteriors(kind) for kind in ("auto", "density", "ridge", "forest")},
    **{
        kind: draw_comparison(kind)
        for kind in ("decision", "difference", "matrix", "ranks")
    },
    "posterior": draw_plain,
    "recalls": draw_recalls,
    "groups": draw_groups,
    "subgroups": draw_subgroups,
    "confusion": draw_confusion,
    "prevalence": draw_prevalence,
    "threshold": draw_threshold,
    "roc": draw_binormal("roc"),
    "precision_recall": draw_binormal("precision_recall"),
    "two_rocs": draw_two_rocs,
    "search_integers": draw_search("integers"),
    "search_decades": draw_search("decades"),
    "search_names": draw_search("names"),
    "search_lines": draw_search("integers", n_lines=4),
    "search_many_lines": draw_search("integers", n_lines=12),
}


def in_own_figure(draw: Draw, n: int, is_long: bool) -> Any:
    return draw(None, n, is_long).figure_


def in_small_figure(draw: Draw, n: int, is_long: bool) -> Any:
    figure, ax = plt.subplots(figsize=(4, 3), layout="constrained")
    draw(ax, n, is_long)
    return figure


def in_plain_figure(draw: Draw, n: int, is_long: bool) -> Any:
    figure, ax = plt.subplots()
    draw(ax, n, is_long)
    return figure


def in_four_axes(draw: Draw, n: int, is_long: bool) -> Any:
    figure, axes = plt.subplots(2, 2)
    for ax in axes.flat:
        draw(ax, n, is_long)
    return figure


# Line of the sheet: what makes the figure, whether names are long, and the style.
SITUATIONS = {
    "short": (in_own_figure, False, "default"),
    "long": (in_own_figure, True, "default"),
    "dark": (in_own_figure, True, "dark_background"),
    "4 x 3 in": (in_small_figure, True, "default"),
    "plain": (in_plain_figure, True, "default"),
    "2 x 2": (in_four_axes, True, "default"),
    "2 x 2 short": (in_four_axes, False, "default"),
}


def picture(figure: Any) -> Image.Image:
    """Return a figure as an image, as it is saved."""
    figure.canvas.draw()
    image = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
    plt.close(figure)
    return image.resize((int(SCALE * image.width), int(SCALE * image.height)))


def pictures(draw: Draw, situation: str) -> Iterator[Image.Image]:
    make, is_long, style = SITUATIONS[situation]
    for n in ROWS:
        with plt.style.context(style), warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="skpostbac")
            warnings.simplefilter("ignore")
            image = picture(make(draw, n, is_long))
        ImageDraw.Draw(image).text((2, 0), f"{situation}, {n}", fill="red")
        yield image


def sheet(lines: list[list[Image.Image]], gap: int = 8) -> Image.Image:
    """Return all images on one, those of one line side by side."""
    widths = [
        max(image.width for image in column) for column in zip(*lines, strict=True)
    ]
    heights = [max(image.height for image in line) for line in lines]
    size = sum(widths) + gap * len(widths), sum(heights) + gap * len(heights)
    whole = Image.new("RGB", size, "#cccccc")
    for line, top in zip(lines, np.cumsum([0, *heights[:-1]]), strict=True):
        for image, left in zip(line, np.cumsum([0, *widths[:-1]]), strict=True):
            at = int(left) + gap * line.index(image), int(top) + gap * lines.index(line)
            whole.paste(image, at)
    return whole


def main(given: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument(
        "--situations", nargs="+", choices=SITUATIONS, default=list(SITUATIONS)
    )
    arguments = parser.parse_args(given)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for kind in arguments.kinds:
        lines = [list(pictures(KINDS[kind], one)) for one in arguments.situations]
        path = arguments.folder / f"{kind}.png"
        sheet(lines).save(path)
        print(path, flush=True)


if __name__ == "__main__":
    mpl.use("agg")
    main()
