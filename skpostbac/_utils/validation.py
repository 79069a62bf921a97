"""Array types, and validation of numbers, probabilities, seeds and shapes.

Real numbers of any type are accepted and converted to float: Python and NumPy numbers,
booleans, `Fraction` and `Decimal`, alone, in lists and in object arrays, including NaN.
Text, bytes, complex numbers, dates, None, masked values and numbers beyond the range of
a float are rejected.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from difflib import get_close_matches
from numbers import Integral, Real
from reprlib import repr as short_repr
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Complexes: TypeAlias = NDArray[np.complex128]
Bools: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]
# Class labels are numbers, strings, dates or any other objects.
LabelArray: TypeAlias = NDArray[Any]

# A generator, anything `np.random.default_rng` makes one of, or None for fresh entropy.
RngLike: TypeAlias = (
    int | np.random.Generator | np.random.BitGenerator | np.random.SeedSequence | None
)

RandomStateLike: TypeAlias = int | np.random.RandomState | np.random.Generator | None

# Nobody reports an interval of so small a probability.
_LARGEST_ERROR_RATE = 0.1
# Number of seeds that a RandomState accepts.
_N_SEEDS = 2**32
# As floats, this many draws fill eight gigabytes.
_MAX_N_DRAWS = 10**9
# Packages that warnings are not attributed to. All three occur between the user's line
# and ours when a scikit-learn search calls a scorer.
_SKIPPED_PACKAGES = {"skpostbac", "sklearn", "joblib"}


@contextmanager
def input_errors(prefix: str) -> Iterator[None]:
    """Re-raise errors as ValueError or TypeError with a prefix, in one line.

    Objects of other libraries may raise any error when NumPy reads them.
    """
    try:
        yield
    except (MemoryError, Warning):
        raise
    except Exception as error:
        is_value = isinstance(error, ValueError | ArithmeticError)
        kind = ValueError if is_value else TypeError
        raise kind(f"{prefix}: {' '.join(str(error).split())}") from error


def check_choice(value: object, choices: Iterable[str], name: str) -> None:
    """Raise unless the value is one of the given strings."""
    allowed = list(choices)
    if isinstance(value, str) and value in allowed:
        return

    hint = suggestion(value, allowed)
    raise ValueError(f"{name} must be one of {allowed}, got {shown(value)}{hint}")


def suggestion(value: object, choices: Iterable[str]) -> str:
    """Return the end of an error message: what was probably meant, if that is known."""
    word = value.lower() if isinstance(value, str) else ""
    close = get_close_matches(word, list(choices), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


# Numbers


def float_array(values: ArrayLike, name: str) -> Floats:
    """Return a copy of the values, which must be real numbers.

    Raises
    ------
    ValueError
        If a value is not a real number, is masked or beyond the range of a float, or if
        the array would be ragged.
    TypeError
        If NumPy cannot read the values.
    """
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values.copy()

    expected = f"{name} must be an array of numbers"
    if has_masked(values):
        raise ValueError(f"{expected}, got masked values")

    values = as_numpy(values, name)
    with input_errors(expected):
        array = np.asarray(values)
        is_numeric = array.dtype.kind in "biuf"
        # NumPy converts numbers next to strings to text; check the original values.
        objects = array if is_numeric else np.asarray(values, dtype=object)
    if not is_numeric:
        _check_real(array.dtype, objects, name)

    # Long doubles may overflow to infinity.
    with input_errors(expected), np.errstate(over="ignore"):
        return array.astype(np.float64)


def has_masked(values: Any) -> bool:
    """Return whether values are masked, which NumPy would ignore."""
    parts = values if isinstance(values, list | tuple) else [values]
    types = set(map(type, parts))
    has_masks = any(issubclass(one, np.ma.MaskedArray) for one in types)
    return has_masks and any(map(np.ma.is_masked, parts))


def as_numpy(values: Any, name: str) -> Any:
    """Convert an array of another library to NumPy, without a copy.

    Anything else is returned as it is.

    Raises
    ------
    TypeError
        If NumPy cannot read it: if it is not in the memory of the CPU, if gradients are
        recorded for it, or if NumPy does not have its dtype.
    """
    is_foreign = hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray)
    # NumPy itself reads more kinds of Arrow arrays than DLPack can exchange.
    if not is_foreign or hasattr(values, "__arrow_c_array__"):
        return values

    try:
        return np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        # Arrays on other devices are not covered by tests.
        raise TypeError(
            f"{name} must be an array that NumPy can read in the memory of the CPU: "
            f"{error}"
        ) from error


def first(array: NDArray[Any], bad: Bools) -> str:
    """Format the first bad value and its position."""
    position = tuple(int(i) for i in np.unravel_index(np.argmax(bad), bad.shape))
    value = short_repr(array.item(position))
    if not position:
        return value
    return f"{value} at position {position[0] if len(position) == 1 else position}"


def _check_real(dtype: np.dtype[Any], objects: NDArray[Any], name: str) -> None:
    """Raise if values without a numeric dtype are not real numbers."""
    bad = np.array(
        [not isinstance(value, (Real, Decimal, np.bool_)) for value in objects.flat]
    )
    if bad.any():
        invalid = first(objects, bad.reshape(objects.shape))
        raise ValueError(f"{name} must be an array of numbers, got {invalid}")
    if dtype.kind != "O" and objects.size:
        raise ValueError(f"{name} must be an array of numbers, got the dtype {dtype}")


def is_real(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number of Python or NumPy.

    Durations are not, although NumPy registers them as integers.
    """
    return isinstance(value, Real) and not isinstance(value, np.timedelta64)


def float_or_nan(value: object) -> float:
    """Return a real number as a float, and NaN for anything else."""
    if not (is_real(value) or isinstance(value, Decimal)):
        return np.nan
    try:
        return float(value)
    except (OverflowError, ValueError):
        return np.nan


# Probabilities


def probability_array(values: ArrayLike, name: str) -> Floats:
    """Return a copy of probabilities in [0, 1] or NaN; raise for other values."""
    array = float_array(values, name)
    bad = (array < 0) | (array > 1)
    if bad.any():
        raise ValueError(f"{name} must lie in [0, 1], got {first(array, bad)}")
    return array


def check_level(level: float) -> float:
    """Return a valid probability level, or raise."""
    return check_probability(level, "level")


def check_interval_level(level: float) -> float:
    """Return a valid probability of an interval; raise for one like an error rate."""
    probability = check_level(level)
    if probability <= _LARGEST_ERROR_RATE:
        raise ValueError(
            "level must be the probability inside the interval, not outside: write "
            f"{1 - probability:g} for {probability:g}"
        )
    return probability


def check_probability(value: float, name: str) -> float:
    """Return a probability strictly between 0 and 1, or raise."""
    probability = float_or_nan(value)
    if not 0 < probability < 1:
        percent = f"; write {probability:g} % as {probability / 100:g}"
        hint = percent if 1 < probability < 100 else ""
        raise ValueError(
            f"{name} must be a number strictly between 0 and 1, "
            f"got {shown(value)}{hint}"
        )
    return probability


def check_rope(rope: float) -> float:
    """Return the half-width of the region of practical equivalence."""
    half_width = float_or_nan(rope)
    if not 0 <= half_width < 1:
        raise ValueError(
            "rope must be at least 0, and below 1 as differences lie in [-1, 1], "
            f"got {shown(rope)}"
        )
    return half_width


# Seeds and shapes


def check_generator(rng: Any) -> np.random.Generator:
    """Return the given generator, or a new one from a seed or fresh entropy.

    Other arguments of `np.random.default_rng` are rejected: it does not return from a
    sequence that contains itself, and what it makes of a `RandomState` depends on the
    version of NumPy.
    """
    if rng is None or isinstance(
        rng, (np.random.Generator, np.random.BitGenerator, np.random.SeedSequence)
    ):
        return np.random.default_rng(rng)
    expected = (
        "None, a non-negative integer, or a Generator, BitGenerator or SeedSequence "
        "of NumPy"
    )
    return np.random.default_rng(check_seed(rng, "rng", expected))


def check_seed(seed: Any, name: str, expected: str = "a non-negative integer") -> int:
    """Return a seed of any length; raise with what is `expected` otherwise."""
    if not is_integer(seed):
        raise TypeError(f"{name} must be {expected}, got {shown(seed)}")
    return check_nonnegative_integer(seed, name)


def check_n_draws(n_draws: object, least: int) -> int:
    """Return a number of draws; raise unless it is an integer from `least` to 1e9."""
    return check_integer(n_draws, "n_draws", least, _MAX_N_DRAWS)


def draw_seed(random_state: RandomStateLike) -> int:
    """Draw a seed; None uses fresh entropy, not the global random state.

    Raises
    ------
    ValueError
        If `random_state` is neither None, an integer of at least 0 and below 2**32, a
        `RandomState` nor a `Generator`.
    """
    if random_state is None:
        random_state = np.random.default_rng()
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))

    if not isinstance(random_state, np.random.RandomState):
        if not is_integer(random_state) or not 0 <= random_state < _N_SEEDS:
            raise ValueError(
                "random_state must be None, an integer of at least 0 and below 2**32, "
                f"or a RandomState or Generator of NumPy, got {shown(random_state)}"
            )
        random_state = np.random.RandomState(int(random_state))
    return int(random_state.randint(2**31 - 1))


def check_shape(shape: Any) -> tuple[int, ...]:
    """Return an array shape as a tuple; raise unless NumPy supports it."""
    sizes = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    if not all(map(is_integer, sizes)):
        raise TypeError(
            "shape must be a non-negative integer or a tuple of them, "
            f"got {shown(shape)}"
        )

    checked = tuple(check_nonnegative_integer(size, "shape") for size in sizes)
    try:
        # A broadcast scalar has the shape but needs no memory.
        np.broadcast_to(0.0, checked)
    except ValueError as error:
        raise ValueError(
            f"shape must be that of an array of NumPy, got {shown(shape)}: {error}"
        ) from error
    return checked


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is a Python or NumPy integer; booleans are not."""
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def check_integer(value: Any, name: str, least: int, most: int | None = None) -> int:
    """Return a Python integer in a range, or raise."""
    if not is_integer(value):
        raise TypeError(
            f"{name} must be an instance of int, not {type(value).__qualname__}."
        )
    if value < least:
        raise ValueError(f"{name} == {shown(int(value))}, must be >= {least}.")
    if most is not None and value > most:
        raise ValueError(f"{name} == {shown(int(value))}, must be <= {most}.")
    return int(value)


def check_text(value: object, name: str) -> None:
    """Raise unless the value is a string or None."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} must be a string or None, got {shown(value)}")


def check_positive_integer(value: object, name: str) -> int:
    """Return a Python integer that is at least one, or raise."""
    if not is_integer(value) or value < 1:
        raise ValueError(f"{name} must be a positive integer, got {shown(value)}")
    return int(value)


def check_nonnegative_integer(value: int, name: str) -> int:
    """Return a Python integer that is not negative, or raise."""
    if value < 0:
        raise ValueError(f"{name} must not be negative, got {shown(int(value))}")
    return int(value)


# Messages


def label_repr(label: object) -> str:
    """Return the repr of a label or name; that of NumPy's scalars names no type.

    Examples
    --------
    >>> label_repr(np.int64(0)), label_repr(np.datetime64("2026-01-01"))
    ('0', "'2026-01-01'")
    """
    if isinstance(label, np.datetime64 | np.timedelta64):
        return repr(str(label))
    return repr(label.item() if isinstance(label, np.generic) else label)


def shown(value: object) -> str:
    """Format a value briefly, in one line."""
    if isinstance(value, np.generic):
        return label_repr(value)
    try:
        return " ".join(short_repr(value).split())
    except ValueError:
        # Python does not format integers of more than 4300 digits.
        return f"one of type {type(value).__name__} that is too long to be written"


def nonnegative_array(values: ArrayLike, name: str) -> Floats:
    """Return a read-only copy of a one-dimensional array of non-negative numbers."""
    array = float_array(values, name)
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be 1-dimensional, such as a list of numbers, got an array of "
            f"shape {array.shape}"
        )
    check_nonnegative(array, name)
    # This turns -0.0 into 0.0.
    array += 0.0
    array.flags.writeable = False
    return array


def check_nonnegative(array: Floats, name: str) -> None:
    """Raise if numbers are negative, infinite or NaN."""
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        raise ValueError(
            f"{name} must be finite and non-negative, got {first(array, bad)}"
        )


def check_flags(**flags: object) -> None:
    """Raise unless the values are booleans; a string such as "no" would count as true.

    Examples
    --------
    >>> check_flags(balanced=True)
    >>> check_flags(balanced="no")
    Traceback (most recent call last):
        ...
    TypeError: balanced must be a bool, got 'no'
    """
    for name, value in flags.items():
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be a bool, got {value!r}")


def user_stacklevel() -> int:
    """Return the `stacklevel` that makes a warning point to the user's line.

    It is that of the innermost frame outside the skipped packages. `warnings.warn` has
    `skip_file_prefixes` for this from Python 3.12 on.
    """
    frame = sys._getframe(1)
    level = 1
    while frame.f_back is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in _SKIPPED_PACKAGES:
            break
        frame = frame.f_back
        level = level + 1
    return level
