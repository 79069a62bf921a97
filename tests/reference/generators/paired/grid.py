"""The distributions in the file.

Rows of counts are (both right, only A right, only B right, neither right) of a class.
"""

from collections.abc import Sequence
from itertools import cycle, islice

from generators.paired.distributions import Distribution

JEFFREYS, THIRD, QUARTER = 0.5, 1 / 3, 0.25
ORDINARY = ((30, 4, 7, 3), (12, 2, 1, 5), (6, 0, 2, 1), (40, 6, 6, 2), (9, 1, 3, 0))
ALIKE, ALIKE_MANY, EMPTY = (3, 0, 0, 0), (100_000, 0, 0, 0), (0, 0, 0, 0)
ALIKE_BOTH_WAYS = (60_000, 0, 0, 40_000)
ONE_SIDED, ONE_SIDED_SMALL = (20, 0, 8, 4), (4, 0, 2, 0)
PERFECT = ((25, 0, 0, 0), (10, 0, 0, 0), (4, 0, 0, 0))


def all_distributions() -> list[Distribution]:
    return [
        *one_class_distributions(),
        *integer_distributions(),
        *fractional_distributions(),
        *alike_distributions(),
        *weighted_distributions(),
        *scale_distributions(),
        *large_distributions(),
        *many_class_distributions(),
        *reciprocal_distributions(),
    ]


def one_class_distributions() -> list[Distribution]:
    def distribution(label: str, row: Sequence[float], prior: float, **options) -> Distribution:
        return Distribution(f"one_{label}", "one class", [row], prior, **options)

    return [
        distribution("ordinary", ORDINARY[0], 1.0),
        distribution("jeffreys", ORDINARY[0], JEFFREYS),
        distribution("third", ORDINARY[2], THIRD),
        distribution("quarter_one_sided", ONE_SIDED, QUARTER),
        distribution("one_sided_alone", (0, 0, 12, 0), JEFFREYS),
        distribution("empty", EMPTY, 1.0),
        distribution("empty_jeffreys", EMPTY, JEFFREYS),
        distribution("alike", ALIKE, 1.0),
        distribution("alike_jeffreys", ALIKE, JEFFREYS),
        distribution("alike_many", ALIKE_MANY, 1.0),
        distribution("alike_many_jeffreys", ALIKE_MANY, JEFFREYS),
        distribution("large", (9e6, 2e5, 3e5, 5e5), JEFFREYS, method="line"),
    ]


def integer_distributions() -> list[Distribution]:
    def distribution(label: str, counts: Sequence[Sequence[float]]) -> Distribution:
        return Distribution(f"integer_{label}", "integer", counts)

    return [
        distribution("two", ORDINARY[:2]),
        distribution("two_100", [(60, 12, 20, 8), (70, 9, 6, 15)]),
        distribution("two_alike_ordinary", [ALIKE, ORDINARY[0]]),
        distribution("two_alike", [ALIKE, (0, 0, 0, 8)]),
        distribution("two_empty", [EMPTY, EMPTY]),
        distribution("two_one_sided", [ONE_SIDED, ONE_SIDED_SMALL]),
        distribution("three", ORDINARY[:3]),
        distribution("three_perfect", PERFECT),
        distribution("three_alike_empty_ordinary", [ALIKE, EMPTY, ORDINARY[3]]),
        distribution("five", ORDINARY),
        distribution("eight", [*ORDINARY, EMPTY, ALIKE, ONE_SIDED]),
    ]


def fractional_distributions() -> list[Distribution]:
    def distribution(label: str, prior: float, counts: Sequence[Sequence[float]]) -> Distribution:
        name = {JEFFREYS: "jeffreys", THIRD: "third", QUARTER: "quarter"}[prior]
        return Distribution(f"{name}_{label}", name, counts, prior)

    return [
        distribution("two", JEFFREYS, ORDINARY[:2]),
        distribution("two_alike_ordinary", JEFFREYS, [ALIKE, ORDINARY[0]]),
        distribution("two_alike", JEFFREYS, [ALIKE, (0, 0, 0, 8)]),
        distribution("two_empty", JEFFREYS, [EMPTY, EMPTY]),
        distribution("two_one_sided", JEFFREYS, [ONE_SIDED, ONE_SIDED_SMALL]),
        distribution("three", JEFFREYS, ORDINARY[:3]),
        distribution("three_perfect", JEFFREYS, PERFECT),
        distribution("five", JEFFREYS, ORDINARY),
        distribution("four", JEFFREYS, [ORDINARY[2], EMPTY, ALIKE, ONE_SIDED_SMALL]),
        distribution("two", THIRD, ORDINARY[1:3]),
        distribution("two_alike", THIRD, [ALIKE, (0, 0, 0, 8)]),
        distribution("three", THIRD, [ORDINARY[0], ALIKE, ONE_SIDED]),
        distribution("two", QUARTER, ORDINARY[:2]),
        distribution("two_alike", QUARTER, [ALIKE, ALIKE]),
        distribution("three_empty", QUARTER, [EMPTY, ORDINARY[2], ONE_SIDED_SMALL]),
    ]


def alike_distributions() -> list[Distribution]:
    """Large classes with the same predictions."""

    def distribution(
        label: str, counts: Sequence[Sequence[float]], prior: float, **options
    ) -> Distribution:
        return Distribution(f"alike_{label}", "alike", counts, prior, **options)

    return [
        distribution("many_beside_ordinary", [ALIKE_MANY, ORDINARY[2]], 1.0, method="real"),
        distribution("many_beside_ordinary_jeffreys", [ALIKE_MANY, ORDINARY[2]], JEFFREYS),
        distribution("many_twice", [ALIKE_MANY, ALIKE_BOTH_WAYS], JEFFREYS),
    ]


def weighted_distributions() -> list[Distribution]:
    thirds, signed = (0.5, 0.3, 0.2), (0.75, -0.5, 0.25)
    return [
        Distribution("weights_three", "weights", ORDINARY[:3], weights=thirds),
        Distribution("weights_three_jeffreys", "weights", ORDINARY[:3], JEFFREYS, weights=thirds),
        Distribution("weights_with_zero", "weights", ORDINARY[:3], weights=(0.75, 0.0, 0.25)),
        Distribution("signed_three", "signed", ORDINARY[:3], weights=signed),
        Distribution("signed_three_jeffreys", "signed", ORDINARY[:3], JEFFREYS, weights=signed),
        Distribution(
            "signed_alike", "signed", [ALIKE, ONE_SIDED_SMALL], JEFFREYS, weights=(1.0, -2.0)
        ),
    ]


def scale_distributions() -> list[Distribution]:
    def distribution(label: str, counts: Sequence[Sequence[float]]) -> Distribution:
        return Distribution(f"scale_{label}", "scale", counts, method="real")

    return [
        distribution("1e7_beside_10", [(7e6, 1e6, 1.2e6, 8e5), (6, 1, 2, 1)]),
        distribution("1e6_beside_alike", [(7e5, 1e5, 1.2e5, 8e4), ALIKE]),
    ]


def large_distributions() -> list[Distribution]:
    return [
        Distribution(
            "large_two", "large", [(9e6, 1e5, 2e5, 7e5), (8e4, 5e3, 4e3, 1.1e4)], JEFFREYS
        ),
        Distribution(
            "large_three", "large", [(900, 30, 42, 28), (500, 60, 30, 10), (80, 40, 30, 50)]
        ),
    ]


def many_class_distributions() -> list[Distribution]:
    rows = [*ORDINARY, ONE_SIDED, ALIKE, (15, 2, 4, 1), (8, 3, 2, 2), (50, 5, 9, 6)] * 2
    return [
        Distribution("many_20", "many", rows),
        Distribution("many_20_jeffreys", "many", rows, JEFFREYS),
    ]


def reciprocal_distributions() -> list[Distribution]:
    """Cells of 1 / (2 l), whose margins are Beta(1 / l, 1 / l) for l classes, and half of them."""
    distributions = []
    for classes in (2, 3, 10):
        for label, prior in (("reciprocal", 1 / (2 * classes)), ("half", 1 / (4 * classes))):
            distributions += prior_by_size(f"{label}_{classes}", f"{label} 1/l", classes, prior)
    return distributions


def prior_by_size(label: str, regime: str, classes: int, prior: float) -> list[Distribution]:
    def distribution(name: str, *rows: Sequence[float]) -> Distribution:
        return Distribution(f"{label}_{name}", regime, list(islice(cycle(rows), classes)), prior)

    distributions = [
        distribution("all_alike", (8, 0, 0, 2)),
        distribution("perfect_and_worse", (10, 0, 0, 0), (8, 2, 0, 0)),
        distribution("empty", EMPTY),
    ]
    if classes <= 3:
        distributions += [
            distribution("ordinary", *ORDINARY[:2], ORDINARY[3]),
            distribution("alike_and_ordinary", (8, 0, 0, 2), ORDINARY[3], ORDINARY[0]),
        ]
    return distributions
