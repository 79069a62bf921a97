"""How often a plan from a pilot test reaches its goal.

    python benchmarks/pilot_plans.py [--pilots N]

A pilot test of known recalls is drawn, and ``required_test_size`` plans a test set from it, once
with classes that borrow from one another, which is the default, and once with classes that are
independent of one another under Jeffreys' prior. "Reached" is the probability that a test set of
the planned size, with the true recalls, has an interval as narrow as was asked for; its average
over the pilots is compared with the assurance that the plans state. Writes `pilot_plans.rst`
beside this file.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from _studies import figures, table, versions

from skpostbac import PosteriorBalancedAccuracy, required_test_size
from skpostbac.metrics import PriorInfluenceWarning

RESULTS = Path(__file__).with_suffix(".rst")
# Recalls, pilot samples of each class, and the width asked for.
CELLS = (
    ([0.85, 0.7], 20, 0.15),
    ([0.97, 0.6], 30, 0.12),
    ([0.95, 0.9], 50, 0.06),
    ([0.9, 0.8, 0.5], 12, 0.15),
    ([0.95, 0.9, 0.85, 0.8, 0.4], 15, 0.1),
    (np.full(10, 0.8), 3, 0.15),
    (np.linspace(0.5, 0.95, 10), 5, 0.12),
    (np.linspace(0.6, 0.99, 20), 10, 0.06),
    (np.full(40, 0.7), 4, 0.1),
)


def plans(recalls, size, width, n_pilots):
    """Return stated and reached assurance of both ways, and the sizes, one row a pilot."""
    rng = np.random.default_rng(20261129)
    known = required_test_size(recalls, width=width)
    # An array of pairs is an informative prior: no class borrows.
    alone = np.full((len(recalls), 2), 0.5)
    rows = []
    for _ in range(n_pilots):
        correct = rng.binomial(size, recalls)
        row = []
        for prior in ("calibrated", alone):
            pilot = PosteriorBalancedAccuracy.from_counts(
                correct, np.full(len(recalls), size), prior=prior
            )
            plan = required_test_size(pilot, width=width)
            each = int(plan.samples[0])
            row += [plan.assurance, known.assurance_at(each), each]
        rows.append(row)
    return np.array(rows), int(known.samples[0])


def main():
    """Run all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pilots", type=int, default=100)
    n_pilots = parser.parse_args().pilots
    warnings.simplefilter("ignore", PriorInfluenceWarning)
    lines = []
    for recalls, size, width in CELLS:
        found, known = plans(recalls, size, width, n_pilots)
        stated, reached, each, _, alone, fewer = found.T
        line = (
            str(len(recalls)),
            f"{min(recalls):.2f} to {max(recalls):.2f}",
            str(size),
            str(width),
            str(known),
            f"{np.median(each):.0f}",
            f"{stated.mean():.2f}",
            *figures(reached[:, np.newaxis]),
            f"{np.median(fewer):.0f}",
            *figures(alone[:, np.newaxis]),
        )
        print(line, flush=True)
        lines.append(line)
    head = ("classes", "recalls", "pilot", "width", "needed", "planned", "stated")
    head += ("reached", "planned alone", "reached alone")
    RESULTS.write_text(
        f"``python benchmarks/pilot_plans.py --pilots {n_pilots}``: {n_pilots} pilots a "
        "cell, with so many samples of each class; medians of the sizes, samples of each "
        f"class; ± one standard error. {versions()}\n\n{table(head, lines)}\n"
    )


if __name__ == "__main__":
    main()
