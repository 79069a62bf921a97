"""Posteriors of the classifiers of a table, and their comparison."""

from __future__ import annotations

import re
import warnings
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skpostbac._cli.arguments import DEFAULT_METRIC
from skpostbac._cli.reading import InputError
from skpostbac._cli.table import InputTable, default_positive
from skpostbac._utils import join_first
from skpostbac.metrics import (
    GroupsWarning,
    PosteriorBalancedAccuracy,
    PriorInfluenceWarning,
    SelectedPosterior,
    StrayLabelWarning,
    SubgroupPosteriors,
    class_counts,
    paired_counts,
    posterior_confusion_metric,
    subgroup_posteriors,
)
from skpostbac.metrics._confusion import AVERAGES, OVERALL, read_name
from skpostbac.model_selection import (
    PosteriorComparison,
    compare_predictions,
    selected_posterior,
)

# Classes listed in an error.
MOST_CLASSES_IN_ERROR = 8
# The one name of metrics that have more options than others.
ACCURACIES = {("recall", "macro"): DEFAULT_METRIC, ("accuracy", None): "accuracy"}


@dataclass(frozen=True)
class Evaluation:
    """Posteriors of the classifiers of a table, best first, and their comparison."""

    balanced: Mapping[str, PosteriorBalancedAccuracy]
    """Posteriors of the balanced accuracy, by name of the classifier."""
    scores: Mapping[str, Any]
    """Posteriors of the metric; those of the balanced accuracy by default."""
    comparison: PosteriorComparison | None = None
    """None for a single classifier."""
    selected: SelectedPosterior | None = None
    """Posterior of the best classifier, corrected for selection (``--selected``)."""
    subgroups: Mapping[str, SubgroupPosteriors] = field(default_factory=dict)
    """By name of the classifier, with ``--by``."""


def evaluate(table: InputTable, args: Namespace) -> Evaluation:
    """Evaluate and compare the classifiers of a table.

    Raises
    ------
    InputError
        If an option does not fit the table, such as a class that does not occur.
    """
    metric, pos_label = _read_metric(table, args)
    _check_options(table, args)
    y_true = table.column(table.truth)
    predictions = {name: table.column(name) for name in table.predictions}
    counting: dict[str, Any] = {
        "labels": args.labels,
        "sample_weight": table.counts,
        "groups": table.column(args.groups),
    }
    scoring: dict[str, Any] = {
        **counting,
        "metric": metric,
        "pos_label": pos_label,
        "prior": args.prior,
    }
    comparison = selected = None
    subgroups = {}
    with warnings.catch_warnings():
        # The answer has its own notes on the prior, on groups and on labels.
        for category in (PriorInfluenceWarning, GroupsWarning, StrayLabelWarning):
            warnings.simplefilter("ignore", category)
        ranking = list(predictions)
        if len(predictions) > 1:
            comparison = compare_predictions(
                y_true, predictions, rope=args.rope, **scoring
            )
            ranking = list(comparison.ranking())
        balanced = {
            name: PosteriorBalancedAccuracy(
                class_counts(y_true, predictions[name], **counting), prior=args.prior
            )
            for name in ranking
        }
        scores: dict[str, Any] = balanced
        if comparison is not None:
            found = dict(zip(comparison.names, comparison.posteriors, strict=True))
            scores = {name: found[name] for name in ranking}
        elif metric != DEFAULT_METRIC:
            scores = {
                name: posterior_confusion_metric(y_true, y_pred, **scoring)
                for name, y_pred in predictions.items()
            }
        if args.selected:
            selected = selected_posterior(
                paired_counts(y_true, predictions, **counting),
                metric=args.metric,
                prior=args.prior,
            )
        if args.by is not None:
            # Pooled, under a prior of their own
            counting["sensitive_features"] = table.column(args.by)
            subgroups = {
                name: subgroup_posteriors(y_true, predictions[name], **counting)
                for name in ranking
            }
    return Evaluation(balanced, scores, comparison, selected, subgroups)


def _check_options(table: InputTable, args: Namespace) -> None:
    """Raise if options cannot be combined, or applied to this table."""
    if args.by is not None and len(names := set(table.column(args.by))) < 2:
        raise InputError(f"--by: all samples are in one subgroup, {names.pop()!r}")
    if args.selected and len(table.predictions) == 1:
        raise InputError("--selected needs at least two classifiers")
    if args.selected and args.metric not in ACCURACIES.values():
        raise InputError(
            "--selected: no correction for selection is known for --metric "
            f"{args.metric}"
        )
    check_baseline(table, args.baseline)
    true = set(table.column(table.truth))
    labels = true.union(*map(table.column, table.predictions))
    for label in args.labels or ():
        if label not in labels:
            raise InputError(
                f"--labels: class {label!r} is neither a true nor a predicted label"
            )
    if args.labels and true.isdisjoint(args.labels):
        raise InputError(f"--labels: none of the classes occurs in {table.truth!r}")


def check_baseline(table: InputTable, baseline: str | None) -> None:
    """Raise if the baseline is not one of several columns."""
    others = set(table.predictions) - {baseline}
    if baseline is not None and not 0 < len(others) < len(table.predictions):
        known = ", ".join(map(repr, table.predictions))
        raise InputError(
            "--baseline must be one of two or more columns of predictions, got "
            f"{baseline!r}; there are {known}"
        )


def _read_metric(table: InputTable, args: Namespace) -> tuple[str, str | None]:
    """Return the metric and its class, which is 1 of the classes 0 and 1 by default."""
    metric, _, label = args.metric.partition(":")
    try:
        name, average = read_name(metric, None)
    except ValueError as error:  # which has the names
        reason = str(error).replace("a function or ", "")
        of_python = r"posterior_\w+ or compare_scores, which take scores"
        reason = re.sub(of_python, "--scores", reason)
        raise InputError(
            f"--{reason} (f1:LABEL and f1_macro are possible, too)"
        ) from error
    if name in OVERALL or average is not None:
        if label:
            raise InputError(
                f"--metric {args.metric}: {metric} is of all classes, not of {label!r}"
            )
        args.metric = ACCURACIES.get((name, average), metric)
        return args.metric, None
    classes = set(args.labels or table.column(table.truth))
    positive = label or default_positive(classes)
    # Of several classes, it is the macro average by default.
    if positive not in classes and (label or len(classes) == 2):
        known = join_first(list(map(repr, sorted(classes))), MOST_CLASSES_IN_ERROR)
        averages = ", ".join(f"{name}_{one}" for one in AVERAGES)
        raise InputError(
            f"--metric {args.metric} needs a class or an average: {name}:LABEL, of "
            f"which LABEL is one of {known}, or {averages}"
        )
    return metric, positive
