"""Bad input: one error of one line, of the right type, that names the argument."""

import json
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    class_counts,
    compare_predictions,
    population_posterior,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_confusion_metric,
    posterior_prevalence,
    posterior_roc_auc,
    posterior_threshold_curve,
    subgroup_posteriors,
)
from skpostbac.binary_equivalent import (
    GuessingTest,
    binary_equivalent_accuracy,
    binary_equivalent_accuracy_score,
    guessing_test,
)
from skpostbac.metrics import (
    ExpectedCost,
    NetBenefit,
    PairedCounts,
    PopulationPosterior,
    SelectedPosterior,
    SubgroupPosteriors,
    paired_counts,
)

from_counts = PosteriorBalancedAccuracy.from_counts
from_confusion = PosteriorBalancedAccuracy.from_confusion_matrix
from_matrix = PosteriorConfusionMetric.from_confusion_matrix
TWO, THREE = np.array([[166, 25], [21, 188]]), [[102, 8, 7], [10, 89, 11], [5, 12, 120]]
EYE, COUNTS = [[1, 0], [0, 1]], ClassCounts(["a", "b"], [7, 2.5], [9, 3])
CARRILLO = ClassCounts([0, 1, 2], [30, 8, 3], [32, 10, 4])
PATTERNS = [[1, 1], [1, 0], [1, 1], [0, 0]]
PAIRED = PairedCounts(("x", "y"), [0, 1], [0, 0, 1, 1], PATTERNS, [7, 1, 2, 0.5])
JUDGE = {"sensitivity": (27, 30), "specificity": (24, 30)}
Y, SCORES = [0, 0, 0, 1, 1], [0.1, 0.2, 0.7, 0.5, 0.9]
POSTERIOR, POSTERIOR_3 = from_counts([3, 5], [4, 9]), from_counts([3, 5, 4], [4, 9, 6])
DAYS = np.array(["2020-01-01"], "M8[D]")
SITES = ["n", "s", "n", "s", "s"]


def count(**options):
    return class_counts([0, 1], [0, 1], **options)


def pair(predictions, **options):
    return paired_counts([0, 1], predictions, **options)


def metric(name, C=THREE, **options):
    return from_matrix(C, name, **options)


def prevalence(**changed):
    arguments = {"positives": 13, "total": 20, **JUDGE, **changed}
    return posterior_prevalence(
        arguments.pop("positives"), arguments.pop("total"), **arguments
    )


def groups(*arguments):
    return population_posterior(*arguments)


def population(correct, total):
    return PopulationPosterior(correct, total)


def subgroups(y_true=Y, y_pred=Y, sensitive_features=SITES, **options):
    return subgroup_posteriors(
        y_true, y_pred, sensitive_features=sensitive_features, **options
    )


def curve(**options):
    return posterior_threshold_curve(Y, SCORES, **options)


def weigh(class_weight):
    return PosteriorBalancedAccuracy(
        ClassCounts(["a", "b", "c"], [1, 1, 1], [2, 2, 2]), class_weight=class_weight
    )


def read(counts, /, **fields):
    """Read the JSON of counts with other fields; None takes a field away."""
    document = json.loads(counts.to_json()) | fields
    document = {key: value for key, value in document.items() if value is not None}
    return type(counts).from_json(json.dumps(document))


def parse(text):
    return ClassCounts.from_json(text)


# fmt: off
CALLS = [
    # Labels and weights
    (lambda: class_counts([], []), "Found empty input array"),
    (lambda: class_counts([0, 1], [0]), r"^Found input .* of samples: \[2, 1\] \(y_true, y_pred\)"),
    (lambda: class_counts([0, 1], [0, np.nan]), "NaN: 1 of 2 labels are missing.* position 1"),
    (lambda: class_counts(["a", None, "b", None], list("abcd")), "NaN: 2 of 4 .* position 1"),
    (lambda: class_counts([0, -np.inf], [0, 1]), "^y_true: continuous is not supported"),
    (lambda: class_counts([0, 1], [0.5, np.inf]), "^y_pred: continuous is not supported"),
    (lambda: class_counts([0, 1], [0.5, 1]), "y_pred: continuous is not supported"),
    (lambda: class_counts([0, 1], EYE), r"^y_pred: should be .*one-hot .*y.argmax\(axis=1\)"),
    (lambda: class_counts([["a"], ["b", "c"]], [0, 1]), "^y_true: .*one label for each item"),
    (lambda: class_counts([0, 1], {0: 0, 1: 1}.values()), "^y_pred.*pass a list or a column with one label"),
    (lambda: class_counts([0, 1], ["0", "1"]), r"\[0, '0'\]. Convert one of them, as by astype"),
    (lambda: class_counts(["a", "b"], [0, 1]), r"Mix of label input types \(string and number\)"),
    (lambda: class_counts([True, False], ["True", "False"]), "Mix of label input types"),
    (lambda: class_counts(["a", "a"], pd.Categorical(["a", None])), r"^Input y_pred contains NaN: 1 of 2 .* position 1"),
    (lambda: count(labels=[5]), "At least one label specified must be in y_true"),
    (lambda: count(labels=["0"]), r"^labels: Mix of label input types \(string and number\)"),
    (lambda: count(labels=[]), "'labels' should contain at least one label"),
    (lambda: count(labels=[0, 0]), "labels must not contain duplicates"),
    (lambda: count(sample_weight=[1, -1]), "sample_weight must be finite and non-negative"),
    (lambda: count(sample_weight=[[1], [1]]), "sample_weight must be 1-dimensional"),
    (lambda: count(sample_weight=["a", "b"]), "sample_weight must be an array of numbers"),
    (lambda: count(sample_weight=[0, 0]), "sample_weight: Sample weights must contain at least"),
    (lambda: count(sample_weight=[1]), r"^Found input variables .*: \[2, 2, 1\] \(y_true, y_pred, sa"),
    (lambda: count(sample_weight=[1e308, 1e308]), "sample_weight must add up to at most"),
    (lambda: count(weight_type="survey"), "weight_type must be one of"),
    (lambda: count(sample_weight=[1e-200] * 2, weight_type="importance"), "at least 1e-100"),
    (lambda: count(groups=[1]), r"of samples: \[2, 2, 1\] \(y_true, y_pred, groups\)"),
    (lambda: count(groups=["a", None]), "Input groups contains NaN"),
    (lambda: count(groups=np.ones((2, 2))), r"^groups: should be a 1d array, .* \(2, 2\); pass"),
    (lambda: count(groups="patient"), r"^groups must be an array or a list, got the string 'patient'"),
    (lambda: ClassCounts([1], [1], [1]) + class_counts(["a"], ["a"]), "^Mix of label input types"),
    (lambda: class_counts([0], [0], labels=["0"]), "^labels: Mix of label input ty"),
    (lambda: class_counts([], [1]), r"numbers of samples: \[0, 1\]"),
    # Importance needs weights, which were probably forgotten
    *[
        (lambda function=function: function(Y, Y, weight_type="importance"),
         "^weight_type='importance' needs sample_weight")
        for function in (
            posterior_balanced_accuracy,
            posterior_accuracy,
            partial(posterior_confusion_metric, metric="accuracy"),
            lambda y, p, **options: paired_counts(y, {"a": p}, **options),
            lambda y, p, **options: compare_predictions(y, {"a": p, "b": y}, **options),
            partial(posterior_threshold_curve, pos_label=1),
            lambda y, p, **options: subgroups(y, p, **options),
        )
    ],
    # Counts
    (lambda: ClassCounts([0, 1], [-1, 0], [1, 1]), "correct must be finite and non-negative"),
    (lambda: ClassCounts([0, 1], [0, 0], [1, np.inf]), "total must be finite and non-negative"),
    (lambda: ClassCounts([0, 1], [2, 0], [1, 1]), "correct must not exceed total"),
    (lambda: ClassCounts([0, 1], [0], [1, 1]), "must have the same length, got 2, 1 and 2"),
    (lambda: ClassCounts([0, 1], [[0, 0]], [1, 1]), "correct must be 1-dimensional"),
    (lambda: ClassCounts([0], [0], [1.1e15]), r"total must not exceed 1e\+15, got .* position 0"),
    (lambda: ClassCounts([0], [0], [6e14]) + ClassCounts([0], [0], [6e14]), "must not exceed"),
    (lambda: COUNTS + 1, TypeError, "unsupported operand"),
    (lambda: count(groups=[1, 2]) + count(), "Counts can be added only if all of them were made"),
    # Confusion matrices, and posteriors of tables
    (lambda: from_confusion([[1, 2, 3], [4, 5, 6]]), "C must be a square confusion matrix"),
    (lambda: from_confusion(np.zeros((0, 0))), "C must be a square confusion matrix"),
    (lambda: from_confusion([[1, 1], [-3, 1]]), r"C must be .*got -3.0 at position \(1, 0\)"),
    (lambda: from_confusion([["a", "b"]] * 2), "C must be an array of numbers, got 'a' at posit"),
    (lambda: from_confusion([[1e308, 1e308], [0, 1]]), r"C must have rows .* at most 1e\+15, got "),
    (lambda: from_confusion(pd.DataFrame(EYE, ["a", "b"], ["b", "a"])), "C must have the same lab"),
    (lambda: from_confusion(pd.DataFrame(EYE, ["a", "b"], ["a", "c"])), "row 'b' where the column"),
    (lambda: from_confusion(EYE, labels=[0, 1, 2]), "one label for each of the 2 rows of C, got 3"),
    (lambda: from_counts(pd.Series({"b": 1}), pd.Series({"c": 2})), "must have the same index"),
    (lambda: from_counts([0, 1], [1, 1e15]), r"prior and total must add .* got a total of 10{15}"),
    (lambda: PosteriorAccuracy.from_counts([0, 0], [6e14, 6e14]), "prior and counts must add up"),
    (lambda: PosteriorAccuracy(COUNTS, prior="reciprocal"), "'jeffreys', 'neutral', 'uniform'"),
    (lambda: PosteriorAccuracy(COUNTS, prior=[[1, 1]]), "prior must be one of"),
    (lambda: posterior_accuracy(Y, Y, prior="calibrated"), "prior must be one of"),
    (lambda: POSTERIOR + 1, TypeError, "unsupported operand"),
    # Priors and class weights
    (lambda: from_counts([1], [2], prior="Uniform"), r"must be one of \['calibrated', 'jeff"),
    (lambda: from_counts([1], [2], prior=(1, 2, 3)), "prior must be one of"),
    (lambda: from_counts([1], [2], prior=[[[1, 1]]]), "prior must be one of"),
    (lambda: from_counts([1], [2], prior=(1, 9e-7)), r"between 1e-06 and 1e\+15, got 9e-07 at pos"),
    (lambda: from_counts([1, 1], [2, 2], prior=[[1, 1], [np.inf, 1]]), r"got inf at position \(1,"),
    (lambda: from_counts([1] * 3, [2] * 3, prior=EYE), "prior must have a and b between"),
    (lambda: from_counts([1] * 3, [2] * 3, prior=[[1, 1]] * 2), "one row for each of the 3 "),
    (lambda: weigh([1, -1, 1]), "class_weight must be finite and non-negative"),
    (lambda: weigh([0, 0, 0]), "class_weight must have a positive weight"),
    (lambda: weigh({}), "class_weight must have a positive weight"),
    (lambda: weigh("balanced"), "class_weight must be a dict or an .*, got 'balanced'; by default all"),
    (lambda: weigh(2.0), "class_weight must be 1-dimensional"),
    (lambda: weigh({"a": "x"}), "class_weight must be an array of numbers"),
    (lambda: weigh(pd.Series([1, 2], ["a", "a"])), "class_weight must have each label once"),
    (lambda: weigh([1, 1]), "one weight for each of the 3 classes, got 2"),
    (lambda: weigh({"a": 1, "b": 1}), r"class_weight has no weight for the classes \['c'\]"),
    (lambda: weigh({"a": 0, "b": 0, "c": 0, "d": 1}), "class_weight must have a positive weight"),
    (lambda: weigh([0, 1, 1e300]), "class_weight must not have positive weights below"),
    # Counts of several classifiers
    (lambda: pair([[0, 1]]), TypeError, 'predictions must .*{"A": a, "B": b}.*, got list'),
    (lambda: pair({}), "at least one classifier"),
    (lambda: pair({1: [0, 1]}), TypeError, "must be strings, got 1"),
    (lambda: pair({"": [0, 1]}), "must not be empty, got ''$"),
    (lambda: pair(pd.DataFrame([[0, 1]] * 2, columns=["A", "A"])), "must be different"),
    (lambda: pair({"A": [0, 1], "B": [0]}), r": \[2, 2, 1\] .*A'\], predictions\['B'\]\)$"),
    (lambda: pair({"A": [0, 1], "B": [0, None]}), r"predictions\['B'\]"),
    (lambda: pair({"A": ["x", "y"]}), r"^y_true and predictions\['A'\]: Mix of label"),
    (lambda: pair({"A": [0.5, 1]}), r"predictions\['A'\]: continuous"),
    (lambda: pair({"A": [0, 1]}, labels=[7]), "must be in y_true"),
    (lambda: pair({"A": [0, 1]}, sample_weight=[1e16, 1]), "at most 1e.15"),
    (lambda: PairedCounts("AB", [0], [0], [[1, 1]], [1]), TypeError, "names must be a tuple"),
    (lambda: PairedCounts(("A", "A"), [0], [0], [[1, 1]], [1]), "must be different"),
    (lambda: PairedCounts(("A",), [0, 0], [0], [[1]], [1]), "duplicates"),
    (lambda: PairedCounts(("A",), [0], [1], [[1]], [1]), "integers from 0 to 0"),
    (lambda: PairedCounts(("A",), [0], [0.5], [[1]], [1]), "class_index must hold integers"),
    (lambda: PairedCounts(("A",), [0], [0], [[2]], [1]), "patterns must hold booleans"),
    (lambda: PairedCounts(("A",), [0], [0], [[1, 0]], [1]), "must be of shapes"),
    (lambda: PairedCounts(("A",), [0], [0], [[1]], [-1]), "counts must be finite"),
    (lambda: PairedCounts(("A",), [0], [0, 0], [[1], [0]], [1e15, 1]), "add up to at most"),
    (lambda: PairedCounts.from_cells([1, 2, 3, 4]), r"cells must be of shape \(n_classes, 4\)"),
    (lambda: PairedCounts.from_cells([[1, 2, 3, -4]]), "cells must be finite and non-negative"),
    (lambda: PairedCounts.from_cells([[1, 2, 3, 4]], classes=[1, 2]), "classes must have one"),
    (lambda: PAIRED + PairedCounts.from_cells([[1, 0, 0, 0]]), "same classifiers in the same orde"),
    (lambda: PAIRED.margin("z"), "name must be one of"),
    (lambda: PAIRED.design_effects("x", "x"), "first and second must be different"),
    # JSON
    (lambda: parse(3), TypeError, "JSON object must be str"),
    (lambda: parse(""), "^text must be JSON: "),
    (lambda: parse("[1, 2]"), r"^text must be a JSON object, got \[1, 2\]$"),
    (lambda: ClassCounts(DAYS, [1], [1]).to_json(), TypeError, "not JSON serializable"),
    (lambda: parse("[" * 100_000), "^text must be JSON: (maximum recursion|Stack overflow)"),
    (lambda: parse(COUNTS.to_json().replace("9.0", "9" * 5000)), "digits"),
    (lambda: parse(COUNTS.to_json().replace("9.0", "NaN")), "^total must be finite"),
    (lambda: read(COUNTS, format="x"), "^'format' must be 'skpostbac.ClassCounts', got 'x'$"),
    (lambda: read(COUNTS, version=2), "^'version' must be 1, got 2$"),
    (lambda: read(COUNTS, total=None), "^text: .* missing 1 required .*argument: 'total'"),
    (lambda: read(COUNTS, site="x"), "^text: .* unexpected keyword argument 'site'"),
    (lambda: read(COUNTS, total=3), "^total must be 1-dimensional"),
    (lambda: read(COUNTS, total=["9", 3]), "^total must be an array of numbers, got '9'"),
    (lambda: read(COUNTS, total=[10**400, 3]), "^total must be an array of numbers"),
    (lambda: read(COUNTS, classes=["a", ["b"]]), r"^text: classes: "),
    (lambda: read(COUNTS, classes=["a", 1]), "^classes: Mix of label input types"),
    (lambda: read(COUNTS, classes=[]), "^'classes' should contain at least one label"),
    (lambda: read(PAIRED, names=["x", 1]), "^text: the names of classifiers must be strings"),
    (lambda: read(PAIRED, names=["x", "x"]), "^the names of classifiers must be different"),
    (lambda: read(PAIRED, class_index=[0, 0, 1, 2]), "^class_index must hold integers from 0 to 1"),
    (lambda: read(PAIRED, patterns=[[1, 0], [1], [1, 0], [1, 0]]), "^patterns must be an array"),
    (lambda: read(PAIRED, patterns=[[1, 0], "11"]), "^patterns must be an array"),
    (lambda: read(PAIRED, counts=[1, 7, 0.5, None]), "^counts must be an array of numbers, got"),
    # Priors and levels
    (lambda: from_counts([1], [2], prior="jeffrey"), "'jeffrey'; did you mean 'jeffreys'"),
    (lambda: POSTERIOR.credible_interval(0.05), "^level must be .* inside .*: write 0.95 for 0.05"),
    (lambda: POSTERIOR.summary(0.01), "^level must be .*: write 0.99 for 0.01"),
    # Metrics of a confusion matrix
    (lambda: metric("auc"), "^metric='auc' is unknown .did you mean posterior_roc_auc or .*; it must be a function or"),
    (lambda: metric(int), "^metric=<class 'int'> is unknown; it must be a function or one of"),
    (lambda: metric(metrics.f1_score), "scikit-learn's f1_score, which takes labels; give a name"),
    (lambda: metric(metrics.get_scorer("f1")), r"scikit-learn's make_scorer.*give a name"),
    (lambda: metric("f1-scor"), "^metric='f1-scor' is unknown .did you mean 'f1'"),
    (lambda: metric("specifity"), "did you mean 'specificity'.*; .* one of .*'specificity'"),
    (lambda: metric("mathews"), "^metric='mathews' is unknown .did you mean 'mcc'..; it must be"),
    (lambda: metric("fbeta_score"), "did you mean 'f2'..; it must"),
    (lambda: metric("recal_weighted"), "did you mean 'recall' with average='weighted'..;"),
    (lambda: metric("balanced acuracy"), "did you mean 'recall_macro'..;"),
    (lambda: metric("fall-aut"), "did you mean 'false_positive_rate'..;"),
    (lambda: metric("net_benefit"), r"did you mean NetBenefit\(threshold\)"),
    (lambda: metric("expected cost"), r"did you mean ExpectedCost\(costs\)"),
    (lambda: metric("f1", average="weighed"), "average must be .*; did you mean 'weighted'"),
    (lambda: metric("f1", average="binary"), "metric of one class needs a pos_label"),
    (lambda: metric("f1_macro", average="micro"), "average='micro' contradicts metric='f1_m"),
    (lambda: metric("f1", TWO, labels=["ham", "spam"]), r"needs a pos_label.* one of \['ham', 'sp"),
    (lambda: metric("lr+", TWO, labels=[0, 2]), "metric of one class needs a pos_label"),
    (lambda: metric("accuracy_macro"), "did you mean 'accuracy'"),
    (lambda: metric("kappa", average="weird"), "average must be one of"),
    (lambda: metric("kappa", average="micro"), "average='micro' does not apply"),
    (lambda: metric("recall", pos_label=1, average="micro"), "average='micro' does not"),
    (lambda: metric("kappa", pos_label=7), "pos_label=7 does not .* no positive class; leave pos_label"),
    (lambda: metric(np.ptp, pos_label=1), "pos_label=1 does not apply"),
    (lambda: metric(np.ptp, average="micro"), "average='micro' does not apply"),
    (lambda: metric("f1", pos_label="x"), "pos_label='x' is not a valid label"),
    (lambda: metric("f1", prevalence="equal"), "prevalence must be 'sampled'"),
    (lambda: metric("f1", TWO, prevalence=float("nan")), r"prevalence must be .*; got nan"),
    (lambda: metric("f1", TWO, prevalence=1.0), r"prevalence must be .* in \(0, 1\), .*; got 1.0"),
    (lambda: metric("mcc", prevalence=0.1), r"prevalence must be .* classes \[0, 1, 2\], or a number .* of two classes"),
    (lambda: metric("mcc", TWO, labels=["a", "b"], prevalence=0.1), "share of pos_label, by default 1, of two classes"),
    (lambda: metric("f1", prevalence=[1, 2]), "prevalence must have a share for each of the 3"),
    (lambda: metric("f1", prevalence=[0, 0, 0]), "prevalence must have a share"),
    (lambda: metric("f1", prevalence=[1, -1, 1]), "prevalence must be finite and non-negative"),
    (lambda: metric("fpr", pos_label=0, prevalence=[1, 0, 0]), "prevalence leaves no samples outs"),
    (lambda: metric("f1", labels=[1, 2]), "labels must have one label for each of the 3"),
    (lambda: metric("f1", n_draws=1), "n_draws == 1, must be >= 2"),
    (lambda: metric(lambda y, y_pred: 1), TypeError, "^metric is called with confusion matrices, and failed: .* missing"),
    (lambda: metric(lambda C: C.sum()), "metric must return one number for each confusion matrix"),
    (lambda: metric(lambda C: C[:, 0, 0] * np.nan), "metric is not a finite number"),
    (lambda: metric("f1", [[3]]), "A confusion matrix needs at least two classes"),
    (lambda: posterior_confusion_metric([0, 0, 1], [0, 2, 1], ExpectedCost([[0, 1], [1, 0]])),
     "costs has no column for predictions that are none of the classes"),
    (lambda: posterior_confusion_metric(Y, Y, lambda C: np.full(len(C), np.nan), groups=SITES),
     "metric is not a finite number near the expected"),
    (lambda: ExpectedCost([0, 1]), "costs must have the shape"),
    (lambda: ExpectedCost([[1, 1], [1, 1]]), "costs must be finite and not all alike"),
    (lambda: ExpectedCost([[0, 1e300], [1, 0]]), "costs must be zero or between 1e-50 and 1e"),
    (lambda: NetBenefit(1), r"threshold must be in \(0, 1\)"),
    (lambda: NetBenefit("0.2"), "threshold must be"),
    (lambda: NetBenefit(1e-300), "threshold must be at least 1e-50, got 1e-300"),
    (lambda: metric(ExpectedCost([[0, 1], [1, 0]])), "costs must have a row for"),
    (lambda: metric(NetBenefit(0.2)), "metric of one class needs a pos_label"),
    (lambda: metric(NetBenefit(0.2), TWO, average="macro"), "average='macro' does not"),
    (lambda: metric(ExpectedCost([[0, 1], [1, 0]]), TWO, pos_label=1), "pos_label=1 does"),
    (lambda: metric(ExpectedCost([[1, 1], [0, 1]]), TWO, prevalence=[1, 0]), "does not depend on"),
    # Populations and subgroups
    (lambda: groups({"a": (1, 2)}, [2]), "^total must be left out"),
    (lambda: groups({1: (1, 2), "1": (1, 2)}), "^the names of groups must be different, .*'1', '1"),
    (lambda: groups({"new group": (1, 2)}), "^the names of groups must be .*none of .*'new group'"),
    (lambda: groups({"a": 1}), r"^correct must have ClassCounts or pairs \(correct, total\)"),
    (lambda: groups({"a": ClassCounts(["x"], [1], [2]), "b": (1, 2)}), "^correct must have"),
    (lambda: groups({}), "^correct must have at least one group, got none"),
    (lambda: groups([], []), r"correct must have shape \(n_groups,\)"),
    (lambda: groups([1, 2]), "total must be given"),
    (lambda: groups([ClassCounts([c], [1], [2]) for c in "ab"]), "the same classes in all groups"),
    (lambda: population([5.0], [3.0]), "correct must not exceed total, got 5.0 at position 0"),
    (lambda: population([1.0], [-3.0]), "total must be finite and non-negative"),
    (lambda: population([1.0], [1e8]), r"total must not exceed 1e\+07"),
    (lambda: population(None, [3.0]), "correct must be an array of numbers"),
    (lambda: population([1.0], [3.0, 4.0]), "correct and total must have the same shape"),
    (lambda: SubgroupPosteriors(("a",), (POSTERIOR,)), "two or more"),
    (lambda: SubgroupPosteriors(("a", "a"), (POSTERIOR,) * 2), "different names"),
    (lambda: SubgroupPosteriors(("a", "b"), (POSTERIOR, 1)), TypeError, "PosteriorBalancedAccurac"),
    (lambda: SubgroupPosteriors(("a", "b"), (POSTERIOR, POSTERIOR_3)), "same classes"),
    (lambda: subgroups(np.ones((5, 2))), "^y_true: "),
    (lambda: subgroups(y_pred=Y[1:]), r"samples: \[5, 4\] \(y_true, y_pred\)$"),
    (lambda: subgroups(sensitive_features=EYE), r"^sensitive_features: should be a 1d array"),
    (lambda: subgroups(sensitive_features=SITES[1:]), "^sensitive_features: "),
    (lambda: subgroups(sensitive_features=[0] * 5), "sensitive_features must have two or more"),
    (lambda: subgroups(sample_weight=[1, 0, 1, 0, 0]), "of each group.* of 's' are 0"),
    # Thresholds
    (lambda: curve(level=1.0), "level must be"),
    (lambda: curve(class_weight=[1, 2, 3]), "class_weight must have one"),
    (lambda: curve(pos_label="x"), "pos_label='x' is not a valid label"),
    (lambda: curve(random_state=-1), "random_state must be"),
    (lambda: curve(sample_weight=Y), "sample_weight must be positive for some"),
    (lambda: curve(sample_weight=[1e15, 1, 1, 1, 1]), r"add up to at most 1e\+15, got 10{14}4\.0"),
    (lambda: curve(weight_type="survey"), "weight_type must be one of"),
    (lambda: posterior_threshold_curve(Y, [np.nan] * 5), "y_score must be finite"),
    (lambda: posterior_threshold_curve([0, 1, 2], [1, 2, 3]), "multiclass format is not supported"),
    (lambda: SelectedPosterior(POSTERIOR, optimism=-0.1), "optimism must be a number of at least "),
    (lambda: SelectedPosterior(POSTERIOR, 0.1, np.nan), "optimism_error must be a number of at"),
    (lambda: SelectedPosterior(0.5, optimism=0.1), TypeError, "uncorrected must be a posterior"),
    # Prevalence
    (lambda: prevalence(sensitivity=(3, 2)), "sensitivity must be a count"),
    (lambda: prevalence(specificity=0.9), r"specificity must be a count .* got 0\.9$"),
    (lambda: prevalence(sensitivity=(np.nan, 3)), "sensitivity must be a count"),
    (lambda: prevalence(positives=-1), "positives and total must be a count"),
    (lambda: prevalence(total=10), "positives and total must be a count"),
    (lambda: prevalence(specificity=(1, 1e16)), "prior and specificity must"),
    (lambda: prevalence().difference(prevalence(sensitivity=(9, 10))), "have the same judge"),
    (lambda: prevalence().difference(1), TypeError, "other must be a PosteriorPrevalence"),
    (lambda: posterior_prevalence(0, 2000, sensitivity=(500, 500), specificity=(250, 500)),
     "positives: 0 of 2000"),
    (lambda: posterior_prevalence(100, 200, sensitivity=(5, 50), specificity=(5, 50)),
     "worse than guessing"),
    # Binary-equivalent accuracy and guessing
    (lambda: binary_equivalent_accuracy(1.2, 3), r"accuracy must lie in \[0, 1\], got 1.2"),
    (lambda: binary_equivalent_accuracy([0.5, np.nan], 3), "accuracy must lie in .* at position 1"),
    (lambda: binary_equivalent_accuracy(0.5, [2, 2.5]), "of at least 2, got 2.5 at position 1"),
    (lambda: binary_equivalent_accuracy(0.5, 1), "n_classes must be an integer of at least 2, got"),
    (lambda: binary_equivalent_accuracy(0.5, np.inf), "n_classes must be an integer of at least 2"),
    (lambda: binary_equivalent_accuracy_score(["a"], ["a"]), "y_true contains one class only"),
    (lambda: from_counts([1], [2]).binary_equivalent(), "n_classes == 1, must be >= 2"),
    (lambda: GuessingTest.from_counts(CARRILLO, strategy="prior"), "strategy must be 'uniform', '"),
    (lambda: GuessingTest.from_counts(CARRILLO, strategy=[1, 1]), "for each of the 3 classes"),
    (lambda: GuessingTest.from_counts(CARRILLO, strategy=[1, -1, 1]), "strategy must be finite"),
    (lambda: GuessingTest.from_counts(COUNTS), r"counts must be integers, got ClassCounts\('a': 7"),
    (lambda: GuessingTest.from_counts(ClassCounts([0], [0], [0])), "at least one sample"),
    (lambda: GuessingTest.from_counts(EYE), TypeError, "ClassCounts, got list$"),
    (lambda: guessing_test(Y, Y, labels=[7]), "At least one label specified"),
]
# fmt: on


@pytest.mark.parametrize(
    "entry", CALLS, ids=[re.sub(r"\W+", " ", entry[-1]) for entry in CALLS]
)
def test_bad_input_is_refused(entry):
    """A ValueError, unless another type is given."""
    call, *types, message = entry
    error = types[0] if types else ValueError
    with pytest.raises(error, match=message) as caught:
        call()
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)


def test_percentages_get_a_hint():
    """A level of 95 is an error, and a metric is above 90 with probability 0."""
    posterior = PosteriorBalancedAccuracy.from_counts([20, 36], [21, 36])
    with pytest.raises(ValueError, match=r"got 95; write 95 % as 0\.95"):
        posterior.credible_interval(95)
    with pytest.warns(
        UserWarning, match=r"at most 1, got value=90; write 90 % as 0\.9"
    ):
        assert posterior.prob_above(90) == 0


@pytest.mark.parametrize("score", [posterior_roc_auc, posterior_threshold_curve])
def test_predicted_labels_are_no_scores(score):
    """Constant scores are no labels."""
    with pytest.warns(
        UserWarning, match="y_score has only two values, like predicted labels"
    ):
        score([0, 0, 1, 1], [0, 1, 1, 1])
    score([0, 0, 1, 1], [1, 1, 1, 1])
