"""The arguments that the command line takes, and the checks of their values."""

from __future__ import annotations

import csv
from argparse import (
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from skpostbac import __version__
from skpostbac._cli.output import write_output
from skpostbac._cli.table import InputError
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

# Options of true labels, which the verdicts of a judge do without.
OF_TRUE_LABELS = (
    "truth",
    "groups",
    "by",
    "id",
    "labels",
    "metric",
    "rope",
    "selected",
    "baseline",
    "max_loss",
    "fail_below",
    "html",
    "plot",
)

# Options of predictions, which scores do without.
NOT_OF_SCORES = (
    "classifier",
    "by",
    "id",
    "labels",
    "metric",
    "prior",
    "rope",
    "selected",
    "sensitivity",
    "specificity",
    "baseline",
    "max_loss",
    "fail_below",
    "html",
    "plot",
)

# The help fits one screen of a terminal of 80 columns: one line an option if possible.
HELP_WIDTH = 80
MOST_HELP_LINES = 39

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
    add(
        "file",
        metavar="FILE",
        nargs="?",
        help="CSV or parquet, a row per sample; - for standard input",
    )
    add("--truth", metavar="COLUMN", help="column of the true labels")
    classifier_help = "column of predictions; may be repeated (default: all)"
    add("--classifier", metavar="COLUMN", action="append", help=classifier_help)
    scores_help = "column of scores instead, for ROC AUC; may be repeated"
    add("--scores", metavar="COLUMN", action="append", help=scores_help)
    add(
        "--groups",
        metavar="COLUMN",
        help="column of groups of samples: patients, sites, ...",
    )
    add(
        "--by",
        metavar="COLUMN",
        help="column of subgroups; evaluates each subgroup, too",
    )
    add(
        "--id",
        metavar="COLUMN",
        help="column of sample identifiers, to find repetitions",
    )
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
    metric_help = "the score: accuracy, f1:LABEL, ... (default: balanced)"
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


def check_combination(parser: Parser, args: Namespace) -> None:
    """Raise if options cannot be combined, or if one that they need is absent."""
    if args.scores:
        _refuse(NOT_OF_SCORES, "--scores", parser, args)
    elif args.sensitivity or args.specificity or args.positive is not None:
        for option in ("sensitivity", "specificity", "positive", "file"):
            if getattr(args, option) is None:
                name = "a FILE" if option == "file" else f"--{option}"
                raise InputError(f"judge verdicts also need {name}")
        _refuse(OF_TRUE_LABELS, "judge verdicts", parser, args)
    if args.file is None:
        for option in ("truth", "groups", "by", "id", "scores"):
            if getattr(args, option) is not None:
                raise InputError(f"--{option} needs a FILE, or - for standard input")
    has_metric = args.metric != parser.get_default("metric")
    wrong = {
        "--by is for the balanced accuracy and cannot be combined with --metric": (
            has_metric and args.by is not None
        ),
        "--baseline COLUMN and --max-loss VALUE must be given together": (
            (args.baseline is None) != (args.max_loss is None)
        ),
    }
    for message, is_wrong in wrong.items():
        if is_wrong:
            raise InputError(message)


def _refuse(options: Iterable[str], kind: str, parser: Parser, args: Namespace) -> None:
    """Raise if an option is given that does not apply."""
    for option in options:
        if getattr(args, option) != parser.get_default(option):
            name = option.replace("_", "-")
            raise InputError(f"--{name} cannot be combined with {kind}")


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
    numbers = [part.strip() for part in text.split("/")]
    if len(numbers) != 2 or not all(map(str.isdecimal, numbers)):
        raise ArgumentTypeError(
            f"must be two whole numbers, such as 27/30, got {text!r}"
        )
    count, total = map(int, numbers)
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
