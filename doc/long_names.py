"""Long names continue on the next line: after a dot, after an underscore, or before a capital.

Browsers break a name anywhere or nowhere. On a phone the one is hard to read, and the other makes the
page wider than its window.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

LONG = re.compile(r"[\w.]{12,}")
END_OF_PART = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[a-z][._])(?=[A-Za-z])")


def with_breaks(html: str) -> str:
    """Return text of a page with a tag wherever a long name may be broken."""
    return LONG.sub(lambda name: END_OF_PART.sub("<wbr>", name[0]), html)


class Translator(HTML5Translator):
    """Writer of pages with places to break long names at."""

    def visit_Text(self, node: nodes.Text) -> None:  # noqa: N802
        """Write a text, in which tags are short."""
        before = len(self.body)
        super().visit_Text(node)
        self.body[before:] = [with_breaks(piece) for piece in self.body[before:]]


def break_index(app: Sphinx, exception: Exception | None) -> None:
    """Do so in the index, which a template writes without the class above."""
    page = Path(app.outdir, "genindex.html")
    if exception is None and page.exists():
        html = page.read_text("utf-8")
        html = re.sub(">[^<>]+</a>", lambda link: with_breaks(link[0]), html)
        page.write_text(html, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Make this the way to write pages; the theme adds its own to it."""
    app.set_translator("html", Translator)
    app.connect("build-finished", break_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
