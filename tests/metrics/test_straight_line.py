"""The way from labels to the posterior: which files a call passes, and how many functions."""

import sys
from pathlib import Path

import numpy as np
import pytest

import skpostbac
from skpostbac import posterior_balanced_accuracy

ROOT = Path(skpostbac.__file__).parent
ENGINE = "stats"
WAY_IN = [
    "metrics/_posteriors/balanced_accuracy.py",
    "metrics/_counts/counts.py",
    "metrics/_labels/labels.py",
    "metrics/_priors/assumptions.py",
    "metrics/_priors/influence.py",
]
WAY_OUT = ["metrics/_posteriors/base.py"]


def functions_called(function):
    """Return the files of each call in the package and of its caller, without the engine's."""
    stack, calls = [], []

    def profile(frame, event, argument):
        path = Path(frame.f_code.co_filename)
        if event not in ("call", "return") or not path.is_relative_to(ROOT):
            return
        if event == "return":
            stack.pop()
            return
        name = path.relative_to(ROOT).as_posix()
        if not any(file.startswith(ENGINE) for file in [*stack, name]):
            calls.append((stack[-1] if stack else None, name))
        stack.append(name)

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls


def files_entered(calls):
    """Return the files that are called from another one."""
    return [file for caller, file in calls if file != caller]


# So many that no warning is near.
CODES = np.tile([0, 1, 2, 1, 0, 2, 2], 30), np.tile([0, 1, 2, 2, 0, 2, 1], 30)
NAMES = np.array(["cat", "dog", "fox"])
LABELS = {
    "integers": CODES,
    "small integers": [codes.astype(np.int8) for codes in CODES],
    "floats": [codes.astype(float) for codes in CODES],
    "text": [NAMES[codes] for codes in CODES],
    "objects": [NAMES[codes].astype(object) for codes in CODES],
    "list of integers": [codes.tolist() for codes in CODES],
    "list of text": [NAMES[codes].tolist() for codes in CODES],
}


PLAIN = ("integers", "small integers")


@pytest.mark.parametrize("kind", PLAIN)
def test_no_call_comes_back(kind):
    """Samples are read, then counted; the check of the prior asks for exponents where they are."""
    calls = functions_called(lambda: posterior_balanced_accuracy(*LABELS[kind]))
    *way, last = [*WAY_IN[:3], *WAY_IN[2:]]
    entered = files_entered(calls)
    assert entered[: len(way) + 1] == [*way, last]
    assert set(entered[len(way) + 1 :]) <= set(WAY_IN[3:])
    assert len(calls) <= 54


@pytest.mark.parametrize("kind", sorted(LABELS.keys() - PLAIN))
def test_other_labels_pass_the_same_files(kind):
    """They are read from their container, and checked."""
    calls = functions_called(lambda: posterior_balanced_accuracy(*LABELS[kind]))
    assert list(dict.fromkeys(files_entered(calls))) == WAY_IN
    assert len(calls) <= 84


def test_an_interval_leaves_by_one_file():
    """The posterior asks the engine at once."""
    posterior = posterior_balanced_accuracy(*CODES)
    assert files_entered(functions_called(posterior.credible_interval)) == WAY_OUT


def test_an_interval_is_computed_once():
    """The second call finds what the first has found, of any level and method."""
    posterior = posterior_balanced_accuracy(*CODES)
    first = posterior.credible_interval()
    assert len(functions_called(posterior.credible_interval)) == 1
    assert posterior.credible_interval() == first
    assert posterior.credible_interval(0.9) != first
    assert posterior.credible_interval(method="central") != first
