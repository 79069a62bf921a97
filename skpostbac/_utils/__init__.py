"""Helpers for the whole package that do not depend on it.

Array types, argument checks, immutable results, formatting of numbers and names, HTML. Requires
NumPy only, and imports no other folder.
"""

from skpostbac._utils.arrays import Bools, Complexes, Floats, Indices, LabelArray
from skpostbac._utils.caller import user_stacklevel
from skpostbac._utils.format import (
    describe_estimate,
    format_column,
    format_estimate,
    format_estimates,
    format_number,
    format_probability,
    format_share,
    round_estimate,
)
from skpostbac._utils.html import (
    block,
    density_drawing,
    escape,
    more,
    paragraph,
    parameters,
    record,
    table,
)
from skpostbac._utils.immutable import FrozenArrays, StablePickle
from skpostbac._utils.progress_line import progress
from skpostbac._utils.random_state import RandomStateLike, check_n_draws, draw_seed
from skpostbac._utils.text import printable
from skpostbac._utils.validation import (
    RngLike,
    as_numpy,
    check_choice,
    check_flags,
    check_generator,
    check_integer,
    check_level,
    check_nonnegative,
    check_probability,
    check_seed,
    check_shape,
    check_text,
    first,
    float_array,
    float_or_nan,
    input_errors,
    is_integer,
    is_real,
    nonnegative_array,
    probability_array,
    shown,
)

__all__ = [
    "Bools",
    "Complexes",
    "Floats",
    "FrozenArrays",
    "Indices",
    "LabelArray",
    "RandomStateLike",
    "RngLike",
    "StablePickle",
    "as_numpy",
    "block",
    "check_choice",
    "check_flags",
    "check_generator",
    "check_integer",
    "check_level",
    "check_n_draws",
    "check_nonnegative",
    "check_probability",
    "check_seed",
    "check_shape",
    "check_text",
    "density_drawing",
    "describe_estimate",
    "draw_seed",
    "escape",
    "first",
    "float_array",
    "float_or_nan",
    "format_column",
    "format_estimate",
    "format_estimates",
    "format_number",
    "format_probability",
    "format_share",
    "input_errors",
    "is_integer",
    "is_real",
    "more",
    "nonnegative_array",
    "paragraph",
    "parameters",
    "printable",
    "probability_array",
    "progress",
    "record",
    "round_estimate",
    "shown",
    "table",
    "user_stacklevel",
]
