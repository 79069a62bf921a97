"""Tests of contours: what is told of a series that is cut off."""

import numpy as np
import pytest

from skpostbac.stats._inversion import Line
from skpostbac.stats._inversion.contour import Series


@pytest.mark.parametrize("size", [30, 100, 300])
@pytest.mark.parametrize("tilt", [30.0, 0.97])
def test_cut_before_its_terms_fall(size, tilt):
    """Where a series ends before its terms fall, the last of them do not tell what is missing.

    The values are those of an exponential variable, one above the tilt.
    """
    series = Series.of(tilt, 0.0, 2000.0)
    rates = 1j * series.step * np.arange(size)
    line = Line(1 / (1 - rates), 0.0, float(np.log1p(tilt)))
    contour = series.contour(line, size=10 * size)
    y = np.linspace(0.1, 20, 400)
    values = contour.at(y)
    error = np.abs(values.tail - np.exp(-(tilt + 1) * y))
    assert (error < values.error).all()
