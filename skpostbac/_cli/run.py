"""A run of the command line: what it does in which order, and how it ends."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from skpostbac._cli.arguments import make_parser
from skpostbac._cli.output import check_outputs, replaced, write_note, write_output
from skpostbac._cli.table import InputError, make_example, read_table, read_verdicts

# Exit status that shells report for a program ended by SIGINT or SIGPIPE.
INTERRUPTED = 130
BROKEN_PIPE = 141
# A lower bound is below --fail-below.
FAILED = 3

# Options that do not apply to judge verdicts.
NOT_OF_A_JUDGE = (
    *("truth", "groups", "by", "id", "labels", "rope", "selected"),
    *("fail_below", "html", "plot"),
)


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
        check_outputs(args.file, [path for path in (args.html, args.plot) if path is not None])
        if args.sensitivity or args.specificity or args.positive is not None:
            document = _run_judge(args)
        else:
            document = _run(args)
    except InputError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    if not document.get("failed"):
        return 0

    from skpostbac._cli.text import describe_failed

    write_note(f"skpostbac: {describe_failed(document)}")
    return FAILED


def _run(args: Namespace) -> dict[str, Any]:
    """Evaluate a table, write the output, and return the document."""
    if args.file is None:
        for option in ("truth", "groups", "by", "id"):
            if getattr(args, option) is not None:
                raise InputError(f"--{option} needs a FILE, or - for standard input")
    if args.groups is not None and args.by is not None:
        raise InputError("--by assumes independent samples and cannot be combined with --groups")
    table = make_example(args.classifier) if args.file is None else read_table(args)

    from skpostbac._cli.results import evaluate, make_document
    from skpostbac._cli.text import render

    with _computing():
        evaluation = evaluate(table, args)
        document = make_document(evaluation)
    files, has_all_characters = {}, True
    if args.html is not None:
        from skpostbac._cli.page import render_page

        files[args.html] = render_page(document, evaluation).encode()
    if args.plot is not None:
        from skpostbac._cli.plots import draw_picture

        file_format = Path(args.plot).suffix[1:].lower()
        files[args.plot], has_all_characters = draw_picture(evaluation, file_format)
    with replaced(files):
        write_output(_to_json(document) if args.json else render(document))
    if not has_all_characters:
        write_note(f"{args.plot!r}: the font lacks some characters in the names")
    return document


def _run_judge(args: Namespace) -> dict[str, Any]:
    """Evaluate judge verdicts, write the output, and return the document."""
    for option in ("sensitivity", "specificity", "positive", "file"):
        if getattr(args, option) is None:
            name = "a FILE" if option == "file" else f"--{option}"
            raise InputError(f"judge verdicts also need {name}")
    defaults = make_parser()
    for option in NOT_OF_A_JUDGE:
        if getattr(args, option) != defaults.get_default(option):
            name = option.replace("_", "-")
            raise InputError(f"--{name} cannot be combined with judge verdicts")
    table = read_verdicts(args)

    from skpostbac._cli.results import make_judge_document
    from skpostbac._cli.text import render

    with _computing():
        document = make_judge_document(table, args)
    write_output(_to_json(document) if args.json else render(document))
    return document


@contextmanager
def _computing() -> Iterator[None]:
    """Turn errors of the computation, as for a huge prior, into an `InputError`."""
    try:
        yield
    except (ArithmeticError, ValueError) as error:
        raise InputError(f"the posteriors cannot be computed: {error}") from error


def _to_json(document: dict[str, Any]) -> str:
    # ASCII is safe for every terminal and pipe.
    return json.dumps(document, indent=2, allow_nan=False) + "\n"
