"""Tables of labels, verdicts or scores: which column is what.

A table is kept as its distinct rows with the number of times that each occurs, so that
memory does not grow with repeated rows.
"""

from __future__ import annotations

import math
from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from sys import intern
from typing import Any, TypeAlias

import numpy as np

from skpostbac._cli.arguments import LABELS, OUTCOMES, REPORT, SCORES
from skpostbac._cli.joining import join_files
from skpostbac._cli.reading import (
    InputError,
    Rows,
    list_columns,
    name_of,
    read_rows,
)
from skpostbac._utils import find_twins, list_labels

MAX_CLASSIFIERS = 1000
# What counts may add up to.
MOST_SAMPLES = 10**12
# How a system did on an item: words in lower case, and what they say.
RIGHT = "right"
OUTCOMES_OF = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "right", "correct"), RIGHT),
    **dict.fromkeys(("0", "0.0", "false", "no", "wrong", "incorrect"), "wrong"),
}
# How many empty cells columns have, and where the first is.
Gaps: TypeAlias = dict[str, tuple[int, str]]
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
    left_out: Sequence[str] = ()
    """Columns that are hardly predictions or outcomes, or not in every file."""
    why_left_out: str = ""

    def column(self, name: str | None) -> Any:
        """Return the cells of a column in the distinct rows, or None without a name."""
        if name is None:
            return None
        place = self.columns.index(name)
        # As objects: in an array of strings each cell would be as wide as the widest.
        return np.array([row[place] for row in self.rows], dtype=object)

    @cached_property
    def counts(self) -> list[int]:
        """How often each of the distinct rows occurs."""
        return list(self.rows.values())

    @property
    def n_rows(self) -> int:
        """Number of all rows."""
        return self.rows.total()

    @property
    def name_column(self) -> str | None:
        """Left-out column that seems to name the classifiers of a long table, if any.

        Each combination of the other columns occurs once with each of its values.
        """
        used = {self.truth, *self.predictions}
        samples = {name: self.column(name) for name in self.columns if name not in used}
        n_rows = len(set(zip(*samples.values(), strict=True)))
        for name in self.left_out:
            words = set(samples[name])
            if not 1 < len(words) < math.sqrt(n_rows) or are_numbers(words):
                continue
            rest = [cells for other, cells in samples.items() if other != name]
            if len(words) * len(set(zip(*rest, strict=True))) == n_rows:
                return name
        return None

    def strays(self, name: str, classes: Collection[str]) -> Counter[str]:
        """Count the predictions for samples of the classes that are no class at all."""
        truth = self.column(self.truth)
        known = {*classes, *(OUTCOMES_OF.values() if truth is None else truth)}
        strays: Counter[str] = Counter()
        for i, cell in enumerate(self.column(name)):
            is_judged = truth is None or truth[i] in classes
            if is_judged and cell not in known and cell.strip():
                strays[cell] += self.counts[i]
        return strays


def are_numbers(cells: Iterable[str]) -> bool:
    """Return whether cells have the characters of numbers alone."""
    return not "".join(cells).strip("+-.e0123456789")


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
    source = ", ".join(map(name_of, args.file))
    lines = (
        join_files(args)
        if len(args.file) > 1
        else read_rows(args.file[0], args.delimiter)
    )
    _, header = next(lines, ("header", ()))
    if not header:
        raise InputError(f"{source} is empty")
    predictions = choose_columns(header, args)
    kept = [*predictions, *filter(None, (args.truth, args.groups, args.by))]
    names = [*kept, *filter(None, (args.id, args.weight))]
    places = list(map(header.index, names))
    chosen = ((place, [line[i] for i in places]) for place, line in lines)
    rows, ids, gaps = _count_rows(chosen, names, len(kept), args)
    if not rows:
        counted = "" if args.weight is None else " with a positive --weight"
        raise InputError(f"{source} has a header, but no rows{counted}")
    table = InputTable(source, tuple(kept), rows, args.truth, predictions, len(ids))
    _check_gaps(table, gaps, set(names).difference(predictions))
    if args.correct:
        table = _read_outcomes(table)
    if args.question in (LABELS, REPORT, OUTCOMES):
        table = _keep_predictions(table, args, gaps)
    _check_gaps(table, gaps, table.predictions)
    return table


def _check_gaps(table: InputTable, gaps: Gaps, names: Iterable[str]) -> None:
    """Raise if one of the columns has empty cells."""
    for name in names:
        if name in gaps:
            number, first = gaps[name]
            raise InputError(
                f"column {name!r} is empty in {number} of {table.n_rows} rows, first "
                f"in {first}"
            )


def _count_rows(
    lines: Rows, names: Sequence[str], n_kept: int, args: Namespace
) -> tuple[Counter[tuple[str, ...]], set[str], Gaps]:
    """Return how often rows of the first columns occur, identifiers and empty cells."""
    rows: Counter[tuple[str, ...]] = Counter()
    ids = set()
    gaps: Gaps = {}
    for place, cells in lines:
        n = 1 if args.weight is None else _read_count(cells[-1], args.weight, place)
        if not n:
            continue
        if not all(map(str.strip, cells)):
            for name, cell in dict(zip(names, cells, strict=True)).items():
                if not cell.strip():
                    number, first = gaps.get(name, (0, place))
                    gaps[name] = number + n, first
        row = tuple(cells[:n_kept])
        if row not in rows:
            row = tuple(map(intern, row))  # share the strings of equal labels
        rows[row] += n
        if args.id is not None:
            ids.add(cells[n_kept])
    return rows, ids, gaps


def _read_outcomes(table: InputTable) -> InputTable:
    """Replace the words for right and wrong answers by these."""
    n_systems = len(table.predictions)
    rows: Counter[tuple[str, ...]] = Counter()
    for row, n in table.rows.items():
        words = [OUTCOMES_OF.get(cell.strip().lower(), cell) for cell in row]
        rows[*words[:n_systems], *row[n_systems:]] += n
    return replace(table, rows=rows)


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
            f"--truth must name the column of true labels; {list_columns(header)}"
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
                f"{option}: there is no column {name!r}{hint}; {list_columns(header)}"
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


def _keep_predictions(table: InputTable, args: Namespace, gaps: Gaps) -> InputTable:
    """Leave out columns that are hardly predictions, unless an option names them.

    These have no value that is a class, or at least a third of other values, which are
    numbers. If every file has a column of predictions of the same name, the columns
    that not all of them have are left out, too, such as a truth with a misspelled name.

    Raises
    ------
    InputError
        If most predictions of another column, or any outcome, are none of the classes,
        or if no column is left.
    """
    classes = {*OUTCOMES_OF.values()}
    known = "right (1) or wrong (0)"
    if table.truth is not None:
        classes = {*table.column(table.truth), *(args.labels or ())}
        known = f"of the classes of {table.truth!r} ({list_labels(sorted(classes))})"
    left_out = []
    named = args.classifier or (args.baseline,)
    for name in table.predictions:
        strays = table.strays(name, classes)
        labels = [label for label, _ in strays.most_common()]
        n_strays = strays.total()
        n_filled = table.n_rows - gaps.get(name, (0, ""))[0]
        # Misspelled predictions must not leave a gate unnoticed.
        twins = find_twins(labels, classes)
        is_spelling = 2 * len(twins) > len(labels)
        is_other = n_strays == n_filled or (
            are_numbers(labels) and 3 * n_strays >= n_filled
        )
        if is_other and not (name in named or is_spelling):
            left_out.append(name)
        elif n_strays > (0 if args.correct else n_filled / 2):
            problem = (
                f"column {name!r} is not {known}: {n_strays} of {n_filled} values are "
                f"{list_labels(labels)}"
            )
            advice = "select the columns of predictions with --classifier"
            raise InputError("; ".join([problem, *list(twins.values())[:1], advice]))
    kept = [name for name in table.predictions if name not in left_out]
    if not kept:
        raise InputError(
            f"no column is {known}; pass a column of patients or sites as --groups "
            "or --by, one that identifies samples as --id, or select the columns of "
            f"predictions with --classifier; {list_columns(table.predictions)}"
        )
    why = f"hardly {'outcomes' if args.correct else 'predictions'}"
    if not args.in_all.isdisjoint(kept):
        why = f"not in every file, or {why}"
        kept = [name for name in kept if name in args.in_all or name in named]
        left_out = [name for name in table.predictions if name not in kept]
    return replace(table, predictions=kept, left_out=left_out, why_left_out=why)
