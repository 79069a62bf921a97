"""Verdicts of an imperfect judge: the prevalences (shares of positives) of the systems."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from skpostbac._cli._formats import InputError
from skpostbac._cli._sections import Record, describe_judge, judged_sections
from skpostbac._cli._table import Columns
from skpostbac._cli._text import render_parts
from skpostbac._version import __version__
from skpostbac.metrics import JudgeWarning, PosteriorPrevalence, posterior_prevalence
from skpostbac.stats._distribution import interval_of


@dataclass(frozen=True)
class Judge:
    """Sensitivity and specificity counts of the judge, and the positive verdict."""

    sensitivity: tuple[int, int]
    specificity: tuple[int, int]
    positive: str


def judge_document(
    columns: Columns, judge: Judge, prior: str | Sequence[float], level: float
) -> Record:
    """Describe the prevalences of the judged systems, with numbers, strings and None only.

    Raises
    ------
    InputError
        If a column has more than one verdict beside the positive one.
    """
    found = {
        name: _measure(columns, place, judge, prior) for place, name in enumerate(columns.names)
    }
    first, _ = next(iter(found.values()))
    informedness = first.judge_informedness
    low, high = interval_of(informedness, level)
    return {
        "version": __version__,
        "data": {
            "source": columns.source,
            "n_samples": columns.rows.total(),
            "positive": judge.positive,
        },
        "settings": {"prior": prior if isinstance(prior, str) else list(prior), "level": level},
        "judge": {
            "sensitivity": list(judge.sensitivity),
            "specificity": list(judge.specificity),
            "informedness": {"mean": informedness.mean(), "low": low, "high": high},
        },
        "prevalences": [
            _describe(name, posterior, note, level) for name, (posterior, note) in found.items()
        ],
        "differences": _differences({name: found[name][0] for name in found}, level),
    }


def _measure(
    columns: Columns, place: int, judge: Judge, prior: Any
) -> tuple[PosteriorPrevalence, str | None]:
    """Return the posterior of a system, and its warning, if any."""
    name, verdicts = columns.names[place], {row[place] for row in columns.rows}
    if len(verdicts - {judge.positive}) > 1:
        shown = ", ".join(map(repr, sorted(verdicts)[:3]))
        raise InputError(
            f"column {name!r} may contain only {judge.positive!r} and one other verdict, got "
            f"{shown}; select the columns of verdicts with --classifier"
        )
    positives = sum(n for row, n in columns.rows.items() if row[place] == judge.positive)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", JudgeWarning)
        posterior = posterior_prevalence(
            positives,
            columns.rows.total(),
            sensitivity=judge.sensitivity,
            specificity=judge.specificity,
            prior=prior,
        )
    notes = [str(one.message) for one in caught if one.category is JudgeWarning]
    return posterior, notes[0] if notes else None


def _describe(name: str, posterior: PosteriorPrevalence, note: str | None, level: float) -> Record:
    low, high = posterior.credible_interval(level)
    return {
        "name": name,
        "positives": int(posterior.positives),
        "total": int(posterior.total),
        "mean": posterior.mean(),
        "median": posterior.median(),
        "low": low,
        "high": high,
        "outside": posterior.prob_below_zero + posterior.prob_above_one,
        "note": note,
    }


def _differences(posteriors: dict[str, PosteriorPrevalence], level: float) -> list[Record]:
    """Compare each pair of systems under the same judge, better one first."""
    best_first = sorted(posteriors, key=lambda name: posteriors[name].mean(), reverse=True)
    records = []
    for first, second in combinations(best_first, 2):
        difference = posteriors[first].difference(posteriors[second])
        low, high = difference.credible_interval(level)
        records.append(
            {
                "first": first,
                "second": second,
                "mean": difference.mean(),
                "low": low,
                "high": high,
                "prob_greater": float(difference.prob_above(0.0)),
            }
        )
    return records


def render_judged(document: Record) -> str:
    """Render the document as text."""
    return render_parts(describe_judge(document), judged_sections(document))
