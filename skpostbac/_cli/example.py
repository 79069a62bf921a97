"""The built-in example, for which no file is needed."""

from argparse import Namespace
from collections import Counter

from skpostbac._cli.table import InputTable, choose_columns
from skpostbac._cli.text import fill

EXAMPLE = (
    "This is a built-in example, because no FILE was given. The task is to recognise "
    "eights among scikit-learn's handwritten digits; one in ten is an eight. Always "
    'predicting "not eight" gives an accuracy of {majority:.3f}, but a balanced '
    "accuracy of only 0.5. All predictions are out of fold, from stratified 5-fold "
    "cross-validation."
)
HINT = (
    "To evaluate your own predictions, pass a CSV file with a column of true labels "
    "and one column per classifier:"
)
COMMAND = "    skpostbac predictions.csv --truth COLUMN"


def make_example(args: Namespace) -> InputTable:
    """Predict imbalanced scikit-learn example data with three classifiers.

    Raises
    ------
    InputError
        If a name of ``--classifier`` is none of these.
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
    args.truth = "digit"
    columns = ("digit", *classifiers)
    chosen = choose_columns(columns, args)
    X, digits = load_digits(return_X_y=True)
    y = ["eight" if digit == 8 else "another" for digit in digits]
    predictions = (
        cross_val_predict(classifier, X / 16, y).tolist()
        for classifier in classifiers.values()
    )
    return InputTable(
        source="sklearn.datasets.load_digits",
        columns=columns,
        rows=Counter(zip(y, *predictions, strict=True)),
        truth="digit",
        predictions=chosen,
        description=EXAMPLE.format(majority=y.count("another") / len(y)),
    )


def explain_example(table: InputTable, text: str) -> str:
    """Put text about the example around its results."""
    return f"{fill(table.description or '')}\n\n{text}\n{fill(HINT)}\n{COMMAND}\n"
