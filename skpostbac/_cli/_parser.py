"""The arguments of the command line, and the checks of their values."""

from __future__ import annotations

import csv
from argparse import (
    ArgumentParser,
    ArgumentTypeError,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from skpostbac._cli._output import write_output
from skpostbac._utils import printable
from skpostbac._version import __version__

# The library's default; importing it would make --help slow.
DEFAULT_PRIOR = "reciprocal"
# File name extensions of plots and of pages; a pipe has none.
PICTURES = (".png", ".svg", ".pdf")
PAGES = (".html", ".htm", "")

DESCRIPTION = """\
Posterior balanced accuracy: how good is each classifier, and which is better?
FILE is a table with one row per sample: the true label and the prediction of
each classifier. Without FILE, a built-in example is evaluated."""

EPILOG = """\
example: skpostbac predictions.csv --truth species --html report.html
The user guide, "Evaluate a file on the command line", explains the JSON keys."""


class Parser(ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message on one line, and exit with status 2."""
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
        usage="%(prog)s [FILE --truth COLUMN] [option ...]",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    _add_input(parser)
    _add_evaluation(parser)
    _add_judge(parser)
    _add_output(parser)
    return parser


def _add_input(parser: Parser) -> None:
    group = parser.add_argument_group("input")
    group.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="CSV or parquet file, or - for standard input",
    )
    group.add_argument("--truth", metavar="COLUMN", help="column of the true labels")
    group.add_argument(
        "--classifier",
        metavar="COLUMN",
        action="append",
        help="column of predictions; may be repeated (default: all)",
    )
    group.add_argument(
        "--groups",
        metavar="COLUMN",
        help="column of groups of samples: patients, sites, ...",
    )
    group.add_argument(
        "--by",
        metavar="COLUMN",
        help="column of subgroups; evaluates each subgroup, too",
    )
    group.add_argument(
        "--id",
        metavar="COLUMN",
        help="column of sample identifiers, to find repetitions",
    )
    group.add_argument(
        "--delimiter",
        metavar="CHAR",
        type=_delimiter,
        default=",",
        help='field separator: a character, or "tab" (default: comma)',
    )


def _add_evaluation(parser: Parser) -> None:
    group = parser.add_argument_group("evaluation")
    group.add_argument(
        "--labels",
        metavar="A,B,...",
        type=_labels,
        help="classes to average over (default: those of the truth)",
    )
    group.add_argument(
        "--prior",
        type=_prior,
        default=DEFAULT_PRIOR,
        help="prior of each recall: reciprocal (default), uniform, "
        "jeffreys, neutral, hierarchical, or A,B for Beta(A, B)",
    )
    group.add_argument(
        "--level",
        type=_level,
        default=0.95,
        help="probability of intervals and bounds (default: %(default)s)",
    )
    group.add_argument(
        "--rope",
        metavar="WIDTH",
        type=_rope,
        default=0.0,
        help="largest negligible difference (default: %(default)s)",
    )
    group.add_argument(
        "--selected",
        action="store_true",
        help="correct the best score for selection bias",
    )


def _add_output(parser: Parser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print one JSON object")
    group.add_argument(
        "--html",
        metavar="FILE",
        type=_page,
        help="write a report with tables and plots (matplotlib)",
    )
    group.add_argument(
        "--plot",
        metavar="FILE",
        type=_picture,
        help="plot the posteriors to a .png, .svg or .pdf file",
    )
    group.add_argument(
        "--fail-below",
        metavar="VALUE",
        type=_least,
        help="exit with status 3 if a lower bound is below VALUE",
    )
    group.add_argument("-h", "--help", action="help", help="show this help and exit")
    group.add_argument(
        "--version",
        action="version",
        version=f"%(prog)s {__version__}",
        help="show the version and exit",
    )


def _add_judge(parser: Parser) -> None:
    group = parser.add_argument_group("verdicts of an imperfect judge, instead of true labels")
    group.add_argument(
        "--sensitivity",
        metavar="K/N",
        type=_share,
        help="the judge is right on K of N positive gold samples",
    )
    group.add_argument(
        "--specificity",
        metavar="K/N",
        type=_share,
        help="the judge is right on K of N negative gold samples",
    )
    group.add_argument("--positive", metavar="LABEL", help="the positive verdict")


def _delimiter(text: str) -> str:
    delimiter = "\t" if text == "tab" else text
    if len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise ArgumentTypeError(f'must be one character, or the word "tab", got {text!r}')
    return delimiter


def _labels(text: str) -> tuple[str, ...]:
    try:
        labels = next(csv.reader([text], strict=True), [])
    except csv.Error as error:
        raise ArgumentTypeError(f"{error} in {text!r}") from error
    if not all(labels) or not labels:
        raise ArgumentTypeError(f"empty label in {text!r}")
    if duplicates := [label for label in labels if labels.count(label) > 1]:
        raise ArgumentTypeError(f"label {duplicates[0]!r} occurs twice")
    return tuple(labels)


def _prior(text: str) -> str | tuple[float, ...]:
    if text == DEFAULT_PRIOR:  # also if the option is not given
        return text

    from skpostbac.metrics._priors import PRIOR_NAMES, check_prior

    try:
        prior = text if "," not in text else tuple(map(float, text.split(",")))
        check_prior(prior)
    except ValueError as error:
        names = ", ".join(PRIOR_NAMES)
        message = f"must be {names}, or two positive numbers A,B, got {text!r}"
        raise ArgumentTypeError(message) from error
    return prior


def _share(text: str) -> tuple[int, int]:
    count, slash, total = text.partition("/")
    if not (slash and count.strip().isdecimal() and total.strip().isdecimal()):
        raise ArgumentTypeError(f"must be two whole numbers, such as 27/30, got {text!r}")
    if not 0 <= int(count) <= int(total) or int(total) == 0:
        raise ArgumentTypeError(f"must be a count and its total, such as 27/30, got {text!r}")
    return int(count), int(total)


def _level(text: str) -> float:
    from skpostbac._utils import check_level

    return _checked(text, check_level)


def _rope(text: str) -> float:
    from skpostbac._utils import check_rope

    return _checked(text, check_rope)


def _least(text: str) -> float:
    from skpostbac._utils import check_probability

    return _checked(text, lambda value: check_probability(value, "VALUE"))


def _checked(text: str, check: Callable[[float], object]) -> float:
    try:
        value = float(text)
        check(value)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
    return value


def _page(text: str) -> str:
    return _drawable(text, PAGES)


def _picture(text: str) -> str:
    return _drawable(text, PICTURES)


def _drawable(text: str, endings: Sequence[str]) -> str:
    """Return the file name, if it has such an ending and matplotlib can write the plots."""
    if Path(text).suffix.lower() not in endings:
        raise ArgumentTypeError(f"must end in {', '.join(filter(None, endings))}, got {text!r}")

    from skpostbac._plot import check_matplotlib

    try:
        check_matplotlib("a plot")
    except ImportError as error:
        raise ArgumentTypeError(str(error)) from error
    return text
