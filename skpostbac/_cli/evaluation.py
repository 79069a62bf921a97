"""Posteriors of the classifiers of a table, and their comparison."""

from __future__ import annotations

import re
import warnings
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from skpostbac._cli.reading import InputError
from skpostbac._cli.sections import Record
from skpostbac._cli.table import InputTable
from skpostbac._utils import join_first, unwrap
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
    posterior_confusion_metric,
    subgroup_posteriors,
)
from skpostbac.metrics._confusion import AVERAGES, OVERALL, read_name
from skpostbac.metrics._dependence import group_notes
from skpostbac.model_selection import (
    PosteriorComparison,
    compare_predictions,
    selected_posterior,
)

# A fixed seed: the same table gives the same output.
SEED = 0
# Classes listed in an error.
MOST_CLASSES_IN_ERROR = 8
BALANCED = "balanced_accuracy"


@dataclass(frozen=True)
class Evaluation:
    """Posteriors of the classifiers of a table, and their comparison."""

    table: InputTable
    args: Namespace
    """The arguments of the command line."""
    posteriors: dict[str, PosteriorBalancedAccuracy]
    """By name of the classifier, in the order of the table."""
    scores: dict[str, Any]
    """Posteriors of the metric, which are those of the balanced accuracy by default."""
    comparison: PosteriorComparison | None = None
    """None for a single classifier."""
    selected: SelectedPosterior | None = None
    """Posterior of the best classifier, corrected for selection (``--selected``)."""
    subgroups: Mapping[str, SubgroupPosteriors] = field(default_factory=dict)
    """By name of the classifier, best first, with ``--by``."""

    @property
    def ranking(self) -> list[str]:
        """Names of the classifiers by decreasing posterior mean; ties stay in order."""
        return list(self.comparison.ranking() if self.comparison else self.scores)

    @property
    def best(self) -> Any:
        """Posterior of the score of the best classifier."""
        return self.scores[self.ranking[0]]

    @cached_property
    def _report(self) -> list[str]:
        return unwrap((self.comparison or self.best).report(self.args.level))

    @property
    def results(self) -> list[str]:
        """Sentences of the report on each classifier, best first."""
        return self._report[: len(self.scores)]

    @property
    def caveats(self) -> list[str]:
        """Sentences of the report on what to know about the results."""
        effects = self.effects(self.ranking[0])
        notes = self._report[len(self.scores) :]
        if self.comparison is None:
            notes += group_notes(effects, self.labels)
        return list(dict.fromkeys(notes))

    @property
    def is_balanced(self) -> bool:
        """Whether the score is the balanced accuracy."""
        return self.scores is self.posteriors

    @property
    def less_is_better(self) -> bool:
        """Whether lower scores are better."""
        return bool(self.best._less_is_better)

    @property
    def counts(self) -> ClassCounts:
        """Counts of a classifier, with the classes and their numbers of samples."""
        return next(iter(self.posteriors.values())).counts

    @property
    def labels(self) -> list[str]:
        """The classes that are averaged over."""
        return list(map(str, self.counts.classes))

    @property
    def n_classes(self) -> int:
        """Number of classes that are averaged over."""
        return self.counts.n_classes

    @property
    def chance(self) -> float | None:
        """Chance level of a balanced accuracy of several classes."""
        return 1 / self.n_classes if self.is_balanced and self.n_classes > 1 else None

    @property
    def score_name(self) -> str:
        """Name of the score, as in the middle of a sentence."""
        name = str(self.best.score_name)
        is_abbreviation = name[1:2].isupper() or name[1:2].isdigit()  # MCC, F1
        return name if is_abbreviation else name[:1].lower() + name[1:]

    @property
    def full_name(self) -> str:
        """Name of the score, with the class of the recall of a single one."""
        is_single = self.n_classes == 1
        return f"recall of class {self.labels[0]}" if is_single else self.score_name

    def effects(self, name: str) -> Any:
        """Return the design effects of a score, None without groups."""
        score = self.scores[name]
        if isinstance(score, PosteriorAccuracy):
            score = score.counts._as_one_class()
        return score.design_effects


def evaluate(table: InputTable, args: Namespace) -> Evaluation:
    """Evaluate and compare the classifiers of a table.

    Parameters
    ----------
    table : InputTable
        True labels and predictions.
    args : Namespace
        The arguments of the command line.

    Returns
    -------
    evaluation : Evaluation

    Raises
    ------
    InputError
        If an option does not fit the table, such as a class that does not occur.
    """
    _check_options(table, args)
    metric, pos_label = _read_metric(table, args)
    y_true = table.column(table.truth)
    predictions = {name: table.column(name) for name in table.predictions}
    options: dict[str, Any] = {
        "labels": args.labels,
        "sample_weight": table.counts,
        "groups": None if args.groups is None else table.column(args.groups),
    }
    of_metric: dict[str, Any] = {
        **options,
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
        posteriors = {
            name: PosteriorBalancedAccuracy(
                class_counts(y_true, y_pred, **options), prior=args.prior
            )
            for name, y_pred in predictions.items()
        }
        scores: dict[str, Any] = posteriors
        if len(predictions) > 1:
            comparison = compare_predictions(
                y_true, predictions, rope=args.rope, random_state=SEED, **of_metric
            )
            scores = dict(zip(comparison.names, comparison.posteriors, strict=True))
        elif metric != BALANCED:
            scores = {
                name: posterior_confusion_metric(y_true, y_pred, **of_metric)
                for name, y_pred in predictions.items()
            }
        if args.selected:
            selected = selected_posterior(
                paired_counts(y_true, predictions, **options),
                metric=args.metric,
                prior=args.prior,
                random_state=SEED,
            )
        if args.by is not None:
            # Pooled, under a prior of their own
            options["sensitive_features"] = table.column(args.by)
            for name in comparison.ranking() if comparison else predictions:
                subgroups[name] = subgroup_posteriors(
                    y_true, predictions[name], **options
                )
    evaluation = Evaluation(
        table,
        args,
        # Show the posteriors that are compared.
        scores if metric == BALANCED else posteriors,
        scores,
        comparison,
        selected,
        subgroups,
    )
    if args.fail_below is not None and evaluation.less_is_better:
        raise InputError(
            f"--fail-below cannot be combined with --metric {metric}: lower is better"
        )
    return evaluation


def difference_records(comparison: PosteriorComparison, level: float) -> list[Record]:
    """Return the rows of the table of differences; the better one comes first."""
    columns = comparison.table("differences", level=level)
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _check_options(table: InputTable, args: Namespace) -> None:
    """Raise if options cannot be combined, or applied to this table."""
    is_single = len(table.predictions) == 1
    if args.by is not None and args.metric != BALANCED:
        raise InputError(
            "--by is for the balanced accuracy and cannot be combined with --metric"
        )
    if args.by is not None and len(names := set(table.column(args.by))) < 2:
        raise InputError(f"--by: all samples are in one subgroup, {names.pop()!r}")
    if args.selected and is_single:
        raise InputError("--selected needs at least two classifiers")
    knows_optimism = args.metric in (BALANCED, "accuracy")
    if args.selected and (args.groups is not None or not knows_optimism):
        option = "--groups" if knows_optimism else f"--metric {args.metric}"
        raise InputError(
            f"--selected: no correction for selection is known for {option}"
        )
    if (args.baseline is None) != (args.max_loss is None):
        raise InputError(
            "--baseline COLUMN and --max-loss VALUE must be given together"
        )
    baselines = [] if is_single else table.predictions
    if args.baseline is not None and args.baseline not in baselines:
        known = ", ".join(map(repr, table.predictions))
        raise InputError(
            "--baseline must be one of two or more columns of predictions, got "
            f"{args.baseline!r}; there are {known}"
        )
    true = set(table.column(table.truth))
    labels = true.union(*map(table.column, table.predictions))
    for label in args.labels or ():
        if label not in labels:
            raise InputError(
                f"--labels: class {label!r} is neither a true nor a predicted label"
            )
    if args.labels and true.isdisjoint(args.labels):
        raise InputError(f"--labels: none of the classes occurs in {table.truth!r}")


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
    classes = set(args.labels or table.column(table.truth))
    is_of_class = name not in OVERALL and average is None
    positive = label or (default_positive(classes) if is_of_class else None)
    # Of several classes, it is the macro average by default.
    is_known = positive in classes or (positive is None and len(classes) != 2)
    if is_of_class and not is_known:
        known = join_first(list(map(repr, sorted(classes))), MOST_CLASSES_IN_ERROR)
        averages = ", ".join(f"{name}_{one}" for one in AVERAGES)
        raise InputError(
            f"--metric {args.metric} needs a class or an average: {name}:LABEL, of "
            f"which LABEL is one of {known}, or {averages}"
        )
    if label and not is_of_class:
        raise InputError(
            f"--metric {args.metric}: {metric} is of all classes, not of {label!r}"
        )
    return metric, positive


def default_positive(classes: set[str]) -> str | None:
    """Return 1 if that is one of two classes beside 0 or -1."""
    return "1" if classes in ({"0", "1"}, {"-1", "1"}) else None
