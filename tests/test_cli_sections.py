"""Signs in the tables of the command line, and the length of its help."""

from skpostbac._cli.arguments import make_parser
from skpostbac._cli.sections import Section
from skpostbac.metrics._prior import PRIOR_NAMES

# One screen of a terminal of 80 columns.
HELP_WIDTH = 80
MOST_HELP_LINES = 39


def test_differences_have_signs_and_probabilities_none():
    """Nor have other numbers of the same row."""
    record = {"name": "b", "mean": 0.12, "low": -0.01, "high": 0.25, "p": 0.9, "q": 0.5}
    columns = {
        "other": "name",
        "mean": "mean",
        "95% CI": "interval",
        "P(>0)": "p",
        "loss": "q",
    }
    section = Section("title", columns, [record], is_difference=True)
    _, row = section.cells()
    assert row == ["b", "+0.120", "[-0.010, +0.250]", "0.900", "0.500"]


def test_what_does_not_exist_is_a_dash():
    """Whether it is None or not a number; -0.0 has no sign."""
    record = {"none": None, "nan": float("nan"), "zero": -0.0001}
    section = Section("title", {key: key for key in record}, [record])
    assert section.cells() == [[*record], ["-", "-", "0.000"]]


def test_help_fits_a_screen_and_names_every_prior(monkeypatch):
    """One line an option as far as possible, none wider than a terminal."""
    monkeypatch.setenv("COLUMNS", str(HELP_WIDTH))
    lines = make_parser().format_help().splitlines()
    assert len(lines) <= MOST_HELP_LINES
    assert max(map(len, lines)) <= HELP_WIDTH
    text = " ".join(" ".join(lines).split())
    for name in PRIOR_NAMES:
        assert name in text
