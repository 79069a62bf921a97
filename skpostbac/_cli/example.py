"""The built-in example, for which no file is needed."""

from collections import Counter
from collections.abc import Sequence

from skpostbac._cli.reading import InputError
from skpostbac._cli.sections import fill
from skpostbac._cli.table import InputTable

EXAMPLE = (
    "This is a built-in example, because no FILE was given. The task is to recognise "
    "eights among scikit-learn's handwritten digits; one in ten is an eight. Always "
    'predicting "not eight" gives an accuracy of {majority:.3f}, but a balanced '
    "accuracy of only 0.5. All predictions are out of fold, from stratified 5-fold "
    "cross-validation."
)
HINT = (
    "To evaluate your own predictions, pass a CSV file with a column of true labels "
    "and one column\nper classifier:\n    skpostbac predictions.csv --truth COLUMN"
)


def make_example(names: Sequence[str] | None = None) -> InputTable:
    """Predict imbalanced scikit-learn example data with three classifiers.

    Parameters
    ----------
    names : sequence of str, default=None
        Classifiers of the example to use, by default all.

    Returns
    -------
    table : InputTable

    Raises
    ------
    InputError
        If a name is unknown.
    """
    from sklearn.datasets import load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    classifiers = {
        "logistic regression": LogisticRegression(),
        "random forest": RandomForestClassifier(random_state=0),
        "naive Bayes": GaussianNB(),
    }
    chosen = tuple(dict.fromkeys(names or classifiers))
    if unknown := [name for name in chosen if name not in classifiers]:
        raise InputError(
            f"--classifier: {unknown[0]!r} is not in the example, which has "
            + ", ".join(map(repr, classifiers))
        )
    X, digits = load_digits(return_X_y=True)
    y = ["eight" if digit == 8 else "another" for digit in digits]
    predictions = [cross_val_predict(classifiers[name], X / 16, y) for name in chosen]
    return InputTable(
        source="sklearn.datasets.load_digits",
        columns=("digit", *chosen),
        rows=Counter(zip(y, *(labels.tolist() for labels in predictions), strict=True)),
        truth="digit",
        predictions=chosen,
        description=EXAMPLE.format(majority=y.count("another") / len(y)),
    )


def explain_example(table: InputTable, text: str) -> str:
    """Put text about the example around its results."""
    return f"{fill(table.description or '')}\n\n{text}\n{HINT}\n"
