"""The document as a page of HTML that needs nothing but itself: no scripts, no fonts, no links."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping

import joblib
import numpy as np
import scipy
import sklearn

from skpostbac._cli._evaluation import Evaluation, report
from skpostbac._cli._figures import page_figures
from skpostbac._cli._sections import Record, Section, describe_data, make_sections
from skpostbac._utils import escape
from skpostbac.metrics._priors import SHARED_PRIORS

# The browser refuses whatever is not part of the page, should any label get past the escaping.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

# Colours from the system's dark or light theme; pictures stand on white in both.
STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8881; --accent: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --accent: #56b4e9; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin: 0; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }
.lead { border-left: 4px solid var(--accent); background: var(--soft); padding: .6rem 1rem; }
.lead p { margin: .3rem 0; }
.lead p:first-child { font-size: 1.1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid var(--line); font-weight: 600; }
td { border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
figure { margin: 1.5rem 0 0; }
figure svg { display: block; background: #fff; border-radius: 6px; max-width: 100%; height: auto; }
figcaption, .note, footer { font-size: .9rem; opacity: .8; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); }
"""

INDEPENDENT = (
    "The accuracy on each class has a Beta prior, so that after the data it is Beta distributed."
)
METHOD = (
    "The balanced accuracy is the average over the classes, and its posterior distribution is "
    "computed without sampling (Brodersen et al. 2010, The balanced accuracy and its posterior "
    "distribution; Carrillo et al. 2013, Probabilistic performance evaluation for multiclass "
    "classification using the posterior balanced accuracy). An interval holds the score "
    "with the stated probability, given the prior, and given that the samples are a random sample "
    "of each class. The lower bound is exceeded with that probability. P(>chance) is the "
    "probability of being better than guessing."
)
COMPARISON = (
    "Two classifiers on the same samples are compared by how often both, one and none of them are "
    "right in each class."
)
INDEPENDENT_COMPARISON = (
    "The probabilities of these four outcomes have a Dirichlet prior, which gives each classifier "
    "the prior that it has alone. The distribution of the difference is computed without sampling; "
    "the ranks of more than two are estimated from random draws."
)
SHARED_COMPARISON = (
    "How often just one of them is right, and which one then, has the hierarchical prior. The mean "
    "of the difference is exact; its interval and the probabilities of a pair are estimated from "
    "random draws, to about .001; the ranks of more than two classifiers to some hundredths."
)


def render_page(document: Record, evaluation: Evaluation) -> str:
    """Write all that is known of the classifiers as a page.

    Parameters
    ----------
    document : dict
        What `make_document` returns.
    evaluation : Evaluation
        What the document describes, for the pictures and the sentences.

    Returns
    -------
    page : str
        HTML.
    """
    source = document["data"]["source"]
    sections = make_sections(document)
    # The standings first: they are what a reader has come for.
    body = [
        "<h1>Posterior balanced accuracy</h1>",
        _facts(describe_data(document)),
        _lead(report(evaluation)),
        *map(_figure, page_figures(evaluation).items()),
        *map(_section, reversed(sections)),
        f'<h2>Method</h2><p class="note">{escape(" ".join(_method(document)))}</p>',
        f"<footer><p>{escape(', '.join(_versions(document)))}</p></footer>",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Posterior balanced accuracy: {escape(source)}</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _method(document: Record) -> list[str]:
    """Say how the numbers were computed."""
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


def _figure(captioned: tuple[str, str]) -> str:
    caption, svg = captioned
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def _section(section: Section) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in section.header)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in section.rows
    )
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in section.notes)
    return (
        f'<h2>{escape(section.title)}</h2><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{notes}"
    )


def _versions(document: Record) -> list[str]:
    packages = {"NumPy": np, "SciPy": scipy, "scikit-learn": sklearn, "joblib": joblib}
    return [
        f"skpostbac {document['version']}",
        f"Python {platform.python_version()}",
        *(f"{name} {package.__version__}" for name, package in packages.items()),
    ]
