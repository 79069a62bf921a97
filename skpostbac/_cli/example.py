"""The built-in example, for which no file is needed.

``example.csv`` has the out-of-fold predictions of a `LogisticRegression`, a
`RandomForestClassifier` with ``random_state=0`` and a `GaussianNB` on
``load_digits(return_X_y=True)``, with pixels divided by 16, from ``cross_val_predict``
(scikit-learn 1.9), and how often each row occurs.
"""

from argparse import Namespace
from pathlib import Path

EXAMPLE = (
    "This is a built-in example, because no FILE was given. The task is to recognise "
    "eights among scikit-learn's handwritten digits; one in ten is an eight. Always "
    'predicting "not eight" gives an accuracy of 0.903, but a balanced accuracy of '
    "only 0.5. All predictions are out of fold, from stratified 5-fold "
    "cross-validation."
)
HINT = (
    "To evaluate your own predictions, pass a CSV file with a column of true labels "
    "and one column per classifier:"
)
COMMAND = "    skpostbac predictions.csv --truth COLUMN"


def choose_example(args: Namespace) -> None:
    """Let the arguments name the file of the example and its columns."""
    args.file = [str(Path(__file__).with_name("example.csv"))]
    args.truth = "digit"
    args.weight = "n"
