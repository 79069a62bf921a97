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
from skpostbac._cli.evaluation import Evaluation
from skpostbac._cli.plots import NARROW_INCHES, WIDE_INCHES, Plot, make_plots
from skpostbac._cli.sections import Answer, Section
from skpostbac._utils import escape, unwrap

# Columns that fit a narrow screen.
FEW_COLUMNS = 5
# Maximum rows of a table that is kept on one sheet of paper.
MOST_ROWS = 10
# Number of classifiers in the report, best first.
SENTENCES = 3


def render_page(answer: Answer) -> str:
    """Render the results as an HTML page.

    Parameters
    ----------
    answer : Answer
        The results of predicted labels.

    Returns
    -------
    page : str
        HTML.
    """
    evaluation: Evaluation = answer.evaluation
    level = evaluation.args.level
    # What the exit status says, which a page kept by a build would be without.
    failures = [f"Failed: {line}." for line in answer.failures]
    facts = (
        f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>"
        for key, value in answer.facts.items()
    )
    # The ranking comes first, the plots before the details, and what is long is folded.
    sections = [_section(one, evaluation.args.all_pairs) for one in answer.sections]
    n_before = 0 if evaluation.comparison is None else 1
    libraries = ("NumPy", "SciPy", "scikit-learn", "joblib")
    versions = [
        f"skpostbac {__version__}",
        f"Python {platform.python_version()}",
        *(f"{name} {version(name)}" for name in libraries),
    ]
    template = files("skpostbac._cli").joinpath("page.html").read_text("utf-8")
    return Template(template).substitute(
        score=escape(evaluation.score_name),
        source=escape(evaluation.table.source),
        lead=_paragraphs(failures, "failed")
        + _paragraphs(_results(evaluation), "result"),
        facts="".join(facts),
        figures="\n".join(map(_figure, make_plots(evaluation))),
        ranking="".join(sections[:n_before]),
        sections="\n".join(sections[n_before:]),
        best=escape(evaluation.ranking[0]),
        method=_paragraphs(unwrap(evaluation.best.methods_text(level)), "note"),
        versions=escape(", ".join(versions)),
    )


def _results(evaluation: Evaluation) -> list[str]:
    """Return the results in sentences."""
    level = evaluation.args.level
    results = evaluation.results
    if (number := len(results)) > SENTENCES:
        results[SENTENCES:] = [f"Showing the best {SENTENCES} of {number} classifiers."]
    if evaluation.selected is not None:
        results += unwrap(evaluation.selected.report(level))
    for name in list(evaluation.subgroups)[:1]:
        first, *others = unwrap(evaluation.subgroups[name].report(level))
        results += [f"{name}, by {evaluation.args.by}: {first}", *others[:2]]
    return results


def _paragraphs(lines: Iterable[str], kind: str) -> str:
    return "".join(f'<p class="{kind}">{escape(line)}</p>' for line in lines)


def _figure(plot: Plot) -> str:
    caption = f"<figcaption>{escape(plot.caption)}</figcaption>"
    wide = f'<div class="wide">{plot.svg(WIDE_INCHES)}</div>'
    narrow = f'<div class="narrow">{plot.svg(NARROW_INCHES)}</div>'
    figure = f"<figure>{wide}{narrow}{caption}</figure>"
    return _fold(plot.caption, figure) if plot.is_folded else figure


def _section(section: Section, is_open: bool) -> str:
    content = _table(*section.cells()) + _paragraphs(section.notes, "note")
    if section.is_folded:
        return _fold(section.title, content, is_open)
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
