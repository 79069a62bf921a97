"""Check defaults where practice differs from theory.

    python benchmarks/practice_coverage.py [splits] [equals] [weights] [repeats]

A table of each is written beside this script: how often 95 % intervals after a cross-validation
contain the balanced accuracy of the classifier refitted on all data, and how often one of two
equally good algorithms then seems better; how often intervals contain the balanced accuracy of
weighted samples, and how often the warning of few importance weights is given; and how often one of
two equally good classifiers reaches a probability of 0.95 if they are compared again and again.
"""

import argparse
import platform
import warnings
from datetime import date
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    OutcomesScorer,
    __version__,
    compare_cv_results,
    compare_predictions,
    cross_val_posterior,
    posterior_balanced_accuracy,
)
from skpostbac.metrics import SampleWeightWarning

FOLDER = Path(__file__).parent
SETS = {"splits": 40, "equals": 300, "weights": 400, "repeats": 1000}


def samples(n_groups, size, spread, rng):
    """Draw features of two classes, with shifts that the samples of a group share."""
    n = n_groups * size
    y, group = (
        rng.permutation(np.resize([0, 1], n)),
        np.repeat(np.arange(n_groups), size),
    )
    X = rng.normal(size=(n, 5)) + spread * rng.normal(size=(n_groups, 5))[group]
    X[:, :2] += 0.9 * y[:, np.newaxis]
    return X, y, group


SPLITS = {
    "10 random, 30 %": StratifiedShuffleSplit(10, test_size=0.3, random_state=0),
    "5 random, 20 %": StratifiedShuffleSplit(5, test_size=0.2, random_state=0),
    "1 random, 30 %": StratifiedShuffleSplit(1, test_size=0.3, random_state=0),
    "5 folds, 3 times": RepeatedStratifiedKFold(
        n_splits=5, n_repeats=3, random_state=0
    ),
    "groups of 4, 5 folds": None,
}


def splits(n_sets):
    """Splits, classifier, and the coverage and mean width with the correction and without."""
    rng = np.random.default_rng(0)
    for name, cv in SPLITS.items():
        size, spread = (4, 1.0) if cv is None else (1, 0.0)
        for model in (DecisionTreeClassifier(random_state=0), LogisticRegression()):
            found = np.zeros((2, 2))
            for _ in range(n_sets):
                X, y, group = samples(100 // size, size, spread, rng)
                X_new, y_new, _ = samples(5000, 1, spread, rng)
                truth = balanced_accuracy_score(y_new, model.fit(X, y).predict(X_new))
                for i, variation in enumerate(("nadeau-bengio", None)):
                    low, high = cross_val_posterior(
                        model,
                        X,
                        y,
                        groups=group if cv is None else None,
                        cv=cv,
                        training_variation=variation,
                    ).credible_interval()
                    found[i] += (low <= truth <= high), high - low
            cells = (f"{hit:.2f} ({width:.2f})" for hit, width in found / n_sets)
            yield name, type(model).__name__, *cells


def equals(n_sets):
    """Samples, folds, algorithm, and how often one of two equally good ones is better at 0.95.

    The algorithms are the same but for the features that they see, which are equally informative.
    """
    rng = np.random.default_rng(0)
    for n, folds in ((60, 5), (200, 5), (200, 10)):
        cv = StratifiedKFold(folds, shuffle=True, random_state=0)
        for model in (DecisionTreeClassifier(random_state=0), LogisticRegression()):
            sure = np.zeros(2)
            for _ in range(n_sets):
                y = np.resize([0, 1], n)
                X, scorer = (
                    rng.normal(size=(n, 6)) + 0.5 * y[:, np.newaxis],
                    OutcomesScorer(n),
                )
                found = {
                    name: cross_validate(
                        model,
                        X[:, columns],
                        y,
                        cv=cv,
                        scoring=scorer,
                        return_indices=True,
                    )
                    for name, columns in (("a", slice(0, 4)), ("b", slice(2, 6)))
                }
                for i, variation in enumerate(("nadeau-bengio", None)):
                    comparison = compare_cv_results(found, training_variation=variation)
                    sure[i] += max(comparison.prob_greater()[[0, 1], [1, 0]]) > 0.95
            yield (
                n,
                folds,
                type(model).__name__,
                *(f"{share / 2:.3f}" for share in sure / n_sets),
            )


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
    yield "after every 10 of 1,000 samples", f"{ever / n_sets:.2f}"
    yield "once, after 1,000 samples", f"{last / n_sets:.2f}"


STUDIES = {
    "splits": (splits, ("splits", "classifier", "corrected", "None")),
    "equals": (equals, ("samples", "folds", "algorithm", "corrected", "None")),
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
        rows = [head, *(tuple(map(str, row)) for row in study(SETS[name]))]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rule = " ".join("=" * width for width in widths)
        lines = [" ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        (FOLDER / f"practice_{name}.rst").write_text(
            f"{date.today()}, skpostbac {__version__}, scikit-learn {sklearn.__version__}, "
            f"NumPy {np.__version__}, SciPy {scipy.__version__},\n"
            f"Python {platform.python_version()}; ``python benchmarks/practice_coverage.py "
            f"{name}``, {SETS[name]} data sets a cell.\n\n"
            + "\n".join([rule, lines[0], rule, *lines[1:], rule, ""])
        )


if __name__ == "__main__":
    main()
