"""The answer to a question: its numbers for JSON, and the tables that show them.

A question (`labels`, `report`, `scores`, `verdicts`) makes records, flat dicts of one
result, and puts them into an `Answer` twice: by their key in JSON, and as the rows of a
`Section`, whose columns `HEADINGS` names.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from skpostbac import __version__
from skpostbac._cli.arguments import OPTIONS
from skpostbac._utils import format_probability, printable, records_of, unwrap
from skpostbac.model_selection import compare_posteriors
from skpostbac.model_selection._comparison import format_ranks, report_parts

Record: TypeAlias = dict[str, Any]


# Headings of columns that are not called like the key of the records. Their fields are
# options, or the level as a percentage.
HEADINGS = {
    "balanced_accuracy": "bal.acc.",
    "observed": "on test samples",
    "n_samples": "samples",
    "interval": "{percent} CI",
    "lower": "{percent} lower",
    "ranks": "{percent} ranks",
    "upper": "{percent} upper",
    "guessing_p_value": "p-value",
    "effective_samples": "effective size",
    "prob_best": "P(best)",
    "prob_greater": "P(>0)",
    "below": "P(<-{rope:g})",
    "within": "P(within)",
    "above": "P(>{rope:g})",
    "uncorrected_mean": "uncorrected",
    "prob_worst": "P(worst)",
    "prob_outside": "P(impossible)",
}
PROBABILITIES = (
    "prob_best prob_greater prob_worst prob_outside below within above guessing_p_value"
)
# What the library calls arguments, and how the command line says it.
ARGUMENTS = {
    "a function or ": "",
    "posterior_[a-z_]+ or compare_scores, which take scores": "--scores",
    "labels= or a class_weight of 0": "--labels",
    "labels=": "--labels",
    "(prior|metric)='([^']*)'": r"--\1 \2",
    "a pos_label, one of": "METRIC:LABEL, of which LABEL is one of",
    "pos_label": "LABEL",
    "sensitive_features": "--by",
}
# What shows its sign in tables of differences.
SIGNED = ("mean", "median", "lower", "upper")
# How columns are formatted that do not have three decimals.
FORMATS: Mapping[str, Callable[[Any], str]] = {
    **dict.fromkeys(PROBABILITIES.split(), format_probability),
    "n_samples": "{:.0f}".format,
    "effective_samples": "{:.1f}".format,
    "positives": "{:.0f}".format,
    "may_be_best": {True: "yes", False: "no"}.__getitem__,
}


@dataclass(frozen=True)
class Section:
    """A table with a title above it and notes below."""

    title: str
    names: str
    """Heading of the first column, which has the "label" or "name" of each record."""
    columns: str
    """Keys of the other columns, with blanks between them."""
    records: Sequence[Record]
    notes: Sequence[str] = ()
    is_difference: bool = False
    """Whether numbers are of differences, and show their signs."""

    def cells(self, args: Namespace) -> list[list[str]]:
        """Return the rows as text, the headings first."""
        keys = self.columns.split()
        if any(one.get("standard_deviation", 0) is None for one in self.records):
            # The mean may be infinite, too.
            keys = ["median" if key == "mean" else key for key in keys]
        fields = {"percent": percent(args.level), **vars(args)}
        header = [
            HEADINGS.get(key, key.replace("_", " ")).format(**fields) for key in keys
        ]
        rows = [[self._cell(record, key) for key in keys] for record in self.records]
        names = [str(one.get("label") or one["name"]) for one in self.records]
        columns = zip([self.names, *names], [header, *rows], strict=True)
        return [list(map(printable, [name, *row])) for name, row in columns]

    def _cell(self, record: Record, key: str) -> str:
        sign = "+" if self.is_difference else ""
        if key == "interval":
            return format_interval(record, sign)
        if key == "ranks":
            return format_ranks(record["rank_low"], record["rank_high"])
        value = record[key]
        if isinstance(value, str):
            return value
        if key in FORMATS and value is not None:
            return FORMATS[key](value)
        return number(value, sign if key in SIGNED else "")


@dataclass
class Answer:
    """What is known of the data, and what follows; the steps of a question fill it."""

    args: Namespace
    """The arguments of the command line."""
    data: Record
    """What was evaluated, for JSON."""
    facts: Mapping[str, str]
    """What was evaluated, in words."""
    results: Record
    """The records, by their key in JSON."""
    sections: list[Section] = field(default_factory=list)
    verdicts: dict[str, int] = field(default_factory=dict)
    """Lines on what does not pass a gate, with their exit status."""
    lead: list[str] = field(default_factory=list)
    """Sentences at the top of a page, and the first of them at that of a text."""
    method: Mapping[str, str] = field(default_factory=dict)
    """Text for a paper, by the name of the classifier that it is on."""
    plots: Sequence[Any] = ()
    """Plots of a page, of which the first can be written alone."""
    tested: str = "classifier"
    """What was tested, in one word."""

    def document(self) -> Record:
        """Return what ``--json`` prints: version, data, options and results."""
        names = [*OPTIONS[self.args.question].split(), "level"]
        settings = {name: getattr(self.args, name) for name in names}
        head = {"version": __version__, "data": self.data, "settings": settings}
        return head | self.results

    def add(self, title: str, *content: Any, **how: Any) -> None:
        """Add a `Section`."""
        self.sections.append(Section(title, *content, **how))

    def add_differences(
        self,
        title: str,
        differences: Sequence[Record],
        ranking: Sequence[Record],
        minus: str = "{0} - {1}",
    ) -> None:
        """Add the differences from the best, and of all other pairs (``--all-pairs``).

        Parameters
        ----------
        title : str
            What differs.
        differences : sequence of dict
            By pair, in the order of the ranking.
        ranking : sequence of dict
            What `ranked` returns.
        minus : str
            What is subtracted from what, the better one first.
        """
        labels = {one["name"]: one["label"] for one in ranking}
        columns = "mean interval prob_greater"
        if self.args.rope:
            columns += " below within above"
        best, *others = labels.values()
        n_shown = len(differences) if self.args.all_pairs else len(others)
        pairs = []
        for i, one in enumerate(differences[:n_shown]):
            both = labels[one["first"]].strip(), labels[one["second"]].strip()
            label = others[i] if i < len(others) else minus.format(*both)
            pairs.append({**one, "label": label})
        title = f"{title}: {minus.format(best.strip(), 'other')}"
        self.add(title, "other", columns, pairs, is_difference=True)


def describe(
    posteriors: Mapping[str, Any], comparison: Any, level: float
) -> tuple[list[Record], list[Record]]:
    """Return records of posteriors, best first, and of the differences of all pairs.

    `comparison` is None for a single posterior.
    """
    records = {
        name: {"name": name, **posterior.summary(level)}
        for name, posterior in posteriors.items()
    }
    if comparison is None:
        return list(records.values()), []
    ranking = [records[one["name"]] | one for one in comparison.summary(level)]
    return ranking, records_of(comparison.table("differences", level=level))


def report_of(
    posteriors: Mapping[str, Any], comparison: Any, level: float
) -> tuple[list[str], list[str]]:
    """Return the sentences on each classifier, best first, and those below a table.

    The first one is on the result.
    """
    if comparison is not None:
        return report_parts(comparison, level)
    (only,) = posteriors.values()
    sentences = unwrap(only.report(level))
    return sentences, sentences[1:]


def describe_best(posteriors: Mapping[str, Any], level: float) -> str:
    """Return the sentence on the best of several posteriors, or on the only one."""
    if len(posteriors) > 1:
        return f"{compare_posteriors(posteriors)._describe_leaders(level)}."
    (only,) = posteriors.values()
    return unwrap(only.report(level))[0]


def as_options(text: str) -> str:
    """Return a text of the library whose arguments are options."""
    for pattern, replacement in ARGUMENTS.items():
        text = re.sub(pattern, replacement, text)
    return text


def ranked(records: Sequence[Record]) -> list[Record]:
    """Return records with labels: the names, with ranks if there are several."""
    if len(records) == 1:
        return list(records)
    width = len(str(len(records)))
    return [
        {**record, "label": f"{rank:{width}} {record['name']}"}
        for rank, record in enumerate(records, 1)
    ]


def percent(level: float) -> str:
    """Format the probability of an interval.

    Examples
    --------
    >>> percent(0.95)
    '95%'
    """
    return f"{100 * level:.12g}%"


def number(value: float | None, sign: str = "") -> str:
    """Format a number with three decimals, or what does not exist."""
    return "-" if value is None else f"{value:{sign}z.3f}"


def format_interval(record: Record, sign: str = "") -> str:
    """Format the interval of a record."""
    return f"[{number(record['low'], sign)}, {number(record['high'], sign)}]"


def format_estimate(record: Record) -> str:
    """Format the mean of a record and its interval."""
    return f"{number(record['mean'])} {format_interval(record)}"
