r"""Expected coverage of intervals in test sets like the observed one.

A prior is judged by what it does where the truth is known. Test sets are drawn from recalls such as
those that were observed, each has its posterior, and the share of intervals that hold the weighted
mean of these recalls is the coverage to expect (a parametric bootstrap; Davison and Hinkley,
Bootstrap Methods and Their Application, 1997, section 2.2).

The recalls of small classes are too uncertain to be taken as observed. With l classes, that of
class i is

.. math:: p_i = \frac{k_i + 3 c_i}{n_i + 3}, \quad
          c_i = \text{mean of } \frac{k_j + 1 / l}{n_j + 2 / l} \text{ over classes of alike size},

those whose floor(log2 n) differs by one at most. In 118 settings of 10 to 100 classes the mean of
this was off the coverage in 80 data sets by .03 ("reciprocal"), .06 ("uniform") and .09
("jeffreys"), root mean square; a coverage of .9 in 80 data sets has an error of .03 itself.

The shortest interval is approximated by mean + sd (+-z + s (z^2 - 3) / 6), with the skewness s of
the posterior: a density phi(x) (1 + s (x^3 - 3 x) / 6) is equal at both ends to first order in s.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from skpostbac._utils import Floats
from skpostbac.metrics._priors.assumptions import Prior

# Of the intervals that are spoken of.
LEVEL = 0.95
# Least expected coverage with l classes: the former less the latter over l, for with few classes
# the coverage goes up and down with the numbers of samples. Chosen in cells like those of
# `benchmarks/validity.py`; PriorInfluenceWarning has what comes of it elsewhere.
_LEAST, _LESS = 0.915, 0.1
# Samples of the mean of classes of alike size that a class has beside its own.
_BORROWED = 3
# Test sets, and numbers that are drawn for them: fewer sets where there are many classes. The noise
# of 200 sets alone would hide every sixth low coverage.
_SETS, _DRAWS, _FEWEST_SETS = 2_000, 30_000, 100
# So many tell enough where their coverage is so many standard errors above the limit, as is usual.
_FIRST_SETS, _FIRST_DRAWS, _FAR = 500, 10_000, 2.5


def rough_coverage(
    correct: Floats,
    total: Floats,
    prior: Prior,
    class_weight: Floats,
    mean: float,
    standard_deviation: float,
) -> tuple[float, float]:
    """Return about the coverage to expect, and from where on it is surely high enough."""
    limit = _limit(total.size)
    if not isinstance(prior, np.ndarray):
        return shared_coverage(correct, total, class_weight, mean, standard_deviation), limit
    sets = _n_sets(total.size, _FIRST_SETS, _FIRST_DRAWS)
    coverage = expected_coverage(correct, total, prior, class_weight, sets)
    return coverage, limit + _FAR * float(np.sqrt(limit * (1 - limit) / sets))


def coverage_of(
    correct: Floats,
    total: Floats,
    prior: Prior,
    class_weight: Floats,
    mean: float,
    standard_deviation: float,
) -> float:
    """Return the expected coverage of 95 % intervals of the posterior of these moments."""
    if isinstance(prior, np.ndarray):
        return expected_coverage(correct, total, prior, class_weight)
    return shared_coverage(correct, total, class_weight, mean, standard_deviation)


def is_too_low(coverage: float, n_classes: int) -> bool:
    """Return whether a coverage is low enough for a warning."""
    return coverage < _limit(n_classes)


def _limit(n_classes: int) -> float:
    """Return the least coverage that gives no warning."""
    return _LEAST - _LESS / n_classes


def _n_sets(n_classes: int, most: int, draws: int) -> int:
    """Return the number of test sets that take some draws, within limits."""
    return int(np.clip(draws // n_classes, _FEWEST_SETS, most))


def expected_coverage(
    correct: Floats,
    total: Floats,
    prior: Floats,
    class_weight: Floats,
    sets: int | None = None,
) -> float:
    """Return the expected coverage of 95 % intervals under independent Beta priors.

    Parameters
    ----------
    correct, total : ndarray of shape (n_classes,)
        Correct predictions and samples of each class.
    prior : ndarray of shape (n_classes, 2)
        a and b of each class.
    class_weight : ndarray of shape (n_classes,)
        Non-negative weights of sum 1.
    sets : int, optional
        Number of simulated test sets; by default 2,000, or fewer with more than 15 classes, but at
        least 100.

    Returns
    -------
    coverage : float
        Share of the intervals that hold the truth, the same in each call; nan if no class of
        positive weight has samples.
    """
    if not total[class_weight > 0].any():
        return np.nan
    recalls = _typical_recalls(correct, total)
    trials = np.where(total > 0, np.maximum(np.rint(total), 1), 0).astype(np.int64)
    sets = sets or _n_sets(total.size, _SETS, _DRAWS)
    rng = np.random.default_rng(0)
    # One class after the other, for each needs some preparation.
    drawn = rng.binomial(trials[:, np.newaxis], recalls[:, np.newaxis], (total.size, sets)).T
    right = drawn * (total / np.maximum(trials, 1))
    low, high = _intervals(prior[:, 0] + right, prior[:, 1] + (total - right), class_weight)
    truth = class_weight @ recalls
    return float(np.mean((low <= truth) & (truth <= high)))


def shared_coverage(
    correct: Floats, total: Floats, class_weight: Floats, mean: float, standard_deviation: float
) -> float:
    r"""Return the coverage to expect under a prior that the classes share.

    Its posterior depends on all classes at once, and is not simulated. Let V be the sampling
    variance of the observed weighted mean. Where the prior is right, the observed mean less the
    posterior mean has a variance of V less the posterior one, sd^2, so that
    :math:`z^2 = (\bar k - E\lambda)^2 / \max(V - \mathrm{sd}^2, \mathrm{sd}^2)` is about 1 or less,
    a distance of one posterior standard deviation being no sign of bias. What is more is bias,
    which is estimated by :math:`(1 - 1 / z^2)_+` of the distance (James and Stein, 1961).
    """
    seen = (total > 0) & (class_weight > 0)
    if not seen.any() or standard_deviation <= 0:
        return np.nan
    weights = class_weight[seen] / class_weight[seen].sum()
    recalls, tested = _typical_recalls(correct, total)[seen], total[seen]
    observed = weights @ (correct[seen] / tested)
    variance = weights**2 @ (recalls * (1 - recalls) / tested)
    distance = abs(observed - mean)
    noise = max(variance - standard_deviation**2, standard_deviation**2)
    bias = distance * max(1 - noise / distance**2, 0.0) if distance else 0.0
    # The posterior mean varies no more than the observed one, whose variance may be lost beside 1.
    spread = max(min(standard_deviation, float(np.sqrt(variance))), np.finfo(float).tiny)
    reach = standard_deviation * ndtri((1 + LEVEL) / 2)
    return float(ndtr((reach - bias) / spread) - ndtr((-reach - bias) / spread))


def _typical_recalls(correct: Floats, total: Floats) -> Floats:
    """Return recalls that the classes may have, of which small ones borrow from alike sizes."""
    least = 1 / total.size
    octave = np.zeros(total.size, dtype=np.intp)
    seen = total > 0
    exponents = np.frexp(total[seen])[1]
    lowest = exponents.min()
    # A class without samples is like the smallest ones; there is an empty octave at either side.
    octave[seen] = exponents - lowest
    size = int(octave.max()) + 3
    rates = (correct[seen] + least) / (total[seen] + 2 * least)
    sums = np.bincount(octave[seen] + 1, rates, size)
    classes = np.bincount(octave[seen] + 1, minlength=size)
    around = [np.convolve(of, np.ones(3), "same") for of in (sums, classes)]
    centre = (around[0] / np.maximum(around[1], 1))[octave + 1]
    return np.asarray((correct + _BORROWED * centre) / (total + _BORROWED))


def _intervals(a: Floats, b: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the shortest intervals of sums of Betas, by three moments of each."""
    size = a + b
    mean, other = a / size, b / size
    variances = mean * other / (size + 1)
    thirds = 2 * variances * (other - mean) / (size + 2)
    centre, variance = mean @ weights, variances @ weights**2
    # A variance may be no number of doubles.
    spread = np.sqrt(np.maximum(variance, np.finfo(float).tiny))
    skewness = np.clip((thirds @ weights**3) / spread**3, -2, 2)
    z = ndtri((1 + LEVEL) / 2)
    shift = skewness * (z**2 - 3) / 6
    return centre + spread * (shift - z), centre + spread * (shift + z)
