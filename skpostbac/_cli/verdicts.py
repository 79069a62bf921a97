"""Verdicts of an imperfect judge: the shares of positives, and their differences."""

from __future__ import annotations

import warnings
from argparse import Namespace
from itertools import combinations
from operator import itemgetter

import numpy as np

from skpostbac._cli.reading import InputError
from skpostbac._cli.sections import (
    Answer,
    Record,
    Section,
    difference_sections,
    format_estimate,
    make_document,
    percent,
    ranked,
)
from skpostbac._cli.table import InputTable
from skpostbac.metrics import JudgeWarning, posterior_prevalence
from skpostbac.stats._distribution import figures_of


def answer_verdicts(table: InputTable, args: Namespace) -> Answer:
    """Describe the prevalences of systems that an imperfect judge has judged.

    Raises
    ------
    InputError
        If a column has more than one verdict beside the positive one.
    """
    posteriors = {}
    prevalences: list[Record] = []
    notes = []
    for name in table.predictions:
        verdicts = table.column(name)
        if len(set(verdicts) - {args.positive}) > 1:
            shown = ", ".join(map(repr, sorted(set(verdicts))[:3]))
            raise InputError(
                f"column {name!r} may contain only {args.positive!r} and one other "
                f"verdict, got {shown}; select the columns of verdicts with "
                "--classifier"
            )
        positives = int(np.dot(verdicts == args.positive, table.counts))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", JudgeWarning)
            posterior = posterior_prevalence(
                positives,
                table.n_rows,
                sensitivity=args.sensitivity,
                specificity=args.specificity,
                prior=args.prior,
            )
        notes += [f"{name}: {one.message}." for one in caught]
        posteriors[name] = posterior
        record = {
            "name": name,
            "positives": positives,
            "total": table.n_rows,
            **posterior.summary(args.level),
            "prob_outside": posterior.prob_below_zero + posterior.prob_above_one,
        }
        prevalences.append(record)
    prevalences.sort(key=itemgetter("mean"), reverse=True)
    differences = []
    for first, second in combinations(map(itemgetter("name"), prevalences), 2):
        difference = posteriors[first].difference(posteriors[second])
        record = {
            "first": first,
            "second": second,
            **difference.summary(args.level),
            "prob_greater": difference.prob_above(0.0),
        }
        differences.append(record)
    ranking = [
        {**one, "verdicts": f"{one['positives']}/{one['total']}"}
        for one in ranked(prevalences)
    ]
    columns = {
        "system": "label",
        "positive verdicts": "verdicts",
        "mean": "mean",
        "median": "median",
        f"{percent(args.level)} CI": "interval",
        "P(<0 or >1)": "prob_outside",
    }
    title = "Posterior of the share of positives, corrected for the errors of the judge"
    sections = [Section(title, columns, ranking, notes)]
    title = "Difference in the share of positives, if the judge errs equally on both"
    sections += difference_sections(title, differences, ranking, args)
    judge = next(iter(posteriors.values())).judge_informedness
    informedness = figures_of(judge, args.level)
    facts = {
        "Verdicts": f"{table.n_rows} rows of {table.source}; positive: {args.positive}",
        "Judge": "sensitivity {} of {}, specificity {} of {}; informedness ".format(
            *args.sensitivity, *args.specificity
        )
        + format_estimate(informedness),
    }
    document = make_document(
        args,
        {"source": table.source, "n_samples": table.n_rows},
        informedness=informedness,
        prevalences=prevalences,
        differences=differences,
        notes=notes,
    )
    return Answer(document, facts, sections)
