"""The command line: what it prints, what it refuses, and how it ends.

The files ``golden/*.txt`` are transcripts: ``$`` starts a command line, and what it prints, ``! ``
before lines of standard error and ``? `` before a status other than 0 stand below it; ``< `` starts
an expression for the contents of the table ``p.csv``. After a change of the output,
``python tests/test_cli.py`` writes them anew: read the difference before you commit it.
"""

import contextlib
import csv
import errno
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
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import skpostbac
from skpostbac.__main__ import main
from skpostbac.metrics import (
    GroupsWarning,
    paired_counts,
    posterior_balanced_accuracy,
    posterior_prevalence,
    subgroup_posteriors,
)
from skpostbac.model_selection import compare_predictions, selected_posterior

ROOT = Path(__file__).resolve().parents[1]
SMALL = "truth,one,two\na,a,a\na,a,b\nb,b,b\nb,a,b\n"


@pytest.fixture(scope="module")
def wine():
    """Return true labels and out-of-fold predictions of real classifiers, as strings."""
    X, y = load_wine(return_X_y=True)
    y = np.array(["barolo", "grignolino", "barbera"])[y]
    classifiers = {
        "naive Bayes": GaussianNB(),
        "neighbours": KNeighborsClassifier(),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
    }
    predictions = {name: cross_val_predict(clf, X, y) for name, clf in classifiers.items()}
    return y, predictions


@pytest.fixture
def wine_csv(wine, tmp_path):
    y, predictions = wine
    path = tmp_path / "wine.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["cultivar", *predictions])
        writer.writerows(zip(y, *predictions.values(), strict=True))
    return str(path)


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
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        timeout=120,
        check=False,
        **streams | kwargs,
    )


def same(**numbers):
    """Return what numbers must equal, but for sums that the processor may reorder."""
    return pytest.approx(numbers, rel=1e-12, abs=1e-14)


def table(text, title):
    """Return header and rows of the table under a title; two spaces divide the cells."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(title))
    assert set(lines[start + 2]) == {"-"}
    cells = [re.split(r" {2,}", line) for line in lines[start + 1 :]]
    width = len(cells[0])
    rows = [cells[0]]
    for row in cells[2:]:
        if len(row) != width:
            break
        rows.append(row)
    return rows


# Transcripts

GOLDEN = ROOT / "tests" / "golden"
# What starts a line of the parts of a page, to show where a page differs.
PARTS = re.compile(r"(?=<(?:h1|h2|p|dl|dt|figure|figcaption|section|table|tr|footer)\b)")
DECIMAL = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+")


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
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(shlex.split(command)[1:])
        except SystemExit as stop:
            status = stop.code
    printed = out.getvalue()
    if printed.startswith("{"):
        rounded = json.loads(printed, parse_float=lambda digits: float(f"{float(digits):.7g}"))
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
        # Curves of differences between classes that borrow take seconds.
        marks=[pytest.mark.slow] if "hierarchical --html" in entry[1] else [],
    )
    for path in sorted(GOLDEN.glob("*.txt"))
    for number, entry in enumerate(read_transcript(path), 1)
]


@pytest.mark.parametrize(("table", "command", "expected"), COMMANDS)
def test_output_is_that_of_the_transcript(table, command, expected, tmp_path):
    """Word by word; numbers may differ in the last digit, as sums do between processors."""
    found = transcribe(table, command, tmp_path)
    assert DECIMAL.sub("#", found) == DECIMAL.sub("#", expected)
    numbers, expected_numbers = (
        [float(number) for number in DECIMAL.findall(text)] for text in (found, expected)
    )
    # Text has three decimals. A sum that differs may change one of thousands of draws; that the
    # numbers are exact is tested below.
    error = {"rel": 1e-4, "abs": 1e-4} if "--json" in command else {"rel": 0, "abs": 1.01e-3}
    assert numbers == pytest.approx(expected_numbers, **error)


def write_transcripts():
    """Write what is printed now into the transcripts."""
    for path in sorted(GOLDEN.glob("*.txt")):
        text, last = "", None
        for table, command, _ in list(read_transcript(path)):
            text += f"< {table}\n" if table != last else ""
            with tempfile.TemporaryDirectory() as folder:
                text += f"$ {command}\n{transcribe(table, command, Path(folder))}"
            last = table
        path.write_text(text, encoding="utf-8")


# Numbers


def test_posteriors_agree_with_the_library(wine, wine_csv, run):
    """The numbers of each classifier are those of the public functions."""
    y, predictions = wine
    options = ["--level", "0.9", "--prior", "jeffreys", "--json"]
    records = json.loads(run(wine_csv, "--truth", "cultivar", *options))["posteriors"]
    assert [record["name"] for record in records] == list(predictions)
    for record, y_pred in zip(records, predictions.values(), strict=True):
        posterior = posterior_balanced_accuracy(y, y_pred, prior="jeffreys")
        low, high = posterior.credible_interval(0.9)
        assert record.pop("name") in predictions
        assert record.pop("correct") == posterior.counts.correct.tolist()
        assert record.pop("untested") == []
        assert record.pop("remedy") is None
        assert record.pop("groups") is None
        assert record == same(
            n_unseen=0,
            accuracy=accuracy_score(y, y_pred),
            balanced_accuracy=balanced_accuracy_score(y, y_pred),
            mean=posterior.mean(),
            median=posterior.median(),
            low=low,
            high=high,
            lower=posterior.iccdf(0.9),
            prob_above_chance=posterior.prob_above_chance(),
            prior_prob_above_chance=posterior.prob_above_chance().prior,
            bayes_factor_above_chance=posterior.prob_above_chance().bayes_factor,
            prior_influence=posterior.prior_influence().shift,
            expected_coverage=posterior.prior_influence().expected_coverage,
        )


def test_comparison_and_ranking_agree_with_the_library(wine, wine_csv, run):
    """So are those of the comparison, with pairs and ranking from the best downwards."""
    y, predictions = wine
    document = json.loads(run(wine_csv, "--truth", "cultivar", "--rope", "0.02", "--json"))
    comparison = compare_predictions(y, predictions, rope=0.02, random_state=0)
    assert document["comparison"]["note"] == comparison.explanation
    table = document["comparison"]["prob_greater"]
    for name, row in zip(comparison.names, comparison.prob_greater(), strict=True):
        expected = dict(zip(comparison.names, row, strict=True))
        del expected[name]
        assert table[name] == same(**expected)
    pairs = combinations(comparison.ranking(), 2)
    for record, pair in zip(document["comparison"]["pairs"], pairs, strict=True):
        assert (record.pop("first"), record.pop("second")) == pair
        assert record.pop("rope") == same(**comparison.rope_masses(*pair)._asdict())
        assert record.pop("design_effects") is None
        low, high = comparison.difference_interval(*pair)
        assert record == same(mean=comparison.difference(*pair).mean(), low=low, high=high)
    for rank, (record, expected) in enumerate(
        zip(document["ranking"], comparison.summary(), strict=True), 1
    ):
        assert (record.pop("rank"), record.pop("name")) == (rank, expected["name"])
        keys = ("prob_best", "prob_best_error", "expected_rank", "expected_loss", "mean")
        assert record == same(**{key: expected[key] for key in keys})


@pytest.fixture
def patients():
    """True labels, two predictions and the patient of each sample."""
    rng = np.random.default_rng(0)
    patient = rng.integers(0, 15, 160)
    y = rng.choice(["ill", "well"], 160)
    ease = rng.beta(3, 1, 15)[patient]
    one, two = (np.where(rng.random(160) < ease - shift, y, "ill") for shift in (0, 0.1))
    return y, {"one": one, "two": two}, [f"p{number}" for number in patient]


def test_groups_agree_with_the_library(patients, write, run):
    """Design effects of each classifier and of each difference, in JSON and in sentences."""
    y, predictions, groups = patients
    rows = zip(groups, y, *predictions.values(), strict=True)
    path = write("\n".join(map(",".join, [("patient", "y", *predictions), *rows])) + "\n")
    args = [path, "--truth", "y", "--groups", "patient"]
    document, text = json.loads(run(*args, "--json")), " ".join(run(*args).split())
    with pytest.warns(GroupsWarning, match="Some groups have samples of several classes"):
        comparison = compare_predictions(y, predictions, groups=groups, random_state=0)
    assert document["data"]["groups"] == {"column": "patient", "n_groups": 15}
    for record, posterior in zip(document["posteriors"], comparison.posteriors, strict=True):
        low, high = posterior.credible_interval()
        assert (record["low"], record["high"]) == pytest.approx((low, high), rel=1e-9)
        effects = posterior.design_effects
        assert record["groups"]["design_effects"] == pytest.approx(effects.design_effect.tolist())
        assert record["groups"]["correlation"] == pytest.approx(effects.correlation)
        assert f"{record['name']}: {record['groups']['worth']}" in text
        assert all(doubt in text for doubt in record["groups"]["doubts"])
        assert record["groups"]["worth"] in posterior.report()
    (pair,) = document["comparison"]["pairs"]
    names = pair["first"], pair["second"]
    low, high = comparison.difference_interval(*names)
    assert (pair["low"], pair["high"]) == pytest.approx((low, high), rel=1e-9)
    expected = comparison.design_effects(*names).design_effect.tolist()
    assert pair["design_effects"] == pytest.approx(expected)
    assert "Samples 160 in 15 groups (column patient)" in text


@pytest.fixture
def people(write):
    """A file of true labels, three predictions, a subgroup and a number that repeats."""
    rng = np.random.default_rng(0)
    y = rng.choice(["ill", "well"], 200)
    sex = rng.choice(["f", "m", "x"], 200, p=[0.5, 0.4, 0.1])
    predictions = {name: np.where(rng.random(200) < 0.8, y, "ill") for name in "ABC"}
    columns = {"id": [str(i % 150) for i in range(200)], "sex": sex, "y": y, **predictions}
    rows = [columns, *zip(*columns.values(), strict=True)]
    return write("\n".join(map(",".join, rows)) + "\n"), columns


def test_the_best_is_corrected_for_the_choice(people, run):
    """As the library corrects it, in JSON, in a table and in a sentence of the page."""
    path, columns = people
    args = [
        path,
        "--truth",
        "y",
        *(["--classifier", "A", "--classifier", "B", "--classifier", "C"]),
    ]
    assert json.loads(run(*args, "--json"))["selected"] is None
    record = json.loads(run(*args, "--selected", "--json"))["selected"]
    counts = paired_counts(columns["y"], {name: columns[name] for name in "ABC"})
    selected = selected_posterior(counts, random_state=0)
    low, high = selected.credible_interval()
    assert record["name"] == "ABC"[selected.candidate]
    assert record["n_candidates"] == 3
    assert (record["mean"], record["low"], record["high"]) == (selected.mean(), low, high)
    assert record["optimism"] == selected.optimism > 0
    assert record["uncorrected"]["mean"] == selected.uncorrected.mean()
    (header, row) = table(run(*args, "--selected"), "Best of 3, corrected for selection")
    assert row[header.index("optimism")] == f"{selected.optimism:.3f}"
    assert row[header.index("mean")] == f"{selected.mean():.3f}"


def test_subgroups_agree_with_the_library(people, run, tmp_path, read_html):
    """Each of them, the gap and the worst, of each classifier."""
    path, columns = people
    args = [path, "--truth", "y", "--by", "sex", "--classifier", "A", "--classifier", "B"]
    page = tmp_path / "report.html"
    text = run(*args, "--html", str(page))
    document = json.loads(run(*args, "--json"))["subgroups"]
    assert document["column"] == "sex"
    for record in document["classifiers"]:
        name = record["name"]
        found = subgroup_posteriors(columns["y"], columns[name], sensitive_features=columns["sex"])
        assert [group["name"] for group in record["groups"]] == ["f", "m", "x"]
        for group, expected in zip(record["groups"], found.summary(), strict=True):
            assert group["n_samples"] == expected["n_samples"]
            assert group["mean"] == pytest.approx(expected["mean"], rel=1e-9)
            assert group["prob_worst"] == pytest.approx(expected["prob_worst"], abs=1e-7)
        assert record["gap"]["mean"] == pytest.approx(found.gap.mean(), abs=1e-7)
        assert record["worst"]["high"] == pytest.approx(
            found.worst.credible_interval().high, abs=1e-4
        )
        assert len(table(text, f"{name}, by sex")) == 4
    lead = "".join(read_html(page.read_text(encoding="utf-8")).text)
    assert ", by sex: The gap between the best and the worst of 3 groups: " in lead


VERDICTS = "new,old\n" + "right,right\n" * 110 + "right,wrong\n" * 40 + "wrong,right\n" * 20
VERDICTS += "wrong,wrong\n" * 30
JUDGE = ["--sensitivity", "27/30", "--specificity", "24/30", "--positive", "right"]


def test_verdicts_of_a_judge(write, run):
    """The share of each system, and their difference, as of the library."""
    path = write(VERDICTS)
    document, text = json.loads(run(path, *JUDGE, "--json")), run(path, *JUDGE)
    gold = {"sensitivity": (27, 30), "specificity": (24, 30)}
    new, old = (posterior_prevalence(k, 200, **gold) for k in (150, 130))
    first, second = document["prevalences"]
    assert (first["name"], first["positives"], first["total"]) == ("new", 150, 200)
    for record, posterior in ((first, new), (second, old)):
        low, high = posterior.credible_interval()
        assert (record["low"], record["high"]) == pytest.approx((low, high), abs=1e-9)
        assert record["mean"] == pytest.approx(posterior.mean(), abs=1e-9)
    (pair,) = document["differences"]
    assert (pair["first"], pair["second"]) == ("new", "old")
    assert pair["prob_greater"] == pytest.approx(new.difference(old).prob_above(0), abs=1e-9)
    assert document["judge"]["informedness"]["mean"] == pytest.approx(new.judge_informedness.mean())
    assert table(text, "Posterior of the share")[1][1] == "150/200"
    assert "Judge     sensitivity 27 of 30, specificity 24 of 30; informedness 0.677" in text
    alone = run(path, *JUDGE, "--classifier", "old")
    assert "Difference" not in alone


# How files are read


@pytest.mark.parametrize(
    ("content", "options"),
    [
        pytest.param(SMALL.encode("utf-8-sig"), [], id="byte order mark"),
        pytest.param(SMALL.encode("utf-16"), [], id="UTF-16"),
        pytest.param(b"\xfe\xff" + SMALL.encode("utf-16-be"), [], id="UTF-16, big end first"),
        pytest.param(SMALL.encode("utf-32"), [], id="UTF-32"),
        pytest.param(
            SMALL.replace(",", "\t").encode("utf-16"), ["--delimiter", "tab"], id="UTF-16, tab"
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


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_endless_file(fail):
    """Nor is a file that never ends read further than a line may be long."""
    assert fail("/dev/zero", "--truth", "y").startswith("line 1: NUL byte: this looks like")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_named_pipe(tmp_path, write, run):
    """A table may come through a pipe with a name, which is read once and cannot be rewound."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    writer = threading.Thread(target=Path(pipe).write_text, args=[SMALL], daemon=True)
    writer.start()
    found = json.loads(run(pipe, "--truth", "truth", "--json"))
    writer.join()
    expected = json.loads(run(write(SMALL), "--truth", "truth", "--json"))
    assert found["posteriors"] == expected["posteriors"]


def test_no_permission(write, fail, monkeypatch):
    """So is what may not be read, which no file mode achieves for root."""

    def refuse(path, *args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr("builtins.open", refuse)
    assert re.search("^cannot read .*p.csv: Permission denied$", fail(write(SMALL), "--truth=a"))


def test_null_byte_in_the_name_of_a_file(fail):
    """No file can have such a name."""
    assert fail("a\0b", "--truth", "t") == r"cannot read a\x00b: embedded null byte"


# The guide

GUIDE = ROOT / "doc" / "user_guide" / "command_line.rst"


def code_blocks(text, kind):
    """Return what stands in the code blocks of a kind, without options and indentation."""
    blocks = re.findall(rf"\.\. code-block:: {kind}\n((?:   .*\n|\n)+)", text)
    return [re.sub(r"^   (:.*\n)?", "", block, flags=re.M).strip("\n") for block in blocks]


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
    """Return all keys of a document but the names of classifiers."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(keys_of(one) for key, one in value.items() if key != "prob_greater"))


@pytest.mark.skipif(not GUIDE.exists(), reason="doc/ is not part of this copy")
def test_guide_explains_the_document():
    """Each key of the JSON object stands in the guide."""
    words = set(re.findall(r"\w+", GUIDE.read_text(encoding="utf-8")))
    assert keys_of([document for _, document in DOCUMENTS]) <= words


TYPES = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": (int, float),
    "object": dict,
    "string": str,
}


def faults(value, schema, place="document"):
    """Return where a value departs from a schema, by the few keywords that ours has."""
    if "anyOf" in schema:
        return min((faults(value, one, place) for one in schema["anyOf"]), key=len)
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{place}: {value!r} is not in the list"]
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if not any(isinstance(value, TYPES[name]) for name in names):
        return [f"{place}: {value!r} is of no type in {names}"]
    if isinstance(value, dict):
        return _faults_of_object(value, schema, place)
    if isinstance(value, list):
        least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
        found = [] if least <= len(value) <= most else [f"{place}: {len(value)} items"]
        return [*found, *(f for one in value for f in faults(one, schema["items"], place + "[]"))]
    if isinstance(value, float) and not (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
    ):
        return [f"{place}: {value!r} is out of range"]
    return []


def _faults_of_object(value, schema, place):
    known, others = schema.get("properties", {}), schema["additionalProperties"]
    found = [f"{place}: no {key!r}" for key in schema.get("required", []) if key not in value]
    for key, one in value.items():
        if key not in known and others is False:
            found.append(f"{place}: unknown {key!r}")
        else:
            found += faults(one, known.get(key, others), f"{place}.{key}")
    return found


@pytest.mark.skipif(not GUIDE.exists(), reason="doc/ is not part of this copy")
@pytest.mark.parametrize(("command", "document"), DOCUMENTS, ids=range(1, len(DOCUMENTS) + 1))
def test_document_has_its_schema(command, document):
    """That of the guide; and what departs from it is seen."""
    name = "command_line_judge" if "--sensitivity" in command else "command_line"
    path = ROOT / "doc" / "_static" / f"{name}.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    assert faults(document, schema) == []
    assert faults({**document, "more": 1}, schema) == ["document: unknown 'more'"]
    settings = {**document["settings"], "level": 95.0}
    data = {key: value for key, value in document["data"].items() if key != "source"}
    assert faults({**document, "data": data, "settings": settings}, schema) == [
        "document.data: no 'source'",
        "document.settings.level: 95.0 is out of range",
    ]


# Pages and pictures


def test_page_has_the_tables_of_the_terminal(wine_csv, run, tmp_path, read_html):
    """Each line of a table that is printed is a row of the page, in the same words."""
    path = tmp_path / "report.html"
    text = run(wine_csv, "--truth", "cultivar", "--rope", "0.01", "--html", str(path))
    page = read_html(path.read_text(encoding="utf-8"))
    assert len(page.rows) > 10
    printed = [" ".join(line.split()) for line in text.splitlines()]
    for row in page.rows:
        assert " ".join(" ".join(row).split()) in printed


def test_page_needs_nothing_but_itself(write, run, tmp_path, read_html):
    """No script, no link, and what a column or a label says is text."""
    path = tmp_path / "report.html"
    hostile = "<script>alert(1)</script>"
    source = write(f"truth,{hostile},b\na,a,a\na,b,a\n{hostile},{hostile},a\n")
    run(source, "--truth", "truth", "--html", str(path))
    text = path.read_text(encoding="utf-8")
    page = read_html(text)
    tags = {tag for tag, _ in page.tags}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "object", "form", "a"})
    assert not any(name in ("src", "onload") for _, found in page.tags for name in found)
    assert any(hostile in row[0] for row in page.rows)
    policy = {found["content"] for tag, found in page.tags if "http-equiv" in found}
    assert policy == {"default-src 'none'; style-src 'unsafe-inline'"}


@pytest.mark.parametrize(
    ("name", "magic"), [("p.png", b"\x89PNG"), ("p.SVG", b"<?xml"), ("p.pdf", b"%PDF")]
)
def test_picture_is_of_the_format_that_its_name_says(name, magic, write, run, tmp_path):
    """And twice the same."""
    path = tmp_path / name
    contents = []
    for _ in range(2):
        run(write(SMALL), "--truth", "truth", "--plot", str(path))
        contents.append(path.read_bytes())
    assert contents[0].startswith(magic)
    assert contents[0] == contents[1]


HOSTILE_TEXT = "truth,\x1b[31mA\x07,B\u202e\na\x85,a\x85,b\nb,b,b\n"


@pytest.mark.parametrize("name", ["p.svg", "p.png"])
def test_control_characters_are_escaped_in_the_picture(name, write, run, tmp_path):
    """An SVG with them would be no XML."""
    path = tmp_path / name
    run(write(HOSTILE_TEXT), "--truth", "truth", "--plot", str(path))
    if name == "p.svg":
        ET.parse(path)


def test_picture_tells_of_characters_that_the_font_lacks(write, tmp_path, capsys):
    """On one line; the picture is written all the same."""
    path = tmp_path / "p.png"
    assert main([write("truth,日本\na,a\nb,b\n"), "--truth", "truth", "--plot", str(path)]) == 0
    error = capsys.readouterr().err
    assert error == f"{str(path)!r}: the font lacks some characters in the names\n"
    assert path.read_bytes().startswith(b"\x89PNG")


def test_pictures_need_matplotlib(write, fail, monkeypatch):
    """Without it, the error says so before anything is computed."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = fail(write(SMALL), "--truth", "truth", "--html", "page.html")
    assert message.startswith("argument --html: a plot requires matplotlib.")


# Files that are written

OUTPUTS = [("--html", "r.html"), *[("--plot", f"r.{kind}") for kind in ("png", "svg", "pdf")]]


@pytest.fixture
def old(tmp_path):
    """Return a function that makes an older report."""

    def make(name):
        path = tmp_path / name
        path.write_text("old")
        return path

    return make


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege")
@pytest.mark.parametrize(("option", "name"), OUTPUTS)
@pytest.mark.parametrize(
    "link", [None, Path.symlink_to, Path.hardlink_to], ids=["itself", "symbolic", "hard"]
)
def test_the_input_is_not_overwritten(option, name, link, write, fail, tmp_path):
    """Whatever its name is, and whatever other names it has."""
    if link is None:
        path = output = write(SMALL, name)
    else:
        path, output = write(SMALL), str(tmp_path / name)
        link(Path(output), path)
    message = fail(path, "--truth", "truth", option, output)
    assert message == f"cannot write {output!r}: it is the same file as the input"
    assert Path(path).read_text() == SMALL


@pytest.mark.parametrize("option", [[], ["--html", "p.html"]], ids=["text", "page"])
def test_standard_input_is_not_overwritten(option, write, tmp_path):
    """Neither by a report nor by the text, if the shell appends that to the file."""
    path = write(SMALL, "p.html")
    args = ["-", "--truth", "truth", *option[:1], *(str(tmp_path / name) for name in option[1:])]
    with open(path, "rb") as stdin, open(path if not option else os.devnull, "ab") as stdout:
        result = run_process(*args, stdin=stdin, stdout=stdout)
    name = repr(path) if option else "standard output"
    expected = f"skpostbac: error: cannot write {name}: it is the same file as the input\n"
    assert (result.returncode, result.stderr.decode()) == (2, expected)
    assert Path(path).read_text() == SMALL


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege")
def test_outputs_are_different_files(write, fail, tmp_path):
    """Two links to one file, which need not exist yet, would keep only one of them."""
    page, plot = tmp_path / "a.html", tmp_path / "b.png"
    for link in (page, plot):
        link.symlink_to("target")
    message = fail(write(SMALL), "--truth", "truth", "--html", str(page), "--plot", str(plot))
    assert message == f"cannot write {str(plot)!r}: it is the same file as {str(page)!r}"
    assert not (tmp_path / "target").exists()


def test_a_page_is_not_the_file_that_gets_the_text(write, old):
    """One of them would be lost."""
    path = old("r.html")
    with path.open("ab") as stdout:
        result = run_process(write(SMALL), "--truth=truth", "--html", str(path), stdout=stdout)
    assert result.returncode == 2
    assert b"it is the same file as standard output" in result.stderr
    assert path.read_text() == "old"


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
@pytest.mark.parametrize(("option", "ending"), [("--html", ".html"), ("--plot", ".png")])
@pytest.mark.skipif(os.name != "posix", reason="messages of another system")
def test_file_that_cannot_be_written(option, ending, name, reason, write, fail, tmp_path):
    """One line that names it, before the input is read; nothing is printed."""
    (tmp_path / f"folder{ending}").mkdir()
    (tmp_path / f"loop{ending}").symlink_to(f"loop{ending}")
    write(SMALL)
    path = str(tmp_path / (name + ending))
    message = fail(str(tmp_path / "no input"), "--truth", "truth", option, path)
    assert message == f"cannot write {path!r}: {reason}"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do it all")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_permission_to_write(what, write, old, fail):
    """A file that is read-only, or in such a folder, is not replaced."""
    path, source = old("r.html"), write(SMALL)
    place = path if what == "file" else path.parent
    mode = place.stat().st_mode
    place.chmod(mode & ~0o222)
    try:
        message = fail(source, "--truth", "truth", "--html", str(path))
    finally:
        place.chmod(mode)
    assert message == f"cannot write {str(path)!r}: Permission denied"
    assert path.read_text() == "old"


def test_a_failed_write_changes_nothing(write, old, tmp_path):
    """The report is written in full or not at all, and nothing else is left."""
    resource = pytest.importorskip("resource")
    commands = [[option, str(old(name))] for option, name in OUTPUTS]
    commands += [["--html", str(tmp_path / "new.html")]]
    source = write(SMALL)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code = f"""if True:
        from skpostbac.__main__ import main
        for command in {commands!r}:
            try:
                main([{source!r}, "--truth", "truth", *command])
            except SystemExit as stop:
                assert stop.code == 2
        """
    # Without -B, Python 3.11 would write half a module to the cache, too.
    result = subprocess.run(
        [sys.executable, "-B", "-c", code],
        cwd=ROOT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
        capture_output=True,
        check=True,
    )
    expected = [f"skpostbac: error: cannot write {path!r}: File too large" for _, path in commands]
    assert (result.stdout, result.stderr.decode().splitlines()) == (b"", expected)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("is_new", [False, True], ids=["old", "new"])
def test_all_outputs_are_written_or_none(is_new, write, old, tmp_path, fail, monkeypatch):
    """Another program may take the name of the second file while the first is written."""
    source = write(SMALL)
    page, plot = (tmp_path / name if is_new else old(name) for name in ("r.html", "r.png"))
    replace = os.replace

    def fail_for_the_plot(path, target):
        if str(target).endswith(".png"):
            raise PermissionError(errno.EBUSY, os.strerror(errno.EBUSY))
        replace(path, target)

    monkeypatch.setattr(os, "replace", fail_for_the_plot)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    message = fail(source, "--truth", "truth", "--html", str(page), "--plot", str(plot))
    assert message == f"cannot write {str(plot)!r}: {os.strerror(errno.EBUSY)}"
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_files_stay_if_the_text_cannot_be_written(write, old, tmp_path, monkeypatch, capsys):
    """Standard output is one of the outputs."""
    args = [write(SMALL), "--truth", "truth", "--html", str(old("r.html"))]
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with open("/dev/full", "w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        with pytest.raises(SystemExit, match=r"^2$"):
            main([*args, "--plot", str(tmp_path / "new.png")])
        monkeypatch.undo()
    error = capsys.readouterr().err
    assert re.fullmatch(r"skpostbac: error: cannot write the output: [^\n]*\n", error)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.skipif(os.name != "posix", reason="permissions differ")
def test_permissions_and_links_of_a_file_stay(write, old, run, tmp_path):
    """A file that is replaced keeps its mode, and a link to it; a new file follows the umask."""
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


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_devices_and_pipes_are_written_directly(write, run, tmp_path):
    """They cannot be replaced."""
    args = [write(SMALL), "--truth", "truth"]
    text = run(*args, "--html", os.devnull)
    assert not Path(os.devnull).is_file()
    output = run_process(*args, "--html", "/dev/stdout").stdout.decode()
    assert output.startswith("<!DOCTYPE html>")
    assert output.endswith(f"</html>\n{text}")
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    contents = []
    reader = threading.Thread(target=lambda: contents.append(pipe.read_bytes()), daemon=True)
    reader.start()
    run(*args, "--plot", str(pipe))
    reader.join()
    assert contents[0].startswith(b"\x89PNG")
    assert pipe.is_fifo()


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
@pytest.mark.parametrize("args", [["no table"], ["--version"]], ids=["table", "version"])
def test_closed_output(args):
    """What cannot be printed is an error, and is not computed."""
    command = ["sh", "-c", 'exec "$0" -m skpostbac "$@" >&-', sys.executable, *args]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert result.returncode == 2
    expected = b"skpostbac: error: cannot write the output: standard output is closed"
    assert result.stderr.splitlines()[-1] == expected
    assert b"Traceback" not in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_closed_error_stream(write):
    """Its lines do not get into the output."""
    command = ["sh", "-c", 'exec "$0" -m skpostbac "$@" 2>&-', sys.executable, write(SMALL)]
    command += ["--truth", "truth", "--json", "--fail-below", "0.999"]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    assert result.returncode == 3
    assert json.loads(result.stdout)["failed"] == ["one", "two"]


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
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    version, _, usage = result.stdout.partition("\n")
    assert version == f"skpostbac {skpostbac.__version__}"
    assert "FILE" in usage


def test_parquet_without_pyarrow(write, fail, monkeypatch):
    """The message says what to install, and what to do without it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.lib", None)
    message = fail(write(b"PAR1" + bytes(20), "p.parquet"), "--truth", "truth")
    assert "is a parquet file, which needs pyarrow: pip install pyarrow, or write" in message
    assert message.endswith("pandas.read_parquet(FILE).to_csv('predictions.csv', index=False)")


def test_help_is_one_screen(capsys, monkeypatch):
    """Of 80 columns and 40 lines."""
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 40
    assert max(map(len, lines)) < 80


def test_standard_input(write, run):
    """A dash reads standard input, and nothing else changes."""
    path = write(SMALL)
    result = run_process("-", "--truth", "truth", input=SMALL.encode("utf-8-sig"))
    assert (result.returncode, result.stderr) == (0, b"")
    expected = run(path, "--truth", "truth").replace(path, "standard input")
    assert result.stdout.decode().split() == expected.split()


@pytest.mark.skipif(os.name != "posix", reason="pipes differ")
@pytest.mark.parametrize(
    "args", [["-", "--truth", "truth", "--html", "/dev/stdout"], ["--help"]], ids=["page", "help"]
)
def test_broken_pipe(args):
    """If nobody reads the output, there is no complaint."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as stdout:
        result = run_process(*args, input=SMALL.encode(), stdout=stdout)
    assert (result.returncode, result.stderr) == (141, b"")


# Without a file


def test_example(run):
    """Without a file, real classifiers are evaluated, compared and ranked."""
    text = run("--rope", "0.02")
    names = ["logistic regression", "random forest", "naive Bayes"]
    assert [row[0] for row in table(text, "Posterior")[1:]] == names
    assert [row[0] for row in table(text, "Comparison")[1:]] == [
        f"{i} {name}" for i, name in enumerate(names, 1)
    ]
    assert len(table(text, "Difference")) == 4
    assert {row[0][2:] for row in table(text, "Ranking")[1:]} == set(names)
    assert "skpostbac predictions.csv --truth COLUMN" in text
    assert max(map(len, text.splitlines())) <= 100


def test_example_is_instructive(run):
    """The data are imbalanced, and accuracy and balanced accuracy disagree on a classifier."""
    document = json.loads(run("--classifier", "naive Bayes", "--json"))
    totals = [record["n_samples"] for record in document["data"]["classes"]]
    majority = max(totals) / sum(totals)
    assert majority > 0.9
    assert document["data"]["example"] is True
    assert f"{majority:.3f}" in document["data"]["description"]
    bayes = document["posteriors"][0]
    assert bayes["accuracy"] < majority
    assert bayes["low"] > 0.5


if __name__ == "__main__":
    write_transcripts()
