"""MLflow: the summary of a posterior is a dict of metrics, and a score can be a metric."""

import numpy as np
import pandas as pd
import pytest

from skpostbac import posterior_balanced_accuracy, posterior_balanced_accuracy_score

REASON = "needs the group ecosystem"
mlflow = pytest.importorskip("mlflow", reason=REASON)
models = pytest.importorskip("mlflow.models", reason=REASON)

pytestmark = [
    # MLflow's own: use of SQLAlchemy and pandas, which give notice of what they will drop, and
    # advice on type hints and integers.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:mlflow"),
    pytest.mark.filterwarnings("ignore::UserWarning:mlflow"),
    pytest.mark.filterwarnings("ignore:The ``noload`` loader strategy"),
]

Y_TRUE = np.repeat([0, 1], [40, 10])
Y_PRED = np.r_[np.repeat([0, 1], [36, 4]), np.repeat([0, 1], [2, 8])]


@pytest.fixture(scope="module", autouse=True)
def store(tmp_path_factory):
    """A database in a file, which MLflow wants since it gave up its store of plain files."""
    folder = tmp_path_factory.mktemp("mlflow")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{folder / 'mlflow.db'}")
    mlflow.create_experiment(
        "posteriors", artifact_location=(folder / "artifacts").as_uri()
    )
    mlflow.set_experiment("posteriors")
    yield
    mlflow.set_tracking_uri(before)


def test_summary_is_logged_as_metrics():
    """What was logged comes back."""
    summary = posterior_balanced_accuracy(Y_TRUE, Y_PRED).summary()
    with mlflow.start_run() as run:
        mlflow.log_metrics(summary)
    assert mlflow.get_run(run.info.run_id).data.metrics == pytest.approx(summary)


def test_score_as_a_metric_of_evaluate():
    """`mlflow.models.evaluate` computes and logs the lower bound beside its own metrics."""

    def balanced_accuracy_lower(predictions, targets):
        return posterior_balanced_accuracy_score(
            targets, predictions, objective="lower"
        )

    metric = models.make_metric(eval_fn=balanced_accuracy_lower, greater_is_better=True)
    with mlflow.start_run():
        result = models.evaluate(
            data=pd.DataFrame({"truth": Y_TRUE, "predicted": Y_PRED}),
            targets="truth",
            predictions="predicted",
            model_type="classifier",
            extra_metrics=[metric],
            evaluator_config={"log_model_explainability": False},
        )
    expected = posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, objective="lower")
    assert result.metrics["balanced_accuracy_lower"] == pytest.approx(expected)
