"""Figures are drawn without a window, closed after each test, and leave no settings behind."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb


@pytest.fixture(autouse=True)
def _figures():
    before = mpl.rcParams.copy()
    yield
    for figure in map(plt.figure, plt.get_fignums()):
        if figure.stale:  # whatever is wrong with a text is found here
            figure.draw_without_rendering()
    plt.close("all")
    assert mpl.rcParams == before


@pytest.fixture(scope="session")
def luminance():
    """Relative luminance of the web guidelines for contrast."""

    def of(color):
        channels = np.array(to_rgb(color))
        linear = ((channels + 0.055) / 1.055) ** 2.4
        return np.where(channels <= 0.04045, channels / 12.92, linear) @ [
            0.2126,
            0.7152,
            0.0722,
        ]

    return of


@pytest.fixture(scope="session")
def polygon_area():
    """Area of the polygon of a `fill_between`, by the shoelace formula."""

    def area(artist):
        (path,) = artist.get_paths()
        x, y = path.vertices.T
        return abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2

    return area
