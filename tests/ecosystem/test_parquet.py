"""The command line on parquet files, as pandas and polars write them."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from skpostbac.__main__ import main

REASON = "needs the group ecosystem"
pd = pytest.importorskip("pandas", reason=REASON)
pl = pytest.importorskip("polars", reason=REASON)
pytest.importorskip("pyarrow", reason=REASON)

ROOT = Path(__file__).resolve().parents[2]
LABELS = {"text": ["cat", "dog"], "integers": [3, 7], "booleans": [False, True]}
CODES = {"truth": [0, 0, 1, 1, 1], "one": [0, 1, 1, 1, 0], "two": [0, 0, 1, 0, 1]}


def columns_of(labels):
    """Return a truth and two predictions."""
    return {name: [labels[code] for code in codes] for name, codes in CODES.items()}


def write_pandas(columns, path):
    """Write with an index of names, which is a column of the file."""
    index = [f"row {number}" for number in range(len(columns["truth"]))]
    pd.DataFrame(columns, index=index).to_parquet(path)


def write_categories(columns, path):
    """Write categories, which the file has as a dictionary."""
    pd.DataFrame(columns).astype("category").to_parquet(path)


def write_polars(columns, path):
    """Write without pyarrow."""
    pl.DataFrame(columns).write_parquet(path)


def evaluate(path, capsys, *options):
    """Return the document, but for the name of the file."""
    assert main([str(path), "--truth", "truth", "--json", *options]) == 0
    document = json.loads(capsys.readouterr().out)
    del document["data"]["source"]
    return document


def fail(path, capsys):
    """Return the line of an error."""
    with pytest.raises(SystemExit, match=r"^2$"):
        main([str(path), "--truth", "truth"])
    return capsys.readouterr().err


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize(
    "write",
    [write_pandas, write_categories, write_polars],
    ids=["pandas", "categories", "polars"],
)
def test_parquet_is_read_as_csv_is(tmp_path, capsys, write, labels):
    """The same document, whoever wrote the file and whatever the labels are."""
    columns = columns_of(labels)
    pd.DataFrame(columns).to_csv(tmp_path / "p.csv", index=False)
    write(columns, tmp_path / "p.parquet")
    found = evaluate(tmp_path / "p.parquet", capsys)
    assert found == evaluate(tmp_path / "p.csv", capsys)


def test_parquet_in_row_groups(tmp_path, capsys):
    """Rows are counted over all batches, and other columns may hold anything."""
    columns = {name: cells * 50 for name, cells in columns_of(["a", "b"]).items()}
    pd.DataFrame(columns).to_csv(tmp_path / "p.csv", index=False)
    more = pl.DataFrame({**columns, "note": [[1, None]] * 250})
    more.write_parquet(tmp_path / "p.parquet", row_group_size=7)
    chosen = ["--classifier", "two", "--classifier", "one"]
    found = evaluate(tmp_path / "p.parquet", capsys, *chosen)
    assert found["data"]["n_samples"] == 250
    assert found == evaluate(tmp_path / "p.csv", capsys, *chosen)


def test_parquet_by_standard_input():
    """What cannot be rewound is read at once."""
    file = io.BytesIO()
    pl.DataFrame(columns_of(["a", "b"])).write_parquet(file)
    result = subprocess.run(
        [sys.executable, "-m", "skpostbac", "-", "--truth", "truth", "--json"],
        input=file.getvalue(),
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert json.loads(result.stdout)["data"]["n_samples"] == 5


@pytest.mark.parametrize("missing", [None, float("nan")], ids=["null", "NaN"])
def test_missing_cells_of_parquet(tmp_path, capsys, missing):
    """They are no label; the row is named."""
    columns = {"truth": [1.0, 2.0, 1.0], "one": [1.0, 2.0, missing]}
    pl.DataFrame(columns).write_parquet(tmp_path / "p.parquet")
    message = "column 'one' is empty in 1 of 3 rows, first in row 3"
    assert message in fail(tmp_path / "p.parquet", capsys)


def test_half_a_parquet_file(tmp_path, capsys):
    """One line says what is wrong."""
    file = io.BytesIO()
    pl.DataFrame(columns_of(["a", "b"])).write_parquet(file)
    (tmp_path / "p.parquet").write_bytes(file.getvalue()[:200])
    line = fail(tmp_path / "p.parquet", capsys)
    assert "p.parquet is not a complete parquet file: " in line
    assert line.count("\n") == 1


def test_columns_of_parquet_are_listed(tmp_path, capsys):
    """Without the index of pandas."""
    write_pandas(
        {**columns_of("ab"), "y": columns_of("ab")["truth"]}, tmp_path / "p.parquet"
    )
    with pytest.raises(SystemExit, match=r"^2$"):
        main([str(tmp_path / "p.parquet")])
    line = capsys.readouterr().err
    assert line.endswith("the columns are 'truth', 'one', 'two', 'y'\n")
