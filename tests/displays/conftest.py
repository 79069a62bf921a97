"""Figures are drawn without a window, closed after each test, and leave no settings behind."""

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def _figures():
    before = mpl.rcParams.copy()
    yield
    for figure in map(plt.figure, plt.get_fignums()):
        figure.canvas.draw()  # whatever is wrong with a text is found here
    plt.close("all")
    assert mpl.rcParams == before
