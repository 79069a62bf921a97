"""The main function of the command line."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skpostbac._cli._formats import InputError
from skpostbac._cli._output import check_outputs, replaced, write_note, write_output
from skpostbac._cli._parser import make_parser
from skpostbac._cli._table import Extras, Table, read_columns, read_table

# Exit status that shells report for a program ended by SIGINT or SIGPIPE.
INTERRUPTED = 130
BROKEN_PIPE = 141
# A lower bound is below --fail-below.
FAILED = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, default=None
        The arguments, by default ``sys.argv[1:]``.

    Returns
    -------
    status : int
        0, or 3 if a lower bound is below ``--fail-below``, or 130 after Ctrl-C, or 141 if the
        reader of a pipe has closed it.

    Raises
    ------
    SystemExit
        With status 2 after an error, which prints one line to standard error; with status 0
        after ``--help`` and ``--version``.
    """
    parser = make_parser()
    try:
        args = parser.parse_args(argv)
        document = _run(args)
    except InputError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    return _tell_failed(document)


def _tell_failed(document: dict[str, Any]) -> int:
    """Return the exit status, and print one line if it is not 0."""
    if not document.get("failed"):
        return 0

    from skpostbac._cli._sections import describe_failed

    write_note(f"skpostbac: {describe_failed(document)}")
    return FAILED


def _run(args: Namespace) -> dict[str, Any]:
    """Write the output, and return the document."""
    check_outputs(args.file, [path for path in (args.html, args.plot) if path is not None])
    if args.sensitivity or args.specificity or args.positive is not None:
        return _run_judge(args)
    table = _get_table(args)

    from skpostbac._cli._document import make_document
    from skpostbac._cli._evaluation import Settings, evaluate
    from skpostbac._cli._text import render

    settings = Settings(
        args.prior, args.level, args.rope, args.labels, args.fail_below, args.selected
    )
    try:
        evaluation = evaluate(table, settings)
        document = make_document(evaluation)
    except (ArithmeticError, ValueError) as error:  # a prior beyond the range of floats
        raise InputError(f"the posteriors cannot be computed: {error}") from error
    files, has_all = {}, True
    if args.html is not None:
        from skpostbac._cli._page import render_page

        files[args.html] = render_page(document, evaluation).encode()
    if args.plot is not None:
        from skpostbac._cli._figures import draw_picture

        files[args.plot], has_all = draw_picture(evaluation, Path(args.plot).suffix[1:].lower())
    with replaced(files):
        write_output(_to_json(document) if args.json else render(document))
    if not has_all:
        write_note(f"{args.plot!r}: the font lacks some characters in the names")
    return document


def _get_table(args: Namespace) -> Table:
    if args.file is not None:
        if args.groups is not None and args.by is not None:
            raise InputError(
                "--by assumes independent samples and cannot be combined with --groups"
            )
        extras = Extras(args.groups, args.by, args.id)
        return read_table(
            args.file, args.truth, args.classifier, extras=extras, delimiter=args.delimiter
        )
    for option in ("truth", "groups", "by", "id"):
        if getattr(args, option) is not None:
            raise InputError(f"--{option} needs a FILE, or - for standard input")

    from skpostbac._cli._example import make_example

    return make_example(args.classifier)


# Options that do not apply to judge verdicts, with their defaults.
_NOT_OF_A_JUDGE = {
    "truth": None,
    "groups": None,
    "by": None,
    "id": None,
    "labels": None,
    "rope": 0.0,
    "selected": False,
    "fail_below": None,
    "html": None,
    "plot": None,
}


def _run_judge(args: Namespace) -> dict[str, Any]:
    """Evaluate judge verdicts, write the output, and return the document."""
    for option in ("sensitivity", "specificity", "positive", "file"):
        if getattr(args, option) is None:
            name = "a FILE" if option == "file" else "--" + option.replace("_", "-")
            raise InputError(f"judge verdicts also need {name}")
    for option, default in _NOT_OF_A_JUDGE.items():
        if getattr(args, option) != default:
            name = option.replace("_", "-")
            raise InputError(f"--{name} cannot be combined with judge verdicts")
    columns = read_columns(args.file, args.classifier, delimiter=args.delimiter)

    from skpostbac._cli._judge import Judge, judge_document, render_judged

    judge = Judge(args.sensitivity, args.specificity, args.positive)
    try:
        document = judge_document(columns, judge, args.prior, args.level)
    except (ArithmeticError, ValueError) as error:
        raise InputError(f"the posteriors cannot be computed: {error}") from error
    write_output(_to_json(document) if args.json else render_judged(document))
    return document


def _to_json(document: dict[str, Any]) -> str:
    # ASCII is safe for every terminal and pipe.
    return json.dumps(document, indent=2, allow_nan=False) + "\n"
