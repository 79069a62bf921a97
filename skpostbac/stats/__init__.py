"""Distributions of accuracies and of weighted sums of Betas; requires only NumPy and SciPy.

Weighted sums of Betas are imported at once, and other models when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from skpostbac.stats._beta import BetaAverage, BetaAverages
from skpostbac.stats._distribution import BoundedDistribution, Interval
from skpostbac.stats._transforms import LibbyNovickBeta, PowerTransform, ShiftedDistribution

if TYPE_CHECKING:
    from skpostbac.stats._borrowing import HierarchicalBetaAverage, Hyperprior
    from skpostbac.stats._dirichlet import PairedDifference
    from skpostbac.stats._pairs import HierarchicalPairedDifference
    from skpostbac.stats._population import BetaBinomial, NormalBinomial
    from skpostbac.stats._ratio import BetaQuotient, BetaRatio
else:
    _ROOMS = {
        "BetaBinomial": "_population",
        "BetaQuotient": "_ratio",
        "BetaRatio": "_ratio",
        "HierarchicalBetaAverage": "_borrowing",
        "HierarchicalPairedDifference": "_pairs",
        "Hyperprior": "_borrowing",
        "NormalBinomial": "_population",
        "PairedDifference": "_dirichlet",
    }

    def __getattr__(name: str) -> Any:
        """Import a model on first use (PEP 562)."""
        if name not in _ROOMS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        room = import_module(f"{__name__}.{_ROOMS[name]}")
        return globals().setdefault(name, getattr(room, name))

    def __dir__() -> list[str]:
        """List the public names."""
        return __all__


__all__ = [
    "BetaAverage",
    "BetaAverages",
    "BetaBinomial",
    "BetaQuotient",
    "BetaRatio",
    "BoundedDistribution",
    "HierarchicalBetaAverage",
    "HierarchicalPairedDifference",
    "Hyperprior",
    "Interval",
    "LibbyNovickBeta",
    "NormalBinomial",
    "PairedDifference",
    "PowerTransform",
    "ShiftedDistribution",
]
