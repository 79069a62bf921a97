"""Check defaults where practice differs from theory.

    python benchmarks/practice_coverage.py [splits] [equals] [weights] [repeats]

A table of each is written beside this script: how often 95 % intervals after a cross-validation
contain the balanced accuracy of the classifier refitted on all data, and how often one of two
equally good algorithms then seems better; how often intervals contain the balanced accuracy of
weighted samples, and how often the warning of few importance weights is given; and how often one of
two equally good classifiers reaches a probability of 0.95 if they are compared again and again.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from _studies import figures, table, versions, with_error
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import (
    LeaveOneOut,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from skpostbac import (
    OutcomesScorer,
    compare_cv_results,
    compare_predictions,
    cross_val_posterior,
    posterior_balanced_accuracy,
)
from skpostbac.metrics import SampleWeightWarning

FOLDER = Path(__file__).parent
SETS = {"splits": 60, "equals": 80, "weights": 400, "repeats": 80}


def samples(n_groups, size, spread, rng, gain=0.9):
    """Draw features of two classes, with shifts that the samples of a group share."""
    n = n_groups * size
    y, group = (
        rng.permutation(np.resize([0, 1], n)),
        np.repeat(np.arange(n_groups), size),
    )
    X = rng.normal(size=(n, 5)) + spread * rng.normal(size=(n_groups, 5))[group]
    X[:, :2] += gain * y[:, np.newaxis]
    return X, y, group


SPLITS = {
    "10 random, 30 %": StratifiedShuffleSplit(10, test_size=0.3, random_state=0),
    "5 random, 20 %": StratifiedShuffleSplit(5, test_size=0.2, random_state=0),
    "1 random, 30 %": StratifiedShuffleSplit(1, test_size=0.3, random_state=0),
    "5 folds, 3 times": RepeatedStratifiedKFold(
        n_splits=5, n_repeats=3, random_state=0
    ),
    "groups of 4, 5 folds": None,
    "leave-one-out of 40, labels at random": LeaveOneOut(),
}


def splits(n_sets):
    """Splits, classifier, and the coverage and mean width with the correction and without."""
    rng = np.random.default_rng(0)
    every = []
    for name, cv in SPLITS.items():
        size, spread = (4, 1.0) if cv is None else (1, 0.0)
        n, gain = (40, 0.0) if "at random" in name else (100, 0.9)
        model = DecisionTreeClassifier(random_state=0)
        if name.startswith(("leave", "5 random")):
            model = LogisticRegression()
        found = []
        for _ in range(n_sets):
            X, y, group = samples(n // size, size, spread, rng, gain)
            X_new, y_new, _ = samples(5000, 1, spread, rng, gain)
            truth = balanced_accuracy_score(y_new, model.fit(X, y).predict(X_new))
            row = []
            for variation in ("nadeau-bengio", None):
                low, high = cross_val_posterior(
                    model,
                    X,
                    y,
                    groups=group if cv is None else None,
                    cv=cv,
                    training_variation=variation,
                ).credible_interval()
                row += [low <= truth <= high, high - low]
            found.append(row)
        if gain:
            every += found
        yield name, type(model).__name__, *figures(found)
    yield "all with information", "", *figures(every)


TREE, LINEAR = DecisionTreeClassifier(random_state=0), LogisticRegression()
# Samples, folds, two algorithms, and the features that each of them sees.
ALIKE, APART = (slice(0, 4), slice(2, 6)), (slice(0, 3), slice(3, 6))
EQUALS = (
    (60, 5, "trees, two of four features in common", TREE, TREE, ALIKE),
    (200, 5, "trees, two of four features in common", TREE, TREE, ALIKE),
    (200, 10, "trees, two of four features in common", TREE, TREE, ALIKE),
    (200, 10, "trees, other features", TREE, TREE, APART),
    (60, 5, "logistic regressions, other features", LINEAR, LINEAR, APART),
    (200, 10, "logistic regressions, other features", LINEAR, LINEAR, APART),
    (
        200,
        20,
        "random trees, two seeds",
        ExtraTreeClassifier(random_state=0),
        ExtraTreeClassifier(random_state=1),
        (slice(0, 6), slice(0, 6)),
    ),
    (
        200,
        20,
        "random trees without seeds",
        ExtraTreeClassifier(),
        ExtraTreeClassifier(),
        (slice(0, 6), slice(0, 6)),
    ),
)


def equals(n_sets):
    """Samples, folds, algorithms, and how often one of two equally good ones is better at 0.95."""
    rng = np.random.default_rng(0)
    np.random.seed(0)  # noqa: NPY002
    for n, folds, name, first, second, (left, right) in EQUALS:
        cv = StratifiedKFold(folds, shuffle=True, random_state=0)
        sure = []
        for _ in range(n_sets):
            y = np.resize([0, 1], n)
            X = rng.normal(size=(n, 6)) + 0.5 * y[:, np.newaxis]
            options = {
                "cv": cv,
                "scoring": OutcomesScorer(n),
                "return_indices": True,
            }
            found = {
                "a": cross_validate(first, X[:, left], y, **options),
                "b": cross_validate(second, X[:, right], y, **options),
            }
            row = []
            for variation in ("nadeau-bengio", None):
                comparison = compare_cv_results(found, training_variation=variation)
                row += (comparison.prob_greater()[[0, 1], [1, 0]] > 0.95).tolist()
            sure.append(row)
        # One side or the other, which cannot both be sure.
        sides = np.reshape(sure, (n_sets, 2, 2)).sum(axis=2).mean(axis=0) / 2
        yield n, folds, name, *(with_error(share, 2 * n_sets) for share in sides)


def strata(share, weight, recall, other=0.9):
    """Return a stratum of a share of the samples, with its weight and recall, beside another."""
    truth = (share * weight * recall + (1 - share) * other) / (
        share * weight + 1 - share
    )

    def draw(n, rng):
        is_in = rng.random(n) < share
        return np.where(is_in, weight, 1.0), np.where(is_in, recall, other), truth

    return draw


def lognormal(variation):
    """Return log-normal weights with a coefficient of variation, and a recall of .85."""
    spread = np.sqrt(np.log1p(variation**2))
    return lambda n, rng: (np.exp(spread * rng.normal(size=n)), np.full(n, 0.85), 0.85)


def inverse(n, rng):
    """Draw inverse probabilities of being sampled; the seldom sampled are harder."""
    p = np.linspace(0.1, 0.9, 1001)
    recall = expit(1 + 1.5 * p)
    chosen = rng.choice(p, n)
    return 1 / chosen, expit(1 + 1.5 * chosen), np.average(recall, weights=1 / p)


WEIGHTS = {
    "a tenth 10 x, recall .6": strata(0.1, 10, 0.6),
    "a tenth 20 x, recall .6": strata(0.1, 20, 0.6),
    "a twentieth 10 x, recall .6": strata(0.05, 10, 0.6),
    "ordinary: a half 3 x, recall .6": strata(0.5, 3, 0.6),
    "ordinary: a fifth 5 x, recall .6": strata(0.2, 5, 0.6),
    "ordinary: variation 0.5": lognormal(0.5),
    "ordinary: variation 1": lognormal(1),
    "ordinary: inverse probabilities": inverse,
}


def weights(n_sets):
    """Weights, and for each number of samples per class the coverage, and how often it warns."""
    rng = np.random.default_rng(0)
    for name, draw in WEIGHTS.items():
        cells = []
        for n in (10, 25, 50, 100):
            hits = fired = 0
            y = np.repeat([0, 1], n)
            for _ in range(n_sets):
                (w, p, truth), (v, q, _) = draw(n, rng), draw(n, rng)
                right = rng.random(2 * n) < np.concatenate([p, q])
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    low, high = posterior_balanced_accuracy(
                        y,
                        np.where(right, y, 1 - y),
                        sample_weight=np.concatenate([w, v]),
                        weight_type="importance",
                    ).credible_interval()
                hits += low <= truth <= high
                fired += any(
                    issubclass(one.category, SampleWeightWarning) for one in caught
                )
            cells.append(f"{hits / n_sets:.2f} ({fired / n_sets:.2f})")
        yield name, *cells


def is_one_better(y, a, b):
    """Tell whether one of two classifiers is better with a probability of 0.95 or more."""
    probability = compare_predictions(y, {"a": a, "b": b}).prob_greater()[0, 1]
    return max(probability, 1 - probability) >= 0.95


def repeats(n_sets):
    """Comparisons of two equally good classifiers, and how often one seemed better.

    They are right on 80 % of the samples of both classes, and agree on 80 %.
    """
    rng, ever, last = np.random.default_rng(0), 0, 0
    for _ in range(n_sets):
        y, u = np.tile([0, 1], 500), rng.random(1000)
        # Both are wrong on a tenth, and each alone on another.
        a, b = np.where(u < 0.2, 1 - y, y), np.where((u < 0.1) | (u >= 0.9), 1 - y, y)
        sure = is_one_better(y, a, b)
        last += sure
        ever += sure or any(
            is_one_better(y[:n], a[:n], b[:n]) for n in range(10, 1000, 10)
        )
    yield "after every 10 of 1,000 samples", with_error(ever / n_sets, n_sets)
    yield "once, after 1,000 samples", with_error(last / n_sets, n_sets)


STUDIES = {
    "splits": (
        splits,
        ("splits", "classifier", "corrected", "width", "None", "width"),
    ),
    "equals": (equals, ("samples", "folds", "algorithms", "corrected", "None")),
    "weights": (weights, ("weights", "n = 10", "n = 25", "n = 50", "n = 100")),
    "repeats": (repeats, ("compared", "one seems better")),
}


def main():
    """Run the studies and write their tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "studies", nargs="*", default=[*STUDIES], help="some studies (all)"
    )
    warnings.simplefilter("ignore")
    for name in parser.parse_args().studies:
        study, head = STUDIES[name]
        rows = []
        for row in study(SETS[name]):
            rows.append(row)
            print(*row, flush=True)
        error = np.sqrt(0.95 * 0.05 / SETS[name])
        errors = "standard errors in brackets"
        if name == "weights":
            errors = f"a coverage of .95 has a standard error of {error:.3f}"
        (FOLDER / f"practice_{name}.rst").write_text(
            f"{versions()}; ``python benchmarks/practice_coverage.py {name}``. {SETS[name]} data "
            f"sets a cell; {errors}.\n\n"
            f"{table(head, rows)}\n"
        )


if __name__ == "__main__":
    main()
