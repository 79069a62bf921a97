"""The way from labels to the posterior: which files a call passes, and that it enters each once."""

import sys
from pathlib import Path

import numpy as np
import pytest

import skpostbac
from skpostbac import posterior_balanced_accuracy

ROOT = Path(skpostbac.__file__).parent
ENGINE = "stats"
WAY_IN = [
    "metrics/_balanced_accuracy/posterior.py",
    "metrics/_counts/counts.py",
    "metrics/_labels/outcomes.py",
    "metrics/_labels/labels.py",
    "metrics/_priors/assumptions.py",
    "metrics/_priors/influence.py",
    "metrics/_priors/coverage.py",
]
WAY_OUT = ["metrics/_posteriors/figure.py"]


def files_entered(function):
    """Return the files of the package that are called from another one, without the engine's."""
    stack, entered = [], []

    def profile(frame, event, argument):
        path = Path(frame.f_code.co_filename)
        if event not in ("call", "return") or not path.is_relative_to(ROOT):
            return
        if event == "return":
            stack.pop()
            return
        name = path.relative_to(ROOT).as_posix()
        is_below = any(file.startswith(ENGINE) for file in [*stack, name])
        if not is_below and (not stack or stack[-1] != name):
            entered.append(name)
        stack.append(name)

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return entered


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


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_each_file_is_entered_once(labels):
    """Labels, counts, assumptions, posterior: no call comes back to a file that it has left."""
    assert files_entered(lambda: posterior_balanced_accuracy(*labels)) == WAY_IN


def test_an_interval_leaves_by_one_file():
    """The posterior asks the engine at once."""
    posterior = posterior_balanced_accuracy(*CODES)
    assert files_entered(posterior.credible_interval) == WAY_OUT
