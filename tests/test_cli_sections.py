"""Signs in the tables of the command line, and the length of its help."""

import pytest

from skpostbac._cli.arguments import HELP_WIDTH, MOST_HELP_LINES, make_parser
from skpostbac._cli.text import Section
from skpostbac.metrics._prior import PRIOR_NAMES


def test_differences_have_signs_and_probabilities_none():
    """Of one row, by the headings that are declared to hold differences."""
    section = Section(
        "title",
        ["other", "mean", "95% CI", "P(>0)", "loss"],
        [["b", 0.12, (-0.01, 0.25), 0.9, 0.5]],
        signed=("mean", "95% CI"),
    )
    ((_, row),) = section.blocks()
    assert row == ["b", "+0.120", "[-0.010, +0.250]", "0.900", "0.500"]


@pytest.mark.parametrize("heading", ["P(>0)", "no such column"])
def test_a_column_of_differences_is_one(heading):
    """Probabilities have no sign, and a misspelled heading would lose it in silence."""
    with pytest.raises(ValueError, match="no column of differences"):
        Section("title", ["other", "P(>0)"], [["b", 0.9]], signed=(heading,))


def test_help_fits_a_screen_and_names_every_prior(monkeypatch):
    """One line an option as far as possible, none wider than a terminal."""
    monkeypatch.setenv("COLUMNS", str(HELP_WIDTH))
    lines = make_parser().format_help().splitlines()
    assert len(lines) <= MOST_HELP_LINES
    assert max(map(len, lines)) <= HELP_WIDTH
    text = " ".join(" ".join(lines).split())
    for name in PRIOR_NAMES:
        assert name in text
