"""The way from labels to a posterior is short, and one module knows which prior it is."""

import io
import re
import sys
import tokenize
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import skpostbac
from skpostbac import compare_predictions, posterior_balanced_accuracy

PACKAGE = Path(skpostbac.__file__).parent
RNG = np.random.default_rng(0)
LABELS = np.repeat([0, 1], [200, 100])
ONE, TWO = (np.where(RNG.random(300) < 0.8, LABELS, 1 - LABELS) for _ in range(2))


def evaluate():
    return posterior_balanced_accuracy(LABELS, ONE)


def compare():
    return compare_predictions(LABELS, {"one": ONE, "two": TWO})


def changes_of_file(function):
    """Return the files of the package that a call enters, without immediate repetitions.

    It is called once before, so that nothing is imported or prepared.
    """
    function()
    files = []

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE) and files[-1:] != [path]:
            files.append(path)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return [path.relative_to(PACKAGE).as_posix() for path in files]


@pytest.mark.parametrize(("function", "most"), [(evaluate, 24), (compare, 75)])
def test_few_changes_of_file(function, most):
    """Who reads along need not jump; the list shows where more than before is entered."""
    files = changes_of_file(function)
    assert "metrics/_prior.py" in files
    assert len(files) - 1 <= most, files


@cache
def code_of(path):
    """Return the code of a file without docstrings and comments, its lines joined."""
    text = path.read_text(encoding="utf-8")
    parts, is_start = [], True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        # A string that is a statement of its own.
        if token.type == tokenize.STRING and is_start:
            continue
        if token.type in (
            tokenize.NEWLINE,
            tokenize.INDENT,
            tokenize.DEDENT,
            tokenize.ENCODING,
        ):
            is_start = True
        elif token.type not in (tokenize.NL, tokenize.COMMENT):
            is_start = False
            parts.append(token.string)
    return " ".join(parts)


# What tells one prior from another, in tokens with a blank between them.
QUESTIONS = [
    r"isinstance \([^()]*\b(?:Beta|Calibrated)Prior\b",
    r'\. name (?:==|!=|in) ["(\[{]',
    r'"(?:calibrated|reciprocal)"',
]
# Beside the module of priors: the option of the command line, whose help must not import it.
ALLOWED = {"_cli/arguments.py"}


@pytest.mark.parametrize("question", QUESTIONS)
def test_one_module_knows_which_prior_it_is(question):
    """All others call the methods of a prior."""
    asking = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(question, code_of(path))
    }
    assert asking <= {"metrics/_prior.py", *ALLOWED}


def test_questions_are_found(tmp_path):
    """In code, and neither in comments nor in docstrings."""
    path = tmp_path / "without.py"
    path.write_text(
        '"""Of "reciprocal"."""\n\n\ndef f(x):\n    """Of "calibrated"."""\n    # isinstance(x, BetaPrior)\n'
    )
    assert not [
        question for question in QUESTIONS if re.search(question, code_of(path))
    ]
    path = tmp_path / "with.py"
    path.write_text(
        "def f(x):\n    if isinstance(\n        x, int | BetaPrior\n    ):\n"
        '        return x.name == "a", "calibrated"\n'
    )
    assert all(re.search(question, code_of(path)) for question in QUESTIONS)
