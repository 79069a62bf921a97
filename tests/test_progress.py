"""The progress line: in a terminal only, on long work only, and gone at the end."""

import io
import os
import pty
import subprocess
import sys

import numpy as np
import pytest

from skpostbac import compare_predictions
from skpostbac._utils import progress_line as _progress
from skpostbac._utils.progress_line import progress


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that tests set."""

    class Clock:
        now = 100.0

    monkeypatch.setattr(_progress.time, "monotonic", lambda: Clock.now)
    return Clock


def work(clock, n, seconds):
    """Take some time for each of n steps."""
    for step in range(n):
        clock.now += seconds
        yield step


def test_line_says_what_is_done_and_left(clock, monkeypatch):
    """Ten steps of a second each: after three of them, seven are left."""
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    assert list(progress(work(clock, 10, 1), 10, "counting")) == list(range(10))
    lines = stream.getvalue().split("\r")
    assert lines[1] == "skpostbac: counting, 2 of 10, about 8 s left\033[K"
    assert lines[2] == "skpostbac: counting, 3 of 10, about 7 s left\033[K"
    assert lines[-1] == "\033[K"


def test_quick_work_is_quiet(clock, monkeypatch):
    """Nothing is written within the first two seconds."""
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    assert list(progress(work(clock, 10, 0.19), 10, "counting")) == list(range(10))
    assert stream.getvalue() == ""


@pytest.mark.parametrize("stream", [io.StringIO(), None], ids=["file", "none"])
def test_quiet_without_a_terminal(stream, clock, monkeypatch):
    """A log file has no use for it, and there may be no stream at all."""
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(progress(work(clock, 10, 5), 10, "counting")) == list(range(10))
    assert stream is None or stream.getvalue() == ""


def test_line_is_gone_after_an_error(clock, monkeypatch):
    """The traceback starts on an empty line."""
    monkeypatch.setattr(sys, "stderr", stream := Terminal())

    def fail():
        yield from work(clock, 3, 1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(progress(fail(), 10, "counting"))
    assert stream.getvalue().endswith("\r\033[K")


def test_table_of_many_differences_has_a_line(clock, monkeypatch):
    """It says how many pairs are done."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    predictions = {name: np.where(rng.random(40) < 0.8, y, 1 - y) for name in "abcd"}
    comparison = compare_predictions(y, predictions, random_state=0)
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(_progress, "PERIOD", 0.0)
    table = comparison.table("differences")
    assert len(table["first"]) == 6
    assert "skpostbac: describing differences, 3 of 6, about" in stream.getvalue()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_joint_ranking_in_a_real_terminal():
    """The line of a long joint ranking is seen on the screen, and nothing on standard output."""
    script = (
        "import numpy as np, skpostbac._utils.progress_line as p\n"
        "from skpostbac import compare_predictions\n"
        "p.PATIENCE = p.PERIOD = 0\n"
        "rng = np.random.default_rng(0); y = rng.integers(0, 2, 500)\n"
        "preds = {f'c{i}': np.where(rng.random(500) < .8, y, 1 - y) for i in range(12)}\n"
        "compare_predictions(y, preds, random_state=0).prob_best()\n"
    )
    screen, end = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", script], stderr=end, stdout=subprocess.PIPE, check=True
    )
    os.close(end)
    seen = b""
    try:
        while chunk := os.read(screen, 65536):
            seen += chunk
    except OSError:  # how Linux ends a pseudo-terminal
        pass
    os.close(screen)
    assert done.stdout == b""
    assert b"skpostbac: drawing joint ranks, 1 of " in seen
    assert seen.endswith(b"\r\x1b[K")
