"""What the examples print, and assert of publications, holds."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "doc" / "examples"

pytestmark = pytest.mark.skipif(
    not EXAMPLES.exists(), reason="doc/ is not part of this copy"
)

# What a script must print: the numbers that its text, or a publication, speaks of.
PRINTED = {
    "plot_binormal_curves.py": ["BinormalCheck(p_negative=0.0811, p_positive=0.283)"],
    "plot_confusion_metrics.py": [
        "classifier: recall             0.667   0.656",  # 10.5 / 16
        # The sum over the number of samples with one error, and of those the better one wins.
        "agree on 99.8%: 0.74, and 0.8 with 11,758 samples",
    ],
    "plot_hearing.py": ["100.0%", "98.5%", "99.3%", "99.8%"],
    "plot_table1.py": ["0.8447*", "0.9655*", "wins: {'C1': 1, 'C2': 0, 'C3': 2}"],
}


@pytest.mark.slow
@pytest.mark.parametrize("script", PRINTED)
def test_example(script, capsys, monkeypatch):
    """It warns of nothing and prints what is known from elsewhere; the gallery runs all."""
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(plt, "show", lambda: None)  # no window, whatever the backend
    runpy.run_path(str(EXAMPLES / script))
    plt.close("all")
    printed = capsys.readouterr().out
    assert [text for text in PRINTED[script] if text not in printed] == []
