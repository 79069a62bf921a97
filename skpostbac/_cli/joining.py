"""Several files as one table, joined by the column of ``--id``."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain

from skpostbac._cli.reading import InputError, RowReader, Rows, open_table

# Options of columns that may be in several files, if they are the same there.
SHARED = ("truth", "groups", "by", "weight", "id")


@dataclass(frozen=True)
class _File:
    """The rows of a file by their identifiers."""

    path: str
    header: Sequence[str]
    rows: Mapping[str, tuple[str, ...]]
    doubled: Sequence[str]

    def column(self, name: str) -> dict[str, str]:
        """Return the cells of a column by identifier."""
        place = self.header.index(name)
        return {key: cells[place] for key, cells in self.rows.items()}


@contextmanager
def join_tables(args: Namespace) -> Iterator[tuple[str, list[str], RowReader]]:
    """Join several files; yield what `open_table` yields of one.

    A column that several files have is called ``NAME (FILE)``, unless an option says
    that it describes the samples; ``--classifier NAME`` and ``--scores NAME`` stand for
    all of these.

    Raises
    ------
    InputError
        If a file cannot be read, if the files do not have the same identifiers, each
        once, or if a column that describes the samples differs between them.
    """
    if args.id is None:
        raise InputError("several files need --id, the column that identifies a sample")
    if len(set(args.file)) < len(args.file):
        raise InputError("a file is given twice")
    files = [_read_file(path, args) for path in args.file]
    _check_ids(files, args.id)
    shared = {getattr(args, option): option for option in SHARED}
    occurrences = Counter(name for file in files for name in file.header)
    columns: dict[str, dict[str, str]] = {}
    full_names: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        for name in file.header:
            column = file.column(name)
            if name in shared:
                _check_equal(shared[name], columns.setdefault(name, column), column)
            elif occurrences[name] > 1:
                full_name = f"{name} ({file.path})"
                full_names[name].append(full_name)
                columns[full_name] = column
            else:
                columns[name] = column
    for option in ("classifier", "scores"):
        chosen = [full_names.get(name, [name]) for name in getattr(args, option) or ()]
        setattr(args, option, list(chain.from_iterable(chosen)) or None)

    def rows(names: Sequence[str]) -> Rows:
        for key in files[0].rows:
            yield key, tuple(columns[name][key] for name in names)

    yield args.id, list(columns), rows


def _read_file(path: str, args: Namespace) -> _File:
    source = "standard input" if path == "-" else path
    with open_table(path, source, args.delimiter) as (_, header, read_rows):
        if args.id not in header:
            raise InputError(f"--id: there is no column {args.id!r} in {source}")
        place = header.index(args.id)
        found = [(cells[place], cells) for _, cells in read_rows(header)]
    occurrences = Counter(key for key, _ in found)
    doubled = [key for key, n in occurrences.items() if n > 1]
    return _File(source, header, dict(found), doubled)


def _check_ids(files: Sequence[_File], name: str) -> None:
    """Raise unless all files have the same identifiers, each once."""
    keys = [set(file.rows) for file in files]
    everywhere = set.intersection(*keys)
    unmatched = [
        key
        for key in dict.fromkeys(k for file in files for k in file.rows)
        if key not in everywhere
    ]
    doubled = list(dict.fromkeys(key for file in files for key in file.doubled))
    if unmatched or doubled:
        raise InputError(
            f"--id: column {name!r} must have the same values in all files, each once; "
            f"not in all files: {_count(unmatched)}; more than once in a file: "
            f"{_count(doubled)}"
        )


def _count(keys: Sequence[str]) -> str:
    return f"{len(keys)}, such as {keys[0]!r}" if keys else "none"


def _check_equal(
    option: str, first: Mapping[str, str], second: Mapping[str, str]
) -> None:
    different = [key for key in first if first[key] != second[key]]
    if different:
        raise InputError(
            f"--{option}: the files disagree on {len(different)} of {len(first)} "
            f"samples, such as {different[0]!r}"
        )
