"""The examples run, and what they assert of publications holds."""

import runpy
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "doc" / "examples"


def test_table_1(capsys):
    """All numbers of the table but two, which are marked; the ranking of the paper."""
    runpy.run_path(str(EXAMPLES / "table1.py"))
    printed = capsys.readouterr().out
    assert printed.count("*") == 3
    assert "0.8447*" in printed
    assert "0.9655*" in printed
    assert "wins: {'C1': 1, 'C2': 0, 'C3': 2}" in printed


def test_binary_equivalent(capsys):
    """The table of the fitting program, and listeners who are simulated and computed."""
    runpy.run_path(str(EXAMPLES / "binary_equivalent.py"))
    printed = capsys.readouterr().out
    for equivalent in ("100.0%", "98.5%", "99.3%", "99.8%"):
        assert equivalent in printed
