"""How the results look in a browser: one page that needs no scripts, fonts or links.

Content from elsewhere is blocked, should a label ever get past the escaping. Colours
follow the system's dark or light theme, and are light on paper; plots follow, too: the
colours that matplotlib writes are replaced. Nothing scrolls sideways: long text breaks,
and on a narrow screen each row of a table with many columns becomes a list.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.resources import files
from string import Template

from skpostbac import __version__
from skpostbac._cli.answer import Answer, Section
from skpostbac._cli.plots import NARROW_INCHES, WIDE_INCHES, Plot
from skpostbac._utils import escape, table, unwrap


def render_page(answer: Answer) -> str:
    """Render the results of predicted labels as an HTML page."""
    # What the exit status says, which a page kept by a build would be without.
    verdicts = [
        _paragraphs([f"{line[:1].upper()}{line[1:]}."], line.partition(":")[0])
        for line in answer.verdicts
    ]
    facts = (
        f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>"
        for key, value in answer.facts.items()
    )
    # The first table comes before the plots.
    first, *others = (_section(answer, one) for one in answer.sections)
    ((best, method),) = answer.method.items()
    template = files("skpostbac._cli").joinpath("page.html").read_text("utf-8")
    return Template(template).substitute(
        score=escape(answer.data["score"]),
        source=escape(answer.data["source"]),
        lead="".join([*verdicts, _paragraphs(answer.lead, "result")]),
        facts="".join(facts),
        figures="\n".join(map(_figure, answer.plots)),
        ranking=first,
        sections="\n".join(others),
        best=escape(best),
        method=_paragraphs(unwrap(method), "note"),
        versions=f"skpostbac {__version__}, Python {platform.python_version()}",
    )


def _paragraphs(lines: Iterable[str], kind: str) -> str:
    return "".join(f'<p class="{kind}">{escape(line)}</p>' for line in lines)


def _figure(plot: Plot) -> str:
    caption = f"<figcaption>{escape(plot.caption)}</figcaption>"
    wide = f'<div class="wide">{plot.svg(WIDE_INCHES)}</div>'
    narrow = f'<div class="narrow">{plot.svg(NARROW_INCHES)}</div>'
    return f"<figure>{wide}{narrow}{caption}</figure>"


def _section(answer: Answer, section: Section) -> str:
    header, *rows = section.cells(answer.args)
    content = table(header, rows) + _paragraphs(section.notes, "note")
    return f"<section><h2>{escape(section.title)}</h2>{content}</section>"
