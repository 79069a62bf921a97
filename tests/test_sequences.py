"""Confidence sequences: grids, other optimisers, all paths of short tests, and what is refused."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import beta, dirichlet
from sklearn.dummy import DummyClassifier

from skpostbac import (
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    compare_posteriors,
    compare_predictions,
    cross_val_posterior,
    posterior_balanced_accuracy,
    posterior_confusion_metric,
)
from skpostbac.metrics import PairedCounts, SelectedPosterior
from skpostbac.stats import Interval

LEVELS = [0.5, 0.95, 0.999]
Y_TRUE = [0] * 12 + [1] * 8
ONE = [0] * 10 + [1] * 8 + [0] * 2
TWO = [0] * 9 + [1] * 11


def balanced(correct, total, class_weight=None):
    counts = PosteriorBalancedAccuracy.from_counts(correct, total).counts
    return PosteriorBalancedAccuracy(counts, class_weight=class_weight)


def compared(cells, class_weight=None):
    """Compare "A" and "B" by the cells both, only A, only B, neither of each class."""
    counts = PairedCounts.from_cells(cells)
    return PosteriorComparison.from_paired_counts(counts, class_weight=class_weight)


# Independent values


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("counts", [(7, 9), (0, 4), (5, 5), (930, 1000), (0, 0)])
def test_one_class_on_a_grid(counts, level):
    """All accuracies where the prior density is not too high above the posterior density."""
    correct, total = counts
    grid = np.linspace(0, 1, 200_002)[1:-1]
    ratio = beta.logpdf(grid, 0.5, 0.5)
    ratio -= beta.logpdf(grid, 0.5 + correct, 0.5 + total - correct)
    inside = grid[ratio < -np.log1p(-level)]
    expected = inside[0], inside[-1]
    found = balanced([correct], [total]).confidence_sequence(level)
    assert_allclose(found, expected, atol=1.01e-5)
    posterior = PosteriorAccuracy.from_counts([correct], [total])
    assert posterior.confidence_sequence(level) == found


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("correct", "total", "weights"),
    [
        ([7, 20], [9, 45], [0.5, 0.5]),
        ([5, 30], [5, 40], [0.3, 0.7]),
        ([0, 12], [6, 12], [0.9, 0.1]),
        ([0, 12], [0, 15], [0.2, 0.8]),
    ],
)
def test_two_classes_on_a_grid(correct, total, weights, level):
    """The averages of all pairs of recalls in the region of products."""
    step = 1 / 2000
    grid = np.arange(step / 2, 1, step)
    ratios = []
    for k, n in zip(correct, total, strict=True):
        prior = beta.logpdf(grid, 0.5, 0.5)
        ratios.append(prior - beta.logpdf(grid, 0.5 + k, 0.5 + n - k))
    averages = np.add.outer(weights[0] * grid, weights[1] * grid)
    inside = averages[np.add.outer(*ratios) < -np.log1p(-level)]
    low, high = balanced(correct, total, weights).confidence_sequence(level)
    assert inside.min() - 2 * step < low <= inside.min()
    assert inside.max() <= high < inside.max() + 2 * step


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cells", [[20, 3, 9, 8], [15, 0, 2, 3], [30, 0, 0, 0]])
def test_difference_of_one_class_on_a_grid(cells, level):
    """All differences in the region of the three cells."""
    both, only_a, only_b, neither = cells
    step = 1 / 1500
    first, second = np.meshgrid(*[np.arange(step / 3, 1, step)] * 2)
    is_valid = first + second < 1 - step / 4
    first = first[is_valid]
    second = second[is_valid]
    points = np.stack([first, 1 - first - second, second])
    prior = np.array([0.5, 1, 0.5])
    observed = np.array([only_a, both + neither, only_b])
    log_ratio = -(observed @ np.log(points))
    corner = np.full((3, 1), 1 / 3)
    constant = dirichlet.logpdf(corner, prior) - dirichlet.logpdf(
        corner, prior + observed
    )
    log_ratio += constant - observed.sum() * np.log(3)
    inside = (first - second)[log_ratio < -np.log1p(-level)]
    low, high = compared([cells]).confidence_sequence("A", "B", level)
    assert inside.min() - 2 * step < low <= inside.min() + 1e-12
    assert inside.max() - 1e-12 <= high < inside.max() + 2 * step


def test_difference_of_two_classes_by_another_optimiser():
    """The same ends, from a general method for constrained problems."""
    cells = np.array([[60, 4, 9, 7], [22, 6, 3, 9]])
    weights = np.array([0.35, 0.65])
    observed = np.stack([cells[:, 1], cells[:, 0] + cells[:, 3], cells[:, 2]], axis=1)
    prior = np.array([0.5, 1, 0.5])
    corner = np.full(3, 1 / 3)
    constant = 0.0
    for one in observed:
        constant += dirichlet.logpdf(corner, prior)
        constant -= dirichlet.logpdf(corner, prior + one) + one.sum() * np.log(3)

    def difference(points):
        table = points.reshape(2, 3)
        return weights @ (table[:, 0] - table[:, 2])

    def slack(points):
        return np.log(20) - constant + (observed * np.log(points.reshape(2, 3))).sum()

    constraints = [{"type": "ineq", "fun": slack}]
    constraints += [
        {"type": "eq", "fun": lambda points, i=i: points.reshape(2, 3)[i].sum() - 1}
        for i in range(2)
    ]
    start = (observed / observed.sum(axis=1, keepdims=True)).ravel()
    expected = [
        sign
        * minimize(
            lambda points, sign=sign: sign * difference(points),
            start,
            method="SLSQP",
            bounds=[(1e-9, 1)] * 6,
            constraints=constraints,
            options={"ftol": 1e-12, "maxiter": 500},
        ).fun
        for sign in (1, -1)
    ]
    found = compared(cells, weights).confidence_sequence("A", "B")
    assert_allclose(found, expected, atol=1e-6)


def test_many_samples_have_the_normal_limit():
    """Of n samples, R at the observed share tends to the root of 2 / (pi n)."""
    n, p = 1e12, 0.75
    low, high = balanced([p * n], [n]).confidence_sequence()
    slack = np.log(20) + 0.5 * np.log(np.pi * n / 2)
    radius = np.sqrt(2 * slack * p * (1 - p) / n)
    assert_allclose([p - low, high - p], radius, rtol=1e-5)


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (9, 2), (2, 9), (40, 25)])
def test_p_value_by_quadrature(wins, losses):
    """The inverse of the mean likelihood ratio over success probabilities above 1/2."""

    def weighted(p):
        ratio = np.exp(
            wins * np.log(p) + losses * np.log1p(-p) + (wins + losses) * np.log(2)
        )
        return 2 * beta.pdf(p, 0.5, 0.5) * ratio

    mean, _ = quad(weighted, 0.5, 1)
    p_value = compared([[50, wins, losses, 5]]).sequential_p_value("A", "B")
    assert p_value == pytest.approx(min(1, 1 / mean), rel=1e-7)


# Validity, by all paths

N_LOOKS = 12
TRUTHS = [0.02, 0.2, 0.5, 0.77, 0.95]


def probability_of_a_miss(is_missed, truth):
    """Return the probability that `is_missed(correct, n)` at some n up to `N_LOOKS`."""
    paths = np.ones(1)
    missed = 0.0
    for n in range(1, N_LOOKS + 1):
        stayed = np.append(paths * (1 - truth), 0.0)
        paths = stayed + np.append(0.0, paths * truth)
        is_out = np.array([is_missed(correct, n) for correct in range(n + 1)])
        missed += paths[is_out].sum()
        paths[is_out] = 0.0
    return missed


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")
@pytest.mark.parametrize("level", [0.3, 0.8, 0.95])
def test_all_intervals_hold_at_once(level):
    """The exact probability that one of twelve misses is 1 - level at most."""
    intervals = {
        (k, n): balanced([k], [n]).confidence_sequence(level)
        for n in range(1, N_LOOKS + 1)
        for k in range(n + 1)
    }
    shares = []
    for truth in TRUTHS:

        def is_missed(k, n, truth=truth):
            low, high = intervals[k, n]
            return not low <= truth <= high

        shares.append(probability_of_a_miss(is_missed, truth))
    assert max(shares) <= 1 - level
    # There is something to miss.
    assert max(shares) > 0.2 * (1 - level)


def test_credible_intervals_do_not_hold_at_once():
    """What the other test would find of intervals for one look."""

    def is_missed(k, n):
        low, high = PosteriorAccuracy.from_counts([k], [n]).credible_interval(0.8)
        return not low <= 0.77 <= high

    assert probability_of_a_miss(is_missed, 0.77) > 0.25


@pytest.mark.parametrize("bound", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("truth", [0.3, 0.5])
def test_p_values_are_valid_at_any_look(truth, bound):
    """Of classifiers that differ on each sample, at most `bound` get so small a p-value."""

    def is_claimed(k, n):
        p_value = compared([[0, k, n - k, 0]]).sequential_p_value("A", "B")
        return p_value <= bound

    assert probability_of_a_miss(is_claimed, truth) <= bound


# Invariances


@pytest.fixture(scope="module")
def posterior():
    return balanced([31, 4, 88, 12], [40, 9, 90, 12], [0.4, 0.1, 0.3, 0.2])


def test_order_of_classes_does_not_matter(posterior):
    """Nor does a class of weight 0, or a pickle."""
    order = [2, 0, 3, 1]
    counts = posterior.counts
    other = balanced(
        [*counts.correct[order], 3],
        [*counts.total[order], 11],
        [*posterior.class_weight[order], 0],
    )
    expected = posterior.confidence_sequence()
    assert_allclose(other.confidence_sequence(), expected, rtol=1e-12)
    assert pickle.loads(pickle.dumps(posterior)).confidence_sequence() == expected
    assert type(expected) is Interval
    assert all(type(end) is float for end in expected)


def test_a_higher_level_is_wider(posterior):
    """The observed value and the posterior mean lie in all of them."""
    levels = [0.11, 0.5, 0.9, 0.99, 1 - 1e-9]
    low, high = np.transpose([posterior.confidence_sequence(one) for one in levels])
    assert np.all(np.diff(low) < 0)
    assert np.all(np.diff(high) > 0)
    for value in (posterior.observed, posterior.mean()):
        assert low[0] < value < high[0]
    interval = posterior.credible_interval()
    assert low[3] < interval.low < interval.high < high[3]


def test_prior_of_the_posterior_does_not_matter(posterior):
    """The sequence has a prior of its own, which must not follow the data."""
    other = PosteriorBalancedAccuracy(
        posterior.counts, prior="uniform", class_weight=posterior.class_weight
    )
    assert other.confidence_sequence() == posterior.confidence_sequence()


def test_mirrored_counts_mirror_the_interval(posterior):
    """Errors in place of correct predictions, and the classifiers in the other order."""
    counts = posterior.counts
    other = balanced(
        counts.total - counts.correct, counts.total, posterior.class_weight
    )
    low, high = posterior.confidence_sequence()
    assert_allclose(other.confidence_sequence(), [1 - high, 1 - low], rtol=1e-12)
    comparison = compared([[27, 3, 5, 5], [12, 0, 4, 4]])
    low, high = comparison.confidence_sequence("A", "B")
    assert comparison.confidence_sequence("B", "A") == (-high, -low)
    assert low < comparison.difference("A", "B").mean() < high


def test_accuracy_counts_all_samples_as_one_class():
    """As the sequence of a single class of all samples; of differences, too."""
    posterior = PosteriorAccuracy.from_counts([31, 4], [40, 9])
    assert posterior.confidence_sequence() == balanced([35], [49]).confidence_sequence()
    counts = PairedCounts.from_cells([[27, 3, 5, 5], [12, 0, 4, 4]])
    accuracies = PosteriorComparison.from_paired_counts(counts, metric="accuracy")
    expected = compared([[39, 3, 9, 9]]).confidence_sequence("A", "B")
    assert accuracies.confidence_sequence("A", "B") == expected


def test_pair_of_many_is_that_of_two():
    """Other classifiers change nothing."""
    two = compare_predictions(Y_TRUE, {"one": ONE, "two": TWO})
    three = compare_predictions(Y_TRUE, {"zero": Y_TRUE, "one": ONE, "two": TWO})
    found = three.confidence_sequence("one", "two")
    assert found == two.confidence_sequence("one", "two")
    p_values = [one.sequential_p_value("one", "two") for one in (two, three)]
    assert p_values[0] == p_values[1]


# Refusals


def grouped_comparison():
    predictions = {"one": ONE, "two": TWO}
    groups = np.arange(20) // 2
    return compare_predictions(Y_TRUE, predictions, groups=groups)


REFUSED = {
    "groups": (
        lambda: posterior_balanced_accuracy(Y_TRUE, ONE, groups=np.arange(20) // 2),
        "these have groups or importance weights",
    ),
    "weights": (
        lambda: posterior_balanced_accuracy(
            Y_TRUE, ONE, sample_weight=[1, 2] * 10, weight_type="importance"
        ),
        "these have groups or importance weights",
    ),
    "fractions": (
        lambda: posterior_balanced_accuracy(
            Y_TRUE, ONE, sample_weight=[0.3] * 20, weight_type="case"
        ),
        "these counts are not whole numbers",
    ),
    "cross-validation": (
        lambda: cross_val_posterior(
            DummyClassifier(), np.zeros((60, 1)), [0, 1, 1] * 20
        ),
        "these are the folds of a cross-validation",
    ),
    "selection": (
        lambda: SelectedPosterior(balanced([9, 9], [12, 12]), optimism=0.02),
        "this is the best of several on the same samples",
    ),
    "metric": (
        lambda: posterior_confusion_metric(Y_TRUE, ONE, "precision", pos_label=1),
        "this is a PosteriorConfusionMetric",
    ),
}
REFUSED_PAIRS = {
    "groups": (grouped_comparison, "these have groups or importance weights"),
    "samples": (
        lambda: compare_posteriors(
            {"one": balanced([9], [12]), "two": balanced([8], [12])}
        ),
        "these classifiers were tested on different samples",
    ),
    "metric": (
        lambda: compare_predictions(
            Y_TRUE, {"one": ONE, "two": TWO}, metric="mcc", n_draws=100
        ),
        "this compares PosteriorConfusionMetric",
    ),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_dependent_samples_are_refused(name):
    """One error that says what is needed, and what there is."""
    make, problem = REFUSED[name]
    text = f"independent test samples, each counted once: {problem}"
    with pytest.raises(ValueError, match=text):
        make().confidence_sequence()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", REFUSED_PAIRS)
@pytest.mark.parametrize("method", ["confidence_sequence", "sequential_p_value"])
def test_dependent_pairs_are_refused(name, method):
    """Of differences, too."""
    make, problem = REFUSED_PAIRS[name]
    text = f"independent test samples, each counted once: {problem}"
    with pytest.raises(ValueError, match=text):
        getattr(make(), method)("one", "two")


@pytest.mark.parametrize(
    ("level", "message"), [(1, "between 0 and 1"), (0.05, "write 0.95 for 0.05")]
)
def test_level_is_checked(posterior, level, message):
    """As that of other intervals."""
    with pytest.raises(ValueError, match=f"level must be .*{message}"):
        posterior.confidence_sequence(level)
    with pytest.raises(ValueError, match=f"level must be .*{message}"):
        compared([[27, 3, 5, 5]]).confidence_sequence("A", "B", level)
