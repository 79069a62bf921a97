"""The examples run, and what they assert of publications holds."""

import runpy
from pathlib import Path

import pytest

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


def test_confusion_metrics(capsys):
    """The examples of the lecture notes, which are asserted in the script."""
    plt = pytest.importorskip("matplotlib.pyplot")
    runpy.run_path(str(EXAMPLES / "plot_confusion_metrics.py"))
    plt.close("all")
    printed = capsys.readouterr().out
    assert "agree on 99.8%: 0.74, and 0.8 with 11,754 samples" in printed
    assert "classifier: recall             0.667   0.647" in printed  # 11 / 17
