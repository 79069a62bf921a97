"""Scores: how well they rank the positive samples, and which are best."""

from __future__ import annotations

import warnings
from argparse import Namespace
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from skpostbac._cli.evaluation import SEED, default_positive, difference_records
from skpostbac._cli.reading import InputError
from skpostbac._cli.sections import (
    Answer,
    Record,
    Section,
    difference_sections,
    make_document,
    percent,
    ranked,
)
from skpostbac._cli.table import InputTable
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
    y_true = truth == positive
    scores = {name: _read_scores(table, name) for name in table.predictions}
    options: dict[str, Any] = {
        "sample_weight": table.counts,
        "groups": None if args.groups is None else table.column(args.groups),
        "random_state": SEED,
    }
    areas: list[Record] = []
    differences: list[Record] = []
    sections: list[Section] = []
    columns = {
        "classifier": "label",
        "samples": "observed",
        "mean": "mean",
        "median": "median",
        f"{percent(args.level)} CI": "interval",
    }
    for metric, (title, posterior_of) in AREAS.items():
        pairs: list[Record] = []
        with warnings.catch_warnings():
            # On scores that look like labels, of which the user was told
            warnings.simplefilter("ignore", UserWarning)
            if len(scores) > 1:
                comparison = compare_scores(y_true, scores, metric=metric, **options)
                posteriors = comparison.posteriors
                pairs = difference_records(comparison, args.level)
                prob_best = comparison.prob_best().tolist()
                columns["P(best)"] = "prob_best"
            else:
                posteriors = (posterior_of(y_true, *scores.values(), **options),)
                prob_best = [None]
        records: list[Record] = [
            {"metric": metric, "name": name, **posterior.summary(args.level)}
            | {"prob_best": p}
            for name, posterior, p in zip(scores, posteriors, prob_best, strict=True)
        ]
        records.sort(key=itemgetter("mean"), reverse=True)
        ranking = ranked(records)
        areas += records
        differences += [{"metric": metric, **pair} for pair in pairs]
        name = f"Posterior of the {title} (samples: sample values)"
        sections.append(Section(name, columns, ranking))
        name = f"Difference in {title}, same samples"
        sections += difference_sections(name, pairs, ranking, args)
    data = {"source": table.source, "n_samples": table.n_rows, "positive": positive}
    groups = f" in groups (column {args.groups})" if args.groups else ""
    facts = {
        "Truth": f"column {args.truth} of {table.source}",
        "Samples": f"{table.n_rows}{groups}",
        "Positive": str(positive),
    }
    document = make_document(args, data, areas=areas, differences=differences)
    return Answer(document, facts, sections)


def _read_scores(table: InputTable, name: str) -> Floats:
    """Return the numbers of a column; warn if they look like predicted labels."""
    try:
        scores = np.array(table.column(name), dtype=float)
    except ValueError as error:
        raise InputError(f"column {name!r} must have numbers: {error}") from error
    if not np.isfinite(scores).all():
        raise InputError(f"column {name!r} must have finite numbers")
    if are_labels(scores):
        warnings.warn(
            f"column {name!r} has only two values, like predicted labels: evaluate it "
            "with --classifier, or give scores such as probabilities",
            UserWarning,
            stacklevel=2,
        )
    return scores
