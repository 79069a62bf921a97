"""The arguments: what they are called, and what values they take."""

from __future__ import annotations

import csv
from argparse import (
    ArgumentParser,
    ArgumentTypeError,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from skpostbac._cli._output import write_output
from skpostbac._utils import printable
from skpostbac._version import __version__

# That of the library, whose import would be waited for here.
DEFAULT_PRIOR = "reciprocal"
# Endings of the names of pictures.
PICTURES = (".png", ".svg", ".pdf")

DESCRIPTION = """\
Posterior balanced accuracy of classifiers, from a table of their predictions: how good each of
them is, whether it is better than another, and which one to keep.

FILE is a CSV table in UTF-8: a header, then one row for each sample, with its true label and the
prediction of each classifier. The classifiers are compared sample by sample. Without FILE, three
scikit-learn classifiers are evaluated on data that ships with scikit-learn."""

EPILOG = """\
labels:
  A label is the text that stands in the file: 1 and 1.0 differ, and so do a label with and without
  a space before it. The classes are those of the true labels. A prediction of any other label is
  an error, and is counted.

keys of the JSON object:
  version     version of skpostbac
  data        source, description, example (true without FILE), truth, n_samples, n_left_out
              (samples of a class that --labels leaves out), n_classes, chance (1 / n_classes),
              classes (label, n_samples), groups (column, n_groups)
  settings    prior (a name or [a, b]), level, rope
  posteriors  for each classifier: name, correct (by class), n_unseen (predictions of a label that
              is no class), accuracy and balanced_accuracy of the sample, mean, median, low and
              high (interval of highest density), lower (exceeded with probability level),
              prob_above_chance, prior_prob_above_chance (before the data),
              bayes_factor_above_chance (odds after the data over odds before), prior_influence (by
              how many posterior standard deviations the prior moves the mean), expected_coverage
              (share of 95% intervals that would hold the truth in test sets such as this one),
              remedy (what to do where that is too low, else null), untested (classes without
              samples, if they alone are what the prior moves the mean by), groups (design_effects
              by class, by which counts are divided; effective_samples, correlation,
              correlation_used, degrees_of_freedom, worth and doubts in sentences)
  comparison  note, prob_greater (by name and name), pairs (first, second, mean, low and high of
              the difference first - second; rope: below, within, above; design_effects by class)
  ranking     best first: rank, name, prob_best, prob_best_error (its standard error if it is
              estimated from random draws), expected_rank, expected_loss, mean
  A number that does not exist is null. So are comparison and ranking of a single classifier, rope
  if it is 0, chance with a single class, and groups and design_effects without --groups.

examples:
  skpostbac
  skpostbac predictions.csv --truth species --html report.html
  skpostbac predictions.csv --truth diagnosis --groups patient
  skpostbac - --truth species --classifier forest --classifier logistic --rope 0.01 < p.csv"""


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
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    _add_input(parser)
    _add_evaluation(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object")
    output.add_argument(
        "--html",
        metavar="FILE",
        type=_drawable,
        help="write a page with all tables and pictures, too; needs matplotlib",
    )
    output.add_argument(
        "--plot",
        metavar="FILE",
        type=_picture,
        help="draw the posteriors into a .png, .svg or .pdf file, too; needs matplotlib",
    )
    return parser


def _add_input(parser: Parser) -> None:
    group = parser.add_argument_group("input")
    group.add_argument("file", metavar="FILE", nargs="?", help="CSV file, or - for standard input")
    group.add_argument("--truth", metavar="COLUMN", help="column of the true labels")
    group.add_argument(
        "--classifier",
        metavar="COLUMN",
        action="append",
        help="column of the predictions of a classifier; may be repeated (default: all but TRUTH)",
    )
    group.add_argument(
        "--groups",
        metavar="COLUMN",
        help="column of the groups that samples are of, such as patients: samples of one group "
        "depend on one another, and count for less",
    )
    group.add_argument(
        "--delimiter",
        metavar="CHAR",
        type=_delimiter,
        default=",",
        help='character between two cells, or the word "tab" (default: comma)',
    )


def _add_evaluation(parser: Parser) -> None:
    group = parser.add_argument_group("evaluation")
    group.add_argument(
        "--labels",
        metavar="A,B,...",
        type=_labels,
        help="classes to average over, quoted as in CSV; one that is absent from the truth keeps "
        "its prior, samples of others are left out (default: those of the truth)",
    )
    group.add_argument(
        "--prior",
        type=_prior,
        default=DEFAULT_PRIOR,
        help="prior of the accuracy on each class: reciprocal, uniform, jeffreys, neutral, "
        "hierarchical (classes borrow strength from one another), or the parameters A,B of a Beta "
        "distribution (default: %(default)s)",
    )
    group.add_argument(
        "--level",
        type=_level,
        default=0.95,
        help="probability of the intervals and of the lower bound (default: %(default)s)",
    )
    group.add_argument(
        "--rope",
        metavar="WIDTH",
        type=_rope,
        default=0.0,
        help="a difference of at most this size, to either side, makes no difference in practice "
        "(default: %(default)s, no such region)",
    )


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
    if text == DEFAULT_PRIOR:  # as which it comes here also if the option is not given
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


def _level(text: str) -> float:
    from skpostbac._utils import check_level

    return _checked(text, check_level)


def _rope(text: str) -> float:
    from skpostbac.model_selection._comparison import check_rope

    return _checked(text, check_rope)


def _checked(text: str, check: Callable[[float], object]) -> float:
    try:
        value = float(text)
        check(value)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
    return value


def _picture(text: str) -> str:
    if Path(text).suffix.lower() not in PICTURES:
        raise ArgumentTypeError(f"must end in {', '.join(PICTURES)}, got {text!r}")
    return _drawable(text)


def _drawable(text: str) -> str:
    """Return the name of a file that holds pictures."""
    from skpostbac._plot import check_matplotlib

    try:
        check_matplotlib("a picture")
    except ImportError as error:
        raise ArgumentTypeError(str(error)) from error
    return text
