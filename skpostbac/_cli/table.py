"""Tables of labels: read from CSV or parquet, or made for the built-in example.

The format is recognised by the first bytes. A table is kept as its distinct rows with
the number of times that each occurs, so that memory does not grow with repeated rows.
"""

from __future__ import annotations

import codecs
import csv
import re
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedReader, BytesIO, TextIOWrapper
from itertools import count
from operator import itemgetter
from sys import intern
from typing import TextIO, TypeAlias

from skpostbac._utils import describe_strays, find_twins, join_first, list_labels

# Column names listed in an error message.
SHOWN_COLUMNS = 12
# Common delimiters, and their values for --delimiter.
DELIMITERS = {",": ",", ";": ";", "\t": "tab", "|": "|"}
# Limits that stop early on files that are not tables of predictions. A record is one
# line, or several if a quoted cell contains line breaks.
MAX_RECORD_LENGTH = 10_000_000
MAX_CLASSIFIERS = 1000

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
    b"\x1f\x8b": "compressed by gzip; unpack it, as in: gzip -dc FILE | skpostbac -",
    b"BZh": "compressed by bzip2; unpack it, as in: bzip2 -dc FILE | skpostbac -",
    b"\xfd7zXZ\x00": "compressed by xz; unpack it, as in: xz -dc FILE | skpostbac -",
    b"(\xb5/\xfd": "compressed by zstd; unpack it, as in: zstd -dc FILE | skpostbac -",
    b"ARROW1": "a Feather file; write it as parquet or CSV",
    b"{": FROM_JSON,
    b"[": FROM_JSON,
}
LONGEST_MARK = max(map(len, [PARQUET, *BYTE_ORDER_MARKS, *UNSUPPORTED]))
# The name that pandas gives an unnamed index, which is not a column.
UNNAMED_INDEX = re.compile(r"__index_level_\d+__")

EXAMPLE = (
    "This is a built-in example, because no FILE was given. The task is to recognise "
    "eights among scikit-learn's handwritten digits; one in ten is an eight. Always "
    'predicting "not eight" gives an accuracy of {majority:.3f}, but a balanced '
    "accuracy of only 0.5. All predictions are out of fold, from stratified 5-fold "
    "cross-validation."
)

# The cells of some columns, row by row, with the number of the row.
RowReader: TypeAlias = Callable[[Sequence[str]], Iterator[tuple[int, tuple[str, ...]]]]


class InputError(Exception):
    """An error that the user can fix; the message is one line."""


@dataclass(frozen=True)
class InputTable:
    """Distinct rows of labels, with the number of times each occurs."""

    source: str
    """File name or other source of the rows."""
    columns: tuple[str, ...]
    """Names of the columns: the true labels, if there are any, and predictions."""
    rows: Counter[tuple[str, ...]]
    """How often each row occurs: its label in each column, and its group, if any."""
    n_ids: int = 0
    """Number of different identifiers."""
    description: str | None = None
    """Description of the data, for the built-in example only."""
    left_out: Sequence[str] = ()
    """Columns that are hardly predictions."""

    def strays(self, name: str, classes: Collection[str]) -> Counter[str]:
        """Count the predictions for samples of the classes that are no class at all."""
        place = self.columns.index(name)
        known = {*classes, *(row[0] for row in self.rows)}
        strays: Counter[str] = Counter()
        for row, number in self.rows.items():
            if row[0] in classes and row[place] not in known:
                strays[row[place]] += number
        return strays


def read_table(args: Namespace) -> InputTable:
    """Read a CSV file (UTF-8, or UTF-16 with a byte order mark) or a parquet file.

    Distinct rows and distinct identifiers are counted.

    Parameters
    ----------
    args : Namespace
        The arguments `file`, `truth`, `classifier`, `scores`, `groups`, `by`, `id`,
        `positive` and `delimiter`. A `truth` of None raises an error that lists the
        columns, unless `positive` says that these are the verdicts of a judge.

    Returns
    -------
    table : InputTable

    Raises
    ------
    InputError
        If the file cannot be read or is not such a table.
    """
    source = "standard input" if args.file == "-" else args.file
    rows: Counter[tuple[str, ...]] = Counter()
    distinct_ids: set[str] = set()
    with _open(args, source) as (unit, header, read_rows):
        if not header:
            raise InputError(f"{source} is empty")
        columns = _choose_columns(header, args)
        names = [
            *columns,
            *(name for name in (args.groups, args.by) if name is not None),
        ]
        for number, cells in read_rows(
            [*names, *([] if args.id is None else [args.id])]
        ):
            row = cells[: len(names)]
            if row not in rows:
                for name, cell in zip(names, row, strict=True):
                    if not cell.strip():
                        raise InputError(
                            f"{unit} {number}: no label in column {name!r}"
                        )
                row = tuple(map(intern, row))  # share the strings of equal labels
            rows[row] += 1
            if args.id is not None:
                if not cells[-1].strip():
                    raise InputError(
                        f"{unit} {number}: no identifier in column {args.id!r}"
                    )
                distinct_ids.add(cells[-1])
    if not rows:
        raise InputError(f"{source} has a header, but no rows")
    table = InputTable(source, tuple(columns), rows, len(distinct_ids))
    if args.truth is None or args.scores:
        return table
    return _keep_classifiers(table, args)


@contextmanager
def _open(args: Namespace, source: str) -> Iterator[tuple[str, list[str], RowReader]]:
    """Open the input; yield the word for a row, the column names and a reader.

    Errors from reading become an `InputError`.
    """
    try:
        with open(
            0 if args.file == "-" else args.file, "rb", closefd=args.file != "-"
        ) as file:
            head = file.peek(LONGEST_MARK)[
                :LONGEST_MARK
            ]  # not consumed; it may be a pipe
            for mark, what in UNSUPPORTED.items():
                if head.startswith(mark):
                    raise InputError(f"{source} is {what}")
            if head.startswith(PARQUET):
                yield "row", *_read_parquet(source, file)
                return
            found = (
                name for mark, name in BYTE_ORDER_MARKS.items() if head.startswith(mark)
            )
            with TextIOWrapper(
                file, encoding=next(found, "utf-8-sig"), newline=""
            ) as text:
                yield "line", *_read_csv(text, args.delimiter)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot read {source}: {reason}") from error


def _read_csv(text: TextIO, delimiter: str) -> tuple[list[str], RowReader]:
    """Return the names of the columns, and a function that reads some of them."""
    records = _records(text, delimiter)
    _, header = next(records, (0, []))

    def rows(columns: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
        places = [header.index(name) for name in columns]
        # With a single column, itemgetter does not return a tuple.
        pick = (
            itemgetter(*places)
            if len(places) > 1
            else lambda cells: (cells[places[0]],)
        )
        for line, cells in records:
            if len(cells) != len(header):
                fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
                raise InputError(
                    f"line {line} has {fields}, but the header has {len(header)}"
                )
            yield line, pick(cells)

    return header, rows


def _records(file: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each line's number and cells; blank lines are allowed at the end only."""
    length_left = MAX_RECORD_LENGTH

    def lines() -> Iterator[str]:
        nonlocal length_left
        for number in count(1):
            line = _read_line(file, length_left + 1, number)
            if not line:
                return
            length_left -= len(line)
            if "\0" in line:
                raise InputError(
                    f"line {number}: NUL byte: this looks like a binary file, or "
                    "UTF-16 without a byte order mark; export it as UTF-8 CSV"
                )
            if length_left < 0:
                raise InputError(
                    f"line {number}: record is longer than {MAX_RECORD_LENGTH} "
                    "characters"
                )
            yield line

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    blank = 0
    try:
        for cells in reader:
            length_left = MAX_RECORD_LENGTH
            if cells and blank:
                raise InputError(f"line {blank} is empty")
            if cells:
                yield reader.line_num, cells
            else:
                blank = blank or reader.line_num
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: {error}") from error


def _read_line(file: TextIO, size: int, number: int) -> str:
    try:
        return file.readline(size)
    except UnicodeDecodeError as error:
        # The text is decoded ahead of the line.
        number += error.object[: error.start].count(b"\n")
        raise InputError(
            f"line {number} is not {error.encoding.upper()} text: {error.reason}; save "
            "the file as UTF-8"
        ) from error


def _read_parquet(source: str, file: BufferedReader) -> tuple[list[str], RowReader]:
    """Return the names of the columns, and a function that reads some of them."""
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

    def rows(columns: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
        number = 0
        for batch in table.iter_batches(columns=list(columns)):
            values = (batch.column(name).to_pylist() for name in columns)
            for cells in zip(*values, strict=True):
                number += 1
                # As in a CSV file; a missing value, None or NaN, is empty.
                yield (
                    number,
                    tuple("" if v is None or v != v else str(v) for v in cells),
                )

    return [
        name for name in table.schema_arrow.names if not UNNAMED_INDEX.fullmatch(name)
    ], rows


def _choose_columns(header: Sequence[str], args: Namespace) -> list[str]:
    """Return the name of the truth column, if any, and those of the classifiers."""
    _check_distinct(header, "column")
    truth = args.truth
    classifiers = args.scores or args.classifier
    chosen = "--scores" if args.scores else "--classifier"
    if truth is None and args.positive is None:
        raise InputError(
            f"--truth must name the column of true labels; {_list_columns(header)}"
        )
    options = {
        "--truth": truth,
        "--groups": args.groups,
        "--by": args.by,
        "--id": args.id,
    }
    others = {option: name for option, name in options.items() if name is not None}
    for option, name in others.items():
        _check_present(header, option, name)
        if option != "--truth" and name in (truth, *(classifiers or ())):
            raise InputError(
                f"{name!r} cannot be both {option} and --truth or --classifier"
            )
    if classifiers is None:
        classifiers = [name for name in header if name not in others.values()]
    besides = "" if truth is None else f" besides {truth!r}"
    if not classifiers:
        raise InputError(f"there is no column of predictions{besides}")
    if len(classifiers) > MAX_CLASSIFIERS:
        raise InputError(
            f"there are {len(classifiers)} columns{besides}, but at most "
            f"{MAX_CLASSIFIERS} can be compared; select some with --classifier"
        )
    _check_distinct(classifiers, chosen)
    for name in classifiers:
        _check_present(header, chosen, name)
    if truth in classifiers:
        raise InputError(f"{truth!r} cannot be both --truth and {chosen}")
    if "" in classifiers:
        number = header.index("") + 1
        hint = ", or write the file without its index" if number == 1 else ""
        raise InputError(
            f"column {number} has no name; select the columns with --classifier{hint}"
        )
    return [*([] if truth is None else [truth]), *classifiers]


def _check_present(header: Sequence[str], option: str, name: str) -> None:
    if name not in header:
        several = {part.strip() for part in name.split(",")} <= set(header)
        hint = f"; give {option} once for each column" if several else ""
        raise InputError(
            f"{option}: there is no column {name!r}{hint}; {_list_columns(header)}"
        )


def _check_distinct(names: Iterable[str], what: str) -> None:
    """Raise if a name occurs more than once."""
    name, occurrences = Counter(names).most_common(1)[0]
    if occurrences > 1:
        raise InputError(f"{what} {name!r} occurs {occurrences} times")


def _list_columns(header: Sequence[str]) -> str:
    """List the columns, and suggest a delimiter if a single cell contains one."""
    found = [option for char, option in DELIMITERS.items() if char in header[0]]
    hint = f"; try --delimiter {found[0]!r}" if len(header) == 1 and found else ""
    return f"the columns are {join_first(list(map(repr, header)), SHOWN_COLUMNS)}{hint}"


def _keep_classifiers(table: InputTable, args: Namespace) -> InputTable:
    """Leave out columns that are hardly predictions, unless they were chosen.

    Raises
    ------
    InputError
        If most predictions of another column are none of the classes, or if no column
        is left.
    """
    truth, *names = table.columns
    classes = {row[0] for row in table.rows}.union(args.labels or ())
    known = f"{truth!r} ({list_labels(sorted(classes))})"
    n_samples = table.rows.total()
    left_out = []
    for name in names:
        strays = table.strays(name, classes)
        labels = [label for label, _ in strays.most_common()]
        n = strays.total()
        is_spelling = 2 * len(find_twins(labels, classes)) > len(labels)
        # Predictions that are refusals or misspelled must not leave a gate unnoticed.
        is_numeric = not "".join(labels).strip("+-.e0123456789")
        is_other = n == n_samples or (is_numeric and 3 * n >= n_samples)
        place = table.columns.index(name)
        right = sum(k for row, k in table.rows.items() if row[0] == row[place])
        is_refusal = len(labels) == 1 and 3 * right > 2 * (n_samples - n)
        if is_other and not (args.classifier or is_spelling or is_refusal):
            left_out.append(name)
        elif 2 * n > n_samples:
            raise InputError(
                f"column {name!r} is not of the classes of {known}: "
                f"{describe_strays(labels, n, classes)}"
            )
    if left_out == names:
        shared = [
            name for name in names if table.strays(name, classes).total() < n_samples
        ]
        raise InputError(
            "at least a third of the values in each column are none of the classes of "
            f"{known}; columns with some of them: {list_labels(shared) or 'none'}; "
            "pass a column of patients or sites as --groups or --by, one that "
            "identifies samples as --id, or select the columns of predictions with "
            "--classifier"
        )
    # Groups and subgroups come last.
    places = {table.columns.index(name) for name in left_out}
    rows: Counter[tuple[str, ...]] = Counter()
    for row, n in table.rows.items():
        rows[tuple(cell for i, cell in enumerate(row) if i not in places)] += n
    kept = tuple(name for name in table.columns if name not in left_out)
    return replace(table, columns=kept, rows=rows, left_out=left_out)


def make_example(names: Sequence[str] | None = None) -> InputTable:
    """Predict imbalanced scikit-learn example data with three classifiers.

    Parameters
    ----------
    names : sequence of str, default=None
        Classifiers of the example to use, by default all.

    Returns
    -------
    table : InputTable

    Raises
    ------
    InputError
        If a name is unknown or repeated.
    """
    from sklearn.datasets import load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    classifiers = {
        "logistic regression": LogisticRegression(),
        "random forest": RandomForestClassifier(random_state=0),
        "naive Bayes": GaussianNB(),
    }
    chosen = tuple(classifiers) if names is None else tuple(names)
    _check_distinct(chosen, "--classifier")
    if unknown := [name for name in chosen if name not in classifiers]:
        raise InputError(
            f"--classifier: {unknown[0]!r} is not in the example, which has "
            + ", ".join(map(repr, classifiers))
        )
    X, digits = load_digits(return_X_y=True)
    y = ["eight" if digit == 8 else "another" for digit in digits]
    predictions = [
        cross_val_predict(classifiers[name], X / 16, y).tolist() for name in chosen
    ]
    description = EXAMPLE.format(majority=y.count("another") / len(y))
    rows = Counter(zip(y, *predictions, strict=True))
    source = "sklearn.datasets.load_digits"
    columns = ("digit", *chosen)
    return InputTable(source, columns, rows, description=description)
