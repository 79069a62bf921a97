"""Measure the intervals at a threshold chosen on the same samples, with importance weights.

    python benchmarks/threshold_weights.py [--sets N]

Scores of both classes are normal, with a separation of 1. Weights are log-normal, unrelated to the
scores, or tied to them: then the scores of the population, of which the weights make the samples,
lie higher by the spread of the log weights. Writes `threshold_weights.rst` beside this file.
"""

import argparse
import platform
import zlib
from datetime import date
from itertools import product
from pathlib import Path

import numpy as np
import scipy
from scipy.stats import norm

from skpostbac import __version__, posterior_threshold_curve

RESULTS = Path(__file__).with_suffix(".rst")


def measure(n, variation, tied, number):
    """Return whether the interval holds, corrected, uncorrected and of weights taken as cases."""
    rng = np.random.default_rng(
        [zlib.crc32(f"{n}|{variation}|{tied}".encode()), number]
    )
    spread = np.sqrt(np.log1p(variation**2))
    y_true, z = np.repeat([0, 1], n), rng.normal(size=2 * n)
    weight = np.exp(spread * (z if tied else rng.normal(size=2 * n)))
    found = []
    for weight_type in ("importance", "case"):
        curve = posterior_threshold_curve(
            y_true,
            z + y_true,
            sample_weight=weight / weight.mean(),
            weight_type=weight_type,
            random_state=number,
        )
        t = curve.best_threshold - spread * tied
        truth = (norm.cdf(t) + norm.sf(t - 1)) / 2
        for posterior in (curve.corrected, curve.best):
            low, high = posterior.credible_interval()
            found += [low <= truth <= high, posterior.mean() - truth]
    return [found[0], found[1], found[2], found[4]]


def main():
    """Measure all cells and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200, help="data sets a cell (200)")
    args = parser.parse_args()
    rule = " ".join("=" * width for width in (9, 9, 4, 9, 6, 11, 8))
    lines = [
        rule,
        "weights   per class cv   corrected bias   uncorrected as cases",
        rule,
    ]
    for tied, n, variation in product((False, True), (50, 200), (1.0, 2.0)):
        found = [measure(n, variation, tied, number) for number in range(args.sets)]
        held, bias, plain, cases = np.mean(found, axis=0)
        lines.append(
            f"{'tied' if tied else 'unrelated':<9} {n:>9} {variation:>4g} {held:>9.3f} "
            f"{bias:>6.3f} {plain:>11.3f} {cases:>8.3f}"
        )
        print(lines[-1], flush=True)
    error = np.sqrt(0.95 * 0.05 / args.sets)
    RESULTS.write_text(
        f"{date.today()}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}, skpostbac {__version__}; ``python benchmarks/threshold_weights.py "
        f"--sets {args.sets}``. Standard error of a coverage of .95: {error:.3f}.\n\n"
        + "\n".join([*lines, rule])
        + "\n"
    )


if __name__ == "__main__":
    main()
