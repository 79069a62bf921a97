"""Count random labels in random containers, against a plain loop, until the time is up.

    python benchmarks/fuzz_labels.py [--minutes M] [--seed N]

A trial has true labels and predictions of one kind in two containers, some with labels that are
none. It must give the counts of the loop, also in parts, with weights and as JSON, or a TypeError
or ValueError. Prints the number of trials and, for each that went wrong, the seed that repeats it.
"""

import argparse
import datetime as dt
import platform
import random
import time
import warnings
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl

import skpostbac
from skpostbac import ClassCounts, class_counts, paired_counts

KINDS = {
    "small": lambda rng: rng.randint(-3, 3),
    "int": lambda rng: rng.randint(-(2**63), 2**63 - 1),
    "unsigned": lambda rng: rng.randint(2**63, 2**64 - 1),
    "bool": lambda rng: rng.random() < 0.5,
    "float": lambda rng: float(rng.randint(-(2**53), 2**53)),
    "str": lambda rng: "".join(rng.choices("aAéß \n'\U0001d49c\u0301", k=rng.randint(0, 4))),
}
HOSTILE = (
    *(None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT", "s"), float("inf"), np.ma.masked),
    *(b"a", 1j, Decimal(1), (1, 2), [1, 2], {}, frozenset(), ..., 0.5, 2**70, 10**400, object()),
    *(np.array([1, 2]), "text", 7, True, 2.0, "", np.int8(3)),
)


def objects(labels):
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def read_only(labels):
    array = np.array(labels)
    array.flags.writeable = False
    return array


def swapped(labels):
    array = np.asarray(labels)
    return array.astype(array.dtype.newbyteorder("S"))


# Those of the first group hold anything, those of the second the labels of one type.
ANY = (list, tuple, objects, lambda labels: pd.Series(objects(labels)))
TYPED = (
    list,
    np.asarray,
    read_only,
    swapped,
    lambda labels: np.repeat(np.asarray(labels), 2)[::2],
    lambda labels: np.asarray(labels)[:, np.newaxis],
    lambda labels: np.ma.array(np.asarray(labels)),
    pd.Series,
    pd.Categorical,
    pl.Series,
)


def trial(seed):
    """Count once, and return whether the labels were good."""
    rng = random.Random(seed)
    make = KINDS[rng.choice(list(KINDS))]
    pool = [make(rng) for _ in range(rng.randint(1, 6))]
    n = rng.randint(1, 30)
    true, pred = ([rng.choice(pool) for _ in range(n)] for _ in range(2))
    if rng.random() < 0.5:
        refuse_or_count(rng, true, pred)
        return False
    containers = [rng.choice(TYPED) for _ in range(2)]
    labels = rng.sample(sorted(set(true)), k=rng.randint(1, len(set(true))))
    check(rng, true, pred, containers, labels if rng.random() < 0.5 else None)
    return True


def refuse_or_count(rng, true, pred):
    """Put a hostile label somewhere; what is counted must have all samples and no more hits."""
    column = rng.choice([true, pred])
    column[rng.randrange(len(column))] = rng.choice(HOSTILE)
    first, second = rng.choice(ANY), rng.choice(ANY)
    try:
        counts = class_counts(first(true), second(pred))
    except (TypeError, ValueError) as error:
        if "y_true" not in str(error) and "y_pred" not in str(error):
            raise
        return
    assert counts == by_loop(true, pred, [1] * len(true), None)


def check(rng, true, pred, containers, labels):
    """Compare the counts with a plain loop."""
    weight = [rng.randint(0, 3) for _ in true]
    weight[rng.randrange(len(weight))] = 1
    options = {"labels": labels, "sample_weight": weight}
    first, second = containers
    expected = by_loop(true, pred, weight, labels)
    assert class_counts(first(true), second(pred), **options) == expected
    paired = paired_counts(first(true), {"A": second(pred)}, **options)
    assert paired.margin("A") == expected
    assert type(paired).from_json(paired.to_json()) == paired
    cut, streamed = rng.randrange(len(true)), ClassCounts.empty()
    for part in (slice(cut, None), slice(cut)):
        batch = list(true[part]), list(pred[part])
        streamed = streamed.update(*batch, labels=labels, sample_weight=weight[part])
    assert ClassCounts.from_json(streamed.to_json()) == expected


def by_loop(true, pred, weight, labels):
    """Return the counts, in the order of the labels or sorted."""
    total, correct = Counter(), Counter()
    for one, other, count in zip(true, pred, weight, strict=True):
        total[one] += count
        correct[one] += count * bool(one == other)
    classes = sorted(total) if labels is None else labels
    return ClassCounts(objects(classes), [correct[c] for c in classes], [total[c] for c in classes])


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the first trial")
    arguments = parser.parse_args()
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy's casts and comparisons
    end, seed, good, wrong = time.monotonic() + 60 * arguments.minutes, arguments.seed, 0, 0
    while time.monotonic() < end:
        try:
            good += trial(seed)
        except Exception as error:
            wrong += 1
            print(f"seed {seed}: {type(error).__name__}: {error}")
        seed += 1
    tried = seed - arguments.seed
    print(
        f"{dt.date.today()}, skpostbac {skpostbac.__version__}, Python "
        f"{platform.python_version()}, numpy {np.__version__}, pandas {pd.__version__}, "
        f"polars {pl.__version__}: {tried} inputs, {good} of good labels and {tried - good} with "
        f"a hostile one; {wrong} went wrong"
    )


if __name__ == "__main__":
    main()
