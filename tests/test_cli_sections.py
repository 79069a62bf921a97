"""Tables of the command line, their width on a terminal, and the length of its help."""

from argparse import Namespace

from skpostbac._cli.answer import Answer, Section
from skpostbac._cli.arguments import make_parser
from skpostbac._cli.text import render_text
from skpostbac.metrics._prior import PRIOR_NAMES

ARGS = Namespace(level=0.9, rope=0.02, all_pairs=False)
# One screen of a terminal of 80 columns.
HELP_WIDTH = 80
MOST_HELP_LINES = 39


def test_differences_have_signs_and_probabilities_none():
    """Nor have other numbers of the same row but bounds."""
    record = {"name": "b", "mean": 0.12, "low": -0.01, "high": 0.25}
    record |= {"prob_greater": 0.9996, "expected_loss": 0.5, "upper": 0.2}
    columns = "mean interval prob_greater expected_loss upper"
    section = Section("title", "other", columns, [record], is_difference=True)
    header, row = section.cells(ARGS)
    assert header[:-1] == ["other", "mean", "90% CI", "P(>0)", "expected loss"]
    assert row == ["b", "+0.120", "[-0.010, +0.250]", "> 0.999", "0.500", "+0.200"]


def test_what_does_not_exist_is_a_dash():
    """Of every format; -0.0 has no sign."""
    record = {"name": "a", "observed": None, "prob_best": None, "mean": -0.0001}
    section = Section("title", "classifier", "observed prob_best mean", [record])
    assert section.cells(ARGS)[1] == ["a", "-", "-", "0.000"]


def test_the_median_stands_for_an_infinite_mean():
    """In all rows, if one of the standard deviations does not exist."""
    known = {"name": "a", "mean": 2.0, "median": 1.5, "standard_deviation": 1.0}
    infinite = {"name": "b", "mean": None, "median": 3.0, "standard_deviation": None}
    section = Section("title", "classifier", "mean", [known, infinite])
    assert section.cells(ARGS) == [
        ["classifier", "median"],
        ["a", "1.500"],
        ["b", "3.000"],
    ]


def test_no_line_is_wider_than_a_terminal():
    """Names are broken, and headings only where it is needed."""
    columns = "accuracy balanced_accuracy mean interval lower guessing_p_value"
    numbers = dict.fromkeys(columns.split(), 0.25) | {"low": 0.1, "high": 0.9}
    numbers["effective_samples"] = 50.389
    for name in ("short", "a classifier with a name of many words " * 3, "x" * 200):
        record = {"name": name, **numbers}
        for more in ("", " effective_samples"):
            section = Section("title", "classifier", columns + more, [record])
            facts = {"Truth": "word " * 30}
            answer = Answer(ARGS, {}, facts, {}, [section], lead=["word " * 30])
            lines = render_text(answer).splitlines()
            assert max(map(len, lines)) <= 80
            is_broken = not any("90% lower" in line for line in lines)
            assert is_broken == (bool(more) or name != "short")
    assert "50.4" in lines[-1] or any(" 50.4" in line for line in lines)


def test_help_fits_a_screen_and_names_every_prior(monkeypatch):
    """One line an option as far as possible, none wider than a terminal."""
    monkeypatch.setenv("COLUMNS", str(HELP_WIDTH))
    lines = make_parser().format_help().splitlines()
    assert len(lines) <= MOST_HELP_LINES
    assert max(map(len, lines)) <= HELP_WIDTH
    text = " ".join(" ".join(lines).split())
    for name in PRIOR_NAMES:
        assert name in text
