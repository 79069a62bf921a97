"""Scores: how well they rank the positive samples, and which are best."""

from __future__ import annotations

import warnings
from argparse import Namespace
from typing import Any, Literal

import numpy as np

from skpostbac._cli.answer import (
    Answer,
    describe,
    ranked,
    report_of,
)
from skpostbac._cli.reading import InputError
from skpostbac._cli.table import InputTable, default_positive
from skpostbac._utils import Floats
from skpostbac.metrics import posterior_average_precision, posterior_roc_auc
from skpostbac.metrics._binary_scores import are_labels
from skpostbac.model_selection import compare_scores

AREAS: dict[Literal["roc_auc", "average_precision"], tuple[str, Any]] = {
    "roc_auc": ("ROC AUC", posterior_roc_auc),
    "average_precision": ("average precision", posterior_average_precision),
}


def answer_scores(table: InputTable, args: Namespace) -> Answer:
    """Describe the areas under ROC and precision-recall curves, and their differences.

    Raises
    ------
    InputError
        If there are not two classes, if the positive one is not known, or if a score is
        no finite number.
    """
    truth = table.column(table.truth)
    classes = set(truth)
    positive = args.positive or default_positive(classes)
    if len(classes) != 2 or positive not in classes:
        raise InputError(
            "--scores need two classes, of which --positive names one, got "
            f"{len(classes)} classes and {positive!r}"
        )
    scores = {name: _read_scores(table, name) for name in table.predictions}
    groups = table.column(args.groups)
    n_groups = None if groups is None else len(set(groups))
    in_groups = f" in {n_groups} groups (column {args.groups})" if n_groups else ""
    data = {"source": table.source, "n_samples": table.n_rows, "n_groups": n_groups}
    facts = {
        "Truth": f"column {table.truth} of {table.source}",
        "Samples": f"{table.n_rows}{in_groups}",
        "Positive": str(positive),
    }
    results: dict[str, list[Any]] = {"areas": [], "differences": [], "notes": []}
    answer = Answer(args, {**data, "positive": positive}, facts, results)
    notes = [
        f"Column {name!r} has only two values, like predicted labels: evaluate it with "
        "--classifier, or give scores such as probabilities."
        for name, values in scores.items()
        if are_labels(values)
    ]
    y_true = truth == positive
    options: dict[str, Any] = {"sample_weight": table.counts, "groups": groups}
    lead: list[str] = []
    for metric, (title, posterior_of) in AREAS.items():
        comparison = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # as the notes say it
            if len(scores) > 1:
                comparison = compare_scores(y_true, scores, metric=metric, **options)
                names = comparison.names
                posteriors = dict(zip(names, comparison.posteriors, strict=True))
            else:
                posteriors = {
                    name: posterior_of(y_true, values, **options)
                    for name, values in scores.items()
                }
        areas, differences = describe(posteriors, comparison, args.level)
        sentences, more = report_of(posteriors, comparison, args.level)
        lead.append(sentences[0])
        more = [*notes, *more]
        columns = "observed mean interval"
        if differences:
            columns += " prob_best may_be_best ranks"
        answer.add(
            f"Posterior of the {title}", "classifier", columns, ranked(areas), more
        )
        if differences:
            name = f"Difference in {title}, same samples"
            answer.add_differences(name, differences, ranked(areas))
        results["areas"] += [{"metric": metric, **one} for one in areas]
        results["differences"] += [{"metric": metric, **one} for one in differences]
        results["notes"] += more
    answer.lead = [" ".join(lead)]
    results["notes"] = list(dict.fromkeys([*lead, *results["notes"]]))
    return answer


def _read_scores(table: InputTable, name: str) -> Floats:
    """Return the numbers of a column."""
    try:
        scores = np.array(table.column(name), dtype=float)
    except ValueError as error:
        raise InputError(f"column {name!r} must have numbers: {error}") from error
    if not np.isfinite(scores).all():
        raise InputError(f"column {name!r} must have finite numbers")
    return scores
