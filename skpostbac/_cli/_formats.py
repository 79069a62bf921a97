"""File formats, recognised by their first bytes, and reading of parquet files."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader, BytesIO
from itertools import chain
from typing import Any, TypeAlias

# The cells of some columns, row by row, with the number of the row.
Rows: TypeAlias = Callable[[Sequence[str]], Iterator[tuple[int, tuple[str, ...]]]]
# The name that pandas gives an unnamed index, which is not a column.
_INDEX = re.compile(r"__index_level_\d+__")
PARQUET = b"PAR1"
# Byte order marks; UTF-32 comes first, because its mark starts with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Unsupported formats: what they are, and what to do.
_OTHERS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive; save the sheet as CSV (UTF-8)",
    b"\xd0\xcf\x11\xe0": "an Excel workbook; save the sheet as CSV (UTF-8)",
    b"\x1f\x8b": "compressed by gzip; unpack it, as in: gzip -dc FILE | skpostbac -",
    b"ARROW1": "a Feather file; write it as parquet or CSV",
}
_LONGEST = max(map(len, [PARQUET, *_MARKS, *_OTHERS]))


class InputError(Exception):
    """An error that the user can fix; the message is one line."""


def first_bytes(file: BufferedReader) -> bytes:
    """Return the first bytes of a file without consuming them; it may be a pipe."""
    return file.peek(_LONGEST)[:_LONGEST]


def text_encoding(head: bytes, source: str) -> str:
    """Return the encoding of a text: UTF-8, unless a byte order mark says otherwise.

    Raises
    ------
    InputError
        If the file has a known format that is not text.
    """
    for mark, what in _OTHERS.items():
        if head.startswith(mark):
            raise InputError(f"{source} is {what}")
    found = (encoding for mark, encoding in _MARKS.items() if head.startswith(mark))
    return next(found, "utf-8-sig")


def read_parquet(source: str, file: BufferedReader) -> tuple[list[str], Rows]:
    """Return the names of the columns, and a function that reads some of them.

    Raises
    ------
    InputError
        If pyarrow is not installed, or cannot read the file.
    """
    try:
        from pyarrow.lib import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise InputError(
            f"{source} is a parquet file, which needs pyarrow: pip install pyarrow, or write the "
            "table as CSV, as in: pandas.read_parquet(FILE).to_csv('predictions.csv', index=False)"
        ) from error
    try:
        table = ParquetFile(file if file.seekable() else BytesIO(file.read()))
    except ArrowException as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{source} is not a complete parquet file: {reason}") from error

    def rows(columns: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
        batches = table.iter_batches(columns=list(columns))
        return enumerate(chain.from_iterable(_cells(batch, columns) for batch in batches), 1)

    return [name for name in table.schema_arrow.names if not _INDEX.fullmatch(name)], rows


def _cells(batch: Any, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Return the rows of a batch."""
    return zip(*(map(_text, batch.column(name).to_pylist()) for name in columns), strict=True)


def _text(value: Any) -> str:
    """Convert a cell to text as in a CSV file; a missing value is empty."""
    return "" if value is None or value != value else str(value)
