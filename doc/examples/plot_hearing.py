"""
Compare accuracies of two and of many classes
=============================================

How do you compare a classifier for many classes with one for few? The article on the
binary-equivalent accuracy [1]_ gives two examples. They are reproduced here, with posteriors and
with the comparison to random guessing that the article asks for.

.. [1] Comparing Classifier Performance - Introduction to BEA (article on the binary-equivalent
   accuracy).
"""

import math

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from skpostbac import ClassCounts, PosteriorAccuracy
from skpostbac.binary_equivalent import GuessingTest, binary_equivalent_accuracy

# %%
# The fitting program
# -------------------
#
# A program has to find the right one of a growing number of functions. The article gives the
# binary-equivalent accuracies, but not the baselines of guessing.

AUTOFIT = {6: 1.0, 18: 0.78, 115: 0.45, 865: 0.23}  # classes and accuracy
PRINTED = {6: "100.0%", 18: "98.5%", 115: "99.3%", 865: "99.8%"}

print("classes  accuracy  binary-equivalent  guessing")
for n_classes, accuracy in AUTOFIT.items():
    equivalent = binary_equivalent_accuracy(accuracy, n_classes)
    guessing = binary_equivalent_accuracy(1 / n_classes, n_classes)
    print(f"{n_classes:7}  {accuracy:8.0%}  {equivalent:17.1%}  {guessing:8.1%}")
    assert f"{equivalent:.1%}" == PRINTED[n_classes]
    assert math.isclose(guessing, (1 / n_classes) ** (1 / (n_classes - 1)))

# %%
# The listener
# ------------
#
# A sound comes from a random direction, and is heard with a normal error of 10 degrees. The
# listener says in which of N equal sectors of the circle it was.

SPREAD = 10.0


def simulate(n_sectors, n_trials, rng):
    """Return the correct answers and the trials of each sector."""
    width = 360 / n_sectors
    angle = rng.uniform(0, 360, n_trials)
    heard = (angle + rng.normal(0, SPREAD, n_trials)) % 360
    sector = (angle // width).astype(int)
    right = sector == (heard // width).astype(int)
    return ClassCounts(
        np.arange(n_sectors),
        np.bincount(sector[right], minlength=n_sectors),
        np.bincount(sector, minlength=n_sectors),
    )


def exact_accuracy(n_sectors):
    """Probability that a uniform point of a sector is heard within the sector.

    Errors of a full circle are neglected.
    """
    z = 360 / n_sectors / SPREAD
    return 2 * (norm.cdf(z) + (norm.pdf(z) - norm.pdf(0)) / z) - 1


rng = np.random.default_rng(0)
print(
    "\nsectors  accuracy  exact  binary-equivalent, 95 %     guessing  errors avoided"
)
heard = {}
for n_sectors in (2, 3, 4, 6, 8, 15, 30, 60, 100):
    posterior = PosteriorAccuracy(simulate(n_sectors, 100_000, rng))
    heard[n_sectors] = equivalent = posterior.binary_equivalent()
    test = GuessingTest.from_counts(posterior.counts)
    low, high = equivalent.credible_interval()
    print(
        f"{n_sectors:7}  {posterior.mean():8.4f}  {exact_accuracy(n_sectors):.3f}  "
        f"{equivalent.median():.4f} [{low:.4f}, {high:.4f}]  {equivalent.chance:13.4f}  "
        f"{test.error_reduction:14.3f}"
    )
    # Five standard deviations of the simulation.
    error = abs(posterior.mean() - exact_accuracy(n_sectors))
    assert error < 5 * posterior.standard_deviation()

numbers = list(heard)
curves = {
    "accuracy": [float(exact_accuracy(n)) for n in numbers],
    "binary-equivalent accuracy": [posterior.median() for posterior in heard.values()],
    "guessing, binary-equivalent": [posterior.chance for posterior in heard.values()],
}
fig, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for (name, values), style in zip(curves.items(), ("-", "--", ":"), strict=True):
    ax.plot(numbers, values, style, marker=".", label=name)
ax.set(xlabel="sectors", xscale="log", ylim=(0, 1.02))
ax.legend(loc="lower left", frameon=False)
plt.show()

# %%
# The accuracy falls from 0.956 to 0.14. The binary-equivalent accuracy stays between 0.954 and
# 0.981. As the article says, it rises in the end, and so does the baseline of guessing, although
# the listener is no better with a hundred sectors than with thirty. The share of errors avoided
# relative to guessing falls instead. No single number is the same for all N.

medians = [posterior.median() for posterior in heard.values()]
assert 0.954 < min(medians) < max(medians) < 0.981
assert heard[100].median() > heard[30].median()
assert heard[100].chance > heard[30].chance
assert math.isclose(heard[2].chance, 0.5)

# %%
# Better than guessing?
# ---------------------
#
# With a hundred trials and a hundred sectors, a few correct answers are enough to rule out
# guessing, but far too few for a precise accuracy.

posterior = PosteriorAccuracy(simulate(100, 100, rng))
test = GuessingTest.from_counts(posterior.counts)
print(f"\n{test}\n{posterior}\n{posterior.binary_equivalent()}")
by_hand = sum(
    math.comb(100, k) * 0.01**k * 0.99 ** (100 - k) for k in range(test.correct, 101)
)
assert math.isclose(test.p_value, by_hand, rel_tol=1e-9)
assert test.p_value < 1e-6
