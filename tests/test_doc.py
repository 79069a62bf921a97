"""The documentation is complete: every public name, every page, and no path of one machine."""

import inspect
import re
from pathlib import Path

import pytest

import skpostbac

DOC = Path(__file__).parents[1] / "doc"
GENERATED = {"_build", "auto_examples", "generated"}
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


def test_user_guide_has_every_page_once():
    """Every page of the guide is in its table of contents, and nothing else is."""
    guide = DOC / "user_guide"
    entries = directive_entries((guide / "index.rst").read_text("utf-8"), "toctree")
    pages = {path.stem for path in guide.glob("*.rst")} - {"index"}
    assert sorted(name for _, name in entries) == sorted(pages)


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
