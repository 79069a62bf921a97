"""Formulas as MathML, which browsers draw by themselves: no script, and nothing from the network.

Without a font for mathematics they set them badly, and not every device has one. The site has those
characters of STIX Two Math, as ziamath ships it, that formulas are made of.
"""

from html import escape
from importlib.resources import as_file, files
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from fontTools import subset
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

# Latin and Greek, upright and italic; punctuation, letterlike symbols, arrows and operators.
BLOCKS = (
    (0x20, 0xFF),
    (0x300, 0x3FF),
    (0x2000, 0x206F),
    (0x2100, 0x22FF),
    (0x1D434, 0x1D467),
    (0x1D6E2, 0x1D71B),
)


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
    translator.body.append(
        f'<div class="formula">{converted(node, as_block=True)}</div>\n'
    )
    raise nodes.SkipNode


def write_font(app: Sphinx, exception: Exception | None) -> None:
    """Write the font that site.css names, a tenth of the whole one."""
    if exception or app.builder.format != "html":
        return
    options = subset.Options(
        flavor="woff",
        hinting=False,
        layout_features=["ssty"],
        name_IDs=["*"],
        drop_tables=["DSIG"],
    )
    subsetter = subset.Subsetter(options)
    subsetter.populate(
        unicodes=[code for low, high in BLOCKS for code in range(low, high + 1)]
    )
    with as_file(files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf") as path:
        font = subset.load_font(path, options)
        subsetter.subset(font)
        subset.save_font(font, Path(app.outdir, "_static", "formulas.woff"), options)


def setup(app: Sphinx) -> dict[str, bool]:
    """Make this the way of HTML pages to show formulas."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("build-finished", write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
