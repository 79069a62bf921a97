"""Group-level inference as users meet it."""

import pickle

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from skpostbac import ClassCounts, population_posterior
from skpostbac.metrics import PopulationPosterior
from skpostbac.stats import BetaBinomial, NormalBinomial

# The second example in the documentation of the R package micp.
CORRECT = [[40, 48], [44, 41], [18, 65], [42, 49], [44, 32]]
TOTAL = [[45, 55], [51, 49], [20, 80], [46, 54], [48, 32]]


@pytest.fixture(scope="module")
def posterior():
    return population_posterior([82, 75, 92, 85, 88], [100] * 5)


def mean_field(correct, total, sweeps, mean=0.0, precision=1.0, shape=1.0, rate=1.0):
    """Distribution of mu as if mu, lambda and all log-odds were independent given the counts.

    Sweeps of the updates of Brodersen et al. (2013): for each group a normal distribution at the
    maximum of its expected log density, then normal mu, then gamma lambda.
    """
    mu, size, log_odds = mean, shape / rate, np.zeros(correct.size)
    for _ in range(sweeps):
        for _ in range(20):
            slope = correct - total * expit(log_odds) - size * (log_odds - mu)
            curvature = total * expit(log_odds) * expit(-log_odds) + size
            log_odds = log_odds + slope / curvature
        known = precision + correct.size * size
        mu = (precision * mean + size * log_odds.sum()) / known
        squares = (log_odds - mu) ** 2 + 1 / curvature + 1 / known
        size = (shape + correct.size / 2) / (rate + squares.sum() / 2)
    return stats.norm(mu, known**-0.5)


@pytest.fixture(scope="module")
def normal():
    return population_posterior([82, 75, 92, 85, 88], [100] * 5, model="normal-binomial")


def test_the_published_example_is_the_fourth_sweep(posterior):
    """The numbers in the documentation of micp, which ends before the iteration converges."""
    distribution = mean_field(posterior.correct, posterior.total, sweeps=4)
    assert distribution.expect(expit, epsabs=1e-12) == pytest.approx(0.8203271, abs=5e-7)
    assert expit(distribution.ppf(0.025)) == pytest.approx(0.719623, abs=1e-6)
    assert expit(distribution.ppf(0.975)) == pytest.approx(0.896133, abs=1e-6)
    assert distribution.cdf(0.0) == pytest.approx(2.756e-07, rel=1e-3)


def test_the_variational_approximation_is_too_narrow(normal):
    """Its mean is close to that of the posterior, its interval is not."""
    distribution = normal.population_median
    approximation = mean_field(normal.correct, normal.total, sweeps=50)
    assert distribution.mean() == pytest.approx(approximation.expect(expit), abs=0.01)
    low, high = distribution.interval()
    assert low < expit(approximation.ppf(0.025)) - 0.05
    assert high > expit(approximation.ppf(0.975))
    assert float(distribution.cdf(0.5)) > 1000 * approximation.cdf(0.0)


def test_groups_are_drawn_together_and_keep_their_order(posterior):
    """Each mean lies between the observed accuracy and the mean of a new group."""
    means = np.array([distribution.mean() for distribution in posterior.groups])
    observed = np.array([0.82, 0.75, 0.92, 0.85, 0.88])
    assert (np.argsort(means) == np.argsort(observed)).all()
    assert np.ptp(means) < np.ptp(observed)
    assert posterior.new_group.standard_deviation() > posterior.population_mean.standard_deviation()


def test_balanced_accuracy_averages_independent_classes():
    """Means and variances of the classes add up."""
    model = "normal-binomial"
    both = population_posterior(CORRECT, TOTAL, model=model)
    classes = [
        population_posterior(np.array(CORRECT)[:, i], np.array(TOTAL)[:, i], model=model)
        for i in (0, 1)
    ]
    for name in ("population_median", "population_mean"):
        distributions = [getattr(one, name) for one in classes]
        distribution = getattr(both, name)
        assert distribution.mean() == pytest.approx(
            sum(one.mean() for one in distributions) / 2, abs=1e-8
        )
        assert distribution.variance() == pytest.approx(
            sum(one.variance() for one in distributions) / 4, abs=1e-8
        )


def test_class_counts_are_aligned_by_their_labels(posterior):
    """The order of the classes in a group does not matter."""
    groups = [
        ClassCounts(["a", "b"], [40, 48], [45, 55]),
        ClassCounts(["b", "a"], [41, 44], [49, 51]),
    ]
    one, two = population_posterior(groups), population_posterior(CORRECT[:2], TOTAL[:2])
    np.testing.assert_array_equal(one.correct, two.correct)
    np.testing.assert_array_equal(one.total, two.total)
    assert one.classes.tolist() == ["a", "b"]
    assert two.classes is None


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_summary_is_a_table(normal, library):
    """A row for each distribution, with its figures."""
    frame = pytest.importorskip(library).DataFrame(normal.summary(0.9))
    assert list(frame["name"])[4:] == [
        "group 4",
        "new group",
        "population median",
        "population mean",
    ]
    assert len(frame) == 5 + 3
    ends = np.transpose([normal.groups[4].hdi(0.9), normal.groups[4].interval(0.9)])
    assert (frame["low"][4], frame["high"][4]) == (ends[0].min(), ends[1].max())


def test_plot_is_a_forest_of_all_distributions(posterior):
    """A line from end to end of each interval, in the order of the summary."""
    plt = pytest.importorskip("matplotlib.pyplot")
    display = posterior.plot(level=0.9)
    drawn = [line.get_xdata().tolist() for line in display.lines_]
    assert drawn == [[row["low"], row["high"]] for row in posterior.summary(0.9)]
    assert display.ax_.get_xlabel() == "Accuracy"
    plt.close(display.figure_)


def test_groups_have_the_names_of_a_mapping(posterior):
    """In the summary and the repr; the numbers are those without names."""
    counts = zip(posterior.correct, posterior.total, strict=True)
    named = population_posterior(dict(zip(["ann", "bob", 3, "dan", "eve"], counts, strict=True)))
    names = ["ann", "bob", "3", "dan", "eve"]
    assert named.names == tuple(names)
    assert [row["name"] for row in named.summary()][:5] == names
    for ours, theirs in zip(named.summary(), posterior.summary(), strict=True):
        assert ours | {"name": ""} == theirs | {"name": ""}
    assert "n_groups=5, names=('ann', 'bob', '3', 'dan', 'eve'), model=" in repr(named)
    assert pickle.loads(pickle.dumps(named)).names == named.names


def test_groups_of_several_classes_have_names():
    """As ClassCounts, or as pairs of arrays."""
    sites = {
        name: ClassCounts(["ill", "well"], *counts)
        for name, *counts in zip("AB", CORRECT[:2], TOTAL[:2], strict=True)
    }
    pairs = {name: (site.correct, site.total) for name, site in sites.items()}
    expected = population_posterior(list(sites.values()))
    for groups in (sites, pairs):
        found = population_posterior(groups)
        assert found.names == ("A", "B")
        assert (found.correct == expected.correct).all()
        assert (found.total == expected.total).all()
    assert population_posterior(sites).classes.tolist() == ["ill", "well"]


@pytest.mark.parametrize(
    ("groups", "total", "message"),
    [
        ({"a": (1, 2)}, [2], "^total must be left out"),
        ({1: (1, 2), "1": (1, 2)}, None, "^the names of groups must be different, .*'1', '1'"),
        ({"new group": (1, 2)}, None, "^the names of groups must be .*none of .*'new group'"),
        ({"a": 1}, None, r"^correct must have ClassCounts or pairs \(correct, total\)"),
        ({"a": (1, 2, 3)}, None, "^correct must have ClassCounts or pairs"),
        ({"a": ClassCounts(["x"], [1], [2]), "b": (1, 2)}, None, "^correct must have"),
        ({"a": (3, 2)}, None, "^correct must not exceed total"),
        ({}, None, "^correct must have at least one group, got none"),
    ],
    ids=["total", "alike", "reserved", "number", "triple", "mixed", "too many", "none"],
)
def test_bad_named_groups_are_refused(groups, total, message):
    """A group is ClassCounts or a pair, and has a name of its own."""
    with pytest.raises(ValueError, match=message):
        population_posterior(groups, total)


def test_only_the_normal_model_has_a_median():
    posterior = population_posterior([8, 9], [10, 10], model="beta-binomial")
    with pytest.raises(AttributeError, match="Only the normal-binomial model"):
        _ = posterior.population_median


def test_too_vague_a_prior_is_refused():
    """Groups without errors do not say how different they are."""
    vague = NormalBinomial(shape=0.001, rate=0.001)
    with pytest.raises(ValueError, match=r"shape must be at least 0.5 if no group .* got 0.001"):
        population_posterior([[9, 3], [9, 4]], [[9, 5], [9, 5]], model=vague)
    assert 0.5 < population_posterior([9, 8], [9, 9], model=vague).population_mean.mean() < 1


@pytest.mark.parametrize("name", ["mean", "precision", "shape", "rate"])
def test_parameters_are_numbers(name):
    with pytest.raises(TypeError, match=f"{name} must be a number, got 'a'"):
        NormalBinomial(**{name: "a"})


@pytest.mark.parametrize(
    ("correct", "total", "model", "message"),
    [
        ([], [], "normal-binomial", r"correct must have shape \(n_groups,\)"),
        ([1, 2], [3], "normal-binomial", "correct and total must have the same shape"),
        ([4], [3], "normal-binomial", "correct must not exceed total, got 4.0 at position 0"),
        ([-1], [3], "normal-binomial", "correct must be finite and non-negative"),
        ([1], [np.nan], "normal-binomial", "total must be finite and non-negative"),
        ([1], [1e8], "normal-binomial", r"total must not exceed 1e\+07"),
        ([1], [2], "probit", "model must be 'normal-binomial'"),
        ([1, 2], None, "normal-binomial", "total must be given"),
        (
            [ClassCounts(["a"], [1], [2]), ClassCounts(["b"], [1], [2])],
            None,
            NormalBinomial(),
            "the same classes in all groups",
        ),
    ],
)
def test_bad_input_is_refused(correct, total, model, message):
    with pytest.raises(ValueError, match=message):
        population_posterior(correct, total, model=model)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([5.0], [3.0]), "correct must not exceed total"),
        (([1.0], [-3.0]), "total must be finite and non-negative"),
        (([np.nan], [3.0]), "correct must be finite"),
        ((["a"], [3.0]), "correct must be an array of numbers"),
        ((None, [3.0]), "correct must be an array of numbers"),
        (([1.0], [10**400]), "total must be an array of numbers"),
        ((np.ma.array([1.0], mask=[True]), [3.0]), "correct must be an array of numbers"),
        (([1.0], [3.0, 4.0]), "correct and total must have the same shape"),
        (([1.0], [3.0], None), "model must be"),
        (([[1.0]], [[3.0]], BetaBinomial(), ["a", "b"]), "classes must have a label"),
        (([1.0], [3.0], BetaBinomial(), ["a"]), "classes must have a label"),
        (([1.0], [3.0], BetaBinomial(), None, ("a", "b")), "names must have one for each of 1"),
        (([1.0], [3.0], BetaBinomial(), None, "a"), "names must be a tuple of strings"),
        (([1.0], [3.0], BetaBinomial(), None, ("new group",)), "names of groups"),
    ],
    ids=str,
)
def test_the_class_checks_what_it_is_made_of(arguments, message):
    """Each wrong argument gets one error that names it, without `population_posterior` too."""
    full = (*arguments, BetaBinomial())[: max(len(arguments), 3)]
    with pytest.raises(ValueError, match=message):
        PopulationPosterior(*full)


def test_the_population_mean_lies_among_sites_that_agree():
    """With the default model; a prior that favours 1/2 would pull it below all of them."""
    mean = population_posterior([95, 97, 94, 96, 95], [100] * 5).population_mean
    assert 0.94 < mean.mean() < 0.97
    assert mean.interval().low > 0.9


def test_few_sites_are_told(posterior):
    """From five on, no more."""
    assert "fewer than 5 groups" not in posterior.report()
    three = population_posterior([82, 75, 92], [99] * 3)
    assert "With fewer than 5 groups, the prior" in three.report()
    with pytest.raises(AttributeError, match="pass model='normal-binomial'"):
        _ = posterior.population_median


def test_groups_of_the_same_counts_have_one_distribution():
    """They know the same of each other."""
    posterior = population_posterior([[3, 4], [2, 5], [3, 4]], [[5, 5]] * 3, model="beta-binomial")
    assert posterior.groups[0] is posterior.groups[2]
    assert posterior.groups[0].mean() != posterior.groups[1].mean()


@pytest.mark.parametrize(
    ("model", "n_classes"),
    [
        ("normal-binomial", 2),
        *[
            pytest.param(*values, marks=pytest.mark.slow)
            for values in (("normal-binomial", 3), ("beta-binomial", 2), ("beta-binomial", 3))
        ],
    ],
)
def test_balanced_accuracy_of_few_perfect_groups(model, n_classes):
    """Mean and variance of the quantiles are those of the classes, which may be at 0 and 1."""
    posterior = population_posterior([[5] * n_classes] * 2, [[5] * n_classes] * 2, model=model)
    one = population_posterior([5, 5], [5, 5], model=model).new_group
    distribution = posterior.new_group
    assert distribution.mean() == pytest.approx(one.mean(), rel=1e-12)
    assert distribution.variance() == pytest.approx(one.variance() / n_classes, rel=1e-12)
    # The mean is the integral of the upper tail; at chance level it is steep.
    nodes, weights = np.polynomial.legendre.leggauss(8)
    edges = np.arange(n_classes + 1) / n_classes
    steps = np.concatenate([[0], 0.5 ** np.arange(24, 0, -1), 1 - 0.5 ** np.arange(2, 25), [1]])
    cuts = np.append(np.add.outer(edges[:-1], steps[:-1] / n_classes).ravel(), 1.0)
    half = 0.5 * np.diff(cuts)[:, np.newaxis]
    x = (cuts[:-1, np.newaxis] + half) + half * nodes
    assert float((distribution.ccdf(x) * half * weights).sum()) == pytest.approx(
        one.mean(), abs=1e-8
    )


def test_end_of_a_support_with_much_mass_beside_it():
    """Two groups of two classes with one sample each, without errors: the interval reaches one."""
    group = population_posterior(np.ones((2, 2)), np.ones((2, 2)), model="beta-binomial").groups[0]
    low, high = group.hdi()
    assert high == 1
    assert group.cdf(low) == pytest.approx(0.05, abs=1e-9)
    assert group.cdf(0, 1e-300) == 0


def test_html_computes_the_groups_that_it_shows():
    """Groups beyond those that are shown are counted, and not computed."""
    total = np.arange(1.0, 41.0)
    posterior = population_posterior(total // 2, total)
    html = posterior._repr_html_()
    assert "and 32 more groups" in html
    assert "group 7<" in html
    assert "group 8<" not in html
    assert "groups" not in vars(posterior)
