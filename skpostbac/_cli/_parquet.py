"""Columns of a parquet file as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader, BytesIO
from itertools import chain
from typing import Any, TypeAlias

from skpostbac._cli._error import InputError

# The cells of some columns, row by row, with the number of the row.
Rows: TypeAlias = Callable[[Sequence[str]], Iterator[tuple[int, tuple[str, ...]]]]
# How pandas calls an index without a name, which is no column.
_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(source: str, file: BufferedReader) -> tuple[list[str], Rows]:
    """Return the names of the columns, and what reads some of them.

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
        raise InputError(f"{source} is no complete parquet file: {reason}") from error

    def rows(columns: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
        batches = table.iter_batches(columns=list(columns))
        return enumerate(chain.from_iterable(_cells(batch, columns) for batch in batches), 1)

    return [name for name in table.schema_arrow.names if not _INDEX.fullmatch(name)], rows


def _cells(batch: Any, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Return the rows of a batch."""
    return zip(*(map(_text, batch.column(name).to_pylist()) for name in columns), strict=True)


def _text(value: Any) -> str:
    """Write a cell as it would stand in a CSV file; one without a value is empty."""
    return "" if value is None or value != value else str(value)
