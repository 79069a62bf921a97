"""Types of arrays, and validation of numbers, probabilities, seeds and shapes.

Real numbers of any type are welcome, and converted by `float`: those of Python and NumPy, booleans,
`Fraction` and `Decimal`, alone, in lists and in arrays of objects. NaN is a number here. Text,
bytes, complex numbers, dates, None, masked values and numbers beyond the range of a float are none.
"""

from __future__ import annotations

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

# What draws: a generator, what NumPy makes one of, or a seed; None for fresh entropy.
RngLike: TypeAlias = (
    int | np.random.Generator | np.random.BitGenerator | np.random.SeedSequence | None
)

RandomStateLike: TypeAlias = int | np.random.RandomState | np.random.Generator | None

# One more than the largest seed of a RandomState.
_SEEDS = 2**32
# Draws that fill eight gigabytes as numbers.
_MOST_DRAWS = 10**9
# What stands between a user's call and ours: a search calls a scorer through all of them.
_BETWEEN = {"skpostbac", "sklearn", "joblib"}


@contextmanager
def input_errors(prefix: str) -> Iterator[None]:
    """Context manager that re-raises errors as ValueError or TypeError with a prefix.

    Objects of other libraries raise errors of their own where NumPy reads them. The message is put
    in one line.
    """
    try:
        yield
    except (MemoryError, Warning):
        raise
    except Exception as error:
        kind = ValueError if isinstance(error, ValueError | ArithmeticError) else TypeError
        raise kind(f"{prefix}: {' '.join(str(error).split())}") from error


def check_choice(value: object, choices: Iterable[str], name: str) -> None:
    """Raise unless the value is one of the given strings."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        close = get_close_matches(value.lower(), known, n=1) if isinstance(value, str) else []
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"{name} must be one of {known}, got {shown(value)}{meant}")


# Numbers


def float_array(values: ArrayLike, name: str) -> Floats:
    """Return a copy of the values, which must be real numbers.

    Raises
    ------
    ValueError
        If they are not, if one of them is masked or beyond the range of a float, or if the array
        would be ragged.
    TypeError
        If NumPy cannot read them.
    """
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values.copy()
    # NumPy reads masked values as numbers.
    parts = values if isinstance(values, list | tuple) else [values]
    if any(np.ma.is_masked(one) for one in parts if isinstance(one, np.ma.MaskedArray)):
        raise ValueError(f"{name} must be an array of numbers, got masked values")
    values = as_numpy(values, name)
    wanted = f"{name} must be an array of numbers"
    with input_errors(wanted):
        array = np.asarray(values)
        # NumPy writes numbers beside strings as text: look at what was given.
        objects = array if array.dtype.kind in "biuf" else np.asarray(values, dtype=object)
    _check_real(array.dtype, objects, name)
    with input_errors(wanted), np.errstate(over="ignore"):  # long doubles become infinite
        return array.astype(np.float64)


def as_numpy(values: Any, name: str) -> Any:
    """Return an array of another library in NumPy, without a copy; anything else as it is.

    Raises
    ------
    TypeError
        If NumPy cannot read it: if it is not in the memory of the CPU, if gradients are
        recorded for it, or if it has a dtype that NumPy has not.
    """
    is_other = hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray)
    if not is_other or hasattr(values, "__arrow_c_array__"):  # NumPy reads more of Arrow itself
        return values
    try:
        return np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        # No test has an array on another device that holds data.
        raise TypeError(
            f"{name} must be an array that NumPy can read in the memory of the CPU: {error}"
        ) from error


def first(array: NDArray[Any], bad: Bools) -> str:
    """Format the first bad value and its position."""
    place = tuple(int(i) for i in np.unravel_index(np.argmax(bad), bad.shape))
    value = short_repr(array.item(place))
    if not place:
        return value
    return f"{value} at position {place[0] if len(place) == 1 else place}"


def _check_real(dtype: np.dtype[Any], objects: NDArray[Any], name: str) -> None:
    """Raise if values are not real numbers."""
    if dtype.kind in "biuf":
        return
    bad = np.array([not isinstance(value, (Real, Decimal, np.bool_)) for value in objects.flat])
    if bad.any():
        found = first(objects, bad.reshape(objects.shape))
        raise ValueError(f"{name} must be an array of numbers, got {found}")
    if dtype.kind != "O" and objects.size:
        raise ValueError(f"{name} must be an array of numbers, got the dtype {dtype}")


def is_real(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number, of Python or NumPy, which calls a duration one."""
    return isinstance(value, Real) and not isinstance(value, np.timedelta64)


def float_or_nan(value: object) -> float:
    """Return a real number as a float, and nan for anything else."""
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


def check_probability(value: float, name: str) -> float:
    """Return a probability strictly between 0 and 1, or raise."""
    probability = float_or_nan(value)
    if not 0 < probability < 1:
        hint = (
            f"; write {probability:g} % as {probability / 100:g}" if 1 < probability < 100 else ""
        )
        raise ValueError(
            f"{name} must be a number strictly between 0 and 1, got {shown(value)}{hint}"
        )
    return probability


def check_proportion(value: object, name: str) -> float:
    """Return a number from 0 to 1, or raise."""
    if not is_real(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be in [0, 1], got {shown(value)}")
    return float(value)


def check_rope(rope: float) -> float:
    """Return the half-width of the region of practical equivalence."""
    half_width = float_or_nan(rope)
    if not 0 <= half_width < 1:
        raise ValueError(
            f"rope must be at least 0, and below 1 as differences lie in [-1, 1], got {shown(rope)}"
        )
    return half_width


# Seeds and shapes


def check_generator(rng: Any, name: str = "rng") -> np.random.Generator:
    """Return the generator that is given, or a new one of a seed or of fresh entropy.

    NumPy takes sequences of integers too, and does not come back from one that holds itself. Of
    a `RandomState` its versions make different things.
    """
    if rng is None or isinstance(
        rng, (np.random.Generator, np.random.BitGenerator, np.random.SeedSequence)
    ):
        return np.random.default_rng(rng)
    kinds = "None, a non-negative integer, or a Generator, BitGenerator or SeedSequence of NumPy"
    return np.random.default_rng(check_seed(rng, name, kinds))


def check_seed(seed: Any, name: str, kinds: str = "a non-negative integer") -> int:
    """Return a seed of any length; raise with the allowed `kinds` otherwise."""
    if not is_integer(seed):
        raise TypeError(f"{name} must be {kinds}, got {shown(seed)}")
    return check_nonnegative_integer(seed, name)


def check_n_draws(n_draws: object, least: int) -> int:
    """Return a number of draws, which must be an integer, at least so many and at most 1e9."""
    return check_integer(n_draws, "n_draws", least, _MOST_DRAWS)


def draw_seed(random_state: RandomStateLike) -> int:
    """Return a seed: of fresh entropy for None, never of the global state.

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
        if not is_integer(random_state) or not 0 <= random_state < _SEEDS:
            raise ValueError(
                "random_state must be None, an integer of at least 0 and below 2**32, or a "
                f"RandomState or Generator of NumPy, got {shown(random_state)}"
            )
        random_state = np.random.RandomState(int(random_state))
    return int(random_state.randint(2**31 - 1))


def check_shape(shape: Any, name: str = "shape") -> tuple[int, ...]:
    """Return the shape of an array, which NumPy can count, as a tuple."""
    sizes = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    if not all(map(is_integer, sizes)):
        raise TypeError(
            f"{name} must be a non-negative integer or a tuple of them, got {shown(shape)}"
        )
    checked = tuple(check_nonnegative_integer(size, name) for size in sizes)
    try:
        np.broadcast_to(0.0, checked)  # takes no memory
    except ValueError as error:
        raise ValueError(
            f"{name} must be that of an array of NumPy, got {shown(shape)}: {error}"
        ) from error
    return checked


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is a Python or NumPy integer; booleans are not."""
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def check_integer(value: Any, name: str, least: int, most: int | None = None) -> int:
    """Return a Python integer in a range, or raise."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an instance of int, not {type(value).__qualname__}.")
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
    """Return an integer of Python that is at least one."""
    if not is_integer(value) or value < 1:
        raise ValueError(f"{name} must be a positive integer, got {shown(value)}")
    return int(value)


def check_nonnegative_integer(value: int, name: str) -> int:
    """Return an integer of Python that is not negative."""
    if value < 0:
        raise ValueError(f"{name} must not be negative, got {shown(int(value))}")
    return int(value)


# Messages


def shown(value: object) -> str:
    """Format a rejected value briefly, in one line."""
    try:
        return " ".join(short_repr(value).split())
    except ValueError:  # Python does not write integers of more than 4300 digits
        return f"one of type {type(value).__name__} that is too long to be written"


def nonnegative_array(values: ArrayLike, name: str) -> Floats:
    """Return a read-only copy of finite, non-negative numbers in one dimension."""
    array = float_array(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be 1-dimensional, got an array of shape {array.shape}")
    check_nonnegative(array, name)
    array += 0.0  # -0.0 becomes 0.0
    array.flags.writeable = False
    return array


def check_nonnegative(array: Floats, name: str) -> None:
    """Raise if numbers are negative, infinite or NaN."""
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        raise ValueError(f"{name} must be finite and non-negative, got {first(array, bad)}")


def check_flags(**flags: object) -> None:
    """Raise unless the values are bools, since a string such as "no" is true in Python.

    Examples
    --------
    >>> check_flags(adjusted=True)
    >>> check_flags(adjusted="no")
    Traceback (most recent call last):
        ...
    TypeError: adjusted must be a bool, got 'no'
    """
    for name, value in flags.items():
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be a bool, got {value!r}")


def user_stacklevel() -> int:
    """Return the `stacklevel` that makes a warning point to the user's line.

    This is the innermost frame outside the packages above. Python 3.12 has `skip_file_prefixes`.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in _BETWEEN:
            break
        frame, level = frame.f_back, level + 1
    return level
