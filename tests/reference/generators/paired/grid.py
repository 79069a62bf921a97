"""The laws in the file.

Rows of counts are (both right, only A right, only B right, neither right) of a class.
"""

from collections.abc import Sequence

from generators.paired.laws import Law

JEFFREYS, THIRD, QUARTER = 0.5, 1 / 3, 0.25
ORDINARY = ((30, 4, 7, 3), (12, 2, 1, 5), (6, 0, 2, 1), (40, 6, 6, 2), (9, 1, 3, 0))
ALIKE, ALIKE_MANY, EMPTY = (3, 0, 0, 0), (100_000, 0, 0, 0), (0, 0, 0, 0)
ALIKE_BOTH_WAYS = (60_000, 0, 0, 40_000)
ONE_SIDED, ONE_SIDED_SMALL = (20, 0, 8, 4), (4, 0, 2, 0)
PERFECT = ((25, 0, 0, 0), (10, 0, 0, 0), (4, 0, 0, 0))


def all_laws() -> list[Law]:
    return [
        *one_class_laws(),
        *integer_laws(),
        *fractional_laws(),
        *alike_laws(),
        *weighted_laws(),
        *scale_laws(),
        *large_laws(),
        *many_class_laws(),
    ]


def one_class_laws() -> list[Law]:
    def law(label: str, row: Sequence[float], prior: float, **options) -> Law:
        return Law(f"one_{label}", "one class", [row], prior, **options)

    return [
        law("ordinary", ORDINARY[0], 1.0),
        law("jeffreys", ORDINARY[0], JEFFREYS),
        law("third", ORDINARY[2], THIRD),
        law("quarter_one_sided", ONE_SIDED, QUARTER),
        law("one_sided_alone", (0, 0, 12, 0), JEFFREYS),
        law("empty", EMPTY, 1.0),
        law("empty_jeffreys", EMPTY, JEFFREYS),
        law("alike", ALIKE, 1.0),
        law("alike_jeffreys", ALIKE, JEFFREYS),
        law("alike_many", ALIKE_MANY, 1.0),
        law("alike_many_jeffreys", ALIKE_MANY, JEFFREYS),
        law("large", (9e6, 2e5, 3e5, 5e5), JEFFREYS, method="line"),
    ]


def integer_laws() -> list[Law]:
    def law(label: str, counts: Sequence[Sequence[float]]) -> Law:
        return Law(f"integer_{label}", "integer", counts)

    return [
        law("two", ORDINARY[:2]),
        law("two_100", [(60, 12, 20, 8), (70, 9, 6, 15)]),
        law("two_alike_ordinary", [ALIKE, ORDINARY[0]]),
        law("two_alike", [ALIKE, (0, 0, 0, 8)]),
        law("two_empty", [EMPTY, EMPTY]),
        law("two_one_sided", [ONE_SIDED, ONE_SIDED_SMALL]),
        law("three", ORDINARY[:3]),
        law("three_perfect", PERFECT),
        law("three_alike_empty_ordinary", [ALIKE, EMPTY, ORDINARY[3]]),
        law("five", ORDINARY),
        law("eight", [*ORDINARY, EMPTY, ALIKE, ONE_SIDED]),
    ]


def fractional_laws() -> list[Law]:
    def law(label: str, prior: float, counts: Sequence[Sequence[float]]) -> Law:
        name = {JEFFREYS: "jeffreys", THIRD: "third", QUARTER: "quarter"}[prior]
        return Law(f"{name}_{label}", name, counts, prior)

    return [
        law("two", JEFFREYS, ORDINARY[:2]),
        law("two_alike_ordinary", JEFFREYS, [ALIKE, ORDINARY[0]]),
        law("two_alike", JEFFREYS, [ALIKE, (0, 0, 0, 8)]),
        law("two_empty", JEFFREYS, [EMPTY, EMPTY]),
        law("two_one_sided", JEFFREYS, [ONE_SIDED, ONE_SIDED_SMALL]),
        law("three", JEFFREYS, ORDINARY[:3]),
        law("three_perfect", JEFFREYS, PERFECT),
        law("five", JEFFREYS, ORDINARY),
        law("four", JEFFREYS, [ORDINARY[2], EMPTY, ALIKE, ONE_SIDED_SMALL]),
        law("two", THIRD, ORDINARY[1:3]),
        law("two_alike", THIRD, [ALIKE, (0, 0, 0, 8)]),
        law("three", THIRD, [ORDINARY[0], ALIKE, ONE_SIDED]),
        law("two", QUARTER, ORDINARY[:2]),
        law("two_alike", QUARTER, [ALIKE, ALIKE]),
        law("three_empty", QUARTER, [EMPTY, ORDINARY[2], ONE_SIDED_SMALL]),
    ]


def alike_laws() -> list[Law]:
    """Large classes with the same predictions."""

    def law(label: str, counts: Sequence[Sequence[float]], prior: float, **options) -> Law:
        return Law(f"alike_{label}", "alike", counts, prior, **options)

    return [
        law("many_beside_ordinary", [ALIKE_MANY, ORDINARY[2]], 1.0, method="real"),
        law("many_beside_ordinary_jeffreys", [ALIKE_MANY, ORDINARY[2]], JEFFREYS),
        law("many_twice", [ALIKE_MANY, ALIKE_BOTH_WAYS], JEFFREYS),
    ]


def weighted_laws() -> list[Law]:
    thirds, signed = (0.5, 0.3, 0.2), (0.75, -0.5, 0.25)
    return [
        Law("weights_three", "weights", ORDINARY[:3], weights=thirds),
        Law("weights_three_jeffreys", "weights", ORDINARY[:3], JEFFREYS, weights=thirds),
        Law("weights_with_zero", "weights", ORDINARY[:3], weights=(0.75, 0.0, 0.25)),
        Law("signed_three", "signed", ORDINARY[:3], weights=signed),
        Law("signed_three_jeffreys", "signed", ORDINARY[:3], JEFFREYS, weights=signed),
        Law("signed_alike", "signed", [ALIKE, ONE_SIDED_SMALL], JEFFREYS, weights=(1.0, -2.0)),
    ]


def scale_laws() -> list[Law]:
    def law(label: str, counts: Sequence[Sequence[float]]) -> Law:
        return Law(f"scale_{label}", "scale", counts, method="real")

    return [
        law("1e7_beside_10", [(7e6, 1e6, 1.2e6, 8e5), (6, 1, 2, 1)]),
        law("1e6_beside_alike", [(7e5, 1e5, 1.2e5, 8e4), ALIKE]),
    ]


def large_laws() -> list[Law]:
    return [
        Law("large_two", "large", [(9e6, 1e5, 2e5, 7e5), (8e4, 5e3, 4e3, 1.1e4)], JEFFREYS),
        Law("large_three", "large", [(900, 30, 42, 28), (500, 60, 30, 10), (80, 40, 30, 50)]),
    ]


def many_class_laws() -> list[Law]:
    rows = [*ORDINARY, ONE_SIDED, ALIKE, (15, 2, 4, 1), (8, 3, 2, 2), (50, 5, 9, 6)] * 2
    return [
        Law("many_20", "many", rows),
        Law("many_20_jeffreys", "many", rows, JEFFREYS),
    ]
