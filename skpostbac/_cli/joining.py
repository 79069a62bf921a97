"""Several files as one table, joined by the column of ``--id``."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from skpostbac._cli.reading import (
    InputError,
    Rows,
    list_columns,
    name_of,
    read_rows,
)

# Options of columns that may be in several files, if they are the same there.
SHARED = ("truth", "groups", "by", "weight", "id")


def join_files(args: Namespace) -> Rows:
    """Join several files; yield what `read_rows` yields of one.

    A column that several files have is called ``NAME (FILE)``, unless an option says
    that it describes the samples; ``--classifier NAME`` and ``--scores NAME`` stand for
    all of these. If all files have it, ``args.in_all`` contains it.

    Raises
    ------
    InputError
        If a file cannot be read, if the files do not have the same identifiers, each
        once, or if a column that describes the samples differs between them.
    """
    if args.id is None:
        raise InputError("several files need --id, the column that identifies a sample")
    files = {name_of(path): _read_columns(path, args) for path in args.file}
    if len(files) < len(args.file):
        raise InputError("a file is given twice")
    keys = _common_keys({name: one[args.id] for name, one in files.items()}, args.id)
    shared = {getattr(args, option): option for option in SHARED}
    occurrences = Counter(name for file in files.values() for name in file)
    columns: dict[str, Mapping[str, str]] = {}
    full_names = defaultdict(list)
    for source, file in files.items():
        for name, column in file.items():
            full_name = name
            if name in shared:
                _check_equal(shared[name], columns.get(name, column), column)
            elif occurrences[name] > 1:
                full_name = f"{name} ({source})"
            full_names[name].append(full_name)
            columns[full_name] = column
    _set_names(args, full_names)

    yield "header", list(columns)
    for key in keys:
        yield f"{args.id} {key}", [column[key] for column in columns.values()]


def _set_names(args: Namespace, full_names: Mapping[str, Sequence[str]]) -> None:
    """Name columns in the arguments as in the joined table."""
    for option in ("classifier", "scores"):
        if chosen := getattr(args, option):
            names = [full for name in chosen for full in full_names.get(name, [name])]
            setattr(args, option, names)
    in_all = [names for names in full_names.values() if len(names) == len(args.file)]
    args.in_all = args.in_all.union(*in_all)


def _read_columns(path: str, args: Namespace) -> dict[str, dict[str, str]]:
    """Return the cells of each column by identifier."""
    rows = read_rows(path, args.delimiter)
    _, header = next(rows, ("header", ()))
    source = name_of(path)
    if not header:
        raise InputError(f"{source} is empty")
    if args.id not in header:
        raise InputError(
            f"--id: there is no column {args.id!r} in {source}; {list_columns(header)}"
        )
    place = header.index(args.id)
    columns: dict[str, dict[str, str]] = {name: {} for name in header}
    for where, cells in rows:
        key = cells[place]
        if not key.strip():
            raise InputError(f"column {args.id!r} of {source} is empty in {where}")
        if key in columns[args.id]:
            raise InputError(
                f"--id: {key!r} occurs more than once in column {args.id!r} of "
                f"{source}, again in {where}"
            )
        for name, cell in zip(header, cells, strict=True):
            columns[name][key] = cell
    if not columns[args.id]:
        raise InputError(f"{source} has a header, but no rows")
    return columns


def _common_keys(files: Mapping[str, Mapping[str, str]], name: str) -> list[str]:
    """Return the identifiers, which all files must have."""
    keys = list(dict.fromkeys(key for file in files.values() for key in file))
    gaps = []
    for source, file in files.items():
        if lacking := [key for key in keys if key not in file]:
            gaps.append(f"{source} lacks {len(lacking)}, such as {lacking[0]!r}")
    if gaps:
        raise InputError(
            f"--id: column {name!r} must have the same values in all files; "
            f"{'; '.join(gaps)}"
        )
    return keys


def _check_equal(
    option: str, first: Mapping[str, str], second: Mapping[str, str]
) -> None:
    different = [key for key in first if first[key] != second[key]]
    if different:
        raise InputError(
            f"--{option}: the files disagree on {len(different)} of {len(first)} "
            f"samples, such as {different[0]!r}"
        )
