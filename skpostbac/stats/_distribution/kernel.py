"""The density of random draws, by a normal kernel on a fine histogram.

The kernel has the width of Silverman's rule (Density Estimation for Statistics and Data Analysis,
1986, section 3.4.2, eq. 3.30). What it would move beyond the outermost draws is reflected there, so
that the estimate never leaves the range of the possible values.
"""

import numpy as np

from skpostbac._utils import Floats

# Bins of the histogram for each standard deviation of the kernel, the fewest and the most.
_BINS_PER_WIDTH, _LEAST_BINS, _MOST_BINS = 5, 50, 2_000
# The kernel ends at so many standard deviations.
_REACH = 4


def kernel_density(draws: Floats) -> tuple[Floats, Floats]:
    """Return increasing points and the densities there, of draws that are not all the same.

    Parameters
    ----------
    draws : array of shape (n,)
        Sorted, at least two.
    """
    low, high = draws[0], draws[-1]
    width = _silverman_width(draws)
    n_bins = int(np.clip(np.ceil(_BINS_PER_WIDTH * (high - low) / width), _LEAST_BINS, _MOST_BINS))
    # Bins are no narrower than the distance of neighbouring floats.
    n_bins = max(1, min(n_bins, int((high - low) / np.spacing(max(abs(low), abs(high))))))
    density, edges = np.histogram(draws, bins=n_bins, range=(low, high), density=True)
    scale = width / (edges[1] - edges[0])
    reach = int(np.ceil(_REACH * scale))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / scale) ** 2)
    padded = np.pad(density, reach, mode="symmetric")
    y = np.convolve(padded, kernel / kernel.sum(), mode="valid")
    # At the outermost draws a reflected density is flat.
    x = np.concatenate([[low], (edges[1:] + edges[:-1]) / 2, [high]])
    return x, np.concatenate([y[:1], y, y[-1:]])


def _silverman_width(draws: Floats) -> float:
    """Return 1.06 times the smaller of two estimates of the spread, over the fifth root of n."""
    lower, upper = np.quantile(draws, [0.25, 0.75])
    spread = min((upper - lower) / 1.34 or np.inf, draws.std(ddof=1))
    return float(1.06 * spread * draws.size**-0.2)
