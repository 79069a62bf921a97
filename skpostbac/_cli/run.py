"""A run of the command line: what it does in which order, and how it ends."""

from __future__ import annotations

import json
import warnings
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

from skpostbac._cli.arguments import (
    LABELS,
    OUTCOMES,
    REPORT,
    SCORES,
    VERDICTS,
    make_parser,
    read_question,
)
from skpostbac._cli.output import write_files, write_note, write_output
from skpostbac._cli.reading import InputError
from skpostbac._cli.table import read_table

# Exit status that shells report for a program ended by SIGINT or SIGPIPE.
INTERRUPTED = 130
BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, default=None
        The arguments, by default ``sys.argv[1:]``.

    Returns
    -------
    status : int
        0, or 3 if a classifier fails a gate, or 4 if none does but one is undecided, or
        130 after Ctrl-C, or 141 if the reader of a pipe has closed it.

    Raises
    ------
    SystemExit
        With status 2 after an error, which prints one line to standard error; with
        status 0 after ``--help`` and ``--version``.
    """
    parser = make_parser()
    try:
        args = parser.parse_intermixed_args(argv)
        for path in {args.html, args.plot}.intersection(args.file):
            raise InputError(f"cannot write {path!r}: it is the input")
        args.question = read_question(parser, args)
        verdicts = _run(args)
    except InputError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    for line, status in verdicts.items():
        if status:
            write_note(line, red=line.startswith("failed"))
    return min(filter(None, verdicts.values()), default=0)


def _run(args: Namespace) -> Mapping[str, int]:
    """Answer the question, write the output, and return lines with the status."""
    from skpostbac._cli.answer import as_options
    from skpostbac._cli.example import COMMAND, EXAMPLE, HINT, choose_example
    from skpostbac._cli.labels import answer_labels
    from skpostbac._cli.page import render_page
    from skpostbac._cli.report import answer_report
    from skpostbac._cli.scores import answer_scores
    from skpostbac._cli.text import fill, render_text
    from skpostbac._cli.verdicts import answer_verdicts

    is_example = not args.file
    if is_example:
        choose_example(args)
    table = read_table(args)
    answers = {
        LABELS: answer_labels,
        OUTCOMES: answer_labels,
        REPORT: answer_report,
        SCORES: answer_scores,
        VERDICTS: answer_verdicts,
    }
    files = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            answer = answers[args.question](table, args)
        except (ArithmeticError, ValueError) as error:  # as for a huge prior
            raise InputError(as_options(str(error))) from error
        if args.html is not None:
            files[args.html] = render_page(answer).encode()
        if args.plot is not None:
            file_format = Path(args.plot).suffix[1:].lower()
            files[args.plot] = answer.plots[0].encode(file_format)
    for note in dict.fromkeys(str(one.message) for one in caught):
        write_note(note)
    text = render_text(answer)
    if is_example:
        text = f"{fill(EXAMPLE)}\n\n{text}\n{fill(HINT)}\n{COMMAND}\n"
    if args.json:
        # ASCII is safe for every terminal and pipe.
        text = json.dumps(answer.document(), indent=2, allow_nan=False) + "\n"
    write_files(files)
    write_output(text)
    return answer.verdicts
