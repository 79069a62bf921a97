"""Samples that are not independent cases: groups, importance weights, and their design effects.

`sums` has what adds over groups, and `design` what counts keep of it; `effects` are the rule by
which counts are divided, `widened` the distribution where groups cross classes, and `notes` what a
user is told. Imports `skpostbac.stats`.
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
