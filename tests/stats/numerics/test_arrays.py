"""Waves and their powers, against NumPy's own."""

import numpy as np

from skpostbac.stats._numerics import powers, waves


def test_waves():
    """Any angle, also at the poles of the tangent of its half, and any size."""
    angle = np.append(np.linspace(-40, 40, 1001), np.pi * np.arange(-5, 6))
    log_size = np.linspace(-700, 3, angle.size)
    expected = np.exp(log_size + 1j * angle)
    assert (np.abs(waves(angle, log_size) - expected) <= 1e-15 * np.abs(expected)).all()


def test_powers():
    """Numbers of them that are powers of two, and that are not."""
    factor = np.exp(1j * np.linspace(0, 6, 5))
    for count in (1, 2, 3, 8, 13):
        expected = 2 * factor ** np.arange(count)[:, np.newaxis]
        np.testing.assert_allclose(powers(2.0, factor, count), expected, rtol=1e-14)
