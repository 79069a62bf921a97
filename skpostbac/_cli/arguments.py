"""The arguments that the command line takes, and the checks of their values."""

from __future__ import annotations

import csv
import re
from argparse import (
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from skpostbac import __version__
from skpostbac._cli.output import write_output
from skpostbac._cli.reading import InputError
from skpostbac._utils import (
    check_interval_level,
    check_probability,
    check_rope,
    printable,
)

# The library's defaults; importing them would make --help slow.
DEFAULT_PRIOR = "calibrated"
DEFAULT_METRIC = "balanced_accuracy"

# What a table has, which decides the question that it answers.
LABELS = "predictions"
OUTCOMES = "--correct"
SCORES = "--scores"
REPORT = "--metric report"
VERDICTS = "judge verdicts"
# The options of each question, beside those of all.
OPTIONS = {
    LABELS: (
        "truth classifier groups by id weight labels prior metric rope selected html "
        "plot fail_below baseline max_loss anytime"
    ),
    OUTCOMES: (
        "correct classifier groups by id weight prior rope html plot fail_below "
        "baseline max_loss anytime"
    ),
    SCORES: "truth scores groups weight positive",
    REPORT: "truth classifier groups weight labels prior metric",
    VERDICTS: "classifier prior sensitivity specificity positive",
}
OF_ALL = "file delimiter level json all_pairs"
# Options that name a column of a file, which the example has not.
OF_FILES = "truth groups by id weight scores correct"
# Options that exclude each other.
APART = (
    ("anytime", "groups"),
    ("anytime", "selected"),
    ("selected", "groups"),
    ("by", "metric"),
)
# Options that need each other.
TOGETHER = {
    LABELS: "baseline max_loss",
    OUTCOMES: "baseline max_loss",
    VERDICTS: "sensitivity specificity positive file",
}

DESCRIPTION = """\
How good is each classifier, and which is better? Without FILE, see an example.
example: skpostbac predictions.csv --truth species --html report.html"""


class Parser(ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message on one line, and exit with status 2."""
        if "expected one argument" in message:
            message += ' (if it begins with "-", write --OPTION=VALUE)'
        self.exit(2, f"{self.prog}: error: {printable(message)}\n")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Exit once the output is written, so that the caller sees it fail."""
        if status == 0:
            write_output()
        super().exit(status, message)


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        prog="skpostbac",
        usage="%(prog)s [FILE ... --truth COLUMN] [option ...]",
        description=DESCRIPTION,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    add = parser.add_argument_group("input").add_argument
    add(
        "file",
        metavar="FILE",
        nargs="*",
        default=[],
        help="CSV, JSONL or parquet, a row per sample; - for stdin",
    )
    add("--truth", metavar="COLUMN", help="column of the true labels")
    add(
        "--groups",
        metavar="COLUMN",
        help="column of groups of samples: patients, sites, ...",
    )
    add(
        "--by",
        metavar="COLUMN",
        help="column of subgroups, each of which is evaluated, too",
    )
    add(
        "--id",
        metavar="COLUMN",
        help="column that identifies samples, also to join files",
    )
    add("--weight", metavar="COLUMN", help="column of counts of identical samples")
    add(
        "--classifier",
        metavar="COLUMN",
        action="append",
        help="column of predictions; may be repeated (default: all)",
    )
    add(
        "--scores",
        metavar="COLUMN",
        action="append",
        help="column of scores instead, for ROC AUC; may be repeated",
    )
    add(
        "--correct",
        action="store_true",
        help="columns are right (1) or wrong (0) answers; no --truth",
    )
    add(
        "--sensitivity",
        metavar="K/N",
        type=_proportion,
        help="verdicts of a judge, right on K of N known positives",
    )
    add(
        "--specificity",
        metavar="K/N",
        type=_proportion,
        help="the judge is right on K of N known negatives",
    )
    add("--positive", metavar="LABEL", help="the positive verdict, or label")
    add(
        "--delimiter",
        metavar="CHAR",
        type=_delimiter,
        default=",",
        help='field separator: a character, or "tab" (default: comma)',
    )

    add = parser.add_argument_group("evaluation").add_argument
    add(
        "--labels",
        metavar="A,B,...",
        type=_labels,
        help="classes to average over (default: those of the truth)",
    )
    add(
        "--prior",
        type=_prior,
        default=DEFAULT_PRIOR,
        help="calibrated, reciprocal, uniform, jeffreys, neutral, A,B",
    )
    add(
        "--level",
        type=_number(check_interval_level),
        default=0.95,
        help="probability of intervals and bounds (default: %(default)s)",
    )
    add(
        "--metric",
        metavar="NAME",
        default=DEFAULT_METRIC,
        help="mcc, f1:LABEL, report, ... (default: balanced_accuracy)",
    )
    add(
        "--rope",
        metavar="WIDTH",
        type=_number(check_rope),
        default=0.0,
        help="largest negligible difference (default: %(default)g)",
    )
    add(
        "--selected",
        action="store_true",
        help="correct the best score for selection bias",
    )

    add = parser.add_argument_group("output").add_argument
    add(
        "--json",
        action="store_true",
        help="print one JSON object, explained in the user guide",
    )
    add(
        "--all-pairs",
        action="store_true",
        help="compare all pairs, not only the best with others",
    )
    # A pipe has no extension.
    page = _file(".html", ".htm", "")
    add(
        "--html",
        metavar="FILE",
        type=page,
        help="write a report with tables and plots (matplotlib)",
    )
    picture = _file(".png", ".svg", ".pdf")
    add(
        "--plot",
        metavar="FILE",
        type=picture,
        help="plot the posteriors to a .png, .svg or .pdf file",
    )
    bound = _number(partial(check_probability, name="VALUE"))
    add(
        "--fail-below",
        metavar="VALUE",
        type=bound,
        help="status 3 if a score is below VALUE, 4 if undecided",
    )
    add(
        "--baseline",
        metavar="COLUMN",
        help="column of predictions that the others are to replace",
    )
    add(
        "--max-loss",
        metavar="VALUE",
        type=_number(_check_loss),
        help="status 3 if one loses more than VALUE, 4 if undecided",
    )
    add(
        "--anytime",
        action="store_true",
        help="--fail-below or --max-loss may be tried at every look",
    )
    add("-h", "--help", action="help", help="show this help and exit")
    # Columns that all of several files have.
    parser.set_defaults(in_all=frozenset())
    version = f"%(prog)s {__version__}"
    add(
        "--version", action="version", version=version, help="show the version and exit"
    )
    return parser


def read_question(parser: Parser, args: Namespace) -> str:
    """Return the question that the options ask.

    Raises
    ------
    InputError
        If options cannot be combined, or if one that they need is absent.
    """
    given = [
        name for name, value in vars(args).items() if value != parser.get_default(name)
    ]
    question = LABELS
    if args.correct:
        question = OUTCOMES
    elif args.scores:
        question = SCORES
    elif not {"sensitivity", "specificity", "positive"}.isdisjoint(given):
        question = VERDICTS
    elif args.metric == "report":
        question = REPORT
    for name in given:
        if name not in f"{OPTIONS[question]} {OF_ALL}".split():
            raise InputError(f"{_flag(name)} cannot be combined with {question}")
        if name in OF_FILES.split() and not args.file:
            raise InputError(f"{_flag(name)} needs a FILE, or - for standard input")
    _check_pairs(given)
    together = TOGETHER.get(question, "").split()
    absent = [name for name in together if name not in given]
    if 0 < len(absent) < len(together):
        present = next(name for name in together if name in given)
        raise InputError(f"{_flag(present)} also needs {_flag(absent[0])}")
    return question


def _check_pairs(given: Collection[str]) -> None:
    """Raise if two of the options exclude each other."""
    for first, second in APART:
        if first in given and second in given:
            raise InputError(f"{_flag(first)} cannot be combined with {_flag(second)}")


def _flag(name: str) -> str:
    return "a FILE" if name == "file" else f"--{name.replace('_', '-')}"


def _option(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a converter whose errors name the option."""

    def checked(text: str) -> Any:
        try:
            return convert(text)
        except (ValueError, ImportError, csv.Error) as error:
            raise ArgumentTypeError(str(error)) from error

    return checked


def _number(check: Callable[[float], float]) -> Callable[[str], Any]:
    @_option
    def convert(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            raise ValueError(f"must be a number, got {text!r}") from None
        return check(number)

    return convert


def _check_loss(loss: float) -> float:
    if not 0 <= loss < float("inf"):
        raise ValueError(f"must be a number of at least 0, got {loss!r}")
    return loss


@_option
def _delimiter(text: str) -> str:
    delimiter = "\t" if text == "tab" else text
    if len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise ValueError(f'must be one character, or the word "tab", got {text!r}')
    return delimiter


@_option
def _labels(text: str) -> tuple[str, ...]:
    return tuple(next(csv.reader([text], strict=True)))


@_option
def _proportion(text: str) -> tuple[int, int]:
    numbers = re.fullmatch(r"(\d+)/(\d+)", text, re.ASCII)
    count, total = map(int, numbers.groups()) if numbers else (1, 0)
    if count > total or total == 0:
        raise ValueError(f"must be a count and its total, such as 27/30, got {text!r}")
    return count, total


@_option
def _prior(text: str) -> Any:
    if text == DEFAULT_PRIOR:
        return text

    from skpostbac.metrics._prior import check_prior

    prior: Any = text if "," not in text else tuple(map(float, text.split(",")))
    try:
        check_prior(prior)
    except ValueError as error:
        of_python = "a pair (a, b) or an array of shape (n_classes, 2)"
        raise ValueError(str(error).replace(of_python, "or two numbers A,B")) from error
    return prior


def _file(*extensions: str) -> Callable[[str], Any]:
    """Return the converter of a file of these extensions, which matplotlib writes."""

    def check(text: str) -> str:
        if Path(text).suffix.lower() not in extensions:
            shown = ", ".join(filter(None, extensions))
            raise ValueError(f"must end in {shown}, got {text!r}")

        from skpostbac._plot import check_matplotlib

        check_matplotlib("a plot")
        return text

    return _option(check)
