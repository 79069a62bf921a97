"""A run of the command line: what it does in which order, and how it ends."""

from __future__ import annotations

import json
import warnings
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skpostbac._cli.arguments import check_combination, make_parser
from skpostbac._cli.output import check_outputs, write_files, write_note, write_output
from skpostbac._cli.table import InputError, make_example, read_table

# Exit status that shells report for a program ended by SIGINT or SIGPIPE.
INTERRUPTED = 130
BROKEN_PIPE = 141
# A lower bound is below --fail-below, or a loss above --max-loss is too likely.
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
        0, or 3 if a lower bound is below ``--fail-below`` or a classifier may lose more
        than ``--max-loss`` against the baseline, or 130 after Ctrl-C, or 141 if the
        reader of a pipe has closed it.

    Raises
    ------
    SystemExit
        With status 2 after an error, which prints one line to standard error; with
        status 0 after ``--help`` and ``--version``.
    """
    parser = make_parser()
    try:
        args = parser.parse_args(argv)
        check_outputs(
            args.file, [path for path in (args.html, args.plot) if path is not None]
        )
        check_combination(parser, args)
        document = _run(args)
    except InputError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    gate = document.get("gate")
    if not document.get("failed") and (gate is None or gate["passed"]):
        return 0

    from skpostbac._cli.text import describe_failures

    for line in describe_failures(document):
        write_note(f"skpostbac: {line}", red=True)
    return FAILED


def _run(args: Namespace) -> dict[str, Any]:
    """Evaluate a table, write the output, and return the document."""
    table = make_example(args.classifier) if args.file is None else read_table(args)

    from skpostbac._cli.results import (
        evaluate,
        make_document,
        make_judge_document,
        make_scores_document,
    )
    from skpostbac._cli.text import render

    evaluation = None
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            if args.scores:
                document = make_scores_document(table, args)
            elif args.positive is not None:
                document = make_judge_document(table, args)
            else:
                evaluation = evaluate(table, args)
                document = make_document(evaluation)
    except (ArithmeticError, ValueError) as error:  # as for a huge prior
        raise InputError(f"the posteriors cannot be computed: {error}") from error
    for message in dict.fromkeys(str(one.message) for one in caught):
        write_note(f"skpostbac: {message}")
    files = {}
    has_all_characters = True
    if evaluation and args.html is not None:
        from skpostbac._cli.page import render_page

        files[args.html] = render_page(document, evaluation).encode()
    if evaluation and args.plot is not None:
        from skpostbac._cli.plots import draw_picture

        file_format = Path(args.plot).suffix[1:].lower()
        files[args.plot], has_all_characters = draw_picture(evaluation, file_format)
    # ASCII is safe for every terminal and pipe.
    if args.json:
        text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    else:
        text = render(document, args.all_pairs)
    write_files(files)
    write_output(text)
    if not has_all_characters:
        write_note(f"{args.plot!r}: the font lacks some characters in the names")
    return document
