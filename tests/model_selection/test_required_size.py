"""Sizes of test sets, against enumeration by hand, quadrature and simulation."""

import itertools
from math import exp

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln

from skpostbac import (
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    compare_posteriors,
    posterior_balanced_accuracy,
    required_test_size,
)
from skpostbac.metrics import GroupsWarning, PairedCounts
from skpostbac.stats import BetaAverage
from tests.texts import sentences


def hull_width(a, b, weights=None, level=0.95):
    """Return the width of the hull of the shortest and the central interval."""
    average = BetaAverage(a, b, weights=weights)
    (low, high), (lower, higher) = average.hdi(level), average.interval(level)
    return np.maximum(high, higher) - np.minimum(low, lower)


def prob_second_better(k_a, n_a, k_b, n_b):
    """P(B > A) of two Beta posteriors under flat priors, by the finite sum for integers."""
    a, b, c, d = k_a + 1, n_a - k_a + 1, k_b + 1, n_b - k_b + 1
    return sum(
        exp(betaln(a + j, b + d) - betaln(1 + j, d) - betaln(a, b)) / (d + j)
        for j in range(c)
    )


def cell_probabilities(first, second, agreement):
    """Probabilities of only A right, only B right, and the rest."""
    gain = second - first
    return (1 - agreement - gain) / 2, (1 - agreement + gain) / 2, agreement


def paired_assurance(cells, size, level):
    """Add up the probabilities of the trinomial counts that detect the difference."""
    total = 0.0
    for only_a, only_b in itertools.product(range(size + 1), repeat=2):
        rest = size - only_a - only_b
        # B's share of the cells that differ, with all of the prior's mass, has a Beta posterior
        if rest >= 0 and stats.beta(only_b + 1, only_a + 1).sf(0.5) >= level:
            total += stats.multinomial.pmf([only_a, only_b, rest], size, cells)
    return float(total)


@pytest.mark.slow
def test_two_classes_paired_are_those_of_the_comparison():
    """All outcomes of three samples a class, with the default prior of a comparison."""
    plan = required_test_size([0.6, 0.7], difference=0.2, agreement=0.7, level=0.9)
    pairs = [(a, b) for a, b in itertools.product(range(4), repeat=2) if a + b <= 3]
    expected = 0.0
    for outcome in itertools.product(pairs, repeat=2):
        table = [[3 - a - b, a, b, 0] for a, b in outcome]
        counts = PairedCounts.from_cells(table, names=("A", "B"))
        comparison = PosteriorComparison.from_paired_counts(counts)
        if comparison.prob_greater()[1, 0] >= 0.9:
            cells = cell_probabilities(0.6, 0.8, 0.7)
            expected += np.prod(
                [stats.multinomial.pmf([a, b, 3 - a - b], 3, cells) for a, b in outcome]
            )
    assert expected > 0.01
    assert plan.assurance_at(3) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("recall", "width", "level", "target"),
    [
        (0.9, 0.2, 0.95, 0.5),
        pytest.param(1.0, 0.1, 0.95, 0.8, marks=pytest.mark.slow),
    ],
    ids=["teeth of a saw", "perfect"],
)
def test_width_of_one_class_is_that_of_an_enumeration(recall, width, level, target):
    """The smallest size from which on all sizes reach it, out of all sizes up to 60."""
    exact = np.zeros(61)
    for n in range(1, 61):
        k = np.arange(n + 1)
        narrow = hull_width(k[:, None] + 1, n - k[:, None] + 1, level=level) <= width
        exact[n] = stats.binom.pmf(k, n, recall)[narrow].sum()
    expected = np.flatnonzero(exact < target)[-1] + 1
    found = required_test_size(recall, width=width, level=level, assurance=target)
    assert found.samples.tolist() == [expected]
    # both are sums of the same probabilities, rounded in another order
    sizes = found.sizes[found.sizes <= 60]
    np.testing.assert_allclose(
        found.assurances[: sizes.size], exact[sizes], rtol=1e-10, atol=1e-14
    )


@pytest.mark.parametrize(("size", "level"), [(1, 0.6), (7, 0.6), (12, 0.9)])
def test_one_class_paired_is_that_of_an_enumeration(size, level):
    """Trinomial counts, one by one."""
    plan = required_test_size(0.6, difference=0.2, agreement=0.7, level=level)
    expected = paired_assurance(cell_probabilities(0.6, 0.8, 0.7), size, level)
    assert plan.assurance_at(size) == pytest.approx(expected, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("size", [3, 15])
def test_one_class_separate_is_that_of_an_enumeration(size):
    """Pairs of binomial counts, one by one, with P(B > A) by a finite sum."""
    plan = required_test_size(0.5, difference=0.3, paired=False, level=0.9)
    counts = range(size + 1)
    expected = sum(
        stats.binom.pmf(k_a, size, 0.5) * stats.binom.pmf(k_b, size, 0.8)
        for k_a, k_b in itertools.product(counts, counts)
        if prob_second_better(k_a, size, k_b, size) >= 0.9
    )
    assert plan.assurance_at(size) == pytest.approx(expected, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize(
    ("recalls", "width"),
    [
        ((0.9, 0.6), 0.45),
        pytest.param((0.8, 0.8, 0.5), 0.38, marks=pytest.mark.slow),
    ],
    ids=["two", "three"],
)
def test_width_of_some_classes_is_that_of_an_enumeration(recalls, width):
    """Few samples of unequal numbers, with the interval of each outcome."""
    plan = required_test_size(
        recalls,
        width=width,
        class_proportions=np.arange(1, len(recalls) + 1),
        prior="jeffreys",
    )
    size = 5 - len(recalls)
    total = size * np.arange(1, len(recalls) + 1)
    expected = 0.0
    for k in itertools.product(*(range(n + 1) for n in total)):
        narrow = hull_width(0.5 + np.array(k), 0.5 + total - k) <= width
        expected += np.prod(stats.binom.pmf(k, total, recalls)) * narrow
    assert 0.01 < expected < 0.99
    assert plan.assurance_at(size) == pytest.approx(expected, rel=1e-9)


def five_sigma(successes, draws):
    """Return five standard errors of a share, and never none."""
    share = successes / draws
    return 5 * np.sqrt(max(share * (1 - share), 1 / draws) / draws)


@pytest.mark.slow
def test_width_of_many_classes_is_that_of_a_simulation():
    """Ten classes: the outcomes are too many to be enumerated."""
    plan = required_test_size(np.linspace(0.6, 0.95, 10), width=0.1)
    assert 0 < plan.standard_error < 0.005
    rng, n, draws = np.random.default_rng(1), plan.samples, 500
    k = rng.binomial(n, np.linspace(0.6, 0.95, 10), size=(draws, 10))
    kept = 1 - 1.3 / (n + 0.2)  # of the strength, 1.5 - 2 / 10 observations less
    widths = [hull_width(kept * (0.1 + row), kept * (0.1 + n - row)) for row in k]
    narrow = np.count_nonzero(np.array(widths) <= 0.1)
    margin = five_sigma(narrow, draws) + 5 * plan.standard_error
    assert abs(plan.assurance - narrow / draws) < margin


@pytest.mark.slow
def test_separate_sets_of_two_classes_are_those_of_a_simulation():
    """Four counts, and the exact distribution of the difference of each outcome."""
    first, second = np.array([0.9, 0.7]), np.array([0.93, 0.8])
    plan = required_test_size(first, difference=second - first, paired=False)
    rng, n, draws = np.random.default_rng(2), plan.samples, 2000
    k_a, k_b = (rng.binomial(n, rate, size=(draws, 2)) for rate in (first, second))
    kept = 1 - 0.5 / (n + 1)  # of the strength, with two classes
    averages = [BetaAverage(kept * (k + 0.5), kept * (n - k + 0.5)) for k in (k_a, k_b)]
    detected = np.count_nonzero((averages[1] - averages[0]).ccdf(0) >= 0.95)
    margin = five_sigma(detected, draws) + 5 * plan.standard_error
    assert abs(plan.assurance - detected / draws) < margin


@pytest.mark.slow
def test_pairs_of_three_classes_are_those_of_a_simulation():
    """Trinomial counts, and P(B > A) by draws of the Dirichlet posterior of each."""
    first = np.array([0.9, 0.7, 0.2])
    plan = required_test_size(first, difference=0.05, prior="jeffreys")
    n = plan.samples
    rng = np.random.default_rng(3)
    draws = 1000
    detected = 0
    cells = [
        cell_probabilities(p, p + 0.05, p * (p + 0.05) + (1 - p) * (0.95 - p))
        for p in first
    ]
    for counts in rng.multinomial(n, cells, size=(draws, 3)):
        # Of the prior mass of 1, a quarter is in each of the two cells that differ.
        gammas = rng.standard_gamma(np.add(counts, [0.25, 0.25, 0.5]), (4000, 3, 3))
        shares = gammas / gammas.sum(axis=2, keepdims=True)
        detected += np.mean((shares[..., 1] - shares[..., 0]).sum(axis=1) > 0) >= 0.95
    margin = five_sigma(detected, draws) + 5 * plan.standard_error
    assert 0 < plan.standard_error < 0.003
    assert abs(plan.assurance - detected / draws) < margin


@pytest.mark.slow
def test_pilot_of_two_classes_is_that_of_a_simulation():
    """Recalls from the posterior of the pilot, and the interval of each outcome."""
    pilot = PosteriorBalancedAccuracy.from_counts(
        [18, 38], [20, 40], prior=[(0.5, 0.5)] * 2
    )
    plan = required_test_size(pilot, width=0.04, prior="jeffreys")
    assert plan.standard_error > 0
    rng = np.random.default_rng(4)
    draws = 2000
    recalls = rng.beta([18.5, 38.5], [2.5, 2.5], (draws, 2))
    k = rng.binomial(plan.samples, recalls)
    narrow = np.count_nonzero(hull_width(k + 0.5, plan.samples - k + 0.5) <= 0.04)
    margin = five_sigma(narrow, draws) + 5 * plan.standard_error
    assert abs(plan.assurance - narrow / draws) < margin


@pytest.mark.parametrize("size", [5, 60])
def test_pilot_is_a_beta_binomial(size):
    """The recall of one class is averaged over the posterior of the pilot."""
    pilot = PosteriorBalancedAccuracy.from_counts([18], [20])
    plan = required_test_size(pilot, width=0.2)
    k = np.arange(size + 1)
    narrow = hull_width(k[:, None] + 1, size - k[:, None] + 1) <= 0.2
    expected = stats.betabinom.pmf(k, size, 19, 3)[narrow].sum()
    assert plan.assurance_at(size) == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_classes_of_a_pilot_borrow_from_each_other():
    """Forty classes of four samples need about as many as their mean recall says."""
    rng = np.random.default_rng(3)
    correct = rng.binomial(4, 0.7, 40)
    pilot = PosteriorBalancedAccuracy.from_counts(correct, [4] * 40)
    plan = required_test_size(pilot, width=0.1)
    known = required_test_size([0.7] * 40, width=0.1)
    assert known.assurance_at(plan.samples[0]) > 0.5
    alone = PosteriorBalancedAccuracy.from_counts(
        correct, [4] * 40, prior=[(0.5, 0.5)] * 40
    )
    apart = required_test_size(alone, width=0.1)
    assert known.assurance_at(apart.samples[0]) < 0.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("difference", "agreement", "size"),
    [(0.001, 0.998, 10_000), (0.005, 0.9, 3_000)],
    ids=["rule of thumb", "by points"],
)
def test_large_pair_is_that_of_a_simulation(difference, agreement, size):
    """10,000 samples and 0.1 % are those of the docstring; many outcomes are drawn."""
    plan = required_test_size(0.9, difference=difference, agreement=agreement)
    rng, draws = np.random.default_rng(5), 100_000
    cells = cell_probabilities(0.9, 0.9 + difference, agreement)
    only_a, only_b, _ = rng.multinomial(size, np.maximum(cells, 0), size=draws).T
    detected = np.count_nonzero(stats.beta(only_b + 1, only_a + 1).sf(0.5) >= 0.95)
    assert (
        abs(plan.assurance_at(size) - detected / draws)
        < five_sigma(detected, draws) + 1e-3
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "paired",
    [True, False],
    ids=["paired", "separate"],
)
def test_rule_of_thumb_fails_for_independent_errors(paired):
    """10,000 samples detect 0.1 % with a probability below 0.1, and 580,000 with 0.8."""
    plan = required_test_size(0.95, difference=0.001, paired=paired)
    assert plan.assurance_at(10_000) == pytest.approx(0.094, abs=0.008)
    assert 570_000 < plan.total < 595_000
    # the normal formula is good at such sizes: 2 p (1 - p) (z / d)^2
    z = stats.norm.ppf(0.95) + stats.norm.ppf(0.8)
    normal = (0.95 * 0.05 + 0.951 * 0.049) * (z / 0.001) ** 2
    assert plan.total == pytest.approx(normal, rel=0.02)


@pytest.mark.slow
def test_large_size_is_that_of_a_simulation():
    """A third of a million samples: the counts are not enumerated one by one."""
    plan = required_test_size(0.9, width=0.002)
    rng, draws = np.random.default_rng(6), 20_000
    k = rng.binomial(plan.total, 0.9, size=draws)[:, np.newaxis]
    distributions = BetaAverage(k + 1, plan.total - k + 1)
    low, high = np.stack([distributions.hdi(), distributions.interval()], axis=1)
    narrow = np.count_nonzero(high.max(axis=0) - low.min(axis=0) <= 0.002)
    assert abs(plan.assurance - narrow / draws) < five_sigma(narrow, draws)


@pytest.mark.parametrize("paired", [True, False], ids=["paired", "separate"])
def test_classifiers_and_outcomes_may_change_roles(paired):
    """A and B, and right and wrong, under priors that treat right and wrong alike."""
    forth = required_test_size(0.7, difference=0.1, paired=paired)
    back = required_test_size(0.8, difference=-0.1, paired=paired)
    mirrored = required_test_size(0.3, difference=-0.1, paired=paired)
    assert forth.total == back.total == mirrored.total
    # sums in another order, of probabilities of 0.7 and of 1 - 0.3
    assert forth.assurance == pytest.approx(back.assurance, rel=1e-9)
    assert forth.assurance == pytest.approx(mirrored.assurance, rel=1e-9)


@pytest.mark.slow
def test_classes_in_another_order_or_without_weight():
    """Permuted classes have permuted sizes; one without weight still has its samples."""
    forth = required_test_size([0.9, 0.7], width=0.3, class_proportions=[0.3, 0.2])
    back = required_test_size([0.7, 0.9], width=0.3, class_proportions=[0.2, 0.3])
    assert forth.samples.tolist() == back.samples[::-1].tolist()
    assert forth.samples[0] == -(-3 * forth.samples[1] // 2)  # rounded up
    options = {"width": 0.2, "prior": "jeffreys"}
    alone = required_test_size(0.8, **options)
    both = required_test_size([0.8, 0.1], class_weight=[1, 0], **options)
    assert both.samples.tolist() == [alone.total] * 2
    assert both.assurance == alone.assurance


# ---- what is returned


def test_result_says_what_it_is():
    """One line, one sentence, and the curve that was looked at."""
    found = required_test_size([0.9, 0.9], width=0.2)
    assert repr(found) == (
        f"RequiredTestSize(total={found.total}, n_classes=2, assurance={found.assurance:.4f})"
    )
    assert str(found) == found.report()
    assert f"{found.samples[0]} samples of each of 2 classes" in sentences(found)
    summary = found.summary()
    assert (summary["total"], summary["n_classes"]) == (found.samples.sum(), 2)
    assert summary["assurance"] == found.assurance >= summary["target"] == 0.8
    assert (np.diff(found.sizes) > 0).all()
    assert found.assurances[found.sizes == found.samples[0]] == found.assurance
    assert (found.assurances[found.sizes >= found.samples[0]] >= 0.8).all()
    # One classifier agrees with no other.
    assert summary["agreement"] is None
    assert found.agreement is None


@pytest.mark.slow
def test_result_says_which_agreement_it_assumed():
    """Independent errors, of 1 - p (1 - q) - q (1 - p), unless another is given."""
    found = required_test_size([0.7, 0.6], difference=0.2, class_proportions=[3, 1])
    expected = np.array([0.7 * 0.9 + 0.3 * 0.1, 0.6 * 0.8 + 0.4 * 0.2])
    assert found.agreement == pytest.approx(expected)
    share = expected @ found.samples / found.samples.sum()
    assert found.summary()["agreement"] == pytest.approx(share)
    assert f"independently, so that they agree on {share:.3f} of" in sentences(found)
    given = required_test_size([0.7, 0.6], difference=0.2, agreement=[0.75, 0.7])
    assert given.agreement.tolist() == pytest.approx([0.75, 0.7])
    assert sentences(given).endswith(
        "are right, or both wrong, on 0.725 of the samples."
    )


@pytest.mark.parametrize(
    ("recalls", "weights", "score"),
    [
        (0.8, None, "accuracy"),
        ([0.8, 0.9], None, "balanced accuracy"),
        ([0.8, 0.9], [1, 0], "recall"),
    ],
)
def test_report_names_the_metric_and_what_detection_is(recalls, weights, score):
    """The balanced accuracy of several classes; a posterior probability of the level."""
    plan = required_test_size(recalls, width=0.5, class_weight=weights)
    assert f"95% credible interval of the {score} is at most 0.5" in sentences(plan)
    plan = required_test_size(
        recalls, difference=0.1, class_weight=weights, level=0.9, paired=False
    )
    assert f"a difference of 0.1 in {score}, with samples of its own" in sentences(plan)
    plan = required_test_size(recalls, difference=0.1, class_weight=weights, level=0.9)
    assert f"a difference of 0.1 in {score} is detected is" in sentences(plan)
    assert "posterior probability of at least 0.9 of being better" in sentences(plan)


@pytest.mark.slow
def test_report_of_unequal_classes():
    """It says which class has how many, by the labels of a pilot, or the range of many."""
    pilot = PosteriorBalancedAccuracy.from_counts(
        [18, 9], [20, 10], classes=["sick", "well"]
    )
    found = required_test_size(pilot, width=0.9, class_proportions=[1, 4])
    few, many = found.samples
    text = f"With {few} of class 'sick', {many} of class 'well', {few + many} samples in all, the "
    assert sentences(found).startswith(text)
    found = required_test_size(
        [0.9] * 6, width=0.9, class_proportions=[4, 1, 1, 1, 1, 1]
    )
    low, high = found.samples.min(), found.samples.max()
    assert f"{low} to {high} samples a class, {found.total} in all, the" in sentences(
        found
    )


@pytest.mark.slow
def test_random_state_is_a_seed_or_a_generator():
    """The same seed gives the same assurance, and the default is a seed."""

    def assurance(**options):
        return required_test_size([0.6, 0.75, 0.9] * 2, width=0.25, **options).assurance

    assert assurance() == assurance(random_state=0) != assurance(random_state=1)
    one, two = (assurance(random_state=np.random.default_rng(7)) for _ in range(2))
    assert one == two


# ---- arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one of width and difference"),
        ({"width": 0.1, "difference": 0.1}, "exactly one of width and difference"),
        ({"width": 0}, "width must be a number strictly between 0 and 1"),
        ({"width": "wide"}, "width must be a number strictly between 0 and 1"),
        ({"difference": 0}, "difference must not be zero"),
        (
            {"difference": 0.3},
            "difference must leave the recalls .* between 0 and 1, got 1.1",
        ),
        ({"difference": np.nan}, "difference must be finite, got nan"),
        (
            {"difference": [0.1, 0.1]},
            "difference must be a number or one number for each of the 1",
        ),
        ({"width": 0.1, "level": 1}, "level must be"),
        ({"width": 0.1, "assurance": 1.5}, "assurance must be"),
        ({"width": 0.1, "recalls": 1.2}, "recalls must lie between 0 and 1, got 1.2"),
        (
            {"width": 0.1, "recalls": []},
            "recalls must be a number or a non-empty array",
        ),
        ({"width": 0.1, "agreement": 0.9}, "agreement is for a difference of paired"),
        (
            {"difference": 0.1, "paired": False, "agreement": 0.9},
            "agreement is for a difference",
        ),
        (
            {"difference": 0.1, "agreement": 0.95},
            "agreement must lie between 0.7 and 0.9 ",
        ),
        (
            {"difference": 0.1, "agreement": 0.6},
            "agreement must lie between 0.7 and 0.9 ",
        ),
        (
            {"width": 0.1, "class_proportions": [0]},
            "class_proportions must be positive, got 0",
        ),
        (
            {"width": 0.1, "class_weight": [1, 1]},
            "class_weight must have one weight for each",
        ),
        ({"width": 0.1, "prior": "flat"}, "prior must be one of"),
        ({"difference": 0.0}, "difference must not be zero$"),
        (
            {"recalls": [0.8, 0.9], "difference": [0.1, -0.1]},
            "zero on average over the classes",
        ),
        ({"width": 1e-6}, "an assurance of 0.8 needs more than 1000000000 samples"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    """In one line that names the argument."""
    with pytest.raises(ValueError, match=message) as caught:
        required_test_size(**{"recalls": 0.8, **arguments})
    assert "\n" not in str(caught.value)


def test_pilots_and_sizes_are_checked():
    """A pilot's recalls plus a difference would leave [0, 1] for some of its draws."""
    pilot = PosteriorBalancedAccuracy.from_counts([18], [20])
    with pytest.raises(
        TypeError, match=r"recalls must be numbers .*pilot\.counts\.recalls"
    ):
        required_test_size(pilot, difference=0.05)
    planned = required_test_size(pilot.counts.recalls, difference=0.05)
    assert planned.samples == required_test_size(0.9, difference=0.05).samples
    comparison = compare_posteriors({"a": pilot, "b": pilot})
    with pytest.raises(TypeError, match="of a pilot, got PosteriorComparison"):
        required_test_size(comparison, width=0.1)
    accuracy = PosteriorAccuracy.from_counts([18], [20])
    with pytest.raises(TypeError, match="of a pilot, got PosteriorAccuracy"):
        required_test_size(accuracy, width=0.1)
    with pytest.raises(ValueError, match="size must be a positive integer, got 0"):
        required_test_size(0.8, width=0.2).assurance_at(0)
    with pytest.raises(TypeError, match="paired must be a bool"):
        required_test_size(0.8, difference=0.1, paired="no")


def test_pilot_in_groups_has_its_effective_counts():
    """Also where groups have samples of several classes."""
    y_true = np.arange(60) % 2
    y_pred = np.where(np.arange(60) % 20 < 4, 1 - y_true, y_true)
    with pytest.warns(GroupsWarning, match="several classes"):
        pilot = posterior_balanced_accuracy(y_true, y_pred, groups=np.arange(60) // 4)
    assert pilot.effective_counts.n_samples < 60
    independent = PosteriorBalancedAccuracy(pilot.effective_counts)
    found, expected = (
        required_test_size(one, width=0.3) for one in (pilot, independent)
    )
    assert found.samples.tolist() == expected.samples.tolist()
    assert found.assurance == expected.assurance


LARGE = {
    "proportions": (
        {"recalls": [0.9, 0.8], "width": 0.1, "class_proportions": [1, 10]},
        10**8,
    ),
    "paired": ({"recalls": 0.7, "difference": 0.1}, 10**9),
    "pilot": (
        {"recalls": PosteriorBalancedAccuracy.from_counts([8], [10]), "width": 0.2},
        10**9,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("keywords", "largest"), LARGE.values(), ids=LARGE)
def test_large_sizes(keywords, largest):
    """The assurance tends to 1, up to a bound beyond which each size is refused at once."""
    found = required_test_size(**keywords)
    assert found.assurance_at(largest) == pytest.approx(1, rel=0, abs=1e-10)
    for size in (largest + 1, 10**18, 2**70):
        with pytest.raises(
            ValueError, match=rf"size must be at most {largest}, for at most .*"
        ):
            found.assurance_at(size)


@pytest.mark.slow
def test_many_classes_take_little_time():
    """Next to no weights far from the goal, and few sizes."""
    weights = np.random.default_rng(0).dirichlet(np.full(40, 0.3))
    plan = required_test_size(np.full(40, 0.9), width=0.9, class_weight=weights)
    assert (plan.samples.tolist(), plan.assurance) == ([1] * 40, 1.0)
    sizes = [required_test_size(np.full(n, 0.9), width=0.1).sizes.size for n in (2, 40)]
    assert sizes[1] <= 12 < sizes[0]


@pytest.mark.slow
def test_drawn_size_reaches_the_target_and_the_next_smaller_one_does_not():
    """Of three classes and 20,000 samples; within two standard errors of other seeds."""
    arguments = {"recalls": [0.8, 0.9, 0.95], "difference": 0.005}
    found = required_test_size(**arguments)
    assert found.assurance >= 0.8 > found.assurance_at(int(found.samples[0]) - 1)
    assert found.sizes.size < 30
    others = [
        required_test_size(**arguments, random_state=seed) for seed in range(1, 9)
    ]
    share = np.mean([other.assurance_at(found.samples[0]) for other in others])
    assert share == pytest.approx(0.8, abs=2.5 * found.standard_error)
    totals = [other.total for other in others]
    assert np.ptp(totals) < 0.03 * found.total
