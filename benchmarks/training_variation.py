"""Coverage of pooled posteriors, with and without a correction for the variation of training sets.

    python benchmarks/training_variation.py [--sets N]

Data sets are drawn again and again from one population, and cross-validated. The 95 % interval of
the default posterior of the pooled counts is compared with two truths, known from a large sample:
the expected balanced accuracy of a classifier trained on a new training set of the size of the
folds', and the balanced accuracy of the one trained on all the data at hand. Writes
`training_variation.rst` beside this file.
"""

import argparse
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from _studies import table, versions, with_error
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skpostbac import ClassCounts, PosteriorBalancedAccuracy
from skpostbac.metrics import PriorInfluenceWarning

CLASSIFIERS = {
    "logistic": partial(LogisticRegression, max_iter=1000),
    "naive Bayes": GaussianNB,
    "tree": partial(DecisionTreeClassifier, random_state=0),
}
# Classes, samples and folds.
CELLS = ((2, 60, 5), (2, 600, 10), (4, 200, 10), (4, 600, 5))
N_POOL, N_EVALUATION = 40_000, 5_000
RESULTS = Path(__file__).with_suffix(".rst")


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
    return correct, total, truths


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


def ends_of(correct, total):
    """Return the ends of the interval of each correction, shape (n_corrections, 2)."""
    k, n = correct.sum(axis=0), total.sum(axis=0)
    found = []
    for by in factors(correct, total).values():
        counts = ClassCounts(range(k.size), k / by, n / by)
        found.append(PosteriorBalancedAccuracy(counts).credible_interval())
    return found


def inflation(draws):
    """Return the variance of the pooled score over the binomial one."""
    k, n = (np.array([draw[i].sum(axis=0) for draw in draws]) for i in (0, 1))
    rate = k.sum(axis=0) / n.sum(axis=0)
    return (k / n).mean(axis=1).var(ddof=1) / np.sum(
        rate * (1 - rate) / n[0] / len(rate) ** 2
    )


def held(draws):
    """Return whether intervals contain the truths, shape (n_sets, 2, n_corrections)."""
    truths = np.array([draw[2] for draw in draws])
    truths[:, 0] = truths[:, 0].mean()
    low, high = np.moveaxis([ends_of(*draw[:2]) for draw in draws], 2, 0)
    return (low[:, np.newaxis] <= truths[..., np.newaxis]) & (
        truths[..., np.newaxis] <= high[:, np.newaxis]
    )


def main():
    """Run all cells and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets a cell (400)")
    n_sets = parser.parse_args().sets
    warnings.simplefilter("ignore", PriorInfluenceWarning)
    keys, found = [], []
    for number, (n_classes, size, folds) in enumerate(CELLS):
        data = population(n_classes)
        for place, (name, make) in enumerate(CLASSIFIERS.items()):
            rng = np.random.default_rng([number, place])
            draws = [
                one_draw(make, folds, n_classes, data, size, rng) for _ in range(n_sets)
            ]
            keys.append((n_classes, size, folds, name, f"{inflation(draws):.2f}"))
            found.append(held(draws).mean(axis=0))
            print(*keys[-1], found[-1].round(3).tolist(), flush=True)
    shares = np.array(found)
    names = [*factors(np.ones((5, 1)), np.ones((5, 1)))]
    head = ["classes", "samples", "folds", "classifier", "inflation", *names]
    made = (
        f"{versions()}; ``python benchmarks/training_variation.py --sets {n_sets}``. "
    )
    parts = [f"{made}{n_sets} data sets a cell; standard errors in brackets."]
    for title, part in zip(("Expected", "Full"), shares.swapaxes(0, 1), strict=True):
        rows = [
            [*key, *(with_error(share, n_sets) for share in row)]
            for key, row in zip(keys, part, strict=True)
        ]
        of_all = (with_error(share, n_sets * len(part)) for share in part.mean(axis=0))
        parts += [f"{title}:", table(head, [*rows, ["all", *[""] * 4, *of_all]])]
    RESULTS.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
