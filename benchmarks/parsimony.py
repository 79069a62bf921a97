"""What the parsimony rules of PosteriorRefit choose, and what it costs.

    python benchmarks/parsimony.py [--draws N]

The depth of a decision tree is searched on data sets of many populations. Each rule chooses a
depth, and a large sample tells the balanced accuracy of the tree of that depth that is trained on
all the data at hand. Standard errors are of the difference from the best candidate, over the data
sets. Writes `parsimony.rst` beside this file.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from _studies import table, versions
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from skpostbac import OutcomesScorer, PosteriorRefit
from skpostbac.metrics import PriorInfluenceWarning

DEPTHS = (1, 2, 3, 4, 5, 7, 10, 15)
SIZES = (100, 300, 1000)
RESULTS = Path(__file__).with_suffix(".rst")
N_EVALUATION = 20_000
RULES = {
    "rope=0, limit=0.84": {},
    "rope=0.05, limit=0.05": {"rope": 0.05, "limit": 0.05},
}


def tree(depth=None):
    """Return a tree that is grown the same way each time."""
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


def population(size, seed):
    """Return a data set, and a large sample of the same population."""
    X, y = make_classification(
        size + N_EVALUATION,
        n_features=12,
        n_informative=5,
        weights=[0.7],
        flip_y=0.1,
        random_state=seed,
    )
    return X[:size], y[:size], X[size:], y[size:]


def truths(X, y, X_true, y_true):
    """Return the balanced accuracy of the tree of each depth."""
    fitted = (tree(depth).fit(X, y) for depth in DEPTHS)
    return np.array(
        [balanced_accuracy_score(y_true, model.predict(X_true)) for model in fitted]
    )


def one_standard_error(results):
    """Choose by the averages and the standard error over the folds, without posteriors."""
    n_splits = sum(
        key.endswith("_test_total_0") for key in results if key.startswith("split")
    )
    recalls = [
        [
            results[f"split{k}_test_correct_{c}"] / results[f"split{k}_test_total_{c}"]
            for c in (0, 1)
        ]
        for k in range(n_splits)
    ]
    scores = np.mean(recalls, axis=1)
    means, errors = scores.mean(axis=0), scores.std(axis=0, ddof=1) / np.sqrt(n_splits)
    best = np.argmax(means)
    return int(np.argmax(means >= means[best] - errors[best]))


def choices(X, y):
    """Return the position of the depth that each rule chooses."""
    search = GridSearchCV(
        tree(), {"max_depth": DEPTHS}, scoring=OutcomesScorer(len(y)), refit=False
    ).fit(X, y)
    paired = search.cv_results_
    independent = {
        key: column for key, column in paired.items() if "outcomes" not in key
    }
    chosen = {
        "the best": PosteriorRefit("mean")(paired),
        "one standard error": one_standard_error(paired),
    }
    for name, options in RULES.items():
        rule = PosteriorRefit("mean", complexity="max_depth", **options)
        chosen |= {
            f"{name}, paired": rule(paired),
            f"{name}, independent": rule(independent),
        }
    return chosen


def rows(size, draws):
    """Return the depth, the accuracy and its difference from the best for each rule."""
    chosen, accuracies = [], []
    for seed in range(draws):
        data = population(size, seed)
        chosen.append(choices(*data[:2]))
        accuracies.append(truths(*data))
    places = {name: np.array([choice[name] for choice in chosen]) for name in chosen[0]}
    accuracy = {
        name: np.array(accuracies)[range(draws), index]
        for name, index in places.items()
    }
    for name, index in places.items():
        loss = accuracy[name] - accuracy["the best"]
        yield (
            str(size),
            name,
            f"{np.array(DEPTHS)[index].mean():.2f}",
            f"{accuracy[name].mean():.4f}",
            f"{loss.mean():+.4f} ({loss.std() / np.sqrt(draws):.4f})",
        )


def main():
    """Run all sizes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=200)
    draws = parser.parse_args().draws
    warnings.simplefilter("ignore", PriorInfluenceWarning)
    head = ("samples", "rule", "depth", "accuracy", "difference")
    lines = []
    for size in SIZES:
        lines += rows(size, draws)
        print(size, flush=True)
    RESULTS.write_text(
        f"{versions()}; ``python benchmarks/parsimony.py --draws {draws}``. {draws} "
        f"populations a size; standard errors in brackets.\n\n{table(head, lines)}\n"
    )


if __name__ == "__main__":
    main()
