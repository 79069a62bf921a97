"""The command line: what it prints, what it refuses, and how it ends."""

import contextlib
import csv
import errno
import io
import json
import os
import re
import subprocess
import sys
import threading
import warnings
from itertools import combinations, product
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
from skpostbac._cli import _figures, main
from skpostbac._cli._evaluation import Settings
from skpostbac._cli._example import make_example
from skpostbac._cli._parser import make_parser
from skpostbac._cli._table import read_table
from skpostbac._cli._text import render
from skpostbac.metrics import (
    GroupsWarning,
    PriorInfluenceWarning,
    paired_counts,
    posterior_balanced_accuracy,
    posterior_prevalence,
    subgroup_posteriors,
)
from skpostbac.metrics._priors import DEFAULT_PRIOR
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


# What is computed


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


def test_data_and_settings(wine, wine_csv, run):
    """The document says what was evaluated, and how."""
    y, _ = wine
    document = json.loads(run(wine_csv, "--truth", "cultivar", "--prior", "2,0.5", "--json"))
    classes, totals = np.unique(y, return_counts=True)
    assert document["data"] == {
        "source": wine_csv,
        "description": None,
        "example": False,
        "truth": "cultivar",
        "n_samples": len(y),
        "n_left_out": 0,
        "n_classes": 3,
        "score": "balanced accuracy",
        "chance": 1 / 3,
        "classes": [
            {"label": label, "n_samples": total}
            for label, total in zip(classes.tolist(), totals.tolist(), strict=True)
        ],
        "groups": None,
        "ids": None,
    }
    assert document["settings"] == {
        "prior": [2.0, 0.5],
        "level": 0.95,
        "rope": 0.0,
        "fail_below": None,
    }
    assert document["version"] == skpostbac.__version__
    assert document["comparison"]["note"].startswith("Paired comparison: all classifiers were")
    assert [pair["rope"] for pair in document["comparison"]["pairs"]] == [None] * 3


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


def test_groups_of_one_classifier(patients, write, run):
    """Its sentences name nobody, and say what ignoring the groups would have claimed."""
    y, predictions, _ = patients
    rows = [
        (str(number // 10), a, b)
        for number, (a, b) in enumerate(zip(y, predictions["one"], strict=True))
    ]
    path = write("\n".join(map(",".join, [("site", "y", "one"), *rows])) + "\n")
    text = run(path, "--truth", "y", "--groups", "site", "--labels", "ill,well")
    assert "\nThe samples come from 16 groups" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--groups", "z"], "--groups: there is no column 'z'", id="unknown"),
        pytest.param(["--groups", "truth"], "'truth' cannot be both --groups", id="truth"),
        pytest.param(
            ["--groups", "one", "--classifier", "one"],
            "'one' cannot be both --groups",
            id="classifier",
        ),
    ],
)
def test_bad_groups(options, message, write, fail):
    """One line that says which column."""
    assert message in fail(write(SMALL), "--truth", "truth", *options)


def test_groups_need_a_file(fail):
    """The example has none."""
    assert fail("--groups", "patient") == "--groups needs a FILE, or - for standard input"


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


def test_repeated_ids_are_told(people, run):
    """Once, with what to do; not where they are all different, or groups account for them."""
    path, _ = people
    args = [path, "--truth", "y", "--classifier", "A", "--id", "id"]
    text = " ".join(run(*args).split())
    assert "The 200 rows have only 150 different values in column id" in text
    assert "use --groups id to account for this." in text
    ids = json.loads(run(*args, "--json"))["data"]["ids"]
    assert (ids["column"], ids["n_different"]) == ("id", 150)
    assert "accounts for it" not in run(*args, "--groups", "id")


def test_different_ids_are_fine(write, run):
    """There is nothing to tell of them."""
    path = write("n,y,p\n1,a,a\n2,a,b\n3,b,b\n")
    document = json.loads(run(path, "--truth", "y", "--id", "n", "--json"))
    assert document["data"]["ids"] == {"column": "n", "n_different": 3, "note": None}
    assert "different values" not in run(path, "--truth", "y", "--id", "n")


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


def test_a_useless_judge_is_noted(write, run):
    """What the library warns of stands below the table."""
    judge = ["--sensitivity", "16/30", "--specificity", "16/30"]
    text = run(write(VERDICTS), *judge, "--positive", "right")
    assert "the judge is no better than guessing" in " ".join(text.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(JUDGE[:4], "judge verdicts also need --positive", id="positive"),
        pytest.param(JUDGE[2:], "judge verdicts also need --sensitivity", id="sensitivity"),
        pytest.param(
            [*JUDGE, "--truth", "new"], "--truth cannot be combined with judge verdicts", id="truth"
        ),
        pytest.param([*JUDGE, "--selected"], "--selected cannot be combined with", id="selected"),
        pytest.param(
            [*JUDGE[:4], "--positive", "yes"], "may contain only 'yes' and one", id="verdict"
        ),
        pytest.param(
            ["--sensitivity", "27"], "must be two whole numbers, such as 27/30", id="share"
        ),
        pytest.param(["--sensitivity", "31/30"], "must be a count and its total", id="count"),
        pytest.param([*JUDGE, "--prior", "hierarchical"], "cannot be computed: prior", id="prior"),
        pytest.param([*JUDGE, "--classifier", "z"], "there is no column 'z'", id="column"),
    ],
)
def test_bad_judges(options, message, write, fail):
    """One line that says what is missing or too much."""
    assert message in fail(write(VERDICTS), *options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--by", "z"], "--by: there is no column 'z'", id="unknown"),
        pytest.param(["--by", "truth"], "'truth' cannot be both --by and --truth", id="truth"),
        pytest.param(["--id", "z"], "--id: there is no column 'z'", id="id"),
        pytest.param(
            ["--by", "one", "--groups", "two"], "cannot be combined with --groups", id="groups"
        ),
        pytest.param(
            ["--selected", "--classifier", "one"], "--selected needs at least two", id="alone"
        ),
    ],
)
def test_bad_subgroups_and_choices(options, message, write, fail):
    """One line that says what cannot be."""
    assert message in fail(write(SMALL), "--truth", "truth", *options)


def test_one_subgroup_and_choices_in_groups(write, fail):
    """Neither has an answer."""
    path = write("g,truth,one,two\n1,a,a,a\n1,a,a,b\n1,b,b,b\n")
    assert "all samples are in one subgroup, '1'" in fail(path, "--truth", "truth", "--by", "g")
    message = fail(path, "--truth", "truth", "--groups", "g", "--selected")
    assert message == "--selected: no correction for selection is known for --groups"


def test_text_shows_the_numbers_of_the_document(wine_csv, run):
    """Both outputs come from one document: each number of the text is one of the JSON."""
    args = [wine_csv, "--truth", "cultivar", "--rope", "0.02"]
    text, document = run(*args), json.loads(run(*args, "--json"))
    shown = table(text, "Posterior")[1:]
    for row, record in zip(shown, document["posteriors"], strict=True):
        keys = ("accuracy", "balanced_accuracy", "mean", "median")
        assert row[:5] == [record["name"], *(f"{record[key]:.3f}" for key in keys)]
        assert row[5] == f"[{record['low']:.3f}, {record['high']:.3f}]"
        assert row[6] == f"{record['lower']:.3f}"
    assert all(row[7] == "> 0.999" for row in shown)
    for row, record in zip(table(text, "Ranking")[1:], document["ranking"], strict=True):
        assert row[0] == f"{record['rank']} {record['name']}"
        assert row[2] == f"{record['expected_rank']:.3f}"
    header, *rows = table(text, "Difference")
    assert header[3:] == ["P(<-0.02)", "P(within)", "P(>0.02)"]
    for row, pair in zip(rows, document["comparison"]["pairs"], strict=True):
        assert row[0] == f"{pair['first']} - {pair['second']}"
        assert row[1] == f"{pair['mean']:+.3f}"
        assert row[2] == f"[{pair['low']:+.3f}, {pair['high']:+.3f}]"
    assert document["comparison"]["note"] in text.replace("\n", " ")
    assert "P(best) is estimated from random draws, with a standard error of up to about" in text


def test_table_of_probabilities_is_complete(write, run):
    """With many classifiers the square table continues below, within the width of the page."""
    document = json.loads(run(write(SMALL), "--truth", "truth", "--json"))
    names = [f"classifier {i}" for i in range(1, 12)]
    probabilities = {row: {column: 0.5 for column in names if column != row} for row in names}
    document["comparison"]["prob_greater"] = probabilities
    text = render(document)
    first, rest = (table(part, "row is") for part in text.split("probability that the ")[1:])
    assert first[0] == ["classifier", *map(str, range(1, 9))]
    assert rest[0] == ["classifier", *map(str, range(9, 12))]
    assert [row[0] for row in first[1:]] == [f"{i} classifier {i}" for i in range(1, 12)]
    assert [row[i] for i, row in enumerate(first[1:9], 1)] == ["-"] * 8
    assert [row[i] for i, row in enumerate(rest[9:], 1)] == ["-"] * 3
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    ("options", "names"),
    [
        pytest.param([], ["one", "two"], id="all others"),
        pytest.param(["--classifier", "two", "--classifier", "one"], ["two", "one"], id="chosen"),
    ],
)
def test_classifiers_keep_their_order(write, run, options, names):
    """Columns come in the order of the file, or of the options."""
    document = json.loads(run(write(SMALL), "--truth", "truth", "--json", *options))
    assert [record["name"] for record in document["posteriors"]] == names


def test_one_classifier_is_not_compared(write, run):
    """A single classifier has a posterior, and neither comparison nor ranking."""
    args = [write(SMALL), "--truth", "truth", "--classifier", "two"]
    document = json.loads(run(*args, "--json"))
    assert document["comparison"] is None
    assert document["ranking"] is None
    text = run(*args)
    assert len(table(text, "Posterior")) == 2
    assert "Comparison" not in text
    assert "Ranking" not in text


def test_other_columns_do_not_matter(write, run):
    """What is in a column that was not chosen is not looked at."""
    text = ",truth,one,note\n0,a,a,\n1,b,a,x\n"
    document = json.loads(
        run(write(text), "--truth", "truth", "--classifier", "one", "--json", "--level", "0.5")
    )
    assert document["posteriors"][0]["accuracy"] == 0.5


def test_single_class(write, run):
    """The balanced accuracy of one class is its accuracy; there is no chance to compare with."""
    path = write("truth,one,two\na,a,a\na,b,a\n")
    document = json.loads(run(path, "--truth", "truth", "--json"))
    record = document["posteriors"][0]
    assert record["mean"] == 0.5  # Beta(2, 2)
    assert record["prob_above_chance"] is None
    assert record["bayes_factor_above_chance"] is None
    assert document["data"]["chance"] is None
    text = run(path, "--truth", "truth")
    assert table(text, "Posterior of the recall of a")[1][-1] == "-"
    assert "There is only one class: this is its recall, not a balanced accuracy." in text
    assert "Difference in recall" in text
    assert "Chance" not in text
    assert document["data"]["score"] == "recall"


def test_an_empty_identifier_is_refused(write, fail):
    """It would count as one sample that occurs several times."""
    path = write("truth,one,id\na,a,1\nb,b,\na,a,3\n")
    message = fail(path, "--truth", "truth", "--id", "id")
    assert "line 3: no identifier in column 'id'" in message


def test_page_of_a_single_class(write, run, tmp_path):
    """Title, caption and axis name the recall."""
    path = tmp_path / "report.html"
    run(write("truth,one\na,a\na,b\na,a\n"), "--truth", "truth", "--html", str(path))
    page = path.read_text(encoding="utf-8")
    assert "<h1>Posterior recall</h1>" in page
    assert "Posterior of the recall: 95% interval shaded." in page
    visible = page.replace("not a balanced accuracy", "").partition("<h2>Method</h2>")[0]
    assert "alanced accuracy" not in visible


def test_single_class_in_sentences():
    """The library's reports say it, too, of one classifier and of two."""
    posterior = posterior_balanced_accuracy(["a", "a"], ["a", "b"])
    assert posterior.report().startswith("The recall of class 'a' is 0.500 (95%")
    assert "With a single class, this is not a balanced accuracy." in posterior.report()
    compared = compare_predictions(["a", "a"], {"one": ["a", "b"], "two": ["a", "a"]})
    assert "Scores are recalls of class 'a', the only class" in compared.report()


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "JSON"])
@pytest.mark.parametrize("classifier", [[], ["--classifier", "two"]], ids=["both", "one"])
def test_a_lower_bound_may_fail(write, run, capsys, options, classifier):
    """Status 3 and one line, which names the classifier; the output is what it is without."""
    args = [write(SMALL), "--truth", "truth", "--level", "0.8", *classifier]
    records = json.loads(run(*args, "--json"))["posteriors"]
    lower = {record["name"]: record["lower"] for record in records}
    # Of 3 in 4 in the sample, "one" is as good as "two".
    least = max(lower.values())
    assert main([*args, *options, "--fail-below", f"{least + 1e-9!r}"]) == 3
    captured = capsys.readouterr()
    assert captured.err.startswith("skpostbac: 80% lower bound of the balanced accuracy below ")
    assert captured.err.count("\n") == 1
    assert all(name in captured.err for name in lower)
    if options:
        document = json.loads(captured.out)
        assert document["failed"] == list(lower)
        assert document["settings"]["fail_below"] == least + 1e-9
    else:
        assert captured.out == run(*args)
    run(*args, *options, "--fail-below", f"{min(lower.values())!r}")


@pytest.mark.parametrize("bound", ["0.999", "0.001"], ids=["failed", "passed"])
def test_the_page_tells_a_failure(write, tmp_path, capsys, read_html, bound):
    """It begins with the line of the standard error stream, if there is one."""
    page = tmp_path / "report.html"
    main([write(SMALL), "--truth", "truth", "--fail-below", bound, "--html", str(page)])
    line = capsys.readouterr().err.strip().removeprefix("skpostbac: ")
    lead = [text for text in read_html(page.read_text(encoding="utf-8")).text if "Failed" in text]
    assert lead == ([f"Failed: {line}."] if line else [])


def test_many_failures_are_one_line(write, capsys):
    """The first classifiers are named, and the rest are counted."""
    names = [f"c{i}" for i in range(7)]
    rows = ["truth," + ",".join(names), *(",".join([label] * 8) for label in "aabb")]
    assert main([write("\n".join(rows)), "--truth", "truth", "--fail-below", "0.999"]) == 3
    line = capsys.readouterr().err
    assert line.endswith(" and 2 more\n")
    assert ("c4" in line, "c5" in line) == (True, False)


def test_a_bound_is_not_shown_as_the_value_it_is_below(write, run, capsys):
    """It is rounded down."""
    args = [write(SMALL), "--truth", "truth", "--classifier", "two"]
    lower = json.loads(run(*args, "--json"))["posteriors"][0]["lower"]
    value = f"{np.ceil(1000 * lower) / 1000:.3f}"
    assert main([*args, "--fail-below", value]) == 3
    assert f"two {float(value) - 0.001:.3f}\n" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["0", "1", "60", "nan", "x"])
def test_bad_bound(write, fail, value):
    """It is a share, strictly between 0 and 1."""
    message = fail(write(SMALL), "--truth", "truth", "--fail-below", value)
    assert message.startswith("argument --fail-below: ")


@pytest.mark.parametrize("columns", [1, 2], ids=["alone", "compared"])
def test_a_prior_that_dominates_is_noted(write, run, columns):
    """One line below the table, and nothing else, says that the prior decides."""
    cells = [[letter] * (columns + 1) for letter in "abcdefgh"]
    header = ["truth", *["one", "two"][:columns]]
    path = write("\n".join(map(",".join, [header, *cells])) + "\n")
    args = [path, "--truth", "truth", "--prior", "uniform"]
    # Eight distributions Beta(2, 1) of mean 2/3 and variance 1/18.
    shift = -(1 / 3) / (1 / 18 / 8) ** 0.5
    for record in json.loads(run(*args, "--json"))["posteriors"]:
        assert record["prior_influence"] == pytest.approx(shift, rel=1e-12)
        assert record["expected_coverage"] == 0
        assert record["remedy"].startswith("with few samples of each class, use prior=")
    note = (
        "95% intervals would contain the balanced accuracy in about 0% of test sets like this one: "
        "with few samples of each class, use --prior hierarchical"
    )
    assert " ".join(run(*args).split()).count(note) == 1
    assert "would hold" not in run(*args, "--prior", "1,2")


@pytest.mark.parametrize("columns", [1, 2], ids=["alone", "compared"])
def test_untested_classes_are_named(columns, write, run):
    """Another prior is no remedy for them."""
    rows = [["a"] * (columns + 1)] * 99 + [["a"] + ["b"] * columns]
    header = ["truth", *["one", "two"][:columns]]
    path = write("\n".join(map(",".join, [header, *rows])) + "\n")
    args = [path, "--truth", "truth", "--labels", "a,b"]
    for record in json.loads(run(*args, "--json"))["posteriors"]:
        assert record["untested"] == ["b"]
    text = " ".join(run(*args).split())
    assert text.count("Class 'b' has no samples and rests on the prior alone") == 1
    assert "test it, or leave it out with --labels." in text
    assert "use --prior hierarchical" not in text
    text = " ".join(run(*args, "--prior", "hierarchical").split())
    assert "Class 'b' has no samples and rests on what the other classes suggest" in text


@pytest.mark.parametrize("columns", [1, 2], ids=["alone", "several"])
def test_hierarchical_prior(write, run, columns):
    """Each posterior has it, and so has the comparison of two."""
    rows = [(letter, letter, letter if number else "a") for letter in "abcd" for number in range(5)]
    header = ["truth", "one", "two"]
    path = write("\n".join(",".join(row[: columns + 1]) for row in [header, *rows]) + "\n")
    args = [path, "--truth", "truth", "--prior", "hierarchical"]
    document = json.loads(run(*args, "--json"))
    truth, *predictions = zip(*rows, strict=True)
    for record, predicted in zip(document["posteriors"], predictions, strict=False):
        posterior = posterior_balanced_accuracy(truth, predicted, prior="hierarchical")
        assert record["mean"] == pytest.approx(posterior.mean(), rel=1e-12)
        assert record["remedy"] is None
    assert document["settings"]["prior"] == "hierarchical"
    assert (document["comparison"] is document["ranking"] is None) == (columns == 1)
    if columns == 2:
        named = dict(zip(["one", "two"], predictions, strict=True))
        comparison = compare_predictions(truth, named, prior="hierarchical")
        (pair,) = document["comparison"]["pairs"]
        assert pair["mean"] == comparison.difference("one", "two").mean()
        best, other = document["ranking"]
        assert best["prob_best"] == document["comparison"]["prob_greater"]["one"]["two"]
        assert best["prob_best"] == comparison.prob_greater()[0, 1]
        assert 0 < other["prob_best_error"] < 0.001
        assert "Classes of similar size share information on how often" in " ".join(
            run(*args).split()
        )


def shown_means(text, name):
    """Return the posterior means of a classifier that a text has: in sentences, tables, labels."""
    number = r"(\d\.\d+)"
    patterns = [
        rf"{name} has(?: the highest posterior mean of \d+ classifiers,)? {number}",
        # accuracy and balanced accuracy of the sample stand before the mean
        rf"(?m)^{name} +\d\.\d+ +\d\.\d+ +{number}",
        rf"(?m)^\d {name} +[<> ]*[\d.]+ +[\d.]+ +[\d.]+ +{number}$",  # of the ranking
        rf"<td[^>]*>{name}</td><td[^>]*>[\d.]+</td><td[^>]*>[\d.]+</td><td[^>]*>{number}</td>",
        rf"<td[^>]*>\d {name}</td>(?:<td[^>]*>[^<]*</td>){{3}}<td[^>]*>{number}</td>",
    ]
    return [found for pattern in patterns for found in re.findall(pattern, text)]


def slow(*values):
    """Return parameters of a test that takes seconds for each."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


@pytest.mark.parametrize(
    "prior", ["2,1", *slow("hierarchical", "jeffreys", "reciprocal", "uniform")]
)
def test_one_mean_per_classifier_in_a_report(write, run, tmp_path, prior):
    """Text, JSON, page and pictures show the posteriors of one and the same prior."""
    rows = [(letter, letter, letter if number else "a") for letter in "abcdef" for number in (0, 1)]
    path = write("\n".join(map(",".join, [("truth", "one", "two"), *rows])) + "\n")
    args = [path, "--truth", "truth", "--prior", prior]
    page, picture = tmp_path / "report.html", tmp_path / "posteriors.svg"
    text = run(*args, "--html", str(page), "--plot", str(picture))
    document = json.loads(run(*args, "--json"))
    html, svg = page.read_text(encoding="utf-8"), picture.read_text(encoding="utf-8")
    truth, *predictions = zip(*rows, strict=True)
    given = tuple(map(float, prior.split(","))) if "," in prior else prior
    means = {}
    for record, name, predicted in zip(
        document["posteriors"], ["one", "two"], predictions, strict=True
    ):
        with warnings.catch_warnings(category=PriorInfluenceWarning, action="ignore"):
            mean = posterior_balanced_accuracy(truth, predicted, prior=given).mean()
        means[name] = mean
        ranked = [row["mean"] for row in document["ranking"] or [] if row["name"] == name]
        assert [record["mean"], *ranked] == pytest.approx([mean] * (1 + len(ranked)), rel=1e-12)
        for source, least in [(text, 1), (html, 2)]:
            found = shown_means(source, name)
            assert len(found) == least + len(ranked)
            assert set(found) == {f"{mean:.3f}"}
    # A picture labels each row with "0.88 [0.70, 0.98]"; that of the classes in the page, as well.
    labels = {f"{mean:.2f}" for mean in means.values()}
    assert set(re.findall(r"<!-- (\d\.\d\d) \[", svg)) == labels
    assert labels <= set(re.findall(r">(\d\.\d\d) \[", html.split("</figure>")[0]))
    if document["ranking"]:
        difference = document["comparison"]["pairs"][0]["mean"]
        # The distribution of a pair whose classes borrow is one of its own.
        error = 0.1 if prior == "hierarchical" else 1e-12
        assert difference == pytest.approx(means["one"] - means["two"], abs=error)


def test_labels_keep_an_absent_class(write, run):
    """A class of --labels that is only predicted keeps Beta(1/3, 1/3); the sample has no recall."""
    path = write("truth,one\na,a\na,c\nb,b\n")
    args = [path, "--truth", "truth", "--labels", "c,b,a", "--json"]
    document = json.loads(run(*args))
    assert document["data"]["classes"] == [
        {"label": "c", "n_samples": 0},
        {"label": "b", "n_samples": 1},
        {"label": "a", "n_samples": 2},
    ]
    record = document["posteriors"][0]
    assert record["mean"] == pytest.approx((1 / 2 + 4 / 5 + 1 / 2) / 3, rel=1e-15)
    assert record["balanced_accuracy"] == 0.75
    assert record["n_unseen"] == 0


def test_labels_leave_out_other_classes(write, run):
    """Samples of a class that --labels does not list are left out, and it says how many."""
    args = [write("truth,one\na,a\na,b\nb,b\n'c,d',a\n".replace("'", '"')), "--truth", "truth"]
    labels = ["--labels", '"c,d",a']
    data = json.loads(run(*args, *labels, "--json"))["data"]
    assert [record["label"] for record in data["classes"]] == ["c,d", "a"]
    assert (data["n_samples"], data["n_left_out"]) == (3, 1)
    assert "Samples   3 (1 from other classes left out)" in run(*args, *labels)


def test_unseen_predictions_are_errors(write, run):
    """A prediction that is no class is counted as wrong, and the text says so."""
    path = write("truth,one,two\na,a,z\na,q,z\nb,q,b\n")
    document = json.loads(run(path, "--truth", "truth", "--json"))
    assert [record["n_unseen"] for record in document["posteriors"]] == [2, 2]
    assert document["posteriors"][0]["correct"] == [1, 0]
    text = run(path, "--truth", "truth")
    assert "one: 2 predictions are none of the classes and count as errors." in text.splitlines()


def test_labels_are_text(write, run):
    """Nothing is stripped or converted: 1, 1.0 and a label with a space all differ."""
    path = write("truth,one\n1,1\n1.0,1\n 1,1\n")
    document = json.loads(run(path, "--truth", "truth", "--json"))
    assert {record["label"] for record in document["data"]["classes"]} == {"1", "1.0", " 1"}
    assert document["posteriors"][0]["accuracy"] == pytest.approx(1 / 3)


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


def test_unicode(write, run):
    """Names and labels in any script; columns align by the width on the screen."""
    path = write("wahr,ロジスティック,Wäld\n猫,猫,b\nb,b,b\n")
    text = run(path, "--truth", "wahr")
    assert "猫 (1)" in text
    wide, narrow = text.split("Posterior of", 1)[1].splitlines()[3:5]
    assert wide.startswith("ロジスティック ")
    # Each of the seven characters takes two columns.
    assert len(wide) + 7 == len(narrow)


def test_control_characters_are_escaped(write, run):
    """No name or label from a file can move the cursor, forge a line or reorder the text."""
    text = run(write('truth,"x\ny"\n"\x1b[2J",a\na,a\n\u202eb,a\n'), "--truth", "truth")
    assert "\x1b" not in text
    assert "\\x1b[2J (1)" in text
    assert "x\\ny  " in text
    assert "\u202e" not in text
    assert "\\u202eb (1)" in text


def test_labels_of_many_rows_are_stored_once(write):
    """Rows that differ share their labels, which are most of a large file."""
    labels = ["first", "second", "third"]
    rows = "".join(f"{','.join(row)}\n" for row in product(labels, repeat=3))
    table = read_table(write("truth,one,two\n" + rows), "truth", None)
    assert len(table.rows) == 27
    assert len({id(label) for row in table.rows for label in row}) == 3


def test_large_counts(write, run):
    """Repeated rows are counted, not stored: a hundred thousand are read at once."""
    data = json.loads(
        run(write("truth,one\n" + "a,a\na,b\nb,b\nb,a\n" * 25_000), "--truth", "truth", "--json")
    )
    assert data["data"]["n_samples"] == 100_000
    assert data["posteriors"][0]["correct"] == [25_000, 25_000]


# What is refused


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", r"p\.csv is empty$", id="empty"),
        pytest.param("\n\n", r"p\.csv is empty$", id="blank lines only"),
        pytest.param(b"\xef\xbb\xbf", r"p\.csv is empty$", id="byte order mark only"),
        pytest.param("truth,one\n", r"p\.csv has a header, but no rows$", id="header only"),
        pytest.param(
            "a,b\nx,x\n",
            r"^--truth: there is no column 'truth'; the columns are 'a', 'b'$",
            id="no truth column",
        ),
        pytest.param("truth,a,a\nx,x,x\n", r"^column 'a' occurs 2 times$", id="duplicate column"),
        pytest.param(
            "truth,a\nx,x\ny\n", r"^line 3 has 1 field, but the header has 2$", id="short row"
        ),
        pytest.param(
            "truth,a\nx,x,x\n", r"^line 2 has 3 fields, but the header has 2$", id="long row"
        ),
        pytest.param("truth,a\nx,x\nx,\n", r"^line 3: no label in column 'a'$", id="empty cell"),
        pytest.param("truth,a\n  ,x\n", r"^line 2: no label in column 'truth'$", id="blank cell"),
        pytest.param("truth,a\nx,x\n\nx,x\n", r"^line 3 is empty$", id="blank line"),
        pytest.param("\ntruth,a\nx,x\n", r"^line 1 is empty$", id="blank first line"),
        pytest.param("truth\nx\n", r"no column of predictions besides 'truth'$", id="truth only"),
        pytest.param(
            ",truth,a\n0,x,x\n",
            r"^column 1 has no name; .*--classifier, or write the file without its index$",
            id="index",
        ),
        pytest.param("truth,a,\nx,x,0\n", r"^column 3 has no name; .*--classifier$", id="no name"),
        pytest.param(
            "truth;a\nx;x\n", r"the columns are 'truth;a'; try --delimiter ';'$", id="semicolons"
        ),
        pytest.param("truth\ta\nx\tx\n", r"; try --delimiter 'tab'$", id="tabs"),
        pytest.param("truth,a\nx,x\0\n", r"^line 2: NUL byte", id="NUL"),
        pytest.param('truth,a\nx,"x"y\n', r"^line 2: .*expected after", id="quote in a cell"),
        pytest.param('truth,a\nx,"x\n', r"^line 2: unexpected end of data$", id="open quote"),
        pytest.param("truth,a\nx," + "x" * 200_000, r"^line 2: field larger than", id="giant cell"),
        pytest.param("truth,a\nx,\xe9\n".encode("latin-1"), "is not UTF-8 text", id="Latin-1"),
        pytest.param(
            "truth,a\nx,x\n".encode("utf-16-le"),
            "UTF-16 without a byte order mark",
            id="UTF-16, unmarked",
        ),
        pytest.param(b"\xff\xfex", "is not UTF-16.* text: .*; save it as UTF-8$", id="half UTF-16"),
        pytest.param(b"PK\x03\x04\0\0", "is an Excel workbook.*; save the sheet as", id="xlsx"),
        pytest.param(b"\xd0\xcf\x11\xe0\xa1", "is an Excel workbook; save the sheet", id="xls"),
        pytest.param(b"\x1f\x8b\x08\0", "is compressed by gzip; unpack it", id="gzip"),
        pytest.param(b"ARROW1\0\0", "is a Feather file; write it as", id="Feather"),
        pytest.param(
            "id,truth,a\n7,x,x\n8,x,x\n",
            r"^column 'id' has no label of 'truth' \('x'\), only '7', '8'; .*--classifier$",
            id="column of no predictions",
        ),
        pytest.param(
            "id,truth,a\n7.0,x,x\n8.0,v,x\n9.0,w,x\n6.5,z,x\n",
            r"\('v', 'w', 'x', ...\), only '6.5', '7.0', '8.0', ...; .* patients .* as --groups or",
            id="column of many numbers",
        ),
        pytest.param(
            "truth,a\n" + "x," * 5_000_001,
            r"^line 2: record is longer than 10000000 char",
            id="giant line",
        ),
        pytest.param(
            "truth,a\n" + '"\n",' * 2_500_001,
            r": record is longer than 10000000 char",
            id="giant record",
        ),
        pytest.param(
            ",".join(["truth", *map(str, range(100_000))]) + "\n",
            r"^there are 100000 columns besides 'truth', but at most 1000 .*--classifier$",
            id="too many classifiers",
        ),
    ],
)
def test_bad_file(write, fail, content, message):
    """Each defect of a file has a line that names it."""
    assert re.search(message, fail(write(content), "--truth", "truth"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param([], r"^--truth must name .* 'truth', 'one', 'two'$", id="no truth"),
        pytest.param(
            ["--truth", "Truth"],
            r"^--truth: there is no column 'Truth'; the columns are 'truth', 'one', 'two'$",
            id="truth",
        ),
        pytest.param(
            ["--truth", "truth", "--classifier", "three"],
            r"^--classifier: there is no column 'three'; the columns are",
            id="classifier",
        ),
        pytest.param(
            ["--truth", "truth", "--classifier", "truth"],
            r"^'truth' cannot be both --truth and --classifier$",
            id="truth as classifier",
        ),
        pytest.param(
            ["--truth", "truth", "--classifier", "one", "--classifier", "one"],
            r"^--classifier 'one' occurs 2 times$",
            id="classifier twice",
        ),
        pytest.param(
            ["--truth", "truth", "--labels", "a,b,c"],
            r"^--labels: class 'c' is neither a true nor a predicted label",
            id="class never seen",
        ),
        pytest.param(
            ["--truth", "one", "--classifier", "two", "--delimiter", ";"],
            r"no column 'one'; the columns are 'truth,one,two'; try --delimiter ','$",
            id="delimiter",
        ),
    ],
)
def test_bad_choice(write, fail, options, message):
    """Each option that does not fit the file has a line that names it."""
    assert re.search(message, fail(write(SMALL), *options))


def test_labels_without_truth(write, fail):
    """Labels of which none is true leave nothing to evaluate."""
    path = write("truth,one\na,a\na,z\n")
    assert re.search(r"^--labels: none .* 'truth'$", fail(path, "--truth", "truth", "--labels=z"))


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        pytest.param(
            "--level", "1", r"level must be a number strictly between 0 and 1", id="level 1"
        ),
        pytest.param(
            "--level", "nan", r"level must be a number strictly between 0 and 1", id="level nan"
        ),
        pytest.param("--level", "high", r"--level: .*'high'", id="level no number"),
        pytest.param("--rope", "-0.1", "rope must be", id="negative rope"),
        pytest.param("--rope", "inf", "rope must be", id="infinite rope"),
        pytest.param("--rope", "wide", r"--rope: .*'wide'", id="rope no number"),
        pytest.param("--prior", "flat", r"--prior: .*uniform.*'flat'", id="prior"),
        pytest.param("--prior", "1,0", r"--prior: .*positive.*'1,0'", id="prior zero"),
        pytest.param("--prior", "1,inf", r"--prior: .*positive.*'1,inf'", id="prior infinite"),
        pytest.param("--prior", "1,2,3", r"--prior: .*'1,2,3'", id="prior of three"),
        pytest.param("--delimiter", ",,", r"--delimiter: .*one character", id="delimiter"),
        pytest.param("--delimiter", '"', r"--delimiter: .*one character", id="delimiter quote"),
        pytest.param("--labels", "a,,b", r"--labels: empty label", id="empty label"),
        pytest.param("--labels", "a,b,a", r"--labels: label 'a' occurs twice", id="label twice"),
        pytest.param("--labels", '"a', r"--labels: unexpected end", id="label quote"),
        pytest.param("--lev", "0.9", "--lev", id="abbreviation"),
        pytest.param("--no\nsuch", "x", r"unrecognized arguments: --no\\nsuch", id="unknown"),
    ],
)
def test_bad_option(write, fail, option, value, message):
    """A bad value is refused by the name of its option, before anything is read."""
    assert re.search(message, fail(write(SMALL), "--truth", "truth", option, value))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("missing.csv", "No such file", id="missing"),
        pytest.param("", "directory", id="directory"),
        pytest.param("a\nb.csv", r"a\\nb\.csv: No such file", id="odd name"),
    ],
)
def test_unreadable(tmp_path, fail, name, message):
    """What cannot be opened is named, with the reason that the system gives."""
    assert re.search(f"^cannot read .*{message}", fail(str(tmp_path / name), "--truth", "truth"))


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

    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr("skpostbac._cli._table._open", refuse)
    assert re.search("^cannot read .*p.csv: Permission denied$", fail(write(SMALL), "--truth=a"))


def test_truth_without_file(fail):
    """Who pipes a file in, but forgets the dash, is told so."""
    assert fail("--truth", "y") == "--truth needs a FILE, or - for standard input"


def test_many_columns_are_not_all_listed(write, fail):
    """The error stays readable for a wide file."""
    message = fail(write(",".join(f"c{i}" for i in range(100)) + "\n"), "--truth", "y")
    assert message.endswith("'c10', 'c11' and 88 more")


def test_numerical_failure(write, fail, monkeypatch):
    """If the engine gives up, that is one line too."""

    def give_up(*args, **kwargs):
        raise ZeroDivisionError("float division by zero")

    monkeypatch.setattr("skpostbac._cli._evaluation.paired_counts", give_up)
    message = fail(write(SMALL), "--truth", "truth")
    assert message == "the posteriors cannot be computed: float division by zero"


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


def test_page_of_one_classifier_says_how_good_it_is(write, run, tmp_path, read_html):
    """There is nothing to rank; the sentences are those of the posterior."""
    path = tmp_path / "one.html"
    run(write(SMALL), "--truth", "truth", "--classifier", "one", "--html", str(path))
    page = read_html(path.read_text(encoding="utf-8"))
    y_true, y_pred = ["a", "a", "b", "b"], ["a", "a", "b", "a"]
    for line in posterior_balanced_accuracy(y_true, y_pred).report().splitlines():
        assert line in page.text
    assert not any("Ranking" in text for text in page.text)


@pytest.mark.slow
def test_page_with_the_hierarchical_prior(write, run, tmp_path, read_html):
    """The best and its mean come first, ties are named, and the method is that of the prior."""
    path = tmp_path / "report.html"
    table = "truth,one,two,three\na,a,a,a\na,b,a,a\nb,b,b,b\nb,b,b,b\n"
    run(write(table), "--truth", "truth", "--prior", "hierarchical", "--html", str(path))
    text = path.read_text(encoding="utf-8")
    lead = text[text.index('<div class="lead">') :]
    assert lead.startswith(
        '<div class="lead"><p>two and three tie for the highest posterior mean of 3 classifiers, '
    )
    assert "How much better two is than three" in text
    assert "The hierarchical prior applies to how often exactly one of them is right" in text
    assert "Dirichlet" not in text
    assert "Beta distributed" not in text  # as the accuracies under other priors


@pytest.mark.slow
def test_page_of_many_classifiers_names_the_best(write, run, tmp_path, read_html):
    """The sentences speak of the best, the tables of all; the picture is another, and says so."""
    path = tmp_path / "report.html"
    rows = ["a" if number % 3 else "b" for number in range(30)]
    header = ["truth", *(f"c{number}" for number in range(13))]
    lines = [header] + [[label] * (14 - i % 5) + ["a"] * (i % 5) for i, label in enumerate(rows)]
    run(write("\n".join(map(",".join, lines))), "--truth", "truth", "--html", str(path))
    page = read_html(path.read_text(encoding="utf-8"))
    assert sum(text.startswith("c") and " has 0." in text for text in page.text) == 4
    assert "Showing the best 5 of 13 classifiers." in page.text
    caption = "Posterior of the balanced accuracy: mean and 95% interval, chance level dotted."
    assert caption in page.text


@pytest.mark.slow
def test_labels_of_other_scripts_are_drawn_without_complaint(write, run, tmp_path):
    """A browser has fonts that matplotlib may lack; warnings are errors here."""
    path = tmp_path / "report.html"
    run(write("truth,日本\n猫,猫\n犬,犬\n"), "--truth", "truth", "--html", str(path))
    assert "猫 (1/1)" in path.read_text(encoding="utf-8")
    run(write("truth,日本,中国\n猫,猫,犬\n犬,犬,犬\n"), "--truth", "truth", "--html", str(path))
    assert "日本 better" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "magic"),
    [("p.png", b"\x89PNG"), ("p.SVG", b"<?xml"), ("p.pdf", b"%PDF")],
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


@pytest.mark.parametrize(
    ("option", "name", "endings"),
    [
        ("--html", "p.csv", ".html, .htm"),
        ("--html", "p.svg", ".html, .htm"),
        ("--plot", "p.html", ".png, .svg, .pdf"),
        ("--plot", "p.csv", ".png, .svg, .pdf"),
        ("--plot", "p", ".png, .svg, .pdf"),
    ],
)
def test_file_of_another_format(option, name, endings, write, fail):
    """The error lists the endings that there are; the file stays as it is."""
    path = write(SMALL, name)
    message = fail(path, "--truth", "truth", option, path)
    assert message == f"argument {option}: must end in {endings}, got {path!r}"
    assert Path(path).read_text() == SMALL


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


@pytest.mark.parametrize(
    ("option", "name", "is_new"),
    [*[(*output, False) for output in OUTPUTS], (*OUTPUTS[0], True)],
)
def test_a_failed_write_changes_nothing(option, name, is_new, write, old, tmp_path):
    """The report is written in full or not at all, and nothing else is left."""
    resource = pytest.importorskip("resource")
    source = write(SMALL)
    path = tmp_path / name if is_new else old(name)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    # Without -B, Python 3.11 would write half a module to the cache, too.
    code = "import sys; from skpostbac._cli import main; sys.exit(main(sys.argv[1:]))"
    result = subprocess.run(
        [sys.executable, "-B", "-c", code, source, "--truth", "truth", option, str(path)],
        cwd=ROOT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
        capture_output=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (2, b"")
    expected = f"skpostbac: error: cannot write {str(path)!r}: File too large\n"
    assert result.stderr.decode() == expected
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
def test_files_stay_if_the_text_cannot_be_written(write, old, tmp_path):
    """Standard output is one of the outputs."""
    args = [write(SMALL), "--truth", "truth", "--html", str(old("r.html"))]
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with open("/dev/full", "wb") as stdout:
        result = run_process(*args, "--plot", str(tmp_path / "new.png"), stdout=stdout)
    assert result.returncode == 2
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
def test_files_are_written_if_nobody_reads_the_text(write, old):
    """A pager that is closed early takes nothing from the report."""
    path = old("r.html")
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as stdout:
        result = run_process(write(SMALL), "--truth=truth", "--html", str(path), stdout=stdout)
    assert (result.returncode, result.stderr) == (141, b"")
    assert path.read_text(encoding="utf-8").endswith("</html>\n")


def test_pictures_need_matplotlib(write, fail, monkeypatch):
    """Without it, the error says so before anything is computed."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = fail(write(SMALL), "--truth", "truth", "--html", "page.html")
    assert message.startswith("argument --html: a plot requires matplotlib.")


HOSTILE_TEXT = "truth,\x1b[31mA\x07,B\u202e\na\x85,a\x85,b\nb,b,b\n"


def test_control_characters_are_escaped_in_the_page(write, run, tmp_path):
    """None of them gets out of the file, so that a browser shows what stands there."""
    path = tmp_path / "report.html"
    run(write(HOSTILE_TEXT), "--truth", "truth", "--html", str(path))
    text = path.read_text(encoding="utf-8")
    assert all(char.isprintable() or char == "\n" for char in text)
    assert r"\x1b[31mA\x07" in text
    assert r"B\u202e" in text


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


def test_other_warnings_of_a_picture_are_no_matter_of_fonts(write, tmp_path, capsys, monkeypatch):
    """They pass as they come."""
    encode = _figures._encode

    def warn(*args, **kwargs):
        warnings.warn("something else", UserWarning, stacklevel=2)
        return encode(*args, **kwargs)

    monkeypatch.setattr(_figures, "_encode", warn)
    with pytest.warns(UserWarning, match="something else") as record:
        main([write(SMALL), "--truth", "truth", "--plot", str(tmp_path / "p.png")])
    assert len(record) == 1
    assert capsys.readouterr().err == ""


def test_null_byte_in_the_name_of_a_file(fail):
    """No file can have such a name."""
    assert fail("a\0b", "--truth", "t") == r"cannot read a\x00b: embedded null byte"


# How it ends


def test_interrupt(monkeypatch, capsys):
    """Ctrl-C ends it quietly, with the status that shells expect."""

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("skpostbac._cli._main.read_table", interrupt)
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
    command = 'exec "$0" -m skpostbac "$@" >&-'
    result = subprocess.run(
        ["sh", "-c", command, sys.executable, *args], cwd=ROOT, capture_output=True, check=False
    )
    assert result.returncode == 2
    expected = b"skpostbac: error: cannot write the output: standard output is closed"
    assert result.stderr.splitlines()[-1] == expected
    assert b"Traceback" not in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_closed_error_stream(write):
    """Its lines do not get into the output."""
    command = 'exec "$0" -m skpostbac "$@" 2>&-'
    args = [write(SMALL), "--truth", "truth", "--json", "--fail-below", "0.999"]
    result = subprocess.run(
        ["sh", "-c", command, sys.executable, *args], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    assert result.returncode == 3
    assert json.loads(result.stdout)["failed"] == ["one", "two"]


@pytest.mark.parametrize(("option", "word"), [("--version", skpostbac.__version__), ("-h", "FILE")])
def test_information(option, word):
    """Version and help are printed without scikit-learn, and so at once."""
    code = f"""if True:
        import sys
        sys.modules["sklearn"] = sys.modules["scipy"] = None
        from skpostbac._cli import main
        main([{option!r}])
        """
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert word in result.stdout
    assert "skpostbac" in result.stdout


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


@pytest.mark.skipif(not GUIDE.exists(), reason="doc/ is not part of this copy")
def test_guide_explains_the_document(wine_csv, run, write):
    """Each key of the JSON object stands in the guide."""
    words = set(re.findall(r"\w+", GUIDE.read_text(encoding="utf-8")))
    options = ["--rope", "0.1", "--selected", "--by", "neighbours", "--json"]
    document = json.loads(run(wine_csv, "--truth", "cultivar", *options))
    judged = json.loads(run(write(VERDICTS), *JUDGE, "--json"))

    def keys(value):
        if isinstance(value, list):
            return set().union(*map(keys, value)) if value else set()
        if isinstance(value, dict):
            return set(value) | set().union(*map(keys, value.values()))
        return set()

    document["comparison"]["prob_greater"] = {}
    assert keys(document) | keys(judged) <= words


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


SCHEMA = ROOT / "doc" / "_static" / "command_line.schema.json"


@pytest.mark.skipif(not SCHEMA.exists(), reason="doc/ is not part of this copy")
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--classifier", "one"],
        ["--rope", "0.1", "--prior", "2,0.5"],
        ["--groups", "group"],
        ["--labels", "a", "--fail-below", "0.001"],
        ["--prior", "uniform", "--labels", "a,b,d"],
        ["--selected", "--by", "group", "--id", "group"],
    ],
    ids=["plain", "alone", "rope", "groups", "single class", "empty class", "more"],
)
def test_document_has_the_schema_of_the_guide(write, run, options):
    """Of all kinds of outputs; and what departs from it is seen."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    rows = [f"{t},{p},{q},g{i % 5}" for i, (t, p, q) in enumerate(["aaa", "aab", "bbb", "bad"] * 5)]
    path = write("\n".join(["truth,one,two,group", *rows]) + "\n")
    if "--groups" not in options and "--classifier" not in options:
        options = [*options, "--classifier", "one", "--classifier", "two"]
    document = json.loads(run(path, "--truth", "truth", "--json", *options))
    assert faults(document, schema) == []
    assert faults({**document, "more": 1}, schema) == ["document: unknown 'more'"]
    del document["data"]["truth"]
    document["settings"]["level"] = 95.0
    assert faults(document, schema) == [
        "document.data: no 'truth'",
        "document.settings.level: 95.0 is out of range",
    ]


@pytest.mark.skipif(not SCHEMA.exists(), reason="doc/ is not part of this copy")
def test_document_of_a_judge_has_its_schema(write, run):
    """It is another one."""
    schema = json.loads(SCHEMA.with_name("command_line_judge.schema.json").read_text("utf-8"))
    document = json.loads(run(write(VERDICTS), *JUDGE, "--json"))
    assert faults(document, schema) == []
    document["judge"]["sensitivity"].append(1)
    assert faults(document, schema) == ["document.judge.sensitivity: 3 items"]


def test_standard_input(write, run):
    """A dash reads standard input, and nothing else changes."""
    path = write(SMALL)
    result = run_process("-", "--truth", "truth", input=SMALL.encode("utf-8-sig"))
    assert (result.returncode, result.stderr) == (0, b"")
    expected = run(path, "--truth", "truth").replace(path, "standard input")
    assert result.stdout.decode().split() == expected.split()


def test_error_of_the_process():
    """The process, too, ends with status 2 and one line."""
    result = run_process("-", "--truth", "truth", input=b"")
    assert result.returncode == 2
    assert result.stdout == b""
    assert result.stderr.decode().splitlines() == ["skpostbac: error: standard input is empty"]


@pytest.mark.skipif(os.name != "posix", reason="pipes differ")
@pytest.mark.parametrize(
    "args",
    [["-", "--truth", "truth"], ["-", "--truth", "truth", "--html", "/dev/stdout"], ["--help"]],
    ids=["table", "page", "help"],
)
def test_broken_pipe(args):
    """If nobody reads the output, there is no complaint."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as stdout:
        result = run_process(*args, input=SMALL.encode(), stdout=stdout)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk():
    """If the output cannot be written, the error is one line."""
    with open("/dev/full", "wb") as stdout:
        result = run_process("-", "--truth", "truth", input=SMALL.encode(), stdout=stdout)
    assert result.returncode == 2
    assert re.fullmatch(rb"skpostbac: error: cannot write the output: [^\n]*\n", result.stderr)


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


def test_example_is_reproducible():
    """Two runs predict the same."""
    assert make_example(["random forest"]).rows == make_example(["random forest"]).rows


def test_example_takes_options(run, fail):
    """The example takes all options but --truth."""
    options = ["--classifier", "naive Bayes", "--labels", "another,eight", "--prior", "neutral"]
    document = json.loads(run(*options, "--level", "0.8", "--json"))
    assert [record["name"] for record in document["posteriors"]] == ["naive Bayes"]
    settings = {"prior": "neutral", "level": 0.8, "rope": 0.0, "fail_below": None}
    assert document["settings"] == settings
    assert document["data"]["classes"][0]["label"] == "another"
    assert "'random forest'" in fail("--classifier", "SVM")


def test_example_of_the_process():
    """``python -m skpostbac`` runs it."""
    result = run_process("--classifier", "naive Bayes")
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"naive Bayes" in result.stdout


def test_the_default_prior_is_that_of_the_library():
    """The parser names it by itself, since it imports nothing of the library."""
    assert make_parser().get_default("prior") == DEFAULT_PRIOR == Settings().prior
