"""Where BinormalAssumptionWarning is given: false alarms, and real scores that are not normal.

    python benchmarks/binormal_assumption.py --draws 500

Five tables in reStructuredText:

1. The share of data sets from two normal distributions that are warned of.
2. Out-of-fold scores of classifiers: the areas of the samples, and of the binormal model from the
   scores as they come and from their log-odds. A star marks an empirical area outside the 95%
   credible interval of the model.
3. What becomes of probabilities of 0 and 1 before the logarithm: the share of the interval that
   holds the empirical area, and the mean distance between the two areas.
4. The power: of samples where an empirical area, if it is not 1, is outside of its interval, the
   share that is warned of; and of the others. The thresholds were chosen with the data sets of the
   second table and with other random numbers; the data sets, classifiers and subsets here are new.
5. The power on simulated scores: the share of data sets whose 95% interval of the area under the
   ROC curve does not hold the true area, and the shares of these and of the others that are warned
   of.
"""

import argparse
from functools import partial

import numpy as np
import scipy
import sklearn
from binormal_coverage import table
from scipy.special import logit
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import skpostbac
from skpostbac.binormal._check import broken_assumption, is_repaired, log_odds
from skpostbac.binormal._scores import split_scores

DISTRIBUTIONS = {
    "N(0, 1), N(1, 1)": (0, 1, 1, 1),
    "N(0, 1), N(3, 1)": (0, 1, 3, 1),
    "N(0, 1), N(5, 1)": (0, 1, 5, 1),
    "N(0, 1), N(1.5, 2)": (0, 1, 1.5, 2),
    "N(0, 2), N(4, 1)": (0, 2, 4, 1),
}
SIZES = (20, 100, 1000, 10_000)
N_DRAWS, N_SUBSETS = 400, 3

CLASSIFIERS = {
    "random forest": RandomForestClassifier(random_state=0),
    "logistic regression": LogisticRegression(),
    "naive Bayes": GaussianNB(),
    "gradient boosting": GradientBoostingClassifier(random_state=0),
    "SVC": SVC(),
    "5 neighbours": KNeighborsClassifier(),
}
NEW_CLASSIFIERS = {
    "random forest": RandomForestClassifier(50, random_state=1),
    "extra trees": ExtraTreesClassifier(random_state=0),
    "AdaBoost": AdaBoostClassifier(random_state=0),
    "logistic regression": LogisticRegression(C=0.1),
    "naive Bayes": GaussianNB(),
    "LDA": LinearDiscriminantAnalysis(),
    "QDA": QuadraticDiscriminantAnalysis(reg_param=0.1),
    "linear SVC": SVC(kernel="linear"),
    "20 neighbours": KNeighborsClassifier(20),
}


def data_sets():
    """Return the data sets that the thresholds were chosen with."""
    X, y = load_digits(return_X_y=True)
    wine, kind = load_wine(return_X_y=True)
    return {
        "breast_cancer": load_breast_cancer(return_X_y=True),
        "digits, 8": (X, y == 8),
        "wine, 1": (wine, kind == 1),
        "make_classification": simulated(0, class_sep=0.5),
    }


def new_data_sets():
    """Return others."""
    X, y = load_digits(return_X_y=True)
    iris, species = load_iris(return_X_y=True)
    diabetes, progression = load_diabetes(return_X_y=True)
    return {
        **{f"digits, {digit}": (X, y == digit) for digit in (1, 5, 9)},
        "iris": (iris[species > 0], species[species > 0] == 2),
        "diabetes": (diabetes, progression > 150),
        "rare": simulated(10, weights=[0.9]),
        "balanced": simulated(11),
        "easy": simulated(12, class_sep=2),
        "hard": simulated(13, class_sep=0.3, weights=[0.7]),
    }


def simulated(seed, **options):
    """Return 1000 samples with five features that tell, of twenty."""
    return make_classification(
        1000, 20, n_informative=5, flip_y=0.02, random_state=seed, **options
    )


def out_of_fold(classifier, X, y):
    """Return scores of five folds: of `decision_function`, or else probabilities."""
    model = make_pipeline(StandardScaler(), classifier)
    has_decision = not hasattr(classifier, "predict_proba")
    if has_decision:
        return cross_val_predict(model, X, y, method="decision_function")
    return cross_val_predict(model, X, y, method="predict_proba")[:, 1]


def scored(data, classifiers):
    """Return labels and scores of each classifier on each data set."""
    return {
        (name, kind): (y.astype(int), out_of_fold(classifier, X, y.astype(int)))
        for name, (X, y) in data.items()
        for kind, classifier in classifiers.items()
    }


def areas(y, score):
    """Return the empirical and the binormal areas, and whether the intervals hold the former."""
    negative, positive = split_scores(y, score)
    moments = negative.moments(), positive.moments()
    posterior = skpostbac.binormal.PosteriorBinormal(*moments, n_draws=N_DRAWS)
    empirical = roc_auc_score(y, score), average_precision_score(y, score)
    distributions = posterior.roc_auc(), posterior.average_precision()
    model = skpostbac.binormal.BinormalModel(
        *(value for part in moments for value in part[1:]), np.mean(y)
    )
    inside = [
        distribution.interval().low <= value <= distribution.interval().high
        for distribution, value in zip(distributions, empirical, strict=True)
    ]
    return (
        np.array(empirical),
        np.array([model.roc_auc(), model.average_precision()]),
        inside,
    )


def two_values(y, score):
    """Return whether a variance of each class can be had."""
    return all(len(np.unique(score[y == label])) > 1 for label in (0, 1))


def odds_of(y, score):
    """Return the log-odds of scores in [0, 1], None of others."""
    if score.min() < 0 or score.max() > 1:
        return None
    odds, _ = log_odds(score)
    return odds if odds is not None and two_values(y, odds) else None


def why(y, score):
    """Return the word for the reason of the warning."""
    reason = broken_assumption(*split_scores(y, score))
    words = {
        "takes few": "few values",
        "lies in": "[0, 1]",
        "is not normal": "not normal",
    }
    return next((word for start, word in words.items() if start in (reason or "")), "-")


def false_alarms(draws, seed):
    """Return rows of the shares of data sets that are warned of."""
    yield ("scores", "positive", *(f"n = {size}" for size in SIZES))
    for row, (name, distribution) in enumerate(DISTRIBUTIONS.items()):
        for fraction in (0.5, 0.1):
            shares = []
            for size in SIZES:
                rng = np.random.default_rng([seed, row, size, int(10 * fraction)])
                n_positive = max(2, round(fraction * size))
                y = np.repeat([0, 1], [size - n_positive, n_positive])
                means, sds = (
                    np.where(y, distribution[2], distribution[0]),
                    np.where(y, distribution[3], distribution[1]),
                )
                warned = [why(y, rng.normal(means, sds)) != "-" for _ in range(draws)]
                shares.append(f"{np.mean(warned):.4f}")
            yield (name, str(fraction), *shares)


def real_scores(scores):
    """Return rows of empirical and binormal areas."""
    columns = ("samples", "as is", "log-odds")
    yield (
        "data",
        "classifier",
        *(f"{area}, {c}" for area in ("AUC", "AP") for c in columns),
        "why",
    )
    for (name, kind), (y, score) in scores.items():
        odds = odds_of(y, score)
        found = [
            None if values is None else areas(y, values) for values in (score, odds)
        ]
        cells = []
        for area in (0, 1):
            cells.append(f"{found[0][0][area]:.4f}")
            cells += [
                "" if one is None else f"{one[1][area]:.4f}" + "*" * (not one[2][area])
                for one in found
            ]
        advice = ""
        if odds is not None:
            negative, positive = split_scores(y, score)
            by_class = np.concatenate([odds[y == 0], odds[y == 1]])
            advice = (
                "; log-odds"
                if is_repaired(by_class, negative, positive)
                else "; empirical"
            )
        yield (name, kind, *cells, why(y, score) + advice)


CLIPS = {
    "1e-15": lambda _: 1e-15,
    "1e-6": lambda _: 1e-6,
    "0.001": lambda _: 1e-3,
    "1 / (2 n)": lambda p: 0.5 / len(p),
}


def clipping(scores):
    """Return rows of how well log-odds do that are made in different ways."""
    ways = {name: partial(_clipped, end=end) for name, end in CLIPS.items()}
    ways["half the next"] = lambda p: log_odds(p)[0]
    yield ("ends", "AUC held", "AUC distance", "AP held", "AP distance")
    chosen = [
        (y, score)
        for y, score in scores.values()
        if score.min() >= 0 and score.max() <= 1 and {0.0, 1.0} & set(score.tolist())
    ]
    for name, way in ways.items():
        found = [areas(y, way(score)) for y, score in chosen]
        held = np.mean([inside for *_, inside in found], axis=0)
        distance = np.mean(
            [np.abs(model - sample) for sample, model, _ in found], axis=0
        )
        yield (
            name,
            *(f"{part[area]:.3f}" for area in (0, 1) for part in (held, distance)),
        )


def _clipped(p, end):
    return logit(p.clip(end(p), 1 - end(p)))


def power(scores, seed):
    """Return rows of the shares that are warned of, by size of the sample."""
    yield ("scores", "samples", "off", "warned", "not off", "warned")
    rng = np.random.default_rng(seed)
    for size in (40, 100, 300, None):
        found = {"as is": [], "log-odds": []}
        for y, score in scores.values():
            for _ in range(N_SUBSETS if size else 1):
                chosen = slice(None) if size is None else rng.permutation(len(y))[:size]
                if size is not None and size >= len(y):
                    continue
                kinds = {"as is": score, "log-odds": odds_of(y, score)}
                for kind, values in kinds.items():
                    if values is not None and two_values(y[chosen], values[chosen]):
                        found[kind].append(_off_and_warned(y[chosen], values[chosen]))
        for kind, pairs in found.items():
            off, warned = np.array(pairs).T
            shares = [
                f"{np.mean(warned[part]):.3f}" if part.any() else ""
                for part in (off, ~off)
            ]
            counts = str(off.sum()), str((~off).sum())
            yield (kind, str(size or "all"), counts[0], shares[0], counts[1], shares[1])


SIMULATED = {
    "normal": lambda rng, y: rng.normal(size=y.size) + y,
    "logistic": lambda rng, y: rng.logistic(size=y.size) + 1.5 * y,
    "exponential": lambda rng, y: rng.exponential(size=y.size) * np.where(y, 3, 1),
    "lognormal": lambda rng, y: np.exp(rng.normal(size=y.size)) * np.where(y, 2.2, 1),
    "Student's t, 2 degrees of freedom": lambda rng, y: (
        rng.standard_t(2, y.size) + 1.5 * y
    ),
    "10 times Beta": lambda rng, y: (
        10 * np.where(y, rng.beta(6, 1.5, y.size), rng.beta(1, 4, y.size))
    ),
}


def misses(draws, seed):
    """Return rows of the shares of simulated data sets that are off, and that are warned of."""
    yield ("scores", "positive / negative", "off", "warned", "not off", "warned")
    large = np.arange(2_000_000) % 2 == 1
    for row, (name, score_of) in enumerate(SIMULATED.items()):
        truth = roc_auc_score(large, score_of(np.random.default_rng(1), large))
        for n_positive, n_negative in ((10, 10), (20, 60), (100, 300)):
            pairs = []
            for number in range(draws):
                rng = np.random.default_rng([seed, row, n_positive, number])
                y = np.arange(n_positive + n_negative) < n_positive
                score = score_of(rng, y)
                moments = (
                    part.moments() for part in split_scores(y.astype(int), score)
                )
                posterior = skpostbac.binormal.PosteriorBinormal(*moments, n_draws=1000)
                low, high = posterior.roc_auc().credible_interval()
                pairs.append(
                    (not low <= truth <= high, why(y.astype(int), score) != "-")
                )
            off, warned = np.array(pairs).T
            shares = [
                f"{np.mean(warned[part]):.2f}" if part.any() else ""
                for part in (off, ~off)
            ]
            size = f"{n_positive} / {n_negative}"
            yield (name, size, str(off.sum()), shares[0], str((~off).sum()), shares[1])


def _off_and_warned(y, score):
    empirical, _, inside = areas(y, score)
    off = any(
        value < 1 and not held for value, held in zip(empirical, inside, strict=True)
    )
    return off, why(y, score) != "-"


def main():
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    versions = {
        "skpostbac": skpostbac,
        "scikit-learn": sklearn,
        "scipy": scipy,
        "numpy": np,
    }
    print(
        ", ".join(f"{name} {module.__version__}" for name, module in versions.items())
    )
    rows = list(misses(2 * arguments.draws, arguments.seed))
    print(f"\nsimulated\n\n{table(rows)}", flush=True)
    scores = scored(data_sets(), CLASSIFIERS)
    print(f"\nreal scores\n\n{table(list(real_scores(scores)))}", flush=True)
    print(f"\nclipping\n\n{table(list(clipping(scores)))}", flush=True)
    new = scored(new_data_sets(), NEW_CLASSIFIERS)
    print(f"\npower\n\n{table(list(power(new, arguments.seed)))}", flush=True)
    rows = list(false_alarms(arguments.draws, arguments.seed))
    print(f"\nfalse alarms\n\n{table(rows)}", flush=True)


if __name__ == "__main__":
    main()
