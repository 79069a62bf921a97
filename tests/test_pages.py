"""Pages can be read where a repository shows them: by docutils alone, one file at a time."""

import io
import re
from functools import cache
from pathlib import Path

import pytest
from docutils import core, nodes

ROOT = Path(__file__).parents[1]
DOC = ROOT / "doc"
# Pages of the site alone: they have nothing to read, show a file that is another page here, or
# are forms.
SITE = [
    *(DOC / f"{name}.rst" for name in ("index", "changes", "contributing")),
    *(DOC / "user_guide" / f"{name}.rst" for name in ("calculator", "try")),
]
PAGES = [
    *ROOT.glob("*.rst"),
    *(page for page in DOC.glob("*.rst") if page not in SITE),
    *(page for page in DOC.glob("user_guide/*.rst") if page not in SITE),
    *DOC.glob("evidence/*.rst"),
    *(ROOT / "benchmarks").glob("*.rst"),
]

pytestmark = pytest.mark.skipif(
    not DOC.is_dir(), reason="doc/ is not part of this copy"
)


@cache
def shown(path):
    """Return what docutils makes of a file, without others, and what it complains of."""
    complaints = io.StringIO()
    settings = {
        "file_insertion_enabled": False,
        "halt_level": 5,
        "raw_enabled": False,
        "report_level": 2,
        "syntax_highlight": "none",
        "warning_stream": complaints,
    }
    document = core.publish_doctree(
        path.read_text("utf-8"), str(path), settings_overrides=settings
    )
    return document, complaints.getvalue()


@cache
def anchors(path):
    """Return the anchors of a page; its title has none, since links to it need none."""
    document, _ = shown(path)
    elements = document.findall(nodes.Element)
    return {one for node in elements if node is not document for one in node["ids"]}


def names(paths):
    """Return parameters with readable names."""
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


@pytest.mark.parametrize("path", names(PAGES))
def test_nothing_is_unknown(path):
    """No role, directive or name needs Sphinx, but for lists of pages that are not shown."""
    _, complaints = shown(path)
    hidden = r"\.\. toctree::\n   :hidden:\n(?:\n?   .+\n)*"
    lists = len(re.findall(hidden, path.read_text("utf-8")))
    known = re.compile(r".*\((?:WARNING|ERROR)/\d\) (.*)")
    found = [match[1] for match in map(known.match, complaints.splitlines()) if match]
    unknown = 'Unknown directive type "toctree".'
    assert found.count(unknown) == lists
    assert [text for text in found if text != unknown] == []


@pytest.mark.parametrize("path", names(PAGES))
def test_links_lead_somewhere(path):
    """Each link within the repository is to a file that exists, and to an anchor in it."""
    document, _ = shown(path)
    links = [
        link["refuri"] for link in document.findall(nodes.reference) if "refuri" in link
    ]
    links += [image["uri"] for image in document.findall(nodes.image)]
    for link in links:
        if not re.match(r"\w+:", link):
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target.is_file(), link
            assert not anchor or anchor in anchors(target), link


def test_what_is_unknown_is_seen(tmp_path):
    """Each kind of markup that needs Sphinx, or a name without a figure, is complained of."""
    page = tmp_path / "page.rst"
    page.write_text(":ref:`a`\n\n|two-mean|\n\n.. dropdown:: b\n\n   c\n\n`d <#e>`__\n")
    _, complaints = shown(page)
    for text in (
        'role "ref"',
        'type "dropdown"',
        'substitution referenced: "two-mean"',
    ):
        assert text in complaints
    with pytest.raises(AssertionError):
        test_links_lead_somewhere(page)


@pytest.mark.parametrize("path", names(sorted(DOC.glob("*/index.rst"))))
def test_hidden_lists_are_of_linked_pages(path):
    """What the navigation of the site shows can be reached from the page itself."""
    if path.parent.name == "api":
        return
    text = path.read_text("utf-8")
    for entries in re.findall(r"\.\. toctree::\n(?:   :.*\n)+\n((?:   \w+\n)+)", text):
        for entry in entries.split():
            assert f"<{entry}.rst" in text, entry
