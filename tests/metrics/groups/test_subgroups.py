"""One classifier on several groups."""

import copy
import io
import json
import pickle
import warnings

import numpy as np
import pytest

from skpostbac import (
    PosteriorBalancedAccuracy,
    compare_posteriors,
    population_posterior,
    posterior_balanced_accuracy,
    subgroup_posteriors,
)
from skpostbac.metrics import (
    PriorInfluenceWarning,
    SampleWeightWarning,
    SubgroupPosteriors,
)

RNG = np.random.default_rng(0)
N = 600
Y_TRUE = np.where(RNG.random(N) < 0.4, "ill", "healthy")
SITE = RNG.choice(["north", "south", "west"], N, p=[0.5, 0.35, 0.15])
HIT = RNG.random(N) < np.where(SITE == "west", 0.6, 0.9)
Y_PRED = np.where(HIT, Y_TRUE, np.where(Y_TRUE == "ill", "healthy", "ill"))


@pytest.fixture(name="groups", scope="module")
def groups_fixture():
    """Three sites, of which one is worse, each by itself."""
    return subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=SITE, pooling=None)


def test_each_group_has_the_posterior_of_its_samples(groups):
    """Names are sorted, and each group is evaluated alone."""
    assert groups.names == ("north", "south", "west")
    for name, posterior in groups.by_group.items():
        here = name == SITE
        assert posterior == posterior_balanced_accuracy(Y_TRUE[here], Y_PRED[here])


def test_the_worst_group_is_the_last_rank(groups):
    """P(worst) is that of a comparison; the worst is below each group."""
    ranks = compare_posteriors(
        {str(name): posterior for name, posterior in groups.by_group.items()}
    ).rank_probabilities()
    assert list(groups.prob_worst.values()) == pytest.approx(ranks[:, -1], abs=1e-9)
    assert max(groups.prob_worst, key=groups.prob_worst.get) == "west"
    assert groups.worst.mean() <= min(p.mean() for p in groups.posteriors)


def test_two_groups_have_the_gap_of_their_difference():
    """The gap is the absolute difference; its probabilities without pooling warn."""
    is_west = np.where(SITE == "west", 1, 0)
    groups = subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=is_west, pooling=None)
    one, two = groups.posteriors
    difference = one.distribution - two.distribution
    above = difference.ccdf(0.1) + difference.cdf(-0.1)
    assert groups.names == (0, 1)
    with pytest.warns(PriorInfluenceWarning, match="gap is overestimated.*pooling='partial'"):
        assert groups.gap.prob_above(0.1) == pytest.approx(above, abs=1e-9)
    with pytest.warns(PriorInfluenceWarning, match="gap is overestimated"):
        assert groups.gap.prob_below(0.1) == pytest.approx(1 - above, abs=1e-9)
    assert "the gap is overestimated" in groups.report()


@pytest.mark.filterwarnings("ignore:Some groups have no samples")
def test_a_group_without_a_class_keeps_its_prior(groups):
    """All groups have the classes of the whole data set."""
    y_true = np.where(SITE == "west", "healthy", Y_TRUE)
    found = subgroup_posteriors(y_true, Y_PRED, sensitive_features=SITE, pooling=None)
    counts = found.by_group["west"].counts
    assert counts.classes.tolist() == ["healthy", "ill"]
    assert counts.total[1] == 0


def test_weights_labels_and_priors_reach_the_groups():
    """As for one posterior."""
    weight = np.arange(N) % 3
    options = {"labels": ["ill", "healthy"], "prior": "uniform", "class_weight": [1, 3]}
    found = subgroup_posteriors(
        Y_TRUE, Y_PRED, sensitive_features=SITE, sample_weight=weight, pooling=None, **options
    )
    here = SITE == "south"
    expected = posterior_balanced_accuracy(
        Y_TRUE[here], Y_PRED[here], sample_weight=weight[here], **options
    )
    assert found.by_group["south"] == expected


def test_importance_weights_reach_the_groups():
    """Declared once; undeclared fractions are told once, of all samples."""
    weight = 0.5 + np.arange(N) % 3
    found = subgroup_posteriors(
        Y_TRUE,
        Y_PRED,
        sensitive_features=SITE,
        sample_weight=weight,
        weight_type="importance",
        pooling=None,
    )
    here = SITE == "north"
    expected = posterior_balanced_accuracy(
        Y_TRUE[here], Y_PRED[here], sample_weight=weight[here], weight_type="importance"
    )
    assert found.by_group["north"].mean() == pytest.approx(expected.mean())
    assert found.by_group["north"].standard_deviation() == pytest.approx(
        expected.standard_deviation()
    )
    with pytest.warns(SampleWeightWarning, match="600 weights") as caught:
        subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=SITE, sample_weight=weight)
    assert len(caught) == 1


def test_words_begin_with_the_gap(groups):
    """The report has the gap, the worst group, and each group."""
    lines = groups.report().splitlines()
    assert lines[0].startswith(
        f"The gap between the best and the worst of 3 groups: {groups.gap.mean():.3f}"
    )
    assert lines[2].startswith("It is 'west' with probability")
    assert len(lines) == 7
    assert [row["name"] for row in groups.summary()] == list(groups.names)
    assert sum(row["prob_worst"] for row in groups.summary()) == pytest.approx(1)
    assert "P(worst)" in groups._repr_html_()


def test_pictures_have_a_row_for_each_group(groups):
    """And the gap has a density."""
    plt = pytest.importorskip("matplotlib.pyplot")
    display = groups.plot()
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == list(groups.names)
    gap = groups.gap.plot()
    assert gap.ax_.get_xlabel() == "Gap in balanced accuracy"
    x, y = gap.lines_[0].get_data()
    assert np.trapezoid(y, x) == pytest.approx(1, abs=2e-3)
    plt.close("all")


POSTERIOR = PosteriorBalancedAccuracy.from_counts([3, 5], [4, 9])
THREE_CLASSES = PosteriorBalancedAccuracy.from_counts([3, 5, 4], [4, 9, 6])


@pytest.mark.parametrize(
    ("names", "posteriors", "error", "match"),
    [
        pytest.param(("a",), (POSTERIOR,), ValueError, "two or more", id="one"),
        pytest.param(("a", "a"), (POSTERIOR,) * 2, ValueError, "different names", id="names"),
        pytest.param(("a", "b"), (POSTERIOR, 0.5), TypeError, "PosteriorBalancedAcc", id="type"),
        pytest.param(
            ("a", "b"), (POSTERIOR, THREE_CLASSES), ValueError, "same classes", id="classes"
        ),
    ],
)
def test_what_is_no_groups_is_refused(names, posteriors, error, match):
    """The message says what is expected."""
    with pytest.raises(error, match=match):
        SubgroupPosteriors(names, posteriors)


def test_mappings_are_dicts(groups):
    """They can be copied, pickled and written as JSON, and do not reach into the result."""
    for found in (groups.prob_worst, groups.by_group):
        assert copy.deepcopy(found) == pickle.loads(pickle.dumps(found)) == found
        found.clear()
    assert list(json.loads(json.dumps(groups.prob_worst))) == list(groups.by_group)


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"y_true": io.StringIO("ill")}, "^y_true: "),
        ({"y_true": np.ones((N, 2))}, "^y_true: "),
        ({"y_true": [None] * N}, "y_true contains NaN"),
        ({"y_pred": Y_PRED[1:]}, "^y_true and y_pred: "),
        ({"sensitive_features": np.ones((N, 2))}, r"^sensitive_features: must be one-dimensional"),
        ({"sample_weight": np.ones(3)}, "^y_true and sample_weight: "),
        ({"weight_type": "importance"}, "weight_type='importance' needs sample_weight"),
    ],
    ids=["file", "table", "missing", "length", "groups", "weights", "no weights"],
)
def test_the_faulty_argument_is_named(changed, match):
    """Not the one that is read first."""
    arguments = {"y_true": Y_TRUE, "y_pred": Y_PRED, "sensitive_features": SITE} | changed
    with pytest.raises((TypeError, ValueError), match=match):
        subgroup_posteriors(arguments.pop("y_true"), arguments.pop("y_pred"), **arguments)


def test_one_group_and_other_lengths_are_refused():
    """The message names the argument."""
    with pytest.raises(ValueError, match="sensitive_features must have two or more groups"):
        subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=np.zeros(N, int))
    with pytest.raises(ValueError, match="sensitive_features"):
        subgroup_posteriors(Y_TRUE, Y_PRED, sensitive_features=SITE[1:])


def test_a_group_without_weight_is_named():
    """The error says which of them it is."""
    y, group = [0, 1, 0, 1], ["f", "f", "m", "m"]
    with pytest.raises(ValueError, match=r"positive for some samples of each group.* of 'm' are 0"):
        subgroup_posteriors(y, y, sensitive_features=group, sample_weight=[1, 2, 0, 0])


def test_pooled_groups_borrow_strength():
    """Means of single Betas, by those of the full model; the gap shrinks."""
    rng = np.random.default_rng(0)
    group = rng.choice(list("abcde"), 300)
    y = rng.integers(0, 2, 300)
    y_pred = np.where(rng.random(300) < 0.8, y, 1 - y)
    alone = subgroup_posteriors(y, y_pred, sensitive_features=group, pooling=None)
    pooled = subgroup_posteriors(y, y_pred, sensitive_features=group)
    counts = [posterior.counts for posterior in alone.posteriors]
    full = population_posterior([one.correct for one in counts], [one.total for one in counts])
    for found, expected in zip(pooled.by_group.values(), full.groups, strict=True):
        assert found.mean() == pytest.approx(expected.mean(), abs=0.001)
        assert found.standard_deviation() == pytest.approx(expected.standard_deviation(), rel=0.02)
    assert pooled.gap.mean() < 0.8 * alone.gap.mean()
    assert pooled.worst.mean() > alone.worst.mean()
    assert sum(pooled.prob_worst.values()) == pytest.approx(1)
    assert [record["n_samples"] for record in pooled.summary()] == [one.n_samples for one in counts]
    assert repr(pooled).endswith("n_groups=5, pooling='partial')")
    assert "The gap between the best and the worst of 5 groups" in pooled.report()


def test_equal_groups_have_no_certain_gap():
    """Eight equal groups of 30 samples per class: certain without pooling, seldom with it."""
    rng, sure = np.random.default_rng(0), {None: 0, "partial": 0}
    group, y = np.repeat(np.arange(8), 60), np.tile([0, 1], 240)
    for _ in range(20):
        y_pred = np.where(rng.random(480) < 0.85, y, 1 - y)
        for pooling in sure:
            groups = subgroup_posteriors(y, y_pred, sensitive_features=group, pooling=pooling)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PriorInfluenceWarning)
                sure[pooling] += groups.gap.prob_above(0.05) > 0.95
    assert sure[None] >= 19
    assert sure["partial"] <= 2


def test_pooling_is_checked():
    """It is another model, with a prior of its own."""
    y, group = [0, 1, 0, 1], ["f", "f", "m", "m"]
    with pytest.raises(ValueError, match="pooling must be one of"):
        subgroup_posteriors(y, y, sensitive_features=group, pooling="full")
    with pytest.raises(ValueError, match="prior does not apply with pooling='partial'"):
        subgroup_posteriors(y, y, sensitive_features=group, prior="uniform")


def test_a_group_without_samples_of_a_class_is_named():
    """Its balanced accuracy is half a guess, and so is the gap."""
    y_true, y_pred = [0] * 10 + [1] * 10 + [0] * 10, [0] * 9 + [1] * 11 + [0, 1] * 5
    site = ["a"] * 20 + ["b"] * 10
    sentence = r"no samples of a class: 'b' \(class 1\)\. Only "
    for pooling, source in {None: "the prior determines", "partial": "the other groups"}.items():
        with pytest.warns(PriorInfluenceWarning, match=sentence + source):
            groups = subgroup_posteriors(y_true, y_pred, sensitive_features=site, pooling=pooling)
        assert "'b' (class 1)" in groups.report().splitlines()[-1]
    tested = subgroup_posteriors(y_true, y_pred, sensitive_features=site, labels=[0])
    assert "no samples" not in tested.report()
    weighted = subgroup_posteriors(y_true, y_pred, sensitive_features=site, class_weight=[1, 0])
    assert "no samples" not in weighted.report()
