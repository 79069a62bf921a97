"""The measured distributions: made to size, or from the reference values of the tests."""

import json
from functools import cache
from pathlib import Path

import numpy as np

REFERENCE = Path(__file__).parents[2] / "tests" / "reference" / "beta_average.json"

N_CLASSES = [1, 2, 3, 10, 100, 1_000, 10_000, 100_000]
N_SAMPLES = [1, 100, 10_000, 1_000_000, 1_000_000_000]
REGIMES = ["ordinary", "perfect", "empty", "jeffreys"]


def exponents(n_classes, n_samples, regime):
    """Exponents a, b of classes that all differ, with about `n_samples` samples each.

    In the regimes "empty" and "jeffreys" every other class, the first included, is special: it has
    no samples, or is perfect under a prior of 1/2. In "perfect" every class is perfect.
    """
    index = np.arange(n_classes)
    total = np.maximum(
        np.round(n_samples * (0.5 + _spread(index, 0.6180339887498949))), 1.0
    )
    correct = np.round(total * (0.6 + 0.35 * _spread(index, 0.7548776662466927)))
    special = index % 2 == 0
    if regime == "empty":
        total = np.where(special, 0.0, total)
        correct = np.where(special, 0.0, correct)
    elif regime == "perfect":
        correct = total
    elif regime == "jeffreys":
        correct = np.where(special, total, correct)
    prior = 0.5 if regime == "jeffreys" else 1.0
    return correct + prior, total - correct + prior


def _spread(index, ratio):
    """Numbers evenly spread over [0, 1), without a pattern and without randomness."""
    return index * ratio % 1.0


@cache
def records():
    """Reference values of the tests, by name."""
    return {
        record["name"]: record
        for record in json.loads(REFERENCE.read_text(encoding="utf-8"))
    }


def record_groups():
    """Names of the reference distributions, by what is hard about them."""
    groups = {}
    for name, record in records().items():
        groups.setdefault(_group(record), []).append(name)
    return groups


def _group(record):
    """First word of the regime, but for distributions outside the main contract, a, b >= 1/2."""
    if min(record["a"] + record["b"]) < 0.5:
        return "a or b < 1/2"
    return record["regime"].split()[0]


def column(record, table, key):
    """One number of each entry of a table: what is not known is nan, what underflows is zero."""
    values = [entry[key] for entry in record[table]]
    return np.array([np.nan if value is None else float(value) for value in values])
