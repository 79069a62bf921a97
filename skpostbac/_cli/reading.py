"""Reading of CSV, JSON lines and parquet files, also if gzip has compressed them.

The format is recognised by the first bytes.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from gzip import GzipFile
from io import BufferedReader, BytesIO, TextIOWrapper
from itertools import count
from typing import Any, TextIO, TypeAlias

from skpostbac._utils import join_first

# Stops early on files that are not tables. The csv module limits cells, so that an
# open quote ends, too.
MAX_LINE_LENGTH = 10_000_000

GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
# Byte order marks; UTF-32 comes first, because its mark starts with that of UTF-16.
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
FROM_JSON = (
    "JSON; write it as CSV: pandas.read_json(FILE).to_csv('predictions.csv', "
    "index=False)"
)
# Unsupported formats: what they are, and what to do.
UNSUPPORTED = {
    b"PK\x03\x04": "an Excel workbook or a zip archive; save the sheet as CSV (UTF-8)",
    b"\xd0\xcf\x11\xe0": "an Excel workbook; save the sheet as CSV (UTF-8)",
    b"BZh": "compressed by bzip2; unpack it, as in: bzip2 -dc FILE | skpostbac -",
    b"\xfd7zXZ\x00": "compressed by xz; unpack it, as in: xz -dc FILE | skpostbac -",
    b"(\xb5/\xfd": "compressed by zstd; unpack it, as in: zstd -dc FILE | skpostbac -",
    b"ARROW1": "a Feather file; write it as parquet or CSV",
    b"[": FROM_JSON,
}
# Column names listed in an error message.
SHOWN_COLUMNS = 12
# Common delimiters, and their values for --delimiter.
DELIMITERS = {",": ",", ";": ";", "\t": "tab", "|": "|"}
# The name that pandas gives an unnamed index, which is not a column.
UNNAMED_INDEX = re.compile(r"__index_level_\d+__")

# The header, and then the cells of each row, with a name of its place.
Rows: TypeAlias = Iterator[tuple[str, Sequence[str]]]


class InputError(Exception):
    """An error that the user can fix; the message is one line."""


def name_of(path: str) -> str:
    """Return what the output calls a file."""
    return "standard input" if path == "-" else path


def list_columns(header: Sequence[str]) -> str:
    """List the columns, and suggest a delimiter if a single cell contains one."""
    found = [option for char, option in DELIMITERS.items() if char in header[0]]
    hint = f"; try --delimiter {found[0]!r}" if len(header) == 1 and found else ""
    return f"the columns are {join_first(list(map(repr, header)), SHOWN_COLUMNS)}{hint}"


def read_rows(path: str, delimiter: str) -> Rows:
    """Yield the header of a file, and the cells and the place of each row.

    Parameters
    ----------
    path : str
        File name, or ``"-"`` for standard input.
    delimiter : str
        Separates the fields of a CSV file.

    Yields
    ------
    place : str
        Such as ``"line 7"``.
    cells : sequence of str
        Empty cells are missing values.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    is_standard = path == "-"
    source = name_of(path)
    try:
        with open(0 if is_standard else path, "rb", closefd=not is_standard) as given:
            file = given
            if given.peek().startswith(GZIP):
                file = BufferedReader(GzipFile(fileobj=given))
            head = file.peek()  # not consumed; it may be a pipe
            for mark, what in UNSUPPORTED.items():
                if head.startswith(mark):
                    raise InputError(f"{source} is {what}")
            if head.startswith(PARQUET):
                yield from _read_parquet(source, file)
                return
            marks = filter(head.startswith, BYTE_ORDER_MARKS)
            encoding = BYTE_ORDER_MARKS.get(next(marks, b""), "utf-8-sig")
            with TextIOWrapper(file, encoding=encoding, newline="") as text:
                if head.removeprefix(codecs.BOM_UTF8).startswith(b"{"):
                    yield from _read_json(source, text)
                else:
                    yield from _read_csv(text, delimiter)
    # ValueError: a null byte in the name; the last two: a damaged gzip file.
    except (OSError, ValueError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {source}: {reason}") from error


def _read_csv(text: TextIO, delimiter: str) -> Rows:
    """Yield the rows; blank lines are allowed at the end only."""
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    n_fields = 0
    blank = 0
    try:
        for cells in reader:
            if not cells:
                blank = blank or reader.line_num
                continue
            if blank:
                raise InputError(f"line {blank} is empty")
            n_fields = n_fields or len(cells)
            if len(cells) != n_fields:
                fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
                raise InputError(
                    f"line {reader.line_num} has {fields}, but the header has "
                    f"{n_fields}"
                )
            yield f"line {reader.line_num}", cells
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: {error}") from error


def _lines(text: TextIO) -> Iterator[str]:
    for number in count(1):
        try:
            line = text.readline(MAX_LINE_LENGTH + 1)
        except UnicodeDecodeError as error:
            # The text is decoded ahead of the line.
            number += error.object[: error.start].count(b"\n")
            raise InputError(
                f"line {number} is not {error.encoding.upper()} text: {error.reason}; "
                "save the file as UTF-8"
            ) from error
        if not line:
            return
        if "\0" in line:
            raise InputError(
                f"line {number}: NUL byte: this looks like a binary file, or UTF-16 "
                "without a byte order mark; export it as UTF-8 CSV"
            )
        if len(line) > MAX_LINE_LENGTH:
            raise InputError(
                f"line {number} is longer than {MAX_LINE_LENGTH} characters"
            )
        yield line


def _read_json(source: str, text: TextIO) -> Rows:
    """Yield the fields of all objects."""
    records = {
        f"line {number}": _read_object(line, number)
        for number, line in enumerate(_lines(text), 1)
        if line.strip()
    }
    fields = [field for record in records.values() for field in record.items()]
    if all(isinstance(value, dict | list) for _, value in fields):
        raise InputError(f"{source} is {FROM_JSON}")
    header = list(dict(fields))
    yield "header", header
    for place, record in records.items():
        yield place, [_as_text(record.get(name)) for name in header]


def _read_object(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise InputError(
            f"line {number} is not a JSON object; write one object a line, as in: "
            "pandas.DataFrame.to_json(FILE, orient='records', lines=True)"
        )
    return record


def _as_text(value: Any) -> str:
    """Return a cell as in a CSV file; a missing value, None or NaN, is empty."""
    return "" if value is None or value != value else str(value)


def _read_parquet(source: str, file: BufferedReader) -> Rows:
    """Yield the rows."""
    try:
        from pyarrow.lib import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise InputError(
            f"{source} is a parquet file, which needs pyarrow: pip install pyarrow, or "
            "write the table as CSV, as in: "
            "pandas.read_parquet(FILE).to_csv('predictions.csv', index=False)"
        ) from error
    try:
        table = ParquetFile(file if file.seekable() else BytesIO(file.read()))
    except ArrowException as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"{source} is not a complete parquet file: {reason}"
        ) from error

    names = table.schema_arrow.names
    header = [name for name in names if not UNNAMED_INDEX.fullmatch(name)]
    yield "header", header
    numbers = count(1)
    for batch in table.iter_batches(columns=header):
        columns = (batch.column(name).to_pylist() for name in header)
        for cells in zip(*columns, strict=True):
            yield f"row {next(numbers)}", list(map(_as_text, cells))
