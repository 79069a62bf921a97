"""How the results look in a browser: one page that needs no scripts, fonts or links."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from importlib.resources import files
from string import Template

from skpostbac._cli.plots import Picture, page_plots
from skpostbac._cli.results import Evaluation, Record, first_of
from skpostbac._cli.text import Section, describe_data, describe_failures, make_sections
from skpostbac._utils import escape, unwrap
from skpostbac.metrics._prior import (
    BetaPrior,
)

# Columns that fit a narrow screen.
FEW_COLUMNS = 5
# Maximum rows of a table that is kept on one sheet of paper.
MOST_ROWS = 10
# Number of classifiers in the report, best first.
SENTENCES = 3

METHOD = (
    "The balanced accuracy is their average over the classes; its posterior "
    "distribution is computed without sampling (Brodersen et al. 2010, The balanced "
    "accuracy and its posterior distribution; Carrillo et al. 2013, Probabilistic "
    "performance evaluation for multiclass classification using the posterior balanced "
    "accuracy). An interval contains the score with the stated probability, given the "
    "prior and provided that the samples of each class are random. The score exceeds "
    "the lower bound with at least that probability. The p-value is that of the test "
    "against guessing at any rates."
)
OTHER_METRIC = (
    "The cells of true and predicted classes have a Dirichlet distribution, from which "
    "the metric follows, exactly or by random draws. Classifiers are compared by the "
    "joint counts of the true class and all predictions."
)
COMPARISON = (
    "The comparison of two classifiers uses how often, in each class, both, only the "
    "first, only the second or neither of them is right. P(>0) is the probability of a "
    "positive difference."
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
    # What the exit status says, which a page kept by a build would be without.
    lead = "".join(
        f'<p class="failed">Failed: {escape(line)}.</p>'
        for line in describe_failures(document)
    )
    results, caveats = _report(evaluation)
    lead += "".join(f"<p>{escape(line)}</p>" for line in results)
    lead += "".join(f'<p class="note">{escape(line)}</p>' for line in caveats)
    facts = (
        f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>"
        for key, value in describe_data(document).items()
    )
    sections = [
        _section(one, evaluation.settings.all_pairs) for one in make_sections(document)
    ]
    n_before = 1 if document["ranking"] else 0  # sections before the plots
    versions = [
        f"skpostbac {document['version']}",
        f"Python {platform.python_version()}",
    ]
    versions += [
        f"{name} {version(name)}"
        for name in ("NumPy", "SciPy", "scikit-learn", "joblib")
    ]
    # The result comes first, the ranking before the details, and what is long is
    # folded. Content from elsewhere is blocked, should a label ever get past the
    # escaping. Colours follow the system's dark or light theme, and are light on paper.
    # Plots follow, too: the colours that matplotlib writes are replaced. Nothing
    # scrolls sideways: long text breaks, and on a narrow screen each row of a table
    # with many columns becomes a list.
    template = files("skpostbac._cli").joinpath("page.html").read_text("utf-8")
    return Template(template).substitute(
        score=escape(document["data"]["score"]),
        source=escape(document["data"]["source"]),
        lead=lead,
        facts="".join(facts),
        figures="\n".join(map(_figure, page_plots(evaluation))),
        ranking="".join(sections[:n_before]),
        sections="\n".join(sections[n_before:]),
        method=escape(" ".join(_method(evaluation))),
        versions=escape(", ".join(versions)),
    )


def _report(evaluation: Evaluation) -> tuple[list[str], list[str]]:
    """Return the report as sentences: the results, and what to know about them."""
    level = evaluation.settings.level
    number = len(evaluation.posteriors)
    if evaluation.comparison is None:
        (posterior,) = evaluation.scores.values()
        lines = unwrap(posterior.report(level))
    else:
        lines = unwrap(evaluation.comparison.report(level))
    results = lines[:number]
    caveats = lines[number:]
    if number > SENTENCES:
        results[SENTENCES:] = [f"Showing the best {SENTENCES} of {number} classifiers."]
    if evaluation.selected is not None:
        results += unwrap(evaluation.selected.report(level))
    if evaluation.subgroups is not None:
        best = evaluation.ranking[0]
        first, *others = unwrap(evaluation.subgroups[best].report(level))
        results += [f"{best}, by {evaluation.settings.by}: {first}", *others[:2]]
    return results, caveats


def _method(evaluation: Evaluation) -> list[str]:
    """Explain how the numbers were computed."""
    if evaluation.settings.metric != "balanced_accuracy":
        return [BetaPrior.explanation, OTHER_METRIC]
    prior = first_of(evaluation.posteriors).prior
    parts = [prior.explanation, METHOD]
    if evaluation.comparison is not None:
        parts += [COMPARISON, prior.pair_method]
    return parts


def _figure(picture: Picture) -> str:
    figure = (
        f'<figure><div class="wide">{picture.wide}</div>'
        f'<div class="narrow">{picture.narrow}</div>'
        f"<figcaption>{escape(picture.caption)}</figcaption></figure>"
    )
    return _fold(picture.caption, figure) if picture.is_folded else figure


def _section(section: Section, is_open: bool) -> str:
    tables = "".join(_table(header, rows) for header, *rows in section.blocks())
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in section.notes)
    if section.is_folded:
        return _fold(section.title, tables + notes, is_open)
    whole = ' class="whole"' if len(section.values) <= MOST_ROWS else ""
    return f"<section{whole}><h2>{escape(section.title)}</h2>{tables}{notes}</section>"


def _fold(title: str, content: str, is_open: bool = False) -> str:
    """Return an element that a click opens."""
    state = " open" if is_open else ""
    return f"<details{state}><summary>{escape(title)}</summary>{content}</details>"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Render a table; narrow screens show the label of each cell beside it."""
    labels = [escape(cell) for cell in header]
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
