"""Gates: whether classifiers are good enough, for the exit status.

A gate asks that a score is above a goal, or that a classifier is better than a baseline
by more than the negative of a loss. A classifier passes if both its bounds are above
the goal, fails if both are below, and is undecided otherwise. The bounds are those of
one look, or with ``--anytime`` a confidence sequence.
"""

from __future__ import annotations

import warnings
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from skpostbac._cli.answer import Answer, percent
from skpostbac._cli.evaluation import Evaluation
from skpostbac._cli.reading import InputError
from skpostbac._cli.table import InputTable
from skpostbac._utils import finite_or_none, join_first
from skpostbac.stats._distribution import figures_of

# Name, mean and other figures, and bounds of what is judged.
Judged: TypeAlias = tuple[str, Mapping[str, float], tuple[float, float]]

# Exit status of verdicts; of several, the lowest counts that is not 0.
STATUSES = {"failed": 3, "undecided": 4, "passed": 0}
# Classifiers named in a line.
SHOWN = 5


def add_gates(answer: Answer, evaluation: Evaluation, table: InputTable) -> None:
    """Judge the classifiers (``--fail-below``, ``--baseline``).

    Raises
    ------
    InputError
        If ``--fail-below`` is given and lower scores are better; if ``--max-loss`` is
        at least 1, unless the score is a ratio without limits; or if ``--anytime`` has
        not exactly one verdict to find, or samples that occur more than once.
    """
    args = answer.args
    score = answer.data["score"]
    gate = answer.results["gate"] = []
    if args.fail_below is not None:
        if answer.data["less_is_better"]:
            raise InputError(
                f"--fail-below cannot be combined with --metric {args.metric}: lower "
                "is better"
            )
        scores = _scores(evaluation, args)
        _add_gate(answer, f"{score} above", args.fail_below, scores)
    if args.baseline is not None:
        if args.max_loss >= 1 and "likelihood ratio" not in score:
            loss = args.max_loss
            hint = f"; write {loss:g} % as {loss / 100:g}" * (loss < 100)
            raise InputError(
                f"--max-loss must be below 1 for the {score}, got {loss:g}{hint}"
            )
        what = f"improvement in {score} over {args.baseline} above"
        goal = 0 - args.max_loss  # not -0.0
        gains = _gains(evaluation, args)
        _add_gate(answer, what, goal, gains, is_difference=True)
    if gate and table.left_out:
        # Nobody would notice.
        what = "predictions" if table.truth else "outcomes"
        warnings.warn(
            f"not judged, as {table.why_left_out}: "
            f"{', '.join(map(repr, table.left_out))}; name columns of {what} with "
            "--classifier",
            stacklevel=2,
        )
    if args.anytime and len(gate) != 1:
        raise InputError(
            "--anytime needs one verdict, chosen before the first look: --fail-below "
            "with one --classifier, or --baseline with one other; here there are "
            f"{len(gate)}"
        )
    if args.anytime and args.id is not None and table.n_ids < table.n_rows:
        raise InputError(
            f"--anytime needs independent samples, but {table.n_rows} rows have only "
            f"{table.n_ids} different values in column {args.id!r}"
        )


def _scores(evaluation: Evaluation, args: Namespace) -> Iterator[Judged]:
    """Yield name, figures and bounds of each score."""
    level = args.level
    for name, score in evaluation.scores.items():
        bounds = score.lower_bound(level), score.upper_bound(level)
        if args.anytime:
            bounds = score.confidence_sequence(level)
        interval = score.credible_interval(level)
        yield name, figures_of(score.distribution, level, interval), bounds


def _gains(evaluation: Evaluation, args: Namespace) -> Iterator[Judged]:
    """Yield name, figures and bounds of each improvement over the baseline."""
    level = args.level
    comparison: Any = evaluation.comparison
    for name in evaluation.scores:
        if name == args.baseline:
            continue
        gain = comparison.difference(name, args.baseline)
        bounds = float(gain.iccdf(level)), float(gain.icdf(level))
        if args.anytime:
            bounds = comparison.confidence_sequence(name, args.baseline, level)
        yield name, figures_of(gain, level), bounds


def _add_gate(
    answer: Answer, what: str, goal: float, judged: Iterator[Judged], **how: Any
) -> None:
    """Add the verdicts on what is to be above a goal."""
    condition = f"{what} {goal:.12g}"
    records = []
    for name, figures, (lower, upper) in judged:
        verdict = "undecided"
        if lower > goal:
            verdict = "passed"
        elif upper < goal:
            verdict = "failed"
        bounds = {"lower": lower, "upper": upper, "verdict": verdict}
        records.append({"name": name, **finite_or_none(figures), **bounds})
    columns = "mean interval lower upper verdict"
    notes = [_explain(answer)]
    sign = "+" if how else ""
    shown = [
        {**one, **{key: _beside(goal, one[key], 3, sign) for key in ("lower", "upper")}}
        for one in records
    ]
    answer.add(f"Gate: {condition}", answer.tested, columns, shown, notes, **how)
    answer.results["gate"] += [{"condition": condition, **one} for one in records]

    for verdict, status in STATUSES.items():
        found = [
            f"{one['name']} [{_beside(goal, one['lower'])}, "
            f"{_beside(goal, one['upper'])}]"
            for one in records
            if one["verdict"] == verdict
        ]
        if found:
            line = f"{verdict}: {condition}; bounds of {join_first(found, SHOWN)}"
            answer.verdicts[line] = status


def _beside(goal: float, bound: float, n_decimals: int = 4, sign: str = "") -> str:
    """Format a bound with at least so many decimals that it is on its side of a goal.

    Examples
    --------
    >>> _beside(0.96, 0.95999), _beside(0.96, 0.94812)
    ('0.95999', '0.9481')
    """
    texts = [f"{bound:{sign}z.{n}f}" for n in range(n_decimals, 18)]
    side = np.sign(bound - goal)
    return next(
        (text for text in texts if np.sign(float(text) - goal) == side), texts[-1]
    )


def _explain(answer: Answer) -> str:
    """Return what the verdicts mean."""
    args = answer.args
    level = percent(args.level)
    if args.anytime:
        return (
            f"The {level} lower and upper bound here hold at all looks: the "
            "probability of a wrong verdict at any of them is at most "
            f"{percent(1 - args.level)}. All other numbers are for one look. If "
            "undecided, go on sampling."
        )
    text = (
        f"passed: the {level} lower bound is above this value; failed: the {level} "
        "upper bound is below it. Both are for one look; for more, see --anytime."
    )
    if answer.data["chance"] == 0.5 and args.level == 0.95 and args.fail_below:
        text += (
            " With two classes, a 95% lower bound is above the true value in less than "
            "5% of test sets on average, but in up to 12% where a small class is hard."
        )
    return text
