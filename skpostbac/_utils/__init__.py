"""Helpers for the whole package that do not depend on it.

Array types, argument checks, immutable results, formatting of numbers and names, HTML.
Requires NumPy only, and imports no other folder.
"""

from skpostbac._utils.format import (
    describe_estimate,
    finite_or_none,
    format_column,
    format_estimate,
    format_estimates,
    format_number,
    format_probability,
    format_share,
    is_shown,
    join_first,
    n_decimals_of,
    paragraphs,
    printable,
    records_of,
    round_estimate,
    unwrap,
)
from skpostbac._utils.html import (
    block,
    density_drawing,
    escape,
    more,
    paragraph,
    parameters,
    record,
    result,
    table,
)
from skpostbac._utils.immutable import FrozenArrays, SetOnce, StablePickle
from skpostbac._utils.progress_line import progress
from skpostbac._utils.spelling import describe_strays, find_twins, list_labels
from skpostbac._utils.validation import (
    Bools,
    Complexes,
    Floats,
    Indices,
    LabelArray,
    RandomStateLike,
    RngLike,
    as_numpy,
    check_choice,
    check_flags,
    check_generator,
    check_integer,
    check_interval_level,
    check_level,
    check_n_draws,
    check_nonnegative,
    check_positive_integer,
    check_probability,
    check_rope,
    check_seed,
    check_shape,
    check_text,
    draw_seed,
    first,
    float_array,
    float_or_nan,
    has_masked,
    input_errors,
    is_integer,
    is_real,
    label_repr,
    nonnegative_array,
    probability_array,
    shown,
    suggestion,
    user_stacklevel,
)
