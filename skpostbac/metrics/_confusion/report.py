"""Report of classes: precision, recall, F1 and support, laid out as in scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._plot import shorten
from skpostbac._utils import (
    LabelArray,
    RandomStateLike,
    StablePickle,
    format_column,
    format_estimate,
    join_first,
    n_decimals_of,
    paragraph,
    paragraphs,
    printable,
    result,
    shown,
    table,
    user_stacklevel,
)
from skpostbac.metrics._advice import PriorInfluenceWarning, describe_untested
from skpostbac.metrics._confusion.metrics import find_target
from skpostbac.metrics._confusion.posterior import (
    PosteriorConfusionMetric,
    infer_metrics,
)
from skpostbac.metrics._confusion.predictions import check_labelled, read_predictions
from skpostbac.metrics._confusion.samples import read_confusions
from skpostbac.metrics._counts import format_count
from skpostbac.metrics._dependence import GroupsWarning
from skpostbac.metrics._labels import (
    WeightType,
    label_list,
    read_outcomes,
    unique_label_array,
    warn_of_repeated_ids,
    warn_of_strays,
)
from skpostbac.metrics._prior import DEFAULT_PRIOR, PriorLike

# Columns and rows of scikit-learn's report.
METRICS = {"precision": "precision", "recall": "recall", "f1-score": "f1"}
AVERAGES = {"macro avg": "macro", "weighted avg": "weighted"}
_COLUMNS = (*METRICS, "support")
# Longer names are cut in their middle.
_LONGEST_NAME = 24
# Classes named in a sentence.
_NAMED = 5


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorClassificationReport(StablePickle):
    """Posteriors of precision, recall and F1 of each class, and of their averages.

    Created by :func:`~skpostbac.posterior_classification_report`.

    Examples
    --------
    >>> from skpostbac import posterior_classification_report
    >>> y_true = ["ham"] * 80 + ["spam"] * 20
    >>> y_pred = ["ham"] * 76 + ["spam"] * 4 + ["spam"] * 15 + ["ham"] * 5
    >>> report = posterior_classification_report(y_true, y_pred)
    >>> report
    PosteriorClassificationReport(accuracy=0.902, 95% CI=[0.838, 0.956], n_classes=2,
        n=100)
    >>> report.posteriors["spam"]["precision"].prob_above(0.7)
    0.7996
    """

    # By row and column.
    _numbers: dict[tuple[str, str], PosteriorConfusionMetric]
    # By class.
    _support: dict[str, float]
    _n_strays: float

    @property
    def posteriors(self) -> dict[str, dict[str, PosteriorConfusionMetric]]:
        """Posteriors by the row and the column of the report.

        Rows are the names of the classes, "accuracy", "macro avg" and "weighted avg".
        Columns are "precision", "recall" and "f1-score"; that of "accuracy" is
        "accuracy".
        """
        rows: dict[str, dict[str, PosteriorConfusionMetric]] = {}
        for (row, column), posterior in self._numbers.items():
            rows.setdefault(row, {})[column] = posterior
        return rows

    @property
    def _sizes(self) -> dict[str, float]:
        """Support of each row."""
        total = sum(self._support.values())
        return self._support | dict.fromkeys(["accuracy", *AVERAGES], total)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return posterior means and credible intervals as nested dicts.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        report : dict
            With the keys of :func:`sklearn.metrics.classification_report` and
            ``output_dict=True``. Beside each "precision" are "precision_low" and
            "precision_high", the ends of its interval, and so on; beside "accuracy" are
            "accuracy_low" and "accuracy_high". ``pandas.DataFrame(report).T`` makes a
            table.

        Examples
        --------
        >>> from skpostbac import posterior_classification_report
        >>> report = posterior_classification_report([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
        >>> report.to_dict()["1"]["recall"], report.to_dict()["1"]["recall_low"]
        (0.8333, 0.3332)
        """
        report: dict[str, Any] = {}
        sizes = self._sizes
        for row, columns in self.posteriors.items():
            estimates: dict[str, float] = {}
            for column, posterior in columns.items():
                estimates[column] = posterior.mean()
                low, high = posterior.credible_interval(level)
                estimates |= {f"{column}_low": low, f"{column}_high": high}
            if row in columns:  # the accuracy is a number beside the rows
                report |= estimates
            else:
                report[row] = {**estimates, "support": sizes[row]}
        return report

    def summary(self, level: float = 0.95) -> list[dict[str, Any]]:
        """Return one record per number, for ``pandas.DataFrame``.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        records : list of dict
            "name" of the row of the report, "metric", all entries of the
            :meth:`~skpostbac.PosteriorConfusionMetric.summary` of the metric, such as
            "mean", "low", "high" and "observed", and "support".

        Examples
        --------
        >>> from skpostbac import posterior_classification_report
        >>> report = posterior_classification_report([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
        >>> [record["observed"] for record in report.summary()[:3]]
        [1.0, 0.6667, 0.8]
        """
        sizes = self._sizes
        return [
            {"name": row, "metric": column}
            | posterior.summary(level)
            | {"support": sizes[row]}
            for (row, column), posterior in self._numbers.items()
        ]

    def table(self, level: float = 0.95) -> dict[str, list[Any]]:
        """Return the records of :meth:`summary` as a dict of columns."""
        records = self.summary(level)
        return {key: [record[key] for record in records] for key in records[0]}

    def report(self, level: float = 0.95) -> str:
        """Return the report as text, with an interval behind each number.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        text : str
            As :func:`sklearn.metrics.classification_report` prints it, and notes. There
            are two decimals, or as many as distinguish the ends of all intervals. Names
            of more than 24 characters are cut in their middle.

        Examples
        --------
        >>> from skpostbac import posterior_classification_report
        >>> y_true = ["ham"] * 80 + ["spam"] * 20
        >>> y_pred = ["ham"] * 76 + ["spam"] * 4 + ["spam"] * 15 + ["ham"] * 5
        >>> print(posterior_classification_report(y_true, y_pred).report(0.9))
        The accuracy is 0.902 (90% credible interval 0.850 to 0.950); 0.910 on the test
        samples.
        <BLANKLINE>
                              precision             recall           f1-score  support
        <BLANKLINE>
                 ham  0.93 [0.88, 0.98]  0.94 [0.90, 0.98]  0.94 [0.90, 0.97]       80
                spam  0.78 [0.61, 0.92]  0.74 [0.57, 0.89]  0.75 [0.62, 0.87]       20
        <BLANKLINE>
            accuracy                                        0.90 [0.85, 0.95]      100
           macro avg  0.85 [0.77, 0.93]  0.84 [0.75, 0.92]  0.84 [0.77, 0.92]      100
        weighted avg  0.90 [0.85, 0.95]  0.90 [0.85, 0.95]  0.90 [0.85, 0.95]      100
        <BLANKLINE>
        Posterior means, 90% credible intervals (spanning shortest and equal-tailed).
        Averages have priors of their own and may differ from the means of rows.
        """
        names, *columns = zip(*self._cells(level), strict=True)
        short = shorten(map(printable, names), _LONGEST_NAME)
        rows = [("", *_COLUMNS), *zip(short, *columns, strict=True)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        head, *lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
        n = len(self._support)
        first = paragraphs(self._result(level))
        notes = paragraphs(*self._notes(level))
        parts = [first], [head], lines[:n], lines[n:], [notes]
        return "\n\n".join(map("\n".join, parts))

    def _result(self, level: float) -> str:
        """Return the sentence on the accuracy."""
        return self._numbers["accuracy", "accuracy"]._sentences(level)[0]

    def __str__(self) -> str:
        return self.report()

    def _cells(self, level: float) -> list[list[str]]:
        """Return name, three estimates and support of each row as text."""
        posteriors = self._numbers.values()
        intervals = [posterior.credible_interval(level) for posterior in posteriors]
        n = max(n_decimals_of(high - low) for low, high in intervals) - 1
        estimates = {
            place: f"{posterior.mean():.{n}f} [{low:.{n}f}, {high:.{n}f}]"
            for (place, posterior), (low, high) in zip(
                self._numbers.items(), intervals, strict=True
            )
        }
        # That of the accuracy is below F1, as in scikit-learn.
        estimates["accuracy", "f1-score"] = estimates["accuracy", "accuracy"]
        support = format_column(list(self._sizes.values()))
        return [
            [row, *(estimates.get((row, column), "") for column in METRICS), size]
            for row, size in zip(self._sizes, support, strict=True)
        ]

    def _notes(self, level: float) -> list[str]:
        """Return sentences on the numbers, and on what is odd in the test samples."""
        percent = f"{100 * float(level):.12g}%"
        kind = "spanning shortest and equal-tailed"
        notes = [
            f"Posterior means, {percent} credible intervals ({kind}).",
            "Averages have priors of their own and may differ from the means of rows.",
        ]
        if self._n_strays:
            n = format_count(self._n_strays)
            notes.append(f"Predictions of no class, which count as errors: {n}.")
        if untested := [name for name, n in self._support.items() if not n]:
            notes.append(describe_untested(untested, leave_out_with="labels="))
        unpredicted = [
            repr(name)
            for name in self._support
            if np.isnan(self._numbers[name, "precision"].observed)
        ]
        if unpredicted:
            names = join_first(unpredicted, _NAMED)
            notes.append(
                f"Never predicted, so that the prior determines precision: {names}."
            )
        accuracy = self._numbers["accuracy", "accuracy"]
        if accuracy.design_effects is not None:
            size = accuracy.design_effects.effective_size.sum()
            notes.append(f"Effective number of samples for the accuracy: {size:.4g}.")
        if accuracy._weighting:
            notes.append(f"Labelled samples are {accuracy._weighting}.")
        return notes + accuracy.prior.report_sentences(accuracy._default_prior)

    def _repr_html_(self) -> str:
        notes = map(paragraph, self._notes(0.95))
        numbers = table(("class", *_COLUMNS), self._cells(0.95))
        return result(self._result(0.95), numbers, *notes)

    def __repr__(self) -> str:
        accuracy = self._numbers["accuracy", "accuracy"]
        mean, interval = format_estimate(accuracy.mean(), accuracy.credible_interval())
        n = format_count(self._sizes["accuracy"])
        return (
            f"PosteriorClassificationReport(accuracy={mean}, 95% CI={interval}, "
            f"n_classes={len(self._support)}, n={n})"
        )


def posterior_classification_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    target_names: ArrayLike | None = None,
    prediction_counts: Mapping[Hashable, float] | None = None,
    prediction_shares: Mapping[Hashable, float] | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    prior: PriorLike = DEFAULT_PRIOR,
    n_draws: int | None = None,
    random_state: RandomStateLike = 0,
) -> PosteriorClassificationReport:
    """Compute the posteriors of a classification report.

    It has precision, recall, F1 and support of each class, the accuracy, and macro and
    weighted averages, like :func:`sklearn.metrics.classification_report`. Each number
    is that of :func:`posterior_confusion_metric` with the same options; the macro
    average of the recall is the balanced accuracy.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    labels : array-like of shape (n_classes,), default=None
        Classes of the report, in this order; by default those in `y_true`, two or more.
        Samples of other classes are ignored; any other prediction is an error.
    target_names : array-like of shape (n_classes,), default=None
        Names of the classes, in the order of `labels`; by default the labels.
    prediction_counts, prediction_shares
        As for :func:`posterior_confusion_metric`, if these samples are the labelled
        ones of many with known predictions. The support is that of the labelled ones.
    sample_weight, weight_type, groups, prior, n_draws, random_state
        As for :func:`posterior_confusion_metric`.

    Returns
    -------
    report : PosteriorClassificationReport

    Raises
    ------
    ValueError
        If the number of `target_names` is not that of the classes, if names are not
        distinct, or one is "accuracy", "macro avg" or "weighted avg"; or for the
        reasons listed in :func:`posterior_confusion_metric`.
    TypeError
        For the reasons listed in :func:`posterior_confusion_metric`.

    Warns
    -----
    PriorInfluenceWarning, GroupsWarning, SampleWeightWarning, StrayLabelWarning
        As for :func:`posterior_confusion_metric`, each for the first number that it
        concerns.

    See Also
    --------
    posterior_confusion_metric : One of these metrics, or another.
    posterior_balanced_accuracy : The macro-averaged recall, in more detail.

    Notes
    -----
    Numbers are posterior means, as in all other views; ``summary()`` has the values of
    the samples, too. By default, averages of three or more classes have a weaker prior
    than single classes, so with few samples they are not quite the means of the rows.
    The precision of a class that is never predicted is that of its prior. scikit-learn
    adds a row for each predicted label that is no class.

    Thirty classes take about a second, or a few with groups or importance weights; a
    hundred classes with these take minutes.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skpostbac import posterior_classification_report
    >>> X, y = load_wine(return_X_y=True)
    >>> y_pred = cross_val_predict(GaussianNB(), X, y)
    >>> print(posterior_classification_report(y, y_pred))
    The accuracy is 0.961 (95% credible interval 0.928 to 0.987); 0.966 on the test
    samples.
    <BLANKLINE>
                          precision             recall           f1-score  support
    <BLANKLINE>
               0  0.97 [0.92, 1.00]  0.94 [0.87, 0.99]  0.96 [0.91, 0.99]       59
               1  0.95 [0.89, 0.99]  0.95 [0.89, 0.99]  0.95 [0.91, 0.98]       71
               2  0.95 [0.88, 1.00]  0.99 [0.95, 1.00]  0.97 [0.93, 1.00]       48
    <BLANKLINE>
        accuracy                                        0.96 [0.93, 0.99]      178
       macro avg  0.96 [0.93, 0.99]  0.96 [0.93, 0.99]  0.96 [0.93, 0.99]      178
    weighted avg  0.96 [0.93, 0.99]  0.96 [0.93, 0.99]  0.96 [0.93, 0.99]      178
    <BLANKLINE>
    Posterior means, 95% credible intervals (spanning shortest and equal-tailed).
    Averages have priors of their own and may differ from the means of rows.
    """
    outcomes = read_outcomes(
        y_true, {"y_pred": y_pred}, sample_weight, weight_type, groups
    )
    classes, samples = read_confusions(outcomes, labels)
    names = _read_names(target_names, classes)
    targets = {
        (name, column): find_target(metric, classes, label, None)
        for name, label in zip(names, label_list(classes), strict=True)
        for column, metric in METRICS.items()
    }
    targets["accuracy", "accuracy"] = find_target("accuracy", classes, None, None)
    targets |= {
        (name, column): find_target(metric, classes, None, average)
        for name, average in AVERAGES.items()
        for column, metric in METRICS.items()
    }

    C = samples.matrix(len(classes))
    predictions = read_predictions(
        prediction_counts, prediction_shares, classes, C, "sampled"
    )
    if predictions is not None:
        check_labelled(samples, len(outcomes.weights))
    options = "sampled", prior, n_draws, random_state, samples, predictions
    with warnings.catch_warnings(record=True) as caught:
        for category in (PriorInfluenceWarning, GroupsWarning):
            warnings.simplefilter("always", category)
        posteriors = infer_metrics([*targets.values()], C, classes, *options)
    first = {one.category: one.message for one in reversed(caught)}
    for message in first.values():
        warnings.warn(message, stacklevel=user_stacklevel())
    warn_of_strays(outcomes, classes)
    if groups is None:
        warn_of_repeated_ids(y_true)

    is_stray = samples.pred.ravel() == len(classes)
    cases = is_stray if samples.is_importance else samples.weight[is_stray]
    return PosteriorClassificationReport(
        dict(zip(targets, posteriors, strict=True)),
        dict(zip(names, C.sum(axis=1).tolist(), strict=True)),
        float(cases.sum()),
    )


def _read_names(target_names: ArrayLike | None, classes: LabelArray) -> tuple[str, ...]:
    """Return the names of the classes, which must differ from those of other rows."""
    labels = classes
    if target_names is not None:
        labels = unique_label_array(target_names, "target_names")
    if len(labels) != len(classes):
        raise ValueError(
            f"Number of classes, {len(classes)}, does not match size of target_names, "
            f"{len(labels)}. Try specifying the labels parameter"
        )
    names = tuple(map(str, label_list(labels)))
    others = ("accuracy", *AVERAGES)
    if len({*names, *others}) < len(names) + len(others):
        raise ValueError(
            f"names of classes must differ, also from {list(others)}, got "
            f"{shown(names)}; give others as target_names"
        )
    return names
