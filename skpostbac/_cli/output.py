"""Writing of standard output and files, with errors of one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from skpostbac._cli.reading import InputError
from skpostbac._utils import printable


def write_output(text: str = "") -> None:
    """Write and flush the text; escape characters that the encoding lacks.

    Raises
    ------
    BrokenPipeError
        If the reader of the output has closed it.
    InputError
        If the output cannot be written for another reason, such as a full disk.
    """
    if sys.stdout is None:
        raise InputError("cannot write the output: standard output is closed")
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    try:
        print(text, end="", flush=True)
    except OSError as error:
        # Prevent a second failure when the interpreter flushes at exit.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        if isinstance(error, BrokenPipeError):
            raise
        raise InputError(f"cannot write the output: {error.strerror}") from error


def write_note(line: str, red: bool = False) -> None:
    """Write a line to standard error; nobody can be told if that fails.

    Red is for terminals only, and not if ``NO_COLOR`` is set (https://no-color.org).
    """
    with suppress(AttributeError, OSError):  # AttributeError: it is closed
        line = f"skpostbac: {printable(line)}"
        if red and sys.stderr.isatty() and not os.environ.get("NO_COLOR"):
            line = f"\033[31m{line}\033[0m"
        sys.stderr.write(f"{line}\n")


def write_files(files: Mapping[str, bytes]) -> None:
    """Write files by name; raise an `InputError` if one cannot be written."""
    for path, content in files.items():
        try:
            Path(path).write_bytes(content)
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as error:  # ValueError: a null byte in the name
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"cannot write {path!r}: {reason}") from error
