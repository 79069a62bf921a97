"""Labels in columns of pandas, polars and pyarrow are those of a list; nulls are refused."""

import pytest

from skpostbac import class_counts
from skpostbac.metrics import paired_counts

REASON = "needs the group ecosystem"
pd = pytest.importorskip("pandas", reason=REASON)
pl = pytest.importorskip("polars", reason=REASON)
pa = pytest.importorskip("pyarrow", reason=REASON)

WORDS = (["b", "a", "b", "a", "b"], ["b", "b", "b", "a", "c"])
# The first two are one and the same as floats.
NUMBERS = ([2**53, 2**53 + 1, 1, 1, 1], [2**53 + 1, 2**53 + 1, 1, 1, 2])
TRUTHS = ([True, False, True, False, True], [True, True, True, False, False])


def pandas_column(dtype):
    return lambda labels: pd.Series(labels, dtype=dtype)


def polars_column(dtype):
    return lambda labels: pl.Series(labels, dtype=dtype)


def pyarrow_column(dtype):
    return lambda labels: pa.array(labels, type=dtype)


def chunked_column(labels):
    return pa.chunked_array([labels[:2], labels[2:]])


def dictionary_column(labels):
    return pa.array(labels).dictionary_encode()


COLUMNS = [
    pytest.param(make, *labels, id=name)
    for name, make, labels in [
        ("pandas-object", pandas_column(object), WORDS),
        ("pandas-str", pandas_column("str"), WORDS),
        ("pandas-string", pandas_column("string"), WORDS),
        ("pandas-arrow-string", pandas_column("string[pyarrow]"), WORDS),
        ("pandas-category", pandas_column("category"), WORDS),
        ("pandas-Int64", pandas_column("Int64"), NUMBERS),
        ("pandas-arrow-int64", pandas_column("int64[pyarrow]"), NUMBERS),
        ("pandas-boolean", pandas_column("boolean"), TRUTHS),
        ("polars-string", polars_column(pl.String), WORDS),
        ("polars-categorical", polars_column(pl.Categorical), WORDS),
        ("polars-enum", polars_column(pl.Enum(["c", "b", "a"])), WORDS),
        ("polars-int64", polars_column(pl.Int64), NUMBERS),
        ("polars-boolean", polars_column(pl.Boolean), TRUTHS),
        ("pyarrow-string", pyarrow_column(pa.string()), WORDS),
        ("pyarrow-large-string", pyarrow_column(pa.large_string()), WORDS),
        ("pyarrow-dictionary", dictionary_column, WORDS),
        ("pyarrow-chunked", chunked_column, WORDS),
        ("pyarrow-int64", pyarrow_column(pa.int64()), NUMBERS),
        ("pyarrow-bool", pyarrow_column(pa.bool_()), TRUTHS),
    ]
]


@pytest.mark.parametrize(("column", "truth", "predicted"), COLUMNS)
def test_columns_count_like_lists(column, truth, predicted):
    """Whatever holds the labels, the counts are the same."""
    assert class_counts(column(truth), column(predicted)) == class_counts(
        truth, predicted
    )


@pytest.mark.parametrize(("column", "truth", "predicted"), COLUMNS)
@pytest.mark.parametrize("place", ["y_true", "y_pred"])
def test_a_null_is_an_error(column, truth, predicted, place):
    """A missing label is neither a class nor an error of the classifier."""
    labels = {"y_true": truth, "y_pred": predicted}
    labels[place] = [*labels[place][:-1], None]
    with pytest.raises(ValueError, match=f"Input {place} contains NaN"):
        class_counts(column(labels["y_true"]), column(labels["y_pred"]))


def test_arrow_tables_name_classifiers():
    """The `columns` of pyarrow have no names."""
    table = pa.table({"one": [0, 1, 1, 0], "two": [0, 1, 0, 1]})
    predictions = {"one": [0, 1, 1, 0], "two": [0, 1, 0, 1]}
    truth = [0, 1, 1, 1]
    assert paired_counts(truth, table) == paired_counts(truth, predictions)
