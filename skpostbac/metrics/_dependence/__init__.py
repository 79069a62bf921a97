"""Dependent samples: groups, importance weights, and their design effects.

`rows` has the rows that are stored with the counts. `effects` computes the design
effects by which counts are divided, and the distribution if groups contain several
classes. `notes` has the messages to the user. Imports `skpostbac.stats`.
"""

from skpostbac.metrics._dependence.effects import (
    DesignEffects,
    RowValues,
    WidenedAverage,
    design_effects,
    matched_beta,
    widened_average,
    widened_difference,
    widening,
)
from skpostbac.metrics._dependence.notes import (
    GroupsWarning,
    SampleWeightWarning,
    are_fractions,
    describe_effective_size,
    design_notes,
    group_notes,
    is_large,
    sequence_error,
    warn_of_few_weights,
    warn_of_fractions,
    warn_of_groups,
    whole_counts,
)
from skpostbac.metrics._dependence.rows import (
    SampleDesign,
    merge_designs,
    sum_by,
)
