"""Posteriors of the classifiers of a table, and their comparison."""

from __future__ import annotations

import warnings
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from skpostbac._cli.arguments import DEFAULT_METRIC
from skpostbac._cli.reading import InputError
from skpostbac._cli.table import RIGHT, InputTable, default_positive
from skpostbac.metrics import (
    ClassCounts,
    GroupsWarning,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PriorInfluenceWarning,
    SelectedPosterior,
    StrayLabelWarning,
    SubgroupPosteriors,
    class_counts,
    paired_counts,
    posterior_balanced_accuracy,
    posterior_confusion_metric,
    subgroup_posteriors,
)
from skpostbac.metrics._confusion import OVERALL, read_name
from skpostbac.model_selection import (
    PosteriorComparison,
    compare_outcomes,
    compare_predictions,
    selected_posterior,
)
from skpostbac.model_selection._pooling import accuracy_of

Options: TypeAlias = dict[str, Any]

# The one name of metrics that have more options than others.
ACCURACIES = {("recall", "macro"): DEFAULT_METRIC, ("accuracy", None): "accuracy"}


@dataclass(frozen=True)
class Evaluation:
    """Posteriors of the classifiers of a table, best first, and their comparison."""

    scores: Mapping[str, Any]
    """Posteriors of the metric, by name of the classifier."""
    counts: Mapping[str, ClassCounts]
    """Correct predictions by class."""
    comparison: PosteriorComparison | None = None
    """None for a single classifier."""
    selected: SelectedPosterior | None = None
    """Posterior of the best classifier, corrected for selection (``--selected``)."""
    subgroups: Mapping[str, SubgroupPosteriors] = field(default_factory=dict)
    """By name of the classifier, with ``--by``."""


def evaluate(table: InputTable, args: Namespace) -> Evaluation:
    """Evaluate and compare the classifiers of a table, or the systems.

    Raises
    ------
    InputError
        If an option does not fit the table, such as a class that does not occur.
    """
    metric, pos_label = _read_metric(table, args)
    _check_options(table, args)
    predictions = {name: table.column(name) for name in table.predictions}
    y_true = table.column(table.truth)
    if args.correct:
        # All items are of one class.
        y_true = np.full(len(table.rows), RIGHT, dtype=object)
    sampling: Options = {
        "sample_weight": table.counts,
        "groups": table.column(args.groups),
    }
    counting = {**sampling, "labels": args.labels}
    scoring = {**counting, "metric": metric, "pos_label": pos_label}
    selected = None
    subgroups = {}
    with warnings.catch_warnings():
        # The answer has its own notes on the prior, on groups and on labels.
        for category in (PriorInfluenceWarning, GroupsWarning, StrayLabelWarning):
            warnings.simplefilter("ignore", category)
        if args.correct:
            comparison, scores = _infer_outcomes(predictions, sampling, args)
        else:
            comparison, scores = _infer_labels(y_true, predictions, scoring, args)
        if comparison is not None:
            found = dict(zip(comparison.names, comparison.posteriors, strict=True))
            scores = {name: found[name] for name in comparison.ranking()}
        counts = {
            name: class_counts(y_true, predictions[name], **counting) for name in scores
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
                for name in scores
            }
    return Evaluation(scores, counts, comparison, selected, subgroups)


def _infer_outcomes(
    predictions: Mapping[str, Any], sampling: Options, args: Namespace
) -> tuple[PosteriorComparison | None, dict[str, Any]]:
    """Return the comparison of several accuracies, or the posterior of one."""
    right = {name: cells == RIGHT for name, cells in predictions.items()}
    if len(right) > 1:
        comparison = compare_outcomes(
            right, rope=args.rope, prior=args.prior, **sampling
        )
        return comparison, {}
    ((name, outcomes),) = right.items()
    counts = PosteriorAccuracy.from_outcomes(outcomes, **sampling).counts
    posterior = PosteriorBalancedAccuracy(counts, prior=args.prior)
    return None, {name: accuracy_of(counts, posterior)}


def _infer_labels(
    y_true: Any, predictions: Mapping[str, Any], scoring: Options, args: Namespace
) -> tuple[PosteriorComparison | None, dict[str, Any]]:
    """Return the comparison of several scores, or the posterior of one."""
    options = {**scoring, "prior": args.prior}
    if len(predictions) > 1:
        return compare_predictions(y_true, predictions, rope=args.rope, **options), {}
    infer: Any = posterior_confusion_metric
    if args.metric == DEFAULT_METRIC:
        infer = posterior_balanced_accuracy
        del options["metric"], options["pos_label"]
    return None, {
        name: infer(y_true, one, **options) for name, one in predictions.items()
    }


def _check_options(table: InputTable, args: Namespace) -> None:
    """Raise if options cannot be applied to this table."""
    if args.selected and len(table.predictions) == 1:
        raise InputError("--selected needs at least two classifiers")
    others = set(table.predictions) - {args.baseline}
    if args.baseline is not None and not 0 < len(others) < len(table.predictions):
        known = ", ".join(map(repr, table.predictions))
        raise InputError(
            "--baseline must be one of two or more columns of predictions, got "
            f"{args.baseline!r}; there are {known}"
        )
    if args.labels:
        true = set(table.column(table.truth))
        labels = true.union(*map(table.column, table.predictions))
        for label in set(args.labels) - labels:
            raise InputError(
                f"--labels: class {label!r} is neither a true nor a predicted label"
            )
        if true.isdisjoint(args.labels):
            raise InputError(f"--labels: none of the classes occurs in {table.truth!r}")


def _read_metric(table: InputTable, args: Namespace) -> tuple[str, str | None]:
    """Return the metric and its class, which is 1 of the classes 0 and 1 by default."""
    metric, _, label = args.metric.partition(":")
    name, average = read_name(metric, None)
    if (name, average) in ACCURACIES:
        metric = args.metric = ACCURACIES[name, average]
    if label or average is not None or name in OVERALL:
        return metric, label or None
    return metric, default_positive(set(args.labels or table.column(table.truth)))
