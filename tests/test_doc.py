"""The documentation is complete: every public name, every page, and no path of one machine."""

import inspect
import re
from pathlib import Path, PurePosixPath

import numpy as np
import pytest

import skpostbac

DOC = Path(__file__).parents[1] / "doc"
GENERATED = {"_build", "auto_examples", "generated"}
NO_PAGES = {"_templates", "examples"}
# Home directories, temporary ones, drives, and addresses of files.
LOCAL_PATH = re.compile(r"(?<![\w.~/:-])/(home|root|tmp|work|Users|mnt)/|\b[A-Z]:\\|file://")

pytestmark = pytest.mark.skipif(not DOC.is_dir(), reason="doc/ is not part of this copy")


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


PUBLIC = [skpostbac, *(module for _, module in inspect.getmembers(skpostbac, inspect.ismodule))]


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_api_reference_has_every_public_name_once(module):
    """No public name is forgotten, named twice, or no longer there."""
    elsewhere = set() if module is skpostbac else set(skpostbac.__all__)
    entries = directive_entries((DOC / "api" / "index.rst").read_text("utf-8"), "autosummary")
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
    shown = re.search(r"^ *(>>>|\$) .*\n(?: *(?:>>>|\.\.\.).*\n)*(.*)", pages()[name], flags=re.M)
    assert shown[2].strip()
    before = pages()[name][: shown.start()]
    assert len(re.findall(r"^[=-]{3,}$", before, flags=re.M)) <= 3  # two are those of the title


@pytest.mark.parametrize("name", HOW_TO)
def test_how_to_guide_has_no_table_of_measurements(name):
    """These are in the section of what was measured, to which the guides point."""
    assert ".. include::" not in pages()[name]
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


@pytest.mark.parametrize(
    "text", ["see /tmp/x", "(/home/me/a.py)", "C:\\data", "file:///etc/hosts", "``/work/a``"]
)
def test_local_paths_are_seen(text):
    """The pattern finds what it is for."""
    assert LOCAL_PATH.search(text)


@pytest.mark.parametrize("text", ["https://a.org/home/x", "doc/tmp/x", "train/work/test", "a / b"])
def test_other_slashes_are_no_local_paths(text):
    """Addresses and paths within the project are fine."""
    assert not LOCAL_PATH.search(text)


QUOTED = {
    name: int(value)
    for path in sorted((DOC / "evidence").glob("quoted*.inc"))
    for name, value in re.findall(
        r"^\.\. \|(.*)\| replace:: (\d+) %$", path.read_text("utf-8"), re.M
    )
}


def measured_in_intervals():
    """Return mean and lowest coverage by name, from the tables of the default interval."""
    found = {}
    text = (DOC / "evidence" / "intervals.rst.inc").read_text("utf-8")
    tables = re.findall(r"^method +mean +lowest .*\n=.*\n((?:.*\d%\n)+)", text, flags=re.M)
    for part, table in zip(("two", "three", "many", "class", "few", "sparse"), tables, strict=True):
        for row in table.splitlines():
            method, mean, lowest = re.match(r"(.*?) +(\d\.\d+) (\d\.\d+) ", row).groups()
            name = f"{part}-{re.sub('[ /]', '-', method.replace(',', ''))}"
            found |= {f"{name}-mean": float(mean), f"{name}-lowest": float(lowest)}
    return found


def measured_in_validity():
    """Return mean and lowest coverage of the shortest interval by name, from its table."""
    text, found = (DOC / "evidence" / "validity_summary.rst.inc").read_text("utf-8"), {}
    for prior in ("uniform", "reciprocal", "hierarchical"):
        rows = re.findall(rf" {prior} +hdi .* (\d+) +(\S+) \S+ (\S+) +\d+ +\d+$", text, flags=re.M)
        cells, means, lowest = np.array(rows, dtype=float).T
        found[f"validity-{prior}-mean"] = means @ cells / cells.sum()
        found[f"validity-{prior}-lowest"] = lowest.min()
    return found


def test_quoted_coverage_is_that_of_the_tables():
    """The mean is rounded to whole percents, and the lowest is rounded down."""
    measured = measured_in_intervals() | measured_in_validity()
    assert measured.keys() == QUOTED.keys()
    for name, value in measured.items():
        percents = 100 * value - QUOTED[name]
        low, high = (-0.5, 0.5) if name.endswith("-mean") else (0, 1)
        assert low - 0.051 <= percents <= high + 0.001, name


def test_quoted_names_exist():
    """The text that names a measured number has one, and the pages of the defaults do."""
    named = {name: re.findall(r"\|([a-z][\w-]*-\w+)\|", text) for name, text in pages().items()}
    assert {one for names in named.values() for one in names} <= QUOTED.keys()
    assert all(named[page] for page in ("evidence/index", "evidence/priors"))
