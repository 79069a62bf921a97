"""Dask as the engine of joblib, and as the home of labels that do not fit into memory."""

import joblib
import numpy as np
import pandas as pd
import pytest

from skpostbac import ClassCounts, PosteriorBalancedAccuracy, class_counts

REASON = "needs the extra dask"
dask = pytest.importorskip("dask", reason=REASON)
da = pytest.importorskip("dask.array", reason=REASON)
dd = pytest.importorskip("dask.dataframe", reason=REASON)
distributed = pytest.importorskip("dask.distributed", reason=REASON)


@pytest.fixture(scope="module")
def client():
    """Two processes of one thread on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as hub,
        distributed.Client(hub) as client,
    ):
        yield client


@pytest.fixture
def labels():
    """1,000 true labels of three classes, and predictions, of which about a fifth is wrong."""
    rng = np.random.default_rng(0)
    y_true = rng.choice(["cat", "dog", "fox"], 1000, p=[0.7, 0.2, 0.1])
    return y_true, np.where(rng.random(1000) < 0.8, y_true, "cow")


def count_cells(frame):
    """Count the pairs of labels where the rows are, and then what is left of them here."""
    pairs = frame.groupby(["truth", "predicted"], dropna=False, observed=True)
    cells = pairs.size().compute().rename("n").reset_index()
    return class_counts(cells["truth"], cells["predicted"], sample_weight=cells["n"])


@pytest.mark.usefixtures("client")
def test_the_cluster_agrees_with_one_job(run_everything, sequential):
    """Scores, counts, outcomes, the chosen candidates and the pooled posterior are the same."""
    with joblib.parallel_config(backend="dask"):
        assert run_everything(2) == sequential


@pytest.mark.usefixtures("client")
def test_counts_of_arrays(labels):
    """Each block is counted where it is, and the counts are added."""
    y_true, y_pred = (da.from_array(y, chunks=300) for y in labels)
    blocks = zip(y_true.to_delayed(), y_pred.to_delayed(), strict=True)
    counts = sum(
        dask.compute(*[dask.delayed(class_counts)(*block) for block in blocks])
    )
    assert counts == class_counts(*labels)


@pytest.mark.usefixtures("client")
def test_counts_of_numbered_classes():
    """`bincount` of both numbers in one gives the confusion matrix, where the blocks are."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 3, 1000)
    y_pred = np.where(rng.random(1000) < 0.8, y_true, rng.integers(0, 3, 1000))
    truth, predicted = (da.from_array(y, chunks=300) for y in (y_true, y_pred))
    cells = da.bincount(3 * truth + predicted, minlength=9).compute().reshape(3, 3)
    posterior = PosteriorBalancedAccuracy.from_confusion_matrix(cells)
    assert posterior == PosteriorBalancedAccuracy(class_counts(y_true, y_pred))


@pytest.mark.parametrize("dtype", [str, "category", "string[pyarrow]"])
def test_counts_of_a_frame(dtype, labels):
    """The counts of the groups are those of the rows."""
    frame = pd.DataFrame(
        dict(zip(["truth", "predicted"], labels, strict=True)), dtype=dtype
    )
    assert count_cells(dd.from_pandas(frame, npartitions=4)) == class_counts(*labels)


@pytest.mark.parametrize("dtype", [object, "category", "string[pyarrow]"])
@pytest.mark.parametrize(
    ("column", "name"), [("truth", "y_true"), ("predicted", "y_pred")]
)
def test_a_null_is_an_error(dtype, column, name):
    """A missing label reaches the counts, and is refused as it is in memory."""
    columns = {"truth": ["a", "b", "b"], "predicted": ["a", "b", "a"]}
    columns[column][1] = None
    frame = dd.from_pandas(pd.DataFrame(columns, dtype=dtype), npartitions=2)
    with pytest.raises(ValueError, match=f"Input {name} contains NaN"):
        count_cells(frame)


def test_a_missing_prediction_can_be_named():
    """Under a name that is no true label it counts as an error."""
    columns = {"truth": ["a", "b", "b"], "predicted": ["a", None, "b"]}
    frame = dd.from_pandas(pd.DataFrame(columns), npartitions=2)
    counts = count_cells(frame.fillna({"predicted": "none"}))
    assert counts == ClassCounts(["a", "b"], correct=[1, 1], total=[1, 2])
