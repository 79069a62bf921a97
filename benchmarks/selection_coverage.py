"""Measure how often intervals hold the truth for the best candidate of a search.

    python benchmarks/selection_coverage.py [--searches N] [--jobs N]

Real searches by cross-validation on synthetic data. The truth is the balanced accuracy of the
models of the folds, and that of the model refitted to all samples, on 4,000 fresh samples. Of each
cell: how often the 95 % interval of the uncorrected and of the corrected posterior holds the
former, the bias of both means, and how often the corrected one with ``training_variation`` holds
the latter. Search k of a cell depends on nothing but the name of the cell and k. Writes
`selection_coverage.rst` beside this file.
"""

import argparse
import warnings
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _studies import figures, table, versions
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skpostbac import OutcomesScorer, selected_posterior
from skpostbac.metrics import PriorInfluenceWarning

RESULTS = Path(__file__).with_suffix(".rst")
FRESH = 4000


class Cell(NamedTuple):
    """A search on data of some kind."""

    search: str
    n_samples: int
    n_classes: int
    class_sep: float


SEARCHES = {
    "tree, 60": (
        DecisionTreeClassifier(random_state=0),
        {
            "max_depth": [1, 2, 3, 5, 8],
            "min_samples_leaf": [1, 3, 9, 20],
            "criterion": ["gini", "entropy", "log_loss"],
        },
    ),
    "kNN, 24": (KNeighborsClassifier(), {"n_neighbors": range(1, 24, 2), "p": [1, 2]}),
    "logistic, 8": (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        {"logisticregression__C": np.logspace(-3, 3, 8)},
    ),
    "SVC, 30": (
        make_pipeline(StandardScaler(), SVC()),
        {"svc__C": np.logspace(-1, 2, 6), "svc__gamma": np.logspace(-3, 0, 5)},
    ),
}
CELLS = [
    Cell("tree, 60", 120, 2, 0.0),
    Cell("tree, 60", 60, 2, 1.0),
    Cell("kNN, 24", 60, 2, 0.6),
    Cell("kNN, 24", 200, 3, 1.0),
    Cell("logistic, 8", 300, 4, 0.8),
    Cell("SVC, 30", 100, 2, 0.8),
    Cell("logistic, 8", 60, 2, 2.0),
]


def _share_of_noise(separation):
    """Return the share of random labels: all, a few, or none where scores are close to 1."""
    if separation == 0:
        return 1.0
    return 0.05 if separation <= 1 else 0.0


def data(cell, n_samples, seed):
    """Return the samples of a search, and fresh ones of the same population."""
    X, y = make_classification(
        n_samples + FRESH,
        n_features=8,
        n_informative=5,
        n_classes=cell.n_classes,
        n_clusters_per_class=1,
        class_sep=cell.class_sep or 1.0,
        flip_y=_share_of_noise(cell.class_sep),
        shuffle=True,
        random_state=seed,
    )
    return (X[:n_samples], y[:n_samples]), (X[n_samples:], y[n_samples:])


def measure(cell, number):
    """Return held and error of the folds' models, uncorrected and corrected, and held refitted."""
    seed = zlib.crc32(f"{cell}|{number}".encode())
    (X, y), (X_fresh, y_fresh) = data(cell, cell.n_samples, seed)
    estimator, grid = SEARCHES[cell.search]
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    scoring = OutcomesScorer(len(y), labels=np.arange(cell.n_classes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorInfluenceWarning)
        results = GridSearchCV(
            estimator, grid, scoring=scoring, cv=folds, refit=False
        ).fit(X, y)
        results = results.cv_results_
        posterior = selected_posterior(results, random_state=number)
        refitted = selected_posterior(
            results, training_variation="nadeau-bengio", random_state=number
        )

    def fresh_score(rows):
        model = clone(estimator).set_params(**results["params"][posterior.candidate])
        predicted = model.fit(X[rows], y[rows]).predict(X_fresh)
        return balanced_accuracy_score(y_fresh, predicted)

    truth = np.mean([fresh_score(train) for train, _ in folds])
    row = []
    for one in (posterior.uncorrected, posterior):
        low, high = one.credible_interval()
        row += [low <= truth <= high, one.mean() - truth]
    low, high = refitted.credible_interval()
    return [*row, low <= fresh_score(slice(None)) <= high]


def main():
    """Measure all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--searches", type=int, default=100, help="searches a cell (100)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    args = parser.parse_args()
    head = ["search", "samples", "classes", "separation"]
    head += ["uncorrected", "bias", "corrected", "bias left", "refitted"]
    rows, overlapping = [], []
    for cell in CELLS:
        tasks = (delayed(measure)(cell, number) for number in range(args.searches))
        found = Parallel(n_jobs=args.jobs)(tasks)
        rows.append([*cell, *figures(found)])
        if cell.class_sep <= 1:
            overlapping += found
        print(*rows[-1], flush=True)
    rows.append(["up to 1", "", "", "", *figures(overlapping)])
    RESULTS.write_text(
        f"{versions()}; ``python benchmarks/selection_coverage.py --searches {args.searches}``. "
        f"{args.searches} searches a cell; standard errors in brackets. With a separation of 0 the "
        "labels are pure noise, and with one of 2 the true scores are .97 to .99.\n\n"
        f"{table(head, rows)}\n"
    )


if __name__ == "__main__":
    main()
