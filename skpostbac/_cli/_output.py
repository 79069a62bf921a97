"""Writing to standard output and files, with clear errors."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from skpostbac._cli._formats import InputError


def write_output(text: str = "") -> None:
    """Write and flush the text; escape characters that the encoding lacks.

    Raises
    ------
    BrokenPipeError
        If the reader of the output has closed it.
    InputError
        If the output cannot be written for another reason, such as a full disk.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        _discard_output()
        raise
    except OSError as error:
        _discard_output()
        raise InputError(f"cannot write the output: {error.strerror}") from error


def write_file(path: str, content: bytes) -> None:
    """Write a file.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    try:
        Path(path).write_bytes(content)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot write {path!r}: {reason}") from error


def _discard_output() -> None:
    """Prevent a second failure when the interpreter flushes at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
