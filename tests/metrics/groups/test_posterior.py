"""Group-level inference as users meet it."""

import pickle

import numpy as np
import pytest

from skpostbac import ClassCounts, population_posterior
from tests.texts import sentences

# The second example in the documentation of the R package micp.
CORRECT = [[40, 48], [44, 41], [18, 65], [42, 49], [44, 32]]
TOTAL = [[45, 55], [51, 49], [20, 80], [46, 54], [48, 32]]


@pytest.fixture(scope="module")
def posterior():
    return population_posterior([82, 75, 92, 85, 88], [100] * 5)


@pytest.mark.slow
def test_balanced_accuracy_averages_independent_classes():
    """Means and variances of the classes add up."""
    both = population_posterior(CORRECT, TOTAL)
    classes = [
        population_posterior(np.array(CORRECT)[:, i], np.array(TOTAL)[:, i])
        for i in (0, 1)
    ]
    for name in ("new_group", "population_mean"):
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
    one, two = (
        population_posterior(groups),
        population_posterior(CORRECT[:2], TOTAL[:2]),
    )
    np.testing.assert_array_equal(one.correct, two.correct)
    np.testing.assert_array_equal(one.total, two.total)
    assert one.classes.tolist() == ["a", "b"]
    assert two.classes is None


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_summary_is_a_table(posterior, library):
    """A row for each distribution, with its figures."""
    frame = pytest.importorskip(library).DataFrame(posterior.summary(0.9))
    assert list(frame["name"])[4:] == [
        "group 4",
        "new group",
        "population mean",
    ]
    assert len(frame) == 5 + 2
    ends = np.transpose(
        [posterior.groups[4].hdi(0.9), posterior.groups[4].interval(0.9)]
    )
    assert (frame["low"][4], frame["high"][4]) == (ends[0].min(), ends[1].max())


def test_groups_have_the_names_of_a_mapping(posterior):
    """In the summary and the repr; the numbers are those without names."""
    counts = zip(posterior.correct, posterior.total, strict=True)
    named = population_posterior(
        dict(zip(["ann", "bob", 3, "dan", "eve"], counts, strict=True))
    )
    names = ["ann", "bob", "3", "dan", "eve"]
    assert named.names == tuple(names)
    assert [row["name"] for row in named.summary()][:5] == names
    for ours, theirs in zip(named.summary(), posterior.summary(), strict=True):
        assert ours | {"name": ""} == theirs | {"name": ""}
    assert "n_groups=5, names=('ann', 'bob', '3', 'dan', 'eve'))" in repr(named)
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


def test_few_sites_are_told(posterior):
    """From five on, no more."""
    assert "fewer than 5 groups" not in sentences(posterior)
    three = population_posterior([82, 75, 92], [99] * 3)
    assert "With fewer than 5 groups, the prior" in sentences(three)


def test_independence_of_classes_is_told(posterior):
    """Of several classes, as a shared effect makes intervals too narrow."""
    assert "independent" not in sentences(posterior)
    assert "The classes are taken to be independent." in sentences(
        population_posterior(CORRECT, TOTAL)
    )


def test_groups_of_the_same_counts_have_one_distribution():
    """They know the same of each other."""
    posterior = population_posterior([[3, 4], [2, 5], [3, 4]], [[5, 5]] * 3)
    assert posterior.groups[0] is posterior.groups[2]
    assert posterior.groups[0].mean() != posterior.groups[1].mean()


def test_html_computes_the_groups_that_it_shows():
    """Groups beyond those that are shown are counted, and not computed."""
    total = np.arange(1.0, 41.0)
    posterior = population_posterior(total // 2, total)
    html = posterior._repr_html_()
    assert "and 32 more groups" in html
    assert "group 7<" in html
    assert "group 8<" not in html
    assert "groups" not in vars(posterior)
