"""How the results look in a browser: one page that needs no scripts, fonts or links.

Content from elsewhere is blocked, should a label ever get past the escaping. Colours
follow the system's dark or light theme, and are light on paper; plots follow, too: the
colours that matplotlib writes are replaced. Nothing scrolls sideways: long text breaks,
and on a narrow screen each row of a table with many columns becomes a list.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from importlib.resources import files
from string import Template

from skpostbac import __version__
from skpostbac._cli.answer import Answer, Section
from skpostbac._cli.plots import NARROW_INCHES, WIDE_INCHES, Plot
from skpostbac._utils import escape, unwrap

# Columns that fit a narrow screen.
FEW_COLUMNS = 5
# Maximum rows of a table that is kept on one sheet of paper.
MOST_ROWS = 10


def render_page(answer: Answer) -> str:
    """Render the results of predicted labels as an HTML page."""
    # What the exit status says, which a page kept by a build would be without.
    verdicts = [f"{line[:1].upper()}{line[1:]}." for line in answer.verdicts]
    facts = (
        f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>"
        for key, value in answer.facts.items()
    )
    # The first table comes before the plots, and what is long is folded.
    first, *others = (_section(answer, one) for one in answer.sections)
    ((best, method),) = answer.method.items()
    libraries = ("NumPy", "SciPy", "scikit-learn", "joblib")
    versions = [
        f"skpostbac {__version__}",
        f"Python {platform.python_version()}",
        *(f"{name} {version(name)}" for name in libraries),
    ]
    template = files("skpostbac._cli").joinpath("page.html").read_text("utf-8")
    return Template(template).substitute(
        score=escape(answer.data["score"]),
        source=escape(answer.data["source"]),
        lead=_paragraphs(verdicts, "failed") + _paragraphs(answer.lead, "result"),
        facts="".join(facts),
        figures="\n".join(map(_figure, answer.plots)),
        ranking=first,
        sections="\n".join(others),
        best=escape(best),
        method=_paragraphs(unwrap(method), "note"),
        versions=escape(", ".join(versions)),
    )


def _paragraphs(lines: Iterable[str], kind: str) -> str:
    return "".join(f'<p class="{kind}">{escape(line)}</p>' for line in lines)


def _figure(plot: Plot) -> str:
    caption = f"<figcaption>{escape(plot.caption)}</figcaption>"
    wide = f'<div class="wide">{plot.svg(WIDE_INCHES)}</div>'
    narrow = f'<div class="narrow">{plot.svg(NARROW_INCHES)}</div>'
    figure = f"<figure>{wide}{narrow}{caption}</figure>"
    return _fold(plot.caption, figure) if plot.is_folded else figure


def _section(answer: Answer, section: Section) -> str:
    content = _table(*section.cells(answer.args)) + _paragraphs(section.notes, "note")
    if section.is_folded:
        return _fold(section.title, content, answer.args.all_pairs)
    whole = ' class="whole"' if len(section.records) <= MOST_ROWS else ""
    return f"<section{whole}><h2>{escape(section.title)}</h2>{content}</section>"


def _fold(title: str, content: str, is_open: bool = False) -> str:
    """Return an element that a click opens."""
    state = " open" if is_open else ""
    return f"<details{state}><summary>{escape(title)}</summary>{content}</details>"


def _table(header: Sequence[str], *rows: Sequence[str]) -> str:
    """Render a table; narrow screens show the label of each cell beside it."""
    labels = list(map(escape, header))
    head = "".join(f'<th scope="col">{label}</th>' for label in labels)
    body = ""
    for row in rows:
        cells = (
            f'<td data-label="{label}">{escape(cell)}</td>'
            for label, cell in zip(labels, row, strict=True)
        )
        body += f"<tr>{''.join(cells)}</tr>"
    many = ' class="many"' if len(header) > FEW_COLUMNS else ""
    return f"<table{many}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
