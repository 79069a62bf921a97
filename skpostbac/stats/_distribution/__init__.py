"""Base class of continuous distributions on a bounded interval.

Computes quantiles, the mode, the shortest interval and draws from the tails and the density that
subclasses provide. Also distributions given by the density of their log-odds or by random draws,
and those of powers of a variable, a variable plus a constant, and multiples of its odds.
Imports `_numerics`.
"""

from skpostbac.stats._distribution.distribution import (
    DEFAULT_INTERVAL,
    BoundedDistribution,
    Distribution,
    DrawnDistribution,
    DrawnPosterior,
    Interval,
    IntervalMethod,
    Intervals,
    LocatedDistributions,
    broadcast_limits,
    central_tails,
    check_interval_method,
    describe,
    describe_draws,
    errors_of,
    estimate_columns,
    estimate_rows,
    figures_of,
    interval_of,
    kernel_density,
    plain_float,
)
from skpostbac.stats._distribution.table import (
    LAST,
    CentredShare,
    LogitDistribution,
    Table,
    TabulatedDistribution,
)
from skpostbac.stats._distribution.transforms import (
    OddsTransform,
    PowerTransform,
    ShiftedDistribution,
)
