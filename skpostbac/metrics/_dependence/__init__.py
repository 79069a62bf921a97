"""Dependent samples: groups, importance weights, and their design effects.

`sums` computes sums over groups, and `design` stores them with the counts. `effects` computes the
design effects by which counts are divided, `widened` the distribution if groups contain several
classes, and `notes` the messages to the user. Imports `skpostbac.stats`.
"""

from skpostbac.metrics._dependence.design import SampleDesign, make_design, merge_designs
from skpostbac.metrics._dependence.effects import (
    DesignEffects,
    FigureSums,
    design_effects,
    widening,
)
from skpostbac.metrics._dependence.notes import (
    GroupsWarning,
    SampleWeightWarning,
    describe_worth,
    doubts_of_groups,
    is_large,
    warn_of_fractions,
    warn_of_groups,
    warn_of_repeated_ids,
)
from skpostbac.metrics._dependence.sums import Figure, difference_figure, hit_figure
from skpostbac.metrics._dependence.widened import WidenedAverage, widened_difference

__all__ = [
    "DesignEffects",
    "Figure",
    "FigureSums",
    "GroupsWarning",
    "SampleDesign",
    "SampleWeightWarning",
    "WidenedAverage",
    "describe_worth",
    "design_effects",
    "difference_figure",
    "doubts_of_groups",
    "hit_figure",
    "is_large",
    "make_design",
    "merge_designs",
    "warn_of_fractions",
    "warn_of_groups",
    "warn_of_repeated_ids",
    "widened_difference",
    "widening",
]
