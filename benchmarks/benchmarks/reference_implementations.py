"""How others compute the posterior of the balanced accuracy, on a grid and by random draws.

Small implementations, written from published descriptions and not from anyone's source code. They
have one purpose, to compare errors and times; each computes what its description says and no more.
"""

import numpy as np
from scipy import fft, stats

_BLOCK = 2**24


def monte_carlo(a, b, draws, rng):
    """Random draws of the average, (draws,), in blocks of bounded memory.

    Carrillo, Brodersen and Castellanos (2014), section 4.5, advise 5,000 draws.
    """
    rows = max(_BLOCK // len(a), 1)
    sizes = [min(rows, draws - start) for start in range(0, draws, rows)]
    return np.concatenate(
        [rng.beta(a, b, size=(size, len(a))).mean(axis=1) for size in sizes]
    )


def sample_interval(sample):
    """Ends of the central 95 % of a sample."""
    return np.quantile(sample, [0.025, 0.975])


class GridDistribution:
    """A distribution given by the values of its density on an even grid over [0, 1].

    Integrals are those of the trapezium rule, as in the documentation of mclearn, and the density
    is scaled to integrate to one.
    """

    def __init__(self, density):
        self.x = np.linspace(0.0, 1.0, len(density))
        strips = np.concatenate(
            [[0.0], 0.5 * np.diff(self.x) * (density[1:] + density[:-1])]
        )
        self.total = strips.sum()
        self.cumulated = np.cumsum(strips) / self.total
        self.density = density / self.total

    def mean(self):
        """Return the mean."""
        return np.trapezoid(self.x * self.density, self.x)

    def cdf(self, x):
        """Return P(X <= x), linear between the points of the grid."""
        return np.interp(x, self.x, self.cumulated)

    def interval(self):
        """Return the ends of the central 95 %."""
        return np.interp([0.025, 0.975], self.cumulated, self.x)


def convolution_on_grid(a, b, step=1e-3):
    """Convolve the Beta densities on a grid, one after the other.

    The way of ``convolve_betas(parameters, res=0.001)`` as the documentation of mclearn describes
    it: values of each density at steps of `res`, convolved in turn; the average is the sum at k x.
    """
    densities = _beta_densities(a, b, step)
    total = densities[0]
    for density in densities[1:]:
        total = np.convolve(total, density) * step
    return GridDistribution(total)


def fourier_on_grid(a, b, step=1e-3):
    """Multiply the discrete Fourier transforms of the Beta densities on a grid, and go back.

    Carrillo, Brodersen and Castellanos (2014), eq. 13. The grid resolves each class, not the
    average, to `step`, and is long enough for the sum of all classes not to wrap around.
    """
    length = len(a) * round(1 / step) + 1
    size = fft.next_fast_len(length, real=True)
    product = np.ones(size // 2 + 1, dtype=complex)
    for one_a, one_b in zip(a, b, strict=True):
        density = _beta_densities([one_a], [one_b], step)[0]
        product *= fft.rfft(density * step, size)
    return GridDistribution(np.maximum(fft.irfft(product, size)[:length], 0.0))


def _beta_densities(a, b, step):
    """Return values of the Beta densities at steps over [0, 1], one row for each class."""
    theta = np.linspace(0.0, 1.0, round(1 / step) + 1)
    return stats.beta.pdf(theta, np.reshape(a, (-1, 1)), np.reshape(b, (-1, 1)))
