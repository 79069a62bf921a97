"""Report of classes: precision, recall and F1 of each, by classifier."""

from __future__ import annotations

import warnings
from argparse import Namespace
from typing import Any

from skpostbac._cli.answer import Answer, as_options, describe_best
from skpostbac._cli.table import InputTable
from skpostbac.metrics import StrayLabelWarning, posterior_classification_report

COLUMNS = ("name", "precision", "recall", "f1-score", "support")


def answer_report(table: InputTable, args: Namespace) -> Answer:
    """Describe each class, for each classifier in the order of the table."""
    y_true = table.column(table.truth)
    options: dict[str, Any] = {
        "labels": args.labels,
        "sample_weight": table.counts,
        "groups": table.column(args.groups),
        "prior": args.prior,
    }
    reports = {}
    for name in table.predictions:
        with warnings.catch_warnings():
            # A note has the number of these predictions.
            warnings.simplefilter("ignore", StrayLabelWarning)
            reports[name] = posterior_classification_report(
                y_true, table.column(name), **options
            )

    records: list[dict[str, Any]] = [
        {"name": name, "report": report.to_dict(args.level)}
        for name, report in reports.items()
    ]
    n_samples = int(records[0]["report"]["macro avg"]["support"])
    data = {"source": table.source, "n_samples": n_samples}
    facts = {
        "Truth": f"column {table.truth} of {table.source}",
        "Samples": f"{n_samples}",
    }
    accuracies = {
        name: report.posteriors["accuracy"]["accuracy"]
        for name, report in reports.items()
    }
    lead = [describe_best(accuracies, args.level)]
    answer = Answer(args, data, facts, {"reports": records}, lead=lead)
    for name, report in reports.items():
        rows = [
            dict(zip(COLUMNS, row, strict=True)) for row in report._cells(args.level)
        ]
        notes = list(map(as_options, report._notes(args.level)))
        answer.add(f"Report on {name}", "class", " ".join(COLUMNS[1:]), rows, notes)
    return answer
