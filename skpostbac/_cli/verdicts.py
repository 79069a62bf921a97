"""Verdicts of an imperfect judge: the shares of positives, and their differences."""

from __future__ import annotations

import warnings
from argparse import Namespace
from itertools import combinations
from operator import itemgetter

import numpy as np

from skpostbac._cli.answer import (
    Answer,
    describe,
    describe_best,
    format_estimate,
    ranked,
)
from skpostbac._cli.reading import InputError
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
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", JudgeWarning)
            posteriors[name] = posterior_prevalence(
                int(np.dot(verdicts == args.positive, table.counts)),
                table.n_rows,
                sensitivity=args.sensitivity,
                specificity=args.specificity,
                prior=args.prior,
            )
        notes += [f"{name}: {one.message}." for one in caught]
    if len(posteriors) > 1:
        notes.append("Differences assume that the judge errs equally on all systems.")
    prevalences, _ = describe(posteriors, None, args.level)
    prevalences.sort(key=itemgetter("mean"), reverse=True)
    differences = [
        {"first": first, "second": second}
        | posteriors[first].difference(posteriors[second]).summary(args.level)
        for first, second in combinations(map(itemgetter("name"), prevalences), 2)
    ]
    judge = next(iter(posteriors.values())).judge_informedness
    informedness = figures_of(judge, args.level)
    facts = {
        "Verdicts": f"{table.n_rows} rows of {table.source}; positive: {args.positive}",
        "Judge": (
            "sensitivity {} of {}, specificity {} of {}; sensitivity + specificity - 1 "
            "is {}"
        ).format(*args.sensitivity, *args.specificity, format_estimate(informedness)),
    }
    answer = Answer(
        args,
        {"source": table.source, "n_samples": table.n_rows},
        facts,
        {
            "informedness": informedness,
            "prevalences": prevalences,
            "differences": differences,
            "notes": notes,
        },
        lead=[describe_best(posteriors, args.level)],
    )
    title = "Posterior of the share of positives, corrected for the errors of the judge"
    columns = "positives mean interval prob_outside"
    ranking = ranked(prevalences)
    impossible = (
        "P(impossible): the probability of shares below 0 or above 1, which the "
        "posterior leaves out."
    )
    answer.add(title, "system", columns, ranking, [*notes, impossible])
    if differences:
        title = "Difference in the share of positives"
        answer.add_differences(title, differences, ranking)
    return answer
