"""The built-in example, evaluated if no file is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from skpostbac._cli._formats import InputError
from skpostbac._cli._table import Table, check_distinct

DESCRIPTION = (
    "This is a built-in example, because no FILE was given. The task is to recognise eights among "
    'scikit-learn\'s handwritten digits; one in ten is an eight. Always predicting "not eight" '
    "gives an accuracy of {majority:.3f}, but a balanced accuracy of only 0.5. All predictions are "
    "out of fold, from stratified 5-fold cross-validation."
)


def make_example(names: Sequence[str] | None = None) -> Table:
    """Predict imbalanced scikit-learn example data with three classifiers.

    Parameters
    ----------
    names : sequence of str, default=None
        Classifiers of the example to use, by default all.

    Returns
    -------
    table : Table

    Raises
    ------
    InputError
        If a name is unknown or repeated.
    """
    classifiers = _choose(names)
    X, digit = load_digits(return_X_y=True)
    y = np.where(digit == 8, "eight", "another")
    predictions = [cross_val_predict(estimator, X / 16, y) for estimator in classifiers.values()]
    rows = Counter(zip(*(labels.tolist() for labels in [y, *predictions]), strict=True))
    description = DESCRIPTION.format(majority=np.mean(y == "another"))
    return Table("sklearn.datasets.load_digits", "digit", tuple(classifiers), rows, description)


def _choose(names: Sequence[str] | None) -> dict[str, Any]:
    classifiers = _classifiers()
    chosen = list(classifiers) if names is None else list(names)
    check_distinct(chosen, "--classifier")
    if unknown := [name for name in chosen if name not in classifiers]:
        raise InputError(
            f"--classifier: {unknown[0]!r} is not in the example, which has "
            + ", ".join(map(repr, classifiers))
        )
    return {name: classifiers[name] for name in chosen}


def _classifiers() -> dict[str, Any]:
    return {
        "logistic regression": LogisticRegression(),
        "random forest": RandomForestClassifier(random_state=0),
        "naive Bayes": GaussianNB(),
    }
