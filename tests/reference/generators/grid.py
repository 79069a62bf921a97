"""The distributions in the file: posteriors of class-wise accuracies under symmetric priors.

The counts named after Carrillo are those of H. Carrillo, K. H. Brodersen and J. A. Castellanos,
"Probabilistic performance evaluation for multiclass classification using the posterior balanced
accuracy", ROBOT2013, Advances in Intelligent Systems and Computing 252, 2014, 347-361. The others
cover perfect, hopeless and empty classes, small and fractional priors, weights of any sign, very
unequal class sizes and many classes.
"""

from collections.abc import Sequence
from itertools import cycle, islice

from generators.distributions import Distribution

C1, C2, C3, CN = (30, 8, 3), (30, 2, 1), (32, 9, 4), (32, 10, 4)
BENCH_A, BENCH_B, BENCH_N = (20, 15, 8), (22, 18, 7), (25, 30, 10)
JEFFREYS, THIRD, TENTH, HUNDREDTH = 0.5, 1 / 3, 0.1, 0.01


def counts(
    name: str, regime: str, k: Sequence[float], n: Sequence[float], prior: float = 1.0, **options
) -> Distribution:
    """The distribution after ``k`` successes of ``n`` under a symmetric prior."""
    a = [float(i) + prior for i in k]
    b = [float(j - i) + prior for i, j in zip(k, n, strict=True)]
    return Distribution(name, regime, a, b, **options)


def tenfold(k: Sequence[int]) -> list[int]:
    return [10 * i for i in k]


def all_distributions() -> list[Distribution]:
    return [
        *carrillo_distributions(),
        *one_class_distributions(),
        *two_class_distributions(),
        *three_class_distributions(),
        *several_class_distributions(),
        *weighted_distributions(),
        *signed_distributions(),
        *weighted_jeffreys_distributions(),
        *many_class_distributions(),
        *two_scale_distributions(),
        *three_scale_distributions(),
        *large_distributions(),
        *fractional_distributions("jeffreys", JEFFREYS),
        *fractional_distributions("third", THIRD),
        *further_jeffreys_distributions(),
        *noninteger_distributions(),
        *small_prior_distributions(),
        *reciprocal_distributions(),
        *smooth_distributions(),
    ]


def carrillo_distributions() -> list[Distribution]:
    distributions = []
    for label, k in (("c1", C1), ("c2", C2), ("c3", C3)):
        distributions.append(counts(f"carrillo_{label}", "integer", k, CN))
        distributions.append(counts(f"carrillo_{label}_x10", "integer", tenfold(k), tenfold(CN)))
    return distributions


def one_class_distributions() -> list[Distribution]:
    return [
        counts("one_ordinary", "one class", [17], [20]),
        counts("one_perfect", "one class", [40], [40]),
        counts("one_empty", "one class", [0], [0]),
        counts("one_jeffreys_perfect", "one class", [12], [12], JEFFREYS),
        counts("one_jeffreys_zero", "one class", [0], [30], JEFFREYS),
        counts("one_tiny_prior", "one class", [3], [5], HUNDREDTH),
        counts("one_large", "one class", [9e5], [1e6]),
    ]


def two_class_distributions() -> list[Distribution]:
    return [
        counts("two_ordinary", "integer", [45, 30], [50, 40]),
        counts("two_200", "integer", [180, 120], [200, 200]),
        counts("two_perfect_1", "integer perfect", [1, 1], [1, 1]),
        counts("two_perfect_10_100", "integer perfect", [10, 100], [10, 100]),
        counts("two_empty", "integer empty", [0, 0], [0, 0]),
        counts("two_zero_perfect", "integer perfect", [0, 25], [20, 25]),
        counts("two_empty_ordinary", "integer empty", [0, 60], [0, 80]),
    ]


def three_class_distributions() -> list[Distribution]:
    return [
        counts("bench_a", "integer", BENCH_A, BENCH_N),
        counts("bench_b", "integer", BENCH_B, BENCH_N),
        counts("three_perfect_5", "integer perfect", [5, 5, 5], [5, 5, 5]),
        counts("three_perfect_mixed", "integer perfect", [1, 20, 100], [1, 20, 100]),
        counts("three_empty", "integer empty", [0, 0, 0], [0, 0, 0]),
        counts("three_perfect_empty_ordinary", "integer mixed", [30, 0, 70], [30, 0, 100]),
        counts("three_all_wrong", "integer perfect", [0, 0, 0], [10, 30, 50]),
        counts("three_tiny", "integer tiny", [1, 0, 2], [2, 1, 2]),
        counts("three_200", "integer", [150, 190, 100], [200, 200, 200]),
    ]


def several_class_distributions() -> list[Distribution]:
    seven = [5, 10, 15, 30, 60, 80, 90], [8, 15, 15, 50, 70, 100, 120]
    eight = [60, 80, 90, 33, 45, 21, 9, 100], [90, 99, 100, 50, 50, 30, 10, 150]
    return [
        counts("four_ordinary", "integer", [40, 25, 9, 4], [50, 30, 15, 5]),
        counts("four_perfect", "integer perfect", [3, 10, 30, 90], [3, 10, 30, 90]),
        counts("four_empty", "integer empty", [0] * 4, [0] * 4),
        counts("four_mixed", "integer mixed", [0, 12, 35, 1], [0, 12, 60, 2]),
        counts("five_ordinary", "integer", [10, 20, 30, 40, 50], [20, 25, 50, 44, 99]),
        counts("five_perfect_mixed", "integer mixed", [7, 7, 60, 0, 80], [7, 7, 80, 9, 80]),
        counts("six_tiny", "integer tiny", [1, 1, 0, 2, 1, 3], [1, 2, 1, 2, 3, 3]),
        counts("seven_ordinary", "integer", *seven),
        counts("eight_ordinary", "integer", *eight),
        counts("eight_empty", "integer empty", [0] * 8, [0] * 8),
        counts("eight_perfect", "integer perfect", [50] * 8, [50] * 8),
        counts("twelve_tiny", "integer tiny", [1, 2, 0] * 4, [2, 2, 1] * 4),
    ]


def weighted_distributions() -> list[Distribution]:
    w, first, last = (0.5, 0.3, 0.2), (0.999998, 1e-6, 1e-6), (1e-6, 1e-6, 0.999998)
    return [
        counts("weights_532", "weights", C1, CN, weights=w),
        counts("weights_532_perfect", "weights", CN, CN, weights=w),
        counts("weights_532_empty", "weights", [0, 0, 0], [0, 0, 0], weights=w),
        counts("weights_extreme", "weights", BENCH_A, BENCH_N, weights=first),
        counts("weights_extreme_perfect", "weights", [9, 4, 0], [9, 4, 0], weights=first),
        counts("weights_extreme_tight", "weights", [3, 1, 1], [3, 2, 2], weights=last),
        counts("weights_with_zero", "weights", C1, CN, weights=(0.75, 0.0, 0.25)),
        counts("weights_not_normalised", "weights", [12, 7], [20, 9], weights=(3.0, 1.5)),
        counts("weights_tiny_scale", "weights", [12, 7], [20, 9], weights=(1e-9, 3e-9)),
    ]


def signed_distributions() -> list[Distribution]:
    thirds, ones = (THIRD,) * 3 + (-THIRD,) * 3, (1.0, -1.0)
    halves = (0.5, 0.5, -0.5, -0.5)
    four = [18, 3, 15, 2], [20, 3, 20, 3]
    return [
        counts("signed_c1_c2", "signed", C1 + C2, CN + CN, weights=thirds),
        counts("signed_c1_c3", "signed", C1 + C3, CN + CN, weights=thirds),
        counts("signed_two", "signed", [18, 15], [20, 20], weights=ones),
        counts("signed_two_perfect", "signed", [20, 20], [20, 20], weights=ones),
        counts("signed_empty", "signed", [0, 0], [0, 0], weights=(0.5, -0.5)),
        counts("signed_all_negative", "signed", [18, 3], [20, 9], weights=(-0.25, -0.75)),
        counts("signed_jeffreys", "signed jeffreys", [18, 3], [20, 3], JEFFREYS, weights=ones),
        counts("signed_jeffreys_four", "signed jeffreys", *four, JEFFREYS, weights=halves),
    ]


def weighted_jeffreys_distributions() -> list[Distribution]:
    regime, w = "weights jeffreys", (0.5, 0.3, 0.2)
    return [
        counts("weights_532_jeffreys", regime, C1, CN, JEFFREYS, weights=w),
        counts("weights_532_jeffreys_perfect", regime, CN, CN, JEFFREYS, weights=w),
    ]


def many_class_distributions() -> list[Distribution]:
    line = {"method": "line"}
    sizes = (10, 15, 25, 40, 60, 100, 150, 300, 1000, 10000)
    shares = (0.9, 0.8, 0.6, 0.75, 0.5, 0.95, 0.7, 0.88, 0.99, 0.97)
    successes = [round(n * p) for n, p in zip(sizes, shares, strict=True)]
    distributions = []
    for classes in (10, 50, 200, 1000):
        k, n = (list(islice(cycle(values), classes)) for values in (successes, sizes))
        distributions.append(counts(f"many_{classes}", "many", k, n, **line))
        distributions.append(counts(f"many_{classes}_jeffreys", "many", k, n, JEFFREYS, **line))
    for classes, size in ((50, 10), (200, 3), (1000, 10), (1000, 1)):
        n = [size] * classes
        distributions.append(counts(f"many_{classes}_perfect_{size}", "many perfect", n, n, **line))
    two_sizes = [8] * 195 + [8000] * 5, [10] * 195 + [10000] * 5
    falling = [0.5 / (i % 5 + 1) for i in range(50)]
    signed = [0.02] * 50 + [-0.02] * 50
    return [
        *distributions,
        counts("many_1000_empty", "many", [0] * 1000, [0] * 1000, **line),
        counts("many_200_two_sizes", "many", *two_sizes, **line),
        counts("many_50_weights", "many", [8] * 50, [10] * 50, weights=falling, **line),
        counts("many_100_signed", "many", [8] * 50 + [7] * 50, [10] * 100, weights=signed, **line),
    ]


def two_scale_distributions() -> list[Distribution]:
    def distribution(label: str, k: Sequence[float], n: Sequence[float]) -> Distribution:
        return counts(f"scale_{label}", "scale", k, n, method="real")

    def jeffreys(label: str, k: Sequence[float], n: Sequence[float]) -> Distribution:
        return counts(f"scale_jeffreys_{label}", "scale jeffreys", k, n, JEFFREYS, method="real")

    return [
        distribution("1e6_beside_2", [9e5, 1], [1e6, 2]),
        distribution("1e6_beside_2_perfect", [9e5, 2], [1e6, 2]),
        distribution("1e7_beside_empty", [6e6, 0], [1e7, 0]),
        distribution("1e6_perfect_beside_empty", [1e6, 0], [1e6, 0]),
        distribution("1e6_perfect_beside_2", [1e6, 2], [1e6, 2]),
        distribution("1e6_zero_beside_3", [0, 2], [1e6, 3]),
        distribution("1e4_beside_40", [7e3, 33], [1e4, 40]),
        jeffreys("1e6_beside_2", [9e5, 1], [1e6, 2]),
        jeffreys("1e6_perfect_beside_empty", [1e6, 0], [1e6, 0]),
        jeffreys("1e7_beside_empty", [6e6, 0], [1e7, 0]),
    ]


def three_scale_distributions() -> list[Distribution]:
    real = {"method": "real"}
    return [
        counts("scale_three_1e6_2_5", "scale", [9e5, 1, 4], [1e6, 2, 5], **real),
        counts("scale_three_1e6_empty_empty", "scale", [5e5, 0, 0], [1e6, 0, 0], **real),
        counts("scale_three_1e6_perfect_empty_3", "scale", [1e6, 0, 3], [1e6, 0, 3], **real),
        counts("scale_three_1e7_30_2", "scale", [4e6, 25, 2], [1e7, 30, 2], **real),
    ]


def large_distributions() -> list[Distribution]:
    line, signed = {"method": "line"}, (1.0, -1.0)
    three = [9e8, 4e8, 2e8], [1e9, 1e9, 1e9]
    return [
        counts("scale_1e9_both", "large", [9e8, 4e8], [1e9, 1e9], **line),
        counts("scale_1e9_extreme", "large", [1e9 - 1e3, 5e3], [1e9, 1e9], **line),
        counts("scale_1e9_1e6", "large", [9e8, 4e5], [1e9, 1e6], **line),
        counts("scale_1e9_three_jeffreys", "large", *three, JEFFREYS, **line),
        counts("scale_1e9_1e3_1e5", "large", [9e8, 600, 2e4], [1e9, 1000, 1e5], **line),
        counts("large_1e4_three", "large", [9e3, 8e3, 3e3], [1e4, 1e4, 5e3], **line),
        counts("large_jeffreys_1e3_two", "large", [700, 800], [1000, 900], JEFFREYS, **line),
        counts("large_signed_1e6", "large", [9e5, 8.99e5], [1e6, 1e6], weights=signed, **line),
    ]


def fractional_distributions(label: str, prior: float) -> list[Distribution]:
    def distribution(name: str, k: Sequence[int], n: Sequence[int], **options) -> Distribution:
        return counts(f"{label}_{name}", f"{label} l={len(n)}", k, n, prior, **options)

    return [
        distribution("two_ordinary", [45, 30], [50, 40]),
        distribution("two_perfect", [10, 25], [10, 25], x=(0.5,)),
        distribution("two_perfect_single", [1, 1], [1, 1]),
        distribution("two_empty", [0, 0], [0, 0], x=(0.5,)),
        distribution("two_zero_perfect", [0, 9], [12, 9]),
        distribution("two_perfect_100", [100, 3], [100, 3]),
        distribution("c1", C1, CN),
        distribution("c2", C2, CN),
        distribution("c3", C3, CN),
        distribution("three_perfect", CN, CN),
        distribution("three_empty", [0, 0, 0], [0, 0, 0]),
        distribution("three_mixed", [30, 0, 14], [30, 0, 20]),
        distribution("four_ordinary", [20, 25, 9, 4], [30, 30, 15, 5]),
        distribution("four_perfect", [3, 10, 30, 1], [3, 10, 30, 1]),
    ]


def further_jeffreys_distributions() -> list[Distribution]:
    six = [4, 8, 4, 2, 8, 1]
    return [
        counts("jeffreys_bench_a", "jeffreys l=3", BENCH_A, BENCH_N, JEFFREYS),
        counts("jeffreys_c3_x10", "jeffreys l=3", tenfold(C3), tenfold(CN), JEFFREYS),
        counts("jeffreys_six_perfect", "jeffreys l=6", six, six, JEFFREYS),
        counts("jeffreys_ten_perfect", "jeffreys l=10", [5] * 10, [5] * 10, JEFFREYS),
    ]


def noninteger_distributions() -> list[Distribution]:
    return [
        Distribution("noninteger_two", "other l=2", [2.7, 0.8], [1.3, 6.1]),
        Distribution("noninteger_three", "other l=3", [12.25, 0.75, 5.5], [3.125, 1.6, 0.55]),
        Distribution(
            "noninteger_four", "other l=4", [12.25, 0.75, 5.5, 1.1], [3.125, 1.6, 0.55, 1.1]
        ),
    ]


def small_prior_distributions() -> list[Distribution]:
    distributions = []
    for label, prior, x in (("tenth", TENTH, (0.5,)), ("hundredth", HUNDREDTH, ())):
        distributions += [
            counts(f"{label}_two", "small prior", [5, 8], [6, 9], prior),
            counts(f"{label}_two_perfect", "small prior", [5, 8], [5, 8], prior, x=x),
            counts(f"{label}_three", "small prior", C1, CN, prior),
            counts(f"{label}_three_perfect", "small prior", CN, CN, prior),
        ]
    return distributions


def reciprocal_distributions() -> list[Distribution]:
    """Priors of 1 / l and 1 / (2 l) for l classes, as they are by default and for pairs."""
    distributions = []
    for classes in (2, 3, 10, 50, 300, 1000):
        for label, prior in (("reciprocal", 1 / classes), ("half", 1 / (2 * classes))):
            distributions += prior_by_size(f"{label}_{classes}", f"{label} 1/l", classes, prior)
    return distributions


def prior_by_size(label: str, regime: str, classes: int, prior: float) -> list[Distribution]:
    """Ordinary, perfect, nearly perfect, empty and mixed classes."""
    x = [
        1 - distance / classes for distance in (0.3, 0.5, 0.8)
    ]  # up to six deviations from the mean
    beside_end = {"method": "corner", "x": x} if classes >= 10 else {}
    smooth = {"method": "line"} if classes >= 10 else {}

    def distribution(name: str, k: Sequence[int], n: Sequence[int], **options) -> Distribution:
        k, n = (list(islice(cycle(values), classes)) for values in (k, n))
        return counts(f"{label}_{name}", regime, k, n, prior, **options)

    ten = [10] * classes
    distributions = [
        distribution("ordinary", [8, 17, 6, 30, 9], [10, 20, 10, 40, 14], **smooth),
        distribution("perfect", ten, ten, **beside_end),
        distribution("nearly_perfect", [*ten[1:], 9], ten, **beside_end),
        distribution("perfect_and_ordinary", [10, 16, 3], [10, 20, 3]),
    ]
    if classes >= 10:
        distributions.append(distribution("perfect_of_three", [3], [3], **beside_end))
    if classes <= 10:
        distributions.append(distribution("empty", [0], [0]))
        distributions.append(distribution("zero_perfect_empty", [0, 10, 0], [10, 10, 0]))
    return distributions


def smooth_distributions() -> list[Distribution]:
    """Sums whose transforms decay soon, of 2 to 20 classes and up to a million samples."""

    def smooth(label: str, k: Sequence[float], n: Sequence[float], *prior, **options):
        method = "line" if len(k) > 6 else "auto"
        return counts(f"smooth_{label}", "smooth", k, n, *prior, method=method, **options)

    ten = [18, 33, 40, 66, 75, 120, 158, 199, 240, 290], [20, *range(40, 281, 30), 300]
    perfect = [20, 30, 50, *ten[0][3:]], [20, 30, 50, *ten[1][3:]]
    third, tenth, falling = (1 / 3,), (1 / 10,), [1 / (i + 1) for i in range(10)]
    twenty = [*ten[0], *ten[0][::-1]], [*ten[1], *ten[1][::-1]]
    million = [9.1e5, 2.1e3, 6.9e4], [1e6, 3e3, 9.9e4]
    signed = [0.5, 0.3, 0.2, -0.6, -0.3, -0.1]
    return [
        smooth("2", [63, 201], [70, 240]),
        smooth("2_half", [63, 201], [70, 240], 0.5),
        smooth("2_1e4", [9700, 11], [10000, 30]),
        smooth("2_weights", [63, 31], [70, 40], weights=(0.8, 0.2)),
        smooth("3", [63, 201, 25], [70, 240, 31]),
        smooth("3_perfect", [63, 201, 31], [70, 240, 31], *third),
        smooth("3_perfect_flat", [50, 201, 31], [50, 240, 31]),
        smooth("3_signed", [63, 201, 25], [70, 240, 31], weights=(0.5, -1.5, 0.25)),
        smooth("3_million", *million),
        smooth("6_signed", [63, 201, 25, 60, 210, 28], [70, 240, 31] * 2, weights=signed),
        smooth("10", *ten),
        smooth("10_tenth", *ten, *tenth),
        smooth("10_perfect_tenth", *perfect, *tenth),
        smooth("10_weights", *ten, weights=falling),
        smooth("20_signed", *twenty, weights=[0.1] * 10 + [-0.1] * 10),
    ]
