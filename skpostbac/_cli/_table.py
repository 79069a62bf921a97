"""A table of true and predicted labels, and how to read it from a file."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedReader, TextIOWrapper
from operator import itemgetter
from sys import intern
from typing import TextIO

from skpostbac._cli._formats import (
    PARQUET,
    InputError,
    Rows,
    first_bytes,
    read_parquet,
    text_encoding,
)

# Column names listed in an error message.
SHOWN_COLUMNS = 12
# Labels of a column listed in an error message.
SHOWN_LABELS = 3
# Common delimiters, and their values for --delimiter.
DELIMITERS = {",": ",", ";": ";", "\t": "tab", "|": "|"}
# Limits that stop early on files that are not tables of predictions. A record is one line, or
# several if a quoted cell contains line breaks.
MAX_RECORD_LENGTH = 10_000_000
MAX_CLASSIFIERS = 1000


@dataclass(frozen=True)
class Ids:
    """Identifiers of the rows."""

    column: str
    n_different: int


@dataclass(frozen=True)
class Extras:
    """Optional columns besides the labels; None if not given."""

    groups: str | None = None
    by: str | None = None
    ids: str | None = None

    @property
    def options(self) -> dict[str, str]:
        """Return the given columns, by option."""
        named = {"--groups": self.groups, "--by": self.by, "--id": self.ids}
        return {option: name for option, name in named.items() if name is not None}


@dataclass(frozen=True)
class Table:
    """Distinct rows of labels, with the number of times each occurs."""

    source: str
    """File name or other source of the rows."""
    truth: str
    """Name of the column of true labels."""
    classifiers: tuple[str, ...]
    """Names of the columns of predictions."""
    rows: Counter[tuple[str, ...]]
    """Number of times each row occurs; a row is the true label, the predictions, and the group or
    subgroup, if any."""
    description: str | None = None
    """Description of the data, for the built-in example only."""
    groups: str | None = None
    """Name of the column of groups."""
    by: str | None = None
    """Name of the column of subgroups; None if there are groups."""
    ids: Ids | None = None
    """The column of identifiers."""

    @property
    def n_rows(self) -> int:
        """Number of rows, repeated ones included."""
        return self.rows.total()

    @property
    def label_rows(self) -> Iterator[tuple[str, ...]]:
        """The rows without their groups."""
        return (row[: 1 + len(self.classifiers)] for row in self.rows)


def read_table(
    path: str,
    truth: str | None,
    classifiers: Sequence[str] | None,
    *,
    extras: Extras = Extras(),
    delimiter: str = ",",
) -> Table:
    """Read a CSV file (UTF-8, or UTF-16 with a byte order mark) or a parquet file.

    Parameters
    ----------
    path : str
        File name, or ``"-"`` for standard input.
    truth : str or None
        Column of the true labels. None raises an error that lists the columns.
    classifiers : sequence of str or None
        Columns of predictions, by default all others.
    extras : Extras
        Columns of groups, of subgroups and of identifiers.
    delimiter : str, default=","
        Character between two cells.

    Returns
    -------
    table : Table

    Raises
    ------
    InputError
        If the file cannot be read or is not such a table.
    """
    with _contents(path, delimiter) as contents:
        truth, *chosen = _choose_columns(contents.header, truth, classifiers, extras)
        beside = [name for name in (extras.groups, extras.by) if name is not None]
        rows, n_different = _count_rows(contents, [truth, *chosen, *beside], extras.ids)
    ids = None if extras.ids is None else Ids(extras.ids, n_different)
    table = Table(
        contents.source, truth, tuple(chosen), rows, groups=extras.groups, by=extras.by, ids=ids
    )
    if classifiers is None:
        _check_predictions(table)
    return table


def read_columns(path: str, names: Sequence[str] | None, *, delimiter: str = ",") -> Columns:
    """Read columns of a CSV or parquet file, by default all.

    Raises
    ------
    InputError
        If the file cannot be read or lacks a column.
    """
    with _contents(path, delimiter) as contents:
        check_distinct(contents.header, "column")
        chosen = list(contents.header) if names is None else list(names)
        check_distinct(chosen, "--classifier")
        for name in chosen:
            _check_present(contents.header, "--classifier", name)
        rows, _ = _count_rows(contents, chosen, None)
    return Columns(contents.source, tuple(chosen), rows)


@dataclass(frozen=True)
class Columns:
    """Distinct rows of some columns, with the number of times each occurs."""

    source: str
    names: tuple[str, ...]
    rows: Counter[tuple[str, ...]]


@dataclass(frozen=True)
class _Contents:
    """An open file: the names of its columns, and a function that reads some of them."""

    source: str
    header: Sequence[str]
    read_rows: Rows
    unit: str
    """Word for a row in error messages."""

    def __post_init__(self) -> None:
        if not self.header:
            raise InputError(f"{self.source} is empty")


@contextmanager
def _contents(path: str, delimiter: str) -> Iterator[_Contents]:
    """Open a CSV or parquet file, or standard input, whatever its encoding."""
    source = "standard input" if path == "-" else path
    with _reading(source), _open(path) as file:
        head = first_bytes(file)
        if head.startswith(PARQUET):
            yield _Contents(source, *read_parquet(source, file), "row")
            return
        with TextIOWrapper(file, encoding=text_encoding(head, source), newline="") as text:
            records = _records(text, delimiter)
            _, header = next(records, (0, []))
            yield _Contents(source, header, partial(_pick, records, header), "line")


@contextmanager
def _reading(source: str) -> Iterator[None]:
    """Turn errors from reading into an `InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot read {source}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{source} is not {error.encoding.upper()} text: {error.reason}; save it as UTF-8"
        ) from error
    except ValueError as error:  # a null byte in the name
        raise InputError(f"cannot read {source}: {error}") from error


def _open(path: str) -> BufferedReader:
    is_stdin = path == "-"
    return open(0 if is_stdin else path, "rb", closefd=not is_stdin)


def _records(file: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each line's number and cells; blank lines are allowed at the end only."""
    lines = _Lines(file)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    blank = 0
    try:
        for cells in reader:
            lines.start_record()
            if cells and blank:
                raise InputError(f"line {blank} is empty")
            if cells:
                yield reader.line_num, cells
            else:
                blank = blank or reader.line_num
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: {error}") from error


class _Lines:
    """The lines of a text; reading stops at the maximum length of a record."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._number = 0
        self.start_record()

    def start_record(self) -> None:
        self._room = MAX_RECORD_LENGTH

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._file.readline(self._room + 1)
        if not line:
            raise StopIteration
        self._number += 1
        self._room -= len(line)
        if "\0" in line:
            raise InputError(
                f"line {self._number}: NUL byte: this looks like a binary file, or UTF-16 without "
                "a byte order mark; export it as UTF-8 CSV"
            )
        if self._room < 0:
            raise InputError(
                f"line {self._number}: record is longer than {MAX_RECORD_LENGTH} characters"
            )
        return line


def _choose_columns(
    header: Sequence[str],
    truth: str | None,
    classifiers: Sequence[str] | None,
    extras: Extras,
) -> list[str]:
    """Return the name of the truth column, followed by those of the classifiers."""
    check_distinct(header, "column")
    if truth is None:
        raise InputError(f"--truth must name the column of true labels; {_list_columns(header)}")
    _check_present(header, "--truth", truth)
    for option, name in extras.options.items():
        _check_present(header, option, name)
        if name in (truth, *(classifiers or ())):
            raise InputError(f"{name!r} cannot be both {option} and --truth or --classifier")
    if classifiers is None:
        taken = {truth, *extras.options.values()}
        classifiers = [name for name in header if name not in taken]
    _check_classifiers(header, truth, classifiers)
    return [truth, *classifiers]


def _check_classifiers(header: Sequence[str], truth: str, classifiers: Sequence[str]) -> None:
    if not classifiers:
        raise InputError(f"there is no column of predictions besides {truth!r}")
    if len(classifiers) > MAX_CLASSIFIERS:
        raise InputError(
            f"there are {len(classifiers)} columns besides {truth!r}, but at most "
            f"{MAX_CLASSIFIERS} can be compared; select some with --classifier"
        )
    check_distinct(classifiers, "--classifier")
    for name in classifiers:
        _check_present(header, "--classifier", name)
    if truth in classifiers:
        raise InputError(f"{truth!r} cannot be both --truth and --classifier")
    if "" in classifiers:
        number = header.index("") + 1
        hint = ", or write the file without its index" if number == 1 else ""
        raise InputError(f"column {number} has no name; select the columns with --classifier{hint}")


def _check_present(header: Sequence[str], option: str, name: str) -> None:
    if name not in header:
        raise InputError(f"{option}: there is no column {name!r}; {_list_columns(header)}")


def check_distinct(names: Iterable[str], what: str) -> None:
    """Raise if a name occurs more than once."""
    name, occurrences = Counter(names).most_common(1)[0]
    if occurrences > 1:
        raise InputError(f"{what} {name!r} occurs {occurrences} times")


def _list_columns(header: Sequence[str]) -> str:
    names = ", ".join(map(repr, header[:SHOWN_COLUMNS]))
    hidden = len(header) - SHOWN_COLUMNS
    more = f" and {hidden} more" if hidden > 0 else ""
    return f"the columns are {names}{more}{_suggest_delimiter(header)}"


def _suggest_delimiter(header: Sequence[str]) -> str:
    """Suggest a delimiter if the header was read as a single cell that contains one."""
    found = [option for char, option in DELIMITERS.items() if char in header[0]]
    return f"; try --delimiter {found[0]!r}" if len(header) == 1 and found else ""


def _pick(
    records: Iterable[tuple[int, list[str]]], header: Sequence[str], columns: Sequence[str]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the cells of some columns."""
    places = [header.index(name) for name in columns]
    # With a single column, itemgetter does not return a tuple.
    pick = itemgetter(*places) if len(places) > 1 else lambda cells: (cells[places[0]],)
    for line, cells in records:
        if len(cells) != len(header):
            found = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
            raise InputError(f"line {line} has {found}, but the header has {len(header)}")
        yield line, pick(cells)


def _count_rows(
    contents: _Contents, columns: Sequence[str], ids: str | None
) -> tuple[Counter[tuple[str, ...]], int]:
    """Return the count of each distinct row, and the number of distinct identifiers."""
    rows: Counter[tuple[str, ...]] = Counter()
    different: set[str] = set()
    n, last = len(columns), [] if ids is None else [ids]
    for number, cells in contents.read_rows([*columns, *last]):
        row = cells[:n]
        if row not in rows:
            _check_cells(f"{contents.unit} {number}", columns, row)
            row = tuple(map(intern, row))  # share the strings of equal labels
        rows[row] += 1
        if ids is not None:
            if not cells[n].strip():
                raise InputError(f"{contents.unit} {number}: no identifier in column {ids!r}")
            different.add(cells[n])
    if not rows:
        raise InputError(f"{contents.source} has a header, but no rows")
    return rows, len(different)


def _check_cells(place: str, columns: Iterable[str], row: Iterable[str]) -> None:
    for name, cell in zip(columns, row, strict=True):
        if not cell.strip():
            raise InputError(f"{place}: no label in column {name!r}")


def _check_predictions(table: Table) -> None:
    """Raise if a column, selected by default, can hardly contain predictions."""
    truth, *predictions = map(set, zip(*table.label_rows, strict=True))
    for name, labels in zip(table.classifiers, predictions, strict=True):
        if not labels & truth:
            raise InputError(
                f"column {name!r} has no label of {table.truth!r} ({_list_labels(truth)}), only "
                f"{_list_labels(labels)}; pass a column of patients or sites as --groups or --by, "
                "one that identifies samples as --id, or select the columns of predictions with "
                "--classifier"
            )


def _list_labels(labels: Collection[str]) -> str:
    names = ", ".join(map(repr, sorted(labels)[:SHOWN_LABELS]))
    return f"{names}, ..." if len(labels) > SHOWN_LABELS else names
