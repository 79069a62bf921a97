"""The documentation is complete: every public name, every page, and no path of one machine."""

import inspect
import re
import runpy
from pathlib import Path, PurePosixPath

import pytest
from docutils import core, nodes

import skpostbac

DOC = Path(__file__).parents[1] / "doc"
GENERATED = {"_build", "auto_examples", "generated"}
NO_PAGES = {"_templates", "examples"}
# Home directories, temporary ones, drives, and addresses of files.
LOCAL_PATH = re.compile(
    r"(?<![\w.~/:-])/(home|root|tmp|work|Users|mnt)/|\b[A-Z]:\\|file://"
)

pytestmark = pytest.mark.skipif(
    not DOC.is_dir(), reason="doc/ is not part of this copy"
)


def directive_entries(text, directive):
    """Yield the entries of each `directive` in rst, with the `currentmodule` they stand under."""
    module = indent = None
    for line in filter(str.strip, text.splitlines()):
        depth = len(line) - len(line.lstrip())
        if match := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = match[1]
        if line.strip().startswith(f".. {directive}::"):
            indent = depth
        elif indent is not None and depth <= indent:
            indent = None
        elif indent is not None and not line.strip().startswith(":"):
            yield module, line.strip()


def sources():
    """Return the files that were written by hand, not generated."""
    return [
        path
        for path in DOC.rglob("*")
        if path.suffix in {".rst", ".inc", ".py"}
        and not GENERATED & set(path.relative_to(DOC).parts)
    ]


PUBLIC = [
    skpostbac,
    *(module for _, module in inspect.getmembers(skpostbac, inspect.ismodule)),
]


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_api_reference_has_every_public_name_once(module):
    """No public name is forgotten, named twice, or no longer there."""
    elsewhere = set() if module is skpostbac else set(skpostbac.__all__)
    entries = directive_entries(
        (DOC / "api" / "index.rst").read_text("utf-8"), "autosummary"
    )
    listed = [name for owner, name in entries if owner == module.__name__]
    assert sorted(listed) == sorted({*module.__all__} - elsewhere)


def pages():
    """Return the pages that were written by hand, by their names from the root of the site."""
    return {
        path.relative_to(DOC).with_suffix("").as_posix(): path.read_text("utf-8")
        for path in sources()
        if path.suffix == ".rst" and not NO_PAGES & set(path.relative_to(DOC).parts)
    }


def listed_pages(name):
    """Return the names of the pages in the tables of contents of one."""
    entries = [entry for _, entry in directive_entries(pages()[name], "toctree")]
    targets = [re.sub(r".*<(.*)>", r"\1", entry) for entry in entries]
    return [(PurePosixPath(name).parent / target).as_posix() for target in targets]


def test_every_page_is_in_one_table_of_contents():
    """Each page has one place in the navigation, and nothing else is in it."""
    listed = [target for name in pages() for target in listed_pages(name)]
    assert sorted(listed) == sorted({*pages(), "auto_examples/index"} - {"index"})


HOW_TO = listed_pages("user_guide/index") if DOC.is_dir() else []


@pytest.mark.parametrize("name", HOW_TO)
def test_how_to_guide_begins_with_a_call_and_its_output(name):
    """At most one section begins before the first code, and something is printed there."""
    shown = re.search(
        r"^ *(>>>|\$) .*\n(?: *(?:>>>|\.\.\.).*\n)*(.*)", pages()[name], flags=re.M
    )
    assert shown[2].strip()
    before = pages()[name][: shown.start()]
    assert (
        len(re.findall(r"^[=-]{3,}$", before, flags=re.M)) <= 3
    )  # two are those of the title


@pytest.mark.parametrize("name", HOW_TO)
def test_how_to_guide_has_no_table_of_measurements(name):
    """These are in the section of what was measured, to which the guides point."""
    assert not re.search(r"<\S+(\.inc|benchmarks/\w+\.rst)>", pages()[name])
    assert "python benchmarks/" not in pages()[name]


def test_every_example_has_a_gallery_name():
    """What the gallery would show without running it is a mistake."""
    names = [path.name for path in (DOC / "examples").glob("*.py")]
    assert [name for name in names if not name.startswith("plot_")] == []


def test_no_page_has_a_local_path():
    """A reader has neither the machine nor the folders of the writer."""
    assert len(sources()) > 10
    found = {
        str(path.relative_to(DOC)): match[0]
        for path in sources()
        if (match := LOCAL_PATH.search(path.read_text("utf-8")))
    }
    assert found == {}


def test_local_paths_are_seen():
    """The pattern finds what it is for; addresses and paths within the project are fine."""
    local = [
        "see /tmp/x",
        "(/home/me/a.py)",
        "C:\\data",
        "file:///etc/hosts",
        "``/work/a``",
    ]
    assert all(map(LOCAL_PATH.search, local))
    others = ["https://a.org/home/x", "doc/tmp/x", "train/work/test", "a / b"]
    assert not any(map(LOCAL_PATH.search, others))


EVIDENCE = DOC / "evidence"
BENCHMARKS = DOC.parent / "benchmarks"
QUOTING = (
    "evidence/index",
    "user_guide/choose",
    "user_guide/priors",
    "user_guide/subgroups",
)
# What pages may say without a table: levels, settings, and what their examples print or show.
LEVELS = r"\b(2\.5|5|95) %|below 90 %|the bootstrap's 90 % interval|a warning in 80 %"
SETTINGS = (
    r"(recalls?|accuracy|probability|assurance) of \d+ %( and \d+ %)?|\(70 % and 30 %\)",
    r"(agree|right) on \d+ %|\d+ % (positives|deforestation|are malignant|of two classes)",
    r"a population with 1 %|the ill are 1 %|as 2 % of each|The judge called 65 %",
    r"about 98 % for two sectors|it is 95\.6 %",
    r"good to (about )?1 %|to 10 % with few|0\.3 % off|tails below 1e-11 to about 1 %|at least 98 %",
)
ALLOWED = re.compile("|".join([LEVELS, *SETTINGS]).replace(" ", r"\s"))
# Errors of approximations, with the settings that they are of.
MEASURED_HERE = {"evidence/accuracy", "evidence/methods"}


def named(path):
    """Return the name of a file from the root of the checkout."""
    return path.relative_to(DOC.parent).as_posix()


QUOTED = runpy.run_path(str(BENCHMARKS / "quoted.py")) if DOC.is_dir() else {}
MEASURED = QUOTED["measured"]() if DOC.is_dir() else {}


@pytest.mark.parametrize("path", QUOTED["pages"]() if DOC.is_dir() else [], ids=named)
def test_quoted_figures_are_those_of_the_tables(path):
    """The foot of each page is what the script makes of the committed tables."""
    text = path.read_text("utf-8")
    assert QUOTED["with_figures"](text, MEASURED) == text


def prose(text):
    """Return the paragraphs of a page, with a name in place of each figure that has one."""
    text = re.sub(r"(\| replace::) .*", r"\1 figure", text)
    settings = {"file_insertion_enabled": False, "report_level": 5}
    page = core.publish_doctree(text, settings_overrides=settings)
    return [paragraph.astext() for paragraph in page.findall(nodes.paragraph)]


@pytest.mark.parametrize("path", QUOTED["pages"]() if DOC.is_dir() else [], ids=named)
def test_percentages_come_from_tables(path):
    """A percentage that was measured has a name, which stands for what its table gives."""
    name = path.relative_to(DOC.parent).with_suffix("").as_posix()
    if name.removeprefix("doc/") not in MEASURED_HERE:
        text = "\n".join(prose(path.read_text("utf-8")))
        assert re.findall(r".*\d\s%.*", ALLOWED.sub("", text)) == []


@pytest.mark.parametrize("name", QUOTING)
def test_coverages_are_percentages(name):
    """Where coverages are listed, none is written as a share."""
    text = "\n".join(prose(pages()[name]))
    assert "figure" in text
    assert re.findall(r".*(?<![\w.])\.\d.*", text) == []


def test_paper_has_what_the_journal_asks_for():
    """Its sections, its length, and an entry for each citation, all of which are cited."""
    paper, bib = (
        (DOC.parent / "paper" / name).read_text("utf-8")
        for name in ("paper.md", "paper.bib")
    )
    text = paper.split("---\n", 2)[2]
    assert re.findall(r"(?m)^# (.*)", text) == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "AI usage disclosure",
        "Acknowledgements",
        "References",
    ]
    assert 750 <= len(text.split()) <= 1750
    assert {*re.findall(r"@([\w-]+)", text)} == {*re.findall(r"(?m)^@\w+\{(.*),$", bib)}
