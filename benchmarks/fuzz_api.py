"""Call everything public with arguments that are valid or hostile, and tell what goes wrong.

    python benchmarks/fuzz_api.py [--calls N] [--seed N] [--jobs J] [--match REGEX]

Functions, classes, methods and attributes are found by introspection, and their arguments drawn by
the name of the parameter (`_arguments.py`). A call is right if it

- gives a result that keeps the rules of its kind: probabilities lie in [0, 1] and rise, quantiles
  undo them, intervals hold their probability, NaN gives NaN, shapes are those of the argument;
- or raises a TypeError or ValueError that names an argument, a hostile one if there is one;
- or is an operator with an operand that is refused, or equal to nothing;
- and takes less than 5 s of CPU time, warns of nothing but by the package's own warnings, changes
  neither its arguments nor global random numbers, and gives the same once more and after pickling.

Call k depends on nothing but the seed and k. A call that hangs, crashes or takes too much memory
ends a worker process alone. Prints the findings, each different one once, by the shortest call that
repeats it, and saves them and how far it came with --results; --resume goes on from there.
"""

import argparse
import inspect
import json
import operator
import pickle
import random
import re
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _arguments import (
    CALLABLE,
    EXEMPT,
    HOSTILE,
    NONSENSE,
    NUMBERS,
    OBJECTS,
    VALID,
    WORDS,
)
from _studies import IMPORTS, every, guarded, members, namespace, public, versions
from matplotlib import pyplot as plt

from skpostbac.stats import BetaAverage

# Seconds and bytes that a call may take. A worker is killed after more, with time for what is then
# asked of the result: views of some take three seconds, and are made up to three times.
SLOW, KILLED, MEMORY = 5, 20, 4 << 30
# Seconds after which findings are saved.
SAVED = 20
# Shares of calls with a hostile argument, of optional arguments given, of results made twice.
HOSTILITY, GIVEN, TWICE = 0.6, 0.4, 0.15
# Members that take long are called more rarely.
RARE = {
    "plot": 0.1,
    "from_predictions": 0.1,
    "from_estimator": 0.1,
    "from_cv_results": 0.1,
}
RARE |= {
    "from_recalls": 0.1,
    "from_search": 0.2,
}
RARE |= {"cross_val_posterior": 0.1, "_repr_html_": 0.3, "compare_predictions": 0.5}
# Methods that behave as scikit-learn says.
SCIKIT_LEARN = {"set_score_request", "get_metadata_routing"}
# What stands between two operands.
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">=": operator.ge,
}
# What messages call an argument that is handed on, and what an estimator or a splitter says.
ALIASES = {
    "y": {"y_true", "class_weight"},
    "X": {"y_pred", "y_score", "y_true", "sample_weight"},
    "C": {"counts"},
    "cv": {"n_splits"},
    "estimator": {"y_pred", "y_score"},
    "posteriors": {"names"},
    # These have a value for each label.
    "labels": {"class_weight", "prior", "strategy"},
    # One of its labels.
    "y_true": {"pos_label"},
    # A place among them.
    "classes": {"class_index"},
}
NAMES = namespace()


class Target(NamedTuple):
    """Something to be called."""

    name: str
    """As in "BetaAverage.cdf"."""
    text: str
    """The expression that is called; that of an attribute has no signature."""
    signature: inspect.Signature | None
    owner: str | None = None
    """The expression of the object."""


@cache
def made(expression):
    """Return an object that is made once."""
    return eval(expression, dict(NAMES))


def _constructors(name, kind):
    """Yield what makes objects of a class: itself, if its parameters are described, and methods."""
    documented = re.search(r"^ *Parameters\n *-+$", kind.__doc__ or "", re.MULTILINE)
    if documented and not inspect.isabstract(kind):
        yield Target(name, name, inspect.signature(kind))
    for member, value in vars(kind).items():
        if isinstance(value, classmethod) and not member.startswith("_"):
            bound = getattr(kind, member)
            yield Target(
                f"{name}.{member}", f"{name}.{member}", inspect.signature(bound)
            )


@cache
def targets(match=""):
    """Return all that is called, as far as its name has a match."""
    found = []
    for name, value in public().items():
        if inspect.isfunction(value):
            found.append(Target(name, name, inspect.signature(value)))
        elif inspect.isclass(value):
            found += _constructors(name, value)
    for text in OBJECTS:
        kind = type(made(text))
        for member, signature in _public_members(kind).items():
            name = f"{kind.__name__}.{member}"
            found.append(Target(name, f"({text}).{member}", signature, text))
        found += [_operation(kind, text, sign) for sign in _signs(made(text))]
        if callable(made(text)):
            call = inspect.signature(made(text))
            found.append(Target(f"{kind.__name__}.__call__", f"({text})", call, text))
    return [target for target in found if re.search(match, target.name)]


def _signs(value):
    """Return the operators of an object; a float and a tuple have their own."""
    return () if isinstance(value, float | tuple) else tuple(OPERATORS)


def _operation(kind, text, sign):
    """Return an operator between an object, on either side, and another."""
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
        for name in ("operand", "swapped")
    ]
    sides = f"operand {sign} ({text}) if swapped else ({text}) {sign} operand"
    calculation = f"(lambda operand, swapped: {sides})"
    return Target(
        f"{kind.__name__}.{sign}", calculation, inspect.Signature(parameters), text
    )


def _calculation(sign, owner):
    def calculate(operand, swapped):
        return OPERATORS[sign](*((operand, owner) if swapped else (owner, operand)))

    return calculate


def _public_members(kind):
    """Return the members of a class, as far as it is public or has them from one that is."""
    open_kinds = [base for base in kind.__mro__ if base in public().values()]
    names = set().union(*map(members, open_kinds))
    names -= SCIKIT_LEARN
    return {
        name: signature for name, signature in members(kind).items() if name in names
    }


class Call(NamedTuple):
    """A call that is to be made."""

    target: Target
    arguments: dict[str, str]
    hostile: tuple[str, ...] = ()

    def __str__(self):
        if self.target.signature is None:
            return self.target.text
        parameters = self.target.signature.parameters
        given = [
            text
            if parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY
            else f"{name}={text}"
            for name, text in self.arguments.items()
        ]
        return f"{self.target.text}({', '.join(given)})"

    def without(self, name):
        """Return the call without an argument."""
        kept = {key: text for key, text in self.arguments.items() if key != name}
        return self._replace(arguments=kept)

    def needs(self, name):
        return self.target.signature.parameters[name].default is inspect.Parameter.empty


def valid_values(target, name):
    """Return expressions that a parameter takes, none if it is not known."""
    kind, _, member = target.name.partition(".")
    keys = (f"{target.name}.{name}", f"{member or kind}.{name}", f"{kind}.{name}", name)
    return next((VALID[key] for key in keys if key in VALID), [])


@cache
def weights(match=""):
    """Return how often each is called: more often with more parameters, less with more objects."""
    found = targets(match)
    times = Counter(target.name for target in found)
    return [
        (1 + len(target.signature.parameters if target.signature else ()))
        * RARE.get(target.name.rpartition(".")[2], 1)
        / times[target.name]
        for target in found
    ]


def parameters_of(target):
    """Return the parameters that have a name."""
    return [
        parameter
        for parameter in (
            target.signature.parameters.values() if target.signature else ()
        )
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    ]


def _given(target, rng):
    """Draw which arguments are given."""
    parameters = parameters_of(target)
    return [p.name for p in parameters if p.default is p.empty or rng.random() < GIVEN]


def draw_valid(target, rng):
    """Return a random call without hostile arguments; some may not fit to one another."""
    names = _given(target, rng)
    return Call(
        target, {name: rng.choice(valid_values(target, name)) for name in names}
    )


def draw(seed, number, match=""):
    """Return a random call."""
    rng = random.Random(f"{seed} {number}")
    target = rng.choices(targets(match), weights(match))[0]
    if target.signature is None:
        return Call(target, {})
    names = _given(target, rng)
    hostile = tuple(rng.sample(names, 1)) if names and rng.random() < HOSTILITY else ()
    if {"n_jobs", "swapped"}.intersection(
        hostile
    ):  # as many processes as one likes; our own
        hostile = ()
    values = {name: valid_values(target, name) or HOSTILE for name in names}
    drawn = {
        name: rng.choice(HOSTILE if name in hostile else values[name]) for name in names
    }
    # What has no valid value that is known is hostile.
    unknown = tuple(name for name in names if values[name] is HOSTILE)
    return Call(target, drawn, (*hostile, *unknown))


class Outcome(NamedTuple):
    """What came of a call."""

    value: object = None
    error: BaseException | None = None
    seconds: float = 0.0
    warned: tuple[warnings.WarningMessage, ...] = ()
    changed: tuple[str, ...] = ()


def _frozen(value):
    """Return the bytes of an argument, or nothing."""
    if isinstance(
        value, np.ma.MaskedArray
    ):  # a look at one may set what it is filled with
        return value.data.tobytes() + np.ma.getmaskarray(value).tobytes()
    try:
        return pickle.dumps(value)
    except Exception:
        return b""


def _global_numbers():
    """Return the state of the global random numbers."""
    name, keys, *rest = np.random.get_state()  # noqa: NPY002
    return random.getstate()[1], name, keys.tobytes(), rest


def perform(call):
    """Make a call."""
    arguments = {name: eval(text, dict(NAMES)) for name, text in call.arguments.items()}
    owner = None if call.target.owner is None else made(call.target.owner)
    function = _callee(call.target, owner)
    before = {
        name: _frozen(value) for name, value in arguments.items() if _is_data(value)
    }
    numbers, settings = _global_numbers(), (np.geterr(), np.get_printoptions())
    value = error = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        try:
            value = function(**arguments)
            if isinstance(value, Iterable) and not hasattr(value, "__len__"):
                value = list(value)
        except Exception as raised:
            error = raised
        seconds = time.process_time() - start
    changed = [
        name for name, data in before.items() if _frozen(arguments[name]) != data
    ]
    if _global_numbers() != numbers:
        changed.append("the global random numbers")
    if (np.geterr(), np.get_printoptions()) != settings:
        changed.append("the settings of NumPy")
    plt.close("all")
    return Outcome(value, error, seconds, tuple(caught), tuple(changed))


def _is_data(value):
    """Tell whether an argument must stay as it is; a generator must not."""
    return not hasattr(value, "__next__") and not isinstance(
        value, np.random.Generator | np.random.RandomState
    )


def _callee(target, owner):
    if target.owner is None:
        return eval(target.text, dict(NAMES))
    member = target.name.rpartition(".")[2]
    if member in OPERATORS:
        return _calculation(member, owner)
    if target.signature is None:
        return lambda: getattr(owner, member)
    return getattr(owner, member)


class Finding(NamedTuple):
    """What is wrong with a call."""

    argument: str
    kind: str
    detail: str


def findings(call, outcome):
    """Yield what is wrong."""
    hostile = ", ".join(call.hostile)
    if outcome.seconds > SLOW:
        yield Finding(hostile, "slow", f"{outcome.seconds:.1f} s of CPU time")
    for name in outcome.changed:
        yield Finding(name, "changed", f"changes {name}")
    for warning in outcome.warned:
        if not _is_ours(warning):
            yield Finding(
                hostile, f"warns {warning.category.__name__}", str(warning.message)
            )
    if outcome.error is not None:
        yield from _wrong_error(call, outcome.error)
    elif _is_operation(call):
        yield from _wrong_operation(call, outcome.value)
    else:
        yield from _wrong_value(call, outcome)


def _wrong_value(call, outcome):
    """Yield what is wrong with a result."""
    hostile = ", ".join(call.hostile)
    if nonsense := [name for name in call.hostile if _is_nonsense(call, name)]:
        yield Finding(nonsense[0], "takes nonsense", f"gives {_short(outcome.value)}")
        return
    try:
        problem = next(rules(call, outcome.value), None)
    except OverflowError:  # of an integer beyond all doubles
        problem = None
    except Exception as error:
        problem = f"cannot be checked: {type(error).__name__}: {error}"
    if problem:
        yield Finding(hostile, "wrong", f"{problem}; gives {_short(outcome.value)}")


def _is_operation(call):
    return call.target.name.rpartition(".")[2] in OPERATORS


def _wrong_operation(call, value):
    """Yield what is wrong with what an operator gives; arrays compare each of their items."""
    sign, operand = (
        call.target.name.rpartition(".")[2],
        eval(call.arguments["operand"], NAMES),
    )
    is_array = hasattr(operand, "__array__") or hasattr(operand, "dtype")
    if "operand" not in call.hostile or is_array:
        return
    if sign in ("==", "!=") and value is not (sign == "!="):
        yield Finding("operand", "wrong", f"{sign} gives {_short(value)}")
    elif sign not in ("==", "!=") and call.arguments["operand"] in NONSENSE:
        yield Finding("operand", "takes nonsense", f"gives {_short(value)}")


def _is_nonsense(call, name):
    """Tell whether an argument is nothing that its parameter may be."""
    text = call.arguments[name]
    number = name in NUMBERS and (name, call.target.name) not in EXEMPT
    word = name in WORDS and text not in CALLABLE
    return text in NONSENSE and (number or word)


def _is_ours(warning):
    """Tell whether the package gives a warning on purpose."""
    package = Path(sys.modules["skpostbac"].__file__).parent
    ours = warning.category.__module__.startswith("skpostbac")
    # UserWarnings and those of failed fits are seen from the caller of the package.
    meant = warning.category.__name__ in ("UserWarning", "FitFailedWarning")
    return ours or (meant and not Path(warning.filename).is_relative_to(package))


def _wrong_error(call, error):
    """Yield what is wrong with an exception."""
    hostile, message = ", ".join(call.hostile), _short(error, 120)
    where = traceback.extract_tb(error.__traceback__)[-1]
    if isinstance(error, AttributeError) and (where.line or "").lstrip().startswith(
        "raise "
    ):
        return  # there is no such attribute, as it says
    if _is_of_matplotlib(error) or _is_of_estimator(call, error):
        return
    if isinstance(error, TypeError | ValueError) and _is_operation(call):
        return
    if not isinstance(error, TypeError | ValueError):
        yield Finding(hostile, type(error).__name__, message)
    elif not any(re.search(rf"\b{name}\b", str(error)) for name in _named(call)):
        if not call.arguments:
            yield Finding("", type(error).__name__, message)
        elif not _is_of_others(call, error):
            yield Finding(hostile, f"{type(error).__name__} names no argument", message)


def _is_of_matplotlib(error):
    """Tell whether an artist does not know a property, which is named."""
    return isinstance(error, AttributeError) and "unexpected keyword argument" in str(
        error
    )


def _is_of_estimator(call, error):
    """Tell whether the estimator that predicts refuses the samples."""
    frames = traceback.extract_tb(error.__traceback__)
    files = {Path(frame.filename).name for frame in frames}
    return "X" in call.arguments and bool(files & {"dummy.py", "naive_bayes.py"})


def _is_of_others(call, error):
    """Tell whether the same is said, of an argument, with a valid one for the hostile one."""
    return any(
        str(repeated := perform(other).error) == str(error)
        and not list(_wrong_error(other, repeated))
        for other in _mended(call)
    )


def _mended(call):
    """Yield the call with valid values in place of the hostile ones."""
    values = [valid_values(call.target, name) for name in call.hostile]
    for replaced in zip(*values, strict=False):
        yield Call(
            call.target, call.arguments | dict(zip(call.hostile, replaced, strict=True))
        )


def _named(call):
    """Return the names that a message may hold.

    What is odd, as an array of another length, may be what another argument does not fit to.
    """
    if any(call.arguments[name] in NONSENSE for name in call.hostile):
        names = call.hostile
    else:
        names = call.target.signature.parameters if call.target.signature else ()
    return {*names, *(alias for name in names for alias in ALIASES.get(name, ()))}


def _short(value, length=80):
    try:
        text = str(value) if isinstance(value, BaseException) else repr(value)
    except Exception as error:
        text = f"<repr raises {type(error).__name__}>"
    text = " ".join(text.split()).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= length else text[:length] + "..."


def rules(call, value):
    """Yield which rules a result breaks."""
    member = call.target.name.rpartition(".")[2]
    owner = None if call.target.owner is None else made(call.target.owner)
    if member in RULES and hasattr(owner, "cdf"):
        signature = call.target.signature
        given = {name: eval(text, dict(NAMES)) for name, text in call.arguments.items()}
        arguments = signature.bind(**given)
        arguments.apply_defaults()
        if hasattr(owner, "shape"):
            yield from _array_rules(owner, member, value, arguments)
        else:
            yield from RULES[member](owner, value, *arguments.args, **arguments.kwargs)
    elif hasattr(value, "cdf") and not inspect.isclass(value):
        low, high = _support(value)
        if not np.all((low <= value.mean()) & (value.mean() <= high)):
            yield f"the mean is {value.mean()}, outside [{low}, {high}]"
    elif member in ("__repr__", "__str__", "_repr_html_", "report", "to_json"):
        if not (isinstance(value, str) and value):
            yield "is no text"
    elif not _numbers_are_finite(call, value):
        yield "has a number that is nan or infinite"


def _numbers_are_finite(call, value):
    """Tell whether a float of a call with valid arguments is finite."""
    given_nan = any("nan" in text for text in call.arguments.values())
    return call.hostile or given_nan or not isinstance(value, float) or value == value


def _array_rules(owner, member, value, arguments):
    """Yield which rules the values of an array of distributions break, each on its own."""
    points = [
        _points(x)
        for name, x in arguments.arguments.items()
        if name in "xyp" and x is not None
    ]
    shape = np.broadcast_shapes(owner.shape, *(x.shape for x in points))
    values = np.asarray(value)
    before = {"interval": (2,), "hdi": (2,)}.get(member, ())
    if member == "sample":
        size = arguments.arguments["shape"]
        before = (size,) if np.ndim(size) == 0 else tuple(size)
    if values.shape != (*before, *shape):
        yield f"has the shape {values.shape}, not {(*before, *shape)}"
        return
    rows = np.broadcast_to(np.arange(owner.mean().size).reshape(owner.shape), shape)
    parameters = [
        np.broadcast_to(part, owner.a.shape)
        for part in (owner.a, owner.b, owner.weights)
    ]
    for row, place in enumerate(np.ndindex(owner.shape)):
        a, b, weights = (part[place] for part in parameters)
        alone, here = BetaAverage(a, b, weights=weights), rows == row
        given = [np.broadcast_to(x, shape)[here] for x in points] or arguments.args
        found = values[..., here] if points else values[(..., *place)]
        yield from RULES[member](alone, found, *given, **arguments.kwargs)


def _support(owner):
    distribution = (
        owner if hasattr(owner, "support") else getattr(owner, "distribution", owner)
    )
    if hasattr(distribution, "support"):
        return distribution.support()
    return distribution.draws[0], distribution.draws[-1]


def _step(owner):
    """Return how far a probability may be off: the share of a draw, or rounding."""
    distribution = getattr(owner, "distribution", owner)
    return (
        1 / distribution.draws.size + 1e-9 if hasattr(distribution, "draws") else 1e-7
    )


def _below(owner, x):
    return np.asarray(getattr(owner, "distribution", owner).cdf(x), float)


def _points(x):
    return np.asarray(x, dtype=float)


def _probability(owner, value, x, y=None):
    x, value = _points(x), np.asarray(value)
    if y is not None:
        other = _points(y)
        if value.shape != np.broadcast_shapes(x.shape, other.shape):
            yield f"has the shape {value.shape}"
        elif ((np.isnan(x) | np.isnan(other)) & ~np.isnan(value)).any():
            yield "is no nan for nan"
        return
    if value.shape != x.shape:
        yield f"has the shape {value.shape}, not {x.shape}"
    elif (np.isnan(value) != np.isnan(x)).any():
        yield "is no nan for nan, or for a number"
    elif not ((value >= 0) & (value <= 1) | np.isnan(x)).all():
        yield "is outside [0, 1]"
    elif (
        np.abs(
            _below(owner, x)
            + np.asarray(getattr(owner, "distribution", owner).ccdf(x))
            - 1
        )
        > 1e-9
    ).any():
        yield "both tails do not add to 1"
    else:
        rising = _below(owner, np.sort(x[~np.isnan(x)], axis=None))
        if (np.diff(rising) < -1e-12).any():
            yield "the cdf falls"


def _log_probability(owner, value, x):
    x, value = _points(x), np.asarray(value)
    if value.shape != x.shape:
        yield f"has the shape {value.shape}, not {x.shape}"
    elif (np.isnan(value) != np.isnan(x)).any():
        yield "is no nan for nan, or for a number"
    elif (value > 1e-12).any():
        yield "is above zero"


def _density(owner, value, x):
    x, value = _points(x), np.asarray(value)
    low, high = _support(owner)
    if value.shape != x.shape:
        yield f"has the shape {value.shape}, not {x.shape}"
    elif (np.isnan(value) != np.isnan(x)).any():
        yield "is no nan for nan, or for a number"
    elif (value[(x < low) | (x > high)] > 0).any():
        yield "is a density outside the support"


def _quantile(owner, value, p, upper=False):
    p, value = _points(p), np.asarray(value)
    known, (low, high) = ~np.isnan(p), _support(owner)
    if value.shape != p.shape:
        yield f"has the shape {value.shape}, not {p.shape}"
    elif (np.isnan(value) == known).any():
        yield "is no nan for nan, or for a number"
    elif not ((value[known] >= low) & (value[known] <= high)).all():
        yield "is outside the support"
    else:
        below = 1 - p[known] if upper else p[known]
        yield from _brackets(owner, value[known], below)


def _brackets(owner, x, p):
    """Check that p is the probability below x, but for rounding of x."""
    nudge, step = 4 * np.spacing(np.abs(x)), _step(owner)
    if (_below(owner, x - nudge) > p + step).any() or (
        _below(owner, x + nudge) < p - step
    ).any():
        yield f"is no quantile: the probability below it is {_short(_below(owner, x))}"


def _interval(owner, value, level=0.95, method="central"):
    (low, high), ends = value, _support(owner)
    held, step = float(_below(owner, high) - _below(owner, low)), 2 * _step(owner)
    if not ends[0] <= low <= high <= ends[1]:
        yield f"is outside the support {tuple(map(float, ends))}"
    elif high > low and abs(held - float(level)) > step + 1e-6:
        yield f"holds {held}"


def _hdi(owner, value, level=0.95):
    yield from _interval(owner, value, level)


def _sample(owner, value, shape=(), rng=None):
    low, high = _support(owner)
    expected = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    if np.shape(value) != expected:
        yield f"has the shape {np.shape(value)}"
    elif not ((np.asarray(value) >= low) & (np.asarray(value) <= high)).all():
        yield "is outside the support"


def _place(owner, value):
    low, high = _support(owner)
    if not low <= value <= high:
        yield f"is outside the support ({low}, {high})"


def _positive(owner, value):
    # A variable without an upper end may have no finite variance.
    if not (0 <= value < np.inf or value == _support(owner)[1] == np.inf):
        yield "is negative or not finite"


RULES = {
    **dict.fromkeys(["cdf", "ccdf", "prob_above", "prob_below"], _probability),
    **dict.fromkeys(["logcdf", "logccdf"], _log_probability),
    "pdf": _density,
    "logpdf": lambda owner, value, x: _density(owner, np.exp(value), x),
    "icdf": _quantile,
    "iccdf": lambda owner, value, p: _quantile(owner, value, p, upper=True),
    **dict.fromkeys(["interval", "credible_interval"], _interval),
    "hdi": _hdi,
    "sample": _sample,
    **dict.fromkeys(["mean", "median", "mode"], _place),
    **dict.fromkeys(["variance", "standard_deviation", "monte_carlo_error"], _positive),
}


def same(one, other):
    """Tell whether two results are equal, nan included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        equal_nan = one.dtype.kind in "fc"
        return one.dtype == other.dtype and np.array_equal(
            one, other, equal_nan=equal_nan
        )
    if isinstance(one, float):
        return bool(one == other or (one != one and other != other))
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(
            same(one[key], other[key]) for key in one
        )
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "cdf") and not inspect.isclass(one):
        return same(np.asarray(one.mean()), np.asarray(other.mean())) and repr(
            one
        ) == repr(other)
    return re.sub(" at 0x[0-9a-f]+", "", repr(one)) == re.sub(
        " at 0x[0-9a-f]+", "", repr(other)
    )


# What has fresh entropy, or cannot be pickled: figures, and functions without a name.
_FRESH, _UNPICKLED = ("rng", "random_state"), ("Display", "lambda", "plot", "scorer")


def again(call, outcome):
    """Yield what is wrong with a result that was made twice, or pickled."""
    parameters = call.target.signature.parameters if call.target.signature else {}
    seeds = [name for name in _FRESH if name in parameters]
    seeded = all(call.arguments.get(name, "None") in ("0", "1") for name in seeds)
    if seeded and not any(
        word in str(call)
        for word in ("(i / 2", "Display", "default_rng", "RandomState")
    ):
        second = perform(call)
        if second.error is not None or not same(outcome.value, second.value):
            yield Finding(
                "", "not repeated", f"{_short(outcome.value)}, then {_short(second)}"
            )
    if not any(word in str(call) for word in _UNPICKLED):
        try:
            copied = pickle.loads(pickle.dumps(outcome.value))
        except Exception as error:
            yield Finding("", "not pickled", f"{type(error).__name__}: {_short(error)}")
        else:
            if not same(outcome.value, copied):
                yield Finding("", "changed by pickling", f"{_short(outcome.value)}")


def shortened(call, finding):
    """Return the call without the arguments that are not needed for a finding."""
    for name in list(call.arguments):
        shorter = call.without(name)
        if name in call.hostile or call.needs(name) or finding.kind == "slow":
            continue
        kinds = {
            (other.argument, other.kind)
            for other in findings(shorter, perform(shorter))
        }
        if (finding.argument, finding.kind) in kinds:
            call = shorter
    return call


def trial(task, tell):
    """Make one call, and return its findings."""
    call = draw(*task)
    names = call.target.name, ", ".join(call.hostile)
    tell(json.dumps([*names, str(call)]))
    outcome = perform(call)
    tell(json.dumps([*names, f"{call}  # or what is asked of the result"]))
    found = list(findings(call, outcome))
    if outcome.error is None and random.Random(f"again {task}").random() < TWICE:
        try:
            found += again(call, outcome)
        except Exception as error:
            found.append(
                Finding("", "cannot be compared", f"{type(error).__name__}: {error}")
            )
    return [
        [
            call.target.name,
            *one,
            str(call if one.kind.startswith("not") else shortened(call, one)),
        ]
        for one in found
    ]


def record(found, rows):
    """Keep the shortest call of each different finding, and count them."""
    for target, argument, kind, detail, text in rows:
        key = f"{target} | {argument} | {kind}"
        old = found.setdefault(key, {"times": 0, "call": text, "detail": detail})
        old["times"] += 1
        if len(text) < len(old["call"]):
            old.update(call=text, detail=detail)


def rank(key):
    """Sort crashes and hangs first, then results that are wrong, then other errors."""
    kind = key.rpartition(" | ")[2]
    order = (
        "over",
        "ended",
        "waits",
        "slow",
        "MemoryError",
        "wrong",
        "changed",
        "not",
        "takes",
    )
    place = next(
        (i for i, word in enumerate(order) if kind.startswith(word)), len(order)
    )
    return place + 2 * ("names no" in kind) + ("warns" in kind), kind, key


def report(state):
    """Return the findings as text, the worst first."""
    found = state["found"]
    lines = [
        state["versions"],
        f"{state['calls']} calls with seed {state['seed']}: {len(found)} different findings",
    ]
    if found:
        lines += ["", *(f"    {line}" for line in IMPORTS.splitlines()), ""]
    for key in sorted(found, key=rank):
        target, argument, kind = key.split(" | ")
        row = found[key]
        where = f"{target}, {argument}" if argument else target
        lines += [f"* {where}: {kind} ({row['times']} times)", f"      {row['call']}"]
        lines += [f"      # {row['detail']}"]
    return "\n".join(lines)


def unknown_parameters():
    """Return the parameters without valid arguments in `_arguments.py`."""
    return sorted(
        {
            f"{target.name}({parameter.name})"
            for target in targets()
            for parameter in parameters_of(target)
            if not valid_values(target, parameter.name)
        }
    )


def classes_without_object():
    """Return the public classes that have methods, and no object in `_arguments.py` to call them.

    Abstract ones have those of their subclasses.
    """
    known = {type(made(text)) for text in OBJECTS}
    return sorted(
        name
        for name, kind in public().items()
        if inspect.isclass(kind) and members(kind) and kind not in known
        if not inspect.isabstract(kind)
    )


def never_right(match="", tries=50):
    """Return what gives a result for none of so many calls with valid arguments."""
    right = set()
    for target in targets(match):
        if target.signature is None or target.name.rpartition(".")[2] in OPERATORS:
            right.add(target.name)
        calls = (
            draw_valid(target, random.Random(f"{target.name} {k}"))
            for k in range(tries)
        )
        if target.name not in right and any(
            perform(call).error is None for call in calls
        ):
            right.add(target.name)
    return sorted({target.name for target in targets(match)} - right)


def main(argv=None):
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument(
        "--match", default="", help="regular expression of what is called"
    )
    parser.add_argument(
        "--results", type=Path, help="JSON file that is written now and then"
    )
    parser.add_argument("--resume", action="store_true", help="go on from --results")
    arguments = parser.parse_args(argv)
    state = {"seed": arguments.seed, "match": arguments.match, "calls": 0, "found": {}}
    if arguments.resume and arguments.results and arguments.results.exists():
        state = json.loads(arguments.results.read_text())
    unknown = unknown_parameters()  # makes the objects that the workers will have
    run(state, arguments)
    print(report(state))
    if unknown:
        print(f"\nNo valid arguments are known of {', '.join(unknown)}.")
    if unmade := classes_without_object():
        print(f"\nThere is no object of {', '.join(unmade)}.")
    return state


def run(state, arguments):
    """Make the calls that are missing, and save what was found now and then."""
    numbers = range(state["calls"], arguments.calls)
    tasks = [(state["seed"], number, state["match"]) for number in numbers]
    options = {"jobs": arguments.jobs, "cpu": KILLED, "memory": MEMORY}
    state["versions"], is_time = versions(), every(SAVED)
    for _, result, lost in guarded(trial, tasks, **options):
        if lost:
            target, argument, text = json.loads(result)
            print(f"{text}: {lost}", file=sys.stderr, flush=True)
            result = [(target, argument, lost, "", text)]
        record(state["found"], result)
        state["calls"] += 1
        if is_time():
            print(
                f"{state['calls']} calls, {len(state['found'])} findings",
                file=sys.stderr,
                flush=True,
            )
            save(state, arguments.results)
    save(state, arguments.results)


def save(state, path):
    """Write the findings to a file, if there is one."""
    if path:
        path.write_text(json.dumps(state, indent=1) + "\n")


if __name__ == "__main__":
    main()
