"""The document as one self-contained HTML page: no scripts, fonts or links."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence

import joblib
import numpy as np
import scipy
import sklearn

from skpostbac._cli._evaluation import Evaluation, report
from skpostbac._cli._figures import page_figures
from skpostbac._cli._sections import Record, Section, describe_data, describe_failed, make_sections
from skpostbac._utils import escape
from skpostbac.metrics._priors import SHARED_PRIORS

# The browser blocks all other content, should a label ever get past the escaping.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

# Colours follow the system's dark or light theme, and are light on paper. Plots follow, too: the
# colours that matplotlib writes are replaced. Nothing scrolls sideways: long text breaks, and on a
# narrow screen each row of a table with many columns becomes a list.
STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8881; --blue: #0072b2; --orange: #c04f00;
  --gray: #6b6b6b; }
@media screen and (prefers-color-scheme: dark) { :root { --blue: #56b4e9; --orange: #ff9d5c;
  --gray: #a0a0a0; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; break-after: avoid; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt { color: var(--gray); }
dd { margin: 0; }
.lead { border-left: 4px solid var(--blue); background: var(--soft); padding: .6rem 1rem; }
.lead p { margin: .3rem 0; }
.lead p:first-child { font-size: 1.15rem; font-weight: 600; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; line-height: 1.35; }
table + table { margin-top: 1.2rem; }
tr, .whole { break-inside: avoid; }
th, td { padding: .25rem .55rem; text-align: right; }
th { border-bottom: 2px solid var(--line); font-weight: 600; vertical-align: bottom;
  overflow-wrap: normal; }
td { border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
th:first-child { width: 40%; }
th:last-child, td:last-child { padding-right: 0; }
td:first-child { white-space: normal; min-width: 6rem; }
figure { margin: 1.5rem 0 0; break-inside: avoid; }
figure svg { display: block; max-width: 100%; height: auto; fill: currentColor; }
figure .narrow { display: none; }
figcaption, .note, footer { font-size: .9rem; color: var(--gray); }
footer { margin-top: 3rem; border-top: 1px solid var(--line); }
svg [style*="fill: #ffffff"] { fill: Canvas !important; }
svg [style*="fill: #0072b2"] { fill: var(--blue) !important; }
svg [style*="fill: #d55e00"] { fill: var(--orange) !important; }
svg [style*="fill: #767676"] { fill: var(--gray) !important; }
svg [style*="stroke: #000000"] { stroke: currentColor !important; }
svg [style*="stroke: #ffffff"] { stroke: Canvas !important; }
svg [style*="stroke: #0072b2"] { stroke: var(--blue) !important; }
svg [style*="stroke: #d55e00"] { stroke: var(--orange) !important; }
svg [style*="stroke: #767676"] { stroke: var(--gray) !important; }
@media screen and (max-width: 40rem) {
  body { margin: 1rem auto; }
  th, td { padding: .25rem .2rem; }
  table { font-size: .85rem; }
  td:first-child { min-width: 4rem; }
  figure .wide { display: none; }
  figure .narrow { display: block; }
  .many, .many tbody, .many tr { display: block; }
  .many thead { display: none; }
  .many tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .many td { display: flex; justify-content: space-between; gap: 1rem; border: 0;
    padding: .05rem 0; }
  .many td:first-child { font-weight: 600; }
  .many td + td::before { content: attr(data-label); color: var(--gray); white-space: normal; }
}
@page { margin: 16mm 14mm; }
@media print {
  :root { color-scheme: light; font-size: 10pt; }
  body { max-width: none; margin: 0; padding: 0; }
  p { orphans: 3; widows: 3; }
  figure svg { width: auto; max-height: 22cm; }
}
"""
# Columns that fit a narrow screen.
FEW_COLUMNS = 5
# Maximum rows of a table that is kept on one sheet of paper.
MOST_ROWS = 10

INDEPENDENT = "The recall of each class has a Beta prior, so its posterior is a Beta distribution."
METHOD = (
    "The balanced accuracy is their average over the classes; its posterior distribution is "
    "computed without sampling (Brodersen et al. 2010, The balanced accuracy and its posterior "
    "distribution; Carrillo et al. 2013, Probabilistic performance evaluation for multiclass "
    "classification using the posterior balanced accuracy). An interval contains the score with "
    "the stated probability, given the prior and provided that the samples of each class are "
    "random. The score exceeds the lower bound with that probability. P(>chance) is the "
    "probability of a score above the chance level."
)
COMPARISON = (
    "The comparison of two classifiers uses how often, in each class, both, only the first, only "
    "the second or neither of them is right."
)
INDEPENDENT_COMPARISON = (
    "The probabilities of these four outcomes have a Dirichlet prior, under which each classifier "
    "has the same prior as on its own. The distribution of the difference is computed without "
    "sampling; ranks of more than two classifiers are estimated from random draws."
)
SHARED_COMPARISON = (
    "The hierarchical prior applies to how often exactly one of them is right, and to which one "
    "that is. The mean of the difference is exact. Its interval and the probabilities of a pair "
    "are estimated from random draws, to about .001, and the ranks of more than two classifiers "
    "to a few hundredths."
)


def render_page(document: Record, evaluation: Evaluation) -> str:
    """Render the results as an HTML page.

    Parameters
    ----------
    document : dict
        What `make_document` returns.
    evaluation : Evaluation
        The evaluation that the document describes, for the plots and the report.

    Returns
    -------
    page : str
        HTML.
    """
    source, score = document["data"]["source"], document["data"]["score"]
    sections = make_sections(document)
    # The result comes first, and the ranking before the details.
    body = [
        f"<h1>Posterior {score}</h1>",
        _lead([*_failure(document), *report(evaluation)]),
        _facts(describe_data(document)),
        *map(_figure, page_figures(evaluation).items()),
        *map(_section, reversed(sections)),
        f'<h2>Method</h2><p class="note">{escape(" ".join(_method(document)))}</p>',
        f"<footer><p>{escape(', '.join(_versions(document)))}</p></footer>",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Posterior {score}: {escape(source)}</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _failure(document: Record) -> list[str]:
    """Say what the exit status says, which a page kept by a build would be without."""
    return [f"Failed: {describe_failed(document)}."] if document["failed"] else []


def _method(document: Record) -> list[str]:
    """Explain how the numbers were computed."""
    prior = document["settings"]["prior"]
    is_shared = isinstance(prior, str) and prior in SHARED_PRIORS
    parts = [SHARED_PRIORS[prior].explanation if is_shared else INDEPENDENT, METHOD]
    how = SHARED_COMPARISON if is_shared else INDEPENDENT_COMPARISON
    return [*parts, COMPARISON, how] if document["comparison"] else parts


def _facts(facts: Mapping[str, str]) -> str:
    rows = (f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in facts.items())
    return f"<dl>{''.join(rows)}</dl>"


def _lead(lines: Iterable[str]) -> str:
    return f'<div class="lead">{"".join(f"<p>{escape(line)}</p>" for line in lines)}</div>'


def _figure(captioned: tuple[str, tuple[str, str]]) -> str:
    caption, (wide, narrow) = captioned
    return (
        f'<figure><div class="wide">{wide}</div><div class="narrow">{narrow}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _section(section: Section) -> str:
    tables = "".join(_table(header, rows) for header, *rows in section.blocks())
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in section.notes)
    whole = ' class="whole"' if len(section.rows) <= MOST_ROWS else ""
    return f"<section{whole}><h2>{escape(section.title)}</h2>{tables}{notes}</section>"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    labels = [escape(cell) for cell in header]
    head = "".join(f'<th scope="col">{label}</th>' for label in labels)
    body = "".join(f"<tr>{_cells(labels, row)}</tr>" for row in rows)
    many = ' class="many"' if len(header) > FEW_COLUMNS else ""
    return f"<table{many}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cells(labels: Iterable[str], row: Iterable[str]) -> str:
    """Render cells with their labels, which narrow screens show beside them."""
    return "".join(
        f'<td data-label="{label}">{escape(cell)}</td>'
        for label, cell in zip(labels, row, strict=True)
    )


def _versions(document: Record) -> list[str]:
    packages = {"NumPy": np, "SciPy": scipy, "scikit-learn": sklearn, "joblib": joblib}
    return [
        f"skpostbac {document['version']}",
        f"Python {platform.python_version()}",
        *(f"{name} {package.__version__}" for name, package in packages.items()),
    ]
