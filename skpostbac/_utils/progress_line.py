"""A line in the terminal on work that takes its time."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

# Seconds before the line is written first, and between two changes of it.
PATIENCE = 2.0
PERIOD = 0.2


def progress(steps: Iterable[T], total: int, task: str) -> Iterator[T]:
    """Yield steps as they come, and write to the standard error stream how many are done.

    Nothing is written unless the stream is a terminal, nor on work that is done in two seconds.
    The line is gone once the work is done or given up.

    Parameters
    ----------
    steps : iterable
        The work.
    total : int
        How many steps there are.
    task : str
        What is done, for the reader of the line.

    Yields
    ------
    step
        The steps, unchanged.
    """
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield from steps
        return
    start = time.monotonic()
    due = start + PATIENCE
    try:
        for done, step in enumerate(steps, 1):
            yield step
            if (now := time.monotonic()) >= due:
                left = (now - start) / done * (total - done)
                line = f"skpostbac: {task}, {done} of {total}, about {left:.0f} s left"
                print(f"\r{line}\033[K", end="", file=stream, flush=True)
                due = now + PERIOD
    finally:
        if due > start + PATIENCE:
            print("\r\033[K", end="", file=stream, flush=True)
