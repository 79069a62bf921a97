"""Labels in a Spark DataFrame: one groupBy, and the counts of its few groups."""

import os
import shutil

import numpy as np
import pytest

from skpostbac import ClassCounts, class_counts

sql = pytest.importorskip("pyspark.sql", reason="needs the extra spark")

if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    pytest.skip("Spark needs Java", allow_module_level=True)

# `collect` leaves its socket to the garbage collector before PySpark 4.2 (SPARK-54247).
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


@pytest.fixture(scope="module")
def spark():
    """A session in this process, with as little around it as can be."""
    session = (
        sql.SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    yield session
    session.stop()


def count_cells(frame):
    """Count the pairs of labels where the rows are, and then what is left of them here."""
    truth, predicted, n = zip(
        *frame.groupBy("truth", "predicted").count().collect(), strict=True
    )
    return class_counts(truth, predicted, sample_weight=n)


@pytest.mark.parametrize(
    ("names", "dtype"),
    [
        (["cat", "dog", "fox"], "string"),
        ([3, 1, 2**62 + 1], "bigint"),
        ([False, True], "boolean"),
    ],
)
def test_counts_of_a_frame(spark, tmp_path, names, dtype):
    """The counts of the groups are those of the rows."""
    y_true, y_pred = np.array(names)[
        np.random.default_rng(0).choice(len(names), size=(2, 500))
    ]
    lines = [
        f"{truth},{predicted}" for truth, predicted in zip(y_true, y_pred, strict=True)
    ]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines))
    frame = spark.read.schema(f"truth {dtype}, predicted {dtype}").csv(path.as_uri())
    assert count_cells(frame) == class_counts(y_true, y_pred)


@pytest.mark.parametrize("dtype", ["string", "bigint", "boolean", "double"])
@pytest.mark.parametrize(("column", "name"), [(0, "y_true"), (1, "y_pred")])
def test_a_null_is_an_error(spark, dtype, column, name):
    """Spark has a group for nulls, which reaches the counts and is refused as in memory."""
    missing = [f"cast(1 as {dtype})"] * 2
    missing[column] = f"cast(null as {dtype})"
    frame = spark.sql(
        f"select cast(1 as {dtype}) as truth, cast(1 as {dtype}) as predicted "
        f"union all select {', '.join(missing)}"
    )
    with pytest.raises(ValueError, match=f"Input {name} contains NaN"):
        count_cells(frame)


def test_a_missing_prediction_can_be_named(spark):
    """Under a name that is no true label it counts as an error."""
    frame = spark.sql("select * from values ('a', 'a'), ('b', null), ('b', 'b')")
    frame = frame.toDF("truth", "predicted").fillna({"predicted": "none"})
    assert count_cells(frame) == ClassCounts(["a", "b"], correct=[1, 1], total=[1, 2])
