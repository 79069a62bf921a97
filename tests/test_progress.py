"""The progress line: on long work only, in a terminal, a notebook or a log, and gone at the end."""

import io
import os
import sys
from contextlib import suppress
from itertools import count

import numpy as np
import pytest

from skpostbac import compare_predictions

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 40)
COMPARISON = compare_predictions(
    Y,
    {name: np.where(RNG.random(40) < 0.8, Y, 1 - Y) for name in "abcd"},
    random_state=0,
)
END = "\r\033[K\r"


class Notebook(io.StringIO):
    """A stream of a kernel of Jupyter, which is no terminal."""

    __module__ = "ipykernel.iostream"


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def written(monkeypatch):
    """Return a function that describes six pairs of some seconds each, and what it wrote."""

    def describe(seconds, stream):
        monkeypatch.setattr("time.monotonic", count(100.0, seconds).__next__)
        monkeypatch.setattr(sys, "stderr", stream)
        assert len(COMPARISON.table("differences")["first"]) == 6
        return stream.getvalue() if stream else ""

    return describe


def test_line_says_what_is_done_and_left(written):
    """Six steps of a second each: after two of them, four are left."""
    lines = written(1, Terminal()).split("\r")
    assert lines[1] == "skpostbac: describing differences, 2 of 6, about 4 s left\033[K"
    assert lines[2] == "skpostbac: describing differences, 3 of 6, about 3 s left\033[K"
    assert lines[-2:] == ["\033[K", ""]


def test_notebook_has_the_line_without_codes(written):
    """Blanks cover what was there before, and the line at the end."""
    text = written(1, Notebook())
    assert "describing differences, 2 of 6, about 4 s left" in text
    assert "\033" not in text
    lines = text.split("\r")
    assert all(len(line) >= len("skpostbac: describing") for line in lines[1:-1])
    assert lines[-2].isspace()
    assert len(lines[-2]) >= max(len(line.rstrip()) for line in lines)


def test_log_has_an_entry_every_ten_seconds(written, caplog):
    """Without a terminal, at the level INFO."""
    caplog.set_level("INFO", logger="skpostbac")
    assert written(5, io.StringIO()) == ""
    assert [record.getMessage() for record in caplog.records] == [
        "describing differences, 1 of 6, about 25 s left",
        "describing differences, 3 of 6, about 15 s left",
        "describing differences, 5 of 6, about 5 s left",
    ]
    assert {record.name for record in caplog.records} == {"skpostbac"}


@pytest.mark.parametrize(
    ("seconds", "stream"),
    [(0.3, Terminal()), (5, io.StringIO()), (5, None)],
    ids=["quick work", "a file", "no stream"],
)
def test_quiet(written, seconds, stream):
    """Within the first two seconds, and without a terminal; there may be no stream at all."""
    assert written(seconds, stream) == ""


def test_line_is_gone_after_an_error(monkeypatch):
    """The traceback starts on an empty line."""
    times = iter([1.0, 4.0, 7.0])
    monkeypatch.setattr("time.monotonic", lambda: next(times, 0) or 1 / 0)
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with pytest.raises(ZeroDivisionError):
        COMPARISON.table("differences")
    assert "2 of 6" in stream.getvalue()
    assert stream.getvalue().endswith(END)


def read_all(screen):
    """Return what has been written to a pseudo-terminal, whose other end is closed.

    One read may return only a part of it. At the end, Linux raises an error.
    """
    parts = []
    with suppress(OSError):
        while part := os.read(screen, 65536):
            parts.append(part)
    os.close(screen)
    return b"".join(parts).decode()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_joint_ranking_in_a_real_terminal(monkeypatch, capsys):
    """The line of a long joint ranking is seen on the screen, and nothing on standard output."""
    predictions = {f"c{i}": np.where(RNG.random(40) < 0.8, Y, 1 - Y) for i in range(12)}
    comparison = compare_predictions(Y, predictions, random_state=0)
    screen, end = os.openpty()
    monkeypatch.setattr("time.monotonic", count(0.0, 10.0).__next__)
    with os.fdopen(end, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        comparison.prob_best()
        monkeypatch.undo()
    seen = read_all(screen)
    assert capsys.readouterr().out == ""
    assert "skpostbac: drawing joint ranks, 1 of " in seen
    assert seen.endswith(END)
