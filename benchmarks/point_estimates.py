"""Time intervals of labels beside point estimates and intervals of other packages, in one run.

    OPENBLAS_NUM_THREADS=1 python benchmarks/point_estimates.py [--turns N]

Ours and the other function take turns in one process. Times are CPU time of one thread; a ratio is
of the medians of ours to the other, and below 1 ours is faster. Its spread are the quartiles of the
ratios of single turns. Needs the group ``bench``. Writes `point_estimates.rst` beside this file.
"""

import argparse
import os
import platform
import time
import warnings
from datetime import date
from importlib.metadata import version
from pathlib import Path

import confidenceinterval
import numpy as np
from fairlearn.metrics import MetricFrame
from prob_conf_mat import Study
from scipy.stats import norm, rankdata
from sklearn.datasets import load_digits
from sklearn.metrics import (
    balanced_accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    matthews_corrcoef,
)
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from statsmodels.stats.proportion import proportion_confint

from skpostbac import (
    PosteriorBalancedAccuracy,
    __version__,
    compare_predictions,
    make_posterior_scorer,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    posterior_confusion_metric,
    posterior_roc_auc,
    subgroup_posteriors,
)

RESULTS = Path(__file__).with_suffix(".rst")
PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "confidenceinterval",
    "fairlearn",
    "prob_conf_mat",
    "statsmodels",
)
# A tenth of the resamples that are usual, for they are slow.
RESAMPLES, DRAWS = 100, 5_000
# Turns of slow functions.
FEW = 3
POINT_ESTIMATES = {
    "f1_macro": lambda *labels: f1_score(*labels, average="macro"),
    "mcc": matthews_corrcoef,
    "kappa": cohen_kappa_score,
}


def seconds(function):
    """Return the CPU time of one call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def compare(ours, theirs, turns):
    """Return the CPU times of both, shape (turns, 2)."""
    ours(), theirs()  # imports and caches
    return np.array([(seconds(ours), seconds(theirs)) for _ in range(turns)])


def bootstrap(y_true, y_pred):
    """Return the ends of a bootstrap interval of the balanced accuracy."""
    rng = np.random.default_rng(0)
    rows = (rng.integers(len(y_true), size=len(y_true)) for _ in range(RESAMPLES))
    scores = [balanced_accuracy_score(y_true[row], y_pred[row]) for row in rows]
    return np.quantile(scores, [0.025, 0.975])


def delong(is_positive, score):
    """Return the interval of the ROC AUC by midranks.

    X. Sun and W. Xu, "Fast implementation of DeLong's algorithm for comparing the areas under
    correlated receiver operating characteristic curves", IEEE Signal Processing Letters 21, 2014.
    """
    positive, negative = score[is_positive], score[~is_positive]
    m, n = positive.size, negative.size
    ranks = rankdata(np.concatenate([positive, negative]))
    area = (ranks[:m].sum() - m * (m + 1) / 2) / (m * n)
    of_positive = (ranks[:m] - rankdata(positive)) / n
    of_negative = 1 - (ranks[m:] - rankdata(negative)) / m
    variance = of_positive.var(ddof=1) / m + of_negative.var(ddof=1) / n
    return area + norm.ppf([0.025, 0.975]) * np.sqrt(variance)


def draw_average(correct, total, rng):
    """Return the interval of random draws of the balanced accuracy."""
    recalls = rng.beta(correct + 0.5, total - correct + 0.5, (DRAWS, total.size))
    return np.quantile(recalls.mean(axis=1), [0.025, 0.975])


def prob_conf_mat(C):
    """Return the interval of the macro F1 by its default of 10,000 draws."""
    study = Study(seed=0, num_samples=10_000)
    study.add_experiment("all/one", confusion_matrix=C)
    study.add_metric("f1@macro")
    values = study.get_metric_samples("f1@macro", "all/one", "posterior").values
    return np.quantile(values, [0.025, 0.975])


def fairlearn_gap(y_true, y_pred, groups):
    """Return the bootstrap interval of the gap between groups."""
    return MetricFrame(
        metrics=balanced_accuracy_score,
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features=groups,
        n_boot=RESAMPLES,
        ci_quantiles=[0.025, 0.975],
        random_state=0,
    ).difference_ci()


def sample(n, n_classes, kind="int64"):
    """Return labels, and predictions of which four in five are right."""
    rng = np.random.default_rng(0)
    truth = rng.integers(n_classes, size=n)
    guess = np.where(rng.random(n) < 0.8, truth, rng.integers(n_classes, size=n))
    names = np.arange(n_classes)
    if kind == "str":
        names = np.array([f"class {i}" for i in names])
    return names[truth], names[guess]


def of_labels():
    """Yield comparisons with scikit-learn's score of the same labels."""
    for kind in ("int64", "str"):
        for n_classes in (2, 10):
            for n in (1_000, 100_000):
                labels = sample(n, n_classes, kind)
                score = "balanced_accuracy_score"
                case = kind, n_classes, n

                def point(labels=labels):
                    return balanced_accuracy_score(*labels)

                def mean(labels=labels):
                    return posterior_balanced_accuracy_score(*labels)

                def interval(labels=labels):
                    return posterior_balanced_accuracy(*labels).credible_interval()

                turns = None if n == 1_000 else FEW
                yield *case, "mean", score, mean, point, turns
                yield *case, "95% interval", score, interval, point, turns
                if n == 1_000:
                    other = lambda labels=labels: bootstrap(*labels)  # noqa: E731
                    yield (
                        *case,
                        "95% interval",
                        "bootstrap of 100",
                        interval,
                        other,
                        FEW,
                    )


def of_counts():
    """Yield comparisons with random draws of the same counts."""
    for n_classes in (2, 3, 10, 100):
        rng = np.random.default_rng(n_classes)
        total = rng.integers(20, 200, size=n_classes)
        counts = rng.binomial(total, 0.8), total
        yield (
            "counts",
            n_classes,
            int(total.sum()),
            "95% interval",
            f"NumPy, {DRAWS:,} draws",
            lambda c=counts: PosteriorBalancedAccuracy.from_counts(
                *c
            ).credible_interval(),
            lambda c=counts, r=rng: draw_average(*c, r),
            None,
        )


def of_confusions():
    """Yield comparisons of metrics that are drawn, and of F1 with other packages."""
    for n_classes in (2, 10, 30):
        labels = sample(100 * n_classes, n_classes)
        case = "int64", n_classes, 100 * n_classes
        for metric, point in POINT_ESTIMATES.items():

            def ours(labels=labels, metric=metric):
                return posterior_confusion_metric(*labels, metric).credible_interval()

            other = lambda labels=labels, point=point: point(*labels)  # noqa: E731
            yield *case, metric, "scikit-learn", ours, other, FEW
        C = confusion_matrix(*labels)

        def ours(labels=labels):
            return posterior_confusion_metric(*labels, "f1_macro").credible_interval()

        def by_formula(labels=labels):
            return confidenceinterval.f1_score(*labels, average="macro")

        def by_bootstrap(labels=labels):
            return confidenceinterval.f1_score(
                *labels,
                average="macro",
                method="bootstrap_percentile",
                n_resamples=RESAMPLES,
            )

        yield *case, "f1_macro", "confidenceinterval", ours, by_formula, FEW
        yield *case, "f1_macro", "its bootstrap of 100", ours, by_bootstrap, FEW
        yield (
            *case,
            "f1_macro",
            "prob_conf_mat",
            ours,
            lambda C=C: prob_conf_mat(C),
            FEW,
        )


def of_others():
    """Yield comparisons of the accuracy, the ROC AUC, subgroups and searches."""
    labels = sample(1_000, 2)
    right = int((labels[0] == labels[1]).sum())
    yield (
        "int64",
        2,
        1_000,
        "accuracy",
        "statsmodels, counts",
        lambda: posterior_accuracy(*labels).credible_interval(),
        lambda: proportion_confint(right, 1_000, method="jeffreys"),
        None,
    )
    for n in (100, 10_000):
        rng = np.random.default_rng(0)
        truth = rng.random(n) < 0.5
        score = truth + rng.normal(size=n)
        yield (
            "scores",
            2,
            n,
            "roc_auc",
            "DeLong",
            lambda t=truth, s=score: posterior_roc_auc(t, s).credible_interval(),
            lambda t=truth, s=score: delong(t, s),
            None,
        )
    truth, first = sample(300, 2)
    rng = np.random.default_rng(1)
    others = [
        np.where(rng.random(300) < 0.8, truth, rng.integers(2, size=300))
        for _ in range(20)
    ]
    predictions = {f"model {i}": one for i, one in enumerate(others)}
    yield (
        "20 classifiers",
        2,
        300,
        "prob_best",
        "20 point estimates",
        lambda: compare_predictions(truth, predictions).prob_best(),
        lambda: [balanced_accuracy_score(truth, one) for one in others],
        FEW,
    )
    groups = np.repeat([0, 1, 2], 100)
    yield (
        "three groups",
        2,
        300,
        "gap",
        "fairlearn, 100 samples",
        lambda: subgroup_posteriors(
            truth, first, sensitive_features=groups
        ).gap.credible_interval(),
        lambda: fairlearn_gap(truth, first, groups),
        1,
    )
    X, y = load_digits(return_X_y=True)
    scorers = make_posterior_scorer("lower"), "balanced_accuracy"
    calls = [lambda s=s: cross_validate(GaussianNB(), X, y, scoring=s) for s in scorers]
    yield "digits", 10, len(y), "cross_validate", "balanced_accuracy", *calls, None


def main():
    """Measure all and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=9)
    turns = parser.parse_args().turns
    widths = 14, 7, 7, 14, 23, 8, 7, 13
    head = "data", "classes", "samples", "ours", "other", "ms", "ratio", "spread"
    rule = " ".join("=" * width for width in widths)

    def line(cells):
        return " ".join(map(str.ljust, map(str, cells), widths)).rstrip()

    lines = [rule, line(head), rule]
    for tasks in (of_labels, of_counts, of_confusions, of_others):
        for *case, ours, theirs, fewer in tasks():
            with warnings.catch_warnings(action="ignore"):  # of the other packages
                times = compare(ours, theirs, fewer or turns)
            mine, other = np.median(times, axis=0)
            low, high = np.quantile(times[:, 0] / times[:, 1], [0.25, 0.75])
            spread = f"{low:.2g} to {high:.2g}"
            lines.append(
                line([*case, f"{1e3 * mine:.3g}", f"{mine / other:.2g}", spread])
            )
            print(lines[-1], flush=True)
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    load = os.getloadavg()[0]
    RESULTS.write_text(
        f"Measured on {date.today()} with Python {platform.python_version()}, {versions}, skpostbac {__version__}, "
        f"one thread of a shared machine of {os.cpu_count()} cores ({platform.machine()}, load "
        f"{load:.0f} at the end): ``OPENBLAS_NUM_THREADS=1 python benchmarks/point_estimates.py "
        f"--turns {turns}``. Slow rows have {FEW} turns or one.\n\n"
        + "\n".join([*lines, rule])
        + "\n"
    )


if __name__ == "__main__":
    main()
