"""
Plan the size of a test set
===========================

Before you collect a test set: how many samples do you need for a narrow interval, or to find out
which of two classifiers is better? You do not know the counts yet, so the answer comes with a
probability, the *assurance*.
"""

import matplotlib.pyplot as plt

from skpostbac import required_test_size

# %%
# A narrow interval
# -----------------
#
# For recalls of 90 % and 80 %, and a 95 % interval no wider than 0.1:

print(required_test_size([0.9, 0.8], width=0.1))

# %%
# If you collect samples as they come, and one in ten is positive:

print(required_test_size([0.9, 0.8], width=0.1, class_proportions=[9, 1]))

# %%
# A difference
# ------------
#
# The second classifier is better by 0.02 in both classes, and both predict the same samples. What
# matters most is how often they agree, because samples that both get right, or both get wrong, do
# not show which one is better.

agreements = (0.98, 0.95, 0.9)
plans = {
    f"agree on {agreement:.0%}": required_test_size(
        [0.9, 0.9], difference=0.02, agreement=agreement
    )
    for agreement in agreements
}
plans["two test sets"] = required_test_size([0.9, 0.9], difference=0.02, paired=False)

for name, plan in plans.items():
    print(
        f"{name:14} {plan.samples[0]:5} samples of each class, assurance {plan.assurance:.3f}"
    )

sizes = [plan.samples[0] for plan in plans.values()]
assert sizes == sorted(sizes)

# %%
# The assurance grows with the size of the test set, but not steadily, because counts are integers.
# The next smaller test set has less than the requested assurance. The plot shows all sizes that
# were tried.

fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for (name, plan), style in zip(plans.items(), ("-", "--", "-.", ":"), strict=True):
    ax.plot(plan.sizes, plan.assurances, style, marker=".", label=name)
ax.axhline(0.8, color="#666666", linewidth=0.8)
ax.set(xlabel="samples of each class", ylabel="assurance", xscale="log", ylim=(0, 1))
ax.legend(frameon=False)
plt.show()
