"""Tables of labels, verdicts or scores: which column is what.

A table is kept as its distinct rows with the number of times that each occurs, so that
memory does not grow with repeated rows.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from sys import intern
from typing import Any

import numpy as np

from skpostbac._cli.arguments import LABELS, OUTCOMES, REPORT, SCORES
from skpostbac._cli.joining import join_tables
from skpostbac._cli.reading import InputError, open_table
from skpostbac._utils import (
    describe_strays,
    find_twins,
    join_first,
    list_labels,
)

# Column names listed in an error message.
SHOWN_COLUMNS = 12
# Common delimiters, and their values for --delimiter.
DELIMITERS = {",": ",", ";": ";", "\t": "tab", "|": "|"}
MAX_CLASSIFIERS = 1000
# What counts may add up to.
MOST_SAMPLES = 10**12
# How a system did on an item, in lower case.
RIGHT = ("1", "1.0", "true", "yes", "right", "correct")
WRONG = ("0", "0.0", "false", "no", "wrong", "incorrect")
# Options of columns that describe the samples; one column may be several of these.
OF_SAMPLES = ("groups", "by", "id")


@dataclass(frozen=True)
class InputTable:
    """Distinct rows of a table, with the number of times each occurs."""

    source: str
    """File name or other source of the rows."""
    columns: tuple[str, ...]
    """Names of the columns of the rows."""
    rows: Counter[tuple[str, ...]]
    """How often each row occurs."""
    truth: str | None
    """Column of the true labels, if there is one."""
    predictions: Sequence[str]
    """Columns of predictions, outcomes, scores or verdicts."""
    n_ids: int = 0
    """Number of different identifiers."""
    description: str | None = None
    """Description of the data, for the built-in example only."""
    left_out: Sequence[str] = ()
    """Columns that are hardly predictions or outcomes."""

    def column(self, name: str | None) -> Any:
        """Return the cells of a column in the distinct rows, or None without a name."""
        if name is None:
            return None
        place = self.columns.index(name)
        # As objects: in an array of strings each cell would be as wide as the widest.
        return np.array([row[place] for row in self.rows], dtype=object)

    @property
    def counts(self) -> list[int]:
        """How often each of the distinct rows occurs."""
        return list(self.rows.values())

    @property
    def n_rows(self) -> int:
        """Number of all rows."""
        return self.rows.total()

    def strays(self, name: str, classes: Collection[str]) -> Counter[str]:
        """Count the predictions for samples of the classes that are no class at all."""
        strays: Counter[str] = Counter()
        truth = self.column(self.truth)
        if truth is None:
            return strays
        known = {*classes, *truth}
        for true, cell, n in zip(truth, self.column(name), self.counts, strict=True):
            if true in classes and cell not in known and cell.strip():
                strays[cell] += n
        return strays


def default_positive(classes: set[str]) -> str | None:
    """Return 1 if that is one of two classes beside 0 or -1."""
    return "1" if classes in ({"0", "1"}, {"-1", "1"}) else None


def read_table(args: Namespace) -> InputTable:
    """Read the columns of a file that the arguments ask for.

    Raises
    ------
    InputError
        If the file cannot be read or is not such a table.
    """
    source = ", ".join("standard input" if path == "-" else path for path in args.file)
    rows: Counter[tuple[str, ...]] = Counter()
    ids: set[str] = set()
    gaps = Gaps()
    opened = (
        join_tables(args)
        if len(args.file) > 1
        else open_table(args.file[0], source, args.delimiter)
    )
    with opened as (unit, header, read_rows):
        if not header:
            raise InputError(f"{source} is empty")
        predictions = choose_columns(header, args)
        others = (args.truth, args.groups, args.by)
        names = [*predictions, *(name for name in others if name is not None)]
        more = (args.id, args.weight)
        wanted = [*names, *(name for name in more if name is not None)]
        for number, cells in read_rows(wanted):
            place = f"{unit} {number}"
            n = 1 if args.weight is None else _read_count(cells[-1], args.weight, place)
            if not n:
                continue
            if not all(map(str.strip, cells)):
                pairs = zip(wanted, cells, strict=True)
                gaps.add({name for name, cell in pairs if not cell.strip()}, n, place)
            row = cells[: len(names)]
            if row not in rows:
                row = tuple(map(intern, row))  # share the strings of equal labels
            rows[row] += n
            if args.id is not None:
                ids.add(cells[len(names)])
    if not rows:
        counted = "" if args.weight is None else " with a positive --weight"
        raise InputError(f"{source} has a header, but no rows{counted}")
    table = InputTable(source, tuple(names), rows, args.truth, predictions, len(ids))
    gaps.check_none(set(wanted).difference(predictions), table.n_rows)
    if args.question in (LABELS, REPORT):
        table = _keep_classifiers(table, args, gaps)
    if args.question == OUTCOMES:
        table = _keep_systems(table, args, gaps)
    gaps.check_none(table.predictions, table.n_rows)
    return table


@dataclass(frozen=True)
class Gaps:
    """Empty cells of columns."""

    number: Counter[str] = field(default_factory=Counter)
    """How many each column has."""
    first: dict[str, str] = field(default_factory=dict)
    """Where the first one is."""

    def add(self, names: Iterable[str], n: int, place: str) -> None:
        """Add a row that occurs n times, whose cells in these columns are empty."""
        for name in names:
            self.number[name] += n
            self.first.setdefault(name, place)

    def check_none(self, names: Iterable[str], n_rows: int) -> None:
        """Raise if one of the columns has empty cells."""
        for name in names:
            if name in self.first:
                raise InputError(
                    f"column {name!r} is empty in {self.number[name]} of {n_rows} "
                    f"rows, first in {self.first[name]}"
                )


def _read_count(cell: str, column: str, place: str) -> int:
    """Return a whole count of a column."""
    try:
        count = float(cell)
    except ValueError:
        count = -1.0
    if not (0 <= count <= MOST_SAMPLES and count.is_integer()):
        raise InputError(
            f"--weight: column {column!r} must have whole counts, got {cell!r} in "
            f"{place}"
        )
    return int(count)


def choose_columns(header: Sequence[str], args: Namespace) -> Sequence[str]:
    """Return the names of the columns of predictions, scores or verdicts."""
    name, occurrences = Counter(header).most_common(1)[0]
    if occurrences > 1:
        raise InputError(f"column {name!r} occurs {occurrences} times")
    if args.truth is None and args.question in (LABELS, SCORES):
        raise InputError(
            f"--truth must name the column of true labels; {_list_columns(header)}"
        )
    chosen: Sequence[str] = args.scores or args.classifier or ()
    options = ("truth", "weight", *OF_SAMPLES)
    uses = [(f"--{name}", getattr(args, name)) for name in options]
    uses += [("--scores" if args.scores else "--classifier", name) for name in chosen]
    uses = [(option, name) for option, name in uses if name is not None]
    for option, name in uses:
        if name not in header:
            several = {part.strip() for part in name.split(",")} <= set(header)
            hint = f"; give {option} once for each column" if several else ""
            raise InputError(
                f"{option}: there is no column {name!r}{hint}; {_list_columns(header)}"
            )
    for (option, name), (other, same) in combinations(uses, 2):
        if name == same and not {option[2:], other[2:]} <= {*OF_SAMPLES}:
            raise InputError(
                f"column {name!r} cannot be used by {option} and again by {other}"
            )
    names = chosen or [name for name in header if name not in dict(uses).values()]
    besides = "" if args.truth is None else f" besides {args.truth!r}"
    if not names:
        raise InputError(f"there is no column of predictions{besides}")
    if len(names) > MAX_CLASSIFIERS:
        raise InputError(
            f"there are {len(names)} columns{besides}, but at most {MAX_CLASSIFIERS} "
            "can be compared; select some with --classifier"
        )
    return names


def _list_columns(header: Sequence[str]) -> str:
    """List the columns, and suggest a delimiter if a single cell contains one."""
    found = [option for char, option in DELIMITERS.items() if char in header[0]]
    hint = f"; try --delimiter {found[0]!r}" if len(header) == 1 and found else ""
    return f"the columns are {join_first(list(map(repr, header)), SHOWN_COLUMNS)}{hint}"


def _keep_systems(table: InputTable, args: Namespace, gaps: Gaps) -> InputTable:
    """Leave out columns that are not right or wrong, unless an option names them.

    Raises
    ------
    InputError
        If less than half of another column is neither, or if no column is left.
    """
    known = {"", *RIGHT, *WRONG}
    left_out = []
    for name in table.predictions:
        odd: Counter[str] = Counter()
        for cell, n in zip(table.column(name), table.counts, strict=True):
            if cell.strip().lower() not in known:
                odd[cell] += n
        is_named = args.classifier is not None or name == args.baseline
        if not is_named and 2 * odd.total() >= table.n_rows - gaps.number[name]:
            left_out.append(name)
        elif odd:
            values = list_labels([value for value, _ in odd.most_common()])
            raise InputError(
                f"column {name!r} is neither right nor wrong in {odd.total()} of "
                f"{table.n_rows} rows: {values}"
            )
    kept = [name for name in table.predictions if name not in left_out]
    if not kept:
        raise InputError(
            f"--correct: no column is right ({', '.join(RIGHT)}) or wrong "
            f"({', '.join(WRONG)}) in most rows; {_list_columns(table.predictions)}"
        )
    return replace(table, predictions=kept, left_out=left_out)


def _keep_classifiers(table: InputTable, args: Namespace, gaps: Gaps) -> InputTable:
    """Leave out columns that are hardly predictions, unless an option names them.

    Raises
    ------
    InputError
        If most predictions of another column are none of the classes, or if no column
        is left.
    """
    truth = table.column(table.truth)
    classes = {*truth, *(args.labels or ())}
    known = f"{table.truth!r} ({list_labels(sorted(classes))})"
    left_out = []
    shared = []
    for name in table.predictions:
        strays = table.strays(name, classes)
        labels = [label for label, _ in strays.most_common()]
        n_strays = strays.total()
        n_filled = table.n_rows - gaps.number[name]
        if n_strays < n_filled:
            shared.append(name)
        # Predictions that are refusals or misspelled must not leave a gate unnoticed.
        is_spelling = 2 * len(find_twins(labels, classes)) > len(labels)
        n_right = sum(np.array(table.counts)[table.column(name) == truth])
        is_refusal = len(labels) == 1 and 3 * n_right > 2 * (n_filled - n_strays)
        is_numeric = not "".join(labels).strip("+-.e0123456789")
        is_other = n_strays == n_filled or (
            (is_numeric or name in gaps.first) and 3 * n_strays >= n_filled
        )
        is_named = args.classifier is not None or name == args.baseline
        if is_other and not (is_named or is_spelling or is_refusal):
            left_out.append(name)
        elif 2 * n_strays > n_filled:
            raise InputError(
                f"column {name!r} is not of the classes of {known}: "
                f"{describe_strays(labels, n_strays, classes)}"
            )
    kept = [name for name in table.predictions if name not in left_out]
    if not kept:
        raise InputError(
            "at least a third of the values in each column are none of the classes of "
            f"{known}; columns with some of them: {list_labels(shared) or 'none'}; "
            "pass a column of patients or sites as --groups or --by, one that "
            "identifies samples as --id, or select the columns of predictions with "
            "--classifier"
        )
    return replace(table, predictions=kept, left_out=left_out)
