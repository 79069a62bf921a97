"""One classifier on several groups."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from skpostbac import (
    PosteriorBalancedAccuracy,
    compare_posteriors,
    population_posterior,
    posterior_balanced_accuracy,
    subgroup_posteriors,
)
from skpostbac.metrics import (
    GroupsWarning,
    PriorInfluenceWarning,
    SampleWeightWarning,
    SubgroupPosteriors,
)
from tests.texts import sentences

RNG = np.random.default_rng(0)
N = 600
Y_TRUE = np.where(RNG.random(N) < 0.4, "ill", "healthy")
SITE = RNG.choice(["north", "south", "west"], N, p=[0.5, 0.35, 0.15])
HIT = RNG.random(N) < np.where(SITE == "west", 0.6, 0.9)
Y_PRED = np.where(HIT, Y_TRUE, np.where(Y_TRUE == "ill", "healthy", "ill"))


@pytest.fixture(name="groups", scope="module")
def groups_fixture():
    """Three sites, of which one is worse."""
    return subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=SITE)


def test_each_group_has_the_posterior_of_its_samples(groups):
    """Names are sorted, and each group has what it is alone."""
    assert groups.names == ("north", "south", "west")
    for name, posterior in zip(groups.names, groups.posteriors, strict=True):
        here = name == SITE
        assert posterior == posterior_balanced_accuracy(Y_TRUE[here], Y_PRED[here])


def test_ordered_categories_keep_their_order():
    """Bands are not sorted as text, and each has its own samples."""
    order = ["west", "none here", "north", "south"]
    bands = pd.Categorical(SITE, order, ordered=True)
    groups = subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=bands)
    assert groups.names == ("west", "north", "south")
    for name, posterior in zip(groups.names, groups.posteriors, strict=True):
        here = name == SITE
        assert posterior == posterior_balanced_accuracy(Y_TRUE[here], Y_PRED[here])


def test_names_are_printed_without_types_of_numpy(groups):
    """As those of Python."""
    names = np.int64(7), np.datetime64("2026-01-01"), "c"
    text = sentences(SubgroupPosteriors(names, groups.posteriors))
    assert "np." not in text
    assert "7, " in text
    assert "'2026-01-01', " in text


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
def test_clusters_are_those_of_each_group():
    """Each group alone has the posterior of its samples with their clusters."""
    patient = np.arange(N) // 3
    options = {"sensitive_features": SITE, "groups": patient}
    groups = subgroup_posteriors(Y_TRUE, Y_PRED, **options)
    for name, posterior in zip(groups.names, groups.posteriors, strict=True):
        here = name == SITE
        labels = Y_TRUE[here], Y_PRED[here]
        assert posterior == posterior_balanced_accuracy(*labels, groups=patient[here])


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
@pytest.mark.parametrize("is_crossing", [False, True], ids=["of one class", "of both"])
def test_copies_of_samples_are_clusters(is_crossing):
    """With copies in one cluster, groups are about as uncertain as without copies."""
    labels = Y_TRUE, Y_PRED, SITE
    if is_crossing:  # an ill and a healthy sample, both right or both wrong
        y_true, site = np.tile(["ill", "healthy"], N), np.repeat(SITE, 2)
        y_wrong = np.tile(["healthy", "ill"], N)
        labels = y_true, np.where(np.repeat(HIT, 2), y_true, y_wrong), site
    copies = [np.repeat(column, 4) for column in labels]
    clusters = np.arange(len(copies[0])) // (8 if is_crossing else 4)
    alone, grouped = (
        subgroup_posteriors(*found, sensitive_features=column, groups=given)
        for *found, column, given in ((*labels, None), (*copies, clusters))
    )
    for one, other in zip(
        alone.by_group.values(), grouped.by_group.values(), strict=True
    ):
        # Of each pair, one sample is worth nothing.
        ratio = (
            other.standard_deviation()
            / one.standard_deviation()
            / np.sqrt(1 + is_crossing)
        )
        assert 0.85 < ratio < 1.25


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
def test_doubts_of_clusters_name_the_group():
    """Those of the group with few of them."""
    patient = np.where(
        SITE == "west", np.cumsum(SITE == "west") // 40, 1000 + np.arange(N)
    )
    with pytest.warns(GroupsWarning, match="^'west': ") as caught:
        subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=SITE, groups=patient)
    assert all(str(one.message).startswith("'west': ") for one in caught)


def test_the_worst_group_is_the_last_rank(groups):
    """P(worst) is about that of a comparison, which takes them as independent."""
    ranks = compare_posteriors(
        {str(name): posterior for name, posterior in groups.by_group.items()}
    ).rank_probabilities()
    assert list(groups.prob_worst.values()) == pytest.approx(ranks[:, -1], abs=0.02)
    assert max(groups.prob_worst, key=groups.prob_worst.get) == "west"
    assert groups.worst.mean() <= min(p.mean() for p in groups.by_group.values())


def test_weights_and_labels_reach_the_groups():
    """As for one posterior."""
    weight = np.arange(N) % 3
    options = {"labels": ["ill", "healthy"], "class_weight": [1, 3]}
    found = subgroup_posteriors(
        Y_TRUE,
        Y_PRED,
        sensitive_features=SITE,
        sample_weight=weight,
        **options,
    )
    here = SITE == "south"
    expected = posterior_balanced_accuracy(
        Y_TRUE[here], Y_PRED[here], sample_weight=weight[here], **options
    )
    assert found.posteriors[found.names.index("south")] == expected


def test_importance_weights_reach_the_groups():
    """Declared once; undeclared fractions are told once, of all samples."""
    weight, kind, here = (
        0.5 + np.arange(N) % 3,
        {"weight_type": "importance"},
        SITE == "north",
    )
    found = subgroup_posteriors(
        Y_TRUE,
        Y_PRED,
        sensitive_features=SITE,
        sample_weight=weight,
        **kind,
    ).posteriors[0]
    expected = posterior_balanced_accuracy(
        Y_TRUE[here], Y_PRED[here], sample_weight=weight[here], **kind
    )
    assert found.mean() == pytest.approx(expected.mean())
    assert found.standard_deviation() == pytest.approx(expected.standard_deviation())
    with pytest.warns(SampleWeightWarning, match="600 weights") as caught:
        subgroup_posteriors(
            Y_TRUE, Y_PRED, sensitive_features=SITE, sample_weight=weight
        )
    assert len(caught) == 1


def test_words_begin_with_the_gap(groups):
    """The report has the gap, the worst group, and each group."""
    lines = sentences(groups).splitlines()
    assert lines[0].startswith(
        f"The gap in balanced accuracy between the best and worst group is {groups.gap.mean():.3f}"
    )
    assert lines[2].startswith("It is most likely 'west', with probability")
    assert len(lines) == 6
    assert [row["name"] for row in groups.summary()] == list(groups.names)
    assert sum(row["prob_worst"] for row in groups.summary()) == pytest.approx(1)
    assert "P(worst)" in groups._repr_html_()


def test_recall_of_one_class_is_called_so():
    """Everywhere: equal opportunity is about the recall of the positives."""
    y_pred, sex = [1] * 50 + [0] * 10, ["f", "m", "m"] * 20
    groups = subgroup_posteriors([1] * 60, y_pred, sensitive_features=sex)
    names = [
        groups.gap.score_name,
        groups.worst.score_name,
        groups.by_group["f"].score_name,
    ]
    assert names == ["Gap in recall", "Recall of the worst group", "Recall"]
    assert "The recall of the worst group is" in sentences(groups)


def related_groups(counts):
    """Return P(equal) and the moments of the accuracy of equal groups, by sums over a grid.

    The grid is of the mean of a Beta population, in log-odds, and of log(a + b).
    """
    log_odds = np.log(0.2 / 0.8)
    mean = variance = 0.0
    size = np.linspace(-14, 18, 401)
    spread = np.exp(-0.5 * size)
    for correct, total in zip(*np.transpose(counts, (1, 2, 0)), strict=True):
        logs = []
        for u in np.linspace(-14, 14, 561):
            a, b = (special.expit(x) * np.exp(size) for x in (u, -u))
            prior = special.expit(u) * special.expit(-u) * 0.75 * spread
            logs.append(np.log(prior) - 2.5 * np.log1p(spread**2))
            for k, n in zip(correct, total, strict=True):
                logs[-1] += special.betaln(a + k, b + n - k) - special.betaln(a, b)
        common = stats.beta(1 + correct.sum(), 1 + (total - correct).sum())
        log_odds += special.betaln(*common.args)
        log_odds -= special.logsumexp(logs) + np.log(28 / 560 * 32 / 400)
        mean += common.mean() / 2
        variance += common.var() / 4
    return special.expit(log_odds), mean, variance


def test_pooled_groups_borrow_strength():
    """Moments by those of groups alone, of a population and of equal groups; the gap shrinks."""
    rng = np.random.default_rng(0)
    group = rng.choice(list("abcde"), 300)
    y = rng.integers(0, 2, 300)
    y_pred = np.where(rng.random(300) < 0.8, y, 1 - y)
    pooled = subgroup_posteriors(y, y_pred, sensitive_features=group)
    counts = [posterior.counts for posterior in pooled.posteriors]
    full = population_posterior(
        [one.correct for one in counts], [one.total for one in counts]
    )
    equal, *moments = related_groups([(one.correct, one.total) for one in counts])
    assert 0.2 < equal < 0.8
    weights = [0.5, 0.5 * (1 - equal), 0.5 * equal]
    for found, *models in zip(
        pooled.by_group.values(), pooled.posteriors, full.groups, strict=True
    ):
        means = [*(one.mean() for one in models), moments[0]]
        distributions = [getattr(one, "distribution", one) for one in models]
        variances = [*(one.variance() for one in distributions), moments[1]]
        mean = np.dot(weights, means)
        variance = np.dot(weights, variances + (np.array(means) - mean) ** 2)
        assert found.mean() == pytest.approx(mean, abs=0.001)
        assert found.standard_deviation() == pytest.approx(np.sqrt(variance), rel=0.02)
    assert pooled.gap.prob_below(0) == pytest.approx(equal / 2, abs=0.006)
    # Of the groups by themselves.
    draws = [one.sample(20_000, rng=i) for i, one in enumerate(pooled.posteriors)]
    assert pooled.gap.mean() < 0.8 * np.ptp(draws, axis=0).mean()
    assert pooled.worst.mean() > np.min(draws, axis=0).mean()
    assert pooled.worst.mean() < min(one.mean() for one in pooled.by_group.values())
    assert sum(pooled.prob_worst.values()) == pytest.approx(1)
    assert [record["n_samples"] for record in pooled.summary()] == [
        one.n_samples for one in counts
    ]
    assert repr(pooled).endswith("n_groups=5)")
    assert (
        "The gap in balanced accuracy between the best and worst group is"
        in sentences(pooled)
    )


def of_counts(correct, total):
    """Return pooled groups with as many samples of two classes, right in as many."""
    posteriors = [
        PosteriorBalancedAccuracy.from_counts([k, k], [total, total]) for k in correct
    ]
    return SubgroupPosteriors(tuple(range(len(correct))), tuple(posteriors))


def test_a_group_can_stand_apart():
    """The interval of the worst holds its observed accuracy, which a population excludes."""
    groups = of_counts([10, *[14] * 7], 15)
    low, high = groups.worst.credible_interval()
    assert low < 10 / 15 < high


@pytest.mark.parametrize("n_groups", [2, 3, 8])
def test_the_gap_of_equal_groups_reaches_zero(n_groups):
    """Not a small number above; equal groups are the worst equally often."""
    groups = of_counts([27] * n_groups, 30)
    assert groups.gap.credible_interval()[0] == 0
    assert list(groups.prob_worst.values()) == pytest.approx(
        [1 / n_groups] * n_groups, abs=0.01
    )


def test_classes_without_weight_do_not_count():
    """Groups that differ in them alone are as equal as others."""
    y_true, y_pred = [0, 0, 0, 1, 1] * 40, [0, 0, 1, 1, 1] * 40
    site = ["a"] * 100 + ["b"] * 100
    other = y_pred[:100] + [0, 0, 1, 0, 0] * 20
    one, two = (
        subgroup_posteriors(
            y_true, found, sensitive_features=site, class_weight=[1, 0]
        ).gap.prob_below(0)
        for found in (y_pred, other)
    )
    assert one == two > 0.2


@pytest.mark.slow
def test_equal_groups_have_no_certain_gap():
    """Eight equal groups of 30 samples per class, by themselves, would have one."""
    rng, sure, sure_alone = np.random.default_rng(0), 0, 0
    group, y = np.repeat(np.arange(8), 60), np.tile([0, 1], 240)
    for _ in range(4):
        y_pred = np.where(rng.random(480) < 0.85, y, 1 - y)
        groups = subgroup_posteriors(y, y_pred, sensitive_features=group)
        sure += groups.gap.prob_above(0.05) > 0.95
        alone = [one.sample(10_000, rng=i) for i, one in enumerate(groups.posteriors)]
        sure_alone += (np.ptp(alone, axis=0) > 0.05).mean() > 0.95
    assert sure_alone == 4
    assert sure <= 1


def test_a_group_without_samples_of_a_class_is_named():
    """Its balanced accuracy is half a guess, and so is the gap."""
    y_true, y_pred = [0] * 10 + [1] * 10 + [0] * 10, [0] * 9 + [1] * 11 + [0, 1] * 5
    site = ["a"] * 20 + ["b"] * 10
    sentence = (
        r"no samples of a class: 'b' \(class 1\)\. Only the prior and the other groups"
    )
    with pytest.warns(PriorInfluenceWarning, match=sentence):
        groups = subgroup_posteriors(y_true, y_pred, sensitive_features=site)
    assert "'b' (class 1)" in sentences(groups).splitlines()[-1]
    tested = subgroup_posteriors(y_true, y_pred, sensitive_features=site, labels=[0])
    assert "no samples" not in sentences(tested)
    weighted = subgroup_posteriors(
        y_true, y_pred, sensitive_features=site, class_weight=[1, 0]
    )
    assert "no samples" not in sentences(weighted)
