"""Priors of the variation of accuracies between the groups of a population."""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import (
    block,
    float_or_nan,
    is_real,
    parameters,
)

# A prior mean farther from the data would make location and spread hard to distinguish.
_FARTHEST_MEAN = 10.0


@dataclass(frozen=True)
class NormalBinomial:
    r"""Normal population of log-odds: :math:`\mathrm{logit}\,\theta_j \sim N(\mu, 1/\lambda)`.

    The priors are :math:`\mu \sim N(\mu_0, 1/\eta_0)` and :math:`\lambda \sim
    \mathrm{Gamma}(a_0, b_0)`, with the rate :math:`b_0`. The defaults are the same as in [1]_.

    Parameters
    ----------
    mean : float, default=0.0
        :math:`\mu_0`, in log-odds, between -10 and 10; the ends are within 5e-5 of 0 and 1.
    precision : float, default=1.0
        :math:`\eta_0`, positive.
    shape, rate : float, default=1.0
        :math:`a_0` and :math:`b_0`, positive. If no group has both correct and wrong
        predictions, :math:`a_0` must be at least 0.5.

    Raises
    ------
    ValueError
        If a parameter is not finite, `mean` is out of range, or another one is not positive.
    TypeError
        If a parameter is not a number.

    References
    ----------
    .. [1] K. H. Brodersen, J. Daunizeau, C. Mathys, J. R. Chumbley, J. M. Buhmann and
       K. E. Stephan, "Variational Bayesian mixed-effects inference for classification studies",
       NeuroImage 76, 2013, 345-361.

    Examples
    --------
    >>> from skpostbac.stats import NormalBinomial
    >>> NormalBinomial(rate=0.1)
    NormalBinomial(mean=0.0, precision=1.0, shape=1.0, rate=0.1)
    """

    mean: float = 0.0
    precision: float = 1.0
    shape: float = 1.0
    rate: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not is_real(value):
                raise TypeError(f"{name} must be a number, got {value!r:.80}")
        if abs(self.mean) > _FARTHEST_MEAN:
            raise ValueError(
                f"mean must be between -{_FARTHEST_MEAN:g} and {_FARTHEST_MEAN:g}, in log-odds, "
                f"got {self.mean!r:.80}"
            )
        for name, value in vars(self).items():
            if not np.isfinite(float_or_nan(value)) or (name != "mean" and value <= 0):
                kind = "finite" if name == "mean" else "finite and positive"
                raise ValueError(f"{name} must be {kind}, got {value!r:.80}")

    def _repr_html_(self) -> str:
        return block(repr(self), parameters(vars(self)))


@dataclass(frozen=True)
class BetaBinomial:
    r"""Beta population of accuracies: :math:`\theta_j \sim \mathrm{Beta}(\alpha, \beta)`.

    The prior is :math:`p(\alpha, \beta) \propto (\alpha + \beta + 1)^{-5/2}`. It is specific to
    this package: the prior of [1]_ lacks the 1, and its posterior is improper if no group has both
    right and wrong predictions. This prior is proper: the mean :math:`\alpha / (\alpha + \beta)` is
    uniform, and the density of :math:`t = (\alpha + \beta)^{-1/2}`, about the spread of the groups,
    is proportional to :math:`(1 + t^2)^{-5/2}`. The location is the log-odds of the mean, and the
    concentration is :math:`\log(\alpha + \beta)`.

    References
    ----------
    .. [1] A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari and D. B. Rubin, Bayesian
       Data Analysis, 3rd edition, chapter 5, CRC Press, 2013.

    Examples
    --------
    >>> from skpostbac.stats import BetaBinomial
    >>> BetaBinomial()
    BetaBinomial()
    """

    def _repr_html_(self) -> str:
        return block(repr(self))
