"""What a file is, by its first bytes."""

from __future__ import annotations

import codecs
from io import BufferedReader

from skpostbac._cli._error import InputError

PARQUET = b"PAR1"
# Marks of encodings; that of UTF-32 begins as that of UTF-16 does.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Files that are not read: what they are, and what to do.
_OTHERS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive; save the sheet as CSV (UTF-8)",
    b"\xd0\xcf\x11\xe0": "an Excel workbook; save the sheet as CSV (UTF-8)",
    b"\x1f\x8b": "compressed by gzip; unpack it, as in: gzip -dc FILE | skpostbac -",
    b"ARROW1": "a Feather file; write it as parquet or CSV",
}
_LONGEST = max(map(len, [PARQUET, *_MARKS, *_OTHERS]))


def first_bytes(file: BufferedReader) -> bytes:
    """Return the first bytes of a file, which are still to be read; it may be a pipe."""
    return file.peek(_LONGEST)[:_LONGEST]


def text_encoding(head: bytes, source: str) -> str:
    """Return the encoding of a text, UTF-8 unless a mark says otherwise.

    Raises
    ------
    InputError
        If the file is of a known format that is no text.
    """
    for mark, what in _OTHERS.items():
        if head.startswith(mark):
            raise InputError(f"{source} is {what}")
    found = (encoding for mark, encoding in _MARKS.items() if head.startswith(mark))
    return next(found, "utf-8-sig")
