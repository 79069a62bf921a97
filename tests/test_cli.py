"""The command line: what it prints, what it refuses, and how it ends.

The files ``golden/*.txt`` are transcripts: ``$`` starts a command line, and what it prints, ``! ``
before lines of standard error and ``? `` before a status other than 0 stand below it; ``< `` starts
an expression for the contents of the table ``p.csv``. After a change of the output,
``python tests/test_cli.py`` writes them anew, or ``python tests/test_cli.py text json`` these two:
read the difference before you commit it.
"""

import contextlib
import csv
import gzip
import html
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from itertools import combinations, product
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
)
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

# As a script, it sees the folder of this file only.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import skpostbac
from skpostbac.__main__ import main
from skpostbac.metrics import (
    paired_counts,
    posterior_balanced_accuracy,
    posterior_prevalence,
    subgroup_posteriors,
)
from skpostbac.metrics._confusion.metrics import BY_CLASS, OVERALL, SYNONYMS
from skpostbac.model_selection import (
    compare_outcomes,
    compare_predictions,
    compare_scores,
    selected_posterior,
)
from tests.texts import is_same_but_for_digits, keep_digits, sentences

ROOT = Path(__file__).resolve().parents[1]
SMALL = "truth,one,two\na,a,a\na,a,b\nb,b,b\nb,a,b\n"


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its name."""

    def write_file(content, name="p.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write_file


@pytest.fixture
def run(capsys):
    """Return a function that runs the command line and returns what it printed."""

    def run_main(*args):
        assert main(list(args)) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return run_main


@pytest.fixture
def fail(capsys):
    """Return a function that runs the command line and returns its one line of error."""

    def run_main(*args):
        with pytest.raises(SystemExit, match=r"^2$"):
            main(list(args))
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("skpostbac: error: ")
        assert captured.err.endswith("\n")
        assert captured.err.count("\n") == 1
        return captured.err.removeprefix("skpostbac: error: ").removesuffix("\n")

    return run_main


def run_process(*args, **kwargs):
    """Run ``python -m skpostbac`` on the code of this checkout, as a user would."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(
        [sys.executable, "-m", "skpostbac", *args],
        cwd=ROOT,
        env={
            name: value
            for name, value in os.environ.items()
            if name != "PYTHONUNBUFFERED"
        },
        timeout=120,
        check=False,
        **streams | kwargs,
    )


# Columns that are no predictions, and labels in another spelling


def as_csv(**columns):
    """Return a CSV file with these columns."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


BINARY = [0, 1] * 30
NUMBERS = {
    "id": range(60),
    "Unnamed: 0": range(60),
    "age": [30 + i % 40 for i in range(60)],
    "fold": [i // 12 for i in range(60)],
    "third": [i // 20 for i in range(60)],
    "probability": [i / 59 for i in range(60)],
    "site": [f"s{i}" for i in range(60)],
}


def call(capsys, *args):
    """Return the status, standard output and standard error."""
    try:
        status = main(list(args))
    except SystemExit as stop:
        status = stop.code
    return status, *capsys.readouterr()


@pytest.mark.parametrize("name", NUMBERS)
def test_columns_that_are_no_classifier(write, capsys, name):
    """They are not ranked, pass and fail no gate, and a line names them."""
    path = str(write(as_csv(truth=BINARY, m=BINARY, **{name: NUMBERS[name]})))
    options = path, "--truth", "truth", "--fail-below", "0.8"
    status, out, _ = call(capsys, *options)
    assert status == 0
    assert f"hardly predictions: {name!r}" in " ".join(out.split())
    document = json.loads(call(capsys, *options, "--json")[1])
    assert document["data"]["columns_left_out"] == [name]
    assert [record["name"] for record in document["posteriors"]] == ["m"]


def test_refusals_do_not_pass_a_gate(write, capsys):
    """A classifier with labels of its own is evaluated, or an error, but never left out."""
    truth = ["A", "B"] * 30
    options = "--truth", "truth", "--fail-below", "0.5"
    few, most = ([*truth[:n], *["refused"] * (60 - n)] for n in (36, 24))
    path = str(write(as_csv(truth=truth, good=truth, llm=few)))
    status, out, err = call(capsys, path, *options)
    assert status == 4
    assert "llm: 24 predictions ('refused') are none of the classes" in out
    assert "undecided: balanced accuracy above 0.5; bounds of llm [" in err
    path = str(write(as_csv(truth=truth, good=truth, llm=most)))
    status, out, err = call(capsys, path, *options)
    assert (status, out) == (2, "")
    assert (
        "column 'llm' is not of the classes of 'truth' ('A', 'B'): 36 of 60 values are "
        "'refused'"
    ) in err


def test_an_error_lists_the_columns(write, capsys):
    """Of a file without predictions."""
    columns = {
        "truth": BINARY,
        "id": range(60),
        "note": ["text"] * 60,
        "age": [50] * 60,
    }
    path = str(write(as_csv(**columns)))
    status, out, err = call(capsys, path, "--truth", "truth")
    assert (status, out) == (2, "")
    assert "no column is of the classes of 'truth' ('0', '1'); pass" in err
    assert "the columns are 'id', 'note', 'age'" in err


def test_gaps_in_a_column_that_is_no_classifier(write, capsys):
    """A comment, or an age, that is missing in some rows is left out like any other."""
    comment = ["", "blurred", "fine", " ", "dark"] * 12
    age = ["" if i % 7 == 0 else 30 + i for i in range(60)]
    columns = {"truth": BINARY, "m": BINARY, "comment": comment, "age": age}
    path = str(write(as_csv(**columns, empty=[""] * 60)))
    document = json.loads(call(capsys, path, "--truth", "truth", "--json")[1])
    assert document["data"]["columns_left_out"] == ["comment", "age", "empty"]
    assert [record["name"] for record in document["posteriors"]] == ["m"]


@pytest.mark.parametrize("chosen", [(), ("--classifier", "m")])
def test_gaps_in_a_classifier(write, capsys, chosen):
    """The error says how many there are, and where the first is."""
    pred = [*BINARY[:10], "", *BINARY[11:20], " ", *BINARY[21:]]
    path = str(write(as_csv(truth=BINARY, m=pred, good=BINARY)))
    status, out, err = call(capsys, path, "--truth", "truth", *chosen)
    assert (status, out) == (2, "")
    assert "error: column 'm' is empty in 2 of 60 rows, first in line 12\n" in err


def test_gaps_in_a_column_of_two_uses(write, capsys):
    """They are counted once."""
    patient = ["" if i % 20 == 5 else i // 2 for i in range(60)]
    path = str(write(as_csv(truth=BINARY, m=BINARY, patient=patient)))
    options = "--truth", "truth", "--groups", "patient", "--id", "patient"
    status, out, err = call(capsys, path, *options)
    assert (status, out) == (2, "")
    assert "column 'patient' is empty in 3 of 60 rows, first in line 7\n" in err


@pytest.mark.parametrize(
    "gate", [["--fail-below", "0.5"], ["--baseline", "old", "--max-loss", "0.1"]]
)
def test_a_gate_names_the_columns_that_it_does_not_judge(write, capsys, gate):
    """Such as a classifier that answers "error" in each row; named, it is an error."""
    columns = {"truth": BINARY, "old": BINARY, "new": BINARY, "llm": ["error"] * 60}
    path = str(write(as_csv(**columns)))
    status, _, err = call(capsys, path, "--truth", "truth", *gate)
    assert status == 0
    assert err == (
        "skpostbac: not judged, as hardly predictions: 'llm'; name columns of "
        "predictions with --classifier\n"
    )
    assert call(capsys, path, "--truth", "truth")[2] == ""
    named = [f"--classifier={name}" for name in ("old", "new", "llm")]
    status, out, err = call(capsys, path, "--truth", "truth", *gate, *named)
    assert (status, out) == (2, "")
    assert "column 'llm' is not of the classes of 'truth'" in err


def test_a_baseline_is_not_left_out(write, capsys):
    """It is named by the option."""
    columns = {"truth": BINARY, "new": BINARY, "other": BINARY, "old": ["x"] * 60}
    options = "--truth", "truth", "--baseline", "old", "--max-loss", "0.1"
    status, _, err = call(capsys, str(write(as_csv(**columns))), *options)
    assert status == 2
    assert "column 'old' is not of the classes of 'truth'" in err


def test_columns_left_out_change_nothing(write, capsys):
    """Groups and subgroups keep their places behind them."""
    site, group = [i % 3 for i in range(60)], [i // 4 for i in range(60)]
    columns = {"truth": BINARY, "m": BINARY[::-1], "site": site, "group": group}
    options = "--truth", "truth", "--groups", "group", "--by", "site", "--json"
    path = str(write(as_csv(**columns)))
    alone = json.loads(call(capsys, path, *options)[1])
    path = str(write(as_csv(id=range(60), **columns, age=range(60, 120))))
    document = json.loads(call(capsys, path, *options)[1])
    assert document["data"].pop("columns_left_out") == ["id", "age"]
    assert alone["data"].pop("columns_left_out") == []
    assert document == alone


@pytest.mark.parametrize(
    ("spell", "how"),
    [
        (float, "'0.0' looks like the class '0' in another spelling"),
        (bool, "'False' looks like the class '0' in another spelling"),
        ("{} ".format, "'0 ' looks like the class '0' in another spelling"),
        ("00{}".format, "'000' looks like the class '0' in another spelling"),
        ("class {}".format, "60 of 60 values are 'class 0', 'class 1'"),
    ],
)
@pytest.mark.parametrize("chosen", [(), ("--classifier", "m", "--classifier", "good")])
def test_most_predictions_without_a_class_are_an_error(
    write, capsys, spell, how, chosen
):
    """One line names the column and says why, and no accuracy of 0 is printed."""
    if not chosen and "looks" not in how:
        pytest.skip("left out")
    path = str(write(as_csv(truth=BINARY, m=map(spell, BINARY), good=BINARY)))
    status, out, err = call(capsys, path, "--truth", "truth", *chosen)
    assert (status, out) == (2, "")
    assert "column 'm' is not of the classes of 'truth' ('0', '1'): 60 of 60" in err
    assert how in err


@pytest.mark.parametrize("metric", ["balanced_accuracy", "f1_macro", "mcc"])
def test_strays_are_counted_for_every_metric(write, capsys, metric):
    """With the labels, and the hint at the spelling."""
    pred = [*BINARY[:-3], "1.0", "1.0", "?"]
    path = str(write(as_csv(truth=BINARY, m=pred)))
    options = path, "--truth", "truth", "--metric", metric
    document = json.loads(call(capsys, *options, "--json")[1])
    (record,) = document["posteriors"]
    assert (record["n_unseen"], record["unseen"]) == (3, {"1.0": 2, "?": 1})
    text = " ".join(call(capsys, *options)[1].split())
    assert "m: 3 predictions ('1.0', '?') are none of the classes" in text
    assert "; '1.0' looks like the class '1' in another spelling: convert" in text


@pytest.mark.parametrize("metric", ["auc", "average_precision", "f3"])
def test_the_error_of_a_metric_names_no_function_of_python(write, capsys, metric):
    """What takes scores is an option here."""
    path = str(write(as_csv(truth=BINARY, m=BINARY)))
    status, _, err = call(capsys, path, "--truth", "truth", "--metric", metric)
    assert status == 2
    assert "compare_scores" not in err
    assert ("did you mean --scores?" in err) == (metric != "f3")


def test_classes_that_look_alike_are_quoted(write, capsys):
    """Only those with a space at an end."""
    truth = ["cat", "cat ", "dog"] * 5
    path = str(write(as_csv(truth=truth, m=truth)))
    out = call(capsys, path, "--truth", "truth")[1]
    assert "3: cat (5), 'cat ' (5), dog (5)" in out


# Transcripts

GOLDEN = ROOT / "tests" / "golden"
# What starts a line of the parts of a page, to show where a page differs.
PARTS = re.compile(
    r"(?=<(?:h1|h2|p|dl|dt|figure|figcaption|section|table|tr|footer)\b)"
)
DECIMAL = re.compile(r"-?(?:\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+)")


def read_transcript(path):
    """Yield the contents of the table, the command line and what it prints, of each command."""
    table = None
    text = path.read_text(encoding="utf-8")
    for start, rest in re.findall(r"(?ms)^([<$]) (.*?)\n(?=[<$] |\Z)", text):
        if start == "<":
            table = rest
        else:
            command, _, printed = f"{rest}\n".partition("\n")
            yield table, command, printed


def transcribe(table, command, folder):
    """Run a command line in a folder with the tables; return what it prints and writes."""
    for path in GOLDEN.glob("*.csv"):
        shutil.copy(path, folder)
    if table is not None:
        content = eval(table)
        content = content if isinstance(content, bytes) else content.encode()
        (folder / "p.csv").write_bytes(content)
    out, err, status = io.StringIO(), io.StringIO(), 0
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            status = main(shlex.split(command)[1:])
        except SystemExit as stop:
            status = stop.code
    printed = out.getvalue()
    if printed.startswith("{"):
        rounded = json.loads(
            printed, parse_float=lambda digits: float(f"{float(digits):.7g}")
        )
        assert json.dumps(json.loads(printed), indent=2) + "\n" == printed
        printed = json.dumps({**rounded, "version": "VERSION"}, indent=1) + "\n"
    printed = printed.replace(skpostbac.__version__, "VERSION")
    printed += "".join(f"! {line}\n" for line in err.getvalue().splitlines())
    for page in folder.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        # Pictures, style and versions of libraries are not of this project, or tested elsewhere.
        for tag in ("svg", "style", "footer"):
            text = re.sub(rf"(?s)<{tag}.*?</{tag}>", f"<{tag}/>", text)
        printed += PARTS.sub("\n", text)
    return printed + (f"? {status}\n" if status else "")


COMMANDS = [
    pytest.param(
        *entry,
        id=f"{path.stem}-{number}",
        # Pages have pictures, and a table of many columns many comparisons.
        marks=[pytest.mark.slow] * (path.stem == "page" or "wide.csv" in entry[1]),
    )
    for path in sorted(GOLDEN.glob("*.txt"))
    for number, entry in enumerate(read_transcript(path), 1)
]


@pytest.mark.parametrize(("table", "command", "expected"), COMMANDS)
def test_output_is_that_of_the_transcript(table, command, expected, tmp_path):
    """Word by word; numbers may differ in the last digit, as sums do between processors."""
    found = transcribe(table, command, tmp_path)
    assert DECIMAL.sub("#", found) == DECIMAL.sub("#", expected)
    assert is_same_but_for_digits(found, expected, DECIMAL, **error_of(command))


def error_of(command):
    """Return by how much numbers may differ between processors.

    Text has three decimals. A sum that differs may change one of thousands of draws; that the
    numbers are exact is tested below.
    """
    return (
        {"rel": 1e-4, "abs": 1e-4}
        if "--json" in command
        else {"rel": 0, "abs": 1.01e-3}
    )


def write_transcripts(names):
    """Write what is printed now into the transcripts of these names, or into all."""
    paths = {path.stem: path for path in sorted(GOLDEN.glob("*.txt"))}
    if unknown := set(names) - set(paths):
        sys.exit(f"no transcripts: {sorted(unknown)}; there are {[*paths]}")
    for name in names or paths:
        text, last = "", None
        for table, command, expected in list(read_transcript(paths[name])):
            text += f"< {table}\n" if table != last else ""
            with tempfile.TemporaryDirectory() as folder:
                printed = transcribe(table, command, Path(folder))
            text += f"$ {command}\n{keep_digits(printed, expected, DECIMAL, **error_of(command))}"
            last = table
        paths[name].write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["test_cli.py", "test_html.py"])
def test_scripts_name_what_they_can_write(place):
    """From the checkout, of which nothing needs to be installed; here no name is right."""
    command = [sys.executable, "-P", f"tests/{place}", "no such name"]
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "['no such name']; there are [" in result.stderr


def test_a_transcript_keeps_its_digits():
    """Of numbers that are the same up to the error, in lines of the same words."""
    old = "mean 0.501\nlow 0.3\nhigh 0.7\n"
    new = "mean 0.500\nmore 0.1\nlow 0.4\nhigher 0.7\n"
    expected = "mean 0.501\nmore 0.1\nlow 0.4\nhigher 0.7\n"
    assert keep_digits(new, old, DECIMAL, rel=0, abs=1.01e-3) == expected
    assert is_same_but_for_digits("a 1.0", "a 1.1", DECIMAL, abs=0.2)
    assert not is_same_but_for_digits("a 1.0", "a 1.1", DECIMAL, abs=0.05)
    assert not is_same_but_for_digits("a 1.0", "b 1.0", DECIMAL, abs=0.05)


# Numbers

RNG = np.random.default_rng(0)
TRUTH = RNG.choice(["ill", "well"], 200)
SUBGROUP = RNG.choice(["f", "m", "x"], 200, p=[0.5, 0.4, 0.1])
NUMBER = RNG.integers(0, 15, 200)
PATIENT, EASE = [f"p{i}" for i in NUMBER], RNG.beta(3, 1, 15)[NUMBER]
PREDICTIONS = {name: np.where(RNG.random(200) < EASE, TRUTH, "ill") for name in "ABC"}


COLUMNS = {"sex": SUBGROUP, "patient": PATIENT, "y": TRUTH, **PREDICTIONS}
TABLE = "\n".join(map(",".join, [COLUMNS, *zip(*COLUMNS.values(), strict=True)]))
CHOSEN = [f"--classifier={name}" for name in PREDICTIONS]


@pytest.fixture
def document(write, capsys):
    """Return a function that evaluates the table of patients."""

    def get(*options, chosen=CHOSEN, statuses=(0,)):
        args = [write(TABLE), "--truth", "y", "--json", *chosen, *options]
        status, out, _ = call(capsys, *args)
        assert status in statuses
        return json.loads(out)

    return get


def same(record, **numbers):
    """Check that a record has these numbers, but for sums that the processor may reorder."""
    found = {key: record[key] for key in numbers}
    assert found == pytest.approx(numbers, rel=1e-12, abs=1e-14)


def same_estimate(record, posterior, interval, **error):
    expected = posterior.mean(), *interval
    assert (record["mean"], record["low"], record["high"]) == pytest.approx(
        expected, **error
    )


def test_posteriors_agree_with_the_library(document):
    """The numbers of each classifier are those of the public functions."""
    records = document("--level", "0.9", "--prior", "jeffreys")["posteriors"]
    assert sorted(record["name"] for record in records) == list(PREDICTIONS)
    assert records == sorted(records, key=lambda record: -record["mean"])
    for record in records:
        y_pred = PREDICTIONS[record["name"]]
        posterior = posterior_balanced_accuracy(TRUTH, y_pred, prior="jeffreys")
        assert record["correct"] == posterior.counts.correct.tolist()
        assert record["design_effects"] is None
        same_estimate(record, posterior, posterior.credible_interval(0.9), rel=1e-12)
        same(
            record,
            n_unseen=0,
            accuracy=accuracy_score(TRUTH, y_pred),
            balanced_accuracy=balanced_accuracy_score(TRUTH, y_pred),
            median=posterior.median(),
            lower=posterior.lower_bound(0.9),
            guessing_p_value=posterior.guessing_p_value(),
        )


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
@pytest.mark.parametrize("groups", [None, PATIENT], ids=["samples", "groups"])
def test_comparison_and_ranking_agree_with_the_library(groups, document):
    """So are those of the comparison, with pairs and ranking from the best downwards."""
    options = [] if groups is None else ["--groups", "patient"]
    found = document("--rope", "0.02", *options)
    comparison = compare_predictions(
        TRUTH, PREDICTIONS, rope=0.02, groups=groups, prior="calibrated", random_state=0
    )
    # All sentences but those on one classifier
    assert set(sentences(comparison).splitlines()[3:]) < set(found["notes"])
    pairs = combinations(comparison.ranking(), 2)
    for record, pair in zip(found["differences"], pairs, strict=True):
        assert (record["first"], record["second"]) == pair
        same(record, **comparison.rope_masses(*pair)._asdict())
        same(record, prob_greater=comparison.prob_greater(*pair))
        interval = comparison.difference_interval(*pair)
        same_estimate(record, comparison.difference(*pair), interval, rel=1e-9)
    posteriors = dict(zip(comparison.names, comparison.posteriors, strict=True))
    summary = comparison.summary()
    for record, expected in zip(found["posteriors"], summary, strict=True):
        name = expected.pop("name")
        assert record["name"] == name
        same(record, **expected)
        posterior = posteriors[name]
        same_estimate(record, posterior, posterior.credible_interval(), rel=1e-9)
        if effects := posterior.design_effects:
            assert record["design_effects"] == pytest.approx(effects.design_effect)
            same(record, effective_samples=effects.effective_size.sum())
    assert found["data"]["n_groups"] == (None if groups is None else 15)


def test_the_best_is_corrected_for_the_choice(document):
    """As the library corrects it."""
    assert document()["selected"] is None
    record = document("--selected")["selected"]
    selected = selected_posterior(paired_counts(TRUTH, PREDICTIONS), random_state=0)
    assert (record["name"], record["n_candidates"]) == ("ABC"[selected.candidate], 3)
    same_estimate(record, selected, selected.credible_interval())
    assert record["uncorrected_mean"] == selected.uncorrected.mean()
    assert record["optimism"] == selected.optimism > 0


@pytest.mark.parametrize("labels", [("0", "1"), ("-1", "1")])
def test_metric_is_of_class_1_by_default(labels, write, run):
    """As in scikit-learn, although the labels of a file are text."""
    path = write(SMALL.replace("a", labels[0]).replace("b", labels[1]))
    found, expected = (
        json.loads(run(path, "--truth", "truth", "--json", "--metric", metric))
        for metric in ("f1", "f1:1")
    )
    assert found["data"]["score"] == "F1 of class 1"
    assert found["posteriors"] == expected["posteriors"]


@pytest.mark.slow
def test_observed_is_the_metric_of_the_samples(document):
    """As scikit-learn computes it."""
    for metric, score in {
        "f1:ill": lambda *labels: f1_score(*labels, pos_label="ill"),
        "accuracy": accuracy_score,
        "mcc": matthews_corrcoef,
        "balanced_accuracy": balanced_accuracy_score,
    }.items():
        for record in document("--metric", metric)["posteriors"]:
            same(record, observed=score(TRUTH, PREDICTIONS[record["name"]]))


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
@pytest.mark.parametrize(
    "groups",
    [pytest.param(None, marks=pytest.mark.slow), PATIENT],
    ids=["independent", "groups"],
)
def test_subgroups_agree_with_the_library(document, groups):
    """Each of them, the gap and the worst, of each classifier."""
    options = [] if groups is None else ["--groups", "patient"]
    found = document("--by", "sex", *options, chosen=CHOSEN[:2])["subgroups"]
    assert sorted(record["name"] for record in found) == list("AB")
    for record in found:
        labels = TRUTH, PREDICTIONS[record["name"]]
        subgroups = subgroup_posteriors(
            *labels, sensitive_features=SUBGROUP, groups=groups
        )
        assert [group["name"] for group in record["groups"]] == ["f", "m", "x"]
        for group, expected in zip(record["groups"], subgroups.summary(), strict=True):
            keys = ("n_samples", "mean", "median", "low", "high", "prob_worst")
            assert [group[key] for key in keys] == pytest.approx(
                [expected[key] for key in keys], rel=1e-9, abs=1e-7
            )
        for name in ("gap", "worst"):
            extreme = getattr(subgroups, name)
            same_estimate(record[name], extreme, extreme.credible_interval(), abs=1e-4)


def test_verdicts_of_a_judge(write, run):
    """The share of each system, and their difference, as of the library."""
    rows = (
        ["right,right"] * 110
        + ["right,wrong"] * 40
        + ["wrong,right"] * 20
        + ["wrong,wrong"] * 30
    )
    path = write("\n".join(["new,old", *rows]))
    options = [
        "--sensitivity",
        "30/30",
        "--specificity",
        "24/30",
        "--positive",
        "right",
    ]
    found = json.loads(run(path, *options, "--json"))
    gold = {"sensitivity": (30, 30), "specificity": (24, 30)}
    new, old = (posterior_prevalence(k, 200, **gold) for k in (150, 130))
    assert [record["positives"] for record in found["prevalences"]] == [150, 130]
    for record, posterior in zip(found["prevalences"], (new, old), strict=True):
        same_estimate(record, posterior, posterior.credible_interval(), abs=1e-9)
        same(record, prob_outside=posterior.prob_below_zero + posterior.prob_above_one)
    (pair,) = found["differences"]
    assert (pair["first"], pair["second"]) == ("new", "old")
    difference = new.difference(old)
    same_estimate(pair, difference, difference.credible_interval(), abs=1e-9)
    assert pair["prob_greater"] == pytest.approx(difference.prob_above(0), abs=1e-9)
    assert found["informedness"]["mean"] == pytest.approx(new.judge_informedness.mean())


def test_scores(write, run):
    """The areas of each column, and their differences, as of the library; rows are counted."""
    rng = np.random.default_rng(0)
    y, patient = rng.integers(2, size=40), np.arange(40) // 2
    scores = {
        name: (rng.normal(size=40) + gain * y).round(1)
        for name, gain in [("a", 1), ("b", 2)]
    }
    rows = [
        ",".join(map(str, row))
        for row in zip(y, *scores.values(), patient, strict=True)
    ]
    path = write("\n".join(["y,a,b,patient", *rows, *rows[:5]]))
    found = json.loads(
        run(path, "--truth", "y", "--scores", "a", "--scores", "b", "--json")
    )
    y, scores = (
        np.append(y, y[:5]),
        {name: np.append(s, s[:5]) for name, s in scores.items()},
    )
    assert found["data"]["n_samples"] == 45
    for metric in ("roc_auc", "average_precision"):
        comparison = compare_scores(y, scores, metric=metric)
        records = [record for record in found["areas"] if record["metric"] == metric]
        assert [one["name"] for one in records] == list(comparison.ranking())
        posteriors = dict(zip(comparison.names, comparison.posteriors, strict=True))
        for record in records:
            posterior = posteriors[record["name"]]
            same_estimate(record, posterior, posterior.credible_interval(), abs=0.01)
            assert record["observed"] == pytest.approx(posterior.observed)
        (pair,) = (
            record for record in found["differences"] if record["metric"] == metric
        )
        difference = comparison.difference(pair["first"], pair["second"])
        same_estimate(pair, difference, difference.credible_interval(), abs=0.02)
        best = {one["name"]: one["prob_best"] for one in comparison.summary()}
        assert {one["name"]: one["prob_best"] for one in records} == pytest.approx(
            best, abs=0.01
        )
    options = [
        "--truth",
        "y",
        "--scores",
        "a",
        "--groups",
        "patient",
        "--positive",
        "0",
    ]
    text = run(path, *options)
    assert "45 in 20 groups (column patient)\nPositive  0" in text
    assert "Posterior of the average precision" in text
    assert "Difference" not in text
    # A column of weak scores, though first in the file, comes last.
    weak = "".join(f"{i % 2},{i % 3},{i},{i % 2 + i % 5}\n" for i in range(20))
    options = [write("y,weak,fair,good\n" + weak), "--truth", "y"]
    options += ["--scores=weak", "--scores=fair", "--scores=good"]
    text = run(*options)
    first = re.findall(r"^\d (\w+) +\d\.\d", text, re.M)
    assert first[0] == first[3] == "good"
    assert text.count(" - ") == 2
    assert run(*options, "--all-pairs").count(" - ") == 2 * 2


def test_scores_that_look_like_labels(write, run):
    """A note below the tables says so, in words of the command line."""
    path = write("y,a,b\n1,1,0.9\n1,1,0.8\n0,0,0.1\n0,1,0.2\n1,0,0.7\n0,0,0.3\n")
    for others in ([], ["--scores", "b"]):
        options = [path, "--truth", "y", "--scores", "a", *others]
        note = (
            "Column 'a' has only two values, like predicted labels: evaluate it with "
            "--classifier, or give scores such as probabilities."
        )
        assert " ".join(run(*options).split()).count(note) == 2
        assert json.loads(run(*options, "--json"))["notes"].count(note) == 1


def test_scores_have_the_notes_of_the_report(write, run):
    """What was compared, how many groups there are, and what random draws leave open."""
    rows = "".join(f"{i % 2},{i % 3},{i % 7},g{i // 2}\n" for i in range(40))
    options = [write("y,a,b,g\n" + rows), "--truth", "y", "--groups", "g"]
    document = json.loads(run(*options, "--scores=a", "--scores=b", "--json"))
    assert document["data"]["n_groups"] == 20
    explanation = "all classifiers scored the same 40 samples from 20 groups"
    assert [explanation in note for note in document["notes"]].count(True) == 1
    for metric in ("ROC AUC", "average precision"):
        score = f"the highest estimated {metric} among 2 classifiers, 0."
        assert [score in note for note in document["notes"]].count(True) == 1
    text = " ".join(run(*options, "--scores=a").split())
    found = r"The ROC AUC is 0\.\d+ \(95% .* The average precision is 0\.\d+ \(95%"
    assert re.match(found, text)


def test_groups_are_in_the_notes_of_every_metric(write, run):
    """Of a single classifier, too; its report is not interrupted by other notes."""
    rows = "".join(
        f"{i % 2},{'x' if i % 7 == 0 else i % 2},{i // 4}\n" for i in range(60)
    )
    options = [write("y,a,g\n" + rows), "--truth", "y", "--groups", "g"]
    for metric in ("balanced_accuracy", "accuracy", "mcc", "f1_macro"):
        notes = json.loads(run(*options, "--metric", metric, "--json"))["notes"]
        assert " is 0." in notes[0]
        assert "('x') are none of the classes" in notes[1]
        (effective,) = (note for note in notes if "come from 15 groups" in note)
        assert "independent samples" in effective


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--scores a --classifier a", "--classifier cannot be combined with --scores"),
        (
            "--scores a --positive 7",
            "--scores need two classes, of which --positive names one",
        ),
        ("--scores word", "column 'word' must have numbers"),
        ("--scores bad", "column 'bad' must have finite numbers"),
        ("--scores none", "--scores: there is no column 'none'"),
    ],
)
def test_wrong_scores(options, message, write, capsys):
    """One line that says what to do."""
    path = write("y,a,word,bad\n0,1,x,inf\n1,2,y,2\n")
    with pytest.raises(SystemExit):
        main([path, "--truth", "y", *options.split()])
    assert message in capsys.readouterr().err


def verdicts(capsys, *args):
    """Return the status, the verdicts by name, and the lines on standard error."""
    status, out, err = call(capsys, *args, "--json")
    gate = json.loads(out)["gate"]
    return status, {one["name"]: one["verdict"] for one in gate}, err.splitlines()


def test_verdicts_are_those_of_the_bounds(document, write, capsys):
    """Of each goal; the status is that of the worst, and lines name who did not pass."""
    records = {one["name"]: one for one in document()["posteriors"]}
    ends = sorted(one[end] for one in records.values() for end in ("lower", "upper"))
    seen = set()
    for goal in (ends[0] - 0.01, *np.add(ends, 1e-6), 0.999):
        expected = {
            name: "passed"
            if one["lower"] > goal
            else ("undecided" if one["upper"] >= goal else "failed")
            for name, one in records.items()
        }
        args = [write(TABLE), "--truth=y", f"--fail-below={goal}", *CHOSEN]
        status, found, lines = verdicts(capsys, *args)
        assert found == expected
        kinds = set(expected.values())
        assert status == (3 if "failed" in kinds else 4 if "undecided" in kinds else 0)
        for line in lines:
            kind = line.split(":")[1].strip()
            named = re.findall(r"\b([ABC]) \[", line)
            assert named == [name for name in records if expected[name] == kind]
        seen.add(status)
    assert seen == {0, 3, 4}


@pytest.mark.parametrize("metric", ["balanced_accuracy", "f1:ill", "fall_out:ill"])
def test_a_gate_of_a_loss_is_its_probability(document, metric):
    """A classifier passes where a larger loss is improbable, also where less is better."""
    comparison = (
        compare_predictions(
            TRUTH, PREDICTIONS, metric=metric.partition(":")[0], pos_label="ill"
        )
        if ":" in metric
        else compare_predictions(TRUTH, PREDICTIONS)
    )
    kinds = set()
    for loss in ("0", "0.02", "0.1", "0.3"):
        options = "--baseline=A", f"--max-loss={loss}", "--level=0.9"
        for one in document("--metric", metric, *options, statuses=(0, 3, 4))["gate"]:
            risk = comparison.difference("A", one["name"]).ccdf(float(loss))
            verdict = (
                "passed" if risk < 0.1 else "failed" if risk > 0.9 else "undecided"
            )
            assert one["verdict"] == verdict
            kinds.add(verdict)
    assert len(kinds) > 1


def test_a_gate_at_every_look(write, capsys):
    """Its bounds are those of a confidence sequence, which are wider than at one look."""
    table = [write(TABLE), "--truth=y", "--json", "--anytime"]
    posterior = posterior_balanced_accuracy(TRUTH, PREDICTIONS["A"])
    low, high = posterior.confidence_sequence()
    for goal, status in {low - 0.01: 0, low + 0.01: 4, high + 0.01: 3}.items():
        args = [*table, "--classifier=A", f"--fail-below={goal}"]
        found, out, _ = call(capsys, *args)
        (record,) = json.loads(out)["gate"]
        assert found == status
        assert (record["lower"], record["upper"]) == pytest.approx((low, high))
        assert record["lower"] < record["low"] < record["high"] < record["upper"]

    pair = {name: PREDICTIONS[name] for name in "AB"}
    low, high = compare_predictions(TRUTH, pair).confidence_sequence("B", "A")
    args = [*table, *CHOSEN[:2], "--baseline=A", f"--max-loss={0.01 - low}"]
    status, out, _ = call(capsys, *args)
    (record,) = json.loads(out)["gate"]
    assert (record["lower"], record["upper"]) == pytest.approx((low, high))
    assert (record["name"], status) == ("B", 0)


@pytest.mark.parametrize("metric", ["balanced_accuracy", "mcc", "lr+:ill"])
def test_a_loss_in_points_is_an_error(write, capsys, metric):
    """Unless there are such losses, of a ratio without limits."""
    options = "--truth=y", "--baseline=A", "--max-loss=2", "--metric", metric
    status, _, err = call(capsys, write(TABLE), *options)
    if metric == "lr+:ill":
        assert status in (0, 3, 4)
    else:
        assert status == 2
        assert err.endswith(", got 2; write 2 % as 0.02\n")


def test_a_bound_beside_the_goal_is_not_rounded_to_it(write, capsys):
    """It has enough digits to be on its side."""
    options = write(TABLE), "--truth=y", "--classifier=A"
    (record,) = json.loads(call(capsys, *options, "--json")[1])["posteriors"]
    goal = record["lower"] + 1e-7
    status, out, err = call(capsys, *options, f"--fail-below={goal}")
    assert status == 4
    bound = float(re.search(r"bounds of A \[(0\.\d+)", err)[1])
    assert goal - 1e-3 < bound < goal
    assert f"  {bound}  " in out


@pytest.mark.slow
def test_a_page_is_the_same_again(write, capsys, tmp_path):
    """It begins with the verdict; no identifier occurs in two pictures that refer to it."""
    pages = []
    for name in ("one.html", "two.html"):
        path = tmp_path / name
        options = "--truth=y", "--classifier=A", "--fail-below=0.01", f"--html={path}"
        assert call(capsys, write(TABLE), *options)[0] == 0
        pages.append(path.read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
    assert '<div class="lead"><p class="passed">Passed: balanced acc' in pages[0]
    pictures = re.findall(r"(?s)<svg.*?</svg>", pages[0])
    assert len(pictures) == 4
    for picture in pictures:
        used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', picture))
        assert used
        assert sum(f'id="{one}"' in other for one in used for other in pictures) == len(
            used
        )


def test_a_constant_prediction_is_not_above_chance(write, capsys):
    """It fails a gate at chance, not one below, and the first lines say so."""
    path = write("y,a\n" + "common,common\n" * 2000 + "rare,common\n" * 10)
    assert main([path, "--truth=y", "--fail-below=0.5"]) == 4
    captured = capsys.readouterr()
    bound = float(re.search(r"bounds of a \[(0\.\d+)", captured.err)[1])
    assert 0.49 < bound < 0.5
    first = " ".join(captured.out.partition("\n\n")[0].split())
    assert first.startswith("The balanced accuracy is 0.5")
    assert first.endswith(". Always predicting 'common' gives these counts.")
    assert "a 95% lower bound is above the true value in less than 5%" in " ".join(
        captured.out.split()
    )
    assert main([path, "--truth=y", "--fail-below=0.49"]) == 0


@pytest.mark.parametrize("is_terminal", [True, False])
@pytest.mark.parametrize("no_color", ["", "1"])
def test_a_failure_is_red_on_a_terminal(is_terminal, no_color, write, monkeypatch):
    """Unless the user wants no colours."""
    stream = io.StringIO()
    stream.isatty = lambda: is_terminal
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(sys, "stderr", stream)
    assert main([write(SMALL), "--truth=truth", "--fail-below=0.999"]) == 3
    assert stream.getvalue().startswith("\033[31mskpostbac: ") == (
        is_terminal and not no_color
    )
    assert ("\033" in stream.getvalue()) == (is_terminal and not no_color)


def many_classifiers(n, write):
    """Return a file of classifiers with long names."""
    names = [
        f"a pipeline with a name of very many words, most of them idle, {i}"
        for i in range(n)
    ]
    truth = np.array(["a", "b"] * 30)
    rng = np.random.default_rng(0)
    columns = [truth, *(np.where(rng.random(60) < 0.8, truth, "a") for _ in names)]
    rows = [["y", *(f'"{name}"' for name in names)], *zip(*columns, strict=True)]
    return write("\n".join(map(",".join, rows)))


@pytest.mark.slow
def test_many_classifiers_fit_a_screen(write, run):
    """The ranking comes first, and long names are wrapped."""
    text = run(many_classifiers(12, write), "--truth=y", "--rope=0.02")
    starts = ["Ranking", "Difference", "Posterior"]
    assert re.findall(r"(?m)^(Ranking|Difference|Posterior|All pairs)", text) == starts
    assert max(map(len, text.splitlines())) <= 100
    ranked = [int(rank) for rank in re.findall(r"(?m)^ ?(\d+) a pipe.*\d$", text)]
    assert ranked == [*range(1, 13), *range(2, 13), *range(1, 13)]


# How files are read


@pytest.mark.parametrize(
    ("content", "options"),
    [
        pytest.param(SMALL.encode("utf-8-sig"), [], id="byte order mark"),
        pytest.param(SMALL.encode("utf-16"), [], id="UTF-16"),
        pytest.param(
            b"\xfe\xff" + SMALL.encode("utf-16-be"), [], id="UTF-16, big end first"
        ),
        pytest.param(SMALL.encode("utf-32"), [], id="UTF-32"),
        pytest.param(
            SMALL.replace(",", "\t").encode("utf-16"),
            ["--delimiter", "tab"],
            id="UTF-16, tab",
        ),
        pytest.param(SMALL.replace("\n", "\r\n"), [], id="CRLF"),
        pytest.param(SMALL.replace("\n", "\r"), [], id="CR"),
        pytest.param(SMALL.rstrip("\n"), [], id="no newline at the end"),
        pytest.param(SMALL + "\n\n", [], id="blank lines at the end"),
        pytest.param(SMALL.replace(",", "\t"), ["--delimiter", "tab"], id="tab"),
        pytest.param(SMALL.replace(",", ";"), ["--delimiter", ";"], id="semicolon"),
        pytest.param(re.sub(r"(\w+)", r'"\1"', SMALL), [], id="quoted"),
    ],
)
def test_dialects(write, run, content, options):
    """The same table in other spellings gives the same output."""
    args = ["--truth", "truth", "--classifier", "two"]
    expected = run(write(SMALL), *args)
    assert run(write(content), *args, *options) == expected


# Right and wrong answers, other formats, several files, counts

ANSWERS = "id,item,small,large\n" + "".join(
    f"a{i},q{i // 2},{int(i % 3 > 0)},{int(i % 4 > 0)}\n" for i in range(40)
)


def as_json_lines(table):
    """Return the rows of a CSV file as JSON lines, with another field that is no scalar."""
    header, *rows = (line.split(",") for line in table.splitlines())
    records = [
        dict(zip(header, row, strict=True)) | {"doc": {"x": [1]}} for row in rows
    ]
    return "".join(json.dumps(record) + "\n" for record in records)


def document_of(run, *args):
    """Return the document, but for the name of the file and what is left out."""
    document = json.loads(run(*args, "--json"))
    left_out = document["data"].pop("columns_left_out")
    del document["data"]["source"]
    return document, left_out


def test_answers_are_those_of_the_library(write, run):
    """In groups; the columns that are left out are named."""
    args = [write(ANSWERS), "--correct", "--groups", "item", "--rope", "0.05"]
    found, left_out = document_of(run, *args)
    assert left_out == ["id"]
    right = {
        name: [i % step > 0 for i in range(40)]
        for name, step in [("small", 3), ("large", 4)]
    }
    comparison = compare_outcomes(right, groups=[i // 2 for i in range(40)], rope=0.05)
    expected = comparison.table("differences")
    (difference,) = found["differences"]
    for key in ("mean", "low", "high", "prob_greater", "within"):
        assert difference[key] == pytest.approx(expected[key][0], rel=1e-9)
    for one in found["posteriors"]:
        name = one["name"]
        assert one["correct"] == [sum(right[name])]
        (posterior,) = (
            posterior
            for posterior, other in zip(
                comparison.posteriors, comparison.names, strict=True
            )
            if other == name
        )
        assert one["mean"] == pytest.approx(posterior.mean(), rel=1e-12)


@pytest.mark.parametrize("options", [[], ["--groups", "question"]])
def test_long_table(write, run, options):
    """Names of systems in a column are pointed out; those of subjects are not."""
    rows = [
        f"q{i},{time},{model},{int((i + time + len(model)) % 3 > 0)}\n"
        for i in range(8)
        for time in range(2)
        for model in ("old", "newer")
    ]
    long = "question,run,model,right\n" + "".join(rows)
    text = " ".join(run(write(long), "--correct", *options).split())
    assert "if 'model' names the systems, this is a long table: give each" in text
    assert "Systems columns 'run', 'right' (choose with --classifier)" in text
    wide = "question,run,topic,old,new\n" + "".join(
        f"q{i},{i % 2},{'ab'[i // 4 % 2]},1,{int(i > 3)}\n" for i in range(8)
    )
    assert "names what" not in run(write(wide), "--correct", *options)


def test_subgroups_of_answers(write, run):
    """As the library has them of samples of one class."""
    right = [i % 3 > 0 for i in range(40)]
    topic = ["law" if i < 25 else "art" for i in range(40)]
    rows = zip(range(40), topic, map(int, right), strict=True)
    path = write("id,topic,m\n" + "".join(f"{i},{t},{r}\n" for i, t, r in rows))
    found = json.loads(run(path, "--correct", "--by", "topic", "--json"))
    expected = subgroup_posteriors(
        [True] * 40, right, labels=[True], sensitive_features=topic
    )
    (record,) = found["subgroups"]
    for one, other in zip(record["groups"], expected.summary(), strict=True):
        assert one["name"] == other["name"]
        keys = ("n_samples", "mean", "low", "high", "prob_worst")
        assert [one[key] for key in keys] == pytest.approx(
            [other[key] for key in keys], rel=1e-9
        )


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("1", "0"),
        ("1.0", "0.0"),
        ("True", "False"),
        ("YES", "no"),
        (" right", "wrong "),
        ("Correct", "INCORRECT"),
    ],
)
def test_spellings_of_right_and_wrong(write, run, right, wrong):
    """They are the same, in any case."""
    words = re.sub(r",([01])\b", lambda m: "," + (wrong, right)[int(m[1])], ANSWERS)
    args = ["--correct", "--groups", "item"]
    assert run(write(words), *args) == run(write(ANSWERS), *args)


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("format_as", [str, as_json_lines], ids=["CSV", "JSON lines"])
def test_formats(write, run, format_as, compress):
    """The same table in another format has the same document."""
    content = compress(format_as(ANSWERS).encode())
    args = ["--correct", "--groups", "item"]
    expected, _ = document_of(run, write(ANSWERS), *args)
    found, left_out = document_of(run, write(content), *args)
    assert found == expected
    assert left_out == (["id"] if format_as is str else ["id", "doc"])


def test_json_lines_of_a_pipe():
    """Compressed, with a byte order mark, values of several types and fields that vary."""
    lines = (
        '\ufeff{"y": 1, "a": 1}\n{"a": 2, "y": 2}\n\n{"y": 1, "a": 1, "note": null}\n'
    )
    result = run_process(
        *("-", "--truth", "y", "--json"), input=gzip.compress(lines.encode())
    )
    assert result.stderr == b""
    document = json.loads(result.stdout)
    assert document["posteriors"][0]["correct"] == [2, 1]
    assert document["data"]["columns_left_out"] == ["note"]


@pytest.mark.parametrize("size", [5, 30, 60])
def test_damaged_gzip(write, fail, size):
    """One line says so."""
    content = gzip.compress(ANSWERS.encode())
    assert fail(write(content[:size]), "--correct").startswith("cannot read ")
    broken = content[:size] + bytes(8) + content[size:]
    assert fail(write(broken), "--correct").startswith("cannot read ")


def test_files_are_joined(write, run):
    """In whatever order their rows are, and whichever of them has which column."""
    header, *rows = (line.split(",") for line in ANSWERS.splitlines())
    small = [[*row[:2], row[2]] for row in [header, *rows]]
    large = [[row[0], row[3]] for row in [header, *rows[::-1]]]
    small, large = (
        "".join(",".join(row) + "\n" for row in table) for table in (small, large)
    )
    paths = write(small, "small.csv"), write(as_json_lines(large), "large.jsonl")
    args = ["--correct", "--groups", "item", "--id", "id"]
    expected, _ = document_of(run, write(ANSWERS), *args)
    assert document_of(run, *paths, *args)[0] == expected
    assert document_of(run, paths[1], *args, paths[0])[0] == expected


def test_truth_that_differs_between_files(write, fail):
    """It is an error that counts the samples."""
    one = write("id,y,one\n1,a,a\n2,b,b\n3,b,b\n", "one.csv")
    two = write("id,y,two\n3,a,a\n2,b,b\n1,b,b\n", "two.csv")
    message = fail(one, two, "--truth", "y", "--id", "id")
    assert message == "--truth: the files disagree on 2 of 3 samples, such as '1'"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in the folder of the files, so that names of columns have no path."""
    monkeypatch.chdir(tmp_path)


FILES = "a.csv", "b.csv"
GATE = "--truth", "truth", "--id", "id", "--baseline", "m (a.csv)", "--max-loss", "0.1"


@pytest.mark.usefixtures("here")
def test_a_misspelled_truth_is_no_classifier(write, capsys):
    """Of files with a column of predictions of the same name; an option can choose others."""
    ids = range(60)
    write(as_csv(id=ids, truth=BINARY, m=BINARY), "a.csv")
    write(as_csv(id=ids, turth=BINARY, m=BINARY[::-1]), "b.csv")
    status, out, err = call(capsys, *FILES, *GATE)
    assert status == 3
    assert "as not in every file, or hardly predictions: 'turth'" in err
    assert "bounds of m (b.csv) [" in err
    assert "turth  " not in out
    chosen = "--classifier", "m", "--classifier", "turth"
    document = json.loads(call(capsys, *FILES, *GATE, *chosen, "--json")[1])
    assert document["data"]["columns_left_out"] == []
    assert [one["name"] for one in document["gate"]] == ["turth", "m (b.csv)"]


@pytest.mark.usefixtures("here")
def test_files_with_a_column_that_is_no_classifier(write, capsys):
    """It does not make the others be left out; nor is a baseline."""
    age = NUMBERS["age"]
    ids = range(60)
    write(as_csv(id=ids, truth=BINARY, age=age, old=BINARY), "a.csv")
    write(as_csv(id=ids, truth=BINARY, age=age, new=BINARY), "b.csv")
    options = "--truth", "truth", "--id", "id", "--json"
    document = json.loads(call(capsys, *FILES, *options)[1])
    assert [one["name"] for one in document["posteriors"]] == ["old", "new"]
    assert document["data"]["columns_left_out"] == ["age (a.csv)", "age (b.csv)"]

    write(as_csv(id=ids, truth=BINARY, m=BINARY, old=BINARY), "a.csv")
    write(as_csv(id=ids, truth=BINARY, m=BINARY, new=BINARY), "b.csv")
    gate = "--baseline", "old", "--max-loss", "0.1"
    document = json.loads(call(capsys, *FILES, *options, *gate)[1])
    assert {one["name"] for one in document["gate"]} == {"m (a.csv)", "m (b.csv)"}
    assert document["data"]["columns_left_out"] == ["new"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "b.csv is empty"),
        ("id,truth,m\n", "b.csv has a header, but no rows"),
        ("id;truth;m\n1;a;a\n", "'id;truth;m'; try --delimiter ';'"),
        ("id,truth,m\n1,a,a\n ,b,b\n", "column 'id' of b.csv is empty in line 3"),
        ("id,truth,m\n2,b,b\n4,b,b\n", "a.csv lacks 1, such as '4'; b.csv lacks 2, "),
    ],
)
def test_a_file_that_cannot_be_joined(write, fail, content, message):
    """The error names it, and what it lacks."""
    write("id,truth,m\n1,a,a\n2,b,b\n3,b,b\n", "a.csv")
    write(content, "b.csv")
    assert message in fail(*FILES, *GATE)


def test_counts_of_rows(write, run):
    """A row of a count is as many rows; the scores of rows, too."""
    rows = ["1,0.5,a,a", "0,0.25,b,a", "1,0.75,b,b"]
    numbers = [5, 0, 7]
    counted = "".join(f"{row},{n}\n" for row, n in zip(rows, numbers, strict=True))
    repeated = "".join(f"{row}\n" * n for row, n in zip(rows, numbers, strict=True))
    counted += "0,0.5,a,b,2.0\n"
    repeated += "0,0.5,a,b\n" * 2
    header = "right,score,truth,label"
    for args in (
        ["--correct", "--classifier", "right"],
        ["--truth", "truth", "--classifier", "label"],
        ["--truth", "right", "--scores", "score"],
    ):
        found = run(write(f"{header},n\n{counted}"), *args, "--weight", "n")
        assert found == run(write(f"{header}\n{repeated}"), *args)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_endless_file(fail):
    """Nor is a file that never ends read further than a line may be long."""
    assert fail("/dev/zero", "--truth", "y").startswith(
        "line 1: NUL byte: this looks like"
    )


def test_null_byte_in_the_name_of_a_file(fail):
    """No file can have such a name."""
    assert fail("a\0b", "--truth", "t") == r"cannot read a\x00b: embedded null byte"


# The guide

GUIDE = ROOT / "doc" / "user_guide" / "command_line.rst"


def code_blocks(text, kind):
    """Return what stands in the code blocks of a kind, without options and indentation."""
    blocks = re.findall(rf"\.\. code-block:: {kind}\n((?:   .*\n|\n)+)", text)
    return [
        re.sub(r"^   (:.*\n)?", "", block, flags=re.M).strip("\n") for block in blocks
    ]


@pytest.mark.skipif(not GUIDE.exists(), reason="doc/ is not part of this copy")
def test_guide_shows_what_is_printed(tmp_path, monkeypatch, capsys):
    """The commands of the page on the command line print what stands below them there."""
    text = GUIDE.read_text(encoding="utf-8")
    (table,) = code_blocks(text, "text")
    monkeypatch.chdir(tmp_path)
    Path("predictions.csv").write_text(table + "\n", encoding="utf-8")
    consoles = code_blocks(text, "console")
    assert len(consoles) == 2
    for console in consoles:
        command, _, shown = console.partition("\n")
        with contextlib.suppress(SystemExit):
            main(command.removeprefix("$ skpostbac ").split())
        printed = capsys.readouterr()
        assert (printed.out + printed.err).rstrip() == shown


# The documents that the transcripts have, whose keys the guide explains and the schemas list.
DOCUMENTS = [
    (command, json.loads(re.sub(r"(?m)^[!?] .*\n", "", printed)))
    for _, command, printed in read_transcript(GOLDEN / "json.txt")
]


def keys_of(value):
    """Return all keys of a document but the names of classifiers and labels."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(
        *(keys_of(one) for key, one in value.items() if key != "unseen")
    )


@pytest.mark.skipif(not GUIDE.exists(), reason="doc/ is not part of this copy")
def test_guide_explains_the_document():
    """Each key of the JSON object stands in the guide."""
    words = set(re.findall(r"\w+", GUIDE.read_text(encoding="utf-8")))
    assert keys_of([document for _, document in DOCUMENTS]) <= words


@pytest.mark.skipif(not GUIDE.exists(), reason="doc/ is not part of this copy")
@pytest.mark.parametrize(
    ("command", "document"), DOCUMENTS, ids=range(1, len(DOCUMENTS) + 1)
)
def test_document_has_its_schema(command, document):
    """That of the guide; and what departs from it is seen."""
    name = "command_line_judge" if "--sensitivity" in command else "command_line"
    path = ROOT / "doc" / "_static" / f"{name}.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    validator.validate(document)
    assert not validator.is_valid({**document, "more": 1})
    assert not validator.is_valid(
        {key: document[key] for key in document.keys() - {"data"}}
    )
    settings = {**document["settings"], "level": 95.0}
    assert not validator.is_valid({**document, "settings": settings})


# Pages and pictures


def test_page_needs_nothing_but_itself(write, run, tmp_path):
    """No script, no link, and what a column or a label says is text."""
    path = tmp_path / "report.html"
    hostile = "<script>alert(1)</script>"
    source = write(f"truth,{hostile},b\na,a,a\na,b,a\n{hostile},{hostile},a\n")
    run(source, "--truth", "truth", "--html", str(path))
    text = path.read_text(encoding="utf-8")
    assert not re.search(
        r"<(script|link|img|iframe|object|form|a)\b|\s(src|onload)=", text
    )
    assert html.escape(hostile) in text
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in text


@pytest.mark.parametrize(
    ("name", "magic"),
    [
        ("p.png", b"\x89PNG"),
        ("p.SVG", b"<?xml"),
        pytest.param("p.pdf", b"%PDF", marks=pytest.mark.slow),
    ],
)
def test_picture_is_of_the_format_that_its_name_says(name, magic, write, run, tmp_path):
    """Control characters are escaped, as an SVG with them would be no XML."""
    path = tmp_path / name
    table = write("truth,\x1b[31mA\x07,B\u202e\na\x85,a\x85,b\nb,b,b\n")
    run(table, "--truth", "truth", "--plot", str(path))
    content = path.read_bytes()
    assert content.startswith(magic)
    if name == "p.SVG":
        ET.fromstring(content)
        assert b"PolyCollection" in content  # densities of so few


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_text_that_cannot_be_written(write, monkeypatch, capsys):
    """One line; the interpreter does not fail once more at its end."""
    with open("/dev/full", "w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        with pytest.raises(SystemExit, match=r"^2$"):
            main([write(SMALL), "--truth", "truth"])
        monkeypatch.undo()
    error = capsys.readouterr().err
    assert re.fullmatch(r"skpostbac: error: cannot write the output: [^\n]*\n", error)


def test_picture_tells_of_characters_that_the_font_lacks(write, tmp_path, capsys):
    """One line each; the picture is written all the same."""
    path = tmp_path / "p.png"
    assert (
        main([write("truth,日本\na,a\nb,b\n"), "--truth", "truth", "--plot", str(path)])
        == 0
    )
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(
        re.match("skpostbac: Glyph .* missing from font", line) for line in lines
    )
    assert path.read_bytes().startswith(b"\x89PNG")


def test_pictures_need_matplotlib(write, fail, monkeypatch):
    """Without it, the error says so before anything is computed."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = fail(write(SMALL), "--truth", "truth", "--html", "page.html")
    assert message.startswith("argument --html: a plot requires matplotlib.")


def columns_of(*labels):
    """Return a table of true labels, two columns of predictions, and groups of samples."""
    rows = zip(*labels, "0123456" * 2, strict=True)
    return "\n".join(["truth,one,two,group", *map(",".join, rows)])


TABLES = {
    "two": columns_of("aabbabababbaab", "abbbababaabaab", "aababbabbbabab"),
    "three": columns_of("aabbcacbbcabab", "abbbabcbacabcb", "aababbcbbcabab"),
}
CLASSIFIERS = ["--truth=truth", "--classifier=one", "--classifier=two"]
# Each of all classes with both tables; each of one class in every form, and with one of them.
METRICS = [
    *product([*SYNONYMS, *OVERALL, "accuracy_score"], TABLES),
    *(
        (f"{name}{of}", [*TABLES][(i + j) % 2])
        for i, name in enumerate(BY_CLASS)
        for j, of in enumerate(["", ":b", "_macro", "_micro", "_weighted"])
    ),
]
# One metric of each kind of posterior, and options that change what is shown of it.
KINDS = ["recall_macro", "accuracy", "informedness", "recall:b", "f1_macro", "mcc"]
OPTIONS = {
    "--groups": ["group"],
    "--selected": [],
    "--by": ["group"],
    "--id": ["group"],
    "--labels": ["b,a", "--level", "0.5", "--rope", "0.02", "--all-pairs", "--json"],
    "--baseline": ["one", "--max-loss", "0.1"],
    "--fail-below": ["0.2"],
    "--html": ["r.html", "--plot", "r.png"],
}


def end_of(*args):
    """Return the status, and what it says about an error; nothing else may be raised."""
    with contextlib.redirect_stderr(io.StringIO()) as stderr:
        try:
            status = main([*args])
        except SystemExit as error:
            status = error.code
    message = stderr.getvalue()
    assert status in (0, 2, 3, 4)
    assert bool(message) == (status != 0)
    assert message.count("\n") <= (1 if status == 2 else 2)
    return status, message


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize(("metric", "table"), METRICS)
def test_two_classifiers_are_compared_by_any_metric(metric, table, write):
    """Or one line says that a class is missing, or that the metric is of two classes."""
    status, message = end_of(write(TABLES[table]), *CLASSIFIERS, "--metric", metric)
    if status:
        expected = {"two": "needs METRIC:LABEL", "three": "is for 2 classes"}
        assert expected[table] in message


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("metric", KINDS)
@pytest.mark.parametrize("option", OPTIONS)
def test_two_classifiers_with_any_option(option, metric, write, monkeypatch, tmp_path):
    """No kind of posterior lacks what a view reads."""
    monkeypatch.chdir(tmp_path)
    settings = ["--metric", metric, option, *OPTIONS[option]]
    status, message = end_of(write(TABLES["two"]), *CLASSIFIERS, *settings)
    if status == 2:
        assert option in ("--selected", "--by")
        assert "error: --by cannot" in message or "metric must be" in message


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("recall_macro", "balanced_accuracy"),
        ("Balanced_Accuracy_score", "balanced_accuracy"),
        ("accuracy_score", "accuracy"),
    ],
)
def test_an_accuracy_is_the_same_by_any_name(name, other, write, run):
    """With the options that only accuracies have."""
    args = [write(SMALL), "--truth=truth", "--selected", "--json"]
    assert run(*args, "--metric", name) == run(*args, "--metric", other)


# Files that are written

OUTPUTS = [("--html", "r.html"), ("--plot", "r.png")]


@pytest.fixture
def old(tmp_path):
    """Return a function that makes an older report."""

    def make(name):
        path = tmp_path / name
        path.write_text("old")
        return path

    return make


@pytest.mark.parametrize(("option", "name"), OUTPUTS)
def test_the_input_is_not_overwritten(option, name, write, fail):
    """Whatever its name is."""
    path = write(SMALL, name)
    message = fail(path, "--truth", "truth", option, path)
    assert message == f"cannot write {path!r}: it is the input"
    assert Path(path).read_text() == SMALL


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("folder", "Is a directory"),
        ("none/r", "No such file or directory"),
        ("p.csv/r", "Not a directory"),
        ("loop", "Too many levels of symbolic links"),
        ("x" * 300, "File name too long"),
    ],
)
@pytest.mark.parametrize(
    ("option", "ending"), [("--html", ".html"), ("--plot", ".png")]
)
@pytest.mark.skipif(os.name != "posix", reason="messages of another system")
def test_file_that_cannot_be_written(
    option, ending, name, reason, write, fail, tmp_path
):
    """One line that names it; nothing is printed."""
    (tmp_path / f"folder{ending}").mkdir()
    (tmp_path / f"loop{ending}").symlink_to(f"loop{ending}")
    path = str(tmp_path / (name + ending))
    message = fail(write(SMALL), "--truth", "truth", option, path)
    assert message == f"cannot write {path!r}: {reason}"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="permissions differ")
def test_permissions_and_links_of_a_file_stay(write, old, run, tmp_path):
    """What is written again keeps its mode, and a link to it; a new file follows the umask."""
    page, new, link = old("r.html"), tmp_path / "new.png", tmp_path / "link.html"
    page.chmod(0o604)
    link.symlink_to(page.name)
    umask = os.umask(0o027)
    try:
        run(write(SMALL), "--truth", "truth", "--html", str(link), "--plot", str(new))
    finally:
        os.umask(umask)
    assert page.stat().st_mode & 0o777 == 0o604
    assert new.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert len(list(tmp_path.iterdir())) == 4  # and the table


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_that_is_full(write, fail):
    """It is written directly, and stays what it is."""
    message = fail(write(SMALL), "--truth", "truth", "--html", "/dev/full")
    assert message == "cannot write '/dev/full': No space left on device"
    assert Path("/dev/full").is_char_device()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_devices_and_pipes_are_written_directly(write, run, tmp_path):
    """As if they were files."""
    args = [write(SMALL), "--truth", "truth"]
    text = run(*args)
    output = run_process(*args, "--html", "/dev/stdout").stdout.decode()
    assert output.startswith("<!DOCTYPE html>")
    assert output.endswith(f"</html>\n{text}")
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    contents = []
    reader = threading.Thread(
        target=lambda: contents.append(pipe.read_bytes()), daemon=True
    )
    reader.start()
    run(*args, "--plot", str(pipe))
    reader.join()
    assert contents[0].startswith(b"\x89PNG")
    assert pipe.is_fifo()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes differ")
def test_files_are_written_if_nobody_reads_the_text(write, old, monkeypatch, capsys):
    """A pager that is closed early takes nothing from the report."""
    path = old("r.html")
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main([write(SMALL), "--truth=truth", "--html", str(path)]) == 141
        monkeypatch.undo()
    assert capsys.readouterr() == ("", "")
    assert path.read_text(encoding="utf-8").endswith("</html>\n")


# How it ends


def test_interrupt(monkeypatch, capsys):
    """Ctrl-C ends it quietly, with the status that shells expect."""

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.open", interrupt)
    assert main(["p.csv", "--truth", "truth"]) == 130
    assert capsys.readouterr() == ("", "")


def test_output_without_the_characters(write, monkeypatch):
    """An encoding that lacks a character gets an escape, not an error."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert main([write("truth,ñ\na,a\nb,b\n"), "--truth", "truth"]) == 0
    assert b"\\xf1  " in stream.buffer.getvalue()


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_closed_output():
    """What cannot be printed is an error."""
    shell = 'exec "$0" -m skpostbac --version >&-'
    command = ["sh", "-c", shell, sys.executable]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert result.returncode == 2
    expected = b"skpostbac: error: cannot write the output: standard output is closed"
    assert result.stderr.splitlines()[-1] == expected
    assert b"Traceback" not in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_closed_error_stream(write):
    """Its lines do not get into the output."""
    command = [
        "sh",
        "-c",
        'exec "$0" -m skpostbac "$@" 2>&-',
        sys.executable,
        write(SMALL),
    ]
    command += ["--truth", "truth", "--json", "--fail-below", "0.999"]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    assert result.returncode == 3
    assert len(json.loads(result.stdout)["gate"]) == 2


def test_information():
    """Version and help are printed without scikit-learn, and so at once."""
    code = """if True:
        import contextlib, sys
        sys.modules["sklearn"] = sys.modules["scipy"] = None
        from skpostbac.__main__ import main
        for option in ("--version", "-h"):
            with contextlib.suppress(SystemExit):
                main([option])
        """
    command, env = [sys.executable, "-c", code], {**os.environ, "COLUMNS": "80"}
    result = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    version, *usage = result.stdout.splitlines()
    assert version == f"skpostbac {skpostbac.__version__}"
    assert "FILE" in usage[0]
    assert len(usage) < 40  # one screen
    assert max(map(len, usage)) < 80


def test_parquet_without_pyarrow(write, fail, monkeypatch):
    """The message says what to install, and what to do without it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.lib", None)
    message = fail(write(b"PAR1" + bytes(20), "p.parquet"), "--truth", "truth")
    assert (
        "is a parquet file, which needs pyarrow: pip install pyarrow, or write"
        in message
    )
    assert message.endswith(
        "pandas.read_parquet(FILE).to_csv('predictions.csv', index=False)"
    )


@pytest.mark.slow
def test_standard_input(write, run):
    """A dash reads standard input, and nothing else changes."""
    path = write(SMALL)
    result = run_process("-", "--truth", "truth", input=SMALL.encode("utf-8-sig"))
    assert (result.returncode, result.stderr) == (0, b"")
    expected = run(path, "--truth", "truth").replace(path, "standard input")
    assert result.stdout.decode().split() == expected.split()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes differ")
@pytest.mark.parametrize(
    "args",
    [["-", "--truth", "truth", "--html", "/dev/stdout"], ["--help"]],
    ids=["page", "help"],
)
def test_broken_pipe(args):
    """If nobody reads the output, there is no complaint."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as stdout:
        result = run_process(*args, input=SMALL.encode(), stdout=stdout)
    assert (result.returncode, result.stderr) == (141, b"")


# Without a file


@pytest.mark.slow
def test_example(run):
    """Real classifiers are evaluated; accuracy and balanced accuracy disagree on one of them."""
    text = run("--rope", "0.02")
    for name in ("logistic regression", "random forest", "naive Bayes"):
        assert (
            len(re.findall(rf"(?m)^\d {name}  ", text)) >= 2
        )  # in two or three tables
    assert "skpostbac predictions.csv --truth COLUMN" in text
    assert max(map(len, text.splitlines())) <= 100
    document = json.loads(run("--classifier", "naive Bayes", "--json"))
    totals = [record["n_samples"] for record in document["data"]["classes"]]
    majority = max(totals) / sum(totals)
    assert majority > 0.9
    assert f"{majority:.3f}" in text
    assert document["posteriors"][0]["accuracy"] < majority
    assert document["posteriors"][0]["low"] > 0.5


@pytest.mark.slow
def test_the_example_is_what_scikit_learn_predicts():
    """But for a few samples, which another version may predict otherwise."""
    X, digits = load_digits(return_X_y=True)
    y = np.where(digits == 8, "eight", "another")
    classifiers = {
        "logistic regression": LogisticRegression(),
        "random forest": RandomForestClassifier(random_state=0),
        "naive Bayes": GaussianNB(),
    }
    path = Path(skpostbac.__file__).with_name("_cli") / "example.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name, classifier in classifiers.items():
        y_pred = cross_val_predict(classifier, X / 16, y)
        for pair in product(np.unique(y), repeat=2):
            n = sum(int(row["n"]) for row in rows if (row["digit"], row[name]) == pair)
            found = np.sum((y == pair[0]) & (y_pred == pair[1]))
            assert found == pytest.approx(n, abs=10)


if __name__ == "__main__":
    write_transcripts(sys.argv[1:])
