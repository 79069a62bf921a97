"""Right and wrong answers (``--correct``): how many items each system gets right."""

from __future__ import annotations

import warnings
from argparse import Namespace

import numpy as np

from skpostbac._cli.answer import Answer
from skpostbac._cli.evaluation import Evaluation, check_baseline
from skpostbac._cli.labels import (
    answer_evaluation,
    describe_size,
    list_left_out,
    name_prior,
)
from skpostbac._cli.table import RIGHT, InputTable
from skpostbac.metrics import (
    GroupsWarning,
    PosteriorBalancedAccuracy,
    PriorInfluenceWarning,
)
from skpostbac.metrics._counts import count_outcomes
from skpostbac.metrics._labels import NO_LABELS, read_outcomes
from skpostbac.model_selection import compare_outcomes
from skpostbac.model_selection._pooling import accuracy_of


def answer_outcomes(table: InputTable, args: Namespace) -> Answer:
    """Evaluate and compare the systems of a table."""
    check_baseline(table, args.baseline)
    answer = answer_evaluation(_evaluate(table, args), table, args, "system")
    why = "they are not right or wrong"
    answer.facts = {
        "Answers": f"{table.source}{list_left_out(answer.data, why)}",
        "Items": describe_size(answer.data, args.groups),
        "Prior": name_prior(args.prior),
    }
    return answer


def _evaluate(table: InputTable, args: Namespace) -> Evaluation:
    """Return the posteriors of the accuracies, best first, and their comparison."""
    outcomes = {
        name: np.array([cell.strip().lower() in RIGHT for cell in table.column(name)])
        for name in table.predictions
    }
    groups = table.column(args.groups)
    counts = {
        name: count_outcomes(
            read_outcomes(NO_LABELS, {name: right}, table.counts, groups=groups)
        )
        for name, right in outcomes.items()
    }
    margins = {
        name: PosteriorBalancedAccuracy(one, prior=args.prior)
        for name, one in counts.items()
    }
    comparison = None
    ranking = list(outcomes)
    if len(outcomes) > 1:
        with warnings.catch_warnings():
            # The answer has its own notes on these.
            for category in (PriorInfluenceWarning, GroupsWarning):
                warnings.simplefilter("ignore", category)
            comparison = compare_outcomes(
                outcomes,
                rope=args.rope,
                sample_weight=table.counts,
                groups=groups,
                prior=args.prior,
            )
        ranking = list(comparison.ranking())
    return Evaluation(
        {name: margins[name] for name in ranking},
        {name: accuracy_of(counts[name], margins[name]) for name in ranking},
        comparison,
    )
