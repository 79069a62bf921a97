"""What the site adds to its pages, which are plain reStructuredText for whoever reads them elsewhere.

- A link to a page or a figure, such as ``priors.rst#harder-settings``, becomes a link of the site.
  One to a page or an anchor that does not exist is an error.
- A literal that names something public, or calls it, becomes a link to its page of the API.
- A paragraph that is nothing but a link to a table becomes the table, and an admonition of the
  class "dropdown" opens at a click.
"""

import re
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

logger = logging.getLogger(__name__)

DOC = Path(__file__).parent
# Pages of the site whose text is a file elsewhere.
ELSEWHERE = {
    DOC.parent / "CHANGES.rst": "changes",
    DOC.parent / "CONTRIBUTING.rst": "contributing",
    DOC / "examples" / "README.rst": "auto_examples/index",
}
TABLE = re.compile(
    r"^( *)`[^`<]*<(\S+\.rst\.inc|\S*benchmarks/\w+\.rst)>`__$", flags=re.M
)
DROPDOWN = re.compile(r"^( *)\.\. admonition:: (.*)\n +:class: dropdown$", flags=re.M)
# A name, with its arguments and more if it is called.
NAME = re.compile(r"([A-Za-z_][\w.]*)(?:\(.*)?", flags=re.DOTALL)


def with_tables(text: str) -> str:
    """Return the source of a page with its tables, and with what opens at a click."""
    text = TABLE.sub(r"\1.. include:: \2", text)
    return DROPDOWN.sub(r"\1.. dropdown:: \2", text)


def change_page(app: Sphinx, name: str, source: list[str]) -> None:
    """Change the source of a page."""
    source[0] = with_tables(source[0])


def change_table(app: Sphinx, path: Path, name: str, source: list[str]) -> None:
    """Change the source of a file that a page includes."""
    source[0] = with_tables(source[0])


def public_names(app: Sphinx) -> dict[str, str]:
    """Return the full names of all that has a page of the API, by the names that texts use."""
    found = {}
    for full, entry in app.env.get_domain("py").objects.items():
        if entry.objtype != "module":
            name = re.sub(r"^skpostbac\.(?:[a-z_]+\.(?=[A-Za-z]))?", "", full)
            found[full] = found[name] = full
    return found


def add_links_to_api(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Make literals links, where they name what has a page of its own."""
    public = public_names(app)
    objects = app.env.get_domain("py").objects
    for literal in list(doctree.findall(nodes.literal)):
        match = NAME.fullmatch(literal.astext())
        entry = objects.get(public.get(match[1])) if match else None
        if (
            entry
            and entry.docname != name
            and not isinstance(literal.parent, nodes.reference | nodes.title)
        ):
            link = make_refnode(
                app.builder, name, entry.docname, entry.node_id, literal.deepcopy()
            )
            literal.replace_self(link)


def source_of(node: nodes.Node, page: Path) -> Path:
    """Return the file that a node was read from."""
    while node is not None:
        if (source := getattr(node, "source", None)) and Path(source).is_file():
            return Path(source).resolve()
        node = node.parent
    return page


def page_of(path: Path, app: Sphinx) -> str | None:
    """Return the name of the page that shows a file, if there is one."""
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    if path.parent == DOC / "examples":
        return f"auto_examples/{path.stem}"
    return app.env.path2doc(path)


def change_links(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Make links to files of the repository links of the site."""
    anchors = cache(lambda page: app.env.get_doctree(page).ids)
    for link in doctree.findall(nodes.reference):
        path, _, anchor = link.get("refuri", "").partition("#")
        if "refuri" not in link or link.get("internal") or re.match(r"\w+:", path):
            continue
        source = source_of(link, Path(app.env.doc2path(name)))
        file = (source.parent / path).resolve() if path else source
        page = page_of(file, app)
        if page in app.env.found_docs and (not anchor or anchor in anchors(page)):
            link["refuri"] = app.builder.get_relative_uri(name, page)
            link["refuri"] += f"#{anchor}" if anchor else ""
            link["internal"] = True
        elif file.is_file() and file.parent == DOC / "_static" and not anchor:
            up = "../" * name.count("/")
            link["refuri"] = f"{up}_static/{file.name}"
        else:
            logger.warning("no page for the link %r", link["refuri"], location=link)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect what changes sources, and what changes pages after they are read."""
    app.connect("source-read", change_page)
    app.connect("include-read", change_table)
    app.connect("doctree-resolved", add_links_to_api)
    app.connect("doctree-resolved", change_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
