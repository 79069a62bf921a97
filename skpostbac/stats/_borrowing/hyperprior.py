"""The prior of the rate that classes share, and of how much they borrow from it.

The density of a class that borrows `up` = mu kappa correct and `down` = (1 - mu) kappa wrong
samples is that of Beta(a, b) times theta^up (1 - theta)^down / Z, with

    Z = E[theta^up (1 - theta)^down] = B(a + up, b + down) / B(a, b).

Its log is a sum of terms log Gamma(x + d) - log Gamma(x). They are computed by Stirling's series
with remainder, in a form without cancellation for counts of any size.
"""

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from skpostbac._utils import block, check_positive_integer, float_or_nan, parameters

# Above this count, the spread of a class is lost to rounding of its mean.
LARGEST_COUNT = 1e15
# Limits of what the quadrature resolves.
_SMALLEST, _LARGEST = 0.05, 20.0
# Size of the virtual sample of a move of the rate.
VIRTUAL = 24


@dataclass(frozen=True)
class Hyperprior:
    r"""Hierarchical prior of recalls, with partial pooling of classes of similar size.

    .. math::

        \theta_i \sim (1 - \epsilon) \, \mathrm{Beta}(b + \mu\kappa, b + (1 - \mu)\kappa)
                 + \epsilon \, \mathrm{Beta}(b, b), \qquad
        \mu \sim \mathrm{Beta}(m, m), \qquad
        \kappa \in \{\kappa_1, \ldots, \kappa_r\}

    Classes of similar size form a stratum and share the rate :math:`\mu`. Each class borrows
    :math:`\kappa` pseudo-samples with this rate; all strengths :math:`\kappa` are equally likely a
    priori. With probability :math:`\epsilon` a class is an outlier that borrows nothing, so that
    one class at chance level does not affect the others. The base Beta(b, b) is Jeffreys' prior by
    default.

    From one stratum to the next larger one, the rate and the strength stay the same, or the rate
    moves a little, or both are drawn anew. Rare classes are often harder, and a trend of the recall
    with class size must not be mistaken for noise. In a move,
    :math:`x \sim \mathrm{Binomial}(24, \mu)` and
    :math:`\mu' \sim \mathrm{Beta}(m + x, m + 24 - x)`, which preserves the prior of the rate. A
    class without samples belongs to the smallest stratum.

    All rates and strengths are integrated out, not estimated ([1]_, ch. 5; ch. 17 for outliers;
    [2]_ for partitions of neighbours into blocks that share a rate).

    Parameters
    ----------
    kappa : sequence of float, default=(4, 8, 16, 32, 64, 128, 256, 512)
        Numbers of pseudo-samples that a class may borrow, in (0, 1000].
    rate : float in [0.05, 20], default=0.75
        Parameter m of the Beta distribution of the common rate.
    outlier : float in [0, 1], default=None
        Probability that a class borrows nothing, by default 2 / (l + 4) for l classes. With 1, all
        classes have independent Beta(b, b) priors.
    base : float in [0.05, 20], default=0.5
        Parameter b of the Beta prior of a class that borrows nothing.
    strata : float of at least 1.01, or None, default=2
        Base of the logarithm: classes of size n with the same floor(log(n)) form a stratum. With
        None all classes are in one stratum.
    stay : float in [0, 1], default=0.3
        Probability that rate and strength stay the same from one stratum to the next.
    move : float in [0, 1 - stay], default=0.4
        Probability that the rate moves a little. Otherwise rate and strength are drawn anew.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    References
    ----------
    .. [1] A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari and D. B. Rubin, Bayesian
       Data Analysis, 3rd ed., 2013.
    .. [2] D. Barry and J. A. Hartigan, "A Bayesian analysis for change point problems", Journal of
       the American Statistical Association 88, 1993, 309-319.

    Examples
    --------
    >>> from skpostbac.stats import HierarchicalBetaAverage, Hyperprior
    >>> Hyperprior().outlier_share(6)
    0.2

    Small classes are harder here; a single stratum treats the trend as noise:

    >>> correct, total = [2, 3, 10, 28, 60, 118], [4, 5, 15, 30, 65, 125]
    >>> round(HierarchicalBetaAverage(correct, total).mean(), 3)
    0.775
    >>> one = Hyperprior(strata=None)
    >>> round(HierarchicalBetaAverage(correct, total, hyperprior=one).mean(), 3)
    0.816
    """

    kappa: tuple[float, ...] = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0)
    rate: float = 0.75
    outlier: float | None = None
    base: float = 0.5
    strata: float | None = 2.0
    stay: float = 0.3
    move: float = 0.4

    def __post_init__(self) -> None:
        given: Any = self.kappa
        if not isinstance(given, (tuple, list)) or not given:
            raise ValueError(f"kappa must be a sequence of numbers, got {given!r:.80}")
        kappa = tuple(_checked("kappa", value, 1e-3, 1000.0) for value in given)
        object.__setattr__(self, "kappa", kappa)
        object.__setattr__(self, "rate", _checked("rate", self.rate, _SMALLEST, _LARGEST))
        object.__setattr__(self, "base", _checked("base", self.base, _SMALLEST, _LARGEST))
        if self.outlier is not None:
            object.__setattr__(self, "outlier", _checked("outlier", self.outlier, 0.0, 1.0))
        if self.strata is not None:
            object.__setattr__(self, "strata", _checked("strata", self.strata, 1.01, np.inf))
        object.__setattr__(self, "stay", _checked("stay", self.stay, 0.0, 1.0))
        object.__setattr__(self, "move", _checked("move", self.move, 0.0, 1.0))
        # Do not compare with 1 - stay, which rounds to less than .2 for stay = .8.
        if self.stay + self.move > 1:
            raise ValueError(
                f"stay and move must add up to at most 1, got {self.stay:g} and {self.move:g}"
            )

    def __repr__(self) -> str:
        """Show the parameters that differ from the defaults."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        shown = [f"{field.name}={value}" for field, value in values if value != field.default]
        return f"Hyperprior({', '.join(shown)})"

    def _repr_html_(self) -> str:
        return block(repr(self), parameters(asdict(self)))

    @property
    def anew(self) -> float:
        """Probability that rate and strength are drawn anew from one stratum to the next."""
        return max(1.0 - self.stay - self.move, 0.0)

    def outlier_share(self, n_classes: int) -> float:
        """Return the prior probability that one of `n_classes` classes borrows nothing.

        Parameters
        ----------
        n_classes : int
            At least 1.

        Returns
        -------
        share : float
            `outlier`, or the default for this number of classes.

        Raises
        ------
        ValueError
            If `n_classes` is not a positive integer.

        Examples
        --------
        >>> from skpostbac.stats import Hyperprior
        >>> Hyperprior().outlier_share(16), Hyperprior(outlier=0.05).outlier_share(16)
        (0.1, 0.05)
        """
        n_classes = check_positive_integer(n_classes, "n_classes")
        return 2 / (n_classes + 4) if self.outlier is None else float(self.outlier)


def resolve_hyperprior(hyperprior: Hyperprior | None) -> Hyperprior:
    """Return a hyperprior, the default one for None."""
    if hyperprior is not None and not isinstance(hyperprior, Hyperprior):
        raise TypeError(f"hyperprior must be a Hyperprior, got {type(hyperprior).__name__}")
    return Hyperprior() if hyperprior is None else hyperprior


def _checked(name: str, value: Any, low: float, high: float) -> float:
    if not low <= float_or_nan(value) <= high:
        raise ValueError(f"{name} must lie between {low:g} and {high:g}, got {value!r:.80}")
    return float(value)
