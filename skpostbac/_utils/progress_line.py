"""Progress line in the terminal."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

# Seconds before the line first appears, and between updates.
FIRST_UPDATE = 2.0
UPDATE_INTERVAL = 0.2


def progress(steps: Iterable[T], total: int, task: str) -> Iterator[T]:
    """Yield the steps and write the progress to standard error.

    Nothing is written if the stream is not a terminal or the work takes less than two
    seconds. The line is removed at the end.

    Parameters
    ----------
    steps : iterable
        Steps of the task.
    total : int
        Number of steps.
    task : str
        Name of the task, as shown in the line.

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
    next_update = start + FIRST_UPDATE
    try:
        for done, step in enumerate(steps, 1):
            yield step

            if (now := time.monotonic()) >= next_update:
                left = (now - start) / done * (total - done)
                line = f"skpostbac: {task}, {done} of {total}, about {left:.0f} s left"
                print(f"\r{line}\033[K", end="", file=stream, flush=True)
                next_update = now + UPDATE_INTERVAL
    finally:
        # The line was written if the next update was ever put off.
        if next_update > start + FIRST_UPDATE:
            print("\r\033[K", end="", file=stream, flush=True)
