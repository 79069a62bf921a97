"""Progress of long work: a line in a terminal or notebook, and entries in a log."""

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

# Seconds before the line first appears, between updates, and between entries.
FIRST_UPDATE = 2.0
UPDATE_INTERVAL = 0.2
LOG_INTERVAL = 10.0
# What follows a line covers the one before: a notebook knows no codes of terminals.
ERASE = "\033[K"
BLANKS = " " * 79

LOGGER = logging.getLogger("skpostbac")


def progress(steps: Iterable[T], total: int, task: str) -> Iterator[T]:
    """Yield the steps, and show the progress if the work takes over two seconds.

    In a terminal and in a notebook, a line on standard error is updated, and removed at
    the end. The logger "skpostbac" has an entry every ten seconds, at the level INFO.

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
    is_terminal = stream is not None and stream.isatty()
    has_line = is_terminal or type(stream).__module__.startswith("ipykernel")
    is_logged = LOGGER.isEnabledFor(logging.INFO)
    if not has_line and not is_logged:
        yield from steps
        return

    rest = ERASE if is_terminal else BLANKS
    start = time.monotonic()
    next_update = start + FIRST_UPDATE
    next_entry = next_update
    try:
        for done, step in enumerate(steps, 1):
            yield step

            if (now := time.monotonic()) < next_update:
                continue
            left = (now - start) / done * (total - done)
            line = f"{task}, {done} of {total}, about {left:.0f} s left"
            next_update = now + UPDATE_INTERVAL
            if has_line:
                print(f"\rskpostbac: {line}{rest}", end="", file=stream, flush=True)
            if is_logged and now >= next_entry:
                LOGGER.info(line)
                next_entry = now + LOG_INTERVAL
    finally:
        # The line was written if the next update was ever put off.
        if has_line and next_update > start + FIRST_UPDATE:
            print(f"\r{rest}\r", end="", file=stream, flush=True)
