r"""The distribution of a variable whose odds are a multiple of those of a Beta variable.

The log-odds of a Beta variable are moved by the log of the factor. Their density is tabulated as
that of a ratio is (`tabulated`), with one variable instead of two.
"""

from __future__ import annotations

import numpy as np

from skpostbac._utils import Floats, float_or_nan, shown
from skpostbac.stats._distribution import Interval, LogitDensity
from skpostbac.stats._ratio.density import EDGES, tolerances
from skpostbac.stats._ratio.tabulated import TabulatedRatio
from skpostbac.stats._ratio.variables import beta_log_odds

# Range of the parameters, that of `BetaAverage`, and of factors.
_LEAST, _MOST = 1e-6, 1e15
_SMALLEST, _LARGEST = 1e-4, 1e4


class LibbyNovickBeta(TabulatedRatio):
    r"""Distribution of a variable whose odds are a multiple of those of a Beta variable.

    With :math:`\theta \sim \mathrm{Beta}(a, b)` and a factor c it is the distribution of

    .. math:: R = \frac{c \theta}{1 - \theta + c \theta}, \qquad
        \frac{R}{1 - R} = c \, \frac{\theta}{1 - \theta},

    the generalised Beta distribution of [1]_. The F1 measure is such a variable if the class shares
    are sampled: it is :math:`2 J / (1 + J)`, of the Jaccard index J, which is a Beta variable.

    Parameters
    ----------
    a, b : float
        Parameters of the Beta variable, between 1e-6 and 1e15.
    factor : float
        The factor c, between 1e-4 and 1e4.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The density of the log-odds is in closed form and tabulated once. Probabilities and moments are
    integrals of it, with an absolute error of about 1e-12. Small tails have a relative error of
    about 1e-9.

    References
    ----------
    .. [1] D. L. Libby and M. R. Novick (1982). Multivariate generalized beta distributions with
       applications to utility assessment. Journal of Educational Statistics 7, 271-294.

    Examples
    --------
    F1 with 21 true positives, 3 false negatives and 5 false positives, flat prior of the cells:

    >>> from skpostbac.stats import LibbyNovickBeta
    >>> f1 = LibbyNovickBeta(22, 10, factor=2)
    >>> f1
    LibbyNovickBeta(mean=0.8121, sd=0.05794)
    >>> f1.interval(0.95)
    Interval(low=0.6839, high=0.9090)
    """

    def __init__(self, a: float, b: float, factor: float) -> None:
        self._a = _between(a, "a", _LEAST, _MOST)
        self._b = _between(b, "b", _LEAST, _MOST)
        self._factor = _between(factor, "factor", _SMALLEST, _LARGEST)

    @property
    def a(self) -> float:
        """First parameter of the Beta variable."""
        return self._a

    @property
    def b(self) -> float:
        """Second parameter of the Beta variable."""
        return self._b

    @property
    def factor(self) -> float:
        """Ratio of the odds to those of the Beta variable."""
        return self._factor

    @property
    def _ends(self) -> Interval:
        return Interval(0.0, 1.0)

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        share = rng.beta(self._a, self._b, shape)
        # Not 0 / 0 where a share is 1.
        return np.asarray(share / (share + (1 - share) / self._factor))

    def _tabulated(self, depth: float) -> LogitDensity:
        variable, shift = beta_log_odds(self._a, self._b), np.log(self._factor)
        tolerance, far = tolerances(variable)
        return LogitDensity.between(
            lambda u: variable.log_density(u - shift),
            variable.mode + shift + variable.scale * EDGES,
            tolerance,
            depth=depth,
            far=far,
        )


def _between(value: float, name: str, low: float, high: float) -> float:
    """Return a number in a range."""
    if not low <= (number := float_or_nan(value)) <= high:
        raise ValueError(f"{name} must be between {low:g} and {high:g}, got {shown(value)}")
    return number
