"""Time the posterior beside scikit-learn's point estimates of the same labels.

    python benchmarks/point_estimates.py

The two take turns in one process, and a ratio is one of the medians of their times. A bootstrap
resamples the labels 1,000 times. Writes `point_estimates.rst` beside this file.
"""

import platform
import time
from datetime import date
from pathlib import Path

import numpy as np
import scipy
import sklearn
from sklearn.datasets import load_digits
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skpostbac import (
    __version__,
    make_posterior_scorer,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    posterior_confusion_metric,
)

RESULTS = Path(__file__).with_suffix(".rst")
RESAMPLES = 1000


def compare(ours, theirs, repeats):
    """Return the median seconds of both."""
    seconds = []
    for _ in range(repeats):
        marks = [time.perf_counter()]
        for call in (ours, theirs):
            call()
            marks.append(time.perf_counter())
        seconds.append(np.diff(marks))
    return np.median(seconds, axis=0)


def bootstrap(y_true, y_pred):
    """Return the ends of a bootstrap interval of the balanced accuracy."""
    rng = np.random.default_rng(0)
    rows = (rng.integers(len(y_true), size=len(y_true)) for _ in range(RESAMPLES))
    scores = [balanced_accuracy_score(y_true[row], y_pred[row]) for row in rows]
    return np.quantile(scores, [0.025, 0.975])


def tasks(n, n_classes, kind):
    """Yield what is compared, and how often, of labels of a type."""
    rng = np.random.default_rng(0)
    names = (
        np.array([f"class {i}" for i in range(n_classes)])
        if kind == "str"
        else np.arange(10)
    )
    truth = rng.integers(n_classes, size=n)
    guess = np.where(rng.random(n) < 0.8, truth, rng.integers(n_classes, size=n))
    labels, repeats = (names[truth], names[guess]), 3 if n > 1e5 else 15
    yield (
        "mean",
        "balanced_accuracy_score",
        lambda: posterior_balanced_accuracy_score(*labels),
        lambda: balanced_accuracy_score(*labels),
        repeats,
    )
    yield (
        "95% interval",
        "balanced_accuracy_score",
        lambda: posterior_balanced_accuracy(*labels).credible_interval(),
        lambda: balanced_accuracy_score(*labels),
        repeats,
    )
    if n == 1000:
        yield (
            "95% interval",
            f"bootstrap, {RESAMPLES} resamples",
            lambda: posterior_balanced_accuracy(*labels).credible_interval(),
            lambda: bootstrap(*labels),
            3,
        )
        yield (
            "F1, 95% interval",
            "f1_score",
            lambda: posterior_confusion_metric(*labels, "f1_macro").credible_interval(),
            lambda: f1_score(*labels, average="macro"),
            repeats,
        )


def main():
    """Measure all tasks and write the table."""
    rule = " ".join("=" * width for width in (19, 7, 9, 16, 26, 9, 7))
    header = "labels              classes   samples ours             compared with               "
    lines = [rule, f"{header}ms        ratio", rule]

    def add(labels, n_classes, n, ours, theirs, seconds):
        mine, other = seconds
        lines.append(
            f"{labels:<19} {n_classes:>7} {n:>9} {ours:<16} {theirs:<26} {1000 * mine:>9.3g} "
            f"{mine / other:>7.3g}"
        )
        print(lines[-1], flush=True)

    for kind in ("int64", "str"):
        for n_classes in (2, 10):
            for n in (1000, 100_000, 1_000_000):
                for ours, theirs, *calls in tasks(n, n_classes, kind):
                    add(kind, n_classes, n, ours, theirs, compare(*calls))
    X, y = load_digits(return_X_y=True)
    scorers = make_posterior_scorer("lower"), "balanced_accuracy"
    calls = [lambda s=s: cross_validate(GaussianNB(), X, y, scoring=s) for s in scorers]
    found = compare(*calls, 15)
    add(
        "digits, naive Bayes",
        10,
        len(y),
        "cross_validate",
        "with balanced_accuracy",
        found,
    )
    RESULTS.write_text(
        f"{date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}, scikit-learn {sklearn.__version__}, skpostbac {__version__}, "
        "2 cores; ``python benchmarks/point_estimates.py``.\n\n"
        + "\n".join([*lines, rule])
        + "\n"
    )


if __name__ == "__main__":
    main()
