"""CPU time and memory of counting labels, to those of NumPy and scikit-learn, in one run.

    OPENBLAS_NUM_THREADS=1 python benchmarks/counting.py [--rst FILE]

The ratios are of CPU times in one process: of ``class_counts`` to two passes of ``np.bincount``
over the same samples as int64, and of ``posterior_balanced_accuracy_score(objective="lower")`` to
``sklearn.metrics.balanced_accuracy_score``. The two take turns, and a ratio is of their medians;
a star marks one that misses its target.
Memory is the peak that is allocated while ``class_counts`` runs.
"""

import argparse
import datetime as dt
import os
import platform
import time
import tracemalloc
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from sklearn.metrics import balanced_accuracy_score

import skpostbac
from skpostbac import class_counts, posterior_balanced_accuracy_score

TURNS = 3
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "polars")
HEADER = ("labels", "classes", "samples", "compared with", "result", "target")


def text(codes):
    """Return labels of up to nine characters."""
    names = np.array([f"class {code}" for code in range(codes.max() + 1)])
    return names[codes]


KINDS = {
    "int64": lambda codes: codes,
    "int64, negative": lambda codes: codes - 5,
    "int64, far apart": lambda codes: codes * 10**12,
    "uint64": lambda codes: codes.astype(np.uint64) + np.uint64(2**63),
    "int8": lambda codes: codes.astype(np.int8),
    "bool": lambda codes: codes > 0,
    "float64": lambda codes: codes.astype(float),
    "str, fixed width": text,
    "str, objects": lambda codes: text(codes).astype(object),
    "pandas categorical": lambda codes: pd.Series(
        text(codes).astype(object), dtype="category"
    ),
    "polars Categorical": lambda codes: pl.Series(text(codes).astype(object)).cast(
        pl.Categorical
    ),
}
# What scikit-learn reads; it takes the categories of a column for objects.
FOR_SKLEARN = [kind for kind in KINDS if kind != "polars Categorical"]


def samples(n_samples, n_classes):
    """Return codes of true labels and of predictions, about four in five of them right."""
    rng = np.random.default_rng(0)
    true, other = rng.integers(n_classes, size=(2, n_samples))
    return true, np.where(rng.random(n_samples) < 0.8, true, other)


def ratio(first, second, turns):
    """Return the CPU time of the first to that of the second."""
    first(), second()  # imports and caches
    times = np.median([(seconds(first), seconds(second)) for _ in range(turns)], axis=0)
    return times[0] / times[1]


def seconds(function):
    """Return the CPU time of one call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def peak(y_true, y_pred):
    """Return the most memory that is allocated at a time, in MiB."""
    tracemalloc.start()
    class_counts(y_true, y_pred)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 2**20


def to_bincount(kind, n_classes, n_samples=10**7):
    """Compare the counting alone."""
    codes = samples(n_samples, n_classes)
    y_true, y_pred = map(KINDS[kind], codes)
    found = ratio(
        lambda: class_counts(y_true, y_pred),
        lambda: [np.bincount(code) for code in codes],
        TURNS,
    )
    target = "3" if kind.startswith(("int64", "uint64")) else ""
    return (
        kind,
        n_classes,
        n_samples,
        "two bincounts",
        marked(f"{found:.2f}", target),
        target,
    )


def marked(result, target):
    """Return the result with a mark if it misses its target."""
    return result + "*" * (bool(target) and float(result) > float(target))


def to_sklearn(kind, n_classes, n_samples, target):
    """Compare the score."""
    y_true, y_pred = map(KINDS[kind], samples(n_samples, n_classes))
    found = ratio(
        lambda: posterior_balanced_accuracy_score(y_true, y_pred, objective="lower"),
        lambda: balanced_accuracy_score(y_true, y_pred),
        TURNS if n_samples > 1000 else 50 * TURNS,
    )
    result = marked(f"{found:.3f}", target)
    return kind, n_classes, n_samples, "balanced_accuracy_score", result, target


def memory(kind, n_classes, n_samples):
    """Measure the memory."""
    labels = map(KINDS[kind], samples(n_samples, n_classes))
    return kind, n_classes, n_samples, "memory", f"{peak(*labels):.2f} MiB", "constant"


def rows():
    """Measure everything."""
    for n_classes in (3, 10, 1000):
        yield to_bincount("int64", n_classes)
    for kind in (
        "int64, negative",
        "int64, far apart",
        "uint64",
        "int8",
        "bool",
        "float64",
    ):
        yield to_bincount(kind, 10)
    for kind in FOR_SKLEARN:
        target = "0.5" if "str" in kind or "categorical" in kind else "0.2"
        yield to_sklearn(kind, 3, 10**6, target)
    for n_classes in (100, 1000):
        yield to_sklearn("int64", n_classes, 10**6, "0.2")
    for kind in ("int64", "str, fixed width", "str, objects"):
        yield to_sklearn(kind, 3, 100, "1")
    for kind in ("int64", "int64, far apart", "int8", "bool", "float64"):
        for n_samples in (10**6, 10**7):
            yield memory(kind, 100, n_samples)


def circumstances():
    """Say when and with what the table was made."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"Measured on {dt.date.today()} with skpostbac {skpostbac.__version__}, "
        f"Python {platform.python_version()}, {versions}, on {os.cpu_count()} cores "
        f"({platform.system()}, {platform.machine()})."
    )


def as_rst(table):
    """Format as a simple table."""
    lines = [HEADER, *[tuple(map(str, row)) for row in table]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = " ".join("=" * width for width in widths)
    body = [" ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    return "\n".join([rule, body[0], rule, *body[1:], rule])


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--rst", type=Path, help="file for the table as reStructuredText"
    )
    arguments = parser.parse_args()
    with warnings.catch_warnings(action="ignore"):  # scikit-learn's, of many classes
        table = as_rst(rows())
    command = (
        "Command: ``OPENBLAS_NUM_THREADS=1 python benchmarks/counting.py --rst FILE``."
    )
    parts = [__doc__.split("\n\n")[2].strip(), f"{circumstances()} {command}", table]
    print(*parts, sep="\n\n")
    if arguments.rst:
        arguments.rst.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
