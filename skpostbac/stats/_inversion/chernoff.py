"""Range of a sum of independent variables, by Chernoff's bound.

With the cumulant function K(h) = log E[exp(h x)] the mass above (K(h) + REACH) / h is at most
exp(-REACH), for any h > 0 (Chernoff, Annals of Mathematical Statistics 23, 1952). A variable with a
mass of at most exp(-L) above sqrt(2 V L) + C L, for all L, is sub-gamma:
K(h) <= V h^2 / 2 / (1 - C h) (Boucheron, Lugosi, Massart, Concentration Inequalities, 2013, 2.4).
"""

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._numerics import REACH

# Rates are this factor apart. Half of it away from the best, the bound of a normal variable is 6 %
# too large.
_FACTOR = 2.0


def chernoff_rates(most: float, least: float) -> Floats:
    """Rates at which to look for the reach of a sum, which lies between two distances.

    They are those of the terms together, and of the one that reaches farthest.
    """
    if not least < most:
        return np.empty(0)
    number = int(np.ceil(np.log(most / least) / np.log(_FACTOR))) + 1
    return REACH / least / _FACTOR ** np.arange(float(number))


def chernoff_reach(rates: Floats, cumulants: Floats) -> float:
    """Return the least of (K(h) + REACH) / h over some rates h."""
    return float(((cumulants + REACH) / rates).min(initial=np.inf))


def sub_gamma(rates: Floats, variance: float, excess: float) -> Floats:
    """Bound K(h) of a variable of a variance that reaches farther than a normal one.

    The excess is C REACH.
    """
    slack = 1 - rates * excess / REACH
    bound = 0.5 * variance * rates * rates / np.where(slack > 0, slack, 1.0)
    return np.where(slack > 0, bound, np.inf)
