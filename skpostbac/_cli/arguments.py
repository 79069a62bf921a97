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
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from skpostbac import __version__
from skpostbac._cli.output import write_output
from skpostbac._cli.reading import InputError
from skpostbac._utils import (
    check_level,
    check_probability,
    check_rope,
    printable,
    suggestion,
)

# The library's defaults; importing them would make --help slow.
DEFAULT_PRIOR = "calibrated"
DEFAULT_METRIC = "balanced_accuracy"

# A classifier that replaces the baseline may lose too much with a smaller probability
# than this.
LARGEST_RISK = 0.05

# What a table has, which decides the question that it answers.
LABELS = "predictions"
SCORES = "--scores"
REPORT = "--metric report"
VERDICTS = "judge verdicts"
# The options of each question, beside those of all.
OPTIONS = {
    LABELS: (
        "truth classifier groups by id labels prior metric rope selected html plot "
        "fail_below baseline max_loss"
    ),
    SCORES: "truth scores groups positive",
    REPORT: "truth classifier groups labels prior metric",
    VERDICTS: "classifier prior sensitivity specificity positive",
}
OF_ALL = "file delimiter level json all_pairs"
# Options that name a column of a file, which the example has not.
OF_FILES = ("truth", "groups", "by", "id", "scores")

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
        usage="%(prog)s [FILE --truth COLUMN] [option ...]",
        description=DESCRIPTION,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    add = parser.add_argument_group("input").add_argument
    file_help = "CSV or parquet, a row per sample; - for standard input"
    add("file", metavar="FILE", nargs="?", help=file_help)
    for option, what in {
        "--truth": "the true labels",
        "--groups": "groups of samples: patients, sites, ...",
        "--by": "subgroups; evaluates each subgroup, too",
        "--id": "sample identifiers, to find repetitions",
    }.items():
        add(option, metavar="COLUMN", help=f"column of {what}")
    for option, what in {
        "--classifier": "predictions; may be repeated (default: all)",
        "--scores": "scores instead, for ROC AUC; may be repeated",
    }.items():
        add(option, metavar="COLUMN", action="append", help=f"column of {what}")
    delimiter_help = 'field separator: a character, or "tab" (default: comma)'
    add(
        "--delimiter", metavar="CHAR", type=_delimiter, default=",", help=delimiter_help
    )

    add = parser.add_argument_group("evaluation").add_argument
    labels_help = "classes to average over (default: those of the truth)"
    add("--labels", metavar="A,B,...", type=_labels, help=labels_help)
    prior_help = (
        "prior of each recall: calibrated (default), reciprocal, uniform, "
        "jeffreys, neutral, or A,B"
    )
    add("--prior", type=_prior, default=DEFAULT_PRIOR, help=prior_help)
    level_help = "probability of intervals and bounds (default: %(default)s)"
    add("--level", type=_number(check_level), default=0.95, help=level_help)
    rope_help = "largest negligible difference (default: %(default)s)"
    metric_help = "f1:LABEL, report, ... (default: balanced_accuracy)"
    add(
        "--metric",
        metavar="NAME",
        type=_metric,
        default=DEFAULT_METRIC,
        help=metric_help,
    )
    add(
        "--rope", metavar="WIDTH", type=_number(check_rope), default=0.0, help=rope_help
    )
    add(
        "--selected",
        action="store_true",
        help="correct the best score for selection bias",
    )

    title = "verdicts of an imperfect judge, instead of true labels"
    add = parser.add_argument_group(title).add_argument
    for option, sign in [("--sensitivity", "positive"), ("--specificity", "negative")]:
        gold_help = f"the judge is right on K of N {sign} gold samples"
        add(option, metavar="K/N", type=_proportion, help=gold_help)
    add("--positive", metavar="LABEL", help="the positive verdict, or label")

    add = parser.add_argument_group("output").add_argument
    add(
        "--json",
        action="store_true",
        help="print one JSON object, explained in the user guide",
    )
    pairs_help = "compare all pairs, not only the best with others"
    add("--all-pairs", action="store_true", help=pairs_help)
    # A pipe has no extension.
    page, picture = (
        partial(_output_file, extensions=extensions)
        for extensions in [(".html", ".htm", ""), (".png", ".svg", ".pdf")]
    )
    page_help = "write a report with tables and plots (matplotlib)"
    add("--html", metavar="FILE", type=page, help=page_help)
    picture_help = "plot the posteriors to a .png, .svg or .pdf file"
    add("--plot", metavar="FILE", type=picture, help=picture_help)
    bound = _number(partial(check_probability, name="VALUE"))
    bound_help = "exit with status 3 if a lower bound is below VALUE"
    add("--fail-below", metavar="VALUE", type=bound, help=bound_help)
    baseline_help = "column of predictions that the others are to replace"
    add("--baseline", metavar="COLUMN", help=baseline_help)
    loss_help = f"exit with status 3 unless P(loss > VALUE) < {LARGEST_RISK:.0%}%"
    add("--max-loss", metavar="VALUE", type=_number(_check_loss), help=loss_help)
    add("-h", "--help", action="help", help="show this help and exit")
    version_help = "show the version and exit"
    add(
        "--version",
        action="version",
        version=f"%(prog)s {__version__}",
        help=version_help,
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
    if args.scores:
        question = SCORES
    elif not {"sensitivity", "specificity", "positive"}.isdisjoint(given):
        question = VERDICTS
    elif args.metric == "report":
        question = REPORT
    for name in given:
        if name not in f"{OPTIONS[question]} {OF_ALL}".split():
            raise InputError(f"{_flag(name)} cannot be combined with {question}")
        if name in OF_FILES and args.file is None:
            raise InputError(f"{_flag(name)} needs a FILE, or - for standard input")
    if question == VERDICTS:
        for name in ("sensitivity", "specificity", "positive", "file"):
            if name not in given:
                raise InputError(f"judge verdicts also need {_flag(name)}")
    return question


def _flag(name: str) -> str:
    return "a FILE" if name == "file" else f"--{name.replace('_', '-')}"


def _delimiter(text: str) -> str:
    delimiter = "\t" if text == "tab" else text
    if len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise ArgumentTypeError(
            f'must be one character, or the word "tab", got {text!r}'
        )
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


def _metric(text: str) -> str:
    """Return the one name of the accuracies, which have more options than others."""
    if text == DEFAULT_METRIC:  # also if the option is not given
        return text

    from skpostbac.metrics._confusion import read_name

    accuracies = {("recall", "macro"): DEFAULT_METRIC, ("accuracy", None): "accuracy"}
    try:
        return accuracies.get(read_name(text, None), text)
    except ValueError:  # of a class, or raised again once the classes are known
        return text


def _prior(text: str) -> Any:
    if text == DEFAULT_PRIOR:  # also if the option is not given
        return text

    from skpostbac.metrics._prior import PRIOR_NAMES, check_prior

    try:
        prior: Any = text if "," not in text else tuple(map(float, text.split(",")))
        check_prior(prior)
    except ValueError as error:
        names = ", ".join(PRIOR_NAMES)
        hint = suggestion(text, PRIOR_NAMES)
        message = f"must be {names}, or two positive numbers A,B, got {text!r}{hint}"
        raise ArgumentTypeError(message) from error
    return prior


def _proportion(text: str) -> tuple[int, int]:
    numbers = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", text, re.ASCII)
    count, total = map(int, numbers.groups()) if numbers else (1, 0)
    if count > total or total == 0:
        raise ArgumentTypeError(
            f"must be a count and its total, such as 27/30, got {text!r}"
        )
    return count, total


def _check_loss(loss: float) -> None:
    if not 0 <= loss < float("inf"):
        raise ValueError(f"must be a number of at least 0, got {loss!r}")


def _number(check: Callable[[float], object]) -> Callable[[str], float]:
    """Return the converter of an option that is a number."""

    def convert(text: str) -> float:
        try:
            value = float(text)
            check(value)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from error
        return value

    return convert


def _output_file(text: str, extensions: tuple[str, ...]) -> str:
    """Return the file name if it has an extension that matplotlib can write."""
    if Path(text).suffix.lower() not in extensions:
        raise ArgumentTypeError(
            f"must end in {', '.join(filter(None, extensions))}, got {text!r}"
        )

    from skpostbac._plot import check_matplotlib

    try:
        check_matplotlib("a plot")
    except ImportError as error:
        raise ArgumentTypeError(str(error)) from error
    return text
