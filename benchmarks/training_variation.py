"""Coverage of pooled posteriors, with and without a correction for the variation of training sets.

    python benchmarks/training_variation.py --draws 400 --results training_variation.jsonl

Data sets are drawn again and again from one population, and cross-validated. The posterior of the
pooled counts is compared with two truths, known from a large sample: the expected balanced
accuracy of a classifier trained on a new training set of the size of the folds', and the balanced
accuracy of the one trained on all the data at hand. A cell that is in the results is not computed
again. The table is reStructuredText.
"""

import argparse
import json
import sys
import time
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import scipy
import sklearn
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import skpostbac
from skpostbac.stats import BetaAverage

CLASSIFIERS = {
    "logistic": partial(LogisticRegression, max_iter=1000),
    "naive Bayes": GaussianNB,
    "5 neighbours": KNeighborsClassifier,
    "tree": partial(DecisionTreeClassifier, random_state=0),
}
SIZES = (60, 200, 600)
FOLDS = (5, 10)
CLASSES = (2, 4)
N_POOL, N_EVALUATION = 40_000, 5_000
LEVELS = (0.95, 0.8)


def population(n_classes):
    """Return a pool to draw data sets from, and a large sample that tells the truth."""
    X, y = make_classification(
        N_POOL + N_EVALUATION,
        n_features=10,
        n_informative=5,
        n_redundant=2,
        n_classes=n_classes,
        weights=[0.7] if n_classes == 2 else None,
        class_sep=1.0,
        flip_y=0.05,
        random_state=n_classes,
    )
    return X[:N_POOL], y[:N_POOL], X[N_POOL:], y[N_POOL:]


def stratified_draw(y, size, rng):
    """Return indices of a sample with the classes in the proportions of the population."""
    classes, counts = np.unique(y, return_counts=True)
    sizes = np.rint(size * counts / counts.sum()).astype(int)
    parts = [
        rng.choice(np.flatnonzero(y == label), n, replace=False)
        for label, n in zip(classes, sizes, strict=True)
    ]
    return rng.permutation(np.concatenate(parts))


def one_draw(make, folds, n_classes, data, size, rng):
    """Return correct and total of each fold and class, and the truths of two models."""
    X, y, X_true, y_true = data
    index = stratified_draw(y, size, rng)
    X, y = X[index], y[index]
    correct = np.zeros((folds, n_classes), dtype=int)
    total = np.zeros_like(correct)
    truths = []
    for fold, (train, test) in enumerate(StratifiedKFold(folds).split(X, y)):
        model = make().fit(X[train], y[train])
        is_right = model.predict(X[test]) == y[test]
        correct[fold] = np.bincount(y[test][is_right], minlength=n_classes)
        total[fold] = np.bincount(y[test], minlength=n_classes)
        if not fold:
            truths.append(recall_score(y_true, model.predict(X_true), average="macro"))
    model = make().fit(X, y)
    truths.append(recall_score(y_true, model.predict(X_true), average="macro"))
    return {"correct": correct.tolist(), "total": total.tolist(), "truths": truths}


def overdispersion(correct, total):
    """Return Pearson's chi-square of the folds over its degrees of freedom, and at least 1."""
    rate = correct.sum(axis=0) / total.sum(axis=0)
    expected = total * rate
    inner = (rate > 0) & (rate < 1)
    if not inner.any():
        return 1.0
    residual = (correct - expected) ** 2 / np.maximum(expected * (1 - rate), 1e-300)
    degrees = (len(correct) - 1) * np.count_nonzero(inner)
    return max(1.0, float(residual[:, inner].sum() / degrees))


def factors(correct, total):
    """Return what each correction divides the counts by."""
    folds = len(correct)
    return {
        "none": 1.0,
        "folds": overdispersion(correct, total),
        "1 + 1/(K-1)": folds / (folds - 1),
        "Nadeau-Bengio": 1 + folds / (folds - 1),
    }


def intervals(draw):
    """Return the interval of each correction and level."""
    correct, total = np.array(draw["correct"]), np.array(draw["total"])
    k, n = correct.sum(axis=0), total.sum(axis=0)
    return {
        (name, level): BetaAverage(1 + k / by, 1 + (n - k) / by).interval(level)
        for name, by in factors(correct, total).items()
        for level in LEVELS
    }


def inflation(draws):
    """Return the variance of the pooled score over the binomial one."""
    k, n = (
        np.array([np.sum(draw[name], axis=0) for draw in draws])
        for name in ("correct", "total")
    )
    rate = k.sum(axis=0) / n.sum(axis=0)
    return (k / n).mean(axis=1).var(ddof=1) / np.sum(
        rate * (1 - rate) / n[0] / len(rate) ** 2
    )


def summary(draws):
    """Return the coverage of the two truths by each correction, and the measured inflation."""
    fresh, full = np.array([draw["truths"] for draw in draws]).T
    ends = [intervals(draw) for draw in draws]
    result = {"inflation": float(inflation(draws))}
    for key in ends[0]:
        low, high = np.array([end[key] for end in ends]).T
        for truth, value in (("expected", fresh.mean()), ("full", full)):
            covered = float(np.mean((low <= value) & (value <= high)))
            result[f"{truth}, {key[0]}, {key[1]:g}"] = covered
    return result


def run(draws, path, seed):
    """Compute the cells that are not in the results yet."""
    done = {tuple(row["cell"]): row for row in read(path)}
    cells = list(product(CLASSES, SIZES, FOLDS, CLASSIFIERS))
    start = time.perf_counter()
    for number, cell in enumerate(cells, 1):
        if (*cell, draws) not in done:
            n_classes, size, folds, name = cell
            data = population(n_classes)
            rng = np.random.default_rng([seed, number])
            made = [
                one_draw(CLASSIFIERS[name], folds, n_classes, data, size, rng)
                for _ in range(draws)
            ]
            done[(*cell, draws)] = row = {"cell": [*cell, draws], **summary(made)}
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")
        elapsed = time.perf_counter() - start
        print(
            f"\r{number}/{len(cells)} cells, {elapsed:.0f} s", end="", file=sys.stderr
        )
    print(file=sys.stderr)
    return [done[(*cell, draws)] for cell in cells]


def read(path):
    """Return the rows of the results."""
    return (
        [json.loads(line) for line in path.read_text().splitlines()]
        if path.exists()
        else []
    )


def table(rows, truth, level):
    """Return a table in reStructuredText: mean and range of the coverage over classifiers."""
    names = [*factors(np.ones((5, 1)), np.ones((5, 1)))]
    head = ["classes", "samples", "folds", "inflation", *names]
    lines = []
    for n_classes, size, folds in product(CLASSES, SIZES, FOLDS):
        chosen = [row for row in rows if row["cell"][:3] == [n_classes, size, folds]]
        line = [n_classes, size, folds, spread(chosen, "inflation")]
        line += [spread(chosen, f"{truth}, {name}, {level:g}") for name in names]
        lines.append([str(entry) for entry in line])
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    rule = " ".join("=" * width for width in widths)
    body = [" ".join(map(str.ljust, line, widths)).rstrip() for line in (head, *lines)]
    return "\n".join([rule, body[0], rule, *body[1:], rule])


def spread(rows, key):
    """Return the least and the largest value."""
    values = [row[key] for row in rows]
    return f"{min(values):.2f}-{max(values):.2f}"


def main():
    """Run what is missing and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument(
        "--results", type=Path, default=Path("training_variation.jsonl")
    )
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rows = run(arguments.draws, arguments.results, arguments.seed)
    versions = {
        "skpostbac": skpostbac,
        "scikit-learn": sklearn,
        "scipy": scipy,
        "numpy": np,
    }
    print(
        ", ".join(f"{name} {module.__version__}" for name, module in versions.items())
    )
    for truth, level in product(("expected", "full"), LEVELS):
        print(f"\n{truth}, level {level:g}\n\n{table(rows, truth, level)}")


if __name__ == "__main__":
    main()
