"""Writing of standard output and files, with errors of one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from shutil import copymode
from stat import S_ISREG

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


def check_outputs(sources: Iterable[str], paths: Iterable[str]) -> None:
    """Raise if a file cannot be written, or if it is an input or another output.

    Parameters
    ----------
    sources : iterable of str
        File names of the input, ``"-"`` for standard input.
    paths : iterable of str
        Names of the files to write.

    Raises
    ------
    InputError
        With the name of the file.
    """
    write_output()
    names: dict[Hashable, str] = {}
    for source in sources:
        with suppress(OSError, ValueError):  # reading it raises a better error
            names[_identity(0 if source == "-" else source)] = "the input"
    with suppress(OSError, ValueError):  # a stream without a file
        _add(names, _identity(sys.stdout.fileno()), "standard output")
    for path in paths:
        with _writing(path):
            _add(names, _identity(path), repr(path))
            # Devices and pipes can be opened once.
            if not os.path.exists(path) or os.path.isfile(path) or os.path.isdir(path):
                is_new = not os.path.exists(path)
                with open(path, "ab"):
                    pass
                if is_new:
                    os.unlink(os.path.realpath(path))


def _add(names: dict[Hashable, str], identity: Hashable, name: str) -> None:
    if identity in names:
        raise InputError(
            f"cannot write {name}: it is the same file as {names[identity]}"
        )
    names[identity] = name


def _identity(file: str | int) -> Hashable:
    """Return what identifies a file; devices and pipes may be used twice."""
    try:
        status = os.stat(file)
    except FileNotFoundError:
        return os.path.realpath(str(file))
    return (status.st_dev, status.st_ino) if S_ISREG(status.st_mode) else object()


def write_files(files: Mapping[str, bytes]) -> None:
    """Write files by name; raise an `InputError` if one cannot be written."""
    for path, content in files.items():
        with _writing(path):
            _write_file(path, content)


def _write_file(path: str, content: bytes) -> None:
    """Write a file that is then whole or as it was; pipes and devices directly."""
    target = Path(os.path.realpath(path))
    if os.path.exists(path) and not target.is_file():
        Path(path).write_bytes(content)
        return
    draft = target.with_name(f".{token_hex()}")
    try:
        with draft.open("xb") as file:
            if target.exists():
                copymode(target, draft)
            file.write(content)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _writing(path: str) -> Iterator[None]:
    """Turn errors from writing into an `InputError`, except those of closed pipes."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot write {path!r}: {reason}") from error
