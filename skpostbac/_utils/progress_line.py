"""Progress line in the terminal."""

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
    """Yield the steps and write the progress to standard error.

    Nothing is written if the stream is not a terminal or the work takes less than two seconds. The
    line is removed at the end.

    Parameters
    ----------
    steps : iterable
        The work.
    total : int
        How many steps there are.
    task : str
        Name of the task.

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
