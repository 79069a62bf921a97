"""Cumulants of weighted sums of independent Betas, in closed form."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def cumulants(a: Floats, b: Floats, weights: Floats) -> tuple[float, float, float]:
    """Second, third and fourth cumulant of sum(weights * theta), theta ~ Beta(a, b).

    The central moments of one Beta obey m_{r+1} = r / (s + r) (mu (1 - mu) m_{r-1} +
    (1 - 2 mu) m_r) with s = a + b; cumulants of independent terms add.
    """
    s = a + b
    spread, lean = (a / s) * (b / s), (b - a) / s
    second = spread / (s + 1)
    third = 2 / (s + 2) * lean * second
    fourth = 3 / (s + 3) * (spread * second + lean * third)
    excess = fourth - 3 * second**2
    return (
        float((weights**2 * second).sum()),
        float((weights**3 * third).sum()),
        float((weights**4 * excess).sum()),
    )
