"""Formulas as MathML, which browsers draw by themselves: no script, and nothing from the network."""

from html import escape

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


def converted(node: nodes.Element, *, as_block: bool) -> str:
    """Return the MathML of a formula, or its text with a warning that says where it stands."""
    formula = node.astext().strip()
    try:
        return tex2mathml(formula, as_block=as_block)
    except (SyntaxError, ValueError) as error:
        logger.warning("no MathML of %r: %s", formula, error, location=node)
        return f"<code>{escape(formula)}</code>"


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(converted(node, as_block=False))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula of its own, which scrolls where it is wider than the page."""
    translator.body.append(f'<div class="math">{converted(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Make this the way of HTML pages to show formulas."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
